/* The inverse in the field of 2^255 - 19 by division steps. */
#ifndef BM_INVERSE25519_H
#define BM_INVERSE25519_H

#include "ct.h"

/*
 * z = 1/x modulo p = 2^255 - 19, 0 for 0, four limbs; x < p, and so z. z may be x. Constant time.
 * For processors whose set of kernels includes amd64's.
 */
void bm_f25519_inverse_amd64(bm_limb z[4], const bm_limb x[4]);

/* asm/amd64/bm_divsteps_60_amd64.S */
int64_t bm_divsteps_60_amd64(int64_t m[4], int64_t d, bm_limb f, bm_limb g);

#endif
