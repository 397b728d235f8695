/*
 * void bm_point_base_ifma(bm_limb p[4][20], bm_limb shadow[2], const uint8_t t[32],
 *                         const bm_limb *table, bm_limb scratch[112])
 *
 * The sums of a fixed-base multiplication in signed radix 16. With digits e_i = (low nibble of t[i]) - 8,
 * o_i = (high nibble of t[i]) - 8, but o_31 = the high nibble of t[31], at most 8, as it is:
 *
 *     p[0] = sum of e_i R_i,  p[1] = sum of o_i R_i      0 <= i < 16
 *     p[2] = sum of e_i R_i,  p[3] = sum of o_i R_i     16 <= i < 32,  R_i = [256^i]B
 *     shadow[0] = sum of the shadows of e_i R_i, shadow[1] of o_i R_i, all i
 *
 * p in form P (point25519_ifma.h), tight. The scalar is p[0] + p[2] + 16 (p[1] + p[3]). Constant time
 * in t: 32 rows, each read whole, in an order of its own; entries come out by permutes of registers,
 * signs by masks.
 *
 * table: 32 rows of 16 vectors of 64 bytes, 64-byte aligned. Lane j of a row's vector 5 c + k is
 * digit k of Y - X, Y + X, 2dXY (c = 0, 1, 2) of [j + 1]R_i, Z = 1; vector 15 has the shadows of the
 * entries, below 2^57: signed sums of 32 stay below 2^62.
 *
 * Two streams, rows 0-15 and 16-31, take turns at each product: while the products of one run, the
 * sums and carries of the other find free slots. Between turns a stream's columns lie in scratch.
 *
 *   in       rdi p, rsi shadow, rdx t, rcx table, r8 scratch: 64-byte aligned, left with secrets
 *   holds    r9 subtrahend of stream 1, r10 end of t's first half; zmm30 the shadows' sum
 *   clobbers rax rcx rdx r9-r11, zmm0-31 (all zeroed), k1-k7, flags
 */
#include "asm.h"

#define VECTOR zmm
#include "point25519_ifma.h"

#define SHADOW V(30)
#define DIGIT HI0
#define SIGN HI1
#define ENTRY HI2
#define PLACE HI3
#define ZERO HI4

RODATA
POINT_RODATA
.balign 64
index_u:
    .quad 2, 1, 1, 2, 6, 5, 5, 6
index_v:
    .quad 0, 3, 0, 3, 4, 7, 4, 7
exchange_u: /* F and G for a negative digit */
    .quad 1, 0, 0, 1, 1, 0, 0, 1
exchange_v:
    .quad 0, 1, 0, 1, 0, 1, 0, 1
places: /* lanes of Y - X, Y + X, 2dT */
    .quad 0, 1, 2, 3, 0, 1, 2, 3
exchange_place:
    .quad 1, 1, 0, 0, 1, 1, 0, 0
nibble:
    .quad 0, 0, 0, 0, 4, 4, 4, 4
offset:
    .quad 8, 8, 8, 8, 8, 8, 8, 8
    .quad 8, 8, 8, 8, 0, 0, 0, 0
neutral_p: /* digit 0 of the neutral point in form P, and in form N; other digits are 0 */
    .quad 0, 1, 0, 1, 0, 1, 0, 1
neutral_n:
    .quad 1, 1, 0, 2, 1, 1, 0, 2
const_1:
    .quad 1
const_2:
    .quad 2
const_15:
    .quad 15

/* scratch: 320 bytes of columns and 128 of indices for each stream */
.macro STORE_COLUMNS stream
    vmovdqa64 C0, 448*\stream+0(%r8)
    vmovdqa64 C1, 448*\stream+64(%r8)
    vmovdqa64 C2, 448*\stream+128(%r8)
    vmovdqa64 C3, 448*\stream+192(%r8)
    vmovdqa64 C4, 448*\stream+256(%r8)
.endm

.macro LOAD_COLUMNS stream
    vmovdqa64 448*\stream+0(%r8), C0
    vmovdqa64 448*\stream+64(%r8), C1
    vmovdqa64 448*\stream+128(%r8), C2
    vmovdqa64 448*\stream+192(%r8), C3
    vmovdqa64 448*\stream+256(%r8), C4
.endm

/* b{lanes of coordinate c} = digit k of the chosen entries */
.macro TAKE_DIGIT row, c, k, b
    vpermq \row+64*(5*\c+\k)(%rcx), ENTRY, \b{%k2}
.endm

.macro TAKE_COORDINATE row, c
    TAKE_DIGIT \row, \c, 4, B4
    TAKE_DIGIT \row, \c, 3, B3
    TAKE_DIGIT \row, \c, 2, B2
    TAKE_DIGIT \row, \c, 1, B1
    TAKE_DIGIT \row, \c, 0, B0
.endm

