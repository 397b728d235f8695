/*
 * What every representation of the field of p = 2^255 - 19 shares: powers, inverse, comparison.
 *
 * The file that includes this has included a representation before it, which gives
 *
 *   fe                    an element; its limbs are redundant
 *   fe_mul(z, x, y)       z = x y; x, y products, sums or differences of two, or a sum of these
 *   fe_sqr(z, x)          z = x^2, likewise
 *   fe_sqr_n(z, x, n)     z = x^(2^n), n >= 1 and public
 *   fe_add(z, x, y)       z = x + y
 *   fe_sub(z, x, y)       z = x - y; y a product or decoded
 *   fe_from_limbs(z, x)   from four limbs below 2^255, not necessarily below p
 *   fe_to_limbs(z, x)     to the canonical four limbs
 *
 * where z may be x or y. Everything is constant time but what is called _vartime.
 */
#ifndef BM_FIELD25519_H
#define BM_FIELD25519_H

#include "field25519_inverse.h"

static const bm_limb fe_limbs_zero[4] = {0};
static const bm_limb fe_limbs_one[4] = {1};

/* d = -121665/121666 */
static const bm_limb fe_limbs_d[4] = {
    UINT64_C(0x75eb4dca135978a3),
    UINT64_C(0x00700a4d4141d8ab),
    UINT64_C(0x8cc740797779e898),
    UINT64_C(0x52036cee2b6ffe73),
};

/* 2 d */
static const bm_limb fe_limbs_2d[4] = {
    UINT64_C(0xebd69b9426b2f159),
    UINT64_C(0x00e0149a8283b156),
    UINT64_C(0x198e80f2eef3d130),
    UINT64_C(0x2406d9dc56dffce7),
};

/* 2^((p-1)/4), whose square is -1 */
static const bm_limb fe_limbs_root_minus1[4] = {
    UINT64_C(0xc4ee1b274a0ea0b0),
    UINT64_C(0x2f431806ad2fe478),
    UINT64_C(0x2b4d00993dfbd7a7),
    UINT64_C(0x2b8324804fc1df0b),
};

/* z = x^(2^250 - 1), and *x11 = x^11. e_n stands for x^(2^n - 1): e_(m+n) = e_m^(2^n) e_n */
static void
fe_pow_2_250_1(fe *z, fe *x11, const fe *x)
{
    fe t, x2, x9, e5, e10, e20, e50, e100;

    fe_sqr(&x2, x);
    fe_sqr_n(&t, &x2, 2);
    fe_mul(&x9, &t, x);
    fe_mul(x11, &x9, &x2);
    fe_sqr(&t, x11);
    fe_mul(&e5, &t, &x9); /* 22 + 9 = 31 */
    fe_sqr_n(&t, &e5, 5);
    fe_mul(&e10, &t, &e5);
    fe_sqr_n(&t, &e10, 10);
    fe_mul(&e20, &t, &e10);
    fe_sqr_n(&t, &e20, 20);
    fe_mul(&t, &t, &e20);
    fe_sqr_n(&t, &t, 10);
    fe_mul(&e50, &t, &e10);
    fe_sqr_n(&t, &e50, 50);
    fe_mul(&e100, &t, &e50);
    fe_sqr_n(&t, &e100, 100);
    fe_mul(&t, &t, &e100);
    fe_sqr_n(&t, &t, 50);
    fe_mul(z, &t, &e50);
}

#ifdef __SIZEOF_INT128__

/* z = 1/x, 0 for 0 */
static inline void
fe_inv(fe *z, const fe *x)
{
    bm_limb limbs[4];

    fe_to_limbs(limbs, x);
    bm_f25519_inv(limbs, limbs);
    fe_from_limbs(z, limbs);
    bm_wipe(limbs, sizeof(limbs));
}

/* The same, of a public x. */
static inline void
fe_inv_vartime(fe *z, const fe *x)
{
    bm_limb limbs[4];

    fe_to_limbs(limbs, x);
    bm_f25519_inv_vartime(limbs, limbs);
    fe_from_limbs(z, limbs);
}

#else

/* z = 1/x = x^(p-2), 0 for 0: p - 2 = (2^250 - 1) 2^5 + 11 */
static void
fe_inv(fe *z, const fe *x)
{
    fe t, x11;

    fe_pow_2_250_1(&t, &x11, x);
    fe_sqr_n(&t, &t, 5);
    fe_mul(z, &t, &x11);
}

#define fe_inv_vartime fe_inv

#endif

/* z = x^((p-5)/8): (p-5)/8 = (2^250 - 1) 2^2 + 1 */
static void
fe_pow_p58(fe *z, const fe *x)
{
    fe t, unused;

    fe_pow_2_250_1(&t, &unused, x);
    fe_sqr_n(&t, &t, 2);
    fe_mul(z, &t, x);
}

/* x == y; x a product, sum or difference, y a product or decoded. */
static bm_mask
fe_eq(const fe *x, const fe *y)
{
    fe t;
    bm_limb l[4];

    fe_sub(&t, x, y);
    fe_to_limbs(l, &t);
    return bm_mask_zero(l[0] | l[1] | l[2] | l[3]);
}

#endif
