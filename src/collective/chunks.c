#include "collective/chunks.h"

#include "collective/algorithms/algorithms.h"
#include "collective/phase_time.h"
#include "collective/program.h"

#include <math.h>

struct view { /* of a phase in its dimension */
    const struct nadi_phase *p;
    const struct nadi_dim *dim;
    double active; /* chunks that share its links */
};

static double serial_ns(const struct view *v, uint64_t bytes)
{
    return v->active * (double)bytes / v->dim->bytes_per_ns;
}

/* In a ring or a grid a message takes a link of each step on its way, which others want too. */
static double exchange_ns(const struct view *v, uint32_t distance, uint64_t bytes)
{
    const double hops = nadi_dim_hops(v->dim, 0, distance);
    const bool on_board =
        v->dim->kind == NADI_DIM_SWITCH || v->dim->kind == NADI_DIM_FULLY_CONNECTED;
    return hops * v->dim->latency_ns + (on_board ? 1 : hops) * serial_ns(v, bytes);
}

static uint64_t step_ns(const void *context, uint32_t k)
{
    const struct view *v = context;
    const uint32_t to = nadi_phase_destination(v->p, 0, k, true);
    return to ? nadi_count_round(exchange_ns(v, to, nadi_phase_bytes(v->p, k))) : 0;
}

/* Everybody sends to everybody, `first` messages at a time. */
static double direct_ns(const struct view *v, double endpoint_ns)
{
    const struct nadi_phase *p = v->p;
    const double rounds = p->sends / (p->n - 1.0), turns = ceil((p->n - 1.0) / p->first);
    const bool own = v->dim->kind == NADI_DIM_FULLY_CONNECTED;
    double bytes_ns = own ? turns * serial_ns(v, p->message_bytes) : 0, farthest = 0;
    for (uint32_t to = 1; to < p->n; to++) {
        const double latency_ns = exchange_ns(v, to, 0);
        farthest = fmax(farthest, latency_ns);
        bytes_ns += own ? 0 : exchange_ns(v, to, p->message_bytes) - latency_ns;
    }
    return rounds * (turns * (endpoint_ns + farthest) + bytes_ns) + endpoint_ns;
}

/* Up and down one of two trees: a rank sends on what both children have sent. */
static double tree_ns(const struct view *v, double stage_ns)
{
    return 2.0 * v->p->log2_n * (stage_ns + exchange_ns(v, 1, v->p->bytes));
}

/* A message to a neighbour, a byte of it, and a byte that is reduced, ns. */
struct rates {
    double alpha, beta, gamma;
};

/* Over all dimensions at once: of the slowest. */
static struct rates rates_of(const struct nadi_plan_request *q, const struct nadi_phase *p,
                             double active)
{
    const uint32_t first = p->spans_all ? 0 : p->dim,
                   end = p->spans_all ? q->topology->dim_count : p->dim + 1;
    struct rates r = {.gamma =
                          q->local_mem_bw > 0 ? NADI_REDUCE_ACCESSES * 1e9 / q->local_mem_bw : 0};
    for (uint32_t d = first; d < end; d++) {
        const struct view v = {p, &q->topology->dims[d], active};
        if (v.dim->npus == 1)
            continue;
        const double latency_ns = exchange_ns(&v, 1, 0);
        r.alpha = fmax(r.alpha, latency_ns);
        r.beta = fmax(r.beta, (exchange_ns(&v, 1, 1 << 20) - latency_ns) / (1 << 20));
    }
    r.alpha += (double)nadi_phase_endpoint_ns(p, q->endpoint_ns);
    return r;
}

/* By the algorithm's own closed form, where it has one; in switches and by node it is another. */
static double program_ns(const struct nadi_plan_request *q, const struct nadi_phase *p,
                         const struct rates *r)
{
    const struct nadi_program_place place = {.topology = q->topology};
    struct nadi_program program;
    if (!p->program || p->table || p->program->in_switches ||
        p->program == &nadi_algorithm_by_node || nadi_program_of_phase(p, &place, &program))
        return -1;
    return program.ops->seconds(&program, r->alpha, r->beta, r->gamma);
}

/* A root that only sends is busy with a chunk as long as it takes. Else further chunks follow a few
 * messages behind, about a quarter of the latencies of one: they are worth it where bytes take as
 * long as those. */
static double rooted_ns(const struct nadi_plan_request *q, const struct nadi_phase *p,
                        uint32_t batches, double active)
{
    const struct rates r = rates_of(q, p, active), latencies = {.alpha = r.alpha};
    const double ns = program_ns(q, p, &r), start_ns = program_ns(q, p, &latencies);
    if (ns < 0 || start_ns < 0)
        return -1;
    return p->kind == NADI_SCATTER ? batches * ns : ns + (batches - 1) * start_ns / 4;
}

static double phase_ns(const struct nadi_plan_request *q, const struct nadi_phase *p, double active)
{
    const struct view v = {p, &q->topology->dims[p->dim], active};
    const uint64_t endpoint_ns = nadi_phase_endpoint_ns(p, q->endpoint_ns);
    struct rates r;
    if (!(v.dim->bytes_per_ns > 0) || (p->n != v.dim->npus && !p->spans_all))
        return -1;
    switch (p->algorithm) {
    case NADI_ALGORITHM_RING:
    case NADI_ALGORITHM_HALVING_DOUBLING:
        return (double)nadi_phase_chain_ns(p, nadi_phase_stages_ns(p, endpoint_ns, q->local_mem_bw),
                                           step_ns, &v);
    case NADI_ALGORITHM_DIRECT:
        return direct_ns(&v, (double)endpoint_ns);
    case NADI_ALGORITHM_DOUBLE_BINARY_TREE:
        return tree_ns(&v, (double)(endpoint_ns + nadi_reduce_ns(q->local_mem_bw, p->bytes)));
    case NADI_ALGORITHM_PROGRAM:
        r = rates_of(q, p, active);
        return program_ns(q, p, &r);
    case NADI_ALGORITHM_LIBRARY:
    case NADI_ALGORITHM_NONE:
        break;
    }
    return -1;
}

/* A rooted one goes on at its root while others are not there yet. */
static bool ends_together(const struct nadi_phase *p)
{
    return p->op != NADI_PHASE_OTHER;
}

double nadi_chunks_ns(const struct nadi_plan_request *q, const struct nadi_phase *phases,
                      uint32_t count, uint32_t batches, uint32_t active)
{
    double in[NADI_MAX_DIMS] = {0}, before[NADI_MAX_DIMS], last[NADI_MAX_DIMS], sum = 0, most = 0;
    if (count == 1 && ends_together(&phases[0]))
        return batches;
    if (count == 1)
        return rooted_ns(q, &phases[0], batches, active);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t d = phases[i].dim;
        const double ns = phase_ns(q, &phases[i], active);
        if (ns < 0)
            return -1;
        before[d] = in[d] > 0 ? before[d] : sum;
        in[d] += ns;
        sum += ns;
        last[d] = sum;
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t d = phases[i].dim;
        most = fmax(most, before[d] + batches * in[d] + sum - last[d]);
    }
    return fmax(most, sum);
}
