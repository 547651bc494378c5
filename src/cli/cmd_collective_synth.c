/* cmd_collective_synth: `nadi collective synth`. */
#include <nadi/collective.h>

#include "cli/command.h"

#define AT(member) NADI_AT(struct nadi_collective_synth_options, member)

static const struct nadi_setting input[] = {
    {.name = "topology",
     .argument = "NETWORK",
     .type = NADI_TYPE_TEXT,
     .required = true,
     AT(topology),
     .doc = "Network file, or a generator: \"torus shape=8x8 bandwidth=100GB/s\"; all its NPUs "
            "take part"},
    {.name = "kind",
     .argument = "KIND",
     .type = NADI_TYPE_TEXT,
     NADI_LIBRARY_DEFAULT,
     AT(kind),
     .doc = "all-gather, reduce-scatter, all-reduce or all-to-all"},
    {.name = "bytes",
     .argument = "SIZE",
     NADI_A_SIZE,
     NADI_LIBRARY_DEFAULT,
     AT(bytes),
     .doc = "Size that it is for, as nccl-tests counts it; the file runs with any"},
    {.name = NULL},
};

static const struct nadi_setting search[] = {
    {.name = "chunks",
     .argument = "N",
     NADI_A_COUNT,
     AT(chunks),
     .doc = "Chunks of an NPU's part (default: the best of 1, 2, 4 and 8)"},
    {.name = "tries",
     .argument = "N",
     NADI_A_COUNT,
     AT(tries),
     .doc = "Plans to make for each style and direction (default: about half a second)"},
    {.name = "seed",
     .argument = "N",
     NADI_A_WHOLE,
     NADI_LIBRARY_DEFAULT,
     AT(seed),
     .doc = "Seed of random choices; the same seed gives the same algorithm"},
    {.name = "against",
     .argument = "NAME,...",
     .type = NADI_TYPE_TEXT,
     AT(against),
     .doc = "Algorithms to compare with: words of the system file, or none (default: those that "
            "apply)"},
    {.name = NULL},
};

static const struct nadi_setting output[] = {
    {.name = "out",
     .letter = 'o',
     .argument = "FILE|PREFIX",
     .type = NADI_TYPE_TEXT,
     AT(out),
     .doc = "File to write; of Chakra traces the prefix"},
    {.name = "to",
     .type = NADI_TYPE_WORD,
     .words = NADI_ONE_OF("own", "msccl", "chakra"),
     AT(form),
     .doc = "Form of it (default: .xml MSCCL, else own)"},
    {.name = "format",
     .type = NADI_TYPE_WORD,
     .words = NADI_ONE_OF("text", "csv"),
     NADI_LIBRARY_DEFAULT,
     AT(csv),
     .doc = "Form of the result on standard output"},
    {.name = NULL},
};

static const struct nadi_option_group collective_synth_groups[] = {
    {"Input", input, 0},
    {"Search", search, 0},
    {"Output", output, 0},
    {.heading = NULL},
};

static void init(void *values)
{
    nadi_collective_synth_options_init(values);
}

static enum nadi_status make(void *values, const struct nadi_words *words, char **text,
                             struct nadi_diags *messages)
{
    (void)words;
    return nadi_collective_synth(values, text, messages);
}

const struct nadi_command nadi_command_collective_synth = {
    .name = "collective synth",
    .group = "Networks",
    .summary = "Find a collective algorithm for a network",
    .doing = "searching for an algorithm",
    .words = "",
    .about = "Matches chunks with links over time, greedily, in many variants, and keeps the "
             "best;\nproves that every chunk arrives where it must; simulates it on the network "
             "model\n`flow` beside the built-in algorithms; writes nadi's own form, MSCCL XML "
             "or\nChakra traces. See docs/guide/synthesise.md.\n",
    .examples = "nadi collective synth --topology network.yml --kind all-gather -o ag.yml\n"
                "nadi collective synth --topology \"mesh shape=8x8\" --bytes 1GiB \\\n"
                "    -o mesh.xml\n",
    .options = collective_synth_groups,
    .call = {.size = sizeof(struct nadi_collective_synth_options), .init = init, .make = make},
};
