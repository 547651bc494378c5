/* partition_bench: `nadi partition bench`, and its picture. */
#include "format/csv_write.h"
#include "format/json_write.h"
#include "report/partition.h"

static double of_direct(const struct nadi_partition_bench_row *r, uint64_t bytes)
{
    return r->direct ? (double)bytes / (double)r->direct : 1;
}

void nadi_partition_bench_text(const struct nadi_partition_bench *b, struct nadi_str *out)
{
    nadi_str_printf(out, "  %-5s  %7s  %6s  %6s  %8s  %8s  %7s  %9s  %9s  %9s  %9s  %9s  %s\n",
                    "net", "workers", "bytes", "direct", "traffic", "MACs", "loss", "tensor",
                    "magnitude", "", "graph", "", "bits");
    for (size_t i = 0; i < b->count; i++) {
        const struct nadi_partition_bench_row *r = &b->rows[i];
        nadi_str_printf(
            out,
            "  %-5s  %7u  %6" PRIu64 "  %6" PRIu64
            "  %6.1f %%  %6.1f %%  %5.2f %%  %7.1f %%  %7.1f %%  %7.2f %%  %7.1f %%  %7.2f %%"
            "  %s\n",
            r->net, r->workers, r->bytes, r->direct, 100 * of_direct(r, r->bytes),
            100 * (double)r->macs / (double)r->direct_macs, 100 * (r->base - r->accuracy),
            100 * of_direct(r, r->tensor), 100 * of_direct(r, r->magnitude.bytes),
            100 * r->magnitude.accuracy, 100 * of_direct(r, r->graph.bytes),
            100 * r->graph.accuracy, r->same == r->checked ? "same" : "other");
    }
    nadi_str_add(
        out,
        "\ntraffic, MACs: of direct parallel's; loss: of accuracy on samples that neither "
        "training nor search saw;\ntensor: bytes of columns and rows in turns, of direct "
        "parallel's, "
        "without loss; magnitude, graph: bytes of direct\nparallel's when pruned down to the "
        "allowed loss, accuracy when pruned to the partition's bytes; bits: the workers'\noutputs "
        "and those of one place\n");
}

void nadi_partition_bench_csv(const struct nadi_partition_bench *b, struct nadi_str *out)
{
    struct nadi_csv csv = {.out = out};
    nadi_csv_header(
        &csv, "net,workers,bytes,direct_bytes,tensor_bytes,macs,direct_macs,accuracy,base_accuracy,"
              "magnitude_accuracy,magnitude_bytes,graph_accuracy,graph_bytes,mu,samples_same,"
              "samples_checked");
    for (size_t i = 0; i < b->count; i++) {
        const struct nadi_partition_bench_row *r = &b->rows[i];
        nadi_csv_text(&csv, r->net);
        nadi_csv_u64(&csv, r->workers);
        nadi_csv_u64(&csv, r->bytes);
        nadi_csv_u64(&csv, r->direct);
        nadi_csv_u64(&csv, r->tensor);
        nadi_csv_u64(&csv, r->macs);
        nadi_csv_u64(&csv, r->direct_macs);
        nadi_csv_double(&csv, r->accuracy);
        nadi_csv_double(&csv, r->base);
        nadi_csv_double(&csv, r->magnitude.accuracy);
        nadi_csv_u64(&csv, r->magnitude.bytes);
        nadi_csv_double(&csv, r->graph.accuracy);
        nadi_csv_u64(&csv, r->graph.bytes);
        nadi_csv_double(&csv, r->mu);
        nadi_csv_u64(&csv, r->same);
        nadi_csv_u64(&csv, r->checked);
        nadi_csv_end_row(&csv);
    }
}

