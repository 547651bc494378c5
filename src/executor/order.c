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

static uint64_t bits(struct phase_touch t)
{
    return t.left | t.entered;
}

/* May two ends come in either order? What a queue starts follows from what happens to it alone. One
 * chunk that leaves it and one that enters come to the same, unless one that waits there may go
 * before it or behind it; two that leave it, or enter it, do not. */
static bool commute(struct phase_touch a, struct phase_touch b)
{
    const uint64_t same = (a.left & b.left) | (a.entered & b.entered);
    return !same && !(bits(a) & bits(b) & (a.busy | b.busy));
}

static struct phase_touch both(struct phase_touch a, struct phase_touch b)
{
    return (struct phase_touch){a.left | b.left, a.entered | b.entered, a.busy | b.busy};
}

void nadi_order_end(struct nadi_system *s, uint32_t actor, struct phase_touch touch)
{
    const nadi_time now = nadi_engine_now(s->engine);
    struct phase_ends *e = &s->ends[actor];
    if (e->at != now)
        *e = (struct phase_ends){.at = now};
    const bool follows = nadi_block_follows(&e->last, &s->last_block);
    const struct phase_touch others = follows ? e->others : both(e->others, e->chain);
    if (!nadi_order_certain(s) && !commute(others, touch))
        nadi_order_unknown(s, "two chunks end at the same instant");
    if (s->sequence && bits(others) & bits(touch))
        nadi_sequence_scatter(s->sequence); /* the other one may start what this one does */
    e->chain = follows ? both(e->chain, touch) : touch;
    e->others = others;
    e->last = s->last_block;
}
