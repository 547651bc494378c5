#include "network/fred.h"

#include "base/mem.h"

enum { MOST_PORTS = 250 }; /* flows are bytes in kept sets; 255: none */

static bool is_fred(const struct nadi_graph *g, uint32_t node)
{
    return g->nodes[node].kind == NADI_GRAPH_SWITCH && g->nodes[node].middle > 0;
}

/* The fastest NPU's cable. */
static uint64_t npu_rate(const struct nadi_graph *g)
{
    uint64_t most = 1;
    for (uint32_t l = 0; l < g->link_count; l++)
        if ((g->nodes[g->links[l].a].kind == NADI_GRAPH_HOST ||
             g->nodes[g->links[l].b].kind == NADI_GRAPH_HOST) &&
            g->links[l].bits_per_s > most)
            most = g->links[l].bits_per_s;
    return most;
}

static uint32_t slots_of(const struct nadi_graph *g, uint32_t link, uint64_t npu)
{
    const uint64_t slots = (g->links[link].bits_per_s + npu / 2) / npu;
    return slots < 1 ? 1 : slots > MOST_PORTS ? MOST_PORTS + 1 : (uint32_t)slots;
}

static uint32_t ports_of(const struct nadi_graph *g, uint32_t node, uint64_t npu)
{
    uint32_t ports = 0;
    for (uint32_t p = g->first_port[node]; p < g->first_port[node + 1]; p++)
        ports += slots_of(g, g->ports[p].link, npu);
    return ports;
}

const char *nadi_fred_switches_refuse(const struct nadi_graph *g)
{
    const uint64_t npu = npu_rate(g);
    for (uint32_t n = 0; n < g->node_count; n++) {
        if (g->nodes[n].kind == NADI_GRAPH_HOST || strcmp(g->nodes[n].role, NADI_ROLE_IO) == 0)
            continue;
        if (!is_fred(g, n))
            return "a switch is not made of micro-switches";
        if (ports_of(g, n, npu) > MOST_PORTS ||
            !nadi_fred_fits(ports_of(g, n, npu), g->nodes[n].middle))
            return "a switch has too many ports";
        if (ports_of(g, n, npu) < 2)
            return "a switch has a single port";
    }
    return NULL;
}

static uint32_t verdicts_for(struct nadi_fred_switches *s, uint32_t ports, uint32_t middle)
{
    for (uint32_t i = 0; i < s->fred_count; i++)
        if (s->freds[i].f.ports == ports && s->freds[i].f.middle == middle)
            return i;
    struct nadi_fred_verdicts *v = &s->freds[s->fred_count];
    *v = (struct nadi_fred_verdicts){.sets = {NULL, 0, 0}};
    nadi_fred_init(&v->f, ports, middle);
    nadi_map64_init(&v->known, 256);
    return s->fred_count++;
}

static void add_switch(struct nadi_fred_switches *s, uint32_t node)
{
    const struct nadi_graph *g = s->g;
    struct nadi_fred_switch *w = &s->items[s->count];
    *w = (struct nadi_fred_switch){.node = node};
    for (uint32_t p = g->first_port[node]; p < g->first_port[node + 1]; p++) {
        const uint32_t out = nadi_graph_channel(g, node, p);
        s->port[2 * out] = w->ports;           /* it begins here, */
        s->port[2 * (out ^ 1) + 1] = w->ports; /* the other direction ends here */
        w->ports += s->slots[out];
    }
    w->in = NADI_ZNEW(uint64_t, w->ports);
    w->out = NADI_ZNEW(uint64_t, w->ports);
    w->fred = verdicts_for(s, w->ports, g->nodes[node].middle);
    s->of_node[node] = s->count++;
}

void nadi_fred_switches_init(struct nadi_fred_switches *s, const struct nadi_graph *g)
{
    const uint64_t npu = npu_rate(g);
    const size_t channels = 2 * (size_t)g->link_count;
    uint32_t slots = 0;
    *s = (struct nadi_fred_switches){.g = g};
    s->of_node = NADI_NEW(uint32_t, g->node_count);
    s->slots = NADI_NEW(uint32_t, channels);
    s->first_slot = NADI_NEW(uint32_t, channels);
    s->port = NADI_ZNEW(uint32_t, 2 * channels);
    s->items = NADI_NEW(struct nadi_fred_switch, g->switch_count);
    s->freds = NADI_NEW(struct nadi_fred_verdicts, g->switch_count);
    memset(s->of_node, 0xff, g->node_count * sizeof(*s->of_node));
    for (uint32_t c = 0; c < channels; c++) {
        s->slots[c] = slots_of(g, c / 2, npu);
        s->first_slot[c] = slots;
        slots += s->slots[c];
    }
    s->slot_owner = NADI_NEW(uint32_t, slots);
    memset(s->slot_owner, 0xff, slots * sizeof(*s->slot_owner));
    for (uint32_t n = 0; n < g->node_count; n++)
        if (is_fred(g, n))
            add_switch(s, n);
}

