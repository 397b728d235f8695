/*
 * The provider's life in a process: threads, fork, several library contexts, unloading and
 * reloading, exit with live keys, and which provider an operation reaches (FAILURES.md, section 6).
 *
 * The argument "long" makes a thousand library contexts.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/provider.h>
#include <openssl/rsa.h>

#include "support.h"

enum { MAX_K = 512, MESSAGE_LEN = 20 };

static int num_contexts = 100; /* that come and go; 1000 in the long run */

static const uint8_t message[MESSAGE_LEN] = "nothing but a digest";

/* A library context with default and bigmod, bigmod preferred. */
typedef struct world {
    OSSL_LIB_CTX *lib;
    OSSL_PROVIDER *base, *bigmod;
} world;

static world
open_world(void)
{
    world w = {OSSL_LIB_CTX_new(), NULL, NULL};

    w.base = OSSL_PROVIDER_load(w.lib, "default");
    w.bigmod = OSSL_PROVIDER_load(w.lib, "bigmod");
    if (w.base == NULL || w.bigmod == NULL) {
        ERR_print_errors_fp(stderr);
        exit(1);
    }
    EVP_set_default_properties(w.lib, "?provider=bigmod");
    return w;
}

static void
close_world(world *w)
{
    OSSL_PROVIDER_unload(w->bigmod);
    OSSL_PROVIDER_unload(w->base);
    OSSL_LIB_CTX_free(w->lib);
}

static uint64_t
counter(const OSSL_PROVIDER *prov, const char *name)
{
    uint64_t value = 0;
    OSSL_PARAM params[] = {OSSL_PARAM_uint64(name, &value), OSSL_PARAM_END};

    assert_int_equal(OSSL_PROVIDER_get_params(prov, params), 1);
    return value;
}

/* A new key of default in this context: bigmod gets it by export when an operation wants it. */
static EVP_PKEY *
generate(OSSL_LIB_CTX *lib, const char *type)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(lib, type, "provider=default");
    EVP_PKEY *key = NULL;

    assert_int_equal(EVP_PKEY_keygen_init(ctx), 1);
    if (strncmp(type, "RSA", 3) == 0)
        assert_true(EVP_PKEY_CTX_set_rsa_keygen_bits(ctx, 1024) > 0);
    assert_int_equal(EVP_PKEY_generate(ctx, &key), 1);
    EVP_PKEY_CTX_free(ctx);
    return key;
}

/* The parts of a key in the provider that propq names. */
static EVP_PKEY *
transfer(OSSL_LIB_CTX *lib, EVP_PKEY *from, int selection, const char *propq)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(lib, EVP_PKEY_get0_type_name(from), propq);
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

/* Signs a SHA-1 digest; the length, or 0. pss: with a random salt. */
static size_t
sign_with(OSSL_LIB_CTX *lib, EVP_PKEY *key, const char *propq, bool pss, uint8_t *sig)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(lib, key, propq);
    size_t len = MAX_K;
    bool ok = ctx != NULL && EVP_PKEY_sign_init(ctx) > 0 &&
              (!pss || EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_PKCS1_PSS_PADDING) > 0) &&
              EVP_PKEY_CTX_set_signature_md(ctx, EVP_sha1()) > 0 &&
              EVP_PKEY_sign(ctx, sig, &len, message, MESSAGE_LEN) > 0;

    EVP_PKEY_CTX_free(ctx);
    return ok ? len : 0;
}

static bool
verify_with(OSSL_LIB_CTX *lib, EVP_PKEY *key, const char *propq, bool pss, const uint8_t *sig,
            size_t len)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(lib, key, propq);
    bool ok = ctx != NULL && EVP_PKEY_verify_init(ctx) > 0 &&
              (!pss || EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_PKCS1_PSS_PADDING) > 0) &&
              EVP_PKEY_CTX_set_signature_md(ctx, EVP_sha1()) > 0 &&
              EVP_PKEY_verify(ctx, sig, len, message, MESSAGE_LEN) > 0;

    EVP_PKEY_CTX_free(ctx);
    return ok;
}

/* ---- threads ------------------------------------------------------------------------------- */

enum { NUM_THREADS = 32, ROUNDS = 12 };

typedef struct crew {
    world *w;
    EVP_PKEY *key;
    pthread_barrier_t start;
    atomic_int failures;
    atomic_bool stop;
    uint8_t want[MAX_K]; /* the one PKCS#1 signature */
    size_t want_len;
} crew;

