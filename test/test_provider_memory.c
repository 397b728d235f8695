/*
 * Memory: every allocation of bigmod fails in turn, in every operation, and nothing secret is left
 * behind, neither in freed memory nor on the stack (FAILURES.md rows 72, 75).
 *
 * libcrypto's allocator is replaced by one that knows which source file asks. A block that bigmod
 * frees is searched for the secrets before it goes; each operation runs on a stack of its own,
 * which is searched after it. Leaks are LeakSanitizer's, in the sanitizer build of `check`.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/provider.h>
#include <openssl/rsa.h>

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "support.h"

enum { BITS = 1024, K = BITS / 8, WINDOW = 16, MAX_SECRETS = 32, STACK = 1 << 20 };

/* ---- the allocator
 * -------------------------------------------------------------------------------- */

typedef struct block {
    size_t len;
    bool ours; /* allocated by a file of bigmod's provider/ */
    bool pad;
} __attribute__((aligned(16))) block;

static size_t count, fail_at; /* allocations in this operation; the one to refuse, or 0 */
static bool count_all;        /* libcrypto's own too, not bigmod's alone */
static bool searching;
static size_t found;

static struct secret {
    const char *name;
    uint8_t bytes[K];
    size_t len;
} secrets[MAX_SECRETS];
static size_t num_secrets;

/* Whether memory holds 16 successive bytes of a secret, as bytes or as limbs. */
static const char *
holds_secret(const uint8_t *bytes, size_t len)
{
    for (size_t s = 0; s < num_secrets; s++) {
        for (size_t at = 0; at + WINDOW <= secrets[s].len; at += 8) {
            if (memmem(bytes, len, secrets[s].bytes + at, WINDOW) != NULL)
                return secrets[s].name;
        }
    }
    return NULL;
}

static bool
is_ours(const char *file)
{
    return file != NULL && strstr(file, "provider/") != NULL && strstr(file, "providers/") == NULL;
}

static void *
allocate(size_t len, const char *file, int line)
{
    block *b;

    (void)line;
    if ((count_all || is_ours(file)) && ++count == fail_at)
        return NULL;
    b = malloc(sizeof(*b) + len);
    if (b == NULL)
        return NULL;
    b->len = len;
    b->ours = is_ours(file);
    return b + 1;
}

static void
release(void *p, const char *file, int line)
{
    block *b = (block *)p - 1;
    const char *name;

    if (p == NULL)
        return;
    if (searching && b->ours && (name = holds_secret(p, b->len)) != NULL) {
        printf("    freed with %s in it: %zu bytes, %s:%d\n", name, b->len, file, line);
        found++;
    }
    free(b);
}

static void *
reallocate(void *p, size_t len, const char *file, int line)
{
    block *b = (block *)p - 1;
    void *q;

    if (p == NULL)
        return allocate(len, file, line);
    q = allocate(len, file, line);
    if (q != NULL) {
        memcpy(q, p, b->len < len ? b->len : len);
        release(p, file, line);
    }
    return q;
}

/* ---- keys and secrets
 * ------------------------------------------------------------------------------ */

static OSSL_LIB_CTX *lib;
static OSSL_PARAM *rsa_params, *ed_params;
static EVP_PKEY *rsa, *ed;
static uint8_t rsa_signature[K], rsa_ciphertext[2][K], ed_signature[64], digest[32];

static void
add_secret(const char *name, const uint8_t *bytes, size_t len, bool reversed)
{
    struct secret *s = &secrets[num_secrets++];

    assert_true(num_secrets <= MAX_SECRETS && len <= K);
    s->name = name;
    s->len = len;
    for (size_t i = 0; i < len; i++)
        s->bytes[i] = bytes[reversed ? len - 1 - i : i];
}

static EVP_PKEY *
import(const char *type, OSSL_PARAM *params)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(lib, type, "?provider=bigmod");
    EVP_PKEY *key = NULL;

    if (ctx == NULL || EVP_PKEY_fromdata_init(ctx) <= 0 ||
        EVP_PKEY_fromdata(ctx, &key, EVP_PKEY_KEYPAIR, params) <= 0)
        key = NULL;
    EVP_PKEY_CTX_free(ctx);
    return key;
}

