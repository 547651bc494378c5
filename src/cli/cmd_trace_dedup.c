#include "cli/trace_edit.h"

struct values {
    struct nadi_cli_edit edit; /* first: for nadi_cli_edit_end */
    struct nadi_trace_dedup o;
};

#define AT(member) NADI_AT(struct values, member)

static const struct nadi_setting what[] = {
    {.name = "same",
     .type = NADI_TYPE_WORD,
     .words = NADI_ONE_OF("all", "simulated", "shape"),
     NADI_LIBRARY_DEFAULT,
     AT(o.same),
     .doc = "What must be equal: everything; what a simulation reads; the same without durations"},
    {.name = "groups",
     .argument = "FILE",
     .type = NADI_TYPE_TEXT,
     AT(o.groups),
     .doc = "Communicator groups (default: those of the traces)"},
    {.name = NULL},
};

static const struct nadi_option_group trace_dedup_groups[] = {
    {"Fold", what, 0},
    {"Output", nadi_cli_edit_options, offsetof(struct values, edit)},
    {.heading = NULL},
};

NADI_EDIT_CALL(nadi_trace_dedup)

const struct nadi_command nadi_command_trace_dedup = {
    .name = "trace dedup",
    .group = "Traces",
    .summary = "Fold ranks that do the same into a manifest with few traces",
    .doing = "folding equal ranks",
    .words = "FILE... | PREFIX",
    .about = "Writes each different trace once, PREFIX.class<k>.et, and PREFIX.yml for `nadi run`, "
             "which\nsays which ranks run which. Ranks may differ in peers and process groups: "
             "those become distances\nand families of groups along axes that are found in them.\n",
    .examples = "nadi trace dedup traces/job --groups groups.json -o out/job\n"
                "nadi run --workload out/job.yml --system system.json --network network.yml\n",
    .options = trace_dedup_groups,
    .max_words = NADI_ANY_WORDS,
    .call = {.size = sizeof(struct values),
             .init = init,
             .wanted = "a prefix, or the files of all ranks",
             .least = 1,
             .make = make,
             .end = nadi_cli_edit_end},
};
