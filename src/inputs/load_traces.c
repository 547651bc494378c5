/* load_traces: <prefix>.<rank>.et of every rank, counted against the network. */
#include "base/mem.h"
#include "base/str.h"
#include "inputs/load.h"
#include "inputs/trace_files.h"
#include "inputs/trace_folder.h"

static void add_count(struct nadi_str *s, const struct nadi_load *l,
                      const struct nadi_trace_folder *folder)
{
    nadi_str_printf(s, "network has %u NPU%s, workload has %zu rank file%s ", l->in->rank_count,
                    l->in->rank_count == 1 ? "" : "s", folder->count,
                    folder->count == 1 ? "" : "s");
    uint32_t *ranks = NADI_NEW(uint32_t, folder->count);
    for (size_t i = 0; i < folder->count; i++)
        ranks[i] = folder->items[i].rank;
    nadi_ranges_text(ranks, folder->count, s);
    nadi_mem_free(ranks);
}

/* Ranks below the network's size that have no file; `below` is how many files are of such ranks. */
static void report_missing(struct nadi_load *l, const struct nadi_trace_folder *folder,
                           size_t below)
{
    enum { LISTED = 1000 };
    uint32_t missing[LISTED];
    size_t count = 0, at = 0;
    for (uint32_t rank = 0; rank < l->in->rank_count && count < LISTED; rank++) {
        if (at < below && folder->items[at].rank == rank)
            at++;
        else
            missing[count++] = rank;
    }
    struct nadi_str text = NADI_STR_INIT, hint = NADI_STR_INIT;
    add_count(&text, l, folder);
    nadi_str_add(&hint, count == 1 ? "no file for rank " : "no files for ranks ");
    nadi_ranges_text(missing, count, &hint);
    nadi_str_add(&hint, "; give one trace a rank, or a network of the right size");
    nadi_error(l->diags, "workload/rank-count", NADI_IN_FILE(l->in->options.workload),
               nadi_str_get(&hint), "%s", nadi_str_get(&text));
    nadi_str_release(&text);
    nadi_str_release(&hint);
}

static bool counts_agree(struct nadi_load *l, const struct nadi_trace_folder *folder)
{
    size_t below = 0;
    while (below < folder->count && folder->items[below].rank < l->in->rank_count)
        below++;
    if (below < l->in->rank_count) {
        report_missing(l, folder, below);
        return false;
    }
    if (below < folder->count) {
        const bool strict = l->in->options.strict; /* the reference leaves them out */
        struct nadi_str text = NADI_STR_INIT;
        add_count(&text, l, folder);
        nadi_diags_add(l->diags, strict ? NADI_ERROR : NADI_WARNING, "workload/rank-count",
                       NADI_IN_FILE(l->in->options.workload),
                       strict ? "use a network with as many NPUs as there are traces, or "
                                "--lenient to leave the other ranks out, as the reference does"
                              : "use a network with as many NPUs as there are traces",
                       "%s: ranks from %u on %s simulated", nadi_str_get(&text), l->in->rank_count,
                       strict ? "would not be" : "are not");
        nadi_str_release(&text);
        return !strict;
    }
    return true;
}

/* The first files of the folder are those of the ranks. */
static bool read_all(struct nadi_load *l, const struct nadi_trace_folder *folder)
{
    struct nadi_inputs *in = l->in;
    const char **paths = NADI_NEW(const char *, in->rank_count);
    for (uint32_t r = 0; r < in->rank_count; r++)
        paths[r] = nadi_arena_printf(&in->arena, "%s.%u%s", in->options.workload, r,
                                     nadi_trace_file_ending(&folder->items[r]));
    in->traces = NADI_NEW(struct nadi_trace *, in->rank_count);
    unsigned flags = in->system.track_local_mem ? NADI_TRACE_KEEP_IO : 0;
    bool ok = nadi_trace_keep_read(nadi_load_keep(l), paths, in->rank_count, flags, in->traces,
                                   &in->owned, &in->owned_count, &in->lent, l->diags);
    nadi_mem_free(paths);
    return ok;
}

uint32_t nadi_workload_ranks(const char *workload)
{
    if (nadi_is_manifest(workload))
        return nadi_manifest_ranks(workload);
    struct nadi_trace_folder folder;
    struct nadi_diags ignored;
    nadi_diags_init(&ignored);
    const bool some = nadi_trace_folder_scan(&folder, workload, &ignored);
    const uint32_t ranks = some ? folder.items[folder.count - 1].rank + 1 : 0;
    nadi_trace_folder_release(&folder);
    nadi_diags_release(&ignored);
    return ranks;
}

bool nadi_load_traces(struct nadi_load *l)
{
    if (l->in->options.lone) {
        nadi_load_lone_trace(l);
        return true;
    }
    if (nadi_is_manifest(l->in->options.workload))
        return nadi_load_manifest(l);
    struct nadi_trace_folder folder;
    bool ok = nadi_trace_folder_scan(&folder, l->in->options.workload, l->diags) &&
              counts_agree(l, &folder) && read_all(l, &folder);
    nadi_trace_folder_release(&folder);
    return ok;
}
