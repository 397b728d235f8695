/*
 * What every assembly file begins with: the only place that knows object formats, call-frame
 * information, landing pads and stack notes.
 *
 *     #include "asm.h"
 *     FUNC(bm_op_shape_isa)
 *         SAVE %rbx                amd64: push with call-frame information
 *         ...
 *         RESTORE %rbx             in the reverse order
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
#define VISIBILITY(name) .private_extern SYMBOL(name)
#define KIND(name)
#define SIZE(name)
#define RODATA .section __TEXT,__const
#define TEXT .section __TEXT,__text,regular,pure_instructions
#else
#define SYMBOL(name) name
#define VISIBILITY(name) .hidden name
#define KIND(name) .type name, %function
#define SIZE(name) .size name, .- name
#define RODATA .section .rodata
#define TEXT .text
#endif

/* Under -fcf-protection an indirect call may land on endbr64 only, under bti on bti c only. */
#if defined(__x86_64__)
#define LANDING endbr64
#elif defined(__aarch64__)
#define LANDING hint #34
#endif

/* clang-format off */
#define FUNC(name)                                                                                 \
    TEXT;                                                                                          \
    .balign 32;                                                                                    \
    .globl SYMBOL(name);                                                                           \
    VISIBILITY(name);                                                                              \
    KIND(name);                                                                                    \
    SYMBOL(name):;                                                                                 \
    .cfi_startproc;                                                                                \
    LANDING

#define END(name)                                                                                  \
    .cfi_endproc;                                                                                  \
    SIZE(name)
/* clang-format on */

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
#endif

#if defined(__ELF__)
/* no executable stack */
.section .note.GNU-stack, "", %progbits

/* This object keeps the promises of control-flow protection (GNU property notes, x86-64 psABI and
   AAELF64): indirect branch tracking and shadow stack, or bti. */
.section .note.gnu.property, "a"
.balign 8
.long 4, 16, 5
.asciz "GNU"
#if defined(__x86_64__)
.long 0xc0000002, 4, 3, 0
#elif defined(__aarch64__)
.long 0xc0000000, 4, 1, 0
#endif
#endif

#endif
