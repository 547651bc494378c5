/* collect_parts: one result of a run that was made in two parts. */
#include "base/mem.h"
#include "sim/collect.h"

#define PUT_BEFORE(list, count)                                                                    \
    (result->list) = put_before(&result->arena, first->list, first->count, result->list,           \
                                result->count, sizeof(*result->list))

static void *put_before(struct nadi_arena *arena, const void *first, size_t first_count,
                        const void *second, size_t second_count, size_t size)
{
    char *all = nadi_arena_alloc(arena, first_count + second_count, size);
    if (first_count)
        memcpy(all, first, first_count * size);
    if (second_count)
        memcpy(all + first_count * size, second, second_count * size);
    return all;
}

/* A group's operations are numbered through. */
static void number_collectives(const struct nadi_result *first, const struct nadi_fold *fold,
                               struct nadi_result *result)
{
    uint32_t groups = 0;
    for (size_t i = 0; i < first->collective_count; i++)
        if (first->collectives[i].group >= groups)
            groups = first->collectives[i].group + 1;
    uint32_t *made = NADI_ZNEW(uint32_t, groups);
    for (size_t i = 0; i < first->collective_count; i++)
        made[first->collectives[i].group]++;
    for (size_t i = 0; i < result->collective_count; i++) {
        struct nadi_collective_result *c = &result->collectives[i];
        uint32_t canonical = fold->canonical[c->group];
        if (canonical < groups)
            c->sequence += made[canonical];
    }
    nadi_mem_free(made);
}

struct finish {
    uint64_t at;
    uint32_t place, rank;
};

static int by_time(const void *a, const void *b)
{
    const struct finish *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

static void order_finishes(struct nadi_result *r)
{
    struct finish *all = NADI_NEW(struct finish, r->finished_count);
    for (uint32_t i = 0; i < r->finished_count; i++)
        all[i] = (struct finish){nadi_result_rank(r, r->finish_order[i])->finish_ns, i,
                                 r->finish_order[i]};
    qsort(all, r->finished_count, sizeof(*all), by_time);
    for (uint32_t i = 0; i < r->finished_count; i++)
        r->finish_order[i] = all[i].rank;
    nadi_mem_free(all);
}

void nadi_collect_earlier(const struct nadi_result *first, const struct nadi_fold *fold,
                          struct nadi_result *result)
{
    number_collectives(first, fold, result);
    PUT_BEFORE(collectives, collective_count);
    result->collective_count += first->collective_count;
    PUT_BEFORE(spans, span_count);
    result->span_count += first->span_count;
    PUT_BEFORE(flows, flow_count);
    result->flow_count += first->flow_count;
    for (uint32_t d = 0; d < result->dim_count; d++) {
        result->dims[d].messages += first->dims[d].messages;
        result->dims[d].bytes += first->dims[d].bytes;
        result->dims[d].busy_ns += first->dims[d].busy_ns;
    }
    for (size_t t = 0; t < NADI_NODE_TYPES; t++)
        result->nodes_by_type[t] += first->nodes_by_type[t];
    result->messages += first->messages;
    result->message_bytes += first->message_bytes;
    result->events += first->events;
    result->offered_bytes += first->offered_bytes;
    result->parts[1] = result->parts[0];
    result->parts[0] = first->parts[0];
    result->part_count = 2;
    order_finishes(result);
}
