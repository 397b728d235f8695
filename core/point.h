/* Questions about encoded points that every kernel row shares. */
#ifndef BM_POINT_H
#define BM_POINT_H

#include "ct.h"

/*
 * Whether (x, y) is on the curve and `encoding` is E((x, y)): y below p is read from the encoding,
 * x is four canonical limbs. Constant time.
 */
bm_mask bm_point_proves(const uint8_t encoding[32], const bm_limb x[4]);

#endif
