/* load_groups: groups file -> process groups. */
#include "base/mem.h"
#include "base/str.h"
#include "inputs/load.h"

struct members { /* of the group being read */
    uint32_t *ranks;
    uint32_t count;
    uint64_t *seen; /* a bit a rank */
};

static bool read_member(struct nadi_load *l, const struct nadi_doc *doc, const char *group,
                        const struct nadi_doc_node *node, struct members *m)
{
    double number = 0;
    char found[96];
    uint32_t ranks = l->in->rank_count;
    enum nadi_doc_scalar kind = nadi_doc_classify(doc, node, &number);
    if (kind != NADI_DOC_INTEGER)
        return nadi_error(l->diags, "groups/rank", nadi_doc_place(doc, node), NULL,
                          "group \"%s\" must list rank numbers, found %s", group,
                          nadi_doc_describe(doc, node, found));
    if (!(number >= 0 && number < (double)ranks))
        return nadi_error(l->diags, "groups/rank", nadi_doc_place(doc, node), NULL,
                          "group \"%s\" has rank %s, the network has ranks 0-%u", group, node->text,
                          ranks - 1);
    uint32_t rank = (uint32_t)number;
    if (m->seen[rank / 64] >> rank % 64 & 1)
        return nadi_error(l->diags, "groups/twice", nadi_doc_place(doc, node), "list it once",
                          "group \"%s\" has rank %u twice", group, rank);
    m->seen[rank / 64] |= UINT64_C(1) << rank % 64;
    m->ranks[m->count++] = rank;
    return true;
}

static bool read_group(struct nadi_load *l, const struct nadi_doc *doc,
                       const struct nadi_doc_node *group, struct members *m)
{
    char found[96];
    if (nadi_doc_key(group)[0] == '\0')
        return nadi_error(l->diags, "groups/name", nadi_doc_key_place(doc, group),
                          "give the group another name",
                          "the empty name stands for all ranks and cannot be defined");
    if (group->kind != NADI_DOC_LIST)
        return nadi_error(l->diags, "groups/list", nadi_doc_place(doc, group),
                          "for example: \"tp0\": [0, 1]",
                          "group \"%s\" must be a list of ranks, found %s", nadi_doc_key(group),
                          nadi_doc_describe(doc, group, found));
    if (group->count == 0) {
        nadi_warning(l->diags, "groups/empty", nadi_doc_place(doc, group), "remove it",
                     "group \"%s\" has no ranks and is left out", nadi_doc_key(group));
        return true;
    }
    bool ok = true;
    m->count = 0;
    for (const struct nadi_doc_node *n = group->first; n && ok; n = n->next)
        ok = read_member(l, doc, nadi_doc_key(group), n, m);
    if (ok) {
        bool existed;
        nadi_groups_add(&l->in->groups, nadi_doc_key(group), m->ranks, m->count, &existed);
    }
    for (uint32_t i = 0; i < m->count; i++)
        m->seen[m->ranks[i] / 64] = 0;
    return ok;
}

static bool read_groups(struct nadi_load *l, const struct nadi_doc *doc)
{
    char found[96];
    if (doc->root->kind != NADI_DOC_MAP)
        return nadi_error(l->diags, "groups/map", nadi_doc_place(doc, doc->root),
                          "for example: {\"tp0\": [0, 1], \"tp1\": [2, 3]}",
                          "the groups file must map names to lists of ranks, found %s",
                          nadi_doc_describe(doc, doc->root, found));
    uint32_t ranks = l->in->rank_count;
    uint32_t longest = 0;
    for (const struct nadi_doc_node *n = doc->root->first; n; n = n->next)
        longest = n->count > longest ? n->count : longest;
    struct members m = {
        .ranks = NADI_NEW(uint32_t, longest),
        .seen = NADI_ZNEW(uint64_t, (size_t)ranks / 64 + 1),
    };
    bool ok = true;
    for (const struct nadi_doc_node *n = doc->root->first; n; n = n->next)
        ok &= read_group(l, doc, n, &m);
    nadi_mem_free(m.ranks);
    nadi_mem_free(m.seen);
    return ok;
}

bool nadi_load_groups(struct nadi_load *l)
{
    struct nadi_doc doc;
    if (!l->in->options.groups)
        return true;
    if (!nadi_load_document(l, NADI_SCHEMA_GROUPS, l->in->options.groups, &doc))
        return false;
    bool ok = read_groups(l, &doc);
    nadi_doc_release(&doc);
    return ok;
}
