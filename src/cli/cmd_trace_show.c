#include "cli/terminal.h"
#include "cli/trace_commands.h"

struct values {
    const char *out;
    bool jsonizer;
};

static const struct nadi_option show_options[] = {
    {.name = "out",
     .letter = 'o',
     .argument = "FILE",
     .type = NADI_OPTION_TEXT,
     .initial = "-",
     .offset = offsetof(struct values, out),
     .help = "Write there; .gz and .zst are compressed"},
    {.name = "jsonizer",
     .type = NADI_OPTION_FLAG,
     .offset = offsetof(struct values, jsonizer),
     .help = "The form of Chakra's own jsonizer, which cannot be packed"},
    {.name = NULL},
};

static const struct nadi_option pack_options[] = {
    {.name = "out",
     .letter = 'o',
     .argument = "FILE",
     .type = NADI_OPTION_TEXT,
     .required = true,
     .offset = offsetof(struct values, out),
     .help = "Write there; .gz and .zst are compressed"},
    {.name = NULL},
};

const struct nadi_option_group nadi_trace_show_groups[] = {
    {"Output", show_options, 0},
    {.heading = NULL},
};

const struct nadi_option_group nadi_trace_pack_groups[] = {
    {"Output", pack_options, 0},
    {.heading = NULL},
};

int nadi_cmd_trace_show(const struct nadi_command *self, int count, char **arguments)
{
    struct values values = {0};
    struct nadi_words words;
    if (!nadi_options_parse(self->name, self->options, self->max_words, count, arguments, &values,
                            &words) ||
        !nadi_words_wanted(self->name, &words, 1, "a trace file, or - for standard input"))
        return NADI_EXIT_USAGE;
    struct nadi_trace_show show;
    nadi_trace_show_init(&show);
    show.input = words.items[0];
    show.output = values.out;
    show.jsonizer = values.jsonizer;
    struct nadi_diags *messages = nadi_messages_create();
    return nadi_terminal_end(nadi_trace_show(&show, messages), NULL, messages, false);
}

int nadi_cmd_trace_pack(const struct nadi_command *self, int count, char **arguments)
{
    struct values values = {0};
    struct nadi_words words;
    if (!nadi_options_parse(self->name, self->options, self->max_words, count, arguments, &values,
                            &words) ||
        !nadi_words_wanted(self->name, &words, 1, "a file of JSON lines, or - for standard input"))
        return NADI_EXIT_USAGE;
    struct nadi_trace_pack pack;
    nadi_trace_pack_init(&pack);
    pack.input = words.items[0];
    pack.output = values.out;
    struct nadi_diags *messages = nadi_messages_create();
    return nadi_terminal_end(nadi_trace_pack(&pack, messages), NULL, messages, false);
}
