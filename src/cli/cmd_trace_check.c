#include "cli/rows.h"
#include "cli/terminal.h"
#include "cli/trace_end.h"

struct values {
    struct nadi_trace_check o;
    bool quiet;
};

static const struct nadi_setting options[] = {
    {.name = "groups",
     .argument = "FILE",
     .type = NADI_TYPE_TEXT,
     NADI_AT(struct values, o.groups),
     .doc = "Communicator groups (default: those of the traces, else the ranks that use a name)"},
    {.name = "format",
     .type = NADI_TYPE_WORD,
     .words = NADI_ONE_OF("text", "json"),
     NADI_LIBRARY_DEFAULT,
     NADI_AT(struct values, o.json),
     .doc = "Form of the report on standard output"},
    NADI_ROW_QUIET(NADI_AT(struct values, quiet), ""),
    {.name = NULL},
};

static const struct nadi_option_group trace_check_groups[] = {
    {"Check", options, 0},
    {.heading = NULL},
};

static void init(void *values)
{
    nadi_trace_check_init(&((struct values *)values)->o);
}

static enum nadi_status make(void *values, const struct nadi_words *words, char **text,
                             struct nadi_diags *messages)
{
    struct values *v = values;
    v->o.inputs = (struct nadi_trace_inputs){words->items, (size_t)words->count};
    return nadi_trace_check(&v->o, text, messages);
}

static int end(const void *values, enum nadi_status status, char *text, struct nadi_diags *messages)
{
    return nadi_terminal_end(status, text, messages, ((const struct values *)values)->quiet);
}

const struct nadi_command nadi_command_trace_check = {
    .name = "trace check",
    .group = "Traces",
    .summary = "Check trace files",
    .doing = "checking the traces",
    .words = "FILE... | PREFIX | MANIFEST.yml",
    .about =
        "Framing, ids, cycles, missing dependencies, attributes, times; with several ranks "
        "also\ntheir collectives, sends and receives against each other. Exit code 3 on damage.\n",
    .examples = "nadi trace check traces/step.0.et\n"
                "nadi trace check traces/step --groups groups.json --format json\n"
                "nadi trace check out/million/workload.yml\n",
    .options = trace_check_groups,
    .max_words = NADI_ANY_WORDS,
    .call = {.size = sizeof(struct values),
             .init = init,
             .wanted = "a trace file or a prefix",
             .least = 1,
             .make = make,
             .end = end},
};
