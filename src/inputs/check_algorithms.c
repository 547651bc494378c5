/* check_algorithms: can the configured algorithm run this collective on this group at this size?
 *
 * Sizes follow the phases of the reference: a chunk passes through the participating dimensions,
 * reduce-scatter divides it, all-gather multiplies it, and an algorithm cuts it into messages. A
 * message of 0 bytes would never be matched, so it is refused here. All sizes grow with the
 * collective's, so the smallest one of a use speaks for all. */
#include "base/str.h"
#include "base/time.h"
#include "collective/phase_time.h"
#include "collective/program.h"
#include "inputs/check.h"

struct stage { /* one phase of a chunk */
    const struct nadi_algorithm_choice *choice;
    uint32_t npus, stride;          /* of its rings, in members */
    enum nadi_collective_kind kind; /* of the phase */
};

struct plan {
    struct nadi_check *c;
    const struct nadi_use *use;
    const struct nadi_implementation *impl;
    enum nadi_native_kind native;
    struct stage stages[2 * NADI_MAX_DIMS];
    uint32_t count;
    bool small_group;
};

static const char *name_of(const struct nadi_algorithm_choice *choice)
{
    return nadi_algorithm_name(choice->algorithm, choice->program);
}

static struct nadi_place place_of(const struct plan *p)
{
    return nadi_trace_place(p->use->trace, p->use->rank, p->use->node, &p->c->arena);
}

static const char *group_text(const struct plan *p)
{
    const struct nadi_group *g = &p->c->in->groups.items[p->use->group];
    return g->is_world
               ? "all ranks"
               : nadi_arena_printf(&p->c->arena, "group \"%s\" of %u ranks", g->name, g->size);
}

static bool refuse(const struct plan *p, const char *code, const char *hint, const char *why)
{
    return nadi_error(p->c->diags, code, place_of(p), hint, "%s on %s cannot run: %s",
                      nadi_collective_name(p->use->kind), group_text(p), why);
}

static bool report_missing(const struct plan *p)
{
    struct nadi_str on = NADI_STR_INIT;
    nadi_ranks_text(p->use->ranks, p->c->in->rank_count, &on);
    const char *node = place_of(p).node;
    struct nadi_str hint = NADI_STR_INIT;
    const struct nadi_setting *key =
        nadi_schema_find(nadi_schema_of(NADI_SCHEMA_SYSTEM), nadi_native_key(p->native));
    nadi_str_printf(&hint,
                    "add it, for example [\"%.*s\"]. Allowed:", (int)strcspn(key->words[0], "["),
                    key->words[0]);
    for (size_t i = 0; key->words[i]; i++)
        nadi_str_printf(&hint, "%s %s", i ? "," : "", key->words[i]);
    nadi_error(p->c->diags, "system/no-algorithm", p->c->algorithms[p->native], nadi_str_get(&hint),
               "no '%s', needed by node %s (%s) on %s", nadi_native_key(p->native), node,
               nadi_collective_name(p->use->kind), nadi_str_get(&on));
    nadi_str_release(&on);
    nadi_str_release(&hint);
    return false;
}

static bool is_power_of_two(uint32_t n)
{
    return n && (n & (n - 1)) == 0;
}

static void add_stage(struct plan *p, uint32_t entry, enum nadi_collective_kind kind)
{
    const struct nadi_topology *t = &p->c->in->topology;
    const struct nadi_algorithm_choice *choice = &p->impl->dims[entry];
    p->stages[p->count++] = (struct stage){
        .choice = choice,
        .npus = choice->flat ? t->npu_count : t->dims[entry].npus,
        .stride = choice->flat ? 1 : t->stride[entry],
        .kind = kind,
    };
}

/* Entries of the list that take part, ascending; a one* entry ends the list. */
static uint32_t participants(struct plan *p, uint32_t entries[NADI_MAX_DIMS], uint32_t *used)
{
    const struct nadi_topology *t = &p->c->in->topology;
    uint32_t count = 0;
    *used = 0;
    for (uint32_t i = 0; i < p->impl->count; i++) {
        bool flat = p->impl->dims[i].flat;
        *used = flat ? NADI_MAX_DIMS : i + 1;
        if ((flat ? t->npu_count : t->dims[i].npus) > 1 && p->use->mask >> i & 1)
            entries[count++] = i;
        if (flat)
            break;
    }
    return count;
}

