/* design: `nadi optimize`: the best cluster of a space. */
#include "design/design.h"

#include "api/inside.h"
#include "api/run_settings.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/originals.h"
#include "design/files.h"
#include "report/design_text.h"

void nadi_design_options_init(struct nadi_design_options *options)
{
    *options = (struct nadi_design_options){
        .size = sizeof(*options), .simulate = 24, .refine = 100, .top = 10, .form = "text"};
}

static bool put(const char *folder, const char *name, const struct nadi_str *text,
                struct nadi_diags *diags)
{
    struct nadi_str path = NADI_STR_INIT;
    nadi_str_printf(&path, "%s/%s", folder, name);
    const bool ok = nadi_file_write(nadi_str_get(&path), nadi_str_get(text), text->length, diags);
    nadi_str_release(&path);
    return ok;
}

static bool put_view(const struct nadi_design_view *v, const char *folder, const char *name,
                     void (*write)(const struct nadi_design_view *, struct nadi_str *),
                     struct nadi_diags *diags)
{
    struct nadi_str text = NADI_STR_INIT;
    write(v, &text);
    const bool ok = put(folder, name, &text, diags);
    nadi_str_release(&text);
    return ok;
}

static bool put_plans(const struct nadi_design_view *v, const char *folder,
                      struct nadi_diags *diags)
{
    const struct nadi_design_problem *p = v->problem;
    bool ok = true;
    for (uint32_t w = 0; ok && w < p->workload_count; w++) {
        struct nadi_str text = NADI_STR_INIT, name = NADI_STR_INIT;
        nadi_str_printf(&name, "%s.plan.yaml", p->workloads[w].name);
        ok = nadi_design_plan_file(p, &v->answer->designs[v->answer->best], w, &text, diags) &&
             put(folder, nadi_str_get(&name), &text, diags);
        nadi_str_release(&text);
        nadi_str_release(&name);
    }
    return ok;
}

static bool put_cluster(const struct nadi_design_view *v, const char *folder,
                        struct nadi_diags *diags)
{
    struct nadi_str cluster = NADI_STR_INIT, device = NADI_STR_INIT, network = NADI_STR_INIT;
    const uint64_t best = v->answer->best;
    const bool ok = nadi_design_cluster_file(v->problem, best, &cluster, &device, diags) &&
                    put(folder, "cluster.yaml", &cluster, diags) &&
                    (!device.length || put(folder, "device.yaml", &device, diags)) &&
                    nadi_design_network_file(v->problem, best, &network, diags) &&
                    put(folder, "network.yml", &network, diags);
    nadi_str_release(&cluster);
    nadi_str_release(&device);
    nadi_str_release(&network);
    return ok;
}

/* None of the files that an answer may have was read: also before the work, which can be long. */
static bool spares(const struct nadi_design_problem *p, const char *folder,
                   struct nadi_diags *diags)
{
    static const char *const names[] = {"designs.csv",  "summary.json", "designs.svg",
                                        "designs.html", "cluster.yaml", "device.yaml",
                                        "network.yml"};
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof(names) / sizeof(*names); i++)
        ok = nadi_originals_spare_in(folder, names[i], diags);
    for (uint32_t w = 0; ok && w < p->workload_count; w++) {
        struct nadi_str name = NADI_STR_INIT;
        nadi_str_printf(&name, "%s.plan.yaml", p->workloads[w].name);
        ok = nadi_originals_spare_in(folder, nadi_str_get(&name), diags);
        nadi_str_release(&name);
    }
    return ok;
}

static bool write_files(const struct nadi_design_view *v, const char *folder,
                        struct nadi_diags *diags)
{
    return spares(v->problem, folder, diags) && nadi_file_make_folder(folder, diags) &&
           put_view(v, folder, "designs.csv", nadi_design_csv, diags) &&
           put_view(v, folder, "summary.json", nadi_design_json, diags) &&
           put_view(v, folder, "designs.svg", nadi_design_svg, diags) &&
           put_view(v, folder, "designs.html", nadi_design_page, diags) &&
           (v->answer->best == v->answer->count ||
            (put_cluster(v, folder, diags) && put_plans(v, folder, diags)));
}

static void report_on(const struct nadi_design_view *v, const char *form, struct nadi_str *out)
{
    if (strcmp(form, "json") == 0)
        nadi_design_json(v, out);
    else if (strcmp(form, "csv") == 0)
        nadi_design_csv(v, out);
    else
        nadi_design_text(v, out);
}

/* What stood in the way, as an error: the space has no answer. */
static bool some(const struct nadi_design_view *v, struct nadi_diags *diags)
{
    struct nadi_str text = NADI_STR_INIT;
    if (v->answer->best < v->answer->count)
        return true;
    nadi_design_why_none(v, &text);
    (void)nadi_error(diags, "design/none", NADI_IN_FILE(v->problem->space.path),
                     "loosen a limit, or widen the space", "%s", nadi_str_get(&text));
    nadi_str_release(&text);
    return false;
}

enum nadi_status nadi_do_optimize(const struct nadi_design_options *o, char **report,
                                  struct nadi_diags *messages)
{
    static const struct nadi_run_host host = {.preset = nadi_run_preset, .set = nadi_run_set};
    const char *names[NADI_RUN_NAMES];
    struct nadi_design_problem *p = NADI_ZNEW(struct nadi_design_problem, 1);
    struct nadi_design_answer a = {.count = 0};
    struct nadi_str text = NADI_STR_INIT;
    const struct nadi_design_source source = {.path = o->space,
                                              .host = &host,
                                              .run_setting = nadi_run_setting,
                                              .run_names = names,
                                              .run_name_count = nadi_run_names(names)};
    const struct nadi_design_setup setup = {.simulate = o->simulate,
                                            .refine = o->refine,
                                            .threads = o->threads,
                                            .pareto = o->pareto != 0};
    const struct nadi_design_view view = {p, &a, o->top};
    bool ok = nadi_design_read(p, &source, messages) && (!o->out || spares(p, o->out, messages)) &&
              nadi_design_run(&a, p, &setup, messages);
    ok = ok && (!o->out || write_files(&view, o->out, messages)) && some(&view, messages);
    if (ok)
        report_on(&view, o->form, &text);
    *report = ok ? text.text : NULL;
    nadi_design_answer_release(&a);
    nadi_design_release(p);
    nadi_mem_free(p);
    return ok ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}
