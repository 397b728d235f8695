/*
 * Inverses and greatest common divisors in constant time, by division steps: Bernstein and Yang,
 * "Fast constant-time gcd computation and modular inversion" (2019), 62 steps at a time.
 *
 * f and g are signed, in two's complement of num + 1 limbs, |f|, |g| < 2^(64 num) and f odd. A step
 * is (delta, f, g) -> (1 - delta, g, (g - f) / 2) for an odd g and delta > 0, else
 * (1 + delta, f, (g + (g mod 2) f) / 2). It depends on the low bits alone, so 62 steps become a
 * matrix that is then applied to the whole numbers.
 */
#include "bigmod.h"
#include "wide.h"

#include <string.h>

enum { STEPS = 62 };

/* 2^62 (f', g') = (uf + vg, qf + rg): two's complement, |u| + |v| and |q| + |r| at most 2^62. */
typedef struct matrix {
    bm_limb u, v, q, r;
} matrix;

/* Steps after which g = 0, for numbers of that many bits (Theorem 11.2). */
static size_t
num_steps(size_t bits)
{
    return (49 * bits + (bits < 46 ? 80 : 57)) / 17;
}

/* x, or -x where negate is true. */
static bm_limb
cond_negate(bm_limb x, bm_mask negate)
{
    return (x ^ negate.bits) - negate.bits;
}

/* 62 steps on the low limbs f and g; the new delta. */
static bm_limb
divsteps(matrix *t, bm_limb delta, bm_limb f, bm_limb g)
{
    bm_limb u = 1, v = 0, q = 0, r = 1;

    for (int i = 0; i < STEPS; i++) {
        bm_mask positive = bm_mask_bit((0 - delta) >> 63);
        bm_mask odd = bm_mask_bit(g & 1);
        bm_mask swap = {positive.bits & odd.bits};

        g += cond_negate(f, positive) & odd.bits; /* g - f or g + f */
        q += cond_negate(u, positive) & odd.bits;
        r += cond_negate(v, positive) & odd.bits;
        f += g & swap.bits; /* f + (g - f), the old g */
        u += q & swap.bits;
        v += r & swap.bits;
        delta = cond_negate(delta, swap) + 1;
        g >>= 1;
        u <<= 1;
        v <<= 1;
    }
    *t = (matrix){u, v, q, r};
    return delta;
}

/* z = a x + b y for signed a, b, over num limbs of two's complement. */
static void
combine(bm_limb *z, bm_limb a, const bm_limb *x, bm_limb b, const bm_limb *y, size_t num)
{
    memset(z, 0, num * sizeof(*z));
    bm_mul_add_row(z, x, a, num);
    bm_mul_add_row(z, y, b, num);
    bm_cond_sub(z + 1, x, bm_mask_bit(a >> 63), num - 1); /* a = (a mod 2^64) - 2^64 */
    bm_cond_sub(z + 1, y, bm_mask_bit(b >> 63), num - 1);
}

/* z = x / 2^62, signed. */
static void
shift_steps(bm_limb *z, const bm_limb *x, size_t num)
{
    bm_limb sign = bm_mask_bit(x[num - 1] >> 63).bits;

    for (size_t i = 0; i < num; i++)
        z[i] = x[i] >> STEPS | (i + 1 < num ? x[i + 1] : sign) << (64 - STEPS);
}

/* (f, g) = t (f, g) / 2^62; tmp of 2 num limbs. */
static void
update_fg(bm_limb *f, bm_limb *g, const matrix *t, size_t num, bm_limb *tmp)
{
    combine(tmp, t->u, f, t->v, g, num);
    combine(tmp + num, t->q, f, t->r, g, num);
    shift_steps(f, tmp, num);
    shift_steps(g, tmp + num, num);
}

/*
 * z = x / 2^62 mod m, 0 <= z < m, for |x| < 2^62 m of num + 1 limbs: a multiple of m makes x a
 * multiple of 2^62.
 */
static void
shift_mod(bm_limb *z, bm_limb *x, const bm_limb *m, bm_limb n0, size_t num)
{
    bm_limb k = (x[0] * n0) & (((bm_limb)1 << STEPS) - 1);
    bm_limb borrow;

    x[num] += bm_mul_add_row(x, m, k, num);
    shift_steps(z, x, num + 1); /* -m < z < 2 m */
    z[num] += bm_cond_add(z, m, bm_mask_bit(z[num] >> 63), num);
    borrow = bm_cond_sub(z, m, bm_mask_of(true), num);
    z[num] -= borrow;
    z[num] += bm_cond_add(z, m, bm_mask_bit(z[num] >> 63), num);
}

