#include "cli/trace_edit.h"

struct values {
    struct nadi_cli_edit edit; /* first: for nadi_cli_edit_end */
    struct nadi_trace_anonymize o;
};

#define AT(member) NADI_AT(struct values, member)

static const struct nadi_setting what[] = {
    {.name = "key",
     .argument = "KEY",
     .type = NADI_TYPE_TEXT,
     AT(o.key),
     .doc = "Any text, or @FILE with it; the same key gives the same names (default: a random "
            "one, which is printed)"},
    {.name = "shapes",
     .type = NADI_TYPE_WORD,
     .words = NADI_ONE_OF("keep", "bucket", "scale"),
     NADI_LIBRARY_DEFAULT,
     AT(o.shapes),
     .doc = "Durations, operations, sizes and shapes: as they are, rounded to three bits, or "
            "times secret factors"},
    {.name = NULL},
};

static const struct nadi_setting proof[] = {
    {.name = "groups",
     .argument = "FILE",
     .type = NADI_TYPE_TEXT,
     AT(o.groups),
     .doc = "Communicator groups (default: those of the traces); written anew beside the output"},
    {.name = "system",
     .argument = "FILE",
     .type = NADI_TYPE_TEXT,
     AT(o.system),
     .doc = "System to simulate both with (default: rings, one chunk)"},
    {.name = "network",
     .argument = "FILE",
     .type = NADI_TYPE_TEXT,
     AT(o.network),
     .doc = "Network to simulate both on (default: a ring of 50 GB/s, 500 ns)"},
    {.name = "memory",
     .argument = "FILE",
     .type = NADI_TYPE_TEXT,
     AT(o.memory),
     .doc = "Remote memory to simulate both with"},
    {.name = NULL},
};

static const struct nadi_option_group trace_anonymize_groups[] = {
    {"Anonymize", what, 0},
    {"Proof, with --shapes keep", proof, 0},
    {"Output", nadi_cli_edit_options, offsetof(struct values, edit)},
    {.heading = NULL},
};

NADI_EDIT_CALL(nadi_trace_anonymize)

const struct nadi_command nadi_command_trace_anonymize = {
    .name = "trace anonymize",
    .group = "Traces",
    .summary = "Make traces that can be given away",
    .doing = "making the traces anonymous",
    .words = "FILE... | PREFIX",
    .about = "Keeps what a simulation needs, from a list, and nothing else: no names, times of "
             "day, hosts,\npaths, values or operator schemas. Names become keyed hashes. The "
             "result is read again to\nverify this; with --shapes keep both jobs are simulated and "
             "must agree to the last bit.\n",
    .examples = "nadi trace anonymize traces/job --key @secret.txt -o out/job\n"
                "nadi trace anonymize traces/job --shapes bucket -o out/job\n",
    .options = trace_anonymize_groups,
    .max_words = NADI_ANY_WORDS,
    .call = {.size = sizeof(struct values),
             .init = init,
             .wanted = "a trace file or a prefix",
             .least = 1,
             .make = make,
             .end = nadi_cli_edit_end},
};
