/*
 * What the files of RSA signatures share: the context of signature_rsa.c, which signature_rsa_id.c
 * (algorithm identifiers) and signature_rsa_message.c (the algorithms of libcrypto 3.4) use.
 */
#ifndef BM_SIGNATURE_RSA_H
#define BM_SIGNATURE_RSA_H

#include "rsa_key.h"

/* A bit of `operation` beside EVP_PKEY_OP_*: sign or verify a message, not a digest. */
#define BM_OP_MESSAGE (1 << 30)

typedef struct bm_signature_rsa_ctx {
    bm_provider *prov;
    char *propq; /* for digests, as the application gave it */
    bm_rsa_key *key;
    int operation;     /* EVP_PKEY_OP_* of the init function */
    int pad_mode;      /* RSA_*_PADDING */
    bool digest_fixed; /* a message is being hashed: the digest may not change */
    bool composite;    /* the algorithm's name fixed digest and padding */
    bool mgf1_set;     /* MGF1's digest was given; it does not follow `digest` */
    bm_digest digest, mgf1_digest;
    int salt_len;     /* bytes, or one of the words (negative) */
    int min_salt_len; /* that a restricted key asks for; -1: none */
    uint8_t prefix[BM_DIGEST_PREFIX_MAX];
    size_t prefix_len; /* of digest's DigestInfo */

    EVP_MD_CTX *md_ctx;            /* of digest-sign, digest-verify and messages */
    bm_hasher hasher, mgf1_hasher; /* of PSS; mgf1_hasher where MGF1 has another digest */

    /* in `memory`: n.num limbs each, then the core's scratch */
    bm_limb *memory;
    size_t memory_limbs;
    bool memory_secret; /* a private operation may have used it */
    bm_limb *x, *z, *scratch;
    uint8_t *em, *salt;

    uint8_t *signature; /* to verify at the end of a message; NULL: none given yet */
    size_t signature_len;
} bm_signature_rsa_ctx;

void *bm_signature_rsa_newctx(void *provctx, const char *propq);
void bm_signature_rsa_freectx(void *ctx);
void *bm_signature_rsa_dupctx(void *ctx);
int bm_signature_rsa_set_ctx_params(void *ctx, const OSSL_PARAM params[]);
int bm_signature_rsa_get_ctx_params(void *ctx, OSSL_PARAM params[]);
const OSSL_PARAM *bm_signature_rsa_gettable_ctx_params(void *ctx, void *provctx);
int bm_signature_rsa_sign_init(void *ctx, void *key, const OSSL_PARAM params[]);
int bm_signature_rsa_verify_init(void *ctx, void *key, const OSSL_PARAM params[]);
int bm_signature_rsa_verify_recover_init(void *ctx, void *key, const OSSL_PARAM params[]);
int bm_signature_rsa_verify_recover(void *ctx, unsigned char *out, size_t *out_len, size_t size,
                                    const unsigned char *signature, size_t signature_len);

/* Sets the digest of a new context for good; it signs with PKCS#1 v1.5. False: error raised. */
bool bm_signature_rsa_fix_digest(bm_signature_rsa_ctx *ctx, const char *name);

/* Takes the key (NULL: keeps the one it has) and starts an operation. False: error raised. */
bool bm_signature_rsa_init(bm_signature_rsa_ctx *ctx, bm_rsa_key *key, const OSSL_PARAM params[],
                           int operation);

/*
 * Sign and verify what stands to be signed: a digest of ctx->digest, or anything if there is none.
 * False: error raised, nothing written.
 */
bool bm_signature_rsa_sign(bm_signature_rsa_ctx *ctx, unsigned char *signature,
                           size_t *signature_len, size_t size, const unsigned char *tbs,
                           size_t tbs_len);
bool bm_signature_rsa_verify(bm_signature_rsa_ctx *ctx, const unsigned char *signature,
                             size_t signature_len, const unsigned char *tbs, size_t tbs_len);

/* Hashing a message: start, update, finish. */
bool bm_signature_rsa_start_digest(bm_signature_rsa_ctx *ctx, const OSSL_PARAM params[]);
int bm_signature_rsa_update(void *ctx, const unsigned char *data, size_t len);
bool bm_signature_rsa_finish_digest(bm_signature_rsa_ctx *ctx, uint8_t digest[EVP_MAX_MD_SIZE]);
int bm_signature_rsa_sign_final(void *ctx, unsigned char *signature, size_t *signature_len,
                                size_t size);

/* p = DER of the AlgorithmIdentifier of what ctx signs; false: there is none. (signature_rsa_id.c)
 */
bool bm_signature_rsa_answer_algorithm_id(const bm_signature_rsa_ctx *ctx, OSSL_PARAM *p);

#endif
