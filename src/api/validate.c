#include "api/inside.h"
#include "base/str.h"
#include "calibrate/validate_training.h"

enum nadi_status nadi_do_validate_training_runs(const char *folder, const char *form, char **report,
                                                struct nadi_diags *messages)
{
    struct nadi_validate_training v;
    struct nadi_str text = NADI_STR_INIT;
    const bool ok = nadi_validate_training(&v, folder, messages);
    if (ok) {
        if (nadi_str_equal(form, "json"))
            nadi_validate_training_json(&v, &text);
        else if (nadi_str_equal(form, "markdown"))
            nadi_validate_training_markdown(&v, &text);
        else
            nadi_validate_training_text(&v, &text);
        nadi_str_add(&text, "");
        *report = text.text;
    }
    const bool all = v.all_read;
    nadi_validate_training_release(&v);
    return ok && all ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}
