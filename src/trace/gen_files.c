#include "trace/gen_files.h"

#include "base/str.h"

struct nadi_trace_set *nadi_gen_begin_folder(const char *folder, struct nadi_diags *diags)
{
    static const char *const stems[] = {NULL, "stage", "slow"};
    static const char *const names[] = {"workload.yml", "groups.json"};
    struct nadi_str prefix = NADI_STR_INIT;
    nadi_str_printf(&prefix, "%s/workload", folder);
    struct nadi_trace_set *set = nadi_trace_set_begin(nadi_str_get(&prefix), diags);
    nadi_str_release(&prefix);
    bool ok = set != NULL;
    for (size_t i = 0; ok && i < sizeof(stems) / sizeof(*stems); i++)
        ok = nadi_trace_set_clear(set, stems[i], NULL, 0, diags);
    for (size_t i = 0; ok && i < sizeof(names) / sizeof(*names); i++)
        ok = nadi_trace_set_remove(set, names[i], diags);
    if (ok)
        return set;
    (void)nadi_trace_set_end(set, false);
    return NULL;
}

struct nadi_trace_writer *nadi_gen_open(const char *prefix, uint32_t rank, enum nadi_coding coding,
                                        struct nadi_diags *diags)
{
    struct nadi_str path = NADI_STR_INIT;
    nadi_str_printf(&path, "%s.%u.et", prefix, rank);
    struct nadi_trace_writer *w = nadi_trace_writer_open(nadi_str_get(&path), coding, diags);
    nadi_str_release(&path);
    if (!w)
        return NULL;
    const struct nadi_write_attr made_by = nadi_write_string("generator", "nadi gen");
    nadi_trace_writer_metadata(
        w, &(struct nadi_write_metadata){.version = "0.0.4", .attrs = &made_by, .attr_count = 1});
    return w;
}
