/*
 * Rows of eight: the step that the arm64 products, squares and reductions share.
 *
 * A block of eight limbs stands in B0..B7 and meets one limb y after another. The window, the eight
 * limbs that are not finished yet, stands in W0..W7. A row finishes the lowest of them, w0, and
 * lets its register hold the new top limb: the window has moved up by one limb without a move, and
 * eight rows bring the names back in place.
 *
 *     [w + t + b y < 2^576 for eight limbs w and b and one t and y: nothing is lost at the top]
 *
 * Two carry chains a row, of low and of high halves: 33 or 34 instructions for eight products.
 */
#ifndef BM_ROWS_ARM64_H
#define BM_ROWS_ARM64_H

/* Pointers and counters: x0 to x5. x18 belongs to the platform, x29 to the frame. */
#define W0 x6
#define W1 x7
#define W2 x8
#define W3 x9
#define W4 x10
#define W5 x11
#define W6 x12
#define W7 x13
#define B0 x14
#define B1 x15
#define B2 x16
#define B3 x17
#define B4 x19
#define B5 x20
#define B6 x21
#define B7 x22
#define P0 x23 /* products */
#define P1 x24
#define P2 x25
#define P3 x26
#define Y0 x27 /* multipliers */
#define Y1 x28
#define T0 x30 /* limbs of the sum in memory */
#define T1 x5

/* clang-format off */

