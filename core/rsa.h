/*
 * RSA: the primitives, the paddings and key generation, on numbers and byte strings (RFC 8017,
 * FIPS 186-5, SP 800-56B). No allocation, no hash and no random source of its own (hash.h).
 *
 * A key is set up once in memory of the caller and is immutable from then on: any number of threads
 * may use it. An operation takes scratch of its own. k is the length of n in bytes.
 */
#ifndef BM_RSA_H
#define BM_RSA_H

#include "bigmod.h"
#include "hash.h"

enum {
    BM_RSA_MAX_PRIMES = 5,
    BM_RSA_MIN_BITS = 512, /* of a modulus that is generated or used to sign */
    BM_RSA_MAX_BYTES = BM_MAX_BITS / 8,
};

/* ---- keys and primitives (rsa.c) ------------------------------------------------------------- */

typedef struct bm_rsa_public {
    bm_modulus n;
    bm_limb *e;
    size_t e_bits; /* significant bits of e */
    size_t k;      /* length of n in bytes */
} bm_rsa_public;

/* Limbs of memory for a public key, numbers given in limbs. */
size_t bm_rsa_public_limbs(const struct bm_kernels *kernels, size_t num_n, size_t num_e);

/*
 * Sets up a public key from n and e, both public. False for an n that is no modulus (bm_modulus_init)
 * and for e = 0; n's top limb is not zero.
 */
bool bm_rsa_public_init(bm_rsa_public *pub, const struct bm_kernels *kernels, const bm_limb *n,
                        size_t num_n, const bm_limb *e, size_t num_e, bm_limb *memory,
                        bm_limb *scratch);

/* z = x^e mod n (RSAEP, RSAVP1); x < n, which the caller has checked. Scratch: bm_rsa_scratch_limbs. */
void bm_rsa_public_op(bm_limb *z, const bm_limb *x, const bm_rsa_public *pub, bm_limb *scratch);

typedef struct bm_rsa_prime {
    bm_modulus p;
    bm_limb *d; /* d mod (p - 1), p.num limbs */
    bm_limb *t; /* CRT coefficient, in Montgomery form modulo p; see bm_rsa_private_init */
} bm_rsa_prime;

typedef struct bm_rsa_private {
    const bm_rsa_public *pub;
    bm_limb *d; /* n.num limbs; NULL: not known */
    size_t num_primes; /* 0: only d is known */
    bm_rsa_prime prime[BM_RSA_MAX_PRIMES];
    bm_limb *product[BM_RSA_MAX_PRIMES]; /* product[i] = r_1 ... r_i, n.num limbs */
} bm_rsa_private;

/*
 * What a private key is made of, in limbs. primes are r_1 = p, r_2 = q, r_3, ... of RFC 8017 3.2;
 * exponents d mod (r_i - 1); coefficients[1] = q^-1 mod p, coefficients[i] = (r_1 ... r_i)^-1 mod
 * r_{i+1} from i = 2 on (coefficients[0] is not used). Every array has num_n limbs. NULL: absent; an
 * absent exponent or coefficient is computed from the rest.
 */
typedef struct bm_rsa_parts {
    const bm_limb *d;
    size_t num_primes;
    const bm_limb *primes[BM_RSA_MAX_PRIMES];
    const bm_limb *exponents[BM_RSA_MAX_PRIMES];
    const bm_limb *coefficients[BM_RSA_MAX_PRIMES];
} bm_rsa_parts;

/* Limbs of memory for a private key of a modulus of num_n limbs with that many primes (0 to 5). */
size_t bm_rsa_private_limbs(const struct bm_kernels *kernels, size_t num_n, size_t num_primes);

/*
 * Sets up a private key; pub stays in use. Parts are secret, their bit lengths public. Nothing is
 * believed: a part that does not fit the others makes bm_rsa_private_op fall back or fail. False when
 * no private operation is possible: neither d nor two primes, or a prime that is no modulus (even).
 */
