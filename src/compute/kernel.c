#include "compute/kernel.h"

#include "base/compute_models.h"

#include <math.h>

#include "compute/measured.h"
#include "compute/systolic.h"

static double operand_bytes(enum nadi_precision precision)
{
    switch (precision) {
    case NADI_FP4:
        return 0.5;
    case NADI_FP8:
        return 1;
    case NADI_BF16:
    case NADI_FP16:
        return 2;
    case NADI_TF32:
    case NADI_FP32:
    case NADI_PRECISIONS:
        break;
    }
    return 4;
}

static double peak_of(const struct nadi_device *d, enum nadi_precision precision)
{
    return d->peak[precision] > 0 ? d->peak[precision] : d->peak[NADI_BF16];
}

static double products(const struct nadi_kernel *k)
{
    return 2.0 * (double)k->count * (double)k->m * (double)k->n;
}

double nadi_kernel_flops(const struct nadi_kernel *k)
{
    if (k->kind == NADI_KERNEL_GEMM)
        return products(k) * (double)k->k;
    if (k->kind == NADI_KERNEL_ATTENTION)
        return products(k) * (double)(k->k + k->v) * k->share * (k->backward ? 2.5 : 1);
    return 0;
}

static double gemm_bytes(const struct nadi_kernel *k)
{
    const double m = (double)k->m, n = (double)k->n, inner = (double)k->k;
    const double output = k->output_bytes ? k->output_bytes : 2;
    return (double)k->count * ((m + n) * inner * operand_bytes(k->precision) + m * n * output) +
           k->bytes;
}

/* ---- tiles and waves ----------------------------------------------------------------------- */

struct tile {
    uint32_t m, n;
    double reach; /* of the sustained rate */
};

/* Reads a FLOP falls with the tile's width: 2 (m + n) / (m n) operands. */
static const struct tile tiles[] = {
    {256, 128, 1.0}, {128, 256, 1.0}, {128, 128, 0.97}, {128, 64, 0.88}, {64, 128, 0.88},
    {64, 64, 0.72},  {64, 32, 0.5},   {32, 64, 0.5},    {16, 64, 0.3},
};

