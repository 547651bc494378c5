/* tiered: a node's request finds its blocks and its space, moves its bytes, and then tells the
 * workload. What must wait for others, for space or for a block, stands in one list, which is gone
 * through whenever something was given back or can be read. */
#include "executor/tiered_inside.h"

#include "base/str.h"
#include "base/units.h"

/* ---- blocks -------------------------------------------------------------------------------- */

static void list_what_lies(const struct nadi_tiered *t, uint32_t tier, uint32_t npu,
                           struct nadi_str *out)
{
    const struct nadi_stock_level *l =
        nadi_stock_level(t->stock, tier, nadi_tiers_instance(t->tiers, tier, npu));
    char bytes[32];
    bool any = false;
    for (uint32_t r = 0; l && r < NADI_MEM_ROLES; r++) {
        if (l->by_role[r] == 0)
            continue;
        nadi_str_printf(out, "%s%s of %s", any ? ", " : "there lie ",
                        nadi_units_bytes(bytes, (double)l->by_role[r]), nadi_mem_role_words[r]);
        any = true;
    }
    if (!any)
        nadi_str_add(out, "nothing lies there");
}

void nadi_tiered_refuse(struct nadi_tiered *t, const struct errand *e, uint32_t tier,
                        enum nadi_memory_fault fault)
{
    struct nadi_str text = NADI_STR_INIT;
    char bytes[32], capacity[32];
    const struct nadi_mem_tier *of = &t->tiers->tiers[tier];
    const char *block = e->call.block ? e->call.block : "of no name";
    if (fault == NADI_FAULT_FULL) {
        nadi_str_printf(&text, "tier '%s' has no room for %s (block %s): its capacity is %s, and ",
                        of->name, nadi_units_bytes(bytes, (double)e->call.bytes), block,
                        nadi_units_bytes(capacity, (double)of->capacity_bytes));
        list_what_lies(t, tier, e->npu, &text);
    } else {
        nadi_str_printf(&text, "block %s is not in tier '%s', where it is %s", block, of->name,
                        e->call.op == NADI_MEM_FREE ? "given back" : "read");
    }
    t->refusal = (struct nadi_memory_refusal){
        .fault = fault,
        .actor = e->actor,
        .node = e->node,
        .text = nadi_arena_strdup(&t->system->arena, nadi_str_get(&text)),
    };
    nadi_str_release(&text);
    nadi_engine_halt(t->system->engine, "%s", t->refusal.text);
}

/* ---- the life of an errand ----------------------------------------------------------------- */

void nadi_tiered_start(struct nadi_tiered *t, uint32_t index, uint64_t bytes)
{
    const struct errand *e = &t->errands.items[index];
    const struct nadi_traffic_call call = {
        .npu = e->npu, .from = e->from, .to = e->to, .bytes = bytes, .a = index};
    nadi_traffic_request(t->traffic, &call);
}

/* Where its block can be read. */
static enum step find_block(struct nadi_tiered *t, uint32_t index)
{
    struct errand *e = &t->errands.items[index];
    const bool evicts = nadi_tiered_evicts(t, e->call.from);
    if (!e->call.block || e->from == NADI_NONE || (e->from == t->local && !evicts))
        return STEP_ON;
    const struct nadi_stock_key key = nadi_tiered_key(e, e->call.from);
    const uint32_t where = nadi_stock_find(t->stock, &key);
    if (where != NADI_NONE && evicts) {
        e->pinned[0] = nadi_stock_number(t->stock, &key);
        return nadi_tiered_bring(t, index, e->pinned[0]);
    }
    if (where != NADI_NONE) {
        e->from = where;
        return STEP_ON;
    }
    if (t->tiers->absent == NADI_ABSENT_STALL)
        return nadi_tiered_stall(t, e->call.from, e->npu);
    nadi_tiered_refuse(t, e, e->call.from, NADI_FAULT_ABSENT);
    return STEP_REFUSED;
}

/* A block that is written again: of one whose tier evicts, what lies elsewhere is dropped if all of
 * it is replaced, else it comes back first. before: bytes that it has. */
static enum step find_own(struct nadi_tiered *t, uint32_t index, const struct nadi_stock_key *key,
                          uint64_t *before)
{
    const uint64_t bytes = t->errands.items[index].call.bytes;
    const uint32_t number = nadi_stock_number(t->stock, key);
    if (number == NADI_NONE)
        return STEP_ON;
    const struct nadi_stock_block b = nadi_stock_block(t->stock, number);
    if (b.moving || b.wanted)
        return nadi_tiered_stall(t, b.moving ? b.tier : b.home, b.npu);
    *before = nadi_min_u64(b.bytes, bytes);
    if (b.tier == b.home || !nadi_tiered_evicts(t, b.home))
        return STEP_ON;
    if (bytes < b.bytes)
        return nadi_tiered_bring(t, index, number);
    *before = 0;
    const enum nadi_stock_answer gave =
        nadi_stock_give(t->stock, key, b.role, 0, 1, nadi_tiered_now(t));
    NADI_ASSERT(gave == NADI_STOCK_DONE);
    nadi_tiered_changed(t, b.tier, b.npu);
    return STEP_ON;
}

