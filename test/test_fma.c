/*
 * The FMA kernels against their definition by GMP: bm_amm_fma and bm_ams_fma, one and two
 * operations at once, 2 to 79 blocks, digits at their maximum (FAILURES.md rows 6, 9, 16, 22).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <gmp.h>
#include <stdio.h>
#include <string.h>

#include "guarded.h"
#include "kernels.h"

enum { DIGIT = 52, MAX_BLOCKS = 79, MAX_DIGITS = 4 * MAX_BLOCKS };

/* What the assembly takes: exp_fma.c, rows_fma.h. */
typedef struct bm_fma_op {
    const uint64_t *x, *y, *m;
    uint64_t *u, *z;
    uint64_t working[19];
} bm_fma_op;

void bm_amm_fma(bm_fma_op *op, size_t count, size_t blocks);
void bm_ams_fma(bm_fma_op *op, size_t count, size_t blocks);

static gmp_randstate_t rng;

static void
put(uint64_t *z, size_t digits, const mpz_t x)
{
    mpz_t t;

    assert_true(mpz_sizeinbase(x, 2) <= DIGIT * digits);
    mpz_init(t);
    for (size_t i = 0; i < digits; i++) {
        double held;

        mpz_fdiv_q_2exp(t, x, DIGIT * i);
        mpz_fdiv_r_2exp(t, t, DIGIT);
        held = mpz_get_d(t);
        memcpy(&z[i], &held, sizeof(held));
    }
    mpz_clear(t);
}

/* Digits must be integers below 2^52. */
static void
get(mpz_t z, const uint64_t *x, size_t digits)
{
    mpz_t t;

    mpz_init(t);
    mpz_set_ui(z, 0);
    for (size_t i = digits; i-- > 0;) {
        double held;

        memcpy(&held, &x[i], sizeof(held));
        assert_true(held >= 0 && held < 0x1p52);
        mpz_set_d(t, held);
        assert_true(mpz_get_d(t) == held);
        mpz_mul_2exp(z, z, DIGIT);
        mpz_add(z, z, t);
    }
    mpz_clear(t);
}

typedef struct operation {
    guarded x, y, z, u, m;
    mpz_t n, a, b;
} operation;

static operation operations[2];
static guarded op_memory;

/* n of that many bits; x, y below 4 n, the largest there are in some rounds. */
static void
choose(operation *o, size_t bits, size_t blocks, int round)
{
    const size_t digits = 4 * blocks;
    mpz_t k, b4, t;
    uint64_t *m;

    mpz_inits(k, b4, t, NULL);
    if (round % 3 == 0) { /* all ones: every digit of n is at its maximum */
        mpz_set_ui(o->n, 1);
        mpz_mul_2exp(o->n, o->n, bits);
        mpz_sub_ui(o->n, o->n, 1);
    } else if (round % 3 == 1) {
        mpz_rrandomb(o->n, rng, bits);
    } else {
        mpz_urandomb(o->n, rng, bits);
    }
    mpz_setbit(o->n, bits - 1);
    mpz_setbit(o->n, 0);
    mpz_mul_ui(t, o->n, 4);
    if (round % 4 == 0) {
        mpz_sub_ui(o->a, t, 1);
        mpz_sub_ui(o->b, t, 2);
    } else if (round % 4 == 1) { /* long runs, cut below 4 n */
        mpz_rrandomb(o->a, rng, bits + 1);
        mpz_rrandomb(o->b, rng, bits);
        mpz_mod(o->a, o->a, t);
    } else {
        mpz_urandomm(o->a, rng, t);
        mpz_urandomm(o->b, rng, t);
    }
    /* N1 = (k n + 1) / B^4, k = -1/n mod B^4 */
    mpz_set_ui(b4, 1);
    mpz_mul_2exp(b4, b4, 4 * DIGIT);
    mpz_invert(k, o->n, b4);
    mpz_sub(k, b4, k);
    mpz_mul(t, k, o->n);
    mpz_add_ui(t, t, 1);
    mpz_fdiv_q_2exp(t, t, 4 * DIGIT);
    m = guarded_place(&o->m, 2 * digits + 5, round & 1);
    put(m, digits, t);
    put(m + digits, digits, o->n);
    for (size_t i = 0; i < 4; i++) {
        mpz_fdiv_q_2exp(t, o->n, DIGIT * i);
        mpz_fdiv_r_2exp(t, t, DIGIT);
        m[2 * digits + i] = mpz_get_ui(t);
    }
    mpz_fdiv_r_2exp(k, k, DIGIT);
    m[2 * digits + 4] = mpz_get_ui(k);
    put(guarded_place(&o->x, digits, round & 2), digits, o->a);
    put(guarded_place(&o->y, digits, round & 4), digits, o->b);
    memset(guarded_place(&o->z, digits, round & 1), 0xA5, 8 * digits);
    memset(guarded_place(&o->u, digits, round & 2), 0xFF, 8 * digits);
    mpz_clears(k, b4, t, NULL);
}

