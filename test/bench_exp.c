/*
 * Exponentiation modulo any number, beside GMP's mpz_powm (variable time) and mpz_powm_sec (odd
 * moduli, constant time) and libcrypto's BN_mod_exp and BN_mod_exp_mont_consttime. Every call
 * includes its own set-up. Blocks of all alternate in one run; microseconds an operation, median
 * and best block, and the ratios peer / ours of the best blocks.
 *
 *     bench_exp [kernels [blocks]]
 *
 * Rows: 1024-bit moduli with 1024-bit exponents, and the 384-bit moduli with 1618-bit exponent and
 * 128-bit base that Go's math/big benchmarks with (ExpMont); evenK: 2^K divides the modulus.
 */
#include <gmp.h>
#include <openssl/bn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels.h"

enum { MAX_BLOCKS = 400, PEERS = 6, LIMBS = 32 };

static const char *const names[PEERS] = {"bm_exp_any",   "vartime",    "mpz_powm",
                                         "mpz_powm_sec", "BN_mod_exp", "BN consttime"};

typedef struct row {
    const bm_kernels *set;
    mpz_t x, e, m, z;
    BIGNUM *bx, *be, *bm, *bz;
    BN_CTX *ctx;
    bm_limb xl[LIMBS], el[LIMBS], ml[LIMBS], zl[LIMBS];
    size_t num, e_bits;
    bm_limb *scratch;
} row;

static double
now_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

/* One operation; false where the peer does not serve this modulus. */
static bool
run(row *r, int peer)
{
    switch (peer) {
    case 0:
        return bm_exp_any(r->zl, r->xl, r->el, r->e_bits, r->ml, r->num, r->set, r->scratch);
    case 1:
        return bm_exp_any_vartime(r->zl, r->xl, r->el, r->e_bits, r->ml, r->num, r->set,
                                  r->scratch);
    case 2:
        mpz_powm(r->z, r->x, r->e, r->m);
        return true;
    case 3:
        if (mpz_even_p(r->m))
            return false;
        mpz_powm_sec(r->z, r->x, r->e, r->m);
        return true;
    case 4:
        return BN_mod_exp(r->bz, r->bx, r->be, r->bm, r->ctx) == 1;
    default:
        return mpz_odd_p(r->m) &&
               BN_mod_exp_mont_consttime(r->bz, r->bx, r->be, r->bm, r->ctx, NULL) == 1;
    }
}

static int
compare_doubles(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;

    return a < b ? -1 : a > b;
}

static BIGNUM *
to_bn(const mpz_t z)
{
    char *hex = mpz_get_str(NULL, 16, z);
    BIGNUM *b = NULL;

    BN_hex2bn(&b, hex);
    free(hex);
    return b;
}

static void
bench(const char *name, row *r, int blocks)
{
    static double t[PEERS][MAX_BLOCKS];
    double best[PEERS];
    int calls;

    r->num = BM_LIMBS_OF_BITS(mpz_sizeinbase(r->m, 2));
    r->e_bits = mpz_sizeinbase(r->e, 2);
    memset(r->xl, 0, sizeof(r->xl));
    mpz_export(r->xl, NULL, -1, 8, 0, 0, r->x);
    mpz_export(r->el, NULL, -1, 8, 0, 0, r->e);
    mpz_export(r->ml, NULL, -1, 8, 0, 0, r->m);
    r->bx = to_bn(r->x);
    r->be = to_bn(r->e);
    r->bm = to_bn(r->m);
    r->scratch = malloc(8 * bm_exp_any_scratch_limbs(r->set, r->num));

    mpz_powm(r->z, r->x, r->e, r->m); /* all agree, or nothing is timed */
    for (int peer = 0; peer < 2; peer++) {
        mpz_t got;

        mpz_init(got);
        run(r, peer);
        mpz_import(got, r->num, -1, 8, 0, 0, r->zl);
        if (mpz_cmp(got, r->z) != 0) {
            fprintf(stderr, "%s: %s is wrong\n", name, names[peer]);
            exit(1);
        }
        mpz_clear(got);
    }
    calls = r->num <= 6 ? 4 : 3;
    for (int i = 0; i < blocks; i++)
        for (int peer = 0; peer < PEERS; peer++) {
            double start = now_us();

            for (int j = 0; j < calls; j++)
                if (!run(r, peer))
                    start = -1;
            t[peer][i] = start < 0 ? 0 : (now_us() - start) / calls;
        }
    printf("%-12s", name);
    for (int peer = 0; peer < PEERS; peer++) {
        qsort(t[peer], (size_t)blocks, sizeof(double), compare_doubles);
        best[peer] = t[peer][0];
        if (best[peer] > 0)
            printf(" %7.1f /%6.1f", t[peer][blocks / 2], best[peer]);
        else
            printf("        -       ");
    }
    printf("   ratios:");
    for (int peer = 2; peer < PEERS; peer++) {
        /* variable time is compared with variable time */
        double ours = peer == 2 ? best[1] : best[0];

        if (best[peer] > 0)
            printf(" %5.2f", best[peer] / ours);
        else
            printf("     -");
    }
    printf("\n");
    fflush(stdout);
    BN_free(r->bx);
    BN_free(r->be);
    BN_free(r->bm);
    free(r->scratch);
}

int
main(int argc, char **argv)
{
    static const unsigned ks[] = {0, 1, 2, 3, 4, 8, 32, 64, 96, 128, 255, 512, 1023};
    const int blocks = argc > 2 ? atoi(argv[2]) : 60;
    gmp_randstate_t rng;
    row r = {.set = bm_kernels_find(argc > 1 ? argv[1] : "auto", bm_cpu_features())};

    if (r.set == NULL || blocks < 1 || blocks > MAX_BLOCKS) {
        fprintf(stderr, "usage: bench_exp [kernels [blocks]], blocks up to %d\n", MAX_BLOCKS);
        return 2;
    }
    mpz_inits(r.x, r.e, r.m, r.z, NULL);
    gmp_randinit_default(rng);
    r.ctx = BN_CTX_new();
    r.bz = BN_new();
    printf("kernels %s; us, median / best of %d blocks\n%-12s", r.set->name, blocks, "");
    for (int i = 0; i < PEERS; i++)
        printf(" %15s", names[i]);
    printf("   powm/vartime sec BN BNct\n");

    for (size_t i = 0; i < 2 * sizeof(ks) / sizeof(ks[0]); i++) {
        const bool large = i < sizeof(ks) / sizeof(ks[0]);
        const unsigned k = ks[i % (sizeof(ks) / sizeof(ks[0]))], bits = large ? 1024 : 384;
        char name[32];

        if (k >= bits)
            continue;
        mpz_urandomb(r.m, rng, bits - k);
        mpz_setbit(r.m, bits - k - 1);
        mpz_setbit(r.m, 0);
        mpz_mul_2exp(r.m, r.m, k);
        mpz_urandomb(r.x, rng, large ? 1024 : 128);
        mpz_setbit(r.x, 0);
        mpz_urandomb(r.e, rng, large ? 1024 : 1618);
        mpz_setbit(r.e, large ? 1023 : 1617);
        snprintf(name, sizeof(name), k == 0 ? "%u odd" : "%u even%u", bits, k);
        bench(name, &r, blocks);
    }
    return 0;
}
