/* Exponentiation modulo any number against GMP, for every kernel set of this processor. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <gmp.h>
#include <stdlib.h>
#include <string.h>

#include "kernels.h"

enum { MAX = 40 };

static gmp_randstate_t rng;

static void
put(bm_limb *x, size_t num, const mpz_t z)
{
    memset(x, 0, num * sizeof(*x));
    mpz_export(x, NULL, -1, 8, 0, 0, z);
}

static void
check(const bm_kernels *set, const mpz_t x, const mpz_t e, size_t e_bits, const mpz_t m, size_t num)
{
    const size_t limbs = bm_exp_any_scratch_limbs(set, num);
    bm_limb *scratch = malloc(8 * limbs + 8);
    bm_limb xl[MAX], el[MAX], ml[MAX], z[MAX + 1];
    mpz_t want, got;

    mpz_inits(want, got, NULL);
    mpz_powm(want, x, e, m);
    put(xl, num, x);
    put(el, MAX, e);
    put(ml, num, m);
    if (e_bits % 64 != 0) /* what lies above e_bits is not looked at */
        el[e_bits / 64] |= UINT64_MAX << e_bits % 64;
    for (int vartime = 0; vartime < 2; vartime++) {
        memset(scratch, vartime ? 0xFF : 0xA5, 8 * limbs + 8);
        memset(z, 0xA5, sizeof(z));
        if (vartime) {
            put(el, MAX, e);
            memcpy(z, xl, sizeof(xl[0]) * num); /* z may be x */
            assert_true(bm_exp_any_vartime(z, z, el, e_bits, ml, num, set, scratch));
        } else {
            assert_true(bm_exp_any(z, xl, el, e_bits, ml, num, set, scratch));
        }
        mpz_import(got, num, -1, 8, 0, 0, z);
        assert_int_equal(mpz_cmp(got, want), 0);
        assert_true(z[num] == 0xA5A5A5A5A5A5A5A5);
        assert_true(scratch[limbs] == (vartime ? UINT64_MAX : 0xA5A5A5A5A5A5A5A5));
    }
    mpz_clears(want, got, NULL);
    free(scratch);
}

static void
for_each_set(const mpz_t x, const mpz_t e, size_t e_bits, const mpz_t m, size_t num)
{
    for (size_t i = 0; i < bm_num_kernel_sets; i++) {
        const bm_kernels *set = bm_kernels_find(bm_kernel_sets[i].name, bm_cpu_features());

        if (set != NULL)
            check(set, x, e, e_bits, m, num);
    }
}

/* m = m1 2^k of about that many bits */
static void
random_modulus(mpz_t m, size_t bits, size_t k)
{
    if (k >= bits) {
        mpz_set_ui(m, 0);
        mpz_setbit(m, k);
        return;
    }
    mpz_rrandomb(m, rng, bits - k);
    mpz_setbit(m, bits - k - 1);
    mpz_setbit(m, 0);
    mpz_mul_2exp(m, m, k);
}

/* Even parts of the sizes and around limbs; bases even, odd, above m; long exponents. */
static void
any_modulus_agrees_with_gmp(void **state)
{
    static const size_t ks[] = {0,  1,   2,   3,   4,   8,   31,  32,  63,   64,  65,
                                96, 127, 128, 129, 255, 256, 511, 512, 1023, 1024};
    static const size_t lengths[] = {1, 2, 3, 64, 65, 384, 1024, 1100};
    mpz_t x, e, m;

    (void)state;
    mpz_inits(x, e, m, NULL);
    for (size_t i = 0; i < sizeof(ks) / sizeof(ks[0]); i++)
        for (size_t j = 0; j < sizeof(lengths) / sizeof(lengths[0]); j++) {
            size_t num = MAX - 20;

            random_modulus(m, lengths[j], ks[i]);
            if (j % 2 == 0)
                num = BM_LIMBS_OF_BITS(mpz_sizeinbase(m, 2));
            for (int n = 0; n < 8; n++) {
                size_t e_bits =
                    n < 4 ? 1 + gmp_urandomm_ui(rng, 40) : 1 + gmp_urandomm_ui(rng, 1300);

                mpz_rrandomb(x, rng, 64 * num);
                if (n % 2)
                    mpz_clrbit(x, 0);
                if (n == 3) { /* x = 0 mod a high power of two */
                    mpz_urandomb(x, rng, 32 * num);
                    mpz_mul_2exp(x, x, 31 * num);
                }
                mpz_urandomb(e, rng, e_bits);
                for_each_set(x, e, e_bits, m, num);
            }
        }
    mpz_clears(x, e, m, NULL);
}

