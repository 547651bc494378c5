#include "sweep/sweep.h"

#include "base/mem.h"
#include "base/threads.h"
#include "sweep/cache.h"
#include "sweep/share.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { MOST_THREADS = 1024, HOST_BYTES = 256 };

struct sweeping {
    const struct nadi_sweep_setup *setup;
    struct nadi_store *store;
    struct nadi_cache *cache; /* NULL: none */
    struct nadi_share_order order;
    atomic_uint_fast64_t next;
    atomic_uint_fast64_t ended[4];
    atomic_bool failed;
    pthread_mutex_t telling;
    struct timespec told;
    char host[HOST_BYTES];
    struct nadi_assignment assignment; /* of rows of other processes, and of those known before */
    uint64_t found;                    /* of these */
};

static bool is_stopped(const struct sweeping *s)
{
    return atomic_load(&s->failed) || (s->setup->stop && *s->setup->stop);
}

/* A few times a second. */
static void tell(struct sweeping *s, bool always)
{
    struct timespec now;
    if (!s->setup->progress || pthread_mutex_trylock(&s->telling) != 0)
        return;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const double since =
        (double)(now.tv_sec - s->told.tv_sec) + (double)(now.tv_nsec - s->told.tv_nsec) / 1e9;
    if (always || since > 0.2) {
        uint64_t done = nadi_store_count(s->store);
        for (int i = 0; i < NADI_POINT_STOPPED; i++)
            done += atomic_load(&s->ended[i]);
        s->told = now;
        s->setup->progress(s->setup->context, done, s->setup->space->point_count);
    }
    pthread_mutex_unlock(&s->telling);
}

static void run_point(struct sweeping *s, struct nadi_point_runner *runner, unsigned thread,
                      uint64_t point)
{
    struct nadi_store_row row = {.host = s->host, .thread = thread};
    nadi_point_run(runner, point, &row.result);
    row.texts = runner->assignment.texts;
    row.quantities = runner->assignment.quantities;
    if (row.result.end != NADI_POINT_STOPPED && !nadi_store_add(s->store, &row))
        atomic_store(&s->failed, true);
    nadi_cache_add(s->cache, &runner->assignment, &row.result);
    atomic_fetch_add(&s->ended[row.result.end], 1);
    tell(s, false);
}

static void work(void *context, unsigned thread)
{
    struct sweeping *s = context;
    struct nadi_point_runner runner;
    nadi_point_runner_init(&runner, s->setup->space, s->setup->host, s->setup->stop);
    while (!is_stopped(s)) {
        const uint64_t unit = atomic_fetch_add(&s->next, 1);
        if (unit >= s->order.unit_count)
            break;
        const struct nadi_share_unit *u = &s->order.units[unit];
        for (uint64_t i = u->first; i < u->first + u->count && !is_stopped(s); i++)
            if (!nadi_store_has(s->store, s->order.points[i]))
                run_point(s, &runner, thread, s->order.points[i]);
    }
    nadi_point_runner_release(&runner);
}

/* A row of another process. */
static bool take(void *context, const struct nadi_store_row *row)
{
    struct sweeping *s = context;
    struct nadi_store_row whole;
    if (row && row->result.end != NADI_POINT_STOPPED) {
        whole = *row;
        nadi_space_assign(s->setup->space, row->result.point, &s->assignment);
        whole.texts = s->assignment.texts;
        whole.quantities = s->assignment.quantities;
        if (!nadi_store_add(s->store, &whole))
            atomic_store(&s->failed, true);
        nadi_cache_add(s->cache, &s->assignment, &whole.result);
    }
    if (row)
        atomic_fetch_add(&s->ended[row->result.end], 1);
    tell(s, false);
    return !is_stopped(s);
}

/* Points that some sweep has run. */
static void take_known(struct sweeping *s)
{
    const struct nadi_space *space = s->setup->space;
    struct nadi_store_row row = {.host = s->host};
    nadi_assignment_init(&s->assignment, space);
    for (uint64_t p = 0; p < space->point_count && !is_stopped(s); p++) {
        if (nadi_store_has(s->store, p))
            continue;
        nadi_space_assign(space, p, &s->assignment);
        row.result = (struct nadi_point_row){.point = p};
        row.texts = s->assignment.texts;
        row.quantities = s->assignment.quantities;
        if (!nadi_cache_find(s->cache, &s->assignment, &row.result))
            continue;
        if (!nadi_store_add_known(s->store, &row))
            atomic_store(&s->failed, true);
        s->found++;
        atomic_fetch_add(&s->ended[row.result.end], 1);
        tell(s, false);
    }
    nadi_assignment_release(&s->assignment);
}

static unsigned thread_count(const struct nadi_sweep_setup *setup)
{
    return setup->threads ? setup->threads : nadi_threads_cores(MOST_THREADS);
}

