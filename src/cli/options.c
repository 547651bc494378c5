#include "cli/options.h"
#include "api/run_settings.h"
#include "base/str.h"
#include "cli/overwrite.h"
#include "cli/stop.h"
#include "settings/schema.h"

struct common {
    uint64_t max_wall_ns;
};

static const struct nadi_setting common_rows[] = {
    {.name = "max-wall",
     .argument = "TIME",
     NADI_SECONDS,
     NADI_AT(struct common, max_wall_ns),
     .max = 1e9,
     .above_min = true,
     .doc = "Stop after this much real time, like 2min (a bare number is seconds)"},
    {.name = NULL},
};

const struct nadi_option_group nadi_common_options = {"Any command", common_rows, 0};

struct parser {
    const char *command;
    const struct nadi_option_group *groups;
    char *values;
    struct common common;
    struct nadi_named_files files;
    bool failed;
};

enum { MAX_OPTIONS = 64, MAX_WORD = 256, MAX_JOINED = 16384 };

static void complain(struct parser *p, const char *format, ...) NADI_PRINTF(2, 3);

static void complain(struct parser *p, const char *format, ...)
{
    p->failed = true;
    fprintf(stderr, "nadi %s: error: ", p->command);
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}

/* --- values ------------------------------------------------------------------------------------
 */

static void complain_value(struct parser *p, const struct nadi_setting *o, const char *found)
{
    struct nadi_str allowed = NADI_STR_INIT;
    const char *near = o->words ? nadi_setting_nearest_word(o, found) : NULL;
    nadi_setting_allowed(o, &allowed);
    uint64_t number;
    const bool is_count = o->type == NADI_TYPE_WORD && nadi_str_equal(o->name, "ranks") &&
                          nadi_str_to_u64(found, &number);
    complain(p, "'--%s' wants %s, found '%s'%s%s%s%s", o->name, nadi_str_get(&allowed), found,
             near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "",
             is_count ? "; it is about rows of a table, not how many ranks there are" : "");
    nadi_str_release(&allowed);
}

/* --- what the library reads ---------------------------------------------------------------------
 */

static bool is_of_library(const struct nadi_option_group *g)
{
    for (size_t i = 0; nadi_run_tables[i]; i++)
        if (nadi_run_tables[i]->keys == g->rows)
            return true;
    return false;
}

static bool keep_given(struct nadi_given *given, const struct nadi_setting *o, const char *text)
{
    struct nadi_setting row = *o;
    if (o->several)
        row.type = NADI_TYPE_WORDS;
    if (!nadi_setting_allows(&row, text))
        return false;
    size_t i = 0;
    while (i < given->count && given->items[i].row != o)
        i++;
    NADI_ASSERT(i < NADI_MOST_GIVEN);
    given->items[i].row = o;
    given->items[i].text = text;
    given->count += i == given->count;
    return true;
}

bool nadi_is_given(const struct nadi_given *given, const char *name)
{
    for (size_t i = 0; i < given->count; i++)
        if (nadi_str_equal(given->items[i].row->name, name))
            return true;
    return false;
}

const char *nadi_given_text(const struct nadi_given *given, const char *name)
{
    for (size_t i = 0; i < given->count; i++)
        if (nadi_str_equal(given->items[i].row->name, name))
            return given->items[i].text;
    return NULL;
}

static void set_defaults(const struct nadi_option_group *g, char *values)
{
    if (!is_of_library(g)) {
        nadi_settings_preset(g->rows, values);
        return;
    }
    for (const struct nadi_setting *o = g->rows; o->name; o++)
        if (o->preset && !keep_given((struct nadi_given *)(void *)values, o, o->preset))
            NADI_BUG("default of --%s: '%s'", o->name, o->preset);
}

bool nadi_options_any_word(const char *const *words, const char *text)
{
    const struct nadi_setting one = {.words = words};
    char word[MAX_WORD];
    uint32_t place;
    int64_t number;
    bool any = false;
    for (const char *at = text; *at && !any; at += *at == ',') {
        const size_t length = strcspn(at, ",");
        snprintf(word, sizeof(word), "%.*s", (int)length, at);
        any = length < sizeof(word) && nadi_setting_word(&one, word, &place, &number);
        at += length;
    }
    return any;
}

static void complain_no_value(struct parser *p, const struct nadi_setting *o, const char *word,
                              size_t length)
{
    struct nadi_str allowed = NADI_STR_INIT;
    nadi_setting_allowed(o, &allowed);
    complain(p, "'%.*s' needs a value: %s", (int)length, word, nadi_str_get(&allowed));
    nadi_str_release(&allowed);
}

/* --- names -------------------------------------------------------------------------------------
 */

struct found {
    const struct nadi_setting *option; /* NULL: no such option */
    void *value;                       /* a member, or the struct nadi_given */
    bool given;
    size_t index; /* among all options of the command */
};