void nadi_partition_bench_json(const struct nadi_partition_bench *b, struct nadi_str *out)
{
    struct nadi_json j;
    nadi_json_begin(&j, out);
    nadi_json_object(&j, NULL);
    nadi_json_string(&j, "schema", "nadi-partition-bench/1");
    nadi_json_array(&j, "rows");
    for (size_t i = 0; i < b->count; i++) {
        const struct nadi_partition_bench_row *r = &b->rows[i];
        nadi_json_row(&j, NULL);
        nadi_json_string(&j, "net", r->net);
        nadi_json_u64(&j, "workers", r->workers);
        nadi_json_u64(&j, "bytes", r->bytes);
        nadi_json_u64(&j, "direct_bytes", r->direct);
        nadi_json_u64(&j, "tensor_bytes", r->tensor);
        nadi_json_u64(&j, "macs", r->macs);
        nadi_json_u64(&j, "direct_macs", r->direct_macs);
        nadi_json_double(&j, "accuracy", r->accuracy);
        nadi_json_double(&j, "base_accuracy", r->base);
        nadi_json_double(&j, "magnitude_accuracy", r->magnitude.accuracy);
        nadi_json_u64(&j, "magnitude_bytes", r->magnitude.bytes);
        nadi_json_double(&j, "graph_accuracy", r->graph.accuracy);
        nadi_json_u64(&j, "graph_bytes", r->graph.bytes);
        nadi_json_double(&j, "mu", r->mu);
        nadi_json_u64(&j, "samples_same", r->same);
        nadi_json_u64(&j, "samples_checked", r->checked);
        nadi_json_close(&j);
    }
    nadi_json_close(&j);
    nadi_json_close(&j);
    nadi_json_finish(&j);
}

enum { WIDTH = 700, LEFT = 120, ROW = 42, BAR = 11, TOP = 56, BARS = 440 };

/* A bar of bytes over those of direct parallel, and what they are. */
static void put_bar(struct nadi_str *out, double share, int y, const char *color, const char *what)
{
    const double width = share * BARS;
    nadi_str_printf(out,
                    "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>"
                    "<text x=\"%.1f\" y=\"%d\" font-size=\"10\">%s</text>\n",
                    LEFT, y, width, BAR - 1, color, LEFT + width + 5, y + BAR - 2, what);
}

static void put_row(struct nadi_str *out, const struct nadi_partition_bench_row *r, int y)
{
    static const char *const colors[] = {"#4477aa", "#ccbb44", "#aa3377"};
    const uint64_t bytes[] = {r->bytes, r->magnitude.bytes, r->graph.bytes};
    char what[64];
    nadi_str_printf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s, %u workers</text>\n",
                    LEFT - 8, y + 21, r->net, r->workers);
    for (int i = 0; i < 3; i++) {
        const double share = of_direct(r, bytes[i]);
        if (i == 0)
            snprintf(what, sizeof(what), "%.1f %% (%.2f %%)", 100 * share,
                     100 * (r->base - r->accuracy));
        else
            snprintf(what, sizeof(what), "%.1f %%", 100 * share);
        put_bar(out, share, y + i * BAR, colors[i], what);
    }
}

void nadi_partition_bench_svg(const struct nadi_partition_bench *b, struct nadi_str *out)
{
    const int height = TOP + (int)b->count * ROW + 30;
    nadi_str_printf(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
        "font-family=\"sans-serif\" font-size=\"12\">\n"
        "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
        "<text x=\"%d\" y=\"18\">bytes of an inference, of direct parallel's, with the "
        "allowed loss of accuracy</text>\n"
        "<text x=\"%d\" y=\"36\" font-size=\"11\"><tspan fill=\"#4477aa\">partition "
        "(its loss)</tspan>  <tspan fill=\"#998822\">pruning by magnitude</tspan>  <tspan "
        "fill=\"#aa3377\">partition of the graph, pruned</tspan></text>\n",
        WIDTH, height, LEFT, LEFT);
    for (int mark = 0; mark <= 100; mark += 20) {
        const int x = LEFT + mark * BARS / 100;
        nadi_str_printf(out,
                        "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"#dddddd\"/>"
                        "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%d %%</text>\n",
                        x, TOP - 6, x, height - 24, x, height - 8, mark);
    }
    for (size_t i = 0; i < b->count; i++)
        put_row(out, &b->rows[i], TOP + (int)i * ROW);
    nadi_str_add(out, "</svg>\n");
}
