#include "calibrate/training_rows.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <math.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "base/str.h"
#include "calibrate/training_names.h"

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
    {"mlperf_gpt3_175b_raw.csv", nadi_read_mlperf},
    {"vtrain_a100_1node_iteration_times.csv", nadi_read_vtrain},
    {"vtrain_a100_multinode_iteration_times.csv", nadi_read_vtrain},
    {"runs.csv", nadi_read_own},
};

/* ---- fields -------------------------------------------------------------------------------- */

#define DIGITS "0123456789"

const char *nadi_row_text(const struct nadi_training_reader *r, const char *column)
{
    return nadi_csv_field(r->csv, r->row, nadi_csv_column(r->csv, column));
}

static double number_at(const char *text, double otherwise)
{
    double value;
    return nadi_str_take_double(text + strcspn(text, DIGITS), &value) ? value : otherwise;
}

/* The length of "1,234,567" at the start of the text; 0: not a number with such commas. */
static size_t with_commas(const char *text)
{
    size_t length = strspn(text, DIGITS);
    if (length == 0 || length > 3)
        return 0;
    const size_t first = length;
    while (text[length] == ',' && strspn(text + length + 1, DIGITS) == 3)
        length += 4;
    return length > first ? length : 0;
}

double nadi_row_number(const struct nadi_training_reader *r, const char *column)
{
    const char *text = nadi_row_text(r, column), *at = text + strcspn(text, DIGITS);
    const double sign =
        at > text && at[-1] == '-' && strspn(text, " -") == (size_t)(at - text) ? -1 : 1;
    const size_t length = with_commas(at);
    char plain[64];
    size_t n = 0;
    if (length == 0 || strlen(at) >= sizeof(plain))
        return sign * number_at(at, 0);
    for (size_t i = 0; at[i]; i++)
        if (i >= length || at[i] != ',')
            plain[n++] = at[i];
    plain[n] = '\0';
    return sign * number_at(plain, 0);
}

bool nadi_row_has_two_numbers(const struct nadi_training_reader *r, const char *column)
{
    const char *text = nadi_row_text(r, column), *at = text + strcspn(text, DIGITS);
    at += strspn(at, DIGITS ".,");
    return *at == ' ' && strspn(at + strspn(at, " "), DIGITS) > 0;
}