static void plan_world(struct plan *p, const uint32_t *entries, uint32_t count)
{
    if (p->use->kind == NADI_ALL_GATHER) {
        for (uint32_t i = count; i-- > 0;)
            add_stage(p, entries[i], NADI_ALL_GATHER);
        return;
    }
    bool split = p->use->kind == NADI_ALL_REDUCE && p->c->in->system.local_bw_aware;
    for (uint32_t i = 0; i < count; i++)
        add_stage(p, entries[i], split && i + 1 < count ? NADI_REDUCE_SCATTER : p->use->kind);
    for (uint32_t i = count; split && i-- > 1;)
        add_stage(p, entries[i - 1], NADI_ALL_GATHER);
}

/* What the reference runs otherwise than its words say: an error, but under its own names. */
static bool runs_as_reference(const struct plan *p, const char *code, const char *hint,
                              const char *what)
{
    if (!p->c->in->options.compat)
        return nadi_error(p->c->diags, code, p->c->algorithms[p->native], hint,
                          "%s; under the names of the reference's programs nadi still runs it",
                          what);
    nadi_warning(p->c->diags, code, p->c->algorithms[p->native], hint, "%s, as in the reference",
                 what);
    return true;
}

/* Dimensions beyond the list are left out, which is hardly meant. */
static bool check_short_list(const struct plan *p, uint32_t used)
{
    const struct nadi_topology *t = &p->c->in->topology;
    uint32_t left_out = 0;
    for (uint32_t d = used; d < t->dim_count; d++)
        left_out += t->dims[d].npus > 1 && p->use->mask >> d & 1;
    if (left_out == 0)
        return true;
    return runs_as_reference(
        p, "system/short-list",
        "write one entry a network dimension, or one one* entry for all ranks",
        nadi_arena_printf(&p->c->arena,
                          "'%s' has %u entr%s, the network has %u dimensions: %s (node %s) would "
                          "run separately in each part of the network",
                          nadi_native_key(p->native), p->impl->count,
                          p->impl->count == 1 ? "y" : "ies", t->dim_count,
                          nadi_collective_name(p->use->kind), place_of(p).node));
}

static bool make_world_plan(struct plan *p)
{
    uint32_t entries[NADI_MAX_DIMS], used;
    uint32_t count = participants(p, entries, &used);
    plan_world(p, entries, count);
    if (!check_short_list(p, used))
        return false;
    if (count == 0 && p->c->in->rank_count > 1)
        nadi_warning(p->c->diags, "node/no-dimension", place_of(p),
                     "set at least one entry of involved_dim whose dimension has several NPUs",
                     "no dimension takes part in this %s: nothing is communicated",
                     nadi_collective_name(p->use->kind));
    return true;
}

/* One flat communicator; a list with several entries gives way to ring. */
static void make_group_plan(struct plan *p, const struct nadi_group *g)
{
    static const struct nadi_algorithm_choice ring = {.algorithm = NADI_ALGORITHM_RING};
    bool one = p->impl->count == 1;
    bool replaced = false;
    for (uint32_t i = 0; i < p->impl->count && !one; i++)
        replaced |= p->impl->dims[i].algorithm != NADI_ALGORITHM_RING;
    if (replaced)
        nadi_note(p->c->diags, "system/group-ring", p->c->algorithms[p->native],
                  "write a list with one entry to choose the algorithm of smaller groups",
                  "%s on %s runs ring: groups smaller than the network use the list only where it "
                  "has one entry, as in the reference",
                  nadi_collective_name(p->use->kind), group_text(p));
    p->small_group = true;
    p->stages[p->count++] = (struct stage){
        .choice = one ? &p->impl->dims[0] : &ring,
        .npus = g->size,
        .stride = 1,
        .kind = p->use->kind,
    };
}

/* The reference's algorithms have a delay of their own in groups smaller than the network. */
static void warn_of_delay(struct plan *p)
{
    const struct nadi_system_config *s = &p->c->in->system;
    if (p->c->said_delay || s->exact || p->c->in->options.compat ||
        s->endpoint_delay_ns == NADI_LOCAL_ENDPOINT_NS ||
        !nadi_has_local_endpoint(p->stages[0].choice->algorithm))
        return;
    p->c->said_delay = true;
    nadi_warning(p->c->diags, "system/endpoint-delay", p->c->algorithms[p->native],
                 "--network-model flow takes the file's",
                 "'endpoint-delay' of %" PRIu64 " ns has no effect on %s on %s: %s takes %d ns in "
                 "groups smaller than the network, as in the reference",
                 s->endpoint_delay_ns, nadi_collective_name(p->use->kind), group_text(p),
                 name_of(p->stages[0].choice), NADI_LOCAL_ENDPOINT_NS);
}

