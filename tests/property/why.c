/* Explanations of random runs: the steps of the critical path have no holes and add up to the end,
 * every rank's shares do, and a compute that takes as much longer as its slack says, where that is
 * a promise, does not move the end. Two cases in five are on the models aware and flow, where the
 * messages of the run are recorded: that changes nothing, and what waits says at which link.
 *
 *   why [CASES [FIRST_SEED]]    default 600 cases from seed 1; a failing seed is printed */
#include "why/why.h"
#include "base/mem.h"
#include "sim/run.h"
#include "support/cases.h"
#include "support/job.h"
#include "support/seeds.h"

#include <math.h>

enum { CASES = CASES_OF(600), DELAYS = 4 };

struct counts {
    uint64_t paths, steps, delays, with_slack, idle, classes, logged, queued, critical, moved;
};

static bool wrong(uint64_t seed, const char *what, uint64_t want, uint64_t got)
{
    printf("seed %" PRIu64 ": %s: %" PRIu64 " wanted, %" PRIu64 " found\n", seed, what, want, got);
    return false;
}

static bool path_is_whole(uint64_t seed, const struct nadi_result *r, const struct nadi_why *x,
                          struct counts *n)
{
    uint64_t at = 0, sum = 0;
    for (size_t i = 0; i < x->step_count; i++) {
        if (x->steps[i].start_ns != at || x->steps[i].end_ns <= at)
            return wrong(seed, "start of a step", at, x->steps[i].start_ns);
        at = x->steps[i].end_ns;
    }
    for (int c = 0; c < NADI_CAUSES; c++)
        sum += x->sums[c];
    n->paths++;
    n->steps += x->step_count;
    n->idle += x->sums[NADI_CAUSE_IDLE] > 0;
    if (at != r->end_ns)
        return wrong(seed, "end of the path", r->end_ns, at);
    return sum == r->end_ns || wrong(seed, "sum of causes", r->end_ns, sum);
}

static bool shares_are_whole(uint64_t seed, const struct nadi_result *r, const struct nadi_why *x)
{
    for (uint32_t rank = 0; rank < r->rank_count; rank++) {
        uint64_t sum = 0;
        for (int c = 0; c < NADI_CAUSES; c++)
            sum += x->shares[(size_t)rank * NADI_CAUSES + (size_t)c];
        if (sum != r->end_ns)
            return wrong(seed, "sum of a rank's shares", r->end_ns, sum);
    }
    return true;
}

/* The same run without anything recorded, where repetition is fast-forwarded; and a link's name
 * wherever the path waits for one. */
static bool log_is_silent(uint64_t seed, const struct nadi_inputs *in, const struct nadi_result *r,
                          const struct nadi_why *x, struct counts *n)
{
    struct nadi_inputs bare = *in;
    struct nadi_result again;
    bare.options.record_ops = false;
    if (r->executor == &nadi_executor_message)
        bare.options.executor = &nadi_executor_message;
    nadi_simulate(&bare, NULL, &again);
    uint64_t end = again.end_ns, events = nadi_result_all_events(&again);
    nadi_result_release(&again);
    n->logged += r->logged_count > 0;
    n->queued += x->sums[NADI_CAUSE_LINK_QUEUE] > 0;
    for (size_t i = 0; i < r->logged_count; i++)
        if ((uint64_t)r->logged[i].waited_ns + r->logged[i].queued_ns >
            (uint64_t)(r->logged[i].arrived - r->logged[i].sent) / NADI_PS_PER_NS)
            return wrong(seed, "wait of a message", r->logged[i].waited_ns, 0);
    for (size_t i = 0; i < x->step_count; i++)
        if (x->steps[i].cause == NADI_CAUSE_LINK_QUEUE && x->steps[i].link >= r->link_count)
            return wrong(seed, "a link", i, x->steps[i].link);
    return (end == r->end_ns || wrong(seed, "end without a log", r->end_ns, end)) &&
           (events == nadi_result_all_events(r) ||
            wrong(seed, "events without a log", nadi_result_all_events(r), events));
}

