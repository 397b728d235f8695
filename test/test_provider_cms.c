/*
 * CMS with several recipients, bigmod preferred: who holds one key reads the message, and nobody
 * learns from another recipient's block (FAILURES.md row 51).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <openssl/cms.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/provider.h>
#include <openssl/rand.h>
#include <openssl/x509.h>

static OSSL_LIB_CTX *lib;
static OSSL_PROVIDER *base, *bigmod;

typedef struct person {
    EVP_PKEY *key;
    X509 *cert;
} person;

static person alice, bob;

static uint64_t
decryptions(void)
{
    uint64_t value = 0;
    OSSL_PARAM params[] = {OSSL_PARAM_uint64("bigmod-rsa-decrypt", &value), OSSL_PARAM_END};

    assert_int_equal(OSSL_PROVIDER_get_params(bigmod, params), 1);
    return value;
}

static person
make_person(const char *name, long serial)
{
    person p = {EVP_PKEY_Q_keygen(lib, "provider=default", "RSA", (size_t)1024),
                X509_new_ex(lib, NULL)};
    X509_NAME *subject = X509_NAME_new();

    assert_non_null(p.key);
    X509_set_version(p.cert, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(p.cert), serial);
    X509_gmtime_adj(X509_getm_notBefore(p.cert), 0);
    X509_gmtime_adj(X509_getm_notAfter(p.cert), 3600);
    X509_set_pubkey(p.cert, p.key);
    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, (const unsigned char *)name, -1, -1, 0);
    X509_set_subject_name(p.cert, subject);
    X509_set_issuer_name(p.cert, subject);
    X509_NAME_free(subject);
    assert_true(X509_sign(p.cert, p.key, EVP_sha256()) > 0);
    return p;
}

static int
setup(void **state)
{
    (void)state;
    lib = OSSL_LIB_CTX_new();
    base = OSSL_PROVIDER_load(lib, "default");
    bigmod = OSSL_PROVIDER_load(lib, "bigmod");
    if (base == NULL || bigmod == NULL)
        return -1;
    EVP_set_default_properties(lib, "?provider=bigmod");
    alice = make_person("alice", 1);
    bob = make_person("bob", 2);
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    EVP_PKEY_free(alice.key);
    EVP_PKEY_free(bob.key);
    X509_free(alice.cert);
    X509_free(bob.cert);
    OSSL_PROVIDER_unload(bigmod);
    OSSL_PROVIDER_unload(base);
    OSSL_LIB_CTX_free(lib);
    return 0;
}

static const char text[] = "what was written to both";

/* The text to both, alice first. */
static CMS_ContentInfo *
write_to_both(void)
{
    STACK_OF(X509) *certs = sk_X509_new_null();
    BIO *in = BIO_new_mem_buf(text, sizeof(text));
    CMS_ContentInfo *cms;

    sk_X509_push(certs, alice.cert);
    sk_X509_push(certs, bob.cert);
    cms = CMS_encrypt_ex(certs, in, EVP_aes_128_cbc(), CMS_BINARY, lib, NULL);
    assert_non_null(cms);
    sk_X509_free(certs);
    BIO_free(in);
    return cms;
}

/* What a reader sees. */
typedef struct sight {
    int ret;
    unsigned long error;
    bool is_text;
} sight;

static sight
read_as(CMS_ContentInfo *cms, const person *p, bool with_cert)
{
    BIO *out = BIO_new(BIO_s_mem());
    sight s = {0};
    char *bytes;
    long len;

    ERR_clear_error();
    s.ret = CMS_decrypt(cms, p->key, with_cert ? p->cert : NULL, NULL, out, 0);
    s.error = ERR_peek_error();
    len = BIO_get_mem_data(out, &bytes);
    s.is_text = len == sizeof(text) && memcmp(bytes, text, sizeof(text)) == 0;
    BIO_free(out);
    return s;
}

/*
 * The same message with another encrypted key (128 bytes) for the recipient of that name: found in
 * the DER as the OCTET STRING of 128 bytes that follows the name most closely.
 */
