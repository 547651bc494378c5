/* What is read of input files of every kind, pinned: settings, networks, groups, events, and the
 * messages about what is refused. The messages of this test are the rows as they are now. */
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "support/digest.h"
#include "support/fuzz_load.h"

#include <setjmp.h>

#include <cmocka.h>

struct row {
    enum nadi_schema_kind kind;
    const char *file; /* of tests/fuzz/corpus, where there is no: */
    const char *text;
    bool ok;
    size_t settings;
    uint64_t digest;
};

/* Every key, with a value that is not its default's. */
static const char system_a[] =
    "{\"all-reduce-implementation\": [\"ring\", \"direct4\", \"halvingDoubling\"],\n"
    " \"all-gather-implementation\": [\"oneRing\"], \"reduce-scatter-implementation\": "
    "[\"doubleBinaryTree\", \"ring\", \"oneDirect2\"],\n"
    " \"all-to-all-implementation\": [\"direct\", \"ring\", \"direct3\"], "
    "\"broadcast-implementation\": [\"tree4\"],\n"
    " \"reduce-implementation\": [\"chain8\"], \"gather-implementation\": [\"direct\"], "
    "\"scatter-implementation\": [\"tree2\"],\n"
    " \"barrier-implementation\": [\"recursiveDoubling\"], \"all-to-all-v-implementation\": "
    "[\"pairwise\"],\n"
    " \"all-to-all-skew\": \"zipf\", \"all-to-all-skew-by\": 1.5, \"all-to-all-skew-seed\": 9,\n"
    " \"collective-optimization\": \"localBWAware\", \"preferred-dataset-splits\": 4, "
    "\"dataset-splits\": \"soonest\", \"active-chunks-per-dimension\": 2,\n"
    " \"scheduling-policy\": \"FIFO\", \"communication-streams\": 3, \"direct-window-shared\": 6, "
    "\"direct-window-own\": 5, \"group-rings\": \"nodes\", \"group-ring-chunks\": 3, "
    "\"endpoint-delay\": \"11ns\", "
    "\"local-mem-bw\": 1600.5,\n"
    " \"peak-perf\": \"900TFLOP/s\", \"roofline-enabled\": 1, \"replay-only\": 0, "
    "\"track-local-mem\": 1,\n"
    " \"local-mem-trace-filename\": \"m\", \"trace-enabled\": 0, \"model-shared-bus\": 1, \"L\": "
    "15, \"o\": 2, \"g\": 3, \"G\": 0.0038,\n"
    " \"local-reduction-delay\": 7, \"inter-dimension-scheduling\": \"themis\", "
    "\"intra-dimension-scheduling\": \"SCF\"}";

static const char system_b[] =
    "{\"all-reduce-implementation\": [\"doubleBinaryTree\"], \"scheduling-policy\": \"EXPLICIT\",\n"
    " \"collective-optimization\": \"baseline\", \"all-to-all-skew\": \"hot\", \"replay-only\": "
    "true, \"endpoint-delay\": 1000,\n"
    " \"inter-dimension-scheduling\": \"roundRobin\", \"intra-dimension-scheduling\": "
    "\"lessRemainingPhaseFirst\",\n"
    " \"broadcast-implementation\": [\"doubleTree16\"], \"reduce-implementation\": "
    "[\"scatterGather\"], \"local-mem-bw\": 0.5}\n";

