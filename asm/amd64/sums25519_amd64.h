/*
 * Sums and differences modulo p = 2^255 - 19 on four limbs, and the end of a product.
 *
 * tight is below 2^255 + 1463, loose below 2^256. An operand is written  offset, register.  r8-r11 hold
 * the result; rax is clobbered.
 */
#ifndef BM_SUMS25519_AMD64_H
#define BM_SUMS25519_AMD64_H

.macro STORE zo, zr
    mov %r8, \zo(\zr)
    mov %r9, \zo+8(\zr)
    mov %r10, \zo+16(\zr)
    mov %r11, \zo+24(\zr)
.endm

.macro LOAD xo, xr
    mov \xo(\xr), %r8
    mov \xo+8(\xr), %r9
    mov \xo+16(\xr), %r10
    mov \xo+24(\xr), %r11
.endm

/* r8-r11, tight, = r8-r12 for r12 <= 38: 2^255 = 19 */
.macro FOLD_TOP
    mov %r11, %rax
    shr $63, %rax
    lea (%rax,%r12,2), %rax
    btr $63, %r11
    imul $19, %rax, %rax
    add %rax, %r8
    adc $0, %r9
    adc $0, %r10
    adc $0, %r11
.endm

/* z = x + y, loose; x, y tight: a sum beyond 2^256 leaves less than 2926 */
.macro FE_ADD zo, zr, xo, xr, yo, yr
    LOAD \xo, \xr
    add \yo(\yr), %r8
    adc \yo+8(\yr), %r9
    adc \yo+16(\yr), %r10
    adc \yo+24(\yr), %r11
    sbb %rax, %rax
    and $38, %eax
    add %rax, %r8
    STORE \zo, \zr
.endm

/* z = x + y, loose; x, y loose */
.macro FE_ADD_LOOSE zo, zr, xo, xr, yo, yr
    LOAD \xo, \xr
    add \yo(\yr), %r8
    adc \yo+8(\yr), %r9
    adc \yo+16(\yr), %r10
    adc \yo+24(\yr), %r11
    sbb %rax, %rax
    and $38, %eax
    add %rax, %r8
    adc $0, %r9
    adc $0, %r10
    adc $0, %r11
    sbb %rax, %rax
    and $38, %eax
    add %rax, %r8
    STORE \zo, \zr
.endm

/* z = x - y, loose; x loose, y tight: a borrow leaves 2^256 - y at least, more than 38 */
.macro FE_SUB zo, zr, xo, xr, yo, yr
    LOAD \xo, \xr
    sub \yo(\yr), %r8
    sbb \yo+8(\yr), %r9
    sbb \yo+16(\yr), %r10
    sbb \yo+24(\yr), %r11
    sbb %rax, %rax
    and $38, %eax
    sub %rax, %r8
    sbb $0, %r9
    sbb $0, %r10
    sbb $0, %r11
    STORE \zo, \zr
.endm

#endif
