#include "api/inside.h"
#include "api/job.h"
#include "api/words.h"
#include "base/hold.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/threads.h"
#include "report/reference.h"
#include "report/report.h"
#include "report/run_files.h"
#include "why/sensitivity.h"

struct nadi_claim {
    struct nadi_output_lock *lock;
};
void nadi_output_init(struct nadi_output *output)
{
    *output = (struct nadi_output){
        .size = sizeof(*output),
        .timeline_last_rank = UINT32_MAX,
        .timeline_to_ns = UINT64_MAX,
        .ranks = "auto",
    };
}

static enum nadi_ranks_form ranks_form(const char *word)
{
    if (word && strcmp(word, "each") == 0)
        return NADI_RANKS_ONE_BY_ONE;
    return word && strcmp(word, "classes") == 0 ? NADI_RANKS_BY_CLASS : NADI_RANKS_AUTO;
}

static void find_sensitivities(const struct nadi_job *job, const struct nadi_why *why,
                               struct nadi_sensitivities *out, struct nadi_diags *diags)
{
    nadi_sensitivities_find(&job->inputs, &job->result, why, nadi_threads_cores(8), out);
    if (out->why_not)
        nadi_note(diags, "sensitivity/not-simulated", NADI_NOWHERE, NULL,
                  "sensitivities are those of the critical path alone: %s", out->why_not);
}

struct nadi_claim *nadi_do_claim_create(const char *folder, struct nadi_diags *messages)
{
    struct nadi_output_lock *lock = nadi_output_lock_folder(folder, messages);
    if (!lock)
        return NULL;
    struct nadi_claim *claim = NADI_NEW(struct nadi_claim, 1);
    claim->lock = lock;
    return claim;
}

void nadi_claim_destroy(struct nadi_claim *claim)
{
    if (!claim)
        return;
    nadi_output_lock_release(claim->lock);
    nadi_mem_free(claim);
}

enum nadi_status nadi_do_claim_clear(const struct nadi_claim *claim, struct nadi_diags *messages)
{
    const bool ok = nadi_output_lock_holds(claim->lock, messages) &&
                    nadi_run_files_remove(nadi_output_lock_path(claim->lock), NULL, NULL, messages);
    return ok ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}

const char *nadi_run_file_name(size_t index)
{
    return index < NADI_FILES ? nadi_run_file_info((enum nadi_run_file)index)->name : NULL;
}

/* Into the folder that the caller claimed, or into one that is claimed while it is written. */
static bool write_folder(struct nadi_job *job, const struct nadi_output *output,
                         const struct nadi_report_options *options, struct nadi_diags *diags)
{
    struct nadi_output_lock *own =
        output->claim ? NULL : nadi_output_lock_folder(output->folder, diags);
    const struct nadi_output_lock *lock = output->claim ? output->claim->lock : own;
    struct nadi_written written;
    nadi_written_init(&written);
    nadi_written_release(&job->written);
    nadi_written_init(&job->written);
    job->has_written = false; /* also where it fails */
    const bool done = lock && nadi_report_write_folder(&job->inputs, &job->result, options, lock,
                                                       &written, diags);
    if (!job->handle.inside) { /* it outlives the call */
        nadi_mem_move(written.items, &job->handle.heap);
        nadi_arena_move(&written.arena, &job->handle.heap);
    }
    job->written = written;
    job->has_written = done;
    nadi_output_lock_release(own);
    return job->has_written;
}

enum nadi_status nadi_do_job_write(struct nadi_job *job, const struct nadi_output *output,
                                   struct nadi_diags *diags)
{
    struct nadi_output whole = *output;
    const bool all_time = whole.timeline_from_ns == 0 && whole.timeline_to_ns == UINT64_MAX;
    struct nadi_why why;
    struct nadi_sensitivities sensitivities;
    const bool again = whole.why && whole.sensitivity;
    if (whole.why)
        nadi_why_find(&job->inputs, &job->result, &why);
    if (again)
        find_sensitivities(job, &why, &sensitivities, diags);
    const struct nadi_report_options options = {
        .why = whole.why ? &why : NULL,
        .sensitivities = again ? &sensitivities : NULL,
        .ranks = ranks_form(whole.ranks),
        .bill = job->cost ? &job->cost->bill : NULL,
        .worth = job->cost ? &job->cost->worth : NULL,
        .prices = job->cost ? &job->cost->prices : NULL,
        .ops = whole.ops != 0,
        .layers = whole.layers != 0,
        .five_column = whole.five_column != 0,
        .link_usage = whole.link_usage != 0,
        /* of a run whose nodes were too many to be kept there is none, unless all is asked for */
        .timeline = whole.timeline != 0 && (job->result.span_count || !whole.some_timeline),
        .some_timeline = whole.some_timeline != 0,
        .some_db = whole.some_db != 0,
        .timeline_limit_ranks =
            whole.timeline_first_rank != 0 || whole.timeline_last_rank != UINT32_MAX,
        .timeline_first_rank = whole.timeline_first_rank,
        .timeline_last_rank = whole.timeline_last_rank,
        .timeline_from_ns = whole.timeline_from_ns,
        .timeline_to_ns = all_time ? 0 : whole.timeline_to_ns,
    };
    const bool written = write_folder(job, &whole, &options, diags);
    if (again)
        nadi_sensitivities_release(&sensitivities);
    if (whole.why)
        nadi_why_release(&why);
    return written ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}

struct nadi_sentences nadi_job_words(const struct nadi_job *job, struct nadi_arena *arena)
{
    if (job->has_written)
        return job->written.words;
    struct nadi_result whole = job->result;
    struct nadi_why why;
    whole.span_count += job->path_spans;
    whole.flow_count += job->path_flows;
    nadi_why_find_path(&job->inputs, &whole, &why);
    const struct nadi_sentences words =
        nadi_words_of(&job->inputs, &whole, why.why_not ? NULL : &why, arena);
    nadi_why_release(&why);
    return words;
}

static char *taken(struct nadi_str *text)
{
    nadi_str_add(text, ""); /* an empty text is "", not NULL */
    return text->text;
}

char *nadi_do_job_text(const struct nadi_job *job, int colour)
{
    struct nadi_str text = NADI_STR_INIT;
    struct nadi_arena arena;
    nadi_arena_init(&arena);
    const struct nadi_sentences words = nadi_job_words(job, &arena);
    nadi_report_text(&job->inputs, &job->result, &words, colour != 0, &text);
    nadi_arena_release(&arena);
    return taken(&text);
}

char *nadi_do_job_json(const struct nadi_job *job)
{
    struct nadi_str text = NADI_STR_INIT;
    struct nadi_arena arena;
    nadi_arena_init(&arena);
    const struct nadi_sentences words = nadi_job_words(job, &arena);
    nadi_report_json(&job->inputs, &job->result, &words, &text);
    nadi_arena_release(&arena);
    return taken(&text);
}

char *nadi_do_job_reference_lines(const struct nadi_job *job)
{
    struct nadi_str text = NADI_STR_INIT;
    nadi_report_reference_lines(&job->inputs, &job->result, &text);
    return taken(&text);
}
