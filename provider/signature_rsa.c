/*
 * RSA signatures for libcrypto: PKCS#1 v1.5, PSS, X9.31 and none, over digests and over messages.
 * On the reading path: signature_rsa.c -> rsa_pkcs1.c -> rsa.c -> exp.c -> montgomery.c.
 *
 * A context holds all that an operation needs (a key, digests, scratch) from its init function on;
 * an operation allocates, fetches and locks nothing.
 */
#include "signature_rsa.h"

#include <string.h>
#include <strings.h>

#include <openssl/objects.h>
#include <openssl/rsa.h>

/* ---- contexts ------------------------------------------------------------------------------- */

void *
bm_signature_rsa_newctx(void *provctx, const char *propq)
{
    bm_provider *prov = provctx;
    bm_signature_rsa_ctx *ctx = OPENSSL_zalloc(sizeof(*ctx));

    propq = bm_digest_propq(propq);
    if (ctx == NULL || (propq != NULL && (ctx->propq = OPENSSL_strdup(propq)) == NULL)) {
        OPENSSL_free(ctx);
        bm_raise(prov, BM_R_OUT_OF_MEMORY, NULL);
        return NULL;
    }
    ctx->prov = prov;
    ctx->pad_mode = RSA_PKCS1_PADDING;
    return ctx;
}

static void
free_scratch(bm_signature_rsa_ctx *ctx)
{
    bm_scratch_free(ctx->memory, ctx->memory_limbs, ctx->memory_secret);
    ctx->memory = NULL;
    ctx->memory_limbs = 0;
    ctx->memory_secret = false;
}

void
bm_signature_rsa_freectx(void *vctx)
{
    bm_signature_rsa_ctx *ctx = vctx;

    if (ctx == NULL)
        return;
    EVP_MD_CTX_free(ctx->md_ctx);
    bm_hasher_clear(&ctx->hasher);
    bm_hasher_clear(&ctx->mgf1_hasher);
    bm_digest_clear(&ctx->digest);
    bm_digest_clear(&ctx->mgf1_digest);
    free_scratch(ctx);
    bm_rsa_key_free(ctx->key);
    OPENSSL_free(ctx->signature);
    OPENSSL_free(ctx->propq);
    OPENSSL_free(ctx);
}

/* x, z, the encoded message and a salt, of n's width each, then the core's scratch. */
static bool
allocate_scratch(bm_signature_rsa_ctx *ctx)
{
    const bm_rsa_key *key = ctx->key;
    const size_t num = key->pub.n.num, total = 4 * num + key->scratch_limbs;
    const bool signs = (ctx->operation & (EVP_PKEY_OP_SIGN | EVP_PKEY_OP_SIGNCTX)) != 0;

    if (!key->has_pub)
        return true; /* an operation refuses such a key */
    if (ctx->memory != NULL && ctx->memory_limbs == total) {
        ctx->memory_secret = ctx->memory_secret || signs;
        return true;
    }
    free_scratch(ctx);
    ctx->memory_secret = signs;
    ctx->memory = bm_scratch_new(ctx->prov, total);
    if (ctx->memory == NULL)
        return false;
    ctx->memory_limbs = total;
    ctx->x = ctx->memory;
    ctx->z = ctx->x + num;
    ctx->em = (uint8_t *)(ctx->z + num);
    ctx->salt = ctx->em + num * BM_LIMB_BYTES;
    ctx->scratch = ctx->z + 3 * num;
    return true;
}

void *
bm_signature_rsa_dupctx(void *vctx)
{
    const bm_signature_rsa_ctx *ctx = vctx;
    bm_signature_rsa_ctx *copy = bm_signature_rsa_newctx(ctx->prov, ctx->propq);

    if (copy == NULL)
        return NULL;
    copy->operation = ctx->operation;
    copy->pad_mode = ctx->pad_mode;
    copy->digest_fixed = ctx->digest_fixed;
    copy->composite = ctx->composite;
    copy->mgf1_set = ctx->mgf1_set;
    copy->salt_len = ctx->salt_len;
    copy->min_salt_len = ctx->min_salt_len;
    memcpy(copy->prefix, ctx->prefix, sizeof(copy->prefix));
    copy->prefix_len = ctx->prefix_len;
    bm_digest_copy(&copy->digest, &ctx->digest);
    bm_digest_copy(&copy->mgf1_digest, &ctx->mgf1_digest);
    if (ctx->key != NULL) {
        bm_rsa_key_up_ref(ctx->key);
        copy->key = ctx->key;
        if (!allocate_scratch(copy))
            goto fail;
    }
    if (ctx->hasher.md != NULL && !bm_hasher_set(&copy->hasher, ctx->prov, ctx->hasher.md))
        goto fail;
    if (ctx->mgf1_hasher.md != NULL &&
        !bm_hasher_set(&copy->mgf1_hasher, ctx->prov, ctx->mgf1_hasher.md))
        goto fail;
    if (ctx->md_ctx != NULL) {
        copy->md_ctx = EVP_MD_CTX_new();
        if (copy->md_ctx == NULL || !EVP_MD_CTX_copy_ex(copy->md_ctx, ctx->md_ctx))
            goto fail;
    }
    if (ctx->signature != NULL) {
        copy->signature = OPENSSL_memdup(ctx->signature, ctx->signature_len);
        copy->signature_len = ctx->signature_len;
        if (copy->signature == NULL)
            goto fail;
    }
    return copy;

fail:
    bm_signature_rsa_freectx(copy);
    return NULL;
}

/* ---- digests and restrictions --------------------------------------------------------------- */

static bool
is_restricted(const bm_signature_rsa_ctx *ctx)
{
    return ctx->key != NULL && ctx->key->is_pss && ctx->key->pss.restricted;
}

/* Bits and bytes of PSS's encoded message, and the longest salt that fits; negative: none does. */
static size_t
pss_em_bits(const bm_rsa_key *key)
{
    return key->bits - 1;
}

static int
pss_max_salt(const bm_rsa_key *key, const bm_digest *digest)
{
    return (int)((pss_em_bits(key) + 7) / 8) - (int)digest->info->len - 2;
}

