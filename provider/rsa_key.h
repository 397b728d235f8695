/*
 * RSA keys: reference-counted, immutable once shared, wiped on the last free.
 *
 * A key is made in one step from all its parts (import, generation), then only read: any number of
 * threads may use it. `pub` and `priv` are set up for the core where the numbers allow it; the
 * numbers themselves are kept as they came, for export.
 */
#ifndef BM_RSA_KEY_H
#define BM_RSA_KEY_H

#include "provider.h"
#include "rsa.h"

/* A number of a key as it came: little-endian limbs; num 0 and limbs NULL: absent. Zero is num 1.
 */
typedef struct bm_rsa_number {
    bm_limb *limbs;
    size_t num;
} bm_rsa_number;

enum { BM_RSA_IMPORT_MAX_PRIMES = 10 }; /* names that OSSL_PARAMs have; more than 5 are refused */

/* All numbers of a key. coefficients[0] is q^-1 mod p, as in OSSL_PARAMs. */
typedef struct bm_rsa_numbers {
    bm_rsa_number n, e, d;
    bm_rsa_number primes[BM_RSA_MAX_PRIMES];
    bm_rsa_number exponents[BM_RSA_MAX_PRIMES];
    bm_rsa_number coefficients[BM_RSA_MAX_PRIMES - 1];
} bm_rsa_numbers;

/* RSASSA-PSS-params (RFC 8017 A.2.3), the restrictions of an RSA-PSS key. */
typedef struct bm_pss_params {
    bool restricted; /* false: the rest is not looked at */
    const bm_digest_info *digest;
    const bm_digest_info *mgf1_digest;
    int salt_len;
} bm_pss_params;

typedef struct bm_rsa_key {
    bm_provider *prov;
    atomic_int refs;
    bool is_pss; /* of type RSA-PSS */
    bm_pss_params pss;

    bm_rsa_numbers numbers;
    size_t bits; /* of n; 0: none */
    size_t k;    /* bytes of n */
    size_t e_bits;

    bool has_pub;        /* pub may be used */
    bool has_priv;       /* priv may be used */
    bm_reason pub_fault; /* why has_pub is false */
    bm_rsa_public pub;
    bm_rsa_private priv;

    bm_limb *pub_memory;
    bm_limb *priv_memory;
    size_t pub_memory_limbs, priv_memory_limbs;
    size_t scratch_limbs; /* for any operation with this key; 0 without has_pub */
} bm_rsa_key;

/* An empty key with one reference, or NULL with an error raised. */
bm_rsa_key *bm_rsa_key_new(bm_provider *prov, bool is_pss);
bool bm_rsa_key_up_ref(bm_rsa_key *key);
void bm_rsa_key_free(bm_rsa_key *key);

/*
 * Sets up pub and priv from numbers, that the caller has put there; once, before the key is shared.
 * Numbers that make no usable key are no error here (FAILURES.md, parity table): has_pub or
 * has_priv stays false. False: out of memory.
 */
bool bm_rsa_key_finish(bm_rsa_key *key);

/* A copy that holds what `selection` (OSSL_KEYMGMT_SELECT_*) names, or NULL with an error raised.
 */
bm_rsa_key *bm_rsa_key_dup(const bm_rsa_key *key, int selection);

/* Stores limbs x (num of them, leading zeros allowed) as *number; false: out of memory. */
bool bm_rsa_number_set(const bm_provider *prov, bm_rsa_number *number, const bm_limb *x,
                       size_t num);
/* Stores OS2IP of little-endian bytes, as OSSL_PARAMs have them on every target of ours. */
bool bm_rsa_number_decode_le(const bm_provider *prov, bm_rsa_number *number, const uint8_t *bytes,
                             size_t len);
void bm_rsa_number_clear(bm_rsa_number *number);

/*
 * The parts of a private key as the core takes them: arrays of pub.n.num limbs in `memory`, of
 * bm_rsa_parts_limbs(). A number that does not fit that width is left out.
 */
size_t bm_rsa_parts_limbs(const bm_rsa_key *key);
void bm_rsa_key_parts(bm_rsa_parts *parts, const bm_rsa_key *key, bm_limb *memory);

/*
 * Whether the key may be used, with an error raised when not: for a public operation (verify,
 * encrypt), and for a private one (sign, decrypt).
 */
bool bm_rsa_key_can_public(const bm_rsa_key *key);
bool bm_rsa_key_can_private(const bm_rsa_key *key);

/* The number of primes that the key knows: 0, or 2 to 5. */
size_t bm_rsa_key_num_primes(const bm_rsa_key *key);

/* Security strength in bits (SP 800-56B Rev. 2, appendix D) of a modulus of that many bits. */
int bm_rsa_security_bits(size_t bits);

#endif
