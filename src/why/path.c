#include "why/path.h"

#include "base/mem.h"
#include "base/search.h"
#include "platform/topology.h"
#include "why/inside.h"
#include "why/trail.h"

#include <math.h>

struct walk {
    const struct nadi_times *t;
    struct nadi_lower_bounds *bounds;
    struct nadi_route_latencies *latencies;
    struct nadi_trails *trails; /* NULL: messages are not known one by one */
    struct nadi_trail trail;
    double packets_ns;
    struct { /* backwards */
        struct nadi_path_step *items;
        size_t count, capacity;
    } steps;
    uint8_t *visited; /* a bit by node index: of a walk through an instant there is an end */
    uint64_t at_ns;   /* what is later has been told */
    uint32_t rank, node;
    /* of memory requests that all NPUs make together, by how and when they ended: who asked last */
    struct nadi_map64 joint_index; /* keys NULL: not made yet */
    struct {
        struct nadi_ranked *items;
        size_t count, capacity;
    } joints;
};

static const char *group_of(const struct nadi_trace *t, uint32_t node)
{
    const struct nadi_trace_comm *comm = nadi_trace_comm(t, node);
    if (!comm || (t->type[node] != NADI_NODE_COLL && comm->group == NADI_NONE))
        return NULL;
    return comm->group == NADI_NONE ? "" : nadi_trace_string(t, comm->group);
}

enum nadi_cause nadi_path_cause(const struct nadi_times *t, uint32_t rank, uint32_t node)
{
    const struct nadi_trace *trace = t->in->traces[rank];
    const char *group = group_of(trace, node);
    switch ((enum nadi_node_type)trace->type[node]) {
    case NADI_NODE_COMP:
        if (nadi_trace_pauses(trace, node))
            return NADI_CAUSE_IDLE;
        return trace->flags[node] & NADI_NODE_IS_CPU ? NADI_CAUSE_PROCESSOR : NADI_CAUSE_COMPUTE;
    case NADI_NODE_MEM_LOAD:
    case NADI_NODE_MEM_STORE:
        return NADI_CAUSE_MEMORY;
    case NADI_NODE_SEND:
    case NADI_NODE_RECV:
    case NADI_NODE_COLL:
        return nadi_cause_of_group(group, trace, node);
    case NADI_NODE_INVALID:
    case NADI_NODE_METADATA:
    case NADI_NODE_TYPES:
        break;
    }
    return NADI_CAUSE_PROCESSOR;
}

static const struct nadi_node_time *time_of(const struct walk *w, uint32_t rank, uint32_t node)
{
    return &w->t->nodes[nadi_times_index(w->t, rank, node)];
}

/* ---- steps --------------------------------------------------------------------------------- */

static struct nadi_path_step step_of(const struct walk *w, enum nadi_cause cause,
                                     enum nadi_binding binding)
{
    return (struct nadi_path_step){
        .rank = w->rank,
        .node = w->node,
        .cause = cause,
        .binding = binding,
        .group = group_of(w->t->in->traces[w->rank], w->node),
        .dim = NADI_NONE,
        .link = NADI_NONE,
    };
}

/* Tells the time from `from_ns` on; nothing where that is nothing. */
static void tell(struct walk *w, struct nadi_path_step step, uint64_t from_ns)
{
    if (from_ns >= w->at_ns)
        return;
    step.start_ns = from_ns;
    step.end_ns = w->at_ns;
    step.fixed_ns = nadi_min_u64(step.fixed_ns, step.end_ns - step.start_ns);
    step.latency_ns = nadi_min_u64(step.latency_ns, step.fixed_ns);
    NADI_PUSH(&w->steps, step);
    w->at_ns = from_ns;
}

/* The link of a dimension for which messages waited longest; of one message's route first those
 * that leave `from` or lead to `to`. */