/* Space for what will stay. */
static enum step find_space(struct nadi_tiered *t, uint32_t index)
{
    struct errand *e = &t->errands.items[index];
    const bool stays =
        e->call.op == NADI_MEM_ALLOC || (e->call.op != NADI_MEM_LOADS && e->call.block);
    if (!stays || e->to == NADI_NONE)
        return STEP_ON;
    const uint32_t wanted = e->call.to, copies = nadi_tiered_copies(t, e->actor, wanted);
    const struct nadi_stock_key key = nadi_tiered_key(e, wanted);
    uint64_t before = 0;
    if (t->any_evicts && e->call.block) {
        const enum step step = find_own(t, index, &key, &before);
        if (step != STEP_ON)
            return step;
        e = &t->errands.items[index];
    }
    if (nadi_stock_take(t->stock, &key, e->call.role, e->call.bytes, copies, nadi_tiered_now(t),
                        &e->to) == NADI_STOCK_DONE) {
        if (nadi_tiered_evicts(t, wanted) && e->call.block)
            e->pinned[1] = nadi_stock_number(t->stock, &key);
        return STEP_ON;
    }
    e->to = wanted;
    if (nadi_tiered_evicts(t, wanted) &&
        nadi_stock_could(t->stock, wanted, e->call.bytes, copies)) {
        const struct errand asks = *e;
        return nadi_tiered_make_room(t, &asks, wanted, e->npu, e->call.bytes - before);
    }
    if (t->tiers->tiers[wanted].full == NADI_FULL_STALL &&
        nadi_stock_could(t->stock, wanted, e->call.bytes, copies))
        return nadi_tiered_stall(t, wanted, e->npu);
    nadi_tiered_refuse(t, e, wanted, NADI_FAULT_FULL);
    return STEP_REFUSED;
}

static void retry(struct nadi_tiered *t);

static enum step give_back(struct nadi_tiered *t, struct errand *e)
{
    const struct nadi_stock_key key = nadi_tiered_key(e, e->to);
    if (t->any_evicts && e->call.block) {
        const uint32_t number = nadi_stock_number(t->stock, &key);
        const struct nadi_stock_block b =
            number == NADI_NONE ? (struct nadi_stock_block){0} : nadi_stock_block(t->stock, number);
        if (b.moving || b.pinned)
            return nadi_tiered_stall(t, b.tier, b.npu);
        if (b.wanted)
            return nadi_tiered_stall(t, b.home, b.npu);
    }
    if (nadi_stock_give(t->stock, &key, e->call.role, e->call.bytes,
                        nadi_tiered_copies(t, e->actor, e->to),
                        nadi_tiered_now(t)) == NADI_STOCK_DONE) {
        for (uint32_t i = 0; i < t->tiers->tier_count; i++) /* it may have lain elsewhere */
            nadi_tiered_changed(t, i, e->npu);
        return STEP_ON;
    }
    if (t->tiers->absent == NADI_ABSENT_STALL)
        return nadi_tiered_stall(t, e->to, e->npu);
    nadi_tiered_refuse(t, e, e->to, NADI_FAULT_ABSENT);
    return STEP_REFUSED;
}

static void start_transfer(struct nadi_tiered *t, uint32_t index)
{
    struct errand *e = &t->errands.items[index];
    for (int i = 0; i < 2; i++)
        if (e->pinned[i] != NADI_NONE)
            nadi_stock_pin(t->stock, e->pinned[i]);
    if (e->held != NADI_NONE)
        nadi_stock_unpin(t->stock, e->held);
    e->held = NADI_NONE;
    if (e->call.in_switch)
        nadi_tiered_join(t, index);
    else
        nadi_tiered_start(t, index, e->call.bytes);
}

static void end_transfer(struct nadi_tiered *t, const struct errand *e)
{
    for (int i = 0; i < 2; i++)
        if (e->pinned[i] != NADI_NONE) {
            const struct nadi_stock_block b = nadi_stock_block(t->stock, e->pinned[i]);
            nadi_stock_unpin(t->stock, e->pinned[i]);
            nadi_tiered_changed(t, b.tier, b.npu);
        }
}

