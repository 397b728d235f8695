/*
 * int64_t bm_divsteps_60_amd64(int64_t m[4], int64_t d, bm_limb f, bm_limb g)
 *
 * Sixty division steps on f and g, of which the lowest 64 bits are given; f is odd. One step is
 *
 *     d >= 0 and g odd:  (d, f, g) = (-d, g, (g - f) / 2)
 *     else               (d, f, g) = (d + 1, f, (g + (g mod 2) f) / 2)
 *
 * (D. J. Bernstein, B.-Y. Yang, Fast constant-time gcd computation and modular inversion, 2019, in the
 * variant that starts at delta = 1/2; d = delta - 1/2). Returns d; with m = (u, v, q, r), the full
 * numbers become (u f + v g) / 2^60 and (q f + r g) / 2^60; |u| + |v| <= 2^60, |q| + |r| <= 2^60.
 * Constant time in d, f, g.
 *
 * Twenty steps at a time on words that hold a row of the matrix beside the number's lowest bits:
 *
 *     F = f mod 2^20 - u 2^41 - v 2^62, G alike      at first u, v = 1, 0 and 0, 1
 *
 * so that one addition and one shift serve f, u and v. G is halved exactly, twenty times: in the end
 * the entries, now integers in units of 2^-20, stand at bits 21 and 42. [-2^20 <= -u, -v < 2^20 in
 * row F, where u = 2^20 if f never changed; |low part| <= 2^20: fields do not meet.]
 *
 *   in       rdi m, rsi d, rdx f, rcx g
 *   holds    rbx F, rbp G, rsi d; rdx f, rcx g; r8-r11 the block's (u, v, q, r); r12-r15 the product's
 *   stack    blocks left
 *   clobbers rax rcx rdx rsi r8-r11, flags
 */
#include "asm.h"

#define F %rbx
#define G %rbp
#define D %rsi
#define SUM %rax
#define TAKEN %r8
#define TURNED %r9
#define NEXT %r10

/* Both outcomes are computed, then chosen by the sign of d, then by the parity of G. */
.macro STEP
    lea (F, G), SUM
    mov G, TAKEN
    sub F, TAKEN
    lea 1(D), NEXT
    mov D, TURNED
    neg TURNED
    test D, D
    cmovns TAKEN, SUM
    mov F, TAKEN
    cmovns G, TAKEN
    cmovs NEXT, TURNED
    mov NEXT, D
    test $1, %bpl
    cmovnz TAKEN, F
    cmovnz TURNED, D
    cmovnz SUM, G
    sar $1, G
.endm

/* row = its two entries: -(bits 21..41), -(bits 42..63), rounded */
.macro ENTRIES row, low, high
    add $0x100000, \row
    mov \row, \low
    shl $22, \low
    sar $43, \low
    mov $0x20000000000, \high /* 2^41 */
    add \row, \high
    sar $42, \high
    neg \low
    neg \high
.endm

/* x = (x a + y b) in place, y kept; clobbers t */
.macro DOT z, x, a, y, b, t
    mov \x, \z
    imul \a, \z
    mov \y, \t
    imul \b, \t
    add \t, \z
.endm

FUNC(bm_divsteps_60_amd64)
    SAVE %rbx
    SAVE %rbp
    SAVE %r12
    SAVE %r13
    SAVE %r14
    SAVE %r15
    SAVE %rdi
    mov $3, %edi
    mov $1, %r12d /* the unit matrix */
    xor %r13d, %r13d
    xor %r14d, %r14d
    mov $1, %r15d

.balign 32
.Lblock:
    mov $0xfffff, %eax
    mov %rdx, F
    and %rax, F
    mov %rcx, G
    and %rax, G
    mov $0xfffffe0000000000, %rax /* -2^41 */
    add %rax, F
    mov $0xc000000000000000, %rax /* -2^62 */
    add %rax, G
.rept 20
    STEP
.endr
    ENTRIES F, %r8, %r9
    ENTRIES G, %r10, %r11
    /* f, g = (u f + v g) / 2^20, (q f + r g) / 2^20 */
    DOT %rbx, %rdx, %r8, %rcx, %r9, %rax
    DOT %rbp, %rdx, %r10, %rcx, %r11, %rax
    mov %rbx, %rdx
    mov %rbp, %rcx
    sar $20, %rdx
    sar $20, %rcx
    /* the product = block times product, column by column */
    DOT %rbx, %r12, %r8, %r14, %r9, %rax
    DOT %rbp, %r12, %r10, %r14, %r11, %rax
    mov %rbx, %r12
    mov %rbp, %r14
    DOT %rbx, %r13, %r8, %r15, %r9, %rax
    DOT %rbp, %r13, %r10, %r15, %r11, %rax
    mov %rbx, %r13
    mov %rbp, %r15
    dec %edi
    jnz .Lblock

    RESTORE %rdi
    mov %r12, 0(%rdi)
    mov %r13, 8(%rdi)
    mov %r14, 16(%rdi)
    mov %r15, 24(%rdi)
    mov %rsi, %rax
    RESTORE %r15
    RESTORE %r14
    RESTORE %r13
    RESTORE %r12
    RESTORE %rbp
    RESTORE %rbx
    ret
END(bm_divsteps_60_amd64)
