/*
 * The AVX512-IFMA kernels and the exponentiation made of them, against GMP. On a processor without
 * them there is nothing to run, and it says so.
 *
 *     test_ifma          quick
 *     test_ifma long     every bit length, and a million random exponentiations
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <gmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "exp_ifma.h"

enum { PAGE = 4096, MAX_WIDTH = 320, MAX_BITS = BM_MAX_BITS };

static gmp_randstate_t rng;
static uint32_t features; /* of the processor, or fewer */
static const bm_kernels *ifma;
static bool run_long;

/* ---- memory between guard pages: FAILURES.md rows 9, 22 -------------------------------------- */

typedef struct guarded {
    uint8_t *map;
    size_t map_len, len;
    bm_limb *at;
} guarded;

/* len bytes that end at an unreadable page, or begin right after one; filled with `poison`. */
static guarded
guard(size_t limbs, bool at_end, int poison)
{
    guarded g;

    g.len = limbs * sizeof(bm_limb);
    g.map_len = (g.len + PAGE - 1) / PAGE * PAGE + 2 * PAGE;
    g.map = mmap(NULL, g.map_len, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(g.map != MAP_FAILED);
    assert_int_equal(mprotect(g.map + PAGE, g.map_len - 2 * PAGE, PROT_READ | PROT_WRITE), 0);
    g.at = (bm_limb *)(at_end ? g.map + g.map_len - PAGE - g.len : g.map + PAGE);
    memset(g.at, poison, g.len);
    return g;
}

static void
unguard(guarded *g)
{
    munmap(g->map, g->map_len);
}

/* ---- numbers ----------------------------------------------------------------------------------
 */

static void
get(mpz_t z, const bm_limb *x, size_t num)
{
    mpz_import(z, num, -1, 8, 0, 0, x);
}

static void
put(bm_limb *x, size_t num, const mpz_t z)
{
    memset(x, 0, num * sizeof(*x));
    mpz_export(x, NULL, -1, 8, 0, 0, z);
}

/* Digits of 52 bits, 12 of them dead; checks that they are zero. */
static void
get_digits(mpz_t z, const bm_limb *d, size_t width)
{
    for (size_t j = 0; j < width; j++)
        assert_int_equal(d[j] >> 52, 0);
    mpz_import(z, width, -1, 8, 0, 12, d);
}

static void
put_digits(bm_limb *d, size_t width, const mpz_t z)
{
    memset(d, 0, width * sizeof(*d));
    mpz_export(d, NULL, -1, 8, 0, 12, z);
}

/* An odd modulus of that many bits: all ones, nearly a power of two, long runs, or random. */
static void
modulus_of(mpz_t m, size_t bits, unsigned kind)
{
    if (kind % 4 == 0) {
        mpz_set_ui(m, 1);
        mpz_mul_2exp(m, m, bits);
        mpz_sub_ui(m, m, 1); /* row 7: the top limb all ones */
    } else if (kind % 4 == 1) {
        mpz_set_ui(m, 0);
    } else if (kind % 4 == 2) {
        mpz_rrandomb(m, rng, bits);
    } else {
        mpz_urandomb(m, rng, bits);
    }
    mpz_setbit(m, bits - 1);
    mpz_setbit(m, 0);
}

/* ---- the kernels ------------------------------------------------------------------------------
 */

/* Operands below 2 n that make carries: extremes, sparse digits, digits of all ones, random. */
static void
operand_of(mpz_t x, const mpz_t n, unsigned kind)
{
    mpz_mul_2exp(x, n, 1);
    switch (kind % 8) {
    case 0:
        mpz_sub_ui(x, x, 1);
        return;
    case 1:
        mpz_set_ui(x, 0);
        return;
    case 2:
        mpz_set_ui(x, 1);
        return;
    case 3:
        mpz_set(x, n);
        return;
    case 4: /* row 6: as many digits as possible at their maximum */
        mpz_set_ui(x, 1);
        mpz_mul_2exp(x, x, mpz_sizeinbase(n, 2));
        mpz_sub_ui(x, x, 1);
        return;
    case 5: /* a product with R mod n gives this back: runs of zero digits, reached by carries */
        mpz_set_ui(x, 1);
        mpz_mul_2exp(x, x, mpz_sizeinbase(n, 2) - 1);
        mpz_add_ui(x, x, gmp_urandomm_ui(rng, 1000));
        return;
    case 6: {
        size_t bits = mpz_sizeinbase(n, 2);

        mpz_rrandomb(x, rng, bits);
        return;
    }
    default:
        mpz_urandomm(x, rng, x);
    }
}

typedef struct kernel_case {
    const bm_ifma_shape *shape;
    size_t digits;
    bool at_end;
    int poison;
} kernel_case;

/* Product and squarings of one case, against a b / R mod n, in memory between guard pages. */
static void
check_kernel(const kernel_case *c, unsigned seed)
{
    const bm_ifma_shape *s = c->shape;
    const size_t width = 8 * bm_ifma_vectors(s);
    /* the longest modulus that the digits allow, or any shorter one */
    const size_t bits = 52 * c->digits - 2 - (seed % 2 ? gmp_urandomm_ui(rng, 52) : 0);
    guarded z = guard(2 * width, c->at_end, c->poison), a = guard(width, c->at_end, c->poison);
    guarded b = guard(width, c->at_end, c->poison), n = guard(8 + 2 * width, c->at_end, 0);
    bm_limb *const out = seed % 3 == 0 ? z.at : seed % 3 == 1 ? a.at : b.at;
    mpz_t nn, x, y, r, want, got, bound, inverse, digit;

    mpz_inits(nn, x, y, r, want, got, bound, inverse, digit, NULL);
    mpz_setbit(r, 52 * c->digits);
    modulus_of(nn, bits, seed / 8);
    mpz_setbit(digit, 52);
    mpz_invert(inverse, nn, digit);
    mpz_sub(inverse, digit, inverse);
    n.at[0] = n.at[1] = mpz_get_ui(inverse);
    put_digits(n.at + 8, width, nn);
    mpz_tdiv_q_2exp(digit, nn, 52);
    put_digits(n.at + 8 + width, width, digit);
    operand_of(x, nn, seed);
    operand_of(y, nn, seed / 8);
    if (seed % 8 == 5)
        mpz_mod(y, r, nn);
    put_digits(a.at, width, x);
    put_digits(b.at, width, y);
    mpz_mul_2exp(bound, nn, 1);

    s->amm(out, a.at, b.at, n.at, c->digits);
    get_digits(got, out, width);
    assert_true(mpz_cmp(got, bound) < 0);
    mpz_mul(got, got, r);
    mpz_mul(want, x, y);
    assert_true(mpz_congruent_p(got, want, nn));

    mpz_invert(inverse, r, nn);
    for (size_t times = 1; times <= 3; times++) {
        memset(z.at, c->poison, z.len);
        put_digits(z.at, width, x);
        s->ams(z.at, n.at, c->digits, times);
        mpz_set(want, x);
        for (size_t t = 0; t < times; t++) {
            mpz_mul(want, want, want);
            mpz_mul(want, want, inverse);
            mpz_mod(want, want, nn);
        }
        get_digits(got, z.at, width);
        assert_true(mpz_cmp(got, bound) < 0);
        assert_true(mpz_congruent_p(got, want, nn));
    }
    mpz_clears(nn, x, y, r, want, got, bound, inverse, digit, NULL);
    unguard(&z), unguard(&a), unguard(&b), unguard(&n);
}

/* FAILURES.md rows 1, 2, 5, 6, 9, 11, 12, 22, for each kernel and each number of digits that it
 * takes. */
static void
kernels_agree_with_gmp_between_guard_pages(void **state)
{
    const unsigned rounds = run_long ? 640 : 64;

    (void)state;
    for (size_t i = 0; i < bm_num_ifma_shapes; i++) {
        const bm_ifma_shape *s = &bm_ifma_shapes[i];
        size_t least = 8 * (bm_ifma_vectors(s) - 1) + 1, most = 4 * s->halves;

        for (unsigned seed = 0; seed < rounds; seed++) {
            kernel_case c = {s, least + (seed + seed / 8) % (most - least + 1), seed % 2 == 0,
                             seed % 4 < 2 ? 0xA5 : 0xFF};

            check_kernel(&c, seed);
        }
        for (size_t digits = least; digits <= most; digits++) {
            kernel_case c = {s, digits, true, 0xFF};

            check_kernel(&c, 0);
            check_kernel(&c, 7 + 8 * 7);
        }
    }
}

/* ---- the kernels with digits dealt out
 * ----------------------------------------------------------------------
 */

/* Digits dealt out over vectors, those beyond the last one zero; checks that they are. */
static void
get_dealt(mpz_t z, const bm_limb *d, const bm_ifma_dealt *as)
{
    bm_limb x[MAX_WIDTH], back[MAX_WIDTH];

    bm_ifma_gather_in(x, as->digits, d, as);
    bm_ifma_deal_out(back, x, as);
    assert_memory_equal(back, d, as->vectors * as->lanes * sizeof(*d));
    get_digits(z, x, as->digits);
}

static void
put_dealt(bm_limb *d, const mpz_t z, const bm_ifma_dealt *as)
{
    bm_limb x[MAX_WIDTH];

    put_digits(x, as->digits, z);
    bm_ifma_deal_out(d, x, as);
}

/*
 * A modulus for a kernel with its digits, the longest one or shorter. What a friendly kernel
 * divides by, 2^52 N1 - 1, is nn there.
 */
static void
put_dealt_modulus(bm_limb *n, mpz_t nn, const bm_ifma_dealt *as, unsigned seed, unsigned kind)
{
    const size_t digits = as->digits - as->friendly;
    const bm_ifma_shape *s = bm_ifma_shape_of(52 * digits - 2);
    bm_limb single[8 + MAX_WIDTH];
    mpz_t inverse, digit;

    mpz_inits(inverse, digit, NULL);
    modulus_of(nn, 52 * digits - 2 - (seed % 2 ? gmp_urandomm_ui(rng, 104) : 0), kind);
    mpz_setbit(digit, 52);
    mpz_invert(inverse, nn, digit);
    mpz_sub(inverse, digit, inverse);
    single[0] = single[1] = mpz_get_ui(inverse);
    put_digits(single + 8, 8 * bm_ifma_vectors(s), nn);
    bm_ifma_deal_modulus(n, single, as);
    if (as->friendly)
        mpz_mul(nn, nn, inverse);
    mpz_clears(inverse, digit, NULL);
}

/* z = z x / r mod nn */
static void
multiply_mod(mpz_t z, const mpz_t x, const mpz_t r_inverse, const mpz_t nn)
{
    mpz_mul(z, z, x);
    mpz_mul(z, z, r_inverse);
    mpz_mod(z, z, nn);
}

static void
check_dealt(const bm_limb *z, const mpz_t want, const mpz_t nn, const bm_ifma_dealt *as)
{
    mpz_t got;

    mpz_init(got);
    get_dealt(got, z, as);
    assert_true(mpz_congruent_p(got, want, nn));
    mpz_sub(got, got, nn);
    assert_true(mpz_cmp(got, nn) < 0);
    mpz_clear(got);
}

/* Operands that make carries; those of kind 5 give the other factor back: runs of zero digits. */
static void
factor_of(mpz_t x, const mpz_t nn, const mpz_t r, unsigned kind)
{
    operand_of(x, nn, kind);
    if (kind % 8 == 5)
        mpz_mod(x, r, nn);
}

/*
 * Windows of squarings and a product each, against GMP, in memory between guard pages: products
 * with entries of a table, or `by_factor`.
 */
static void
check_windows(const bm_ifma_dealt *as, unsigned seed, bool by_factor)
{
    const size_t number = as->vectors * as->lanes, modulus = 8 + number + as->lanes;
    const size_t entries = by_factor ? 1 : (size_t)1 << as->window, streams = as->streams;
    const size_t count = 1 + seed % 3, squarings = seed / 3 % 4;
    const bool at_end = seed % 2 == 0;
    const int poison = seed % 4 < 2 ? 0xA5 : 0xFF;
    guarded z = guard(streams * number, at_end, poison),
            n = guard(streams * modulus, at_end, poison);
    guarded table = guard(streams * entries * as->digits, at_end, poison);
    guarded index = guard(streams * count, at_end, poison);
    mpz_t nn[2], want[2], x, r, inverse;

    mpz_inits(nn[0], nn[1], want[0], want[1], x, r, inverse, NULL);
    mpz_setbit(r, 52 * as->digits);
    for (size_t i = 0; i < streams * count; i++)
        index.at[i] = gmp_urandomm_ui(rng, entries);
    for (unsigned i = 0; i < streams; i++) {
        bm_limb digits[MAX_WIDTH];

        put_dealt_modulus(n.at + i * modulus, nn[i], as, seed, seed / 8 + i);
        mpz_invert(inverse, r, nn[i]);
        operand_of(want[i], nn[i], seed);
        put_dealt(z.at + i * number, want[i], as);
        for (size_t e = 0; e < entries; e++) {
            factor_of(x, nn[i], r, seed / 8 + (unsigned)e);
            put_digits(digits, as->digits, x);
            for (size_t d = 0; d < as->digits; d++)
                table.at[(streams * d + i) * entries + e] = digits[d];
        }
        for (size_t w = 0; w < count; w++) {
            for (size_t t = 0; t < squarings; t++)
                multiply_mod(want[i], want[i], inverse, nn[i]);
            for (size_t d = 0; d < as->digits; d++)
                digits[d] = table.at[(streams * d + i) * entries + index.at[streams * w + i]];
            get_digits(x, digits, as->digits);
            multiply_mod(want[i], x, inverse, nn[i]);
        }
    }
    as->windows(z.at, n.at, table.at, by_factor ? NULL : index.at, count, squarings);
    for (unsigned i = 0; i < streams; i++)
        check_dealt(z.at + i * number, want[i], nn[i], as);
    mpz_clears(nn[0], nn[1], want[0], want[1], x, r, inverse, NULL);
    unguard(&z), unguard(&n), unguard(&table), unguard(&index);
}

/* FAILURES.md rows 1, 2, 4, 5, 6, 9, 11, 12, 22. */
static void
windows_agree_with_gmp_between_guard_pages(void **state)
{
    (void)state;
    for (size_t i = 0; i < bm_num_ifma_dealts; i++) {
        for (unsigned seed = 0; seed < (run_long ? 6400u : 256u); seed++) {
            check_windows(&bm_ifma_dealts[i], seed, false);
            if (bm_ifma_dealts[i].streams == 1)
                check_windows(&bm_ifma_dealts[i], seed, true);
        }
    }
}

/* Every entry; the table ends at a guard page. */
static void
gather_takes_the_entry_that_is_asked_for(void **state)
{
    (void)state;
    for (size_t i = 0; i < bm_num_ifma_shapes; i++) {
        const bm_ifma_shape *s = &bm_ifma_shapes[i];
        const size_t width = 8 * bm_ifma_vectors(s), used = 4 * s->halves;
        guarded table = guard(32 * width, true, 0), z = guard(width, true, 0xA5);

        for (size_t j = 0; j < 32 * width; j++)
            table.at[j] = j % width < used ? gmp_urandomb_ui(rng, 52) : 0;
        for (bm_limb e = 0; e < 32; e++) {
            s->gather(z.at, table.at, 32, e);
            assert_memory_equal(z.at, table.at + e * width, width * 8);
        }
        unguard(&table), unguard(&z);
    }
}

/* ---- exponentiation ---------------------------------------------------------------------------
 */

typedef struct side {
    guarded memory, x, e, z, m;
    bm_modulus mod;
    mpz_t mm, xx, ee;
} side;

static void
open_side(side *s, size_t bits, size_t e_bits, unsigned seed, guarded *scratch)
{
    size_t num = BM_LIMBS_OF_BITS(bits);

    s->memory = guard(bm_modulus_limbs(ifma, num), seed % 2 == 0, 0xA5);
    s->x = guard(num, seed % 2 == 0, 0xA5);
    s->z = guard(num, seed % 2 == 0, 0xA5);
    s->m = guard(num, seed % 2 == 0, 0xA5);
    s->e = guard(BM_LIMBS_OF_BITS(e_bits), seed % 2 == 0, 0xA5);
    mpz_inits(s->mm, s->xx, s->ee, NULL);
    modulus_of(s->mm, bits, seed);
    mpz_rrandomb(s->ee, rng, e_bits);
    if (seed % 7 == 3)
        mpz_set_ui(s->ee, 0);
    mpz_urandomm(s->xx, rng, s->mm);
    if (seed % 5 == 1) /* row 13: 0, 1, m - 1 */
        mpz_set_ui(s->xx, seed / 5 % 2);
    if (seed % 5 == 2)
        mpz_sub_ui(s->xx, s->mm, 1);
    put(s->m.at, num, s->mm);
    put(s->x.at, num, s->xx);
    put(s->e.at, BM_LIMBS_OF_BITS(e_bits), s->ee);
    memset(scratch->at, 0xFF, scratch->len);
    assert_true(bm_modulus_init(&s->mod, ifma, s->m.at, num, s->memory.at, scratch->at));
    assert_non_null(s->mod.vec);
}

static void
check_side(side *s)
{
    mpz_t want, got;

    mpz_inits(want, got, NULL);
    mpz_powm(want, s->xx, s->ee, s->mm);
    get(got, s->z.at, s->mod.num);
    if (mpz_cmp(got, want) != 0)
        gmp_printf("%zu bits\nx %Zx\ne %Zx\nm %Zx\ngot %Zx\n", s->mod.bits, s->xx, s->ee, s->mm,
                   got);
    assert_int_equal(mpz_cmp(got, want), 0);
    memset(s->z.at, 0xA5, s->z.len);
    mpz_clears(want, got, NULL);
}

static void
close_side(side *s)
{
    unguard(&s->memory), unguard(&s->x), unguard(&s->e), unguard(&s->z), unguard(&s->m);
    mpz_clears(s->mm, s->xx, s->ee, NULL);
}

/* One pair of moduli, of these lengths: both together, each alone, and with a public exponent. */
static void
check_exp(size_t bits, size_t other_bits, size_t e_bits, unsigned seed)
{
    size_t widest = BM_LIMBS_OF_BITS(bits > other_bits ? bits : other_bits);
    guarded scratch = guard(bm_scratch_limbs(ifma, widest), seed % 2 == 0, 0xFF);
    side s[2];

    open_side(&s[0], bits, e_bits, seed, &scratch);
    open_side(&s[1], other_bits, e_bits, seed + 1, &scratch);
    for (int poison = 0; poison < 2; poison++) {
        const bm_exp_arg arg[2] = {{s[0].z.at, s[0].x.at, s[0].e.at, &s[0].mod},
                                   {s[1].z.at, s[1].x.at, s[1].e.at, &s[1].mod}};

        memset(scratch.at, poison ? 0xA5 : 0xFF, scratch.len);
        bm_exp_pair(arg, e_bits, scratch.at);
        check_side(&s[0]);
        check_side(&s[1]);
    }
    for (int i = 0; i < 2; i++) {
        bm_exp(s[i].z.at, s[i].x.at, s[i].e.at, e_bits, &s[i].mod, scratch.at);
        check_side(&s[i]);
        bm_exp_vartime(s[i].z.at, s[i].x.at, s[i].e.at, e_bits, &s[i].mod, scratch.at);
        check_side(&s[i]);
        /* z == x */
        memcpy(s[i].z.at, s[i].x.at, s[i].x.len);
        bm_exp(s[i].z.at, s[i].z.at, s[i].e.at, e_bits, &s[i].mod, scratch.at);
        check_side(&s[i]);
        close_side(&s[i]);
    }
    unguard(&scratch);
}

/* FAILURES.md rows 3, 9, 10, 11, 13, 22: lengths around every boundary of limbs, digits and
 * kernels. */
static void
lengths_around_every_boundary_agree_with_gmp(void **state)
{
    (void)state;
    for (size_t i = 0; i < bm_num_ifma_shapes; i++) {
        size_t end = 4 * bm_ifma_shapes[i].halves * 52 - 2;

        for (size_t bits = end - 1; bits <= end + 1 && bits <= MAX_BITS; bits++)
            check_exp(bits, bits, 12, (unsigned)(bits + i));
    }
    for (size_t bits = 384; bits <= 8192; bits += bits < 2048 ? 64 : 512) {
        for (size_t b = bits - 1; b <= bits + 1; b++)
            check_exp(b, bits, 17, (unsigned)b);
    }
    for (size_t bits = 321; bits <= MAX_BITS; bits += bits < 2200 ? 29 : bits < 8192 ? 331 : 1999)
        check_exp(bits, bits + bits % 3 <= MAX_BITS ? bits + bits % 3 : bits, 9, (unsigned)bits);
}

static void
every_length_agrees_with_gmp(void **state)
{
    (void)state;
    if (!run_long)
        skip();
    for (size_t bits = 321; bits <= MAX_BITS; bits += bits < 8320 ? 1 : 61)
        check_exp(bits, bits, bits < 4161 ? 13 : 3, (unsigned)bits);
}

static void
full_exponents_agree_with_gmp(void **state)
{
    (void)state;
    for (size_t bits = 512; bits <= 2048; bits *= 2) {
        check_exp(bits, bits, bits, (unsigned)bits);
        check_exp(bits, bits, bits - 1, (unsigned)bits + 4);
        check_exp(bits - 1, bits + 64, bits, (unsigned)bits + 4); /* not of one shape */
    }
    check_exp(1536, 1536, 1536, 4);
}

/* x^(2^1000) by single squarings, each compared: FAILURES.md row 4. */
static void
a_thousand_squarings_agree_with_gmp(void **state)
{
    const bm_ifma_shape *s = bm_ifma_shape_of(1024);
    const bm_limb two[1] = {2};
    guarded scratch = guard(bm_scratch_limbs(ifma, 16), true, 0xA5);
    side a;

    (void)state;
    assert_string_equal(s->name, "amm5");
    open_side(&a, 1024, 2, 19, &scratch);
    mpz_set_ui(a.ee, 2);
    memcpy(a.e.at, two, sizeof(two));
    for (int i = 0; i < 1000; i++) {
        bm_exp(a.z.at, a.x.at, a.e.at, 2, &a.mod, scratch.at);
        memcpy(a.x.at, a.z.at, a.x.len);
        check_side(&a);
        get(a.xx, a.x.at, a.mod.num);
    }
    close_side(&a);
    unguard(&scratch);
}

/* ---- that they run, and what they leave behind --------------------------------------------------
 */

/* FAILURES.md rows 18, 19. */
static void
the_row_is_chosen_by_features_and_names_its_kernels(void **state)
{
    const uint32_t all = features;
    const bool wide = (all & BM_CPU_WIDE) != 0;

    (void)state;
    assert_ptr_equal(bm_kernels_find("auto", all), ifma);
    assert_null(bm_kernels_find("ifma", all & ~(uint32_t)BM_CPU_IFMA));
    assert_string_not_equal(bm_kernels_find("auto", all & ~(uint32_t)BM_CPU_IFMA)->name, "ifma");
    assert_string_equal(bm_exp_kernel_name(ifma, 512, true), "exp10x2");
    assert_string_equal(bm_exp_kernel_name(ifma, 1024, true), wide ? "exp21x2" : "exp20x2");
    assert_string_equal(bm_exp_kernel_name(ifma, 1536, true), wide ? "exp31x2" : "exp30x2");
    assert_string_equal(bm_exp_kernel_name(ifma, 2048, true), "exp40x2");
    assert_string_equal(bm_exp_kernel_name(ifma, 4096, true), "exp79");
    assert_string_equal(bm_exp_kernel_name(ifma, 2048, false), "exp40");
    assert_string_equal(bm_exp_kernel_name(ifma, 3072, false), "exp60");
    assert_string_equal(bm_exp_kernel_name(ifma, 4096, false), "exp79");
    assert_string_equal(bm_exp_kernel_name(ifma, 8192, false), "amm40");
    assert_string_equal(bm_exp_kernel_name(ifma, 16384, false), "amm-wide");
    assert_string_equal(bm_exp_kernel_name(ifma, 128, false), "ifma");
    assert_string_equal(bm_exp_kernel_name(bm_kernels_find("portable", 0), 2048, false),
                        "portable");
}

/* FAILURES.md row 18: the vectors did the work, as what they prepared decides the result. */
static void
the_result_comes_from_the_vector_kernels(void **state)
{
    (void)state;
    for (size_t bits = 512; bits <= 16384; bits *= 2) {
        guarded scratch = guard(bm_scratch_limbs(ifma, BM_LIMBS_OF_BITS(bits)), true, 0xA5);
        side s;
        mpz_t got, want;
        bm_limb *prepared;

        mpz_inits(got, want, NULL);
        open_side(&s, bits, 17, 19, &scratch);
        prepared = (bm_limb *)(((uintptr_t)s.mod.vec + 63) & ~(uintptr_t)63);
        prepared[8] ^= 2; /* the lowest digit of N */
        bm_exp_vartime(s.z.at, s.x.at, s.e.at, 17, &s.mod, scratch.at);
        get(got, s.z.at, s.mod.num);
        mpz_powm(want, s.xx, s.ee, s.mm);
        assert_int_not_equal(mpz_cmp(got, want), 0);
        prepared[8] ^= 2;
        bm_exp_vartime(s.z.at, s.x.at, s.e.at, 17, &s.mod, scratch.at);
        check_side(&s);
        mpz_clears(got, want, NULL);
        close_side(&s);
        unguard(&scratch);
    }
}

#if defined(__x86_64__)
/* The callee-saved registers of System V, each with a value of its own, around a call. */
static uint64_t kept_before[6], kept_after[6];

static void
call_with_known_registers(void (*function)(void))
{
    uint64_t *before = kept_before, *after = kept_after;

    for (int i = 0; i < 6; i++)
        kept_before[i] = gmp_urandomb_ui(rng, 62);
    /* The push of `after` also aligns the stack: the seventh word below the function's frame. */
    __asm__ volatile("push %%rbx; push %%rbp; push %%r12; push %%r13; push %%r14; push %%r15\n\t"
                     "push %%rdx\n\t"
                     "mov (%%rsi), %%rbx; mov 8(%%rsi), %%rbp; mov 16(%%rsi), %%r12\n\t"
                     "mov 24(%%rsi), %%r13; mov 32(%%rsi), %%r14; mov 40(%%rsi), %%r15\n\t"
                     "call *%%rdi\n\t"
                     "pop %%rdx\n\t"
                     "mov %%rbx, (%%rdx); mov %%rbp, 8(%%rdx); mov %%r12, 16(%%rdx)\n\t"
                     "mov %%r13, 24(%%rdx); mov %%r14, 32(%%rdx); mov %%r15, 40(%%rdx)\n\t"
                     "pop %%r15; pop %%r14; pop %%r13; pop %%r12; pop %%rbp; pop %%rbx"
                     : "+D"(function), "+S"(before), "+d"(after)
                     :
                     : "rax", "rcx", "r8", "r9", "r10", "r11", "cc", "memory");
}

static const bm_ifma_shape *abi_shape;
static const bm_ifma_dealt *abi_dealt;
static bm_limb abi_memory[16 * MAX_WIDTH] __attribute__((aligned(64)));

/* AVX state in use, as XGETBV(1) tells: clear after vzeroupper where the processor tracks it. */
static uint64_t
state_in_use(void)
{
    uint32_t low, high;

    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(1));
    return (uint64_t)high << 32 | low;
}

