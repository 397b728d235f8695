/*
 * void bm_sqr_8n_amd64(bm_limb *z, const bm_limb *x, size_t num)
 *
 * z = x^2: the products x_i x_j with i < j once, in blocks of eight by eight limbs and triangles
 * on the diagonal; then z is doubled and the squares x_i^2 are added in one pass. num is a multiple
 * of 8, at least 8; z has 2 num limbs and does not overlap x. Constant time in all values.
 *
 *   in       rdi z, rsi x, rdx num
 *   holds    r8..r15 window, rbx rbp the two upper limbs of a column, rcx the block x_i
 *   stack    blocks after this one; blocks left in this pass; num; x; z
 *   clobbers rax rcx rdx rsi rdi r8-r11, flags
 */
#include "asm.h"
#include "amd64/columns_amd64.h"

#define PASSES 0(%rsp)
#define LEFT 8(%rsp)
#define NUM 16(%rsp)
#define X_START 24(%rsp)
#define Z_START 32(%rsp)

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

FUNC(bm_sqr_8n_amd64)
    SAVE_ALL
    ENTER_FRAME 5
    mov %rdx, NUM
    mov X, X_START
    mov T, Z_START
    shr $3, %rdx
    mov %rdx, PASSES

    ZERO_BLOCKS T

    /*
     * The triangle of block x_i on z at limb 16 i. Limb k of it is in W(k mod 8), from limb 1 on;
     * limb 0 stays as it is.
     * [eight limbs of z + triangle < 2^(64 15)]
     */
    .balign 32
2:  mov X, Y
    WINDOW_LOAD T
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
    xor %r15d, %r15d /* W7 */
    add $64, T

    /* x_i times the blocks after it */
    mov PASSES, %rax
    dec %rax
    jz 4f
    mov %rax, LEFT
    .balign 32
3:  add $64, X
    MAC_8X8
    add $64, T
    decq LEFT
    jnz 3b
    WINDOW_STORE T

    /* the next block: T goes back from limb 8 (i + blocks) to limb 16 (i + 1) */
    mov PASSES, %rax
    dec %rax
    mov %rax, PASSES
    lea 64(Y), X
    shl $6, %rax
    sub %rax, T
    add $64, T
    jmp 2b

    /* z = 2 z + sum of x_i^2 2^(128 i): two carries, kept in two registers */
4:  WINDOW_STORE T
    mov X_START, X
    mov Z_START, T
    mov NUM, %rcx
    shr $2, %rcx
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

    LEAVE_FRAME 5
    RESTORE_ALL
    ret
END(bm_sqr_8n_amd64)
