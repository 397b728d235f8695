/*
 * The algorithm of asm/amd64/rows_ifma.h at a small word size, exhaustively: digits of w bits in
 * vectors of few lanes, the same rows, seed, shifted modulus, doubled operands and mask carries,
 * for every modulus, every operand within the bounds, product and square. What is a claim there is
 * checked here: the result's value and range, digits below 2^w, lanes below the stated bound, no
 * carry lost.
 *
 * Runs on any machine. FAILURES.md rows 1, 6: all of the carries that can happen do happen.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>

enum { MAX_LANES = 8 };

/* w: bits of a digit; digits: K; lanes: of a vector; total: lanes of all vectors, at least K. */
typedef struct shape {
    unsigned w, digits, lanes, total;
} shape;

typedef struct number {
    uint64_t d[MAX_LANES];
} number;

static uint64_t passed_on; /* carries that went through a digit of all ones: must not stay zero */

static uint64_t
low(const shape *s, uint64_t x)
{
    return x & (((uint64_t)1 << s->w) - 1);
}

/* vpmadd52luq and vpmadd52huq of one lane: only w bits of each factor are looked at. */
static uint64_t
madd_lo(const shape *s, uint64_t acc, uint64_t x, uint64_t y)
{
    return acc + low(s, low(s, x) * low(s, y));
}

static uint64_t
madd_hi(const shape *s, uint64_t acc, uint64_t x, uint64_t y)
{
    return acc + (low(s, x) * low(s, y) >> s->w);
}

static number
digits_of(const shape *s, uint64_t x)
{
    number z = {{0}};

    for (unsigned j = 0; j < s->digits; j++, x >>= s->w)
        z.d[j] = low(s, x);
    return z;
}

static uint64_t
value_of(const shape *s, const number *x)
{
    uint64_t v = 0;

    for (unsigned j = s->total; j-- > 0;)
        v = (v << s->w) + x->d[j];
    return v;
}

static void
expect(int holds, const char *what)
{
    if (!holds)
        fail_msg("%s", what);
}

/* One pass, then the carries by masks: `carry` of rows_ifma.h. */
static void
normalise(const shape *s, number *t)
{
    const uint64_t ones = low(s, ~(uint64_t)0);
    uint64_t g = 0, e = 0, take, below = 0;

    for (unsigned j = 0; j < s->total; j++) {
        uint64_t this = t->d[j] >> s->w;

        t->d[j] = low(s, t->d[j]) + below;
        below = this;
    }
    expect(below == 0, "nothing leaves the top");
    for (unsigned j = 0; j < s->total; j++) {
        expect(t->d[j] < 2 * (ones + 1), "one bit over at most after the pass");
        g |= (uint64_t)(t->d[j] > ones) << j;
        e |= (uint64_t)(t->d[j] == ones) << j;
    }
    take = (2 * g + e) ^ e;
    passed_on += (take & e) != 0;
    for (unsigned j = 0; j < s->total; j++)
        t->d[j] = low(s, t->d[j] + ((take >> j) & 1));
}

/* 2 A with no carry into lane 0 of vector 1: `double_operand`. */
static number
doubled(const shape *s, const number *a)
{
    number z = *a;

    for (unsigned j = s->lanes; j < s->total; j++) {
        z.d[j] = low(s, 2 * a->d[j]);
        if (j > s->lanes)
            z.d[j] |= a->d[j - 1] >> (s->w - 1);
    }
    return z;
}

/* a b / 2^(w K) mod n, or a^2 / 2^(w K) with the squaring's operands: almost_montgomery. */
static number
almost_montgomery(const shape *s, const number *a, const number *b, const number *n, uint64_t k0,
                  int square)
{
    const uint64_t seed = low(s, ~(uint64_t)0);
    number operand = square ? doubled(s, a) : *a, t;
    unsigned block = 0;

    for (unsigned j = 0; j < s->total; j++)
        t.d[j] = madd_lo(s, j == 0 ? seed : 0, operand.d[j], b->d[0]);
    for (unsigned i = 0; i < s->digits; i++) {
        const int last = i + 1 == s->digits, edge = square && !last && (i + 1) % s->lanes == 0;
        const uint64_t m = madd_lo(s, k0, t.d[0], k0), carry = t.d[0] >> s->w;
        number next;

        for (unsigned j = 0; j < s->total; j++) {
            uint64_t x = j == 0 && !last ? seed : 0, above = j + 1 < s->total ? t.d[j + 1] : 0;

            if (!square || j / s->lanes >= block)
                x = madd_hi(s, x, operand.d[j], b->d[i]);
            if (edge && j / s->lanes == block + 1)
                operand.d[j] = a->d[j];
            if (edge && j == (block + 2) * s->lanes)
                operand.d[j] &= ~(uint64_t)1;
            if (!last && (!square || j / s->lanes >= block + (edge ? 1 : 0)))
                x = madd_lo(s, x, operand.d[j], b->d[i + 1]);
            x = madd_lo(s, x, j + 1 < s->total ? n->d[j + 1] : 0, m);
            next.d[j] = madd_hi(s, x + above + (j == 0 ? carry : 0), n->d[j], m);
            expect(next.d[j] < ((4 * (uint64_t)s->digits + 2) << s->w),
                   "lanes stay below the bound");
        }
        t = next;
        block += edge;
    }
    normalise(s, &t);
    return t;
}

