/* What arm64's hwcaps allow; the kernels that they forbid are not chosen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cpu.h"
#include "kernels.h"

/* FAILURES.md row 20 */
static void
no_hwcap_gives_the_portable_kernels(void **state)
{
    (void)state;
    assert_int_equal(bm_cpu_features_of_hwcap(0), 0);
    assert_string_equal(bm_kernels_find("auto", bm_cpu_features_of_hwcap(0))->name, "portable");
    assert_null(bm_kernels_find("arm64", bm_cpu_features_of_hwcap(0)));
    /* all but Advanced SIMD */
    assert_int_equal(bm_cpu_features_of_hwcap(~(uint64_t)2), 0);
}

static void
advanced_simd_gives_the_arm64_kernels(void **state)
{
    const bm_kernels *set = bm_kernels_find("auto", bm_cpu_features_of_hwcap(2));

    (void)state;
    assert_int_equal(bm_cpu_features_of_hwcap(2), BM_CPU_ARM64);
#ifdef BM_ASM_ARM64
    assert_string_equal(set->name, "arm64");
#else
    assert_string_equal(set->name, "portable");
#endif
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_hwcap_gives_the_portable_kernels),
        cmocka_unit_test(advanced_simd_gives_the_arm64_kernels),
    };

    return cmocka_run_group_tests_name("hwcap", tests, NULL, NULL);
}