static const char packet_a[] = "congestion-control: hpcc\n"
                               "seed: 5\n"
                               "payload: 1000\n"
                               "frame-gap: 20\n"
                               "window: largest-bdp\n"
                               "window-size: 100kB\n"
                               "window-follows-rate: 0\n"
                               "pacing: 0\n"
                               "ack-first: 1\n"
                               "ack-interval: 8kB\n"
                               "recovery: selective\n"
                               "reorder-packets: 9\n"
                               "back-to-chunk: 1\n"
                               "chunk: 64kB\n"
                               "nack-interval: 7us\n"
                               "retransmission-timeout: 300us\n"
                               "retry-limit: 3\n"
                               "nic-pauses: 2\n"
                               "spreading: packet\n"
                               "switching: store-and-forward\n"
                               "trimming: 1\n"
                               "trim-queue: 30kB\n"
                               "loss: 0.001\n"
                               "pfc: 0\n"
                               "buffer: 12MB\n"
                               "buffer-reserve: 5kB\n"
                               "threshold-shift: 2\n"
                               "resume-offset: 4kB\n"
                               "headroom: 1.5\n"
                               "ecn: 0\n"
                               "min-rate: 1Gb/s\n"
                               "rate-ai: 0.2\n"
                               "rate-hai: 3\n"
                               "dctcp-rate-ai: 2\n"
                               "gain: 0.125\n"
                               "hpcc-target: 0.9\n"
                               "hpcc-mi-threshold: 2\n"
                               "hpcc-fast-react: 0\n"
                               "hpcc-multi-rate: 1\n"
                               "hpcc-sample-feedback: 1\n"
                               "int-multiple: 4\n"
                               "pint-log-base: 1.1\n"
                               "pint-probability: 0.25\n";

static const char packet_b[] = "congestion-control: dcqcn\n"
                               "mode: real\n"
                               "window: none\n"
                               "recovery: go-back-n\n"
                               "spreading: first\n"
                               "ecn-rate: [25, 100, 400Gb/s]\n"
                               "ecn-kmin: [10kB, 20kB, 40kB]\n"
                               "ecn-kmax: [100kB, 200kB, 400kB]\n"
                               "ecn-pmax: [0.1, 0.2, 1]\n"
                               "dcqcn-alpha-interval: 1us\n"
                               "dcqcn-decrease-interval: 2us\n"
                               "dcqcn-increase-interval: 3us\n"
                               "dcqcn-notify-interval: 4us\n"
                               "dcqcn-increase-bytes: 5kB\n"
                               "dcqcn-fast-recovery: 6\n"
                               "dcqcn-clamp-target: 1\n"
                               "timely-low: 7us\n"
                               "timely-high: 80us\n"
                               "timely-min-rtt: 9us\n"
                               "timely-alpha: 0.5\n"
                               "timely-beta: 0.25\n"
                               "timely-hyper-after: 2\n"
                               "swift-base-target: 11us\n"
                               "swift-per-hop: 1us\n"
                               "swift-additive: 2\n"
                               "swift-beta: 0.3\n"
                               "swift-max-decrease: 0.4\n"
                               "swift-scale-range: 3\n"
                               "swift-scale-min: 0.2\n"
                               "swift-scale-max: 50\n"
                               "\n";

static const char events_a[] =
    "seed: 7\n"
    "links:\n"
    "  - {at: 2ms, until: 5ms, from: 0, to: 1, down: 1}\n"
    "  - {from: 3, bandwidth-scale: 0.5, latency: 3us, one-way: 1}\n"
    "  - {dimension: 1, bandwidth: 4GB/s, latency-scale: 0}\n"
    "  - {from: 2, latency: 0}\n"
    "  - {from: 2, latency-scale: 3}\n"
    "  - {from: 1, bandwidth: 8GB/s, latency: 1us}\n"
    "compute:\n"
    "  - {ranks: \"8-15, 2\", scale: 1.1, jitter: 0.02, distribution: lognormal, draw: rank}\n"
    "  - {at: 1us, until: 1ms, scale: 2}\n"
    "  - {ranks: 3, jitter: 0.5, distribution: exponential}\n"
    "start:\n"
    "  - {ranks: 5, delay: 300us, jitter: 1, distribution: uniform}\n"
    "  - {delay: 5}\n"
    "traffic:\n"
    "  - {from: 0-3, to: 9, bytes: 1MB, rate: 10GB/s, arrivals: poisson, weight: 2.5, until: "
    "20ms}\n"
    "  - {from: 4-6, to: 5-7, at: 3us, until: 1ms}\n"
    "\n";

static const char network_a[] =
    "topology: [Ring, Switch, Mesh2, Torus2, FullyConnected, UnidirectionalRing]\n"
    "npus_count: [4, 2, 6, 9, 3, 5]\n"
    "bandwidth: [50, 25GB/s, 100Gbps, 12.5, .inf, 1]\n"
    "latency: [500, 1us, 0, 2.5ns, 7, 30]\n"
    "oversubscription: [1, 2, 1, 1, 1, 1]\n"
    "in-switch-bandwidth: [0, 100, 0, 0, 0, 0]\n"
    "in-switch-latency: [0, 300ns, 0, 0, 0, 0]\n"
    "flow-startup: 5us\n"
    "flow-overhead: 6ns\n"
    "flow-window: 1MB\n"
    "flow-packet: 4kB\n"
    "flow-in-flight: 3\n"
    "\n";

