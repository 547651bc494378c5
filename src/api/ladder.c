#include "report/ladder.h"
#include "api/job.h"
#include "base/str.h"

static size_t rungs_of(struct nadi_job *const *jobs, size_t count, struct nadi_rung *rungs)
{
    NADI_ASSERT(count > 0 && count <= NADI_LADDER_MOST);
    for (size_t i = 0; i < count; i++) {
        NADI_ASSERT(jobs[i]->ran);
        rungs[i] = (struct nadi_rung){&jobs[i]->inputs, &jobs[i]->result};
    }
    return count;
}

double nadi_jobs_factor(struct nadi_job *const *jobs, size_t count, size_t *other)
{
    struct nadi_rung rungs[NADI_LADDER_MOST];
    return nadi_ladder_hidden(rungs, rungs_of(jobs, count, rungs), other);
}

char *nadi_jobs_text(struct nadi_job *const *jobs, size_t count, int colour)
{
    struct nadi_rung rungs[NADI_LADDER_MOST];
    struct nadi_str text = NADI_STR_INIT;
    nadi_ladder_text(rungs, rungs_of(jobs, count, rungs), colour != 0, &text);
    return text.text;
}

char *nadi_jobs_json(struct nadi_job *const *jobs, size_t count)
{
    struct nadi_rung rungs[NADI_LADDER_MOST];
    struct nadi_str text = NADI_STR_INIT;
    nadi_ladder_json(rungs, rungs_of(jobs, count, rungs), &text);
    return text.text;
}
