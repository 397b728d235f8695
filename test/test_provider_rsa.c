/*
 * RSA keys and signatures through EVP, bigmod beside the default provider: what one does, the other
 * does too. Rows are those of FAILURES.md.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <openssl/bn.h>
#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/provider.h>
#include <openssl/rsa.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "support.h"

#define BIGMOD "provider=bigmod"
#define DEFAULT "provider=default"

enum { MAX_SIG = 2100, MAX_PRIMES = 5 };

static OSSL_LIB_CTX *lib;

static const char *const providers[2] = {DEFAULT, BIGMOD};

static const char *const digests[] = {
    "MD5",        "SHA1",     "SHA224",   "SHA256",   "SHA384",   "SHA512",    "SHA512-224",
    "SHA512-256", "SHA3-224", "SHA3-256", "SHA3-384", "SHA3-512", "RIPEMD160", "MD5-SHA1",
};

#define LENGTH_OF(array) (sizeof(array) / sizeof((array)[0]))

static double
now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A key pair of a provider. */
static EVP_PKEY *
generate_in(const char *provider, const char *type, unsigned bits, unsigned primes)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(lib, type, provider);
    EVP_PKEY *key = NULL;

    assert_true(EVP_PKEY_keygen_init(ctx) > 0);
    assert_true(EVP_PKEY_CTX_set_rsa_keygen_bits(ctx, (int)bits) > 0);
    if (primes > 2)
        assert_true(EVP_PKEY_CTX_set_rsa_keygen_primes(ctx, (int)primes) > 0);
    assert_true(EVP_PKEY_generate(ctx, &key) > 0);
    EVP_PKEY_CTX_free(ctx);
    return key;
}

static EVP_PKEY *
generate(const char *type, unsigned bits, unsigned primes)
{
    return generate_in(DEFAULT, type, bits, primes);
}

static EVP_PKEY *
import(const char *type, const char *provider, int selection, OSSL_PARAM *params)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(lib, type, provider);
    EVP_PKEY *key = NULL;

    assert_non_null(ctx);
    assert_true(EVP_PKEY_fromdata_init(ctx) > 0);
    if (EVP_PKEY_fromdata(ctx, &key, selection, params) <= 0) {
        EVP_PKEY_free(key);
        key = NULL;
    }
    EVP_PKEY_CTX_free(ctx);
    return key;
}

/* The same key, or its public part, held by another provider. */
static EVP_PKEY *
move(EVP_PKEY *key, const char *provider, int selection)
{
    OSSL_PARAM *params = NULL;
    EVP_PKEY *moved;

    assert_true(EVP_PKEY_todata(key, selection, &params) > 0);
    moved = import(EVP_PKEY_get0_type_name(key), provider, selection, params);
    assert_non_null(moved);
    OSSL_PARAM_free(params);
    return moved;
}

/* How to sign or verify; what is NULL is not set. */
typedef struct how {
    const char *digest, *pad_mode, *salt_len, *mgf1;
} how;

static int
set_how(EVP_PKEY_CTX *ctx, const how *h)
{
    OSSL_PARAM params[5], *p = params;

    if (h->digest != NULL)
        *p++ = OSSL_PARAM_construct_utf8_string("digest", (char *)(uintptr_t)h->digest, 0);
    if (h->pad_mode != NULL)
        *p++ = OSSL_PARAM_construct_utf8_string("pad-mode", (char *)(uintptr_t)h->pad_mode, 0);
    if (h->salt_len != NULL)
        *p++ = OSSL_PARAM_construct_utf8_string("saltlen", (char *)(uintptr_t)h->salt_len, 0);
    if (h->mgf1 != NULL)
        *p++ = OSSL_PARAM_construct_utf8_string("mgf1-digest", (char *)(uintptr_t)h->mgf1, 0);
    *p = OSSL_PARAM_construct_end();
    return EVP_PKEY_CTX_set_params(ctx, params);
}

/* A context that signs, verifies or recovers; NULL: its init or a parameter was refused. */
static EVP_PKEY_CTX *
start(EVP_PKEY *key, const char *provider, int operation, const how *h)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(lib, key, provider);
    int ok;

    assert_non_null(ctx);
    if (operation == EVP_PKEY_OP_SIGN)
        ok = EVP_PKEY_sign_init(ctx);
    else if (operation == EVP_PKEY_OP_VERIFY)
        ok = EVP_PKEY_verify_init(ctx);
    else
        ok = EVP_PKEY_verify_recover_init(ctx);
    if (ok > 0 && set_how(ctx, h) > 0)
        return ctx;
    EVP_PKEY_CTX_free(ctx);
    return NULL;
}

/* The signature's length, 0 if it was refused; then `out` is as it was or zero (row 47). */
static size_t
sign(EVP_PKEY *key, const char *provider, const how *h, const uint8_t *tbs, size_t tbs_len,
     uint8_t out[MAX_SIG])
{
    EVP_PKEY_CTX *ctx = start(key, provider, EVP_PKEY_OP_SIGN, h);
    size_t len = MAX_SIG;

    memset(out, 0xA5, MAX_SIG);
    if (ctx == NULL)
        return 0;
    if (EVP_PKEY_sign(ctx, out, &len, tbs, tbs_len) <= 0) {
        len = 0;
        if (strcmp(provider, BIGMOD) == 0) {
            for (size_t i = 0; i < MAX_SIG; i++)
                assert_true(out[i] == 0xA5 || out[i] == 0);
            assert_int_not_equal(ERR_peek_error(), 0);
        }
    }
    EVP_PKEY_CTX_free(ctx);
    return len;
}

/* 1 valid, 0 not; -1: refused to start. */
static int
verify(EVP_PKEY *key, const char *provider, const how *h, const uint8_t *sig, size_t sig_len,
       const uint8_t *tbs, size_t tbs_len)
{
    EVP_PKEY_CTX *ctx = start(key, provider, EVP_PKEY_OP_VERIFY, h);
    int result;

    if (ctx == NULL)
        return -1;
    result = EVP_PKEY_verify(ctx, sig, sig_len, tbs, tbs_len) == 1;
    EVP_PKEY_CTX_free(ctx);
    return result;
}

/* The recovered length, or -1. */
static int
recover(EVP_PKEY *key, const char *provider, const how *h, const uint8_t *sig, size_t sig_len,
        uint8_t out[MAX_SIG])
{
    EVP_PKEY_CTX *ctx = start(key, provider, EVP_PKEY_OP_VERIFYRECOVER, h);
    size_t len = MAX_SIG;
    int result = -1;

    memset(out, 0xA5, MAX_SIG);
    if (ctx == NULL)
        return -1;
    if (EVP_PKEY_verify_recover(ctx, out, &len, sig, sig_len) > 0) {
        result = (int)len;
    } else if (strcmp(provider, BIGMOD) == 0) {
        for (size_t i = 0; i < MAX_SIG; i++)
            assert_true(out[i] == 0xA5 || out[i] == 0);
    }
    EVP_PKEY_CTX_free(ctx);
    return result;
}

static size_t
digest_len(const char *name)
{
    EVP_MD *md = EVP_MD_fetch(lib, name, NULL);
    size_t len;

    assert_non_null(md);
    len = (size_t)EVP_MD_get_size(md);
    EVP_MD_free(md);
    return len;
}

static const uint8_t message[MAX_SIG] = {0x5a, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};

/* ---- keys that the tests share
 * -------------------------------------------------------------------
 */

static const unsigned sizes[] = {512, 1024, 1025, 1032, 2048, 2049, 3072};
enum { NUM_SIZES = LENGTH_OF(sizes), SIZE_2048 = 4 };
static EVP_PKEY *keys[NUM_SIZES][2]; /* by provider */

static int
setup(void **state)
{
    (void)state;
    lib = load_bigmod(NULL, NULL);
    if (lib == NULL)
        return -1;
    for (size_t i = 0; i < NUM_SIZES; i++) {
        /* bigmod is quicker; one size comes from default */
        int maker = sizes[i] == 2048 ? 0 : 1;

        keys[i][maker] = generate_in(providers[maker], "RSA", sizes[i], 2);
        keys[i][1 - maker] = move(keys[i][maker], providers[1 - maker], EVP_PKEY_KEYPAIR);
    }
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    for (size_t i = 0; i < NUM_SIZES; i++) {
        EVP_PKEY_free(keys[i][0]);
        EVP_PKEY_free(keys[i][1]);
    }
    OSSL_LIB_CTX_free(lib);
    return 0;
}

