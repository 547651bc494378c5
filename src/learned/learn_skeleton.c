/* learn_skeleton: one sequence of items for all programs of a family, by the longest common
 * subsequence, program after program. */
#include "base/mem.h"
#include "learned/learn.h"

enum {
    MOST_TABLE = 1 << 25, /* entries: beyond it what differs is not compared */
    MOST_OUTER = 1 << 16  /* items, of some kilobytes each once they are learned */
};

struct merge {
    const uint32_t *a, *b; /* skeleton, program */
    uint32_t a_count, b_count;
    uint32_t *a_to, *b_to; /* places in what is merged */
    uint32_t next;
};

static void both(struct merge *m, uint32_t i, uint32_t k)
{
    m->a_to[i] = m->b_to[k] = m->next++;
}

/* The middle part, a[i0 .. i1) and b[k0 .. k1). */
static void merge_middle(struct merge *m, uint32_t i0, uint32_t i1, uint32_t k0, uint32_t k1)
{
    const size_t rows = i1 - i0 + (size_t)1, columns = k1 - k0 + (size_t)1;
    uint32_t i = i0, k = k0;
    if (rows * columns <= MOST_TABLE && i0 < i1 && k0 < k1) {
        uint32_t *table = NADI_ZNEW(uint32_t, rows * columns);
        for (size_t r = rows - 1; r-- > 0;)
            for (size_t c = columns - 1; c-- > 0;) {
                const uint32_t down = table[(r + 1) * columns + c],
                               right = table[r * columns + c + 1];
                table[r * columns + c] = m->a[i0 + r] == m->b[k0 + c]
                                             ? table[(r + 1) * columns + c + 1] + 1
                                             : (down > right ? down : right);
            }
        while (i < i1 && k < k1) {
            const size_t r = i - i0, c = k - k0;
            if (m->a[i] == m->b[k])
                both(m, i++, k++);
            else if (table[(r + 1) * columns + c] >= table[r * columns + c + 1])
                m->a_to[i++] = m->next++;
            else
                m->b_to[k++] = m->next++;
        }
        nadi_mem_free(table);
    }
    while (i < i1)
        m->a_to[i++] = m->next++;
    while (k < k1)
        m->b_to[k++] = m->next++;
}

static void merge(struct merge *m)
{
    uint32_t front = 0, back = 0;
    const uint32_t least = m->a_count < m->b_count ? m->a_count : m->b_count;
    while (front < least && m->a[front] == m->b[front])
        front++;
    while (back < least - front && m->a[m->a_count - 1 - back] == m->b[m->b_count - 1 - back])
        back++;
    for (uint32_t i = 0; i < front; i++)
        both(m, i, i);
    merge_middle(m, front, m->a_count - back, front, m->b_count - back);
    for (uint32_t i = back; i > 0; i--)
        both(m, m->a_count - i, m->b_count - i);
}

static void add_program(struct nadi_learning *l, uint32_t number)
{
    const struct nadi_grammar_parse *parse = &l->grammar.parses[number];
    uint32_t *symbols = NADI_NEW(uint32_t, parse->count);
    struct merge m = {.a = l->skeleton.items,
                      .a_count = (uint32_t)l->skeleton.count,
                      .b = symbols,
                      .b_count = parse->count};
    m.a_to = NADI_NEW(uint32_t, m.a_count);
    m.b_to = NADI_NEW(uint32_t, m.b_count);
    for (uint32_t i = 0; i < parse->count; i++)
        symbols[i] = parse->items[i].symbol;
    merge(&m);
    uint32_t *merged = NADI_NEW(uint32_t, m.next);
    for (uint32_t i = 0; i < m.a_count; i++)
        merged[m.a_to[i]] = m.a[i];
    for (uint32_t k = 0; k < m.b_count; k++)
        merged[m.b_to[k]] = m.b[k];
    for (uint32_t p = 0; p < number; p++)
        for (uint32_t i = 0; i < l->grammar.parses[p].count; i++)
            l->programs[p].slot_of[i] = m.a_to[l->programs[p].slot_of[i]];
    l->programs[number].slot_of = m.b_to;
    nadi_mem_free(l->skeleton.items);
    l->skeleton.items = merged;
    l->skeleton.count = l->skeleton.capacity = m.next;
    nadi_mem_free(m.a_to);
    nadi_mem_free(symbols);
}

