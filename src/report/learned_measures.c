#include "report/learned_measures.h"

#include "base/units.h"
#include "format/json_write.h"
#include "report/markup.h"

#include <math.h>

double nadi_measure_off(const double v[2])
{
    return v[0] > 0 ? v[1] / v[0] - 1 : v[1] > 0 ? 1 : 0;
}

/* --- fidelity: text ----------------------------------------------------------------------------
 */

static void distance_text(const struct nadi_distance *d, struct nadi_str *out)
{
    nadi_str_printf(out, "  %6.3f %6.3f %6.3f %8.4f", d->ks, d->close, d->near, d->wasserstein);
}

void nadi_fidelity_text(const struct nadi_fidelity *f, struct nadi_str *out)
{
    nadi_str_printf(out,
                    "real %u ranks, synthetic %u ranks\n\n%-16s %10s %10s  %-29s  %s\n"
                    "%-38s  %6s %6s %6s %8s  %6s %6s %6s %8s\n",
                    f->ranks[0], f->ranks[1], "kind", "real", "synthetic", "durations", "sizes", "",
                    "KS", "0.1 %", "5 %", "W", "KS", "0.1 %", "5 %", "W");
    for (uint32_t i = 0; i < f->kind_count; i++) {
        const struct nadi_fidelity_kind *k = &f->kinds[i];
        nadi_str_printf(out, "%-16s %10" PRIu64 " %10" PRIu64, k->name, k->nodes[0], k->nodes[1]);
        distance_text(&k->duration, out);
        distance_text(&k->size, out);
        nadi_str_add_char(out, '\n');
    }
    nadi_str_printf(out,
                    "\nkinds of nodes differ by %.2f %%; dependencies in: KS %.3f, out: KS %.3f\n"
                    "KS: Kolmogorov-Smirnov, times %s apart are equal; then values within 0.1 %% "
                    "and 5 %%; W: Wasserstein over the mean\n\n%-30s %12s %12s %8s %10s %9s\n",
                    100 * f->kinds_apart, f->fan_in.ks, f->fan_out.ks,
                    f->tick_ns > 1 ? "up to 1 us and 0.1 %" : "1 ns", "network", "real",
                    "synthetic", "step", "exposed", "overlap");
    for (uint32_t i = 0; i < NADI_FIDELITY_NETWORKS; i++) {
        const struct nadi_fidelity_network *n = &f->networks[i];
        char real[32], made[32];
        if (n->why_not) {
            nadi_str_printf(out, "%-30s %s\n", n->name, n->why_not);
            continue;
        }
        nadi_str_printf(out, "%-30s %12s %12s %+7.2f%% %+9.2f%% %+8.3f\n", n->name,
                        nadi_units_time(real, n->end_ns[0]), nadi_units_time(made, n->end_ns[1]),
                        100 * nadi_measure_off(n->end_ns), 100 * nadi_measure_off(n->exposed_ns),
                        n->overlap[1] - n->overlap[0]);
    }
}

/* --- fidelity: JSON ----------------------------------------------------------------------------
 */

static void distance_json(const char *name, const struct nadi_distance *d, struct nadi_json *j)
{
    nadi_json_object(j, name);
    nadi_json_double(j, "ks", d->ks);
    nadi_json_double(j, "ks_within_0_1_percent", d->close);
    nadi_json_double(j, "ks_within_5_percent", d->near);
    nadi_json_double(j, "wasserstein_over_mean", d->wasserstein);
    nadi_json_close(j);
}

