#include "report/figures.h"

#include "base/time.h"

#include <math.h>

bool nadi_rank_works(const struct nadi_rank_result *rank, uint64_t end_ns)
{
    return rank->comm_ns > 0 || rank->finish_ns >= end_ns / 1000;
}

uint32_t nadi_ranks_working(const struct nadi_result *r)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < r->rank_count; i++)
        count += nadi_rank_works(nadi_result_rank(r, i), r->end_ns);
    return count ? count : r->rank_count;
}

/* Of the ranks that work, or of all; *count: how many those are. */
static struct nadi_spread spread_of(const struct nadi_result *r, enum nadi_rank_figure figure,
                                    bool all, uint32_t *count)
{
    struct nadi_spread s = {.min = UINT64_MAX};
    double sum = 0;
    *count = 0;
    for (uint32_t i = 0; i < r->rank_count; i++) {
        const struct nadi_rank_result *rank = nadi_result_rank(r, i);
        if (!all && !nadi_rank_works(rank, r->end_ns))
            continue;
        const uint64_t v = nadi_rank_figure(rank, figure);
        sum += (double)v;
        if (v < s.min) {
            s.min = v;
            s.min_rank = i;
        }
        if (v > s.max || *count == 0) {
            s.max = v;
            s.max_rank = i;
        }
        ++*count;
    }
    if (*count == 0)
        return (struct nadi_spread){0};
    s.mean = sum / (double)*count;
    return s;
}

struct nadi_spread nadi_spread_of(const struct nadi_result *r, enum nadi_rank_figure figure)
{
    uint32_t count;
    const struct nadi_spread s = spread_of(r, figure, false, &count);
    return count ? s : spread_of(r, figure, true, &count);
}

static double share_ns(const struct nadi_rank_result *rank, enum nadi_figure_share share,
                       uint64_t end_ns)
{
    double finish = (double)rank->finish_ns, compute = (double)rank->compute_ns,
           exposed = (double)rank->true_exposed_comm_ns, idle = (double)rank->idle_ns;
    switch (share) {
    case NADI_SHARE_COMPUTE:
        return compute;
    case NADI_SHARE_EXPOSED_COMM:
        return exposed;
    case NADI_SHARE_OTHER:
        return fmax(0, finish - compute - exposed - idle);
    case NADI_SHARE_IDLE:
        return idle + ((double)end_ns - finish);
    case NADI_SHARES:
        break;
    }
    NADI_BUG("no such share: %d", (int)share);
}

/* As spread_of. */
static struct nadi_share_spread share_of(const struct nadi_result *r, enum nadi_figure_share share,
                                         bool all, uint32_t *count)
{
    struct nadi_share_spread s = {0};
    double sum = 0;
    *count = 0;
    for (uint32_t i = 0; i < r->rank_count; i++) {
        const struct nadi_rank_result *rank = nadi_result_rank(r, i);
        if (!all && !nadi_rank_works(rank, r->end_ns))
            continue;
        const double part = share_ns(rank, share, r->end_ns) / (double)r->end_ns;
        sum += part;
        if (part > s.max) {
            s.max = part;
            s.max_rank = i;
        }
        ++*count;
    }
    s.mean = *count ? sum / (double)*count : 0;
    return s;
}

struct nadi_share_spread nadi_share_of(const struct nadi_result *r, enum nadi_figure_share share)
{
    uint32_t count;
    if (r->end_ns == 0 || r->rank_count == 0)
        return (struct nadi_share_spread){0};
    const struct nadi_share_spread s = share_of(r, share, false, &count);
    return count ? s : share_of(r, share, true, &count);
}

const char *nadi_group_label(const struct nadi_inputs *in, uint32_t group)
{
    if (group >= in->groups.count)
        return "?";
    return in->groups.items[group].is_world ? "world" : in->groups.items[group].name;
}

static uint64_t links_per_npu(const struct nadi_dim *dim)
{
    switch (dim->kind) {
    case NADI_DIM_RING:
        return dim->npus > 2 ? 2 : 1;
    case NADI_DIM_FULLY_CONNECTED:
        return dim->npus - 1;
    case NADI_DIM_SWITCH:
    case NADI_DIM_RING_ONE_WAY:
        return 1;
    case NADI_DIM_MESH:
    case NADI_DIM_TORUS:
        return 2U * (dim->axes ? dim->axes : 1); /* as many as an NPU in the middle has */
    case NADI_DIM_NONE:
        break;
    }
    return 0;
}

