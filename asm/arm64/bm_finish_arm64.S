/*
 * void bm_finish_arm64(bm_limb *z, bm_limb *t, const bm_limb *m, bm_limb carry, size_t num)
 *
 * The end of a Montgomery reduction: z = v - m if v >= m, else v, where v = t[num..2 num) + carry R
 * and v < 2 m. The lower half of t is destroyed. z may be t or its upper half. num is at least 1.
 * Constant time in all values.
 *
 *   in       x0 z, x1 t, x2 m, x3 carry, x4 num
 *   holds    x5 the upper half of t, x6 t, x7 left, x8-x17 limbs
 *   clobbers x1-x17, flags
 */
#include "asm.h"

#define Z x0
#define T x1
#define M x2
#define CARRY x3
#define NUM x4
#define V x5
#define D x6
#define LEFT x7

/* clang-format off */

/* d = v - m - borrow, two limbs */
.macro SUBTRACT_2 j
    ldp x8, x9, [V, #8*\j]
    ldp x10, x11, [M, #8*\j]
    sbcs x8, x8, x10
    sbcs x9, x9, x11
    stp x8, x9, [T, #8*\j]
.endm

/* z = below ? v : d, two limbs */
.macro CHOOSE_2 j
    ldp x8, x9, [V, #8*\j]
    ldp x10, x11, [D, #8*\j]
    csel x8, x8, x10, lo
    csel x9, x9, x11, lo
    stp x8, x9, [Z, #8*\j]
.endm

/* clang-format on */

FUNC(bm_finish_arm64)
    mov D, T
    add V, T, NUM, lsl #3

    /* d = v - m; loops leave the flags alone */
    cmp xzr, xzr /* no borrow */
    and LEFT, NUM, #7
    cbz LEFT, 2f
1:  ldr x8, [V], #8
    ldr x9, [M], #8
    sbcs x8, x8, x9
    str x8, [T], #8
    sub LEFT, LEFT, #1
    cbnz LEFT, 1b
2:  lsr LEFT, NUM, #3
    cbz LEFT, 4f
3:  SUBTRACT_2 0
    SUBTRACT_2 2
    SUBTRACT_2 4
    SUBTRACT_2 6
    add V, V, #64
    add M, M, #64
    add T, T, #64
    sub LEFT, LEFT, #1
    cbnz LEFT, 3b

    /* [carry - borrow is 0, 1 or -1]: -1 alone, which borrows again, says that v < m */
4:  sbcs CARRY, CARRY, xzr
    mov V, T
    and LEFT, NUM, #7
    cbz LEFT, 6f
5:  ldr x8, [V], #8
    ldr x9, [D], #8
    csel x8, x8, x9, lo
    str x8, [Z], #8
    sub LEFT, LEFT, #1
    cbnz LEFT, 5b
6:  lsr LEFT, NUM, #3
    cbz LEFT, 8f
7:  CHOOSE_2 0
    CHOOSE_2 2
    CHOOSE_2 4
    CHOOSE_2 6
    add V, V, #64
    add D, D, #64
    add Z, Z, #64
    sub LEFT, LEFT, #1
    cbnz LEFT, 7b
8:  ret
END(bm_finish_arm64)
