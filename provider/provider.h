/*
 * The provider's context and what every file of provider/ shares: errors, digests, random bytes,
 * counters. There is no arithmetic in this directory; it calls core/.
 *
 * A context is made by OSSL_provider_init, once for each OSSL_LIB_CTX that loads the module, and is
 * immutable afterwards but for its counters and its cache of digests, which are atomic. There is no
 * other state: no mutable global, no lock.
 */
#ifndef BM_PROVIDER_H
#define BM_PROVIDER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <openssl/core.h>
#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include "hash.h"
#include "kernels.h"

#define BM_NAME "bigmod"
#define BM_PROPERTIES "provider=" BM_NAME

/* Names of the key types, as every provider has them. */
#define BM_ED25519_NAMES "ED25519:1.3.101.112"
#define BM_RSA_NAMES "RSA:rsaEncryption:1.2.840.113549.1.1.1"
#define BM_RSA_PSS_NAMES "RSA-PSS:RSASSA-PSS:1.2.840.113549.1.1.10"

/* ---- counters ------------------------------------------------------------------------------- */

/* Operations that succeeded here, each a gettable parameter of the provider (provider.c names
 * them). */
typedef enum bm_counter {
    BM_COUNT_RSA_IMPORT,
    BM_COUNT_RSA_KEYGEN,
    BM_COUNT_RSA_SIGN,
    BM_COUNT_RSA_VERIFY,
    BM_COUNT_RSA_VERIFY_RECOVER,
    BM_COUNT_RSA_ENCRYPT,
    BM_COUNT_RSA_DECRYPT,
    BM_COUNT_RSA_ENCAPSULATE,
    BM_COUNT_RSA_DECAPSULATE,
    BM_COUNT_ED25519_IMPORT,
    BM_COUNT_ED25519_KEYGEN,
    BM_COUNT_ED25519_SIGN,
    BM_COUNT_ED25519_VERIFY,
    BM_NUM_COUNTERS,
} bm_counter;

/* ---- the context ---------------------------------------------------------------------------- */

enum { BM_NUM_DIGESTS = 20 };

typedef struct bm_loan bm_loan; /* lend.c */

typedef struct bm_provider {
    const OSSL_CORE_HANDLE *handle;
    bool foreign_core;    /* loaded by a libcrypto that is not the one that we are linked with */
    OSSL_LIB_CTX *libctx; /* the child of the application's library context */
    const bm_kernels *kernels;
    char *buildinfo;
    unsigned long libcrypto_version; /* OpenSSL_version_num() of the libcrypto that runs */

    OSSL_FUNC_core_new_error_fn *new_error;
    OSSL_FUNC_core_set_error_debug_fn *set_error_debug;
    OSSL_FUNC_core_vset_error_fn *vset_error;
    OSSL_FUNC_core_set_error_mark_fn *set_error_mark;
    OSSL_FUNC_core_pop_error_to_mark_fn *pop_error_to_mark;
    OSSL_FUNC_core_clear_last_error_mark_fn *clear_last_error_mark;
    OSSL_FUNC_core_get_libctx_fn *get_libctx; /* may be NULL, as the next */
    OSSL_FUNC_self_test_cb_fn *self_test_callback;

    _Atomic(struct bm_digest_impl *)
        digests[BM_NUM_DIGESTS]; /* digest.c: its cache, by table row */
    _Atomic(bm_loan *) loan;     /* lend.c: made on first use */
    atomic_uint_fast64_t counters[BM_NUM_COUNTERS];
} bm_provider;

/* Counts one operation. */
static inline void
bm_count(bm_provider *prov, bm_counter which)
{
    atomic_fetch_add_explicit(&prov->counters[which], 1, memory_order_relaxed);
}

/* ---- errors (error.c) ----------------------------------------------------------------------- */

