/* check_pairs: finds pairs of ranks whose sends and receives do not match, where peers are
 * distances.
 *
 * A pair is what one trace exchanges with the rank at one distance. Pairs of the same two traces
 * are compared once, whatever the number of ranks: O(nodes log nodes) of the distinct traces and
 * O(ranks * pairs of a rank). Private to inputs. */
#ifndef NADI_INPUTS_CHECK_PAIRS_H
#define NADI_INPUTS_CHECK_PAIRS_H

#include "inputs/inputs.h"

enum { NADI_TAG_MODULUS = 500000000, NADI_ODD_PAIRS = 64 };

struct nadi_odd_pairs { /* the first ones, and how many unpaired ends the others have */
    struct {
        uint32_t a, b;
    } items[NADI_ODD_PAIRS];
    uint32_t count;
    uint64_t more_sends, more_recvs;
};

void nadi_find_odd_pairs(const struct nadi_inputs *in, struct nadi_odd_pairs *odd);

#endif