/* The reference builds the tree of the list's last entry among the lowest ranks only. */
static bool tree_fits(const struct plan *p, const struct stage *s)
{
    const struct nadi_topology *t = &p->c->in->topology;
    bool last = s->choice == &p->impl->dims[p->impl->count - 1];
    for (uint32_t d = p->impl->count; d < t->dim_count && last; d++)
        if (t->dims[d].npus > 1)
            return false;
    return true;
}

static uint32_t log2_of(uint32_t n)
{
    uint32_t l = 0;
    while (n >>= 1)
        l++;
    return l;
}

/* Halving-doubling pairs rank i with i + o where floor(i / o) is even, with i - o elsewhere: every
 * rank has its partner where 2 o divides n. Reduce-scatter and all-reduce use o = 1, 2, 4, ..., all
 * powers of two up to n / 2; all-gather halves o from n / 2, which also works for 6, 12 or 24. */
static bool pairs_match(const struct stage *s)
{
    if (s->kind != NADI_ALL_GATHER)
        return is_power_of_two(s->npus);
    for (uint32_t o = s->npus / 2, step = log2_of(s->npus); step > 0; o /= 2, step--)
        if (s->npus % (2 * o) != 0)
            return false;
    return true;
}

/* Why a program cannot run the phase on one of its rings; NULL: it can on all. Only where the
 * switches of a graph take part do rings differ. */
static const char *refusal(const struct plan *p, const struct nadi_phase *phase)
{
    const struct nadi_inputs *in = p->c->in;
    const struct nadi_group *g = &in->groups.items[p->use->group];
    const uint32_t size = p->small_group ? g->size : in->rank_count;
    uint32_t *ranks = NADI_ARENA_NEW(&p->c->arena, uint32_t, phase->n);
    const struct nadi_program_place place = {
        .topology = &in->topology,
        .graph = in->graph.node_count ? &in->graph : NULL,
        .ranks = ranks,
        .arena = &p->c->arena,
    };
    const uint32_t rings = phase->program->in_switches && place.graph ? size / phase->n : 1;
    const char *refused = NULL;
    for (uint32_t r = 0; r < rings && !refused; r++) {
        const uint32_t base = r / phase->stride * (phase->stride * phase->n) + r % phase->stride;
        for (uint32_t i = 0; i < phase->n; i++)
            ranks[i] = p->small_group ? g->members[i] : base + i * phase->stride;
        struct nadi_program program;
        refused = nadi_program_of_phase(phase, &place, &program);
    }
    return refused;
}

/* A step generator says itself what it can do. */
static bool check_program(struct plan *p, const struct stage *s)
{
    const struct nadi_phase phase = {
        .program = s->choice->program,
        .table = s->choice->table,
        .op = s->kind == NADI_ALL_REDUCE       ? NADI_PHASE_ALL_REDUCE
              : s->kind == NADI_ALL_GATHER     ? NADI_PHASE_ALL_GATHER
              : s->kind == NADI_REDUCE_SCATTER ? NADI_PHASE_REDUCE_SCATTER
              : s->kind == NADI_ALL_TO_ALL     ? NADI_PHASE_ALL_TO_ALL
                                               : NADI_PHASE_OTHER,
        .kind = s->kind,
        .n = s->npus,
        .stride = s->stride,
        .bytes = s->npus,
        .parameter = s->choice->window,
        .local = p->small_group,
        .spans_all = s->choice->flat && !p->small_group,
    };
    const struct nadi_network_ops *model = p->c->in->options.network_model;
    if (phase.program->in_switches && model->no_switch_ends)
        return refuse(p, "system/algorithm-model",
                      "use another algorithm, or another network model",
                      nadi_arena_printf(&p->c->arena,
                                        "in the network model %s no message ends at a switch: "
                                        "%s cannot run",
                                        model->name, phase.program->name));
    if (phase.program->in_switches && model->has_loads &&
        p->c->in->loadstore.copy == NADI_COPY_ENGINE)
        return refuse(p, "system/algorithm-model", "copy: sm, or another algorithm",
                      nadi_arena_printf(&p->c->arena,
                                        "copy engines copy: only loads and stores of SMs are added "
                                        "up and spread by switches, and %s needs that",
                                        phase.program->name));
    const char *refused = refusal(p, &phase);
    if (!refused)
        return true;
    return refuse(
        p, "system/algorithm-kind",
        phase.program->in_switches
            ? "set in-switch-bandwidth in the network file, or use another algorithm: see "
              "docs/models/collectives.md"
            : "use another algorithm: see docs/models/collectives.md",
        nadi_arena_printf(&p->c->arena, "%s as %s over %u ranks: %s", nadi_collective_name(s->kind),
                          s->choice->program->name, s->npus, refused));
}

