/*
 * bm_limb bm_mul_add_row_amd64(bm_limb *z, const bm_limb *x, bm_limb y, size_t num)
 *
 * z += x y; returns the limb that is carried out. num may be 0. z is x, or they do not overlap.
 * Constant time in all values.
 *
 *   in       rdi z, rsi x, rdx y, rcx num
 *   out      rax carry
 *   holds    r8 y, r9 carry
 *   clobbers rax rcx rdx rsi rdi r8 r9, flags
 */
#include "asm.h"

FUNC(bm_mul_add_row_amd64)
    mov %rdx, %r8
    xor %r9d, %r9d
    test %rcx, %rcx
    jz 2f
1:  mov (%rsi), %rax
    mul %r8
    add %r9, %rax
    adc $0, %rdx
    add %rax, (%rdi)
    adc $0, %rdx
    mov %rdx, %r9
    add $8, %rsi
    add $8, %rdi
    dec %rcx
    jnz 1b
2:  mov %r9, %rax
    ret
END(bm_mul_add_row_amd64)
