/* Integers modulo the order of Ed25519's base point: 2^252 is small modulo it, but for the sign. */
#include "scalar.h"
#include "bigmod.h"
#include "wide.h"

#include <string.h>

const bm_limb bm_scalar_order[4] = {
    UINT64_C(0x5812631a5cf5d3ed),
    UINT64_C(0x14def9dea2f79cd6),
    0,
    UINT64_C(0x1000000000000000),
};

/* 2 L */
static const bm_limb order2[4] = {
    UINT64_C(0xb024c634b9eba7da),
    UINT64_C(0x29bdf3bd45ef39ac),
    0,
    UINT64_C(0x2000000000000000),
};

/* Loops are unrolled for the sake of gcc -O2, which leaves limbs in memory otherwise. */

/* z = x y, of num_x + num_y limbs */
static inline void
multiply(bm_limb *z, const bm_limb *x, int num_x, const bm_limb *y, int num_y)
{
#pragma GCC unroll 4
    for (int j = 0; j < num_y; j++) {
        bm_limb carry = 0;

#pragma GCC unroll 8
        for (int i = 0; i < num_x; i++)
            z[i + j] = bm_mul_add(x[i], y[j], j == 0 ? 0 : z[i + j], &carry);
        z[num_x + j] = carry;
    }
}

/* z = c x with c = L - 2^252, of num + 2 limbs */
static inline void
multiply_c(bm_limb *z, const bm_limb *x, int num)
{
    multiply(z, x, num, bm_scalar_order, 2);
}

/* The num limbs of x >> 252; x then keeps what is below. */
static inline void
split(bm_limb *high, bm_limb *x, int num)
{
    bm_limb low = x[3];

    x[3] = low & ((UINT64_C(1) << 60) - 1);
#pragma GCC unroll 8
    for (int i = 0; i < num - 1; i++) {
        const bm_limb next = x[i + 4];

        high[i] = low >> 60 | next << 4;
        low = next;
    }
    high[num - 1] = low >> 60;
}

static inline bm_limb
add4(bm_limb z[4], const bm_limb x[4], const bm_limb y[4])
{
    bm_limb carry = 0;

#pragma GCC unroll 8
    for (int i = 0; i < 4; i++)
        z[i] = bm_addc(x[i], y[i], &carry);
    return carry;
}

static inline bm_limb
sub4(bm_limb z[4], const bm_limb x[4], const bm_limb y[4])
{
    bm_limb borrow = 0;

#pragma GCC unroll 8
    for (int i = 0; i < 4; i++)
        z[i] = bm_subb(x[i], y[i], &borrow);
    return borrow;
}

/* z -= m where z >= m */
static inline void
sub4_once(bm_limb z[4], const bm_limb m[4])
{
    bm_limb t[4];
    bm_mask below = bm_mask_bit(sub4(t, z, m));

#pragma GCC unroll 8
    for (int i = 0; i < 4; i++)
        z[i] = bm_select(below, z[i], t[i]);
}

/*
 * With L = 2^252 + c, c below 2^125: 2^252 is -c modulo L. So, splitting at 2^252 each time,
 *
 *     x = x0 - c x1;  c x1 = y0 - c y1;  c y1 = z0 - c z1;
 *     x = x0 - y0 + z0 - c z1, and with 2 L more it lies in (0, 4 L)
 */
void
bm_scalar_reduce(bm_limb z[4], const bm_limb x[8])
{
    struct {
        bm_limb x0[8], x1[5], y0[7], y1[4], z0[5], z1[2], w[4];
    } t;

#pragma GCC unroll 8
    for (int i = 0; i < 8; i++)
        t.x0[i] = x[i];
    split(t.x1, t.x0, 5);
    multiply_c(t.y0, t.x1, 5);
    split(t.y1, t.y0, 4); /* [y1 < 2^133: three limbs] */
    multiply_c(t.z0, t.y1, 3);
    split(t.z1, t.z0, 2); /* [z1 < 2^6] */
    multiply_c(t.w, t.z1, 2);
    add4(z, t.x0, order2);
    sub4(z, z, t.y0);
    add4(z, z, t.z0);
    sub4(z, z, t.w);
    sub4_once(z, order2);
    sub4_once(z, bm_scalar_order);
    bm_wipe(&t, sizeof(t));
}

void
bm_scalar_mul_add(bm_limb z[4], const bm_limb x[4], const bm_limb y[4], const bm_limb w[4])
{
    bm_limb t[8], carry;

    multiply(t, x, 4, y, 4);
    carry = add4(t, t, w);
#pragma GCC unroll 8
    for (int i = 4; i < 8; i++)
        t[i] = bm_addc(t[i], 0, &carry);
    bm_scalar_reduce(z, t);
    bm_wipe(t, sizeof(t));
}

bm_mask
bm_scalar_is_reduced(const bm_limb x[4])
{
    return bm_lt(x, bm_scalar_order, 4);
}

/* The number whose bytes in memory are little-endian, or the other way round. */
static inline bm_limb
little_endian(bm_limb x)
{
    return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? __builtin_bswap64(x) : x;
}

void
bm_scalar_decode(bm_limb *z, const uint8_t *bytes, size_t num)
{
    for (size_t i = 0; i < num; i++) {
        bm_limb limb;

        memcpy(&limb, bytes + 8 * i, sizeof(limb));
        z[i] = little_endian(limb);
    }
}

void
bm_scalar_encode(uint8_t *bytes, const bm_limb *x, size_t num)
{
    for (size_t i = 0; i < num; i++) {
        const bm_limb limb = little_endian(x[i]);

        memcpy(bytes + 8 * i, &limb, sizeof(limb));
    }
}
