#include "support/digest.h"

#include <stdio.h>

void digest_bytes(uint64_t *d, const void *data, size_t bytes)
{
    for (const uint8_t *at = data, *end = at + bytes; at < end; at++)
        *d = (*d ^ *at) * UINT64_C(1099511628211);
}

void digest_u64(uint64_t *d, uint64_t value)
{
    uint8_t bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(value >> (8 * i));
    digest_bytes(d, bytes, sizeof(bytes));
}

void digest_text(uint64_t *d, const char *text)
{
    digest_u64(d, text ? strlen(text) : UINT64_MAX);
    digest_bytes(d, text ? text : "", text ? strlen(text) : 0);
}

void digest_double(uint64_t *d, double value)
{
    char text[40];
    snprintf(text, sizeof(text), "%.10g", value);
    digest_text(d, text);
}

void digest_trace(uint64_t *d, const struct nadi_trace *t)
{
    digest_u64(d, t->node_count);
    digest_text(d, t->schema_version);
    for (uint32_t i = 0; i < t->node_count; i++) {
        const struct nadi_trace_comm *c = nadi_trace_comm(t, i);
        digest_u64(d, t->id[i]);
        digest_text(d, nadi_trace_name(t, i));
        digest_u64(d, (uint64_t)t->type[i] << 16 | (uint64_t)t->collective[i] << 8 | t->flags[i]);
        digest_u64(d, t->duration_ns[i]);
        digest_u64(d, t->ops[i]);
        digest_u64(d, t->bytes[i]);
        for (uint32_t k = t->dep_start[i]; k < t->dep_start[i + 1]; k++)
            digest_u64(d, t->deps[k]);
        for (uint32_t k = t->child_start[i]; k < t->child_start[i + 1]; k++)
            digest_u64(d, t->children[k]);
        if (!c)
            continue;
        digest_u64(d, t->flags[i] & NADI_NODE_HAS_SRC ? c->src : 0);
        digest_u64(d, t->flags[i] & NADI_NODE_HAS_DST ? c->dst : 0);
        digest_u64(d, t->flags[i] & NADI_NODE_HAS_TAG ? c->tag : 0);
        digest_text(d, c->group == NADI_NONE ? NULL : nadi_trace_string(t, c->group));
        digest_u64(d, (uint64_t)(int64_t)c->priority);
        digest_u64(d, (uint64_t)c->involved << 16 | (uint64_t)c->involved_count << 8 | c->shares);
        for (uint32_t k = 0; k < c->size_count; k++)
            digest_u64(d, t->sizes[c->sizes + k]);
    }
    for (uint32_t i = 0; i < t->io_count; i++) {
        digest_u64(d, (uint64_t)t->io[i].node << 1 | t->io[i].is_output);
        digest_text(d, nadi_trace_string(t, t->io[i].name));
        digest_u64(d, t->io[i].bytes);
    }
    for (uint32_t i = 0; i < t->metadata_count; i++) {
        digest_u64(d, t->metadata_node[i]);
        digest_text(d, nadi_trace_string(t, t->metadata_text[i]));
    }
}
