/*
 * What every assembly file begins with: the only place that knows object formats, call-frame
 * information, landing pads and stack notes.
 *
 *     #include "asm.h"
 *     FUNC(bm_op_shape_isa)
 *         SAVE %rbx                amd64: push with call-frame information
 *         ...
 *         RESTORE %rbx             in the reverse order; arm64: SAVE_ALL and RESTORE_ALL_RET
 *         ret
 *     END(bm_op_shape_isa)
 *
 * Functions are hidden: they leave the shared object through the kernel table alone. Constants go
 * between RODATA and TEXT. On amd64 kernels follow the System V convention; on arm64 AAPCS64, where
 * x18 belongs to the platform and is never touched.
 */
#ifndef BM_ASM_H
#define BM_ASM_H

#if defined(__APPLE__)
#define SYMBOL(name) _##name
#define RODATA .section __TEXT,__const
#define TEXT .section __TEXT,__text,regular,pure_instructions
#else
#define SYMBOL(name) name
#define RODATA .section .rodata
#define TEXT .text
#endif

/*
 * FUNC(name) and END(name). What stands between is several lines, and to Apple's arm64 assembler a
 * semicolon begins a comment: hence macros of the assembler.
 */
#define FUNC(name) BEGIN_FUNCTION SYMBOL(name)
#define END(name) END_FUNCTION SYMBOL(name)

.macro BEGIN_FUNCTION symbol
    TEXT
    .balign 32
    .globl \symbol
#if defined(__APPLE__)
    .private_extern \symbol
#else
    .hidden \symbol
    .type \symbol, %function
#endif
\symbol:
    .cfi_startproc
/* under -fcf-protection an indirect call may land on endbr64 only, under bti on bti c only */
#if defined(__x86_64__)
    endbr64
#elif defined(__aarch64__)
    hint #34
#endif
.endm

.macro END_FUNCTION symbol
    .cfi_endproc
#if !defined(__APPLE__)
    .size \symbol, . - \symbol
#endif
.endm

#if defined(__x86_64__)
.macro SAVE reg
    push \reg
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset \reg, 0
.endm

.macro RESTORE reg
    pop \reg
    .cfi_adjust_cfa_offset -8
    .cfi_restore \reg
.endm
#elif defined(__aarch64__)
/*
 * Keeps x19 to x28, x29 and x30 on the stack, and leaves room for four words at [x29, #96]; x29
 * stays as it is. The return address is signed meanwhile (paciasp, autiasp; no-ops before ARMv8.3).
 */
.macro SAVE_ALL
    hint #25
    .cfi_negate_ra_state
    stp x29, x30, [sp, #-128]!
    .cfi_def_cfa_offset 128
    .cfi_offset x29, -128
    .cfi_offset x30, -120
    mov x29, sp
    .cfi_def_cfa x29, 128
    stp x19, x20, [sp, #16]
    .cfi_offset x19, -112
    .cfi_offset x20, -104
    stp x21, x22, [sp, #32]
    .cfi_offset x21, -96
    .cfi_offset x22, -88
    stp x23, x24, [sp, #48]
    .cfi_offset x23, -80
    .cfi_offset x24, -72
    stp x25, x26, [sp, #64]
    .cfi_offset x25, -64
    .cfi_offset x26, -56
    stp x27, x28, [sp, #80]
    .cfi_offset x27, -48
    .cfi_offset x28, -40
.endm

/* with the stack pointer where SAVE_ALL left it */
.macro RESTORE_ALL_RET
    .cfi_def_cfa sp, 128
    ldp x19, x20, [sp, #16]
    ldp x21, x22, [sp, #32]
    ldp x23, x24, [sp, #48]
    ldp x25, x26, [sp, #64]
    ldp x27, x28, [sp, #80]
    ldp x29, x30, [sp], #128
    .cfi_restore x19
    .cfi_restore x20
    .cfi_restore x21
    .cfi_restore x22
    .cfi_restore x23
    .cfi_restore x24
    .cfi_restore x25
    .cfi_restore x26
    .cfi_restore x27
    .cfi_restore x28
    .cfi_restore x29
    .cfi_restore x30
    .cfi_def_cfa_offset 0
    hint #29
    .cfi_negate_ra_state
    ret
.endm
#endif

#if defined(__ELF__)
/* no executable stack */
.section .note.GNU-stack, "", %progbits

/* This object keeps the promises of control-flow protection (GNU property notes, x86-64 psABI and
   AAELF64): indirect branch tracking and shadow stack; or bti and signed return addresses. */
.section .note.gnu.property, "a"
.balign 8
.long 4, 16, 5
.asciz "GNU"
#if defined(__x86_64__)
.long 0xc0000002, 4, 3, 0
#elif defined(__aarch64__)
.long 0xc0000000, 4, 3, 0
#endif
#endif

#endif
