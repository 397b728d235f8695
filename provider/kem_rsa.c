/*
 * Key encapsulation RSASVE (SP 800-56B Rev. 2, section 7.2.1): a random z, and z^e mod n. Between
 * the core's rsa.c and EVP_PKEY_encapsulate.
 */
#include "rsa_key.h"

#include <string.h>
#include <strings.h>

typedef struct kem_ctx {
    bm_provider *prov;
    bm_rsa_key *key;
    /* Memory of an operation, allocated by init: num limbs each of x, z and n - 1; k bytes. */
    bm_limb *memory;
    size_t memory_limbs;
    bm_limb *x, *z, *limit, *scratch;
    uint8_t *bytes;
} kem_ctx;

static void *
newctx(void *provctx)
{
    kem_ctx *ctx = OPENSSL_zalloc(sizeof(*ctx));

    if (ctx == NULL)
        bm_raise(provctx, BM_R_OUT_OF_MEMORY, NULL);
    else
        ctx->prov = provctx;
    return ctx;
}

static void
freectx(void *vctx)
{
    kem_ctx *ctx = vctx;

    if (ctx == NULL)
        return;
    bm_limbs_free(ctx->memory, ctx->memory_limbs);
    bm_rsa_key_free(ctx->key);
    OPENSSL_free(ctx);
}

/* Memory for operations with ctx->key; a key that cannot be used gets none. */
static bool
allocate(kem_ctx *ctx)
{
    const bm_rsa_key *key = ctx->key;
    size_t num;

    bm_limbs_free(ctx->memory, ctx->memory_limbs);
    ctx->memory = NULL;
    ctx->memory_limbs = 0;
    if (!key->has_pub)
        return true;
    num = key->pub.n.num;
    ctx->memory = bm_limbs_new(ctx->prov, 4 * num + key->scratch_limbs);
    if (ctx->memory == NULL)
        return false;
    ctx->memory_limbs = 4 * num + key->scratch_limbs;
    ctx->x = ctx->memory;
    ctx->z = ctx->x + num;
    ctx->limit = ctx->z + num;
    ctx->bytes = (uint8_t *)(ctx->limit + num);
    ctx->scratch = ctx->limit + 2 * num;
    return true;
}

static int
set_ctx_params(void *vctx, const OSSL_PARAM params[])
{
    kem_ctx *ctx = vctx;
    const OSSL_PARAM *p;
    const char *name;

    if (ctx == NULL)
        return 0;
    p = params == NULL ? NULL : OSSL_PARAM_locate_const(params, OSSL_KEM_PARAM_OPERATION);
    if (p == NULL)
        return 1;
    if (!OSSL_PARAM_get_utf8_string_ptr(p, &name) || name == NULL)
        return 0;
    if (strcasecmp(name, OSSL_KEM_PARAM_OPERATION_RSASVE) != 0) {
        bm_raise(ctx->prov, BM_R_BAD_OPERATION, "%s; known: RSASVE", name);
        return 0;
    }
    return 1;
}

static const OSSL_PARAM *
settable_ctx_params(void *vctx, void *provctx)
{
    static const OSSL_PARAM params[] = {
        OSSL_PARAM_utf8_string(OSSL_KEM_PARAM_OPERATION, NULL, 0),
        OSSL_PARAM_END,
    };

    (void)vctx;
    (void)provctx;
    return params;
}

static int
get_ctx_params(void *vctx, OSSL_PARAM params[])
{
    (void)params;
    return vctx != NULL;
}

static const OSSL_PARAM *
gettable_ctx_params(void *vctx, void *provctx)
{
    static const OSSL_PARAM params[] = {OSSL_PARAM_END};

    (void)vctx;
    (void)provctx;
    return params;
}

static int
init(void *vctx, void *vkey, const OSSL_PARAM params[])
{
    kem_ctx *ctx = vctx;
    bm_rsa_key *key = vkey;

    if (ctx == NULL)
        return 0;
    if (key == NULL) {
        bm_raise(ctx->prov, BM_R_NO_KEY, NULL);
        return 0;
    }
    if (key->is_pss) {
        bm_raise(ctx->prov, BM_R_WRONG_KEY_TYPE, "an RSA-PSS key only signs");
        return 0;
    }
    if (!bm_rsa_key_up_ref(key))
        return 0;
    bm_rsa_key_free(ctx->key);
    ctx->key = key;
    return allocate(ctx) && set_ctx_params(ctx, params);
}

static void *
dupctx(void *vctx)
{
    const kem_ctx *src = vctx;
    kem_ctx *dst = newctx(src->prov);

    if (dst == NULL || src->key == NULL)
        return dst;
    if (!bm_rsa_key_up_ref(src->key)) {
        freectx(dst);
        return NULL;
    }
    dst->key = src->key;
    if (!allocate(dst)) {
        freectx(dst);
        return NULL;
    }
    return dst;
}

/* Sets ctx->limit = n - 1. */
static void
set_limit(kem_ctx *ctx)
{
    const bm_modulus *n = &ctx->key->pub.n;

    memset(ctx->x, 0, n->num * sizeof(bm_limb));
    ctx->x[0] = 1;
    (void)bm_sub(ctx->limit, n->m, ctx->x, n->num);
}

/* 1 < x < n - 1 (section 7.2.1.2, step 1; 7.2.1.3, step 1). */
static bm_mask
in_range(const kem_ctx *ctx, const bm_limb *x)
{
    size_t num = ctx->key->pub.n.num;
    bm_mask small = bm_mask_or(bm_is_zero(x, num), bm_is_one(x, num));

    return bm_mask_and(bm_mask_not(small), bm_lt(x, ctx->limit, num));
}

