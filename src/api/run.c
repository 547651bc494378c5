#include "sim/run.h"
#include "api/job.h"
#include "explore/energy.h"
#include "sim/uncertainty.h"

_Static_assert((int)NADI_STOP_WALL == (int)NADI_OBSERVER_WALL, "passed on as it is");

void nadi_watch_init(struct nadi_watch *watch)
{
    *watch = (struct nadi_watch){.size = sizeof(*watch)};
}

struct showing {
    const struct nadi_watch *watch;
    const struct nadi_progress *progress;
};

static void show(void *context)
{
    const struct showing *s = context;
    const struct nadi_progress *p = s->progress;
    s->watch->progress(s->watch->context, p->now_ns, p->nodes_done, p->nodes_total);
}

static void show_progress(void *context, const struct nadi_progress *p)
{
    struct showing s = {context, p};
    nadi_guard_outside(show, &s);
}

/* What is kept for the critical path alone is of one rank a class: not what a caller asks for. */
static void simulate(struct nadi_job *job, const struct nadi_observer *observer)
{
    struct nadi_run_options *o = &job->inputs.options;
    const bool unasked = !o->record_ops && !job->inputs.system.track_local_mem;
    o->record_path = unasked;
    nadi_simulate(&job->inputs, observer, &job->result);
    o->record_path = false;
    job->ran = true;
    if (!unasked)
        return;
    job->path_spans = job->result.span_count;
    job->path_flows = job->result.flow_count;
    job->result.span_count = job->result.flow_count = 0;
}

enum nadi_status nadi_do_job_run(struct nadi_job *job, const struct nadi_watch *watch,
                                 struct nadi_diags *diags)
{
    struct nadi_watch whole;
    nadi_watch_init(&whole);
    if (watch)
        whole = *watch;
    struct nadi_observer observer = {
        .progress = whole.progress ? show_progress : NULL,
        .context = &whole,
        .stop = whole.stop,
    };
    simulate(job, &observer);
    nadi_energy_find(&job->inputs, &job->result);
    nadi_diags_append(diags, &job->result.diags);
    switch (job->result.outcome) {
    case NADI_OUTCOME_DONE:
        nadi_job_find_worth(job);
        if (job->options.samples && job->inputs.system.library)
            job->result.uncertainty = nadi_sample_platform(&job->inputs, job->options.samples,
                                                           job->options.seed, &job->result.arena);
        return NADI_STATUS_DONE;
    case NADI_OUTCOME_DEADLOCK:
        return NADI_STATUS_DEADLOCK;
    case NADI_OUTCOME_NO_ROUTE:
    case NADI_OUTCOME_REFUSED:
    case NADI_OUTCOME_NO_MEMORY:
        return NADI_STATUS_INPUT;
    case NADI_OUTCOME_LIMIT:
    case NADI_OUTCOME_INTERRUPTED:
        return NADI_STATUS_LIMIT;
    case NADI_OUTCOME_NONE:
        break;
    }
    NADI_BUG("a simulation ended without an outcome");
}
