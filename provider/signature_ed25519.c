/*
 * Ed25519 signatures for libcrypto: one message at once, by RFC 8032's three instances.
 * On the reading path: signature_ed25519.c -> ed25519.c -> point.c -> field25519.c.
 *
 * The instance and the context string are parameters, as libcrypto 3.2 has them, also on 3.0.
 */
#include "ed25519_key.h"

#include <string.h>
#include <strings.h>

#include <openssl/objects.h>

enum { MAX_CONTEXT = 255, PREHASH_LEN = 64 };

/* Names of parameters that libcrypto 3.0 does not have. */
#ifndef OSSL_SIGNATURE_PARAM_INSTANCE
#define OSSL_SIGNATURE_PARAM_INSTANCE "instance"
#endif
#ifndef OSSL_SIGNATURE_PARAM_CONTEXT_STRING
#define OSSL_SIGNATURE_PARAM_CONTEXT_STRING "context-string"
#endif

/* AlgorithmIdentifier {id-Ed25519}, without parameters (RFC 8410). */
static const uint8_t algorithm_id[] = {0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70};

typedef struct signature_ctx {
    bm_provider *prov;
    bm_ed25519_key *key;
    bm_ed25519_instance instance;
    bool instance_fixed; /* by the algorithm's name */
    bool prehashed;      /* the caller gives PH(M), not M */
    uint8_t context[MAX_CONTEXT];
    size_t context_len;
    bm_hasher sha512;
    uint8_t signature[BM_ED25519_SIGNATURE_LEN]; /* to verify, where it is a parameter */
    size_t signature_len;                        /* 0: none given yet */
} signature_ctx;

static void
freectx(void *vctx)
{
    signature_ctx *ctx = vctx;

    if (ctx == NULL)
        return;
    bm_hasher_clear(&ctx->sha512);
    bm_ed25519_key_free(ctx->key);
    OPENSSL_free(ctx);
}

static void *
newctx(void *provctx, const char *propq)
{
    bm_provider *prov = provctx;
    signature_ctx *ctx = OPENSSL_zalloc(sizeof(*ctx));

    (void)propq; /* the hash is fixed */
    if (ctx == NULL)
        bm_raise(prov, BM_R_OUT_OF_MEMORY, NULL);
    else
        ctx->prov = prov;
    return ctx;
}

static void *
dupctx(void *vctx)
{
    const signature_ctx *ctx = vctx;
    signature_ctx *copy = newctx(ctx->prov, NULL);

    if (copy == NULL)
        return NULL;
    *copy = *ctx;
    memset(&copy->sha512, 0, sizeof(copy->sha512));
    if (ctx->key != NULL)
        bm_ed25519_key_up_ref(ctx->key);
    if (ctx->sha512.md != NULL && !bm_hasher_set(&copy->sha512, ctx->prov, ctx->sha512.md)) {
        freectx(copy);
        return NULL;
    }
    return copy;
}

/* ---- parameters ---- */

static bool
set_instance(signature_ctx *ctx, const OSSL_PARAM *p)
{
    static const char *const names[] = {
        [BM_ED25519_PURE] = "Ed25519",
        [BM_ED25519_CTX] = "Ed25519ctx",
        [BM_ED25519_PH] = "Ed25519ph",
    };

    if (p->data_type == OSSL_PARAM_UTF8_STRING && p->data != NULL) {
        for (int i = BM_ED25519_PURE; i <= BM_ED25519_PH; i++) {
            if (strcasecmp(p->data, names[i]) != 0)
                continue;
            if (ctx->instance_fixed && ctx->instance != (bm_ed25519_instance)i)
                break;
            ctx->instance = (bm_ed25519_instance)i;
            return true;
        }
    }
    bm_raise(ctx->prov, BM_R_BAD_PARAMETER, "instance");
    return false;
}

