#include "calibrate/fit_kernels.h"

#include <stddef.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "calibrate/kernel_rows.h"
#include "format/embedded.h"

enum need { /* of a figure: rows that depend on it */
            NEED_PRODUCT,
            NEED_ATTENTION,
            NEED_ANY
};

/* A precision or a state of the device; NADI_NONE: any. */
static const struct known {
    const char *key, *unit;
    size_t offset;
    double scale, low, high, spread;
    enum need need;
    uint32_t precision, state;
} known[] = {
#define PLACE(member, index) offsetof(struct nadi_device, member) + (index) * sizeof(double)
#define SHARE(key, member, precision, state)                                                       \
    {                                                                                              \
        key, "", PLACE(member, precision), 1, 0.05, 1.2, 1.25, NEED_PRODUCT, precision, state      \
    }
    SHARE("sustained", sustained, NADI_BF16, NADI_KERNEL_IN_RUN),
    SHARE("sustained-narrow", sustained, NADI_FP8, NADI_KERNEL_IN_RUN),
    SHARE("sustained-4bit", sustained, NADI_FP4, NADI_KERNEL_IN_RUN),
    SHARE("burst", burst, NADI_BF16, NADI_KERNEL_ALONE),
    SHARE("burst-narrow", burst, NADI_FP8, NADI_KERNEL_ALONE),
    SHARE("burst-4bit", burst, NADI_FP4, NADI_KERNEL_ALONE),
    SHARE("burst-tf32", burst, NADI_TF32, NADI_KERNEL_ALONE),
    SHARE("steady", steady, NADI_BF16, NADI_KERNEL_REPEATED),
    SHARE("steady-narrow", steady, NADI_FP8, NADI_KERNEL_REPEATED),
    SHARE("steady-4bit", steady, NADI_FP4, NADI_KERNEL_REPEATED),
    SHARE("steady-tf32", steady, NADI_TF32, NADI_KERNEL_REPEATED),
    {"launch", "ns", PLACE(launch_ns, 0), 1, 200, 1e5, 1.5, NEED_ANY, NADI_NONE, NADI_NONE},
    {"tile", "ns", PLACE(tile_ns, NADI_BF16), 1, 1, 1e5, 2, NEED_PRODUCT, NADI_BF16, NADI_NONE},
    {"tile-narrow", "ns", PLACE(tile_ns, NADI_FP8), 1, 1, 1e5, 2, NEED_PRODUCT, NADI_FP8,
     NADI_NONE},
    {"tile-tf32", "ns", PLACE(tile_ns, NADI_TF32), 1, 1, 1e5, 2, NEED_PRODUCT, NADI_TF32,
     NADI_NONE},
    {"store-overlap", "", PLACE(store_overlap, NADI_BF16), 1, 0.05, 1, 1.5, NEED_PRODUCT, NADI_BF16,
     NADI_NONE},
    {"store-overlap-narrow", "", PLACE(store_overlap, NADI_FP8), 1, 0.05, 1, 1.5, NEED_PRODUCT,
     NADI_FP8, NADI_NONE},
    {"store-overlap-tf32", "", PLACE(store_overlap, NADI_TF32), 1, 0.05, 1, 1.5, NEED_PRODUCT,
     NADI_TF32, NADI_NONE},
    {"operand-bandwidth", "GB/s", PLACE(operand_rate, NADI_BF16), 1e9, 1e11, 1e15, 1.5,
     NEED_PRODUCT, NADI_NONE, NADI_NONE},
    {"operand-bandwidth-tf32", "GB/s", PLACE(operand_rate, NADI_TF32), 1e9, 1e11, 1e15, 1.5,
     NEED_PRODUCT, NADI_TF32, NADI_NONE},
    {"depth-time", "ns", PLACE(depth_ns, NADI_BF16), 1, 1e-3, 100, 2, NEED_PRODUCT, NADI_NONE,
     NADI_NONE},
    {"depth-time-tf32", "ns", PLACE(depth_ns, NADI_TF32), 1, 1e-3, 100, 2, NEED_PRODUCT, NADI_TF32,
     NADI_NONE},
    {"cache-bandwidth", "GB/s", PLACE(cache_rate, 0), 1e9, 1e11, 1e14, 1.3, NEED_PRODUCT, NADI_NONE,
     NADI_NONE},
    {"memory-efficiency", "", PLACE(memory_efficiency, 0), 1, 0.2, 1, 1.1, NEED_ANY, NADI_NONE,
     NADI_NONE},
    {"attention", "TFLOP/s", PLACE(attention_rate, 0), 1e12, 1e12, 1e17, 1.25, NEED_ATTENTION,
     NADI_NONE, NADI_NONE},
    {"attention-backward", "TFLOP/s", PLACE(attention_rate, 1), 1e12, 1e12, 1e17, 1.25,
     NEED_ATTENTION, NADI_NONE, NADI_NONE},
    {"exponentials", "1e12/s", PLACE(exponential_rate, 0), 1e12, 1e10, 1e16, 1.15, NEED_ATTENTION,
     NADI_NONE, NADI_NONE},
    {"attention-wide", "", PLACE(attention_wide, 0), 1, 0.1, 1, 1.5, NEED_ATTENTION, NADI_NONE,
     NADI_NONE},
    {"attention-wide-backward", "", PLACE(attention_wide, 1), 1, 0.1, 1, 1.5, NEED_ATTENTION,
     NADI_NONE, NADI_NONE},
    {"attention-ramp", "keys", PLACE(attention_ramp, 0), 1, 1, 1e5, 1.5, NEED_ATTENTION, NADI_NONE,
     NADI_NONE},
};
enum { KNOWN = sizeof(known) / sizeof(known[0]) };

