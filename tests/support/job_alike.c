/* job_alike: dimensions and systems of jobs in which all ranks may be alike. */
#include "support/job_draw.h"

void draw_dims_alike(struct nadi_rng *rng, uint32_t most_ranks, struct nadi_dim *dims,
                     uint32_t *count)
{
    uint32_t ranks = 1;
    *count = 0;
    for (uint64_t left = pick(rng, 1, 3); left-- > 0 && ranks * 2 <= most_ranks;) {
        const uint32_t room = most_ranks / ranks;
        const uint32_t npus = chance(rng, 2) ? 1U << pick(rng, 1, room >= 8 ? 3 : 1)
                                             : (uint32_t)pick(rng, 2, room < 9 ? room : 9);
        ranks *= npus;
        dims[(*count)++] = (struct nadi_dim){
            .kind = (enum nadi_dim_kind)pick(rng, NADI_DIM_RING, NADI_DIM_SWITCH),
            .npus = npus,
            .bytes_per_ns = chance(rng, 2) ? 50 : (double)pick(rng, 1, 400),
            .latency_ns = (double)pick(rng, 0, 1000) / 2,
        };
    }
}

static bool power_of_two(uint32_t n)
{
    return (n & (n - 1)) == 0;
}

void draw_system_alike(struct job *j, struct nadi_rng *rng)
{
    struct nadi_system_config *c = &j->in.system;
    const struct nadi_topology *t = &j->in.topology;
    c->splits = (uint32_t)pick(rng, 1, 6);
    c->active_chunks = (uint32_t)pick(rng, 1, 3);
    c->policy = (enum nadi_scheduling_policy)pick(rng, NADI_SCHEDULING_LIFO, NADI_SCHEDULING_FIFO);
    c->queues_per_dim = chance(rng, 4) ? 2 : 1;
    c->endpoint_delay_ns = pick(rng, 0, 60);
    c->local_bw_aware = chance(rng, 2);
    c->local_mem_bw = chance(rng, 3) ? 0 : (double)pick(rng, 1, 2000) * 1e9;
    c->exact = true;
    for (int k = 0; k < NADI_NATIVE_BROADCAST; k++)
        for (uint32_t d = 0; d < t->dim_count; d++) {
            const uint64_t draw = pick(rng, 0, 3);
            const bool halves = draw == 3 && power_of_two(t->dims[d].npus) &&
                                t->dims[d].kind == NADI_DIM_SWITCH &&
                                (!j->in.has_graph || chance(rng, 8));
            c->native[k].dims[d] =
                (struct nadi_algorithm_choice){.algorithm = halves ? NADI_ALGORITHM_HALVING_DOUBLING
                                                            : draw == 2 ? NADI_ALGORITHM_DIRECT
                                                                        : NADI_ALGORITHM_RING};
        }
    for (int k = 0; k < NADI_NATIVE_BROADCAST; k++) { /* one for all dimensions */
        if (!j->in.has_graph || !chance(rng, 3))
            continue;
        c->native[k].count = 1;
        c->native[k].dims[0].algorithm =
            chance(rng, 2) ? NADI_ALGORITHM_DIRECT : NADI_ALGORITHM_RING;
        c->native[k].dims[0].flat = true;
    }
    j->in.flow = (struct nadi_flow_config){
        .startup_ns = chance(rng, 2) ? 0 : (double)pick(rng, 0, 500),
        .overhead_ns = !chance(rng, 8) ? 0 : (double)pick(rng, 0, 50),
        .window_bytes = chance(rng, 4) ? pick(rng, 1000, 100000) : 0,
    };
    j->in.in_flight = draw_in_flight(rng);
}
