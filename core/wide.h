/*
 * One-limb arithmetic with carries: the words that portable kernels are written in. Targets without
 * a 128-bit integer multiply by 32-bit halves.
 */
#ifndef BM_WIDE_H
#define BM_WIDE_H

#include "ct.h"

/* x + y + *carry; *carry (0 or 1) becomes the carry out. */
static inline bm_limb
bm_addc(bm_limb x, bm_limb y, bm_limb *carry)
{
    bm_limb s = x + y;
    bm_limb z = s + *carry;

    *carry = (bm_limb)(s < x) | (bm_limb)(z < s);
    return z;
}

/* x - y - *borrow; *borrow (0 or 1) becomes the borrow out. */
static inline bm_limb
bm_subb(bm_limb x, bm_limb y, bm_limb *borrow)
{
    bm_limb d = x - y;
    bm_limb z = d - *borrow;

    *borrow = (bm_limb)(x < y) | (bm_limb)(d < *borrow);
    return z;
}

/* The low limb of x y; *hi is the high one. */
static inline bm_limb
bm_mul_wide(bm_limb *hi, bm_limb x, bm_limb y)
{
#ifdef __SIZEOF_INT128__
    unsigned __int128 p = (unsigned __int128)x * y;

    *hi = (bm_limb)(p >> 64);
    return (bm_limb)p;
#else
    const bm_limb low = UINT32_MAX;
    bm_limb x0 = x & low, x1 = x >> 32, y0 = y & low, y1 = y >> 32;
    bm_limb p00 = x0 * y0, p01 = x0 * y1, p10 = x1 * y0, p11 = x1 * y1;
    bm_limb mid = (p00 >> 32) + (p01 & low) + (p10 & low); /* < 3 2^32 */

    *hi = p11 + (p01 >> 32) + (p10 >> 32) + (mid >> 32);
    return (mid << 32) | (p00 & low);
#endif
}

/* The low limb of x y + a + *carry, which fits two limbs; *carry is the high one. */
static inline bm_limb
bm_mul_add(bm_limb x, bm_limb y, bm_limb a, bm_limb *carry)
{
#ifdef __SIZEOF_INT128__
    unsigned __int128 p = (unsigned __int128)x * y + a + *carry;

    *carry = (bm_limb)(p >> 64);
    return (bm_limb)p;
#else
    bm_limb hi, lo = bm_mul_wide(&hi, x, y);
    bm_limb c = 0;

    lo = bm_addc(lo, a, &c);
    hi += c;
    c = 0;
    lo = bm_addc(lo, *carry, &c);
    *carry = hi + c;
    return lo;
#endif
}

/* z += x y over num limbs; the limb that is carried out of them. */
static inline bm_limb
bm_mul_add_row(bm_limb *z, const bm_limb *x, bm_limb y, size_t num)
{
    bm_limb carry = 0;

    for (size_t i = 0; i < num; i++)
        z[i] = bm_mul_add(x[i], y, z[i], &carry);
    return carry;
}

/* 1/x mod 2^64 for odd x, by Newton's iteration: the bits that are right double each time. */
static inline bm_limb
bm_inverse_limb(bm_limb x)
{
    bm_limb y = (3 * x) ^ 2; /* 1/x mod 2^5 */

    for (int bits = 5; bits < BM_LIMB_BITS; bits *= 2)
        y *= 2 - x * y;
    return y;
}

#endif
