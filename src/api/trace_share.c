#include "api/inside.h"
#include "api/trace_edit.h"
#include "api/words.h"
#include "fleet/anonymize.h"
#include "fleet/dedup.h"
#include "report/dedup_text.h"

void nadi_trace_anonymize_init(struct nadi_trace_anonymize *options)
{
    *options = (struct nadi_trace_anonymize){
        .size = sizeof(*options), .edit.output = "-", .shapes = "keep"};
}

void nadi_trace_dedup_init(struct nadi_trace_dedup *options)
{
    *options = (struct nadi_trace_dedup){.size = sizeof(*options), .same = "all"};
}

/* The place of a word among `count`; false: `hint` says which there are. */
static bool find_word(const char *word, const char *const *words, unsigned count, unsigned *place,
                      const char *hint, const char *what, struct nadi_diags *messages)
{
    for (*place = 0; *place < count; ++*place)
        if (nadi_str_equal(word, words[*place]))
            return true;
    return nadi_error(messages, "usage/word", NADI_NOWHERE, hint, "%s '%s'", what, word);
}

enum nadi_status nadi_do_trace_anonymize(const struct nadi_trace_anonymize *given, char **report,
                                         struct nadi_diags *messages)
{
    static const char *const words[] = {"keep", "bucket", "scale"};
    unsigned shapes;
    struct nadi_edited e;
    if (!find_word(given->shapes, words, 3, &shapes, "keep, bucket or scale", "shapes cannot be",
                   messages))
        return NADI_STATUS_INPUT;
    const struct nadi_anonymize_job job = {
        .edit = nadi_edit_job_of(&given->edit),
        .shapes = (enum nadi_shapes)shapes,
        .key = given->key,
        .groups = given->groups,
        .system = given->system,
        .network = given->network,
        .memory = given->memory,
    };
    const bool ok = nadi_anonymize_run(&e, &job, messages);
    return nadi_edit_report_files(&e, ok, given->edit.json, report, messages);
}

enum nadi_status nadi_do_trace_dedup(const struct nadi_trace_dedup *given, char **report,
                                     struct nadi_diags *messages)
{
    static const char *const words[] = {"all", "simulated", "shape"};
    unsigned same;
    struct nadi_dedup w;
    struct nadi_str text = NADI_STR_INIT;
    if (!find_word(given->same, words, 3, &same, "all, simulated or shape",
                   "ranks cannot be the same in", messages))
        return NADI_STATUS_INPUT;
    const struct nadi_dedup_job job = {
        .names = given->edit.inputs.names,
        .count = given->edit.inputs.count,
        .output = given->edit.output,
        .groups = given->groups,
        .same = (enum nadi_fold_same)same,
    };
    const bool ok = nadi_dedup_run(&w, &job, messages);
    if (ok && given->edit.json)
        nadi_dedup_json(&w, &text);
    else if (ok)
        nadi_dedup_text(&w, &text);
    *report = text.text;
    nadi_dedup_release(&w);
    return ok ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}
