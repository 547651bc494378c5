/* Any bytes as a trace: a trace whose invariants hold, or at least one error. */
#include "base/diag.h"
#include "trace/trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_lists(const struct nadi_trace *t)
{
    NADI_ASSERT(t->node_count && t->dep_start[0] == 0 && t->child_start[0] == 0);
    NADI_ASSERT(t->dep_start[t->node_count] == t->child_start[t->node_count]);
    for (uint32_t i = 0; i < t->node_count; i++) {
        NADI_ASSERT(i == 0 || t->id[i] > t->id[i - 1]);
        NADI_ASSERT(t->type[i] < NADI_NODE_TYPES && t->collective[i] < NADI_COLLECTIVE_KINDS);
        NADI_ASSERT(t->file_index[i] < t->node_count);
        NADI_ASSERT(strlen(nadi_trace_name(t, i)) < t->strings_bytes);
        const struct nadi_trace_comm *c = nadi_trace_comm(t, i);
        NADI_ASSERT((c != NULL) == (t->type[i] >= NADI_NODE_SEND));
        NADI_ASSERT(!c || c->group == NADI_NONE || c->group < t->strings_bytes);
        for (uint32_t k = t->dep_start[i]; k < t->dep_start[i + 1]; k++)
            NADI_ASSERT(t->deps[k] < t->node_count && t->deps[k] != i);
        for (uint32_t k = t->child_start[i]; k < t->child_start[i + 1]; k++)
            NADI_ASSERT(t->children[k] < t->node_count);
    }
    for (uint32_t k = 0; k < t->io_count; k++)
        NADI_ASSERT(t->io[k].node < t->node_count && t->io[k].name < t->strings_bytes);
    for (uint32_t k = 0; k < t->metadata_count; k++)
        NADI_ASSERT(t->metadata_text[k] < t->strings_bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    struct nadi_trace *t = nadi_trace_parse("fuzz.et", data, size, NADI_TRACE_KEEP_IO, &diags);
    NADI_ASSERT((t == NULL) == (diags.errors > 0));
    if (t)
        check_lists(t);
    nadi_trace_destroy(t);
    nadi_diags_release(&diags);
    return 0;
}
