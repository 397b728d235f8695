/*
 * Every kernel set of this processor against the portable twin and GMP (dav1d's checkasm is the
 * model).
 *
 *     check_kernels [CASES|long] [SEED]
 *
 * CASES random cases a kernel, 100,000 where nothing is said, 10^7 for `long`; edge cases and
 * squaring chains in any case. FAILURES.md rows 1-13, 16, 22: operands of all ones, of long runs,
 * sparse, m - 1, m - 2, R mod m, 2^k +- 1; every overlap that kernels.h allows; guard pages on both
 * sides of each operand; canaries; scratch full of poison. The last test plants faults in kernels
 * and wants each to be found.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <gmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guarded.h"
#include "kernels.h"
#include "kernels_portable.h"

enum { MAX = 128, QUICK_CASES = 100000, EDGE_ROUNDS = 3 };

static size_t num_cases = QUICK_CASES;
static uint64_t seed = 1;
static bool brief; /* fewer than 1,000 cases: also fewer sizes and steps, for emulators */

/* From one size to the next. */
static size_t
stride(size_t num)
{
    return brief && num > 17 ? 15 : brief && num > 9 ? 3 : 1;
}

/* ---- random and edge operands ------------------------------------------------------------------
 */

static uint64_t state;

static uint64_t
random64(void)
{
    /* xorshift64* of Vigna 2014 */
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * 0x2545f4914f6cdd1du;
}

static size_t
below(size_t n)
{
    return (size_t)(random64() % n);
}

static void
fill_random(bm_limb *x, size_t num)
{
    for (size_t i = 0; i < num; i++)
        x[i] = random64();
}

/* Runs of ones and zeros, of random lengths up to all of x. */
static void
fill_runs(bm_limb *x, size_t num)
{
    bool ones = random64() & 1;

    for (size_t bit = 0; bit < 64 * num;) {
        size_t end = bit + 1 + below(1 + below(64 * num));

        for (; bit < end && bit < 64 * num; bit++) {
            if (bit % 64 == 0)
                x[bit / 64] = 0;
            x[bit / 64] |= (bm_limb)ones << (bit % 64);
        }
        ones = !ones;
    }
}

static void
fill_sparse(bm_limb *x, size_t num)
{
    memset(x, 0, 8 * num);
    for (int i = 0; i < 3; i++) {
        size_t bit = below(64 * num);

        x[bit / 64] |= (bm_limb)1 << (bit % 64);
    }
}

/* 2^k + 1 or 2^k - 1 */
static void
fill_power(bm_limb *x, size_t num)
{
    const bm_limb one[MAX * 2] = {1};
    size_t bit = below(64 * num);

    memset(x, 0, 8 * num);
    x[bit / 64] = (bm_limb)1 << (bit % 64);
    if (random64() & 1)
        bm_add(x, x, one, num);
    else
        bm_sub(x, x, one, num);
}

enum { NUM_SHAPES = 10 };

/* Any value of num limbs. */
static void
fill(bm_limb *x, size_t num, size_t shape)
{
    switch (shape) {
    case 0:
        memset(x, 0xFF, 8 * num);
        break;
    case 1:
        fill_runs(x, num);
        break;
    case 2:
        fill_sparse(x, num);
        break;
    case 3:
        fill_power(x, num);
        break;
    case 4: /* ones above, random below: row 5 */
        fill_random(x, num);
        for (size_t i = below(num + 1); i < num; i++)
            x[i] = ~(bm_limb)0;
        break;
    default:
        fill_random(x, num);
    }
}

/* Moduli: odd, top limb not zero. */
static void
fill_modulus(bm_limb *m, size_t num, size_t shape)
{
    fill(m, num, shape);
    if (shape == 5)
        m[num - 1] = 1 + below(3);
    if (shape == 6)
        m[num - 1] = ~(bm_limb)0; /* row 7 */
    if (m[num - 1] == 0 || shape == 7)
        m[num - 1] |= (bm_limb)1 << 63;
    m[0] |= 1;
    if (num == 1 && m[0] == 1)
        m[0] = 3;
}

