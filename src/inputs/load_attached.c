/* load_attached: algorithms from files, and the collectives that run them. Every file is proved
 * before anything runs. */
#include "base/file.h"
#include "base/mem.h"
#include "collective/table_file.h"
#include "inputs/load.h"

static const char *text_of(struct nadi_load *l, const struct nadi_schema_values *v, const char *key)
{
    const struct nadi_schema_value *value = nadi_schema_get(v, key);
    return value->count ? nadi_arena_strdup(&l->in->arena, value->items[0].text) : NULL;
}

static struct nadi_place place_of(struct nadi_load *l, const struct nadi_doc *doc,
                                  const struct nadi_schema_values *v, const char *key)
{
    const struct nadi_schema_value *value = nadi_schema_get(v, key);
    struct nadi_place place = NADI_IN_FILE(nadi_arena_strdup(&l->in->arena, doc->path));
    place.line = value->node ? value->node->line : 0;
    place.column = value->node ? value->node->column : 0;
    return place;
}

static uint64_t size_of(const struct nadi_schema_values *v, const char *key, uint64_t absent)
{
    return nadi_schema_is_set(v, key) ? (uint64_t)nadi_schema_integer(v, key) : absent;
}

bool nadi_read_attached(struct nadi_load *l, const struct nadi_schema_values *values)
{
    const struct nadi_schema_value *list = nadi_schema_get(values, "custom-collectives");
    if (list->node && l->in->options.compat) {
        nadi_note(l->diags, "system/no-effect", nadi_doc_place(values->doc, list->node),
                  "use 'nadi run', where it has",
                  "'custom-collectives' has no effect under this program name");
        return true;
    }
    bool ok = true;
    if (l->to_attach_count > 0) /* --algorithm names a file: it comes before all else */
        return true;
    l->to_attach = NADI_ARENA_ZNEW(&l->in->arena, struct nadi_to_attach, list->count);
    for (uint32_t i = 0; i < list->count; i++) {
        struct nadi_schema_values v;
        if (!nadi_schema_check_map(&v, nadi_schema_of(NADI_SCHEMA_ATTACHED), values->doc,
                                   list->items[i].node, true, &l->in->arena, l->diags)) {
            ok = false;
            continue;
        }
        l->to_attach[l->to_attach_count++] = (struct nadi_to_attach){
            .place = place_of(l, values->doc, &v, "file"),
            .kind_place = place_of(l, values->doc, &v, "kind"),
            .group_place = place_of(l, values->doc, &v, "group"),
            .file = text_of(l, &v, "file"),
            .kind = text_of(l, &v, "kind"),
            .group = text_of(l, &v, "group"),
            .least_bytes = size_of(&v, "min-size", 0),
            .most_bytes = size_of(&v, "max-size", UINT64_MAX),
            .trace_bytes = size_of(&v, "trace-size", 0),
            .has_least = nadi_schema_is_set(&v, "min-size"),
            .has_most = nadi_schema_is_set(&v, "max-size"),
        };
    }
    return ok;
}

/* ---- groups -------------------------------------------------------------------------------- */

static bool fits(struct nadi_load *l, const struct nadi_to_attach *e, uint32_t group, uint32_t n)
{
    const struct nadi_group *g = &l->in->groups.items[group];
    if (n == 0 || g->size == n)
        return true;
    return nadi_error(l->diags, "system/custom-members", e->group_place, NULL,
                      "group \"%s\" has %u members, %s is for %u", e->group, g->size, e->file, n);
}

/* The groups that the entry names, as bits. */
static bool find_groups(struct nadi_load *l, const struct nadi_to_attach *e, uint32_t n,
                        struct nadi_attached *a)
{
    const struct nadi_groups *groups = &l->in->groups;
    if (!e->group) {
        a->members = n;
        return true;
    }
    uint64_t *bits = NADI_ARENA_ZNEW(&l->in->arena, uint64_t, groups->count / 64 + 1);
    const uint32_t family = nadi_groups_family(groups, e->group);
    const uint32_t ranks = family == NADI_NONE ? 1 : l->in->rank_count;
    for (uint32_t r = 0; r < ranks; r++) {
        const uint32_t group = nadi_groups_resolve(groups, e->group, r);
        if (group == NADI_NONE)
            return nadi_error(l->diags, "system/custom-group", e->group_place,
                              "groups come from --groups, the traces or a manifest",
                              "there is no group \"%s\"", e->group);
        if (!(bits[group / 64] >> (group % 64) & 1) && !fits(l, e, group, n))
            return false;
        bits[group / 64] |= UINT64_C(1) << (group % 64);
    }
    a->groups = bits;
    return true;
}

/* ---- files --------------------------------------------------------------------------------- */

/* Of an all-gather files count what all get, traces what each gives. */
static uint64_t node_bytes(const struct nadi_table *t, uint64_t bytes, bool up)
{
    const bool part = t->shape.kind == NADI_ALL_GATHER || t->shape.kind == NADI_GATHER;
    if (!part || bytes == UINT64_MAX)
        return bytes;
    return bytes / t->shape.n + (up && bytes % t->shape.n != 0);
}

static void run_table(struct nadi_attached *a, const struct nadi_table *t)
{
    a->implementation.count = 1;
    a->implementation.dims[0] = (struct nadi_algorithm_choice){
        .algorithm = NADI_ALGORITHM_PROGRAM,
        .flat = true,
        .program = nadi_table_ops(t),
        .table = t,
    };
}