static void *
work(void *arg)
{
    crew *c = arg;
    uint8_t sig[MAX_K];

    pthread_barrier_wait(&c->start);
    for (int i = 0; i < ROUNDS; i++) {
        size_t len = sign_with(c->w->lib, c->key, NULL, false, sig);

        if (len != c->want_len || memcmp(sig, c->want, len) != 0 ||
            !verify_with(c->w->lib, c->key, NULL, false, sig, len))
            atomic_fetch_add(&c->failures, 1);
        len = sign_with(c->w->lib, c->key, NULL, true, sig);
        if (len == 0 || !verify_with(c->w->lib, c->key, NULL, true, sig, len))
            atomic_fetch_add(&c->failures, 1);
    }
    return NULL;
}

/* FAILURES.md rows 68 and 69: the key reaches bigmod in all threads at once */
static void
many_threads_use_one_key_from_its_first_use_on(void **state)
{
    world w = open_world();
    crew c = {.w = &w, .key = generate(w.lib, "RSA")};
    pthread_t threads[NUM_THREADS];
    uint64_t before = counter(w.bigmod, "bigmod-rsa-sign");

    (void)state;
    c.want_len = sign_with(w.lib, c.key, "provider=default", false, c.want);
    assert_true(c.want_len > 0);
    assert_int_equal(counter(w.bigmod, "bigmod-rsa-sign"), before);
    pthread_barrier_init(&c.start, NULL, NUM_THREADS);
    for (int i = 0; i < NUM_THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, &c), 0);
    for (int i = 0; i < NUM_THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(atomic_load(&c.failures), 0);
    assert_int_equal(counter(w.bigmod, "bigmod-rsa-sign"), before + 2 * NUM_THREADS * ROUNDS);
    pthread_barrier_destroy(&c.start);
    EVP_PKEY_free(c.key);
    close_world(&w);
}

/* ---- fork ---------------------------------------------------------------------------------- */

static void *
work_until_stopped(void *arg)
{
    crew *c = arg;
    uint8_t sig[MAX_K];

    /*
     * No salts here: each RAND_bytes takes libcrypto's lock of the common parent generator, and a
     * child forked at that moment would find it locked for ever, whatever the provider.
     */
    pthread_barrier_wait(&c->start);
    while (!atomic_load(&c->stop)) {
        size_t len = sign_with(c->w->lib, c->key, NULL, false, sig);

        if (len != c->want_len || memcmp(sig, c->want, len) != 0)
            atomic_fetch_add(&c->failures, 1);
    }
    return NULL;
}

/* FAILURES.md row 70 */
static void
a_child_forked_amid_work_signs_with_other_salts(void **state)
{
    enum { WORKERS = 3, CHILDREN = 5 };
    world w = open_world();
    crew c = {.w = &w, .key = generate(w.lib, "RSA")};
    EVP_PKEY *ours = transfer(w.lib, c.key, EVP_PKEY_KEYPAIR, "provider=bigmod");
    pthread_t threads[WORKERS];
    uint8_t sigs[CHILDREN + 1][MAX_K] = {{0}};
    size_t len;

    (void)state;
    EVP_PKEY_free(c.key);
    c.key = ours;
    c.want_len = sign_with(w.lib, ours, NULL, false, c.want);
    assert_int_equal(c.want_len, 128);
    len = sign_with(w.lib, ours, NULL, true, sigs[CHILDREN]); /* seeds the generators */
    assert_int_equal(len, 128);
    pthread_barrier_init(&c.start, NULL, WORKERS + 1);
    for (int i = 0; i < WORKERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work_until_stopped, &c), 0);
    pthread_barrier_wait(&c.start);
    for (int i = 0; i < CHILDREN; i++) {
        EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(w.lib, ours, NULL);
        int fds[2], status;
        pid_t pid;

        /* Prepared before the fork: libcrypto's own locks may be held by a worker at that moment.
         */
        assert_int_equal(EVP_PKEY_sign_init(ctx), 1);
        assert_true(EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_PKCS1_PSS_PADDING) > 0);
        assert_true(EVP_PKEY_CTX_set_signature_md(ctx, EVP_sha1()) > 0);
        assert_int_equal(pipe(fds), 0);
        pid = fork();
        assert_true(pid >= 0);
        if (pid == 0) {
            uint8_t sig[MAX_K];
            size_t n = MAX_K;

            alarm(20);
            if (EVP_PKEY_sign(ctx, sig, &n, message, MESSAGE_LEN) <= 0 || n != 128 ||
                write(fds[1], sig, n) != (ssize_t)n)
                _exit(1);
            _exit(0);
        }
        if (waitpid(pid, &status, 0) != pid || status != 0 || read(fds[0], sigs[i], 128) != 128 ||
            !verify_with(w.lib, ours, NULL, true, sigs[i], 128))
            atomic_fetch_add(&c.failures, 1); /* asserted once nobody works on the crew any more */
        close(fds[0]);
        close(fds[1]);
        EVP_PKEY_CTX_free(ctx);
    }
    atomic_store(&c.stop, true);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(atomic_load(&c.failures), 0);
    for (int i = 0; i < CHILDREN; i++)
        for (int j = i + 1; j <= CHILDREN; j++)
            assert_memory_not_equal(sigs[i], sigs[j], 128);
    pthread_barrier_destroy(&c.start);
    EVP_PKEY_free(ours);
    close_world(&w);
}

