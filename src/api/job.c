#include "api/job.h"
#include "api/run_settings.h"
#include "base/mem.h"
#include "base/str.h"
#include "explore/energy.h"
#include "format/number.h"
#include "sim/run.h"

/* The setting that a member stands for; NULL: the drop-in names, which are none. */
static const struct nadi_setting *setting_of(const struct nadi_field *member)
{
    static const char *const called[][2] = {{"max_sim_ns", "max-sim"},
                                            {"max_wall_ms", "max-wall"},
                                            {"packet_compat", "compat"},
                                            {"compat", NULL}};
    for (size_t i = 0; i < sizeof(called) / sizeof(*called); i++)
        if (nadi_str_equal(member->name, called[i][0]))
            return called[i][1] ? nadi_run_setting(called[i][1]) : NULL;
    return nadi_run_setting(member->name);
}

void nadi_setup_init(struct nadi_setup *setup)
{
    *setup = (struct nadi_setup){.size = sizeof(*setup)};
    for (const struct nadi_field *m = nadi_setup_struct.members; m->name; m++) {
        const struct nadi_setting *s = setting_of(m);
        void *at = (char *)setup + m->offset;
        if (s && s->preset && !nadi_setting_read(s, s->preset, at)) /* members are alike */
            NADI_BUG("default of %s", s->name);
    }
}

/* As it would be written; false: it is what it is by default. */
static bool member_text(const struct nadi_field *m, const void *at, const void *preset,
                        struct nadi_str *out)
{
    const char *text;
    uint32_t narrow;
    uint64_t wide;
    double real;
    int flag;
    nadi_str_clear(out);
    switch (m->kind) {
    case NADI_FIELD_TEXT:
    case NADI_FIELD_PATH:
        memcpy(&text, at, sizeof(text));
        nadi_str_add(out, text ? text : "");
        return text != NULL;
    case NADI_FIELD_U32:
        memcpy(&narrow, at, sizeof(narrow));
        nadi_str_printf(out, "%" PRIu32, narrow);
        return memcmp(at, preset, sizeof(narrow)) != 0;
    case NADI_FIELD_U64:
        memcpy(&wide, at, sizeof(wide));
        nadi_str_printf(out, "%" PRIu64 "%s", wide,
                        nadi_str_ends(m->name, "_ns")   ? "ns"
                        : nadi_str_ends(m->name, "_ms") ? "ms"
                                                        : "");
        return memcmp(at, preset, sizeof(wide)) != 0;
    case NADI_FIELD_DOUBLE:
        memcpy(&real, at, sizeof(real));
        nadi_number_add_double(out, real);
        return memcmp(at, preset, sizeof(real)) != 0;
    case NADI_FIELD_FLAG:
        memcpy(&flag, at, sizeof(flag));
        nadi_str_add(out, flag ? "on" : "off");
        return flag != 0;
    case NADI_FIELD_TEXTS:
    case NADI_FIELD_PATHS:
    case NADI_FIELD_HANDLE:
        break;
    }
    return false;
}

static bool set_members(struct nadi_job *job, const struct nadi_setup *setup,
                        struct nadi_diags *diags)
{
    struct nadi_setup standard;
    struct nadi_str text = NADI_STR_INIT;
    bool ok = true;
    nadi_setup_init(&standard);
    for (const struct nadi_field *m = nadi_setup_struct.members; m->name; m++) {
        const struct nadi_setting *s = setting_of(m);
        if (s && member_text(m, (const char *)setup + m->offset,
                             (const char *)&standard + m->offset, &text))
            ok &= nadi_run_set(&job->options, s->name, nadi_str_get(&text), &job->arena, diags);
    }
    nadi_str_release(&text);
    return ok;
}

enum nadi_status nadi_do_job_create(struct nadi_job *job, const struct nadi_setup *setup,
                                    struct nadi_diags *diags)
{
    const bool compat = setup && setup->compat;
    nadi_arena_init(&job->arena);
    nadi_written_init(&job->written);
    job->options =
        (struct nadi_run_options){.compat = compat, .strict = !compat, .match_mismatched = compat};
    nadi_run_preset(&job->options);
    job->bad_setup = setup && !set_members(job, setup, diags);
    return NADI_STATUS_DONE;
}

