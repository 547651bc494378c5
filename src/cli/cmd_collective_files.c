/* cmd_collective_files: `nadi collective check` and `nadi collective convert`. */
#include <nadi/collective.h>

#include "cli/command.h"

#define CHECK(member)   NADI_AT(struct nadi_collective_check_options, member)
#define CONVERT(member) NADI_AT(struct nadi_collective_convert_options, member)

static const struct nadi_setting check_options[] = {
    {.name = "bytes",
     .argument = "SIZE",
     NADI_A_SIZE,
     NADI_LIBRARY_DEFAULT,
     CHECK(bytes),
     .doc = "Size of the collective, as nccl-tests counts it"},
    {.name = "latency",
     .argument = "TIME",
     NADI_A_TIME,
     NADI_LIBRARY_DEFAULT,
     CHECK(latency_ns),
     .doc = "Of a message, for the time without contention"},
    {.name = "bandwidth",
     .argument = "RATE",
     .type = NADI_TYPE_TEXT,
     NADI_LIBRARY_DEFAULT,
     CHECK(bandwidth),
     .doc = "Of a message; a bare number is GB/s"},
    {.name = "reduction-bandwidth",
     .argument = "RATE",
     .type = NADI_TYPE_TEXT,
     CHECK(reduction_bandwidth),
     .doc = "Of bytes that are reduced or copied (default: they take no time)"},
    {.name = "format",
     .type = NADI_TYPE_WORD,
     .words = NADI_ONE_OF("text", "csv"),
     NADI_LIBRARY_DEFAULT,
     CHECK(csv),
     .doc = "Form of the result on standard output"},
    {.name = NULL},
};

static const struct nadi_option_group collective_check_groups[] = {
    {"Check", check_options, 0},
    {.heading = NULL},
};

static const struct nadi_setting convert_options[] = {
    {.name = "output",
     .argument = "FILE|PREFIX",
     .letter = 'o',
     .type = NADI_TYPE_TEXT,
     .required = true,
     CONVERT(to),
     .doc = "File to write; of Chakra traces the prefix"},
    {.name = "to",
     .type = NADI_TYPE_WORD,
     .words = NADI_ONE_OF("own", "msccl", "chakra"),
     CONVERT(form),
     .doc = "Its form (default: msccl where FILE ends in .xml, else own)"},
    {.name = "bytes",
     .argument = "SIZE",
     NADI_A_SIZE,
     NADI_LIBRARY_DEFAULT,
     CONVERT(bytes),
     .doc = "Size of the collective in Chakra traces, which have no other, as nccl-tests counts"},
    {.name = NULL},
};

static const struct nadi_setting own_options[] = {
    {.name = "algorithm",
     .argument = "NAME",
     .type = NADI_TYPE_TEXT,
     CONVERT(algorithm),
     .doc = "Write one of nadi's step generators: ring, tree4, rabenseifner, ..."},
    {.name = "kind",
     .argument = "KIND",
     .type = NADI_TYPE_TEXT,
     .preset = "all-reduce",
     CONVERT(kind),
     .doc = "Its collective"},
    {.name = "members",
     .argument = "N",
     NADI_A_COUNT,
     CONVERT(members),
     .doc = "Its number of members"},
    {.name = NULL},
};

static const struct nadi_option_group collective_convert_groups[] = {
    {"Output", convert_options, 0},
    {"Instead of a file", own_options, 0},
    {.heading = NULL},
};

static void init_check(void *values)
{
    nadi_collective_check_options_init(values);
}

static enum nadi_status make_check(void *values, const struct nadi_words *words, char **text,
                                   struct nadi_diags *messages)
{
    struct nadi_collective_check_options *o = values;
    o->files = words->items;
    o->file_count = (size_t)words->count;
    return nadi_collective_check_files(o, text, messages);
}

static void init_convert(void *values)
{
    nadi_collective_convert_options_init(values);
}

static enum nadi_status make_convert(void *values, const struct nadi_words *words, char **text,
                                     struct nadi_diags *messages)
{
    struct nadi_collective_convert_options *o = values;
    o->from = words->count ? words->items[0] : NULL;
    (void)text;
    return nadi_collective_convert_file(o, messages);
}

const struct nadi_command nadi_command_collective_check = {
    .name = "collective check",
    .group = "Networks",
    .summary = "Prove that files of explicit algorithms implement their collective",
    .doing = "proving the algorithms",
    .words = "FILE...",
    .about =
        "Reads MSCCL XML, MSCCL++ execution plans, TACOS output, Chakra traces\n(PREFIX for "
        "PREFIX.0.et and so on) and nadi's own form, moves every chunk through\nthe steps, and "
        "reports what is missing where. The forms of files:\ndocs/guide/custom-collectives.md.\n",
    .examples = "nadi collective check examples/collectives/*.xml\n"
                "nadi collective check ring.yml --bytes 1GiB --bandwidth 400Gbps\n",
    .options = collective_check_groups,
    .max_words = 256,
    .call = {.size = sizeof(struct nadi_collective_check_options),
             .init = init_check,
             .wanted = "a file of an algorithm",
             .least = 1,
             .make = make_check},
};

const struct nadi_command nadi_command_collective_convert = {
    .name = "collective convert",
    .group = "Networks",
    .summary = "Write an explicit algorithm in another form",
    .doing = "converting the algorithm",
    .words = "[FILE]",
    .about = "The form follows from the name of the output: .xml MSCCL, else nadi's own.\nWithout "
             "FILE one of nadi's algorithms is written.\n",
    .examples = "nadi collective convert plan.json -o plan.yml\n"
                "nadi collective convert plan.yml -o plan.xml\n"
                "nadi collective convert --algorithm ring --kind all-gather --members 8 "
                "-o ring.yml\n",
    .options = collective_convert_groups,
    .max_words = 1,
    .call = {.size = sizeof(struct nadi_collective_convert_options),
             .init = init_convert,
             .make = make_convert},
};
