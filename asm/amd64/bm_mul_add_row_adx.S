/*
 * bm_limb bm_mul_add_row_adx(bm_limb *z, const bm_limb *x, bm_limb y, size_t num)
 *
 * z += x y; returns the limb that is carried out. num may be 0. z is x, or they do not overlap.
 * Needs BMI2 and ADX. Constant time in all values.
 *
 *   in       rdi z, rsi x, rdx y, rcx num
 *   out      rax carry
 *   holds    r8 high half of the limb before, r9 r10 low and high half, r11 limbs beyond fours
 *   clobbers rax rcx rsi rdi r8-r11, flags
 */
#include "asm.h"

/* z_i += low half + high half of the limb before: overflow and carry flag */
.macro LIMB i, before, high
    mulx 8*\i(%rsi), %r9, \high
    adcx 8*\i(%rdi), %r9
    adox \before, %r9
    mov %r9, 8*\i(%rdi)
.endm

FUNC(bm_mul_add_row_adx)
    mov %rcx, %r11
    and $3, %r11d
    shr $2, %rcx
    xor %r8d, %r8d /* clears both flags */
1:  jrcxz 2f
    LIMB 0, %r8, %r10
    LIMB 1, %r10, %r8
    LIMB 2, %r8, %r10
    LIMB 3, %r10, %r8
    lea 32(%rsi), %rsi
    lea 32(%rdi), %rdi
    lea -1(%rcx), %rcx
    jmp 1b

2:  mov %r11, %rcx
3:  jrcxz 4f
    LIMB 0, %r8, %r10
    mov %r10, %r8
    lea 8(%rsi), %rsi
    lea 8(%rdi), %rdi
    lea -1(%rcx), %rcx
    jmp 3b

4:  mov $0, %eax
    adcx %rax, %r8
    adox %rax, %r8
    mov %r8, %rax
    ret
END(bm_mul_add_row_adx)
