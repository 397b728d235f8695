/*
 * bigmod's core: the manual.
 *
 * NUMBERS are arrays of `num` limbs of 64 bits, least significant first, all 64 bits used
 * (saturated), on every target. A number has a fixed public width; its value, leading zeros
 * included, is secret unless the name of the function says otherwise. Byte strings are big-endian
 * (I2OSP and OS2IP of RFC 8017, section 4).
 *
 * MODULI are odd, at least 3, with a non-zero top limb; bm_modulus holds what Montgomery
 * multiplication needs, with R = 2^(64 num). Even moduli: bm_exp_any().
 *
 * SECRECY. Values are secret; lengths, pointers and bit counts that are passed as size_t are
 * public. A name in _vartime takes time that depends on the values it is documented to depend on
 * and on nothing else.
 *
 * MEMORY. The core never allocates and has no mutable state of its own. `scratch` is memory of the
 * caller, of the number of limbs that the function's *_scratch says, at any 8-byte alignment, with
 * any content; it holds secrets afterwards, and whoever allocated it wipes it. Scratch overlaps no
 * other operand.
 *
 * OVERLAP. Outputs may be the same array as an input (z == x) where nothing else is said; partial
 * overlap is never allowed.
 *
 * FAILURE. A function that returns bool can fail and zeroes its outputs when it does; one that
 * returns void cannot.
 *
 * ARGUMENT ORDER. out, in, exponent, modulus, scratch. z out, x y in, e exponent, m modulus,
 * n0 = -1/m mod 2^64, num limbs.
 */
#ifndef BM_BIGMOD_H
#define BM_BIGMOD_H

#include "ct.h"

enum {
    BM_MAX_BITS = 16384, /* of any modulus */
    BM_MAX_LIMBS = BM_MAX_BITS / BM_LIMB_BITS,
};

/* Limbs that hold that many bits, or bytes. */
#define BM_LIMBS_OF_BITS(bits) (((bits) + 63) / 64)
#define BM_LIMBS_OF_BYTES(len) (((len) + 7) / 8)

/* A set of kernels; see kernels.h. */
struct bm_kernels;

/* ---- numbers (nat.c) ------------------------------------------------------------------------ */

/* z = x + y mod 2^(64 num); returns the carry, 0 or 1. */
bm_limb bm_add(bm_limb *z, const bm_limb *x, const bm_limb *y, size_t num);

/* z = x - y mod 2^(64 num); returns the borrow, 0 or 1. */
bm_limb bm_sub(bm_limb *z, const bm_limb *x, const bm_limb *y, size_t num);

/* z += y where add is true; the carry. Time does not depend on add. */
bm_limb bm_cond_add(bm_limb *z, const bm_limb *y, bm_mask add, size_t num);

/* z -= y where sub is true; the borrow. */
bm_limb bm_cond_sub(bm_limb *z, const bm_limb *y, bm_mask sub, size_t num);

/* z = m ? x : y */
void bm_cond_select(bm_limb *z, bm_mask m, const bm_limb *x, const bm_limb *y, size_t num);

/* x and y change places where swap is true. */
void bm_cond_swap(bm_limb *x, bm_limb *y, bm_mask swap, size_t num);

/* z = x y, with z of num_x + num_y limbs, distinct from x and y. Schoolbook: for set-up, not speed. */
void bm_mul(bm_limb *z, const bm_limb *x, size_t num_x, const bm_limb *y, size_t num_y);

/* z = x >> shift, 0 <= shift < 64. */
void bm_shift_right(bm_limb *z, const bm_limb *x, unsigned shift, size_t num);

/*
 * Long division: x = quotient m + z with z < m, in constant time, a bit of x at a time: for set-up,
 * not speed. quotient has num_x limbs and may be NULL; z has num_m limbs, at least the significant
 * ones of m, and m is not zero. No overlap. Scratch: num_m limbs.
 */
