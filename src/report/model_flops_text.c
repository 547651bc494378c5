#include "base/units.h"
#include "format/json_write.h"
#include "report/model_text.h"

static const char *unit_of(const struct nadi_model *m)
{
    return nadi_model_is_transformer(m) || m->family == NADI_FAMILY_RNN ? "token" : "sample";
}

struct counts {
    struct nadi_parameters parameters;
    double step_full, step_computed, tokens;
};

static struct counts count(const struct nadi_study *s)
{
    return (struct counts){
        .parameters = nadi_model_parameters(&s->model),
        .step_full = nadi_study_step_flops(s, true),
        .step_computed = nadi_study_step_flops(s, false),
        .tokens = nadi_study_step_tokens(s),
    };
}

void nadi_model_flops_text(const struct nadi_study *s, struct nadi_str *out)
{
    const struct nadi_model *m = &s->model;
    const struct counts c = count(s);
    const char *unit = unit_of(m);
    char a[32], b[32];
    nadi_str_printf(out, "%s\n", m->name);
    nadi_str_printf(out, "parameters            %s", nadi_units_count(a, c.parameters.all));
    if (m->published > 0)
        nadi_str_printf(out, " (published: %s)", nadi_units_count(b, m->published));
    nadi_str_add_char(out, '\n');
    if (m->beside > 0) {
        nadi_str_printf(out, "  simulated           %s\n",
                        nadi_units_count(a, c.parameters.all - m->beside));
        nadi_str_printf(out, "  not simulated       %s\n", nadi_units_count(a, m->beside));
    }
    if (m->experts)
        nadi_str_printf(out, "passed by a token     %s\n",
                        nadi_units_count(a, c.parameters.activated));
    nadi_str_printf(out, "a step                %" PRIu64 " sequences", s->plan.batch);
    if (nadi_model_is_transformer(m))
        nadi_str_printf(out, " of %" PRIu64 " tokens", s->plan.tokens);
    nadi_str_printf(out, ", %s %ss\n", nadi_units_count(a, c.tokens), unit);
    nadi_str_printf(out, "FLOPs a step          %.4g (every score of attention counted)\n",
                    c.step_full);
    nadi_str_printf(out, "                      %.4g (scores that the mask leaves)\n",
                    c.step_computed);
    nadi_str_printf(out, "FLOPs a %-13s %s, of a parameter %.3f\n", unit,
                    nadi_units_count(a, c.step_full / c.tokens),
                    c.step_full / c.tokens / c.parameters.activated);
    if (s->plan.ranks > 1)
        nadi_str_printf(out, "FLOPs a rank          %.4g of %u\n", c.step_full / s->plan.ranks,
                        s->plan.ranks);
    if (!s->has_cluster)
        return;
    const struct nadi_device *d = &s->cluster.device;
    const double peak = d->peak[s->plan.precision];
    nadi_str_printf(out, "at the peak           %s a step on %u x %s in %s\n",
                    nadi_units_time(a, c.step_full / s->plan.ranks / peak * 1e9), s->plan.ranks,
                    d->name, nadi_precision_name(s->plan.precision));
}

void nadi_model_flops_json(const struct nadi_study *s, struct nadi_str *out)
{
    const struct counts c = count(s);
    struct nadi_json j;
    nadi_json_begin(&j, out);
    nadi_json_object(&j, NULL);
    nadi_json_string(&j, "model", s->model.name);
    nadi_json_double(&j, "parameters", c.parameters.all);
    nadi_json_double(&j, "activated_parameters", c.parameters.activated);
    nadi_json_double(&j, "embedding_parameters", c.parameters.embedding);
    nadi_json_double(&j, "published_parameters", s->model.published);
    nadi_json_u64(&j, "ranks", s->plan.ranks);
    nadi_json_u64(&j, "batch", s->plan.batch);
    nadi_json_double(&j, "step_tokens", c.tokens);
    nadi_json_double(&j, "step_flops", c.step_full);
    nadi_json_double(&j, "step_flops_masked", c.step_computed);
    nadi_json_close(&j);
    nadi_json_finish(&j);
}
