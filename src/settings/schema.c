/* schema: holding a document against its table. The texts of explain and docs are in
 * schema_text.c. */
#include "settings/schema.h"

#include "base/str.h"
#include "settings/schema_scalar.h"

#include <math.h>

struct check {
    struct nadi_schema_values *values;
    const struct nadi_doc_node *map; /* NULL: everything at its default */
    bool strict;
    struct nadi_arena *arena;
    struct nadi_diags *diags;
};

static size_t key_index(const struct nadi_schema *schema, const char *key)
{
    const struct nadi_setting *k = nadi_schema_find(schema, key);
    if (!k)
        NADI_BUG("no key %s in the table of the %s", key, schema->title);
    return (size_t)(k - schema->keys);
}

const struct nadi_schema_value *nadi_schema_get(const struct nadi_schema_values *values,
                                                const char *key)
{
    return &values->items[key_index(values->schema, key)];
}

static const struct nadi_schema_scalar *first(const struct nadi_schema_values *values,
                                              const char *key)
{
    const struct nadi_schema_value *v = nadi_schema_get(values, key);
    if (v->count == 0)
        NADI_BUG("key %s has neither value nor default", key);
    return &v->items[0];
}

double nadi_schema_number(const struct nadi_schema_values *values, const char *key)
{
    return first(values, key)->number;
}

int64_t nadi_schema_integer(const struct nadi_schema_values *values, const char *key)
{
    return first(values, key)->integer;
}

uint32_t nadi_schema_word(const struct nadi_schema_values *values, const char *key)
{
    return first(values, key)->word;
}

bool nadi_schema_is_set(const struct nadi_schema_values *values, const char *key)
{
    return nadi_schema_get(values, key)->node != NULL;
}

/* "ring_direct" was a list in ASTRA-sim 1.x. */
static const char *list_form(struct check *c, const struct nadi_doc_node *node)
{
    if (node->kind != NADI_DOC_SCALAR || strlen(node->text) > 200)
        return "write a list: [value, ...]";
    bool text = nadi_doc_classify(c->values->doc, node, NULL) == NADI_DOC_TEXT;
    struct nadi_str s = NADI_STR_INIT;
    nadi_str_printf(&s, text ? "write [\"" : "write [");
    for (const char *p = node->text; *p; p++) {
        if (text && *p == '_')
            nadi_str_add(&s, "\", \"");
        else
            nadi_str_add_char(&s, *p);
    }
    nadi_str_add(&s, text ? "\"]" : "]");
    const char *kept = nadi_arena_strdup(c->arena, nadi_str_get(&s));
    nadi_str_release(&s);
    return kept;
}

static bool check_list(struct check *c, const struct nadi_setting *key,
                       const struct nadi_doc_node *node, struct nadi_schema_value *value)
{
    char found[96];
    const struct nadi_doc *doc = c->values->doc;
    if (key->or_one && node->kind == NADI_DOC_SCALAR) {
        struct nadi_schema_place place = {doc, key, node, -1};
        value->items = NADI_ARENA_ZNEW(c->arena, struct nadi_schema_scalar, 1);
        value->count = 1;
        return nadi_schema_check_scalar(&place, value->items, c->diags);
    }
    if (node->kind != NADI_DOC_LIST)
        return nadi_error(c->diags, "schema/list", nadi_doc_place(doc, node), list_form(c, node),
                          "'%s' must be a list, found %s", key->name,
                          nadi_doc_describe(doc, node, found));
    if (key->list_max && (node->count == 0 || node->count > key->list_max))
        return nadi_error(c->diags, "schema/list", nadi_doc_place(doc, node), NULL,
                          "'%s' must be a list of %s%u, found %u", key->name,
                          key->list_max == 1 ? "exactly " : "1 to ", key->list_max, node->count);
    bool ok = true;
    value->items = NADI_ARENA_ZNEW(c->arena, struct nadi_schema_scalar, node->count);
    for (const struct nadi_doc_node *n = node->first; n; n = n->next) {
        struct nadi_schema_place place = {doc, key, n, (int64_t)value->count};
        ok &= nadi_schema_check_scalar(&place, &value->items[value->count], c->diags);
        value->count++;
    }
    return ok;
}

