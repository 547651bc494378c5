#include "support/fuzz_load.h"

#include "support/fuzz_told.h"

#include <sys/mman.h>
#include <unistd.h>

static void prepare(struct nadi_inputs *in, const char *path, bool strict)
{
    *in = (struct nadi_inputs){
        .options =
            {
                .workload = "w",
                .system = path,
                .network = path,
                .memory = path,
                .groups = path,
                .queues_per_dim = 1,
                .injection_scale = 1.5,
                .compute_scale = 1,
                .comm_scale = 1,
                .strict = strict,
            },
        .topology =
            {
                .dim_count = 3,
                .dims =
                    {
                        {.kind = NADI_DIM_RING, .npus = 4, .bytes_per_ns = 1},
                        {.kind = NADI_DIM_SWITCH, .npus = 2, .bytes_per_ns = 1},
                        {.kind = NADI_DIM_FULLY_CONNECTED, .npus = 3, .bytes_per_ns = 1},
                    },
            },
    };
    NADI_ASSERT(nadi_topology_finish(&in->topology));
    in->rank_count = in->topology.npu_count;
    nadi_arena_init(&in->arena);
    nadi_groups_init(&in->groups, in->rank_count);
}

static bool load(struct nadi_load *l, enum nadi_schema_kind kind)
{
    switch (kind) {
    case NADI_SCHEMA_SYSTEM:
        return nadi_load_system(l);
    case NADI_SCHEMA_NETWORK:
    case NADI_SCHEMA_NETWORK_V1:
        return nadi_load_network(l);
    case NADI_SCHEMA_GRAPH:
        l->in->options.network_model = &nadi_network_flow;
        return nadi_load_network(l);
    case NADI_SCHEMA_MEMORY:
        return nadi_load_memory(l);
    case NADI_SCHEMA_TIERS:
        return nadi_load_memory(l) && nadi_fit_tiers(l);
    case NADI_SCHEMA_GROUPS:
        return nadi_load_groups(l);
    case NADI_SCHEMA_MANIFEST:
        l->in->options.workload = l->in->options.system;
        return nadi_load_manifest(l);
    case NADI_SCHEMA_CUSTOM_NODES:
        l->custom_nodes_path = l->in->options.system;
        return nadi_load_custom_nodes(l);
    case NADI_SCHEMA_PACKET:
        l->packet_path = l->in->options.system;
        l->in->options.network_model = &nadi_network_packet;
        return nadi_load_packet(l);
    case NADI_SCHEMA_FLIT:
        l->in->options.flit = l->in->options.system;
        return nadi_load_flit(l);
    case NADI_SCHEMA_LOADSTORE:
        l->in->options.loadstore = l->in->options.system;
        return nadi_load_loadstore(l);
    case NADI_SCHEMA_EVENTS:
        l->in->options.events = l->in->options.system;
        l->in->options.network_model = &nadi_network_flow;
        return nadi_load_events(l);
    case NADI_SCHEMA_MODEL: /* these have a target of their own: fuzz_model */
    case NADI_SCHEMA_PLAN:
    case NADI_SCHEMA_DEVICE:
    case NADI_SCHEMA_CLUSTER:
    case NADI_SCHEMA_MANIFEST_TRACE: /* a part of a manifest */
    case NADI_SCHEMA_PLATFORM:       /* fuzz_platform */
    case NADI_SCHEMA_GRAPH_NODE:     /* parts of a network file */
    case NADI_SCHEMA_GRAPH_LINK:
    case NADI_SCHEMA_GENERATOR:
    case NADI_SCHEMA_EVENTS_LINK: /* parts of an events file */
    case NADI_SCHEMA_EVENTS_COMPUTE:
    case NADI_SCHEMA_EVENTS_START:
    case NADI_SCHEMA_EVENTS_TRAFFIC:
    case NADI_SCHEMA_COLLECTIVE: /* fuzz_collective */
    case NADI_SCHEMA_COLLECTIVE_STEP:
    case NADI_SCHEMA_ATTACHED: /* a part of a system file */
    case NADI_SCHEMA_TUNER:    /* named by a system file */
    case NADI_SCHEMA_TUNER_RULE:
    case NADI_SCHEMA_CATALOGUE: /* fuzz_prices */
    case NADI_SCHEMA_CATALOGUE_PART:
    case NADI_SCHEMA_DIVIDED: /* fuzz_bandwidth */
    case NADI_SCHEMA_COMMUNICATORS:
    case NADI_SCHEMA_LOOP: /* fuzz_loop */
    case NADI_SCHEMA_LOOP_STEP:
    case NADI_SCHEMA_SPACE: /* fuzz_space */
    case NADI_SCHEMA_TIER:  /* parts of a memory file of tiers */
    case NADI_SCHEMA_TIER_LINK:
    case NADI_SCHEMA_TIER_TRUSTED:
    case NADI_SCHEMA_TIER_POOL:
    case NADI_SCHEMA_LEVELS: /* a memory file, read as tiers: fuzz_tiers */
    case NADI_SCHEMA_LEVEL:
    case NADI_SCHEMA_SPACE_WORKLOAD:
    case NADI_SCHEMA_NET: /* fuzz_net */
    case NADI_SCHEMA_NET_LAYER:
    case NADI_SCHEMA_LINK: /* fuzz_link */
    case NADI_SCHEMA_KINDS:
        break;
    }
    NADI_BUG("no loader for kind %d", (int)kind);
}

bool fuzz_load_told(struct nadi_inputs *in, enum nadi_schema_kind kind, const uint8_t *data,
                    size_t size, struct nadi_diags *diags)
{
    char path[40];
    int fd = memfd_create("input", 0);
    NADI_ASSERT(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    prepare(in, path, size % 2 == 1);
    struct nadi_load l = {.in = in, .diags = diags};
    const size_t errors = diags->errors;
    bool ok = load(&l, kind);
    NADI_ASSERT(ok == (diags->errors == errors));
    close(fd);
    in->options = (struct nadi_run_options){0}; /* the path is gone */
    return ok;
}

bool fuzz_load(struct nadi_inputs *in, enum nadi_schema_kind kind, const uint8_t *data, size_t size)
{
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    const bool ok = fuzz_load_told(in, kind, data, size, &diags);
    fuzz_release(&diags);
    return ok;
}
