#include "report/usage_json.h"

#include "base/mem.h"
#include "format/json_write.h"
#include "report/figures.h"

static void end_of_link(struct nadi_json *j, const char *key, const struct nadi_inputs *in,
                        uint32_t id)
{
    char text[48], name[64];
    if (id < in->topology.npu_count)
        snprintf(name, sizeof(name), "NPU %" PRIu32, id);
    else
        snprintf(name, sizeof(name), "%s", nadi_device_name(in, id, text));
    nadi_json_string(j, key, name);
}

static void link_rows(struct nadi_json *j, const struct nadi_inputs *in,
                      const struct nadi_result *r)
{
    const struct nadi_usage_result *u = &r->usage;
    nadi_json_array(j, "links");
    for (size_t i = 0; u->buckets && i < r->link_count; i++) {
        const struct nadi_link_result *l = &r->links[i];
        nadi_json_row(j, NULL);
        nadi_json_u64(j, "dimension", l->dim);
        end_of_link(j, "from", in, l->from);
        end_of_link(j, "to", in, l->to);
        nadi_json_double(j, "bandwidth_gbps", l->bytes_per_ns * 8);
        nadi_json_row_array(j, "bytes");
        for (uint32_t b = 0; b < u->buckets; b++)
            nadi_json_double(j, NULL, u->bytes[i * u->buckets + b]);
        nadi_json_close(j);
        nadi_json_row_array(j, "utilisation");
        for (uint32_t b = 0; b < u->buckets; b++)
            nadi_json_double(j, NULL,
                             nadi_usage_share(r, b, u->bytes[i * u->buckets + b], l->bytes_per_ns));
        nadi_json_close(j);
        const char *depth = nadi_usage_depth_name(u->depth_of);
        if (depth) {
            nadi_json_row_array(j, depth);
            for (uint32_t b = 0; b < u->buckets; b++)
                nadi_json_u64(j, NULL, u->depth[i * u->buckets + b]);
            nadi_json_close(j);
        }
        nadi_json_close(j);
    }
    nadi_json_close(j);
}

/* The links of a dimension together. */
static void dimension_row(struct nadi_json *j, const struct nadi_result *r, uint32_t dim)
{
    const struct nadi_usage_result *u = &r->usage;
    double rate = 0;
    double *bytes = NADI_ZNEW(double, u->buckets);
    for (size_t i = 0; i < r->link_count; i++) {
        if (r->links[i].dim != dim)
            continue;
        rate += r->links[i].bytes_per_ns;
        for (uint32_t b = 0; b < u->buckets; b++)
            bytes[b] += u->bytes[i * u->buckets + b];
    }
    nadi_json_row(j, NULL);
    nadi_json_u64(j, "dimension", dim);
    nadi_json_double(j, "bandwidth_gbps", rate * 8);
    nadi_json_row_array(j, "bytes");
    for (uint32_t b = 0; b < u->buckets; b++)
        nadi_json_double(j, NULL, bytes[b]);
    nadi_json_close(j);
    nadi_json_row_array(j, "utilisation");
    for (uint32_t b = 0; b < u->buckets; b++)
        nadi_json_double(j, NULL, nadi_usage_share(r, b, bytes[b], rate));
    nadi_json_close(j);
    nadi_json_close(j);
    nadi_mem_free(bytes);
}

void nadi_link_usage_json(const struct nadi_inputs *in, const struct nadi_result *r,
                          struct nadi_str *out)
{
    struct nadi_json j;
    nadi_json_begin(&j, out);
    nadi_json_object(&j, NULL);
    nadi_json_string(&j, "schema", "nadi-link-usage/1");
    nadi_json_u64(&j, "spans", r->usage.buckets);
    nadi_json_double(&j, "span_ns", r->usage.bucket_ns);
    nadi_json_u64(&j, "end_ns", r->end_ns);
    nadi_json_array(&j, "dimensions");
    for (size_t d = 0; r->usage.buckets && d < r->dim_count; d++)
        dimension_row(&j, r, r->dims[d].dim);
    nadi_json_close(&j);
    link_rows(&j, in, r);
    nadi_json_close(&j);
    nadi_json_finish(&j);
}
