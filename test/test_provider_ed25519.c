/*
 * Ed25519 keys and signatures through EVP, bigmod beside the default provider. Rows are those of
 * FAILURES.md.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

#define BIGMOD "provider=bigmod"
#define DEFAULT "provider=default"
#define LENGTH_OF(array) (sizeof(array) / sizeof((array)[0]))

enum { KEY_LEN = 32, SIG_LEN = 64, BIG = 16 << 20 };

static OSSL_LIB_CTX *lib;
static const char *const providers[2] = {DEFAULT, BIGMOD};
static uint8_t seed[KEY_LEN], public_key[KEY_LEN];
static EVP_PKEY *keys[2]; /* the same key, by provider */
static uint8_t *big;      /* BIG + 1 bytes */

static EVP_PKEY *
import(const char *provider, int selection, const uint8_t *pub, size_t pub_len, const uint8_t *priv,
       size_t priv_len)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(lib, "ED25519", provider);
    OSSL_PARAM params[3], *p = params;
    EVP_PKEY *key = NULL;

    if (pub != NULL)
        *p++ = OSSL_PARAM_construct_octet_string("pub", (void *)(uintptr_t)pub, pub_len);
    if (priv != NULL)
        *p++ = OSSL_PARAM_construct_octet_string("priv", (void *)(uintptr_t)priv, priv_len);
    *p = OSSL_PARAM_construct_end();
    assert_true(ctx != NULL && EVP_PKEY_fromdata_init(ctx) > 0);
    if (EVP_PKEY_fromdata(ctx, &key, selection, params) <= 0)
        key = NULL;
    EVP_PKEY_CTX_free(ctx);
    return key;
}

static EVP_PKEY *
import_public(const char *provider, const uint8_t pub[KEY_LEN])
{
    EVP_PKEY *key = import(provider, EVP_PKEY_PUBLIC_KEY, pub, KEY_LEN, NULL, 0);

    assert_non_null(key);
    return key;
}

/* The parameters of an instance; NULL: not given. */
typedef struct mode {
    const char *instance;
    const char *context;
} mode;

static void
mode_params(OSSL_PARAM params[3], const mode *m)
{
    if (m != NULL && m->instance != NULL)
        *params++ = OSSL_PARAM_construct_utf8_string("instance", (char *)(uintptr_t)m->instance, 0);
    if (m != NULL && m->context != NULL)
        *params++ = OSSL_PARAM_construct_octet_string(
            "context-string", (void *)(uintptr_t)m->context, strlen(m->context));
    *params = OSSL_PARAM_construct_end();
}

/* On refusal the signature is unchanged or zero (row 47). */
static bool
sign(EVP_PKEY *key, const char *provider, const mode *m, const uint8_t *message, size_t len,
     uint8_t sig[SIG_LEN])
{
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    OSSL_PARAM params[3];
    size_t sig_len = SIG_LEN;
    bool ok;

    mode_params(params, m);
    memset(sig, 0xA5, SIG_LEN);
    ok = EVP_DigestSignInit_ex(ctx, NULL, NULL, lib, provider, key, params) > 0 &&
         EVP_DigestSign(ctx, sig, &sig_len, message, len) > 0 && sig_len == SIG_LEN;
    for (size_t i = 0; !ok && i < SIG_LEN; i++)
        assert_true(sig[i] == 0xA5 || sig[i] == 0);
    EVP_MD_CTX_free(ctx);
    return ok;
}

static bool
verify(EVP_PKEY *key, const char *provider, const mode *m, const uint8_t *message, size_t len,
       const uint8_t *sig, size_t sig_len)
{
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    OSSL_PARAM params[3];
    bool ok;

    mode_params(params, m);
    ok = EVP_DigestVerifyInit_ex(ctx, NULL, NULL, lib, provider, key, params) > 0 &&
         EVP_DigestVerify(ctx, sig, sig_len, message, len) == 1;
    EVP_MD_CTX_free(ctx);
    return ok;
}

static int
setup(void **state)
{
    size_t len = KEY_LEN;

    (void)state;
    lib = load_bigmod(NULL, NULL);
    big = calloc(1, BIG + 1);
    if (lib == NULL || big == NULL)
        return -1;
    for (size_t i = 0; i < KEY_LEN; i++)
        seed[i] = (uint8_t)(7 * i + 3);
    for (size_t i = 0; i < 4096; i++)
        big[i] = (uint8_t)(i * 13 + i / 256);
    for (int p = 0; p < 2; p++)
        keys[p] = import(providers[p], EVP_PKEY_KEYPAIR, NULL, 0, seed, KEY_LEN);
    if (keys[0] == NULL || keys[1] == NULL)
        return -1;
    return EVP_PKEY_get_raw_public_key(keys[0], public_key, &len) > 0 ? 0 : -1;
}

