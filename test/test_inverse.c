/* Inverses and gcds against GMP: odd and even moduli, common factors, extreme and sparse operands.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <gmp.h>
#include <stdlib.h>
#include <string.h>

#include "bigmod.h"

enum { MAX = 40 };

static gmp_randstate_t rng;

static void
put(bm_limb *x, size_t num, const mpz_t z)
{
    assert_true(mpz_sizeinbase(z, 2) <= 64 * num);
    memset(x, 0, num * sizeof(*x));
    mpz_export(x, NULL, -1, 8, 0, 0, z);
}

static void
expect(const bm_limb *x, size_t num, const mpz_t want)
{
    mpz_t got;

    mpz_init(got);
    mpz_import(got, num, -1, 8, 0, 0, x);
    assert_int_equal(mpz_cmp(got, want), 0);
    mpz_clear(got);
}

/* An operand of up to num limbs, of a kind: dense, long runs of bits, small, near a power of two.
 */
static void
operand(mpz_t z, size_t num, int kind)
{
    switch (kind % 6) {
    case 0:
        mpz_urandomb(z, rng, 64 * num);
        break;
    case 1:
        mpz_rrandomb(z, rng, 64 * num);
        break;
    case 2:
        mpz_urandomb(z, rng, 3);
        break;
    case 3:
        mpz_set_ui(z, 0);
        mpz_setbit(z, gmp_urandomm_ui(rng, 64 * num));
        break;
    case 4:
        mpz_set_ui(z, 0);
        mpz_setbit(z, 64 * num);
        mpz_sub_ui(z, z, 1 + gmp_urandomm_ui(rng, 4));
        break;
    default:
        mpz_urandomb(z, rng, 1 + gmp_urandomm_ui(rng, 64 * num));
    }
}

static void
inverse_agrees_with_gmp(void **state)
{
    bm_limb x[MAX], m[MAX], z[MAX], scratch[8 * (MAX + 1)];
    mpz_t xx, mm, want, factor;

    (void)state;
    mpz_inits(xx, mm, want, factor, NULL);
    for (size_t num = 1; num <= MAX; num += num < 6 ? 1 : 7) {
        assert_true(bm_inverse_scratch_limbs(num) <= 8 * (MAX + 1));
        for (int i = 0; i < 36 * (num < 6 ? 20 : 2); i++) {
            bool exists;

            operand(xx, num, i);
            operand(mm, num, i / 6);
            if (mpz_sgn(mm) == 0)
                mpz_set_ui(mm, 1);
            if (i % 5 == 0 && num > 1) { /* a common factor */
                mpz_urandomb(factor, rng, 30);
                mpz_setbit(factor, 1);
                mpz_tdiv_q_2exp(xx, xx, 32);
                mpz_tdiv_q_2exp(mm, mm, 32);
                mpz_add_ui(mm, mm, 1);
                mpz_mul(xx, xx, factor);
                mpz_mul(mm, mm, factor);
            }
            put(x, num, xx);
            put(m, num, mm);
            exists = mpz_invert(want, xx, mm) != 0;
            if (mpz_cmp_ui(mm, 1) == 0)
                mpz_set_ui(want, 0);
            else if (!exists)
                mpz_set_ui(want, 0);
            exists = exists || mpz_cmp_ui(mm, 1) == 0;

            memset(scratch, 0xA5, sizeof(scratch));
            memset(z, 0xFF, sizeof(z));
            assert_int_equal(bm_declassify(bm_inverse(z, x, m, num, scratch), "a test"), exists);
            expect(z, num, want);
            memset(scratch, 0xFF, sizeof(scratch));
            memcpy(z, x, sizeof(z)); /* z = x */
            assert_int_equal(bm_inverse_vartime(z, z, m, num, scratch), exists);
            expect(z, num, want);
            memcpy(z, m, sizeof(z)); /* z = m */
            assert_int_equal(bm_declassify(bm_inverse(z, x, z, num, scratch), "a test"), exists);
            expect(z, num, want);
        }
    }
    mpz_clears(xx, mm, want, factor, NULL);
}

static void
gcd_agrees_with_gmp(void **state)
{
    bm_limb x[MAX], y[MAX], z[MAX], scratch[8 * (MAX + 1)];
    mpz_t xx, yy, want, factor;

    (void)state;
    mpz_inits(xx, yy, want, factor, NULL);
    for (size_t num = 1; num <= MAX; num += num < 6 ? 1 : 7) {
        for (int i = 0; i < 36 * (num < 6 ? 20 : 2); i++) {
            operand(xx, num, i);
            operand(yy, num, i / 6);
            if (i % 3 == 0) {
                mpz_urandomb(factor, rng, 20);
                mpz_mul_2exp(factor, factor, gmp_urandomm_ui(rng, 32 * num));
                mpz_mul(xx, xx, factor);
                mpz_mul(yy, yy, factor);
                mpz_fdiv_r_2exp(xx, xx, 64 * num);
                mpz_fdiv_r_2exp(yy, yy, 64 * num);
            }
            if (i == 7)
                mpz_set_ui(xx, 0);
            if (i == 8)
                mpz_set_ui(yy, 0);
            if (i == 9) {
                mpz_set_ui(xx, 0);
                mpz_set_ui(yy, 0);
            }
            mpz_gcd(want, xx, yy);
            put(x, num, xx);
            put(y, num, yy);
            memset(scratch, 0xA5, sizeof(scratch));
            bm_gcd(z, x, y, num, scratch);
            expect(z, num, want);
        }
    }
    mpz_clears(xx, yy, want, factor, NULL);
}

/* Every pair of small numbers. */
static void
small_inverses_and_gcds_are_all_right(void **state)
{
    bm_limb scratch[16], z;

    (void)state;
    for (bm_limb m = 1; m < 70; m++)
        for (bm_limb x = 0; x < 80; x++) {
            bool exists = bm_declassify(bm_inverse(&z, &x, &m, 1, scratch), "a test");
            mpz_t g;

            mpz_init_set_ui(g, (unsigned long)x);
            assert_int_equal(exists, mpz_gcd_ui(NULL, g, (unsigned long)m) == 1);
            assert_true(z < m);
            if (exists)
                assert_int_equal(z * x % m, 1 % m);
            bm_gcd(&z, &x, &m, 1, scratch);
            assert_int_equal(z, mpz_gcd_ui(NULL, g, (unsigned long)m));
            mpz_clear(g);
        }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inverse_agrees_with_gmp),
        cmocka_unit_test(gcd_agrees_with_gmp),
        cmocka_unit_test(small_inverses_and_gcds_are_all_right),
    };

    gmp_randinit_default(rng);
    return cmocka_run_group_tests_name("inverse", tests, NULL, NULL);
}