/* z R = a b mod n, and z < a b / R + 2 n + 1 */
static void
assert_product(const operation *o, const uint64_t *z, const mpz_t a, const mpz_t b, size_t blocks)
{
    mpz_t got, t;

    mpz_inits(got, t, NULL);
    get(got, z, 4 * blocks);
    mpz_mul_2exp(t, got, 4 * DIGIT * blocks);
    mpz_submul(t, a, b);
    assert_true(mpz_divisible_p(t, o->n));
    mpz_mul(t, a, b);
    mpz_fdiv_q_2exp(t, t, 4 * DIGIT * blocks);
    mpz_addmul_ui(t, o->n, 2);
    mpz_add_ui(t, t, 1);
    assert_true(mpz_cmp(got, t) <= 0);
    assert_true(guarded_intact(&o->x) && guarded_intact(&o->y) && guarded_intact(&o->z) &&
                guarded_intact(&o->u) && guarded_intact(&o->m));
    mpz_clears(got, t, NULL);
}

static void
run(size_t blocks, size_t count, int round)
{
    bm_fma_op *op =
        (bm_fma_op *)(void *)guarded_place(&op_memory, count * sizeof(*op) / 8, round & 1);

    for (size_t i = 0; i < count; i++) {
        operation *o = &operations[i];

        /* the longest n that these blocks hold: 16 n <= R; and shorter ones */
        choose(o, 4 * DIGIT * blocks - 4 - (size_t)(round % 2 == 0 ? 0 : round * 11 % 200), blocks,
               round);
        op[i] = (bm_fma_op){
            .x = o->x.data, .y = o->y.data, .m = o->m.data, .u = o->u.data, .z = o->z.data};
        memset(op[i].working, 0xA5, sizeof(op[i].working));
    }
    bm_amm_fma(op, count, blocks);
    for (size_t i = 0; i < count; i++)
        assert_product(&operations[i], operations[i].z.data, operations[i].a, operations[i].b,
                       blocks);
    bm_ams_fma(op, count, blocks);
    for (size_t i = 0; i < count; i++) {
        operation *o = &operations[i];

        assert_product(o, o->z.data, o->a, o->a, blocks);
        op[i].z = o->x.data; /* in place: z is x */
    }
    bm_amm_fma(op, count, blocks);
    for (size_t i = 0; i < count; i++) {
        operation *o = &operations[i];

        assert_product(o, o->x.data, o->a, o->b, blocks);
        put(o->x.data, 4 * blocks, o->a);
        op[i].z = o->y.data; /* z is y */
    }
    bm_amm_fma(op, count, blocks);
    for (size_t i = 0; i < count; i++)
        assert_product(&operations[i], operations[i].y.data, operations[i].a, operations[i].b,
                       blocks);
}

static bool
available(void)
{
    bool yes = (bm_cpu_features() & BM_CPU_FMA) != 0 && (bm_cpu_features() & BM_CPU_AVX2) != 0;

    if (!yes)
        printf("skipped: no FMA on this processor\n");
    return yes;
}

static void
products_and_squares_agree_with_gmp_at_every_width(void **unused)
{
    (void)unused;
    if (!available())
        skip();
    for (size_t blocks = 2; blocks <= MAX_BLOCKS; blocks += blocks < 12   ? 1
                                                            : blocks < 40 ? 7
                                                                          : 13) {
        for (int round = 0; round < (blocks < 12 ? 36 : 12); round++)
            run(blocks, 1 + (size_t)round % 2, round);
    }
    run(MAX_BLOCKS, 2, 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_and_squares_agree_with_gmp_at_every_width),
    };

    gmp_randinit_default(rng);
    op_memory = guarded_new(2 * sizeof(bm_fma_op) / 8);
    for (int i = 0; i < 2; i++) {
        operation *o = &operations[i];

        *o = (operation){.x = guarded_new(MAX_DIGITS),
                         .y = guarded_new(MAX_DIGITS),
                         .z = guarded_new(MAX_DIGITS),
                         .u = guarded_new(MAX_DIGITS),
                         .m = guarded_new(2 * MAX_DIGITS + 5)};
        mpz_inits(o->n, o->a, o->b, NULL);
    }
    return cmocka_run_group_tests_name("fma", tests, NULL, NULL);
}
