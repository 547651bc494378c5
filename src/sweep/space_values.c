/* space_values: the values of a variable: lists, ranges, expressions. */
#include "base/mem.h"
#include "sweep/space_inside.h"

#include <math.h>

enum { MOST_VALUES = 1000000, FEW_VALUES = 100, WORD = 64 };

static bool is_numeric(const struct nadi_setting *s)
{
    return s && (s->type == NADI_TYPE_INTEGER || s->type == NADI_TYPE_NUMBER);
}

/* A list's key without an index takes lists. */
static bool takes_lists(const struct nadi_space_variable *v)
{
    return v->setting && v->setting->list && !strchr(v->path, '[');
}

bool nadi_space_quantity(const struct nadi_space_variable *v, const char *text,
                         struct nadi_quantity *q)
{
    const struct nadi_setting *s = v->setting;
    struct nadi_setting_number n;
    *q = nadi_quantity_text(text);
    if (!s || takes_lists(v)) {
        const bool number = !takes_lists(v) && nadi_quantity_read(text, q);
        return number || q->text;
    }
    if (is_numeric(s)) {
        if (!nadi_setting_number(s, text, &n) ||
            nadi_setting_bound(s, n.in_unit) != NADI_BOUND_WITHIN)
            return false;
        *q = s->dimension == NADI_DIMENSION_NONE ? nadi_quantity_plain(n.in_unit)
                                                 : nadi_quantity_of(n.base, s->dimension);
        return s->type == NADI_TYPE_NUMBER || s->dimension != NADI_DIMENSION_NONE ||
               fpclassify(n.in_unit - floor(n.in_unit)) == FP_ZERO;
    }
    if (s->type == NADI_TYPE_FLAG || s->type == NADI_TYPE_SWITCH) {
        const bool on = nadi_str_equal(text, "true"), off = nadi_str_equal(text, "false");
        if (on || off)
            *q = nadi_quantity_plain(on);
        return on || off || nadi_quantity_read(text, q);
    }
    return s->type != NADI_TYPE_WORD || nadi_setting_allows(s, text);
}

static bool refuse_value(const struct nadi_space_reader *r, const struct nadi_space_variable *v,
                         const char *text, struct nadi_place place)
{
    struct nadi_str allowed = NADI_STR_INIT;
    if (v->setting)
        nadi_setting_allowed(v->setting, &allowed);
    else
        nadi_str_add(&allowed, "a number with or without a unit, or a text that does not begin "
                               "like one");
    const char *near =
        v->setting && v->setting->words ? nadi_setting_nearest_word(v->setting, text) : NULL;
    (void)nadi_error(r->diags, "space/value", place,
                     near ? nadi_arena_printf(&r->s->arena, "did you mean '%s'?", near) : NULL,
                     "'%s' takes %s, not '%s'", v->name, nadi_str_get(&allowed), text);
    nadi_str_release(&allowed);
    return false;
}

bool nadi_space_add_value(struct nadi_space_reader *r, struct nadi_space_variable *v,
                          const char *text, struct nadi_place place)
{
    struct nadi_quantity q;
    const uint32_t n = v->count;
    const bool is_path =
        r->in_file && v->of && strcmp(v->of, "run") == 0 && nadi_space_is_path(v->path);
    const char *kept =
        is_path ? nadi_space_beside(r->s, v->path, text) : nadi_arena_strdup(&r->s->arena, text);
    if (nadi_space_is_relative(v, kept)) {
        v->relative = true;
        q = nadi_quantity_text(kept);
    } else if (!nadi_space_quantity(v, kept, &q))
        return refuse_value(r, v, text, place);
    const bool listed = r->s->sampling == NADI_SAMPLING_FILE;
    for (uint32_t i = 0; !listed && i < n && n < FEW_VALUES; i++)
        if (strcmp(v->texts[i], kept) == 0)
            return nadi_error(r->diags, "space/twice", place, "each value makes a point of its own",
                              "'%s' has the value %s twice", v->name, kept);
    if (n == MOST_VALUES)
        return nadi_error(r->diags, "space/values", place, "sample a range: 0..1",
                          "'%s' has more than %d values", v->name, MOST_VALUES);
    if ((n & (n - 1)) == 0) { /* 0, 1, 2, 4, ...: in the arena, which frees all at once */
        const char **texts = NADI_ARENA_NEW(&r->s->arena, const char *, n ? 2 * (size_t)n : 1);
        struct nadi_quantity *quantities =
            NADI_ARENA_NEW(&r->s->arena, struct nadi_quantity, n ? 2 * (size_t)n : 1);
        if (n) {
            memcpy(texts, v->texts, n * sizeof(*texts));
            memcpy(quantities, v->quantities, n * sizeof(*quantities));
        }
        v->texts = texts;
        v->quantities = quantities;
    }
    v->form = NADI_VARIABLE_LIST;
    v->texts[n] = kept;
    v->quantities[v->count++] = q;
    return true;
}

