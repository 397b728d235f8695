/*
 * RSA decryption differentially, for PKCS#1 v1.5 without implicit rejection, OAEP and no padding:
 * same verdict, same message; on error the output is untouched or zero. FAILURES.md rows 31,
 * 47, 49.
 */
#include "fuzz.h"

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/params.h>
#include <openssl/rsa.h>

enum { K = 64 };

/* c = em^e mod n, so that em is what the decryption sees. */
static void
encrypt_raw(uint8_t c[K], const uint8_t em[K])
{
    EVP_PKEY_CTX *ctx =
        EVP_PKEY_CTX_new_from_pkey(fuzz_lib(), fuzz_rsa_key(FUZZ_THEIRS), FUZZ_THEIRS);
    size_t len = K;

    if (EVP_PKEY_encrypt_init(ctx) <= 0 || EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_NO_PADDING) <= 0 ||
        EVP_PKEY_encrypt(ctx, c, &len, em, K) <= 0)
        memcpy(c, em, K);
    EVP_PKEY_CTX_free(ctx);
}

static size_t
decrypt(const char *properties, int padding, const uint8_t *c, size_t c_len, uint8_t out[K])
{
    EVP_PKEY_CTX *ctx =
        EVP_PKEY_CTX_new_from_pkey(fuzz_lib(), fuzz_rsa_key(properties), properties);
    unsigned off = 0;
    OSSL_PARAM params[] = {OSSL_PARAM_uint("implicit-rejection", &off), OSSL_PARAM_END};
    size_t len = K;

    memset(out, 0xA5, K);
    if (EVP_PKEY_decrypt_init(ctx) <= 0 || EVP_PKEY_CTX_set_rsa_padding(ctx, padding) <= 0 ||
        (padding == RSA_PKCS1_PADDING && strcmp(properties, FUZZ_OURS) == 0 &&
         EVP_PKEY_CTX_set_params(ctx, params) <= 0))
        fuzz_fail("cannot set up decryption");
    if (EVP_PKEY_decrypt(ctx, out, &len, c, c_len) <= 0)
        len = SIZE_MAX;
    EVP_PKEY_CTX_free(ctx);
    return len;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const int paddings[] = {RSA_PKCS1_PADDING, RSA_PKCS1_OAEP_PADDING, RSA_NO_PADDING};
    fuzz_input in = {data, size};
    unsigned mode = fuzz_byte(&in);
    int padding = paddings[mode % 3];
    uint8_t em[K] = {0}, c[K + 2] = {0}, mine[K], yours[K];
    size_t taken, c_len = K, mine_len, yours_len;
    const uint8_t *p = fuzz_bytes(&in, K, &taken);

    if (taken > 0)
        memcpy(em, p, taken);
    if (mode & 16)
        em[0] = 0;
    if (mode & 32) {
        em[0] = 0;
        em[1] = 2;
    }
    if (mode & 64)
        memcpy(c, em, K);
    else
        encrypt_raw(c, em);
    if (mode & 128)
        c_len = K - 1 + fuzz_byte(&in) % 4;

    mine_len = decrypt(FUZZ_OURS, padding, c, c_len, mine);
    yours_len = decrypt(FUZZ_THEIRS, padding, c, c_len, yours);
    if (mine_len != yours_len || (mine_len != SIZE_MAX && memcmp(mine, yours, mine_len) != 0))
        fuzz_fail("bigmod and default decrypt differently");
    for (size_t i = 0; mine_len == SIZE_MAX && i < K; i++) {
        if (mine[i] != 0xA5 && mine[i] != 0)
            fuzz_fail("a failed decryption left something in the output");
    }
    ERR_clear_error();
    return 0;
}
