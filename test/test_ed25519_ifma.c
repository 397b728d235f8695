/*
 * The IFMA kernels of Ed25519: formulas at the limbs' bounds against GMP, multiplications against
 * the portable row, registers after each call. Skipped where the processor lacks the instructions.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <gmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "ed25519_ifma.h"
#include "kernels.h"
#include "point_table_ifma.h"
#include "scalar.h"

enum { LANES = 4, DIGITS = 5, POINT = 20 };

static const bm_limb mask51 = (UINT64_C(1) << 51) - 1;
static const bm_limb tight = (UINT64_C(1) << 51) + (UINT64_C(1) << 16) - 1;

static mpz_t p, order, d2; /* 2^255 - 19; L; 2 d */

static uint64_t rng_state = UINT64_C(0x452821e638d01377);

/* splitmix64 */
static uint64_t
random_limb(void)
{
    uint64_t z = rng_state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* A digit of some kind: at a bound, around the radix, small, or random. */
static bm_limb
digit(unsigned kind)
{
    const bm_limb edges[] = {0, 1, 18, 19, mask51 - 19, mask51 - 18, mask51, mask51 + 1, tight};
    const unsigned num = sizeof(edges) / sizeof(edges[0]);

    if (kind < num)
        return edges[kind];
    return kind % 2 != 0 ? edges[random_limb() % num] : random_limb() % (tight + 1);
}

/* Kinds below 9: all digits the same edge; above: mixed edges, or random. */
enum { KINDS = 200 };

static void
fill(bm_limb x[POINT], unsigned kind)
{
    for (unsigned i = 0; i < POINT; i++)
        x[i] = digit(kind);
}

static void
lane_to_mpz(mpz_t z, const bm_limb x[POINT], unsigned lane)
{
    mpz_t t;

    mpz_init(t);
    mpz_set_ui(z, 0);
    for (int k = DIGITS - 1; k >= 0; k--) {
        mpz_mul_2exp(z, z, 51);
        mpz_set_ui(t, x[LANES * k + lane]);
        mpz_add(z, z, t);
    }
    mpz_mod(z, z, p);
    mpz_clear(t);
}

typedef struct big_point {
    mpz_t v[LANES]; /* X, Y, T, Z; or Y - X, Y + X, 2dT, 2Z */
} big_point;

static void
big_init(big_point *a, const bm_limb x[POINT])
{
    for (unsigned i = 0; i < LANES; i++) {
        mpz_init(a->v[i]);
        if (x != NULL)
            lane_to_mpz(a->v[i], x, i);
    }
}

static void
big_clear(big_point *a)
{
    for (unsigned i = 0; i < LANES; i++)
        mpz_clear(a->v[i]);
}

/* r = (E F, G H, E H, F G) */
static void
big_complete(big_point *r, const mpz_t e, const mpz_t f, const mpz_t g, const mpz_t h)
{
    mpz_mul(r->v[0], e, f);
    mpz_mul(r->v[1], g, h);
    mpz_mul(r->v[2], e, h);
    mpz_mul(r->v[3], f, g);
    for (unsigned i = 0; i < LANES; i++)
        mpz_mod(r->v[i], r->v[i], p);
}

/* Any four numbers, on the curve or not: the formulas are polynomials. */
static void
big_double(big_point *r, const big_point *a)
{
    mpz_t e, f, g, h;

    mpz_inits(e, f, g, h, NULL);
    mpz_mul(e, a->v[0], a->v[1]);
    mpz_mul_ui(e, e, 2);
    mpz_mul(g, a->v[1], a->v[1]);
    mpz_mul(h, a->v[0], a->v[0]);
    mpz_mul(f, a->v[3], a->v[3]);
    mpz_mul_ui(f, f, 2);
    mpz_sub(g, g, h); /* Y^2 - X^2 */
    mpz_sub(f, f, g);
    mpz_mul_ui(h, h, 2);
    mpz_add(h, h, g); /* X^2 + Y^2 */
    big_complete(r, e, f, g, h);
    mpz_clears(e, f, g, h, NULL);
}

static void
big_add(big_point *r, const big_point *a, const big_point *n, bool subtract)
{
    mpz_t e, f, g, h, t;

    mpz_inits(e, f, g, h, t, NULL);
    mpz_sub(t, a->v[1], a->v[0]);
    mpz_mul(e, t, n->v[subtract ? 1 : 0]);
    mpz_add(t, a->v[1], a->v[0]);
    mpz_mul(h, t, n->v[subtract ? 0 : 1]);
    mpz_mul(f, a->v[2], n->v[2]);
    if (subtract)
        mpz_neg(f, f);
    mpz_mul(g, a->v[3], n->v[3]);
    mpz_sub(t, h, e);
    mpz_add(h, h, e);
    mpz_set(e, t);
    mpz_sub(t, g, f);
    mpz_add(g, g, f);
    mpz_set(f, t);
    big_complete(r, e, f, g, h);
    mpz_clears(e, f, g, h, t, NULL);
}

static void
big_cache(big_point *r, const big_point *a)
{
    mpz_t t;

    mpz_init(t);
    mpz_sub(t, a->v[1], a->v[0]);
    mpz_add(r->v[1], a->v[1], a->v[0]);
    mpz_set(r->v[0], t);
    mpz_mul(r->v[2], a->v[2], d2);
    mpz_mul_ui(r->v[3], a->v[3], 2);
    for (unsigned i = 0; i < LANES; i++)
        mpz_mod(r->v[i], r->v[i], p);
    mpz_clear(t);
}

static void
assert_lanes(const bm_limb x[POINT], const big_point *expected)
{
    mpz_t v;

    mpz_init(v);
    for (unsigned i = 0; i < LANES; i++) {
        lane_to_mpz(v, x, i);
        assert_int_equal(mpz_cmp(v, expected->v[i]), 0);
    }
    for (unsigned i = 0; i < POINT; i++)
        assert_true(x[i] <= tight);
    mpz_clear(v);
}

static bm_limb
address(const bm_limb *n)
{
    return (bm_limb)(uintptr_t)n;
}

/* ---- registers ----------------------------------------------------------------------------------
 */

/*
 * Calls f(a[0], ..., a[4]) with known values in the registers that belong to the caller, and stores
 * what is there afterwards in seen[0..5]: rbx rbp r12 r13 r14 r15; in seen[6] the flags.
 */
void call_with_known_registers(void (*f)(void), const bm_limb a[5], bm_limb seen[7]);

__asm__(".text\n"
        ".globl call_with_known_registers\n"
        "call_with_known_registers:\n"
        ".cfi_startproc\n"
        "endbr64\n"
        "push %rbx\npush %rbp\npush %r12\npush %r13\npush %r14\npush %r15\n"
        ".cfi_adjust_cfa_offset 48\n"
        "push %rdx\n"
        ".cfi_adjust_cfa_offset 8\n"
        "mov %rdi, %rax\nmov %rsi, %r11\n"
        "mov 0(%r11), %rdi\nmov 8(%r11), %rsi\nmov 16(%r11), %rdx\nmov 24(%r11), %rcx\n"
        "mov 32(%r11), %r8\n"
        "mov $0x1111, %rbx\nmov $0x2222, %rbp\nmov $0x3333, %r12\nmov $0x4444, %r13\n"
        "mov $0x5555, %r14\nmov $0x6666, %r15\n"
        "call *%rax\n"
        "pop %rdx\n"
        ".cfi_adjust_cfa_offset -8\n"
        "mov %rbx, 0(%rdx)\nmov %rbp, 8(%rdx)\nmov %r12, 16(%rdx)\nmov %r13, 24(%rdx)\n"
        "mov %r14, 32(%rdx)\nmov %r15, 40(%rdx)\n"
        "pushfq\npopq 48(%rdx)\n"
        "pop %r15\npop %r14\npop %r13\npop %r12\npop %rbp\npop %rbx\n"
        ".cfi_adjust_cfa_offset -48\n"
        "ret\n"
        ".cfi_endproc\n");

/* XINUSE: which parts of the register state are not in their initial form (XGETBV with ECX = 1). */
static uint32_t
state_in_use(void)
{
    uint32_t eax, edx;

    __asm__ volatile("xgetbv" : "=a"(eax), "=d"(edx) : "c"(1));
    return eax;
}

/* FAILURES.md row 17 */
static void
assert_callers_registers(void (*f)(void), bm_limb a0, bm_limb a1, bm_limb a2, bm_limb a3,
                         bm_limb a4)
{
    const bm_limb a[5] = {a0, a1, a2, a3, a4};
    bm_limb seen[7];

    call_with_known_registers(f, a, seen);
    assert_int_equal(state_in_use() & 4, 0); /* upper halves: vzeroupper was not forgotten */
    for (unsigned i = 0; i < 6; i++)
        assert_int_equal(seen[i], 0x1111 * (i + 1));
    assert_int_equal(seen[6] & 0x400, 0); /* direction flag */
}

static void
kernels_leave_the_callers_registers_alone(void **state)
{
    static _Alignas(64) bm_limb scratch[280];
    bm_limb point[POINT], n[POINT], sums[4][POINT], shadow[2];
    bm_limb steps[] = {BM_STEP_DOUBLE, address(n), address(n) + BM_STEP_SUBTRACT, BM_STEP_END};
    uint8_t t[40] = {0x91, 0x07};

    (void)state;
    fill(point, 10);
    fill(n, 10);
    assert_callers_registers((void (*)(void))bm_point_run_ifma, address(point), address(steps), 0,
                             0, 0);
    assert_callers_registers((void (*)(void))bm_point_cache_ifma, address(n), address(point), 0, 0,
                             0);
    assert_callers_registers((void (*)(void))bm_point_base_ifma, address(sums[0]), address(shadow),
                             (bm_limb)(uintptr_t)t, address(&bm_base_rows_ifma[0][0][0]),
                             address(scratch));
}

/* ---- formulas -----------------------------------------------------------------------------------
 */

/* FAILURES.md rows 6 and 16: limbs at their bound before each multiplication */
static void
doublings_are_the_formula_at_the_limbs_bounds(void **state)
{
    const bm_limb one[] = {BM_STEP_DOUBLE, BM_STEP_END};

    (void)state;
    for (unsigned kind = 0; kind < KINDS; kind++) {
        bm_limb x[POINT];
        big_point a, r;

        fill(x, kind);
        big_init(&a, x);
        big_init(&r, NULL);
        bm_point_run_ifma(x, one);
        big_double(&r, &a);
        assert_lanes(x, &r);
        big_clear(&a);
        big_clear(&r);
    }
}

static void
additions_and_subtractions_are_the_formula_at_the_limbs_bounds(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < 2 * KINDS; kind++) {
        bool subtract = kind % 2 != 0;
        bm_limb x[POINT], n[POINT];
        big_point a, b, r;

        fill(x, kind / 2);
        fill(n, kind / 2 < 9 ? kind / 2 : (unsigned)random_limb() % KINDS);
        big_init(&a, x);
        big_init(&b, n);
        big_init(&r, NULL);
        {
            const bm_limb one[] = {address(n) + (subtract ? BM_STEP_SUBTRACT : 0), BM_STEP_END};

            bm_point_run_ifma(x, one);
        }
        big_add(&r, &a, &b, subtract);
        assert_lanes(x, &r);
        big_clear(&a);
        big_clear(&b);
        big_clear(&r);
    }
}

