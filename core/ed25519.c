/*
 * EdDSA over Ed25519 (RFC 8032): it hashes, asks the kernels for points, and computes S.
 *
 * FAULTS (FAILURES.md row 62). A deterministic signature that is wrong in R, h or S, or right with
 * a related nonce, gives the private key away. So nothing leaves that was not computed twice or
 * proved:
 *
 * prefix, a, A: they carry a checksum since their expansion, recomputed at the end.
 *
 * r: it is hashed again from M at the end, and compared. That sees a message that changed in
 * between, and a fault in the first hash, which verification would not see: R and S both follow r.
 *
 * R = [r]B: which multiples of B were added is proved by the kernel (base_mul), where each table
 * entry carries its scalar's shadow modulo a prime. That adding them went right is proved by the
 * curve equation on the bytes in the signature: a coordinate that is wrong anywhere leads off the
 * curve, but for a chance of about 2^-250.
 *
 * h: it is hashed again from the R that stands in the signature, and compared.
 *
 * S: it is computed again from the second r and h, and compared with the bytes in the signature.
 *
 * A full verification would cost more and see less: the price here is two hashes and one curve
 * equation, a tenth of a signature of a short message.
 */
#include "ed25519.h"
#include "bigmod.h"
#include "ed25519_kernels.h"
#include "fault.h"
#include "kernels.h"
#include "point.h"
#include "scalar.h"

#include <string.h>

enum { HASH_LEN = 64, MAX_CONTEXT = 255, DOM2_LEN = 34 };

/* dom2(F, C) but for C itself, or nothing (RFC 8032 section 2). */
typedef struct dom2 {
    uint8_t head[DOM2_LEN];
    bm_bytes parts[2];
    size_t num_parts;
} dom2;

/* False: the context does not suit the instance, or the message is not a hash for PH. */
static bool
dom2_init(dom2 *dom, const bm_ed25519_mode *mode, bm_bytes message)
{
    size_t len = mode->context.len;

    dom->num_parts = 0;
    switch (mode->instance) {
    case BM_ED25519_PURE:
        return len == 0;
    case BM_ED25519_CTX:
        if (len == 0)
            return false;
        break;
    case BM_ED25519_PH:
        if (message.len != HASH_LEN)
            return false;
        break;
    }
    if (len > MAX_CONTEXT)
        return false;
    memcpy(dom->head, "SigEd25519 no Ed25519 collisions", DOM2_LEN - 2);
    dom->head[DOM2_LEN - 2] = mode->instance == BM_ED25519_PH;
    dom->head[DOM2_LEN - 1] = (uint8_t)len;
    dom->parts[0] = (bm_bytes){dom->head, DOM2_LEN};
    dom->parts[1] = mode->context;
    dom->num_parts = len == 0 ? 1 : 2;
    return true;
}

/* z = SHA-512(dom2 || parts...) mod L */
static bool
hash_to_scalar(bm_limb z[4], const bm_hash *sha512, const dom2 *dom, const bm_bytes *parts,
               size_t num_parts)
{
    bm_bytes all[5];
    uint8_t digest[HASH_LEN];
    bm_limb wide[8];
    size_t num = 0;
    bool ok;

    for (size_t i = 0; i < dom->num_parts; i++)
        all[num++] = dom->parts[i];
    for (size_t i = 0; i < num_parts; i++)
        all[num++] = parts[i];
    ok = sha512->digest(sha512->arg, digest, all, num);
    bm_fault_point("hash", digest, sizeof(digest));
    bm_scalar_decode(wide, digest, 8);
    bm_scalar_reduce(z, wide);
    bm_wipe(digest, sizeof(digest));
    bm_wipe(wide, sizeof(wide));
    return ok;
}

/* r = H(prefix || M) */
static bool
hash_nonce(bm_limb r[4], const bm_hash *sha512, const dom2 *dom, const bm_ed25519_secret *secret,
           bm_bytes message)
{
    const bm_bytes parts[] = {{secret->prefix, sizeof(secret->prefix)}, message};

    return hash_to_scalar(r, sha512, dom, parts, 2);
}