/* x < m of that shape: the shapes of fill, and m - 1, m - 2, R mod m, 0, 1. */
static void
fill_below(bm_limb *x, const bm_limb *m, size_t num, size_t shape)
{
    const bm_limb one[MAX] = {1};

    if (shape < 5) {
        fill(x, num, shape);
    } else if (shape == 5 || shape == 6) {
        bm_sub(x, m, one, num);
        if (shape == 6)
            bm_sub(x, x, one, num);
        return;
    } else if (shape == 7) { /* R - m, reduced below */
        memset(x, 0, 8 * num);
        bm_sub(x, x, m, num);
    } else if (shape == 8) {
        memset(x, 0, 8 * num);
        x[0] = below(2);
    } else {
        fill_random(x, num);
    }
    if (!(bm_lt(x, m, num).bits & 1)) {
        mpz_t t, mm;

        mpz_inits(t, mm, NULL);
        mpz_import(t, num, -1, 8, 0, 0, x);
        mpz_import(mm, num, -1, 8, 0, 0, m);
        mpz_mod(t, t, mm);
        memset(x, 0, 8 * num);
        mpz_export(x, NULL, -1, 8, 0, 0, t);
        mpz_clears(t, mm, NULL);
    }
}

static bm_limb
minus_inverse(bm_limb m0)
{
    bm_limb x = 1;

    for (int i = 0; i < 6; i++)
        x *= 2 - m0 * x;
    return 0 - x;
}

/* ---- one case
 * ------------------------------------------------------------------------------------ */

static guarded gz, gx, gy, gm, gt, gs;

/* z R = x y mod m and z < m, by GMP */
static bool
gmp_agrees(const bm_limb *z, const bm_limb *xy, const bm_limb *m, size_t num)
{
    static mpz_t a, b, c;
    static bool ready;

    if (!ready) {
        mpz_inits(a, b, c, NULL);
        ready = true;
    }
    mpz_import(a, num, -1, 8, 0, 0, z);
    mpz_import(b, num, -1, 8, 0, 0, m);
    if (mpz_cmp(a, b) >= 0)
        return false;
    mpz_mul_2exp(a, a, 64 * num);
    mpz_import(c, 2 * num, -1, 8, 0, 0, xy);
    mpz_sub(a, a, c);
    return mpz_divisible_p(a, b) != 0;
}

enum { MUL, SQR, REDUCE, MUL_LOW, SQR_LOW, NUM_KERNELS };

static const char *const kernel_names[NUM_KERNELS] = {"mont_mul", "mont_sqr", "mont_reduce",
                                                      "mul_low", "sqr_low"};

/* Numbers of one case, outside the guarded pages. */
typedef struct numbers {
    size_t num;
    bm_limb m[MAX], x[MAX], y[MAX], t[2 * MAX], n0;
    bm_limb expected[MAX]; /* by the portable twin, or the low half of t */
} numbers;

static void
choose_numbers(numbers *n, int kernel, size_t num, size_t shape_m, size_t shape_x, size_t shape_y)
{
    bm_limb scratch[BM_MONT_SCRATCH_LIMBS(MAX)];

    n->num = num;
    fill_modulus(n->m, num, shape_m);
    n->n0 = minus_inverse(n->m[0]);
    if (kernel == MUL_LOW || kernel == SQR_LOW) {
        fill(n->y, num, shape_y);
        fill(n->x, num, shape_x);
        if (kernel == SQR_LOW)
            memcpy(n->x, n->y, 8 * num);
        bm_mul(n->t, n->x, num, n->y, num);
        memcpy(n->expected, n->t, 8 * num);
        return;
    }
    fill_below(n->y, n->m, num, shape_y);
    if (kernel == MUL) {
        /* [x < R is enough beside y < m] */
        if (shape_x == 9)
            fill(n->x, num, below(NUM_SHAPES));
        else
            fill_below(n->x, n->m, num, shape_x);
        bm_mul(n->t, n->x, num, n->y, num);
    } else if (kernel == SQR) {
        memcpy(n->x, n->y, 8 * num);
        bm_mul(n->t, n->x, num, n->x, num);
    } else {
        /* any t < m R: the upper half is below m */
        fill(n->t, num, shape_x);
        memcpy(n->t + num, n->y, 8 * num);
    }
    memcpy(scratch, n->t, 16 * num);
    bm_mont_reduce_portable(n->expected, scratch, n->m, n->n0, num);
}

