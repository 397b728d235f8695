/*
 * The bench: bigmod beside the default provider through EVP, interleaved in one process.
 *
 * Each row is one operation on one key. The two providers take turns in short blocks, so that a
 * slow moment of the machine falls on both; the table gives median and best block and the ratios of
 * each.
 *
 *     bench [-m MODULE_DIR] [-k KERNELS] [-s SECONDS_A_ROW] [-t THREADS] [ROW_SUBSTRING...]
 */
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/provider.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "kernels.h"
#include "rsa.h"
#include "support.h"

enum { MAX_BLOCKS = 4000, BLOCK_US = 4000, MAX_MESSAGE = 2048 };

/* One provider's half of a row. */
typedef struct side {
    const char *properties;
    EVP_PKEY *key;
    EVP_PKEY_CTX *ctx;
    uint8_t *spki;
    int spki_len;
    double us[MAX_BLOCKS]; /* an operation, by block */
    size_t blocks;
} side;

typedef struct row {
    const char *name;
    const char *type; /* of the key */
    int bits;
    bool (*start)(side *s, const struct row *r);
    bool (*run)(side *s, const struct row *r);
} row;

static OSSL_LIB_CTX *lib;
static uint8_t input[MAX_MESSAGE], signature[MAX_MESSAGE], output[MAX_MESSAGE];
static size_t input_len, signature_len;

static void
fail(const char *what)
{
    fprintf(stderr, "bench: %s failed\n", what);
    ERR_print_errors_fp(stderr);
    exit(1);
}

static double
now_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

/* ---- rows ---------------------------------------------------------------------------------------
 */

static bool
start_sign(side *s, const row *r)
{
    (void)r;
    s->ctx = EVP_PKEY_CTX_new_from_pkey(lib, s->key, s->properties);
    input_len = 32;
    return s->ctx != NULL && EVP_PKEY_sign_init(s->ctx) > 0 &&
           EVP_PKEY_CTX_set_rsa_padding(s->ctx, RSA_PKCS1_PADDING) > 0 &&
           EVP_PKEY_CTX_set_signature_md(s->ctx, EVP_sha256()) > 0;
}

static bool
start_sign_pss(side *s, const row *r)
{
    return start_sign(s, r) && EVP_PKEY_CTX_set_rsa_padding(s->ctx, RSA_PKCS1_PSS_PADDING) > 0 &&
           EVP_PKEY_CTX_set_rsa_pss_saltlen(s->ctx, RSA_PSS_SALTLEN_DIGEST) > 0;
}

static bool
run_sign(side *s, const row *r)
{
    size_t len = sizeof(output);

    (void)r;
    return EVP_PKEY_sign(s->ctx, output, &len, input, input_len) > 0;
}

static bool
start_verify(side *s, const row *r)
{
    if (!start_sign(s, r))
        return false;
    signature_len = sizeof(signature);
    if (EVP_PKEY_sign(s->ctx, signature, &signature_len, input, input_len) <= 0)
        return false;
    return EVP_PKEY_verify_init(s->ctx) > 0 &&
           EVP_PKEY_CTX_set_rsa_padding(s->ctx, RSA_PKCS1_PADDING) > 0 &&
           EVP_PKEY_CTX_set_signature_md(s->ctx, EVP_sha256()) > 0;
}

static bool
run_verify(side *s, const row *r)
{
    (void)r;
    return EVP_PKEY_verify(s->ctx, signature, signature_len, input, input_len) > 0;
}

/* Cold: SubjectPublicKeyInfo to key, context, one verification. */
static bool
start_cold(side *s, const row *r)
{
    uint8_t *p = NULL;

    if (!start_verify(s, r))
        return false;
    s->spki_len = i2d_PUBKEY(s->key, &p);
    s->spki = p;
    return s->spki_len > 0;
}

static bool
run_cold(side *s, const row *r)
{
    const uint8_t *p = s->spki;
    EVP_PKEY *key = d2i_PUBKEY_ex(NULL, &p, s->spki_len, lib, s->properties);
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(lib, key, s->properties);
    bool ok = ctx != NULL && EVP_PKEY_verify_init(ctx) > 0 &&
              EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_PKCS1_PADDING) > 0 &&
              EVP_PKEY_CTX_set_signature_md(ctx, EVP_sha256()) > 0 &&
              EVP_PKEY_verify(ctx, signature, signature_len, input, input_len) > 0;

    (void)r;
    EVP_PKEY_CTX_free(ctx);
    EVP_PKEY_free(key);
    return ok;
}

