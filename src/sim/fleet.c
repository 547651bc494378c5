#include "sim/fleet.h"

#include "base/mem.h"
#include "base/str.h"
#include "inputs/load.h"
#include "inputs/trace_files.h"
#include "inputs/trace_folder.h"

struct named_group { /* a name that the traces use and nobody defines */
    const char *name;
    uint32_t *ranks; /* ascending */
    size_t count, capacity;
    struct nadi_place place;
};

struct fleet {
    struct nadi_inputs *in;
    struct nadi_diags *diags;
    struct nadi_strmap index;
    struct {
        struct named_group *items;
        size_t count, capacity;
    } unknown;
    bool *used; /* by group that the file defines */
};

static void note_unknown(struct fleet *f, uint32_t rank, uint32_t node)
{
    const struct nadi_trace *t = f->in->traces[rank];
    const struct nadi_trace_comm *comm = &t->comms[t->comm[node]];
    const char *name = nadi_trace_string(t, comm->group), *kept;
    const uint32_t next = (uint32_t)f->unknown.count;
    const uint32_t at = nadi_strmap_put(&f->index, name, strlen(name), next, &kept);
    if (at == next) {
        struct named_group g = {.name = kept};
        g.place = nadi_trace_place(t, rank, node, &f->diags->arena);
        NADI_PUSH(&f->unknown, g);
    }
    struct named_group *g = &f->unknown.items[at];
    if (g->count && g->ranks[g->count - 1] == rank)
        return;
    if (g->count == g->capacity)
        g->ranks = nadi_mem_grow(g->ranks, &g->capacity, g->count + 1, sizeof(*g->ranks));
    g->ranks[g->count++] = rank;
}

/* A rank must be a member of every group that it uses; false with an error. */
static bool check_member(struct fleet *f, const struct nadi_group *g, uint32_t rank, uint32_t node)
{
    if (g->is_world || nadi_group_sorted_position(g, rank) != NADI_NONE)
        return true;
    return nadi_error(f->diags, "node/not-member",
                      nadi_trace_place(f->in->traces[rank], rank, node, &f->diags->arena),
                      "correct the groups or the traces",
                      "a collective of group \"%s\", of which rank %u is no member", g->name, rank);
}

struct names { /* of a trace: the groups of its collectives, each with its first node */
    uint32_t *items;
    size_t count, capacity;
};

static bool named_before(const struct nadi_trace *t, const struct names *names, uint32_t node)
{
    for (size_t i = names->count; i-- > 0;)
        if (t->comms[t->comm[names->items[i]]].group == t->comms[t->comm[node]].group)
            return true;
    return false;
}

static void find_names(const struct nadi_trace *t, struct names *names)
{
    for (uint32_t n = 0; n < t->node_count; n++)
        if (t->type[n] == NADI_NODE_COLL && !named_before(t, names, n))
            NADI_PUSH(names, n);
}

static bool look_at_rank(struct fleet *f, uint32_t rank, const struct names *names)
{
    bool ok = true;
    for (size_t i = 0; i < names->count; i++) {
        const struct nadi_group *g =
            nadi_inputs_group(f->in, f->in->traces[rank], names->items[i], rank);
        if (!g) {
            note_unknown(f, rank, names->items[i]);
            continue;
        }
        ok &= check_member(f, g, rank, names->items[i]);
        f->used[g - f->in->groups.items] = true;
    }
    return ok;
}

/* O(nodes of the distinct traces + ranks * groups of a rank); stops where much is wrong. */
static bool look_at_groups(struct fleet *f)
{
    enum { MOST_WRONG = 20 };
    struct names *names = NADI_ZNEW(struct names, f->in->owned_count);
    uint32_t *trace_of = NADI_NEW(uint32_t, f->in->rank_count), wrong = 0;
    nadi_trace_numbers(f->in, trace_of);
    for (uint32_t i = 0; i < f->in->owned_count; i++)
        find_names(f->in->owned[i], &names[i]);
    for (uint32_t r = 0; r < f->in->rank_count && wrong < MOST_WRONG; r++)
        wrong += !look_at_rank(f, r, &names[trace_of[r]]);
    for (uint32_t i = 0; i < f->in->owned_count; i++)
        nadi_mem_free(names[i].items);
    nadi_mem_free(names);
    nadi_mem_free(trace_of);
    return wrong == 0;
}

