/* The table of kernel sets, best first, and the choice among them. */
#include "kernels.h"
#include "ed25519_ifma.h"
#include "ed25519_kernels.h"
#include "exp_fma.h"
#include "exp_ifma.h"
#include "kernels_blocks.h"
#include "kernels_portable.h"

#include <string.h>

#define SCALAR_KERNELS(isa)                                       \
    .mont_mul = bm_mont_mul_##isa, .mont_sqr = bm_mont_sqr_##isa, \
    .mont_reduce = bm_mont_reduce_##isa, .mul_low = bm_mul_low_##isa, .sqr_low = bm_sqr_low_##isa

#define IFMA_SET(also, vectors)                                                              \
    {                                                                                        \
        .name = "ifma",                                                                      \
        .needs = BM_CPU_AMD64 | BM_CPU_BMI2 | BM_CPU_ADX | BM_CPU_AVX2 | BM_CPU_IFMA | also, \
        SCALAR_KERNELS(adx), .gather = bm_gather_avx2, .vec = &vectors,                      \
        .ed25519 = &bm_ed25519_kernels_ifma,                                                 \
    }

const bm_kernels bm_kernel_sets[] = {
#if defined(BM_ASM_IFMA) && defined(BM_ASM_ADX) && defined(BM_ASM_FMA)
    IFMA_SET(BM_CPU_WIDE, bm_vec_ifma_wide),
    IFMA_SET(0, bm_vec_ifma),
#endif
#if defined(BM_ASM_ADX) && defined(BM_ASM_FMA)
    {
        .name = "adx",
        .needs = BM_CPU_AMD64 | BM_CPU_BMI2 | BM_CPU_ADX | BM_CPU_AVX2 | BM_CPU_FMA,
        SCALAR_KERNELS(adx),
        .gather = bm_gather_avx2,
        .vec = &bm_vec_fma,
        .ed25519 = &bm_ed25519_kernels_adx,
    },
#endif
#if defined(BM_ASM_ADX) && defined(BM_ASM_FMA)
    {
        .name = "adx",
        .needs = BM_CPU_AMD64 | BM_CPU_BMI2 | BM_CPU_ADX | BM_CPU_AVX2,
        SCALAR_KERNELS(adx),
        .gather = bm_gather_avx2,
        .ed25519 = &bm_ed25519_kernels_adx,
    },
#endif
#if defined(BM_ASM_AMD64) && defined(BM_ASM_FMA)
    {
        .name = "amd64",
        .needs = BM_CPU_AMD64 | BM_CPU_AVX2 | BM_CPU_FMA,
        SCALAR_KERNELS(amd64),
        .gather = bm_gather_avx2,
        .vec = &bm_vec_fma,
        .ed25519 = &bm_ed25519_kernels_amd64,
    },
#endif
#ifdef BM_ASM_AMD64
    {
        .name = "amd64",
        .needs = BM_CPU_AMD64,
        SCALAR_KERNELS(amd64),
        .gather = bm_gather_amd64,
        .ed25519 = &bm_ed25519_kernels_amd64,
    },
#endif
#ifdef BM_ASM_ARM64
    {
        .name = "arm64",
        .needs = BM_CPU_ARM64,
        SCALAR_KERNELS(arm64),
        .gather = bm_gather_arm64,
        .ed25519 = &bm_ed25519_kernels_arm64,
    },
#endif
    {
        .name = "portable",
        .needs = 0,
        SCALAR_KERNELS(portable),
        .gather = bm_gather_portable,
        .ed25519 = &bm_ed25519_kernels_portable,
    },
};

const size_t bm_num_kernel_sets = sizeof(bm_kernel_sets) / sizeof(bm_kernel_sets[0]);

const bm_kernels *
bm_kernels_find(const char *name, uint32_t features)
{
    bool any = strcmp(name, "auto") == 0;

    for (size_t i = 0; i < bm_num_kernel_sets; i++) {
        const bm_kernels *set = &bm_kernel_sets[i];

        if ((any || strcmp(name, set->name) == 0) && (set->needs & ~features) == 0)
            return set;
    }
    return NULL;
}

const char *
bm_exp_kernel_name(const bm_kernels *kernels, size_t bits, bool pair)
{
    const char *name = kernels->vec != NULL ? kernels->vec->kernel_name(bits, pair) : NULL;

    return name != NULL ? name : kernels->name;
}