static void
check(const shape *s, uint64_t n, uint64_t k0, uint64_t a, uint64_t b, int square)
{
    const number an = digits_of(s, a), bn = digits_of(s, b), nn = digits_of(s, n);
    const number z = almost_montgomery(s, &an, &bn, &nn, k0, square);
    const uint64_t v = value_of(s, &z);
    uint64_t back = v; /* times 2^(w K) */

    expect(v < 2 * n, "the result is below 2 n");
    for (unsigned i = 0; i < s->digits; i++)
        back = (back << s->w) % n;
    expect(back == a % n * (b % n) % n, "the result is the Montgomery product");
    expect(b >= n || 2 * v < 3 * n + 2, "a product with b < n is below 1.5 n");
}

static uint64_t
minus_inverse(const shape *s, uint64_t n)
{
    uint64_t k0 = 1;

    while (low(s, n * k0 + 1) != 0)
        k0++;
    return k0;
}

/*
 * Every n_step-th odd n with 4 n <= 2^(w K), from the largest down; every a_step-th and b_step-th
 * operand below 2 n.
 */
static void
exhaust_products(const shape *s, uint64_t n_step, uint64_t a_step, uint64_t b_step)
{
    const uint64_t r = (uint64_t)1 << (s->w * s->digits);

    for (uint64_t n = r / 4 - 1; n >= 3 && n < r; n -= 2 * n_step) {
        const uint64_t k0 = minus_inverse(s, n);

        for (uint64_t a = 0; a < 2 * n; a += a_step) {
            for (uint64_t b = 0; b < 2 * n; b += b_step)
                check(s, n, k0, a, b, 0);
        }
    }
}

/* The same for squares, every a_step-th operand. */
static void
exhaust_squares(const shape *s, uint64_t n_step, uint64_t a_step)
{
    const uint64_t r = (uint64_t)1 << (s->w * s->digits);

    for (uint64_t n = r / 4 - 1; n >= 3 && n < r; n -= 2 * n_step) {
        const uint64_t k0 = minus_inverse(s, n);

        for (uint64_t a = 0; a < 2 * n; a += a_step)
            check(s, n, k0, a, a, 1);
        check(s, n, k0, 2 * n - 1, 2 * n - 1, 1);
    }
}

/* [4 K + 2 <= 2^w, as with w = 52: what a lane carries is less than a digit] */
static void
every_small_product_is_right(void **state)
{
    (void)state;
    passed_on = 0;
    exhaust_products(&(shape){.w = 4, .digits = 2, .lanes = 1, .total = 2}, 1, 1, 1);
    exhaust_products(&(shape){.w = 4, .digits = 2, .lanes = 2, .total = 4}, 1, 1, 1);
    exhaust_products(&(shape){.w = 4, .digits = 3, .lanes = 2, .total = 4}, 200, 1, 1);
    exhaust_products(&(shape){.w = 5, .digits = 4, .lanes = 2, .total = 4}, 50021, 509, 127);
    printf("%llu carries passed on\n", (unsigned long long)passed_on);
    assert_true(passed_on > 0);
}

static void
every_small_square_is_right(void **state)
{
    (void)state;
    passed_on = 0;
    exhaust_squares(&(shape){.w = 4, .digits = 2, .lanes = 1, .total = 2}, 1, 1);
    exhaust_squares(&(shape){.w = 4, .digits = 3, .lanes = 1, .total = 3}, 1, 1);
    exhaust_squares(&(shape){.w = 4, .digits = 3, .lanes = 2, .total = 4}, 1, 1);
    exhaust_squares(&(shape){.w = 5, .digits = 4, .lanes = 1, .total = 4}, 20011, 1);
    exhaust_squares(&(shape){.w = 5, .digits = 4, .lanes = 2, .total = 4}, 20011, 1);
    exhaust_squares(&(shape){.w = 5, .digits = 5, .lanes = 2, .total = 6}, 1000003, 37);
    exhaust_squares(&(shape){.w = 5, .digits = 6, .lanes = 2, .total = 6}, 20000003, 1009);
    printf("%llu carries passed on\n", (unsigned long long)passed_on);
    assert_true(passed_on > 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_small_product_is_right),
        cmocka_unit_test(every_small_square_is_right),
    };

    return cmocka_run_group_tests_name("ifma-model", tests, NULL, NULL);
}
