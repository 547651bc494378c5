/* repr: JSON values as Python prints them, the form in which traces carry inputs and outputs.
 *
 *   [[1, "cuda:0"], 0.900000, true, null]   becomes   [[1, 'cuda:0'], 0.9, True, None]
 *
 * Numbers take the shortest form that reads back as the same double. Of the characters beyond
 * ASCII only the C1 controls, the no-break space and the soft hyphen are escaped. O(bytes). */
#ifndef NADI_CAPTURE_REPR_H
#define NADI_CAPTURE_REPR_H

#include "format/json_pull.h"
#include "format/wire.h"

/* Reads one value and appends it. False with a fault in the scan. */
bool nadi_repr(struct nadi_pull *s, struct nadi_str *out);

#endif
