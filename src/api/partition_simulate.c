/* partition_simulate: inferences of placed networks, simulated as `nadi run` would. */
#include <nadi/nadi.h>

#include <math.h>

#include "api/partition_inside.h"
#include "base/file.h"
#include "base/guard.h"
#include "format/embedded.h"
#include "partition/link.h"
#include "partition/workload.h"

/* A network of its own for links: in the folder. */
static bool add_link(struct nadi_partition_simulation *s, const struct nadi_worker_link *link,
                     const char *name, uint32_t workers)
{
    const char *path = nadi_arena_printf(s->arena, "%s/networks/%s.yml", s->folder, name);
    for (size_t i = 0; i < s->count; i++)
        if (strcmp(s->names[i], name) == 0)
            return nadi_error(s->diags, "partition/networks", NADI_NOWHERE, "rename the file",
                              "two networks are called '%s'", name);
    const char *text = nadi_worker_link_network(link, workers, s->arena);
    s->paths[s->count] = path;
    s->names[s->count++] = name;
    return nadi_file_make_parent(path, s->diags) &&
           nadi_file_write(path, text, strlen(text), s->diags);
}

/* A link by name, a file of one, or a network file. */
static bool add_network(struct nadi_partition_simulation *s, const char *given, uint32_t workers)
{
    struct nadi_worker_link link;
    const char *file = nadi_file_name(given);
    const char *name = nadi_arena_printf(s->arena, "%.*s", (int)strcspn(file, "."), file);
    const char *near = nadi_embedded_nearest("links", given);
    if (nadi_worker_link_find(&link, given, s->arena))
        return add_link(s, &link, given, workers);
    if (near && !strpbrk(given, "./"))
        return nadi_error(s->diags, "partition/networks", NADI_NOWHERE,
                          nadi_arena_printf(s->arena, "did you mean '%s'?", near),
                          "'%s' is no link and no network file", given);
    if (nadi_worker_link_is(given))
        return nadi_worker_link_read(&link, given, s->arena, s->diags) &&
               add_link(s, &link, name, workers);
    s->paths[s->count] = given;
    s->names[s->count++] = file;
    return true;
}

bool nadi_partition_networks(struct nadi_partition_simulation *s, const char *list,
                             uint32_t workers)
{
    for (const char *at = list; at && *at;) {
        const int length = (int)strcspn(at, ",");
        if (s->count == NADI_PARTITION_NETWORKS)
            return nadi_error(s->diags, "partition/networks", NADI_NOWHERE, NULL,
                              "more than %d networks", NADI_PARTITION_NETWORKS);
        if (!add_network(s, nadi_arena_printf(s->arena, "%.*s", length, at), workers))
            return false;
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

static bool run_on(struct nadi_partition_simulation *s, const char *workload, const char *system,
                   const char *network, double *ns)
{
    struct nadi_setup setup;
    nadi_setup_init(&setup);
    setup.workload = workload;
    setup.system = system;
    setup.network = network;
    setup.network_model = s->model;
    struct nadi_job *job = nadi_job_create(&setup);
    if (!job)
        nadi_guard_raise(&(struct nadi_failure){NADI_FAILURE_MEMORY, "a simulation"});
    s->status = nadi_job_load(job);
    if (s->status == NADI_STATUS_DONE)
        s->status = nadi_job_run(job, NULL);
    *ns = (double)nadi_job_end_ns(job);
    if (s->status != NADI_STATUS_DONE)
        nadi_diags_append(s->diags, nadi_job_messages(job));
    nadi_job_destroy(job);
    return s->status == NADI_STATUS_DONE;
}

bool nadi_partition_simulate(struct nadi_partition_simulation *s, const struct nadi_partitioned *r,
                             const char *name, double *ns)
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
