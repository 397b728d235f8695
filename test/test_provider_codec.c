/*
 * What bigmod lends to a library context that has no other provider: random bytes, decoders and
 * encoders. And that it lends nothing beside one that has them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <openssl/core_names.h>
#include <openssl/decoder.h>
#include <openssl/encoder.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/provider.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

static OSSL_LIB_CTX *peer, *alone; /* default alone; bigmod alone */
static OSSL_PROVIDER *peer_default, *bigmod;

/* Key types, one key of each, made by default. */
static struct {
    const char *type;
    EVP_PKEY *key;
} keys[] = {{"RSA", NULL}, {"RSA-PSS", NULL}, {"RSA-PSS", NULL}, {"ED25519", NULL}};
enum { MAX_KEYS = sizeof(keys) / sizeof(keys[0]), RESTRICTED_PSS = 2 };
static size_t num_keys; /* those whose type bigmod has */

static EVP_PKEY *
generate(const char *type, bool restricted)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(peer, type, NULL);
    EVP_PKEY *key = NULL;

    if (EVP_PKEY_keygen_init(ctx) <= 0)
        return NULL;
    if (type[0] == 'R' && EVP_PKEY_CTX_set_rsa_keygen_bits(ctx, 1024) <= 0)
        return NULL;
    if (restricted && (EVP_PKEY_CTX_set_rsa_pss_keygen_md_name(ctx, "SHA384", NULL) <= 0 ||
                       EVP_PKEY_CTX_set_rsa_pss_keygen_mgf1_md_name(ctx, "SHA256") <= 0 ||
                       EVP_PKEY_CTX_set_rsa_pss_keygen_saltlen(ctx, 17) <= 0))
        return NULL;
    EVP_PKEY_generate(ctx, &key);
    EVP_PKEY_CTX_free(ctx);
    return key;
}

static int
setup(void **state)
{
    (void)state;
    peer = OSSL_LIB_CTX_new();
    alone = OSSL_LIB_CTX_new();
    peer_default = OSSL_PROVIDER_load(peer, "default");
    bigmod = OSSL_PROVIDER_load(alone, "bigmod");
    if (bigmod == NULL) {
        ERR_print_errors_fp(stderr);
        return -1;
    }
    for (num_keys = 0; num_keys < MAX_KEYS; num_keys++) {
        EVP_KEYMGMT *keymgmt = EVP_KEYMGMT_fetch(alone, keys[num_keys].type, NULL);

        if (keymgmt == NULL)
            break;
        EVP_KEYMGMT_free(keymgmt);
        keys[num_keys].key = generate(keys[num_keys].type, num_keys == RESTRICTED_PSS);
        if (keys[num_keys].key == NULL)
            return -1;
    }
    return num_keys > 0 ? 0 : -1;
}

static int
teardown(void **state)
{
    (void)state;
    for (size_t i = 0; i < num_keys; i++)
        EVP_PKEY_free(keys[i].key);
    OSSL_PROVIDER_unload(bigmod);
    OSSL_PROVIDER_unload(peer_default);
    OSSL_LIB_CTX_free(alone);
    OSSL_LIB_CTX_free(peer);
    return 0;
}

/* ---- random bytes -------------------------------------------------------------------------- */

static void
random_bytes_come_where_bigmod_is_alone(void **state)
{
    uint8_t x[3][100000] = {{0}};
    size_t zeros = 0;
    EVP_RAND *rand = EVP_RAND_fetch(alone, "CTR-DRBG", NULL);

    (void)state;
    assert_non_null(rand);
    assert_string_equal(OSSL_PROVIDER_get0_name(EVP_RAND_get0_provider(rand)), "bigmod");
    EVP_RAND_free(rand);
    assert_int_equal(RAND_bytes_ex(alone, x[0], sizeof(x[0]), 0), 1);
    assert_int_equal(RAND_bytes_ex(alone, x[1], sizeof(x[1]), 256), 1);
    assert_int_equal(RAND_priv_bytes_ex(alone, x[2], sizeof(x[2]), 128), 1);
    assert_memory_not_equal(x[0], x[1], 32);
    assert_memory_not_equal(x[0], x[2], 32);
    for (size_t i = 0; i < sizeof(x[0]); i++)
        zeros += x[0][i] == 0;
    assert_in_range(zeros, 250, 550); /* 391 expected, deviation 20 */
}

