/*
 * void bm_f25519_sqr_arm64(bm_limb z[4], const bm_limb x[4], unsigned n)
 *
 * z = x^(2^n) modulo p = 2^255 - 19, n >= 1 and public: x any number below 2^256, z tight (below
 * 2^255 + 1463). z may be x. Constant time in x.
 *
 *   in       x0 z, x1 x, x2 n
 *   holds    x3-x6 x; x7-x14 square; x1 x15-x17 more
 *   clobbers x1-x17, flags
 */
#include "asm.h"

#define R0 x7
#define R1 x8
#define R2 x9
#define R3 x10
#define R4 x11
#define R5 x12
#define R6 x13
#define R7 x14
#define S0 x15
#define S1 x16
#define S2 x17
#define S3 x1
#define S4 x3 /* once x is squared */
#include "arm64/field25519_arm64.h"

FUNC(bm_f25519_sqr_arm64)
    ldp x3, x4, [x1]
    ldp x5, x6, [x1, #16]
1:  FE_SQR x3, x4, x5, x6, x3, x4, x5, x6
    sub w2, w2, #1
    cbnz w2, 1b
    stp x3, x4, [x0]
    stp x5, x6, [x0, #16]
    ret
END(bm_f25519_sqr_arm64)
