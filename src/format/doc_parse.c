/* doc_parse: libfyaml's events to our own tree. The library is asked for events only: its own
 * document builder resolves aliases by copying, which a hostile file can make arbitrarily large. */
#include "format/doc.h"

#include "base/map.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "base/str.h"
#include "format/doc_text.h"

#include <libfyaml.h>

struct frame { /* a list or map that is still open */
    struct nadi_doc_node *node, *last;
    const char *key; /* a key was read, its value is awaited */
    uint32_t key_line, key_column;
    const char *anchor;
    uint64_t weight_before;
};

struct anchor {
    struct nadi_doc_node *node;
    uint64_t weight; /* values under it, aliases expanded */
};

struct builder {
    struct nadi_doc *doc;
    struct nadi_diags *diags;
    const struct nadi_doc_text *text;
    struct nadi_strmap anchor_names;
    struct {
        struct anchor *items;
        size_t count, capacity;
    } anchors;
    struct frame frames[NADI_DOC_MAX_DEPTH];
    size_t depth;
    uint64_t weight; /* values so far, aliases expanded */
    uint32_t documents;
    struct nadi_doc_node *root;
};

static struct nadi_place at(const struct builder *b, uint32_t line, uint32_t column)
{
    struct nadi_place place = NADI_IN_FILE(b->doc->path);
    place.line = line;
    place.column = column;
    return place;
}

static const char *token_text(struct builder *b, struct fy_token *token, size_t *length)
{
    const char *text = token ? fy_token_get_text(token, length) : NULL;
    if (!text) {
        text = "";
        *length = 0;
    }
    return nadi_arena_strndup(&b->doc->arena, text, *length);
}

static void set_place(struct fy_event *event, bool quoted, uint32_t *line, uint32_t *column)
{
    const struct fy_mark *mark = fy_event_start_mark(event);
    *line = mark && mark->line >= 0 ? (uint32_t)mark->line + 1 : 1;
    *column = mark && mark->column >= 0 ? (uint32_t)mark->column + 1 : 1;
    if (quoted && *column > 1)
        --*column; /* the library points behind the opening quote */
}

static bool is_quoted(struct fy_event *event)
{
    enum fy_node_style style = fy_event_get_node_style(event);
    return style == FYNS_SINGLE_QUOTED || style == FYNS_DOUBLE_QUOTED || style == FYNS_LITERAL ||
           style == FYNS_FOLDED;
}

/* Puts a finished or just opened node where it belongs. */
static void attach(struct builder *b, struct nadi_doc_node *node)
{
    if (b->depth == 0) {
        b->root = node;
        return;
    }
    struct frame *f = &b->frames[b->depth - 1];
    node->key = f->key;
    node->key_line = f->key_line;
    node->key_column = f->key_column;
    f->key = NULL;
    if (f->last)
        f->last->next = node;
    else
        f->node->first = node;
    f->last = node;
    f->node->count++;
}

static bool awaits_key(const struct builder *b)
{
    return b->depth && b->frames[b->depth - 1].node->kind == NADI_DOC_MAP &&
           !b->frames[b->depth - 1].key;
}

static bool add_weight(struct builder *b, uint64_t weight, uint32_t line, uint32_t column)
{
    b->weight += weight;
    if (b->weight <= NADI_DOC_MAX_NODES)
        return true;
    return nadi_error(b->diags, "doc/too-large", at(b, line, column),
                      "split the file, or write lists out instead of using aliases",
                      "more than %d values in one document", NADI_DOC_MAX_NODES);
}

static void remember_anchor(struct builder *b, const char *name, struct nadi_doc_node *node,
                            uint64_t weight)
{
    struct anchor a = {.node = node, .weight = weight};
    uint32_t index = (uint32_t)b->anchors.count;
    uint32_t found = nadi_strmap_put(&b->anchor_names, name, strlen(name), index, NULL);
    if (found == index)
        NADI_PUSH(&b->anchors, a);
    else
        b->anchors.items[found] = a;
}

static bool refuse_key(struct builder *b, uint32_t line, uint32_t column)
{
    return nadi_error(b->diags, "doc/key", at(b, line, column), "write a name or a number as key",
                      "a list, map or alias cannot be a key");
}

static bool on_scalar(struct builder *b, struct fy_event *event)
{
    bool quoted = is_quoted(event);
    size_t length;
    uint32_t line, column;
    set_place(event, quoted, &line, &column);
    const char *text = token_text(b, event->scalar.value, &length);
    if (strlen(text) != length)
        return nadi_error(b->diags, "doc/nul", at(b, line, column), "remove it",
                          "NUL character inside a text");
    if (awaits_key(b)) {
        struct frame *f = &b->frames[b->depth - 1];
        f->key = text;
        f->key_line = line;
        f->key_column = column;
        return true;
    }
    struct nadi_doc_node *node = NADI_ARENA_ZNEW(&b->doc->arena, struct nadi_doc_node, 1);
    node->kind = NADI_DOC_SCALAR;
    node->quoted = quoted;
    node->text = text;
    node->line = line;
    node->column = column;
    if (event->scalar.anchor) {
        size_t anchor_length;
        remember_anchor(b, token_text(b, event->scalar.anchor, &anchor_length), node, 1);
    }
    attach(b, node);
    return add_weight(b, 1, line, column);
}

