/* anonymize: a trace that tells nothing but what a simulation needs.
 *
 * What stays is a list, everything else goes:
 *   metadata    version, where it is digits and dots
 *   nodes       id, type, dependencies, duration; the name as n_ and 16 hexadecimal digits
 *   inputs,     shapes, as lists of numbers; types, of known words
 *   outputs
 *   attributes  is_cpu_op, is_idle, num_ops, tensor_size, tensor_loc, comm_type, comm_size,
 * comm_priority, comm_src, comm_dst, comm_tag, involved_dim, duration_nanos; stream and tid,
 *               numbered anew; pg_name as g_ and digits; inputs and outputs (lists of tensors):
 *               names as t_ and digits, sizes
 * Names are the first 64 bits of HMAC-SHA-256 under the key: equal names stay equal, in all ranks.
 * Durations, operations, sizes and shapes are kept, or rounded to three significant bits (bucket),
 * or multiplied by secret factors between 1/2 and 2 that follow from the key (scale), one for times
 * and one for sizes.
 *
 * The verifier reads the result with rules of its own: any field, attribute or text that the list
 * does not allow is found. O(bytes). */
#ifndef NADI_TRACE_EDIT_ANONYMIZE_H
#define NADI_TRACE_EDIT_ANONYMIZE_H

#include "base/base.h"
#include "base/diag.h"
#include "base/map.h"
#include "base/str.h"
#include "trace/edit/report.h"
#include "trace/full.h"
#include "trace/links.h"

enum nadi_shapes {
    NADI_SHAPES_KEEP,
    NADI_SHAPES_BUCKET,
    NADI_SHAPES_SCALE,
};

struct nadi_anonymizer {
    const char *key;
    enum nadi_shapes shapes;
    double time_factor, size_factor; /* SCALE */
    /* Is "0" a group of its own rather than all ranks? */
    bool zero_is_group;
    struct nadi_strmap names; /* text with its kind in front -> offset in pseudonyms */
    struct nadi_str pseudonyms;
};

void nadi_anonymizer_init(struct nadi_anonymizer *a, const char *key, enum nadi_shapes shapes);
void nadi_anonymizer_release(struct nadi_anonymizer *a);

enum { NADI_PSEUDONYM = 18 }; /* characters of "n_0123456789abcdef" */

/* kind: 'n', 'g' or 't'. Valid until the next call. */
const char *nadi_pseudonym(struct nadi_anonymizer *a, char kind, const void *text, size_t bytes);
uint64_t nadi_anonymous_time(const struct nadi_anonymizer *a, uint64_t ns);
uint64_t nadi_anonymous_size(const struct nadi_anonymizer *a, uint64_t size);
/* "[[2, 3], [4]]" with other numbers; types of known words. False when it is no such text. */
bool nadi_anonymous_shapes(const struct nadi_anonymizer *a, const uint8_t *text, size_t bytes,
                           struct nadi_str *out);
bool nadi_anonymous_types(const uint8_t *text, size_t bytes, struct nadi_str *out);
bool nadi_is_known_type(const char *word, size_t bytes);

/* The whole trace, framed, to `out`. */
void nadi_anonymize(struct nadi_anonymizer *a, const struct nadi_full *f,
                    const struct nadi_links *links, struct nadi_str *out,
                    struct nadi_edit_report *report);

/* True when nothing but what is allowed is in there; otherwise what was found to `why`. */
bool nadi_anonymize_verify(const void *data, size_t bytes, struct nadi_str *why);

#endif
