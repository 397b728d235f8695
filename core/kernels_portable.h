/* The portable kernels, each the reference twin of the assembly that shares its contract
 * (kernels.h). */
#ifndef BM_KERNELS_PORTABLE_H
#define BM_KERNELS_PORTABLE_H

#include "bigmod.h"

void bm_mont_mul_portable(bm_limb *z, const bm_limb *x, const bm_limb *y, const bm_limb *m,
                          bm_limb n0, size_t num, bm_limb *scratch);
void bm_mont_sqr_portable(bm_limb *z, const bm_limb *x, const bm_limb *m, bm_limb n0, size_t num,
                          bm_limb *scratch);
void bm_mont_reduce_portable(bm_limb *z, bm_limb *t, const bm_limb *m, bm_limb n0, size_t num);
void bm_mul_low_portable(bm_limb *z, const bm_limb *x, const bm_limb *y, size_t num,
                         bm_limb *scratch);
void bm_sqr_low_portable(bm_limb *z, const bm_limb *x, size_t num, bm_limb *scratch);
void bm_gather_portable(bm_limb *z, const bm_limb *table, size_t num, size_t count, bm_limb index);

#endif
