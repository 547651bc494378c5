#include "base/str.h"

#include "cli/terminal.h"
#include "cli/trace_end.h"

struct values {
    const char *out, *frequency;
};

static const struct nadi_setting options[] = {
    {.name = "out",
     .letter = 'o',
     .argument = "FILE",
     .type = NADI_TYPE_TEXT,
     .preset = "-",
     NADI_AT(struct values, out),
     .doc = "Write there; .gz and .zst are compressed"},
    {.name = "frequency",
     .argument = "MHZ",
     .type = NADI_TYPE_TEXT,
     .preset = "1000",
     NADI_AT(struct values, frequency),
     .doc = "Of the cycles in a simulator's log; also 1.5GHz"},
    {.name = NULL},
};

static const struct nadi_option_group trace_timeline_groups[] = {
    {"Timeline", options, 0},
    {.heading = NULL},
};

/* "1500", "1500MHz", "1.5 GHz" to cycles a microsecond; 0: none of these. */
static double read_frequency(const char *text)
{
    double value;
    const char *end = nadi_str_take_double(text, &value);
    if (!end)
        return 0;
    while (*end == ' ')
        end++;
    const double factor = strcasecmp(end, "ghz") == 0                   ? 1000
                          : *end == '\0' || strcasecmp(end, "mhz") == 0 ? 1
                          : strcasecmp(end, "khz") == 0                 ? 1e-3
                                                                        : 0;
    return value > 0 && value < 1e9 ? value * factor : 0;
}

static int cmd_trace_timeline(const struct nadi_command *self, int count, char **arguments)
{
    struct values values = {0};
    struct nadi_words words;
    if (!nadi_options_parse(self->name, self->options, self->max_words, count, arguments, &values,
                            &words) ||
        !nadi_words_wanted(self->name, &words, 1, "traces, a prefix or a simulator's log"))
        return NADI_EXIT_USAGE;
    struct nadi_trace_timeline timeline;
    nadi_trace_timeline_init(&timeline);
    timeline.inputs = (struct nadi_trace_inputs){words.items, (size_t)words.count};
    timeline.output = values.out;
    timeline.cycles_per_us = read_frequency(values.frequency);
    if (!(timeline.cycles_per_us > 0)) {
        fprintf(stderr,
                "nadi %s: error: '--frequency' wants a number of MHz or one with its unit, like "
                "1.5GHz; found '%s'\n",
                self->name, values.frequency);
        return NADI_EXIT_USAGE;
    }
    struct nadi_diags *messages = nadi_terminal_must(nadi_messages_create());
    return nadi_terminal_end(nadi_trace_timeline(&timeline, messages), NULL, messages, false);
}

const struct nadi_command nadi_command_trace_timeline = {
    .name = "trace timeline",
    .group = "Traces",
    .summary = "Write the times of a trace, or of a simulator's log, for Perfetto",
    .doing = "writing the timeline",
    .words = "FILE... | PREFIX",
    .about = "One process per rank, one track per thread or stream, arrows for dependencies "
             "between tracks. Times\nare those recorded in the trace or, where there are none, "
             "replayed. A text file is read as\na log with issue and callback lines. Open the "
             "result on ui.perfetto.dev.\n",
    .examples = "nadi trace timeline traces/step -o step.json.gz\n"
                "nadi trace timeline simulation.csv --frequency 1.5GHz -o simulation.json\n",
    .options = trace_timeline_groups,
    .max_words = NADI_ANY_WORDS,
    .run = cmd_trace_timeline,
};
