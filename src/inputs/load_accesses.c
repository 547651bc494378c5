/* load_accesses: the tiers that memory nodes mean.
 *
 * A node says what it moves by attributes (trace/mem.h); without, it moves bytes between the NPU's
 * own memory and the preset tier. Each kind of mistake is told once, with its first node. */
#include "inputs/load.h"
#include "memory/tiers.h"
#include "trace/mem.h"

enum fault {
    FAULT_UNKNOWN,
    FAULT_SEVERAL,
    FAULT_NO_PRESET,
    FAULT_MISSING,
    FAULT_UNSEEN,
    FAULT_OTHERS,
    FAULT_TOO_LARGE,
    FAULT_NO_BYTES,
    FAULT_NO_POOL,
    FAULT_SUM_NAME,
    FAULT_JOINT,
    FAULTS
};

struct joint_sum {
    uint64_t count, digest; /* the same whatever their order */
    uint32_t rank;          /* `first`: whose; NADI_NONE: nobody's yet */
};

struct pass {
    struct nadi_load *l;
    const struct nadi_tiers *t;
    struct nadi_trace *trace;
    uint32_t rank, node;
    uint64_t found[FAULTS];
    uint32_t local;
    /* joint transfers with each tier: of the trace, and of the first rank that sees it */
    struct joint_sum joints[NADI_MOST_TIERS], first[NADI_MOST_TIERS];
};

static bool fault(struct pass *p, enum fault fault, uint32_t tier, const char *text)
{
    static const char *const hints[FAULTS] = {
        [FAULT_UNKNOWN] = "write a tier's name, a class (G1, G2, G3, G3.5, G4) or "
                          "class:medium:role",
        [FAULT_SEVERAL] = "write the tier's name, or class:medium:role",
        [FAULT_NO_PRESET] = "name the tier in the node, or give `default` in the memory file",
        [FAULT_MISSING] = "LOAD names src_tier, STORE dst_tier, COPY both; ALLOC, FREE and MISS "
                          "name dst_tier",
        [FAULT_UNSEEN] = "let `npus` of the tier include the rank",
        [FAULT_OTHERS] = "name the memory of the rank's own node, or leave the number out",
        [FAULT_TOO_LARGE] = "give the tier more capacity, or the block another tier",
        [FAULT_NO_BYTES] = "add an integer attribute tensor_size or " NADI_MEM_ATTR_BYTES,
        [FAULT_NO_POOL] = "let it load from a tier of `kind: pool`, or store there, or leave "
                          "comm_type out",
        [FAULT_SUM_NAME] = "name it with " NADI_MEM_ATTR_REUSE ", on a pool without `when-full: "
                           "next`",
    };
    char bytes[32], capacity[32];
    if (p->found[fault]++)
        return false;
    const struct nadi_place place = nadi_trace_place(p->trace, p->rank, p->node, &p->l->in->arena);
    const char *name = tier == NADI_NONE ? "" : p->t->tiers[tier].name;
    struct nadi_diags *d = p->l->diags;
    switch (fault) {
    case FAULT_UNKNOWN:
        return nadi_error(d, "memory/tier", place, hints[fault], "no tier is '%.60s'", text);
    case FAULT_SEVERAL:
        return nadi_error(d, "memory/tier", place, hints[fault], "several tiers are '%.60s'", text);
    case FAULT_NO_PRESET:
        return nadi_error(d, "memory/tier", place, hints[fault],
                          "the memory node names no tier, and there are several");
    case FAULT_MISSING:
        return nadi_error(d, "memory/tier", place, hints[fault], "%s names no %s", text,
                          strcmp(text, "COPY") == 0 ? "two tiers" : "tier");
    case FAULT_UNSEEN:
        return nadi_error(d, "memory/unseen", place, hints[fault],
                          "rank %" PRIu32 " does not see tier '%s'", p->rank, name);
    case FAULT_OTHERS:
        return nadi_error(d, "memory/unseen", place, hints[fault],
                          "rank %" PRIu32 " does not see '%s': its own is %s:%" PRIu32, p->rank,
                          text, name, nadi_tiers_instance(p->t, tier, p->rank));
    case FAULT_TOO_LARGE:
        return nadi_error(d, "memory/too-large", place, hints[fault],
                          "the block of %s is larger than tier '%s' with %s",
                          nadi_units_bytes(bytes, (double)p->trace->bytes[p->node]), name,
                          nadi_units_bytes(capacity, (double)p->t->tiers[tier].capacity_bytes));
    case FAULT_NO_BYTES:
        return nadi_error(d, "node/missing-attribute", place, hints[fault],
                          "memory node without tensor_size");
    case FAULT_NO_POOL:
        return nadi_error(d, "node/memory-collective", place, hints[fault],
                          "memory node with comm_type (%s), but no pool's switches are on its way",
                          text);
    case FAULT_SUM_NAME:
        return nadi_error(d, "node/memory-collective", place, hints[fault],
                          "block '%.60s' of all ranks in the switches of tier '%s' has a name of "
                          "one rank",
                          text, name);
    case FAULT_JOINT: /* compare_joints */
    case FAULTS:
        break;
    }
    return false;
}

