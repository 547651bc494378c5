#include "settings/schema_scalar.h"

#include "base/str.h"
#include "format/number.h"

#include <math.h>

/* 'npus_count[1]' */
static const char *name_of(const struct nadi_schema_place *p, char buffer[96])
{
    if (p->index < 0)
        snprintf(buffer, 96, "'%s'", p->key->name);
    else
        snprintf(buffer, 96, "'%s[%" PRId64 "]'", p->key->name, p->index);
    return buffer;
}

static bool fail(const struct nadi_schema_place *p, struct nadi_diags *diags, const char *code,
                 const char *hint, const char *wanted)
{
    char name[96], found[96];
    return nadi_error(diags, code, nadi_doc_place(p->doc, p->node), hint, "%s must be %s, found %s",
                      name_of(p, name), wanted, nadi_doc_describe(p->doc, p->node, found));
}

static const char *wanted_number(const struct nadi_setting *key, char buffer[128])
{
    const char *base = key->type == NADI_TYPE_INTEGER ? "a whole number" : "a number";
    if (key->dimension != NADI_DIMENSION_NONE)
        snprintf(buffer, 128, "%s (of %s) or a text with a unit", base, key->unit);
    else
        snprintf(buffer, 128, "%s", base);
    return buffer;
}

static bool starts_like_number(const char *text)
{
    if (*text == '+' || *text == '-')
        text++;
    return (*text >= '0' && *text <= '9') || *text == '.';
}

/* A text for a number: it must carry a unit, or be a quoted number in YAML, whose reader in the
 * reference does not look at quotes. On true *in_unit is in the key's unit, *base in base units. */
static bool number_from_text(const struct nadi_schema_place *p, double *in_unit, double *base,
                             struct nadi_diags *diags)
{
    const struct nadi_setting *key = p->key;
    struct nadi_setting_number n;
    char wanted[128], hint[160];
    if (nadi_doc_two_ways(p->doc, p->node))
        return fail(p, diags, "schema/type", "write the number that is meant in plain digits",
                    wanted_number(key, wanted));
    const bool parsed =
        starts_like_number(p->node->text) && nadi_setting_number(key, p->node->text, &n);
    if (parsed && (n.has_unit || p->doc->syntax == NADI_DOC_YAML)) {
        *base = n.base;
        *in_unit = n.in_unit;
        return true;
    }
    if (parsed)
        return fail(p, diags, "schema/type", "write it without quotes", wanted_number(key, wanted));
    if (key->dimension == NADI_DIMENSION_NONE)
        return fail(p, diags, "schema/type", NULL, wanted_number(key, wanted));
    snprintf(hint, sizeof(hint), "units are %s", nadi_units_list(key->dimension));
    return fail(p, diags, starts_like_number(p->node->text) ? "schema/unit" : "schema/type", hint,
                wanted_number(key, wanted));
}

static bool number_from_scalar(const struct nadi_schema_place *p, double *in_unit, double *base,
                               struct nadi_diags *diags)
{
    char wanted[128], name[96];
    bool json = p->doc->syntax == NADI_DOC_JSON;
    switch (nadi_doc_classify(p->doc, p->node, in_unit)) {
    case NADI_DOC_TEXT:
        return number_from_text(p, in_unit, base, diags);
    case NADI_DOC_BOOL:
        if (!json)
            return fail(p, diags, "schema/type", NULL, wanted_number(p->key, wanted));
        nadi_warning(diags, "schema/bool-as-number", nadi_doc_place(p->doc, p->node),
                     "write a number", "%s counts as %s", p->node->text,
                     p->node->text[0] == 't' ? "1" : "0");
        break;
    case NADI_DOC_REAL:
        if (!json && p->key->type == NADI_TYPE_INTEGER)
            return fail(p, diags, "schema/type", "write it without a fraction or an exponent",
                        wanted_number(p->key, wanted));
        break;
    case NADI_DOC_INTEGER:
        break;
    case NADI_DOC_NULL:
    case NADI_DOC_SCALAR_NONE:
        return fail(p, diags, "schema/type", NULL, wanted_number(p->key, wanted));
    }
    *base = *in_unit * nadi_setting_factor(p->key);
    if (isnan(*in_unit))
        return nadi_error(diags, "schema/range", nadi_doc_place(p->doc, p->node), NULL,
                          "%s is not a number", name_of(p, name));
    return true;
}

static bool check_range(const struct nadi_schema_place *p, double value, struct nadi_diags *diags)
{
    const enum nadi_bound bound = nadi_setting_bound(p->key, value);
    if (bound == NADI_BOUND_WITHIN)
        return true;
    struct nadi_str s = NADI_STR_INIT;
    char name[96], found[96];
    nadi_setting_bound_text(p->key, bound, &s);
    nadi_error(diags, "schema/range", nadi_doc_place(p->doc, p->node), p->key->beyond,
               "%s must be %s, found %s", name_of(p, name), nadi_str_get(&s),
               nadi_doc_describe(p->doc, p->node, found));
    nadi_str_release(&s);
    return false;
}

