/* ties: completions that fall on one instant of one rank.
 *
 * Their order decides what the passes between them issue. The message executor has every timer and
 * message and so knows the order; the phase executor and folding lack the messages of collectives,
 * and with them the places of events within an instant. Two timers keep their order, and a timer
 * that was set before or after a collective's last one does too; other pairs are uncertain. An
 * uncertain order is harmless where both orders issue the same nodes, which is the rule; where not,
 * the run is given up as undecided.
 *
 * A timer that was set in the same instant follows from what completed before it. Where that is one
 * completion only, its place is certain.
 *
 * Where the order of events is followed (engine/sequence.h), that says which pairs are uncertain,
 * and it also matters which of them leads to an issue.
 *
 * Two completions X, Y issue the same in either order unless, in some slot, X led to an issue and Y
 * makes another node ready; or Y frees the slot and X made a node ready that competes there; or a
 * node that Y makes ready waited for X too, and competes with another one. */
#include "engine/sequence.h"
#include "workload/internal.h"

static void begin_instant(struct instant *t, nadi_time now)
{
    if (t->at != now)
        *t = (struct instant){.at = now};
}

/* False: there are too many. */
static bool note_start(struct instant *t, nadi_time start)
{
    const uint32_t most = sizeof(t->timer_starts) / sizeof(*t->timer_starts);
    for (uint32_t i = 0; i < t->timer_count; i++)
        if (t->timer_starts[i] == start)
            return true;
    if (t->timer_count == most)
        return false;
    t->timer_starts[t->timer_count++] = start;
    return true;
}

static void note_done(struct instant *t, uint32_t node)
{
    if (t->done_count < sizeof(t->done) / sizeof(*t->done))
        t->done[t->done_count] = node;
    t->done_count++;
}

/* Did the node, which is ready by the last completion, wait for another one of the instant? What
 * METADATA waited for is not looked at. */
static bool waited_for_another(const struct instant *t, const struct nadi_trace *trace,
                               uint32_t node)
{
    const uint32_t known = sizeof(t->done) / sizeof(*t->done);
    if (t->done_count > known)
        return true;
    for (uint32_t i = trace->dep_start[node]; i < trace->dep_start[node + 1]; i++) {
        if (trace->type[trace->deps[i]] == NADI_NODE_METADATA && t->done_count > 1)
            return true;
        for (uint32_t k = 0; k + 1 < t->done_count; k++)
            if (trace->deps[i] == t->done[k])
                return true;
    }
    return false;
}

/* Sets by slot whether a node that the last completion, `node`, made ready waited for another one
 * of the instant. */
static void find_joint(const struct nadi_workload *w, struct rank_state *r, uint32_t node,
                       bool joint[NADI_SLOTS])
{
    const struct nadi_trace *t = r->trace;
    for (uint32_t i = t->child_start[node]; i < t->child_start[node + 1]; i++) {
        const uint32_t child = t->children[i];
        if (*nadi_workload_waits(r, child) == 0 && waited_for_another(&r->instant, t, child))
            joint[nadi_workload_slot(w, r, child)] = true;
    }
}

/* Where only collectives of groups that are alone lack their messages. A timer that was set before
 * the collective's last one, or after it, keeps its place; other completions are told in the
 * present instant, behind timers that were set before it. */
static bool tie_alone(struct nadi_workload *w, struct instant *t, uint8_t type, nadi_time start)
{
    const nadi_time now = nadi_engine_now(w->engine), set = nadi_system_alone_set(w->system);
    if (set < 0) {
        const bool collective = type == NADI_NODE_COLL;
        t->timers_missed |= !note_start(t, start);
        t->collective |= collective;
        return t->alone && (collective || t->timers_missed || t->alone_apart ||
                            t->alone_set == now || t->alone_set == start);
    }
    bool uncertain = t->collective || (t->done_count > 1 && set == now) || t->timers_missed;
    for (uint32_t i = 0; i < t->timer_count; i++)
        uncertain |= t->timer_starts[i] == set;
    uncertain |= t->alone && (t->alone_apart || t->alone_set == set || t->alone_set == now);
    t->alone_apart |= t->alone && t->alone_set != set;
    t->alone = true;
    t->alone_set = set;
    return uncertain;
}

bool nadi_workload_tie(struct nadi_workload *w, uint32_t rank, uint32_t node, nadi_time start)
{
    struct rank_state *r = &w->ranks[rank];
    struct instant *t = &r->instant;
    nadi_time now = nadi_engine_now(w->engine);
    begin_instant(t, now);
    note_done(t, node);
    if (w->setup.rings)
        return tie_alone(w, t, r->trace->type[node], start);
    const struct nadi_sequence *sequence = nadi_engine_sequence(w->engine);
    if (sequence)
        return t->causes++ > 0 && !nadi_sequence_certain(sequence);
    const bool alone = t->causes <= 1;
    uint8_t type = r->trace->type[node];
    bool replayed = w->setup.config->replay_only;
    bool uncertain = false;
    const bool by_message =
        type == NADI_NODE_SEND || type == NADI_NODE_RECV ||
        (type == NADI_NODE_COLL && nadi_system_last_lag(w->system) == NADI_LAG_MESSAGE);
    if (!replayed && by_message) {
        uncertain = t->message || t->collective || t->timer_count > 0;
        t->message = true;
        t->causes++;
    } else if (!replayed && type == NADI_NODE_COLL && nadi_system_last_lag(w->system) >= 0) {
        int64_t lag = nadi_system_last_lag(w->system);
        uncertain = t->message;
        for (uint32_t i = 0; i < t->timer_count; i++)
            uncertain |= t->timer_starts[i] == now - nadi_time_from_ns((uint64_t)lag);
        t->collective = true;
        t->collective_lag = lag;
        t->causes++;
    } else {
        uncertain = t->message || (t->collective &&
                                   start == now - nadi_time_from_ns((uint64_t)t->collective_lag));
        uncertain |= !note_start(t, start);
        if (start < now)
            t->causes++;
        else
            uncertain &= !alone;
    }
    return uncertain;
}

void nadi_workload_settle_tie(struct nadi_workload *w, uint32_t rank, uint32_t node, bool uncertain,
                              const struct readied *readied)
{
    struct rank_state *r = &w->ranks[rank];
    struct instant *t = &r->instant;
    enum nadi_slot freed = nadi_workload_slot(w, r, node);
    const bool followed = nadi_engine_sequence(w->engine) != NULL;
    bool joint[NADI_SLOTS] = {false};
    if (uncertain)
        find_joint(w, r, node, joint);
    for (enum nadi_slot i = NADI_SLOT_PROCESSOR; i < NADI_SLOT_NONE; i++) {
        bool competes = i == freed && t->readied[i] > 0 && r->ready[i].count > t->readied[i];
        competes |= joint[i] && r->ready[i].count > 1;
        competes |= readied->through && readied->count[i] > 0 && t->done_count > 1;
        const bool matters = uncertain && ((t->issued[i] && readied->count[i] > 0) || competes ||
                                           (followed && (t->issued[i] || readied->count[i] > 0)));
        if (matters && w->setup.config->settle_ties)
            w->ties_settled++;
        else if (matters)
            w->undecided = "two completions of one rank fall on the same instant";
        t->readied[i] += readied->count[i];
    }
}
