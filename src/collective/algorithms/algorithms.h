/* algorithms: the step generators, one file each, and what they share. Included by program.c and
 * the algorithms only; everybody else finds them by name (collective/program.h). */
#ifndef NADI_COLLECTIVE_ALGORITHMS_ALGORITHMS_H
#define NADI_COLLECTIVE_ALGORITHMS_ALGORITHMS_H

#include "collective/nodes.h"
#include "collective/program.h"

#define NADI_GENERATOR_DECLARE(id, ...) extern const struct nadi_program_ops nadi_algorithm_##id;
NADI_GENERATORS(NADI_GENERATOR_DECLARE)
#undef NADI_GENERATOR_DECLARE
/* How `ring` goes on a group of several nodes; it is no word of files. */
extern const struct nadi_program_ops nadi_algorithm_by_node;

#define NADI_KIND(kind) (1U << (kind))
#define NADI_KINDS_REDUCE_SCATTER                                                                  \
    (NADI_KIND(NADI_REDUCE_SCATTER) | NADI_KIND(NADI_REDUCE_SCATTER_BLOCK))

static inline uint32_t nadi_floor_log2(uint32_t n)
{
    return 31U - (uint32_t)__builtin_clz(n);
}

static inline uint32_t nadi_ceil_log2(uint32_t n)
{
    return n < 2 ? 0 : nadi_floor_log2(n - 1) + 1;
}

/* (a + b) mod n and (a - b) mod n of a, b < n */
static inline uint32_t nadi_mod_add(uint32_t a, uint32_t b, uint32_t n)
{
    return a < n - b ? a + b : a - (n - b);
}

static inline uint32_t nadi_mod_sub(uint32_t a, uint32_t b, uint32_t n)
{
    return a >= b ? a - b : a + (n - b);
}

static inline uint32_t nadi_gcd(uint32_t a, uint32_t b)
{
    while (b) {
        const uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Visits `count` <= modulus owners from `first` on, wrapping round, each `width` blocks wide. */
static inline void nadi_visit_wrapped(uint32_t first, uint32_t count, uint32_t modulus,
                                      uint32_t width, nadi_blocks_visit *visit, void *context)
{
    if (count == 0)
        return;
    uint32_t straight = count < modulus - first ? count : modulus - first;
    visit(context, first * width, straight * width);
    if (count > straight)
        visit(context, 0, (count - straight) * width);
}

#endif
