/* Ed25519 against RFC 8032's vectors and the default provider, for every kernel set here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <openssl/evp.h>
#include <openssl/provider.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ed25519.h"
#include "kernels.h"

static bool
digest_sha512(void *arg, uint8_t *out, const bm_bytes *parts, size_t num_parts)
{
    EVP_MD_CTX *ctx = arg;
    bool ok = EVP_DigestInit_ex(ctx, EVP_sha512(), NULL);

    for (size_t i = 0; i < num_parts; i++)
        ok = ok && EVP_DigestUpdate(ctx, parts[i].bytes, parts[i].len);
    return ok && EVP_DigestFinal_ex(ctx, out, NULL);
}

static bm_hash sha512 = {64, 128, digest_sha512, NULL};

static const bm_ed25519_mode pure = {BM_ED25519_PURE, {NULL, 0}};

static uint64_t rng_state = UINT64_C(0x243f6a8885a308d3);

/* splitmix64 */
static uint64_t
random_limb(void)
{
    uint64_t z = rng_state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static void
random_bytes(uint8_t *out, size_t len)
{
    for (size_t i = 0; i < len; i++)
        out[i] = (uint8_t)random_limb();
}

/* Bytes of a hexadecimal string; the number of them. */
static size_t
from_hex(uint8_t *out, const char *hex)
{
    size_t len = strlen(hex) / 2;

    for (size_t i = 0; i < len; i++) {
        unsigned v;

        assert_int_equal(sscanf(hex + 2 * i, "%2x", &v), 1);
        out[i] = (uint8_t)v;
    }
    return len;
}

/* What the default provider says. */
static bool
default_verify(const uint8_t sig[64], const uint8_t key[32], bm_bytes m)
{
    EVP_PKEY *pkey = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, key, 32);
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    bool ok = pkey != NULL && EVP_DigestVerifyInit(ctx, NULL, NULL, NULL, pkey) == 1 &&
              EVP_DigestVerify(ctx, sig, 64, m.bytes, m.len) == 1;

    EVP_MD_CTX_free(ctx);
    EVP_PKEY_free(pkey);
    return ok;
}

static void
default_sign(uint8_t sig[64], uint8_t key[32], const uint8_t seed[32], bm_bytes m)
{
    EVP_PKEY *pkey = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, seed, 32);
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    size_t len = 64, key_len = 32;

    assert_int_equal(EVP_DigestSignInit(ctx, NULL, NULL, NULL, pkey), 1);
    assert_int_equal(EVP_DigestSign(ctx, sig, &len, m.bytes, m.len), 1);
    assert_int_equal(EVP_PKEY_get_raw_public_key(pkey, key, &key_len), 1);
    EVP_MD_CTX_free(ctx);
    EVP_PKEY_free(pkey);
}

/* Calls check with each kernel set that this processor runs. */
static void
for_each_set(void (*check)(const bm_kernels *kernels))
{
    uint32_t features = bm_cpu_features();

    for (size_t i = 0; i < bm_num_kernel_sets; i++) {
        if ((bm_kernel_sets[i].needs & ~features) == 0)
            check(&bm_kernel_sets[i]);
    }
}

static bool
verify(const bm_kernels *kernels, const uint8_t sig[64], const uint8_t key[32], bm_bytes m)
{
    bm_ed25519_public pub;

    bm_ed25519_public_init(&pub, kernels, key);
    return bm_ed25519_verify(sig, &pub, &pure, m, &sha512);
}

typedef struct vector {
    bm_ed25519_instance instance;
    const char *seed, *key, *context, *message, *signature;
} vector;

