#include "report/search.h"

#include <math.h>

#include "base/units.h"
#include "format/json_write.h"

static const char *const recomputes[] = {"none", "selective", "full"};

static void grouped(char text[32], uint64_t value)
{
    char digits[24];
    int length = snprintf(digits, sizeof(digits), "%" PRIu64, value), at = 0;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            text[at++] = ',';
        text[at++] = digits[i];
    }
    text[at] = '\0';
}

void nadi_search_words(const struct nadi_strategy *s, struct nadi_str *out)
{
    const struct {
        const char *name;
        uint32_t value;
    } degrees[] = {{"tp", s->tp}, {"cp", s->cp}, {"pp", s->pp},
                   {"vp", s->vp}, {"dp", s->dp}, {"ep", s->ep}};
    char away[64];
    for (size_t i = 0; i < sizeof(degrees) / sizeof(*degrees); i++)
        if (degrees[i].value > 1)
            nadi_str_printf(out, "%s %u, ", degrees[i].name, degrees[i].value);
    nadi_str_printf(out, "micro-batch %u", s->micro_batch);
    if (s->zero)
        nadi_str_printf(out, ", zero %u", s->zero);
    if (s->recompute)
        nadi_str_printf(out, ", recompute %s", recomputes[s->recompute]);
    if (s->tp > 1 && !s->sequence_parallel)
        nadi_str_add(out, ", without sequence parallelism");
    nadi_offload_text(s->offload, away);
    if (s->offload)
        nadi_str_printf(out, ", offload %s", away);
    if (s->order) {
        nadi_order_text(s->order, away);
        nadi_str_printf(out, ", order %s", away);
    }
}

/* ---- text ---------------------------------------------------------------------------------- */

/* Parts of the step, the largest first. */
static void bounds(const struct nadi_estimate *e, struct nadi_str *out)
{
    bool said[NADI_STEP_PARTS] = {false};
    nadi_str_add(out, "  estimated to be ");
    for (int k = 0; k < NADI_STEP_PARTS; k++) {
        int most = -1;
        for (int i = 0; i < NADI_STEP_PARTS; i++)
            if (!said[i] && (most < 0 || e->parts[i] > e->parts[most]))
                most = i;
        said[most] = true;
        const double share = 100 * e->parts[most] / e->ns;
        if (share < 0.05)
            break;
        nadi_str_printf(out, "%s%s %.1f %%", k ? ", " : "",
                        nadi_step_part_name((enum nadi_step_part)most), share);
    }
    nadi_str_add_char(out, '\n');
}

static void head(const struct nadi_search *s, struct nadi_str *out)
{
    char all[32], possible[32], fitting[32], memory[32];
    const struct nadi_study *study = &s->study;
    grouped(all, s->strategies);
    grouped(possible, s->possible);
    grouped(fitting, s->fitting);
    nadi_str_printf(out,
                    "%s on %u x %s, batch %" PRIu64 "\n"
                    "%s strategies, %s possible, %s fit into %s; the first %u simulated\n\n",
                    study->model.name, study->plan.ranks, study->cluster.device.name,
                    study->plan.batch, all, possible, fitting,
                    nadi_units_bytes(memory, nadi_study_capacity(study)), s->simulated);
}

static void best(const struct nadi_search *s, struct nadi_str *out)
{
    char time[32], memory[32];
    const struct nadi_search_row *b = &s->rows[0];
    nadi_str_add(out, "Best: ");
    nadi_search_words(&b->strategy, out);
    nadi_str_printf(out, "\n  a step %s %s, %s of memory",
                    b->simulated_ns ? "takes" : "is estimated to take",
                    nadi_units_time(time, nadi_search_row_ns(b)),
                    nadi_units_bytes(memory, b->estimate.memory_bytes));
    const bool least = s->goal == NADI_SEARCH_MEMORY;
    if (s->count > 1) {
        const struct nadi_search_row *next = &s->rows[1];
        const bool guessed = b->simulated_ns && !next->simulated_ns;
        nadi_str_printf(out, "; the next strategy %+.2f %%%s",
                        100 * (least ? next->estimate.memory_bytes / b->estimate.memory_bytes - 1
                                     : nadi_search_row_ns(next) / nadi_search_row_ns(b) - 1),
                        least     ? " of memory"
                        : guessed ? " by estimate"
                                  : "");
    }
    nadi_str_add_char(out, '\n');
    bounds(&b->estimate, out);
}

