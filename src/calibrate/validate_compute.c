#include "calibrate/validate_compute.h"
#include "base/file.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <math.h>

#include "base/mem.h"
#include "base/time.h"
#include "compute/kernel.h"
#include "format/csv_read.h"

struct reader {
    struct nadi_validate_compute *v;
    struct nadi_csv_table csv;
    const char *file;
    uint32_t row;
};

static const char *field(const struct reader *r, const char *column)
{
    return nadi_csv_field(&r->csv, r->row, nadi_csv_column(&r->csv, column));
}

static const char *first_field(const struct reader *r, const char *const *columns)
{
    for (; *columns; columns++)
        if (*field(r, *columns))
            return field(r, *columns);
    return "";
}

static double number(const struct reader *r, const char *column)
{
    double value;
    return nadi_str_to_double(field(r, column), &value) && isfinite(value) && value > 0 ? value : 0;
}

/* ---- what a row is about --------------------------------------------------------------------- */

static const char *device_name(const char *text)
{
    static const struct {
        const char *word, *name;
    } known[] = {
        {"GB300", "gb300"},         {"sm_103", "gb300"},       {"GB200", "gb200"},
        {"B300", "b300"},           {"B200", "b200"},          {"H200", "h200-sxm"},
        {"H100 PCIe", "h100-pcie"}, {"H100", "h100-sxm"},      {"sm_90", "h100-sxm"},
        {"A100 PCIe", NULL},        {"A100", "a100-sxm-80gb"}, {"MI300X", "mi300x"},
        {"MI325X", "mi325x"},       {"MI250X", "mi250x"},      {"V100", "v100-sxm2-32gb"},
    };
    if (strstr(text, "GH200")) /* as one die, it is an H100 */
        return "h100-sxm";
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (strstr(text, known[i].word))
            return known[i].name;
    return NULL;
}

static bool precision_of(const char *text, enum nadi_precision *precision)
{
    char word[24] = "";
    for (size_t i = 0; text[i] && i + 1 < sizeof(word); i++)
        word[i] = (char)tolower((unsigned char)text[i]);
    *precision = strstr(word, "fp4") || strstr(word, "f4")                       ? NADI_FP4
                 : nadi_str_starts(word, "f8") || nadi_str_starts(word, "fp8")   ? NADI_FP8
                 : nadi_str_starts(word, "bf16")                                 ? NADI_BF16
                 : nadi_str_starts(word, "fp16") || nadi_str_starts(word, "f16") ? NADI_FP16
                 : nadi_str_starts(word, "f32") || nadi_str_starts(word, "tf32") ? NADI_TF32
                                                                                 : NADI_PRECISIONS;
    return *precision != NADI_PRECISIONS;
}

static void add(struct reader *r, const char *label, const char *system, double measured_us,
                double predicted_us, const char *left_out)
{
    struct nadi_validate_compute *v = r->v;
    const struct nadi_compute_row row = {
        .file = r->file,
        .line = r->csv.lines[r->row],
        .label = label,
        .system = system,
        .measured_us = measured_us,
        .predicted_us = predicted_us,
        .error = predicted_us / measured_us - 1,
        .left_out = left_out,
    };
    if (v->count == v->capacity)
        v->rows = nadi_mem_grow(v->rows, &v->capacity, v->count + 1, sizeof(*v->rows));
    v->rows[v->count++] = row;
}

static bool open_device(struct reader *r, struct nadi_device *d, const char *what)
{
    static const char *const columns[] = {"device_key", "gpu", "accelerator", "device", NULL};
    const char *text = first_field(r, columns), *name = device_name(text);
    struct nadi_diags own;
    nadi_diags_init(&own);
    const bool ok = name && nadi_device_open(d, name, &r->v->arena, &own);
    if (!ok)
        add(r, nadi_arena_printf(&r->v->arena, "%s, %s", text, what), "", 1, 1,
            "the device is not in the catalogue");
    nadi_diags_release(&own);
    return ok;
}

/* ---- products ------------------------------------------------------------------------------ */

static double measured_us(const struct reader *r, double flops)
{
    static const char *const times[] = {"time_us", "derived_time_us", NULL};
    for (const char *const *c = times; *c; c++)
        if (number(r, *c) > 0)
            return number(r, *c);
    const double tflops = number(r, "TFLOPS") > 0 ? number(r, "TFLOPS") : number(r, "MAMF_TFLOPS");
    return tflops > 0 ? flops / tflops / 1e6 : 0;
}

/* Timed by itself, not within a step: at the rate of bursts. */
static void product(struct reader *r, double b, double m, double n, double k)
{
    static const char *const types[] = {"dtype", "dtypes", "precision", NULL};
    const char *type = first_field(r, types);
    struct nadi_device d;
    struct nadi_kernel kernel = {.kind = NADI_KERNEL_GEMM, .alone = true};
    const double us = measured_us(r, 2 * b * m * n * k);
    if (!(us > 0) || !(m * n * k > 0) || m > 1e9 || n > 1e9 || k > 1e9 ||
        !open_device(r, &d, "products"))
        return;
    const char *label =
        nadi_arena_printf(&r->v->arena, "%s %.0f x %.0f x %.0f x %.0f", type, b, m, n, k);
    const char *system = nadi_arena_printf(&r->v->arena, "%s, products", d.name);
    if (!precision_of(type, &kernel.precision) || !(d.peak[kernel.precision] > 0)) {
        add(r, label, system, 1, 1, "the device has no such precision");
        return;
    }
    kernel.count = nadi_count_trunc(b);
    kernel.m = nadi_count_trunc(m);
    kernel.n = nadi_count_trunc(n);
    kernel.k = nadi_count_trunc(k);
    kernel.output_bytes = kernel.precision == NADI_TF32 ? 4 : 2;
    const struct nadi_compute c = {.device = &d, .model = nadi_compute_model_find(&d, NULL)};
    add(r, label, system, us, nadi_kernel_ns(&c, &kernel) / 1e3, NULL);
}

