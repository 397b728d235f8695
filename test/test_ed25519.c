/*
 * Ed25519 against RFC 8032's vectors and the default provider, for every kernel set here.
 *
 *     test_ed25519 [MUTATIONS [long]]      long adds messages of more than 4 GiB
 */
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
#include <sys/mman.h>

/* points, to add some of small order to keys */
#ifdef __SIZEOF_INT128__
#include "field25519_r51.h"
#else
#define FE_MUL bm_f25519_mul_portable
#define FE_SQR bm_f25519_sqr_portable
#include "field25519_saturated.h"
#endif
#define BM_POINT_KERNELS kernels_for_keys
#include "point_impl.h"

#include "kernels.h"
#include "point.h"

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

/* ---- acceptance: the default provider's verdict, whatever it is ----------------------------- */

static size_t num_valid; /* verdicts, to see that both happen */

/* Every set says what the default provider says, alone and in a batch. */
static bool
check_verdict(const uint8_t sig[64], const uint8_t key[32], bm_bytes m)
{
    bool expected = default_verify(sig, key, m);
    uint32_t features = bm_cpu_features();

    for (size_t i = 0; i < bm_num_kernel_sets; i++) {
        if ((bm_kernel_sets[i].needs & ~features) != 0)
            continue;
        if (verify(&bm_kernel_sets[i], sig, key, m) != expected) {
            fprintf(stderr, "%s differs; key ", bm_kernel_sets[i].name);
            for (int j = 0; j < 32; j++)
                fprintf(stderr, "%02x", key[j]);
            fprintf(stderr, " signature ");
            for (int j = 0; j < 64; j++)
                fprintf(stderr, "%02x", sig[j]);
            fprintf(stderr, "\n");
            fail();
        }
    }
    num_valid += expected;
    return expected;
}

/* FAILURES.md row 67 */
static void
the_twelve_speccheck_cases_read_as_openssl_reads_them(void **state)
{
    FILE *f = fopen(VECTORS "/ed25519_speccheck.txt", "r");
    char line[512], verdict, message[65], key[65], sig[129], verdicts[13] = "";
    size_t n = 0;

    (void)state;
    assert_non_null(f);
    while (fgets(line, sizeof(line), f) != NULL) {
        uint8_t message_bytes[32], key_bytes[32], sig_bytes[64];

        if (sscanf(line, "%c %64s %64s %128s", &verdict, message, key, sig) != 4 || line[0] == '#')
            continue;
        from_hex(message_bytes, message);
        from_hex(key_bytes, key);
        from_hex(sig_bytes, sig);
        assert_true(n < 12);
        verdicts[n] =
            check_verdict(sig_bytes, key_bytes, (bm_bytes){message_bytes, 32}) ? 'V' : 'X';
        assert_int_equal(verdicts[n], verdict);
        n++;
    }
    fclose(f);
    assert_string_equal(verdicts, "VVVVXXXXXXXV");
}

/*
 * The encodings of the 8 points of small order, then those that RFC 8032 would not have: y not
 * below p, and x = 0 with the sign bit (FAILURES.md rows 65, 66).
 */
static const char *const small_order[14] = {
    "0100000000000000000000000000000000000000000000000000000000000000",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0000000000000000000000000000000000000000000000000000000000000080",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
    "0100000000000000000000000000000000000000000000000000000000000080",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
};

static void
small_order_keys_and_points_get_the_default_verdict(void **state)
{
    (void)state;
    num_valid = 0;
    for (int a = 0; a < 14; a++) {
        for (int r = 0; r < 14; r++) {
            for (uint8_t i = 0; i < 8; i++) { /* h modulo 8 differs */
                uint8_t key[32], sig[64] = {0};

                from_hex(key, small_order[a]);
                from_hex(sig, small_order[r]);
                check_verdict(sig, key, (bm_bytes){&i, 1});
            }
        }
    }
    assert_in_range(num_valid, 1, 14 * 14 * 8 - 1);
}

/* bytes = E(A + T), A and T encoded; false when either is none. */
static bool
add_encoded(uint8_t bytes[32], const uint8_t a[32], const uint8_t t[32])
{
    point pa, pt;
    cached c;
    fe z_inverse;
    bm_limb x[4];

    if (!point_decode_negate(&pa, a) || !point_decode_negate(&pt, t))
        return false;
    point_to_cached(&c, &pt);
    point_add_cached(&pa, &pa, &c, false, true);
    fe_inv(&z_inverse, &pa.z);
    point_encode(bytes, x, &pa, &z_inverse);
    if ((x[0] | x[1] | x[2] | x[3]) != 0)
        bytes[31] ^= 0x80; /* -(-A - T) */
    return true;
}