static bool check_value(struct check *c, const struct nadi_setting *key,
                        const struct nadi_doc_node *node, struct nadi_schema_value *value)
{
    value->node = node;
    if (key->list)
        return check_list(c, key, node, value);
    value->items = NADI_ARENA_ZNEW(c->arena, struct nadi_schema_scalar, 1);
    value->count = 1;
    struct nadi_schema_place place = {c->values->doc, key, node, -1};
    return nadi_schema_check_scalar(&place, value->items, c->diags);
}

static void set_default(struct check *c, const struct nadi_setting *key,
                        struct nadi_schema_value *value)
{
    value->node = NULL;
    value->count = 0;
    if (!key->preset)
        return;
    value->items = NADI_ARENA_ZNEW(c->arena, struct nadi_schema_scalar, 1);
    value->count = 1;
    nadi_schema_preset(key, value->items);
}

static const char *when_absent(struct check *c, const struct nadi_setting *key)
{
    if (key->required)
        return "it is required";
    if (key->absent)
        return key->absent;
    return key->preset ? nadi_arena_printf(c->arena, "using %s", key->preset) : "nothing is used";
}

/* Returns the table's key that was probably meant, or NULL. */
static const struct nadi_setting *report_unknown(struct check *c, const struct nadi_doc_node *node)
{
    enum { MANY = 64 };
    const struct nadi_schema *schema = c->values->schema;
    const char *names[MANY];
    size_t count = schema->count < MANY ? schema->count : MANY;
    for (size_t i = 0; i < count; i++)
        names[i] = schema->keys[i].name;
    const char *near = nadi_str_nearest(nadi_doc_key(node), names, count);
    const struct nadi_setting *meant = near ? nadi_schema_find(schema, near) : NULL;
    struct nadi_str text = NADI_STR_INIT;
    nadi_str_printf(&text, "unknown key '%.100s'", nadi_doc_key(node));
    if (meant)
        nadi_str_printf(&text, ", did you mean '%s'?", meant->name);
    else if (!c->strict)
        nadi_str_add(&text, "; it is ignored");
    bool unset = meant && !nadi_doc_find(c->map, meant->name);
    if (unset && meant->effect == NADI_EFFECT_USED)
        nadi_str_printf(&text, " Not set: %s.", when_absent(c, meant));
    const char *hint =
        meant
            ? NULL
            : nadi_arena_printf(c->arena, "`nadi explain` lists the keys of the %s", schema->title);
    nadi_diags_add(c->diags, c->strict ? NADI_ERROR : NADI_WARNING, "schema/unknown-key",
                   nadi_doc_key_place(c->values->doc, node), hint, "%s", nadi_str_get(&text));
    nadi_str_release(&text);
    return unset ? meant : NULL;
}

static void report_legacy(struct check *c)
{
    const struct nadi_schema *schema = c->values->schema;
    const struct nadi_doc_node *where = NULL;
    struct nadi_str keys = NADI_STR_INIT;
    for (const struct nadi_doc_node *n = c->map->first; n; n = n->next) {
        const struct nadi_setting *key = nadi_schema_find(schema, nadi_doc_key(n));
        if (!key || key->effect != NADI_EFFECT_LEGACY)
            continue;
        nadi_str_printf(&keys, "%s'%s' (now %s)", where ? ", " : "", key->name, key->doc);
        where = where ? where : n;
    }
    if (where)
        nadi_diags_add(c->diags, c->strict ? NADI_ERROR : NADI_WARNING, "schema/legacy",
                       nadi_doc_key_place(c->values->doc, where),
                       "write 'topology', 'npus_count', 'bandwidth' and 'latency' instead, each a "
                       "list with one entry a dimension",
                       "keys of the ASTRA-sim 1.x format, not read: %s", nadi_str_get(&keys));
    nadi_str_release(&keys);
}