/* Reasons; their strings are in error.c. */
typedef enum bm_reason {
    BM_R_NONE,
    BM_R_UNKNOWN_KERNELS,
    BM_R_KERNELS_NOT_AVAILABLE,
    BM_R_CORE_FUNCTION_MISSING,
    BM_R_OUT_OF_MEMORY,
    BM_R_NO_KEY,
    BM_R_NO_PRIVATE_KEY,
    BM_R_BAD_PARAMETER,
    BM_R_BAD_MODULUS,
    BM_R_MODULUS_TOO_LARGE,
    BM_R_BAD_PUBLIC_EXPONENT,
    BM_R_BAD_PRIVATE_KEY,
    BM_R_INCONSISTENT_KEY,
    BM_R_KEY_SIZE_TOO_SMALL,
    BM_R_KEYGEN_FAILED,
    BM_R_NO_RANDOM,
    BM_R_BAD_DIGEST,
    BM_R_DIGEST_NOT_ALLOWED,
    BM_R_DIGEST_FAILED,
    BM_R_BAD_DIGEST_LENGTH,
    BM_R_BAD_PADDING_MODE,
    BM_R_BAD_MGF1,
    BM_R_BAD_SALT_LENGTH,
    BM_R_SALT_LENGTH_TOO_SMALL,
    BM_R_BAD_SIGNATURE,
    BM_R_BAD_SIGNATURE_LENGTH,
    BM_R_BUFFER_TOO_SMALL,
    BM_R_DATA_TOO_LARGE,
    BM_R_DATA_TOO_SMALL,
    BM_R_DECRYPTION_FAILED,
    BM_R_BAD_OPERATION,
    BM_R_NOT_SUPPORTED,
    BM_R_WRONG_KEY_TYPE,
    BM_R_BAD_ENCODING,
    BM_R_KEY_MISMATCH,
    BM_R_BAD_KEY_LENGTH,
    BM_R_BAD_CONTEXT_STRING,
    BM_R_SELF_TEST_FAILED,
} bm_reason;

/* The table for the core's get_reason_strings. */
extern const OSSL_ITEM bm_reason_strings[];

/* Puts an error on the caller's queue; fmt may be NULL. Use bm_raise(). */
void bm_error(const bm_provider *prov, const char *file, int line, const char *func,
              bm_reason reason, const char *fmt, ...) __attribute__((format(printf, 6, 7)));

/* bm_raise(prov, reason, fmt or NULL, ...): the error, and where it happened. */
#define bm_raise(prov, ...) bm_error((prov), __FILE__, __LINE__, __func__, __VA_ARGS__)

/* ---- self test (self_test.c) ---------------------------------------------------------------- */

/*
 * Runs the known-answer tests of a set, with an OSSL_SELF_TEST event each for the application's
 * callback. False: one failed, and a line on stderr says which.
 */
bool bm_self_test_kernels(const bm_provider *prov, const bm_kernels *set);

/* ---- memory --------------------------------------------------------------------------------- */

/* num limbs of zeros, or NULL with an error raised. Wipe and free with bm_limbs_free(). */
bm_limb *bm_limbs_new(const bm_provider *prov, size_t num);
void bm_limbs_free(bm_limb *limbs, size_t num);

/*
 * The same for scratch: not set to zero, and wiped only where it held secrets. Both passes over it
 * would take as long as a verification.
 */
bm_limb *bm_scratch_new(const bm_provider *prov, size_t num);
void bm_scratch_free(bm_limb *scratch, size_t num, bool secret);

/* ---- digests (digest.c) --------------------------------------------------------------------- */

/* What RSA knows about a digest. */
typedef struct bm_digest_info {
    const char *names;    /* separated by ':'; the first one is what we answer with */
    int nid;              /* of libcrypto */
    size_t len;           /* bytes */
    const char *oid;      /* content octets for the DigestInfo */
    uint8_t oid_len;      /* 0: no DigestInfo (MD5-SHA1) */
    uint8_t x931_id;      /* the first byte of ISO 10118's trailer, or 0 */
    bool pss_restriction; /* may stand in the parameters of an RSA-PSS key */
} bm_digest_info;

