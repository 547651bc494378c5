#include "api/inside.h"
#include "api/run_settings.h"
#include "base/str.h"
#include "report/columns.h"

static char *taken(struct nadi_str *text)
{
    nadi_str_add(text, ""); /* an empty text is "", not NULL */
    return text->text;
}

/* An option may be written as one. */
static const char *bare(const char *key)
{
    return key ? key + (nadi_str_starts(key, "--") ? 2 : 0) : NULL;
}

char *nadi_do_explain_key(const char *key, int *known)
{
    struct nadi_str text = NADI_STR_INIT;
    *known = nadi_explain(nadi_run_tables, bare(key), &text);
    return taken(&text);
}

char *nadi_do_explain_json(const char *key, int *known)
{
    struct nadi_str text = NADI_STR_INIT;
    *known = nadi_explain_as_json(nadi_run_tables, bare(key), &text);
    return taken(&text);
}

const char *nadi_input_kind(size_t index)
{
    return index < NADI_SCHEMA_KINDS ? nadi_schema_of((enum nadi_schema_kind)index)->name : NULL;
}

char *nadi_do_result_page(void)
{
    struct nadi_str text = NADI_STR_INIT;
    nadi_views_markdown(&text);
    return taken(&text);
}

char *nadi_do_input_page(size_t index)
{
    struct nadi_str text = NADI_STR_INIT;
    nadi_schema_markdown((enum nadi_schema_kind)index, &text);
    return taken(&text);
}
