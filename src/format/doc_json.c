/* doc_json: a JSON document to its tree, in one pass of the tokenizer over a copy of the text.
 * Strings keep their place in the copy, escapes resolved; numbers too, ended where the comma or
 * bracket stood. */
#include "base/str.h"
#include "format/doc_build.h"
#include "format/json_pull.h"

struct reader {
    struct nadi_doc_builder *b;
    struct nadi_pull s;
    char *copy; /* of the text, which s reads */
    const char *line_start;
    size_t inner, line_inner; /* bytes that continue a character of UTF-8: so far, up to the line */
    uint32_t line;
    char *number_end; /* of a number that is not yet terminated */
};

/* What stands where something else is wanted. */
static const char *oddity(char c, const char *wanted)
{
    return c == '\''              ? "JSON texts need double quotes, not single ones"
           : c == '#' || c == '/' ? "comments are not JSON"
                                  : wanted;
}

static const char not_a_value[] =
    "not a JSON value (texts need double quotes; comments and words like NaN are not JSON)";

static uint32_t column_of(const struct reader *r, const char *at)
{
    return (uint32_t)((size_t)(at - r->line_start) - (r->inner - r->line_inner)) + 1;
}

static bool refuse(struct reader *r, const char *at, const char *message)
{
    return nadi_doc_syntax_error(r->b, message, r->line, column_of(r, at));
}

/* The next character that is not blank; '\0' at the end. */
static char peek(struct reader *r)
{
    for (; r->s.at < r->s.end; r->s.at++) {
        const char c = *r->s.at;
        if (c == '\n') {
            r->line++;
            r->line_start = r->s.at + 1;
            r->line_inner = r->inner;
        } else if (c != ' ' && c != '\t' && c != '\r') {
            break;
        }
    }
    const char next = r->s.at < r->s.end ? *r->s.at : '\0';
    if (r->number_end)
        *r->number_end = '\0';
    r->number_end = NULL;
    return next;
}

/* A string at its opening quote. */
static bool read_string(struct reader *r, const char **text, uint32_t *column)
{
    char *begin = r->copy + (r->s.at - r->copy) + 1;
    struct nadi_view view;
    *column = column_of(r, r->s.at++);
    if (!nadi_pull_strict_string(&r->s, &view, &r->inner)) {
        const bool open = r->s.at == r->s.end || *r->s.at == '\n' || *r->s.at == '\r';
        if (open)
            return nadi_doc_syntax_error(r->b, "a text is not closed on its line", r->line,
                                         *column);
        return refuse(r, r->s.at, r->s.fault);
    }
    const size_t bytes = view.escaped ? nadi_view_unescape(view, begin) : view.bytes;
    if (memchr(begin, '\0', bytes))
        return nadi_doc_nul_error(r->b, r->line, *column);
    begin[bytes] = '\0'; /* at the closing quote or before it */
    *text = begin;
    return true;
}

static bool read_key(struct reader *r)
{
    const char *text;
    uint32_t column;
    const char c = peek(r);
    if (c != '"')
        return refuse(r, r->s.at,
                      oddity(c, c == ':' ? "a key is missing before the ':'" : not_a_value));
    if (!read_string(r, &text, &column))
        return false;
    nadi_doc_build_key(r->b, text, r->line, column);
    const char colon = peek(r);
    if (colon != ':')
        return refuse(r, r->s.at, oddity(colon, "the ':' and the value of the key are missing"));
    r->s.at++;
    return true;
}

static bool is_end_of_word(const struct reader *r, const char *at)
{
    return at == r->s.end || strchr(" \t\r\n,:]}", *at);
}

static bool read_word(struct reader *r, const char *word)
{
    const char *at = r->s.at;
    const size_t bytes = strlen(word);
    if ((size_t)(r->s.end - at) < bytes || memcmp(at, word, bytes) != 0 ||
        !is_end_of_word(r, at + bytes))
        return refuse(r, at, not_a_value);
    r->s.at += bytes;
    return nadi_doc_build_scalar(r->b, word, false, r->line, column_of(r, at));
}

