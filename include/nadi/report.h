/* nadi/report: reading the files of a finished run.
 *
 *     const char *runs[] = {"out/a", "out/b"};
 *     if (nadi_report_page(runs, 2, "report.html", messages) != NADI_STATUS_DONE) ...
 *
 * A run is the folder that nadi_job_write filled (with `why`), or the run.db in it. Every function
 * here refuses a folder that is not one complete run. The conventions of nadi.h hold. */
#ifndef NADI_REPORT_H
#define NADI_REPORT_H

#include <nadi/nadi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* DONE if the folder is one complete run: every file that summary.json names is there with its
 * size, the database also with its digest, and there is no file of another run. DONE or INPUT. */
enum nadi_status nadi_run_check_folder(const char *run, struct nadi_diags *messages);

/* The rows of one SQL select on a run's database (docs/guide/database.md). form: "table", "csv",
 * "json", "jsonl". NULL with messages when something is wrong. */
char *nadi_query(const char *run, const char *sql, const char *form, struct nadi_diags *messages);

/* One self-contained HTML page about the runs, compared when there are several. DONE or INPUT. */
enum nadi_status nadi_report_page(const char *const *runs, size_t count, const char *path,
                                  struct nadi_diags *messages);
/* The same in short, for a terminal. NULL with messages when something is wrong. */
char *nadi_report_summary(const char *run, int colour, struct nadi_diags *messages);
/* The differences of two runs. NULL with messages when something is wrong. */
char *nadi_report_diff(const char *first, const char *second, int colour,
                       struct nadi_diags *messages);
/* Both as one JSON object: schemas nadi-report/1 (of one run or several) and nadi-diff/1. */
char *nadi_report_runs_json(const char *const *runs, size_t count, struct nadi_diags *messages);
char *nadi_report_diff_json(const char *first, const char *second, struct nadi_diags *messages);

#ifdef __cplusplus
}
#endif
#endif
