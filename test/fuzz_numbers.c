/* Exponentiation modulo any number, inverses, gcds and long division, against GMP. */
#include "fuzz.h"

#include <gmp.h>

#include "kernels.h"

enum { MAX = 12, ROOM = 1 << 14 };

/* A number of num limbs from the input. */
static void
take_number(fuzz_input *in, bm_limb *x, size_t num)
{
    size_t taken;
    const uint8_t *p = fuzz_bytes(in, 8 * num, &taken);

    memset(x, 0, 8 * num);
    if (taken > 0)
        memcpy(x, p, taken);
}

static void
expect(const bm_limb *z, size_t num, const mpz_t want, const char *what)
{
    mpz_t got;

    mpz_init(got);
    mpz_import(got, num, -1, 8, 0, 0, z);
    if (mpz_cmp(got, want) != 0)
        fuzz_fail(what);
    mpz_clear(got);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bm_limb scratch[ROOM];
    fuzz_input in = {data, size};
    size_t num = 1 + fuzz_byte(&in) % MAX, e_bits = 1 + fuzz_byte(&in);
    size_t twos = fuzz_byte(&in) * 4;
    const bm_kernels *set = &bm_kernel_sets[fuzz_byte(&in) % bm_num_kernel_sets];
    bm_limb m[MAX], x[MAX], e[4], z[MAX], q[MAX];
    mpz_t gm, gx, ge, want, rest;
    bool exists;

    set = bm_kernels_find(set->name, bm_cpu_features());
    if (set == NULL || bm_exp_any_scratch_limbs(set, num) > ROOM)
        return 0;
    take_number(&in, m, num);
    take_number(&in, x, num);
    take_number(&in, e, 4);
    if (e_bits % 64 != 0)
        e[e_bits / 64] &= ((bm_limb)1 << (e_bits % 64)) - 1;

    mpz_inits(gm, gx, ge, want, rest, NULL);
    mpz_import(gm, num, -1, 8, 0, 0, m);
    mpz_mul_2exp(gm, gm, twos); /* many zeros at the low end */
    mpz_fdiv_r_2exp(gm, gm, 64 * num);
    memset(m, 0, sizeof(m));
    mpz_export(m, NULL, -1, 8, 0, 0, gm);
    mpz_import(gx, num, -1, 8, 0, 0, x);
    mpz_import(ge, (e_bits + 63) / 64, -1, 8, 0, 0, e);

    bm_gcd(z, x, m, num, scratch);
    mpz_gcd(want, gx, gm);
    expect(z, num, want, "bm_gcd differs from GMP");
    if (mpz_sgn(gm) == 0) {
        if (bm_exp_any(z, x, e, e_bits, m, num, set, scratch))
            fuzz_fail("bm_exp_any takes 0");
    } else {
        mpz_powm(want, gx, ge, gm);
        if (!bm_exp_any(z, x, e, e_bits, m, num, set, scratch))
            fuzz_fail("bm_exp_any refuses a modulus");
        expect(z, num, want, "bm_exp_any differs from GMP");
        if (!bm_exp_any_vartime(z, x, e, e_bits, m, num, set, scratch))
            fuzz_fail("bm_exp_any_vartime refuses a modulus");
        expect(z, num, want, "bm_exp_any_vartime differs from GMP");

        bm_divide(q, z, x, num, m, num, scratch);
        mpz_fdiv_qr(want, rest, gx, gm);
        expect(q, num, want, "the quotient differs from GMP");
        expect(z, num, rest, "the remainder differs from GMP");

        exists = mpz_cmp_ui(gm, 1) != 0 && mpz_invert(want, gx, gm) != 0;
        if (!exists)
            mpz_set_ui(want, 0);
        if (bm_inverse_vartime(z, x, m, num, scratch) != (exists || mpz_cmp_ui(gm, 1) == 0))
            fuzz_fail("bm_inverse_vartime misjudges");
        expect(z, num, want, "bm_inverse_vartime differs from GMP");
        bm_inverse(z, x, m, num, scratch);
        expect(z, num, want, "bm_inverse differs from GMP");
    }
    mpz_clears(gm, gx, ge, want, rest, NULL);
    return 0;
}
