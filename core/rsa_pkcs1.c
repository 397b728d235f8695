/*
 * The paddings of PKCS#1 v1.5: type 1 for signatures, type 2 for encryption (RFC 8017, sections 7.2
 * and 9.2). Signatures are verified by building the one right block and comparing all of it:
 * nothing is parsed (FAILURES.md rows 40 to 42).
 */
#include "rsa.h"
#include "rsa_unpad.h"

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

/* ---- encryption ------------------------------------------------------------------------------ */

enum { NONZERO_TRIES = 128 }; /* draws for one byte that must not be 0, until the source is stuck */

bool
bm_pkcs1_pad_encrypt(uint8_t *em, size_t k, bm_bytes message, const bm_random *random)
{
    uint8_t *ps = em + 2;
    size_t ps_len;

    memset(em, 0, k);
    if (k < 3 + MIN_PADDING || message.len > k - 3 - MIN_PADDING)
        return false;
    ps_len = k - 3 - message.len;
    if (!random->fill(random->arg, ps, ps_len))
        goto fail;
    for (size_t i = 0; i < ps_len; i++) {
        /* That a byte was drawn again tells nothing of the bytes that stay. */
        for (int tries = 0; ps[i] == 0; tries++)
            if (tries == NONZERO_TRIES || !random->fill(random->arg, ps + i, 1))
                goto fail;
    }
    em[1] = 2; /* 00 02 || PS || 00 || M */
    em[2 + ps_len] = 0;
    if (message.len > 0)
        memcpy(em + 3 + ps_len, message.bytes, message.len);
    return true;

fail:
    bm_wipe(em, k);
    return false;
}

/*
 * Whether em is 00 02 || PS || 00 || M with 8 bytes of PS or more; *start is where M begins, or k
 * when it is not.
 */
static bm_mask
find_message(bm_limb *start, const uint8_t *em, size_t k)
{
    bm_mask good = bm_mask_and(bm_mask_eq(em[0], 0), bm_mask_eq(em[1], 2));
    bm_mask seeking = bm_mask_of(true);
    bm_limb zero_at = 0;

    for (size_t i = 2; i < k; i++) {
        bm_mask zero = bm_mask_zero(em[i]);

        zero_at = bm_select(bm_mask_and(seeking, zero), i, zero_at);
        seeking = bm_mask_and(seeking, bm_mask_not(zero));
    }
    good = bm_mask_and(good, bm_mask_not(seeking));
    good = bm_mask_and(good, bm_mask_not(bm_mask_lt(zero_at, 2 + MIN_PADDING)));
    *start = bm_select(good, zero_at + 1, k);
    return good;
}

bm_mask
bm_pkcs1_unpad_decrypt(uint8_t *out, size_t out_len, bm_limb *len, const uint8_t *em, size_t k)
{
    uint8_t block[BM_RSA_MAX_BYTES];
    bm_mask good;
    bm_limb start;

    memset(out, 0, out_len);
    *len = 0;
    if (k < 3 + MIN_PADDING || k > sizeof(block))
        return bm_mask_of(false);
    good = find_message(&start, em, k);
    good = bm_mask_and(good, bm_mask_not(bm_mask_lt(out_len, k - start))); /* it fits */
    start = bm_select(good, start, k);
    memcpy(block, em, k);
    bm_unpad_move(out, out_len, len, block, k, start);
    bm_wipe(block, k);
    return good;
}

bool
bm_pkcs1_unpad_tls(uint8_t out[BM_TLS_PREMASTER_LEN], const uint8_t *em, size_t k, unsigned version,
                   unsigned alt_version, const uint8_t fallback[BM_TLS_PREMASTER_LEN])
{
    const uint8_t *message;
    bm_mask good, right;
    bm_limb sent;

    if (k < 3 + MIN_PADDING + BM_TLS_PREMASTER_LEN) {
        memset(out, 0, BM_TLS_PREMASTER_LEN);
        return false;
    }
    message = em + k - BM_TLS_PREMASTER_LEN;
    good = bm_mask_and(bm_mask_eq(em[0], 0), bm_mask_eq(em[1], 2));
    for (const uint8_t *ps = em + 2; ps < message - 1; ps++)
        good = bm_mask_and(good, bm_mask_not(bm_mask_zero(*ps)));
    good = bm_mask_and(good, bm_mask_zero(message[-1]));

    sent = (bm_limb)message[0] << 8 | message[1];
    right = bm_mask_eq(sent, version & 0xFFFF);
    if (alt_version != 0)
        right = bm_mask_or(right, bm_mask_eq(sent, alt_version & 0xFFFF));
    good = bm_mask_and(good, right);
    for (size_t i = 0; i < BM_TLS_PREMASTER_LEN; i++)
        out[i] = bm_select_byte(good, message[i], fallback[i]);
    return true;
}

/* ---- implicit rejection ---------------------------------------------------------------------- */

