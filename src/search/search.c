#include "search/search.h"

#include <math.h>
#include <stdatomic.h>
#include <time.h>

#include "base/guard.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/threads.h"
#include "explore/model_inputs.h"
#include "model/set_words.h"
#include "search/candidates.h"

enum { MOST_THREADS = 64 };

/* With contention, where that was not asked for: so many events in all, some 70 s of a core's time,
 * and so many strategies at a time, whatever the number of threads: the result is the same. Each
 * may have as many as the first ones have if they share all of them. */
enum { MOST_EVENTS = 160000000, BATCH = 4 };

/* How many strategies take at least so long, by thousandths of it: which of those that are not kept
 * the margin leaves open. */
enum { BINS = 40000 };

static uint32_t bin_of(double low)
{
    const double bin = 1000 * log(fmax(low, 1));
    return bin < BINS - 1 ? (uint32_t)bin : BINS - 1;
}

struct worker {
    struct nadi_estimator *estimator;
    struct nadi_candidates kept;
    uint64_t strategies, possible, fitting;
    uint64_t *bins;
    struct nadi_candidate nearest;
    bool has_nearest;
    uint64_t shape_base; /* number of the shape's first strategy */
    const struct run *run;
};

struct run {
    struct nadi_search *search;
    const struct nadi_search_setup *setup;
    struct nadi_search_space space;
    struct nadi_model_plan asked;
    struct nadi_study *study;
    struct worker *workers;
    uint64_t *bins;     /* of all workers */
    atomic_size_t next; /* shape, or candidate */
    struct nadi_candidate *chosen;
    uint32_t chosen_count;
    uint32_t batch[BATCH], batch_count; /* of those chosen: simulated with contention at a time */
    uint64_t events_left;               /* of all */
    uint64_t events_each;               /* that one of the batch may have */
    atomic_ullong events;
    atomic_bool failed;
    struct nadi_diags *failures; /* of each thread's simulations */
};

/* ---- estimates ----------------------------------------------------------------------------- */

static void look_at(void *context, const struct nadi_strategy *strategy)
{
    struct worker *w = context;
    (void)nadi_guard_look();
    struct nadi_candidate c = {.number = w->shape_base + w->strategies, .row.strategy = *strategy};
    w->strategies++;
    if (!nadi_estimator_time(w->estimator, strategy, &c.row.estimate))
        return;
    w->possible++;
    const struct nadi_estimate *e = &c.row.estimate;
    if (e->missing_bytes > 0) {
        const double best = w->has_nearest ? w->nearest.row.estimate.missing_bytes : HUGE_VAL;
        if (e->missing_bytes < best ||
            (!(e->missing_bytes > best) && c.number < w->nearest.number)) {
            w->nearest = c;
            w->has_nearest = true;
        }
        return;
    }
    w->fitting++;
    const bool memory = w->run->setup->goal == NADI_SEARCH_MEMORY;
    c.key = memory ? e->memory_bytes : e->ns;
    c.low = memory ? e->memory_bytes : nadi_strategy_least_ns(strategy, e);
    w->bins[bin_of(c.low)]++;
    nadi_candidates_keep(&w->kept, &c);
}

static void estimate(void *context, unsigned index)
{
    struct run *r = context;
    struct worker *w = &r->workers[index];
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    w->estimator =
        nadi_estimator_create(r->study, &r->asked, r->setup->options.choose_model, &diags);
    NADI_ASSERT(w->estimator); /* it was created once */
    const bool host = r->study->cluster.device.host_rate > 0 || r->study->memory;
    enum { STRIDE = 1 << 12 }; /* more than the strategies of a shape */
    for (size_t shape; (shape = atomic_fetch_add(&r->next, 1)) < r->space.shapes.count;) {
        w->shape_base = (uint64_t)shape * STRIDE - w->strategies;
        nadi_search_space_each(&r->space, shape, host, look_at, w);
    }
    nadi_estimator_destroy(w->estimator);
    nadi_diags_release(&diags);
}

/* ---- simulations --------------------------------------------------------------------------- */

