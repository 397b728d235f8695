/*
 * void bm_sqr_8n_adx(bm_limb *z, const bm_limb *x, size_t num)
 *
 * z = x^2: the products x_i x_j with i < j once, in blocks of eight by eight limbs and triangles
 * on the diagonal; then z is doubled and the squares x_i^2 are added in one pass. num is a multiple
 * of 8, at least 8; z has 2 num limbs and does not overlap x. Needs BMI2 and ADX. Constant time in
 * all values.
 *
 *   in       rdi z, rsi x, rdx num
 *   holds    r8..r15 window, rax rbx low and high half, rbp zero, rcx the block x_i
 *   clobbers rax rcx rdx rsi rdi r8-r11, flags
 */
#include "asm.h"
#include "amd64/rows_adx.h"
#include "amd64/blocks_amd64.h"

/* doubling along the carry, squares along the overflow */
.macro SQUARES
    xor %eax, %eax
    .balign 32
5:  SQUARE 0
    SQUARE 1
    SQUARE 2
    SQUARE 3
    lea 32(X), X
    lea 64(T), T
    lea -1(%rcx), %rcx
    jrcxz 6f
    jmp 5b
6:
.endm

FUNC(bm_sqr_8n_adx)
    SQR_8N
END(bm_sqr_8n_adx)
