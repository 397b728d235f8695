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
#include "amd64/window_amd64.h"

/* What is left of a row from limb k of x on: low halves along the carry, high ones along overflow. */
.macro LIMBS k, here, above, beyond:vararg
    mulx 8*(\k)(X), %rax, %rbx
    adcx %rax, \here
.ifnb \above
    adox %rbx, \above
    LIMBS \k+1, \above, \beyond
.endif
.endm

/* (w0, ...) += x y_i as far as there are limbs */
.macro ROW i, w:vararg
    mov 8*\i(Y), %rdx
    xor %eax, %eax /* clears both flags */
    LIMBS 0, \w
.endm

FUNC(bm_mul_add_low8_adx)
    SAVE_ALL
    mov %rdx, Y
    WINDOW_LOAD T
    ROW 0, W0, W1, W2, W3, W4, W5, W6, W7
    ROW 1, W1, W2, W3, W4, W5, W6, W7
    ROW 2, W2, W3, W4, W5, W6, W7
    ROW 3, W3, W4, W5, W6, W7
    ROW 4, W4, W5, W6, W7
    ROW 5, W5, W6, W7
    ROW 6, W6, W7
    ROW 7, W7
    WINDOW_STORE T
    RESTORE_ALL
    ret
END(bm_mul_add_low8_adx)
