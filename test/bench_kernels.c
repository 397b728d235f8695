/*
 * The kernel bench: each kernel set of this processor beside libcrypto and GMP on the same numbers,
 * interleaved in one process.
 *
 *     bench_kernels [-s SECONDS_A_ROW] [-k SET] [ROW_SUBSTRING...]
 *
 * A + behind a set's name says that it has vectors. A set is compared with the libcrypto that has
 * the same instructions: for a set without IFMA, the program starts itself again with
 * OPENSSL_ia32cap masking IFMA, for one without ADX also ADX and BMI2. Columns: nanoseconds an
 * operation, median and best block; ratios are theirs / ours.
 */
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/bn.h>
#include <openssl/crypto.h>

#include <gmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kernels.h"

enum { MAX = BM_MAX_LIMBS, MAX_BLOCKS = 2000 };

/* What a row works on: the same modulus, base and exponent for each side. */
typedef struct operands {
    const bm_kernels *set;
    size_t num, e_bits;
    bm_modulus mod;
    bm_limb *memory, *scratch;
    bm_limb m[MAX], x[MAX], y[MAX], e[MAX], z[MAX];
    BN_CTX *ctx;
    BN_MONT_CTX *mont;
    BIGNUM *bm, *bx, *by, *be, *bz;
    mpz_t gm, gx, ge, gz;
} operands;

typedef void operation(operands *o);

typedef struct row {
    const char *name;
    size_t bits;   /* of the modulus */
    size_t e_bits; /* 0: no exponent; 17: 65537 */
    operation *ours;
    operation *theirs;
    const char *peer;
} row;

static void
our_mul(operands *o)
{
    bm_mont_mul(o->z, o->x, o->y, &o->mod, o->scratch);
}

static void
our_sqr(operands *o)
{
    bm_mont_sqr(o->z, o->x, &o->mod, o->scratch);
}

static void
our_exp(operands *o)
{
    bm_exp(o->z, o->x, o->e, o->e_bits, &o->mod, o->scratch);
}

static void
our_exp_vartime(operands *o)
{
    bm_exp_vartime(o->z, o->x, o->e, o->e_bits, &o->mod, o->scratch);
}

/* Two primes of an RSA key, here the same one twice. */
static void
our_exp_pair(operands *o)
{
    const bm_exp_arg arg[2] = {{o->z, o->x, o->e, &o->mod}, {o->z, o->x, o->e, &o->mod}};

    bm_exp_pair(arg, o->e_bits, o->scratch);
}

static void
bn_mul(operands *o)
{
    BN_mod_mul_montgomery(o->bz, o->bx, o->by, o->mont, o->ctx);
}

static void
bn_sqr(operands *o)
{
    BN_mod_mul_montgomery(o->bz, o->bx, o->bx, o->mont, o->ctx);
}

static void
bn_exp(operands *o)
{
    BN_mod_exp_mont_consttime(o->bz, o->bx, o->be, o->bm, o->ctx, o->mont);
}

static void
bn_exp_vartime(operands *o)
{
    BN_mod_exp_mont(o->bz, o->bx, o->be, o->bm, o->ctx, o->mont);
}

static void
bn_exp_pair(operands *o)
{
    BN_mod_exp_mont_consttime_x2(o->bz, o->bx, o->be, o->bm, o->mont, o->by, o->bx, o->be, o->bm,
                                 o->mont, o->ctx);
}

static void
gmp_exp(operands *o)
{
    mpz_powm(o->gz, o->gx, o->ge, o->gm);
}

static void
gmp_exp_sec(operands *o)
{
    mpz_powm_sec(o->gz, o->gx, o->ge, o->gm);
}

