/*
 * void bm_p25519_add_affine_arm64(bm_limb r[16], const bm_limb p[16], const bm_limb q[12],
 *                                 int negate, int with_t)
 *
 * r = p + q, or p - q, on Ed25519: p, r X, Y, Z, T, tight; q y + x, y - x, 2 d x y, loose
 * (core/field25519_kernels.h). negate is 0 or 1; T is written only with_t. r may be p. Constant
 * time in the points.
 *
 *   in       x0 r, x1 p, x2 q, w3 negate, w4 with_t
 *   stack    E, F, G, H
 *   clobbers x1-x17, flags
 */
#include "asm.h"
#include "arm64/points25519_arm64.h"

FUNC(bm_p25519_add_affine_arm64)
    mov w3, w3
    mov w4, w4
    ADD_BEGIN 64
    LOAD U, x1, Z
    FE_ADD U, U, U /* D */
    ADD_END_RET
END(bm_p25519_add_affine_arm64)
