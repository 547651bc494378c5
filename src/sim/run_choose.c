/* run_choose: which executor runs, and why no faster one does. */
#include "base/mem.h"
#include "base/str.h"
#include "memory/tiers.h"
#include "sim/alone.h"
#include "sim/run_inside.h"

static const char order_of_chunks[] = "the order of chunks in the queues depends on the schedulers";

/* Where more than the order of completions is needed: that of all events. NULL: nowhere. */
static const char *order_needed(const struct nadi_inputs *in)
{
    if (in->system.shared_bus)
        return "the shared bus of an NPU orders its packets one by one";
    if (in->custom_count > 0)
        return "custom collectives are graphs of messages";
    if (in->memory.kind == NADI_MEMORY_POOL || in->memory.kind == NADI_MEMORY_PER_NODE)
        return "ranks queue at shared memory in the order of events";
    if (in->tiers && nadi_tiers_need_order(in->tiers))
        return "memory requests are served in the order of events";
    if (in->memory.kind == NADI_MEMORY_HIERARCHY && nadi_inputs_processor_memory(in))
        return "memory nodes of the processor and others of a rank queue at its share of the pool";
    if (nadi_system_collectives_meet(&in->system))
        return "several communications of a rank may be in flight at once";
    if (in->system.inter != NADI_INTER_BASELINE || in->system.intra != NADI_INTRA_FIFO)
        return order_of_chunks;
    if (in->options.compat)
        return "the reference's order of finish lines is that of its messages";
    return NULL;
}

static const char recorded[] = "what each message waited for is recorded";
static const char messages_meet[] = "messages meet in this network model";

/* Where the executors cannot be but the message executor. NULL: nowhere. */
static const char *messages_needed(const struct nadi_inputs *in)
{
    if (in->options.network_model->has_contention)
        return messages_meet;
    return order_needed(in);
}

/* Bytes that the state of every rank's nodes takes without folding. */
static bool fits_unfolded(const struct nadi_inputs *in)
{
    const uint64_t most = UINT64_C(4) << 30;
    uint64_t nodes = 0;
    for (uint32_t r = 0; r < in->rank_count; r++)
        nodes += in->traces[r]->node_count;
    return nodes * sizeof(uint32_t) < most;
}

/* Are there so many classes that folding only a first part may be better? */
static bool try_parts(const struct nadi_inputs *in, const struct nadi_fold *whole)
{
    if (in->options.max_sim_ns || in->system.rendezvous || in->tiers)
        return false;
    return !whole || whole->actor_count > 1000 || whole->actor_count > in->rank_count / 4;
}

static bool run_folded(struct simulation *s)
{
    struct nadi_result *r = s->result;
    struct nadi_folding *folding = nadi_folding_open(s->in, &r->executor_note);
    if (!folding)
        return false;
    struct nadi_fold *whole = nadi_fold_whole(folding, &r->executor_note), *part = NULL;
    if (try_parts(s->in, whole))
        part = nadi_fold_part(folding, (whole ? whole->actor_count : r->rank_count) / 2);
    bool done = false;
    if (part)
        done = nadi_simulation_in_parts(s, part, folding);
    else
        nadi_folding_close(folding);
    nadi_fold_destroy(part);
    r->executor = &nadi_executor_fold;
    if (!done && whole)
        done = nadi_simulation_attempt(s, whole, true);
    nadi_fold_destroy(whole);
    return done;
}

/* Too long for every node to be kept? */
static bool too_long(const struct nadi_inputs *in)
{
    uint64_t nodes = 0;
    for (uint32_t rank = 0; rank < in->rank_count; rank++)
        nodes += in->traces[rank]->node_count;
    return in->options.most_spans && nodes > in->options.most_spans;
}

/* Why nothing can be folded message by message, before ranks are looked at; NULL: it may be. The
 * order of chunks that the schedulers want is one of all ranks where they are one class. Not unless
 * it is asked for where what each message waited for is wanted as well, of few enough nodes. */
static const char *never_uniform(const struct nadi_inputs *in)
{
    const bool asked = in->options.executor && in->options.executor->folds;
    const bool meet = in->options.network_model->has_contention;
    const char *order = order_needed(in);
    if (meet && !in->options.network_model->can_fold)
        return "";
    if (in->options.record_ops && !asked && !too_long(in))
        return recorded;
    if (in->events)
        return "the events file treats ranks differently";
    if (in->system.rendezvous)
        return "receivers ask for messages (rendezvous)";
    if (in->system.track_local_mem)
        return "local memory is tracked";
    return order == order_of_chunks ? NULL : order;
}

/* Ranks are one, or shifts map them to each other, and so are the links of a kind: the messages of
 * one rank a class are simulated. NULL: done; else why not, "" if the model never does. */
