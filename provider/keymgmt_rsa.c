/*
 * RSA and RSA-PSS keys for libcrypto: import, export, questions, comparison. What a key is stands
 * in rsa_key.h.
 */
#include "keymgmt_rsa.h"

#include <string.h>
#include <strings.h>

#include <openssl/bn.h>

enum { POSSIBLE_SELECTIONS = OSSL_KEYMGMT_SELECT_KEYPAIR | OSSL_KEYMGMT_SELECT_OTHER_PARAMETERS };

#define DEFAULT_DIGEST "SHA256"

static void *
rsa_new(void *provctx)
{
    return bm_rsa_key_new(provctx, false);
}

static void *
rsa_pss_new(void *provctx)
{
    return bm_rsa_key_new(provctx, true);
}

static void
rsa_free(void *key)
{
    bm_rsa_key_free(key);
}

static void *
rsa_dup(const void *key, int selection)
{
    return bm_rsa_key_dup(key, selection);
}

/* Takes over a key that our decoder made; `reference` is where its pointer stands. */
static void *
load(const void *reference, size_t reference_len, bool is_pss)
{
    bm_rsa_key *key;

    if (reference_len != sizeof(key))
        return NULL;
    key = *(bm_rsa_key *const *)reference;
    if (key->is_pss != is_pss)
        return NULL;
    *(bm_rsa_key **)(uintptr_t)reference = NULL;
    return key;
}

static void *
rsa_load(const void *reference, size_t reference_len)
{
    return load(reference, reference_len, false);
}

static void *
rsa_pss_load(const void *reference, size_t reference_len)
{
    return load(reference, reference_len, true);
}

static int
rsa_has(const void *keydata, int selection)
{
    const bm_rsa_key *key = keydata;

    if (key == NULL)
        return 0;
    if ((selection & OSSL_KEYMGMT_SELECT_KEYPAIR) != 0 && key->numbers.n.limbs == NULL)
        return 0;
    if ((selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY) != 0 && key->numbers.d.limbs == NULL)
        return 0;
    return 1;
}

/* Whether both are there and have the same value. */
static bool
number_equal(const bm_rsa_number *x, const bm_rsa_number *y)
{
    size_t num = x->num > y->num ? x->num : y->num;
    bm_limb difference = 0;

    if (x->limbs == NULL || y->limbs == NULL)
        return false;
    for (size_t i = 0; i < num; i++) {
        difference |= (i < x->num ? x->limbs[i] : 0) ^ (i < y->num ? y->limbs[i] : 0);
    }
    return bm_declassify(bm_mask_zero(difference), "whether two keys are the same key");
}

static int
rsa_match(const void *keydata1, const void *keydata2, int selection)
{
    const bm_rsa_key *key1 = keydata1, *key2 = keydata2;
    const bm_rsa_numbers *x = &key1->numbers, *y = &key2->numbers;

    if ((selection & OSSL_KEYMGMT_SELECT_KEYPAIR) == 0)
        return 1;
    if (!number_equal(&x->e, &y->e))
        return 0;
    /* The public key names the key; d is compared only when nobody asks for more (row 74). */
    if ((selection & OSSL_KEYMGMT_SELECT_PUBLIC_KEY) != 0 && x->n.limbs != NULL &&
        y->n.limbs != NULL)
        return number_equal(&x->n, &y->n);
    return (selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY) != 0 && number_equal(&x->d, &y->d);
}

/* ---- import --------------------------------------------------------------------------------- */

/* The number 1.. at the end of a name that starts with `prefix`, or 0. */
static size_t
numbered(const char *name, const char *prefix)
{
    size_t len = strlen(prefix);

    if (strncmp(name, prefix, len) != 0 || name[len] < '1' || name[len] > '9')
        return 0;
    if (name[len + 1] == '\0')
        return (size_t)(name[len] - '0');
    return strcmp(name + len, "10") == 0 ? 10 : 0;
}

