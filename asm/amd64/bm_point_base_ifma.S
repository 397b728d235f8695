/*
 * void bm_point_base_ifma(bm_limb p[4][20], bm_limb shadow[2], const uint8_t t[40],
 *                         const bm_limb *table, bm_limb scratch[280])
 *
 * The sums of a fixed-base multiplication in signed radix 32. With digits e_i = bits 10 i to 10 i + 4
 * of t, less 16, o_i = bits 10 i + 5 to 10 i + 9, less 16, but o_25 as it is, 0 or 1:
 *
 *     p[0] = sum of e_i R_i,  p[1] = sum of o_i R_i      0 <= i < 13
 *     p[2] = sum of e_i R_i,  p[3] = sum of o_i R_i     13 <= i < 26,  R_i = [1024^i]B
 *     shadow[0] = sum of the shadows of e_i R_i, shadow[1] of o_i R_i, all i
 *
 * p in form P (point25519_ifma.h), tight. The scalar is p[0] + p[2] + 32 (p[1] + p[3]). Constant time
 * in t: 26 rows, each read whole, in an order of its own; entries come out by permutes of registers,
 * signs by masks. t has 256 bits; zeros follow.
 *
 * table: 26 rows of 16 pairs of vectors of 64 bytes, 64-byte aligned. Lane j of 16 of a row's
 * pair 5 c + k is digit k of Y - X, Y + X, 2dXY (c = 0, 1, 2) of [j + 1]R_i, Z = 1; but of X, Y, XY in
 * rows 0 and 13, where the sums begin. Pair 15 has the shadows of the entries, below 2^57: signed sums
 * of 26 stay below 2^62.
 *
 * Two streams, rows 0-12 and 13-25, even digits in the low half of each vector and odd digits in the
 * high half. Between the multiplications of one stream stand the sums, carries and choices of the
 * other, piece by piece, where the multipliers leave room. All operands pass through scratch.
 *
 * Bounds as in point25519_ifma.h, BIAS in lanes 1 and 3 of each product.
 *
 *   in       rdi p, rsi shadow, rdx t, rcx table, r8 scratch: 64-byte aligned, left as zeros
 *   holds    r9 ten times the row, ebx what is subtracted from stream 1's odd digit; k1, k2, k7 lanes
 *            that take coordinate c = 0, 1, 2, in byte c of k1; k3 lanes 0 2, k6 lanes 1 3, k4 lane 1,
 *            k5 lane 0
 *   clobbers rax rcx rdx r9-r11, zmm0-31 (all zeroed), k1-k7, flags
 */
#include "asm.h"
#include "amd64/frame_amd64.h"

#define VECTOR zmm
#include "point25519_ifma.h"

/* the other stream's pieces: digit 0, the digit at hand, its shuffle, the last carry, two more */
#define PIECE0 V(7)
#define PIECE V(8)
#define SHUFFLED V(9)
#define CARRIED V(28)
#define ENTRY V(29)
#define TAKEN V(30)
#define PIECE_U V(29)
#define PIECE_V V(30)

/* scratch of a stream: operands, columns, indices */
#define OPERAND_A(s, k) 1088*s+64*k(%r8)
#define OPERAND_B(s, k) 1088*s+320+64*k(%r8)
#define COLUMN(s, k) 1088*s+640+64*k(%r8)
#define INDEX_OF_U(s) 1088*s+960(%r8)
#define INDEX_OF_V(s) 1088*s+1024(%r8)
#define SHADOW 2176(%r8)

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
halves: /* of the choice: even digit, odd digit */
    .quad 0, 0, 0, 0, 8, 8, 8, 8
twice_p0: /* digits of 2 p */
    .quad 0xfffffffffffda
twice_p1:
    .quad 0xffffffffffffe
.balign 64
neutral_p: /* digit 0 of the neutral point in form P, and in form N; other digits are 0 */
    .quad 0, 1, 0, 1, 0, 1, 0, 1
neutral_n:
    .quad 1, 1, 0, 2, 1, 1, 0, 2

