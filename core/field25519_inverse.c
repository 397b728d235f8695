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
 * and ends in f = +-gcd, g = 0. Steps depend on low bits alone: a batch of them is a matrix
 * 2^-62 [u v; q r] with |u| + |v| <= 2^62 and |q| + |r| <= 2^62, applied to the whole numbers (f,
 * g) and to (d, e), where f = d x and g = e x modulo p. Numbers are signed, in five limbs of 62
 * bits.
 */
#include "field25519_inverse.h"

#ifdef __SIZEOF_INT128__

typedef __int128 wide;

typedef struct number {
    int64_t v[5]; /* v[0..3] in [0, 2^62), v[4] signed */
} number;

typedef struct matrix {
    int64_t u, v, q, r;
} matrix;

#define MASK62 ((INT64_C(1) << 62) - 1)

/* p = -19 + 128 2^248 */
enum { P0 = -19, P4 = 128 };

/* 1/p mod 2^62 = -1/19 */
#define P_INVERSE INT64_C(0x39435e50d79435e5)

/* Arithmetic right shift, as every compiler that we know of does it. */
#define SHIFTED(x, n) ((x) >> (n))

static void
to_number(number *z, const bm_limb x[4])
{
    z->v[0] = (int64_t)(x[0] & MASK62);
    z->v[1] = (int64_t)((x[0] >> 62 | x[1] << 2) & MASK62);
    z->v[2] = (int64_t)((x[1] >> 60 | x[2] << 4) & MASK62);
    z->v[3] = (int64_t)((x[2] >> 58 | x[3] << 6) & MASK62);
    z->v[4] = (int64_t)(x[3] >> 56);
}

/* (f, g) = 2^-62 t (f, g), exactly */
static inline void
apply(number *f, number *g, const matrix *t)
{
    wide cf = (wide)t->u * f->v[0] + (wide)t->v * g->v[0];
    wide cg = (wide)t->q * f->v[0] + (wide)t->r * g->v[0];

#pragma GCC unroll 4
    for (int i = 1; i < 5; i++) {
        const int64_t fi = f->v[i], gi = g->v[i];

        cf = SHIFTED(cf, 62) + (wide)t->u * fi + (wide)t->v * gi;
        cg = SHIFTED(cg, 62) + (wide)t->q * fi + (wide)t->r * gi;
        f->v[i - 1] = (int64_t)cf & MASK62;
        g->v[i - 1] = (int64_t)cg & MASK62;
    }
    f->v[4] = (int64_t)SHIFTED(cf, 62);
    g->v[4] = (int64_t)SHIFTED(cg, 62);
}

/*
 * (d, e) = 2^-62 t (d, e) mod p. [d, e in (-2 p, p)] before and after: a negative one counts as
 * itself + p, so that t (d, e) lies within 2^62 p, and less than 2^62 p is subtracted to clear the
 * low 62 bits.
 */
static inline void
apply_mod(number *d, number *e, const matrix *t)
{
    const int64_t sd = SHIFTED(d->v[4], 63), se = SHIFTED(e->v[4], 63);
    wide cd = (wide)t->u * d->v[0] + (wide)t->v * e->v[0];
    wide ce = (wide)t->q * d->v[0] + (wide)t->r * e->v[0];
    int64_t md = (t->u & sd) + (t->v & se); /* the multiples of p */
    int64_t me = (t->q & sd) + (t->r & se);

    md -= (int64_t)(((uint64_t)P_INVERSE * (uint64_t)cd + (uint64_t)md) & MASK62);
    me -= (int64_t)(((uint64_t)P_INVERSE * (uint64_t)ce + (uint64_t)me) & MASK62);
    cd += (wide)P0 * md;
    ce += (wide)P0 * me;
#pragma GCC unroll 4
    for (int i = 1; i < 5; i++) {
        const int64_t di = d->v[i], ei = e->v[i];

        cd = SHIFTED(cd, 62) + (wide)t->u * di + (wide)t->v * ei;
        ce = SHIFTED(ce, 62) + (wide)t->q * di + (wide)t->r * ei;
        if (i == 4) {
            cd += (wide)P4 * md;
            ce += (wide)P4 * me;
        }
        d->v[i - 1] = (int64_t)cd & MASK62;
        e->v[i - 1] = (int64_t)ce & MASK62;
    }
    d->v[4] = (int64_t)SHIFTED(cd, 62);
    e->v[4] = (int64_t)SHIFTED(ce, 62);
}

/* d += p where mask is all ones; carries left. */
static void
add_p(number *d, int64_t mask)
{
    d->v[0] += P0 & mask;
    d->v[4] += P4 & mask;
}

static void
carry(number *d)
{
    for (int i = 0; i < 4; i++) {
        d->v[i + 1] += SHIFTED(d->v[i], 62);
        d->v[i] &= MASK62;
    }
}

/* z = d, or -d where f is negative, modulo p: canonical. d in (-2 p, p). */
static void
finish(bm_limb z[4], number *d, const number *f)
{
    const int64_t negate = SHIFTED(f->v[4], 63);

    add_p(d, SHIFTED(d->v[4], 63)); /* [in (-p, p)] */
    for (int i = 0; i < 5; i++)
        d->v[i] = (d->v[i] ^ negate) - negate;
    carry(d);
    add_p(d, SHIFTED(d->v[4], 63)); /* [in [0, p)] */
    carry(d);
    z[0] = (bm_limb)d->v[0] | (bm_limb)d->v[1] << 62;
    z[1] = (bm_limb)d->v[1] >> 2 | (bm_limb)d->v[2] << 60;
    z[2] = (bm_limb)d->v[2] >> 4 | (bm_limb)d->v[3] << 58;
    z[3] = (bm_limb)d->v[3] >> 6 | (bm_limb)d->v[4] << 56;
}