void nadi_dimension_view(struct nadi_dimension_view *view, const struct nadi_inputs *in,
                         uint32_t dim)
{
    const struct nadi_graph *g = &in->graph;
    *view = (struct nadi_dimension_view){.npus = in->topology.npu_count};
    if (!in->has_graph || g->of_topology) {
        const struct nadi_dim *d = &in->topology.dims[dim];
        snprintf(view->name, sizeof(view->name), "%s", nadi_dim_kind_name(d->kind));
        view->npus = d->npus;
        view->bytes_per_ns = d->bytes_per_ns;
        view->latency_ns = d->latency_ns;
        return;
    }
    nadi_graph_dim_name(g, dim, view->name);
    for (uint32_t i = 0; i < g->link_count; i++)
        if (g->links[i].dim == dim) {
            view->bytes_per_ns = (double)g->links[i].bits_per_s / 8e9;
            view->latency_ns = nadi_time_in_ns(g->links[i].latency);
            return;
        }
}

const char *nadi_device_name(const struct nadi_inputs *in, uint32_t id, char text[48])
{
    const struct nadi_graph *g = &in->graph;
    const uint32_t number = id - in->topology.npu_count;
    if (id >= in->topology.npu_count && in->has_graph && number < g->switch_count) {
        const uint32_t owner = nadi_graph_owner(g, g->switches[number]);
        if (g->nodes[owner].kind != NADI_GRAPH_HOST)
            return nadi_graph_node_name(g, owner, text);
        id = g->nodes[owner].host;
    }
    if (id < in->topology.npu_count)
        snprintf(text, 48, "%" PRIu32, id);
    else
        snprintf(text, 48, "switch %" PRIu32, number);
    return text;
}

static uint64_t graph_links(const struct nadi_graph *g, uint32_t dim)
{
    uint64_t links = 0;
    for (uint32_t i = 0; i < g->link_count; i++)
        if (g->links[i].dim == dim)
            links += g->links[i].one_way ? 1 : 2;
    return links;
}

uint64_t nadi_dimension_links(const struct nadi_inputs *in, const struct nadi_result *r,
                              uint32_t dim)
{
    uint64_t links = 0;
    for (size_t i = 0; i < r->link_count; i++)
        links += r->links[i].dim == dim;
    if (links == 0 && in->has_graph && !in->graph.of_topology)
        return graph_links(&in->graph, dim);
    if (links == 0 && dim < in->topology.dim_count)
        links = links_per_npu(&in->topology.dims[dim]) * in->topology.npu_count;
    return links;
}

double nadi_utilisation(uint64_t busy_ns, uint64_t links, uint64_t end_ns)
{
    if (links == 0 || end_ns == 0)
        return 0;
    return (double)busy_ns / ((double)links * (double)end_ns);
}

struct nadi_node_counts nadi_count_nodes(const struct nadi_result *r)
{
    struct nadi_node_counts n = {0};
    for (uint32_t i = 0; i < r->rank_count; i++) {
        n.done += nadi_result_rank(r, i)->nodes_done;
        n.open += nadi_result_rank(r, i)->nodes_open;
        n.skipped += nadi_result_rank(r, i)->nodes_skipped;
        n.ranks_finished += nadi_result_rank(r, i)->finished;
    }
    n.total = n.done + n.open;
    return n;
}

double nadi_above_lower_bound(const struct nadi_result *r)
{
    if (r->outcome != NADI_OUTCOME_DONE || r->lower_bound_ns == 0)
        return (double)NAN;
    return (double)r->end_ns / (double)r->lower_bound_ns;
}

const char *nadi_usage_depth_name(enum nadi_usage_depth depth)
{
    static const char *const names[] = {
        [NADI_DEPTH_NONE] = NULL,
        [NADI_DEPTH_MESSAGES] = "most_waiting",
        [NADI_DEPTH_FLOWS] = "most_flows",
        [NADI_DEPTH_QUEUE_BYTES] = "most_queue_bytes",
    };
    return names[depth];
}

const char *nadi_outcome_name(enum nadi_outcome outcome)
{
    switch (outcome) {
    case NADI_OUTCOME_DONE:
        return "done";
    case NADI_OUTCOME_DEADLOCK:
        return "deadlock";
    case NADI_OUTCOME_NO_ROUTE:
        return "no way";
    case NADI_OUTCOME_REFUSED:
        return "refused";
    case NADI_OUTCOME_NO_MEMORY:
        return "no memory";
    case NADI_OUTCOME_LIMIT:
        return "limit";
    case NADI_OUTCOME_INTERRUPTED:
        return "interrupted";
    case NADI_OUTCOME_NONE:
        break;
    }
    return "none";
}

const char *nadi_network_model_name(const struct nadi_inputs *in)
{
    return in->options.network_model->name;
}

double nadi_usage_span_ns(const struct nadi_result *r, uint32_t bucket)
{
    const double start = bucket * r->usage.bucket_ns;
    return fmin(start + r->usage.bucket_ns, r->usage.end_ns) - start;
}

double nadi_usage_share(const struct nadi_result *r, uint32_t bucket, double bytes,
                        double bytes_per_ns)
{
    const double ns = nadi_usage_span_ns(r, bucket);
    return ns > 0 && bytes_per_ns > 0 ? bytes / bytes_per_ns / ns : 0;
}
