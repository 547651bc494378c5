/* filter: nodes by what they are and by name. */
#include "base/hold.h"
#include "base/mem.h"
#include "base/str.h"
#include "trace/edit/cut.h"

#include <regex.h>

static const char *const kind_names[NADI_FILTER_KINDS] = {
    "host", "device", "memory", "send", "recv", "collective", "metadata", "other"};

const char *nadi_filter_kind_name(enum nadi_filter_kind kind)
{
    return kind < NADI_FILTER_KINDS ? kind_names[kind] : NULL;
}

struct nadi_filter_names {
    struct {
        regex_t compiled;
        bool given;
    } drop, keep;
    struct nadi_str name; /* of the node at hand */
    struct nadi_hold *hold;
};

static void let_go(void *of)
{
    struct nadi_filter_names *names = of;
    if (names->drop.given)
        regfree(&names->drop.compiled);
    if (names->keep.given)
        regfree(&names->keep.compiled);
}

static bool compile(regex_t *compiled, const char *text, const char *option,
                    struct nadi_diags *diags)
{
    char why[128];
    const int code = regcomp(compiled, text, REG_EXTENDED | REG_NOSUB);
    if (code == 0)
        return true;
    if (code == REG_ESPACE)
        nadi_mem_lacking("the regular expression");
    regerror(code, compiled, why, sizeof why);
    return nadi_error(diags, "usage/expression", NADI_NOWHERE,
                      "extended regular expressions, like 'aten::(mm|addmm)'",
                      "%s '%s' is no regular expression: %s", option, text, why);
}

struct nadi_filter_names *nadi_filter_names_create(const struct nadi_filter *filter,
                                                   struct nadi_diags *diags)
{
    struct nadi_filter_names *names = NADI_ZNEW(struct nadi_filter_names, 1);
    bool ok = true;
    names->hold = nadi_hold(names, let_go);
    if (filter->drop_names)
        ok = names->drop.given =
            compile(&names->drop.compiled, filter->drop_names, "--drop-name", diags);
    if (ok && filter->keep_names)
        ok = names->keep.given =
            compile(&names->keep.compiled, filter->keep_names, "--keep-name", diags);
    if (ok)
        return names;
    nadi_filter_names_destroy(names);
    return NULL;
}

void nadi_filter_names_destroy(struct nadi_filter_names *names)
{
    if (!names)
        return;
    nadi_unhold(names->hold);
    let_go(names);
    nadi_str_release(&names->name);
    nadi_mem_free(names);
}

static enum nadi_filter_kind kind_of(const struct nadi_full_node *n)
{
    switch (n->type) {
    case NADI_NODE_COMP:
        return nadi_full_integer(n, "is_cpu_op", 0) ? NADI_FILTER_HOST : NADI_FILTER_DEVICE;
    case NADI_NODE_MEM_LOAD:
    case NADI_NODE_MEM_STORE:
        return NADI_FILTER_MEMORY;
    case NADI_NODE_SEND:
        return NADI_FILTER_SEND;
    case NADI_NODE_RECV:
        return NADI_FILTER_RECV;
    case NADI_NODE_COLL:
        return NADI_FILTER_COLLECTIVE;
    case NADI_NODE_METADATA:
        return NADI_FILTER_METADATA;
    default:
        return NADI_FILTER_OTHER;
    }
}

void nadi_filter_select(const struct nadi_filter *filter, struct nadi_filter_names *names,
                        const struct nadi_full *f, bool *keep)
{
    const bool only_named = !filter->drop_kinds && !filter->drop_names;
    for (size_t i = 0; i < f->node_count; i++) {
        const struct nadi_full_node *n = &f->nodes[i];
        bool drop = only_named || filter->drop_kinds >> kind_of(n) & 1;
        if (names->drop.given || names->keep.given) {
            nadi_str_clear(&names->name);
            nadi_str_add_bytes(&names->name, n->name, n->name_bytes);
        }
        const char *name = nadi_str_get(&names->name);
        if (!drop && names->drop.given)
            drop = regexec(&names->drop.compiled, name, 0, NULL, 0) == 0;
        if (drop && names->keep.given)
            drop = regexec(&names->keep.compiled, name, 0, NULL, 0) != 0;
        keep[i] = !drop;
    }
}
