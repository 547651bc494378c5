/* share_inside: the state that share.c and share_fill.c share. Nothing else includes it. */
#ifndef NADI_NETWORK_SHARE_INSIDE_H
#define NADI_NETWORK_SHARE_INSIDE_H

#include "network/share.h"

struct member { /* a demand on a link */
    uint32_t demand;
    uint32_t hop; /* of all */
};

enum { CACHE_LINE = 64 };

struct link {                            /* two cache lines; the first is what most steps touch */
    _Alignas(CACHE_LINE) uint32_t count; /* active demands */
    uint32_t open;                       /* of a solve: demands of the set that are not held */
    union {
        struct member only;   /* log_space 0: at most one */
        struct member *items; /* else: 2^log_space have room */
    };
    uint32_t visit;
    uint8_t log_space;
    bool listed; /* among the changed ones */
    bool others; /* of a solve: demands that are not of the set cross it */
    double capacity;
    /* of a solve */
    double room, weight; /* what is left for the demands of the set that are not held */
    double hold;         /* level at which it holds demands; infinite: it holds none */
    double load;         /* rates of all its demands together, added up change by change */

    uint32_t held;     /* active demands that it holds */
    uint32_t held_now; /* of a solve: those of them that are of the set */
    uint32_t changes;  /* of `load` since it was last added up anew */
    double held_level; /* at which it held demands last */
    double own;        /* of a solve: what the set's demands have of its load */
    double highest;    /* of a solve: level of a demand of the set */
};

_Static_assert(sizeof(struct link) == 2 * CACHE_LINE, "a link is two cache lines");

struct hop {
    uint32_t link;
    uint32_t place; /* index in the link's members */
};

struct demand { /* half a cache line: most are looked at as somebody's neighbour */
    double weight, level;
    uint32_t way; /* its first hop among all */
    uint32_t hops : 29;
    uint32_t held : 1;   /* in this solve: its level is final */
    uint32_t listed : 1; /* among the changed ones */
    uint32_t moved : 1;  /* in this solve: another level or another holder than before */
    uint32_t held_by;    /* link; NADI_NONE: its own limit */
    uint32_t visit;      /* number of the solve that found its level last */
};

_Static_assert(sizeof(struct demand) == 32, "two demands are a cache line");

struct candidate { /* a link, or a demand's own limit, and the level at which it holds demands */
    double level;
    uint32_t index;
    bool is_demand;
};

struct list {
    uint32_t *items;
    size_t count, capacity;
};

struct nadi_share {
    uint32_t link_count;
    uint32_t active; /* demands */
    struct link *links;
    void *links_memory;
    struct {
        struct hop *items;
        size_t count, capacity;
    } hops;
    struct {
        double *items; /* by demand: bound of its level */
        size_t count, capacity;
    } limits;
    bool limited; /* some demand has a bound */
    struct {
        struct demand *items;
        size_t count, capacity;
    } demands;
    struct list changed_demands, changed_links;
    /* of a solve */
    uint32_t visit;
    double floor;        /* no level below this one changes, but for what the changed demands do */
    size_t newest;       /* the first so many of the set have changed themselves */
    struct list crossed; /* links that the set crosses */
    struct list set;     /* demands whose levels are being found */
    struct list solved;  /* all of this solve */
    struct {
        struct candidate *items;
        size_t count, capacity;
    } heap;
};

static inline const struct hop *nadi_share_way(const struct nadi_share *s, const struct demand *d)
{
    return &s->hops.items[d->way];
}

static inline const struct member *nadi_share_members(const struct link *l)
{
    return l->log_space ? l->items : &l->only;
}

static inline bool nadi_share_in_set(const struct nadi_share *s, const struct demand *d)
{
    return d->visit == s->visit;
}

/* The demand has this level from now on; the loads of its links follow. */
static inline void nadi_share_set_level(struct nadi_share *s, struct demand *d, double level)
{
    const double more = d->weight * (level - d->level);
    d->level = level;
    for (uint32_t h = 0; h < d->hops; h++) {
        struct link *l = &s->links[nadi_share_way(s, d)[h].link];
        l->load += more;
        l->changes++;
    }
}

/* The demand is held by this link, or by its own limit (NADI_NONE), from now on. */
static inline void nadi_share_set_holder(struct nadi_share *s, struct demand *d, uint32_t link)
{
    if (d->held_by != NADI_NONE)
        s->links[d->held_by].held--;
    d->held_by = link;
    if (link != NADI_NONE)
        s->links[link].held++;
}

/* Progressive filling of the set: finds the level of each of its demands, with what the links that
 * it crosses have left for it (room, weight, open). */
void nadi_share_fill(struct nadi_share *s);

#endif
