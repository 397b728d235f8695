/*
 * Every assembly kernel of this processor keeps what its calling convention says it must:
 * callee-saved registers, direction flag, MXCSR and x87 control word, the stack above its frame; on
 * arm64 x18, x19-x29, d8-d15, FPCR (FAILURES.md row 17). Each is called directly, through a
 * trampoline (abi_amd64.S, abi_arm64.S) that fills the registers with random values. Corrupters of
 * each one of these are planted first and must be caught.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "exp_ifma.h"
#include "kernels.h"

#if defined(__x86_64__)
enum { NUM_KEPT = 6, KEPT_ROOM = 8 };
static const char *const kept[NUM_KEPT] = {"rbx", "rbp", "r12", "r13", "r14", "r15"};
#else
enum { NUM_KEPT = 20, KEPT_ROOM = 20 };
static const char *const kept[NUM_KEPT] = {"x18", "x19", "x20", "x21", "x22", "x23", "x24",
                                           "x25", "x26", "x27", "x28", "x29", "d8",  "d9",
                                           "d10", "d11", "d12", "d13", "d14", "d15"};
#endif

/* The trampolines know the offsets. */
typedef struct abi {
    void (*fn)(void);
    uint64_t args[8];
    uint64_t before[KEPT_ROOM], after[KEPT_ROOM];
    uint64_t canary[8], canary_after[8];
#if defined(__x86_64__)
    uint64_t flags;
#endif
    uint64_t control_before, control_after; /* MXCSR and x87 control word, or FPCR */
} abi;

void abi_call(abi *a);

static uint64_t state = 0x853c49e6748fea9bu;

static uint64_t
random64(void)
{
    /* xorshift64* of Vigna 2014 */
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * 0x2545f4914f6cdd1du;
}

/* Calls fn; NULL, or what it did not keep. */
static const char *
broken_by(void (*fn)(void), const uint64_t args[8])
{
    abi a = {.fn = fn};

    memcpy(a.args, args, sizeof(a.args));
    for (size_t i = 0; i < NUM_KEPT; i++)
        a.before[i] = random64();
    for (size_t i = 0; i < 8; i++)
        a.canary[i] = random64();
    abi_call(&a);
    for (size_t i = 0; i < NUM_KEPT; i++) {
        if (a.before[i] != a.after[i])
            return kept[i];
    }
    if (memcmp(a.canary, a.canary_after, sizeof(a.canary)) != 0)
        return "the stack of its caller";
#if defined(__x86_64__)
    if (a.flags & 1u << 10)
        return "the direction flag";
    /* MXCSR's low six bits are status, which a callee may change */
    if ((a.control_before & ~(uint64_t)0x3f) != (a.control_after & ~(uint64_t)0x3f))
        return "MXCSR or the x87 control word";
#else
    if (a.control_before != a.control_after)
        return "FPCR";
#endif
    return NULL;
}

/* ---- corrupters
 * ---------------------------------------------------------------------------------- */

#define CORRUPTERS_AMD64(X) \
    X(rbx) X(rbp) X(r12) X(r13) X(r14) X(r15) X(direction) X(mxcsr) X(x87) X(stack)
#define CORRUPTERS_ARM64(X)                                                                   \
    X(x18)                                                                                    \
    X(x19)                                                                                    \
    X(x20)                                                                                    \
    X(x21)                                                                                    \
    X(x22)                                                                                    \
    X(x23)                                                                                    \
    X(x24)                                                                                    \
    X(x25)                                                                                    \
    X(x26) X(x27) X(x28) X(x29) X(d8) X(d9) X(d10) X(d11) X(d12) X(d13) X(d14) X(d15) X(fpcr) \
        X(stack)

#if defined(__x86_64__)
#define CORRUPTERS CORRUPTERS_AMD64
#else
#define CORRUPTERS CORRUPTERS_ARM64
#endif

#define DECLARE(name) void corrupt_##name(void);
CORRUPTERS(DECLARE)
void corrupt_nothing(void);

