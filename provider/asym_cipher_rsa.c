/*
 * RSA encryption and decryption: PKCS#1 v1.5, OAEP, TLS premaster secrets and no padding (RFC 8017
 * section 7, RFC 5246 7.4.7.1). Between kem_rsa.c and rsa_pkcs1.c, rsa_oaep.c on the reading path.
 *
 * From ciphertext to plaintext everything is secret: what a padding says goes through masks, and
 * PKCS#1 v1.5 hides a bad one by implicit rejection, on every libcrypto, unless the caller turned
 * that off (FAILURES.md rows 49 to 51, 54, 55).
 */
#include "rsa_key.h"

#include <string.h>
#include <strings.h>

#include <openssl/objects.h>
#include <openssl/rsa.h>

/* Newer libcryptos name it in core_names.h. */
#define PARAM_IMPLICIT_REJECTION "implicit-rejection"

enum { NAME_MAX_LEN = 50 };

/* A digest of OAEP: any that libcrypto has, not only those that RSA signs with. */
typedef struct oaep_digest {
    bm_hasher hasher; /* hasher.md NULL: not set */
    char name[NAME_MAX_LEN];
} oaep_digest;

typedef struct asym_ctx {
    bm_provider *prov;
    bm_rsa_key *key;
    int operation; /* EVP_PKEY_OP_ENCRYPT or _DECRYPT */
    int pad_mode;  /* RSA_*_PADDING */
    oaep_digest digest;
    oaep_digest mgf1; /* not set: as digest */
    uint8_t *label;
    size_t label_len;
    unsigned client_version, alt_version; /* of TLS; 0: not set */
    bool implicit_rejection;
    bm_hasher sha256; /* of implicit rejection */

    /* Memory of an operation, allocated by init: num limbs each of x and z, k bytes of em and text.
     */
    bm_limb *memory;
    size_t memory_limbs;
    bm_limb *x, *z, *scratch;
    uint8_t *em, *text;
} asym_ctx;

static const struct {
    int mode;
    const char *name;
} pad_modes[] = {
    {RSA_PKCS1_PADDING, OSSL_PKEY_RSA_PAD_MODE_PKCSV15},
    {RSA_NO_PADDING, OSSL_PKEY_RSA_PAD_MODE_NONE},
    {RSA_PKCS1_OAEP_PADDING, OSSL_PKEY_RSA_PAD_MODE_OAEP},
    {RSA_PKCS1_OAEP_PADDING, "oeap"}, /* an old misspelling that OpenSSL still reads */
    {RSA_X931_PADDING, OSSL_PKEY_RSA_PAD_MODE_X931},
};

enum { NUM_PAD_MODES = sizeof(pad_modes) / sizeof(pad_modes[0]) };

/* ---- contexts ------------------------------------------------------------------------------ */

static void *
newctx(void *provctx)
{
    asym_ctx *ctx = OPENSSL_zalloc(sizeof(*ctx));

    if (ctx == NULL) {
        bm_raise(provctx, BM_R_OUT_OF_MEMORY, NULL);
        return NULL;
    }
    ctx->prov = provctx;
    ctx->pad_mode = RSA_PKCS1_PADDING;
    ctx->implicit_rejection = true;
    return ctx;
}

static void
free_memory(asym_ctx *ctx)
{
    bm_limbs_free(ctx->memory, ctx->memory_limbs);
    ctx->memory = NULL;
    ctx->memory_limbs = 0;
}

static void
freectx(void *vctx)
{
    asym_ctx *ctx = vctx;

    if (ctx == NULL)
        return;
    free_memory(ctx);
    bm_rsa_key_free(ctx->key);
    bm_hasher_clear(&ctx->digest.hasher);
    bm_hasher_clear(&ctx->mgf1.hasher);
    bm_hasher_clear(&ctx->sha256);
    OPENSSL_free(ctx->label);
    OPENSSL_free(ctx);
}

