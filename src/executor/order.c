/* order: events of one instant whose order would matter, where not all of it is simulated. */
#include "executor/internal.h"

void nadi_order_unknown(struct nadi_system *s, const char *why)
{
    if (s->config->settle_ties)
        s->ties_settled++;
    else
        s->undecided = why;
}

bool nadi_order_certain(const struct nadi_system *s)
{
    return s->sequence && nadi_sequence_certain(s->sequence);
}

void nadi_order_insertion(struct nadi_system *s, struct queue *q, uint32_t phase, uint32_t member)
{
    nadi_time now = nadi_engine_now(s->engine);
    uint32_t from = phase > 0 ? s->last_ended : NADI_NONE;
    bool tie = q->inserted_at == now &&
               (q->inserted_lag == s->last_lag || q->inserted_lag == NADI_LAG_MESSAGE ||
                s->last_lag == NADI_LAG_MESSAGE);
    if (s->sequence)
        tie = q->inserted_at == now && !nadi_sequence_certain(s->sequence);
    if (tie && (q->inserted_phase != phase ||
                (phase > 0 && !nadi_block_follows(&q->inserted_block, &s->last_block) &&
                 !nadi_phases_in_step(s, q->inserted_from, from, member))))
        nadi_order_unknown(s, "two chunks enter a queue at the same instant");
    q->inserted_at = now;
    q->inserted_phase = phase;
    q->inserted_from = from;
    q->inserted_lag = s->last_lag;
    q->inserted_block = s->last_block;
}

void nadi_order_end(struct nadi_system *s, uint32_t actor)
{
    struct phase_end *last = &s->ends[actor];
    const struct phase_end end = {nadi_engine_now(s->engine), s->last_block};
    if (last->at == end.at && !nadi_order_certain(s) &&
        !nadi_block_follows(&last->block, &end.block))
        nadi_order_unknown(s, "two chunks end at the same instant");
    *last = end;
}