static const bm_limb order[4] = {UINT64_C(0x5812631a5cf5d3ed), UINT64_C(0x14def9dea2f79cd6), 0,
                                 UINT64_C(0x1000000000000000)};

/* S += 2^shift L, as long as it fits. */
static void
add_order(uint8_t sig[64], unsigned shift)
{
    bm_limb s[4], carry = 0;

    bm_scalar_decode(s, sig + 32, 4);
    for (int i = 0; i < 4; i++) {
        bm_limb l = order[i] << shift;

        if (i > 0 && shift > 0)
            l |= order[i - 1] >> (64 - shift);
        l += carry;
        carry = l < carry;
        s[i] += l;
        carry += s[i] < l;
    }
    bm_scalar_encode(sig + 32, s, 4);
}

/* FAILURES.md row 64 */
static void
s_beyond_the_order_is_refused(void **state)
{
    uint8_t seed[32] = {7}, key[32], sig[64], bad[64], m[1] = {1};

    (void)state;
    default_sign(sig, key, seed, (bm_bytes){m, 1});
    assert_true(check_verdict(sig, key, (bm_bytes){m, 1}));
    for (unsigned shift = 0; shift < 4; shift++) {
        memcpy(bad, sig, 64);
        add_order(bad, shift);
        assert_false(check_verdict(bad, key, (bm_bytes){m, 1}));
    }
    /* S = L, L - 1 with R = A = 1: SB = R + hA holds for S = L if it were let in */
    memset(key, 0, 32);
    key[0] = 1;
    memset(bad, 0, 64);
    bad[0] = 1;
    assert_true(check_verdict(bad, key, (bm_bytes){m, 1}));
    add_order(bad, 0);
    assert_false(check_verdict(bad, key, (bm_bytes){m, 1}));
    bad[32]--;
    assert_false(check_verdict(bad, key, (bm_bytes){m, 1}));
}

/* The i-th scalar below L that digits go wrong at; random ones after them. */
static void
edge_scalar(bm_limb s[4], int i)
{
    bm_limb wide[8] = {0};

    if (i < 64) { /* 2^(4 i) - 1, 2^(4 i) - 8 and so on */
        wide[i / 16] = UINT64_C(1) << 4 * (i % 16);
        if (i % 4 == 1)
            wide[0] -= 1;
        else if (i % 4 == 2)
            wide[0] += 7;
        else if (i % 4 == 3)
            wide[0] *= 8;
    } else if (i < 80) {
        memset(wide, (int)(0x11 * (i - 64)), 32); /* all digits the same */
    } else if (i < 90) {
        memcpy(wide, order, 32);
        wide[0] -= (bm_limb)(i - 80);
    } else {
        for (int j = 0; j < 8; j++)
            wide[j] = random_limb();
        if (i % 3 == 0)
            wide[i % 4] = 0;
        if (i % 5 == 0)
            wide[i % 3] = UINT64_MAX;
        memset(wide + 4, 0, i % 2 ? 32 : 0);
    }
    bm_scalar_reduce(s, wide);
}

/* A signature by [a]B, or by it plus a point of small order, as the key's bytes say. */
static void
sign_as(uint8_t sig[64], const bm_limb a[4], const uint8_t key[32], bm_bytes m)
{
    const bm_bytes parts[] = {{sig, 32}, {key, 32}, m};
    bm_limb r[4], x[4], wide[8];
    uint8_t digest[64];

    edge_scalar(r, 1000 + (int)(random_limb() % 1000));
    bm_kernel_sets[0].ed25519->base_mul(sig, x, r);
    assert_true(digest_sha512(sha512.arg, digest, parts, 3));
    bm_scalar_decode(wide, digest, 8);
    bm_scalar_reduce(wide, wide);
    bm_scalar_mul_add(r, wide, a, r);
    bm_scalar_encode(sig + 32, r, 4);
}

static int num_mutations = 1500;