static void
points_are_cached_in_place_at_the_limbs_bounds(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < KINDS; kind++) {
        bm_limb x[POINT], n[POINT];
        big_point a, r;

        fill(x, kind);
        big_init(&a, x);
        big_init(&r, NULL);
        big_cache(&r, &a);
        bm_point_cache_ifma(n, x);
        assert_lanes(n, &r);
        bm_point_cache_ifma(x, x); /* FAILURES.md row 12 */
        assert_memory_equal(x, n, sizeof(n));
        big_clear(&a);
        big_clear(&r);
    }
}

/* Chains take every way from one form to another. */
static void
chains_of_steps_are_the_formulas_one_after_another(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 60; round++) {
        bm_limb x[POINT], n[3][POINT], steps[41];
        unsigned num = 1 + (unsigned)random_limb() % 40;
        big_point a, b[3];

        fill(x, (unsigned)random_limb() % KINDS);
        big_init(&a, x);
        for (unsigned i = 0; i < 3; i++) {
            fill(n[i], (unsigned)random_limb() % KINDS);
            big_init(&b[i], n[i]);
        }
        for (unsigned i = 0; i < num; i++) {
            unsigned which = (unsigned)random_limb() % 6;

            if (which < 3) {
                bool subtract = random_limb() % 2 != 0;

                steps[i] = address(n[which]) + (subtract ? BM_STEP_SUBTRACT : 0);
                big_add(&a, &a, &b[which], subtract);
            } else {
                steps[i] = BM_STEP_DOUBLE;
                big_double(&a, &a);
            }
        }
        steps[num] = BM_STEP_END;
        bm_point_run_ifma(x, steps);
        assert_lanes(x, &a);
        big_clear(&a);
        for (unsigned i = 0; i < 3; i++)
            big_clear(&b[i]);
    }
}

