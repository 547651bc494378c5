/* design_points: designs in order, and those that no other one is better than in both. */
#ifndef NADI_REPORT_DESIGN_POINTS_H
#define NADI_REPORT_DESIGN_POINTS_H

#include "design/design.h"

/* Simulated ones first, by value; then bounded ones; then the rest by point. The caller frees it.
 */
uint64_t *nadi_design_ranking(const struct nadi_design_answer *a);
/* By design: is none both cheaper and better? Of those with a value and a price. The caller frees
 * it. */
bool *nadi_design_front(const struct nadi_design_answer *a);

#endif
