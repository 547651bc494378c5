/* units: text with units to numbers and back.
 *
 * Parsing: a number, optional space, optional unit. Times: ps ns us ms s min h. Sizes: B kB MB GB
 * TB PB (10^3) and KiB MiB GiB TiB (2^10). Rates: the sizes per second ("50GB/s"), bits per second
 * ("400Gbps", "400Gb/s"). FLOP rates: FLOPS ... PFLOPS, or FLOP/s. A bare number takes the unit
 * that the caller names. */
#ifndef NADI_BASE_UNITS_H
#define NADI_BASE_UNITS_H

#include "base/base.h"

enum nadi_dimension {
    NADI_DIMENSION_NONE,  /* a plain number */
    NADI_DIMENSION_TIME,  /* base unit ns */
    NADI_DIMENSION_BYTES, /* base unit B */
    NADI_DIMENSION_RATE,  /* base unit B/s */
    NADI_DIMENSION_FLOPS, /* base unit FLOP/s */
};

/* *has_unit: a unit was written; then *value is in the base unit above, else as written. */
bool nadi_units_parse(const char *text, enum nadi_dimension dimension, double *value,
                      bool *has_unit) NADI_MUST_USE;
/* The units of a dimension, for messages: "ps, ns, us, ms, s, min, h". */
const char *nadi_units_list(enum nadi_dimension dimension);

/* Human forms with 4 significant digits: "12.34 ms", "1.500 GB", "50.00 GB/s". Return buffer. */
const char *nadi_units_time(char buffer[32], double ns);
const char *nadi_units_bytes(char buffer[32], double bytes);
const char *nadi_units_rate(char buffer[32], double bytes_per_s);
const char *nadi_units_joules(char buffer[32], double joules);
const char *nadi_units_count(char buffer[32], double count); /* 1.234 M */

#endif
