#include "format/doc_change.h"

#include "base/str.h"

static bool refuse(const struct nadi_doc *doc, const struct nadi_doc_change *c,
                   struct nadi_diags *diags, const char *why)
{
    return nadi_error(diags, "doc/change", NADI_IN_FILE(doc->path), NULL, "%s.%s = %s: %s", c->of,
                      c->path, c->text, why);
}

static struct nadi_doc_node *new_node(struct nadi_doc *doc, const char *key, size_t length)
{
    if (!key)
        return NADI_ARENA_ZNEW(&doc->arena, struct nadi_doc_node, 1);
    struct nadi_doc_member *m = NADI_ARENA_ZNEW(&doc->arena, struct nadi_doc_member, 1);
    m->node.in_map = true;
    m->key = nadi_arena_strndup(&doc->arena, key, length);
    return &m->node;
}

/* The content of `from`, a value of another document, into `to`. */
static void copy_content(struct nadi_doc *doc, struct nadi_doc_node *to,
                         const struct nadi_doc_node *from)
{
    to->kind = from->kind;
    to->quoted = from->quoted;
    to->count = from->count;
    if (from->kind == NADI_DOC_SCALAR) {
        to->text = nadi_arena_strdup(&doc->arena, from->text);
        return;
    }
    struct nadi_doc_node **last = &to->first;
    *last = NULL;
    for (const struct nadi_doc_node *n = from->first; n; n = n->next) {
        const char *key = n->in_map ? nadi_doc_key(n) : NULL;
        struct nadi_doc_node *copy = new_node(doc, key, key ? strlen(key) : 0);
        copy_content(doc, copy, n);
        *last = copy;
        last = &copy->next;
    }
}

static bool set_value(struct nadi_doc *doc, struct nadi_doc_node *at, const char *text,
                      struct nadi_diags *diags)
{
    at->line = at->column = 0;
    if (*text != '[' && *text != '{') {
        at->kind = NADI_DOC_SCALAR;
        at->quoted = false;
        at->count = 0;
        at->text = nadi_arena_strdup(&doc->arena, text);
        return true;
    }
    struct nadi_doc value;
    if (!nadi_doc_parse(&value, text, text, strlen(text), NADI_DOC_YAML, diags))
        return false;
    copy_content(doc, at, value.root);
    nadi_doc_release(&value);
    return true;
}

/* The entry of a list of maps with this `name`; NULL: there is none. */
static struct nadi_doc_node *named(const struct nadi_doc_node *list, const char *name,
                                   size_t length)
{
    for (struct nadi_doc_node *n = list->first; n; n = n->next) {
        const struct nadi_doc_node *own = n->kind == NADI_DOC_MAP ? nadi_doc_find(n, "name") : NULL;
        if (own && own->kind == NADI_DOC_SCALAR && strlen(own->text) == length &&
            memcmp(own->text, name, length) == 0)
            return n;
    }
    return NULL;
}

/* The child of a key, made where it is missing. NULL: `at` is a scalar, or a list without such a
 * name. */
static struct nadi_doc_node *child_of(struct nadi_doc *doc, struct nadi_doc_node *at,
                                      const char *key, size_t length)
{
    if (at->kind == NADI_DOC_NONE || (at->kind == NADI_DOC_SCALAR && !at->text)) {
        at->kind = NADI_DOC_MAP;
        at->first = NULL;
    }
    if (at->kind == NADI_DOC_LIST)
        return named(at, key, length);
    if (at->kind != NADI_DOC_MAP)
        return NULL;
    struct nadi_doc_node **last = &at->first;
    for (; *last; last = &(*last)->next) {
        const char *own = nadi_doc_key(*last);
        if (strlen(own) == length && memcmp(own, key, length) == 0)
            return *last;
    }
    at->count++;
    return *last = new_node(doc, key, length);
}