static bool check_number(const struct nadi_schema_place *p, struct nadi_schema_scalar *out,
                         struct nadi_diags *diags)
{
    double in_unit = 0;
    if (!number_from_scalar(p, &in_unit, &out->number, diags) || !check_range(p, in_unit, diags))
        return false;
    if (p->key->type != NADI_TYPE_INTEGER || nadi_doc_integer(p->doc, p->node, &out->integer))
        return true;
    if (!(fabs(in_unit) < 0x1p63))
        return fail(p, diags, "schema/range", NULL, "a whole number of 64 bits");
    /* A value that came through a unit may miss a whole number by rounding only. */
    double nearest = round(in_unit);
    double whole = fabs(in_unit - nearest) < 1e-9 * fabs(nearest) ? nearest : trunc(in_unit);
    out->integer = (int64_t)whole;
    if (whole < in_unit && fabs(in_unit - nearest) >= 1e-9 * fabs(nearest)) {
        char name[96];
        nadi_warning(diags, "schema/cut", nadi_doc_place(p->doc, p->node), "write a whole number",
                     "%s is cut to %" PRId64 "%s%s: it takes whole numbers", name_of(p, name),
                     out->integer, p->key->unit ? " " : "", p->key->unit ? p->key->unit : "");
    }
    return true;
}

static bool is_number(enum nadi_doc_scalar kind)
{
    return kind == NADI_DOC_INTEGER || kind == NADI_DOC_REAL;
}

/* The reference compares the value with the number 0, so that false is not off. */
static bool check_flag(const struct nadi_schema_place *p, struct nadi_schema_scalar *out,
                       struct nadi_diags *diags)
{
    double number = 0;
    enum nadi_doc_scalar kind = nadi_doc_classify(p->doc, p->node, &number);
    bool zero = !(number < 0) && !(number > 0);
    out->integer = !(is_number(kind) && zero);
    if (is_number(kind) || (kind == NADI_DOC_BOOL && !zero))
        return true;
    if (p->doc->syntax == NADI_DOC_YAML) /* which the reference does not read */
        return fail(p, diags, "schema/flag", NULL, "0 to be off or 1 to be on");
    char found[96];
    nadi_warning(diags, "schema/flag", nadi_doc_place(p->doc, p->node),
                 "write 0 to turn it off, 1 to turn it on",
                 "'%s' is %s, which turns it ON: as in the reference, only the number 0 turns it "
                 "off",
                 p->key->name, nadi_doc_describe(p->doc, p->node, found));
    return true;
}

static bool check_switch(const struct nadi_schema_place *p, struct nadi_schema_scalar *out,
                         struct nadi_diags *diags)
{
    double number = 0;
    enum nadi_doc_scalar kind = nadi_doc_classify(p->doc, p->node, &number);
    if (!is_number(kind) && kind != NADI_DOC_BOOL)
        return fail(p, diags, "schema/type", NULL, "0 or 1");
    bool one = trunc(number) >= 1 && trunc(number) <= 1;
    bool zero = number >= 0 && number <= 0;
    out->integer = one;
    if (!one && !zero) {
        char found[96];
        nadi_warning(diags, "schema/switch", nadi_doc_place(p->doc, p->node), "write 0 or 1",
                     "'%s' is %s, which turns it off: only 1 turns it on", p->key->name,
                     nadi_doc_describe(p->doc, p->node, found));
    }
    return true;
}

static bool check_text(const struct nadi_schema_place *p, struct nadi_schema_scalar *out,
                       struct nadi_diags *diags)
{
    enum nadi_doc_scalar kind = nadi_doc_classify(p->doc, p->node, NULL);
    bool ok = kind == NADI_DOC_TEXT ||
              (p->doc->syntax == NADI_DOC_YAML && (is_number(kind) || kind == NADI_DOC_BOOL));
    if (!ok)
        return fail(p, diags, "schema/type", NULL, "a text");
    if (p->node->text[0] == '\0')
        return fail(p, diags, "schema/type", NULL, "a text that is not empty");
    out->text = p->node->text;
    return true;
}

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

/* "direct-1", "direct8x": a word of the key that takes a number, and something else behind it. */
static bool refuse_number(const struct nadi_schema_place *p, struct nadi_diags *diags)
{
    const char *text = p->node->kind == NADI_DOC_SCALAR ? p->node->text : "";
    const size_t letters = strspn(text, LETTERS);
    char name[96];
    for (size_t i = 0; p->key->words[i]; i++)
        if (nadi_str_ends(p->key->words[i], "[N]") && text[letters] &&
            nadi_setting_stem_length(p->key->words[i]) == letters &&
            strncmp(p->key->words[i], text, letters) == 0) {
            nadi_error(diags, "schema/word", nadi_doc_place(p->doc, p->node),
                       "a number behind the word has at most 5 digits and nothing after it",
                       "%s: what follows '%.*s' in '%.60s' is no number", name_of(p, name),
                       (int)letters, text, text);
            return true;
        }
    return false;
}

