#include "noc/load.h"

#include "base/guard.h"
#include "base/mem.h"
#include "network/flit/machine.h"
#include "network/flit/paths.h"

#include <math.h>

struct packet { /* made, not yet arrived */
    uint64_t made;
    uint32_t src, dst;
};

struct queue { /* of one cable of an NPU: packets not yet injected, by index */
    uint32_t *items;
    size_t count, capacity;
    size_t first;
};

struct noc {
    const struct nadi_noc_setup *setup;
    struct nadi_flit_wiring wiring;
    struct nadi_flit_paths *paths;
    struct nadi_flit_machine *machine;
    struct nadi_rng rng;
    uint32_t npus;
    uint32_t *npu_of;     /* by node */
    struct queue *queues; /* by port */
    uint64_t *next_made;  /* by NPU: cycle */
    struct {
        struct packet *items;
        size_t count, capacity;
    } packets;
    struct {
        uint32_t *items;
        size_t count, capacity;
    } free;
    uint64_t from, to; /* cycles measured */
    uint64_t followed; /* measured packets that have not arrived */
    uint64_t sum[NADI_NOC_BATCHES], number[NADI_NOC_BATCHES];
    uint64_t *arrived; /* by source, in the cycles measured */
    uint64_t arrived_packets, worst, hop_sum;
    uint32_t *steps;
    uint64_t *before; /* by port: flits sent when measuring began; NULL: nobody asks */
};

/* ---- packets ------------------------------------------------------------------------------- */

static bool next_packet(void *context, uint32_t port, struct nadi_flit_packet_wish *wish)
{
    struct noc *n = context;
    struct queue *q = &n->queues[port];
    if (q->first == q->count) {
        q->first = q->count = 0;
        return false;
    }
    const uint32_t index = q->items[q->first++];
    const struct packet *p = &n->packets.items[index];
    *wish = (struct nadi_flit_packet_wish){.src = p->src,
                                           .dst = p->dst,
                                           .flits = n->setup->config->packet_flits,
                                           .user = index,
                                           .flow = p->made};
    return true;
}

static bool is_measured(const struct noc *n, uint64_t cycle)
{
    return cycle >= n->from && cycle < n->to;
}

static bool arrived(void *context, const struct nadi_flit_end *end)
{
    struct noc *n = context;
    const uint64_t cycle = end->cycle;
    const uint32_t index = (uint32_t)end->user;
    const struct packet *p = &n->packets.items[index];
    if (is_measured(n, p->made)) {
        const uint64_t took = cycle - p->made;
        const uint64_t batch = (p->made - n->from) * NADI_NOC_BATCHES / (n->to - n->from);
        n->sum[batch] += took;
        n->number[batch]++;
        n->worst = nadi_max_u64(n->worst, took);
        n->followed--;
    }
    if (is_measured(n, cycle)) {
        n->arrived[p->src]++;
        n->arrived_packets++;
    }
    NADI_PUSH(&n->free, index);
    return true;
}

/* The port by which an NPU sends a packet: of several cables that which its route begins with. */
static uint32_t leaves_by(struct noc *n, uint32_t src, uint32_t dst, uint64_t flow)
{
    const uint32_t node = n->setup->graph->hosts[src];
    const uint32_t first = n->wiring.first_port[node];
    if (n->wiring.first_port[node + 1] - first == 1 ||
        !nadi_flit_paths_find(n->paths, src, dst, flow, n->steps))
        return first;
    return nadi_flit_step_port(n->steps[0]);
}

