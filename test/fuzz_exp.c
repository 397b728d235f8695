/* Exponentiation modulo any odd number up to 1024 bits, by every kernel set, against GMP. */
#include "fuzz.h"

#include <gmp.h>

#include "kernels.h"

enum { MAX = 16, ROOM = 1 << 15 };

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

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bm_limb memory[ROOM], scratch[ROOM];
    fuzz_input in = {data, size};
    size_t num = 1 + fuzz_byte(&in) % MAX, e_bits = 1 + fuzz_byte(&in);
    const bm_kernels *set = &bm_kernel_sets[fuzz_byte(&in) % bm_num_kernel_sets];
    bm_limb m[MAX], x[MAX], e[4], z[MAX], z_vartime[MAX], want[MAX];
    bm_modulus mod;
    mpz_t gm, gx, ge, gz;
    bool usable;

    set = bm_kernels_find(set->name, bm_cpu_features());
    if (set == NULL || bm_modulus_limbs(set, num) > ROOM || bm_scratch_limbs(set, num) > ROOM)
        return 0;
    take_number(&in, m, num);
    take_number(&in, x, num);
    take_number(&in, e, 4);
    if (e_bits % 64 != 0) /* bits above e_bits are not part of the exponent */
        e[e_bits / 64] &= ((bm_limb)1 << (e_bits % 64)) - 1;

    usable = (m[0] & 1) != 0 && m[num - 1] != 0 && !(num == 1 && m[0] == 1);
    if (bm_modulus_init(&mod, set, m, num, memory, scratch) != usable)
        fuzz_fail("bm_modulus_init misjudges a modulus");
    if (!usable)
        return 0;

    mpz_inits(gm, gx, ge, gz, NULL);
    mpz_import(gm, num, -1, 8, 0, 0, m);
    mpz_import(gx, num, -1, 8, 0, 0, x);
    mpz_import(ge, (e_bits + 63) / 64, -1, 8, 0, 0, e);
    mpz_mod(gx, gx, gm);
    mpz_powm(gz, gx, ge, gm);
    memset(want, 0, sizeof(want));
    mpz_export(want, NULL, -1, 8, 0, 0, gz);
    mpz_clears(gm, gx, ge, gz, NULL);

    bm_reduce(x, x, num, &mod, scratch);
    bm_exp(z, x, e, e_bits, &mod, scratch);
    bm_exp_vartime(z_vartime, x, e, e_bits, &mod, scratch);
    if (memcmp(z, want, 8 * num) != 0)
        fuzz_fail("bm_exp differs from GMP");
    if (memcmp(z_vartime, want, 8 * num) != 0)
        fuzz_fail("bm_exp_vartime differs from GMP");
    return 0;
}
