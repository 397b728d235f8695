/* The paddings against OpenSSL's own functions, against vectors, and with every byte wrong in turn.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <gmp.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels.h"
#include "rsa.h"

enum { K = 128 };

static const char why[] = "a test knows";

static bool
evp_digest(void *arg, uint8_t *out, const bm_bytes *parts, size_t num_parts)
{
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    bool ok = ctx != NULL && EVP_DigestInit_ex(ctx, arg, NULL);

    for (size_t i = 0; ok && i < num_parts; i++)
        ok = EVP_DigestUpdate(ctx, parts[i].bytes, parts[i].len);
    ok = ok && EVP_DigestFinal_ex(ctx, out, NULL);
    EVP_MD_CTX_free(ctx);
    return ok;
}

static bm_hash
hash_of(const EVP_MD *md)
{
    return (bm_hash){(size_t)EVP_MD_get_size(md), (size_t)EVP_MD_get_block_size(md), evp_digest,
                     (void *)md};
}

static bool
rand_fill(void *arg, uint8_t *bytes, size_t len)
{
    (void)arg;
    return RAND_bytes(bytes, (int)len) == 1;
}

static bool
zero_fill(void *arg, uint8_t *bytes, size_t len)
{
    (void)arg;
    memset(bytes, 0, len);
    return true;
}

static bool
failing_fill(void *arg, uint8_t *bytes, size_t len)
{
    (void)arg;
    (void)bytes;
    (void)len;
    return false;
}

static const bm_random source = {rand_fill, NULL}, zeros = {zero_fill, NULL},
                       failing = {failing_fill, NULL};

static bm_bytes
bytes_of(const void *p, size_t len)
{
    return (bm_bytes){p, len};
}

static bool
all_zero(const uint8_t *p, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (p[i] != 0)
            return false;
    return true;
}

static void
pkcs1_blocks_equal_those_of_openssl(void **state)
{
    uint8_t em[K], want[K], message[K];

    (void)state;
    RAND_bytes(message, sizeof(message));
    for (size_t len = 0; len <= K; len++) {
        size_t cut = len / 3;
        bool fits = len + 11 <= K;

        memset(em, 0xA5, K);
        assert_int_equal(
            bm_pkcs1_encode(em, K, bytes_of(message, cut), bytes_of(message + cut, len - cut)),
            fits);
        if (!fits) {
            assert_true(all_zero(em, K)); /* FAILURES.md row 47 */
            continue;
        }
        assert_int_equal(RSA_padding_add_PKCS1_type_1(want, K, message, (int)len), 1);
        assert_memory_equal(em, want, K);
    }
}

static const uint8_t sha256_prefix[19] = {0x30, 0x31, 0x30, 0x0d, 0x06, 0x09, 0x60,
                                          0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02,
                                          0x01, 0x05, 0x00, 0x04, 0x20};

/* FAILURES.md rows 40, 41, 42 */
static void
pkcs1_verify_refuses_every_wrong_byte(void **state)
{
    uint8_t em[K + 1], digest[32];

    (void)state;
    RAND_bytes(digest, 32);
    for (size_t prefix_len = 0; prefix_len <= 19; prefix_len += 19) {
        bm_bytes p = bytes_of(sha256_prefix, prefix_len), d = bytes_of(digest, 32);

        assert_true(bm_pkcs1_encode(em, K, p, d));
        assert_true(bm_pkcs1_verify(em, K, p, d));
        for (size_t i = 0; i < K; i++)
            for (int flip = 1; flip < 256; flip++) {
                em[i] ^= (uint8_t)flip;
                assert_false(bm_pkcs1_verify(em, K, p, d));
                em[i] ^= (uint8_t)flip;
            }
        /* short padding, with garbage after the digest (Bleichenbacher 2006) */
        memmove(em + 10, em + K - prefix_len - 33, prefix_len + 33);
        assert_false(bm_pkcs1_verify(em, K, p, d));
        assert_false(bm_pkcs1_verify(em, K - 1, p, d));
    }
    assert_false(bm_pkcs1_verify(em, 10, bytes_of(NULL, 0), bytes_of(NULL, 0)));
    assert_false(bm_pkcs1_encode(em, 0, bytes_of(NULL, 0), bytes_of(NULL, 0)));
    assert_false(bm_pkcs1_encode(em, K, bytes_of(sha256_prefix, SIZE_MAX), bytes_of(digest, 32)));
}