bool bm_rsa_private_init(bm_rsa_private *priv, const bm_rsa_public *pub, const bm_rsa_parts *parts,
                         bm_limb *memory, bm_limb *scratch);

/*
 * z = x^d mod n (RSADP, RSASP1) in constant time; x < n. By CRT where primes are known; the result z
 * is released only when z^e = x mod n, else x^d mod n is computed without CRT and tested in the same
 * way, and if that fails too, the function returns false with z zero (fault or inconsistent key).
 */
bool bm_rsa_private_op(bm_limb *z, const bm_limb *x, const bm_rsa_private *priv, bm_limb *scratch);

/* Limbs of scratch for every function on keys of a modulus of num_n limbs. */
size_t bm_rsa_scratch_limbs(const struct bm_kernels *kernels, size_t num_n);

/* ---- RSASSA-PKCS1-v1_5 and RSAES-PKCS1-v1_5 (rsa_pkcs1.c) -------------------------------------- */

/*
 * EM = 00 01 FF..FF 00 || prefix || digest (RFC 8017 9.2), of k bytes. prefix is the DigestInfo up to
 * the digest, or empty. False: k is less than 11 + prefix_len + digest_len.
 */
bool bm_pkcs1_encode(uint8_t *em, size_t k, bm_bytes prefix, bm_bytes digest);

/* EM equals bm_pkcs1_encode(prefix, digest): the whole rebuilt block is compared. Public. */
bool bm_pkcs1_verify(const uint8_t *em, size_t k, bm_bytes prefix, bm_bytes digest);

/*
 * The message of a type 1 block, for verify-recover: 00 01, at least 8 FF, 00, then the message, which
 * is *message_len bytes at em + *message_at. Public.
 */
bool bm_pkcs1_recover(const uint8_t *em, size_t k, size_t *message_at, size_t *message_len);

/* EM = 00 02 || PS || 00 || message (7.2.1), PS random and without zeros. False: too long, or no random. */
bool bm_pkcs1_pad_encrypt(uint8_t *em, size_t k, bm_bytes message, const bm_random *random);

/*
 * The message of a type 2 block (7.2.2) in constant time, to out[0..*len) of out_len bytes: out_len and
 * k are public; what stands in em is secret, and which bytes of out were written and *len are too.
 * The mask says whether the block was well formed; when it was not, out is zero and *len is 0.
 */
bm_mask bm_pkcs1_unpad_decrypt(uint8_t *out, size_t out_len, bm_limb *len, const uint8_t *em,
                               size_t k);

enum { BM_TLS_PREMASTER_LEN = 48 };

/*
 * The premaster secret of a type 2 block (RFC 5246 7.4.7.1) in constant time: exactly 48 bytes that
 * begin with the client's version, or with alt_version where that is not 0; else out = fallback, 48
 * random bytes that the caller drew before, and nobody learns which. False: k is too small.
 */
bool bm_pkcs1_unpad_tls(uint8_t out[BM_TLS_PREMASTER_LEN], const uint8_t *em, size_t k,
                        unsigned version, unsigned alt_version,
                        const uint8_t fallback[BM_TLS_PREMASTER_LEN]);

/*
 * As above with implicit rejection (draft-irtf-cfrg-rsa-guidance, as OpenSSL 3.2 has it): a malformed
 * block, or a message longer than out_len, gives a message of a length and content that depend on the
 * key's d and the ciphertext only, and nobody learns which it was. *len is no longer secret, and out is
 * zero beyond it. kdk = HMAC-SHA256(SHA256(I2OSP(d, k)), I2OSP(c, k)), made by bm_pkcs1_rejection_key.
 * False, with out zero: the hash failed, or k < 11.
 */
