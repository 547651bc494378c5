/* estimate_memory: the footprint of a strategy: what nadi_memory_estimate finds by walking along
 * the schedule's lists. */
#include "search/estimate_inside.h"

static double kept_of(const struct nadi_estimator *e, uint32_t rank, uint32_t chunk)
{
    return e->values[chunk * e->plan.pp + rank].kept;
}

static bool chunks_alike(const struct nadi_estimator *e, uint32_t rank)
{
    for (uint32_t c = 1; c < e->plan.vp; c++)
        if (kept_of(e, rank, c) > kept_of(e, rank, 0) || kept_of(e, rank, c) < kept_of(e, rank, 0))
            return false;
    return true;
}

/* Passes of the interleaved schedule go through the chunks in rounds of pp; backward from the last
 * one. After two rounds beyond the warm-up they repeat themselves. */
static void walk(struct nadi_estimator *e, uint32_t rank, uint64_t warm_up)
{
    const uint32_t p = e->plan.pp, v = e->plan.vp, round = p * v;
    const uint64_t all = e->plan.micro_batches * v;
    double bytes = 0, most = -1;
    uint64_t in_flight = 0, end = warm_up + 2ULL * round;
    end = end < all ? end : all;
    for (uint64_t k = 0; k < end; k++) {
        bytes += kept_of(e, rank, (uint32_t)(k % round) / p);
        in_flight++;
        if (bytes > most) {
            most = bytes;
            e->in_flight[rank] = (uint32_t)in_flight;
        }
        if (k < warm_up)
            continue;
        bytes -= kept_of(e, rank, v - 1 - (uint32_t)((k - warm_up) % round) / p);
        in_flight--;
    }
    e->activations[rank] = most;
}

void nadi_estimator_activations(struct nadi_estimator *e)
{
    const uint32_t p = e->plan.pp, v = e->plan.vp;
    const uint64_t m = e->plan.micro_batches;
    for (uint32_t r = 0; r < p; r++) {
        uint64_t held = p - r;
        if (e->plan.schedule == NADI_SCHEDULE_GPIPE)
            held = m;
        if (v > 1) {
            uint64_t warm_up = (p - r - 1) * 2 + (uint64_t)(v - 1) * p;
            warm_up = warm_up < m * v ? warm_up : m * v;
            if (!chunks_alike(e, r)) {
                walk(e, r, warm_up);
                continue;
            }
            held = warm_up + 1;
        }
        held = held < m * v ? held : m * v;
        e->in_flight[r] = (uint32_t)held;
        e->activations[r] = (double)held * kept_of(e, r, 0);
    }
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static struct nadi_rank_load load_of(const struct nadi_estimator *e, uint32_t rank)
{
    struct nadi_rank_load load = {.activations = e->activations[rank],
                                  .in_flight = e->in_flight[rank]};
    struct nadi_layer_buffers most = {0};
    for (uint32_t c = 0; c < e->plan.vp; c++) {
        const struct nadi_stage_values *v = &e->values[c * e->plan.pp + rank];
        load.weights.dense += v->weights.dense;
        load.weights.expert += v->weights.expert;
        most = nadi_memory_most_buffers(&most, &v->buffers);
        nadi_memory_most_in_turn(&load.layers, &v->layers);
    }
    load.layer = most.kept;
    load.buffers = most.output + most.recompute;
    return load;
}

double nadi_estimator_memory(const struct nadi_estimator *e, struct nadi_rank_memory *fullest)
{
    struct nadi_rank_load before = {0};
    double most = 0;
    for (uint32_t r = 0; r < e->plan.pp; r++) {
        const struct nadi_rank_load load = load_of(e, r);
        const bool less = r > 0 && load.weights.dense <= before.weights.dense &&
                          load.weights.expert <= before.weights.expert &&
                          load.activations <= before.activations &&
                          load.buffers <= before.buffers && load.layers.one <= before.layers.one &&
                          load.layers.two <= before.layers.two &&
                          load.layers.ahead <= before.layers.ahead &&
                          load.layers.experts_ahead <= before.layers.experts_ahead &&
                          !(e->plan.offload & NADI_OFFLOAD_ACTIVATIONS);
        if (less)
            continue; /* the rank before holds as much of everything */
        before = load;
        const struct nadi_rank_memory m = nadi_memory_of_load(&e->plan, &e->study->model, &load);
        if (m.total > most)
            *fullest = m;
        most = larger(most, m.total);
    }
    return most;
}

double nadi_estimator_tiers(struct nadi_estimator *e)
{
    double(*placed)[NADI_PLACED_PARTS] = e->placed;
    if (!e->plan.offload || !e->remote.inputs.tiers)
        return 0;
    for (uint32_t r = 0; r < e->plan.pp; r++) {
        const struct nadi_rank_load load = load_of(e, r);
        const struct nadi_rank_memory m = nadi_memory_of_load(&e->plan, &e->study->model, &load);
        memcpy(placed[r], m.placed, sizeof(m.placed));
    }
    return nadi_remote_missing(&e->remote, &e->plan, e->axes.stages, placed);
}
