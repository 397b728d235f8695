/*
 * Primes: uniform odd candidates, constant-time trial division, and Miller-Rabin with random bases,
 * two candidates or two bases in each pair of exponentiations (FIPS 186-5, A.1.3 and B.3.1).
 *
 * The search stops working on a candidate as soon as it is known to be composite; for one that
 * turns out prime, time depends on its length alone.
 */
#include "prime.h"
#include "kernels.h"
#include "wide.h"

#include <string.h>

enum {
    GROUPS = 4,          /* products that are divided by at once */
    POOL_CANDIDATES = 8, /* worth of random limbs in one draw */
    MIN_SQUARINGS = 16,  /* of Miller-Rabin, for primes */
    TRIES = 40,          /* candidates a bit and prime, after which the search fails */
    BASE_TRIES = 8,
};

/* ---- trial division -------------------------------------------------------------------------- */

/*
 * The small odd primes, in groups whose product fits a limb. The table is a sequence of groups,
 * each [product, 1/product mod 2^64, count] and then count times [1/p mod 2^64, floor((2^64-1)/p)];
 * it ends with product 0. The number of groups is a multiple of GROUPS.
 */

/* Trial divisors for candidates of that many bits lie below this: more costs more than it saves. */
static size_t
trial_limit(size_t bits)
{
    return bits > 8192 ? 65536 : bits < 256 ? 2048 : 8 * bits;
}

/*
 * More limbs than the table takes, with the sieve that it is made from: 309 primes in 45 groups
 * below 2048, 6541 in 1640 below 65536.
 */
static size_t
trial_limbs(size_t bits)
{
    return trial_limit(bits) / 2 + 128;
}

/* The sieve of Eratosthenes over odd numbers: composite[i] tells of 2 i + 1. */
static void
sieve(uint8_t *composite, size_t limit)
{
    memset(composite, 0, limit / 2);
    for (size_t p = 3; p * p < limit; p += 2)
        if (!composite[p / 2])
            for (size_t i = p * p / 2; i < limit / 2; i += p)
                composite[i] = 1;
}

static void
make_trial(bm_limb *table, size_t bits)
{
    const size_t limit = trial_limit(bits);
    /* The sieve stands at the end of the table's room, and is read before the table reaches it. */
    uint8_t *composite = (uint8_t *)(table + trial_limbs(bits)) - limit / 2;
    size_t p = 3, groups = 0;

    sieve(composite, limit);
    while (p < limit || groups % GROUPS != 0) {
        bm_limb *head = table, product = 1;

        table += 3;
        head[2] = 0;
        for (; p < limit && product <= UINT64_MAX / p; p += 2) {
            if (composite[p / 2])
                continue;
            product *= p;
            *table++ = bm_inverse_limb(p);
            *table++ = UINT64_MAX / p;
            head[2]++;
        }
        head[0] = product;
        head[1] = bm_inverse_limb(product);
        groups++;
    }
    table[0] = 0;
}

/*
 * Whether a small prime divides x. For each group, exact division from the low limb up leaves c
 * with c 2^(64 num) = -x mod product (Jebelean's bidirectional exact division, the low half); p
 * divides c when c/p mod 2^64 does not exceed (2^64-1)/p (Granlund and Montgomery 1994, section 9).
 */
static bool
has_small_factor(const bm_limb *x, size_t num, const bm_limb *table)
{
    while (table[0] != 0) {
        const bm_limb *group[GROUPS];
        bm_limb c[GROUPS] = {0}, prime = UINT64_MAX;

        for (int j = 0; j < GROUPS; j++) {
            group[j] = table;
            table += 3 + 2 * table[2];
        }
        for (size_t i = 0; i < num; i++)
            for (int j = 0; j < GROUPS; j++) {
                bm_limb borrow = 0, digit = bm_subb(x[i], c[j], &borrow), hi;

                bm_mul_wide(&hi, digit * group[j][1], group[j][0]);
                c[j] = hi + borrow;
            }
        for (int j = 0; j < GROUPS; j++)
            for (const bm_limb *p = group[j] + 3; p < group[j] + 3 + 2 * group[j][2]; p += 2)
                prime &= bm_mask_lt(p[1], c[j] * p[0]).bits;
        if (!bm_declassify((bm_mask){prime}, "a composite is thrown away"))
            return true;
    }
    return false;
}

