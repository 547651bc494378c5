/* sharing: computations that slow down while their rank communicates (compute/sharing.h). What is
 * left of each is known; whenever the rank begins or ends to communicate, its end is found anew,
 * and the event of the end before counts no more. */
#include "workload/internal.h"

static bool communicates(const struct rank_state *r)
{
    return r->active[ACTIVITY_COMM] > 0;
}

/* Takes off what was done since. */
static void advance(struct running *run, nadi_time now)
{
    const nadi_time passed = now - run->since;
    run->left =
        nadi_time_sub(run->left, run->slow ? nadi_time_round((double)passed * run->rate) : passed);
    run->left = nadi_max_i64(run->left, 0);
    run->since = now;
}

static void schedule(struct nadi_workload *w, uint32_t rank, struct running *run)
{
    struct rank_state *r = &w->ranks[rank];
    run->slow = communicates(r);
    const nadi_time lasts = run->slow ? nadi_time_round((double)run->left / run->rate) : run->left;
    run->turn = ++r->turns;
    nadi_engine_schedule(w->engine, nadi_engine_after(w->engine, lasts), rank, w->kind_shared,
                         run->node, run->turn, 0);
}

void nadi_workload_share(struct nadi_workload *w, uint32_t rank, uint32_t node, uint64_t ns,
                         const struct nadi_roofline *line)
{
    struct rank_state *r = &w->ranks[rank];
    const struct nadi_trace *t = r->trace;
    struct running *run = &r->in_flight.items[*nadi_workload_waits(r, node)];
    run->own = run->left = nadi_time_from_ns(ns);
    run->rate = nadi_sharing_rate(&w->setup.sharing, line, t->ops[node], t->bytes[node]);
    run->since = nadi_engine_now(w->engine);
    schedule(w, rank, run);
}

void nadi_workload_share_anew(struct nadi_workload *w, uint32_t rank)
{
    struct rank_state *r = &w->ranks[rank];
    const nadi_time now = nadi_engine_now(w->engine);
    for (size_t i = 0; i < r->in_flight.count; i++) {
        struct running *run = &r->in_flight.items[i];
        if (!run->turn || nadi_time_is_never(run->left) || run->slow == communicates(r))
            continue;
        advance(run, now);
        schedule(w, rank, run);
    }
}

bool nadi_workload_share_ends(struct nadi_workload *w, uint32_t rank, uint32_t node, uint32_t turn)
{
    struct rank_state *r = &w->ranks[rank];
    const uint32_t place = *nadi_workload_waits(r, node);
    if (place == NADI_NONE || r->in_flight.items[place].turn != turn)
        return false;
    const struct running *run = &r->in_flight.items[place];
    const nadi_time slowed = nadi_engine_now(w->engine) - run->start - run->own;
    r->view.slowed = nadi_time_add(r->view.slowed, slowed);
    r->view.gpu_ticks = nadi_ns_add(r->view.gpu_ticks, nadi_time_to_ns(slowed));
    return true;
}