/* Whether this padding goes with these digests. */
static bool
check_padding(const bm_signature_rsa_ctx *ctx, int pad_mode, const bm_digest *digest,
              const bm_digest *mgf1_digest)
{
    switch (pad_mode) {
    case RSA_NO_PADDING:
        if (digest->md == NULL)
            return true;
        bm_raise(ctx->prov, BM_R_BAD_PADDING_MODE, "no padding goes without a digest");
        return false;
    case RSA_X931_PADDING:
        if (digest->md != NULL && digest->info->x931_id != 0)
            return true;
        bm_raise(ctx->prov, BM_R_DIGEST_NOT_ALLOWED, "X9.31 has no identifier for it");
        return false;
    case RSA_PKCS1_PSS_PADDING:
        if (!is_restricted(ctx) ||
            ((digest->md == NULL || digest->info == ctx->key->pss.digest) &&
             (mgf1_digest->md == NULL || mgf1_digest->info == ctx->key->pss.mgf1_digest)))
            return true;
        bm_raise(ctx->prov, BM_R_DIGEST_NOT_ALLOWED, "the RSA-PSS key asks for another digest");
        return false;
    default:
        return true;
    }
}

/* What PSS hashes with, prepared here so that no operation allocates. */
static bool
prepare_pss(bm_signature_rsa_ctx *ctx)
{
    if (ctx->pad_mode != RSA_PKCS1_PSS_PADDING || ctx->digest.md == NULL)
        return true;
    if (ctx->hasher.md != ctx->digest.md && !bm_hasher_set(&ctx->hasher, ctx->prov, ctx->digest.md))
        return false;
    if (ctx->mgf1_digest.md == ctx->digest.md || ctx->mgf1_digest.md == ctx->mgf1_hasher.md)
        return true;
    return bm_hasher_set(&ctx->mgf1_hasher, ctx->prov, ctx->mgf1_digest.md);
}

static const bm_hash *
mgf1_hash(const bm_signature_rsa_ctx *ctx)
{
    return ctx->mgf1_digest.md == ctx->digest.md ? &ctx->hasher.hash : &ctx->mgf1_hasher.hash;
}

/* Sets the digest, and MGF1's too unless it has been given. */
static bool
set_digest(bm_signature_rsa_ctx *ctx, const char *name, const char *propq)
{
    bm_digest digest = {0};

    if (!bm_digest_set(&digest, ctx->prov, name, propq))
        return false;
    if (ctx->digest_fixed && ctx->digest.md != NULL) {
        bool same = digest.info == ctx->digest.info;

        bm_digest_clear(&digest);
        if (!same)
            bm_raise(ctx->prov, BM_R_DIGEST_NOT_ALLOWED, "%s, while %s is in use", name,
                     ctx->digest.name);
        return same;
    }
    if (!check_padding(ctx, ctx->pad_mode, &digest, &(bm_digest){0})) {
        bm_digest_clear(&digest);
        return false;
    }
    bm_digest_clear(&ctx->digest);
    ctx->digest = digest;
    ctx->prefix_len = bm_digest_prefix(digest.info, ctx->prefix);
    if (!ctx->mgf1_set) {
        bm_digest_clear(&ctx->mgf1_digest);
        bm_digest_copy(&ctx->mgf1_digest, &digest);
    }
    return prepare_pss(ctx);
}

bool
bm_signature_rsa_fix_digest(bm_signature_rsa_ctx *ctx, const char *name)
{
    ctx->composite = ctx->digest_fixed = set_digest(ctx, name, ctx->propq);
    return ctx->composite;
}

static bool
set_mgf1_digest(bm_signature_rsa_ctx *ctx, const char *name, const char *propq)
{
    bm_digest digest = {0};

    if (!bm_digest_set(&digest, ctx->prov, name, propq))
        return false;
    if (!check_padding(ctx, ctx->pad_mode, &(bm_digest){0}, &digest)) {
        bm_digest_clear(&digest);
        return false;
    }
    bm_digest_clear(&ctx->mgf1_digest);
    ctx->mgf1_digest = digest;
    ctx->mgf1_set = true;
    return prepare_pss(ctx);
}

/* ---- parameters ----------------------------------------------------------------------------- */

static const struct {
    int mode;
    const char *name;
} pad_modes[] = {
    {RSA_PKCS1_PADDING, OSSL_PKEY_RSA_PAD_MODE_PKCSV15},
    {RSA_NO_PADDING, OSSL_PKEY_RSA_PAD_MODE_NONE},
    {RSA_X931_PADDING, OSSL_PKEY_RSA_PAD_MODE_X931},
    {RSA_PKCS1_PSS_PADDING, OSSL_PKEY_RSA_PAD_MODE_PSS},
};

/* The lengths of salt that are words; -4 is libcrypto 3.1's. */
enum { SALT_DIGEST = -1, SALT_AUTO = -2, SALT_MAX = -3, SALT_AUTO_DIGEST_MAX = -4 };

static const struct {
    int len;
    const char *name;
} salt_lengths[] = {
    {SALT_DIGEST, "digest"},
    {SALT_AUTO, "auto"},
    {SALT_MAX, "max"},
    {SALT_AUTO_DIGEST_MAX, "auto-digestmax"},
};

#define LENGTH_OF(array) (sizeof(array) / sizeof((array)[0]))

static bool
bad_param(const bm_signature_rsa_ctx *ctx, const OSSL_PARAM *p)
{
    bm_raise(ctx->prov, BM_R_BAD_PARAMETER, "%s", p->key);
    return false;
}

/* The text of a UTF-8 parameter; NULL, with an error raised, for any other. */
static const char *
param_text(const bm_signature_rsa_ctx *ctx, const OSSL_PARAM *p)
{
    if (p->data_type == OSSL_PARAM_UTF8_STRING && p->data != NULL)
        return p->data;
    bad_param(ctx, p);
    return NULL;
}

