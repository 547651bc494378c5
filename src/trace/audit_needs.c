/* audit_needs: what a simulation needs of a node, by its type. Each lack is reported once a file,
 * with its first node and how many more there are. */
#include "trace/attr.h"
#include "trace/audit.h"
#include "trace/mem.h"

struct need {
    uint32_t type; /* enum nadi_node_type */
    const char *attr;
    const char *hint;
    const char *or_attr;   /* enough instead; NULL: nothing is */
    const char *with_attr; /* needed where the node has this one; NULL: always */
    bool moves;            /* not where chakra.mem.mem_op is ALLOC, FREE or MISS */
};

#define MEM_NEEDS(type)                                                                            \
    {type, "tensor_size", "add an integer attribute tensor_size, in bytes", NADI_MEM_ATTR_BYTES,   \
     NULL, true},                                                                                  \
        {type, NADI_MEM_ATTR_ROLE, extension, NULL, NADI_MEM_ATTR_OP, false},                      \
        {type, NADI_MEM_ATTR_DST, extension, NULL, NADI_MEM_ATTR_OP, false},                       \
    {                                                                                              \
        type, NADI_MEM_ATTR_SRC, extension, NULL, NADI_MEM_ATTR_OP, true                           \
    }

static const char extension[] =
    "the memory extension of Chakra requires mem_op, mem_role and the tiers";

static const struct need needs[] = {
    {NADI_NODE_COLL, "comm_type", "without it a collective cannot be told from an ALL_REDUCE (0)",
     NULL, NULL, false},
    {NADI_NODE_COLL, "comm_size", "add an integer attribute comm_size, in bytes", NULL, NULL,
     false},
    {NADI_NODE_SEND, "comm_size", "add an integer attribute comm_size, in bytes", NULL, NULL,
     false},
    {NADI_NODE_SEND, "comm_dst", "name the receiving rank", NULL, NULL, false},
    {NADI_NODE_SEND, "comm_tag", "add an integer attribute comm_tag, equal on both sides", NULL,
     NULL, false},
    {NADI_NODE_RECV, "comm_size", "add an integer attribute comm_size, in bytes", NULL, NULL,
     false},
    {NADI_NODE_RECV, "comm_src", "name the sending rank", NULL, NULL, false},
    {NADI_NODE_RECV, "comm_tag", "add an integer attribute comm_tag, equal on both sides", NULL,
     NULL, false},
    MEM_NEEDS(NADI_NODE_MEM_LOAD),
    MEM_NEEDS(NADI_NODE_MEM_STORE),
};

enum { NEEDS = sizeof(needs) / sizeof(needs[0]) };

static bool has(const struct nadi_full_node *n, const char *name)
{
    struct nadi_named_attr attr;
    return name && nadi_full_attr(n, name, &attr);
}

static bool moves(const struct nadi_full_node *n)
{
    static const char *const still[] = {"ALLOC", "FREE", "MISS"};
    struct nadi_named_attr attr;
    if (!nadi_full_attr(n, NADI_MEM_ATTR_OP, &attr))
        return true;
    for (size_t i = 0; i < 3; i++)
        if (attr.value.bytes == strlen(still[i]) &&
            memcmp(attr.value.data, still[i], attr.value.bytes) == 0)
            return false;
    return true;
}

static bool lacks(const struct nadi_full_node *n, const struct need *need)
{
    if (need->type != n->type || has(n, need->attr) || has(n, need->or_attr))
        return false;
    return (!need->with_attr || has(n, need->with_attr)) && (!need->moves || moves(n));
}

void nadi_audit_needs(const struct nadi_full *f, uint32_t rank, struct nadi_diags *diags)
{
    size_t lacking[NEEDS] = {0}, first[NEEDS] = {0};
    for (size_t i = 0; i < f->node_count; i++) {
        const struct nadi_full_node *n = &f->nodes[i];
        for (size_t k = 0; k < NEEDS; k++) {
            if (!lacks(n, &needs[k]))
                continue;
            if (lacking[k]++ == 0)
                first[k] = i;
        }
    }
    for (size_t k = 0; k < NEEDS; k++) {
        if (lacking[k] == 0)
            continue;
        const struct nadi_place place = nadi_full_place(f, rank, first[k], &diags->arena);
        const char *type = nadi_node_type_name((enum nadi_node_type)needs[k].type);
        if (lacking[k] == 1)
            nadi_warning(diags, "trace/missing-attribute", place, needs[k].hint,
                         "%s without attribute \"%s\"", type, needs[k].attr);
        else
            nadi_warning(diags, "trace/missing-attribute", place, needs[k].hint,
                         "%s without attribute \"%s\" (and %zu more)", type, needs[k].attr,
                         lacking[k] - 1);
    }
}
