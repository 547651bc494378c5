/* entry_text: functions whose result is a text, or a network that is asked for texts. */
#include "api/gate.h"
#include "api/inside.h"
#include "settings/schema.h"

/* The arguments of all of them; each has a table of those that it looks at. */
struct text_call {
    const char *first, *second, *third;
    const char *const *words;
    size_t count;
    uint64_t index;
    const struct nadi_topo *topo;
    struct nadi_topo *opened;
    struct nadi_pattern *pattern;
    int flag;
    int *known;
    char *text;
};

static enum nadi_status has_text(const struct text_call *a)
{
    return a->text ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}

static char *text_of(const char *name, const struct nadi_field *members, struct text_call *a,
                     enum nadi_status (*work)(void *, struct nadi_diags *),
                     struct nadi_diags *messages)
{
    return nadi_gate_call(name, members, a, work, messages) == NADI_STATUS_DONE ? a->text : NULL;
}

/* --- runs --------------------------------------------------------------------------------------
 */

static enum nadi_status query_work(void *arguments, struct nadi_diags *diags)
{
    struct text_call *a = arguments;
    a->text = nadi_do_query(a->first, a->second, a->third, diags);
    return has_text(a);
}

char *nadi_query(const char *run, const char *sql, const char *form, struct nadi_diags *messages)
{
    static const struct nadi_field members[] = {
        {NADI_ARGUMENT(struct text_call, first, "run", NADI_FIELD_PATH, 1)},
        {NADI_ARGUMENT(struct text_call, second, "sql", NADI_FIELD_TEXT, 1)},
        {NADI_ARGUMENT(struct text_call, third, "form", NADI_FIELD_TEXT, 1)},
        NADI_FIELDS_END,
    };
    struct text_call a = {.first = run, .second = sql, .third = form};
    return text_of("nadi_query", members, &a, query_work, messages);
}

static enum nadi_status page_work(void *arguments, struct nadi_diags *diags)
{
    const struct text_call *a = arguments;
    return nadi_do_report_page(a->words, a->count, a->first, diags);
}

enum nadi_status nadi_report_page(const char *const *runs, size_t count, const char *path,
                                  struct nadi_diags *messages)
{
    static const struct nadi_field members[] = {
        {NADI_ARGUMENT(struct text_call, words, "runs", NADI_FIELD_PATHS, 1),
         .count_offset = offsetof(struct text_call, count)},
        {NADI_ARGUMENT(struct text_call, first, "path", NADI_FIELD_PATH, 1)},
        NADI_FIELDS_END,
    };
    struct text_call a = {.words = runs, .count = count, .first = path};
    return nadi_gate_call("nadi_report_page", members, &a, page_work, messages);
}

static enum nadi_status summary_work(void *arguments, struct nadi_diags *diags)
{
    struct text_call *a = arguments;
    a->text = nadi_do_report_summary(a->first, a->flag, diags);
    return has_text(a);
}

char *nadi_report_summary(const char *run, int colour, struct nadi_diags *messages)
{
    static const struct nadi_field members[] = {
        {NADI_ARGUMENT(struct text_call, first, "run", NADI_FIELD_PATH, 1)},
        NADI_FIELDS_END,
    };
    struct text_call a = {.first = run, .flag = colour};
    return text_of("nadi_report_summary", members, &a, summary_work, messages);
}

static enum nadi_status diff_work(void *arguments, struct nadi_diags *diags)
{
    struct text_call *a = arguments;
    a->text = nadi_do_report_diff(a->first, a->second, a->flag, diags);
    return has_text(a);
}

char *nadi_report_diff(const char *first, const char *second, int colour,
                       struct nadi_diags *messages)
{
    static const struct nadi_field members[] = {
        NADI_PATH(struct text_call, first, 1),
        NADI_PATH(struct text_call, second, 1),
        NADI_FIELDS_END,
    };
    struct text_call a = {.first = first, .second = second, .flag = colour};
    return text_of("nadi_report_diff", members, &a, diff_work, messages);
}

static enum nadi_status report_json_work(void *arguments, struct nadi_diags *diags)
{
    struct text_call *a = arguments;
    a->text = nadi_do_report_json(a->words, a->count, diags);
    return has_text(a);
}

char *nadi_report_runs_json(const char *const *runs, size_t count, struct nadi_diags *messages)
{
    static const struct nadi_field members[] = {
        {NADI_ARGUMENT(struct text_call, words, "runs", NADI_FIELD_PATHS, 1),
         .count_offset = offsetof(struct text_call, count)},
        NADI_FIELDS_END,
    };
    struct text_call a = {.words = runs, .count = count};
    return text_of("nadi_report_runs_json", members, &a, report_json_work, messages);
}