/* Where the value of a parameter belongs; NULL: it is no number of a key. */
static bm_rsa_number *
number_of_name(bm_rsa_numbers *numbers, const char *name, bool with_private, bool *too_many)
{
    size_t i;

    if (strcmp(name, OSSL_PKEY_PARAM_RSA_N) == 0)
        return &numbers->n;
    if (strcmp(name, OSSL_PKEY_PARAM_RSA_E) == 0)
        return &numbers->e;
    if (!with_private)
        return NULL;
    if (strcmp(name, OSSL_PKEY_PARAM_RSA_D) == 0)
        return &numbers->d;
    if ((i = numbered(name, OSSL_PKEY_PARAM_RSA_FACTOR)) != 0) {
        *too_many = *too_many || i > BM_RSA_MAX_PRIMES;
        return i <= BM_RSA_MAX_PRIMES ? &numbers->primes[i - 1] : NULL;
    }
    if ((i = numbered(name, OSSL_PKEY_PARAM_RSA_EXPONENT)) != 0)
        return i <= BM_RSA_MAX_PRIMES ? &numbers->exponents[i - 1] : NULL;
    if ((i = numbered(name, OSSL_PKEY_PARAM_RSA_COEFFICIENT)) != 0)
        return i <= BM_RSA_MAX_PRIMES - 1 ? &numbers->coefficients[i - 1] : NULL;
    return NULL;
}

static bool
import_numbers(bm_rsa_key *key, const OSSL_PARAM params[], bool with_private)
{
    bm_rsa_numbers *numbers = &key->numbers;
    bool too_many = false, in_order;
    size_t num_primes = 0;

    for (const OSSL_PARAM *p = params; p->key != NULL; p++) {
        bm_rsa_number *number = number_of_name(numbers, p->key, with_private, &too_many);

        if (number == NULL)
            continue;
        if (p->data_type != OSSL_PARAM_UNSIGNED_INTEGER || p->data == NULL) {
            bm_raise(key->prov, BM_R_BAD_PARAMETER, "%s", p->key);
            return false;
        }
        if (!bm_rsa_number_decode_le(key->prov, number, p->data, p->data_size))
            return false;
    }
    if (numbers->n.limbs == NULL || numbers->e.limbs == NULL) {
        bm_raise(key->prov, BM_R_BAD_PARAMETER, "an RSA key has n and e");
        return false;
    }
    for (size_t i = 0; i < BM_RSA_MAX_PRIMES; i++)
        num_primes += numbers->primes[i].limbs != NULL;
    in_order = num_primes == bm_rsa_key_num_primes(key);
    if (too_many || (numbers->d.limbs != NULL && (num_primes == 1 || !in_order))) {
        bm_raise(key->prov, BM_R_BAD_PARAMETER, "an RSA key has 2 to 5 primes, or none are given");
        return false;
    }
    return true;
}

/* A digest that may stand in the restrictions of an RSA-PSS key. */
static const bm_digest_info *
import_digest(bm_provider *prov, const OSSL_PARAM *p)
{
    bm_digest digest = {0};
    const bm_digest_info *info = NULL;

    if (p->data_type != OSSL_PARAM_UTF8_STRING || p->data == NULL)
        bm_raise(prov, BM_R_BAD_PARAMETER, "%s", p->key);
    else if (bm_digest_set(&digest, prov, p->data, NULL))
        info = digest.info;
    bm_digest_clear(&digest);
    if (info != NULL && !info->pss_restriction) {
        bm_raise(prov, BM_R_DIGEST_NOT_ALLOWED, "in the parameters of an RSA-PSS key");
        info = NULL;
    }
    return info;
}

bool
bm_pss_params_import(bm_provider *prov, bool is_pss, bm_pss_params *pss, const OSSL_PARAM params[])
{
    const OSSL_PARAM *digest = OSSL_PARAM_locate_const(params, OSSL_PKEY_PARAM_RSA_DIGEST);
    const OSSL_PARAM *mgf = OSSL_PARAM_locate_const(params, OSSL_PKEY_PARAM_RSA_MASKGENFUNC);
    const OSSL_PARAM *mgf1 = OSSL_PARAM_locate_const(params, OSSL_PKEY_PARAM_RSA_MGF1_DIGEST);
    const OSSL_PARAM *salt = OSSL_PARAM_locate_const(params, OSSL_PKEY_PARAM_RSA_PSS_SALTLEN);
    bm_pss_params result = *pss;

    if (digest == NULL && mgf == NULL && mgf1 == NULL && salt == NULL)
        return true;
    if (!is_pss) {
        bm_raise(prov, BM_R_BAD_PARAMETER, "PSS parameters belong to an RSA-PSS key");
        return false;
    }
    if (!result.restricted) {
        result.restricted = true;
        result.digest = bm_digest_find_name("SHA1");
        result.mgf1_digest = result.digest;
        result.salt_len = 20;
    }
    if (mgf != NULL && (mgf->data_type != OSSL_PARAM_UTF8_STRING || mgf->data == NULL ||
                        strcasecmp(mgf->data, "MGF1") != 0)) {
        bm_raise(prov, BM_R_BAD_MGF1, NULL);
        return false;
    }
    if (digest != NULL && (result.digest = import_digest(prov, digest)) == NULL)
        return false;
    if (mgf1 != NULL && (result.mgf1_digest = import_digest(prov, mgf1)) == NULL)
        return false;
    if (salt != NULL && (!OSSL_PARAM_get_int(salt, &result.salt_len) || result.salt_len < 0)) {
        bm_raise(prov, BM_R_BAD_SALT_LENGTH, NULL);
        return false;
    }
    *pss = result;
    return true;
}

