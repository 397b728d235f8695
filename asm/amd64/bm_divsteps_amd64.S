/*
 * void bm_divsteps_amd64(bm_divsteps *s)
 *
 * 590 division steps, see core/field25519_inverse.c: ten batches of 59 steps. With eta = delta - 1/2,
 *
 *     eta >= 0 and g odd:  eta, f, g = -eta, g, (g - f) / 2
 *     else:                eta, f, g = eta + 1, f, (g + (g mod 2) f) / 2
 *
 * A batch is 20, 20 and 19 steps on the low 20 bits of f and g, in words that carry the rows of their
 * matrix along. A step waits for the one before, for four cycles, and leaves most of the processor
 * idle: in between, digit by digit, the matrix of the batch before is applied to f, g and to d, e.
 * Only what the next batch begins with, digits 0 and 1 of f and g, is made at once.
 * Constant time.
 *
 *   in       rdi s
 *   holds    r8 and r9 or r10 the words, r11 eta, rcx rsi what a step may choose; r14 r15 the low bits
 *            of f and g; rbx r12 and rbp r13 the sums of two rows of products, low and high words
 *   clobbers rax rcx rdx rdi rsi r8-r11, flags
 */
#include "asm.h"
#include "amd64/frame_amd64.h"

#define S %rdi /* s + 128: displacements are bytes then */
#define F -128
#define G -88
#define D -48
#define E -8
#define P 32  /* the matrix of the batch before */
#define T 64  /* the matrix of this batch so far */
#define M 96  /* the multiples of p, for d and e, times 8 */
#define LEFT 112

/* rows of a matrix */
#define U 0
#define V 8
#define Q 16
#define R 24

#define WORD_F %r8
#define WORD_G %r9
#define WORD_H %r10 /* g after an odd number of steps */
#define ETA %r11
#define T0 %rcx
#define T1 %rsi
#define LOW_F %r14
#define LOW_G %r15
#define LO0 %rbx
#define HI0 %r12
#define LO1 %rbp
#define HI1 %r13

/* ---- steps ---------------------------------------------------------------------------------- */

/*
 * h = (g + f) / 2, (g - f) / 2 or g / 2; f, eta. The carry flag is eta < 0, the zero flag is g even:
 * "above" is neither. The order is the one that Zen 4 ran fastest, by far, of some hundreds.
 */
.macro STEP g, g32, h, halve=1
    mov \g, T0
    mov ETA, T1
    lea (\g, WORD_F), \h
    sub WORD_F, T0
    neg T1
    test $1, \g32
    bt $63, ETA
    cmovnc T0, \h
    lea 1(ETA), ETA
    cmova T1, ETA
    cmovz \g, \h
    cmova \g, WORD_F
.if \halve
    sar $1, \h
.endif
.endm

.macro EVEN_STEP
    STEP WORD_G, %r9d, WORD_H
.endm

.macro ODD_STEP halve=1
    STEP WORD_H, %r10d, WORD_G, \halve
.endm

/* ---- a matrix applied ----------------------------------------------------------------------- */

/* hi:lo = 8 hi + a x, for a of the matrix before and a digit x */
.macro PRODUCT lo, hi, a, x
    lea (, \hi, 8), \lo
    sar $61, \hi
    mov \x(S), %rax
    imulq P+\a(S)
    add %rax, \lo
    adc %rdx, \hi
.endm

/* hi:lo += a x */
.macro PRODUCT_MORE lo, hi, a, x
    mov \x(S), %rax
    imulq P+\a(S)
    add %rax, \lo
    adc %rdx, \hi
.endm

/* z = the digit in lo */
.macro DIGIT lo, z
    shr $1, \lo
    mov \lo, \z(S)
.endm

/* z = the top digit, the carry out of digit 4 */
.macro TOP_DIGIT lo, hi, z
    lea (, \hi, 4), \lo
    mov \lo, \z+32(S)
.endm

/* hi:lo += m p at digit 4, where it is m 2^11 */
.macro MULTIPLE lo, hi, m
    mov \m(S), %rax
    mov %rax, %rdx
    shl $11, %rax
    shr $53, %rdx
    add %rax, \lo
    adc %rdx, \hi
.endm

/* m = lo / 19, and hi:0 -= 19 m 2^64 / 2^64: what is left of hi:lo + m p at digit 0 */
.macro CLEAR lo, hi, m
    imul inverse_19(%rip), \lo
    mov \lo, \m(S)
    mov $19, %eax
    mul \lo
    sub %rdx, \hi