bool bm_pkcs1_rejection_key(uint8_t kdk[32], const bm_hash *sha256, bm_bytes d, bm_bytes ciphertext);
bool bm_pkcs1_decrypt_implicit(uint8_t *out, size_t out_len, size_t *len, const uint8_t *em, size_t k,
                               const uint8_t kdk[32], const bm_hash *sha256);

/* ---- ANSI X9.31 (rsa_x931.c) ------------------------------------------------------------------- */

/*
 * EM = 6B BB..BB BA || message || CC of k bytes (6A || message || CC when k = message.len + 2). The
 * message is a digest and its one-byte hash identifier. False: it is longer than k - 2.
 */
bool bm_x931_encode(uint8_t *em, size_t k, bm_bytes message);

/* EM equals bm_x931_encode(message): the whole rebuilt block is compared. Public. */
bool bm_x931_verify(const uint8_t *em, size_t k, bm_bytes message);

/* The message of a well-formed block, *message_len bytes at em + *message_at. Public. */
bool bm_x931_recover(const uint8_t *em, size_t k, size_t *message_at, size_t *message_len);

/* z = min(x, n - x), for a signature x = m^d mod n. Scratch: n.num limbs. */
void bm_x931_smaller(bm_limb *z, const bm_limb *x, const bm_rsa_public *pub, bm_limb *scratch);

/* z = x or n - x, the one that is 12 modulo 16 if there is one, for x = s^e mod n. Public. */
void bm_x931_representative(bm_limb *z, const bm_limb *x, const bm_rsa_public *pub);

/* ---- RSASSA-PSS (rsa_pss.c) -------------------------------------------------------------------- */

/* EM of em_bits bits (9.1.1) in ceil(em_bits / 8) bytes. False: does not fit, or hash failed. */
bool bm_pss_encode(uint8_t *em, size_t em_bits, const uint8_t *digest, const bm_hash *hash,
                   const bm_hash *mgf_hash, bm_bytes salt);

enum { BM_PSS_SALT_ANY = -1 }; /* recover the salt's length from EM */

/* 9.1.2. salt_len: bytes, or BM_PSS_SALT_ANY; *found_len, if not NULL, is what EM holds. Public. */
bool bm_pss_verify(const uint8_t *em, size_t em_bits, const uint8_t *digest, const bm_hash *hash,
                   const bm_hash *mgf_hash, int salt_len, size_t *found_len);

/* MGF1 (B.2.1): out ^= mask of len bytes from seed. Time depends on lengths alone. */
bool bm_mgf1_xor(uint8_t *out, size_t len, bm_bytes seed, const bm_hash *hash);

/* ---- RSAES-OAEP (rsa_oaep.c) ------------------------------------------------------------------- */

/* EM of k bytes (7.1.1). False: message longer than k - 2 hLen - 2, no random, or hash failed. */
bool bm_oaep_pad(uint8_t *em, size_t k, bm_bytes message, bm_bytes label, const bm_hash *hash,
                 const bm_hash *mgf_hash, const bm_random *random);

/* 7.1.2, constant time, as bm_pkcs1_unpad_decrypt; em is destroyed. */
bm_mask bm_oaep_unpad(uint8_t *out, size_t out_len, bm_limb *len, uint8_t *em, size_t k,
                      bm_bytes label, const bm_hash *hash, const bm_hash *mgf_hash);

/* ---- key generation and checks (rsa_keygen.c, prime.c) ------------------------------------------ */

/* Called now and then during generation; false stops it. stage as BN_GENCB: 0 candidate, 1 test, 2, 3. */
typedef struct bm_progress {
    bool (*call)(void *arg, int stage, int count);
    void *arg;
} bm_progress;

typedef enum bm_keygen_result {
    BM_KEYGEN_OK,
    BM_KEYGEN_BAD_PARAMETER, /* bits, e or the number of primes */
    BM_KEYGEN_NO_RANDOM,     /* the source failed, or is stuck */
    BM_KEYGEN_STOPPED,       /* by progress */
    BM_KEYGEN_FAILED,        /* no key after the bounded number of tries */
} bm_keygen_result;

