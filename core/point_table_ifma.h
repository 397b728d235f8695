/* Multiples of the base point B for vectors, made at build time by point_table_ifma.py. */
#ifndef BM_POINT_TABLE_IFMA_H
#define BM_POINT_TABLE_IFMA_H

#include "point_table.h"

enum { BM_ROWS_IFMA = 26, BM_ROW_ENTRIES_IFMA = 16, BM_NAF_PARTS_IFMA = 8 };

/* A prime; shadows are scalars modulo this. */
#define BM_SHADOW_PRIME_IFMA ((UINT64_C(1) << 56) - 5)

/*
 * Row i for bm_point_base_ifma: lane j of pair 5 c + k is digit k, in radix 2^51, of y - x, y + x,
 * 2 d x y (c = 0, 1, 2) of [(j + 1) 1024^i]B, but of x, y, x y in rows 0 and 13; of pair 15
 * (j + 1) 1024^i modulo the prime.
 */
extern const bm_limb bm_base_rows_ifma[BM_ROWS_IFMA][16][BM_ROW_ENTRIES_IFMA];

/* [(2 j + 1) 2^(32 k)]B in part k, entry j, ready to be added (form N of point25519_ifma.h). */
extern const bm_limb bm_base_naf_ifma[BM_NAF_PARTS_IFMA][BM_NAF_ENTRIES][20];

#endif
