/* kernel_rows: measured kernels of a folder or a file: matrix products and fused attention, each
 * with its device, its shape and its time, or the reason why it is left out.
 *
 * CSV files are known by their columns: m, n, k with a time or a rate; best_shape_MxNxK and
 * MAMF_TFLOPS; seq_len, head_dim and TFLOPS or time_us (FlashAttention). Every row of every file is
 * counted. How a source measured is in its comments: "50 warm-up iterations" is a product that was
 * repeated until power settled; "lhs x rhs -> out" types are XLA's, whose operands lie by rows. */
#ifndef NADI_CALIBRATE_KERNEL_ROWS_H
#define NADI_CALIBRATE_KERNEL_ROWS_H

#include "base/arena.h"
#include "base/diag.h"
#include "compute/kernel.h"

struct nadi_kernel_row {
    const char *file, *label, *system; /* "H100 SXM, fp8 products" */
    const char *left_out;              /* why it is not predicted, or NULL */
    uint32_t line;
    const struct nadi_device *device;
    const char *device_name; /* in the catalogue, or a path */
    struct nadi_kernel kernel;
    bool forward, backward; /* ATTENTION: the passes that were timed */
    bool kept_back;         /* calibrate/kept_back.h */
    double flops, measured_us;
};

struct nadi_kernel_file {
    const char *name;
    uint32_t rows;
    bool read;   /* else no table of kernels: */
    bool broken; /* or no table at all, which is an error */
};

struct nadi_kernel_rows {
    struct nadi_arena arena;
    struct nadi_kernel_row *items;
    size_t count, capacity;
    struct {
        struct nadi_kernel_file *items;
        size_t count, capacity;
    } files;
    struct {
        const struct nadi_device **items;
        size_t count, capacity;
    } devices;
};

void nadi_kernel_rows_init(struct nadi_kernel_rows *rows);
/* One file. `device`: of rows that name none; NULL: none. */
bool nadi_kernel_rows_read(struct nadi_kernel_rows *rows, const char *path, const char *device,
                           struct nadi_diags *diags) NADI_MUST_USE;
/* All .csv files of a folder, by name; false with an error when none has kernels. A file that
 * cannot be read is an error in diags, and the others are read. */
bool nadi_kernel_rows_read_folder(struct nadi_kernel_rows *rows, const char *folder,
                                  struct nadi_diags *diags) NADI_MUST_USE;
void nadi_kernel_rows_release(struct nadi_kernel_rows *rows);

/* With the row's own device, or another's figures. */
double nadi_kernel_row_us(const struct nadi_kernel_row *row, const struct nadi_device *device);

#endif