/* ---- signatures
 * ----------------------------------------------------------------------------------
 */

/* Rows 10, 83, 84: every digest with every size, those that do not fit included. */
static void
pkcs1_signatures_are_those_of_the_default_provider(void **state)
{
    uint8_t sig[2][MAX_SIG], out[2][MAX_SIG];

    (void)state;
    for (size_t i = 0; i < NUM_SIZES; i++) {
        for (size_t j = 0; j < LENGTH_OF(digests); j++) {
            how h = {.digest = digests[j]};
            size_t tbs_len = digest_len(digests[j]), len[2];

            for (int p = 0; p < 2; p++)
                len[p] = sign(keys[i][p], providers[p], &h, message, tbs_len, sig[p]);
            assert_int_equal(len[0], len[1]);
            assert_memory_equal(sig[0], sig[1], len[0]);
            if (len[0] == 0)
                continue;
            assert_int_equal(verify(keys[i][1], BIGMOD, &h, sig[0], len[0], message, tbs_len), 1);
            sig[0][len[0] / 2] ^= 1;
            assert_int_equal(verify(keys[i][1], BIGMOD, &h, sig[0], len[0], message, tbs_len), 0);
            for (int p = 0; p < 2; p++)
                assert_int_equal(recover(keys[i][p], providers[p], &h, sig[1], len[1], out[p]),
                                 (int)tbs_len);
            assert_memory_equal(out[0], out[1], tbs_len);
            assert_memory_equal(out[1], message, tbs_len);
        }
    }
}

static void
without_a_digest_any_message_that_fits_is_signed(void **state)
{
    static const char *const pads[] = {"pkcs1", "none", "x931"};
    uint8_t sig[2][MAX_SIG], out[2][MAX_SIG];

    (void)state;
    for (size_t i = 0; i < NUM_SIZES; i++) {
        const size_t k = (sizes[i] + 7) / 8;
        const size_t lens[] = {0, 1, 36, k - 12, k - 11, k - 10, k - 3, k - 2, k - 1, k, k + 1};

        for (size_t pad = 0; pad < LENGTH_OF(pads); pad++) {
            how h = {.pad_mode = pads[pad]};

            for (size_t j = 0; j < LENGTH_OF(lens); j++) {
                uint8_t tbs[MAX_SIG] = {0};
                size_t len[2];
                int n[2], verdict[2];

                memcpy(tbs + 1, message, sizeof(tbs) - 1); /* below n */
                for (int p = 0; p < 2; p++)
                    len[p] = sign(keys[i][p], providers[p], &h, tbs, lens[j], sig[p]);
                if (len[0] != len[1])
                    print_message("sign: %u bits, %s, %zu bytes\n", sizes[i], pads[pad], lens[j]);
                assert_int_equal(len[0], len[1]);
                assert_memory_equal(sig[0], sig[1], len[0]);
                if (len[0] == 0)
                    continue;
                for (int p = 0; p < 2; p++) {
                    n[p] = recover(keys[i][p], providers[p], &h, sig[0], len[0], out[p]);
                    verdict[p] = verify(keys[i][p], providers[p], &h, sig[0], len[0], tbs, lens[j]);
                }
                if (verdict[0] != verdict[1] || n[0] != n[1])
                    print_message("%u bits, %s, %zu bytes\n", sizes[i], pads[pad], lens[j]);
                assert_int_equal(verdict[0], verdict[1]);
                assert_int_equal(n[0], n[1]);
                if (n[0] > 0)
                    assert_memory_equal(out[0], out[1], (size_t)n[0]);
            }
        }
    }
}

static void
x931_signatures_are_those_of_the_default_provider(void **state)
{
    uint8_t sig[2][MAX_SIG], out[2][MAX_SIG];

    (void)state;
    for (size_t i = 0; i < NUM_SIZES; i++) {
        for (size_t j = 0; j < LENGTH_OF(digests); j++) {
            how h = {.digest = digests[j], .pad_mode = "x931"};
            size_t tbs_len = digest_len(digests[j]), len[2];
            int n[2];

            for (int p = 0; p < 2; p++)
                len[p] = sign(keys[i][p], providers[p], &h, message, tbs_len, sig[p]);
            assert_int_equal(len[0], len[1]);
            assert_memory_equal(sig[0], sig[1], len[0]);
            if (len[0] == 0)
                continue;
            assert_int_equal(verify(keys[i][1], BIGMOD, &h, sig[0], len[0], message, tbs_len), 1);
            for (int p = 0; p < 2; p++)
                n[p] = recover(keys[i][p], providers[p], &h, sig[0], len[0], out[p]);
            assert_int_equal(n[0], n[1]);
            assert_memory_equal(out[0], out[1], (size_t)n[0]);
        }
    }
}

/* Rows 44, 45: sizes, digests, MGF1 digests and every form of the salt's length, both directions.
 */
static void
pss_signatures_verify_in_both_directions(void **state)
{
    static const char *const salts[] = {NULL, "digest", "max", "auto", "0",   "1",    "20",
                                        "62", "63",     "94",  "222",  "223", "2000", "-5"};
    static const char *const mds[] = {"SHA1", "SHA256", "SHA512", "SHA3-256", "MD5"};
    uint8_t sig[MAX_SIG];

    (void)state;
    for (size_t i = 0; i < NUM_SIZES; i++) {
        for (size_t j = 0; j < LENGTH_OF(mds) * 2; j++) {
            const char *md = mds[j / 2], *mgf1 = j % 2 != 0 ? "SHA384" : NULL;
            size_t tbs_len = digest_len(md);

            for (size_t s = 0; s < LENGTH_OF(salts); s++) {
                how h = {.digest = md, .pad_mode = "pss", .salt_len = salts[s], .mgf1 = mgf1};
                size_t len[2];

                for (int p = 0; p < 2; p++) {
                    len[p] = sign(keys[i][p], providers[p], &h, message, tbs_len, sig);
                    if (len[p] == 0)
                        continue;
                    /* every reading of the salt's length, by both verifiers */
                    for (size_t v = 0; v < LENGTH_OF(salts); v += i < 2 ? 1 : 5) {
                        how hv = h;

                        hv.salt_len = salts[v];
                        assert_int_equal(
                            verify(keys[i][0], DEFAULT, &hv, sig, len[p], message, tbs_len),
                            verify(keys[i][1], BIGMOD, &hv, sig, len[p], message, tbs_len));
                    }
                    h.salt_len = "auto";
                    assert_int_equal(verify(keys[i][1], BIGMOD, &h, sig, len[p], message, tbs_len),
                                     1);
                    assert_int_equal(verify(keys[i][0], DEFAULT, &h, sig, len[p], message, tbs_len),
                                     1);
                    h.salt_len = salts[s];
                }
                assert_int_equal(len[0], len[1]);
            }
        }
    }
}

/* Row 44: the longest salt is 62 bytes, for 1024 bits and SHA-512. */
static void
pss_takes_the_longest_salt_and_not_one_more(void **state)
{
    how fits = {.digest = "SHA512", .pad_mode = "pss", .salt_len = "62"};
    how too_long = {.digest = "SHA512", .pad_mode = "pss", .salt_len = "63"};
    uint8_t sig[MAX_SIG];

    (void)state;
    assert_int_equal(sign(keys[1][1], BIGMOD, &fits, message, 64, sig), 128);
    assert_int_equal(sign(keys[1][1], BIGMOD, &too_long, message, 64, sig), 0);
}

