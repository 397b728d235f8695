/*
 * The Montgomery kernels of every set that the processor has, on the operands that have broken such
 * kernels before, against GMP: each width up to 72 limbs, each overlap that kernels.h allows.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <gmp.h>
#include <stdio.h>
#include <string.h>

#include "kernels.h"

enum { MAX = 72, KINDS = 9 };

static gmp_randstate_t rng;

static void
put(bm_limb *x, size_t num, const mpz_t z)
{
    assert_true(mpz_sizeinbase(z, 2) <= 64 * num);
    memset(x, 0, num * sizeof(*x));
    mpz_export(x, NULL, -1, 8, 0, 0, z);
}

/* Operands by kind; those from 7 on are above m, below R. */
static void
operand(mpz_t z, const mpz_t m, size_t num, int kind)
{
    mpz_t r;

    mpz_init(r);
    mpz_setbit(r, 64 * num);
    switch (kind) {
    case 0:
        mpz_set_ui(z, 0);
        break;
    case 1:
        mpz_set_ui(z, 1);
        break;
    case 2:
        mpz_sub_ui(z, m, 1);
        break;
    case 3:
        mpz_sub_ui(z, m, 2);
        break;
    case 4:
        mpz_mod(z, r, m);
        break;
    case 5:
        mpz_urandomm(z, rng, m);
        break;
    case 6:
        mpz_rrandomb(z, rng, 64 * num);
        mpz_mod(z, z, m);
        break;
    case 7:
        mpz_sub_ui(z, r, 1);
        break;
    default:
        mpz_rrandomb(z, rng, 64 * num);
    }
    mpz_clear(r);
}

/* Moduli by kind: 2^(64 num) - 1 and the like, 2^(64 num - 1) + 1, long runs, dense. */
static void
modulus(mpz_t m, size_t num, int kind)
{
    mpz_set_ui(m, 0);
    switch (kind) {
    case 0:
        mpz_setbit(m, 64 * num);
        mpz_sub_ui(m, m, 1);
        break;
    case 1:
        mpz_setbit(m, 64 * num - 1);
        mpz_add_ui(m, m, 1);
        break;
    case 2:
        mpz_setbit(m, 64 * num);
        mpz_sub_ui(m, m, 1 + 2 * gmp_urandomb_ui(rng, 20));
        mpz_setbit(m, 0);
        break;
    case 3: /* one significant bit in the top limb */
        mpz_urandomb(m, rng, 64 * num - 63);
        mpz_setbit(m, 64 * num - 64);
        break;
    case 4:
        mpz_rrandomb(m, rng, 64 * num);
        break;
    default:
        mpz_urandomb(m, rng, 64 * num);
        mpz_setbit(m, 64 * num - 1);
    }
    mpz_setbit(m, 0);
    if (mpz_cmp_ui(m, 1) == 0)
        mpz_set_ui(m, 3);
}

static void
expect(const bm_limb *z, size_t num, const mpz_t want, const char *set, int kx, int ky)
{
    mpz_t got;

    mpz_init(got);
    mpz_import(got, num, -1, 8, 0, 0, z);
    if (mpz_cmp(got, want) != 0)
        fail_msg("%s, %zu limbs, operands %d and %d", set, num, kx, ky);
    mpz_clear(got);
}

