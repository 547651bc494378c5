/* run_text_inside: what the texts of one run and of two have in common. */
#ifndef NADI_REPORT_RUN_TEXT_INSIDE_H
#define NADI_REPORT_RUN_TEXT_INSIDE_H

#include "report/query.h"
#include "report/run_text.h"

enum { NADI_RUN_TEXT_LABEL = 30 }; /* columns of a row's label */

struct nadi_run_text {
    struct nadi_database *db;
    struct nadi_str *out;
    struct nadi_diags *diags;
    bool colour;
    double end_ns;
};

/* False: not a run, and why. The caller closes t->db. */
bool nadi_run_text_open(struct nadi_run_text *t, const char *run, bool colour, struct nadi_str *out,
                        struct nadi_diags *diags) NADI_MUST_USE;
/* What the run was, and its end. */
void nadi_run_text_heading(const struct nadi_run_text *t, const char *run);
/* The interval of a prediction, where the run has one. */
void nadi_run_text_interval(const struct nadi_run_text *t);
void nadi_run_text_bold(const struct nadi_run_text *t, const char *line);
/* In 11 columns. */
void nadi_run_text_time(const struct nadi_run_text *t, double ns);
/* The label of a cause's name in the database. */
const char *nadi_run_text_cause(const char *cause);
/* The first value of a query's first row; 0: there is none. */
double nadi_run_text_number(const struct nadi_run_text *t, const char *sql);

#endif
