/*
 * bm_amm_wide_ifma: the almost Montgomery product of numbers too wide for the register file.
 * bm_ams_wide_ifma: almost Montgomery squarings of one, one after another.
 *
 *     void bm_amm_wide_ifma(uint64_t *z, const uint64_t *a, const uint64_t *b, const uint64_t *n,
 *                           size_t digits);
 *     void bm_ams_wide_ifma(uint64_t *z, const uint64_t *n, size_t digits, size_t times);
 *
 * As bm_amm<h>_ifma and bm_ams<h>_ifma, for any width: V = ceil(digits / 8) vectors, T in memory on the
 * stack, which is wiped. For bm_ams_wide_ifma z is followed by as much scratch. The rows, the bounds and
 * the squaring's operands are those of rows_ifma.h, lanes staying below 2^62.4 for 320 digits; carries are
 * taken digit by digit at the end.
 *
 * In a row's registers: rsi A, rdx b + 8 i, rcx N, r8 NS, r11 T, rax the size of a number in bytes, rbx
 * where A's vectors begin to take part; zmm2 m, zmm5 the carry.
 */
#include "asm.h"
#include "rows_ifma.h"

/* Vector r10 of T: zmm8 is it, and zmm9 the one above. */
.macro wide_vector first, multiplied
    vmovdqa64 zmm9, [r11 + r10 + 64]
    valignq zmm1, zmm9, zmm8, 1
    .if \first
    vmovdqa64 zmm0, [rip + .Lseed]
    .else
    vpxor xmm0, xmm0, xmm0
    .endif
    .if \multiplied
    vmovdqa64 zmm6, [rsi + r10]
    vpmadd52huq zmm0, zmm3, zmm6
    vpmadd52luq zmm0, zmm4, zmm6
    .endif
    .if \first
    vpaddq zmm0, zmm0, zmm5
    .endif
    vpmadd52luq zmm0, zmm2, [r8 + r10]
    vpmadd52huq zmm1, zmm2, [rcx + r10]
    vpaddq zmm0, zmm0, zmm1
    vmovdqa64 [r11 + r10], zmm0
    vmovdqa64 zmm8, zmm9
    .if \first
    next_m zmm0, xmm0
    .endif
    add r10, 64
.endm

/* m and the carry of the row to come, from T_0; m is still in use: it goes to xmm10. */
.macro next_m T, T_low
    vmovdqa xmm10, [rcx - 64]
    vpmadd52luq xmm10, \T_low, [rcx - 64]
    vpsrlq xmm5{k1}{z}, \T_low, 52
.endm

/* zmm3 = b_i, zmm4 = b_{i+1}; A from rbx on. */
.macro wide_row
    xor r10d, r10d
    vmovdqa64 zmm8, [r11]
    test rbx, rbx
    jz .Lall\@
    wide_vector 1, 0
.Lunmultiplied\@:
    cmp r10, rbx
    jae .Lmultiplied\@
    wide_vector 0, 0
    jmp .Lunmultiplied\@
.Lall\@:
    wide_vector 1, 1
.Lmultiplied\@:
    cmp r10, rax
    jae .Ldone\@
    wide_vector 0, 1
    jmp .Lmultiplied\@
.Ldone\@:
    vpbroadcastq zmm2, xmm10
.endm

/* T += lo(A b_{i+1}) from rbx on; at the start with the seed, to T = 0. */
.macro low_halves
    mov r10, rbx
.Llow\@:
    vmovdqa64 zmm0, [r11 + r10]
    vpmadd52luq zmm0, zmm4, [rsi + r10]
    vmovdqa64 [r11 + r10], zmm0
    add r10, 64
    cmp r10, rax
    jb .Llow\@
.endm

/* From n in rcx and the digits in r8: sizes, addresses, and T = 0 on the stack. */
.macro enter_wide
    push rbp
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset rbp, 0
    mov rbp, rsp
    .cfi_def_cfa_register rbp
    push rbx
    .cfi_rel_offset rbx, -8
    mov r9, r8
    lea rax, [r8 + 7]
    shr rax, 3
    shl rax, 6
    sub rsp, rax
    sub rsp, 64
    and rsp, -64
    mov r11, rsp
    add rcx, 64
    lea r8, [rcx + rax]
    mov r10d, 1
    kmovb k1, r10d
