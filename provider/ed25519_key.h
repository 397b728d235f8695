/*
 * Ed25519 keys: reference-counted, immutable once shared, wiped on the last free. What signing
 * needs is computed at import; the decoded public key comes with the first verification and stays.
 */
#ifndef BM_ED25519_KEY_H
#define BM_ED25519_KEY_H

#include "ed25519.h"
#include "provider.h"

typedef struct bm_ed25519_key {
    bm_provider *prov;
    atomic_int refs;
    bool has_public, has_private;
    uint8_t public_key[BM_ED25519_KEY_LEN];
    uint8_t seed[BM_ED25519_KEY_LEN]; /* the private key of RFC 8032 */
    bm_ed25519_secret secret;
    _Atomic(bm_ed25519_public *) decoded; /* NULL until bm_ed25519_key_decoded() */
} bm_ed25519_key;

/* An empty key with one reference, or NULL with an error raised. */
bm_ed25519_key *bm_ed25519_key_new(bm_provider *prov);
bool bm_ed25519_key_up_ref(bm_ed25519_key *key);
void bm_ed25519_key_free(bm_ed25519_key *key);

/* Sets the public key; once, before the key is shared, and not beside a seed. */
void bm_ed25519_key_set_public(bm_ed25519_key *key, const uint8_t bytes[BM_ED25519_KEY_LEN]);

/*
 * Sets the seed and all that follows from it; once, before the key is shared. want: NULL, or the
 * public key that must follow (FAILURES.md row 63). False: error raised, nothing set.
 */
bool bm_ed25519_key_set_seed(bm_ed25519_key *key, const uint8_t seed[BM_ED25519_KEY_LEN],
                             const uint8_t *want);

/* A key that holds what `selection` (OSSL_KEYMGMT_SELECT_*) names, or NULL with an error raised. */
bm_ed25519_key *bm_ed25519_key_dup(const bm_ed25519_key *key, int selection);

/* The decoded public key, made by the first caller. NULL: out of memory, error raised. */
const bm_ed25519_public *bm_ed25519_key_decoded(bm_ed25519_key *key);

#endif
