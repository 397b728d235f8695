/*
 * Products modulo p = 2^255 - 19 on four limbs with mulx, adcx, adox. What comes out is tight: below
 * 2^255 + 1463. What goes in may be anything below 2^256.
 *
 * An operand is written  offset, register.  r8-r15 hold the product, then its lower half the result;
 * rax, rbx, rdx are clobbered. Constant time.
 */
#ifndef BM_FIELD25519_ADX_H
#define BM_FIELD25519_ADX_H

#include "amd64/sums25519_amd64.h"

/* (w1, w0) += [m] rdx, low half along the carry flag, high half along the overflow flag */
.macro MULADD m, w0, w1
    mulx \m, %rax, %rbx
    adcx %rax, \w0
    adox %rbx, \w1
.endm

/* the row that makes a new top limb: (top, w2, w1, w0) += x_i y */
.macro ROW xi, yo, yr, w0, w1, w2, w3, top, top32
    mov \xi, %rdx
    xor \top32, \top32 /* clears both flags */
    MULADD \yo(\yr), \w0, \w1
    MULADD \yo+8(\yr), \w1, \w2
    MULADD \yo+16(\yr), \w2, \w3
    MULADD \yo+24(\yr), \w3, \top
    adc $0, \top
.endm

/* r8-r15 = x y */
.macro PRODUCT xo, xr, yo, yr
    mov \xo(\xr), %rdx
    mulx \yo(\yr), %r8, %r9
    mulx \yo+8(\yr), %rax, %r10
    add %rax, %r9
    mulx \yo+16(\yr), %rax, %r11
    adc %rax, %r10
    mulx \yo+24(\yr), %rax, %r12
    adc %rax, %r11
    adc $0, %r12
    ROW \xo+8(\xr), \yo, \yr, %r9, %r10, %r11, %r12, %r13, %r13d
    ROW \xo+16(\xr), \yo, \yr, %r10, %r11, %r12, %r13, %r14, %r14d
    ROW \xo+24(\xr), \yo, \yr, %r11, %r12, %r13, %r14, %r15, %r15d
.endm

/* r8-r15 = x^2, x in x0..x3, none of them among r8-r15 nor rax, rbx, rdx but x0, which may be rdx:
   the products of different limbs, doubled, plus the squares */
.macro SQUARE x0, x1, x2, x3
    mov \x0, %rdx
    mulx \x1, %r9, %r10
    mulx \x2, %rax, %r11
    add %rax, %r10
    mulx \x3, %rax, %r12
    adc %rax, %r11
    adc $0, %r12
    mov \x1, %rdx
    xor %r13d, %r13d
    MULADD \x2, %r11, %r12
    MULADD \x3, %r12, %r13
    adc $0, %r13
    mov \x2, %rdx
    mulx \x3, %rax, %r14
    add %rax, %r13
    adc $0, %r14
    mov \x0, %rdx
    xor %r15d, %r15d
    mulx %rdx, %r8, %rax
    adcx %r9, %r9
    adox %rax, %r9
    mov \x1, %rdx
    mulx %rdx, %rax, %rbx
    adcx %r10, %r10
    adox %rax, %r10
    adcx %r11, %r11
    adox %rbx, %r11
    mov \x2, %rdx
    mulx %rdx, %rax, %rbx
    adcx %r12, %r12
    adox %rax, %r12
    adcx %r13, %r13
    adox %rbx, %r13
    mov \x3, %rdx
    mulx %rdx, %rax, %rbx
    adcx %r14, %r14
    adox %rax, %r14
    adcx %r15, %r15
    adox %rbx, %r15
.endm

/* r8-r11 = r8-r15 modulo p, tight: 2^256 = 38, then 2^255 = 19 */
.macro REDUCE
    mov $38, %edx
    xor %eax, %eax /* clears both flags */
    MULADD %r12, %r8, %r9
    MULADD %r13, %r9, %r10
    MULADD %r14, %r10, %r11
    mulx %r15, %rax, %r12
    adcx %rax, %r11
    mov $0, %eax
    adox %rax, %r12
    adcx %rax, %r12
    FOLD_TOP
.endm

.macro FE_MUL zo, zr, xo, xr, yo, yr
    PRODUCT \xo, \xr, \yo, \yr
    REDUCE
    STORE \zo, \zr
.endm

.macro FE_SQR zo, zr, xo, xr
    SQUARE \xo(\xr), \xo+8(\xr), \xo+16(\xr), \xo+24(\xr)
    REDUCE
    STORE \zo, \zr
.endm

#endif
