/*
 * The choice of kernels from what CPUID and XGETBV say: processors and systems that tests cannot
 * have, mocked (FAILURES.md rows 18, 19).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "cpu.h"
#include "kernels.h"

/* CPUID 1 ecx */
enum { FMA = 1u << 12, OSXSAVE = 1u << 27, AVX = 1u << 28 };
/* CPUID 7 ebx; Intel SDM volume 2A, CPUID */
#define BIT(n) (1u << (n))
#define AVX2 BIT(5)
#define BMI2 BIT(8)
#define AVX512F BIT(16)
#define AVX512DQ BIT(17)
#define ADX BIT(19)
#define AVX512IFMA BIT(21)
#define AVX512BW BIT(30)
#define AVX512VL BIT(31)
#define AVX512 (AVX512F | AVX512DQ | AVX512BW | AVX512VL)
/* CPUID 0 ebx: "Auth", "Genu" */
enum { AMD = 0x68747541, INTEL = 0x756e6547 };
/* XCR0 */
enum { X87_SSE = 3, YMM = 4, OPMASK = 0x20, ZMM = 0xc0 };

typedef struct profile {
    const char *name;
    bm_cpuid cpu;
    uint32_t features; /* beside BM_CPU_AMD64 */
    const char *set;   /* chosen by "auto" */
    bool vec;          /* with vectors */
} profile;

static const profile profiles[] = {
    {"a K8 of 2003: SSE2 and leaf 1", {1, 0, 0, 0, 0, 0}, 0, "amd64", false},
    {"Nehalem: no AVX", {11, 0, 0, 0, 0, 0}, 0, "amd64", false},
    {"Haswell: AVX2, FMA and BMI2, no ADX",
     {13, FMA | OSXSAVE | AVX, AVX2 | BMI2, X87_SSE | YMM, 0, 0},
     BM_CPU_AVX2 | BM_CPU_FMA | BM_CPU_BMI2,
     "amd64",
     true},
    {"Broadwell, Zen 1 to 3: all but AVX-512",
     {20, FMA | OSXSAVE | AVX, AVX2 | BMI2 | ADX, X87_SSE | YMM, 0, 0},
     BM_CPU_AVX2 | BM_CPU_FMA | BM_CPU_BMI2 | BM_CPU_ADX,
     "adx",
     true},
    {"Skylake server: AVX-512 without IFMA",
     {22, FMA | OSXSAVE | AVX, AVX2 | BMI2 | ADX | AVX512, X87_SSE | YMM | OPMASK | ZMM, 0, 0},
     BM_CPU_AVX2 | BM_CPU_FMA | BM_CPU_BMI2 | BM_CPU_ADX,
     "adx",
     true},
    {"Ice Lake: everything",
     {32, FMA | OSXSAVE | AVX, AVX2 | BMI2 | ADX | AVX512 | AVX512IFMA,
      X87_SSE | YMM | OPMASK | ZMM, INTEL, 0x000606a6},
     BM_CPU_AVX2 | BM_CPU_FMA | BM_CPU_BMI2 | BM_CPU_ADX | BM_CPU_IFMA,
     "ifma",
     true},
    {"Zen 4: the same",
     {32, FMA | OSXSAVE | AVX, AVX2 | BMI2 | ADX | AVX512 | AVX512IFMA,
      X87_SSE | YMM | OPMASK | ZMM, AMD, 0x00a10f11},
     BM_CPU_AVX2 | BM_CPU_FMA | BM_CPU_BMI2 | BM_CPU_ADX | BM_CPU_IFMA,
     "ifma",
     true},
    {"Zen 5: the same, on 512 bits at once",
     {32, FMA | OSXSAVE | AVX, AVX2 | BMI2 | ADX | AVX512 | AVX512IFMA,
      X87_SSE | YMM | OPMASK | ZMM, AMD, 0x00b00f21},
     BM_CPU_AVX2 | BM_CPU_FMA | BM_CPU_BMI2 | BM_CPU_ADX | BM_CPU_IFMA | BM_CPU_WIDE,
     "ifma",
     true},
    {"Zen 5, but the system does not save zmm",
     {32, FMA | OSXSAVE | AVX, AVX2 | BMI2 | ADX | AVX512 | AVX512IFMA, X87_SSE | YMM, AMD,
      0x00b00f21},
     BM_CPU_AVX2 | BM_CPU_FMA | BM_CPU_BMI2 | BM_CPU_ADX,
     "adx",
     true},
    {"everything, but the system does not save zmm",
     {32, FMA | OSXSAVE | AVX, AVX2 | BMI2 | ADX | AVX512 | AVX512IFMA, X87_SSE | YMM, 0, 0},
     BM_CPU_AVX2 | BM_CPU_FMA | BM_CPU_BMI2 | BM_CPU_ADX,
     "adx",
     true},
    {"everything, but the system saves zmm without opmask",
     {32, FMA | OSXSAVE | AVX, AVX2 | BMI2 | ADX | AVX512 | AVX512IFMA, X87_SSE | YMM | ZMM, 0, 0},
     BM_CPU_AVX2 | BM_CPU_FMA | BM_CPU_BMI2 | BM_CPU_ADX,
     "adx",
     true},
    {"everything, but the system does not save ymm",
     {32, FMA | OSXSAVE | AVX, AVX2 | BMI2 | ADX | AVX512 | AVX512IFMA, X87_SSE, 0, 0},
     BM_CPU_BMI2 | BM_CPU_ADX,
     "amd64",
     false},
    {"everything, but OSXSAVE is off, so that XCR0 must not be believed",
     {32, FMA | AVX, AVX2 | BMI2 | ADX | AVX512 | AVX512IFMA, X87_SSE | YMM | OPMASK | ZMM, 0, 0},
     BM_CPU_BMI2 | BM_CPU_ADX,
     "amd64",
     false},
    {"a hypervisor that shows ADX without BMI2",
     {32, FMA | OSXSAVE | AVX, AVX2 | ADX, X87_SSE | YMM, 0, 0},
     BM_CPU_AVX2 | BM_CPU_FMA | BM_CPU_ADX,
     "amd64",
     true},
    {"a hypervisor that shows IFMA without AVX512VL",
     {32, FMA | OSXSAVE | AVX, AVX2 | BMI2 | ADX | AVX512F | AVX512DQ | AVX512BW | AVX512IFMA,
      X87_SSE | YMM | OPMASK | ZMM, 0, 0},
     BM_CPU_AVX2 | BM_CPU_FMA | BM_CPU_BMI2 | BM_CPU_ADX,
     "adx",
     true},
    {"a hypervisor that hides FMA",
     {32, OSXSAVE | AVX, AVX2 | BMI2 | ADX, X87_SSE | YMM, 0, 0},
     BM_CPU_AVX2 | BM_CPU_BMI2 | BM_CPU_ADX,
     "adx",
     false},
    {"leaf 7 left over in the registers of a processor whose last leaf is 6",
     {6, FMA | OSXSAVE | AVX, AVX2 | BMI2 | ADX | AVX512 | AVX512IFMA, X87_SSE | YMM | OPMASK | ZMM,
      0, 0},
     BM_CPU_FMA,
     "amd64",
     false},
};