/* ---- Miller-Rabin ---------------------------------------------------------------------------- */

/* A number w under test. */
typedef struct candidate {
    bm_modulus w;
    bm_limb *odd;             /* w - 1 = 2^twos odd */
    bm_limb *base;            /* of the next round */
    bm_limb *one, *minus_one; /* in Montgomery form */
    bm_limb twos;
} candidate;

static size_t
candidate_limbs(const bm_kernels *kernels, size_t num)
{
    return bm_modulus_limbs(kernels, num) + 4 * num;
}

/* Sets up w; false where it is no modulus. */
static bool
candidate_init(candidate *c, const bm_kernels *kernels, const bm_limb *w, size_t num,
               bm_limb *memory, bm_limb *scratch)
{
    bm_mask seeking = bm_mask_of(true);

    if (!bm_modulus_init(&c->w, kernels, w, num, memory, scratch))
        return false;
    memory += bm_modulus_limbs(kernels, num);
    c->odd = memory;
    c->base = memory + num;
    c->one = memory + 2 * num;
    c->minus_one = memory + 3 * num;
    bm_from_mont(c->one, c->w.rr, &c->w, scratch);
    bm_sub(c->minus_one, w, c->one, num);

    /* One place at a time, while there are twos to take out; 64 of them or more are not random. */
    memcpy(c->odd, w, num * sizeof(*w));
    c->odd[0] ^= 1;
    c->twos = 0;
    for (size_t i = 0; i < c->w.bits; i++) {
        if (i >= 64 && !bm_declassify(seeking, "p = 1 mod 2^64 has no chance to be random"))
            break;
        bm_shift_right(scratch, c->odd, 1, num);
        seeking = bm_mask_and(seeking, bm_mask_not(bm_is_odd(c->odd, num)));
        bm_cond_select(c->odd, seeking, scratch, c->odd, num);
        c->twos += seeking.bits & 1;
    }
    return true;
}

/*
 * Whether z = base^odd is 1, or some z^(2^j), j < twos, is -1. Says no as soon as that is certain;
 * for a prime it looks at MIN_SQUARINGS powers, or at twos, when there are more.
 */
static bool
is_probable_prime(const candidate *c, bm_limb *z, bm_limb *scratch)
{
    const size_t num = c->w.num;
    bm_mask found;

    bm_to_mont(z, z, &c->w, scratch);
    found = bm_mask_or(bm_eq(z, c->one, num), bm_eq(z, c->minus_one, num));
    for (bm_limb j = 1;; j++) {
        bm_mask more = bm_mask_lt(j, c->twos);

        if (bm_declassify(bm_mask_not(bm_mask_or(found, more)), "a composite is thrown away"))
            return false;
        if (j >= MIN_SQUARINGS &&
            !bm_declassify(more, "p = 1 mod 2^17 is seldom enough to be known"))
            return true;
        bm_mont_sqr(z, z, &c->w, scratch);
        found = bm_mask_or(found, bm_mask_and(more, bm_eq(z, c->minus_one, num)));
    }
}

/* One round for each of two candidates, or two rounds for one (c[0] == c[1], own bases). */
static void
miller_rabin_pair(bool pass[2], const candidate *const c[2], bm_limb *const base[2],
                  bm_limb *scratch)
{
    const size_t num = c[0]->w.num;
    bm_limb *z[2] = {scratch, scratch + num};
    const bm_exp_arg arg[2] = {{z[0], base[0], c[0]->odd, &c[0]->w},
                               {z[1], base[1], c[1]->odd, &c[1]->w}};

    scratch += 2 * num;
    bm_exp_pair(arg, c[0]->w.bits, scratch);
    for (int i = 0; i < 2; i++)
        pass[i] = is_probable_prime(c[i], z[i], scratch);
}

