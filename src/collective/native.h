/* native: a phase of the reference's algorithms as a program, by the same interface as every other
 * algorithm (transfers, dependencies, reductions), to be shown, verified (collective/verify.h) and
 * written. Its executors have a packet engine of their own. */
#ifndef NADI_COLLECTIVE_NATIVE_H
#define NADI_COLLECTIVE_NATIVE_H

#include "collective/program.h"

/* The phase must outlive the program; max_tree: which of the two trees of a double binary tree.
 * NULL, or why its data are wrong: halving-doubling on other than a power of two. */
const char *nadi_native_program(const struct nadi_phase *phase, bool max_tree,
                                struct nadi_program *p) NADI_MUST_USE;

#endif