static unsigned worker_count(const struct nadi_sweep_setup *setup)
{
    return setup->machines ? (unsigned)setup->machines->count : thread_count(setup);
}

/* The first process of several: its first thread, which MPI knows, serves the others. */
static void serve_or_work(void *context, unsigned thread)
{
    struct sweeping *s = context;
    const struct nadi_machines_work out = {
        .order = &s->order, .next = &s->next, .store = s->store, .take = take, .context = s};
    if (thread > 0)
        work(context, 0);
    else
        nadi_machines_hand_out(s->setup->machines, &out);
}

static void run_points(struct sweeping *s)
{
    const struct nadi_sweep_setup *setup = s->setup;
    if (!setup->machines)
        nadi_threads_run(thread_count(setup), work, s);
    else if (setup->machines->count == 1)
        nadi_threads_run(1, work, s);
    else {
        nadi_assignment_init(&s->assignment, setup->space);
        nadi_threads_run(2, serve_or_work, s);
        nadi_assignment_release(&s->assignment);
    }
    tell(s, true);
}

bool nadi_sweep_serve(const struct nadi_sweep_setup *setup, struct nadi_diags *diags)
{
    const struct nadi_sweep_inputs none = {.count = 0};
    struct nadi_machines_folder folder;
    struct nadi_point_runner runner;
    if (!nadi_machines_agree(setup->machines, true))
        return true; /* the first one says why */
    const bool ok = nadi_machines_inputs(setup->machines, &none, &folder, diags);
    if (nadi_machines_agree(setup->machines, ok)) {
        nadi_point_runner_init(&runner, setup->space, setup->host, setup->stop);
        nadi_machines_work(setup->machines, &runner);
        nadi_point_runner_release(&runner);
    }
    nadi_machines_leave(&folder);
    return ok;
}

/* Are all processes ready? */
static bool begin_machines(const struct nadi_sweep_setup *setup,
                           const struct nadi_sweep_inputs *inputs, bool ok,
                           struct nadi_diags *diags)
{
    struct nadi_machines_folder folder;
    if (!setup->machines)
        return ok;
    if (!nadi_machines_agree(setup->machines, ok))
        return false;
    ok = nadi_machines_inputs(setup->machines, inputs, &folder, diags);
    if (nadi_machines_agree(setup->machines, ok))
        return true;
    return diags->errors ? false
                         : nadi_error(diags, "sweep/mpi", NADI_NOWHERE, NULL,
                                      "a process could not begin; it says why");
}

static void run_opened(struct sweeping *s, struct nadi_sweep_end *end)
{
    (void)gethostname(s->host, sizeof(s->host) - 1);
    end->had = nadi_store_count(s->store);
    if (s->cache)
        take_known(s);
    nadi_share_order_make(&s->order, s->setup->space, worker_count(s->setup));
    run_points(s);
    for (int i = 0; i < 4; i++)
        end->ended[i] = atomic_load(&s->ended[i]);
    const uint64_t now = end->ended[NADI_POINT_DONE] + end->ended[NADI_POINT_INFEASIBLE] +
                         end->ended[NADI_POINT_FAILED];
    end->stopped = atomic_load(&s->failed) || end->had + now != end->points;
    end->found = s->found;
    nadi_share_order_release(&s->order);
}

static bool open_files(struct sweeping *s, const struct nadi_sweep_inputs *inputs,
                       struct nadi_diags *diags)
{
    const struct nadi_sweep_setup *setup = s->setup;
    const struct nadi_store_setup store = {
        .path = setup->store, .space = setup->space, .inputs = inputs, .resume = setup->resume};
    const struct nadi_cache_setup cache = {
        .path = setup->cache, .most_bytes = setup->cache_bytes, .space = setup->space};
    if (setup->cache && !(s->cache = nadi_cache_open(&cache, diags)))
        return false;
    s->store = nadi_store_open(&store, diags);
    return s->store != NULL;
}

bool nadi_sweep_run(const struct nadi_sweep_setup *setup, struct nadi_sweep_end *end,
                    struct nadi_diags *diags)
{
    struct nadi_sweep_inputs inputs;
    struct sweeping s = {.setup = setup, .telling = PTHREAD_MUTEX_INITIALIZER};
    *end = (struct nadi_sweep_end){.points = setup->space->point_count};
    bool ok =
        nadi_sweep_inputs_find(&inputs, setup->space, diags) && open_files(&s, &inputs, diags);
    if (!begin_machines(setup, &inputs, ok, diags)) {
        if (s.store)
            (void)!nadi_store_close(s.store, false, diags);
        ok = false;
    }
    if (ok) {
        run_opened(&s, end);
        ok = nadi_store_close(s.store, !end->stopped, diags);
    }
    nadi_cache_close(s.cache, diags);
    nadi_sweep_inputs_release(&inputs);
    return ok;
}
