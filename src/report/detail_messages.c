/* detail_messages: which messages of collectives there is room for. */
#include "base/map.h"
#include "base/mem.h"
#include "base/time.h"
#include "report/detail_inside.h"

enum part { PART_NONE, PART_WHOLE, PART_ONE }; /* ONE: of the collective's first rank alone */

struct candidate { /* a collective with messages of shown ranks */
    uint64_t ns;
    uint32_t op, messages;
    enum part part;
    bool again; /* not the longest of its sort */
};

static int by_turn(const void *x, const void *y)
{
    const struct candidate *a = x, *b = y;
    if (a->again != b->again)
        return a->again ? 1 : -1;
    if (a->ns != b->ns)
        return a->ns > b->ns ? -1 : 1;
    return a->op < b->op ? -1 : a->op > b->op;
}

/* Whose messages the message is among, if its collective goes in whole or in part. */
static enum part part_of(const struct nadi_result *r, const struct nadi_detail *d,
                         const struct nadi_message_entry *m)
{
    if (!m->op || !(nadi_detail_rank(d, m->src) || nadi_detail_rank(d, m->dst)))
        return PART_NONE;
    const uint32_t first = r->collectives[m->op - 1].rank;
    return m->src == first || m->dst == first ? PART_ONE : PART_WHOLE;
}

/* Marks all but the first of each kind, number of ranks and size; they stand by falling time. */
static void mark_sorts(const struct nadi_result *r, struct candidate *list, size_t count)
{
    struct nadi_map64 sorts;
    nadi_map64_init(&sorts, 0);
    for (size_t i = 0; i < count; i++) {
        const struct nadi_collective_result *c = &r->collectives[list[i].op];
        const uint64_t sort[] = {(uint64_t)c->kind, c->ranks, c->bytes};
        bool added;
        (void)nadi_map64_put(&sorts, nadi_hash_words(sort, 3), 0, &added);
        list[i].again = !added;
    }
    nadi_map64_release(&sorts);
}

struct counts {
    uint32_t whole, one;
};

/* By collective: which of its messages go in? */
static enum part *choose(const struct nadi_result *r, const struct counts *messages)
{
    enum part *chosen = NADI_ZNEW(enum part, r->collective_count);
    struct candidate *list = NADI_NEW(struct candidate, r->collective_count);
    size_t count = 0;
    uint64_t room = NADI_DETAIL_MESSAGES;
    for (size_t i = 0; i < r->collective_count; i++) {
        const struct nadi_collective_result *c = &r->collectives[i];
        const enum part part = messages[i].whole <= room ? PART_WHOLE : PART_ONE;
        const uint32_t number = part == PART_WHOLE ? messages[i].whole : messages[i].one;
        if (number > 0)
            list[count++] = (struct candidate){
                .ns = c->end_ns - c->start_ns, .op = (uint32_t)i, .messages = number, .part = part};
    }
    qsort(list, count, sizeof(*list), by_turn);
    mark_sorts(r, list, count);
    qsort(list, count, sizeof(*list), by_turn);
    for (size_t i = 0; i < count; i++)
        if (list[i].messages <= room) {
            chosen[list[i].op] = list[i].part;
            room -= list[i].messages;
        }
    nadi_mem_free(list);
    return chosen;
}

void nadi_detail_choose_messages(const struct nadi_result *r, struct nadi_detail *d)
{
    struct counts *messages = NADI_ZNEW(struct counts, r->collective_count);
    size_t count = 0;
    for (size_t i = 0; i < r->logged_count; i++) {
        const enum part part = part_of(r, d, &r->logged[i]);
        if (part == PART_NONE)
            continue;
        messages[r->logged[i].op - 1].whole++;
        messages[r->logged[i].op - 1].one += part == PART_ONE;
    }
    enum part *chosen = choose(r, messages);
    for (size_t i = 0; i < r->collective_count; i++)
        count += chosen[i] == PART_WHOLE ? messages[i].whole
                 : chosen[i] == PART_ONE ? messages[i].one
                                         : 0;
    d->some_messages = true;
    d->messages = NADI_NEW(uint32_t, count);
    for (size_t i = 0; i < r->logged_count; i++) {
        const enum part part = part_of(r, d, &r->logged[i]);
        const enum part wanted = part ? chosen[r->logged[i].op - 1] : PART_NONE;
        if (wanted == PART_WHOLE || (wanted == PART_ONE && part == PART_ONE))
            d->messages[d->message_count++] = (uint32_t)i;
    }
    nadi_mem_free(chosen);
    nadi_mem_free(messages);
}
