#include "base/mem.h"
#include "base/time.h"
#include "sim/collect.h"

#define APPEND(list, more, more_count)                                                             \
    do {                                                                                           \
        NADI_RESERVE((list), (list)->count + (more_count));                                        \
        for (size_t append_at = 0; append_at < (more_count); append_at++)                          \
            (list)->items[(list)->count++] = (more)[append_at];                                    \
    } while (0)

/* Moves a list to the result's arena. */
#define KEEP(sum, list, type, member, member_count)                                                \
    do {                                                                                           \
        (sum)->result->member = NADI_ARENA_NEW(&(sum)->result->arena, type, (sum)->list.count);    \
        if ((sum)->list.count)                                                                     \
            memcpy((sum)->result->member, (sum)->list.items, (sum)->list.count * sizeof(type));    \
        (sum)->result->member_count = (sum)->list.count;                                           \
        nadi_mem_free((sum)->list.items);                                                          \
    } while (0)

static void add_forwarded(struct nadi_fast_forward_result *sum,
                          const struct nadi_fast_forward_result *l)
{
    sum->times += l->times;
    sum->periods += l->periods;
    sum->nodes += l->nodes;
    sum->events += l->events;
    sum->why_none = l->why_none;
}

static void add_totals(struct nadi_result *r, const struct nadi_result *part)
{
    for (uint32_t d = 0; d < r->dim_count; d++) {
        struct nadi_link_result *sum = &r->dims[d];
        const struct nadi_link_result *one = &part->dims[d];
        sum->messages = nadi_count_add(sum->messages, one->messages);
        sum->bytes = nadi_count_add(sum->bytes, one->bytes);
        sum->busy_ns = nadi_count_add(sum->busy_ns, one->busy_ns);
    }
    for (size_t t = 0; t < NADI_NODE_TYPES; t++)
        r->nodes_by_type[t] += part->nodes_by_type[t];
    r->messages = nadi_count_add(r->messages, part->messages);
    r->message_bytes = nadi_count_add(r->message_bytes, part->message_bytes);
    r->offered_bytes = nadi_count_add(r->offered_bytes, part->offered_bytes);
}

static void add_lists(struct nadi_sum *sum, const struct nadi_result *part)
{
    APPEND(&sum->collectives, part->collectives, part->collective_count);
    APPEND(&sum->spans, part->spans, part->span_count);
    APPEND(&sum->flows, part->flows, part->flow_count);
}

void nadi_sum_begin(struct nadi_sum *sum, const struct nadi_result *first,
                    const struct nadi_fold *fold, struct nadi_result *result)
{
    *sum = (struct nadi_sum){.result = result, .first = fold};
    result->end_ns = 0;
    result->class_count = result->rank_count;
    result->classes = NADI_ARENA_ZNEW(&result->arena, struct nadi_rank_result, result->rank_count);
    result->finish_order = NADI_ARENA_NEW(&result->arena, uint32_t, result->rank_count);
    result->dim_count = first->dim_count;
    result->dims = NADI_ARENA_NEW(&result->arena, struct nadi_link_result, first->dim_count);
    memcpy(result->dims, first->dims, first->dim_count * sizeof(*first->dims));
    for (uint32_t d = 0; d < first->dim_count; d++)
        result->dims[d].messages = result->dims[d].bytes = result->dims[d].busy_ns = 0;
    add_totals(result, first);
    add_forwarded(&result->forwarded, &first->forwarded);
    result->events += first->events;
    result->events_spared += first->events_spared;
    add_lists(sum, first);
    for (size_t i = 0; i < first->collective_count; i++) {
        while (sum->made.count <= first->collectives[i].group)
            NADI_PUSH(&sum->made, 0);
        sum->made.items[first->collectives[i].group]++;
    }
    result->parts[0] = first->parts[0];
    result->parts[1] = (struct nadi_part_result){.executor = &nadi_executor_phase, .classes = 0};
    result->part_count = 2;
}

