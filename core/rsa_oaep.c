/*
 * RSAES-OAEP: padding, and unpadding in constant time (RFC 8017, section 7.1). Manger's attack:
 * nobody learns which of the checks failed (FAILURES.md rows 49 and 55).
 */
#include "rsa.h"
#include "rsa_unpad.h"

#include <string.h>

bool
bm_oaep_pad(uint8_t *em, size_t k, bm_bytes message, bm_bytes label, const bm_hash *hash,
            const bm_hash *mgf_hash, const bm_random *random)
{
    const size_t h_len = hash->len;
    uint8_t *seed = em + 1, *db = seed + h_len;
    size_t db_len;

    memset(em, 0, k);
    if (k < 2 * h_len + 2 || message.len > k - 2 * h_len - 2)
        return false;
    db_len = k - h_len - 1;

    /* EM = 00 || seed xor MGF(maskedDB) || DB xor MGF(seed), DB = lHash || PS || 01 || M */
    db[db_len - message.len - 1] = 1;
    if (message.len > 0)
        memcpy(db + db_len - message.len, message.bytes, message.len);
    if (hash->digest(hash->arg, db, &label, 1) && random->fill(random->arg, seed, h_len) &&
        bm_mgf1_xor(db, db_len, (bm_bytes){seed, h_len}, mgf_hash) &&
        bm_mgf1_xor(seed, h_len, (bm_bytes){db, db_len}, mgf_hash))
        return true;
    bm_wipe(em, k);
    return false;
}

bm_mask
bm_oaep_unpad(uint8_t *out, size_t out_len, bm_limb *len, uint8_t *em, size_t k, bm_bytes label,
              const bm_hash *hash, const bm_hash *mgf_hash)
{
    const size_t h_len = hash->len;
    uint8_t *seed = em + 1, *db = seed + h_len;
    uint8_t label_hash[BM_HASH_MAX_LEN];
    bm_mask good, seeking = bm_mask_of(true);
    size_t db_len;
    bm_limb start = 0;

    memset(out, 0, out_len);
    *len = 0;
    if (k < 2 * h_len + 2)
        return bm_mask_of(false);
    db_len = k - h_len - 1;
    if (!hash->digest(hash->arg, label_hash, &label, 1) ||
        !bm_mgf1_xor(seed, h_len, (bm_bytes){db, db_len}, mgf_hash) ||
        !bm_mgf1_xor(db, db_len, (bm_bytes){seed, h_len}, mgf_hash))
        return bm_mask_of(false);

    good = bm_mask_zero(em[0]);
    for (size_t i = 0; i < h_len; i++)
        good = bm_mask_and(good, bm_mask_eq(db[i], label_hash[i]));
    for (size_t i = h_len; i < db_len; i++) { /* PS || 01: zeros, then a one */
        bm_mask one = bm_mask_eq(db[i], 1), zero = bm_mask_zero(db[i]);

        start = bm_select(bm_mask_and(seeking, one), i + 1, start);
        good = bm_mask_and(good, bm_mask_or(bm_mask_not(seeking), bm_mask_or(one, zero)));
        seeking = bm_mask_and(seeking, bm_mask_not(one));
    }
    good = bm_mask_and(good, bm_mask_not(seeking));
    good = bm_mask_and(good, bm_mask_not(bm_mask_lt(out_len, db_len - start))); /* it fits */
    start = bm_select(good, start, db_len);
    bm_unpad_move(out, out_len, len, db, db_len, start);
    return good;
}
