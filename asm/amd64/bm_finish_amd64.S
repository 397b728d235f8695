/*
 * void bm_finish_amd64(bm_limb *z, bm_limb *t, const bm_limb *m, bm_limb carry, size_t num)
 *
 * The end of a Montgomery reduction: z = v - m if v >= m, else v, where v = t[num..2 num) + carry R
 * and v < 2 m. The lower half of t is destroyed. z may be t or its upper half. num is at least 1.
 * Constant time in all values.
 *
 *   in       rdi z, rsi t, rdx m, rcx carry, r8 num
 *   holds    r9 the upper half of t, r10 counter, rax r11 limbs
 *   clobbers rax rcx rdx rsi rdi r9-r11, flags
 */
#include "asm.h"

FUNC(bm_finish_amd64)
    lea (%rsi, %r8, 8), %r9

    /* t = v - m, limb by limb; the counters do not touch the carry flag */
    mov %r8, %r10
    xor %r11d, %r11d
1:  mov (%r9, %r11, 8), %rax
    sbb (%rdx, %r11, 8), %rax
    mov %rax, (%rsi, %r11, 8)
    lea 1(%r11), %r11
    dec %r10
    jnz 1b

    /* [carry - borrow is 0 or -1 or 1]; -1 alone says that v < m */
    sbb $0, %rcx
    xor %r11d, %r11d
2:  test %rcx, %rcx
    mov (%rsi, %r11, 8), %rax
    cmovs (%r9, %r11, 8), %rax
    mov %rax, (%rdi, %r11, 8)
    inc %r11
    cmp %r8, %r11
    jne 2b
    ret
END(bm_finish_amd64)