static int
rsa_import(void *keydata, int selection, const OSSL_PARAM params[])
{
    bm_rsa_key *key = keydata;

    if (key == NULL || (selection & POSSIBLE_SELECTIONS) == 0)
        return 0;
    if (key->numbers.n.limbs != NULL) {
        bm_raise(key->prov, BM_R_BAD_OPERATION, "a key is imported once");
        return 0;
    }
    if ((selection & OSSL_KEYMGMT_SELECT_OTHER_PARAMETERS) != 0 &&
        !bm_pss_params_import(key->prov, key->is_pss, &key->pss, params))
        return 0;
    if ((selection & OSSL_KEYMGMT_SELECT_KEYPAIR) != 0) {
        if (!import_numbers(key, params, (selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY) != 0) ||
            !bm_rsa_key_finish(key))
            return 0;
        bm_count(key->prov, BM_COUNT_RSA_IMPORT);
    }
    return 1;
}

#define NUMBER_PARAMS(base, last)                                       \
    OSSL_PARAM_BN(base "1", NULL, 0), OSSL_PARAM_BN(base "2", NULL, 0), \
        OSSL_PARAM_BN(base "3", NULL, 0), OSSL_PARAM_BN(base "4", NULL, 0) last

#define PUBLIC_PARAMS \
    OSSL_PARAM_BN(OSSL_PKEY_PARAM_RSA_N, NULL, 0), OSSL_PARAM_BN(OSSL_PKEY_PARAM_RSA_E, NULL, 0)

#define FIFTH(base) , OSSL_PARAM_BN(base "5", NULL, 0)
#define NO_FIFTH

#define PRIVATE_PARAMS                                                                    \
    OSSL_PARAM_BN(OSSL_PKEY_PARAM_RSA_D, NULL, 0),                                        \
        NUMBER_PARAMS(OSSL_PKEY_PARAM_RSA_FACTOR, FIFTH(OSSL_PKEY_PARAM_RSA_FACTOR)),     \
        NUMBER_PARAMS(OSSL_PKEY_PARAM_RSA_EXPONENT, FIFTH(OSSL_PKEY_PARAM_RSA_EXPONENT)), \
        NUMBER_PARAMS(OSSL_PKEY_PARAM_RSA_COEFFICIENT, NO_FIFTH)

/* Which parameters an import takes and an export gives. */
static const OSSL_PARAM *
exchange_types(int selection)
{
    static const OSSL_PARAM pss[] = {BM_PSS_OSSL_PARAMS, OSSL_PARAM_END};
    static const OSSL_PARAM keys[] = {PUBLIC_PARAMS, PRIVATE_PARAMS, OSSL_PARAM_END};
    static const OSSL_PARAM both[] = {PUBLIC_PARAMS, PRIVATE_PARAMS, BM_PSS_OSSL_PARAMS,
                                      OSSL_PARAM_END};
    const bool want_keys = (selection & OSSL_KEYMGMT_SELECT_KEYPAIR) != 0;
    const bool want_pss = (selection & OSSL_KEYMGMT_SELECT_OTHER_PARAMETERS) != 0;

    if (want_keys)
        return want_pss ? both : keys;
    return want_pss ? pss : NULL;
}

/* ---- export --------------------------------------------------------------------------------- */

