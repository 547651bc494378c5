/* check_nodes: node by node, without looking at other ranks. */
#include "base/mem.h"
#include "base/str.h"
#include "inputs/check.h"
#include "inputs/trace_folder.h"

struct finding_about {
    const char *code, *hint;
    enum nadi_severity severity;
};

static const struct finding_about about[NADI_FINDING_KINDS] = {
    [NADI_FINDING_NO_PEER] = {"node/missing-attribute",
                              "the tool that wrote the trace must add it (the PyTorch converter "
                              "does not)",
                              NADI_ERROR},
    [NADI_FINDING_NO_TAG] = {"node/missing-attribute",
                             "add an integer attribute comm_tag, equal on both sides", NADI_ERROR},
    [NADI_FINDING_NO_SIZE] = {"node/missing-attribute",
                              "add an integer attribute comm_size, in bytes", NADI_ERROR},
    [NADI_FINDING_NO_KIND] = {"node/missing-attribute",
                              "add an integer attribute comm_type (0 ALL_REDUCE, 2 ALL_GATHER, 6 "
                              "ALL_TO_ALL, 7 REDUCE_SCATTER)",
                              NADI_ERROR},
    [NADI_FINDING_ON_CPU] = {"node/comm-on-cpu", "set is_cpu_op to 0 on communication nodes",
                             NADI_ERROR},
    [NADI_FINDING_ZERO_SIZE] = {"node/zero-size", "send at least one byte or drop both nodes",
                                NADI_ERROR},
    [NADI_FINDING_TAG_RANGE] = {"node/tag", "use tags below 2147483648", NADI_ERROR},
    [NADI_FINDING_PEER_RANGE] = {"node/peer", "use a larger network or other traces", NADI_ERROR},
    [NADI_FINDING_SELF] = {"node/peer", "a rank cannot send to itself; drop the node", NADI_ERROR},
    [NADI_FINDING_NOT_OWN] = {"node/peer", "is the file of another rank under this rank's name?",
                              NADI_ERROR},
    [NADI_FINDING_UNSUPPORTED] = {"node/unsupported",
                                  "ALL_REDUCE, ALL_GATHER, REDUCE_SCATTER and ALL_TO_ALL are "
                                  "simulated under these names; `nadi run` does all kinds",
                                  NADI_ERROR},
    [NADI_FINDING_BROADCAST] =
        {"node/broadcast",
         "write 'broadcast-implementation', for example [\"tree\"], into the system file",
         NADI_WARNING},
    [NADI_FINDING_EMPTY_GATHER] = {"node/zero-size", NULL, NADI_WARNING},
    [NADI_FINDING_ROOT] = {"node/root", "name a member of the group, or leave it out for the first",
                           NADI_ERROR},
    [NADI_FINDING_SIZES] = {"node/sizes",
                            "one size for each member of the group, in the order of its list",
                            NADI_ERROR},
    [NADI_FINDING_SHORT_INVOLVED] = {"node/involved-dim", "give one entry a network dimension",
                                     NADI_WARNING},
    [NADI_FINDING_NO_OPS] = {"node/missing-attribute",
                             "with 'roofline-enabled' a compute node needs num_ops and "
                             "tensor_size; without, its duration is used",
                             NADI_ERROR},
    [NADI_FINDING_ZERO_OPS] = {"node/zero-ops",
                               "the roofline needs work: set num_ops, or tensor_size 0 to skip "
                               "the node",
                               NADI_ERROR},
    [NADI_FINDING_NO_BYTES] = {"node/missing-attribute",
                               "add an integer attribute tensor_size, in bytes", NADI_ERROR},
    [NADI_FINDING_NO_MEMORY] = {"node/no-memory",
                                "give a memory file with another memory-type (--memory)",
                                NADI_ERROR},
    [NADI_FINDING_MEMORY_COLLECTIVE] = {"node/memory-collective",
                                        "give a memory file of memory-type HIERARCHICAL_POOL or a "
                                        "tier of `kind: pool`, or leave comm_type out",
                                        NADI_ERROR},
    [NADI_FINDING_MEMORY_NODE] = {"node/memory-server",
                                  "raise 'num-nodes' or 'num-npus-per-node' in the memory file",
                                  NADI_ERROR},
    [NADI_FINDING_CUSTOM_TYPE] = {"custom/node-type",
                                  "a custom algorithm has SEND, RECV and COMP nodes only",
                                  NADI_ERROR},
    [NADI_FINDING_CUSTOM_PEER] = {"custom/peer",
                                  "peers are positions in the group; give the smaller group an "
                                  "algorithm of its own, or none",
                                  NADI_ERROR},
};

