/* RSA keys: reference-counted, immutable once shared, wiped on the last free. See rsa_key.h. */
#include "rsa_key.h"

#include <string.h>

enum {
    MAX_E_BITS_ABOVE = 64, /* of a public exponent, for moduli of more than ... */
    SMALL_MODULUS_BITS = 3072,
};

bm_rsa_key *
bm_rsa_key_new(bm_provider *prov, bool is_pss)
{
    bm_rsa_key *key = OPENSSL_zalloc(sizeof(*key));

    if (key == NULL) {
        bm_raise(prov, BM_R_OUT_OF_MEMORY, NULL);
        return NULL;
    }
    key->prov = prov;
    atomic_init(&key->refs, 1);
    key->is_pss = is_pss;
    return key;
}

bool
bm_rsa_key_up_ref(bm_rsa_key *key)
{
    return atomic_fetch_add_explicit(&key->refs, 1, memory_order_relaxed) > 0;
}

void
bm_rsa_key_free(bm_rsa_key *key)
{
    if (key == NULL || atomic_fetch_sub_explicit(&key->refs, 1, memory_order_acq_rel) != 1)
        return;
    bm_rsa_number_clear(&key->numbers.n);
    bm_rsa_number_clear(&key->numbers.e);
    bm_rsa_number_clear(&key->numbers.d);
    for (size_t i = 0; i < BM_RSA_MAX_PRIMES; i++) {
        bm_rsa_number_clear(&key->numbers.primes[i]);
        bm_rsa_number_clear(&key->numbers.exponents[i]);
        if (i < BM_RSA_MAX_PRIMES - 1)
            bm_rsa_number_clear(&key->numbers.coefficients[i]);
    }
    bm_limbs_free(key->pub_memory, key->pub_memory_limbs);
    bm_limbs_free(key->priv_memory, key->priv_memory_limbs);
    OPENSSL_clear_free(key, sizeof(*key));
}

/* ---- numbers -------------------------------------------------------------------------------- */

bool
bm_rsa_number_set(const bm_provider *prov, bm_rsa_number *number, const bm_limb *x, size_t num)
{
    bm_limb *limbs = bm_limbs_new(prov, num != 0 ? num : 1);

    if (limbs == NULL)
        return false;
    if (num != 0)
        memcpy(limbs, x, num * sizeof(*x));
    bm_rsa_number_clear(number);
    number->limbs = limbs;
    number->num = num != 0 ? num : 1;
    return true;
}

bool
bm_rsa_number_decode_le(const bm_provider *prov, bm_rsa_number *number, const uint8_t *bytes,
                        size_t len)
{
    size_t num = len != 0 ? BM_LIMBS_OF_BYTES(len) : 1;
    bm_limb *limbs = bm_limbs_new(prov, num);

    if (limbs == NULL)
        return false;
    for (size_t i = 0; i < len; i++)
        limbs[i / BM_LIMB_BYTES] |= (bm_limb)bytes[i] << (8 * (i % BM_LIMB_BYTES));
    bm_rsa_number_clear(number);
    number->limbs = limbs;
    number->num = num;
    return true;
}

void
bm_rsa_number_clear(bm_rsa_number *number)
{
    bm_limbs_free(number->limbs, number->num);
    number->limbs = NULL;
    number->num = 0;
}

/* The limbs of a public number without leading zeros; at least one. */
static size_t
significant_limbs(const bm_rsa_number *number)
{
    size_t num = number->num;

    while (num > 1 && number->limbs[num - 1] == 0)
        num--;
    return num;
}

size_t
bm_rsa_key_num_primes(const bm_rsa_key *key)
{
    size_t num = 0;

    while (num < BM_RSA_MAX_PRIMES && key->numbers.primes[num].limbs != NULL)
        num++;
    return num;
}

/* ---- parts ---------------------------------------------------------------------------------- */

size_t
bm_rsa_parts_limbs(const bm_rsa_key *key)
{
    return 3 * BM_RSA_MAX_PRIMES * significant_limbs(&key->numbers.n);
}

/* number as num limbs, in *memory, which advances; NULL when it is absent or needs more. */
static const bm_limb *
widen(const bm_rsa_number *number, size_t num, bm_limb **memory)
{
    bm_limb *limbs = *memory;
    size_t used = number->num < num ? number->num : num;

    if (number->limbs == NULL)
        return NULL;
    for (size_t i = num; i < number->num; i++) {
        if (bm_declassify(bm_mask_not(bm_mask_zero(number->limbs[i])),
                          "a part that is longer than n is no part of this key"))
            return NULL;
    }
    memset(limbs, 0, num * sizeof(*limbs));
    memcpy(limbs, number->limbs, used * sizeof(*limbs));
    *memory += num;
    return limbs;
}