/* FAILURES.md rows 40, 41: other encodings of the same DigestInfo, each a well-formed block */
static void
pkcs1_verify_refuses_every_other_encoding(void **state)
{
    static const struct {
        size_t len;
        uint8_t bytes[30];
    } others[] = {
        {17, "\x30\x2f\x30\x0b\x06\x09\x60\x86\x48\x01\x65\x03\x04\x02\x01\x04\x20"}, /* no NULL */
        {20, "\x30\x81\x31\x30\x0d\x06\x09\x60\x86\x48\x01\x65\x03\x04\x02\x01\x05\x00\x04\x20"},
        {20, "\x30\x32\x30\x81\x0d\x06\x09\x60\x86\x48\x01\x65\x03\x04\x02\x01\x05\x00\x04\x20"},
        {20, "\x30\x32\x30\x0d\x06\x09\x60\x86\x48\x01\x65\x03\x04\x02\x01\x05\x00\x04\x81\x20"},
        {21,
         "\x30\x82\x00\x31\x30\x0d\x06\x09\x60\x86\x48\x01\x65\x03\x04\x02\x01\x05\x00\x04\x20"},
        {19, "\x30\x80\x30\x0d\x06\x09\x60\x86\x48\x01\x65\x03\x04\x02\x01\x05\x00\x04\x20"},
        {21,
         "\x30\x33\x30\x0f\x06\x09\x60\x86\x48\x01\x65\x03\x04\x02\x01\x05\x02\xaa\xbb\x04\x20"},
        {21,
         "\x30\x33\x30\x0f\x06\x09\x60\x86\x48\x01\x65\x03\x04\x02\x01\x05\x00\x05\x00\x04\x20"},
        {19, "\x30\x31\x30\x0d\x06\x09\x60\x86\x48\x01\x65\x03\x04\x02\x01\x04\x00\x04\x20"},
        {0, ""}, /* the digest alone */
    };
    uint8_t em[K], digest[32];
    bm_bytes right = bytes_of(sha256_prefix, sizeof(sha256_prefix)), d = bytes_of(digest, 32);

    (void)state;
    RAND_bytes(digest, 32);
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        assert_true(bm_pkcs1_encode(em, K, bytes_of(others[i].bytes, others[i].len), d));
        assert_false(bm_pkcs1_verify(em, K, right, d));
    }
    assert_true(bm_pkcs1_encode(em, K, right, d));
    assert_true(bm_pkcs1_verify(em, K, right, d));
}

/*
 * FAILURES.md row 40: for e = 3 the cube root of a block with short padding and free bytes behind
 * the digest is a forgery for whoever parses and does not compare.
 */
static void
pkcs1_verify_refuses_cube_root_forgeries(void **state)
{
    enum { LONG_K = 384, PS = 8, HEAD = 3 + PS + 19 + 32 };
    uint8_t em[LONG_K] = {0, 1}, cube[LONG_K], digest[32];
    mpz_t s;

    (void)state;
    RAND_bytes(digest, 32);
    memset(em + 2, 0xFF, PS);
    memcpy(em + 3 + PS, sha256_prefix, 19);
    memcpy(em + HEAD - 32, digest, 32);
    mpz_init(s);
    mpz_import(s, LONG_K, 1, 1, 0, 0, em);
    mpz_root(s, s, 3);
    mpz_add_ui(s, s, 1);
    mpz_pow_ui(s, s, 3);
    memset(cube, 0, sizeof(cube));
    mpz_export(cube + 1, NULL, 1, 1, 0, 0, s); /* the block's second byte is the cube's first */
    mpz_clear(s);
    assert_memory_equal(cube, em, HEAD); /* it would pass a parser that stops at the digest */
    assert_false(bm_pkcs1_verify(cube, LONG_K, bytes_of(sha256_prefix, 19), bytes_of(digest, 32)));
}

