#include "base/mem.h"
#include "base/str.h"
#include "cli/command.h"
#include "cli/narrow.h"

struct values {
    bool markdown;
};

static const struct nadi_setting help_options[] = {
    {.name = "markdown",
     .type = NADI_TYPE_FLAG,
     NADI_AT(struct values, markdown),
     .doc = "All commands as one page"},
    {.name = NULL},
};

static const struct nadi_option_group help_groups[] = {
    {.heading = "Output", .rows = help_options},
    {.heading = NULL},
};

enum { OPTION_COLUMN = 32, BELOW_COLUMN = 6, LINE_WIDTH = 100, ROOMY = 72 };

/* Columns to write in, and where descriptions of options begin: below a narrow terminal's options.
 */
struct page {
    int width, column;
};

static struct page page_of_terminal(void)
{
    const int columns = nadi_narrow_columns();
    const int width = columns > 0 && columns < LINE_WIDTH ? columns : LINE_WIDTH;
    return (struct page){width, width < ROOMY ? BELOW_COLUMN : OPTION_COLUMN};
}

/* Paragraphs, and lines that are as they are. */
static void print_text(const char *text, const struct page *page)
{
    struct nadi_str folded = NADI_STR_INIT;
    nadi_narrow_text(text, page->width, 0, &folded);
    fputs(nadi_str_get(&folded), stdout);
    nadi_str_release(&folded);
}

/* The last blank outside quotes that leaves room for " \\" within `width`; the first one if none
 * does; 0: there is none. */
static size_t break_of(const char *line, size_t length, size_t width)
{
    size_t at = 0;
    char quote = '\0';
    for (size_t i = 1; i < length && (at == 0 || i + 2 <= width); i++) {
        if (quote ? line[i] == quote : line[i] == '"' || line[i] == '\'')
            quote = quote ? '\0' : line[i];
        if (!quote && line[i] == ' ' && line[i - 1] != ' ' && line[i + 1] != '\\')
            at = i;
    }
    return at;
}

/* Lines of a shell, to be copied: one that is too wide goes on in the next, behind a backslash. */
static void print_examples(const char *text, const struct page *page)
{
    const size_t width = (size_t)page->width;
    while (*text) {
        size_t length = strcspn(text, "\n"), indent = 0, at;
        while (indent + length > width && (at = break_of(text, length, width - indent)) > 0) {
            printf("%*s%.*s \\\n", (int)indent, "", (int)at, text);
            at += strspn(text + at, " ");
            text += at;
            length -= at;
            indent = 4;
        }
        printf("%*s%.*s\n", (int)indent, "", (int)length, text);
        text += length + (text[length] == '\n');
    }
}

/* Breaks `text` into lines that begin at the page's column; the cursor is there already. */
static void print_wrapped(const char *text, const struct page *page)
{
    const int column = page->column;
    int at = column;
    while (*text) {
        const int length = (int)strcspn(text, " ");
        if (at > column && at + 1 + length > page->width) {
            printf("\n%*s", column, "");
            at = column;
        }
        printf("%s%.*s", at > column ? " " : "", length, text);
        at += length + (at > column);
        text += length;
        text += strspn(text, " ");
    }
    putchar('\n');
}

static void spell_usage(const struct nadi_command *command, struct nadi_str *out)
{
    nadi_str_printf(out, "nadi %s", command->name);
    if (command->words && *command->words)
        nadi_str_printf(out, " %s", command->words);
    for (const struct nadi_option_group *g = command->options; g->heading; g++) {
        for (const struct nadi_setting *o = g->rows; o->name; o++) {
            if (o->required)
                nadi_str_printf(out, " --%s %s", o->name, o->argument);
        }
    }
    nadi_str_add(out, " [OPTIONS]\n");
}

/* "--workload PREFIX", "--format text|json" */
static void spell_option(const struct nadi_setting *o, struct nadi_str *out)
{
    if (o->letter)
        nadi_str_printf(out, "-%c, ", o->letter);
    nadi_str_printf(out, "--%s", o->name);
    if (o->words) {
        nadi_str_add_char(out, ' ');
        nadi_setting_words_text(o, "|", out);
    } else if (o->argument) {
        nadi_str_printf(out, " %s", o->argument);
    }
}

