/*
 * RSA keys made of arbitrary numbers: bigmod imports what default imports, and a signature that
 * leaves verifies. FAILURES.md rows 24 to 35.
 */
#include "fuzz.h"

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/param_build.h>
#include <openssl/rsa.h>

#include <openssl/bn.h>
#include <sanitizer/lsan_interface.h>

enum { MAX_BYTES = 66 };

static const char *const names[] = {
    OSSL_PKEY_PARAM_RSA_N,         OSSL_PKEY_PARAM_RSA_E,
    OSSL_PKEY_PARAM_RSA_D,         OSSL_PKEY_PARAM_RSA_FACTOR1,
    OSSL_PKEY_PARAM_RSA_FACTOR2,   OSSL_PKEY_PARAM_RSA_EXPONENT1,
    OSSL_PKEY_PARAM_RSA_EXPONENT2, OSSL_PKEY_PARAM_RSA_COEFFICIENT1,
};
enum { NAMES = sizeof(names) / sizeof(names[0]) };

static BIGNUM *numbers[NAMES];

/* The numbers of a true key, each kept, dropped, changed by one byte, or replaced. */
static OSSL_PARAM *
make_params(fuzz_input *in)
{
    OSSL_PARAM_BLD *build = OSSL_PARAM_BLD_new();
    OSSL_PARAM *params;
    BIGNUM *edited[NAMES] = {NULL};

    for (int i = 0; i < NAMES; i++) {
        unsigned action = fuzz_byte(in);
        uint8_t bytes[MAX_BYTES] = {0};
        int len = BN_num_bytes(numbers[i]);
        size_t taken;

        BN_bn2bin(numbers[i], bytes);
        if (action % 8 == 1) {
            continue;
        } else if (action % 8 == 2 && len > 0) {
            bytes[fuzz_byte(in) % (unsigned)len] ^= (uint8_t)fuzz_byte(in);
        } else if (action % 8 == 3) {
            const uint8_t *p = fuzz_bytes(in, fuzz_byte(in) % MAX_BYTES, &taken);

            memset(bytes, 0, sizeof(bytes));
            if (taken > 0)
                memcpy(bytes, p, taken);
            len = (int)taken;
        }
        edited[i] = BN_bin2bn(bytes, len, NULL);
        OSSL_PARAM_BLD_push_BN(build, names[i], edited[i]);
    }
    params = OSSL_PARAM_BLD_to_param(build);
    OSSL_PARAM_BLD_free(build);
    for (int i = 0; i < NAMES; i++)
        BN_free(edited[i]);
    return params;
}

static EVP_PKEY *
import(OSSL_PARAM *params, const char *properties, int selection)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(fuzz_lib(), "RSA", properties);
    EVP_PKEY *key = NULL;

    if (EVP_PKEY_fromdata_init(ctx) <= 0 || EVP_PKEY_fromdata(ctx, &key, selection, params) <= 0)
        key = NULL;
    EVP_PKEY_CTX_free(ctx);
    return key;
}

/* Signs 32 bytes of 0x01 without padding digest; whether the result verifies in default. */
static void
sign(EVP_PKEY *ours, EVP_PKEY *theirs)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(fuzz_lib(), ours, FUZZ_OURS);
    uint8_t message[32], signature[4 * MAX_BYTES];
    size_t len = sizeof(signature);

    memset(message, 1, sizeof(message));
    if (ctx != NULL && EVP_PKEY_sign_init(ctx) > 0 &&
        EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_PKCS1_PADDING) > 0 &&
        EVP_PKEY_sign(ctx, signature, &len, message, sizeof(message)) > 0) {
        EVP_PKEY_CTX *check = EVP_PKEY_CTX_new_from_pkey(fuzz_lib(), theirs, FUZZ_THEIRS);

        if (EVP_PKEY_verify_init(check) <= 0 ||
            EVP_PKEY_CTX_set_rsa_padding(check, RSA_PKCS1_PADDING) <= 0 ||
            EVP_PKEY_verify(check, signature, len, message, sizeof(message)) != 1)
            fuzz_fail("a signature left that does not verify");
        EVP_PKEY_CTX_free(check);
    }
    EVP_PKEY_CTX_free(ctx);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, size};
    int selection = fuzz_byte(&in) % 4 == 0 ? EVP_PKEY_PUBLIC_KEY : EVP_PKEY_KEYPAIR;
    OSSL_PARAM *params;
    EVP_PKEY *ours, *theirs;

    for (int i = 0; i < NAMES && numbers[i] == NULL; i++)
        EVP_PKEY_get_bn_param(fuzz_rsa_key(FUZZ_THEIRS), names[i], &numbers[i]);
    params = make_params(&in);
    ours = import(params, FUZZ_OURS, selection);
    __lsan_disable(); /* libcrypto 3.0 leaks what it refuses */
    theirs = import(params, FUZZ_THEIRS, selection);
    __lsan_enable();
    if (ours != NULL && theirs == NULL)
        fuzz_fail("bigmod imports a key that default refuses");
    if (ours != NULL && selection == EVP_PKEY_KEYPAIR)
        sign(ours, theirs);
    EVP_PKEY_free(ours);
    EVP_PKEY_free(theirs);
    OSSL_PARAM_free(params);
    ERR_clear_error();
    return 0;
}
