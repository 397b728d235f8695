/*
 * The paddings of PKCS#1 v1.5: type 1 for signatures, type 2 for encryption (RFC 8017, sections 7.2
 * and 9.2). Signatures are verified by building the one right block and comparing all of it:
 * nothing is parsed (FAILURES.md rows 40 to 42).
 */
#include "rsa.h"

#include <string.h>

enum { MIN_PADDING = 8 }; /* bytes of PS */

/* ---- signatures ------------------------------------------------------------------------------ */

bool
bm_pkcs1_encode(uint8_t *em, size_t k, bm_bytes prefix, bm_bytes digest)
{
    size_t len, ps_len;

    memset(em, 0, k);
    if (prefix.len > k || digest.len > k - prefix.len)
        return false;
    len = prefix.len + digest.len;
    if (k - len < 3 + MIN_PADDING)
        return false;
    ps_len = k - len - 3;

    em[1] = 1; /* 00 01 || PS || 00 || T */
    memset(em + 2, 0xFF, ps_len);
    if (prefix.len > 0)
        memcpy(em + 3 + ps_len, prefix.bytes, prefix.len);
    if (digest.len > 0)
        memcpy(em + 3 + ps_len + prefix.len, digest.bytes, digest.len);
    return true;
}

bool
bm_pkcs1_verify(const uint8_t *em, size_t k, bm_bytes prefix, bm_bytes digest)
{
    uint8_t want[BM_RSA_MAX_BYTES];

    return k <= sizeof(want) && bm_pkcs1_encode(want, k, prefix, digest) &&
           memcmp(want, em, k) == 0;
}

bool
bm_pkcs1_recover(const uint8_t *em, size_t k, size_t *message_at, size_t *message_len)
{
    size_t at = 2;

    *message_at = *message_len = 0;
    if (k < 3 + MIN_PADDING || em[0] != 0 || em[1] != 1)
        return false;
    while (at < k && em[at] == 0xFF)
        at++;
    if (at == k || em[at] != 0 || at - 2 < MIN_PADDING)
        return false;
    *message_at = at + 1;
    *message_len = k - *message_at;
    return true;
}
