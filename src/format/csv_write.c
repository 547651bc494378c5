#include "format/csv_write.h"

#include "base/guard.h"
#include "format/number.h"

#include <math.h>

void nadi_csv_header(struct nadi_csv *csv, const char *names)
{
    csv->columns = 1;
    for (const char *c = names; *c; c++)
        csv->columns += *c == ',';
    nadi_str_add(csv->out, names);
    nadi_str_add_char(csv->out, '\n');
}

static void lead(struct nadi_csv *csv)
{
    if (csv->at++)
        nadi_str_add_char(csv->out, ',');
}

void nadi_csv_u64(struct nadi_csv *csv, uint64_t value)
{
    lead(csv);
    nadi_number_add_u64(csv->out, value);
}

void nadi_csv_double(struct nadi_csv *csv, double value)
{
    lead(csv);
    if (isfinite(value))
        nadi_number_add_double(csv->out, value);
}

void nadi_csv_text(struct nadi_csv *csv, const char *value)
{
    lead(csv);
    if (!strpbrk(value, ",\"\n\r")) {
        nadi_str_add(csv->out, value);
        return;
    }
    nadi_str_add_char(csv->out, '"');
    for (; *value; value++) {
        if (*value == '"')
            nadi_str_add_char(csv->out, '"');
        nadi_str_add_char(csv->out, *value);
    }
    nadi_str_add_char(csv->out, '"');
}

void nadi_csv_empty(struct nadi_csv *csv)
{
    lead(csv);
}

void nadi_csv_end_row(struct nadi_csv *csv)
{
    NADI_ASSERT(csv->at == csv->columns);
    csv->at = 0;
    nadi_str_add_char(csv->out, '\n');
    (void)nadi_guard_look();
}
