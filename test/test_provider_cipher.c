/*
 * RSA encryption and key encapsulation through EVP, beside the default provider of the same
 * libcrypto: round trips both ways, bad input, implicit rejection, contexts.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/provider.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>

enum { MAX_K = 512, POISON = 0xA5 };

static OSSL_LIB_CTX *peer, *ours; /* default alone; default with bigmod */
static OSSL_PROVIDER *peer_default, *ours_default, *bigmod;

/* One key in both contexts. */
typedef struct pair {
    unsigned bits;
    size_t k;
    EVP_PKEY *peer, *ours;
} pair;

static pair keys[] = {{.bits = 512}, {.bits = 1024}, {.bits = 1031}, {.bits = 2048}};
enum { NUM_KEYS = sizeof(keys) / sizeof(keys[0]) };
static pair *const key_1024 = &keys[1], *const key_2048 = &keys[3];

/* The same key in bigmod, private or public parts alone. */
static EVP_PKEY *
transfer(EVP_PKEY *from, int selection)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(ours, "RSA", "provider=bigmod");
    OSSL_PARAM *params = NULL;
    EVP_PKEY *to = NULL;

    assert_non_null(ctx);
    assert_int_equal(EVP_PKEY_todata(from, selection, &params), 1);
    assert_int_equal(EVP_PKEY_fromdata_init(ctx), 1);
    assert_int_equal(EVP_PKEY_fromdata(ctx, &to, selection, params), 1);
    OSSL_PARAM_free(params);
    EVP_PKEY_CTX_free(ctx);
    return to;
}

static uint64_t
counter(const char *name)
{
    uint64_t value = 0;
    OSSL_PARAM params[] = {OSSL_PARAM_uint64(name, &value), OSSL_PARAM_END};

    assert_int_equal(OSSL_PROVIDER_get_params(bigmod, params), 1);
    return value;
}

static int
setup(void **state)
{
    (void)state;
    peer = OSSL_LIB_CTX_new();
    ours = OSSL_LIB_CTX_new();
    peer_default = OSSL_PROVIDER_load(peer, "default");
    ours_default = OSSL_PROVIDER_load(ours, "default");
    bigmod = OSSL_PROVIDER_load(ours, "bigmod");
    if (bigmod == NULL) {
        ERR_print_errors_fp(stderr);
        return -1;
    }
    EVP_set_default_properties(ours, "?provider=bigmod");
    for (size_t i = 0; i < NUM_KEYS; i++) {
        keys[i].peer = EVP_PKEY_Q_keygen(peer, NULL, "RSA", (size_t)keys[i].bits);
        if (keys[i].peer == NULL)
            return -1;
        keys[i].ours = transfer(keys[i].peer, EVP_PKEY_KEYPAIR);
        keys[i].k = (keys[i].bits + 7) / 8;
    }
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    for (size_t i = 0; i < NUM_KEYS; i++) {
        EVP_PKEY_free(keys[i].peer);
        EVP_PKEY_free(keys[i].ours);
    }
    OSSL_PROVIDER_unload(bigmod);
    OSSL_PROVIDER_unload(ours_default);
    OSSL_PROVIDER_unload(peer_default);
    OSSL_LIB_CTX_free(ours);
    OSSL_LIB_CTX_free(peer);
    return 0;
}

/* How a message is padded. */
typedef struct padding {
    int mode;
    const char *digest, *mgf1;
    const char *label;
    int no_implicit_rejection; /* 1: turned off */
} padding;

static EVP_PKEY_CTX *
prepare(OSSL_LIB_CTX *lib, EVP_PKEY *key, bool decrypt, const padding *p)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(lib, key, NULL);
    OSSL_PARAM params[6], *at = params;
    unsigned off = 0;
    int mode = p->mode;

    assert_non_null(ctx);
    *at++ = OSSL_PARAM_construct_int(OSSL_ASYM_CIPHER_PARAM_PAD_MODE, &mode);
    if (p->digest != NULL)
        *at++ = OSSL_PARAM_construct_utf8_string(OSSL_ASYM_CIPHER_PARAM_OAEP_DIGEST,
                                                 (char *)p->digest, 0);
    if (p->mgf1 != NULL)
        *at++ = OSSL_PARAM_construct_utf8_string(OSSL_ASYM_CIPHER_PARAM_MGF1_DIGEST,
                                                 (char *)p->mgf1, 0);
    if (p->label != NULL)
        *at++ = OSSL_PARAM_construct_octet_string(OSSL_ASYM_CIPHER_PARAM_OAEP_LABEL,
                                                  (char *)p->label, strlen(p->label));
    if (p->no_implicit_rejection)
        *at++ = OSSL_PARAM_construct_uint("implicit-rejection", &off);
    *at = OSSL_PARAM_construct_end();
    if ((decrypt ? EVP_PKEY_decrypt_init_ex(ctx, params) : EVP_PKEY_encrypt_init_ex(ctx, params)) <=
        0) {
        EVP_PKEY_CTX_free(ctx);
        return NULL;
    }
    if (lib == ours)
        assert_string_equal(OSSL_PROVIDER_get0_name(EVP_PKEY_CTX_get0_provider(ctx)), "bigmod");
    return ctx;
}