enum { BM_DIGEST_NAME_MAX = 50, BM_DIGEST_PREFIX_MAX = 32 };

/* A digest in use. md NULL: none. */
typedef struct bm_digest {
    EVP_MD *md;
    const bm_digest_info *info;    /* never NULL when md is not */
    char name[BM_DIGEST_NAME_MAX]; /* as the caller spelled it */
} bm_digest;

/*
 * Sets *d to the digest of that name, releasing what it held. From the cache of the context where
 * propq is NULL or empty, and fetched in its library context otherwise. False, with an error raised
 * and *d as it was: it cannot be had, or RSA does not sign with it.
 */
bool bm_digest_set(bm_digest *d, bm_provider *prov, const char *name, const char *propq);
void bm_digest_clear(bm_digest *d);

/*
 * The property query for digests that follows from one for our operations: NULL where that only
 * says "provider=bigmod" (or "?provider=bigmod"), which no digest could satisfy; else the same.
 */
const char *bm_digest_propq(const char *propq);

/* dst is uninitialised memory. */
void bm_digest_copy(bm_digest *dst, const bm_digest *src);

/* The row that has this name or libcrypto nid, or NULL. */
const bm_digest_info *bm_digest_find_name(const char *name);
const bm_digest_info *bm_digest_find_nid(int nid);
/* The first of info's names, to out. */
void bm_digest_first_name(const bm_digest_info *info, char out[BM_DIGEST_NAME_MAX]);

/* The DigestInfo up to the digest (RFC 8017 9.2 note 1) to out; its length. */
size_t bm_digest_prefix(const bm_digest_info *info, uint8_t out[BM_DIGEST_PREFIX_MAX]);

/*
 * A hash function for the core: the implementation behind an EVP_MD, with a context of its own. It
 * is called without EVP between, which would allocate at each start (libcrypto 3.0). Set in an init
 * function, used in operations of one thread at a time.
 */
typedef struct bm_hasher {
    bm_hash hash; /* pass &hasher.hash to the core */
    EVP_MD *md;   /* borrowed from impl */
    const struct bm_digest_impl *impl;
    struct bm_digest_impl *own; /* impl, where it is not in the cache */
    void *ctx;                  /* of the implementation */
} bm_hasher;

/* *h is zero or was set before. The hasher points to itself: do not move it. False: error raised.
 */
bool bm_hasher_set(bm_hasher *h, const bm_provider *prov, EVP_MD *md);
void bm_hasher_clear(bm_hasher *h);

/* Empties the cache of digests, at teardown. */
void bm_digest_cache_free(bm_provider *prov);

/*
 * The digest of that number of libcrypto's for internal use (SHA-256 of implicit rejection, SHA-512
 * of Ed25519), from the cache of the context: borrowed, lives as long as the context. NULL: error
 * raised.
 */
EVP_MD *bm_digest_borrow(bm_provider *prov, int nid);

/* ---- random bytes (random.c)
 * --------------------------------------------------------------------- */

/* Private (for secrets) and public (salts) random bytes of the context's library context. */
bm_random bm_random_private(bm_provider *prov);
bm_random bm_random_public(bm_provider *prov);

/* ---- what the other files offer
 * ------------------------------------------------------------------- */

extern const OSSL_DISPATCH bm_keymgmt_ed25519[];
extern const OSSL_DISPATCH bm_signature_ed25519[];
extern const OSSL_DISPATCH bm_signature_ed25519ph[];
extern const OSSL_DISPATCH bm_signature_ed25519ctx[];
extern const OSSL_DISPATCH bm_keymgmt_rsa[];
extern const OSSL_DISPATCH bm_keymgmt_rsa_pss[];
extern const OSSL_DISPATCH bm_signature_rsa[];
extern const OSSL_DISPATCH bm_asym_cipher_rsa[];
extern const OSSL_DISPATCH bm_kem_rsa[];

#endif
