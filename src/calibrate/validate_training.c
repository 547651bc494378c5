#include "calibrate/validate_training.h"

#include <math.h>

#include "base/mem.h"
#include "explore/model_inputs.h"
#include "format/doc_change.h"

/* ---- one row ------------------------------------------------------------------------------- */

enum { MOST_EVENTS = 400000 }; /* of a step with contention: a second or so */

/* As `nadi model run` does; a step that takes too long so, where messages pass each other. */
static double simulate(const struct nadi_study *study, struct nadi_diags *diags)
{
    struct nadi_run_options options = nadi_model_auto_options();
    const struct nadi_run_options plain = nadi_model_plain_options();
    uint64_t ns = 0;
    options.max_events = MOST_EVENTS;
    bool ok = nadi_model_time(study, &options, &ns, diags);
    if (ok && !ns)
        ok = nadi_model_time(study, &plain, &ns, diags);
    return ok ? (double)ns / 1e9 : 0;
}

const char *const nadi_training_class_words[NADI_CLASSES] = {"dense", "experts",
                                                             "other frameworks"};

enum { FEW_MICRO_BATCHES = 8 };

/* Frameworks that NVIDIA tunes with its own kernels and schedules. */
static bool is_megatron(const char *framework)
{
    return !framework || strncmp(framework, "megatron", strlen("megatron")) == 0;
}

enum nadi_training_class nadi_training_class_of(const char *framework, bool experts)
{
    return !is_megatron(framework) ? NADI_CLASS_OTHER
           : experts               ? NADI_CLASS_EXPERTS
                                   : NADI_CLASS_DENSE;
}

static void classify(struct nadi_training_check *c, const struct nadi_training_row *row,
                     const struct nadi_study *study)
{
    c->class = nadi_training_class_of(row->framework, study->model.experts);
    c->context_parallel = study->plan.cp > 1;
    c->few_micro_batches = study->plan.micro_batches <= FEW_MICRO_BATCHES;
}

static void leave_out(struct nadi_validate_training *v, struct nadi_training_check *c,
                      enum nadi_row_fate fate, const char *why)
{
    c->fate = fate;
    c->failure = nadi_arena_strdup(&v->rows.arena, why);
}

static void compare(struct nadi_validate_training *v, struct nadi_training_check *c,
                    const struct nadi_training_row *row)
{
    char why[80];
    if (row->step_s > 0)
        c->measured_s = row->step_s;
    else
        c->measured_s = c->flops / (row->rank_flops_per_s > 0 ? row->rank_flops_per_s * c->ranks
                                                              : row->mfu * c->peak);
    c->measured_mfu = c->flops / c->measured_s / c->peak;
    c->error = c->predicted_mfu / c->measured_mfu - 1;
    if (c->failure || c->measured_mfu <= 1)
        return;
    snprintf(why, sizeof(why), "the model's FLOPs at %.0f %% of the devices' peak",
             c->measured_mfu * 100);
    leave_out(v, c, NADI_ROW_IMPLAUSIBLE, why);
}

static void check_row(struct nadi_validate_training *v, size_t index)
{
    const struct nadi_training_row *row = &v->rows.items[index];
    struct nadi_training_check *c = &v->checks[index];
    char layers[16];
    snprintf(layers, sizeof(layers), "%" PRIu32, row->layers);
    const struct nadi_doc_change change = {.of = "model", .path = "layers", .text = layers};
    const struct nadi_doc_changes changes = {.items = &change, .count = row->layers ? 1 : 0};
    const struct nadi_study_setup setup = {.model = row->model,
                                           .model_text = row->model_text,
                                           .settings = row->settings,
                                           .cluster = row->cluster,
                                           .changes = &changes};
    struct nadi_diags diags;
    struct nadi_study study;
    nadi_diags_init(&diags);
    if (nadi_model_study(&study, &setup, &diags)) {
        classify(c, row, &study);
        c->predicted_s = simulate(&study, &diags);
        c->ranks = study.plan.ranks;
        c->peak = study.cluster.device.peak[study.plan.precision] * c->ranks;
        c->flops = nadi_study_step_flops(&study, true);
        c->predicted_mfu = c->predicted_s > 0 ? c->flops / c->predicted_s / c->peak : 0;
    }
    if (c->predicted_s > 0)
        compare(v, c, row);
    else
        leave_out(v, c, NADI_ROW_UNSUPPORTED,
                  diags.count ? diags.items[0].message : "the simulation did not end");
    nadi_study_close(&study);
    nadi_diags_release(&diags);
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* An earlier row of the same configuration; `index` when there is none. */
static size_t find_same(const struct nadi_validate_training *v, size_t index)
{
    const struct nadi_training_row *row = &v->rows.items[index];
    for (size_t i = 0; i < index; i++) {
        const struct nadi_training_row *other = &v->rows.items[i];
        if (!other->left_out && row->layers == other->layers &&
            same_text(row->settings, other->settings) && same_text(row->cluster, other->cluster) &&
            same_text(row->model, other->model) && same_text(row->model_text, other->model_text))
            return i;
    }
    return index;
}

bool nadi_validate_training(struct nadi_validate_training *v, const char *folder,
                            struct nadi_diags *diags)
{
    *v = (struct nadi_validate_training){.checks = NULL};
    if (!nadi_training_rows_read(&v->rows, folder, diags))
        return false;
    v->all_read = true;
    for (size_t i = 0; i < v->rows.files.count; i++)
        v->all_read =
            v->all_read && (v->rows.files.items[i].read || !v->rows.files.items[i].is_table);
    v->checks = NADI_ZNEW(struct nadi_training_check, v->rows.count);
    for (size_t i = 0; i < v->rows.count; i++) {
        const struct nadi_training_row *row = &v->rows.items[i];
        if (row->left_out) {
            leave_out(v, &v->checks[i], row->fate, row->left_out);
            continue;
        }
        const size_t same = find_same(v, i);
        if (same == i) {
            check_row(v, i);
            continue;
        }
        v->checks[i] = v->checks[same];
        if (v->checks[i].fate == NADI_ROW_IMPLAUSIBLE) { /* by the other's time */
            v->checks[i].fate = NADI_ROW_USED;
            v->checks[i].failure = NULL;
        }
        if (v->checks[i].predicted_s > 0)
            compare(v, &v->checks[i], row);
    }
    return true;
}

void nadi_validate_training_release(struct nadi_validate_training *v)
{
    nadi_mem_free(v->checks);
    nadi_training_rows_release(&v->rows);
    *v = (struct nadi_validate_training){.checks = NULL};
}
