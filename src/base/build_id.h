/* build_id: what tells this build of the program from every other one: the linker's digest of the
 * program or library that contains this code. Two builds of one version may differ; what one has
 * computed is not the other's. */
#ifndef NADI_BASE_BUILD_ID_H
#define NADI_BASE_BUILD_ID_H

#include "base/base.h"

enum { NADI_BUILD_ID_BYTES = 64 };

/* Fills `id` and returns its length; 0: it was linked without one (ld --build-id). */
size_t nadi_build_id(uint8_t id[NADI_BUILD_ID_BYTES]);

#endif