/* Text 0: `otherwise`. */
static bool find(struct pass *p, uint32_t text, uint32_t otherwise, uint8_t *tier)
{
    bool several;
    uint32_t found = otherwise;
    if (text) {
        const char *word = nadi_trace_string(p->trace, text);
        found = nadi_tiers_find(p->t, word, &several);
        if (found == NADI_NONE)
            return fault(p, several ? FAULT_SEVERAL : FAULT_UNKNOWN, NADI_NONE, word);
    }
    *tier = found == NADI_NONE ? NADI_MEM_NPU : (uint8_t)found;
    return true;
}

static bool resolve(struct pass *p, struct nadi_trace_mem *m)
{
    const bool loads = m->op == NADI_MEM_LOADS, stores = m->op == NADI_MEM_STORES;
    const char *op = nadi_mem_op_words[m->op];
    const uint32_t local = loads || stores ? p->local : NADI_NONE;
    if ((loads && !m->src && p->t->preset == NADI_NONE) ||
        (stores && !m->dst && p->t->preset == NADI_NONE))
        return fault(p, FAULT_NO_PRESET, NADI_NONE, op);
    if (!loads && !stores && (!m->dst || (m->op == NADI_MEM_COPIES && !m->src)))
        return fault(p, FAULT_MISSING, NADI_NONE, op);
    if (!find(p, m->src, loads ? p->t->preset : local, &m->from) ||
        !find(p, m->dst, stores ? p->t->preset : local, &m->to))
        return false;
    const bool stays = m->op == NADI_MEM_ALLOC || (m->op != NADI_MEM_LOADS && m->block);
    if (stays && m->to != NADI_MEM_NPU && m->op != NADI_MEM_FREE &&
        p->trace->bytes[p->node] > p->t->tiers[m->to].capacity_bytes)
        return fault(p, FAULT_TOO_LARGE, m->to, op);
    return true;
}

/* A collective in a pool's switches: between the pool and the NPU, under a name that all know. */
static void check_joint(struct pass *p, uint32_t from, uint32_t to)
{
    const struct nadi_trace *t = p->trace;
    const bool loads = t->type[p->node] == NADI_NODE_MEM_LOAD;
    const uint32_t pool = loads ? from : to, other = loads ? to : from;
    const struct nadi_trace_mem *m = nadi_trace_mem(t, p->node);
    const bool moves = !m || m->op == (loads ? NADI_MEM_LOADS : NADI_MEM_STORES);
    if (!moves || pool == NADI_NONE || p->t->tiers[pool].chunk_bytes == 0 ||
        (other != NADI_NONE && other != p->local)) {
        (void)fault(p, FAULT_NO_POOL, NADI_NONE,
                    nadi_collective_name((enum nadi_collective_kind)t->collective[p->node]));
        return;
    }
    const bool same = nadi_trace_same_for_all(t, p->node);
    if (m && (p->t->tiers[pool].full == NADI_FULL_NEXT ? m->block || m->reuse
                                                       : same && m->block && !m->reuse))
        (void)fault(p, FAULT_SUM_NAME, pool, nadi_trace_string(t, m->reuse ? m->reuse : m->block));
    const char *name = m && m->reuse ? nadi_trace_string(t, m->reuse) : "";
    const uint64_t words[] = {loads, same, t->bytes[p->node], nadi_hash_bytes(name, strlen(name))};
    p->joints[pool].count++;
    p->joints[pool].digest +=
        nadi_hash_u64(nadi_hash_words(words, sizeof(words) / sizeof(words[0])));
}

