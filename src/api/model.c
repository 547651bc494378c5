#include <nadi/model.h>

#include "base/diag.h"
#include "model/text.h"

void nadi_model_setup_init(struct nadi_model_setup *setup)
{
    *setup = (struct nadi_model_setup){.size = sizeof(*setup)};
}

static char *taken(struct nadi_str *text)
{
    nadi_str_add(text, ""); /* an empty text is "", not NULL */
    return text->text;
}

char *nadi_model_list(int json)
{
    struct nadi_str text = NADI_STR_INIT;
    if (json)
        nadi_model_list_json(&text);
    else
        nadi_model_list_text(&text);
    return taken(&text);
}

static bool open_study(struct nadi_study *s, const struct nadi_model_setup *given,
                       struct nadi_diags *messages)
{
    struct nadi_model_setup setup;
    nadi_model_setup_init(&setup);
    memcpy(&setup, given, given->size < sizeof(setup) ? given->size : sizeof(setup));
    const struct nadi_study_setup study = {
        .model = setup.model,
        .plan = setup.plan,
        .settings = setup.settings,
        .cluster = setup.cluster,
    };
    return nadi_study_open(s, &study, messages);
}

typedef void writer_fn(const struct nadi_study *, struct nadi_str *);

static enum nadi_status report_on(const struct nadi_model_setup *setup, writer_fn *writer,
                                  char **report, struct nadi_diags *messages)
{
    struct nadi_study study;
    struct nadi_str text = NADI_STR_INIT;
    const bool ok = open_study(&study, setup, messages);
    *report = NULL;
    if (ok) {
        writer(&study, &text);
        *report = taken(&text);
    }
    nadi_study_close(&study);
    return ok ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}

enum nadi_status nadi_model_flops(const struct nadi_model_setup *setup, int json, char **report,
                                  struct nadi_diags *messages)
{
    return report_on(setup, json ? nadi_model_flops_json : nadi_model_flops_text, report, messages);
}

enum nadi_status nadi_model_memory(const struct nadi_model_setup *setup, int json, char **report,
                                   struct nadi_diags *messages)
{
    return report_on(setup, json ? nadi_model_memory_json : nadi_model_memory_text, report,
                     messages);
}
