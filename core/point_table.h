/* Multiples of the base point B, made at build time by point_table.py and proved by a test. */
#ifndef BM_POINT_TABLE_H
#define BM_POINT_TABLE_H

#include "ct.h"

/* An affine point, for addition: canonical limbs of y + x, y - x and 2 d x y. */
typedef struct bm_niels {
    bm_limb y_plus_x[4];
    bm_limb y_minus_x[4];
    bm_limb xy2d[4];
} bm_niels;

/* One that carries the shadow of its k: [k]B with k modulo BM_SHADOW_PRIME. */
typedef struct bm_comb_entry {
    bm_niels point;
    bm_limb shadow;
    bm_limb pad; /* seven vectors of two limbs */
} bm_comb_entry;

#define BM_SHADOW_PRIME ((UINT64_C(1) << 61) - 1)

enum {
    BM_COMB_TABLES = 13,
    BM_COMB_TEETH = 5,
    BM_COMB_SPACE = 4, /* from tooth to tooth: the number of steps */
    BM_COMB_ENTRIES = 16,
    BM_ENTRY_LIMBS = 14,
    BM_NAF_PARTS = 4,
    BM_NAF_ENTRIES = 64,
};

/*
 * A comb for scalars whose bits all count, as + or as - (M. Hamburg, "Fast and compact
 * elliptic-curve cryptography", 2012): entry i of table m is the sum over the teeth j of [2^(4 (j +
 * 5 m))]B, with a minus where bit j of i is 0. The last tooth has no bit and always a plus: the
 * rest are negatives.
 */
extern const bm_comb_entry bm_base_comb[BM_COMB_TABLES][BM_COMB_ENTRIES];

/* [(2 j + 1) 2^(64 k)]B in part k, entry j. */
extern const bm_niels bm_base_naf[BM_NAF_PARTS][BM_NAF_ENTRIES];

#endif