/* FAILURES.md row 70 */
static void
random_bytes_differ_after_a_fork(void **state)
{
    uint8_t child[16], parent[16];
    int fds[2], status;
    pid_t pid;

    (void)state;
    assert_int_equal(RAND_bytes_ex(alone, parent, sizeof(parent), 0), 1);
    assert_int_equal(pipe(fds), 0);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        bool ok = RAND_bytes_ex(alone, child, sizeof(child), 0) == 1 &&
                  write(fds[1], child, sizeof(child)) == sizeof(child);

        _exit(ok ? 0 : 1);
    }
    assert_int_equal(RAND_bytes_ex(alone, parent, sizeof(parent), 0), 1);
    assert_int_equal(read(fds[0], child, sizeof(child)), sizeof(child));
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_memory_not_equal(parent, child, sizeof(parent));
    close(fds[0]);
    close(fds[1]);
}

/* ---- who offers what ----------------------------------------------------------------------- */

static bool
lends_random(OSSL_LIB_CTX *lib)
{
    EVP_RAND *rand = EVP_RAND_fetch(lib, "CTR-DRBG", "provider=bigmod");

    EVP_RAND_free(rand);
    return rand != NULL;
}

static bool
lends_decoders(OSSL_LIB_CTX *lib)
{
    OSSL_DECODER *decoder = OSSL_DECODER_fetch(lib, "RSA", "provider=bigmod");

    OSSL_DECODER_free(decoder);
    return decoder != NULL;
}

static bool
lends_encoders(OSSL_LIB_CTX *lib)
{
    OSSL_ENCODER *encoder = OSSL_ENCODER_fetch(lib, "RSA", "provider=bigmod");

    OSSL_ENCODER_free(encoder);
    return encoder != NULL;
}

/* FAILURES.md row 82: what is asked again is only what may change */
static void
nothing_is_lent_beside_a_provider_that_has_it(void **state)
{
    static const struct {
        const char *first, *second;
        bool random, codecs;
    } cases[] = {
        {"default", "bigmod", false, false}, {"bigmod", "default", false, false},
        {"bigmod", "base", true, false},     {"base", "bigmod", true, false},
        {"bigmod", "null", true, true},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        OSSL_LIB_CTX *lib = OSSL_LIB_CTX_new();
        OSSL_PROVIDER *first = OSSL_PROVIDER_load(lib, cases[i].first);
        OSSL_PROVIDER *second = OSSL_PROVIDER_load(lib, cases[i].second);

        assert_non_null(first);
        assert_non_null(second);
        for (int round = 0; round < 2; round++) {
            assert_int_equal(lends_random(lib), cases[i].random);
            assert_int_equal(lends_decoders(lib), cases[i].codecs);
            assert_int_equal(lends_encoders(lib), cases[i].codecs);
        }
        OSSL_PROVIDER_unload(second);
        OSSL_PROVIDER_unload(first);
        OSSL_LIB_CTX_free(lib);
    }
}

