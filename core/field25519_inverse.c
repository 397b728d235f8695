/*
 * Inverses modulo p = 2^255 - 19 by division steps: D. J. Bernstein and B.-Y. Yang, "Fast
 * constant-time gcd computation and modular inversion" (2019), in the variant that starts from
 * delta = 1/2, for which 590 steps are enough below 2^256 (P. Wuille, safegcd-bounds, 2021).
 *
 * A step on an odd f and any g is
 *
 *     delta > 0 and g odd:  delta, f, g = 1 - delta, g, (g - f) / 2
 *     else:                 delta, f, g = 1 + delta, f, (g + (g mod 2) f) / 2
 *
 * and ends in f = +-gcd, g = 0. Steps depend on low bits alone: a batch of n of them is a matrix
 * 2^-n [u v; q r] with |u| + |v| <= 2^n and |q| + |r| <= 2^n, applied to the whole numbers (f, g)
 * and to (d, e), where f = d x and g = e x modulo p.
 *
 * Numbers are signed, in five digits of 61 bits, kept four times as large; matrices are kept for
 * 2^-61 and twice as large. A digit of a product then ends where a word ends: the low word is twice
 * the new digit as it is kept, the high word is the carry. [4 2^61 < 2^63 and 2 2^61 < 2^63]
 */
#include "field25519_inverse.h"

#ifdef __SIZEOF_INT128__

typedef __int128 wide;

enum { DIGITS = 5, DIGIT_BITS = 61, TOP_BITS = 255 - 4 * DIGIT_BITS };

/* 1/19 mod 2^64 */
#define INVERSE_19 UINT64_C(0x86bca1af286bca1b)

/* Arithmetic right shift, as every compiler that we know of does it. */
#define SHIFTED(x, n) ((x) >> (n))

/* f = p = 2^11 2^244 - 19, g = x, (d, e) = (0, 1) */
static inline void
start(bm_divsteps *s, const bm_limb x[4])
{
    const bm_limb mask = (UINT64_C(1) << DIGIT_BITS) - 1;

    for (int i = 0; i < DIGITS; i++)
        s->f[i] = s->d[i] = s->e[i] = 0;
    s->f[0] = -19 * 4;
    s->f[4] = 4 << TOP_BITS;
    s->e[0] = 4;
    s->g[0] = (int64_t)((x[0] & mask) << 2);
    s->g[1] = (int64_t)(((x[0] >> 61 | x[1] << 3) & mask) << 2);
    s->g[2] = (int64_t)(((x[1] >> 58 | x[2] << 6) & mask) << 2);
    s->g[3] = (int64_t)(((x[2] >> 55 | x[3] << 9) & mask) << 2);
    s->g[4] = (int64_t)(x[3] >> 52 << 2);
}

/* The low word of a sum of products as a digit. */
static inline int64_t
digit(wide c)
{
    return (int64_t)((uint64_t)c >> 1);
}

/* (f, g) = t (f, g), exactly */
static inline void
apply(bm_divsteps *s)
{
    const int64_t u = s->t[0], v = s->t[1], q = s->t[2], r = s->t[3];
    wide cf = (wide)u * s->f[0] + (wide)v * s->g[0];
    wide cg = (wide)q * s->f[0] + (wide)r * s->g[0];

#pragma GCC unroll 4
    for (int i = 1; i < DIGITS; i++) {
        const int64_t f = s->f[i], g = s->g[i];

        cf = SHIFTED(cf, 64) * 8 + (wide)u * f + (wide)v * g;
        cg = SHIFTED(cg, 64) * 8 + (wide)q * f + (wide)r * g;
        s->f[i - 1] = digit(cf);
        s->g[i - 1] = digit(cg);
    }
    s->f[4] = (int64_t)SHIFTED(cf, 64) * 4;
    s->g[4] = (int64_t)SHIFTED(cg, 64) * 4;
}

