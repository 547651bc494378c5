/* options: command-line options as tables of data, and the one parser that reads them.
 *
 * A command names groups of options; each option says where in the command's struct of values its
 * value goes. `--name value`, `--name=value` and, where the table has a letter, `-o value`; the
 * last one wins; `--` ends the options. Defaults are the text that the help shows, read by the same
 * parser, so the two cannot differ. Every mistake is printed to standard error with the nearest
 * right name. */
#ifndef NADI_CLI_OPTIONS_H
#define NADI_CLI_OPTIONS_H

#include "base/base.h"

enum nadi_option_type {                          /* value in the struct: */
                        NADI_OPTION_FLAG = 1,    /* bool */
                        NADI_OPTION_TEXT,        /* const char * */
                        NADI_OPTION_WORD,        /* const char *, one of the option's words */
                        NADI_OPTION_WORDS,       /* const char *, some of them: "a,b" */
                        NADI_OPTION_COUNT,       /* uint32_t, at least 1 */
                        NADI_OPTION_NUMBER,      /* uint64_t */
                        NADI_OPTION_FACTOR,      /* double, at least 0 */
                        NADI_OPTION_BYTES,       /* uint64_t; "100MiB" */
                        NADI_OPTION_TIME,        /* uint64_t ns; "10ms"; a bare number is ns */
                        NADI_OPTION_WALL_TIME,   /* uint64_t ns; "10ms"; a bare number is seconds */
                        NADI_OPTION_RANKS,       /* struct nadi_range; "0-7", "3" */
                        NADI_OPTION_TIME_WINDOW, /* struct nadi_range of ns; "1ms..2ms" */
};

struct nadi_range { /* both included */
    uint64_t first, last;
    bool given;
};

struct nadi_option {
    const char *name;     /* without the dashes */
    const char *argument; /* "FILE" in the help; NULL for flags */
    const char *words;    /* WORD: "text|json" */
    const char *initial;  /* the default as text, or NULL: zero */
    const char *help;     /* one sentence without its full stop */
    size_t offset;        /* in the struct of values */
    enum nadi_option_type type;
    char letter; /* short form or 0 */
    bool required;
};

struct nadi_option_group {
    const char *heading;
    const struct nadi_option *rows; /* ends with a row without a name */
    size_t offset;                  /* added to the rows' */
};

enum { NADI_ANY_WORDS = INT_MAX };

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
bool nadi_options_any_word(const char *words, const char *text);

/* Are there at least so many words? Says what is wanted if not. */
bool nadi_words_wanted(const char *name, const struct nadi_words *words, int least,
                       const char *what) NADI_MUST_USE;

#endif
