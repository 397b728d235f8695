/*
 * How long the AVX512-IFMA kernels take: products and squarings in core cycles, beside what the
 * multipliers allow; exponentiations in microseconds, beside libcrypto's RSA on the same key, the
 * two taking turns in one run.
 *
 *     bench_ifma [kernels | keys]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <openssl/bn.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>

#include "exp_ifma.h"
#include "rsa.h"

enum { BLOCKS = 300, MAX_WIDTH = 320 };

static bm_limb memory[1 << 16], scratch[1 << 17];

static double
now_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static int
compare_doubles(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;

    return a < b ? -1 : a > b;
}

/* The 5th percentile; sorts. */
static double
low(double *t, size_t count)
{
    qsort(t, count, sizeof(*t), compare_doubles);
    return t[count / 20];
}

static double
median(double *t, size_t count)
{
    qsort(t, count, sizeof(*t), compare_doubles);
    return t[count / 2];
}

/* The time of a cycle, in microseconds: additions that wait for each other, one a cycle. */
static double
cycle_us(void)
{
    double start = now_us();

    for (int j = 0; j < 200; j++)
        __asm__ volatile(
            "add $1, %%rax; add $1, %%rax; add $1, %%rax; add $1, %%rax; add $1, %%rax;"
            "add $1, %%rax; add $1, %%rax; add $1, %%rax; add $1, %%rax; add $1, %%rax" ::
                : "rax", "cc");
    return (now_us() - start) / 2000;
}

/*
 * Core cycles of one call of `body`: the median of many short blocks, each compared with
 * the clock's rate just before and after it, as that changes.
 */
#define MEASURE(result, calls, body)                                          \
    do {                                                                      \
        static double samples[BLOCKS];                                        \
        for (int block_ = 0; block_ < BLOCKS; block_++) {                     \
            double cycle_ = cycle_us(), start_ = now_us(), taken_;            \
            for (int call_ = 0; call_ < (calls); call_++)                     \
                body;                                                         \
            taken_ = now_us() - start_;                                       \
            samples[block_] = taken_ / (calls) / ((cycle_ + cycle_us()) / 2); \
        }                                                                     \
        (result) = median(samples, BLOCKS);                                   \
    } while (0)

static void
random_limbs(bm_limb *x, size_t num)
{
    for (size_t i = 0; i < num; i++)
        x[i] = (bm_limb)random() << 42 ^ (bm_limb)random() << 21 ^ (bm_limb)random();
}

/* Cycles of one vector multiply-add a cycle: what a processor with one 512-bit multiplier needs. */
static double
floor_of(const bm_ifma_shape *shape, size_t digits, bool square)
{
    double halves = (double)shape->halves, total = 0;

    for (size_t i = 0; i < digits; i++)
        total += 2 * halves / 2 + 2 * (halves / 2 - (square ? (double)(i / 8) : 0));
    return total;
}

/* The same where digits are dealt out. */
static double
dealt_floor_of(const bm_ifma_dealt *as, bool square)
{
    size_t vectors = as->digits * (2 * as->vectors + (square ? as->vectors + 1 : 2 * as->vectors));

    return (double)(as->streams * vectors * as->lanes) / 8;
}

static void
bench_kernels(void)
{
    printf("core cycles; floor: one 512-bit multiply-add a cycle\n");
    printf("%-10s %6s | %8s %8s | %8s %8s\n", "kernel", "digits", "product", "floor", "square",
           "floor");
    for (size_t i = 0; i < bm_num_ifma_shapes; i++) {
        const bm_ifma_shape *s = &bm_ifma_shapes[i];
        size_t digits = 4 * s->halves;
        bm_limb *z = (bm_limb *)(((uintptr_t)memory + 63) & ~(uintptr_t)63);
        bm_limb *np = z + 8 * MAX_WIDTH, *bb = np + 1024;
        double mul, sqr;

        memset(memory, 0, sizeof(memory));
        for (size_t j = 0; j < 4096; j++)
            z[j] = (bm_limb)random() << 20;
        MEASURE(mul, 4, s->amm(z, z, bb, np, digits));
        MEASURE(sqr, 1, s->ams(z, np, digits, 5));
        printf("%-10s %6zu | %8.0f %8.0f | %8.0f %8.0f\n", s->name, digits, mul,
               floor_of(s, digits, false), sqr / 5, floor_of(s, digits, true));
    }
    for (size_t i = 0; i < bm_num_ifma_dealts; i++) {
        const bm_ifma_dealt *as = &bm_ifma_dealts[i];
        bm_limb *z = (bm_limb *)(((uintptr_t)memory + 63) & ~(uintptr_t)63);
        bm_limb *n = z + MAX_WIDTH, *index = n + MAX_WIDTH, *table = index + MAX_WIDTH;
        double mul, sqr;

        MEASURE(mul, 1, as->windows(z, n, table, index, 4, 0));
        MEASURE(sqr, 1, as->windows(z, n, table, index, 4, 5));
        printf("%-10s %6zu | %8.0f %8.0f | %8.0f %8.0f\n", as->name, as->digits, mul / 4,
               dealt_floor_of(as, false), (sqr - mul) / 20, dealt_floor_of(as, true));
    }
}

static bool
fill(void *arg, uint8_t *bytes, size_t len)
{
    (void)arg;
    return RAND_bytes(bytes, (int)len) > 0;
}

static BIGNUM *
number_of(const bm_limb *x, size_t num)
{
    return BN_lebin2bn((const unsigned char *)x, (int)(8 * num), NULL);
}

