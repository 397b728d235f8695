/*
 * RSA verification differentially: the input is the encoded message or the signature itself, for
 * PKCS#1 v1.5, PSS and no padding; both providers must give one verdict. FAILURES.md rows 40 to 42.
 */
#include "fuzz.h"

#include <openssl/err.h>
#include <openssl/rsa.h>

enum { K = 64 };

/* s = em^d mod n, so that em is what the verifier sees. */
static void
sign_raw(uint8_t s[K], const uint8_t em[K])
{
    EVP_PKEY_CTX *ctx =
        EVP_PKEY_CTX_new_from_pkey(fuzz_lib(), fuzz_rsa_key(FUZZ_THEIRS), FUZZ_THEIRS);
    size_t len = K;

    if (EVP_PKEY_sign_init(ctx) <= 0 || EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_NO_PADDING) <= 0 ||
        EVP_PKEY_sign(ctx, s, &len, em, K) <= 0)
        memcpy(s, em, K); /* em >= n */
    EVP_PKEY_CTX_free(ctx);
}

static int
verify(const char *properties, int padding, int salt, const EVP_MD *md, const uint8_t *s,
       size_t s_len, const uint8_t *digest)
{
    EVP_PKEY_CTX *ctx =
        EVP_PKEY_CTX_new_from_pkey(fuzz_lib(), fuzz_rsa_key(properties), properties);
    int ok =
        EVP_PKEY_verify_init(ctx) > 0 && EVP_PKEY_CTX_set_rsa_padding(ctx, padding) > 0 &&
        EVP_PKEY_CTX_set_signature_md(ctx, md) > 0 &&
        (padding != RSA_PKCS1_PSS_PADDING || EVP_PKEY_CTX_set_rsa_pss_saltlen(ctx, salt) > 0) &&
        EVP_PKEY_verify(ctx, s, s_len, digest, (size_t)EVP_MD_get_size(md)) == 1;

    EVP_PKEY_CTX_free(ctx);
    return ok;
}

/* What bigmod and default recover from a PKCS#1 signature must be the same. */
static size_t
recover(const char *properties, const uint8_t *s, size_t s_len, uint8_t out[K])
{
    EVP_PKEY_CTX *ctx =
        EVP_PKEY_CTX_new_from_pkey(fuzz_lib(), fuzz_rsa_key(properties), properties);
    size_t len = K;

    if (EVP_PKEY_verify_recover_init(ctx) <= 0 ||
        EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_PKCS1_PADDING) <= 0 ||
        EVP_PKEY_verify_recover(ctx, out, &len, s, s_len) <= 0)
        len = SIZE_MAX;
    EVP_PKEY_CTX_free(ctx);
    return len;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint8_t prefix[] = {0x30, 0x21, 0x30, 0x09, 0x06, 0x05, 0x2b, 0x0e,
                                     0x03, 0x02, 0x1a, 0x05, 0x00, 0x04, 0x14};
    fuzz_input in = {data, size};
    unsigned mode = fuzz_byte(&in);
    int padding = mode & 1 ? RSA_PKCS1_PSS_PADDING : RSA_PKCS1_PADDING;
    int salt = (int)(mode >> 4) - 3; /* the special values and short ones */
    uint8_t em[K] = {0}, s[K + 2] = {0}, digest[20], mine[K], yours[K];
    size_t taken, s_len = K, mine_len, yours_len;
    const uint8_t *p;

    memset(digest, 7, sizeof(digest));
    if (mode & 2) { /* a true block, then changed by a few bytes */
        em[1] = 1;
        memset(em + 2, 0xff, K - 3 - sizeof(prefix) - sizeof(digest));
        memcpy(em + K - sizeof(prefix) - sizeof(digest), prefix, sizeof(prefix));
        memcpy(em + K - sizeof(digest), digest, sizeof(digest));
        for (unsigned n = fuzz_byte(&in) % 4; n > 0; n--) {
            unsigned at = fuzz_byte(&in) % K;

            em[at] ^= (uint8_t)fuzz_byte(&in);
        }
    } else {
        p = fuzz_bytes(&in, K, &taken);
        if (taken > 0)
            memcpy(em, p, taken);
    }
    if (mode & 4)
        sign_raw(s, em);
    else
        memcpy(s, em, K);
    if (mode & 8)
        s_len = K - 1 + fuzz_byte(&in) % 4;

    if (verify(FUZZ_OURS, padding, salt, EVP_sha1(), s, s_len, digest) !=
        verify(FUZZ_THEIRS, padding, salt, EVP_sha1(), s, s_len, digest))
        fuzz_fail("bigmod and default disagree on a signature");
    mine_len = recover(FUZZ_OURS, s, s_len, mine);
    yours_len = recover(FUZZ_THEIRS, s, s_len, yours);
    if (mine_len != yours_len || (mine_len != SIZE_MAX && memcmp(mine, yours, mine_len) != 0))
        fuzz_fail("bigmod and default recover different messages");
    ERR_clear_error();
    return 0;
}
