#include "calibrate/validate_compute.h"

#include "base/mem.h"

bool nadi_validate_compute(struct nadi_validate_compute *v, const char *folder,
                           struct nadi_diags *diags)
{
    *v = (struct nadi_validate_compute){.checks = NULL};
    nadi_kernel_rows_init(&v->rows);
    if (!nadi_kernel_rows_read_folder(&v->rows, folder, diags))
        return false;
    v->all_read = true;
    for (size_t i = 0; i < v->rows.files.count; i++)
        v->all_read = v->all_read && !v->rows.files.items[i].broken;
    v->checks = NADI_ZNEW(struct nadi_compute_check, v->rows.count);
    for (size_t i = 0; i < v->rows.count; i++) {
        const struct nadi_kernel_row *row = &v->rows.items[i];
        if (row->left_out)
            continue;
        v->checks[i].predicted_us = nadi_kernel_row_us(row, row->device);
        v->checks[i].error = v->checks[i].predicted_us / row->measured_us - 1;
    }
    return true;
}

void nadi_validate_compute_release(struct nadi_validate_compute *v)
{
    nadi_mem_free(v->checks);
    nadi_kernel_rows_release(&v->rows);
    *v = (struct nadi_validate_compute){.checks = NULL};
}