static bool
parse_pad_mode(const bm_signature_rsa_ctx *ctx, const OSSL_PARAM *p, int *mode)
{
    if (p->data_type == OSSL_PARAM_INTEGER)
        return OSSL_PARAM_get_int(p, mode) || bad_param(ctx, p);
    if (p->data_type != OSSL_PARAM_UTF8_STRING || p->data == NULL)
        return bad_param(ctx, p);
    for (size_t i = 0; i < LENGTH_OF(pad_modes); i++) {
        if (strcmp(p->data, pad_modes[i].name) == 0) {
            *mode = pad_modes[i].mode;
            return true;
        }
    }
    bm_raise(ctx->prov, BM_R_BAD_PADDING_MODE, "%s", (const char *)p->data);
    return false;
}

static bool
check_pad_mode(const bm_signature_rsa_ctx *ctx, int mode)
{
    const int sign_or_verify = EVP_PKEY_OP_SIGN | EVP_PKEY_OP_VERIFY | EVP_PKEY_OP_SIGNCTX |
                               EVP_PKEY_OP_VERIFYCTX | BM_OP_MESSAGE;
    const char *why = "not for signatures";

    if (mode == RSA_PKCS1_PSS_PADDING) {
        if ((ctx->operation & sign_or_verify) != 0)
            return true;
        why = "PSS goes with sign and verify only";
    } else if (mode == RSA_PKCS1_PADDING || mode == RSA_NO_PADDING || mode == RSA_X931_PADDING) {
        if (ctx->key == NULL || !ctx->key->is_pss)
            return true;
        why = "an RSA-PSS key signs with PSS only";
    }
    bm_raise(ctx->prov, BM_R_BAD_PADDING_MODE, "%s", why);
    return false;
}

static bool
parse_salt_len(const bm_signature_rsa_ctx *ctx, const OSSL_PARAM *p, int *len)
{
    char *end;
    long value;

    if (p->data_type == OSSL_PARAM_INTEGER)
        return OSSL_PARAM_get_int(p, len) || bad_param(ctx, p);
    if (p->data_type != OSSL_PARAM_UTF8_STRING || p->data == NULL)
        return bad_param(ctx, p);
    for (size_t i = 0; i < LENGTH_OF(salt_lengths); i++) {
        if (strcmp(p->data, salt_lengths[i].name) == 0) {
            *len = salt_lengths[i].len;
            return true;
        }
    }
    value = strtol(p->data, &end, 10);
    if (end == (char *)p->data || *end != '\0' || value < 0 || value > BM_RSA_MAX_BYTES) {
        bm_raise(ctx->prov, BM_R_BAD_SALT_LENGTH, "%s", (const char *)p->data);
        return false;
    }
    *len = (int)value;
    return true;
}

static bool
check_salt_len(const bm_signature_rsa_ctx *ctx, int len)
{
    const bool verifies = (ctx->operation & (EVP_PKEY_OP_VERIFY | EVP_PKEY_OP_VERIFYCTX)) != 0;
    int given = len;

    if (len < SALT_AUTO_DIGEST_MAX) {
        bm_raise(ctx->prov, BM_R_BAD_SALT_LENGTH, "%d", len);
        return false;
    }
    if (!is_restricted(ctx))
        return true;
    if ((len == SALT_AUTO || len == SALT_AUTO_DIGEST_MAX) && verifies) {
        bm_raise(ctx->prov, BM_R_BAD_SALT_LENGTH, "an RSA-PSS key that prescribes it has no auto");
        return false;
    }
    if (len == SALT_DIGEST && ctx->digest.md != NULL)
        given = (int)ctx->digest.info->len;
    if (given >= 0 && given < ctx->min_salt_len) {
        bm_raise(ctx->prov, BM_R_SALT_LENGTH_TOO_SMALL, "%d, the key asks for %d", given,
                 ctx->min_salt_len);
        return false;
    }
    return true;
}

int
bm_signature_rsa_set_ctx_params(void *vctx, const OSSL_PARAM params[])
{
    bm_signature_rsa_ctx *ctx = vctx;
    const OSSL_PARAM *digest, *digest_propq, *pad, *salt, *mgf1, *mgf1_propq;
    const char *digest_name = NULL, *digest_props = ctx->propq;
    const char *mgf1_name = NULL, *mgf1_props = ctx->propq;
    int pad_mode = ctx->pad_mode, salt_len = ctx->salt_len;

    if (params == NULL)
        return 1;
    digest = OSSL_PARAM_locate_const(params, OSSL_SIGNATURE_PARAM_DIGEST);
    digest_propq = OSSL_PARAM_locate_const(params, OSSL_SIGNATURE_PARAM_PROPERTIES);
    pad = OSSL_PARAM_locate_const(params, OSSL_SIGNATURE_PARAM_PAD_MODE);
    salt = OSSL_PARAM_locate_const(params, OSSL_SIGNATURE_PARAM_PSS_SALTLEN);
    mgf1 = OSSL_PARAM_locate_const(params, OSSL_SIGNATURE_PARAM_MGF1_DIGEST);
    mgf1_propq = OSSL_PARAM_locate_const(params, OSSL_SIGNATURE_PARAM_MGF1_PROPERTIES);

    if (ctx->composite && (digest != NULL || pad != NULL || salt != NULL || mgf1 != NULL)) {
        bm_raise(ctx->prov, BM_R_BAD_PARAMETER, "this algorithm fixes its digest and padding");
        return 0;
    }
    if (digest != NULL) {
        if ((digest_name = param_text(ctx, digest)) == NULL ||
            (digest_propq != NULL && (digest_props = param_text(ctx, digest_propq)) == NULL))
            return 0;
    }
    if (pad != NULL) {
        if (!parse_pad_mode(ctx, pad, &pad_mode) || !check_pad_mode(ctx, pad_mode))
            return 0;
    }
    if (pad_mode == RSA_PKCS1_PSS_PADDING && digest_name == NULL && ctx->digest.md == NULL)
        digest_name = "SHA1"; /* RFC 8017's default: PSS always has a digest */
    if (mgf1 != NULL) {
        if (pad_mode != RSA_PKCS1_PSS_PADDING) {
            bm_raise(ctx->prov, BM_R_BAD_MGF1, "only PSS has one");
            return 0;
        }
        if ((mgf1_name = param_text(ctx, mgf1)) == NULL ||
            (mgf1_propq != NULL && (mgf1_props = param_text(ctx, mgf1_propq)) == NULL))
            return 0;
    }
    if (salt != NULL) {
        if (pad_mode != RSA_PKCS1_PSS_PADDING) {
            bm_raise(ctx->prov, BM_R_NOT_SUPPORTED, "set PSS padding before the salt length");
            return 0;
        }
        if (!parse_salt_len(ctx, salt, &salt_len) || !check_salt_len(ctx, salt_len))
            return 0;
    }

    if (digest_name == NULL && !check_padding(ctx, pad_mode, &ctx->digest, &(bm_digest){0}))
        return 0;
    ctx->pad_mode = pad_mode;
    ctx->salt_len = salt_len;
    if (mgf1_name != NULL && !set_mgf1_digest(ctx, mgf1_name, mgf1_props))
        return 0;
    if (digest_name != NULL && !set_digest(ctx, digest_name, digest_props))
        return 0;
    return prepare_pss(ctx);
}

