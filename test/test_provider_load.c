/*
 * Loading bigmod: configuration, parameters, counters, property queries, memory. Rows are those of
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
#include <openssl/provider.h>
#include <openssl/rsa.h>

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support.h"

#define BIGMOD "provider=bigmod"
#define DEFAULT "provider=default"
#define LENGTH_OF(array) (sizeof(array) / sizeof((array)[0]))

enum { SIG_LEN = 128 };

static const uint8_t digest[32] = {1, 2, 3};

/* ---- memory, counted and refused ---- */

/*
 * Counts calls of libcrypto's allocator; with fail_at n, the n-th from now fails (0: none), or with
 * ours_only the n-th that the provider's own code makes.
 */
static _Thread_local long allocations, fail_at;
static _Thread_local bool ours_only;
static long live;

static bool
refused(const char *file)
{
    allocations++;
    if (ours_only && (file == NULL || strstr(file, "/provider/") == NULL))
        return false;
    return fail_at > 0 && --fail_at == 0;
}

static void *
counted_malloc(size_t len, const char *file, int line)
{
    void *p;

    (void)line;
    if (refused(file) || (p = malloc(len)) == NULL)
        return NULL;
    __atomic_add_fetch(&live, 1, __ATOMIC_RELAXED);
    return p;
}

static void
counted_free(void *p, const char *file, int line)
{
    (void)file;
    (void)line;
    if (p != NULL)
        __atomic_sub_fetch(&live, 1, __ATOMIC_RELAXED);
    free(p);
}

static void *
counted_realloc(void *p, size_t len, const char *file, int line)
{
    if (p == NULL)
        return counted_malloc(len, file, line);
    if (len == 0) {
        counted_free(p, file, line);
        return NULL;
    }
    return refused(file) ? NULL : realloc(p, len);
}

/* ---- help ---- */

static OSSL_PROVIDER *found;

static int
take_bigmod(OSSL_PROVIDER *provider, void *arg)
{
    (void)arg;
    if (strcmp(OSSL_PROVIDER_get0_name(provider), "bigmod") == 0)
        found = provider;
    return 1;
}

static OSSL_PROVIDER *
provider_of(OSSL_LIB_CTX *lib)
{
    found = NULL;
    OSSL_PROVIDER_do_all(lib, take_bigmod, NULL);
    assert_non_null(found);
    return found;
}

static uint64_t
counter(OSSL_LIB_CTX *lib, const char *name)
{
    uint64_t value = UINT64_MAX;
    OSSL_PARAM params[] = {OSSL_PARAM_uint64(name, &value), OSSL_PARAM_END};

    assert_true(OSSL_PROVIDER_get_params(provider_of(lib), params));
    assert_true(OSSL_PARAM_modified(params));
    return value;
}

static const char *
text(OSSL_LIB_CTX *lib, const char *name)
{
    char *value = NULL;
    OSSL_PARAM params[] = {OSSL_PARAM_utf8_ptr(name, &value, 0), OSSL_PARAM_END};

    assert_true(OSSL_PROVIDER_get_params(provider_of(lib), params));
    assert_non_null(value);
    return value;
}

/* The numbers of one RSA key for all tests, made by the default provider. */
static OSSL_PARAM *numbers;

static EVP_PKEY *
import(OSSL_LIB_CTX *lib, const char *propq)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(lib, "RSA", propq);
    EVP_PKEY *key = NULL;

    if (ctx != NULL && EVP_PKEY_fromdata_init(ctx) > 0)
        (void)EVP_PKEY_fromdata(ctx, &key, EVP_PKEY_KEYPAIR, numbers);
    EVP_PKEY_CTX_free(ctx);
    return key;
}

static bool
sign(OSSL_LIB_CTX *lib, EVP_PKEY *key, const char *propq, uint8_t sig[SIG_LEN])
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(lib, key, propq);
    size_t len = SIG_LEN;
    bool ok = ctx != NULL && EVP_PKEY_sign_init(ctx) > 0 &&
              EVP_PKEY_CTX_set_signature_md(ctx, EVP_sha256()) > 0 &&
              EVP_PKEY_sign(ctx, sig, &len, digest, sizeof(digest)) > 0 && len == SIG_LEN;

    EVP_PKEY_CTX_free(ctx);
    return ok;
}