static bool
same(const bm_limb *x, const bm_limb *y, size_t num)
{
    return memcmp(x, y, 8 * num) == 0;
}

/* What is expected, by GMP */
static bool
expected_agrees(const numbers *n, int kernel)
{
    mpz_t x, y;
    bool agrees;

    if (kernel != MUL_LOW && kernel != SQR_LOW)
        return gmp_agrees(n->expected, n->t, n->m, n->num);
    mpz_inits(x, y, NULL);
    mpz_import(x, n->num, -1, 8, 0, 0, n->x);
    mpz_import(y, n->num, -1, 8, 0, 0, n->y);
    mpz_mul(x, x, y);
    mpz_import(y, n->num, -1, 8, 0, 0, n->expected);
    agrees = mpz_congruent_2exp_p(x, y, 64 * n->num) != 0;
    mpz_clears(x, y, NULL);
    return agrees;
}

/* Runs one kernel; NULL, or what is wrong. overlap: which of the allowed ones. */
static const char *
run_case(const bm_kernels *set, int kernel, const numbers *n, unsigned overlap, uint64_t bits)
{
    const size_t num = n->num, scratch_limbs = BM_MONT_SCRATCH_LIMBS(num);
    bm_limb *m = guarded_place(&gm, num, bits & 1), *x = guarded_place(&gx, num, bits & 2);
    bm_limb *y = guarded_place(&gy, num, bits & 4), *z = guarded_place(&gz, num, bits & 8);
    bm_limb *t = guarded_place(&gt, 2 * num, bits & 16);
    bm_limb *scratch = guarded_place(&gs, scratch_limbs, bits & 32);

    memcpy(m, n->m, 8 * num);
    memcpy(x, n->x, 8 * num);
    memcpy(y, n->y, 8 * num);
    memset(z, 0x5A, 8 * num);
    memset(scratch, bits & 64 ? 0xA5 : 0xFF, 8 * scratch_limbs); /* row 11 */
    if (kernel == MUL) {
        /* row 12: z apart, z is x, z is y, and x is y, with and without z */
        if (overlap == 1)
            z = x;
        if (overlap == 2)
            z = y;
        if (overlap >= 3) {
            if (!same(n->x, n->y, num))
                return NULL;
            y = x;
            if (overlap == 4)
                z = x;
        }
        set->mont_mul(z, x, y, m, n->n0, num, scratch);
    } else if (kernel == SQR) {
        if (overlap == 1)
            z = x;
        set->mont_sqr(z, x, m, n->n0, num, scratch);
    } else if (kernel == MUL_LOW) {
        set->mul_low(z, x, y, num, scratch);
    } else if (kernel == SQR_LOW) {
        set->sqr_low(z, x, num, scratch);
    } else {
        memcpy(t, n->t, 16 * num);
        if (overlap == 1)
            z = t;
        if (overlap == 2)
            z = t + num;
        set->mont_reduce(z, t, m, n->n0, num);
    }
    if (!same(z, n->expected, num))
        return "differs from the portable twin";
    if (!same(m, n->m, num) || (z != x && !same(x, n->x, num)) ||
        (z != y && y != x && !same(y, n->y, num)))
        return "changes an input";
    if (!guarded_intact(&gm) || !guarded_intact(&gx) || !guarded_intact(&gy) ||
        !guarded_intact(&gz) || !guarded_intact(&gt) || !guarded_intact(&gs))
        return "writes beside an operand";
    return NULL;
}

