/*
 * void bm_ams_fma(struct bm_fma_op *op, size_t count, size_t blocks)
 *
 * count independent almost Montgomery squarings side by side, R = B^(4 blocks), B = 2^52: for
 * each z = x^2 / R mod N, z < x^2 / R + 2 N + 1. Numbers are blocks of four digits held as doubles
 * (rows_fma.h); op[i] has pointers to x, m, u and z, and working space. m is
 *     N1[4 blocks], N[4 blocks] as doubles; n_0..n_3, the lowest digits of N, and -1/N mod B as
 *     integers,
 * N1 = (k N + 1) / B^4 with k = -1/N mod B^4. u is scratch of 4 blocks. z may be x; nothing else
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

/*
 * Column v of x^2: half of COUNT pairs of blocks x_i x_j, those with i < j, i + j = v, from the middle
 * outwards, twice; then x_(v/2)^2 if v is even.
 */
.macro LOWER_COLUMN
    shr COUNT
    vpxor %xmm0, %xmm0, %xmm0
    vpxor %xmm1, %xmm1, %xmm1
    vpxor %xmm2, %xmm2, %xmm2
    vpxor %xmm3, %xmm3, %xmm3
    vpxor %xmm4, %xmm4, %xmm4
    /* the middle: 32 floor(v / 2) */
    mov V, %r8
    shr $6, %r8
    shl $5, %r8
    test COUNT, COUNT
    jz 44f
    /* i = ceil(v / 2) - 1, j = floor(v / 2) + 1 */
    mov OP_X(OP), DOWN
    lea 32(DOWN, %r8), UP_DIGITS
    sub %r8, DOWN
    lea -32(DOWN, V), DOWN
    BLOCKS
    vpaddq D0, D0, D0
    vpaddq D1, D1, D1
    vpaddq D2, D2, D2
    vpaddq D3, D3, D3
    vpaddq D4, D4, D4
44: test $32, V
    jnz 45f
    mov OP_X(OP), DOWN
    add %r8, DOWN
    mov DOWN, UP_DIGITS
    BLOCK_PRODUCTS
45: COLUMN_CONSTANTS
    vpaddq OP_CARRIED(OP), DIGIT, DIGIT
    vpaddq HI, D1, D1
    vpaddq HI, D2, D2
    vpaddq HI, D3, D3
    vpaddq LO, D4, D4
    vpaddq DIGIT, D0, D0
.endm

.macro UPPER_COLUMN
    LOWER_COLUMN
.endm

FUNC(bm_ams_fma)
    ALMOST_MONTGOMERY
END(bm_ams_fma)
