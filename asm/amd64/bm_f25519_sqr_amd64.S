/*
 * void bm_f25519_sqr_amd64(bm_limb z[4], const bm_limb x[4], unsigned n)
 *
 * z = x^(2^n) modulo p = 2^255 - 19, tight (below 2^255 + 1463); x below 2^256, n at least 1 and public.
 * z may be x.
 * Constant time.
 *
 *   in       rdi z, rsi x, edx n
 *   holds    r8-r15 the square, then r8-r11 the result; ecx squarings to go
 *   clobbers rax rcx rdx rsi r8-r11, flags
 */
#include "asm.h"
#include "amd64/frame_amd64.h"
#include "amd64/field25519_amd64.h"

FUNC(bm_f25519_sqr_amd64)
    SAVE_ALL
    mov %edx, %ecx
1:  FE_SQR 0, %rdi, 0, %rsi
    mov %rdi, %rsi
    dec %ecx
    jnz 1b
    RESTORE_ALL
    ret
END(bm_f25519_sqr_amd64)
