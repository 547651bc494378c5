/* partition_simulate: inferences of placed networks, simulated as `nadi run` would. */
#include <nadi/nadi.h>

#include <math.h>

#include "api/partition_inside.h"
#include "base/file.h"
#include "partition/workload.h"

/* Links between small devices and between large ones. Of a node's bandwidth all that it forwards is
 * a part: the air of a wireless network is one node. */
static const struct {
    const char *name, *node, *forwards, *bandwidth, *latency;
} links[] = {
    {"wifi", "air", ", bandwidth: 40MB/s", "40MB/s", "1ms"},
    {"ethernet", "switch", "", "125MB/s", "20us"},
    {"pcie", "root", ", bandwidth: 64GB/s", "32GB/s", "500ns"},
    {"wafer", "mesh", "", "500GB/s", "20ns"},
};

enum { LINKS = sizeof(links) / sizeof(links[0]) };

static bool write_link(struct nadi_partition_simulation *s, size_t link, uint32_t workers)
{
    const char *path =
        nadi_arena_printf(s->arena, "%s/networks/%s.yml", s->folder, links[link].name);
    const char *text =
        nadi_arena_printf(s->arena,
                          "nodes:\n"
                          "  - {name: \"worker[0-%u]\", kind: npu}\n"
                          "  - {name: %s, kind: switch%s}\n"
                          "links:\n"
                          "  - {from: \"worker[0-%u]\", to: %s, bandwidth: %s, latency: %s}\n"
                          "dimensions: [%u]\n",
                          workers - 1, links[link].node, links[link].forwards, workers - 1,
                          links[link].node, links[link].bandwidth, links[link].latency, workers);
    s->paths[s->count] = path;
    s->names[s->count++] = links[link].name;
    return nadi_file_make_parent(path, s->diags) &&
           nadi_file_write(path, text, strlen(text), s->diags);
}

bool nadi_partition_networks(struct nadi_partition_simulation *s, const char *list,
                             uint32_t workers)
{
    for (const char *at = list; at && *at;) {
        const int length = (int)strcspn(at, ",");
        const char *one = nadi_arena_printf(s->arena, "%.*s", length, at);
        size_t link = 0;
        if (s->count == NADI_PARTITION_NETWORKS)
            return nadi_error(s->diags, "partition/networks", NADI_NOWHERE, NULL,
                              "more than %d networks", NADI_PARTITION_NETWORKS);
        while (link < LINKS && strcmp(links[link].name, one) != 0)
            link++;
        if (link < LINKS) {
            if (!write_link(s, link, workers))
                return false;
        } else {
            s->paths[s->count] = one;
            s->names[s->count++] = nadi_file_name(one);
        }
        at += length + (at[length] == ',');
    }
    return true;
}

static const char *system_file(const struct nadi_partition_simulation *s)
{
    static const char text[] = "{\"scheduling-policy\": \"FIFO\", \"endpoint-delay\": 0, "
                               "\"active-chunks-per-dimension\": 1, \"preferred-dataset-splits\": "
                               "1, \"all-to-all-implementation\": [\"direct\"]}\n";
    const char *path = nadi_arena_printf(s->arena, "%s/system.json", s->folder);
    return nadi_file_write(path, text, strlen(text), s->diags) ? path : NULL;
}

static bool run_on(const struct nadi_partition_simulation *s, const char *workload,
                   const char *system, const char *network, double *ns)
{
    struct nadi_setup setup;
    nadi_setup_init(&setup);
    setup.workload = workload;
    setup.system = system;
    setup.network = network;
    setup.network_model = s->model;
    struct nadi_job *job = nadi_job_create(&setup);
    const bool ok =
        nadi_job_load(job) == NADI_STATUS_DONE && nadi_job_run(job, NULL) == NADI_STATUS_DONE;
    *ns = (double)nadi_job_end_ns(job);
    if (!ok)
        nadi_diags_append(s->diags, nadi_job_messages(job));
    nadi_job_destroy(job);
    return ok;
}

bool nadi_partition_simulate(const struct nadi_partition_simulation *s,
                             const struct nadi_partitioned *r, const char *name, double *ns)
{
    const struct nadi_partition_workload w = {s->batch, s->macs_per_s};
    for (size_t i = 0; i < s->count; i++)
        ns[i] = (double)NAN;
    if (!name)
        return true;
    const char *prefix = nadi_arena_printf(s->arena, "%s/traces/%s/workload", s->folder, name);
    const char *system = system_file(s);
    if (!system || !nadi_file_make_parent(prefix, s->diags) ||
        !nadi_partition_write_traces(&r->nn, &r->placement, &r->traffic, &w, prefix, s->diags))
        return false;
    for (size_t i = 0; i < s->count; i++)
        if (!run_on(s, prefix, system, s->paths[i], &ns[i]))
            return false;
    return true;
}