/*
 * (d, e) = t (d, e) mod p, where multiples of p clear the low digits of the sums: a digit is 19 m
 * modulo 2^61, so that m p = m 2^255 - 19 m takes it away. [|d|, |e| grow by less than p, as a row
 * of t has |u| + |v| <= 2^61: they are within 10 p after ten batches]
 */
typedef struct row {
    wide c;     /* the sum, from the digit at hand on */
    uint64_t m; /* 8 m */
} row;

/* the low digit of a d + b e */
static inline row
row_begin(int64_t a, int64_t b, int64_t d, int64_t e)
{
    row x = {(wide)a * d + (wide)b * e, 0};

    x.m = INVERSE_19 * (uint64_t)x.c;
    /* [the low words are equal] */
    x.c = SHIFTED(x.c, 64) - (wide)(uint64_t)(((unsigned __int128)x.m * 19) >> 64);
    return x;
}

/* z = the digit below; a d + b e for the one at hand */
static inline void
row_digit(row *x, int64_t *z, int i, int64_t a, int64_t b, int64_t d, int64_t e)
{
    x->c = x->c * 8 + (wide)a * d + (wide)b * e;
    if (i == 4)
        x->c += (wide)x->m << TOP_BITS;
    *z = digit(x->c);
    x->c = SHIFTED(x->c, 64);
}

static inline void
apply_mod(bm_divsteps *s)
{
    const int64_t u = s->t[0], v = s->t[1], q = s->t[2], r = s->t[3];
    row x = row_begin(u, v, s->d[0], s->e[0]), y = row_begin(q, r, s->d[0], s->e[0]);

#pragma GCC unroll 4
    for (int i = 1; i < DIGITS; i++) {
        const int64_t d = s->d[i], e = s->e[i];

        row_digit(&x, &s->d[i - 1], i, u, v, d, e);
        row_digit(&y, &s->e[i - 1], i, q, r, d, e);
    }
    s->d[4] = (int64_t)x.c * 4;
    s->e[4] = (int64_t)y.c * 4;
}

/* The same of d alone, the last time. */
static inline void
apply_mod_last(bm_divsteps *s)
{
    row x = row_begin(s->t[0], s->t[1], s->d[0], s->e[0]);

#pragma GCC unroll 4
    for (int i = 1; i < DIGITS; i++)
        row_digit(&x, &s->d[i - 1], i, s->t[0], s->t[1], s->d[i], s->e[i]);
    s->d[4] = (int64_t)x.c * 4;
}

/* z += y, in five words */
static inline void
add_word(uint64_t z[5], int64_t y)
{
    const uint64_t sign = (uint64_t)SHIFTED(y, 63);
    unsigned __int128 sum = (unsigned __int128)z[0] + (uint64_t)y;

    z[0] = (uint64_t)sum;
#pragma GCC unroll 4
    for (int i = 1; i < 5; i++) {
        sum = (sum >> 64) + z[i] + sign;
        z[i] = (uint64_t)sum;
    }
}

/* z = d, or -d where f is negative, modulo p: canonical. d within 15 p. */
static inline void
finish(bm_limb z[4], const bm_divsteps *s)
{
    const uint64_t low63 = UINT64_MAX >> 1;
    const uint64_t negate = 0 - ((uint64_t)s->f[0] >> (DIGIT_BITS + 1) & 1); /* f = +-1, or d = 0 */
    const uint64_t d0 = (uint64_t)s->d[0] >> 2, d1 = (uint64_t)s->d[1] >> 2,
                   d2 = (uint64_t)s->d[2] >> 2, d3 = (uint64_t)s->d[3] >> 2;
    const int64_t d4 = SHIFTED(s->d[4], 2);
    uint64_t w[5] = {d0 | d1 << 61, d1 >> 3 | d2 << 58, d2 >> 6 | d3 << 55,
                     d3 >> 9 | (uint64_t)d4 << 52, (uint64_t)SHIFTED(d4, 12)};
    int64_t beyond;

    /* w = +-d + 16 p: -d is ~d + 1 */
    for (int i = 0; i < 5; i++)
        w[i] ^= negate;
    w[4] += 8;
    add_word(w, (int64_t)(negate & 1) - 19 * 16);
    /* [w is in (p, 31 p); 2^255 = 19: w in [0, 2^255 + 19 * 31)] and 19 more */
    beyond = (int64_t)(w[4] << 1 | w[3] >> 63);
    w[3] &= low63;
    w[4] = 0;
    add_word(w, 19 * (beyond + 1));
    /* w - 19 - p has lost bit 255 where w - 19 >= p, otherwise w - 19 is it */
    add_word(w, -(int64_t)(19 & ((w[3] >> 63) - 1)));
    z[0] = w[0];
    z[1] = w[1];
    z[2] = w[2];
    z[3] = w[3] & low63;
}

