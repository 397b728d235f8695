/*
 * bm_gather<h>_ifma: an entry of a table of numbers h half vectors wide.
 * bm_wipe_vectors_ifma: nothing of what a kernel computed stays in a vector register.
 *
 *     void bm_gather<h>_ifma(uint64_t *z, const uint64_t *table, size_t count, uint64_t index);
 *     void bm_wipe_vectors_ifma(void);
 *
 * z = table[index], count >= 1 entries one after another; numbers as in rows_ifma.h. The index is
 * secret: every entry is loaded, whole and unmasked, in the same order whatever it is.
 *
 * In: rdi z, rsi table, rdx count, rcx index. Clobbers those, rax, r8, r9, r10 and the vector registers.
 */
#include "asm.h"
#include "rows_ifma.h"

/* acc |= mask & entry */
.macro take j, acc, mask, at
    .if (\j == VECTORS - 1) && (HALVES % 2)
    take_vector ymm, %(\acc + \j), \mask, %(\at + 64 * \j)
    .else
    take_vector zmm, %(\acc + \j), \mask, %(\at + 64 * \j)
    .endif
.endm
.macro take_vector size, acc, mask, at
    vpternlogq \size\()\acc, \size\()\mask, [rsi + \at], 0xf8
.endm

.macro clear j, acc
    clear_vector %(\acc + \j)
.endm
.macro clear_vector acc
    vpxorq zmm\acc, zmm\acc, zmm\acc
.endm

/* zmm0: number of the entry; zmm1: the index wanted; zmm3: mask; zmm5: -1. */
.macro gather
    vpxor xmm0, xmm0, xmm0
    vpternlogq zmm5, zmm5, zmm5, 255
    vpbroadcastq zmm1, rcx
    each clear, TREG
.Lentry\@:
    vpcmpeqq k1, zmm0, zmm1
    vmovdqa64 zmm3{k1}{z}, zmm5
    each take, TREG, 3, 0
    vpsubq zmm0, zmm0, zmm5
    add rsi, SIZE
    dec rdx
    jnz .Lentry\@
    each store, TREG, rdi, 0
    vzeroupper
    ret
.endm

/* Wider than the register file: a vector at a time. r8: vectors. */
.macro gather_wide vectors
    mov r8d, \vectors
    mov eax, 64 * \vectors /* an entry, in bytes */
    vpternlogq zmm5, zmm5, zmm5, 255
    vpbroadcastq zmm1, rcx
.Lvector\@:
    vpxor xmm0, xmm0, xmm0
    vpxor xmm2, xmm2, xmm2
    mov r9, rsi
    mov r10, rdx
.Lentry\@:
    vpcmpeqq k1, zmm0, zmm1
    vmovdqa64 zmm3{k1}{z}, zmm5
    vpternlogq zmm2, zmm3, [r9], 0xf8
    vpsubq zmm0, zmm0, zmm5
    add r9, rax
    dec r10
    jnz .Lentry\@
    vmovdqa64 [rdi], zmm2
    add rdi, 64
    add rsi, 64
    dec r8d
    jnz .Lvector\@
    vzeroupper
    ret
.endm

FUNC(bm_wipe_vectors_ifma)
    .irp r, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    vpxorq zmm\r, zmm\r, zmm\r
    .endr
    vzeroall
    ret
END(bm_wipe_vectors_ifma)

shape 3, 0
FUNC(bm_gather3_ifma)
    gather
END(bm_gather3_ifma)

shape 5, 0
FUNC(bm_gather5_ifma)
    gather
END(bm_gather5_ifma)

shape 6, 0
FUNC(bm_gather6_ifma)
    gather
END(bm_gather6_ifma)

shape 8, 0
FUNC(bm_gather8_ifma)
    gather
END(bm_gather8_ifma)

shape 10, 0
FUNC(bm_gather10_ifma)
    gather
END(bm_gather10_ifma)

shape 13, 0
FUNC(bm_gather13_ifma)
    gather
END(bm_gather13_ifma)

shape 15, 0
FUNC(bm_gather15_ifma)
    gather
END(bm_gather15_ifma)

shape 18, 0
FUNC(bm_gather18_ifma)
    gather
END(bm_gather18_ifma)

shape 20, 0
FUNC(bm_gather20_ifma)
    gather
END(bm_gather20_ifma)

shape 25, 0
FUNC(bm_gather25_ifma)
    gather
END(bm_gather25_ifma)

shape 30, 0
FUNC(bm_gather30_ifma)
    gather
END(bm_gather30_ifma)

shape 40, 0
FUNC(bm_gather40_ifma)
    gather
END(bm_gather40_ifma)

FUNC(bm_gather50_ifma)
    gather_wide 25
END(bm_gather50_ifma)

FUNC(bm_gather60_ifma)
    gather_wide 30
END(bm_gather60_ifma)

FUNC(bm_gather70_ifma)
    gather_wide 35
END(bm_gather70_ifma)

FUNC(bm_gather80_ifma)
    gather_wide 40
END(bm_gather80_ifma)