/* Unknown groups are errors beside a groups file; otherwise they are who uses them. */
static bool settle_unknown(struct fleet *f, bool has_file)
{
    for (size_t i = 0; i < f->unknown.count; i++) {
        const struct named_group *g = &f->unknown.items[i];
        struct nadi_str ranks = NADI_STR_INIT;
        bool existed;
        nadi_ranges_text(g->ranks, g->count, &ranks);
        if (has_file)
            nadi_error(f->diags, "node/unknown-group", g->place, "define it in the groups file",
                       "uses group \"%s\", which is not defined (on ranks %s)", g->name,
                       nadi_str_get(&ranks));
        else
            nadi_note(f->diags, "check/inferred-group", NADI_NOWHERE,
                      "give a groups file (--groups) to have the members checked too",
                      "group \"%s\" is taken to be the ranks that use it: %s", g->name,
                      nadi_str_get(&ranks));
        nadi_groups_add(&f->in->groups, g->name, g->ranks, (uint32_t)g->count, &existed);
        nadi_str_release(&ranks);
    }
    return !has_file || f->unknown.count == 0;
}

/* A group that the file defines and no collective names: said, in one message. */
static void note_unused(const struct fleet *f)
{
    enum { NAMED = 5 };
    const struct nadi_groups *groups = &f->in->groups;
    struct nadi_str names = NADI_STR_INIT;
    uint32_t count = 0;
    for (uint32_t i = 0; i < groups->count; i++) {
        const struct nadi_group *g = &groups->items[i];
        if (g->is_world || f->used[i])
            continue;
        if (count++ < NAMED)
            nadi_str_printf(&names, "%s\"%s\"", names.length ? ", " : "", g->name);
    }
    if (count > NAMED)
        nadi_str_printf(&names, " and %u more", count - NAMED);
    if (count)
        nadi_note(f->diags, "check/unused-group", NADI_IN_FILE(f->in->options.groups), NULL,
                  "no collective is for group%s %s", count == 1 ? "" : "s", nadi_str_get(&names));
    nadi_str_release(&names);
}

static bool check_groups(struct nadi_inputs *in, struct nadi_diags *diags)
{
    struct fleet f = {.in = in, .diags = diags};
    nadi_strmap_init(&f.index);
    f.used = NADI_ZNEW(bool, in->groups.count);
    bool ok = look_at_groups(&f);
    if (in->options.groups)
        note_unused(&f);
    nadi_mem_free(f.used);
    ok &= settle_unknown(&f, in->options.groups != NULL);
    for (size_t i = 0; i < f.unknown.count; i++)
        nadi_mem_free(f.unknown.items[i].ranks);
    nadi_mem_free(f.unknown.items);
    nadi_strmap_release(&f.index);
    return ok;
}

void nadi_load_bare_topology(struct nadi_inputs *in, uint32_t rank_count)
{
    in->topology.dim_count = 1;
    in->topology.dims[0] = (struct nadi_dim){
        .kind = NADI_DIM_SWITCH, .npus = rank_count, .bytes_per_ns = 1, .latency_ns = 0};
    if (!nadi_topology_finish(&in->topology))
        NADI_BUG("a fleet of %u ranks", rank_count);
    in->rank_count = rank_count;
    nadi_groups_init(&in->groups, rank_count);
}

static bool check_loaded(struct nadi_load *l)
{
    if (!nadi_load_metadata_groups(l))
        return false;
    nadi_strmap_put(&l->in->groups.by_name, "0", 1, 0, NULL);
    bool ok = check_groups(l->in, l->diags);
    return nadi_inputs_check(l->in, l->diags) && ok;
}

