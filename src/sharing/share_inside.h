/* share_inside: the state that share.c, share_repair.c and share_fill.c share. Nothing else
 * includes it. */
#ifndef NADI_SHARING_SHARE_INSIDE_H
#define NADI_SHARING_SHARE_INSIDE_H

#include "base/mem.h"
#include "sharing/share.h"

#include <math.h>

struct member { /* a demand on a link */
    uint32_t demand;
    uint32_t hop; /* of all */
};

enum { CACHE_LINE = 64 };

struct link {                            /* a cache line */
    _Alignas(CACHE_LINE) uint32_t count; /* active demands */
    uint32_t held;                       /* of them, those that it holds: its first members */
    struct crossings *crossings;         /* NULL: none were wanted yet */
    union {
        struct member only;   /* log_space 0: at most one */
        struct member *items; /* else: 2^log_space have room */
    };
    uint32_t visit; /* number of the solve whose filling crosses it */
    uint8_t log_space;
    bool anew;    /* holds demands since a moment ago: who is above them is not known */
    bool changed; /* in this solve: another level */
    bool crosses; /* `crossings` are those of the demands that it holds */
};

_Static_assert(sizeof(struct link) == CACHE_LINE, "a link is a cache line");

struct gauge { /* of a link: what others look at, beside its level */
    double capacity;
    double load;           /* rates of all its demands together, added up change by change */
    double highest;        /* no demand that it does not hold has a level above this one */
    uint32_t changes : 31; /* of `load` since it was last added up anew */
    uint32_t queued : 1;   /* may be too full, or not full */
    uint32_t mark;         /* of the move that met it last */
};

_Static_assert(2 * sizeof(struct gauge) == CACHE_LINE, "two gauges are a cache line");

struct crossing { /* of a link: a link that demands cross which it holds */
    uint32_t link;
    uint32_t members; /* of both that it holds; 0: no more */
    double weight;    /* of these together */
};

struct crossings {
    struct crossing *items; /* the first is of the link itself */
    uint32_t *slots;        /* by hash of the link: place among the items; NADI_NONE: free */
    uint32_t count;
    uint32_t empty; /* without members */
    uint32_t log_slots;
    double least_limit; /* no demand that the link holds has a lower one */
};

struct hop {
    uint32_t link;
    uint32_t place; /* index in the link's members */
};

struct demand { /* half a cache line: most are looked at as somebody's neighbour */
    double weight;
    double limit;  /* bound of its level */
    uint32_t path; /* its first hop among all */
    uint32_t hops : 28;
    uint32_t repeats : 1; /* some link is there more than once */
    uint32_t listed : 1;  /* among the changed ones */
    uint32_t placed : 1;  /* has a level */
    uint32_t held_by;     /* link; NADI_NONE: its own limit, if placed */
    uint32_t visit;       /* number of the solve that found its level last */
};

_Static_assert(sizeof(struct demand) == 32, "two demands are a cache line");

struct candidate { /* a link, or a demand's own limit, and the level at which it holds demands */
    double level;
    uint32_t index;
    bool is_demand;
};

struct heap { /* lowest level first */
    struct candidate *items;
    size_t count, capacity;
};

struct list {
    uint32_t *items;
    size_t count, capacity;
};

struct rate { /* a member, as a link's level is found */
    double level, weight;
};

struct room { /* of a link while the set is filled: what is left for demands that are not held */
    double rate, weight;
    uint32_t open; /* those demands */
};

struct nadi_share {
    uint32_t link_count;
    uint32_t active;  /* demands */
    uint64_t members; /* demands on links, all together */
    struct link *links;
    struct gauge *gauges; /* by link */
    double *levels;       /* by link: of the demands that it holds; infinite: it holds none */
    void *links_memory;   /* of all three */
    struct {
        struct hop *items;
        size_t count, capacity;
    } hops;
    struct {
        struct demand *items;
        size_t count, capacity;
    } demands;
    struct list changed_demands;
    struct heap queue; /* links that may be too full, or not full, by the level that they had */
    /* of a solve */
    uint32_t visit;
    uint64_t work;   /* members that were looked at */
    double reached;  /* level of the link that is looked at */
    uint32_t mark;   /* of the last move */
    struct list met; /* links that it met */
    struct list changed_links;
    struct list solved;
    struct {
        struct rate *items;
        size_t count, capacity;
    } rates;
    /* of a filling */
    struct room *rooms;  /* by link; NULL: none was filled yet */
    struct list crossed; /* links that the set crosses */
    struct list set;     /* demands whose levels are being found */
    struct heap heap;
};