/* Memory for operations with ctx->key; a key that cannot be used gets none. */
static bool
allocate(asym_ctx *ctx)
{
    const bm_rsa_key *key = ctx->key;
    size_t num, bytes;

    free_memory(ctx);
    if (!key->has_pub)
        return true;
    num = key->pub.n.num;
    bytes = BM_LIMBS_OF_BYTES(key->k);
    ctx->memory_limbs = 2 * num + 2 * bytes + key->scratch_limbs;
    ctx->memory = bm_limbs_new(ctx->prov, ctx->memory_limbs);
    if (ctx->memory == NULL) {
        ctx->memory_limbs = 0;
        return false;
    }
    ctx->x = ctx->memory;
    ctx->z = ctx->x + num;
    ctx->em = (uint8_t *)(ctx->z + num);
    ctx->text = (uint8_t *)(ctx->z + num + bytes);
    ctx->scratch = ctx->z + num + 2 * bytes;
    return true;
}

/* ---- digests ------------------------------------------------------------------------------- */

/* Sets *d to the digest of that name; false with an error raised and *d as it was. */
static bool
set_digest(asym_ctx *ctx, oaep_digest *d, const char *name, const char *propq)
{
    bool plain = propq == NULL || *propq == '\0';
    const bm_digest_info *info = bm_digest_find_name(name);
    EVP_MD *md;
    bool ok;

    if (strlen(name) >= NAME_MAX_LEN) {
        bm_raise(ctx->prov, BM_R_BAD_DIGEST, "the name is too long");
        return false;
    }
    if (plain && info != NULL) {
        md = bm_digest_borrow(ctx->prov, info->nid);
        if (md == NULL)
            return false;
        EVP_MD_up_ref(md);
    } else {
        md = EVP_MD_fetch(ctx->prov->libctx, name, propq);
        if (md == NULL) {
            bm_raise(ctx->prov, BM_R_BAD_DIGEST, "%s", name);
            return false;
        }
    }
    if (EVP_MD_get_size(md) <= 0 || EVP_MD_get_size(md) > BM_HASH_MAX_LEN ||
        (EVP_MD_get_flags(md) & EVP_MD_FLAG_XOF) != 0) {
        bm_raise(ctx->prov, BM_R_DIGEST_NOT_ALLOWED, "%s", name);
        ok = false;
    } else {
        ok = bm_hasher_set(&d->hasher, ctx->prov, md);
    }
    EVP_MD_free(md);
    if (ok)
        strcpy(d->name, name);
    return ok;
}

static bool
copy_digest(asym_ctx *ctx, oaep_digest *dst, const oaep_digest *src)
{
    if (src->hasher.md == NULL)
        return true;
    strcpy(dst->name, src->name);
    return bm_hasher_set(&dst->hasher, ctx->prov, src->hasher.md);
}

/* The hash of MGF1: the digest where none was set. */
static const bm_hash *
mgf1_hash(const asym_ctx *ctx)
{
    return ctx->mgf1.hasher.md != NULL ? &ctx->mgf1.hasher.hash : &ctx->digest.hasher.hash;
}

/* ---- parameters ---------------------------------------------------------------------------- */

static bool
set_pad_mode(asym_ctx *ctx, int mode)
{
    bool known = mode == RSA_PKCS1_WITH_TLS_PADDING;

    for (size_t i = 0; i < NUM_PAD_MODES; i++)
        known = known || pad_modes[i].mode == mode;
    if (!known) {
        bm_raise(ctx->prov, BM_R_BAD_PADDING_MODE, "%d", mode);
        return false;
    }
    ctx->pad_mode = mode;
    return mode != RSA_PKCS1_OAEP_PADDING || ctx->digest.hasher.md != NULL ||
           set_digest(ctx, &ctx->digest, "SHA1", NULL);
}

static bool
set_pad_mode_param(asym_ctx *ctx, const OSSL_PARAM *p)
{
    int mode;

    if (p->data_type == OSSL_PARAM_INTEGER || p->data_type == OSSL_PARAM_UNSIGNED_INTEGER)
        return OSSL_PARAM_get_int(p, &mode) && set_pad_mode(ctx, mode);
    if (p->data_type != OSSL_PARAM_UTF8_STRING || p->data == NULL)
        return false;
    for (size_t i = 0; i < NUM_PAD_MODES; i++)
        if (strcasecmp(p->data, pad_modes[i].name) == 0)
            return set_pad_mode(ctx, pad_modes[i].mode);
    bm_raise(ctx->prov, BM_R_BAD_PADDING_MODE, "%s", (const char *)p->data);
    return false;
}