static int
set_ctx_params(void *vctx, const OSSL_PARAM params[])
{
    signature_ctx *ctx = vctx;
    const OSSL_PARAM *p;
    void *at = ctx->context;

    if (params == NULL)
        return 1;
    p = OSSL_PARAM_locate_const(params, OSSL_SIGNATURE_PARAM_INSTANCE);
    if (p != NULL && !set_instance(ctx, p))
        return 0;
    p = OSSL_PARAM_locate_const(params, OSSL_SIGNATURE_PARAM_CONTEXT_STRING);
    if (p != NULL && !OSSL_PARAM_get_octet_string(p, &at, MAX_CONTEXT, &ctx->context_len)) {
        ctx->context_len = 0;
        bm_raise(ctx->prov, BM_R_BAD_CONTEXT_STRING, "at most 255 bytes");
        return 0;
    }
#ifdef OSSL_SIGNATURE_PARAM_SIGNATURE
    at = ctx->signature;
    p = OSSL_PARAM_locate_const(params, OSSL_SIGNATURE_PARAM_SIGNATURE);
    if (p != NULL &&
        !OSSL_PARAM_get_octet_string(p, &at, sizeof(ctx->signature), &ctx->signature_len)) {
        ctx->signature_len = 0;
        bm_raise(ctx->prov, BM_R_BAD_SIGNATURE_LENGTH, NULL);
        return 0;
    }
#endif
    return 1;
}

static const OSSL_PARAM *
settable_ctx_params(void *vctx, void *provctx)
{
    static const OSSL_PARAM params[] = {
        OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_INSTANCE, NULL, 0),
        OSSL_PARAM_octet_string(OSSL_SIGNATURE_PARAM_CONTEXT_STRING, NULL, 0),
#ifdef OSSL_SIGNATURE_PARAM_SIGNATURE
        OSSL_PARAM_octet_string(OSSL_SIGNATURE_PARAM_SIGNATURE, NULL, 0),
#endif
        OSSL_PARAM_END,
    };

    (void)vctx;
    (void)provctx;
    return params;
}

static int
get_ctx_params(void *vctx, OSSL_PARAM params[])
{
    OSSL_PARAM *p = OSSL_PARAM_locate(params, OSSL_SIGNATURE_PARAM_ALGORITHM_ID);

    (void)vctx;
    return p == NULL || OSSL_PARAM_set_octet_string(p, algorithm_id, sizeof(algorithm_id));
}

static const OSSL_PARAM *
gettable_ctx_params(void *vctx, void *provctx)
{
    static const OSSL_PARAM params[] = {
        OSSL_PARAM_octet_string(OSSL_SIGNATURE_PARAM_ALGORITHM_ID, NULL, 0),
        OSSL_PARAM_END,
    };

    (void)vctx;
    (void)provctx;
    return params;
}

/* ---- operations ---- */

static bool
init(signature_ctx *ctx, bm_ed25519_key *key, const OSSL_PARAM params[])
{
    EVP_MD *md;

    if (key == NULL && ctx->key == NULL) {
        bm_raise(ctx->prov, BM_R_NO_KEY, NULL);
        return false;
    }
    if (key != NULL) {
        bm_ed25519_key_up_ref(key);
        bm_ed25519_key_free(ctx->key);
        ctx->key = key;
    }
    if (!ctx->instance_fixed)
        ctx->instance = BM_ED25519_PURE;
    ctx->context_len = 0;
    ctx->signature_len = 0;
    if (ctx->sha512.md == NULL) {
        md = bm_digest_borrow(ctx->prov, NID_sha512);
        if (md == NULL || !bm_hasher_set(&ctx->sha512, ctx->prov, md))
            return false;
    }
    return set_ctx_params(ctx, params);
}

static int
digest_init(void *vctx, const char *digest_name, void *key, const OSSL_PARAM params[])
{
    signature_ctx *ctx = vctx;

    if (digest_name != NULL && *digest_name != '\0') {
        bm_raise(ctx->prov, BM_R_DIGEST_NOT_ALLOWED, "Ed25519 has its own: %s", digest_name);
        return 0;
    }
    return init(ctx, key, params);
}

/*
 * What the core is given: the mode and the message, which for Ed25519ph is hashed here, to
 * `prehash`. False: error raised.
 */