#define NADI_SHARE_SLACK 1e-11 /* relative: levels this near are equal */
#define NADI_SHARE_SAME                                                                            \
    1e-12                     /* relative: a level found this near to what it was is what it was   \
                               */
#define NADI_SHARE_FULL 1e-13 /* relative: a load this near to the capacity is the capacity */

static inline struct hop *nadi_share_path(const struct nadi_share *s, const struct demand *d)
{
    return &s->hops.items[d->path];
}

static inline struct member *nadi_share_members(struct link *l)
{
    return l->log_space ? l->items : &l->only;
}

static inline double nadi_share_level_of(const struct nadi_share *s, const struct demand *d)
{
    if (d->held_by != NADI_NONE)
        return s->levels[d->held_by];
    return d->placed ? d->limit : 0;
}

/* Does this member stand for its demand among those of the link? */
static inline bool nadi_share_is_first(const struct nadi_share *s, const struct demand *d,
                                       uint32_t link, struct member m)
{
    uint32_t h = 0;
    while (d->repeats && nadi_share_path(s, d)[h].link != link)
        h++;
    return !d->repeats || m.hop == d->path + h;
}

/* heap */
void nadi_share_push(struct heap *heap, struct candidate c);
void nadi_share_pop(struct heap *heap);
void nadi_share_sift_down(struct heap *heap, size_t i);
void nadi_share_make_heap(struct heap *heap); /* of items in any order */

/* The demand, which nobody holds, is held by this link, or by its own limit (NADI_NONE). A link
 * that held none has this level from now on. */
void nadi_share_hold(struct nadi_share *s, uint32_t demand, uint32_t link, double level);
/* Nobody holds the demand. */
void nadi_share_release(struct nadi_share *s, uint32_t demand);
/* The link has another level than before this solve. */
void nadi_share_note_link(struct nadi_share *s, uint32_t link);
/* The demand has changed itself, or has another holder, in this solve. */
static inline void nadi_share_note_demand(struct nadi_share *s, uint32_t demand)
{
    struct demand *d = &s->demands.items[demand];
    if (d->visit == s->visit)
        return;
    d->visit = s->visit;
    NADI_PUSH(&s->solved, demand);
}

/* A number that nobody has as its visit. */
void nadi_share_next_visit(struct nadi_share *s);

/* share_cross.c */
/* Counts the crossings of the link, and keeps them. */
void nadi_share_count_crossings(struct nadi_share *s, uint32_t link);
/* So much more weight, and members, of the demand's on the links that it crosses, in the crossings
 * of its holder, which keeps them. */
void nadi_share_cross(struct nadi_share *s, const struct demand *d, double weight, int members);
void nadi_share_free_crossings(struct link *l);

/* share_repair.c */
/* The link is looked at in the next solve if it is too full, or not full and holds demands. */
void nadi_share_touch(struct nadi_share *s, uint32_t link);
/* A level and a holder for an active demand that has none. */
void nadi_share_place(struct nadi_share *s, uint32_t demand);
/* Finds the levels of the queue's links, and of those that these touch. False: not within so much
 * work; then links are still queued. */
bool nadi_share_repair(struct nadi_share *s, uint64_t most_work);

/* share_fill.c */
/* The demand, which nobody holds, is of the set that will be filled. */
void nadi_share_join(struct nadi_share *s, uint32_t demand);
/* Finds the levels of the set, of the demands on the queue's links, and of all whom these meet,
 * directly or through others. */
void nadi_share_fill(struct nadi_share *s);

#endif
