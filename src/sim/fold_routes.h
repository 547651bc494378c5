/* fold_routes: the routes that a workload's messages take through a graph, and shifts that map them
 * on each other. Private to the files fold*.c. */
#ifndef NADI_SIM_FOLD_ROUTES_H
#define NADI_SIM_FOLD_ROUTES_H

#include "network/uniform.h"
#include "sim/folding.h"

struct nadi_fold_routes;

/* All routes; O(pairs that exchange messages * hops). */
struct nadi_fold_routes *nadi_fold_routes_open(const struct nadi_folding *f) NADI_MUST_USE;
void nadi_fold_routes_close(struct nadi_fold_routes *r); /* NULL is allowed */
/* Why no shift can be looked at; NULL: they can. */
const char *nadi_fold_routes_why_not(const struct nadi_fold_routes *r);
/* Link -> link where ranks move by so many places in a dimension of the shape, NADI_NONE for links
 * that nobody uses; valid until the next call. NULL: the shift maps some route on none. */
const uint32_t *nadi_fold_routes_map(struct nadi_fold_routes *r, const struct nadi_topology *t,
                                     uint32_t d, uint32_t by);
/* The kinds of links under the shifts by these periods, each with its map or NULL (it moves
 * nothing), which map `alike_npus` ranks on each other. After it `r` can only be closed. */
struct nadi_uniform_links *nadi_fold_routes_links(struct nadi_fold_routes *r,
                                                  const struct nadi_topology *t,
                                                  const uint32_t *period, uint32_t *const *maps,
                                                  uint32_t alike_npus) NADI_MUST_USE;

#endif