static const char *const factor_names[BM_RSA_MAX_PRIMES] = {
    OSSL_PKEY_PARAM_RSA_FACTOR1, OSSL_PKEY_PARAM_RSA_FACTOR2, OSSL_PKEY_PARAM_RSA_FACTOR3,
    OSSL_PKEY_PARAM_RSA_FACTOR4, OSSL_PKEY_PARAM_RSA_FACTOR5,
};
static const char *const exponent_names[BM_RSA_MAX_PRIMES] = {
    OSSL_PKEY_PARAM_RSA_EXPONENT1, OSSL_PKEY_PARAM_RSA_EXPONENT2, OSSL_PKEY_PARAM_RSA_EXPONENT3,
    OSSL_PKEY_PARAM_RSA_EXPONENT4, OSSL_PKEY_PARAM_RSA_EXPONENT5,
};
static const char *const coefficient_names[BM_RSA_MAX_PRIMES - 1] = {
    OSSL_PKEY_PARAM_RSA_COEFFICIENT1,
    OSSL_PKEY_PARAM_RSA_COEFFICIENT2,
    OSSL_PKEY_PARAM_RSA_COEFFICIENT3,
    OSSL_PKEY_PARAM_RSA_COEFFICIENT4,
};

/* n, e, d, three times five, four of PSS, the end */
enum { EXPORT_PARAMS_MAX = 3 + 3 * BM_RSA_MAX_PRIMES + 4 + 1 };

/* Adds the number, where it is, to a list of parameters: no copy. */
static void
add_number(OSSL_PARAM **at, const char *name, const bm_rsa_number *number)
{
    if (number->limbs != NULL)
        *(*at)++ = OSSL_PARAM_construct_BN(name, (unsigned char *)number->limbs,
                                           number->num * BM_LIMB_BYTES);
}

typedef struct pss_export {
    char digest[BM_DIGEST_NAME_MAX];
    char mgf1_digest[BM_DIGEST_NAME_MAX];
    int salt_len;
} pss_export;

/* The restrictions; values that are the defaults are left out, but for the salt's length. */
static void
add_pss(OSSL_PARAM **at, pss_export *memory, const bm_pss_params *pss)
{
    if (!pss->restricted)
        return;
    if (pss->digest->nid != NID_sha1) {
        bm_digest_first_name(pss->digest, memory->digest);
        *(*at)++ = OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_RSA_DIGEST, memory->digest, 0);
    }
    if (pss->mgf1_digest->nid != NID_sha1) {
        bm_digest_first_name(pss->mgf1_digest, memory->mgf1_digest);
        *(*at)++ = OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_RSA_MGF1_DIGEST,
                                                    memory->mgf1_digest, 0);
    }
    memory->salt_len = pss->salt_len;
    *(*at)++ = OSSL_PARAM_construct_int(OSSL_PKEY_PARAM_RSA_PSS_SALTLEN, &memory->salt_len);
}

static int
rsa_export(void *keydata, int selection, OSSL_CALLBACK *callback, void *arg)
{
    const bm_rsa_key *key = keydata;
    const bm_rsa_numbers *numbers = &key->numbers;
    OSSL_PARAM params[EXPORT_PARAMS_MAX];
    OSSL_PARAM *at = params;
    pss_export pss;

    if (key == NULL || (selection & POSSIBLE_SELECTIONS) == 0)
        return 0;
    if ((selection & OSSL_KEYMGMT_SELECT_KEYPAIR) != 0) {
        add_number(&at, OSSL_PKEY_PARAM_RSA_N, &numbers->n);
        add_number(&at, OSSL_PKEY_PARAM_RSA_E, &numbers->e);
    }
    if ((selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY) != 0) {
        add_number(&at, OSSL_PKEY_PARAM_RSA_D, &numbers->d);
        for (size_t i = 0; i < BM_RSA_MAX_PRIMES; i++)
            add_number(&at, factor_names[i], &numbers->primes[i]);
        for (size_t i = 0; i < BM_RSA_MAX_PRIMES; i++)
            add_number(&at, exponent_names[i], &numbers->exponents[i]);
        for (size_t i = 0; i < BM_RSA_MAX_PRIMES - 1; i++)
            add_number(&at, coefficient_names[i], &numbers->coefficients[i]);
    }
    if ((selection & OSSL_KEYMGMT_SELECT_OTHER_PARAMETERS) != 0)
        add_pss(&at, &pss, &key->pss);
    *at = OSSL_PARAM_construct_end();
    return callback(params, arg);
}