/* Finds, or reads and proves, the file. */
static const struct nadi_table_file *get_table(struct nadi_load *l, const char *path)
{
    struct nadi_inputs *in = l->in;
    for (uint32_t i = 0; i < in->table_count; i++)
        if (strcmp(in->tables[i].path, path) == 0)
            return &in->tables[i];
    struct nadi_table_file *f = &in->tables[in->table_count];
    if (!nadi_table_read(f, path, l->diags))
        return NULL;
    in->table_count++;
    return nadi_table_prove(f, l->diags) ? f : NULL;
}

static bool attach_table(struct nadi_load *l, const struct nadi_to_attach *e,
                         struct nadi_attached *a)
{
    const struct nadi_table_file *f = get_table(l, nadi_load_resolve(l, e->file, ""));
    enum nadi_collective_kind kind;
    if (!f)
        return false;
    if (e->kind && nadi_collective_find(e->kind, &kind) && kind != f->table.shape.kind)
        return nadi_error(l->diags, "system/custom-kind", e->kind_place, NULL,
                          "%s is not of %s but of %s", e->file, e->kind,
                          nadi_collective_label(f->table.shape.kind));
    const bool known = nadi_native_kind_of(f->table.shape.kind, &a->kind);
    NADI_ASSERT(known);
    if (e->trace_bytes > 0)
        return nadi_error(l->diags, "system/custom-sizes", e->place, "leave it out",
                          "'trace-size' is for Chakra traces: %s runs at any size", e->file);
    if (!e->has_least)
        a->least_bytes = node_bytes(&f->table, f->least_bytes, true);
    if (!e->has_most)
        a->most_bytes = node_bytes(&f->table, f->most_bytes, false);
    run_table(a, &f->table);
    if (l->in->options.lone && f->table.shape.n != l->in->topology.npu_count)
        return nadi_error(l->diags, "system/custom-members", e->place, NULL,
                          "%s is for %u members, the network has %u NPUs", e->file,
                          f->table.shape.n, l->in->topology.npu_count);
    return find_groups(l, e, f->table.shape.n, a);
}

static bool attach_traces(struct nadi_load *l, const struct nadi_to_attach *e,
                          struct nadi_attached *a)
{
    enum nadi_collective_kind kind;
    if (!e->kind)
        return nadi_error(l->diags, "system/custom-kind", e->place, "add 'kind'",
                          "of which collective are the traces %s.*.et?", e->file);
    const bool known = nadi_collective_find(e->kind, &kind) && nadi_native_kind_of(kind, &a->kind);
    NADI_ASSERT(known);
    a->implementation.custom = e->file;
    a->implementation.custom_bytes = e->trace_bytes;
    return find_groups(l, e, 0, a);
}

static bool attach(struct nadi_load *l, const struct nadi_to_attach *e, struct nadi_attached *a)
{
    *a = (struct nadi_attached){.least_bytes = e->least_bytes, .most_bytes = e->most_bytes};
    if (e->least_bytes > e->most_bytes)
        return nadi_error(l->diags, "system/custom-sizes", e->place, NULL,
                          "'min-size' is above 'max-size'");
    const bool traces = nadi_file_exists(
        nadi_arena_printf(&l->in->arena, "%s.0.et", nadi_load_resolve(l, e->file, ".0.et")));
    return traces ? attach_traces(l, e, a) : attach_table(l, e, a);
}

/* A broadcast that no entry fits must be something too. */
static void set_broadcast(struct nadi_load *l)
{
    struct nadi_system_config *s = &l->in->system;
    struct nadi_implementation *broadcast = &s->native[NADI_NATIVE_BROADCAST];
    for (uint32_t i = 0; i < l->to_attach_count + (l->in->options.lone != NULL) &&
                         i < s->attached_count && broadcast->count == 0;
         i++)
        if (s->attached[i].kind == NADI_NATIVE_BROADCAST) {
            broadcast->count = 1;
            broadcast->dims[0] = (struct nadi_algorithm_choice){
                .algorithm = NADI_ALGORITHM_PROGRAM,
                .flat = true,
                .program = nadi_program_find("tree"),
            };
            if (!l->in->options.lone)
                nadi_note(l->diags, "system/broadcast", l->to_attach[i].place,
                          "set 'broadcast-implementation'",
                          "broadcasts that do not run this file run as tree");
        }
}

bool nadi_load_attached(struct nadi_load *l)
{
    struct nadi_inputs *in = l->in;
    const struct nadi_lone_collective *lone = in->options.lone;
    const uint32_t most = l->to_attach_count + 251; /* and those of a tuner table */
    struct nadi_attached *attached = NADI_ARENA_ZNEW(&in->arena, struct nadi_attached, most);
    bool ok = true;
    in->tables = NADI_ZNEW(struct nadi_table_file, most);
    in->system.attached = attached;
    if (lone && lone->table) {
        const bool known = nadi_native_kind_of(lone->kind, &attached[0].kind);
        NADI_ASSERT(known);
        attached[0].most_bytes = UINT64_MAX;
        run_table(&attached[0], lone->table);
        in->system.attached_count = 1;
        set_broadcast(l);
        return true;
    }
    for (uint32_t i = 0; i < l->to_attach_count; i++)
        ok &= attach(l, &l->to_attach[i], &attached[i]);
    in->system.attached_count = l->to_attach_count;
    ok = ok && nadi_load_tuner(l, attached, most);
    if (ok)
        set_broadcast(l);
    return ok;
}
