#include "api/inside.h"
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
        ok = f && nadi_stats_add(stats, f, source->ranks[i], messages);
        nadi_full_destroy(f);
    }
    nadi_stats_finish(stats);
    return ok;
}

/* A manifest's: each trace as often as it has ranks. */
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
    for (uint32_t i = 0; ok && i < fleet.in.owned_count; i++) {
        const struct nadi_trace *trace = fleet.in.owned[i];
        struct nadi_full *f = nadi_full_read(trace->path, messages);
        ok = f != NULL;
        for (uint32_t r = 0; ok && r < fleet.in.rank_count; r++)
            ok = fleet.in.traces[r] != trace || nadi_stats_add(stats, f, r, messages);
        nadi_full_destroy(f);
    }
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
    *report = NULL;
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
