/*
 * Ed25519 (RFC 8032): key expansion, signing, verification. Hashes come from the caller (hash.h):
 * `sha512` is SHA-512. Verification is cofactorless, with the byte compare of R that OpenSSL does.
 */
#ifndef BM_ED25519_H
#define BM_ED25519_H

#include "hash.h"

struct bm_kernels;

enum { BM_ED25519_KEY_LEN = 32, BM_ED25519_SIGNATURE_LEN = 64 };

/* The three instances of RFC 8032 5.1; ctx and ph prefix what is hashed with dom2(). */
typedef enum bm_ed25519_instance {
    BM_ED25519_PURE,
    BM_ED25519_CTX,
    BM_ED25519_PH
} bm_ed25519_instance;

/* dom2's content. context: at most 255 bytes; empty for PURE, at least 1 byte for CTX. */
typedef struct bm_ed25519_mode {
    bm_ed25519_instance instance;
    bm_bytes context;
} bm_ed25519_mode;

/* A private key, expanded once: the clamped scalar, the prefix and the public key. Secret but for
 * it. */
typedef struct bm_ed25519_secret {
    uint8_t scalar[32]; /* little-endian, clamped */
    uint8_t prefix[32];
    uint8_t public_key[BM_ED25519_KEY_LEN];
    bm_limb seal; /* a checksum of the above, which each signature proves (FAILURES.md row 62) */
} bm_ed25519_secret;

enum { BM_ED25519_TABLE_LIMBS = 640 };

/*
 * A public key, decoded once, with room for multiples of -A in the representation of the kernels
 * that made it: 5 KB. A plain value: copied, compared by `bytes`, forgotten without a function.
 */
typedef struct bm_ed25519_public {
    const struct bm_kernels *kernels;
    uint8_t bytes[BM_ED25519_KEY_LEN];
    bool valid; /* bytes decode to a point; if not, every verification fails */
    bm_limb table[BM_ED25519_TABLE_LIMBS];
} bm_ed25519_public;

/* Expands a seed and derives A. False: the hash failed, or a fault was seen; *secret is zero. */
bool bm_ed25519_expand(bm_ed25519_secret *secret, const struct bm_kernels *kernels,
                       const uint8_t seed[BM_ED25519_KEY_LEN], const bm_hash *sha512);

/*
 * Decodes A (never fails: see `valid`) and prepares its multiples: half or more of the work of the
 * first verification, saved in every later one. Who may never verify calls it when the first
 * verification comes. Public.
 */
void bm_ed25519_public_init(bm_ed25519_public *pub, const struct bm_kernels *kernels,
                            const uint8_t bytes[BM_ED25519_KEY_LEN]);

/*
 * Signs. message is M, for PH the 64 bytes PH(M). Deterministic (RFC 8032 5.1.6); the message is
 * hashed four times: each hash twice, for a faulty computation releases no signature (ed25519.c
 * says how; FAILURES.md row 62). False with a zero signature: the hash failed, bad mode, or a fault
 * was seen.
 */
bool bm_ed25519_sign(uint8_t signature[BM_ED25519_SIGNATURE_LEN], const bm_ed25519_secret *secret,
                     const struct bm_kernels *kernels, const bm_ed25519_mode *mode,
                     bm_bytes message, const bm_hash *sha512);

/* True when the signature is valid. Everything here is public; time depends on it. */
bool bm_ed25519_verify(const uint8_t signature[BM_ED25519_SIGNATURE_LEN],
                       const bm_ed25519_public *pub, const bm_ed25519_mode *mode, bm_bytes message,
                       const bm_hash *sha512);

/* One of n signatures; `valid` is the verdict, always equal to bm_ed25519_verify's. */
typedef struct bm_ed25519_batch_item {
    const uint8_t *signature; /* 64 bytes */
    const bm_ed25519_public *pub;
    bm_bytes message;
    bool valid;
} bm_ed25519_batch_item;

/*
 * Verifies n signatures of one mode, several at once where the kernels can; keys may differ, their
 * kernels not. Each verdict is computed for itself, without an equation over the batch. True: all
 * are valid.
 */
bool bm_ed25519_verify_batch(bm_ed25519_batch_item *items, size_t n, const bm_ed25519_mode *mode,
                             const bm_hash *sha512);

#endif
