#include "format/doc_build.h"

#include "base/map.h"
#include "base/mem.h"
#include "base/str.h"

struct nadi_place nadi_doc_build_place(const struct nadi_doc_builder *b, uint32_t line,
                                       uint32_t column)
{
    struct nadi_place place = NADI_IN_FILE(b->doc->path);
    place.line = line;
    place.column = column;
    return place;
}

bool nadi_doc_syntax_error(struct nadi_doc_builder *b, const char *message, uint32_t line,
                           uint32_t column)
{
    struct nadi_str excerpt = NADI_STR_INIT;
    nadi_doc_text_clamp(b->text, &line, &column);
    nadi_doc_text_excerpt(b->text, line, column, &excerpt);
    nadi_error(b->diags, "doc/syntax", nadi_doc_build_place(b, line, column), NULL,
               "%s syntax: %s%s", nadi_doc_is_json(b->doc->syntax) ? "JSON" : "YAML", message,
               nadi_str_get(&excerpt));
    nadi_str_release(&excerpt);
    return false;
}

bool nadi_doc_empty_error(struct nadi_doc_builder *b)
{
    return nadi_error(b->diags, "doc/empty", NADI_IN_FILE(b->doc->path),
                      "write at least the required keys; see `nadi explain`",
                      "the document is empty");
}

bool nadi_doc_nul_error(struct nadi_doc_builder *b, uint32_t line, uint32_t column)
{
    return nadi_error(b->diags, "doc/nul", nadi_doc_build_place(b, line, column), "remove it",
                      "NUL character inside a text");
}

void nadi_doc_build_key(struct nadi_doc_builder *b, const char *text, uint32_t line,
                        uint32_t column)
{
    struct nadi_doc_frame *f = &b->frames[b->depth - 1];
    f->key = text;
    f->key_line = line;
    f->key_column = column;
}

bool nadi_doc_build_weight(struct nadi_doc_builder *b, uint64_t weight, uint32_t line,
                           uint32_t column)
{
    b->weight += weight;
    if (b->weight <= NADI_DOC_MAX_NODES)
        return true;
    return nadi_error(b->diags, "doc/too-large", nadi_doc_build_place(b, line, column),
                      "split the file, or write lists out instead of using aliases",
                      "more than %d values in one document", NADI_DOC_MAX_NODES);
}

static struct nadi_doc_node *new_member(struct nadi_doc_builder *b, struct nadi_doc_frame *f)
{
    struct nadi_doc_member *m = NADI_ARENA_NEW(&b->doc->arena, struct nadi_doc_member, 1);
    *m = (struct nadi_doc_member){
        .node = {.in_map = true},
        .key = f->key,
        .key_line = f->key_line,
        .key_column = f->key_column,
    };
    f->key = NULL;
    return &m->node;
}

struct nadi_doc_node *nadi_doc_build_value(struct nadi_doc_builder *b, enum nadi_doc_kind kind,
                                           uint32_t line, uint32_t column)
{
    struct nadi_doc_frame *f = b->depth ? &b->frames[b->depth - 1] : NULL;
    struct nadi_doc_node *node =
        f && f->key ? new_member(b, f) : NADI_ARENA_ZNEW(&b->doc->arena, struct nadi_doc_node, 1);
    node->kind = (uint8_t)kind;
    node->line = line;
    node->column = column;
    if (!f)
        b->doc->root = node;
    else if (f->last)
        f->last->next = node;
    else
        f->node->first = node;
    if (f) {
        f->last = node;
        f->node->count++;
    }
    return nadi_doc_build_weight(b, 1, line, column) ? node : NULL;
}

struct nadi_doc_node *nadi_doc_build_scalar(struct nadi_doc_builder *b, const char *text,
                                            bool quoted, uint32_t line, uint32_t column)
{
    struct nadi_doc_node *node = nadi_doc_build_value(b, NADI_DOC_SCALAR, line, column);
    if (node) {
        node->text = text;
        node->quoted = quoted;
    }
    return node;
}