static bool on_open(struct builder *b, struct fy_event *event, enum nadi_doc_kind kind,
                    struct fy_token *anchor)
{
    uint32_t line, column;
    set_place(event, false, &line, &column);
    if (awaits_key(b))
        return refuse_key(b, line, column);
    if (b->depth == NADI_DOC_MAX_DEPTH)
        return nadi_error(b->diags, "doc/too-deep", at(b, line, column), "flatten the document",
                          "nested deeper than %d levels", NADI_DOC_MAX_DEPTH);
    struct nadi_doc_node *node = NADI_ARENA_ZNEW(&b->doc->arena, struct nadi_doc_node, 1);
    node->kind = kind;
    node->line = line;
    node->column = column;
    attach(b, node);
    struct frame *f = &b->frames[b->depth++];
    *f = (struct frame){.node = node, .weight_before = b->weight};
    if (anchor) {
        size_t length;
        f->anchor = token_text(b, anchor, &length);
    }
    return add_weight(b, 1, line, column);
}

static bool duplicate(struct builder *b, const struct nadi_doc_node *again,
                      const struct nadi_doc_node *map)
{
    const struct nadi_doc_node *first = nadi_doc_find(map, again->key);
    return nadi_error(b->diags, "doc/duplicate-key", at(b, again->key_line, again->key_column),
                      "keep one of them", "key '%s' was already given in line %u", again->key,
                      first->key_line);
}

static bool keys_are_unique(struct builder *b, const struct nadi_doc_node *map)
{
    enum { FEW = 16 };
    bool ok = true;
    if (map->count <= FEW) {
        for (const struct nadi_doc_node *n = map->first; n; n = n->next)
            if (nadi_doc_find(map, n->key) != n)
                ok = duplicate(b, n, map);
        return ok;
    }
    struct nadi_strmap seen;
    nadi_strmap_init(&seen);
    uint32_t index = 0;
    for (const struct nadi_doc_node *n = map->first; n; n = n->next, index++)
        if (nadi_strmap_put(&seen, n->key, strlen(n->key), index, NULL) != index)
            ok = duplicate(b, n, map);
    nadi_strmap_release(&seen);
    return ok;
}

static bool on_close(struct builder *b)
{
    NADI_ASSERT(b->depth > 0);
    struct frame *f = &b->frames[--b->depth];
    if (f->anchor)
        remember_anchor(b, f->anchor, f->node, b->weight - f->weight_before);
    return f->node->kind != NADI_DOC_MAP || keys_are_unique(b, f->node);
}

static bool on_alias(struct builder *b, struct fy_event *event)
{
    uint32_t line, column;
    size_t length;
    set_place(event, true, &line, &column);
    if (awaits_key(b))
        return refuse_key(b, line, column);
    const char *name = token_text(b, event->alias.anchor, &length);
    uint32_t index = nadi_strmap_find(&b->anchor_names, name, length);
    if (index == NADI_NONE)
        return nadi_error(b->diags, "doc/alias", at(b, line, column),
                          "define it earlier in the file with '&' and the same name",
                          "alias '*%s' has no anchor before it", name);
    struct anchor a = b->anchors.items[index];
    struct nadi_doc_node *node = NADI_ARENA_NEW(&b->doc->arena, struct nadi_doc_node, 1);
    *node = *a.node; /* children are shared: the tree is read-only */
    node->next = NULL;
    node->line = line;
    node->column = column;
    attach(b, node);
    return add_weight(b, a.weight, line, column);
}

static bool on_event(struct builder *b, struct fy_event *event)
{
    switch (event->type) {
    case FYET_DOCUMENT_START:
        if (b->documents++ == 0)
            return true;
        uint32_t line, column;
        set_place(event, false, &line, &column);
        return nadi_error(b->diags, "doc/several", at(b, line, column),
                          "keep one document; remove the '---' and what follows",
                          "a second document begins here");
    case FYET_SCALAR:
        return on_scalar(b, event);
    case FYET_ALIAS:
        return on_alias(b, event);
    case FYET_SEQUENCE_START:
        return on_open(b, event, NADI_DOC_LIST, event->sequence_start.anchor);
    case FYET_MAPPING_START:
        return on_open(b, event, NADI_DOC_MAP, event->mapping_start.anchor);
    case FYET_SEQUENCE_END:
    case FYET_MAPPING_END:
        return on_close(b);
    case FYET_NONE:
    case FYET_STREAM_START:
    case FYET_STREAM_END:
    case FYET_DOCUMENT_END:
        break;
    }
    return true;
}