void nadi_fred_switches_release(struct nadi_fred_switches *s)
{
    for (uint32_t i = 0; i < s->count; i++) {
        nadi_mem_free(s->items[i].in);
        nadi_mem_free(s->items[i].out);
    }
    for (uint32_t i = 0; i < s->fred_count; i++) {
        struct nadi_fred_verdicts *v = &s->freds[i];
        for (size_t k = 0; k < v->sets.count; k++)
            nadi_mem_free(v->sets.items[k]);
        nadi_mem_free(v->sets.items);
        nadi_map64_release(&v->known);
        nadi_fred_release(&v->f);
    }
    nadi_mem_free(s->of_node);
    nadi_mem_free(s->slots);
    nadi_mem_free(s->first_slot);
    nadi_mem_free(s->port);
    nadi_mem_free(s->slot_owner);
    nadi_mem_free(s->items);
    nadi_mem_free(s->freds);
}

/* ---- sets -------------------------------------------------------------------------------------
 */

/* At the top of a tree nothing comes from above: what goes down is the sum of what came up. */
static uint64_t flow_at(const struct nadi_fred_switch *w, uint64_t flow)
{
    if (flow >= UINT64_C(1) << 62 || flow % 2 == 0)
        return flow;
    for (uint32_t p = 0; p < w->ports; p++)
        if (w->in[p] == flow)
            return flow;
    return flow - 1;
}

/* Flows numbered as they come, by port: first inputs, then outputs; returns how many. */
static uint32_t number_flows(const struct nadi_fred_switch *w, uint8_t *sides)
{
    uint64_t flows[MOST_PORTS];
    uint32_t count = 0;
    for (uint32_t k = 0; k < 2 * w->ports; k++) {
        const uint64_t given = k < w->ports ? w->in[k] : w->out[k - w->ports];
        const uint64_t flow = given ? flow_at(w, given) : 0;
        uint32_t i = 0;
        while (flow && i < count && flows[i] != flow)
            i++;
        if (flow && i == count) {
            if (count == MOST_PORTS)
                return MOST_PORTS + 1;
            flows[count++] = flow;
        }
        sides[k] = flow ? (uint8_t)i : UINT8_MAX;
    }
    return count;
}

static bool find_verdict(struct nadi_fred *f, const uint8_t *sides, uint32_t count)
{
    uint32_t *ports = NADI_NEW(uint32_t, 2 * (size_t)f->ports);
    struct nadi_fred_flow *flows = NADI_ZNEW(struct nadi_fred_flow, count);
    uint32_t at = 0;
    for (uint32_t i = 0; i < count; i++) {
        flows[i].in = ports + at;
        for (uint32_t p = 0; p < f->ports; p++)
            if (sides[p] == i) {
                ports[at++] = p;
                flows[i].in_count++;
            }
        flows[i].out = ports + at;
        for (uint32_t p = 0; p < f->ports; p++)
            if (sides[f->ports + p] == i) {
                ports[at++] = p;
                flows[i].out_count++;
            }
    }
    const struct nadi_fred_set set = {flows, count};
    const bool routed = nadi_fred_route(f, &set, NADI_FRED_SET_STEPS, NULL) == NADI_FRED_ROUTED;
    nadi_mem_free(flows);
    nadi_mem_free(ports);
    return routed;
}

static bool routes(struct nadi_fred_switches *s, const struct nadi_fred_switch *w)
{
    struct nadi_fred_verdicts *v = &s->freds[w->fred];
    const size_t bytes = 2 * (size_t)w->ports;
    uint8_t sides[2 * MOST_PORTS];
    const uint32_t count = number_flows(w, sides);
    if (count > MOST_PORTS)
        return false;
    const uint64_t hash = nadi_hash_bytes(sides, bytes);
    const uint32_t at = nadi_map64_find(&v->known, hash);
    if (at != NADI_NONE && memcmp(v->sets.items[at] + 1, sides, bytes) == 0)
        return v->sets.items[at][0];
    const bool routed = find_verdict(&v->f, sides, count);
    if (at == NADI_NONE) {
        uint8_t *kept = NADI_NEW(uint8_t, bytes + 1);
        kept[0] = routed;
        memcpy(kept + 1, sides, bytes);
        (void)nadi_map64_put(&v->known, hash, (uint32_t)v->sets.count, NULL);
        NADI_PUSH(&v->sets, kept);
    }
    return routed;
}

bool nadi_fred_take(struct nadi_fred_switches *s, const struct nadi_fred_use *use)
{
    struct nadi_fred_switch *w = &s->items[use->sw];
    if (use->in != NADI_NONE)
        w->in[use->in] = use->flow;
    if (use->out != NADI_NONE)
        w->out[use->out] = use->flow;
    if (routes(s, w))
        return true;
    nadi_fred_leave(s, use);
    return false;
}

void nadi_fred_leave(struct nadi_fred_switches *s, const struct nadi_fred_use *use)
{
    struct nadi_fred_switch *w = &s->items[use->sw];
    if (use->in != NADI_NONE)
        w->in[use->in] = 0;
    if (use->out != NADI_NONE)
        w->out[use->out] = 0;
}
