/*
 * void bm_mul_8n_adx(bm_limb *z, const bm_limb *x, const bm_limb *y, size_t num)
 *
 * z = x y, schoolbook, in blocks of eight by eight limbs. num is a multiple of 8, at least 8; z has
 * 2 num limbs and overlaps neither x nor y. Needs BMI2 and ADX. Constant time in all values.
 *
 *   in       rdi z, rsi x, rdx y, rcx num
 *   holds    r8..r15 window, rax rbx low and high half, rbp zero, rdx the multiplier
 *   clobbers rax rcx rdx rsi rdi r8-r11, flags
 */
#include "asm.h"
#include "amd64/rows_adx.h"
#include "amd64/blocks_amd64.h"

FUNC(bm_mul_8n_adx)
    MUL_8N
END(bm_mul_8n_adx)