uint64_t *nadi_ranks_new(struct nadi_check *c)
{
    return NADI_ARENA_ZNEW(&c->arena, uint64_t, (size_t)c->in->rank_count / 64 + 1);
}

void nadi_ranks_text(const uint64_t *ranks, uint32_t rank_count, struct nadi_str *out)
{
    enum { LISTED = 4096 };
    uint32_t list[LISTED];
    size_t count = 0;
    for (uint32_t r = 0; r < rank_count && count < LISTED; r++)
        if (nadi_ranks_has(ranks, r))
            list[count++] = r;
    nadi_str_add(out, count == 1 ? "rank " : "ranks ");
    nadi_ranges_text(list, count, out);
}

/* Counts a node; the first of its kind keeps the message. */
NADI_PRINTF(6, 7)
static void check_found(struct nadi_check *c, enum nadi_finding_kind kind,
                        const struct nadi_trace *t, uint32_t rank, uint32_t node,
                        const char *format, ...)
{
    struct nadi_finding *f = &c->findings[kind];
    if (f->nodes++ == 0) {
        struct nadi_str s = NADI_STR_INIT;
        va_list args;
        va_start(args, format);
        nadi_str_vprintf(&s, format, args);
        va_end(args);
        f->message = nadi_arena_strdup(&c->arena, nadi_str_get(&s));
        nadi_str_release(&s);
        f->place = nadi_trace_place(t, rank, node, &c->arena);
        f->ranks = nadi_ranks_new(c);
        c->order[c->found++] = kind;
    }
    nadi_ranks_add(f->ranks, rank);
}

/* " (and 3 more such nodes; on ranks 0-7)" where there is more than the first node. */
static void add_others(const struct nadi_check *c, const struct nadi_finding *f,
                       struct nadi_str *out)
{
    uint32_t ranks = 0;
    for (size_t i = 0; i <= c->in->rank_count / 64; i++)
        ranks += (uint32_t)__builtin_popcountll(f->ranks[i]);
    if (f->nodes == 1 && ranks == 1)
        return;
    nadi_str_add(out, " (");
    if (f->nodes > 1)
        nadi_str_printf(out, "and %" PRIu64 " more such node%s; ", f->nodes - 1,
                        f->nodes == 2 ? "" : "s");
    nadi_str_add(out, "on ");
    nadi_ranks_text(f->ranks, c->in->rank_count, out);
    nadi_str_add_char(out, ')');
}

bool nadi_check_report(struct nadi_check *c)
{
    bool ok = true;
    for (uint32_t i = 0; i < c->found; i++) {
        const struct nadi_finding *f = &c->findings[c->order[i]];
        const struct finding_about *a = &about[c->order[i]];
        struct nadi_str s = NADI_STR_INIT;
        nadi_str_add(&s, f->message);
        add_others(c, f, &s);
        nadi_diags_add(c->diags, a->severity, a->code, f->place, a->hint, "%s", nadi_str_get(&s));
        nadi_str_release(&s);
        ok &= a->severity != NADI_ERROR;
    }
    return ok;
}

struct pass { /* over one trace */
    struct nadi_check *c;
    const struct nadi_trace *t;
    uint32_t rank;
    struct nadi_trace_facts *facts; /* NULL in a custom algorithm */
    uint32_t limit;                 /* ranks are below it */
    bool relative;                  /* peers are distances */
};

#define FOUND(p, kind, node, ...)                                                                  \
    do {                                                                                           \
        if ((p)->facts)                                                                            \
            (p)->facts->findings |= UINT32_C(1) << (kind);                                         \
        check_found((p)->c, (kind), (p)->t, (p)->rank, (node), __VA_ARGS__);                       \
    } while (0)