static void
lending_stops_when_default_is_loaded_later(void **state)
{
    OSSL_LIB_CTX *lib = OSSL_LIB_CTX_new();
    OSSL_PROVIDER *first = OSSL_PROVIDER_load(lib, "bigmod"), *second;
    uint8_t bytes[16];
    EVP_RAND *rand;

    (void)state;
    assert_true(lends_random(lib));
    assert_true(lends_decoders(lib));
    assert_true(lends_encoders(lib));
    second = OSSL_PROVIDER_load(lib, "default");
    assert_non_null(second);
    assert_false(lends_random(lib));
    assert_false(lends_decoders(lib));
    assert_false(lends_encoders(lib));
    rand = EVP_RAND_fetch(lib, "CTR-DRBG", NULL);
    assert_string_equal(OSSL_PROVIDER_get0_name(EVP_RAND_get0_provider(rand)), "default");
    EVP_RAND_free(rand);
    assert_int_equal(RAND_bytes_ex(lib, bytes, sizeof(bytes), 0), 1);
    OSSL_PROVIDER_unload(second);
    OSSL_PROVIDER_unload(first);
    OSSL_LIB_CTX_free(lib);
}

/* Two copies under two names ask each other: neither recurses, and keys still load. */
static void
two_copies_of_bigmod_do_not_ask_each_other_for_ever(void **state)
{
    OSSL_LIB_CTX *lib = OSSL_LIB_CTX_new();
    OSSL_PROVIDER *first = OSSL_PROVIDER_load(lib, "bigmod"), *second = NULL;
    const char *dir = getenv("OPENSSL_MODULES");
    char link_path[64], target[4096];
    uint8_t bytes[16];

    (void)state;
    snprintf(link_path, sizeof(link_path), "/tmp/bigmod-%ld", (long)getpid());
    assert_int_equal(mkdtemp(strcat(link_path, "-XXXXXX")) != NULL, 1);
    snprintf(target, sizeof(target), "%s/bigmod.so", dir != NULL ? dir : ".");
    strcat(link_path, "/again.so");
    assert_int_equal(symlink(target, link_path), 0);
    *strrchr(link_path, '/') = '\0';
    OSSL_PROVIDER_set_default_search_path(lib, link_path);
    second = OSSL_PROVIDER_load(lib, "again");
    assert_non_null(second);
    assert_int_equal(RAND_bytes_ex(lib, bytes, sizeof(bytes), 0), 1);
    assert_true(lends_decoders(lib));
    OSSL_PROVIDER_unload(second);
    OSSL_PROVIDER_unload(first);
    OSSL_LIB_CTX_free(lib);
    strcat(link_path, "/again.so");
    unlink(link_path);
    *strrchr(link_path, '/') = '\0';
    rmdir(link_path);
}

/* ---- forms of keys ------------------------------------------------------------------------- */

typedef struct key_form {
    const char *format, *structure;
    int selection;
    const char *passphrase; /* encrypted */
    bool rsa_only;
} key_form;

static const key_form forms[] = {
    {"DER", "PrivateKeyInfo", EVP_PKEY_KEYPAIR, NULL, false},
    {"PEM", "PrivateKeyInfo", EVP_PKEY_KEYPAIR, NULL, false},
    {"DER", "SubjectPublicKeyInfo", EVP_PKEY_PUBLIC_KEY, NULL, false},
    {"PEM", "SubjectPublicKeyInfo", EVP_PKEY_PUBLIC_KEY, NULL, false},
    {"DER", "EncryptedPrivateKeyInfo", EVP_PKEY_KEYPAIR, "word", false},
    {"PEM", "EncryptedPrivateKeyInfo", EVP_PKEY_KEYPAIR, "word", false},
    {"DER", "type-specific", EVP_PKEY_KEYPAIR, NULL, true},
    {"PEM", "type-specific", EVP_PKEY_KEYPAIR, NULL, true},
    {"DER", "type-specific", EVP_PKEY_PUBLIC_KEY, NULL, true},
    {"PEM", "type-specific", EVP_PKEY_PUBLIC_KEY, NULL, true},
};
enum { NUM_FORMS = sizeof(forms) / sizeof(forms[0]) };

static bool
has_form(size_t key, const key_form *f)
{
    return !f->rsa_only || strcmp(keys[key].type, "RSA") == 0;
}