void
bm_rsa_key_parts(bm_rsa_parts *parts, const bm_rsa_key *key, bm_limb *memory)
{
    const size_t num = significant_limbs(&key->numbers.n);
    const bm_rsa_numbers *numbers = &key->numbers;
    bool all = true;

    memset(parts, 0, sizeof(*parts));
    parts->d = widen(&numbers->d, num, &memory);
    parts->num_primes = bm_rsa_key_num_primes(key);
    for (size_t i = 0; i < parts->num_primes; i++) {
        parts->primes[i] = widen(&numbers->primes[i], num, &memory);
        parts->exponents[i] = widen(&numbers->exponents[i], num, &memory);
        if (i > 0)
            parts->coefficients[i] = widen(&numbers->coefficients[i - 1], num, &memory);
        all = all && parts->primes[i] != NULL;
    }
    if (!all)
        parts->num_primes = 0;
}

/* ---- set-up --------------------------------------------------------------------------------- */

/* The limits of the default provider: for verification as for signing (FAILURES.md rows 26 to 28).
 */
static bm_reason
public_fault(const bm_rsa_key *key, size_t num_n, size_t num_e)
{
    const bm_limb *n = key->numbers.n.limbs, *e = key->numbers.e.limbs;

    if (key->bits > BM_MAX_BITS)
        return BM_R_MODULUS_TOO_LARGE;
    if (key->bits < 2 || (n[0] & 1) == 0)
        return BM_R_BAD_MODULUS;
    if (key->e_bits == 0 || num_e > num_n)
        return BM_R_BAD_PUBLIC_EXPONENT;
    if (num_e == num_n && !bm_declassify(bm_lt(e, n, num_n), "n and e are public"))
        return BM_R_BAD_PUBLIC_EXPONENT;
    if (key->bits > SMALL_MODULUS_BITS && key->e_bits > MAX_E_BITS_ABOVE)
        return BM_R_BAD_PUBLIC_EXPONENT;
    return BM_R_NONE;
}

static bool
finish_private(bm_rsa_key *key, bm_limb *scratch)
{
    const bm_kernels *kernels = key->prov->kernels;
    size_t num_parts = bm_rsa_parts_limbs(key);
    bm_limb *memory = bm_limbs_new(key->prov, num_parts);
    bm_rsa_parts parts;

    if (memory == NULL)
        return false;
    bm_rsa_key_parts(&parts, key, memory);
    key->priv_memory_limbs = bm_rsa_private_limbs(kernels, key->pub.n.num, parts.num_primes);
    key->priv_memory = bm_limbs_new(key->prov, key->priv_memory_limbs);
    if (key->priv_memory != NULL)
        key->has_priv =
            bm_rsa_private_init(&key->priv, &key->pub, &parts, key->priv_memory, scratch);
    bm_limbs_free(memory, num_parts);
    return key->priv_memory != NULL;
}

bool
bm_rsa_key_finish(bm_rsa_key *key)
{
    const bm_kernels *kernels = key->prov->kernels;
    bm_rsa_numbers *numbers = &key->numbers;
    size_t num_n, num_e;
    bm_limb *scratch;
    bool ok = true;

    key->pub_fault = BM_R_NO_KEY;
    if (numbers->n.limbs == NULL || numbers->e.limbs == NULL)
        return true;
    num_n = significant_limbs(&numbers->n);
    num_e = significant_limbs(&numbers->e);
    key->bits = bm_bits_vartime(numbers->n.limbs, num_n);
    key->k = (key->bits + 7) / 8;
    key->e_bits = bm_bits_vartime(numbers->e.limbs, num_e);
    key->pub_fault = public_fault(key, num_n, num_e);
    if (key->pub_fault != BM_R_NONE)
        return true;

    key->scratch_limbs = bm_rsa_scratch_limbs(kernels, num_n);
    key->pub_memory_limbs = bm_rsa_public_limbs(kernels, num_n, num_e);
    key->pub_memory = bm_limbs_new(key->prov, key->pub_memory_limbs);
    scratch = bm_scratch_new(key->prov, key->scratch_limbs);
    if (key->pub_memory == NULL || scratch == NULL) {
        ok = false;
    } else {
        key->has_pub = bm_rsa_public_init(&key->pub, kernels, numbers->n.limbs, num_n,
                                          numbers->e.limbs, num_e, key->pub_memory, scratch);
        if (!key->has_pub)
            key->pub_fault = BM_R_BAD_MODULUS;
        else if (numbers->d.limbs != NULL)
            ok = finish_private(key, scratch);
    }
    bm_scratch_free(scratch, key->scratch_limbs, numbers->d.limbs != NULL);
    return ok;
}