.endm
.macro leave_wide
    vzeroupper
    mov rbx, [rbp - 8]
    mov rsp, rbp
    .cfi_def_cfa_register rsp
    pop rbp
    .cfi_adjust_cfa_offset -8
    .cfi_restore rbp
    .cfi_restore rbx
    ret
.endm

/* T = seed + lo(A b_0), m, the carry. */
.macro start_wide
    vpxor xmm0, xmm0, xmm0
    xor ebx, ebx
    xor r10d, r10d
.Lclear\@:
    vmovdqa64 [r11 + r10], zmm0
    add r10, 64
    cmp r10, rax
    jbe .Lclear\@
    vmovdqa64 zmm0, [rip + .Lseed]
    vmovdqa64 [r11], zmm0
    vpbroadcastq zmm4, [rdx]
    low_halves
    vmovdqa64 zmm0, [r11]
    next_m zmm0, xmm0
    vpbroadcastq zmm2, xmm10
.endm

/* z = T less the seed, its lanes made digits; T is wiped. */
.macro finish_wide
    xor r10d, r10d
    mov rbx, 0x000fffffffffffff
    mov rdx, rbx
    neg rdx
.Ldigit\@:
    add rdx, [r11 + r10]
    mov rsi, rdx
    and rsi, rbx
    mov [rdi + r10], rsi
    mov qword ptr [r11 + r10], 0
    shr rdx, 52
    add r10, 8
    cmp r10, rax
    jb .Ldigit\@
.endm

FUNC(bm_amm_wide_ifma)
    enter_wide
    start_wide
.Lamm_rows:
    vpbroadcastq zmm3, [rdx]
    vpbroadcastq zmm4, [rdx + 8]
    wide_row
    add rdx, 8
    dec r9
    cmp r9, 1
    ja .Lamm_rows
    /* the last digit: there is no next */
    vpbroadcastq zmm3, [rdx]
    vpxor xmm4, xmm4, xmm4
    wide_row
    finish_wide
    leave_wide
END(bm_amm_wide_ifma)

FUNC(bm_ams_wide_ifma)
    mov r8, rdx
    mov r10, rcx
    mov rcx, rsi
    mov rsi, r10
    enter_wide
    push rsi /* times */
    push r9  /* digits */
.Lams_again:
    /* the operand, doubled from vector 1 on */
    lea rsi, [rdi + rax]
    vmovdqa64 zmm8, [rdi]
    vmovdqa64 [rsi], zmm8
    mov r10d, 64
    vmovdqa64 zmm7, [rip + .Lno_carry_in]
.Ldouble:
    vmovdqa64 zmm9, [rdi + r10]
    valignq zmm1, zmm9, zmm8, 7
    vpaddq zmm0, zmm9, zmm9
    vpsrlq zmm1, zmm1, 51
    vpandq zmm0, zmm0, [rip + .Lmask52]{1to8}
    vpandq zmm1, zmm1, zmm7
    vporq zmm0, zmm0, zmm1
    vmovdqa64 [rsi + r10], zmm0
    vmovdqa64 zmm8, zmm9
    vpternlogq zmm7, zmm7, zmm7, 255
    add r10, 64
    cmp r10, rax
    jb .Ldouble

    mov rdx, rdi
    mov r9, [rsp]
    start_wide
.Lams_rows:
    vpbroadcastq zmm3, [rdx]
    vpxor xmm4, xmm4, xmm4
    cmp r9, 1
    je .Lams_row
    lea r10, [rdx + 8]
    sub r10, rdi
    test r10, 63
    jz .Lams_row
    vpbroadcastq zmm4, [rdx + 8]
.Lams_row:
    wide_row
    add rdx, 8
    dec r9
    jz .Lams_done
    mov r10, rdx
    sub r10, rdi
    test r10, 63
    jnz .Lams_rows
    /* the edge of a block: the next vector plain, the one above it without its carry in */
    add rbx, 64
    vmovdqa64 zmm0, [rdi + rbx]
    vmovdqa64 [rsi + rbx], zmm0
    lea r10, [rbx + 64]
    cmp r10, rax
    jae .Llast_block
    vmovdqa64 zmm0, [rsi + r10]
    vpandq zmm0, zmm0, [rip + .Lno_carry_in]
    vmovdqa64 [rsi + r10], zmm0
.Llast_block:
    vpbroadcastq zmm4, [rdx]
    low_halves
    jmp .Lams_rows
.Lams_done:
    finish_wide
    dec qword ptr [rsp + 8]
    jnz .Lams_again
    leave_wide
END(bm_ams_wide_ifma)
