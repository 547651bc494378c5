/* nsight_csv: the work of devices as `nsys stats --report cuda_gpu_trace --format csv` prints it,
 * also behind what nsys says first. Read: Start, Duration, Bytes with the units of their names,
 * Device "NVIDIA H100 (0)", Strm, Name. */
#include "base/mem.h"
#include "base/str.h"
#include "base/time.h"
#include "format/csv_read.h"
#include "frontend/frontend.h"

#include <stdlib.h>

static const struct {
    const char *name;
    double times;
} units[] = {
    {"ns", 1},   {"us", 1e3},  {"ms", 1e6},     {"s", 1e9},         {"sec", 1e9},
    {"byte", 1}, {"bytes", 1}, {"B", 1},        {"KB", 1e3},        {"kB", 1e3},
    {"MB", 1e6}, {"GB", 1e9},  {"KiB", 1024.0}, {"MiB", 1048576.0}, {"GiB", 1073741824.0},
};

struct column {
    uint32_t index;
    double times; /* to ns or bytes */
};

/* "Start (ns)": the column of that name with its unit; false where the unit is not known. */
static bool find(const struct nadi_csv_table *t, const char *name, struct column *c)
{
    *c = (struct column){.index = NADI_NONE};
    for (uint32_t i = 0; i < t->column_count; i++) {
        char wanted[64];
        for (size_t u = 0; u < sizeof(units) / sizeof(units[0]); u++) {
            snprintf(wanted, sizeof(wanted), "%s (%s)", name, units[u].name);
            if (nadi_str_equal(t->header[i], wanted))
                *c = (struct column){i, units[u].times};
        }
    }
    return c->index != NADI_NONE;
}

/* The number in the last parentheses of "NVIDIA H100 (0)". */
static bool device_of(const char *text, uint64_t *device)
{
    const char *open = strrchr(text, '(');
    char *end;
    if (!open)
        return false;
    *device = strtoull(open + 1, &end, 10);
    return end > open + 1 && *end == ')';
}

struct table {
    struct nadi_csv_table csv;
    struct column start, duration, bytes;
    uint32_t device, stream, name;
    struct {
        struct nadi_nsight_row *items;
        size_t count, capacity;
    } rows;
};

static bool number_at(const struct table *t, uint32_t row, const struct column *c, double *value)
{
    const char *text = nadi_csv_field(&t->csv, row, c->index);
    char *end;
    *value = strtod(text, &end) * c->times;
    return end > text && !*end && *value >= 0 && *value < 4e18; /* their sum has 63 bits */
}

static bool wrong(const struct table *t, uint32_t row, const char *what, const char *found,
                  struct nadi_diags *diags)
{
    struct nadi_place place = NADI_IN_FILE(t->csv.path);
    place.line = t->csv.lines[row];
    return nadi_error(diags, "nsight/row", place, "was the table cut or changed?",
                      "'%.60s' is no %s", found, what);
}

static bool take_rows(struct table *t, struct nadi_diags *diags)
{
    for (uint32_t i = 0; i < t->csv.row_count; i++) {
        double start, duration, bytes = 0;
        struct nadi_nsight_row row = {.name = nadi_csv_field(&t->csv, i, t->name)};
        const char *device = nadi_csv_field(&t->csv, i, t->device);
        const char *stream = nadi_csv_field(&t->csv, i, t->stream);
        if (!number_at(t, i, &t->start, &start))
            return wrong(t, i, "start", nadi_csv_field(&t->csv, i, t->start.index), diags);
        if (!number_at(t, i, &t->duration, &duration))
            return wrong(t, i, "duration", nadi_csv_field(&t->csv, i, t->duration.index), diags);
        if (!device_of(device, &row.device))
            return wrong(t, i, "device with its number, as \"NVIDIA H100 (0)\"", device, diags);
        if (*stream && !nadi_str_to_u32(stream, UINT32_MAX, &row.stream))
            return wrong(t, i, "stream", stream, diags);
        if (t->bytes.index != NADI_NONE && number_at(t, i, &t->bytes, &bytes))
            row.bytes = nadi_count_round(bytes);
        row.start_ns = (int64_t)nadi_count_round(start);
        row.end_ns = row.start_ns + (int64_t)nadi_count_round(duration);
        NADI_PUSH(&t->rows, row);
    }
    return true;
}

/* What nsys says first goes before the line of the columns. */
static const char *first_line(const char *text)
{
    for (const char *at = text; at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL)
        if (nadi_str_starts(at, "Start (") && strstr(at, "Duration ("))
            return at;
    return NULL;
}

bool nadi_nsight_csv(struct nadi_front_job *job, const char *path, const char *text,
                     struct nadi_diags *diags)
{
    const char *from = first_line(text);
    struct table t = {0};
    bool ok = from && nadi_csv_parse(&t.csv, path, from, strlen(from), diags);
    for (const char *at = text; ok && at < from; at++) /* lines count from the file's first */
        for (uint32_t i = 0; *at == '\n' && i < t.csv.row_count; i++)
            t.csv.lines[i]++;
    t.device = ok ? nadi_csv_column(&t.csv, "Device") : NADI_NONE;
    t.stream = ok ? nadi_csv_column(&t.csv, "Strm") : NADI_NONE;
    t.name = ok ? nadi_csv_column(&t.csv, "Name") : NADI_NONE;
    if (ok && (!find(&t.csv, "Start", &t.start) || !find(&t.csv, "Duration", &t.duration) ||
               t.device == NADI_NONE || t.name == NADI_NONE))
        ok = nadi_error(diags, "nsight/columns", NADI_IN_FILE(path),
                        "nsys stats --report cuda_gpu_trace --format csv",
                        "the table lacks one of Start (ns), Duration (ns), Device and Name");
    if (ok)
        (void)find(&t.csv, "Bytes", &t.bytes);
    ok = ok && take_rows(&t, diags) &&
         nadi_nsight_rows(job, path, t.rows.items, t.rows.count, diags);
    nadi_mem_free(t.rows.items);
    nadi_csv_release(&t.csv);
    return ok;
}
