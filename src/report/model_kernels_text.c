/* text_kernels: the kernels of one layer of each kind, forward and backward, one micro-batch. */
#include "base/units.h"
#include "calibrate/evidence.h"
#include "compute/systolic.h"
#include "format/json_write.h"
#include "model/build.h"
#include "model/cost.h"
#include "model/step.h"
#include "report/model_text.h"

static const char *const passes[] = {"forward", "inputs", "weights"};

enum { MOST_CLASSES = 16 };

struct page {
    const struct nadi_study *s;
    const struct nadi_device *device;
    struct nadi_str *out;   /* text */
    struct nadi_json *json; /* or this */
    const struct nadi_op *op;
    bool ideal; /* nothing is lost */
    bool array; /* products are timed by the device's systolic array */
    double ns;  /* of the layer */
    struct nadi_evidence evidence;
    struct nadi_interval seen[MOST_CLASSES]; /* text: of the classes of kernels there are */
    uint32_t seen_count;
};

/* One unit of the device works on a product's share of columns: compute/kernel.c. */
static struct nadi_systolic_run array_run(const struct page *p, const struct nadi_kernel *k)
{
    const struct nadi_device *d = p->device;
    const bool by_count = k->count >= d->processors && !k->in_turn;
    return nadi_systolic(d->array_rows, d->array_columns, d->dataflow, k->m,
                         by_count ? k->n : nadi_divide_up(k->n, d->processors), k->k);
}

static double bytes_of(const struct nadi_kernel *k)
{
    return k->kind == NADI_KERNEL_STREAM      ? k->bytes
           : k->kind == NADI_KERNEL_ATTENTION ? nadi_kernel_attention_bytes(k)
                                              : 0;
}

static void shape_of(const struct nadi_kernel *k, char text[64])
{
    if (k->kind == NADI_KERNEL_STREAM)
        nadi_units_bytes(text, k->bytes);
    else if (k->count > 1)
        snprintf(text, 64, "%" PRIu64 " x %" PRIu64 " %" PRIu64 " %" PRIu64, k->count, k->m, k->n,
                 k->k);
    else
        snprintf(text, 64, "%" PRIu64 " %" PRIu64 " %" PRIu64, k->m, k->n, k->k);
}

/* By tiles alone: what the measurements were compared with. */
static struct nadi_interval interval_of(const struct page *p, const struct nadi_kernel *k,
                                        double ns)
{
    if (p->ideal || p->array)
        return (struct nadi_interval){.rows = 0};
    return nadi_evidence_kernel(&p->evidence, p->device, k, ns / 1e3);
}

static void note_interval(struct page *p, const struct nadi_kernel *k, double ns)
{
    const struct nadi_interval i = interval_of(p, k, ns);
    for (uint32_t s = 0; s < p->seen_count; s++)
        if (strcmp(p->seen[s].why, i.why) == 0)
            return;
    if (i.rows && p->seen_count < MOST_CLASSES)
        p->seen[p->seen_count++] = i;
}

static void line(void *context, enum nadi_cost_part part, const struct nadi_kernel *k, double ns)
{
    struct page *p = context;
    char shape[64], time[32];
    const double flops = nadi_kernel_flops(k), peak = p->device->peak[k->precision];
    shape_of(k, shape);
    p->ns += ns;
    nadi_str_printf(p->out, "  %-22.22s %-8s %-26s %10s", p->op->name, passes[part], shape,
                    nadi_units_time(time, ns));
    if (flops > 0)
        nadi_str_printf(p->out, " %8.1f TFLOP/s %5.1f %%", flops / ns / 1e3,
                        peak > 0 ? flops / ns * 1e9 / peak * 100 : 0);
    else
        nadi_str_printf(p->out, " %8.1f GB/s   %5.1f %%", bytes_of(k) / ns,
                        bytes_of(k) / ns * 1e9 / p->device->memory_rate * 100);
    if (p->array && k->kind == NADI_KERNEL_GEMM) {
        const struct nadi_systolic_run r = array_run(p, k);
        nadi_str_printf(p->out,
                        "\n  %-31s %" PRIu64 " cycles, %" PRIu64
                        " folds, %.1f %% used; reads %" PRIu64 " + %" PRIu64 " + %" PRIu64
                        ", writes %" PRIu64,
                        "", r.cycles, r.folds, r.utilisation * 100, r.input_reads, r.weight_reads,
                        r.output_reads, r.output_writes);
    }
    nadi_str_add_char(p->out, '\n');
    note_interval(p, k, ns);
}

