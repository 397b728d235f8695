/*
 * What this processor can do, and the operating system lets it. On amd64 CPUID and XGETBV are
 * asked, on arm64 the system's auxiliary vector; nothing is ever tried out to see whether it traps.
 */
#include "cpu.h"
#include "kernels.h"

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

static bool
has(uint64_t word, uint64_t bits)
{
    return (word & bits) == bits;
}

/* AMD64 Architecture Programmer's Manual volume 3, appendix E.3.2 */
static uint32_t
family(const bm_cpuid *cpu)
{
    return (cpu->leaf1_eax >> 8 & 0xf) + (cpu->leaf1_eax >> 20 & 0xff);
}

/*
 * CPUID does not say how wide the multipliers are. AMD has two of 512 bits from Zen 5 on; Intel joins
 * two of 256 bits, so that zmm gains nothing.
 */
static bool
is_wide(const bm_cpuid *cpu)
{
    const uint32_t amd = 'A' | 'u' << 8 | 't' << 16 | (uint32_t)'h' << 24, zen5 = 0x1a;

    return cpu->vendor == amd && family(cpu) >= zen5;
}

uint32_t
bm_cpu_features_of(const bm_cpuid *cpu)
{
    enum { BMI2 = 1u << 8, ADX = 1u << 19, AVX2 = 1u << 5 }; /* leaf 7 ebx */
    enum { OSXSAVE_AVX = 3u << 27, FMA = 1u << 12 };         /* leaf 1 ecx */
    const uint32_t avx512 =
        1u << 16 | 1u << 17 | 1u << 21 | 1u << 30 | 1u << 31; /* F DQ IFMA BW VL */
    const uint64_t xmm_ymm = 6, opmask_zmm = 0xe0;            /* XCR0 */
    const uint32_t leaf7 = cpu->max_leaf >= 7 ? cpu->leaf7_ebx : 0;
    const bool ymm = has(cpu->leaf1_ecx, OSXSAVE_AVX) && has(cpu->xcr0, xmm_ymm);
    const bool zmm = ymm && has(cpu->xcr0, opmask_zmm);
    uint32_t features = BM_CPU_AMD64;

    if (has(leaf7, BMI2))
        features |= BM_CPU_BMI2;
    if (has(leaf7, ADX))
        features |= BM_CPU_ADX;
    if (ymm && has(leaf7, AVX2))
        features |= BM_CPU_AVX2;
    if (ymm && has(cpu->leaf1_ecx, FMA))
        features |= BM_CPU_FMA;
    if (zmm && has(leaf7, AVX2 | avx512))
        features |= BM_CPU_IFMA;
    if (zmm && is_wide(cpu))
        features |= BM_CPU_WIDE;
    return features;
}

uint32_t
bm_cpu_features_of_hwcap(uint64_t hwcap)
{
    const uint64_t asimd = 1u << 1;

    return has(hwcap, asimd) ? BM_CPU_ARM64 : 0;
}

#if defined(__x86_64__)

/* XGETBV 0; only where CPUID shows OSXSAVE. Spelt as bytes for assemblers of before 2008. */
static uint64_t
xgetbv0(void)
{
    uint32_t low, high;

    __asm__ volatile(".byte 0x0f, 0x01, 0xd0" : "=a"(low), "=d"(high) : "c"(0));
    return (uint64_t)high << 32 | low;
}

#ifdef BM_ASM_FMA
int bm_fma_rounds(void); /* bm_fma_rounds.S */
#endif

uint32_t
bm_cpu_features(void)
{
    bm_cpuid cpu = {0};
    uint32_t eax, ebx, ecx, edx, features;

    __cpuid(0, cpu.max_leaf, cpu.vendor, ecx, edx);
    if (cpu.max_leaf >= 1)
        __cpuid(1, cpu.leaf1_eax, ebx, cpu.leaf1_ecx, edx);
    if (cpu.max_leaf >= 7)
        __cpuid_count(7, 0, eax, cpu.leaf7_ebx, ecx, edx);
    if (has(cpu.leaf1_ecx, 1u << 27))
        cpu.xcr0 = xgetbv0();
    features = bm_cpu_features_of(&cpu);
#ifdef BM_ASM_FMA
    /* valgrind has FMA, but not its rounding */
    if ((features & BM_CPU_FMA) != 0 && !bm_fma_rounds())
        features &= ~(uint32_t)BM_CPU_FMA;
#endif
    return features;
}

#elif defined(__aarch64__) && defined(__linux__)

uint32_t
bm_cpu_features(void)
{
    return bm_cpu_features_of_hwcap(getauxval(AT_HWCAP));
}

#elif defined(__aarch64__) && defined(__APPLE__)

uint32_t
bm_cpu_features(void)
{
    return BM_CPU_ARM64; /* every processor of this system */
}

#else

uint32_t
bm_cpu_features(void)
{
    return 0;
}

#endif
