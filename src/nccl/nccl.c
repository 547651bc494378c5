#include "nccl/nccl.h"

#include <math.h>

#include "base/str.h"
#include "nccl/nccl_graph.h"
#include "nccl/nccl_tables.h"

#define RAMP_EXPONENT 0.6
#define ONE_PARTNER   0.85 /* of the rate that many partners get */
#define POST_NS       1000 /* NCCL, graph/tuning.cc: twice that on AMD's processors */
#define ALONE_STEPS   1.5  /* a step's time where no other call hides part of it */
#define UNALIGNED     0.58 /* of the rate, where a thread moves single elements */
#define PACK          16   /* bytes that a thread moves otherwise (NCCL, common_kernel.h) */

/* Of a message inside a node (NCCL, src/enqueue.cc): at most 32 chunks of 512 KiB a channel. */
#define CHANNEL_BYTES 16777216.0
#define CHANNEL_ALONE 1.55
#define STEP_BYTES    524288.0  /* of a channel's buffer in Simple */
#define LL_PART       8192.0    /* least part of a channel in LL */
#define LL_SHARE      (1.0 / 4) /* of a channel's rate (2.17, tuning.cc: of a ring) */

uint32_t nadi_comm_version(const struct nadi_comm_platform *p, const struct nadi_comm_case *c)
{
    return c->version ? c->version : p->version ? p->version : NADI_NCCL_USUAL;
}

uint32_t nadi_comm_nodes(const struct nadi_comm_platform *p, const struct nadi_comm_case *c)
{
    const uint32_t fewest = (c->ranks + p->gpus_per_node - 1) / p->gpus_per_node;
    if (c->nodes == 0 || p->rack || c->nodes < fewest)
        return fewest;
    return c->nodes;
}

struct shape { /* of the group on the platform */
    double n, m, g, link, nic;
};

static struct shape shape_of(const struct nadi_comm_platform *p, const struct nadi_comm_case *c)
{
    struct shape s = {.n = c->ranks, .m = nadi_comm_nodes(p, c)};
    const uint32_t per_node = (c->ranks + (uint32_t)s.m - 1) / (uint32_t)s.m;
    s.g = per_node;
    s.link = nadi_comm_link_rate(p, per_node);
    s.nic = c->nics > 0 ? c->nics * p->nic_rate : nadi_comm_nic_rate(p, per_node);
    return s;
}

struct traffic {             /* of one algorithm */
    double in_node, between; /* X and Y, bytes */
    double hops, net_hops;   /* steps */
    double rate;             /* share of the link's rate */
    double own;              /* bytes that pass at the rate of LOCAL */
    enum nadi_comm_figure ramp;
    double ramp_times; /* of the ramp's size */
    double nic_share;  /* of the NICs */
    double posts;      /* messages to other nodes that the host posts, one after another */
    enum nadi_comm_protocol protocol;
    double copied; /* bytes that a channel's receiver still copies when the last has come */
};

static double log2_up(double x)
{
    return ceil(log2(x) - 1e-9);
}

static bool ring(const struct nadi_comm_platform *p, const struct nadi_comm_case *c,
                 const struct shape *s, struct traffic *t)
{
    const double part = c->bytes / s->n;
    double turns = 1; /* times that everything goes round */
    switch (c->kind) {
    case NADI_COMM_ALL_REDUCE:
        turns = 2;
        t->own = 2.5 * part;
        break;
    case NADI_COMM_ALL_GATHER:
        t->own = part;
        break;
    case NADI_COMM_REDUCE_SCATTER:
        t->own = 1.5 * part;
        break;
    case NADI_COMM_BROADCAST:
    case NADI_COMM_REDUCE:
        t->ramp_times = 1 / s->n; /* of what one step carries: all, not a part */
        break;
    case NADI_COMM_NONE:
    case NADI_COMM_ALL_TO_ALL:
    case NADI_COMM_GATHER:
    case NADI_COMM_SCATTER:
    case NADI_COMM_SEND_RECV:
    case NADI_COMM_KINDS:
        return false;
    }
    t->between = nadi_comm_bus_factor(c->kind, c->ranks) * c->bytes;
    t->in_node = s->m > 1 ? t->between * (s->g - 1) / s->g : t->between; /* one step goes out */
    t->net_hops = turns * (s->m - 1); /* of n - 1 steps so many go out (NCCL 2.23, tuning.cc) */
    t->hops = turns * (s->n - 1) - t->net_hops;
    if (t->hops < 0)
        t->hops = 0;
    t->rate = p->value[NADI_FIGURE_RING];
    t->ramp = NADI_FIGURE_RAMP_RING;
    return true;
}