/* FAILURES.md rows 13, 24: every small x, e, m, so 0^0, x^0, modulus 1 and powers of two */
static void
small_powers_are_all_right(void **state)
{
    mpz_t x, e, m;

    (void)state;
    mpz_inits(x, e, m, NULL);
    for (unsigned long mm = 1; mm <= 36; mm++)
        for (unsigned long xx = 0; xx < 20; xx++)
            for (unsigned long ee = 0; ee < 10; ee++) {
                const bm_kernels *set = bm_kernels_find("auto", bm_cpu_features());

                mpz_set_ui(x, xx);
                mpz_set_ui(e, ee);
                mpz_set_ui(m, mm);
                check(set, x, e, 4, m, 1);
                check(set, x, e, 130, m, 2);
            }
    mpz_clears(x, e, m, NULL);
}

/* An even base is 0 modulo 2^k from the exponent k on, and not before. */
static void
even_bases_vanish_at_the_right_exponent(void **state)
{
    mpz_t x, e, m;

    (void)state;
    mpz_inits(x, e, m, NULL);
    for (size_t k = 1; k < 140; k++)
        for (size_t n = k > 3 ? k - 3 : 0; n < k + 3; n++) {
            mpz_set_ui(x, 2);
            mpz_set_ui(e, (unsigned long)n);
            random_modulus(m, k + 20, k);
            for_each_set(x, e, 64, m, 4);
            mpz_setbit(e, 64); /* a large exponent with small low bits */
            for_each_set(x, e, 65, m, 4);
        }
    mpz_clears(x, e, m, NULL);
}

/* FAILURES.md row 24 */
static void
modulus_zero_is_refused(void **state)
{
    const bm_kernels *set = bm_kernels_find("auto", bm_cpu_features());
    bm_limb m[2] = {0}, x[2] = {5, 5}, e = 3, z[2] = {7, 7};
    bm_limb *scratch = malloc(8 * bm_exp_any_scratch_limbs(set, 2));

    (void)state;
    assert_false(bm_exp_any(z, x, &e, 2, m, 2, set, scratch));
    assert_true(z[0] == 0 && z[1] == 0);
    z[0] = 7;
    assert_false(bm_exp_any_vartime(z, x, &e, 2, m, 2, set, scratch));
    assert_true(z[0] == 0);
    free(scratch);
}

/* FAILURES.md row 27 */
static void
modulus_beyond_the_cap_is_refused(void **state)
{
    enum { NUM = BM_MAX_LIMBS + 1 };
    const bm_kernels *set = bm_kernels_find("auto", bm_cpu_features());
    static bm_limb m[NUM], x[NUM], z[NUM];
    bm_limb e = 3, *scratch = malloc(8 * bm_exp_any_scratch_limbs(set, NUM));

    (void)state;
    for (int i = 0; i < NUM; i++)
        m[i] = x[i] = z[i] = 7;
    assert_false(bm_exp_any(z, x, &e, 2, m, NUM, set, scratch));
    for (int i = 0; i < NUM; i++)
        assert_true(z[i] == 0);
    free(scratch);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_modulus_agrees_with_gmp),
        cmocka_unit_test(small_powers_are_all_right),
        cmocka_unit_test(even_bases_vanish_at_the_right_exponent),
        cmocka_unit_test(modulus_zero_is_refused),
        cmocka_unit_test(modulus_beyond_the_cap_is_refused),
    };

    gmp_randinit_default(rng);
    return cmocka_run_group_tests_name("exp_even", tests, NULL, NULL);
}