/* What a trace has in the switches of pools, the first rank that sees these has too. */
static void compare_joints(struct pass *p)
{
    for (uint32_t i = 0; i < p->t->tier_count; i++) {
        const struct joint_sum *own = &p->joints[i];
        struct joint_sum *first = &p->first[i];
        if (p->t->tiers[i].chunk_bytes == 0 || !nadi_tiers_sees(p->t, i, p->rank))
            continue;
        if (first->rank == NADI_NONE) {
            *first = *own;
            first->rank = p->rank;
        }
        if ((own->count == first->count && own->digest == first->digest) || p->found[FAULT_JOINT]++)
            continue;
        struct nadi_place place = NADI_IN_FILE(p->trace->path);
        place.rank = p->rank;
        (void)nadi_error(p->l->diags, "memory/joint", place,
                         "all ranks that see the tier make the same transfers in its switches",
                         "rank %" PRIu32 " has %" PRIu64 " transfers in the switches of tier '%s', "
                         "rank %" PRIu32 " has %" PRIu64 "%s",
                         p->rank, own->count, p->t->tiers[i].name, first->rank, first->count,
                         own->count == first->count ? " of other sizes or names" : "");
    }
}

static bool is_memory(const struct nadi_trace *t, uint32_t n)
{
    return t->type[n] == NADI_NODE_MEM_LOAD || t->type[n] == NADI_NODE_MEM_STORE;
}

/* A trace, for its first rank. */
static void resolve_trace(struct pass *p)
{
    struct nadi_trace *t = p->trace;
    uint32_t k = 0;
    t->copies_aside = true;
    memset(p->joints, 0, sizeof(p->joints));
    for (p->node = 0; p->node < t->node_count; p->node++) {
        if (!is_memory(t, p->node))
            continue;
        while (k < t->mem_count && t->mems[k].node < p->node)
            k++;
        const bool says = k < t->mem_count && t->mems[k].node == p->node;
        const bool bare = says && (t->mems[k].op == NADI_MEM_MISS ||
                                   (t->mems[k].op == NADI_MEM_FREE && t->mems[k].block));
        if (!(t->flags[p->node] & NADI_NODE_HAS_BYTES) && !bare)
            (void)fault(p, FAULT_NO_BYTES, NADI_NONE, NULL);
        if (says)
            (void)resolve(p, &t->mems[k]);
        else if (p->t->preset == NADI_NONE)
            (void)fault(p, FAULT_NO_PRESET, NADI_NONE, NULL);
        if (nadi_trace_in_switch(t, p->node)) {
            uint32_t from, to;
            (void)nadi_inputs_memory_ends(p->l->in, t, p->node, &from, &to);
            check_joint(p, from, to);
        }
    }
}

/* text: the name in the trace, 0 for none; of numbered instances a rank sees its own. */
static void see(struct pass *p, uint32_t tier, uint32_t text)
{
    if (tier == NADI_NONE || tier == NADI_MEM_NPU)
        return;
    const char *word = text ? nadi_trace_string(p->trace, text) : NULL;
    const uint32_t instance = word ? nadi_tiers_numbered(p->t, tier, word) : NADI_NONE;
    if (instance != NADI_NONE && instance != nadi_tiers_instance(p->t, tier, p->rank))
        (void)fault(p, FAULT_OTHERS, tier, word);
    else if (!nadi_tiers_sees(p->t, tier, p->rank))
        (void)fault(p, FAULT_UNSEEN, tier, NULL);
}

/* Does the rank see what its nodes touch? */
static void check_sight(struct pass *p)
{
    const struct nadi_trace *t = p->trace;
    for (uint32_t k = 0; k < t->mem_count; k++) {
        p->node = t->mems[k].node;
        see(p, t->mems[k].from, t->mems[k].src);
        see(p, t->mems[k].to, t->mems[k].dst);
    }
    for (p->node = 0; p->node < t->node_count; p->node++)
        if (is_memory(t, p->node) && !nadi_trace_mem(t, p->node))
            see(p, p->t->preset, 0);
}

