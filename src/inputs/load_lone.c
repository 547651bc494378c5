/* load_lone: a workload of one collective on all ranks, or of one request of memory on some,
 * without files. */
#include "base/mem.h"
#include "base/str.h"
#include "inputs/load.h"
#include "trace/build.h"

static struct nadi_doc_node *make_word(struct nadi_doc *doc, const char *word, size_t length)
{
    struct nadi_doc_node *n = NADI_ARENA_ZNEW(&doc->arena, struct nadi_doc_node, 1);
    n->kind = NADI_DOC_SCALAR;
    n->quoted = true;
    n->text = nadi_arena_strndup(&doc->arena, word, length);
    return n;
}

/* The words as a list, a single one once a dimension. */
static struct nadi_doc_node *make_list(struct nadi_doc *doc, const char *words, uint32_t dims)
{
    struct nadi_doc_node *list = NADI_ARENA_ZNEW(&doc->arena, struct nadi_doc_node, 1);
    const bool all = !strchr(words, '_') && !nadi_str_starts(words, "one");
    list->kind = NADI_DOC_LIST;
    struct nadi_doc_node **end = &list->first;
    for (const char *word = words;;) {
        const size_t length = strcspn(word, "_");
        *end = make_word(doc, word, length);
        end = &(*end)->next;
        list->count++;
        if (all ? list->count >= dims : word[length] == '\0')
            return list;
        word += all ? 0 : length + 1;
    }
}

/* Puts a value into the document instead of that of the key. */
static void put(struct nadi_doc *doc, const char *key, const struct nadi_doc_node *value)
{
    struct nadi_doc_member *m = NADI_ARENA_NEW(&doc->arena, struct nadi_doc_member, 1);
    struct nadi_doc_node **at = &doc->root->first;
    while (*at && !nadi_str_equal(nadi_doc_key(*at), key))
        at = &(*at)->next;
    *m = (struct nadi_doc_member){.node = *value, .key = nadi_arena_strdup(&doc->arena, key)};
    m->node.in_map = true;
    m->node.next = *at ? (*at)->next : NULL;
    doc->root->count += *at ? 0 : 1;
    *at = &m->node;
}

bool nadi_load_lone_system(struct nadi_load *l, struct nadi_doc *doc)
{
    static const char nothing[] = "{}";
    const struct nadi_lone_collective *lone = l->in->options.lone;
    const char *path = l->in->options.system;
    if (path ? !nadi_load_document(l, NADI_SCHEMA_SYSTEM, path, doc)
             : !nadi_doc_parse(doc, "no system file", nothing, strlen(nothing), NADI_DOC_JSON,
                               l->diags))
        return false;
    if (!lone->algorithm || lone->table || doc->root->kind != NADI_DOC_MAP)
        return true;
    if (strcmp(lone->algorithm, "auto") == 0) {
        put(doc, "tuner", make_word(doc, "auto", strlen("auto")));
        return true;
    }
    if (strpbrk(lone->algorithm, "./")) { /* a file */
        l->to_attach = NADI_ARENA_ZNEW(&l->in->arena, struct nadi_to_attach, 1);
        l->to_attach[l->to_attach_count++] = (struct nadi_to_attach){
            .place = NADI_IN_FILE(lone->algorithm),
            .kind_place = NADI_IN_FILE(lone->algorithm),
            .file = lone->algorithm,
            .kind = nadi_collective_name(lone->kind),
            .most_bytes = UINT64_MAX,
            .has_least = true,
            .has_most = true,
        };
        return true;
    }
    const enum nadi_native_kind native = nadi_native_of(lone->kind);
    const uint32_t dims = native < NADI_NATIVE_BROADCAST ? l->in->topology.dim_count : 1;
    put(doc, nadi_native_key(native), make_list(doc, lone->algorithm, dims));
    return true;
}

static struct nadi_trace *make_trace(const struct nadi_lone_collective *lone)
{
    struct nadi_trace_build b;
    nadi_trace_build_init(&b, lone->memory.npus > 0 ? "memory" : "collective");
    if (lone->memory.npus > 0)
        nadi_trace_build_memory(&b, lone->memory.store ? "store" : "load",
                                lone->memory.store ? NADI_NODE_MEM_STORE : NADI_NODE_MEM_LOAD,
                                lone->memory.bytes, NULL, 0);
    else
        nadi_trace_build_collective(&b, nadi_collective_name(lone->kind), lone->kind, lone->bytes,
                                    "", NULL, 0);
    return nadi_trace_build_finish(&b);
}

static struct nadi_trace *make_idle(void)
{
    struct nadi_trace_build b;
    nadi_trace_build_init(&b, "idle");
    nadi_trace_build_compute(&b, "idle", 0, 0, 0, NULL, 0);
    return nadi_trace_build_finish(&b);
}

void nadi_load_lone_trace(struct nadi_load *l)
{
    struct nadi_inputs *in = l->in;
    const struct nadi_lone_collective *lone = in->options.lone;
    const uint32_t npus = in->topology.npu_count;
    const bool some = lone->memory.npus > 0 && lone->memory.npus < npus;
    in->rank_count = npus;
    in->owned_count = 1 + some;
    in->owned = NADI_NEW(struct nadi_trace *, in->owned_count);
    in->owned[0] = make_trace(lone);
    if (some)
        in->owned[1] = make_idle();
    in->traces = NADI_NEW(struct nadi_trace *, npus);
    for (uint32_t r = 0; r < npus; r++)
        in->traces[r] = in->owned[some && r >= lone->memory.npus];
}
