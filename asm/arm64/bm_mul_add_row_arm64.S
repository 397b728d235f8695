/*
 * bm_limb bm_mul_add_row_arm64(bm_limb *z, const bm_limb *x, bm_limb y, size_t num)
 *
 * z += x y; returns the limb that is carried out. num may be 0. z is x, or they do not overlap.
 * Constant time in all values.
 *
 *   in       x0 z, x1 x, x2 y, x3 num
 *   out      x0 carry
 *   holds    x4 carry, x5 fours left, x6-x9 limbs of x and high halves, x10-x13 of z, x14-x17 low
 *   clobbers x0-x17, flags
 */
#include "asm.h"

#define Z x0
#define X x1
#define Y x2
#define LEFT x3
#define CARRY x4
#define FOURS x5

FUNC(bm_mul_add_row_arm64)
    mov CARRY, xzr
    lsr FOURS, LEFT, #2
    and LEFT, LEFT, #3
    cbz FOURS, 2f
1:  ldp x6, x7, [X], #16
    ldp x8, x9, [X], #16
    ldp x10, x11, [Z]
    ldp x12, x13, [Z, #16]
    mul x14, x6, Y
    mul x15, x7, Y
    mul x16, x8, Y
    mul x17, x9, Y
    umulh x6, x6, Y
    umulh x7, x7, Y
    umulh x8, x8, Y
    umulh x9, x9, Y
    adds x14, x14, CARRY
    adcs x15, x15, x6
    adcs x16, x16, x7
    adcs x17, x17, x8
    adc x9, x9, xzr
    adds x10, x10, x14
    adcs x11, x11, x15
    adcs x12, x12, x16
    adcs x13, x13, x17
    adc CARRY, x9, xzr
    stp x10, x11, [Z], #16
    stp x12, x13, [Z], #16
    sub FOURS, FOURS, #1
    cbnz FOURS, 1b

2:  cbz LEFT, 4f
3:  ldr x6, [X], #8
    ldr x10, [Z]
    mul x14, x6, Y
    umulh x6, x6, Y
    adds x14, x14, CARRY
    adc x6, x6, xzr
    adds x10, x10, x14
    adc CARRY, x6, xzr
    str x10, [Z], #8
    sub LEFT, LEFT, #1
    cbnz LEFT, 3b

4:  mov x0, CARRY
    ret
END(bm_mul_add_row_arm64)