static void proof(const struct nadi_search *s, struct nadi_str *out)
{
    char open[32];
    grouped(open, s->open);
    if (s->simulated == 0)
        nadi_str_add(out, "Nothing was simulated: the order is that of the estimates.\n");
    else if (s->open)
        nadi_str_printf(out,
                        "%s more %s might be better, were %s too high by the margin: --simulate "
                        "takes more.\n",
                        open, s->open == 1 ? "strategy" : "strategies",
                        s->open == 1 ? "its estimate" : "their estimates");
    else
        nadi_str_add(out, "No other strategy is better, even were its estimate too high by the "
                          "margin.\n");
    if (s->simulated)
        nadi_str_printf(out, "Estimates of those simulated were off by at most %.1f %%.\n",
                        100 * s->worst_error);
    if (s->unsure)
        nadi_str_printf(out,
                        "Of the last %u rows only what they take at least is known: messages "
                        "meet, which `nadi model run` simulates for longer than a search does.\n",
                        s->unsure);
    if (s->nearest.strategy.tp) {
        char missing[32];
        nadi_str_printf(out, "Of what does not fit, least is missing (%s) to ",
                        nadi_units_bytes(missing, s->nearest.estimate.missing_bytes));
        nadi_search_words(&s->nearest.strategy, out);
        nadi_str_printf(out, ": %s.\n", nadi_units_time(missing, s->nearest.estimate.ns));
    }
}

/* Simulated, or at least. */
static const char *time_of(const struct nadi_search_row *r, char text[40])
{
    char time[32];
    const uint64_t ns = r->simulated_ns ? r->simulated_ns : r->least_ns;
    if (!ns)
        return "-";
    snprintf(text, 40, "%s%s", r->simulated_ns ? "" : "> ", nadi_units_time(time, (double)ns));
    return text;
}

static void table(const struct nadi_search *s, struct nadi_str *out)
{
    bool any = false; /* of another order than the usual one */
    for (uint32_t i = 0; i < s->count; i++)
        any |= s->rows[i].strategy.order > 0;
    nadi_str_printf(
        out, "%4s %4s %3s %3s %3s %5s %3s %5s %3s %4s %-9s  %-22s %9s %10s %10s  %-*s%s\n", "",
        "tp", "cp", "pp", "vp", "dp", "ep", "micro", "seq", "zero", "recompute", "offload",
        "memory", "estimate", "simulated", any ? 7 : 0, "network", any ? "  order" : "");
    for (uint32_t i = 0; i < s->count; i++) {
        const struct nadi_search_row *r = &s->rows[i];
        const struct nadi_strategy *t = &r->strategy;
        char away[64], memory[32], estimate[32], time[40], order[16];
        nadi_offload_text(t->offload, away);
        nadi_order_text(t->order, order);
        nadi_str_printf(
            out, "%4u %4u %3u %3u %3u %5u %3u %5u %3s %4u %-9s  %-22s %9s %10s %10s  %-*s%s%s\n",
            i + 1, t->tp, t->cp, t->pp, t->vp, t->dp, t->ep, t->micro_batch,
            t->sequence_parallel ? "yes" : "no", t->zero, recomputes[t->recompute],
            t->offload ? away : "-", nadi_units_bytes(memory, r->estimate.memory_bytes),
            nadi_units_time(estimate, r->estimate.ns), time_of(r, time), any ? 7 : 0,
            r->model ? r->model->name : "-", any ? "  " : "", any ? order : "");
    }
}

void nadi_search_text(const struct nadi_search *s, struct nadi_str *out)
{
    head(s, out);
    best(s, out);
    nadi_str_add_char(out, '\n');
    proof(s, out);
    nadi_str_add_char(out, '\n');
    table(s, out);
}

/* ---- JSON, CSV, plan ----------------------------------------------------------------------- */

static void json_row(const struct nadi_search_row *r, const char *name, struct nadi_json *j)
{
    const struct nadi_strategy *t = &r->strategy;
    char away[64];
    nadi_offload_text(t->offload, away);
    nadi_json_object(j, name);
    nadi_json_u64(j, "tp", t->tp);
    nadi_json_u64(j, "cp", t->cp);
    nadi_json_u64(j, "pp", t->pp);
    nadi_json_u64(j, "vp", t->vp);
    nadi_json_u64(j, "dp", t->dp);
    nadi_json_u64(j, "ep", t->ep);
    nadi_json_u64(j, "micro_batch", t->micro_batch);
    nadi_json_bool(j, "sequence_parallel", t->sequence_parallel);
    nadi_json_u64(j, "zero", t->zero);
    nadi_json_string(j, "recompute", recomputes[t->recompute]);
    nadi_json_string(j, "offload", away);
    nadi_order_text(t->order, away);
    nadi_json_string(j, "order", away);
    nadi_json_double(j, "memory_bytes", r->estimate.memory_bytes);
    nadi_json_double(j, "missing_bytes", r->estimate.missing_bytes);
    nadi_json_double(j, "estimate_ns", round(r->estimate.ns));
    if (r->simulated_ns)
        nadi_json_u64(j, "simulated_ns", r->simulated_ns);
    if (r->least_ns)
        nadi_json_u64(j, "least_ns", r->least_ns);
    if (r->model)
        nadi_json_string(j, "network_model", r->model->name);
    nadi_json_object(j, "parts_ns");
    for (int i = 0; i < NADI_STEP_PARTS; i++)
        nadi_json_double(j, nadi_step_part_name((enum nadi_step_part)i),
                         round(r->estimate.parts[i]));
    nadi_json_close(j);
    nadi_json_close(j);
}