/* base = a random number modulo w that is not 0, 1 or -1, from num + 2 random limbs. */
static bool
base_from(bm_limb *base, const bm_limb *random, const candidate *c, bm_limb *scratch)
{
    const size_t num = c->w.num;
    bm_mask bad;

    bm_reduce(base, random, num + 2, &c->w, scratch); /* uniform but for 2^-128 */
    memcpy(scratch, c->w.m, num * sizeof(*scratch));
    scratch[0] ^= 1;
    bad = bm_mask_or(bm_is_zero(base, num), bm_is_one(base, num));
    bad = bm_mask_or(bad, bm_eq(base, scratch, num));
    return !bm_declassify(bad, "such a base is not used");
}

/* ---- the search ------------------------------------------------------------------------------ */

/*
 * Rounds for random candidates of that many bits: FIPS 186-5, table B.1 (error below 2^-112 from
 * 1024 bits on, 2^-100 at 512); shorter primes, too weak for any use but tests, get what costs
 * little.
 */
static unsigned
num_rounds(size_t bits)
{
    return bits >= 1536 ? 4 : bits >= 1024 ? 5 : bits >= 512 ? 7 : 32;
}

static size_t
pool_limbs(size_t num)
{
    return POOL_CANDIDATES * num + 2 * (num + 2);
}

size_t
bm_prime_search_limbs(const bm_kernels *kernels, size_t bits)
{
    const size_t num = BM_LIMBS_OF_BITS(bits);

    return trial_limbs(bits) + 2 * candidate_limbs(kernels, num) + pool_limbs(num) + num;
}

size_t
bm_prime_scratch_limbs(const bm_kernels *kernels, size_t bits)
{
    const size_t num = BM_LIMBS_OF_BITS(bits);

    return bm_scratch_limbs(kernels, num) + 8 * num + 64;
}

void
bm_prime_search_init(bm_prime_search *s, const bm_kernels *kernels, size_t bits, bm_limb least,
                     const bm_modulus *e, const bm_random *random, const bm_progress *progress,
                     bm_limb *memory)
{
    const size_t num = BM_LIMBS_OF_BITS(bits);

    *s = (bm_prime_search){.kernels = kernels,
                           .bits = bits,
                           .num = num,
                           .least = least,
                           .e = e,
                           .random = random,
                           .progress = progress};
    s->trial = memory;
    s->last = memory + trial_limbs(bits);
    s->pool = s->last + num;
    s->memory = s->pool + pool_limbs(num);
    memset(s->last, 0, num * sizeof(*s->last));
    make_trial(s->trial, bits);
}

/* The next `limbs` limbs of the pool; NULL when the source fails. They may be changed. */
static bm_limb *
draw(bm_prime_search *s, size_t limbs)
{
    const size_t all = pool_limbs(s->num);

    if (s->pool_left < limbs) {
        if (!s->random->fill(s->random->arg, (uint8_t *)s->pool, all * BM_LIMB_BYTES))
            return NULL;
        bm_secret(s->pool, all * BM_LIMB_BYTES);
        s->pool_left = all;
    }
    s->pool_left -= limbs;
    return s->pool + s->pool_left;
}

/* The 64 highest of x's bits. */
static bm_limb
highest_limb(const bm_limb *x, size_t bits)
{
    size_t i = BM_LIMBS_OF_BITS(bits) - 1, over = bits % BM_LIMB_BITS;

    return over == 0 ? x[i] : x[i] << (BM_LIMB_BITS - over) | x[i - 1] >> over;
}

/* gcd(p - 1, e) = 1 */
static bool
fits_exponent(const bm_limb *p, size_t num, const bm_modulus *e, bm_limb *scratch)
{
    bm_limb *less_one = scratch, *z = less_one + num;

    scratch = z + e->num;
    memcpy(less_one, p, num * sizeof(*p));
    less_one[0] ^= 1;
    bm_reduce(z, less_one, num, e, scratch);
    bm_gcd(z, z, e->m, e->num, scratch);
    return bm_declassify(bm_is_one(z, e->num), "a candidate that does not fit e is thrown away");
}

static bool
report(const bm_prime_search *s, int stage, int count)
{
    return s->progress == NULL || s->progress->call(s->progress->arg, stage, count);
}

/*
 * Draws until a candidate passes the cheap tests: FIPS 186-5 A.1.3, steps 4.2 to 4.5. Its top bit
 * is set, not drawn, which leaves the ones that are not too small equally likely.
 */
