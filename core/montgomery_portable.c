/*
 * The portable multiplications modulo odd numbers (Montgomery) and powers of two: the reference
 * twins of asm/, written to be believed.
 *
 * P. L. Montgomery, "Modular multiplication without trial division" (1985); the row-by-row
 * reduction is SOS of Koç, Acar, Kaliski, "Analyzing and comparing Montgomery multiplication
 * algorithms" (1996).
 */
#include "kernels_portable.h"
#include "wide.h"

#include <string.h>

/* [t < m R] */
void
bm_mont_reduce_portable(bm_limb *z, bm_limb *t, const bm_limb *m, bm_limb n0, size_t num)
{
    bm_limb top = 0; /* the carry out of t + (multiples of m), 0 or 1 */
    bm_limb borrow;
    bm_mask keep;

    /* t += u m 2^(64 i) with u = t_i n0 mod 2^64, which clears limb i */
    for (size_t i = 0; i < num; i++) {
        bm_limb row = bm_mul_add_row(t + i, m, t[i] * n0, num);

        t[i + num] = bm_addc(t[i + num], row, &top);
    }
    /* [t / R < 2 m]: one subtraction is enough */
    borrow = bm_sub(t, t + num, m, num);
    keep = bm_mask_bit(borrow & (top ^ 1));
    bm_cond_select(z, keep, t + num, t, num);
}

void
bm_mont_mul_portable(bm_limb *z, const bm_limb *x, const bm_limb *y, const bm_limb *m, bm_limb n0,
                     size_t num, bm_limb *scratch)
{
    bm_mul(scratch, x, num, y, num);
    bm_mont_reduce_portable(z, scratch, m, n0, num);
}

void
bm_mont_sqr_portable(bm_limb *z, const bm_limb *x, const bm_limb *m, bm_limb n0, size_t num,
                     bm_limb *scratch)
{
    bm_limb *t = scratch;
    bm_limb carry = 0, top = 0;

    /* t = sum over i < j of x_i x_j 2^(64 (i + j)) */
    memset(t, 0, 2 * num * sizeof(*t));
    for (size_t i = 0; i + 1 < num; i++)
        t[i + num] = bm_mul_add_row(t + 2 * i + 1, x + i + 1, x[i], num - 1 - i);
    /* t = 2 t + sum of x_i^2 2^(128 i) */
    for (size_t i = 0; i < num; i++) {
        bm_limb lo = t[2 * i], hi = t[2 * i + 1];
        bm_limb sq_hi, sq_lo = bm_mul_wide(&sq_hi, x[i], x[i]);

        t[2 * i] = bm_addc((lo << 1) | top, sq_lo, &carry);
        t[2 * i + 1] = bm_addc((hi << 1) | (lo >> 63), sq_hi, &carry);
        top = hi >> 63;
    }
    bm_mont_reduce_portable(z, t, m, n0, num);
}

void
bm_mul_low_portable(bm_limb *z, const bm_limb *x, const bm_limb *y, size_t num, bm_limb *scratch)
{
    (void)scratch;
    memset(z, 0, num * sizeof(*z));
    for (size_t i = 0; i < num; i++)
        bm_mul_add_row(z + i, x, y[i], num - i);
}

/* Products of two different limbs once, doubled, then the squares. */
void
bm_sqr_low_portable(bm_limb *z, const bm_limb *x, size_t num, bm_limb *scratch)
{
    bm_limb top = 0, carry = 0;

    (void)scratch;
    memset(z, 0, num * sizeof(*z));
    for (size_t i = 0; 2 * i + 1 < num; i++)
        bm_mul_add_row(z + 2 * i + 1, x + i + 1, x[i], num - 2 * i - 1);
    for (size_t i = 0; i < num; i++) {
        bm_limb doubled = z[i] << 1 | top, hi, lo = bm_mul_wide(&hi, x[i / 2], x[i / 2]);

        top = z[i] >> 63;
        z[i] = bm_addc(doubled, i % 2 == 0 ? lo : hi, &carry);
    }
}

void
bm_gather_portable(bm_limb *z, const bm_limb *table, size_t num, size_t count, bm_limb index)
{
    memset(z, 0, num * sizeof(*z));
    for (size_t i = 0; i < count; i++) {
        bm_mask here = bm_mask_eq(i, index);

        for (size_t j = 0; j < num; j++)
            z[j] |= bm_select(here, table[i * num + j], 0);
    }
}
