/*
 * What the AVX512-IFMA kernels need of a modulus, made quickly: a public key is often used once.
 * Part of the `ifma` row's bm_vec, below exp_ifma.c.
 *
 * R^2 mod m, R = 2^(52 K): 2^(65 K) mod m by steps of up to 54 bits, a product by one digit each,
 * which is 2^(13 K) in Montgomery form; two squarings make it 2^(52 K), that is R R. All in
 * constant time.
 */
#include "exp_ifma.h"

#include <string.h>

typedef unsigned __int128 wide;

enum {
    DIGIT_BITS = BM_IFMA_DIGIT_BITS,
    STEP_BITS = 54, /* of a reduction step */
    TOP_BITS = 62,  /* of m and x that the quotient is made from */
};

bm_ifma_modulus
bm_ifma_modulus_of(const bm_modulus *m)
{
    bm_ifma_modulus p;

    p.shape = bm_ifma_shape_of(m->bits);
    p.digits = bm_ifma_digits_of(p.shape, m->bits);
    p.vectors = bm_ifma_vectors(p.shape);
    p.width = BM_IFMA_LANES * p.vectors;
    p.dealt = bm_ifma_dealt_of(1, p.shape, p.digits);
    p.dealt_n = p.dealt_rr = p.n = bm_ifma_aligned(m->vec);
    if (p.dealt != NULL) {
        p.n += bm_ifma_dealt_modulus_limbs(p.dealt);
        p.dealt_rr = p.n - p.dealt->vectors * p.dealt->lanes;
    }
    p.rr = p.n + BM_IFMA_LANES + 2 * p.width;
    return p;
}

/* 64 bits of x, num limbs, from bit `at` on. */
static bm_limb
bits_from(const bm_limb *x, size_t num, size_t at)
{
    size_t i = at / BM_LIMB_BITS, shift = at % BM_LIMB_BITS;
    bm_limb w = x[i] >> shift;

    if (shift != 0 && i + 1 < num)
        w |= x[i + 1] << (BM_LIMB_BITS - shift);
    return w;
}

/*
 * 2^123 / d, or up to 8 less, for 2^61 < d <= 2^62: with D = d / 2^62, Newton's Y = Y (2 - D Y)
 * from Y = 2.914 - 2 D, whose error of at most 0.086 squares each time and is on the lower side. Y
 * has 61 bits below the point; rounding raises it by 2 of the last at most. (A division instruction
 * would take its time by the operands.)
 */
static bm_limb
reciprocal(bm_limb d)
{
    bm_limb y = (bm_limb)(2.9142 * (double)((bm_limb)1 << 61)) - d;

    for (int i = 0; i < 5; i++) {
        bm_limb t = (bm_limb)((wide)d * y >> TOP_BITS);

        y = (bm_limb)((wide)y * (((bm_limb)1 << TOP_BITS) - t) >> 61);
    }
    return y - 4;
}

/*
 * x = x 2^k mod m up to a little: x < 1.125 m before and after; x of num + 1 limbs; k <= STEP_BITS.
 *
 * q = x 2^k / m is estimated from the bits from `at` = bits - 62 up, x' and m', as x' y 2^k with
 * y = 1 / (m' + 1). Cutting x and m loses less than 0.03 of q, y's rounding less than 0.08, and
 * cutting the product less than 1: x 2^k - q' m is in [0, 1.125 m).
 */
static void
step(bm_limb *x, const bm_modulus *m, size_t at, bm_limb y, unsigned k)
{
    const bm_limb q = (bm_limb)((wide)bits_from(x, m->num + 1, at) * y >> (TOP_BITS + 61 - k));
    bm_limb below = 0, carry = 0, borrow = 0;

    for (size_t i = 0; i <= m->num; i++) {
        wide product = (wide)(i < m->num ? m->m[i] : 0) * q + carry;
        bm_limb shifted = x[i] << k | below >> (BM_LIMB_BITS - k);
        wide difference = (wide)shifted - (bm_limb)product - borrow;

        below = x[i];
        carry = (bm_limb)(product >> BM_LIMB_BITS);
        x[i] = (bm_limb)difference;
        borrow = (bm_limb)(difference >> BM_LIMB_BITS) & 1;
    }
}