static const char graph_a[] =
    "nodes:\n"
    "  - {name: \"n[0-7]\", kind: npu}\n"
    "  - {name: \"leaf[0-1]\", kind: switch, role: leaf, level: 1, group: 3, bandwidth: 500GB/s}\n"
    "  - {name: top, kind: switch, role: spine, in-switch-bandwidth: 50GB/s, in-switch-latency: "
    "100ns}\n"
    "  - {name: nic, kind: nic}\n"
    "links:\n"
    "  - {from: \"n[0-3]\", to: leaf0, bandwidth: 50GB/s, latency: 500}\n"
    "  - {from: \"n[4-7]\", to: leaf1, bandwidth: 400Gbps, latency: 0.7us, loss: 0.001}\n"
    "  - {from: \"leaf[0-1]\", to: top, bandwidth: 100GB/s, latency: 1us, count: 2, dimension: 1}\n"
    "  - {from: nic, to: \"n[0-1]\", join: all, bandwidth: 64GB/s, latency: 100}\n"
    "  - {from: n0, to: n1, bandwidth: 10GB/s, latency: 1, one-way: 1}\n"
    "dimensions: [4, 2]\n"
    "routing: shortest\n"
    "routing-seed: 11\n"
    "in-switch-bandwidth: 25GB/s\n"
    "in-switch-latency: 5ns\n"
    "prices: {leaf: 10, spine: 20, cable: 0.5}\n"
    "flow-window: 4MB\n";

static const char graph_b[] =
    "generator: {type: hgx, nics: 2, npus: 4, planes: 2, scale-out: {type: fat-tree, k: 4}}\n"
    "routing: valiant\n"
    "stripe: none\n"
    "\n";

static const char graph_c[] =
    "generator: {type: dragonfly, a: 4, p: 2, h: 1, g: 4, bandwidth: 25GB/s, global-latency: 1us}\n"
    "routing: adaptive\n"
    "\n";

static const char memory_a[] = "{\"memory-type\": \"PER_NODE_MEMORY_EXPANSION\", "
                               "\"remote-mem-latency\": \"2us\", \"remote-mem-bw\": 100,\n"
                               " \"num-nodes\": 6, \"num-npus-per-node\": 4}";