/* What the user's settings do not say already. */
static void add_settings(const struct run *r, const struct nadi_strategy *s, struct nadi_str *out)
{
    struct nadi_str all = NADI_STR_INIT;
    nadi_strategy_text(s, &all);
    if (r->setup->settings)
        nadi_str_printf(out, "%s ", r->setup->settings);
    if (!nadi_plan_has(&r->asked, "ranks"))
        nadi_str_printf(out, "ranks=%u ", r->asked.ranks);
    if (!nadi_plan_has(&r->asked, "batch"))
        nadi_str_printf(out, "batch=%" PRIu64 " ", r->asked.batch);
    for (const char *at = nadi_str_get(&all); *at;) {
        const size_t length = strcspn(at, " "), name = strcspn(at, "=");
        char key[32];
        snprintf(key, sizeof(key), "%.*s", (int)name, at);
        if (!nadi_search_is_fixed(&r->asked, key)) {
            nadi_str_add_bytes(out, at, length);
            nadi_str_add(out, " ");
        }
        at += length + (at[length] != '\0');
    }
    nadi_str_release(&all);
}

static bool open_study(const struct run *r, const struct nadi_strategy *s, struct nadi_study *study,
                       struct nadi_diags *diags)
{
    struct nadi_str settings = NADI_STR_INIT;
    add_settings(r, s, &settings);
    const struct nadi_study_setup setup = {.model = r->setup->model,
                                           .plan = r->setup->plan,
                                           .settings = nadi_str_get(&settings),
                                           .cluster = r->setup->cluster,
                                           .memory = r->setup->memory,
                                           .varied = r->asked.varied,
                                           .changes = r->setup->changes};
    const bool ok = nadi_model_study(study, &setup, diags);
    nadi_str_release(&settings);
    return ok;
}

/* The plan that is asked for and, unless `model` is NULL, the model. */
static bool read_asked(const struct nadi_search_setup *setup, struct nadi_model_plan *asked,
                       struct nadi_model *model, struct nadi_diags *diags)
{
    struct nadi_arena arena;
    struct nadi_set set;
    nadi_arena_init(&arena);
    const bool ok = nadi_set_split(&set, setup->settings, setup->changes, &arena, diags) &&
                    nadi_plan_read(asked, setup->plan, set.plan, diags) &&
                    (!model || nadi_model_open_changed(model, setup->model, &set.changes, diags));
    nadi_arena_release(&arena);
    return ok;
}

bool nadi_search_study(const struct nadi_search_setup *setup, const struct nadi_strategy *s,
                       struct nadi_study *study, struct nadi_diags *diags)
{
    struct run r = {.setup = setup};
    const bool read = read_asked(setup, &r.asked, NULL, diags);
    NADI_ASSERT(read); /* the search has read it */
    if (setup->ranks)
        r.asked.ranks = setup->ranks;
    if (setup->batch)
        r.asked.batch = setup->batch;
    r.asked.varied = setup->varied | nadi_search_varied(&r.asked, NULL);
    const bool ok = open_study(&r, s, study, diags);
    nadi_plan_release(&r.asked);
    return ok;
}

/* Of the `i`-th candidate in the order of the work: without contention, or with it. */
static void simulate(struct run *r, uint32_t i, bool whole, struct nadi_diags *diags)
{
    struct nadi_search_row *row = &r->chosen[i].row;
    struct nadi_run_options options = r->setup->options;
    struct nadi_model_timing t;
    struct nadi_study study;
    options.max_events = whole && options.choose_model ? r->events_each : 0;
    bool ok = open_study(r, &row->strategy, &study, diags);
    if (ok && whole) {
        t = (struct nadi_model_timing){0};
        ok = nadi_model_time_whole(&study, &options, &t, diags);
    } else if (ok) {
        ok = nadi_model_time_free(&study, &options, &t, diags);
    }
    if (ok) {
        row->model = t.model;
        row->simulated_ns = t.ns;
        if (!whole)
            r->chosen[i].least = fmax(r->setup->goal == NADI_SEARCH_MEMORY ? 0 : r->chosen[i].low,
                                      nadi_model_free_share(&study.cluster) * (double)t.free_ns);
        row->least_ns = t.ns ? 0 : (uint64_t)r->chosen[i].least;
        atomic_fetch_add(&r->events, whole ? t.events : 0);
    } else {
        atomic_store(&r->failed, true);
    }
    nadi_study_close(&study);
}