/* ---- multiplications against the portable row ---------------------------------------------------
 */

static const bm_ed25519_kernels *const ours = &bm_ed25519_kernels_ifma;
static const bm_ed25519_kernels *const twin = &bm_ed25519_kernels_portable;

/*
 * Scalars with runs of zeros, or of ones, of 1 to 250 bits at either end or in the middle, powers
 * of two and their neighbours, others random; below 2^255, or reduced (FAILURES.md row 14).
 */
enum { SCALARS = 1300 };

static void
scalar(bm_limb s[4], unsigned kind, bool reduced)
{
    unsigned run = 1 + kind % 250;
    mpz_t x, m;
    size_t num;

    mpz_inits(x, m, NULL);
    for (unsigned k = 0; k < 4; k++) {
        mpz_mul_2exp(x, x, 64);
        mpz_add_ui(x, x, random_limb());
    }
    mpz_ui_pow_ui(m, 2, run);
    mpz_sub_ui(m, m, 1); /* the run */
    switch (kind / 250) {
    case 0: /* zeros below */
        mpz_com(m, m);
        mpz_and(x, x, m);
        break;
    case 1: /* zeros above */
        mpz_fdiv_r_2exp(x, x, 253 - run);
        break;
    case 2: /* zeros in the middle */
        mpz_mul_2exp(m, m, (253 - run) / 2);
        mpz_com(m, m);
        mpz_and(x, x, m);
        break;
    case 3: /* ones in the middle */
        mpz_mul_2exp(m, m, (253 - run) / 2);
        mpz_ior(x, x, m);
        break;
    case 4:
        if (kind % 250 < 100) {
            mpz_set_ui(x, kind % 250); /* small */
        } else if (kind % 250 < 200) {
            mpz_sub_ui(x, order, kind % 250 - 99); /* L - 1, L - 2 ... */
        } else {
            mpz_ui_pow_ui(x, 2, 5 * (kind % 250 - 200));
            mpz_sub_ui(x, x, kind % 2);
        }
        break;
    default:
        break;
    }
    mpz_fdiv_r_2exp(x, x, 255);
    if (reduced)
        mpz_mod(x, x, order);
    memset(s, 0, 4 * sizeof(bm_limb));
    mpz_export(s, &num, -1, sizeof(bm_limb), 0, 0, x);
    mpz_clears(x, m, NULL);
}