/*
 * The choice for the digits that begin at bit r9 + bit: eax = (|e| - 1 mod 16) + 16 (e < 0) + 2^8 (the
 * same of o), and the masks. `odd`: what is subtracted from the odd digit. The lanes of c = 0 and 1 are
 * exchanged for a negative digit where `exchange` is 0x303, never where it is 0.
 */
.macro CHOOSE bit, odd, exchange=0x303
    lea \bit(%r9), %r10d
    mov %r10d, %r11d
    shr $3, %r10d
    and $7, %r11d
    mov (%rdx,%r10), %eax
    shrx %r11d, %eax, %eax
    mov %eax, %r10d
    and $31, %eax
    shr $5, %r10d
    and $31, %r10d
    sub $16, %eax
    sub \odd, %r10d
    CHOOSE_HALF %eax, %r11d, %r12d, \exchange
    CHOOSE_HALF %r10d, %r13d, %r14d, \exchange
    shl $8, %r10d
    or %r10d, %eax
    shl $4, %r13d
    or %r13d, %r11d
    kmovd %r11d, %k1
    kshiftrd $8, %k1, %k2
    kshiftrd $16, %k1, %k7
.endm

/* digit = (|digit| - 1 mod 16) + 16 (digit < 0); lanes: those it takes, coordinate c in byte c */
.macro CHOOSE_HALF digit, lanes, some, exchange
    mov \digit, \lanes
    sar $31, \lanes
    xor \lanes, \digit
    sub \lanes, \digit
    mov \digit, \some
    neg \some
    sar $31, \some /* -1 unless the digit is 0 */
    dec \digit
    and $15, \digit
    mov \lanes, %ebp
    and $16, %ebp
    or %ebp, \digit
    and $\exchange, \lanes
    xor $0x40201, \lanes
    and \some, \lanes
.endm

/* The choice in vectors: ENTRY, 0 in lanes that take nothing, and the indices of stream s for SECOND_PIECE. */
.macro CHOOSE_VECTORS s
    vpbroadcastq %rax, ENTRY
    vpsrlvq halves(%rip), ENTRY, ENTRY
    vpsrlq $4, ENTRY, CARRIED
    vmovdqa64 index_u(%rip), PIECE
    vmovdqa64 index_v(%rip), TAKEN
    vpternlogq $0x78, exchange_u(%rip), CARRIED, PIECE /* index ^ (exchange & sign) */
    vpternlogq $0x78, exchange_v(%rip), CARRIED, TAKEN
    vmovdqa64 PIECE, INDEX_OF_U(\s)
    vmovdqa64 TAKEN, INDEX_OF_V(\s)
    vmovdqa64 ENTRY, TAKEN{%k1}{z}
    vmovdqa64 ENTRY, TAKEN{%k2}
    vmovdqa64 ENTRY, TAKEN{%k7}
    vmovdqa64 TAKEN, ENTRY
.endm

/* The lanes of TAKEN that still hold the index take their entry of a pair. */
.macro TAKE_ENTRY at, lanes
    vmovdqa64 \at(%rcx), SHUFFLED
    vpermi2q \at+64(%rcx), SHUFFLED, TAKEN{%\lanes}
.endm

/* TAKEN = digit k of the entry chosen from the row, or of the neutral point. */
.macro TAKE_DIGIT row, k, neutral
.if \k == 0
    vmovdqa64 \neutral(%rip), TAKEN
    vmovdqa64 ENTRY, TAKEN{%k1}
    vmovdqa64 ENTRY, TAKEN{%k2}
    vmovdqa64 ENTRY, TAKEN{%k7}
.else
    vmovdqa64 ENTRY, TAKEN
.endif
    TAKE_ENTRY \row+128*\k, k1
    TAKE_ENTRY \row+128*(5+\k), k2
    TAKE_ENTRY \row+128*(10+\k), k7
.endm

