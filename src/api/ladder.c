#include "report/ladder.h"
#include "api/job.h"
#include "base/str.h"

struct call {
    struct nadi_job *const *jobs;
    size_t count;
    int colour;
    char *text;
    double factor;
    size_t *other;
};

static const struct nadi_field arguments_of_text[] = {
    NADI_HANDLE(struct call, jobs),
    NADI_U64(struct call, count, 1, NADI_LADDER_MOST),
    NADI_FIELDS_END,
};

static bool rungs_of(const struct call *a, struct nadi_rung *rungs)
{
    for (size_t i = 0; i < a->count; i++) {
        const struct nadi_job *job = a->jobs[i];
        if (!job || job->handle.failed || !job->ran)
            return false;
        rungs[i] = (struct nadi_rung){&job->inputs, &job->result};
    }
    return true;
}

static enum nadi_status factor_work(void *arguments, struct nadi_diags *diags)
{
    struct call *a = arguments;
    struct nadi_rung rungs[NADI_LADDER_MOST];
    (void)diags;
    if (!rungs_of(a, rungs))
        return NADI_STATUS_INPUT;
    a->factor = nadi_ladder_hidden(rungs, a->count, a->other);
    return NADI_STATUS_DONE;
}

double nadi_jobs_factor(struct nadi_job *const *jobs, size_t count, size_t *other)
{
    static const struct nadi_field members[] = {
        NADI_HANDLE(struct call, jobs),
        NADI_U64(struct call, count, 1, NADI_LADDER_MOST),
        NADI_RESULT(struct call, other, NADI_ARGUMENT_RESULT_SIZE, 1),
        NADI_FIELDS_END,
    };
    struct call a = {.jobs = jobs, .count = count, .other = other};
    const enum nadi_status status =
        nadi_gate_call("nadi_jobs_factor", members, &a, factor_work, NULL);
    return status == NADI_STATUS_DONE ? a.factor : 0;
}

static enum nadi_status text_work(void *arguments, struct nadi_diags *diags)
{
    struct call *a = arguments;
    struct nadi_rung rungs[NADI_LADDER_MOST];
    struct nadi_str text = NADI_STR_INIT;
    (void)diags;
    if (!rungs_of(a, rungs))
        return NADI_STATUS_INPUT;
    nadi_ladder_text(rungs, a->count, a->colour != 0, &text);
    a->text = text.text;
    return NADI_STATUS_DONE;
}

char *nadi_jobs_text(struct nadi_job *const *jobs, size_t count, int colour)
{
    struct call a = {.jobs = jobs, .count = count, .colour = colour};
    const enum nadi_status status =
        nadi_gate_call("nadi_jobs_text", arguments_of_text, &a, text_work, NULL);
    return status == NADI_STATUS_DONE ? a.text : NULL;
}

static enum nadi_status json_work(void *arguments, struct nadi_diags *diags)
{
    struct call *a = arguments;
    struct nadi_rung rungs[NADI_LADDER_MOST];
    struct nadi_str text = NADI_STR_INIT;
    (void)diags;
    if (!rungs_of(a, rungs))
        return NADI_STATUS_INPUT;
    nadi_ladder_json(rungs, a->count, &text);
    a->text = text.text;
    return NADI_STATUS_DONE;
}

char *nadi_jobs_json(struct nadi_job *const *jobs, size_t count)
{
    struct call a = {.jobs = jobs, .count = count};
    const enum nadi_status status =
        nadi_gate_call("nadi_jobs_json", arguments_of_text, &a, json_work, NULL);
    return status == NADI_STATUS_DONE ? a.text : NULL;
}