void nadi_fidelity_json(const struct nadi_fidelity *f, struct nadi_str *out)
{
    struct nadi_json j;
    nadi_json_begin(&j, out);
    nadi_json_object(&j, NULL);
    nadi_json_u64(&j, "real_ranks", f->ranks[0]);
    nadi_json_u64(&j, "synthetic_ranks", f->ranks[1]);
    nadi_json_array(&j, "kinds");
    for (uint32_t i = 0; i < f->kind_count; i++) {
        const struct nadi_fidelity_kind *k = &f->kinds[i];
        nadi_json_object(&j, NULL);
        nadi_json_string(&j, "kind", k->name);
        nadi_json_u64(&j, "real_nodes", k->nodes[0]);
        nadi_json_u64(&j, "synthetic_nodes", k->nodes[1]);
        distance_json("durations", &k->duration, &j);
        distance_json("sizes", &k->size, &j);
        nadi_json_close(&j);
    }
    nadi_json_close(&j);
    nadi_json_double(&j, "tick_ns", f->tick_ns);
    nadi_json_double(&j, "kinds_apart", f->kinds_apart);
    distance_json("fan_in", &f->fan_in, &j);
    distance_json("fan_out", &f->fan_out, &j);
    nadi_json_array(&j, "networks");
    for (uint32_t i = 0; i < NADI_FIDELITY_NETWORKS; i++) {
        const struct nadi_fidelity_network *n = &f->networks[i];
        nadi_json_object(&j, NULL);
        nadi_json_string(&j, "network", n->name);
        nadi_json_string(&j, "not_simulated", n->why_not);
        nadi_json_double(&j, "real_end_ns", n->end_ns[0]);
        nadi_json_double(&j, "synthetic_end_ns", n->end_ns[1]);
        nadi_json_double(&j, "step_error", nadi_measure_off(n->end_ns));
        nadi_json_double(&j, "real_exposed_ns", n->exposed_ns[0]);
        nadi_json_double(&j, "synthetic_exposed_ns", n->exposed_ns[1]);
        nadi_json_double(&j, "real_compute_share", n->compute_share[0]);
        nadi_json_double(&j, "synthetic_compute_share", n->compute_share[1]);
        nadi_json_double(&j, "real_overlap", n->overlap[0]);
        nadi_json_double(&j, "synthetic_overlap", n->overlap[1]);
        nadi_json_close(&j);
    }
    nadi_json_close(&j);
    nadi_json_close(&j);
    nadi_json_finish(&j);
}

/* --- pages -------------------------------------------------------------------------------------
 */

static void page_head(const char *title, struct nadi_str *out)
{
    nadi_str_printf(out,
                    "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\">\n"
                    "<title>nadi: %s</title>\n"
                    "<meta name=\"viewport\" content=\"width=device-width\">\n"
                    "<style>body{font:15px/1.5 sans-serif;max-width:980px;margin:24px auto;"
                    "padding:0 12px;color:#1f2328;background:#fff}pre{overflow-x:auto;font-size:"
                    "13px}figure{display:inline-block;margin:8px 16px 8px 0}figcaption{font-size:"
                    "13px}.real{stroke:#0969da}.made{stroke:#bc4c00;stroke-dasharray:5 3}"
                    ".axis{stroke:#8c959f}text{fill:currentColor;font-size:10px}"
                    "polyline,line{fill:none;stroke-width:1.6}"
                    "@media(prefers-color-scheme:dark){body{color:#f0f6fc;background:#0d1117}"
                    ".real{stroke:#4493f8}.made{stroke:#f0883e}}</style>\n<h1>%s</h1>\n",
                    title, title);
}

enum { WIDE = 280, HIGH = 150, EDGE = 30 };

static double place(double value, double low, double high)
{
    const double span = log(high / low);
    return EDGE + (span > 0 ? log(value / low) / span : 0.5) * (WIDE - 2 * EDGE);
}

/* Shares of nodes up to a value, on a logarithmic axis. */
static void picture(const char *name, const char *what, const struct nadi_distance *d, bool time,
                    struct nadi_str *out)
{
    double low = HUGE_VAL, high = 0;
    char from[32], to[32];
    for (int j = 0; j < 2; j++)
        for (int q = 0; q < NADI_FIDELITY_POINTS; q++)
            if (d->quantiles[j][q] > 0) {
                low = fmin(low, d->quantiles[j][q]);
                high = fmax(high, d->quantiles[j][q]);
            }
    if (!(high > 0))
        return;
    nadi_str_printf(out,
                    "<figure><svg width=\"%d\" height=\"%d\"><line class=\"axis\" x1=\"%d\" "
                    "y1=\"%d\" x2=\"%d\" y2=\"%d\"/>",
                    WIDE, HIGH, EDGE, HIGH - 20, WIDE - EDGE, HIGH - 20);
    for (int j = 0; j < 2; j++) {
        nadi_str_printf(out, "<polyline class=\"%s\" points=\"", j ? "made" : "real");
        for (int q = 0; q < NADI_FIDELITY_POINTS; q++)
            nadi_str_printf(out, "%.1f,%.1f ", place(fmax(d->quantiles[j][q], low), low, high),
                            HIGH - 20 - (HIGH - 35) * (q + 0.5) / NADI_FIDELITY_POINTS);
        nadi_str_add(out, "\"/>");
    }
    (time ? nadi_units_time : nadi_units_bytes)(from, low);
    (time ? nadi_units_time : nadi_units_bytes)(to, high);
    nadi_str_printf(out,
                    "<text x=\"%d\" y=\"%d\">%s</text><text x=\"%d\" y=\"%d\" "
                    "text-anchor=\"end\">%s</text></svg><figcaption>",
                    EDGE, HIGH - 6, from, WIDE - EDGE, HIGH - 6, to);
    nadi_markup_add(out, name);
    nadi_str_printf(out, ", %s: KS %.3f</figcaption></figure>\n", what, d->ks);
}