/* The shadows of the chosen entries are added, or subtracted where negative; lane 2 counts. */
.macro TAKE_SHADOW row
    vmovdqa64 ENTRY, TAKEN
    TAKE_ENTRY \row+128*15, k7
    vpsllq $59, ENTRY, SHUFFLED
    vpsraq $63, SHUFFLED, SHUFFLED
    vpxorq SHUFFLED, TAKEN, TAKEN
    vpsubq SHUFFLED, TAKEN, TAKEN
    vmovdqa64 SHADOW, SHUFFLED
    vpaddq TAKEN, SHUFFLED, SHUFFLED{%k7}
    vmovdqa64 SHUFFLED, SHADOW
.endm

/* Columns of stream s = the entry chosen from its first row, X and T turned where it is negative. */
.macro ENTER s, row
.irp k, 0, 1, 2, 3, 4
    TAKE_DIGIT \row, \k, neutral_p
    vmovdqa64 TAKEN, COLUMN(\s, \k)
.endr
    TAKE_SHADOW \row
    vpsllq $59, ENTRY, ENTRY
    vpmovq2m ENTRY, %k1
    kandb %k1, %k3, %k1
.irp k, 0, 1, 2, 3, 4
    vmovdqa64 COLUMN(\s, \k), PIECE
.if \k == 0
    vpbroadcastq twice_p0(%rip), SHUFFLED
    vpsubq PIECE, SHUFFLED, PIECE{%k1}
    vpaddq bias0_13(%rip), PIECE, PIECE
.else
    vpbroadcastq twice_p1(%rip), SHUFFLED
    vpsubq PIECE, SHUFFLED, PIECE{%k1}
    vpaddq bias1_13(%rip), PIECE, PIECE
.endif
    vmovdqa64 PIECE, COLUMN(\s, \k)
.endr
.endm

/* c's sums and differences by pairs of lanes: lanes in `add` c + s, in `sub` s - c, s = c exchanged */
.macro PAIR_DIGIT s, k, c, add, sub
    vmovdqa64 COLUMN(\s, \k), \c
    vpshufd $0x4e, \c, SHUFFLED
    vpaddq SHUFFLED, \c, \c{%\add}
    vpsubq \c, SHUFFLED, \c{%\sub}
.endm

/* One digit's carry out, to CARRIED, and the last one's in. */
.macro CARRY_DIGIT k, c
    vpsrlq $51, \c, SHUFFLED
    vpandq MASK, \c, \c
.if \k > 0
    vpaddq CARRIED, \c, \c
.endif
    vmovdqa64 SHUFFLED, CARRIED
.endm

/*
 * Piece n of 0..14, stream s: operand B, the chosen entry; and from columns in form P to operand A in
 * form L. Digit 0 gets digit 4's carry in the end.
 */
.macro FIRST_PIECE n, s, row
.if \n < 5
    TAKE_DIGIT \row, \n, neutral_n
    vmovdqa64 TAKEN, OPERAND_B(\s, \n)
.elseif \n == 5
    TAKE_SHADOW \row
    PAIR_DIGIT \s, 0, PIECE0, k4, k5
.elseif \n == 6
    CARRY_DIGIT 0, PIECE0
.elseif \n % 2 == 1
    PAIR_DIGIT \s, (\n / 2 - 2), PIECE, k4, k5
.else
    CARRY_DIGIT (\n / 2 - 3), PIECE
    vmovdqa64 PIECE, OPERAND_A(\s, (\n / 2 - 3))
.endif
.if \n == 14
    vpmadd52luq N19, CARRIED, PIECE0
    vmovdqa64 PIECE0, OPERAND_A(\s, 0)
.endif
.endm

/*
 * Piece n of 0..14, stream s: from columns (A, B, C, D) to (E, H, F, G) and by indices to operands
 * U and V.
 */
.macro SECOND_PIECE n, s, row
.if \n == 0
    vmovdqa64 INDEX_OF_U(\s), PIECE_U
    vmovdqa64 INDEX_OF_V(\s), PIECE_V
    PAIR_DIGIT \s, 0, PIECE0, k6, k3
.elseif \n == 1
    CARRY_DIGIT 0, PIECE0
.elseif \n % 3 == 0
    PAIR_DIGIT \s, (\n / 3), PIECE, k6, k3
