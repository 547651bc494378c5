#include "report/tables.h"

#include <math.h>

#include "base/mem.h"
#include "base/time.h"
#include "format/csv_write.h"
#include "report/figures.h"

void nadi_table_collectives(const struct nadi_inputs *in, const struct nadi_result *r,
                            const struct nadi_detail *d, struct nadi_str *out)
{
    size_t count;
    const struct nadi_collective_result *rows = nadi_detail_collectives(d, r, &count);
    struct nadi_csv csv = {.out = out};
    nadi_csv_header(&csv, "group,sequence,kind,name,first_rank,node,ranks,participants,instances,"
                          "chunks,bytes,start_ns,end_ns,duration_ns,complete,nccl_bytes,"
                          "algorithm_bandwidth_bytes_per_s,bus_bandwidth_bytes_per_s");
    for (size_t i = 0; i < count; i++) {
        const struct nadi_collective_result *c = &rows[i];
        const struct nadi_trace *trace = in->traces[c->rank];
        struct nadi_bandwidth b = nadi_bandwidth_of(in, c);
        nadi_csv_text(&csv, nadi_group_label(in, c->group));
        nadi_csv_u64(&csv, c->sequence);
        nadi_csv_text(&csv, nadi_collective_name(c->kind));
        nadi_csv_text(&csv, nadi_trace_name(trace, c->node));
        nadi_csv_u64(&csv, c->rank);
        nadi_csv_u64(&csv, trace->id[c->node]);
        nadi_csv_u64(&csv, c->ranks);
        nadi_csv_u64(&csv, b.ranks);
        nadi_csv_u64(&csv, c->copies);
        nadi_csv_u64(&csv, c->chunks);
        nadi_csv_u64(&csv, c->bytes);
        nadi_csv_u64(&csv, c->start_ns);
        nadi_csv_u64(&csv, c->end_ns);
        nadi_csv_u64(&csv, c->end_ns - c->start_ns);
        nadi_csv_u64(&csv, c->complete);
        nadi_csv_double(&csv, b.bytes);
        nadi_csv_double(&csv, b.algorithm);
        nadi_csv_double(&csv, b.bus);
        nadi_csv_end_row(&csv);
    }
}

/* "3" for an NPU, "switch 0" for a switch. */
static void device(struct nadi_csv *csv, const struct nadi_inputs *in, uint32_t id)
{
    char text[48];
    if (id == NADI_NONE)
        nadi_csv_empty(csv);
    else if (id < in->topology.npu_count)
        nadi_csv_u64(csv, id);
    else
        nadi_csv_text(csv, nadi_device_name(in, id, text));
}

static void link_row(struct nadi_csv *csv, const struct nadi_inputs *in,
                     const struct nadi_result *r, const struct nadi_link_result *l, uint64_t links,
                     const char *dimension)
{
    nadi_csv_text(csv, l->from == NADI_NONE ? "dimension" : "link");
    nadi_csv_u64(csv, l->dim);
    nadi_csv_text(csv, dimension);
    device(csv, in, l->from);
    device(csv, in, l->to);
    nadi_csv_u64(csv, links);
    nadi_csv_u64(csv, l->messages);
    nadi_csv_u64(csv, l->bytes);
    nadi_csv_u64(csv, l->busy_ns);
    nadi_csv_double(csv, nadi_utilisation(l->busy_ns, links, r->end_ns));
    nadi_csv_u64(csv, l->wait_ns);
    nadi_csv_u64(csv, l->most_waiting);
    if (r->has_packets) {
        nadi_csv_u64(csv, l->peak_queue_bytes);
        nadi_csv_u64(csv, l->pauses);
        nadi_csv_u64(csv, l->paused_ns);
    }
    nadi_csv_end_row(csv);
}

void nadi_table_links(const struct nadi_inputs *in, const struct nadi_result *r,
                      struct nadi_str *out)
{
    struct nadi_csv csv = {.out = out};
    nadi_csv_header(&csv, r->has_packets
                              ? "row,dimension,topology,from,to,links,messages,bytes,busy_ns,"
                                "utilisation,wait_ns,most_waiting,peak_queue_bytes,pauses,paused_ns"
                              : "row,dimension,topology,from,to,links,messages,bytes,busy_ns,"
                                "utilisation,wait_ns,most_waiting");
    struct nadi_dimension_view *views = NADI_NEW(struct nadi_dimension_view, r->dim_count);
    for (uint32_t d = 0; d < r->dim_count; d++) {
        nadi_dimension_view(&views[d], in, r->dims[d].dim);
        link_row(&csv, in, r, &r->dims[d], nadi_dimension_links(in, r, r->dims[d].dim),
                 views[d].name);
    }
    for (size_t i = 0; i < r->link_count; i++)
        link_row(&csv, in, r, &r->links[i], 1,
                 r->links[i].dim < r->dim_count ? views[r->links[i].dim].name : "");
    nadi_mem_free(views);
}