static void tree_between(const struct nadi_comm_case *c, const struct shape *s, struct traffic *t)
{
    t->between = s->m > 2 ? 2 * c->bytes : s->m > 1 ? c->bytes : 0;
    t->net_hops = s->m > 1 ? 2 * log2_up(s->m) : 0;
}

static bool tree(const struct nadi_comm_platform *p, const struct nadi_comm_case *c,
                 const struct shape *s, struct traffic *t)
{
    if (c->kind != NADI_COMM_ALL_REDUCE || c->ranks < 3)
        return false;
    tree_between(c, s, t);
    t->in_node = s->g > 1 ? 2 * c->bytes : 0;
    t->hops = 2 * (s->g - 1);
    t->rate = p->value[NADI_FIGURE_TREE];
    t->ramp = NADI_FIGURE_RAMP_RING;
    return true;
}

static bool nvls(const struct nadi_comm_platform *p, const struct nadi_comm_case *c,
                 const struct shape *s, struct traffic *t)
{
    const bool parts = c->kind == NADI_COMM_ALL_GATHER || c->kind == NADI_COMM_REDUCE_SCATTER;
    if (!p->nvls || (c->kind != NADI_COMM_ALL_REDUCE && (!parts || s->m > 1)) || s->g < 3)
        return false;
    t->in_node = (1 + 1 / fmin(s->g, 8)) * c->bytes; /* larger groups gain nothing: a fit */
    if (parts)
        t->in_node = (s->n - 1) / s->n * c->bytes;
    t->hops = 0;
    t->rate = p->value[NADI_FIGURE_NVLS];
    t->ramp = NADI_FIGURE_RAMP_SWITCH;
    t->ramp_times = s->n / 8; /* what counts is each rank's part */
    if (p->tree_nics && p->tree_nics < p->nics)
        t->nic_share = (double)p->tree_nics / p->nics;
    return true;
}

static bool collnet(const struct nadi_comm_platform *p, const struct nadi_comm_case *c,
                    const struct shape *s, struct traffic *t)
{
    if (!p->sharp || c->kind != NADI_COMM_ALL_REDUCE || s->m < 2)
        return false;
    t->in_node = 2 * (s->g - 1) / s->g * c->bytes;
    t->between = c->bytes;
    t->hops = 2;
    t->net_hops = 2;
    t->rate = p->value[NADI_FIGURE_RING];
    t->ramp = NADI_FIGURE_RAMP_RING;
    return true;
}

/* What one partner gets of the rate that many partners get: its channels grow with the size, and
 * so many reach no more than ONE_PARTNER. The sum of powers rounds the corner. A channel that only
 * sends is faster than one that receives also; those to and from one partner differ until there
 * are too many. */
static double partner_share(const struct nadi_comm_platform *p, const struct nadi_comm_case *c,
                            const struct shape *s, struct traffic *t)
{
    const bool ll = t->protocol == NADI_COMM_LL;
    const double channels = ll ? fmin(fmax(c->bytes / LL_PART, 1), NADI_MESSAGE_CHANNELS)
                               : fmin(fmax(c->bytes / CHANNEL_BYTES, NADI_MESSAGE_CHANNELS),
                                      NADI_MESSAGE_MOST_CHANNELS);
    const double rate = s->link * p->value[NADI_FIGURE_DIRECT];
    const bool apart = c->partners == NADI_PARTNERS_ONE_WAY ||
                       (c->partners == NADI_PARTNERS_PAIRS && channels <= NADI_MESSAGE_CHANNELS);
    const double served = channels * p->value[NADI_FIGURE_CHANNEL] * (ll ? LL_SHARE : 1) *
                          (apart ? CHANNEL_ALONE : 1) / rate;
    if (!ll && !p->mesh && s->m < 2)
        t->copied = fmin(c->bytes / channels, STEP_BYTES);
    return pow(pow(served, -4) + pow(ONE_PARTNER, -4), -0.25);
}