/* Rows 29, 30, 40, 42, 48: numbers and lengths at every edge, and damaged blocks. */
static void
bad_signatures_are_refused_as_by_the_default_provider(void **state)
{
    static const how hows[] = {
        {.digest = "SHA256"},
        {.digest = "SHA256", .pad_mode = "pss"},
        {.digest = "SHA256", .pad_mode = "x931"},
        {.pad_mode = "pkcs1"},
        {.pad_mode = "none"},
    };
    EVP_PKEY *const *key = keys[SIZE_2048];
    const size_t k = 256;
    BIGNUM *n = NULL;
    uint8_t sig[MAX_SIG], out[2][MAX_SIG], good[MAX_SIG];

    (void)state;
    assert_true(EVP_PKEY_get_bn_param(key[0], OSSL_PKEY_PARAM_RSA_N, &n));
    for (size_t i = 0; i < LENGTH_OF(hows); i++) {
        const size_t tbs_len = i == 4 ? k : 32;
        uint8_t tbs[256] = {0, 7};

        assert_int_equal(sign(key[1], BIGMOD, &hows[i], tbs, tbs_len, good), k);
        for (int edge = 0; edge < 20; edge++) {
            size_t len = k;
            BIGNUM *s = BN_dup(n);
            int verdict[2], recovered[2];

            memcpy(sig, good, k);
            switch (edge) {
            case 0: /* s = 0, 1, n - 1, n, n + 1, 2^(8k) - 1 */
            case 1:
                memset(sig, 0, k);
                sig[k - 1] = (uint8_t)edge;
                break;
            case 2:
            case 3:
            case 4:
                assert_true(BN_sub_word(s, 1) && BN_add_word(s, (BN_ULONG)(edge - 2)));
                assert_int_equal(BN_bn2binpad(s, sig, (int)k), k);
                break;
            case 5:
                memset(sig, 0xff, k);
                break;
            case 6: /* lengths */
                len = 0;
                break;
            case 7:
                len = 1;
                break;
            case 8:
                len = k - 1;
                break;
            case 9:
                len = k + 1;
                sig[k] = 0;
                break;
            case 10: /* a zero in front */
                memmove(sig + 1, sig, k);
                sig[0] = 0;
                len = k + 1;
                break;
            default:
                sig[((size_t)edge * 37) % k] ^= (uint8_t)(1 << (edge % 8));
                break;
            }
            for (int p = 0; p < 2; p++) {
                ERR_clear_error();
                verdict[p] = verify(key[p], providers[p], &hows[i], sig, len, tbs, tbs_len);
                if (p == 1 && verdict[p] != 1)
                    assert_int_not_equal(ERR_peek_error(), 0);
                recovered[p] = recover(key[p], providers[p], &hows[i], sig, len, out[p]);
            }
            if (edge == 6 && recovered[1] == -1)
                recovered[0] = -1; /* default takes no bytes for the number 0 */
            if (verdict[0] != verdict[1] || recovered[0] != recovered[1])
                print_message("use %zu, edge %d\n", i, edge);
            assert_int_equal(verdict[0], verdict[1]);
            assert_int_equal(recovered[0], recovered[1]);
            if (recovered[0] > 0)
                assert_memory_equal(out[0], out[1], (size_t)recovered[0]);
            BN_free(s);
        }
    }
    BN_free(n);
}

/* Rows 42, 48: blocks that were made with the key itself, each byte of EM changed in turn. */
static void
every_byte_of_the_encoded_message_is_compared(void **state)
{
    const how raw = {.pad_mode = "none"}, pkcs1 = {.digest = "SHA256"};
    EVP_PKEY *key = keys[1][1];
    uint8_t em[MAX_SIG], sig[MAX_SIG], out[MAX_SIG];
    const size_t k = 128;

    (void)state;
    assert_int_equal(sign(key, BIGMOD, &pkcs1, message, 32, sig), k);
    assert_int_equal(recover(key, BIGMOD, &raw, sig, k, em), (int)k);
    for (size_t i = 0; i < k; i++) {
        for (int bit = 0; bit < 8; bit += 7) {
            em[i] ^= (uint8_t)(1 << bit);
            if (sign(key, BIGMOD, &raw, em, k, sig) == k) {
                assert_int_equal(verify(key, BIGMOD, &pkcs1, sig, k, message, 32), 0);
                if (i < k - 32) {
                    assert_int_equal(recover(key, BIGMOD, &pkcs1, sig, k, out), -1);
                }
            }
            em[i] ^= (uint8_t)(1 << bit);
        }
    }
}

/* Row 49: whatever is wrong with the block, the errors are the same. */
static void
all_bad_blocks_have_one_reason(void **state)
{
    const how raw = {.pad_mode = "none"}, pkcs1 = {.digest = "SHA256"};
    EVP_PKEY *key = keys[1][1];
    uint8_t em[MAX_SIG], sig[MAX_SIG];
    unsigned long first[4] = {0};

    (void)state;
    assert_int_equal(sign(key, BIGMOD, &pkcs1, message, 32, sig), 128);
    assert_int_equal(recover(key, BIGMOD, &raw, sig, 128, em), 128);
    for (size_t i = 1; i < 128; i += 3) {
        em[i] ^= 0x10;
        assert_int_equal(sign(key, BIGMOD, &raw, em, 128, sig), 128);
        em[i] ^= 0x10;
        ERR_clear_error();
        assert_int_equal(verify(key, BIGMOD, &pkcs1, sig, 128, message, 32), 0);
        for (size_t e = 0; e < LENGTH_OF(first); e++) {
            unsigned long error = ERR_get_error();

            if (i == 1)
                first[e] = error;
            assert_true(error == first[e]);
        }
        assert_int_not_equal(first[0], 0);
        assert_int_equal(first[3], 0);
    }
}

/* Row 46: one byte over every internal cap, and far over. */
static void
overlong_parameters_are_refused(void **state)
{
    static const size_t lens[] = {49, 50, 51, 255, 256, 70000};
    char *text = malloc(70001);

    (void)state;
    assert_non_null(text);
    for (size_t i = 0; i < LENGTH_OF(lens); i++) {
        const how hows[] = {
            {.digest = text},
            {.pad_mode = text},
            {.pad_mode = "pss", .mgf1 = text},
            {.pad_mode = "pss", .salt_len = text},
        };

        memset(text, '1', lens[i]);
        text[lens[i]] = '\0';
        for (size_t j = 0; j < LENGTH_OF(hows); j++) {
            ERR_clear_error();
            assert_null(start(keys[1][1], BIGMOD, EVP_PKEY_OP_SIGN, &hows[j]));
            assert_int_not_equal(ERR_peek_error(), 0);
        }
    }
    free(text);
}

/* ---- digest-sign and digest-verify
 * ---------------------------------------------------------------
 */

static void
digest_sign_and_verify_work_in_pieces_and_at_once(void **state)
{
    uint8_t sig[2][MAX_SIG], *big = OPENSSL_zalloc(100000);

    (void)state;
    for (size_t j = 0; j < LENGTH_OF(digests); j++) {
        size_t len[2];

        for (int p = 0; p < 2; p++) {
            EVP_MD_CTX *ctx = EVP_MD_CTX_new();

            len[p] = MAX_SIG;
            assert_true(EVP_DigestSignInit_ex(ctx, NULL, digests[j], lib, providers[p],
                                              keys[SIZE_2048][p], NULL) > 0);
            assert_true(EVP_DigestSignUpdate(ctx, big, 77777) > 0);
            assert_true(EVP_DigestSignUpdate(ctx, big, 22223) > 0);
            assert_true(EVP_DigestSignFinal(ctx, NULL, &len[p]) > 0);
            assert_int_equal(len[p], 256);
            assert_true(EVP_DigestSignFinal(ctx, sig[p], &len[p]) > 0);
            EVP_MD_CTX_free(ctx);
        }
        assert_int_equal(len[0], len[1]);
        assert_memory_equal(sig[0], sig[1], len[0]);
        for (int p = 0; p < 2; p++) {
            EVP_MD_CTX *ctx = EVP_MD_CTX_new();

            assert_true(EVP_DigestVerifyInit_ex(ctx, NULL, digests[j], lib, providers[p],
                                                keys[SIZE_2048][p], NULL) > 0);
            assert_int_equal(EVP_DigestVerify(ctx, sig[1], len[1], big, 100000), 1);
            EVP_MD_CTX_free(ctx);
            ctx = EVP_MD_CTX_new();
            assert_true(EVP_DigestVerifyInit_ex(ctx, NULL, digests[j], lib, providers[p],
                                                keys[SIZE_2048][p], NULL) > 0);
            assert_int_equal(EVP_DigestVerify(ctx, sig[1], len[1], big, 99999), 0);
            EVP_MD_CTX_free(ctx);
        }
    }
    OPENSSL_free(big);
}

