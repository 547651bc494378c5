/* space: the points of a sweep: what is run, variables with their values, constraints, sampling.
 *
 * A variable is a key of an input ("tp", "device.memory", "cluster.bandwidth[1]"), a setting of a
 * run ("network-model", "cluster"), or a name of the user's own. Its values are a list, a range, or
 * an expression of other variables (base/expression.h). In expressions a value with a unit counts
 * as such, a bare number of a key that has a unit in that unit; texts are texts.
 *
 * A point gives each variable a text, as a file would have it, so that a point is run by changing
 * documents (format/doc_change.h) and settings. Points are numbered from 0 in an order that depends
 * on the space alone: of a grid, the last variable runs fastest.
 *
 * A space is read-only once its points are made: threads may share it. O(points x variables). */
#ifndef NADI_SWEEP_SPACE_H
#define NADI_SWEEP_SPACE_H

#include "base/expression.h"
#include "format/doc.h"
#include "model/plan.h"
#include "settings/setting.h"

struct nadi_str;

enum { NADI_SPACE_MOST_VARIABLES = 64 };

enum nadi_variable_form {
    NADI_VARIABLE_LIST,
    NADI_VARIABLE_RANGE, /* any value between two; for sampling and designs */
    NADI_VARIABLE_EXPRESSION,
};

struct nadi_space_variable {
    const char *name; /* as written */
    const char *of;   /* whose key: "plan", "device"; "run": a setting; NULL: a name of one's own */
    const char *path; /* in its file: "bandwidth[1]" */
    const struct nadi_setting *setting; /* that reads it; NULL: not known, numbers are plain */
    struct nadi_place place;
    enum nadi_variable_form form;
    const char **texts; /* LIST */
    struct nadi_quantity *quantities;
    uint32_t count;
    bool relative;    /* LIST: some texts are "given" or "2x" until they are known */
    double low, high; /* RANGE: numbers before `unit` */
    const char *unit; /* as written, "" for none */
    bool logarithmic;
    struct nadi_expression expression;
    uint32_t axis;  /* LIST, RANGE: its place among those that are drawn */
    uint32_t level; /* so many axes, from the first on, decide its value */
};

struct nadi_space_word { /* of `run` */
    const char *name, *text;
};

/* A figure of the user's own: an expression of variables, figures and those before it. */
struct nadi_derived {
    const char *name;
    struct nadi_expression expression; /* names: variables, then figures, then derived ones */
    const char *unit;                  /* of its values, "" for none */
    double scale;                      /* a quantity's number by it is the value */
    int better;                        /* as an objective: -1: less is, 1: more; 0: it is none */
};

enum { NADI_SPACE_MOST_DERIVED = 32 };

enum nadi_sampling {
    NADI_SAMPLING_GRID,
    NADI_SAMPLING_LATIN,
    NADI_SAMPLING_SOBOL,
    NADI_SAMPLING_FILE,
    NADI_SAMPLING_ALONE, /* each variable's values with the first of all others */
};

struct nadi_space {
    struct nadi_arena arena;
    const char *path;
    char sha256[65]; /* of all that decides which points there are and what they run */
    bool is_model;   /* else a workload */
    bool simulate_infeasible;
    struct nadi_space_word *words;
    uint32_t word_count;
    struct nadi_space_variable *variables;
    uint32_t variable_count, axis_count;
    uint32_t *order; /* variables, those that an expression uses before it */
    struct nadi_expression *constraints;
    uint32_t *constraint_levels;
    uint32_t constraint_count;
    enum nadi_sampling sampling;
    bool is_divided; /* a grid of designs with ranges, which are divided as needed */
    uint64_t wanted, seed;
    const char *file;
    struct nadi_derived *derived;
    uint32_t derived_count;
    uint32_t *objectives; /* of nadi_sweep_figures, then of `derived`; one at least */
    uint32_t objective_count;
    /* filled by nadi_space_enumerate: */
    double *choices; /* [point * axis_count + axis]: of a LIST the index, of a RANGE the value */
    uint64_t point_count;
    uint64_t left_out, repeated; /* broke a constraint; drawn before */
};