/* What the loop works on: num + 1 limbs each; d and e only where an inverse is wanted. */
typedef struct state {
    bm_limb *f, *g, *d, *e, *tmp;
} state;

/*
 * Divides until g = 0: f is then the gcd or its negative, with d x = f mod m. f = m odd, g = x at
 * the start. Where d is NULL the gcd alone is found. vartime stops as soon as g = 0.
 */
static void
divide_all(state *s, const bm_limb *x, const bm_limb *m, size_t num, bool vartime)
{
    const size_t width = num + 1, bits = BM_LIMB_BITS * num;
    const bm_limb n0 = 0 - bm_inverse_limb(m[0]);
    bm_limb delta = 1;

    memcpy(s->f, m, num * sizeof(*m));
    memcpy(s->g, x, num * sizeof(*x));
    s->f[num] = s->g[num] = 0;
    if (s->d != NULL) {
        memset(s->d, 0, width * sizeof(*x));
        memset(s->e, 0, width * sizeof(*x));
        s->e[0] = 1; /* [f = d x and g = e x mod m; 0 <= d, e < m] */
    }
    for (size_t done = 0; done < num_steps(bits); done += STEPS) {
        matrix t;

        if (vartime && bm_declassify(bm_is_zero(s->g, width), "the caller says: public"))
            break;
        delta = divsteps(&t, delta, s->f[0], s->g[0]);
        update_fg(s->f, s->g, &t, width, s->tmp);
        if (s->d != NULL) {
            combine(s->tmp, t.u, s->d, t.v, s->e, width);
            combine(s->tmp + width, t.q, s->d, t.r, s->e, width);
            shift_mod(s->d, s->tmp, m, n0, num);
            shift_mod(s->e, s->tmp + width, m, n0, num);
        }
    }
}

/* z = |f| */
static void
absolute(bm_limb *z, const bm_limb *f, size_t num)
{
    bm_mask negative = bm_mask_bit(f[num] >> 63);
    bm_limb carry = negative.bits & 1;

    for (size_t i = 0; i < num; i++)
        z[i] = bm_addc(f[i] ^ negative.bits, 0, &carry);
}

size_t
bm_inverse_scratch_limbs(size_t num)
{
    return 8 * (num + 1);
}

/* z = 1/x mod m for odd m; z = 0 and false when there is none. z may be x or m. */
static bm_mask
inverse_odd(bm_limb *z, const bm_limb *x, const bm_limb *m, size_t num, bool vartime,
            bm_limb *scratch)
{
    const size_t width = num + 1;
    state s = {scratch, scratch + width, scratch + 2 * width, scratch + 3 * width,
               scratch + 4 * width};
    bm_limb *negated = s.g;
    bm_mask unit, some, negative;

    divide_all(&s, x, m, num, vartime);
    negative = bm_mask_bit(s.f[num] >> 63);
    bm_sub(negated, m, s.d, num); /* f = -1: z = -d, and d = 0 modulo 1 alone */
    absolute(s.f, s.f, num);
    unit = bm_is_one(s.f, num);
    some = bm_mask_and(unit, bm_mask_not(bm_is_one(m, num)));
    for (size_t i = 0; i < num; i++)
        z[i] = bm_select(negative, negated[i], s.d[i]) & some.bits;
    return unit;
}

void
bm_divide_odd(bm_limb *z, bm_limb *t, const bm_limb *x, size_t num)
{
    const bm_limb n0 = 0 - bm_inverse_limb(x[0]);
    bm_limb borrow = 0;

    for (size_t i = 0; i < num; i++) { /* t + z x = 0 in the limbs up to i */
        z[i] = t[i] * n0;
        bm_mul_add_row(t + i, x, z[i], num - i);
    }
    for (size_t i = 0; i < num; i++)
        z[i] = bm_subb(0, z[i], &borrow);
}

/*
 * 1/x mod m for even m and odd x: with s = -1/m mod x, x divides 1 + m s, and (1 + m s)/x is the
 * inverse. It is below m, so the division may drop what is above num limbs.
 */