void bm_divide(bm_limb *quotient, bm_limb *z, const bm_limb *x, size_t num_x, const bm_limb *m,
               size_t num_m, bm_limb *scratch);

/* Comparisons over all num limbs. */
bm_mask bm_is_zero(const bm_limb *x, size_t num);
bm_mask bm_is_one(const bm_limb *x, size_t num);
bm_mask bm_is_odd(const bm_limb *x, size_t num);
bm_mask bm_eq(const bm_limb *x, const bm_limb *y, size_t num);
bm_mask bm_lt(const bm_limb *x, const bm_limb *y, size_t num);

/*
 * z = OS2IP(bytes). False, with z zero, when the value needs more than num limbs: whether it does is
 * public, the rest is not.
 */
bool bm_decode(bm_limb *z, size_t num, const uint8_t *bytes, size_t len);

/*
 * bytes = I2OSP(x, len), always exactly len bytes. Bits of x beyond len bytes are dropped: the
 * caller knows that there are none.
 */
void bm_encode(uint8_t *bytes, size_t len, const bm_limb *x, size_t num);

/* The position of the highest set bit plus one; 0 for zero. Time depends on x. */
size_t bm_bits_vartime(const bm_limb *x, size_t num);

/* ---- moduli (modulus.c) --------------------------------------------------------------------- */

typedef struct bm_modulus {
    const struct bm_kernels *kernels;
    size_t num;    /* limbs */
    size_t bits;   /* public: the length of m */
    bm_limb n0;    /* -1/m mod 2^64 */
    bm_limb *m;    /* num limbs */
    bm_limb *rr;   /* R^2 mod m, R = 2^(64 num); num limbs */
    bm_limb *vec;  /* what kernels->vec prepared for this modulus, or NULL (kernels.h) */
} bm_modulus;

/* Limbs of memory that a modulus of num limbs needs, with this set of kernels. */
size_t bm_modulus_limbs(const struct bm_kernels *kernels, size_t num);

/*
 * Limbs of scratch that serve every function below that takes a modulus, for moduli of up to num
 * limbs (bm_exp_pair: for the two together).
 */
size_t bm_scratch_limbs(const struct bm_kernels *kernels, size_t num);

/*
 * Sets up *mod for m of num limbs, with `memory` of bm_modulus_limbs() for as long as *mod is used.
 * m is copied. False for an even m, for 1, for a zero top limb, for num 0 or above BM_MAX_LIMBS:
 * these are public facts. The value of m stays secret. R^2 comes by about num/4 doublings beyond R,
 * then by Montgomery squarings.
 */
bool bm_modulus_init(bm_modulus *mod, const struct bm_kernels *kernels, const bm_limb *m, size_t num,
                     bm_limb *memory, bm_limb *scratch);

/* z = x mod m, x of num_x limbs, any value; z of m->num limbs. */
void bm_reduce(bm_limb *z, const bm_limb *x, size_t num_x, const bm_modulus *m, bm_limb *scratch);

/* z = x + y mod m, z = x - y mod m; x, y < m. */
void bm_mod_add(bm_limb *z, const bm_limb *x, const bm_limb *y, const bm_modulus *m);
void bm_mod_sub(bm_limb *z, const bm_limb *x, const bm_limb *y, const bm_modulus *m);

/* ---- Montgomery form (montgomery.c) --------------------------------------------------------- */

/* z = x y / R mod m; x < R, y < m (or any x y < m R); z < m. */
void bm_mont_mul(bm_limb *z, const bm_limb *x, const bm_limb *y, const bm_modulus *m,
                 bm_limb *scratch);

/* z = x^2 / R mod m. */
void bm_mont_sqr(bm_limb *z, const bm_limb *x, const bm_modulus *m, bm_limb *scratch);

/* z = x R mod m, and z = x / R mod m. */
void bm_to_mont(bm_limb *z, const bm_limb *x, const bm_modulus *m, bm_limb *scratch);
void bm_from_mont(bm_limb *z, const bm_limb *x, const bm_modulus *m, bm_limb *scratch);

