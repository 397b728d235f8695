/*
 * How long the AVX512-IFMA kernels take: products, squarings and exponentiations in cycles of the
 * time stamp counter and in microseconds, beside what the multiplier ports allow, and beside
 * libcrypto's RSA on keys of the same size, blocks of the two alternating in one run.
 *
 *     bench_ifma [kernels | keys]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <x86intrin.h>

#include <openssl/bn.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>

#include "exp_ifma.h"

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

/* Core cycles in a microsecond, from a chain of additions of one cycle each. */
static double
core_cycles_per_us(void)
{
    double best[50];

    for (int i = 0; i < 50; i++) {
        double start = now_us();

        for (int j = 0; j < 10000; j++)
            __asm__ volatile(
                "add $1, %%rax; add $1, %%rax; add $1, %%rax; add $1, %%rax; add $1, %%rax;"
                "add $1, %%rax; add $1, %%rax; add $1, %%rax; add $1, %%rax; add $1, %%rax" ::
                    : "rax");
        best[i] = now_us() - start;
    }
    return 100000 / low(best, 50);
}

/* Median-like time of one call of `body`, in microseconds, the best twentieth of many short blocks.
 */
#define MEASURE(result, calls, body)                         \
    do {                                                     \
        double samples[BLOCKS];                              \
        for (int block_ = 0; block_ < BLOCKS; block_++) {    \
            double start_ = now_us();                        \
            for (int call_ = 0; call_ < (calls); call_++)    \
                body;                                        \
            samples[block_] = (now_us() - start_) / (calls); \
        }                                                    \
        (result) = low(samples, BLOCKS);                     \
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

static void
bench_kernels(void)
{
    double mhz = core_cycles_per_us();

    printf("%.0f core cycles in a microsecond; floor: one 512-bit multiply-add a cycle\n", mhz);
    printf("%-10s %6s | %8s %8s | %8s %8s\n", "kernel", "digits", "product", "floor", "square",
           "floor");
    for (size_t i = 0; i < bm_num_ifma_shapes; i++) {
        const bm_ifma_shape *s = &bm_ifma_shapes[i];
        size_t digits = 4 * s->halves;
        bm_limb *z = (bm_limb *)(((uintptr_t)memory + 63) & ~(uintptr_t)63);
        bm_limb *np = z + 8 * MAX_WIDTH, *nq = np + 1024, *bb = nq + 1024;
        double mul, sqr;

        memset(memory, 0, sizeof(memory));
        for (size_t j = 0; j < 4096; j++)
            z[j] = (bm_limb)random() << 20;
        MEASURE(mul, 50, s->amm(z, z, bb, np, digits));
        MEASURE(sqr, 10, s->ams(z, np, digits, 5));
        printf("%-10s %6zu | %8.0f %8.0f | %8.0f %8.0f\n", s->name, digits, mul * mhz,
               floor_of(s, digits, false), sqr / 5 * mhz, floor_of(s, digits, true));
        if (s->pair_name == NULL)
            continue;
        MEASURE(mul, 50, s->amm_pair(z, z, bb, np, nq, digits));
        MEASURE(sqr, 10, s->ams_pair(z, np, nq, digits, 5));
        printf("%-10s %6zu | %8.0f %8.0f | %8.0f %8.0f\n", s->pair_name, digits, mul * mhz,
               2 * floor_of(s, digits, false), sqr / 5 * mhz, 2 * floor_of(s, digits, true));
    }
}

static RSA *
key_of(size_t bits)
{
    RSA *rsa = RSA_new();
    BIGNUM *e = BN_new();

    BN_set_word(e, 65537);
    if (!RSA_generate_key_ex(rsa, (int)bits, e, NULL))
        exit(1);
    BN_free(e);
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
    RSA *rsa = key_of(bits > 4096 ? 512 : bits);
    size_t k = bits / 8;
    static unsigned char in[2048], out[2048];
    static bm_limb m[3][256], x[256], z[2][256], e[2][256];
    static double peer[BLOCKS], ours[BLOCKS], peer_pub[BLOCKS], ours_pub[BLOCKS], cold[BLOCKS];
    size_t num = BM_LIMBS_OF_BITS(bits), half = BM_LIMBS_OF_BITS(bits / 2);
    bm_limb *at = memory;
    bm_modulus mod[3];
    int blocks = bits > 4096 ? 40 : bits > 2048 ? 60 : BLOCKS;

    if (bits > 4096) {
        /* a modulus of that size, as generating such a key takes long; the time is the same */
        BIGNUM *n = BN_new(), *d = BN_new(), *p = BN_new(), *q = BN_new(), *ee = BN_new();
        BIGNUM *dp = BN_new(), *dq = BN_new(), *qi = BN_new();

        BN_rand(p, (int)bits / 2, 1, 1), BN_rand(q, (int)bits / 2, 1, 1);
        BN_CTX *ctx = BN_CTX_new();
        BN_mul(n, p, q, ctx);
        BN_rand(d, (int)bits, -1, 1), BN_mod(d, d, n, ctx);
        BN_rand(dp, (int)bits / 2 - 1, 0, 0), BN_rand(dq, (int)bits / 2 - 1, 0, 0);
        BN_rand(qi, (int)bits / 2 - 1, 0, 0);
        BN_set_word(ee, 65537);
        RSA_free(rsa);
        rsa = RSA_new();
        RSA_set0_key(rsa, n, ee, d);
        RSA_set0_factors(rsa, p, q);
        RSA_set0_crt_params(rsa, dp, dq, qi);
        BN_CTX_free(ctx);
    }
    limbs_of(m[0], half, RSA_get0_p(rsa));
    limbs_of(m[1], half, RSA_get0_q(rsa));
    limbs_of(m[2], num, RSA_get0_n(rsa));
    limbs_of(e[0], half, RSA_get0_dmp1(rsa));
    limbs_of(e[1], half, RSA_get0_dmq1(rsa));
    for (int i = 0; i < 3; i++) {
        size_t len = i < 2 ? half : num;

        if (!bm_modulus_init(&mod[i], set, m[i], len, at, scratch))
            exit(1);
        at += bm_modulus_limbs(set, len);
    }
    random_limbs(x, num);
    x[num - 1] = x[half - 1] = 0;
    memset(in, 0x11, k);
    in[0] = 0;
    RSA_private_encrypt((int)k, in, out, rsa, RSA_NO_PADDING);
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