void nadi_fidelity_page(const struct nadi_fidelity *f, struct nadi_str *out)
{
    struct nadi_str text = NADI_STR_INIT;
    page_head("A synthetic job beside a real one", out);
    nadi_fidelity_text(f, &text);
    nadi_str_add(out, "<pre>");
    nadi_markup_add(out, nadi_str_get(&text));
    nadi_str_add(out, "</pre>\n<h2>Distributions</h2>\n<p>Share of nodes up to a value: real as a "
                      "line, synthetic broken.</p>\n");
    for (uint32_t i = 0; i < f->kind_count; i++) {
        picture(f->kinds[i].name, "durations", &f->kinds[i].duration, true, out);
        picture(f->kinds[i].name, "sizes", &f->kinds[i].size, false, out);
    }
    nadi_str_release(&text);
}

/* --- privacy -----------------------------------------------------------------------------------
 */

const char *nadi_attacker_name(enum nadi_attacker by)
{
    static const char *const names[NADI_ATTACKS] = {"runs", "exact", "within_2_percent"};
    return names[by];
}

static void auc_text(const struct nadi_privacy *p, struct nadi_str *out)
{
    static const char *const by[NADI_ATTACKS] = {"longest runs", "exact operators",
                                                 "operators within 2 %"};
    nadi_str_add(out, "membership attacker's AUC: ");
    for (int i = -1; i < NADI_ATTACKS; i++) { /* the strongest first */
        const int at = i < 0 ? (int)p->strongest : i;
        if (i == (int)p->strongest)
            continue;
        nadi_str_printf(out, "%s%.3f", i < 0 ? "" : ", ", p->auc[at].value);
        if (!isnan(p->auc[at].deviation))
            nadi_str_printf(out, " +-%.3f", 1.96 * p->auc[at].deviation);
        nadi_str_printf(out, " by %s", by[at]);
    }
    nadi_str_printf(out, "\n  (%sguessing is 0.5 +-%.3f; %u trained, %u held out)\n",
                    isnan(p->auc[0].deviation) ? "" : "95 % intervals; ",
                    1.96 * p->guessing_deviation, p->trained, p->held);
}

void nadi_privacy_text(const struct nadi_privacy *p, struct nadi_str *out)
{
    nadi_str_printf(out, "%-40s %8s %8s %8s %8s\n", "training", "exact", "within 2%", "run",
                    "of job");
    for (uint32_t j = 0; j < p->trained + p->held; j++) {
        const struct nadi_privacy_job *job = &p->jobs[j];
        if (j == p->trained)
            nadi_str_add(out, "held out\n");
        nadi_str_printf(out, "%-40s %7.1f%% %8.1f%% %8u %7.1f%%\n", job->path,
                        100 * job->share[NADI_ATTACK_EXACT], 100 * job->share[NADI_ATTACK_NEAR],
                        job->run, 100 * job->share[NADI_ATTACK_RUNS]);
    }
    nadi_str_printf(
        out,
        "exact, within 2%%: share of a job's different operators (kind, ns, FLOPs, bytes)\n"
        "  that are in the synthetic jobs\n"
        "run: longest run of operators in common with one of them, in groups of equal size;\n"
        "  of job: as a share of the longer of the two, on the mean of its programs\n\n"
        "nearest training job: %s\n",
        p->jobs[p->nearest].path);
    if (p->trained > 1)
        nadi_str_printf(out, "longest run in common: %u; any two training jobs share %u\n", p->run,
                        p->shared_run);
    nadi_str_printf(out,
                    "sizes that one training job alone has: %" PRIu64 ", in the output: %" PRIu64
                    "\nnames of training nodes: %" PRIu64 ", in the output: %" PRIu64 "\n",
                    p->lone_sizes, p->lone_sizes_out, p->names, p->names_out);
    if (p->held)
        auc_text(p, out);
    else
        nadi_str_add(out,
                     "membership attacker: not tried; name jobs of the same kind that were not "
                     "learned from with --held-out\n");
}