static uint32_t crowded_link(const struct walk *w, uint32_t dim, uint32_t from, uint32_t to)
{
    const struct nadi_result *r = w->t->r;
    uint32_t best = NADI_NONE;
    bool best_near = false;
    for (size_t i = 0; i < r->link_count; i++) {
        const struct nadi_link_result *l = &r->links[i];
        if (l->dim != dim)
            continue;
        bool near = l->wait_ns > 0 && (l->from == from || l->to == to);
        if (best == NADI_NONE || (near && !best_near) ||
            (near == best_near && l->wait_ns > r->links[best].wait_ns)) {
            best = (uint32_t)i;
            best_near = near;
        }
    }
    return best;
}

/* The parts of an operation, the last first; of a message to `to`, or of a collective. */
static void tell_parts(struct walk *w, const struct nadi_inside_part *parts, uint32_t count,
                       uint64_t from_ns, enum nadi_binding binding, uint32_t to)
{
    enum nadi_cause cause = nadi_path_cause(w->t, w->rank, w->node);
    for (uint32_t i = count; i-- > 0;) {
        struct nadi_path_step s = step_of(w, parts[i].queue ? NADI_CAUSE_LINK_QUEUE : cause,
                                          i == 0 ? binding : NADI_BOUND_INSIDE);
        s.dim = parts[i].dim;
        s.algorithm = parts[i].algorithm;
        s.fixed_ns = parts[i].fixed_ns;
        s.latency_ns = parts[i].latency_ns;
        if (parts[i].queue)
            s.link = crowded_link(w, parts[i].dim, to == NADI_NONE ? NADI_NONE : w->rank, to);
        tell(w, s, i == 0 ? from_ns : w->at_ns - parts[i].ns);
    }
}

/* The parts of the trail, the last first; the walk then stands at the trail's begin. */
static void tell_trail(struct walk *w, enum nadi_binding binding)
{
    const struct nadi_trail *trail = &w->trail;
    enum nadi_cause cause = nadi_path_cause(w->t, w->rank, w->node);
    struct nadi_plan plan;
    bool planned = w->t->in->traces[w->rank]->type[w->node] == NADI_NODE_COLL &&
                   nadi_inside_plan(w->t->in, w->rank, w->node, &plan);
    w->packets_ns += trail->packets_ns;
    for (size_t i = trail->parts.count; i-- > 0;) {
        const struct nadi_trail_part *p = &trail->parts.items[i];
        bool waits = p->link != NADI_NONE || p->behind;
        struct nadi_path_step s = step_of(w,
                                          p->behind ? NADI_CAUSE_PAIR_QUEUE
                                          : waits   ? NADI_CAUSE_LINK_QUEUE
                                                    : cause,
                                          i == 0 ? binding : NADI_BOUND_INSIDE);
        s.dim = p->dim;
        s.link = p->link;
        s.fixed_ns = p->fixed_ns;
        s.latency_ns = p->latency_ns;
        s.held_ns = p->held_ns;
        s.algorithm = planned && !waits ? nadi_inside_algorithm(&plan, p->dim) : NULL;
        tell(w, s, w->at_ns - p->ns);
    }
}

/* ---- back over one node -------------------------------------------------------------------- */

static void over_collective(struct walk *w)
{
    if (w->trails && nadi_trail_collective(w->trails, w->rank, w->node, w->at_ns, &w->trail)) {
        bool other = w->trail.rank != w->rank;
        tell_trail(w, other ? NADI_BOUND_MEMBER : NADI_BOUND_SLOT);
        w->rank = w->trail.rank;
        w->node = w->trail.node;
        return;
    }
    struct nadi_inside_part parts[NADI_INSIDE_PARTS];
    uint64_t at = nadi_times_index(w->t, w->rank, w->node);
    uint32_t member = nadi_times_last(w->t, at);
    uint64_t last = member == NADI_NONE ? w->t->nodes[at].start_ns : w->t->members[member].start_ns;
    uint32_t count =
        nadi_inside_collective(w->t->in, w->bounds, w->rank, w->node, w->at_ns - last, parts);
    tell_parts(w, parts, count, last, member == NADI_NONE ? NADI_BOUND_SLOT : NADI_BOUND_MEMBER,
               NADI_NONE);
    if (member != NADI_NONE) {
        w->rank = w->t->members[member].rank;
        w->node = w->t->members[member].node;
    }
}

