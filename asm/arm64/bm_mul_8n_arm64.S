/*
 * void bm_mul_8n_arm64(bm_limb *z, const bm_limb *x, const bm_limb *y, size_t num)
 *
 * z = x y, schoolbook, in blocks of eight by eight limbs. num is a multiple of 8, at least 8; z has
 * 2 num limbs and overlaps neither x nor y. Constant time in all values.
 *
 *   in       x0 z, x1 x, x2 y, x3 num
 *   holds    rows_arm64.h's; x3 bytes of x; x4 end of y
 *   clobbers x0-x17, flags
 */
#include "asm.h"
#include "arm64/rows_arm64.h"

#define Z x0
#define X x1
#define Y x2
#define BYTES x3
#define Y_END x4
#define X_END [x29, #96]

FUNC(bm_mul_8n_arm64)
    SAVE_ALL
    lsl BYTES, x3, #3
    add Y_END, Y, BYTES
    add x5, X, BYTES
    str x5, X_END

    /* the first block of x writes z, the others add to it */
    BLOCK_LOAD X
    WINDOW_ZERO
1:  MUL_8X8 Y, Z
    add Y, Y, #64
    add Z, Z, #64
    cmp Y, Y_END
    b.ne 1b

2:  WINDOW_STORE Z
    ldr x5, X_END
    add X, X, #64
    cmp X, x5
    b.eq 4f
    sub Y, Y, BYTES
    sub Z, Z, BYTES
    add Z, Z, #64
    BLOCK_LOAD X
    WINDOW_ZERO
3:  MAC_8X8 Y, Z
    add Y, Y, #64
    add Z, Z, #64
    cmp Y, Y_END
    b.ne 3b
    b 2b

4:  RESTORE_ALL_RET
END(bm_mul_8n_arm64)