static OSSL_PARAM *
make(const char *type, int bits)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(lib, type, "provider=default");
    EVP_PKEY *key = NULL;
    OSSL_PARAM *params = NULL;

    assert_true(EVP_PKEY_keygen_init(ctx) > 0);
    if (bits != 0)
        assert_true(EVP_PKEY_CTX_set_rsa_keygen_bits(ctx, bits) > 0);
    assert_true(EVP_PKEY_generate(ctx, &key) > 0);
    assert_true(EVP_PKEY_todata(key, EVP_PKEY_KEYPAIR, &params) > 0);
    EVP_PKEY_free(key);
    EVP_PKEY_CTX_free(ctx);
    return params;
}

static void
make_keys(void)
{
    static const char *const parts[] = {
        OSSL_PKEY_PARAM_RSA_D,         OSSL_PKEY_PARAM_RSA_FACTOR1,
        OSSL_PKEY_PARAM_RSA_FACTOR2,   OSSL_PKEY_PARAM_RSA_EXPONENT1,
        OSSL_PKEY_PARAM_RSA_EXPONENT2, OSSL_PKEY_PARAM_RSA_COEFFICIENT1};
    OSSL_PARAM *p;
    uint8_t hash[64];

    rsa_params = make("RSA", BITS);
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        p = OSSL_PARAM_locate(rsa_params, parts[i]);
        assert_non_null(p);
        add_secret(parts[i], p->data, p->data_size, false); /* little-endian: limbs */
        add_secret(parts[i], p->data, p->data_size, true);
    }
    ed_params = make("ED25519", 0);
    p = OSSL_PARAM_locate(ed_params, OSSL_PKEY_PARAM_PRIV_KEY);
    assert_non_null(p);
    add_secret("the seed", p->data, p->data_size, false);
    assert_true(EVP_Digest(p->data, p->data_size, hash, NULL, EVP_sha512(), NULL) > 0);
    add_secret("the nonce prefix", hash + 32, 32, false);
    hash[0] &= 248;
    hash[31] = (hash[31] & 127) | 64;
    add_secret("the secret scalar", hash, 32, false);
    rsa = import("RSA", rsa_params);
    ed = import("ED25519", ed_params);
    assert_non_null(rsa);
    assert_non_null(ed);
}

/* ---- operations: true when they succeed
 * ------------------------------------------------------------- */

static uint8_t output[2 * K];

static bool
op_import_rsa(void)
{
    EVP_PKEY *key = import("RSA", rsa_params);
    bool ok = key != NULL;

    EVP_PKEY_free(key);
    return ok;
}

static bool
op_import_ed25519(void)
{
    EVP_PKEY *key = import("ED25519", ed_params);
    bool ok = key != NULL;

    EVP_PKEY_free(key);
    return ok;
}

static bool
sign(int padding)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(lib, rsa, "?provider=bigmod");
    size_t len = sizeof(output);
    bool ok = ctx != NULL && EVP_PKEY_sign_init(ctx) > 0 &&
              EVP_PKEY_CTX_set_rsa_padding(ctx, padding) > 0 &&
              EVP_PKEY_CTX_set_signature_md(ctx, EVP_sha256()) > 0 &&
              EVP_PKEY_sign(ctx, output, &len, digest, sizeof(digest)) > 0;

    EVP_PKEY_CTX_free(ctx);
    if (ok && padding == RSA_PKCS1_PADDING)
        assert_memory_equal(output, rsa_signature, K);
    return ok;
}

static bool
op_sign_pkcs1(void)
{
    return sign(RSA_PKCS1_PADDING);
}

static bool
op_sign_pss(void)
{
    return sign(RSA_PKCS1_PSS_PADDING);
}

