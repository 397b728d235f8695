/* Both providers in one process for the fuzz targets, and their RSA key. */
#include "fuzz.h"

#include <openssl/core.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/provider.h>
#include <openssl/rsa.h>

extern OSSL_provider_init_fn OSSL_provider_init;

static OSSL_LIB_CTX *lib;
static EVP_PKEY *keys[2];

OSSL_LIB_CTX *
fuzz_lib(void)
{
    if (lib != NULL)
        return lib;
    lib = OSSL_LIB_CTX_new();
    if (lib == NULL || !OSSL_PROVIDER_add_builtin(lib, "bigmod", OSSL_provider_init) ||
        OSSL_PROVIDER_load(lib, "default") == NULL || OSSL_PROVIDER_load(lib, "bigmod") == NULL) {
        ERR_print_errors_fp(stderr);
        fuzz_fail("cannot load the providers");
    }
    return lib;
}

EVP_PKEY *
fuzz_rsa_key(const char *properties)
{
    int which = strcmp(properties, FUZZ_OURS) == 0;
    EVP_PKEY_CTX *ctx;
    OSSL_PARAM *params = NULL;

    if (keys[which] != NULL)
        return keys[which];
    if (keys[0] == NULL) {
        ctx = EVP_PKEY_CTX_new_from_name(fuzz_lib(), "RSA", FUZZ_THEIRS);
        if (ctx == NULL || EVP_PKEY_keygen_init(ctx) <= 0 ||
            EVP_PKEY_CTX_set_rsa_keygen_bits(ctx, 512) <= 0 ||
            EVP_PKEY_generate(ctx, &keys[0]) <= 0)
            fuzz_fail("cannot generate a key");
        EVP_PKEY_CTX_free(ctx);
    }
    if (keys[which] == NULL) {
        ctx = EVP_PKEY_CTX_new_from_name(fuzz_lib(), "RSA", properties);
        if (EVP_PKEY_todata(keys[0], EVP_PKEY_KEYPAIR, &params) <= 0 ||
            EVP_PKEY_fromdata_init(ctx) <= 0 ||
            EVP_PKEY_fromdata(ctx, &keys[which], EVP_PKEY_KEYPAIR, params) <= 0)
            fuzz_fail("cannot import the key");
        OSSL_PARAM_free(params);
        EVP_PKEY_CTX_free(ctx);
    }
    return keys[which];
}