/* Rows 72, 80, 81: contexts are freed and duplicated in every state. */
static void
contexts_can_be_freed_and_duplicated_in_every_state(void **state)
{
    (void)state;
    for (int stop = 0; stop < 6; stop++) {
        EVP_MD_CTX *ctx = EVP_MD_CTX_new(), *copy = EVP_MD_CTX_new();
        EVP_PKEY_CTX *pctx = NULL, *pcopy;
        uint8_t sig[2][MAX_SIG];
        size_t len[2] = {MAX_SIG, MAX_SIG};

        pcopy = EVP_PKEY_CTX_new_from_pkey(lib, keys[SIZE_2048][1], BIGMOD);
        if (stop > 0)
            assert_true(EVP_PKEY_sign_init(pcopy) > 0);
        if (stop > 1)
            assert_true(EVP_PKEY_CTX_set_rsa_padding(pcopy, RSA_PKCS1_PSS_PADDING) > 0);
        pctx = EVP_PKEY_CTX_dup(pcopy);
        EVP_PKEY_CTX_free(pcopy);
        if (stop > 0) {
            assert_non_null(pctx);
            assert_true(EVP_PKEY_sign(pctx, sig[0], &len[0], message, 20) > 0);
        }
        EVP_PKEY_CTX_free(pctx);

        len[0] = MAX_SIG;
        if (stop > 0)
            assert_true(EVP_DigestSignInit_ex(ctx, &pctx, "SHA256", lib, BIGMOD, keys[SIZE_2048][1],
                                              NULL) > 0);
        if (stop > 1)
            assert_true(EVP_DigestSignUpdate(ctx, message, 100) > 0);
        if (stop > 2)
            assert_true(EVP_MD_CTX_copy_ex(copy, ctx) > 0);
        if (stop > 3) {
            assert_true(EVP_DigestSignFinal(ctx, sig[0], &len[0]) > 0);
            assert_true(EVP_DigestSignFinal(copy, sig[1], &len[1]) > 0);
            assert_memory_equal(sig[0], sig[1], len[0]);
        }
        if (stop > 4) /* the copy of a finished context */
            assert_true(EVP_MD_CTX_copy_ex(copy, ctx) > 0);
        EVP_MD_CTX_free(ctx);
        EVP_MD_CTX_free(copy);
    }
}

/* While a message is hashed its digest cannot be exchanged. */
static void
the_digest_of_a_message_cannot_be_changed(void **state)
{
    for (int p = 0; p < 2; p++) {
        EVP_MD_CTX *ctx = EVP_MD_CTX_new();
        EVP_PKEY_CTX *pctx = NULL;
        how same = {.digest = "SHA256"}, other = {.digest = "SHA512"};

        assert_true(EVP_DigestSignInit_ex(ctx, &pctx, "SHA256", lib, providers[p],
                                          keys[SIZE_2048][p], NULL) > 0);
        assert_true(set_how(pctx, &same) > 0);
        if (p == 1) /* default 3.6 takes it, and goes on with the old one */
            assert_true(set_how(pctx, &other) <= 0);
        EVP_MD_CTX_free(ctx);
    }
    (void)state;
}

/* The DER of the AlgorithmIdentifier, as default writes it. */
static void
algorithm_identifiers_are_those_of_the_default_provider(void **state)
{
    static const char *const pads[] = {"pkcs1", "pss"};
    static const char *const mds[] = {"SHA1", "SHA256", "SHA384", "SHA512", "SHA3-256"};

    (void)state;
    for (size_t i = 0; i < LENGTH_OF(mds) * LENGTH_OF(pads) * 3; i++) {
        how h = {.pad_mode = pads[i % 2]};
        uint8_t der[2][200];
        size_t len[2] = {0, 0};

        if (i % 2 == 1) {
            h.salt_len = i / 10 == 0 ? "digest" : i / 10 == 1 ? "20" : "max";
            h.mgf1 = i / 10 == 1 ? "SHA256" : NULL;
        }
        for (int p = 0; p < 2; p++) {
            EVP_MD_CTX *ctx = EVP_MD_CTX_new();
            EVP_PKEY_CTX *pctx = NULL;
            OSSL_PARAM params[2] = {
                OSSL_PARAM_octet_string(OSSL_SIGNATURE_PARAM_ALGORITHM_ID, der[p], sizeof(der[p])),
                OSSL_PARAM_END,
            };

            assert_true(EVP_DigestSignInit_ex(ctx, &pctx, mds[i / 2 % 5], lib, providers[p],
                                              keys[SIZE_2048][p], NULL) > 0);
            assert_true(set_how(pctx, &h) > 0);
            if (EVP_PKEY_CTX_get_params(pctx, params) > 0)
                len[p] = params[0].return_size;
            EVP_MD_CTX_free(ctx);
        }
        assert_true(len[1] > 0);
        if (len[0] == 0)
            continue; /* default 3.0 cannot write PSS with SHA-3 */
        assert_int_equal(len[0], len[1]);
        assert_memory_equal(der[0], der[1], len[0]);
    }
}

/* ---- RSA-PSS keys
 * --------------------------------------------------------------------------------
 */

/* An RSA-PSS key with the numbers of the RSA key; NULL values are left out. */
static EVP_PKEY *
pss_key(EVP_PKEY *key, const char *provider, const char *digest, const char *mgf1, int salt_len)
{
    OSSL_PARAM *numbers = NULL, *all, extra[4], *p = extra;
    EVP_PKEY *result;

    assert_true(EVP_PKEY_todata(key, EVP_PKEY_KEYPAIR, &numbers) > 0);
    if (digest != NULL)
        *p++ = OSSL_PARAM_construct_utf8_string("digest", (char *)(uintptr_t)digest, 0);
    if (mgf1 != NULL)
        *p++ = OSSL_PARAM_construct_utf8_string("mgf1-digest", (char *)(uintptr_t)mgf1, 0);
    if (salt_len != -99)
        *p++ = OSSL_PARAM_construct_int("saltlen", &salt_len);
    *p = OSSL_PARAM_construct_end();
    all = OSSL_PARAM_merge(numbers, extra);
    if (all == NULL) /* nothing to merge */
        all = OSSL_PARAM_dup(numbers);
    result = import("RSA-PSS", provider, EVP_PKEY_KEYPAIR, all);
    OSSL_PARAM_free(all);
    OSSL_PARAM_free(numbers);
    return result;
}

