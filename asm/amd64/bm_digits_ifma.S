/*
 * bm_to_digits_ifma: saturated limbs to digits of 52 bits, eight to a vector.
 * bm_from_digits_ifma: and back.
 *
 *     void bm_to_digits_ifma(uint64_t *d, size_t vectors, const uint64_t *x, size_t num);
 *     void bm_from_digits_ifma(uint64_t *z, size_t num, const uint64_t *d, size_t vectors);
 *
 * A vector of eight digits is 416 bits, 52 bytes. d is 64-byte aligned and has 8 `vectors` digits, below
 * 2^52; bits of x beyond them are dropped, bits of d beyond z's limbs too, and what is missing is zero.
 * Exactly 8 num bytes are read or written. Values are secret, the sizes public.
 *
 * In: rdi d, rsi vectors, rdx x, rcx num; rdi z, rsi num, rdx d, rcx vectors. Clobbers those, rax,
 * r10, k1 and zmm0-zmm11.
 */
#include "asm.h"

.intel_syntax noprefix

RODATA
.balign 64
/* digit l: bits 52 l .. 52 l + 51 of eight quadwords: of one, shifted down, and of the next, up */
.Lfirst: .quad 0, 0, 1, 2, 3, 4, 4, 5
.Ldown:  .quad 0, 52, 40, 28, 16, 4, 56, 44
.Lnext:  .quad 1, 1, 2, 3, 4, 5, 5, 6
.Lup:    .quad 64, 12, 24, 36, 48, 60, 8, 20
/* quadword i: bits 64 i .. 64 i + 63 of eight digits: of three of them; a shift by 64 gives zero */
.Ldigit0: .quad 0, 1, 2, 3, 4, 6, 7, 7
.Ldown0:  .quad 0, 12, 24, 36, 48, 8, 20, 64
.Ldigit1: .quad 1, 2, 3, 4, 5, 7, 7, 7
.Lup1:    .quad 52, 40, 28, 16, 4, 44, 64, 64
.Ldigit2: .quad 6, 6, 6, 6, 6, 6, 6, 6
.Lup2:    .quad 64, 64, 64, 64, 56, 64, 64, 64
.Lmask52: .quad 0x000fffffffffffff

/* k1 = the next 52 bytes, or as many as are left of \left; takes them off. */
.macro next_bytes left
    mov eax, 52
    cmp \left, rax
    cmovb rax, \left
    sub \left, rax
    bzhi r10, r11, rax
    kmovq k1, r10
.endm

FUNC(bm_to_digits_ifma)
    vmovdqa64 zmm4, [rip + .Lfirst]
    vmovdqa64 zmm5, [rip + .Ldown]
    vmovdqa64 zmm6, [rip + .Lnext]
    vmovdqa64 zmm7, [rip + .Lup]
    vpbroadcastq zmm8, [rip + .Lmask52]
    mov r11, -1
    shl rcx, 3
.Lto_vector:
    next_bytes rcx
    vmovdqu8 zmm0{k1}{z}, [rdx]
    vpermq zmm1, zmm4, zmm0
    vpermq zmm2, zmm6, zmm0
    vpsrlvq zmm1, zmm1, zmm5
    vpsllvq zmm2, zmm2, zmm7
    vpternlogq zmm1, zmm2, zmm8, 0xa8 /* (1 | 2) & 8 */
    vmovdqa64 [rdi], zmm1
    add rdx, rax
    add rdi, 64
    dec rsi
    jnz .Lto_vector
    vzeroupper
    ret
END(bm_to_digits_ifma)

FUNC(bm_from_digits_ifma)
    vmovdqa64 zmm4, [rip + .Ldigit0]
    vmovdqa64 zmm5, [rip + .Ldown0]
    vmovdqa64 zmm6, [rip + .Ldigit1]
    vmovdqa64 zmm7, [rip + .Lup1]
    vmovdqa64 zmm8, [rip + .Ldigit2]
    vmovdqa64 zmm9, [rip + .Lup2]
    mov r11, -1
    shl rsi, 3
.Lfrom_vector:
    next_bytes rsi
    vmovdqa64 zmm0, [rdx]
    vpermq zmm1, zmm4, zmm0
    vpermq zmm2, zmm6, zmm0
    vpermq zmm3, zmm8, zmm0
    vpsrlvq zmm1, zmm1, zmm5
    vpsllvq zmm2, zmm2, zmm7
    vpsllvq zmm3, zmm3, zmm9
    vpternlogq zmm1, zmm2, zmm3, 0xfe /* 1 | 2 | 3 */
    vmovdqu8 [rdi]{k1}, zmm1
    add rdi, rax
    add rdx, 64
    dec rcx
    jnz .Lfrom_vector
    /* what the digits do not reach is zero */
    vpxor xmm1, xmm1, xmm1
.Lrest:
    test rsi, rsi
    jz .Lfrom_done
    next_bytes rsi
    vmovdqu8 [rdi]{k1}, zmm1
    add rdi, rax
    jmp .Lrest
.Lfrom_done:
    vzeroupper
    ret
END(bm_from_digits_ifma)
