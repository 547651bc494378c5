/* entry_sweep: sweeps. */
#include "api/gate.h"
#include "api/inside.h"

struct sweep_call {
    const struct nadi_sweep_options *options;
    const struct nadi_watch *watch;
    const char *store, *form;
    char **report;
};

static enum nadi_status needs_store(struct nadi_diags *diags)
{
    (void)nadi_error(diags, "usage/argument", NADI_NOWHERE, "name a file", "no store is named");
    return NADI_STATUS_INPUT;
}

static enum nadi_status sweep_work(void *arguments, struct nadi_diags *diags)
{
    const struct sweep_call *a = arguments;
    if (!a->options->store)
        return needs_store(diags);
    return nadi_do_sweep(a->options, a->watch, a->report, diags);
}

enum nadi_status nadi_sweep(const struct nadi_sweep_options *options,
                            const struct nadi_watch *watch, char **report,
                            struct nadi_diags *messages)
{
    static const struct nadi_field members[] = {
        NADI_STRUCT(struct sweep_call, options, nadi_sweep_options_struct, 1),
        NADI_STRUCT(struct sweep_call, watch, nadi_watch_struct, 0),
        NADI_RESULT(struct sweep_call, report, NADI_ARGUMENT_RESULT_TEXT, 1),
        NADI_FIELDS_END,
    };
    struct sweep_call a = {.options = options, .watch = watch, .report = report};
    return nadi_gate_call("nadi_sweep", members, &a, sweep_work, messages);
}

static enum nadi_status points_work(void *arguments, struct nadi_diags *diags)
{
    const struct sweep_call *a = arguments;
    return nadi_do_sweep_points(a->options, a->report, diags);
}

enum nadi_status nadi_sweep_points(const struct nadi_sweep_options *options, char **report,
                                   struct nadi_diags *messages)
{
    static const struct nadi_field members[] = {
        NADI_STRUCT(struct sweep_call, options, nadi_sweep_options_struct, 1),
        NADI_RESULT(struct sweep_call, report, NADI_ARGUMENT_RESULT_TEXT, 1),
        NADI_FIELDS_END,
    };
    struct sweep_call a = {.options = options, .report = report};
    return nadi_gate_call("nadi_sweep_points", members, &a, points_work, messages);
}

static enum nadi_status results_work(void *arguments, struct nadi_diags *diags)
{
    const struct sweep_call *a = arguments;
    return nadi_do_sweep_results(a->store, a->form, a->report, diags);
}

enum nadi_status nadi_sweep_results(const char *store, const char *form, char **report,
                                    struct nadi_diags *messages)
{
    static const struct nadi_field members[] = {
        NADI_PATH(struct sweep_call, store, 1),
        NADI_TEXT(struct sweep_call, form, 1),
        NADI_RESULT(struct sweep_call, report, NADI_ARGUMENT_RESULT_TEXT, 1),
        NADI_FIELDS_END,
    };
    struct sweep_call a = {.store = store, .form = form, .report = report};
    return nadi_gate_call("nadi_sweep_results", members, &a, results_work, messages);
}
