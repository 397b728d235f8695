/*
 * bm_limb bm_distance_8n_amd64(bm_limb *z, const bm_limb *x, const bm_limb *y, size_t num)
 *
 * z = |x - y|; returns 1 where x < y, else 0. num is a multiple of 8, at least 8. z may be x or y.
 * Constant time in all values.
 *
 *   in       rdi z, rsi x, rdx y, rcx num
 *   out      rax whether x < y
 *   holds    r8 index, r9 limb, r10 fours
 *   clobbers rcx r8-r10, flags, xmm0-xmm2
 */
#include "asm.h"

FUNC(bm_distance_8n_amd64)
    shr $2, %rcx
    mov %rcx, %r10
    xor %r8d, %r8d /* clears the carry flag */
1:
    .irp i, 0, 8, 16, 24
    mov \i(%rsi, %r8, 8), %r9
    sbb \i(%rdx, %r8, 8), %r9
    mov %r9, \i(%rdi, %r8, 8)
    .endr
    lea 4(%r8), %r8
    dec %r10
    jnz 1b
    sbb %rax, %rax

    /* where x < y: z = ~z + 1 */
    movq %rax, %xmm0
    punpcklqdq %xmm0, %xmm0
    mov %rcx, %r10
    xor %r8d, %r8d
2:  movups (%rdi, %r8, 8), %xmm1
    movups 16(%rdi, %r8, 8), %xmm2
    pxor %xmm0, %xmm1
    pxor %xmm0, %xmm2
    movups %xmm1, (%rdi, %r8, 8)
    movups %xmm2, 16(%rdi, %r8, 8)
    add $4, %r8
    dec %r10
    jnz 2b
    xor %r8d, %r8d
    mov %rax, %r9
    neg %r9 /* the carry flag is the one to be added */
3:
    .irp i, 0, 8, 16, 24
    adcq $0, \i(%rdi, %r8, 8)
    .endr
    lea 4(%r8), %r8
    dec %rcx
    jnz 3b
    neg %rax
    ret
END(bm_distance_8n_amd64)