/* The length of what comes out, or -1. */
static int
crypt_with(OSSL_LIB_CTX *lib, EVP_PKEY *key, bool decrypt, const padding *p, uint8_t *out,
           const uint8_t *in, size_t in_len)
{
    EVP_PKEY_CTX *ctx = prepare(lib, key, decrypt, p);
    size_t len = MAX_K;
    int ok = ctx != NULL && (decrypt ? EVP_PKEY_decrypt(ctx, out, &len, in, in_len)
                                     : EVP_PKEY_encrypt(ctx, out, &len, in, in_len)) > 0;

    EVP_PKEY_CTX_free(ctx);
    return ok ? (int)len : -1;
}

/* Encrypts with one side and decrypts with the other, both ways. */
static void
round_trip(const pair *key, const padding *p, const uint8_t *message, size_t len)
{
    uint8_t c[MAX_K], m[MAX_K];

    assert_int_equal(crypt_with(ours, key->ours, false, p, c, message, len), key->k);
    assert_int_equal(crypt_with(peer, key->peer, true, p, m, c, key->k), len);
    assert_memory_equal(m, message, len);
    assert_int_equal(crypt_with(peer, key->peer, false, p, c, message, len), key->k);
    assert_int_equal(crypt_with(ours, key->ours, true, p, m, c, key->k), len);
    assert_memory_equal(m, message, len);
}

/* c = em^e mod n, for a block of our making. */
static void
encrypt_block(const pair *key, uint8_t *c, const uint8_t *em)
{
    const padding raw = {.mode = RSA_NO_PADDING};

    assert_int_equal(crypt_with(peer, key->peer, false, &raw, c, em, key->k), key->k);
}

/* ---- round trips --------------------------------------------------------------------------- */

static void
pkcs1_round_trips_with_default_at_every_length(void **state)
{
    const padding p = {.mode = RSA_PKCS1_PADDING};
    uint8_t message[MAX_K], c[MAX_K];

    (void)state;
    RAND_bytes(message, sizeof(message));
    for (size_t i = 0; i < NUM_KEYS; i++) {
        size_t max = keys[i].k - 11, step = i == 0 ? 1 : max / 3;

        for (size_t len = 0; len <= max; len += step)
            round_trip(&keys[i], &p, message, len);
        round_trip(&keys[i], &p, message, max);
        assert_int_equal(crypt_with(ours, keys[i].ours, false, &p, c, message, max + 1), -1);
    }
}

static void
oaep_round_trips_with_default_for_every_digest_and_mgf1(void **state)
{
    static const char *const digests[] = {
        "SHA1",       "SHA224",   "SHA256",   "SHA384",     "SHA512",     "SHA512-224",
        "SHA512-256", "SHA3-224", "SHA3-256", "SHA3-384",   "SHA3-512",   "MD5",
        "RIPEMD160",  "SM3",      "MD5-SHA1", "BLAKE2S256", "BLAKE2B512",
    };
    const size_t num = sizeof(digests) / sizeof(digests[0]);
    uint8_t message[MAX_K], c[MAX_K];
    size_t ran = 0;

    (void)state;
    RAND_bytes(message, sizeof(message));
    for (size_t i = 0; i < num; i++) {
        EVP_MD *md = EVP_MD_fetch(peer, digests[i], NULL);
        padding p = {.mode = RSA_PKCS1_OAEP_PADDING, .digest = digests[i], .label = "label"};
        size_t max;

        if (md == NULL)
            continue; /* not in this libcrypto */
        max = key_2048->k - 2 * (size_t)EVP_MD_get_size(md) - 2;
        EVP_MD_free(md);
        round_trip(key_2048, &p, message, max);
        assert_int_equal(crypt_with(ours, key_2048->ours, false, &p, c, message, max + 1), -1);
        p.mgf1 = digests[(i + 1) % num];
        p.label = NULL;
        round_trip(key_2048, &p, message, 0);
        round_trip(key_2048, &p, message, 17);
        ran++;
    }
    assert_true(ran >= 12);
    for (size_t i = 0; i < NUM_KEYS; i++) { /* SHA-1 is the default digest */
        const padding p = {.mode = RSA_PKCS1_OAEP_PADDING};

        round_trip(&keys[i], &p, message, keys[i].k - 42);
        assert_int_equal(crypt_with(ours, keys[i].ours, false, &p, c, message, keys[i].k - 41), -1);
    }
}

