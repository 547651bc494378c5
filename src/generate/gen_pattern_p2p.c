/* gen_pattern_p2p: sends and receives. A receive is posted when its round begins; every rank's next
 * round waits for all that it sent and received in this one. */
#include "generate/gen_pattern_steps.h"

#include "base/mem.h"
#include "base/rng.h"
#include "base/time.h"

#include <math.h>

/* The end of a round: a compute node that waits for all of it. */
static uint64_t end_round(struct nadi_gen_steps *s, uint32_t round, const uint64_t *nodes,
                          size_t count)
{
    char name[32];
    snprintf(name, sizeof name, "round %u", round);
    return nadi_gen_put_compute(s, name, nodes, count, s->g->compute_ns);
}

void nadi_gen_steps_ring(struct nadi_gen_steps *s)
{
    const struct nadi_gen_pattern *g = s->g;
    const uint32_t n = g->ranks, directions = g->both_ways ? 2 : 1;
    const uint32_t on[] = {(s->rank + g->stride) % n, (s->rank + n - g->stride % n) % n};
    uint64_t last = 0;
    for (uint32_t round = 0; round < g->rounds; round++) {
        uint64_t nodes[4];
        size_t count = 0;
        for (uint32_t w = 0; w < directions; w++)
            nodes[count++] =
                nadi_gen_put_message(s, false, on[1 - w], round * directions + w, g->bytes, last);
        for (uint32_t w = 0; w < directions; w++)
            nodes[count++] =
                nadi_gen_put_message(s, true, on[w], round * directions + w, g->bytes, last);
        last = end_round(s, round, nodes, count);
    }
}

uint32_t *nadi_gen_draw_pairs(const struct nadi_gen_pattern *g)
{
    const uint32_t n = g->ranks;
    uint32_t *partner = NADI_NEW(uint32_t, (size_t)g->rounds * n);
    uint32_t *order = NADI_NEW(uint32_t, n);
    struct nadi_rng rng;
    nadi_rng_init(&rng, g->seed, "gen pairs");
    for (uint32_t round = 0; round < g->rounds; round++) {
        uint32_t *of = partner + (size_t)round * n;
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t at = (uint32_t)nadi_rng_below(&rng, i + UINT64_C(1));
            order[i] = order[at];
            order[at] = i;
        }
        for (uint32_t i = 0; i + 1 < n; i += 2) {
            of[order[i]] = order[i + 1];
            of[order[i + 1]] = order[i];
        }
        if (n % 2)
            of[order[n - 1]] = NADI_NONE;
    }
    nadi_mem_free(order);
    return partner;
}

void nadi_gen_steps_pairs(struct nadi_gen_steps *s)
{
    const struct nadi_gen_pattern *g = s->g;
    uint64_t last = 0;
    for (uint32_t round = 0; round < g->rounds; round++) {
        const uint32_t peer = s->partner[(size_t)round * g->ranks + s->rank];
        uint64_t nodes[2] = {last, 0};
        if (peer != NADI_NONE) {
            nodes[0] = nadi_gen_put_message(s, false, peer, round, g->bytes, last);
            nodes[1] = nadi_gen_put_message(s, true, peer, round, g->bytes, last);
        }
        last = end_round(s, round, nodes, 2);
    }
}

void nadi_gen_steps_incast(struct nadi_gen_steps *s)
{
    const struct nadi_gen_pattern *g = s->g;
    uint64_t *nodes = NADI_ZNEW(uint64_t, g->ranks), last = 0;
    for (uint32_t round = 0; round < g->rounds; round++) {
        size_t count = 0;
        if (s->rank != g->root)
            nodes[count++] = nadi_gen_put_message(s, true, g->root, round, g->bytes, last);
        for (uint32_t r = 0; r < g->ranks && s->rank == g->root; r++) {
            if (r != g->root)
                nodes[count++] = nadi_gen_put_message(s, false, r, round, g->bytes, last);
        }
        last = end_round(s, round, nodes, count);
    }
    nadi_mem_free(nodes);
}