/* Rows 43, 45: every restriction, and every use of it. */
static void
restricted_pss_keys_are_held_to_their_parameters(void **state)
{
    static const struct {
        const char *digest, *mgf1;
        int salt_len;
    } restrictions[] = {
        {NULL, NULL, -99},         {"SHA256", NULL, -99},
        {"SHA256", "SHA256", 32},  {"SHA256", "SHA1", 20},
        {"SHA512", NULL, 64},      {"SHA1", NULL, 0},
        {NULL, NULL, 20},          {NULL, "SHA256", -99},
        {"SHA256", "SHA256", 222}, {"SHA256", "SHA256", 100000},
        {"MD5", NULL, -99},        {"SHA3-256", NULL, -99},
        {"nonsense", NULL, -99},
    };
    static const how hows[] = {
        {NULL, NULL, NULL, NULL},          {"SHA256", NULL, NULL, NULL},
        {"SHA1", NULL, NULL, NULL},        {"SHA512", NULL, NULL, NULL},
        {NULL, "pss", NULL, NULL},         {NULL, "pkcs1", NULL, NULL},
        {NULL, "none", NULL, NULL},        {NULL, "x931", NULL, NULL},
        {NULL, NULL, "digest", NULL},      {NULL, NULL, "max", NULL},
        {NULL, NULL, "auto", NULL},        {NULL, NULL, "19", NULL},
        {NULL, NULL, "32", NULL},          {NULL, NULL, "0", NULL},
        {NULL, NULL, NULL, "SHA256"},      {NULL, NULL, NULL, "SHA1"},
        {"SHA256", "pss", "32", "SHA256"},
    };

    (void)state;
    for (size_t r = 0; r < LENGTH_OF(restrictions); r++) {
        EVP_PKEY *key[2];

        for (int p = 0; p < 2; p++)
            key[p] = pss_key(keys[SIZE_2048][0], providers[p], restrictions[r].digest,
                             restrictions[r].mgf1, restrictions[r].salt_len);
        if (key[1] == NULL) { /* then default's key, where there is one, is good for nothing */
            uint8_t sig[MAX_SIG];

            for (size_t i = 0; key[0] != NULL && i < LENGTH_OF(hows); i++)
                assert_int_equal(sign(key[0], DEFAULT, &hows[i], message, 32, sig), 0);
            EVP_PKEY_free(key[0]);
            continue;
        }
        assert_non_null(key[0]);
        for (size_t i = 0; key[0] != NULL && i < LENGTH_OF(hows); i++) {
            if (r == 0 && i == 0)
                continue; /* nothing is set: newer versions have no default digest then */
            for (size_t tbs_len = 20; tbs_len <= 64; tbs_len += tbs_len == 20 ? 12 : 32) {
                uint8_t sig[2][MAX_SIG];
                size_t len[2];

                for (int p = 0; p < 2; p++)
                    len[p] = sign(key[p], providers[p], &hows[i], message, tbs_len, sig[p]);
                /* newer default providers refuse "auto" where the key prescribes a length */
                if (len[0] == 0 && OpenSSL_version_num() >= 0x30100000L)
                    continue;
                assert_int_equal(len[0], len[1]);
                for (int p = 0; p < 2 && len[0] != 0; p++)
                    assert_int_equal(
                        verify(key[0], DEFAULT, &hows[i], sig[p], len[p], message, tbs_len),
                        verify(key[1], BIGMOD, &hows[i], sig[p], len[p], message, tbs_len));
            }
        }
        EVP_PKEY_free(key[0]);
        EVP_PKEY_free(key[1]);
    }
}

/* ---- keys
 * ----------------------------------------------------------------------------------------
 */

typedef struct numbers {
    BIGNUM *n, *e, *d, *p, *q, *dp, *dq, *qi;
} numbers;

static void
get_numbers(EVP_PKEY *key, numbers *x)
{
    memset(x, 0, sizeof(*x));
    assert_true(EVP_PKEY_get_bn_param(key, "n", &x->n));
    assert_true(EVP_PKEY_get_bn_param(key, "e", &x->e));
    assert_true(EVP_PKEY_get_bn_param(key, "d", &x->d));
    assert_true(EVP_PKEY_get_bn_param(key, "rsa-factor1", &x->p));
    assert_true(EVP_PKEY_get_bn_param(key, "rsa-factor2", &x->q));
    assert_true(EVP_PKEY_get_bn_param(key, "rsa-exponent1", &x->dp));
    assert_true(EVP_PKEY_get_bn_param(key, "rsa-exponent2", &x->dq));
    assert_true(EVP_PKEY_get_bn_param(key, "rsa-coefficient1", &x->qi));
}

static void
free_numbers(numbers *x)
{
    BN_free(x->n);
    BN_free(x->e);
    BN_free(x->d);
    BN_free(x->p);
    BN_free(x->q);
    BN_free(x->dp);
    BN_free(x->dq);
    BN_free(x->qi);
}

static EVP_PKEY *
import_numbers(const char *provider, const numbers *x)
{
    OSSL_PARAM_BLD *bld = OSSL_PARAM_BLD_new();
    OSSL_PARAM *params;
    EVP_PKEY *key;
    const struct {
        const char *name;
        const BIGNUM *value;
    } parts[] = {
        {"n", x->n},
        {"e", x->e},
        {"d", x->d},
        {"rsa-factor1", x->p},
        {"rsa-factor2", x->q},
        {"rsa-exponent1", x->dp},
        {"rsa-exponent2", x->dq},
        {"rsa-coefficient1", x->qi},
    };

    for (size_t i = 0; i < LENGTH_OF(parts); i++) {
        if (parts[i].value != NULL)
            assert_true(OSSL_PARAM_BLD_push_BN(bld, parts[i].name, parts[i].value));
    }
    params = OSSL_PARAM_BLD_to_param(bld);
    key = import("RSA", provider, x->d != NULL ? EVP_PKEY_KEYPAIR : EVP_PKEY_PUBLIC_KEY, params);
    OSSL_PARAM_free(params);
    OSSL_PARAM_BLD_free(bld);
    return key;
}

static int
check(EVP_PKEY *key, const char *provider, bool public_only)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(lib, key, provider);
    int result;

    assert_non_null(ctx);
    result = (public_only ? EVP_PKEY_public_check(ctx) : EVP_PKEY_check(ctx)) > 0;
    EVP_PKEY_CTX_free(ctx);
    return result;
}

static void
set(BIGNUM **x, BIGNUM *value)
{
    BN_free(*x);
    *x = value;
}

/* The faults of private keys, by name. false: no more. */
static bool
spoil(numbers *x, int fault, const numbers *other)
{
    BN_CTX *bn = BN_CTX_new();

    switch (fault) {
    case 0: /* as it is */
        break;
    case 1: /* (n, e, d) only */
        set(&x->p, NULL);
        set(&x->q, NULL); /* fall through */
    case 2:               /* no dp, dq, qi */
        set(&x->dp, NULL);
        set(&x->dq, NULL);
        set(&x->qi, NULL);
        break;
    case 3: { /* p < q with the right qi */
        BIGNUM *t = x->p;

        x->p = x->q;
        x->q = t;
        t = x->dp;
        x->dp = x->dq;
        x->dq = t;
        assert_non_null(BN_mod_inverse(x->qi, x->q, x->p, bn));
        break;
    }
    case 4:
        BN_add_word(x->dp, 1);
        break;
    case 5:
        BN_zero(x->dq);
        break;
    case 6:
        BN_add_word(x->qi, 1);
        break;
    case 7:
        BN_zero(x->qi);
        break;
    case 8:
        BN_add_word(x->p, 2);
        break;
    case 9:
        BN_add(x->dp, x->dp, x->p);
        break;
    case 10:
        BN_zero(x->d);
        break;
    case 11:
        BN_add_word(x->d, 1);
        break;
    case 12:
        BN_one(x->p);
        BN_copy(x->q, x->n);
        break;
    case 13:
        BN_copy(x->q, x->p);
        break;
    case 14:
        BN_one(x->e);
        BN_one(x->d);
        break;
    case 15: /* q even */
        BN_add_word(x->q, 1);
        break;
    case 16: /* n + 2 with these parts */
        BN_add_word(x->n, 2);
        break;
    case 17: /* another key's parts */
        BN_copy(x->n, other->n);
        break;
    case 18: /* d longer than n */
        BN_lshift(x->d, x->d, 200);
        break;
    case 19: /* p longer than n, and a multiple */
        BN_lshift(x->p, x->p, 1100);
        break;
    default:
        BN_CTX_free(bn);
        return false;
    }
    BN_CTX_free(bn);
    return true;
}

/*
 * Rows 32, 34, 36, 60, 78: the parity table. The same decisions, but that no private result leaves
 * unverified: where the default provider emits a wrong signature, bigmod refuses.
 */
