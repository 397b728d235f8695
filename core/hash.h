/*
 * What the core borrows from its caller: a hash function and random bytes. The core has neither;
 * the provider lends libcrypto's.
 */
#ifndef BM_HASH_H
#define BM_HASH_H

#include "ct.h"

enum { BM_HASH_MAX_LEN = 64, BM_HASH_MAX_BLOCK_LEN = 144 };

/* One piece of a message that is hashed as the concatenation of its pieces. */
typedef struct bm_bytes {
    const uint8_t *bytes;
    size_t len;
} bm_bytes;

/* A hash function: out = H(parts[0] || ... || parts[num_parts-1]), of len bytes. False: it failed. */
typedef struct bm_hash {
    size_t len;       /* of the digest, bytes; at most BM_HASH_MAX_LEN */
    size_t block_len; /* of the compression function, bytes, for HMAC */
    bool (*digest)(void *arg, uint8_t *out, const bm_bytes *parts, size_t num_parts);
    void *arg;
} bm_hash;

/* A source of random bytes: fills len bytes with secret, uniform ones. False: it failed. */
typedef struct bm_random {
    bool (*fill)(void *arg, uint8_t *bytes, size_t len);
    void *arg;
} bm_random;

#endif
