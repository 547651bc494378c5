/* folder: the files of a result, one after another in one buffer. */
#include "base/file.h"
#include "report/report.h"
#include "report/run_db.h"
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
    case NADI_FILE_LINK_USAGE_JSON:
        nadi_link_usage_json(in, r, out);
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
    case NADI_FILE_CRITICAL_PATH:
        nadi_table_critical_path(in, r, o->why, out);
        return;
    case NADI_FILE_SENSITIVITIES:
        nadi_table_sensitivities(o->sensitivities, out);
        return;
    case NADI_FILE_RUN_DB:
    case NADI_FILES:
        break;
    }
    NADI_BUG("no such file: %d", (int)file);
}

static bool write_db(const struct nadi_inputs *in, const struct nadi_result *r,
                     const struct nadi_report_options *o, const char *path,
                     struct nadi_diags *diags)
{
    struct nadi_str summary = NADI_STR_INIT;
    nadi_summary_json(in, r, o, &summary);
    const struct nadi_run_db run = {in, r, o->why, o->sensitivities, nadi_str_get(&summary)};
    bool ok = nadi_run_db_write(&run, path, diags);
    nadi_str_release(&summary);
    return ok;
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
        nadi_str_clear(&path);
        nadi_str_printf(&path, "%s/%s", folder, nadi_report_file_info(file)->name);
        if (file == NADI_FILE_RUN_DB) {
            ok = write_db(in, r, o, nadi_str_get(&path), diags);
            continue;
        }
        nadi_str_clear(&text);
        fill(file, in, r, o, &text);
        ok = nadi_file_write(nadi_str_get(&path), nadi_str_get(&text), text.length, diags);
    }
    nadi_str_release(&text);
    nadi_str_release(&path);
    return ok;
}