/* ---- constant time -------------------------------------------------------------------------- */

/*
 * Twenty steps act on two words that carry their row of the matrix along: f + 2^41 u + 2^62 v, of
 * which the low 20 bits of f are enough. A step halves, so that the row of 2^-20 [u v; q r] stands
 * at 2^21 and 2^42 in the end; |u| + |v| <= 2^20 then, and f has not left +-2^20. [(f + g) before
 * it is halved stays below 2^63: a row (q, r) with |q| = 0 has |r| = 1]
 */
enum { BLOCK = 20, BATCHES = 10, BLOCKS = 3 }; /* 600 steps */

#ifdef BM_ASM_AMD64
#define divsteps20 bm_divsteps20_amd64
#else
#define divsteps20 bm_divsteps20_portable
#endif

void
bm_divsteps20_portable(uint64_t *pf, uint64_t *pg, int64_t *pzeta)
{
    uint64_t f = *pf, g = *pg, zeta = (uint64_t)*pzeta;

    for (int i = 0; i < BLOCK; i++) {
        const uint64_t positive = bm_mask_bit(zeta >> 63).bits; /* delta > 0 */
        const uint64_t odd = bm_mask_bit(g & 1).bits;
        const uint64_t swap = positive & odd;
        const uint64_t sum = g + (((f ^ positive) - positive) & odd);

        f ^= (f ^ g) & swap;
        g = (uint64_t)SHIFTED((int64_t)sum, 1);
        zeta = (zeta ^ swap) - 1;
    }
    *pf = f;
    *pg = g;
    *pzeta = (int64_t)zeta;
}

/* Takes a row out of a word after 20 steps. u = 2^20 occurs (nothing happened to f), u = -2^20 does
 * not. */
static void
unpack(int64_t *u, int64_t *v, uint64_t word)
{
    const int64_t one = 1;
    const int64_t t = SHIFTED((int64_t)word + (one << BLOCK), BLOCK + 1) + (one << BLOCK) - 1;

    *u = (t & ((one << (BLOCK + 1)) - 1)) - (one << BLOCK) + 1;
    *v = SHIFTED(t, BLOCK + 1);
}

/* 60 steps from the low limbs, as a matrix of 2^62; the new zeta. */
static int64_t
divsteps60(matrix *t, int64_t zeta, uint64_t f, uint64_t g)
{
    const uint64_t low = (UINT64_C(1) << BLOCK) - 1;

    *t = (matrix){4, 0, 0, 4};
#pragma GCC unroll 3
    for (int i = 0; i < BLOCKS; i++) {
        uint64_t pf = (f & low) + (UINT64_C(1) << 41), pg = (g & low) + (UINT64_C(1) << 62);
        const uint64_t old_f = f;
        const matrix s = *t;
        matrix b;

        divsteps20(&pf, &pg, &zeta);
        unpack(&b.u, &b.v, pf);
        unpack(&b.q, &b.r, pg);
        /* of f and g, the low 42 bits and 22 bits are right after one block and two */
        f = ((uint64_t)b.u * f + (uint64_t)b.v * g) >> BLOCK;
        g = ((uint64_t)b.q * old_f + (uint64_t)b.r * g) >> BLOCK;
        *t = (matrix){b.u * s.u + b.v * s.q, b.u * s.v + b.v * s.r, b.q * s.u + b.r * s.q,
                      b.q * s.v + b.r * s.r};
    }
    return zeta;
}

void
bm_f25519_inv(bm_limb z[4], const bm_limb x[4])
{
    number f = {{P0, 0, 0, 0, P4}}, g, d = {{0}}, e = {{1}};
    int64_t zeta = -1; /* delta = 1/2 */
    matrix t;

    to_number(&g, x);
    for (int i = 0; i < BATCHES; i++) {
        /* [f_0 + 2^62 f_1 is p for f = (-19, ...): the low limb may be negative at first] */
        zeta = divsteps60(&t, zeta, (uint64_t)f.v[0], (uint64_t)g.v[0]);
        apply_mod(&d, &e, &t);
        apply(&f, &g, &t);
    }
    finish(z, &d, &f);
    bm_wipe(&f, sizeof(f));
    bm_wipe(&g, sizeof(g));
    bm_wipe(&d, sizeof(d));
    bm_wipe(&e, sizeof(e));
    bm_wipe(&t, sizeof(t));
}

/* ---- variable time -------------------------------------------------------------------------- */

/* 62 steps, taking zeros of g and up to 6 low bits of it at once; eta = -delta, rounded towards it.
 */
static int64_t
divsteps62_vartime(matrix *t, int64_t eta, uint64_t f, uint64_t g)
{
    uint64_t u = 1, v = 0, q = 0, r = 1;
    int left = 62;

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
    *t = (matrix){(int64_t)u, (int64_t)v, (int64_t)q, (int64_t)r};
    return eta;
}

void
bm_f25519_inv_vartime(bm_limb z[4], const bm_limb x[4])
{
    number f = {{P0, 0, 0, 0, P4}}, g, d = {{0}}, e = {{1}};
    int64_t eta = -1;
    matrix t;

    to_number(&g, x);
    while ((g.v[0] | g.v[1] | g.v[2] | g.v[3] | g.v[4]) != 0) {
        eta = divsteps62_vartime(&t, eta, (uint64_t)f.v[0], (uint64_t)g.v[0]);
        apply_mod(&d, &e, &t);
        apply(&f, &g, &t);
    }
    finish(z, &d, &f);
}

#endif
