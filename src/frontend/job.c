#include "frontend/job.h"

#include "base/file.h"
#include "base/mem.h"
#include "trace/set.h"
#include "trace/trace.h"
#include "trace/write.h"

void nadi_front_init(struct nadi_front_job *job, uint32_t rank_count)
{
    const struct nadi_front_group all = {0};
    *job = (struct nadi_front_job){0};
    nadi_arena_init(&job->arena);
    nadi_strmap_init(&job->names);
    NADI_PUSH(&job->groups, all);
    nadi_front_grow(job, rank_count);
}

void nadi_front_release(struct nadi_front_job *job)
{
    for (uint32_t r = 0; r < job->rank_count; r++) {
        nadi_mem_free(job->ranks[r].nodes.items);
        nadi_mem_free(job->ranks[r].deps.items);
        nadi_mem_free(job->ranks[r].starts.items);
    }
    nadi_mem_free(job->ranks);
    nadi_mem_free(job->groups.items);
    nadi_strmap_release(&job->names);
    nadi_arena_release(&job->arena);
}

void nadi_front_grow(struct nadi_front_job *job, uint32_t rank_count)
{
    if (rank_count <= job->rank_count)
        return;
    job->ranks = nadi_mem_realloc(job->ranks, rank_count, sizeof(*job->ranks));
    memset(job->ranks + job->rank_count, 0, (rank_count - job->rank_count) * sizeof(*job->ranks));
    job->rank_count = rank_count;
}

uint32_t nadi_front_group(struct nadi_front_job *job, const uint32_t *members, uint32_t count)
{
    const uint32_t next = (uint32_t)job->groups.count;
    struct nadi_str key = NADI_STR_INIT;
    for (uint32_t i = 0; i < count; i++)
        nadi_str_printf(&key, "%u,", members[i]);
    const uint32_t at = nadi_strmap_put(&job->names, nadi_str_get(&key), key.length, next, NULL);
    nadi_str_release(&key);
    if (at == next) {
        struct nadi_front_group g = {NADI_ARENA_NEW(&job->arena, uint32_t, count), count};
        memcpy(g.members, members, count * sizeof(*members));
        NADI_PUSH(&job->groups, g);
    }
    return at;
}

uint64_t nadi_front_add(struct nadi_front_job *job, uint32_t rank,
                        const struct nadi_front_node *node, const uint64_t *deps, size_t dep_count)
{
    struct nadi_front_rank *r = &job->ranks[rank];
    struct nadi_front_node copy = *node;
    copy.name = nadi_arena_strdup(&job->arena, node->name);
    const size_t first = r->deps.count;
    NADI_PUSH(&r->starts, first);
    for (size_t i = 0; i < dep_count; i++) {
        bool twice = deps[i] == 0;
        for (size_t k = first; k < r->deps.count && !twice; k++)
            twice = r->deps.items[k] == deps[i];
        if (!twice)
            NADI_PUSH(&r->deps, deps[i]);
    }
    NADI_PUSH(&r->nodes, copy);
    return r->nodes.count;
}

/* ---- writing ------------------------------------------------------------------------------- */

