/*
 * void bm_sqr_8n_arm64(bm_limb *z, const bm_limb *x, size_t num)
 *
 * z = x^2: the products x_i x_j with i < j once, in blocks of eight by eight limbs and triangles on
 * the diagonal; then z is doubled and the squares x_i^2 are added in one pass. num is a multiple of
 * 8, at least 8; z has 2 num limbs and does not overlap x. Constant time in all values.
 *
 *   in       x0 z, x1 x, x2 num
 *   holds    rows_arm64.h's; x2 the block of x that meets b; x3 end of x; x4 z where b began
 *   clobbers x0-x17, flags
 */
#include "asm.h"
#include "arm64/rows_arm64.h"

#define Z x0
#define X x1
#define Y x2
#define X_END x3
#define START x4
#define Z_ARG [x29, #96]
#define X_ARG [x29, #104]

/* clang-format off */

/* w1 += low(b1 y), w2 += low(b2 y), ... along the carry; the products take turns in p q r s */
.macro LOWS add, y, p, q, r, s, w, b, rest:vararg
    mul \p, \b, \y
    \add \w, \w, \p
.ifnb \rest
    LOWS adcs, \y, \q, \r, \s, \p, \rest
.endif
.endm

/* w2 += high(b1 y), w3 += high(b2 y), ...; the last high half and the carry onto top */
.macro HIGHS add, end, top, y, p, q, r, s, b, w, rest:vararg
    umulh \p, \b, \y
.ifb \w
    \end \top, \top, \p
.else
    \add \w, \w, \p
    HIGHS adcs, adc, \top, \y, \q, \r, \s, \p, \rest
.endif
.endm

/* w1 b1, w2 b2, ... are limbs of the window and those that y is multiplied by for them */
.macro TRIANGLE_ROW y, top, w, b, rest:vararg
    LOWS adds, \y, P0, P1, P2, P3, \w, \b, \rest
    adc \top, xzr, xzr
    HIGHS adds, add, \top, \y, P0, P1, P2, P3, \b, \rest
.endm

/* w0 w1 = 2 (w0 w1) + x^2 + the carry; before: the limb below w0 */
.macro SQUARE x, w0, w1, before, d0, d1
    mul P0, \x, \x
    umulh P1, \x, \x
    extr \d0, \w0, \before, #63
    extr \d1, \w1, \w0, #63
    adcs \d0, \d0, P0
    adcs \d1, \d1, P1
.endm

/* limbs j and j + 1 of x; the limb before z's comes in \before and goes out in \last */
.macro SQUARES j, before, last
    ldp Y0, Y1, [X, #8*\j]
    ldp W0, W1, [Z, #16*\j]
    ldp W2, \last, [Z, #16*\j+16]
    SQUARE Y0, W0, W1, \before, B0, B1
    SQUARE Y1, W2, \last, W1, B2, B3
    stp B0, B1, [Z, #16*\j]
    stp B2, B3, [Z, #16*\j+16]
.endm

/* clang-format on */

FUNC(bm_sqr_8n_arm64)
    SAVE_ALL
    stp Z, X, Z_ARG
    add X_END, X, x2, lsl #3
    mov START, Z
    WINDOW_ZERO
    str xzr, [Z]
    b 2f

    /* the next block */
1:  add START, START, #128
    mov Z, START
    WINDOW_LOAD Z

    /*
     * The triangle of block x_i on z at limb 16 i. Limb k of it is in W(k mod 8), from limb 1 on;
     * limb 0 stays as it is.
     * [eight limbs of z + triangle < 2^(64 15): each row's top limb holds its carries]
     */
2:  BLOCK_LOAD X
    add X, X, #64
    TRIANGLE_ROW B0, W0, W1, B1, W2, B2, W3, B3, W4, B4, W5, B5, W6, B6, W7, B7
    str W1, [Z, #8]
    TRIANGLE_ROW B1, W1, W3, B2, W4, B3, W5, B4, W6, B5, W7, B6, W0, B7
    stp W2, W3, [Z, #16]
    TRIANGLE_ROW B2, W2, W5, B3, W6, B4, W7, B5, W0, B6, W1, B7
    stp W4, W5, [Z, #32]
    TRIANGLE_ROW B3, W3, W7, B4, W0, B5, W1, B6, W2, B7
    stp W6, W7, [Z, #48]
    TRIANGLE_ROW B4, W4, W1, B5, W2, B6, W3, B7
    TRIANGLE_ROW B5, W5, W3, B6, W4, B7
    TRIANGLE_ROW B6, W6, W5, B7
    mov W7, xzr
    add Z, Z, #64

    /* x_i times the blocks after it: the first x_i writes z, the others add to it */
    cmp X, X_END
    b.eq 5f
    mov Y, X
    ldr P0, Z_ARG
    cmp START, P0
    b.ne 4f
3:  MUL_8X8 Y, Z
    add Y, Y, #64
    add Z, Z, #64
    cmp Y, X_END
    b.ne 3b
    WINDOW_STORE Z
    b 1b
4:  MAC_8X8 Y, Z
    add Y, Y, #64
    add Z, Z, #64
    cmp Y, X_END
    b.ne 4b
    WINDOW_STORE Z
    b 1b

    /* z = 2 z + sum of x_i^2 2^(128 i) */
5:  WINDOW_STORE Z
    ldp Z, X, Z_ARG
    sub Y, X_END, X
    mov W3, xzr
    cmn xzr, xzr /* clears the carry */
6:  SQUARES 0, W3, W4
    SQUARES 2, W4, W3
    SQUARES 4, W3, W4
    SQUARES 6, W4, W3
    add X, X, #64
    add Z, Z, #128
    sub Y, Y, #64
    cbnz Y, 6b
    RESTORE_ALL_RET
END(bm_sqr_8n_arm64)
