/* show: a trace as JSON lines, one message a line, without loss; pack.h is the way back.
 *
 *   {"metadata":{"version":"0.0.4","attr":[{"name":"schema","string_val":"..."}]}}
 *   {"id":7,"name":"mm","type":"COMP_NODE","ctrl_deps":[3],"data_deps":[5,6],"duration_micros":12,
 *    "inputs":{"values":"...","shapes":"...","types":"..."},"attr":[{"name":"tid","int64_val":1}]}
 *
 * Keys are the schema's field names; what the message has not is left out, but for the id. Numbers
 * have all their digits. Doubles and floats that are no numbers are the texts "NaN", "Infinity",
 * "-Infinity"; bytes are base64. Fields that the schema does not know are kept as
 * "unknown":[{"field":11,"wire":2,"value":"base64"}] (a number for wire types 0, 1 and 5).
 *
 * A message that says the same in an unusual way (fields out of order, numbers longer than they
 * need be, text that is no UTF-8, defaults written out ...) has the key "raw" as well: its bytes,
 * base64, which pack then writes. "length_bytes" stands where the frame's length is longer than
 * needed.
 *
 * The jsonizer form is that of the Chakra tools before 1.0.0: indented objects in protobuf's JSON
 * mapping, one behind the other without a separator; unknown fields are not shown. Streaming:
 * memory is a window and the largest message. O(bytes). */
#ifndef NADI_TRACE_SHOW_H
#define NADI_TRACE_SHOW_H

#include "base/base.h"
#include "base/diag.h"
#include "format/out.h"

enum nadi_show_form {
    NADI_SHOW_LINES,
    NADI_SHOW_JSONIZER,
};

/* Writes to the sink, which stays the caller's. False with an error on damage; what came before it
 * has been written. */
bool nadi_show(const char *path, enum nadi_show_form form, struct nadi_out *sink,
               struct nadi_diags *diags) NADI_MUST_USE;
/* The same from memory: for tests. */
bool nadi_show_memory(const char *path, const void *data, size_t bytes, enum nadi_show_form form,
                      struct nadi_out *sink, struct nadi_diags *diags) NADI_MUST_USE;

#endif
