#include "compute/kernel.h"

#include "base/compute_models.h"

#include <math.h>

#include "compute/measured.h"
#include "compute/systolic.h"

double nadi_kernel_operand_bytes(enum nadi_precision precision)
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

static double result_bytes(const struct nadi_kernel *k)
{
    return k->output_bytes ? k->output_bytes : 2;
}

static double gemm_bytes(const struct nadi_kernel *k)
{
    const double m = (double)k->m, n = (double)k->n, inner = (double)k->k;
    const double operand = nadi_kernel_operand_bytes(k->precision);
    const double weight = k->weight_bytes > 0 ? k->weight_bytes : operand;
    return (double)k->count * ((m * operand + n * weight) * inner + m * n * result_bytes(k)) +
           k->bytes;
}

/* ---- tiles and waves ----------------------------------------------------------------------- */

struct tile {
    uint32_t m, n;
};

static const struct tile tiles[] = {
    {256, 128}, {128, 256}, {128, 128}, {128, 64}, {64, 128},
    {64, 64},   {64, 32},   {32, 64},   {16, 64},
};

static uint64_t divide_up(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

static double share_of(const struct nadi_device *d, const struct nadi_kernel *k)
{
    return (k->state == NADI_KERNEL_ALONE      ? d->burst
            : k->state == NADI_KERNEL_REPEATED ? d->steady
                                               : d->sustained)[k->precision];
}

/* After its own last run a product's operands and its result lie in the cache if they fit. */
static bool is_cached(const struct nadi_device *d, const struct nadi_kernel *k)
{
    return k->state != NADI_KERNEL_IN_RUN && d->cache_rate > 0 && gemm_bytes(k) <= d->cache_bytes;
}

static double memory_rate(const struct nadi_device *d)
{
    return d->memory_rate * d->memory_efficiency;
}

/* What partial results pass at. */
static double bytes_rate(const struct nadi_device *d, const struct nadi_kernel *k)
{
    return is_cached(d, k) ? d->cache_rate : memory_rate(d);
}

/* Of a product by itself the cache holds what fits, and the rest passes through memory. The matrix
 * units wait for memory now and then although there is more to compute, and memory for them, most
 * where both take as long. Within a run the share `sustained` holds that; from the cache operands
 * come at once. bytes: what passes; units_ns: without it. */
static double beside(const struct nadi_device *d, const struct nadi_kernel *k, double units_ns,
                     double bytes)
{
    if (k->state == NADI_KERNEL_IN_RUN)
        return fmax(units_ns, bytes / memory_rate(d) * 1e9);
    const double own = gemm_bytes(k);
    const double held = is_cached(d, k) ? 1 : d->cache_rate > 0 ? d->cache_bytes / own : 0;
    const double memory_ns = bytes * (1 - held) / memory_rate(d) * 1e9;
    const double cache_ns = held > 0 ? bytes * held / d->cache_rate * 1e9 : 0;
    return fmax(cbrt(pow(units_ns, 3) + pow(memory_ns, 3)), memory_ns + cache_ns);
}

/* Rows of operands that are no multiple of 16 bytes long are loaded in smaller pieces: with cuBLAS
 * 11 a product of 16 bits with odd rows reaches little more than a third ("Matrix Multiplication
 * Background User's Guide", NVIDIA, section 2.1; a vocabulary of 50,257 that is not padded). */
static double aligned_share(const struct nadi_device *d, const struct nadi_kernel *k)
{
    static const double share[] = {0.36, 0.6, 0.85, 1}; /* rows of 2, 4, 8, 16 bytes */
    const uint64_t bytes = k->rows * 2;
    uint32_t level = 0;
    while (level < 3 && bytes % (4u << level) == 0)
        level++;
    return d->aligned_rows || nadi_kernel_operand_bytes(k->precision) < 2 ? 1 : share[level];
}

/* All tiles of a wave end together, so that their results pass through memory at once. `count` of
 * them in so many waves; partial results have 4 bytes. */
static double store_ns(const struct nadi_device *d, const struct nadi_kernel *k,
                       const struct tile *t, bool partial, double count, double waves)
{
    const double bytes = (double)(t->m * t->n) * (partial ? 4 : result_bytes(k));
    if (!d->stores[k->precision])
        return 0;
    const double before = (waves - 1) * d->processors;
    return ((1 - d->store_overlap[k->precision]) * before + (count - before)) * bytes /
           memory_rate(d) * 1e9;
}

static double tile_ns(const struct nadi_device *d, const struct nadi_kernel *k,
                      const struct tile *t, uint32_t split)
{
    const uint64_t count = k->in_turn ? 1 : k->count;
    const uint64_t all = count * divide_up(k->m, t->m) * divide_up(k->n, t->n) * split;
    const double waves = (double)divide_up(all, d->processors);
    const double share = aligned_share(d, k) / d->processors;
    const double flops = peak_of(d, k->precision) * share_of(d, k) * share;
    const double operands = d->operand_rate[k->precision] * share;
    const double inner = (double)divide_up(divide_up(k->k, split), 32) * 32;
    const double work = 2.0 * t->m * t->n / flops * 1e9;
    const double reading = (t->m + t->n) * nadi_kernel_operand_bytes(k->precision) / operands * 1e9;
    const double step = fmax(fmax(work, reading), d->depth_ns[k->precision]);
    double added = 0; /* partial results of 4 bytes, written and read */
    if (split > 1)
        added = 8.0 * (double)(count * k->m * k->n) * (split - 1) / bytes_rate(d, k) * 1e9 +
                d->tile_ns[k->precision];
    return (waves * (inner * step + d->tile_ns[k->precision]) +
            store_ns(d, k, t, split > 1, (double)all, waves) + added) *
           (k->in_turn ? (double)k->count : 1);
}

static double tiles_gemm_ns(const struct nadi_device *d, const struct nadi_kernel *k)
{
    double best = (double)INFINITY, bytes = gemm_bytes(k);
    for (size_t i = 0; i < sizeof(tiles) / sizeof(tiles[0]); i++)
        for (uint32_t split = 1; split <= 16; split *= 2)
            if (split == 1 || k->k / split >= 256)
                best = fmin(best, tile_ns(d, k, &tiles[i], split));
    if (k->across && d->depth_first[k->precision]) /* read and written once more */
        bytes += 2 * (double)k->count * (double)k->n * (double)k->k *
                 nadi_kernel_operand_bytes(k->precision);
    return beside(d, k, best, bytes);
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
    if (!name && !d->kernels)
        return d->array_rows ? &systolic_model : &tiles_model;
    name = name ? name : d->kernels;
    for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++)
        if (strcmp(models[i]->name, name) == 0)
            return models[i];
    return NULL;
}