static void simulate_free(void *context, unsigned index)
{
    struct run *r = context;
    for (size_t i; (i = atomic_fetch_add(&r->next, 1)) < r->chosen_count;)
        simulate(r, (uint32_t)i, false, &r->failures[index]);
}

static void simulate_batch(void *context, unsigned index)
{
    struct run *r = context;
    for (size_t i; (i = atomic_fetch_add(&r->next, 1)) < r->batch_count;)
        simulate(r, r->batch[i], true, &r->failures[index]);
}

/* ---- the whole ----------------------------------------------------------------------------- */

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static bool take_count(struct run *r, const char *key, uint64_t asked, uint64_t *in_plan,
                       struct nadi_diags *diags)
{
    if (asked && nadi_plan_has(&r->asked, key))
        return nadi_error(diags, "search/twice", NADI_IN_FILE("plan"), NULL,
                          "%s is given twice: by the plan and as an option", key);
    if (asked)
        *in_plan = asked;
    if (*in_plan == 0)
        return nadi_error(diags, "search/size", NADI_NOWHERE, "--ranks 1024 --batch 2048",
                          "a search needs %s", key);
    return true;
}

/* A study of the first possible strategy, for everything that does not depend on it. */
static bool open_any(struct run *r, struct nadi_diags *diags)
{
    struct nadi_diags last;
    bool ok = false;
    nadi_diags_init(&last);
    for (size_t i = 0; !ok && i < r->space.shapes.count; i++) {
        struct nadi_model_plan p = r->asked;
        nadi_arena_init(&p.arena);
        nadi_diags_release(&last);
        nadi_diags_init(&last);
        nadi_strategy_apply(&r->space.shapes.items[i], &p);
        ok = nadi_plan_resolve(&p, &r->search->study.model, &last);
        nadi_arena_release(&p.arena);
        if (!ok)
            continue;
        nadi_study_close(r->study);
        ok = open_study(r, &r->space.shapes.items[i], r->study, diags);
        if (!ok)
            break; /* the cluster, which no strategy changes */
    }
    if (!ok && r->space.shapes.count == 0)
        nadi_error(diags, "search/nothing", NADI_NOWHERE,
                   "tp x cp x pp divides the ranks, dp x micro-batch the batch",
                   "no strategy for %u ranks and a batch of %" PRIu64, r->asked.ranks,
                   r->asked.batch);
    else if (!ok && diags->errors == 0)
        nadi_diags_append(diags, &last);
    nadi_diags_release(&last);
    return ok;
}

static bool prepare(struct run *r, struct nadi_diags *diags)
{
    const struct nadi_search_setup *setup = r->setup;
    uint64_t ranks;
    if (!read_asked(setup, &r->asked, &r->study->model, diags))
        return false;
    ranks = r->asked.ranks;
    if (!take_count(r, "ranks", setup->ranks, &ranks, diags) ||
        !take_count(r, "batch", setup->batch, &r->asked.batch, diags))
        return false;
    r->asked.ranks = (uint32_t)ranks;
    if (!nadi_search_space_init(&r->space, &r->study->model, &r->asked, setup->words, diags))
        return false;
    r->asked.varied = setup->varied | nadi_search_varied(&r->asked, &r->space);
    struct nadi_net net;
    const struct nadi_shape whole = nadi_shape_whole(1);
    nadi_net_build(&net, &r->study->model, &whole);
    nadi_search_space_shapes(&r->space, &r->study->model, &r->asked, net.body_count);
    nadi_net_release(&net);
    r->asked.dp = 0; /* of each strategy */
    if (!open_any(r, diags))
        return false;
    struct nadi_estimator *e =
        nadi_estimator_create(r->study, &r->asked, setup->options.choose_model, diags);
    nadi_estimator_destroy(e);
    return e != NULL;
}