.endm

/* Six steps and digit i of both rows, for x, y = f, g or d, e. */
.macro SIX_STEPS x, y, i
    EVEN_STEP
    PRODUCT LO0, HI0, U, \x+8*\i
    ODD_STEP
    PRODUCT_MORE LO0, HI0, V, \y+8*\i
    DIGIT LO0, \x+8*\i-8
    EVEN_STEP
    ODD_STEP
    PRODUCT LO1, HI1, Q, \x+8*\i
    EVEN_STEP
    PRODUCT_MORE LO1, HI1, R, \y+8*\i
    DIGIT LO1, \y+8*\i-8
    ODD_STEP
.endm

/* Six steps and digit 0 of d and e. */
.macro SIX_STEPS_FIRST
    xor %r12d, %r12d
    xor %r13d, %r13d
    EVEN_STEP
    PRODUCT LO0, HI0, U, D
    ODD_STEP
    PRODUCT_MORE LO0, HI0, V, E
    EVEN_STEP
    CLEAR LO0, HI0, M
    ODD_STEP
    PRODUCT LO1, HI1, Q, D
    EVEN_STEP
    PRODUCT_MORE LO1, HI1, R, E
    ODD_STEP
    CLEAR LO1, HI1, M+8
.endm

/* Six steps and digit 4 of d and e. */
.macro SIX_STEPS_LAST
    EVEN_STEP
    PRODUCT LO0, HI0, U, D+32
    ODD_STEP
    MULTIPLE LO0, HI0, M
    PRODUCT_MORE LO0, HI0, V, E+32
    DIGIT LO0, D+24
    EVEN_STEP
    ODD_STEP
    PRODUCT LO1, HI1, Q, D+32
    EVEN_STEP
    MULTIPLE LO1, HI1, M+8
    PRODUCT_MORE LO1, HI1, R, E+32
    DIGIT LO1, E+24
    ODD_STEP
    TOP_DIGIT LO0, HI0, D
    TOP_DIGIT LO1, HI1, E
.endm

/* ---- between the blocks --------------------------------------------------------------------- */

/* f and g as words with the rows 1, 0 and 0, 1, out of f and low g */
.macro PACK
    mov WORD_F, LOW_F
    mov LOW_G, WORD_G
    and $0xfffff, %r8d
    and $0xfffff, %r9d
    or row_f(%rip), WORD_F
    or row_g(%rip), WORD_G
.endm

/*
 * u - 1 and v out of a word after m halvings, f + 2^(41-m) u + 2^(62-m) v: [-2^20 < u <= 2^20, and
 * |f| < 2^(40-m): half is what rounds u 2^(41-m) + f to nothing for all of them]
 */
.macro UNPACK_ROW w, m, u, v
    mov half_\m(%rip), \v
    add \w, \v
    lea -(1 << (40-\m))(\w), \w
    shl $\m+2, \w
    mov \w, \u
    sar $43, \u
    sar $62-\m, \v
.endm

/* The rows of this block, u - 1 rax, v T0, q - 1 rdx, r T1; the last step has not halved g. */
.macro UNPACK g, m_f, m_g
    UNPACK_ROW WORD_F, \m_f, %rax, T0
    UNPACK_ROW \g, \m_g, %rdx, T1
.endm

/* f, low g = u f + v g, q f + r g of the low bits, without 20 that are 0 */
.macro NEXT_LOW
    mov LOW_G, WORD_G
    mov LOW_F, WORD_F
    imul T0, WORD_G
    imul %rax, WORD_F
    imul T1, LOW_G
    mov LOW_F, WORD_H
    imul %rdx, WORD_H
    add LOW_F, WORD_G
    add WORD_G, WORD_F
    add LOW_F, LOW_G
    add WORD_H, LOW_G
    shr $20, WORD_F
    shr $20, LOW_G
.endm

/* z0, z1 = a column of the rows times the matrix so far */
.macro COLUMN z0, z1, x, y
    mov %rax, \z0
    imul \x(S), \z0
    mov T0, WORD_H
    imul \y(S), WORD_H
    add WORD_H, \z0
    mov %rdx, \z1
    imul \x(S), \z1
    mov T1, WORD_H
    imul \y(S), WORD_H
    add WORD_H, \z1
