#include "report/support_text.h"

#include "base/units.h"
#include "model/build.h"
#include "model/cost.h"
#include "model/step.h"

void nadi_interval_text(const struct nadi_interval *i, double ns, struct nadi_str *out)
{
    char low[32], high[32];
    if (i->rows)
        nadi_str_printf(out, "  80 %% interval        %12s  to %s: %s\n",
                        nadi_units_time(low, ns * i->low), nadi_units_time(high, ns * i->high),
                        i->why);
    else
        nadi_str_printf(out, "  80 %% interval        %12s  %s\n", "unknown", i->why);
}

void nadi_interval_json(const struct nadi_interval *i, double seconds, struct nadi_json *j)
{
    nadi_json_object(j, "interval_80");
    if (i->rows) {
        nadi_json_double(j, "low_s", seconds * i->low);
        nadi_json_double(j, "high_s", seconds * i->high);
        nadi_json_u64(j, "measurements", i->rows);
    }
    nadi_json_string(j, "support", nadi_support_words[i->support]);
    nadi_json_string(j, "reason", i->why);
    nadi_json_close(j);
}

/* ---- the parts of a step ------------------------------------------------------------------- */

enum { MOST_PARTS = 32 };

struct part {
    char name[64];
    struct nadi_interval interval;
    double ns; /* of kernels: on one rank, all layers of one micro-batch; else 0 */
};

struct page {
    struct nadi_evidence evidence;
    const struct nadi_study *s;
    struct part parts[MOST_PARTS];
    uint32_t count;
    double layers; /* of the kind that is visited */
};

/* The part of this name, made if there is none; the last one takes what has no room. */
static struct part *part_of(struct page *p, const char *name)
{
    for (uint32_t i = 0; i < p->count; i++)
        if (strcmp(p->parts[i].name, name) == 0)
            return &p->parts[i];
    if (p->count < MOST_PARTS)
        p->count++;
    struct part *part = &p->parts[p->count - 1];
    *part = (struct part){.ns = 0};
    snprintf(part->name, sizeof(part->name), "%s", name);
    return part;
}

static void kernel(void *context, enum nadi_cost_part ignored, const struct nadi_kernel *k,
                   double ns)
{
    struct page *p = context;
    const struct nadi_interval i =
        nadi_evidence_kernel(&p->evidence, &p->s->cluster.device, k, ns / 1e3);
    const bool is_long = ns >= 1e4;
    char name[64];
    (void)ignored;
    if (k->kind == NADI_KERNEL_GEMM)
        snprintf(name, sizeof(name), "%s products%s", nadi_precision_name(k->precision),
                 is_long ? "" : " below 10 us");
    else
        snprintf(name, sizeof(name), "%s",
                 k->kind == NADI_KERNEL_ATTENTION ? "attention" : "memory passes");
    struct part *part = part_of(p, name);
    part->interval = i;
    part->ns += ns * p->layers;
}

static bool add_kernels(struct page *p, struct nadi_diags *diags)
{
    struct nadi_model_step step;
    if (!nadi_step_init(&step, p->s, diags)) {
        nadi_step_release(&step);
        return false;
    }
    const struct nadi_net *net = &step.variants[0].net;
    for (uint32_t l = 0; l < net->layer_count; l++) {
        const struct nadi_layer_kind *kind = &net->kinds[net->layers[l]];
        const bool body = l >= net->body_first && l < net->body_first + net->body_count;
        p->layers = 1;
        for (uint32_t o = 0; o < kind->op_count; o++)
            nadi_op_kernels(&kind->ops[o], body, &p->s->plan, &step.compute.kernels, kernel, p);
    }
    nadi_step_release(&step);
    return true;
}

/* Ranks that share a node's fabric. */
static uint32_t node_of(const struct nadi_study *s)
{
    return s->library                      ? s->library->gpus_per_node
           : s->cluster.topology.dim_count ? s->cluster.topology.dims[0].npus
                                           : 1;
}

