/* repeat: where no line is on its way, what is to come depends on little, and what repeats is
 * fast-forwarded (rest, count and repeat of ops.h). */
#include "base/mem.h"
#include "network/loadstore/state.h"

/* What is still to pass until it is free, and the rest of a ps; nothing, once it stood still. */
static void push_free(struct nadi_network_counts *state, nadi_time now, uint64_t what, nadi_time at,
                      double fraction)
{
    if (at < now || (at == now && !(fraction > 0)))
        return;
    uint64_t bits;
    memcpy(&bits, &fraction, sizeof(bits));
    NADI_PUSH(state, what);
    NADI_PUSH(state, (uint64_t)(at - now));
    NADI_PUSH(state, bits);
}

bool nadi_loadstore_rest(struct nadi_network *net, struct nadi_network_counts *state)
{
    const struct loadstore *w = (const struct loadstore *)net;
    const nadi_time now = nadi_engine_now(w->base.engine);
    if (w->stranded.count)
        return false;
    for (uint32_t i = 0; i < w->fabric.count; i++) {
        const struct link_state *l = &w->links[i];
        NADI_PUSH(state, l->served);
        push_free(state, now, i, l->free_at, l->fraction);
    }
    for (uint32_t d = 0; d < w->fabric.npu_count; d++)
        NADI_PUSH(state, w->devices[d].turn);
    for (uint32_t u = 0; u < w->own_units + w->fabric.count; u++)
        push_free(state, now, u, w->units[u].free_at, w->units[u].fraction);
    return true;
}

/* ---- counters ------------------------------------------------------------------------------- */

typedef void visit_count(uint64_t *value, void *context);

/* Those that fabric_repeat.c does not know. */
static void each_count(struct loadstore *w, visit_count *visit, void *context)
{
    for (uint32_t i = 0; i < w->fabric.count; i++)
        visit(&w->tallies[i].wire_bytes, context);
    for (uint32_t d = 0; d < w->fabric.npu_count; d++) {
        struct nadi_loadstore_figures *f = &w->devices[d].figures;
        visit(&f->lines, context);
        visit(&f->data_bytes, context);
        visit(&f->wire_bytes, context);
        visit(&f->flags, context);
        for (size_t p = 0; p < sizeof(f->by_protocol) / sizeof(f->by_protocol[0]); p++)
            visit(&f->by_protocol[p], context);
    }
}

static void note(uint64_t *value, void *context)
{
    struct nadi_network_counts *counts = context;
    NADI_PUSH(counts, *value);
}

void nadi_loadstore_count(struct nadi_network *net, struct nadi_network_counts *counts)
{
    struct loadstore *w = (struct loadstore *)net;
    for (uint32_t d = 0; d < w->fabric.npu_count; d++)
        NADI_PUSH(counts, (uint64_t)w->devices[d].figures.stalled);
    each_count(w, note, counts);
    nadi_fabric_count(&w->fabric, w->tallies, &w->base.sent, counts);
}

struct repetition {
    const uint64_t *then;
    uint64_t times;
};

static void add(uint64_t *value, void *context)
{
    struct repetition *r = context;
    *value = nadi_count_repeat(*value, *r->then++, r->times);
}

void nadi_loadstore_repeat(struct nadi_network *net, const uint64_t *then, uint64_t times)
{
    struct loadstore *w = (struct loadstore *)net;
    for (uint32_t d = 0; d < w->fabric.npu_count; d++) {
        nadi_time *stalled = &w->devices[d].figures.stalled;
        *stalled = nadi_time_repeat(*stalled, *then++, times);
    }
    struct repetition r = {then, times};
    each_count(w, add, &r);
    nadi_fabric_repeat(&w->fabric, w->tallies, &w->base.sent, r.then, times);
}