static void
multiples_of_the_base_point_are_the_portable_rows(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < SCALARS; kind++) {
        uint8_t z[32], expected[32];
        bm_limb s[4], x[4], expected_x[4];

        scalar(s, kind, kind % 2 != 0);
        if (kind == 777) /* the largest of all: the last digit is 1 */
            memcpy(s, (bm_limb[]){-1, -1, -1, INT64_MAX}, sizeof(s));
        assert_true(bm_declassify(ours->base_mul(z, x, s), "test"));
        twin->base_mul(expected, expected_x, s);
        assert_memory_equal(z, expected, sizeof(z));
        assert_memory_equal(x, expected_x, sizeof(x));
    }
}

/* What base_mul compares with the scalar (FAILURES.md row 62). */
static void
shadows_add_up_to_the_scalar(void **state)
{
    static _Alignas(64) bm_limb scratch[280];

    (void)state;
    for (unsigned round = 0; round < 200; round++) {
        bm_limb sums[4][POINT], shadow[2];
        uint8_t t[40] = {0};
        mpz_t expected[2], q, r, row;

        mpz_inits(expected[0], expected[1], q, r, row, NULL);
        mpz_set_ui(q, BM_SHADOW_PRIME_IFMA);
        for (unsigned i = 0; i < 32; i++)
            t[i] = (uint8_t)random_limb();
        for (unsigned i = 0; i < 52; i++) {
            int value =
                ((t[5 * i / 8] | t[5 * i / 8 + 1] << 8) >> 5 * i % 8 & 31) - (i < 51 ? 16 : 0);

            mpz_ui_pow_ui(row, 1024, i / 2);
            mpz_mul_si(r, row, value);
            mpz_add(expected[i % 2], expected[i % 2], r);
        }
        bm_point_base_ifma(sums, shadow, t, &bm_base_rows_ifma[0][0][0], scratch);
        for (unsigned k = 0; k < 2; k++) {
            mpz_set_si(r, (int64_t)shadow[k]);
            mpz_sub(r, r, expected[k]);
            assert_true(mpz_divisible_p(r, q));
        }
        mpz_clears(expected[0], expected[1], q, r, row, NULL);
    }
}

