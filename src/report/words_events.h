/* words_events: what a run says of the links that its events file slows. Private to words.c. */
#ifndef NADI_REPORT_WORDS_EVENTS_H
#define NADI_REPORT_WORDS_EVENTS_H

#include "base/str.h"
#include "inputs/inputs.h"
#include "sim/result.h"

/* A sentence, where no link of the run is fuller than one whose bandwidth an entry of the events
 * file lowers, else where an entry takes links down for more than `matters` of the run; nothing
 * else. O(links + the entries' links). */
void nadi_words_slow_links(const struct nadi_inputs *in, const struct nadi_result *r,
                           double matters, struct nadi_str *s);

#endif
