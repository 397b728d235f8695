/* What this processor can do, and the operating system lets it. */
#include "kernels.h"

uint32_t
bm_cpu_features(void)
{
    return 0;
}