static void
planted_corrupters_are_caught(void **unused)
{
    static const struct {
        const char *name;
        void (*fn)(void);
    } planted[] = {
#define ENTRY(name) {#name, corrupt_##name},
        CORRUPTERS(ENTRY)};
    const uint64_t args[8] = {0};

    (void)unused;
    for (size_t i = 0; i < sizeof(planted) / sizeof(planted[0]); i++) {
        const char *what = broken_by(planted[i].fn, args);

        printf("corrupter of %s: %s\n", planted[i].name, what != NULL ? what : "NOT CAUGHT");
        assert_non_null(what);
    }
    assert_null(broken_by(corrupt_nothing, args)); /* changes what a callee may */
}

/* ---- kernels
 * ------------------------------------------------------------------------------------- */

enum { BUFFER = 8192, NUM_BUFFERS = 6 };
static uint64_t buffers[NUM_BUFFERS][BUFFER] __attribute__((aligned(64)));

/* An argument: a number, or a buffer. */
#define BUF(i) (0xb0ff000000000000u + (i))

typedef struct kernel {
    const char *name;
    void (*fn)(void);
    uint32_t needs;
    uint64_t args[8];
} kernel;

#define KERNEL(name, needs, ...) \
    {                            \
#name, name, needs,      \
        {                        \
            __VA_ARGS__          \
        }                        \
    }

#if defined(__x86_64__)
#define BLOCK_KERNELS(X) X(mul_8n) X(sqr_8n) X(reduce_8n) X(mul_add_row)
#define ED25519_KERNELS(X) \
    X(f25519_mul) X(f25519_sqr) X(p25519_double) X(p25519_add) X(p25519_add_affine)
#define DECLARE_AMD64(name) void bm_##name##_amd64(void);
#define DECLARE_ADX(name) void bm_##name##_adx(void);
#ifdef BM_ASM_AMD64
BLOCK_KERNELS(DECLARE_AMD64)
ED25519_KERNELS(DECLARE_AMD64)
DECLARE_AMD64(finish)
DECLARE_AMD64(gather)
DECLARE_AMD64(divsteps)
DECLARE_AMD64(distance_8n)
DECLARE_AMD64(karatsuba_8n)
#endif
#ifdef BM_ASM_ADX
BLOCK_KERNELS(DECLARE_ADX)
ED25519_KERNELS(DECLARE_ADX)
void bm_p25519_add_select_adx(void);
void bm_mont_mul_small_adx(void);
void bm_mont_mul_8_adx(void);
void bm_mont_sqr_8_adx(void);
void bm_mul_add_low8_adx(void);
#endif
#ifdef BM_ASM_FMA
void bm_amm_fma(void);
void bm_ams_fma(void);
void bm_fma_rounds(void);
void bm_gather_avx2(void);
#endif
#ifdef BM_ASM_IFMA
void bm_point_base_ifma(void);
void bm_point_cache_ifma(void);
void bm_point_run_ifma(void);
#endif
#elif defined(BM_ASM_ARM64)
#define ARM64_KERNELS(X)                                                               \
    X(mul_8n)                                                                          \
    X(sqr_8n)                                                                          \
    X(reduce_8n)                                                                       \
    X(mul_add_row)                                                                     \
    X(finish)                                                                          \
    X(gather)                                                                          \
    X(f25519_mul)                                                                      \
    X(f25519_sqr)                                                                      \
    X(p25519_double) X(p25519_add) X(p25519_add_affine) X(distance_8n) X(karatsuba_8n) \
        X(p25519_select)
#define DECLARE_ARM64(name) void bm_##name##_arm64(void);
ARM64_KERNELS(DECLARE_ARM64)
#endif

#define ADX_NEEDS (BM_CPU_BMI2 | BM_CPU_ADX)

