#include "api/inside.h"
#include "api/validate_page.h"

#include "base/str.h"

void nadi_validate_options_init(struct nadi_validate_options *options)
{
    *options =
        (struct nadi_validate_options){.size = sizeof(*options), .form = "text", .fit = "none"};
}

enum nadi_status nadi_do_validate_collectives_folder(const struct nadi_validate_options *options,
                                                     char **report, struct nadi_diags *messages)
{
    struct nadi_validate_collectives v;
    struct nadi_str text = NADI_STR_INIT;
    bool ok =
        nadi_validate_collectives(&v, options->folder, nadi_fit_hold_of(options->fit), messages);
    *report = NULL;
    if (ok && options->page)
        ok = nadi_validate_page(&v, options->page, messages);
    if (ok) {
        if (nadi_str_equal(options->form, "json"))
            nadi_validate_collectives_json(&v, &text);
        else if (nadi_str_equal(options->form, "markdown"))
            nadi_validate_collectives_markdown(&v, &text);
        else
            nadi_validate_collectives_text(&v, !options->summary, &text);
        nadi_str_add(&text, "");
        *report = text.text;
    }
    nadi_validate_collectives_release(&v);
    return ok ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}
