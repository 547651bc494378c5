/* save: a trace in memory as a file. */
#include "base/mem.h"
#include "trace/build.h"
#include "trace/mem.h"
#include "trace/write.h"

struct save {
    const struct nadi_trace *t;
    const struct nadi_trace_place *place;
    struct nadi_trace_writer *w;
    uint64_t *ids; /* dependencies of a node */
    size_t id_capacity;
    char group[64];
    struct nadi_write_value dims[UINT8_MAX]; /* of involved_dim */
};

static int64_t peer_of(const struct save *s, uint32_t peer)
{
    if (s->place)
        return (int64_t)s->place->rank + (int32_t)peer;
    return (int32_t)peer;
}

static size_t fill_mem(const struct nadi_trace *t, uint32_t n, struct nadi_write_attr *attrs,
                       size_t count)
{
    const struct nadi_trace_mem *mem = nadi_trace_mem(t, n);
    if (!mem)
        return count;
    attrs[count++] = nadi_write_string(NADI_MEM_ATTR_OP, nadi_mem_op_words[mem->op]);
    attrs[count++] = nadi_write_string(NADI_MEM_ATTR_ROLE, nadi_mem_role_words[mem->role]);
    if (mem->src)
        attrs[count++] = nadi_write_string(NADI_MEM_ATTR_SRC, nadi_trace_string(t, mem->src));
    if (mem->dst)
        attrs[count++] = nadi_write_string(NADI_MEM_ATTR_DST, nadi_trace_string(t, mem->dst));
    if (mem->block)
        attrs[count++] = nadi_write_string(NADI_MEM_ATTR_BLOCK, nadi_trace_string(t, mem->block));
    return count;
}

static struct nadi_write_attr dims_of(struct save *s, const struct nadi_trace_comm *comm)
{
    for (uint32_t d = 0; d < comm->involved_count; d++)
        s->dims[d] = (struct nadi_write_value){.bits = comm->involved >> d & 1};
    return (struct nadi_write_attr){.name = "involved_dim",
                                    .member = NADI_MEMBER_BOOL_LIST,
                                    .list = s->dims,
                                    .count = comm->involved_count};
}

static size_t fill_attrs(struct save *s, uint32_t n, struct nadi_write_attr *attrs)
{
    const struct nadi_trace *t = s->t;
    const struct nadi_trace_comm *comm = nadi_trace_comm(t, n);
    size_t count = 0;
    attrs[count++] = nadi_write_bool("is_cpu_op", t->flags[n] & NADI_NODE_IS_CPU);
    if (t->type[n] == NADI_NODE_COMP) {
        attrs[count++] = nadi_write_uint64("num_ops", t->ops[n]);
        attrs[count++] = nadi_write_uint64("tensor_size", t->bytes[n]);
        attrs[count++] = nadi_write_uint64("duration_nanos", t->duration_ns[n]);
        if (nadi_trace_pauses(t, n))
            attrs[count++] = nadi_write_bool("is_idle", true);
        return count;
    }
    if (!comm) {
        attrs[count++] = nadi_write_uint64("tensor_size", t->bytes[n]);
        if (nadi_trace_in_switch(t, n))
            attrs[count++] = nadi_write_int64("comm_type", t->collective[n]);
        return fill_mem(t, n, attrs, count);
    }
    attrs[count++] = nadi_write_uint64("comm_size", t->bytes[n]);
    if (t->type[n] == NADI_NODE_COLL) {
        attrs[count++] = nadi_write_int64("comm_type", t->collective[n]);
        if (comm->involved_count > 0)
            attrs[count++] = dims_of(s, comm);
        if (comm->group == NADI_NONE)
            return count;
        const char *name = nadi_trace_string(t, comm->group);
        snprintf(s->group, sizeof(s->group), "%s", name);
        if (s->place && s->place->name_of)
            s->place->name_of(s->place->context, name, s->place->rank, s->group);
        attrs[count++] = nadi_write_string("pg_name", s->group);
        return count;
    }
    const bool send = t->type[n] == NADI_NODE_SEND;
    attrs[count++] =
        nadi_write_int64(send ? "comm_dst" : "comm_src", peer_of(s, send ? comm->dst : comm->src));
    attrs[count++] = nadi_write_int64("comm_tag", comm->tag);
    return count;
}

static void put_node(struct save *s, uint32_t n)
{
    const struct nadi_trace *t = s->t;
    const uint32_t first = t->dep_start[n], count = t->dep_start[n + 1] - first;
    struct nadi_write_attr attrs[8];
    if (count > s->id_capacity)
        s->ids = nadi_mem_grow(s->ids, &s->id_capacity, count, sizeof(*s->ids));
    for (uint32_t i = 0; i < count; i++)
        s->ids[i] = t->id[t->deps[first + i]];
    const struct nadi_write_node node = {
        .id = t->id[n],
        .name = nadi_trace_name(t, n),
        .type = t->type[n],
        .duration_micros = t->duration_ns[n] / 1000,
        .data_deps = s->ids,
        .data_dep_count = count,
        .attrs = attrs,
        .attr_count = fill_attrs(s, n, attrs),
    };
    nadi_trace_writer_node(s->w, &node);
}

bool nadi_trace_save(const struct nadi_trace *t, const char *path, enum nadi_coding coding,
                     const struct nadi_trace_place *place, struct nadi_diags *diags)
{
    struct save s = {.t = t, .place = place, .w = nadi_trace_writer_open(path, coding, diags)};
    if (!s.w)
        return false;
    const struct nadi_write_attr attrs[] = {nadi_write_string("generator", "nadi model"),
                                            nadi_write_string(NADI_ORDER_ATTR, NADI_ORDER_GIVEN)};
    nadi_trace_writer_metadata(
        s.w, &(struct nadi_write_metadata){
                 .version = "0.0.4", .attrs = attrs, .attr_count = t->concurrent ? 2 : 1});
    for (uint32_t n = 0; n < t->node_count; n++)
        put_node(&s, n);
    nadi_mem_free(s.ids);
    return nadi_trace_writer_close(s.w, diags);
}
