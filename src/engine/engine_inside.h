/* engine_inside: what the engine keeps. Private to engine*.c. */
#ifndef NADI_ENGINE_ENGINE_INSIDE_H
#define NADI_ENGINE_ENGINE_INSIDE_H

#include "engine/engine.h"

enum {
    CACHE_BITS = 10,
    CACHE_SLOTS = 1 << CACHE_BITS,
    ABROAD_SLOTS = 256,
    HEAP_ARITY = 4,
};

struct list { /* events of one time, in scheduling order */
    uint32_t head, tail;
    uint64_t order; /* of creation: ties between lists of the same time */
};

struct heap_entry {
    nadi_time at;
    uint32_t list;
    uint32_t source; /* 0: scheduled here; else 1 + the part that did */
};

struct abroad { /* the latest list of events of one time that another part has scheduled */
    nadi_time at;
    uint32_t list, source;
};

struct mark { /* where the current time step's events of an actor end */
    uint64_t step;
    uint32_t tail;
};

struct kind {
    nadi_event_fn *handler;
    nadi_event_fn *expect; /* NULL: none */
    void *context;
};

struct nadi_engine {
    nadi_time now, until; /* until: of the present run */
    bool running;
    enum { GO_ON, PAUSE_NOW, PAUSE_NEXT } pause; /* after the present step, or the next */
    uint64_t step;                               /* number of the current time step, from 1 */
    uint64_t handled, stop, order;               /* stop: of the present run, in events handled */
    struct list current;
    uint32_t group;   /* actor whose group goes on; NADI_NONE: none */
    char halted[200]; /* why nothing more is run; empty: it is */
    bool refused;     /* so it was: it cannot be */
    nadi_engine_end_fn *end_asked;
    void *end_context;
    bool finished;   /* nothing is run after `now` */
    bool broken_off; /* work within an event has ended before it was done */
    struct nadi_event *events;
    size_t event_capacity;
    uint32_t event_count;
    struct list free_events; /* first freed, first used: events that follow each other lie so */
    struct list *lists;
    size_t list_capacity;
    uint32_t list_count, free_list; /* free lists are chained through head */
    struct heap_entry *heap;
    size_t heap_count, heap_capacity;
    nadi_time cache_time[CACHE_SLOTS]; /* -1: empty */
    uint32_t cache_list[CACHE_SLOTS];
    struct mark *marks;
    bool watched;                         /* there is one of these three */
    struct nadi_engine_follower follower; /* scheduled NULL: there is none */
    struct nadi_sequence *sequence;       /* NULL: none */
    struct nadi_lineage *lineage;         /* NULL: none */
    struct abroad *abroad;                /* by hash of time and part; NULL: no lineage */
    struct kind *kinds;
    size_t kind_count, kind_capacity;
};

static inline bool nadi_heap_before(const struct nadi_engine *e, const struct heap_entry *x,
                                    const struct heap_entry *y)
{
    return x->at < y->at || (x->at == y->at && e->lists[x->list].order < e->lists[y->list].order);
}

#endif
