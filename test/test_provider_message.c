/*
 * Signature algorithms that name their digest or instance (RSA-SHA2-256, ED25519ph), which
 * libcrypto has since 3.4: bigmod beside the default provider. With older headers there is nothing
 * to test.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/opensslv.h>
#include <openssl/params.h>

#include <stdbool.h>
#include <string.h>

#include "support.h"

#if OPENSSL_VERSION_NUMBER >= 0x30400000L

#define LENGTH_OF(array) (sizeof(array) / sizeof((array)[0]))

enum { MAX_SIG = 256 };

static OSSL_LIB_CTX *lib;
static const char *const providers[2] = {"provider=default", "provider=bigmod"};
static const uint8_t message[100] = {1, 2, 3};

/* Whether the module knows these algorithms: not when it was compiled against older headers. */
static bool offered;

static int
setup(void **state)
{
    EVP_SIGNATURE *s;

    (void)state;
    lib = load_bigmod(NULL, NULL);
    if (lib == NULL)
        return -1;
    s = EVP_SIGNATURE_fetch(lib, "RSA-SHA256", providers[1]);
    offered = s != NULL;
    EVP_SIGNATURE_free(s);
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    OSSL_LIB_CTX_free(lib);
    return 0;
}

/* One key, held by both providers. */
static void
make(EVP_PKEY *keys[2], const char *type)
{
    OSSL_PARAM *params = NULL;

    keys[0] = strcmp(type, "RSA") == 0 ? EVP_PKEY_Q_keygen(lib, providers[0], type, (size_t)1024)
                                       : EVP_PKEY_Q_keygen(lib, providers[0], type);
    assert_non_null(keys[0]);
    keys[1] = NULL;
    assert_true(EVP_PKEY_todata(keys[0], EVP_PKEY_KEYPAIR, &params) > 0);
    for (int p = 1; p < 2; p++) {
        EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(lib, type, providers[p]);

        assert_true(EVP_PKEY_fromdata_init(ctx) > 0);
        assert_true(EVP_PKEY_fromdata(ctx, &keys[p], EVP_PKEY_KEYPAIR, params) > 0);
        EVP_PKEY_CTX_free(ctx);
    }
    OSSL_PARAM_free(params);
}

static EVP_PKEY_CTX *
start(EVP_PKEY *key, const char *provider, const char *algorithm, const OSSL_PARAM *params,
      bool sign, bool whole)
{
    EVP_SIGNATURE *s = EVP_SIGNATURE_fetch(lib, algorithm, provider);
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(lib, key, provider);
    int ok;

    assert_non_null(s);
    assert_non_null(ctx);
    if (whole)
        ok = sign ? EVP_PKEY_sign_message_init(ctx, s, params)
                  : EVP_PKEY_verify_message_init(ctx, s, params);
    else
        ok = sign ? EVP_PKEY_sign_init_ex2(ctx, s, params)
                  : EVP_PKEY_verify_init_ex2(ctx, s, params);
    EVP_SIGNATURE_free(s);
    if (ok > 0)
        return ctx;
    EVP_PKEY_CTX_free(ctx);
    return NULL;
}

static void
rsa_with_a_digest_signs_messages_and_digests(void **state)
{
    static const char *const names[] = {"RSA-SHA1",     "RSA-SHA224",    "RSA-SHA256",
                                        "RSA-SHA2-384", "RSA-SHA512",    "RSA-SHA512-256",
                                        "RSA-SHA3-256", "RSA-RIPEMD160", "RSA-SM3"};
    static const size_t lens[] = {20, 28, 32, 48, 64, 32, 32, 20, 32};
    EVP_PKEY *keys[2];

    (void)state;
    if (!offered)
        skip();
    make(keys, "RSA");
    for (size_t i = 0; i < LENGTH_OF(names); i++) {
        uint8_t sig[2][MAX_SIG], whole[2][MAX_SIG], pieces[MAX_SIG];
        size_t len;

        for (int p = 0; p < 2; p++) {
            EVP_PKEY_CTX *ctx = start(keys[p], providers[p], names[i], NULL, true, false);

            assert_non_null(ctx);
            len = MAX_SIG;
            assert_true(EVP_PKEY_sign(ctx, sig[p], &len, message, lens[i]) > 0);
            assert_true(EVP_PKEY_sign(ctx, whole[p], &len, message, lens[i] + 1) <= 0);
            EVP_PKEY_CTX_free(ctx);
            ctx = start(keys[p], providers[p], names[i], NULL, true, true);
            len = MAX_SIG;
            assert_true(EVP_PKEY_sign(ctx, whole[p], &len, message, sizeof(message)) > 0);
            EVP_PKEY_CTX_free(ctx);
        }
        assert_memory_equal(sig[0], sig[1], 128);
        assert_memory_equal(whole[0], whole[1], 128);
        for (int p = 0; p < 2; p++) {
            EVP_PKEY_CTX *ctx = start(keys[p], providers[p], names[i], NULL, true, true), *copy;

            len = MAX_SIG;
            assert_true(EVP_PKEY_sign_message_update(ctx, message, 40) > 0);
            copy = EVP_PKEY_CTX_dup(ctx);
            EVP_PKEY_CTX_free(ctx);
            assert_true(EVP_PKEY_sign_message_update(copy, message + 40, 60) > 0);
            assert_true(EVP_PKEY_sign_message_final(copy, pieces, &len) > 0);
            assert_memory_equal(pieces, whole[0], 128);
            EVP_PKEY_CTX_free(copy);

            ctx = start(keys[p], providers[p], names[i], NULL, false, true);
            assert_true(EVP_PKEY_CTX_set_signature(ctx, whole[1], 128) > 0);
            assert_true(EVP_PKEY_verify_message_update(ctx, message, sizeof(message)) > 0);
            assert_int_equal(EVP_PKEY_verify_message_final(ctx), 1);
            EVP_PKEY_CTX_free(ctx);
            ctx = start(keys[p], providers[p], names[i], NULL, false, true);
            assert_int_equal(EVP_PKEY_verify(ctx, whole[1], 128, message, sizeof(message)), 1);
            EVP_PKEY_CTX_free(ctx);
            ctx = start(keys[p], providers[p], names[i], NULL, false, true);
            assert_int_not_equal(EVP_PKEY_verify(ctx, whole[1], 128, message, 99), 1);
            EVP_PKEY_CTX_free(ctx);
            ctx = start(keys[p], providers[p], names[i], NULL, false, false);
            assert_int_equal(EVP_PKEY_verify(ctx, sig[1], 128, message, lens[i]), 1);
            EVP_PKEY_CTX_free(ctx);
            /* no end without a signature */
            ctx = start(keys[p], providers[p], names[i], NULL, false, true);
            assert_true(EVP_PKEY_verify_message_update(ctx, message, 1) > 0);
            assert_true(EVP_PKEY_verify_message_final(ctx) <= 0);
            EVP_PKEY_CTX_free(ctx);
        }
    }
    EVP_PKEY_free(keys[0]);
    EVP_PKEY_free(keys[1]);
}

