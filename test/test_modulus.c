/* Moduli, Montgomery form and exponentiation against GMP, for every kernel set of this processor. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <gmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels.h"

enum { MAX = BM_MAX_LIMBS };

static gmp_randstate_t rng;

static void
get(mpz_t z, const bm_limb *x, size_t num)
{
    mpz_import(z, num, -1, 8, 0, 0, x);
}

static void
put(bm_limb *x, size_t num, const mpz_t z)
{
    memset(x, 0, num * sizeof(*x));
    mpz_export(x, NULL, -1, 8, 0, 0, z);
}

/* An odd modulus of exactly that many bits, sparse and dense runs included. */
static void
random_modulus(mpz_t m, size_t bits)
{
    mpz_rrandomb(m, rng, bits);
    mpz_setbit(m, bits - 1);
    mpz_setbit(m, 0);
}

/* FAILURES.md rows 1, 3, 10, 13: base 0, 1, m-1, random; exponents 0, 1, 3, 65537, random. */
static void
check_exp(const bm_kernels *kernels, size_t bits)
{
    size_t num = BM_LIMBS_OF_BITS(bits);
    bm_limb *mem = calloc(bm_modulus_limbs(kernels, num), 8);
    size_t scratch_limbs = bm_scratch_limbs(kernels, num);
    bm_limb *scratch = malloc(scratch_limbs * 8);
    bm_limb x[MAX], e[MAX], z[MAX], ml[MAX];
    mpz_t m, xx, ee, want, got;
    bm_modulus mod;

    mpz_inits(m, xx, ee, want, got, NULL);
    random_modulus(m, bits);
    put(ml, num, m);
    memset(scratch, 0xA5, scratch_limbs * 8);
    assert_true(bm_modulus_init(&mod, kernels, ml, num, mem, scratch));
    assert_int_equal(mod.bits, bits);
    mpz_set_ui(want, 1);
    mpz_mul_2exp(want, want, 128 * num);
    mpz_mod(want, want, m);
    get(got, mod.rr, num);
    assert_int_equal(mpz_cmp(got, want), 0);

    for (int i = 0; i < 12; i++) {
        size_t e_bits = i % 3 == 0 ? 17 : i % 3 == 1 ? bits : 100;

        mpz_rrandomb(ee, rng, e_bits);
        if (i < 4)
            mpz_set_ui(ee, (unsigned long[]){0, 1, 3, 65537}[i]);
        mpz_urandomm(xx, rng, m);
        if (i >= 4 && i < 7) {
            mpz_set_ui(xx, (unsigned long)(i - 4));
            if (i == 6)
                mpz_sub_ui(xx, m, 1);
        }
        mpz_powm(want, xx, ee, m);
        put(x, num, xx);
        put(e, MAX, ee);
        memset(scratch, 0xFF, scratch_limbs * 8); /* row 11: scratch is poison */
        bm_exp(z, x, e, e_bits, &mod, scratch);
        get(got, z, num);
        assert_int_equal(mpz_cmp(got, want), 0);
        memset(scratch, 0xA5, scratch_limbs * 8);
        bm_exp_vartime(z, x, e, e_bits, &mod, scratch);
        get(got, z, num);
        assert_int_equal(mpz_cmp(got, want), 0);
    }
    mpz_clears(m, xx, ee, want, got, NULL);
    free(mem);
    free(scratch);
}

static void
exp_agrees_with_gmp(void **state)
{
    (void)state;
    for (size_t i = 0; i < bm_num_kernel_sets; i++) {
        const bm_kernels *set = bm_kernels_find(bm_kernel_sets[i].name, bm_cpu_features());

        printf("kernels %s: %s\n", bm_kernel_sets[i].name, set ? "run" : "skipped, not on this processor");
        if (set == NULL)
            continue;
        for (size_t bits = 2; bits <= 1100; bits += bits < 130 ? 1 : 37)
            check_exp(set, bits);
        check_exp(set, 2048);
        check_exp(set, 3072);
    }
}

static void
reduce_agrees_with_gmp(void **state)
{
    (void)state;
    for (size_t n = 1; n <= 20; n++) {
        const bm_kernels *set = bm_kernels_find("auto", bm_cpu_features());
        bm_limb mem[8192], scratch[8192], ml[MAX], x[MAX], z[MAX];
        mpz_t m, xx, want, got;
        bm_modulus mod;

        mpz_inits(m, xx, want, got, NULL);
        assert_true(bm_modulus_limbs(set, n) <= 8192 && bm_scratch_limbs(set, n) <= 8192);
        random_modulus(m, 64 * n - (n % 2) * 7);
        put(ml, n, m);
        assert_true(bm_modulus_init(&mod, set, ml, n, mem, scratch));
        for (size_t nx = 1; nx <= 3 * n; nx++) {
            mpz_rrandomb(xx, rng, 64 * nx);
            put(x, nx, xx);
            bm_reduce(z, x, nx, &mod, scratch);
            get(got, z, n);
            mpz_mod(want, xx, m);
            assert_int_equal(mpz_cmp(got, want), 0);
        }
        mpz_clears(m, xx, want, got, NULL);
    }
}

/* FAILURES.md row 24 */
static void
init_refuses_what_is_no_modulus(void **state)
{
    const bm_kernels *set = bm_kernels_find("auto", bm_cpu_features());
    bm_limb mem[4096], scratch[4096];
    bm_modulus mod;

    (void)state;
    assert_false(bm_modulus_init(&mod, set, (bm_limb[]){0}, 1, mem, scratch));
    assert_false(bm_modulus_init(&mod, set, (bm_limb[]){1}, 1, mem, scratch));
    assert_false(bm_modulus_init(&mod, set, (bm_limb[]){2}, 1, mem, scratch));
    assert_false(bm_modulus_init(&mod, set, (bm_limb[]){4, 1}, 2, mem, scratch));
    assert_false(bm_modulus_init(&mod, set, (bm_limb[]){5, 0}, 2, mem, scratch));
    assert_false(bm_modulus_init(&mod, set, (bm_limb[]){5}, 0, mem, scratch));
    assert_true(bm_modulus_init(&mod, set, (bm_limb[]){3}, 1, mem, scratch));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exp_agrees_with_gmp),
        cmocka_unit_test(reduce_agrees_with_gmp),
        cmocka_unit_test(init_refuses_what_is_no_modulus),
    };

    gmp_randinit_default(rng);
    return cmocka_run_group_tests_name("modulus", tests, NULL, NULL);
}