bool nadi_learn_skeleton(struct nadi_learning *l)
{
    for (uint32_t p = 0; p < l->program_count; p++) {
        add_program(l, p);
        if (l->skeleton.count > MOST_OUTER)
            return nadi_error(l->diags, "learn/unexplained", NADI_IN_FILE(l->jobs[0]->path),
                              "learn with `--model sequence`, which is for jobs that repeat little",
                              "more than %d operators of this family's programs repeat nothing and "
                              "are on no other rank: a structural model would be the job itself",
                              MOST_OUTER);
    }
    return true;
}

/* --- slots -------------------------------------------------------------------------------------
 */

static uint32_t family_role(const struct nadi_learning *l, uint32_t role)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < l->vocabulary->axis_count; i++)
        if (role >> i & 1 && l->bit_of[i] != NADI_NONE)
            bits |= UINT32_C(1) << l->bit_of[i];
    return bits;
}

/* The family's symbol: without the name, which stays behind. */
static uint32_t family_symbol(struct nadi_learning *l, uint32_t symbol)
{
    const struct nadi_job_symbol *s = &l->vocabulary->symbols.items[symbol];
    if (l->symbol_of[symbol] != NADI_NONE)
        return l->symbol_of[symbol];
    const uint32_t at = (uint32_t)l->family->symbols.count;
    const struct nadi_learned_symbol fresh = {.type = s->type,
                                              .kind = s->kind,
                                              .flags = s->flags,
                                              .role = family_role(l, s->role),
                                              .channel = s->channel};
    l->symbol_of[symbol] = at;
    l->named[at] = symbol;
    NADI_PUSH(&l->family->symbols, fresh);
    const uint32_t kind_of = s->kind_of == symbol ? at : family_symbol(l, s->kind_of);
    l->family->symbols.items[at].kind_of = kind_of;
    return at;
}

static uint32_t slots_below(const struct nadi_grammar *g, uint32_t symbol)
{
    const struct nadi_grammar_rule *rule = nadi_grammar_rule(g, symbol);
    uint32_t count = 0;
    for (uint32_t i = 0; rule && i < rule->length; i++)
        count += 1 + slots_below(g, rule->body[i]);
    return count;
}

static void fill_slot(struct nadi_learning *l, uint32_t at, uint32_t symbol)
{
    struct nadi_learned_slot *slot = &l->family->slots[at];
    const struct nadi_grammar_rule *rule = nadi_grammar_rule(&l->grammar, symbol);
    *slot = (struct nadi_learned_slot){.symbol = NADI_NONE};
    if (!rule) {
        slot->symbol = family_symbol(l, symbol);
        return;
    }
    slot->first = l->family->slot_count;
    slot->count = rule->length;
    l->family->slot_count += rule->length;
    for (uint32_t i = 0; i < rule->length; i++)
        fill_slot(l, slot->first + i, rule->body[i]);
}

void nadi_learn_slots(struct nadi_learning *l)
{
    struct nadi_learned_family *f = l->family;
    uint32_t all = 0;
    for (size_t i = 0; i < l->skeleton.count; i++)
        all += 1 + slots_below(&l->grammar, l->skeleton.items[i]);
    f->slots = NADI_ARENA_ZNEW(&l->model->arena, struct nadi_learned_slot, all);
    f->outer_count = f->slot_count = (uint32_t)l->skeleton.count;
    for (uint32_t i = 0; i < f->outer_count; i++)
        fill_slot(l, i, l->skeleton.items[i]);
    /* Classes and channels are named by symbols of the family. */
    for (size_t i = 0; i < f->symbols.count; i++) {
        const uint32_t channel = f->symbols.items[i].channel;
        f->symbols.items[i].channel = family_symbol(l, channel);
    }
}