/* As in YAML on one line. */
static void add_flow(const struct nadi_doc_node *node, struct nadi_str *out)
{
    if (node->kind == NADI_DOC_SCALAR) {
        nadi_str_add(out, node->text);
        return;
    }
    const bool map = node->kind == NADI_DOC_MAP;
    nadi_str_add_char(out, map ? '{' : '[');
    for (const struct nadi_doc_node *n = node->first; n; n = n->next) {
        if (map)
            nadi_str_printf(out, "%s: ", nadi_doc_key(n));
        add_flow(n, out);
        nadi_str_add(out, n->next ? ", " : "");
    }
    nadi_str_add_char(out, map ? '}' : ']');
}

bool nadi_space_set_list(struct nadi_space_reader *r, struct nadi_space_variable *v,
                         const struct nadi_doc *doc, const struct nadi_doc_node *list)
{
    bool ok = list->count > 0 || nadi_error(r->diags, "space/values", nadi_doc_place(doc, list),
                                            NULL, "'%s' has no values", v->name);
    for (const struct nadi_doc_node *n = list->first; ok && n; n = n->next) {
        struct nadi_str text = NADI_STR_INIT;
        add_flow(n, &text);
        ok = nadi_space_add_value(r, v, nadi_str_get(&text), nadi_doc_place(doc, n));
        nadi_str_release(&text);
    }
    return ok;
}

/* --- ranges ---------------------------------------------------------------------------------- */

struct part { /* a number and what stands behind it */
    double number;
    char unit[16];
};

static bool read_part(const char *text, size_t length, struct part *p)
{
    char word[WORD];
    while (length && *text == ' ') {
        text++;
        length--;
    }
    if (length >= sizeof(word))
        return false;
    snprintf(word, sizeof(word), "%.*s", (int)length, text);
    const char *unit = nadi_str_take_double(word, &p->number);
    if (!unit)
        return false;
    unit += strspn(unit, " ");
    const size_t end = strcspn(unit, " ");
    if (end >= sizeof(p->unit) || unit[end + strspn(unit + end, " ")])
        return false;
    snprintf(p->unit, sizeof(p->unit), "%.*s", (int)end, unit);
    return true;
}

static bool refuse_range(const struct nadi_space_reader *r, const char *text,
                         struct nadi_place place)
{
    return nadi_error(r->diags, "space/range", place,
                      "1..8:1 is 1, 2, ... 8; 1..64:*2 is 1, 2, 4, ... 64; 0..1 and 1..1000:log "
                      "are any value between, for sampling",
                      "'%s' is no range", text);
}

static bool add_number(struct nadi_space_reader *r, struct nadi_space_variable *v, double number,
                       const char *unit, struct nadi_place place)
{
    char text[WORD];
    snprintf(text, sizeof(text), "%.12g%s", number, unit);
    return nadi_space_add_value(r, v, text, place);
}

/* step: 0: by the factor. */
static bool fill_range(struct nadi_space_reader *r, struct nadi_space_variable *v, double low,
                       double high, double step, double factor, const char *unit,
                       struct nadi_place place)
{
    double at = low;
    for (uint32_t i = 1; at <= high + 1e-9 * fabs(high); i++) {
        if (!add_number(r, v, at, unit, place))
            return false;
        at = step > 0 ? low + i * step : low * pow(factor, i);
    }
    return true;
}