/* Runs again with one node of one rank longer. */
static uint64_t end_with_delay(struct nadi_inputs *in, uint32_t rank, uint32_t node, uint64_t by_ns)
{
    struct nadi_trace *old = in->traces[rank], **old_owned = in->owned, changed = *old;
    changed.duration_ns = NADI_NEW(uint64_t, old->node_count);
    memcpy(changed.duration_ns, old->duration_ns, old->node_count * sizeof(uint64_t));
    changed.duration_ns[node] += by_ns;
    in->owned = NADI_NEW(struct nadi_trace *, in->owned_count + 1);
    memcpy(in->owned, old_owned, in->owned_count * sizeof(struct nadi_trace *));
    in->owned[in->owned_count++] = &changed;
    in->traces[rank] = &changed;
    struct nadi_result r;
    nadi_simulate(in, NULL, &r);
    uint64_t end = r.outcome == NADI_OUTCOME_DONE ? r.end_ns : UINT64_MAX;
    nadi_result_release(&r);
    in->traces[rank] = old;
    nadi_mem_free(in->owned);
    in->owned = old_owned;
    in->owned_count--;
    nadi_mem_free(changed.duration_ns);
    return end;
}

static bool delays_fit(uint64_t seed, struct nadi_inputs *in, const struct nadi_result *r,
                       const struct nadi_why *x, struct counts *n)
{
    struct nadi_rng rng;
    nadi_rng_init(&rng, seed, "delays");
    if (!x->slack_is_exact || fabs(in->options.compute_scale - 1) > 0)
        return true;
    for (int tries = 0, done = 0; tries < 40 && done < DELAYS; tries++) {
        uint32_t rank = (uint32_t)nadi_rng_below(&rng, r->rank_count);
        const struct nadi_trace *t = in->traces[rank];
        uint32_t node = (uint32_t)nadi_rng_below(&rng, t->node_count);
        const struct nadi_node_time *time = nadi_why_time(x, rank, node);
        if (!time || t->type[node] != NADI_NODE_COMP || in->system.roofline ||
            time->end_ns == time->start_ns)
            continue;
        uint64_t end = end_with_delay(in, rank, node, time->slack_ns);
        done++;
        n->delays++;
        n->with_slack += time->slack_ns > 0;
        if (end != r->end_ns) {
            printf("rank %u node %u, slack %" PRIu64 " ns\n", rank, node, time->slack_ns);
            return wrong(seed, "end with a delay", r->end_ns, end);
        }
    }
    return true;
}

/* A compute on the critical path that takes a little longer ends the run as much later, in most
 * cases: a delay may also let another request or message go first, in whose place it then is. */
static void critical_delays(struct nadi_inputs *in, const struct nadi_result *r,
                            const struct nadi_why *x, uint64_t seed, struct counts *n)
{
    const uint64_t delay_ns = 5;
    struct nadi_rng rng;
    nadi_rng_init(&rng, seed, "critical");
    for (int tries = 0, done = 0; tries < 20 && done < DELAYS && x->step_count; tries++) {
        const struct nadi_path_step *s = &x->steps[nadi_rng_below(&rng, x->step_count)];
        if (s->node == NADI_NONE || in->system.roofline ||
            fabs(in->options.compute_scale - 1) > 0 ||
            in->traces[s->rank]->type[s->node] != NADI_NODE_COMP)
            continue;
        done++;
        n->critical++;
        n->moved += end_with_delay(in, s->rank, s->node, delay_ns) >= r->end_ns + delay_ns;
    }
}

