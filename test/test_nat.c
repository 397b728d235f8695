/* Numbers: sums, products, shifts, divisions, comparisons and bytes, against GMP. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <gmp.h>
#include <stdlib.h>
#include <string.h>

#include "bigmod.h"

enum { MAX = 24 };

static gmp_randstate_t rng;
static const char why[] = "a test";

static void
put(bm_limb *x, size_t num, const mpz_t z)
{
    memset(x, 0, num * sizeof(*x));
    mpz_export(x, NULL, -1, 8, 0, 0, z);
}

static void
get(mpz_t z, const bm_limb *x, size_t num)
{
    mpz_import(z, num, -1, 8, 0, 0, x);
}

static void
expect(const bm_limb *x, size_t num, const mpz_t want)
{
    mpz_t got;

    mpz_init(got);
    get(got, x, num);
    assert_int_equal(mpz_cmp(got, want), 0);
    mpz_clear(got);
}

/* Dense numbers, long runs, short ones, all ones, zero. */
static void
operand(mpz_t z, size_t num, int kind)
{
    switch (kind % 5) {
    case 0:
        mpz_urandomb(z, rng, 64 * num);
        break;
    case 1:
        mpz_rrandomb(z, rng, 64 * num);
        break;
    case 2:
        mpz_urandomb(z, rng, 1 + gmp_urandomm_ui(rng, 64 * num));
        break;
    case 3:
        mpz_set_ui(z, 0);
        mpz_setbit(z, 64 * num);
        mpz_sub_ui(z, z, 1);
        break;
    default:
        mpz_set_ui(z, gmp_urandomm_ui(rng, 2));
    }
}

static void
sums_and_comparisons_agree_with_gmp(void **state)
{
    bm_limb x[MAX], y[MAX], z[MAX];
    mpz_t xx, yy, want;

    (void)state;
    mpz_inits(xx, yy, want, NULL);
    for (size_t num = 1; num <= MAX; num++)
        for (int i = 0; i < 50; i++) {
            operand(xx, num, i);
            operand(yy, num, i / 5);
            if (i % 7 == 0)
                mpz_set(yy, xx);
            put(x, num, xx);
            put(y, num, yy);

            mpz_add(want, xx, yy);
            assert_int_equal(bm_add(z, x, y, num), mpz_tstbit(want, 64 * num));
            mpz_fdiv_r_2exp(want, want, 64 * num);
            expect(z, num, want);
            mpz_sub(want, xx, yy);
            assert_int_equal(bm_sub(z, x, y, num), mpz_sgn(want) < 0);
            mpz_fdiv_r_2exp(want, want, 64 * num);
            expect(z, num, want);

            for (int yes = 0; yes < 2; yes++) {
                memcpy(z, x, sizeof(x));
                mpz_set(want, xx);
                if (yes)
                    mpz_add(want, xx, yy);
                assert_int_equal(bm_cond_add(z, y, bm_mask_of(yes), num),
                                 mpz_tstbit(want, 64 * num));
                mpz_fdiv_r_2exp(want, want, 64 * num);
                expect(z, num, want);
                memcpy(z, x, sizeof(x));
                mpz_set(want, xx);
                if (yes)
                    mpz_sub(want, xx, yy);
                assert_int_equal(bm_cond_sub(z, y, bm_mask_of(yes), num), mpz_sgn(want) < 0);
                mpz_fdiv_r_2exp(want, want, 64 * num);
                expect(z, num, want);
                bm_cond_select(z, bm_mask_of(yes), x, y, num);
                expect(z, num, yes ? xx : yy);
                bm_cond_swap(x, y, bm_mask_of(yes), num);
                expect(x, num, yes ? yy : xx);
                bm_cond_swap(x, y, bm_mask_of(yes), num);
                expect(y, num, yy);
            }

            assert_int_equal(bm_declassify(bm_lt(x, y, num), why), mpz_cmp(xx, yy) < 0);
            assert_int_equal(bm_declassify(bm_eq(x, y, num), why), mpz_cmp(xx, yy) == 0);
            assert_int_equal(bm_declassify(bm_is_zero(x, num), why), mpz_sgn(xx) == 0);
            assert_int_equal(bm_declassify(bm_is_one(x, num), why), mpz_cmp_ui(xx, 1) == 0);
            assert_int_equal(bm_declassify(bm_is_odd(x, num), why), mpz_odd_p(xx) != 0);
            assert_int_equal(bm_bits_vartime(x, num), mpz_sgn(xx) ? mpz_sizeinbase(xx, 2) : 0);
        }
    mpz_clears(xx, yy, want, NULL);
}