/* ---- contexts and unloading ---------------------------------------------------------------- */

/* FAILURES.md row 71 */
static void
library_contexts_stand_on_their_own(void **state)
{
    world a = open_world(), b = open_world();
    EVP_PKEY *key_a = generate(a.lib, "RSA"), *key_b;
    uint8_t sig[MAX_K];
    uint64_t signed_a, signed_b;
    size_t len;

    (void)state;
    key_b = transfer(b.lib, key_a, EVP_PKEY_KEYPAIR, "provider=bigmod");
    signed_a = counter(a.bigmod, "bigmod-rsa-sign");
    signed_b = counter(b.bigmod, "bigmod-rsa-sign");
    len = sign_with(a.lib, key_a, NULL, false, sig);
    assert_int_equal(len, 128);
    assert_int_equal(counter(a.bigmod, "bigmod-rsa-sign"), signed_a + 1);
    assert_int_equal(counter(b.bigmod, "bigmod-rsa-sign"), signed_b);
    EVP_PKEY_free(key_a);
    close_world(&a);
    assert_true(verify_with(b.lib, key_b, NULL, false, sig, len));
    assert_int_equal(sign_with(b.lib, key_b, NULL, true, sig), 128);
    EVP_PKEY_free(key_b);
    close_world(&b);
}

/* Resident memory in KiB. */
static long
resident(void)
{
    FILE *f = fopen("/proc/self/statm", "r");
    long size = 0, pages = 0;

    if (f == NULL || fscanf(f, "%ld %ld", &size, &pages) != 2)
        pages = 0;
    if (f != NULL)
        fclose(f);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

/* FAILURES.md row 71 */
static void
one_context_activates_bigmod_a_thousand_times(void **state)
{
    OSSL_LIB_CTX *lib = OSSL_LIB_CTX_new();
    OSSL_PROVIDER *base = OSSL_PROVIDER_load(lib, "default");
    EVP_PKEY *key = generate(lib, "RSA");
    uint8_t sig[MAX_K];
    long early = 0;

    (void)state;
    for (int i = 0; i < 1000; i++) {
        OSSL_PROVIDER *prov = OSSL_PROVIDER_load(lib, "bigmod");

        assert_non_null(prov);
        if (i % 20 == 0) {
            assert_int_equal(sign_with(lib, key, "?provider=bigmod", true, sig), 128);
            assert_int_equal(counter(prov, "bigmod-rsa-sign"), i / 20 + 1); /* one context a life */
        }
        assert_int_equal(OSSL_PROVIDER_unload(prov), 1);
        if (i == 300)
            early = resident();
    }
    assert_true(resident() - early < 2048);
    EVP_PKEY_free(key);
    OSSL_PROVIDER_unload(base);
    OSSL_LIB_CTX_free(lib);
}

static void
library_contexts_come_and_go(void **state)
{
    uint8_t sig[MAX_K];
    long early = 0;
    world other = open_world();
    EVP_PKEY *key = generate(other.lib, "RSA");

    (void)state;
    for (int i = 0; i < num_contexts; i++) {
        world w = open_world();
        EVP_PKEY *copy = transfer(w.lib, key, EVP_PKEY_KEYPAIR, "provider=bigmod");

        assert_int_equal(sign_with(w.lib, copy, NULL, true, sig), 128);
        EVP_PKEY_free(copy);
        close_world(&w);
        if (i == num_contexts / 3)
            early = resident();
    }
    if (!UNDER_ASAN) /* which keeps freed memory for a while */
        assert_true(resident() - early < 4096);
    EVP_PKEY_free(key);
    close_world(&other);
}

static void
the_module_is_opened_and_closed_a_thousand_times(void **state)
{
    char path[4096];
    const char *dir = getenv("OPENSSL_MODULES");

    (void)state;
    snprintf(path, sizeof(path), "%s/bigmod.so", dir != NULL ? dir : ".");
    for (int i = 0; i < 1000; i++) {
        void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);

        assert_non_null(module);
        assert_non_null(dlsym(module, "OSSL_provider_init"));
        assert_int_equal(dlclose(module), 0);
    }
}