static enum step run_errand(struct nadi_tiered *t, uint32_t index)
{
    struct errand *e = &t->errands.items[index];
    enum step step = STEP_ON;
    if (e->kind != ERRAND_NODE)
        return nadi_tiered_move(t, index);
    switch ((enum nadi_mem_op)e->call.op) {
    case NADI_MEM_ALLOC:
        step = find_space(t, index);
        break;
    case NADI_MEM_FREE:
        step = give_back(t, e);
        break;
    case NADI_MEM_MISS: /* there and back, without bytes */
        e->from = e->to;
        e->to = t->local;
        nadi_tiered_start(t, index, 0);
        return STEP_ON;
    case NADI_MEM_LOADS:
    case NADI_MEM_STORES:
    case NADI_MEM_COPIES:
    case NADI_MEM_OPS:
        step = find_block(t, index);
        if (step == STEP_ON)
            step = find_space(t, index);
        if (step == STEP_ON)
            start_transfer(t, index);
        return step;
    }
    if (step == STEP_ON)
        nadi_engine_schedule(t->system->engine, nadi_tiered_now(t), e->actor, t->kind_at_once,
                             index, 0, 0);
    return step;
}

void nadi_tiered_put_aside(struct nadi_tiered *t, uint32_t errand)
{
    t->errands.items[errand].order = t->stalls++;
    NADI_FIFO_PUSH(&t->stalled[t->waits], &t->errands, errand);
    t->stalled_count++;
}

void nadi_tiered_changed(struct nadi_tiered *t, uint32_t tier, uint32_t npu)
{
    const uint32_t instance = nadi_tiered_instance(t, tier, npu);
    if (t->is_changed[instance] || t->stalled_count == 0)
        return;
    t->is_changed[instance] = true;
    NADI_PUSH(&t->changed, instance);
}

/* Those that wait where something changed, in order, until nothing changes. */
static void retry(struct nadi_tiered *t)
{
    if (t->retrying)
        return;
    t->retrying = true;
    for (size_t i = 0; i < t->changed.count; i++) {
        const uint32_t instance = t->changed.items[i];
        struct nadi_fifo list = t->stalled[instance];
        t->is_changed[instance] = false;
        t->stalled[instance] = (struct nadi_fifo){NADI_NONE, NADI_NONE};
        while (list.head != NADI_NONE) {
            uint32_t index;
            NADI_FIFO_POP(&list, &t->errands, index);
            t->stalled_count--;
            if (run_errand(t, index) == STEP_STALL)
                nadi_tiered_put_aside(t, index);
        }
    }
    t->changed.count = 0;
    t->retrying = false;
}

static void record(struct nadi_tiered *t, const struct errand *e,
                   const struct nadi_traffic_done *done)
{
    if (!t->system->setup.record_flows)
        return;
    const nadi_time now = nadi_tiered_now(t);
    const struct nadi_memory_record r = {
        .actor = e->actor,
        .node = e->node,
        .op = e->call.op,
        .role = e->call.role,
        .from = e->from,
        .to = e->to,
        .bytes = e->call.bytes,
        .issued = e->issued,
        .began = done ? done->began : now,
        .ended = now,
        .alone_ns = done ? done->alone_ns : 0,
        .waited_for = done ? done->waited_for : NADI_NONE,
    };
    NADI_PUSH(&t->records, r);
}

static void end_errand(struct nadi_tiered *t, uint32_t index, const struct nadi_traffic_done *done)
{
    const struct errand e = t->errands.items[index];
    record(t, &e, done);
    if (done && e.kind == ERRAND_NODE && e.call.op != NADI_MEM_MISS)
        end_transfer(t, &e);
    if (e.kind != ERRAND_NODE) {
        nadi_stock_arrive(t->stock, e.block, nadi_tiered_now(t));
        nadi_tiered_changed(t, e.from, e.npu);
        nadi_tiered_changed(t, e.to, e.npu);
        if (e.kind == ERRAND_RETURN) {
            t->errands.items[e.reader].held = e.block;
            nadi_stock_pin(t->stock, e.block);
        }
    }
    if (e.kind == ERRAND_NODE && e.call.block && e.call.op != NADI_MEM_LOADS &&
        e.call.op != NADI_MEM_FREE && e.call.op != NADI_MEM_MISS && e.to != NADI_NONE) {
        const struct nadi_stock_key key = nadi_tiered_key(&e, e.call.to);
        nadi_stock_fill(t->stock, &key);
        nadi_tiered_changed(t, e.call.to, e.npu);
        nadi_tiered_changed(t, e.to, e.npu);
    }
    NADI_POOL_GIVE(&t->errands, next, index);
    retry(t);
    if (e.kind == ERRAND_NODE)
        t->system->setup.done(t->system->setup.context, e.actor, e.node);
}

