#include "fleet/dedup.h"

#include "base/file.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "fleet/edit.h"
#include "format/json_write.h"
#include "sim/fleet.h"
#include "trace/full_write.h"
#include "trace/set.h"

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

static bool read_rank(struct nadi_dedup *w, uint32_t i)
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

static bool ranks_are_all(const struct nadi_dedup *w)
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

static bool read_all(struct nadi_dedup *w)
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
    return nadi_fleet_groups(&w->groups, w->job->groups, w->metadata, w->source.count,
                             w->owned.items, (uint32_t)w->owned.count, w->diags);
}

/* --- classes -----------------------------------------------------------------------------------
 */

/* What a pg_name is called in the manifest's traces: a family, or as it is. */
static const char *new_name(const struct nadi_dedup *w, const char *name, uint32_t rank)
{
    const uint32_t g = nadi_groups_resolve(&w->groups, name, rank);
    const uint32_t family = g == NADI_NONE ? NADI_NONE : w->families.family_of[g];
    return family == NADI_NONE ? name : w->families.list.items[family].name;
}

static void find_families(struct nadi_dedup *w)
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
static uint32_t classify(const struct nadi_dedup *w, bool relative, uint32_t *class_of)
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

static void find_classes(struct nadi_dedup *w)
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
    w->classes = NADI_ARENA_ZNEW(&w->arena, struct nadi_rank_class, w->class_count);
    for (uint32_t r = 0; r < ranks; r++) {
        struct nadi_rank_class *c = &w->classes[w->class_of[r]];
        const uint64_t ns = w->keys[r].ns;
        if (c->count++ == 0)
            *c = (struct nadi_rank_class){r, 1, ns, ns};
        c->least_ns = nadi_min_u64(c->least_ns, ns);
        c->most_ns = nadi_max_u64(c->most_ns, ns);
    }
}

/* --- writing -----------------------------------------------------------------------------------
 */

static void write_node(const struct nadi_dedup *w, const struct nadi_full_node *n, uint32_t rank,
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

static bool write_class(struct nadi_dedup *w, uint32_t class)
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
static void add_entries(const struct nadi_dedup *w, uint32_t class, uint32_t *ranks,
                        struct nadi_str *out)
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

static bool write_manifest(struct nadi_dedup *w)
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
static bool write_groups(struct nadi_dedup *w)
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

static bool write_all(struct nadi_dedup *w)
{
    const char *output = w->job->output;
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

bool nadi_dedup_run(struct nadi_dedup *w, const struct nadi_dedup_job *job,
                    struct nadi_diags *diags)
{
    *w = (struct nadi_dedup){.job = job, .same = job->same, .diags = diags};
    nadi_arena_init(&w->arena);
    if (!nadi_trace_source_ranks(&w->source, job->names, job->count, "it is folded already",
                                 diags) ||
        !read_all(w))
        return false;
    find_classes(w);
    return write_all(w);
}

void nadi_dedup_release(struct nadi_dedup *w)
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
