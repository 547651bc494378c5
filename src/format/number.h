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

#endif
