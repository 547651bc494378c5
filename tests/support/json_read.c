#include "support/json_read.h"

#include "base/str.h"

#include <setjmp.h>

#include <cmocka.h>

struct fy_document *json_read(const char *text)
{
    const struct fy_parse_cfg config = {.flags =
                                            FYPCF_JSON_FORCE | FYPCF_QUIET | FYPCF_DEFAULT_DOC};
    /* The document takes the copy over, and frees it as the C library does. */
    return fy_document_build_from_malloc_string(&config, strdup(text), strlen(text));
}

static struct fy_node *find(struct fy_document *doc, const char *path)
{
    return fy_node_by_path(fy_document_root(doc), path, FY_NT, FYNWF_DONT_FOLLOW);
}

const char *json_at(struct fy_document *doc, const char *path)
{
    struct fy_node *node = find(doc, path);
    const char *text = node ? fy_node_get_scalar0(node) : NULL;
    return text ? text : "";
}

double json_number(struct fy_document *doc, const char *path)
{
    double value;
    if (!nadi_str_to_double(json_at(doc, path), &value))
        fail_msg("%s is \"%s\", not a number", path, json_at(doc, path));
    return value;
}

uint64_t json_u64(struct fy_document *doc, const char *path)
{
    uint64_t value;
    if (!nadi_str_to_u64(json_at(doc, path), &value))
        fail_msg("%s is \"%s\", not an integer", path, json_at(doc, path));
    return value;
}

int json_length(struct fy_document *doc, const char *path)
{
    struct fy_node *node = find(doc, path);
    return node && fy_node_is_sequence(node) ? fy_node_sequence_item_count(node) : -1;
}