static bool
verify(OSSL_LIB_CTX *lib, EVP_PKEY *key, const char *propq, const uint8_t sig[SIG_LEN])
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(lib, key, propq);
    bool ok = ctx != NULL && EVP_PKEY_verify_init(ctx) > 0 &&
              EVP_PKEY_CTX_set_signature_md(ctx, EVP_sha256()) > 0 &&
              EVP_PKEY_verify(ctx, sig, SIG_LEN, digest, sizeof(digest)) == 1;

    EVP_PKEY_CTX_free(ctx);
    return ok;
}

static int
setup(void **state)
{
    EVP_PKEY *key = EVP_PKEY_Q_keygen(NULL, NULL, "RSA", (size_t)1024);

    (void)state;
    if (key == NULL || EVP_PKEY_todata(key, EVP_PKEY_KEYPAIR, &numbers) <= 0)
        return -1;
    EVP_PKEY_free(key);
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    OSSL_PARAM_free(numbers);
    return 0;
}

/* ---- parameters and configuration ---- */

static void
the_provider_says_what_it_is(void **state)
{
    OSSL_LIB_CTX *lib = load_bigmod(NULL, NULL);
    int status = 0;
    OSSL_PARAM params[] = {OSSL_PARAM_int("status", &status), OSSL_PARAM_END};

    (void)state;
    assert_non_null(lib);
    assert_non_null(strstr(text(lib, "name"), "bigmod"));
    assert_true(strlen(text(lib, "version")) > 0);
    assert_non_null(strstr(text(lib, "buildinfo"), text(lib, "version")));
    assert_non_null(strstr(text(lib, "buildinfo"), text(lib, "kernels")));
    assert_non_null(strstr(text(lib, "buildinfo"), "2048"));
    assert_true(OSSL_PROVIDER_get_params(provider_of(lib), params));
    assert_int_equal(status, 1);
    for (const OSSL_PARAM *p = OSSL_PROVIDER_gettable_params(provider_of(lib)); p->key != NULL;
         p++) {
        if (strncmp(p->key, "bigmod-", 7) == 0)
            assert_int_equal(counter(lib, p->key), 0);
    }
    OSSL_LIB_CTX_free(lib);
}

/* Row 18: forced kernels are the ones that run; each signs as the default provider does. */
static void
every_kernel_set_that_loads_signs_the_same(void **state)
{
    static const char *const names[] = {"auto", "portable", "amd64", "adx", "ifma", "arm64"};
    uint8_t want[SIG_LEN], sig[SIG_LEN];
    EVP_PKEY *key = import(NULL, DEFAULT);
    int loaded = 0;

    (void)state;
    assert_true(sign(NULL, key, DEFAULT, want));
    EVP_PKEY_free(key);
    for (size_t i = 0; i < LENGTH_OF(names); i++) {
        OSSL_LIB_CTX *lib = load_bigmod(NULL, names[i]);

        if (lib == NULL) {
            assert_true(i > 1); /* auto and portable always load */
            continue;
        }
        loaded++;
        if (i > 0)
            assert_string_equal(text(lib, "kernels"), names[i]);
        key = import(lib, BIGMOD);
        assert_true(sign(lib, key, BIGMOD, sig));
        assert_memory_equal(sig, want, SIG_LEN);
        assert_true(verify(lib, key, BIGMOD, sig));
        EVP_PKEY_free(key);
        assert_int_equal(counter(lib, "bigmod-rsa-sign"), 1);
        assert_int_equal(counter(lib, "bigmod-rsa-verify"), 1);
        assert_int_equal(counter(lib, "bigmod-rsa-import"), 1);
        OSSL_LIB_CTX_free(lib);
    }
    assert_true(loaded >= 2);
}