static const struct row rows[] = {
    {NADI_SCHEMA_SYSTEM, "system a", system_a, true, 48, UINT64_C(0xaf8b2f00eb236636)},
    {NADI_SCHEMA_SYSTEM, "system b", system_b, true, 48, UINT64_C(0xd83e9ff12aa69e80)},
    {NADI_SCHEMA_PACKET, "packet a", packet_a, true, 73, UINT64_C(0x37cd818e2b6f777d)},
    {NADI_SCHEMA_PACKET, "packet b", packet_b, true, 73, UINT64_C(0x746c73734ab0ea4d)},
    {NADI_SCHEMA_EVENTS, "events a", events_a, true, 5, UINT64_C(0x51058d29ffe8e214)},
    {NADI_SCHEMA_NETWORK, "network a", network_a, true, 16, UINT64_C(0x43a0dde2eb403c1b)},
    {NADI_SCHEMA_GRAPH, "graph a", graph_a, true, 4, UINT64_C(0x851cbc3f400b379a)},
    {NADI_SCHEMA_GRAPH, "graph b", graph_b, true, 4, UINT64_C(0xa3e79d967175c4fa)},
    {NADI_SCHEMA_GRAPH, "graph c", graph_c, true, 4, UINT64_C(0xccb2a46e01a9f56d)},
    {NADI_SCHEMA_MEMORY, "memory a", memory_a, true, 14, UINT64_C(0xfc902ada90bdb44e)},
    {NADI_SCHEMA_SYSTEM, "system/bytes.json", NULL, false, 0, UINT64_C(0x8db55927fb946604)},
    {NADI_SCHEMA_SYSTEM, "system/comment.json", NULL, false, 0, UINT64_C(0xc0e5d4b204473ff1)},
    {NADI_SCHEMA_SYSTEM, "system/cut.json", NULL, false, 0, UINT64_C(0x99dffa9210cb42f)},
    {NADI_SCHEMA_SYSTEM, "system/deep.json", NULL, false, 0, UINT64_C(0x5839919a00a1efcf)},
    {NADI_SCHEMA_SYSTEM, "system/empty.json", NULL, true, 48, UINT64_C(0x8e5a69bc044dacb3)},
    {NADI_SCHEMA_SYSTEM, "system/escapes.json", NULL, false, 0, UINT64_C(0xaee0fd4a56f0d288)},
    {NADI_SCHEMA_SYSTEM, "system/full.json", NULL, false, 0, UINT64_C(0xfc25ae82eb41dfac)},
    {NADI_SCHEMA_SYSTEM, "system/list.json", NULL, false, 0, UINT64_C(0x96b1b07e07fa0320)},
    {NADI_SCHEMA_SYSTEM, "system/misspelt.json", NULL, false, 0, UINT64_C(0x13c372238bf053e8)},
    {NADI_SCHEMA_SYSTEM, "system/numbers.json", NULL, false, 0, UINT64_C(0x63a97e7f86e94611)},
    {NADI_SCHEMA_SYSTEM, "system/twice.json", NULL, true, 48, UINT64_C(0xc326ffc094c74d30)},
    {NADI_SCHEMA_SYSTEM, "system/types.json", NULL, false, 0, UINT64_C(0x3b69f0bd76bfc967)},
    {NADI_SCHEMA_SYSTEM, "system/underscore.json", NULL, false, 0, UINT64_C(0x981d98252a714e82)},
    {NADI_SCHEMA_NETWORK, "network/alias.yml", NULL, true, 16, UINT64_C(0x2dcf63524ab8908e)},
    {NADI_SCHEMA_NETWORK, "network/block.yml", NULL, false, 0, UINT64_C(0x5dfd51df9e09f87e)},
    {NADI_SCHEMA_NETWORK, "network/bomb.yml", NULL, false, 0, UINT64_C(0xbd54d1e256cd7795)},
    {NADI_SCHEMA_NETWORK, "network/folded.yml", NULL, false, 0, UINT64_C(0x20feccf0d2852f3a)},
    {NADI_SCHEMA_NETWORK, "network/huge.yml", NULL, false, 0, UINT64_C(0xe8e4a13e096c7519)},
    {NADI_SCHEMA_NETWORK, "network/json.yml", NULL, true, 16, UINT64_C(0xfa4f6d69698571c6)},
    {NADI_SCHEMA_NETWORK, "network/legacy.yml", NULL, false, 0, UINT64_C(0x153d374dc30abf7)},
    {NADI_SCHEMA_NETWORK, "network/lengths.yml", NULL, false, 0, UINT64_C(0xc47658ecd97aaaa)},
    {NADI_SCHEMA_NETWORK, "network/nan.yml", NULL, false, 0, UINT64_C(0xfdfd6bb6ace76473)},
    {NADI_SCHEMA_NETWORK, "network/plain.yml", NULL, true, 16, UINT64_C(0x1fbc354be8110de2)},
    {NADI_SCHEMA_NETWORK, "network/several.yml", NULL, false, 0, UINT64_C(0x6bf19a69537e73b3)},
    {NADI_SCHEMA_NETWORK, "network/tab.yml", NULL, false, 0, UINT64_C(0x388b573dabe3f254)},
    {NADI_SCHEMA_NETWORK, "network/tags.yml", NULL, true, 16, UINT64_C(0x82efc6c270098c76)},
    {NADI_SCHEMA_NETWORK_V1, "network_v1/empty.json", NULL, false, 0, UINT64_C(0x7e771b61507715fe)},
    {NADI_SCHEMA_NETWORK_V1, "network_v1/huge.json", NULL, false, 0, UINT64_C(0x1a28b7e757c7c85e)},
    {NADI_SCHEMA_NETWORK_V1, "network_v1/ring.json", NULL, true, 8, UINT64_C(0x8d77d356f5479b64)},
    {NADI_SCHEMA_NETWORK_V1, "network_v1/three.json", NULL, true, 8, UINT64_C(0x83b03318ef611018)},
    {NADI_SCHEMA_NETWORK_V1, "network_v1/wrong.json", NULL, false, 0, UINT64_C(0x10cd43a506d2cb9a)},
    {NADI_SCHEMA_GRAPH, "graph_file/14fda3d8.yml", NULL, true, 4, UINT64_C(0xd6d5195a37a793c6)},
    {NADI_SCHEMA_GRAPH, "graph_file/1a7522f5.yml", NULL, false, 0, UINT64_C(0x4e7bf2247c42ead)},
    {NADI_SCHEMA_GRAPH, "graph_file/333235a0.yml", NULL, true, 4, UINT64_C(0x5ddb478d134855d)},
    {NADI_SCHEMA_GRAPH, "graph_file/64177bc9.yml", NULL, true, 4, UINT64_C(0x472c9dc8f9539974)},
    {NADI_SCHEMA_GRAPH, "graph_file/86de6509.yml", NULL, true, 4, UINT64_C(0xc7504cc0ce970caa)},
    {NADI_SCHEMA_GRAPH, "graph_file/bad.yml", NULL, false, 0, UINT64_C(0xc4146b460414ab98)},
    {NADI_SCHEMA_GRAPH, "graph_file/cab5e81e.yml", NULL, true, 4, UINT64_C(0xe745ec35a624cfbc)},
    {NADI_SCHEMA_GRAPH, "graph_file/nodes.yml", NULL, false, 0, UINT64_C(0x3795d988bb16b369)},
    {NADI_SCHEMA_GRAPH, "graph_file/nodes2.yml", NULL, true, 4, UINT64_C(0xc091947c9e5fa398)},
    {NADI_SCHEMA_MEMORY, "memory/empty.json", NULL, true, 14, UINT64_C(0x329ecfb53206e49b)},
    {NADI_SCHEMA_MEMORY, "memory/node.json", NULL, true, 14, UINT64_C(0xd801751824a41814)},
    {NADI_SCHEMA_MEMORY, "memory/none.json", NULL, true, 14, UINT64_C(0xc914e240240790b)},
    {NADI_SCHEMA_MEMORY, "memory/nothing.json", NULL, false, 0, UINT64_C(0x735f439a7bcb8346)},
    {NADI_SCHEMA_MEMORY, "memory/pool.json", NULL, true, 14, UINT64_C(0x518dcc22b76c013e)},
    {NADI_SCHEMA_MEMORY, "memory/wrong.json", NULL, false, 0, UINT64_C(0x1279389139454353)},
    {NADI_SCHEMA_MEMORY, "memory/zero.json", NULL, true, 14, UINT64_C(0xfed8458429a68038)},
    {NADI_SCHEMA_GROUPS, "groups/list.json", NULL, false, 0, UINT64_C(0x6a3a079c5c35dc38)},
    {NADI_SCHEMA_GROUPS, "groups/name.json", NULL, false, 0, UINT64_C(0x71c96b9e2b20d439)},
    {NADI_SCHEMA_GROUPS, "groups/nodes-text.yml", NULL, false, 0, UINT64_C(0x29c34eaf4fc01f94)},
    {NADI_SCHEMA_GROUPS, "groups/nodes.yml", NULL, false, 0, UINT64_C(0x98f05c5500a87d23)},
    {NADI_SCHEMA_GROUPS, "groups/quotes.json", NULL, false, 0, UINT64_C(0xdd9970d00f80db56)},
    {NADI_SCHEMA_GROUPS, "groups/range.json", NULL, false, 0, UINT64_C(0x89fcc2f3208e7a)},
    {NADI_SCHEMA_GROUPS, "groups/shape.json", NULL, false, 0, UINT64_C(0x9e288039e12134aa)},
    {NADI_SCHEMA_GROUPS, "groups/twice.json", NULL, false, 0, UINT64_C(0x852588533619493f)},
    {NADI_SCHEMA_GROUPS, "groups/two.json", NULL, true, 0, UINT64_C(0x8a5af6afaa195306)},
    {NADI_SCHEMA_MANIFEST, "manifest/axes", NULL, false, 7, UINT64_C(0x199ac446281d3dc1)},
    {NADI_SCHEMA_MANIFEST, "manifest/bad-range", NULL, false, 7, UINT64_C(0xd57a18c22721f918)},
    {NADI_SCHEMA_MANIFEST, "manifest/empty", NULL, false, 0, UINT64_C(0x735f439a7bcb8346)},
    {NADI_SCHEMA_MANIFEST, "manifest/missing", NULL, false, 7, UINT64_C(0xd7969c275920300d)},
    {NADI_SCHEMA_MANIFEST, "manifest/other-version", NULL, false, 0, UINT64_C(0x6dd2e084498b09ad)},
    {NADI_SCHEMA_MANIFEST, "manifest/ranks", NULL, false, 7, UINT64_C(0xe99f08aa779dca3f)},
    {NADI_SCHEMA_MANIFEST, "manifest/too-many", NULL, false, 0, UINT64_C(0x9b52aeba0f5a5)},
    {NADI_SCHEMA_MANIFEST, "manifest/twice", NULL, false, 7, UINT64_C(0xb0d8b3957322c863)},
    {NADI_SCHEMA_MANIFEST, "manifest/where", NULL, false, 7, UINT64_C(0xbff835192b924832)},
    {NADI_SCHEMA_MANIFEST, "manifest/wrong-axis", NULL, false, 7, UINT64_C(0x54c20b925c985cea)},
    {NADI_SCHEMA_EVENTS, "events/all.yml", NULL, false, 5, UINT64_C(0x3752da69e158c38c)},
    {NADI_SCHEMA_EVENTS, "events/wrong.yml", NULL, false, 0, UINT64_C(0x87f4b59b5a5e59ee)},
};