static void
products_shifts_and_quotients_agree_with_gmp(void **state)
{
    bm_limb x[MAX], y[MAX], z[2 * MAX], q[MAX], scratch[2 * MAX];
    mpz_t xx, yy, want, rest;

    (void)state;
    mpz_inits(xx, yy, want, rest, NULL);
    for (size_t nx = 1; nx <= MAX; nx += nx < 4 ? 1 : 3)
        for (size_t ny = 1; ny <= MAX; ny += ny < 4 ? 1 : 5)
            for (int i = 0; i < 15; i++) {
                unsigned shift = (unsigned)gmp_urandomm_ui(rng, 64);

                operand(xx, nx, i);
                operand(yy, ny, i / 5);
                if (mpz_sgn(yy) == 0)
                    mpz_set_ui(yy, 3);
                put(x, nx, xx);
                put(y, ny, yy);

                bm_mul(z, x, nx, y, ny);
                mpz_mul(want, xx, yy);
                expect(z, nx + ny, want);
                bm_shift_right(z, x, shift, nx);
                mpz_fdiv_q_2exp(want, xx, shift);
                expect(z, nx, want);

                memset(scratch, 0xA5, sizeof(scratch));
                bm_divide(q, z, x, nx, y, ny, scratch);
                mpz_fdiv_qr(want, rest, xx, yy);
                expect(q, nx, want);
                expect(z, ny, rest);
                bm_divide(NULL, z, x, nx, y, ny, scratch);
                expect(z, ny, rest);

                if (nx == ny && mpz_odd_p(yy)) { /* z y = x mod 2^(64 num) */
                    bm_divide_odd(z, x, y, nx);
                    get(want, z, nx);
                    mpz_mul(want, want, yy);
                    mpz_sub(want, want, xx);
                    assert_int_equal(mpz_divisible_2exp_p(want, 64 * nx), 1);
                }
            }
    mpz_clears(xx, yy, want, rest, NULL);
}

/* FAILURES.md rows 29, 59: lengths 0 and 1, 4096 leading zeros, and always all the bytes. */
static void
bytes_become_numbers_and_back(void **state)
{
    uint8_t in[4096 + 64], out[200];
    bm_limb x[8];

    (void)state;
    for (size_t len = 0; len <= 64; len++)
        for (size_t zeros = 0; zeros <= 4096; zeros += zeros < 2 ? 1 : 4094) {
            memset(in, 0, sizeof(in));
            for (size_t i = 0; i < len; i++)
                in[zeros + i] = (uint8_t)gmp_urandomb_ui(rng, 8);
            assert_true(bm_decode(x, 8, in, zeros + len));
            memset(out, 0xA5, sizeof(out));
            bm_encode(out, len, x, 8);
            assert_memory_equal(out, in + zeros, len);
            assert_int_equal(out[len], 0xA5);
            bm_encode(out, len + 100, x, 8); /* padded to the length that was asked for */
            for (size_t i = 0; i < 100; i++)
                assert_int_equal(out[i], 0);
            assert_memory_equal(out + 100, in + zeros, len);
        }
    memset(in, 0, sizeof(in));
    in[0] = 1; /* one bit more than fits */
    memset(x, 0xA5, sizeof(x));
    assert_false(bm_decode(x, 8, in, 65));
    for (int i = 0; i < 8; i++)
        assert_true(x[i] == 0);
    assert_true(bm_decode(x, 8, in + 1, 64));
    assert_true(bm_decode(x, 8, NULL, 0));
    assert_false(bm_decode(x, 0, in, 1));
    assert_true(bm_decode(x, 0, in + 1, 5));
}

static void
masks_tell_the_truth(void **state)
{
    static const bm_limb some[] = {
        0, 1, 2, 1ull << 31, 1ull << 32, (1ull << 63) - 1, 1ull << 63, UINT64_MAX - 1, UINT64_MAX};
    enum { N = sizeof(some) / sizeof(some[0]) };

    (void)state;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            bm_mask lt = bm_mask_lt(some[i], some[j]), eq = bm_mask_eq(some[i], some[j]);

            assert_true(lt.bits == (some[i] < some[j] ? UINT64_MAX : 0));
            assert_true(eq.bits == (some[i] == some[j] ? UINT64_MAX : 0));
            assert_true(bm_mask_zero(some[i]).bits == (some[i] == 0 ? UINT64_MAX : 0));
            assert_true(bm_select(lt, some[i], some[j]) == (some[i] < some[j] ? some[i] : some[j]));
            assert_true(bm_mask_or(lt, eq).bits == (some[i] <= some[j] ? UINT64_MAX : 0));
            assert_true(bm_mask_and(lt, eq).bits == 0);
            assert_true(bm_mask_not(lt).bits == ~lt.bits);
        }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_and_comparisons_agree_with_gmp),
        cmocka_unit_test(products_shifts_and_quotients_agree_with_gmp),
        cmocka_unit_test(bytes_become_numbers_and_back),
        cmocka_unit_test(masks_tell_the_truth),
    };

    gmp_randinit_default(rng);
    return cmocka_run_group_tests_name("nat", tests, NULL, NULL);
}