/* A command's struct with the library's own defaults, to be freed; NULL: it has none. */
static char *library_values(const struct nadi_command *command)
{
    if (!command->call.init)
        return NULL;
    char *values = NADI_ZNEW(char, command->call.size);
    command->call.init(values);
    return values;
}

/* values: of the option's group; NULL: the library has no defaults. */
static void describe_option(const struct nadi_setting *o, const char *values, struct nadi_str *out)
{
    struct nadi_str preset = NADI_STR_INIT;
    nadi_str_add(out, o->doc);
    if (o->required)
        nadi_str_add(out, " (required)");
    else if (nadi_setting_default(o, values, &preset))
        nadi_str_printf(out, " (default: %s)", nadi_str_get(&preset));
    nadi_str_release(&preset);
}

static void print_option(const struct nadi_setting *o, const char *values, const struct page *page)
{
    struct nadi_str left = NADI_STR_INIT, right = NADI_STR_INIT, spelt = NADI_STR_INIT;
    spell_option(o, &left);
    describe_option(o, values, &right);
    nadi_narrow_text(nadi_str_get(&left), page->width - 2, 0, &spelt);
    printf("  %s", nadi_str_get(&spelt));
    if ((int)left.length + 3 > page->column)
        printf("\n%*s", page->column, "");
    else
        printf("%*s", page->column - 2 - (int)left.length, "");
    print_wrapped(nadi_str_get(&right), page);
    nadi_str_release(&left);
    nadi_str_release(&right);
    nadi_str_release(&spelt);
}

static void print_option_group(const struct nadi_option_group *g, const char *values,
                               const struct page *page)
{
    printf("\n%s\n", g->heading);
    for (const struct nadi_setting *o = g->rows; o->name; o++)
        print_option(o, values ? values + g->offset : NULL, page);
}

void nadi_help_command(const struct nadi_command *command)
{
    const struct page page = page_of_terminal();
    struct nadi_str head = NADI_STR_INIT;
    nadi_str_printf(&head, "%s.\n\nusage: ", command->summary);
    spell_usage(command, &head);
    print_text(nadi_str_get(&head), &page);
    nadi_str_release(&head);
    if (command->about) {
        putchar('\n');
        print_text(command->about, &page);
    }
    char *values = library_values(command);
    for (const struct nadi_option_group *g = command->options; g->heading; g++)
        print_option_group(g, values, &page);
    print_option_group(&nadi_common_options, NULL, &page);
    nadi_mem_free(values);
    if (command->examples) {
        printf("\nExample\n");
        print_examples(command->examples, &page);
    }
}

static void print_markdown_group(const struct nadi_option_group *g, const char *values)
{
    printf("\n| %s | |\n|---|---|\n", g->heading);
    for (const struct nadi_setting *o = g->rows; o->name; o++) {
        struct nadi_str left = NADI_STR_INIT, right = NADI_STR_INIT;
        spell_option(o, &left);
        describe_option(o, values ? values + g->offset : NULL, &right);
        printf("| `");
        for (const char *c = nadi_str_get(&left); *c; c++) {
            if (*c == '|')
                putchar('\\');
            putchar(*c);
        }
        printf("` | %s |\n", nadi_str_get(&right));
        nadi_str_release(&left);
        nadi_str_release(&right);
    }
}

static void print_markdown(const struct nadi_command *command)
{
    struct nadi_str usage = NADI_STR_INIT;
    spell_usage(command, &usage);
    printf("\n## nadi %s\n\n%s.\n\n```\n%s```\n", command->name, command->summary,
           nadi_str_get(&usage));
    nadi_str_release(&usage);
    if (command->about)
        printf("\n%s", command->about);
    char *values = library_values(command);
    for (const struct nadi_option_group *g = command->options; g->heading; g++)
        print_markdown_group(g, values);
    nadi_mem_free(values);
    if (command->examples)
        printf("\n```\n%s```\n", command->examples);
}

