/* Numbers of a fixed width: sums, comparisons, conversion. The ground under modulus.c. */
#include "bigmod.h"
#include "wide.h"

#include <string.h>

bm_limb
bm_add(bm_limb *z, const bm_limb *x, const bm_limb *y, size_t num)
{
    bm_limb carry = 0;

    for (size_t i = 0; i < num; i++)
        z[i] = bm_addc(x[i], y[i], &carry);
    return carry;
}

bm_limb
bm_sub(bm_limb *z, const bm_limb *x, const bm_limb *y, size_t num)
{
    bm_limb borrow = 0;

    for (size_t i = 0; i < num; i++)
        z[i] = bm_subb(x[i], y[i], &borrow);
    return borrow;
}

bm_limb
bm_cond_add(bm_limb *z, const bm_limb *y, bm_mask add, size_t num)
{
    bm_limb carry = 0;

    for (size_t i = 0; i < num; i++)
        z[i] = bm_addc(z[i], bm_select(add, y[i], 0), &carry);
    return carry;
}

bm_limb
bm_cond_sub(bm_limb *z, const bm_limb *y, bm_mask sub, size_t num)
{
    bm_limb borrow = 0;

    for (size_t i = 0; i < num; i++)
        z[i] = bm_subb(z[i], bm_select(sub, y[i], 0), &borrow);
    return borrow;
}

void
bm_cond_select(bm_limb *z, bm_mask m, const bm_limb *x, const bm_limb *y, size_t num)
{
    for (size_t i = 0; i < num; i++)
        z[i] = bm_select(m, x[i], y[i]);
}

void
bm_cond_swap(bm_limb *x, bm_limb *y, bm_mask swap, size_t num)
{
    for (size_t i = 0; i < num; i++) {
        bm_limb both = (x[i] ^ y[i]) & bm_barrier(swap.bits);

        x[i] ^= both;
        y[i] ^= both;
    }
}

void
bm_mul(bm_limb *z, const bm_limb *x, size_t num_x, const bm_limb *y, size_t num_y)
{
    memset(z, 0, (num_x + num_y) * sizeof(*z));
    for (size_t i = 0; i < num_x; i++)
        z[i + num_y] = bm_mul_add_row(z + i, y, x[i], num_y);
}

void
bm_shift_right(bm_limb *z, const bm_limb *x, unsigned shift, size_t num)
{
    for (size_t i = 0; i < num; i++) {
        bm_limb above = i + 1 < num ? x[i + 1] : 0;

        /* Two shifts, because a shift by 64 is undefined. */
        z[i] = (x[i] >> shift) | ((above << 1) << (63 - shift));
    }
}

void
bm_divide(bm_limb *quotient, bm_limb *z, const bm_limb *x, size_t num_x, const bm_limb *m,
          size_t num_m, bm_limb *scratch)
{
    bm_limb *less = scratch;

    memset(z, 0, num_m * sizeof(*z));
    if (quotient != NULL)
        memset(quotient, 0, num_x * sizeof(*quotient));
    for (size_t pos = BM_LIMB_BITS * num_x; pos-- > 0;) {
        bm_limb bit = (x[pos / BM_LIMB_BITS] >> (pos % BM_LIMB_BITS)) & 1;
        bm_limb carry = bm_add(z, z, z, num_m); /* z = 2 z + bit < 2 m */
        bm_mask fits;

        z[0] |= bit;
        fits = bm_mask_bit(carry | (bm_sub(less, z, m, num_m) ^ 1)); /* z >= m */
        bm_cond_select(z, fits, less, z, num_m);
        if (quotient != NULL)
            quotient[pos / BM_LIMB_BITS] |= (fits.bits & 1) << (pos % BM_LIMB_BITS);
    }
}

bm_mask
bm_is_zero(const bm_limb *x, size_t num)
{
    bm_limb any = 0;

    for (size_t i = 0; i < num; i++)
        any |= x[i];
    return bm_mask_zero(any);
}

