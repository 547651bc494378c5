/* report: a result as text, JSON and a folder of files. Reads inputs and result, changes neither.
 *
 *   summary.json          what ran, with what, how it ended, every total; schema nadi-summary/1;
 * and the other files with size and SHA-256: it is written last ranks.csv             one row a
 * rank; for more than NADI_RANKS_EACH a row a class of ranks collectives.csv       one row a
 * collective of a group, in order of completion links.csv             one row a dimension, then
 * (aware) one row a link link_usage.csv        on request (aware, flow, packet): one row a link and
 * span of time ops.csv               on request: one row an executed node, in order of completion
 *   timeline.pftrace      on request: native Perfetto protobuf, for ui.perfetto.dev
 *   critical_path.csv     with why: one row a step of the critical path
 *   sensitivities.csv     with sensitivities: one row a parameter
 *   <name>.<rank>.json    where the system file asks for it: a rank's memory, report/local_memory.h
 *   run.db                with why: all of it as an SQLite file, report/run_db.h
 *   layers.csv            on request: by layer and pass
 *   tutorial_result.csv   on request: the five columns of ASTRA-sim 1.0
 *
 * Their table is report/run_files.h.
 * Units stand in the column and key names: _ns (integers), _bytes, _bytes_per_s, shares 0..1. The
 * files depend on inputs and result only: the same run gives the same bytes (the wall time is in
 * the text alone). A partial result (deadlock, limit, interrupt) is written the same way, with its
 * outcome. Linear in what is written, the timeline n log n. */
#ifndef NADI_REPORT_REPORT_H
#define NADI_REPORT_REPORT_H

#include "base/diag.h"
#include "base/output_lock.h"
#include "base/str.h"
#include "inputs/inputs.h"
#include "sim/result.h"
#include "why/sensitivity.h"
#include "why/why.h"

enum nadi_ranks_form { NADI_RANKS_AUTO, NADI_RANKS_ONE_BY_ONE, NADI_RANKS_BY_CLASS };

struct nadi_written;   /* report/run_files.h */
struct nadi_detail;    /* report/detail.h */
struct nadi_sentences; /* report/words.h */

enum { NADI_RANKS_EACH = 100000 }; /* ranks that AUTO writes one by one */

/* All zero: the standard files. ops and timeline need inputs.options.record_ops. */
struct nadi_report_options {
    enum nadi_ranks_form ranks; /* of ranks.csv */
    bool ops, layers, five_column, timeline;
    const struct nadi_bill *bill;     /* bill.csv and "cost" in summary.json, or NULL */
    const struct nadi_worth *worth;   /* with bill */
    const struct nadi_prices *prices; /* likewise */
    const struct nadi_why
        *why; /* critical_path.csv, run.db and the causes in summary.json, or NULL */
    const struct nadi_sensitivities *sensitivities; /* with why: sensitivities.csv too, or NULL */
    bool link_usage;                                /* needs inputs.options.record_usage */
    bool timeline_limit_ranks; /* false: every rank, whatever the two below say */
    uint32_t timeline_first_rank, timeline_last_rank; /* both included */
    uint64_t timeline_from_ns, timeline_to_ns;        /* what overlaps it; 0 0: all */
    /* Not whole where they are long: the timeline; run.db, collectives.csv and critical_path.csv.
     */
    bool some_timeline, some_db;
    const struct nadi_detail *timeline_detail, *db_detail; /* set while a folder is written */
    const struct nadi_sentences *words;                    /* likewise */
};

/* Is ranks.csv written by class? */
bool nadi_report_by_class(const struct nadi_inputs *in, const struct nadi_report_options *o);

/* Writes the files named above into the locked folder, and adds to `written` all but summary.json,
 * after what earlier runs left there is removed. False with an error in diags at the first that
 * could not be written: there is no summary.json then. */
bool nadi_report_write_folder(const struct nadi_inputs *in, const struct nadi_result *r,
                              const struct nadi_report_options *o,
                              const struct nadi_output_lock *lock, struct nadi_written *written,
                              struct nadi_diags *diags) NADI_MUST_USE;

/* The summary for a terminal, at most 100 columns, appended to out. colour: ANSI sequences.
 * words: those of the folder that was written, or NULL. */
void nadi_report_text(const struct nadi_inputs *in, const struct nadi_result *r,
                      const struct nadi_sentences *words, bool colour, struct nadi_str *out);

/* The text of summary.json without its list of files, appended to out; words likewise. */
void nadi_report_json(const struct nadi_inputs *in, const struct nadi_result *r,
                      const struct nadi_sentences *words, struct nadi_str *out);

#endif
