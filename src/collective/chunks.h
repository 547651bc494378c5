/* chunks: how long a collective takes in so many chunks, by closed form.
 *
 * A chunk takes each phase's messages one after another. While chunks of one batch are in a
 * dimension, other batches wait for it, or are in others: the dimension that takes longest decides,
 * and what the first batch takes before it and the last one behind it. A phase alone overlaps with
 * nothing. */
#ifndef NADI_COLLECTIVE_CHUNKS_H
#define NADI_COLLECTIVE_CHUNKS_H

#include "collective/plan.h"

/* Of `batches`, one after another, of `active` chunks with these phases, ns. Negative: it is not
 * known of one of the phases. */
double nadi_chunks_ns(const struct nadi_plan_request *request, const struct nadi_phase *phases,
                      uint32_t count, uint32_t batches, uint32_t active);

#endif