enum { NUM_PROFILES = sizeof(profiles) / sizeof(profiles[0]) };

static void
features_follow_cpuid_and_xcr0(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < NUM_PROFILES; i++) {
        uint32_t features = bm_cpu_features_of(&profiles[i].cpu);

        if (features != (profiles[i].features | BM_CPU_AMD64))
            fail_msg("%s: %#x", profiles[i].name, (unsigned)features);
    }
}

static void
each_processor_gets_its_best_set_and_nothing_beyond(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < NUM_PROFILES; i++) {
        uint32_t features = bm_cpu_features_of(&profiles[i].cpu);
        const bm_kernels *set = bm_kernels_find("auto", features);

        assert_non_null(set);
        assert_int_equal(set->needs & ~features, 0);
        printf("%s: %s%s\n", profiles[i].name, set->name, set->vec != NULL ? " with vectors" : "");
#if defined(BM_ASM_AMD64) && defined(BM_ASM_ADX) && defined(BM_ASM_FMA) && defined(BM_ASM_IFMA)
        assert_string_equal(set->name, profiles[i].set);
        assert_int_equal(set->vec != NULL, profiles[i].vec);
#endif
    }
}

/* Row 18: a detection that is wrong the other way, so that a kernel never runs, shows here. */
static void
this_processor_gets_what_it_says(void **unused)
{
    uint32_t features = bm_cpu_features();
    const bm_kernels *set = bm_kernels_find("auto", features);

    (void)unused;
    printf("this processor: %#x, %s\n", (unsigned)features, set->name);
#if defined(__x86_64__)
    assert_true(features & BM_CPU_AMD64);
    assert_int_equal((features & BM_CPU_BMI2) != 0, __builtin_cpu_supports("bmi2") != 0);
    assert_int_equal((features & BM_CPU_AVX2) != 0, __builtin_cpu_supports("avx2") != 0);
    if (!(features & BM_CPU_FMA) && __builtin_cpu_supports("fma"))
        printf("FMA does not round as MXCSR says: an emulator\n");
    assert_int_equal((features & BM_CPU_IFMA) != 0,
                     __builtin_cpu_supports("avx512ifma") && __builtin_cpu_supports("avx512vl") &&
                         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw"));
#endif
}

static void
sets_are_found_by_name_only_where_they_can_run(void **unused)
{
    (void)unused;
    assert_null(bm_kernels_find("mmx", ~0u));
    assert_null(bm_kernels_find("", ~0u));
    for (size_t i = 0; i < bm_num_kernel_sets; i++) {
        const bm_kernels *set = &bm_kernel_sets[i];
        const bm_kernels *found = bm_kernels_find(set->name, set->needs);

        assert_non_null(found);
        assert_string_equal(found->name, set->name);
        for (uint32_t bit = 1; bit != 0; bit <<= 1) {
            found = bm_kernels_find(set->name, set->needs & ~bit);
            if (found != NULL)
                assert_int_equal(found->needs & bit & set->needs, 0);
        }
    }
    assert_string_equal(bm_kernels_find("auto", 0)->name, "portable");
    assert_int_equal(bm_kernel_sets[bm_num_kernel_sets - 1].needs, 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(features_follow_cpuid_and_xcr0),
        cmocka_unit_test(each_processor_gets_its_best_set_and_nothing_beyond),
        cmocka_unit_test(this_processor_gets_what_it_says),
        cmocka_unit_test(sets_are_found_by_name_only_where_they_can_run),
    };

    return cmocka_run_group_tests_name("cpu", tests, NULL, NULL);
}
