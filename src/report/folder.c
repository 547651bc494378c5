/* folder: the files of a result, one after another in one buffer. */
#include "base/file.h"
#include "report/report.h"
#include "report/summary.h"
#include "report/tables.h"
#include "report/timeline.h"

bool nadi_report_by_class(const struct nadi_inputs *in, const struct nadi_report_options *o)
{
    return o->ranks == NADI_RANKS_BY_CLASS ||
           (o->ranks == NADI_RANKS_AUTO && in->rank_count > NADI_RANKS_EACH);
}

static void fill(enum nadi_report_file file, const struct nadi_inputs *in,
                 const struct nadi_result *r, const struct nadi_report_options *o,
                 struct nadi_str *out)
{
    switch (file) {
    case NADI_FILE_SUMMARY:
        nadi_summary_json(in, r, o, out);
        return;
    case NADI_FILE_RANKS:
        if (nadi_report_by_class(in, o))
            nadi_table_rank_classes(in, r, out);
        else
            nadi_table_ranks(in, r, out);
        return;
    case NADI_FILE_COLLECTIVES:
        nadi_table_collectives(in, r, out);
        return;
    case NADI_FILE_LINKS:
        nadi_table_links(in, r, out);
        return;
    case NADI_FILE_LINK_USAGE:
        nadi_table_link_usage(in, r, out);
        return;
    case NADI_FILE_OPS:
        nadi_table_ops(in, r, out);
        return;
    case NADI_FILE_TIMELINE:
        nadi_timeline_write(in, r, o, out);
        return;
    case NADI_FILE_FIVE_COLUMN:
        nadi_table_five_column(in, r, out);
        return;
    case NADI_FILES:
        break;
    }
    NADI_BUG("no such file: %d", (int)file);
}

bool nadi_report_write_folder(const struct nadi_inputs *in, const struct nadi_result *r,
                              const struct nadi_report_options *o, const char *folder,
                              struct nadi_diags *diags)
{
    struct nadi_str text = NADI_STR_INIT, path = NADI_STR_INIT;
    bool ok = nadi_file_make_folder(folder, diags);
    for (int f = 0; ok && f < NADI_FILES; f++) {
        enum nadi_report_file file = (enum nadi_report_file)f;
        if (!nadi_report_file_wanted(file, o))
            continue;
        nadi_str_clear(&text);
        nadi_str_clear(&path);
        fill(file, in, r, o, &text);
        nadi_str_printf(&path, "%s/%s", folder, nadi_report_file_info(file)->name);
        ok = nadi_file_write(nadi_str_get(&path), nadi_str_get(&text), text.length, diags);
    }
    nadi_str_release(&text);
    nadi_str_release(&path);
    return ok;
}
