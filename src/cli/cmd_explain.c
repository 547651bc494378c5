#include "base/file.h"
#include "base/str.h"
#include "cli/command.h"
#include "cli/terminal.h"
#include "settings/schema.h"

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

static const struct nadi_setting *option_of(const struct nadi_command *command, const char *name)
{
    const struct nadi_setting *found = NULL;
    for (const struct nadi_option_group *g = command->options; g->heading && !found; g++)
        found = nadi_settings_find(g->rows, name, strlen(name));
    return found;
}

/* An option of commands, once for all that describe it alike. False when none has it. */
static bool explain_option(const char *name)
{
    struct nadi_str text = NADI_STR_INIT, where = NADI_STR_INIT;
    for (size_t i = 0; nadi_commands[i]; i++) {
        const struct nadi_setting *option = option_of(nadi_commands[i], name);
        bool first = option != NULL;
        nadi_str_clear(&where);
        for (size_t k = 0; option && nadi_commands[k]; k++) {
            const struct nadi_setting *same = option_of(nadi_commands[k], name);
            if (!same || !nadi_str_equal(same->doc, option->doc))
                continue;
            first &= k >= i;
            nadi_str_printf(&where, "%snadi %s", where.length ? ", " : "", nadi_commands[k]->name);
        }
        if (!first)
            continue;
        nadi_str_add(&text, text.length ? "\n" : "");
        nadi_explain_setting(option, nadi_str_get(&where), &text);
    }
    const bool any = text.length > 0;
    fputs(nadi_str_get(&text), stdout);
    nadi_str_release(&text);
    nadi_str_release(&where);
    return any;
}

static int explain(const char *key, bool json)
{
    int known;
    char *text =
        nadi_terminal_must(json ? nadi_explain_json(key, &known) : nadi_explain_key(key, &known));
    if (!known && !json && explain_option(key + strspn(key, "-")))
        known = true;
    else
        fputs(text, known || json ? stdout : stderr);
    nadi_free(text);
    return known ? NADI_EXIT_DONE : NADI_EXIT_USAGE;
}

/* `nadi explain --network-model`: what is no option of this command is asked for. */
static void take_options_asked_for(int count, char **arguments)
{
    for (int i = 0; i < count; i++) {
        const char *name = arguments[i] + 2;
        const size_t length = nadi_str_starts(arguments[i], "--") ? strcspn(name, "=") : 0;
        if (length && !nadi_settings_find(options, name, length) &&
            !nadi_settings_find(nadi_common_options.rows, name, length))
            arguments[i] += 2;
    }
}

static int cmd_explain(const struct nadi_command *self, int count, char **arguments)
{
    struct values values = {0};
    struct nadi_words words;
    take_options_asked_for(count, arguments);
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
    .summary = "Explain a key of the input files or an option, or list them",
    .doing = "looking up the keys",
    .words = "[KEY | --OPTION]",
    .examples = "nadi explain active-chunks-per-dimension\n"
                "nadi explain bandwidth --format json\n"
                "nadi explain --network-model\n",
    .options = explain_groups,
    .max_words = 1,
    .run = cmd_explain,
};