static bool read_number(struct reader *r)
{
    const char *at = r->s.at;
    if (!nadi_pull_strict_number(&r->s) || !is_end_of_word(r, r->s.at))
        return refuse(r, at, not_a_value);
    r->number_end = r->copy + (r->s.at - r->copy);
    return nadi_doc_build_scalar(r->b, at, false, r->line, column_of(r, at));
}

/* What Python writes for numbers that JSON does not have. */
static const char *python_word(const struct reader *r, char c)
{
    const size_t left = (size_t)(r->s.end - r->s.at);
    if (r->b->doc->syntax != NADI_DOC_JSON_PYTHON)
        return NULL;
    return c == 'N'                                    ? "NaN"
           : c == 'I'                                  ? "Infinity"
           : c == '-' && left > 1 && r->s.at[1] == 'I' ? "-Infinity"
                                                       : NULL;
}

/* A scalar, or the opening bracket of a list or map. */
static bool read_value(struct reader *r)
{
    const char c = peek(r);
    const char *text;
    uint32_t column;
    switch (c) {
    case '{':
    case '[':
        return nadi_doc_build_open(r->b, c == '{' ? NADI_DOC_MAP : NADI_DOC_LIST, r->line,
                                   column_of(r, r->s.at++));
    case '"':
        return read_string(r, &text, &column) &&
               nadi_doc_build_scalar(r->b, text, true, r->line, column);
    case 't':
        return read_word(r, "true");
    case 'f':
        return read_word(r, "false");
    case 'n':
        return read_word(r, "null");
    case ',':
    case ']':
    case '}':
        return refuse(r, r->s.at, "a value is missing");
    case '\0':
        return refuse(r, r->s.at, "a value is missing: the file ends");
    default:
        break;
    }
    if (python_word(r, c))
        return read_word(r, python_word(r, c));
    return c == '-' || (c >= '0' && c <= '9') ? read_number(r)
                                              : refuse(r, r->s.at, oddity(c, not_a_value));
}

/* Behind a value in a list or map: closes what is closed here. *more: another item follows. */
static bool read_end(struct reader *r, bool *more)
{
    *more = false;
    while (r->b->depth) {
        const bool map = r->b->frames[r->b->depth - 1].node->kind == NADI_DOC_MAP;
        const char c = peek(r);
        if (c == ',') {
            const uint32_t line = r->line, column = column_of(r, r->s.at);
            r->s.at++;
            const char next = peek(r);
            *more = true;
            return (next != ']' && next != '}') ||
                   nadi_doc_syntax_error(r->b, "a comma with nothing after it", line, column);
        }
        if (c != ']' && c != '}')
            return refuse(r, r->s.at, oddity(c, "a comma or a closing bracket is missing"));
        if (c != (map ? '}' : ']'))
            return refuse(r, r->s.at, "closing bracket of the wrong kind");
        r->s.at++;
        if (!nadi_doc_build_close(r->b))
            return false;
    }
    return true;
}

static bool is_empty(struct reader *r)
{
    const struct nadi_doc_node *node = r->b->frames[r->b->depth - 1].node;
    return peek(r) == (node->kind == NADI_DOC_MAP ? '}' : ']');
}

static bool read_all(struct reader *r)
{
    for (bool more = true; more;) {
        const size_t depth = r->b->depth;
        const bool in_map = nadi_doc_awaits_key(r->b);
        if ((in_map && !read_key(r)) || !read_value(r))
            return false;
        if (r->b->depth > depth && !is_empty(r))
            continue;
        if (!read_end(r, &more))
            return false;
    }
    const char c = peek(r);
    return c == '\0' || refuse(r, r->s.at, oddity(c, "something follows the end of the document"));
}

bool nadi_doc_read_json(struct nadi_doc_builder *b)
{
    const size_t bytes = b->text->bytes;
    char *copy = nadi_arena_alloc(&b->doc->arena, bytes + NADI_PULL_PAD, 1);
    memcpy(copy, b->text->text, bytes);
    memset(copy + bytes, 0, NADI_PULL_PAD);
    struct reader r = {
        .b = b,
        .s = nadi_pull_of(copy, bytes),
        .copy = copy,
        .line_start = copy,
        .line = 1,
    };
    return peek(&r) ? read_all(&r) : nadi_doc_empty_error(b);
}