bm_mask
bm_is_one(const bm_limb *x, size_t num)
{
    bm_limb any = x[0] ^ 1;

    for (size_t i = 1; i < num; i++)
        any |= x[i];
    return bm_mask_zero(any);
}

bm_mask
bm_is_odd(const bm_limb *x, size_t num)
{
    return bm_mask_bit(num > 0 ? x[0] & 1 : 0);
}

bm_mask
bm_eq(const bm_limb *x, const bm_limb *y, size_t num)
{
    bm_limb any = 0;

    for (size_t i = 0; i < num; i++)
        any |= x[i] ^ y[i];
    return bm_mask_zero(any);
}

bm_mask
bm_lt(const bm_limb *x, const bm_limb *y, size_t num)
{
    bm_limb borrow = 0;

    for (size_t i = 0; i < num; i++)
        (void)bm_subb(x[i], y[i], &borrow);
    return bm_mask_bit(borrow);
}

/* Eight bytes, big-endian; spelt so that compilers see one load and one store. */
static bm_limb
load_limb(const uint8_t b[8])
{
    return (bm_limb)b[0] << 56 | (bm_limb)b[1] << 48 | (bm_limb)b[2] << 40 | (bm_limb)b[3] << 32 |
           (bm_limb)b[4] << 24 | (bm_limb)b[5] << 16 | (bm_limb)b[6] << 8 | b[7];
}

static void
store_limb(uint8_t b[8], bm_limb limb)
{
    b[0] = (uint8_t)(limb >> 56);
    b[1] = (uint8_t)(limb >> 48);
    b[2] = (uint8_t)(limb >> 40);
    b[3] = (uint8_t)(limb >> 32);
    b[4] = (uint8_t)(limb >> 24);
    b[5] = (uint8_t)(limb >> 16);
    b[6] = (uint8_t)(limb >> 8);
    b[7] = (uint8_t)limb;
}

bool
bm_decode(bm_limb *z, size_t num, const uint8_t *bytes, size_t len)
{
    size_t whole = len / BM_LIMB_BYTES < num ? len / BM_LIMB_BYTES : num;
    uint8_t beyond = 0;
    bm_limb fits;

    for (size_t i = 0; i < whole; i++)
        z[i] = load_limb(bytes + len - (i + 1) * BM_LIMB_BYTES);
    memset(z + whole, 0, (num - whole) * sizeof(*z));
    for (size_t i = whole * BM_LIMB_BYTES; i < len; i++) {
        uint8_t byte = bytes[len - 1 - i];

        if (i / BM_LIMB_BYTES < num)
            z[i / BM_LIMB_BYTES] |= (bm_limb)byte << (8 * (i % BM_LIMB_BYTES));
        else
            beyond |= byte;
    }
    fits = bm_mask_zero(beyond).bits;
    if (bm_declassify((bm_mask){fits}, "whether an encoded number fits its width is public"))
        return true;
    bm_wipe(z, num * sizeof(*z));
    return false;
}

void
bm_encode(uint8_t *bytes, size_t len, const bm_limb *x, size_t num)
{
    size_t whole = len / BM_LIMB_BYTES < num ? len / BM_LIMB_BYTES : num;

    for (size_t i = 0; i < whole; i++)
        store_limb(bytes + len - (i + 1) * BM_LIMB_BYTES, x[i]);
    for (size_t i = whole * BM_LIMB_BYTES; i < len; i++) {
        bm_limb limb = i / BM_LIMB_BYTES < num ? x[i / BM_LIMB_BYTES] : 0;

        bytes[len - 1 - i] = (uint8_t)(limb >> (8 * (i % BM_LIMB_BYTES)));
    }
}

size_t
bm_bits_vartime(const bm_limb *x, size_t num)
{
    while (num > 0 && x[num - 1] == 0)
        num--;
    if (num == 0)
        return 0;
    return BM_LIMB_BITS * num - (size_t)__builtin_clzll(x[num - 1]);
}
