/* doc: a YAML or JSON document as a tree; every key and value knows its place in the file.
 *
 * JSON is strict JSON (no comments, no trailing comma), read by doc_json.c; YAML is 1.2, one
 * document per file, read with libfyaml. A scalar keeps its text; the schema that checks it decides
 * its meaning. Keys are scalars and unique within their map.
 *
 * Hostile input is refused with a message: more than NADI_DOC_MAX_BYTES, nesting deeper than
 * NADI_DOC_MAX_DEPTH, aliases that expand to more than NADI_DOC_MAX_NODES values, NUL bytes, text
 * that is not UTF-8.
 *
 * Ownership: everything lives in the document's arena. O(bytes); a value takes 32 bytes of memory,
 * 48 in a map, and its text. */
#ifndef NADI_FORMAT_DOC_H
#define NADI_FORMAT_DOC_H

#include "base/arena.h"
#include "base/base.h"
#include "base/diag.h"

enum {
    NADI_DOC_MAX_BYTES = 256 << 20,
    NADI_DOC_MAX_DEPTH = 64,
    NADI_DOC_MAX_NODES = 1 << 25,
};

enum nadi_doc_syntax {
    NADI_DOC_YAML,
    NADI_DOC_JSON,
    NADI_DOC_JSON_PYTHON, /* also the words NaN, Infinity and -Infinity, which are no numbers */
};

enum nadi_doc_kind {
    NADI_DOC_NONE,
    NADI_DOC_SCALAR,
    NADI_DOC_LIST,
    NADI_DOC_MAP,
};

struct nadi_doc_node { /* 32 bytes: a file may be a long list of small numbers */
    struct nadi_doc_node *next;
    union {
        const char *text;            /* SCALAR: terminated, without NUL inside */
        struct nadi_doc_node *first; /* LIST, MAP: children in the order of the file */
    };
    uint32_t line, column;
    uint32_t count; /* LIST, MAP: children */
    uint8_t kind;   /* enum nadi_doc_kind */
    bool quoted;    /* SCALAR: written in quotes or as a block */
    bool in_map;    /* it is a nadi_doc_member: it has a key */
};

struct nadi_doc_member {
    struct nadi_doc_node node;
    const char *key;
    uint32_t key_line, key_column;
};

struct nadi_doc {
    struct nadi_arena arena;
    const char *path;
    enum nadi_doc_syntax syntax;
    struct nadi_doc_node *root;
    uint8_t sha256[32]; /* of the bytes as stored */
};

/* The type of a scalar without its schema: in YAML by the core schema of YAML 1.2. A number that
 * YAML 1.1 reads differently (010 is 8 there, and in the reference) is a TEXT, so that it can be a
 * name but not a number; messages give both readings. */
enum nadi_doc_scalar {
    NADI_DOC_SCALAR_NONE, /* the node is a list or a map */
    NADI_DOC_NULL,        /* null, ~ or nothing */
    NADI_DOC_BOOL,
    NADI_DOC_INTEGER, /* in YAML also 0x1f and 0o17 */
    NADI_DOC_REAL,    /* also .inf and .nan in YAML */
    NADI_DOC_TEXT,
};

/* The syntax by the ending of a name: .json, .yml, .yaml; `fallback` otherwise. */
enum nadi_doc_syntax nadi_doc_syntax_of(const char *path, enum nadi_doc_syntax fallback);
/* The same for files that Python may have written. */
enum nadi_doc_syntax nadi_doc_syntax_python(const char *path, enum nadi_doc_syntax fallback);

static inline bool nadi_doc_is_json(enum nadi_doc_syntax syntax)
{
    return syntax == NADI_DOC_JSON || syntax == NADI_DOC_JSON_PYTHON;
}

/* Reads and parses; `what` names the kind of file in messages ("system file"). On false, nothing
 * is to be released. */
bool nadi_doc_read(struct nadi_doc *doc, const char *path, const char *what,
                   enum nadi_doc_syntax syntax, struct nadi_diags *diags) NADI_MUST_USE;
/* Reads alone, for nadi_doc_parse; the caller frees the text, which is NULL on false. */
bool nadi_doc_text(const char *path, const char *what, char **text, size_t *bytes,
                   struct nadi_diags *diags) NADI_MUST_USE;
/* Of whatever use it is; syntax by the name, as Python writes JSON. */
bool nadi_doc_read_any(struct nadi_doc *doc, const char *path,
                       struct nadi_diags *diags) NADI_MUST_USE;
/* The same from memory; `path` is used in messages only. */
bool nadi_doc_parse(struct nadi_doc *doc, const char *path, const void *data, size_t bytes,
                    enum nadi_doc_syntax syntax, struct nadi_diags *diags) NADI_MUST_USE;
void nadi_doc_release(struct nadi_doc *doc);

/* The key of a map's child. */
static inline const char *nadi_doc_key(const struct nadi_doc_node *node)
{
    NADI_ASSERT(node->in_map);
    return ((const struct nadi_doc_member *)(const void *)node)->key;
}

/* The value of a key, or NULL, also if the node is not a map. O(children). */
const struct nadi_doc_node *nadi_doc_find(const struct nadi_doc_node *map, const char *key);

/* Place of a value or of its key, for messages. */
struct nadi_place nadi_doc_place(const struct nadi_doc *doc, const struct nadi_doc_node *node);
struct nadi_place nadi_doc_key_place(const struct nadi_doc *doc, const struct nadi_doc_node *node);

/* Kind of a scalar, with its number where it is BOOL (0 or 1), INTEGER or REAL. An INTEGER beyond
 * 64 bits is a REAL. `number` may be NULL. */
enum nadi_doc_scalar nadi_doc_classify(const struct nadi_doc *doc, const struct nadi_doc_node *node,
                                       double *number);
/* The exact value of an INTEGER within 64 bits; false: it is none. */
bool nadi_doc_integer(const struct nadi_doc *doc, const struct nadi_doc_node *node,
                      int64_t *value) NADI_MUST_USE;
/* Would YAML 1.1 read the scalar as another value than YAML 1.2? Quotes do not count: the
 * reference's reader does not see them. */
bool nadi_doc_two_ways(const struct nadi_doc *doc, const struct nadi_doc_node *node);
/* The value in words: "the list of 3", "the text \"ring\"", "the number 2.5"; in `buffer`. */
const char *nadi_doc_describe(const struct nadi_doc *doc, const struct nadi_doc_node *node,
                              char buffer[96]);

#endif