static bool
set_digest_param(asym_ctx *ctx, oaep_digest *d, const OSSL_PARAM params[], const char *name_key,
                 const char *propq_key)
{
    const OSSL_PARAM *name = OSSL_PARAM_locate_const(params, name_key);
    const OSSL_PARAM *propq = OSSL_PARAM_locate_const(params, propq_key);
    const char *name_text, *propq_text = NULL;

    if (name == NULL)
        return true;
    return OSSL_PARAM_get_utf8_string_ptr(name, &name_text) &&
           (propq == NULL || OSSL_PARAM_get_utf8_string_ptr(propq, &propq_text)) &&
           set_digest(ctx, d, name_text, propq_text);
}

static bool
set_label(asym_ctx *ctx, const OSSL_PARAM *p)
{
    void *label = NULL;
    size_t len = 0;

    if (p->data != NULL && p->data_size != 0 && !OSSL_PARAM_get_octet_string(p, &label, 0, &len))
        return false;
    OPENSSL_free(ctx->label);
    ctx->label = label;
    ctx->label_len = len;
    return true;
}

static int
set_ctx_params(void *vctx, const OSSL_PARAM params[])
{
    asym_ctx *ctx = vctx;
    const OSSL_PARAM *p;
    unsigned implicit;

    if (ctx == NULL)
        return 0;
    if (params == NULL)
        return 1;
    if (!set_digest_param(ctx, &ctx->digest, params, OSSL_ASYM_CIPHER_PARAM_OAEP_DIGEST,
                          OSSL_ASYM_CIPHER_PARAM_OAEP_DIGEST_PROPS))
        return 0;
    p = OSSL_PARAM_locate_const(params, OSSL_ASYM_CIPHER_PARAM_PAD_MODE);
    if (p != NULL && !set_pad_mode_param(ctx, p))
        return 0;
    if (!set_digest_param(ctx, &ctx->mgf1, params, OSSL_ASYM_CIPHER_PARAM_MGF1_DIGEST,
                          OSSL_ASYM_CIPHER_PARAM_MGF1_DIGEST_PROPS))
        return 0;
    p = OSSL_PARAM_locate_const(params, OSSL_ASYM_CIPHER_PARAM_OAEP_LABEL);
    if (p != NULL && !set_label(ctx, p))
        return 0;
    p = OSSL_PARAM_locate_const(params, OSSL_ASYM_CIPHER_PARAM_TLS_CLIENT_VERSION);
    if (p != NULL && !OSSL_PARAM_get_uint(p, &ctx->client_version))
        return 0;
    p = OSSL_PARAM_locate_const(params, OSSL_ASYM_CIPHER_PARAM_TLS_NEGOTIATED_VERSION);
    if (p != NULL && !OSSL_PARAM_get_uint(p, &ctx->alt_version))
        return 0;
    p = OSSL_PARAM_locate_const(params, PARAM_IMPLICIT_REJECTION);
    if (p != NULL) {
        if (!OSSL_PARAM_get_uint(p, &implicit))
            return 0;
        ctx->implicit_rejection = implicit != 0;
    }
    return 1;
}

static const OSSL_PARAM *
settable_ctx_params(void *vctx, void *provctx)
{
    static const OSSL_PARAM params[] = {
        OSSL_PARAM_utf8_string(OSSL_ASYM_CIPHER_PARAM_OAEP_DIGEST, NULL, 0),
        OSSL_PARAM_utf8_string(OSSL_ASYM_CIPHER_PARAM_OAEP_DIGEST_PROPS, NULL, 0),
        OSSL_PARAM_utf8_string(OSSL_ASYM_CIPHER_PARAM_PAD_MODE, NULL, 0),
        OSSL_PARAM_utf8_string(OSSL_ASYM_CIPHER_PARAM_MGF1_DIGEST, NULL, 0),
        OSSL_PARAM_utf8_string(OSSL_ASYM_CIPHER_PARAM_MGF1_DIGEST_PROPS, NULL, 0),
        OSSL_PARAM_octet_string(OSSL_ASYM_CIPHER_PARAM_OAEP_LABEL, NULL, 0),
        OSSL_PARAM_uint(OSSL_ASYM_CIPHER_PARAM_TLS_CLIENT_VERSION, NULL),
        OSSL_PARAM_uint(OSSL_ASYM_CIPHER_PARAM_TLS_NEGOTIATED_VERSION, NULL),
        OSSL_PARAM_uint(PARAM_IMPLICIT_REJECTION, NULL),
        OSSL_PARAM_END,
    };

    (void)vctx;
    (void)provctx;
    return params;
}