/* z = x y mod m, in and out of plain form: two Montgomery products. */
void bm_mod_mul(bm_limb *z, const bm_limb *x, const bm_limb *y, const bm_modulus *m,
                bm_limb *scratch);

/* ---- inverses (inverse.c) ------------------------------------------------------------------- */

/* Limbs of scratch for the functions of this chapter. */
size_t bm_inverse_scratch_limbs(size_t num);

/*
 * z = 1/x mod m, z < m, for any m > 0, odd or even, and any x of num limbs. False, with z = 0, when
 * x and m have a common factor. Time depends on num and on what is public: the parity of m, and for
 * an even m the parity of x. Modulo 1 the inverse is 0. Overlap of z with x and m is allowed.
 */
bm_mask bm_inverse(bm_limb *z, const bm_limb *x, const bm_limb *m, size_t num, bm_limb *scratch);

/* The same for public values, about a quarter faster. */
bool bm_inverse_vartime(bm_limb *z, const bm_limb *x, const bm_limb *m, size_t num,
                        bm_limb *scratch);

/* z = t / x mod 2^(64 num) for an odd x (Hensel's division); t is destroyed, z is not t or x. */
void bm_divide_odd(bm_limb *z, bm_limb *t, const bm_limb *x, size_t num);

/* z = gcd(x, y) of num limbs, any values; gcd(x, 0) = x. */
void bm_gcd(bm_limb *z, const bm_limb *x, const bm_limb *y, size_t num, bm_limb *scratch);

/* ---- exponentiation (exp.c, exp_even.c) ------------------------------------------------------ */

/*
 * z = x^e mod m; x < m. e has e_bits bits (public), of which high ones may be zero; time depends on
 * e_bits and m->num alone. x^0 = 1, 0^0 = 1.
 */
void bm_exp(bm_limb *z, const bm_limb *x, const bm_limb *e, size_t e_bits, const bm_modulus *m,
            bm_limb *scratch);

/* One operand set of bm_exp_pair. */
typedef struct bm_exp_arg {
    bm_limb *z;
    const bm_limb *x;
    const bm_limb *e;
    const bm_modulus *m;
} bm_exp_arg;

/*
 * Two exponentiations as bm_exp, faster together where the kernels can interleave them. Both
 * exponents are read to e_bits bits. The moduli share their kernels; their widths may differ.
 */
void bm_exp_pair(const bm_exp_arg arg[2], size_t e_bits, bm_limb *scratch);

/* z = x^e mod m with time that depends on e (public, e_bits significant bits), not on x. */
void bm_exp_vartime(bm_limb *z, const bm_limb *x, const bm_limb *e, size_t e_bits,
                    const bm_modulus *m, bm_limb *scratch);

/*
 * z = x^e mod m for any m of num limbs, odd or even, leading zeros included, set-up included: for a
 * modulus that is used once. x is any number of num limbs. m is public as far as its length and the
 * zeros at its low end go; time depends on these and on e_bits, not on x, e or the rest of m. False,
 * with z = 0, for m = 0 and for num above BM_MAX_LIMBS; modulo 1 everything is 0. z may be x.
 * Scratch: bm_exp_any_scratch_limbs.
 */
bool bm_exp_any(bm_limb *z, const bm_limb *x, const bm_limb *e, size_t e_bits, const bm_limb *m,
                size_t num, const struct bm_kernels *kernels, bm_limb *scratch);

/* The same with time that depends on e, too. */
bool bm_exp_any_vartime(bm_limb *z, const bm_limb *x, const bm_limb *e, size_t e_bits,
                        const bm_limb *m, size_t num, const struct bm_kernels *kernels,
                        bm_limb *scratch);

size_t bm_exp_any_scratch_limbs(const struct bm_kernels *kernels, size_t num);

#endif