/* What was added last gets the names of other ranks and groups. */
static void rename_last(struct nadi_sum *sum, const struct nadi_result *part,
                        const struct nadi_fold *fold, const uint32_t *ranks,
                        const uint32_t *group_of)
{
    for (size_t i = sum->collectives.count - part->collective_count; i < sum->collectives.count;
         i++) {
        struct nadi_collective_result *c = &sum->collectives.items[i];
        c->group = group_of[c->group];
        c->rank = ranks[fold->actor_of[c->rank]];
    }
    for (size_t i = sum->spans.count - part->span_count; i < sum->spans.count; i++)
        sum->spans.items[i].rank = ranks[fold->actor_of[sum->spans.items[i].rank]];
    for (size_t i = sum->flows.count - part->flow_count; i < sum->flows.count; i++) {
        struct nadi_flow *flow = &sum->flows.items[i];
        flow->src = ranks[fold->actor_of[flow->src]];
        flow->dst = ranks[fold->actor_of[flow->dst]];
    }
}

static void add_part(struct nadi_sum *sum, const struct nadi_result *part,
                     const struct nadi_fold *fold, const uint32_t *ranks, const uint32_t *group_of)
{
    struct nadi_result *r = sum->result;
    size_t old = sum->collectives.count;
    add_totals(r, part);
    add_lists(sum, part);
    if (group_of)
        rename_last(sum, part, fold, ranks, group_of);
    for (size_t i = old; i < sum->collectives.count; i++) { /* a group's are numbered through */
        struct nadi_collective_result *c = &sum->collectives.items[i];
        uint32_t canonical = sum->first->canonical[c->group];
        if (canonical < sum->made.count)
            c->sequence += sum->made.items[canonical];
    }
    for (uint32_t a = 0; a < fold->actor_count; a++)
        r->classes[ranks[a]] = part->classes[a];
    for (uint32_t i = 0; i < part->finished_count; i++)
        r->finish_order[r->finished_count++] = ranks[fold->actor_of[part->finish_order[i]]];
    r->end_ns = nadi_max_u64(r->end_ns, part->end_ns);
    r->parts[1].nodes += part->parts[0].nodes;
}

void nadi_sum_add(struct nadi_sum *sum, const struct nadi_result *part,
                  const struct nadi_fold *fold)
{
    add_part(sum, part, fold, fold->rank_of, NULL);
    add_forwarded(&sum->result->forwarded, &part->forwarded);
    sum->result->events += part->events;
    sum->result->events_spared += part->events_spared;
    sum->result->parts[1].classes += fold->actor_count;
    sum->result->parts[1].events += part->events;
}

void nadi_sum_add_like(struct nadi_sum *sum, const struct nadi_result *part,
                       const struct nadi_fold *fold, const uint32_t *ranks,
                       const uint32_t *group_of)
{
    add_part(sum, part, fold, ranks, group_of);
}

static int by_end(const void *a, const void *b)
{
    const struct nadi_span *x = a, *y = b;
    if (x->end_ns != y->end_ns)
        return x->end_ns < y->end_ns ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
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
        all[i] = (struct finish){r->classes[r->finish_order[i]].finish_ns, i, r->finish_order[i]};
    qsort(all, r->finished_count, sizeof(*all), by_time);
    for (uint32_t i = 0; i < r->finished_count; i++)
        r->finish_order[i] = all[i].rank;
    nadi_mem_free(all);
}

void nadi_sum_end(struct nadi_sum *sum)
{
    if (sum->spans.count)
        qsort(sum->spans.items, sum->spans.count, sizeof(*sum->spans.items), by_end);
    KEEP(sum, collectives, struct nadi_collective_result, collectives, collective_count);
    KEEP(sum, spans, struct nadi_span, spans, span_count);
    KEEP(sum, flows, struct nadi_flow, flows, flow_count);
    nadi_mem_free(sum->made.items);
    order_finishes(sum->result);
}
