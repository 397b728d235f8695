/*
 * void bm_f25519_mul_amd64(bm_limb z[4], const bm_limb x[4], const bm_limb y[4])
 *
 * z = x y modulo p = 2^255 - 19, tight (below 2^255 + 1463); x, y below 2^256. z may be x or y.
 * Constant time.
 *
 *   in       rdi z, rsi x, rdx y
 *   holds    r8-r15 the product, then r8-r11 the result
 *   clobbers rax rcx rdx r8-r11, flags
 */
#include "asm.h"
#include "amd64/frame_amd64.h"
#include "amd64/field25519_amd64.h"

FUNC(bm_f25519_mul_amd64)
    SAVE_ALL
    mov %rdx, %rcx
    FE_MUL 0, %rdi, 0, %rsi, 0, %rcx
    RESTORE_ALL
    ret
END(bm_f25519_mul_amd64)
