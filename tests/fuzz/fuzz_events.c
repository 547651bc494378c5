/* Any bytes as an events file: entries within their ranges, or at least one error. */
#include "support/fuzz_load.h"

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_links(const struct nadi_inputs *in)
{
    const uint32_t channels = nadi_graph_channel_count(&in->graph);
    for (size_t i = 0; i < in->events->link_count; i++) {
        const struct nadi_link_entry *e = &in->events->links[i];
        NADI_ASSERT(e->at >= 0 && e->at < e->until && e->channel_count > 0);
        NADI_ASSERT(e->rate_scale > 0 && e->latency_scale >= 0);
        for (size_t k = 0; k < e->channel_count; k++)
            NADI_ASSERT(e->channels[k] < channels &&
                        (k == 0 || e->channels[k] > e->channels[k - 1]));
    }
}

static void check_ranks(const struct nadi_inputs *in, const struct nadi_perturb_entry *list,
                        size_t count)
{
    for (size_t i = 0; i < count; i++) {
        NADI_ASSERT(isfinite(list[i].jitter) && list[i].jitter >= 0 && list[i].range_count > 0);
        for (size_t k = 0; k < list[i].range_count; k++)
            NADI_ASSERT(list[i].ranks[k].first <= list[i].ranks[k].last &&
                        list[i].ranks[k].last < in->rank_count);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct nadi_inputs in;
    if (fuzz_load(&in, NADI_SCHEMA_EVENTS, data, size)) {
        const struct nadi_events *ev = in.events;
        check_links(&in);
        check_ranks(&in, ev->perturb.compute, ev->perturb.compute_count);
        check_ranks(&in, ev->perturb.start, ev->perturb.start_count);
        for (size_t i = 0; i < ev->traffic_count; i++) {
            const struct nadi_traffic_entry *e = &ev->traffic[i];
            NADI_ASSERT(e->bytes > 0 && e->weight > 0 && e->at < e->until);
            for (size_t k = 0; k < e->pair_count; k++)
                NADI_ASSERT(e->pairs[k].src < in.rank_count && e->pairs[k].dst < in.rank_count &&
                            e->pairs[k].src != e->pairs[k].dst);
        }
        NADI_ASSERT(ev->row_count == ev->link_count + ev->traffic_count +
                                         ev->perturb.compute_count + ev->perturb.start_count);
    }
    nadi_inputs_release(&in);
    return 0;
}
