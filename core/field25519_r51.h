/*
 * The field of 2^255 - 19 in radix 2^51, for compilers with a 128-bit integer: the portable
 * representation (its contract is field25519.h).
 *
 * Bounds. tight: limbs below 2^51 + 2^15, as products leave them. loose: limbs below 2^54. fe_mul
 * and fe_sqr take loose and give tight; fe_add and fe_sub of tight operands give limbs below
 * 2^52.6, and one more addition of tight operands stays loose. D. J. Bernstein's radix for 64-bit
 * machines (Ed25519, 2011).
 */
#ifndef BM_FIELD25519_R51_H
#define BM_FIELD25519_R51_H

#include "ct.h"

typedef unsigned __int128 bm_wide;

typedef struct fe {
    uint64_t v[5];
} fe;

#define FE_MASK ((UINT64_C(1) << 51) - 1)

/* 19 x without a multiplier: two leas on amd64 (as of 19 * x), two adds of shifted operands on
 * arm64. */
static inline uint64_t
fe_times19(uint64_t x)
{
    return x + ((x + (x << 3)) << 1);
}

/* [c_i < 2^115] */
static inline void
fe_carry_wide(fe *z, bm_wide c0, bm_wide c1, bm_wide c2, bm_wide c3, bm_wide c4)
{
    uint64_t z0, z1;

    c1 += (uint64_t)(c0 >> 51);
    c2 += (uint64_t)(c1 >> 51);
    c3 += (uint64_t)(c2 >> 51);
    c4 += (uint64_t)(c3 >> 51);
    /* 2^255 = 19 */
    z0 = ((uint64_t)c0 & FE_MASK) + fe_times19((uint64_t)(c4 >> 51));
    z1 = ((uint64_t)c1 & FE_MASK) + (z0 >> 51);
    z->v[0] = z0 & FE_MASK;
    z->v[1] = z1;
    z->v[2] = (uint64_t)c2 & FE_MASK;
    z->v[3] = (uint64_t)c3 & FE_MASK;
    z->v[4] = (uint64_t)c4 & FE_MASK;
}

static inline void
fe_mul(fe *z, const fe *x, const fe *y)
{
    bm_wide x0 = x->v[0], x1 = x->v[1], x2 = x->v[2], x3 = x->v[3], x4 = x->v[4];
    uint64_t y0 = y->v[0], y1 = y->v[1], y2 = y->v[2], y3 = y->v[3], y4 = y->v[4];
    uint64_t w1 = fe_times19(y1), w2 = fe_times19(y2), w3 = fe_times19(y3), w4 = fe_times19(y4);

    fe_carry_wide(z, x0 * y0 + x1 * w4 + x2 * w3 + x3 * w2 + x4 * w1,
                  x0 * y1 + x1 * y0 + x2 * w4 + x3 * w3 + x4 * w2,
                  x0 * y2 + x1 * y1 + x2 * y0 + x3 * w4 + x4 * w3,
                  x0 * y3 + x1 * y2 + x2 * y1 + x3 * y0 + x4 * w4,
                  x0 * y4 + x1 * y3 + x2 * y2 + x3 * y1 + x4 * y0);
}

static inline void
fe_sqr(fe *z, const fe *x)
{
    uint64_t x0 = x->v[0], x1 = x->v[1], x2 = x->v[2], x3 = x->v[3], x4 = x->v[4];
    uint64_t d0 = 2 * x0, d1 = 2 * x1, d2 = 2 * x2;
    uint64_t w3 = fe_times19(x3), w4 = fe_times19(x4);
    bm_wide w = w4;

    fe_carry_wide(z, (bm_wide)x0 * x0 + w * d1 + (bm_wide)w3 * d2,
                  (bm_wide)d0 * x1 + w * d2 + (bm_wide)w3 * x3,
                  (bm_wide)d0 * x2 + (bm_wide)x1 * x1 + w * (2 * x3),
                  (bm_wide)d0 * x3 + (bm_wide)d1 * x2 + w * x4,
                  (bm_wide)d0 * x4 + (bm_wide)d1 * x3 + (bm_wide)x2 * x2);
}

/* z = x^(2^n), n >= 1 */
static inline void
fe_sqr_n(fe *z, const fe *x, unsigned n)
{
    fe_sqr(z, x);
    while (--n > 0)
        fe_sqr(z, z);
}

static inline void
fe_add(fe *z, const fe *x, const fe *y)
{
#pragma GCC unroll 5
    for (int i = 0; i < 5; i++)
        z->v[i] = x->v[i] + y->v[i];
}

/* z = x + 2 p - y; y tight */
static inline void
fe_sub(fe *z, const fe *x, const fe *y)
{
    z->v[0] = x->v[0] + (2 * FE_MASK - 36) - y->v[0];
#pragma GCC unroll 5
    for (int i = 1; i < 5; i++)
        z->v[i] = x->v[i] + 2 * FE_MASK - y->v[i];
}

/* z = x, limbs below 2^51 but for z_0's carry of at most 19 2^13; x loose. */
static inline void
fe_carry(fe *z, const fe *x)
{
    uint64_t c = 0;

    for (int i = 0; i < 5; i++) {
        c += x->v[i];
        z->v[i] = c & FE_MASK;
        c >>= 51;
    }
    z->v[0] += fe_times19(c);
}

/* z = x[0..3], x < 2^255; tight. */
static inline void
fe_from_limbs(fe *z, const bm_limb x[4])
{
    z->v[0] = x[0] & FE_MASK;
    z->v[1] = (x[0] >> 51 | x[1] << 13) & FE_MASK;
    z->v[2] = (x[1] >> 38 | x[2] << 26) & FE_MASK;
    z->v[3] = (x[2] >> 25 | x[3] << 39) & FE_MASK;
    z->v[4] = x[3] >> 12;
}

/* z = x mod p, canonical; x loose. */
static inline void
fe_to_limbs(bm_limb z[4], const fe *x)
{
    fe t;
    uint64_t q = 19;

    fe_carry(&t, x);
    /* [t < 2^255 + 2^18] q = 1 when t >= p: t + 19 reaches 2^255; and 2 p > t */
    for (int i = 0; i < 5; i++)
        q = (t.v[i] + q) >> 51;
    t.v[0] += fe_times19(q);
    for (int i = 0; i < 4; i++) {
        t.v[i + 1] += t.v[i] >> 51;
        t.v[i] &= FE_MASK;
    }
    t.v[4] &= FE_MASK; /* - q 2^255 */
    z[0] = t.v[0] | t.v[1] << 51;
    z[1] = t.v[1] >> 13 | t.v[2] << 38;
    z[2] = t.v[2] >> 26 | t.v[3] << 25;
    z[3] = t.v[3] >> 39 | t.v[4] << 12;
}

#endif