static void
spoilt_private_keys_are_treated_as_the_parity_table_says(void **state)
{
    EVP_PKEY *other = generate("RSA", 2048, 2);
    const how h = {.digest = "SHA256"};
    numbers b;

    (void)state;
    get_numbers(other, &b);
    for (int fault = 0;; fault++) {
        EVP_PKEY *key[2];
        uint8_t sig[2][MAX_SIG];
        size_t len[2] = {0, 0};
        numbers a;
        bool more;

        get_numbers(keys[SIZE_2048][0], &a);
        more = spoil(&a, fault, &b);
        for (int p = 0; more && p < 2; p++) {
            double t = now();

            key[p] = import_numbers(providers[p], &a);
            if (key[p] == NULL) { /* newer default providers refuse some at once */
                assert_int_equal(p, 0);
                continue;
            }
            len[p] = sign(key[p], providers[p], &h, message, 32, sig[p]);
            if (p == 1)
                assert_true(now() - t < 1.0); /* row 25 */
        }
        if (more) {
            int valid = len[1] != 0 &&
                        verify(keys[SIZE_2048][0], DEFAULT, &h, sig[1], len[1], message, 32) == 1;
            int default_valid = len[0] != 0 && verify(keys[SIZE_2048][0], DEFAULT, &h, sig[0],
                                                      len[0], message, 32) == 1;

            /* a signature that leaves verifies under the key's own n and e */
            if (len[1] != 0)
                assert_int_equal(verify(key[1], BIGMOD, &h, sig[1], len[1], message, 32), 1);
            if (fault != 14 && default_valid != valid)
                print_message("fault %d: default %d, bigmod %d\n", fault, default_valid, valid);
            if (fault != 14)
                assert_true(valid || !default_valid);
            if (key[0] != NULL)
                assert_int_equal(check(key[0], DEFAULT, false), check(key[1], BIGMOD, false));
            assert_int_equal(check(key[1], BIGMOD, false), fault == 0 || fault == 2 || fault == 3);
            EVP_PKEY_free(key[0]);
            EVP_PKEY_free(key[1]);
        }
        free_numbers(&a);
        if (!more)
            break;
    }
    free_numbers(&b);
    EVP_PKEY_free(other);
}

/* Rows 24, 25, 27, 28, 35: degenerate moduli and exponents, in import, check and use. */
static void
degenerate_public_keys_are_refused_without_a_crash(void **state)
{
    static const char *const moduli[] = {"0",
                                         "1",
                                         "2",
                                         "3",
                                         "4",
                                         "5",
                                         "N-1",
                                         "N",
                                         "1<<2047",
                                         "1<<16384",
                                         "N<<1",
                                         "(1<<16384)|1",
                                         "(1<<1000000)|1"};
    static const char *const exponents[] = {"0",     "1", "2",   "3",      "4",
                                            "65537", "N", "N+2", "2^64+13"};
    const how h = {.digest = "SHA256"};
    numbers good;
    uint8_t sig[MAX_SIG], out[MAX_SIG];

    (void)state;
    get_numbers(keys[SIZE_2048][0], &good);
    sign(keys[SIZE_2048][1], BIGMOD, &h, message, 32, sig);
    for (size_t i = 0; i < LENGTH_OF(moduli); i++) {
        for (size_t j = 0; j < LENGTH_OF(exponents); j++) {
            numbers x = {.n = BN_new(), .e = BN_new()};
            EVP_PKEY *key[2];

            switch (i) {
            case 6:
            case 7:
                BN_copy(x.n, good.n);
                if (i == 6)
                    BN_sub_word(x.n, 1);
                break;
            case 8:
                BN_set_bit(x.n, 2047);
                break;
            case 9:
            case 11:
                BN_set_bit(x.n, 16384);
                if (i == 11)
                    BN_set_bit(x.n, 0);
                break;
            case 10:
                BN_lshift1(x.n, good.n);
                break;
            case 12:
                BN_set_bit(x.n, 1000000);
                BN_set_bit(x.n, 0);
                break;
            default:
                BN_set_word(x.n, i);
            }
            switch (j) {
            case 6:
            case 7:
                BN_copy(x.e, x.n);
                if (j == 7)
                    BN_add_word(x.e, 2);
                break;
            case 8:
                BN_set_bit(x.e, 64);
                BN_add_word(x.e, 13);
                break;
            default:
                BN_dec2bn(&x.e, exponents[j]);
            }
            for (int p = 0; p < 2; p++)
                key[p] = import_numbers(providers[p], &x);
            assert_int_equal(key[0] == NULL, key[1] == NULL);
            if (key[0] != NULL) {
                double t = now();
                int verdict = verify(key[1], BIGMOD, &h, sig, 256, message, 32);

                /* only the true key verifies */
                assert_int_equal(verdict == 1, i == 7 && j == 5);
                (void)recover(key[1], BIGMOD, &(how){.pad_mode = "none"}, sig, 256, out);
                assert_true(now() - t < 0.5);
                if (i < 12)
                    assert_int_equal(EVP_PKEY_get_bits(key[0]), EVP_PKEY_get_bits(key[1]));
                if (i != 9 && i != 11 && i != 12) {
                    int public_ok[2];

                    for (int p = 0; p < 2; p++) {
                        t = now();
                        public_ok[p] = check(key[p], providers[p], true);
                        if (p == 1)
                            assert_true(now() - t < 1.0);
                    }
                    if (public_ok[0] != public_ok[1])
                        print_message("n %s e %s: default %d\n", moduli[i], exponents[j],
                                      public_ok[0]);
                    assert_int_equal(public_ok[0], public_ok[1]);
                }
            }
            EVP_PKEY_free(key[0]);
            EVP_PKEY_free(key[1]);
            free_numbers(&x);
        }
    }
    free_numbers(&good);
}

/* Rows 26, 27, 28: what is too large is refused at once, to sign as to verify and to check. */
static void
huge_moduli_are_refused_at_once(void **state)
{
    static const int bits[] = {16385, 65536, 1000000};
    const how h = {.digest = "SHA256"};
    uint8_t sig[MAX_SIG] = {0};

    (void)state;
    for (size_t i = 0; i < LENGTH_OF(bits); i++) {
        numbers x = {.n = BN_new(), .e = BN_new(), .d = BN_new()};
        EVP_PKEY *key;
        double t = now();

        BN_set_bit(x.n, bits[i] - 1);
        BN_set_bit(x.n, 0);
        BN_set_word(x.e, 65537);
        BN_set_word(x.d, 3);
        key = import_numbers(BIGMOD, &x);
        assert_non_null(key);
        assert_int_equal(verify(key, BIGMOD, &h, sig, 256, message, 32), 0);
        assert_int_equal(sign(key, BIGMOD, &h, message, 32, sig), 0);
        assert_int_equal(check(key, BIGMOD, false), 0);
        assert_int_equal(check(key, BIGMOD, true), 0);
        assert_true(now() - t < 0.04);
        EVP_PKEY_free(key);
        free_numbers(&x);
    }
}

/* Row 34: three to five primes. */
static void
multi_prime_keys_sign_and_check(void **state)
{
    const how h = {.digest = "SHA256"};

    (void)state;
    for (unsigned primes = 3; primes <= (getenv("BM_TEST_FULL") ? 5 : 3); primes++) {
        EVP_PKEY *key[2];
        uint8_t sig[2][MAX_SIG];

        const unsigned bits = 2048u << (primes - 3); /* as many primes as default allows */

        key[0] = generate("RSA", bits, primes);
        key[1] = move(key[0], BIGMOD, EVP_PKEY_KEYPAIR);
        for (int p = 0; p < 2; p++)
            assert_int_equal(sign(key[p], providers[p], &h, message, 32, sig[p]), bits / 8);
        assert_memory_equal(sig[0], sig[1], bits / 8);
        assert_int_equal(check(key[1], BIGMOD, false), 1);
        EVP_PKEY_free(key[0]);
        EVP_PKEY_free(key[1]);
    }
}

/* Row 74: equality across providers, whole and public keys, in both orders. */
static void
keys_are_equal_across_providers(void **state)
{
    EVP_PKEY *all[5], *different[2];

    (void)state;
    all[0] = keys[SIZE_2048][0];
    all[1] = keys[SIZE_2048][1];
    all[2] = move(all[0], DEFAULT, EVP_PKEY_PUBLIC_KEY);
    all[3] = move(all[0], BIGMOD, EVP_PKEY_PUBLIC_KEY);
    all[4] = move(all[1], DEFAULT, EVP_PKEY_KEYPAIR);
    different[0] = keys[SIZE_2048 + 1][0];
    different[1] = keys[SIZE_2048 + 1][1];
    for (int i = 0; i < 5; i++) {
        for (int j = 0; j < 5; j++)
            assert_int_equal(EVP_PKEY_eq(all[i], all[j]), 1);
        for (int j = 0; j < 2; j++) {
            assert_int_equal(EVP_PKEY_eq(all[i], different[j]), 0);
            assert_int_equal(EVP_PKEY_eq(different[j], all[i]), 0);
        }
    }
    for (int i = 2; i < 5; i++)
        EVP_PKEY_free(all[i]);
}

