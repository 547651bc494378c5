#include "design/strategies.h"

#include "base/mem.h"
#include "base/str.h"
#include "base/threads.h"
#include "explore/model_inputs.h"
#include "model/figures.h"

#include <math.h>
#include <stdatomic.h>

enum {
    SEEN = 4096, /* strategies that a search gives back */
    KEPT = 512,  /* of a workload on a design */
    BATCH = 4,   /* simulated at a time, whatever the number of threads: the result is the same */
};

struct nadi_search_setup nadi_design_search_setup(const struct nadi_design_ask *ask,
                                                  struct nadi_arena *arena)
{
    const struct nadi_design_workload *w = &ask->p->workloads[ask->workload];
    const char *of_design = ask->changes->settings;
    const char *settings = w->settings;
    if (*of_design)
        settings = nadi_arena_printf(arena, "%s%s", settings ? settings : "", of_design);
    return (struct nadi_search_setup){
        .model = w->model,
        .plan = w->plan,
        .settings = settings,
        .cluster = ask->changes->cluster,
        .words = w->words,
        .changes = &ask->changes->changes,
        .varied = nadi_space_varied(&ask->p->space),
        .ranks = ask->p->ranks,
        .goal = NADI_SEARCH_TIME,
        .top = SEEN,
        .threads = ask->threads,
        .options = ask->p->options,
    };
}

/* ---- estimates ------------------------------------------------------------------------------- */

static int by_low(const void *a, const void *b)
{
    const struct nadi_design_strategy *x = a, *y = b;
    if (x->low_ns < y->low_ns || x->low_ns > y->low_ns)
        return x->low_ns < y->low_ns ? -1 : 1;
    return memcmp(&x->strategy, &y->strategy, sizeof(x->strategy));
}

static int by_estimate(const void *a, const void *b)
{
    const struct nadi_design_strategy *x = a, *y = b;
    if (x->estimate_ns < y->estimate_ns || x->estimate_ns > y->estimate_ns)
        return x->estimate_ns < y->estimate_ns ? -1 : 1;
    return memcmp(&x->strategy, &y->strategy, sizeof(x->strategy));
}

/* Half of those that are kept have the lowest estimates, which may be the fastest; of the others,
 * those that take least bound what is left. */
static void take(struct nadi_design_strategies *s, const struct nadi_search *found)
{
    struct nadi_design_strategy *all = NADI_ZNEW(struct nadi_design_strategy, found->count);
    const uint32_t fast = found->count < KEPT / 2 ? found->count : KEPT / 2;
    for (uint32_t i = 0; i < found->count; i++) {
        const struct nadi_search_row *row = &found->rows[i];
        all[i].strategy = row->strategy;
        all[i].estimate_ns = row->estimate.ns;
        all[i].low_ns = nadi_strategy_least_ns(&row->strategy, &row->estimate);
    }
    s->next_low = HUGE_VAL;
    if (found->count == SEEN) /* the search has given back those that take least */
        for (uint32_t i = 0; i < found->count; i++)
            s->next_low = i ? fmax(s->next_low, all[i].low_ns) : all[i].low_ns;
    if (found->count)
        qsort(all, found->count, sizeof(*all), by_estimate);
    if (found->count > fast)
        qsort(all + fast, found->count - fast, sizeof(*all), by_low);
    s->count = found->count < KEPT ? found->count : KEPT;
    if (found->count > KEPT)
        s->next_low = fmin(s->next_low, all[KEPT].low_ns);
    s->rows = nadi_mem_copy(all, s->count, sizeof(*all));
    if (s->count)
        qsort(s->rows, s->count, sizeof(*s->rows), by_estimate);
    nadi_mem_free(all);
}