/* ---- all kernels --------------------------------------------------------------------------- */

double nadi_kernel_attention_bytes(const struct nadi_kernel *k)
{
    const double keys = (double)k->n / (k->readers ? (double)k->readers : 1);
    const double width = k->key_bytes > 0 ? k->key_bytes : 2;
    return (double)k->count * (2 * (double)k->m + width * keys) * (double)(k->k + k->v) *
           (k->backward ? 2 : 1);
}

/* Heads of 128 have 512 FLOPs for each pair of a query and a key, 1280 backward, and one
 * exponential, beside which the backward pass has as many other operations on each score again. */
#define HEAD        128.0
#define HEAD_FLOPS  512.0
#define BACK_SCORES 1.8
#define QUERIES     128.0 /* of a block */
/* Before and after the backward pass: results and their gradients are multiplied (2 + 2 bytes), the
 * queries' gradients set to zero in 4 bytes, then read and rounded (4 + 4 + 2). */
#define BACK_BYTES 14.0

/* The products' part of a score with heads of 128 whose whole time is `whole`; `hidden` is the
 * share of the shorter part that runs beside the longer one. */
static double products_ns(double whole, double scores, double hidden)
{
    const double longer = whole - (1 - hidden) * scores; /* if the products are the longer part */
    return longer >= scores ? longer : fmax(whole - scores, 0) / fmax(1 - hidden, 0.01);
}

/* The share of the products' rate that heads wider than 128 reach: their results fill the
 * registers, so that blocks are smaller and less runs side by side. */
static double wide_share(const struct nadi_device *d, const struct nadi_kernel *k)
{
    const double width = (double)(k->k + k->v) / 2, wider = fmin(fmax(width / HEAD - 1, 0), 1);
    return 1 - (1 - d->attention_wide[k->backward]) * wider;
}

/* A query and a key. `rate`: with heads of 128. */
static double one_score_ns(const struct nadi_device *d, const struct nadi_kernel *k, double rate)
{
    const double whole = HEAD_FLOPS * (k->backward ? 2.5 : 1) / rate * 1e9;
    const double weight = k->backward ? BACK_SCORES : 1, hidden = d->attention_overlap;
    const double all = d->exponential_rate > 0 ? weight / d->exponential_rate * 1e9 : 0;
    const double scores = fmin(all, whole);
    const double products = products_ns(whole, scores, hidden) * 2.0 * (double)(k->k + k->v) /
                            HEAD_FLOPS / wide_share(d, k);
    return products + scores - hidden * fmin(products, scores);
}

static double attention_ns(const struct nadi_compute *c, const struct nadi_kernel *k)
{
    const struct nadi_device *d = c->device;
    const double bytes = nadi_kernel_attention_bytes(k);
    if (c->model->ideal)
        return fmax(nadi_kernel_flops(k) / d->peak[NADI_BF16], bytes / d->memory_rate) * 1e9;
    const double rate = d->attention_rate[k->backward];
    const double native = one_score_ns(d, k, rate);
    const double each = k->portable ? one_score_ns(d, k, rate * d->attention_portable) : native;
    const double edge = k->share < 1 ? fmin(QUERIES, (double)k->m) / 2 : 0;
    const double keys = fmin((double)k->n * k->share + edge, (double)k->n);
    const double ns = (double)(k->count * k->m) * (keys * each + d->attention_ramp * native);
    const double beside = k->backward ? BACK_BYTES * (double)(k->count * k->m * k->k) : 0;
    const double memory = d->memory_rate * d->memory_efficiency;
    return fmax(ns, bytes / memory * 1e9) + beside / memory * 1e9;
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
