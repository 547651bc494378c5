/* lower_bound_phase: the least time of one phase of a collective, by its algorithm. */
#include "base/time.h"
#include "bound/lower_bound_graph.h"
#include "bound/lower_bound_inside.h"
#include "collective/phase_time.h"

struct phase_view {
    const struct nadi_lower_bounds *f;
    const struct nadi_phase *p;
    const struct nadi_group *ring; /* over a graph: whose members are the phase's ring; or NULL */
    uint32_t dims;                 /* bit d: a message may go by dimension d alone */
    bool whole;                    /* the phase's ring is dimension p->dim itself */
    uint64_t endpoint_ns;
};

/* The message of step k. The hops are everybody's where the ring is a dimension. */
static uint64_t step_ns(const void *context, uint32_t k)
{
    const struct phase_view *v = context;
    uint64_t bytes = nadi_phase_bytes(v->p, k);
    if (!v->whole)
        return nadi_lower_bound_quickest_ns(v->f, v->dims, bytes);
    const struct nadi_dim *dim = &v->f->in->topology.dims[v->p->dim];
    uint32_t to = nadi_phase_destination(v->p, 0, k, true);
    return nadi_lower_bound_path_ns(v->f, v->p->dim, nadi_dim_hops(dim, 0, to), bytes);
}

/* Of a member's chain of messages. */
static uint64_t stages_ns(const struct phase_view *v)
{
    return nadi_phase_stages_ns(v->p, v->endpoint_ns, v->f->in->system.local_mem_bw);
}

static uint32_t member(const struct nadi_group *g, uint32_t i)
{
    return g->members ? g->members[i] : i;
}

struct round { /* of messages from each member of a ring to the next one */
    uint64_t sum, longest, longest_serial;
};

/* Chunks go round either way, so that it is the better one between two members. */
static struct round round_of(const struct phase_view *v, uint64_t bytes)
{
    const uint32_t n = v->p->n;
    struct round r = {0};
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t next = (i + 1) % n;
        const uint32_t a = member(v->ring, i), b = member(v->ring, next);
        const struct nadi_lower_bound_route there =
            nadi_lower_bound_graph_route(v->f->graph, a, b, bytes);
        const struct nadi_lower_bound_route back =
            nadi_lower_bound_graph_route(v->f->graph, b, a, bytes);
        const uint64_t path = nadi_min_u64(there.ns, back.ns);
        r.sum = nadi_count_add(r.sum, path);
        r.longest = nadi_max_u64(r.longest, path);
        r.longest_serial =
            nadi_max_u64(r.longest_serial, nadi_min_u64(there.serial_ns, back.serial_ns));
    }
    return r;
}

/* The chain of `sends` messages that begins with a member, and goes on behind it; *worst: how long
 * the worst cabled member is busy with sending. A member that comes last holds up the others from
 * their step n - 1 on at the latest: of the steps to come that one has to send all, while the
 * stages of the messages behind go on. */
static struct nadi_lower_bound ring_messages(const struct phase_view *v, uint64_t *worst)
{
    const uint32_t n = v->p->n, sends = v->p->sends, further = sends % n;
    *worst = 0;
    if (!v->ring) {
        const uint64_t message = step_ns(v, 0);
        return (struct nadi_lower_bound){.own = nadi_count_mul(sends - further, message),
                                         .last = nadi_count_mul(sends, message)};
    }
    const struct round r = round_of(v, nadi_lower_bound_carried(v->f, v->p->message_bytes));
    const uint64_t own = nadi_count_mul(sends / n, r.sum);
    const uint64_t spared = nadi_count_mul(n - further, r.longest);
    *worst = nadi_count_mul(sends > n - 1 ? sends - (n - 1) : 0, r.longest_serial);
    return (struct nadi_lower_bound){
        .own = own, .last = nadi_count_add(own, r.sum > spared ? r.sum - spared : 0)};
}

/* One message at a time: step k + 1 waits for the receive of step k. The chain of messages that
 * leaves a member passes through everybody and comes back after n steps. */
static struct nadi_lower_bound ring(const struct phase_view *v)
{
    uint64_t worst;
    const struct nadi_lower_bound messages = ring_messages(v, &worst);
    const uint64_t stages = stages_ns(v);
    return (struct nadi_lower_bound){
        .own = nadi_count_add(stages, messages.own),
        .last = nadi_max_u64(nadi_count_add(stages, messages.last), worst),
    };
}

