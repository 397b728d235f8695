/*
 * Integers modulo L = 2^252 + 27742317777372353535851937790883648493, the order of Ed25519's base
 * point (RFC 8032 5.1), as four little-endian limbs. Constant time.
 */
#ifndef BM_SCALAR_H
#define BM_SCALAR_H

#include "ct.h"

extern const bm_limb bm_scalar_order[4]; /* L */

/* z = x mod L, for any x of 512 bits. */
void bm_scalar_reduce(bm_limb z[4], const bm_limb x[8]);

/* z = x y + w mod L, for any x, y, w with x y + w < 2^512. */
void bm_scalar_mul_add(bm_limb z[4], const bm_limb x[4], const bm_limb y[4], const bm_limb w[4]);

/* x < L */
bm_mask bm_scalar_is_reduced(const bm_limb x[4]);

/* num limbs from and to 8 num bytes, little-endian. */
void bm_scalar_decode(bm_limb *z, const uint8_t *bytes, size_t num);
void bm_scalar_encode(uint8_t *bytes, const bm_limb *x, size_t num);

#endif