static void
a_key_outlives_the_unloading_of_its_provider(void **state)
{
    world w = open_world();
    EVP_PKEY *made = generate(w.lib, "RSA"), *key;
    EVP_PKEY_CTX *ctx;
    uint8_t sig[MAX_K];
    size_t len = MAX_K;

    (void)state;
    key = transfer(w.lib, made, EVP_PKEY_KEYPAIR, "provider=bigmod");
    ctx = EVP_PKEY_CTX_new_from_pkey(w.lib, key, NULL);
    assert_int_equal(EVP_PKEY_sign_init(ctx), 1);
    OSSL_PROVIDER_unload(w.bigmod);
    assert_int_equal(EVP_PKEY_sign(ctx, sig, &len, message, MESSAGE_LEN), 1);
    assert_int_equal(EVP_PKEY_get_bits(key), 1024);
    EVP_PKEY_CTX_free(ctx);
    EVP_PKEY_free(key);
    EVP_PKEY_free(made);
    OSSL_PROVIDER_unload(w.base);
    OSSL_LIB_CTX_free(w.lib);
}

/* ---- exit ---------------------------------------------------------------------------------- */

/* Leaves everything behind: keys and contexts in the default library context, and a busy thread. */
static int
exit_with_live_keys(void)
{
    OSSL_PROVIDER *base = OSSL_PROVIDER_load(NULL, "default");
    OSSL_PROVIDER *prov = OSSL_PROVIDER_load(NULL, "bigmod");
    EVP_PKEY *made, *key;
    EVP_PKEY_CTX *ctx;
    uint8_t sig[MAX_K];
    size_t len = MAX_K;

    if (base == NULL || prov == NULL)
        return 2;
    made = generate(NULL, "RSA");
    key = transfer(NULL, made, EVP_PKEY_KEYPAIR, "provider=bigmod");
    ctx = EVP_PKEY_CTX_new_from_pkey(NULL, key, "provider=bigmod");
    if (EVP_PKEY_sign_init(ctx) <= 0 || EVP_PKEY_sign(ctx, sig, &len, message, MESSAGE_LEN) <= 0)
        return 3;
    return 0;
}

/* As above, bigmod alone, with what it lends in use. */
static int
exit_with_live_loans(void)
{
    static const uint8_t seed[32] = {1};
    OSSL_PROVIDER *prov = OSSL_PROVIDER_load(NULL, "bigmod");
    EVP_RAND *rand = EVP_RAND_fetch(NULL, "CTR-DRBG", "provider=bigmod");
    EVP_RAND_CTX *ctx = rand == NULL ? NULL : EVP_RAND_CTX_new(rand, NULL);
    uint8_t bytes[16];

    (void)seed;
    if (prov == NULL || ctx == NULL || !EVP_RAND_instantiate(ctx, 128, 0, NULL, 0, NULL) ||
        !EVP_RAND_generate(ctx, bytes, sizeof(bytes), 128, 0, NULL, 0))
        return 2;
    return 0;
}

/* The status of a child that ends by exit() with what `leave` left behind. */
static int
exit_after(int (*leave)(void))
{
    pid_t pid;
    int status;

    fflush(NULL);
    pid = fork();
    if (pid == 0) {
        alarm(60);
        exit(leave());
    }
    return waitpid(pid, &status, 0) == pid ? status : -1;
}

/* FAILURES.md row 71 */
static void
a_process_ends_well_with_live_keys(void **state)
{
    (void)state;
    if (UNDER_ASAN)
        skip(); /* live keys at exit are leaks, there */
    assert_int_equal(exit_after(exit_with_live_keys), 0);
    assert_int_equal(exit_after(exit_with_live_loans), 0);
}

/* ---- which provider ------------------------------------------------------------------------ */