bool nadi_row_has_multiple(const struct nadi_training_reader *r, const char *column)
{
    const char *text = nadi_row_text(r, column), *at = text + strcspn(text, DIGITS);
    at += strspn(at, DIGITS ".,");
    return at > text && *at && strchr("kKmMgG", *at) && !isalnum((unsigned char)at[1]);
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

const char *const nadi_row_fate_words[NADI_ROW_FATES] = {"used", "implausible", "under-specified",
                                                         "unsupported"};

/* The first 4 bytes of SHA-256 of the file's name, '|' and the row's text, mod 3 = 0. */
static bool is_kept_back(const char *file, const char *text, size_t bytes)
{
    struct nadi_sha256 h;
    uint8_t hash[32];
    uint32_t first = 0;
    nadi_sha256_begin(&h);
    nadi_sha256_add(&h, file, strlen(file));
    nadi_sha256_add(&h, "|", 1);
    nadi_sha256_add(&h, text, bytes);
    nadi_sha256_end(&h, hash);
    for (int i = 0; i < 4; i++)
        first = first << 8 | hash[i];
    return first % 3 == 0;
}

/* The row's line without its end; rows come in order. */
static const char *line_of(struct nadi_training_reader *r, uint32_t line, size_t *bytes)
{
    for (; r->line < line && *r->text; r->line++) {
        r->text += strcspn(r->text, "\n");
        r->text += *r->text != '\0';
    }
    *bytes = strcspn(r->text, "\r\n");
    return r->text;
}

void nadi_row_add(struct nadi_training_reader *r, struct nadi_training_row row)
{
    size_t bytes;
    const char *text = line_of(r, r->csv->lines[r->row], &bytes);
    row.line = r->csv->lines[r->row];
    row.file = nadi_arena_strdup(&r->rows->arena, nadi_file_name(r->csv->path));
    row.kept_back = is_kept_back(row.file, text, bytes);
    if (!row.left_out && !nadi_row_is_timed(&row)) {
        row.fate = NADI_ROW_UNDER_SPECIFIED;
        row.left_out = "the time or the rate";
    } else if (row.left_out && row.fate == NADI_ROW_USED) {
        row.fate = NADI_ROW_UNSUPPORTED;
    }
    NADI_PUSH(r->rows, row);
}

const struct nadi_training_names *nadi_training_rows_names(struct nadi_training_rows *rows)
{
    if (!rows->names)
        rows->names = nadi_training_names_read(&rows->arena);
    return rows->names;
}

/* ---- files --------------------------------------------------------------------------------- */

static nadi_training_reader_fn *reader_of(const char *name)
{
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
        if (strcmp(files[i].name, name) == 0)
            return files[i].read;
    return nadi_read_columns;
}

static char *comments_of(const char *text, struct nadi_arena *arena)
{
    struct nadi_str all = NADI_STR_INIT;
    for (const char *at = text; *at;) {
        const size_t length = strcspn(at, "\n");
        if (*at == '#')
            nadi_str_printf(&all, "%.*s\n", (int)length, at);
        at += length + (at[length] != '\0');
    }
    char *comments = nadi_arena_strdup(arena, nadi_str_get(&all));
    nadi_str_release(&all);
    return comments;
}

static uint32_t commas_in(const char *line)
{
    uint32_t count = 0;
    for (size_t i = 0, n = strcspn(line, "\n"); i < n; i++)
        count += line[i] == ',';
    return count;
}

static bool has_letters(const char *line)
{
    for (size_t i = 0, n = strcspn(line, "\n"); i < n; i++)
        if (isalpha((unsigned char)line[i]))
            return true;
    return false;
}

/* "# GPUs,batch,..." above rows of numbers is their header, not a comment. */
static void open_header(char *text)
{
    char *last = NULL, *at = text;
    for (; *at == '#'; at += strcspn(at, "\n"), at += *at != '\0')
        last = at;
    if (last && commas_in(at) > 0 && commas_in(last) == commas_in(at) && !has_letters(at))
        *last = ' ';
}

static bool read_table(struct nadi_training_rows *rows, struct nadi_training_file *file,
                       const char *folder, struct nadi_diags *diags)
{
    struct nadi_str path = NADI_STR_INIT;
    struct nadi_csv_table csv;
    char *text = NULL;
    size_t bytes = 0;
    nadi_str_printf(&path, "%s/%s", folder, file->name);
    bool ok = nadi_file_read(nadi_str_get(&path), "table of runs", &text, &bytes, diags);
    if (ok) {
        char *const comments = comments_of(text, &rows->arena);
        open_header(text);
        ok = nadi_csv_parse(&csv, nadi_str_get(&path), text, bytes, diags);
        struct nadi_training_reader r = {.rows = rows,
                                         .csv = &csv,
                                         .folder = folder,
                                         .text = text,
                                         .line = 1,
                                         .comments = comments};
        nadi_training_reader_fn *read = reader_of(file->name);
        for (; ok && r.row < csv.row_count; r.row++)
            read(&r);
        file->rows = ok ? csv.row_count : 0;
        nadi_csv_release(&csv);
    }
    file->read = ok;
    nadi_mem_free(text);
    nadi_str_release(&path);
    return ok;
}

static int by_name(const void *a, const void *b)
{
    const struct nadi_training_file *x = a, *y = b;
    return strcmp(x->name, y->name);
}

static bool list_files(struct nadi_training_rows *rows, const char *folder,
                       struct nadi_diags *diags)
{
    DIR *dir = opendir(folder);
    if (!dir)
        return nadi_error(diags, "validate/folder", NADI_IN_FILE(folder),
                          "give the folder that holds the tables", "cannot open the folder: %s",
                          strerror(errno));
    for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
        if (entry->d_name[0] == '.')
            continue;
        const struct nadi_training_file file = {
            .name = nadi_arena_strdup(&rows->arena, entry->d_name),
            .is_table = nadi_str_ends(entry->d_name, ".csv"),
        };
        NADI_PUSH(&rows->files, file);
    }
    closedir(dir);
    if (rows->files.count)
        qsort(rows->files.items, rows->files.count, sizeof(*rows->files.items), by_name);
    return true;
}

bool nadi_training_rows_read(struct nadi_training_rows *rows, const char *folder,
                             struct nadi_diags *diags)
{
    bool found = false, failed = false;
    *rows = (struct nadi_training_rows){.items = NULL};
    nadi_arena_init(&rows->arena);
    if (!list_files(rows, folder, diags))
        return false;
    for (size_t i = 0; i < rows->files.count; i++) {
        struct nadi_training_file *file = &rows->files.items[i];
        if (!file->is_table)
            continue;
        const bool ok = read_table(rows, file, folder, diags);
        found = found || ok;
        failed = failed || !ok;
    }
    if (!found && !failed)
        return nadi_error(diags, "validate/folder", NADI_IN_FILE(folder),
                          "docs/models/training.md says which columns a table has",
                          "no table of training runs in this folder");
    return found;
}

void nadi_training_rows_release(struct nadi_training_rows *rows)
{
    nadi_mem_free(rows->items);
    nadi_mem_free(rows->files.items);
    nadi_arena_release(&rows->arena);
    *rows = (struct nadi_training_rows){.items = NULL};
}
