/*
 * void bm_point_cache_ifma(bm_limb n[20], const bm_limb p[20])
 *
 * n = p, made ready to be added: form P to form N (point25519_ifma.h), tight to tight, at any 8-byte
 * alignment. n may be p. Constant time.
 *
 *   in       rdi n, rsi p
 *   clobbers rax, ymm0-31 (upper halves zeroed), k3-k6
 */
#include "asm.h"

#define VECTOR ymm
#include "point25519_ifma.h"

RODATA
POINT_RODATA
.balign 32
/* lanes 1, 1, 2d, 2; d = -121665/121666 */
factors:
    .quad 1, 1, 0x69b9426b2f159, 2
    .quad 0, 0, 0x35050762add7a, 0
    .quad 0, 0, 0x3cf44c0038052, 0
    .quad 0, 0, 0x6738cc7407977, 0
    .quad 0, 0, 0x2406d9dc56dff, 0

FUNC(bm_point_cache_ifma)
    POINT_CONSTANTS
    vmovdqu64 0(%rsi), C0
    vmovdqu64 32(%rsi), C1
    vmovdqu64 64(%rsi), C2
    vmovdqu64 96(%rsi), C3
    vmovdqu64 128(%rsi), C4
    BIAS_COLUMNS
    L_FORM
    CARRY_TO_A
    vmovdqa64 0+factors(%rip), B0
    vmovdqa64 32+factors(%rip), B1
    vmovdqa64 64+factors(%rip), B2
    vmovdqa64 96+factors(%rip), B3
    vmovdqa64 128+factors(%rip), B4
    MUL 13
    CARRY C0, C1, C2, C3, C4, HI0, HI1, HI2, HI3, HI4
    vmovdqu64 C0, 0(%rdi)
    vmovdqu64 C1, 32(%rdi)
    vmovdqu64 C2, 64(%rdi)
    vmovdqu64 C3, 96(%rdi)
    vmovdqu64 C4, 128(%rdi)
    vzeroupper
    ret
END(bm_point_cache_ifma)
