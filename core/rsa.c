/*
 * RSA keys and primitives: the private operation by CRT, checked before it leaves. Above this file
 * stand the paddings (rsa_pkcs1.c, rsa_pss.c, rsa_oaep.c), below it exp.c.
 *
 * RFC 8017, sections 3.2, 5.1 and 5.2.
 */
#include "rsa.h"
#include "fault.h"
#include "kernels.h"

#include <string.h>

/* Memory is taken from the front of a block that the caller owns. */
static bm_limb *
take(bm_limb **memory, size_t limbs)
{
    bm_limb *taken = *memory;

    *memory += limbs;
    return taken;
}

/* The largest modulus memory of any width up to num: vectors serve some widths only. */
static size_t
max_modulus_limbs(const bm_kernels *kernels, size_t num)
{
    size_t most = 0;

    for (size_t i = 1; i <= num; i++) {
        size_t limbs = bm_modulus_limbs(kernels, i);

        most = limbs > most ? limbs : most;
    }
    return most;
}

/* Limbs of x without zero limbs at the top. The length of a key's part is public. */
static size_t
length_pub(const bm_limb *x, size_t num)
{
    while (num > 0 && bm_declassify(bm_is_zero(x + num - 1, 1), "lengths of key parts are public"))
        num--;
    return num;
}

/* ---- public keys ----------------------------------------------------------------------------- */

size_t
bm_rsa_public_limbs(const bm_kernels *kernels, size_t num_n, size_t num_e)
{
    return bm_modulus_limbs(kernels, num_n) + num_e;
}

bool
bm_rsa_public_init(bm_rsa_public *pub, const bm_kernels *kernels, const bm_limb *n, size_t num_n,
                   const bm_limb *e, size_t num_e, bm_limb *memory, bm_limb *scratch)
{
    memset(pub, 0, sizeof(*pub));
    pub->e_bits = bm_bits_vartime(e, num_e);
    if (pub->e_bits == 0 || num_n == 0 || num_n > BM_MAX_LIMBS)
        return false;
    pub->e = memory + bm_modulus_limbs(kernels, num_n);
    memcpy(pub->e, e, num_e * sizeof(*e));
    if (!bm_modulus_init(&pub->n, kernels, n, num_n, memory, scratch))
        return false;
    pub->k = (pub->n.bits + 7) / 8;
    return true;
}

void
bm_rsa_public_op(bm_limb *z, const bm_limb *x, const bm_rsa_public *pub, bm_limb *scratch)
{
    bm_exp_vartime(z, x, pub->e, pub->e_bits, &pub->n, scratch); /* x^e mod n */
}

/* ---- private keys ---------------------------------------------------------------------------- */

size_t
bm_rsa_private_limbs(const bm_kernels *kernels, size_t num_n, size_t num_primes)
{
    /* a prime: its modulus, d, t and product */
    return num_n + num_primes * (max_modulus_limbs(kernels, num_n) + 3 * num_n);
}

size_t
bm_rsa_scratch_limbs(const bm_kernels *kernels, size_t num_n)
{
    return 14 * num_n + bm_scratch_limbs(kernels, num_n);
}

/*
 * The CRT coefficient of prime i: given, or made from the others, in Montgomery form:
 * t_0 = q^-1 mod p, t_i = (r_0 ... r_{i-1})^-1 mod r_i for i >= 2.
 */
static void
make_coefficient(bm_rsa_private *priv, size_t i, const bm_rsa_parts *parts, bm_limb *scratch)
{
    const bm_modulus *r = &priv->prime[i].p;
    const size_t num_n = priv->pub->n.num;
    const bm_limb *given = parts->coefficients[i == 0 ? 1 : i];
    bm_limb *x = scratch;

    scratch += r->num;
    if (given != NULL) {
        bm_reduce(x, given, num_n, r, scratch);
    } else {
        bm_reduce(x, i == 0 ? parts->primes[1] : priv->product[i], num_n, r, scratch);
        bm_inverse(x, x, r->m, r->num, scratch); /* 0 if there is none: it will not verify */
    }
    bm_to_mont(priv->prime[i].t, x, r, scratch);
}

