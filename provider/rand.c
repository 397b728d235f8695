/*
 * The lent RAND: CTR-DRBG of the default provider, through bigmod's own library context, where no
 * other provider of the application offers one (lend.h). Every instance is a view of the calling
 * thread's generator there, which libcrypto seeds, reseeds and separates after a fork.
 */
#include "lend.h"

#include <openssl/evp.h>
#include <openssl/rand.h>

enum { MAX_REQUEST = 1 << 16, STRENGTH = 256 };

typedef struct rand_ctx {
    bm_provider *prov;
    int state; /* EVP_RAND_STATE_* */
} rand_ctx;

static void *
newctx(void *provctx, void *parent, const OSSL_DISPATCH *parent_functions)
{
    rand_ctx *ctx = OPENSSL_zalloc(sizeof(*ctx));

    (void)parent; /* the generator that we lend has a parent of its own */
    (void)parent_functions;
    if (ctx == NULL) {
        bm_raise(provctx, BM_R_OUT_OF_MEMORY, NULL);
        return NULL;
    }
    ctx->prov = provctx;
    ctx->state = EVP_RAND_STATE_UNINITIALISED;
    return ctx;
}

static void
freectx(void *vctx)
{
    OPENSSL_free(vctx);
}

/* The generator of this thread, or NULL with an error raised. */
static EVP_RAND_CTX *
generator(const rand_ctx *ctx)
{
    OSSL_LIB_CTX *libctx = bm_lend_libctx(ctx->prov);
    EVP_RAND_CTX *drbg = libctx == NULL ? NULL : RAND_get0_private(libctx);

    if (drbg == NULL)
        bm_raise(ctx->prov, BM_R_NO_RANDOM, NULL);
    return drbg;
}

static int
instantiate(void *vctx, unsigned strength, int prediction_resistance, const unsigned char *pstr,
            size_t pstr_len, const OSSL_PARAM params[])
{
    rand_ctx *ctx = vctx;

    (void)prediction_resistance;
    (void)pstr;
    (void)pstr_len;
    (void)params; /* cipher and reseeding are those of the generator that we lend */
    if (strength > STRENGTH || generator(ctx) == NULL) {
        ctx->state = EVP_RAND_STATE_ERROR;
        return 0;
    }
    ctx->state = EVP_RAND_STATE_READY;
    return 1;
}

static int
uninstantiate(void *vctx)
{
    rand_ctx *ctx = vctx;

    ctx->state = EVP_RAND_STATE_UNINITIALISED;
    return 1;
}

static int
generate(void *vctx, unsigned char *out, size_t out_len, unsigned strength,
         int prediction_resistance, const unsigned char *additional, size_t additional_len)
{
    rand_ctx *ctx = vctx;
    EVP_RAND_CTX *drbg;

    if (ctx->state != EVP_RAND_STATE_READY || strength > STRENGTH)
        return 0;
    drbg = generator(ctx);
    return drbg != NULL && EVP_RAND_generate(drbg, out, out_len, strength, prediction_resistance,
                                             additional, additional_len);
}

static int
reseed(void *vctx, int prediction_resistance, const unsigned char *entropy, size_t entropy_len,
       const unsigned char *additional, size_t additional_len)
{
    rand_ctx *ctx = vctx;
    EVP_RAND_CTX *drbg;

    if (ctx->state != EVP_RAND_STATE_READY)
        return 0;
    drbg = generator(ctx);
    return drbg != NULL && EVP_RAND_reseed(drbg, prediction_resistance, entropy, entropy_len,
                                           additional, additional_len);
}

static size_t
nonce(void *vctx, unsigned char *out, unsigned strength, size_t min_len, size_t max_len)
{
    size_t len = min_len > (strength + 7) / 8 ? min_len : (strength + 7) / 8;

    if (len > max_len)
        len = max_len;
    return out == NULL || generate(vctx, out, len, strength, 0, NULL, 0) ? len : 0;
}

/* Each thread has a generator of its own: there is nothing to lock. */
static int
enable_locking(void *vctx)
{
    (void)vctx;
    return 1;
}

static int
lock(void *vctx)
{
    (void)vctx;
    return 1;
}

static void
unlock(void *vctx)
{
    (void)vctx;
}

static int
verify_zeroization(void *vctx)
{
    (void)vctx; /* an instance holds no secret */
    return 1;
}

static const OSSL_PARAM *
gettable_ctx_params(void *vctx, void *provctx)
{
    static const OSSL_PARAM params[] = {
        OSSL_PARAM_int(OSSL_RAND_PARAM_STATE, NULL),
        OSSL_PARAM_uint(OSSL_RAND_PARAM_STRENGTH, NULL),
        OSSL_PARAM_size_t(OSSL_RAND_PARAM_MAX_REQUEST, NULL),
        OSSL_PARAM_END,
    };

    (void)vctx;
    (void)provctx;
    return params;
}

static int
get_ctx_params(void *vctx, OSSL_PARAM params[])
{
    const rand_ctx *ctx = vctx;
    OSSL_PARAM *p;

    p = OSSL_PARAM_locate(params, OSSL_RAND_PARAM_STATE);
    if (p != NULL && !OSSL_PARAM_set_int(p, ctx->state))
        return 0;
    p = OSSL_PARAM_locate(params, OSSL_RAND_PARAM_STRENGTH);
    if (p != NULL && !OSSL_PARAM_set_uint(p, STRENGTH))
        return 0;
    p = OSSL_PARAM_locate(params, OSSL_RAND_PARAM_MAX_REQUEST);
    return p == NULL || OSSL_PARAM_set_size_t(p, MAX_REQUEST);
}

static const OSSL_DISPATCH functions[] = {
    {OSSL_FUNC_RAND_NEWCTX, (void (*)(void))newctx},
    {OSSL_FUNC_RAND_FREECTX, (void (*)(void))freectx},
    {OSSL_FUNC_RAND_INSTANTIATE, (void (*)(void))instantiate},
    {OSSL_FUNC_RAND_UNINSTANTIATE, (void (*)(void))uninstantiate},
    {OSSL_FUNC_RAND_GENERATE, (void (*)(void))generate},
    {OSSL_FUNC_RAND_RESEED, (void (*)(void))reseed},
    {OSSL_FUNC_RAND_NONCE, (void (*)(void))nonce},
    {OSSL_FUNC_RAND_ENABLE_LOCKING, (void (*)(void))enable_locking},
    {OSSL_FUNC_RAND_LOCK, (void (*)(void))lock},
    {OSSL_FUNC_RAND_UNLOCK, (void (*)(void))unlock},
    {OSSL_FUNC_RAND_VERIFY_ZEROIZATION, (void (*)(void))verify_zeroization},
    {OSSL_FUNC_RAND_GETTABLE_CTX_PARAMS, (void (*)(void))gettable_ctx_params},
    {OSSL_FUNC_RAND_GET_CTX_PARAMS, (void (*)(void))get_ctx_params},
    {0, NULL},
};

const OSSL_ALGORITHM bm_lent_rands[] = {
    {"CTR-DRBG", BM_PROPERTIES, functions, "random bytes that bigmod lends"},
    {NULL, NULL, NULL, NULL},
};