static void make_packet(struct noc *n, uint32_t src, uint64_t cycle)
{
    const uint32_t dst = nadi_noc_traffic_draw(n->setup->traffic, src, &n->rng);
    const struct packet p = {.made = cycle, .src = src, .dst = dst};
    uint32_t index = (uint32_t)n->packets.count;
    if (n->free.count)
        index = n->free.items[--n->free.count];
    else
        NADI_PUSH(&n->packets, p);
    n->packets.items[index] = p;
    if (is_measured(n, cycle)) {
        n->followed++;
        if (!nadi_flit_paths_adaptive(n->paths))
            n->hop_sum += nadi_flit_paths_find(n->paths, src, dst, cycle, n->steps) - 1;
    }
    const uint32_t port = leaves_by(n, src, dst, cycle);
    struct queue *q = &n->queues[port];
    if (q->first > 64 && q->first * 2 > q->count) { /* keep the queue short in memory */
        memmove(q->items, q->items + q->first, (q->count - q->first) * sizeof(*q->items));
        q->count -= q->first;
        q->first = 0;
    }
    NADI_PUSH(q, index);
    nadi_flit_wake(n->machine, port);
}

/* Cycles to the next packet of an NPU: geometric. */
static uint64_t draw_gap(struct noc *n, double probability)
{
    if (probability >= 1)
        return 1;
    const double u = 1 - nadi_rng_unit(&n->rng);
    const double gap = floor(log(u) / log1p(-probability));
    return gap < 1e15 ? 1 + (uint64_t)gap : UINT64_MAX / 2;
}

/* ---- one load ------------------------------------------------------------------------------ */

static void close_noc(struct noc *n)
{
    for (uint32_t i = 0; n->queues && i < n->wiring.port_count; i++)
        nadi_mem_free(n->queues[i].items);
    nadi_flit_destroy(n->machine);
    nadi_flit_paths_destroy(n->paths);
    nadi_flit_unwire(&n->wiring);
    nadi_mem_free(n->queues);
    nadi_mem_free(n->npu_of);
    nadi_mem_free(n->next_made);
    nadi_mem_free(n->packets.items);
    nadi_mem_free(n->free.items);
    nadi_mem_free(n->arrived);
    nadi_mem_free(n->steps);
    nadi_mem_free(n->before);
}

static bool open_noc(struct noc *n, const struct nadi_noc_setup *setup, struct nadi_diags *diags)
{
    const struct nadi_graph *g = setup->graph;
    *n = (struct noc){.setup = setup, .npus = g->host_count};
    for (uint32_t i = 0; i < n->npus; i++)
        if (!nadi_graph_degree(g, g->hosts[i]) ||
            g->nodes[g->ports[g->first_port[g->hosts[i]]].peer].kind == NADI_GRAPH_HOST)
            return nadi_error(
                diags, "noc/routers", NADI_NOWHERE,
                "give a network of routers or switches, for example mesh; \"hyperx shape=8\" "
                "is a full mesh of routers",
                "NPU %u of this network is not joined to a router", i);
    nadi_rng_init(&n->rng, setup->seed, "noc traffic");
    if (!nadi_flit_wire(&n->wiring, setup->graph, setup->config, diags))
        return false;
    n->paths = nadi_flit_paths_create(&n->wiring, setup->config, NULL, diags);
    if (!n->paths) {
        close_noc(n);
        return false;
    }
    const struct nadi_flit_users users = {n, next_packet, arrived, NULL};
    n->machine = nadi_flit_create(&n->wiring, setup->config, n->paths, &users);
    n->queues = NADI_ZNEW(struct queue, n->wiring.port_count);
    n->next_made = NADI_ZNEW(uint64_t, n->npus);
    n->arrived = NADI_ZNEW(uint64_t, n->npus);
    n->npu_of = NADI_ZNEW(uint32_t, setup->graph->node_count);
    n->steps = NADI_NEW(uint32_t, nadi_flit_paths_longest(n->paths));
    if (setup->passed)
        n->before = NADI_ZNEW(uint64_t, n->wiring.port_count);
    for (uint32_t i = 0; i < n->npus; i++)
        n->npu_of[setup->graph->hosts[i]] = i;
    return true;
}