/* Row 78: a private import gives the public key, and the legacy key is complete. */
static void
the_legacy_key_is_complete(void **state)
{
    const RSA *rsa = EVP_PKEY_get0_RSA(keys[SIZE_2048][1]);
    const BIGNUM *n, *e, *d, *p, *q, *dp, *dq, *qi;
    numbers x;

    (void)state;
    assert_non_null(rsa);
    RSA_get0_key(rsa, &n, &e, &d);
    RSA_get0_factors(rsa, &p, &q);
    RSA_get0_crt_params(rsa, &dp, &dq, &qi);
    get_numbers(keys[SIZE_2048][0], &x);
    assert_int_equal(BN_cmp(n, x.n), 0);
    assert_int_equal(BN_cmp(e, x.e), 0);
    assert_int_equal(BN_cmp(d, x.d), 0);
    assert_int_equal(BN_cmp(p, x.p), 0);
    assert_int_equal(BN_cmp(q, x.q), 0);
    assert_int_equal(BN_cmp(dp, x.dp), 0);
    assert_int_equal(BN_cmp(dq, x.dq), 0);
    assert_int_equal(BN_cmp(qi, x.qi), 0);
    free_numbers(&x);
}

/* Row 79: whatever is asked for, what is held is given. */
static void
exports_give_what_is_asked_and_held(void **state)
{
    EVP_PKEY *whole = keys[SIZE_2048][1];
    EVP_PKEY *public_only = move(whole, BIGMOD, EVP_PKEY_PUBLIC_KEY);
    OSSL_PARAM *params = NULL;

    (void)state;
    assert_true(EVP_PKEY_todata(public_only, EVP_PKEY_KEYPAIR, &params) > 0);
    assert_non_null(OSSL_PARAM_locate(params, "n"));
    assert_null(OSSL_PARAM_locate(params, "d"));
    OSSL_PARAM_free(params);
    assert_true(EVP_PKEY_todata(whole, EVP_PKEY_PUBLIC_KEY, &params) > 0);
    assert_non_null(OSSL_PARAM_locate(params, "e"));
    assert_null(OSSL_PARAM_locate(params, "d"));
    assert_null(OSSL_PARAM_locate(params, "rsa-factor1"));
    OSSL_PARAM_free(params);
    assert_true(EVP_PKEY_todata(whole, EVP_PKEY_KEYPAIR, &params) > 0);
    assert_non_null(OSSL_PARAM_locate(params, "rsa-coefficient1"));
    OSSL_PARAM_free(params);
    EVP_PKEY_free(public_only);
}

static void
duplicates_hold_what_was_selected(void **state)
{
    EVP_PKEY *copy = EVP_PKEY_dup(keys[SIZE_2048][1]);
    const how h = {.digest = "SHA256"};
    uint8_t sig[MAX_SIG];

    (void)state;
    assert_non_null(copy);
    assert_int_equal(EVP_PKEY_eq(copy, keys[SIZE_2048][1]), 1);
    assert_int_equal(sign(copy, BIGMOD, &h, message, 32, sig), 256);
    EVP_PKEY_free(copy);
}

static void
key_parameters_are_those_of_the_default_provider(void **state)
{
    static const char *const ints[] = {"bits", "security-bits", "max-size"};
    static const char *const texts[] = {"default-digest", "mandatory-digest", "digest",
                                        "mgf1-digest"};

    (void)state;
    for (size_t i = 0; i < NUM_SIZES + 4; i++) {
        static const char *const restricted[4] = {"SHA256", "SHA1", NULL, "SHA512"};
        EVP_PKEY *key[2];

        for (int p = 0; p < 2; p++) {
            if (i < NUM_SIZES) {
                key[p] = keys[i][p];
                EVP_PKEY_up_ref(key[p]);
            } else {
                key[p] =
                    pss_key(keys[SIZE_2048][0], providers[p], restricted[i - NUM_SIZES], NULL, -99);
            }
            assert_non_null(key[p]);
        }
        for (size_t j = 0; j < LENGTH_OF(ints); j++) {
            int value[2] = {-1, -1};

            assert_true(EVP_PKEY_get_int_param(key[0], ints[j], &value[0]));
            assert_true(EVP_PKEY_get_int_param(key[1], ints[j], &value[1]));
            assert_int_equal(value[0], value[1]);
        }
        for (size_t j = 0; j < LENGTH_OF(texts); j++) {
            char text[2][50] = {"", ""};
            int ok[2];

            for (int p = 0; p < 2; p++)
                ok[p] = EVP_PKEY_get_utf8_string_param(key[p], texts[j], text[p], 50, NULL);
            assert_int_equal(ok[0], ok[1]);
            assert_string_equal(text[0], text[1]);
        }
        assert_int_equal(EVP_PKEY_get_size(key[0]), EVP_PKEY_get_size(key[1]));
        EVP_PKEY_free(key[0]);
        EVP_PKEY_free(key[1]);
    }
}

/* Every size: security bits follow the default provider's formula. */
static void
security_bits_follow_the_formula_for_every_size(void **state)
{
    (void)state;
    for (int bits = 2; bits <= 16384; bits += bits < 1100 ? 1 : 17) {
        numbers x = {.n = BN_new(), .e = BN_new()};
        int value[2];

        BN_set_bit(x.n, bits - 1);
        BN_set_bit(x.n, 0);
        BN_set_word(x.e, 3);
        for (int p = 0; p < 2; p++) {
            EVP_PKEY *key = import_numbers(providers[p], &x);

            assert_non_null(key);
            value[p] = EVP_PKEY_get_security_bits(key);
            EVP_PKEY_free(key);
        }
        if (value[0] != value[1])
            print_message("%d bits\n", bits);
        assert_int_equal(value[0], value[1]);
        free_numbers(&x);
    }
}

/* Imports that lack what a key needs, or carry another type. */
static void
broken_imports_are_refused(void **state)
{
    uint8_t byte = 3;
    int number = 3;
    OSSL_PARAM only_n[] = {OSSL_PARAM_BN("n", &byte, 1), OSSL_PARAM_END};
    OSSL_PARAM only_e[] = {OSSL_PARAM_BN("e", &byte, 1), OSSL_PARAM_END};
    OSSL_PARAM signed_e[] = {OSSL_PARAM_BN("n", &byte, 1), OSSL_PARAM_int("e", &number),
                             OSSL_PARAM_END};
    OSSL_PARAM nothing[] = {OSSL_PARAM_END};
    OSSL_PARAM one_prime[] = {OSSL_PARAM_BN("n", &byte, 1), OSSL_PARAM_BN("e", &byte, 1),
                              OSSL_PARAM_BN("d", &byte, 1), OSSL_PARAM_BN("rsa-factor1", &byte, 1),
                              OSSL_PARAM_END};
    OSSL_PARAM *all[] = {only_n, only_e, signed_e, nothing, one_prime};

    (void)state;
    for (size_t i = 0; i < LENGTH_OF(all); i++) {
        for (int p = 0; p < 2; p++) {
            EVP_PKEY *key = import("RSA", providers[p], EVP_PKEY_KEYPAIR, all[i]);

            if (key != NULL)
                print_message("import %zu is taken by %s\n", i, providers[p]);
            if (p == 1)
                assert_null(key);
            EVP_PKEY_free(key);
        }
    }
}

/* ---- generation ---- */

typedef struct request {
    const char *type;
    size_t bits, primes;
    const char *e; /* decimal; NULL: not set */
    const char *digest;
    int salt_len; /* -1: not set */
} request;

static int
count_progress(EVP_PKEY_CTX *ctx)
{
    int *calls = EVP_PKEY_CTX_get_app_data(ctx);

    ++*calls;
    assert_true(EVP_PKEY_CTX_get_keygen_info(ctx, -1) >= 2);
    assert_in_range(EVP_PKEY_CTX_get_keygen_info(ctx, 0), 0, 3);
    return 1;
}

static int
stop_at_once(EVP_PKEY_CTX *ctx)
{
    (void)ctx;
    return 0;
}

