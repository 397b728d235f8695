/*
 * One operation, again and again: what test/count_arm64.sh counts the instructions of. Through EVP,
 * and in the provider that is named, or it fails.
 *
 *     count_ops MODULE_DIR PROVIDER rsa2048|rsa3072|rsa4096|ed25519 sign|verify KEY.pem TIMES
 */
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/provider.h>
#include <openssl/rsa.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SIGNATURE = 2048, MESSAGE_LEN = 32 };

static int
fail(const char *what)
{
    fprintf(stderr, "count_ops: %s\n", what);
    ERR_print_errors_fp(stderr);
    return 1;
}

/* The operation that is set up runs in that provider. */
static bool
runs_in(EVP_PKEY_CTX *ctx, const char *provider)
{
    const OSSL_PROVIDER *p = ctx != NULL ? EVP_PKEY_CTX_get0_provider(ctx) : NULL;

    return p != NULL && strcmp(OSSL_PROVIDER_get0_name(p), provider) == 0;
}

/* A context for PKCS#1 v1.5 with SHA-256; Ed25519 takes a new EVP_MD_CTX a message. */
static EVP_PKEY_CTX *
rsa_ctx(OSSL_LIB_CTX *lib, EVP_PKEY *key, const char *provider, int (*init)(EVP_PKEY_CTX *))
{
    char properties[64];
    EVP_PKEY_CTX *ctx;

    snprintf(properties, sizeof(properties), "?provider=%s", provider);
    ctx = EVP_PKEY_CTX_new_from_pkey(lib, key, properties);

    if (ctx == NULL || init(ctx) <= 0 || !runs_in(ctx, provider) ||
        EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_PKCS1_PADDING) <= 0 ||
        EVP_PKEY_CTX_set_signature_md(ctx, EVP_sha256()) <= 0) {
        EVP_PKEY_CTX_free(ctx);
        return NULL;
    }
    return ctx;
}

static bool
ed25519_once(OSSL_LIB_CTX *lib, EVP_PKEY *key, const char *provider, bool sign, uint8_t *signature,
             size_t *len, const uint8_t *message)
{
    EVP_MD_CTX *md = EVP_MD_CTX_new();
    char properties[64];
    bool ok;

    snprintf(properties, sizeof(properties), "?provider=%s", provider);
    if (sign)
        ok = EVP_DigestSignInit_ex(md, NULL, NULL, lib, properties, key, NULL) > 0 &&
             runs_in(EVP_MD_CTX_get_pkey_ctx(md), provider) &&
             EVP_DigestSign(md, signature, len, message, MESSAGE_LEN) > 0;
    else
        ok = EVP_DigestVerifyInit_ex(md, NULL, NULL, lib, properties, key, NULL) > 0 &&
             runs_in(EVP_MD_CTX_get_pkey_ctx(md), provider) &&
             EVP_DigestVerify(md, signature, *len, message, MESSAGE_LEN) > 0;
    EVP_MD_CTX_free(md);
    return ok;
}

int
main(int argc, char **argv)
{
    OSSL_LIB_CTX *lib = OSSL_LIB_CTX_new();
    uint8_t message[MESSAGE_LEN] = {1, 2, 3}, signature[MAX_SIGNATURE];
    size_t len = sizeof(signature);
    const char *provider;
    char properties[64];
    bool rsa, sign;
    EVP_PKEY *key;
    FILE *file;

    if (argc != 7)
        return fail("usage: MODULE_DIR PROVIDER rsa2048|..|ed25519 sign|verify KEY.pem TIMES");
    provider = argv[2];
    snprintf(properties, sizeof(properties), "?provider=%s", provider);
    rsa = strncmp(argv[3], "rsa", 3) == 0;
    sign = strcmp(argv[4], "sign") == 0;
    OSSL_PROVIDER_set_default_search_path(lib, argv[1]);
    if (OSSL_PROVIDER_load(lib, "default") == NULL ||
        (strcmp(provider, "default") != 0 && OSSL_PROVIDER_load(lib, provider) == NULL))
        return fail("a provider does not load");
    file = fopen(argv[5], "r");
    if (file == NULL)
        return fail("no key file");
    key = PEM_read_PrivateKey_ex(file, NULL, NULL, NULL, lib, properties);
    fclose(file);
    if (key == NULL)
        return fail("no key");

    if (rsa) {
        EVP_PKEY_CTX *signing = rsa_ctx(lib, key, provider, EVP_PKEY_sign_init);
        EVP_PKEY_CTX *verifying = rsa_ctx(lib, key, provider, EVP_PKEY_verify_init);

        if (signing == NULL || verifying == NULL ||
            EVP_PKEY_sign(signing, signature, &len, message, MESSAGE_LEN) <= 0)
            return fail("sign");
        for (long i = 0; i < atol(argv[6]); i++)
            if (sign ? EVP_PKEY_sign(signing, signature, &len, message, MESSAGE_LEN) <= 0
                     : EVP_PKEY_verify(verifying, signature, len, message, MESSAGE_LEN) <= 0)
                return fail(argv[4]);
        EVP_PKEY_CTX_free(signing);
        EVP_PKEY_CTX_free(verifying);
    } else {
        if (!ed25519_once(lib, key, provider, true, signature, &len, message))
            return fail("sign");
        for (long i = 0; i < atol(argv[6]); i++)
            if (!ed25519_once(lib, key, provider, sign, signature, &len, message))
                return fail(argv[4]);
    }
    EVP_PKEY_free(key);
    OSSL_LIB_CTX_free(lib);
    return 0;
}
