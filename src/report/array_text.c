#include "report/array_text.h"

#include "base/units.h"
#include "format/csv_write.h"
#include "format/json_write.h"

static const char *dataflow_name(enum nadi_dataflow dataflow)
{
    return dataflow == NADI_OUTPUT_STATIONARY  ? "output"
           : dataflow == NADI_INPUT_STATIONARY ? "input"
                                               : "weight";
}

void nadi_array_text(const struct nadi_array_report *r, struct nadi_str *out)
{
    const struct nadi_array *a = r->array;
    uint64_t cycles = 0;
    double bytes = 0, products = 0;
    nadi_str_printf(out,
                    "%s on an array of %" PRIu64 " x %" PRIu64 ", %s stationary, %.0f MHz\n\n"
                    "%-18s %10s %8s %8s %12s %9s %9s %14s %11s\n",
                    r->path, a->rows, a->columns, dataflow_name(a->dataflow), a->clock_hz / 1e6,
                    "layer", "m", "n", "k", "cycles", "mapped", "busy", "buffer reads", "off chip");
    for (size_t i = 0; i < r->shapes->count; i++) {
        const struct nadi_layer_shape *s = &r->shapes->items[i];
        const struct nadi_array_layer l = nadi_array_run(a, s);
        char size[32];
        nadi_str_printf(out,
                        "%-18.18s %10" PRIu64 " %8" PRIu64 " %8" PRIu64 " %12" PRIu64
                        " %7.1f %% %7.1f %% %14" PRIu64 " %11s\n",
                        s->name, s->m, s->n, s->k, l.run.cycles, 100 * l.run.mapping,
                        100 * l.run.utilisation, l.run.input_reads + l.run.weight_reads,
                        nadi_units_bytes(size, l.off_chip_bytes));
        cycles += l.run.cycles;
        bytes += l.off_chip_bytes;
        products += (double)s->m * (double)s->n * (double)s->k * (double)s->count;
    }
    char size[32];
    const double seconds = (double)cycles / a->clock_hz;
    nadi_str_printf(out, "\n%" PRIu64 " cycles, %.3f us; cells busy %.1f %%; %s off chip", cycles,
                    seconds * 1e6,
                    100 * products / ((double)cycles * (double)a->rows * (double)a->columns),
                    nadi_units_bytes(size, bytes));
    nadi_str_printf(out, ", %s on average\n", nadi_units_rate(size, bytes / seconds));
}

void nadi_array_csv(const struct nadi_array_report *r, struct nadi_str *out)
{
    nadi_str_add(out, "layer,m,n,k,count,folds,cycles,ns,mapping,utilisation,input_reads,"
                      "weight_reads,output_writes,output_reads,off_chip_bytes\n");
    for (size_t i = 0; i < r->shapes->count; i++) {
        const struct nadi_layer_shape *s = &r->shapes->items[i];
        const struct nadi_array_layer l = nadi_array_run(r->array, s);
        const bool quoted = strpbrk(s->name, ",\"\n") != NULL;
        nadi_str_add(out, quoted ? "\"" : "");
        for (const char *c = s->name; *c; c++) {
            nadi_str_add(out, *c == '"' ? "\"" : "");
            nadi_str_add_char(out, *c);
        }
        nadi_str_printf(
            out,
            "%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
            ",%.17g,%.17g,%.17g,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%.17g\n",
            quoted ? "\"" : "", s->m, s->n, s->k, s->count, l.run.folds, l.run.cycles, l.ns,
            l.run.mapping, l.run.utilisation, l.run.input_reads, l.run.weight_reads,
            l.run.output_writes, l.run.output_reads, l.off_chip_bytes);
    }
}

