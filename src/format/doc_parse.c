/* doc_parse: a document's text to its tree; YAML by libfyaml's events. The library is asked for
 * events only: its own document builder resolves aliases by copying, which a hostile file can make
 * arbitrarily large. */
#include "base/hold.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "base/str.h"
#include "format/doc_build.h"

#include <libfyaml.h>

struct anchor {
    struct nadi_doc_node *node;
    uint64_t weight; /* values under it, aliases expanded */
};

struct reader { /* of YAML */
    struct nadi_doc_builder *b;
    struct nadi_strmap anchor_names;
    struct {
        struct anchor *items;
        size_t count, capacity;
    } anchors;
    struct {
        const char *anchor;
        uint64_t weight_before;
    } open[NADI_DOC_MAX_DEPTH]; /* beside the builder's frames */
    uint32_t documents;
    struct fy_parser *parser;
    struct fy_diag *log;
    struct fy_event *event; /* at hand */
};

static void let_go(void *reader)
{
    struct reader *r = reader;
    if (r->event)
        fy_parser_event_free(r->parser, r->event);
    if (r->log) {
        fy_diag_reset_error(r->log); /* frees the collected errors; destroying the log does not */
        fy_diag_unref(r->log);
    }
    if (r->parser)
        fy_parser_destroy(r->parser);
}