/* FAILURES.md row 73 */
static void
property_queries_decide_where_work_runs_and_counters_prove_it(void **state)
{
    static const struct {
        const char *defaults, *query;
        int runs; /* 1: in bigmod, 0: in default, -1: nowhere */
    } cases[] = {
        {"?provider=bigmod", NULL, 1},
        {"?provider=bigmod", "provider=default", 0},
        {"?provider=bigmod", "provider!=bigmod", 0},
        {"?provider=bigmod", "provider=nonesuch", -1},
        {"provider=default", NULL, 0},
        {"provider=default", "provider=bigmod", 1},
        {"provider=bigmod", NULL, -1}, /* it forbids the digest, too */
        {"", "provider=bigmod", 1},
        {"", "?provider=bigmod", 1},
        {"", "provider=default", 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        world w = open_world();
        EVP_PKEY *key = generate(w.lib, "RSA");
        uint64_t signs, verifies;
        uint8_t sig[MAX_K], other[MAX_K];
        size_t len;
        bool verified;

        assert_int_equal(EVP_set_default_properties(w.lib, cases[i].defaults), 1);
        len = sign_with(w.lib, key, "provider=default", false, other);
        assert_int_equal(len, 128);
        signs = counter(w.bigmod, "bigmod-rsa-sign");
        verifies = counter(w.bigmod, "bigmod-rsa-verify");
        len = sign_with(w.lib, key, cases[i].query, false, sig);
        verified = verify_with(w.lib, key, cases[i].query, false, other, 128);
        assert_int_equal(len, cases[i].runs < 0 ? 0 : 128);
        assert_int_equal(verified, cases[i].runs >= 0);
        assert_int_equal(counter(w.bigmod, "bigmod-rsa-sign") - signs, cases[i].runs == 1);
        assert_int_equal(counter(w.bigmod, "bigmod-rsa-verify") - verifies, cases[i].runs == 1);
        EVP_PKEY_free(key);
        close_world(&w);
    }
}

/* FAILURES.md row 74 */
static void
keys_compare_across_providers_in_both_orders(void **state)
{
    static const char *const types[] = {"RSA", "RSA-PSS", "ED25519"};
    static const char *const providers[] = {"provider=default", "provider=bigmod"};
    static const int selections[] = {EVP_PKEY_PUBLIC_KEY, EVP_PKEY_KEYPAIR};
    world w = open_world();

    (void)state;
    for (size_t t = 0; t < 3; t++) {
        EVP_KEYMGMT *keymgmt = EVP_KEYMGMT_fetch(w.lib, types[t], "provider=bigmod");
        EVP_PKEY *one, *two, *forms[2][4];

        if (keymgmt == NULL)
            continue;
        EVP_KEYMGMT_free(keymgmt);
        one = generate(w.lib, types[t]);
        two = generate(w.lib, types[t]);
        for (size_t i = 0; i < 4; i++) {
            forms[0][i] = transfer(w.lib, one, selections[i / 2], providers[i % 2]);
            forms[1][i] = transfer(w.lib, two, selections[i / 2], providers[i % 2]);
        }
        for (size_t i = 0; i < 4; i++) {
            for (size_t j = 0; j < 4; j++) {
                assert_int_equal(EVP_PKEY_eq(forms[0][i], forms[0][j]), 1);
                assert_int_equal(EVP_PKEY_eq(forms[0][i], forms[1][j]), 0);
                assert_int_equal(EVP_PKEY_parameters_eq(forms[0][i], forms[0][j]), 1);
            }
        }
        for (size_t i = 0; i < 4; i++) {
            EVP_PKEY_free(forms[0][i]);
            EVP_PKEY_free(forms[1][i]);
        }
        EVP_PKEY_free(one);
        EVP_PKEY_free(two);
    }
    close_world(&w);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_threads_use_one_key_from_its_first_use_on),
        cmocka_unit_test(a_child_forked_amid_work_signs_with_other_salts),
        cmocka_unit_test(library_contexts_stand_on_their_own),
        cmocka_unit_test(one_context_activates_bigmod_a_thousand_times),
        cmocka_unit_test(library_contexts_come_and_go),
        cmocka_unit_test(the_module_is_opened_and_closed_a_thousand_times),
        cmocka_unit_test(a_key_outlives_the_unloading_of_its_provider),
        cmocka_unit_test(a_process_ends_well_with_live_keys),
        cmocka_unit_test(property_queries_decide_where_work_runs_and_counters_prove_it),
        cmocka_unit_test(keys_compare_across_providers_in_both_orders),
    };

    if (argc == 2 && strcmp(argv[1], "long") == 0)
        num_contexts = 1000;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
