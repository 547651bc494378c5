/* fuzz_told: what was said of the input of a fuzz target, for whoever listens.
 *
 * In fuzz targets nadi_diags_release is this function (tests/CMakeLists.txt). */
#ifndef NADI_TESTS_FUZZ_TOLD_H
#define NADI_TESTS_FUZZ_TOLD_H

#include "base/diag.h"

typedef void fuzz_listener(const struct nadi_diags *diags);

/* Called with each list before it is released; NULL: nobody listens. */
void fuzz_listen(fuzz_listener *listener);
void fuzz_release(struct nadi_diags *diags);

#endif
