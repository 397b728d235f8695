/*
 * Decoders whose output is DER again: PEM is unwrapped, an EncryptedPrivateKeyInfo is decrypted
 * (RFC 7468, RFC 5958). What comes out goes to decoder_key.c, which may come from any provider.
 */
#include "decoder.h"

#include <string.h>

#include <openssl/bio.h>
#include <openssl/core_object.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/x509.h>

/* Passes DER on; type and structure may be NULL. */
static int
pass_on(uint8_t *der, size_t len, const char *type, const char *structure, OSSL_CALLBACK *data_cb,
        void *data_arg)
{
    int object_type = OSSL_OBJECT_PKEY;
    OSSL_PARAM params[5], *p = params;

    *p++ = OSSL_PARAM_construct_int(OSSL_OBJECT_PARAM_TYPE, &object_type);
    if (type != NULL)
        *p++ = OSSL_PARAM_construct_utf8_string(OSSL_OBJECT_PARAM_DATA_TYPE, (char *)type, 0);
    if (structure != NULL)
        *p++ = OSSL_PARAM_construct_utf8_string(OSSL_OBJECT_PARAM_DATA_STRUCTURE, (char *)structure,
                                                0);
    *p++ = OSSL_PARAM_construct_octet_string(OSSL_OBJECT_PARAM_DATA, der, len);
    *p = OSSL_PARAM_construct_end();
    return data_cb(params, data_arg);
}

/* ---- PEM ----------------------------------------------------------------------------------- */

static const struct {
    const char *label, *type, *structure;
} labels[] = {
    {PEM_STRING_PKCS8INF, NULL, "PrivateKeyInfo"},
    {PEM_STRING_PKCS8, NULL, "EncryptedPrivateKeyInfo"},
    {PEM_STRING_PUBLIC, NULL, "SubjectPublicKeyInfo"},
    {PEM_STRING_RSA, "RSA", "type-specific"},
    {PEM_STRING_RSA_PUBLIC, "RSA", "type-specific"},
};

/* A passphrase callback of the core, as PEM_do_header wants it. */
typedef struct passphrase {
    OSSL_PASSPHRASE_CALLBACK *cb;
    void *arg;
} passphrase;

static int
ask(char *buf, int size, int verify, void *arg)
{
    const passphrase *pass = arg;
    size_t len;

    (void)verify;
    if (pass->cb == NULL || !pass->cb(buf, (size_t)size, &len, NULL, pass->arg))
        return -1;
    return (int)len;
}

static int
pem_decode(void *vctx, OSSL_CORE_BIO *in, int selection, OSSL_CALLBACK *data_cb, void *data_arg,
           OSSL_PASSPHRASE_CALLBACK *pass_cb, void *pass_arg)
{
    const bm_decoder_ctx *ctx = vctx;
    passphrase pass = {pass_cb, pass_arg};
    char *label = NULL, *header = NULL;
    unsigned char *der = NULL;
    EVP_CIPHER_INFO cipher;
    BIO *bio = BIO_new_from_core_bio(ctx->prov->libctx, in);
    long len = 0;
    int ok = 1; /* nothing found is no error: other decoders may find something */

    (void)selection;
    if (bio == NULL)
        return 0;
    ERR_set_mark();
    if (PEM_read_bio(bio, &label, &header, &der, &len) > 0 &&
        PEM_get_EVP_CIPHER_INFO(header, &cipher) > 0 &&
        PEM_do_header(&cipher, der, &len, ask, &pass) > 0) {
        for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++) {
            if (strcmp(label, labels[i].label) == 0) {
                ERR_pop_to_mark();
                ok = pass_on(der, (size_t)len, labels[i].type, labels[i].structure, data_cb,
                             data_arg);
                ERR_set_mark();
                break;
            }
        }
    }
    ERR_pop_to_mark();
    OPENSSL_free(label);
    OPENSSL_free(header);
    OPENSSL_clear_free(der, (size_t)len);
    BIO_free(bio);
    return ok;
}

/* ---- encrypted PKCS#8 ---------------------------------------------------------------------- */

enum { PASSPHRASE_MAX = 1024 };

/* The PrivateKeyInfo in `encrypted`, as DER to *der; its length, or -1. */
static int
decrypt_info(const bm_decoder_ctx *ctx, const X509_SIG *encrypted, const char *pass, size_t len,
             uint8_t **der)
{
    OSSL_LIB_CTX *libctx = bm_lend_libctx(ctx->prov);
    PKCS8_PRIV_KEY_INFO *info =
        libctx == NULL ? NULL : PKCS8_decrypt_ex(encrypted, pass, (int)len, libctx, NULL);
    int der_len = info == NULL ? -1 : i2d_PKCS8_PRIV_KEY_INFO(info, der);

    PKCS8_PRIV_KEY_INFO_free(info);
    return der_len;
}

static int
pkcs8_decode(void *vctx, OSSL_CORE_BIO *in, int selection, OSSL_CALLBACK *data_cb, void *data_arg,
             OSSL_PASSPHRASE_CALLBACK *pass_cb, void *pass_arg)
{
    const bm_decoder_ctx *ctx = vctx;
    uint8_t *der = NULL, *plain = NULL;
    const uint8_t *at;
    char pass[PASSPHRASE_MAX];
    size_t len, pass_len = 0;
    X509_SIG *encrypted = NULL;
    int plain_len, ok = 1;

    (void)selection;
    if (!bm_decoder_read(ctx, in, &der, &len))
        return 1;
    at = der;
    ERR_set_mark();
    encrypted = d2i_X509_SIG(NULL, &at, (long)len);
    ERR_pop_to_mark();
    if (encrypted != NULL && at == der + len) {
        if (!pass_cb(pass, sizeof(pass), &pass_len, NULL, pass_arg)) {
            bm_raise(ctx->prov, BM_R_BAD_ENCODING, "no passphrase");
            ok = 0;
        } else {
            plain_len = decrypt_info(ctx, encrypted, pass, pass_len, &plain);
            ok = plain_len > 0 &&
                 pass_on(plain, (size_t)plain_len, NULL, "PrivateKeyInfo", data_cb, data_arg);
            OPENSSL_clear_free(plain, plain_len > 0 ? (size_t)plain_len : 0);
        }
        OPENSSL_cleanse(pass, sizeof(pass));
    }
    X509_SIG_free(encrypted);
    OPENSSL_free(der);
    return ok;
}

static int
pkcs8_does_selection(void *provctx, int selection)
{
    (void)provctx;
    return bm_codec_serves(OSSL_KEYMGMT_SELECT_PRIVATE_KEY, selection);
}

static void *
newctx(void *provctx)
{
    return bm_decoder_newctx(provctx, NULL);
}

const OSSL_DISPATCH bm_decoder_pem[] = {
    {OSSL_FUNC_DECODER_NEWCTX, (void (*)(void))newctx},
    {OSSL_FUNC_DECODER_FREECTX, (void (*)(void))bm_decoder_freectx},
    {OSSL_FUNC_DECODER_DECODE, (void (*)(void))pem_decode},
    {0, NULL},
};

const OSSL_DISPATCH bm_decoder_pkcs8[] = {
    {OSSL_FUNC_DECODER_NEWCTX, (void (*)(void))newctx},
    {OSSL_FUNC_DECODER_FREECTX, (void (*)(void))bm_decoder_freectx},
    {OSSL_FUNC_DECODER_DOES_SELECTION, (void (*)(void))pkcs8_does_selection},
    {OSSL_FUNC_DECODER_DECODE, (void (*)(void))pkcs8_decode},
    {0, NULL},
};
