/*
 * The algorithms of asm/amd64/rows_ifma.h and of asm/amd64/bm_exp_ifma.S at a small word size,
 * exhaustively: digits of w bits in vectors of few lanes, the same rows, seeds, shifted modulus,
 * doubled products and mask carries, for every modulus, every operand within the bounds, product
 * and square. What is a claim there is checked here: the result's value and range, digits below
 * 2^w, lanes below the stated bound, no carry lost.
 *
 * Runs on any machine. FAILURES.md rows 1, 6: all of the carries that can happen do happen.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>

enum { MAX_LANES = 10 };

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

/* ---- digits dealt out over vectors: bm_exp_ifma.S -----------------------------------------------
 */

enum { MAX_VECTORS = 5 };

/* P and D of one stream, [register][lane]; s->lanes L, s->total / L vectors. */
typedef struct dealt {
    uint64_t p[MAX_VECTORS][MAX_LANES], d[MAX_VECTORS][MAX_LANES];
} dealt;

static unsigned
vectors_of(const shape *s)
{
    return s->total / s->lanes;
}

/* Digit `lane` of vector v; beyond the top, zero. */
static uint64_t
dealt_digit(const shape *s, const number *x, unsigned v, unsigned lane)
{
    return lane < s->lanes ? x->d[lane * vectors_of(s) + v] : 0;
}

/* How often row i counts products with vector v: `times`. */
static unsigned
times(const shape *s, unsigned i, unsigned v, int square)
{
    const unsigned vectors = vectors_of(s), distance = (v + vectors - i % vectors) % vectors;

    if (i == s->digits)
        return 0;
    if (!square || (distance > 0 && distance <= (vectors - 1) / 2))
        return 2;
    if (distance == 0)
        return 1;
    return 2 * distance == vectors && i % vectors < vectors / 2 ? 2 : 0;
}

/* The carries at the end: `carry_step`, with the bits that are ignored left in place as there. */
static number
carry_lanes(const shape *s, uint64_t t[MAX_VECTORS][MAX_LANES])
{
    const uint64_t ones = low(s, ~(uint64_t)0);
    const unsigned vectors = vectors_of(s);
    uint64_t g = 0, e = 0, take;
    number z = {{0}};

    for (unsigned v = 0; v + 1 < vectors; v++) {
        for (unsigned l = 0; l < s->lanes; l++)
            t[v + 1][l] += t[v][l] >> s->w;
    }
    expect(t[vectors - 1][s->lanes - 1] <= ones, "nothing leaves the top");
    for (unsigned l = 0; l < s->lanes; l++) {
        t[0][l] = low(s, t[0][l]) + (l > 0 ? t[vectors - 1][l - 1] >> s->w : 0);
        expect(t[0][l] <= 2 * ones, "one bit over at most after the pass");
    }
    for (unsigned l = 0; l < s->lanes; l++) {
        int pass = 1;

        for (unsigned v = 1; v < vectors; v++) {
            t[v][l] = low(s, t[v][l]);
            pass &= t[v][l] == ones;
        }
        g |= (uint64_t)(pass && t[0][l] > ones) << l;
        e |= (uint64_t)(pass && t[0][l] == ones) << l;
    }
    take = (2 * g + e) ^ e;
    passed_on += (take & e) != 0;
    for (unsigned l = 0; l < s->lanes; l++) {
        t[0][l] += (take >> l) & 1;
        for (unsigned v = 0; v < vectors; v++) {
            if (v + 1 < vectors)
                t[v + 1][l] += t[v][l] >> s->w;
            z.d[l * vectors + v] = low(s, t[v][l]);
        }
    }
    return z;
}

/* lo(A b_0) of all vectors: `begin`, but for the seeds. */
static void
begin(const shape *s, dealt *t, const number *a, const number *b, int square)
{
    for (unsigned v = 0; v < vectors_of(s); v++) {
        uint64_t *to = square && times(s, 0, v, square) == 1 ? t->p[v] : t->d[v];

        for (unsigned l = 0; l < s->lanes && times(s, 0, v, square) != 0; l++)
            to[l] = madd_lo(s, to[l], dealt_digit(s, a, v, l), b->d[0]);
    }
}