/* FAILURES.md row 59: the output is padded to k always */
static void
raw_rsa_keeps_leading_zeros_and_refuses_what_does_not_fit(void **state)
{
    const padding p = {.mode = RSA_NO_PADDING};
    uint8_t m[MAX_K] = {0}, c[MAX_K], back[MAX_K];

    (void)state;
    for (size_t i = 0; i < NUM_KEYS; i++) {
        size_t k = keys[i].k;

        memset(m, 0, sizeof(m));
        for (size_t at = 0; at < 9; at++) { /* values 0, then ever longer ones */
            round_trip(&keys[i], &p, m, k);
            m[k - 1 - at] = 0x5A;
        }
        assert_int_equal(crypt_with(ours, keys[i].ours, false, &p, c, m, k - 1), -1);
        assert_int_equal(crypt_with(ours, keys[i].ours, false, &p, c, m, k + 1), -1);
        memset(m, 0xFF, k); /* above n */
        assert_int_equal(crypt_with(ours, keys[i].ours, false, &p, c, m, k), -1);
        assert_int_equal(crypt_with(ours, keys[i].ours, true, &p, back, m, k), -1);
    }
}

/* ---- bad ciphertexts ----------------------------------------------------------------------- */

/* What a caller can see of a failed decryption. */
typedef struct view {
    int ret;
    unsigned long error;
    size_t num_errors, len;
    uint8_t out[MAX_K];
} view;

static view
look(const pair *key, const padding *p, const uint8_t *em)
{
    EVP_PKEY_CTX *ctx = prepare(ours, key->ours, true, p);
    uint8_t c[MAX_K];
    view v = {.len = MAX_K};

    encrypt_block(key, c, em);
    ERR_clear_error();
    memset(v.out, POISON, sizeof(v.out));
    v.ret = EVP_PKEY_decrypt(ctx, v.out, &v.len, c, key->k);
    v.error = ERR_peek_error();
    while (ERR_get_error() != 0)
        v.num_errors++;
    EVP_PKEY_CTX_free(ctx);
    return v;
}

/* FAILURES.md rows 47 and 49: every bad block is one error, and nothing is written */
static void
all_bad_blocks_without_implicit_rejection_look_the_same(void **state)
{
    const padding p = {.mode = RSA_PKCS1_PADDING, .no_implicit_rejection = 1};
    const size_t k = key_1024->k;
    uint8_t em[MAX_K];
    view first, v;

    (void)state;
    for (int i = 0; i < 14; i++) {
        memset(em, 0x33, k);
        em[0] = 0;
        em[1] = 2;
        em[k - 5] = 0;
        if (i == 0)
            em[1] = 1;
        else if (i == 1)
            em[1] = 0;
        else if (i == 2)
            em[k - 5] = 7; /* no end of PS */
        else if (i == 3)
            em[0] = 1, em[1] = 0;
        else
            em[2 + i - 4] = 0; /* PS of 0 to 9 bytes: from 8 on it is good */
        v = look(key_1024, &p, em);
        if (i == 0) {
            first = v;
            assert_true(v.ret <= 0);
            assert_true(v.num_errors > 0);
        }
        if (i < 12) {
            assert_memory_equal(&v, &first, sizeof(v));
            for (size_t j = 0; j < MAX_K; j++)
                assert_int_equal(v.out[j], POISON);
        } else {
            assert_true(v.ret > 0);
            assert_int_equal(v.len, k - 3 - (size_t)(i - 4));
        }
    }
}

/* FAILURES.md rows 47, 49 and 55 */
static void
all_bad_oaep_blocks_look_the_same(void **state)
{
    const padding p = {.mode = RSA_PKCS1_OAEP_PADDING};
    const size_t k = key_1024->k, h = 20;
    uint8_t em[MAX_K], c[MAX_K], bad[MAX_K];
    const padding raw = {.mode = RSA_NO_PADDING};
    view first = {0}, v;

    (void)state;
    assert_int_equal(crypt_with(peer, key_1024->peer, false, &p, c, (const uint8_t *)"m", 1), k);
    assert_int_equal(crypt_with(peer, key_1024->peer, true, &raw, em, c, k), k);
    assert_true(look(key_1024, &p, em).ret > 0);
    /* Each flip in maskedDB hits the label's hash, PS or the 01 behind it; in byte 0 it stays < n.
     */
    for (size_t at = 0; at + 1 < k; at++) {
        if (at > 3 && at < k - 6 && at % 17 != 0)
            continue; /* a sample, all of both ends */
        memcpy(bad, em, k);
        bad[at] ^= at == 0 ? 1 : 0x80;
        if (at == 0 && (bad[0] != 1))
            continue;
        v = look(key_1024, &p, bad);
        if (first.ret == 0 && first.num_errors == 0)
            first = v;
        assert_true(v.ret <= 0);
        assert_memory_equal(&v, &first, sizeof(v));
        for (size_t j = 0; j < MAX_K; j++)
            assert_int_equal(v.out[j], POISON);
    }
    assert_true(first.num_errors > 0);
    (void)h;
}