static int
teardown(void **state)
{
    (void)state;
    EVP_PKEY_free(keys[0]);
    EVP_PKEY_free(keys[1]);
    free(big);
    OSSL_LIB_CTX_free(lib);
    return 0;
}

/* ---- signatures ---- */

/* Row 52: lengths around the blocks of the hash, and beyond 16 MiB. */
static void
signatures_are_those_of_the_default_provider(void **state)
{
    const size_t long_lens[] = {4095, 4096, BIG - 1, BIG, BIG + 1};
    uint8_t sig[2][SIG_LEN];

    (void)state;
    for (size_t i = 0; i < 400 + LENGTH_OF(long_lens); i++) {
        size_t len = i < 400 ? i : long_lens[i - 400];

        for (int p = 0; p < 2; p++)
            assert_true(sign(keys[p], providers[p], NULL, big, len, sig[p]));
        assert_memory_equal(sig[0], sig[1], SIG_LEN);
        assert_true(verify(keys[1], BIGMOD, NULL, big, len, sig[0], SIG_LEN));
        if (len != 0)
            assert_false(verify(keys[1], BIGMOD, NULL, big, len - 1, sig[0], SIG_LEN));
    }
}

/* Row 52: more than 4 GiB in one message; only on demand, for its memory and time. */
static void
messages_beyond_4_gib_are_signed_whole(void **state)
{
    const size_t len = (size_t)(UINT64_C(1) << 32) + 17;
    uint8_t *message, sig[2][SIG_LEN];

    (void)state;
    if (getenv("BM_TEST_FULL") == NULL || sizeof(size_t) < 8)
        skip();
    message = calloc(1, len);
    if (message == NULL)
        skip();
    for (int p = 0; p < 2; p++)
        assert_true(sign(keys[p], providers[p], NULL, message, len, sig[p]));
    assert_memory_equal(sig[0], sig[1], SIG_LEN);
    message[len - 1] = 1;
    assert_false(verify(keys[1], BIGMOD, NULL, message, len, sig[0], SIG_LEN));
    free(message);
}

/* Row 67 through EVP: each bit of signature, key and message. */
static void
mutations_get_the_verdict_of_the_default_provider(void **state)
{
    uint8_t sig[SIG_LEN], message[32];

    (void)state;
    memcpy(message, big, sizeof(message));
    assert_true(sign(keys[1], BIGMOD, NULL, message, sizeof(message), sig));
    for (size_t bit = 0; bit < 8 * (SIG_LEN + KEY_LEN + sizeof(message)); bit++) {
        uint8_t pub[KEY_LEN];
        EVP_PKEY *key[2];
        bool ok[2];
        uint8_t *byte;

        memcpy(pub, public_key, KEY_LEN);
        byte = bit < 8 * SIG_LEN               ? &sig[bit / 8]
               : bit < 8 * (SIG_LEN + KEY_LEN) ? &pub[bit / 8 - SIG_LEN]
                                               : &message[bit / 8 - SIG_LEN - KEY_LEN];
        *byte ^= (uint8_t)(1 << (bit % 8));
        for (int p = 0; p < 2; p++) {
            key[p] = import_public(providers[p], pub);
            ok[p] = verify(key[p], providers[p], NULL, message, sizeof(message), sig, SIG_LEN);
            EVP_PKEY_free(key[p]);
        }
        assert_int_equal(ok[0], ok[1]);
        assert_false(ok[1]);
        *byte ^= (uint8_t)(1 << (bit % 8));
    }
}