/* As the ring, with another partner each step; only the all-reduce comes back to where it began. */
static struct nadi_lower_bound halving_doubling(const struct phase_view *v)
{
    const uint64_t stages = stages_ns(v);
    const uint64_t all = nadi_phase_chain_ns(v->p, stages, step_ns, v);
    return (struct nadi_lower_bound){
        .own = v->p->op == NADI_PHASE_ALL_REDUCE ? all : stages,
        .last = all,
    };
}

enum { MOST_PAIRED = 65536 }; /* pairs of members that are looked at */

/* From a member, whichever it is, to the one that is farthest from it; there and back. Of many
 * members the one half round stands for that. */
static uint64_t farthest_ns(const struct phase_view *v, bool back)
{
    const struct nadi_phase *p = v->p;
    const bool all = (uint64_t)p->n * p->n <= MOST_PAIRED;
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < p->n; i++) {
        const uint32_t from = member(v->ring, i);
        uint64_t longest = 0;
        for (uint32_t k = all ? 1 : p->n / 2; k < (all ? p->n : p->n / 2 + 1); k++) {
            const uint32_t to = member(v->ring, (i + k) % p->n);
            uint64_t path = nadi_lower_bound_message(v->f, from, to, p->message_bytes);
            if (back)
                path = nadi_count_add(path,
                                      nadi_lower_bound_message(v->f, to, from, p->message_bytes));
            longest = nadi_max_u64(longest, path);
        }
        least = nadi_min_u64(least, longest);
    }
    return least;
}

/* A member sends to everybody, also to the farthest; an all-reduce's second half waits for the
 * first halves of all. A window's sends take their turns. */
static struct nadi_lower_bound direct(const struct phase_view *v)
{
    const struct nadi_phase *p = v->p;
    const struct nadi_dim *dim = &v->f->in->topology.dims[p->dim];
    const bool back = p->op == NADI_PHASE_ALL_REDUCE;
    uint64_t path = nadi_lower_bound_quickest_ns(v->f, v->dims, p->message_bytes);
    if (v->whole && dim->kind == NADI_DIM_RING)
        path = nadi_lower_bound_path_ns(v->f, p->dim, p->n / 2, p->message_bytes);
    path = nadi_count_mul(path, back ? 2 : 1);
    if (v->ring)
        path = nadi_max_u64(path, farthest_ns(v, back));
    uint64_t turns = (p->sends + (uint64_t)p->first - 1) / p->first;
    uint64_t stages = nadi_count_mul(turns + 1, v->endpoint_ns);
    const uint64_t last =
        nadi_max_u64(stages, nadi_count_add(nadi_count_mul(2, v->endpoint_ns), path));
    return (struct nadi_lower_bound){.own = back ? last : stages, .last = last};
}

/* From the root, whose child may have been waiting, down to a leaf. */
static struct nadi_lower_bound tree(const struct phase_view *v)
{
    const uint64_t reduce = v->p->exact ? 0
                                        : nadi_reduce_ns(v->f->in->system.local_mem_bw,
                                                         v->p->bytes); /* exact: the root's */
    uint64_t stage = nadi_count_add(v->endpoint_ns, reduce);
    uint64_t level =
        nadi_count_add(stage, nadi_lower_bound_quickest_ns(v->f, v->dims, v->p->bytes));
    return (struct nadi_lower_bound){
        .own = stage,
        .last = nadi_count_add(nadi_count_mul(v->p->log2_n, level), v->endpoint_ns),
    };
}

uint64_t nadi_lower_bound_spared(const struct nadi_lower_bounds *f)
{
    return nadi_lower_bound_graph_spared_bytes(f->graph);
}

/* How long an NPU's cables need for what it sends of one chunk. */
static uint64_t leave_ns(const struct phase_view *v)
{
    uint64_t bytes = 0;
    if (v->p->algorithm == NADI_ALGORITHM_DOUBLE_BINARY_TREE)
        return 0;
    const uint64_t cut = nadi_lower_bound_spared(v->f);
    for (uint32_t k = 0; k < v->p->sends; k++) {
        const uint64_t sent = nadi_lower_bound_carried(v->f, nadi_phase_bytes(v->p, k));
        bytes = nadi_count_add(bytes, sent > cut ? sent - cut : 0);
    }
    return nadi_lower_bound_graph_leave_ns(v->f->graph, bytes);
}

