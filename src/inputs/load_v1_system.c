/* load_v1_system: what is different about a system file of ASTRA-sim 1.0. */
#include "base/str.h"
#include "inputs/load_v1.h"

bool nadi_v1_is_system(const char *path)
{
    return nadi_str_ends(path, ".txt");
}

static struct nadi_doc_node *word_node(struct nadi_doc *doc, const struct nadi_doc_node *whole,
                                       const char *word, size_t length)
{
    struct nadi_doc_node *node = NADI_ARENA_ZNEW(&doc->arena, struct nadi_doc_node, 1);
    node->kind = NADI_DOC_SCALAR;
    node->text = nadi_arena_strndup(&doc->arena, word, length);
    node->line = whole->line;
    node->column = whole->column + (uint32_t)(word - whole->text);
    return node;
}

static void split(struct nadi_doc *doc, struct nadi_doc_node *node)
{
    const struct nadi_doc_node whole = *node;
    struct nadi_doc_node **end = &node->first;
    node->kind = NADI_DOC_LIST;
    for (const char *word = whole.text;; word++) {
        const size_t length = strcspn(word, "_");
        *end = word_node(doc, &whole, word, length);
        end = &(*end)->next;
        node->count++;
        word += length;
        if (*word == '\0')
            return;
    }
}

void nadi_v1_split_lists(struct nadi_doc *doc)
{
    const struct nadi_schema *schema = nadi_schema_of(NADI_SCHEMA_SYSTEM);
    if (doc->root->kind != NADI_DOC_MAP)
        return;
    for (struct nadi_doc_node *n = doc->root->first; n; n = n->next) {
        const struct nadi_setting *key = nadi_schema_find(schema, nadi_doc_key(n));
        if (key && key->list && key->type == NADI_TYPE_WORD && n->kind == NADI_DOC_SCALAR)
            split(doc, n);
    }
}

static void record(struct nadi_load *l, const char *key, const char *value)
{
    nadi_settings_replace(l->in, "system", key, value, "default of ASTRA-sim 1.0");
}

void nadi_v1_set_defaults(struct nadi_load *l, const struct nadi_schema_values *values)
{
    struct nadi_system_config *s = &l->in->system;
    if (!nadi_schema_is_set(values, "communication-streams")) {
        s->comm_streams = INT32_MAX;
        record(l, "communication-streams", "unlimited");
    }
    if (!nadi_schema_is_set(values, "local-mem-bw")) {
        s->local_mem_bw = 500000e9;
        record(l, "local-mem-bw", "500000000000000 B/s");
    }
    nadi_note(l->diags, "system/v1", NADI_IN_FILE(values->doc->path),
              "set 'communication-streams' and 'local-mem-bw' to have it otherwise",
              "read as a system file of ASTRA-sim 1.0: communications of a rank may overlap");
}