/* ---- constant time -------------------------------------------------------------------------- */

/*
 * n <= 20 steps act on two words that carry their row of the matrix along: f + 2^(2 n + 1) u + 2^(3
 * n + 2) v, of which the low n bits of f are enough. A step halves, so that the row of 2^-n [u v; q
 * r] stands at 2^(n + 1) and 2^(2 n + 2) in the end; |u| + |v| <= 2^n then, and f has not left
 * +-2^n. [(f + g) before it is halved stays below 2^63: a row (q, r) with |q| = 0 has |r| = 1]
 */
enum { BLOCK = 20, BATCH = 59, BATCHES = 10 }; /* 590 steps */

/* Takes a row out of a word after n steps. u = 2^n occurs (nothing happened to f), u = -2^n does
 * not. */
static inline void
unpack(int64_t *u, int64_t *v, uint64_t word, int n)
{
    const int64_t one = 1;
    const int64_t t = SHIFTED((int64_t)word + (one << n), n + 1) + (one << n) - 1;

    *u = (t & ((one << (n + 1)) - 1)) - (one << n) + 1;
    *v = SHIFTED(t, n + 1);
}

/* n steps from the low bits of f and g, as a matrix of 2^n; the new zeta = -(delta + 1/2). */
static inline int64_t
divsteps(int64_t t[4], int64_t old_zeta, uint64_t old_f, uint64_t old_g, int n)
{
    const uint64_t one = 1, low = (one << n) - 1;
    uint64_t f = (old_f & low) + (one << (2 * n + 1)), g = (old_g & low) + (one << (3 * n + 2));
    uint64_t zeta = (uint64_t)old_zeta;

    for (int i = 0; i < n; i++) {
        const uint64_t positive = bm_mask_bit(zeta >> 63).bits; /* delta > 0 */
        const uint64_t odd = bm_mask_bit(g & 1).bits;
        const uint64_t swap = positive & odd;
        const uint64_t sum = g + (((f ^ positive) - positive) & odd);

        f ^= (f ^ g) & swap;
        g = (uint64_t)SHIFTED((int64_t)sum, 1);
        zeta = (zeta ^ swap) - 1;
    }
    unpack(&t[0], &t[1], f, n);
    unpack(&t[2], &t[3], g, n);
    return (int64_t)zeta;
}

/* 59 steps from the low digits, as a matrix of 2^62; the new zeta. */
static int64_t
divsteps59(bm_divsteps *s, int64_t zeta)
{
    const int64_t scale = INT64_C(1) << (DIGIT_BITS + 1 - BATCH);
    uint64_t f = (uint64_t)s->f[0] >> 2, g = (uint64_t)s->g[0] >> 2;
    int64_t *t = s->t;

    t[0] = t[3] = scale;
    t[1] = t[2] = 0;
#pragma GCC unroll 3
    for (int i = 0; i < 3; i++) {
        const int n = i == 2 ? BATCH - 2 * BLOCK : BLOCK;
        const int64_t u = t[0], v = t[1], q = t[2], r = t[3];
        const uint64_t old_f = f;
        int64_t b[4];

        zeta = divsteps(b, zeta, f, g, n);
        /* of f and g, the low 41 bits and 21 bits are right after one block and two */
        f = ((uint64_t)b[0] * f + (uint64_t)b[1] * g) >> n;
        g = ((uint64_t)b[2] * old_f + (uint64_t)b[3] * g) >> n;
        t[0] = b[0] * u + b[1] * q;
        t[1] = b[0] * v + b[1] * r;
        t[2] = b[2] * u + b[3] * q;
        t[3] = b[2] * v + b[3] * r;
    }
    return zeta;
}

