/* path: the critical path and the shares of each rank. Private to why/. */
#ifndef NADI_WHY_PATH_H
#define NADI_WHY_PATH_H

#include "why/times.h"

/* Fills x->steps and x->sums. O(steps log nodes of a rank). */
void nadi_path_find(const struct nadi_times *t, struct nadi_why *x);

/* Fills x->shares. O(n log n). */
void nadi_shares_find(const struct nadi_times *t, struct nadi_why *x);

/* What an operation's time is called: its group's role, or what else it is. */
enum nadi_cause nadi_path_cause(const struct nadi_times *t, uint32_t rank, uint32_t node);

#endif
