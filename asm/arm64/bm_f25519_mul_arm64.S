/*
 * void bm_f25519_mul_arm64(bm_limb z[4], const bm_limb x[4], const bm_limb y[4])
 *
 * z = x y modulo p = 2^255 - 19: x, y any numbers below 2^256, z tight (below 2^255 + 1463). z, x, y may
 * be the same array. Constant time.
 *
 *   in       x0 z, x1 x, x2 y
 *   holds    x3-x6 x; x7 x1 two limbs of y; x8-x15 product; x16 x17 x2 halves
 *   clobbers x1-x17, flags
 */
#include "asm.h"
#include "arm64/fold25519.h"

#define Z x0
#define Y x2
#define X0 x3
#define X1 x4
#define X2 x5
#define X3 x6
#define Y0 x7
#define Y1 x1
#define R0 x8
#define R1 x9
#define R2 x10
#define R3 x11
#define R4 x12
#define R5 x13
#define R6 x14
#define R7 x15
#define P0 x16
#define P1 x17

/* clang-format off */

/* r0..r3 += x y, top = what is carried out; p is a register more */
.macro MAC_4 y, r0, r1, r2, r3, top, p
    mul P0, X0, \y
    mul P1, X1, \y
    mul \p, X2, \y
    adds \r0, \r0, P0
    mul P0, X3, \y
    adcs \r1, \r1, P1
    umulh P1, X0, \y
    adcs \r2, \r2, \p
    umulh \p, X1, \y
    adcs \r3, \r3, P0
    umulh P0, X2, \y
    adc \top, xzr, xzr
    adds \r1, \r1, P1
    umulh P1, X3, \y
    adcs \r2, \r2, \p
    adcs \r3, \r3, P0
    adc \top, \top, P1
.endm

/* clang-format on */

FUNC(bm_f25519_mul_arm64)
    ldp X0, X1, [x1]
    ldp X2, X3, [x1, #16]
    ldp Y0, Y1, [Y]
    mul R0, X0, Y0
    mul R1, X1, Y0
    mul R2, X2, Y0
    mul R3, X3, Y0
    umulh P0, X0, Y0
    umulh P1, X1, Y0
    umulh R7, X2, Y0
    umulh R4, X3, Y0
    adds R1, R1, P0
    adcs R2, R2, P1
    adcs R3, R3, R7
    adc R4, R4, xzr
    MAC_4 Y1, R1, R2, R3, R4, R5, R7
    ldp Y0, Y1, [Y, #16]
    MAC_4 Y0, R2, R3, R4, R5, R6, Y
    MAC_4 Y1, R3, R4, R5, R6, R7, Y
    FOLD_25519 R0, R1, R2, R3, R0, R1, R2, R3, R4, R5, R6, R7, X0, X1, X2, X3, Y0
    stp R0, R1, [Z]
    stp R2, R3, [Z, #16]
    ret
END(bm_f25519_mul_arm64)