/* Everybody with everybody: inside a node all partners at a time, each by its own warps. */
static bool direct(const struct nadi_comm_platform *p, const struct nadi_comm_case *c,
                   const struct shape *s, struct traffic *t)
{
    const double in = (s->g - 1) / s->n, out = (s->n - s->g) / s->n;
    t->rate = p->value[NADI_FIGURE_DIRECT];
    t->ramp = NADI_FIGURE_RAMP_DIRECT;
    t->hops = 1;
    t->net_hops = s->m > 1 ? 1 : 0;
    switch (c->kind) {
    case NADI_COMM_ALL_TO_ALL:
        t->in_node = in * c->bytes;
        t->between = out * c->bytes * s->g;
        t->own = 0.5 * c->bytes / s->n; /* half of it beside the others */
        t->posts = s->n - s->g;
        return true;
    case NADI_COMM_GATHER:
    case NADI_COMM_SCATTER:
        t->in_node = in * c->bytes;
        t->between = out * c->bytes;
        return true;
    case NADI_COMM_SEND_RECV: /* mesh: one of its links */
        t->in_node = c->bytes / partner_share(p, c, s, t);
        t->ramp_times = p->mesh ? 1 : 0;
        if (p->mesh && p->gpus_per_node > 1)
            t->in_node = c->bytes * s->link / p->link_rate * (p->gpus_per_node - 1);
        t->between = s->m > 1 ? c->bytes * s->g : 0;
        return true;
    case NADI_COMM_ALL_REDUCE: /* a part to each, the sums back */
        t->in_node = 2 * in * c->bytes;
        t->hops = 2;
        t->ramp_times = 0.25; /* fewer channels, and no step waits for the one before */
        return s->m < 2;
    case NADI_COMM_NONE:
    case NADI_COMM_ALL_GATHER:
    case NADI_COMM_REDUCE_SCATTER:
    case NADI_COMM_BROADCAST:
    case NADI_COMM_REDUCE:
    case NADI_COMM_KINDS:
        break;
    }
    return false;
}

static bool traffic_of(const struct nadi_comm_platform *p, const struct nadi_comm_case *c,
                       const struct shape *s, enum nadi_comm_algorithm algorithm,
                       enum nadi_comm_protocol protocol, struct traffic *t)
{
    *t = (struct traffic){.rate = 1, .ramp_times = 1, .nic_share = 1, .protocol = protocol};
    switch (algorithm) {
    case NADI_COMM_RING:
        return ring(p, c, s, t);
    case NADI_COMM_TREE:
        return tree(p, c, s, t);
    case NADI_COMM_NVLS:
        return s->m < 2 && nvls(p, c, s, t);
    case NADI_COMM_NVLS_TREE:
        if (s->m < 2 || !nvls(p, c, s, t))
            return false;
        tree_between(c, s, t);
        return true;
    case NADI_COMM_COLLNET:
        return collnet(p, c, s, t);
    case NADI_COMM_PAT:
        if (s->g > 1 || (c->kind != NADI_COMM_ALL_GATHER && c->kind != NADI_COMM_REDUCE_SCATTER) ||
            !ring(p, c, s, t))
            return false;
        t->hops = 0;
        t->net_hops = log2_up(s->n);
        return true;
    case NADI_COMM_DIRECT:
        return direct(p, c, s, t);
    case NADI_COMM_AUTO:
    case NADI_COMM_ALGORITHMS:
        break;
    }
    return false;
}

static bool protocol_fits(const struct nadi_comm_platform *p, const struct nadi_comm_case *c,
                          enum nadi_comm_algorithm a, enum nadi_comm_protocol protocol)
{
    if (c->kind == NADI_COMM_SEND_RECV && protocol == NADI_COMM_LL) /* no buffers between nodes */
        return !p->mesh && nadi_comm_nodes(p, c) == 1;
    if (a == NADI_COMM_DIRECT && c->kind == NADI_COMM_ALL_REDUCE)
        return protocol != NADI_COMM_LL128;
    return protocol == NADI_COMM_SIMPLE || a == NADI_COMM_RING || a == NADI_COMM_TREE;
}

