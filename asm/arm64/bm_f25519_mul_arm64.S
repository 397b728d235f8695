/*
 * void bm_f25519_mul_arm64(bm_limb z[4], const bm_limb x[4], const bm_limb y[4])
 *
 * z = x y modulo p = 2^255 - 19: x, y any numbers below 2^256, z tight (below 2^255 + 1463). z, x,
 * y may be the same array. Constant time.
 *
 *   in       x0 z, x1 x, x2 y
 *   holds    x3-x6 x; x7 x1 two limbs of y; x8-x15 product; x16 x17 x2 more
 *   clobbers x1-x17, flags
 */
#include "asm.h"

#define R0 x8
#define R1 x9
#define R2 x10
#define R3 x11
#define R4 x12
#define R5 x13
#define R6 x14
#define R7 x15
#define S0 x16
#define S1 x17
#define S2 x7
#define S3 x1
#define S4 x2 /* once y is read */
#include "arm64/field25519_arm64.h"

FUNC(bm_f25519_mul_arm64)
    ldp x3, x4, [x1]
    ldp x5, x6, [x1, #16]
    FE_MUL x3, x4, x5, x6, x3, x4, x5, x6, x2
    stp x3, x4, [x0]
    stp x5, x6, [x0, #16]
    ret
END(bm_f25519_mul_arm64)
