/* manifest_groups: families of groups of a workload manifest: along some axes, one group for each
 * place on the others. O(ranks) a family. */
#include "base/mem.h"
#include "base/str.h"
#include "inputs/manifest.h"

struct family {
    const char *name;
    const struct nadi_manifest_axis *along[NADI_MANIFEST_AXES], *across[NADI_MANIFEST_AXES];
    uint32_t along_count, across_count;
    uint32_t size, count; /* of a group; of groups */
};

static bool add_axis(struct nadi_manifest *m, struct family *f, const struct nadi_doc_node *node)
{
    char found[96];
    struct nadi_place place = nadi_doc_place(m->doc, node);
    if (node->kind != NADI_DOC_SCALAR)
        return nadi_error(m->l->diags, "manifest/groups", place, "for example: tp: [tp]",
                          "group '%s' must be a list of axes, found %s in it", f->name,
                          nadi_doc_describe(m->doc, node, found));
    const struct nadi_manifest_axis *axis = nadi_manifest_axis(m, node->text);
    if (!axis)
        return nadi_manifest_no_axis(m, place, node->text);
    for (uint32_t i = 0; i < f->along_count; i++)
        if (f->along[i] == axis)
            return nadi_error(m->l->diags, "manifest/groups", place, "name it once",
                              "group '%s' has axis '%s' twice", f->name, axis->name);
    f->along[f->along_count++] = axis;
    return true;
}

static bool read_family(struct nadi_manifest *m, struct family *f, const struct nadi_doc_node *node)
{
    char found[96];
    *f = (struct family){.name = nadi_doc_key(node), .size = 1};
    if (nadi_doc_key(node)[0] == '\0' ||
        nadi_groups_find(&m->l->in->groups, nadi_doc_key(node)) != NADI_NONE)
        return nadi_error(m->l->diags, "manifest/groups", nadi_doc_key_place(m->doc, node),
                          "give it another name",
                          nadi_doc_key(node)[0] ? "group '%s' is also defined in the groups file"
                                                : "the empty name '%s' stands for all ranks",
                          nadi_doc_key(node));
    if (node->kind != NADI_DOC_LIST || node->count == 0)
        return nadi_error(m->l->diags, "manifest/groups", nadi_doc_place(m->doc, node),
                          "for example: tp: [tp]", "group '%s' must be a list of axes, found %s",
                          nadi_doc_key(node), nadi_doc_describe(m->doc, node, found));
    for (const struct nadi_doc_node *n = node->first; n; n = n->next)
        if (!add_axis(m, f, n))
            return false;
    for (uint32_t i = 0; i < m->axis_count; i++) {
        bool along = false;
        for (uint32_t k = 0; k < f->along_count; k++)
            along |= f->along[k] == &m->axes[i];
        if (along)
            f->size *= m->axes[i].size;
        else
            f->across[f->across_count++] = &m->axes[i];
    }
    f->count = m->axes_product / f->size;
    return true;
}

/* "dp[tp=3,pp=0]": the group on that place of the other axes. */
static void name_group(const struct family *f, uint32_t rank, struct nadi_str *out)
{
    nadi_str_clear(out);
    nadi_str_add(out, f->name);
    for (uint32_t i = 0; i < f->across_count; i++)
        nadi_str_printf(out, "%s%s=%u", i ? "," : "[", f->across[i]->name,
                        rank / f->across[i]->stride % f->across[i]->size);
    nadi_str_add(out, f->across_count ? "]" : "");
}

/* Distances of the members from the group's lowest rank, in the order of the group. */
static void list_offsets(const struct family *f, uint32_t *offsets)
{
    uint32_t count = 1;
    offsets[0] = 0;
    for (uint32_t a = 0; a < f->along_count; a++) {
        for (uint32_t i = 1; i < f->along[a]->size; i++)
            for (uint32_t k = 0; k < count; k++)
                offsets[i * count + k] = offsets[k] + i * f->along[a]->stride;
        count *= f->along[a]->size;
    }
}

static uint32_t lowest_rank(const struct family *f, uint32_t group)
{
    uint32_t rank = 0;
    for (uint32_t i = 0; i < f->across_count; i++) {
        rank += group % f->across[i]->size * f->across[i]->stride;
        group /= f->across[i]->size;
    }
    return rank;
}

static void add_family(struct nadi_manifest *m, const struct family *f)
{
    struct nadi_groups *groups = &m->l->in->groups;
    uint32_t *offsets = NADI_NEW(uint32_t, f->size), *members = NADI_NEW(uint32_t, f->size);
    uint32_t *group_of = NADI_NEW(uint32_t, m->axes_product);
    struct nadi_str name = NADI_STR_INIT;
    list_offsets(f, offsets);
    for (uint32_t i = 0; i < f->count; i++) {
        uint32_t base = lowest_rank(f, i);
        for (uint32_t k = 0; k < f->size; k++)
            members[k] = base + offsets[k];
        name_group(f, base, &name);
        uint32_t group = nadi_groups_add_nameless(groups, nadi_str_get(&name), members, f->size);
        for (uint32_t k = 0; k < f->size; k++)
            group_of[members[k]] = group;
    }
    nadi_groups_add_family(groups, f->name, group_of, m->axes_product);
    nadi_str_release(&name);
    nadi_mem_free(offsets);
    nadi_mem_free(members);
    nadi_mem_free(group_of);
}

bool nadi_manifest_groups(struct nadi_manifest *m, const struct nadi_doc_node *map)
{
    bool ok = true;
    for (const struct nadi_doc_node *n = map->first; n; n = n->next) {
        struct family f;
        if (read_family(m, &f, n))
            add_family(m, &f);
        else
            ok = false;
    }
    return ok;
}
