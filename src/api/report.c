#include "api/inside.h"
#include "base/file.h"
#include "base/originals.h"
#include "base/str.h"
#include "report/page.h"
#include "report/run_check.h"
#include "report/run_files.h"
#include "report/run_json.h"
#include "report/run_text.h"
#include "report/sweep_page.h"
#include "sweep/store.h"

static char *taken(struct nadi_str *text, bool ok)
{
    if (ok) {
        nadi_str_add(text, ""); /* an empty text is "", not NULL */
        return text->text;
    }
    nadi_str_release(text);
    return NULL;
}

enum nadi_status nadi_do_run_check_folder(const char *run, struct nadi_diags *messages)
{
    struct nadi_str database = NADI_STR_INIT;
    const bool ok = nadi_run_check(run, &database, messages);
    nadi_str_release(&database);
    return ok ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}

/* A page in place of what it is made of would lose the run, or the sweep: asked before the work. */
static bool spares_run(const char *run, const char *path, struct nadi_diags *messages)
{
    static const char *const parts[] = {"", "/" NADI_RUN_DB_FILE, "/" NADI_SUMMARY_FILE};
    for (size_t i = 0; i < 3; i++) {
        struct nadi_str name = NADI_STR_INIT;
        nadi_str_printf(&name, "%s%s", run, parts[i]);
        nadi_originals_read_path(nadi_str_get(&name));
        nadi_str_release(&name);
    }
    return nadi_originals_spare(path, messages);
}

enum nadi_status nadi_do_report_page(const char *const *runs, size_t count, const char *path,
                                     struct nadi_diags *messages)
{
    struct nadi_str page = NADI_STR_INIT;
    for (size_t i = 0; i < count; i++)
        if (!spares_run(runs[i], path, messages))
            return NADI_STATUS_INPUT;
    const bool sweep = count == 1 && nadi_store_is(runs[0]);
    const bool ok = (sweep ? nadi_sweep_page_write(runs[0], &page, messages)
                           : nadi_page_write(runs, count, &page, messages)) &&
                    nadi_file_write(path, nadi_str_get(&page), page.length, messages);
    nadi_str_release(&page);
    return ok ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}

char *nadi_do_report_summary(const char *run, int colour, struct nadi_diags *messages)
{
    struct nadi_str text = NADI_STR_INIT;
    const bool ok = nadi_run_text(run, colour != 0, &text, messages);
    return taken(&text, ok);
}

char *nadi_do_report_diff(const char *first, const char *second, int colour,
                          struct nadi_diags *messages)
{
    struct nadi_str text = NADI_STR_INIT;
    const bool ok = nadi_run_diff(first, second, colour != 0, &text, messages);
    return taken(&text, ok);
}

char *nadi_do_report_json(const char *const *runs, size_t count, struct nadi_diags *messages)
{
    struct nadi_str text = NADI_STR_INIT;
    const bool ok = nadi_run_json(runs, count, &text, messages);
    return taken(&text, ok);
}

char *nadi_do_report_diff_json(const char *first, const char *second, struct nadi_diags *messages)
{
    struct nadi_str text = NADI_STR_INIT;
    const bool ok = nadi_run_diff_json(first, second, &text, messages);
    return taken(&text, ok);
}
