/*
 * The constant-time unpadding of PKCS#1, OAEP and TLS, and PSS verification, on blocks as they come
 * out of the private key, against libcrypto's own functions.
 */
#define OPENSSL_SUPPRESS_DEPRECATED
#include "fuzz.h"

#include <openssl/err.h>
#include <openssl/rsa.h>

#include "rsa.h"

enum { MAX_K = 160 };

static bool
digest(void *arg, uint8_t *out, const bm_bytes *parts, size_t num_parts)
{
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    bool ok = EVP_DigestInit_ex(ctx, EVP_sha1(), NULL) > 0;

    (void)arg;
    for (size_t i = 0; i < num_parts; i++)
        ok = ok && EVP_DigestUpdate(ctx, parts[i].bytes, parts[i].len) > 0;
    ok = ok && EVP_DigestFinal_ex(ctx, out, NULL) > 0;
    EVP_MD_CTX_free(ctx);
    return ok;
}

static const bm_hash sha1 = {20, 64, digest, NULL};

/* A well-formed OAEP block of a short message, then changed: random ones never pass. */
static void
make_oaep(fuzz_input *in, uint8_t *em, size_t k)
{
    uint8_t message[4] = "abc";

    if (RSA_padding_add_PKCS1_OAEP_mgf1(em, (int)k, message, (int)(fuzz_byte(in) % 4), NULL, 0,
                                        EVP_sha1(), EVP_sha1()) <= 0)
        return;
    for (unsigned n = fuzz_byte(in) % 3; n > 0; n--) {
        unsigned at = fuzz_byte(in) % (unsigned)k;

        em[at] ^= (uint8_t)fuzz_byte(in);
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, size};
    unsigned mode = fuzz_byte(&in);
    size_t k = 50 + fuzz_byte(&in) % (MAX_K - 50), taken;
    uint8_t em[MAX_K] = {0}, copy[MAX_K], ours[MAX_K], theirs[MAX_K];
    const uint8_t *p = fuzz_bytes(&in, k, &taken);
    bm_limb len = 0;
    bool good;
    int want;

    if (taken > 0)
        memcpy(em, p, taken);
    if (mode & 4)
        em[0] = 0;
    if (mode & 8)
        em[1] = 2;
    if ((mode & 3) == 1 && (mode & 16))
        make_oaep(&in, em, k);
    memcpy(copy, em, k);
    if ((mode & 3) == 0) {
        good = bm_declassify(bm_pkcs1_unpad_decrypt(ours, sizeof(ours), &len, em, k), "a test");
        want = RSA_padding_check_PKCS1_type_2(theirs, sizeof(theirs), copy + 1, (int)k - 1, (int)k);
        if (copy[0] != 0)
            want = -1; /* that function is not shown the first byte */
    } else if ((mode & 3) == 1) {
        good = bm_declassify(
            bm_oaep_unpad(ours, sizeof(ours), &len, em, k, (bm_bytes){NULL, 0}, &sha1, &sha1),
            "a test");
        want = RSA_padding_check_PKCS1_OAEP_mgf1(theirs, sizeof(theirs), copy, (int)k, (int)k, NULL,
                                                 0, EVP_sha1(), EVP_sha1());
    } else {
        size_t at, found;

        /* recovery of type 1, and PSS with whatever bits: no crash, no read outside (ASan) */
        good = bm_pkcs1_recover(em, k, &at, &found);
        want = RSA_padding_check_PKCS1_type_1(theirs, sizeof(theirs), copy, (int)k, (int)k);
        if (good) {
            len = found;
            memcpy(ours, em + at, found);
        }
        bm_pss_verify(copy, 8 * k - 1 - (mode >> 5), copy, &sha1, &sha1, (int)fuzz_byte(&in) - 1,
                      &found);
    }
    if (good != (want >= 0) || (good && (len != (bm_limb)want || memcmp(ours, theirs, len) != 0)))
        fuzz_fail("unpadding differs from libcrypto's");
    ERR_clear_error();
    return 0;
}
