#include "api/inside.h"
#include "api/messages_json.h"
#include "api/trace_edit.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "inputs/trace_folder.h"
#include "platform/families.h"
#include "sim/fleet.h"
#include "trace/edit/fold_key.h"
#include "trace/full_write.h"
#include "trace/set.h"

struct rank_class { /* ranks that run one trace */
    uint32_t first, count;
    uint64_t least_ns, most_ns; /* sums of durations */
};

struct fold {
    const struct nadi_trace_dedup *o;
    enum nadi_fold_same same;
    struct nadi_trace_source source;
    struct nadi_arena arena;
    struct nadi_fold_key *keys;   /* by rank */
    struct nadi_trace **metadata; /* by rank: its METADATA nodes */
    struct nadi_trace *empty;
    struct {
        struct nadi_trace **items;
        size_t count, capacity;
    } owned;
    struct nadi_groups groups;
    struct nadi_families families;
    uint32_t *class_of; /* by rank */
    struct rank_class *classes;
    uint32_t class_count;
    bool relative, has_groups;
    struct nadi_str prefix, path;
    uint64_t nodes, nodes_written;
    struct nadi_diags *diags;
};

void nadi_trace_dedup_init(struct nadi_trace_dedup *options)
{
    *options = (struct nadi_trace_dedup){.size = sizeof(*options), .same = "all"};
}

/* --- reading -----------------------------------------------------------------------------------
 */

/* The METADATA nodes that may define groups as a trace of their own; `f` NULL: none. */
static struct nadi_trace *metadata_trace(const struct nadi_full *f)
{
    struct nadi_str file = NADI_STR_INIT, scratch = NADI_STR_INIT;
    struct nadi_diags inner;
    const struct nadi_node_patch alone = {.deps = true};
    static const uint8_t version[] = "\x0a\x05"
                                     "0.0.4",
                         node[] = "\x08\x01\x18\x01";
    nadi_diags_init(&inner);
    struct nadi_out *sink = nadi_out_memory(&file, NADI_CODING_PLAIN);
    nadi_frame_write(sink, version, sizeof(version) - 1);
    if (!f)
        nadi_frame_write(sink, node, sizeof(node) - 1);
    for (size_t i = 0; f && i < f->node_count; i++) {
        if (nadi_fold_defines_groups(&f->nodes[i]))
            nadi_full_write_node(sink, &scratch, &f->nodes[i], &alone);
    }
    bool ok = nadi_out_close(sink, &inner);
    struct nadi_trace *t =
        ok ? nadi_trace_parse(f ? f->path : "", file.text, file.length, 0, &inner) : NULL;
    nadi_str_release(&file);
    nadi_str_release(&scratch);
    nadi_diags_release(&inner);
    return t;
}

static bool read_rank(struct fold *w, uint32_t i)
{
    const uint32_t rank = w->source.ranks[i];
    struct nadi_full *f = nadi_full_read(w->source.paths[i], w->diags);
    if (!f)
        return false;
    nadi_fold_key_make(&w->keys[rank], f, rank, w->source.count, w->same, &w->arena);
    w->nodes += f->node_count;
    bool defines = false;
    for (size_t k = 0; k < f->node_count && !defines; k++)
        defines = nadi_fold_defines_groups(&f->nodes[k]);
    struct nadi_trace *t = defines ? metadata_trace(f) : NULL;
    if (t)
        NADI_PUSH(&w->owned, t);
    w->metadata[rank] = t ? t : w->empty;
    nadi_full_destroy(f);
    return true;
}

static bool ranks_are_all(const struct fold *w)
{
    for (uint32_t i = 0; i < w->source.count; i++) {
        if (w->source.ranks[i] >= w->source.count)
            return nadi_error(w->diags, "trace/ranks", NADI_IN_FILE(w->source.paths[i]),
                              "name the traces of all ranks, from 0 on",
                              "%u trace%s, but this is of rank %u", w->source.count,
                              w->source.count == 1 ? "" : "s", w->source.ranks[i]);
    }
    return true;
}