/* A mutation of a valid signature; each kind leaves some of them valid or nearly so. */
static void
mutate(uint8_t sig[64], uint8_t key[32], uint8_t *message, size_t len)
{
    uint8_t t[32];

    from_hex(t, small_order[random_limb() % 14]);
    switch (random_limb() % 12) {
    case 0:
        sig[random_limb() % 64] ^= (uint8_t)(1 << random_limb() % 8);
        break;
    case 1:
        key[random_limb() % 32] ^= (uint8_t)(1 << random_limb() % 8);
        break;
    case 2:
        if (len > 0)
            message[random_limb() % len] ^= (uint8_t)(1 << random_limb() % 8);
        break;
    case 3:
        add_order(sig, random_limb() % 4);
        break;
    case 4: /* A of mixed order: valid where h T = 0 */
    case 5:
        add_encoded(key, key, t);
        break;
    case 6:
        add_encoded(sig, sig, t);
        break;
    case 7:
        memcpy(key, t, 32);
        break;
    case 8:
        memcpy(sig, t, 32);
        break;
    case 9:
        memcpy(key, t, 32);
        from_hex(sig, small_order[random_limb() % 14]);
        memset(sig + 32, 0, 32);
        break;
    case 10: /* non-canonical and other edges of y */
        memset(key, random_limb() % 2 ? 0xff : 0, 32);
        key[0] = (uint8_t)random_limb();
        key[31] = (uint8_t)(key[31] & 0x7f) | (uint8_t)(random_limb() & 0x80);
        break;
    default: /* none */
        break;
    }
}

/* FAILURES.md rows 64 to 67 */
static void
mutated_signatures_get_the_default_verdict(void **state)
{
    uint8_t key[32], sig[64], message[100];

    (void)state;
    num_valid = 0;
    for (int i = 0; i < num_mutations; i++) {
        bm_bytes m = {message, random_limb() % sizeof(message)};
        uint8_t t[32];
        bm_limb a[4], x[4];

        random_bytes(message, m.len);
        edge_scalar(a, 100 + i);
        bm_kernel_sets[0].ed25519->base_mul(key, x, a);
        if (i % 3 == 0) { /* signed for A + T: valid where h T = 0 */
            from_hex(t, small_order[random_limb() % 8]);
            assert_true(add_encoded(key, key, t));
        }
        sign_as(sig, a, key, m);
        mutate(sig, key, message, m.len);
        check_verdict(sig, key, m);
    }
    assert_in_range(num_valid, num_mutations / 20, num_mutations / 2);
}

/* ---- batches -------------------------------------------------------------------------------- */

static void
check_batch(const bm_kernels *kernels)
{
    enum { MAX = 70, KEYS = 5 };
    static bm_ed25519_public pub[KEYS];
    static uint8_t sig[MAX][64], message[MAX][32];
    bm_ed25519_secret secret[KEYS];
    bm_ed25519_batch_item items[MAX];

    for (int k = 0; k < KEYS; k++) {
        uint8_t seed[32];

        random_bytes(seed, 32);
        assert_true(bm_ed25519_expand(&secret[k], kernels, seed, &sha512));
        bm_ed25519_public_init(&pub[k], kernels, secret[k].public_key);
    }
    /* y = 2 is on no point: a key that does not decode */
    bm_ed25519_public_init(&pub[KEYS - 1], kernels, (const uint8_t[32]){2});
    assert_false(pub[KEYS - 1].valid);
    for (size_t n = 0; n <= MAX; n += n < 20 ? 1 : 17) {
        bool all = true, alone[MAX];

        for (size_t i = 0; i < n; i++) {
            const int k = n % 3 == 0 ? 0 : (int)(random_limb() % KEYS);
            const bm_bytes m = {message[i], i % 33};

            random_bytes(message[i], 32);
            assert_true(bm_ed25519_sign(sig[i], &secret[k], kernels, &pure, m, &sha512));
            if (n % 2 == 0 && random_limb() % 3 == 0)
                sig[i][random_limb() % 64] ^= (uint8_t)(1 << random_limb() % 8);
            items[i] = (bm_ed25519_batch_item){sig[i], &pub[k], m, random_limb() % 2};
            alone[i] = bm_ed25519_verify(sig[i], &pub[k], &pure, m, &sha512);
            all = all && alone[i];
        }
        assert_int_equal(bm_ed25519_verify_batch(items, n, &pure, &sha512), all);
        for (size_t i = 0; i < n; i++)
            assert_int_equal(items[i].valid, alone[i]);
        if (n % 6 == 3)
            assert_true(all);
    }
}

static void
a_batch_gives_each_signature_its_own_verdict(void **state)
{
    (void)state;
    for_each_set(check_batch);
}

/* ---- kernels against each other ------------------------------------------------------------- */

/*
 * [s]B by the comb, by the NAFs, and [s]B - [h][a]B = [s - h a]B: two algorithms, two tables
 * (FAILURES.md row 14).
 */