/* hi(A_v b_i) + lo(A_v b_{i+1}) of one lane to p or d: `multiply`. */
static void
multiply(const shape *s, uint64_t *p, uint64_t *d, const number *a, const number *b, unsigned i,
         unsigned v, unsigned l, int square)
{
    const uint64_t al = dealt_digit(s, a, v, l);
    const unsigned hi = times(s, i, v, square), lo = times(s, i + 1, v, square);

    if (hi != 0)
        *(hi == 1 ? p : d) = madd_hi(s, hi == 1 ? *p : *d, al, b->d[i]);
    if (lo != 0)
        *(lo == 1 ? p : d) = madd_lo(s, lo == 1 ? *p : *d, al, b->d[i + 1]);
}

/* `sum`, after the last row, and the carries. */
static number
sum_up(const shape *s, const dealt *t, uint64_t weight)
{
    const unsigned vectors = vectors_of(s);
    uint64_t sum[MAX_VECTORS][MAX_LANES];

    for (unsigned v = 0; v < vectors; v++) {
        const unsigned r = (v + s->digits) % vectors;

        for (unsigned l = 0; l < s->lanes; l++)
            sum[v][l] = t->p[r][l] + (v > 0 ? weight * t->d[r][l] : 0);
    }
    return carry_lanes(s, sum);
}

/* `begin`, K of `row`, `sum` and the carries; needs K >= V + 2. */
static number
dealt_montgomery(const shape *s, const number *a, const number *b, const number *n, uint64_t k0,
                 int square)
{
    const unsigned vectors = vectors_of(s), digits = s->digits;
    const uint64_t half_seed = square ? ((uint64_t)1 << (s->w - 1)) - 1 : low(s, ~(uint64_t)1);
    const uint64_t weight = square ? 2 : 1; /* of D */
    const uint64_t bound = (uint64_t)(4 * digits + 2 * vectors + 2) << s->w;
    uint64_t m, carry[2] = {0, 1}; /* the carry's lanes 0 and 1 */
    dealt t = {{{0}}, {{0}}};

    for (unsigned v = 0; v < vectors; v++) {
        t.p[v][0] = 1;
        t.d[v][0] = half_seed;
    }
    begin(s, &t, a, b, square);
    t.p[0][1] += 1;
    for (unsigned l = 0; l < s->lanes; l++)
        t.p[0][l] += weight * t.d[0][l];
    m = madd_lo(s, k0, t.p[0][0], k0);
    carry[0] = t.p[0][0] >> s->w;

    for (unsigned i = 0; i < digits; i++) {
        for (unsigned v = 0; v < vectors; v++) {
            uint64_t *p = t.p[(v + i + 1) % vectors], *d = t.d[(v + i + 1) % vectors];

            if (v == vectors - 1) { /* which was vector 0 */
                for (unsigned l = 0; l < s->lanes; l++) {
                    p[l] = l + 1 < s->lanes ? p[l + 1] : 0;
                    d[l] = l == 0 && i + vectors < digits ? half_seed : 0;
                }
            }
            for (unsigned l = 0; l < s->lanes; l++) {
                const uint64_t n_above =
                    v + 1 < vectors ? dealt_digit(s, n, v + 1, l) : dealt_digit(s, n, 0, l + 1);

                multiply(s, &p[l], &d[l], a, b, i, v, l, square);
                p[l] = madd_lo(s, p[l], n_above, m);
                p[l] = madd_hi(s, p[l], dealt_digit(s, n, v, l), m);
                if (v == 0)
                    p[l] += weight * d[l] + (l < 2 ? carry[l] : 0);
                expect(p[l] + (v == 0 ? 0 : weight * d[l]) < bound, "lanes stay below the bound");
            }
        }
        if (i + 1 < digits) {
            const uint64_t *t0 = t.p[(i + 1) % vectors];

            m = madd_lo(s, k0, t0[0], k0);
            carry[0] = t0[0] >> s->w;
            carry[1] = i + 2 + vectors < digits;
        }
    }
    return sum_up(s, &t, weight);
}

