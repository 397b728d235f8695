/*
 * Timing statistics: whether the time of decrypting and signing depends on what is secret, in the
 * manner of dudect (Reparaz, Balasch, Verbauwhede, 2017) with the classes of the Marvin attack
 * (FAILURES.md row 55). Through EVP, with bigmod.
 *
 * Ciphertexts of all classes are made before, and decrypted in random order; each class's times,
 * less the slowest tenth, are compared with the first class's by Welch's t. A planted class, which
 * works a little longer, must stand out, else the run says that it could see nothing. |t| above 10
 * in any other class is a failure. For a quiet machine; a named target of its own, never part of
 * `check`.
 *
 *     timing MODULE_DIR [SAMPLES_A_CLASS]
 */
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "support.h"

enum { BITS = 2048, K = BITS / 8, POOL = 64, CLASSES = 7, PLANTED = CLASSES - 1 };

static OSSL_LIB_CTX *lib;
static EVP_PKEY *key;

/* What a block of a class looks like before it is encrypted. */
static const char *const names[CLASSES] = {
    "a message of 48 bytes",     "no 00 02 header",    "a zero at byte 10",    "an empty message",
    "the longest message there", "no zero after 0002", "planted: longer work",
};

static void
make_block(uint8_t em[K], int class)
{
    size_t zero = class == 2 ? 10 : class == 3 ? K - 1 : class == 4 ? 10 : K - 49;

    RAND_bytes(em, K);
    for (size_t i = 0; i < K; i++)
        em[i] |= em[i] == 0;
    em[0] = 0;
    em[1] = class == 1 ? 7 : 2;
    if (class == 2)
        em[5] = 0; /* the padding is shorter than 8 */
    if (class != 5)
        em[zero] = 0;
}

static void
encrypt(uint8_t c[K], const uint8_t em[K])
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(lib, key, NULL);
    size_t len = K;

    if (EVP_PKEY_encrypt_init(ctx) <= 0 || EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_NO_PADDING) <= 0 ||
        EVP_PKEY_encrypt(ctx, c, &len, em, K) <= 0)
        exit(2);
    EVP_PKEY_CTX_free(ctx);
}

static double
now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static int
by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

typedef struct moments {
    double mean, variance, n;
} moments;

/* Of the fastest nine tenths. */
static moments
trimmed(double *x, size_t n)
{
    moments m = {0};

    qsort(x, n, sizeof(*x), by_value);
    m.n = (double)(n - n / 10);
    for (size_t i = 0; i < n - n / 10; i++)
        m.mean += x[i] / m.n;
    for (size_t i = 0; i < n - n / 10; i++)
        m.variance += (x[i] - m.mean) * (x[i] - m.mean) / (m.n - 1);
    return m;
}

static double
welch(const moments *a, const moments *b)
{
    return (a->mean - b->mean) / sqrt(a->variance / a->n + b->variance / b->n);
}

static volatile unsigned sink;

/* Times every class `samples` times in random order. True: no class but the planted one stands out.
 */
static bool
measure(const char *padding_name, int padding, size_t samples)
{
    static uint8_t pool[CLASSES][POOL][K];
    double *times[CLASSES];
    size_t count[CLASSES] = {0};
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(lib, key, NULL);
    moments first;
    bool same = true, sees = false;

    if (EVP_PKEY_decrypt_init(ctx) <= 0 || EVP_PKEY_CTX_set_rsa_padding(ctx, padding) <= 0)
        exit(2);
    for (int c = 0; c < CLASSES; c++) {
        times[c] = malloc(samples * sizeof(double));
        for (int i = 0; i < POOL; i++) {
            uint8_t em[K];

            make_block(em, c);
            encrypt(pool[c][i], em);
        }
    }
    for (size_t left = samples * CLASSES; left > 0;) {
        uint32_t random;
        uint8_t c_in[K], out[K];
        size_t len = K;
        double from;
        int c;

        RAND_bytes((uint8_t *)&random, sizeof(random));
        c = (int)(random % CLASSES);
        if (count[c] == samples)
            continue;
        memcpy(c_in, pool[c][(random >> 8) % POOL], K);
        from = now_ns();
        EVP_PKEY_decrypt(ctx, out, &len, c_in, K);
        for (unsigned i = 0; c == PLANTED && i < 3000; i++)
            sink += i;
        times[c][count[c]++] = now_ns() - from;
        ERR_clear_error();
        left--;
    }
    first = trimmed(times[0], samples);
    printf("%s: %zu samples a class, %.0f ns\n", padding_name, samples, first.mean);
    for (int c = 1; c < CLASSES; c++) {
        moments m = trimmed(times[c], samples);
        double t = welch(&m, &first);

        printf("    %-26s %+8.1f ns, t = %+.2f\n", names[c], m.mean - first.mean, t);
        if (c == PLANTED)
            sees = fabs(t) > 10;
        else
            same = same && fabs(t) < 10;
    }
    if (!sees)
        printf(
            "    the planted class does not stand out: too few samples, or too noisy a machine\n");
    for (int c = 0; c < CLASSES; c++)
        free(times[c]);
    EVP_PKEY_CTX_free(ctx);
    return same && sees;
}

int
main(int argc, char **argv)
{
    size_t samples = argc > 2 ? strtoul(argv[2], NULL, 10) : 1000000;
    EVP_PKEY_CTX *ctx;
    bool good;

    if (argc < 2 || samples < 100)
        return 2;
    lib = load_bigmod(argv[1], NULL);
    if (lib == NULL)
        return 1;
    EVP_set_default_properties(lib, "?provider=bigmod");
    ctx = EVP_PKEY_CTX_new_from_name(lib, "RSA", NULL);
    if (EVP_PKEY_keygen_init(ctx) <= 0 || EVP_PKEY_CTX_set_rsa_keygen_bits(ctx, BITS) <= 0 ||
        EVP_PKEY_generate(ctx, &key) <= 0)
        return 2;
    good = measure("PKCS#1 v1.5, implicit rejection", RSA_PKCS1_PADDING, samples);
    good = measure("OAEP", RSA_PKCS1_OAEP_PADDING, samples) && good;
    good = measure("no padding", RSA_NO_PADDING, samples) && good;
    EVP_PKEY_free(key);
    EVP_PKEY_CTX_free(ctx);
    OSSL_LIB_CTX_free(lib);
    return !good;
}