static uint8_t *
encode(EVP_PKEY *key, const key_form *f, size_t *len)
{
    OSSL_ENCODER_CTX *ctx =
        OSSL_ENCODER_CTX_new_for_pkey(key, f->selection, f->format, f->structure, NULL);
    uint8_t *out = NULL;

    *len = 0;
    if (f->passphrase != NULL) {
        OSSL_ENCODER_CTX_set_cipher(ctx, "AES-128-CBC", NULL);
        OSSL_ENCODER_CTX_set_passphrase(ctx, (const unsigned char *)f->passphrase,
                                        strlen(f->passphrase));
    }
    if (!OSSL_ENCODER_to_data(ctx, &out, len))
        out = NULL;
    OSSL_ENCODER_CTX_free(ctx);
    return out;
}

static EVP_PKEY *
decode(OSSL_LIB_CTX *lib, const char *type, const char *format, const char *structure,
       const char *passphrase, const uint8_t *bytes, size_t len)
{
    EVP_PKEY *key = NULL;
    OSSL_DECODER_CTX *ctx =
        OSSL_DECODER_CTX_new_for_pkey(&key, format, structure, type, 0, lib, NULL);

    if (passphrase != NULL)
        OSSL_DECODER_CTX_set_passphrase(ctx, (const unsigned char *)passphrase, strlen(passphrase));
    if (!OSSL_DECODER_from_data(ctx, &bytes, &len)) {
        EVP_PKEY_free(key);
        key = NULL;
    }
    OSSL_DECODER_CTX_free(ctx);
    return key;
}

/* The key is bigmod's, and the same as keys[i]. */
static void
check_key(size_t i, EVP_PKEY *key, bool is_private)
{
    EVP_PKEY *reference = keys[i].key;

    assert_non_null(key);
    assert_true(EVP_PKEY_is_a(key, keys[i].type));
    assert_string_equal(OSSL_PROVIDER_get0_name(EVP_PKEY_get0_provider(key)), "bigmod");
    assert_int_equal(EVP_PKEY_eq(key, reference), 1);
    assert_int_equal(EVP_PKEY_eq(reference, key), 1);
    if (is_private) {
        const key_form pkcs8 = {"DER", "PrivateKeyInfo", EVP_PKEY_KEYPAIR, NULL, false};
        size_t len, want_len;
        uint8_t *want = encode(reference, &pkcs8, &want_len), *got = encode(key, &pkcs8, &len);

        assert_non_null(got);
        assert_int_equal(len, want_len);
        assert_memory_equal(got, want, len);
        OPENSSL_free(want);
        OPENSSL_free(got);
    }
}

static void
every_form_is_decoded_and_encoded_as_default_does(void **state)
{
    (void)state;
    for (size_t i = 0; i < num_keys; i++) {
        for (size_t j = 0; j < NUM_FORMS; j++) {
            const key_form *f = &forms[j];
            const bool is_private = f->selection == EVP_PKEY_KEYPAIR;
            size_t len, again_len;
            uint8_t *bytes, *again;
            EVP_PKEY *key, *guessed;

            if (!has_form(i, f))
                continue;
            bytes = encode(keys[i].key, f, &len);
            assert_non_null(bytes);
            key = decode(alone, keys[i].type, f->format, f->structure, f->passphrase, bytes, len);
            check_key(i, key, is_private);
            guessed = decode(alone, NULL, NULL, NULL, f->passphrase, bytes, len);
            check_key(i, guessed, is_private);
            EVP_PKEY_free(guessed);
            again = encode(key, f, &again_len);
            assert_non_null(again);
            if (f->passphrase == NULL) {
                assert_int_equal(again_len, len);
                assert_memory_equal(again, bytes, len);
            } else { /* salted: read it back */
                guessed = decode(peer, NULL, NULL, NULL, f->passphrase, again, again_len);
                assert_int_equal(EVP_PKEY_eq(guessed, keys[i].key), 1);
                EVP_PKEY_free(guessed);
                assert_null(decode(alone, NULL, NULL, NULL, "wrong", again, again_len));
            }
            EVP_PKEY_free(key);
            OPENSSL_free(bytes);
            OPENSSL_free(again);
        }
    }
}

