/*
 * void bm_p25519_select_arm64(bm_limb z[14], const bm_limb (*table)[14], unsigned index,
 *                             unsigned negative)
 *
 * z = table[index], one of 16 entries y + x, y - x, 2 d x y, shadow, 0 of the comb
 * (core/point_table.h); for negative 1 the negative point, and q - shadow with q = 2^61 - 1. index
 * and negative are secret: every entry is read. Needs Advanced SIMD. Constant time.
 *
 *   in       x0 z, x1 table, w2 index, w3 negative
 *   holds    v0-v6 the entry; v24 index, v25 number of the entry read, v26 whether they are
 *            equal, v27 one; x3 all ones for a negative; x4-x7 limbs, x8 entries left
 *   clobbers x1, x3-x10, v0-v6, v16-v22, v24-v27, flags
 */
#include "asm.h"

#define Z x0
#define TABLE x1
#define MASK x3
#define LEFT w8

/* clang-format off */

.macro COLLECT n, from
    bit v\n\().16b, v\from\().16b, v26.16b
.endm

/* a and b change places where v26 says so */
.macro SWAP a, b
    mov v16.16b, v\a\().16b
    bit v\a\().16b, v\b\().16b, v26.16b
    bit v\b\().16b, v16.16b, v26.16b
.endm

/* clang-format on */

FUNC(bm_p25519_select_arm64)
    dup v24.4s, w2
    movi v25.4s, #0
    movi v27.4s, #1
    movi v0.2d, #0
    movi v1.2d, #0
    movi v2.2d, #0
    movi v3.2d, #0
    movi v4.2d, #0
    movi v5.2d, #0
    movi v6.2d, #0
    mov LEFT, #16
1:  ldp q16, q17, [TABLE]
    ldp q18, q19, [TABLE, #32]
    ldp q20, q21, [TABLE, #64]
    ldr q22, [TABLE, #96]
    cmeq v26.4s, v25.4s, v24.4s
    add v25.4s, v25.4s, v27.4s
    add TABLE, TABLE, #112
    COLLECT 0, 16
    COLLECT 1, 17
    COLLECT 2, 18
    COLLECT 3, 19
    COLLECT 4, 20
    COLLECT 5, 21
    COLLECT 6, 22
    sub LEFT, LEFT, #1
    cbnz LEFT, 1b

    /* for a negative the first two change places */
    mov w3, w3
    neg MASK, MASK
    dup v26.2d, MASK
    SWAP 0, 2
    SWAP 1, 3
    stp q0, q1, [Z]
    stp q2, q3, [Z, #32]
    /* and the others are negated: p - 2 d x y = (2^255 - 1 - 2 d x y) - 18, q - shadow */
    umov x4, v4.d[0]
    umov x5, v4.d[1]
    umov x6, v5.d[0]
    umov x7, v5.d[1]
    and x9, MASK, #0x7fffffffffffffff
    eor x4, x4, MASK
    eor x5, x5, MASK
    eor x6, x6, MASK
    eor x7, x7, x9
    mov w10, #18
    and x9, MASK, x10
    subs x4, x4, x9
    sbcs x5, x5, xzr
    sbcs x6, x6, xzr
    sbc x7, x7, xzr
    stp x4, x5, [Z, #64]
    stp x6, x7, [Z, #80]
    umov x4, v6.d[0]
    eor x4, x4, MASK, lsr #3
    stp x4, xzr, [Z, #96]
    ret
END(bm_p25519_select_arm64)