/* ---- questions ------------------------------------------------------------------------------ */

/* A number as the answer to a question for it; a number that is not there leaves p as it is. */
static bool
answer_number(OSSL_PARAM params[], const char *name, const bm_rsa_number *number)
{
    OSSL_PARAM *p = OSSL_PARAM_locate(params, name);
    BIGNUM *x;
    bool ok;

    if (p == NULL || number->limbs == NULL)
        return true;
    x = BN_lebin2bn((const unsigned char *)number->limbs, (int)(number->num * BM_LIMB_BYTES), NULL);
    ok = x != NULL && OSSL_PARAM_set_BN(p, x);
    BN_clear_free(x);
    return ok;
}

static bool
answer_int(OSSL_PARAM params[], const char *name, int value)
{
    OSSL_PARAM *p = OSSL_PARAM_locate(params, name);

    return p == NULL || OSSL_PARAM_set_int(p, value);
}

static bool
answer_digest(OSSL_PARAM params[], const char *name, const bm_digest_info *info)
{
    OSSL_PARAM *p = OSSL_PARAM_locate(params, name);
    char text[BM_DIGEST_NAME_MAX];

    if (p == NULL)
        return true;
    bm_digest_first_name(info, text);
    return OSSL_PARAM_set_utf8_string(p, text);
}

static bool
answer_pss(OSSL_PARAM params[], const bm_pss_params *pss)
{
    if (!pss->restricted)
        return true;
    return (pss->digest->nid == NID_sha1 ||
            answer_digest(params, OSSL_PKEY_PARAM_RSA_DIGEST, pss->digest)) &&
           (pss->mgf1_digest->nid == NID_sha1 ||
            answer_digest(params, OSSL_PKEY_PARAM_RSA_MGF1_DIGEST, pss->mgf1_digest)) &&
           answer_int(params, OSSL_PKEY_PARAM_RSA_PSS_SALTLEN, pss->salt_len);
}

static int
rsa_get_params(void *keydata, OSSL_PARAM params[])
{
    const bm_rsa_key *key = keydata;
    const bm_rsa_numbers *numbers = &key->numbers;
    OSSL_PARAM *p;
    bool ok = true;

    if (key->bits != 0 || numbers->n.limbs != NULL) {
        ok = answer_int(params, OSSL_PKEY_PARAM_BITS, (int)key->bits) &&
             answer_int(params, OSSL_PKEY_PARAM_SECURITY_BITS, bm_rsa_security_bits(key->bits)) &&
             answer_int(params, OSSL_PKEY_PARAM_MAX_SIZE, (int)key->k);
    }
    /* A restricted key prescribes its digest, any other proposes one. */
    p = OSSL_PARAM_locate(params, OSSL_PKEY_PARAM_DEFAULT_DIGEST);
    if (p != NULL && !key->pss.restricted)
        ok = ok && OSSL_PARAM_set_utf8_string(p, DEFAULT_DIGEST);
    if (key->pss.restricted)
        ok = ok && answer_digest(params, OSSL_PKEY_PARAM_MANDATORY_DIGEST, key->pss.digest);

    ok = ok && answer_pss(params, &key->pss);
    ok = ok && answer_number(params, OSSL_PKEY_PARAM_RSA_N, &numbers->n) &&
         answer_number(params, OSSL_PKEY_PARAM_RSA_E, &numbers->e) &&
         answer_number(params, OSSL_PKEY_PARAM_RSA_D, &numbers->d);
    for (size_t i = 0; i < BM_RSA_MAX_PRIMES; i++) {
        ok = ok && answer_number(params, factor_names[i], &numbers->primes[i]) &&
             answer_number(params, exponent_names[i], &numbers->exponents[i]);
        if (i < BM_RSA_MAX_PRIMES - 1)
            ok = ok && answer_number(params, coefficient_names[i], &numbers->coefficients[i]);
    }
    return ok;
}