/* FAILURES.md row 48 */
static void
pkcs1_recover_takes_what_openssl_takes(void **state)
{
    uint8_t em[K], message[K], out[K];

    (void)state;
    RAND_bytes(message, sizeof(message));
    for (size_t len = 0; len + 11 <= K; len++) {
        size_t at, got;

        assert_true(bm_pkcs1_encode(em, K, bytes_of(NULL, 0), bytes_of(message, len)));
        assert_true(bm_pkcs1_recover(em, K, &at, &got));
        assert_int_equal(got, len);
        assert_memory_equal(em + at, message, len);
        for (size_t i = 0; i < K; i++) {
            int want;

            em[i] ^= 0x55;
            want = RSA_padding_check_PKCS1_type_1(out, K, em, K, K);
            assert_int_equal(bm_pkcs1_recover(em, K, &at, &got), want >= 0);
            assert_int_equal(got, want >= 0 ? want : 0);
            em[i] ^= 0x55;
        }
    }
}

/* FAILURES.md rows 47, 49, 54, 59: a bad block of any kind gives the same mask and nothing else */
static void
pkcs1_unpad_takes_what_openssl_takes(void **state)
{
    uint8_t em[K], message[K], out[K], want[K];

    (void)state;
    RAND_bytes(message, sizeof(message));
    for (size_t len = 0; len <= K; len++) {
        bool fits = len + 11 <= K;
        bm_limb got;

        assert_int_equal(bm_pkcs1_pad_encrypt(em, K, bytes_of(message, len), &source), fits);
        if (!fits) {
            assert_true(all_zero(em, K));
            continue;
        }
        for (size_t out_len = 0; out_len <= K; out_len += out_len == len ? K - len : len) {
            memset(out, 0xA5, K);
            assert_int_equal(bm_declassify(bm_pkcs1_unpad_decrypt(out, out_len, &got, em, K), why),
                             len <= out_len);
            assert_int_equal(got, len <= out_len ? len : 0);
            if (len <= out_len)
                assert_memory_equal(out, message, len);
            assert_true(all_zero(out + got, out_len - got));
            if (len == 0 || out_len == K)
                break;
        }
        for (size_t i = 0; i < K; i++) {
            uint8_t saved = em[i];
            int expect;
            bool ok;

            em[i] = i % 2 ? 0 : em[i] ^ 0x80;
            expect = RSA_padding_check_PKCS1_type_2(want, K, em, K, K);
            ok = bm_declassify(bm_pkcs1_unpad_decrypt(out, K, &got, em, K), why);
            assert_int_equal(ok, expect >= 0);
            assert_int_equal(got, expect >= 0 ? expect : 0);
            if (ok)
                assert_memory_equal(out, want, got);
            assert_true(all_zero(out + got, K - got));
            em[i] = saved;
        }
    }
    assert_false(bm_pkcs1_pad_encrypt(em, K, bytes_of(message, 20), &zeros)); /* no endless loop */
    assert_false(bm_pkcs1_pad_encrypt(em, K, bytes_of(message, 20), &failing));
    assert_true(all_zero(em, K));
}

