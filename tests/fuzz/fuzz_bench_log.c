/* Any bytes as a benchmark's output: an error with a line, or tables of rows that can be fitted. */
#include "calibrate/bench_log.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct nadi_diags diags;
    struct nadi_bench_log log;
    const struct nadi_bench_known known = {.kind = NADI_COMM_ALL_REDUCE, .ranks = 8};
    nadi_diags_init(&diags);
    nadi_bench_log_init(&log);
    const bool ok = nadi_bench_log_parse(&log, "fuzz.log", (const char *)data, size,
                                         size % 2 ? &known : NULL, &diags);
    NADI_ASSERT(ok == (diags.errors == 0));
    for (size_t t = 0; ok && t < log.count; t++) {
        NADI_ASSERT(log.tables[t].kind && log.tables[t].ranks > 1 && log.tables[t].count > 0);
        for (size_t i = 0; i < log.tables[t].count; i++)
            NADI_ASSERT(log.tables[t].rows[i].time_us > 0 && log.tables[t].rows[i].bytes > 0);
    }
    nadi_bench_log_release(&log);
    nadi_diags_release(&diags);
    return 0;
}
