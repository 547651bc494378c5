#include "calibrate/training_names.h"

#include <ctype.h>
#include <math.h>

#include "base/str.h"
#include "format/doc.h"
#include "format/embedded.h"

enum { WORDS = 12, LETTERS = 24 };

struct parsed { /* a model's name */
    char words[WORDS][LETTERS];
    uint32_t word_count;
    char version[LETTERS]; /* "3.1"; "": none */
    double size;           /* parameters; 0: not said */
};

struct candidate {
    const char *id;
    struct parsed name;
    double published; /* parameters; 0: not said */
};

struct machine {
    const char *id, *name;
};

struct nadi_training_names {
    struct candidate *models;
    uint32_t model_count;
    struct machine *machines;
    uint32_t machine_count;
};

/* ---- models -------------------------------------------------------------------------------- */

/* Not part of a model's name: precisions, frameworks, kinds of work. */
static bool is_noise(const char *word)
{
    static const char *const noise[] = {
        "bf",    "fp",     "nvfp", "mxfp",     "tf",          "mx",       "cs",      "dev",
        "model", "base",   "hf",   "instruct", "pretraining", "pretrain", "maxtext", "paxml",
        "proxy", "dense",  "moe",  "training", "amp",         "the",      "chat",    "v",
        "meta",  "nvidia", "b",    "llm",      "strong",      "weak",     "scaling"};
    for (size_t i = 0; i < sizeof(noise) / sizeof(noise[0]); i++)
        if (strcmp(word, noise[i]) == 0)
            return true;
    return false;
}

static double unit_of(char letter)
{
    return letter == 'k' ? 1e3 : letter == 'm' ? 1e6 : letter == 'b' ? 1e9 : 1e12;
}

static void add_word(struct parsed *p, const char *at, size_t length)
{
    char word[LETTERS];
    snprintf(word, sizeof(word), "%.*s", (int)length, at);
    if (!is_noise(word) && p->word_count < WORDS)
        memcpy(p->words[p->word_count++], word, sizeof(word));
}

/* "24.09" is a release of software. */
static bool is_release(const char *at, size_t length)
{
    return length == 5 && at[2] == '.' && at[0] >= '2' && at[0] <= '3';
}

/* Digits at `at`, within a part that ends at `end`; returns what follows. Behind the letters of a
 * precision they belong to these. */
static const char *take_number(struct parsed *p, const char *part, const char *at, const char *end)
{
    size_t length = 0;
    while (at + length < end && (isdigit((unsigned char)at[length]) || at[length] == '.'))
        length++;
    const char *behind = at + length;
    const bool sized = behind + 1 == end && strchr("kmbt", *behind);
    double value = 0;
    if (nadi_str_take_double(at, &value) && sized) {
        const bool activated = at == part + 1 && *part == 'a';
        if (activated)
            p->word_count -= p->word_count > 0 && strcmp(p->words[p->word_count - 1], "a") == 0;
        else if (!(p->size > 0))
            p->size = value * unit_of(*behind);
        return end;
    }
    static const char *const precisions[] = {"bf", "fp", "nvfp", "mxfp", "tf"};
    for (size_t i = 0; i < sizeof(precisions) / sizeof(precisions[0]); i++) {
        const size_t n = strlen(precisions[i]);
        if ((size_t)(at - part) == n && strncmp(part, precisions[i], n) == 0)
            return behind;
    }
    if (behind < end && *behind == 'x') { /* 8x7b is one word */
        add_word(p, at, (size_t)(end - at));
        return end;
    }
    if (!p->version[0] && !is_release(at, length))
        snprintf(p->version, sizeof(p->version), "%.*s", (int)length, at);
    return behind;
}

/* "h100" of the device h100-sxm. */
static bool is_device(const char *part, size_t length)
{
    for (const struct nadi_embedded *e = nadi_embedded_files; e->name; e++)
        if (strcmp(e->folder, "devices") == 0 && strncmp(e->name, part, length) == 0 &&
            (e->name[length] == '\0' || e->name[length] == '-'))
            return true;
    return false;
}