.endm

/* T is twice 2^61 times the product of the blocks' matrices 2^-20 [u v; q r]: 8 u for one of 59. */
.macro END_OF_FIRST_BLOCK
    UNPACK WORD_G, 20, 19
    NEXT_LOW
    PACK
    lea 8(, %rax, 8), LO0
    lea 8(, %rdx, 8), LO1
    shl $3, T0
    shl $3, T1
    mov LO0, T+U(S)
    mov LO1, T+Q(S)
    mov T0, T+V(S)
    mov T1, T+R(S)
.endm

.macro END_OF_BLOCK
    UNPACK WORD_G, 20, 19
    NEXT_LOW
    PACK
    inc %rax
    inc %rdx
    COLUMN LO0, LO1, T+U, T+Q
    mov LO0, T+U(S)
    mov LO1, T+Q(S)
    COLUMN LO0, LO1, T+V, T+R
    mov LO0, T+V(S)
    mov LO1, T+R(S)
.endm

/* u LO0, v HI0, q LO1, r HI1 of the batch */
.macro END_OF_BATCH
    UNPACK WORD_H, 19, 18
    inc %rax
    inc %rdx
    COLUMN LO0, LO1, T+U, T+Q
    COLUMN HI0, HI1, T+V, T+R
.endm

/* hi:lo = a x + b y */
.macro PRODUCTS lo, hi, a, x, b, y
    mov \x(S), %rax
    imul \a
    mov %rax, \lo
    mov %rdx, \hi
    mov \y(S), %rax
    imul \b
    add %rax, \lo
    adc %rdx, \hi
.endm

/* Digits 0 and 1 of f and g by the matrix of END_OF_BATCH: digit 0 is cleared, 1 becomes 0. */
.macro BEGIN_BATCH
    mov LO0, P+U(S)
    mov HI0, P+V(S)
    mov LO1, P+Q(S)
    mov HI1, P+R(S)
    PRODUCTS WORD_F, WORD_G, LO0, F, HI0, G
    PRODUCTS WORD_F, WORD_H, LO1, F, HI1, G
    PRODUCTS LOW_F, T0, LO0, F+8, HI0, G+8
    PRODUCTS LOW_G, T1, LO1, F+8, HI1, G+8
    mov T0, HI0
    mov T1, HI1
    lea (, WORD_G, 8), T0
    lea (, WORD_H, 8), T1
    sar $61, WORD_G
    sar $61, WORD_H
    add T0, LOW_F
    adc WORD_G, HI0
    add T1, LOW_G
    adc WORD_H, HI1
    DIGIT LOW_F, F
    DIGIT LOW_G, G
    mov LOW_F, WORD_F
    shr $2, WORD_F
    shr $2, LOW_G
    PACK
.endm

RODATA
.balign 8
inverse_19: .quad 0x86bca1af286bca1b
row_f: .quad 1 << 41
row_g: .quad 1 << 62
half_20: .quad 0x1fffff << 20
half_19: .quad 0x1fffff << 21
half_18: .quad 0x1fffff << 22

FUNC(bm_divsteps_amd64)
    SAVE_ALL
    sub $-128, S
    movq $10, LEFT(S)
    xor %r11d, %r11d /* delta = 1/2 */
    /* the matrix before the first batch changes nothing */
    mov row_g(%rip), LO0
    mov LO0, HI1
    xor %r12d, %r12d
    xor %ebp, %ebp
    jmp 2f

    .balign 64
1:  SIX_STEPS F, G, 2
    SIX_STEPS F, G, 3
    SIX_STEPS F, G, 4
    EVEN_STEP
    TOP_DIGIT LO0, HI0, F
    TOP_DIGIT LO1, HI1, G
    ODD_STEP halve=0
    END_OF_FIRST_BLOCK

    SIX_STEPS_FIRST
    SIX_STEPS D, E, 1
    SIX_STEPS D, E, 2
    EVEN_STEP
    ODD_STEP halve=0
    END_OF_BLOCK

    SIX_STEPS D, E, 3
    SIX_STEPS_LAST
.rept 3
    EVEN_STEP
    ODD_STEP
.endr
    STEP WORD_G, %r9d, WORD_H, halve=0
    END_OF_BATCH

2:  BEGIN_BATCH
    decq LEFT(S)
    jns 1b

    RESTORE_ALL
    ret
END(bm_divsteps_amd64)