struct context {
    struct nadi_kernel_rows rows;
    const char *device;
};

static bool is_needed(const struct known *k, const struct nadi_kernel_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++) {
        const struct nadi_kernel *kernel = &rows->items[i].kernel;
        const bool product = kernel->kind == NADI_KERNEL_GEMM;
        const uint32_t precision = kernel->precision == NADI_FP16 || kernel->precision == NADI_FP32
                                       ? (uint32_t)NADI_BF16
                                       : (uint32_t)kernel->precision;
        if (rows->items[i].left_out || (k->need == NEED_PRODUCT && !product) ||
            (k->need == NEED_ATTENTION && product))
            continue;
        if ((k->precision == NADI_NONE || k->precision == precision) &&
            (k->state == NADI_NONE || k->state == (uint32_t)kernel->state))
            return true;
    }
    return false;
}

static bool predict(void *context, const struct nadi_doc_changes *changes, const bool *wanted,
                    double *times, struct nadi_diags *diags)
{
    const struct context *c = context;
    struct nadi_arena arena;
    struct nadi_device d;
    nadi_arena_init(&arena);
    const bool ok = nadi_device_open_changed(&d, c->device, changes, &arena, diags);
    for (size_t i = 0; i < c->rows.count && ok; i++)
        if (!wanted || wanted[i])
            times[i] = nadi_kernel_row_us(&c->rows.items[i], &d);
    nadi_arena_release(&arena);
    return ok;
}

/* Those that can be predicted, all of one device. */
static bool keep_rows(struct nadi_kernel_rows *rows, const char **device, struct nadi_diags *diags)
{
    size_t kept = 0;
    *device = NULL;
    for (size_t i = 0; i < rows->count; i++) {
        const struct nadi_kernel_row *row = &rows->items[i];
        struct nadi_place place = NADI_IN_FILE(row->file);
        place.line = row->line;
        if (row->left_out) {
            nadi_warning(diags, "fit/row", place, NULL, "left out: %s", row->left_out);
            continue;
        }
        if (*device && strcmp(*device, row->device_name) != 0)
            return nadi_error(diags, "fit/device", place, "fit one device at a time",
                              "the rows are of different devices: '%s' and '%s'", *device,
                              row->device_name);
        *device = row->device_name;
        rows->items[kept++] = *row;
    }
    rows->count = kept;
    return kept > 0 || nadi_error(diags, "fit/rows", NADI_NOWHERE,
                                  "columns m, n, k, precision and time_us or TFLOPS; device, or "
                                  "--device; or seq_len, head_dim, causal, pass and time_us",
                                  "no row can be fitted");
}