/* Rows 65 to 67: R and A of small order, canonical or not, with S = 0. */
static void
small_orders_get_the_verdict_of_the_default_provider(void **state)
{
    static const char *const points[14] = {
        "0100000000000000000000000000000000000000000000000000000000000000",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "0000000000000000000000000000000000000000000000000000000000000080",
        "0000000000000000000000000000000000000000000000000000000000000000",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
        "0100000000000000000000000000000000000000000000000000000000000080",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    };
    int valid = 0;

    (void)state;
    for (int a = 0; a < 14; a++) {
        uint8_t pub[KEY_LEN], sig[SIG_LEN] = {0};
        EVP_PKEY *key[2];

        assert_int_equal(OPENSSL_hexstr2buf_ex(pub, KEY_LEN, NULL, points[a], '\0'), 1);
        for (int p = 0; p < 2; p++)
            key[p] = import_public(providers[p], pub);
        for (int r = 0; r < 14; r++) {
            OPENSSL_hexstr2buf_ex(sig, KEY_LEN, NULL, points[r], '\0');
            for (uint8_t m = 0; m < 8; m++) {
                bool ok[2];

                for (int p = 0; p < 2; p++)
                    ok[p] = verify(key[p], providers[p], NULL, &m, 1, sig, SIG_LEN);
                assert_int_equal(ok[0], ok[1]);
                valid += ok[1];
            }
        }
        EVP_PKEY_free(key[0]);
        EVP_PKEY_free(key[1]);
    }
    assert_true(valid > 0);
}

static void
wrong_lengths_are_refused(void **state)
{
    static const size_t lens[] = {0, 1, 63, 65, 128};
    uint8_t sig[128] = {0};
    EVP_MD_CTX *ctx;
    size_t len;

    (void)state;
    assert_true(sign(keys[1], BIGMOD, NULL, big, 3, sig));
    for (size_t i = 0; i < LENGTH_OF(lens); i++) {
        ERR_clear_error();
        assert_false(verify(keys[1], BIGMOD, NULL, big, 3, sig, lens[i]));
        assert_int_not_equal(ERR_peek_error(), 0);
    }
    ctx = EVP_MD_CTX_new();
    assert_true(EVP_DigestSignInit_ex(ctx, NULL, NULL, lib, BIGMOD, keys[1], NULL) > 0);
    assert_true(EVP_DigestSign(ctx, NULL, &len, big, 3) > 0);
    assert_int_equal(len, SIG_LEN);
    len = SIG_LEN - 1;
    memset(sig, 0xA5, sizeof(sig));
    assert_true(EVP_DigestSign(ctx, sig, &len, big, 3) <= 0);
    for (size_t i = 0; i < sizeof(sig); i++)
        assert_int_equal(sig[i], 0xA5);
    EVP_MD_CTX_free(ctx);
}

/* Row 53: no digest, "", "UNDEF" and a real one, as the default provider takes them. */
static void
digest_names_are_treated_as_by_the_default_provider(void **state)
{
    static const char *const names[] = {NULL, "", "UNDEF", "SHA512", "SHA256", "none such"};

    (void)state;
    for (size_t i = 0; i < LENGTH_OF(names); i++) {
        int started[2], checks[2];

        for (int p = 0; p < 2; p++) {
            EVP_MD_CTX *ctx = EVP_MD_CTX_new();

            started[p] =
                EVP_DigestSignInit_ex(ctx, NULL, names[i], lib, providers[p], keys[p], NULL) > 0;
            EVP_MD_CTX_free(ctx);
            ctx = EVP_MD_CTX_new();
            checks[p] =
                EVP_DigestVerifyInit_ex(ctx, NULL, names[i], lib, providers[p], keys[p], NULL) > 0;
            EVP_MD_CTX_free(ctx);
        }
        assert_int_equal(started[0], started[1]);
        assert_int_equal(checks[0], checks[1]);
    }
}

