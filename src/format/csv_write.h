/* csv_write: rows of comma-separated values as RFC 4180 has them, except that lines end in "\n".
 *
 *   struct nadi_csv csv = {.out = out};
 *   nadi_csv_header(&csv, "rank,finish_ns");
 *   nadi_csv_u64(&csv, 0); nadi_csv_u64(&csv, 120); nadi_csv_end_row(&csv);
 *
 * A text field that holds a comma, quote or line break is quoted. Every row must have as many
 * fields as the header: anything else is a bug and aborts. */
#ifndef NADI_FORMAT_CSV_WRITE_H
#define NADI_FORMAT_CSV_WRITE_H

#include "base/str.h"

struct nadi_csv {
    struct nadi_str *out;
    unsigned columns, at;
};

void nadi_csv_header(struct nadi_csv *csv, const char *names);
void nadi_csv_u64(struct nadi_csv *csv, uint64_t value);
void nadi_csv_double(struct nadi_csv *csv, double value); /* empty when not finite */
void nadi_csv_text(struct nadi_csv *csv, const char *value);
void nadi_csv_empty(struct nadi_csv *csv);
void nadi_csv_end_row(struct nadi_csv *csv);

#endif
