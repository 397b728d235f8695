/*
 * void bm_p25519_add_select_adx(bm_limb p[16], bm_limb z[14], const bm_limb (*table)[14], unsigned index,
 *                               unsigned negative, int with_t)
 *
 * p += the point in z; then z = table[index], one of 16 entries y + x, y - x, 2 d x y, shadow, 0 of the comb
 * (core/point_table.h); for negative 1 the negative point, and q - shadow with q = 2^61 - 1. p as X, Y, Z,
 * T of four limbs, tight; T is written only with_t, which is public. index and negative are secret: every
 * entry is read. The vectors that read the table run beside the products, which leave them free.
 * Needs BMI2, ADX and AVX2. Constant time.
 *
 *   in       rdi p, rsi z, rdx table, ecx index, r8d negative, r9d with_t
 *   holds    rbp the table's next entry; rcx all ones for a negative; ymm0 ymm1 ymm2 xmm3 the entry; ymm4
 *            index less the next entry's in all lanes, ymm5 zero, ymm6 where they are equal, ymm7 minus one;
 *            on the stack E F G H A B of the formula (points25519_amd64.h)
 *   clobbers rax rcx rdx r8-r11, ymm0-ymm9, flags
 */
#include "asm.h"
#include "amd64/field25519_adx.h"
#include "amd64/points25519_amd64.h"

#define Y_PLUS_X 0
#define Y_MINUS_X 32
#define XY2D 64
#define SHADOW 96
#define ENTRY 112

/* the next n entries of the table */
.macro SCAN n
.rept \n
    vpcmpeqd %ymm5, %ymm4, %ymm6
    vpaddd %ymm7, %ymm4, %ymm4
    vpand Y_PLUS_X(%rbp), %ymm6, %ymm8
    vpor %ymm8, %ymm0, %ymm0
    vpand Y_MINUS_X(%rbp), %ymm6, %ymm9
    vpor %ymm9, %ymm1, %ymm1
    vpand XY2D(%rbp), %ymm6, %ymm8
    vpor %ymm8, %ymm2, %ymm2
    vpand SHADOW(%rbp), %xmm6, %xmm9
    vpor %xmm9, %xmm3, %xmm3
    add $ENTRY, %rbp
.endr
.endm

FUNC(bm_p25519_add_select_adx)
    PROLOGUE
    mov %r9d, FLAG(%rsp)
    mov %rdx, %rbp
    vmovd %ecx, %xmm4
    vpbroadcastd %xmm4, %ymm4
    mov %r8d, %ecx
    neg %rcx
    vpxor %xmm5, %xmm5, %xmm5
    vpcmpeqd %ymm7, %ymm7, %ymm7
    vpxor %xmm0, %xmm0, %xmm0
    vpxor %xmm1, %xmm1, %xmm1
    vpxor %xmm2, %xmm2, %xmm2
    vpxor %xmm3, %xmm3, %xmm3
    FE_MUL E, %rsp, T, %rdi, XY2D, %rsi /* C = 2 d T_p x y */
    SCAN 3
    FE_SUB A, %rsp, Y, %rdi, X, %rdi
    FE_ADD B, %rsp, Y, %rdi, X, %rdi
    FE_ADD H, %rsp, Z, %rdi, Z, %rdi /* D */
    FE_MUL A, %rsp, A, %rsp, Y_MINUS_X, %rsi
    SCAN 3
    FE_SUB F, %rsp, H, %rsp, E, %rsp /* F = D - C */
    FE_ADD_LOOSE G, %rsp, H, %rsp, E, %rsp /* G = D + C */
    FE_MUL B, %rsp, B, %rsp, Y_PLUS_X, %rsi
    SCAN 3
    FE_MUL Z, %rdi, F, %rsp, G, %rsp
    SCAN 3
    FE_SUB E, %rsp, B, %rsp, A, %rsp /* E = B - A */
    FE_ADD H, %rsp, B, %rsp, A, %rsp /* H = B + A */
    cmpl $0, FLAG(%rsp)
    je 9f
    FE_MUL T, %rdi, E, %rsp, H, %rsp
9:
    SCAN 2
    FE_MUL X, %rdi, E, %rsp, F, %rsp
    SCAN 2
    FE_MUL Y, %rdi, G, %rsp, H, %rsp
    /* for a negative the first two change places */
    vmovq %rcx, %xmm6
    vpbroadcastq %xmm6, %ymm6
    vpxor %ymm1, %ymm0, %ymm8
    vpand %ymm6, %ymm8, %ymm8
    vpxor %ymm8, %ymm0, %ymm0
    vpxor %ymm8, %ymm1, %ymm1
    vmovdqu %ymm0, Y_PLUS_X(%rsi)
    vmovdqu %ymm1, Y_MINUS_X(%rsi)
    /* and the others are negated: p - 2 d x y, q - shadow */
    vmovq %xmm2, %r8
    vpextrq $1, %xmm2, %r9
    vextracti128 $1, %ymm2, %xmm2
    vmovq %xmm2, %r10
    vpextrq $1, %xmm2, %r11
    xor %rcx, %r8 /* p - x = (2^255 - 1 - x) - 18 */
    xor %rcx, %r9
    xor %rcx, %r10
    mov %rcx, %rax
    shr $1, %rax
    xor %rax, %r11
    mov %rcx, %rdx
    and $18, %edx
    sub %rdx, %r8
    sbb $0, %r9
    sbb $0, %r10
    sbb $0, %r11
    STORE XY2D, %rsi
    vmovq %xmm3, %r8
    shr $3, %rcx /* 2^61 - 1 */
    xor %rcx, %r8
    mov %r8, SHADOW(%rsi)
    movq $0, SHADOW+8(%rsi)
    vpxor %xmm0, %xmm0, %xmm0
    vpxor %xmm1, %xmm1, %xmm1
    vpxor %xmm2, %xmm2, %xmm2
    vpxor %xmm3, %xmm3, %xmm3
    vpxor %xmm4, %xmm4, %xmm4
    vpxor %xmm6, %xmm6, %xmm6
    vpxor %xmm8, %xmm8, %xmm8
    vpxor %xmm9, %xmm9, %xmm9
    vzeroupper
    EPILOGUE
    ret
END(bm_p25519_add_select_adx)