/* FAILURES.md row 50: on by default, on libcrypto 3.0 too */
static void
implicit_rejection_hides_a_bad_block_and_is_deterministic(void **state)
{
    const padding p = {.mode = RSA_PKCS1_PADDING}, off = {RSA_PKCS1_PADDING, NULL, NULL, NULL, 1};
    uint8_t em[MAX_K], c[MAX_K], m[MAX_K], again[MAX_K];
    size_t lengths = 0;
    int last = -1;

    (void)state;
    for (size_t i = 0; i < NUM_KEYS; i++) {
        for (int round = 0; round < 6; round++) {
            int len, len_again;

            RAND_bytes(em, sizeof(em));
            em[0] = 0;
            em[1] = 3;
            encrypt_block(&keys[i], c, em);
            ERR_clear_error();
            len = crypt_with(ours, keys[i].ours, true, &p, m, c, keys[i].k);
            assert_true(len >= 0 && (size_t)len <= keys[i].k - 11);
            assert_int_equal(ERR_peek_error(), 0);
            len_again = crypt_with(ours, keys[i].ours, true, &p, again, c, keys[i].k);
            assert_int_equal(len_again, len);
            assert_memory_equal(m, again, (size_t)len);
            lengths += len != last;
            last = len;
            assert_int_equal(crypt_with(ours, keys[i].ours, true, &off, m, c, keys[i].k), -1);
            if (OPENSSL_version_major() > 3 || OPENSSL_version_minor() >= 2) {
                len_again = crypt_with(peer, keys[i].peer, true, &p, again, c, keys[i].k);
                assert_int_equal(len_again, len); /* as the default provider of 3.2 and later */
                assert_memory_equal(m, again, (size_t)len);
            }
        }
    }
    assert_true(lengths > NUM_KEYS);
}

/* FAILURES.md row 31 */
static void
ciphertexts_that_are_padded_or_not_below_n_are_refused_as_default_does(void **state)
{
    static const int modes[] = {RSA_PKCS1_PADDING, RSA_PKCS1_OAEP_PADDING, RSA_NO_PADDING};
    const size_t k = key_1024->k;
    uint8_t c[MAX_K] = {0}, m[MAX_K], n[MAX_K];
    BIGNUM *bn = NULL;

    (void)state;
    assert_int_equal(EVP_PKEY_get_bn_param(key_1024->peer, OSSL_PKEY_PARAM_RSA_N, &bn), 1);
    BN_bn2binpad(bn, n, (int)k);
    BN_free(bn);
    for (size_t i = 0; i < 3; i++) {
        const padding p = {.mode = modes[i]};
        int len;

        len = modes[i] == RSA_NO_PADDING ? (int)k : 5;
        memset(m, 0, sizeof(m));
        memcpy(m + len - 5, "hello", 5);
        assert_int_equal(crypt_with(peer, key_1024->peer, false, &p, c + 1, m, (size_t)len), k);
        assert_int_equal(crypt_with(ours, key_1024->ours, true, &p, m, c + 1, k), len);
        assert_int_equal(crypt_with(ours, key_1024->ours, true, &p, m, c, k + 1), -1);
        assert_int_equal(crypt_with(ours, key_1024->ours, true, &p, m, n, k), -1);
        assert_int_equal(crypt_with(peer, key_1024->peer, true, &p, m, n, k), -1);
        memset(n, 0xFF, k);
        assert_int_equal(crypt_with(ours, key_1024->ours, true, &p, m, n, k), -1);
    }
}

/* A ciphertext whose first byte is zero, sent without it: libcrypto reads it as the same number. */
static void
short_ciphertexts_are_read_as_default_reads_them(void **state)
{
    const padding p = {.mode = RSA_PKCS1_PADDING};
    const size_t k = key_1024->k;
    uint8_t c[MAX_K], m[MAX_K];
    int tries = 0;

    (void)state;
    do {
        assert_int_equal(crypt_with(peer, key_1024->peer, false, &p, c, (const uint8_t *)"x", 1),
                         k);
    } while (c[0] != 0 && ++tries < 20000);
    assert_int_equal(c[0], 0);
    assert_int_equal(crypt_with(peer, key_1024->peer, true, &p, m, c + 1, k - 1), 1);
    assert_int_equal(crypt_with(ours, key_1024->ours, true, &p, m, c + 1, k - 1), 1);
}