/* The library's words where they are good, ours where they would puzzle. */
static const char *plain_words(const char *message)
{
    static const struct {
        const char *theirs, *ours;
    } words[] = {
        {"Invalid JSON plain scalar",
         "not a JSON value (texts need double quotes; comments and words like NaN are not JSON)"},
        {"JSON disallows trailing comma before closing", "a comma with nothing after it"},
        {"JSON does not allow empty values in a mapping",
         "a key, a value or the ':' between them is missing"},
        {"JSON does not allow empty root", "the file is empty"},
        {"single quoted scalars not supported", "JSON texts need double quotes, not single ones"},
        {"Multi line plain scalars not", "a comma is missing between two values"},
        {"Multi line double quoted scalars not", "a text is not closed on its line"},
        {"missing comma in flow", "a comma or a closing bracket is missing"},
        {"mismatched flow", "closing bracket of the wrong kind"},
        {"missing document start", "something follows the end of the document"},
    };
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (nadi_str_starts(message, words[i].theirs))
            return words[i].ours;
    return message;
}

static void report_syntax(struct builder *b, struct fy_diag *log)
{
    void *iterator = NULL;
    const struct fy_diag_error *e = fy_diag_errors_iterate(log, &iterator);
    const char *message = e && e->msg ? plain_words(e->msg) : "the text cannot be read";
    uint32_t line = e && e->line > 0 ? (uint32_t)e->line : 1;
    uint32_t column = e && e->column > 0 ? (uint32_t)e->column : 1;
    nadi_doc_text_clamp(b->text, &line, &column);
    struct nadi_str excerpt = NADI_STR_INIT;
    const bool empty = nadi_str_equal(message, "the file is empty");
    if (!empty)
        nadi_doc_text_excerpt(b->text, line, column, &excerpt);
    nadi_error(b->diags, "doc/syntax", at(b, line, column),
               empty ? "write at least the required keys; see `nadi explain`" : NULL,
               "%s syntax: %s%s", b->doc->syntax == NADI_DOC_JSON ? "JSON" : "YAML", message,
               nadi_str_get(&excerpt));
    nadi_str_release(&excerpt);
}

static bool build(struct builder *b, struct fy_parser *parser, struct fy_diag *log)
{
    bool ok = true;
    struct fy_event *event;
    while (ok && (event = fy_parser_parse(parser))) {
        ok = on_event(b, event);
        fy_parser_event_free(parser, event);
    }
    if (!ok)
        return false;
    if (fy_parser_get_stream_error(parser)) {
        report_syntax(b, log);
        return false;
    }
    if (!b->root)
        return nadi_error(b->diags, "doc/empty", NADI_IN_FILE(b->doc->path),
                          "write at least the required keys; see `nadi explain`",
                          "the document is empty");
    b->doc->root = b->root;
    return true;
}

static bool parse_text(struct builder *b)
{
    struct fy_parse_cfg config = {
        .flags = FYPCF_QUIET | FYPCF_COLLECT_DIAG |
                 (b->doc->syntax == NADI_DOC_JSON ? FYPCF_JSON_FORCE : FYPCF_JSON_NONE),
    };
    struct fy_parser *parser = fy_parser_create(&config);
    if (!parser)
        NADI_BUG("libfyaml gives no parser");
    struct fy_diag *log = fy_parser_get_diag(parser);
    fy_diag_set_collect_errors(log, true);
    bool ok = fy_parser_set_string(parser, b->text->text, b->text->bytes) == 0;
    if (ok)
        ok = build(b, parser, log);
    else
        report_syntax(b, log);
    fy_diag_reset_error(log); /* frees the collected errors; destroying the log does not */
    fy_diag_unref(log);
    fy_parser_destroy(parser);
    return ok;
}

bool nadi_doc_parse(struct nadi_doc *doc, const char *path, const void *data, size_t bytes,
                    enum nadi_doc_syntax syntax, struct nadi_diags *diags)
{
    *doc = (struct nadi_doc){.syntax = syntax};
    nadi_arena_init(&doc->arena);
    doc->path = nadi_arena_strdup(&doc->arena, path);
    nadi_sha256(data, bytes, doc->sha256);
    struct nadi_doc_text text;
    struct builder *b = NADI_ZNEW(struct builder, 1);
    b->doc = doc;
    b->diags = diags;
    b->text = &text;
    nadi_strmap_init(&b->anchor_names);
    bool ok = nadi_doc_text_accept(&text, doc->path, data, bytes, diags) && parse_text(b);
    nadi_strmap_release(&b->anchor_names);
    nadi_mem_free(b->anchors.items);
    nadi_mem_free(b);
    if (!ok)
        nadi_doc_release(doc);
    return ok;
}
