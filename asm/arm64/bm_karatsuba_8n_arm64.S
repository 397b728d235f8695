/*
 * void bm_karatsuba_8n_arm64(bm_limb *z, bm_limb *d, bm_limb add, size_t num)
 *
 * The last step of Karatsuba's product of two numbers of 2 num limbs. z holds the product l of the
 * lower halves and h of the upper ones, 2 num limbs each, d the product of the halves' distances. z
 * += (l + h + d) 2^(64 num) for add = 1, (l + h - d) 2^(64 num) for add = 0; the bracket is not
 * negative and the result fits. d, of 2 num limbs, is destroyed. num is a multiple of 8, at least
 * 8. Constant time in all values, add included.
 *
 *   in       x0 z, x1 d, x2 add, x3 num
 *   holds    x0 l, then z; x2 mask; x3 h, then eights left; x4 eights left; x5 x6 carries;
 *            x7-x14 eight limbs of the bracket; x15 x16 limbs; x17 bytes of a half
 *   clobbers x0-x17, flags
 */
#include "asm.h"

#define L x0
#define Z x0
#define D x1
#define MASK x2
#define H x3
#define LEFT x4
#define CARRY_H x5
#define CARRY_D x6
#define BYTES x17

/* clang-format off */

/* m += h */
.macro ADD_H j, m0, m1
    ldp x15, x16, [H, #8*\j]
    adcs \m0, \m0, x15
    adcs \m1, \m1, x16
.endm

/* d = m + (d ^ mask) */
.macro ADD_D j, m0, m1
    ldp x15, x16, [D, #8*\j]
    eor x15, x15, MASK
    eor x16, x16, MASK
    adcs x15, x15, \m0
    adcs x16, x16, \m1
    stp x15, x16, [D, #8*\j]
.endm

/* z += d */
.macro ADD_TO_Z j
    ldp x7, x8, [Z, #8*\j]
    ldp x9, x10, [D, #8*\j]
    adcs x7, x7, x9
    adcs x8, x8, x10
    stp x7, x8, [Z, #8*\j]
.endm

/* z += the carry */
.macro CARRY_TO_Z j
    ldp x7, x8, [Z, #8*\j]
    adcs x7, x7, xzr
    adcs x8, x8, xzr
    stp x7, x8, [Z, #8*\j]
.endm

/* clang-format on */

FUNC(bm_karatsuba_8n_arm64)
    lsl BYTES, x3, #3
    add H, L, BYTES, lsl #1
    sub MASK, MASK, #1
    lsr LEFT, BYTES, #5

    /* d = l + h + d, or l + h - d by the complement: 2^(128 num) too much, the mask says */
    mov CARRY_H, xzr
    neg CARRY_D, MASK
1:  ldp x7, x8, [L]
    ldp x9, x10, [L, #16]
    ldp x11, x12, [L, #32]
    ldp x13, x14, [L, #48]
    subs xzr, CARRY_H, #1
    ADD_H 0, x7, x8
    ADD_H 2, x9, x10
    ADD_H 4, x11, x12
    ADD_H 6, x13, x14
    adc CARRY_H, xzr, xzr
    subs xzr, CARRY_D, #1
    ADD_D 0, x7, x8
    ADD_D 2, x9, x10
    ADD_D 4, x11, x12
    ADD_D 6, x13, x14
    adc CARRY_D, xzr, xzr
    add L, L, #64
    add H, H, #64
    add D, D, #64
    sub LEFT, LEFT, #1
    cbnz LEFT, 1b
    add CARRY_D, CARRY_D, CARRY_H
    add CARRY_D, CARRY_D, MASK

    /* the middle of z += d */
    sub D, D, BYTES, lsl #1
    sub Z, L, BYTES
    lsr LEFT, BYTES, #5
    cmn xzr, xzr /* no carry */
2:  ADD_TO_Z 0
    ADD_TO_Z 2
    ADD_TO_Z 4
    ADD_TO_Z 6
    add Z, Z, #64
    add D, D, #64
    sub LEFT, LEFT, #1
    cbnz LEFT, 2b

    /* [0 <= the carry beyond <= 2] */
    adc CARRY_D, CARRY_D, xzr
    lsr LEFT, BYTES, #6
    ldr x7, [Z]
    adds x7, x7, CARRY_D
    str x7, [Z]
    ldr x8, [Z, #8]
    adcs x8, x8, xzr
    str x8, [Z, #8]
    b 4f
3:  CARRY_TO_Z 0
4:  CARRY_TO_Z 2
    CARRY_TO_Z 4
    CARRY_TO_Z 6
    add Z, Z, #64
    sub LEFT, LEFT, #1
    cbnz LEFT, 3b
    ret
END(bm_karatsuba_8n_arm64)