static void gather(struct run *r, struct nadi_candidates *all)
{
    struct nadi_search *s = r->search;
    struct nadi_candidate nearest = {0};
    bool has_nearest = false;
    for (unsigned i = 0; i < s->threads; i++) {
        struct worker *w = &r->workers[i];
        s->strategies += w->strategies;
        s->possible += w->possible;
        s->fitting += w->fitting;
        for (size_t k = 0; k < w->kept.count; k++)
            NADI_PUSH(all, w->kept.items[k]);
        for (uint32_t k = 0; k < BINS; k++)
            r->bins[k] += w->bins[k];
        nadi_mem_free(w->kept.items);
        nadi_mem_free(w->bins);
        const struct nadi_estimate *mine = &w->nearest.row.estimate;
        if (w->has_nearest &&
            (!has_nearest || mine->missing_bytes < nearest.row.estimate.missing_bytes ||
             (!(mine->missing_bytes > nearest.row.estimate.missing_bytes) &&
              w->nearest.number < nearest.number)))
            nearest = w->nearest;
        has_nearest |= w->has_nearest;
    }
    s->nearest = nearest.row;
    if (all->count)
        qsort(all->items, all->count, sizeof(*all->items), nadi_candidate_by_low);
    all->count = all->count < NADI_CANDIDATES_KEPT ? all->count : NADI_CANDIDATES_KEPT;
}

/* Simulated ones first, by what is known of their times; then by estimate. */
static void order(struct run *r, struct nadi_candidates *all)
{
    struct nadi_search *s = r->search;
    const bool memory = r->setup->goal == NADI_SEARCH_MEMORY;
    double best = HUGE_VAL;
    for (uint32_t i = 0; i < r->chosen_count; i++) {
        struct nadi_candidate *c = &all->items[i];
        s->simulated += c->row.model != NULL;
        if (!memory)
            c->key = nadi_search_row_ns(&c->row);
        if (!c->row.simulated_ns)
            continue;
        best = fmin(best, c->key);
        s->worst_error =
            fmax(s->worst_error, fabs(c->row.estimate.ns / (double)c->row.simulated_ns - 1));
    }
    for (size_t i = r->chosen_count; i < all->count; i++)
        s->open += all->items[i].low < best;
    if (s->fitting > all->count && s->simulated) {
        s->open = 0;
        for (uint32_t k = 0; k <= bin_of(best); k++)
            s->open += r->bins[k];
        for (uint32_t i = 0; i < r->chosen_count; i++)
            s->open -= bin_of(all->items[i].low) <= bin_of(best);
    }
    for (uint32_t i = 0; i < r->chosen_count && !memory; i++)
        s->open += !all->items[i].row.simulated_ns && all->items[i].least < best;
    if (r->chosen_count)
        qsort(all->items, r->chosen_count, sizeof(*all->items),
              memory ? nadi_candidate_by_key : nadi_candidate_by_known);
    s->count = (uint32_t)(all->count < r->setup->top ? all->count : r->setup->top);
    s->rows = NADI_ARENA_NEW(&s->arena, struct nadi_search_row, s->count);
    for (uint32_t i = 0; i < s->count; i++)
        s->rows[i] = all->items[i].row;
    for (uint32_t i = 0; i < s->count; i++)
        s->unsure += s->rows[i].model && !s->rows[i].simulated_ns;
}

