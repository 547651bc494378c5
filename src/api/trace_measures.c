/* trace_measures: `nadi trace fidelity`, `nadi trace privacy`. */
#include "api/inside.h"

#include "base/arena.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "report/learned_db.h"
#include "report/learned_measures.h"

void nadi_trace_fidelity_init(struct nadi_trace_fidelity *options)
{
    *options = (struct nadi_trace_fidelity){.size = sizeof(*options), .form = "text"};
}

void nadi_trace_privacy_init(struct nadi_trace_privacy *options)
{
    *options = (struct nadi_trace_privacy){.size = sizeof(*options), .form = "text"};
}

static bool write_page(const char *path, const struct nadi_str *page, struct nadi_diags *messages)
{
    return !path || nadi_file_write(path, page->text, page->length, messages);
}

enum nadi_status nadi_do_trace_fidelity(const struct nadi_trace_fidelity *o, char **report,
                                        struct nadi_diags *messages)
{
    struct nadi_fidelity *f = NADI_ZNEW(struct nadi_fidelity, 1);
    struct nadi_str text = NADI_STR_INIT, page = NADI_STR_INIT;
    bool ok = nadi_fidelity_measure(f, o->real, o->synthetic, messages);
    if (ok && nadi_str_equal(o->form, "json"))
        nadi_fidelity_json(f, &text);
    else if (ok)
        nadi_fidelity_text(f, &text);
    if (ok) {
        nadi_fidelity_page(f, &page);
        ok = write_page(o->page, &page, messages) &&
             (!o->database || nadi_fidelity_db(f, o->real, o->synthetic, o->database, messages));
    }
    *report = text.text;
    nadi_str_release(&page);
    nadi_mem_free(f);
    return ok ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}

enum nadi_status nadi_do_trace_privacy(const struct nadi_trace_privacy *o, char **report,
                                       struct nadi_diags *messages)
{
    struct nadi_privacy p;
    struct nadi_arena arena;
    struct nadi_str text = NADI_STR_INIT, page = NADI_STR_INIT;
    nadi_arena_init(&arena);
    bool ok = nadi_privacy_measure(&p, o->jobs, (uint32_t)o->job_count, o->held_out,
                                   (uint32_t)o->held_out_count, o->synthetic,
                                   (uint32_t)o->synthetic_count, &arena, messages);
    if (ok && nadi_str_equal(o->form, "json"))
        nadi_privacy_json(&p, &text);
    else if (ok)
        nadi_privacy_text(&p, &text);
    if (ok) {
        nadi_privacy_page(&p, &page);
        ok = write_page(o->page, &page, messages) &&
             (!o->database || nadi_privacy_db(&p, o->database, messages));
    }
    *report = text.text;
    nadi_str_release(&page);
    nadi_arena_release(&arena);
    return ok ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}