static bool
op_verify(void)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(lib, rsa, "?provider=bigmod");
    bool ok = ctx != NULL && EVP_PKEY_verify_init(ctx) > 0 &&
              EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_PKCS1_PADDING) > 0 &&
              EVP_PKEY_CTX_set_signature_md(ctx, EVP_sha256()) > 0 &&
              EVP_PKEY_verify(ctx, rsa_signature, K, digest, sizeof(digest)) > 0;

    EVP_PKEY_CTX_free(ctx);
    return ok;
}

static bool
op_digest_sign(void)
{
    EVP_MD_CTX *md = EVP_MD_CTX_new(), *copy = EVP_MD_CTX_new();
    size_t len = sizeof(output);
    bool ok = md != NULL && copy != NULL &&
              EVP_DigestSignInit_ex(md, NULL, "SHA256", lib, "?provider=bigmod", rsa, NULL) > 0 &&
              EVP_DigestSignUpdate(md, "message", 7) > 0 && EVP_MD_CTX_copy_ex(copy, md) > 0 &&
              EVP_DigestSignFinal(copy, output, &len) > 0;

    EVP_MD_CTX_free(md);
    EVP_MD_CTX_free(copy);
    return ok;
}

static bool
decrypt(int which)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(lib, rsa, "?provider=bigmod");
    size_t len = sizeof(output);
    bool ok =
        ctx != NULL && EVP_PKEY_decrypt_init(ctx) > 0 &&
        EVP_PKEY_CTX_set_rsa_padding(ctx, which ? RSA_PKCS1_OAEP_PADDING : RSA_PKCS1_PADDING) > 0 &&
        EVP_PKEY_decrypt(ctx, output, &len, rsa_ciphertext[which], K) > 0;

    EVP_PKEY_CTX_free(ctx);
    if (ok)
        assert_memory_equal(output, digest, sizeof(digest));
    return ok;
}

static bool
op_decrypt_pkcs1(void)
{
    return decrypt(0);
}

static bool
op_decrypt_oaep(void)
{
    return decrypt(1);
}

static bool
encrypt(int which, uint8_t *out)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(lib, rsa, "?provider=bigmod");
    size_t len = K;
    bool ok =
        ctx != NULL && EVP_PKEY_encrypt_init(ctx) > 0 &&
        EVP_PKEY_CTX_set_rsa_padding(ctx, which ? RSA_PKCS1_OAEP_PADDING : RSA_PKCS1_PADDING) > 0 &&
        EVP_PKEY_encrypt(ctx, out, &len, digest, sizeof(digest)) > 0;

    EVP_PKEY_CTX_free(ctx);
    return ok;
}

static bool
op_encrypt_oaep(void)
{
    return encrypt(1, output);
}

static bool
op_dup_export(void)
{
    EVP_PKEY *copy = EVP_PKEY_dup(rsa);
    OSSL_PARAM *params = NULL;
    bool ok = copy != NULL && EVP_PKEY_todata(copy, EVP_PKEY_KEYPAIR, &params) > 0 &&
              EVP_PKEY_eq(copy, rsa) == 1;

    for (OSSL_PARAM *p = params; p != NULL && p->key != NULL; p++)
        OPENSSL_cleanse(p->data, p->data_size);
    OSSL_PARAM_free(params);
    EVP_PKEY_free(copy);
    return ok;
}

static bool
generate(const char *type, int bits)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(lib, type, "?provider=bigmod");
    EVP_PKEY *key = NULL;
    bool ok = ctx != NULL && EVP_PKEY_keygen_init(ctx) > 0 &&
              (bits == 0 || EVP_PKEY_CTX_set_rsa_keygen_bits(ctx, bits) > 0) &&
              EVP_PKEY_generate(ctx, &key) > 0;

    EVP_PKEY_CTX_free(ctx);
    EVP_PKEY_free(key);
    return ok;
}

static bool
op_generate_rsa(void)
{
    return generate("RSA", 512);
}

static bool
op_generate_ed25519(void)
{
    return generate("ED25519", 0);
}

