/* cmd_collective_bench: `nadi collective bench`. */
#include <nadi/collective.h>

#include "api/words.h"
#include "base/collective.h"
#include "base/file.h"
#include "cli/command.h"
#include "cli/rows.h"
#include "cli/terminal.h"

struct values {
    const char *network, *system, *model, *kinds, *algorithms, *format, *plot, *tuner;
    uint64_t first, last;
    double factor;
};

#define AT(member) NADI_AT(struct values, member)

static const struct nadi_setting input[] = {
    {.name = "network",
     .argument = "NETWORK",
     .type = NADI_TYPE_TEXT,
     .required = true,
     AT(network),
     .doc = "As for `nadi run`; all its NPUs take part"},
    {.name = "system",
     .argument = "FILE",
     .type = NADI_TYPE_TEXT,
     AT(system),
     .doc = "System file (default: the defaults of its keys)"},
    {.name = "network-model",
     .type = NADI_TYPE_WORD,
     .words = NADI_WORDS_CHOSEN_MODEL,
     .preset = "auto",
     AT(model),
     .doc = "How messages are timed; auto: " NADI_NETWORK_AUTO},
    {.name = NULL},
};

static const struct nadi_setting what[] = {
    {.name = "kind",
     .argument = "KIND,...",
     .type = NADI_TYPE_TEXT,
     .preset = "all-reduce",
     AT(kinds),
     .doc = "Collectives: " NADI_COLLECTIVE_LIST},
    {.name = "algorithm",
     .argument = "NAME,...",
     .type = NADI_TYPE_TEXT,
     AT(algorithms),
     .doc = "Words of the system file: ring, oneRabenseifner, ring_halvingDoubling (one per "
            "dimension); default: those of the system file"},
    {.name = "from",
     .argument = "SIZE",
     NADI_A_SIZE,
     .preset = "1KiB",
     AT(first),
     .doc = "Smallest size, as nccl-tests counts it"},
    {.name = "to",
     .argument = "SIZE",
     NADI_A_SIZE,
     .preset = "1GiB",
     AT(last),
     .doc = "Largest size"},
    {.name = "factor",
     .argument = "F",
     NADI_A_FACTOR,
     .preset = "2",
     AT(factor),
     .doc = "From one size to the next"},
    {.name = NULL},
};

static const struct nadi_setting output[] = {
    NADI_FORM_OPTION_AT(AT(format), NADI_ONE_OF("text", "csv")),
    {.name = "plot",
     .argument = "FILE",
     .type = NADI_TYPE_TEXT,
     AT(plot),
     .doc = "Bus bandwidth over size as SVG"},
    {.name = "tuner",
     .argument = "FILE",
     .type = NADI_TYPE_TEXT,
     AT(tuner),
     .doc = "Write the fastest of each size as a tuner table, for `tuner` of a system file"},
    {.name = NULL},
};

static const struct nadi_option_group collective_bench_groups[] = {
    {"Input", input, 0},
    {"What", what, 0},
    {"Output", output, 0},
    {.heading = NULL},
};

static int cmd_collective_bench(const struct nadi_command *self, int count, char **arguments)
{
    struct values v = {.first = 1024, .last = UINT64_C(1) << 30, .factor = 2};
    struct nadi_words words;
    if (!nadi_options_parse(self->name, self->options, self->max_words, count, arguments, &v,
                            &words))
        return NADI_EXIT_USAGE;
    struct nadi_diags *messages = nadi_terminal_must(nadi_messages_create());
    struct nadi_collective_bench_options options;
    nadi_collective_bench_options_init(&options);
    options.network = v.network;
    options.system = v.system;
    options.network_model = v.model;
    options.kinds = v.kinds;
    options.algorithms = v.algorithms;
    options.first_bytes = v.first;
    options.last_bytes = v.last;
    options.factor = v.factor;
    options.tuner = v.tuner;
    options.csv = v.format[0] == 'c';
    char *text, *plot;
    enum nadi_status status = nadi_collective_bench(&options, &text, &plot, messages);
    if (plot && v.plot && !nadi_file_write(v.plot, plot, strlen(plot), messages))
        status = NADI_STATUS_INPUT;
    nadi_free(plot);
    return nadi_terminal_end(status, text, messages, false);
}

const struct nadi_command nadi_command_collective_bench = {
    .name = "collective bench",
    .group = "Networks",
    .summary = "Benchmark collectives over sizes and algorithms, in nccl-tests' form",
    .doing = "running the benchmark",
    .words = "",
    .about = "Simulates one collective at a time on all NPUs of a network and prints the\ncolumns "
             "of nccl-tests: size, time, algorithm and bus bandwidth, for comparison with\na real "
             "log. With several algorithms the fastest of each size follows.\n",
    .examples = "nadi collective bench --network network.yml --algorithm ring,direct\n"
                "nadi collective bench --network network.yml --network-model flow \\\n"
                "    --kind all-reduce,all-gather --from 64KiB --to 64MiB --factor 4 \\\n"
                "    --algorithm ring,oneRabenseifner,oneTree,oneDoubleTree8 --plot bus.svg\n",
    .options = collective_bench_groups,
    .run = cmd_collective_bench,
};
