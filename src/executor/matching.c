/* matching: collectives of a group whose members issue different ones as their n-th.
 *
 * The reference knows no operation: each rank walks through its own phases, and a message meets the
 * receive of the same ends, tag and size. The tag counts the chunks that the rank has made in the
 * group. So two ranks may pair an all-gather with a reduce-scatter and end. A keyed system does the
 * same: members that issue the same are one operation as ever, the others are its variants, and
 * messages of phases go through the channels of p2p.c instead of the operation's own tables.
 * Nothing else is different: where all members agree every time is the same. */
#include "executor/internal.h"

static bool is_native(const struct nadi_plan *plan)
{
    if (!plan)
        return false;
    for (uint32_t p = 0; p < plan->phase_count; p++)
        if (plan->phases[p].algorithm == NADI_ALGORITHM_PROGRAM ||
            plan->phases[p].algorithm == NADI_ALGORITHM_LIBRARY)
            return false;
    return true;
}

/* Why the two cannot be matched as in the reference; NULL: they can be. */
static const char *refusal_of(struct nadi_system *s, const struct operation *op,
                              const struct nadi_collective_call *call)
{
    if (s->config->exact)
        return "flow and packet round messages in another way";
    if (s->schedules)
        return "inter- and intra-dimension scheduling have no like there";
    if (op->custom || call->custom)
        return "a collective from a file meets only its own messages";
    if (op->sizes || call->sizes)
        return "an uneven all-to-all has no like there";
    if (op->root != call->root || !is_native(op->plan) || !is_native(nadi_operations_plan(s, call)))
        return "the reference does not have these algorithms";
    return NULL;
}

static bool agrees(const struct operation *op, const struct nadi_collective_call *call)
{
    return op->view.kind == call->kind && op->custom == call->custom && op->root == call->root &&
           (op->sizes != NULL) == (call->sizes != NULL) &&
           (call->custom ||
            ((call->sizes || op->view.bytes == call->bytes) && op->involved == call->involved));
}

uint32_t nadi_matching_find(struct nadi_system *s, uint32_t first,
                            const struct nadi_collective_call *call)
{
    const struct operation *op = &s->operations.items[first];
    if (NADI_LIKELY(agrees(op, call)))
        return first;
    const struct nadi_mismatch m = {
        .found = true,
        .operation = first,
        .rank = call->rank,
        .node = call->node,
        .kind = call->kind,
        .bytes = call->bytes,
        .refusal = refusal_of(s, op, call),
    };
    s->mismatches++;
    s->last_mismatch = m;
    if (!s->setup.keyed || m.refusal) {
        s->mismatch = m;
        return NADI_NONE;
    }
    for (uint32_t v = first; v != NADI_NONE; v = s->operations.items[v].variant)
        if (agrees(&s->operations.items[v], call))
            return v;
    return NADI_NONE;
}

/* ---- messages ------------------------------------------------------------------------------ */

static struct endpoint_pair ends(const struct nadi_system *s, const struct block *b, uint32_t from,
                                 uint32_t to)
{
    const struct operation *op = &s->operations.items[s->streams.items[b->stream].operation];
    const uint32_t src = nadi_block_rank(b, from), dst = nadi_block_rank(b, to);
    return (struct endpoint_pair){
        .src = src, .dst = dst, .edge = op->view.group + 1, .src_rank = src, .dst_rank = dst};
}

static uint32_t tag_of(const struct nadi_system *s, const struct block *b, uint32_t member)
{
    const struct stream *stream = &s->streams.items[b->stream];
    return s->operations.items[stream->operation].first_stream[member] + stream->chunk;
}

void nadi_matching_send(struct nadi_system *s, uint32_t block, uint32_t member, uint32_t dst,
                        uint64_t bytes)
{
    const struct block *b = &s->blocks.items[block];
    const struct endpoint_pair e = ends(s, b, member, dst);
    nadi_p2p_send(s, &e, tag_of(s, b, member), bytes, OWNER_PHASE, block, member);
}

void nadi_matching_recv(struct nadi_system *s, uint32_t block, uint32_t member, uint32_t src,
                        uint64_t bytes, uint32_t slot)
{
    const struct block *b = &s->blocks.items[block];
    const struct endpoint_pair e = ends(s, b, src, member);
    nadi_p2p_recv_slot(s, &e, tag_of(s, b, member), bytes, OWNER_PHASE, block, member, slot);
}