static void add_figures(struct nadi_figure_fit *fit, const struct context *c,
                        const struct nadi_device *d)
{
    struct nadi_figures *f = &fit->figures;
    f->items = NADI_ARENA_NEW(&fit->arena, struct nadi_figure, KNOWN);
    for (size_t i = 0; i < KNOWN; i++) {
        double value;
        memcpy(&value, (const char *)d + known[i].offset, sizeof(value));
        if (value > 0 && is_needed(&known[i], &c->rows))
            f->items[f->count++] = (struct nadi_figure){.of = "device",
                                                        .path = known[i].key,
                                                        .unit = known[i].unit,
                                                        .scale = known[i].scale,
                                                        .prior = value,
                                                        .low = known[i].low,
                                                        .high = known[i].high,
                                                        .spread = known[i].spread};
    }
}

bool nadi_fit_kernels_run(struct nadi_figure_fit *fit, const char *const *files, size_t count,
                          const char *device, struct nadi_diags *diags)
{
    struct context c;
    struct nadi_device d;
    *fit = (struct nadi_figure_fit){.device = NULL};
    nadi_arena_init(&fit->arena);
    nadi_kernel_rows_init(&c.rows);
    bool ok = true;
    for (size_t i = 0; i < count && ok; i++)
        ok = nadi_kernel_rows_read(&c.rows, files[i], device, diags);
    ok = ok && keep_rows(&c.rows, &c.device, diags) &&
         nadi_device_open(&d, c.device, &fit->arena, diags);
    if (ok) {
        double *measured = NADI_ARENA_NEW(&fit->arena, double, c.rows.count);
        for (size_t i = 0; i < c.rows.count; i++)
            measured[i] = c.rows.items[i].measured_us;
        fit->device = nadi_arena_strdup(&fit->arena, c.device);
        fit->what = nadi_arena_printf(&fit->arena, "kernels on %s", d.name);
        fit->figures = (struct nadi_figures){.rows = c.rows.count,
                                             .measured = measured,
                                             .predict = predict,
                                             .context = &c,
                                             .arena = &fit->arena};
        add_figures(fit, &c, &d);
        ok = nadi_figures_fit(&fit->figures, diags);
    }
    nadi_kernel_rows_release(&c.rows);
    return ok;
}

void nadi_figure_fit_release(struct nadi_figure_fit *fit)
{
    nadi_arena_release(&fit->arena);
    *fit = (struct nadi_figure_fit){.device = NULL};
}

/* ---- files --------------------------------------------------------------------------------- */

static bool write_one(const struct nadi_figure_fit *fit, const char *of, const char *catalogue,
                      const char *name, const char *path, struct nadi_diags *diags)
{
    const struct nadi_embedded *inside = nadi_embedded_find(catalogue, name);
    struct nadi_str text = NADI_STR_INIT;
    char *base = NULL;
    size_t bytes;
    if (!inside && !nadi_file_read(name, of, &base, &bytes, diags))
        return false;
    nadi_figures_write(&fit->figures, of, inside ? (const char *)inside->text : base,
                       strcmp(of, "cluster") == 0 ? "./device.yaml" : NULL, &text);
    const bool ok = nadi_file_write(path, nadi_str_get(&text), text.length, diags);
    nadi_str_release(&text);
    nadi_mem_free(base);
    return ok;
}

bool nadi_figure_fit_write(const struct nadi_figure_fit *fit, const char *folder,
                           struct nadi_diags *diags)
{
    struct nadi_str path = NADI_STR_INIT;
    if (fit->figures.useless)
        return nadi_error(diags, "fit/useless", NADI_IN_FILE(folder),
                          "without --out the figures are shown",
                          "not written: the measurements say nothing of %s", fit->device);
    nadi_str_printf(&path, "%s/device.yaml", folder);
    bool ok = nadi_file_make_folder(folder, diags) &&
              write_one(fit, "device", "devices", fit->device, nadi_str_get(&path), diags);
    if (ok && fit->cluster) {
        nadi_str_clear(&path);
        nadi_str_printf(&path, "%s/cluster.yaml", folder);
        ok = write_one(fit, "cluster", "clusters", fit->cluster, nadi_str_get(&path), diags);
    }
    nadi_str_release(&path);
    return ok;
}