static const unsigned num_overlaps[NUM_KERNELS] = {5, 2, 3, 1, 1};

static const char *
run_overlaps(const bm_kernels *set, int kernel, const numbers *n)
{
    for (unsigned overlap = 0; overlap < num_overlaps[kernel]; overlap++) {
        const char *wrong = run_case(set, kernel, n, overlap, random64());

        if (wrong != NULL)
            return wrong;
    }
    return NULL;
}

/* Sizes of random cases: all up to 128, small ones more often. */
static size_t
random_size(void)
{
    return 1 + below(1 + below(1 + below(MAX)));
}

/* Whether a better set of this processor has the same kernel, and has been checked. */
static bool
checked_before(const bm_kernels *set, int kernel)
{
    for (size_t i = 0; i < bm_num_kernel_sets && &bm_kernel_sets[i] != set; i++) {
        const bm_kernels *other = &bm_kernel_sets[i];

        if ((other->needs & ~bm_cpu_features()) == 0 &&
            ((kernel == MUL && other->mont_mul == set->mont_mul) ||
             (kernel == SQR && other->mont_sqr == set->mont_sqr) ||
             (kernel == REDUCE && other->mont_reduce == set->mont_reduce) ||
             (kernel == MUL_LOW && other->mul_low == set->mul_low) ||
             (kernel == SQR_LOW && other->sqr_low == set->sqr_low)))
            return true;
    }
    return false;
}

/* Edge operands at every size, then random cases; the first failure's description, or NULL. */
static const char *
check_set(const bm_kernels *set, size_t cases)
{
    static char text[200];
    static numbers n;

    for (int kernel = 0; kernel < NUM_KERNELS; kernel++) {
        const char *wrong = NULL;

        if (checked_before(set, kernel))
            continue;
        for (size_t num = 1; num <= MAX && wrong == NULL; num += stride(num)) {
            for (size_t i = 0; i < NUM_SHAPES * (brief ? 1 : EDGE_ROUNDS) && wrong == NULL; i++) {
                choose_numbers(&n, kernel, num, i % NUM_SHAPES,
                               i < NUM_SHAPES ? i : below(NUM_SHAPES),
                               i < NUM_SHAPES ? i : below(NUM_SHAPES));
                if (i % 4 == 0 && !expected_agrees(&n, kernel))
                    wrong = "the twin differs from GMP";
                else
                    wrong = run_overlaps(set, kernel, &n);
            }
        }
        for (size_t i = 0; i < cases && wrong == NULL; i++) {
            choose_numbers(&n, kernel, random_size(), below(NUM_SHAPES), below(NUM_SHAPES),
                           below(NUM_SHAPES));
            if (i % 16 == 0 && !expected_agrees(&n, kernel))
                wrong = "the twin differs from GMP";
            else
                wrong =
                    run_case(set, kernel, &n, (unsigned)below(num_overlaps[kernel]), random64());
        }
        if (wrong != NULL) {
            snprintf(text, sizeof(text), "%s of %s %s at %zu limbs", kernel_names[kernel],
                     set->name, wrong, n.num);
            return text;
        }
    }
    return NULL;
}

/* ---- tests
 * --------------------------------------------------------------------------------------- */

/* The sets of this processor, aloud. */
static bool
available(const bm_kernels *set)
{
    bool yes = (set->needs & ~bm_cpu_features()) == 0;

    printf("kernels %s (needs %#x): %s\n", set->name, (unsigned)set->needs,
           yes ? "run" : "skipped, not on this processor");
    return yes;
}

static void
every_set_agrees_with_its_twin_and_gmp(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < bm_num_kernel_sets; i++) {
        const char *wrong =
            available(&bm_kernel_sets[i]) ? check_set(&bm_kernel_sets[i], num_cases) : NULL;

        if (wrong != NULL)
            fail_msg("%s", wrong);
    }
}