struct nadi_doc_node *nadi_doc_build_open(struct nadi_doc_builder *b, enum nadi_doc_kind kind,
                                          uint32_t line, uint32_t column)
{
    if (b->depth == NADI_DOC_MAX_DEPTH) {
        nadi_error(b->diags, "doc/too-deep", nadi_doc_build_place(b, line, column),
                   "flatten the document", "nested deeper than %d levels", NADI_DOC_MAX_DEPTH);
        return NULL;
    }
    struct nadi_doc_node *node = nadi_doc_build_value(b, kind, line, column);
    if (node)
        b->frames[b->depth++] = (struct nadi_doc_frame){.node = node};
    return node;
}

/* A key that stands a second time. In JSON the last one counts, as for its usual readers: it takes
 * the first one's place. */
static bool duplicate(struct nadi_doc_builder *b, struct nadi_doc_node *map,
                      struct nadi_doc_node *before, struct nadi_doc_node *first)
{
    NADI_ASSERT(before); /* the first key of a map is no second one */
    struct nadi_doc_node *again = before->next;
    if (!nadi_doc_is_json(b->doc->syntax))
        return nadi_error(b->diags, "doc/duplicate-key", nadi_doc_key_place(b->doc, again),
                          "keep one of them", "key '%s' was already given in line %u",
                          nadi_doc_key(again), nadi_doc_key_place(b->doc, first).line);
    nadi_note(b->diags, "doc/duplicate-key", nadi_doc_key_place(b->doc, again), "keep one of them",
              "key '%s' was already given in line %u; the last value counts", nadi_doc_key(again),
              nadi_doc_key_place(b->doc, first).line);
    before->next = again->next;
    struct nadi_doc_node *next = first->next;
    *(struct nadi_doc_member *)(void *)first = *(struct nadi_doc_member *)(void *)again;
    first->next = next;
    map->count--;
    return true;
}

/* Of a large map: nodes by the hash of their keys, open addressing. */
static bool many_keys_are_unique(struct nadi_doc_builder *b, struct nadi_doc_node *map)
{
    size_t slots = 64;
    bool ok = true;
    while (slots < (size_t)map->count * 2)
        slots *= 2;
    struct nadi_doc_node **seen = NADI_ZNEW(struct nadi_doc_node *, slots);
    for (struct nadi_doc_node *n = map->first, *before = NULL, *next; n; n = next) {
        next = n->next;
        const char *key = nadi_doc_key(n);
        size_t i = (size_t)nadi_hash_bytes(key, strlen(key)) & (slots - 1);
        while (seen[i] && strcmp(nadi_doc_key(seen[i]), key) != 0)
            i = (i + 1) & (slots - 1);
        if (seen[i])
            ok &= duplicate(b, map, before, seen[i]);
        else
            seen[i] = n;
        if (!before || before->next == n) /* it stays */
            before = n;
    }
    nadi_mem_free(seen);
    return ok;
}

static bool keys_are_unique(struct nadi_doc_builder *b, struct nadi_doc_node *map)
{
    enum { FEW = 16 };
    bool ok = true;
    if (map->count > FEW)
        return many_keys_are_unique(b, map);
    for (struct nadi_doc_node *n = map->first, *before = NULL, *next; n; n = next) {
        next = n->next;
        struct nadi_doc_node *first = map->first;
        while (strcmp(nadi_doc_key(first), nadi_doc_key(n)) != 0)
            first = first->next;
        if (first != n)
            ok &= duplicate(b, map, before, first);
        if (!before || before->next == n) /* it stays */
            before = n;
    }
    return ok;
}

bool nadi_doc_build_close(struct nadi_doc_builder *b)
{
    NADI_ASSERT(b->depth > 0);
    struct nadi_doc_node *node = b->frames[--b->depth].node;
    return node->kind != NADI_DOC_MAP || keys_are_unique(b, node);
}
