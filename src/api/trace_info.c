#include "api/inside.h"
#include "base/map.h"
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
        ok = f && nadi_stats_add(stats, f, source->ranks[i], messages);
        nadi_full_destroy(f);
    }
    nadi_stats_finish(stats);
    return ok;
}

/* By trace its first rank, by rank the next one of its trace. */
static void list_ranks(const struct nadi_inputs *in, uint32_t traces, uint32_t ranks,
                       uint32_t *first, uint32_t *next)
{
    struct nadi_map64 numbers;
    nadi_map64_init(&numbers, traces);
    for (uint32_t i = 0; i < traces; i++) {
        nadi_map64_put(&numbers, (uint64_t)(uintptr_t)in->owned[i], i, NULL);
        first[i] = NADI_NONE;
    }
    for (uint32_t r = ranks; r-- > 0;) {
        const uint32_t i = nadi_map64_find(&numbers, (uint64_t)(uintptr_t)in->traces[r]);
        NADI_ASSERT(i < traces); /* what a rank has, the manifest lists */
        next[r] = first[i];
        first[i] = r;
    }
    nadi_map64_release(&numbers);
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
    const uint32_t ranks = ok ? fleet.in.rank_count : 0, traces = ok ? fleet.in.owned_count : 0;
    uint32_t *first = NADI_NEW(uint32_t, traces), *next = NADI_NEW(uint32_t, ranks);
    list_ranks(&fleet.in, traces, ranks, first, next);
    for (uint32_t i = 0; ok && i < traces; i++) {
        struct nadi_full *f = nadi_full_read(fleet.in.owned[i]->path, messages);
        ok = f != NULL;
        for (uint32_t r = first[i]; ok && r != NADI_NONE; r = next[r])
            ok = nadi_stats_add(stats, f, r, messages);
        nadi_full_destroy(f);
    }
    nadi_mem_free(first);
    nadi_mem_free(next);
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