#define PSS_SETTABLE                                                           \
    OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_PAD_MODE, NULL, 0),            \
        OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_MGF1_DIGEST, NULL, 0),     \
        OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_MGF1_PROPERTIES, NULL, 0), \
        OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_PSS_SALTLEN, NULL, 0)

static const OSSL_PARAM *
settable_ctx_params(void *vctx, void *provctx)
{
    static const OSSL_PARAM with_digest[] = {
        OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_DIGEST, NULL, 0),
        OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_PROPERTIES, NULL, 0),
        PSS_SETTABLE,
        OSSL_PARAM_END,
    };
    static const OSSL_PARAM without_digest[] = {PSS_SETTABLE, OSSL_PARAM_END};
    const bm_signature_rsa_ctx *ctx = vctx;

    (void)provctx;
    return ctx != NULL && ctx->digest_fixed ? without_digest : with_digest;
}

static bool
answer_pad_mode(const bm_signature_rsa_ctx *ctx, OSSL_PARAM *p)
{
    if (p->data_type != OSSL_PARAM_UTF8_STRING)
        return OSSL_PARAM_set_int(p, ctx->pad_mode);
    for (size_t i = 0; i < LENGTH_OF(pad_modes); i++) {
        if (pad_modes[i].mode == ctx->pad_mode)
            return OSSL_PARAM_set_utf8_string(p, pad_modes[i].name);
    }
    return false;
}

static bool
answer_salt_len(const bm_signature_rsa_ctx *ctx, OSSL_PARAM *p)
{
    char text[16];

    if (p->data_type != OSSL_PARAM_UTF8_STRING)
        return OSSL_PARAM_set_int(p, ctx->salt_len);
    for (size_t i = 0; i < LENGTH_OF(salt_lengths); i++) {
        if (salt_lengths[i].len == ctx->salt_len)
            return OSSL_PARAM_set_utf8_string(p, salt_lengths[i].name);
    }
    snprintf(text, sizeof(text), "%d", ctx->salt_len);
    return OSSL_PARAM_set_utf8_string(p, text);
}

int
bm_signature_rsa_get_ctx_params(void *vctx, OSSL_PARAM params[])
{
    bm_signature_rsa_ctx *ctx = vctx;
    OSSL_PARAM *p;

    p = OSSL_PARAM_locate(params, OSSL_SIGNATURE_PARAM_ALGORITHM_ID);
    if (p != NULL && !bm_signature_rsa_answer_algorithm_id(ctx, p))
        return 0;
    p = OSSL_PARAM_locate(params, OSSL_SIGNATURE_PARAM_PAD_MODE);
    if (p != NULL && !answer_pad_mode(ctx, p))
        return 0;
    p = OSSL_PARAM_locate(params, OSSL_SIGNATURE_PARAM_DIGEST);
    if (p != NULL && !OSSL_PARAM_set_utf8_string(p, ctx->digest.name))
        return 0;
    p = OSSL_PARAM_locate(params, OSSL_SIGNATURE_PARAM_MGF1_DIGEST);
    if (p != NULL && !OSSL_PARAM_set_utf8_string(p, ctx->mgf1_digest.name))
        return 0;
    p = OSSL_PARAM_locate(params, OSSL_SIGNATURE_PARAM_PSS_SALTLEN);
    if (p != NULL && !answer_salt_len(ctx, p))
        return 0;
    return 1;
}

const OSSL_PARAM *
bm_signature_rsa_gettable_ctx_params(void *vctx, void *provctx)
{
    static const OSSL_PARAM params[] = {
        OSSL_PARAM_octet_string(OSSL_SIGNATURE_PARAM_ALGORITHM_ID, NULL, 0),
        OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_PAD_MODE, NULL, 0),
        OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_DIGEST, NULL, 0),
        OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_MGF1_DIGEST, NULL, 0),
        OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_PSS_SALTLEN, NULL, 0),
        OSSL_PARAM_END,
    };

    (void)vctx;
    (void)provctx;
    return params;
}

/* The parameters of the digest of a digest-sign or digest-verify operation are the digest's own. */
static int
get_ctx_md_params(void *vctx, OSSL_PARAM params[])
{
    bm_signature_rsa_ctx *ctx = vctx;

    return ctx->md_ctx != NULL && EVP_MD_CTX_get_params(ctx->md_ctx, params);
}

static const OSSL_PARAM *
gettable_ctx_md_params(void *vctx)
{
    bm_signature_rsa_ctx *ctx = vctx;

    return ctx->digest.md != NULL ? EVP_MD_gettable_ctx_params(ctx->digest.md) : NULL;
}

static int
set_ctx_md_params(void *vctx, const OSSL_PARAM params[])
{
    bm_signature_rsa_ctx *ctx = vctx;

    return ctx->md_ctx != NULL && EVP_MD_CTX_set_params(ctx->md_ctx, params);
}

static const OSSL_PARAM *
settable_ctx_md_params(void *vctx)
{
    bm_signature_rsa_ctx *ctx = vctx;

    return ctx->digest.md != NULL ? EVP_MD_settable_ctx_params(ctx->digest.md) : NULL;
}

/* ---- init ----------------------------------------------------------------------------------- */