/* ---- TLS ----------------------------------------------------------------------------------- */

static int
tls_decrypt(const pair *key, unsigned version, unsigned alt, const uint8_t *em, uint8_t *out)
{
    const padding p = {.mode = RSA_PKCS1_WITH_TLS_PADDING};
    EVP_PKEY_CTX *ctx = prepare(ours, key->ours, true, &p);
    OSSL_PARAM params[] = {
        OSSL_PARAM_uint(OSSL_ASYM_CIPHER_PARAM_TLS_CLIENT_VERSION, &version),
        OSSL_PARAM_uint(OSSL_ASYM_CIPHER_PARAM_TLS_NEGOTIATED_VERSION, &alt),
        OSSL_PARAM_END,
    };
    uint8_t c[MAX_K];
    size_t len = 48;
    int ok;

    encrypt_block(key, c, em);
    if (version != 0)
        assert_int_equal(EVP_PKEY_CTX_set_params(ctx, params), 1);
    ok = EVP_PKEY_decrypt(ctx, out, &len, c, key->k);
    if (ok > 0)
        assert_int_equal(len, 48);
    EVP_PKEY_CTX_free(ctx);
    return ok;
}

static void
tls_premaster_secrets_leave_or_are_replaced_silently(void **state)
{
    const size_t k = key_2048->k;
    uint8_t em[MAX_K], out[48], again[48];

    (void)state;
    memset(em, 0x77, k);
    em[0] = 0;
    em[1] = 2;
    em[k - 49] = 0;
    em[k - 48] = 3;
    em[k - 47] = 3;
    assert_int_equal(tls_decrypt(key_2048, 0x0303, 0, em, out), 1);
    assert_memory_equal(out, em + k - 48, 48);
    assert_int_equal(tls_decrypt(key_2048, 0x0304, 0x0303, em, out), 1);
    assert_memory_equal(out, em + k - 48, 48);
    assert_true(tls_decrypt(key_2048, 0, 0, em, out) <= 0); /* no version was set */

    for (int i = 0; i < 4; i++) {
        unsigned version = i == 0 ? 0x0302 : 0x0303; /* another version; then bad blocks */
        uint8_t bad[MAX_K];

        memcpy(bad, em, k);
        if (i == 1)
            bad[1] = 1;
        else if (i == 2)
            bad[k - 49] = 1;
        else if (i == 3)
            bad[k - 50] = 0;
        ERR_clear_error();
        assert_int_equal(tls_decrypt(key_2048, version, 0, bad, out), 1);
        assert_int_equal(tls_decrypt(key_2048, version, 0, bad, again), 1);
        assert_int_equal(ERR_peek_error(), 0);
        assert_memory_not_equal(out, em + k - 48, 48);
        assert_memory_not_equal(out, again, 48);
    }
}

/* ---- contexts and parameters --------------------------------------------------------------- */

static void
lengths_are_told_and_small_buffers_refused(void **state)
{
    static const int modes[] = {RSA_PKCS1_PADDING, RSA_PKCS1_OAEP_PADDING};
    uint8_t c[MAX_K], m[MAX_K];

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const padding p = {.mode = modes[i]};
        EVP_PKEY_CTX *ctx = prepare(ours, key_1024->ours, false, &p);
        size_t len = 0;

        assert_int_equal(EVP_PKEY_encrypt(ctx, NULL, &len, (const uint8_t *)"m", 1), 1);
        assert_int_equal(len, key_1024->k);
        len--;
        assert_true(EVP_PKEY_encrypt(ctx, c, &len, (const uint8_t *)"m", 1) <= 0);
        len = key_1024->k;
        assert_int_equal(EVP_PKEY_encrypt(ctx, c, &len, (const uint8_t *)"m", 1), 1);
        EVP_PKEY_CTX_free(ctx);

        ctx = prepare(ours, key_1024->ours, true, &p);
        assert_int_equal(EVP_PKEY_decrypt(ctx, NULL, &len, c, key_1024->k), 1);
        assert_int_equal(len, key_1024->k);
        len--;
        assert_true(EVP_PKEY_decrypt(ctx, m, &len, c, key_1024->k) <= 0);
        len = key_1024->k;
        assert_int_equal(EVP_PKEY_decrypt(ctx, m, &len, c, key_1024->k), 1);
        assert_int_equal(len, 1);
        len = key_1024->k;
        assert_true(EVP_PKEY_decrypt(ctx, m, &len, c, 0) <= 0);
        EVP_PKEY_CTX_free(ctx);
    }
}