/* B = the entries for the digits in t[byte] out of the row at `row`; the neutral point for 0. */
.macro TAKE stream, byte, row, subtrahend
    movzbl \byte(%rdx), %eax
    vpbroadcastq %rax, DIGIT
    vpsrlvq nibble(%rip), DIGIT, DIGIT
    vpandq const_15(%rip){1to8}, DIGIT, DIGIT
    vpsubq \subtrahend, DIGIT, DIGIT
    vpmovq2m DIGIT, %k7
    vpsraq $63, DIGIT, SIGN
    vpabsq DIGIT, DIGIT
    vptestmq DIGIT, DIGIT, %k1
    vpsubq const_1(%rip){1to8}, DIGIT, ENTRY
    vpandq exchange_u(%rip), SIGN, INDEX_U
    vpandq exchange_v(%rip), SIGN, INDEX_V
    vpandq exchange_place(%rip), SIGN, PLACE
    vpxorq index_u(%rip), INDEX_U, INDEX_U
    vpxorq index_v(%rip), INDEX_V, INDEX_V
    vpxorq places(%rip), PLACE, PLACE
    vmovdqa64 INDEX_U, 448*\stream+320(%r8)
    vmovdqa64 INDEX_V, 448*\stream+384(%r8)
    vptestnmq PLACE, PLACE, %k2{%k1}
    vmovdqa64 neutral_n(%rip), B0
    vpxor %xmm6, %xmm6, %xmm6
    vpxor %xmm7, %xmm7, %xmm7
    vpxor %xmm8, %xmm8, %xmm8
    vpxor %xmm9, %xmm9, %xmm9
    TAKE_COORDINATE \row, 0
    vpcmpeqq const_1(%rip){1to8}, PLACE, %k2{%k1}
    TAKE_COORDINATE \row, 1
    vpcmpeqq const_2(%rip){1to8}, PLACE, %k2{%k1}
    TAKE_COORDINATE \row, 2
    vpermq \row+64*15(%rcx), ENTRY, ENTRY{%k1}{z}
    vpxorq SIGN, ENTRY, ENTRY
    vpsubq SIGN, ENTRY, ENTRY
    vpaddq ENTRY, SHADOW, SHADOW
.endm

.macro FIRST_TURN stream, byte, row, subtrahend
    LOAD_COLUMNS \stream
    L_FORM
    CARRY_TO_A
    TAKE \stream, \byte, \row, \subtrahend
    MUL
    STORE_COLUMNS \stream
.endm

.macro SECOND_TURN stream
    LOAD_COLUMNS \stream
    vmovdqa64 448*\stream+320(%r8), INDEX_U
    vmovdqa64 448*\stream+384(%r8), INDEX_V
    ADD_MIDDLE
    MUL
    STORE_COLUMNS \stream
.endm

.macro LEAVE stream
    LOAD_COLUMNS \stream
    CARRY C0, C1, C2, C3, C4, HI0, HI1, HI2, HI3, HI4
    vmovdqu64 %ymm10, 320*\stream+0(%rdi)
    vmovdqu64 %ymm11, 320*\stream+32(%rdi)
    vmovdqu64 %ymm12, 320*\stream+64(%rdi)
    vmovdqu64 %ymm13, 320*\stream+96(%rdi)
    vmovdqu64 %ymm14, 320*\stream+128(%rdi)
    vextracti64x4 $1, C0, 320*\stream+160(%rdi)
    vextracti64x4 $1, C1, 320*\stream+192(%rdi)
    vextracti64x4 $1, C2, 320*\stream+224(%rdi)
    vextracti64x4 $1, C3, 320*\stream+256(%rdi)
    vextracti64x4 $1, C4, 320*\stream+288(%rdi)
.endm

FUNC(bm_point_base_ifma)
    POINT_CONSTANTS
    vmovdqa64 neutral_p(%rip), C0
    vpxor %xmm11, %xmm11, %xmm11
    vpxor %xmm12, %xmm12, %xmm12
    vpxor %xmm13, %xmm13, %xmm13
    vpxor %xmm14, %xmm14, %xmm14
    STORE_COLUMNS 0
    STORE_COLUMNS 1
    vpxord %xmm30, %xmm30, %xmm30
    lea offset(%rip), %r9
    lea 16(%rdx), %r10

.balign 32
.Lrow:
    FIRST_TURN 0, 0, 0, offset(%rip)
    lea 1(%rdx), %rax
    lea 64+offset(%rip), %r11
    cmp %r10, %rax
    cmove %r11, %r9 /* the last row's odd digit */
    FIRST_TURN 1, 16, 16*1024, (%r9)
    SECOND_TURN 0
    SECOND_TURN 1
    add $1024, %rcx
    inc %rdx
    cmp %r10, %rdx
    jne .Lrow

    LEAVE 0
    LEAVE 1
    vextracti64x4 $1, SHADOW, %ymm0
    vextracti32x4 $0, SHADOW, %xmm1
    vmovq %xmm1, (%rsi)
    vmovq %xmm0, 8(%rsi)
    vzeroall
    ZERO_ACCUMULATORS
    vpxord %xmm28, %xmm28, %xmm28
    vpxord %xmm29, %xmm29, %xmm29
    vpxord %xmm30, %xmm30, %xmm30
    ret
END(bm_point_base_ifma)
