/*
 * bm_limb bm_reduce_8n_amd64(bm_limb *t, const bm_limb *m, bm_limb n0, size_t num)
 *
 * The sum of a Montgomery reduction, R = 2^(64 num): t += u m with u = -t/m mod R. Returns the carry
 * out of t (0 or 1). The upper half of t is then t / R, less that carry; the lower half, which would
 * be zero, holds u. num is a multiple of 8, at least 8; t has 2 num limbs and does not overlap m.
 * Constant time in all values.
 *
 * Eight limbs of u at a time: their columns on the lowest eight limbs of m give them one after
 * the other; the other blocks of m then take eight at once.
 *
 *   in       rdi t, rsi m, rdx n0, rcx num
 *   out      rax carry
 *   holds    r8..r15 window, rbx rbp the two upper limbs of a column, rcx the eight limbs of u
 *   stack    n0; blocks left in this pass; passes left; bytes of m; minus the carry
 *   clobbers rax rcx rdx rsi rdi r8-r11, flags
 */
#include "asm.h"
#include "amd64/columns_amd64.h"

#define N0 0(%rsp)
#define LEFT 8(%rsp)
#define PASSES 16(%rsp)
#define BYTES 24(%rsp)
#define MINUS_CARRY 32(%rsp)

/* u_k = limb n0, which makes column k zero */
.macro REDUCE_COLUMN k, w, c1, c2
    COLUMN \k, 1, \k, \w, \c1, \c2
    mov N0, %rdx
    imul \w, %rdx
    mov %rdx, 8*\k(Y)
    mov %rdx, %rax
    mulq 0(X)
    add %rax, \w
    adc %rdx, \c1
    adc $0, \c2
.endm

FUNC(bm_reduce_8n_amd64)
    SAVE_ALL
    ENTER_FRAME 5
    mov %rdx, N0
    lea (, %rcx, 8), %rax
    mov %rax, BYTES
    shr $3, %rcx
    mov %rcx, PASSES
    movq $0, MINUS_CARRY

    .balign 32
1:  mov T, Y
    WINDOW_LOAD T
    xor CA, CA
    xor CB, CB
    REDUCE_COLUMN 0, W0, CA, CB
    NEXT_COLUMN W1, CA, CB
    REDUCE_COLUMN 1, W1, CB, CA
    NEXT_COLUMN W2, CB, CA
    REDUCE_COLUMN 2, W2, CA, CB
    NEXT_COLUMN W3, CA, CB
    REDUCE_COLUMN 3, W3, CB, CA
    NEXT_COLUMN W4, CB, CA
    REDUCE_COLUMN 4, W4, CA, CB
    NEXT_COLUMN W5, CA, CB
    REDUCE_COLUMN 5, W5, CB, CA
    NEXT_COLUMN W6, CB, CA
    REDUCE_COLUMN 6, W6, CA, CB
    NEXT_COLUMN W7, CA, CB
    REDUCE_COLUMN 7, W7, CB, CA
    TOP_COLUMNS
    add $64, T

    mov BYTES, %rax
    shr $6, %rax
    dec %rax
    jz 3f
    mov %rax, LEFT
    .balign 32
2:  add $64, X
    MAC_8X8
    add $64, T
    decq LEFT
    jnz 2b

    /* the window lands on the next eight limbs of the upper half */
3:  mov MINUS_CARRY, %rax
    neg %rax /* the carry flag is the carry */
    WINDOW_ADD_TO_T
    sbb %rax, %rax
    mov %rax, MINUS_CARRY

    mov BYTES, %rax
    lea 64(Y), T
    lea 64(X), X
    sub %rax, X
    decq PASSES
    jnz 1b

    mov MINUS_CARRY, %rax
    neg %rax
    LEAVE_FRAME 5
    RESTORE_ALL
    ret
END(bm_reduce_8n_amd64)
