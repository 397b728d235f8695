/* Saved registers and room on the stack, with call-frame information. */
#ifndef BM_FRAME_AMD64_H
#define BM_FRAME_AMD64_H

/* clang-format off */
#define SAVE_ALL                                                                                   \
    SAVE %rbx;                                                                                     \
    SAVE %rbp;                                                                                     \
    SAVE %r12;                                                                                     \
    SAVE %r13;                                                                                     \
    SAVE %r14;                                                                                     \
    SAVE %r15

#define RESTORE_ALL                                                                                \
    RESTORE %r15;                                                                                  \
    RESTORE %r14;                                                                                  \
    RESTORE %r13;                                                                                  \
    RESTORE %r12;                                                                                  \
    RESTORE %rbp;                                                                                  \
    RESTORE %rbx
/* clang-format on */

/* room for that many limbs on the stack */
.macro ENTER_FRAME limbs
    sub $8*\limbs, %rsp
    .cfi_adjust_cfa_offset 8*\limbs
.endm

.macro LEAVE_FRAME limbs
    add $8*\limbs, %rsp
    .cfi_adjust_cfa_offset -8*\limbs
.endm

#endif