/* How long all links are busy with one chunk that each NPU sends to each other, on average. */
static uint64_t all_links_ns(const struct phase_view *v)
{
    const struct nadi_phase *p = v->p;
    if (p->algorithm != NADI_ALGORITHM_DIRECT || !v->ring || p->n != v->f->in->graph.host_count)
        return 0;
    const uint64_t cut = nadi_lower_bound_spared(v->f);
    const uint64_t sent = nadi_lower_bound_carried(v->f, p->message_bytes);
    const uint64_t times = p->op == NADI_PHASE_ALL_REDUCE ? 2 : 1;
    return nadi_count_mul(
        times, nadi_lower_bound_graph_busy_ns(v->f->graph, p->n, sent > cut ? sent - cut : 0));
}

/* How long a link of the phase's dimension is busy with one chunk, on average. */
static uint64_t load_ns(const struct phase_view *v)
{
    const struct nadi_phase *p = v->p;
    const struct nadi_dim *dim = &v->f->in->topology.dims[p->dim];
    if (v->f->graph)
        return nadi_max_u64(leave_ns(v), all_links_ns(v));
    if (!v->whole || !v->f->in->options.network_model->store_and_forward ||
        p->algorithm == NADI_ALGORITHM_DOUBLE_BINARY_TREE)
        return 0;
    const uint32_t different = nadi_phase_different_steps(p);
    uint64_t sum = 0, links = 2; /* of each NPU: a ring's two, to and from a switch */
    if (dim->axes > 1)
        links = 2U * dim->axes;
    for (uint32_t k = 0; k < different; k++) {
        uint32_t hops = nadi_dim_hops(dim, 0, nadi_phase_destination(p, 0, k, true));
        if (dim->kind == NADI_DIM_MESH)
            hops = 1; /* rank 0 stands in a corner: its routes are longer than others' */
        uint64_t bytes = nadi_lower_bound_carried(v->f, nadi_phase_bytes(p, k));
        uint64_t busy = nadi_count_mul(hops, nadi_count_trunc((double)bytes / dim->bytes_per_ns));
        sum = nadi_count_add(sum, busy);
    }
    if (dim->kind == NADI_DIM_FULLY_CONNECTED || p->n == 2)
        links = dim->kind == NADI_DIM_SWITCH ? 2 : p->n - 1;
    return nadi_count_mul(sum, p->sends / different) / links;
}

static struct nadi_lower_bound (*const least[NADI_ALGORITHM_COUNT])(const struct phase_view *v) = {
    [NADI_ALGORITHM_RING] = ring,
    [NADI_ALGORITHM_HALVING_DOUBLING] = halving_doubling,
    [NADI_ALGORITHM_DIRECT] = direct,
    [NADI_ALGORITHM_DOUBLE_BINARY_TREE] = tree,
};

struct nadi_lower_bound nadi_lower_bound_phase(struct nadi_lower_bounds *f,
                                               const struct nadi_phase *p, uint32_t group,
                                               bool world)
{
    const uint32_t all = nadi_lower_bound_all_dims(&f->in->topology);
    const uint32_t lowest = all & (~all + 1);
    bool flat = world && p->spans_all && f->in->topology.dim_count > 1;
    struct phase_view v = {
        .f = f,
        .p = p,
        .whole = world && !flat,
        .endpoint_ns = nadi_phase_endpoint_ns(
            p, f->in->system.shared_bus ? 0 : f->in->system.endpoint_delay_ns),
    };
    const struct nadi_group *members =
        f->graph && group < f->in->groups.count ? &f->in->groups.items[group] : NULL;
    if (members && p->n == members->size && p->stride == 1)
        v.ring = world ? &f->in->groups.items[0] : members; /* of all ranks: not in its own order */
    v.dims = v.whole ? 1U << p->dim : nadi_lower_bound_group_dims(f, group);
    if (flat && p->algorithm == NADI_ALGORITHM_RING)
        v.dims = lowest; /* neighbours differ in it, also where they differ in others */
    struct nadi_lower_bound bound = {0};
    if (least[p->algorithm])
        bound = least[p->algorithm](&v);
    bound.load[p->dim] = load_ns(&v);
    return bound;
}
