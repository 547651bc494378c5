/* Any bytes as a link between workers: errors, or a network file that is read. */
#include "format/doc.h"
#include "partition/link.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct nadi_arena arena;
    struct nadi_diags diags;
    struct nadi_worker_link link;
    struct nadi_doc doc;
    if (size > 1 << 12)
        return 0;
    nadi_arena_init(&arena);
    nadi_diags_init(&diags);
    if (nadi_worker_link_parse(&link, "link.yml", data, size, &arena, &diags)) {
        const char *text = nadi_worker_link_network(&link, 4, &arena);
        if (!nadi_doc_parse(&doc, "network.yml", text, strlen(text), NADI_DOC_YAML, &diags))
            NADI_BUG("%s", text);
        nadi_doc_release(&doc);
    } else
        NADI_ASSERT(diags.errors > 0);
    nadi_diags_release(&diags);
    nadi_arena_release(&arena);
    return 0;
}