static bool read_all(struct fold *w)
{
    if (w->source.count == 1 && w->source.ranks[0] == NADI_NONE)
        w->source.ranks[0] = 0;
    if (!ranks_are_all(w))
        return false;
    w->keys = NADI_ARENA_ZNEW(&w->arena, struct nadi_fold_key, w->source.count);
    w->metadata = NADI_ARENA_ZNEW(&w->arena, struct nadi_trace *, w->source.count);
    w->empty = metadata_trace(NULL);
    NADI_ASSERT(w->empty);
    NADI_PUSH(&w->owned, w->empty);
    for (uint32_t i = 0; i < w->source.count; i++) {
        if (!read_rank(w, i))
            return false;
    }
    return nadi_fleet_groups(&w->groups, w->o->groups, w->metadata, w->source.count, w->owned.items,
                             (uint32_t)w->owned.count, w->diags);
}

/* --- classes -----------------------------------------------------------------------------------
 */

/* What a pg_name is called in the manifest's traces: a family, or as it is. */
static const char *new_name(const struct fold *w, const char *name, uint32_t rank)
{
    const uint32_t g = nadi_groups_resolve(&w->groups, name, rank);
    const uint32_t family = g == NADI_NONE ? NADI_NONE : w->families.family_of[g];
    return family == NADI_NONE ? name : w->families.list.items[family].name;
}

static void find_families(struct fold *w)
{
    const uint32_t ranks = w->source.count;
    const char *const **names = NADI_NEW(const char *const *, ranks);
    uint32_t *counts = NADI_NEW(uint32_t, ranks);
    for (uint32_t r = 0; r < ranks; r++) {
        names[r] = w->keys[r].groups;
        counts[r] = w->keys[r].group_count;
    }
    nadi_families_find(&w->families, &w->groups, ranks, names, counts);
    nadi_mem_free(names);
    nadi_mem_free(counts);
}

/* Fills class_of; returns the number of classes. */
static uint32_t classify(const struct fold *w, bool relative, uint32_t *class_of)
{
    struct nadi_strmap classes;
    struct nadi_str text = NADI_STR_INIT;
    uint32_t count = 0;
    nadi_strmap_init(&classes);
    for (uint32_t r = 0; r < w->source.count; r++) {
        const struct nadi_fold_key *key = &w->keys[r];
        uint8_t hash[32];
        char hex[65];
        nadi_str_clear(&text);
        nadi_str_add_bytes(&text, key->body, NADI_FOLD_HASH);
        nadi_str_add_bytes(&text, relative ? key->relative : key->absolute, NADI_FOLD_HASH);
        for (uint32_t i = 0; i < key->group_count; i++) {
            const char *name = new_name(w, key->groups[i], r);
            nadi_str_add_bytes(&text, name, strlen(name) + 1);
        }
        nadi_sha256(text.text, text.length, hash);
        nadi_sha256_hex(hash, hex);
        class_of[r] = nadi_strmap_put(&classes, hex, 64, count, NULL);
        count += class_of[r] == count;
    }
    nadi_strmap_release(&classes);
    nadi_str_release(&text);
    return count;
}

static void find_classes(struct fold *w)
{
    const uint32_t ranks = w->source.count;
    uint32_t *absolute = NADI_ARENA_NEW(&w->arena, uint32_t, ranks);
    uint32_t *relative = NADI_ARENA_NEW(&w->arena, uint32_t, ranks);
    find_families(w);
    const uint32_t with_absolute = classify(w, false, absolute);
    const uint32_t with_relative = classify(w, true, relative);
    w->relative = with_relative < with_absolute;
    w->class_of = w->relative ? relative : absolute;
    w->class_count = w->relative ? with_relative : with_absolute;
    w->classes = NADI_ARENA_ZNEW(&w->arena, struct rank_class, w->class_count);
    for (uint32_t r = 0; r < ranks; r++) {
        struct rank_class *c = &w->classes[w->class_of[r]];
        const uint64_t ns = w->keys[r].ns;
        if (c->count++ == 0)
            *c = (struct rank_class){r, 1, ns, ns};
        c->least_ns = nadi_min_u64(c->least_ns, ns);
        c->most_ns = nadi_max_u64(c->most_ns, ns);
    }
}

/* --- writing -----------------------------------------------------------------------------------
 */