/* d mod (r - 1): given, or from d, or 1/e mod (r - 1); 0 if there is none: it will not verify. */
static void
make_exponent(bm_limb *z, size_t num_z, const bm_limb *given, const bm_limb *d, const bm_modulus *r,
              const bm_rsa_public *pub, bm_limb *scratch)
{
    bm_limb *less_one = take(&scratch, r->num);

    memset(z, 0, num_z * sizeof(*z));
    if (given != NULL) {
        memcpy(z, given, num_z * sizeof(*z));
        return;
    }
    memcpy(less_one, r->m, r->num * sizeof(*less_one));
    less_one[0] ^= 1; /* r is odd */
    if (d != NULL) {
        bm_divide(NULL, z, d, pub->n.num, less_one, r->num, scratch);
    } else {
        bm_divide(NULL, z, pub->e, BM_LIMBS_OF_BITS(pub->e_bits), less_one, r->num, scratch);
        bm_inverse(z, z, less_one, r->num, scratch);
    }
}

/* product[i] = r_0 ... r_{i-1}, cut to the width of n: longer is inconsistent and will not verify.
 */
static void
make_product(bm_rsa_private *priv, size_t i, const bm_rsa_parts *parts, bm_limb *scratch)
{
    const size_t num_n = priv->pub->n.num;
    const bm_limb *before = i == 1 ? NULL : priv->product[i - 1];

    if (before == NULL) {
        memcpy(priv->product[i], parts->primes[0], num_n * sizeof(*scratch));
        return;
    }
    bm_mul(scratch, before, num_n, parts->primes[i - 1], num_n);
    memcpy(priv->product[i], scratch, num_n * sizeof(*scratch));
}

/* Whether the primes allow CRT at all: p = 1 or 0 does not, but d may still serve. */
static bool
primes_usable(const bm_rsa_parts *parts, size_t num_n)
{
    for (size_t i = 0; i < parts->num_primes; i++) {
        bm_mask bad =
            bm_mask_or(bm_is_zero(parts->primes[i], num_n), bm_is_one(parts->primes[i], num_n));

        if (bm_declassify(bad, "a part that is 0 or 1 is no secret"))
            return false;
    }
    return parts->num_primes >= 2;
}

bool
bm_rsa_private_init(bm_rsa_private *priv, const bm_rsa_public *pub, const bm_rsa_parts *parts,
                    bm_limb *memory, bm_limb *scratch)
{
    const bm_kernels *kernels = pub->n.kernels;
    const size_t num_n = pub->n.num;
    size_t widest = 0;

    memset(priv, 0, sizeof(*priv));
    if (parts->num_primes > BM_RSA_MAX_PRIMES)
        return false;
    priv->pub = pub;
    if (parts->d != NULL) {
        priv->d = take(&memory, num_n);
        memcpy(priv->d, parts->d, num_n * sizeof(*priv->d));
    }
    if (!primes_usable(parts, num_n))
        return priv->d != NULL;

    for (size_t i = 0; i < parts->num_primes; i++) {
        size_t num = length_pub(parts->primes[i], num_n);
        bm_limb *room = take(&memory, bm_modulus_limbs(kernels, num));

        widest = num > widest ? num : widest;
        if (!bm_modulus_init(&priv->prime[i].p, kernels, parts->primes[i], num, room, scratch))
            return false;
    }
    for (size_t i = 0; i < parts->num_primes; i++) {
        bm_rsa_prime *prime = &priv->prime[i];

        prime->d = take(&memory, widest); /* exponents of a pair are read to one length */
        prime->t = take(&memory, prime->p.num);
        priv->product[i] = take(&memory, num_n);
        make_exponent(prime->d, widest, parts->exponents[i], parts->d, &prime->p, pub, scratch);
        if (i > 0)
            make_product(priv, i, parts, scratch);
        if (i != 1)
            make_coefficient(priv, i, parts, scratch);
    }
    priv->num_primes = parts->num_primes;
    return true;
}

/* m_i = x^(d_i) mod r_i for all primes, two at a time. */
static void
exponentiate(bm_limb *const m[], const bm_limb *x, const bm_rsa_private *priv, bm_limb *scratch)
{
    const size_t num_n = priv->pub->n.num;
    bm_limb *reduced[2] = {scratch, scratch + num_n};

    scratch += 2 * num_n;
    for (size_t i = 0; i < priv->num_primes; i += 2) {
        const bm_rsa_prime *r = &priv->prime[i];
        const size_t n = priv->num_primes - i == 1 ? 1 : 2;
        bm_exp_arg arg[2];
        size_t bits = 0;

        for (size_t j = 0; j < n; j++) {
            bits = r[j].p.bits > bits ? r[j].p.bits : bits;
            bm_reduce(reduced[j], x, num_n, &r[j].p, scratch); /* x mod r */
            arg[j] = (bm_exp_arg){m[i + j], reduced[j], r[j].d, &r[j].p};
        }
        if (n == 2)
            bm_exp_pair(arg, bits, scratch);
        else
            bm_exp(m[i], reduced[0], r->d, bits, &r->p, scratch);
    }
}