static void
keys_decode_as_in_the_portable_row(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 200; round++) {
        bm_limb table[BM_ED25519_TABLE_LIMBS], expected[BM_ED25519_TABLE_LIMBS];
        uint8_t bytes[32];

        for (unsigned i = 0; i < 32; i++)
            bytes[i] = round < 40 ? (uint8_t)(i == 0    ? 0xe0 + round
                                              : i == 31 ? (round % 2 ? 0xff : 0x7f)
                                                        : 0xff)
                                  : (uint8_t)random_limb();
        if (round >= 190) { /* 0, 1, 2 and so on, either sign */
            memset(bytes, 0, 32);
            bytes[0] = (uint8_t)(round - 190) / 2;
            bytes[31] = round % 2 ? 0x80 : 0;
        }
        assert_int_equal(ours->decode_negate(table, bytes), twin->decode_negate(expected, bytes));
    }
}

/* Points of order 8, 4, 2 and 1 (RFC 8032 5.1), and ones on the whole curve. */
static const uint8_t small_order[][32] = {
    {1},
    {0xec, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
     0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
     0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f},
    {0},
    {0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b,
     0x76, 0x0d, 0x10, 0x67, 0x0f, 0x2a, 0x20, 0x53, 0xfa, 0x2c, 0x39,
     0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a},
    {0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4,
     0x89, 0xf2, 0xef, 0x98, 0xf0, 0xd5, 0xdf, 0xac, 0x05, 0xd3, 0xc6,
     0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05},
};

enum { NUM_SMALL = sizeof(small_order) / sizeof(small_order[0]) };

static void
double_multiplications_are_the_portable_rows(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < SCALARS;) {
        static bm_limb table[BM_ED25519_MAX_BATCH][BM_ED25519_TABLE_LIMBS];
        static bm_limb expected_table[BM_ED25519_MAX_BATCH][BM_ED25519_TABLE_LIMBS];
        bm_ed25519_term terms[BM_ED25519_MAX_BATCH], expected_terms[BM_ED25519_MAX_BATCH];
        uint8_t z[BM_ED25519_MAX_BATCH][32], expected[BM_ED25519_MAX_BATCH][32];
        unsigned n = 1 + (unsigned)random_limb() % BM_ED25519_MAX_BATCH;

        for (unsigned i = 0; i < n; i++, kind++) {
            const bm_limb zero[4] = {0};
            bm_limb k[4], x[4];
            uint8_t key[32];

            scalar(k, kind + 7, true);
            if (kind % 5 == 0)
                memcpy(key, small_order[kind / 5 % NUM_SMALL], 32);
            else
                twin->base_mul(key, x, k);
            assert_true(ours->decode_negate(table[i], key));
            assert_true(twin->decode_negate(expected_table[i], key));
            scalar(terms[i].s, kind, true);
            scalar(terms[i].h, SCALARS - kind, true);
            if (kind % 11 == 0) /* P + (-P) on the last addition, and the neutral point (row 15) */
                bm_scalar_mul_add(terms[i].s, terms[i].h, k, zero);
            if (kind % 13 == 0)
                memset(terms[i].h, 0, sizeof(terms[i].h));
            if (kind % 17 == 0)
                memset(terms[i].s, 0, sizeof(terms[i].s));
            terms[i].table = table[i];
            expected_terms[i] = terms[i];
            expected_terms[i].table = expected_table[i];
        }
        memset(z, 0xa5, sizeof(z));
        ours->double_mul_vartime(z, terms, n);
        twin->double_mul_vartime(expected, expected_terms, n);
        assert_memory_equal(z, expected, 32 * n);
    }
}