/* Import of a private key's numbers, and its first signature. */
static bool
run_import(side *s, const row *r)
{
    OSSL_PARAM *params = NULL;
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *from = EVP_PKEY_CTX_new_from_name(lib, r->type, s->properties);
    size_t len = sizeof(output);
    bool ok = EVP_PKEY_todata(s->key, EVP_PKEY_KEYPAIR, &params) > 0 &&
              EVP_PKEY_fromdata_init(from) > 0 &&
              EVP_PKEY_fromdata(from, &key, EVP_PKEY_KEYPAIR, params) > 0;
    EVP_PKEY_CTX *ctx = ok ? EVP_PKEY_CTX_new_from_pkey(lib, key, s->properties) : NULL;

    ok = ok && ctx != NULL && EVP_PKEY_sign_init(ctx) > 0 &&
         EVP_PKEY_sign(ctx, output, &len, input, input_len) > 0;
    OSSL_PARAM_free(params);
    EVP_PKEY_CTX_free(ctx);
    EVP_PKEY_CTX_free(from);
    EVP_PKEY_free(key);
    return ok;
}

static bool
set_padding(EVP_PKEY_CTX *ctx, int padding)
{
    return EVP_PKEY_CTX_set_rsa_padding(ctx, padding) > 0;
}

static bool
start_encrypt(side *s, int padding)
{
    input_len = 32;
    s->ctx = EVP_PKEY_CTX_new_from_pkey(lib, s->key, s->properties);
    return s->ctx != NULL && EVP_PKEY_encrypt_init(s->ctx) > 0 && set_padding(s->ctx, padding);
}

static bool
start_encrypt_oaep(side *s, const row *r)
{
    (void)r;
    return start_encrypt(s, RSA_PKCS1_OAEP_PADDING);
}

static bool
run_encrypt(side *s, const row *r)
{
    size_t len = sizeof(output);

    (void)r;
    return EVP_PKEY_encrypt(s->ctx, output, &len, input, input_len) > 0;
}

static bool
start_decrypt(side *s, int padding)
{
    signature_len = sizeof(signature);
    return start_encrypt(s, padding) &&
           EVP_PKEY_encrypt(s->ctx, signature, &signature_len, input, input_len) > 0 &&
           EVP_PKEY_decrypt_init(s->ctx) > 0 && set_padding(s->ctx, padding);
}

static bool
start_decrypt_oaep(side *s, const row *r)
{
    (void)r;
    return start_decrypt(s, RSA_PKCS1_OAEP_PADDING);
}

static bool
start_decrypt_pkcs1(side *s, const row *r)
{
    (void)r;
    return start_decrypt(s, RSA_PKCS1_PADDING);
}

static bool
run_decrypt(side *s, const row *r)
{
    size_t len = sizeof(output);

    (void)r;
    return EVP_PKEY_decrypt(s->ctx, output, &len, signature, signature_len) > 0;
}

static EVP_PKEY *
generate(const char *type, int bits, const char *properties)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(lib, type, properties);
    EVP_PKEY *key = NULL;

    if (ctx == NULL || EVP_PKEY_keygen_init(ctx) <= 0 ||
        (bits != 0 && EVP_PKEY_CTX_set_rsa_keygen_bits(ctx, bits) <= 0) ||
        EVP_PKEY_generate(ctx, &key) <= 0)
        key = NULL;
    EVP_PKEY_CTX_free(ctx);
    return key;
}

static bool
run_keygen(side *s, const row *r)
{
    EVP_PKEY *key = generate(r->type, r->bits, s->properties);

    EVP_PKEY_free(key);
    return key != NULL;
}

/* Ed25519: a new EVP_MD_CTX each time, as a TLS server does. */
static bool
run_ed_sign(side *s, const row *r)
{
    EVP_MD_CTX *md = EVP_MD_CTX_new();
    size_t len = sizeof(output);
    bool ok = EVP_DigestSignInit_ex(md, NULL, NULL, lib, s->properties, s->key, NULL) > 0 &&
              EVP_DigestSign(md, output, &len, input, 64) > 0;

    (void)r;
    EVP_MD_CTX_free(md);
    return ok;
}

