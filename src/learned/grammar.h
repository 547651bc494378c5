/* grammar: programs of a corpus with what repeats in them folded.
 *
 * A body of symbols that stands twice or more one after the other in any program becomes a rule,
 * and every run of it in all programs, of one too, becomes one item with a count; then the same
 * among items, until nothing repeats. Layers, micro-batches and the phases of a schedule come out,
 * innermost first. Counts are no part of an item's symbol: a rule is the same whatever its counts
 * are. O(n^2) per program in the worst case, n being what is left of it. */
#ifndef NADI_LEARNED_GRAMMAR_H
#define NADI_LEARNED_GRAMMAR_H

#include "learned/job.h"

struct nadi_grammar_rule {
    uint32_t *body; /* symbols: below symbol_base a vocabulary's, else rule + symbol_base */
    uint32_t length;
};

struct nadi_grammar_item { /* of a parsed program */
    uint32_t symbol;
    uint32_t count;               /* repetitions of a rule's body; 1 of a node */
    uint32_t node;                /* of a leaf: its place in the program */
    struct nadi_grammar_item *in; /* of a rule: count * length items */
};

struct nadi_grammar_parse {
    struct nadi_grammar_item *items;
    uint32_t count;
};

struct nadi_grammar {
    struct nadi_arena arena;
    struct nadi_map64 index; /* hash of a body -> its rule */
    uint32_t symbol_base;
    struct {
        struct nadi_grammar_rule *items;
        size_t count, capacity;
    } rules;
    struct nadi_grammar_parse *parses; /* by program */
    uint32_t program_count;
};

void nadi_grammar_make(struct nadi_grammar *g, const struct nadi_job_program *const *programs,
                       uint32_t count, uint32_t symbol_count);
void nadi_grammar_release(struct nadi_grammar *g);

static inline const struct nadi_grammar_rule *nadi_grammar_rule(const struct nadi_grammar *g,
                                                                uint32_t symbol)
{
    return symbol < g->symbol_base ? NULL : &g->rules.items[symbol - g->symbol_base];
}

#endif