static void write_node(const struct fold *w, const struct nadi_full_node *n, uint32_t rank,
                       struct nadi_out *sink, struct nadi_str *scratch, struct nadi_str *group)
{
    struct nadi_attr_patch attrs[3];
    struct nadi_node_patch patch = {.attrs = attrs};
    struct nadi_named_attr a;
    static const char *const peers[] = {"comm_src", "comm_dst"};
    uint64_t peer;
    for (size_t i = 0; i < 2 && w->relative; i++) {
        if (nadi_fold_peer(n, peers[i], &peer) && peer < w->source.count)
            attrs[patch.attr_count++] = (struct nadi_attr_patch){
                .name = peers[i],
                .kind = NADI_ATTR_PATCH_INTEGER,
                .bits = (peer + w->source.count - rank) % w->source.count,
            };
    }
    if (n->type == NADI_NODE_COLL && nadi_full_attr(n, "pg_name", &a) &&
        nadi_attr_is_text(&a.value)) {
        nadi_str_clear(group);
        nadi_str_add_bytes(group, a.value.data, a.value.bytes);
        const char *name = new_name(w, nadi_str_get(group), rank);
        if (strcmp(name, nadi_str_get(group)) != 0)
            attrs[patch.attr_count++] = (struct nadi_attr_patch){
                .name = "pg_name", .kind = NADI_ATTR_PATCH_TEXT, .text = name};
    }
    patch.drop_inputs = nadi_fold_defines_groups(n);
    nadi_full_write_node(sink, scratch, n, patch.attr_count || patch.drop_inputs ? &patch : NULL);
}

static bool write_class(struct fold *w, uint32_t class)
{
    const uint32_t rank = w->classes[class].first;
    uint32_t at = 0;
    while (w->source.ranks[at] != rank)
        at++;
    nadi_str_clear(&w->path);
    nadi_str_printf(&w->path, "%s.class%u.et", nadi_str_get(&w->prefix), class);
    struct nadi_full *f = nadi_full_read(w->source.paths[at], w->diags);
    struct nadi_out *sink =
        f ? nadi_out_open(nadi_str_get(&w->path), NADI_CODING_PLAIN, w->diags) : NULL;
    bool ok = sink != NULL;
    if (ok) {
        struct nadi_str scratch = NADI_STR_INIT, group = NADI_STR_INIT;
        nadi_full_write_metadata(sink, f);
        for (size_t i = 0; i < f->node_count; i++)
            write_node(w, &f->nodes[i], rank, sink, &scratch, &group);
        w->nodes_written += f->node_count;
        ok = nadi_out_close(sink, w->diags);
        nadi_str_release(&scratch);
        nadi_str_release(&group);
    }
    nadi_full_destroy(f);
    return ok;
}

/* Ranks of a class as entries of first, count and stride. O(ranks). */
static void add_entries(const struct fold *w, uint32_t class, uint32_t *ranks, struct nadi_str *out)
{
    uint32_t count = 0;
    for (uint32_t r = w->classes[class].first; r < w->source.count; r++) {
        if (w->class_of[r] == class)
            ranks[count++] = r;
    }
    for (uint32_t i = 0; i < count;) {
        const uint32_t stride = i + 1 < count ? ranks[i + 1] - ranks[i] : 1;
        uint32_t run = 1;
        while (i + run < count && ranks[i + run] == ranks[i] + run * stride)
            run++;
        if (run == 2 && stride > 1 && i + 2 < count)
            run = 1; /* two that only happen to be apart */
        nadi_str_printf(out, "  - {file: \"%s.class%u.et\", first: %u, count: %u",
                        nadi_file_name(nadi_str_get(&w->prefix)), class, ranks[i], run);
        nadi_str_printf(out, run > 1 && stride > 1 ? ", stride: %u}\n" : "}\n", stride);
        i += run;
    }
}

static bool write_manifest(struct fold *w)
{
    const struct nadi_families *f = &w->families;
    struct nadi_str text = NADI_STR_INIT;
    uint32_t *ranks = NADI_NEW(uint32_t, w->source.count);
    nadi_str_add(&text, "nadi-manifest: 1\n");
    if (f->list.count) {
        nadi_str_add(&text, "axes: {");
        for (uint32_t a = 0; a < f->axis_count; a++)
            nadi_str_printf(&text, "%s%s: %u", a ? ", " : "", f->axis_names[a], f->axes[a].size);
        nadi_str_add(&text, "}\ngroups:\n");
    } else {
        nadi_str_printf(&text, "ranks: %u\n", w->source.count);
    }
    for (size_t i = 0; i < f->list.count; i++) {
        uint32_t axes[NADI_FAMILY_AXES];
        const uint32_t count = nadi_family_axes(f, &f->list.items[i], axes);
        nadi_str_printf(&text, "  %s: [", f->list.items[i].name);
        for (uint32_t a = 0; a < count; a++)
            nadi_str_printf(&text, "%s%s", a ? ", " : "", f->axis_names[axes[a]]);
        nadi_str_add(&text, "]\n");
    }
    nadi_str_printf(&text, "peers: %s\ntraces:\n", w->relative ? "relative" : "absolute");
    for (uint32_t c = 0; c < w->class_count; c++)
        add_entries(w, c, ranks, &text);
    nadi_str_clear(&w->path);
    nadi_str_printf(&w->path, "%s.yml", nadi_str_get(&w->prefix));
    const bool ok = nadi_file_write(nadi_str_get(&w->path), text.text, text.length, w->diags);
    nadi_str_release(&text);
    nadi_mem_free(ranks);
    return ok;
}

