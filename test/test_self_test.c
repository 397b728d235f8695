/* The self tests hold for every kernel set of this processor, and notice kernels that do not work.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "ed25519_kernels.h"
#include "self_test.h"

static size_t
failures(const bm_kernels *set)
{
    bm_limb *memory = malloc(bm_self_test_limbs(set) * sizeof(bm_limb));
    size_t failed = 0;

    assert_non_null(memory);
    for (size_t i = 0; i < bm_num_self_tests; i++)
        failed += bm_self_test_run(i, set, memory) != bm_self_tests[i].answer;
    free(memory);
    return failed;
}

static void
answers_hold_for_every_kernel_set(void **state)
{
    (void)state;
    for (size_t i = 0; i < bm_num_kernel_sets; i++) {
        const bm_kernels *set = bm_kernels_find(bm_kernel_sets[i].name, bm_cpu_features());
        clock_t from = clock();

        if (set == NULL) {
            printf("kernels %s: skipped, not on this processor\n", bm_kernel_sets[i].name);
            continue;
        }
        assert_int_equal(failures(set), 0);
        printf("kernels %s: run in %.2f ms\n", set->name,
               1e3 * (double)(clock() - from) / CLOCKS_PER_SEC);
    }
}

/* ---- kernels that do not work -------------------------------------------------------------------
 */

static const bm_kernels *real;

static void
wrong_mul(bm_limb *z, const bm_limb *x, const bm_limb *y, const bm_limb *m, bm_limb n0, size_t num,
          bm_limb *scratch)
{
    real->mont_mul(z, x, y, m, n0, num, scratch);
    z[0] ^= 1;
}

static void
wrong_sqr(bm_limb *z, const bm_limb *x, const bm_limb *m, bm_limb n0, size_t num, bm_limb *scratch)
{
    real->mont_sqr(z, x, m, n0, num, scratch);
    z[num - 1] ^= 2;
}

static bm_mask
wrong_base_mul(uint8_t out[32], bm_limb x[4], const bm_limb s[4])
{
    bm_mask sound = real->ed25519->base_mul(out, x, s);

    out[7] ^= 4;
    return sound;
}

static void
wrong_kernels_are_noticed(void **state)
{
    bm_kernels broken;
    bm_ed25519_kernels points;

    (void)state;
    real = bm_kernels_find("portable", 0);
    broken = *real;
    broken.mont_mul = wrong_mul;
    assert_true(failures(&broken) > 0);
    broken = *real;
    broken.mont_sqr = wrong_sqr;
    assert_true(failures(&broken) > 0);
    broken = *real;
    points = *real->ed25519;
    points.base_mul = wrong_base_mul;
    broken.ed25519 = &points;
    assert_true(failures(&broken) > 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_hold_for_every_kernel_set),
        cmocka_unit_test(wrong_kernels_are_noticed),
    };

    return cmocka_run_group_tests_name("self tests", tests, NULL, NULL);
}