static void
parameters_read_back_as_they_were_set(void **state)
{
    const padding p = {RSA_PKCS1_OAEP_PADDING, "SHA256", "SHA1", "abc", 0};
    EVP_PKEY_CTX *ctx = prepare(ours, key_1024->ours, true, &p);
    char mode[16], digest[32], mgf1[32];
    unsigned implicit = 7;
    void *label;
    OSSL_PARAM params[] = {
        OSSL_PARAM_utf8_string(OSSL_ASYM_CIPHER_PARAM_PAD_MODE, mode, sizeof(mode)),
        OSSL_PARAM_utf8_string(OSSL_ASYM_CIPHER_PARAM_OAEP_DIGEST, digest, sizeof(digest)),
        OSSL_PARAM_utf8_string(OSSL_ASYM_CIPHER_PARAM_MGF1_DIGEST, mgf1, sizeof(mgf1)),
        OSSL_PARAM_octet_ptr(OSSL_ASYM_CIPHER_PARAM_OAEP_LABEL, &label, 0),
        OSSL_PARAM_uint("implicit-rejection", &implicit),
        OSSL_PARAM_END,
    };
    OSSL_PARAM bad_mode[] = {
        OSSL_PARAM_utf8_string(OSSL_ASYM_CIPHER_PARAM_PAD_MODE, "pss", 3),
        OSSL_PARAM_END,
    };
    OSSL_PARAM bad_digest[] = {
        OSSL_PARAM_utf8_string(OSSL_ASYM_CIPHER_PARAM_OAEP_DIGEST, "nonesuch", 8),
        OSSL_PARAM_END,
    };
    int got;

    (void)state;
    assert_int_equal(EVP_PKEY_CTX_get_params(ctx, params), 1);
    assert_string_equal(mode, "oaep");
    assert_string_equal(digest, "SHA256");
    assert_string_equal(mgf1, "SHA1");
    assert_int_equal(params[3].return_size, 3);
    assert_memory_equal(label, "abc", 3);
    assert_int_equal(implicit, 1);
    assert_true(EVP_PKEY_CTX_get_rsa_padding(ctx, &got) > 0);
    assert_int_equal(got, RSA_PKCS1_OAEP_PADDING);
    assert_true(EVP_PKEY_CTX_set_params(ctx, bad_mode) <= 0);
    assert_true(EVP_PKEY_CTX_set_params(ctx, bad_digest) <= 0);
    assert_int_equal(EVP_PKEY_CTX_get_params(ctx, params), 1);
    assert_string_equal(digest, "SHA256"); /* as before */
    EVP_PKEY_CTX_free(ctx);
}

/* FAILURES.md rows 80 and 81: dup before and after init and in use, and free in every state */
static void
contexts_are_duplicated_and_freed_in_every_state(void **state)
{
    const padding p = {RSA_PKCS1_OAEP_PADDING, "SHA256", "SHA512", "label", 0};
    uint8_t c[MAX_K], m[MAX_K];
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(ours, key_2048->ours, NULL), *dup;
    size_t len;

    (void)state;
    dup = EVP_PKEY_CTX_dup(ctx);
    EVP_PKEY_CTX_free(dup);
    EVP_PKEY_CTX_free(ctx);

    ctx = prepare(ours, key_2048->ours, false, &p);
    dup = EVP_PKEY_CTX_dup(ctx);
    assert_non_null(dup);
    EVP_PKEY_CTX_free(ctx); /* the copy stands on its own */
    len = MAX_K;
    assert_int_equal(EVP_PKEY_encrypt(dup, c, &len, (const uint8_t *)"text", 4), 1);
    EVP_PKEY_CTX_free(dup);

    ctx = prepare(ours, key_2048->ours, true, &p);
    for (int i = 0; i < 3; i++) {
        dup = EVP_PKEY_CTX_dup(ctx);
        assert_non_null(dup);
        len = MAX_K;
        assert_int_equal(EVP_PKEY_decrypt(dup, m, &len, c, key_2048->k), 1);
        assert_int_equal(len, 4);
        EVP_PKEY_CTX_free(ctx);
        ctx = dup;
    }
    EVP_PKEY_CTX_free(ctx);
}

static void
a_public_key_encrypts_and_does_not_decrypt(void **state)
{
    static const int modes[] = {RSA_PKCS1_PADDING, RSA_PKCS1_OAEP_PADDING, RSA_NO_PADDING};
    EVP_PKEY *public_key = transfer(key_1024->peer, EVP_PKEY_PUBLIC_KEY);
    uint8_t c[MAX_K], m[MAX_K] = {0};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        const padding p = {.mode = modes[i]};
        size_t len = modes[i] == RSA_NO_PADDING ? key_1024->k : 3;

        assert_int_equal(crypt_with(ours, public_key, false, &p, c, m, len), key_1024->k);
        assert_int_equal(crypt_with(ours, public_key, true, &p, m, c, key_1024->k), -1);
        memset(m, 0, sizeof(m));
    }
    EVP_PKEY_free(public_key);
}