/* A system file that asks for it is run as the reference runs it; elsewhere it would be the fastest
 * of all algorithms. */
static bool leaves_parts_out(const struct plan *p, const char *name, uint32_t n)
{
    static const char code[] = "system/algorithm-size", hint[] = "use ring or direct";
    const struct nadi_place place = p->c->algorithms[p->native];
    const char *what = nadi_arena_printf(
        &p->c->arena,
        "%s needs a power of two of ranks: on %u everybody has a partner in each step, but an "
        "all-gather leaves parts out",
        name, n);
    if (!p->c->in->options.system || p->use->attached != NADI_NONE)
        return nadi_error(p->c->diags, code, place, hint, "%s", what);
    nadi_warning(p->c->diags, code, place, hint,
                 "%s; its time, as in the reference's, is too short", what);
    return true;
}

static bool check_shape(struct plan *p, const struct stage *s)
{
    const char *name = name_of(s->choice);
    bool tree = s->choice->algorithm == NADI_ALGORITHM_DOUBLE_BINARY_TREE;
    bool halving = s->choice->algorithm == NADI_ALGORITHM_HALVING_DOUBLING;
    struct nadi_arena *arena = &p->c->arena;
    if (s->choice->program)
        return check_program(p, s);
    if ((tree && !is_power_of_two(s->npus)) || (halving && !pairs_match(s)))
        return refuse(p, "system/algorithm-size", "use ring or direct",
                      nadi_arena_printf(arena, "%s needs a power of two of ranks, here are %u",
                                        name, s->npus));
    if (halving && s->kind == NADI_ALL_GATHER && !is_power_of_two(s->npus))
        return leaves_parts_out(p, name, s->npus);
    if (halving && s->kind == NADI_ALL_TO_ALL)
        return refuse(p, "system/algorithm-kind", "use ring or direct in the list of all-to-all",
                      nadi_arena_printf(arena, "%s has no all-to-all", name));
    if (tree && p->small_group)
        return refuse(p, "system/algorithm-group", "use ring, direct or halvingDoubling",
                      "doubleBinaryTree is for all ranks of a dimension, not for smaller groups");
    if (tree && !tree_fits(p, s))
        return refuse(p, "system/algorithm-size", "write one entry a network dimension",
                      "doubleBinaryTree ends a list that is shorter than the network");
    return true;
}

/* An all-reduce by dimensions whose chunks take these in any order: each may scatter, gather, or
 * reduce for all. */
static bool check_any_order(struct plan *p)
{
    static const enum nadi_collective_kind kinds[] = {NADI_REDUCE_SCATTER, NADI_ALL_REDUCE,
                                                      NADI_ALL_GATHER};
    const struct nadi_system_config *c = &p->c->in->system;
    const bool split = p->use->kind == NADI_ALL_REDUCE && c->local_bw_aware && !p->small_group;
    for (uint32_t i = 0; split && c->inter != NADI_INTER_BASELINE && i < p->count; i++)
        for (uint32_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
            struct stage s = p->stages[i];
            s.kind = kinds[k];
            if (p->count > 1 && !check_shape(p, &s))
                return false;
        }
    return true;
}

/* Smallest message of the phase for a chunk of r bytes. */
static uint64_t smallest_message(const struct stage *s, uint64_t r)
{
    if (s->choice->program) /* its blocks differ by a byte at most */
        return 1;
    if (s->choice->algorithm == NADI_ALGORITHM_DOUBLE_BINARY_TREE || s->kind == NADI_ALL_GATHER)
        return r;
    if (s->choice->algorithm == NADI_ALGORITHM_HALVING_DOUBLING && s->kind == NADI_ALL_REDUCE)
        return (r >> log2_of(s->npus)) / 2 * 2;
    return r / s->npus;
}