enum nadi_status nadi_do_job_set(struct nadi_job *job, const char *name, const char *text,
                                 struct nadi_diags *diags)
{
    if (nadi_run_set(&job->options, name, text, &job->arena, diags))
        return NADI_STATUS_DONE;
    job->bad_setup = true;
    return NADI_STATUS_INPUT;
}

void nadi_job_release(struct nadi_job *job)
{
    if (job->ran)
        nadi_result_release(&job->result);
    if (job->load_called)
        nadi_inputs_release(&job->inputs);
    nadi_job_drop_study(job);
    nadi_job_drop_cost(job);
    nadi_written_release(&job->written);
    nadi_arena_release(&job->arena);
}

static bool has_files(const struct nadi_job *job, struct nadi_diags *diags)
{
    static const char hint[] = "a simulation needs a workload, a system and a network";
    if (!job->options.workload)
        return nadi_error(diags, "setup/missing", NADI_NOWHERE, hint, "no workload named");
    if (!job->options.system)
        return nadi_error(diags, "setup/missing", NADI_NOWHERE, hint, "no system file named");
    if (!job->options.network)
        return nadi_error(diags, "setup/missing", NADI_NOWHERE, hint, "no network file named");
    return true;
}

enum nadi_status nadi_do_job_load(struct nadi_job *job, struct nadi_diags *diags)
{
    if (job->bad_setup || (!job->options.flows && !has_files(job, diags)))
        return NADI_STATUS_INPUT;
    if (job->options.catalogue)
        return nadi_error(diags, "setup/catalogue", NADI_NOWHERE,
                          "`nadi model run --cluster NAME --catalogue NAME`; `nadi cost --network "
                          "FILE` counts a network alone",
                          "a network file does not say which devices it joins, so a run of traces "
                          "has no cost")
                   ? NADI_STATUS_DONE
                   : NADI_STATUS_INPUT;
    job->load_called = true;
    job->loaded = nadi_inputs_load(&job->inputs, &job->options, diags) &&
                  nadi_energy_check(&job->inputs, diags);
    return job->loaded ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}

/* Of a run that only a check begins: most refusals come with the first messages and requests. */
enum { LOOK_EVENTS = 1000000, LOOK_MS = 2000 };

/* Does the run refuse on its way what no file shows: a message that the network model cannot send,
 * a request that a memory tier cannot serve? As the run itself says it; what comes after the first
 * million events, or two seconds, is not seen. */
static bool is_refused(const struct nadi_inputs *loaded, struct nadi_diags *diags)
{
    const struct nadi_network_ops *model = loaded->options.network_model;
    const bool may = model->has_packets || model->has_flits || model->has_loads ||
                     model->has_conflicts || loaded->tiers || loaded->parted;
    struct nadi_inputs in = *loaded;
    struct nadi_result result;
    if (!may || in.flows)
        return false;
    in.options.record_ops = in.options.record_usage = false;
    in.options.max_events = LOOK_EVENTS;
    in.options.max_wall_ms = LOOK_MS;
    in.options.threads = 1;
    nadi_simulate(&in, NULL, &result);
    const bool refused = result.outcome == NADI_OUTCOME_REFUSED ||
                         result.outcome == NADI_OUTCOME_NO_MEMORY ||
                         result.outcome == NADI_OUTCOME_NO_ROUTE;
    if (refused)
        nadi_diags_append(diags, &result.diags);
    nadi_result_release(&result);
    return refused;
}

enum nadi_status nadi_do_job_check(const struct nadi_job *job, struct nadi_diags *diags)
{
    return nadi_inputs_check(&job->inputs, diags) && !is_refused(&job->inputs, diags)
               ? NADI_STATUS_DONE
               : NADI_STATUS_INPUT;
}
