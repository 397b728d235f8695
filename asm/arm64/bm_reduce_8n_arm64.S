/*
 * bm_limb bm_reduce_8n_arm64(bm_limb *t, const bm_limb *m, bm_limb n0, size_t num)
 *
 * The rows of a Montgomery reduction, R = 2^(64 num): t += u m with u = -t/m mod R. Returns the
 * carry out of t (0 or 1). The upper half of t is then t / R, less that carry; the lower half,
 * which would be zero, holds u. num is a multiple of 8, at least 8; t has 2 num limbs and does not
 * overlap m. Constant time in all values.
 *
 * Eight limbs of u at a time: their rows on the lowest eight limbs of m give them one after the
 * other; they are the block then that the other limbs of m meet.
 *
 *   in       x0 t, x1 m, x2 n0, x3 num
 *   out      x0 carry
 *   holds    rows_arm64.h's; x2 m at the blocks above the lowest; x3 end of m; x4 t at u
 *   clobbers x0-x17, flags
 */
#include "asm.h"
#include "arm64/rows_arm64.h"

#define T x0
#define M x1
#define N0 T0 /* of the first eight rows only */
#define Y x2
#define M_END x3
#define U x4
#define CARRY [x29, #96]
#define N0_ARG [x29, #104]
#define U_END [x29, #112]

/* clang-format off */

/*
 * u = w0 n0; window = (window + u b) / 2^64. The low limb of the sum, w0 + low(u b0), is zero: its
 * carry is 1 unless w0 is zero, without the product.
 */
.macro REDUCE_ROW u, w0, w1, w2, w3, w4, w5, w6, w7
    mul \u, \w0, N0
    subs xzr, \w0, #1
    mul P1, B1, \u
    mul P2, B2, \u
    mul P3, B3, \u
    ROW_REST \u, \w0, \w1, \w2, \w3, \w4, \w5, \w6, \w7
.endm

.macro REDUCE_ROWS j, w0, w1, w2, w3, w4, w5, w6, w7
    REDUCE_ROW Y0, \w0, \w1, \w2, \w3, \w4, \w5, \w6, \w7
    REDUCE_ROW Y1, \w1, \w2, \w3, \w4, \w5, \w6, \w7, \w0
    stp Y0, Y1, [T, #8*\j]
.endm

/* two limbs of t += window along the carry */
.macro ADD_TO_T j, w0, w1
    ldp Y0, Y1, [T, #8*\j]
    adcs Y0, Y0, \w0
    adcs Y1, Y1, \w1
    stp Y0, Y1, [T, #8*\j]
.endm

/* clang-format on */

FUNC(bm_reduce_8n_arm64)
    SAVE_ALL
    add M_END, M, x3, lsl #3
    sub P0, M_END, M
    add P0, T, P0
    mov U, T
    stp xzr, x2, CARRY
    str P0, U_END

    /* the next eight limbs of u */
1:  ldr N0, N0_ARG
    BLOCK_LOAD M
    WINDOW_LOAD T
    REDUCE_ROWS 0, W0, W1, W2, W3, W4, W5, W6, W7
    REDUCE_ROWS 2, W2, W3, W4, W5, W6, W7, W0, W1
    REDUCE_ROWS 4, W4, W5, W6, W7, W0, W1, W2, W3
    REDUCE_ROWS 6, W6, W7, W0, W1, W2, W3, W4, W5
    BLOCK_LOAD T
    add T, T, #64

    /* times the rest of m */
    add Y, M, #64
    cmp Y, M_END
    b.eq 3f
2:  MAC_8X8 Y, T
    add Y, Y, #64
    add T, T, #64
    cmp Y, M_END
    b.ne 2b

    /* the window lands on the next eight limbs of the upper half */
3:  ldr P0, CARRY
    ldr P1, U_END
    subs xzr, P0, #1 /* the carry flag is the carry */
    ADD_TO_T 0, W0, W1
    ADD_TO_T 2, W2, W3
    ADD_TO_T 4, W4, W5
    ADD_TO_T 6, W6, W7
    adc P0, xzr, xzr
    str P0, CARRY
    add U, U, #64
    mov T, U
    cmp U, P1
    b.ne 1b

    mov x0, P0
    RESTORE_ALL_RET
END(bm_reduce_8n_arm64)