/* A restricted RSA-PSS key brings its digests and its salt length. */
static bool
take_restrictions(bm_signature_rsa_ctx *ctx)
{
    const bm_pss_params *pss = &ctx->key->pss;
    char digest[BM_DIGEST_NAME_MAX], mgf1_digest[BM_DIGEST_NAME_MAX];
    int max_salt;

    bm_digest_first_name(pss->digest, digest);
    bm_digest_first_name(pss->mgf1_digest, mgf1_digest);
    ctx->min_salt_len = pss->salt_len;
    ctx->salt_len = pss->salt_len;
    if (!set_mgf1_digest(ctx, mgf1_digest, ctx->propq) || !set_digest(ctx, digest, ctx->propq))
        return false;
    max_salt = pss_max_salt(ctx->key, &ctx->digest);
    if (ctx->min_salt_len > max_salt) {
        bm_raise(ctx->prov, BM_R_BAD_SALT_LENGTH, "the key asks for %d, it has room for %d",
                 ctx->min_salt_len, max_salt);
        return false;
    }
    return true;
}

bool
bm_signature_rsa_init(bm_signature_rsa_ctx *ctx, bm_rsa_key *key, const OSSL_PARAM params[],
                      int operation)
{
    if (key == NULL && ctx->key == NULL) {
        bm_raise(ctx->prov, BM_R_NO_KEY, NULL);
        return false;
    }
    if (key != NULL) {
        bm_rsa_key_up_ref(key);
        bm_rsa_key_free(ctx->key);
        ctx->key = key;
    }
    if (ctx->composite && ctx->key->is_pss) {
        bm_raise(ctx->prov, BM_R_BAD_PADDING_MODE, "an RSA-PSS key signs with PSS only");
        return false;
    }
    ctx->operation = operation;
    ctx->digest_fixed = ctx->composite;
    ctx->salt_len = ctx->prov->libcrypto_version >= 0x30100000L ? SALT_AUTO_DIGEST_MAX : SALT_AUTO;
    ctx->min_salt_len = -1;
    ctx->pad_mode = ctx->key->is_pss ? RSA_PKCS1_PSS_PADDING : RSA_PKCS1_PADDING;
    if (!allocate_scratch(ctx))
        return false;
    if (is_restricted(ctx) && !take_restrictions(ctx))
        return false;
    return bm_signature_rsa_set_ctx_params(ctx, params) && prepare_pss(ctx);
}

int
bm_signature_rsa_sign_init(void *vctx, void *key, const OSSL_PARAM params[])
{
    return bm_signature_rsa_init(vctx, key, params, EVP_PKEY_OP_SIGN);
}

int
bm_signature_rsa_verify_init(void *vctx, void *key, const OSSL_PARAM params[])
{
    return bm_signature_rsa_init(vctx, key, params, EVP_PKEY_OP_VERIFY);
}

int
bm_signature_rsa_verify_recover_init(void *vctx, void *key, const OSSL_PARAM params[])
{
    return bm_signature_rsa_init(vctx, key, params, EVP_PKEY_OP_VERIFYRECOVER);
}

/* ---- signing -------------------------------------------------------------------------------- */

/* signature = EM^d mod n of k bytes, from ctx->em. */
static bool
private_op(bm_signature_rsa_ctx *ctx, uint8_t *signature)
{
    const bm_rsa_key *key = ctx->key;
    const bm_modulus *n = &key->pub.n;

    if (!bm_decode(ctx->x, n->num, ctx->em, key->k) ||
        !bm_declassify(bm_lt(ctx->x, n->m, n->num), "an encoded message above n is refused")) {
        bm_raise(ctx->prov, BM_R_DATA_TOO_LARGE, NULL);
        return false;
    }
    if (!bm_rsa_private_op(ctx->z, ctx->x, &key->priv, ctx->scratch)) {
        bm_raise(ctx->prov, BM_R_INCONSISTENT_KEY, NULL);
        return false;
    }
    if (ctx->pad_mode == RSA_X931_PADDING)
        bm_x931_smaller(ctx->z, ctx->z, &key->pub, ctx->scratch);
    bm_encode(signature, key->k, ctx->z, n->num);
    return true;
}

/* The length of the salt to sign with; negative, with an error raised: the key cannot have it. */
static int
choose_salt_len(const bm_signature_rsa_ctx *ctx)
{
    const int max = pss_max_salt(ctx->key, &ctx->digest);
    const int digest_len = (int)ctx->digest.info->len;
    int len = ctx->salt_len;

    if (len == SALT_DIGEST)
        len = digest_len;
    else if (len == SALT_AUTO || len == SALT_MAX)
        len = max;
    else if (len == SALT_AUTO_DIGEST_MAX)
        len = max < digest_len ? max : digest_len;
    if (max < 0 || len > max) {
        bm_raise(ctx->prov, BM_R_KEY_SIZE_TOO_SMALL, "for this digest and salt length");
        return -1;
    }
    if (is_restricted(ctx) && len < ctx->min_salt_len) {
        bm_raise(ctx->prov, BM_R_SALT_LENGTH_TOO_SMALL, "%d, the key asks for %d", len,
                 ctx->min_salt_len);
        return -1;
    }
    return len;
}

/* EM of k bytes in ctx->em; PSS's own is a byte shorter when n has 8 j + 1 bits. */
static bool
encode_pss(bm_signature_rsa_ctx *ctx, const uint8_t *digest)
{
    const size_t em_bits = pss_em_bits(ctx->key);
    const size_t lead = ctx->key->k - (em_bits + 7) / 8;
    const int salt_len = choose_salt_len(ctx);
    bm_random random = bm_random_public(ctx->prov);

    if (salt_len < 0)
        return false;
    if (salt_len > 0 && !random.fill(random.arg, ctx->salt, (size_t)salt_len)) {
        bm_raise(ctx->prov, BM_R_NO_RANDOM, NULL);
        return false;
    }
    memset(ctx->em, 0, lead);
    if (!bm_pss_encode(ctx->em + lead, em_bits, digest, &ctx->hasher.hash, mgf1_hash(ctx),
                       (bm_bytes){ctx->salt, (size_t)salt_len})) {
        bm_raise(ctx->prov, BM_R_DIGEST_FAILED, NULL);
        return false;
    }
    return true;
}

