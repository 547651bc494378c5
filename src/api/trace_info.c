#include "api/inside.h"
#include "base/mem.h"
#include "base/str.h"
#include "fleet/source.h"
#include "report/trace_stats.h"
#include "sim/fleet.h"

void nadi_trace_info_init(struct nadi_trace_info *options)
{
    *options = (struct nadi_trace_info){
        .size = sizeof(*options), .format = "text", .table = "operators", .rows = 15};
}

static bool read_ranks(const struct nadi_trace_source *source, struct nadi_stats *stats,
                       struct nadi_diags *messages)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < source->count; i++) {
        struct nadi_full *f = nadi_full_read(source->paths[i], messages);
        ok = f && nadi_stats_add(stats, f, &source->ranks[i], 1, messages);
        nadi_full_destroy(f);
    }
    nadi_stats_finish(stats);
    return ok;
}

/* The ranks by trace: those of trace i from start[i] to start[i + 1]. */
static void list_ranks(const struct nadi_inputs *in, uint32_t *start, uint32_t *ranks)
{
    const uint32_t traces = in->owned_count;
    uint32_t *number = NADI_NEW(uint32_t, in->rank_count);
    nadi_trace_numbers(in, number);
    memset(start, 0, ((size_t)traces + 2) * sizeof(*start));
    for (uint32_t r = 0; r < in->rank_count; r++)
        start[number[r] + 2]++;
    for (uint32_t i = 2; i < traces + 2; i++)
        start[i] += start[i - 1];
    for (uint32_t r = 0; r < in->rank_count; r++)
        ranks[start[number[r] + 1]++] = r;
    nadi_mem_free(number);
}

/* A manifest's: each trace once, for all its ranks. */
static bool read_manifest(const struct nadi_trace_source *source, struct nadi_stats *stats,
                          struct nadi_diags *messages)
{
    struct nadi_fleet fleet;
    struct nadi_diags own;
    nadi_diags_init(&own);
    bool ok = nadi_fleet_open(&fleet, source->manifest, NULL, &own);
    if (!ok)
        nadi_diags_append(messages, &own);
    stats->relative = ok && fleet.in.relative_peers;
    const uint32_t traces = ok ? fleet.in.owned_count : 0;
    uint32_t *start = NADI_NEW(uint32_t, (size_t)traces + 2);
    uint32_t *ranks = NADI_NEW(uint32_t, ok ? fleet.in.rank_count : 0);
    if (ok)
        list_ranks(&fleet.in, start, ranks);
    for (uint32_t i = 0; ok && i < traces; i++) {
        const uint32_t count = start[i + 1] - start[i];
        struct nadi_full *f = nadi_full_read(fleet.in.owned[i]->path, messages);
        ok = f && (!count || nadi_stats_add(stats, f, ranks + start[i], count, messages));
        nadi_full_destroy(f);
    }
    nadi_mem_free(start);
    nadi_mem_free(ranks);
    nadi_stats_finish(stats);
    nadi_fleet_close(&fleet);
    nadi_diags_release(&own);
    return ok;
}

static bool print(const struct nadi_trace_info *o, const struct nadi_stats *stats,
                  struct nadi_str *text, struct nadi_diags *messages)
{
    const char *title = o->inputs.names[0];
    if (nadi_str_equal(o->format, "json"))
        nadi_trace_stats_json(stats, title, text);
    else if (nadi_str_equal(o->format, "text"))
        nadi_trace_stats_text(stats, title, o->rows, text);
    else if (!nadi_str_equal(o->format, "csv"))
        return nadi_error(messages, "usage/word", NADI_NOWHERE, "use text, csv or json",
                          "no format is called '%s'", o->format);
    else if (!nadi_trace_stats_csv(stats, o->table, text))
        return nadi_error(messages, "usage/word", NADI_NOWHERE, "use " NADI_TRACE_STATS_TABLES,
                          "no table is called '%s'", o->table);
    return true;
}

enum nadi_status nadi_do_trace_info(const struct nadi_trace_info *given, char **report,
                                    struct nadi_diags *messages)
{
    struct nadi_trace_info options = *given;
    struct nadi_trace_source source;
    struct nadi_stats stats;
    struct nadi_str text = NADI_STR_INIT;
    nadi_stats_init(&stats);
    const bool ok =
        nadi_trace_source_find(&source, options.inputs.names, options.inputs.count, messages) &&
        (source.manifest ? read_manifest : read_ranks)(&source, &stats, messages) &&
        print(&options, &stats, &text, messages);
    *report = text.text;
    nadi_stats_release(&stats);
    nadi_trace_source_release(&source);
    return ok ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}