static bm_keygen_result
next_candidate(bm_prime_search *s, bm_limb *x, size_t *budget, bm_limb *scratch)
{
    const size_t num = s->num, unused = BM_LIMB_BITS * num - s->bits;

    for (; *budget > 0; --*budget) {
        bm_limb *drawn = draw(s, num);
        bm_mask small;

        if (drawn == NULL)
            return BM_KEYGEN_NO_RANDOM;
        if (bm_declassify(bm_eq(drawn, s->last, num), "a source that repeats itself is broken"))
            return BM_KEYGEN_NO_RANDOM;
        memcpy(s->last, drawn, num * sizeof(*x));
        memcpy(x, drawn, num * sizeof(*x));
        x[0] |= 1;
        x[num - 1] = (x[num - 1] | (bm_limb)1 << 63) >> unused;
        small = bm_mask_lt(highest_limb(x, s->bits), s->least);
        if (bm_declassify(small, "a candidate that is too small is thrown away"))
            continue;
        if (has_small_factor(x, num, s->trial) || !fits_exponent(x, num, s->e, scratch))
            continue;
        return report(s, 0, s->tried++) ? BM_KEYGEN_OK : BM_KEYGEN_STOPPED;
    }
    return BM_KEYGEN_FAILED;
}

/* A random base for c; the source may fail. */
static bm_keygen_result
next_base(bm_prime_search *s, bm_limb *base, const candidate *c, bm_limb *scratch)
{
    for (int tries = 0; tries < BASE_TRIES; tries++) {
        const bm_limb *drawn = draw(s, s->num + 2);

        if (drawn == NULL)
            return BM_KEYGEN_NO_RANDOM;
        if (base_from(base, drawn, c, scratch))
            return BM_KEYGEN_OK;
    }
    return BM_KEYGEN_NO_RANDOM;
}

/* The rounds after the first, two at a time. BM_KEYGEN_FAILED: composite. */
static bm_keygen_result
confirm(bm_prime_search *s, const candidate *c, bm_limb *scratch)
{
    const candidate *const both[2] = {c, c};
    bm_limb *const base[2] = {scratch, scratch + s->num};

    scratch += 2 * s->num;
    for (unsigned done = 1; done < num_rounds(s->bits); done += 2) {
        bool pass[2];

        for (int i = 0; i < 2; i++) {
            bm_keygen_result r = next_base(s, base[i], c, scratch);

            if (r != BM_KEYGEN_OK)
                return r;
        }
        miller_rabin_pair(pass, both, base, scratch);
        if (!pass[0] || !pass[1])
            return BM_KEYGEN_FAILED;
        if (!report(s, 1, (int)done))
            return BM_KEYGEN_STOPPED;
    }
    return BM_KEYGEN_OK;
}

/* |x - y| <= 2^(bits - 100), for longer numbers than that; else x = y (FIPS 186-5 A.1.3, step 5.5).
 */
static bool
too_close(const bm_limb *x, const bm_limb *y, size_t bits, bm_limb *scratch)
{
    const size_t num = BM_LIMBS_OF_BITS(bits), low = bits > 100 ? bits - 100 : 0;
    bm_limb *difference = scratch, *high = difference + num;
    bm_limb borrow = bm_sub(difference, x, y, num);

    bm_sub(high, y, x, num);
    bm_cond_select(difference, bm_mask_bit(borrow), high, difference, num);
    bm_shift_right(high, difference + low / BM_LIMB_BITS, low % BM_LIMB_BITS,
                   num - low / BM_LIMB_BITS);
    return bm_declassify(bm_is_zero(high, num - low / BM_LIMB_BITS),
                         "a prime too close to another is thrown away");
}