/* MDC-2 is signed as an OCTET STRING, without a DigestInfo, as libcrypto has always done. */
static const uint8_t mdc2_prefix[] = {0x04, 0x10};

static bool
encode_message(bm_signature_rsa_ctx *ctx, const uint8_t *tbs, size_t tbs_len)
{
    const size_t k = ctx->key->k;
    bm_bytes prefix = {ctx->prefix, ctx->prefix_len};
    uint8_t x931[EVP_MAX_MD_SIZE + 1];

    if (ctx->digest.md != NULL && tbs_len != ctx->digest.info->len) {
        bm_raise(ctx->prov, BM_R_BAD_DIGEST_LENGTH, "%zu, not %zu", tbs_len, ctx->digest.info->len);
        return false;
    }
    switch (ctx->pad_mode) {
    case RSA_PKCS1_PADDING:
        if (ctx->digest.md == NULL)
            prefix.len = 0;
        else if (ctx->digest.info->nid == NID_mdc2)
            prefix = (bm_bytes){mdc2_prefix, sizeof(mdc2_prefix)};
        if (bm_pkcs1_encode(ctx->em, k, prefix, (bm_bytes){tbs, tbs_len}))
            return true;
        break;
    case RSA_X931_PADDING:
        if (ctx->digest.md != NULL) {
            memcpy(x931, tbs, tbs_len);
            x931[tbs_len++] = ctx->digest.info->x931_id;
            tbs = x931;
        }
        if (bm_x931_encode(ctx->em, k, (bm_bytes){tbs, tbs_len}))
            return true;
        break;
    case RSA_NO_PADDING:
        if (tbs_len < k) {
            bm_raise(ctx->prov, BM_R_DATA_TOO_SMALL, NULL);
            return false;
        }
        if (tbs_len == k) {
            memcpy(ctx->em, tbs, k);
            return true;
        }
        break;
    case RSA_PKCS1_PSS_PADDING:
        if (ctx->digest.md != NULL)
            return encode_pss(ctx, tbs);
        bm_raise(ctx->prov, BM_R_BAD_DIGEST, "PSS needs one");
        return false;
    }
    bm_raise(ctx->prov, BM_R_DATA_TOO_LARGE, NULL);
    return false;
}

static bool
ready(const bm_signature_rsa_ctx *ctx)
{
    if (ctx->key != NULL)
        return true;
    bm_raise(ctx->prov, BM_R_NO_KEY, NULL);
    return false;
}

bool
bm_signature_rsa_sign(bm_signature_rsa_ctx *ctx, unsigned char *signature, size_t *signature_len,
                      size_t size, const unsigned char *tbs, size_t tbs_len)
{
    if (!ready(ctx))
        return false;
    if (signature == NULL) {
        *signature_len = ctx->key->k;
        return true;
    }
    if (!bm_rsa_key_can_private(ctx->key))
        return false;
    if (size < ctx->key->k) {
        bm_raise(ctx->prov, BM_R_BUFFER_TOO_SMALL, "%zu, not %zu", size, ctx->key->k);
        return false;
    }
    if (!encode_message(ctx, tbs, tbs_len) || !private_op(ctx, signature))
        return false;
    *signature_len = ctx->key->k;
    bm_count(ctx->prov, BM_COUNT_RSA_SIGN);
    return true;
}

static int
sign(void *vctx, unsigned char *signature, size_t *signature_len, size_t size,
     const unsigned char *tbs, size_t tbs_len)
{
    return bm_signature_rsa_sign(vctx, signature, signature_len, size, tbs, tbs_len);
}

/* ---- verification --------------------------------------------------------------------------- */

static bool
bad_signature(const bm_signature_rsa_ctx *ctx)
{
    bm_raise(ctx->prov, BM_R_BAD_SIGNATURE, NULL);
    return false;
}

/*
 * ctx->em = s^e mod n, k bytes. PKCS#1 v1.5 asks for exactly k bytes of signature; the others take
 * a shorter one for a number without its leading zeros, as the default provider does.
 */
static bool
public_op(bm_signature_rsa_ctx *ctx, const uint8_t *signature, size_t len)
{
    const bm_rsa_key *key = ctx->key;
    const bm_modulus *n;

    if (!bm_rsa_key_can_public(key))
        return false;
    n = &key->pub.n;
    if (len > key->k || (len != key->k && ctx->pad_mode == RSA_PKCS1_PADDING) || len == 0) {
        bm_raise(ctx->prov, BM_R_BAD_SIGNATURE_LENGTH, "%zu, not %zu", len, key->k);
        return false;
    }
    if (!bm_decode(ctx->x, n->num, signature, len) ||
        !bm_declassify(bm_lt(ctx->x, n->m, n->num), "signatures are public"))
        return bad_signature(ctx);
    bm_rsa_public_op(ctx->z, ctx->x, &key->pub, ctx->scratch);
    if (ctx->pad_mode == RSA_X931_PADDING)
        bm_x931_representative(ctx->z, ctx->z, &key->pub);
    bm_encode(ctx->em, key->k, ctx->z, n->num);
    return true;
}

static bool
verify_pss(bm_signature_rsa_ctx *ctx, const uint8_t *digest)
{
    const size_t em_bits = pss_em_bits(ctx->key);
    const size_t lead = ctx->key->k - (em_bits + 7) / 8;
    int salt_len = ctx->salt_len;

    if (salt_len == SALT_DIGEST)
        salt_len = (int)ctx->digest.info->len;
    else if (salt_len == SALT_MAX)
        salt_len = pss_max_salt(ctx->key, &ctx->digest);
    else if (salt_len < 0)
        salt_len = BM_PSS_SALT_ANY;
    if (pss_max_salt(ctx->key, &ctx->digest) < 0 || (lead != 0 && ctx->em[0] != 0))
        return false;
    return bm_pss_verify(ctx->em + lead, em_bits, digest, &ctx->hasher.hash, mgf1_hash(ctx),
                         salt_len, NULL);
}

