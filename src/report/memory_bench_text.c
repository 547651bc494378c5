/* memory_bench_text: `nadi memory bench` as text, JSON and CSV. */
#include "explore/memory_bench.h"

#include "base/units.h"
#include "format/json_write.h"

/* GB/s of 10^9 bytes of all together; one NPU's, alone until it has ended. */
static double rate_of(const struct nadi_memory_bench_row *r)
{
    return r->last_ns > 0 ? (double)r->bytes * r->npus / (double)r->last_ns : 0;
}

static double npu_rate_of(const struct nadi_memory_bench_row *r)
{
    return r->mean_ns > 0 ? (double)r->bytes / r->mean_ns : 0;
}

void nadi_memory_bench_text(const struct nadi_memory_bench *b, struct nadi_str *out)
{
    for (size_t i = 0; i < b->count; i++) {
        const struct nadi_memory_bench_row *r = &b->items[i];
        char bytes[32], first[32], last[32], mean[32];
        if (i == 0 || r->npus != r[-1].npus)
            nadi_str_printf(
                out,
                "%s%u NPU%s %s at once\n\n  %10s  %11s  %11s  %11s  %10s  %10s\n  %10s  "
                "%11s  %11s  %11s  %10s  %10s\n",
                i ? "\n" : "", r->npus, r->npus == 1 ? "" : "s", b->store ? "store" : "load",
                "each", "first", "mean", "last", "an NPU", "together", "", "", "", "", "GB/s",
                "GB/s");
        nadi_str_printf(out, "  %10s  %11s  %11s  %11s  %10.4g  %10.4g\n",
                        nadi_units_bytes(bytes, (double)r->bytes),
                        nadi_units_time(first, (double)r->first_ns),
                        nadi_units_time(mean, r->mean_ns),
                        nadi_units_time(last, (double)r->last_ns), npu_rate_of(r), rate_of(r));
    }
}

void nadi_memory_bench_json(const struct nadi_memory_bench *b, struct nadi_str *out)
{
    struct nadi_json j;
    nadi_json_begin(&j, out);
    nadi_json_object(&j, NULL);
    nadi_json_string(&j, "direction", b->store ? "store" : "load");
    nadi_json_array(&j, "rows");
    for (size_t i = 0; i < b->count; i++) {
        const struct nadi_memory_bench_row *r = &b->items[i];
        nadi_json_row(&j, NULL);
        nadi_json_u64(&j, "npus", r->npus);
        nadi_json_u64(&j, "bytes", r->bytes);
        nadi_json_u64(&j, "first_ns", r->first_ns);
        nadi_json_double(&j, "mean_ns", r->mean_ns);
        nadi_json_u64(&j, "last_ns", r->last_ns);
        nadi_json_double(&j, "npu_gbps", npu_rate_of(r));
        nadi_json_double(&j, "together_gbps", rate_of(r));
        nadi_json_close(&j);
    }
    nadi_json_close(&j);
    nadi_json_close(&j);
    nadi_json_finish(&j);
}

void nadi_memory_bench_csv(const struct nadi_memory_bench *b, struct nadi_str *out)
{
    nadi_str_add(out, "direction,npus,bytes,first_ns,mean_ns,last_ns,npu_gbps,together_gbps\n");
    for (size_t i = 0; i < b->count; i++) {
        const struct nadi_memory_bench_row *r = &b->items[i];
        nadi_str_printf(out, "%s,%u,%" PRIu64 ",%" PRIu64 ",%.1f,%" PRIu64 ",%.6g,%.6g\n",
                        b->store ? "store" : "load", r->npus, r->bytes, r->first_ns, r->mean_ns,
                        r->last_ns, npu_rate_of(r), rate_of(r));
    }
}