static void
pkcs1_unpad_tls_never_fails_visibly(void **state)
{
    uint8_t em[K], premaster[48], fallback[48], out[48];

    (void)state;
    RAND_bytes(premaster, 48);
    RAND_bytes(fallback, 48);
    premaster[0] = 3;
    premaster[1] = 3;
    assert_true(bm_pkcs1_pad_encrypt(em, K, bytes_of(premaster, 48), &source));
    assert_true(bm_pkcs1_unpad_tls(out, em, K, 0x0303, 0, fallback));
    assert_memory_equal(out, premaster, 48);
    assert_true(bm_pkcs1_unpad_tls(out, em, K, 0x0302, 0x0303, fallback));
    assert_memory_equal(out, premaster, 48);
    assert_true(bm_pkcs1_unpad_tls(out, em, K, 0x0302, 0, fallback));
    assert_memory_equal(out, fallback, 48);
    for (size_t i = 0; i < K - 46; i++) {
        uint8_t saved = em[i];

        em[i] = saved != 0 ? 0 : 7;
        assert_true(bm_pkcs1_unpad_tls(out, em, K, 0x0303, 0, fallback));
        assert_memory_equal(out, fallback, 48);
        em[i] = saved;
    }
    assert_true(bm_pkcs1_pad_encrypt(em, K, bytes_of(premaster, 47), &source));
    assert_true(bm_pkcs1_unpad_tls(out, em, K, 0x0303, 0, fallback));
    assert_memory_equal(out, fallback, 48);
    assert_false(bm_pkcs1_unpad_tls(out, em, 58, 0x0303, 0, fallback));
    assert_true(all_zero(out, 48));
}

/* A number of a key, in limbs. */
static void
limbs_of(bm_limb *z, size_t num, const BIGNUM *x)
{
    uint8_t bytes[BM_RSA_MAX_BYTES];

    assert_true(BN_bn2binpad(x, bytes, (int)(8 * num)) >= 0);
    assert_true(bm_decode(z, num, bytes, 8 * num));
}

static size_t
from_hex(uint8_t *out, const char *hex)
{
    size_t n = 0;
    unsigned byte;

    while (sscanf(hex + 2 * n, "%2x", &byte) == 1)
        out[n++] = (uint8_t)byte;
    return n;
}

/* FAILURES.md rows 49, 50: the very synthetic messages of OpenSSL 3.2 and later */
static void
pkcs1_decrypt_rejects_implicitly_as_openssl_does(void **state)
{
    const bm_kernels *set = bm_kernels_find("auto", bm_cpu_features());
    bm_limb n[32], e[1], d[32], primes[2][32], c[32], z[32];
    bm_limb *pub_memory = NULL, *priv_memory = NULL, *scratch = NULL;
    uint8_t der[2048], in[256], out[256], want[256], em[256], d_bytes[256], kdk[32];
    FILE *file = fopen(VECTORS "/pkcs1_implicit_rejection.txt", "r");
    bm_hash sha256 = hash_of(EVP_sha256());
    bm_rsa_public pub;
    bm_rsa_private priv;
    char line[4096];
    int run = 0;

    (void)state;
    assert_non_null(file);
    while (fgets(line, sizeof(line), file) != NULL) {
        line[strcspn(line, "\n")] = 0;
        if (strncmp(line, "key ", 4) == 0) {
            const unsigned char *p = der;
            int len = EVP_DecodeBlock(der, (const unsigned char *)line + 4, (int)strlen(line) - 4);
            RSA *rsa = d2i_RSAPrivateKey(NULL, &p, len);
            bm_rsa_parts parts = {.d = d, .num_primes = 2, .primes = {primes[0], primes[1]}};

            assert_non_null(rsa);
            limbs_of(n, 32, RSA_get0_n(rsa));
            limbs_of(e, 1, RSA_get0_e(rsa));
            limbs_of(d, 32, RSA_get0_d(rsa));
            limbs_of(primes[0], 32, RSA_get0_p(rsa));
            limbs_of(primes[1], 32, RSA_get0_q(rsa));
            RSA_free(rsa);
            scratch = malloc(8 * bm_rsa_scratch_limbs(set, 32));
            pub_memory = malloc(8 * bm_rsa_public_limbs(set, 32, 1));
            priv_memory = malloc(8 * bm_rsa_private_limbs(set, 32, 2));
            assert_true(bm_rsa_public_init(&pub, set, n, 32, e, 1, pub_memory, scratch));
            assert_true(bm_rsa_private_init(&priv, &pub, &parts, priv_memory, scratch));
            bm_encode(d_bytes, 256, d, 32);
        } else if (strncmp(line, "in ", 3) == 0) {
            assert_int_equal(from_hex(in, line + 3), 256);
            assert_true(bm_decode(c, 32, in, 256));
            assert_true(bm_rsa_private_op(z, c, &priv, scratch));
            bm_encode(em, 256, z, 32);
        } else if (strncmp(line, "out", 3) == 0) {
            size_t len = from_hex(want, line + 3 + (line[3] == ' ')), got;

            assert_true(
                bm_pkcs1_rejection_key(kdk, &sha256, bytes_of(d_bytes, 256), bytes_of(in, 256)));
            memset(out, 0xA5, 256);
            assert_true(bm_pkcs1_decrypt_implicit(out, 256, &got, em, 256, kdk, &sha256));
            assert_int_equal(got, len);
            assert_memory_equal(out, want, len);
            assert_true(all_zero(out + len, 256 - len));
            /* a valid message that does not fit is malformed; a synthetic one is cut */
            if (len == 26) {
                assert_true(bm_pkcs1_decrypt_implicit(out, 25, &got, em, 256, kdk, &sha256));
                assert_memory_not_equal(out, want, 25);
            } else if (len > 20) {
                assert_true(bm_pkcs1_decrypt_implicit(out, 20, &got, em, 256, kdk, &sha256));
                assert_int_equal(got, 20);
                assert_memory_equal(out, want, 20);
            }
            run++;
        }
    }
    assert_int_equal(run, 10);
    fclose(file);
    free(scratch);
    free(pub_memory);
    free(priv_memory);
}

