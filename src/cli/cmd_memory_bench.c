/* cmd_memory_bench: `nadi memory bench`. */
#include <nadi/memory.h>

#include "api/words.h"
#include "cli/command.h"
#include "cli/terminal.h"

#define AT(member) NADI_AT(struct nadi_memory_bench_options, member)

static const struct nadi_setting input[] = {
    {.name = "memory",
     .argument = "FILE",
     .type = NADI_TYPE_TEXT,
     .required = true,
     AT(memory),
     .doc = "Memory file, as for `nadi run`"},
    {.name = "network",
     .argument = "NETWORK",
     .type = NADI_TYPE_TEXT,
     AT(network),
     .doc = "As for `nadi run` (default: any, with as many NPUs as ask)"},
    {.name = "network-model",
     .type = NADI_TYPE_WORD,
     .words = NADI_WORDS_NETWORK_MODEL,
     AT(network_model),
     .doc = "How messages are timed, where memory is behind the network"},
    {.name = NULL},
};

static const struct nadi_setting what[] = {
    {.name = "npus",
     .argument = "N,...",
     .type = NADI_TYPE_TEXT,
     .preset = "1",
     AT(npus),
     .doc = "The first so many NPUs ask at once"},
    {.name = "direction",
     .type = NADI_TYPE_WORD,
     .words = NADI_WORDS_DIRECTION,
     .preset = "load",
     AT(direction),
     .doc = "From memory or to it"},
    {.name = "from",
     .argument = "SIZE",
     NADI_A_SIZE,
     .preset = "4KiB",
     AT(first_bytes),
     .doc = "Smallest request"},
    {.name = "to",
     .argument = "SIZE",
     NADI_A_SIZE,
     .preset = "1GiB",
     AT(last_bytes),
     .doc = "Largest request"},
    {.name = "factor",
     .argument = "F",
     NADI_A_FACTOR,
     .preset = "4",
     AT(factor),
     .doc = "From one size to the next"},
    {.name = NULL},
};

static const struct nadi_setting output[] = {
    NADI_FORM_OPTION(struct nadi_memory_bench_options, form),
    {.name = NULL},
};

static const struct nadi_option_group groups[] = {
    {"Input", input, 0},
    {"What", what, 0},
    {"Output", output, 0},
    {.heading = NULL},
};

static int cmd_memory_bench(const struct nadi_command *self, int count, char **arguments)
{
    struct nadi_memory_bench_options o;
    struct nadi_words words;
    nadi_memory_bench_options_init(&o);
    if (!nadi_options_parse(self->name, self->options, self->max_words, count, arguments, &o,
                            &words))
        return NADI_EXIT_USAGE;
    struct nadi_diags *messages = nadi_terminal_must(nadi_messages_create());
    char *text;
    const enum nadi_status status = nadi_memory_bench(&o, &text, messages);
    return nadi_terminal_end(status, text, messages, false);
}

const struct nadi_command nadi_command_memory_bench = {
    .name = "memory bench",
    .group = "Memory",
    .doing = "timing the requests",
    .summary = "Benchmark a memory file: bandwidth and latency by size and NPUs",
    .about = "One request on each of some NPUs at once, each size a simulation of its own: what "
             "queues\nor shares bandwidth in a run does so here.\n",
    .examples = "nadi memory bench --memory memory.json --from 4KiB --to 1GiB --npus 1,8,64\n",
    .options = groups,
    .run = cmd_memory_bench,
};