/* Over a message, to its send, or, where it asked first, to its receive if that came later. */
static void over_message(struct walk *w, const struct nadi_flow *f)
{
    struct nadi_inside_part parts[NADI_INSIDE_PARTS];
    uint64_t posted = time_of(w, f->dst, f->recv_node)->start_ns, sent = f->send_ns;
    bool receiver = w->t->in->system.rendezvous && posted > sent;
    uint64_t from = receiver ? posted : sent;
    w->rank = f->src;
    w->node = f->send_node;
    if (w->trails && nadi_trail_message(w->trails, f, from, w->at_ns, &w->trail))
        tell_trail(w, NADI_BOUND_MESSAGE);
    else {
        uint32_t count = nadi_inside_message(w->t->in, w->bounds, f->src, f->send_node,
                                             w->at_ns > from ? w->at_ns - from : 0, parts);
        tell_parts(w, parts, count, from, NADI_BOUND_MESSAGE, f->dst);
    }
    if (receiver) {
        w->rank = f->dst;
        w->node = f->recv_node;
    }
}

static uint64_t joint_key(const struct walk *w, uint32_t rank, uint32_t node)
{
    const struct nadi_trace *trace = w->t->in->traces[rank];
    const uint64_t words[] = {time_of(w, rank, node)->end_ns, trace->bytes[node], trace->type[node],
                              trace->collective[node]};
    return nadi_hash_words(words, sizeof(words) / sizeof(words[0]));
}

static void list_joints(struct walk *w)
{
    nadi_map64_init(&w->joint_index, 0);
    for (uint32_t rank = 0; rank < w->t->in->rank_count; rank++) {
        const struct nadi_trace *trace = w->t->in->traces[rank];
        for (uint32_t n = 0; n < trace->node_count; n++) {
            if (!nadi_trace_in_switch(trace, n) || time_of(w, rank, n)->end_ns == UINT64_MAX)
                continue;
            bool added;
            const uint32_t at = *nadi_map64_put(&w->joint_index, joint_key(w, rank, n),
                                                (uint32_t)w->joints.count, &added);
            const struct nadi_ranked one = {rank, n};
            if (added)
                NADI_PUSH(&w->joints, one);
            else if (time_of(w, w->joints.items[at].rank, w->joints.items[at].node)->start_ns <
                     time_of(w, rank, n)->start_ns)
                w->joints.items[at] = one;
        }
    }
}

/* A transfer of all NPUs begins when the last one asks for it: the walk goes on there. */
static bool over_joint(struct walk *w, uint64_t start_ns)
{
    if (!w->joint_index.keys)
        list_joints(w);
    const struct nadi_ranked last =
        w->joints.items[nadi_map64_find(&w->joint_index, joint_key(w, w->rank, w->node))];
    const uint64_t asked_ns = time_of(w, last.rank, last.node)->start_ns;
    if (asked_ns <= start_ns)
        return false;
    uint64_t latency;
    const uint64_t service =
        nadi_inputs_memory_ns(w->t->in, w->t->in->traces[w->rank], w->node, &latency);
    if (w->at_ns - asked_ns > service) {
        tell(w, step_of(w, NADI_CAUSE_MEMORY, NADI_BOUND_INSIDE), w->at_ns - service);
        tell(w, step_of(w, NADI_CAUSE_MEMORY_QUEUE, NADI_BOUND_MEMBER), asked_ns);
    } else
        tell(w, step_of(w, NADI_CAUSE_MEMORY, NADI_BOUND_MEMBER), asked_ns);
    w->rank = last.rank;
    w->node = last.node;
    return true;
}

