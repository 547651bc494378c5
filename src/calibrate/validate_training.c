#include "calibrate/validate_training.h"

#include <math.h>

#include "base/mem.h"
#include "explore/model_inputs.h"
#include "format/json_write.h"
#include "model/figures.h"

/* ---- one row ------------------------------------------------------------------------------- */

static double simulate(const struct nadi_study *study, struct nadi_diags *diags)
{
    const struct nadi_run_options options = nadi_model_plain_options();
    uint64_t ns = 0;
    return nadi_model_time(study, &options, &ns, diags) ? (double)ns / 1e9 : 0;
}

static void check_row(struct nadi_validate_training *v, size_t index)
{
    const struct nadi_training_row *row = &v->rows.items[index];
    struct nadi_training_check *c = &v->checks[index];
    const struct nadi_study_setup setup = {.model = row->model,
                                           .model_text = row->model_text,
                                           .settings = row->settings,
                                           .cluster = row->cluster};
    struct nadi_diags diags;
    struct nadi_study study;
    nadi_diags_init(&diags);
    if (nadi_study_open(&study, &setup, &diags)) {
        c->predicted_s = simulate(&study, &diags);
        const double peak = study.cluster.device.peak[study.plan.precision] * study.plan.ranks;
        const double flops = nadi_study_step_flops(&study, true);
        c->measured_mfu = flops / row->step_s / peak;
        c->predicted_mfu = c->predicted_s > 0 ? flops / c->predicted_s / peak : 0;
        c->error = c->predicted_mfu / c->measured_mfu - 1;
    }
    if (!(c->predicted_s > 0))
        c->failure = nadi_arena_strdup(&v->rows.arena, diags.count ? diags.items[0].message
                                                                   : "the simulation did not end");
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
        if (!other->left_out && same_text(row->settings, other->settings) &&
            same_text(row->cluster, other->cluster) && same_text(row->model, other->model) &&
            same_text(row->model_text, other->model_text))
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
    v->checks = NADI_ZNEW(struct nadi_training_check, v->rows.count);
    for (size_t i = 0; i < v->rows.count; i++) {
        const struct nadi_training_row *row = &v->rows.items[i];
        const size_t same = find_same(v, i);
        if (row->left_out)
            continue;
        if (same == i) {
            check_row(v, i);
            continue;
        }
        const double ratio = v->rows.items[same].step_s / row->step_s;
        v->checks[i] = v->checks[same];
        v->checks[i].measured_mfu *= ratio;
        v->checks[i].error = v->checks[i].predicted_mfu / v->checks[i].measured_mfu - 1;
    }
    return true;
}

void nadi_validate_training_release(struct nadi_validate_training *v)
{
    nadi_mem_free(v->checks);
    nadi_training_rows_release(&v->rows);
    *v = (struct nadi_validate_training){.checks = NULL};
}