static void
x931_and_pss_are_no_encryption(void **state)
{
    const padding x931 = {.mode = RSA_X931_PADDING}, pss = {.mode = RSA_PKCS1_PSS_PADDING};
    uint8_t c[MAX_K], m[MAX_K] = {0};
    EVP_PKEY_CTX *ctx;
    EVP_PKEY *pss_key;

    (void)state;
    assert_int_equal(crypt_with(ours, key_1024->ours, false, &x931, c, m, 3), -1);
    assert_int_equal(crypt_with(peer, key_1024->peer, false, &x931, c, m, 3), -1);
    assert_int_equal(crypt_with(ours, key_1024->ours, true, &x931, c, m, key_1024->k), -1);
    assert_null(prepare(ours, key_1024->ours, false, &pss));
    assert_null(prepare(peer, key_1024->peer, false, &pss));

    ctx = EVP_PKEY_CTX_new_from_name(peer, "RSA-PSS", NULL);
    assert_int_equal(EVP_PKEY_keygen_init(ctx), 1);
    assert_int_equal(EVP_PKEY_CTX_set_rsa_keygen_bits(ctx, 1024), 1);
    pss_key = NULL;
    assert_int_equal(EVP_PKEY_generate(ctx, &pss_key), 1);
    EVP_PKEY_CTX_free(ctx);
    ctx = EVP_PKEY_CTX_new_from_pkey(ours, pss_key, NULL);
    assert_true(EVP_PKEY_encrypt_init(ctx) <= 0);
    assert_true(EVP_PKEY_decrypt_init(ctx) <= 0);
    assert_true(EVP_PKEY_encapsulate_init(ctx, NULL) <= 0);
    EVP_PKEY_CTX_free(ctx);
    EVP_PKEY_free(pss_key);
}

/* FAILURES.md row 73 */
static void
counters_prove_where_the_work_ran(void **state)
{
    const padding p = {.mode = RSA_PKCS1_PADDING};
    uint64_t encrypted = counter("bigmod-rsa-encrypt"), decrypted = counter("bigmod-rsa-decrypt");
    uint8_t c[MAX_K], m[MAX_K];

    (void)state;
    assert_true(crypt_with(ours, key_1024->ours, false, &p, c, (const uint8_t *)"m", 1) > 0);
    assert_int_equal(counter("bigmod-rsa-encrypt"), encrypted + 1);
    assert_int_equal(counter("bigmod-rsa-decrypt"), decrypted);
    assert_true(crypt_with(ours, key_1024->ours, true, &p, m, c, key_1024->k) > 0);
    assert_int_equal(counter("bigmod-rsa-decrypt"), decrypted + 1);
}

/* ---- key encapsulation --------------------------------------------------------------------- */

static EVP_PKEY_CTX *
kem(OSSL_LIB_CTX *lib, EVP_PKEY *key, bool decapsulate)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(lib, key, NULL);

    assert_int_equal(decapsulate ? EVP_PKEY_decapsulate_init(ctx, NULL)
                                 : EVP_PKEY_encapsulate_init(ctx, NULL),
                     1);
    assert_true(EVP_PKEY_CTX_set_kem_op(ctx, "RSASVE") > 0);
    if (lib == ours)
        assert_string_equal(OSSL_PROVIDER_get0_name(EVP_PKEY_CTX_get0_provider(ctx)), "bigmod");
    return ctx;
}

static void
rsasve_agrees_with_default_both_ways(void **state)
{
    (void)state;
    for (size_t i = 1; i < NUM_KEYS; i++) {
        for (int way = 0; way < 2; way++) {
            OSSL_LIB_CTX *from = way ? ours : peer, *to = way ? peer : ours;
            EVP_PKEY_CTX *sender = kem(from, way ? keys[i].ours : keys[i].peer, false);
            EVP_PKEY_CTX *receiver = kem(to, way ? keys[i].peer : keys[i].ours, true), *dup;
            uint8_t c[MAX_K], secret[MAX_K], got[MAX_K];
            size_t c_len = 0, secret_len = 0, got_len = 0;

            assert_int_equal(EVP_PKEY_encapsulate(sender, NULL, &c_len, NULL, &secret_len), 1);
            assert_int_equal(c_len, keys[i].k);
            assert_int_equal(secret_len, keys[i].k);
            assert_int_equal(EVP_PKEY_encapsulate(sender, c, &c_len, secret, &secret_len), 1);
            dup = EVP_PKEY_CTX_dup(receiver);
            EVP_PKEY_CTX_free(receiver);
            assert_int_equal(EVP_PKEY_decapsulate(dup, NULL, &got_len, c, c_len), 1);
            assert_int_equal(EVP_PKEY_decapsulate(dup, got, &got_len, c, c_len), 1);
            assert_int_equal(got_len, secret_len);
            assert_memory_equal(got, secret, got_len);
            EVP_PKEY_CTX_free(dup);
            EVP_PKEY_CTX_free(sender);
        }
    }
}

