/*
 * void bm_gather_avx2(bm_limb *z, const bm_limb *table, size_t num, size_t count, bm_limb index)
 *
 * z = table[index]: count entries of num limbs, one after another, all of them read in the same order
 * whatever the index. Sixteen limbs of z at a time, then four, then one: each entry's limbs are masked
 * by a comparison of its number with the index. count is at least 1, num at least 1; z does not
 * overlap the table. Needs AVX2. Constant time in index and table.
 *
 *   in       rdi z, rsi table, rdx num, rcx count, r8 index
 *   holds    ymm0 index, ymm1 number of the entry, ymm2 one, ymm4..ymm7 sums; r9 entry, r10 8 num
 *   clobbers rax rdx rsi rdi r9-r11, flags, ymm0-ymm8
 */
#include "asm.h"

.macro FIRST_ENTRY
    vpxor %xmm1, %xmm1, %xmm1
    vpxor %xmm4, %xmm4, %xmm4
    mov %rsi, %r9
    mov %rcx, %rax
.endm

.macro NEXT_ENTRY
    vpaddq %ymm2, %ymm1, %ymm1
    add %r10, %r9
    dec %rax
.endm

/* sum |= four limbs of the entry, if it is the one */
.macro TAKE at, sum
    vpand \at(%r9), %ymm3, %ymm8
    vpor %ymm8, \sum, \sum
.endm

FUNC(bm_gather_avx2)
    vmovq %r8, %xmm0
    vpbroadcastq %xmm0, %ymm0
    mov $1, %eax
    vmovq %rax, %xmm2
    vpbroadcastq %xmm2, %ymm2
    lea (, %rdx, 8), %r10

1:  sub $16, %rdx
    jb 3f
    FIRST_ENTRY
    vpxor %xmm5, %xmm5, %xmm5
    vpxor %xmm6, %xmm6, %xmm6
    vpxor %xmm7, %xmm7, %xmm7
    .balign 32
2:  vpcmpeqq %ymm0, %ymm1, %ymm3
    TAKE 0, %ymm4
    TAKE 32, %ymm5
    TAKE 64, %ymm6
    TAKE 96, %ymm7
    NEXT_ENTRY
    jnz 2b
    vmovdqu %ymm4, (%rdi)
    vmovdqu %ymm5, 32(%rdi)
    vmovdqu %ymm6, 64(%rdi)
    vmovdqu %ymm7, 96(%rdi)
    sub $-128, %rdi
    sub $-128, %rsi
    jmp 1b

3:  add $16, %rdx
4:  sub $4, %rdx
    jb 6f
    FIRST_ENTRY
    .balign 32
5:  vpcmpeqq %ymm0, %ymm1, %ymm3
    TAKE 0, %ymm4
    NEXT_ENTRY
    jnz 5b
    vmovdqu %ymm4, (%rdi)
    add $32, %rdi
    add $32, %rsi
    jmp 4b

6:  add $4, %rdx
7:  jz 9f
    FIRST_ENTRY
8:  vpcmpeqq %ymm0, %ymm1, %ymm3
    vmovq (%r9), %xmm8
    vpand %ymm3, %ymm8, %ymm8
    vpor %ymm8, %ymm4, %ymm4
    NEXT_ENTRY
    jnz 8b
    vmovq %xmm4, (%rdi)
    add $8, %rdi
    add $8, %rsi
    dec %rdx
    jmp 7b

9:  vzeroall
    ret
END(bm_gather_avx2)