/* The packets of one cycle; the cycle of the next. */
static uint64_t make_packets(struct noc *n, uint64_t cycle, double probability)
{
    uint64_t next = UINT64_MAX;
    for (uint32_t i = 0; i < n->npus; i++) {
        if (n->next_made[i] == cycle) {
            make_packet(n, i, cycle);
            n->next_made[i] = cycle + draw_gap(n, probability);
        }
        next = nadi_min_u64(next, n->next_made[i]);
    }
    return next;
}

static void find_circle(const struct noc *n, struct nadi_noc_load *load)
{
    uint32_t ports[256], last = NADI_NONE;
    const uint32_t count = nadi_flit_circle(n->machine, ports, 256);
    load->stuck = true;
    for (uint32_t i = 0; i < count && i < 256; i++) {
        const uint32_t node = n->wiring.ports[ports[i]].node;
        if (node != last && load->circle_count++ < 8)
            load->circle[load->circle_count - 1] = node;
        last = node;
    }
}

/* Are the packets that arrived already slower than whoever asks cares to know? */
static bool is_too_slow(const struct noc *n)
{
    uint64_t sum = 0, number = 0;
    for (uint32_t b = 0; b < NADI_NOC_BATCHES; b++) {
        sum += n->sum[b];
        number += n->number[b];
    }
    return n->setup->enough > 0 && (double)sum > n->setup->enough * (double)number;
}

/* What has crossed the network since the last call. */
static void note_passed(struct noc *n, bool tell)
{
    const struct nadi_flit_port_figures *f = nadi_flit_figures(n->machine);
    for (uint32_t p = 0; n->before && p < n->wiring.port_count; p++) {
        const struct nadi_flit_port *port = &n->wiring.ports[p];
        if (tell)
            n->setup->passed(n->setup->context, &n->setup->graph->links[port->channel / 2],
                             port->node, f[p].flits - n->before[p]);
        n->before[p] = f[p].flits;
    }
}

static void run_cycles(struct noc *n, double probability, struct nadi_noc_load *load)
{
    const uint64_t last = n->to + 10 * (n->to - n->from);
    uint64_t next = UINT64_MAX;
    for (uint32_t i = 0; i < n->npus; i++) {
        n->next_made[i] = draw_gap(n, probability) - 1;
        next = nadi_min_u64(next, n->next_made[i]);
    }
    for (;;) {
        uint64_t now = nadi_flit_cycle(n->machine);
        nadi_guard_look();
        if (now == n->from || now == n->to)
            note_passed(n, now == n->to);
        if (now >= n->to && (!n->followed || now >= last))
            break;
        if (now >= n->to && is_too_slow(n))
            break;
        if (now == next)
            next = make_packets(n, now, probability);
        const uint64_t stop = now < n->from ? n->from : now < n->to ? n->to : last;
        const uint64_t end = nadi_min_u64(next, stop);
        const enum nadi_flit_state state = nadi_flit_run(n->machine, nadi_min_u64(end, now + 512));
        if (state == NADI_FLIT_STUCK) {
            find_circle(n, load);
            break;
        }
        now = nadi_flit_cycle(n->machine);
        if (state == NADI_FLIT_EMPTY && now < end)
            nadi_flit_set_cycle(n->machine, end);
    }
    load->saturated = n->followed > 0;
}

/* Half of the 95 % interval of the mean of ten batches: Student's t with 9 degrees of freedom. */
static double half_width(const struct noc *n)
{
    static const double t9 = 2.262157;
    double sum = 0, squares = 0;
    for (uint32_t b = 0; b < NADI_NOC_BATCHES; b++) {
        if (!n->number[b])
            return INFINITY;
        const double mean = (double)n->sum[b] / (double)n->number[b];
        sum += mean;
        squares += mean * mean;
    }
    const double mean = sum / NADI_NOC_BATCHES;
    const double variance =
        fmax(0, squares - NADI_NOC_BATCHES * mean * mean) / (NADI_NOC_BATCHES - 1);
    return t9 * sqrt(variance / NADI_NOC_BATCHES);
}