/* Groups that keep their names: not all of their ranks could be put in a family. */
static bool write_groups(struct fold *w)
{
    struct nadi_str text = NADI_STR_INIT;
    bool ok = true;
    for (size_t g = 1; g < w->groups.count; g++) {
        const struct nadi_group *group = &w->groups.items[g];
        if (w->families.family_of[g] != NADI_NONE || !w->families.used[g])
            continue;
        struct nadi_json j; /* for the name alone, which may be any text */
        struct nadi_str name = NADI_STR_INIT;
        nadi_json_begin(&j, &name);
        nadi_json_string(&j, NULL, group->name);
        nadi_json_finish(&j);
        nadi_str_printf(&text, "%s\n  %.*s: [", w->has_groups ? "," : "{",
                        (int)strcspn(nadi_str_get(&name), "\n"), nadi_str_get(&name));
        for (uint32_t k = 0; k < group->size; k++)
            nadi_str_printf(&text, "%s%u", k ? ", " : "", nadi_group_member(group, k));
        nadi_str_add(&text, "]");
        nadi_str_release(&name);
        w->has_groups = true;
    }
    if (w->has_groups) {
        nadi_str_add(&text, "\n}\n");
        nadi_str_clear(&w->path);
        nadi_str_printf(&w->path, "%s.groups.json", nadi_str_get(&w->prefix));
        ok = nadi_file_write(nadi_str_get(&w->path), text.text, text.length, w->diags);
    }
    nadi_str_release(&text);
    return ok;
}

static bool write_all(struct fold *w)
{
    const char *output = w->o->edit.output;
    size_t length = strlen(output);
    if (!nadi_edit_prefix(output, w->diags))
        return false;
    if (nadi_str_ends(output, ".yml"))
        length -= 4;
    nadi_str_add_bytes(&w->prefix, output, length);
    struct nadi_trace_set *set = nadi_trace_set_begin(nadi_str_get(&w->prefix), w->diags);
    bool ok = set != NULL;
    for (uint32_t c = 0; c < w->class_count && ok; c++)
        ok = write_class(w, c);
    return nadi_trace_set_end(set, ok && write_groups(w) && write_manifest(w));
}

/* --- the report --------------------------------------------------------------------------------
 */

static void ranks_text(const struct fold *w, uint32_t class, struct nadi_str *out)
{
    uint32_t *ranks = NADI_NEW(uint32_t, w->source.count), count = 0;
    for (uint32_t r = 0; r < w->source.count; r++) {
        if (w->class_of[r] == class)
            ranks[count++] = r;
    }
    nadi_str_clear(out);
    nadi_ranges_text(ranks, count, out);
    nadi_mem_free(ranks);
}

static double spread(const struct rank_class *c)
{
    return c->most_ns ? 100.0 * (double)(c->most_ns - c->least_ns) / (double)c->most_ns : 0;
}

static void add_text(const struct fold *w, struct nadi_str *out)
{
    enum { LISTED = 20 };
    struct nadi_str ranks = NADI_STR_INIT;
    const char *prefix = nadi_str_get(&w->prefix);
    nadi_str_printf(out, "%s.yml: %u ranks, %u trace%s, peers %s\n", prefix, w->source.count,
                    w->class_count, w->class_count == 1 ? "" : "s",
                    w->relative ? "relative" : "absolute");
    nadi_str_printf(out, "  %" PRIu64 " nodes read, %" PRIu64 " written; %zu famil%s of groups\n",
                    w->nodes, w->nodes_written, w->families.list.count,
                    w->families.list.count == 1 ? "y" : "ies");
    if (w->has_groups)
        nadi_str_printf(out, "  %s.groups.json: groups that keep their names, for --groups\n",
                        prefix);
    for (uint32_t c = 0; c < w->class_count && c < LISTED; c++) {
        ranks_text(w, c, &ranks);
        nadi_str_printf(out, "  class %u, as rank %u: %u rank%s %s", c, w->classes[c].first,
                        w->classes[c].count, w->classes[c].count == 1 ? "" : "s",
                        nadi_str_get(&ranks));
        if (w->same == NADI_FOLD_SHAPE && w->classes[c].count > 1)
            nadi_str_printf(out, "; their times differ by %.1f %%", spread(&w->classes[c]));
        nadi_str_add(out, "\n");
    }
    if (w->class_count > LISTED)
        nadi_str_printf(out, "  and %u more\n", w->class_count - LISTED);
    if (w->class_count == w->source.count && w->source.count > 1 && w->same != NADI_FOLD_SHAPE)
        nadi_str_add(out, "no two ranks are the same; --same simulated or --same shape look at "
                          "less\n");
    nadi_str_release(&ranks);
}