static enum nadi_status diff_json_work(void *arguments, struct nadi_diags *diags)
{
    struct text_call *a = arguments;
    a->text = nadi_do_report_diff_json(a->first, a->second, diags);
    return has_text(a);
}

char *nadi_report_diff_json(const char *first, const char *second, struct nadi_diags *messages)
{
    static const struct nadi_field members[] = {
        NADI_PATH(struct text_call, first, 1),
        NADI_PATH(struct text_call, second, 1),
        NADI_FIELDS_END,
    };
    struct text_call a = {.first = first, .second = second};
    return text_of("nadi_report_diff_json", members, &a, diff_json_work, messages);
}

static enum nadi_status check_folder_work(void *arguments, struct nadi_diags *diags)
{
    const struct text_call *a = arguments;
    return nadi_do_run_check_folder(a->first, diags);
}

enum nadi_status nadi_run_check_folder(const char *run, struct nadi_diags *messages)
{
    static const struct nadi_field members[] = {
        {NADI_ARGUMENT(struct text_call, first, "run", NADI_FIELD_PATH, 1)},
        NADI_FIELDS_END,
    };
    struct text_call a = {.first = run};
    return nadi_gate_call("nadi_run_check_folder", members, &a, check_folder_work, messages);
}

/* --- claims of folders -------------------------------------------------------------------------
 */

struct claim_call {
    const char *folder;
    const struct nadi_claim *claim;
    struct nadi_claim *created;
};

static enum nadi_status claim_create_work(void *arguments, struct nadi_diags *diags)
{
    struct claim_call *a = arguments;
    a->created = nadi_do_claim_create(a->folder, diags);
    return a->created ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}

struct nadi_claim *nadi_claim_create(const char *folder, struct nadi_diags *messages)
{
    static const struct nadi_field members[] = {
        NADI_PATH(struct claim_call, folder, 1),
        NADI_FIELDS_END,
    };
    struct claim_call a = {.folder = folder};
    const enum nadi_status status =
        nadi_gate_call("nadi_claim_create", members, &a, claim_create_work, messages);
    return status == NADI_STATUS_DONE ? a.created : NULL;
}

static enum nadi_status claim_clear_work(void *arguments, struct nadi_diags *diags)
{
    const struct claim_call *a = arguments;
    return nadi_do_claim_clear(a->claim, diags);
}

enum nadi_status nadi_claim_clear(const struct nadi_claim *claim, struct nadi_diags *messages)
{
    static const struct nadi_field members[] = {
        NADI_HANDLE(struct claim_call, claim),
        NADI_FIELDS_END,
    };
    struct claim_call a = {.claim = claim};
    return nadi_gate_call("nadi_claim_clear", members, &a, claim_clear_work, messages);
}

/* --- networks ----------------------------------------------------------------------------------
 */

static enum nadi_status open_work(void *arguments, struct nadi_diags *diags)
{
    struct text_call *a = arguments;
    a->opened = nadi_do_topo_open(a->words, a->count, a->first, diags);
    return a->opened ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}

struct nadi_topo *nadi_topo_open(const char *const *words, size_t count, const char *prices,
                                 struct nadi_diags *messages)
{
    static const struct nadi_field members[] = {
        NADI_LIST(struct text_call, words, count, NADI_FIELD_PATHS, 1),
        {NADI_ARGUMENT(struct text_call, first, "prices", NADI_FIELD_TEXT, 0)},
        NADI_FIELDS_END,
    };
    struct text_call a = {.words = words, .count = count, .first = prices};
    const bool ok =
        nadi_gate_call("nadi_topo_open", members, &a, open_work, messages) == NADI_STATUS_DONE;
    return ok ? a.opened : NULL;
}

static const struct nadi_field topo_members[] = {
    NADI_HANDLE(struct text_call, topo),
    NADI_FIELDS_END,
};

static enum nadi_status topo_report_work(void *arguments, struct nadi_diags *diags)
{
    struct text_call *a = arguments;
    (void)diags;
    a->text = nadi_do_topo_report(a->topo, a->flag);
    return has_text(a);
}

static enum nadi_status topo_svg_work(void *arguments, struct nadi_diags *diags)
{
    struct text_call *a = arguments;
    (void)diags;
    a->text = nadi_do_topo_svg(a->topo);
    return has_text(a);
}

static enum nadi_status topo_file_work(void *arguments, struct nadi_diags *diags)
{
    struct text_call *a = arguments;
    (void)diags;
    a->text = nadi_do_topo_file(a->topo);
    return has_text(a);
}

