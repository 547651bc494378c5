#include "api/job.h"
#include "base/file.h"
#include "base/str.h"
#include "report/local_memory.h"
#include "report/run_files.h"

struct writer {
    const struct nadi_job *job;
    struct nadi_diags *diags;
    struct nadi_str path, text;
    const char *folder; /* NULL: the name is a path */
    bool good;
};

static void write_rank(void *context, uint32_t rank, const struct nadi_local_memory *m)
{
    struct writer *w = context;
    nadi_str_clear(&w->path);
    nadi_str_clear(&w->text);
    if (w->folder)
        nadi_str_printf(&w->path, "%s/%s", w->folder, nadi_run_memory_base(&w->job->inputs));
    else
        nadi_str_add(&w->path, w->job->inputs.system.local_mem_trace_filename);
    nadi_str_printf(&w->path, ".%" PRIu32 ".json", rank);
    nadi_report_local_memory(rank, w->job->inputs.traces[rank], m, &w->text);
    w->good &=
        nadi_file_write(nadi_str_get(&w->path), nadi_str_get(&w->text), w->text.length, w->diags);
}

enum nadi_status nadi_do_job_write_memory(const struct nadi_job *job, const char *folder,
                                          struct nadi_diags *diags)
{
    if (!job->inputs.system.track_local_mem)
        return NADI_STATUS_DONE;
    struct writer w = {.job = job, .diags = diags, .folder = folder, .good = true};
    nadi_local_memory_each(&job->inputs, &job->result, write_rank, &w);
    nadi_str_release(&w.path);
    nadi_str_release(&w.text);
    return w.good ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}