/* Without the file's name, which is a number that differs from time to time. */
static void digest_said(uint64_t *d, const char *text)
{
    static const char folder[] = "/proc/self/fd/", digits[] = "0123456789";
    text += text ? strspn(text, digits) : 0;
    for (const char *found; text && (found = strstr(text, folder));) {
        digest_bytes(d, text, (size_t)(found - text));
        text = found + strlen(folder);
        text += strspn(text, digits);
    }
    digest_text(d, text);
}

static void digest_network(uint64_t *d, const struct nadi_inputs *in)
{
    const struct nadi_graph *g = &in->graph;
    for (uint32_t i = 0; i < in->topology.dim_count; i++) {
        const struct nadi_dim *dim = &in->topology.dims[i];
        digest_u64(d, (uint64_t)dim->kind << 32 | dim->npus);
        digest_u64(d, dim->axes);
        digest_double(d, dim->bytes_per_ns);
        digest_double(d, dim->latency_ns);
        digest_double(d, dim->oversubscription);
        digest_double(d, dim->in_switch_bytes_per_ns);
        digest_double(d, dim->in_switch_latency_ns);
    }
    for (uint32_t i = 0; i < g->node_count; i++) {
        const struct nadi_graph_node *n = &g->nodes[i];
        digest_u64(d, (uint64_t)n->kind << 32 | n->host);
        digest_text(d, n->name);
        digest_text(d, n->role);
        digest_u64(d, (uint64_t)n->number << 32 | n->level);
        digest_u64(d, (uint64_t)n->group << 32 | n->planes);
        digest_u64(d, n->forward_bits_s);
        digest_double(d, n->in_switch_bytes_per_ns);
    }
    for (uint32_t i = 0; i < g->link_count; i++) {
        const struct nadi_graph_link *l = &g->links[i];
        digest_u64(d, (uint64_t)l->a << 32 | l->b);
        digest_u64(d, l->bits_per_s);
        digest_u64(d, (uint64_t)l->latency);
        digest_double(d, l->loss);
        digest_u64(d, (uint64_t)l->dim << 1 | l->one_way);
    }
}