static const char *token_text(struct reader *r, struct fy_token *token, size_t *length)
{
    const char *text = token ? fy_token_get_text(token, length) : NULL;
    if (!text) {
        text = "";
        *length = 0;
    }
    return nadi_arena_strndup(&r->b->doc->arena, text, *length);
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

static void remember_anchor(struct reader *r, const char *name, struct nadi_doc_node *node,
                            uint64_t weight)
{
    struct anchor a = {.node = node, .weight = weight};
    uint32_t index = (uint32_t)r->anchors.count;
    uint32_t found = nadi_strmap_put(&r->anchor_names, name, strlen(name), index, NULL);
    if (found == index)
        NADI_PUSH(&r->anchors, a);
    else
        r->anchors.items[found] = a;
}

static bool refuse_key(struct reader *r, uint32_t line, uint32_t column)
{
    return nadi_error(r->b->diags, "doc/key", nadi_doc_build_place(r->b, line, column),
                      "write a name or a number as key", "a list, map or alias cannot be a key");
}

static bool on_scalar(struct reader *r, struct fy_event *event)
{
    bool quoted = is_quoted(event);
    size_t length;
    uint32_t line, column;
    set_place(event, quoted, &line, &column);
    const char *text = token_text(r, event->scalar.value, &length);
    if (strlen(text) != length)
        return nadi_doc_nul_error(r->b, line, column);
    if (nadi_doc_awaits_key(r->b)) {
        nadi_doc_build_key(r->b, text, line, column);
        return true;
    }
    struct nadi_doc_node *node = nadi_doc_build_scalar(r->b, text, quoted, line, column);
    if (node && event->scalar.anchor)
        remember_anchor(r, token_text(r, event->scalar.anchor, &length), node, 1);
    return node;
}

static bool on_open(struct reader *r, struct fy_event *event, enum nadi_doc_kind kind,
                    struct fy_token *anchor)
{
    uint32_t line, column;
    const uint64_t weight_before = r->b->weight;
    set_place(event, false, &line, &column);
    if (nadi_doc_awaits_key(r->b))
        return refuse_key(r, line, column);
    if (!nadi_doc_build_open(r->b, kind, line, column))
        return false;
    size_t length;
    r->open[r->b->depth - 1].anchor = anchor ? token_text(r, anchor, &length) : NULL;
    r->open[r->b->depth - 1].weight_before = weight_before;
    return true;
}

static bool on_close(struct reader *r)
{
    struct nadi_doc_node *node = r->b->frames[r->b->depth - 1].node;
    const size_t level = r->b->depth - 1;
    if (r->open[level].anchor)
        remember_anchor(r, r->open[level].anchor, node,
                        r->b->weight - r->open[level].weight_before);
    return nadi_doc_build_close(r->b);
}

/* Children are shared: the tree is read-only. */
static bool on_alias(struct reader *r, struct fy_event *event)
{
    uint32_t line, column;
    size_t length;
    set_place(event, true, &line, &column);
    if (nadi_doc_awaits_key(r->b))
        return refuse_key(r, line, column);
    const char *name = token_text(r, event->alias.anchor, &length);
    uint32_t index = nadi_strmap_find(&r->anchor_names, name, length);
    if (index == NADI_NONE)
        return nadi_error(r->b->diags, "doc/alias", nadi_doc_build_place(r->b, line, column),
                          "define it earlier in the file with '&' and the same name",
                          "alias '*%s' has no anchor before it", name);
    const struct anchor a = r->anchors.items[index];
    const enum nadi_doc_kind kind = (enum nadi_doc_kind)a.node->kind;
    struct nadi_doc_node *node = nadi_doc_build_value(r->b, kind, line, column);
    if (!node)
        return false;
    node->count = a.node->count;
    node->quoted = a.node->quoted;
    if (kind == NADI_DOC_SCALAR)
        node->text = a.node->text;
    else
        node->first = a.node->first;
    return nadi_doc_build_weight(r->b, a.weight - 1, line, column);
}

static bool on_event(struct reader *r, struct fy_event *event)
{
    switch (event->type) {
    case FYET_DOCUMENT_START:
        if (r->documents++ == 0)
            return true;
        uint32_t line, column;
        set_place(event, false, &line, &column);
        return nadi_error(r->b->diags, "doc/several", nadi_doc_build_place(r->b, line, column),
                          "keep one document; remove the '---' and what follows",
                          "a second document begins here");
    case FYET_SCALAR:
        return on_scalar(r, event);
    case FYET_ALIAS:
        return on_alias(r, event);
    case FYET_SEQUENCE_START:
        return on_open(r, event, NADI_DOC_LIST, event->sequence_start.anchor);
    case FYET_MAPPING_START:
        return on_open(r, event, NADI_DOC_MAP, event->mapping_start.anchor);
    case FYET_SEQUENCE_END:
    case FYET_MAPPING_END:
        return on_close(r);
    case FYET_NONE:
    case FYET_STREAM_START:
    case FYET_STREAM_END:
    case FYET_DOCUMENT_END:
        break;
    }
    return true;
}

static bool report_syntax(struct reader *r)
{
    void *iterator = NULL;
    const struct fy_diag_error *e = fy_diag_errors_iterate(r->log, &iterator);
    uint32_t line = e && e->line > 0 ? (uint32_t)e->line : 1;
    uint32_t column = e && e->column > 0 ? (uint32_t)e->column : 1;
    return nadi_doc_syntax_error(r->b, e && e->msg ? e->msg : "the text cannot be read", line,
                                 column);
}

static bool read_events(struct reader *r)
{
    bool ok = true;
    while (ok && (r->event = fy_parser_parse(r->parser))) {
        ok = on_event(r, r->event);
        fy_parser_event_free(r->parser, r->event);
        r->event = NULL;
    }
    if (ok && fy_parser_get_stream_error(r->parser))
        return report_syntax(r);
    return ok && (r->b->doc->root || nadi_doc_empty_error(r->b));
}

static bool parse_yaml(struct reader *r)
{
    struct fy_parse_cfg config = {.flags = FYPCF_QUIET | FYPCF_COLLECT_DIAG | FYPCF_JSON_NONE};
    /* It does not look at what it has allocated. Escapes take it 23 bytes a byte, the rest little.
     */
    enum { ROOM_ALWAYS = 1 << 20, ROOM_A_BYTE = 32 };
    nadi_mem_headroom(ROOM_ALWAYS + ROOM_A_BYTE * r->b->text->bytes, "libfyaml");
    struct nadi_hold *hold = nadi_hold(r, let_go);
    r->parser = fy_parser_create(&config);
    if (!r->parser)
        nadi_mem_lacking("libfyaml");
    r->log = fy_parser_get_diag(r->parser);
    fy_diag_set_collect_errors(r->log, true);
    const bool ok = fy_parser_set_string(r->parser, r->b->text->text, r->b->text->bytes) == 0
                        ? read_events(r)
                        : report_syntax(r);
    nadi_unhold(hold);
    let_go(r);
    return ok;
}

static bool read_yaml(struct nadi_doc_builder *b)
{
    struct reader *r = NADI_ZNEW(struct reader, 1);
    r->b = b;
    nadi_strmap_init(&r->anchor_names);
    const bool ok = parse_yaml(r);
    nadi_strmap_release(&r->anchor_names);
    nadi_mem_free(r->anchors.items);
    nadi_mem_free(r);
    return ok;
}

bool nadi_doc_parse(struct nadi_doc *doc, const char *path, const void *data, size_t bytes,
                    enum nadi_doc_syntax syntax, struct nadi_diags *diags)
{
    struct nadi_doc_text text;
    *doc = (struct nadi_doc){.syntax = syntax};
    nadi_arena_init(&doc->arena);
    doc->path = nadi_arena_strdup(&doc->arena, path);
    nadi_sha256(data, bytes, doc->sha256);
    bool ok = nadi_doc_text_accept(&text, doc->path, data, bytes, diags);
    if (ok) {
        struct nadi_doc_builder *b = NADI_ZNEW(struct nadi_doc_builder, 1);
        *b = (struct nadi_doc_builder){.doc = doc, .diags = diags, .text = &text};
        ok = nadi_doc_is_json(syntax) ? nadi_doc_read_json(b) : read_yaml(b);
        nadi_mem_free(b);
    }
    if (!ok)
        nadi_doc_release(doc);
    return ok;
}
