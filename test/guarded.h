/*
 * Operands between two pages that cannot be touched, for checks of kernels: a read or write past
 * either end of an operand stops the program (FAILURES.md rows 9, 22), and a canary on the side
 * that does not meet its guard page tells of smaller steps.
 */
#ifndef GUARDED_H
#define GUARDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { CANARY_LIMBS = 8 };

typedef struct guarded {
    uint64_t *start; /* the pages between the guards */
    size_t limbs;    /* that fit there */
    uint64_t *data;  /* the operand, and its length */
    size_t num;
} guarded;

/* Room for operands of up to `limbs` limbs. */
static inline guarded
guarded_new(size_t limbs)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t size = ((limbs + CANARY_LIMBS) * 8 + page - 1) / page * page;
    uint8_t *p = mmap(NULL, size + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (p == MAP_FAILED || mprotect(p + page, size, PROT_READ | PROT_WRITE) != 0) {
        perror("guarded_new");
        exit(1);
    }
    return (guarded){(uint64_t *)(void *)(p + page), size / 8, NULL, 0};
}

static inline void
guarded_free(guarded *g)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    munmap((uint8_t *)g->start - page, g->limbs * 8 + 2 * page);
}

static inline uint64_t *
guarded_canary(const guarded *g)
{
    return g->data == g->start ? g->data + g->num : g->data - CANARY_LIMBS;
}

/* An operand of num limbs that ends at the upper guard page, or begins at the lower one. */
static inline uint64_t *
guarded_place(guarded *g, size_t num, bool at_end)
{
    g->num = num;
    g->data = at_end ? g->start + g->limbs - num : g->start;
    memset(guarded_canary(g), 0xC5, 8 * CANARY_LIMBS);
    return g->data;
}

static inline bool
guarded_intact(const guarded *g)
{
    const uint8_t *canary = (const uint8_t *)guarded_canary(g);

    for (size_t i = 0; i < 8 * CANARY_LIMBS; i++) {
        if (canary[i] != 0xC5)
            return false;
    }
    return true;
}

#endif
