#include "calibrate/kernel_rows.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <strings.h>

#include "base/file.h"
#include "base/hold.h"
#include "base/mem.h"
#include "base/signature.h"
#include "base/str.h"
#include "base/time.h"
#include "calibrate/kept_back.h"
#include "calibrate/kernel_profile.h"
#include "format/csv_read.h"

#define MOST_OF_PEAK 1.15 /* a rate above that of every clock is no measurement */
#define SETTLED      20.0 /* warm-up runs after which power limits the clock */
#define RATE_DOUBT   0.05 /* a rate beside a time that is off by more is of something else */

struct reader {
    struct nadi_kernel_rows *rows;
    struct nadi_csv_table csv;
    const char *file, *text;
    const char *device;      /* of rows that name none, or NULL */
    const char *device_name; /* of the row that open_device was last called for */
    uint32_t row;
    bool settled;
};

/* By its name in any case; NADI_NONE: none. */
static uint32_t column_named(const struct reader *r, const char *name)
{
    for (uint32_t i = 0; i < r->csv.column_count; i++)
        if (strcasecmp(r->csv.header[i], name) == 0)
            return i;
    return NADI_NONE;
}

static const char *field(const struct reader *r, const char *column)
{
    return nadi_csv_field(&r->csv, r->row, column_named(r, column));
}

