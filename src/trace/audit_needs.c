/* audit_needs: what a simulation needs of a node, by its type. Each lack is reported once a file,
 * with its first node and how many more there are. */
#include "trace/audit.h"

struct need {
    uint32_t type; /* enum nadi_node_type */
    const char *attr;
    const char *hint;
};

static const struct need needs[] = {
    {NADI_NODE_COLL, "comm_type", "without it a collective cannot be told from an ALL_REDUCE (0)"},
    {NADI_NODE_COLL, "comm_size", "add an integer attribute comm_size, in bytes"},
    {NADI_NODE_SEND, "comm_size", "add an integer attribute comm_size, in bytes"},
    {NADI_NODE_SEND, "comm_dst", "name the receiving rank"},
    {NADI_NODE_SEND, "comm_tag", "add an integer attribute comm_tag, equal on both sides"},
    {NADI_NODE_RECV, "comm_size", "add an integer attribute comm_size, in bytes"},
    {NADI_NODE_RECV, "comm_src", "name the sending rank"},
    {NADI_NODE_RECV, "comm_tag", "add an integer attribute comm_tag, equal on both sides"},
    {NADI_NODE_MEM_LOAD, "tensor_size", "add an integer attribute tensor_size, in bytes"},
    {NADI_NODE_MEM_STORE, "tensor_size", "add an integer attribute tensor_size, in bytes"},
};

enum { NEEDS = sizeof(needs) / sizeof(needs[0]) };

void nadi_audit_needs(const struct nadi_full *f, uint32_t rank, struct nadi_diags *diags)
{
    size_t lacking[NEEDS] = {0}, first[NEEDS] = {0};
    for (size_t i = 0; i < f->node_count; i++) {
        const struct nadi_full_node *n = &f->nodes[i];
        struct nadi_named_attr attr;
        for (size_t k = 0; k < NEEDS; k++) {
            if (needs[k].type != n->type || nadi_full_attr(n, needs[k].attr, &attr))
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