/* A key that was generated, in the caller's memory: each array of BM_LIMBS_OF_BITS(bits) limbs. */
typedef struct bm_rsa_generated {
    bm_limb *n, *d;
    bm_limb *primes[BM_RSA_MAX_PRIMES];
    bm_limb *exponents[BM_RSA_MAX_PRIMES];
    bm_limb *coefficients[BM_RSA_MAX_PRIMES]; /* [0] is not used */
} bm_rsa_generated;

/*
 * Generates a key of exactly `bits` bits (512 to BM_MAX_BITS) with public exponent e (odd, at least 3,
 * of at most 256 bits). Two primes by FIPS 186-5 A.1.3: uniform probable primes, |p - q| > 2^(bits/2 -
 * 100), d > 2^(bits/2), error below 2^-100 each from 1024-bit keys on; p > q. Three primes are allowed
 * from 1024 bits on, four from 4096, five from 8192. The finished key is tried once. All secret; time
 * depends on candidates that were thrown away, not on the primes. memory: bm_rsa_generated_limbs;
 * scratch: bm_rsa_generate_scratch_limbs. progress may be NULL.
 */
size_t bm_rsa_generated_limbs(size_t bits, size_t num_primes);
size_t bm_rsa_generate_scratch_limbs(const struct bm_kernels *kernels, size_t bits);
bm_keygen_result bm_rsa_generate(bm_rsa_generated *key, const struct bm_kernels *kernels, size_t bits,
                                 size_t num_primes, const bm_limb *e, size_t num_e,
                                 const bm_random *random, const bm_progress *progress,
                                 bm_limb *memory, bm_limb *scratch);

/*
 * Whether x (of num limbs, secret but for its length) is prime, by Miller-Rabin with `rounds` random
 * bases after trial division. A composite may stop early: that it is composite is all that this tells.
 * For an x that an adversary may have chosen, an error of 4^-rounds. memory: bm_prime_test_limbs;
 * scratch: bm_rsa_scratch_limbs.
 */
typedef enum bm_prime_result { BM_COMPOSITE, BM_PROBABLY_PRIME, BM_PRIME_NO_RANDOM } bm_prime_result;
size_t bm_prime_test_limbs(const struct bm_kernels *kernels, size_t num);
bm_prime_result bm_prime_test(const struct bm_kernels *kernels, const bm_limb *x, size_t num,
                              unsigned rounds, const bm_random *random, bm_limb *memory,
                              bm_limb *scratch);

/* ---- checks (rsa_check.c) ----------------------------------------------------------------------- */

/*
 * The checks of EVP_PKEY_check (SP 800-56B 6.4.1.2.3): e is odd and above 1, the primes are prime and
 * distinct and n is their product, d e = 1 modulo each prime less one, exponents and coefficients are
 * right. d and the primes must be there; exponents and coefficients that are absent are not looked at.
 * False: some check failed (or no random). memory: bm_rsa_check_limbs.
 */
size_t bm_rsa_check_limbs(const struct bm_kernels *kernels, size_t num_n);
bool bm_rsa_check(const bm_rsa_public *pub, const bm_rsa_parts *parts, const bm_random *random,
                  bm_limb *memory, bm_limb *scratch);

/*
 * The check of EVP_PKEY_public_check on a modulus (SP 800-56B 6.4.2.2): no factor below 752, composite,
 * and no power of a prime (below 512 bits it may be one). Public. False: some check failed (or no
 * random). memory: bm_rsa_check_modulus_limbs; scratch: bm_rsa_scratch_limbs. (rsa_check_public.c)
 */
size_t bm_rsa_check_modulus_limbs(size_t num);
bool bm_rsa_check_modulus(const bm_modulus *n, const bm_random *random, bm_limb *memory,
                          bm_limb *scratch);

#endif
