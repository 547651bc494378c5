#include "report/learned.h"

#include "base/units.h"
#include "format/json_write.h"

#include <math.h>

/* --- a model -----------------------------------------------------------------------------------
 */

struct counts { /* of a family */
    uint32_t rules, cells, laws, alone;
    double worst; /* relative, of samples that are left out */
};

static void count_law(struct counts *c, const struct nadi_law *law)
{
    c->laws++;
    if (!isnan(law->spread) && law->spread > c->worst)
        c->worst = law->spread;
}

static struct counts count_family(const struct nadi_learned_family *f)
{
    struct counts c = {.rules = 0};
    for (uint32_t s = 0; s < f->slot_count; s++) {
        const struct nadi_learned_slot *slot = &f->slots[s];
        c.rules += slot->symbol == NADI_NONE;
        c.cells += slot->cell_count;
        for (uint32_t k = 0; k < slot->cell_count && slot->symbol != NADI_NONE; k++) {
            count_law(&c, &slot->cells[k].duration_ns);
            count_law(&c, &slot->cells[k].bytes);
            c.alone += slot->cells[k].jobs == 1;
        }
    }
    return c;
}

static void add_axes(const struct nadi_learned_family *f, struct nadi_str *out)
{
    for (uint32_t a = 0; a < f->axis_count; a++)
        nadi_str_printf(out, "%s%s%s", a ? " " : "", f->axes[a], f->staged[a] ? " (stages)" : "");
    if (f->axis_count == 0)
        nadi_str_add(out, "one rank");
}

static void private_text(const struct nadi_learned_private *p, struct nadi_str *out)
{
    if (!(p->epsilon > 0))
        return;
    nadi_str_printf(out,
                    "  differential privacy: epsilon %g, delta 0\n"
                    "    %g on how many jobs a family has; %u famil%s left out\n"
                    "    %g on which sizes they have: %g on each of up to %u axes and labels\n"
                    "    %g on how fast they compute\n"
                    "    sizes and paces that noise covers, and are the public model's: %u\n"
                    "    rules and laws are the public model's: nothing of these jobs is in them\n",
                    p->epsilon, p->epsilon / 4, p->left_out, p->left_out == 1 ? "y" : "ies",
                    p->epsilon / 2, p->epsilon / 2 / p->settings, p->settings, p->epsilon / 4,
                    p->kept);
}

static void model_text(const struct nadi_learned_model *m, const char *path, struct nadi_str *out)
{
    nadi_str_printf(out,
                    "%s: learned from %s%u job%s, %u famil%s; %u sizes of one %sjob alone are not "
                    "given away\n",
                    path, m->private.epsilon > 0 ? "about " : "", m->job_count,
                    m->job_count == 1 ? "" : "s", m->family_count,
                    m->family_count == 1 ? "y" : "ies", m->avoid_count,
                    m->private.epsilon > 0 ? "public " : "");
    for (uint32_t i = 0; i < m->family_count; i++) {
        const struct nadi_learned_family *f = &m->families[i];
        const struct counts c = count_family(f);
        nadi_str_printf(out, "  family %u: %u job%s, axes ", i + 1, f->jobs,
                        f->jobs == 1 ? "" : "s");
        add_axes(f, out);
        nadi_str_printf(out, "; %u outermost items, %u rules, %u cells", f->outer_count, c.rules,
                        c.cells);
        if (f->jobs > 1 && !(m->private.epsilon > 0))
            nadi_str_printf(out,
                            ", %.1f %% of them from one job; a law that misses a job left out "
                            "most is off by %.1f %%",
                            100.0 * c.alone / (c.cells ? c.cells : 1), 100 * c.worst);
        if (m->kind == NADI_LEARNED_SEQUENCE)
            nadi_str_printf(out, "; a network of %zu weights, off by %.3f nats an item",
                            nadi_gru_weights(&f->net), f->net_loss);
        nadi_str_add(out, "\n");
    }
    private_text(&m->private, out);
}

static void private_json(const struct nadi_learned_private *p, struct nadi_json *j)
{
    if (!(p->epsilon > 0))
        return;
    nadi_json_object(j, "privacy");
    nadi_json_double(j, "epsilon", p->epsilon);
    nadi_json_double(j, "delta", 0);
    nadi_json_double(j, "epsilon_of_families", p->epsilon / 4);
    nadi_json_double(j, "epsilon_of_paces", p->epsilon / 4);
    nadi_json_double(j, "epsilon_of_each_setting", p->epsilon / 2 / p->settings);
    nadi_json_u64(j, "settings", p->settings);
    nadi_json_u64(j, "families_left_out", p->left_out);
    nadi_json_u64(j, "settings_of_public_model", p->kept);
    nadi_json_close(j);
}

static void model_json(const struct nadi_learned_model *m, const char *path, struct nadi_str *out)
{
    struct nadi_json j;
    nadi_json_begin(&j, out);
    nadi_json_object(&j, NULL);
    nadi_json_string(&j, "model", path);
    nadi_json_u64(&j, "jobs", m->job_count);
    nadi_json_string(&j, "kind", m->kind == NADI_LEARNED_SEQUENCE ? "sequence" : "structural");
    nadi_json_u64(&j, "sizes_avoided", m->avoid_count);
    private_json(&m->private, &j);
    nadi_json_array(&j, "families");
    for (uint32_t i = 0; i < m->family_count; i++) {
        const struct nadi_learned_family *f = &m->families[i];
        const struct counts c = count_family(f);
        nadi_json_row(&j, NULL);
        nadi_json_u64(&j, "family", i + 1);
        nadi_json_u64(&j, "jobs", f->jobs);
        nadi_json_u64(&j, "slots", f->slot_count);
        nadi_json_u64(&j, "rules", c.rules);
        nadi_json_u64(&j, "cells", c.cells);
        nadi_json_u64(&j, "cells_of_one_job", c.alone);
        nadi_json_double(&j, "worst_left_out", c.worst);
        if (m->kind == NADI_LEARNED_SEQUENCE) {
            nadi_json_u64(&j, "items", f->outer_count);
            nadi_json_u64(&j, "weights", nadi_gru_weights(&f->net));
            nadi_json_double(&j, "nats_an_item", f->net_loss);
        }
        nadi_json_close(&j);
    }
    nadi_json_close(&j);
    nadi_json_close(&j);
    nadi_json_finish(&j);
}

