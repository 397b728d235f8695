/* What CPUID and XGETBV answer, apart from how they are asked: cpu.c, and its tests. */
#ifndef BM_CPU_H
#define BM_CPU_H

#include <stdint.h>

/* One processor as its operating system shows it. A leaf that it does not have reads as zero. */
typedef struct bm_cpuid {
    uint32_t max_leaf;  /* CPUID 0: eax */
    uint32_t leaf1_ecx; /* CPUID 1 */
    uint32_t leaf7_ebx; /* CPUID 7, 0 */
    uint64_t xcr0;      /* XGETBV 0; 0 where OSXSAVE is off */
    uint32_t vendor;    /* CPUID 0: ebx */
    uint32_t leaf1_eax; /* CPUID 1: family, model, stepping */
} bm_cpuid;

/*
 * The BM_CPU_* bits (kernels.h) of an x86-64 processor. A vector feature counts only when XCR0 says
 * that the system saves its registers. Intel SDM volume 1, sections 14.3, 14.7.1 and 15.2.
 */
uint32_t bm_cpu_features_of(const bm_cpuid *cpu);

/*
 * The BM_CPU_* bits of an AArch64 processor, from AT_HWCAP alone: nothing is tried out, and no
 * hwcap at all is no error (FAILURES.md row 20). Linux, Documentation/arm64/elf_hwcaps.rst.
 */
uint32_t bm_cpu_features_of_hwcap(uint64_t hwcap);

#endif
