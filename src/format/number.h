/* number: integers and doubles as text, fast and the same on every machine.
 *
 * Doubles take the fewest of 15, 16 or 17 significant digits that read back as the same bits. */
#ifndef NADI_FORMAT_NUMBER_H
#define NADI_FORMAT_NUMBER_H

#include "base/str.h"

void nadi_number_add_u64(struct nadi_str *out, uint64_t value);
void nadi_number_add_i64(struct nadi_str *out, int64_t value);
/* "nan", "inf" and "-inf" for what is not finite. */
void nadi_number_add_double(struct nadi_str *out, double value);

/* A number in decimal: 0.d1d2... * 10^point, without zeros at either end. */
struct nadi_decimal {
    char digits[24];
    int count, point;
    bool negative;
};

/* A number as JSON has it, "-12.5e3"; digits beyond the room count as 0. */
struct nadi_decimal nadi_decimal_of(const char *text, size_t bytes);
/* As Python prints a float: "0.1", "100.0", "1e-05", "1.5e+16". */
void nadi_number_add_decimal(struct nadi_str *out, const struct nadi_decimal *d);

#endif