static void
legacy_readers_find_the_decoders(void **state)
{
    (void)state;
    for (size_t i = 0; i < num_keys; i++) {
        const key_form pkcs8 = {"DER", "PrivateKeyInfo", EVP_PKEY_KEYPAIR, NULL, false};
        const key_form pem = {"PEM", "PrivateKeyInfo", EVP_PKEY_KEYPAIR, NULL, false};
        const key_form spki = {"DER", "SubjectPublicKeyInfo", EVP_PKEY_PUBLIC_KEY, NULL, false};
        size_t len;
        uint8_t *bytes = encode(keys[i].key, &pkcs8, &len);
        const uint8_t *at = bytes;
        EVP_PKEY *key = d2i_AutoPrivateKey_ex(NULL, &at, (long)len, alone, NULL);
        BIO *bio;

        check_key(i, key, true);
        EVP_PKEY_free(key);
        OPENSSL_free(bytes);

        bytes = encode(keys[i].key, &spki, &len);
        at = bytes;
        key = d2i_PUBKEY_ex(NULL, &at, (long)len, alone, NULL);
        check_key(i, key, false);
        EVP_PKEY_free(key);
        OPENSSL_free(bytes);

        /* Two keys in one file: reading one leaves the other. */
        bytes = encode(keys[i].key, &pem, &len);
        bio = BIO_new(BIO_s_mem());
        BIO_write(bio, bytes, (int)len);
        BIO_write(bio, bytes, (int)len);
        for (int round = 0; round < 2; round++) {
            key = PEM_read_bio_PrivateKey_ex(bio, NULL, NULL, NULL, alone, NULL);
            check_key(i, key, true);
            EVP_PKEY_free(key);
        }
        assert_null(PEM_read_bio_PrivateKey_ex(bio, NULL, NULL, NULL, alone, NULL));
        BIO_free(bio);
        OPENSSL_free(bytes);
    }
}

/* FAILURES.md row 85 */
static void
object_identifiers_are_read_strictly(void **state)
{
    static const char *const structures[] = {"PrivateKeyInfo", "SubjectPublicKeyInfo"};

    (void)state;
    for (size_t i = 0; i < num_keys; i++) {
        for (size_t s = 0; s < 2; s++) {
            const key_form f = {"DER", structures[s],
                                s == 0 ? EVP_PKEY_KEYPAIR : EVP_PKEY_PUBLIC_KEY, NULL, false};
            size_t len;
            uint8_t *bytes = encode(keys[i].key, &f, &len);

            for (size_t j = 0; j < num_keys; j++) {
                EVP_PKEY *key = decode(alone, keys[j].type, "DER", structures[s], NULL, bytes, len);

                assert_int_equal(key != NULL, strcmp(keys[i].type, keys[j].type) == 0);
                EVP_PKEY_free(key);
            }
            OPENSSL_free(bytes);
        }
    }
}