static const EVP_MD *
md_at(int i)
{
    return i == 0 ? EVP_sha1() : i == 1 ? EVP_sha256() : EVP_sha512();
}

/* FAILURES.md rows 43, 44: every salt length up to one too long, every residue of the bits modulo 8
 */
static void
pss_blocks_please_openssl_and_back(void **state)
{
    (void)state;
    for (int bits = 1017; bits <= 1032; bits++) {
        size_t em_bits = (size_t)bits - 1, em_len = (em_bits + 7) / 8, k = ((size_t)bits + 7) / 8;
        BIGNUM *n = BN_new(), *e = BN_new();
        RSA *rsa = RSA_new(); /* nothing but the length of n is looked at */

        BN_set_bit(n, bits - 1);
        BN_set_word(e, 3);
        assert_int_equal(RSA_set0_key(rsa, n, e, NULL), 1);
        for (int i = 0; i < 6; i++) {
            const EVP_MD *md = md_at(i % 3), *mgf = md_at(i / 2);
            bm_hash hash = hash_of(md), mgf_hash = hash_of(mgf);
            size_t most = em_len - hash.len - 2;
            uint8_t em[200] = {0}, digest[64], salt[200], *at = em + (k - em_len);

            RAND_bytes(digest, 64);
            RAND_bytes(salt, 200);
            for (size_t len = 0; len <= most; len += len + 3 < most ? 3 : 1) {
                size_t found;

                assert_true(
                    bm_pss_encode(at, em_bits, digest, &hash, &mgf_hash, bytes_of(salt, len)));
                assert_int_equal(RSA_verify_PKCS1_PSS_mgf1(rsa, digest, md, mgf, em, (int)len), 1);
                assert_true(bm_pss_verify(at, em_bits, digest, &hash, &mgf_hash, (int)len, &found));
                assert_int_equal(found, len);
                assert_true(
                    bm_pss_verify(at, em_bits, digest, &hash, &mgf_hash, BM_PSS_SALT_ANY, NULL));
                assert_false(
                    bm_pss_verify(at, em_bits, digest, &hash, &mgf_hash, (int)len + 1, NULL));
                assert_int_equal(RSA_padding_add_PKCS1_PSS_mgf1(rsa, em, digest, md, mgf, (int)len),
                                 1);
                assert_true(bm_pss_verify(at, em_bits, digest, &hash, &mgf_hash, (int)len, NULL));
            }
            assert_false(
                bm_pss_encode(at, em_bits, digest, &hash, &mgf_hash, bytes_of(salt, most + 1)));
            assert_true(all_zero(at, em_len));
            assert_false(
                bm_pss_encode(at, em_bits, digest, &hash, &mgf_hash, bytes_of(salt, SIZE_MAX)));
            assert_false(bm_pss_verify(at, em_bits, digest, &hash, &mgf_hash, -2, NULL));
            assert_false(bm_pss_verify(at, 8 * hash.len + 8, digest, &hash, &mgf_hash, 0, NULL));
        }
        RSA_free(rsa);
    }
}

