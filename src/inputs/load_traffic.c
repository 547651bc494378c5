#include "inputs/load_traffic.h"

#include "base/map.h"
#include "base/mem.h"
#include "base/time.h"
#include "inputs/load.h"

#include <math.h>

_Static_assert(NADI_NATIVE_KINDS <= 32, "a kind of collective fits the bits of a word");

static void add_send(const struct nadi_inputs *in, const struct nadi_trace *t, uint32_t node,
                     struct nadi_map64 *index, struct nadi_trace_traffic *found)
{
    const struct nadi_trace_comm *comm = nadi_trace_comm(t, node);
    bool added;
    if (!comm || !(t->flags[node] & NADI_NODE_HAS_DST))
        return;
    const uint32_t at = *nadi_map64_put(index, comm->dst, (uint32_t)found->sends.count, &added);
    if (added) {
        const struct nadi_sends_to one = {.dst = comm->dst};
        NADI_PUSH(&found->sends, one);
    }
    struct nadi_sends_to *to = &found->sends.items[at];
    to->bytes = nadi_count_add(to->bytes, nadi_scaled_bytes(in, t->bytes[node]));
    to->messages++;
}

static void add_collective(const struct nadi_inputs *in, const struct nadi_trace *t, uint32_t node,
                           struct nadi_map64 *index, struct nadi_trace_traffic *found)
{
    const struct nadi_trace_comm *comm = nadi_trace_comm(t, node);
    const uint32_t name = comm && comm->group != NADI_NONE ? comm->group : 0;
    const enum nadi_collective_kind kind = (enum nadi_collective_kind)t->collective[node];
    enum nadi_native_kind native;
    bool added;
    const uint32_t at = *nadi_map64_put(index, name, (uint32_t)found->groups.count, &added);
    if (added) {
        const struct nadi_collectives_on one = {
            .meaning = nadi_groups_meaning(&in->groups, nadi_trace_string(t, name))};
        NADI_PUSH(&found->groups, one);
    }
    struct nadi_collectives_on *on = &found->groups.items[at];
    if (nadi_native_in(in->system.native, kind, &native))
        on->kinds |= UINT32_C(1) << native;
    on->bytes +=
        (double)nadi_scaled_bytes(in, t->bytes[node]) * fabs(nadi_collective_of(kind)->bus);
}

double nadi_load_computing_ns(const struct nadi_inputs *in, const struct nadi_trace *t)
{
    double device = 0, processor = 0;
    for (uint32_t n = 0; n < t->node_count; n++)
        if (t->type[n] == NADI_NODE_COMP && !nadi_trace_pauses(t, n)) {
            const double ns = (double)nadi_inputs_compute_ns(in, t, n);
            device += t->flags[n] & NADI_NODE_IS_CPU ? 0 : ns;
            processor += t->flags[n] & NADI_NODE_IS_CPU ? ns : 0;
        }
    return fmax(device, processor);
}

static void look_at_trace(const struct nadi_inputs *in, const struct nadi_trace *t,
                          struct nadi_trace_traffic *found)
{
    struct nadi_map64 peers, names;
    nadi_map64_init(&peers, 8);
    nadi_map64_init(&names, 8);
    for (uint32_t n = 0; n < t->node_count; n++) {
        if (t->type[n] == NADI_NODE_SEND)
            add_send(in, t, n, &peers, found);
        else if (t->type[n] == NADI_NODE_COLL && t->collective[n] < NADI_COLLECTIVE_KINDS)
            add_collective(in, t, n, &names, found);
    }
    found->computing_ns = nadi_load_computing_ns(in, t);
    nadi_map64_release(&peers);
    nadi_map64_release(&names);
}

void nadi_load_traffic_open(struct nadi_load_traffic *x, const struct nadi_inputs *in)
{
    *x = (struct nadi_load_traffic){
        .in = in,
        .of = NADI_ZNEW(struct nadi_trace_traffic, in->owned_count),
        .trace = NADI_NEW(uint32_t, in->rank_count),
    };
    nadi_trace_numbers(in, x->trace);
    for (uint32_t i = 0; i < in->owned_count; i++)
        look_at_trace(in, in->owned[i], &x->of[i]);
}

void nadi_load_traffic_close(struct nadi_load_traffic *x)
{
    for (uint32_t i = 0; i < x->in->owned_count; i++) {
        nadi_mem_free(x->of[i].sends.items);
        nadi_mem_free(x->of[i].groups.items);
    }
    nadi_mem_free(x->of);
    nadi_mem_free(x->trace);
}