static bool has(const struct reader *r, const char *column)
{
    return column_named(r, column) != NADI_NONE;
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

static double number_or(const struct reader *r, const char *column, double otherwise)
{
    const double value = number(r, column);
    return value > 0 ? value : otherwise;
}

/* A field that is there, and is no number: what it would be without one is not meant. */
static bool has_odd(const struct reader *r, const char *const *columns)
{
    for (; *columns; columns++) {
        const char *text = field(r, *columns);
        const bool none = !*text || nadi_str_equal(text, "N/A") || nadi_str_equal(text, "-");
        if (!none && !(number(r, *columns) > 0))
            return true;
    }
    return false;
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
    return strpbrk(text, " ./") ? NULL : text; /* perhaps the catalogue's own name */
}

static bool open_named(struct reader *r, struct nadi_device *d, const char *name)
{
    struct nadi_arena *arena = &r->rows->arena;
    struct nadi_diags own;
    if (!name)
        return false;
    nadi_diags_init(&own);
    const bool ok = nadi_device_open(d, name, arena, &own);
    nadi_diags_release(&own);
    r->device_name = nadi_arena_strdup(arena, name);
    return ok;
}

/* Of the row's own words, else the one that was given. */
static const struct nadi_device *open_device(struct reader *r)
{
    static const char *const columns[] = {"device_key", "gpu", "accelerator", "device", NULL};
    const char *text = first_field(r, columns);
    struct nadi_kernel_rows *rows = r->rows;
    struct nadi_device *d = NADI_ARENA_NEW(&rows->arena, struct nadi_device, 1);
    r->device_name = NULL;
    if (!open_named(r, d, *text ? device_name(text) : NULL) && !open_named(r, d, r->device))
        return NULL;
    for (size_t i = 0; i < rows->devices.count; i++)
        if (strcmp(rows->devices.items[i]->name, d->name) == 0)
            return rows->devices.items[i];
    const struct nadi_device *kept = d;
    NADI_PUSH(&rows->devices, kept);
    return d;
}

static const char *const types[] = {"dtype", "dtypes", "precision", NULL};

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

/* The row's place comes from the reader; texts are in the arena. */
static void add(struct reader *r, struct nadi_kernel_row row, const char *left_out)
{
    struct nadi_kernel_rows *rows = r->rows;
    size_t length;
    row.file = r->file;
    row.device_name = r->device_name;
    row.line = r->csv.lines[r->row];
    const char *text = nadi_line_of(r->text, row.line, &length);
    row.kept_back = nadi_kept_back(r->file, text, length);
    row.left_out = left_out;
    if (!row.system)
        row.system = "";
    if (!row.label)
        row.label = nadi_arena_strndup(&rows->arena, text, length > 60 ? 60 : length);
    if (rows->count == rows->capacity)
        rows->items =
            nadi_mem_grow(rows->items, &rows->capacity, rows->count + 1, sizeof(*rows->items));
    rows->items[rows->count++] = row;
}

/* A kernel is faster than the device can be: the row is wrong. */
static const char *implausible(const struct nadi_kernel_row *row, double peak)
{
    if (!(row->measured_us > 0))
        return "implausible: no time and no rate above zero";
    return row->flops / row->measured_us / 1e-6 > MOST_OF_PEAK * peak
               ? "implausible: faster than the device's peak"
               : NULL;
}

static double first_number(const struct reader *r, const char *const *columns)
{
    for (; *columns; columns++)
        if (number(r, *columns) > 0)
            return number(r, *columns);
    return 0;
}

/* Fills the time of row->flops, from a rate where no time is given. Returns why the row cannot be
 * taken, or NULL. */
static const char *measure(const struct reader *r, struct nadi_kernel_row *row, double peak)
{
    static const char *const times[] = {"time_us", "derived_time_us", NULL};
    static const char *const rates[] = {"TFLOPS", "MAMF_TFLOPS", NULL};
    const double us = first_number(r, times), rate = first_number(r, rates);
    const double of_rate = rate > 0 ? row->flops / rate / 1e6 : 0;
    row->measured_us = us > 0 ? us : of_rate;
    if (row->measured_us > 0 && (has_odd(r, times) || has_odd(r, rates)))
        return "implausible: a time or a rate that is no number above zero";
    if (us > 0 && rate > 0 && fabs(of_rate / us - 1) > RATE_DOUBT)
        return nadi_arena_printf(&r->rows->arena,
                                 "contradictory: the time and the shape are %.4g TFLOP/s, the rate "
                                 "beside them is %.4g",
                                 row->flops / us / 1e6, rate);
    return implausible(row, peak);
}

/* A word that no reader of the column knows; nothing is taken instead. */
static const char *unknown_word(const struct reader *r, const char *column, const char *known)
{
    const char *text = field(r, column);
    return *text ? nadi_arena_printf(&r->rows->arena, "unsupported: %s '%.40s'; known are %s",
                                     column, text, known)
                 : nadi_arena_printf(&r->rows->arena, "under-specified: %s", column);
}

/* ---- products ------------------------------------------------------------------------------ */

static void product(struct reader *r, double b, double m, double n, double k)
{
    struct nadi_arena *arena = &r->rows->arena;
    const char *type = first_field(r, types);
    struct nadi_kernel_row row = {.device = open_device(r), .kernel.kind = NADI_KERNEL_GEMM};
    struct nadi_kernel *kernel = &row.kernel;
    row.label = nadi_arena_printf(arena, "%s %.0f x %.0f x %.0f x %.0f", type, b, m, n, k);
    const double whole = floor(b) + floor(m) + floor(n) + floor(k);
    if (!(m * n * k > 0) || b > 1e9 || m > 1e9 || n > 1e9 || k > 1e9 || whole < b + m + n + k) {
        row.label = NULL;
        add(r, row, "under-specified: m, n and k");
        return;
    }
    static const char *const optional[] = {"b", "batch", NULL};
    if (has_odd(r, optional) || fabs(number_or(r, "batch", b) - b) > 0.5) {
        add(r, row,
            has_odd(r, optional) ? "under-specified: b" : "contradictory: b and batch differ");
        return;
    }
    const bool in_run = strcasecmp(field(r, "state"), "run") == 0;
    if (*field(r, "state") && !in_run) {
        add(r, row, unknown_word(r, "state", "run, or none"));
        return;
    }
    if (!row.device) {
        add(r, row, "unsupported: the device is not in the catalogue");
        return;
    }
    if (!precision_of(type, &kernel->precision) || !(row.device->peak[kernel->precision] > 0)) {
        add(r, row, "unsupported: the device has no such precision");
        return;
    }
    kernel->count = nadi_count_trunc(b);
    kernel->m = nadi_count_trunc(m);
    kernel->n = nadi_count_trunc(n);
    kernel->k = nadi_count_trunc(k);
    kernel->output_bytes = kernel->precision == NADI_TF32 ? 4 : 2;
    kernel->state = in_run       ? NADI_KERNEL_IN_RUN
                    : r->settled ? NADI_KERNEL_REPEATED
                                 : NADI_KERNEL_ALONE;
    kernel->across = strstr(type, "->") != NULL;
    row.flops = nadi_kernel_flops(kernel);
    row.system = nadi_arena_printf(arena, "%s, %s products", row.device->name,
                                   nadi_precision_name(kernel->precision));
    const char *left_out = measure(r, &row, row.device->peak[kernel->precision]);
    add(r, row, left_out);
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
    if (read_shape(field(r, "best_shape_MxNxK"), shape))
        product(r, 1, shape[0], shape[1], shape[2]);
    else
        product(r, number_or(r, "b", number_or(r, "batch", 1)), number(r, "m"), number(r, "n"),
                number(r, "k"));
}

/* ---- attention ----------------------------------------------------------------------------- */

/* "fwd", "Backward", "fwd+bwd"; without the column the forward pass. */
static bool read_pass(const struct reader *r, struct nadi_kernel_row *row)
{
    const char *at = has(r, "pass") ? field(r, "pass") : "fwd";
    while (*at) {
        size_t length = 0;
        while (isalpha((unsigned char)at[length]))
            length++;
        if ((length == 3 && strncasecmp(at, "fwd", 3) == 0) ||
            (length == 7 && strncasecmp(at, "forward", 7) == 0))
            row->forward = true;
        else if ((length == 3 && strncasecmp(at, "bwd", 3) == 0) ||
                 (length == 8 && strncasecmp(at, "backward", 8) == 0))
            row->backward = true;
        else
            return false;
        at += length;
        at += strspn(at, " +_-/&");
    }
    return row->forward || row->backward;
}

/* Without the column there is no mask. */
static bool read_causal(const struct reader *r, bool *causal)
{
    static const struct {
        const char *word;
        bool causal;
    } known[] = {{"1", true},      {"1.0", true},   {"true", true},       {"yes", true},
                 {"causal", true}, {"0", false},    {"0.0", false},       {"false", false},
                 {"no", false},    {"full", false}, {"non-causal", false}};
    const char *text = field(r, "causal");
    *causal = false;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (strcasecmp(text, known[i].word) == 0) {
            *causal = known[i].causal;
            return true;
        }
    return !has(r, "causal");
}

/* bf16 where nothing is said: the figures of attention are of 16 bits. */
static bool read_attention_precision(const struct reader *r, enum nadi_precision *precision)
{
    const char *type = first_field(r, types);
    *precision = NADI_BF16;
    return !*type ||
           (precision_of(type, precision) && (*precision == NADI_BF16 || *precision == NADI_FP16));
}

/* What the words of a row say; NULL, or why it cannot be taken. */
static const char *read_words(const struct reader *r, struct nadi_kernel_row *row, bool *causal)
{
    if (!read_pass(r, row))
        return unknown_word(r, "pass", "fwd, forward, bwd, backward and both, as fwd+bwd");
    if (!read_causal(r, causal))
        return unknown_word(r, "causal", "0, 1, true, false, yes, no, causal and full");
    if (!read_attention_precision(r, &row->kernel.precision))
        return nadi_arena_printf(&r->rows->arena,
                                 "unsupported: attention of '%.24s'; known are bf16 and fp16",
                                 first_field(r, types));
    return NULL;
}

/* Without `batch` and `heads` the setting of FlashAttention's papers: 16384 tokens, heads of 2048
 * together. Rates count half of the scores under a causal mask, and the backward pass 2.5 times. */
static void attention_row(struct reader *r)
{
    struct nadi_arena *arena = &r->rows->arena;
    const char *impl = field(r, "impl");
    const double sequence = number(r, "seq_len"), width = number(r, "head_dim");
    bool causal = false;
    struct nadi_kernel_row row = {.device = open_device(r)};
    const char *odd = read_words(r, &row, &causal);
    const char *pass = odd                           ? field(r, "pass")
                       : row.forward && row.backward ? "fwd+bwd"
                       : row.backward                ? "bwd"
                                                     : "fwd";
    row.label = nadi_arena_printf(arena, "%s %s, %.0f x %.0f%s", impl, pass, sequence, width,
                                  causal ? ", causal" : "");
    if (!(sequence > 0) || !(width > 0) || sequence > 1e9 || width > 1e6) {
        add(r, row, "under-specified: seq_len and head_dim");
        return;
    }
    if (odd) {
        add(r, row, odd);
        return;
    }
    static const char *const optional[] = {"batch", "heads", "kv_len", "head_dim_v", NULL};
    if (has_odd(r, optional)) {
        add(r, row, "under-specified: batch, heads, kv_len or head_dim_v");
        return;
    }
    if (!row.device) {
        add(r, row, "unsupported: the device is not in the catalogue");
        return;
    }
    if (strstr(impl, "FlashAttention-1") || strstr(impl, "PyTorch") || strstr(impl, "tandard")) {
        add(r, row, "unsupported: an implementation that is not fused as FlashAttention-2 is");
        return;
    }
    row.kernel = (struct nadi_kernel){
        .kind = NADI_KERNEL_ATTENTION,
        .precision = row.kernel.precision,
        .count = nadi_count_trunc(
            fmax(number_or(r, "batch", 16384 / sequence) * number_or(r, "heads", 2048 / width), 1)),
        .m = nadi_count_trunc(sequence),
        .n = nadi_count_trunc(number_or(r, "kv_len", sequence)),
        .k = nadi_count_trunc(width),
        .v = nadi_count_trunc(number_or(r, "head_dim_v", width)),
        .share = causal ? 0.5 : 1,
        .portable = strstr(impl, "FlashAttention-2") != NULL, /* written for A100 */
    };
    row.flops = nadi_kernel_flops(&row.kernel) * ((row.forward ? 1 : 0) + (row.backward ? 2.5 : 0));
    row.system = nadi_arena_printf(arena, "%s, attention", row.device->name);
    const char *left_out = measure(r, &row, row.device->peak[NADI_BF16]);
    add(r, row, left_out);
}

/* ---- files --------------------------------------------------------------------------------- */

/* "10000 warm-up iterations" among the comments. */
static bool is_settled(const char *text)
{
    for (const char *line = text; *line == '#'; line++) {
        const char *end = line + strcspn(line, "\n");
        for (const char *at = strstr(line, "warm-up"); at && at < end;
             at = strstr(at + 1, "warm-up")) {
            const char *digits = at;
            while (digits > line && digits[-1] == ' ')
                digits--;
            while (digits > line && isdigit((unsigned char)digits[-1]))
                digits--;
            double runs;
            if (nadi_str_take_double(digits, &runs) && runs >= SETTLED)
                return true;
        }
        line = end;
        if (!*line)
            break;
    }
    return false;
}

static void read_rows(struct reader *r)
{
    const bool products = has(r, "best_shape_MxNxK") || (has(r, "m") && has(r, "n") && has(r, "k"));
    const bool attention = has(r, "seq_len") && has(r, "head_dim");
    const struct nadi_kernel_file file = {
        .name = r->file, .rows = r->csv.row_count, .read = products || attention};
    NADI_PUSH(&r->rows->files, file);
    for (r->row = 0; file.read && r->row < r->csv.row_count; r->row++) {
        if (products)
            product_row(r);
        else
            attention_row(r);
    }
}

/* The rows of a table in memory. */
static bool read_table(struct reader *r, const char *path, const char *text, size_t bytes,
                       struct nadi_diags *diags)
{
    if (!nadi_csv_parse(&r->csv, path, text, bytes, diags))
        return false;
    r->text = text;
    r->settled = is_settled(text);
    read_rows(r);
    nadi_csv_release(&r->csv);
    return true;
}

static bool read_profile(struct reader *r, const char *path, const char *text, size_t bytes,
                         struct nadi_diags *diags)
{
    struct nadi_str table = NADI_STR_INIT;
    bool ok;
    if (nadi_profile_is_capture(text)) {
        ok = nadi_profile_of_capture(path, text, bytes, &table, diags);
    } else {
        ok = nadi_csv_parse(&r->csv, path, text, bytes, diags);
        const bool nsys = ok && nadi_profile_is_nsys(&r->csv);
        ok = ok && (!nsys || nadi_profile_of_nsys(&r->csv, text, &table, diags));
        nadi_csv_release(&r->csv);
        if (ok && !nsys)
            return read_table(r, path, text, bytes, diags);
    }
    ok = ok && read_table(r, path, nadi_str_get(&table), table.length, diags);
    nadi_str_release(&table);
    return ok;
}

bool nadi_kernel_rows_read(struct nadi_kernel_rows *rows, const char *path, const char *device,
                           struct nadi_diags *diags)
{
    char *text;
    size_t bytes;
    if (!nadi_file_read(path, "table", &text, &bytes, diags))
        return false;
    struct reader r = {.rows = rows,
                       .file = nadi_arena_strdup(&rows->arena, nadi_file_name(path)),
                       .device = device};
    const bool ok = (nadi_profile_is_capture(text) ||
                     nadi_signature_check(path, "table", text, bytes, diags)) &&
                    read_profile(&r, path, text, bytes, diags);
    nadi_mem_free(text);
    return ok;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

bool nadi_kernel_rows_read_folder(struct nadi_kernel_rows *rows, const char *folder,
                                  struct nadi_diags *diags)
{
    char **names = NULL;
    size_t count = 0, capacity = 0;
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
        names[count++] = nadi_arena_printf(&rows->arena, "%s/%s", folder, e->d_name);
    }
    nadi_unhold(hold);
    closedir(dir);
    if (count)
        qsort(names, count, sizeof(*names), by_name);
    bool broken = false;
    for (size_t i = 0; i < count; i++) {
        const struct nadi_kernel_file file = {.name = nadi_file_name(names[i]), .broken = true};
        if (nadi_kernel_rows_read(rows, names[i], NULL, diags))
            continue;
        broken = true;
        NADI_PUSH(&rows->files, file);
    }
    nadi_mem_free(names);
    if (rows->count == 0 && broken)
        return false;
    if (rows->count == 0)
        return nadi_error(diags, "validate/folder", NADI_IN_FILE(folder),
                          "columns m, n, k with TFLOPS or time_us, or seq_len, head_dim, TFLOPS",
                          "the folder holds no table of products or attention");
    return true;
}

void nadi_kernel_rows_init(struct nadi_kernel_rows *rows)
{
    *rows = (struct nadi_kernel_rows){.items = NULL};
    nadi_arena_init(&rows->arena);
}

void nadi_kernel_rows_release(struct nadi_kernel_rows *rows)
{
    nadi_mem_free(rows->items);
    nadi_mem_free(rows->files.items);
    nadi_mem_free(rows->devices.items);
    nadi_arena_release(&rows->arena);
    *rows = (struct nadi_kernel_rows){.items = NULL};
}

double nadi_kernel_row_us(const struct nadi_kernel_row *row, const struct nadi_device *device)
{
    const struct nadi_compute c = {.device = device,
                                   .model = nadi_compute_model_find(device, NULL)};
    struct nadi_kernel kernel = row->kernel;
    if (kernel.kind != NADI_KERNEL_ATTENTION)
        return nadi_kernel_ns(&c, &kernel) / 1e3;
    double ns = row->forward ? nadi_kernel_ns(&c, &kernel) : 0;
    kernel.backward = true;
    if (row->backward)
        ns += nadi_kernel_ns(&c, &kernel);
    return ns / 1e3;
}