static void usage_row(struct nadi_csv *csv, const struct nadi_inputs *in,
                      const struct nadi_result *r, size_t link, uint32_t bucket)
{
    const struct nadi_link_result *l = &r->links[link];
    const struct nadi_usage_result *u = &r->usage;
    const size_t at = link * u->buckets + bucket;
    const double start = bucket * u->bucket_ns;
    const double end = fmin(start + u->bucket_ns, (double)r->end_ns);
    nadi_csv_u64(csv, l->dim);
    device(csv, in, l->from);
    device(csv, in, l->to);
    nadi_csv_u64(csv, nadi_count_trunc(start));
    nadi_csv_u64(csv, nadi_count_trunc(end));
    nadi_csv_double(csv, u->bytes[at]);
    nadi_csv_double(csv, end > start ? u->bytes[at] / l->bytes_per_ns / (end - start) : 0);
    for (int d = NADI_DEPTH_MESSAGES; d <= NADI_DEPTH_QUEUE_BYTES; d++)
        if ((int)u->depth_of == d)
            nadi_csv_u64(csv, u->depth[at]);
        else
            nadi_csv_empty(csv);
    nadi_csv_end_row(csv);
}

void nadi_table_link_usage(const struct nadi_inputs *in, const struct nadi_result *r,
                           struct nadi_str *out)
{
    struct nadi_csv csv = {.out = out};
    nadi_csv_header(&csv, "dimension,from,to,start_ns,end_ns,bytes,utilisation,most_waiting,"
                          "most_flows,most_queue_bytes");
    for (size_t i = 0; r->usage.buckets && i < r->link_count; i++)
        for (uint32_t b = 0; b < r->usage.buckets; b++)
            usage_row(&csv, in, r, i, b);
}

void nadi_table_ops(const struct nadi_inputs *in, const struct nadi_result *r, struct nadi_str *out)
{
    struct nadi_csv csv = {.out = out};
    nadi_csv_header(&csv, "rank,node,name,type,start_ns,end_ns,duration_ns,bytes,collective");
    for (size_t i = 0; i < r->span_count; i++) {
        const struct nadi_span *s = &r->spans[i];
        const struct nadi_trace *trace = in->traces[s->rank];
        enum nadi_node_type type = (enum nadi_node_type)trace->type[s->node];
        nadi_csv_u64(&csv, s->rank);
        nadi_csv_u64(&csv, trace->id[s->node]);
        nadi_csv_text(&csv, nadi_trace_name(trace, s->node));
        nadi_csv_text(&csv, nadi_node_type_name(type));
        nadi_csv_u64(&csv, s->start_ns);
        nadi_csv_u64(&csv, s->end_ns);
        nadi_csv_u64(&csv, s->end_ns - s->start_ns);
        nadi_csv_u64(&csv, trace->bytes[s->node]);
        if (type == NADI_NODE_COLL)
            nadi_csv_text(
                &csv, nadi_collective_name((enum nadi_collective_kind)trace->collective[s->node]));
        else
            nadi_csv_empty(&csv);
        nadi_csv_end_row(&csv);
    }
}

static uint64_t offered_bytes(const struct nadi_trace *t)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < t->node_count; i++)
        if (t->type[i] == NADI_NODE_COLL || t->type[i] == NADI_NODE_SEND)
            sum = nadi_count_add(sum, t->bytes[i]);
    return sum;
}

void nadi_table_five_column(const struct nadi_inputs *in, const struct nadi_result *r,
                            struct nadi_str *out)
{
    struct nadi_csv csv = {.out = out};
    struct nadi_spread finish = nadi_spread_of(r, NADI_RANK_FINISH);
    const char *prefix = in->options.workload ? in->options.workload : "";
    const char *slash = strrchr(prefix, '/');
    nadi_csv_header(&csv, "Name,TotalTime(us),ComputeTime(us),ExposedCommunicationTime(us),"
                          "TotalMessageSize(MB)");
    if (r->rank_count == 0)
        return;
    const struct nadi_rank_result *last = nadi_result_rank(r, finish.max_rank);
    uint64_t compute_ns = last->finish_ns - last->exposed_comm_ns;
    nadi_csv_text(&csv, slash ? slash + 1 : prefix);
    nadi_csv_double(&csv, (double)last->finish_ns / 1e3);
    nadi_csv_double(&csv, (double)compute_ns / 1e3);
    nadi_csv_double(&csv, (double)last->exposed_comm_ns / 1e3);
    nadi_csv_double(&csv, (double)offered_bytes(in->traces[finish.max_rank]) / 1e6);
    nadi_csv_end_row(&csv);
}