static void put_layer(const struct nadi_array_layer *l, struct nadi_json *j)
{
    const struct nadi_systolic_run *run = &l->run;
    nadi_json_row(j, NULL);
    nadi_json_string(j, "layer", l->shape->name);
    nadi_json_u64(j, "m", l->shape->m);
    nadi_json_u64(j, "n", l->shape->n);
    nadi_json_u64(j, "k", l->shape->k);
    nadi_json_u64(j, "count", l->shape->count);
    nadi_json_u64(j, "folds", run->folds);
    nadi_json_u64(j, "cycles", run->cycles);
    nadi_json_double(j, "ns", l->ns);
    nadi_json_double(j, "mapping", run->mapping);
    nadi_json_double(j, "utilisation", run->utilisation);
    nadi_json_u64(j, "input_reads", run->input_reads);
    nadi_json_u64(j, "weight_reads", run->weight_reads);
    nadi_json_u64(j, "output_writes", run->output_writes);
    nadi_json_u64(j, "output_reads", run->output_reads);
    nadi_json_double(j, "off_chip_bytes", l->off_chip_bytes);
    nadi_json_close(j);
}

void nadi_array_json(const struct nadi_array_report *r, struct nadi_str *out)
{
    struct nadi_json j;
    uint64_t cycles = 0;
    nadi_json_begin(&j, out);
    nadi_json_object(&j, NULL);
    nadi_json_u64(&j, "rows", r->array->rows);
    nadi_json_u64(&j, "columns", r->array->columns);
    nadi_json_string(&j, "dataflow", dataflow_name(r->array->dataflow));
    nadi_json_array(&j, "layers");
    for (size_t i = 0; i < r->shapes->count; i++) {
        const struct nadi_array_layer l = nadi_array_run(r->array, &r->shapes->items[i]);
        put_layer(&l, &j);
        cycles += l.run.cycles;
    }
    nadi_json_close(&j);
    nadi_json_u64(&j, "cycles", cycles);
    nadi_json_close(&j);
    nadi_json_finish(&j);
}

/* ---- text workload -----------------------------------------------------------------------------
 */

static uint64_t ns_of(const struct nadi_array *a, uint64_t m, uint64_t n, uint64_t k,
                      uint64_t count)
{
    const struct nadi_layer_shape s = {
        .name = "", .m = m, .n = n, .k = k, .count = count, .input_values = m * k * count};
    const double ns = nadi_array_run(a, &s).ns;
    return (uint64_t)ns + ((double)(uint64_t)ns < ns);
}

static void put_row(const struct nadi_array_report *r, const struct nadi_layer_shape *s,
                    enum nadi_array_parallelism parallelism, uint32_t split, struct nadi_str *out)
{
    const bool model = parallelism != NADI_ARRAY_DATA, data = parallelism != NADI_ARRAY_MODEL;
    const uint64_t n = model ? (s->n + split - 1) / split : s->n;
    const uint64_t each = (uint64_t)r->array->element_bytes * s->count;
    for (const char *c = s->name[0] ? s->name : "layer"; *c; c++)
        nadi_str_add_char(out, (unsigned char)*c <= ' ' ? '_' : *c);
    nadi_str_printf(out,
                    " -1 %" PRIu64 " %s %" PRIu64 " %" PRIu64 " %s %" PRIu64 " %" PRIu64
                    " %s %" PRIu64 " 0\n",
                    ns_of(r->array, s->m, n, s->k, s->count), model ? "ALLGATHER" : "NONE",
                    model ? s->m * n * each : 0, ns_of(r->array, s->m, s->k, n, s->count),
                    model ? "ALLREDUCE" : "NONE", model ? s->m * s->k * each : 0,
                    ns_of(r->array, s->k, n, s->m, s->count), data ? "ALLREDUCE" : "NONE",
                    data ? s->k * n * each : 0);
}

void nadi_array_workload(const struct nadi_array_report *r, enum nadi_array_parallelism parallelism,
                         uint32_t split, struct nadi_str *out)
{
    if (parallelism == NADI_ARRAY_HYBRID)
        nadi_str_printf(out, "HYBRID_TRANSFORMER model_parallel_NPU_group: %u\n", split);
    else
        nadi_str_printf(out, "%s\n", parallelism == NADI_ARRAY_DATA ? "DATA" : "MODEL");
    nadi_str_printf(out, "%zu\n", r->shapes->count);
    for (size_t i = 0; i < r->shapes->count; i++)
        put_row(r, &r->shapes->items[i], parallelism, split, out);
}
