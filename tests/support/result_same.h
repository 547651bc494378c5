/* result_same: two results of the same inputs, made in different ways, held against each other. */
#ifndef NADI_TESTS_RESULT_SAME_H
#define NADI_TESTS_RESULT_SAME_H

#include "sim/result.h"

/* Everything but what depends on the executor: every rank's times, each node's start and end (the
 * spans are sorted), what crossed the network and each link. The first difference is printed after
 * `who`. */
bool result_same(const char *who, struct nadi_result *want, struct nadi_result *got);

#endif
