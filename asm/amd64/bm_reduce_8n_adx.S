/*
 * bm_limb bm_reduce_8n_adx(bm_limb *t, const bm_limb *m, bm_limb n0, size_t num)
 *
 * The rows of a Montgomery reduction, R = 2^(64 num): t += u m with u = -t/m mod R. Returns the carry
 * out of t (0 or 1). The upper half of t is then t / R, less that carry; the lower half, which would
 * be zero, holds u. num is a multiple of 8, at least 8; t has 2 num limbs and does not overlap m.
 * Needs BMI2 and ADX. Constant time in all values.
 *
 * Eight limbs of u at a time: their rows on the lowest eight limbs of m give them one after the
 * other; the other blocks of m then take eight rows at once.
 *
 *   in       rdi t, rsi m, rdx n0, rcx num
 *   out      rax carry
 *   holds    r8..r15 window, rax rbx low and high half, rbp zero, rcx the eight limbs of u
 *   clobbers rax rcx rdx rsi rdi r8-r11, flags
 */
#include "asm.h"
#include "amd64/rows_adx.h"
#include "amd64/blocks_amd64.h"

/* u_j = w0 n0; window = (window + u_j m) / 2^64, where w0 + low limb = 0 mod 2^64 */
.macro REDUCE_ROW j, w0, w1, w2, w3, w4, w5, w6, w7
    mov N0, %rdx
    imul \w0, %rdx
    mov %rdx, 8*\j(Y)
    xor ZERO32, ZERO32
    MULADD 0, \w0, \w1
    MULADD 1, \w1, \w2
    MULADD 2, \w2, \w3
    MULADD 3, \w3, \w4
    MULADD 4, \w4, \w5
    MULADD 5, \w5, \w6
    MULADD 6, \w6, \w7
    MULTOP \w7, \w0
.endm

.macro REDUCE_BLOCK
    REDUCE_ROW 0, W0, W1, W2, W3, W4, W5, W6, W7
    REDUCE_ROW 1, W1, W2, W3, W4, W5, W6, W7, W0
    REDUCE_ROW 2, W2, W3, W4, W5, W6, W7, W0, W1
    REDUCE_ROW 3, W3, W4, W5, W6, W7, W0, W1, W2
    REDUCE_ROW 4, W4, W5, W6, W7, W0, W1, W2, W3
    REDUCE_ROW 5, W5, W6, W7, W0, W1, W2, W3, W4
    REDUCE_ROW 6, W6, W7, W0, W1, W2, W3, W4, W5
    REDUCE_ROW 7, W7, W0, W1, W2, W3, W4, W5, W6
.endm

FUNC(bm_reduce_8n_adx)
    REDUCE_8N
END(bm_reduce_8n_adx)