/* FAILURES.md row 42 */
static void
pss_verify_refuses_every_wrong_byte(void **state)
{
    bm_hash hash = hash_of(EVP_sha256());
    uint8_t em[K], digest[32], salt[20];

    (void)state;
    RAND_bytes(digest, 32);
    RAND_bytes(salt, 20);
    assert_true(bm_pss_encode(em, 8 * K - 1, digest, &hash, &hash, bytes_of(salt, 20)));
    for (size_t i = 0; i < K; i++)
        for (int bit = 0; bit < 8; bit++) {
            em[i] ^= (uint8_t)(1 << bit);
            assert_false(bm_pss_verify(em, 8 * K - 1, digest, &hash, &hash, BM_PSS_SALT_ANY, NULL));
            em[i] ^= (uint8_t)(1 << bit);
        }
    digest[5] ^= 1;
    assert_false(bm_pss_verify(em, 8 * K - 1, digest, &hash, &hash, 20, NULL));
}

/* FAILURES.md rows 44, 47, 49, 55: lengths 0 to one too long, each byte wrong in turn */
static void
oaep_takes_what_openssl_takes(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        const EVP_MD *md = md_at(i % 2), *mgf = md_at(i);
        bm_hash hash = hash_of(md), mgf_hash = hash_of(mgf);
        bm_bytes label = i == 0 ? bytes_of(NULL, 0) : bytes_of("label", 5);
        const size_t most = K - 2 * hash.len - 2;
        uint8_t em[K], copy[K], message[K], out[K], want[K];
        bm_limb got;

        RAND_bytes(message, K);
        for (size_t len = 0; len <= most; len++) {
            assert_true(
                bm_oaep_pad(em, K, bytes_of(message, len), label, &hash, &mgf_hash, &source));
            assert_int_equal(RSA_padding_check_PKCS1_OAEP_mgf1(want, K, em, K, K, label.bytes,
                                                               (int)label.len, md, mgf),
                             len);
            assert_memory_equal(want, message, len);
            assert_int_equal(RSA_padding_add_PKCS1_OAEP_mgf1(em, K, message, (int)len, label.bytes,
                                                             (int)label.len, md, mgf),
                             1);
            memcpy(copy, em, K);
            assert_true(
                bm_declassify(bm_oaep_unpad(out, K, &got, copy, K, label, &hash, &mgf_hash), why));
            assert_int_equal(got, len);
            assert_memory_equal(out, message, len);
            assert_true(all_zero(out + len, K - len));
            if (len > 0) {
                memcpy(copy, em, K);
                memset(out, 0xA5, K);
                assert_false(bm_declassify(
                    bm_oaep_unpad(out, len - 1, &got, copy, K, label, &hash, &mgf_hash), why));
                assert_int_equal(got, 0);
                assert_true(all_zero(out, len - 1));
            }
            if (len % 16 != 3)
                continue;
            for (size_t j = 0; j < K; j++) {
                memcpy(copy, em, K);
                copy[j] ^= 0x40;
                assert_false(bm_declassify(
                    bm_oaep_unpad(out, K, &got, copy, K, label, &hash, &mgf_hash), why));
                assert_int_equal(got, 0);
                assert_true(all_zero(out, K));
            }
        }
        memset(em, 0xA5, K);
        assert_false(
            bm_oaep_pad(em, K, bytes_of(message, most + 1), label, &hash, &mgf_hash, &source));
        assert_true(all_zero(em, K));
        assert_false(bm_oaep_pad(em, K, bytes_of(message, 1), label, &hash, &mgf_hash, &failing));
        assert_true(all_zero(em, K));
        assert_false(bm_oaep_pad(em, 2 * hash.len + 1, bytes_of(message, 0), label, &hash,
                                 &mgf_hash, &source));
    }
}

