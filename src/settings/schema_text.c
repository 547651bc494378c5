/* schema_text: the tables as text: values for the echo, `nadi explain`, reference pages. */
#include "base/file.h"
#include "base/str.h"
#include "format/embedded.h"
#include "format/json_write.h"
#include "format/number.h"
#include "settings/schema.h"
#include "settings/schema_scalar.h"

/* As in YAML on one line. */
static void add_node(const struct nadi_doc_node *node, struct nadi_str *out)
{
    if (node->kind == NADI_DOC_SCALAR) {
        nadi_str_add(out, node->text);
        return;
    }
    bool map = node->kind == NADI_DOC_MAP;
    nadi_str_add_char(out, map ? '{' : '[');
    for (const struct nadi_doc_node *n = node->first; n; n = n->next) {
        if (map)
            nadi_str_printf(out, "%s: ", nadi_doc_key(n));
        add_node(n, out);
        nadi_str_add(out, n->next ? ", " : "");
    }
    nadi_str_add_char(out, map ? '}' : ']');
}

static void add_number(const struct nadi_setting *key, double value, struct nadi_str *out)
{
    nadi_number_add_double(out, value);
    if (key->dimension != NADI_DIMENSION_NONE)
        nadi_str_printf(out, " %s", nadi_setting_base_unit(key));
    else if (key->type == NADI_TYPE_NUMBER && key->unit)
        nadi_str_printf(out, " %s", key->unit);
}

static void add_scalar(const struct nadi_setting *key, const struct nadi_schema_scalar *s,
                       struct nadi_str *out)
{
    if (key->type == NADI_TYPE_INTEGER)
        add_number(key, (double)s->integer * nadi_setting_factor(key), out);
    else if (key->type == NADI_TYPE_NUMBER)
        add_number(key, s->number, out);
    else if (key->type == NADI_TYPE_FLAG || key->type == NADI_TYPE_SWITCH)
        nadi_str_add(out, s->integer ? "on" : "off");
    else if (key->type == NADI_TYPE_MAP || key->type == NADI_TYPE_PAIRS)
        add_node(s->node, out);
    else
        nadi_str_add(out, s->text);
}

void nadi_schema_value_text(const struct nadi_schema_value *value, struct nadi_str *out)
{
    if (value->count == 0 && (!value->key->list || !value->node)) {
        nadi_str_add(out, "none");
        return;
    }
    if (!value->key->list) {
        add_scalar(value->key, &value->items[0], out);
        return;
    }
    nadi_str_add_char(out, '[');
    for (uint32_t i = 0; i < value->count; i++) {
        nadi_str_add(out, i ? ", " : "");
        add_scalar(value->key, &value->items[i], out);
    }
    nadi_str_add_char(out, ']');
}

void nadi_schema_origin(const struct nadi_schema_values *values,
                        const struct nadi_schema_value *value, struct nadi_str *out)
{
    if (!value->node) {
        nadi_str_add(out, "default");
        return;
    }
    nadi_str_printf(out, "%s:%u", nadi_file_name(values->doc->path),
                    nadi_doc_key_place(values->doc, value->node).line);
}

static void add_default(const struct nadi_setting *key, struct nadi_str *out)
{
    if (key->required)
        nadi_str_add(out, "required");
    else if (key->preset)
        nadi_str_printf(out, "%s%s%s", key->preset, key->unit ? " " : "",
                        key->unit ? key->unit : "");
    else
        nadi_str_add(out, "none");
    if (!key->required && key->absent)
        nadi_str_printf(out, " (%s)", key->absent);
}

void nadi_explain_setting(const struct nadi_setting *key, const char *where, struct nadi_str *out)
{
    nadi_str_printf(out, "%s   [%s]\n", key->name, where);
    if (key->effect == NADI_EFFECT_LEGACY) {
        nadi_str_printf(out, "  Of the ASTRA-sim 1.x format and not read; write '%s' instead.\n",
                        key->doc);
        return;
    }
    nadi_str_printf(out, "  %s\n", key->doc);
    if (key->effect == NADI_EFFECT_NONE) {
        nadi_str_add(out, "  Accepted for compatibility; has no effect.\n");
        return;
    }
    nadi_str_printf(out, "  type      %s\n", nadi_setting_type_name(key));
    if (key->unit)
        nadi_str_printf(out, "  unit      a bare number counts %s\n", key->unit);
    if (key->dimension != NADI_DIMENSION_NONE)
        nadi_str_printf(out, "            with a unit: %s\n", nadi_units_list(key->dimension));
    if (key->words) {
        nadi_str_add(out, "  allowed   ");
        nadi_setting_words_text(key, ", ", out);
        nadi_str_add_char(out, '\n');
    }
    if (key->max > 0) {
        nadi_str_add(out, "  range     ");
        nadi_setting_range_text(key, out);
        nadi_str_add_char(out, '\n');
    }
    nadi_str_add(out, "  default   ");
    add_default(key, out);
    nadi_str_add_char(out, '\n');
}

