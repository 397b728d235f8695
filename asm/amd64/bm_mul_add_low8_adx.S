/*
 * void bm_mul_add_low8_adx(bm_limb z[8], const bm_limb x[8], const bm_limb y[8])
 *
 * z += x y modulo 2^512. z is neither x nor y. Needs BMI2 and ADX. Constant time in all values.
 *
 *   in       rdi z, rsi x, rdx y
 *   holds    r8..r15 z, rcx y, rdx a limb of it, rax rbx low and high half
 *   clobbers rax rcx rdx r8-r11, flags
 */
#include "asm.h"

/* What is left of a row from limb k of x on: low halves along the carry, high ones along overflow. */
.macro LIMBS k, here, above, beyond:vararg
    mulx 8*(\k)(%rsi), %rax, %rbx
    adcx %rax, \here
.ifnb \above
    adox %rbx, \above
    LIMBS \k+1, \above, \beyond
.endif
.endm

/* (w0, ...) += x y_i as far as there are limbs */
.macro ROW i, w:vararg
    mov 8*\i(%rcx), %rdx
    xor %eax, %eax /* clears both flags */
    LIMBS 0, \w
.endm

FUNC(bm_mul_add_low8_adx)
    SAVE %rbx
    SAVE %r12
    SAVE %r13
    SAVE %r14
    SAVE %r15
    mov %rdx, %rcx
    mov (%rdi), %r8
    mov 8(%rdi), %r9
    mov 16(%rdi), %r10
    mov 24(%rdi), %r11
    mov 32(%rdi), %r12
    mov 40(%rdi), %r13
    mov 48(%rdi), %r14
    mov 56(%rdi), %r15
    ROW 0, %r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15
    ROW 1, %r9, %r10, %r11, %r12, %r13, %r14, %r15
    ROW 2, %r10, %r11, %r12, %r13, %r14, %r15
    ROW 3, %r11, %r12, %r13, %r14, %r15
    ROW 4, %r12, %r13, %r14, %r15
    ROW 5, %r13, %r14, %r15
    ROW 6, %r14, %r15
    ROW 7, %r15
    mov %r8, (%rdi)
    mov %r9, 8(%rdi)
    mov %r10, 16(%rdi)
    mov %r11, 24(%rdi)
    mov %r12, 32(%rdi)
    mov %r13, 40(%rdi)
    mov %r14, 48(%rdi)
    mov %r15, 56(%rdi)
    RESTORE %r15
    RESTORE %r14
    RESTORE %r13
    RESTORE %r12
    RESTORE %rbx
    ret
END(bm_mul_add_low8_adx)
