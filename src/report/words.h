/* words: what a run says in a few sentences: what bounds it, which link the events file slows, who
 * is last and why, what would help most, and whether the network model hid something. Pure; made of
 * the figures of report/figures.h.
 *
 * What would help is an estimate: the derivative along the critical path (why/gains.h). Without
 * one, what a tenth faster compute or communication saves at most (why/tenth.h). Nothing is
 * simulated again. O(ranks + steps of the path + collectives log collectives). */
#ifndef NADI_REPORT_WORDS_H
#define NADI_REPORT_WORDS_H

#include "base/arena.h"
#include "base/str.h"
#include "inputs/inputs.h"
#include "sim/result.h"
#include "why/why.h"

enum { NADI_WORDS_MOST = 7 };

struct nadi_sentences {
    const char *sentences[NADI_WORDS_MOST];
    uint32_t count; /* 0: the run did not finish, or had nothing to do */
};

/* The sentences are in the arena. why: NULL where nodes were not recorded. */
struct nadi_sentences nadi_words_of(const struct nadi_inputs *in, const struct nadi_result *r,
                                    const struct nadi_why *why, struct nadi_arena *arena);

/* A sentence for a terminal, in lines of at most 96 columns, and the end of the last one. */
void nadi_words_put(const char *sentence, struct nadi_str *out);

/* "in_words": [...] */
struct nadi_json;
void nadi_words_json(const struct nadi_sentences *words, struct nadi_json *j);

#endif
