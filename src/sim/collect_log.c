/* collect_log: the messages that a log has recorded, with the links of the result. */
#include "base/mem.h"
#include "sim/collect.h"

struct numbers { /* index of a link in the result by the model's number */
    uint32_t *items;
    size_t count, capacity;
    uint32_t next;
};

static void add_number(void *context, const struct nadi_network_counter *c)
{
    struct numbers *n = context;
    while (n->count <= c->number)
        NADI_PUSH(n, NADI_NONE);
    n->items[c->number] = n->next++;
}

void nadi_collect_log(struct nadi_message_log *log, struct nadi_result *result)
{
    struct numbers numbers = {0};
    if (!log->whole)
        return;
    log->inner->ops->counters(log->inner, true, add_number, &numbers);
    size_t kept = 0;
    for (size_t i = 0; i < log->entries.count; i++) {
        struct nadi_message_entry e = log->entries.items[i];
        if (e.arrived < 0)
            continue;
        e.link = e.link < numbers.count ? numbers.items[e.link] : NADI_NONE;
        e.link = e.link < result->link_count ? e.link : NADI_NONE;
        log->entries.items[kept++] = e;
    }
    result->logged = log->entries.items;
    result->logged_count = kept;
    log->entries.items = NULL;
    nadi_mem_free(numbers.items);
}
