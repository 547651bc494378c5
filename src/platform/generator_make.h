/* generator_make: what the makers of generator.c share. Private to generator. */
#ifndef NADI_PLATFORM_GENERATOR_MAKE_H
#define NADI_PLATFORM_GENERATOR_MAKE_H

#include "platform/generator.h"

struct nadi_made { /* number of nodes and links that a generator would make */
    uint64_t npus, switches, links;
};

/* a * b, at most 2^40: enough to see that it is too large. */
static inline uint64_t nadi_made_times(uint64_t a, uint64_t b)
{
    const uint64_t most = UINT64_C(1) << 40;
    return a > 0 && b > most / a ? most : a * b;
}

uint32_t nadi_make_switch(struct nadi_graph *g, const char *role, uint32_t number, uint32_t level,
                          uint32_t group);
/* `count` cables from a to b. */
void nadi_make_cables(struct nadi_graph *g, uint32_t a, uint32_t b,
                      const struct nadi_generator_cable *cable, uint32_t count, uint32_t dim);
/* All hosts first: NPU k is node k; groups are of `of_group` NPUs each. */
void nadi_make_hosts(struct nadi_graph *g, uint64_t count, uint64_t of_group);

struct nadi_made nadi_count_clos(const struct nadi_generator *gen);
struct nadi_made nadi_count_rail(const struct nadi_generator *gen);
struct nadi_made nadi_count_dragonfly(const struct nadi_generator *gen);
struct nadi_made nadi_count_dragonfly_plus(const struct nadi_generator *gen);
struct nadi_made nadi_count_grid(const struct nadi_generator *gen);
struct nadi_made nadi_count_fred(const struct nadi_generator *gen);
struct nadi_made nadi_count_wafer_mesh(const struct nadi_generator *gen);

void nadi_make_clos(struct nadi_graph *g, const struct nadi_generator *gen);
void nadi_make_rail(struct nadi_graph *g, const struct nadi_generator *gen);
void nadi_make_dragonfly(struct nadi_graph *g, const struct nadi_generator *gen);
void nadi_make_dragonfly_plus(struct nadi_graph *g, const struct nadi_generator *gen);
void nadi_make_grid(struct nadi_graph *g, const struct nadi_generator *gen);
void nadi_make_fred(struct nadi_graph *g, const struct nadi_generator *gen);
void nadi_make_wafer_mesh(struct nadi_graph *g, const struct nadi_generator *gen);
/* Puts servers under the hosts of a finished graph. */
void nadi_make_servers(struct nadi_graph *g, const struct nadi_generator *gen,
                       const struct nadi_graph *between);

#endif
