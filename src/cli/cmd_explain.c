#include "base/file.h"
#include "base/str.h"
#include "cli/command.h"
#include "cli/terminal.h"

#include <nadi/nadi.h>

struct values {
    const char *pages, *format;
};

static const struct nadi_setting options[] = {
    {.name = "pages",
     .argument = "DIR",
     .type = NADI_TYPE_TEXT,
     NADI_AT(struct values, pages),
     .doc = "Write a reference page for each kind of file there, DIR/input-<kind>.md, and "
            "DIR/results.md"},
    {.name = "format",
     .type = NADI_TYPE_WORD,
     .words = NADI_ONE_OF("text", "json"),
     .preset = "text",
     NADI_AT(struct values, format),
     .doc = "Form of the explanation on standard output"},
    {.name = NULL},
};

static const struct nadi_option_group explain_groups[] = {
    {"Output", options, 0},
    {.heading = NULL},
};

/* Frees the page. */
static bool write_page(const char *folder, const char *name, const char *kind, char *page,
                       struct nadi_diags *diags)
{
    struct nadi_str path = NADI_STR_INIT;
    nadi_str_printf(&path, "%s/%s%s.md", folder, name, kind);
    const bool good = nadi_file_write(nadi_str_get(&path), page, strlen(page), diags);
    nadi_str_release(&path);
    nadi_free(page);
    return good;
}

static int write_pages(const char *folder)
{
    struct nadi_diags *diags = nadi_terminal_must(nadi_messages_create());
    bool good = nadi_file_make_folder(folder, diags);
    for (size_t i = 0; good && nadi_input_kind(i); i++)
        good = write_page(folder, "input-", nadi_input_kind(i),
                          nadi_terminal_must(nadi_input_page(i)), diags);
    good = good && write_page(folder, "results", "", nadi_terminal_must(nadi_result_page()), diags);
    nadi_terminal_messages(diags, 0, true);
    nadi_messages_destroy(diags);
    return good ? NADI_EXIT_DONE : NADI_EXIT_INPUT;
}

static int explain(const char *key, bool json)
{
    int known;
    char *text =
        nadi_terminal_must(json ? nadi_explain_json(key, &known) : nadi_explain_key(key, &known));
    fputs(text, known || json ? stdout : stderr);
    nadi_free(text);
    return known ? NADI_EXIT_DONE : NADI_EXIT_USAGE;
}

static int cmd_explain(const struct nadi_command *self, int count, char **arguments)
{
    struct values values = {0};
    struct nadi_words words;
    if (!nadi_options_parse(self->name, self->options, self->max_words, count, arguments, &values,
                            &words))
        return NADI_EXIT_USAGE;
    if (values.pages)
        return write_pages(values.pages);
    return explain(words.count ? words.items[0] : NULL, nadi_str_equal(values.format, "json"));
}

const struct nadi_command nadi_command_explain = {
    .name = "explain",
    .group = "Help",
    .summary = "Explain a key of the input files, or list all of them",
    .words = "[KEY]",
    .examples = "nadi explain active-chunks-per-dimension\n"
                "nadi explain bandwidth --format json\n",
    .options = explain_groups,
    .max_words = 1,
    .run = cmd_explain,
};
