/*
 * Where a test may plant a fault. In the build with BM_FAULT the test defines bm_fault_point() and
 * flips bits of the intermediate value that passes by; in every other build this is nothing.
 */
#ifndef BM_FAULT_H
#define BM_FAULT_H

#include "ct.h"

#ifdef BM_FAULT
void bm_fault_point(const char *name, void *bytes, size_t len);
#else
static inline void
bm_fault_point(const char *name, void *bytes, size_t len)
{
    (void)name;
    (void)bytes;
    (void)len;
}
#endif

#endif
