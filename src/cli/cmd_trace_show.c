#include "cli/trace_end.h"

static const struct nadi_setting show_options[] = {
    {.name = "out",
     .letter = 'o',
     .argument = "FILE",
     .type = NADI_TYPE_TEXT,
     NADI_LIBRARY_DEFAULT,
     NADI_AT(struct nadi_trace_show, output),
     .doc = "Write there; .gz and .zst are compressed"},
    {.name = "jsonizer",
     .type = NADI_TYPE_FLAG,
     NADI_AT(struct nadi_trace_show, jsonizer),
     .doc = "The form of Chakra's own jsonizer, which cannot be packed"},
    {.name = NULL},
};

static const struct nadi_setting pack_options[] = {
    {.name = "out",
     .letter = 'o',
     .argument = "FILE",
     .type = NADI_TYPE_TEXT,
     .required = true,
     NADI_AT(struct nadi_trace_pack, output),
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

static void init_show(void *values)
{
    nadi_trace_show_init(values);
}

static enum nadi_status make_show(void *values, const struct nadi_words *words, char **text,
                                  struct nadi_diags *messages)
{
    struct nadi_trace_show *o = values;
    o->input = words->items[0];
    (void)text;
    return nadi_trace_show(o, messages);
}

static void init_pack(void *values)
{
    nadi_trace_pack_init(values);
}

static enum nadi_status make_pack(void *values, const struct nadi_words *words, char **text,
                                  struct nadi_diags *messages)
{
    struct nadi_trace_pack *o = values;
    o->input = words->items[0];
    (void)text;
    return nadi_trace_pack(o, messages);
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
    .call = {.size = sizeof(struct nadi_trace_show),
             .init = init_show,
             .wanted = "a trace file, or - for standard input",
             .least = 1,
             .make = make_show},
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
    .call = {.size = sizeof(struct nadi_trace_pack),
             .init = init_pack,
             .wanted = "a file of JSON lines, or - for standard input",
             .least = 1,
             .make = make_pack},
};