static bool is_option(const struct nadi_setting *o, const char *name, size_t length, char letter)
{
    return letter ? o->letter == letter
                  : strlen(o->name) == length && !memcmp(o->name, name, length);
}

static struct found find_option(struct parser *p, const char *name, size_t length, char letter)
{
    size_t index = 0;
    for (const struct nadi_option_group *g = p->groups; g->heading; g++) {
        const bool given = is_of_library(g);
        for (const struct nadi_setting *o = g->rows; o->name; o++, index++)
            if (is_option(o, name, length, letter))
                return (struct found){o, p->values + g->offset + (given ? 0 : o->offset), given,
                                      index};
    }
    for (const struct nadi_setting *o = common_rows; o->name; o++, index++)
        if (is_option(o, name, length, letter))
            return (struct found){o, (char *)&p->common + o->offset, false, index};
    return (struct found){0};
}

/* What other programs, or other commands of this one, call it. */
static bool complain_other_name(struct parser *p, const char *name)
{
    static const struct {
        const char *said, *meant;
    } names[] = {
        {"html", "out"},
        {"page", "out"},
        {"output", "out"},
        {"output-dir", "out"},
        {"network", "topology"},
        {"topology", "network"},
        {"model", "network-model"},
        {"backend", "network-model"},
        {"trace", "workload"},
        {"traces", "workload"},
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (nadi_str_equal(name, names[i].said) &&
            find_option(p, names[i].meant, strlen(names[i].meant), '\0').option) {
            complain(p, "unknown option '--%s', did you mean '--%s'?", name, names[i].meant);
            return true;
        }
    return false;
}

/* A key of the plan, or how many devices there are: said as an option, although --set takes it. */
static bool complain_plan_key(struct parser *p, const char *name)
{
    static const char *const counts[] = {"gpus", "npus", "devices", "accelerators", "world-size"};
    const struct nadi_setting *ranks = find_option(p, "ranks", strlen("ranks"), '\0').option;
    const struct nadi_setting *set = find_option(p, "set", strlen("set"), '\0').option;
    bool is_count = nadi_str_equal(name, "ranks");
    for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++)
        is_count |= nadi_str_equal(name, counts[i]);
    if (is_count && ranks && ranks->type != NADI_TYPE_WORD) {
        complain(p, "unknown option '--%s', did you mean '--ranks'?", name);
        return true;
    }
    if (!set || !nadi_str_equal(set->argument, "KEYS"))
        return false;
    if (is_count) {
        complain(p,
                 "unknown option '--%s': the degrees of the plan say how many, as in "
                 "--set \"tp=8 pp=2 dp=4\"",
                 name);
        return true;
    }
    if (!nadi_schema_find(nadi_schema_of(NADI_SCHEMA_PLAN), name))
        return false;
    complain(p, "'--%s' is no option but a key of the plan: --set \"%s=...\"", name, name);
    return true;
}

static void complain_unknown(struct parser *p, const char *word, size_t length)
{
    const char *names[MAX_OPTIONS];
    size_t count = 0;
    for (const struct nadi_option_group *g = p->groups; g->heading; g++) {
        for (const struct nadi_setting *o = g->rows; o->name && count < MAX_OPTIONS; o++)
            names[count++] = o->name;
    }
    for (const struct nadi_setting *o = common_rows; o->name && count < MAX_OPTIONS; o++)
        names[count++] = o->name;
    char written[MAX_WORD];
    snprintf(written, sizeof(written), "%.*s", (int)nadi_min_u64(length, sizeof(written) - 1),
             word);
    const char *plain = written + strspn(written, "-");
    if (complain_plan_key(p, plain) || complain_other_name(p, plain))
        return;
    const char *nearest = nadi_str_nearest(plain, names, count);
    if (nearest)
        complain(p, "unknown option '%s', did you mean '--%s'?", written, nearest);
    else
        complain(p, "unknown option '%s'", written);
}

/* --- the words ---------------------------------------------------------------------------------
 */

/* `at`: the member, or, of a row that is kept in another form, the values. */
static bool set_value(const struct nadi_setting *o, const char *text, void *at)
{
    return o->put ? nadi_setting_set(o, text, at) : nadi_setting_read(o, text, at);
}

/* The texts of an option that stood before, and this one. They stay until the program ends. */
static const char *join(struct parser *p, const struct nadi_setting *o, const void *member,
                        const char *text)
{
    static char joined[MAX_JOINED];
    static size_t used;
    const char *before;
    memcpy(&before, member, sizeof(before));
    if (!before) /* it was refused */
        return text;
    const size_t room = sizeof(joined) - used,
                 wanted = strlen(before) + strlen(o->joined) + strlen(text) + sizeof("");
    if (wanted > room) {
        complain(p, "the texts of all '--%s' are too long together", o->name);
        return text;
    }
    char *whole = joined + used;
    used += (size_t)snprintf(whole, room, "%s%s%s", before, o->joined, text) + sizeof("");
    return whole;
}

