#include "report/partition.h"

#include <math.h>

#include "base/units.h"
#include "format/csv_write.h"
#include "format/json_write.h"

static double share(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : 1;
}

static const char *percent(double value, char text[16])
{
    if (isnan(value))
        snprintf(text, 16, "-");
    else
        snprintf(text, 16, "%.2f %%", 100 * value);
    return text;
}

/* ---- text ------------------------------------------------------------------------------------ */

static void text_methods(const struct nadi_partition_report *r, struct nadi_str *out)
{
    nadi_str_printf(out, "  %-11s  %12s  %8s  %12s  %9s  %9s  %8s", "", "bytes", "messages", "MACs",
                    "busiest", r->labelled ? "accuracy" : "agreement", "error");
    for (size_t n = 0; n < r->network_count; n++)
        nadi_str_printf(out, "  %11s", r->networks[n]);
    nadi_str_add_char(out, '\n');
    for (size_t i = 0; i < r->count; i++) {
        const struct nadi_partition_method *m = &r->methods[i];
        char accuracy[16], error[16], time[32];
        nadi_str_printf(
            out, "  %-11s  %12" PRIu64 "  %8" PRIu64 "  %12" PRIu64 "  %8.2fx  %9s  %8s", m->name,
            m->r->traffic.all.bytes, m->r->traffic.all.messages, m->r->traffic.all.macs,
            nadi_traffic_imbalance(m->r->traffic.macs, m->r->traffic.workers),
            percent(m->accuracy, accuracy), percent(m->output_error, error));
        for (size_t n = 0; n < r->network_count; n++)
            nadi_str_printf(out, "  %11s", isnan(m->ns[n]) ? "-" : nadi_units_time(time, m->ns[n]));
        nadi_str_add_char(out, '\n');
    }
}

static void text_layers(const struct nadi_partition_report *r, struct nadi_str *out)
{
    const struct nadi_partitioned *ours = r->methods[0].r, *direct = r->methods[1].r;
    nadi_str_printf(out, "\n  %-20s  %-9s  %8s  %12s  %12s  %9s  %10s\n", "layer", "kind",
                    "channels", "bytes", "direct", "weights", "fidelity");
    for (uint32_t i = 0; i < r->given->count; i++) {
        const struct nadi_nn_layer *l = &r->given->layers[i];
        char kept[16], error[16];
        nadi_str_printf(out, "  %-20s  %-9s  %8u  %12" PRIu64 "  %12" PRIu64 "  %9s  %10s\n",
                        l->name, nadi_nn_kind_name(l->kind), l->channels,
                        ours->traffic.layers[i].bytes, direct->traffic.layers[i].bytes,
                        percent(nadi_nn_mixes(l->kind) ? share(ours->traffic.layers[i].weights,
                                                               direct->traffic.layers[i].weights)
                                                       : (double)NAN,
                                kept),
                        percent(r->samples ? ours->layers[i].fidelity : (double)NAN, error));
    }
}

static void text_workers(const struct nadi_partition_report *r, struct nadi_str *out)
{
    const struct nadi_placed_traffic *t = &r->methods[0].r->traffic;
    nadi_str_printf(out, "\n  %-6s  %12s  %12s\n", "worker", "MACs", "weights");
    for (uint32_t k = 0; k < t->workers; k++)
        nadi_str_printf(out, "  %-6u  %12" PRIu64 "  %12" PRIu64 "\n", k, t->macs[k],
                        t->weights[k]);
}

void nadi_partition_headline(const struct nadi_partition_report *r, struct nadi_str *out)
{
    const struct nadi_partitioned *ours = r->methods[0].r;
    char base[16];
    nadi_str_printf(out, "%u layers on %u workers, mu %.3g: %.1f %% of direct parallel's bytes\n",
                    r->given->count - 1, ours->traffic.workers, ours->mu,
                    100 * share(ours->traffic.all.bytes, r->methods[1].r->traffic.all.bytes));
    if (!isnan(r->accuracy) && r->labelled)
        nadi_str_printf(out, "The given network's accuracy is %s.\n", percent(r->accuracy, base));
    if (r->searched && !r->kept)
        nadi_str_add(out, "No price keeps the allowed loss: this is the smallest.\n");
}