/* FAILURES.md row 4: 1,000 squarings, each compared with the twin, with a product, and with GMP. */
static void
squaring_chains_agree_at_every_step(void **unused)
{
    static const size_t sizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 23, 24, 32, 33, 48, 64};
    static numbers n;
    bm_limb scratch[BM_MONT_SCRATCH_LIMBS(MAX)], square[2 * MAX], z[MAX], p[MAX];

    (void)unused;
    for (size_t i = 0; i < bm_num_kernel_sets; i++) {
        const bm_kernels *set = &bm_kernel_sets[i];

        if ((set->needs & ~bm_cpu_features()) != 0)
            continue;
        for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
            const size_t num = sizes[k];

            choose_numbers(&n, SQR, num, k % NUM_SHAPES, 9, 9);
            for (int step = 0; step < (brief ? 50 : 1000); step++) {
                bm_mul(square, n.x, num, n.x, num);
                set->mont_sqr(z, n.x, n.m, n.n0, num, scratch);
                set->mont_mul(p, n.x, n.x, n.m, n.n0, num, scratch);
                assert_memory_equal(z, p, 8 * num);
                assert_true(gmp_agrees(z, square, n.m, num));
                memcpy(n.x, z, 8 * num);
            }
        }
    }
}

static void
gather_takes_the_entry_and_nothing_else(void **unused)
{
    guarded table = guarded_new(64 * 40), out = guarded_new(40);

    (void)unused;
    for (size_t i = 0; i < bm_num_kernel_sets; i++) {
        const bm_kernels *set = &bm_kernel_sets[i];

        if ((set->needs & ~bm_cpu_features()) != 0)
            continue;
        for (size_t num = 1; num <= 40; num++) {
            for (size_t count = 1; count <= 64; count = count < 4 ? count + 1 : 2 * count) {
                for (int at_end = 0; at_end < 2; at_end++) {
                    bm_limb *t = guarded_place(&table, num * count, at_end);
                    bm_limb *z = guarded_place(&out, num, !at_end);

                    fill_random(t, num * count);
                    for (size_t index = 0; index < count; index++) {
                        memset(z, 0x5A, 8 * num);
                        set->gather(z, t, num, count, index);
                        assert_memory_equal(z, t + index * num, 8 * num);
                    }
                    assert_true(guarded_intact(&table) && guarded_intact(&out));
                }
            }
        }
    }
    guarded_free(&table);
    guarded_free(&out);
}

/* What bm_exp and its kin need, guarded. */
typedef struct vector_case {
    size_t num, e_bits;
    bm_limb m[MAX], x[MAX], e[MAX];
    guarded memory, z, gx, ge;
    bm_modulus mod;
} vector_case;

static void
start_vector(vector_case *c, const bm_kernels *set, size_t num, bm_limb *scratch)
{
    bm_limb *memory = guarded_place(&c->memory, bm_modulus_limbs(set, num), random64() & 1);

    c->num = num;
    c->e_bits = 1 + below(below(8) == 0 ? 700 : 70);
    fill_modulus(c->m, num, below(NUM_SHAPES));
    fill_below(c->x, c->m, num, below(NUM_SHAPES));
    fill(c->e, BM_LIMBS_OF_BITS(c->e_bits), below(NUM_SHAPES));
    if (c->e_bits % 64 != 0)
        c->e[c->e_bits / 64] &= ((bm_limb)1 << (c->e_bits % 64)) - 1;
    if (below(8) == 0)
        memset(c->e, 0, sizeof(c->e)),
            c->e[0] = below(4) & (((bm_limb)1 << (c->e_bits < 2 ? 1 : 2)) - 1);
    assert_true(bm_modulus_init(&c->mod, set, c->m, num, memory, scratch));
    memcpy(guarded_place(&c->gx, num, random64() & 1), c->x, 8 * num);
    memcpy(guarded_place(&c->ge, BM_LIMBS_OF_BITS(c->e_bits), random64() & 1), c->e,
           8 * BM_LIMBS_OF_BITS(c->e_bits));
    memset(guarded_place(&c->z, num, random64() & 1), 0x5A, 8 * num);
}

