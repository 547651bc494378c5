/* synth_plan: what a synthesis finds: messages with their chunks and times, and how it is found.
 *
 * Chunk c of an all-gather is NPU (c / per)'s, `per` of them each; of an all-to-all chunk
 * (s * n + d) * per + k goes from s to d. Reduce-scatters are all-gathers of the reversed network,
 * run backwards: a chunk's way out becomes the way in, along which it is added up. */
#ifndef NADI_SYNTHESIZE_SYNTH_PLAN_H
#define NADI_SYNTHESIZE_SYNTH_PLAN_H

#include "synthesize/synth_net.h"

struct nadi_synth_send {
    nadi_time start, end; /* until delivered */
    uint32_t pair;
    uint32_t first, count; /* of the plan's chunks; count 0: given up, no message */
};

struct nadi_synth_plan {
    struct {
        struct nadi_synth_send *items;
        size_t count, capacity;
    } sends; /* in the order in which they start */
    struct {
        uint32_t *items;
        size_t count, capacity;
    } chunks;
    nadi_time end;
    uint64_t work; /* that it took, in units of about a nanosecond; the same on every machine */
};

struct nadi_synth_limit { /* beyond which a plan is not worth finishing */
    nadi_time end;
    uint64_t work;
};

enum nadi_synth_nearness {
    NADI_SYNTH_FLAT,    /* all pairs alike */
    NADI_SYNTH_RING,    /* only to the NPU of the next number, where everybody has such a pair */
    NADI_SYNTH_PATIENT, /* slow pairs first, with what nobody near has; else they wait */
    NADI_SYNTH_EAGER,   /* the same, but rather than wait they bring what others would */
};

struct nadi_synth_policy {
    uint32_t per;   /* chunks of an NPU; of an all-to-all: of a pair */
    uint32_t split; /* so many messages share a channel at once, each with its part of the rate */
    uint32_t batch; /* chunks of a message at most; 0: all that help */
    bool at_once;   /* channels are never full: the plan's times are too good then */
    bool ordered;   /* ties in the order of numbers, alike for all NPUs; else drawn */
    enum nadi_synth_nearness nearness;
    uint64_t seed;
};

/* Time-expanded greedy matching: whenever a channel or a chunk comes free, NPUs that lack chunks
 * are matched with NPUs that have them, the rarest chunk first, over the scarcest pair first
 * (TACOS, algorithm 1, draws both). Bytes are those of an NPU's part. NPUs without end: O(messages
 * * (log + chunks / 64 + pairs of an NPU)). Stops, with false, beyond the limit. */
bool nadi_synth_gather(const struct nadi_synth_net *net, const struct nadi_synth_policy *policy,
                       double bytes, struct nadi_synth_limit limit,
                       struct nadi_synth_plan *plan) NADI_MUST_USE;

/* The same for an all-to-all: chunks go nearer to where they must on every pair, those that have
 * the longest route to go first. Bytes are those of a pair of NPUs. */
bool nadi_synth_exchange(const struct nadi_synth_net *net, const struct nadi_synth_policy *policy,
                         double bytes, struct nadi_synth_limit limit,
                         struct nadi_synth_plan *plan) NADI_MUST_USE;

void nadi_synth_plan_release(struct nadi_synth_plan *plan);

#endif