void nadi_learned_model_report(const struct nadi_learned_model *m, const char *path, bool json,
                               struct nadi_str *out)
{
    if (json)
        model_json(m, path, out);
    else
        model_text(m, path, out);
}

/* --- a job -------------------------------------------------------------------------------------
 */

static uint64_t nodes_of(const struct nadi_made_job *job)
{
    uint64_t nodes = 0;
    for (uint32_t s = 0; s < job->stage_count; s++)
        nodes += job->stages[s].nodes.count;
    return nodes * (job->rank_count / job->stage_count);
}

static const char *feature_name(const struct nadi_learned_family *f, uint32_t i)
{
    return i < f->axis_count ? f->axes[i] : f->labels[i - f->axis_count];
}

/* 95 of 100 jobs lie within. */
static double interval(double spread)
{
    return spread < 1e-9 ? 0 : 1.96 * spread; /* below it, rounding of a law that is exact */
}

static void add_interval(struct nadi_str *out, double spread, double unconfirmed)
{
    nadi_str_printf(out, ", +-%.2g %%", 100 * interval(spread));
    if (unconfirmed > 0)
        nadi_str_printf(out, " but for %.1f %% of it, which no other job confirms",
                        100 * unconfirmed);
    nadi_str_add(out, "\n");
}

static void job_text(const struct nadi_made_job *job, const char *prefix, uint32_t files,
                     struct nadi_str *out)
{
    const struct nadi_learned_family *f = job->family;
    char text[32];
    nadi_str_printf(out, "%s.yml: %u rank%s, %u trace%s, %" PRIu64 " nodes; family %u", prefix,
                    job->rank_count, job->rank_count == 1 ? "" : "s", files, files == 1 ? "" : "s",
                    nodes_of(job), job->number + 1);
    for (uint32_t i = 0; i < f->axis_count + f->label_count; i++)
        nadi_str_printf(out, ", %s %.0f", feature_name(f, i), job->point[i]);
    nadi_str_printf(out, "\n  compute of one rank a stage  %s",
                    nadi_units_time(text, job->compute_ns));
    add_interval(out, job->compute_spread, job->compute_unconfirmed);
    nadi_str_printf(out, "  bytes of its communication   %s",
                    nadi_units_bytes(text, job->comm_bytes));
    add_interval(out, job->comm_spread, job->comm_unconfirmed);
    if (job->beyond)
        nadi_str_add(out,
                     "  these intervals              are of sizes that were learned, beyond which "
                     "they do not hold\n");
    if (job->drawn)
        nadi_str_printf(out,
                        "  drawn by the network         %" PRIu64 " items, %" PRIu64
                        " nodes without a partner left out\n",
                        job->drawn, job->unpaired);
    if (job->epsilon > 0)
        nadi_str_printf(out,
                        "  of a model with privacy      epsilon %g, of all that its jobs say\n",
                        job->epsilon);
    nadi_str_add(out, "  its ranks agree: checked as `nadi trace check` does\n");
}

static void job_json(const struct nadi_made_job *job, const char *prefix, uint32_t files,
                     struct nadi_str *out)
{
    const struct nadi_learned_family *f = job->family;
    struct nadi_str path = NADI_STR_INIT;
    struct nadi_json j;
    nadi_str_printf(&path, "%s.yml", prefix);
    nadi_json_begin(&j, out);
    nadi_json_object(&j, NULL);
    nadi_json_string(&j, "manifest", nadi_str_get(&path));
    nadi_json_u64(&j, "family", job->number + 1);
    nadi_json_u64(&j, "ranks", job->rank_count);
    nadi_json_u64(&j, "traces", files);
    nadi_json_u64(&j, "nodes", nodes_of(job));
    nadi_json_object(&j, "sizes");
    for (uint32_t i = 0; i < f->axis_count + f->label_count; i++)
        nadi_json_double(&j, feature_name(f, i), job->point[i]);
    nadi_json_close(&j);
    nadi_json_bool(&j, "beyond_learned", job->beyond);
    nadi_json_double(&j, "compute_ns", job->compute_ns);
    nadi_json_double(&j, "compute_interval", interval(job->compute_spread));
    nadi_json_double(&j, "communication_bytes", job->comm_bytes);
    nadi_json_double(&j, "communication_interval", interval(job->comm_spread));
    nadi_json_double(&j, "compute_unconfirmed", job->compute_unconfirmed);
    nadi_json_double(&j, "communication_unconfirmed", job->comm_unconfirmed);
    nadi_json_double(&j, "epsilon", job->epsilon);
    nadi_json_u64(&j, "items_drawn", job->drawn);
    nadi_json_u64(&j, "nodes_left_out", job->unpaired);
    nadi_json_close(&j);
    nadi_json_finish(&j);
    nadi_str_release(&path);
}

void nadi_made_job_report(const struct nadi_made_job *job, const char *prefix, uint32_t files,
                          bool json, struct nadi_str *out)
{
    if (json)
        job_json(job, prefix, files, out);
    else
        job_text(job, prefix, files, out);
}