static void on_at_once(void *context, const struct nadi_event *event)
{
    end_errand(context, event->a, NULL);
}

static void on_traffic_done(void *context, const struct nadi_traffic_done *done)
{
    end_errand(context, done->call.a, done);
}

void nadi_tiered_request(struct nadi_tiered *t, uint32_t actor, uint32_t node,
                         const struct nadi_memory_call *call)
{
    const struct nadi_fold *fold = t->system->setup.fold;
    uint32_t index;
    NADI_POOL_TAKE(&t->errands, next, index);
    t->errands.items[index] = (struct errand){
        .actor = actor,
        .npu = fold ? fold->rank_of[actor] : actor,
        .node = node,
        .from = call->from,
        .to = call->to,
        .issued = nadi_tiered_now(t),
        .pinned = {NADI_NONE, NADI_NONE},
        .held = NADI_NONE,
        .call = *call,
    };
    const enum step step = run_errand(t, index);
    if (step == STEP_STALL)
        nadi_tiered_put_aside(t, index);
}

/* ---- through the network ------------------------------------------------------------------- */

static void go_remote(void *context, uint32_t request, const struct nadi_traffic_call *call,
                      uint64_t bytes)
{
    struct nadi_tiered *t = context;
    const bool loads = call->from != NADI_NONE && t->tiers->tiers[call->from].remote;
    const uint32_t there = nadi_tiers_group_npu(t->tiers, loads ? call->from : call->to, call->npu,
                                                t->turn[call->npu]++);
    if (there == call->npu) { /* it stands at this NPU */
        nadi_traffic_arrived(t->traffic, request);
        return;
    }
    struct nadi_message m = {
        .copies = 1,
        .src = loads ? there : call->npu,
        .dst = loads ? call->npu : there,
        .bytes = bytes,
        .kind = t->kind_remote,
        .a = request,
    };
    m.route = nadi_network_route(t->system->network, m.src, m.dst);
    nadi_network_send(t->system->network, &m);
}

static void on_remote(void *context, const struct nadi_event *event)
{
    struct nadi_tiered *t = context;
    nadi_traffic_arrived(t->traffic, event->a);
}

/* ---- making -------------------------------------------------------------------------------- */

struct nadi_tiered *nadi_tiered_create(struct nadi_system *s)
{
    struct nadi_tiered *t = NADI_ZNEW(struct nadi_tiered, 1);
    t->system = s;
    t->tiers = s->setup.memory->tiers;
    t->local = nadi_tiers_local(t->tiers);
    for (uint32_t i = 0; i < t->tiers->tier_count; i++)
        t->any_evicts |= nadi_tiered_evicts(t, i);
    t->errands.free = NADI_NONE;
    t->instance_first = NADI_NEW(uint32_t, t->tiers->tier_count);
    for (uint32_t i = 0; i < t->tiers->tier_count; i++) {
        t->instance_first[i] = t->instance_count;
        t->instance_count += nadi_tiers_instances(t->tiers, t->tiers->tiers[i].scope);
    }
    t->stalled = NADI_NEW(struct nadi_fifo, t->instance_count);
    for (uint32_t i = 0; i < t->instance_count; i++)
        t->stalled[i] = (struct nadi_fifo){NADI_NONE, NADI_NONE};
    t->is_changed = NADI_ZNEW(bool, t->instance_count);
    t->turn = NADI_ZNEW(uint32_t, t->tiers->npu_count);
    t->joints = nadi_tiered_joints_create();
    const struct nadi_traffic_setup traffic = {
        .tiers = t->tiers,
        .engine = s->engine,
        .done = on_traffic_done,
        .remote = go_remote,
        .context = t,
        .users = s->setup.users ? s->setup.users->of_server : NULL,
        .actor = s->setup.fold ? s->setup.fold->actor_of : NULL,
    };
    t->traffic = nadi_traffic_create(&traffic);
    t->stock = nadi_stock_create(t->tiers, s->setup.record_flows);
    t->kind_at_once = nadi_engine_add_kind(s->engine, on_at_once, t);
    t->kind_remote = nadi_engine_add_kind(s->engine, on_remote, t);
    nadi_tiered_fill(t);
    return t;
}

void nadi_tiered_destroy(struct nadi_tiered *t)
{
    if (!t)
        return;
    nadi_traffic_destroy(t->traffic);
    nadi_stock_destroy(t->stock);
    nadi_tiered_joints_destroy(t->joints);
    nadi_mem_free(t->errands.items);
    nadi_mem_free(t->records.items);
    nadi_mem_free(t->turn);
    nadi_mem_free(t->instance_first);
    nadi_mem_free(t->stalled);
    nadi_mem_free(t->is_changed);
    nadi_mem_free(t->changed.items);
    nadi_mem_free(t);
}