/* A library context whose configuration names bigmod's kernels and loads nothing by itself. */
static OSSL_LIB_CTX *
configure(const char *kernels)
{
    char path[] = "/tmp/bigmod-test-XXXXXX";
    int fd = mkstemp(path);
    FILE *f = fdopen(fd, "w");
    OSSL_LIB_CTX *lib = OSSL_LIB_CTX_new();

    assert_non_null(f);
    fprintf(f,
            "openssl_conf = init\n[init]\nproviders = providers\n[providers]\n"
            "bigmod = bigmod_section\n[bigmod_section]\nkernels = %s\n",
            kernels);
    fclose(f);
    assert_true(OSSL_LIB_CTX_load_config(lib, path));
    unlink(path);
    return lib;
}

/*
 * Row 72: a name that is unknown, or of another processor, is an error on the queue, and nothing is
 * left over. (A section that says `activate = 1` does not load either, but libcrypto drops the
 * errors of that.)
 */
static void
wrong_kernels_keep_the_provider_from_loading(void **state)
{
    static const char *const names[] = {"nonsense", "AUTO", "auto ifma", "portable2",
#ifdef __x86_64__
                                        "arm64"
#else
                                        "adx"
#endif
    };
    OSSL_LIB_CTX *lib;
    OSSL_PROVIDER *provider;

    (void)state;
    for (size_t i = 0; i < LENGTH_OF(names); i++) {
        bool ours = false;
        const char *data = NULL;
        int flags = 0;

        lib = configure(names[i]);
        ERR_clear_error();
        assert_null(OSSL_PROVIDER_load(lib, "bigmod"));
        while (ERR_get_error_all(NULL, NULL, NULL, &data, &flags) != 0)
            ours = ours || ((flags & ERR_TXT_STRING) != 0 && strstr(data, "kernels = ") != NULL &&
                            strstr(data, names[i]) != NULL);
        assert_true(ours);
        OSSL_LIB_CTX_free(lib);
        assert_null(load_bigmod_quietly(NULL, names[i]));
    }
    lib = configure("portable");
    provider = OSSL_PROVIDER_load(lib, "bigmod");
    assert_non_null(provider);
    assert_string_equal(text(lib, "kernels"), "portable");
    OSSL_PROVIDER_unload(provider);
    OSSL_LIB_CTX_free(lib);
}

/* ---- where work runs ---- */

/* Row 73: which provider each property query means, proved by counters. */
static void
property_queries_choose_the_provider(void **state)
{
    static const struct {
        const char *defaults, *propq;
        int ours; /* -1: nobody serves it */
    } queries[] = {
        {"", BIGMOD, 1},
        {"", DEFAULT, 0},
        {"", "provider!=default", 1},
        {"", "provider!=bigmod", 0},
        {"", "?provider=bigmod", 1},
        {"", "?provider=default", 0},
        {"", "fips=yes", -1},
        {"", "provider=nobody", -1},
        {"?provider=bigmod", NULL, 1},
        {"?provider=bigmod", DEFAULT, 0},
        {"?provider=bigmod", "provider!=bigmod", 0},
        {"?provider=default", NULL, 0},
        {"provider=default", NULL, 0},
    };
    uint8_t sig[SIG_LEN];

    (void)state;
    for (size_t i = 0; i < LENGTH_OF(queries); i++) {
        OSSL_LIB_CTX *lib = load_bigmod(NULL, NULL);
        EVP_PKEY *key;

        assert_true(EVP_set_default_properties(lib, queries[i].defaults));
        key = import(lib, queries[i].propq);
        if (queries[i].ours == -1) {
            assert_null(key);
        } else {
            bool signed_ok;

            assert_non_null(key);
            signed_ok = sign(lib, key, queries[i].propq, sig);
            if (strcmp(queries[i].propq != NULL ? queries[i].propq : "", "provider!=default") != 0)
                assert_true(signed_ok); /* else there is no digest to sign with */
            if (queries[i].ours >= 0) {
                assert_int_equal(counter(lib, "bigmod-rsa-import"), queries[i].ours);
                assert_int_equal(counter(lib, "bigmod-rsa-sign"), queries[i].ours && signed_ok);
            }
        }
        EVP_PKEY_free(key);
        OSSL_LIB_CTX_free(lib);
    }
}

