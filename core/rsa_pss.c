/* RSASSA-PSS: encoding and verification, and MGF1 (RFC 8017, sections 9.1 and B.2.1). */
#include "rsa.h"

#include <string.h>

bool
bm_mgf1_xor(uint8_t *out, size_t len, bm_bytes seed, const bm_hash *hash)
{
    uint8_t block[BM_HASH_MAX_LEN];
    bool ok = true;

    for (size_t at = 0, i = 0; ok && at < len; at += hash->len, i++) {
        const uint8_t counter[4] = {(uint8_t)(i >> 24), (uint8_t)(i >> 16), (uint8_t)(i >> 8),
                                    (uint8_t)i};
        const bm_bytes parts[] = {seed, {counter, sizeof(counter)}};
        size_t n = len - at < hash->len ? len - at : hash->len;

        ok = hash->digest(hash->arg, block, parts, 2);
        for (size_t j = 0; ok && j < n; j++)
            out[at + j] ^= block[j];
    }
    bm_wipe(block, sizeof(block));
    return ok;
}

/* H = Hash(00 00 00 00 00 00 00 00 || mHash || salt) */
static bool
hash_salted(uint8_t *h, const uint8_t *digest, bm_bytes salt, const bm_hash *hash)
{
    static const uint8_t zeros[8];
    const bm_bytes parts[] = {{zeros, sizeof(zeros)}, {digest, hash->len}, salt};

    return hash->digest(hash->arg, h, parts, 3);
}

/* The bits of EM's first byte that lie within em_bits. */
static uint8_t
top_mask(size_t em_bits)
{
    return (uint8_t)(0xFF >> (8 * ((em_bits + 7) / 8) - em_bits));
}

bool
bm_pss_encode(uint8_t *em, size_t em_bits, const uint8_t *digest, const bm_hash *hash,
              const bm_hash *mgf_hash, bm_bytes salt)
{
    const size_t em_len = (em_bits + 7) / 8, h_len = hash->len;
    size_t db_len;

    memset(em, 0, em_len);
    if (em_len < h_len + 2 || salt.len > em_len - h_len - 2)
        return false;
    db_len = em_len - h_len - 1;

    /* EM = DB xor MGF(H) || H || BC with DB = PS || 01 || salt */
    em[db_len - salt.len - 1] = 1;
    if (salt.len > 0)
        memcpy(em + db_len - salt.len, salt.bytes, salt.len);
    if (!hash_salted(em + db_len, digest, salt, hash) ||
        !bm_mgf1_xor(em, db_len, (bm_bytes){em + db_len, h_len}, mgf_hash)) {
        bm_wipe(em, em_len);
        return false;
    }
    em[0] &= top_mask(em_bits);
    em[em_len - 1] = 0xBC;
    return true;
}

bool
bm_pss_verify(const uint8_t *em, size_t em_bits, const uint8_t *digest, const bm_hash *hash,
              const bm_hash *mgf_hash, int salt_len, size_t *found_len)
{
    const size_t em_len = (em_bits + 7) / 8, h_len = hash->len;
    uint8_t db[BM_RSA_MAX_BYTES], h[BM_HASH_MAX_LEN];
    size_t db_len, at = 0;
    bm_bytes salt;

    if (found_len != NULL)
        *found_len = 0;
    if (em_len < h_len + 2 || em_len > sizeof(db) || salt_len < BM_PSS_SALT_ANY)
        return false;
    db_len = em_len - h_len - 1;
    if (em[em_len - 1] != 0xBC || (em[0] & ~top_mask(em_bits)) != 0)
        return false;

    memcpy(db, em, db_len);
    if (!bm_mgf1_xor(db, db_len, (bm_bytes){em + db_len, h_len}, mgf_hash))
        return false;
    db[0] &= top_mask(em_bits);
    while (at < db_len && db[at] == 0)
        at++;
    if (at == db_len || db[at] != 1)
        return false;
    salt = (bm_bytes){db + at + 1, db_len - at - 1};
    if (found_len != NULL)
        *found_len = salt.len;
    if (salt_len != BM_PSS_SALT_ANY && salt.len != (size_t)salt_len)
        return false;
    return hash_salted(h, digest, salt, hash) && memcmp(h, em + db_len, h_len) == 0;
}
