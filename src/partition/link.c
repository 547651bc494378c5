#include "partition/link.h"

#include <ctype.h>

#include "base/str.h"
#include "format/doc.h"
#include "format/embedded.h"
#include "settings/schema.h"

static bool is_word(const char *text)
{
    for (const char *at = text; *at; at++)
        if (!isalnum((unsigned char)*at) && *at != '-' && *at != '_')
            return false;
    return true;
}

static bool take(struct nadi_worker_link *link, const struct nadi_doc *doc,
                 struct nadi_arena *arena, struct nadi_diags *diags)
{
    struct nadi_schema_values v;
    if (!nadi_schema_check(&v, nadi_schema_of(NADI_SCHEMA_LINK), doc, true, arena, diags))
        return false;
    *link = (struct nadi_worker_link){
        .medium = nadi_arena_strdup(arena, nadi_schema_get(&v, "medium")->items[0].text),
        .bytes_per_s = nadi_schema_number(&v, "bandwidth"),
        .shared_bytes_per_s =
            nadi_schema_is_set(&v, "shared") ? nadi_schema_number(&v, "shared") : 0,
        .latency_ns = nadi_schema_number(&v, "latency"),
    };
    return (is_word(link->medium) && strcmp(link->medium, "worker") != 0) ||
           nadi_error(diags, "partition/medium", nadi_doc_place(doc, doc->root),
                      "letters and digits, like `air`", "the medium '%s' is no name of a node",
                      link->medium);
}

bool nadi_worker_link_parse(struct nadi_worker_link *link, const char *path, const void *text,
                            size_t bytes, struct nadi_arena *arena, struct nadi_diags *diags)
{
    struct nadi_doc doc;
    if (!nadi_doc_parse(&doc, path, text, bytes, NADI_DOC_YAML, diags))
        return false;
    const bool ok = take(link, &doc, arena, diags);
    nadi_doc_release(&doc);
    return ok;
}

bool nadi_worker_link_is(const char *path)
{
    struct nadi_diags unsaid;
    struct nadi_doc doc;
    nadi_diags_init(&unsaid);
    bool is = nadi_doc_read(&doc, path, "link", NADI_DOC_YAML, &unsaid);
    if (is) {
        is = nadi_doc_find(doc.root, "medium");
        nadi_doc_release(&doc);
    }
    nadi_diags_release(&unsaid);
    return is;
}

bool nadi_worker_link_read(struct nadi_worker_link *link, const char *path,
                           struct nadi_arena *arena, struct nadi_diags *diags)
{
    struct nadi_doc doc;
    if (!nadi_doc_read(&doc, path, "link", NADI_DOC_YAML, diags))
        return false;
    const bool ok = take(link, &doc, arena, diags);
    nadi_doc_release(&doc);
    return ok;
}

bool nadi_worker_link_find(struct nadi_worker_link *link, const char *name,
                           struct nadi_arena *arena)
{
    const struct nadi_embedded *e = nadi_embedded_find("links", name);
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    if (e && !nadi_worker_link_parse(link, name, e->text, e->bytes, arena, &diags))
        NADI_BUG("examples/links/%s.yaml: %s", name, diags.items[0].message);
    nadi_diags_release(&diags);
    return e;
}

const char *nadi_worker_link_network(const struct nadi_worker_link *link, uint32_t workers,
                                     struct nadi_arena *arena)
{
    const char *shared =
        link->shared_bytes_per_s > 0
            ? nadi_arena_printf(arena, ", bandwidth: %.15gGB/s", link->shared_bytes_per_s / 1e9)
            : "";
    return nadi_arena_printf(arena,
                             "nodes:\n"
                             "  - {name: \"worker[0-%u]\", kind: npu}\n"
                             "  - {name: %s, kind: switch%s}\n"
                             "links:\n"
                             "  - {from: \"worker[0-%u]\", to: %s, bandwidth: %.15gGB/s, latency: "
                             "%.15gns}\n"
                             "dimensions: [%u]\n",
                             workers - 1, link->medium, shared, workers - 1, link->medium,
                             link->bytes_per_s / 1e9, link->latency_ns, workers);
}