/* RFC 8032, 7.2 and 7.3: the first vector of Ed25519ctx and the one of Ed25519ph. */
static void
contexts_and_prehashes_are_those_of_rfc_8032(void **state)
{
    static const struct {
        mode m;
        const char *seed, *message, *signature;
    } vectors[] = {
        {{"Ed25519ctx", "foo"},
         "0305334e381af78f141cb666f6199f57bc3495335a256a95bd2a55bf546663f6",
         "f726936d19c800494e3fdaff20b276a8",
         "55a4cc2f70a54e04288c5f4cd1e45a7bb520b36292911876cada7323198dd87a"
         "8b36950b95130022907a7fb7c4e9b2d5f6cca685a587b4b21f4b888e4e7edb0d"},
        {{"Ed25519ph", NULL},
         "833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42",
         "616263",
         "98a70222f0b8121aa9d30f813d683f809e462b469c7ff87639499bb94e6dae41"
         "31f85042463c2a355a2003d062adf5aaa10b8c61e636062aaad11c2a26083406"},
    };

    (void)state;
    for (size_t i = 0; i < LENGTH_OF(vectors); i++) {
        const mode other = {vectors[i].m.instance, "bar"}, pure = {"Ed25519", NULL};
        uint8_t priv[KEY_LEN], message[64], want[SIG_LEN], sig[SIG_LEN];
        size_t len = 0;
        EVP_PKEY *key;

        OPENSSL_hexstr2buf_ex(priv, KEY_LEN, NULL, vectors[i].seed, '\0');
        OPENSSL_hexstr2buf_ex(message, sizeof(message), &len, vectors[i].message, '\0');
        OPENSSL_hexstr2buf_ex(want, SIG_LEN, NULL, vectors[i].signature, '\0');
        key = import(BIGMOD, EVP_PKEY_KEYPAIR, NULL, 0, priv, KEY_LEN);
        assert_true(sign(key, BIGMOD, &vectors[i].m, message, len, sig));
        assert_memory_equal(sig, want, SIG_LEN);
        assert_true(verify(key, BIGMOD, &vectors[i].m, message, len, sig, SIG_LEN));
        assert_false(verify(key, BIGMOD, &other, message, len, sig, SIG_LEN));
        assert_false(verify(key, BIGMOD, &pure, message, len, sig, SIG_LEN));
        EVP_PKEY_free(key);
    }
}

static void
wrong_instances_and_contexts_are_refused(void **state)
{
    static char too_long[257];
    const mode bad[] = {
        {"Ed448", NULL}, {"Ed25519ctx", NULL},    {"Ed25519", "foo"},
        {"", NULL},      {"Ed25519ph", too_long},
    };
    uint8_t sig[SIG_LEN];

    (void)state;
    memset(too_long, 'x', 256);
    for (size_t i = 0; i < LENGTH_OF(bad); i++) {
        ERR_clear_error();
        assert_false(sign(keys[1], BIGMOD, &bad[i], big, 3, sig));
        assert_int_not_equal(ERR_peek_error(), 0);
        assert_false(verify(keys[1], BIGMOD, &bad[i], big, 3, sig, SIG_LEN));
    }
    too_long[255] = '\0';
    assert_true(sign(keys[1], BIGMOD, &bad[4], big, 3, sig));
}

/* Rows 80, 81: freed and duplicated in every state. */
static void
contexts_can_be_freed_and_duplicated_in_every_state(void **state)
{
    (void)state;
    for (int stop = 0; stop < 4; stop++) {
        EVP_MD_CTX *ctx = EVP_MD_CTX_new(), *copy = EVP_MD_CTX_new();
        uint8_t sig[2][SIG_LEN];
        size_t len[2] = {SIG_LEN, SIG_LEN};

        if (stop > 0)
            assert_true(EVP_DigestSignInit_ex(ctx, NULL, NULL, lib, BIGMOD, keys[1], NULL) > 0);
        if (stop > 1)
            assert_true(EVP_MD_CTX_copy_ex(copy, ctx) > 0);
        if (stop > 2) {
            assert_true(EVP_DigestSign(ctx, sig[0], &len[0], big, 99) > 0);
            assert_true(EVP_DigestSign(copy, sig[1], &len[1], big, 99) > 0);
            assert_memory_equal(sig[0], sig[1], SIG_LEN);
        }
        EVP_MD_CTX_free(ctx);
        EVP_MD_CTX_free(copy);
    }
}

static void
the_algorithm_identifier_is_that_of_the_default_provider(void **state)
{
    uint8_t der[2][32];
    size_t len[2];

    (void)state;
    for (int p = 0; p < 2; p++) {
        EVP_MD_CTX *ctx = EVP_MD_CTX_new();
        EVP_PKEY_CTX *pctx = NULL;
        OSSL_PARAM params[] = {
            OSSL_PARAM_octet_string(OSSL_SIGNATURE_PARAM_ALGORITHM_ID, der[p], sizeof(der[p])),
            OSSL_PARAM_END,
        };

        assert_true(EVP_DigestSignInit_ex(ctx, &pctx, NULL, lib, providers[p], keys[p], NULL) > 0);
        assert_true(EVP_PKEY_CTX_get_params(pctx, params) > 0);
        len[p] = params[0].return_size;
        EVP_MD_CTX_free(ctx);
    }
    assert_int_equal(len[0], len[1]);
    assert_memory_equal(der[0], der[1], len[0]);
}

typedef struct shared {
    EVP_PKEY *key;
    const uint8_t *sig;
} shared;

