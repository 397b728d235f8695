/*
 * void bm_point_run_ifma(bm_limb p[20], const bm_limb *steps)
 *
 * Carries out a chain of doublings and additions on one point. p is in form P (point25519_ifma.h):
 * five vectors of lanes X, Y, T, Z, tight; so it leaves. Each step is one limb: 0 doubles; 1 ends the
 * chain, which has at least one step before it; anything else is the address of a point in form N, a
 * multiple of 8, tight: 20 limbs at any 8-byte alignment; with bit 1 (+ 2) it is subtracted. The
 * formulas are complete: any points of the curve, any order. Time depends on the steps, not on the
 * points. Public data: steps are addresses and branches.
 *
 *   in       rdi p, rsi steps
 *   holds    rax the next step, rcx the operand's address, r8 its indices
 *   clobbers rax rcx rdx rsi r8, ymm0-31 (upper halves zeroed), k1-k6, flags
 */
#include "asm.h"

#define VECTOR ymm
#include "point25519_ifma.h"

RODATA
POINT_RODATA
.balign 64
/* U and V lanes out of (E, H, F, G): for form D, for D with F and G exchanged, for P and P exchanged */
indices:
    .quad 2, 2, 2, 1, 3, 0, 0, 3
    .quad 3, 3, 3, 1, 2, 0, 0, 2
    .quad 2, 1, 1, 2, 0, 3, 0, 3
    .quad 3, 1, 1, 3, 0, 2, 0, 2
/* the operand's lanes as they are; negated: Y + X, Y - X change places */
operand:
    .quad 0, 1, 2, 3
    .quad 1, 0, 2, 3

FUNC(bm_point_run_ifma)
    POINT_CONSTANTS
    vmovdqu64 0(%rdi), C0
    vmovdqu64 32(%rdi), C1
    vmovdqu64 64(%rdi), C2
    vmovdqu64 96(%rdi), C3
    vmovdqu64 128(%rdi), C4
    mov (%rsi), %rax
    test %rax, %rax
    jnz .Lfirst_add
    vpermq $0x43, C0, A0
    vpermq $0x43, C1, A1
    vpermq $0x43, C2, A2
    vpermq $0x43, C3, A3
    vpermq $0x43, C4, A4

.balign 32
.Ldouble:
    add $8, %rsi
    mov (%rsi), %rax
    /* masks of U is H, V is E: D if a doubling follows, else P */
    mov $0x6688, %ecx
    mov $0x5566, %edx
    test %rax, %rax
    cmovnz %edx, %ecx
    kmovd %ecx, %k1
    kshiftrw $8, %k1, %k2
    D_FORM
    MUL 03
    DOUBLE_MIDDLE
.Lsecond:
    MUL 13
    cmp $1, %rax
    je .Lend
    ja .Lto_add
    CARRY_TO_A
    jmp .Ldouble

.Lfirst_add:
    BIAS_COLUMNS
.Lto_add:
    L_FORM
    CARRY_TO_A
.Ladd:
    mov %rax, %rcx
    and $2, %eax
    and $-8, %rcx
    shl $4, %eax
    lea operand(%rip), %r8
    vmovdqa64 (%r8,%rax), INDEX_V
    vpermq 128(%rcx), INDEX_V, B4
    vpermq 96(%rcx), INDEX_V, B3
    vpermq 64(%rcx), INDEX_V, B2
    vpermq 32(%rcx), INDEX_V, B1
    vpermq 0(%rcx), INDEX_V, B0
    lea indices(%rip), %r8
    lea (%r8,%rax,2), %rcx
    lea 128(%rcx), %rdx
    add $8, %rsi
    mov (%rsi), %rax
    test %rax, %rax
    cmovnz %rdx, %rcx
    vmovdqa64 (%rcx), INDEX_U
    vmovdqa64 32(%rcx), INDEX_V
    MUL 13
    ADD_MIDDLE
    jmp .Lsecond

.Lend:
    CARRY C0, C1, C2, C3, C4, HI0, HI1, HI2, HI3, HI4
    vmovdqu64 C0, 0(%rdi)
    vmovdqu64 C1, 32(%rdi)
    vmovdqu64 C2, 64(%rdi)
    vmovdqu64 C3, 96(%rdi)
    vmovdqu64 C4, 128(%rdi)
    vzeroupper
    ret
END(bm_point_run_ifma)
