/*
 * bm_gather_ifma: one entry of a table, every entry read in the same order whatever the index.
 * bm_wipe_vectors_ifma: nothing of what a kernel computed stays in a vector register.
 *
 *     void bm_gather_ifma(uint64_t *z, const uint64_t *table, size_t vectors, size_t stride,
 *                         size_t count, uint64_t index);
 *     void bm_wipe_vectors_ifma(void);
 *
 * z = the first 8 `vectors` quadwords of table[index], entries `stride` bytes apart, count of them; all
 * 64-byte aligned. index is secret, the rest is public. Loads are whole and unmasked: a mask acts on
 * registers alone.
 *
 * In: rdi z, rsi table, rdx vectors, rcx stride, r8 count, r9 index. Clobbers those, rax, r10 and the
 * vector registers.
 */
#include "asm.h"

.intel_syntax noprefix

/* acc = entry number zmm0 is the one wanted ? entry's vector : acc */
.macro take acc, at
    vmovdqa64 zmm3, [rax + \at]
    vmovdqa64 \acc{k1}, zmm3
.endm

/* zmm0 counts entries, zmm1 is the index, rax walks through the entries. */
.macro start_walk
    vpxor xmm0, xmm0, xmm0
    mov rax, rsi
    mov r10, r8
.endm

FUNC(bm_gather_ifma)
    vpbroadcastq zmm1, r9
    vpternlogq zmm2, zmm2, zmm2, 255
.Lfive:
    cmp rdx, 5
    jb .Lone
    start_walk
.Lfive_entry:
    vpcmpeqq k1, zmm0, zmm1
    vpsubq zmm0, zmm0, zmm2
    take zmm16, 0
    take zmm17, 64
    take zmm18, 128
    take zmm19, 192
    take zmm20, 256
    add rax, rcx
    dec r10
    jnz .Lfive_entry
    vmovdqa64 [rdi], zmm16
    vmovdqa64 [rdi + 64], zmm17
    vmovdqa64 [rdi + 128], zmm18
    vmovdqa64 [rdi + 192], zmm19
    vmovdqa64 [rdi + 256], zmm20
    add rdi, 320
    add rsi, 320
    sub rdx, 5
    jmp .Lfive

.Lone:
    test rdx, rdx
    jz .Ldone
    start_walk
.Lone_entry:
    vpcmpeqq k1, zmm0, zmm1
    vpsubq zmm0, zmm0, zmm2
    take zmm16, 0
    add rax, rcx
    dec r10
    jnz .Lone_entry
    vmovdqa64 [rdi], zmm16
    add rdi, 64
    add rsi, 64
    dec rdx
    jmp .Lone

.Ldone:
    vzeroupper
    ret
END(bm_gather_ifma)

FUNC(bm_wipe_vectors_ifma)
    .irp r, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    vpxorq zmm\r, zmm\r, zmm\r
    .endr
    vzeroall
    ret
END(bm_wipe_vectors_ifma)
