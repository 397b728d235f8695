/*
 * void bm_mont_mul_8_adx(bm_limb *z, const bm_limb *x, const bm_limb *y, const bm_limb *m,
 *                        bm_limb n0, bm_limb *scratch)
 * void bm_mont_sqr_8_adx(bm_limb *z, const bm_limb *x, const bm_limb *m, bm_limb n0,
 *                        bm_limb *scratch)
 *
 * z = x y / R mod m and z = x^2 / R mod m for eight limbs, R = 2^512: the blocks of bm_mul_8n_adx,
 * bm_sqr_8n_adx, bm_reduce_8n_adx and the end of bm_finish_amd64, once each and in line, so that the
 * first rows of the reduction run beside the last ones of the product. x y < m R; z < m, and z may be
 * x, y or the scratch, which has 16 limbs. Needs BMI2 and ADX. Constant time in all values.
 *
 *   in       rdi z, rsi x, rdx y, rcx m, r8 n0, r9 scratch; rdi z, rsi x, rdx m, rcx n0, r8 scratch
 *   holds    r8..r15 window, rax rbx low and high half, rbp zero, rdi scratch
 *   stack    z; m; n0
 *   clobbers rax rcx rdx rsi rdi r8-r11, xmm0, flags
 */
#define Z_SLOT 0(%rsp)
#define M_SLOT 8(%rsp)
#define N0 16(%rsp)

#include "asm.h"
#include "amd64/rows_adx.h"

/* limbs of the window and of T that are nothing yet */
.macro BEGIN
    mov $1, %edx
    ZERO_BLOCKS T
    WINDOW_ZERO
.endm

/* w -= X[j] with the borrow */
.macro SUBTRACT j, w
    .if \j == 0
    sub 0(X), \w
    .else
    sbb 8*\j(X), \w
    .endif
.endm

/* z_j = w, or T[j] where the sign flag says so */
.macro CHOOSE j, w
    cmovs 8*\j(T), \w
    mov \w, 8*\j(LO)
.endm

/* z = T[0..15] / R mod m */
.macro REDUCE_AND_FINISH
    mov T, Y
    mov M_SLOT, X
    WINDOW_LOAD T
    REDUCE_BLOCK
    add $64, T
    xor %edx, %edx /* clears the carry flag */
    WINDOW_ADD_TO_T
    adc %rdx, %rdx
    SUBTRACT 0, W0
    SUBTRACT 1, W1
    SUBTRACT 2, W2
    SUBTRACT 3, W3
    SUBTRACT 4, W4
    SUBTRACT 5, W5
    SUBTRACT 6, W6
    SUBTRACT 7, W7
    mov Z_SLOT, LO
    sbb $0, %rdx /* -1 where T < m */
    CHOOSE 0, W0
    CHOOSE 1, W1
    CHOOSE 2, W2
    CHOOSE 3, W3
    CHOOSE 4, W4
    CHOOSE 5, W5
    CHOOSE 6, W6
    CHOOSE 7, W7
    LEAVE_FRAME 3
    RESTORE_ALL
    ret
.endm

FUNC(bm_mont_mul_8_adx)
    SAVE_ALL
    ENTER_FRAME 3
    mov %rdi, Z_SLOT
    mov %rcx, M_SLOT
    mov %r8, N0
    mov %rdx, Y
    mov %r9, T
    BEGIN
    MAC_8X8
    lea 64(T), %rax
    WINDOW_STORE %rax
    REDUCE_AND_FINISH
END(bm_mont_mul_8_adx)

FUNC(bm_mont_sqr_8_adx)
    SAVE_ALL
    ENTER_FRAME 3
    mov %rdi, Z_SLOT
    mov %rdx, M_SLOT
    mov %rcx, N0
    mov %r8, T
    BEGIN
    TRIANGLE
    xor %r15d, %r15d /* limb 15 */
    lea 64(T), %rax
    WINDOW_STORE %rax
    xor %eax, %eax /* clears both flags */
    SQUARE 0
    SQUARE 1
    SQUARE 2
    SQUARE 3
    SQUARE 4
    SQUARE 5
    SQUARE 6
    SQUARE 7
    REDUCE_AND_FINISH
END(bm_mont_sqr_8_adx)