static void
assert_power(const vector_case *c, size_t e_bits)
{
    mpz_t m, x, e, z;

    mpz_inits(m, x, e, z, NULL);
    mpz_import(m, c->num, -1, 8, 0, 0, c->m);
    mpz_import(x, c->num, -1, 8, 0, 0, c->x);
    mpz_import(e, BM_LIMBS_OF_BITS(e_bits), -1, 8, 0, 0, c->ge.data);
    mpz_powm(x, x, e, m);
    mpz_import(z, c->num, -1, 8, 0, 0, c->z.data);
    if (mpz_cmp(x, z) != 0)
        fail_msg("wrong power: %zu limbs, %zu bits of exponent", c->num, e_bits);
    mpz_clears(m, x, e, z, NULL);
    assert_true(guarded_intact(&c->memory) && guarded_intact(&c->z) && guarded_intact(&c->gx) &&
                guarded_intact(&c->ge));
}

/* FAILURES.md rows 3, 6, 9, 10, 13, 16: exponentiation by whatever the set has for the size. */
static void
exponentiation_agrees_with_gmp_at_every_size(void **unused)
{
    static vector_case c[2];
    const size_t rounds = num_cases / 20000 + 1;

    (void)unused;
    for (int i = 0; i < 2; i++)
        c[i] = (vector_case){.memory = guarded_new(16 * MAX + 256),
                             .z = guarded_new(MAX),
                             .gx = guarded_new(MAX),
                             .ge = guarded_new(MAX)};
    for (size_t i = 0; i < bm_num_kernel_sets; i++) {
        const bm_kernels *set = &bm_kernel_sets[i];
        size_t max_scratch = 2 * bm_scratch_limbs(set, MAX);
        guarded scratch;

        if ((set->needs & ~bm_cpu_features()) != 0)
            continue;
        scratch = guarded_new(max_scratch);
        for (size_t num = 1; num <= MAX;
             num += num >= 42 && num % 8 != 0 ? 8 - num % 8 : stride(num)) {
            size_t limbs = bm_scratch_limbs(set, num);
            bm_limb *s = guarded_place(&scratch, limbs, random64() & 1);

            assert_true(bm_modulus_limbs(set, num) <= 16 * MAX + 256);
            for (size_t k = 0; k < rounds; k++) {
                memset(s, k % 2 ? 0xA5 : 0xFF, 8 * limbs);
                start_vector(&c[0], set, num, s);
                memset(s, k % 2 ? 0xFF : 0xA5, 8 * limbs);
                bm_exp(c[0].z.data, c[0].gx.data, c[0].ge.data, c[0].e_bits, &c[0].mod, s);
                assert_power(&c[0], c[0].e_bits);
                memset(s, k % 2 ? 0xA5 : 0xFF, 8 * limbs);
                bm_exp_vartime(c[0].z.data, c[0].gx.data, c[0].ge.data, c[0].e_bits, &c[0].mod, s);
                assert_power(&c[0], c[0].e_bits);
                /* z is x */
                bm_exp(c[0].gx.data, c[0].gx.data, c[0].ge.data, c[0].e_bits, &c[0].mod, s);
                assert_memory_equal(c[0].gx.data, c[0].z.data, 8 * num);
                assert_true(guarded_intact(&scratch));
            }
            /* a pair of the same width, and of different ones */
            for (size_t k = 0; k < 2 * rounds; k++) {
                size_t other = k % 2 == 0 ? num : 1 + below(num), e_bits;

                start_vector(&c[0], set, num, s);
                start_vector(&c[1], set, other, s);
                e_bits = c[0].e_bits < c[1].e_bits ? c[0].e_bits : c[1].e_bits;
                for (int j = 0; j < 2; j++) { /* both exponents have e_bits bits */
                    bm_limb *e = guarded_place(&c[j].ge, BM_LIMBS_OF_BITS(e_bits), random64() & 1);

                    memcpy(e, c[j].e, 8 * BM_LIMBS_OF_BITS(e_bits));
                    if (e_bits % 64 != 0)
                        e[e_bits / 64] &= ((bm_limb)1 << (e_bits % 64)) - 1;
                }
                memset(s, k % 2 ? 0xA5 : 0xFF, 8 * limbs);
                bm_exp_pair((bm_exp_arg[2]){{c[0].z.data, c[0].gx.data, c[0].ge.data, &c[0].mod},
                                            {c[1].z.data, c[1].gx.data, c[1].ge.data, &c[1].mod}},
                            e_bits, s);
                assert_power(&c[0], e_bits);
                assert_power(&c[1], e_bits);
                assert_true(guarded_intact(&scratch));
            }
        }
        guarded_free(&scratch);
    }
}