static void object(void *context, enum nadi_cost_part part, const struct nadi_kernel *k, double ns)
{
    static const char *const kinds[] = {"product", "attention", "stream"};
    struct page *p = context;
    struct nadi_json *j = p->json;
    p->ns += ns;
    nadi_json_row(j, NULL);
    nadi_json_string(j, "operation", p->op->name);
    nadi_json_string(j, "pass", passes[part]);
    nadi_json_string(j, "kind", kinds[k->kind]);
    nadi_json_double(j, "ns", ns);
    nadi_json_double(j, "flops", nadi_kernel_flops(k));
    if (k->kind == NADI_KERNEL_STREAM) {
        nadi_json_double(j, "bytes", k->bytes);
    } else {
        nadi_json_u64(j, "count", k->count);
        nadi_json_u64(j, "m", k->m);
        nadi_json_u64(j, "n", k->n);
        nadi_json_u64(j, "k", k->k);
        nadi_json_string(j, "precision", nadi_precision_name(k->precision));
    }
    const struct nadi_interval interval = interval_of(p, k, ns);
    if (interval.rows) {
        nadi_json_object(j, "interval_80");
        nadi_json_double(j, "low_ns", ns * interval.low);
        nadi_json_double(j, "high_ns", ns * interval.high);
        nadi_json_string(j, "support", nadi_support_words[interval.support]);
        nadi_json_string(j, "reason", interval.why);
        nadi_json_close(j);
    }
    if (p->array && k->kind == NADI_KERNEL_GEMM) {
        const struct nadi_systolic_run r = array_run(p, k);
        nadi_json_u64(j, "cycles", r.cycles);
        nadi_json_u64(j, "folds", r.folds);
        nadi_json_double(j, "utilisation", r.utilisation);
        nadi_json_u64(j, "input_reads", r.input_reads);
        nadi_json_u64(j, "weight_reads", r.weight_reads);
        nadi_json_u64(j, "output_reads", r.output_reads);
        nadi_json_u64(j, "output_writes", r.output_writes);
    }
    nadi_json_close(j);
}

static uint32_t layers_of(const struct nadi_net *net, uint32_t kind, bool *body)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < net->layer_count; i++) {
        if (net->layers[i] != kind)
            continue;
        count++;
        *body = i >= net->body_first && i < net->body_first + net->body_count;
    }
    return count;
}

static void each_kind(struct page *p, const struct nadi_model_step *step)
{
    const struct nadi_net *net = &step->variants[0].net;
    char time[32];
    for (uint32_t i = 0; i < net->kind_count; i++) {
        const struct nadi_layer_kind *kind = &net->kinds[i];
        bool body = false;
        const uint32_t layers = layers_of(net, i, &body);
        p->ns = 0;
        if (p->json) {
            nadi_json_object(p->json, NULL);
            nadi_json_string(p->json, "layer", kind->name);
            nadi_json_u64(p->json, "layers", layers);
            nadi_json_array(p->json, "kernels");
        } else {
            nadi_str_printf(p->out, "\n%s, %u in the model\n", kind->name, layers);
        }
        for (uint32_t o = 0; o < kind->op_count; o++) {
            p->op = &kind->ops[o];
            nadi_op_kernels(p->op, body, &p->s->plan, &step->compute.kernels,
                            p->json ? object : line, p);
        }
        if (p->json) {
            nadi_json_close(p->json);
            nadi_json_double(p->json, "ns", p->ns);
            nadi_json_close(p->json);
        } else {
            nadi_str_printf(p->out, "  %-58s %10s\n", "all", nadi_units_time(time, p->ns));
        }
    }
}

static bool open_page(struct page *p, struct nadi_model_step *step, const struct nadi_study *s,
                      struct nadi_diags *diags)
{
    *p = (struct page){.s = s, .device = &s->cluster.device};
    *step = (struct nadi_model_step){.study = NULL};
    if (!s->has_cluster)
        return nadi_error(diags, "model/cluster", NADI_IN_FILE("--cluster"),
                          "name one of `nadi model list`", "times need a cluster");
    if (!nadi_step_init(step, s, diags)) {
        nadi_step_release(step);
        return false;
    }
    p->array = step->compute.kernels.model->needs_array;
    p->ideal = step->compute.kernels.model->ideal;
    nadi_evidence_open(&p->evidence);
    return true;
}

bool nadi_model_kernels_text(const struct nadi_study *s, struct nadi_str *out,
                             struct nadi_diags *diags)
{
    struct page p;
    struct nadi_model_step step;
    if (!open_page(&p, &step, s, diags))
        return false;
    p.out = out;
    nadi_str_printf(out, "%s on %s, one micro-batch on one rank, kernels by %s\n", s->model.name,
                    s->cluster.device.name, step.compute.kernels.model->name);
    each_kind(&p, &step);
    if (p.seen_count)
        nadi_str_add(out, "\n80 % intervals of a kernel's time\n");
    for (uint32_t i = 0; i < p.seen_count; i++)
        nadi_str_printf(out, "  %.2f to %.2f of it: %s\n", p.seen[i].low, p.seen[i].high,
                        p.seen[i].why);
    nadi_evidence_close(&p.evidence);
    nadi_step_release(&step);
    return true;
}

bool nadi_model_kernels_json(const struct nadi_study *s, struct nadi_str *out,
                             struct nadi_diags *diags)
{
    struct page p;
    struct nadi_model_step step;
    struct nadi_json j;
    if (!open_page(&p, &step, s, diags))
        return false;
    nadi_json_begin(&j, out);
    p.json = &j;
    nadi_json_object(&j, NULL);
    nadi_json_string(&j, "model", s->model.name);
    nadi_json_string(&j, "device", s->cluster.device.name);
    nadi_json_string(&j, "kernels_by", step.compute.kernels.model->name);
    nadi_json_array(&j, "layers");
    each_kind(&p, &step);
    nadi_json_close(&j);
    nadi_json_close(&j);
    nadi_json_finish(&j);
    nadi_evidence_close(&p.evidence);
    nadi_step_release(&step);
    return true;
}
