#include "nccl/nccl_graph.h"

#include <math.h>

enum {
    MOST_CHANNELS = 32,
    MOST_HEADS = 32, /* accelerators that lead a channel in the switch */
    MOST_BANDWIDTHS = 24,
    JOINED_PORTS = 220, /* the version; plug-ins do it in all */
};
#define NEXT_WORTH_TRYING 0.49 /* of the best so far */
#define FAST_CHANNEL      25.0 /* is cut in two */
#define FAST_CHANNEL_90   50.0 /* the same from Hopper on, if there are more than four */

/* Bandwidths of a channel that are tried, in a node and between nodes; 0 ends a list. */
static const double in_node[][MOST_BANDWIDTHS] = {
    {40, 30, 20, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3},
    {60, 50, 40, 30, 24, 20, 15, 12, 11, 6, 3},
    {90, 80, 70, 60, 50, 45, 40, 30, 24, 20, 19, 18},
};
static const double between[][MOST_BANDWIDTHS] = {
    {48, 30, 28, 24, 20, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3, 2.4, 1.2, 0.24, 0.12},
    {48, 45, 42, 40, 30, 24, 22, 20, 17.5, 15, 12, 6, 3, 2.4, 1.2, 0.24, 0.12},
    {96, 86, 80, 48, 45.1, 42, 40, 30, 24, 22, 20, 17.5, 15, 12, 6, 3, 2.4, 1.2, 0.24, 0.12},
};
/* What the library takes a link's nominal bandwidth for. */
static const double link_share[] = {
    [NADI_GENERATION_VOLTA] = 20.0 / 25,  [NADI_GENERATION_AMPERE] = 20.0 / 25,
    [NADI_GENERATION_HOPPER] = 20.6 / 25, [NADI_GENERATION_BLACKWELL] = 40.1 / 50,
    [NADI_GENERATION_CDNA] = 48.0 / 64, /* RCCL */
};

static int list_of(enum nadi_comm_generation g)
{
    return g == NADI_GENERATION_HOPPER ? 1 : g == NADI_GENERATION_BLACKWELL ? 2 : 0;
}

struct room { /* that channels share */
    double links, port;
    uint32_t ports; /* of the group's part of a node */
    double passes;  /* times that a channel crosses an accelerator's links */
    uint32_t most;  /* channels */
};

static struct room room_of(const struct nadi_comm_platform *p, const struct nadi_nccl_group *group)
{
    const uint32_t per_node = group->per_node;
    struct room r = {
        .links = nadi_comm_link_rate(p, per_node) / 1e9 * link_share[p->generation],
        .port = p->nic_rate / 1e9,
        .passes = 1,
        .most = MOST_CHANNELS,
    };
    const double all = nadi_comm_nic_rate(p, per_node) / 1e9;
    r.ports = r.port > 0 ? (uint32_t)(all / r.port + 0.5) : 0;
    if (r.ports > per_node &&
        (group->version >= JOINED_PORTS || !nadi_comm_transport_ordered(p->transport))) {
        r.port = all / per_node;
        r.ports = per_node;
    }
    r.ports = r.ports ? r.ports : 1;
    return r;
}

/* Channels of `bandwidth` each that fit. */
static uint32_t channels_of(const struct room *r, double bandwidth, bool out)
{
    double fit = floor(r->links / (bandwidth * r->passes) + 1e-9);
    if (out)
        fit = fmin(fit, r->ports * floor(r->port / bandwidth + 1e-9));
    return (uint32_t)fmin(fit, r->most);
}

/* A ring of several nodes leaves each once, so one of its accelerators does not use its links. */
static struct nadi_nccl_graph search(const struct nadi_comm_platform *p, const struct room *r,
                                     bool out)
{
    const double *tried = (out ? between : in_node)[list_of(p->generation)];
    struct nadi_nccl_graph best = {.channels = 0};
    for (int i = 0; i < MOST_BANDWIDTHS && tried[i] > 0; i++) {
        if (best.channels && tried[i] / best.in_node <= NEXT_WORTH_TRYING)
            break;
        const uint32_t channels = channels_of(r, tried[i], out);
        if (channels * tried[i] > best.channels * best.in_node)
            best = (struct nadi_nccl_graph){channels, tried[i], tried[i]};
    }
    if (!best.channels) /* slower than all */
        best = (struct nadi_nccl_graph){1, out ? fmin(r->links, r->port) : r->links,
                                        out ? fmin(r->links, r->port) : r->links};
    return best;
}

static void cut_in_two(const struct nadi_comm_platform *p, struct nadi_nccl_graph *g)
{
    const bool late =
        p->generation == NADI_GENERATION_HOPPER || p->generation == NADI_GENERATION_BLACKWELL;
    if (g->in_node < FAST_CHANNEL || (late && g->in_node < FAST_CHANNEL_90 && g->channels > 4) ||
        2 * g->channels > MOST_CHANNELS)
        return;
    g->channels *= 2;
    g->in_node /= 2;
    g->between /= 2;
}

/* Trees may use more of the links than of the NICs. */
static void raise_in_node(const struct nadi_comm_platform *p, const struct room *r,
                          struct nadi_nccl_graph *g)
{
    const double *tried = between[list_of(p->generation)];
    for (int i = 0; i < MOST_BANDWIDTHS && tried[i] > 0; i++)
        if (tried[i] <= 2 * g->between && tried[i] * g->channels <= r->links * (1 + 1e-9)) {
            g->in_node = fmax(g->in_node, tried[i]);
            return;
        }
}

/* Every accelerator leads a channel and takes part in all others. */
static struct nadi_nccl_graph switches(const struct nadi_comm_platform *p, struct room *r,
                                       uint32_t per_node, bool out)
{
    const double *tried = (out ? between : in_node)[list_of(p->generation)];
    uint32_t heads = per_node < MOST_HEADS ? per_node : MOST_HEADS;
    heads = out && r->ports < heads ? r->ports : heads;
    struct nadi_nccl_graph g = {.channels = heads};
    for (int i = 0; i < MOST_BANDWIDTHS && tried[i] > 0 && g.in_node <= 0; i++)
        if (tried[i] * (heads + 1) <= r->links * (1 + 1e-9))
            g.in_node = tried[i];
    for (int i = 0; i < MOST_BANDWIDTHS && tried[i] > 0 && g.between <= 0; i++)
        if (tried[i] <= (out ? r->port : 2 * g.in_node) * (1 + 1e-9)) /* no NIC: what it tries */
            g.between = tried[i];
    if (!(g.in_node > 0) || !(g.between > 0))
        g.channels = 0;
    return g;
}

struct nadi_nccl_graph nadi_nccl_graph(const struct nadi_comm_platform *p,
                                       const struct nadi_nccl_group *group,
                                       enum nadi_nccl_pattern pattern)
{
    struct room r = room_of(p, group);
    const uint32_t per_node = group->per_node;
    const bool out = group->nodes > 1;
    if (pattern == NADI_NCCL_SWITCHES)
        return switches(p, &r, per_node, out);
    if (per_node == 1)
        r.links = HUGE_VAL;
    else if (out)
        r.passes = (per_node - 1.0) / per_node;
    struct nadi_nccl_graph g = search(p, &r, out);
    cut_in_two(p, &g);
    if (pattern == NADI_NCCL_TREES && out)
        raise_in_node(p, &r, &g);
    return g;
}
