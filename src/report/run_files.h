/* run_files: the one table of the files that a run may write into its folder, and the list of those
 * that it wrote. Who owns a name, what is removed, what summary.json names and what readers expect
 * all follow from here. */
#ifndef NADI_REPORT_RUN_FILES_H
#define NADI_REPORT_RUN_FILES_H

#include "base/arena.h"
#include "report/report.h"
#include "report/words.h"

#define NADI_SUMMARY_FILE "summary.json"
#define NADI_RUN_DB_FILE  "run.db"

struct nadi_result_view;

enum nadi_run_file {
    NADI_FILE_SUMMARY,
    NADI_FILE_RANKS,
    NADI_FILE_COLLECTIVES,
    NADI_FILE_LINKS,
    NADI_FILE_CRITICAL_PATH,
    NADI_FILE_SENSITIVITIES,
    NADI_FILE_BILL,
    NADI_FILE_LINK_USAGE,
    NADI_FILE_LINK_USAGE_JSON,
    NADI_FILE_OPS,
    NADI_FILE_LAYERS,
    NADI_FILE_DEVICES,
    NADI_FILE_TIERS,
    NADI_FILE_MEMORY,
    NADI_FILE_FIVE_COLUMN,
    NADI_FILE_LOCAL_MEMORY, /* one a rank: <name>.<rank>.json */
    NADI_FILE_TIMELINE,
    NADI_FILE_RUN_DB,
    NADI_FILES
};

struct nadi_run_file_info {
    const char *name, *what, *units;
    const struct nadi_result_view *view; /* of a CSV file: its columns */
};

const struct nadi_run_file_info *nadi_run_file_info(enum nadi_run_file file);
bool nadi_run_file_wanted(enum nadi_run_file file, const struct nadi_inputs *in,
                          const struct nadi_report_options *o);
/* What the names of this run's files of memory begin with. */
const char *nadi_run_memory_base(const struct nadi_inputs *in);

/* Which file a name in a folder is: NADI_FILES when it is none of ours. `memory_base`: of files of
 * memory besides the table's own, or NULL. */
enum nadi_run_file nadi_run_file_of(const char *name, const char *memory_base);
/* "base.3.json": the length of what stands before ".3.json"; 0: not of this form. */
size_t nadi_run_memory_prefix(const char *name);

struct nadi_written_file {
    enum nadi_run_file file;
    const char *name;
    uint64_t bytes;
    char sha256[65];
};

struct nadi_written { /* all zero but for the arena: empty */
    struct nadi_arena arena;
    struct nadi_sentences words; /* as they stand in summary.json; in the arena */
    struct nadi_written_file *items;
    size_t count, capacity;
};

void nadi_written_init(struct nadi_written *w);
void nadi_written_release(struct nadi_written *w);
/* Copies the name. */
void nadi_written_add(struct nadi_written *w, enum nadi_run_file file, const char *name,
                      uint64_t bytes, const uint8_t sha256[32]);
/* Copies one of another list. */
void nadi_written_take(struct nadi_written *w, const struct nadi_written_file *file);

/* Removes from the folder what earlier runs left there and `in` and `o` will not write again, also
 * temporary files; summary.json goes last, so that what is half removed is no run. Both NULL:
 * nothing will be written. A name that is none of ours stays, and so do folders. False with an
 * error, also where a file that `in` was read from has one of our names there. */
bool nadi_run_files_remove(const char *folder, const struct nadi_inputs *in,
                           const struct nadi_report_options *o,
                           struct nadi_diags *diags) NADI_MUST_USE;

#endif
