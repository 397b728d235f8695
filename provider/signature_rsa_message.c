/*
 * RSA signatures by algorithms that name their digest, RSA-SHA2-256 and the like: PKCS#1 v1.5 over
 * a message in pieces or a digest. libcrypto has them since 3.4; with older headers this file is
 * empty.
 */
#include "signature_rsa.h"
#include "signature_rsa_message.h"

#ifdef OSSL_FUNC_SIGNATURE_SIGN_MESSAGE_INIT

#include <openssl/rsa.h>

/* A context whose digest is set for good. */
static void *
newctx(void *provctx, const char *propq, const char *digest)
{
    bm_signature_rsa_ctx *ctx = bm_signature_rsa_newctx(provctx, propq);

    if (ctx != NULL && !bm_signature_rsa_fix_digest(ctx, digest)) {
        bm_signature_rsa_freectx(ctx);
        ctx = NULL;
    }
    return ctx;
}

static int
message_init(void *vctx, void *key, const OSSL_PARAM params[], int operation)
{
    bm_signature_rsa_ctx *ctx = vctx;

    return bm_signature_rsa_init(ctx, key, params, operation | BM_OP_MESSAGE) &&
           bm_signature_rsa_start_digest(ctx, NULL);
}

static int
sign_message_init(void *vctx, void *key, const OSSL_PARAM params[])
{
    return message_init(vctx, key, params, EVP_PKEY_OP_SIGN);
}

static int
verify_message_init(void *vctx, void *key, const OSSL_PARAM params[])
{
    return message_init(vctx, key, params, EVP_PKEY_OP_VERIFY);
}

/* One call: a digest, or after a message init the message. */
static int
sign(void *vctx, unsigned char *signature, size_t *signature_len, size_t size,
     const unsigned char *tbs, size_t tbs_len)
{
    bm_signature_rsa_ctx *ctx = vctx;

    if ((ctx->operation & BM_OP_MESSAGE) == 0)
        return bm_signature_rsa_sign(ctx, signature, signature_len, size, tbs, tbs_len);
    return (signature == NULL || bm_signature_rsa_update(ctx, tbs, tbs_len)) &&
           bm_signature_rsa_sign_final(ctx, signature, signature_len, size);
}

static bool
verify_final(bm_signature_rsa_ctx *ctx, const unsigned char *signature, size_t signature_len)
{
    uint8_t digest[EVP_MAX_MD_SIZE];

    return bm_signature_rsa_finish_digest(ctx, digest) &&
           bm_signature_rsa_verify(ctx, signature, signature_len, digest, ctx->digest.info->len);
}

static int
verify(void *vctx, const unsigned char *signature, size_t signature_len, const unsigned char *tbs,
       size_t tbs_len)
{
    bm_signature_rsa_ctx *ctx = vctx;

    if ((ctx->operation & BM_OP_MESSAGE) == 0)
        return bm_signature_rsa_verify(ctx, signature, signature_len, tbs, tbs_len);
    return bm_signature_rsa_update(ctx, tbs, tbs_len) &&
           verify_final(ctx, signature, signature_len);
}

/* At the end of a message; the signature came as a parameter. */
static int
verify_message_final(void *vctx)
{
    bm_signature_rsa_ctx *ctx = vctx;

    if (ctx->signature == NULL) {
        bm_raise(ctx->prov, BM_R_BAD_OPERATION, "no signature was given");
        return 0;
    }
    return verify_final(ctx, ctx->signature, ctx->signature_len);
}

static int
set_ctx_params(void *vctx, const OSSL_PARAM params[])
{
    bm_signature_rsa_ctx *ctx = vctx;
    const OSSL_PARAM *p = OSSL_PARAM_locate_const(params, OSSL_SIGNATURE_PARAM_SIGNATURE);
    void *signature = NULL;

    if (p != NULL) {
        if (!OSSL_PARAM_get_octet_string(p, &signature, 0, &ctx->signature_len)) {
            bm_raise(ctx->prov, BM_R_BAD_PARAMETER, "%s", p->key);
            return 0;
        }
        OPENSSL_free(ctx->signature);
        ctx->signature = signature;
    }
    return bm_signature_rsa_set_ctx_params(ctx, params);
}

