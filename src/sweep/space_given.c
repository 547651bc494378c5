/* space_given: values in terms of those that the inputs have: "given", "0.5x", "2x". */
#include "base/mem.h"
#include "format/doc_change.h"
#include "inputs/inputs.h"
#include "model/set_words.h"
#include "platform/catalogue.h"
#include "platform/generator_words.h"
#include "sweep/space_inside.h"

#include <math.h>

static bool is_factor(const char *text, double *factor)
{
    *factor = 1;
    if (strcmp(text, "given") == 0)
        return true;
    const char *end = nadi_str_take_double(text, factor);
    return end && end > text && strcmp(end, "x") == 0 && *factor > 0 && isfinite(*factor);
}

bool nadi_space_is_relative(const struct nadi_space_variable *v, const char *text)
{
    double factor;
    return v->of && strcmp(v->of, "run") != 0 && is_factor(text, &factor);
}

/* --- the inputs ------------------------------------------------------------------------------ */

/* The only text of a word of `run`. */
static const char *word_of(const struct nadi_space *s, const char *name)
{
    const uint32_t at = nadi_space_variable_of(s, name);
    return at == NADI_NONE ? nadi_space_word_of(s, name) : s->variables[at].texts[0];
}

/* What a cluster names under a key, beside it. */
static bool open_named(struct nadi_doc *doc, struct nadi_arena *arena, const char *folder,
                       const char *cluster, const char *key, const struct nadi_doc_changes *changes,
                       struct nadi_diags *diags)
{
    struct nadi_doc first;
    if (!nadi_catalogue_doc_changed(&first, "clusters", cluster, changes, diags))
        return false;
    const struct nadi_doc_node *n = nadi_doc_at(&first, key);
    const char *name =
        n && n->kind == NADI_DOC_SCALAR ? nadi_catalogue_beside(cluster, n->text, arena) : NULL;
    nadi_doc_release(&first);
    return name && nadi_catalogue_doc_changed(doc, folder, name, changes, diags);
}

static bool open_input(const struct nadi_space *s, const char *of, struct nadi_doc *doc,
                       struct nadi_arena *arena, struct nadi_diags *diags)
{
    static const char *const of_clusters[][2] = {
        {"device", "devices"}, {"platform", "platforms"}, {"packet", "packets"}};
    const char *cluster = word_of(s, "cluster"), *path = word_of(s, of);
    struct nadi_set set;
    if (!nadi_set_split(&set, word_of(s, "set"), NULL, arena, diags))
        return false;
    for (size_t i = 0; cluster && i < sizeof(of_clusters) / sizeof(*of_clusters); i++)
        if (strcmp(of, of_clusters[i][0]) == 0)
            return open_named(doc, arena, of_clusters[i][1], cluster, of, &set.changes, diags);
    if (!path)
        return false;
    if (strcmp(of, "model") == 0 || strcmp(of, "cluster") == 0) {
        char folder[16];
        snprintf(folder, sizeof(folder), "%ss", of);
        return nadi_catalogue_doc_changed(doc, folder, path, &set.changes, diags);
    }
    if (strcmp(of, "network") == 0 && nadi_generator_is_words(path))
        return nadi_generator_text(doc, path, diags);
    return nadi_doc_read_any(doc, path, diags);
}

/* "tp=8 pp=4": the text behind KEY=, or NULL. */
static const char *in_settings(const char *settings, const char *key, struct nadi_arena *arena,
                               struct nadi_diags *diags)
{
    const size_t length = strlen(key);
    struct nadi_set_word word;
    for (const char *at = settings; at && nadi_set_next(&at, &word, diags) && word.key;)
        if (word.key_length == length && memcmp(word.key, key, length) == 0)
            return nadi_arena_strndup(arena, word.value, word.value_length);
    return NULL;
}

/* A scalar, or a list of scalars, as YAML writes it on one line; NULL: it is none. */
static const char *text_of(const struct nadi_doc_node *n, struct nadi_arena *arena)
{
    struct nadi_str out = NADI_STR_INIT;
    bool ok = n != NULL;
    if (ok && n->kind == NADI_DOC_SCALAR)
        nadi_str_add(&out, n->text ? n->text : "");
    else if (ok && n->kind == NADI_DOC_LIST) {
        for (const struct nadi_doc_node *i = n->first; ok && i; i = i->next) {
            ok = i->kind == NADI_DOC_SCALAR && i->text;
            nadi_str_printf(&out, "%s%s", i == n->first ? "[" : ", ", ok ? i->text : "");
        }
        nadi_str_add_char(&out, ']');
    } else
        ok = false;
    const char *text = ok ? nadi_arena_strdup(arena, nadi_str_get(&out)) : NULL;
    nadi_str_release(&out);
    return text;
}

/* What the inputs say; NULL: nothing. */
static const char *given_of(struct nadi_space *s, const struct nadi_space_variable *v)
{
    struct nadi_diags ignored; /* points say what is wrong with an input */
    struct nadi_arena arena;
    struct nadi_doc doc;
    nadi_diags_init(&ignored);
    nadi_arena_init(&arena);
    const char *text = strcmp(v->of, "plan") == 0
                           ? in_settings(nadi_space_word_of(s, "set"), v->path, &s->arena, &ignored)
                           : NULL;
    if (!text && open_input(s, v->of, &doc, &arena, &ignored)) {
        text = text_of(nadi_doc_at(&doc, v->path), &s->arena);
        nadi_doc_release(&doc);
    }
    nadi_arena_release(&arena);
    nadi_diags_release(&ignored);
    return text;
}

/* --- values ---------------------------------------------------------------------------------- */

