/* synth_match: channels with free rate, and messages in flight, ordered by the time of their end.
 * Private to the synthesis. */
#ifndef NADI_SYNTHESIZE_SYNTH_MATCH_H
#define NADI_SYNTHESIZE_SYNTH_MATCH_H

#include "base/rng.h"
#include "synthesize/synth_plan.h"

struct nadi_synth_flight { /* of a heap: the end, then the number */
    nadi_time end;
    uint32_t send;
};

struct nadi_synth_traffic {
    const struct nadi_synth_net *net;
    uint32_t split;
    struct nadi_synth_plan *plan;
    nadi_time now;
    uint64_t *spare;              /* bit/s, by channel */
    uint64_t *rate;               /* what a message of a pair holds */
    uint32_t *only_in, *only_out; /* the channel of all pairs to, from an NPU; NADI_NONE: several */
    struct {
        struct nadi_synth_flight *items;
        size_t count, capacity;
    } flights;
    uint32_t *waiting;      /* by channel: the first NPU that waits for it */
    uint32_t *waiting_next; /* by NPU */
    bool *is_waiting;       /* by NPU */
    struct {                /* NPUs to look at */
        uint32_t *items;
        size_t count, capacity;
    } dirty, taken;
    bool *is_dirty;
    struct nadi_rng rng;
};

void nadi_synth_traffic_init(struct nadi_synth_traffic *t, const struct nadi_synth_net *net,
                             const struct nadi_synth_policy *policy, struct nadi_synth_plan *plan);
void nadi_synth_traffic_release(struct nadi_synth_traffic *t);

/* May a message of the pair leave now? Where a channel between the ends is full, NPU `who` waits
 * for it. */
bool nadi_synth_may_send(struct nadi_synth_traffic *t, uint32_t pair, uint32_t who);
/* A message with the plan's chunks from `first` on; its number. */
uint32_t nadi_synth_start(struct nadi_synth_traffic *t, uint32_t pair, size_t first, double bytes);
/* The next message that is delivered; NADI_NONE: none is in flight. Its channels are free then, and
 * its ends dirty, with those that waited. Time moves on. */
uint32_t nadi_synth_next(struct nadi_synth_traffic *t);
/* Is there another one that ends now? */
bool nadi_synth_more_now(struct nadi_synth_traffic *t);
/* Takes back a message in flight. */
void nadi_synth_give_up(struct nadi_synth_traffic *t, uint32_t send);
void nadi_synth_mark(struct nadi_synth_traffic *t, uint32_t npu);
/* The NPUs marked, in the order of their numbers or drawn; none is marked then. Valid until the
 * next call. */
void nadi_synth_take_dirty(struct nadi_synth_traffic *t, bool ordered, uint32_t **npus,
                           size_t *count);

/* Has the NPU no spare rate out, in? Sure only where true. */
static inline bool nadi_synth_out_full(const struct nadi_synth_traffic *t, uint32_t npu)
{
    const uint32_t c = t->only_out[npu];
    return c != NADI_NONE && t->spare[c] < t->net->capacity[c] / t->split / 8 + 1;
}

static inline bool nadi_synth_in_full(const struct nadi_synth_traffic *t, uint32_t npu)
{
    const uint32_t c = t->only_in[npu];
    return c != NADI_NONE && t->spare[c] < t->net->capacity[c] / t->split / 8 + 1;
}

#endif