/* Blocks whose structure is wrong below a right mask: a 2 before the 1, no 1 at all. */
static void
oaep_refuses_a_wrong_structure(void **state)
{
    bm_hash hash = hash_of(EVP_sha1());
    const size_t h = 20, db_len = K - h - 1;
    uint8_t out[K];
    bm_limb got;

    (void)state;
    for (int wrong = 0; wrong < 4; wrong++) {
        uint8_t em[K] = {0}, *seed = em + 1, *db = em + 1 + h;
        bm_bytes none = bytes_of(NULL, 0);

        RAND_bytes(seed, (int)h);
        evp_digest(hash.arg, db, &none, 1);
        if (wrong != 1)
            db[60] = 1;
        if (wrong == 2)
            db[59] = 2;
        if (wrong == 3)
            em[0] = 1;
        bm_mgf1_xor(db, db_len, bytes_of(seed, h), &hash);
        bm_mgf1_xor(seed, h, bytes_of(db, db_len), &hash);
        assert_int_equal(bm_declassify(bm_oaep_unpad(out, K, &got, em, K, none, &hash, &hash), why),
                         wrong == 0);
        assert_int_equal(got, wrong == 0 ? db_len - 61 : 0);
    }
}

static void
x931_blocks_equal_those_of_openssl(void **state)
{
    uint8_t em[K], want[K], message[K], out[K];

    (void)state;
    RAND_bytes(message, K);
    for (size_t len = 1; len <= K; len++) {
        bool fits = len + 2 <= K;
        size_t at, got;

        memset(em, 0xA5, K);
        assert_int_equal(bm_x931_encode(em, K, bytes_of(message, len)), fits);
        if (!fits) {
            assert_true(all_zero(em, K));
            continue;
        }
        assert_int_equal(RSA_padding_add_X931(want, K, message, (int)len), 1);
        assert_memory_equal(em, want, K);
        assert_true(bm_x931_verify(em, K, bytes_of(message, len)));
        assert_true(bm_x931_recover(em, K, &at, &got));
        assert_int_equal(got, len);
        assert_memory_equal(em + at, message, len);
        if (len < K - 3) /* OpenSSL does not read back 6B BA */
            assert_int_equal(RSA_padding_check_X931(out, K, em, K, K), len);
        for (size_t i = 0; i < K; i++) {
            em[i] ^= 0x10;
            assert_false(bm_x931_verify(em, K, bytes_of(message, len)));
            em[i] ^= 0x10;
        }
        em[K - 1] = 0xCB;
        assert_false(bm_x931_recover(em, K, &at, &got));
        em[0] = 0x6C;
        em[K - 1] = 0xCC;
        assert_false(bm_x931_recover(em, K, &at, &got));
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pkcs1_blocks_equal_those_of_openssl),
        cmocka_unit_test(pkcs1_verify_refuses_every_wrong_byte),
        cmocka_unit_test(pkcs1_verify_refuses_every_other_encoding),
        cmocka_unit_test(pkcs1_verify_refuses_cube_root_forgeries),
        cmocka_unit_test(pkcs1_recover_takes_what_openssl_takes),
        cmocka_unit_test(pkcs1_unpad_takes_what_openssl_takes),
        cmocka_unit_test(pkcs1_unpad_tls_never_fails_visibly),
        cmocka_unit_test(pkcs1_decrypt_rejects_implicitly_as_openssl_does),
        cmocka_unit_test(pss_blocks_please_openssl_and_back),
        cmocka_unit_test(pss_verify_refuses_every_wrong_byte),
        cmocka_unit_test(oaep_takes_what_openssl_takes),
        cmocka_unit_test(oaep_refuses_a_wrong_structure),
        cmocka_unit_test(x931_blocks_equal_those_of_openssl),
    };

    return cmocka_run_group_tests_name("rsa_padding", tests, NULL, NULL);
}