void
bm_divsteps_portable(bm_divsteps *s)
{
    int64_t zeta = divsteps59(s, -1); /* delta = 1/2 */

    for (int i = 1; i < BATCHES; i++) {
        apply(s);
        apply_mod(s);
        zeta = divsteps59(s, zeta);
    }
    apply(s);
}

#ifdef BM_ASM_AMD64
#define divsteps590 bm_divsteps_amd64
#else
#define divsteps590 bm_divsteps_portable
#endif

void
bm_f25519_inv(bm_limb z[4], const bm_limb x[4])
{
    bm_divsteps s;

    start(&s, x);
    divsteps590(&s);
    apply_mod_last(&s);
    finish(z, &s);
    bm_wipe(&s, sizeof(s));
}

/* ---- variable time -------------------------------------------------------------------------- */

#ifdef BM_ASM_AMD64

/* The kernel takes less time than branches that the processor has not seen before. */
void
bm_f25519_inv_vartime(bm_limb z[4], const bm_limb x[4])
{
    bm_f25519_inv(z, x);
}

#else

/* 61 steps, taking zeros of g and up to 6 low bits of it at once; eta = -delta, rounded towards it.
 */
static int64_t
divsteps61_vartime(bm_divsteps *s, int64_t eta)
{
    uint64_t f = (uint64_t)s->f[0] >> 2, g = (uint64_t)s->g[0] >> 2;
    uint64_t u = 1, v = 0, q = 0, r = 1;
    int left = DIGIT_BITS;

    for (;;) {
        const int zeros = __builtin_ctzll(g | UINT64_C(1) << left);
        uint64_t w;
        int limit;

        g >>= zeros;
        u <<= zeros;
        v <<= zeros;
        eta -= zeros;
        left -= zeros;
        if (left == 0)
            break;
        if (eta < 0) {
            /* f, g = g, -f: from here on g + w f is divided */
            uint64_t swap;

            eta = -eta;
            swap = f, f = g, g = 0 - swap;
            swap = u, u = q, q = 0 - swap;
            swap = v, v = r, r = 0 - swap;
        }
        /* w = -g / f modulo 2^limit clears as many bits; no exchange happens among eta + 1 steps */
        limit = eta + 1 > left ? left : (int)eta + 1;
        if (limit > 6)
            limit = 6;
        w = f * (f * f - 2); /* -1/f mod 2^6 */
        w = (w * g) & ((UINT64_C(1) << limit) - 1);
        g += f * w;
        q += u * w;
        r += v * w;
    }
    s->t[0] = (int64_t)u * 2;
    s->t[1] = (int64_t)v * 2;
    s->t[2] = (int64_t)q * 2;
    s->t[3] = (int64_t)r * 2;
    return eta;
}

void
bm_f25519_inv_vartime(bm_limb z[4], const bm_limb x[4])
{
    int64_t eta = -1; /* delta = 1: 741 steps are enough below 2^256, 13 batches */
    bm_divsteps s;

    start(&s, x);
    while ((s.g[0] | s.g[1] | s.g[2] | s.g[3] | s.g[4]) != 0) {
        eta = divsteps61_vartime(&s, eta);
        apply(&s);
        apply_mod(&s);
    }
    finish(z, &s);
}

#endif

#endif