static void *
verify_in_a_thread(void *arg)
{
    shared *s = arg;
    uint8_t sig[SIG_LEN];

    for (int i = 0; i < 20; i++) {
        if (!verify(s->key, BIGMOD, NULL, big, 50, s->sig, SIG_LEN) ||
            !sign(s->key, BIGMOD, NULL, big, 50, sig) || memcmp(sig, s->sig, SIG_LEN) != 0)
            return NULL;
    }
    return arg;
}

/* Row 68: the public key is decoded by the first verification; here by many at once. */
static void
threads_share_a_key(void **state)
{
    enum { THREADS = 16 };
    pthread_t threads[THREADS];
    uint8_t sig[SIG_LEN];
    int good = 0;

    (void)state;
    assert_true(sign(keys[0], DEFAULT, NULL, big, 50, sig));
    for (int round = 0; round < 5; round++) {
        shared s = {import(BIGMOD, EVP_PKEY_KEYPAIR, NULL, 0, seed, KEY_LEN), sig};

        good = 0;
        for (int i = 0; i < THREADS; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, verify_in_a_thread, &s), 0);
        for (int i = 0; i < THREADS; i++) {
            void *result = NULL;

            assert_int_equal(pthread_join(threads[i], &result), 0);
            good += result == &s;
        }
        assert_int_equal(good, THREADS);
        EVP_PKEY_free(s.key);
    }
}

/* ---- keys ---- */

/* Rows 63, 78: the public key follows from the seed, and another one is refused. */
static void
imports_are_checked(void **state)
{
    uint8_t wrong[KEY_LEN + 1] = {0}, got[KEY_LEN];
    size_t len = KEY_LEN;
    EVP_PKEY *key;

    (void)state;
    assert_true(EVP_PKEY_get_raw_public_key(keys[1], got, &len) > 0);
    assert_memory_equal(got, public_key, KEY_LEN);
    memcpy(wrong, public_key, KEY_LEN);

    key = import(BIGMOD, EVP_PKEY_KEYPAIR, public_key, KEY_LEN, seed, KEY_LEN);
    assert_non_null(key);
    EVP_PKEY_free(key);
    wrong[31] ^= 0x80;
    ERR_clear_error();
    assert_null(import(BIGMOD, EVP_PKEY_KEYPAIR, wrong, KEY_LEN, seed, KEY_LEN));
    assert_int_not_equal(ERR_peek_error(), 0);

    assert_null(import(BIGMOD, EVP_PKEY_KEYPAIR, NULL, 0, NULL, 0));
    for (size_t n = 0; n <= KEY_LEN + 1; n += n == 0 ? 31 : 2) {
        assert_null(import(BIGMOD, EVP_PKEY_KEYPAIR, NULL, 0, wrong, n));
        assert_null(import(BIGMOD, EVP_PKEY_PUBLIC_KEY, wrong, n, NULL, 0));
    }
}

static void
a_public_key_verifies_and_does_not_sign(void **state)
{
    EVP_PKEY *key = import_public(BIGMOD, public_key);
    uint8_t sig[SIG_LEN], out[SIG_LEN];

    (void)state;
    assert_true(sign(keys[0], DEFAULT, NULL, big, 10, sig));
    assert_true(verify(key, BIGMOD, NULL, big, 10, sig, SIG_LEN));
    ERR_clear_error();
    assert_false(sign(key, BIGMOD, NULL, big, 10, out));
    assert_int_not_equal(ERR_peek_error(), 0);
    EVP_PKEY_free(key);
}

/* Row 74. */
static void
keys_are_equal_across_providers(void **state)
{
    uint8_t other[KEY_LEN];
    EVP_PKEY *all[4], *different[2];

    (void)state;
    memcpy(other, public_key, KEY_LEN);
    other[3] ^= 1;
    for (int p = 0; p < 2; p++) {
        all[p] = keys[p];
        all[2 + p] = import_public(providers[p], public_key);
        different[p] = import_public(providers[p], other);
    }
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++)
            assert_int_equal(EVP_PKEY_eq(all[i], all[j]), 1);
        for (int j = 0; j < 2; j++) {
            assert_int_equal(EVP_PKEY_eq(all[i], different[j]), 0);
            assert_int_equal(EVP_PKEY_eq(different[j], all[i]), 0);
        }
    }
    for (int p = 0; p < 2; p++) {
        EVP_PKEY_free(all[2 + p]);
        EVP_PKEY_free(different[p]);
    }
}

