/* Integers modulo the order of Ed25519's base point: reduction by Barrett's method. */
#include "scalar.h"
#include "bigmod.h"
#include "wide.h"

static const bm_limb order[5] = {
    UINT64_C(0x5812631a5cf5d3ed), UINT64_C(0x14def9dea2f79cd6), 0, UINT64_C(0x1000000000000000), 0,
};

/* floor(2^512 / L) */
static const bm_limb reciprocal[5] = {
    UINT64_C(0xed9ce5a30a2c131b),
    UINT64_C(0x2106215d086329a7),
    UINT64_C(0xffffffffffffffeb),
    UINT64_C(0xffffffffffffffff),
    UINT64_C(0xf),
};

/* Handbook of Applied Cryptography, algorithm 14.42, with base 2^64 and k = 4. */
void
bm_scalar_reduce(bm_limb z[4], const bm_limb x[8])
{
    bm_limb quotient[10], product[10], r[5];

    /* quotient = floor(floor(x / 2^192) reciprocal / 2^320), at most 2 too small */
    bm_mul(quotient, x + 3, 5, reciprocal, 5);
    bm_mul(product, quotient + 5, 5, order, 4);
    /* [0 <= r < 3 L] */
    bm_sub(r, x, product, 5);
    for (int i = 0; i < 2; i++) {
        bm_limb t[5];
        bm_limb borrow = bm_sub(t, r, order, 5);

        bm_cond_select(r, bm_mask_bit(borrow), r, t, 5);
    }
    for (int i = 0; i < 4; i++)
        z[i] = r[i];
    bm_wipe(quotient, sizeof(quotient));
    bm_wipe(product, sizeof(product));
    bm_wipe(r, sizeof(r));
}

void
bm_scalar_mul_add(bm_limb z[4], const bm_limb x[4], const bm_limb y[4], const bm_limb w[4])
{
    bm_limb t[8], carry;

    bm_mul(t, x, 4, y, 4);
    carry = bm_add(t, t, w, 4);
    for (int i = 4; i < 8; i++)
        t[i] = bm_addc(t[i], 0, &carry);
    bm_scalar_reduce(z, t);
    bm_wipe(t, sizeof(t));
}

bm_mask
bm_scalar_is_reduced(const bm_limb x[4])
{
    return bm_lt(x, order, 4);
}

void
bm_scalar_decode(bm_limb *z, const uint8_t *bytes, size_t num)
{
    for (size_t i = 0; i < num; i++, bytes += 8) {
        z[i] = 0;
        for (unsigned j = 0; j < 8; j++)
            z[i] |= (bm_limb)bytes[j] << 8 * j;
    }
}

void
bm_scalar_encode(uint8_t *bytes, const bm_limb *x, size_t num)
{
    for (size_t i = 0; i < num; i++, bytes += 8) {
        for (unsigned j = 0; j < 8; j++)
            bytes[j] = (uint8_t)(x[i] >> 8 * j);
    }
}
