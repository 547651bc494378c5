/* trace_learned: `nadi trace learn`, `nadi trace synth`. */
#include "api/inside.h"
#include "api/words.h"

#include <nadi/learned.h>

#include "base/mem.h"
#include "base/originals.h"
#include "base/str.h"
#include "learned/make.h"
#include "learned/model_file.h"
#include "report/learned.h"

#include <math.h>

void nadi_trace_learn_init(struct nadi_trace_learn *options)
{
    *options =
        (struct nadi_trace_learn){.size = sizeof(*options), .model = "structural", .form = "text"};
}

static bool is_consistent(const struct nadi_learn_wish *w, struct nadi_diags *messages)
{
    const bool private = w->epsilon > 0, structural = w->kind == NADI_LEARNED_STRUCTURAL;
    if (private && !structural)
        return nadi_error(messages, "learn/epsilon", NADI_NOWHERE,
                          "leave --model sequence out, or --epsilon",
                          "noise is added to the counts of a structural model; the weights of a "
                          "network would need it too");
    if (private && !w->public_model)
        return nadi_error(messages, "learn/public", NADI_NOWHERE,
                          "learn a model from jobs that may be seen, as of `nadi model trace`, and "
                          "name it with --public",
                          "rules and laws of these jobs are exact, no noise covers them: with "
                          "--epsilon they come from a public model");
    if (!private && w->public_model)
        return nadi_error(messages, "learn/public", NADI_NOWHERE, "give --epsilon, too",
                          "--public has no effect without --epsilon");
    if (w->seed && !private && structural)
        return nadi_error(messages, "learn/seed", NADI_NOWHERE,
                          "leave --seed out, or add --epsilon or --model sequence",
                          "--seed has no effect: nothing is drawn to learn a structural model");
    return true;
}

/* A slip of the hand would put the model where a job is: asked before the work. */
static bool spares_jobs(const struct nadi_trace_learn *o, struct nadi_diags *messages)
{
    for (size_t i = 0; i < o->job_count; i++)
        nadi_originals_read_path(o->jobs[i]);
    return nadi_originals_spare(o->output, messages);
}

enum nadi_status nadi_do_trace_learn(const struct nadi_trace_learn *o, char **report,
                                     struct nadi_diags *messages)
{
    struct nadi_learned_model model;
    struct nadi_str text = NADI_STR_INIT;
    const struct nadi_learn_wish wish = {
        .kind = (enum nadi_learned_kind)nadi_word_index(NADI_WORDS_LEARNED_MODEL, o->model),
        .epsilon = o->epsilon,
        .public_model = o->public_model,
        .seed = o->seed,
        .watch = {.progress = o->watch ? o->watch->progress : NULL,
                  .context = o->watch ? o->watch->context : NULL}};
    if (!is_consistent(&wish, messages) || !spares_jobs(o, messages))
        return NADI_STATUS_INPUT;
    const bool ok = nadi_learn_model(&model, o->jobs, (uint32_t)o->job_count, &wish, messages) &&
                    nadi_learned_model_write(&model, o->output, messages);
    if (ok) {
        nadi_learned_model_report(&model, o->output, nadi_str_equal(o->form, "json"), &text);
        *report = text.text;
    }
    nadi_learned_model_release(&model);
    return ok ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}

void nadi_trace_synth_init(struct nadi_trace_synth *options)
{
    *options = (struct nadi_trace_synth){.size = sizeof(*options),
                                         .compute_scale = 1,
                                         .comm_scale = 1,
                                         .noise = -1,
                                         .temperature = 1,
                                         .seed = 1,
                                         .form = "text"};
}

static bool make(const struct nadi_trace_synth *o, const struct nadi_learned_model *model,
                 struct nadi_made_job *job, uint32_t *files, struct nadi_diags *messages)
{
    double point[NADI_LEARNED_AXES + NADI_LEARNED_LABELS];
    struct nadi_learned_wish wish = {.family = o->family ? o->family - 1 : NADI_NONE,
                                     .axes = o->axes,
                                     .ranks = o->ranks,
                                     .layers = o->layers,
                                     .batch = o->batch,
                                     .micro_batch = o->micro_batch,
                                     .sequence = o->sequence,
                                     .compute_scale = o->compute_scale,
                                     .comm_scale = o->comm_scale,
                                     .noise = o->noise,
                                     .temperature = o->temperature,
                                     .seed = o->seed};
    if (o->noise > -1 && o->noise < 0)
        return nadi_error(messages, "synth/noise", NADI_NOWHERE,
                          "give 0 or more, or -1 for what was learned",
                          "a deviation is not negative: found a noise of %g", o->noise);
    if (model->kind != NADI_LEARNED_SEQUENCE && fabs(o->temperature - 1) > 0)
        return nadi_error(messages, "synth/temperature", NADI_NOWHERE,
                          "learn with `--model sequence`, or leave --temperature out",
                          "a structural model draws no items: it has no temperature");
    if (o->like && o->family)
        return nadi_error(messages, "synth/family", NADI_NOWHERE, "leave --family or --like out",
                          "a job that is to be like another has its family: found --family %u and "
                          "--like %s",
                          o->family, o->like);
    if (o->like) {
        if (!nadi_learned_like(model, o->like, &wish.family, point, messages))
            return false;
        wish.point = point;
    }
    return nadi_learned_make(job, model, &wish, messages) &&
           nadi_made_job_write(job, o->output, files, messages);
}

enum nadi_status nadi_do_trace_synth(const struct nadi_trace_synth *o, char **report,
                                     struct nadi_diags *messages)
{
    struct nadi_learned_model model;
    struct nadi_made_job job = {.number = 0};
    struct nadi_str text = NADI_STR_INIT;
    uint32_t files = 0;
    const bool ok = nadi_learned_model_read(&model, o->model, messages) &&
                    make(o, &model, &job, &files, messages);
    if (ok) {
        nadi_made_job_report(&job, o->output, files, nadi_str_equal(o->form, "json"), &text);
        *report = text.text;
    }
    nadi_made_job_release(&job);
    nadi_learned_model_release(&model);
    return ok ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}