static void over_memory(struct walk *w, uint64_t start_ns)
{
    const struct nadi_trace *trace = w->t->in->traces[w->rank];
    if (w->t->in->tiers && nadi_trace_in_switch(trace, w->node) && over_joint(w, start_ns))
        return;
    uint64_t latency, service = nadi_inputs_memory_ns(w->t->in, trace, w->node, &latency);
    if (w->at_ns > start_ns && w->at_ns - start_ns > service) {
        tell(w, step_of(w, NADI_CAUSE_MEMORY, NADI_BOUND_INSIDE), w->at_ns - service);
        tell(w, step_of(w, NADI_CAUSE_MEMORY_QUEUE, NADI_BOUND_SLOT), start_ns);
    } else
        tell(w, step_of(w, NADI_CAUSE_MEMORY, NADI_BOUND_SLOT), start_ns);
}

/* Tells the node's time; the walk then stands at the node whose start it was due to. */
static void over_node(struct walk *w)
{
    const struct nadi_times *t = w->t;
    const struct nadi_trace *trace = t->in->traces[w->rank];
    uint64_t at = nadi_times_index(t, w->rank, w->node), start = t->nodes[at].start_ns;
    bool replayed = t->in->system.replay_only;
    uint8_t type = trace->type[w->node];
    if (t->op[at] != NADI_NONE)
        over_collective(w);
    else if (!replayed && t->flow[at] != NADI_NONE &&
             t->r->flows[t->flow[at]].arrive_ns == t->nodes[at].end_ns &&
             (type == NADI_NODE_SEND || t->nodes[at].end_ns > start))
        over_message(w, &t->r->flows[t->flow[at]]);
    else if (!replayed && (type == NADI_NODE_MEM_LOAD || type == NADI_NODE_MEM_STORE))
        over_memory(w, start);
    else
        tell(w, step_of(w, nadi_path_cause(t, w->rank, w->node), NADI_BOUND_SLOT), start);
}

/* ---- back to what the start waited for ----------------------------------------------------- */

static bool visit(struct walk *w, uint32_t node)
{
    uint64_t at = nadi_times_index(w->t, w->rank, node);
    bool seen = w->visited[at / 8] >> (at % 8) & 1;
    w->visited[at / 8] |= (uint8_t)(1U << (at % 8));
    return !seen;
}

static bool was_visited(const struct walk *w, uint32_t node)
{
    uint64_t at = nadi_times_index(w->t, w->rank, node);
    return w->visited[at / 8] >> (at % 8) & 1;
}

/* The dependency that ended at `at_ns`, of several the one that took longest. */
static uint32_t late_dependency(const struct walk *w, uint64_t at_ns)
{
    const struct nadi_trace *trace = w->t->in->traces[w->rank];
    uint32_t best = NADI_NONE;
    uint64_t longest = 0;
    for (uint32_t i = trace->dep_start[w->node]; i < trace->dep_start[w->node + 1]; i++) {
        const struct nadi_node_time *n = time_of(w, w->rank, trace->deps[i]);
        if (n->end_ns != at_ns || was_visited(w, trace->deps[i]))
            continue;
        if (best == NADI_NONE || n->end_ns - n->start_ns > longest) {
            best = trace->deps[i];
            longest = n->end_ns - n->start_ns;
        }
    }
    return best;
}

/* How many of the rank's nodes ended by then: they come first in its order. */
static uint32_t ended_by(const struct walk *w, uint64_t at_ns)
{
    const uint32_t *order = w->t->order + w->t->first[w->rank];
    NADI_BISECT(uint32_t, ended, 0, nadi_times_done(w->t, w->rank), i,
                time_of(w, w->rank, order[i])->end_ns <= at_ns);
    return ended;
}

/* A node of the slot that ended at `at_ns`, or, where there is none, of any slot. */
static uint32_t late_neighbour(const struct walk *w, uint64_t at_ns, bool *same_slot)
{
    const uint32_t *order = w->t->order + w->t->first[w->rank];
    enum nadi_slot slot = nadi_times_slot(w->t, w->rank, w->node);
    uint32_t any = NADI_NONE;
    *same_slot = false;
    for (uint32_t i = ended_by(w, at_ns); i-- > 0;) {
        if (time_of(w, w->rank, order[i])->end_ns != at_ns)
            break;
        if (was_visited(w, order[i]))
            continue;
        if (slot != NADI_SLOT_NONE && nadi_times_slot(w->t, w->rank, order[i]) == slot) {
            *same_slot = true;
            return order[i];
        }
        any = any == NADI_NONE ? order[i] : any;
    }
    return any;
}

