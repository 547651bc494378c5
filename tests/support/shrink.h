/* shrink: makes an input that fails smaller while it goes on failing.
 *
 * Bytes are taken out and set to 0, in pieces that get smaller. At most `tries` calls of `fails`,
 * which is deterministic. Returns the new count; bytes are changed in place. */
#ifndef NADI_TESTS_SHRINK_H
#define NADI_TESTS_SHRINK_H

#include "base/base.h"

size_t shrink(uint8_t *bytes, size_t count, uint32_t tries,
              bool (*fails)(void *context, const uint8_t *bytes, size_t count), void *context);

#endif