/* ---- planted faults
 * ------------------------------------------------------------------------------ */

static void
loses_a_carry(bm_limb *z, const bm_limb *x, const bm_limb *y, const bm_limb *m, bm_limb n0,
              size_t num, bm_limb *scratch)
{
    bm_mul(scratch, x, num, y, num);
    if (scratch[2 * num - 1] ==
        ~(bm_limb)0 - 1) /* one product in 2^64, but edge operands make it */
        scratch[num] ^= 1;
    bm_mont_reduce_portable(z, scratch, m, n0, num);
}

static void
reads_past_its_input(bm_limb *z, const bm_limb *x, const bm_limb *y, const bm_limb *m, bm_limb n0,
                     size_t num, bm_limb *scratch)
{
    (void)*(const volatile bm_limb *)(x + num);
    bm_mont_mul_portable(z, x, y, m, n0, num, scratch);
}

static void
reads_before_the_modulus(bm_limb *z, const bm_limb *x, const bm_limb *y, const bm_limb *m,
                         bm_limb n0, size_t num, bm_limb *scratch)
{
    (void)*(const volatile bm_limb *)(m - 1);
    bm_mont_mul_portable(z, x, y, m, n0, num, scratch);
}

static void
writes_past_its_output(bm_limb *z, const bm_limb *x, const bm_limb *y, const bm_limb *m, bm_limb n0,
                       size_t num, bm_limb *scratch)
{
    bm_mont_mul_portable(z, x, y, m, n0, num, scratch);
    z[num] ^= 1;
}

static void
believes_scratch_is_zero(bm_limb *z, const bm_limb *x, const bm_limb *y, const bm_limb *m,
                         bm_limb n0, size_t num, bm_limb *scratch)
{
    bm_limb old = scratch[2 * num];

    bm_mont_mul_portable(z, x, y, m, n0, num, scratch);
    z[0] ^= old & 1;
}

static void
cannot_overlap(bm_limb *z, const bm_limb *x, const bm_limb *y, const bm_limb *m, bm_limb n0,
               size_t num, bm_limb *scratch)
{
    memset(z, 0, 8 * num);
    bm_mont_mul_portable(z, x, y, m, n0, num, scratch);
}

static void
changes_its_input(bm_limb *z, const bm_limb *x, const bm_limb *y, const bm_limb *m, bm_limb n0,
                  size_t num, bm_limb *scratch)
{
    bm_mont_mul_portable(z, x, y, m, n0, num, scratch);
    if (z != x && x != y)
        ((bm_limb *)(uintptr_t)x)[0] ^= 1;
}

static void
leaves_m_unsubtracted(bm_limb *z, bm_limb *t, const bm_limb *m, bm_limb n0, size_t num)
{
    bm_limb top = t[2 * num - 1];

    bm_mont_reduce_portable(z, t, m, n0, num);
    if (top == 0 && z[num - 1] == 0)
        bm_add(z, z, m, num);
}