.elseif \n % 3 == 1
    CARRY_DIGIT (\n / 3), PIECE
.elseif \n > 2
    SPREAD \s, (\n / 3), PIECE
.endif
.if \n == 14
    vpmadd52luq N19, CARRIED, PIECE0
    SPREAD \s, 0, PIECE0
.endif
.endm

.macro SPREAD s, k, c
    vpermq \c, PIECE_U, SHUFFLED
    vpermq \c, PIECE_V, \c
    vmovdqa64 SHUFFLED, OPERAND_A(\s, \k)
    vmovdqa64 \c, OPERAND_B(\s, \k)
.endm

.macro NO_PIECE n, s, row
.endm

/* A digit of A and digit j of B where it lies */
.macro MADD_MEMORY a, s, j, lo, hi
    vpmadd52luq OPERAND_B(\s, \j), \a, \lo
    vpmadd52huq OPERAND_B(\s, \j), \a, \hi
.endm

/*
 * Stream s: columns = A B + BIAS; beside it the pieces of the other one, once its columns have
 * arrived. Digits 0 are ready last and multiplied last.
 */
.macro MUL_BESIDE s, piece, other, row
    vmovdqa64 OPERAND_B(\s, 4), B0
    vmovdqa64 OPERAND_A(\s, 1), A1
    vmovdqa64 OPERAND_A(\s, 2), A2
    vmovdqa64 OPERAND_A(\s, 3), A3
    vmovdqa64 OPERAND_A(\s, 4), A4
    ZERO_ACCUMULATORS
    vmovdqa64 bias1_13(%rip), LO4
    vmovdqa64 bias1_13(%rip), LO3
    vmovdqa64 bias1_13(%rip), LO2
    vmovdqa64 bias1_13(%rip), LO1
    vmovdqa64 bias0_13(%rip), LO0
    vmovdqa64 OPERAND_B(\s, 3), B1
    MADD A1, B0, LO5, HI5
    MADD A2, B0, LO6, HI6
    MADD A3, B0, LO7, HI7
    MADD A4, B0, LO8, HI8
    vmovdqa64 OPERAND_B(\s, 2), B0
    MADD A1, B1, LO4, HI4
    MADD A2, B1, LO5, HI5
    MADD A3, B1, LO6, HI6
    MADD A4, B1, LO7, HI7
    \piece 0, \other, \row
    \piece 1, \other, \row
    vmovdqa64 OPERAND_B(\s, 1), B1
    MADD A1, B0, LO3, HI3
    \piece 2, \other, \row
    \piece 3, \other, \row
    MADD A2, B0, LO4, HI4
    \piece 4, \other, \row
    \piece 5, \other, \row
    MADD A3, B0, LO5, HI5
    \piece 6, \other, \row
    \piece 7, \other, \row
    MADD A4, B0, LO6, HI6
    \piece 8, \other, \row
    \piece 9, \other, \row
    vmovdqa64 OPERAND_B(\s, 0), B0
    MADD A1, B1, LO2, HI2
    \piece 10, \other, \row
    \piece 11, \other, \row
    MADD A2, B1, LO3, HI3
    \piece 12, \other, \row
    \piece 13, \other, \row
    MADD A3, B1, LO4, HI4
    \piece 14, \other, \row
    MADD A4, B1, LO5, HI5
    vmovdqa64 OPERAND_A(\s, 0), A0
    vpaddq HI8, HI8, HI8
    JOIN LO8, HI7
    JOIN LO7, HI6
    MADD A4, B0, LO4, HI4
    MADD A3, B0, LO3, HI3
    MADD_MEMORY A0, \s, 4, LO4, HI4
    FOLD LO4, HI8
    MADD_MEMORY A0, \s, 3, LO3, HI3
    JOIN LO6, HI5
    MADD A2, B0, LO2, HI2
    FOLD LO3, LO8
    MADD A1, B0, LO1, HI1
    FOLD LO2, LO7
    MADD_MEMORY A0, \s, 2, LO2, HI2
    JOIN LO5, HI4
    MADD A0, B0, LO0, HI0
    FOLD LO1, LO6
    MADD_MEMORY A0, \s, 1, LO1, HI1
    FOLD LO0, LO5
    JOIN LO4, HI3
    JOIN LO3, HI2
    vmovdqa64 LO0, COLUMN(\s, 0)
    JOIN LO1, HI0
    vmovdqa64 LO1, COLUMN(\s, 1)
    JOIN LO2, HI1
    vmovdqa64 LO2, COLUMN(\s, 2)
    vmovdqa64 LO3, COLUMN(\s, 3)
    vmovdqa64 LO4, COLUMN(\s, 4)