static void
failed_operations_are_not_counted(void **state)
{
    OSSL_LIB_CTX *lib = load_bigmod(NULL, NULL);
    EVP_PKEY *key = import(lib, BIGMOD);
    uint8_t sig[SIG_LEN];

    (void)state;
    assert_true(sign(lib, key, BIGMOD, sig));
    sig[5] ^= 1;
    assert_false(verify(lib, key, BIGMOD, sig));
    assert_int_equal(counter(lib, "bigmod-rsa-verify"), 0);
    EVP_PKEY_free(key);
    OSSL_LIB_CTX_free(lib);
}

/* ---- lifetimes ---- */

/* Row 71: two library contexts at once, and one after another. */
static void
contexts_do_not_know_of_each_other(void **state)
{
    OSSL_LIB_CTX *one = load_bigmod(NULL, NULL), *two = load_bigmod(NULL, "portable");
    EVP_PKEY *key1 = import(one, BIGMOD), *key2 = import(two, BIGMOD);
    uint8_t sig1[SIG_LEN], sig2[SIG_LEN];

    (void)state;
    assert_true(sign(one, key1, BIGMOD, sig1));
    assert_true(sign(two, key2, BIGMOD, sig2));
    assert_memory_equal(sig1, sig2, SIG_LEN);
    EVP_PKEY_free(key1);
    OSSL_LIB_CTX_free(one);
    assert_true(sign(two, key2, BIGMOD, sig2));
    assert_int_equal(counter(two, "bigmod-rsa-sign"), 2);
    EVP_PKEY_free(key2);
    OSSL_LIB_CTX_free(two);
}

static void
loading_and_unloading_again_and_again_leaves_nothing(void **state)
{
    const int rounds = getenv("BM_TEST_FULL") ? 1000 : 60;
    long before = 0;

    (void)state;
    for (int i = 0; i < rounds; i++) {
        OSSL_LIB_CTX *lib = OSSL_LIB_CTX_new();
        OSSL_PROVIDER *bigmod = OSSL_PROVIDER_load(lib, "bigmod");
        OSSL_PROVIDER *ours = OSSL_PROVIDER_load(lib, "default");
        EVP_PKEY *key = import(lib, BIGMOD);
        uint8_t sig[SIG_LEN];

        assert_non_null(key);
        assert_true(sign(lib, key, BIGMOD, sig));
        OSSL_PROVIDER_unload(bigmod); /* while a key lives: it is usable until it is freed */
        if (i % 2 == 0)
            EVP_PKEY_free(key);
        OSSL_PROVIDER_unload(ours);
        if (i % 2 != 0)
            EVP_PKEY_free(key);
        OSSL_LIB_CTX_free(lib);
        if (i == 19)
            before = live;
    }
    assert_true(live <= before + 4); /* libcrypto's own lists may grow */
}

typedef struct shared {
    OSSL_LIB_CTX *lib;
    EVP_PKEY *key;
    const uint8_t *want;
} shared;

static void *
sign_in_a_thread(void *arg)
{
    shared *s = arg;
    uint8_t sig[SIG_LEN];

    for (int i = 0; i < 20; i++) {
        if (!sign(s->lib, s->key, BIGMOD, sig) || memcmp(sig, s->want, SIG_LEN) != 0 ||
            !verify(s->lib, s->key, BIGMOD, sig))
            return NULL;
    }
    OPENSSL_thread_stop_ex(s->lib);
    return arg;
}