/* FAILURES.md row 47 */
static void
rsasve_refuses_what_is_no_ciphertext_and_writes_nothing(void **state)
{
    const size_t k = key_1024->k;
    EVP_PKEY_CTX *ctx = kem(ours, key_1024->ours, true);
    EVP_PKEY *public_key = transfer(key_1024->peer, EVP_PKEY_PUBLIC_KEY);
    uint8_t c[MAX_K] = {0}, out[MAX_K], secret[MAX_K];
    size_t len, secret_len;
    BIGNUM *n = NULL;

    (void)state;
    assert_int_equal(EVP_PKEY_get_bn_param(key_1024->peer, OSSL_PKEY_PARAM_RSA_N, &n), 1);
    for (int i = 0; i < 6; i++) {
        size_t c_len = k;

        memset(c, 0, sizeof(c));
        if (i == 1)
            c[k - 1] = 1;
        else if (i == 2)
            BN_sub_word(n, 1), BN_bn2binpad(n, c, (int)k), BN_add_word(n, 1);
        else if (i == 3)
            BN_bn2binpad(n, c, (int)k);
        else if (i == 4)
            c[k - 1] = 2, c_len = k - 1;
        else if (i == 5)
            c[k] = 2, c_len = k + 1;
        memset(out, POISON, sizeof(out));
        len = MAX_K;
        assert_true(EVP_PKEY_decapsulate(ctx, out, &len, c, c_len) <= 0);
        for (size_t j = 0; j < MAX_K; j++)
            assert_true(out[j] == POISON || out[j] == 0);
    }
    EVP_PKEY_CTX_free(ctx);

    ctx = kem(ours, public_key, false);
    len = k - 1;
    secret_len = k;
    memset(out, POISON, sizeof(out));
    assert_true(EVP_PKEY_encapsulate(ctx, out, &len, secret, &secret_len) <= 0);
    assert_int_equal(out[0], POISON);
    len = k;
    assert_int_equal(EVP_PKEY_encapsulate(ctx, out, &len, secret, &secret_len), 1);
    EVP_PKEY_CTX_free(ctx);
    ctx = EVP_PKEY_CTX_new_from_pkey(ours, public_key, NULL);
    if (EVP_PKEY_decapsulate_init(ctx, NULL) > 0) {
        len = MAX_K;
        assert_true(EVP_PKEY_decapsulate(ctx, secret, &len, out, k) <= 0);
    }
    EVP_PKEY_CTX_free(ctx);
    EVP_PKEY_free(public_key);
    BN_free(n);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pkcs1_round_trips_with_default_at_every_length),
        cmocka_unit_test(oaep_round_trips_with_default_for_every_digest_and_mgf1),
        cmocka_unit_test(raw_rsa_keeps_leading_zeros_and_refuses_what_does_not_fit),
        cmocka_unit_test(all_bad_blocks_without_implicit_rejection_look_the_same),
        cmocka_unit_test(all_bad_oaep_blocks_look_the_same),
        cmocka_unit_test(implicit_rejection_hides_a_bad_block_and_is_deterministic),
        cmocka_unit_test(ciphertexts_that_are_padded_or_not_below_n_are_refused_as_default_does),
        cmocka_unit_test(short_ciphertexts_are_read_as_default_reads_them),
        cmocka_unit_test(tls_premaster_secrets_leave_or_are_replaced_silently),
        cmocka_unit_test(lengths_are_told_and_small_buffers_refused),
        cmocka_unit_test(parameters_read_back_as_they_were_set),
        cmocka_unit_test(contexts_are_duplicated_and_freed_in_every_state),
        cmocka_unit_test(a_public_key_encrypts_and_does_not_decrypt),
        cmocka_unit_test(x931_and_pss_are_no_encryption),
        cmocka_unit_test(counters_prove_where_the_work_ran),
        cmocka_unit_test(rsasve_agrees_with_default_both_ways),
        cmocka_unit_test(rsasve_refuses_what_is_no_ciphertext_and_writes_nothing),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
