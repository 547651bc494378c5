#include "base/mem.h"
#include "capture/timeline_parts.h"

struct start {
    int64_t from;
    uint32_t slice;
};

static int compare_starts(const void *a, const void *b)
{
    const struct start *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->slice < y->slice ? -1 : x->slice > y->slice;
}

static bool runs(const struct nadi_time_slice *p)
{
    return p->kind != NADI_SLICE_WAIT && p->kind != NADI_SLICE_JOIN && p->to > p->from;
}

/* An operator before a gap; of operators the one that began last, of gaps the one that ends first,
 * for an operator follows it. */
static bool goes_before(const struct nadi_time_slice *a, const struct nadi_time_slice *b)
{
    bool a_gap = a->kind == NADI_SLICE_GAP, b_gap = b->kind == NADI_SLICE_GAP;
    if (a_gap != b_gap)
        return b_gap;
    if (a_gap)
        return a->to < b->to;
    return a->from != b->from ? a->from > b->from : a > b;
}

/* Slices that run at one moment, at most one a thread. */
struct running {
    uint32_t *items;
    size_t count;
};

/* Gives the time up to `to` to one of those that run, and lets those go that end then. */
static void spend(struct nadi_time_slice *slices, struct running *r, int64_t from, int64_t to)
{
    struct nadi_time_slice *first = &slices[r->items[0]];
    for (size_t i = 1; i < r->count; i++)
        if (goes_before(&slices[r->items[i]], first))
            first = &slices[r->items[i]];
    first->own += to - from;
    size_t kept = 0;
    for (size_t i = 0; i < r->count; i++)
        if (slices[r->items[i]].to > to)
            r->items[kept++] = r->items[i];
    r->count = kept;
}

void nadi_timeline_share(struct nadi_timeline *t)
{
    struct nadi_time_slice *slices = t->slices.items;
    struct start *starts = NADI_NEW(struct start, t->slices.count);
    struct running r = {NADI_NEW(uint32_t, t->slices.count), 0};
    size_t count = 0;
    for (uint32_t i = 0; i < t->slices.count; i++)
        if (runs(&slices[i]))
            starts[count++] = (struct start){slices[i].from, i};
    qsort(starts, count, sizeof(*starts), compare_starts);
    int64_t now = 0;
    for (size_t i = 0; i < count || r.count;) {
        if (!r.count)
            now = starts[i].from;
        while (i < count && starts[i].from <= now)
            r.items[r.count++] = starts[i++].slice;
        int64_t to = i < count ? starts[i].from : INT64_MAX;
        for (size_t k = 0; k < r.count; k++)
            to = slices[r.items[k]].to < to ? slices[r.items[k]].to : to;
        spend(slices, &r, now, to);
        now = to;
    }
    nadi_mem_free(r.items);
    nadi_mem_free(starts);
}