void nadi_partition_text(const struct nadi_partition_report *r, struct nadi_str *out)
{
    nadi_partition_headline(r, out);
    nadi_str_add_char(out, '\n');
    text_methods(r, out);
    text_layers(r, out);
    text_workers(r, out);
    if (r->checked)
        nadi_str_printf(out,
                        "\n%" PRIu64 " of %" PRIu64
                        " samples: the workers' outputs are those of one place, bit for bit.\n",
                        r->same, r->checked);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void json_method(struct nadi_json *j, const struct nadi_partition_report *r,
                        const struct nadi_partition_method *m)
{
    const struct nadi_placed_traffic *t = &m->r->traffic;
    nadi_json_object(j, NULL);
    nadi_json_string(j, "name", m->name);
    nadi_json_u64(j, "bytes", t->all.bytes);
    nadi_json_u64(j, "messages", t->all.messages);
    nadi_json_u64(j, "transfers", t->all.transfers);
    nadi_json_u64(j, "macs", t->all.macs);
    nadi_json_u64(j, "weights", t->all.weights);
    nadi_json_double(j, "macs_imbalance", nadi_traffic_imbalance(t->macs, t->workers));
    nadi_json_double(j, "weights_imbalance", nadi_traffic_imbalance(t->weights, t->workers));
    nadi_json_double(j, "accuracy", m->accuracy);
    nadi_json_double(j, "output_error", m->output_error);
    nadi_json_object(j, "latency_ns");
    for (size_t n = 0; n < r->network_count; n++)
        nadi_json_double(j, r->networks[n], m->ns[n]);
    nadi_json_close(j);
    nadi_json_close(j);
}

void nadi_partition_json(const struct nadi_partition_report *r, struct nadi_str *out)
{
    const struct nadi_partitioned *ours = r->methods[0].r;
    struct nadi_json j;
    nadi_json_begin(&j, out);
    nadi_json_object(&j, NULL);
    nadi_json_string(&j, "schema", "nadi-partition/1");
    nadi_json_u64(&j, "workers", ours->traffic.workers);
    nadi_json_double(&j, "mu", ours->mu);
    nadi_json_double(&j, "given_accuracy", r->accuracy);
    nadi_json_bool(&j, "labelled", r->labelled);
    nadi_json_bool(&j, "loss_kept", !r->searched || r->kept);
    nadi_json_u64(&j, "samples_same", r->same);
    nadi_json_u64(&j, "samples_checked", r->checked);
    nadi_json_array(&j, "methods");
    for (size_t i = 0; i < r->count; i++)
        json_method(&j, r, &r->methods[i]);
    nadi_json_close(&j);
    nadi_json_array(&j, "layers");
    for (uint32_t i = 0; i < r->given->count; i++) {
        const struct nadi_layer_traffic *t = &ours->traffic.layers[i];
        nadi_json_row(&j, NULL);
        nadi_json_string(&j, "name", r->given->layers[i].name);
        nadi_json_string(&j, "kind", nadi_nn_kind_name(r->given->layers[i].kind));
        nadi_json_u64(&j, "bytes", t->bytes);
        nadi_json_u64(&j, "direct_bytes", r->methods[1].r->traffic.layers[i].bytes);
        nadi_json_u64(&j, "messages", t->messages);
        nadi_json_u64(&j, "weights", t->weights);
        nadi_json_double(&j, "fidelity", r->samples ? ours->layers[i].fidelity : (double)NAN);
        nadi_json_close(&j);
    }
    nadi_json_close(&j);
    nadi_json_array(&j, "workers_load");
    for (uint32_t k = 0; k < ours->traffic.workers; k++) {
        nadi_json_row(&j, NULL);
        nadi_json_u64(&j, "macs", ours->traffic.macs[k]);
        nadi_json_u64(&j, "weights", ours->traffic.weights[k]);
        nadi_json_close(&j);
    }
    nadi_json_close(&j);
    nadi_json_close(&j);
    nadi_json_finish(&j);
}

void nadi_partition_placement(const struct nadi_partitioned *r, struct nadi_str *out)
{
    struct nadi_json j;
    nadi_json_begin(&j, out);
    nadi_json_object(&j, NULL);
    nadi_json_string(&j, "schema", "nadi-placement/1");
    nadi_json_u64(&j, "workers", r->placement.workers);
    nadi_json_object(&j, "layers");
    for (uint32_t i = 0; i < r->nn.count; i++) {
        nadi_json_row_array(&j, r->nn.layers[i].name);
        for (uint32_t c = 0; c < r->nn.layers[i].channels; c++) {
            const uint32_t k = nadi_placement_of(&r->placement, i, c);
            if (k == NADI_NONE)
                nadi_json_null(&j, NULL);
            else
                nadi_json_u64(&j, NULL, k);
        }
        nadi_json_close(&j);
    }
    nadi_json_close(&j);
    nadi_json_close(&j);
    nadi_json_finish(&j);
}

/* ---- CSV ------------------------------------------------------------------------------------- */

void nadi_partition_csv(const struct nadi_partition_report *r, struct nadi_str *out)
{
    struct nadi_csv csv = {.out = out};
    nadi_csv_header(&csv, "method,layer,kind,bytes,messages,transfers,macs,weights,fidelity");
    for (size_t i = 0; i < r->count; i++)
        for (uint32_t n = 0; n < r->given->count; n++) {
            const struct nadi_layer_traffic *t = &r->methods[i].r->traffic.layers[n];
            nadi_csv_text(&csv, r->methods[i].name);
            nadi_csv_text(&csv, r->given->layers[n].name);
            nadi_csv_text(&csv, nadi_nn_kind_name(r->given->layers[n].kind));
            nadi_csv_u64(&csv, t->bytes);
            nadi_csv_u64(&csv, t->messages);
            nadi_csv_u64(&csv, t->transfers);
            nadi_csv_u64(&csv, t->macs);
            nadi_csv_u64(&csv, t->weights);
            nadi_csv_double(&csv, i == 0 && r->samples ? r->methods[0].r->layers[n].fidelity
                                                       : (double)NAN);
            nadi_csv_end_row(&csv);
        }
}
