/*
 * Kernel sets: dispatch is data.
 *
 * bm_kernel_sets[] lists the sets, best first; each row names the processor features it needs. The
 * last row, "portable", needs none. Rows of one name differ in what else they need. A row is immutable; who wants a set asks bm_kernels_find() with
 * the features of this processor (bm_cpu_features(), or fewer, to switch some off) and keeps the
 * pointer.
 *
 * A kernel is bm_<op>_<shape>_<isa>, alone in a file of that name, with a portable twin of the same
 * contract in *_portable.c.
 */
#ifndef BM_KERNELS_H
#define BM_KERNELS_H

#include "bigmod.h"

/* Features that a row may need (cpu.c): the processor has them and the system saves their state. */
enum {
    BM_CPU_AMD64 = 1u << 0, /* x86-64 at all */
    BM_CPU_BMI2 = 1u << 1,  /* mulx */
    BM_CPU_ADX = 1u << 2,   /* adcx, adox */
    BM_CPU_AVX2 = 1u << 3,
    BM_CPU_FMA = 1u << 5,   /* FMA3 on ymm, rounding as MXCSR says */
    BM_CPU_IFMA = 1u << 4,  /* AVX512F, VL, DQ, BW and IFMA, with XCR0's opmask and zmm bits */
    BM_CPU_WIDE = 1u << 6,  /* two multiply-adds of zmm a cycle */
    BM_CPU_ARM64 = 1u << 8, /* AArch64 with Advanced SIMD */
};

/*
 * Vector exponentiation, in a radix of its own behind this door: operands and results are saturated
 * limbs. A row without vectors has vec == NULL.
 */
typedef struct bm_vec {
    const char *name; /* of the instructions: what buildinfo shows for the sizes served */
    /* Limbs that prepare() fills for a modulus of num limbs; 0: this size is not served. */
    size_t (*modulus_limbs)(size_t num);
    /* Limbs of scratch for every function here, moduli of up to num limbs. */
    size_t (*scratch_limbs)(size_t num);
    /*
     * Fills m->vec from m->m, and from m->rr, which is there, or is filled too where makes_rr says so.
     * The value of m is secret.
     */
    bool makes_rr;
    void (*prepare)(bm_modulus *m, bm_limb *scratch);
    /* As bm_exp, bm_exp_pair (both moduli served) and bm_exp_vartime. */
    void (*exp)(bm_limb *z, const bm_limb *x, const bm_limb *e, size_t e_bits, const bm_modulus *m,
                bm_limb *scratch);
    void (*exp_pair)(const bm_exp_arg arg[2], size_t e_bits, bm_limb *scratch);
    void (*exp_vartime)(bm_limb *z, const bm_limb *x, const bm_limb *e, size_t e_bits,
                        const bm_modulus *m, bm_limb *scratch);
    /* The kernel that serves moduli of that many bits, in pairs or alone; NULL: not served. */
    const char *(*kernel_name)(size_t bits, bool pair);
} bm_vec;

struct bm_ed25519_kernels; /* ed25519_kernels.h */

typedef struct bm_kernels {
    const char *name; /* of openssl.cnf's `kernels =` */
    uint32_t needs;   /* BM_CPU_* */

    /* z = x y / R mod m; x y < m R, z < m. num >= 1. scratch: BM_MONT_SCRATCH_LIMBS(num). */
    void (*mont_mul)(bm_limb *z, const bm_limb *x, const bm_limb *y, const bm_limb *m, bm_limb n0,
                     size_t num, bm_limb *scratch);
    /* z = x^2 / R mod m; x < m. */
    void (*mont_sqr)(bm_limb *z, const bm_limb *x, const bm_limb *m, bm_limb n0, size_t num,
                     bm_limb *scratch);
    /*
     * z = t / R mod m for t < m R of 2 num limbs; t is destroyed. z may be t or its upper half.
     */
    void (*mont_reduce)(bm_limb *z, bm_limb *t, const bm_limb *m, bm_limb n0, size_t num);
    /* z = x y mod 2^(64 num), z apart from x and y. num >= 1. scratch: BM_MONT_SCRATCH_LIMBS(num). */
    void (*mul_low)(bm_limb *z, const bm_limb *x, const bm_limb *y, size_t num, bm_limb *scratch);
    /* z = x^2 mod 2^(64 num), likewise. */
    void (*sqr_low)(bm_limb *z, const bm_limb *x, size_t num, bm_limb *scratch);
    /*
     * z = table[index], entries of num limbs one after another, count of them; every entry is read
     * whatever the (secret) index, in the same order.
     */
    void (*gather)(bm_limb *z, const bm_limb *table, size_t num, size_t count, bm_limb index);

    const bm_vec *vec; /* NULL: none */
    const struct bm_ed25519_kernels *ed25519;
} bm_kernels;

/* Scratch of the Montgomery kernels: a double-width product and Karatsuba's room. */
#define BM_MONT_SCRATCH_LIMBS(num) (6 * (size_t)(num) + 64)

extern const bm_kernels bm_kernel_sets[];
extern const size_t bm_num_kernel_sets;

/* The features of this processor, as BM_CPU_* bits. Executes CPUID or reads the hwcaps, each call. */
uint32_t bm_cpu_features(void);

/*
 * The best set that `features` allow, or with a name other than "auto" that very set; NULL when the
 * name is unknown, or the features do not allow it.
 */
const bm_kernels *bm_kernels_find(const char *name, uint32_t features);

/*
 * What exponentiates modulo numbers of that many bits, two at once (`pair`) or one, by a public
 * exponent: the name of a vector kernel, or of the set itself.
 */
const char *bm_exp_kernel_name(const bm_kernels *kernels, size_t bits, bool pair);

#endif
