/*
 * Products modulo p = 2^255 - 19 on four limbs with mul and adc, for every amd64 processor: the macros
 * of field25519_adx.h over again, with the same bounds and names.
 *
 * r8-r15 hold the product; rax, rbx, rdx, rbp are clobbered. Constant time.
 */
#ifndef BM_FIELD25519_AMD64_H
#define BM_FIELD25519_AMD64_H

#include "amd64/sums25519_amd64.h"

/* w += y rbx + rbp, rbp = what goes beyond */
.macro MULADD y, w
    mov \y, %rax
    mul %rbx
    add %rbp, \w
    adc $0, %rdx
    xor %ebp, %ebp
    add %rax, \w
    adc %rdx, %rbp
.endm

/* (top, w3, w2, w1, w0) = (w3, w2, w1, w0) + x_i y */
.macro ROW xi, yo, yr, w0, w1, w2, w3, top
    mov \xi, %rbx
    mov \yo(\yr), %rax
    mul %rbx
    add %rax, \w0
    adc $0, %rdx
    mov %rdx, %rbp
    MULADD \yo+8(\yr), \w1
    MULADD \yo+16(\yr), \w2
    MULADD \yo+24(\yr), \w3
    mov %rbp, \top
.endm

/* r8-r15 = x y */
.macro PRODUCT xo, xr, yo, yr
    mov \xo(\xr), %rbx
    mov \yo(\yr), %rax
    mul %rbx
    mov %rax, %r8
    mov %rdx, %r9
    mov \yo+8(\yr), %rax
    mul %rbx
    add %rax, %r9
    adc $0, %rdx
    mov %rdx, %r10
    mov \yo+16(\yr), %rax
    mul %rbx
    add %rax, %r10
    adc $0, %rdx
    mov %rdx, %r11
    mov \yo+24(\yr), %rax
    mul %rbx
    add %rax, %r11
    adc $0, %rdx
    mov %rdx, %r12
    ROW \xo+8(\xr), \yo, \yr, %r9, %r10, %r11, %r12, %r13
    ROW \xo+16(\xr), \yo, \yr, %r10, %r11, %r12, %r13, %r14
    ROW \xo+24(\xr), \yo, \yr, %r11, %r12, %r13, %r14, %r15
.endm

/* (w1, w0) += 2-limb square of x + carry flag; the flag out */
.macro ADDSQR x, w0, w1
    mov \x, %rax
    sbb %rbp, %rbp /* keep the flag: mul destroys it */
    mul %rax
    add %rbp, %rbp
    adc %rax, \w0
    adc %rdx, \w1
.endm

/* r8-r15 = x^2 */
.macro SQUARE xo, xr
    mov \xo(\xr), %rbx
    mov \xo+8(\xr), %rax
    mul %rbx
    mov %rax, %r9
    mov %rdx, %r10
    mov \xo+16(\xr), %rax
    mul %rbx
    add %rax, %r10
    adc $0, %rdx
    mov %rdx, %r11
    mov \xo+24(\xr), %rax
    mul %rbx
    add %rax, %r11
    adc $0, %rdx
    mov %rdx, %r12
    mov \xo+8(\xr), %rbx
    mov \xo+16(\xr), %rax
    mul %rbx
    add %rax, %r11
    adc $0, %rdx
    mov %rdx, %rbp
    MULADD \xo+24(\xr), %r12
    mov %rbp, %r13
    mov \xo+16(\xr), %rax
    mulq \xo+24(\xr)
    add %rax, %r13
    adc $0, %rdx
    mov %rdx, %r14
    xor %r15d, %r15d
    add %r9, %r9
    adc %r10, %r10
    adc %r11, %r11
    adc %r12, %r12
    adc %r13, %r13
    adc %r14, %r14
    adc %r15, %r15
    mov \xo(\xr), %rax
    mul %rax
    mov %rax, %r8
    add %rdx, %r9
    ADDSQR \xo+8(\xr), %r10, %r11
    ADDSQR \xo+16(\xr), %r12, %r13
    ADDSQR \xo+24(\xr), %r14, %r15
.endm

/* r8-r11 = r8-r15 modulo p, tight */
.macro REDUCE
    mov $38, %ebx
    mov %r12, %rax
    mul %rbx
    add %rax, %r8
    adc $0, %rdx
    mov %rdx, %rbp
    MULADD %r13, %r9
    MULADD %r14, %r10
    MULADD %r15, %r11
    mov %rbp, %r12
    FOLD_TOP
.endm

.macro FE_MUL zo, zr, xo, xr, yo, yr
    PRODUCT \xo, \xr, \yo, \yr
    REDUCE
    STORE \zo, \zr
.endm

.macro FE_SQR zo, zr, xo, xr
    SQUARE \xo, \xr
    REDUCE
    STORE \zo, \zr
.endm

#endif