/* What a run can be set, from the room above: its settings by name; NULL: there is none. */
typedef const struct nadi_setting *nadi_run_setting_fn(const char *name);

struct nadi_space_source {
    const char *path; /* of the space; NULL: none, `vary` is all there is */
    const char *text; /* NULL: the file's; else instead of it */
    size_t bytes;
    const char *const *vary; /* "key=values", which replace those of the file */
    size_t vary_count;
    const struct nadi_space_word *words; /* replace those of `run` */
    size_t word_count;
    bool alone;   /* sampling is NADI_SAMPLING_ALONE, whatever the file says */
    bool designs; /* for `nadi optimize`, which has keys of its own */
    nadi_run_setting_fn *run_setting;
    const char *const *run_names; /* of those settings, for "did you mean" */
    size_t run_name_count;
};

/* False with errors. The caller releases the space in both cases. */
bool nadi_space_read(struct nadi_space *s, const struct nadi_space_source *source,
                     struct nadi_diags *diags) NADI_MUST_USE;
void nadi_space_release(struct nadi_space *s);
/* Makes the points. False with an error, also when there is none. */
bool nadi_space_enumerate(struct nadi_space *s, struct nadi_diags *diags) NADI_MUST_USE;

/* Ranges of a grid, which only designs may have (is_divided): nadi_space_choices gives a row for
 * each choice from the lists, by axis, with the ranges at their lower ends and without the
 * constraints that depend on them; the caller adds the points within and frees the rows. */
bool nadi_space_depends_on_range(const struct nadi_space *s, uint32_t variable);
double *nadi_space_choices(struct nadi_space *s, uint64_t *count,
                           struct nadi_diags *diags) NADI_MUST_USE;
/* A value of a range that its setting takes: whole where it has to be. */
bool nadi_space_is_whole(const struct nadi_space_variable *v);
double nadi_space_rounded(const struct nadi_space_variable *v, double x);
/* A choice becomes a point, whether or not it keeps the constraints; its number. */
uint64_t nadi_space_add_point(struct nadi_space *s, const double *choice);

struct nadi_assignment { /* the values of one point, by variable */
    struct nadi_arena arena;
    const char **texts;
    struct nadi_quantity *quantities;
};

void nadi_assignment_init(struct nadi_assignment *a, const struct nadi_space *s);
void nadi_assignment_release(struct nadi_assignment *a);
/* Valid until the next call. */
void nadi_space_assign(const struct nadi_space *s, uint64_t point, struct nadi_assignment *a);
/* Of any choice, by axis; false: an expression of it has no value. */
bool nadi_space_assign_choice(const struct nadi_space *s, const double *choice,
                              struct nadi_assignment *a) NADI_MUST_USE;
/* Does it keep the constraint? An expression without a value is not kept. */
bool nadi_space_keeps(const struct nadi_space *s, uint32_t constraint,
                      const struct nadi_assignment *a);

/* All that decides which points there are and what they run, a line each: "tp = 1, 2, 4". */
void nadi_space_describe(const struct nadi_space *s, struct nadi_str *out);
/* The word of `run`, or NULL. */
const char *nadi_space_word_of(const struct nadi_space *s, const char *name);
/* The variable that stands in the place of a word of `run`; NADI_NONE: there is none. */
uint32_t nadi_space_variable_of(const struct nadi_space *s, const char *name);

/* The derived figures of a point with these values and figures, NaN where one has none. */
void nadi_space_derive(const struct nadi_space *s, const struct nadi_quantity *values,
                       const double *figures, double derived[NADI_SPACE_MOST_DERIVED]);
/* Is the figure an objective, or does a derived one need it? */
bool nadi_space_wants(const struct nadi_space *s, uint32_t figure);

/* The u-th point of a Sobol sequence in `count` dimensions, each in [0, 1). */
enum { NADI_SOBOL_DIMS = 21 };
void nadi_sobol(uint64_t u, uint32_t count, double *at);

/* Keys of the plan that points have different values of: bits of the plan's. */
nadi_plan_keys nadi_space_varied(const struct nadi_space *s);

#endif
