/* report: what a tool that changes traces did: figures, and the operators that it was about.
 *
 * One report a file; figures keep the order in which they were first named. */
#ifndef NADI_TRACE_EDIT_REPORT_H
#define NADI_TRACE_EDIT_REPORT_H

#include "base/arena.h"
#include "base/base.h"
#include "base/map.h"
#include "trace/full.h"

enum { NADI_REPORT_FIGURES = 32, NADI_REPORT_NAMES = 10, NADI_REPORT_TEXTS = 8 };

struct nadi_report_name { /* nodes that have a name in common */
    const char *name;
    uint64_t nodes, ns;
};

struct nadi_edit_report {
    struct {
        const char *what; /* a literal, "nodes written" */
        uint64_t number;
    } figures[NADI_REPORT_FIGURES];
    size_t figure_count;
    struct {
        const char *what; /* a literal */
        char *text;
    } texts[NADI_REPORT_TEXTS];
    size_t text_count;
    const char *names_title; /* "dropped"; NULL when no names were added */
    struct nadi_strmap index;
    struct {
        struct nadi_report_name *items;
        size_t count, capacity;
    } names;
};

void nadi_edit_report_init(struct nadi_edit_report *r);
void nadi_edit_report_release(struct nadi_edit_report *r);

/* Adds to a figure; one that is 0 is kept as well. */
void nadi_edit_report_add(struct nadi_edit_report *r, const char *what, uint64_t number);

/* Something to be said in words: "key", "3f...". */
void nadi_edit_report_text(struct nadi_edit_report *r, const char *what, const char *format, ...)
    NADI_PRINTF(3, 4);

/* Counts something that has a name. */
void nadi_edit_report_word(struct nadi_edit_report *r, const char *title, const void *word,
                           size_t bytes, uint64_t ns);
/* Counts a node under its name. */
void nadi_edit_report_name(struct nadi_edit_report *r, const char *title,
                           const struct nadi_full_node *n, uint64_t ns);
/* Adds the names of another report. */
void nadi_edit_report_merge_names(struct nadi_edit_report *r, const struct nadi_edit_report *from);
/* By time, then nodes, then name. */
void nadi_edit_report_sort(struct nadi_edit_report *r);

#endif