static bm_mask
inverse_even(bm_limb *z, const bm_limb *x, const bm_limb *m, size_t num, bool vartime,
             bm_limb *scratch)
{
    bm_limb *s = scratch, *t = s + num;
    bm_mask one;

    one = inverse_odd(t, m, x, num, vartime, scratch + 2 * num);
    bm_sub(s, x, t, num);
    for (size_t i = 0; i < num; i++)
        s[i] &= bm_mask_not(bm_is_one(x, num)).bits; /* everything is 0 modulo 1 */
    memset(t, 0, num * sizeof(*t));
    t[0] = 1;
    for (size_t i = 0; i < num; i++)
        bm_mul_add_row(t + i, m, s[i], num - i);
    bm_divide_odd(s, t, x, num);
    for (size_t i = 0; i < num; i++)
        z[i] = s[i] & one.bits;
    return one;
}

static bm_mask
inverse(bm_limb *z, const bm_limb *x, const bm_limb *m, size_t num, bool vartime, bm_limb *scratch)
{
    if (bm_declassify(bm_is_odd(m, num), "whether a modulus is even is public"))
        return inverse_odd(z, x, m, num, vartime, scratch);
    if (bm_declassify(bm_is_odd(x, num), "both even: there is no inverse, which is public"))
        return inverse_even(z, x, m, num, vartime, scratch);
    memset(z, 0, num * sizeof(*z));
    return bm_mask_of(false);
}

bm_mask
bm_inverse(bm_limb *z, const bm_limb *x, const bm_limb *m, size_t num, bm_limb *scratch)
{
    return inverse(z, x, m, num, false, scratch);
}

bool
bm_inverse_vartime(bm_limb *z, const bm_limb *x, const bm_limb *m, size_t num, bm_limb *scratch)
{
    return bm_declassify(inverse(z, x, m, num, true, scratch), "operands are public");
}

/* z = x / 2^shift where right, else x 2^shift mod 2^(64 num), for a secret shift below 64 num. */
static void
shift_secret(bm_limb *z, bm_limb shift, bool right, size_t num, bm_limb *tmp)
{
    for (size_t step = 1; step < BM_LIMB_BITS * num; step *= 2) {
        bm_mask move = bm_mask_not(bm_mask_zero(shift & step));
        size_t limbs = step / BM_LIMB_BITS, bits = step % BM_LIMB_BITS;

        for (size_t i = 0; i < num; i++) {
            /* the limbs that the new limb i is made of */
            size_t near = right ? i + limbs : i - limbs, far = right ? near + 1 : near - 1;
            bm_limb low = near < num ? z[near] : 0, high = far < num ? z[far] : 0;

            if (right)
                tmp[i] = bits == 0 ? low : low >> bits | high << (BM_LIMB_BITS - bits);
            else
                tmp[i] = bits == 0 ? low : low << bits | high >> (BM_LIMB_BITS - bits);
        }
        bm_cond_select(z, move, tmp, z, num);
    }
}

/* The number of zero bits below the lowest one of x; 64 num for 0. */
static bm_limb
trailing_zeros(const bm_limb *x, size_t num)
{
    bm_mask seeking = bm_mask_of(true);
    bm_limb count = 0;

    for (size_t i = 0; i < BM_LIMB_BITS * num; i++) {
        bm_mask zero = bm_mask_bit(1 ^ ((x[i / BM_LIMB_BITS] >> (i % BM_LIMB_BITS)) & 1));

        seeking = bm_mask_and(seeking, zero);
        count += seeking.bits & 1;
    }
    return count;
}

void
bm_gcd(bm_limb *z, const bm_limb *x, const bm_limb *y, size_t num, bm_limb *scratch)
{
    const size_t width = num + 1;
    state s = {.f = scratch, .g = scratch + width, .tmp = scratch + 2 * width};
    bm_limb *a = scratch + 4 * width, *b = a + num;
    bm_limb twos_x = trailing_zeros(x, num), twos_y = trailing_zeros(y, num);
    bm_limb twos = bm_select(bm_mask_lt(twos_x, twos_y), twos_x, twos_y);
    /* 2^twos leaves both; a is then made odd. Where both are 0, so is the gcd: a = 1 is a stand-in.
     */
    bm_mask none = bm_mask_eq(twos, BM_LIMB_BITS * num);

    twos &= bm_mask_not(none).bits;
    memcpy(a, x, num * sizeof(*a));
    memcpy(b, y, num * sizeof(*b));
    shift_secret(a, twos, true, num, s.tmp);
    shift_secret(b, twos, true, num, s.tmp);
    bm_cond_swap(a, b, bm_mask_not(bm_is_odd(a, num)), num);
    a[0] |= none.bits & 1;
    divide_all(&s, b, a, num, false);
    absolute(z, s.f, num);
    z[0] &= ~none.bits;
    shift_secret(z, twos, false, num, s.tmp);
}
