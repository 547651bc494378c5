/* run_drawn: a whole run drawn from bytes: traces, system, network, memory, groups, events, packet
 * file, graph, custom collectives and the setup that names them, as files in a folder.
 *
 * Graphs come from the generators of random jobs (job.h), changed on the way to the files; the
 * other files from the tables of their keys (draw_schema.h). At most 16 ranks. Most draws are runs
 * that work; some have extreme values and some are broken. The same bytes give the same files. */
#ifndef NADI_TESTS_RUN_DRAWN_H
#define NADI_TESTS_RUN_DRAWN_H

#include "support/draw_schema.h"
#include "support/job.h"

#include <nadi/nadi.h>

enum { RUN_MOST_RANKS = 16, RUN_MOST_WALL_MS = 100 };

struct run_drawn {
    struct draw d;
    enum draw_temper temper;
    struct nadi_arena arena;
    const char *folder;
    const struct nadi_network_ops *model;
    struct nadi_dim dims[NADI_MAX_DIMS]; /* their npus are the ranks; the rest is unused */
    uint32_t dim_count, rank_count;
    struct job job; /* the graphs; only where has_job */
    bool has_job;
    /* which keys have come: others go with them or not */
    bool matrix, skew, own_form, reduce, in_flight, drawn_by_work;
    uint64_t first_end; /* of a pair of keys */
    bool listed;
    bool huge;                    /* so many chunks that memory may run out */
    bool switches[NADI_MAX_DIMS]; /* a dimension's shape can reduce and be oversubscribed */
    struct nadi_setup setup;
    bool keep_ops, keep_usage, check, show, write, why, sensitivity, twice;
};

/* Writes the files into the folder, which must outlive `r`. */
void run_drawn_init(struct run_drawn *r, const uint8_t *bytes, size_t count, const char *folder);
void run_drawn_release(struct run_drawn *r);
/* The command line of the program for the same run, for people. */
void run_drawn_command(const struct run_drawn *r, struct nadi_str *out);

/* Something that does not work, now and then, in the draws that have what is not allowed. */
bool run_odd(struct run_drawn *r, uint64_t one_in);

/* The parts, private to run_*.c: each writes its files and adds itself to the setup. */
const char *run_path(struct run_drawn *r, const char *name); /* lives as long as `r` */
const char *run_write(struct run_drawn *r, const char *name, const struct nadi_str *text);
void run_draw_network(struct run_drawn *r); /* first: says how many ranks there are */
void run_draw_workload(struct run_drawn *r);
void run_draw_system(struct run_drawn *r);
void run_draw_events(struct run_drawn *r);

#endif