static bool set_range(struct nadi_space_reader *r, struct nadi_space_variable *v, const char *text,
                      const char *dots, struct nadi_place place)
{
    struct part low, high, step = {.number = 0};
    struct nadi_quantity q;
    const char *colon = strchr(dots, ':');
    const size_t end = colon ? (size_t)(colon - dots) - 2 : strlen(dots + 2);
    if (!read_part(text, (size_t)(dots - text), &low) || !read_part(dots + 2, end, &high))
        return refuse_range(r, text, place);
    if (!low.unit[0])
        memcpy(low.unit, high.unit, sizeof(low.unit));
    const char *rule = colon ? colon + 1 + strspn(colon + 1, " ") : "";
    const bool by_factor = *rule == '*', logarithmic = nadi_str_equal(rule, "log");
    if (colon && !logarithmic && !read_part(rule + by_factor, strlen(rule + by_factor), &step))
        return refuse_range(r, text, place);
    if (!step.unit[0] && !by_factor)
        memcpy(step.unit, high.unit, sizeof(step.unit));
    if (!nadi_str_equal(low.unit, high.unit) || (step.unit[0] && strcmp(step.unit, high.unit) != 0))
        return nadi_error(r->diags, "space/range", place, "100..2000GB/s:100",
                          "'%s': one unit is wanted for all of a range", text);
    if (!(high.number >= low.number) || ((by_factor || logarithmic) && !(low.number > 0)) ||
        (by_factor && !(step.number > 1)) ||
        (colon && !by_factor && !logarithmic && !(step.number > 0)))
        return refuse_range(r, text, place);
    if (colon && !logarithmic)
        return fill_range(r, v, low.number, high.number, by_factor ? 0 : step.number, step.number,
                          high.unit, place);
    v->form = NADI_VARIABLE_RANGE;
    v->low = low.number;
    v->high = high.number;
    v->unit = nadi_arena_strdup(&r->s->arena, high.unit);
    v->logarithmic = logarithmic;
    for (int i = 0; i < 2; i++) { /* does the setting take both ends? */
        char word[WORD];
        snprintf(word, sizeof(word), "%.12g%s", i ? v->high : v->low, v->unit);
        if (!nadi_space_quantity(v, word, &q))
            return refuse_value(r, v, word, place);
    }
    return true;
}

/* --- texts ----------------------------------------------------------------------------------- */

/* The comma that ends the first value: not within brackets or quotes. */
static size_t value_length(const char *text)
{
    int depth = 0;
    char quote = 0;
    size_t i = 0;
    for (; text[i] && (depth > 0 || quote || text[i] != ','); i++) {
        if (quote)
            quote = text[i] == quote ? 0 : quote;
        else if (text[i] == '\'' || text[i] == '"')
            quote = text[i];
        else
            depth += (strchr("([{", text[i]) != NULL) - (strchr(")]}", text[i]) != NULL);
    }
    return i;
}

static bool set_values(struct nadi_space_reader *r, struct nadi_space_variable *v, const char *text,
                       struct nadi_place place)
{
    while (*text) {
        const size_t length = value_length(text);
        const char *one = nadi_arena_strndup(&r->s->arena, text, length);
        if (!nadi_space_add_value(r, v, one + strspn(one, " "), place))
            return false;
        text += length + (text[length] == ',');
    }
    return true;
}

bool nadi_space_set_text(struct nadi_space_reader *r, struct nadi_space_variable *v,
                         const char *text, struct nadi_place place)
{
    const struct nadi_setting *s = v->setting;
    struct nadi_quantity q;
    const char *dots = strstr(text, "..");
    const bool wordy =
        s && !takes_lists(v) && (s->type == NADI_TYPE_WORD || s->type == NADI_TYPE_TEXT);
    if (takes_lists(v) || text[value_length(text)] == ',')
        return set_values(r, v, text, place);
    if (s && s->type == NADI_TYPE_TEXT)
        return nadi_space_add_value(r, v, text, place);
    if (dots && !strpbrk(text, "'\"(") && (!wordy))
        return set_range(r, v, text, dots, place);
    if (nadi_space_is_relative(v, text) || nadi_quantity_read(text, &q) ||
        (wordy && nadi_space_quantity(v, text, &q)))
        return nadi_space_add_value(r, v, text, place);
    v->form = NADI_VARIABLE_EXPRESSION;
    const size_t index = (size_t)(v - r->s->variables);
    r->pending[index].text = nadi_arena_strdup(&r->s->arena, text);
    r->pending[index].place = place;
    r->pending[index].place.file = nadi_arena_strdup(&r->s->arena, place.file);
    return true;
}