/* Up to a bracket: what stands in it are degrees. */
static struct parsed parse(const char *text)
{
    struct parsed p = {.word_count = 0};
    char lower[160];
    size_t n = 0;
    for (; text[n] && text[n] != '(' && n + 1 < sizeof(lower); n++)
        lower[n] = (char)tolower((unsigned char)text[n]);
    lower[n] = '\0';
    for (const char *at = lower; *at;) {
        size_t length = 0;
        while (isalnum((unsigned char)at[length]) ||
               (length > 0 && at[length] == '.' && isdigit((unsigned char)at[length + 1])))
            length++;
        const char *const part = at, *const end = at + length;
        if (length > 0 && is_device(part, length))
            at = end;
        while (at < end) {
            if (isdigit((unsigned char)*at)) {
                at = take_number(&p, part, at, end);
                continue;
            }
            size_t letters = 0;
            while (at + letters < end && !isdigit((unsigned char)at[letters]))
                letters++;
            add_word(&p, at, letters);
            at += letters;
        }
        at = end + (*end != '\0');
    }
    return p;
}

static bool has_word(const struct parsed *p, const char *word)
{
    for (uint32_t i = 0; i < p->word_count; i++)
        if (strcmp(p->words[i], word) == 0)
            return true;
    return false;
}

static bool all_words(const struct parsed *a, const struct parsed *b)
{
    for (uint32_t i = 0; i < a->word_count; i++)
        if (!has_word(b, a->words[i]))
            return false;
    return true;
}

/* "3" begins "3.1", not "30". */
static bool begins(const char *version, const char *longer)
{
    const size_t n = strlen(version);
    return strncmp(version, longer, n) == 0 && (longer[n] == '\0' || longer[n] == '.');
}

static bool near(double a, double b, double share)
{
    return fabs(a - b) <= share * fmax(a, b);
}

/* 0: another model; 1: what the row says fits, but it leaves something out; 2: fits. */
static int fits(const struct candidate *c, const struct parsed *row)
{
    const struct parsed *name = &c->name;
    if (!name->word_count || !all_words(name, row) || !all_words(row, name))
        return 0;
    const bool versions = name->version[0] && row->version[0];
    if ((versions && !begins(name->version, row->version)) ||
        (!name->version[0] && row->version[0]))
        return 0;
    const double size = name->size > 0 ? name->size : c->published;
    if (row->size > 0 && (!(size > 0) || !near(row->size, size, name->size > 0 ? 0.02 : 0.1)))
        return 0;
    const bool whole =
        (!name->version[0] || row->version[0]) && (!(name->size > 0) || row->size > 0);
    return whole ? 2 : 1;
}

const char *nadi_training_model(const struct nadi_training_names *names, const char *text,
                                struct nadi_arena *arena, const char **several)
{
    const struct parsed row = parse(text);
    const char *best = NULL;
    int best_fit = 0;
    struct nadi_str all = NADI_STR_INIT;
    *several = NULL;
    for (uint32_t i = 0; i < names->model_count; i++) {
        const struct candidate *c = &names->models[i];
        const int fit = fits(c, &row);
        const bool again = i > 0 && nadi_str_equal(names->models[i - 1].id, c->id) &&
                           fits(&names->models[i - 1], &row) >= fit;
        if (fit == 0 || fit < best_fit || again)
            continue;
        if (fit > best_fit)
            nadi_str_clear(&all);
        nadi_str_printf(&all, "%s%s", all.length ? ", " : "", c->id);
        best = fit == best_fit ? NULL : c->id;
        best_fit = fit;
        if (!best)
            *several = "";
        else
            *several = NULL;
    }
    if (*several)
        *several = nadi_arena_strdup(arena, nadi_str_get(&all));
    nadi_str_release(&all);
    return *several ? NULL : best;
}

/* ---- machines ------------------------------------------------------------------------------ */

/* The next word: letters, digits and dots; NULL at the end. *length: of the word. */
static const char *next_word(const char *at, size_t *length)
{
    while (*at && !isalnum((unsigned char)*at))
        at++;
    *length = 0;
    while (isalnum((unsigned char)at[*length]) || at[*length] == '.')
        ++*length;
    return *length ? at : NULL;
}

static bool holds(const char *text, const char *word, size_t length)
{
    size_t n;
    for (const char *w = next_word(text, &n); w; w = next_word(w + n, &n))
        if (n == length && strncasecmp(w, word, n) == 0)
            return true;
    return false;
}

/* Words of the name, when the text has all of them; else 0. */
static uint32_t words_held(const char *text, const char *name)
{
    uint32_t count = 0;
    size_t n;
    for (const char *w = next_word(name, &n); w; w = next_word(w + n, &n), count++)
        if (!holds(text, w, n))
            return 0;
    return count;
}