static const OSSL_PARAM *
rsa_gettable_params(void *provctx)
{
    static const OSSL_PARAM params[] = {
        OSSL_PARAM_int(OSSL_PKEY_PARAM_BITS, NULL),
        OSSL_PARAM_int(OSSL_PKEY_PARAM_SECURITY_BITS, NULL),
        OSSL_PARAM_int(OSSL_PKEY_PARAM_MAX_SIZE, NULL),
        OSSL_PARAM_utf8_string(OSSL_PKEY_PARAM_DEFAULT_DIGEST, NULL, 0),
        OSSL_PARAM_utf8_string(OSSL_PKEY_PARAM_MANDATORY_DIGEST, NULL, 0),
        PUBLIC_PARAMS,
        PRIVATE_PARAMS,
        BM_PSS_OSSL_PARAMS,
        OSSL_PARAM_END,
    };

    (void)provctx;
    return params;
}

/* ---- checks ---- */

/* Without its factors: the modulus and the exponent (SP 800-56B 6.4.2.2). */
static bool
check_public(const bm_rsa_key *key)
{
    const bm_provider *prov = key->prov;
    const bm_limb *n = key->numbers.n.limbs, *e = key->numbers.e.limbs;
    const size_t num = BM_LIMBS_OF_BITS(key->bits);
    const bm_random random = bm_random_public(key->prov);
    size_t memory_limbs, scratch_limbs;
    bm_limb *memory, *scratch;
    bm_modulus modulus;
    bool ok;

    if (key->bits > BM_MAX_BITS || key->bits < 2 || key->e_bits < 2 || (e[0] & 1) == 0)
        return false;
    memory_limbs = bm_modulus_limbs(prov->kernels, num) + bm_rsa_check_modulus_limbs(num);
    scratch_limbs = bm_rsa_scratch_limbs(prov->kernels, num);
    memory = bm_limbs_new(prov, memory_limbs);
    scratch = bm_limbs_new(prov, scratch_limbs);
    ok = memory != NULL && scratch != NULL &&
         bm_modulus_init(&modulus, prov->kernels, n, num, memory, scratch) &&
         bm_rsa_check_modulus(&modulus, &random, memory + bm_modulus_limbs(prov->kernels, num),
                              scratch);
    bm_limbs_free(memory, memory_limbs);
    bm_limbs_free(scratch, scratch_limbs);
    return ok;
}

/* 0 < d < n */
static bool
check_private(const bm_rsa_key *key)
{
    const bm_rsa_number *n = &key->numbers.n, *d = &key->numbers.d;
    bm_limb any = 0, borrow = 0;

    if (d->limbs == NULL)
        return false;
    for (size_t i = 0; i < n->num || i < d->num; i++) {
        bm_limb x = i < d->num ? d->limbs[i] : 0, y = i < n->num ? n->limbs[i] : 0;
        bm_limb more;

        any |= x;
        more = bm_sub(&x, &x, &y, 1); /* of d - n */
        borrow = more | bm_sub(&x, &x, &borrow, 1);
    }
    return bm_declassify(bm_mask_and(bm_mask_bit(borrow), bm_mask_not(bm_mask_zero(any))),
                         "the verdict");
}

/* The whole key, prime by prime (SP 800-56B 6.4.1.2.3). */
static bool
check_pair(const bm_rsa_key *key)
{
    const bm_provider *prov = key->prov;
    const bm_random random = bm_random_private(key->prov);
    const bm_rsa_numbers *numbers = &key->numbers;
    size_t parts_limbs, check_limbs;
    bm_limb *memory, *scratch;
    bm_rsa_parts parts;
    bool ok = false;

    if (!key->has_pub)
        return false;
    parts_limbs = bm_rsa_parts_limbs(key);
    check_limbs = bm_rsa_check_limbs(prov->kernels, key->pub.n.num);
    memory = bm_limbs_new(prov, parts_limbs + check_limbs);
    scratch = bm_limbs_new(prov, key->scratch_limbs);
    if (memory != NULL && scratch != NULL) {
        bm_rsa_key_parts(&parts, key, memory);
        ok = true;
        /* a part too long for the core is wrong */
        for (size_t i = 0; i < BM_RSA_MAX_PRIMES; i++) {
            ok = ok && (numbers->exponents[i].limbs == NULL) == (parts.exponents[i] == NULL) &&
                 (i == 0 ||
                  (numbers->coefficients[i - 1].limbs == NULL) == (parts.coefficients[i] == NULL));
        }
        ok = ok && bm_rsa_check(&key->pub, &parts, &random, memory + parts_limbs, scratch);
    }
    bm_limbs_free(memory, parts_limbs + check_limbs);
    bm_limbs_free(scratch, key->scratch_limbs);
    return ok;
}

