/*
 * void bm_p25519_double_arm64(bm_limb r[16], const bm_limb p[16], int with_t)
 *
 * r = 2 p on Ed25519: X, Y, Z, T, tight (core/field25519_kernels.h); T is not read, and is written
 * only with_t. r may be p. Constant time in the point.
 *
 *   in       x0 r, x1 p, w2 with_t
 *   stack    E, F, G, H
 *   clobbers x1-x17, flags
 */
#include "asm.h"
#include "arm64/points25519_arm64.h"

FUNC(bm_p25519_double_arm64)
    SAVE_ALL
    sub sp, sp, #STACK
    mov w2, w2
    str x2, WITH_T
    LOAD U, x1, X
    LOAD V, x1, Y
    FE_ADD W, U, V
    FE_SQR W, W
    STORE W, sp, E /* (X + Y)^2 */
    FE_SQR U, U    /* A = X^2 */
    FE_SQR V, V    /* B = Y^2 */
    FE_ADD W, U, V /* H = A + B */
    FE_SUB U, U, V /* G = A - B */
    STORE W, sp, H
    STORE U, sp, G
    LOAD V, sp, E
    FE_SUB V, W, V /* E = H - (X + Y)^2 */
    STORE V, sp, E
    LOAD V, x1, Z
    FE_SQR V, V
    FE_ADD V, V, V
    FE_ADD_LOOSE V, V, U /* F = 2 Z^2 + G */
    STORE V, sp, F
    COMPLETE_RET
END(bm_p25519_double_arm64)
