#include "calibrate/validate_compute.h"
#include "api/inside.h"

enum nadi_status nadi_do_validate_compute_folder(const struct nadi_validate_options *options,
                                                 char **report, struct nadi_diags *messages)
{
    struct nadi_validate_compute v;
    struct nadi_str text = NADI_STR_INIT;
    const bool ok = nadi_validate_compute(&v, options->folder, messages);
    if (ok) {
        if (nadi_str_equal(options->form, "json"))
            nadi_validate_compute_json(&v, &text);
        else if (nadi_str_equal(options->form, "markdown"))
            nadi_validate_compute_markdown(&v, &text);
        else
            nadi_validate_compute_text(&v, !options->summary, &text);
        nadi_str_add(&text, "");
        *report = text.text;
    }
    const bool all = v.all_read;
    nadi_validate_compute_release(&v);
    return ok && all ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}