static void digest_groups(uint64_t *d, const struct nadi_groups *groups)
{
    for (size_t i = 0; i < groups->count; i++) {
        const struct nadi_group *g = &groups->items[i];
        digest_text(d, g->name);
        digest_u64(d, (uint64_t)g->size << 1 | g->is_world);
        for (uint32_t k = 0; g->members && k < g->size; k++)
            digest_u64(d, (uint64_t)g->members[k] << 32 | g->sorted[k]);
    }
}

static void digest_events(uint64_t *d, const struct nadi_events *ev)
{
    digest_u64(d, ev->seed);
    for (size_t i = 0; i < ev->row_count; i++) {
        digest_text(d, ev->rows[i].kind);
        digest_text(d, ev->rows[i].text);
        digest_u64(d, (uint64_t)ev->rows[i].at);
        digest_u64(d, (uint64_t)ev->rows[i].until);
    }
    for (size_t i = 0; i < ev->link_count; i++) {
        const struct nadi_link_entry *e = &ev->links[i];
        digest_u64(d, (uint64_t)e->dimension << 2 | (uint64_t)e->one_way << 1 | e->down);
        digest_double(d, e->bytes_per_ns);
        digest_double(d, e->latency_ns);
        digest_double(d, e->rate_scale);
        digest_double(d, e->latency_scale);
    }
}

