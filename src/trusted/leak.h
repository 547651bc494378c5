/* leak: does the link show what is accessed?
 *
 * Three sequences of equal length, of a space of pages: sequential, Zipf (1 / place), one hot page.
 * Each trial runs each on an engine of its own; the link shows a place for each access: the frame
 * that is read, or with Path ORAM the leaf. Trials are independent, so these tests are exact but
 * for the sizes of samples:
 *
 *   uniform   places are equally likely (path-oram: of all accesses; else of the last of a trial)
 *   places    the last place of a trial, of two sequences: chi-square, 16 bins
 *   pairs     the last two, 4 x 4 bins
 *   runs      of places in the upper and in the lower half, their number in a trial: equal means
 *   reuse     how many accesses ago the last place was read or written: chi-square, in powers of 2
 *
 * A test fails below 0.01 / (number of tests), so that one that should not fail does in at most one
 * of a hundred runs (Bonferroni). More trials see smaller differences. */
#ifndef NADI_TRUSTED_LEAK_H
#define NADI_TRUSTED_LEAK_H

#include "trusted/pages.h"

enum nadi_leak_test {
    NADI_LEAK_UNIFORM,
    NADI_LEAK_PLACES,
    NADI_LEAK_PAIRS,
    NADI_LEAK_RUNS,
    NADI_LEAK_REUSE,
    NADI_LEAK_TESTS
};
enum { NADI_LEAK_SEQUENCES = 3, NADI_LEAK_ROWS = 15, NADI_LEAK_PAGES = 256 };

#define NADI_LEAK_ALPHA 0.01

struct nadi_leak_options {
    enum nadi_oblivious oblivious;
    uint32_t trials;   /* at least 100 */
    uint32_t accesses; /* of a trial */
    uint64_t seed;
};

struct nadi_leak_row {
    enum nadi_leak_test test;
    uint32_t first, second; /* sequences; uniform: the same */
    double p;
    bool fails;
};

struct nadi_leak_result {
    struct nadi_leak_row rows[NADI_LEAK_ROWS];
    uint32_t failed[NADI_LEAK_TESTS];
    double threshold;
    bool as_documented;
};

const char *nadi_leak_test_name(enum nadi_leak_test t);
const char *nadi_leak_sequence_name(uint32_t s);
/* What the level is documented to do. */
const char *nadi_leak_expectation(enum nadi_oblivious o);
/* Whether so many failed tests are what is documented of the level. */
bool nadi_leak_as_documented(enum nadi_oblivious o, const uint32_t failed[NADI_LEAK_TESTS]);
void nadi_leak_run(const struct nadi_leak_options *o, struct nadi_leak_result *r);

#endif