static bool
op_ed25519_sign(void)
{
    EVP_MD_CTX *md = EVP_MD_CTX_new();
    size_t len = sizeof(output);
    bool ok = md != NULL &&
              EVP_DigestSignInit_ex(md, NULL, NULL, lib, "?provider=bigmod", ed, NULL) > 0 &&
              EVP_DigestSign(md, output, &len, digest, sizeof(digest)) > 0;

    EVP_MD_CTX_free(md);
    if (ok)
        assert_memory_equal(output, ed_signature, 64);
    return ok;
}

static bool
op_ed25519_verify(void)
{
    EVP_MD_CTX *md = EVP_MD_CTX_new();
    bool ok = md != NULL &&
              EVP_DigestVerifyInit_ex(md, NULL, NULL, lib, "?provider=bigmod", ed, NULL) > 0 &&
              EVP_DigestVerify(md, ed_signature, 64, digest, sizeof(digest)) > 0;

    EVP_MD_CTX_free(md);
    return ok;
}

/* Loading and unloading the provider itself. */
static bool
op_load(void)
{
    OSSL_LIB_CTX *other = OSSL_LIB_CTX_new();
    OSSL_PROVIDER *p = other == NULL ? NULL : OSSL_PROVIDER_load(other, "bigmod");
    bool ok = p != NULL;

    OSSL_PROVIDER_unload(p);
    OSSL_LIB_CTX_free(other);
    return ok;
}

static const struct op {
    const char *name;
    bool (*run)(void);
    bool search_stack; /* the work is ours alone: libcrypto copies numbers around in the others */
} ops[] = {
    {"import RSA", op_import_rsa, false},
    {"import Ed25519", op_import_ed25519, false},
    {"sign PKCS#1", op_sign_pkcs1, true},
    {"sign PSS", op_sign_pss, true},
    {"verify", op_verify, true},
    {"digest-sign with a copied context", op_digest_sign, true},
    {"decrypt PKCS#1", op_decrypt_pkcs1, true},
    {"decrypt OAEP", op_decrypt_oaep, true},
    {"encrypt OAEP", op_encrypt_oaep, true},
    {"dup, export, compare", op_dup_export, false},
    {"generate RSA", op_generate_rsa, false},
    {"generate Ed25519", op_generate_ed25519, false},
    {"Ed25519 sign", op_ed25519_sign, true},
    {"Ed25519 verify", op_ed25519_verify, true},
    {"load", op_load, false},
};
enum { OPS = sizeof(ops) / sizeof(ops[0]) };

/* ---- every allocation fails in turn
 * ------------------------------------------------------------------ */

static void
fail_each_allocation(void)
{
    for (size_t i = 0; i < OPS; i++) {
        size_t n = 0;
        bool ok;

        /* OSSL_LIB_CTX_new_child() of libcrypto 3.0 crashes when one of its own allocations fails
         */
        if (count_all && ops[i].run == op_load)
            continue;
        do {
            count = 0;
            fail_at = ++n;
            memset(output, 0xA5, sizeof(output));
            ok = ops[i].run();
            fail_at = 0;
            if (!ok) {
                for (size_t j = 0; j < sizeof(output); j++)
                    assert_true(output[j] == 0xA5 || output[j] == 0); /* row 47 */
            }
            ERR_clear_error();
        } while (count >= n);
        if (!ok) /* with nothing refused it works again */
            fail_msg("%s does not work", ops[i].name);
        printf("%s: %zu allocations\n", ops[i].name, n - 1);
    }
}

static void
a_failed_allocation_is_an_error(void **state)
{
    (void)state;
    found = 0;
    searching = true; /* what is freed on the way out of an error is wiped, too */
    fail_each_allocation();
    searching = false;
    assert_int_equal(found, 0);
}

/* The same for what libcrypto allocates around us and for us: contexts, digests, parameters. */
static void
a_failed_allocation_in_libcrypto_is_an_error(void **state)
{
    (void)state;
    if (UNDER_ASAN)
        skip(); /* libcrypto itself leaks when it fails */
    count_all = true;
    fail_each_allocation();
    count_all = false;
}

/* ---- nothing secret stays
 * -------------------------------------------------------------------------- */

static void *
run_on_thread(void *arg)
{
    const struct op *op = arg;

    return op->run() ? arg : NULL;
}