static uint64_t in_use_after;

static void
run_kernels(void)
{
    bm_limb *z = abi_memory, *n = abi_memory + 8 * MAX_WIDTH;
    size_t digits = 4 * abi_shape->halves;

    abi_shape->amm(z, z, z, n, digits);
    abi_shape->ams(z, n, digits, 2);
    abi_shape->gather(z, n, 1, 0);
    in_use_after = state_in_use();
    bm_wipe_vectors_ifma();
}

static void
run_windows(void)
{
    bm_limb *z = abi_memory, *n = abi_memory + MAX_WIDTH, *table = n + MAX_WIDTH;

    abi_dealt->windows(z, n, table, z, 2, 2);
    if (abi_dealt->streams == 1)
        abi_dealt->windows(z, n, table, NULL, 2, 2);
    in_use_after = state_in_use();
    bm_wipe_vectors_ifma();
}

/* FAILURES.md row 17. */
static void
kernels_keep_the_callers_registers(void **state)
{
    (void)state;
    for (size_t i = 0; i < bm_num_ifma_shapes; i++) {
        abi_shape = &bm_ifma_shapes[i];
        call_with_known_registers(run_kernels);
        assert_memory_equal(kept_before, kept_after, sizeof(kept_before));
        assert_int_equal(in_use_after & 4, 0); /* the upper halves of ymm are clean */
    }
    for (size_t i = 0; i < bm_num_ifma_dealts; i++) {
        abi_dealt = &bm_ifma_dealts[i];
        call_with_known_registers(run_windows);
        assert_memory_equal(kept_before, kept_after, sizeof(kept_before));
        assert_int_equal(in_use_after & 4, 0);
    }
}

