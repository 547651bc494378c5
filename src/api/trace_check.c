#include "api/inside.h"
#include "base/mem.h"
#include "base/str.h"
#include "fleet/source.h"
#include "format/json_write.h"
#include "report/messages_json.h"
#include "sim/fleet.h"
#include "trace/audit.h"

void nadi_trace_check_init(struct nadi_trace_check *options)
{
    *options = (struct nadi_trace_check){.size = sizeof(*options)};
}

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

static void add_line(const char *path, const struct nadi_audit *audit, struct nadi_str *out)
{
    nadi_str_printf(out, "%s: %s, %zu node%s, %zu dependenc%s\n", path,
                    audit->sound ? "sound" : "DAMAGED", audit->nodes, plural(audit->nodes),
                    audit->deps, audit->deps == 1 ? "y" : "ies");
}

static void add_summary(const struct nadi_diags *d, const char *ranks, struct nadi_str *out)
{
    if (ranks)
        nadi_str_printf(out, "ranks against each other: %s\n", ranks);
    nadi_str_printf(out, "%zu error%s, %zu warning%s\n", d->errors, plural(d->errors), d->warnings,
                    plural(d->warnings));
}

static void add_json(const struct nadi_trace_source *s, const struct nadi_audit *audits,
                     const char *ranks, const struct nadi_diags *d, struct nadi_str *out)
{
    struct nadi_json j;
    nadi_json_begin(&j, out);
    nadi_json_object(&j, NULL);
    nadi_json_array(&j, "files");
    for (uint32_t i = 0; i < s->count; i++) {
        nadi_json_row(&j, NULL);
        nadi_json_string(&j, "path", s->paths[i]);
        if (s->ranks[i] != NADI_NONE)
            nadi_json_u64(&j, "rank", s->ranks[i]);
        nadi_json_bool(&j, "sound", audits[i].sound);
        nadi_json_u64(&j, "nodes", audits[i].nodes);
        nadi_json_u64(&j, "dependencies", audits[i].deps);
        nadi_json_close(&j);
    }
    nadi_json_close(&j);
    nadi_json_string(&j, "ranks", ranks ? ranks : "not compared");
    nadi_messages_json_members(d, &j);
    nadi_json_close(&j);
    nadi_json_finish(&j);
}

/* By rank; NULL with an error when one is missing. */
static const char **in_order_of_ranks(struct nadi_trace_source *s, struct nadi_diags *diags)
{
    const char **paths = NADI_ARENA_ZNEW(&s->arena, const char *, s->count);
    for (uint32_t i = 0; i < s->count; i++) {
        if (s->ranks[i] >= s->count) {
            nadi_error(diags, "trace/ranks", NADI_IN_FILE(s->paths[i]),
                       "check all ranks together, or one file at a time",
                       "the file is of rank %u, but there are only %u files: a rank below is "
                       "missing",
                       s->ranks[i], s->count);
            return NULL;
        }
        paths[s->ranks[i]] = s->paths[i];
    }
    return paths;
}

/* What became of the comparison across ranks, in a word; NULL when there is one file. */
static const char *compare_ranks(struct nadi_trace_source *s, const struct nadi_audit *audits,
                                 const char *groups, struct nadi_diags *diags)
{
    if (s->count < 2)
        return NULL;
    for (uint32_t i = 0; i < s->count; i++) {
        if (!audits[i].sound)
            return "not compared, since a file is damaged";
    }
    const char **paths = in_order_of_ranks(s, diags);
    return paths && nadi_fleet_check(paths, s->count, groups, diags) ? "consistent"
                                                                     : "INCONSISTENT";
}

struct found { /* files, and the fleet where they are those of a manifest */
    struct nadi_trace_source source;
    struct nadi_fleet fleet;
    bool manifest;
};

static bool find_files(struct found *f, const struct nadi_trace_check *options,
                       struct nadi_diags *diags)
{
    struct nadi_trace_source *s = &f->source;
    f->manifest = options->inputs.count == 1 && nadi_fleet_is_manifest(options->inputs.names[0]);
    if (!f->manifest)
        return nadi_trace_source_find(s, options->inputs.names, options->inputs.count, diags);
    *s = (struct nadi_trace_source){.several = true};
    nadi_arena_init(&s->arena);
    if (!nadi_fleet_open(&f->fleet, options->inputs.names[0], options->groups, diags))
        return false;
    s->count = f->fleet.in.owned_count;
    s->paths = NADI_ARENA_NEW(&s->arena, const char *, s->count);
    s->ranks = NADI_ARENA_NEW(&s->arena, uint32_t, s->count);
    for (uint32_t i = 0; i < s->count; i++) {
        s->paths[i] = f->fleet.in.owned[i]->path;
        s->ranks[i] = NADI_NONE;
    }
    return true;
}

static const char *compare(struct found *f, const struct nadi_audit *audits, const char *groups,
                           struct nadi_diags *diags)
{
    if (!f->manifest)
        return compare_ranks(&f->source, audits, groups, diags);
    return nadi_fleet_compare(&f->fleet, diags) ? "consistent" : "INCONSISTENT";
}

static void report_files(struct found *f, const struct nadi_trace_check *options,
                         struct nadi_diags *messages, struct nadi_str *text)
{
    struct nadi_trace_source *source = &f->source;
    struct nadi_audit *audits = NADI_NEW(struct nadi_audit, source->count);
    for (uint32_t i = 0; i < source->count; i++) {
        nadi_audit_file(&audits[i], source->paths[i], source->ranks[i], messages);
        if (!options->json)
            add_line(source->paths[i], &audits[i], text);
    }
    if (f->manifest && !options->json)
        nadi_str_printf(text, "%s: %u ranks run these\n", options->inputs.names[0],
                        f->fleet.in.rank_count);
    const char *ranks = compare(f, audits, options->groups, messages);
    if (options->json)
        add_json(source, audits, ranks, messages, text);
    else
        add_summary(messages, ranks, text);
    nadi_mem_free(audits);
}

enum nadi_status nadi_do_trace_check(const struct nadi_trace_check *given, char **report,
                                     struct nadi_diags *messages)
{
    struct nadi_trace_check options = *given;
    struct found found = {0};
    const size_t errors_before = messages->errors;
    if (find_files(&found, &options, messages)) {
        struct nadi_str text = NADI_STR_INIT;
        report_files(&found, &options, messages, &text);
        *report = text.text;
    }
    nadi_trace_source_release(&found.source);
    if (found.manifest)
        nadi_fleet_close(&found.fleet);
    return messages->errors == errors_before ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}