.macro LOAD_8 at, r0, r1, r2, r3, r4, r5, r6, r7
    ldp \r0, \r1, [\at]
    ldp \r2, \r3, [\at, #16]
    ldp \r4, \r5, [\at, #32]
    ldp \r6, \r7, [\at, #48]
.endm

.macro WINDOW_LOAD at
    LOAD_8 \at, W0, W1, W2, W3, W4, W5, W6, W7
.endm

.macro BLOCK_LOAD at
    LOAD_8 \at, B0, B1, B2, B3, B4, B5, B6, B7
.endm

.macro WINDOW_STORE at
    stp W0, W1, [\at]
    stp W2, W3, [\at, #16]
    stp W4, W5, [\at, #32]
    stp W6, W7, [\at, #48]
.endm

.macro WINDOW_ZERO
    mov W0, xzr
    mov W1, xzr
    mov W2, xzr
    mov W3, xzr
    mov W4, xzr
    mov W5, xzr
    mov W6, xzr
    mov W7, xzr
.endm

/*
 * After the first limb of the low halves, w0 + low(b0 y), has set the carry, and with P1..P3 the
 * low halves of b1..b3 y: the rest of both chains. w0's register becomes the top limb.
 */
.macro ROW_REST y, w0, w1, w2, w3, w4, w5, w6, w7
    mul P0, B4, \y
    adcs \w1, \w1, P1
    mul P1, B5, \y
    adcs \w2, \w2, P2
    mul P2, B6, \y
    adcs \w3, \w3, P3
    mul P3, B7, \y
    adcs \w4, \w4, P0
    umulh P0, B0, \y
    adcs \w5, \w5, P1
    umulh P1, B1, \y
    adcs \w6, \w6, P2
    umulh P2, B2, \y
    adcs \w7, \w7, P3
    umulh P3, B3, \y
    adc \w0, xzr, xzr
    adds \w1, \w1, P0
    umulh P0, B4, \y
    adcs \w2, \w2, P1
    umulh P1, B5, \y
    adcs \w3, \w3, P2
    umulh P2, B6, \y
    adcs \w4, \w4, P3
    umulh P3, B7, \y
    adcs \w5, \w5, P0
    adcs \w6, \w6, P1
    adcs \w7, \w7, P2
    adc \w0, \w0, P3
.endm

/* t, window = window + b y: t is written, not read */
.macro MUL_ROW y, t, w0, w1, w2, w3, w4, w5, w6, w7
    mul P0, B0, \y
    mul P1, B1, \y
    mul P2, B2, \y
    mul P3, B3, \y
    adds \t, \w0, P0
    ROW_REST \y, \w0, \w1, \w2, \w3, \w4, \w5, \w6, \w7
.endm

/* t, window = window + t + b y: high halves first, so that t comes in at the end of the carry */
.macro MAC_ROW y, t, w0, w1, w2, w3, w4, w5, w6, w7
    umulh P0, B0, \y
    umulh P1, B1, \y
    umulh P2, B2, \y
    umulh P3, B3, \y
    adds \t, \t, \w0
    adcs \w1, \w1, P0
    umulh P0, B4, \y
    adcs \w2, \w2, P1
    umulh P1, B5, \y
    adcs \w3, \w3, P2
    umulh P2, B6, \y
    adcs \w4, \w4, P3
    umulh P3, B7, \y
    adcs \w5, \w5, P0
    mul P0, B0, \y
    adcs \w6, \w6, P1
    mul P1, B1, \y
    adcs \w7, \w7, P2
    mul P2, B2, \y
    adc \w0, xzr, P3
    mul P3, B3, \y
    adds \t, \t, P0
    mul P0, B4, \y
    adcs \w1, \w1, P1
    mul P1, B5, \y
    adcs \w2, \w2, P2
    mul P2, B6, \y
    adcs \w3, \w3, P3
    mul P3, B7, \y
    adcs \w4, \w4, P0
    adcs \w5, \w5, P1
    adcs \w6, \w6, P2
    adcs \w7, \w7, P3
    adc \w0, \w0, xzr
.endm

/* Two rows, on limbs j and j + 1 of y and t. */
.macro MUL_ROWS at_y, at_t, j, w0, w1, w2, w3, w4, w5, w6, w7
    ldp Y0, Y1, [\at_y, #8*\j]
    MUL_ROW Y0, T0, \w0, \w1, \w2, \w3, \w4, \w5, \w6, \w7
    MUL_ROW Y1, T1, \w1, \w2, \w3, \w4, \w5, \w6, \w7, \w0
    stp T0, T1, [\at_t, #8*\j]
.endm

.macro MAC_ROWS at_y, at_t, j, w0, w1, w2, w3, w4, w5, w6, w7
    ldp Y0, Y1, [\at_y, #8*\j]
    ldp T0, T1, [\at_t, #8*\j]
    MAC_ROW Y0, T0, \w0, \w1, \w2, \w3, \w4, \w5, \w6, \w7
    MAC_ROW Y1, T1, \w1, \w2, \w3, \w4, \w5, \w6, \w7, \w0
    stp T0, T1, [\at_t, #8*\j]
.endm

/* t[0..7], window = the halves of window + b y[0..7] */
.macro MUL_8X8 at_y, at_t
    MUL_ROWS \at_y, \at_t, 0, W0, W1, W2, W3, W4, W5, W6, W7
    MUL_ROWS \at_y, \at_t, 2, W2, W3, W4, W5, W6, W7, W0, W1
    MUL_ROWS \at_y, \at_t, 4, W4, W5, W6, W7, W0, W1, W2, W3
    MUL_ROWS \at_y, \at_t, 6, W6, W7, W0, W1, W2, W3, W4, W5
.endm

/* t[0..7], window = the halves of window + t[0..7] + b y[0..7] */
.macro MAC_8X8 at_y, at_t
    MAC_ROWS \at_y, \at_t, 0, W0, W1, W2, W3, W4, W5, W6, W7
    MAC_ROWS \at_y, \at_t, 2, W2, W3, W4, W5, W6, W7, W0, W1
    MAC_ROWS \at_y, \at_t, 4, W4, W5, W6, W7, W0, W1, W2, W3
    MAC_ROWS \at_y, \at_t, 6, W6, W7, W0, W1, W2, W3, W4, W5
.endm

/* clang-format on */
#endif
