/*
 * void abi_call(struct abi *a), and corrupters: see check_abi.c. AAPCS64; x18 belongs to the platform
 * and must stay.
 *
 * Registers that a callee must keep are loaded with a->before, eight canaries stand above its frame;
 * afterwards all go to a->after and a->canary_after, with FPCR.
 */
#include "asm.h"

/* struct abi: before and after are x18..x28, x29, d8..d15 */
#define FN 0
#define ARGS 8
#define BEFORE 72
#define AFTER 232
#define CANARY 392
#define CANARY_AFTER 456
#define FPCR_BEFORE 520
#define FPCR_AFTER 528

.section .bss
.balign 8
current:
    .skip 8

FUNC(abi_call)
    stp x29, x30, [sp, #-176]!
    stp x19, x20, [sp, #16]
    stp x21, x22, [sp, #32]
    stp x23, x24, [sp, #48]
    stp x25, x26, [sp, #64]
    stp x27, x28, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
    str x18, [sp, #160]
    sub sp, sp, #64
    adrp x9, current
    str x0, [x9, #:lo12:current]
    mrs x10, fpcr
    str x10, [x0, #FPCR_BEFORE]
    add x11, x0, #CANARY
    .irp i, 0, 16, 32, 48
    ldp x12, x13, [x11, #\i]
    stp x12, x13, [sp, #\i]
    .endr
    mov x16, x0
    add x17, x16, #BEFORE
    ldp x18, x19, [x17]
    ldp x20, x21, [x17, #16]
    ldp x22, x23, [x17, #32]
    ldp x24, x25, [x17, #48]
    ldp x26, x27, [x17, #64]
    ldp x28, x29, [x17, #80]
    ldp d8, d9, [x17, #96]
    ldp d10, d11, [x17, #112]
    ldp d12, d13, [x17, #128]
    ldp d14, d15, [x17, #144]
    ldp x0, x1, [x16, #ARGS]
    ldp x2, x3, [x16, #ARGS+16]
    ldp x4, x5, [x16, #ARGS+32]
    ldp x6, x7, [x16, #ARGS+48]
    ldr x16, [x16, #FN]
    blr x16

    adrp x9, current
    ldr x0, [x9, #:lo12:current]
    add x17, x0, #AFTER
    stp x18, x19, [x17]
    stp x20, x21, [x17, #16]
    stp x22, x23, [x17, #32]
    stp x24, x25, [x17, #48]
    stp x26, x27, [x17, #64]
    stp x28, x29, [x17, #80]
    stp d8, d9, [x17, #96]
    stp d10, d11, [x17, #112]
    stp d12, d13, [x17, #128]
    stp d14, d15, [x17, #144]
    mrs x10, fpcr
    str x10, [x0, #FPCR_AFTER]
    ldr x10, [x0, #FPCR_BEFORE]
    msr fpcr, x10
    add x11, x0, #CANARY_AFTER
    .irp i, 0, 16, 32, 48
    ldp x12, x13, [sp, #\i]
    stp x12, x13, [x11, #\i]
    .endr
    add sp, sp, #64
    ldr x18, [sp, #160]
    ldp x19, x20, [sp, #16]
    ldp x21, x22, [sp, #32]
    ldp x23, x24, [sp, #48]
    ldp x25, x26, [sp, #64]
    ldp x27, x28, [sp, #80]
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    ldp x29, x30, [sp], #176
    ret
END(abi_call)

.macro CORRUPTER n
FUNC(corrupt_x\n)
    eor x\n, x\n, #1
    ret
END(corrupt_x\n)
.endm

.macro VECTOR_CORRUPTER n
FUNC(corrupt_d\n)
    mvn v\n\().8b, v\n\().8b
    ret
END(corrupt_d\n)
.endm

    .irp n, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29
    CORRUPTER \n
    .endr
    .irp n, 8, 9, 10, 11, 12, 13, 14, 15
    VECTOR_CORRUPTER \n
    .endr

FUNC(corrupt_fpcr)
    mrs x9, fpcr
    eor x9, x9, #0xc00000
    msr fpcr, x9
    ret
END(corrupt_fpcr)

FUNC(corrupt_stack)
    ldr x9, [sp]
    mvn x9, x9
    str x9, [sp]
    ret
END(corrupt_stack)

FUNC(corrupt_nothing)
    mov x0, #-1
    .irp n, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17
    mov x\n, x0
    .endr
    movi v0.16b, #255
    movi v31.16b, #255
    ret
END(corrupt_nothing)