/* The same by n = -1 mod 2^w, with N1 = (n + 1) / 2^w. */
static number
friendly_montgomery(const shape *s, const number *a, const number *b, const number *n, uint64_t k0,
                    int square)
{
    const unsigned vectors = vectors_of(s), digits = s->digits;
    const number n1 = digits_of(s, (value_of(s, n) + 1) >> s->w);
    const uint64_t weight = square ? 2 : 1;
    const uint64_t bound = (uint64_t)(4 * digits + 2 * vectors + 2) << s->w;
    uint64_t m, before = 0, carry;
    dealt t = {{{0}}, {{0}}};

    expect(k0 == 1, "the modulus is friendly");
    begin(s, &t, a, b, square);
    for (unsigned l = 0; l < s->lanes; l++)
        t.p[0][l] += weight * t.d[0][l];
    m = t.p[0][0];
    carry = m >> s->w;

    for (unsigned i = 0; i < digits; i++) {
        for (unsigned v = 0; v < vectors; v++) {
            uint64_t *p = t.p[(v + i + 1) % vectors], *d = t.d[(v + i + 1) % vectors];

            if (v == vectors - 1) {
                for (unsigned l = 0; l < s->lanes; l++) {
                    p[l] = l + 1 < s->lanes ? p[l + 1] : 0;
                    d[l] = 0;
                }
            }
            for (unsigned l = 0; l < s->lanes; l++) {
                uint64_t below = 0; /* the digit of N1 below */

                if (v > 0)
                    below = dealt_digit(s, &n1, v - 1, l);
                else if (l > 0)
                    below = dealt_digit(s, &n1, vectors - 1, l - 1);
                multiply(s, &p[l], &d[l], a, b, i, v, l, square);
                p[l] = madd_lo(s, p[l], dealt_digit(s, &n1, v, l), m);
                p[l] = madd_hi(s, p[l], dealt_digit(s, &n1, v, l), before);
                if (i + 1 == digits)
                    p[l] = madd_hi(s, p[l], below, m);
                if (v == 0)
                    p[l] += weight * d[l] + (l == 0 ? carry : 0);
                expect(p[l] + (v == 0 ? 0 : weight * d[l]) < bound, "lanes stay below the bound");
            }
        }
        before = m;
        m = t.p[(i + 1) % vectors][0];
        carry = m >> s->w;
    }
    return sum_up(s, &t, weight);
}

/* ---- exhaustion
 * ----------------------------------------------------------------------------------- */

/* Of rows_ifma.h or, `dealt` out or also `friendly`, of bm_exp_ifma.S. */
typedef number product_fn(const shape *s, const number *a, const number *b, const number *n,
                          uint64_t k0, int square);

static product_fn *montgomery;

static uint64_t
times_mod(uint64_t a, uint64_t b, uint64_t n)
{
    uint64_t z = 0;

    if (n >> 32 == 0)
        return a % n * (b % n) % n;
    for (int i = 63; i >= 0; i--)
        z = (2 * z + ((b >> i & 1) ? a % n : 0)) % n;
    return z;
}

static void
check(const shape *s, uint64_t n, uint64_t k0, uint64_t a, uint64_t b, int square)
{
    const number an = digits_of(s, a), bn = digits_of(s, b), nn = digits_of(s, n);
    const number z = montgomery(s, &an, &bn, &nn, k0, square);
    const uint64_t v = value_of(s, &z);
    uint64_t back = v; /* times 2^(w K) */

    expect(v < 2 * n, "the result is below 2 n");
    for (unsigned i = 0; i < s->digits; i++)
        back = (back << s->w) % n;
    expect(back == times_mod(a, b, n), "the result is the Montgomery product");
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
    montgomery = almost_montgomery;
    exhaust_products(&(shape){.w = 4, .digits = 2, .lanes = 1, .total = 2}, 1, 1, 1);
    exhaust_products(&(shape){.w = 4, .digits = 2, .lanes = 2, .total = 4}, 1, 1, 1);
    exhaust_products(&(shape){.w = 4, .digits = 3, .lanes = 2, .total = 4}, 200, 1, 1);
    exhaust_products(&(shape){.w = 5, .digits = 4, .lanes = 2, .total = 4}, 50021, 509, 1021);
    printf("%llu carries passed on\n", (unsigned long long)passed_on);
    assert_true(passed_on > 0);
}

