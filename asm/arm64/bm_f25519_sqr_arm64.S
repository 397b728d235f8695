/*
 * void bm_f25519_sqr_arm64(bm_limb z[4], const bm_limb x[4], unsigned n)
 *
 * z = x^(2^n) modulo p = 2^255 - 19, n >= 1 and public: x any number below 2^256, z tight (below 2^255 +
 * 1463). z may be x. Constant time in x.
 *
 *   in       x0 z, x1 x, x2 n
 *   holds    x3-x6 x; x7-x14 square; x1 x15-x17 halves
 *   clobbers x1-x17, flags
 */
#include "asm.h"
#include "arm64/fold25519.h"

#define Z x0
#define N w2
#define X0 x3
#define X1 x4
#define X2 x5
#define X3 x6
#define R0 x7
#define R1 x8
#define R2 x9
#define R3 x10
#define R4 x11
#define R5 x12
#define R6 x13
#define R7 x14
#define P0 x15
#define P1 x16
#define P2 x17
#define P3 x1

FUNC(bm_f25519_sqr_arm64)
    ldp X0, X1, [x1]
    ldp X2, X3, [x1, #16]

1:  /* r = x_0 x_1 2^64 + x_0 x_2 2^128 + x_0 x_3 2^192 + ... + x_2 x_3 2^320 */
    mul R1, X0, X1
    mul R2, X0, X2
    mul R3, X0, X3
    mul R4, X1, X3
    mul R5, X2, X3
    umulh P0, X0, X1
    umulh P1, X0, X2
    umulh P2, X0, X3
    umulh P3, X1, X3
    umulh R6, X2, X3
    adds R2, R2, P0
    mul P0, X1, X2
    adcs R3, R3, P1
    umulh P1, X1, X2
    adcs R4, R4, P2
    adcs R5, R5, P3
    adc R6, R6, xzr
    adds R3, R3, P0
    adcs R4, R4, P1
    adcs R5, R5, xzr
    adc R6, R6, xzr

    /* r = 2 r + x_0^2 + x_1^2 2^128 + x_2^2 2^256 + x_3^2 2^384 */
    adds R1, R1, R1
    mul R0, X0, X0
    adcs R2, R2, R2
    umulh P0, X0, X0
    adcs R3, R3, R3
    mul P1, X1, X1
    adcs R4, R4, R4
    umulh P2, X1, X1
    adcs R5, R5, R5
    mul P3, X2, X2
    adcs R6, R6, R6
    umulh X0, X2, X2
    adc R7, xzr, xzr
    adds R1, R1, P0
    mul X1, X3, X3
    adcs R2, R2, P1
    umulh X2, X3, X3
    adcs R3, R3, P2
    adcs R4, R4, P3
    adcs R5, R5, X0
    adcs R6, R6, X1
    adc R7, R7, X2

    FOLD_25519 X0, X1, X2, X3, R0, R1, R2, R3, R4, R5, R6, R7, X0, P0, P1, P2, P3
    sub N, N, #1
    cbnz N, 1b
    stp X0, X1, [Z]
    stp X2, X3, [Z, #16]
    ret
END(bm_f25519_sqr_arm64)
