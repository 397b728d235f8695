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
#include "amd64/blocks_amd64.h"
#include "amd64/rows_adx.h"

FUNC(bm_reduce_8n_adx)
    REDUCE_8N
END(bm_reduce_8n_adx)