static bool
start_ed_verify(side *s, const row *r)
{
    if (!run_ed_sign(s, r))
        return false;
    memcpy(signature, output, 64);
    return true;
}

static bool
run_ed_verify(side *s, const row *r)
{
    EVP_MD_CTX *md = EVP_MD_CTX_new();
    bool ok = EVP_DigestVerifyInit_ex(md, NULL, NULL, lib, s->properties, s->key, NULL) > 0 &&
              EVP_DigestVerify(md, signature, 64, input, 64) > 0;

    (void)r;
    EVP_MD_CTX_free(md);
    return ok;
}

static const row rows[] = {
    {"rsa1024 sign", "RSA", 1024, start_sign, run_sign},
    {"rsa2048 sign", "RSA", 2048, start_sign, run_sign},
    {"rsa3072 sign", "RSA", 3072, start_sign, run_sign},
    {"rsa4096 sign", "RSA", 4096, start_sign, run_sign},
    {"rsa8192 sign", "RSA", 8192, start_sign, run_sign},
    {"rsa2048 sign-pss", "RSA", 2048, start_sign_pss, run_sign},
    {"rsa1024 verify", "RSA", 1024, start_verify, run_verify},
    {"rsa2048 verify", "RSA", 2048, start_verify, run_verify},
    {"rsa3072 verify", "RSA", 3072, start_verify, run_verify},
    {"rsa4096 verify", "RSA", 4096, start_verify, run_verify},
    {"rsa8192 verify", "RSA", 8192, start_verify, run_verify},
    {"rsa2048 encrypt-oaep", "RSA", 2048, start_encrypt_oaep, run_encrypt},
    {"rsa2048 decrypt-oaep", "RSA", 2048, start_decrypt_oaep, run_decrypt},
    {"rsa2048 decrypt-pkcs1", "RSA", 2048, start_decrypt_pkcs1, run_decrypt},
    {"rsa2048 cold-verify", "RSA", 2048, start_cold, run_cold},
    {"rsa2048 import-sign", "RSA", 2048, start_sign, run_import},
    {"rsa2048 keygen", "RSA", 2048, NULL, run_keygen},
    {"rsa3072 keygen", "RSA", 3072, NULL, run_keygen},
    {"ed25519 sign", "ED25519", 0, NULL, run_ed_sign},
    {"ed25519 verify", "ED25519", 0, start_ed_verify, run_ed_verify},
    {"ed25519 keygen", "ED25519", 0, NULL, run_keygen},
};

/* ---- measuring ----------------------------------------------------------------------------------
 */

static int
by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Runs one block of n operations; records its time. */
static void
block(side *s, const row *r, size_t n)
{
    double from = now_us();

    for (size_t i = 0; i < n; i++) {
        if (!r->run(s, r))
            fail(r->name);
    }
    s->us[s->blocks++] = (now_us() - from) / (double)n;
}

static size_t
operations_a_block(side *s, const row *r)
{
    double us;

    block(s, r, 1);
    block(s, r, 2);
    us = s->us[1];
    s->blocks = 0;
    return us > BLOCK_US ? 1 : (size_t)(BLOCK_US / us) + 1;
}

/* The same key in both providers: made by default, handed over as numbers. */
static void
share_key(side s[2], const row *r)
{
    OSSL_PARAM *params = NULL;
    EVP_PKEY_CTX *from = EVP_PKEY_CTX_new_from_name(lib, r->type, s[1].properties);

    s[0].key = generate(r->type, r->bits, s[0].properties);
    if (s[0].key == NULL || from == NULL ||
        EVP_PKEY_todata(s[0].key, EVP_PKEY_KEYPAIR, &params) <= 0 ||
        EVP_PKEY_fromdata_init(from) <= 0 ||
        EVP_PKEY_fromdata(from, &s[1].key, EVP_PKEY_KEYPAIR, params) <= 0)
        fail("sharing a key");
    if (strcmp(OSSL_PROVIDER_get0_name(EVP_PKEY_get0_provider(s[1].key)), "bigmod") != 0)
        fail("having the key in bigmod");
    OSSL_PARAM_free(params);
    EVP_PKEY_CTX_free(from);
}