static int
rsa_validate(const void *keydata, int selection, int check_type)
{
    const bm_rsa_key *key = keydata;
    const int pair = OSSL_KEYMGMT_SELECT_KEYPAIR;
    bool ok = true;

    (void)check_type; /* there is no quicker check that says anything */
    if ((selection & pair) == 0)
        return 1;
    if (key->numbers.n.limbs == NULL) {
        bm_raise(key->prov, BM_R_NO_KEY, NULL);
        return 0;
    }
    if ((selection & pair) == pair)
        ok = check_pair(key);
    else if ((selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY) != 0)
        ok = check_private(key);
    else
        ok = check_public(key);
    if (!ok)
        bm_raise(key->prov,
                 (selection & pair) == OSSL_KEYMGMT_SELECT_PUBLIC_KEY ? BM_R_BAD_MODULUS
                                                                      : BM_R_BAD_PRIVATE_KEY,
                 "the check failed");
    return ok;
}

/* Both kinds of keys are served by the operations named RSA. */
static const char *
rsa_operation_name(int operation)
{
    (void)operation;
    return "RSA";
}

#define COMMON_FUNCTIONS                                                           \
    {OSSL_FUNC_KEYMGMT_FREE, (void (*)(void))rsa_free},                            \
        {OSSL_FUNC_KEYMGMT_DUP, (void (*)(void))rsa_dup},                          \
        {OSSL_FUNC_KEYMGMT_HAS, (void (*)(void))rsa_has},                          \
        {OSSL_FUNC_KEYMGMT_MATCH, (void (*)(void))rsa_match},                      \
        {OSSL_FUNC_KEYMGMT_VALIDATE, (void (*)(void))rsa_validate},                \
        {OSSL_FUNC_KEYMGMT_GEN_SET_PARAMS, (void (*)(void))bm_rsa_gen_set_params}, \
        {OSSL_FUNC_KEYMGMT_GEN, (void (*)(void))bm_rsa_gen},                       \
        {OSSL_FUNC_KEYMGMT_GEN_CLEANUP, (void (*)(void))bm_rsa_gen_cleanup},       \
        {OSSL_FUNC_KEYMGMT_IMPORT, (void (*)(void))rsa_import},                    \
        {OSSL_FUNC_KEYMGMT_IMPORT_TYPES, (void (*)(void))exchange_types},          \
        {OSSL_FUNC_KEYMGMT_EXPORT, (void (*)(void))rsa_export},                    \
        {OSSL_FUNC_KEYMGMT_EXPORT_TYPES, (void (*)(void))exchange_types},          \
        {OSSL_FUNC_KEYMGMT_GET_PARAMS, (void (*)(void))rsa_get_params},            \
    {                                                                              \
        OSSL_FUNC_KEYMGMT_GETTABLE_PARAMS, (void (*)(void))rsa_gettable_params     \
    }

const OSSL_DISPATCH bm_keymgmt_rsa[] = {
    {OSSL_FUNC_KEYMGMT_NEW, (void (*)(void))rsa_new},
    {OSSL_FUNC_KEYMGMT_LOAD, (void (*)(void))rsa_load},
    {OSSL_FUNC_KEYMGMT_GEN_INIT, (void (*)(void))bm_rsa_gen_init},
    {OSSL_FUNC_KEYMGMT_GEN_SETTABLE_PARAMS, (void (*)(void))bm_rsa_gen_settable_params},
    COMMON_FUNCTIONS,
    {0, NULL},
};

const OSSL_DISPATCH bm_keymgmt_rsa_pss[] = {
    {OSSL_FUNC_KEYMGMT_NEW, (void (*)(void))rsa_pss_new},
    {OSSL_FUNC_KEYMGMT_LOAD, (void (*)(void))rsa_pss_load},
    {OSSL_FUNC_KEYMGMT_GEN_INIT, (void (*)(void))bm_rsa_pss_gen_init},
    {OSSL_FUNC_KEYMGMT_GEN_SETTABLE_PARAMS, (void (*)(void))bm_rsa_pss_gen_settable_params},
    COMMON_FUNCTIONS,
    {OSSL_FUNC_KEYMGMT_QUERY_OPERATION_NAME, (void (*)(void))rsa_operation_name},
    {0, NULL},
};