bool nadi_fleet_check(const char *const *paths, uint32_t rank_count, const char *groups,
                      struct nadi_diags *diags)
{
    struct nadi_inputs in = {.options.groups = groups};
    nadi_arena_init(&in.arena);
    nadi_load_bare_topology(&in, rank_count);
    struct nadi_load l = {.in = &in, .diags = diags};
    in.traces = NADI_NEW(struct nadi_trace *, rank_count);
    bool ok = nadi_load_groups(&l);
    ok &= nadi_trace_files_read(paths, rank_count, 0, in.traces, &in.owned, &in.owned_count, diags);
    ok = ok && check_loaded(&l);
    nadi_inputs_release(&in);
    return ok;
}

bool nadi_fleet_is_manifest(const char *workload)
{
    return nadi_is_manifest(workload);
}

bool nadi_fleet_open(struct nadi_fleet *fleet, const char *workload, const char *groups,
                     struct nadi_diags *diags)
{
    *fleet = (struct nadi_fleet){.in.options = {.workload = workload, .groups = groups}};
    nadi_arena_init(&fleet->in.arena);
    struct nadi_load l = {.in = &fleet->in, .diags = diags};
    if (nadi_is_manifest(workload))
        return nadi_load_manifest(&l);
    const uint32_t ranks = nadi_workload_ranks(workload);
    if (ranks)
        nadi_load_bare_topology(&fleet->in, ranks);
    return nadi_load_traces(&l);
}

void nadi_fleet_begin(struct nadi_fleet *fleet, uint32_t rank_count)
{
    *fleet = (struct nadi_fleet){0};
    nadi_arena_init(&fleet->in.arena);
    nadi_load_bare_topology(&fleet->in, rank_count);
}

bool nadi_fleet_compare(struct nadi_fleet *fleet, struct nadi_diags *diags)
{
    struct nadi_load l = {.in = &fleet->in, .diags = diags};
    return nadi_load_groups(&l) && check_loaded(&l);
}

void nadi_fleet_close(struct nadi_fleet *fleet)
{
    nadi_inputs_release(&fleet->in);
}

bool nadi_fleet_groups(struct nadi_groups *groups, const char *file,
                       struct nadi_trace *const *traces, uint32_t rank_count,
                       struct nadi_trace *const *owned, uint32_t owned_count,
                       struct nadi_diags *diags)
{
    struct nadi_inputs in = {.options.groups = file};
    nadi_arena_init(&in.arena);
    nadi_load_bare_topology(&in, rank_count);
    struct nadi_load l = {.in = &in, .diags = diags};
    bool ok = nadi_load_groups(&l);
    in.traces = NADI_NEW(struct nadi_trace *, rank_count);
    in.owned = NADI_NEW(struct nadi_trace *, owned_count);
    memcpy(in.traces, traces, rank_count * sizeof(struct nadi_trace *));
    memcpy(in.owned, owned, owned_count * sizeof(struct nadi_trace *));
    in.owned_count = owned_count;
    ok = ok && nadi_load_metadata_groups(&l);
    nadi_strmap_put(&in.groups.by_name, "0", 1, 0, NULL);
    *groups = in.groups;
    in.groups = (struct nadi_groups){0};
    in.owned_count = 0; /* the traces are the caller's */
    nadi_inputs_release(&in);
    return ok;
}

bool nadi_fleet_dims(const char *network, uint32_t *dims, uint32_t *count, struct nadi_diags *diags)
{
    struct nadi_inputs in = {.options.network = network};
    nadi_arena_init(&in.arena);
    struct nadi_load l = {.in = &in, .diags = diags};
    const bool ok = nadi_load_network(&l);
    if (ok) {
        *count = in.topology.dim_count;
        for (uint32_t d = 0; d < in.topology.dim_count; d++)
            dims[d] = in.topology.dims[d].npus;
    }
    nadi_inputs_release(&in);
    return ok;
}
