/* traffic_ends: requests by their end, the earliest first; of equal ends the older request. */
#include "memory/traffic_inside.h"

static bool before(const struct nadi_mem_traffic *t, uint32_t a, uint32_t b)
{
    const struct request *x = &t->requests.items[a], *y = &t->requests.items[b];
    if (x->end != y->end)
        return x->end < y->end;
    return x->issued != y->issued ? x->issued < y->issued : a < b;
}

static void put(struct nadi_mem_traffic *t, size_t at, uint32_t request)
{
    t->heap.items[at] = request;
    t->requests.items[request].slot = (uint32_t)at;
}

static void sift_up(struct nadi_mem_traffic *t, size_t at)
{
    const uint32_t request = t->heap.items[at];
    while (at && before(t, request, t->heap.items[(at - 1) / 2])) {
        put(t, at, t->heap.items[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    put(t, at, request);
}

static void sift_down(struct nadi_mem_traffic *t, size_t at)
{
    const uint32_t request = t->heap.items[at];
    for (size_t child; (child = 2 * at + 1) < t->heap.count; at = child) {
        if (child + 1 < t->heap.count && before(t, t->heap.items[child + 1], t->heap.items[child]))
            child++;
        if (!before(t, t->heap.items[child], request))
            break;
        put(t, at, t->heap.items[child]);
    }
    put(t, at, request);
}

void nadi_traffic_set_end(struct nadi_mem_traffic *t, uint32_t request, nadi_time end)
{
    struct request *q = &t->requests.items[request];
    q->end = end;
    if (q->slot == NADI_NONE) {
        q->slot = (uint32_t)t->heap.count;
        NADI_PUSH(&t->heap, request);
    }
    sift_up(t, q->slot);
    sift_down(t, t->requests.items[request].slot);
}

void nadi_traffic_take_out(struct nadi_mem_traffic *t, uint32_t request)
{
    const uint32_t slot = t->requests.items[request].slot;
    const uint32_t last = t->heap.items[--t->heap.count];
    t->requests.items[request].slot = NADI_NONE;
    if (last == request)
        return;
    put(t, slot, last);
    sift_up(t, slot);
    sift_down(t, t->requests.items[last].slot);
}