/* A folded run of which only one rank a class was recorded, as of runs with too many nodes. */
static bool by_class(uint64_t seed, const struct nadi_inputs *in, const struct nadi_result *r,
                     struct counts *n)
{
    struct nadi_result few = *r;
    struct nadi_why x;
    uint32_t *first = NADI_NEW(uint32_t, r->class_count);
    uint64_t steps = n->steps;
    memset(first, 0xff, r->class_count * sizeof(*first));
    for (uint32_t rank = r->rank_count; rank-- > 0;)
        first[r->class_of[rank]] = rank;
    few.spans = NADI_NEW(struct nadi_span, r->span_count);
    few.flows = NADI_NEW(struct nadi_flow, r->flow_count);
    few.span_count = few.flow_count = 0;
    for (size_t i = 0; i < r->span_count; i++)
        if (first[r->class_of[r->spans[i].rank]] == r->spans[i].rank)
            few.spans[few.span_count++] = r->spans[i];
    for (size_t i = 0; i < r->flow_count; i++)
        if (first[r->class_of[r->flows[i].src]] == r->flows[i].src)
            few.flows[few.flow_count++] = r->flows[i];
    nadi_why_find(in, &few, &x);
    bool ok = (!x.why_not || wrong(seed, "a path by class", 1, 0)) &&
              path_is_whole(seed, r, &x, n) &&
              (x.sums[NADI_CAUSE_IDLE] == 0 || wrong(seed, "idle by class", 0, 1));
    n->classes += n->steps > steps && few.span_count < r->span_count;
    nadi_why_release(&x);
    nadi_mem_free(few.spans);
    nadi_mem_free(few.flows);
    nadi_mem_free(first);
    return ok;
}

static bool one_case(uint64_t seed, struct counts *n)
{
    struct job job;
    struct nadi_rng rng;
    struct nadi_result r;
    struct nadi_why x;
    nadi_rng_init(&rng, seed, "why");
    if (seed % 2)
        job_random(&job, &rng);
    else
        job_grid(&job, &rng);
    job.in.options.record_ops = true;
    if (seed % 5 < 2 && !job.in.has_graph)
        job.in.options.network_model = seed % 5 ? &nadi_network_flow : &nadi_network_aware;
    nadi_simulate(&job.in, NULL, &r);
    nadi_why_find(&job.in, &r, &x);
    bool ok = true;
    if (r.outcome == NADI_OUTCOME_DONE)
        ok = (!x.why_not || wrong(seed, "a path", 1, 0)) && path_is_whole(seed, &r, &x, n) &&
             shares_are_whole(seed, &r, &x) && delays_fit(seed, &job.in, &r, &x, n) &&
             log_is_silent(seed, &job.in, &r, &x, n) &&
             (!r.class_of || by_class(seed, &job.in, &r, n));
    else
        ok = x.why_not != NULL || wrong(seed, "no path", 0, 1);
    if (ok && r.outcome == NADI_OUTCOME_DONE)
        critical_delays(&job.in, &r, &x, seed, n);
    nadi_why_release(&x);
    nadi_result_release(&r);
    job_release(&job);
    return ok;
}

int main(int argc, char **argv)
{
    struct seeds s = {CASES, 1};
    struct counts n = {0};
    bool ok = true;
    if (!seeds_asked(argc, argv, &s))
        return 2;
    for (uint64_t seed = s.first; seed < s.first + s.cases; seed++)
        ok &= one_case(seed, &n);
    printf("%" PRIu64 " paths of %" PRIu64 " steps, %" PRIu64 " with idle time; %" PRIu64
           " delays, %" PRIu64 " of more than 0 ns; %" PRIu64 " paths by class; %" PRIu64
           " with messages, %" PRIu64 " of them wait\n",
           n.paths, n.steps, n.idle, n.delays, n.with_slack, n.classes, n.logged, n.queued);
    printf("%" PRIu64 " of %" PRIu64 " computes on the path that take longer move the end\n",
           n.moved, n.critical);
    return ok && (s.cases < CASES || (n.paths > s.cases / 2 && n.with_slack > s.cases / 6 &&
                                      n.classes > s.cases / 30 && n.logged > s.cases / 5 &&
                                      n.moved * 10 > n.critical * 8 && n.queued > s.cases / 20))
               ? 0
               : 1;
}