/* Further than once around all ranks. */
static bool far_off(uint32_t distance, uint32_t ranks)
{
    int64_t d = (int32_t)distance;
    return (d < 0 ? -d : d) >= (int64_t)ranks;
}

/* SEND or RECV, without what depends on the rank. */
static void check_p2p(struct pass *p, uint32_t n)
{
    static const char *const peers[] = {"comm_src", "comm_dst"};
    const struct nadi_trace *t = p->t;
    const struct nadi_trace_comm *comm = nadi_comm_of(t, n);
    bool send = t->type[n] == NADI_NODE_SEND;
    const char *type = send ? "SEND" : "RECV";
    unsigned flags = t->flags[n];
    uint32_t peer = send ? comm->dst : comm->src;
    if (flags & NADI_NODE_IS_CPU)
        FOUND(p, NADI_FINDING_ON_CPU, n, "%s node flagged is_cpu_op", type);
    if (!(flags & (send ? NADI_NODE_HAS_DST : NADI_NODE_HAS_SRC)))
        FOUND(p, NADI_FINDING_NO_PEER, n, "%s node without %s", type, peers[send]);
    else if (p->relative && far_off(peer, p->limit))
        FOUND(p, NADI_FINDING_PEER_RANGE, n, "%s is %d, but distances are below %u", peers[send],
              (int32_t)peer, p->limit);
    else if (!p->relative && peer >= p->limit)
        FOUND(p, NADI_FINDING_PEER_RANGE, n, "%s is %u, ranks are 0-%u", peers[send], peer,
              p->limit - 1);
    if (!(flags & NADI_NODE_HAS_TAG))
        FOUND(p, NADI_FINDING_NO_TAG, n, "%s node without comm_tag", type);
    else if (comm->tag > INT32_MAX)
        FOUND(p, NADI_FINDING_TAG_RANGE, n, "comm_tag is %u", comm->tag);
    if (!(flags & NADI_NODE_HAS_BYTES))
        FOUND(p, NADI_FINDING_NO_SIZE, n, "%s node without comm_size", type);
    else if (t->bytes[n] == 0)
        FOUND(p, NADI_FINDING_ZERO_SIZE, n, "%s of 0 bytes", type);
}

/* The part that depends on whose trace it is; with distances, on the trace alone. */
static void check_own(struct pass *p, uint32_t n)
{
    const struct nadi_trace *t = p->t;
    const struct nadi_trace_comm *comm = nadi_comm_of(t, n);
    bool send = t->type[n] == NADI_NODE_SEND;
    unsigned own_flag = send ? NADI_NODE_HAS_SRC : NADI_NODE_HAS_DST;
    unsigned peer_flag = send ? NADI_NODE_HAS_DST : NADI_NODE_HAS_SRC;
    uint32_t own = send ? comm->src : comm->dst;
    uint32_t peer = send ? comm->dst : comm->src;
    uint32_t self = p->relative ? 0 : p->rank;
    if (t->flags[n] & own_flag && own != self && p->relative)
        FOUND(p, NADI_FINDING_NOT_OWN, n, "%s is %d, but the rank itself is distance 0",
              send ? "comm_src" : "comm_dst", (int32_t)own);
    else if (t->flags[n] & own_flag && own != self)
        FOUND(p, NADI_FINDING_NOT_OWN, n, "%s is %u, but this is the trace of rank %u",
              send ? "comm_src" : "comm_dst", own, p->rank);
    else if (t->flags[n] & peer_flag && peer == self)
        FOUND(p, NADI_FINDING_SELF, n, "%s is the rank itself", send ? "comm_dst" : "comm_src");
}