static bool
bytes_equal(const uint8_t *x, size_t x_len, const uint8_t *y, size_t y_len)
{
    return x_len == y_len && (x_len == 0 || memcmp(x, y, x_len) == 0);
}

/* Whether ctx->em is what tbs is encoded to; everything here is public. */
static bool
em_fits(bm_signature_rsa_ctx *ctx, const uint8_t *tbs, size_t tbs_len)
{
    const size_t k = ctx->key->k;
    const bm_bytes message = {tbs, tbs_len};
    uint8_t x931[EVP_MAX_MD_SIZE + 1];
    size_t at, len;

    switch (ctx->pad_mode) {
    case RSA_PKCS1_PADDING:
        if (ctx->digest.md == NULL)
            return bm_pkcs1_recover(ctx->em, k, &at, &len) && len != 0 &&
                   bytes_equal(ctx->em + at, len, tbs, tbs_len);
        return bm_pkcs1_verify(ctx->em, k, (bm_bytes){ctx->prefix, ctx->prefix_len}, message) ||
               (ctx->digest.info->nid == NID_mdc2 &&
                bm_pkcs1_verify(ctx->em, k, (bm_bytes){mdc2_prefix, sizeof(mdc2_prefix)}, message));
    case RSA_X931_PADDING:
        if (ctx->digest.md == NULL)
            return bm_x931_recover(ctx->em, k, &at, &len) &&
                   bytes_equal(ctx->em + at, len, tbs, tbs_len);
        memcpy(x931, tbs, tbs_len);
        x931[tbs_len] = ctx->digest.info->x931_id;
        return bm_x931_verify(ctx->em, k, (bm_bytes){x931, tbs_len + 1});
    case RSA_NO_PADDING:
        return bytes_equal(ctx->em, k, tbs, tbs_len);
    case RSA_PKCS1_PSS_PADDING:
        return ctx->digest.md != NULL && verify_pss(ctx, tbs);
    default:
        return false;
    }
}

bool
bm_signature_rsa_verify(bm_signature_rsa_ctx *ctx, const unsigned char *signature,
                        size_t signature_len, const unsigned char *tbs, size_t tbs_len)
{
    if (!ready(ctx))
        return false;
    if (ctx->digest.md != NULL && tbs_len != ctx->digest.info->len) {
        bm_raise(ctx->prov, BM_R_BAD_DIGEST_LENGTH, "%zu, not %zu", tbs_len, ctx->digest.info->len);
        return false;
    }
    if (!public_op(ctx, signature, signature_len))
        return false;
    if (!em_fits(ctx, tbs, tbs_len))
        return bad_signature(ctx);
    bm_count(ctx->prov, BM_COUNT_RSA_VERIFY);
    return true;
}

static int
verify(void *vctx, const unsigned char *signature, size_t signature_len, const unsigned char *tbs,
       size_t tbs_len)
{
    return bm_signature_rsa_verify(vctx, signature, signature_len, tbs, tbs_len);
}

/* The message that ctx->em holds, as a range of it: a digest without what surrounds it. */
static bool
find_message(const bm_signature_rsa_ctx *ctx, size_t *at, size_t *len)
{
    const size_t k = ctx->key->k;
    const uint8_t *em = ctx->em;

    switch (ctx->pad_mode) {
    case RSA_NO_PADDING:
        *at = 0;
        *len = k;
        return true;
    case RSA_X931_PADDING:
        if (!bm_x931_recover(em, k, at, len))
            return false;
        if (ctx->digest.md == NULL)
            return true;
        *len -= 1;
        return *len == ctx->digest.info->len && em[*at + *len] == ctx->digest.info->x931_id;
    case RSA_PKCS1_PADDING: {
        const uint8_t *prefix = ctx->prefix;
        size_t prefix_len = ctx->prefix_len;

        if (!bm_pkcs1_recover(em, k, at, len))
            return false;
        if (ctx->digest.md == NULL)
            return true;
        if (ctx->digest.info->nid == NID_mdc2 &&
            *len == sizeof(mdc2_prefix) + ctx->digest.info->len) {
            prefix = mdc2_prefix;
            prefix_len = sizeof(mdc2_prefix);
        }
        if (*len != prefix_len + ctx->digest.info->len || memcmp(em + *at, prefix, prefix_len) != 0)
            return false;
        *at += prefix_len;
        *len -= prefix_len;
        return true;
    }
    default:
        return false;
    }
}

int
bm_signature_rsa_verify_recover(void *vctx, unsigned char *out, size_t *out_len, size_t size,
                                const unsigned char *signature, size_t signature_len)
{
    bm_signature_rsa_ctx *ctx = vctx;
    size_t at, len;

    if (!ready(ctx))
        return 0;
    if (out == NULL) {
        *out_len = ctx->key->k;
        return 1;
    }
    if (!public_op(ctx, signature, signature_len))
        return 0;
    if (!find_message(ctx, &at, &len))
        return bad_signature(ctx);
    if (size < len) {
        bm_raise(ctx->prov, BM_R_BUFFER_TOO_SMALL, "%zu, not %zu", size, len);
        return 0;
    }
    memcpy(out, ctx->em + at, len);
    *out_len = len;
    bm_count(ctx->prov, BM_COUNT_RSA_VERIFY_RECOVER);
    return 1;
}

/* ---- digest-sign and digest-verify ---------------------------------------------------------- */

/* Starts hashing; the digest cannot be changed from here on. */
bool
bm_signature_rsa_start_digest(bm_signature_rsa_ctx *ctx, const OSSL_PARAM params[])
{
    if (ctx->digest.md == NULL) {
        bm_raise(ctx->prov, BM_R_BAD_DIGEST, "none given");
        return false;
    }
    ctx->digest_fixed = true;
    if (ctx->md_ctx == NULL)
        ctx->md_ctx = EVP_MD_CTX_new();
    if (ctx->md_ctx == NULL || EVP_DigestInit_ex2(ctx->md_ctx, ctx->digest.md, params) <= 0) {
        EVP_MD_CTX_free(ctx->md_ctx);
        ctx->md_ctx = NULL;
        bm_raise(ctx->prov, BM_R_DIGEST_FAILED, NULL);
        return false;
    }
    return true;
}

