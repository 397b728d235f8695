/*
 * Encoders of bigmod's keys, lent where no other provider offers them (lend.h): PKCS#1, PKCS#8,
 * encrypted PKCS#8 and SubjectPublicKeyInfo, as DER or PEM, and text. The key's numbers go into the
 * library context that bigmod lends from, and libcrypto's own encoder writes them.
 */
#include "codec.h"

#include <string.h>

#include <openssl/bio.h>
#include <openssl/encoder.h>

enum { NAME_MAX_LEN = 50, PROPERTIES_MAX = 256 };

typedef struct encoder_ctx {
    bm_provider *prov;
    const bm_codec *codec;
    char cipher[NAME_MAX_LEN]; /* of an EncryptedPrivateKeyInfo; "": none */
    char cipher_properties[PROPERTIES_MAX];
} encoder_ctx;

static encoder_ctx *
newctx(bm_provider *prov, const bm_codec *codec)
{
    encoder_ctx *ctx = OPENSSL_zalloc(sizeof(*ctx));

    if (ctx == NULL) {
        bm_raise(prov, BM_R_OUT_OF_MEMORY, NULL);
        return NULL;
    }
    ctx->prov = prov;
    ctx->codec = codec;
    return ctx;
}

static void
freectx(void *vctx)
{
    OPENSSL_free(vctx);
}

static int
set_ctx_params(void *vctx, const OSSL_PARAM params[])
{
    encoder_ctx *ctx = vctx;
    const OSSL_PARAM *cipher = OSSL_PARAM_locate_const(params, OSSL_ENCODER_PARAM_CIPHER);
    const OSSL_PARAM *properties = OSSL_PARAM_locate_const(params, OSSL_ENCODER_PARAM_PROPERTIES);
    char *at = ctx->cipher;

    if (cipher != NULL) {
        *at = '\0';
        if (cipher->data != NULL && !OSSL_PARAM_get_utf8_string(cipher, &at, sizeof(ctx->cipher)))
            return 0;
    }
    at = ctx->cipher_properties;
    return properties == NULL || properties->data == NULL ||
           OSSL_PARAM_get_utf8_string(properties, &at, sizeof(ctx->cipher_properties));
}

static const OSSL_PARAM *
settable_ctx_params(void *provctx)
{
    static const OSSL_PARAM params[] = {
        OSSL_PARAM_utf8_string(OSSL_ENCODER_PARAM_CIPHER, NULL, 0),
        OSSL_PARAM_utf8_string(OSSL_ENCODER_PARAM_PROPERTIES, NULL, 0),
        OSSL_PARAM_END,
    };

    (void)provctx;
    return params;
}

/* ---- keys ---------------------------------------------------------------------------------- */

/* What export_key calls: the same key in the library context that we lend from. */
typedef struct transfer {
    const encoder_ctx *ctx;
    int selection;
    EVP_PKEY *pkey;
} transfer;

static int
receive(const OSSL_PARAM params[], void *arg)
{
    transfer *t = arg;
    OSSL_LIB_CTX *libctx = bm_lend_libctx(t->ctx->prov);
    EVP_PKEY_CTX *pctx;
    int ok;

    if (libctx == NULL)
        return 0;
    pctx = EVP_PKEY_CTX_new_from_name(libctx, t->ctx->codec->type, NULL);
    ok = pctx != NULL && EVP_PKEY_fromdata_init(pctx) > 0 &&
         EVP_PKEY_fromdata(pctx, &t->pkey, t->selection, (OSSL_PARAM *)params) > 0;
    EVP_PKEY_CTX_free(pctx);
    return ok;
}

