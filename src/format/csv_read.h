/* csv_read: a table of comma-separated values with a header line.
 *
 * Fields may be quoted ("a, ""b"""); lines that begin with '#' and empty lines are skipped; a row
 * may be shorter than the header (missing fields are ""), not longer. Spaces around a field are
 * dropped. Texts live in the table. O(bytes). */
#ifndef NADI_FORMAT_CSV_READ_H
#define NADI_FORMAT_CSV_READ_H

#include "base/arena.h"
#include "base/diag.h"

struct nadi_csv_table {
    struct nadi_arena arena;
    const char *path;
    const char **header; /* column_count names */
    uint32_t column_count;
    const char **fields; /* row_count x column_count */
    uint32_t *lines;     /* by row, from 1 */
    uint32_t row_count;
};

/* The caller releases the table in both cases. False with an error that names the line. */
bool nadi_csv_parse(struct nadi_csv_table *t, const char *path, const char *text, size_t bytes,
                    struct nadi_diags *diags) NADI_MUST_USE;
bool nadi_csv_read(struct nadi_csv_table *t, const char *path, const char *what,
                   struct nadi_diags *diags) NADI_MUST_USE;
void nadi_csv_release(struct nadi_csv_table *t);

uint32_t nadi_csv_column(const struct nadi_csv_table *t, const char *name); /* NADI_NONE: none */

/* "" where the column is NADI_NONE. */
static inline const char *nadi_csv_field(const struct nadi_csv_table *t, uint32_t row,
                                         uint32_t column)
{
    return column == NADI_NONE ? "" : t->fields[(size_t)row * t->column_count + column];
}

#endif
