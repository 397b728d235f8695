/*
 * void abi_call(struct abi *a), and corrupters: see check_abi.c. System V convention of x86-64.
 *
 * Registers that a callee must keep are loaded with a->before, eight canaries stand above its stack
 * arguments; afterwards all go to a->after and a->canary_after, with the flags, MXCSR and x87 control word.
 */
#include "asm.h"
#include "amd64/frame_amd64.h"

/* struct abi */
#define FN 0
#define ARGS 8
#define BEFORE 72
#define AFTER 136
#define CANARY 200
#define CANARY_AFTER 264
#define FLAGS 328
#define CONTROL_BEFORE 336
#define CONTROL_AFTER 344

.section .bss
.balign 8
current:
    .skip 8

FUNC(abi_call)
    SAVE_ALL
    ENTER_FRAME 11
    mov %rdi, current(%rip)
    stmxcsr CONTROL_BEFORE(%rdi)
    fnstcw CONTROL_BEFORE+4(%rdi)

    mov ARGS+48(%rdi), %rax
    mov %rax, 0(%rsp)
    mov ARGS+56(%rdi), %rax
    mov %rax, 8(%rsp)
    .irp i, 0, 8, 16, 24, 32, 40, 48, 56
    mov CANARY+\i(%rdi), %rax
    mov %rax, 16+\i(%rsp)
    .endr

    mov BEFORE(%rdi), %rbx
    mov BEFORE+8(%rdi), %rbp
    mov BEFORE+16(%rdi), %r12
    mov BEFORE+24(%rdi), %r13
    mov BEFORE+32(%rdi), %r14
    mov BEFORE+40(%rdi), %r15
    mov FN(%rdi), %r11
    mov ARGS+8(%rdi), %rsi
    mov ARGS+16(%rdi), %rdx
    mov ARGS+24(%rdi), %rcx
    mov ARGS+32(%rdi), %r8
    mov ARGS+40(%rdi), %r9
    mov ARGS(%rdi), %rdi
    mov $-1, %rax
    mov $-1, %r10
    call *%r11

    mov current(%rip), %rdi
    pushfq
    pop FLAGS(%rdi)
    cld
    stmxcsr CONTROL_AFTER(%rdi)
    fnstcw CONTROL_AFTER+4(%rdi)
    mov %rbx, AFTER(%rdi)
    mov %rbp, AFTER+8(%rdi)
    mov %r12, AFTER+16(%rdi)
    mov %r13, AFTER+24(%rdi)
    mov %r14, AFTER+32(%rdi)
    mov %r15, AFTER+40(%rdi)
    .irp i, 0, 8, 16, 24, 32, 40, 48, 56
    mov 16+\i(%rsp), %rax
    mov %rax, CANARY_AFTER+\i(%rdi)
    .endr
    ldmxcsr CONTROL_BEFORE(%rdi)
    fldcw CONTROL_BEFORE+4(%rdi)
    LEAVE_FRAME 11
    RESTORE_ALL
    ret
END(abi_call)

.macro CORRUPTER reg
FUNC(corrupt_\reg)
    xor $1, %\reg
    ret
END(corrupt_\reg)
.endm

    CORRUPTER rbx
    CORRUPTER rbp
    CORRUPTER r12
    CORRUPTER r13
    CORRUPTER r14
    CORRUPTER r15

FUNC(corrupt_direction)
    std
    ret
END(corrupt_direction)

FUNC(corrupt_mxcsr)
    stmxcsr -8(%rsp)
    xorl $0x6000, -8(%rsp)
    ldmxcsr -8(%rsp)
    ret
END(corrupt_mxcsr)

FUNC(corrupt_x87)
    fnstcw -8(%rsp)
    xorw $0x0c00, -8(%rsp)
    fldcw -8(%rsp)
    ret
END(corrupt_x87)

FUNC(corrupt_stack)
    notq 24(%rsp) /* above the return address and two arguments */
    ret
END(corrupt_stack)

FUNC(corrupt_nothing)
    mov $-1, %rax
    mov %rax, %rcx
    mov %rax, %rdx
    mov %rax, %rsi
    mov %rax, %rdi
    mov %rax, %r8
    mov %rax, %r9
    mov %rax, %r10
    mov %rax, %r11
    movq %rax, %xmm0
    movq %rax, %xmm15
    ret
END(corrupt_nothing)