static uint64_t size_after(const struct stage *s, uint64_t r)
{
    if (s->choice->algorithm == NADI_ALGORITHM_DOUBLE_BINARY_TREE)
        return r;
    if (s->kind == NADI_REDUCE_SCATTER)
        return r / s->npus;
    if (s->kind == NADI_ALL_GATHER)
        return r > UINT64_MAX / s->npus ? UINT64_MAX : r * s->npus;
    return r;
}

static uint32_t chunks_of(const struct plan *p, uint64_t bytes)
{
    const struct nadi_inputs *in = p->c->in;
    struct nadi_plan_request q = nadi_system_plan_request(
        &in->system, &in->topology, &in->groups, p->use->group, p->native, bytes, p->use->mask);
    q.implementation = p->impl;
    return nadi_plan_splits(&q);
}

static const char *size_text(const struct plan *p, const struct stage *s, uint64_t bytes,
                             uint64_t r)
{
    const uint32_t chunks = chunks_of(p, bytes);
    return nadi_arena_printf(&p->c->arena,
                             "%" PRIu64 " B in %u chunk%s leave %" PRIu64 " B for %s over %u ranks",
                             bytes, chunks, chunks == 1 ? "" : "s", r, name_of(s->choice), s->npus);
}

/* Messages of 0 bytes, where the reference aborts: refused where a chunk has less than a byte for
 * each rank; else they cost their latency, and a warning says so. */
static bool check_sizes(struct plan *p)
{
    uint64_t bytes = nadi_count_scale(p->use->bytes, p->c->in->options.comm_scale);
    uint64_t chunk = bytes / chunks_of(p, bytes);
    uint64_t least = p->use->kind == NADI_ALL_GATHER ? 1 : p->c->in->rank_count;
    uint64_t r = chunk < least ? least : chunk;
    const char *hint = "use ring or direct, fewer chunks or more bytes";
    for (uint32_t i = 0; i < p->count; i++) {
        const struct stage *s = &p->stages[i];
        bool empty = smallest_message(s, r) == 0;
        if (empty && chunk < least)
            return refuse(p, "system/algorithm-size", hint,
                          nadi_arena_printf(&p->c->arena, "%s, which would send messages of 0 B",
                                            size_text(p, s, bytes, r)));
        if (empty) {
            nadi_warning(p->c->diags, "system/empty-messages", p->c->algorithms[p->native], hint,
                         "%s on %s: %s: some messages have 0 B and take the latency alone; the "
                         "reference aborts",
                         nadi_collective_name(p->use->kind), group_text(p),
                         size_text(p, s, bytes, r));
            return true;
        }
        r = size_after(s, r);
    }
    return true;
}

static bool check_tree(const struct plan *p)
{
    for (uint32_t i = 0; i < p->count && p->use->kind != NADI_ALL_REDUCE; i++)
        if (p->stages[i].choice->algorithm == NADI_ALGORITHM_DOUBLE_BINARY_TREE)
            return runs_as_reference(
                p, "system/tree-kind", "use another algorithm for this collective",
                nadi_arena_printf(&p->c->arena, "doubleBinaryTree runs an all-reduce for %s too",
                                  nadi_collective_name(p->use->kind)));
    return true;
}

bool nadi_check_use(struct nadi_check *c, const struct nadi_use *use)
{
    const struct nadi_inputs *in = c->in;
    const struct nadi_group *g = &in->groups.items[use->group];
    struct plan p = {.c = c, .use = use, .native = nadi_native_of(use->kind)};
    if (use->uneven)
        p.native = NADI_NATIVE_ALL_TO_ALL_V;
    if (use->custom || g->size == 1)
        return true;
    p.impl = use->attached == NADI_NONE ? &in->system.native[p.native]
                                        : &in->system.attached[use->attached].implementation;
    if (p.impl->count == 0)
        return report_missing(&p);
    if (p.impl->dims[0].algorithm == NADI_ALGORITHM_LIBRARY)
        return true;
    if (!g->is_world && g->size != in->rank_count) {
        make_group_plan(&p, g);
        warn_of_delay(&p);
    } else if (!make_world_plan(&p))
        return false;
    for (uint32_t i = 0; i < p.count; i++)
        if (!check_shape(&p, &p.stages[i]))
            return false;
    if (!check_any_order(&p) || !check_tree(&p))
        return false;
    return p.native >= NADI_NATIVE_BROADCAST || check_sizes(&p);
}
