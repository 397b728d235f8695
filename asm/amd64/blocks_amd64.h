/*
 * The loops over blocks of eight by eight limbs that the adx and the amd64 kernels share. What they do
 * to a block comes from the includer: MAC_8X8 (rows_adx.h, columns_amd64.h), TRIANGLE, SQUARES,
 * REDUCE_BLOCK. Registers and window: window_amd64.h.
 */
#ifndef BM_BLOCKS_AMD64_H
#define BM_BLOCKS_AMD64_H

#include "amd64/window_amd64.h"

/* on the stack: passes left, blocks left in this pass, and what is known by name */
#define PASSES 0(%rsp)
#define LEFT 8(%rsp)
#define BYTES 16(%rsp)
#define NUM 16(%rsp)
#define N0 24(%rsp)
#define X_START 24(%rsp)
#define MINUS_CARRY 32(%rsp)
#define Z_START 32(%rsp)

/* void (rdi z, rsi x, rdx y, rcx num): z = x y */
.macro MUL_8N
    SAVE_ALL
    ENTER_FRAME 3
    lea (, %rcx, 8), %rax
    mov %rax, BYTES
    shr $3, %rcx
    mov %rcx, PASSES
    mov %rcx, LEFT
    xchg %rdx, %rcx /* Y = y, rdx = blocks */

    /* the low half of z is added to before it is written */
    ZERO_BLOCKS T

    .balign 32
2:  WINDOW_ZERO
    .balign 32
3:  MAC_8X8
    add $64, X
    add $64, T
    decq LEFT
    jnz 3b
    WINDOW_STORE T

    mov BYTES, %rax
    sub %rax, X
    sub %rax, T
    add $64, T
    add $64, Y
    shr $6, %rax
    mov %rax, LEFT
    decq PASSES
    jnz 2b

    LEAVE_FRAME 3
    RESTORE_ALL
    ret
.endm

/*
 * void (rdi z, rsi x, rdx num): z = x^2. TRIANGLE adds the products of different limbs of a block to
 * the window, limb k of them in W(k mod 8), and stores limbs 1 to 7: there are none for limbs 0 and 15.
 * SQUARES doubles z and adds the squares, rcx times four limbs of x.
 */
.macro SQR_8N
    SAVE_ALL
    ENTER_FRAME 5
    mov %rdx, NUM
    mov X, X_START
    mov T, Z_START
    shr $3, %rdx
    mov %rdx, PASSES

    ZERO_BLOCKS T

    /* the triangle of block x_i on z at limb 16 i [eight limbs of z + triangle < 2^(64 15)] */
    .balign 32
2:  mov X, Y
    WINDOW_LOAD T
    TRIANGLE
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

    /* z = 2 z + sum of x_i^2 2^(128 i) */
4:  WINDOW_STORE T
    mov X_START, X
    mov Z_START, T
    mov NUM, %rcx
    shr $2, %rcx
    SQUARES
    LEAVE_FRAME 5
    RESTORE_ALL
    ret
.endm

/*
 * bm_limb (rdi t, rsi m, rdx n0, rcx num): t += u m, the carry out. REDUCE_BLOCK finds eight limbs of u,
 * stored at Y, and adds their products with m_0..m_7 to the window, which moves up by eight limbs.
 */
.macro REDUCE_8N
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
    REDUCE_BLOCK
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
.endm

#endif