enum { MAX_DRAWS = 128 }; /* each is in range with probability 1/2 or more */

/* x uniform in 1 < x < n - 1; false: the random source failed, or is stuck. */
static bool
draw(kem_ctx *ctx)
{
    const bm_random random = bm_random_private(ctx->prov);
    const bm_rsa_key *key = ctx->key;
    const uint8_t top = (uint8_t)(0xFF >> (8 * key->k - key->bits));

    set_limit(ctx);
    for (int i = 0; i < MAX_DRAWS; i++) {
        if (!random.fill(random.arg, ctx->bytes, key->k))
            return false;
        ctx->bytes[0] &= top;
        if (bm_decode(ctx->x, key->pub.n.num, ctx->bytes, key->k) &&
            bm_declassify(in_range(ctx, ctx->x), "a draw that is not used tells nothing"))
            return true;
    }
    return false;
}

static int
encapsulate(void *vctx, unsigned char *out, size_t *out_len, unsigned char *secret,
            size_t *secret_len)
{
    kem_ctx *ctx = vctx;
    const bm_rsa_key *key = ctx->key;
    size_t k;

    if (key == NULL || !bm_rsa_key_can_public(key))
        return 0;
    k = key->k;
    if (out == NULL) {
        if (out_len == NULL && secret_len == NULL)
            return 0;
        if (out_len != NULL)
            *out_len = k;
        if (secret_len != NULL)
            *secret_len = k;
        return 1;
    }
    if (secret == NULL || (out_len != NULL && *out_len < k) ||
        (secret_len != NULL && *secret_len < k)) {
        bm_raise(ctx->prov, BM_R_BUFFER_TOO_SMALL, NULL);
        return 0;
    }
    if (!draw(ctx)) {
        bm_wipe(ctx->memory, ctx->memory_limbs * sizeof(bm_limb));
        bm_raise(ctx->prov, BM_R_NO_RANDOM, NULL);
        return 0;
    }
    bm_encode(secret, k, ctx->x, key->pub.n.num);
    bm_rsa_public_op(ctx->z, ctx->x, &key->pub, ctx->scratch);
    bm_encode(out, k, ctx->z, key->pub.n.num);
    if (out_len != NULL)
        *out_len = k;
    if (secret_len != NULL)
        *secret_len = k;
    bm_wipe(ctx->memory, ctx->memory_limbs * sizeof(bm_limb));
    bm_count(ctx->prov, BM_COUNT_RSA_ENCAPSULATE);
    return 1;
}

static int
decapsulate(void *vctx, unsigned char *out, size_t *out_len, const unsigned char *in, size_t in_len)
{
    kem_ctx *ctx = vctx;
    const bm_rsa_key *key = ctx->key;
    bool ok;

    if (key == NULL || !bm_rsa_key_can_private(key))
        return 0;
    if (out == NULL) {
        *out_len = key->k;
        return 1;
    }
    if (out_len != NULL && *out_len < key->k) {
        bm_raise(ctx->prov, BM_R_BUFFER_TOO_SMALL, NULL);
        return 0;
    }
    set_limit(ctx);
    if (in_len != key->k || !bm_decode(ctx->x, key->pub.n.num, in, in_len) ||
        !bm_declassify(in_range(ctx, ctx->x), "the ciphertext is public")) {
        bm_raise(ctx->prov, BM_R_DECRYPTION_FAILED, "no ciphertext of RSASVE");
        return 0;
    }
    ok = bm_rsa_private_op(ctx->z, ctx->x, &key->priv, ctx->scratch);
    if (ok) {
        bm_encode(out, key->k, ctx->z, key->pub.n.num);
        if (out_len != NULL)
            *out_len = key->k;
        bm_count(ctx->prov, BM_COUNT_RSA_DECAPSULATE);
    } else {
        bm_raise(ctx->prov, BM_R_INCONSISTENT_KEY, NULL);
    }
    bm_wipe(ctx->memory, ctx->memory_limbs * sizeof(bm_limb));
    return ok;
}

const OSSL_DISPATCH bm_kem_rsa[] = {
    {OSSL_FUNC_KEM_NEWCTX, (void (*)(void))newctx},
    {OSSL_FUNC_KEM_FREECTX, (void (*)(void))freectx},
    {OSSL_FUNC_KEM_DUPCTX, (void (*)(void))dupctx},
    {OSSL_FUNC_KEM_ENCAPSULATE_INIT, (void (*)(void))init},
    {OSSL_FUNC_KEM_ENCAPSULATE, (void (*)(void))encapsulate},
    {OSSL_FUNC_KEM_DECAPSULATE_INIT, (void (*)(void))init},
    {OSSL_FUNC_KEM_DECAPSULATE, (void (*)(void))decapsulate},
    {OSSL_FUNC_KEM_GET_CTX_PARAMS, (void (*)(void))get_ctx_params},
    {OSSL_FUNC_KEM_GETTABLE_CTX_PARAMS, (void (*)(void))gettable_ctx_params},
    {OSSL_FUNC_KEM_SET_CTX_PARAMS, (void (*)(void))set_ctx_params},
    {OSSL_FUNC_KEM_SETTABLE_CTX_PARAMS, (void (*)(void))settable_ctx_params},
    {0, NULL},
};
