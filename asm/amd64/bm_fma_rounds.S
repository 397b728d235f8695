/*
 * int bm_fma_rounds(void)
 *
 * 1 if fused multiply-adds round as MXCSR says, which the fma kernels rely on: 2^104 + 2^51 + 2^50 is
 * 2^104 towards zero, and 2^104 + 2^52 to nearest. Processors do; valgrind does not. Needs FMA.
 *
 *   out      eax
 *   stack    the caller's MXCSR, then ours
 *   clobbers rcx, flags, xmm0-xmm2
 */
#include "asm.h"

FUNC(bm_fma_rounds)
    stmxcsr -8(%rsp)
    movl $0x7f80, -4(%rsp)
    ldmxcsr -4(%rsp)
    mov $0x4670000000000000, %rcx /* 2^104 */
    vmovq %rcx, %xmm0
    mov $0x4328000000000000, %rax /* 2^51 + 2^50 */
    vmovq %rax, %xmm1
    mov $0x3ff0000000000000, %rax /* 1 */
    vmovq %rax, %xmm2
    vfmadd231sd %xmm1, %xmm2, %xmm0
    ldmxcsr -8(%rsp)
    vmovq %xmm0, %rax
    cmp %rcx, %rax
    sete %al
    movzbl %al, %eax
    ret
END(bm_fma_rounds)