/* "365GB/s" by 2: "730GB/s"; "[1us, 2us]" by 2: "[2us, 4us]". */
static bool scale(const char *text, double factor, struct nadi_str *out)
{
    for (const char *at = text; *at;) {
        double number;
        char digits[64];
        const size_t between = strspn(at, "[], ");
        nadi_str_add_bytes(out, at, between);
        at += between;
        if (!*at)
            break;
        const char *unit = nadi_str_take_double(at, &number);
        if (!unit || unit == at)
            return false;
        const size_t length = strcspn(unit, "[], ");
        snprintf(digits, sizeof(digits), "%.12g", number * factor);
        nadi_str_add(out, digits);
        nadi_str_add_bytes(out, unit, length);
        at = unit + length;
    }
    return *text != '\0';
}

/* The texts anew, by what is given; of one-at-a-time sampling the first is what is given. */
static bool take_one(struct nadi_space_reader *r, struct nadi_space_variable *v)
{
    const char *given = given_of(r->s, v);
    const char **texts = v->texts;
    const uint32_t count = v->count;
    double factor;
    bool ok = true;
    if (!given && v->setting && v->setting->preset && !strchr(v->path, '[') &&
        nadi_str_take_double(v->setting->preset, &factor) && factor > 0)
        given = v->setting->preset; /* 0 is for what follows from other keys */
    if (!given)
        given = "";
    const bool front = r->s->sampling == NADI_SAMPLING_ALONE && is_factor(texts[0], &factor) &&
                       (factor < 1 || factor > 1);
    v->count = 0;
    v->relative = false;
    for (uint32_t i = 0; ok && i < count + front; i++) {
        struct nadi_str out = NADI_STR_INIT;
        const char *text = front && i == 0 ? "given" : texts[i - front];
        if (!is_factor(text, &factor))
            nadi_str_add(&out, text);
        else if (!scale(given, factor, &out))
            ok = nadi_error(r->diags, "space/given", v->place, "write the values themselves",
                            "the inputs do not say a number for '%s' that could be multiplied",
                            v->name);
        ok = ok && nadi_space_add_value(r, v, nadi_str_get(&out), v->place);
        nadi_str_release(&out);
    }
    return ok;
}

/* --- all of them ----------------------------------------------------------------------------- */

/* Are half of it and twice it the same? */
static bool is_nothing(const char *given)
{
    struct nadi_str half = NADI_STR_INIT, twice = NADI_STR_INIT;
    const bool same = scale(given, 0.5, &half) && scale(given, 2, &twice) &&
                      strcmp(nadi_str_get(&half), nadi_str_get(&twice)) == 0;
    nadi_str_release(&half);
    nadi_str_release(&twice);
    return same;
}

/* By half and double, if the inputs say it, and more than 0. *there: they do. False with an error.
 */
static bool add_resource(struct nadi_space_reader *r, const char *name, bool *there)
{
    const struct nadi_place place = NADI_IN_FILE("--tornado");
    struct nadi_space_variable *v = nadi_space_add(r, name, false, place);
    const char *given = v ? given_of(r->s, v) : NULL;
    *there = given;
    if (given && is_nothing(given))
        nadi_note(r->diags, "space/nothing", place, "name other values of it: --vary",
                  "'%s' is %s: so are half of it and twice it, and it is left out", name, given);
    else if (given)
        return nadi_space_set_text(r, v, "given, 0.5x, 2x", place);
    r->s->variable_count -= v != NULL;
    return v != NULL;
}

/* Those of a model on a cluster, or of a workload on a network. */
static bool add_resources(struct nadi_space_reader *r)
{
    static const char *const names[2][6] = {
        {"system.peak-perf", "system.local-mem-bw", "system.endpoint-delay"},
        {"device.bf16", "device.fp8", "device.memory", "device.memory-bandwidth",
         "device.host-bandwidth", "device.launch"},
    };
    static const char *const lists[2][2] = {{"network.bandwidth", "network.latency"},
                                            {"cluster.bandwidth", "cluster.latency"}};
    const bool model = r->s->is_model;
    bool ok = true, there;
    for (uint32_t i = 0; ok && i < 6 && names[model][i]; i++)
        ok = add_resource(r, names[model][i], &there);
    for (uint32_t k = 0; ok && k < 2; k++) {
        there = true;
        for (uint32_t d = 0; ok && there && d < NADI_MAX_DIMS; d++) {
            char name[64];
            snprintf(name, sizeof(name), "%s[%u]", lists[model][k], d);
            ok = add_resource(r, name, &there);
        }
    }
    return ok;
}

bool nadi_space_take_given(struct nadi_space_reader *r)
{
    struct nadi_space *s = r->s;
    const struct nadi_space_variable *varied = NULL;
    bool ok = s->sampling != NADI_SAMPLING_ALONE || s->variable_count > 0 || add_resources(r);
    for (uint32_t i = 0; i < s->variable_count; i++) {
        const struct nadi_space_variable *v = &s->variables[i];
        if (nadi_str_equal(v->of, "run") && nadi_space_is_path(v->path) &&
            (v->form != NADI_VARIABLE_LIST || v->count != 1))
            varied = v;
    }
    for (uint32_t i = 0; ok && i < s->variable_count; i++) {
        struct nadi_space_variable *v = &s->variables[i];
        if (v->relative && varied)
            return nadi_error(r->diags, "space/given", v->place, "write the values themselves",
                              "what is given for '%s' depends on '%s', which varies", v->name,
                              varied->name);
        ok = !v->relative || take_one(r, v);
    }
    return ok;
}
