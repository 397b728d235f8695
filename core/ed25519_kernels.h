/*
 * What a kernel set does for Ed25519: whole scalar multiplications, bytes or limbs in, encoded
 * points out. The representation of field elements and points stays behind this door.
 *
 * Rows without vectors are instances of point_impl.h over one field (field25519.h) and differ in
 * the field's kernels alone; IFMA rows are their own.
 *
 * B is the base point, L its order, T = {8 points of small order}; E(P) the 32-byte encoding of RFC
 * 8032 5.1.2, always canonical.
 */
#ifndef BM_ED25519_KERNELS_H
#define BM_ED25519_KERNELS_H

#include "ed25519.h"

/* One double multiplication. */
typedef struct bm_ed25519_term {
    const bm_limb *table; /* what decode_negate() filled */
    bm_limb s[4];         /* < L, little-endian limbs */
    bm_limb h[4];         /* < L */
} bm_ed25519_term;

enum { BM_ED25519_MAX_BATCH = 16 }; /* terms at once */

typedef struct bm_ed25519_kernels {
    /*
     * out = E([s]B) for secret s < 2^255 (clamped, or below L), little-endian limbs; x = its affine
     * x, canonical. Constant time. The mask is true when the redundancy carried along (a shadow of
     * the scalar) says that the multiples chosen add up to s; the caller proves that (x, out) is on
     * the curve, which arithmetic gone wrong does not reach (FAILURES.md row 62; ed25519.c).
     */
    bm_mask (*base_mul)(uint8_t out[32], bm_limb x[4], const bm_limb s[4]);

    /*
     * Decodes A as OpenSSL does: the sign bit apart, y is taken modulo p even if it is not below p,
     * and x = 0 is accepted with either sign. False when no x exists. Fills `table`
     * (BM_ED25519_TABLE_LIMBS, any 8-byte alignment) with the multiples of -A that
     * double_mul_vartime wants: as much work as belongs to the key and not to one signature, at the
     * cost of about one verification. Public data, variable time.
     */
    bool (*decode_negate)(bm_limb *table, const uint8_t bytes[32]);

    /*
     * out[i] = E([s]B + [h](-A)) for each of the n terms, 1 <= n <= BM_ED25519_MAX_BATCH, exactly
     * (small order included, no cofactor); terms are independent, inversions may be shared. Public
     * data, variable time.
     */
    void (*double_mul_vartime)(uint8_t (*out)[32], const bm_ed25519_term *terms, size_t n);

    /* The n for which double_mul_vartime is at its best: how many signatures a batch takes at once.
     */
    size_t batch;
} bm_ed25519_kernels;

extern const bm_ed25519_kernels bm_ed25519_kernels_adx;
extern const bm_ed25519_kernels bm_ed25519_kernels_amd64;
extern const bm_ed25519_kernels bm_ed25519_kernels_portable;
#ifdef BM_ASM_ARM64
extern const bm_ed25519_kernels bm_ed25519_kernels_arm64;
#endif

#endif
