/* tiered_fill: what lies in the tiers from the start, and what results ask of tiers. */
#include "executor/tiered_inside.h"

#include "base/str.h"

/* ---- from the start ------------------------------------------------------------------------ */

/* Keys of blocks: by rank; shared ones by instance too. */
static uint32_t put_key(struct nadi_strmap *map, const struct nadi_tiers *tiers, uint32_t npu,
                        uint32_t tier, const struct nadi_memory_call *call, bool only_look)
{
    struct nadi_str key = NADI_STR_INIT;
    const uint32_t owner = call->shared ? nadi_tiers_instance(tiers, tier, npu) : npu;
    nadi_str_printf(&key, "%u/%u%c%s", tier, owner, call->shared ? '*' : '/', call->block);
    const uint32_t found = nadi_strmap_find(map, nadi_str_get(&key), key.length);
    if (!only_look && found == NADI_NONE)
        nadi_strmap_put(map, nadi_str_get(&key), key.length, 1, NULL);
    nadi_str_release(&key);
    return found;
}

struct reading {
    const struct nadi_trace *trace;
    const struct nadi_trace_mem *mem;
    uint32_t actor, npu;
};

static struct nadi_memory_call call_of(const struct reading *r)
{
    return nadi_memory_call_of(r->trace, r->mem, r->trace->bytes[r->mem->node]);
}

static void lay_down(struct nadi_tiered *t, const struct reading *r, struct nadi_strmap *made)
{
    const struct nadi_memory_call call = call_of(r);
    const struct nadi_stock_key key = {r->npu, call.from, call.block, call.shared};
    if (put_key(made, t->tiers, r->npu, call.from, &call, true) != NADI_NONE ||
        nadi_stock_find(t->stock, &key) != NADI_NONE || t->refusal.fault)
        return;
    struct errand e = {.actor = r->actor, .npu = r->npu, .node = r->mem->node, .call = call};
    uint32_t where;
    if (nadi_stock_take(t->stock, &key, call.role, call.bytes,
                        nadi_tiered_copies(t, r->actor, call.from), 0, &where) == NADI_STOCK_DONE)
        nadi_stock_fill(t->stock, &key);
    else
        nadi_tiered_refuse(t, &e, call.from, NADI_FAULT_FULL);
}

/* The first node of a rank that touches a block says whether it must be made: a block that every
 * rank reads first lies there from the start. */
static void read_rank(struct nadi_tiered *t, struct reading *r, struct nadi_strmap *made, bool lay)
{
    struct nadi_strmap touched;
    nadi_strmap_init(&touched);
    for (uint32_t k = 0; k < r->trace->mem_count; k++) {
        r->mem = &r->trace->mems[k];
        const struct nadi_memory_call call = call_of(r);
        const bool copies = call.op == NADI_MEM_COPIES, reads = copies || call.op == NADI_MEM_LOADS;
        const bool makes = copies || call.op == NADI_MEM_STORES || call.op == NADI_MEM_ALLOC;
        if (!call.block)
            continue;
        if (lay && reads && call.from != NADI_NONE &&
            (call.from != t->local || nadi_tiered_evicts(t, call.from)))
            lay_down(t, r, made);
        if (!lay && reads && call.from != NADI_NONE)
            put_key(&touched, t->tiers, r->npu, call.from, &call, false);
        if (!lay && makes && call.to != NADI_NONE &&
            put_key(&touched, t->tiers, r->npu, call.to, &call, false) == NADI_NONE)
            put_key(made, t->tiers, r->npu, call.to, &call, false);
    }
    nadi_strmap_release(&touched);
}

void nadi_tiered_fill(struct nadi_tiered *t)
{
    const struct nadi_system *s = t->system;
    struct nadi_strmap made;
    nadi_strmap_init(&made);
    nadi_stock_set_laying(t->stock, true);
    for (uint32_t i = 0; i < 2 * s->actor_count; i++) {
        const uint32_t actor = i % s->actor_count;
        struct reading r = {.actor = actor,
                            .npu = s->setup.fold ? s->setup.fold->rank_of[actor] : actor};
        r.trace = s->setup.traces[r.npu];
        read_rank(t, &r, &made, i >= s->actor_count);
    }
    nadi_stock_set_laying(t->stock, false);
    nadi_strmap_release(&made);
}

/* ---- for results --------------------------------------------------------------------------- */

const struct nadi_mem_traffic *nadi_system_traffic(const struct nadi_system *s)
{
    return s->tiered ? s->tiered->traffic : NULL;
}

const struct nadi_stock *nadi_system_stock(const struct nadi_system *s)
{
    return s->tiered ? s->tiered->stock : NULL;
}

const struct nadi_memory_record *nadi_system_memory_records(const struct nadi_system *s,
                                                            size_t *count)
{
    *count = s->tiered ? s->tiered->records.count : 0;
    return s->tiered ? s->tiered->records.items : NULL;
}

const struct nadi_memory_refusal *nadi_system_refusal(const struct nadi_system *s)
{
    return s->tiered && s->tiered->refusal.fault ? &s->tiered->refusal : NULL;
}

const struct nadi_tier_users *nadi_system_tier_users(const struct nadi_system *s)
{
    return s->setup.users;
}

bool nadi_system_stalled(const struct nadi_system *s, struct nadi_memory_stall *stall)
{
    const struct nadi_tiered *t = s->tiered;
    if (t && t->stalled_count == 0)
        return nadi_tiered_find_incomplete(t, stall);
    if (!t)
        return false;
    const struct errand *e = NULL;
    for (uint32_t i = 0; i < t->instance_count; i++) {
        const uint32_t head = t->stalled[i].head;
        if (head != NADI_NONE && (!e || t->errands.items[head].order < e->order))
            e = &t->errands.items[head];
    }
    NADI_ASSERT(e != NULL);
    const bool reads =
        e->kind == ERRAND_NODE && e->call.op != NADI_MEM_ALLOC && e->call.op != NADI_MEM_STORES;
    *stall = (struct nadi_memory_stall){
        .actor = e->actor,
        .node = e->node,
        .tier = t->tiers->tiers[reads && e->call.from != NADI_NONE ? e->from : e->to].name,
        .bytes = e->call.bytes,
        .block = e->call.block,
        .reads = reads,
    };
    stall->count = t->stalled_count;
    return true;
}

struct nadi_memory_call nadi_memory_call_of(const struct nadi_trace *trace,
                                            const struct nadi_trace_mem *mem, uint64_t bytes)
{
    return (struct nadi_memory_call){
        .bytes = bytes,
        .block = mem->reuse   ? nadi_trace_string(trace, mem->reuse)
                 : mem->block ? nadi_trace_string(trace, mem->block)
                              : NULL,
        .from = mem->from == NADI_MEM_NPU ? NADI_NONE : mem->from,
        .to = mem->to == NADI_MEM_NPU ? NADI_NONE : mem->to,
        .op = mem->op,
        .role = mem->role,
        .shared = mem->reuse != 0,
    };
}
