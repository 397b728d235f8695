/* bm_vec by AVX2 and FMA: exp_fma.c, for kernels.c. */
#ifndef BM_EXP_FMA_H
#define BM_EXP_FMA_H

#include "kernels.h"

extern const bm_vec bm_vec_fma;

#endif