static const char *run_uniform(struct simulation *s)
{
    const struct nadi_inputs *in = s->in;
    const char *why = never_uniform(in);
    if (why)
        return why;
    struct nadi_folding *folding = nadi_folding_open(in, &why);
    struct nadi_fold *fold = folding ? nadi_fold_whole(folding, &why) : NULL;
    s->result->executor = &nadi_executor_fold;
    if (fold)
        why = in->graph.node_count ? "the network is a graph" : nadi_fold_not_uniform(in, fold);
    if (why) {
        nadi_fold_destroy(fold);
        const bool ordered = order_needed(in) != NULL;
        fold = NULL;
        if (folding && ordered)
            why = order_of_chunks;
        else if (folding && in->options.network_model->has_contention)
            fold = nadi_fold_shifts(folding, &why);
    }
    nadi_folding_close(folding);
    if (fold) {
        s->result->executor_note = NULL;
        why = nadi_simulation_attempt(s, fold, false) ? NULL : s->result->executor_note;
    }
    nadi_fold_destroy(fold);
    return why;
}

/* Message by message but for groups whose messages meet nobody's. False: there are none, or the
 * order of events could not be decided. */
static bool run_alone(struct simulation *s)
{
    const char *const note = s->result->executor_note;
    struct nadi_alone_groups groups = {0};
    if (!order_needed(s->in))
        groups = nadi_alone_find(s->in);
    if (!groups.rings)
        return false;
    s->rings = groups.rings;
    const bool done = nadi_simulation_attempt(s, NULL, false);
    s->rings = NULL;
    nadi_alone_release(&groups);
    s->result->executor_note = note;
    return done;
}

/* That messages meet, and why they are not folded all the same. */
static const char *contention_note(struct simulation *s, const char *not_uniform)
{
    struct nadi_str note = NADI_STR_INIT;
    const char *needed = messages_needed(s->in);
    if (needed != messages_meet || !not_uniform[0])
        return needed;
    nadi_str_printf(&note, "%s; %s", messages_meet, not_uniform);
    const char *kept = nadi_arena_strdup(&s->result->arena, nadi_str_get(&note));
    nadi_str_release(&note);
    return kept;
}

/* Are there groups whose messages meet nobody's, were they not recorded? */
static bool only_recorded(const struct nadi_inputs *in)
{
    struct nadi_inputs other = *in;
    other.options.record_ops = other.options.record_usage = false;
    struct nadi_alone_groups groups = {0};
    if (in->options.record_ops && !order_needed(in))
        groups = nadi_alone_find(&other);
    const bool found = groups.rings != NULL;
    nadi_alone_release(&groups);
    return found;
}

/* The executor `phase` was asked for, and it is another one: says why. */
static void tell_not_phase(struct simulation *s)
{
    struct nadi_result *r = s->result;
    const struct nadi_executor *wanted = s->in->options.executor;
    if (wanted != &nadi_executor_phase || r->executor == wanted)
        return;
    if (r->executor_note == messages_meet && only_recorded(s->in))
        r->executor_note = recorded;
    nadi_note(&r->diags, "run/executor", NADI_NOWHERE, NULL, "executor %s in place of phase: %s",
              r->executor->name, r->executor_note);
}

static void choose(struct simulation *s)
{
    const struct nadi_inputs *in = s->in;
    struct nadi_result *r = s->result;
    const struct nadi_executor *wanted = s->keyed ? &nadi_executor_message : in->options.executor;
    const bool may_solve = !wanted || wanted->solves_phases, may_fold = !wanted || wanted->folds;
    r->executor_note = messages_needed(in);
    bool phases = !r->executor_note && may_solve;
    bool fold = phases && may_fold && !in->system.track_local_mem;
    if (fold && in->events) {
        r->executor_note = "the events file treats ranks differently";
        fold = false;
    }
    if (fold && run_folded(s))
        return;
    const char *not_uniform = !phases && may_fold ? run_uniform(s) : "";
    if (!not_uniform)
        return;
    if (!phases)
        r->executor_note = contention_note(s, not_uniform);
    if (!fits_unfolded(in)) {
        r->outcome = NADI_OUTCOME_LIMIT;
        r->stopped_by =
            "the workload cannot be folded and is too large to be simulated rank by rank";
        r->class_count = 1;
        r->class_of = NADI_ARENA_ZNEW(&r->arena, uint32_t, r->rank_count);
        r->classes = NADI_ARENA_ZNEW(&r->arena, struct nadi_rank_result, 1);
        return;
    }
    r->executor = &nadi_executor_phase;
    if (phases && nadi_simulation_attempt(s, NULL, true))
        return;
    if (!phases && may_solve && run_alone(s))
        return;
    r->executor = &nadi_executor_message;
    if (!nadi_simulation_abreast(s))
        (void)nadi_simulation_attempt(s, NULL, false);
}

void nadi_simulation_choose(struct simulation *s)
{
    choose(s);
    if (s->result->executor && s->result->executor_note)
        tell_not_phase(s);
}
