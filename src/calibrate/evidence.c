#include "calibrate/evidence.h"

#include "base/str.h"
#include "base/time.h"
#include "calibrate/validate_training.h"
#include "format/csv_read.h"
#include "format/embedded.h"

#define ENOUGH   12   /* rows that make an interval of a class on one device */
#define RUNS     4    /* of them */
#define FAR      2.0  /* times the largest measured number of ranks */
#define SHORT_US 10.0 /* kernels below have a class of their own */
#define MIB      1048576.0

const char *const nadi_support_words[NADI_SUPPORTS] = {"measured", "interpolated", "guessed"};

static double number(const struct nadi_csv_table *t, uint32_t row, const char *column)
{
    double value = 0;
    if (!nadi_str_to_double(nadi_csv_field(t, row, nadi_csv_column(t, column)), &value))
        NADI_BUG("examples/evidence/errors.csv has a damaged row");
    return value;
}

static const char *text(struct nadi_evidence *e, const struct nadi_csv_table *t, uint32_t row,
                        const char *column)
{
    return nadi_arena_strdup(&e->arena, nadi_csv_field(t, row, nadi_csv_column(t, column)));
}

void nadi_evidence_open(struct nadi_evidence *e)
{
    const struct nadi_embedded *file = nadi_embedded_find("evidence", "errors");
    struct nadi_csv_table t;
    struct nadi_diags diags;
    *e = (struct nadi_evidence){.count = 0};
    nadi_arena_init(&e->arena);
    nadi_diags_init(&diags);
    if (!file || !nadi_csv_parse(&t, "errors.csv", (const char *)file->text, file->bytes, &diags))
        NADI_BUG("examples/evidence/errors.csv is no table");
    e->rows = NADI_ARENA_NEW(&e->arena, struct nadi_evidence_row, t.row_count);
    for (uint32_t i = 0; i < t.row_count; i++)
        e->rows[e->count++] = (struct nadi_evidence_row){
            .kind = text(e, &t, i, "kind"),
            .class = text(e, &t, i, "class"),
            .device = text(e, &t, i, "device"),
            .rows = (uint32_t)nadi_count_trunc(number(&t, i, "rows")),
            .runs = (uint32_t)nadi_count_trunc(number(&t, i, "runs")),
            .mean = number(&t, i, "mean") / 100,
            .low = number(&t, i, "low"),
            .high = number(&t, i, "high"),
            .least = number(&t, i, "least"),
            .most = number(&t, i, "most"),
        };
    nadi_csv_release(&t);
    nadi_diags_release(&diags);
}

void nadi_evidence_close(struct nadi_evidence *e)
{
    nadi_arena_release(&e->arena);
    *e = (struct nadi_evidence){.count = 0};
}

static const struct nadi_evidence_row *find(const struct nadi_evidence *e, const char *kind,
                                            const char *class, const char *device)
{
    for (uint32_t i = 0; i < e->count; i++)
        if (strcmp(e->rows[i].kind, kind) == 0 && strcmp(e->rows[i].class, class) == 0 &&
            strcmp(e->rows[i].device, device) == 0)
            return &e->rows[i];
    return NULL;
}

struct nadi_interval nadi_evidence_of(const struct nadi_evidence *e, const char *kind,
                                      const char *class, const char *device, double amount)
{
    const struct nadi_evidence_row *own = find(e, kind, class, device);
    const struct nadi_evidence_row *all = find(e, kind, class, "*");
    const struct nadi_evidence_row *row =
        own && own->rows >= ENOUGH && own->runs >= RUNS ? own : all;
    struct nadi_interval i = {.rows = 0};
    if (!row) {
        i.support = NADI_SUPPORT_GUESSED;
        snprintf(i.why, sizeof(i.why), "no data like this: %s%s%s", kind,
                 strcmp(class, "any") == 0 ? "" : ", ", strcmp(class, "any") == 0 ? "" : class);
        return i;
    }
    i.low = row->low;
    i.high = row->high;
    i.rows = row->rows;
    i.mean = row->mean;
    i.support = own ? NADI_SUPPORT_MEASURED : NADI_SUPPORT_INTERPOLATED;
    if (!own)
        snprintf(i.why, sizeof(i.why),
                 "no data like this: %s on %s; the interval is that of %u measurements on others",
                 class, device, all->rows);
    else if (amount > FAR * all->most) {
        i.support = NADI_SUPPORT_GUESSED;
        snprintf(i.why, sizeof(i.why), "no data like this: the largest measured is %.0f",
                 all->most);
    } else {
        snprintf(i.why, sizeof(i.why), "%u measurements, %s%s%s", row->rows, class,
                 row == own ? " on " : " on all devices, few of them ", device);
    }
    return i;
}

struct nadi_interval nadi_evidence_step(const struct nadi_evidence *e, const struct nadi_study *s)
{
    const struct nadi_model_plan *p = &s->plan;
    if (p->mode != NADI_MODE_TRAIN)
        return nadi_evidence_of(e, "inference", "any", s->cluster.device.name, 0);
    if (!nadi_model_is_transformer(&s->model)) /* the classes are of language models */
        return nadi_evidence_of(e, "training", nadi_family_name(s->model.family),
                                s->cluster.device.name, p->ranks);
    if (nadi_model_is_recurrent(&s->model))
        return nadi_evidence_of(e, "training", "recurrent", s->cluster.device.name, p->ranks);
    const enum nadi_training_class class = nadi_training_class_of(p->framework, s->model.experts);
    return nadi_evidence_of(e, "training", nadi_training_class_words[class], s->cluster.device.name,
                            p->ranks);
}

struct nadi_interval nadi_evidence_collective(const struct nadi_evidence *e, const char *platform,
                                              bool one_node, double bytes)
{
    char class[64];
    snprintf(class, sizeof(class), "%s %s", one_node ? "one node" : "several nodes",
             bytes < MIB         ? "below 1 MiB"
             : bytes <= 16 * MIB ? "1 to 16 MiB"
                                 : "above 16 MiB");
    return nadi_evidence_of(e, "collectives", class, platform, bytes);
}

struct nadi_interval nadi_evidence_kernel(const struct nadi_evidence *e,
                                          const struct nadi_device *device,
                                          const struct nadi_kernel *kernel, double us)
{
    char class[48];
    const char *shape = us < SHORT_US ? " below 10 us" : "";
    if (kernel->kind == NADI_KERNEL_GEMM)
        snprintf(class, sizeof(class), "%s products%s", nadi_precision_name(kernel->precision),
                 shape);
    else
        snprintf(class, sizeof(class), "%s",
                 kernel->kind == NADI_KERNEL_ATTENTION ? "attention" : "memory passes");
    return nadi_evidence_of(e, "kernels", class, device->name, 0);
}
