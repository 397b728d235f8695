/*
 * void bm_finish_amd64(bm_limb *z, bm_limb *t, const bm_limb *m, bm_limb carry, size_t num)
 *
 * The end of a Montgomery reduction: z = v - m if v >= m, else v, where v = t[num..2 num) + carry R
 * and v < 2 m. The lower half of t is destroyed. z may be t or its upper half. num is at least 1.
 * Constant time in all values.
 *
 *   in       rdi z, rsi t, rdx m, rcx carry, r8 num
 *   holds    r9 the upper half of t, r10 counter, r11 index
 *   clobbers rax rcx rdx r8-r11, flags
 */
#include "asm.h"

/* t_i = v_i - m_i, with the carry flag; mov, lea and dec leave it alone */
.macro SUBTRACT i
    mov 8*\i(%r9, %r11, 8), %rax
    sbb 8*\i(%rdx, %r11, 8), %rax
    mov %rax, 8*\i(%rsi, %r11, 8)
.endm

/* z_i = v_i where the sign flag is set, else t_i */
.macro SELECT i
    mov 8*\i(%rsi, %r11, 8), %rax
    cmovs 8*\i(%r9, %r11, 8), %rax
    mov %rax, 8*\i(%rdi, %r11, 8)
.endm

FUNC(bm_finish_amd64)
    lea (%rsi, %r8, 8), %r9
    mov %r8, %r10
    and $7, %r8d   /* limbs beyond eights */
    shr $3, %r10
    mov %r10, %rax /* eights */
    xor %r11d, %r11d
    inc %r10
    push %rax
    .cfi_adjust_cfa_offset 8
    test %rax, %rax /* clears the carry flag */
    jmp 2f
1:  SUBTRACT 0
    SUBTRACT 1
    SUBTRACT 2
    SUBTRACT 3
    SUBTRACT 4
    SUBTRACT 5
    SUBTRACT 6
    SUBTRACT 7
    lea 8(%r11), %r11
2:  dec %r10
    jnz 1b
    lea 1(%r8), %r10
    jmp 4f
3:  SUBTRACT 0
    lea 1(%r11), %r11
4:  dec %r10
    jnz 3b

    /* [carry - borrow is 0, -1 or 1]; -1 alone says that v < m */
    sbb $0, %rcx
    xor %r11d, %r11d
    pop %r10
    .cfi_adjust_cfa_offset -8
    inc %r10
    jmp 6f
5:  test %rcx, %rcx
    SELECT 0
    SELECT 1
    SELECT 2
    SELECT 3
    SELECT 4
    SELECT 5
    SELECT 6
    SELECT 7
    add $8, %r11
6:  dec %r10
    jnz 5b
    inc %r8
    jmp 8f
7:  test %rcx, %rcx
    SELECT 0
    inc %r11
8:  dec %r8
    jnz 7b
    ret
END(bm_finish_amd64)