static int
encode(void *vctx, OSSL_CORE_BIO *out, const void *key, const OSSL_PARAM abstract[], int selection,
       OSSL_PASSPHRASE_CALLBACK *pass_cb, void *pass_arg)
{
    const encoder_ctx *ctx = vctx;
    const bm_codec *codec = ctx->codec;
    const bm_codec_keymgmt keymgmt = bm_codec_find_keymgmt(codec->keymgmt);
    transfer t = {ctx, selection | OSSL_KEYMGMT_SELECT_ALL_PARAMETERS, NULL};
    OSSL_ENCODER_CTX *ectx = NULL;
    BIO *bio = NULL;
    int ok = 0;

    if (key == NULL || abstract != NULL) {
        bm_raise(ctx->prov, BM_R_NOT_SUPPORTED, NULL);
        return 0;
    }
    if ((selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY) != 0)
        t.selection |= OSSL_KEYMGMT_SELECT_PUBLIC_KEY; /* the structures hold both */
    if (!keymgmt.export_key((void *)key, t.selection, receive, &t))
        return 0;
    ectx =
        OSSL_ENCODER_CTX_new_for_pkey(t.pkey, t.selection, codec->format, codec->structure, NULL);
    bio = BIO_new_from_core_bio(ctx->prov->libctx, out);
    if (ectx != NULL && bio != NULL &&
        (ctx->cipher[0] == '\0' ||
         OSSL_ENCODER_CTX_set_cipher(ectx, ctx->cipher, ctx->cipher_properties)) &&
        (pass_cb == NULL || OSSL_ENCODER_CTX_set_passphrase_cb(ectx, pass_cb, pass_arg)))
        ok = OSSL_ENCODER_to_bio(ectx, bio);
    BIO_free(bio);
    OSSL_ENCODER_CTX_free(ectx);
    EVP_PKEY_free(t.pkey);
    return ok;
}

/* A key of another provider, from its numbers. */
static void *
import_object(void *vctx, int selection, const OSSL_PARAM params[])
{
    const encoder_ctx *ctx = vctx;
    const bm_codec_keymgmt keymgmt = bm_codec_find_keymgmt(ctx->codec->keymgmt);
    void *key = keymgmt.new_key(ctx->prov);

    if (key != NULL && !keymgmt.import_key(key, selection, params)) {
        keymgmt.free_key(key);
        key = NULL;
    }
    return key;
}

/* ---- the tables ---------------------------------------------------------------------------- */

