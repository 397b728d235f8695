/*
 * The check of an RSA modulus without its factors (SP 800-56B rev. 2, 6.4.2.2; FIPS 186-5, B.3.2):
 * odd, without small factors, composite, and no power of a prime. Everything here is public.
 */
#include "rsa.h"
#include "kernels.h"

#include <string.h>

enum {
    SMALL_FACTORS = 752, /* all below are tried */
    ROUNDS = 5,
    BASE_TRIES = 16,
};

static bm_limb
remainder_small_vartime(const bm_limb *x, size_t num, uint32_t divisor)
{
    bm_limb r = 0;

    for (size_t i = num; i-- > 0;) {
        r = ((r << 32) | (x[i] >> 32)) % divisor;
        r = ((r << 32) | (x[i] & 0xffffffff)) % divisor;
    }
    return r;
}

static bool
has_small_factor_vartime(const bm_limb *x, size_t num)
{
    for (uint32_t divisor = 3; divisor < SMALL_FACTORS; divisor += 2) {
        if (remainder_small_vartime(x, num, divisor) == 0)
            return true;
    }
    return false;
}

static bool
equal(const bm_limb *x, const bm_limb *y, size_t num)
{
    return memcmp(x, y, num * sizeof(*x)) == 0;
}

/* gcd(x, n) = 1 */
static bool
is_coprime(const bm_limb *x, const bm_modulus *n, bm_limb *z, bm_limb *scratch)
{
    bm_gcd(z, x, n->m, n->num, scratch);
    return bm_declassify(bm_is_one(z, n->num), "n and x are public");
}

typedef enum verdict {
    GOES_ON,    /* this base shows nothing */
    HAS_FACTOR, /* a factor was found: n may be a power of a prime */
    NO_POWER,   /* composite, and no power of a prime */
    NO_RANDOM,
} verdict;

/*
 * One base b of the enhanced test. [w = n, less_one = w - 1 = 2^a m.] A square root x of 1, or a
 * b^(w-1) other than 1, shows that w is composite; gcd(x - 1, w) tells of which kind.
 */
static verdict
try_base(const bm_modulus *n, const bm_random *random, const bm_limb *less_one, const bm_limb *m,
         size_t a, bm_limb *memory, bm_limb *scratch)
{
    const size_t num = n->num;
    bm_limb *one = memory, *b = one + num, *x = b + num, *z = x + num;
    int tries = 0;

    memset(one, 0, num * sizeof(*one));
    one[0] = 1;
    do { /* 1 < b < w - 1 */
        if (tries++ == BASE_TRIES || !random->fill(random->arg, (uint8_t *)x, num * sizeof(*x)))
            return NO_RANDOM;
        bm_public(x, num * sizeof(*x), "a base for a public modulus");
        bm_reduce(b, x, num, n, scratch);
    } while (bm_declassify(bm_is_zero(b, num), "public") || equal(b, one, num) ||
             equal(b, less_one, num));
    if (!is_coprime(b, n, z, scratch))
        return HAS_FACTOR;

    bm_exp_vartime(z, b, m, bm_bits_vartime(m, num), n, scratch);
    if (equal(z, one, num) || equal(z, less_one, num))
        return GOES_ON;
    for (size_t i = 0; i < a; i++) { /* the last one makes b^(w-1) */
        memcpy(x, z, num * sizeof(*x));
        bm_mod_mul(z, x, x, n, scratch);
        if (equal(z, less_one, num) && i + 1 < a)
            return GOES_ON;
        if (equal(z, one, num))
            break;
        if (i + 1 == a)
            memcpy(x, z, num * sizeof(*x));
    }
    bm_mod_sub(x, x, one, n);
    return is_coprime(x, n, z, scratch) ? NO_POWER : HAS_FACTOR;
}

size_t
bm_rsa_check_modulus_limbs(size_t num)
{
    return 6 * num;
}

bool
bm_rsa_check_modulus(const bm_modulus *n, const bm_random *random, bm_limb *memory,
                     bm_limb *scratch)
{
    const size_t num = n->num;
    bm_limb *less_one = memory, *m = less_one + num;
    size_t a = 0;

    if (has_small_factor_vartime(n->m, num))
        return false;
    memcpy(less_one, n->m, num * sizeof(*less_one));
    less_one[0] ^= 1; /* n is odd */
    memcpy(m, less_one, num * sizeof(*m));
    for (; (m[0] & 1) == 0; a++)
        bm_shift_right(m, m, 1, num);
    for (int i = 0; i < ROUNDS; i++) {
        verdict v = try_base(n, random, less_one, m, a, m + num, scratch);

        if (v != GOES_ON)
            return v == NO_POWER || (v == HAS_FACTOR && n->bits < BM_RSA_MIN_BITS);
    }
    return false; /* n is prime, most probably */
}