bool nadi_design_estimate(struct nadi_design_strategies *s, const struct nadi_design_ask *ask,
                          struct nadi_design_step *step, struct nadi_diags *diags)
{
    struct nadi_arena arena;
    struct nadi_search found;
    nadi_arena_init(&arena);
    const struct nadi_search_setup setup = nadi_design_search_setup(ask, &arena);
    const bool ok = nadi_search_run(&found, &setup, diags);
    if (ok) {
        take(s, &found);
        s->strategies = found.strategies;
        step->tokens = nadi_study_step_tokens(&found.study);
        step->fits = found.fitting > 0;
        step->missing_bytes = found.fitting ? 0 : found.nearest.estimate.missing_bytes;
        step->least_ns = s->next_low;
        for (uint32_t i = 0; i < s->count; i++)
            step->least_ns = fmin(step->least_ns, s->rows[i].low_ns);
        if (s->count) {
            step->strategy = s->rows[0].strategy;
            step->step_ns = s->rows[0].estimate_ns;
        }
    }
    nadi_search_release(&found);
    nadi_arena_release(&arena);
    return ok;
}

/* ---- simulations ----------------------------------------------------------------------------- */

struct batch {
    const struct nadi_search_setup *setup;
    struct nadi_design_strategy *rows[BATCH];
    struct nadi_diags diags[BATCH];
    uint32_t count;
    atomic_uint next; /* row to simulate */
    unsigned threads;
    double enough_ns; /* what takes longer need not be known */
    bool check;       /* strategies of other designs: they may not be possible, or not fit */
};

static bool is_possible(const struct nadi_study *study)
{
    const struct nadi_step_figures f = nadi_step_figures(study, 1);
    return !(f.missing_bytes > 0);
}

static void simulate_some(void *context, unsigned thread)
{
    struct batch *b = context;
    (void)thread;
    for (uint32_t i; (i = atomic_fetch_add(&b->next, 1)) < b->count;) {
        struct nadi_study study;
        double ns = 0;
        if (nadi_search_study(b->setup, &b->rows[i]->strategy, &study, &b->diags[i]) &&
            (!b->check || is_possible(&study)) &&
            nadi_model_time_within(&study, &b->setup->options, b->enough_ns, &ns, &b->diags[i]))
            b->rows[i]->simulated_ns = ns;
        nadi_study_close(&study);
    }
}

static bool simulate(struct batch *b, struct nadi_diags *diags)
{
    bool ok = true;
    for (uint32_t i = 0; i < b->count; i++)
        nadi_diags_init(&b->diags[i]);
    atomic_store(&b->next, 0);
    nadi_threads_run(b->threads < b->count ? b->threads : b->count, simulate_some, b);
    for (uint32_t i = 0; i < b->count; i++) {
        if (ok && !(b->rows[i]->simulated_ns > 0)) {
            ok = false;
            nadi_diags_append(diags, &b->diags[i]);
        }
        nadi_diags_release(&b->diags[i]);
    }
    return ok;
}

/* May it be faster than `best`? */
static bool is_open(const struct nadi_design_strategy *row, double best)
{
    return !(row->simulated_ns > 0) && row->low_ns < best;
}

/* The next ones that may be faster than `best`: by estimate, to find the fastest; or by what they
 * take at least, so that what is left is bounded higher. */
static uint32_t pick(struct nadi_design_strategies *s, double best, uint32_t most, bool by_bound,
                     struct nadi_design_strategy **rows)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->count && (by_bound || count < most); i++) {
        struct nadi_design_strategy *row = &s->rows[i];
        if (!is_open(row, best))
            continue;
        if (!by_bound) {
            rows[count++] = row;
            continue;
        }
        uint32_t at = count < most ? count++ : most;
        for (; at > 0 && rows[at - 1]->low_ns > row->low_ns; at--)
            if (at < most)
                rows[at] = rows[at - 1];
        if (at < most)
            rows[at] = row;
    }
    return count;
}

