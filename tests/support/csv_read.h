/* csv_read: a table read back, field by field (RFC 4180, "\n" line ends). */
#ifndef NADI_TESTS_CSV_READ_H
#define NADI_TESTS_CSV_READ_H

#include "base/arena.h"
#include "base/base.h"

struct csv_table {
    struct nadi_arena arena;
    const char **fields; /* rows * columns, the header is row 0 */
    size_t rows, columns;
};

/* Fails the test when a row has another number of fields than the header. */
void csv_read(struct csv_table *t, const char *text);
void csv_release(struct csv_table *t);

const char *csv_at(const struct csv_table *t, size_t row, const char *column); /* rows from 1 */
uint64_t csv_u64(const struct csv_table *t, size_t row, const char *column);
double csv_number(const struct csv_table *t, size_t row, const char *column);
uint64_t csv_sum(const struct csv_table *t, const char *column); /* empty fields count as 0 */

#endif