static bool
copy_number(const bm_provider *prov, bm_rsa_number *to, const bm_rsa_number *from)
{
    return from->limbs == NULL || bm_rsa_number_set(prov, to, from->limbs, from->num);
}

bm_rsa_key *
bm_rsa_key_dup(const bm_rsa_key *key, int selection)
{
    const bool want_private = (selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY) != 0;
    const bool want_public = (selection & OSSL_KEYMGMT_SELECT_KEYPAIR) != 0;
    const bool want_pss = (selection & OSSL_KEYMGMT_SELECT_OTHER_PARAMETERS) != 0;
    bm_rsa_key *copy;
    bool ok = true;

    /* Nothing can change a key: one that is wanted whole is shared. */
    if (want_public && (want_private || key->numbers.d.limbs == NULL) &&
        (want_pss || !key->pss.restricted)) {
        bm_rsa_key_up_ref((bm_rsa_key *)(uintptr_t)key);
        return (bm_rsa_key *)(uintptr_t)key;
    }
    copy = bm_rsa_key_new(key->prov, key->is_pss);
    if (copy == NULL)
        return NULL;
    if (want_pss)
        copy->pss = key->pss;
    if (want_public) {
        ok = copy_number(key->prov, &copy->numbers.n, &key->numbers.n) &&
             copy_number(key->prov, &copy->numbers.e, &key->numbers.e);
    }
    if (want_private) {
        ok = ok && copy_number(key->prov, &copy->numbers.d, &key->numbers.d);
        for (size_t i = 0; ok && i < BM_RSA_MAX_PRIMES; i++) {
            ok = copy_number(key->prov, &copy->numbers.primes[i], &key->numbers.primes[i]) &&
                 copy_number(key->prov, &copy->numbers.exponents[i], &key->numbers.exponents[i]) &&
                 (i == BM_RSA_MAX_PRIMES - 1 ||
                  copy_number(key->prov, &copy->numbers.coefficients[i],
                              &key->numbers.coefficients[i]));
        }
    }
    if (!ok || !bm_rsa_key_finish(copy)) {
        bm_rsa_key_free(copy);
        return NULL;
    }
    return copy;
}

/* ---- questions ------------------------------------------------------------------------------ */

bool
bm_rsa_key_can_public(const bm_rsa_key *key)
{
    if (!key->has_pub)
        bm_raise(key->prov, key->pub_fault, NULL);
    return key->has_pub;
}

bool
bm_rsa_key_can_private(const bm_rsa_key *key)
{
    if (!bm_rsa_key_can_public(key))
        return false;
    if (key->numbers.d.limbs == NULL)
        bm_raise(key->prov, BM_R_NO_PRIVATE_KEY, NULL);
    else if (!key->has_priv)
        bm_raise(key->prov, BM_R_BAD_PRIVATE_KEY, NULL);
    return key->has_priv;
}

/*
 * SP 800-56B Rev. 2, appendix D: the cost of the number field sieve, (1.923 (n ln 2 (ln(n ln
 * 2))^2)^(1/3)
 * - 4.69) / ln 2, to a multiple of 8 and never more than the next named strength: 192 to 7680 bits,
 * 256 to 15360. Row i is the shortest modulus of strength 8 i.
 */
int
bm_rsa_security_bits(size_t bits)
{
    static const uint16_t shortest[] = {
        0,    16,   41,   81,   138,   213,   308,   425,   566,   729,   920,   1137,
        1383, 1657, 1963, 2301, 2671,  3076,  3514,  3991,  4502,  5054,  5642,  6274,
        6947, 7681, 8418, 9216, 10064, 10953, 11893, 12877, 13914, 15361, 16132,
    };
    int row = (int)(sizeof(shortest) / sizeof(shortest[0])) - 1;

    while (bits < shortest[row])
        row--;
    return 8 * row;
}
