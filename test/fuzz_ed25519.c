/*
 * Ed25519 verification differentially against the default provider, with the core's functions for
 * every kernel set: arbitrary keys and signatures, and true ones changed. FAILURES.md rows 64
 * to 67.
 */
#include "fuzz.h"

#include <openssl/err.h>

#include "ed25519.h"
#include "kernels.h"

static bool
digest(void *arg, uint8_t *out, const bm_bytes *parts, size_t num_parts)
{
    static EVP_MD_CTX *ctx;
    bool ok;

    (void)arg;
    if (ctx == NULL)
        ctx = EVP_MD_CTX_new();
    ok = EVP_DigestInit_ex(ctx, EVP_sha512(), NULL) > 0;
    for (size_t i = 0; i < num_parts; i++)
        ok = ok && EVP_DigestUpdate(ctx, parts[i].bytes, parts[i].len) > 0;
    return ok && EVP_DigestFinal_ex(ctx, out, NULL) > 0;
}

static const bm_hash sha512 = {64, 128, digest, NULL};
static const bm_ed25519_mode mode = {BM_ED25519_PURE, {NULL, 0}};

static bool
theirs(const uint8_t *pub, const uint8_t *signature, const uint8_t *message, size_t len)
{
    EVP_PKEY *key = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, pub, 32);
    EVP_MD_CTX *md = EVP_MD_CTX_new();
    bool ok = key != NULL && EVP_DigestVerifyInit(md, NULL, NULL, NULL, key) > 0 &&
              EVP_DigestVerify(md, signature, 64, message, len) == 1;

    EVP_MD_CTX_free(md);
    EVP_PKEY_free(key);
    ERR_clear_error();
    return ok;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, size};
    const bm_kernels *set = bm_kernels_find(
        bm_kernel_sets[fuzz_byte(&in) % bm_num_kernel_sets].name, bm_cpu_features());
    unsigned made = fuzz_byte(&in);
    uint8_t pub[32] = {0}, signature[64] = {0};
    bm_ed25519_public key;
    const uint8_t *p;
    size_t taken, len;

    if (set == NULL)
        return 0;
    p = fuzz_bytes(&in, 32, &taken);
    if (taken > 0)
        memcpy(pub, p, taken);
    if (made & 1) { /* a true key and signature by it */
        bm_ed25519_secret secret;

        if (!bm_ed25519_expand(&secret, set, pub, &sha512))
            fuzz_fail("expansion failed");
        memcpy(pub, secret.public_key, 32);
        if (!bm_ed25519_sign(signature, &secret, set, &mode, (bm_bytes){data, size}, &sha512))
            fuzz_fail("signing failed");
        for (unsigned n = made % 3; n > 0; n--) {
            unsigned at = fuzz_byte(&in) % 96;
            uint8_t change = (uint8_t)fuzz_byte(&in);

            if (at < 64)
                signature[at] ^= change;
            else
                pub[at - 64] ^= change;
        }
        p = data;
        len = size;
    } else {
        p = fuzz_bytes(&in, 64, &taken);
        if (taken > 0)
            memcpy(signature, p, taken);
        p = fuzz_bytes(&in, 64, &len);
    }
    bm_ed25519_public_init(&key, set, pub);
    if (bm_ed25519_verify(signature, &key, &mode, (bm_bytes){p, len}, &sha512) !=
        theirs(pub, signature, p, len))
        fuzz_fail("bigmod and default disagree on an Ed25519 signature");
    return 0;
}