/* Memory of len bytes between two pages that cannot be touched: it ends, or begins, at one. */
static void *
guarded(size_t len, bool at_end)
{
    const size_t page = 4096, inside = (len + page - 1) / page * page;
    uint8_t *pages = mmap(NULL, inside + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    assert_true(pages != MAP_FAILED);
    assert_int_equal(mprotect(pages + page, inside, PROT_READ | PROT_WRITE), 0);
    return pages + page + (at_end ? inside - len : 0);
}

/* FAILURES.md rows 9, 11 and 22: guard pages around each operand, scratch with any content */
static void
kernels_touch_their_operands_alone(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 4; round++) {
        const bool at_end = round % 2 != 0;
        bm_limb *point = guarded(POINT * sizeof(bm_limb), at_end);
        bm_limb *n = guarded(POINT * sizeof(bm_limb), at_end);
        bm_limb *steps = guarded(4 * sizeof(bm_limb), at_end);
        bm_limb *sums = guarded(4 * POINT * sizeof(bm_limb), at_end);
        bm_limb *shadow = guarded(2 * sizeof(bm_limb), at_end);
        uint8_t *t = guarded(40, at_end);
        bm_limb *table = guarded(sizeof(bm_base_rows_ifma), at_end);
        bm_limb *scratch = guarded(280 * sizeof(bm_limb), at_end);
        _Alignas(64) bm_limb other_scratch[280];
        bm_limb expected[4][POINT], expected_shadow[2];

        fill(point, 10);
        fill(n, 10);
        steps[0] = BM_STEP_DOUBLE;
        steps[1] = address(n);
        steps[2] = address(n) + BM_STEP_SUBTRACT;
        steps[3] = BM_STEP_END;
        bm_point_run_ifma(point, steps);
        bm_point_run_ifma(point, steps + 1);
        bm_point_cache_ifma(n, point);
        memset(t, 0x5a, 32);
        memset(t + 32, 0, 8);
        memcpy(table, bm_base_rows_ifma, sizeof(bm_base_rows_ifma));
        memset(scratch, round < 2 ? 0xa5 : 0xff, 280 * sizeof(bm_limb));
        memset(other_scratch, 0, sizeof(other_scratch));
        bm_point_base_ifma((bm_limb(*)[POINT])sums, shadow, t, table, scratch);
        bm_point_base_ifma(expected, expected_shadow, t, table, other_scratch);
        assert_memory_equal(sums, expected, sizeof(expected));
        assert_memory_equal(shadow, expected_shadow, sizeof(expected_shadow));
    }
}

/* FAILURES.md row 18 */
static void
this_row_is_chosen(void **state)
{
    (void)state;
    assert_ptr_equal(bm_kernels_find("auto", bm_cpu_features())->ed25519, ours);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(this_row_is_chosen),
        cmocka_unit_test(doublings_are_the_formula_at_the_limbs_bounds),
        cmocka_unit_test(additions_and_subtractions_are_the_formula_at_the_limbs_bounds),
        cmocka_unit_test(points_are_cached_in_place_at_the_limbs_bounds),
        cmocka_unit_test(chains_of_steps_are_the_formulas_one_after_another),
        cmocka_unit_test(multiples_of_the_base_point_are_the_portable_rows),
        cmocka_unit_test(shadows_add_up_to_the_scalar),
        cmocka_unit_test(keys_decode_as_in_the_portable_row),
        cmocka_unit_test(double_multiplications_are_the_portable_rows),
        cmocka_unit_test(kernels_touch_their_operands_alone),
        cmocka_unit_test(kernels_leave_the_callers_registers_alone),
    };
    int failed;

    if ((bm_cpu_features() & BM_CPU_IFMA) == 0)
        return 77; /* meson: skipped */
    mpz_inits(p, order, d2, NULL);
    mpz_ui_pow_ui(p, 2, 255);
    mpz_sub_ui(p, p, 19);
    mpz_set_str(order, "27742317777372353535851937790883648493", 10);
    mpz_setbit(order, 252);
    mpz_set_si(d2, -2 * 121665);
    {
        mpz_t inverse;

        mpz_init_set_ui(inverse, 121666);
        mpz_invert(inverse, inverse, p);
        mpz_mul(d2, d2, inverse);
        mpz_mod(d2, d2, p);
        mpz_clear(inverse);
    }
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    mpz_clears(p, order, d2, NULL);
    return failed;
}
