/*
 * void bm_amm_fma(struct bm_fma_op *op, size_t count, size_t blocks)
 *
 * count independent almost Montgomery multiplications side by side, R = B^(4 blocks), B = 2^52: for
 * each z = x y / R mod N, z < x y / R + 2 N + 1. Numbers are blocks of four digits held as doubles
 * (rows_fma.h); op[i] has pointers to x, y, m, u and z, and working space. m is
 *     N1[4 blocks], N[4 blocks] as doubles; n_0..n_3, the lowest digits of N, and -1/N mod B as
 *     integers,
 * N1 = (k N + 1) / B^4 with k = -1/N mod B^4. u is scratch of 4 blocks. z may be x or y; nothing else
 * overlaps. blocks is at least 2, count at least 1. Needs AVX2 and FMA. Constant time in all values.
 *
 *   in       rdi op, rsi count, rdx blocks
 *   holds    ymm0..ymm4 column, r11 carry, r15 32 column, rbx this operation
 *   stack    the caller's MXCSR; digits of the quotient, wiped
 *   clobbers rax rcx rdx rsi r8-r11, flags, ymm0-ymm15
 */
#include "asm.h"
#include "amd64/rows_fma.h"

    FMA_CONSTANTS

.macro LOWER_COLUMN
    COLUMN_START
    mov OP_X(OP), DOWN
    add V, DOWN
    mov OP_Y(OP), UP_DIGITS
    BLOCKS
.endm

.macro UPPER_COLUMN
    COLUMN_START
    mov OP_X(OP), DOWN
    lea -32(DOWN, BYTES), DOWN
    mov OP_Y(OP), UP_DIGITS
    lea 32(UP_DIGITS, V), UP_DIGITS
    sub BYTES, UP_DIGITS
    BLOCKS
.endm

FUNC(bm_amm_fma)
    ALMOST_MONTGOMERY
END(bm_amm_fma)
