#include "cli/terminal.h"
#include "cli/trace_edit.h"

struct values {
    struct nadi_cli_edit edit;
    const char *same, *groups;
};

#define AT(member) NADI_AT(struct values, member)

static const struct nadi_setting what[] = {
    {.name = "same",
     .type = NADI_TYPE_WORD,
     .words = NADI_ONE_OF("all", "simulated", "shape"),
     .preset = "all",
     AT(same),
     .doc = "What must be equal: everything; what a simulation reads; the same without durations"},
    {.name = "groups",
     .argument = "FILE",
     .type = NADI_TYPE_TEXT,
     AT(groups),
     .doc = "Communicator groups (default: those of the traces)"},
    {.name = NULL},
};

static const struct nadi_option_group trace_dedup_groups[] = {
    {"Fold", what, 0},
    {"Output", nadi_cli_edit_options, offsetof(struct values, edit)},
    {.heading = NULL},
};

static int cmd_trace_dedup(const struct nadi_command *self, int count, char **arguments)
{
    struct values values = {0};
    struct nadi_words words;
    if (!nadi_options_parse(self->name, self->options, self->max_words, count, arguments, &values,
                            &words) ||
        !nadi_words_wanted(self->name, &words, 1, "a prefix, or the files of all ranks"))
        return NADI_EXIT_USAGE;
    struct nadi_trace_dedup o;
    nadi_trace_dedup_init(&o);
    nadi_cli_edit_apply(&values.edit, &words, &o.edit);
    o.same = values.same;
    o.groups = values.groups;
    struct nadi_diags *messages = nadi_terminal_must(nadi_messages_create());
    char *report;
    const enum nadi_status status = nadi_trace_dedup(&o, &report, messages);
    return nadi_cli_edit_end(&values.edit, status, report, messages);
}

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
    .run = cmd_trace_dedup,
};
