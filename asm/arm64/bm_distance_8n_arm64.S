/*
 * bm_limb bm_distance_8n_arm64(bm_limb *z, const bm_limb *x, const bm_limb *y, size_t num)
 *
 * z = |x - y|; returns 1 where x < y, else 0. num is a multiple of 8, at least 8. z may be x or y.
 * Constant time in all values.
 *
 *   in       x0 z, x1 x, x2 y, x3 num
 *   out      x0 whether x < y
 *   holds    x4 z, x5 eights left, x6 mask, x8-x11 limbs
 *   clobbers x1-x11, flags
 */
#include "asm.h"

#define Z x0
#define X x1
#define Y x2
#define NUM x3
#define Z_START x4
#define LEFT x5
#define MASK x6

/* clang-format off */

.macro SUBTRACT_2 j
    ldp x8, x9, [X, #8*\j]
    ldp x10, x11, [Y, #8*\j]
    sbcs x8, x8, x10
    sbcs x9, x9, x11
    stp x8, x9, [Z, #8*\j]
.endm

/* z = (z ^ mask) + carry: -z with a mask of ones and a carry */
.macro NEGATE_2 j
    ldp x8, x9, [Z_START, #8*\j]
    eor x8, x8, MASK
    eor x9, x9, MASK
    adcs x8, x8, xzr
    adcs x9, x9, xzr
    stp x8, x9, [Z_START, #8*\j]
.endm

/* clang-format on */

FUNC(bm_distance_8n_arm64)
    mov Z_START, Z
    lsr LEFT, NUM, #3
    cmp xzr, xzr /* no borrow */
1:  SUBTRACT_2 0
    SUBTRACT_2 2
    SUBTRACT_2 4
    SUBTRACT_2 6
    add X, X, #64
    add Y, Y, #64
    add Z, Z, #64
    sub LEFT, LEFT, #1
    cbnz LEFT, 1b

    sbc MASK, xzr, xzr
    lsr LEFT, NUM, #3
    cmn MASK, MASK /* the carry: 1 for a mask of ones */
2:  NEGATE_2 0
    NEGATE_2 2
    NEGATE_2 4
    NEGATE_2 6
    add Z_START, Z_START, #64
    sub LEFT, LEFT, #1
    cbnz LEFT, 2b
    neg x0, MASK
    ret
END(bm_distance_8n_arm64)
