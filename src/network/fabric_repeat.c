/* fabric_repeat: counters of links where what repeats is fast-forwarded. */
#include "base/mem.h"
#include "network/fabric.h"

bool nadi_fabric_rests(const struct nadi_fabric *f)
{
    for (uint32_t i = 0; f->loads && i < f->count; i++)
        if (f->loads[i] < 0 || f->loads[i] > 0)
            return false;
    return true;
}

void nadi_fabric_count(const struct nadi_fabric *f, const struct nadi_fabric_tally *tallies,
                       const struct nadi_network_sent *sent, struct nadi_network_counts *counts)
{
    NADI_RESERVE(counts, counts->count + 4 * (size_t)f->count + 2);
    uint64_t *out = counts->items + counts->count;
    for (uint32_t i = 0; i < f->count; i++) {
        const struct nadi_fabric_tally *t = &tallies[i];
        *out++ = t->messages;
        *out++ = t->bytes;
        *out++ = (uint64_t)t->busy;
        *out++ = (uint64_t)t->wait;
    }
    *out++ = sent->messages;
    *out++ = sent->bytes;
    counts->count = (size_t)(out - counts->items);
}

void nadi_fabric_repeat(const struct nadi_fabric *f, struct nadi_fabric_tally *tallies,
                        struct nadi_network_sent *sent, const uint64_t *then, uint64_t times)
{
    for (uint32_t i = 0; i < f->count; i++) {
        struct nadi_fabric_tally *t = &tallies[i];
        t->messages = nadi_count_repeat(t->messages, *then++, times);
        t->bytes = nadi_count_repeat(t->bytes, *then++, times);
        t->busy = nadi_time_repeat(t->busy, *then++, times);
        t->wait = nadi_time_repeat(t->wait, *then++, times);
    }
    sent->messages = nadi_count_repeat(sent->messages, *then++, times);
    sent->bytes = nadi_count_repeat(sent->bytes, *then, times);
}
