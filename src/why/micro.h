/* micro: one collective by itself, all members starting together. Private to why/. */
#ifndef NADI_WHY_MICRO_H
#define NADI_WHY_MICRO_H

#include "inputs/inputs.h"

/* From the common start to the end on `rank`, ns; UINT64_MAX: it does not end. One simulation of
 * one node a rank on every rank that means a group by the node's name. */
uint64_t nadi_micro_collective(const struct nadi_inputs *in, uint32_t rank, uint32_t node);

/* The same to the end on the last member. */
uint64_t nadi_micro_longest(const struct nadi_inputs *in, uint32_t rank, uint32_t node);

/* Collectives with one key look alike: kind, size, dimensions, name and size of the group. */
uint64_t nadi_micro_key(const struct nadi_inputs *in, uint32_t rank, uint32_t node);

#endif
