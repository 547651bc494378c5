/* cmd_report: `nadi report` and `nadi diff`. */
#include <nadi/report.h>

#include "base/str.h"
#include "cli/command.h"
#include "cli/terminal.h"

struct values {
    const char *out;
    bool text;
    const char *format;
};

#define FORMAT                                                                                     \
    {                                                                                              \
        .name = "format", .type = NADI_TYPE_WORD, .words = NADI_ONE_OF("text", "json"),            \
        .preset = "text", NADI_AT(struct values, format),                                          \
        .doc = "Form of the result on standard output"                                             \
    }

static const struct nadi_setting output[] = {
    {.name = "out",
     .letter = 'o',
     .argument = "FILE",
     .type = NADI_TYPE_TEXT,
     NADI_AT(struct values, out),
     .doc = "Write one self-contained HTML page, to be opened in a browser"},
    {.name = "text",
     .type = NADI_TYPE_FLAG,
     NADI_AT(struct values, text),
     .doc = "Print a short report on standard output; the default without -o"},
    FORMAT,
    {.name = NULL},
};

static const struct nadi_setting diff_output[] = {
    FORMAT,
    {.name = NULL},
};

static const struct nadi_option_group report_groups[] = {
    {"Output", output, 0},
    {.heading = NULL},
};

static const struct nadi_option_group diff_groups[] = {
    {"Output", diff_output, 0},
    {.heading = NULL},
};

static bool print_json(char *json)
{
    if (json)
        nadi_terminal_print(json);
    return json != NULL;
}

static bool print_texts(const struct nadi_words *words, struct nadi_diags *messages)
{
    for (int i = 0; i < words->count; i++) {
        char *text = nadi_report_summary(words->items[i], nadi_terminal_colours(stdout), messages);
        if (!text)
            return false;
        if (i > 0)
            putchar('\n');
        nadi_terminal_print_text(text);
    }
    return true;
}

static int cmd_report(const struct nadi_command *self, int count, char **arguments)
{
    struct values v = {0};
    struct nadi_words words;
    if (!nadi_options_parse(self->name, self->options, self->max_words, count, arguments, &v,
                            &words) ||
        !nadi_words_wanted(self->name, &words, 1, "a run: the folder of `nadi run --out`"))
        return NADI_EXIT_USAGE;
    struct nadi_diags *messages = nadi_terminal_must(nadi_messages_create());
    bool good = true;
    if (v.out)
        good =
            nadi_report_page(words.items, (size_t)words.count, v.out, messages) == NADI_STATUS_DONE;
    const bool json = nadi_str_equal(v.format, "json");
    if (good && json)
        good = print_json(nadi_report_runs_json(words.items, (size_t)words.count, messages));
    if (good && (v.text || !(v.out || json)))
        good = print_texts(&words, messages);
    nadi_terminal_messages(messages, 0, false);
    const int code = good ? NADI_EXIT_DONE : nadi_terminal_why(messages);
    nadi_messages_destroy(messages);
    return code;
}

static int cmd_diff(const struct nadi_command *self, int count, char **arguments)
{
    struct nadi_words words;
    struct values v = {0};
    if (!nadi_options_parse(self->name, self->options, self->max_words, count, arguments, &v,
                            &words) ||
        !nadi_words_wanted(self->name, &words, 2, "two runs: folders of `nadi run --out`"))
        return NADI_EXIT_USAGE;
    struct nadi_diags *messages = nadi_terminal_must(nadi_messages_create());
    const char *first = words.items[0], *second = words.items[1];
    const bool json = nadi_str_equal(v.format, "json");
    char *text = json ? nadi_report_diff_json(first, second, messages)
                      : nadi_report_diff(first, second, nadi_terminal_colours(stdout), messages);
    if (text && !json) {
        nadi_terminal_print_text(text);
        return nadi_terminal_end(NADI_STATUS_DONE, NULL, messages, false);
    }
    return nadi_terminal_end(text ? NADI_STATUS_DONE : NADI_STATUS_INPUT, text, messages, false);
}

const struct nadi_command nadi_command_report = {
    .name = "report",
    .group = "Results",
    .summary = "Explain why a run took so long, on a page or in the terminal",
    .doing = "reading the run",
    .words = "RUN...",
    .about = "RUN is the folder of `nadi run --out`. Several runs are compared. Its contents: "
             "docs/guide/report.md.\n",
    .examples = "nadi report result -o report.html\n"
                "nadi report before after -o compared.html\n"
                "nadi report result --text\n"
                "nadi report result --format json\n",
    .options = report_groups,
    .max_words = 64,
    .run = cmd_report,
};

const struct nadi_command nadi_command_diff = {
    .name = "diff",
    .group = "Results",
    .summary = "Compare two runs",
    .doing = "comparing the runs",
    .words = "FIRST SECOND",
    .about = "End to end, critical path, time of the ranks, collectives, settings; the largest "
             "differences first.\n",
    .examples = "nadi diff before after\n"
                "nadi diff before after --format json\n",
    .options = diff_groups,
    .max_words = 2,
    .run = cmd_diff,
};