static bool refuse_word(const struct nadi_schema_place *p, struct nadi_diags *diags)
{
    if (refuse_number(p, diags))
        return false;
    struct nadi_str allowed = NADI_STR_INIT, hint = NADI_STR_INIT;
    char name[96], found[96];
    nadi_setting_words_text(p->key, ", ", &allowed);
    const char *near =
        p->node->kind == NADI_DOC_SCALAR ? nadi_setting_nearest_word(p->key, p->node->text) : NULL;
    if (near)
        nadi_str_printf(&hint, "did you mean '%.*s'?", (int)nadi_setting_stem_length(near), near);
    nadi_error(diags, "schema/word", nadi_doc_place(p->doc, p->node),
               near ? nadi_str_get(&hint) : NULL, "%s must be one of %s; found %s",
               name_of(p, name), nadi_str_get(&allowed), nadi_doc_describe(p->doc, p->node, found));
    nadi_str_release(&allowed);
    nadi_str_release(&hint);
    return false;
}

static bool check_word(const struct nadi_schema_place *p, struct nadi_schema_scalar *out,
                       struct nadi_diags *diags)
{
    if (nadi_doc_classify(p->doc, p->node, NULL) != NADI_DOC_TEXT)
        return refuse_word(p, diags);
    out->text = p->node->text;
    if (!nadi_setting_word(p->key, out->text, &out->word, &out->integer))
        return refuse_word(p, diags);
    char name[96];
    if (out->integer == 0 && nadi_str_ends(p->key->words[out->word], "[N]") &&
        strcspn(out->text, "0123456789") != strlen(out->text))
        return nadi_error(diags, "schema/range", nadi_doc_place(p->doc, p->node),
                          "leave the number out for no limit",
                          "%s: with 0 messages in flight nothing would ever be sent",
                          name_of(p, name));
    return true;
}

static bool check_map(const struct nadi_schema_place *p, struct nadi_schema_scalar *out,
                      struct nadi_diags *diags)
{
    char name[96], found[96];
    (void)out;
    if (p->node->kind == NADI_DOC_MAP)
        return true;
    return nadi_error(diags, "schema/map", nadi_doc_place(p->doc, p->node), NULL,
                      "%s must be a map of keys and values, found %s", name_of(p, name),
                      nadi_doc_describe(p->doc, p->node, found));
}

static bool check_pairs(const struct nadi_schema_place *p, struct nadi_schema_scalar *out,
                        struct nadi_diags *diags)
{
    char name[96], found[96];
    bool ok = p->node->kind == NADI_DOC_LIST;
    (void)out;
    for (const struct nadi_doc_node *n = ok ? p->node->first : NULL; n && ok; n = n->next)
        ok = n->kind == NADI_DOC_LIST && n->count == 2 && n->first->kind == NADI_DOC_SCALAR &&
             n->first->next->kind == NADI_DOC_SCALAR;
    return ok || nadi_error(diags, "schema/pairs", nadi_doc_place(p->doc, p->node), NULL,
                            "%s must be a list of pairs, [[value, value], ...], found %s",
                            name_of(p, name), nadi_doc_describe(p->doc, p->node, found));
}

static bool (*const checks[NADI_TYPES])(const struct nadi_schema_place *p,
                                        struct nadi_schema_scalar *out,
                                        struct nadi_diags *diags) = {
    [NADI_TYPE_INTEGER] = check_number, [NADI_TYPE_NUMBER] = check_number,
    [NADI_TYPE_FLAG] = check_flag,      [NADI_TYPE_SWITCH] = check_switch,
    [NADI_TYPE_TEXT] = check_text,      [NADI_TYPE_WORD] = check_word,
    [NADI_TYPE_MAP] = check_map,        [NADI_TYPE_PAIRS] = check_pairs,
};

bool nadi_schema_check_scalar(const struct nadi_schema_place *p, struct nadi_schema_scalar *out,
                              struct nadi_diags *diags)
{
    *out = (struct nadi_schema_scalar){.node = p->node};
    if (!checks[p->key->type])
        NADI_BUG("key %s has no type", p->key->name);
    return checks[p->key->type](p, out, diags);
}

void nadi_schema_preset(const struct nadi_setting *key, struct nadi_schema_scalar *out)
{
    *out = (struct nadi_schema_scalar){.text = key->preset};
    if (key->type == NADI_TYPE_TEXT)
        return;
    if (key->type == NADI_TYPE_WORD) {
        if (!nadi_setting_word(key, key->preset, &out->word, &out->integer))
            NADI_BUG("default of %s is none of its words", key->name);
        return;
    }
    double in_unit;
    if (!nadi_str_to_double(key->preset, &in_unit))
        NADI_BUG("default of %s is not a number", key->name);
    out->number = in_unit * nadi_setting_factor(key);
    out->integer = (int64_t)in_unit;
}
