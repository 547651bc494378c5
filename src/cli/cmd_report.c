/* cmd_report: `nadi report` and `nadi diff`. */
#include <nadi/report.h>

#include "base/str.h"
#include "cli/command.h"
#include "cli/terminal.h"

struct values {
    const char *out;
    bool text;
};

static const struct nadi_option output[] = {
    {.name = "out",
     .letter = 'o',
     .argument = "FILE",
     .type = NADI_OPTION_TEXT,
     .offset = offsetof(struct values, out),
     .help = "Write one self-contained HTML page, to be opened in a browser"},
    {.name = "text",
     .type = NADI_OPTION_FLAG,
     .offset = offsetof(struct values, text),
     .help = "Print it in short on standard output; so it is without -o"},
    {.name = NULL},
};

static const struct nadi_option nothing[] = {{.name = NULL}};

const struct nadi_option_group nadi_report_groups[] = {
    {"Output", output, 0},
    {.heading = NULL},
};

const struct nadi_option_group nadi_diff_groups[] = {
    {"Output", nothing, 0},
    {.heading = NULL},
};

static bool print_texts(const struct nadi_words *words, struct nadi_diags *messages)
{
    for (int i = 0; i < words->count; i++) {
        char *text = nadi_report_summary(words->items[i], nadi_terminal_colours(stdout), messages);
        if (!text)
            return false;
        if (i > 0)
            putchar('\n');
        fputs(text, stdout);
        nadi_free(text);
    }
    return true;
}

int nadi_cmd_report(const struct nadi_command *self, int count, char **arguments)
{
    struct values v = {0};
    struct nadi_words words;
    if (!nadi_options_parse(self->name, self->options, self->max_words, count, arguments, &v,
                            &words) ||
        !nadi_words_wanted(self->name, &words, 1, "a run: the folder of `nadi run --out`"))
        return NADI_EXIT_USAGE;
    struct nadi_diags *messages = nadi_messages_create();
    bool good = true;
    if (v.out)
        good =
            nadi_report_page(words.items, (size_t)words.count, v.out, messages) == NADI_STATUS_DONE;
    if (good && (v.text || !v.out))
        good = print_texts(&words, messages);
    nadi_terminal_messages(messages, 0, false);
    nadi_messages_destroy(messages);
    return good ? NADI_EXIT_DONE : NADI_EXIT_INPUT;
}

int nadi_cmd_diff(const struct nadi_command *self, int count, char **arguments)
{
    struct nadi_words words;
    char unused = 0;
    if (!nadi_options_parse(self->name, self->options, self->max_words, count, arguments, &unused,
                            &words) ||
        !nadi_words_wanted(self->name, &words, 2, "two runs: folders of `nadi run --out`"))
        return NADI_EXIT_USAGE;
    struct nadi_diags *messages = nadi_messages_create();
    char *text =
        nadi_report_diff(words.items[0], words.items[1], nadi_terminal_colours(stdout), messages);
    return nadi_terminal_end(text ? NADI_STATUS_DONE : NADI_STATUS_INPUT, text, messages, false);
}