static double protocol_share(const struct nadi_comm_platform *p, const struct nadi_comm_case *c,
                             enum nadi_comm_protocol protocol)
{
    return c->kind == NADI_COMM_SEND_RECV ? 1 /* its channels' */
           : protocol == NADI_COMM_LL     ? p->value[NADI_FIGURE_LL]
           : protocol == NADI_COMM_LL128  ? p->value[NADI_FIGURE_LL128]
                                          : 1;
}

/* Between nodes the flags, 4 bytes with every 4 and 8 with every 120, are all that the protocols
 * cost; inside a node the processors' loads and stores cost more. */
static double wire_share(enum nadi_comm_protocol protocol)
{
    return protocol == NADI_COMM_LL128 ? 120.0 / 128 : protocol == NADI_COMM_LL ? 0.5 : 1;
}

/* Of calls in a loop the host launches the next while one runs: the slower of both counts. The sum
 * of powers rounds the corner, since neither takes the same time always. */
static void wait_for_host(const struct nadi_comm_platform *p, const struct nadi_comm_case *c,
                          struct nadi_comm_time *time)
{
    const double host = p->value[NADI_FIGURE_HOST_LAUNCH] * (c->launches ? c->launches : 1);
    if (host > 0 && host > 0.1 * time->ns) {
        const double slower = time->ns * pow(1 + pow(host / time->ns, 4), 0.25);
        time->latency_ns += slower - time->ns;
        time->ns = slower;
    }
}

bool nadi_comm_unaligned(const struct nadi_comm_case *c)
{
    const bool parts =
        c->kind == NADI_COMM_REDUCE_SCATTER || (c->kind == NADI_COMM_ALL_GATHER && !c->in_place);
    return parts && c->ranks > 1 && fmod(c->bytes, (double)PACK * c->ranks) > 0;
}

/* Of one channel inside an accelerator: the rings' share LOCAL. */
static double copy_rate(const struct nadi_comm_platform *p, const struct nadi_comm_case *c,
                        const struct shape *s)
{
    const struct nadi_nccl_group group = {(uint32_t)s->g, 1, nadi_comm_version(p, c)};
    return p->value[NADI_FIGURE_LOCAL] / nadi_nccl_graph(p, &group, NADI_NCCL_RINGS).channels;
}

bool nadi_comm_time_of(const struct nadi_comm_platform *p, const struct nadi_comm_case *c,
                       enum nadi_comm_algorithm algorithm, enum nadi_comm_protocol protocol,
                       struct nadi_comm_time *time)
{
    const struct shape s = shape_of(p, c);
    struct traffic t;
    *time = (struct nadi_comm_time){.algorithm = algorithm, .protocol = protocol};
    if (!protocol_fits(p, c, algorithm, protocol) || !traffic_of(p, c, &s, algorithm, protocol, &t))
        return false;
    const bool slow = c->unaligned && protocol == NADI_COMM_SIMPLE && algorithm == NADI_COMM_RING;
    const double share = protocol_share(p, c, protocol) * (slow ? UNALIGNED : 1);
    double in_node = s.g > 1 ? t.in_node / (s.link * t.rate * share) : 0;
    const double nics = s.nic * p->value[NADI_FIGURE_NIC] * t.nic_share;
    const double between = s.m > 1 ? t.between / (nics * wire_share(protocol)) : 0;
    if (c->calls != NADI_CALLS_QUEUED)
        in_node += t.own / p->value[NADI_FIGURE_LOCAL] / share;
    const double ramp = protocol == NADI_COMM_SIMPLE && c->bytes > 0
                            ? pow(p->value[t.ramp] * t.ramp_times / c->bytes, RAMP_EXPONENT)
                            : 0;
    const double channels = c->bytes / nadi_nccl_most_rate(p, c, algorithm, protocol) * 1e-6;
    time->by_nic = between > in_node;
    time->bandwidth_ns = fmax(fmax(in_node, between), channels) * 1e9 * (1 + ramp);
    const double hop = algorithm == NADI_COMM_NVLS || algorithm == NADI_COMM_NVLS_TREE
                           ? 0
                           : p->value[NADI_FIGURE_HOP_LL + (int)protocol];
    const double net_hop = p->value[NADI_FIGURE_NET_LL + (int)protocol];
    const double exposed = c->calls == NADI_CALLS_ALONE ? ALONE_STEPS : 1;
    time->latency_ns = p->value[NADI_FIGURE_LAUNCH] + exposed * (t.hops * hop) +
                       t.net_hops * net_hop + t.posts * (p->amd_host ? 2 : 1) * POST_NS;
    if (t.copied > 0)
        time->latency_ns += t.copied / copy_rate(p, c, &s) * 1e9;
    if (algorithm == NADI_COMM_NVLS || algorithm == NADI_COMM_NVLS_TREE)
        time->latency_ns += p->value[NADI_FIGURE_HOP_SWITCH];
    if (c->calls == NADI_CALLS_ALONE)
        time->latency_ns += p->value[NADI_FIGURE_ALONE];
    time->ns = time->latency_ns + time->bandwidth_ns;
    if (c->calls == NADI_CALLS_QUEUED)
        wait_for_host(p, c, time);
    return true;
}

