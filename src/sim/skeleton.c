#include "sim/skeleton.h"

#include "base/map.h"
#include "base/mem.h"
#include "collective/plan.h"

struct list {
    uint32_t *items;
    size_t count, capacity;
};

static bool is_message(const struct nadi_trace *t, uint32_t node)
{
    return t->type[node] == NADI_NODE_SEND || t->type[node] == NADI_NODE_RECV;
}

static bool is_native(const struct nadi_trace *t, uint32_t node)
{
    enum nadi_native_kind kind;
    return t->type[node] == NADI_NODE_COLL &&
           t->collective[node] != NADI_BROADCAST && /* a timer, where ranks are folded */
           nadi_native_kind_of((enum nadi_collective_kind)t->collective[node], &kind);
}

static uint32_t peer_of(const struct nadi_trace *t, uint32_t node)
{
    const struct nadi_trace_comm *c = &t->comms[t->comm[node]];
    return t->type[node] == NADI_NODE_SEND ? c->dst : c->src;
}

static uint32_t slot_of(struct list *l, uint32_t value)
{
    for (size_t i = l->count; i-- > 0;)
        if (l->items[i] == value)
            return (uint32_t)i;
    NADI_PUSH(l, value);
    return (uint32_t)l->count - 1;
}

static void mix(struct nadi_skeleton *s, uint64_t value)
{
    s->hash[0] = nadi_hash_u64(s->hash[0] ^ value) + 0x9e3779b97f4a7c15;
    s->hash[1] = nadi_hash_u64(s->hash[1] + value * 0xff51afd7ed558ccd) ^ s->hash[0];
}

static void mix_node(struct nadi_skeleton *s, uint32_t node, struct list *groups,
                     struct list *peers)
{
    const struct nadi_trace *t = s->trace;
    mix(s, (uint64_t)t->type[node] << 32 | (uint64_t)t->collective[node] << 16 | t->flags[node]);
    mix(s, t->duration_ns[node]);
    mix(s, t->ops[node]);
    mix(s, t->bytes[node]);
    for (uint32_t d = t->dep_start[node]; d < t->dep_start[node + 1]; d++)
        mix(s, t->deps[d]);
    mix(s, t->dep_start[node + 1]);
    if (t->comm[node] == NADI_NONE)
        return;
    const struct nadi_trace_comm *c = &t->comms[t->comm[node]];
    mix(s, (uint64_t)c->tag << 32 | c->involved);
    mix(s, (uint64_t)(uint32_t)c->priority);
    if (is_message(t, node))
        mix(s, slot_of(peers, peer_of(t, node)));
    else if (is_native(t, node))
        mix(s, slot_of(groups, c->group));
}

void nadi_skeleton_make(const struct nadi_trace *t, struct nadi_skeleton *s)
{
    struct list groups = {0}, peers = {0};
    *s = (struct nadi_skeleton){.trace = t};
    for (uint32_t node = 0; node < t->node_count; node++)
        mix_node(s, node, &groups, &peers);
    s->groups = groups.items;
    s->group_count = (uint32_t)groups.count;
    s->peers = peers.items;
    s->peer_count = (uint32_t)peers.count;
}

void nadi_skeleton_release(struct nadi_skeleton *s)
{
    nadi_mem_free(s->groups);
    nadi_mem_free(s->peers);
    *s = (struct nadi_skeleton){0};
}

static uint32_t group_slot(const struct nadi_skeleton *s, uint32_t name)
{
    struct list groups = {s->groups, s->group_count, s->group_count};
    return slot_of(&groups, name);
}

static uint32_t peer_slot(const struct nadi_skeleton *s, uint32_t peer)
{
    struct list peers = {s->peers, s->peer_count, s->peer_count};
    return slot_of(&peers, peer);
}

static bool same_comm(const struct nadi_skeleton *a, const struct nadi_skeleton *b, uint32_t node)
{
    const struct nadi_trace *t = a->trace, *u = b->trace;
    if ((t->comm[node] == NADI_NONE) != (u->comm[node] == NADI_NONE))
        return false;
    if (t->comm[node] == NADI_NONE)
        return true;
    const struct nadi_trace_comm *c = &t->comms[t->comm[node]], *d = &u->comms[u->comm[node]];
    if (c->tag != d->tag || c->involved != d->involved || c->priority != d->priority)
        return false;
    if (is_message(t, node))
        return peer_slot(a, peer_of(t, node)) == peer_slot(b, peer_of(u, node));
    return !is_native(t, node) || group_slot(a, c->group) == group_slot(b, d->group);
}

bool nadi_skeleton_equal(const struct nadi_skeleton *a, const struct nadi_skeleton *b)
{
    const struct nadi_trace *t = a->trace, *u = b->trace;
    size_t n = t->node_count;
    if (t == u)
        return true;
    if (a->hash[0] != b->hash[0] || a->hash[1] != b->hash[1] || u->node_count != n ||
        a->group_count != b->group_count || a->peer_count != b->peer_count ||
        t->dep_start[n] != u->dep_start[n])
        return false;
    if (memcmp(t->type, u->type, n) != 0 || memcmp(t->collective, u->collective, n) != 0 ||
        memcmp(t->flags, u->flags, n) != 0 ||
        memcmp(t->duration_ns, u->duration_ns, n * sizeof(*t->duration_ns)) != 0 ||
        memcmp(t->ops, u->ops, n * sizeof(*t->ops)) != 0 ||
        memcmp(t->bytes, u->bytes, n * sizeof(*t->bytes)) != 0 ||
        memcmp(t->dep_start, u->dep_start, (n + 1) * sizeof(*t->dep_start)) != 0 ||
        memcmp(t->deps, u->deps, t->dep_start[n] * sizeof(*t->deps)) != 0)
        return false;
    for (uint32_t node = 0; node < n; node++)
        if (!same_comm(a, b, node))
            return false;
    return true;
}