/* Groups of each degree: within a node or between them, as the order of degrees lays them. */
static void add_groups(struct page *p)
{
    static const char *const words[] = {"tensor", "context", "data", "pipeline"};
    const struct nadi_grid *g = &p->s->grid;
    for (uint32_t d = 0; d < 4; d++) {
        char name[64];
        if (g->degree[d] < 2)
            continue;
        const bool one_node = (uint64_t)g->stride[d] * g->degree[d] <= node_of(p->s);
        snprintf(name, sizeof(name), "collectives, %s parallel, %s", words[d],
                 one_node ? "one node" : "several nodes");
        struct part *part = part_of(p, name);
        if (p->s->library) {
            part->interval = nadi_evidence_collective(&p->evidence, p->s->library->name, one_node,
                                                      64 * 1048576.0);
            continue;
        }
        part->interval.support = NADI_SUPPORT_GUESSED;
        snprintf(part->interval.why, sizeof(part->interval.why),
                 "bandwidth and latency of the cluster's file, no library's times");
    }
}

static void add_whole(struct page *p)
{
    part_of(p, "step")->interval = nadi_evidence_step(&p->evidence, p->s);
}

static void text_of(const struct page *p, struct nadi_str *out)
{
    char time[32];
    nadi_str_printf(out, "%s on %u x %s\n\n%-44s %-13s %10s %8s %17s\n", p->s->model.name,
                    p->s->plan.ranks, p->s->cluster.device.name, "part", "support", "time", "error",
                    "80 % interval");
    for (uint32_t i = 0; i < p->count; i++) {
        const struct part *part = &p->parts[i];
        const struct nadi_interval *v = &part->interval;
        nadi_str_printf(out, "%-44s %-13s %10s", part->name, nadi_support_words[v->support],
                        part->ns > 0 ? nadi_units_time(time, part->ns) : "");
        if (v->rows)
            nadi_str_printf(out, " %6.1f %% %+6.0f to %+4.0f %%", v->mean * 100, v->low * 100 - 100,
                            v->high * 100 - 100);
        nadi_str_printf(out, "\n    %s\n", v->why);
    }
}

static void json_of(const struct page *p, struct nadi_str *out)
{
    struct nadi_json j;
    nadi_json_begin(&j, out);
    nadi_json_object(&j, NULL);
    nadi_json_string(&j, "model", p->s->model.name);
    nadi_json_string(&j, "cluster", p->s->cluster.name);
    nadi_json_string(&j, "device", p->s->cluster.device.name);
    nadi_json_u64(&j, "ranks", p->s->plan.ranks);
    nadi_json_array(&j, "parts");
    for (uint32_t i = 0; i < p->count; i++) {
        const struct part *part = &p->parts[i];
        const struct nadi_interval *v = &part->interval;
        nadi_json_row(&j, NULL);
        nadi_json_string(&j, "part", part->name);
        nadi_json_string(&j, "support", nadi_support_words[v->support]);
        nadi_json_string(&j, "reason", v->why);
        if (part->ns > 0)
            nadi_json_double(&j, "ns", part->ns);
        if (v->rows) {
            nadi_json_u64(&j, "measurements", v->rows);
            nadi_json_double(&j, "mean_absolute_error", v->mean);
            nadi_json_double(&j, "low", v->low);
            nadi_json_double(&j, "high", v->high);
        }
        nadi_json_close(&j);
    }
    nadi_json_close(&j);
    nadi_json_close(&j);
    nadi_json_finish(&j);
}

bool nadi_support_report(const struct nadi_study *s, bool json, struct nadi_str *out,
                         struct nadi_diags *diags)
{
    struct page p = {.s = s};
    if (!s->has_cluster)
        return nadi_error(diags, "model/cluster", NADI_IN_FILE("--cluster"),
                          "name one of `nadi model list`", "a prediction needs a cluster");
    nadi_evidence_open(&p.evidence);
    add_whole(&p);
    const bool ok = add_kernels(&p, diags);
    if (ok) {
        add_groups(&p);
        if (json)
            json_of(&p, out);
        else
            text_of(&p, out);
    }
    nadi_evidence_close(&p.evidence);
    return ok;
}
