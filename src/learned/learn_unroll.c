/* learn_unroll: loops whose rounds differ, and always the same way, are no loops.
 *
 * Blocks of a convolutional network are the same operators with other sizes in each of its stages.
 * Where all programs go round as often, and two jobs at least agree how a size differs from round
 * to round, the rounds become operators one after the other: each has laws of its own. Where only
 * one job says so, the rounds stay one, and their mean is learned. */
#include "base/mem.h"
#include "learned/learn.h"

#include <math.h>

/* Rounds; the two at each end have laws of their own anyway, and say nothing here. */
enum { ENDS = 2, FEWEST = 2 * ENDS + 1, MOST = 128 };

static const double alike = 0.01;

struct loop { /* a rule in all parses */
    struct nadi_learning *l;
    uint32_t symbol, length, rounds;
    const struct nadi_grammar_item *first; /* where it stands first */
    uint32_t first_program;
    bool same_count;     /* everywhere */
    bool two_jobs;       /* have it */
    bool *same, *differ; /* by operator of the body, FLOPs then bytes: as there, in each round; do
                            rounds differ? */
};

static double size_of(const struct loop *o, uint32_t program, const struct nadi_grammar_item *leaf,
                      uint32_t bytes)
{
    const struct nadi_job_program *p = o->l->programs[program].program;
    return 1 + (double)(bytes ? p->bytes[leaf->node] : p->ops[leaf->node]);
}

/* Round i of an operator of the body by the first that is not at an end. */
static double ratio(const struct loop *o, uint32_t program, const struct nadi_grammar_item *in,
                    uint32_t i, uint32_t k, uint32_t bytes)
{
    return size_of(o, program, &in[i * o->length + k], bytes) /
           size_of(o, program, &in[ENDS * o->length + k], bytes);
}

static void compare(struct loop *o, uint32_t program, const struct nadi_grammar_item *item)
{
    for (uint32_t k = 0; k < o->length; k++)
        for (uint32_t i = ENDS; i + ENDS < o->rounds && item->in[k].node != NADI_NONE; i++)
            for (uint32_t bytes = 0; bytes < 2; bytes++) {
                const double here = ratio(o, program, item->in, i, k, bytes);
                const double there = ratio(o, o->first_program, o->first->in, i, k, bytes);
                o->same[2 * k + bytes] &= fabs(here / there - 1) < alike;
                o->differ[2 * k + bytes] |= fabs(here - 1) > alike;
            }
}

static void look(struct loop *o, uint32_t program, const struct nadi_grammar_item *items,
                 uint32_t count)
{
    for (uint32_t i = 0; i < count && o->same_count; i++) {
        const struct nadi_grammar_rule *rule = nadi_grammar_rule(&o->l->grammar, items[i].symbol);
        if (!rule)
            continue;
        if (items[i].symbol != o->symbol) {
            look(o, program, items[i].in, items[i].count * rule->length);
            continue;
        }
        if (!o->first) {
            o->first = &items[i];
            o->first_program = program;
            o->rounds = items[i].count;
        }
        o->same_count &= items[i].count == o->rounds && o->rounds >= FEWEST && o->rounds <= MOST;
        o->two_jobs |= o->l->programs[program].job != o->l->programs[o->first_program].job;
        if (o->same_count)
            compare(o, program, &items[i]);
    }
}

static bool is_no_loop(struct loop *o)
{
    bool agreed = false;
    o->same = NADI_NEW(bool, 2 * o->length);
    o->differ = NADI_ZNEW(bool, 2 * o->length);
    memset(o->same, true, 2 * o->length * sizeof(*o->same));
    for (uint32_t p = 0; p < o->l->program_count; p++)
        look(o, p, o->l->grammar.parses[p].items, o->l->grammar.parses[p].count);
    for (uint32_t i = 0; i < 2 * o->length; i++)
        agreed |= o->same[i] && o->differ[i];
    nadi_mem_free(o->same);
    nadi_mem_free(o->differ);
    return o->first && o->same_count && o->two_jobs && agreed;
}

/* --- rounds one after the other ----------------------------------------------------------------
 */

/* The items with those of the loop's rounds in its place; *count: how many. Items live in the
 * grammar's arena. */
static struct nadi_grammar_item *spread_items(const struct loop *o, struct nadi_grammar_item *items,
                                              uint32_t *count)
{
    const uint32_t inside = o->rounds * o->length;
    uint32_t extra = 0, at = 0;
    for (uint32_t i = 0; i < *count; i++)
        extra += items[i].symbol == o->symbol ? inside - 1 : 0;
    struct nadi_grammar_item *out =
        extra ? NADI_ARENA_NEW(&o->l->grammar.arena, struct nadi_grammar_item, *count + extra)
              : items;
    for (uint32_t i = 0; i < *count; i++) {
        const struct nadi_grammar_rule *rule = nadi_grammar_rule(&o->l->grammar, items[i].symbol);
        if (items[i].symbol == o->symbol) {
            memcpy(out + at, items[i].in, inside * sizeof(*out));
            at += inside;
            continue;
        }
        out[at] = items[i];
        if (rule) {
            uint32_t all = items[i].count * rule->length;
            out[at].in = spread_items(o, items[i].in, &all);
        }
        at++;
    }
    *count = at;
    return out;
}

static void spread_rule(const struct loop *o, struct nadi_grammar_rule *rule)
{
    const struct nadi_grammar_rule *loop = nadi_grammar_rule(&o->l->grammar, o->symbol);
    const uint32_t inside = o->rounds * o->length;
    uint32_t extra = 0, at = 0;
    for (uint32_t i = 0; i < rule->length; i++)
        extra += rule->body[i] == o->symbol ? inside - 1 : 0;
    if (extra == 0)
        return;
    uint32_t *body = NADI_ARENA_NEW(&o->l->grammar.arena, uint32_t, rule->length + extra);
    for (uint32_t i = 0; i < rule->length; i++) {
        if (rule->body[i] != o->symbol) {
            body[at++] = rule->body[i];
            continue;
        }
        for (uint32_t k = 0; k < inside; k++)
            body[at++] = loop->body[k % o->length];
    }
    *rule = (struct nadi_grammar_rule){body, at};
}

void nadi_learn_unroll(struct nadi_learning *l)
{
    for (size_t r = 0; r < l->grammar.rules.count; r++) {
        struct loop o = {.l = l,
                         .symbol = l->grammar.symbol_base + (uint32_t)r,
                         .length = l->grammar.rules.items[r].length,
                         .same_count = true};
        if (!is_no_loop(&o))
            continue;
        for (uint32_t p = 0; p < l->program_count; p++)
            l->grammar.parses[p].items =
                spread_items(&o, l->grammar.parses[p].items, &l->grammar.parses[p].count);
        for (size_t i = 0; i < l->grammar.rules.count; i++)
            if (i != r)
                spread_rule(&o, &l->grammar.rules.items[i]);
    }
}