/* Says of the step just told what it began with; only while its start is where the walk is. */
static void bind(struct walk *w, enum nadi_binding binding)
{
    if (w->steps.count && w->steps.items[w->steps.count - 1].start_ns == w->at_ns &&
        w->steps.items[w->steps.count - 1].binding == NADI_BOUND_SLOT)
        w->steps.items[w->steps.count - 1].binding = binding;
}

/* A hole, which no rule of the simulation explains: idle back to the last end before it. */
static uint32_t over_hole(struct walk *w)
{
    const uint32_t *order = w->t->order + w->t->first[w->rank];
    uint32_t count = w->at_ns ? ended_by(w, w->at_ns - 1) : 0;
    struct nadi_path_step s = step_of(w, NADI_CAUSE_IDLE, NADI_BOUND_BEGIN);
    s.node = NADI_NONE;
    while (count > 0 && was_visited(w, order[count - 1]))
        count--;
    tell(w, s, count ? time_of(w, w->rank, order[count - 1])->end_ns : 0);
    return count ? order[count - 1] : NADI_NONE;
}

/* False: the walk has come to the begin. */
static bool to_cause(struct walk *w)
{
    bool same_slot;
    uint32_t next = late_dependency(w, w->at_ns);
    enum nadi_binding binding = NADI_BOUND_DEPENDENCY;
    if (next == NADI_NONE) {
        next = late_neighbour(w, w->at_ns, &same_slot);
        binding = same_slot ? NADI_BOUND_SLOT : NADI_BOUND_PASS;
    }
    if (next == NADI_NONE && w->at_ns == 0)
        binding = NADI_BOUND_BEGIN;
    bind(w, binding);
    if (next == NADI_NONE && w->at_ns > 0)
        next = over_hole(w);
    if (next == NADI_NONE)
        return false;
    w->node = next;
    return visit(w, next);
}

static bool last_node(struct walk *w)
{
    const struct nadi_result *r = w->t->r;
    for (uint32_t rank = 0; rank < r->rank_count; rank++) {
        uint32_t done = nadi_times_done(w->t, rank);
        const uint32_t *order = w->t->order + w->t->first[rank];
        if (done == 0 ||
            w->t->nodes[nadi_times_index(w->t, rank, order[done - 1])].end_ns != r->end_ns)
            continue;
        w->rank = rank;
        w->node = order[done - 1];
        return true;
    }
    return false;
}

void nadi_path_find(const struct nadi_times *t, struct nadi_why *x)
{
    struct walk w = {.t = t, .at_ns = t->r->end_ns};
    if (!last_node(&w))
        return;
    w.bounds = nadi_lower_bounds_create(t->in);
    w.latencies = nadi_route_latencies_create(t->in, w.bounds);
    w.trails = nadi_trails_create(t, w.latencies);
    w.visited = NADI_ZNEW(uint8_t, t->count / 8 + 1);
    visit(&w, w.node);
    do
        over_node(&w);
    while (to_cause(&w));
    NADI_ASSERT(w.at_ns == 0);
    x->step_count = w.steps.count;
    x->steps = NADI_ARENA_NEW(&x->arena, struct nadi_path_step, w.steps.count);
    for (size_t i = 0; i < w.steps.count; i++) {
        const struct nadi_path_step *s = &w.steps.items[w.steps.count - 1 - i];
        x->steps[i] = *s;
        x->sums[s->cause] += s->end_ns - s->start_ns;
    }
    x->packets_ns = w.trails ? w.packets_ns : (double)NAN;
    nadi_mem_free(w.steps.items);
    nadi_mem_free(w.joints.items);
    nadi_map64_release(&w.joint_index);
    nadi_mem_free(w.visited);
    nadi_lower_bounds_destroy(w.bounds);
    nadi_trails_destroy(w.trails);
    nadi_route_latencies_destroy(w.latencies);
    nadi_mem_free(w.trail.parts.items);
}