static void
the_digest_of_such_an_algorithm_is_fixed(void **state)
{
    OSSL_PARAM md[] = {OSSL_PARAM_utf8_string("digest", (char *)(uintptr_t) "SHA512", 6),
                       OSSL_PARAM_END};
    OSSL_PARAM pad[] = {OSSL_PARAM_utf8_string("pad-mode", (char *)(uintptr_t) "pss", 3),
                        OSSL_PARAM_END};
    EVP_PKEY *keys[2];

    (void)state;
    if (!offered)
        skip();
    make(keys, "RSA");
    for (int i = 0; i < 2; i++) {
        EVP_PKEY_CTX *ctx = start(keys[1], providers[1], "RSA-SHA256", NULL, true, false);

        assert_true(EVP_PKEY_CTX_set_params(ctx, i == 0 ? md : pad) <= 0);
        EVP_PKEY_CTX_free(ctx);
    }
    EVP_PKEY_free(keys[0]);
    EVP_PKEY_free(keys[1]);
}

static void
ed25519_instances_sign_messages_and_prehashes(void **state)
{
    static const char *const names[] = {"ED25519", "ED25519ctx", "ED25519ph"};
    OSSL_PARAM params[] = {
        OSSL_PARAM_octet_string("context-string", (void *)(uintptr_t) "context", 7),
        OSSL_PARAM_END};
    EVP_PKEY *keys[2];

    (void)state;
    if (!offered)
        skip();
    make(keys, "ED25519");
    for (size_t i = 0; i < LENGTH_OF(names); i++) {
        const OSSL_PARAM *extra = i == 0 ? NULL : params;
        uint8_t sig[2][MAX_SIG];
        size_t len;

        for (int whole = 0; whole < 2; whole++) {
            for (int p = 0; p < 2; p++) {
                EVP_PKEY_CTX *ctx = start(keys[p], providers[p], names[i], extra, true, whole);

                len = MAX_SIG;
                if (!whole && i < 2) { /* only ph signs a prehash */
                    assert_true(p == 0 || ctx == NULL);
                    EVP_PKEY_CTX_free(ctx);
                    continue;
                }
                assert_non_null(ctx);
                assert_true(EVP_PKEY_sign(ctx, sig[p], &len, message, 64) > 0);
                assert_int_equal(len, 64);
                EVP_PKEY_CTX_free(ctx);
            }
            if (!whole && i < 2)
                continue;
            assert_memory_equal(sig[0], sig[1], 64);
            for (int p = 0; p < 2; p++) {
                EVP_PKEY_CTX *ctx = start(keys[p], providers[p], names[i], extra, false, whole);

                assert_non_null(ctx);
                assert_int_equal(EVP_PKEY_verify(ctx, sig[1], 64, message, 64), 1);
                sig[1][3] ^= 1;
                assert_int_not_equal(EVP_PKEY_verify(ctx, sig[1], 64, message, 64), 1);
                sig[1][3] ^= 1;
                EVP_PKEY_CTX_free(ctx);
            }
        }
    }
    EVP_PKEY_free(keys[0]);
    EVP_PKEY_free(keys[1]);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rsa_with_a_digest_signs_messages_and_digests),
        cmocka_unit_test(the_digest_of_such_an_algorithm_is_fixed),
        cmocka_unit_test(ed25519_instances_sign_messages_and_prehashes),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}

#else

int
main(void)
{
    return 77; /* meson: skipped */
}

#endif