bool nadi_inputs_memory_ends(const struct nadi_inputs *in, const struct nadi_trace *t,
                             uint32_t node, uint32_t *from, uint32_t *to)
{
    const struct nadi_tiers *tiers = in->tiers;
    const struct nadi_trace_mem *m = nadi_trace_mem(t, node);
    const uint32_t local = nadi_tiers_local(tiers);
    const bool loads = t->type[node] == NADI_NODE_MEM_LOAD;
    *from = loads ? tiers->preset : local;
    *to = loads ? local : tiers->preset;
    if (!m)
        return true;
    *from = m->from == NADI_MEM_NPU ? NADI_NONE : m->from;
    *to = m->to == NADI_MEM_NPU ? NADI_NONE : m->to;
    if (m->op != NADI_MEM_MISS)
        return m->op != NADI_MEM_ALLOC && m->op != NADI_MEM_FREE;
    *from = *to;
    *to = local;
    return true;
}

uint64_t nadi_inputs_memory_ns(const struct nadi_inputs *in, const struct nadi_trace *t,
                               uint32_t node, uint64_t *latency_ns)
{
    uint32_t from, to;
    double latency = 0;
    *latency_ns = in->memory.latency_ns;
    if (!in->tiers)
        return nadi_memory_service_ns(&in->memory, t->bytes[node],
                                      nadi_trace_same_for_all(t, node));
    *latency_ns = 0;
    if (!nadi_inputs_memory_ends(in, t, node, &from, &to))
        return 0;
    if (nadi_trace_in_switch(t, node)) {
        const struct nadi_tier_joint j = {from, to, nadi_trace_same_for_all(t, node)};
        const double joint = nadi_tiers_joint_ns(in->tiers, &j, t->bytes[node], &latency);
        *latency_ns = nadi_ns_trunc(latency);
        return nadi_ns_trunc(joint);
    }
    const struct nadi_trace_mem *m = nadi_trace_mem(t, node);
    const bool missed = m && m->op == NADI_MEM_MISS;
    const double ns =
        nadi_tiers_alone_ns(in->tiers, from, to, missed ? 0 : t->bytes[node], &latency);
    *latency_ns = nadi_ns_trunc(latency);
    return nadi_ns_trunc(ns);
}

uint64_t nadi_inputs_memory_least_ns(const struct nadi_inputs *in, const struct nadi_trace *t,
                                     uint32_t node)
{
    uint64_t latency_ns;
    for (uint32_t i = 0; in->tiers && i < in->tiers->tier_count; i++)
        if (in->tiers->tiers[i].full == NADI_FULL_NEXT)
            return 0;
    const uint64_t ns = nadi_inputs_memory_ns(in, t, node, &latency_ns);
    return in->tiers && ns > 0 ? ns - 1 : ns; /* picoseconds are rounded */
}

static bool all_see_all(const struct nadi_tiers *t)
{
    for (uint32_t i = 0; i < t->tier_count; i++)
        if (t->tiers[i].numbered || t->tiers[i].first_npu > 0 ||
            t->tiers[i].last_npu < t->npu_count - 1)
            return false;
    return true;
}

bool nadi_load_accesses(struct nadi_load *l)
{
    struct nadi_inputs *in = l->in;
    if (!in->tiers || in->system.replay_only)
        return true;
    struct pass p = {.l = l, .t = in->tiers, .local = nadi_tiers_local(in->tiers)};
    const bool all = all_see_all(in->tiers);
    for (uint32_t i = 0; i < NADI_MOST_TIERS; i++)
        p.first[i].rank = NADI_NONE;
    for (p.rank = 0; p.rank < in->rank_count; p.rank++) {
        p.trace = in->traces[p.rank];
        if (!p.trace->copies_aside) {
            resolve_trace(&p);
            compare_joints(&p);
        }
        if (!all)
            check_sight(&p);
    }
    uint64_t found = 0;
    for (uint32_t f = 0; f < FAULTS; f++) {
        if (p.found[f] > 1)
            nadi_note(l->diags, "memory/more", NADI_NOWHERE, NULL,
                      "%" PRIu64 " more memory nodes have such a mistake", p.found[f] - 1);
        found += p.found[f];
    }
    return found == 0;
}