static void summarise(const struct noc *n, struct nadi_noc_load *load)
{
    const double cycles = (double)(n->to - n->from), flits = n->setup->config->packet_flits;
    uint64_t sum = 0, number = 0, least = UINT64_MAX, most = 0;
    for (uint32_t b = 0; b < NADI_NOC_BATCHES; b++) {
        sum += n->sum[b];
        number += n->number[b];
    }
    for (uint32_t i = 0; i < n->npus; i++) {
        least = nadi_min_u64(least, n->arrived[i]);
        most = nadi_max_u64(most, n->arrived[i]);
    }
    load->latency = number ? (double)sum / (double)number : 0;
    load->half_width = half_width(n);
    load->accepted = (double)n->arrived_packets * flits / cycles / n->npus;
    load->least_accepted = (double)least * flits / cycles;
    load->most_accepted = (double)most * flits / cycles;
    load->packets = number;
    load->hops = number + n->followed ? (double)n->hop_sum / (double)(number + n->followed) : 0;
    load->worst_latency = n->worst;
    load->cycles = nadi_flit_cycle(n->machine);
    const struct nadi_flit_port_figures *f = nadi_flit_figures(n->machine);
    for (uint32_t p = 0; p < n->wiring.port_count; p++) {
        load->no_vc += f[p].no_vc;
        load->no_credit += f[p].no_credit;
        load->lost_arbitration += f[p].lost_arbitration;
    }
}

bool nadi_noc_run(const struct nadi_noc_setup *setup, double rate, struct nadi_noc_load *load,
                  struct nadi_diags *diags)
{
    struct noc n;
    *load = (struct nadi_noc_load){.rate = rate, .joules = (double)NAN};
    if (!open_noc(&n, setup, diags))
        return false;
    n.from = setup->warmup;
    n.to = setup->warmup + setup->measured;
    run_cycles(&n, rate / setup->config->packet_flits, load);
    summarise(&n, load);
    close_noc(&n);
    return true;
}

bool nadi_noc_saturation(const struct nadi_noc_setup *setup, double most,
                         struct nadi_noc_load *load, struct nadi_diags *diags)
{
    struct nadi_noc_setup quick = *setup;
    struct nadi_noc_load zero, at;
    double low = 0, high = most;
    quick.passed = NULL;
    if (!nadi_noc_run(&quick, most / 128, &zero, diags))
        return false;
    quick.enough = 3 * zero.latency;
    while (high - low > most / 512) {
        const double middle = (low + high) / 2;
        if (!nadi_noc_run(&quick, middle, &at, diags))
            return false;
        const bool above = at.saturated || at.stuck || at.latency > quick.enough;
        if (above)
            high = middle;
        else
            low = middle;
    }
    return nadi_noc_run(setup, low, load, diags);
}

bool nadi_noc_alone(const struct nadi_noc_setup *setup, uint32_t src, uint32_t dst,
                    uint64_t *cycles, uint32_t *routers, struct nadi_diags *diags)
{
    struct noc n;
    if (!open_noc(&n, setup, diags))
        return false;
    n.from = 0;
    n.to = NADI_NOC_BATCHES;
    const struct packet p = {.src = src, .dst = dst};
    const uint32_t none = 0;
    NADI_PUSH(&n.packets, p);
    const uint32_t port = leaves_by(&n, src, dst, 0);
    NADI_PUSH(&n.queues[port], none);
    n.followed = 1;
    const uint32_t hops = nadi_flit_paths_find(n.paths, src, dst, 0, n.steps);
    nadi_flit_wake(n.machine, port);
    nadi_flit_run(n.machine, UINT64_MAX);
    *cycles = n.worst;
    *routers = hops - 1;
    close_noc(&n);
    return true;
}