static void
check_multiples(const bm_kernels *kernels)
{
    const bm_ed25519_kernels *ed = kernels->ed25519;
    bm_ed25519_public pub;
    bm_limb a[4], x[4];
    uint8_t key[32], out[BM_ED25519_MAX_BATCH][32], want[32];

    edge_scalar(a, 200);
    assert_true(ed->base_mul(key, x, a).bits != 0);
    bm_ed25519_public_init(&pub, kernels, key);
    assert_true(pub.valid);
    for (int i = 0; i < 150; i++) {
        bm_ed25519_term terms[BM_ED25519_MAX_BATCH];
        const size_t n = (size_t)i % BM_ED25519_MAX_BATCH + 1;

        for (size_t j = 0; j < n; j++) {
            terms[j].table = pub.table;
            edge_scalar(terms[j].s, i + (int)j);
            edge_scalar(terms[j].h, (3 * i + 7 * (int)j) % 120);
            if (j == 1)
                memset(terms[j].h, 0, 32);
            if (j == 2)
                memset(terms[j].s, 0, 32);
        }
        ed->double_mul_vartime(out, terms, n);
        for (size_t j = 0; j < n; j++) {
            bm_limb minus_h[4], t[4];
            const bm_limb minus_one[4] = {order[0] - 1, order[1], order[2], order[3]};

            bm_scalar_mul_add(minus_h, minus_one, terms[j].h, (const bm_limb[4]){0});
            bm_scalar_mul_add(t, minus_h, a, terms[j].s);
            assert_true(ed->base_mul(want, x, t).bits != 0);
            assert_memory_equal(out[j], want, 32);
            assert_true(bm_point_proves(want, x).bits != 0);
            assert_true(bm_ed25519_kernels_portable.base_mul(key, x, t).bits != 0);
            assert_memory_equal(key, want, 32);
        }
    }
}

static void
multiples_agree_by_comb_and_by_naf(void **state)
{
    (void)state;
    for_each_set(check_multiples);
}

/* FAILURES.md row 62: what (x, E) must be to leave */
static void
a_point_that_is_not_on_the_curve_is_no_proof(void **state)
{
    bm_limb s[4], x[4];
    uint8_t e[32];

    (void)state;
    edge_scalar(s, 300);
    assert_true(bm_ed25519_kernels_portable.base_mul(e, x, s).bits != 0);
    assert_true(bm_point_proves(e, x).bits != 0);
    for (int i = 0; i < 256; i++) {
        e[i / 8] ^= (uint8_t)(1 << i % 8);
        assert_false(bm_point_proves(e, x).bits != 0);
        e[i / 8] ^= (uint8_t)(1 << i % 8);
        x[i / 64] ^= UINT64_C(1) << i % 64;
        if (i != 255)
            assert_false(bm_point_proves(e, x).bits != 0);
        x[i / 64] ^= UINT64_C(1) << i % 64;
    }
}

/* ---- the API -------------------------------------------------------------------------------- */

static int hashes_left; /* before digest_failing() fails */

static bool
digest_failing(void *arg, uint8_t *out, const bm_bytes *parts, size_t num_parts)
{
    if (hashes_left-- == 0)
        return false;
    return digest_sha512(arg, out, parts, num_parts);
}

/* FAILURES.md row 47 */
static void
a_failing_hash_leaves_no_signature(void **state)
{
    const bm_kernels *kernels = &bm_kernel_sets[bm_num_kernel_sets - 1];
    const uint8_t zero[sizeof(bm_ed25519_secret)] = {0}, seed[32] = {3}, m[3] = {1, 2, 3};
    bm_hash failing = sha512;
    bm_ed25519_secret secret;
    bm_ed25519_public pub;
    uint8_t sig[64];

    (void)state;
    failing.digest = digest_failing;
    hashes_left = 0;
    memset(&secret, 0xA5, sizeof(secret));
    assert_false(bm_ed25519_expand(&secret, kernels, seed, &failing));
    assert_memory_equal(&secret, zero, sizeof(secret));
    assert_true(bm_ed25519_expand(&secret, kernels, seed, &sha512));
    for (int i = 0; i < 4; i++) {
        hashes_left = i;
        memset(sig, 0xA5, sizeof(sig));
        assert_false(bm_ed25519_sign(sig, &secret, kernels, &pure, (bm_bytes){m, 3}, &failing));
        assert_memory_equal(sig, zero, 64);
    }
    hashes_left = 4;
    assert_true(bm_ed25519_sign(sig, &secret, kernels, &pure, (bm_bytes){m, 3}, &failing));
    bm_ed25519_public_init(&pub, kernels, secret.public_key);
    hashes_left = 0;
    assert_false(bm_ed25519_verify(sig, &pub, &pure, (bm_bytes){m, 3}, &failing));
}