#define ENCODER(id, type, keymgmt, format, structure, selection)                      \
    static const bm_codec id##_codec = {type, keymgmt, format, structure, selection}; \
    static void *id##_newctx(void *provctx)                                           \
    {                                                                                 \
        return newctx(provctx, &id##_codec);                                          \
    }                                                                                 \
    static int id##_does_selection(void *provctx, int asked)                          \
    {                                                                                 \
        (void)provctx;                                                                \
        return bm_codec_serves(selection, asked);                                     \
    }                                                                                 \
    static void id##_free_object(void *key)                                           \
    {                                                                                 \
        bm_codec_find_keymgmt(keymgmt).free_key(key);                                 \
    }                                                                                 \
    static const OSSL_DISPATCH id##_functions[] = {                                   \
        {OSSL_FUNC_ENCODER_NEWCTX, (void (*)(void))id##_newctx},                      \
        {OSSL_FUNC_ENCODER_FREECTX, (void (*)(void))freectx},                         \
        {OSSL_FUNC_ENCODER_SET_CTX_PARAMS, (void (*)(void))set_ctx_params},           \
        {OSSL_FUNC_ENCODER_SETTABLE_CTX_PARAMS, (void (*)(void))settable_ctx_params}, \
        {OSSL_FUNC_ENCODER_DOES_SELECTION, (void (*)(void))id##_does_selection},      \
        {OSSL_FUNC_ENCODER_IMPORT_OBJECT, (void (*)(void))import_object},             \
        {OSSL_FUNC_ENCODER_FREE_OBJECT, (void (*)(void))id##_free_object},            \
        {OSSL_FUNC_ENCODER_ENCODE, (void (*)(void))encode},                           \
        {0, NULL},                                                                    \
    }

/* One type in one structure, as DER and as PEM. */
#define ENCODERS(id, type, keymgmt, structure, selection)          \
    ENCODER(id##_der, type, keymgmt, "DER", structure, selection); \
    ENCODER(id##_pem, type, keymgmt, "PEM", structure, selection)

#define PRIVATE OSSL_KEYMGMT_SELECT_PRIVATE_KEY
#define PUBLIC OSSL_KEYMGMT_SELECT_PUBLIC_KEY
#define KEYPAIR OSSL_KEYMGMT_SELECT_KEYPAIR
#define ALL (OSSL_KEYMGMT_SELECT_KEYPAIR | OSSL_KEYMGMT_SELECT_ALL_PARAMETERS)

ENCODERS(rsa_pkcs8, "RSA", bm_keymgmt_rsa, "PrivateKeyInfo", PRIVATE);
ENCODERS(rsa_encrypted, "RSA", bm_keymgmt_rsa, "EncryptedPrivateKeyInfo", PRIVATE);
ENCODERS(rsa_spki, "RSA", bm_keymgmt_rsa, "SubjectPublicKeyInfo", PUBLIC);
ENCODERS(rsa_pkcs1, "RSA", bm_keymgmt_rsa, "type-specific", KEYPAIR);
ENCODER(rsa_text, "RSA", bm_keymgmt_rsa, "TEXT", NULL, ALL);
ENCODERS(rsa_pss_pkcs8, "RSA-PSS", bm_keymgmt_rsa_pss, "PrivateKeyInfo", PRIVATE);
ENCODERS(rsa_pss_encrypted, "RSA-PSS", bm_keymgmt_rsa_pss, "EncryptedPrivateKeyInfo", PRIVATE);
ENCODERS(rsa_pss_spki, "RSA-PSS", bm_keymgmt_rsa_pss, "SubjectPublicKeyInfo", PUBLIC);
ENCODER(rsa_pss_text, "RSA-PSS", bm_keymgmt_rsa_pss, "TEXT", NULL, ALL);
ENCODERS(ed25519_pkcs8, "ED25519", bm_keymgmt_ed25519, "PrivateKeyInfo", PRIVATE);
ENCODERS(ed25519_encrypted, "ED25519", bm_keymgmt_ed25519, "EncryptedPrivateKeyInfo", PRIVATE);
ENCODERS(ed25519_spki, "ED25519", bm_keymgmt_ed25519, "SubjectPublicKeyInfo", PUBLIC);
ENCODER(ed25519_text, "ED25519", bm_keymgmt_ed25519, "TEXT", NULL, ALL);

#define ALGORITHMS(names, id, structure)                                             \
    {names, BM_PROPERTIES ",output=der,structure=" structure, id##_der_functions,    \
     "key to " structure " in DER"},                                                 \
    {                                                                                \
        names, BM_PROPERTIES ",output=pem,structure=" structure, id##_pem_functions, \
            "key to " structure " in PEM"                                            \
    }

const OSSL_ALGORITHM bm_lent_encoders[] = {
    ALGORITHMS(BM_RSA_NAMES, rsa_pkcs8, "PrivateKeyInfo"),
    ALGORITHMS(BM_RSA_NAMES, rsa_encrypted, "EncryptedPrivateKeyInfo"),
    ALGORITHMS(BM_RSA_NAMES, rsa_spki, "SubjectPublicKeyInfo"),
    ALGORITHMS(BM_RSA_NAMES, rsa_pkcs1, "type-specific"),
    ALGORITHMS(BM_RSA_NAMES, rsa_pkcs1, "pkcs1"),
    {BM_RSA_NAMES, BM_PROPERTIES ",output=text", rsa_text_functions, "RSA key to text"},
    ALGORITHMS(BM_RSA_PSS_NAMES, rsa_pss_pkcs8, "PrivateKeyInfo"),
    ALGORITHMS(BM_RSA_PSS_NAMES, rsa_pss_encrypted, "EncryptedPrivateKeyInfo"),
    ALGORITHMS(BM_RSA_PSS_NAMES, rsa_pss_spki, "SubjectPublicKeyInfo"),
    {BM_RSA_PSS_NAMES, BM_PROPERTIES ",output=text", rsa_pss_text_functions, "RSA-PSS key to text"},
    ALGORITHMS(BM_ED25519_NAMES, ed25519_pkcs8, "PrivateKeyInfo"),
    ALGORITHMS(BM_ED25519_NAMES, ed25519_encrypted, "EncryptedPrivateKeyInfo"),
    ALGORITHMS(BM_ED25519_NAMES, ed25519_spki, "SubjectPublicKeyInfo"),
    {BM_ED25519_NAMES, BM_PROPERTIES ",output=text", ed25519_text_functions, "Ed25519 key to text"},
    {NULL, NULL, NULL, NULL},
};