/* h = H(R || A || M) */
static bool
hash_challenge(bm_limb h[4], const bm_hash *sha512, const dom2 *dom, const uint8_t *r_bytes,
               const uint8_t *public_key, bm_bytes message)
{
    const bm_bytes parts[] = {{r_bytes, 32}, {public_key, BM_ED25519_KEY_LEN}, message};

    return hash_to_scalar(h, sha512, dom, parts, 3);
}

/* Sum of odd constants times limbs: changes with any one limb. */
static bm_limb
seal_of(const bm_ed25519_secret *secret)
{
    const uint8_t *fields[] = {secret->scalar, secret->prefix, secret->public_key};
    bm_limb sum = 0, weight = UINT64_C(0x9e3779b97f4a7c15); /* 2^64 / golden ratio */

    for (int i = 0; i < 3; i++) {
        bm_limb x[4];

        bm_scalar_decode(x, fields[i], 4);
        for (int j = 0; j < 4; j++) {
            sum += weight * x[j];
            weight *= UINT64_C(0xd1342543de82ef95);
        }
        bm_wipe(x, sizeof(x));
    }
    return sum;
}

bool
bm_ed25519_expand(bm_ed25519_secret *secret, const struct bm_kernels *kernels,
                  const uint8_t seed[BM_ED25519_KEY_LEN], const bm_hash *sha512)
{
    const bm_bytes part = {seed, BM_ED25519_KEY_LEN};
    uint8_t digest[HASH_LEN];
    bm_limb a[4], x[4];
    bm_mask good;
    bool ok = sha512->digest(sha512->arg, digest, &part, 1);

    digest[0] &= 248;
    digest[31] = (digest[31] & 127) | 64;
    memcpy(secret->scalar, digest, 32);
    memcpy(secret->prefix, digest + 32, 32);
    bm_scalar_decode(a, secret->scalar, 4);
    good = kernels->ed25519->base_mul(secret->public_key, x, a);
    good = bm_mask_and(good, bm_point_proves(secret->public_key, x));
    secret->seal = seal_of(secret);
    bm_wipe(digest, sizeof(digest));
    bm_wipe(a, sizeof(a));
    bm_wipe(x, sizeof(x));
    ok = ok && bm_declassify(good, "whether a fault happened says nothing of the key");
    if (!ok)
        bm_wipe(secret, sizeof(*secret));
    else
        bm_public(secret->public_key, sizeof(secret->public_key), "it is the public key");
    return ok;
}

bool
bm_ed25519_sign(uint8_t signature[BM_ED25519_SIGNATURE_LEN], const bm_ed25519_secret *secret,
                const struct bm_kernels *kernels, const bm_ed25519_mode *mode, bm_bytes message,
                const bm_hash *sha512)
{
    bm_limb a[4], r[4], h[4], s[4], x[4];
    bm_limb r_again[4], h_again[4], s_again[4];
    bm_mask good;
    dom2 dom;
    bool ok;

    memset(signature, 0, BM_ED25519_SIGNATURE_LEN);
    if (!dom2_init(&dom, mode, message))
        return false;

    /* r = H(prefix || M); R = [r]B; h = H(R || A || M); S = r + h a */
    ok = hash_nonce(r, sha512, &dom, secret, message);
    bm_fault_point("sign r", r, sizeof(r));
    good = kernels->ed25519->base_mul(signature, x, r);
    bm_public(signature, 32, "R is part of the signature");
    bm_fault_point("sign R", signature, 32);
    ok = ok && hash_challenge(h, sha512, &dom, signature, secret->public_key, message);
    bm_public(h, sizeof(h), "a hash of the signature, the public key and the message");
    bm_fault_point("sign h", h, sizeof(h));
    bm_scalar_decode(a, secret->scalar, 4);
    bm_fault_point("sign a", a, sizeof(a));
    bm_scalar_mul_add(s, h, a, r);
    bm_scalar_encode(signature + 32, s, 4);
    bm_fault_point("sign S", signature + 32, 32);

    /* the proofs, all of what stands in the signature */
    ok = ok && hash_challenge(h_again, sha512, &dom, signature, secret->public_key, message);
    ok = ok && hash_nonce(r_again, sha512, &dom, secret, message);
    good = bm_mask_and(good, bm_point_proves(signature, x));
    if (ok) {
        good = bm_mask_and(good, bm_eq(r_again, r, 4));
        good = bm_mask_and(good, bm_eq(h_again, h, 4));
        bm_scalar_decode(a, secret->scalar, 4);
        bm_scalar_mul_add(s_again, h_again, a, r_again);
        bm_scalar_decode(s, signature + 32, 4);
        good = bm_mask_and(good, bm_eq(s_again, s, 4));
        good = bm_mask_and(good, bm_mask_eq(seal_of(secret), secret->seal));
    }
    bm_wipe(a, sizeof(a));
    bm_wipe(r, sizeof(r));
    bm_wipe(x, sizeof(x));
    bm_wipe(r_again, sizeof(r_again));
    bm_wipe(s, sizeof(s));
    bm_wipe(s_again, sizeof(s_again));
    ok = ok && bm_declassify(good, "whether a fault happened; the signature does not leave if so");
    if (!ok)
        bm_wipe(signature, BM_ED25519_SIGNATURE_LEN);
    else
        bm_public(signature, BM_ED25519_SIGNATURE_LEN, "it is the signature");
    return ok;
}

