#include "calibrate/training_rows.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"

struct file {
    const char *name;
    nadi_training_reader_fn *read;
};

static const struct file files[] = {
    {"megatron_sc21_table1_a100_weak_scaling.csv", nadi_read_sc21_table1},
    {"megatron_sc21_table2_ptd_vs_zero3.csv", nadi_read_sc21_table2},
    {"megatron_seqpar_table5_a100_iteration_times.csv", nadi_read_seqpar_table5},
    {"megatron_lm_readme_gpt3_175b_1024a100.csv", nadi_read_a100_1024},
    {"megatron_lm_readme_h100_weak_scaling.csv", nadi_read_h100_weak},
    {"nvidia_nemo_24_07_h100_fp8_a.csv", nadi_read_nemo},
    {"nvidia_nemo_24_07_h100_fp8_b_newer.csv", nadi_read_nemo},
    {"nvidia_dgxc_benchmarking_step_times.csv", nadi_read_dgxc},
    {"nvidia_megatron_bridge_performance_summary.csv", nadi_read_bridge},
    {"mosaicml_llm_foundry_mpt.csv", nadi_read_mosaic},
    {"amd_primus_logs_mi3xx.csv", nadi_read_primus},
    {"google_maxtext_tpu_tiering.csv", nadi_read_tpu},
    {"runs.csv", nadi_read_own},
};

/* ---- fields -------------------------------------------------------------------------------- */

const char *nadi_row_text(const struct nadi_training_reader *r, const char *column)
{
    return nadi_csv_field(r->csv, r->row, nadi_csv_column(r->csv, column));
}

static double number_at(const char *text, double otherwise)
{
    double value;
    return nadi_str_take_double(text + strcspn(text, "0123456789"), &value) ? value : otherwise;
}

double nadi_row_number(const struct nadi_training_reader *r, const char *column)
{
    return number_at(nadi_row_text(r, column), 0);
}

double nadi_text_number(const char *text, const char *key, double otherwise)
{
    const char *found = strcasestr(text, key);
    if (!found)
        return otherwise;
    found += strlen(key);
    return *found >= '0' && *found <= '9' ? number_at(found, otherwise) : otherwise;
}

bool nadi_text_has(const char *text, const char *word)
{
    return strcasestr(text, word) != NULL;
}

char *nadi_row_printf(struct nadi_training_reader *r, const char *format, ...)
{
    struct nadi_str s = NADI_STR_INIT;
    va_list args;
    va_start(args, format);
    nadi_str_vprintf(&s, format, args);
    va_end(args);
    char *text = nadi_arena_strdup(&r->rows->arena, nadi_str_get(&s));
    nadi_str_release(&s);
    return text;
}

void nadi_row_add(struct nadi_training_reader *r, struct nadi_training_row row)
{
    row.line = r->csv->lines[r->row];
    row.file = nadi_arena_strdup(&r->rows->arena, nadi_file_name(r->csv->path));
    if (!row.left_out && !(row.step_s > 0))
        row.left_out = "no time or throughput in the row";
    NADI_PUSH(r->rows, row);
}

/* ---- files --------------------------------------------------------------------------------- */

static bool read_file(struct nadi_training_rows *rows, const char *folder, const struct file *f,
                      bool *found, struct nadi_diags *diags)
{
    struct nadi_str path = NADI_STR_INIT;
    bool ok = true;
    nadi_str_printf(&path, "%s/%s", folder, f->name);
    if (nadi_file_exists(nadi_str_get(&path))) {
        struct nadi_csv_table csv;
        *found = true;
        ok = nadi_csv_read(&csv, nadi_str_get(&path), "table of runs", diags);
        struct nadi_training_reader r = {.rows = rows, .csv = &csv, .folder = folder};
        for (; ok && r.row < csv.row_count; r.row++)
            f->read(&r);
        nadi_csv_release(&csv);
    }
    nadi_str_release(&path);
    return ok;
}

bool nadi_training_rows_read(struct nadi_training_rows *rows, const char *folder,
                             struct nadi_diags *diags)
{
    bool found = false, ok = true;
    *rows = (struct nadi_training_rows){.items = NULL};
    nadi_arena_init(&rows->arena);
    DIR *dir = opendir(folder);
    if (!dir)
        return nadi_error(diags, "validate/folder", NADI_IN_FILE(folder),
                          "give the folder that holds the tables", "cannot open the folder: %s",
                          strerror(errno));
    closedir(dir);
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]) && ok; i++)
        ok = read_file(rows, folder, &files[i], &found, diags);
    if (ok && !found)
        return nadi_error(diags, "validate/folder", NADI_IN_FILE(folder),
                          "docs/models/training.md lists the names of the files that are known",
                          "no table of training runs in this folder");
    return ok;
}

void nadi_training_rows_release(struct nadi_training_rows *rows)
{
    nadi_mem_free(rows->items);
    nadi_arena_release(&rows->arena);
    *rows = (struct nadi_training_rows){.items = NULL};
}
