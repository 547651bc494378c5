#include "cli/terminal.h"
#include "cli/trace_end.h"

struct values {
    const char *out;
    bool jsonizer;
};

static const struct nadi_setting show_options[] = {
    {.name = "out",
     .letter = 'o',
     .argument = "FILE",
     .type = NADI_TYPE_TEXT,
     .preset = "-",
     NADI_AT(struct values, out),
     .doc = "Write there; .gz and .zst are compressed"},
    {.name = "jsonizer",
     .type = NADI_TYPE_FLAG,
     NADI_AT(struct values, jsonizer),
     .doc = "The form of Chakra's own jsonizer, which cannot be packed"},
    {.name = NULL},
};

static const struct nadi_setting pack_options[] = {
    {.name = "out",
     .letter = 'o',
     .argument = "FILE",
     .type = NADI_TYPE_TEXT,
     .required = true,
     NADI_AT(struct values, out),
     .doc = "Write there; .gz and .zst are compressed"},
    {.name = NULL},
};

static const struct nadi_option_group trace_show_groups[] = {
    {"Output", show_options, 0},
    {.heading = NULL},
};

static const struct nadi_option_group trace_pack_groups[] = {
    {"Output", pack_options, 0},
    {.heading = NULL},
};

static int cmd_trace_show(const struct nadi_command *self, int count, char **arguments)
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
    struct nadi_diags *messages = nadi_terminal_must(nadi_messages_create());
    return nadi_terminal_end(nadi_trace_show(&show, messages), NULL, messages, false);
}

static int cmd_trace_pack(const struct nadi_command *self, int count, char **arguments)
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
    struct nadi_diags *messages = nadi_terminal_must(nadi_messages_create());
    return nadi_terminal_end(nadi_trace_pack(&pack, messages), NULL, messages, false);
}

const struct nadi_command nadi_command_trace_show = {
    .name = "trace show",
    .group = "Traces",
    .summary = "Print a trace as JSON lines, without loss",
    .doing = "printing the trace",
    .words = "FILE",
    .about = "One message per line, with the schema's field names and all digits of its "
             "numbers;\n`nadi trace pack` restores the same bytes.\n",
    .examples = "nadi trace show traces/step.0.et | head -3\n"
                "nadi trace show traces/step.0.et --jsonizer -o step.json\n",
    .options = trace_show_groups,
    .max_words = 1,
    .run = cmd_trace_show,
};

const struct nadi_command nadi_command_trace_pack = {
    .name = "trace pack",
    .group = "Traces",
    .summary = "Convert JSON lines to a trace",
    .doing = "packing the trace",
    .words = "FILE",
    .about = "The reverse of `nadi trace show`: edit the lines, or write them yourself.\n",
    .examples = "nadi trace show step.0.et | sed 's/\"forward\"/\"fwd\"/' | nadi trace pack - -o "
                "new.0.et\n",
    .options = trace_pack_groups,
    .max_words = 1,
    .run = cmd_trace_pack,
};
