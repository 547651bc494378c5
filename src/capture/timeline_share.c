#include "base/mem.h"
#include "capture/timeline_parts.h"

struct start {
    int64_t from;
    uint32_t piece;
};

static int compare_starts(const void *a, const void *b)
{
    const struct start *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->piece < y->piece ? -1 : x->piece > y->piece;
}

static bool runs(const struct nadi_piece *p)
{
    return p->kind != NADI_PIECE_WAIT && p->kind != NADI_PIECE_JOIN && p->to > p->from;
}

/* An operator before a gap; of operators the one that began last, of gaps the one that ends first,
 * for an operator follows it. */
static bool goes_before(const struct nadi_piece *a, const struct nadi_piece *b)
{
    bool a_gap = a->kind == NADI_PIECE_GAP, b_gap = b->kind == NADI_PIECE_GAP;
    if (a_gap != b_gap)
        return b_gap;
    if (a_gap)
        return a->to < b->to;
    return a->from != b->from ? a->from > b->from : a > b;
}

/* Pieces that run at one moment, at most one a thread. */
struct running {
    uint32_t *items;
    size_t count;
};

/* Gives the time up to `to` to one of those that run, and lets those go that end then. */
static void spend(struct nadi_piece *pieces, struct running *r, int64_t from, int64_t to)
{
    struct nadi_piece *first = &pieces[r->items[0]];
    for (size_t i = 1; i < r->count; i++)
        if (goes_before(&pieces[r->items[i]], first))
            first = &pieces[r->items[i]];
    first->own += to - from;
    size_t kept = 0;
    for (size_t i = 0; i < r->count; i++)
        if (pieces[r->items[i]].to > to)
            r->items[kept++] = r->items[i];
    r->count = kept;
}

void nadi_timeline_share(struct nadi_timeline *t)
{
    struct nadi_piece *pieces = t->pieces.items;
    struct start *starts = NADI_NEW(struct start, t->pieces.count);
    struct running r = {NADI_NEW(uint32_t, t->pieces.count), 0};
    size_t count = 0;
    for (uint32_t i = 0; i < t->pieces.count; i++)
        if (runs(&pieces[i]))
            starts[count++] = (struct start){pieces[i].from, i};
    qsort(starts, count, sizeof(*starts), compare_starts);
    int64_t now = 0;
    for (size_t i = 0; i < count || r.count;) {
        if (!r.count)
            now = starts[i].from;
        while (i < count && starts[i].from <= now)
            r.items[r.count++] = starts[i++].piece;
        int64_t to = i < count ? starts[i].from : INT64_MAX;
        for (size_t k = 0; k < r.count; k++)
            to = pieces[r.items[k]].to < to ? pieces[r.items[k]].to : to;
        spend(pieces, &r, now, to);
        now = to;
    }
    nadi_mem_free(r.items);
    nadi_mem_free(starts);
}
