#include "cli/command.h"

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
     NADI_LIBRARY_DEFAULT,
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

NADI_CALL_ON_TRACES(nadi_trace_replay)

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
    .call = {.size = sizeof(struct nadi_trace_replay),
             .init = init,
             .wanted = "a prefix, or the files of all ranks",
             .least = 1,
             .make = make},
};
