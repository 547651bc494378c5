/* xml: what Expat reads of an XML text, as a tree.
 *
 * Expat expands no entity of another file, and refuses those of the text itself that grow too
 * large. An allocation that fails may not leave Expat by a jump: it is told to stop, and the
 * failure is raised behind it. */
#include "format/xml.h"

#include <expat.h>

#include "base/hold.h"
#include "base/mem.h"

enum { PIECE = 1 << 20 }; /* bytes that Expat gets at once */

struct reader {
    XML_Parser parser;
    struct nadi_xml *root, *newest;
    struct nadi_xml *open; /* the innermost element whose end has not been seen */
    bool lacking;
};

/* Copies a text to *at, which moves behind it. */
static const char *put(char **at, const char *text)
{
    const size_t bytes = strlen(text) + 1;
    const char *copy = memcpy(*at, text, bytes);
    *at += bytes;
    return copy;
}

/* The element with room for its attributes' pointers and all texts behind it; NULL: no memory. */
static struct nadi_xml *new_element(const char *name, const char **attributes)
{
    size_t count = 0, bytes = strlen(name) + 1;
    for (; attributes[count]; count++)
        bytes += strlen(attributes[count]) + 1;
    const size_t pointers = (count + 1) * sizeof(char *);
    struct nadi_xml *e = nadi_mem_try(sizeof(*e) + pointers + bytes);
    if (!e)
        return NULL;
    const char **copies = (const char **)(e + 1);
    char *text = (char *)(e + 1) + pointers;
    e->name = put(&text, name);
    e->attributes = copies;
    for (size_t i = 0; i < count; i++)
        copies[i] = put(&text, attributes[i]);
    return e;
}

static uint32_t line_of(const struct reader *r)
{
    return (uint32_t)nadi_min_u64(XML_GetCurrentLineNumber(r->parser), UINT32_MAX);
}

static void start(void *reader, const char *name, const char **attributes)
{
    struct reader *r = reader;
    struct nadi_xml *e = new_element(name, attributes);
    if (!e) {
        r->lacking = true;
        XML_StopParser(r->parser, XML_FALSE);
        return;
    }
    e->line = line_of(r);
    e->parent = r->open;
    if (!r->root)
        r->root = e;
    else
        r->newest->after = e;
    if (e->parent && e->parent->last)
        e->parent->last->next = e;
    else if (e->parent)
        e->parent->first = e;
    if (e->parent)
        e->parent->last = e;
    r->newest = r->open = e;
}

static void end(void *reader, const char *name)
{
    struct reader *r = reader;
    (void)name;
    if (r->open) /* NULL: the parser was stopped at its start */
        r->open = r->open->parent;
}

static bool parse(struct reader *r, const char *text, size_t bytes)
{
    for (size_t at = 0;;) {
        const size_t piece = (size_t)nadi_min_u64(bytes - at, PIECE);
        if (XML_Parse(r->parser, text + at, (int)piece, at + piece == bytes) != XML_STATUS_OK)
            return false;
        at += piece;
        if (at == bytes)
            return true;
    }
}

static void free_parser(void *parser)
{
    XML_ParserFree(parser);
}

static void describe(const struct reader *r, struct nadi_xml_error *error)
{
    const enum XML_Error code = XML_GetErrorCode(r->parser);
    error->line = line_of(r);
    if (r->open && (code == XML_ERROR_NO_ELEMENTS || code == XML_ERROR_TAG_MISMATCH))
        snprintf(error->text, sizeof(error->text), "<%.80s> of line %u does not end before it",
                 r->open->name, r->open->line);
    else
        snprintf(error->text, sizeof(error->text), "%s", XML_ErrorString(code));
}

struct nadi_xml *nadi_xml_parse(const char *text, size_t bytes, struct nadi_xml_error *error)
{
    struct reader r = {.parser = XML_ParserCreate(NULL)};
    if (!r.parser)
        nadi_mem_lacking("Expat");
    struct nadi_hold *hold = nadi_hold(r.parser, free_parser);
    XML_SetUserData(r.parser, &r);
    XML_SetElementHandler(r.parser, start, end);
    const bool ok = parse(&r, text, bytes);
    if (!ok)
        describe(&r, error);
    if (r.lacking || XML_GetErrorCode(r.parser) == XML_ERROR_NO_MEMORY)
        nadi_mem_lacking("Expat");
    nadi_unhold(hold);
    XML_ParserFree(r.parser);
    if (ok)
        return r.root;
    nadi_xml_free(r.root);
    return NULL;
}

void nadi_xml_free(struct nadi_xml *root)
{
    while (root) {
        struct nadi_xml *after = root->after;
        nadi_mem_free(root);
        root = after;
    }
}

const char *nadi_xml_attribute(const struct nadi_xml *element, const char *name)
{
    for (const char *const *a = element->attributes; *a; a += 2)
        if (strcmp(a[0], name) == 0)
            return a[1];
    return NULL;
}
