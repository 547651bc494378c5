/* setting: one row per setting, wherever it is set: a key of an input file, an option of a command,
 * an argument of the library. From the row follow the check, the error message, the nearest right
 * name, help, `nadi explain` and the reference pages.
 *
 * A type is a set of functions (type.h). A value is stored in a struct: `offset` and `size` of the
 * member (NADI_AT) also determine the member's type: a whole number is a uint32_t or a uint64_t, a
 * word is a text or, as an enum, its index among the row's words. Keys of files are not stored:
 * their loaders ask for them by name (schema.h).
 *
 * A bare number counts the row's `unit`, `unit_factor` of which are one of the dimension's base
 * unit (units.h); a text may carry its own unit: "400Gbps", "10ms". Bounds are in the row's unit.
 * Defaults are texts, read like any other value, so that the shown default is the one that
 * applies. */
#ifndef NADI_SETTINGS_SETTING_H
#define NADI_SETTINGS_SETTING_H

#include "base/base.h"
#include "base/units.h"

#include <float.h>

struct nadi_str;

enum nadi_type { /* of a value; in brackets: the member */
                 NADI_TYPE_NONE,
                 NADI_TYPE_FLAG,    /* [bool, int] a key: on unless it is the number 0, as the
                                       reference    has it */
                 NADI_TYPE_SWITCH,  /* a key: on only if it is the number 1 (or true) */
                 NADI_TYPE_INTEGER, /* [uint32_t, uint64_t] without a unit "2^18" too */
                 NADI_TYPE_NUMBER,  /* [double] */
                 NADI_TYPE_TEXT,    /* [const char *] not empty */
                 NADI_TYPE_WORD,    /* [const char *, enum] one of `words`; "direct[N]" there allows
                                       a number behind the word */
                 NADI_TYPE_WORDS,   /* [const char *] some of them, each once: "a,b" */
                 NADI_TYPE_RANGE,   /* [struct nadi_range] "0-7", "3"; of times "1ms..2ms" */
                 NADI_TYPE_MAP,     /* a key: a map whose keys are the user's own; its reader checks
                                       them */
                 NADI_TYPE_PAIRS,   /* a key: a list of lists of two values; its reader checks
                                       them */
                 NADI_TYPES
};

enum nadi_effect {
    NADI_EFFECT_USED,
    NADI_EFFECT_NONE,   /* accepted, changes nothing: a note says so */
    NADI_EFFECT_LEGACY, /* of ASTRA-sim 1.x: a warning says what to write instead */
};

struct nadi_range { /* both included */
    uint64_t first, last;
    bool given;
};

union nadi_any { /* a value of any type */
    bool flag;
    uint64_t whole;
    double number;
    const char *text;
    struct nadi_range range;
};

struct nadi_setting {
    const char *name;     /* without dashes in front */
    const char *doc;      /* a sentence or two; of an option without its full stop */
    const char *preset;   /* the value when absent, as it would be written; NULL: none, zero */
    const char *argument; /* of an option: "FILE" in the help; NULL for flags and words */
    const char *absent;   /* the effect: "using 1 chunk"; NULL: "using <preset>" */
    const char *note;     /* given as a note when the key is absent from a file; NULL: silence */
    const char *beyond;   /* in a file: what somebody who writes a value out of range may want */
    const char *joined;   /* of an option: between its texts where it stands several times */
    const char *unit;     /* of a bare number, as text: "GB/s of 2^30 bytes" */
    const char *const *words; /* WORD, WORDS: allowed ones, NULL-terminated */
    double unit_factor;       /* a bare number times this is in the dimension's base unit; 0: 1 */
    double min, max;          /* in the unit of a bare number; both 0: any */
    size_t offset, size;      /* of the member */
    void (*put)(const union nadi_any *value, void *values); /* instead of a member; or NULL */
    enum nadi_type type;
    enum nadi_dimension dimension;
    enum nadi_effect effect;
    uint32_t list_max; /* longest list allowed; 0: any */
    char letter;       /* short form of an option, or 0 */
    bool list;         /* a list of `type` */
    bool several;      /* the command line may name several words: a run each */
    bool or_one;       /* a single value stands for a list of one */
    bool required, above_min /* min itself is not allowed */, may_be_infinite;
};

/* --- shorthands of rows -------------------------------------------------------------------------
 */

/* A number of a #define as text, for a default. */
#define NADI_TEXT_OF(number)  NADI_TEXT_AS_IS(number)
#define NADI_TEXT_AS_IS(text) #text
#define NADI_AT(of, member)   .offset = offsetof(of, member), .size = sizeof(((of *)0)->member)
#define NADI_ONE_OF(...)      NADI_WORD_TABLE(__VA_ARGS__, NULL)
#define NADI_WORD_TABLE(...)                                                                       \
    (const char *const[])                                                                          \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