static void
load_vectors(const uint8_t bytes[64])
{
    __asm__ volatile("vmovdqu64 (%0), %%zmm0; vmovdqu64 (%0), %%zmm15; vmovdqu64 (%0), %%zmm16;"
                     "vmovdqu64 (%0), %%zmm31" ::"r"(bytes)
                     : "xmm0", "xmm15", "memory");
}

static void
store_vectors(uint8_t bytes[256])
{
    __asm__ volatile(
        "vmovdqu64 %%zmm0, (%0); vmovdqu64 %%zmm15, 64(%0); vmovdqu64 %%zmm16, 128(%0);"
        "vmovdqu64 %%zmm31, 192(%0); vzeroupper" ::"r"(bytes)
        : "memory");
}

static void
wiping_leaves_no_vector_register_behind(void **state)
{
    static const uint8_t none[256];
    uint8_t secret[64], found[256];

    (void)state;
    memset(secret, 0x5E, sizeof(secret));
    load_vectors(secret);
    bm_wipe_vectors_ifma();
    store_vectors(found);
    assert_memory_equal(found, none, sizeof(found));
}
#endif

/* ---- long -------------------------------------------------------------------------------------
 */

static void
a_million_random_exponentiations_agree_with_gmp(void **state)
{
    const size_t count = run_long ? 1000000 : 2000;
    bm_limb *memory = malloc(8 * 2 * bm_modulus_limbs(ifma, 40));
    bm_limb *scratch = malloc(8 * bm_scratch_limbs(ifma, 40));

    (void)state;
    for (size_t i = 0; i < count; i += 2) {
        size_t bits = 321 + gmp_urandomm_ui(rng, i % 32 == 0 ? 2200 : 1000),
               num = BM_LIMBS_OF_BITS(bits);
        size_t e_bits = 1 + gmp_urandomm_ui(rng, 24);
        bm_limb z[2][40], x[2][40], e[2][1], ml[40];
        bm_modulus mod[2];
        mpz_t m[2], xx[2], ee[2], want, got;

        mpz_inits(m[0], m[1], xx[0], xx[1], ee[0], ee[1], want, got, NULL);
        for (int j = 0; j < 2; j++) {
            modulus_of(m[j], bits, (unsigned)gmp_urandomb_ui(rng, 2));
            operand_of(xx[j], m[j], (unsigned)gmp_urandomb_ui(rng, 3));
            mpz_mod(xx[j], xx[j], m[j]);
            mpz_urandomb(ee[j], rng, e_bits);
            put(ml, num, m[j]);
            put(x[j], num, xx[j]);
            put(e[j], 1, ee[j]);
            assert_true(bm_modulus_init(&mod[j], ifma, ml, num,
                                        memory + (size_t)j * bm_modulus_limbs(ifma, 40), scratch));
        }
        bm_exp_pair((const bm_exp_arg[2]){{z[0], x[0], e[0], &mod[0]}, {z[1], x[1], e[1], &mod[1]}},
                    e_bits, scratch);
        for (int j = 0; j < 2; j++) {
            mpz_powm(want, xx[j], ee[j], m[j]);
            get(got, z[j], num);
            assert_int_equal(mpz_cmp(got, want), 0);
        }
        mpz_clears(m[0], m[1], xx[0], xx[1], ee[0], ee[1], want, got, NULL);
    }
    free(memory);
    free(scratch);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_row_is_chosen_by_features_and_names_its_kernels),
        cmocka_unit_test(kernels_agree_with_gmp_between_guard_pages),
        cmocka_unit_test(windows_agree_with_gmp_between_guard_pages),
        cmocka_unit_test(gather_takes_the_entry_that_is_asked_for),
        cmocka_unit_test(lengths_around_every_boundary_agree_with_gmp),
        cmocka_unit_test(full_exponents_agree_with_gmp),
        cmocka_unit_test(a_thousand_squarings_agree_with_gmp),
        cmocka_unit_test(the_result_comes_from_the_vector_kernels),
        cmocka_unit_test(kernels_keep_the_callers_registers),
        cmocka_unit_test(wiping_leaves_no_vector_register_behind),
        cmocka_unit_test(every_length_agrees_with_gmp),
        cmocka_unit_test(a_million_random_exponentiations_agree_with_gmp),
    };

    int failed = 0;

    run_long = argc > 1 && strcmp(argv[1], "long") == 0;
    features = bm_cpu_features();
    if (bm_kernels_find("ifma", features) == NULL) {
        printf("ifma: skipped, this processor does not have it\n");
        return 77;
    }
    gmp_randinit_default(rng);
    if ((features & BM_CPU_WIDE) != 0) {
        ifma = bm_kernels_find("ifma", features);
        failed = cmocka_run_group_tests_name("ifma, wide", tests, NULL, NULL);
        features &= ~(uint32_t)BM_CPU_WIDE;
    }
    ifma = bm_kernels_find("ifma", features);
    return failed + cmocka_run_group_tests_name("ifma", tests, NULL, NULL);
}
