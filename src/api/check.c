#include "api/job.h"

enum nadi_status nadi_job_check(struct nadi_job *job)
{
    NADI_ASSERT(job->loaded);
    return nadi_inputs_check(&job->inputs, &job->diags) ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}