static void print_exit_codes(const char *bullet, const struct page *page)
{
    static const char *const rows[][2] = {
        {"0", "done"},
        {"1", "`trace diff`: the traces differ; `repro`: a figure is not as published"},
        {"2", "the command line is wrong"},
        {"3", "an input is wrong, or a file could not be written"},
        {"4", "deadlock: the simulation ended with waiting nodes"},
        {"5",
         "stopped: --max-sim, --max-wall, a signal, or out of memory; results so far are written"},
        {"70", "a defect of nadi itself"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        printf("%s%-3s ", bullet, rows[i][0]);
        print_wrapped(rows[i][1], page);
    }
}

/* A command and what it does. */
static void print_row(const char *name, const char *summary, const struct page *page)
{
    enum { SUMMARY = 23 };
    printf("  %-20s ", name);
    print_wrapped(summary, &(struct page){page->width, SUMMARY});
}

static bool is_first_of_group(size_t command)
{
    for (size_t i = 0; i < command; i++) {
        if (nadi_str_equal(nadi_commands[i]->group, nadi_commands[command]->group))
            return false;
    }
    return true;
}

static void print_group(const char *group, const struct page *page)
{
    printf("\n%s\n", group);
    for (size_t i = 0; nadi_commands[i]; i++) {
        if (nadi_str_equal(nadi_commands[i]->group, group))
            print_row(nadi_commands[i]->name, nadi_commands[i]->summary, page);
    }
}

static void print_all(bool markdown)
{
    const struct page page = page_of_terminal();
    if (markdown) {
        printf("# Commands\n\n"
               "Generated by `./dev docs` from the program's own tables. Results go to standard\n"
               "output, messages to standard error. Exit codes:\n\n");
        print_exit_codes("- ", &(struct page){LINE_WIDTH, 6});
        printf("\nBesides its own options below, every command takes these:\n");
        print_markdown_group(&nadi_common_options, NULL);
        for (size_t i = 0; nadi_commands[i]; i++)
            print_markdown(nadi_commands[i]);
        return;
    }
    print_text("usage: nadi COMMAND [OPTIONS]\n\n"
               "Simulates distributed training of machine-learning models.\n",
               &page);
    for (size_t i = 0; nadi_commands[i]; i++) {
        if (is_first_of_group(i))
            print_group(nadi_commands[i]->group, &page);
    }
    printf("\nExit codes\n");
    print_exit_codes("  ", &(struct page){page.width, 6});
    print_text("\n`nadi help COMMAND` shows a command's options.\n", &page);
}

/* "trace" of "trace check" */
static bool is_of_family(const struct nadi_command *command, const char *word)
{
    return nadi_str_starts(command->name, word) && command->name[strlen(word)] == ' ';
}

bool nadi_help_family(const char *word)
{
    const struct page page = page_of_terminal();
    bool any = false;
    for (size_t i = 0; nadi_commands[i]; i++) {
        const struct nadi_command *c = nadi_commands[i];
        if (!is_of_family(c, word))
            continue;
        if (!any)
            printf("usage: nadi %s COMMAND [OPTIONS]\n\n", word);
        any = true;
        print_row(c->name + strlen(word) + 1, c->summary, &page);
    }
    struct nadi_str more = NADI_STR_INIT;
    nadi_str_printf(&more, "\n`nadi help %s COMMAND` shows a command's options.\n", word);
    if (any)
        print_text(nadi_str_get(&more), &page);
    nadi_str_release(&more);
    return any;
}

static int cmd_help(const struct nadi_command *self, int count, char **arguments)
{
    struct nadi_words words;
    struct values values = {0};
    if (!nadi_options_parse(self->name, self->options, self->max_words, count, arguments, &values,
                            &words))
        return NADI_EXIT_USAGE;
    if (words.count == 0) {
        print_all(values.markdown);
        return NADI_EXIT_DONE;
    }
    int used = 0;
    const struct nadi_command *command = nadi_command_find(words.count, words.items, &used);
    if (!command && words.count == 1 && nadi_help_family(words.items[0]))
        return NADI_EXIT_DONE;
    if (!command) {
        nadi_command_complain(words.count, words.items);
        return NADI_EXIT_USAGE;
    }
    nadi_help_command(command);
    return NADI_EXIT_DONE;
}

const struct nadi_command nadi_command_help = {
    .name = "help",
    .group = "Help",
    .summary = "Explain a command",
    .doing = "writing the help",
    .words = "[COMMAND]",
    .examples = "nadi help run\n",
    .options = help_groups,
    .max_words = 3,
    .run = cmd_help,
};
