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

FUNC(bm_amm_fma)
    FMA_ENTER
    mov OPS, OP

    /* column v of the lower half: v + 1 pairs of x and y, v pairs of N1 and u */
1:  mov V, %rax
    shr $4, %rax
    inc %rax
    COLUMN_START
    mov OP_X(OP), DOWN
    add V, DOWN
    mov OP_Y(OP), UP_DIGITS
    mov V, COUNT
    shr $5, COUNT
    inc COUNT
    BLOCKS
    test V, V
    jz 2f
    REDUCE_LOWER_COLUMN
2:  COLUMN_SUM
    COLUMN_DIGITS
    lea 32(V), %r8
    cmp BYTES, %r8
    je 3f
    mov OP_U(OP), %r10
    DIGITS_STORE %r10, V
    COLUMN_KEEP
    NEXT_OPERATION 1b
    jmp 1b

3:  LAST_QUOTIENT
    mov OP_U(OP), %r10
    DIGITS_STORE %r10, V
    LAST_BLOCK
    COLUMN_KEEP
    NEXT_OPERATION 1b

    /* column v of the upper half: 2 blocks - 1 - v pairs of each, one of N and the last u */
4:  lea (BYTES, BYTES), %rax
    sub V, %rax
    shr $4, %rax
    dec %rax
    COLUMN_START
    lea (BYTES, BYTES), COUNT
    sub V, COUNT
    shr $5, COUNT
    dec COUNT
    jz 5f
    mov OP_X(OP), DOWN
    lea -32(DOWN, BYTES), DOWN
    mov OP_Y(OP), UP_DIGITS
    lea 32(UP_DIGITS, V), UP_DIGITS
    sub BYTES, UP_DIGITS
    BLOCKS
    REDUCE_UPPER_COLUMN
    COLUMN_SUM
    COLUMN_DIGITS
    mov OP_Z(OP), %r10
    sub BYTES, %r10
    DIGITS_STORE %r10, V
    COLUMN_KEEP
    NEXT_OPERATION 4b
    jmp 4b

    /* the last column holds what is left of the one before */
5:  vmovdqu OP_CARRIED(OP), D0
    vpxor %xmm1, %xmm1, %xmm1
    vpxor %xmm2, %xmm2, %xmm2
    vpxor %xmm3, %xmm3, %xmm3
    COLUMN_SUM
    COLUMN_DIGITS
    mov OP_Z(OP), %r10
    sub BYTES, %r10
    DIGITS_STORE %r10, V
    NEXT_OPERATION 5b
    FMA_LEAVE
END(bm_amm_fma)
