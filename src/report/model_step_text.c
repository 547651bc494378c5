/* model_step_text: what a simulated step means. */
#include "base/units.h"
#include "format/json_write.h"
#include "report/cost_text.h"
#include "report/model_text.h"
#include "report/support_text.h"

static const char *unit_of(const struct nadi_study *s)
{
    return nadi_model_is_transformer(&s->model) ? "token" : "sample";
}

static void add_memory(const struct nadi_study *s, const struct nadi_step_figures *f, bool colour,
                       struct nadi_str *out)
{
    char a[32], b[32], c[32];
    const double capacity = nadi_study_capacity(s);
    nadi_str_printf(out, "  memory of a device   %12s  of %s", nadi_units_bytes(a, f->memory_bytes),
                    nadi_units_bytes(b, capacity));
    if (s->plan.pp > 1)
        nadi_str_printf(out, ", stage %u is the fullest", f->memory_rank);
    if (f->missing_bytes > 0)
        nadi_str_printf(out, "\n  %sDOES NOT FIT: %s are missing%s; see `nadi model memory`",
                        colour ? "\x1b[31m" : "", nadi_units_bytes(c, f->missing_bytes),
                        colour ? "\x1b[0m" : "");
    nadi_str_add_char(out, '\n');
}

static struct nadi_interval interval_of(const struct nadi_study *s)
{
    struct nadi_evidence evidence;
    nadi_evidence_open(&evidence);
    struct nadi_interval interval = nadi_evidence_step(&evidence, s);
    nadi_evidence_close(&evidence);
    return interval;
}

/* FLOP/s a device of the scores that the mask leaves. */
static double computed_flops(const struct nadi_study *s, const struct nadi_step_figures *f)
{
    return nadi_study_step_flops(s, false) / f->step_s / s->plan.ranks;
}

/* The count of MFU has masked scores too: on long sequences more than a device can do. */
static void add_computed(const struct nadi_study *s, const struct nadi_step_figures *f,
                         struct nadi_str *out)
{
    const double flops = computed_flops(s, f);
    if (f->model_share > 1)
        nadi_str_printf(out,
                        "  computed FLOPs       %8.1f TFLOP  a second and device, %.1f %% of the "
                        "peak: without masked scores, which MFU counts\n",
                        flops / 1e12, flops / s->cluster.device.peak[s->plan.precision] * 100);
}

void nadi_step_figures_text(const struct nadi_study *s, const struct nadi_step_figures *f,
                            const struct nadi_step_cost *cost, bool colour, struct nadi_str *out)
{
    const struct nadi_model_plan *p = &s->plan;
    char a[32], b[32];
    nadi_str_printf(out, "%s%s on %u x %s%s: ", colour ? "\x1b[1m" : "", s->model.name, p->ranks,
                    s->cluster.device.name, colour ? "\x1b[0m" : "");
    nadi_plan_summary(p, out);
    nadi_str_printf(out, "\n\n  %s %12s  %" PRIu64 " %s%s",
                    p->mode == NADI_MODE_DECODE ? "a token           " : "a step            ",
                    nadi_units_time(a, f->step_s * 1e9), p->batch,
                    nadi_model_is_transformer(&s->model) ? "sequence" : "sample",
                    p->batch == 1 ? "" : "s");
    if (nadi_model_is_transformer(&s->model))
        nadi_str_printf(out, " of %" PRIu64 " tokens", p->tokens);
    if (p->mode == NADI_MODE_TRAIN && p->micro_batches > 1)
        nadi_str_printf(out, ", %" PRIu64 " micro-batches a replica", p->micro_batches);
    nadi_str_printf(out, "\n  throughput           %12s  %ss/s, %s a device\n",
                    nadi_units_count(a, f->tokens_per_s), unit_of(s),
                    nadi_units_count(b, f->tokens_per_s / p->ranks));
    nadi_str_printf(
        out,
        "  model FLOPs          %8.1f TFLOP  a second and device, %.1f %% of %s's %s peak (MFU)\n",
        f->model_flops / 1e12, f->model_share * 100, s->cluster.device.name,
        nadi_precision_name(p->precision));
    add_computed(s, f, out);
    if (f->bubble > 0)
        nadi_str_printf(
            out, "  pipeline bubble      %11.1f %%  that the schedule leaves with even stages\n",
            f->bubble * 100);
    add_memory(s, f, colour, out);
    const struct nadi_interval interval = interval_of(s);
    nadi_interval_text(&interval, f->step_s * 1e9, out);
    if (cost->bill)
        nadi_worth_text(cost->bill, cost->worth, cost->prices, unit_of(s), out);
}

void nadi_step_figures_json(const struct nadi_study *s, const struct nadi_step_figures *f,
                            const struct nadi_step_cost *cost, const struct nadi_sentences *words,
                            struct nadi_str *out)
{
    struct nadi_json j;
    struct nadi_str plan = NADI_STR_INIT;
    nadi_plan_summary(&s->plan, &plan);
    nadi_json_begin(&j, out);
    nadi_json_object(&j, NULL);
    nadi_json_string(&j, "model", s->model.name);
    nadi_json_string(&j, "cluster", s->cluster.name);
    nadi_json_string(&j, "device", s->cluster.device.name);
    nadi_json_string(&j, "plan", nadi_str_get(&plan));
    nadi_json_u64(&j, "ranks", s->plan.ranks);
    nadi_words_json(words, &j);
    nadi_json_double(&j, "step_s", f->step_s);
    const struct nadi_interval interval = interval_of(s);
    nadi_interval_json(&interval, f->step_s, &j);
    nadi_json_double(&j, "tokens_per_s", f->tokens_per_s);
    nadi_json_double(&j, "model_flops_per_s_per_device", f->model_flops);
    nadi_json_double(&j, "mfu", f->model_share);
    nadi_json_double(&j, "computed_flops_per_s_per_device", computed_flops(s, f));
    nadi_json_double(&j, "ideal_bubble", f->bubble);
    nadi_json_double(&j, "memory_bytes", f->memory_bytes);
    nadi_json_double(&j, "capacity_bytes", nadi_study_capacity(s));
    nadi_json_double(&j, "missing_bytes", f->missing_bytes);
    if (cost->bill)
        nadi_worth_json(cost->bill, cost->worth, cost->prices, &j);
    nadi_json_close(&j);
    nadi_json_finish(&j);
    nadi_str_release(&plan);
}