static void
cut_and_flipped_encodings_are_refused_or_are_another_key(void **state)
{
    const key_form pkcs8 = {"DER", "PrivateKeyInfo", EVP_PKEY_KEYPAIR, NULL, false};
    const key_form spki = {"DER", "SubjectPublicKeyInfo", EVP_PKEY_PUBLIC_KEY, NULL, false};

    const char *other = getenv("OTHER_LIBCRYPTO");
    bool other_libcrypto = other != NULL && *other != '\0'; /* bigmod's is not ours: versions.sh */

    (void)state;
    for (size_t i = 0; i < num_keys; i++) {
        for (int s = 0; s < 2; s++) {
            size_t len;
            uint8_t *bytes = encode(keys[i].key, s == 0 ? &pkcs8 : &spki, &len);

            for (size_t cut = 0; cut < len; cut += 1 + len / 40)
                assert_null(decode(alone, NULL, "DER", NULL, NULL, bytes, cut));
            for (size_t at = 0; at < len; at += 1 + len / 60) {
                EVP_PKEY *key, *theirs;

                bytes[at] ^= 0x21;
                key = decode(alone, keys[i].type, "DER", NULL, NULL, bytes, len);
                theirs = decode(peer, keys[i].type, "DER", NULL, NULL, bytes, len);
                if (!other_libcrypto) /* whose DER code may be stricter, or laxer */
                    assert_int_equal(key != NULL, theirs != NULL);
                EVP_PKEY_free(key);
                EVP_PKEY_free(theirs);
                bytes[at] ^= 0x21;
            }
            OPENSSL_free(bytes);
        }
    }
}

/* ---- work with bigmod alone ---------------------------------------------------------------- */

static void
bigmod_alone_signs_encrypts_and_prints(void **state)
{
    const key_form pkcs8 = {"DER", "PrivateKeyInfo", EVP_PKEY_KEYPAIR, NULL, false};
    static const uint8_t text[] = "as long as MD5-SHA1, which speed signs";
    uint8_t sig[128], c[128], m[128];
    size_t len;
    uint8_t *bytes = encode(keys[0].key, &pkcs8, &len);
    EVP_PKEY *key = decode(alone, "RSA", "DER", NULL, NULL, bytes, len);
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(alone, key, NULL);
    BIO *bio = BIO_new(BIO_s_mem());
    char line[64];

    (void)state;
    OPENSSL_free(bytes);
    assert_int_equal(EVP_PKEY_encrypt_init(ctx), 1);
    assert_true(EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_PKCS1_OAEP_PADDING) > 0);
    len = sizeof(c);
    assert_int_equal(EVP_PKEY_encrypt(ctx, c, &len, text, 5), 1);
    assert_int_equal(EVP_PKEY_decrypt_init(ctx), 1);
    assert_true(EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_PKCS1_OAEP_PADDING) > 0);
    assert_int_equal(EVP_PKEY_decrypt(ctx, m, &len, c, sizeof(c)), 1);
    assert_int_equal(len, 5);
    assert_memory_equal(m, text, 5);

    len = sizeof(sig);
    assert_int_equal(EVP_PKEY_sign_init(ctx), 1);
    assert_int_equal(EVP_PKEY_sign(ctx, sig, &len, text, 36), 1);
    assert_int_equal(EVP_PKEY_verify_init(ctx), 1);
    assert_int_equal(EVP_PKEY_verify(ctx, sig, len, text, 36), 1);
    EVP_PKEY_CTX_free(ctx);

    assert_int_equal(EVP_PKEY_print_private(bio, key, 0, NULL), 1);
    assert_true(BIO_gets(bio, line, sizeof(line)) > 0);
    assert_non_null(strstr(line, "1024 bit"));
    BIO_free(bio);
    EVP_PKEY_free(key);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_bytes_come_where_bigmod_is_alone),
        cmocka_unit_test(random_bytes_differ_after_a_fork),
        cmocka_unit_test(nothing_is_lent_beside_a_provider_that_has_it),
        cmocka_unit_test(lending_stops_when_default_is_loaded_later),
        cmocka_unit_test(two_copies_of_bigmod_do_not_ask_each_other_for_ever),
        cmocka_unit_test(every_form_is_decoded_and_encoded_as_default_does),
        cmocka_unit_test(legacy_readers_find_the_decoders),
        cmocka_unit_test(object_identifiers_are_read_strictly),
        cmocka_unit_test(cut_and_flipped_encodings_are_refused_or_are_another_key),
        cmocka_unit_test(bigmod_alone_signs_encrypts_and_prints),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
