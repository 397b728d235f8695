/* The Ed25519 kernels with AVX512-IFMA: a row of ed25519_kernels.h and the assembly that it stands
 * on. */
#ifndef BM_ED25519_IFMA_H
#define BM_ED25519_IFMA_H

#include "ed25519_kernels.h"

extern const bm_ed25519_kernels bm_ed25519_kernels_ifma;

/* Contracts: asm/amd64/. Points are 20 limbs: digit k, in radix 2^51, of lane l is limb 4 k + l. */
void bm_point_run_ifma(bm_limb p[20], const bm_limb *steps);
void bm_point_cache_ifma(bm_limb n[20], const bm_limb p[20]);
void bm_point_base_ifma(bm_limb p[4][20], bm_limb shadow[2], const uint8_t t[40],
                        const bm_limb *table, bm_limb scratch[280]);

/* Steps for bm_point_run_ifma, besides the addresses of points in form N. */
enum { BM_STEP_DOUBLE = 0, BM_STEP_END = 1, BM_STEP_SUBTRACT = 2 /* added to an address */ };

#endif