static uint64_t divide_up(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

static double tile_ns(const struct nadi_device *d, const struct nadi_kernel *k,
                      const struct tile *t, uint32_t split)
{
    const uint64_t count = k->in_turn ? 1 : k->count;
    const uint64_t all = count * divide_up(k->m, t->m) * divide_up(k->n, t->n) * split;
    const double waves = (double)divide_up(all, d->processors);
    const double share = (k->alone ? d->burst : d->sustained)[k->precision];
    const double rate = peak_of(d, k->precision) * share * t->reach / d->processors;
    const double inner = (double)divide_up(divide_up(k->k, split), 32) * 32;
    const double one = 2.0 * t->m * t->n * inner / rate * 1e9 + d->tile_ns;
    double added = 0; /* partial results of 4 bytes, written and read */
    if (split > 1)
        added = 8.0 * (double)(count * k->m * k->n) * (split - 1) /
                (d->memory_rate * d->memory_efficiency) * 1e9;
    return (waves * one + added) * (k->in_turn ? (double)k->count : 1);
}

static double tiles_gemm_ns(const struct nadi_device *d, const struct nadi_kernel *k)
{
    double best = (double)INFINITY;
    for (size_t i = 0; i < sizeof(tiles) / sizeof(tiles[0]); i++)
        for (uint32_t split = 1; split <= 16; split *= 2)
            if (split == 1 || k->k / split >= 256)
                best = fmin(best, tile_ns(d, k, &tiles[i], split));
    return fmax(best, gemm_bytes(k) / (d->memory_rate * d->memory_efficiency) * 1e9);
}

/* ---- the other models ---------------------------------------------------------------------- */

static double roofline_gemm_ns(const struct nadi_device *d, const struct nadi_kernel *k)
{
    return fmax(nadi_kernel_flops(k) / peak_of(d, k->precision), gemm_bytes(k) / d->memory_rate) *
           1e9;
}

/* The device's matrix units share the columns of the product. */
static double systolic_gemm_ns(const struct nadi_device *d, const struct nadi_kernel *k)
{
    const uint64_t units = d->processors;
    const bool by_count = k->count >= units && !k->in_turn;
    const struct nadi_systolic_run run =
        nadi_systolic(d->array_rows, d->array_columns, d->dataflow, k->m,
                      by_count ? k->n : divide_up(k->n, units), k->k);
    const double rounds = (double)(by_count ? divide_up(k->count, units) : k->count);
    const double cycles = (double)run.cycles * rounds;
    return fmax(cycles / d->clock_hz / d->sustained[k->precision],
                gemm_bytes(k) / (d->memory_rate * d->memory_efficiency)) *
           1e9;
}

static const struct nadi_compute_model roofline_model = {
    .name = "roofline",
    .summary = "FLOPs at the peak or bytes at the full bandwidth, whichever takes longer",
    .gemm_ns = roofline_gemm_ns,
    .ideal = true,
};

static const struct nadi_compute_model tiles_model = {
    .name = "tiles",
    .summary = "products by tiles and waves, fused attention, the rest by bytes",
    .gemm_ns = tiles_gemm_ns,
};

static const struct nadi_compute_model systolic_model = {
    .name = "systolic",
    .summary = "products by the cycles of a systolic array, the rest as in tiles",
    .gemm_ns = systolic_gemm_ns,
    .needs_array = true,
};

#define ROW(name) &name##_model,
static const struct nadi_compute_model *const models[] = {NADI_COMPUTE_MODELS(ROW)};
#undef ROW

const struct nadi_compute_model *nadi_compute_model_find(const struct nadi_device *d,
                                                         const char *name)
{
    if (!name)
        return d->array_rows ? &systolic_model : &tiles_model;
    for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++)
        if (strcmp(models[i]->name, name) == 0)
            return models[i];
    return NULL;
}

/* ---- all kernels --------------------------------------------------------------------------- */

double nadi_kernel_attention_bytes(const struct nadi_kernel *k)
{
    const double keys = (double)k->n / (k->readers ? (double)k->readers : 1);
    return 2.0 * (double)k->count * ((double)k->m + keys) * (double)(k->k + k->v) *
           (k->backward ? 2 : 1);
}

static double attention_ns(const struct nadi_compute *c, const struct nadi_kernel *k)
{
    const struct nadi_device *d = c->device;
    const double bytes = nadi_kernel_attention_bytes(k);
    if (c->model->ideal)
        return fmax(nadi_kernel_flops(k) / d->peak[NADI_BF16], bytes / d->memory_rate) * 1e9;
    const double n = (double)k->n, rate = d->attention_rate[k->backward] * n /
                                          (n + d->attention_ramp) *
                                          (k->portable ? d->attention_portable : 1);
    return fmax(nadi_kernel_flops(k) / rate, bytes / (d->memory_rate * d->memory_efficiency)) * 1e9;
}

double nadi_kernel_ns(const struct nadi_compute *c, const struct nadi_kernel *k)
{
    const struct nadi_device *d = c->device;
    double ns;
    if (c->measured && k->kind == NADI_KERNEL_GEMM && nadi_measured_ns(c->measured, k, &ns))
        return ns;
    if (k->kind == NADI_KERNEL_STREAM) {
        if (!(k->bytes > 0))
            return 0;
        ns = k->bytes / (d->memory_rate * (c->model->ideal ? 1 : d->memory_efficiency)) * 1e9;
    } else if (k->kind == NADI_KERNEL_GEMM) {
        ns = c->model->gemm_ns(d, k);
    } else {
        ns = attention_ns(c, k);
    }
    const bool each = k->kind == NADI_KERNEL_GEMM && k->in_turn;
    return ns + (c->model->ideal ? 0 : d->launch_ns * (each ? (double)k->count : 1));
}
