/*
 * void bm_p25519_add_affine_adx(bm_limb r[16], const bm_limb p[16], const bm_limb q[12], int negate,
 *                                int with_t)
 *
 * r = p + q, or p - q, on Ed25519; p and r as X, Y, Z, T of four limbs, tight; q as y + x, y - x,
 * 2 d x y, loose. T of r is written only with_t. r may be p.
 * Needs BMI2 and ADX. Constant time.
 *
 *   in       rdi r, rsi p, rdx q, ecx negate (0 or 1) and r8d with_t, public
 *   holds    on the stack E F G H A B of the formula (points25519_amd64.h)
 *   clobbers rax rcx rdx r8-r11, flags
 */
#include "asm.h"
#include "amd64/field25519_adx.h"
#include "amd64/points25519_amd64.h"

.macro TWICE_ZZ
    FE_ADD H, %rsp, Z, %rsi, Z, %rsi
.endm

FUNC(bm_p25519_add_affine_adx)
    POINT_ADD 64
END(bm_p25519_add_affine_adx)