char *nadi_topo_report(const struct nadi_topo *t, int json)
{
    struct text_call a = {.topo = t, .flag = json};
    return text_of("nadi_topo_report", topo_members, &a, topo_report_work, NULL);
}

char *nadi_topo_svg(const struct nadi_topo *t)
{
    struct text_call a = {.topo = t};
    return text_of("nadi_topo_svg", topo_members, &a, topo_svg_work, NULL);
}

char *nadi_topo_file(const struct nadi_topo *t)
{
    struct text_call a = {.topo = t};
    return text_of("nadi_topo_file", topo_members, &a, topo_file_work, NULL);
}

/* --- lists and keys ----------------------------------------------------------------------------
 */

static const struct nadi_field nothing[] = {NADI_FIELDS_END};

static enum nadi_status model_list_work(void *arguments, struct nadi_diags *diags)
{
    struct text_call *a = arguments;
    (void)diags;
    a->text = nadi_do_model_list(a->flag);
    return has_text(a);
}

char *nadi_model_list(int json)
{
    struct text_call a = {.flag = json};
    return text_of("nadi_model_list", nothing, &a, model_list_work, NULL);
}

static enum nadi_status repro_list_work(void *arguments, struct nadi_diags *diags)
{
    struct text_call *a = arguments;
    (void)diags;
    a->text = nadi_do_repro_list();
    return has_text(a);
}

char *nadi_repro_list(void)
{
    struct text_call a = {.flag = 0};
    return text_of("nadi_repro_list", nothing, &a, repro_list_work, NULL);
}

static enum nadi_status explain_work(void *arguments, struct nadi_diags *diags)
{
    struct text_call *a = arguments;
    (void)diags;
    a->text = nadi_do_explain_key(a->first, a->known);
    return has_text(a);
}

char *nadi_explain_key(const char *key, int *known)
{
    static const struct nadi_field members[] = {
        {NADI_ARGUMENT(struct text_call, first, "key", NADI_FIELD_TEXT, 0)},
        NADI_RESULT(struct text_call, known, NADI_ARGUMENT_RESULT_INT, 1),
        NADI_FIELDS_END,
    };
    struct text_call a = {.first = key, .known = known};
    return text_of("nadi_explain_key", members, &a, explain_work, NULL);
}

static enum nadi_status explain_json_work(void *arguments, struct nadi_diags *diags)
{
    struct text_call *a = arguments;
    (void)diags;
    a->text = nadi_do_explain_json(a->first, a->known);
    return has_text(a);
}

char *nadi_explain_json(const char *key, int *known)
{
    static const struct nadi_field members[] = {
        {NADI_ARGUMENT(struct text_call, first, "key", NADI_FIELD_TEXT, 0)},
        NADI_RESULT(struct text_call, known, NADI_ARGUMENT_RESULT_INT, 1),
        NADI_FIELDS_END,
    };
    struct text_call a = {.first = key, .known = known};
    return text_of("nadi_explain_json", members, &a, explain_json_work, NULL);
}

static enum nadi_status input_page_work(void *arguments, struct nadi_diags *diags)
{
    struct text_call *a = arguments;
    (void)diags;
    a->text = nadi_do_input_page(a->index);
    return has_text(a);
}

char *nadi_input_page(size_t index)
{
    static const struct nadi_field members[] = {
        NADI_U64(struct text_call, index, 0, NADI_SCHEMA_KINDS - 1),
        NADI_FIELDS_END,
    };
    struct text_call a = {.index = index};
    return text_of("nadi_input_page", members, &a, input_page_work, NULL);
}

static enum nadi_status result_page_work(void *arguments, struct nadi_diags *diags)
{
    struct text_call *a = arguments;
    (void)diags;
    a->text = nadi_do_result_page();
    return has_text(a);
}

char *nadi_result_page(void)
{
    struct text_call a = {.flag = 0};
    return text_of("nadi_result_page", nothing, &a, result_page_work, NULL);
}

static enum nadi_status pattern_work(void *arguments, struct nadi_diags *diags)
{
    const struct text_call *a = arguments;
    return nadi_do_pattern_init(a->pattern, a->first, diags) ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}

int nadi_pattern_init(struct nadi_pattern *options, const char *family, struct nadi_diags *messages)
{
    static const struct nadi_field members[] = {
        {NADI_ARGUMENT(struct text_call, pattern, "options", NADI_FIELD_HANDLE, 1)},
        {NADI_ARGUMENT(struct text_call, first, "family", NADI_FIELD_TEXT, 1)},
        NADI_FIELDS_END,
    };
    struct text_call a = {.pattern = options, .first = family};
    return nadi_gate_call("nadi_pattern_init", members, &a, pattern_work, messages) ==
           NADI_STATUS_DONE;
}
