#include "compute/systolic.h"

static uint64_t divide_up(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

struct nadi_systolic_run nadi_systolic(uint64_t rows, uint64_t columns, enum nadi_dataflow dataflow,
                                       uint64_t m, uint64_t n, uint64_t k)
{
    const bool output = dataflow == NADI_OUTPUT_STATIONARY;
    const bool input = dataflow == NADI_INPUT_STATIONARY;
    const uint64_t down = output ? m : k;
    const uint64_t across = input ? m : n;
    const uint64_t time = output ? k : input ? n : m;
    const uint64_t row_folds = divide_up(down, rows), column_folds = divide_up(across, columns);
    struct nadi_systolic_run r = {
        .folds = row_folds * column_folds,
        .input_reads = m * k,
        .weight_reads = k * n,
        .output_writes = m * n,
    };
    r.cycles = r.folds * (2 * rows + columns + time - 2);
    if (output || dataflow == NADI_WEIGHT_STATIONARY)
        r.input_reads *= column_folds;
    if (output)
        r.weight_reads *= row_folds;
    if (input)
        r.weight_reads *= column_folds;
    if (!output) {
        r.output_reads = m * n * (row_folds - 1);
        r.output_writes *= row_folds;
    }
    const double cells = (double)rows * (double)columns;
    r.mapping = (double)down * (double)across / (cells * (double)r.folds);
    r.utilisation = (double)m * (double)n * (double)k / (cells * (double)r.cycles);
    return r;
}
