/*
 * void bm_karatsuba_8n_amd64(bm_limb *z, bm_limb *d, bm_limb add, size_t num)
 *
 * The last step of Karatsuba's product of two numbers of 2 num limbs. z holds the product l of the lower
 * halves and h of the upper ones, 2 num limbs each, d the product of the halves' distances. z += (l + h +
 * d) 2^(64 num) for add = 1, (l + h - d) 2^(64 num) for add = 0; the bracket is not negative and the
 * result fits. d, of 2 num limbs, is destroyed. num is a multiple of 8, at least 8. Constant time in all
 * values, add included.
 *
 *   in       rdi z, rsi d, rdx add, rcx num
 *   holds    r8 index, r9 limb, r10 fours, r11 h, rax what goes beyond d
 *   clobbers rax rcx rdx rdi r8-r11, flags, xmm0-xmm2
 */
#include "asm.h"

FUNC(bm_karatsuba_8n_amd64)
    mov %rcx, %r11
    shl $4, %r11
    add %rdi, %r11 /* h */
    shr %rcx       /* fours in 2 num limbs */

    /* d = ~d for add = 0: with one more, -d; rax its sign */
    dec %rdx
    movq %rdx, %xmm0
    punpcklqdq %xmm0, %xmm0
    mov %rcx, %r10
    xor %r8d, %r8d
1:  movups (%rsi, %r8, 8), %xmm1
    movups 16(%rsi, %r8, 8), %xmm2
    pxor %xmm0, %xmm1
    pxor %xmm0, %xmm2
    movups %xmm1, (%rsi, %r8, 8)
    movups %xmm2, 16(%rsi, %r8, 8)
    add $4, %r8
    dec %r10
    jnz 1b
    mov %rdx, %rax

    /* d += l + one more; d += h */
    mov %rcx, %r10
    xor %r8d, %r8d
    neg %rdx /* the carry flag */
2:
    .irp i, 0, 8, 16, 24
    mov \i(%rdi, %r8, 8), %r9
    adc %r9, \i(%rsi, %r8, 8)
    .endr
    lea 4(%r8), %r8
    dec %r10
    jnz 2b
    adc $0, %rax
    mov %rcx, %r10
    xor %r8d, %r8d
3:
    .irp i, 0, 8, 16, 24
    mov \i(%r11, %r8, 8), %r9
    adc %r9, \i(%rsi, %r8, 8)
    .endr
    lea 4(%r8), %r8
    dec %r10
    jnz 3b
    adc $0, %rax /* [rax = 0, 1: the bracket is not negative] */

    /* z += bracket 2^(64 num) */
    lea (%rdi, %rcx, 8), %rdi
    lea (%rdi, %rcx, 8), %rdi
    mov %rcx, %r10
    xor %r8d, %r8d
4:
    .irp i, 0, 8, 16, 24
    mov \i(%rsi, %r8, 8), %r9
    adc %r9, \i(%rdi, %r8, 8)
    .endr
    lea 4(%r8), %r8
    dec %r10
    jnz 4b
    adc $0, %rax
    shr %rcx /* fours in num limbs */
    add %rax, (%rdi, %r8, 8)
    jmp 6f
5:  adcq $0, (%rdi, %r8, 8)
6:
    .irp i, 8, 16, 24
    adcq $0, \i(%rdi, %r8, 8)
    .endr
    lea 4(%r8), %r8
    dec %rcx
    jnz 5b
    ret
END(bm_karatsuba_8n_amd64)