/* How popular the ranks are in a round: weight[ranks], above 0. */
static void gen_draw_weights(const struct nadi_gen_pattern *g, uint32_t round, double *weight)
{
    struct nadi_rng rng;
    uint32_t *order = NADI_NEW(uint32_t, g->ranks);
    nadi_rng_init(&rng, g->seed + round, "gen all-to-all");
    for (uint32_t i = 0; i < g->ranks; i++) {
        const uint32_t at = (uint32_t)nadi_rng_below(&rng, i + UINT64_C(1));
        order[i] = order[at];
        order[at] = i;
    }
    for (uint32_t i = 0; i < g->ranks; i++)
        weight[order[i]] = pow(i + 1, -g->skew);
    nadi_mem_free(order);
}

/* What `from` sends `to`: of its bytes the share of the weight among all others. */
static uint64_t share_of(const struct nadi_gen_pattern *g, const double *weight, double sum,
                         uint32_t from, uint32_t to)
{
    const double bytes = (double)g->bytes * (weight[to] / (sum - weight[from]));
    return bytes < 1 ? 1 : nadi_count_round(bytes);
}

void nadi_gen_steps_all_to_all(struct nadi_gen_steps *s)
{
    const struct nadi_gen_pattern *g = s->g;
    const uint32_t n = g->ranks;
    double *weight = NADI_NEW(double, n);
    uint64_t *nodes = NADI_ZNEW(uint64_t, 2 * (size_t)n), last = 0;
    for (uint32_t round = 0; round < g->rounds; round++) {
        size_t count = 0;
        double sum = 0;
        gen_draw_weights(g, round, weight);
        for (uint32_t i = 0; i < n; i++)
            sum += weight[i];
        for (uint32_t k = 1; k < n; k++) {
            const uint32_t from = (s->rank + n - k) % n;
            nodes[count++] = nadi_gen_put_message(s, false, from, round,
                                                  share_of(g, weight, sum, from, s->rank), last);
        }
        for (uint32_t k = 1; k < n; k++) {
            const uint32_t to = (s->rank + k) % n;
            nodes[count++] = nadi_gen_put_message(s, true, to, round,
                                                  share_of(g, weight, sum, s->rank, to), last);
        }
        last = end_round(s, round, nodes, count);
    }
    nadi_mem_free(weight);
    nadi_mem_free(nodes);
}

/* --- pipeline ----------------------------------------------------------------------------------
 */

static uint64_t pass(struct nadi_gen_steps *s, bool forward, uint32_t micro_batch, uint64_t last)
{
    const struct nadi_gen_pattern *g = s->g;
    const bool takes = forward ? s->rank > 0 : s->rank + 1 < g->ranks;
    const bool gives = forward ? s->rank + 1 < g->ranks : s->rank > 0;
    const uint32_t tag = micro_batch * 2 + !forward;
    char name[64];
    uint64_t after[] = {last, 0};
    if (takes)
        after[1] =
            nadi_gen_put_message(s, false, forward ? s->rank - 1 : s->rank + 1, tag, g->bytes, 0);
    snprintf(name, sizeof name, "%s %u", forward ? "forward" : "backward", micro_batch);
    last = nadi_gen_put_compute(s, name, after, 2, forward ? g->compute_ns : 2 * g->compute_ns);
    if (gives)
        nadi_gen_put_message(s, true, forward ? s->rank + 1 : s->rank - 1, tag, g->bytes, last);
    return last;
}

void nadi_gen_steps_pipeline(struct nadi_gen_steps *s)
{
    const struct nadi_gen_pattern *g = s->g;
    const uint32_t after_it = g->ranks - 1 - s->rank; /* stages */
    uint32_t backward = 0;
    uint64_t last = 0;
    for (uint32_t forward = 0; forward < g->rounds; forward++) {
        last = pass(s, true, forward, last);
        if (g->one_f_one_b && forward >= after_it)
            last = pass(s, false, backward++, last);
    }
    while (backward < g->rounds) {
        last = pass(s, false, g->one_f_one_b ? backward : g->rounds - 1 - backward, last);
        backward++;
    }
    nadi_gen_put_compute(s, "update", &last, 1, g->compute_ns);
}