static bool
get_pad_mode_param(const asym_ctx *ctx, OSSL_PARAM *p)
{
    if (p->data_type != OSSL_PARAM_UTF8_STRING)
        return OSSL_PARAM_set_int(p, ctx->pad_mode);
    for (size_t i = 0; i < NUM_PAD_MODES; i++)
        if (pad_modes[i].mode == ctx->pad_mode)
            return OSSL_PARAM_set_utf8_string(p, pad_modes[i].name);
    bm_raise(ctx->prov, BM_R_BAD_PADDING_MODE, NULL);
    return false;
}

static int
get_ctx_params(void *vctx, OSSL_PARAM params[])
{
    asym_ctx *ctx = vctx;
    OSSL_PARAM *p;

    if (ctx == NULL)
        return 0;
    p = OSSL_PARAM_locate(params, OSSL_ASYM_CIPHER_PARAM_PAD_MODE);
    if (p != NULL && !get_pad_mode_param(ctx, p))
        return 0;
    p = OSSL_PARAM_locate(params, OSSL_ASYM_CIPHER_PARAM_OAEP_DIGEST);
    if (p != NULL && !OSSL_PARAM_set_utf8_string(p, ctx->digest.name))
        return 0;
    p = OSSL_PARAM_locate(params, OSSL_ASYM_CIPHER_PARAM_MGF1_DIGEST);
    if (p != NULL && !OSSL_PARAM_set_utf8_string(p, ctx->mgf1.hasher.md != NULL ? ctx->mgf1.name
                                                                                : ctx->digest.name))
        return 0;
    p = OSSL_PARAM_locate(params, OSSL_ASYM_CIPHER_PARAM_OAEP_LABEL);
    if (p != NULL && !OSSL_PARAM_set_octet_ptr(p, ctx->label, ctx->label_len))
        return 0;
    p = OSSL_PARAM_locate(params, OSSL_ASYM_CIPHER_PARAM_TLS_CLIENT_VERSION);
    if (p != NULL && !OSSL_PARAM_set_uint(p, ctx->client_version))
        return 0;
    p = OSSL_PARAM_locate(params, OSSL_ASYM_CIPHER_PARAM_TLS_NEGOTIATED_VERSION);
    if (p != NULL && !OSSL_PARAM_set_uint(p, ctx->alt_version))
        return 0;
    p = OSSL_PARAM_locate(params, PARAM_IMPLICIT_REJECTION);
    return p == NULL || OSSL_PARAM_set_uint(p, ctx->implicit_rejection ? 1 : 0);
}

static const OSSL_PARAM *
gettable_ctx_params(void *vctx, void *provctx)
{
    static const OSSL_PARAM params[] = {
        OSSL_PARAM_utf8_string(OSSL_ASYM_CIPHER_PARAM_OAEP_DIGEST, NULL, 0),
        OSSL_PARAM_utf8_string(OSSL_ASYM_CIPHER_PARAM_PAD_MODE, NULL, 0),
        OSSL_PARAM_utf8_string(OSSL_ASYM_CIPHER_PARAM_MGF1_DIGEST, NULL, 0),
        OSSL_PARAM_octet_ptr(OSSL_ASYM_CIPHER_PARAM_OAEP_LABEL, NULL, 0),
        OSSL_PARAM_uint(OSSL_ASYM_CIPHER_PARAM_TLS_CLIENT_VERSION, NULL),
        OSSL_PARAM_uint(OSSL_ASYM_CIPHER_PARAM_TLS_NEGOTIATED_VERSION, NULL),
        OSSL_PARAM_uint(PARAM_IMPLICIT_REJECTION, NULL),
        OSSL_PARAM_END,
    };

    (void)vctx;
    (void)provctx;
    return params;
}

/* ---- init ---------------------------------------------------------------------------------- */

