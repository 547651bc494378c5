/* graph_names: "n[0-1]g[0-3]" as the names n0g0, n0g1, ... n1g3. Private to graph_file. */
#ifndef NADI_PLATFORM_GRAPH_NAMES_H
#define NADI_PLATFORM_GRAPH_NAMES_H

#include "base/arena.h"
#include "base/diag.h"

enum { NADI_MOST_NAMES = 1 << 24 };

struct nadi_graph_names {
    char **items; /* in the arena */
    size_t count;
};

/* False with an error at `place` when the pattern is wrong or stands for too many names. A range's
 * width of zeros is kept: [00-11] gives 00 to 11. */
bool nadi_graph_names_expand(struct nadi_graph_names *names, const char *pattern,
                             struct nadi_arena *arena, struct nadi_place place,
                             struct nadi_diags *diags) NADI_MUST_USE;

#endif
