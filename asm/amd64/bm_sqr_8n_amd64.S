/*
 * void bm_sqr_8n_amd64(bm_limb *z, const bm_limb *x, size_t num)
 *
 * z = x^2: the products x_i x_j with i < j once, in blocks of eight by eight limbs and triangles
 * on the diagonal; then z is doubled and the squares x_i^2 are added in one pass. num is a multiple
 * of 8, at least 8; z has 2 num limbs and does not overlap x. Constant time in all values.
 *
 *   in       rdi z, rsi x, rdx num
 *   holds    r8..r15 window, rbx rbp the two upper limbs of a column, rcx the block x_i
 *   clobbers rax rcx rdx rsi rdi r8-r11, flags
 */
#include "asm.h"
#include "amd64/columns_amd64.h"
#include "amd64/blocks_amd64.h"

/* limbs 2 i and 2 i + 1 of z; rbp minus the carry of the doubling, rbx that of the sum */
.macro SQUARE i
    mov 16*\i(T), %r8
    mov 16*\i+8(T), %r9
    neg %rbp
    adc %r8, %r8
    adc %r9, %r9
    sbb %rbp, %rbp
    mov 8*\i(X), %rax
    mul %rax
    neg %rbx
    adc %rax, %r8
    adc %rdx, %r9
    sbb %rbx, %rbx
    mov %r8, 16*\i(T)
    mov %r9, 16*\i+8(T)
.endm

.macro TRIANGLE
    xor CA, CA
    xor CB, CB
    COLUMN 1, 0, 1, W1, CA, CB
    mov W1, 8(T)
    NEXT_COLUMN W2, CA, CB
    COLUMN 2, 0, 1, W2, CB, CA
    mov W2, 16(T)
    NEXT_COLUMN W3, CB, CA
    COLUMN 3, 0, 2, W3, CA, CB
    mov W3, 24(T)
    NEXT_COLUMN W4, CA, CB
    COLUMN 4, 0, 2, W4, CB, CA
    mov W4, 32(T)
    NEXT_COLUMN W5, CB, CA
    COLUMN 5, 0, 3, W5, CA, CB
    mov W5, 40(T)
    NEXT_COLUMN W6, CA, CB
    COLUMN 6, 0, 3, W6, CB, CA
    mov W6, 48(T)
    NEXT_COLUMN W7, CB, CA
    COLUMN 7, 0, 4, W7, CA, CB
    mov W7, 56(T)
    NEXT_TOP_COLUMN W0, CA, CB
    COLUMN 8, 1, 3, W0, CB, CA
    NEXT_TOP_COLUMN W1, CB, CA
    COLUMN 9, 2, 3, W1, CA, CB
    NEXT_TOP_COLUMN W2, CA, CB
    COLUMN 10, 3, 2, W2, CB, CA
    NEXT_TOP_COLUMN W3, CB, CA
    COLUMN 11, 4, 2, W3, CA, CB
    NEXT_TOP_COLUMN W4, CA, CB
    COLUMN 12, 5, 1, W4, CB, CA
    NEXT_TOP_COLUMN W5, CB, CA
    COLUMN 13, 6, 1, W5, CA, CB
    mov CA, W6
.endm

/* two carries, kept in two registers */
.macro SQUARES
    xor %ebx, %ebx
    xor %ebp, %ebp
    .balign 32
5:  SQUARE 0
    SQUARE 1
    SQUARE 2
    SQUARE 3
    add $32, X
    add $64, T
    dec %rcx
    jnz 5b
.endm

FUNC(bm_sqr_8n_amd64)
    SQR_8N
END(bm_sqr_8n_amd64)
