/*
 * void bm_p25519_select_avx2(bm_limb z[14], const bm_limb (*table)[14], unsigned index,
 *                            unsigned negative)
 *
 * z = table[index], one of 16 entries y + x, y - x, 2 d x y, shadow, 0 of the comb (core/point_table.h); for
 * negative 1 the negative point, and q - shadow with q = 2^61 - 1. index and negative are secret: every
 * entry is read. Needs AVX2. Constant time.
 *
 *   in       rdi z, rsi table, edx index, ecx negative
 *   holds    ymm0 ymm1 ymm2 xmm3 the entry; ymm4 index and ymm5 the entry's, in all lanes; ymm6 where
 *            they are equal; ymm7 minus one; rcx all ones for a negative
 *   clobbers rax rcx rdx rsi r8-r11, ymm0-ymm9, flags
 */
#include "asm.h"

#define Y_PLUS_X 0
#define Y_MINUS_X 32
#define XY2D 64
#define SHADOW 96
#define ENTRY 112

FUNC(bm_p25519_select_avx2)
    mov %ecx, %ecx
    neg %rcx
    vmovd %edx, %xmm4
    vpbroadcastd %xmm4, %ymm4
    vpcmpeqd %ymm7, %ymm7, %ymm7
    vpxor %xmm0, %xmm0, %xmm0
    vpxor %xmm1, %xmm1, %xmm1
    vpxor %xmm2, %xmm2, %xmm2
    vpxor %xmm3, %xmm3, %xmm3
    vpxor %xmm5, %xmm5, %xmm5
.rept 16
    vpcmpeqd %ymm5, %ymm4, %ymm6
    vpsubd %ymm7, %ymm5, %ymm5
    vpand Y_PLUS_X(%rsi), %ymm6, %ymm8
    vpor %ymm8, %ymm0, %ymm0
    vpand Y_MINUS_X(%rsi), %ymm6, %ymm9
    vpor %ymm9, %ymm1, %ymm1
    vpand XY2D(%rsi), %ymm6, %ymm8
    vpor %ymm8, %ymm2, %ymm2
    vpand SHADOW(%rsi), %xmm6, %xmm9
    vpor %xmm9, %xmm3, %xmm3
    add $ENTRY, %rsi
.endr
    /* for a negative the first two change places */
    vmovq %rcx, %xmm6
    vpbroadcastq %xmm6, %ymm6
    vpxor %ymm1, %ymm0, %ymm8
    vpand %ymm6, %ymm8, %ymm8
    vpxor %ymm8, %ymm0, %ymm0
    vpxor %ymm8, %ymm1, %ymm1
    vmovdqu %ymm0, Y_PLUS_X(%rdi)
    vmovdqu %ymm1, Y_MINUS_X(%rdi)
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
    mov %r8, XY2D(%rdi)
    mov %r9, XY2D+8(%rdi)
    mov %r10, XY2D+16(%rdi)
    mov %r11, XY2D+24(%rdi)
    vmovq %xmm3, %r8
    shr $3, %rcx /* 2^61 - 1 */
    xor %rcx, %r8
    mov %r8, SHADOW(%rdi)
    movq $0, SHADOW+8(%rdi)
    vpxor %xmm0, %xmm0, %xmm0
    vpxor %xmm1, %xmm1, %xmm1
    vpxor %xmm2, %xmm2, %xmm2
    vpxor %xmm3, %xmm3, %xmm3
    vpxor %xmm8, %xmm8, %xmm8
    vpxor %xmm9, %xmm9, %xmm9
    vzeroupper
    ret
END(bm_p25519_select_avx2)