static void write_node(const struct nadi_front_rank *r, size_t i, struct nadi_trace_writer *w)
{
    static const uint32_t types[] = {NADI_NODE_COMP, NADI_NODE_COLL, NADI_NODE_SEND,
                                     NADI_NODE_RECV};
    const struct nadi_front_node *n = &r->nodes.items[i];
    const size_t first = r->starts.items[i];
    const size_t end = i + 1 < r->nodes.count ? r->starts.items[i + 1] : r->deps.count;
    struct nadi_write_attr attrs[8];
    char group[16];
    size_t count = 0;
    attrs[count++] = nadi_write_bool("is_cpu_op", n->host || n->idle);
    if (n->idle)
        attrs[count++] = nadi_write_bool("is_idle", true);
    if (n->kind == NADI_FRONT_COMPUTE) {
        attrs[count++] = nadi_write_uint64("num_ops", n->ops);
        attrs[count++] = nadi_write_uint64("tensor_size", n->bytes);
        attrs[count++] = nadi_write_uint64("duration_nanos", n->ns);
    } else {
        attrs[count++] = nadi_write_uint64("comm_size", n->bytes);
    }
    if (n->kind == NADI_FRONT_COLLECTIVE) {
        attrs[count++] = nadi_write_int64("comm_type", n->collective);
        snprintf(group, sizeof(group), "%u", n->group);
        if (n->group)
            attrs[count++] = nadi_write_string("pg_name", group);
    } else if (n->kind != NADI_FRONT_COMPUTE) {
        attrs[count++] =
            nadi_write_int64(n->kind == NADI_FRONT_SEND ? "comm_dst" : "comm_src", n->peer);
        attrs[count++] = nadi_write_int64("comm_tag", n->tag);
    }
    if (n->stream)
        attrs[count++] = nadi_write_int64("stream", n->stream - 1);
    const struct nadi_write_node node = {
        .id = i + 1,
        .name = n->name,
        .type = types[n->kind],
        .duration_micros = n->ns / 1000,
        .data_deps = r->deps.items ? r->deps.items + first : NULL,
        .data_dep_count = end - first,
        .attrs = attrs,
        .attr_count = count,
    };
    nadi_trace_writer_node(w, &node);
}

static bool write_rank(const struct nadi_front_job *job, uint32_t rank, const char *prefix,
                       struct nadi_diags *diags)
{
    const struct nadi_write_attr order = nadi_write_string(NADI_ORDER_ATTR, NADI_ORDER_GIVEN);
    const struct nadi_write_metadata metadata = {
        .version = "0.0.4", .attrs = &order, .attr_count = job->concurrent};
    struct nadi_str path = NADI_STR_INIT;
    nadi_str_printf(&path, "%s.%u.et", prefix, rank);
    struct nadi_trace_writer *w =
        nadi_trace_writer_open(nadi_str_get(&path), NADI_CODING_PLAIN, diags);
    nadi_str_release(&path);
    if (!w)
        return false;
    nadi_trace_writer_metadata(w, &metadata);
    for (size_t i = 0; i < job->ranks[rank].nodes.count; i++)
        write_node(&job->ranks[rank], i, w);
    return nadi_trace_writer_close(w, diags);
}

static bool write_groups(const struct nadi_front_job *job, const char *prefix,
                         struct nadi_diags *diags)
{
    struct nadi_str text = NADI_STR_INIT, path = NADI_STR_INIT;
    nadi_str_add(&text, "{");
    for (size_t g = 1; g < job->groups.count; g++) {
        nadi_str_printf(&text, "%s\n  \"%zu\": [", g > 1 ? "," : "", g);
        for (uint32_t i = 0; i < job->groups.items[g].count; i++)
            nadi_str_printf(&text, "%s%u", i ? ", " : "", job->groups.items[g].members[i]);
        nadi_str_add(&text, "]");
    }
    nadi_str_add(&text, "\n}\n");
    nadi_str_printf(&path, "%s.groups.json", prefix);
    const bool ok = nadi_file_write(nadi_str_get(&path), text.text, text.length, diags);
    nadi_str_release(&text);
    nadi_str_release(&path);
    return ok;
}

bool nadi_front_save(const struct nadi_front_job *job, const char *prefix, struct nadi_diags *diags)
{
    uint32_t *all = NADI_NEW(uint32_t, job->rank_count);
    struct nadi_trace_set *set = nadi_trace_set_begin(prefix, diags);
    bool ok = set != NULL;
    for (uint32_t r = 0; r < job->rank_count && ok; r++) {
        all[r] = r;
        ok = write_rank(job, r, prefix, diags);
    }
    if (ok && job->groups.count > 1)
        ok = write_groups(job, prefix, diags);
    ok = ok && nadi_trace_set_clear(set, NULL, all, job->rank_count, diags);
    nadi_mem_free(all);
    return nadi_trace_set_end(set, ok);
}
