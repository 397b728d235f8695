/*
 * Decoders from DER to keys of bigmod, lent where no other provider offers them (lend.h): PKCS#1,
 * PKCS#8 and SubjectPublicKeyInfo (RFC 8017 A.1, RFC 5958, RFC 5280). libcrypto's own DER code
 * reads the key in the library context that bigmod lends from; its numbers are then imported here.
 * The type must be the one of the decoder: an RSA key under RSA-PSS's object identifier is no RSA
 * key (FAILURES.md row 85).
 */
#include "decoder.h"

#include <string.h>

#include <openssl/bio.h>
#include <openssl/core_object.h>
#include <openssl/decoder.h>
#include <openssl/err.h>

/* ---- shared -------------------------------------------------------------------------------- */

bm_decoder_ctx *
bm_decoder_newctx(bm_provider *prov, const bm_codec *codec)
{
    bm_decoder_ctx *ctx = OPENSSL_zalloc(sizeof(*ctx));

    if (ctx == NULL) {
        bm_raise(prov, BM_R_OUT_OF_MEMORY, NULL);
        return NULL;
    }
    ctx->prov = prov;
    ctx->codec = codec;
    return ctx;
}

void
bm_decoder_freectx(void *vctx)
{
    OPENSSL_free(vctx);
}

enum { DER_MAX = 1 << 18, HEADER_MAX = 2 + sizeof(uint32_t) };

/* Exactly len bytes, or false. */
static bool
read_all(BIO *bio, uint8_t *bytes, size_t len)
{
    for (size_t at = 0, got; at < len; at += got)
        if (!BIO_read_ex(bio, bytes + at, len - at, &got) || got == 0)
            return false;
    return true;
}

/* The header of a DER SEQUENCE: its own length to *header_len, that of the content to *len. */
static bool
read_header(BIO *bio, uint8_t header[HEADER_MAX], size_t *header_len, size_t *len)
{
    size_t num;

    if (!read_all(bio, header, 2) || header[0] != 0x30)
        return false;
    *header_len = 2;
    *len = header[1];
    if (*len < 0x80)
        return true;
    num = *len & 0x7F;
    if (num == 0 || num > HEADER_MAX - 2 || !read_all(bio, header + 2, num))
        return false;
    *len = 0;
    for (size_t i = 0; i < num; i++)
        *len = *len << 8 | header[2 + i];
    *header_len = 2 + num;
    return *len <= DER_MAX;
}

bool
bm_decoder_read(const bm_decoder_ctx *ctx, OSSL_CORE_BIO *in, uint8_t **der, size_t *len)
{
    BIO *bio = BIO_new_from_core_bio(ctx->prov->libctx, in);
    uint8_t header[HEADER_MAX];
    size_t header_len, content_len;
    bool ok = false;

    *der = NULL;
    if (bio == NULL)
        return false;
    if (read_header(bio, header, &header_len, &content_len)) {
        *len = header_len + content_len;
        *der = OPENSSL_malloc(*len);
        if (*der != NULL) {
            memcpy(*der, header, header_len);
            ok = read_all(bio, *der + header_len, content_len);
        }
    }
    if (!ok) {
        OPENSSL_free(*der);
        *der = NULL;
    }
    BIO_free(bio);
    return ok;
}

/* ---- DER to key ---------------------------------------------------------------------------- */

/* libcrypto's key from DER, of exactly the type and structure of the codec; NULL: it is none. */
static EVP_PKEY *
read_key(const bm_decoder_ctx *ctx, const uint8_t *der, size_t len)
{
    const bm_codec *codec = ctx->codec;
    OSSL_LIB_CTX *libctx = bm_lend_libctx(ctx->prov);
    OSSL_DECODER_CTX *dctx;
    EVP_PKEY *pkey = NULL;

    if (libctx == NULL)
        return NULL;
    ERR_set_mark();
    dctx = OSSL_DECODER_CTX_new_for_pkey(&pkey, "DER", codec->structure, codec->type,
                                         codec->selection, libctx, NULL);
    if (dctx == NULL || !OSSL_DECODER_from_data(dctx, &der, &len) || len != 0 ||
        !EVP_PKEY_is_a(pkey, codec->type)) {
        EVP_PKEY_free(pkey);
        pkey = NULL;
    }
    OSSL_DECODER_CTX_free(dctx);
    ERR_pop_to_mark();
    return pkey;
}

/* The key of bigmod with the numbers of pkey; NULL with an error raised. */
static void *
import_pkey(const bm_decoder_ctx *ctx, const bm_codec_keymgmt *keymgmt, EVP_PKEY *pkey)
{
    int selection = ctx->codec->selection | OSSL_KEYMGMT_SELECT_ALL_PARAMETERS;
    OSSL_PARAM *params = NULL;
    void *key = NULL;

    if (EVP_PKEY_todata(pkey, selection, &params) > 0) {
        key = keymgmt->new_key(ctx->prov);
        if (key != NULL && !keymgmt->import_key(key, selection, params)) {
            keymgmt->free_key(key);
            key = NULL;
        }
    }
    OSSL_PARAM_free(params);
    return key;
}

