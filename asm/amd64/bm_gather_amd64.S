/*
 * void bm_gather_amd64(bm_limb *z, const bm_limb *table, size_t num, size_t count, bm_limb index)
 *
 * z = table[index]: count entries of num limbs, one after another, all of them read in the same order
 * whatever the index. Eight limbs of z at a time, then one: each entry's limbs are masked by a
 * comparison of its number with the index. count is at least 1, below 2^32, num at least 1; z does not
 * overlap the table. Constant time in index and table.
 *
 *   in       rdi z, rsi table, rdx num, rcx count, r8 index
 *   holds    xmm0 index, xmm1 number of the entry, xmm2 one, xmm4..xmm7 sums; r9 entry, r10 8 num
 *   clobbers rax rdx rsi rdi r9 r10, flags, xmm0-xmm8
 */
#include "asm.h"

.macro FIRST_ENTRY
    pxor %xmm1, %xmm1
    pxor %xmm4, %xmm4
    mov %rsi, %r9
    mov %rcx, %rax
.endm

/* xmm3 = ones where the entry is the one */
.macro COMPARE
    movdqa %xmm1, %xmm3
    pcmpeqd %xmm0, %xmm3
.endm

.macro NEXT_ENTRY
    paddd %xmm2, %xmm1
    add %r10, %r9
    dec %rax
.endm

/* sum |= two limbs of the entry, if it is the one */
.macro TAKE at, sum
    movups \at(%r9), %xmm8
    pand %xmm3, %xmm8
    por %xmm8, \sum
.endm

FUNC(bm_gather_amd64)
    movq %r8, %xmm0
    pshufd $0, %xmm0, %xmm0
    mov $1, %eax
    movd %eax, %xmm2
    pshufd $0, %xmm2, %xmm2
    lea (, %rdx, 8), %r10

1:  sub $8, %rdx
    jb 3f
    FIRST_ENTRY
    pxor %xmm5, %xmm5
    pxor %xmm6, %xmm6
    pxor %xmm7, %xmm7
    .balign 32
2:  COMPARE
    TAKE 0, %xmm4
    TAKE 16, %xmm5
    TAKE 32, %xmm6
    TAKE 48, %xmm7
    NEXT_ENTRY
    jnz 2b
    movups %xmm4, (%rdi)
    movups %xmm5, 16(%rdi)
    movups %xmm6, 32(%rdi)
    movups %xmm7, 48(%rdi)
    add $64, %rdi
    add $64, %rsi
    jmp 1b

3:  add $8, %rdx
4:  jz 6f
    FIRST_ENTRY
5:  COMPARE
    movq (%r9), %xmm8
    pand %xmm3, %xmm8
    por %xmm8, %xmm4
    NEXT_ENTRY
    jnz 5b
    movq %xmm4, (%rdi)
    add $8, %rdi
    add $8, %rsi
    dec %rdx
    jmp 4b

6:  pxor %xmm3, %xmm3
    pxor %xmm4, %xmm4
    pxor %xmm5, %xmm5
    pxor %xmm6, %xmm6
    pxor %xmm7, %xmm7
    pxor %xmm8, %xmm8
    ret
END(bm_gather_amd64)
