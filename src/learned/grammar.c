#include "learned/grammar.h"

#include "base/mem.h"

enum { MOST_PERIOD = 4096 };

/* Where the first run of two bodies of length p begins; the end of the parse: there is none. */
static uint32_t find_repeat(const struct nadi_grammar_parse *parse, uint32_t p)
{
    uint32_t run = 0;
    for (uint32_t i = 0; i + p < parse->count; i++) {
        run = parse->items[i].symbol == parse->items[i + p].symbol ? run + 1 : 0;
        if (run == p)
            return i + 1 - p;
    }
    return parse->count;
}

static uint32_t keep_rule(struct nadi_grammar *g, const struct nadi_grammar_item *body,
                          uint32_t length)
{
    uint32_t *symbols = NADI_ARENA_NEW(&g->arena, uint32_t, length);
    for (uint32_t i = 0; i < length; i++)
        symbols[i] = body[i].symbol;
    const uint32_t next = (uint32_t)g->rules.count;
    const uint64_t key = nadi_hash_bytes(symbols, length * sizeof(*symbols));
    const uint32_t at = *nadi_map64_put(&g->index, key, next, NULL);
    if (at == next) {
        const struct nadi_grammar_rule rule = {symbols, length};
        NADI_PUSH(&g->rules, rule);
    }
    return at;
}

static bool matches(const struct nadi_grammar_parse *parse, uint32_t at,
                    const struct nadi_grammar_rule *rule)
{
    if (at + rule->length > parse->count)
        return false;
    for (uint32_t i = 0; i < rule->length; i++)
        if (parse->items[at + i].symbol != rule->body[i])
            return false;
    return true;
}

/* Every run of the rule's body becomes one item. */
static void fold(struct nadi_grammar *g, struct nadi_grammar_parse *parse, uint32_t number)
{
    const struct nadi_grammar_rule *rule = &g->rules.items[number];
    uint32_t kept = 0;
    for (uint32_t i = 0; i < parse->count;) {
        uint32_t times = 0;
        while (matches(parse, i + times * rule->length, rule))
            times++;
        if (times == 0) {
            parse->items[kept++] = parse->items[i++];
            continue;
        }
        const uint32_t inside = times * rule->length;
        struct nadi_grammar_item *in = NADI_ARENA_NEW(&g->arena, struct nadi_grammar_item, inside);
        memcpy(in, parse->items + i, inside * sizeof(*in));
        parse->items[kept++] = (struct nadi_grammar_item){
            .symbol = g->symbol_base + number, .count = times, .node = NADI_NONE, .in = in};
        i += inside;
    }
    parse->count = kept;
}

/* Folds the first body of p items that repeats, in all programs; false: none does. */
static bool fold_period(struct nadi_grammar *g, uint32_t p)
{
    for (uint32_t i = 0; i < g->program_count; i++) {
        const uint32_t at = find_repeat(&g->parses[i], p);
        if (at == g->parses[i].count)
            continue;
        const uint32_t rule = keep_rule(g, g->parses[i].items + at, p);
        for (uint32_t k = 0; k < g->program_count; k++)
            fold(g, &g->parses[k], rule);
        return true;
    }
    return false;
}

static uint32_t longest(const struct nadi_grammar *g)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < g->program_count; i++)
        most = most > g->parses[i].count ? most : g->parses[i].count;
    return most;
}

static void start(struct nadi_grammar *g, uint32_t i, const struct nadi_job_program *p)
{
    struct nadi_grammar_parse *parse = &g->parses[i];
    parse->count = p->node_count;
    parse->items = NADI_ARENA_NEW(&g->arena, struct nadi_grammar_item, p->node_count);
    for (uint32_t n = 0; n < p->node_count; n++)
        parse->items[n] = (struct nadi_grammar_item){.symbol = p->symbol[n], .count = 1, .node = n};
}

void nadi_grammar_make(struct nadi_grammar *g, const struct nadi_job_program *const *programs,
                       uint32_t count, uint32_t symbol_count)
{
    *g = (struct nadi_grammar){.symbol_base = symbol_count, .program_count = count};
    nadi_arena_init(&g->arena);
    nadi_map64_init(&g->index, 64);
    g->parses = NADI_ARENA_ZNEW(&g->arena, struct nadi_grammar_parse, count);
    for (uint32_t i = 0; i < count; i++)
        start(g, i, programs[i]);
    /* From the shortest again after each: what is folded makes shorter periods of longer ones. */
    for (uint32_t p = 1; p <= longest(g) / 2 && p <= MOST_PERIOD; p++)
        if (fold_period(g, p))
            p = 0;
}

void nadi_grammar_release(struct nadi_grammar *g)
{
    nadi_mem_free(g->rules.items);
    nadi_map64_release(&g->index);
    nadi_arena_release(&g->arena);
}
