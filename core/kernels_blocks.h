/* The Montgomery kernels that montgomery_blocks.c makes of assembly blocks; contracts: kernels.h.
 */
#ifndef BM_KERNELS_BLOCKS_H
#define BM_KERNELS_BLOCKS_H

#include "bigmod.h"

#define BM_DECLARE_BLOCK_KERNELS(isa)                                                              \
    void bm_mont_mul_##isa(bm_limb *z, const bm_limb *x, const bm_limb *y, const bm_limb *m,       \
                           bm_limb n0, size_t num, bm_limb *scratch);                              \
    void bm_mont_sqr_##isa(bm_limb *z, const bm_limb *x, const bm_limb *m, bm_limb n0, size_t num, \
                           bm_limb *scratch);                                                      \
    void bm_mont_reduce_##isa(bm_limb *z, bm_limb *t, const bm_limb *m, bm_limb n0, size_t num);   \
    void bm_mul_low_##isa(bm_limb *z, const bm_limb *x, const bm_limb *y, size_t num,              \
                          bm_limb *scratch);                                                       \
    void bm_sqr_low_##isa(bm_limb *z, const bm_limb *x, size_t num, bm_limb *scratch)

#ifdef BM_ASM_AMD64
BM_DECLARE_BLOCK_KERNELS(amd64);
#endif
#ifdef BM_ASM_ADX
BM_DECLARE_BLOCK_KERNELS(adx);
#endif
#ifdef BM_ASM_ARM64
BM_DECLARE_BLOCK_KERNELS(arm64);
void bm_gather_arm64(bm_limb *z, const bm_limb *table, size_t num, size_t count, bm_limb index);
#endif

/* gather of the same contract: bm_gather_amd64.S, bm_gather_avx2.S */
#ifdef BM_ASM_AMD64
void bm_gather_amd64(bm_limb *z, const bm_limb *table, size_t num, size_t count, bm_limb index);
#endif
#ifdef BM_ASM_FMA
void bm_gather_avx2(bm_limb *z, const bm_limb *table, size_t num, size_t count, bm_limb index);
#endif

#endif