static void add_first_sentence(const char *doc, struct nadi_str *out)
{
    const char *end = strstr(doc, ". ");
    size_t length = end ? (size_t)(end - doc) + 1 : strlen(doc);
    nadi_str_add_bytes(out, doc, length);
}

/* Of all tables: those of files, then `more`; NULL past the last. */
static const struct nadi_schema *table(const struct nadi_schema *const *more, size_t index)
{
    if (index < NADI_SCHEMA_KINDS)
        return nadi_schema_of((enum nadi_schema_kind)index);
    return more ? more[index - NADI_SCHEMA_KINDS] : NULL;
}

static void explain_all(const struct nadi_schema *const *more, struct nadi_str *out)
{
    const struct nadi_schema *schema;
    for (size_t k = 0; (schema = table(more, k)) != NULL; k++) {
        nadi_str_printf(out, "%s%s (%s)\n", k ? "\n" : "", schema->title, schema->option);
        for (size_t i = 0; i < schema->count; i++) {
            if (schema->keys[i].effect == NADI_EFFECT_LEGACY)
                continue;
            nadi_str_printf(out, "  %-36s ", schema->keys[i].name);
            add_first_sentence(schema->keys[i].doc, out);
            nadi_str_add_char(out, '\n');
        }
    }
    nadi_str_add(out, "\nnadi explain KEY says more about one key.\n");
}

/* The key that was probably meant; NULL: none is near. */
static const char *nearest_key(const struct nadi_schema *const *more, const char *key)
{
    enum { MANY = 512 };
    const char *names[MANY];
    size_t count = 0;
    const struct nadi_schema *schema;
    for (size_t k = 0; (schema = table(more, k)) != NULL; k++) {
        for (size_t i = 0; i < schema->count && count < MANY; i++)
            names[count++] = schema->keys[i].name;
    }
    return nadi_str_nearest(key, names, count);
}

static const char *const folders[] = {"models", "devices", "clusters", "platforms"};

/* Where else the word is one: a value of a key, the name of a description. */
static bool add_places_of(const char *word, struct nadi_str *out)
{
    size_t found = 0;
    for (int k = 0; k < NADI_SCHEMA_KINDS; k++) {
        const struct nadi_schema *schema = nadi_schema_of((enum nadi_schema_kind)k);
        for (size_t i = 0; i < schema->count; i++)
            for (const char *const *w = schema->keys[i].words; w && *w; w++)
                if (strcmp(*w, word) == 0)
                    nadi_str_printf(out, "%s of `%s` in the %s", found++ ? "," : "; it is a value",
                                    schema->keys[i].name, schema->title);
    }
    for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++)
        if (nadi_embedded_find(folders[i], word))
            nadi_str_printf(out, "%s a %.*s of `nadi model list`", found++ ? ", and" : "; it is",
                            (int)strlen(folders[i]) - 1, folders[i]);
    return found > 0;
}

bool nadi_explain(const struct nadi_schema *const *more, const char *key, struct nadi_str *out)
{
    const struct nadi_schema *schema;
    struct nadi_str where = NADI_STR_INIT;
    size_t found = 0;
    if (!key) {
        explain_all(more, out);
        return true;
    }
    for (size_t k = 0; (schema = table(more, k)) != NULL; k++) {
        const struct nadi_setting *entry = nadi_schema_find(schema, key);
        if (entry) {
            nadi_str_add(out, found++ ? "\n" : "");
            nadi_str_clear(&where);
            nadi_str_printf(&where, "%s, %s", schema->title, schema->option);
            nadi_explain_setting(entry, nadi_str_get(&where), out);
        }
    }
    nadi_str_release(&where);
    if (found)
        return true;
    const char *near = nearest_key(more, key);
    nadi_str_printf(out, "no input file has a key '%s'", key);
    if (add_places_of(key, out))
        near = NULL;
    if (near)
        nadi_str_printf(out, "; did you mean '%s'?", near);
    nadi_str_add_char(out, '\n');
    return false;
}

/* ---- as JSON ------------------------------------------------------------------------------- */

static void json_text(struct nadi_json *j, const char *name, const struct nadi_setting *key,
                      void (*add)(const struct nadi_setting *, struct nadi_str *))
{
    struct nadi_str text = NADI_STR_INIT;
    add(key, &text);
    nadi_json_string(j, name, text.length ? nadi_str_get(&text) : NULL);
    nadi_str_release(&text);
}

