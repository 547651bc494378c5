#include "api/inside.h"
#include "base/file.h"
#include "base/str.h"
#include "report/plot_page.h"

void nadi_validate_options_init(struct nadi_validate_options *options)
{
    *options =
        (struct nadi_validate_options){.size = sizeof(*options), .form = "text", .fit = "none"};
}

/* What no reader knows is an error; the rest is shown all the same. */
static bool all_read(const struct nadi_validate_collectives *v, struct nadi_diags *messages)
{
    bool all = true;
    for (size_t i = 0; i < v->skipped.count; i++) {
        const struct nadi_collective_skip *s = &v->skipped.items[i];
        if (s->unread)
            all = nadi_error(messages, "validate/unread", NADI_IN_FILE(s->file),
                             "mend or remove it: what is not read is not compared", "%s%s",
                             s->rows ? "a row is unread: " : "the file is unread: ", s->reason);
    }
    return all;
}

enum nadi_status nadi_do_validate_collectives_folder(const struct nadi_validate_options *options,
                                                     char **report, struct nadi_diags *messages)
{
    struct nadi_validate_collectives v;
    struct nadi_str text = NADI_STR_INIT;
    bool ok =
        nadi_validate_collectives(&v, options->folder, nadi_fit_hold_of(options->fit), messages);
    if (ok && options->page) {
        nadi_validate_collectives_page(&v, &text);
        ok = nadi_file_write(options->page, nadi_str_get(&text), text.length, messages);
        nadi_str_clear(&text);
    }
    if (ok) {
        if (nadi_str_equal(options->form, "json"))
            nadi_validate_collectives_json(&v, &text);
        else if (nadi_str_equal(options->form, "markdown"))
            nadi_validate_collectives_markdown(&v, &text);
        else
            nadi_validate_collectives_text(&v, !options->summary, &text);
        nadi_str_add(&text, "");
        *report = text.text;
        ok = all_read(&v, messages);
    }
    nadi_validate_collectives_release(&v);
    return ok ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}
