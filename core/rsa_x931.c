/*
 * The padding of ANSI X9.31 for signatures, which OpenSSL still offers: 6B BB..BB BA || digest ||
 * hash identifier || CC, or 6A || ... when nothing is left to fill. A signature is the smaller of s
 * and n - s (ANSI X9.31-1998, section 4.3; ISO/IEC 9796-2).
 */
#include "rsa.h"

#include <string.h>

bool
bm_x931_encode(uint8_t *em, size_t k, bm_bytes message)
{
    size_t fill;

    memset(em, 0, k);
    if (k < 2 || message.len > k - 2)
        return false;
    fill = k - 2 - message.len; /* bytes after the header */
    em[0] = fill == 0 ? 0x6A : 0x6B;
    if (fill > 0) {
        memset(em + 1, 0xBB, fill - 1);
        em[fill] = 0xBA;
    }
    if (message.len > 0)
        memcpy(em + 1 + fill, message.bytes, message.len);
    em[k - 1] = 0xCC;
    return true;
}

bool
bm_x931_verify(const uint8_t *em, size_t k, bm_bytes message)
{
    uint8_t want[BM_RSA_MAX_BYTES];

    return k <= sizeof(want) && bm_x931_encode(want, k, message) && memcmp(want, em, k) == 0;
}

bool
bm_x931_recover(const uint8_t *em, size_t k, size_t *message_at, size_t *message_len)
{
    size_t at = 1;

    *message_at = *message_len = 0;
    if (k < 2 || em[k - 1] != 0xCC)
        return false;
    if (em[0] == 0x6B) {
        while (at < k - 1 && em[at] == 0xBB)
            at++;
        if (at == k - 1 || em[at] != 0xBA)
            return false;
        at++;
    } else if (em[0] != 0x6A) {
        return false;
    }
    *message_at = at;
    *message_len = k - 1 - at;
    return true;
}

void
bm_x931_smaller(bm_limb *z, const bm_limb *x, const bm_rsa_public *pub, bm_limb *scratch)
{
    const size_t num = pub->n.num;

    bm_sub(scratch, pub->n.m, x, num);
    bm_cond_select(z, bm_lt(scratch, x, num), scratch, x, num);
}

void
bm_x931_representative(bm_limb *z, const bm_limb *x, const bm_rsa_public *pub)
{
    if ((x[0] & 15) == 12)
        memmove(z, x, pub->n.num * sizeof(*z));
    else
        bm_sub(z, pub->n.m, x, pub->n.num);
}