/* `[` stands behind a key that is none of the file's lists: which one is meant? */
static bool refuse_list(const struct nadi_doc *doc, const struct nadi_doc_change *c,
                        const struct nadi_doc_node *map, const char *key, size_t length,
                        struct nadi_diags *diags)
{
    enum { MOST = 64 };
    const char *lists[MOST];
    char word[64], hint[128];
    size_t count = 0;
    for (const struct nadi_doc_node *n = map->first; n && count < MOST; n = n->next)
        if (map->kind == NADI_DOC_MAP && n->kind == NADI_DOC_LIST)
            lists[count++] = nadi_doc_key(n);
    snprintf(word, sizeof(word), "%.*s", (int)length, key);
    const char *near = nadi_str_nearest(word, lists, count);
    snprintf(hint, sizeof(hint), "did you mean '%.60s'?", near ? near : "");
    return nadi_error(diags, "doc/change", NADI_IN_FILE(doc->path),
                      near ? hint : "without '[...]' a key is set that the file does not have yet",
                      "%s.%s = %s: the file has no list '%s'", c->of, c->path, c->text, word);
}

static struct nadi_doc_node *entry_of(const struct nadi_doc_node *list, uint64_t index)
{
    if (list->kind != NADI_DOC_LIST)
        return NULL;
    struct nadi_doc_node *n = list->first;
    while (n && index--)
        n = n->next;
    return n;
}

static bool change(struct nadi_doc *doc, const struct nadi_doc_change *c, struct nadi_diags *diags)
{
    struct nadi_doc_node *at = doc->root;
    for (const char *path = c->path; *path;) {
        uint64_t index;
        const size_t length = strcspn(path, ".[");
        if (length == 0 && *path != '[')
            return refuse(doc, c, diags, "a name is missing beside a '.'");
        const struct nadi_doc_node *const parent = at;
        if (length && !(at = child_of(doc, at, path, length)))
            return refuse(doc, c, diags,
                          "the path leads through a value that is no map, or no entry of the list "
                          "is called so");
        if (length && path[length] == '[' && at->kind != NADI_DOC_LIST)
            return refuse_list(doc, c, parent, path, length, diags);
        path += length;
        while (*path == '[') {
            const bool zeros = path[1] == '0' && path[2] != ']';
            path = nadi_str_take_u64(path + 1, &index);
            if (zeros || !path || *path != ']')
                return refuse(doc, c, diags, "a number and ']' are wanted behind '['");
            at = entry_of(at, index);
            if (!at)
                return refuse(doc, c, diags, "the file's list has no such entry");
            path++;
        }
        if (*path == '.' && !path[1])
            return refuse(doc, c, diags, "a name is missing beside a '.'");
        path += *path == '.';
    }
    return set_value(doc, at, c->text, diags);
}

bool nadi_doc_change(struct nadi_doc *doc, const struct nadi_doc_changes *changes, const char *of,
                     struct nadi_diags *diags)
{
    for (size_t i = 0; changes && i < changes->count; i++)
        if (nadi_str_equal(changes->items[i].of, of) && !change(doc, &changes->items[i], diags))
            return false;
    return true;
}

const struct nadi_doc_node *nadi_doc_at(const struct nadi_doc *doc, const char *path)
{
    const struct nadi_doc_node *at = doc->root;
    while (at && *path) {
        const size_t length = strcspn(path, ".[");
        char key[128];
        uint64_t index;
        if (length >= sizeof(key))
            return NULL;
        snprintf(key, sizeof(key), "%.*s", (int)length, path);
        if (length)
            at = at->kind == NADI_DOC_MAP    ? nadi_doc_find(at, key)
                 : at->kind == NADI_DOC_LIST ? named(at, key, length)
                                             : NULL;
        path += length;
        while (at && *path == '[') {
            path = nadi_str_take_u64(path + 1, &index);
            at = path && *path == ']' ? entry_of(at, index) : NULL;
            path += at ? 1 : 0;
        }
        if (at)
            path += *path == '.';
    }
    return at;
}

bool nadi_doc_changes_any(const struct nadi_doc_changes *changes, const char *of)
{
    for (size_t i = 0; changes && i < changes->count; i++)
        if (nadi_str_equal(changes->items[i].of, of))
            return true;
    return false;
}
