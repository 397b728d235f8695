/*
 * Inverses in the field of p = 2^255 - 19, for compilers with a 128-bit integer
 * (field25519_inverse.c). x and z are canonical limbs; the inverse of 0 is 0. z may be x.
 */
#ifndef BM_FIELD25519_INVERSE_H
#define BM_FIELD25519_INVERSE_H

#include "ct.h"

#ifdef __SIZEOF_INT128__

/* z = 1/x mod p, in constant time. */
void bm_f25519_inv(bm_limb z[4], const bm_limb x[4]);

/* z = 1/x mod p, in time that depends on x. */
void bm_f25519_inv_vartime(bm_limb z[4], const bm_limb x[4]);

/*
 * 20 division steps on the packed rows (field25519_inverse.c) *f and *g; *zeta is -(delta + 1/2).
 * Constant time.
 */
void bm_divsteps20_amd64(uint64_t *f, uint64_t *g, int64_t *zeta);
void bm_divsteps20_portable(uint64_t *f, uint64_t *g, int64_t *zeta);

#endif

#endif