static void digest_system(uint64_t *d, const struct nadi_system_config *s)
{
    digest_u64(d, (uint64_t)s->policy << 32 | (uint64_t)s->inter << 16 | (uint64_t)s->intra);
    digest_u64(d, s->endpoint_delay_ns);
    digest_u64(d, (uint64_t)s->active_chunks << 32 | (uint64_t)s->soonest_splits << 31 | s->splits);
    digest_u64(d, s->bus_L ^ s->bus_o << 20 ^ s->bus_g << 40);
    digest_double(d, s->bus_G);
    digest_double(d, s->local_mem_bw);
    digest_double(d, s->peak_perf);
    for (int k = 0; k < NADI_NATIVE_KINDS; k++)
        for (uint32_t i = 0; i < s->native[k].count; i++)
            digest_u64(d, (uint64_t)k << 32 | (uint64_t)s->native[k].dims[i].algorithm);
    for (uint32_t i = 0; i < s->custom_node_count; i++)
        digest_u64(d, s->custom_nodes[i].node_id);
}

static void pinned(void **state)
{
    bool all = true;
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct nadi_str path = NADI_STR_INIT;
        struct nadi_diags diags;
        struct nadi_inputs in;
        char *text = NULL;
        size_t bytes = 0;
        struct row r = rows[i];
        nadi_diags_init(&diags);
        nadi_str_printf(&path, "%s/fuzz/corpus/%s", NADI_TEST_DIR, r.file);
        if (!r.text)
            assert_true(nadi_file_read(nadi_str_get(&path), "input", &text, &bytes, &diags));
        r.ok = fuzz_load_told(&in, r.kind, (const uint8_t *)(r.text ? r.text : text),
                              r.text ? strlen(r.text) : bytes, &diags);
        r.settings = in.setting_count;
        r.digest = DIGEST_INIT;
        for (size_t k = 0; k < in.setting_count; k++) {
            digest_text(&r.digest, in.settings[k].file);
            digest_text(&r.digest, in.settings[k].key);
            digest_said(&r.digest, in.settings[k].value);
            digest_said(&r.digest, in.settings[k].origin);
        }
        for (size_t k = 0; k < diags.count; k++) {
            digest_text(&r.digest, diags.items[k].code);
            digest_said(&r.digest, diags.items[k].message);
            digest_u64(&r.digest,
                       (uint64_t)diags.items[k].place.line << 32 | diags.items[k].place.column);
        }
        if (r.ok) {
            digest_network(&r.digest, &in);
            digest_groups(&r.digest, &in.groups);
            digest_system(&r.digest, &in.system);
            if (in.events)
                digest_events(&r.digest, in.events);
        }
        nadi_inputs_release(&in);
        nadi_mem_free(text);
        if (r.ok != rows[i].ok || r.settings != rows[i].settings || r.digest != rows[i].digest) {
            print_error("%s: %s, %zu, UINT64_C(0x%" PRIx64 ")%s%s\n", r.file,
                        r.ok ? "true" : "false", r.settings, r.digest, r.text && !r.ok ? ": " : "",
                        r.text && !r.ok ? diags.items[diags.count - 1].message : "");
            all = false;
        }
        nadi_str_release(&path);
        nadi_diags_release(&diags);
    }
    assert_true(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pinned)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