static void
contexts_and_prehashes_must_suit_the_instance(void **state)
{
    const bm_kernels *kernels = &bm_kernel_sets[0];
    uint8_t context[256] = {1}, seed[32] = {4}, m[64] = {5}, sig[64], zero[64] = {0};
    const struct {
        bm_ed25519_mode mode;
        size_t message_len;
        bool good;
    } cases[] = {
        {{BM_ED25519_PURE, {NULL, 0}}, 64, true},     {{BM_ED25519_PURE, {context, 1}}, 64, false},
        {{BM_ED25519_CTX, {NULL, 0}}, 64, false},     {{BM_ED25519_CTX, {context, 1}}, 0, true},
        {{BM_ED25519_CTX, {context, 255}}, 64, true}, {{BM_ED25519_CTX, {context, 256}}, 64, false},
        {{BM_ED25519_PH, {NULL, 0}}, 64, true},       {{BM_ED25519_PH, {context, 255}}, 64, true},
        {{BM_ED25519_PH, {context, 256}}, 64, false}, {{BM_ED25519_PH, {context, 1}}, 63, false},
    };
    const size_t num_cases = sizeof(cases) / sizeof(cases[0]);
    bm_ed25519_secret secret;
    bm_ed25519_public pub;

    (void)state;
    assert_true(bm_ed25519_expand(&secret, kernels, seed, &sha512));
    bm_ed25519_public_init(&pub, kernels, secret.public_key);
    for (size_t i = 0; i < num_cases; i++) {
        const bm_bytes message = {m, cases[i].message_len};

        memset(sig, 0xA5, sizeof(sig));
        assert_int_equal(bm_ed25519_sign(sig, &secret, kernels, &cases[i].mode, message, &sha512),
                         cases[i].good);
        if (!cases[i].good)
            assert_memory_equal(sig, zero, 64);
        /* no instance takes another's signature */
        for (size_t j = 0; j < num_cases; j++)
            assert_int_equal(bm_ed25519_verify(sig, &pub, &cases[j].mode, message, &sha512),
                             cases[i].good && j == i);
    }
}

/* FAILURES.md row 52; zero pages that are never written need no memory */
static void
check_long_message(size_t len)
{
    const bm_kernels *kernels = bm_kernels_find("auto", bm_cpu_features());
    void *zeros = mmap(NULL, len, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    const uint8_t seed[32] = {6};
    const bm_bytes m = {zeros, len};
    bm_ed25519_secret secret;
    uint8_t sig[64], expected[64], key[32];

    assert_true(zeros != MAP_FAILED);
    default_sign(expected, key, seed, m);
    assert_true(bm_ed25519_expand(&secret, kernels, seed, &sha512));
    assert_true(bm_ed25519_sign(sig, &secret, kernels, &pure, m, &sha512));
    assert_memory_equal(sig, expected, 64);
    assert_true(verify(kernels, sig, key, m));
    assert_false(verify(kernels, sig, key, (bm_bytes){zeros, len - 1}));
    munmap(zeros, len);
}

static bool run_long;

static void
long_messages_are_hashed_whole(void **state)
{
    (void)state;
    for (int i = -1; i <= 1; i++)
        check_long_message((size_t)((1 << 24) + i));
    if (run_long && sizeof(size_t) > 4)
        check_long_message((size_t)(UINT64_C(1) << 32) + 17);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_set_meets_the_vectors_of_rfc8032),
        cmocka_unit_test(keys_and_signatures_are_the_default_providers),
        cmocka_unit_test(the_twelve_speccheck_cases_read_as_openssl_reads_them),
        cmocka_unit_test(small_order_keys_and_points_get_the_default_verdict),
        cmocka_unit_test(s_beyond_the_order_is_refused),
        cmocka_unit_test(mutated_signatures_get_the_default_verdict),
        cmocka_unit_test(a_batch_gives_each_signature_its_own_verdict),
        cmocka_unit_test(multiples_agree_by_comb_and_by_naf),
        cmocka_unit_test(a_point_that_is_not_on_the_curve_is_no_proof),
        cmocka_unit_test(a_failing_hash_leaves_no_signature),
        cmocka_unit_test(contexts_and_prehashes_must_suit_the_instance),
        cmocka_unit_test(long_messages_are_hashed_whole),
    };

    if (argc > 1)
        num_mutations = atoi(argv[1]);
    run_long = argc > 2 && strcmp(argv[2], "long") == 0;
    sha512.arg = EVP_MD_CTX_new();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
