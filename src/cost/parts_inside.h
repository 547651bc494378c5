/* parts_inside: what the counters of parts.c and parts_dims.c share. Private to parts. */
#ifndef NADI_COST_PARTS_INSIDE_H
#define NADI_COST_PARTS_INSIDE_H

#include "cost/parts.h"

/* Adds to an alike need, or behind all; nothing where the count is 0. The role is copied. */
void nadi_needs_add(struct nadi_needs *n, const struct nadi_need *need);

#endif