.endm

.macro LEAVE s
    vmovdqa64 COLUMN(\s, 0), C0
    vmovdqa64 COLUMN(\s, 1), C1
    vmovdqa64 COLUMN(\s, 2), C2
    vmovdqa64 COLUMN(\s, 3), C3
    vmovdqa64 COLUMN(\s, 4), C4
    CARRY C0, C1, C2, C3, C4, HI0, HI1, HI2, HI3, HI4
    vmovdqu64 %ymm10, 320*\s+0(%rdi)
    vmovdqu64 %ymm11, 320*\s+32(%rdi)
    vmovdqu64 %ymm12, 320*\s+64(%rdi)
    vmovdqu64 %ymm13, 320*\s+96(%rdi)
    vmovdqu64 %ymm14, 320*\s+128(%rdi)
    vextracti64x4 $1, C0, 320*\s+160(%rdi)
    vextracti64x4 $1, C1, 320*\s+192(%rdi)
    vextracti64x4 $1, C2, 320*\s+224(%rdi)
    vextracti64x4 $1, C3, 320*\s+256(%rdi)
    vextracti64x4 $1, C4, 320*\s+288(%rdi)
.endm

FUNC(bm_point_base_ifma)
    SAVE_ALL
    POINT_CONSTANTS
    vpxor %xmm0, %xmm0, %xmm0
    vmovdqa64 A0, SHADOW
    xor %r9d, %r9d
    CHOOSE 0, $16, 0
    CHOOSE_VECTORS 0
    ENTER 0, 0
    CHOOSE 130, $16, 0
    CHOOSE_VECTORS 1
    ENTER 1, 13*2048

    add $2048, %rcx
    mov $10, %r9d
    CHOOSE 0, $16
    CHOOSE_VECTORS 0
.irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14
    FIRST_PIECE \n, 0, 0
.endr

.balign 32
.Lrow:
    /* 16, but 0 for the last digit of all */
    xor %ebx, %ebx
    cmp $120, %r9d
    setne %bl
    shl $4, %ebx
    CHOOSE 130, %ebx
    CHOOSE_VECTORS 1
    MUL_BESIDE 0, FIRST_PIECE, 1, 13*2048
    MUL_BESIDE 1, SECOND_PIECE, 0, 0
    MUL_BESIDE 0, SECOND_PIECE, 1, 0
    add $2048, %rcx
    add $10, %r9d
    cmp $130, %r9d
    je .Llast
    CHOOSE 0, $16
    CHOOSE_VECTORS 0
    MUL_BESIDE 1, FIRST_PIECE, 0, 0
    jmp .Lrow

.Llast:
    MUL_BESIDE 1, NO_PIECE, 0, 0
    LEAVE 0
    LEAVE 1
    mov 2176+16(%r8), %rax
    mov 2176+48(%r8), %rcx
    mov %rax, (%rsi)
    mov %rcx, 8(%rsi)
    vpxor %xmm0, %xmm0, %xmm0
    mov $2240-64, %eax
.Lwipe:
    vmovdqa64 A0, (%r8,%rax)
    sub $64, %eax
    jns .Lwipe
    vzeroall
    ZERO_ACCUMULATORS
    vpxord %xmm28, %xmm28, %xmm28
    vpxord %xmm29, %xmm29, %xmm29
    vpxord %xmm30, %xmm30, %xmm30
    RESTORE_ALL
    ret
END(bm_point_base_ifma)