static double
median(side *s)
{
    qsort(s->us, s->blocks, sizeof(s->us[0]), by_value);
    return s->us[s->blocks / 2];
}

static double
mean(const side *s)
{
    double sum = 0;

    for (size_t i = 0; i < s->blocks; i++)
        sum += s->us[i];
    return sum / (double)s->blocks;
}

static void
measure(const row *r, double seconds)
{
    static side s[2];
    size_t n[2];
    double until, m[2];
    bool keygen = r->run == run_keygen;

    memset(s, 0, sizeof(s));
    s[0].properties = "provider=default";
    s[1].properties = "?provider=bigmod";
    if (!keygen)
        share_key(s, r);
    for (int i = 0; i < 2; i++) {
        if (r->start != NULL && !r->start(&s[i], r))
            fail(r->name);
        n[i] = operations_a_block(&s[i], r);
    }
    until = now_us() + 1e6 * seconds * (keygen && r->bits != 0 ? 4 : 1);
    do {
        for (int i = 0; i < 2; i++)
            block(&s[i], r, n[i]);
    } while (now_us() < until && s[0].blocks < MAX_BLOCKS);

    for (int i = 0; i < 2; i++)
        m[i] = keygen && r->bits != 0 ? mean(&s[i]) : median(&s[i]);
    median(&s[0]);
    median(&s[1]);
    printf("%-22s %10.2f %10.2f   %10.2f %10.2f   %6.2fx %6.2fx\n", r->name, m[0], s[0].us[0], m[1],
           s[1].us[0], m[0] / m[1], s[0].us[0] / s[1].us[0]);
    fflush(stdout);
    for (int i = 0; i < 2; i++) {
        EVP_PKEY_CTX_free(s[i].ctx);
        EVP_PKEY_free(s[i].key);
        OPENSSL_free(s[i].spki);
    }
}

/* ---- EVP beside the core ------------------------------------------------------------------------
 */

/* The core's public operation on the same key: what is left of an EVP verification is EVP's and
 * ours. */
static void
measure_overhead(double seconds)
{
    static const row verify = {"rsa2048 verify", "RSA", 2048, start_verify, run_verify};
    enum { NUM = 2048 / 64, CALLS = 200 };
    const bm_kernels *set = bm_kernels_find("auto", bm_cpu_features());
    static side s[2], core;
    bm_limb n[NUM], e = 65537, x[NUM] = {3}, z[NUM];
    bm_limb *memory = calloc(bm_rsa_public_limbs(set, NUM, 1) + bm_rsa_scratch_limbs(set, NUM), 8);
    bm_limb *scratch = memory + bm_rsa_public_limbs(set, NUM, 1);
    uint8_t bytes[256];
    bm_rsa_public pub;
    BIGNUM *bn = NULL;
    double until;

    s[0].properties = "provider=default";
    s[1].properties = "?provider=bigmod";
    share_key(s, &verify);
    if (!start_verify(&s[1], &verify) ||
        EVP_PKEY_get_bn_param(s[1].key, OSSL_PKEY_PARAM_RSA_N, &bn) <= 0 ||
        BN_bn2binpad(bn, bytes, sizeof(bytes)) < 0 || !bm_decode(n, NUM, bytes, sizeof(bytes)) ||
        !bm_rsa_public_init(&pub, set, n, NUM, &e, 1, memory, scratch))
        fail("the core's key");
    until = now_us() + 1e6 * seconds;
    do {
        double from = now_us();

        for (int i = 0; i < CALLS; i++)
            bm_rsa_public_op(z, x, &pub, scratch);
        core.us[core.blocks++] = (now_us() - from) / CALLS;
        block(&s[1], &verify, CALLS);
    } while (now_us() < until && core.blocks < MAX_BLOCKS);
    printf(
        "rsa2048 verify through EVP %.2f, the core's operation alone %.2f, so EVP and padding %.2f "
        "microseconds\n",
        median(&s[1]), median(&core), median(&s[1]) - median(&core));
    for (int i = 0; i < 2; i++) {
        EVP_PKEY_CTX_free(s[i].ctx);
        EVP_PKEY_free(s[i].key);
    }
    BN_free(bn);
    free(memory);
}

/* ---- threads ------------------------------------------------------------------------------------
 */