static CMS_ContentInfo *
replace_key(CMS_ContentInfo *cms, const char *name, const uint8_t key[128])
{
    static const uint8_t header[] = {0x04, 0x81, 0x80};
    unsigned char *der = NULL;
    const unsigned char *at;
    int len = i2d_CMS_ContentInfo(cms, &der), name_at = -1;
    CMS_ContentInfo *changed = CMS_ContentInfo_new_ex(lib, NULL);

    assert_true(len > 0);
    for (int i = 0; i + (int)strlen(name) <= len && name_at < 0; i++)
        if (memcmp(der + i, name, strlen(name)) == 0)
            name_at = i;
    assert_true(name_at >= 0);
    for (int i = name_at; i + 131 <= len; i++) {
        if (memcmp(der + i, header, sizeof(header)) == 0) {
            memcpy(der + i + 3, key, 128);
            break;
        }
    }
    at = der;
    assert_non_null(d2i_CMS_ContentInfo(&changed, &at, len));
    OPENSSL_free(der);
    return changed;
}

/* A block of PKCS#1 v1.5 for that key with a message of len bytes; len < 0: no such block. */
static void
make_block(const person *p, int len, uint8_t block[128])
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(lib, p->key, "provider=default");
    uint8_t message[117] = {0};
    size_t block_len = 128;

    assert_int_equal(EVP_PKEY_encrypt_init(ctx), 1);
    RAND_bytes_ex(lib, message, sizeof(message), 0);
    assert_int_equal(EVP_PKEY_encrypt(ctx, block, &block_len, message, len < 0 ? 16 : (size_t)len),
                     1);
    if (len < 0)
        block[64] ^= 1;
    EVP_PKEY_CTX_free(ctx);
}

static void
both_recipients_read_with_and_without_their_certificate(void **state)
{
    uint64_t before = decryptions();
    int read = 0;

    (void)state;
    for (int i = 0; i < 8; i++) {
        CMS_ContentInfo *cms = write_to_both();

        assert_true(read_as(cms, &alice, true).is_text);
        assert_true(read_as(cms, &bob, true).is_text);
        CMS_ContentInfo_free(cms);
        /*
         * Without a certificate each block is tried. Before 3.2 libcrypto does not turn implicit
         * rejection off, and one strange block in 240 has a synthetic message of a key's length.
         */
        cms = write_to_both();
        read += read_as(cms, &alice, false).is_text;
        CMS_ContentInfo_free(cms);
        cms = write_to_both();
        read += read_as(cms, &bob, false).is_text;
        CMS_ContentInfo_free(cms);
    }
    assert_true(read >= 13);
    assert_true(decryptions() > before);
}

static void
a_block_of_an_attacker_does_not_disturb_the_other_recipient(void **state)
{
    uint8_t block[128];

    (void)state;
    for (int len = -1; len <= 117; len += 59) {
        CMS_ContentInfo *cms = write_to_both(), *changed;

        make_block(&bob, len, block);
        changed = replace_key(cms, "bob", block);
        assert_true(read_as(changed, &alice, true).is_text);
        assert_false(read_as(changed, &bob, true).is_text);
        CMS_ContentInfo_free(changed);
        CMS_ContentInfo_free(cms);
    }
}

/*
 * No oracle: a bad block, and good blocks with keys of a wrong length, are one and the same
 * failure. libcrypto goes on with a random key, under which one message in 256 seems to decrypt:
 * such a try is repeated.
 */
static void
bad_blocks_and_wrong_keys_fail_alike(void **state)
{
    static const int lengths[] = {-1, 0, 1, 15, 17, 48, 117};
    sight first = {0}, s;

    (void)state;
    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        for (int tries = 0; tries == 0 || (s.ret > 0 && tries < 8); tries++) {
            CMS_ContentInfo *cms = write_to_both(), *changed;
            uint8_t block[128];

            make_block(&bob, lengths[i], block);
            changed = replace_key(cms, "bob", block);
            s = read_as(changed, &bob, true);
            assert_false(s.is_text);
            CMS_ContentInfo_free(changed);
            CMS_ContentInfo_free(cms);
        }
        if (i == 0)
            first = s;
        assert_true(s.ret <= 0);
        assert_int_equal(s.ret, first.ret);
        assert_int_equal(s.error, first.error);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_recipients_read_with_and_without_their_certificate),
        cmocka_unit_test(a_block_of_an_attacker_does_not_disturb_the_other_recipient),
        cmocka_unit_test(bad_blocks_and_wrong_keys_fail_alike),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