/* x = 2^power mod m, below 1.125 m, of num + 1 limbs; power >= bits - 1. */
static void
power_of_two_mod(bm_limb *x, size_t power, const bm_modulus *m)
{
    const size_t at = m->bits - TOP_BITS;
    const bm_limb y = reciprocal(bits_from(m->m, m->num, at) + 1);
    size_t left = power - (m->bits - 1);

    memset(x, 0, (m->num + 1) * sizeof(*x));
    x[(m->bits - 1) / BM_LIMB_BITS] = (bm_limb)1 << ((m->bits - 1) % BM_LIMB_BITS);
    while (left > 0) {
        unsigned k = left < STEP_BITS ? (unsigned)left : STEP_BITS;

        step(x, m, at, y, k);
        left -= k;
    }
}

void
bm_ifma_power_of_two(bm_limb *d, size_t width, size_t power)
{
    memset(d, 0, width * sizeof(*d));
    d[power / DIGIT_BITS] = (bm_limb)1 << (power % DIGIT_BITS);
}

void
bm_ifma_leave(bm_limb *z, const bm_limb *d, const bm_ifma_modulus *p, const bm_modulus *m)
{
    const size_t bit = BM_LIMB_BITS * m->num, j = bit / DIGIT_BITS;
    const bm_limb over = j < p->width ? d[j] >> (bit % DIGIT_BITS) : 0;
    bm_limb borrow;

    bm_from_digits_ifma(z, m->num, d, p->vectors);
    borrow = bm_sub(z, z, m->m, m->num);
    bm_cond_add(z, m->m, bm_mask_bit(borrow & (over ^ 1)), m->num);
}

/*
 * m->rr = 2^(128 num) mod m for the scalar functions. A product of 2^a and 2^b is 2^(a + b - 52 K);
 * a plain factor 2^b <= R / 4 keeps it below 1.5 m.
 */
static void
make_scalar_rr(bm_modulus *m, const bm_ifma_modulus *p, bm_limb *scratch)
{
    const size_t r_bits = DIGIT_BITS * p->digits, target = 2 * BM_LIMB_BITS * m->num;
    const bm_limb *from = p->rr; /* 2^(2 r_bits) */
    bm_limb *factor = scratch + p->width;
    size_t power = 2 * r_bits;

    if (target + 2 > power) {
        p->shape->amm(scratch, p->rr, p->rr, p->n, p->digits);
        from = scratch;
        power = 3 * r_bits;
    }
    bm_ifma_power_of_two(factor, p->width, target + r_bits - power);
    p->shape->amm(scratch, from, factor, p->n, p->digits);
    bm_ifma_leave(m->rr, scratch, p, m);
}

void
bm_ifma_prepare(bm_modulus *m, bm_limb *scratch)
{
    const bm_ifma_modulus p = bm_ifma_modulus_of(m);
    bm_limb *n = p.n + BM_IFMA_LANES, *shifted = n + p.width;
    bm_limb *z = bm_ifma_aligned(scratch), *x = z + 2 * p.width;

    memset(p.n, 0, BM_IFMA_LANES * sizeof(*n));
    p.n[0] = p.n[1] = m->n0 & (((bm_limb)1 << DIGIT_BITS) - 1);
    bm_to_digits_ifma(n, p.vectors, m->m, m->num);
    memcpy(shifted, n + 1, (p.width - 1) * sizeof(*n));
    shifted[p.width - 1] = 0;

    power_of_two_mod(x, (DIGIT_BITS + DIGIT_BITS / 4) * p.digits, m);
    bm_to_digits_ifma(z, p.vectors, x, m->num + 1);
    p.shape->ams(z, p.n, p.digits, 2);
    memcpy(p.rr, z, p.width * sizeof(*z));
    if (p.dealt != NULL) {
        bm_ifma_deal_modulus(p.dealt_n, p.n, p.dealt);
        bm_ifma_deal_out(p.dealt_rr, p.rr, p.dealt);
    }
    make_scalar_rr(m, &p, z);
    bm_wipe_vectors_ifma();
}
