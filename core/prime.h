/*
 * Finding primes, for rsa_keygen.c: uniform candidates, trial division, Miller-Rabin two at a time.
 * Everything about a prime that is kept is secret; that a candidate is composite is not, because it
 * is thrown away.
 */
#ifndef BM_PRIME_H
#define BM_PRIME_H

#include "rsa.h"

/* What the search for primes of one length needs; set up by bm_prime_search_init. */
typedef struct bm_prime_search {
    const struct bm_kernels *kernels;
    size_t bits, num;
    bm_limb least; /* of the 64 highest bits */
    const bm_modulus *e;
    const bm_random *random;
    const bm_progress *progress;
    bm_limb *trial;  /* constants of the small primes (prime.c) */
    bm_limb *memory; /* for the two candidates under test */
    bm_limb *pool;   /* random limbs, drawn in bulk */
    size_t pool_left;
    bm_limb *last; /* the draw before, to notice a source that is stuck */
    int tried;     /* candidates, for progress */
} bm_prime_search;

/* Limbs of memory for a search, and of scratch for the functions below. */
size_t bm_prime_search_limbs(const struct bm_kernels *kernels, size_t bits);
size_t bm_prime_scratch_limbs(const struct bm_kernels *kernels, size_t bits);

/*
 * Prepares a search for primes p of exactly `bits` bits (at least 64), whose 64 highest bits are at
 * least `least` (of which the top one is set), with gcd(p - 1, e) = 1.
 */
void bm_prime_search_init(bm_prime_search *s, const struct bm_kernels *kernels, size_t bits,
                          bm_limb least, const bm_modulus *e, const bm_random *random,
                          const bm_progress *progress, bm_limb *memory);

/*
 * Finds `want` primes, uniform among those that are allowed, no two of them closer than
 * 2^(bits - 100); primes[i] of s->num limbs. Their error is below 2^-100 each (FIPS 186-5, table
 * B.1).
 */
bm_keygen_result bm_prime_search_run(bm_prime_search *s, bm_limb *const primes[], size_t want,
                                     bm_limb *scratch);

#endif