static void
every_small_square_is_right(void **state)
{
    (void)state;
    passed_on = 0;
    montgomery = almost_montgomery;
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

/*
 * Products with R mod n, which give a back, for numbers a = 2^i + j that have runs of zero digits:
 * those come of carries that many digits pass on.
 */
static void
exhaust_runs(const shape *s, uint64_t n_step, uint64_t most)
{
    const uint64_t r = (uint64_t)1 << (s->w * s->digits);

    for (uint64_t n = r / 4 - 1; n > r / 8 && n < r; n -= 2 * n_step) {
        const uint64_t k0 = minus_inverse(s, n);

        for (unsigned i = 0; (uint64_t)1 << i < n; i++) {
            for (uint64_t j = 0; j < most; j++)
                check(s, n, k0, ((uint64_t)1 << i) + j * j, r % n, 0);
        }
    }
}

/* [4 K + 2 V + 3 <= 2^w, as with w = 52] */
static void
every_small_dealt_product_is_right(void **state)
{
    (void)state;
    passed_on = 0;
    montgomery = dealt_montgomery;
    exhaust_products(&(shape){.w = 5, .digits = 4, .lanes = 2, .total = 4}, 50021, 509, 1021);
    exhaust_products(&(shape){.w = 5, .digits = 5, .lanes = 3, .total = 6}, 1000003, 20011, 30011);
    exhaust_products(&(shape){.w = 5, .digits = 5, .lanes = 2, .total = 6}, 1000003, 20011, 30011);
    exhaust_products(&(shape){.w = 6, .digits = 6, .lanes = 2, .total = 8}, 4000000007, 90000049,
                     170000009);
    exhaust_runs(&(shape){.w = 6, .digits = 7, .lanes = 4, .total = 8}, 20000000089, 100);
    exhaust_runs(&(shape){.w = 6, .digits = 8, .lanes = 4, .total = 8}, 2000000000003, 100);
    printf("%llu carries passed on\n", (unsigned long long)passed_on);
    assert_true(passed_on > 0);
}

static void
every_small_dealt_square_is_right(void **state)
{
    (void)state;
    montgomery = dealt_montgomery;
    exhaust_squares(&(shape){.w = 5, .digits = 4, .lanes = 2, .total = 4}, 200003, 1);
    exhaust_squares(&(shape){.w = 5, .digits = 5, .lanes = 3, .total = 6}, 1000003, 1031);
    exhaust_squares(&(shape){.w = 5, .digits = 5, .lanes = 2, .total = 6}, 1000003, 1031);
    exhaust_squares(&(shape){.w = 6, .digits = 6, .lanes = 2, .total = 8}, 1000000007, 5000011);
    exhaust_squares(&(shape){.w = 6, .digits = 8, .lanes = 2, .total = 8}, 5000000000009,
                    5000000029);
    exhaust_squares(&(shape){.w = 6, .digits = 7, .lanes = 2, .total = 10}, 100000000003,
                    1000000007);
}

/* The steps keep n = -1 mod 2^w. */
static void
every_small_friendly_product_is_right(void **state)
{
    (void)state;
    passed_on = 0;
    montgomery = friendly_montgomery;
    exhaust_products(&(shape){.w = 5, .digits = 4, .lanes = 2, .total = 4}, 16 * 1021, 509, 1021);
    exhaust_products(&(shape){.w = 5, .digits = 5, .lanes = 3, .total = 6}, 16 * 50021, 20011,
                     30011);
    exhaust_products(&(shape){.w = 5, .digits = 5, .lanes = 2, .total = 6}, 16 * 50021, 20011,
                     30011);
    exhaust_products(&(shape){.w = 6, .digits = 6, .lanes = 2, .total = 8},
                     (uint64_t)32 * 125000003, 90000049, 170000009);
    exhaust_runs(&(shape){.w = 6, .digits = 7, .lanes = 4, .total = 8}, (uint64_t)32 * 600000001,
                 100);
    printf("%llu carries passed on\n", (unsigned long long)passed_on);
    assert_true(passed_on > 0);
}

static void
every_small_friendly_square_is_right(void **state)
{
    (void)state;
    montgomery = friendly_montgomery;
    exhaust_squares(&(shape){.w = 5, .digits = 4, .lanes = 2, .total = 4}, 16 * 4093, 1);
    exhaust_squares(&(shape){.w = 5, .digits = 5, .lanes = 3, .total = 6}, 16 * 50021, 1031);
    exhaust_squares(&(shape){.w = 5, .digits = 5, .lanes = 2, .total = 6}, 16 * 50021, 1031);
    exhaust_squares(&(shape){.w = 6, .digits = 6, .lanes = 2, .total = 8}, 32 * 31250003, 5000011);
    exhaust_squares(&(shape){.w = 6, .digits = 7, .lanes = 2, .total = 10},
                    (uint64_t)32 * 3000000019, 1000000007);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_small_product_is_right),
        cmocka_unit_test(every_small_square_is_right),
        cmocka_unit_test(every_small_dealt_product_is_right),
        cmocka_unit_test(every_small_dealt_square_is_right),
        cmocka_unit_test(every_small_friendly_product_is_right),
        cmocka_unit_test(every_small_friendly_square_is_right),
    };

    return cmocka_run_group_tests_name("ifma-model", tests, NULL, NULL);
}