/* "4096x8192x1024" */
static bool read_shape(const char *text, double shape[3])
{
    for (int i = 0; i < 3 && text; i++) {
        text = nadi_str_take_double(text, &shape[i]);
        if (text && (*text != (i < 2 ? 'x' : '\0') || !(shape[i] >= 1)))
            return false;
        text += text != NULL;
    }
    return text;
}

static void product_row(struct reader *r)
{
    double shape[3];
    if (read_shape(field(r, "best_shape_MxNxK"), shape)) {
        product(r, 1, shape[0], shape[1], shape[2]);
        return;
    }
    const double b = number(r, "b") > 0 ? number(r, "b") : 1;
    product(r, b, number(r, "m"), number(r, "n"), number(r, "k"));
}

/* ---- attention ----------------------------------------------------------------------------- */

static void attention_row(struct reader *r)
{
    const char *pass = field(r, "pass"), *impl = field(r, "impl");
    const double sequence = number(r, "seq_len"), width = number(r, "head_dim");
    const double tflops = number(r, "TFLOPS"), tokens = 16384, hidden = 2048;
    struct nadi_device d;
    if ((!strstr(impl, "FlashAttention-2") && !strstr(impl, "FlashAttention-3")) || !(tflops > 0) ||
        !(sequence > 0) || !(width > 0) || !open_device(r, &d, "attention"))
        return;
    const bool causal = number(r, "causal") > 0;
    const char *system = nadi_arena_printf(&r->v->arena, "%s, attention", d.name);
    const char *label = nadi_arena_printf(&r->v->arena, "%s %s, %.0f x %.0f%s", impl, pass,
                                          sequence, width, causal ? ", causal" : "");
    struct nadi_kernel kernel = {
        .kind = NADI_KERNEL_ATTENTION,
        .precision = NADI_BF16,
        .count = nadi_count_trunc(fmax(tokens / sequence * hidden / width, 1)),
        .m = nadi_count_trunc(sequence),
        .n = nadi_count_trunc(sequence),
        .k = nadi_count_trunc(width),
        .v = nadi_count_trunc(width),
        .share = causal ? 0.5 : 1,
        .portable = strstr(impl, "-2") && strstr(d.name, "H100"), /* written for A100 */
    };
    const struct nadi_compute c = {.device = &d, .model = nadi_compute_model_find(&d, NULL)};
    const bool forward = strstr(pass, "fwd") || !*pass, backward = strstr(pass, "bwd") != NULL;
    double ns = 0, flops = 4 * sequence * sequence * width * (double)kernel.count * kernel.share;
    flops *= (forward ? 1 : 0) + (backward ? 2.5 : 0);
    if (forward)
        ns += nadi_kernel_ns(&c, &kernel);
    kernel.backward = true;
    if (backward)
        ns += nadi_kernel_ns(&c, &kernel);
    add(r, label, system, flops / tflops / 1e6, ns / 1e3, NULL);
}

/* ---- files --------------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void read_file(struct nadi_validate_compute *v, const char *path, struct nadi_diags *diags)
{
    struct reader r = {.v = v, .file = nadi_file_name(path)};
    const bool ok = nadi_csv_read(&r.csv, path, "table", diags);
    const bool products =
        ok &&
        (nadi_csv_column(&r.csv, "best_shape_MxNxK") != NADI_NONE ||
         (nadi_csv_column(&r.csv, "m") != NADI_NONE && nadi_csv_column(&r.csv, "k") != NADI_NONE));
    const bool attention = ok && nadi_csv_column(&r.csv, "seq_len") != NADI_NONE;
    for (r.row = 0; ok && r.row < r.csv.row_count; r.row++) {
        if (products)
            product_row(&r);
        else if (attention)
            attention_row(&r);
    }
    nadi_csv_release(&r.csv);
}

bool nadi_validate_compute(struct nadi_validate_compute *v, const char *folder,
                           struct nadi_diags *diags)
{
    char **names = NULL;
    size_t count = 0, capacity = 0;
    *v = (struct nadi_validate_compute){.rows = NULL};
    nadi_arena_init(&v->arena);
    DIR *dir = opendir(folder);
    if (!dir)
        return nadi_error(diags, "validate/folder", NADI_IN_FILE(folder),
                          "give the folder that holds the measured tables",
                          "cannot open the folder: %s", strerror(errno));
    struct nadi_hold *hold = nadi_hold_folder(dir);
    for (const struct dirent *e; (e = readdir(dir));) {
        if (!nadi_str_ends(e->d_name, ".csv"))
            continue;
        if (count == capacity)
            names = nadi_mem_grow(names, &capacity, count + 1, sizeof(*names));
        names[count++] = nadi_arena_printf(&v->arena, "%s/%s", folder, e->d_name);
    }
    nadi_unhold(hold);
    closedir(dir);
    if (count)
        qsort(names, count, sizeof(*names), by_name);
    for (size_t i = 0; i < count; i++)
        read_file(v, names[i], diags);
    nadi_mem_free(names);
    if (diags->errors)
        return false;
    if (v->count == 0)
        return nadi_error(diags, "validate/folder", NADI_IN_FILE(folder),
                          "columns m, n, k with TFLOPS or time_us, or seq_len, head_dim, TFLOPS",
                          "the folder holds no table of products or attention");
    return true;
}

void nadi_validate_compute_release(struct nadi_validate_compute *v)
{
    nadi_mem_free(v->rows);
    nadi_arena_release(&v->arena);
    *v = (struct nadi_validate_compute){.rows = NULL};
}