void
bm_ed25519_public_init(bm_ed25519_public *pub, const struct bm_kernels *kernels,
                       const uint8_t bytes[BM_ED25519_KEY_LEN])
{
    memcpy(pub->bytes, bytes, sizeof(pub->bytes));
    pub->kernels = kernels;
    pub->valid = kernels->ed25519->decode_negate(pub->table, bytes);
}

/* Everything before the curve: false when the verdict is already no. */
static bool
verify_prepare(bm_ed25519_term *term, const uint8_t *signature, const bm_ed25519_public *pub,
               const bm_ed25519_mode *mode, bm_bytes message, const bm_hash *sha512)
{
    dom2 dom;

    term->table = pub->table;
    bm_scalar_decode(term->s, signature + 32, 4);
    return pub->valid && dom2_init(&dom, mode, message) &&
           bm_declassify(bm_scalar_is_reduced(term->s), "signatures are public") &&
           hash_challenge(term->h, sha512, &dom, signature, pub->bytes, message);
}

bool
bm_ed25519_verify(const uint8_t signature[BM_ED25519_SIGNATURE_LEN], const bm_ed25519_public *pub,
                  const bm_ed25519_mode *mode, bm_bytes message, const bm_hash *sha512)
{
    bm_ed25519_batch_item item = {signature, pub, message, false};

    return bm_ed25519_verify_batch(&item, 1, mode, sha512);
}

/* Valid when E([S]B - [h]A) is, byte for byte, R. */
bool
bm_ed25519_verify_batch(bm_ed25519_batch_item *items, size_t n, const bm_ed25519_mode *mode,
                        const bm_hash *sha512)
{
    bm_ed25519_term terms[BM_ED25519_MAX_BATCH];
    bm_ed25519_batch_item *waiting[BM_ED25519_MAX_BATCH];
    uint8_t points[BM_ED25519_MAX_BATCH][32];
    size_t num_waiting = 0;
    bool all = true;

    for (size_t i = 0; i < n; i++) {
        bm_ed25519_batch_item *item = &items[i];
        const bm_ed25519_kernels *kernels = item->pub->kernels->ed25519;

        item->valid = false;
        if (verify_prepare(&terms[num_waiting], item->signature, item->pub, mode, item->message,
                           sha512))
            waiting[num_waiting++] = item;
        if (num_waiting == 0 || (num_waiting < kernels->batch && i + 1 < n))
            continue;
        kernels->double_mul_vartime(points, terms, num_waiting);
        for (size_t j = 0; j < num_waiting; j++)
            waiting[j]->valid = memcmp(points[j], waiting[j]->signature, 32) == 0;
        num_waiting = 0;
    }
    for (size_t i = 0; i < n; i++)
        all = all && items[i].valid;
    return all;
}
