/* load_metadata: process groups that METADATA nodes of the traces define.
 *
 * The node's inputs.values is the text of a list with one text in it, and that text is a JSON array
 * of {"pg_name": name, "ranks": [ranks]}; no ranks stand for all of them. What cannot be read is
 * a warning, as metadata may say anything. */
#include "base/mem.h"
#include "base/str.h"
#include "inputs/load.h"

struct source { /* the node that is being read */
    const struct nadi_trace *trace;
    uint32_t rank, node;
};

static struct nadi_place place_of(struct nadi_load *l, const struct source *s)
{
    return nadi_trace_place(s->trace, s->rank, s->node, &l->diags->arena);
}

static void skip(struct nadi_load *l, const struct source *s, const char *why)
{
    nadi_warning(l->diags, "metadata/groups", place_of(l, s), NULL,
                 "the process groups of this METADATA node are not read: %s", why);
}

static bool has_members(const struct nadi_group *g, const uint32_t *members, uint32_t count)
{
    if (g->size != count)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (nadi_group_member(g, i) != members[i])
            return false;
    return true;
}

static bool add_group(struct nadi_load *l, const struct source *s, const char *name,
                      const uint32_t *members, uint32_t count, size_t from_file)
{
    bool existed;
    uint32_t index = nadi_groups_add(&l->in->groups, name, members, count, &existed);
    if (!existed || has_members(&l->in->groups.items[index], members, count))
        return true;
    if (index < from_file) {
        nadi_warning(l->diags, "metadata/redefined", place_of(l, s),
                     "remove the group from the groups file to use the trace's",
                     "process group \"%s\" has other ranks here than in the groups file, which is "
                     "used",
                     name);
        return true;
    }
    return nadi_error(l->diags, "metadata/conflict", place_of(l, s),
                      "give the groups different names, or define them in a groups file",
                      "process group \"%s\" has other ranks here than on an earlier rank", name);
}

/* Members of one entry to `members`; false with a reason when it cannot be read. */
static bool read_ranks(const struct nadi_doc *doc, const struct nadi_doc_node *list,
                       uint32_t rank_count, uint32_t *members, uint32_t *count, const char **why)
{
    *count = 0;
    if (!list || (list->kind == NADI_DOC_LIST && list->count == 0)) {
        for (; *count < rank_count; ++*count)
            members[*count] = *count;
        return true;
    }
    *why = list->kind == NADI_DOC_LIST ? "a rank beyond the network" : "ranks are not a list";
    if (list->kind != NADI_DOC_LIST || list->count > rank_count)
        return false;
    for (const struct nadi_doc_node *n = list->first; n; n = n->next) {
        double number = -1;
        if (nadi_doc_classify(doc, n, &number) != NADI_DOC_INTEGER || number < 0 ||
            number >= (double)rank_count)
            return false;
        members[(*count)++] = (uint32_t)number;
    }
    for (uint32_t i = 0; i < *count; i++)
        for (uint32_t j = 0; j < i; j++)
            if (members[i] == members[j]) {
                *why = "a rank is listed twice";
                return false;
            }
    return true;
}

static bool read_entries(struct nadi_load *l, const struct source *s, const struct nadi_doc *doc,
                         size_t from_file)
{
    if (doc->root->kind != NADI_DOC_LIST) {
        skip(l, s, "not an array");
        return true;
    }
    uint32_t *members = NADI_NEW(uint32_t, l->in->rank_count);
    bool ok = true;
    for (const struct nadi_doc_node *n = doc->root->first; n; n = n->next) {
        const struct nadi_doc_node *name =
            n->kind == NADI_DOC_MAP ? nadi_doc_find(n, "pg_name") : NULL;
        const char *why = "an entry has no pg_name";
        uint32_t count = 0;
        if (!name || name->kind != NADI_DOC_SCALAR || !name->text[0] ||
            !read_ranks(doc, nadi_doc_find(n, "ranks"), l->in->rank_count, members, &count, &why))
            skip(l, s, why);
        else
            ok &= add_group(l, s, name->text, members, count, from_file);
    }
    nadi_mem_free(members);
    return ok;
}

static bool read_node(struct nadi_load *l, const struct source *s, const char *text,
                      size_t from_file)
{
    size_t length = strlen(text);
    if (!strstr(text, "pg_name"))
        return true; /* says other things */
    if (length <= 4 || text[0] != '[' || (text[1] != '\'' && text[1] != '"')) {
        skip(l, s, "not a list with one text in it");
        return true;
    }
    struct nadi_doc doc;
    struct nadi_diags inner;
    nadi_diags_init(&inner);
    bool parsed = nadi_doc_parse(&doc, s->trace->path, text + 2, length - 4, NADI_DOC_JSON, &inner);
    bool ok = true;
    if (parsed) {
        ok = read_entries(l, s, &doc, from_file);
        nadi_doc_release(&doc);
    } else {
        skip(l, s, inner.items[0].message);
    }
    nadi_diags_release(&inner);
    return ok;
}

bool nadi_load_metadata_groups(struct nadi_load *l)
{
    struct nadi_inputs *in = l->in;
    size_t from_file = in->groups.count;
    bool ok = true,
         *seen = NADI_ZNEW(bool, in->owned_count); /* ranks with one trace say the same */
    uint32_t *trace_of = NADI_NEW(uint32_t, in->rank_count);
    nadi_trace_numbers(in, trace_of);
    for (uint32_t r = 0; r < in->rank_count; r++) {
        const struct nadi_trace *t = in->traces[r];
        for (uint32_t i = 0; i < t->metadata_count && !seen[trace_of[r]]; i++) {
            struct source s = {.trace = t, .rank = r, .node = t->metadata_node[i]};
            ok &= read_node(l, &s, nadi_trace_string(t, t->metadata_text[i]), from_file);
        }
        seen[trace_of[r]] = true;
    }
    nadi_mem_free(seen);
    nadi_mem_free(trace_of);
    return ok;
}
