/*
 * Multiplication in the field of 2^255 - 19 on four full limbs: bm_f25519_<op>_<isa>.
 *
 * z = x y, z = x^2 modulo p, weakly: x, y any numbers below 2^256, z some number below 2^256 of the
 * right class. Constant time. z, x, y may be the same array.
 */
#ifndef BM_FIELD25519_KERNELS_H
#define BM_FIELD25519_KERNELS_H

#include "ct.h"

void bm_f25519_mul_portable(bm_limb z[4], const bm_limb x[4], const bm_limb y[4]);
void bm_f25519_sqr_portable(bm_limb z[4], const bm_limb x[4]);
#ifdef BM_ASM_ARM64
void bm_f25519_mul_arm64(bm_limb z[4], const bm_limb x[4], const bm_limb y[4]);
void bm_f25519_sqr_arm64(bm_limb z[4], const bm_limb x[4], unsigned n);
#endif

#endif
