/*
 * The check of a whole private key (SP 800-56B rev. 2, 6.4.1.2.3; RFC 8017, 3.2), for those who
 * ask: using a key does not depend on it, since rsa.c believes nothing.
 */
#include "rsa.h"
#include "kernels.h"

#include <string.h>

enum { PRIME_ROUNDS = 64 }; /* an adversary may have made the primes: error 4^-64 */

/* x y = 1 mod m, all of num limbs. */
static bm_mask
is_inverse(const bm_limb *x, const bm_limb *y, const bm_limb *m, size_t num, bm_limb *scratch)
{
    bm_limb *product = scratch, *z = product + 2 * num;

    bm_mul(product, x, num, y, num);
    bm_divide(NULL, z, product, 2 * num, m, num, z + num);
    return bm_is_one(z, num);
}

/* x = d mod m */
static bm_mask
is_remainder(const bm_limb *x, const bm_limb *d, const bm_limb *m, size_t num, bm_limb *scratch)
{
    bm_divide(NULL, scratch, d, num, m, num, scratch + num);
    return bm_eq(x, scratch, num);
}

size_t
bm_rsa_check_limbs(const bm_kernels *kernels, size_t num_n)
{
    return bm_prime_test_limbs(kernels, num_n) + 8 * num_n;
}

/* What involves prime i alone, and what it has to do with the primes before; `before` their
 * product. */
static bm_mask
check_prime(size_t i, const bm_rsa_public *pub, const bm_rsa_parts *parts, const bm_limb *before,
            const bm_limb *e, bm_limb *scratch)
{
    const size_t num = pub->n.num;
    const bm_limb *r = parts->primes[i];
    bm_limb *less_one = scratch;
    bm_mask good;

    scratch += num;
    memcpy(less_one, r, num * sizeof(*r));
    less_one[0] ^= 1;                                       /* r is an odd prime */
    good = is_inverse(e, parts->d, less_one, num, scratch); /* e d = 1 mod (r - 1) */
    if (parts->exponents[i] != NULL)
        good =
            bm_mask_and(good, is_remainder(parts->exponents[i], parts->d, less_one, num, scratch));
    if (i > 0 && parts->coefficients[i] != NULL) {
        const bm_limb *m = i == 1 ? parts->primes[0] : r, *x = i == 1 ? r : before;

        good = bm_mask_and(good, is_inverse(x, parts->coefficients[i], m, num, scratch));
        good = bm_mask_and(good, bm_lt(parts->coefficients[i], m, num));
    }
    return good;
}

bool
bm_rsa_check(const bm_rsa_public *pub, const bm_rsa_parts *parts, const bm_random *random,
             bm_limb *memory, bm_limb *scratch)
{
    const size_t num = pub->n.num;
    bm_limb *product = memory, *wide = product + num, *e = wide + 2 * num;
    bm_limb *work = e + num;
    bm_mask good = bm_mask_of(true);

    if (parts->d == NULL || parts->num_primes < 2 || parts->num_primes > BM_RSA_MAX_PRIMES)
        return false;
    if (pub->e_bits < 2 || pub->e[0] % 2 == 0 || pub->e_bits > pub->n.bits)
        return false;
    memset(e, 0, num * sizeof(*e));
    memcpy(e, pub->e, BM_LIMBS_OF_BITS(pub->e_bits) * sizeof(*e));

    for (size_t i = 0; i < parts->num_primes; i++) {
        bm_prime_result r;

        r = bm_prime_test(pub->n.kernels, parts->primes[i], num, PRIME_ROUNDS, random, work,
                          scratch);
        if (r != BM_PROBABLY_PRIME ||
            !bm_declassify(bm_is_odd(parts->primes[i], num), "2 is public"))
            return false;
        good = bm_mask_and(good, check_prime(i, pub, parts, product, e, scratch));
        if (i == 0) {
            memcpy(product, parts->primes[0], num * sizeof(*product));
            continue;
        }
        for (size_t j = 0; j < i; j++) /* p = q is no key */
            good = bm_mask_and(good, bm_mask_not(bm_eq(parts->primes[i], parts->primes[j], num)));
        bm_mul(wide, product, num, parts->primes[i], num);
        good = bm_mask_and(good, bm_is_zero(wide + num, num));
        memcpy(product, wide, num * sizeof(*product));
    }
    good = bm_mask_and(good, bm_eq(product, pub->n.m, num)); /* n = r_0 r_1 ... */
    return bm_declassify(good, "the verdict");
}
