/*
 * void bm_p25519_double_amd64(bm_limb r[16], const bm_limb p[16], int with_t)
 *
 * r = 2 p on Ed25519, points as X, Y, Z, T of four limbs, tight; T is not read, and written only with_t.
 * r may be p.
 * Constant time.
 *
 *   in       rdi r, rsi p, edx with_t, public
 *   holds    on the stack E F G H A B of the formula (points25519_amd64.h)
 *   clobbers rax rdx r8-r11, flags
 */
#include "asm.h"
#include "amd64/field25519_amd64.h"
#include "amd64/points25519_amd64.h"

FUNC(bm_p25519_double_amd64)
    POINT_DOUBLE
END(bm_p25519_double_amd64)