static const row rows[] = {
    {"mul-16", 1024, 0, our_mul, bn_mul, "BN_mod_mul_montgomery"},
    {"sqr-16", 1024, 0, our_sqr, bn_sqr, "BN_mod_mul_montgomery"},
    {"mul-24", 1536, 0, our_mul, bn_mul, "BN_mod_mul_montgomery"},
    {"sqr-24", 1536, 0, our_sqr, bn_sqr, "BN_mod_mul_montgomery"},
    {"mul-32", 2048, 0, our_mul, bn_mul, "BN_mod_mul_montgomery"},
    {"sqr-32", 2048, 0, our_sqr, bn_sqr, "BN_mod_mul_montgomery"},
    {"mul-48", 3072, 0, our_mul, bn_mul, "BN_mod_mul_montgomery"},
    {"sqr-48", 3072, 0, our_sqr, bn_sqr, "BN_mod_mul_montgomery"},
    {"mul-64", 4096, 0, our_mul, bn_mul, "BN_mod_mul_montgomery"},
    {"sqr-64", 4096, 0, our_sqr, bn_sqr, "BN_mod_mul_montgomery"},
    {"mul-128", 8192, 0, our_mul, bn_mul, "BN_mod_mul_montgomery"},
    {"sqr-128", 8192, 0, our_sqr, bn_sqr, "BN_mod_mul_montgomery"},
    {"private-1024", 512, 512, our_exp_pair, bn_exp_pair, "BN_mod_exp_mont_consttime_x2"},
    {"private-1536", 768, 768, our_exp_pair, bn_exp_pair, "BN_mod_exp_mont_consttime_x2"},
    {"private-2048", 1024, 1024, our_exp_pair, bn_exp_pair, "BN_mod_exp_mont_consttime_x2"},
    {"private-3072", 1536, 1536, our_exp_pair, bn_exp_pair, "BN_mod_exp_mont_consttime_x2"},
    {"private-4096", 2048, 2048, our_exp_pair, bn_exp_pair, "BN_mod_exp_mont_consttime_x2"},
    {"private-8192", 4096, 4096, our_exp_pair, bn_exp_pair, "BN_mod_exp_mont_consttime_x2"},
    {"public-1024", 1024, 17, our_exp_vartime, bn_exp_vartime, "BN_mod_exp_mont"},
    {"public-2048", 2048, 17, our_exp_vartime, bn_exp_vartime, "BN_mod_exp_mont"},
    {"public-3072", 3072, 17, our_exp_vartime, bn_exp_vartime, "BN_mod_exp_mont"},
    {"public-4096", 4096, 17, our_exp_vartime, bn_exp_vartime, "BN_mod_exp_mont"},
    {"public-8192", 8192, 17, our_exp_vartime, bn_exp_vartime, "BN_mod_exp_mont"},
    {"exp-1024", 1024, 1024, our_exp, bn_exp, "BN_mod_exp_mont_consttime"},
    {"exp-1024-gmp", 1024, 1024, our_exp, gmp_exp, "mpz_powm"},
    {"exp-1024-gmp-sec", 1024, 1024, our_exp, gmp_exp_sec, "mpz_powm_sec"},
    {"exp-1024-public", 1024, 1024, our_exp_vartime, gmp_exp, "mpz_powm"},
};

static double
now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static int
compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void
random_limbs(bm_limb *z, size_t num)
{
    static uint64_t state = 88172645463325252u; /* xorshift64 of Marsaglia 2003 */

    for (size_t i = 0; i < num; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        z[i] = state * 0x2545f4914f6cdd1du;
    }
}

static BIGNUM *
to_bn(const bm_limb *x, size_t num)
{
    return BN_lebin2bn((const unsigned char *)x, (int)(8 * num), NULL);
}

static void
start(operands *o, const bm_kernels *set, const row *r)
{
    size_t num = BM_LIMBS_OF_BITS(r->bits), num_e;

    memset(o, 0, sizeof(*o));
    o->set = set;
    o->num = num;
    o->e_bits = r->e_bits;
    o->memory = malloc(8 * bm_modulus_limbs(set, num));
    o->scratch = malloc(8 * 2 * bm_scratch_limbs(set, num));
    random_limbs(o->m, num);
    o->m[0] |= 1;
    o->m[num - 1] |= (bm_limb)1 << 63;
    if (!bm_modulus_init(&o->mod, set, o->m, num, o->memory, o->scratch))
        exit(1);
    random_limbs(o->x, num);
    random_limbs(o->y, num);
    o->x[num - 1] >>= 1;
    o->y[num - 1] >>= 1;
    num_e = BM_LIMBS_OF_BITS(r->e_bits);
    random_limbs(o->e, num_e);
    if (num_e > 0)
        o->e[num_e - 1] |= (bm_limb)1 << 63;
    if (r->e_bits == 17)
        o->e[0] = 65537;

    o->ctx = BN_CTX_new();
    o->bm = to_bn(o->m, num);
    o->bx = to_bn(o->x, num);
    o->by = to_bn(o->y, num);
    o->be = to_bn(o->e, num_e);
    o->bz = BN_new();
    o->mont = BN_MONT_CTX_new();
    BN_MONT_CTX_set(o->mont, o->bm, o->ctx);
    mpz_inits(o->gm, o->gx, o->ge, o->gz, NULL);
    mpz_import(o->gm, num, -1, 8, 0, 0, o->m);
    mpz_import(o->gx, num, -1, 8, 0, 0, o->x);
    mpz_import(o->ge, num_e, -1, 8, 0, 0, o->e);
}

static void
stop(operands *o)
{
    BN_MONT_CTX_free(o->mont);
    BN_free(o->bm);
    BN_free(o->bx);
    BN_free(o->by);
    BN_free(o->be);
    BN_free(o->bz);
    BN_CTX_free(o->ctx);
    mpz_clears(o->gm, o->gx, o->ge, o->gz, NULL);
    free(o->memory);
    free(o->scratch);
}