typedef struct worker {
    pthread_t thread;
    EVP_PKEY *key;
    double until;
    size_t done;
    double cpu_us; /* of this thread */
} worker;

static void *
work(void *arg)
{
    static const row sign = {"rsa2048 sign", "RSA", 2048, start_sign, run_sign};
    worker *w = arg;
    side s = {.properties = "?provider=bigmod", .key = w->key};
    uint8_t out[MAX_MESSAGE];
    struct timespec t;

    if (!start_sign(&s, &sign))
        fail("thread");
    while (now_us() < w->until) {
        size_t len = sizeof(out);

        if (EVP_PKEY_sign(s.ctx, out, &len, input, 32) <= 0)
            fail("thread");
        w->done++;
    }
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    w->cpu_us = 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
    EVP_PKEY_CTX_free(s.ctx);
    return NULL;
}

/* Operations per CPU second of n threads on one key. */
static double
threads_rate(EVP_PKEY *key, int n, double seconds)
{
    worker w[64] = {0};
    double done = 0, cpu = 0;

    for (int i = 0; i < n; i++) {
        w[i].key = key;
        w[i].until = now_us() + 1e6 * seconds;
        if (pthread_create(&w[i].thread, NULL, work, &w[i]) != 0)
            fail("pthread_create");
    }
    for (int i = 0; i < n; i++) {
        pthread_join(w[i].thread, NULL);
        done += (double)w[i].done;
        cpu += w[i].cpu_us;
    }
    return done / cpu * 1e6;
}

static void
measure_threads(int n, double seconds)
{
    side s[2] = {{.properties = "provider=default"}, {.properties = "?provider=bigmod"}};
    static const row sign = {"rsa2048 sign", "RSA", 2048, start_sign, run_sign};
    double one = 0, many = 0;

    share_key(s, &sign);
    for (int i = 0; i < 6; i++) { /* interleaved; the best of each */
        double a = threads_rate(s[1].key, 1, seconds / 6),
               b = threads_rate(s[1].key, n, seconds / 6);

        one = a > one ? a : one;
        many = b > many ? b : many;
    }
    printf(
        "rsa2048 sign on one key: 1 thread %.0f, %d threads %.0f operations a CPU second, %.3f\n",
        one, n, many, many / one);
    EVP_PKEY_free(s[0].key);
    EVP_PKEY_free(s[1].key);
}

/* ---- start --------------------------------------------------------------------------------------
 */

static void
print_header(void)
{
    OSSL_PROVIDER *p = OSSL_PROVIDER_load(lib, "bigmod");
    char *build = NULL;
    OSSL_PARAM params[] = {OSSL_PARAM_utf8_ptr("buildinfo", &build, 0), OSSL_PARAM_END};

    if (p != NULL && OSSL_PROVIDER_get_params(p, params) > 0 && build != NULL)
        printf("bigmod: %s\n", build);
    printf("default: %s\n", OpenSSL_version(OPENSSL_VERSION));
    printf("microseconds an operation, median and best block (mean instead of median for RSA "
           "keygen)\n");
    printf("%-22s %10s %10s   %10s %10s   %7s %7s\n", "", "default", "best", "bigmod", "best",
           "ratio", "best");
    OSSL_PROVIDER_unload(p);
}

int
main(int argc, char **argv)
{
    const char *module_dir = NULL, *kernels = NULL;
    double seconds = 1;
    int threads = 0, c;

    while ((c = getopt(argc, argv, "m:k:s:t:")) != -1) {
        if (c == 'm')
            module_dir = optarg;
        else if (c == 'k')
            kernels = optarg;
        else if (c == 's')
            seconds = atof(optarg);
        else if (c == 't')
            threads = atoi(optarg) > 64 ? 64 : atoi(optarg);
        else
            return 2;
    }
    lib = load_bigmod(module_dir, kernels);
    if (lib == NULL)
        return 1;
    print_header();
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        bool wanted = optind == argc;

        for (int a = optind; a < argc; a++)
            wanted = wanted || strstr(rows[i].name, argv[a]) != NULL;
        if (wanted)
            measure(&rows[i], seconds);
    }
    if (optind == argc)
        measure_overhead(seconds);
    if (threads > 0)
        measure_threads(threads, 6 * seconds);
    OSSL_LIB_CTX_free(lib);
    return 0;
}