/* Reads the option at arguments[i]; returns the index of the last word that it used. */
static int read_option(struct parser *p, int i, int count, char **arguments, bool *seen)
{
    const char *word = arguments[i];
    const bool is_long = word[1] == '-';
    const char *equals = is_long ? strchr(word, '=') : NULL;
    const size_t length = equals ? (size_t)(equals - word) : strlen(word);
    struct found found = {0};
    if (is_long)
        found = find_option(p, word + 2, length - 2, '\0');
    else if (length == 2)
        found = find_option(p, NULL, 0, word[1]);
    const struct nadi_setting *o = found.option;
    if (!o) {
        complain_unknown(p, word, length);
        /* Its value, if it has one, is not a word of its own. */
        return !equals && i + 1 < count && arguments[i + 1][0] != '-' ? i + 1 : i;
    }
    const bool again = seen[found.index];
    seen[found.index] = true;
    const char *value = equals ? equals + 1 : NULL;
    if (o->type == NADI_TYPE_FLAG) {
        if (value)
            complain(p, "'--%s' takes no value, found '%s'", o->name, value);
    } else if (!value) {
        if (i + 1 >= count || nadi_str_starts(arguments[i + 1], "--")) {
            complain_no_value(p, o, word, length);
            return i;
        }
        value = arguments[++i];
    }
    if (o->type == NADI_TYPE_FLAG)
        value = NULL;
    else if (again && o->joined && *value)
        value = join(p, o, found.value, value);
    const bool writes = nadi_option_writes(p->groups, o);
    const char *name = equals ? equals + 1 : arguments[i];
    if (writes)
        nadi_named_files_add_written(&p->files, o, name);
    else if (nadi_option_reads(o))
        nadi_named_files_add_read(&p->files, name);
    if (found.given ? !keep_given(found.value, o, value) : !set_value(o, value, found.value))
        complain_value(p, o, value);
    return i;
}

static void find_overwritten(struct parser *p)
{
    struct nadi_str path = NADI_STR_INIT;
    const struct nadi_named_file *by = nadi_named_files_clash(&p->files, &path);
    if (by)
        complain(p, "'--%s %s' would write over '%s', which is read", by->option->name, by->name,
                 nadi_str_get(&path));
    const struct nadi_named_file *first;
    const struct nadi_named_file *second = nadi_named_files_twice(&p->files, &first, &path);
    if (second)
        complain(p, "'--%s %s' and '--%s %s' would write the same file", first->option->name,
                 first->name, second->option->name, second->name);
    nadi_str_release(&path);
    nadi_named_files_release(&p->files);
}

static void find_missing(struct parser *p, const bool *seen)
{
    size_t index = 0;
    for (const struct nadi_option_group *g = p->groups; g->heading; g++) {
        for (const struct nadi_setting *o = g->rows; o->name; o++, index++) {
            if (o->required && !seen[index])
                complain(p, "'--%s %s' is missing", o->name, o->argument);
        }
    }
}

bool nadi_options_parse(const char *name, const struct nadi_option_group *groups, int max_words,
                        int count, char **arguments, void *values, struct nadi_words *words)
{
    struct parser p = {.command = name, .groups = groups, .values = values};
    bool seen[MAX_OPTIONS] = {false};
    nadi_named_files_init(&p.files);
    for (const struct nadi_option_group *g = groups; g->heading; g++)
        set_defaults(g, p.values + g->offset);
    int kept = 0; /* words go to the front, where all has been read */
    bool ended = false;
    for (int i = 0; i < count; i++) {
        if (!ended && nadi_str_equal(arguments[i], "--")) {
            ended = true;
        } else if (!ended && arguments[i][0] == '-' && arguments[i][1] != '\0') {
            i = read_option(&p, i, count, arguments, seen);
        } else if (arguments[i][0] == '\0') {
            complain(&p, "a word is empty: was a variable of the shell not set?");
        } else if (kept < max_words) {
            arguments[kept++] = arguments[i];
        } else {
            complain(&p, "unexpected word '%s'", arguments[i]);
        }
    }
    *words = (struct nadi_words){(const char *const *)arguments, kept};
    for (int i = 0; i < kept; i++)
        nadi_named_files_add_read(&p.files, arguments[i]);
    find_overwritten(&p);
    find_missing(&p, seen);
    nadi_stop_after(p.common.max_wall_ns);
    if (p.failed)
        fprintf(stderr, "`nadi help %s` shows the options\n", name);
    return !p.failed;
}

bool nadi_words_wanted(const char *name, const struct nadi_words *words, int least,
                       const char *what)
{
    if (words->count >= least)
        return true;
    fprintf(stderr, "nadi %s: error: name %s\n`nadi help %s` shows the options\n", name, what,
            name);
    return false;
}