/* Rows 68, 69: one key, its first use by many threads at once. */
static void
threads_share_a_key(void **state)
{
    enum { THREADS = 32 };
    OSSL_LIB_CTX *lib = load_bigmod(NULL, NULL);
    EVP_PKEY *key = import(NULL, DEFAULT);
    uint8_t want[SIG_LEN];
    shared s = {lib, import(lib, BIGMOD), want};
    pthread_t threads[THREADS];
    int good = 0;

    (void)state;
    assert_true(sign(NULL, key, DEFAULT, want));
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, sign_in_a_thread, &s), 0);
    for (int i = 0; i < THREADS; i++) {
        void *result = NULL;

        assert_int_equal(pthread_join(threads[i], &result), 0);
        good += result == &s;
    }
    assert_int_equal(good, THREADS);
    assert_int_equal(counter(lib, "bigmod-rsa-sign"), 20 * THREADS);
    EVP_PKEY_free(key);
    EVP_PKEY_free(s.key);
    OSSL_LIB_CTX_free(lib);
}

static bool
pss_sign(OSSL_LIB_CTX *lib, EVP_PKEY *key, uint8_t sig[SIG_LEN])
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(lib, key, BIGMOD);
    size_t len = SIG_LEN;
    bool ok = EVP_PKEY_sign_init(ctx) > 0 &&
              EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_PKCS1_PSS_PADDING) > 0 &&
              EVP_PKEY_CTX_set_signature_md(ctx, EVP_sha256()) > 0 &&
              EVP_PKEY_sign(ctx, sig, &len, digest, sizeof(digest)) > 0;

    EVP_PKEY_CTX_free(ctx);
    return ok;
}

/* Row 70: a child of fork signs, and draws salts of its own. */
static void
a_forked_child_signs_with_its_own_salts(void **state)
{
    OSSL_LIB_CTX *lib = load_bigmod(NULL, NULL);
    EVP_PKEY *key = import(lib, BIGMOD);
    uint8_t mine[SIG_LEN], theirs[SIG_LEN];
    int pipes[2], status;
    pid_t child;

    (void)state;
    assert_true(pss_sign(lib, key, mine));
    assert_int_equal(pipe(pipes), 0);
    child = fork();
    if (child == 0) {
        bool ok = pss_sign(lib, key, theirs) && write(pipes[1], theirs, SIG_LEN) == SIG_LEN;

        _exit(ok ? 0 : 1);
    }
    assert_true(pss_sign(lib, key, mine));
    assert_int_equal(read(pipes[0], theirs, SIG_LEN), SIG_LEN);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_memory_not_equal(mine, theirs, SIG_LEN);
    close(pipes[0]);
    close(pipes[1]);
    EVP_PKEY_free(key);
    OSSL_LIB_CTX_free(lib);
}

/* ---- the hot path ---- */

/* Row 86: an operation allocates nothing. */
static void
operations_allocate_nothing(void **state)
{
    static const int pads[] = {RSA_PKCS1_PADDING, RSA_X931_PADDING, RSA_PKCS1_PSS_PADDING};
    static const char *const providers[2] = {DEFAULT, BIGMOD};
    OSSL_LIB_CTX *lib = load_bigmod(NULL, NULL);
    uint8_t sig[SIG_LEN];

    (void)state;
    for (size_t i = 0; i < LENGTH_OF(pads); i++) {
        long signing[2], verifying[2];

        for (int p = 0; p < 2; p++) {
            EVP_PKEY *key = import(lib, providers[p]);
            EVP_PKEY_CTX *s = EVP_PKEY_CTX_new_from_pkey(lib, key, providers[p]);
            EVP_PKEY_CTX *v = EVP_PKEY_CTX_new_from_pkey(lib, key, providers[p]);

            assert_true(EVP_PKEY_sign_init(s) > 0 && EVP_PKEY_verify_init(v) > 0);
            assert_true(EVP_PKEY_CTX_set_signature_md(s, EVP_sha256()) > 0);
            assert_true(EVP_PKEY_CTX_set_signature_md(v, EVP_sha256()) > 0);
            assert_true(EVP_PKEY_CTX_set_rsa_padding(s, pads[i]) > 0);
            assert_true(EVP_PKEY_CTX_set_rsa_padding(v, pads[i]) > 0);
            for (int round = 0; round < 3; round++) {
                size_t len = SIG_LEN;

                signing[p] = allocations;
                assert_true(EVP_PKEY_sign(s, sig, &len, digest, sizeof(digest)) > 0);
                signing[p] = allocations - signing[p];
                verifying[p] = allocations;
                assert_int_equal(EVP_PKEY_verify(v, sig, len, digest, sizeof(digest)), 1);
                verifying[p] = allocations - verifying[p];
            }
            EVP_PKEY_CTX_free(s);
            EVP_PKEY_CTX_free(v);
            EVP_PKEY_free(key);
        }
        assert_int_equal(signing[1], 0);
        assert_int_equal(verifying[1], 0);
    }
    OSSL_LIB_CTX_free(lib);
}

