/* nadi: many runs: a space of points, and the store of their results. */
#ifndef NADI_SWEEP_H
#define NADI_SWEEP_H

#include <nadi/nadi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What is run and what varies: docs/guide/sweep.md. */
struct nadi_sweep_options {
    size_t size;
    const char *space;       /* SPACE.yml; NULL: vary is all there is */
    const char *const *vary; /* "tp=1,2,4": keys and their values, in place of the space's */
    size_t vary_count;
    const char *const *run; /* "model=llama3-8b": words of `run`, in place of the space's */
    size_t run_count;
    const char *store; /* SQLite file */
    int resume;        /* go on in a store that has some of the points */
    uint32_t threads;  /* 0: one a core */
    int mpi; /* the points run in the processes of `mpirun`, all of which call this, once; the first
              * has the store and the report, the others' is empty */
    const char *cache; /* file of results of all sweeps: points that one has run are taken from it,
                        * others added; NULL: none */
    uint64_t cache_bytes; /* that it may have at most, oldest go first; 0: 1 GiB */
    int one_at_a_time;    /* sampling is one-at-a-time, whatever the space says */
};

void nadi_sweep_options_init(struct nadi_sweep_options *options);

/* Runs all points that the store does not have. watch may be NULL; its progress is told points done
 * and points in all, and now_ns 0. DONE, also when points fail: a point that fails is a row with
 * its error; INPUT; LIMIT when stopped. report: what became of the points. */
enum nadi_status nadi_sweep(const struct nadi_sweep_options *options,
                            const struct nadi_watch *watch, char **report,
                            struct nadi_diags *messages);
/* The points without running them, as CSV; of the options `store`, `resume`, `threads` are not
 * looked at. */
enum nadi_status nadi_sweep_points(const struct nadi_sweep_options *options, char **report,
                                   struct nadi_diags *messages);
/* The results of a store. form: "csv": rows by point; "dump": also the space, the version and the
 * inputs; "text": the best points; "tornado", "tornado-svg": what each variable does
 * to the objectives by itself, beside point 0; "curves-svg": the objectives over the first variable
 * of numbers. Whatever the number of threads and machines, the
 * same bytes. */
enum nadi_status nadi_sweep_results(const char *store, const char *form, char **report,
                                    struct nadi_diags *messages);

#ifdef __cplusplus
}
#endif
#endif