static void add_json(const struct fold *w, struct nadi_str *out)
{
    struct nadi_str ranks = NADI_STR_INIT;
    struct nadi_json j;
    nadi_json_begin(&j, out);
    nadi_json_object(&j, NULL);
    nadi_str_printf(&ranks, "%s.yml", nadi_str_get(&w->prefix));
    nadi_json_string(&j, "manifest", nadi_str_get(&ranks));
    nadi_json_u64(&j, "ranks", w->source.count);
    nadi_json_string(&j, "peers", w->relative ? "relative" : "absolute");
    nadi_json_u64(&j, "nodes_read", w->nodes);
    nadi_json_u64(&j, "nodes_written", w->nodes_written);
    nadi_json_u64(&j, "families", w->families.list.count);
    nadi_json_array(&j, "classes");
    for (uint32_t c = 0; c < w->class_count; c++) {
        ranks_text(w, c, &ranks);
        nadi_json_row(&j, NULL);
        nadi_json_u64(&j, "class", c);
        nadi_json_u64(&j, "as_rank", w->classes[c].first);
        nadi_json_u64(&j, "count", w->classes[c].count);
        nadi_json_string(&j, "ranks", nadi_str_get(&ranks));
        nadi_json_double(&j, "times_differ_percent", spread(&w->classes[c]));
        nadi_json_close(&j);
    }
    nadi_json_close(&j);
    nadi_json_u64(&j, "errors", w->diags->errors);
    nadi_json_u64(&j, "warnings", w->diags->warnings);
    nadi_json_u64(&j, "notes", w->diags->notes);
    nadi_json_array(&j, "messages");
    nadi_messages_add_json(w->diags, &j);
    nadi_json_close(&j);
    nadi_json_close(&j);
    nadi_json_finish(&j);
    nadi_str_release(&ranks);
}

static bool read_same(const struct nadi_trace_dedup *o, enum nadi_fold_same *same,
                      struct nadi_diags *messages)
{
    static const char *const words[] = {"all", "simulated", "shape"};
    for (unsigned i = 0; i < 3; i++) {
        if (nadi_str_equal(o->same, words[i])) {
            *same = (enum nadi_fold_same)i;
            return true;
        }
    }
    return nadi_error(messages, "usage/word", NADI_NOWHERE, "all, simulated or shape",
                      "ranks cannot be the same in '%s'", o->same);
}

static void release(struct fold *w)
{
    for (size_t i = 0; i < w->owned.count; i++)
        nadi_trace_destroy(w->owned.items[i]);
    nadi_mem_free(w->owned.items);
    nadi_families_release(&w->families);
    if (w->groups.items)
        nadi_groups_release(&w->groups);
    nadi_trace_source_release(&w->source);
    nadi_arena_release(&w->arena);
    nadi_str_release(&w->prefix);
    nadi_str_release(&w->path);
}

enum nadi_status nadi_do_trace_dedup(const struct nadi_trace_dedup *given, char **report,
                                     struct nadi_diags *messages)
{
    struct nadi_trace_dedup o = *given;
    struct fold w = {.o = &o, .diags = messages};
    struct nadi_str text = NADI_STR_INIT;
    *report = NULL;
    nadi_arena_init(&w.arena);
    bool ok = read_same(&o, &w.same, messages) &&
              nadi_trace_source_find(&w.source, &o.edit.inputs, messages) && read_all(&w);
    if (ok) {
        find_classes(&w);
        ok = write_all(&w);
    }
    if (ok && !o.edit.json)
        add_text(&w, &text);
    else if (ok)
        add_json(&w, &text);
    *report = text.text;
    release(&w);
    return ok ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}
