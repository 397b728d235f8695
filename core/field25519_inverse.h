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

/* z = 1/x mod p, in time that may depend on x. */
void bm_f25519_inv_vartime(bm_limb z[4], const bm_limb x[4]);

/*
 * Division steps at work (field25519_inverse.c): numbers of five signed digits of 61 bits, times
 * four; t = u, v, q, r is twice 2^61 times the matrix of the last batch. The assembly kernel knows
 * the offsets.
 */
typedef struct bm_divsteps {
    int64_t f[5], g[5], d[5], e[5];
    int64_t t[4];
    int64_t scratch[8];
} bm_divsteps;

/*
 * 590 division steps from delta = 1/2: f[0] is the low digit of f then, and d and e are those
 * before the last batch, whose matrix t is. Everything else of s is undefined. Constant time.
 */
void bm_divsteps_amd64(bm_divsteps *s);
void bm_divsteps_portable(bm_divsteps *s);

#endif

#endif