/* A key, generated by the core as that is quicker; above 8192 bits a modulus without factors. */
static RSA *
key_of(const bm_kernels *set, size_t bits)
{
    const size_t num = BM_LIMBS_OF_BITS(bits);
    const bm_random random = {fill, NULL};
    bm_limb *key_memory = malloc(8 * bm_rsa_generated_limbs(bits, 2));
    bm_limb *key_scratch = malloc(8 * bm_rsa_generate_scratch_limbs(set, bits));
    bm_rsa_generated key;
    RSA *rsa = RSA_new();
    BIGNUM *e = BN_new();

    BN_set_word(e, 65537);
    if (bits > 8192) {
        BIGNUM *n = BN_new();

        BN_rand(n, (int)bits, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ODD);
        RSA_set0_key(rsa, n, e, NULL);
    } else {
        if (bm_rsa_generate(&key, set, bits, 2, (bm_limb[]){65537}, 1, &random, NULL, key_memory,
                            key_scratch) != BM_KEYGEN_OK)
            exit(1);
        RSA_set0_key(rsa, number_of(key.n, num), e, number_of(key.d, num));
        RSA_set0_factors(rsa, number_of(key.primes[0], num), number_of(key.primes[1], num));
        RSA_set0_crt_params(rsa, number_of(key.exponents[0], num), number_of(key.exponents[1], num),
                            number_of(key.coefficients[1], num));
    }
    free(key_memory);
    free(key_scratch);
    return rsa;
}

static void
limbs_of(bm_limb *x, size_t num, const BIGNUM *b)
{
    BN_bn2lebinpad(b, (unsigned char *)x, (int)(8 * num));
}

static void
bench_key(const bm_kernels *set, size_t bits)
{
    const bool is_private = bits <= 8192;
    RSA *rsa = key_of(set, bits);
    size_t k = bits / 8;
    static unsigned char in[2048], out[2048];
    static bm_limb m[3][256], x[256], z[2][256], e[2][256];
    static double peer[BLOCKS], ours[BLOCKS], peer_pub[BLOCKS], ours_pub[BLOCKS], cold[BLOCKS];
    size_t num = BM_LIMBS_OF_BITS(bits), half = BM_LIMBS_OF_BITS(bits / 2);
    bm_limb *at = memory;
    bm_modulus mod[3];
    int blocks = bits > 4096 ? 40 : bits > 2048 ? 60 : BLOCKS;

    limbs_of(m[2], num, RSA_get0_n(rsa));
    if (is_private) {
        limbs_of(m[0], half, RSA_get0_p(rsa));
        limbs_of(m[1], half, RSA_get0_q(rsa));
        limbs_of(e[0], half, RSA_get0_dmp1(rsa));
        limbs_of(e[1], half, RSA_get0_dmq1(rsa));
    }
    for (int i = is_private ? 0 : 2; i < 3; i++) {
        size_t len = i < 2 ? half : num;

        if (!bm_modulus_init(&mod[i], set, m[i], len, at, scratch))
            exit(1);
        at += bm_modulus_limbs(set, len);
    }
    random_limbs(x, num);
    x[num - 1] = x[half - 1] = 0;
    memset(in, 0x11, k);
    in[0] = 0;
    for (int i = 0; i < blocks; i++) {
        const bm_exp_arg arg[2] = {{z[0], x, e[0], &mod[0]}, {z[1], x, e[1], &mod[1]}};
        const bm_limb f4[1] = {65537};
        double t0 = now_us(), t1, t2;

        if (is_private) {
            RSA_private_encrypt((int)k, in, out, rsa, RSA_NO_PADDING);
            t1 = now_us();
            bm_exp_pair(arg, bits / 2, scratch);
            t2 = now_us();
            peer[i] = t1 - t0, ours[i] = t2 - t1;
        }
        t0 = now_us();
        for (int j = 0; j < 5; j++)
            RSA_public_encrypt((int)k, in, out, rsa, RSA_NO_PADDING);
        t1 = now_us();
        for (int j = 0; j < 5; j++)
            bm_exp_vartime(z[0], x, f4, 17, &mod[2], scratch);
        t2 = now_us();
        peer_pub[i] = (t1 - t0) / 5, ours_pub[i] = (t2 - t1) / 5;
        t0 = now_us();
        for (int j = 0; j < 5; j++)
            bm_modulus_init(&mod[2], set, m[2], num, at - bm_modulus_limbs(set, num), scratch);
        cold[i] = (now_us() - t0) / 5;
    }
    printf("RSA-%-5zu", bits);
    if (is_private) {
        double a = low(peer, (size_t)blocks), b = low(ours, (size_t)blocks);

        printf(" private %8.1f us, pair %8.1f us (%s): %.2f |", a, b,
               bm_exp_kernel_name(set, bits / 2, true), a / b);
    }
    double a = low(peer_pub, (size_t)blocks), b = low(ours_pub, (size_t)blocks);

    printf(" public %7.2f us, ours %6.2f us (%s): %.2f, init %.2f us\n", a, b,
           bm_exp_kernel_name(set, bits, false), a / b, low(cold, (size_t)blocks));
    RSA_free(rsa);
}

int
main(int argc, char **argv)
{
    const bm_kernels *set = bm_kernels_find("ifma", bm_cpu_features());

    if (set == NULL) {
        printf("no AVX512-IFMA on this processor\n");
        return 0;
    }
    if (argc < 2 || strcmp(argv[1], "kernels") == 0)
        bench_kernels();
    if (argc < 2 || strcmp(argv[1], "keys") == 0) {
        for (size_t i = 0; i < 8; i++)
            bench_key(set, (size_t[]){1024, 2048, 3072, 4096, 6144, 8192, 12288, 16384}[i]);
    }
    return 0;
}