static const OSSL_PARAM *
settable_ctx_params(void *vctx, void *provctx)
{
    static const OSSL_PARAM params[] = {
        OSSL_PARAM_octet_string(OSSL_SIGNATURE_PARAM_SIGNATURE, NULL, 0),
        OSSL_PARAM_END,
    };

    (void)vctx;
    (void)provctx;
    return params;
}

static const char **
query_key_types(void)
{
    static const char *types[] = {"RSA", NULL};

    return types;
}

#define ALGORITHM(names, name, digest)                                                         \
    static void *name##_newctx(void *provctx, const char *propq)                               \
    {                                                                                          \
        return newctx(provctx, propq, digest);                                                 \
    }                                                                                          \
    const OSSL_DISPATCH bm_signature_rsa_##name[] = {                                          \
        {OSSL_FUNC_SIGNATURE_NEWCTX, (void (*)(void))name##_newctx},                           \
        {OSSL_FUNC_SIGNATURE_FREECTX, (void (*)(void))bm_signature_rsa_freectx},               \
        {OSSL_FUNC_SIGNATURE_DUPCTX, (void (*)(void))bm_signature_rsa_dupctx},                 \
        {OSSL_FUNC_SIGNATURE_SIGN_INIT, (void (*)(void))bm_signature_rsa_sign_init},           \
        {OSSL_FUNC_SIGNATURE_SIGN, (void (*)(void))sign},                                      \
        {OSSL_FUNC_SIGNATURE_SIGN_MESSAGE_INIT, (void (*)(void))sign_message_init},            \
        {OSSL_FUNC_SIGNATURE_SIGN_MESSAGE_UPDATE, (void (*)(void))bm_signature_rsa_update},    \
        {OSSL_FUNC_SIGNATURE_SIGN_MESSAGE_FINAL, (void (*)(void))bm_signature_rsa_sign_final}, \
        {OSSL_FUNC_SIGNATURE_VERIFY_INIT, (void (*)(void))bm_signature_rsa_verify_init},       \
        {OSSL_FUNC_SIGNATURE_VERIFY, (void (*)(void))verify},                                  \
        {OSSL_FUNC_SIGNATURE_VERIFY_MESSAGE_INIT, (void (*)(void))verify_message_init},        \
        {OSSL_FUNC_SIGNATURE_VERIFY_MESSAGE_UPDATE, (void (*)(void))bm_signature_rsa_update},  \
        {OSSL_FUNC_SIGNATURE_VERIFY_MESSAGE_FINAL, (void (*)(void))verify_message_final},      \
        {OSSL_FUNC_SIGNATURE_VERIFY_RECOVER_INIT,                                              \
         (void (*)(void))bm_signature_rsa_verify_recover_init},                                \
        {OSSL_FUNC_SIGNATURE_VERIFY_RECOVER, (void (*)(void))bm_signature_rsa_verify_recover}, \
        {OSSL_FUNC_SIGNATURE_QUERY_KEY_TYPES, (void (*)(void))query_key_types},                \
        {OSSL_FUNC_SIGNATURE_GET_CTX_PARAMS, (void (*)(void))bm_signature_rsa_get_ctx_params}, \
        {OSSL_FUNC_SIGNATURE_GETTABLE_CTX_PARAMS,                                              \
         (void (*)(void))bm_signature_rsa_gettable_ctx_params},                                \
        {OSSL_FUNC_SIGNATURE_SET_CTX_PARAMS, (void (*)(void))set_ctx_params},                  \
        {OSSL_FUNC_SIGNATURE_SETTABLE_CTX_PARAMS, (void (*)(void))settable_ctx_params},        \
        {0, NULL},                                                                             \
    };

BM_RSA_MESSAGE_ALGORITHMS(ALGORITHM)

#endif