static bool
digest_init(bm_signature_rsa_ctx *ctx, const char *digest_name, void *key,
            const OSSL_PARAM params[], int operation)
{
    if (!bm_signature_rsa_init(ctx, key, params, operation))
        return false;
    if (digest_name != NULL && *digest_name != '\0' &&
        (ctx->digest.md == NULL || strcasecmp(digest_name, ctx->digest.name) != 0) &&
        !set_digest(ctx, digest_name, ctx->propq))
        return false;
    return bm_signature_rsa_start_digest(ctx, params);
}

static int
digest_sign_init(void *vctx, const char *digest_name, void *key, const OSSL_PARAM params[])
{
    return digest_init(vctx, digest_name, key, params, EVP_PKEY_OP_SIGNCTX);
}

static int
digest_verify_init(void *vctx, const char *digest_name, void *key, const OSSL_PARAM params[])
{
    return digest_init(vctx, digest_name, key, params, EVP_PKEY_OP_VERIFYCTX);
}

int
bm_signature_rsa_update(void *vctx, const unsigned char *data, size_t len)
{
    bm_signature_rsa_ctx *ctx = vctx;

    return ctx->md_ctx != NULL && EVP_DigestUpdate(ctx->md_ctx, data, len);
}

bool
bm_signature_rsa_finish_digest(bm_signature_rsa_ctx *ctx, uint8_t digest[EVP_MAX_MD_SIZE])
{
    if (ctx->md_ctx == NULL) {
        bm_raise(ctx->prov, BM_R_BAD_OPERATION, NULL);
        return false;
    }
    ctx->digest_fixed = ctx->composite;
    if (EVP_DigestFinal_ex(ctx->md_ctx, digest, NULL) > 0)
        return true;
    bm_raise(ctx->prov, BM_R_DIGEST_FAILED, NULL);
    return false;
}

int
bm_signature_rsa_sign_final(void *vctx, unsigned char *signature, size_t *signature_len,
                            size_t size)
{
    bm_signature_rsa_ctx *ctx = vctx;
    uint8_t digest[EVP_MAX_MD_SIZE];

    if (ctx->md_ctx == NULL) {
        bm_raise(ctx->prov, BM_R_BAD_OPERATION, NULL);
        return 0;
    }
    if (signature != NULL && !bm_signature_rsa_finish_digest(ctx, digest))
        return 0;
    return bm_signature_rsa_sign(ctx, signature, signature_len, size, digest,
                                 ctx->digest.info->len);
}

static int
digest_verify_final(void *vctx, const unsigned char *signature, size_t signature_len)
{
    bm_signature_rsa_ctx *ctx = vctx;
    uint8_t digest[EVP_MAX_MD_SIZE];

    return bm_signature_rsa_finish_digest(ctx, digest) &&
           bm_signature_rsa_verify(ctx, signature, signature_len, digest, ctx->digest.info->len);
}

const OSSL_DISPATCH bm_signature_rsa[] = {
    {OSSL_FUNC_SIGNATURE_NEWCTX, (void (*)(void))bm_signature_rsa_newctx},
    {OSSL_FUNC_SIGNATURE_FREECTX, (void (*)(void))bm_signature_rsa_freectx},
    {OSSL_FUNC_SIGNATURE_DUPCTX, (void (*)(void))bm_signature_rsa_dupctx},
    {OSSL_FUNC_SIGNATURE_SIGN_INIT, (void (*)(void))bm_signature_rsa_sign_init},
    {OSSL_FUNC_SIGNATURE_SIGN, (void (*)(void))sign},
    {OSSL_FUNC_SIGNATURE_VERIFY_INIT, (void (*)(void))bm_signature_rsa_verify_init},
    {OSSL_FUNC_SIGNATURE_VERIFY, (void (*)(void))verify},
    {OSSL_FUNC_SIGNATURE_VERIFY_RECOVER_INIT, (void (*)(void))bm_signature_rsa_verify_recover_init},
    {OSSL_FUNC_SIGNATURE_VERIFY_RECOVER, (void (*)(void))bm_signature_rsa_verify_recover},
    {OSSL_FUNC_SIGNATURE_DIGEST_SIGN_INIT, (void (*)(void))digest_sign_init},
    {OSSL_FUNC_SIGNATURE_DIGEST_SIGN_UPDATE, (void (*)(void))bm_signature_rsa_update},
    {OSSL_FUNC_SIGNATURE_DIGEST_SIGN_FINAL, (void (*)(void))bm_signature_rsa_sign_final},
    {OSSL_FUNC_SIGNATURE_DIGEST_VERIFY_INIT, (void (*)(void))digest_verify_init},
    {OSSL_FUNC_SIGNATURE_DIGEST_VERIFY_UPDATE, (void (*)(void))bm_signature_rsa_update},
    {OSSL_FUNC_SIGNATURE_DIGEST_VERIFY_FINAL, (void (*)(void))digest_verify_final},
    {OSSL_FUNC_SIGNATURE_GET_CTX_PARAMS, (void (*)(void))bm_signature_rsa_get_ctx_params},
    {OSSL_FUNC_SIGNATURE_GETTABLE_CTX_PARAMS, (void (*)(void))bm_signature_rsa_gettable_ctx_params},
    {OSSL_FUNC_SIGNATURE_SET_CTX_PARAMS, (void (*)(void))bm_signature_rsa_set_ctx_params},
    {OSSL_FUNC_SIGNATURE_SETTABLE_CTX_PARAMS, (void (*)(void))settable_ctx_params},
    {OSSL_FUNC_SIGNATURE_GET_CTX_MD_PARAMS, (void (*)(void))get_ctx_md_params},
    {OSSL_FUNC_SIGNATURE_GETTABLE_CTX_MD_PARAMS, (void (*)(void))gettable_ctx_md_params},
    {OSSL_FUNC_SIGNATURE_SET_CTX_MD_PARAMS, (void (*)(void))set_ctx_md_params},
    {OSSL_FUNC_SIGNATURE_SETTABLE_CTX_MD_PARAMS, (void (*)(void))settable_ctx_md_params},
    {0, NULL},
};