enum {
    KDK_LEN = 32,
    LENGTH_CANDIDATES = 128, /* two bytes each: none fits with probability below 2^-128 */
    HMAC_MAX_PARTS = 3,
};

/* out = HMAC(key, parts) with key_len at most the hash's block (RFC 2104). */
static bool
hmac(uint8_t *out, const bm_hash *hash, const uint8_t *key, size_t key_len, const bm_bytes *parts,
     size_t num_parts)
{
    uint8_t pad[BM_HASH_MAX_BLOCK_LEN], inner[BM_HASH_MAX_LEN];
    bm_bytes whole[1 + HMAC_MAX_PARTS] = {{pad, hash->block_len}};
    bool ok;

    for (size_t i = 0; i < num_parts; i++)
        whole[1 + i] = parts[i];
    for (size_t i = 0; i < hash->block_len; i++)
        pad[i] = (i < key_len ? key[i] : 0) ^ 0x36;
    ok = hash->digest(hash->arg, inner, whole, 1 + num_parts);
    for (size_t i = 0; i < hash->block_len; i++)
        pad[i] ^= 0x36 ^ 0x5C;
    whole[1] = (bm_bytes){inner, hash->len};
    ok = ok && hash->digest(hash->arg, out, whole, 2);
    bm_wipe(pad, sizeof(pad));
    bm_wipe(inner, sizeof(inner));
    return ok;
}

bool
bm_pkcs1_rejection_key(uint8_t kdk[KDK_LEN], const bm_hash *sha256, bm_bytes d, bm_bytes ciphertext)
{
    uint8_t key[KDK_LEN];
    bool ok = sha256->digest(sha256->arg, key, &d, 1) &&
              hmac(kdk, sha256, key, sizeof(key), &ciphertext, 1);

    bm_wipe(key, sizeof(key));
    if (!ok)
        bm_wipe(kdk, KDK_LEN);
    return ok;
}

/* out = HMAC(kdk, i || label || bits) for i = 0, 1, ..., cut to len; i and bits are 16-bit. */
static bool
rejection_prf(uint8_t *out, size_t len, const char *label, const uint8_t kdk[KDK_LEN],
              const bm_hash *sha256)
{
    const uint8_t bits[2] = {(uint8_t)(8 * len >> 8), (uint8_t)(8 * len)};
    uint8_t block[KDK_LEN];
    bool ok = true;

    for (size_t at = 0, i = 0; ok && at < len; at += KDK_LEN, i++) {
        const uint8_t index[2] = {(uint8_t)(i >> 8), (uint8_t)i};
        const bm_bytes parts[] = {
            {index, sizeof(index)}, {(const uint8_t *)label, strlen(label)}, {bits, sizeof(bits)}};

        ok = hmac(block, sha256, kdk, KDK_LEN, parts, 3);
        if (ok)
            memcpy(out + at, block, len - at < KDK_LEN ? len - at : KDK_LEN);
    }
    bm_wipe(block, sizeof(block));
    return ok;
}

/* Where the synthetic message begins in a block of k bytes: the last candidate that fits decides.
 */
static bm_limb
synthetic_start(const uint8_t candidates[2 * LENGTH_CANDIDATES], size_t k)
{
    const bm_limb limit = k - 2 - MIN_PADDING;
    bm_limb mask = limit, len = 0;

    for (unsigned shift = 1; shift < 16; shift *= 2)
        mask |= mask >> shift;
    for (size_t i = 0; i < LENGTH_CANDIDATES; i++) {
        bm_limb candidate = ((bm_limb)candidates[2 * i] << 8 | candidates[2 * i + 1]) & mask;

        len = bm_select(bm_mask_lt(candidate, limit), candidate, len);
    }
    return k - len;
}

bool
bm_pkcs1_decrypt_implicit(uint8_t *out, size_t out_len, size_t *len, const uint8_t *em, size_t k,
                          const uint8_t kdk[KDK_LEN], const bm_hash *sha256)
{
    uint8_t block[BM_RSA_MAX_BYTES], candidates[2 * LENGTH_CANDIDATES];
    bm_limb start, found = 0;
    bool ok;

    memset(out, 0, out_len);
    *len = 0;
    if (k < 3 + MIN_PADDING || k > sizeof(block))
        return false;
    ok = rejection_prf(block, k, "message", kdk, sha256) &&
         rejection_prf(candidates, sizeof(candidates), "length", kdk, sha256);
    if (ok) {
        bm_mask good = find_message(&start, em, k);

        good = bm_mask_and(good, bm_mask_not(bm_mask_lt(out_len, k - start)));
        start = bm_select(good, start, synthetic_start(candidates, k));
        for (size_t i = 0; i < k; i++)
            block[i] = bm_select_byte(good, em[i], block[i]);
        bm_unpad_move(out, out_len, &found, block, k, start);
        bm_public(&found, sizeof(found), "a length alone does not tell real from synthetic");
        *len = (size_t)found;
    }
    bm_wipe(block, k);
    bm_wipe(candidates, sizeof(candidates));
    return ok;
}