/* z = x^d mod n by the Chinese remainder theorem (RFC 8017 5.1.2, step 2b). Not checked yet. */
static void
private_crt(bm_limb *z, const bm_limb *x, const bm_rsa_private *priv, bm_limb *scratch)
{
    const bm_rsa_prime *p = &priv->prime[0], *q = &priv->prime[1];
    const size_t num_n = priv->pub->n.num;
    bm_limb *m[BM_RSA_MAX_PRIMES];
    bm_limb *h, *qh;

    for (size_t i = 0; i < priv->num_primes; i++)
        m[i] = take(&scratch, num_n);
    h = take(&scratch, num_n);
    qh = take(&scratch, 2 * num_n);

    exponentiate(m, x, priv, scratch); /* m_i = x^(d_i) mod r_i */
    bm_fault_point("m_p", m[0], p->p.num * BM_LIMB_BYTES);
    bm_fault_point("m_q", m[1], q->p.num * BM_LIMB_BYTES);
    bm_fault_point("qInv", p->t, p->p.num * BM_LIMB_BYTES);

    bm_reduce(h, m[1], q->p.num, &p->p, scratch); /* h = (m_p - m_q) qInv mod p */
    bm_mod_sub(h, m[0], h, &p->p);
    bm_mont_mul(h, h, p->t, &p->p, scratch);
    bm_fault_point("h", h, p->p.num * BM_LIMB_BYTES);

    memset(qh, 0, 2 * num_n * sizeof(*qh)); /* m = m_q + q h */
    bm_mul(qh, q->p.m, q->p.num, h, p->p.num);
    memset(z, 0, num_n * sizeof(*z));
    memcpy(z, m[1], q->p.num * sizeof(*z));
    bm_add(z, z, qh, num_n);

    for (size_t i = 2; i < priv->num_primes; i++) {
        const bm_rsa_prime *r = &priv->prime[i];

        bm_reduce(h, z, num_n, &r->p, scratch); /* h = (m_i - m) t_i mod r_i */
        bm_mod_sub(h, m[i], h, &r->p);
        bm_mont_mul(h, h, r->t, &r->p, scratch);
        bm_mul(qh, priv->product[i], num_n, h, r->p.num); /* m = m + R h */
        bm_add(z, z, qh, num_n);
    }
}

/*
 * z < n and z^e = x mod n: what makes z fit to leave. Compared twice, so that one fault in one
 * verdict lets nothing out.
 */
static bool
result_verifies(const bm_limb *z, const bm_limb *x, const bm_rsa_public *pub, bm_limb *scratch)
{
    bm_limb *y = take(&scratch, pub->n.num);
    bm_mask good, again;

    bm_fault_point("check", (void *)z, pub->n.num * BM_LIMB_BYTES);
    if (!bm_declassify(bm_lt(z, pub->n.m, pub->n.num), "fails for a wrong key or a fault only"))
        return false;
    bm_rsa_public_op(y, z, pub, scratch);
    good = bm_eq(y, x, pub->n.num);
    bm_fault_point("compare", &good, sizeof(good));
    again = bm_eq(x, y, pub->n.num);
    return bm_declassify(good, "fails for a wrong key or a fault only") &&
           bm_declassify(again, "fails for a wrong key or a fault only");
}

bool
bm_rsa_private_op(bm_limb *z, const bm_limb *x, const bm_rsa_private *priv, bm_limb *scratch)
{
    const bm_rsa_public *pub = priv->pub;
    const size_t num_n = pub->n.num;
    bm_limb *input = take(&scratch, num_n), *result = take(&scratch, num_n);
    bool good = false;

    memcpy(input, x, num_n * sizeof(*x));
    bm_fault_point("m", input, num_n * BM_LIMB_BYTES);
    if (priv->num_primes >= 2) {
        private_crt(result, input, priv, scratch);
        good = result_verifies(result, x, pub, scratch);
    }
    if (!good && priv->d != NULL) {
        bm_exp(result, input, priv->d, pub->n.bits, &pub->n, scratch); /* x^d mod n */
        bm_fault_point("fallback", result, num_n * BM_LIMB_BYTES);
        good = result_verifies(result, x, pub, scratch);
    }
    if (good)
        memcpy(z, result, num_n * sizeof(*z));
    else
        memset(z, 0, num_n * sizeof(*z));
    bm_wipe(result, num_n * sizeof(*result));
    return good;
}