static void json_key(struct nadi_json *j, const struct nadi_schema *schema,
                     const struct nadi_setting *key)
{
    static const char *const effects[] = {
        [NADI_EFFECT_USED] = "used",
        [NADI_EFFECT_NONE] = "none",
        [NADI_EFFECT_LEGACY] = "not read",
    };
    nadi_json_object(j, NULL);
    nadi_json_string(j, "key", key->name);
    nadi_json_string(j, "file", schema->title);
    nadi_json_string(j, "option", schema->option);
    nadi_json_string(j, "effect", effects[key->effect]);
    nadi_json_string(j, "meaning", key->doc);
    if (key->effect == NADI_EFFECT_USED) {
        nadi_json_string(j, "type", nadi_setting_type_name(key));
        nadi_json_string(j, "unit", key->unit);
        nadi_json_row_array(j, "allowed");
        for (size_t i = 0; key->words && key->words[i]; i++)
            nadi_json_string(j, NULL, key->words[i]);
        nadi_json_close(j);
        json_text(j, "range", key, nadi_setting_range_text);
        nadi_json_bool(j, "required", key->required);
        nadi_json_string(j, "default", key->preset);
        nadi_json_string(j, "when_absent", key->absent);
    }
    nadi_json_close(j);
}

bool nadi_explain_as_json(const struct nadi_schema *const *more, const char *key,
                          struct nadi_str *out)
{
    const struct nadi_schema *schema;
    struct nadi_json j;
    size_t found = 0;
    nadi_json_begin(&j, out);
    nadi_json_object(&j, NULL);
    nadi_json_string(&j, "schema", "nadi-explain/1");
    nadi_json_array(&j, "keys");
    for (size_t k = 0; (schema = table(more, k)) != NULL; k++) {
        const struct nadi_setting *only = key ? nadi_schema_find(schema, key) : NULL;
        for (size_t i = 0; i < schema->count; i++) {
            if (key && &schema->keys[i] != only)
                continue;
            json_key(&j, schema, &schema->keys[i]);
            found++;
        }
    }
    nadi_json_close(&j);
    if (found == 0)
        nadi_json_string(&j, "did_you_mean", nearest_key(more, key));
    nadi_json_close(&j);
    nadi_json_finish(&j);
    return found > 0;
}

/* ---- reference pages ----------------------------------------------------------------------- */

static void add_cell(const char *text, struct nadi_str *out)
{
    for (; *text; text++) {
        if (*text == '|' || *text == '*')
            nadi_str_add_char(out, '\\');
        if (*text == '<' || *text == '>')
            nadi_str_add(out, *text == '<' ? "&lt;" : "&gt;");
        else
            nadi_str_add_char(out, *text);
    }
}

static void markdown_row(const struct nadi_setting *key, struct nadi_str *out)
{
    struct nadi_str cell = NADI_STR_INIT;
    nadi_str_printf(out, "| `%s` | %s", key->name, nadi_setting_type_name(key));
    if (key->unit)
        nadi_str_printf(out, "; %s", key->unit);
    nadi_str_add(out, " | ");
    add_default(key, &cell);
    add_cell(nadi_str_get(&cell), out);
    nadi_str_clear(&cell);
    nadi_str_add(out, " | ");
    if (key->words)
        nadi_setting_words_text(key, ", ", &cell);
    else
        nadi_setting_range_text(key, &cell);
    add_cell(nadi_str_get(&cell), out);
    nadi_str_release(&cell);
    nadi_str_add(out, " | ");
    add_cell(key->doc, out);
    nadi_str_add(out, " |\n");
}

static void markdown_others(const struct nadi_schema *schema, enum nadi_effect effect,
                            const char *title, const char *head, struct nadi_str *out)
{
    bool any = false;
    for (size_t i = 0; i < schema->count; i++) {
        const struct nadi_setting *key = &schema->keys[i];
        if (key->effect != effect)
            continue;
        if (!any)
            nadi_str_printf(out, "\n## %s\n\n| key | %s |\n|---|---|\n", title, head);
        any = true;
        nadi_str_printf(out, "| `%s` | ", key->name);
        add_cell(key->doc, out);
        nadi_str_add(out, " |\n");
    }
}

void nadi_schema_markdown(enum nadi_schema_kind kind, struct nadi_str *out)
{
    const struct nadi_schema *schema = nadi_schema_of(kind);
    bool json = schema->syntax == NADI_DOC_JSON;
    nadi_str_printf(out,
                    "<!-- Generated by `nadi explain --pages` from the schema table. Do not edit. "
                    "-->\n# The %s\n\n`%s`; %s (or the other of JSON and YAML, by the ending of "
                    "the file name). %s\n\n```%s\n%s```\n\n",
                    schema->title, schema->option, json ? "JSON" : "YAML", schema->doc,
                    json ? "json" : "yaml", schema->example);
    nadi_str_add(out, "| key | type; unit of a bare number | default | allowed | meaning |\n"
                      "|---|---|---|---|---|\n");
    for (size_t i = 0; i < schema->count; i++)
        if (schema->keys[i].effect == NADI_EFFECT_USED)
            markdown_row(&schema->keys[i], out);
    markdown_others(schema, NADI_EFFECT_NONE, "Accepted without effect", "why", out);
    markdown_others(schema, NADI_EFFECT_LEGACY, "Of ASTRA-sim 1.x, not read", "write instead", out);
}