static void
nothing_secret_stays(void **state)
{
    uint8_t *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    (void)state;
    assert_true(stack != MAP_FAILED);
    found = 0;
    searching = true;
    for (size_t i = 0; i < OPS; i++) {
        pthread_attr_t attr;
        pthread_t thread;
        const char *name;
        void *ok;

        memset(stack, 0, STACK);
        pthread_attr_init(&attr);
        assert_int_equal(pthread_attr_setstack(&attr, stack, STACK), 0);
        assert_int_equal(pthread_create(&thread, &attr, run_on_thread, (void *)(uintptr_t)&ops[i]),
                         0);
        pthread_join(thread, &ok);
        pthread_attr_destroy(&attr);
        if (ok == NULL) {
            ERR_print_errors_fp(stderr);
            fail_msg("%s does not work", ops[i].name);
        }
        name = holds_secret(stack, STACK);
        if (ops[i].search_stack && name != NULL) {
            printf("    %s leaves %s on the stack\n", ops[i].name, name);
            found++;
        }
    }
    searching = false;
    munmap(stack, STACK);
    assert_int_equal(found, 0);
}

/* The search itself: a planted secret in freed memory and on a stack is found. */
static void
the_search_finds_a_planted_secret(void **state)
{
    uint8_t copy[3 * WINDOW] = {0};
    void *p = allocate(100, "../provider/planted.c", 1);

    (void)state;
    memcpy(copy + 3, secrets[0].bytes + 8, WINDOW);
    assert_non_null(holds_secret(copy, sizeof(copy)));
    copy[3 + WINDOW - 1] ^= 1;
    assert_null(holds_secret(copy, sizeof(copy)));
    memcpy(p, secrets[1].bytes, WINDOW);
    found = 0;
    searching = true;
    release(p, "planted", 1);
    searching = false;
    assert_int_equal(found, 1);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_search_finds_a_planted_secret),
        cmocka_unit_test(a_failed_allocation_is_an_error),
        cmocka_unit_test(a_failed_allocation_in_libcrypto_is_an_error),
        cmocka_unit_test(nothing_secret_stays),
    };
    OSSL_PROVIDER *theirs, *ours;
    size_t len;
    int failed;

    if (!CRYPTO_set_mem_functions(allocate, reallocate, release))
        return 2;
    lib = OSSL_LIB_CTX_new();
    theirs = OSSL_PROVIDER_load(lib, "default");
    ours = OSSL_PROVIDER_load(lib, "bigmod");
    if (theirs == NULL || ours == NULL) {
        ERR_print_errors_fp(stderr);
        return 2;
    }
    make_keys();
    memset(digest, 7, sizeof(digest));
    {
        EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(lib, rsa, NULL);

        len = K;
        assert_true(EVP_PKEY_sign_init(ctx) > 0 &&
                    EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_PKCS1_PADDING) > 0 &&
                    EVP_PKEY_CTX_set_signature_md(ctx, EVP_sha256()) > 0 &&
                    EVP_PKEY_sign(ctx, rsa_signature, &len, digest, sizeof(digest)) > 0);
        EVP_PKEY_CTX_free(ctx);
    }
    assert_true(encrypt(0, rsa_ciphertext[0]) && encrypt(1, rsa_ciphertext[1]));
    {
        EVP_MD_CTX *md = EVP_MD_CTX_new();

        len = 64;
        assert_true(EVP_DigestSignInit_ex(md, NULL, NULL, lib, NULL, ed, NULL) > 0 &&
                    EVP_DigestSign(md, ed_signature, &len, digest, sizeof(digest)) > 0);
        EVP_MD_CTX_free(md);
    }
    failed = cmocka_run_group_tests_name("memory", tests, NULL, NULL);
    EVP_PKEY_free(rsa);
    EVP_PKEY_free(ed);
    OSSL_PARAM_free(rsa_params);
    OSSL_PARAM_free(ed_params);
    OSSL_PROVIDER_unload(ours);
    OSSL_PROVIDER_unload(theirs);
    OSSL_LIB_CTX_free(lib);
    return failed;
}
