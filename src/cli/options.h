/* options: command lines, read by tables of settings (settings/setting.h).
 *
 * A command names groups of rows; each row says where in the command's struct of values its value
 * goes. `--name value`, `--name=value` and, where the table has a letter, `-o value`; the
 * last one wins, but of rows that are `joined`, where all count; `--` ends the options. Defaults
 * are the text that the help shows, read by the same parser, so the two cannot differ, or those of
 * the library's own init, which the help writes out. Every mistake is printed to standard error
 * with the nearest right name. */
#ifndef NADI_CLI_OPTIONS_H
#define NADI_CLI_OPTIONS_H

#include "settings/setting.h"

struct nadi_option_group {
    const char *heading;
    const struct nadi_setting *rows; /* ends with a row without a name */
    size_t offset; /* added to the rows'; of rows of the library a struct nadi_given */
};

enum { NADI_ANY_WORDS = INT_MAX, NADI_MOST_GIVEN = 32 };

/* Rows of the library (api/run_settings.h): their texts, checked, for it to read; defaults too. */
struct nadi_given {
    struct {
        const struct nadi_setting *row;
        const char *text; /* NULL of a flag */
    } items[NADI_MOST_GIVEN];
    size_t count;
};

bool nadi_is_given(const struct nadi_given *given, const char *name);
/* NULL: it is not, or a flag. */
const char *nadi_given_text(const struct nadi_given *given, const char *name);

struct nadi_words { /* what stands between the options */
    const char *const *items;
    int count;
};

/* What every command knows besides its own. */
extern const struct nadi_option_group nadi_common_options;

/* Fills `values` (any struct whose members the groups describe; it is not cleared first) and
 * `words`, of which at most max_words are allowed and which lie in `arguments` from then on. Obeys
 * the common options. False when a mistake was printed; `name` is the
 * command's, for messages. groups ends with one without a heading. */
bool nadi_options_parse(const char *name, const struct nadi_option_group *groups, int max_words,
                        int count, char **arguments, void *values,
                        struct nadi_words *words) NADI_MUST_USE;

/* Is one of those in `text`, with commas between, among the words of a table's row? */
bool nadi_options_any_word(const char *const *words, const char *text);

/* Are there at least so many words? Says what is wanted if not. */
bool nadi_words_wanted(const char *name, const struct nadi_words *words, int least,
                       const char *what) NADI_MUST_USE;

#endif
