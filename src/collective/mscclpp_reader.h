/* mscclpp_reader: what is in hand while an MSCCL++ execution plan is read, and values of its
 * document. Private to table_mscclpp and mscclpp_channels. */
#ifndef NADI_COLLECTIVE_MSCCLPP_READER_H
#define NADI_COLLECTIVE_MSCCLPP_READER_H

#include "collective/mscclpp.h"

struct nadi_mscclpp_reader {
    struct nadi_table_file *f;
    const struct nadi_doc *doc;
    struct nadi_diags *diags;
    struct nadi_mscclpp plan;
    const struct nadi_doc_node **gpus; /* by id */
    uint32_t n, slices;                /* a chunk is so many blocks */
    uint32_t member;                   /* in hand: its gpu, ... */
    const struct nadi_doc_node *block; /* ... threadblock, ... */
    const struct nadi_doc_node *op;    /* ... and operation */
};

static inline bool nadi_mscclpp_refuse(const struct nadi_mscclpp_reader *r,
                                       const struct nadi_doc_node *at, const char *hint,
                                       const char *said)
{
    return nadi_error(r->diags, "mscclpp/plan", nadi_doc_place(r->doc, at), hint, "%s", said);
}

static inline const struct nadi_doc_node *nadi_mscclpp_value(const struct nadi_doc_node *map,
                                                             const char *key)
{
    return map && map->kind == NADI_DOC_MAP ? nadi_doc_find(map, key) : NULL;
}

static inline const char *nadi_mscclpp_text(const struct nadi_doc_node *map, const char *key)
{
    const struct nadi_doc_node *node = nadi_mscclpp_value(map, key);
    return node && node->kind == NADI_DOC_SCALAR ? node->text : "";
}

static inline bool nadi_mscclpp_integer(const struct nadi_mscclpp_reader *r,
                                        const struct nadi_doc_node *map, const char *key,
                                        uint32_t most, uint32_t *value)
{
    uint64_t number;
    const struct nadi_doc_node *node = nadi_mscclpp_value(map, key);
    *value = 0;
    if (node && node->kind == NADI_DOC_SCALAR && nadi_str_to_u64(node->text, &number) &&
        number <= most) {
        *value = (uint32_t)number;
        return true;
    }
    return nadi_error(r->diags, "mscclpp/plan", nadi_doc_place(r->doc, node ? node : map), NULL,
                      "'%s' is to be a whole number up to %u", key, most);
}

/* One of two spellings; absent: 0. */
static inline bool nadi_mscclpp_count(const struct nadi_mscclpp_reader *r,
                                      const struct nadi_doc_node *map, const char *newer,
                                      const char *older, uint32_t *value)
{
    *value = 0;
    const char *key = nadi_mscclpp_value(map, newer) ? newer : older;
    return !nadi_mscclpp_value(map, key) ||
           nadi_mscclpp_integer(r, map, key, NADI_TABLE_MOST_SLOTS, value);
}

static inline const struct nadi_doc_node *nadi_mscclpp_first(const struct nadi_doc_node *map,
                                                             const char *key)
{
    const struct nadi_doc_node *list = nadi_mscclpp_value(map, key);
    return list && list->kind == NADI_DOC_LIST ? list->first : NULL;
}

/* Entry `index` of a list of numbers. */
static inline bool nadi_mscclpp_number(const struct nadi_doc_node *list, uint32_t index,
                                       uint32_t *value)
{
    uint64_t number;
    const struct nadi_doc_node *n = list && list->kind == NADI_DOC_LIST ? list->first : NULL;
    for (; n && index > 0; index--)
        n = n->next;
    if (!n || n->kind != NADI_DOC_SCALAR || !nadi_str_to_u64(n->text, &number) ||
        number >= UINT32_MAX)
        return false;
    *value = (uint32_t)number;
    return true;
}

/* A number for a channel's type and, in the older spelling, its buffers. */
uint32_t nadi_mscclpp_kind(const char *type, const char *src, const char *dst);
/* The channels of a member, and its groups behind the switch. */
bool nadi_mscclpp_read_channels(struct nadi_mscclpp_reader *r, uint32_t member) NADI_MUST_USE;
/* The member's channel that entry `id` of the threadblock's channels of a kind is. */
bool nadi_mscclpp_find_channel(const struct nadi_mscclpp_reader *r, uint32_t kind, uint32_t id,
                               uint32_t *channel) NADI_MUST_USE;
/* The same of its groups behind the switch. */
bool nadi_mscclpp_find_group(const struct nadi_mscclpp_reader *r, uint32_t id,
                             uint32_t *group) NADI_MUST_USE;

#endif