static int by_value(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* What check_own needs to know of a trace to pass over the ranks that it has nothing to say of. */
static void note_ends(struct nadi_trace_facts *facts, const struct nadi_trace *t)
{
    for (uint32_t n = 0; n < t->node_count; n++) {
        if (t->type[n] != NADI_NODE_SEND && t->type[n] != NADI_NODE_RECV)
            continue;
        const struct nadi_trace_comm *comm = nadi_comm_of(t, n);
        bool send = t->type[n] == NADI_NODE_SEND;
        uint32_t own = send ? comm->src : comm->dst, peer = send ? comm->dst : comm->src;
        if (t->flags[n] & (send ? NADI_NODE_HAS_SRC : NADI_NODE_HAS_DST)) {
            facts->least_own = facts->has_own && facts->least_own < own ? facts->least_own : own;
            facts->most_own = facts->has_own && facts->most_own > own ? facts->most_own : own;
            facts->has_own = true;
        }
        if (facts->peers.count == 0 || facts->peers.items[facts->peers.count - 1] != peer)
            NADI_PUSH(&facts->peers, peer);
    }
    size_t kept = 0;
    if (facts->peers.count)
        qsort(facts->peers.items, facts->peers.count, sizeof(*facts->peers.items), by_value);
    for (size_t i = 0; i < facts->peers.count; i++)
        if (kept == 0 || facts->peers.items[kept - 1] != facts->peers.items[i])
            facts->peers.items[kept++] = facts->peers.items[i];
    facts->peers.count = kept;
}

static bool may_be_own(const struct nadi_trace_facts *facts, uint32_t rank)
{
    return (facts->has_own && (facts->least_own != rank || facts->most_own != rank)) ||
           (facts->peers.count &&
            bsearch(&rank, facts->peers.items, facts->peers.count, sizeof(rank), by_value));
}

static void note_unknown_group(struct pass *p, uint32_t n, const char *name)
{
    struct nadi_check *c = p->c;
    const char *kept;
    uint32_t index = (uint32_t)c->unknown.count;
    uint32_t found = nadi_strmap_put(&c->unknown_index, name, strlen(name), index, &kept);
    if (found == index) {
        struct nadi_unknown_group u = {
            .name = kept,
            .place = nadi_trace_place(p->t, p->rank, n, &c->arena),
            .ranks = nadi_ranks_new(c),
        };
        NADI_PUSH(&c->unknown, u);
    }
    for (size_t i = 0; i < p->facts->unknown.count; i++)
        if (p->facts->unknown.items[i] == found)
            return;
    NADI_PUSH(&p->facts->unknown, found);
}

enum { FAMILY = 1 << 30 }; /* marks the index of a family among those of groups */

static const char *group_name(const struct nadi_trace *t, uint32_t n)
{
    uint32_t name = nadi_comm_of(t, n)->group;
    return name == NADI_NONE ? "" : nadi_trace_string(t, name);
}

static bool is_family(const struct nadi_inputs *in, const struct nadi_trace *t, uint32_t n)
{
    return nadi_groups_family(&in->groups, group_name(t, n)) != NADI_NONE;
}

/* Index of the use that the node belongs to, made if new. */
static uint32_t use_of(struct pass *p, uint32_t n, uint32_t group, bool custom, bool uneven)
{
    struct nadi_check *c = p->c;
    const struct nadi_trace *t = p->t;
    const struct nadi_group *g = &c->in->groups.items[group];
    const enum nadi_native_kind kind =
        uneven ? NADI_NATIVE_ALL_TO_ALL_V
               : nadi_native_of((enum nadi_collective_kind)t->collective[n]);
    const uint32_t all = (UINT32_C(1) << c->in->topology.dim_count) - 1;
    const uint32_t mask =
        g->is_world && nadi_native_takes_dims(kind) ? nadi_involved(c->in, t, n) : all;
    const uint32_t attached = uneven ? NADI_NONE /* all-to-all-v-implementation runs it */
                                     : nadi_attached_of(&c->in->system, kind, group, g->size,
                                                        nadi_scaled_bytes(c->in, t->bytes[n]));
    bool family = is_family(c->in, t, n);
    uint32_t who = family ? FAMILY | nadi_groups_family(&c->in->groups, group_name(t, n)) : group;
    uint64_t key = (uint64_t)who << 32 | (uint64_t)(attached + 1) << 24 | (uint64_t)mask << 8 |
                   (uint64_t)uneven << 5 | (uint64_t)t->collective[n] << 1 | (uint64_t)custom;
    uint32_t index = (uint32_t)c->uses.count;
    bool added;
    uint32_t found = *nadi_map64_put(&c->use_index, key, index, &added);
    if (added) {
        struct nadi_use u = {
            .kind = (enum nadi_collective_kind)t->collective[n],
            .group = group,
            .mask = mask,
            .custom = custom,
            .attached = attached,
            .uneven = uneven,
            .family = family,
            .trace = t,
            .rank = p->rank,
            .node = n,
            .bytes = t->bytes[n],
            .ranks = nadi_ranks_new(c),
        };
        NADI_PUSH(&c->uses, u);
    }
    return found;
}

static void note_use(struct pass *p, uint32_t n, uint32_t group)
{
    struct nadi_check *c = p->c;
    const struct nadi_trace *t = p->t;
    const struct nadi_topology *topology = &c->in->topology;
    const struct nadi_trace_comm *comm = nadi_comm_of(t, n);
    const bool custom = nadi_custom_of(c->in, t, n, group) != NULL;
    const bool uneven = !custom && nadi_is_uneven(c->in, t, n);
    if (c->in->groups.items[group].is_world && comm->involved_count &&
        comm->involved_count < topology->dim_count)
        FOUND(p, NADI_FINDING_SHORT_INVOLVED, n,
              "involved_dim has %u entries, the network has %u dimensions: the rest takes no part",
              comm->involved_count, topology->dim_count);
    const uint32_t index = use_of(p, n, group, custom, uneven);
    struct nadi_use *u = &c->uses.items[index];
    if (t->bytes[n] < u->bytes) {
        u->trace = t;
        u->rank = p->rank;
        u->node = n;
        u->bytes = t->bytes[n];
    }
    if (!nadi_ranks_has(u->ranks, p->rank)) {
        nadi_ranks_add(u->ranks, p->rank);
        NADI_PUSH(&p->facts->uses, index);
    }
}

/* comm_src of broadcast and scatter, comm_dst of reduce and gather; in a manifest the root's place
 * in the group. */
static void check_root(struct pass *p, uint32_t n, const struct nadi_group *g)
{
    const struct nadi_trace *t = p->t;
    const struct nadi_trace_comm *comm = nadi_trace_comm(t, n);
    const enum nadi_collective_root at =
        nadi_collective_root((enum nadi_collective_kind)t->collective[n]);
    const bool from = at == NADI_ROOT_FROM, to = at == NADI_ROOT_TO;
    if (!(from && t->flags[n] & NADI_NODE_HAS_SRC) && !(to && t->flags[n] & NADI_NODE_HAS_DST))
        return;
    uint32_t root = from ? comm->src : comm->dst;
    bool member = p->relative ? root < g->size : nadi_group_position(g, root) != NADI_NONE;
    if (!member)
        FOUND(p, NADI_FINDING_ROOT, n, "%s %u is the root, but not in the group of %u ranks",
              from ? "comm_src" : "comm_dst", root, g->size);
}

static void check_row(struct pass *p, uint32_t n, const struct nadi_group *g)
{
    const struct nadi_inputs *in = p->c->in;
    const struct nadi_trace_comm *comm = nadi_comm_of(p->t, n);
    if (!nadi_is_uneven(in, p->t, n))
        return;
    if (comm->size_count > 0 && comm->size_count != g->size)
        FOUND(p, NADI_FINDING_SIZES, n, "%s has %u sizes, but the group has %u ranks",
              comm->shares ? "in_split_size" : "comm_sizes", comm->size_count, g->size);
    else if (comm->size_count == 0 && in->system.uneven.matrix && in->system.uneven.n != g->size)
        FOUND(p, NADI_FINDING_SIZES, n,
              "'all-to-all-matrix' is for groups of %u, but the group has %u ranks",
              in->system.uneven.n, g->size);
}

static void check_collective(struct pass *p, uint32_t n)
{
    const struct nadi_trace *t = p->t;
    unsigned flags = t->flags[n];
    enum nadi_collective_kind kind = (enum nadi_collective_kind)t->collective[n];
    if (flags & NADI_NODE_IS_CPU)
        FOUND(p, NADI_FINDING_ON_CPU, n, "collective flagged is_cpu_op");
    if (!(flags & NADI_NODE_HAS_KIND)) {
        FOUND(p, NADI_FINDING_NO_KIND, n, "collective without comm_type");
        return;
    }
    const struct nadi_implementation *native = p->c->in->system.native;
    if (kind == NADI_BROADCAST && native[NADI_NATIVE_BROADCAST].count == 0) {
        FOUND(p, NADI_FINDING_BROADCAST, n,
              "BROADCAST is not communicated: as in the reference it takes its recorded duration "
              "on each rank");
        return;
    }
    enum nadi_native_kind slot = nadi_native_of(kind);
    if (slot == NADI_NATIVE_KINDS || (slot > NADI_NATIVE_BROADCAST && native[slot].count == 0)) {
        FOUND(p, NADI_FINDING_UNSUPPORTED, n, "%s is not modelled", nadi_collective_name(kind));
        return;
    }
    if (!(flags & NADI_NODE_HAS_BYTES) && kind != NADI_BARRIER)
        FOUND(p, NADI_FINDING_NO_SIZE, n, "collective without comm_size");
    else if (t->bytes[n] == 0 && kind == NADI_ALL_GATHER)
        FOUND(p, NADI_FINDING_EMPTY_GATHER, n, "ALL_GATHER of 0 bytes counts as 1 byte");
    const struct nadi_group *g = nadi_inputs_group(p->c->in, t, n, p->rank);
    if (g) {
        check_root(p, n, g);
        check_row(p, n, g);
        note_use(p, n, (uint32_t)(g - p->c->in->groups.items));
    } else {
        note_unknown_group(p, n, group_name(t, n));
    }
}

static void check_compute(struct pass *p, uint32_t n)
{
    unsigned flags = p->t->flags[n];
    if (!p->c->in->system.roofline || p->c->in->system.only_untimed || flags & NADI_NODE_IS_CPU)
        return;
    if (!(flags & NADI_NODE_HAS_OPS))
        FOUND(p, NADI_FINDING_NO_OPS, n, "compute node without num_ops");
    else if (!(flags & NADI_NODE_HAS_BYTES))
        FOUND(p, NADI_FINDING_NO_OPS, n, "compute node without tensor_size");
    else if (p->t->ops[n] == 0 && p->t->bytes[n] > 0)
        FOUND(p, NADI_FINDING_ZERO_OPS, n, "compute node with num_ops 0 and tensor_size %" PRIu64,
              p->t->bytes[n]);
}

static void check_memory(struct pass *p, uint32_t n)
{
    const struct nadi_memory_config *m = &p->c->in->memory;
    p->facts->has_memory = true;
    if (nadi_trace_in_switch(p->t, n) && m->kind != NADI_MEMORY_HIERARCHY &&
        m->kind != NADI_MEMORY_TIERS)
        FOUND(p, NADI_FINDING_MEMORY_COLLECTIVE, n,
              "memory node with comm_type (%s), but this memory has no switches that do it",
              nadi_collective_name((enum nadi_collective_kind)p->t->collective[n]));
    if (m->kind == NADI_MEMORY_TIERS)
        return; /* load_accesses.c */
    if (!(p->t->flags[n] & NADI_NODE_HAS_BYTES))
        FOUND(p, NADI_FINDING_NO_BYTES, n, "memory node without tensor_size");
    if (m->kind == NADI_MEMORY_NONE)
        FOUND(p, NADI_FINDING_NO_MEMORY, n, "memory node, but %s",
              p->c->in->options.memory ? "the memory file says NO_MEMORY_EXPANSION"
                                       : "there is no memory file");
}

static void check_memory_server(struct nadi_check *c, const struct nadi_trace *t, uint32_t rank)
{
    const struct nadi_memory_config *m = &c->in->memory;
    uint32_t n = 0;
    if (m->kind == NADI_MEMORY_HIERARCHY && rank / m->npus_per_node >= m->node_count) {
        while (t->type[n] != NADI_NODE_MEM_LOAD && t->type[n] != NADI_NODE_MEM_STORE)
            n++;
        check_found(c, NADI_FINDING_MEMORY_NODE, t, rank, n,
                    "memory node of rank %u, but the pool has %u nodes of %u NPUs", rank,
                    m->node_count, m->npus_per_node);
        return;
    }
    if (m->kind != NADI_MEMORY_PER_NODE ||
        (m->npus_per_node && rank / m->npus_per_node < m->node_count))
        return;
    while (t->type[n] != NADI_NODE_MEM_LOAD && t->type[n] != NADI_NODE_MEM_STORE)
        n++;
    if (m->npus_per_node == 0)
        check_found(c, NADI_FINDING_MEMORY_NODE, t, rank, n,
                    "memory node, but 'num-npus-per-node' is 0");
    else
        check_found(c, NADI_FINDING_MEMORY_NODE, t, rank, n,
                    "memory server %u of rank %u, at %u NPUs a node, does not exist: there "
                    "are %u",
                    rank / m->npus_per_node, rank, m->npus_per_node, m->node_count);
}

void nadi_check_trace(struct nadi_check *c, const struct nadi_trace *t, uint32_t rank,
                      struct nadi_trace_facts *facts)
{
    struct pass p = {
        .c = c,
        .t = t,
        .rank = rank,
        .facts = facts,
        .limit = c->in->rank_count,
        .relative = c->in->relative_peers,
    };
    for (uint32_t n = 0; n < t->node_count; n++) {
        switch ((enum nadi_node_type)t->type[n]) {
        case NADI_NODE_SEND:
        case NADI_NODE_RECV:
            facts->has_p2p = true;
            check_p2p(&p, n);
            if (p.relative)
                check_own(&p, n);
            break;
        case NADI_NODE_COLL:
            check_collective(&p, n);
            break;
        case NADI_NODE_COMP:
            check_compute(&p, n);
            break;
        case NADI_NODE_MEM_LOAD:
        case NADI_NODE_MEM_STORE:
            check_memory(&p, n);
            break;
        case NADI_NODE_INVALID:
        case NADI_NODE_METADATA:
        case NADI_NODE_TYPES:
            break;
        }
    }
    if (facts->has_p2p && !p.relative)
        note_ends(facts, t);
}

void nadi_check_rank(struct nadi_check *c, const struct nadi_trace *t, uint32_t rank,
                     const struct nadi_trace_facts *facts)
{
    struct pass p = {.c = c, .t = t, .rank = rank, .limit = c->in->rank_count};
    for (int k = 0; k < NADI_FINDING_KINDS; k++)
        if (facts->findings >> k & 1)
            nadi_ranks_add(c->findings[k].ranks, rank);
    for (size_t i = 0; i < facts->uses.count; i++)
        nadi_ranks_add(c->uses.items[facts->uses.items[i]].ranks, rank);
    for (size_t i = 0; i < facts->unknown.count; i++)
        nadi_ranks_add(c->unknown.items[facts->unknown.items[i]].ranks, rank);
    if (facts->has_memory)
        check_memory_server(c, t, rank);
    if (!facts->has_p2p || c->in->relative_peers || !may_be_own(facts, rank))
        return;
    for (uint32_t n = 0; n < t->node_count; n++)
        if (t->type[n] == NADI_NODE_SEND || t->type[n] == NADI_NODE_RECV)
            check_own(&p, n);
}

/* A peer that a group which runs the algorithm does not have. */
static void check_position(struct pass *p, uint32_t n, uint32_t members)
{
    const bool send = p->t->type[n] == NADI_NODE_SEND;
    const struct nadi_trace_comm *comm = nadi_comm_of(p->t, n);
    const uint32_t peer = send ? comm->dst : comm->src;
    if (peer >= members && peer < p->limit)
        FOUND(p, NADI_FINDING_CUSTOM_PEER, n, "%s is position %u, but a group of %u runs this",
              send ? "comm_dst" : "comm_src", peer, members);
}

void nadi_check_custom(struct nadi_check *c, const struct nadi_custom_algorithm *custom,
                       uint32_t position)
{
    const struct nadi_trace *t = custom->by_position[position];
    struct pass p = {.c = c, .t = t, .rank = position, .limit = c->in->rank_count};
    for (uint32_t n = 0; n < t->node_count; n++) {
        enum nadi_node_type type = (enum nadi_node_type)t->type[n];
        if (type == NADI_NODE_SEND || type == NADI_NODE_RECV) {
            check_p2p(&p, n);
            check_own(&p, n);
            check_position(&p, n, custom->least_members);
        } else if (type != NADI_NODE_COMP) {
            FOUND(&p, NADI_FINDING_CUSTOM_TYPE, n, "%s in a custom algorithm would never finish",
                  nadi_node_type_name(type));
        }
    }
}
