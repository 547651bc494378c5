/* ranges_inside: the boxes of ranges. Private to ranges. */
#ifndef NADI_DESIGN_RANGES_INSIDE_H
#define NADI_DESIGN_RANGES_INSIDE_H

#include "design/ranges.h"

enum {
    MOST_RANGES = 6,
    MOST_CHOICES = 10000, /* from the lists */
    MOST_CORNERS = 1 << MOST_RANGES,
    DIVISIONS = 8, /* for each design that may be added: most boxes add none */
    SCANNED = 8,   /* parts of an interval whose ends are priced */
    NO_DESIGN = -1,
};

struct nadi_range_best { /* a design with everything at its best, which may be none of the space */
    const char **texts;
    struct nadi_quantity *quantities;
    struct nadi_design design;
    struct nadi_design_strategies strategies[NADI_DESIGN_WORKLOADS];
    int64_t real; /* the design of the answer that it is */
    bool looked;
};

struct nadi_range_box {
    double *low, *high;           /* by axis; of a list both are the choice */
    struct nadi_range_best *best; /* NULL: nothing is known of some key */
    struct nadi_design prices;    /* the least of each */
    double bound;
    double seen;     /* value of what was looked at in it; -HUGE_VAL: nothing */
    bool leaf, done; /* done: too small to divide */
};

struct nadi_range_corner {
    const char **texts;
    struct nadi_quantity *quantities;
    double *choice;
    bool keeps; /* constraints and limits on prices */
};

struct nadi_range_breaks { /* what all choices of a box break */
    uint64_t constraints;
    uint32_t limits;
    bool here; /* the last one breaks a limit */
};

struct nadi_design_ranges {
    struct nadi_design_looking *l;
    struct nadi_arena arena;
    struct nadi_space *space;
    const struct nadi_space_variable *ranges[MOST_RANGES];
    uint32_t count;
    uint64_t plain_constraints;                /* masks of those that tell of a box by its */
    uint32_t plain_limits;                     /* corners */
    struct nadi_design_strategies *strategies; /* by design and workload */
    uint64_t room;                             /* designs */
    uint64_t added;                            /* that were estimated */
    struct {
        struct nadi_range_box **items;
        size_t count, capacity;
    } boxes;
    struct {
        struct nadi_range_best **items;
        size_t count, capacity;
    } bests;
    struct nadi_range_corner corners[MOST_CORNERS]; /* of the box in work */
    uint32_t corner_count;
    bool unknown; /* a corner has no value, or some key may go either way */
};

/* 1: more of the key is not slower; -1: less is not; 0: who knows. */
int nadi_ranges_direction(const struct nadi_space_variable *v);
/* Is it a key of a design? */
bool nadi_ranges_matters(const struct nadi_space_variable *v);

/* The values in use, kept in the arena; and such values in use again. */
void nadi_ranges_keep(struct nadi_design_ranges *r, const char ***texts,
                      struct nadi_quantity **quantities);
void nadi_ranges_use(struct nadi_design_ranges *r, const char *const *texts,
                     const struct nadi_quantity *quantities);
/* Of each key the best (sign 1) or worst (-1) value of the corners, in use. */
void nadi_ranges_use_extreme(struct nadi_design_ranges *r, int sign);

/* Fills the masks of plain constraints and limits. */
void nadi_ranges_find_plain(struct nadi_design_ranges *r);
/* The price of the values in use, for the least of a box; *broken: limits on prices. */
void nadi_ranges_price(struct nadi_design_ranges *r, struct nadi_design *least, uint32_t *broken);
/* Do the values in use keep all constraints? */
bool nadi_ranges_keeps(const struct nadi_design_ranges *r);
/* All corners of a box. False: each breaks the same plain constraint or limit. */
bool nadi_ranges_take_corners(struct nadi_design_ranges *r, struct nadi_range_box *b);
/* A round number near the middle of a box's interval, so that answers are numbers to build. */
double nadi_ranges_middle(const struct nadi_range_box *b, const struct nadi_space_variable *v);

#endif