bm_keygen_result
bm_prime_search_run(bm_prime_search *s, bm_limb *const primes[], size_t want, bm_limb *scratch)
{
    const size_t num = s->num, room = candidate_limbs(s->kernels, num);
    size_t budget = TRIES * s->bits * want, found = 0;
    bm_limb *x = scratch;

    scratch += num;
    while (found < want) {
        candidate c[2];
        const candidate *const pair[2] = {&c[0], &c[1]};
        bm_limb *base[2];
        bool pass[2];
        bm_keygen_result r;

        for (int i = 0; i < 2; i++) {
            r = next_candidate(s, x, &budget, scratch);
            if (r != BM_KEYGEN_OK)
                return r;
            candidate_init(&c[i], s->kernels, x, num, s->memory + (size_t)i * room, scratch);
            base[i] = c[i].base;
            r = next_base(s, base[i], &c[i], scratch);
            if (r != BM_KEYGEN_OK)
                return r;
        }
        miller_rabin_pair(pass, pair, base, scratch);
        for (int i = 0; i < 2 && found < want; i++) {
            bool close = false;

            if (!pass[i])
                continue;
            r = confirm(s, &c[i], scratch);
            if (r == BM_KEYGEN_FAILED)
                continue;
            if (r != BM_KEYGEN_OK)
                return r;
            for (size_t j = 0; j < found; j++)
                close = close || too_close(c[i].w.m, primes[j], s->bits, scratch);
            if (!report(s, close ? 2 : 3, (int)found))
                return BM_KEYGEN_STOPPED;
            if (!close)
                memcpy(primes[found++], c[i].w.m, num * sizeof(*x));
        }
    }
    return BM_KEYGEN_OK;
}

/* ---- tests of given numbers -------------------------------------------------------------------
 */

size_t
bm_prime_test_limbs(const bm_kernels *kernels, size_t num)
{
    size_t most = 0;

    for (size_t i = 1; i <= num; i++) { /* x may be shorter than it looks */
        size_t limbs = candidate_limbs(kernels, i);

        most = limbs > most ? limbs : most;
    }
    return trial_limbs(BM_LIMB_BITS * num) + most + 3 * num + 2;
}

/* Whether x, of one limb, is one of the small primes of the table's range, by division. */
static bool
is_small_prime(bm_limb x)
{
    if (x < 4)
        return x >= 2;
    if (x % 2 == 0)
        return false;
    for (bm_limb p = 3; p * p <= x; p += 2)
        if (x % p == 0)
            return false;
    return true;
}

bm_prime_result
bm_prime_test(const bm_kernels *kernels, const bm_limb *x, size_t num, unsigned rounds,
              const bm_random *random, bm_limb *memory, bm_limb *scratch)
{
    bm_limb *trial = memory, *pool = trial + trial_limbs(BM_LIMB_BITS * num);
    bm_limb *const base[2] = {pool + num + 2, pool + 2 * num + 2};
    bm_limb *room = base[1] + num;
    candidate c;
    bm_limb low;

    while (num > 0 && bm_declassify(bm_is_zero(x + num - 1, 1), "the length of x is public"))
        num--;
    if (num == 0)
        return BM_COMPOSITE;
    low = x[0];
    if (num == 1 && bm_declassify(bm_mask_lt(low, 1 << 20), "a number below 2^20 is no secret")) {
        bm_public(&low, sizeof(low), "as above");
        return is_small_prime(low) ? BM_PROBABLY_PRIME : BM_COMPOSITE;
    }
    if (!candidate_init(&c, kernels, x, num, room, scratch))
        return BM_COMPOSITE;
    make_trial(trial, c.w.bits);
    if (has_small_factor(x, num, trial))
        return BM_COMPOSITE;

    for (unsigned done = 0; done < rounds; done += 2) {
        const candidate *const both[2] = {&c, &c};
        bool pass[2], drawn = true;

        for (int i = 0; i < 2 && drawn; i++) {
            drawn = false;
            for (int tries = 0; tries < BASE_TRIES && !drawn; tries++) {
                if (!random->fill(random->arg, (uint8_t *)pool, (num + 2) * BM_LIMB_BYTES))
                    return BM_PRIME_NO_RANDOM;
                drawn = base_from(base[i], pool, &c, scratch);
            }
        }
        if (!drawn)
            return BM_PRIME_NO_RANDOM;
        miller_rabin_pair(pass, both, base, scratch);
        if (!pass[0] || !pass[1])
            return BM_COMPOSITE;
    }
    return BM_PROBABLY_PRIME;
}
