/* Wiping: every function that makes a secret calls this before it returns. */
#include "ct.h"

#include <string.h>

void
bm_wipe(void *bytes, size_t len)
{
    if (len == 0)
        return;
    memset(bytes, 0, len);
    /* The memory is read as far as the compiler knows, so the stores stay. */
    __asm__ volatile("" : : "r"(bytes) : "memory");
}