static bool
prepare(signature_ctx *ctx, bm_ed25519_mode *mode, bm_bytes *message, uint8_t prehash[PREHASH_LEN])
{
    if (ctx->key == NULL) {
        bm_raise(ctx->prov, BM_R_NO_KEY, NULL);
        return false;
    }
    *mode = (bm_ed25519_mode){ctx->instance, {ctx->context, ctx->context_len}};
    if (ctx->instance == BM_ED25519_CTX
            ? ctx->context_len == 0
            : ctx->instance == BM_ED25519_PURE && ctx->context_len != 0) {
        bm_raise(ctx->prov, BM_R_BAD_CONTEXT_STRING, "Ed25519ctx has one, Ed25519 has none");
        return false;
    }
    if (ctx->instance != BM_ED25519_PH)
        return true;
    if (ctx->prehashed) {
        if (message->len == PREHASH_LEN)
            return true;
        bm_raise(ctx->prov, BM_R_BAD_DIGEST_LENGTH, "%zu, not 64", message->len);
        return false;
    }
    if (!ctx->sha512.hash.digest(ctx->sha512.hash.arg, prehash, message, 1)) {
        bm_raise(ctx->prov, BM_R_DIGEST_FAILED, NULL);
        return false;
    }
    *message = (bm_bytes){prehash, PREHASH_LEN};
    return true;
}

static int
sign(void *vctx, unsigned char *signature, size_t *signature_len, size_t size,
     const unsigned char *tbs, size_t tbs_len)
{
    signature_ctx *ctx = vctx;
    bm_bytes message = {tbs, tbs_len};
    uint8_t prehash[PREHASH_LEN];
    bm_ed25519_mode mode;

    if (signature == NULL) {
        *signature_len = BM_ED25519_SIGNATURE_LEN;
        return 1;
    }
    if (size < BM_ED25519_SIGNATURE_LEN) {
        bm_raise(ctx->prov, BM_R_BUFFER_TOO_SMALL, "%zu, not 64", size);
        return 0;
    }
    if (!prepare(ctx, &mode, &message, prehash))
        return 0;
    if (!ctx->key->has_private) {
        bm_raise(ctx->prov, BM_R_NO_PRIVATE_KEY, NULL);
        return 0;
    }
    if (!bm_ed25519_sign(signature, &ctx->key->secret, ctx->prov->kernels, &mode, message,
                         &ctx->sha512.hash)) {
        bm_raise(ctx->prov, BM_R_INCONSISTENT_KEY, "a hash failed, or a fault was seen");
        return 0;
    }
    *signature_len = BM_ED25519_SIGNATURE_LEN;
    bm_count(ctx->prov, BM_COUNT_ED25519_SIGN);
    return 1;
}

static int
verify(void *vctx, const unsigned char *signature, size_t signature_len, const unsigned char *tbs,
       size_t tbs_len)
{
    signature_ctx *ctx = vctx;
    bm_bytes message = {tbs, tbs_len};
    uint8_t prehash[PREHASH_LEN];
    bm_ed25519_mode mode;
    const bm_ed25519_public *public_key;

    if (signature_len != BM_ED25519_SIGNATURE_LEN) {
        bm_raise(ctx->prov, BM_R_BAD_SIGNATURE_LENGTH, "%zu, not 64", signature_len);
        return 0;
    }
    if (!prepare(ctx, &mode, &message, prehash))
        return 0;
    if (!ctx->key->has_public) {
        bm_raise(ctx->prov, BM_R_NO_KEY, NULL);
        return 0;
    }
    public_key = bm_ed25519_key_decoded(ctx->key);
    if (public_key == NULL)
        return 0;
    if (!bm_ed25519_verify(signature, public_key, &mode, message, &ctx->sha512.hash)) {
        bm_raise(ctx->prov, BM_R_BAD_SIGNATURE, NULL);
        return 0;
    }
    bm_count(ctx->prov, BM_COUNT_ED25519_VERIFY);
    return 1;
}