/* The most frequent kind of option. */
#define NADI_A_COUNT  .type = NADI_TYPE_INTEGER, .min = 1, .max = INT32_MAX
#define NADI_A_WHOLE  .type = NADI_TYPE_INTEGER                /* any from 0 */
#define NADI_A_FACTOR .type = NADI_TYPE_NUMBER, .max = DBL_MAX /* any from 0 */
#define NADI_A_SIZE   .type = NADI_TYPE_INTEGER, .dimension = NADI_DIMENSION_BYTES, .unit = "B"
#define NADI_A_TIME   .type = NADI_TYPE_INTEGER, .dimension = NADI_DIMENSION_TIME, .unit = "ns"
#define NADI_SECONDS                                                                               \
    .type = NADI_TYPE_INTEGER, .dimension = NADI_DIMENSION_TIME, .unit = "s", .unit_factor = 1e9
#define NADI_A_RATE                                                                                \
    .type = NADI_TYPE_NUMBER, .dimension = NADI_DIMENSION_RATE, .unit = "GB/s", .unit_factor = 1e9
#define NADI_A_LATENCY /* parts of a nanosecond count */                                           \
    .type = NADI_TYPE_NUMBER, .dimension = NADI_DIMENSION_TIME, .unit = "ns", .unit_factor = 1
#define NADI_RANKS  .type = NADI_TYPE_RANGE
#define NADI_WINDOW .type = NADI_TYPE_RANGE, .dimension = NADI_DIMENSION_TIME, .unit = "ns"

/* A default that is in the struct before the row is read: that of the library's own init. */
#define NADI_LIBRARY_DEFAULT .preset = nadi_library_default
extern const char nadi_library_default[];

/* --- values -------------------------------------------------------------------------------------
 */

/* Reads `text` into the member at `member`, a text by reference. A flag may be NULL: on. False when
 * the text is not allowed: the member is then unchanged or partly read. */
bool nadi_setting_read(const struct nadi_setting *s, const char *text, void *member) NADI_MUST_USE;
/* Reads it for its place in the struct at `values`. */
bool nadi_setting_set(const struct nadi_setting *s, const char *text, void *values) NADI_MUST_USE;
/* Would it be read? */
bool nadi_setting_allows(const struct nadi_setting *s, const char *text);
/* The value as text, which nadi_setting_read reads to the same value. */
void nadi_setting_write(const struct nadi_setting *s, const void *member, struct nadi_str *out);
/* The allowed values, for messages: "a whole number from 1 to 65536", "text|json". */
void nadi_setting_allowed(const struct nadi_setting *s, struct nadi_str *out);
/* The word that was probably meant instead of `text`, or NULL. */
const char *nadi_setting_nearest_word(const struct nadi_setting *s, const char *text);

/* The default, as it would be written; `values` has the library's own. False: there is none. */
bool nadi_setting_default(const struct nadi_setting *s, const void *values, struct nadi_str *out);
/* Stores the defaults of rows, but those of the library, of which the last has no name, in the
 * struct at `values`. */
void nadi_settings_preset(const struct nadi_setting *rows, void *values);
/* The row with this name, or NULL; `length` bytes of it. */
const struct nadi_setting *nadi_settings_find(const struct nadi_setting *rows, const char *name,
                                              size_t length);

/* --- parts, for those who read values from elsewhere ---------------------------------------------
 */

struct nadi_setting_number {
    double in_unit, base; /* in the row's unit; in the dimension's base unit */
    bool has_unit;        /* one was written */
};

/* False: not a number, or not one of the dimension's units. Bounds are not checked. */
bool nadi_setting_number(const struct nadi_setting *s, const char *text,
                         struct nadi_setting_number *number) NADI_MUST_USE;
double nadi_setting_factor(const struct nadi_setting *s);
const char *nadi_setting_base_unit(const struct nadi_setting *s); /* "ns"; "" of plain numbers */

enum nadi_bound { NADI_BOUND_WITHIN, NADI_BOUND_BELOW, NADI_BOUND_ABOVE };

enum nadi_bound nadi_setting_bound(const struct nadi_setting *s, double in_unit);
/* "at least 1", "more than 0 GB/s", "at most 65536": the violated bound. */
void nadi_setting_bound_text(const struct nadi_setting *s, enum nadi_bound bound,
                             struct nadi_str *out);
/* Both bounds: "1 to 65536"; nothing where there are none. */
void nadi_setting_range_text(const struct nadi_setting *s, struct nadi_str *out);

/* The index of a word among the row's; *number: the number after it where allowed, else 0. */
bool nadi_setting_word(const struct nadi_setting *s, const char *text, uint32_t *place,
                       int64_t *number) NADI_MUST_USE;
/* Without the "[N]" at its end. */
size_t nadi_setting_stem_length(const char *word);
/* "ring, direct[N], ..." */
void nadi_setting_words_text(const struct nadi_setting *s, const char *between,
                             struct nadi_str *out);
/* "list of whole numbers" */
const char *nadi_setting_type_name(const struct nadi_setting *s);

#endif
