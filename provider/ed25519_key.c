/* Ed25519 keys: reference-counted, immutable once shared, wiped on the last free. */
#include "ed25519_key.h"

#include <string.h>

#include <openssl/objects.h>

bm_ed25519_key *
bm_ed25519_key_new(bm_provider *prov)
{
    bm_ed25519_key *key = OPENSSL_zalloc(sizeof(*key));

    if (key == NULL) {
        bm_raise(prov, BM_R_OUT_OF_MEMORY, NULL);
        return NULL;
    }
    key->prov = prov;
    atomic_init(&key->refs, 1);
    return key;
}

bool
bm_ed25519_key_up_ref(bm_ed25519_key *key)
{
    return atomic_fetch_add_explicit(&key->refs, 1, memory_order_relaxed) > 0;
}

void
bm_ed25519_key_free(bm_ed25519_key *key)
{
    if (key == NULL || atomic_fetch_sub_explicit(&key->refs, 1, memory_order_acq_rel) != 1)
        return;
    OPENSSL_free(atomic_load(&key->decoded));
    OPENSSL_clear_free(key, sizeof(*key));
}

void
bm_ed25519_key_set_public(bm_ed25519_key *key, const uint8_t bytes[BM_ED25519_KEY_LEN])
{
    memcpy(key->public_key, bytes, BM_ED25519_KEY_LEN);
    key->has_public = true;
}

bool
bm_ed25519_key_set_seed(bm_ed25519_key *key, const uint8_t seed[BM_ED25519_KEY_LEN],
                        const uint8_t *want)
{
    EVP_MD *md = bm_digest_borrow(key->prov, NID_sha512);
    bm_hasher sha512 = {0};
    bool ok = md != NULL && bm_hasher_set(&sha512, key->prov, md);

    if (ok && !bm_ed25519_expand(&key->secret, key->prov->kernels, seed, &sha512.hash)) {
        bm_raise(key->prov, BM_R_DIGEST_FAILED, "or a fault was seen");
        ok = false;
    }
    if (ok && want != NULL && memcmp(want, key->secret.public_key, BM_ED25519_KEY_LEN) != 0) {
        bm_raise(key->prov, BM_R_KEY_MISMATCH, NULL);
        bm_wipe(&key->secret, sizeof(key->secret));
        ok = false;
    }
    if (ok) {
        memcpy(key->seed, seed, BM_ED25519_KEY_LEN);
        key->has_private = true;
        bm_ed25519_key_set_public(key, key->secret.public_key);
    }
    bm_hasher_clear(&sha512);
    return ok;
}

bm_ed25519_key *
bm_ed25519_key_dup(const bm_ed25519_key *key, int selection)
{
    const bool want_public = (selection & OSSL_KEYMGMT_SELECT_PUBLIC_KEY) != 0;
    const bool want_private = (selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY) != 0;
    bm_ed25519_key *copy;

    /* Nothing can change a key: one that is wanted whole is shared. */
    if (want_private || (want_public && !key->has_private)) {
        bm_ed25519_key_up_ref((bm_ed25519_key *)(uintptr_t)key);
        return (bm_ed25519_key *)(uintptr_t)key;
    }
    copy = bm_ed25519_key_new(key->prov);
    if (copy != NULL && want_public && key->has_public)
        bm_ed25519_key_set_public(copy, key->public_key);
    return copy;
}

const bm_ed25519_public *
bm_ed25519_key_decoded(bm_ed25519_key *key)
{
    bm_ed25519_public *decoded = atomic_load_explicit(&key->decoded, memory_order_acquire);
    bm_ed25519_public *expected = NULL;

    if (decoded != NULL)
        return decoded;
    decoded = OPENSSL_malloc(sizeof(*decoded));
    if (decoded == NULL) {
        bm_raise(key->prov, BM_R_OUT_OF_MEMORY, NULL);
        return NULL;
    }
    bm_ed25519_public_init(decoded, key->prov->kernels, key->public_key);
    if (!atomic_compare_exchange_strong_explicit(&key->decoded, &expected, decoded,
                                                 memory_order_acq_rel, memory_order_acquire)) {
        OPENSSL_free(decoded); /* another thread was first, with the same result */
        decoded = expected;
    }
    return decoded;
}