static EVP_PKEY *
generate_as(const char *provider, const request *r, EVP_PKEY_gen_cb *progress, int *calls)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(lib, r->type, provider);
    BIGNUM *e = NULL;
    uint8_t e_bytes[64];
    OSSL_PARAM params[6], *p = params;
    size_t bits = r->bits, primes = r->primes;
    int salt_len = r->salt_len;
    EVP_PKEY *key = NULL;

    *p++ = OSSL_PARAM_construct_size_t("bits", &bits);
    if (primes != 0)
        *p++ = OSSL_PARAM_construct_size_t("primes", &primes);
    if (r->e != NULL) {
        assert_true(BN_dec2bn(&e, r->e));
        assert_true(BN_bn2nativepad(e, e_bytes, sizeof(e_bytes)) > 0);
        *p++ = OSSL_PARAM_construct_BN("e", e_bytes, sizeof(e_bytes));
    }
    if (r->digest != NULL)
        *p++ = OSSL_PARAM_construct_utf8_string("digest", (char *)(uintptr_t)r->digest, 0);
    if (salt_len >= 0)
        *p++ = OSSL_PARAM_construct_int("saltlen", &salt_len);
    *p = OSSL_PARAM_construct_end();
    assert_true(EVP_PKEY_keygen_init(ctx) > 0);
    EVP_PKEY_CTX_set_cb(ctx, progress);
    EVP_PKEY_CTX_set_app_data(ctx, calls);
    if (EVP_PKEY_CTX_set_params(ctx, params) <= 0 || EVP_PKEY_generate(ctx, &key) <= 0)
        key = NULL;
    BN_free(e);
    EVP_PKEY_CTX_free(ctx);
    return key;
}

/* Keys of every kind that the default provider makes; it finds them sound. */
static void
generated_keys_are_sound(void **state)
{
    static const request requests[] = {
        {"RSA", 512, 0, NULL, NULL, -1},
        {"RSA", 513, 0, "3", NULL, -1},
        {"RSA", 1024, 2, "17", NULL, -1},
        {"RSA", 1025, 3, NULL, NULL, -1},
        {"RSA", 1536, 0, "18446744073709551629", NULL, -1}, /* 2^64 + 13 */
        {"RSA", 2048, 3, "65537", NULL, -1},
        {"RSA-PSS", 1024, 0, NULL, NULL, -1},
        {"RSA-PSS", 1024, 0, NULL, "SHA256", 20},
        {"RSA-PSS", 1024, 0, NULL, NULL, 30},
    };

    (void)state;
    for (size_t i = 0; i < LENGTH_OF(requests); i++) {
        const request *r = &requests[i];
        const how h = {.digest = r->digest != NULL ? r->digest : "SHA1"};
        int calls = 0;
        EVP_PKEY *key = generate_as(BIGMOD, r, count_progress, &calls), *copy;
        BIGNUM *e = NULL, *want = NULL;
        uint8_t sig[MAX_SIG];
        size_t len;

        assert_non_null(key);
        assert_true(calls > 0);
        assert_int_equal(EVP_PKEY_get_bits(key), r->bits);
        assert_true(EVP_PKEY_get_bn_param(key, "e", &e));
        assert_true(BN_dec2bn(&want, r->e != NULL ? r->e : "65537"));
        assert_int_equal(BN_cmp(e, want), 0);
        assert_int_equal(check(key, BIGMOD, false), 1);
        copy = move(key, DEFAULT, EVP_PKEY_KEYPAIR);
        assert_int_equal(check(copy, DEFAULT, false), 1);
        if (r->bits > 600) {
            len = sign(key, BIGMOD, &h, message, digest_len(h.digest), sig);
            assert_int_equal(len, (r->bits + 7) / 8);
            assert_int_equal(verify(copy, DEFAULT, &h, sig, len, message, digest_len(h.digest)), 1);
        }
        if (r->salt_len >= 0) {
            int salt_len = 0;

            assert_true(EVP_PKEY_get_int_param(copy, "saltlen", &salt_len));
            assert_int_equal(salt_len, r->salt_len);
        }
        BN_free(e);
        BN_free(want);
        EVP_PKEY_free(key);
        EVP_PKEY_free(copy);
    }
}

static void
bad_requests_for_keys_are_refused(void **state)
{
    static const request requests[] = {
        {"RSA", 0, 0, NULL, NULL, -1},        {"RSA", 511, 0, NULL, NULL, -1},
        {"RSA", 1023, 3, NULL, NULL, -1},     {"RSA", 1024, 1, NULL, NULL, -1},
        {"RSA", 1024, 4, NULL, NULL, -1},     {"RSA", 8192, 6, NULL, NULL, -1},
        {"RSA", 1024, 0, "0", NULL, -1},      {"RSA", 1024, 0, "1", NULL, -1},
        {"RSA", 1024, 0, "2", NULL, -1},      {"RSA", 1024, 0, "65536", NULL, -1},
        {"RSA-PSS", 1024, 0, NULL, "MD5", 1}, {"RSA-PSS", 1024, 0, NULL, "none such", -1},
    };
    const request good = {"RSA", 1024, 0, NULL, NULL, -1};

    (void)state;
    for (size_t i = 0; i < LENGTH_OF(requests); i++) {
        ERR_clear_error();
        assert_null(generate_as(BIGMOD, &requests[i], NULL, NULL));
        assert_int_not_equal(ERR_peek_error(), 0);
    }
    assert_null(generate_as(BIGMOD, &good, stop_at_once, NULL));
}

/* Row 82: lists of algorithms may be kept by libcrypto. */
static int
check_no_store(OSSL_PROVIDER *provider, void *arg)
{
    int no_store;

    if (strcmp(OSSL_PROVIDER_get0_name(provider), "bigmod") == 0) {
        ++*(int *)arg;
        for (int op = 1; op <= 22; op++) {
            no_store = 1;
            (void)OSSL_PROVIDER_query_operation(provider, op, &no_store);
            assert_int_equal(no_store, 0);
        }
    }
    return 1;
}

static void
algorithm_lists_may_be_kept(void **state)
{
    int seen = 0;

    (void)state;
    OSSL_PROVIDER_do_all(lib, check_no_store, &seen);
    assert_int_equal(seen, 1);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pkcs1_signatures_are_those_of_the_default_provider),
        cmocka_unit_test(without_a_digest_any_message_that_fits_is_signed),
        cmocka_unit_test(x931_signatures_are_those_of_the_default_provider),
        cmocka_unit_test(pss_signatures_verify_in_both_directions),
        cmocka_unit_test(pss_takes_the_longest_salt_and_not_one_more),
        cmocka_unit_test(bad_signatures_are_refused_as_by_the_default_provider),
        cmocka_unit_test(every_byte_of_the_encoded_message_is_compared),
        cmocka_unit_test(all_bad_blocks_have_one_reason),
        cmocka_unit_test(overlong_parameters_are_refused),
        cmocka_unit_test(digest_sign_and_verify_work_in_pieces_and_at_once),
        cmocka_unit_test(contexts_can_be_freed_and_duplicated_in_every_state),
        cmocka_unit_test(the_digest_of_a_message_cannot_be_changed),
        cmocka_unit_test(algorithm_identifiers_are_those_of_the_default_provider),
        cmocka_unit_test(restricted_pss_keys_are_held_to_their_parameters),
        cmocka_unit_test(spoilt_private_keys_are_treated_as_the_parity_table_says),
        cmocka_unit_test(degenerate_public_keys_are_refused_without_a_crash),
        cmocka_unit_test(huge_moduli_are_refused_at_once),
        cmocka_unit_test(multi_prime_keys_sign_and_check),
        cmocka_unit_test(keys_are_equal_across_providers),
        cmocka_unit_test(the_legacy_key_is_complete),
        cmocka_unit_test(exports_give_what_is_asked_and_held),
        cmocka_unit_test(duplicates_hold_what_was_selected),
        cmocka_unit_test(key_parameters_are_those_of_the_default_provider),
        cmocka_unit_test(security_bits_follow_the_formula_for_every_size),
        cmocka_unit_test(broken_imports_are_refused),
        cmocka_unit_test(generated_keys_are_sound),
        cmocka_unit_test(bad_requests_for_keys_are_refused),
        cmocka_unit_test(algorithm_lists_may_be_kept),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