static double fastest(const struct nadi_design_strategies *s, struct nadi_design_step *step)
{
    double best = HUGE_VAL;
    for (uint32_t i = 0; i < s->count; i++) {
        const struct nadi_design_strategy *row = &s->rows[i];
        if (row->simulated_ns > 0 && row->simulated_ns < best) {
            best = row->simulated_ns;
            step->strategy = row->strategy;
            step->step_ns = best;
            step->simulated = true;
        }
    }
    return best;
}

bool nadi_design_simulate(struct nadi_design_strategies *s, const struct nadi_design_ask *ask,
                          uint32_t most, struct nadi_design_step *step, uint64_t *simulations,
                          struct nadi_diags *diags)
{
    struct nadi_arena arena;
    struct batch b = {.threads = ask->threads ? ask->threads : nadi_threads_cores(BATCH)};
    double best = HUGE_VAL;
    bool ok = true;
    nadi_arena_init(&arena);
    const struct nadi_search_setup setup = nadi_design_search_setup(ask, &arena);
    b.setup = &setup;
    for (uint32_t done = 0; ok && done < most; done += b.count) {
        b.count =
            pick(s, best, most - done < BATCH ? most - done : BATCH, done * 3 >= most * 2, b.rows);
        if (!b.count)
            break;
        b.enough_ns = best;
        ok = simulate(&b, diags);
        *simulations += b.count;
        best = fastest(s, step);
    }
    nadi_arena_release(&arena);
    step->least_ns = fmin(best, s->next_low);
    for (uint32_t i = 0; i < s->count; i++)
        if (!(s->rows[i].simulated_ns > 0))
            step->least_ns = fmin(step->least_ns, s->rows[i].low_ns);
    step->closed = step->least_ns >= best;
    return ok;
}

/* ---- strategies of other designs --------------------------------------------------------------
 */

static bool is_simulated(const struct nadi_design_strategies *s,
                         const struct nadi_strategy *strategy)
{
    for (uint32_t i = 0; i < s->count; i++)
        if (s->rows[i].simulated_ns > 0 &&
            memcmp(&s->rows[i].strategy, strategy, sizeof(*strategy)) == 0)
            return true;
    return false;
}

void nadi_design_try(struct nadi_design_strategies *s, const struct nadi_design_ask *ask,
                     const struct nadi_strategy *others, uint32_t count,
                     struct nadi_design_step *step, uint64_t *simulations)
{
    struct nadi_arena arena;
    struct nadi_design_strategies tried = {.rows = NADI_ZNEW(struct nadi_design_strategy, count)};
    struct batch b = {.threads = ask->threads ? ask->threads : nadi_threads_cores(BATCH),
                      .enough_ns = step->step_ns,
                      .check = true};
    nadi_arena_init(&arena);
    const struct nadi_search_setup setup = nadi_design_search_setup(ask, &arena);
    b.setup = &setup;
    for (uint32_t i = 0; i < count; i++)
        if (!is_simulated(s, &others[i]))
            tried.rows[tried.count++].strategy = others[i];
    for (uint32_t at = 0; at < tried.count; at += b.count) {
        struct nadi_diags none;
        b.count = tried.count - at < BATCH ? tried.count - at : BATCH;
        for (uint32_t i = 0; i < b.count; i++)
            b.rows[i] = &tried.rows[at + i];
        nadi_diags_init(&none);
        (void)simulate(&b, &none); /* one that is not possible here is passed over */
        nadi_diags_release(&none);
        *simulations += b.count;
    }
    for (uint32_t i = 0; i < tried.count; i++)
        if (tried.rows[i].simulated_ns > 0 && tried.rows[i].simulated_ns < step->step_ns) {
            step->step_ns = tried.rows[i].simulated_ns;
            step->strategy = tried.rows[i].strategy;
        }
    step->least_ns = fmin(step->least_ns, step->step_ns);
    step->closed = step->least_ns >= step->step_ns;
    nadi_mem_free(tried.rows);
    nadi_arena_release(&arena);
}