static void
check(const bm_kernels *set, size_t num, int kind)
{
    static bm_limb scratch[BM_MONT_SCRATCH_LIMBS(MAX)];
    bm_limb x[MAX + 1], y[MAX + 1], m[MAX], z[MAX + 1], t[2 * MAX];
    bm_limb n0, inverse = 1;
    mpz_t mm, xx, yy, want, r_inverse;

    mpz_inits(mm, xx, yy, want, r_inverse, NULL);
    modulus(mm, num, kind);
    put(m, num, mm);
    for (int i = 0; i < 6; i++)
        inverse *= 2 - m[0] * inverse;
    n0 = 0 - inverse;
    mpz_setbit(r_inverse, 64 * num);
    assert_true(mpz_invert(r_inverse, r_inverse, mm));

    for (int kx = 0; kx < KINDS; kx++)
        for (int ky = 0; ky < 7; ky++) {
            operand(xx, mm, num, kx);
            operand(yy, mm, num, ky);
            put(x, num, xx);
            put(y, num, yy);
            mpz_mul(want, xx, yy);
            mpz_mul(want, want, r_inverse);
            mpz_mod(want, want, mm);

            z[num] = 0x5A5A5A5A5A5A5A5A;
            memset(scratch, ky % 2 ? 0xA5 : 0xFF, sizeof(scratch)); /* FAILURES.md row 11 */
            set->mont_mul(z, x, y, m, n0, num, scratch);
            expect(z, num, want, set->name, kx, ky);
            assert_true(z[num] == 0x5A5A5A5A5A5A5A5A);
            memcpy(z, x, num * sizeof(*x)); /* z = x, z = y: row 12 */
            set->mont_mul(z, z, y, m, n0, num, scratch);
            expect(z, num, want, set->name, kx, ky);
            memcpy(z, y, num * sizeof(*x));
            set->mont_mul(z, x, z, m, n0, num, scratch);
            expect(z, num, want, set->name, kx, ky);

            memset(t, 0, sizeof(t)); /* x y < m R, given whole */
            bm_mul(t, x, num, y, num);
            set->mont_reduce(z, t, m, n0, num);
            expect(z, num, want, set->name, kx, ky);
            bm_mul(t, x, num, y, num);
            set->mont_reduce(t, t, m, n0, num);
            expect(t, num, want, set->name, kx, ky);
            bm_mul(t, x, num, y, num);
            set->mont_reduce(t + num, t, m, n0, num);
            expect(t + num, num, want, set->name, kx, ky);
        }
    for (int kx = 0; kx < 7; kx++) {
        operand(xx, mm, num, kx);
        put(x, num, xx);
        for (int i = 0; i < 20; i++) { /* chains: FAILURES.md row 4 */
            mpz_mul(xx, xx, xx);
            mpz_mul(xx, xx, r_inverse);
            mpz_mod(xx, xx, mm);
            set->mont_sqr(i % 2 ? x : z, i % 2 ? z : x, m, n0, num, scratch);
            expect(i % 2 ? x : z, num, xx, set->name, kx, i);
        }
        set->mont_sqr(x, x, m, n0, num, scratch);
    }
    mpz_clears(mm, xx, yy, want, r_inverse, NULL);
}

/* FAILURES.md rows 1 to 8, 11, 12 */
static void
kernels_agree_with_gmp_at_their_edges(void **state)
{
    (void)state;
    for (size_t i = 0; i < bm_num_kernel_sets; i++) {
        const bm_kernels *set = bm_kernels_find(bm_kernel_sets[i].name, bm_cpu_features());

        printf("kernels %s: %s\n", bm_kernel_sets[i].name,
               set ? "run" : "skipped, not on this processor");
        for (size_t num = 1; set != NULL && num <= MAX; num += num < 33 ? 1 : 13)
            for (int kind = 0; kind < 6; kind++)
                check(set, num, kind);
    }
}

/* Every index of every table size, at widths around each vector; the table is only read. */
static void
gather_takes_the_entry(void **state)
{
    bm_limb table[64 * 20], z[21];

    (void)state;
    for (size_t i = 0; i < 64 * 20; i++)
        table[i] = (bm_limb)gmp_urandomb_ui(rng, 32) << 32 | gmp_urandomb_ui(rng, 32);
    for (size_t i = 0; i < bm_num_kernel_sets; i++) {
        const bm_kernels *set = bm_kernels_find(bm_kernel_sets[i].name, bm_cpu_features());

        for (size_t num = 1; set != NULL && num <= 20; num++)
            for (size_t count = 1; count <= 64; count += count < 4 ? 1 : 15)
                for (size_t index = 0; index < count; index++) {
                    memset(z, 0xA5, sizeof(z));
                    set->gather(z, table, num, count, index);
                    assert_memory_equal(z, table + index * num, num * sizeof(*z));
                    assert_true(z[num] == 0xA5A5A5A5A5A5A5A5);
                }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_agree_with_gmp_at_their_edges),
        cmocka_unit_test(gather_takes_the_entry),
    };

    gmp_randinit_default(rng);
    return cmocka_run_group_tests_name("montgomery", tests, NULL, NULL);
}