void nadi_search_json(const struct nadi_search *s, struct nadi_str *out)
{
    struct nadi_json j;
    nadi_json_begin(&j, out);
    nadi_json_object(&j, NULL);
    nadi_json_string(&j, "model", s->study.model.name);
    nadi_json_string(&j, "cluster", s->study.cluster.name);
    if (s->study.changed)
        nadi_json_string(&j, "changed", s->study.changed);
    nadi_json_u64(&j, "ranks", s->study.plan.ranks);
    nadi_json_u64(&j, "batch", s->study.plan.batch);
    nadi_json_double(&j, "capacity_bytes", nadi_study_capacity(&s->study));
    nadi_json_u64(&j, "strategies", s->strategies);
    nadi_json_u64(&j, "possible", s->possible);
    nadi_json_u64(&j, "fitting", s->fitting);
    nadi_json_u64(&j, "simulated", s->simulated);
    nadi_json_u64(&j, "open", s->open);
    nadi_json_double(&j, "worst_error", s->worst_error);
    nadi_json_array(&j, "rows");
    for (uint32_t i = 0; i < s->count; i++)
        json_row(&s->rows[i], NULL, &j);
    nadi_json_close(&j);
    if (s->nearest.strategy.tp)
        json_row(&s->nearest, "nearest_that_does_not_fit", &j);
    nadi_json_close(&j);
    nadi_json_finish(&j);
}

void nadi_search_csv(const struct nadi_search *s, struct nadi_str *out)
{
    nadi_str_add(out, "tp,cp,pp,vp,dp,ep,micro_batch,sequence_parallel,zero,recompute,offload,"
                      "memory_bytes,estimate_ns,simulated_ns");
    for (int i = 0; i < NADI_STEP_PARTS; i++)
        nadi_str_printf(out, ",%s_ns", nadi_step_part_name((enum nadi_step_part)i));
    nadi_str_add(out, ",order,network_model,least_ns\n");
    for (uint32_t i = 0; i < s->count; i++) {
        const struct nadi_search_row *r = &s->rows[i];
        const struct nadi_strategy *t = &r->strategy;
        char away[64], time[24] = "";
        nadi_offload_text(t->offload, away);
        if (r->simulated_ns)
            snprintf(time, sizeof(time), "%" PRIu64, r->simulated_ns);
        nadi_str_printf(out, "%u,%u,%u,%u,%u,%u,%u,%d,%u,%s,%s,%.0f,%.0f,%s", t->tp, t->cp, t->pp,
                        t->vp, t->dp, t->ep, t->micro_batch, t->sequence_parallel, t->zero,
                        recomputes[t->recompute], away, r->estimate.memory_bytes, r->estimate.ns,
                        time);
        for (int k = 0; k < NADI_STEP_PARTS; k++)
            nadi_str_printf(out, ",%.0f", r->estimate.parts[k]);
        nadi_order_text(t->order, away);
        nadi_str_printf(out, ",%s,%s,", away, r->model ? r->model->name : "");
        if (r->least_ns)
            nadi_str_printf(out, "%" PRIu64, r->least_ns);
        nadi_str_add(out, "\n");
    }
}

void nadi_search_plan_file(const struct nadi_search *s, struct nadi_str *out)
{
    struct nadi_str text = NADI_STR_INIT;
    char time[32];
    nadi_str_printf(&text, "# Made by nadi model search: %s on %s, %s a step.\n",
                    s->study.model.name, s->study.cluster.name,
                    nadi_units_time(time, nadi_search_row_ns(&s->rows[0])));
    if (s->study.changed)
        nadi_str_printf(&text, "# Not in the plan, but of the search: --set \"%s\"\n",
                        s->study.changed);
    nadi_plan_write(&s->study.plan, nadi_str_get(&text), out);
    nadi_str_release(&text);
}
