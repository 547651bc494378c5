#include "cli/command.h"
#include "cli/terminal.h"

#include <nadi/trace_edit.h>

#define AT(member) NADI_AT(struct nadi_trace_replay, member)

static const struct nadi_setting what[] = {
    {.name = "groups",
     .argument = "FILE",
     .type = NADI_TYPE_TEXT,
     AT(groups),
     .doc = "Process groups (default: those of the traces)"},
    {.name = "simulated",
     .argument = "FILE",
     .type = NADI_TYPE_TEXT,
     AT(simulated),
     .doc =
         "collectives.csv of a run of the same job, whose times are printed beside the measured"},
    {.name = "repeat",
     .argument = "N",
     NADI_A_COUNT,
     .preset = "10",
     AT(repeats),
     .doc = "Repeats, after one that does not count; the shortest time of a collective counts"},
    {.name = "compute",
     .type = NADI_TYPE_FLAG,
     AT(compute),
     .doc = "Compute nodes pass their recorded time (default: they are left out)"},
    {.name = "output",
     .letter = 'o',
     .argument = "FILE",
     .type = NADI_TYPE_TEXT,
     AT(output),
     .doc = "Write the times there, as CSV that `nadi fit` reads (default: standard output)"},
    {.name = NULL},
};

static const struct nadi_option_group trace_replay_groups[] = {
    {"Replay", what, 0},
    {.heading = NULL},
};

static int cmd_trace_replay(const struct nadi_command *self, int count, char **arguments)
{
    struct nadi_trace_replay replay;
    struct nadi_words words;
    nadi_trace_replay_init(&replay);
    if (!nadi_options_parse(self->name, self->options, self->max_words, count, arguments, &replay,
                            &words) ||
        !nadi_words_wanted(self->name, &words, 1, "a prefix, or the files of all ranks"))
        return NADI_EXIT_USAGE;
    replay.inputs = (struct nadi_trace_inputs){words.items, (size_t)words.count};
    struct nadi_diags *messages = nadi_terminal_must(nadi_messages_create());
    char *report;
    const enum nadi_status status = nadi_trace_replay(&replay, &report, messages);
    return nadi_terminal_end(status, report, messages, false);
}

const struct nadi_command nadi_command_trace_replay = {
    .name = "trace replay",
    .group = "Traces",
    .summary = "Replay a job's communication on this machine, with Open MPI",
    .doing = "replaying the job",
    .words = "FILE... | PREFIX",
    .about = "Started by mpirun with one process for each rank. Collectives are timed one by one "
             "and printed\nbeside the simulated ones. nadi must be built with Open MPI: cmake -D "
             "NADI_MPI=ON.\n",
    .examples = "mpirun -n 4 nadi trace replay step/workload --groups step/groups.json \\\n"
                "       --simulated out/collectives.csv -o replay.csv\n",
    .options = trace_replay_groups,
    .max_words = NADI_ANY_WORDS,
    .run = cmd_trace_replay,
};
