/* synth_report: `nadi collective synth`: an algorithm for a network, proved, written to files, and
 * held against the algorithms that there are. */
#ifndef NADI_SYNTHESIZE_SYNTH_REPORT_H
#define NADI_SYNTHESIZE_SYNTH_REPORT_H

#include "collective/table_file.h"
#include "explore/collective_bench.h"
#include "synthesize/synth.h"

struct nadi_synth_order {
    const char *topology; /* whatever --network takes */
    const char *kind;     /* "all-gather", ... */
    uint64_t bytes;       /* as nccl-tests counts */
    uint32_t chunks, tries;
    uint64_t seed;
    const char *against;       /* words of algorithms; "none"; NULL: those that suit */
    const char *out;           /* file, or prefix of Chakra traces; NULL: nothing is written */
    enum nadi_table_form form; /* NO_FORM: as the name ends */
    bool csv;
};

/* Adds the report to `out`. False with errors. */
bool nadi_synth_make(const struct nadi_synth_order *order, struct nadi_str *out,
                     struct nadi_diags *diags) NADI_MUST_USE;

#endif
