/*
 * The field of p = 2^255 - 19 on four limbs in registers: products, squares, sums, differences.
 *
 * tight is below 2^255 + 1463, as products and squares are left; loose is any number below 2^256,
 * as they take. The file that includes this has named the registers that the macros use beside
 * their arguments: R0..R7 (a double-width product) and S0..S4.
 */
#ifndef BM_FIELD25519_ARM64_H
#define BM_FIELD25519_ARM64_H

/* clang-format off */

/* z0..z3 tight = r mod p: 2^256 = 38, then 2^255 = 19. z may be anything but S0..S3. */
.macro FE_FOLD z0, z1, z2, z3
    mov S4, #38
    mul S0, R4, S4
    mul S1, R5, S4
    mul S2, R6, S4
    mul S3, R7, S4
    adds R0, R0, S0
    umulh S0, R4, S4
    adcs R1, R1, S1
    umulh S1, R5, S4
    adcs R2, R2, S2
    umulh S2, R6, S4
    adcs R3, R3, S3
    umulh S3, R7, S4
    adc S3, S3, xzr
    adds R1, R1, S0
    mov S4, #19
    adcs R2, R2, S1
    adcs R3, R3, S2
    adc S3, S3, xzr
    /* [what goes beyond 2^256: S3 <= 38; beyond 2^255: <= 77] */
    extr S3, S3, R3, #63
    and R3, R3, #0x7fffffffffffffff
    mul S3, S3, S4
    adds \z0, R0, S3
    adcs \z1, R1, xzr
    adcs \z2, R2, xzr
    adc \z3, R3, xzr
.endm

/* r0..r3 += x y, top = what is carried out */
.macro FE_ROW y, x0, x1, x2, x3, r0, r1, r2, r3, top
    mul S0, \x0, \y
    mul S1, \x1, \y
    mul \top, \x2, \y
    adds \r0, \r0, S0
    mul S0, \x3, \y
    adcs \r1, \r1, S1
    umulh S1, \x0, \y
    adcs \r2, \r2, \top
    adcs \r3, \r3, S0
    umulh S0, \x1, \y
    adc \top, xzr, xzr
    adds \r1, \r1, S1
    umulh S1, \x2, \y
    adcs \r2, \r2, S0
    umulh S0, \x3, \y
    adcs \r3, \r3, S1
    adc \top, \top, S0
.endm

/* z = x y, y in memory at [at, #offset]; x is left as it is */
.macro FE_MUL z0, z1, z2, z3, x0, x1, x2, x3, at, offset=0
    ldp S2, S3, [\at, #\offset]
    mul R0, \x0, S2
    mul R1, \x1, S2
    mul R2, \x2, S2
    mul R3, \x3, S2
    umulh S0, \x0, S2
    umulh S1, \x1, S2
    umulh R5, \x2, S2
    umulh R4, \x3, S2
    adds R1, R1, S0
    adcs R2, R2, S1
    adcs R3, R3, R5
    adc R4, R4, xzr
    FE_ROW S3, \x0, \x1, \x2, \x3, R1, R2, R3, R4, R5
    ldp S2, S3, [\at, #\offset+16]
    FE_ROW S2, \x0, \x1, \x2, \x3, R2, R3, R4, R5, R6
    FE_ROW S3, \x0, \x1, \x2, \x3, R3, R4, R5, R6, R7
    FE_FOLD \z0, \z1, \z2, \z3
.endm

/* z = x^2; x is clobbered. z may be x, and x0 may be S4. */
.macro FE_SQR z0, z1, z2, z3, x0, x1, x2, x3
    /* r = x_0 x_1 2^64 + x_0 x_2 2^128 + x_0 x_3 2^192 + ... + x_2 x_3 2^320 */
    mul R1, \x0, \x1
    mul R2, \x0, \x2
    mul R3, \x0, \x3
    mul R4, \x1, \x3
    mul R5, \x2, \x3
    umulh S0, \x0, \x1
    umulh S1, \x0, \x2
    umulh S2, \x0, \x3
    umulh S3, \x1, \x3
    umulh R6, \x2, \x3
    adds R2, R2, S0
    mul S0, \x1, \x2
    adcs R3, R3, S1
    umulh S1, \x1, \x2
    adcs R4, R4, S2
    adcs R5, R5, S3
    adc R6, R6, xzr
    adds R3, R3, S0
    adcs R4, R4, S1
    adcs R5, R5, xzr
    adc R6, R6, xzr
    /* r = 2 r + x_0^2 + x_1^2 2^128 + x_2^2 2^256 + x_3^2 2^384 */
    adds R1, R1, R1
    mul R0, \x0, \x0
    adcs R2, R2, R2
    umulh S0, \x0, \x0
    adcs R3, R3, R3
    mul S1, \x1, \x1
    adcs R4, R4, R4
    umulh S2, \x1, \x1
    adcs R5, R5, R5
    mul S3, \x2, \x2
    adcs R6, R6, R6
    umulh \x0, \x2, \x2
    adc R7, xzr, xzr
    adds R1, R1, S0
    mul \x1, \x3, \x3
    adcs R2, R2, S1
    umulh \x2, \x3, \x3
    adcs R3, R3, S2
    adcs R4, R4, S3
    adcs R5, R5, \x0
    adcs R6, R6, \x1
    adc R7, R7, \x2
    FE_FOLD \z0, \z1, \z2, \z3
.endm

/* z = x + y, loose; x, y tight: a sum beyond 2^256 leaves less than 2926 */
.macro FE_ADD z0, z1, z2, z3, x0, x1, x2, x3, y0, y1, y2, y3
    mov S0, #38
    adds \z0, \x0, \y0
    adcs \z1, \x1, \y1
    adcs \z2, \x2, \y2
    adcs \z3, \x3, \y3
    csel S0, S0, xzr, cs
    add \z0, \z0, S0
.endm

/* z = x + y, loose; x, y loose: a second carry leaves less than 38 */
.macro FE_ADD_LOOSE z0, z1, z2, z3, x0, x1, x2, x3, y0, y1, y2, y3
    mov S0, #38
    adds \z0, \x0, \y0
    adcs \z1, \x1, \y1
    adcs \z2, \x2, \y2
    adcs \z3, \x3, \y3
    csel S1, S0, xzr, cs
    adds \z0, \z0, S1
    adcs \z1, \z1, xzr
    adcs \z2, \z2, xzr
    adcs \z3, \z3, xzr
    csel S1, S0, xzr, cs
    add \z0, \z0, S1
.endm

/* z = x - y, loose; x loose, y tight: below zero, the difference + 2^256 is above 2^254 */
.macro FE_SUB z0, z1, z2, z3, x0, x1, x2, x3, y0, y1, y2, y3
    mov S0, #38
    subs \z0, \x0, \y0
    sbcs \z1, \x1, \y1
    sbcs \z2, \x2, \y2
    sbcs \z3, \x3, \y3
    csel S0, S0, xzr, cc
    subs \z0, \z0, S0
    sbcs \z1, \z1, xzr
    sbcs \z2, \z2, xzr
    sbc \z3, \z3, xzr
.endm

/* clang-format on */
#endif