static void auc_json(const struct nadi_privacy *p, struct nadi_json *j)
{
    char name[64];
    nadi_json_double(j, "auc", p->auc[p->strongest].value);
    nadi_json_double(j, "auc_deviates", p->auc[p->strongest].deviation);
    nadi_json_string(j, "auc_by", p->held ? nadi_attacker_name(p->strongest) : NULL);
    for (int by = 0; by < NADI_ATTACKS; by++) {
        (void)snprintf(name, sizeof(name), "auc_%s", nadi_attacker_name((enum nadi_attacker)by));
        nadi_json_double(j, name, p->auc[by].value);
    }
    for (int by = 0; by < NADI_ATTACKS; by++) {
        (void)snprintf(name, sizeof(name), "auc_%s_deviates",
                       nadi_attacker_name((enum nadi_attacker)by));
        nadi_json_double(j, name, p->auc[by].deviation);
    }
    nadi_json_double(j, "auc_of_guessing_deviates", p->guessing_deviation);
}

void nadi_privacy_json(const struct nadi_privacy *p, struct nadi_str *out)
{
    struct nadi_json j;
    nadi_json_begin(&j, out);
    nadi_json_object(&j, NULL);
    nadi_json_array(&j, "jobs");
    for (uint32_t i = 0; i < p->trained + p->held; i++) {
        nadi_json_row(&j, NULL);
        nadi_json_string(&j, "job", p->jobs[i].path);
        nadi_json_bool(&j, "trained", i < p->trained);
        nadi_json_double(&j, "exact", p->jobs[i].share[NADI_ATTACK_EXACT]);
        nadi_json_double(&j, "within_2_percent", p->jobs[i].share[NADI_ATTACK_NEAR]);
        nadi_json_u64(&j, "longest_run", p->jobs[i].run);
        nadi_json_double(&j, "runs", p->jobs[i].share[NADI_ATTACK_RUNS]);
        nadi_json_close(&j);
    }
    nadi_json_close(&j);
    nadi_json_string(&j, "nearest", p->jobs[p->nearest].path);
    nadi_json_u64(&j, "longest_run", p->run);
    nadi_json_u64(&j, "run_that_training_jobs_share", p->shared_run);
    nadi_json_u64(&j, "sizes_of_one_job", p->lone_sizes);
    nadi_json_u64(&j, "sizes_of_one_job_in_output", p->lone_sizes_out);
    nadi_json_u64(&j, "training_names", p->names);
    nadi_json_u64(&j, "training_names_in_output", p->names_out);
    auc_json(p, &j);
    nadi_json_close(&j);
    nadi_json_finish(&j);
}

/* A bar of each job: how much of it is in the output, by what tells most. */
void nadi_privacy_page(const struct nadi_privacy *p, struct nadi_str *out)
{
    enum { ROW = 34, BAR = 300 };
    static const char *const what[NADI_ATTACKS] = {
        "Longest runs in common with synthetic ones, as a share",
        "Share of the operators in synthetic jobs",
        "Share of the operators within 2 % of synthetic ones"};
    const enum nadi_attacker by = p->held ? p->strongest : NADI_ATTACK_RUNS;
    struct nadi_str text = NADI_STR_INIT;
    page_head("What of the training jobs is in the synthetic ones", out);
    nadi_privacy_text(p, &text);
    nadi_str_add(out, "<pre>");
    nadi_markup_add(out, nadi_str_get(&text));
    nadi_str_printf(out,
                    "</pre>\n<p>%s of a job: "
                    "training as a line, held out broken. Where they differ, an attacker can "
                    "tell them apart.</p>\n<svg width=\"100%%\" height=\"%u\">",
                    what[by], (p->trained + p->held) * ROW + 8);
    for (uint32_t j = 0; j < p->trained + p->held; j++) {
        const double y = j * ROW + 24; /* below its words */
        nadi_str_printf(out,
                        "<line class=\"axis\" stroke-opacity=\"0.3\" x1=\"0\" y1=\"%.0f\" "
                        "x2=\"%d\" y2=\"%.0f\"/>"
                        "<line class=\"%s\" style=\"stroke-width:6\" x1=\"0\" y1=\"%.0f\" "
                        "x2=\"%.1f\" y2=\"%.0f\"/><text x=\"0\" y=\"%.0f\">%.1f %% ",
                        y, BAR, y, j < p->trained ? "real" : "made", y, BAR * p->jobs[j].share[by],
                        y, y - 8, 100 * p->jobs[j].share[by]);
        nadi_markup_add(out, p->jobs[j].path);
        nadi_str_add(out, "</text>");
    }
    nadi_str_add(out, "</svg>\n");
    nadi_str_release(&text);
}