static int by_time(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* The time that `top` candidates are known not to exceed. */
static double enough_of(const struct run *r)
{
    uint64_t *known = NADI_NEW(uint64_t, r->chosen_count);
    uint32_t count = 0;
    for (uint32_t i = 0; i < r->chosen_count; i++)
        if (r->chosen[i].row.simulated_ns)
            known[count++] = r->chosen[i].row.simulated_ns;
    if (count)
        qsort(known, count, sizeof(*known), by_time);
    const double enough = count < r->setup->top ? HUGE_VAL : (double)known[r->setup->top - 1];
    nadi_mem_free(known);
    return enough;
}

/* Those that may be among the `top` first ones, by what they take at least. */
static void pick_batch(struct run *r)
{
    const bool memory = r->setup->goal == NADI_SEARCH_MEMORY;
    const double enough = memory ? HUGE_VAL : enough_of(r);
    const uint32_t top = memory ? r->setup->top : UINT32_MAX;
    const uint32_t end = top < r->chosen_count ? top : r->chosen_count;
    r->batch_count = 0;
    for (uint32_t i = 0; i < end; i++) {
        const struct nadi_candidate *c = &r->chosen[i];
        if (c->row.simulated_ns || !(c->least < enough))
            continue;
        uint32_t at = r->batch_count < BATCH ? r->batch_count++ : BATCH;
        for (; at > 0 && r->chosen[r->batch[at - 1]].least > c->least; at--)
            if (at < BATCH)
                r->batch[at] = r->batch[at - 1];
        if (at < BATCH)
            r->batch[at] = i;
    }
}

static bool simulate_all(struct run *r, struct nadi_candidates *all, struct nadi_diags *diags)
{
    const uint32_t wanted = r->setup->simulate;
    if (all->count)
        qsort(all->items, all->count, sizeof(*all->items), nadi_candidate_by_key);
    r->chosen = all->items;
    r->chosen_count = (uint32_t)(all->count < wanted ? all->count : wanted);
    r->failures = NADI_NEW(struct nadi_diags, r->search->threads);
    for (unsigned i = 0; i < r->search->threads; i++)
        nadi_diags_init(&r->failures[i]);
    atomic_store(&r->next, 0);
    nadi_threads_run(r->search->threads, simulate_free, r);
    r->events_left = r->setup->most_events ? r->setup->most_events : MOST_EVENTS;
    r->events_each = r->events_left / BATCH;
    while (!atomic_load(&r->failed) && r->events_left) {
        pick_batch(r);
        if (!r->batch_count)
            break;
        atomic_store(&r->next, 0);
        nadi_threads_run(r->search->threads, simulate_batch, r);
        const uint64_t done = atomic_exchange(&r->events, 0);
        if (r->setup->options.choose_model)
            r->events_left -= nadi_min_u64(done, r->events_left);
        r->events_each = nadi_min_u64(r->events_each, r->events_left);
    }
    const bool ok = !atomic_load(&r->failed);
    for (unsigned i = 0; i < r->search->threads; i++) {
        if (!ok && diags->errors == 0)
            nadi_diags_append(diags, &r->failures[i]);
        nadi_diags_release(&r->failures[i]);
    }
    nadi_mem_free(r->failures);
    return ok;
}

static bool search(struct run *r, struct nadi_diags *diags)
{
    struct nadi_search *s = r->search;
    struct nadi_candidates all = {0};
    s->threads = r->setup->threads ? r->setup->threads : nadi_threads_cores(MOST_THREADS);
    s->threads = s->threads > MOST_THREADS ? MOST_THREADS : s->threads;
    r->workers = NADI_ZNEW(struct worker, s->threads);
    r->bins = NADI_ZNEW(uint64_t, BINS);
    for (unsigned i = 0; i < s->threads; i++)
        r->workers[i] = (struct worker){.run = r, .bins = NADI_ZNEW(uint64_t, BINS)};
    const double start = seconds();
    atomic_store(&r->next, 0);
    nadi_threads_run(s->threads, estimate, r);
    s->estimate_s = seconds() - start;
    gather(r, &all);
    nadi_mem_free(r->workers);
    const bool ok = simulate_all(r, &all, diags);
    if (ok) {
        order(r, &all);
        if (s->count) {
            nadi_study_close(r->study);
            const bool opened = open_study(r, &s->rows[0].strategy, r->study, diags);
            NADI_ASSERT(opened); /* it was simulated or estimated */
        }
    }
    nadi_mem_free(all.items);
    nadi_mem_free(r->bins);
    return ok;
}

bool nadi_search_run(struct nadi_search *s, const struct nadi_search_setup *setup,
                     struct nadi_diags *diags)
{
    *s = (struct nadi_search){.goal = setup->goal};
    nadi_arena_init(&s->arena);
    struct run r = {.search = s, .setup = setup, .study = &s->study};
    const bool ok = prepare(&r, diags) && search(&r, diags);
    nadi_plan_release(&r.asked);
    nadi_search_space_release(&r.space);
    return ok;
}

void nadi_search_release(struct nadi_search *s)
{
    nadi_study_close(&s->study);
    nadi_arena_release(&s->arena);
}