#define COMMON_FUNCTIONS                                                                \
    {OSSL_FUNC_SIGNATURE_FREECTX, (void (*)(void))freectx},                             \
        {OSSL_FUNC_SIGNATURE_DUPCTX, (void (*)(void))dupctx},                           \
        {OSSL_FUNC_SIGNATURE_SET_CTX_PARAMS, (void (*)(void))set_ctx_params},           \
        {OSSL_FUNC_SIGNATURE_SETTABLE_CTX_PARAMS, (void (*)(void))settable_ctx_params}, \
        {OSSL_FUNC_SIGNATURE_GET_CTX_PARAMS, (void (*)(void))get_ctx_params},           \
    {                                                                                   \
        OSSL_FUNC_SIGNATURE_GETTABLE_CTX_PARAMS, (void (*)(void))gettable_ctx_params    \
    }

/* ---- messages and prehashes, where libcrypto's headers know them (3.4) ---- */

#ifdef OSSL_FUNC_SIGNATURE_SIGN_MESSAGE_INIT

static int
message_init(void *vctx, void *key, const OSSL_PARAM params[])
{
    signature_ctx *ctx = vctx;

    ctx->prehashed = false;
    return init(ctx, key, params);
}

/* What is signed is PH(M). */
static int
prehash_init(void *vctx, void *key, const OSSL_PARAM params[])
{
    signature_ctx *ctx = vctx;

    ctx->prehashed = true;
    return init(ctx, key, params);
}

static void *
new_instance(void *provctx, bm_ed25519_instance instance)
{
    signature_ctx *ctx = newctx(provctx, NULL);

    if (ctx != NULL) {
        ctx->instance = instance;
        ctx->instance_fixed = true;
    }
    return ctx;
}

static void *
new_ph(void *provctx, const char *propq)
{
    (void)propq;
    return new_instance(provctx, BM_ED25519_PH);
}

static void *
new_ctx(void *provctx, const char *propq)
{
    (void)propq;
    return new_instance(provctx, BM_ED25519_CTX);
}

static const char **
query_key_types(void)
{
    static const char *types[] = {"ED25519", NULL};

    return types;
}

#define MESSAGE_FUNCTIONS                                                        \
    {OSSL_FUNC_SIGNATURE_SIGN_MESSAGE_INIT, (void (*)(void))message_init},       \
        {OSSL_FUNC_SIGNATURE_SIGN, (void (*)(void))sign},                        \
        {OSSL_FUNC_SIGNATURE_VERIFY_MESSAGE_INIT, (void (*)(void))message_init}, \
        {OSSL_FUNC_SIGNATURE_VERIFY, (void (*)(void))verify},                    \
        {OSSL_FUNC_SIGNATURE_QUERY_KEY_TYPES, (void (*)(void))query_key_types},

const OSSL_DISPATCH bm_signature_ed25519ph[] = {
    {OSSL_FUNC_SIGNATURE_NEWCTX, (void (*)(void))new_ph},
    {OSSL_FUNC_SIGNATURE_SIGN_INIT, (void (*)(void))prehash_init},
    {OSSL_FUNC_SIGNATURE_VERIFY_INIT, (void (*)(void))prehash_init},
    MESSAGE_FUNCTIONS COMMON_FUNCTIONS,
    {0, NULL},
};

const OSSL_DISPATCH bm_signature_ed25519ctx[] = {
    {OSSL_FUNC_SIGNATURE_NEWCTX, (void (*)(void))new_ctx},
    MESSAGE_FUNCTIONS COMMON_FUNCTIONS,
    {0, NULL},
};

#else
#define MESSAGE_FUNCTIONS
#endif

const OSSL_DISPATCH bm_signature_ed25519[] = {
    {OSSL_FUNC_SIGNATURE_NEWCTX, (void (*)(void))newctx},
    {OSSL_FUNC_SIGNATURE_DIGEST_SIGN_INIT, (void (*)(void))digest_init},
    {OSSL_FUNC_SIGNATURE_DIGEST_SIGN, (void (*)(void))sign},
    {OSSL_FUNC_SIGNATURE_DIGEST_VERIFY_INIT, (void (*)(void))digest_init},
    {OSSL_FUNC_SIGNATURE_DIGEST_VERIFY, (void (*)(void))verify},
    MESSAGE_FUNCTIONS COMMON_FUNCTIONS,
    {0, NULL},
};
