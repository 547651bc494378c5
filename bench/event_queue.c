/* event_queue: why the engine's queue is what it is. The hold model (Jones, CACM 1986): N events
 * are pending; each one that runs schedules one more. Three ways to keep them in order of (time,
 * first scheduled first) against the engine, which also keeps the events of an actor together:
 *
 *   binary heap    one entry an event
 *   4-ary heap     one entry an event
 *   calendar       buckets by time, a list in each, ordered on insertion (Brown, CACM 1988), with a
 *                  fixed width of 1 us
 *   engine         one list a distinct time, found by a cache, lists in a 4-ary heap
 *
 * lockstep: all ranks do the same at the same times, as in collectives. skewed: every delay is
 * drawn. Nanoseconds an event, best of three. */
#include "base/mem.h"
#include "base/rng.h"
#include "engine/engine.h"

enum { RUNS = 3, HOLDS = 4000000, BUCKETS = 4096 };

struct entry {
    nadi_time at;
    uint64_t order;
    uint32_t payload[4];
};

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The delay of the next event: three kinds of timers in lockstep, or drawn. */
static nadi_time delay(struct nadi_rng *rng, bool skewed, uint64_t k)
{
    static const nadi_time steps[] = {2941000, 10000, 243000};
    return skewed ? (nadi_time)nadi_rng_below(rng, 4000000) : steps[k % 3];
}

static bool before(const struct entry *x, const struct entry *y)
{
    return x->at < y->at || (x->at == y->at && x->order < y->order);
}

/* ---- heaps --------------------------------------------------------------------------------- */

static void heap_push(struct entry *h, size_t *count, size_t arity, struct entry e)
{
    size_t i = (*count)++;
    while (i > 0 && before(&e, &h[(i - 1) / arity])) {
        h[i] = h[(i - 1) / arity];
        i = (i - 1) / arity;
    }
    h[i] = e;
}

static struct entry heap_pop(struct entry *h, size_t *count, size_t arity)
{
    struct entry top = h[0], last = h[--*count];
    size_t i = 0;
    for (;;) {
        size_t child = i * arity + 1, best = child;
        if (child >= *count)
            break;
        for (size_t k = child + 1; k < child + arity && k < *count; k++)
            if (before(&h[k], &h[best]))
                best = k;
        if (!before(&h[best], &last))
            break;
        h[i] = h[best];
        i = best;
    }
    h[i] = last;
    return top;
}

static double run_heap(size_t pending, bool skewed, size_t arity)
{
    struct nadi_rng rng;
    struct entry *h = NADI_NEW(struct entry, pending + 1);
    size_t count = 0;
    uint64_t order = 0;
    nadi_rng_init(&rng, 1, "hold");
    for (size_t i = 0; i < pending; i++, order++)
        heap_push(h, &count, arity, (struct entry){.at = delay(&rng, skewed, 0), .order = order});
    double begin = now_s();
    for (uint64_t k = 0; k < HOLDS; k++, order++) {
        struct entry e = heap_pop(h, &count, arity);
        e.at += delay(&rng, skewed, ++e.payload[0]);
        e.order = order;
        heap_push(h, &count, arity, e);
    }
    double took = now_s() - begin;
    nadi_mem_free(h);
    return took * 1e9 / HOLDS;
}

static double run_binary(size_t pending, bool skewed)
{
    return run_heap(pending, skewed, 2);
}

static double run_quaternary(size_t pending, bool skewed)
{
    return run_heap(pending, skewed, 4);
}

/* ---- calendar ------------------------------------------------------------------------------ */

struct cell {
    struct entry e;
    uint32_t next;
};

static void calendar_push(struct cell *cells, uint32_t *first, uint32_t index)
{
    uint32_t *at = &first[(uint64_t)cells[index].e.at / 1000000 % BUCKETS];
    while (*at != NADI_NONE && before(&cells[*at].e, &cells[index].e))
        at = &cells[*at].next;
    cells[index].next = *at;
    *at = index;
}

static double run_calendar(size_t pending, bool skewed)
{
    struct nadi_rng rng;
    struct cell *cells = NADI_ZNEW(struct cell, pending);
    uint32_t first[BUCKETS];
    uint64_t order = 0, day = 0;
    memset(first, 0xff, sizeof(first));
    nadi_rng_init(&rng, 1, "hold");
    for (size_t i = pending; i-- > 0;) { /* backwards: lists are walked from the front */
        cells[i].e = (struct entry){.at = delay(&rng, skewed, 0), .order = i};
        calendar_push(cells, first, (uint32_t)i);
    }
    order = pending;
    double begin = now_s();
    for (uint64_t k = 0; k < HOLDS / 8; order++) { /* fewer: lists grow long in lockstep */
        uint32_t index = first[day % BUCKETS];
        if (index == NADI_NONE || (uint64_t)cells[index].e.at / 1000000 != day) {
            day++;
            continue;
        }
        first[day % BUCKETS] = cells[index].next;
        cells[index].e.at += delay(&rng, skewed, ++cells[index].e.payload[0]);
        cells[index].e.order = order;
        calendar_push(cells, first, index);
        k++;
    }
    double took = now_s() - begin;
    nadi_mem_free(cells);
    return took * 1e9 / (HOLDS / 8);
}

/* ---- engine -------------------------------------------------------------------------------- */

struct holder {
    struct nadi_engine *engine;
    struct nadi_rng rng;
    uint32_t kind;
    bool skewed;
};

static void on_event(void *context, const struct nadi_event *event)
{
    struct holder *h = context;
    nadi_engine_schedule(h->engine,
                         nadi_engine_now(h->engine) + delay(&h->rng, h->skewed, event->a + 1),
                         event->actor, h->kind, event->a + 1, 0, 0);
}

static double run_engine(size_t pending, bool skewed)
{
    struct holder h = {.engine = nadi_engine_create((uint32_t)pending), .skewed = skewed};
    nadi_rng_init(&h.rng, 1, "hold");
    h.kind = nadi_engine_add_kind(h.engine, on_event, &h);
    for (size_t i = 0; i < pending; i++)
        nadi_engine_schedule(h.engine, delay(&h.rng, skewed, 0), (uint32_t)i, h.kind, 0, 0, 0);
    double begin = now_s();
    nadi_engine_run(h.engine, HOLDS, NADI_TIME_MAX - 1);
    double took = now_s() - begin;
    double events = (double)nadi_engine_events(h.engine);
    nadi_engine_destroy(h.engine);
    return took * 1e9 / events;
}

/* -------------------------------------------------------------------------------------------- */

static double best(double (*run)(size_t pending, bool skewed), size_t pending, bool skewed)
{
    double least = run(pending, skewed);
    for (int i = 1; i < RUNS; i++) {
        double again = run(pending, skewed);
        least = again < least ? again : least;
    }
    return least;
}

int main(void)
{
    static const size_t pending[] = {64, 1024, 16384};
    printf("event queues, ns an event        binary heap  4-ary heap    calendar      engine\n");
    for (int skewed = 0; skewed < 2; skewed++)
        for (size_t i = 0; i < 3; i++) {
            size_t n = pending[i];
            printf("%-9s %6zu pending         %12.1f%12.1f", skewed ? "skewed" : "lockstep", n,
                   best(run_binary, n, skewed), best(run_quaternary, n, skewed));
            if (skewed || n <= 1024) /* quadratic where many events share a time */
                printf("%12.1f", best(run_calendar, n, skewed));
            else
                printf("%12s", "-");
            printf("%12.1f\n", best(run_engine, n, skewed));
        }
    return 0;
}