/* Row 75: every allocation fails in turn: an error, never a crash or a wrong result. */
static void
failing_allocations_are_errors(void **state)
{
    OSSL_LIB_CTX *lib = load_bigmod(NULL, NULL);
    uint8_t want[SIG_LEN];
    EVP_PKEY *key = import(lib, BIGMOD);

    (void)state;
    assert_true(sign(lib, key, BIGMOD, want));
    EVP_PKEY_free(key);
    for (long n = 1;; n++) {
        uint8_t sig[SIG_LEN] = {0};
        bool ok;

        fail_at = n;
        key = import(lib, BIGMOD);
        ok = key != NULL && sign(lib, key, BIGMOD, sig) && verify(lib, key, BIGMOD, sig);
        if (ok)
            assert_memory_equal(sig, want, SIG_LEN);
        EVP_PKEY_free(key);
        if (fail_at > 0) { /* fewer than n allocations */
            assert_true(ok);
            fail_at = 0;
            break;
        }
        assert_true(n < 1000);
    }
    OSSL_LIB_CTX_free(lib);
}

/* Rows 72, 75: one by one, the allocations of init fail. What libcrypto does with its own is its
 * own. */
static void
failing_allocations_keep_the_provider_from_loading(void **state)
{
    const char *other = getenv("OTHER_LIBCRYPTO");
    bool done = false;
    long n;

    (void)state;
    if (other != NULL && *other != '\0')
        skip(); /* bigmod allocates by a libcrypto of its own: versions.sh */
    ours_only = true;
    for (n = 1; !done && n < 50; n++) {
        OSSL_LIB_CTX *lib = OSSL_LIB_CTX_new();
        OSSL_PROVIDER *provider;

        fail_at = n;
        provider = OSSL_PROVIDER_load(lib, "bigmod");
        done = fail_at > 0;
        fail_at = 0;
        assert_true(provider != NULL || !done); /* a set of kernels may be passed over */
        if (provider != NULL)
            OSSL_PROVIDER_unload(provider);
        OSSL_LIB_CTX_free(lib);
    }
    ours_only = false;
    assert_in_range(n, 3, 40);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_provider_says_what_it_is),
        cmocka_unit_test(every_kernel_set_that_loads_signs_the_same),
        cmocka_unit_test(wrong_kernels_keep_the_provider_from_loading),
        cmocka_unit_test(property_queries_choose_the_provider),
        cmocka_unit_test(failed_operations_are_not_counted),
        cmocka_unit_test(contexts_do_not_know_of_each_other),
        cmocka_unit_test(loading_and_unloading_again_and_again_leaves_nothing),
        cmocka_unit_test(threads_share_a_key),
        cmocka_unit_test(a_forked_child_signs_with_its_own_salts),
        cmocka_unit_test(operations_allocate_nothing),
        cmocka_unit_test(failing_allocations_are_errors),
        cmocka_unit_test(failing_allocations_keep_the_provider_from_loading),
    };

    if (!CRYPTO_set_mem_functions(counted_malloc, counted_realloc, counted_free))
        return 1;
    return cmocka_run_group_tests(tests, setup, teardown);
}
