/* fuzz_load: bytes through one of the loaders of input files, as the fuzz targets want it.
 *
 * The invariant: a loader returns true exactly when it added no error, and what it filled is within
 * the ranges that the simulation relies on. */
#ifndef NADI_TESTS_FUZZ_LOAD_H
#define NADI_TESTS_FUZZ_LOAD_H

#include "inputs/load.h"

/* Loads `data` as the file of a kind; the rest of the inputs is a network of 4 x 2 x 3 ranks. `in`
 * is released by the caller in both cases. */
bool fuzz_load(struct nadi_inputs *in, enum nadi_schema_kind kind, const uint8_t *data,
               size_t size);
/* The same, and what was said is added to `diags`. */
bool fuzz_load_told(struct nadi_inputs *in, enum nadi_schema_kind kind, const uint8_t *data,
                    size_t size, struct nadi_diags *diags);

#endif