/* ---- choice -------------------------------------------------------------------------------- */

static bool crossover(const struct nadi_comm_platform *p, const struct nadi_comm_case *c,
                      struct nadi_comm_time *time)
{
    const struct nadi_comm_crossover *best = NULL;
    for (uint32_t i = 0; i < p->crossover_count; i++) {
        const struct nadi_comm_crossover *x = &p->crossovers[i];
        if (x->kind == c->kind && x->ranks == c->ranks && x->bytes <= c->bytes &&
            (!best || x->bytes > best->bytes))
            best = x;
    }
    return best && c->algorithm == NADI_COMM_AUTO &&
           nadi_comm_time_of(p, c, best->algorithm, best->protocol, time);
}

static struct nadi_comm_time choose(const struct nadi_comm_platform *p,
                                    const struct nadi_comm_case *c)
{
    struct nadi_comm_time best = {.ns = HUGE_VAL}, time;
    double least = HUGE_VAL;
    if (crossover(p, c, &best))
        return best;
    for (int a = NADI_COMM_RING; a < NADI_COMM_ALGORITHMS; a++)
        for (int protocol = 0; protocol < NADI_COMM_PROTOCOLS; protocol++) {
            const enum nadi_comm_algorithm algorithm = (enum nadi_comm_algorithm)a;
            if (c->algorithm != NADI_COMM_AUTO && c->algorithm != algorithm)
                continue;
            const double cost =
                nadi_comm_estimate_us(p, c, algorithm, (enum nadi_comm_protocol)protocol);
            if (cost < least &&
                nadi_comm_time_of(p, c, algorithm, (enum nadi_comm_protocol)protocol, &time)) {
                least = cost;
                best = time;
            }
        }
    return best;
}

static const struct nadi_comm_residual *find_residual(const struct nadi_comm_platform *p,
                                                      const struct nadi_comm_case *c)
{
    const struct nadi_comm_residual *found = NULL;
    for (uint32_t i = 0; i < p->residual_count; i++) {
        const struct nadi_comm_residual *r = &p->residuals[i];
        if (r->kind == c->kind && r->ranks == c->ranks && r->algorithm == c->algorithm &&
            r->count && (!found || r->in_place == c->in_place))
            found = r;
    }
    return found;
}

static double residual_of(const struct nadi_comm_platform *p, const struct nadi_comm_case *c)
{
    const struct nadi_comm_residual *r = find_residual(p, c);
    if (!r)
        return 1;
    if (c->bytes <= r->bytes[0])
        return r->factor[0];
    for (uint32_t k = 1; k < r->count; k++)
        if (c->bytes <= r->bytes[k]) {
            const double at = log(c->bytes / r->bytes[k - 1]) / log(r->bytes[k] / r->bytes[k - 1]);
            return r->factor[k - 1] * pow(r->factor[k] / r->factor[k - 1], at);
        }
    return r->factor[r->count - 1];
}

struct nadi_comm_time nadi_comm_predict(const struct nadi_comm_platform *p,
                                        const struct nadi_comm_case *c)
{
    if (c->ranks < 2)
        return (struct nadi_comm_time){.ns = 0};
    struct nadi_comm_case asked = *c;
    struct nadi_comm_time time = choose(p, &asked);
    if (!isfinite(time.ns) && c->algorithm != NADI_COMM_AUTO) { /* cannot run that: the default */
        asked.algorithm = NADI_COMM_AUTO;
        time = choose(p, &asked);
    }
    NADI_ASSERT(isfinite(time.ns));
    time.ns *= residual_of(p, &asked);
    return time;
}
