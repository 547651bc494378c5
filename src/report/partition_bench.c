/* partition_bench: `nadi partition bench`, and its picture. */
#include "format/csv_write.h"
#include "format/json_write.h"
#include "report/partition.h"

static double traffic(const struct nadi_partition_bench_row *r)
{
    return r->direct ? (double)r->bytes / (double)r->direct : 1;
}

void nadi_partition_bench_text(const struct nadi_partition_bench *b, struct nadi_str *out)
{
    nadi_str_printf(out, "  %-6s  %7s  %9s  %9s  %8s  %8s  %8s  %9s  %9s  %s\n", "net", "workers",
                    "bytes", "direct", "traffic", "MACs", "accuracy", "loss", "magnitude",
                    "bit for bit");
    for (size_t i = 0; i < b->count; i++) {
        const struct nadi_partition_bench_row *r = &b->rows[i];
        nadi_str_printf(out,
                        "  %-6s  %7u  %9" PRIu64 "  %9" PRIu64
                        "  %6.1f %%  %6.1f %%  %6.2f %%  %7.2f %%  %7.2f %%  %" PRIu64
                        " of %" PRIu64 "\n",
                        r->net, r->workers, r->bytes, r->direct, 100 * traffic(r),
                        100 * (double)r->macs / (double)r->direct_macs, 100 * r->accuracy,
                        100 * (r->base - r->accuracy), 100 * r->magnitude, r->same, r->checked);
    }
    nadi_str_add(out, "\ntraffic, MACs: of direct parallel's; loss: of accuracy on samples that "
                      "neither training nor search saw;\nmagnitude: accuracy of pruning the "
                      "smallest weights down to as few bytes\n");
}

void nadi_partition_bench_csv(const struct nadi_partition_bench *b, struct nadi_str *out)
{
    struct nadi_csv csv = {.out = out};
    nadi_csv_header(&csv, "net,workers,bytes,direct_bytes,macs,direct_macs,accuracy,base_accuracy,"
                          "magnitude_accuracy,mu,samples_same,samples_checked");
    for (size_t i = 0; i < b->count; i++) {
        const struct nadi_partition_bench_row *r = &b->rows[i];
        nadi_csv_text(&csv, r->net);
        nadi_csv_u64(&csv, r->workers);
        nadi_csv_u64(&csv, r->bytes);
        nadi_csv_u64(&csv, r->direct);
        nadi_csv_u64(&csv, r->macs);
        nadi_csv_u64(&csv, r->direct_macs);
        nadi_csv_double(&csv, r->accuracy);
        nadi_csv_double(&csv, r->base);
        nadi_csv_double(&csv, r->magnitude);
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
        nadi_json_u64(&j, "macs", r->macs);
        nadi_json_u64(&j, "direct_macs", r->direct_macs);
        nadi_json_double(&j, "accuracy", r->accuracy);
        nadi_json_double(&j, "base_accuracy", r->base);
        nadi_json_double(&j, "magnitude_accuracy", r->magnitude);
        nadi_json_double(&j, "mu", r->mu);
        nadi_json_u64(&j, "samples_same", r->same);
        nadi_json_u64(&j, "samples_checked", r->checked);
        nadi_json_close(&j);
    }
    nadi_json_close(&j);
    nadi_json_close(&j);
    nadi_json_finish(&j);
}

enum { WIDTH = 640, LEFT = 120, ROW = 22, TOP = 40, BARS = 420 };

void nadi_partition_bench_svg(const struct nadi_partition_bench *b, struct nadi_str *out)
{
    const int height = TOP + (int)b->count * ROW + 30;
    nadi_str_printf(out,
                    "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
                    "font-family=\"sans-serif\" font-size=\"12\">\n"
                    "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
                    "<text x=\"%d\" y=\"22\">bytes of an inference, of direct parallel's; in "
                    "brackets: loss of accuracy</text>\n",
                    WIDTH, height, LEFT);
    for (int mark = 0; mark <= 50; mark += 10) {
        const int x = LEFT + mark * BARS / 50;
        nadi_str_printf(out,
                        "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"#dddddd\"/>"
                        "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%d %%</text>\n",
                        x, TOP - 6, x, height - 24, x, height - 8, mark);
    }
    for (size_t i = 0; i < b->count; i++) {
        const struct nadi_partition_bench_row *r = &b->rows[i];
        const double width = (traffic(r) < 0.55 ? traffic(r) : 0.55) * BARS / 0.5;
        const int y = TOP + (int)i * ROW;
        nadi_str_printf(out,
                        "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s, %u workers</text>"
                        "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"15\" fill=\"#4477aa\"/>"
                        "<text x=\"%.1f\" y=\"%d\">%.1f %% (%.2f %%)</text>\n",
                        LEFT - 8, y + 12, r->net, r->workers, LEFT, y, width, LEFT + width + 6,
                        y + 12, 100 * traffic(r), 100 * (r->base - r->accuracy));
    }
    nadi_str_add(out, "</svg>\n");
}