/* The results of both sides are the same, or the row compares nothing. */
static bool
agree(operands *o, const row *r)
{
    bm_limb theirs[MAX] = {0};
    BIGNUM *ours;
    bool same;

    r->ours(o);
    r->theirs(o);
    ours = to_bn(o->z, o->num);
    if (r->theirs == gmp_exp || r->theirs == gmp_exp_sec) {
        mpz_export(theirs, NULL, -1, 8, 0, 0, o->gz);
        same = memcmp(theirs, o->z, 8 * o->num) == 0;
    } else {
        same = BN_cmp(ours, o->bz) == 0;
    }
    BN_free(ours);
    return same;
}

static double
block(operands *o, operation *op, size_t count)
{
    double start_ns = now_ns();

    for (size_t i = 0; i < count; i++)
        op(o);
    return (now_ns() - start_ns) / (double)count;
}

/* The set's name, with a + where it has vectors: rows of one name differ in that. */
static const char *
label(const bm_kernels *set)
{
    static char text[32];

    snprintf(text, sizeof(text), "%s%s", set->name, set->vec != NULL ? "+" : "");
    return text;
}

static void
measure(const bm_kernels *set, const row *r, double seconds)
{
    static double ours[MAX_BLOCKS], theirs[MAX_BLOCKS];
    static operands o;
    size_t blocks = 0, count;
    double end, once;

    start(&o, set, r);
    if (!agree(&o, r)) {
        printf("%s %s: results differ\n", set->name, r->name);
        exit(1);
    }
    once = block(&o, r->ours, 3);
    count = once > 50e3 ? 1 : (size_t)(50e3 / once) + 1;
    end = now_ns() + seconds * 1e9;
    while (blocks < MAX_BLOCKS && (now_ns() < end || blocks < 5)) {
        ours[blocks] = block(&o, r->ours, count);
        theirs[blocks] = block(&o, r->theirs, count);
        blocks++;
    }
    qsort(ours, blocks, sizeof(*ours), compare);
    qsort(theirs, blocks, sizeof(*theirs), compare);
    printf("%-8s %-17s %11.0f %11.0f %11.0f %11.0f   %5.2f %5.2f  %s\n", label(set), r->name,
           ours[blocks / 2], ours[0], theirs[blocks / 2], theirs[0],
           theirs[blocks / 2] / ours[blocks / 2], theirs[0] / ours[0], r->peer);
    fflush(stdout);
    stop(&o);
}

/* The instructions that libcrypto may not use beside this set: leaf 7 ebx, bits 21, 19, 8 and 5. */
static const char *
peer_mask(const bm_kernels *set)
{
    if (set->needs & BM_CPU_IFMA)
        return ":~0";
    if (set->needs & BM_CPU_ADX)
        return ":~0x200000";
    return set->needs & BM_CPU_AVX2 ? ":~0x280100" : ":~0x280120";
}

static bool
chosen(const char *name, int argc, char **argv)
{
    for (int i = optind; i < argc; i++) {
        if (strstr(name, argv[i]) != NULL)
            return true;
    }
    return optind >= argc;
}

/* Runs this program again for one set, with libcrypto masked before it looks at the processor. */
static int
run_masked(const bm_kernels *set, char **argv)
{
    char number[24];
    int status = 1;
    pid_t child = fork();

    if (child == 0) {
        setenv("OPENSSL_ia32cap", peer_mask(set), 1);
        snprintf(number, sizeof(number), "%zu", (size_t)(set - bm_kernel_sets));
        setenv("BENCH_KERNELS_SET", number, 1);
        execv("/proc/self/exe", argv);
        _exit(1);
    }
    waitpid(child, &status, 0);
    return status == 0 ? 0 : 1;
}

int
main(int argc, char **argv)
{
    const char *only = NULL, *child = getenv("BENCH_KERNELS_SET");
    double seconds = 1;
    int option, status = 0;

    while ((option = getopt(argc, argv, "s:k:")) != -1) {
        if (option == 's')
            seconds = atof(optarg);
        else if (option == 'k')
            only = optarg;
        else
            return 2;
    }
    if (child != NULL) {
        const bm_kernels *set = &bm_kernel_sets[strtoul(child, NULL, 10)];

        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
            if (chosen(rows[i].name, argc, argv))
                measure(set, &rows[i], seconds);
        }
        return 0;
    }
    printf("%s; ns an operation\n%-8s %-17s %11s %11s %11s %11s   %5s %5s\n",
           OpenSSL_version(OPENSSL_VERSION), "kernels", "row", "ours", "best", "theirs", "best",
           "ratio", "best");
    fflush(stdout);
    for (size_t i = 0; i < bm_num_kernel_sets; i++) {
        const bm_kernels *set = &bm_kernel_sets[i];

        if (only != NULL && strcmp(only, set->name) != 0)
            continue;
        if ((set->needs & ~bm_cpu_features()) != 0)
            printf("%-8s skipped, not on this processor\n", set->name);
        else
            status |= run_masked(set, argv);
        fflush(stdout);
    }
    return status;
}