/* RFC 8032, sections 7.1 (tests 1, 2, 3, SHA(abc)), 7.2 (foo, bar, foo2, foo3), 7.3 */
static const vector rfc8032[] = {
    {BM_ED25519_PURE, "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
     "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "", "",
     "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b"
     "46b"
     "d25bf5f0595bbe24655141438e7a100b"},
    {BM_ED25519_PURE, "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
     "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "", "72",
     "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11"
     "d8c"
     "387b2eaeb4302aeeb00d291612bb0c00"},
    {BM_ED25519_PURE, "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
     "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "", "af82",
     "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc"
     "659"
     "4a7c15e9716ed28dc027beceea1ec40a"},
    {BM_ED25519_PURE, "833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42",
     "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf", "",
     "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3fee"
     "bbd"
     "454d4423643ce80e2a9ac94fa54ca49f",
     "dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b58909351fc9ac90b3ecfdfbc7c66431e"
     "030"
     "3dca179c138ac17ad9bef1177331a704"},
    {BM_ED25519_CTX, "0305334e381af78f141cb666f6199f57bc3495335a256a95bd2a55bf546663f6",
     "dfc9425e4f968f7f0c29f0259cf5f9aed6851c2bb4ad8bfb860cfee0ab248292", "666f6f",
     "f726936d19c800494e3fdaff20b276a8",
     "55a4cc2f70a54e04288c5f4cd1e45a7bb520b36292911876cada7323198dd87a8b36950b95130022907a7fb7c4e9b"
     "2d5"
     "f6cca685a587b4b21f4b888e4e7edb0d"},
    {BM_ED25519_CTX, "0305334e381af78f141cb666f6199f57bc3495335a256a95bd2a55bf546663f6",
     "dfc9425e4f968f7f0c29f0259cf5f9aed6851c2bb4ad8bfb860cfee0ab248292", "626172",
     "f726936d19c800494e3fdaff20b276a8",
     "fc60d5872fc46b3aa69f8b5b4351d5808f92bcc044606db097abab6dbcb1aee3216c48e8b3b66431b5b186d1d28f8"
     "ee1"
     "5a5ca2df6668346291c2043d4eb3e90d"},
    {BM_ED25519_CTX, "0305334e381af78f141cb666f6199f57bc3495335a256a95bd2a55bf546663f6",
     "dfc9425e4f968f7f0c29f0259cf5f9aed6851c2bb4ad8bfb860cfee0ab248292", "666f6f",
     "508e9e6882b979fea900f62adceaca35",
     "8b70c1cc8310e1de20ac53ce28ae6e7207f33c3295e03bb5c0732a1d20dc64908922a8b052cf99b7c4fe107a5abb5"
     "b2c"
     "4085ae75890d02df26269d8945f84b0b"},
    {BM_ED25519_CTX, "ab9c2853ce297ddab85c993b3ae14bcad39b2c682beabc27d6d4eb20711d6560",
     "0f1d1274943b91415889152e893d80e93275a1fc0b65fd71b4b0dda10ad7d772", "666f6f",
     "f726936d19c800494e3fdaff20b276a8",
     "21655b5f1aa965996b3f97b3c849eafba922a0a62992f73b3d1b73106a84ad85e9b86a7b6005ea868337ff2d20a7f"
     "5fb"
     "d4cd10b0be49a68da2b2e0dc0ad8960f"},
    {BM_ED25519_PH, "833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42",
     "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf", "",
     /* SHA-512("abc") */
     "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3fee"
     "bbd"
     "454d4423643ce80e2a9ac94fa54ca49f",
     "98a70222f0b8121aa9d30f813d683f809e462b469c7ff87639499bb94e6dae4131f85042463c2a355a2003d062adf"
     "5aa"
     "a10b8c61e636062aaad11c2a26083406"},
};

static void
check_rfc8032(const bm_kernels *kernels)
{
    for (size_t i = 0; i < sizeof(rfc8032) / sizeof(rfc8032[0]); i++) {
        uint8_t seed[32], key[32], context[16], message[64], want[64], sig[64];
        bm_ed25519_mode mode = {rfc8032[i].instance, {context, 0}};
        bm_bytes m = {message, 0};
        bm_ed25519_secret secret;
        bm_ed25519_public pub;

        from_hex(seed, rfc8032[i].seed);
        from_hex(key, rfc8032[i].key);
        from_hex(want, rfc8032[i].signature);
        mode.context.len = from_hex(context, rfc8032[i].context);
        m.len = from_hex(message, rfc8032[i].message);
        assert_true(bm_ed25519_expand(&secret, kernels, seed, &sha512));
        assert_memory_equal(secret.public_key, key, 32);
        assert_true(bm_ed25519_sign(sig, &secret, kernels, &mode, m, &sha512));
        assert_memory_equal(sig, want, 64);
        bm_ed25519_public_init(&pub, kernels, key);
        assert_true(bm_ed25519_verify(sig, &pub, &mode, m, &sha512));
        for (size_t j = 0; j < 64; j++) {
            sig[j] ^= (uint8_t)(1 << j % 8);
            assert_false(bm_ed25519_verify(sig, &pub, &mode, m, &sha512));
            sig[j] ^= (uint8_t)(1 << j % 8);
        }
    }
}

static void
every_set_meets_the_vectors_of_rfc8032(void **state)
{
    (void)state;
    for_each_set(check_rfc8032);
}

/* Random keys and messages of 0..255 bytes: keys and signatures are the default provider's. */
static void
check_random(const bm_kernels *kernels)
{
    for (int i = 0; i < 100; i++) {
        uint8_t seed[32], message[256], sig[64], want_sig[64], want_key[32];
        bm_bytes m = {message, (size_t)i * 7 % 256};
        bm_ed25519_secret secret;

        random_bytes(seed, 32);
        random_bytes(message, m.len);
        default_sign(want_sig, want_key, seed, m);
        assert_true(bm_ed25519_expand(&secret, kernels, seed, &sha512));
        assert_memory_equal(secret.public_key, want_key, 32);
        assert_true(bm_ed25519_sign(sig, &secret, kernels, &pure, m, &sha512));
        assert_memory_equal(sig, want_sig, 64);
        assert_true(verify(kernels, sig, want_key, m));
        sig[random_limb() % 64] ^= (uint8_t)(1 << random_limb() % 8);
        assert_int_equal(verify(kernels, sig, want_key, m), default_verify(sig, want_key, m));
    }
}

static void
keys_and_signatures_are_the_default_providers(void **state)
{
    (void)state;
    for_each_set(check_random);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_set_meets_the_vectors_of_rfc8032),
        cmocka_unit_test(keys_and_signatures_are_the_default_providers),
    };

    sha512.arg = EVP_MD_CTX_new();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