static int
init(asym_ctx *ctx, bm_rsa_key *key, const OSSL_PARAM params[], int operation)
{
    if (ctx == NULL || key == NULL) {
        if (ctx != NULL)
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
    ctx->operation = operation;
    ctx->pad_mode = RSA_PKCS1_PADDING;
    ctx->implicit_rejection = true;
    if (operation == EVP_PKEY_OP_DECRYPT && ctx->sha256.md == NULL) {
        EVP_MD *sha256 = bm_digest_borrow(ctx->prov, NID_sha256);

        if (sha256 == NULL || !bm_hasher_set(&ctx->sha256, ctx->prov, sha256))
            return 0;
    }
    return allocate(ctx) && set_ctx_params(ctx, params);
}

static int
encrypt_init(void *vctx, void *key, const OSSL_PARAM params[])
{
    return init(vctx, key, params, EVP_PKEY_OP_ENCRYPT);
}

static int
decrypt_init(void *vctx, void *key, const OSSL_PARAM params[])
{
    return init(vctx, key, params, EVP_PKEY_OP_DECRYPT);
}

static void *
dupctx(void *vctx)
{
    const asym_ctx *src = vctx;
    asym_ctx *dst = newctx(src->prov);

    if (dst == NULL)
        return NULL;
    dst->operation = src->operation;
    dst->pad_mode = src->pad_mode;
    dst->client_version = src->client_version;
    dst->alt_version = src->alt_version;
    dst->implicit_rejection = src->implicit_rejection;
    if (src->key != NULL) {
        if (!bm_rsa_key_up_ref(src->key))
            goto fail;
        dst->key = src->key;
        if (!allocate(dst))
            goto fail;
    }
    if (src->label != NULL) {
        dst->label = OPENSSL_memdup(src->label, src->label_len);
        if (dst->label == NULL)
            goto fail;
        dst->label_len = src->label_len;
    }
    if (!copy_digest(dst, &dst->digest, &src->digest) || !copy_digest(dst, &dst->mgf1, &src->mgf1))
        goto fail;
    if (src->sha256.md != NULL && !bm_hasher_set(&dst->sha256, dst->prov, src->sha256.md))
        goto fail;
    return dst;

fail:
    freectx(dst);
    return NULL;
}

/* ---- encryption ---------------------------------------------------------------------------- */

/* EM of k bytes for the message; false with an error raised. */
static bool
pad(asym_ctx *ctx, uint8_t *em, size_t k, bm_bytes message)
{
    const bm_random random = bm_random_private(ctx->prov);
    const size_t h_len = ctx->digest.hasher.hash.len;

    switch (ctx->pad_mode) {
    case RSA_PKCS1_PADDING:
        if (k < 11 || message.len > k - 11) {
            bm_raise(ctx->prov, BM_R_DATA_TOO_LARGE, NULL);
            return false;
        }
        if (bm_pkcs1_pad_encrypt(em, k, message, &random))
            return true;
        break;
    case RSA_PKCS1_OAEP_PADDING:
        if (k < 2 * h_len + 2 || message.len > k - 2 * h_len - 2) {
            bm_raise(ctx->prov, BM_R_DATA_TOO_LARGE, NULL);
            return false;
        }
        if (bm_oaep_pad(em, k, message, (bm_bytes){ctx->label, ctx->label_len},
                        &ctx->digest.hasher.hash, mgf1_hash(ctx), &random))
            return true;
        break;
    case RSA_NO_PADDING:
        if (message.len != k) {
            bm_raise(ctx->prov, message.len > k ? BM_R_DATA_TOO_LARGE : BM_R_DATA_TOO_SMALL, NULL);
            return false;
        }
        memcpy(em, message.bytes, k);
        return true;
    default: /* X9.31 is of signatures, TLS of decryption */
        bm_raise(ctx->prov, BM_R_BAD_PADDING_MODE, "not for encryption");
        return false;
    }
    bm_raise(ctx->prov, BM_R_NO_RANDOM, "padding failed");
    return false;
}

static int
encrypt(void *vctx, unsigned char *out, size_t *out_len, size_t out_size, const unsigned char *in,
        size_t in_len)
{
    asym_ctx *ctx = vctx;
    const bm_rsa_key *key = ctx->key;
    const bm_rsa_public *pub;
    bool ok;

    if (key == NULL || !bm_rsa_key_can_public(key))
        return 0;
    if (out == NULL) {
        *out_len = key->k;
        return 1;
    }
    if (out_size < key->k) {
        bm_raise(ctx->prov, BM_R_BUFFER_TOO_SMALL, NULL);
        return 0;
    }
    if (!pad(ctx, ctx->em, key->k, (bm_bytes){in, in_len})) {
        bm_wipe(ctx->em, key->k);
        return 0;
    }
    pub = &key->pub;
    ok =
        bm_decode(ctx->x, pub->n.num, ctx->em, key->k) &&
        bm_declassify(bm_lt(ctx->x, pub->n.m, pub->n.num), "a padded block is always below n; that "
                                                           "a raw one is not is told by the error");
    if (ok) {
        bm_rsa_public_op(ctx->z, ctx->x, pub, ctx->scratch);
        bm_encode(out, key->k, ctx->z, pub->n.num);
        *out_len = key->k;
        bm_count(ctx->prov, BM_COUNT_RSA_ENCRYPT);
    } else {
        bm_raise(ctx->prov, BM_R_DATA_TOO_LARGE, "not below the modulus");
    }
    bm_wipe(ctx->memory, ctx->memory_limbs * sizeof(bm_limb));
    return ok;
}

/* ---- decryption ---------------------------------------------------------------------------- */

/* em = c^d mod n, k bytes; false with an error raised: c is no ciphertext of this key, or a fault.
 */
static bool
private_op(asym_ctx *ctx, const uint8_t *in, size_t in_len)
{
    const bm_rsa_key *key = ctx->key;
    size_t num = key->pub.n.num;

    if (in_len > key->k) {
        bm_raise(ctx->prov, BM_R_DATA_TOO_LARGE, "longer than the modulus");
        return false;
    }
    if (!bm_decode(ctx->x, num, in, in_len) ||
        !bm_declassify(bm_lt(ctx->x, key->pub.n.m, num), "the ciphertext is public")) {
        bm_raise(ctx->prov, BM_R_DATA_TOO_LARGE, "not below the modulus");
        return false;
    }
    if (!bm_rsa_private_op(ctx->z, ctx->x, &key->priv, ctx->scratch)) {
        bm_raise(ctx->prov, BM_R_INCONSISTENT_KEY, NULL);
        return false;
    }
    bm_encode(ctx->em, key->k, ctx->z, num);
    return true;
}

/* I2OSP(c, k), over z, whose value is no longer needed. */
static bm_bytes
whole_ciphertext(asym_ctx *ctx)
{
    uint8_t *bytes = (uint8_t *)ctx->z;

    bm_encode(bytes, ctx->key->k, ctx->x, ctx->key->pub.n.num);
    return (bm_bytes){bytes, ctx->key->k};
}

/* What implicit rejection derives its messages from: d, or p of a key without d; k bytes in text.
 */
static bm_bytes
rejection_secret(asym_ctx *ctx)
{
    const bm_rsa_numbers *numbers = &ctx->key->numbers;
    const bm_rsa_number *secret = numbers->d.num != 0 ? &numbers->d : &numbers->primes[0];

    bm_encode(ctx->text, ctx->key->k, secret->limbs, secret->num);
    return (bm_bytes){ctx->text, ctx->key->k};
}

/* The message of ctx->em to ctx->text, of *len bytes; false with an error raised. */
static bool
unpad(asym_ctx *ctx, size_t *len)
{
    const size_t k = ctx->key->k;
    const bm_hash *sha256 = &ctx->sha256.hash;
    uint8_t kdk[32], fallback[BM_TLS_PREMASTER_LEN];
    const bm_random random = bm_random_private(ctx->prov);
    bm_limb secret_len = 0;
    bm_mask good;
    bool ok;

    switch (ctx->pad_mode) {
    case RSA_NO_PADDING:
        memcpy(ctx->text, ctx->em, k);
        *len = k;
        return true;
    case RSA_PKCS1_PADDING:
        if (ctx->implicit_rejection) {
            ok =
                bm_pkcs1_rejection_key(kdk, sha256, rejection_secret(ctx), whole_ciphertext(ctx)) &&
                bm_pkcs1_decrypt_implicit(ctx->text, k, len, ctx->em, k, kdk, sha256);
            bm_wipe(kdk, sizeof(kdk));
            if (!ok)
                bm_raise(ctx->prov, BM_R_DIGEST_FAILED, NULL);
            return ok;
        }
        good = bm_pkcs1_unpad_decrypt(ctx->text, k, &secret_len, ctx->em, k);
        break;
    case RSA_PKCS1_OAEP_PADDING:
        good = bm_oaep_unpad(ctx->text, k, &secret_len, ctx->em, k,
                             (bm_bytes){ctx->label, ctx->label_len}, &ctx->digest.hasher.hash,
                             mgf1_hash(ctx));
        break;
    case RSA_PKCS1_WITH_TLS_PADDING:
        if (ctx->client_version == 0) {
            bm_raise(ctx->prov, BM_R_BAD_PARAMETER, "the TLS client version is not set");
            return false;
        }
        if (!random.fill(random.arg, fallback, sizeof(fallback))) {
            bm_raise(ctx->prov, BM_R_NO_RANDOM, NULL);
            return false;
        }
        ok = bm_pkcs1_unpad_tls(ctx->text, ctx->em, k, ctx->client_version, ctx->alt_version,
                                fallback);
        bm_wipe(fallback, sizeof(fallback));
        if (!ok)
            bm_raise(ctx->prov, BM_R_DATA_TOO_SMALL, "the modulus, for a premaster secret");
        *len = BM_TLS_PREMASTER_LEN;
        return ok;
    default:
        bm_raise(ctx->prov, BM_R_BAD_PADDING_MODE, "not for decryption");
        return false;
    }
    if (!bm_declassify(good, "RFC 8017 returns it, and all bad blocks are the same error")) {
        bm_raise(ctx->prov, BM_R_DECRYPTION_FAILED, NULL);
        return false;
    }
    bm_public(&secret_len, sizeof(secret_len), "the length of a message is returned");
    *len = (size_t)secret_len;
    return true;
}

static int
decrypt(void *vctx, unsigned char *out, size_t *out_len, size_t out_size, const unsigned char *in,
        size_t in_len)
{
    asym_ctx *ctx = vctx;
    const bm_rsa_key *key = ctx->key;
    bool tls = ctx->pad_mode == RSA_PKCS1_WITH_TLS_PADDING;
    size_t need, len = 0;
    bool ok;

    if (key == NULL)
        return 0;
    need = tls ? BM_TLS_PREMASTER_LEN : key->k;
    if (out == NULL) {
        if (need == 0)
            bm_raise(ctx->prov, BM_R_NO_KEY, NULL);
        *out_len = need;
        return need != 0;
    }
    if (!bm_rsa_key_can_private(key))
        return 0;
    if (out_size < need) {
        bm_raise(ctx->prov, BM_R_BUFFER_TOO_SMALL, NULL);
        return 0;
    }
    if (in_len == 0) {
        bm_raise(ctx->prov, BM_R_DATA_TOO_SMALL, "an empty ciphertext");
        return 0;
    }
    ok = private_op(ctx, in, in_len) && unpad(ctx, &len);
    if (ok) {
        memcpy(out, ctx->text, need); /* zeros behind the message: its length is not in the copy */
        *out_len = len;
        bm_count(ctx->prov, BM_COUNT_RSA_DECRYPT);
    }
    bm_wipe(ctx->memory, ctx->memory_limbs * sizeof(bm_limb));
    return ok;
}

const OSSL_DISPATCH bm_asym_cipher_rsa[] = {
    {OSSL_FUNC_ASYM_CIPHER_NEWCTX, (void (*)(void))newctx},
    {OSSL_FUNC_ASYM_CIPHER_FREECTX, (void (*)(void))freectx},
    {OSSL_FUNC_ASYM_CIPHER_DUPCTX, (void (*)(void))dupctx},
    {OSSL_FUNC_ASYM_CIPHER_ENCRYPT_INIT, (void (*)(void))encrypt_init},
    {OSSL_FUNC_ASYM_CIPHER_ENCRYPT, (void (*)(void))encrypt},
    {OSSL_FUNC_ASYM_CIPHER_DECRYPT_INIT, (void (*)(void))decrypt_init},
    {OSSL_FUNC_ASYM_CIPHER_DECRYPT, (void (*)(void))decrypt},
    {OSSL_FUNC_ASYM_CIPHER_GET_CTX_PARAMS, (void (*)(void))get_ctx_params},
    {OSSL_FUNC_ASYM_CIPHER_GETTABLE_CTX_PARAMS, (void (*)(void))gettable_ctx_params},
    {OSSL_FUNC_ASYM_CIPHER_SET_CTX_PARAMS, (void (*)(void))set_ctx_params},
    {OSSL_FUNC_ASYM_CIPHER_SETTABLE_CTX_PARAMS, (void (*)(void))settable_ctx_params},
    {0, NULL},
};
