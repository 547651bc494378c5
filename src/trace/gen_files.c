#include "trace/gen_files.h"

#include "base/file.h"
#include "base/str.h"

static bool make_folder_of(const char *prefix, struct nadi_diags *diags)
{
    const char *slash = strrchr(prefix, '/');
    if (!slash || slash == prefix)
        return true;
    struct nadi_str folder = NADI_STR_INIT;
    nadi_str_add_bytes(&folder, prefix, (size_t)(slash - prefix));
    bool ok = nadi_file_make_folder(nadi_str_get(&folder), diags);
    nadi_str_release(&folder);
    return ok;
}

struct nadi_trace_writer *nadi_gen_open(const char *prefix, uint32_t rank, enum nadi_coding coding,
                                        struct nadi_diags *diags)
{
    if (rank == 0 && !make_folder_of(prefix, diags))
        return NULL;
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
