/*
 * Kernels for four full limbs: bm_f25519_<op>_<isa> in the field of p = 2^255 - 19,
 * bm_p25519_<op>_<isa> for points. Constant time.
 *
 * mul: z = x y; sqr: z = x^(2^n), n >= 1 and public. x, y are any numbers below 2^256; z is some
 * number below 2^256 of the right class modulo p. z, x, y may be the same array.
 *
 * Points are X, Y, Z, T as products and decoding leave them: below 2^255 + 1463, as the mul and sqr
 * of these kernels leave z. double: r = 2 p. add: r = p + q or, with negate, p - q; q as
 * Y + X, Y - X, 2 Z, 2 d T. add_affine: q as y + x, y - x, 2 d x y. q's numbers are below 2^256. T
 * is written only with_t. The flags are public. r may be p.
 */
#ifndef BM_FIELD25519_KERNELS_H
#define BM_FIELD25519_KERNELS_H

#include "ct.h"

#define BM_FIELD25519_KERNELS(isa)                                                  \
    void bm_f25519_mul_##isa(bm_limb z[4], const bm_limb x[4], const bm_limb y[4]); \
    void bm_f25519_sqr_##isa(bm_limb z[4], const bm_limb x[4], unsigned n)

#define BM_POINT25519_KERNELS(isa)                                                                \
    void bm_p25519_double_##isa(bm_limb r[16], const bm_limb p[16], int with_t);                  \
    void bm_p25519_add_##isa(bm_limb r[16], const bm_limb p[16], const bm_limb q[16], int negate, \
                             int with_t);                                                         \
    void bm_p25519_add_affine_##isa(bm_limb r[16], const bm_limb p[16], const bm_limb q[12],      \
                                    int negate, int with_t)

/*
 * select: z = table[index], a table of the comb (bm_base_comb, as limbs), or its negative where
 * negative is 1: the negative point, and q - shadow with q = BM_SHADOW_PRIME. index < 16 and
 * negative are secret, and all entries are read. add_select: p += z as add_affine does, and then
 * the same.
 */
void bm_p25519_select_arm64(bm_limb z[14], const bm_limb (*table)[14], unsigned index,
                            unsigned negative);
void bm_p25519_add_select_adx(bm_limb p[16], bm_limb z[14], const bm_limb (*table)[14],
                              unsigned index, unsigned negative, int with_t);

BM_FIELD25519_KERNELS(portable);
BM_FIELD25519_KERNELS(adx);
BM_FIELD25519_KERNELS(amd64);
BM_FIELD25519_KERNELS(arm64);
BM_POINT25519_KERNELS(adx);
BM_POINT25519_KERNELS(amd64);
BM_POINT25519_KERNELS(arm64);

#endif