/* Another board of the same name, which the text must not be taken for. */
static bool is_other_board(const char *text, const char *name)
{
    static const char *const boards[] = {"PCIe", "NVL"};
    for (size_t i = 0; i < sizeof(boards) / sizeof(boards[0]); i++)
        if (holds(text, boards[i], strlen(boards[i])) && !holds(name, boards[i], strlen(boards[i])))
            return true;
    return false;
}

const char *nadi_training_cluster(const struct nadi_training_names *names, const char *text)
{
    const char *best = NULL;
    uint32_t most = 0;
    for (uint32_t i = 0; i < names->machine_count; i++) {
        const struct machine *m = &names->machines[i];
        const uint32_t words = strcasecmp(text, m->id) == 0 ? WORDS : words_held(text, m->name);
        if (words > most && (words == WORDS || !is_other_board(text, m->name))) {
            most = words;
            best = m->id;
        }
    }
    return best;
}

const char *nadi_training_framework(const char *text)
{
    static const struct { /* whose layers, or sharding, it runs */
        const char *name, *of;
    } others[] = {{"NeMo", "megatron-core"},
                  {"Megatron-Bridge", "megatron-core"},
                  {"MCore", "megatron-core"},
                  {"FSDP2", "torchtitan"},
                  {"FSDP", "torchtitan"}};
    const char *best = NULL;
    uint32_t most = 0;
    for (const struct nadi_embedded *e = nadi_embedded_files; e->name; e++) {
        if (strcmp(e->folder, "frameworks") != 0)
            continue;
        const uint32_t words = words_held(text, e->name);
        if (words > most)
            best = e->name;
        most = words > most ? words : most;
    }
    for (size_t i = 0; !best && i < sizeof(others) / sizeof(others[0]); i++)
        if (words_held(text, others[i].name))
            best = others[i].of;
    return best;
}

/* ---- the catalogue ------------------------------------------------------------------------- */

static void add_model(struct nadi_training_names *names, const char *id, const char *name,
                      double published)
{
    names->models[names->model_count++] =
        (struct candidate){.id = id, .name = parse(name), .published = published};
}

static void add_machine(struct nadi_training_names *names, const char *id, const char *name)
{
    names->machines[names->machine_count++] = (struct machine){id, name};
}

static void add_names(struct nadi_training_names *names, const struct nadi_embedded *e,
                      struct nadi_arena *arena)
{
    struct nadi_doc doc;
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    if (!nadi_doc_parse(&doc, e->name, e->text, e->bytes, NADI_DOC_YAML, &diags))
        NADI_BUG("description of %s", e->name);
    const struct nadi_doc_node *name = nadi_doc_find(doc.root, "name");
    const struct nadi_doc_node *also = nadi_doc_find(doc.root, "also");
    const struct nadi_doc_node *published = nadi_doc_find(doc.root, "published");
    const bool is_model = strcmp(e->folder, "models") == 0;
    double parameters = 0;
    if (published && !nadi_str_to_double(published->text, &parameters))
        parameters = 0;
    if (is_model) {
        add_model(names, e->name, e->name, parameters);
        if (name)
            add_model(names, e->name, name->text, parameters);
    } else {
        add_machine(names, e->name, e->name);
    }
    for (const struct nadi_doc_node *n = also ? also->first : NULL; n; n = n->next) {
        if (is_model)
            add_model(names, e->name, n->text, parameters);
        else
            add_machine(names, e->name, nadi_arena_strdup(arena, n->text));
    }
    nadi_doc_release(&doc);
    nadi_diags_release(&diags);
}

const struct nadi_training_names *nadi_training_names_read(struct nadi_arena *arena)
{
    enum { NAMES_OF_ONE = 8 };
    struct nadi_training_names *names = NADI_ARENA_ZNEW(arena, struct nadi_training_names, 1);
    size_t files = 0;
    while (nadi_embedded_files[files].name)
        files++;
    names->models = NADI_ARENA_ZNEW(arena, struct candidate, files * NAMES_OF_ONE);
    names->machines = NADI_ARENA_ZNEW(arena, struct machine, files * NAMES_OF_ONE);
    for (const struct nadi_embedded *e = nadi_embedded_files; e->name; e++)
        if (strcmp(e->folder, "models") == 0 || strcmp(e->folder, "clusters") == 0)
            add_names(names, e, arena);
    return names;
}