/* Walks the file's keys; near[i] is set where a misspelt key meant table key i. */
static bool check_present(struct check *c, bool *near)
{
    const struct nadi_schema *schema = c->values->schema;
    bool ok = true, legacy = false;
    for (const struct nadi_doc_node *n = c->map->first; n; n = n->next) {
        const struct nadi_setting *key = nadi_schema_find(schema, nadi_doc_key(n));
        if (!key) {
            const struct nadi_setting *meant = report_unknown(c, n);
            if (meant)
                near[meant - schema->keys] = true;
            ok &= !c->strict;
        } else if (key->effect == NADI_EFFECT_LEGACY) {
            legacy = true;
            ok &= !c->strict;
        } else if (key->effect == NADI_EFFECT_NONE) {
            nadi_note(c->diags, "schema/no-effect", nadi_doc_key_place(c->values->doc, n), NULL,
                      "'%s' is accepted for compatibility and has no effect. %s", key->name,
                      key->doc);
        } else {
            ok &= check_value(c, key, n, &c->values->items[key - schema->keys]);
        }
    }
    if (legacy)
        report_legacy(c);
    return ok;
}

static bool check_absent(struct check *c, const bool *near)
{
    const struct nadi_schema *schema = c->values->schema;
    struct nadi_place place = NADI_IN_FILE(c->values->doc ? c->values->doc->path : NULL);
    if (c->map && c->map != c->values->doc->root)
        place = nadi_doc_place(c->values->doc, c->map);
    bool ok = true;
    for (size_t i = 0; i < schema->count; i++) {
        const struct nadi_setting *key = &schema->keys[i];
        if (c->values->items[i].node)
            continue;
        set_default(c, key, &c->values->items[i]);
        c->values->items[i].told = near[i];
        if (key->required)
            ok = nadi_error(c->diags, "schema/missing", place,
                            nadi_arena_printf(c->arena, "add it; see `nadi explain %s`", key->name),
                            "required key '%s' is missing", key->name);
        else if (key->note && c->values->doc && !near[i])
            nadi_note(c->diags, "schema/default", place, NULL, "'%s' %s", key->name, key->note);
    }
    return ok;
}

bool nadi_schema_check_map(struct nadi_schema_values *values, const struct nadi_schema *schema,
                           const struct nadi_doc *doc, const struct nadi_doc_node *map, bool strict,
                           struct nadi_arena *arena, struct nadi_diags *diags)
{
    NADI_ASSERT(!schema->open);
    *values = (struct nadi_schema_values){.schema = schema, .doc = doc};
    values->items = NADI_ARENA_ZNEW(arena, struct nadi_schema_value, schema->count);
    for (size_t i = 0; i < schema->count; i++)
        values->items[i].key = &schema->keys[i];
    struct check c = {
        .values = values, .map = map, .strict = strict, .arena = arena, .diags = diags};
    bool *near = NADI_ARENA_ZNEW(arena, bool, schema->count);
    bool ok = true;
    if (map && map->kind != NADI_DOC_MAP) {
        char found[96];
        return nadi_error(diags, "schema/map", nadi_doc_place(doc, map),
                          nadi_arena_printf(arena, "for example:\n%s", schema->example),
                          "the %s must be a map of keys and values, found %s", schema->title,
                          nadi_doc_describe(doc, map, found));
    }
    if (map)
        ok = check_present(&c, near);
    return check_absent(&c, near) && ok;
}

bool nadi_schema_check(struct nadi_schema_values *values, const struct nadi_schema *schema,
                       const struct nadi_doc *doc, bool strict, struct nadi_arena *arena,
                       struct nadi_diags *diags)
{
    return nadi_schema_check_map(values, schema, doc, doc ? doc->root : NULL, strict, arena, diags);
}