/* The same shapes for each instruction set. */
#define SHAPES(isa, needs)                                                \
    KERNEL(bm_mul_8n_##isa, needs, BUF(0), BUF(1), BUF(2), 24),           \
        KERNEL(bm_sqr_8n_##isa, needs, BUF(0), BUF(1), 24),               \
        KERNEL(bm_reduce_8n_##isa, needs, BUF(0), BUF(1), 12345, 24),     \
        KERNEL(bm_mul_add_row_##isa, needs, BUF(0), BUF(1), 12345, 23),   \
        KERNEL(bm_f25519_mul_##isa, needs, BUF(0), BUF(1), BUF(2)),       \
        KERNEL(bm_f25519_sqr_##isa, needs, BUF(0), BUF(1), 3),            \
        KERNEL(bm_p25519_double_##isa, needs, BUF(0), BUF(1), 1),         \
        KERNEL(bm_p25519_add_##isa, needs, BUF(0), BUF(1), BUF(2), 1, 1), \
        KERNEL(bm_p25519_add_affine_##isa, needs, BUF(0), BUF(1), BUF(2), 1, 1)

static const kernel kernels[] = {
#ifdef BM_ASM_AMD64
    SHAPES(amd64, BM_CPU_AMD64),
    KERNEL(bm_finish_amd64, BM_CPU_AMD64, BUF(0), BUF(0), BUF(1), 0, 13),
    KERNEL(bm_gather_amd64, BM_CPU_AMD64, BUF(0), BUF(1), 23, 32, 7),
    KERNEL(bm_distance_8n_amd64, BM_CPU_AMD64, BUF(0), BUF(1), BUF(2), 16),
    KERNEL(bm_karatsuba_8n_amd64, BM_CPU_AMD64, BUF(0), BUF(1), 0, 16),
    KERNEL(bm_divsteps_amd64, BM_CPU_AMD64, BUF(0)),
#endif
#ifdef BM_ASM_ADX
    SHAPES(adx, ADX_NEEDS),
    KERNEL(bm_mul_add_low8_adx, ADX_NEEDS, BUF(0), BUF(1), BUF(2)),
    KERNEL(bm_mont_mul_small_adx, ADX_NEEDS, BUF(0), BUF(1), BUF(2), BUF(3), 12345, 5),
    KERNEL(bm_mont_mul_8_adx, ADX_NEEDS, BUF(0), BUF(1), BUF(2), BUF(3), 12345, BUF(4)),
    KERNEL(bm_mont_sqr_8_adx, ADX_NEEDS, BUF(0), BUF(1), BUF(2), 12345, BUF(3)),
    KERNEL(bm_p25519_add_select_adx, ADX_NEEDS | BM_CPU_AVX2, BUF(0), BUF(1), BUF(2), 5, 1, 1),
#endif
#ifdef BM_ASM_FMA
    KERNEL(bm_amm_fma, BM_CPU_AVX2 | BM_CPU_FMA, BUF(5), 2, 5),
    KERNEL(bm_ams_fma, BM_CPU_AVX2 | BM_CPU_FMA, BUF(5), 1, 8),
    KERNEL(bm_fma_rounds, BM_CPU_FMA),
    KERNEL(bm_gather_avx2, BM_CPU_AVX2, BUF(0), BUF(1), 23, 32, 7),
#endif
#ifdef BM_ASM_IFMA
    KERNEL(bm_point_base_ifma, BM_CPU_IFMA, BUF(0), BUF(1), BUF(2), BUF(3), BUF(4)),
    KERNEL(bm_point_cache_ifma, BM_CPU_IFMA, BUF(0), BUF(1)),
    KERNEL(bm_point_run_ifma, BM_CPU_IFMA, BUF(0), BUF(4)),
#endif
#ifdef BM_ASM_ARM64
    SHAPES(arm64, BM_CPU_ARM64),
    KERNEL(bm_finish_arm64, BM_CPU_ARM64, BUF(0), BUF(0), BUF(1), 0, 13),
    KERNEL(bm_gather_arm64, BM_CPU_ARM64, BUF(0), BUF(1), 23, 32, 7),
    KERNEL(bm_distance_8n_arm64, BM_CPU_ARM64, BUF(0), BUF(1), BUF(2), 24),
    KERNEL(bm_karatsuba_8n_arm64, BM_CPU_ARM64, BUF(0), BUF(1), 1, 24),
    KERNEL(bm_p25519_select_arm64, BM_CPU_ARM64, BUF(0), BUF(1), 5, 1),
#endif
};

/* Random numbers below 2^51 in every digit; operations and steps where kernels take them. */
static void
fill_buffers(void)
{
    for (size_t i = 0; i < NUM_BUFFERS; i++) {
        for (size_t j = 0; j < BUFFER; j++)
            buffers[i][j] = random64() >> 14;
    }
    /* two operations of bm_amm_fma: x, y, m, u, z */
    for (size_t i = 0; i < 2; i++) {
        uint64_t *op = &buffers[5][24 * i];

        for (size_t k = 0; k < 5; k++)
            op[k] = (uint64_t)(uintptr_t)&buffers[k][1024 * i];
    }
    /* steps of bm_point_run_ifma: double, add, subtract, end */
    buffers[4][0] = 0;
    buffers[4][1] = (uint64_t)(uintptr_t)buffers[1];
    buffers[4][2] = (uint64_t)(uintptr_t)buffers[1] + 2;
    buffers[4][3] = 1;
}

static void
assert_keeps(const char *name, void (*fn)(void), const uint64_t args[8])
{
    uint64_t real[8];
    const char *what;

    fill_buffers();
    for (size_t i = 0; i < 8; i++)
        real[i] = args[i] - BUF(0) < NUM_BUFFERS ? (uint64_t)(uintptr_t)buffers[args[i] - BUF(0)]
                                                 : args[i];
    what = broken_by(fn, real);
    if (what != NULL)
        fail_msg("%s does not keep %s", name, what);
}

static void
kernels_keep_what_the_convention_says(void **unused)
{
    const uint32_t features = bm_cpu_features();
    size_t run = 0, skipped = 0;

    (void)unused;
    for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++) {
        const kernel *k = &kernels[i];

        if ((k->needs & ~features) != 0) {
            printf("%s: skipped, not on this processor\n", k->name);
            skipped++;
            continue;
        }
        for (int round = 0; round < 8; round++)
            assert_keeps(k->name, k->fn, k->args);
        run++;
    }
#ifdef BM_ASM_IFMA
    if ((features & BM_CPU_IFMA) != 0) {
        assert_keeps("bm_to_digits_ifma", (void (*)(void))bm_to_digits_ifma,
                     (uint64_t[8]){BUF(0), 5, BUF(1), 32});
        assert_keeps("bm_from_digits_ifma", (void (*)(void))bm_from_digits_ifma,
                     (uint64_t[8]){BUF(0), 32, BUF(1), 5});
        run += 2;
    }
    for (size_t i = 0; i < bm_num_ifma_shapes && (features & BM_CPU_IFMA) != 0; i++) {
        const bm_ifma_shape *s = &bm_ifma_shapes[i];
        const uint64_t digits = 4 * s->halves;

        assert_keeps(s->name, (void (*)(void))s->amm,
                     (uint64_t[8]){BUF(0), BUF(1), BUF(2), BUF(3), digits});
        assert_keeps(s->name, (void (*)(void))s->ams, (uint64_t[8]){BUF(0), BUF(3), digits, 2});
        assert_keeps(s->name, (void (*)(void))s->gather, (uint64_t[8]){BUF(0), BUF(1), 32, 5});
        run += 3;
    }
    for (size_t i = 0; i < bm_num_ifma_dealts && (features & BM_CPU_IFMA) != 0; i++) {
        const bm_ifma_dealt *as = &bm_ifma_dealts[i];

        assert_keeps(as->name, (void (*)(void))as->windows,
                     (uint64_t[8]){BUF(0), BUF(1), BUF(2), BUF(3), 2, 2});
        if (as->streams == 1)
            assert_keeps(as->name, (void (*)(void))as->windows,
                         (uint64_t[8]){BUF(0), BUF(1), BUF(2), 0, 2, 2});
        run++;
    }
#endif
    printf("%zu kernels run, %zu skipped\n", run, skipped);
    assert_true(run > 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planted_corrupters_are_caught),
        cmocka_unit_test(kernels_keep_what_the_convention_says),
    };

    return cmocka_run_group_tests_name("abi", tests, NULL, NULL);
}
