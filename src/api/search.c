#include <nadi/search.h>

#include "api/inside.h"
#include "api/words.h"
#include "base/file.h"
#include "base/originals.h"
#include "explore/model_inputs.h"
#include "report/search.h"

void nadi_model_search_init(struct nadi_model_search *options)
{
    *options = (struct nadi_model_search){.size = sizeof(*options),
                                          .objective = "time",
                                          .simulate = 100,
                                          .top = 20,
                                          .network_model = "auto",
                                          .form = "text"};
}

static bool read_goal(const struct nadi_model_search *o, enum nadi_search_goal *goal,
                      struct nadi_diags *diags)
{
    static const char *const words[] = {"time", "memory"};
    for (*goal = 0; *goal < 2; ++*goal)
        if (strcmp(o->objective, words[*goal]) == 0)
            return true;
    if (strcmp(o->objective, "tokens-per-dollar") == 0)
        return nadi_error(diags, "search/objective", NADI_NOWHERE,
                          "use --objective time: on one cluster the fastest step is also the "
                          "cheapest",
                          "a search is on one cluster, whose price is the same for all");
    return nadi_error(diags, "search/objective", NADI_NOWHERE, "time, memory, tokens-per-dollar",
                      "unknown objective '%s'", o->objective);
}

static bool write_files(const struct nadi_search *s, const char *folder, struct nadi_diags *diags)
{
    static const struct {
        const char *name;
        void (*put)(const struct nadi_search *s, struct nadi_str *out);
    } files[] = {
        {"plan.yaml", nadi_search_plan_file},
        {"strategies.csv", nadi_search_csv},
        {"summary.json", nadi_search_json},
        {"strategies.svg", nadi_search_svg},
    };
    bool ok = nadi_file_make_folder(folder, diags);
    for (size_t i = 0; ok && i < sizeof(files) / sizeof(*files); i++)
        ok = nadi_originals_spare_in(folder, files[i].name, diags);
    for (size_t i = 0; ok && i < sizeof(files) / sizeof(*files); i++) {
        struct nadi_str text = NADI_STR_INIT, path = NADI_STR_INIT;
        files[i].put(s, &text);
        nadi_str_printf(&path, "%s/%s", folder, files[i].name);
        ok = nadi_file_write(nadi_str_get(&path), nadi_str_get(&text), text.length, diags);
        nadi_str_release(&text);
        nadi_str_release(&path);
    }
    return ok;
}

static bool some_fit(const struct nadi_search *s, struct nadi_diags *diags)
{
    if (s->count)
        return true;
    if (!s->possible)
        return nadi_error(diags, "search/nothing", NADI_NOWHERE, NULL,
                          "no strategy is possible with these values");
    struct nadi_str words = NADI_STR_INIT;
    nadi_search_words(&s->nearest.strategy, &words);
    nadi_error(diags, "search/memory", NADI_NOWHERE,
               "more ranks, a device with more memory, or --try offload=...",
               "no strategy fits: least is missing, %.2f GB, with %s",
               s->nearest.estimate.missing_bytes / 1e9, nadi_str_get(&words));
    nadi_str_release(&words);
    return false;
}

static bool take(const struct nadi_model_search *o, struct nadi_search_setup *setup,
                 struct nadi_diags *diags)
{
    *setup = (struct nadi_search_setup){
        .model = o->model,
        .plan = o->plan,
        .settings = o->settings,
        .cluster = o->cluster,
        .memory = o->memory,
        .words = o->tries,
        .ranks = o->ranks,
        .batch = o->batch,
        .simulate = o->simulate,
        .top = o->top,
        .threads = o->threads,
        .options = nadi_model_plain_options(),
    };
    setup->options.choose_model = strcmp(o->network_model, "auto") == 0;
    setup->options.even_chunks = setup->options.choose_model;
    setup->options.network_model =
        setup->options.choose_model ? nadi_network_default : nadi_network_find(o->network_model);
    if (!setup->options.network_model)
        return nadi_error(diags, "search/network-model", NADI_NOWHERE,
                          "use auto, or one of " NADI_NETWORK_LIST, "'%s' is no network model",
                          o->network_model);
    return read_goal(o, &setup->goal, diags);
}

enum nadi_status nadi_do_model_search_run(const struct nadi_model_search *options, char **report,
                                          struct nadi_diags *messages)
{
    struct nadi_search_setup setup;
    struct nadi_search s;
    struct nadi_str text = NADI_STR_INIT;
    if (!take(options, &setup, messages))
        return NADI_STATUS_INPUT;
    bool ok = nadi_search_run(&s, &setup, messages) && some_fit(&s, messages) &&
              (!options->out || write_files(&s, options->out, messages));
    if (ok && strcmp(options->form, "json") == 0)
        nadi_search_json(&s, &text);
    else if (ok && strcmp(options->form, "csv") == 0)
        nadi_search_csv(&s, &text);
    else if (ok)
        nadi_search_text(&s, &text);
    nadi_search_release(&s);
    if (ok)
        *report = text.text;
    else
        nadi_str_release(&text);
    return ok ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}