static int
decode(void *vctx, OSSL_CORE_BIO *in, int selection, OSSL_CALLBACK *data_cb, void *data_arg,
       OSSL_PASSPHRASE_CALLBACK *pass_cb, void *pass_arg)
{
    const bm_decoder_ctx *ctx = vctx;
    const bm_codec_keymgmt keymgmt = bm_codec_find_keymgmt(ctx->codec->keymgmt);
    int object_type = OSSL_OBJECT_PKEY, ok = 1; /* nothing found is no error */
    EVP_PKEY *pkey;
    uint8_t *der;
    size_t len;
    void *key;

    (void)pass_cb;
    (void)pass_arg;
    if (!bm_codec_serves(ctx->codec->selection, selection) || !bm_decoder_read(ctx, in, &der, &len))
        return 1;
    pkey = read_key(ctx, der, len);
    OPENSSL_clear_free(der, len);
    if (pkey == NULL)
        return 1;
    key = import_pkey(ctx, &keymgmt, pkey);
    EVP_PKEY_free(pkey);
    if (key != NULL) {
        OSSL_PARAM params[] = {
            OSSL_PARAM_int(OSSL_OBJECT_PARAM_TYPE, &object_type),
            OSSL_PARAM_utf8_string(OSSL_OBJECT_PARAM_DATA_TYPE, (char *)ctx->codec->type,
                                   strlen(ctx->codec->type)),
            OSSL_PARAM_octet_string(OSSL_OBJECT_PARAM_REFERENCE, &key, sizeof(key)),
            OSSL_PARAM_END,
        };

        ok = data_cb(params, data_arg); /* takes the key and clears our reference, or not */
        if (key != NULL)
            keymgmt.free_key(key);
    }
    return ok;
}

static int
export_object(void *vctx, const void *reference, size_t reference_len, OSSL_CALLBACK *cb, void *arg)
{
    const bm_decoder_ctx *ctx = vctx;
    const bm_codec_keymgmt keymgmt = bm_codec_find_keymgmt(ctx->codec->keymgmt);
    int selection = ctx->codec->selection | OSSL_KEYMGMT_SELECT_ALL_PARAMETERS;

    if (reference_len != sizeof(void *))
        return 0;
    return keymgmt.export_key(*(void *const *)reference, selection, cb, arg);
}

/* ---- the tables ---------------------------------------------------------------------------- */

#define DECODER(id, type, keymgmt, structure, selection)                             \
    static const bm_codec id##_codec = {type, keymgmt, "DER", structure, selection}; \
    static void *id##_newctx(void *provctx)                                          \
    {                                                                                \
        return bm_decoder_newctx(provctx, &id##_codec);                              \
    }                                                                                \
    static int id##_does_selection(void *provctx, int asked)                         \
    {                                                                                \
        (void)provctx;                                                               \
        return bm_codec_serves(selection, asked);                                    \
    }                                                                                \
    static const OSSL_DISPATCH id##_functions[] = {                                  \
        {OSSL_FUNC_DECODER_NEWCTX, (void (*)(void))id##_newctx},                     \
        {OSSL_FUNC_DECODER_FREECTX, (void (*)(void))bm_decoder_freectx},             \
        {OSSL_FUNC_DECODER_DOES_SELECTION, (void (*)(void))id##_does_selection},     \
        {OSSL_FUNC_DECODER_DECODE, (void (*)(void))decode},                          \
        {OSSL_FUNC_DECODER_EXPORT_OBJECT, (void (*)(void))export_object},            \
        {0, NULL},                                                                   \
    }

#define KEYPAIR OSSL_KEYMGMT_SELECT_KEYPAIR
#define PRIVATE OSSL_KEYMGMT_SELECT_KEYPAIR
#define PUBLIC OSSL_KEYMGMT_SELECT_PUBLIC_KEY

DECODER(rsa_pkcs8, "RSA", bm_keymgmt_rsa, "PrivateKeyInfo", PRIVATE);
DECODER(rsa_spki, "RSA", bm_keymgmt_rsa, "SubjectPublicKeyInfo", PUBLIC);
DECODER(rsa_pkcs1, "RSA", bm_keymgmt_rsa, "type-specific", KEYPAIR);
DECODER(rsa_pss_pkcs8, "RSA-PSS", bm_keymgmt_rsa_pss, "PrivateKeyInfo", PRIVATE);
DECODER(rsa_pss_spki, "RSA-PSS", bm_keymgmt_rsa_pss, "SubjectPublicKeyInfo", PUBLIC);
DECODER(ed25519_pkcs8, "ED25519", bm_keymgmt_ed25519, "PrivateKeyInfo", PRIVATE);
DECODER(ed25519_spki, "ED25519", bm_keymgmt_ed25519, "SubjectPublicKeyInfo", PUBLIC);

#define FROM_DER(structure) BM_PROPERTIES ",input=der,structure=" structure

const OSSL_ALGORITHM bm_lent_decoders[] = {
    {BM_RSA_NAMES, FROM_DER("PrivateKeyInfo"), rsa_pkcs8_functions, "PKCS#8 to RSA key"},
    {BM_RSA_NAMES, FROM_DER("SubjectPublicKeyInfo"), rsa_spki_functions, "SPKI to RSA key"},
    {BM_RSA_NAMES, FROM_DER("type-specific"), rsa_pkcs1_functions, "PKCS#1 to RSA key"},
    {BM_RSA_PSS_NAMES, FROM_DER("PrivateKeyInfo"), rsa_pss_pkcs8_functions,
     "PKCS#8 to RSA-PSS key"},
    {BM_RSA_PSS_NAMES, FROM_DER("SubjectPublicKeyInfo"), rsa_pss_spki_functions,
     "SPKI to RSA-PSS key"},
    {BM_ED25519_NAMES, FROM_DER("PrivateKeyInfo"), ed25519_pkcs8_functions,
     "PKCS#8 to Ed25519 key"},
    {BM_ED25519_NAMES, FROM_DER("SubjectPublicKeyInfo"), ed25519_spki_functions,
     "SPKI to Ed25519 key"},
    {"DER", FROM_DER("EncryptedPrivateKeyInfo"), bm_decoder_pkcs8, "encrypted PKCS#8 to PKCS#8"},
    {"DER", BM_PROPERTIES ",input=pem", bm_decoder_pem, "PEM to DER"},
    {NULL, NULL, NULL, NULL},
};