static void
adds_to_a_limb_too_far(bm_limb *z, const bm_limb *x, const bm_limb *y, size_t num, bm_limb *scratch)
{
    bm_mul_low_portable(z, x, y, num, scratch);
    z[num] += x[num - 1];
}

static void
leaves_out_the_last_product(bm_limb *z, const bm_limb *x, size_t num, bm_limb *scratch)
{
    bm_sqr_low_portable(z, x, num, scratch);
    if (num > 1)
        z[num - 1] -= 2 * x[0] * x[num - 1];
}

static void
forgets_a_doubling(bm_limb *z, const bm_limb *x, const bm_limb *m, bm_limb n0, size_t num,
                   bm_limb *scratch)
{
    bm_mont_sqr_portable(z, x, m, n0, num, scratch);
    if (num == 8 && x[7] == ~(bm_limb)0)
        z[0] ^= 2;
}

static void
planted_faults_are_found(void **unused)
{
    const bm_kernels *portable = bm_kernels_find("portable", 0);
    bm_kernels planted[11];
    static const char *const names[] = {
        "loses_a_carry",          "reads_past_its_input",       "reads_before_the_modulus",
        "writes_past_its_output", "believes_scratch_is_zero",   "cannot_overlap",
        "changes_its_input",      "leaves_m_unsubtracted",      "forgets_a_doubling",
        "adds_to_a_limb_too_far", "leaves_out_the_last_product"};

    (void)unused;
    for (size_t i = 0; i < 11; i++) {
        planted[i] = *portable;
        planted[i].name = names[i];
    }
    planted[0].mont_mul = loses_a_carry;
    planted[1].mont_mul = reads_past_its_input;
    planted[2].mont_mul = reads_before_the_modulus;
    planted[3].mont_mul = writes_past_its_output;
    planted[4].mont_mul = believes_scratch_is_zero;
    planted[5].mont_mul = cannot_overlap;
    planted[6].mont_mul = changes_its_input;
    planted[7].mont_reduce = leaves_m_unsubtracted;
    planted[8].mont_sqr = forgets_a_doubling;
    planted[9].mul_low = adds_to_a_limb_too_far;
    planted[10].sqr_low = leaves_out_the_last_product;
    for (size_t i = 0; i < 11; i++) {
        pid_t child;
        int status = 0;

        fflush(NULL);
        child = fork();
        if (child == 0) {
            signal(SIGSEGV, SIG_DFL);
            signal(SIGBUS, SIG_DFL);
            _exit(check_set(&planted[i], 200) != NULL ? 3 : 0);
        }
        waitpid(child, &status, 0);
        printf("planted: %s: %s\n", names[i],
               WIFSIGNALED(status)        ? "found by a guard page"
               : WEXITSTATUS(status) == 3 ? "found"
                                          : "NOT FOUND");
        assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) == 3);
    }
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planted_faults_are_found),
        cmocka_unit_test(every_set_agrees_with_its_twin_and_gmp),
        cmocka_unit_test(squaring_chains_agree_at_every_step),
        cmocka_unit_test(gather_takes_the_entry_and_nothing_else),
        cmocka_unit_test(exponentiation_agrees_with_gmp_at_every_size),
    };

    if (argc > 1)
        num_cases = strcmp(argv[1], "long") == 0 ? 10000000 : strtoul(argv[1], NULL, 0);
    if (argc > 2)
        seed = strtoull(argv[2], NULL, 0);
    brief = num_cases < 1000;
    state = seed * 0x9e3779b97f4a7c15u | 1;
    gz = guarded_new(MAX);
    gx = guarded_new(MAX);
    gy = guarded_new(MAX);
    gm = guarded_new(MAX);
    gt = guarded_new(2 * MAX);
    gs = guarded_new(BM_MONT_SCRATCH_LIMBS(MAX));
    return cmocka_run_group_tests_name("kernels", tests, NULL, NULL);
}