/* Row 79. */
static void
exports_and_duplicates_give_what_is_asked_and_held(void **state)
{
    EVP_PKEY *only = import_public(BIGMOD, public_key), *copy = EVP_PKEY_dup(keys[1]);
    OSSL_PARAM *params = NULL;
    uint8_t got[KEY_LEN], sig[SIG_LEN];
    size_t len = KEY_LEN;

    (void)state;
    assert_true(EVP_PKEY_todata(only, EVP_PKEY_KEYPAIR, &params) > 0);
    assert_non_null(OSSL_PARAM_locate(params, "pub"));
    assert_null(OSSL_PARAM_locate(params, "priv"));
    OSSL_PARAM_free(params);
    assert_true(EVP_PKEY_todata(keys[1], EVP_PKEY_PUBLIC_KEY, &params) > 0);
    assert_null(OSSL_PARAM_locate(params, "priv"));
    OSSL_PARAM_free(params);
    assert_true(EVP_PKEY_get_raw_private_key(keys[1], got, &len) > 0);
    assert_memory_equal(got, seed, KEY_LEN);
    assert_non_null(copy);
    assert_int_equal(EVP_PKEY_eq(copy, keys[1]), 1);
    assert_true(sign(copy, BIGMOD, NULL, big, 10, sig));
    EVP_PKEY_free(copy);
    EVP_PKEY_free(only);
}

static void
key_parameters_are_those_of_the_default_provider(void **state)
{
    static const char *const names[] = {"bits", "security-bits", "max-size"};
    char text[2][50] = {"x", "y"};

    (void)state;
    for (size_t i = 0; i < LENGTH_OF(names); i++) {
        int value[2] = {0, 1};

        for (int p = 0; p < 2; p++)
            assert_true(EVP_PKEY_get_int_param(keys[p], names[i], &value[p]));
        assert_int_equal(value[0], value[1]);
    }
    for (int p = 0; p < 2; p++)
        assert_true(EVP_PKEY_get_utf8_string_param(keys[p], "mandatory-digest", text[p], 50, NULL));
    assert_string_equal(text[0], text[1]);
}

static void
generated_keys_work_everywhere(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) {
        EVP_PKEY *key = EVP_PKEY_Q_keygen(lib, BIGMOD, "ED25519"), *moved;
        EVP_PKEY_CTX *ctx;
        uint8_t priv[KEY_LEN], sig[SIG_LEN];
        size_t len = KEY_LEN;

        assert_non_null(key);
        assert_true(EVP_PKEY_get_raw_private_key(key, priv, &len) > 0);
        moved = import(DEFAULT, EVP_PKEY_KEYPAIR, NULL, 0, priv, KEY_LEN);
        assert_int_equal(EVP_PKEY_eq(key, moved), 1);
        assert_true(sign(key, BIGMOD, NULL, big, 77, sig));
        assert_true(verify(moved, DEFAULT, NULL, big, 77, sig, SIG_LEN));
        ctx = EVP_PKEY_CTX_new_from_pkey(lib, key, BIGMOD);
        assert_int_equal(EVP_PKEY_check(ctx), 1);
        EVP_PKEY_CTX_free(ctx);
        EVP_PKEY_free(key);
        EVP_PKEY_free(moved);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signatures_are_those_of_the_default_provider),
        cmocka_unit_test(messages_beyond_4_gib_are_signed_whole),
        cmocka_unit_test(mutations_get_the_verdict_of_the_default_provider),
        cmocka_unit_test(small_orders_get_the_verdict_of_the_default_provider),
        cmocka_unit_test(wrong_lengths_are_refused),
        cmocka_unit_test(digest_names_are_treated_as_by_the_default_provider),
        cmocka_unit_test(contexts_and_prehashes_are_those_of_rfc_8032),
        cmocka_unit_test(wrong_instances_and_contexts_are_refused),
        cmocka_unit_test(contexts_can_be_freed_and_duplicated_in_every_state),
        cmocka_unit_test(the_algorithm_identifier_is_that_of_the_default_provider),
        cmocka_unit_test(threads_share_a_key),
        cmocka_unit_test(imports_are_checked),
        cmocka_unit_test(a_public_key_verifies_and_does_not_sign),
        cmocka_unit_test(keys_are_equal_across_providers),
        cmocka_unit_test(exports_and_duplicates_give_what_is_asked_and_held),
        cmocka_unit_test(key_parameters_are_those_of_the_default_provider),
        cmocka_unit_test(generated_keys_work_everywhere),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
