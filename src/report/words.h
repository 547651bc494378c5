/* words: what a run says in a few sentences: what bounds it, who is last and why, what would help
 * most, and whether the network model hid something. Pure; made of the figures of report/figures.h.
 *
 * What would help is an estimate: the last rank's time in compute and in communication that nothing
 * hides, each a tenth faster, as if the others never became the last ones. So it is what the change
 * brings at most. Nothing is simulated again. O(ranks + collectives log collectives). */
#ifndef NADI_REPORT_WORDS_H
#define NADI_REPORT_WORDS_H

#include "base/arena.h"
#include "sim/inputs.h"
#include "sim/result.h"

enum { NADI_WORDS_MOST = 4 };

struct nadi_words {
    const char *sentences[NADI_WORDS_MOST];
    uint32_t count; /* 0: the run did not finish, or had nothing to do */
};

/* The sentences are in the arena. */
struct nadi_words nadi_words_of(const struct nadi_inputs *in, const struct nadi_result *r,
                                struct nadi_arena *arena);

#endif
