/* schema: every key of every table with a value that is right and one that is wrong; what is said
 * about keys that nobody knows; the texts of explain and of the reference pages. */
#include "base/str.h"
#include "settings/schema.h"

#include <setjmp.h>

#include <cmocka.h>

struct outcome {
    struct nadi_doc doc;
    struct nadi_diags diags;
    struct nadi_schema_values values;
    struct nadi_str text; /* of the diagnostics */
    bool ok;
};

static void check(struct outcome *o, enum nadi_schema_kind kind, const char *text, bool strict)
{
    const struct nadi_schema *schema = nadi_schema_of(kind);
    *o = (struct outcome){0};
    nadi_diags_init(&o->diags);
    if (!nadi_doc_parse(&o->doc, "f", text, strlen(text), schema->syntax, &o->diags))
        fail_msg("%s: %s", text, o->diags.items[0].message);
    o->ok = nadi_schema_check(&o->values, schema, &o->doc, strict, &o->doc.arena, &o->diags);
    for (size_t i = 0; i < o->diags.count; i++)
        nadi_diag_format(&o->diags.items[i], &o->text);
    assert_true(o->ok == (o->diags.errors == 0));
}

static void release(struct outcome *o)
{
    nadi_str_release(&o->text);
    nadi_diags_release(&o->diags);
    nadi_doc_release(&o->doc);
}

struct key_case {
    enum nadi_schema_kind kind;
    const char *key, *good, *echo, *bad, *code;
};

#define SYSTEM    NADI_SCHEMA_SYSTEM
#define NETWORK   NADI_SCHEMA_NETWORK
#define MEMORY    NADI_SCHEMA_MEMORY
#define MANIFEST  NADI_SCHEMA_MANIFEST
#define ENTRY     NADI_SCHEMA_MANIFEST_TRACE
#define SYSTEM    NADI_SCHEMA_SYSTEM
#define NETWORK   NADI_SCHEMA_NETWORK
#define MEMORY    NADI_SCHEMA_MEMORY
#define PACKET    NADI_SCHEMA_PACKET
#define V1        NADI_SCHEMA_NETWORK_V1
#define GENERATOR NADI_SCHEMA_GENERATOR
#define GRAPH     NADI_SCHEMA_GRAPH
#define NODE      NADI_SCHEMA_GRAPH_NODE
#define LINK      NADI_SCHEMA_GRAPH_LINK
#define EVENTS    NADI_SCHEMA_EVENTS
#define CHANGE    NADI_SCHEMA_EVENTS_LINK
#define COMPUTE   NADI_SCHEMA_EVENTS_COMPUTE
#define START     NADI_SCHEMA_EVENTS_START
#define TRAFFIC   NADI_SCHEMA_EVENTS_TRAFFIC
#define TABLE     NADI_SCHEMA_COLLECTIVE
#define STEP      NADI_SCHEMA_COLLECTIVE_STEP
#define ATTACHED  NADI_SCHEMA_ATTACHED
#define TUNER     NADI_SCHEMA_TUNER
#define RULE      NADI_SCHEMA_TUNER_RULE
#define SPACE     NADI_SCHEMA_SPACE

static const struct key_case key_cases[] = {
    {SYSTEM, "all-reduce-implementation", "[\"ring\", \"direct4\"]", "[ring, direct4]", "\"ring\"",
     "schema/list"},
    {SYSTEM, "broadcast-implementation", "[\"chain8\"]", "[chain8]", "[\"bruck\"]", "schema/word"},
    {SYSTEM, "reduce-implementation", "[\"doubleTree\"]", "[doubleTree]", "[\"ring\"]",
     "schema/word"},
    {SYSTEM, "gather-implementation", "[\"tree4\"]", "[tree4]", "[\"tree\", \"tree\"]",
     "schema/list"},
    {SYSTEM, "scatter-implementation", "[\"direct\"]", "[direct]", "\"direct\"", "schema/list"},
    {SYSTEM, "barrier-implementation", "[\"recursiveDoubling\"]", "[recursiveDoubling]",
     "[\"chain\"]", "schema/word"},
    {SYSTEM, "all-gather-implementation", "[\"oneRing\"]", "[oneRing]", "[\"Ring\"]",
     "schema/word"},
    {SYSTEM, "reduce-scatter-implementation", "[\"halvingDoubling\", \"oneHalvingDoubling\"]",
     "[halvingDoubling, oneHalvingDoubling]", "[\"directx\"]", "schema/word"},
    {SYSTEM, "all-to-all-implementation", "[\"oneDirect16\", \"doubleBinaryTree\"]",
     "[oneDirect16, doubleBinaryTree]", "[\"direct0\"]", "schema/range"},
    {SYSTEM, "all-to-all-v-implementation", "[\"pairwise\"]", "[pairwise]", "[\"ring\"]",
     "schema/word"},
    {SYSTEM, "all-to-all-matrix", "\"m.csv\"", "m.csv", "7", "schema/type"},
    {SYSTEM, "all-to-all-skew", "\"zipf\"", "zipf", "\"pareto\"", "schema/word"},
    {SYSTEM, "all-to-all-skew-by", "1.5", "1.5", "-1", "schema/range"},
    {SYSTEM, "all-to-all-skew-seed", "7", "7", "-7", "schema/range"},
    {SYSTEM, "all-reduce-implementation-custom", "[\"x/y\"]", "[x/y]", "[\"x\", \"y\"]",
     "schema/list"},
    {SYSTEM, "all-gather-implementation-custom", "[\"x/y\"]", "[x/y]", "[]", "schema/list"},
    {SYSTEM, "reduce-scatter-implementation-custom", "[\"x/y\"]", "[x/y]", "\"x\"", "schema/list"},
    {SYSTEM, "all-to-all-implementation-custom", "[\"x/y\"]", "[x/y]", "[3]", "schema/type"},
    {SYSTEM, "per-node-custom-implementation", "\"map.yml\"", "map.yml", "\"\"", "schema/type"},
    {SYSTEM, "collective-optimization", "\"localBWAware\"", "localBWAware", "\"localbwaware\"",
     "schema/word"},
    {SYSTEM, "preferred-dataset-splits", "4", "4", "0", "schema/range"},
    {SYSTEM, "active-chunks-per-dimension", "8", "8", "0", "schema/range"},
    {SYSTEM, "communication-streams", "4", "4", "0", "schema/range"},
    {SYSTEM, "inter-dimension-scheduling", "\"themis\"", "themis", "\"greedy\"", "schema/word"},
    {SYSTEM, "intra-dimension-scheduling", "\"SCF\"", "SCF", "\"RG\"", "schema/word"},
    {SYSTEM, "scheduling-policy", "\"EXPLICIT\"", "EXPLICIT", "\"fifo\"", "schema/word"},
    {SYSTEM, "endpoint-delay", "\"1.5us\"", "1500 ns", "\"10 parsec\"", "schema/unit"},
    {SYSTEM, "local-mem-bw", "1600", "1600000000000 B/s", "-1", "schema/range"},
    {SYSTEM, "peak-perf", "\"900TFLOPS\"", "900000000000000 FLOP/s", "\"900GB/s\"", "schema/unit"},
    {SYSTEM, "roofline-enabled", "1", "on", NULL, NULL},
    {SYSTEM, "replay-only", "0", "off", NULL, NULL},
    {SYSTEM, "track-local-mem", "0.0", "off", NULL, NULL},
    {SYSTEM, "trace-enabled", "true", "on", NULL, NULL},
    {SYSTEM, "local-mem-trace-filename", "\"m\"", "m", "7", "schema/type"},
    {SYSTEM, "model-shared-bus", "1", "on", "\"1\"", "schema/type"},
    {SYSTEM, "L", "5", "5 ns", "-1", "schema/range"},
    {SYSTEM, "o", "\"3ns\"", "3 ns", "null", "schema/type"},
    {SYSTEM, "g", "2", "2 ns", "[2]", "schema/type"},
    {SYSTEM, "G", "0.01", "0.01 ns/B", "\"0.01ns\"", "schema/type"},
    {SYSTEM, "local-reduction-delay", "7", "7 ns", "1e12", "schema/range"},
    {NETWORK, "topology", "[Ring, Switch, FullyConnected]", "[Ring, Switch, FullyConnected]",
     "[Hypercube]", "schema/word"},
    {NETWORK, "oversubscription", "[1, 2.5]", "[1, 2.5]", "[0.5]", "schema/range"},
    {NETWORK, "in-switch-bandwidth", "[0, 400Gbps, .inf]", "[0 B/s, 50000000000 B/s, inf B/s]",
     "[-1]", "schema/range"},
    {NETWORK, "in-switch-latency", "[0, 1.5us]", "[0 ns, 1500 ns]", "100", "schema/list"},
    {NETWORK, "tiers", "[node, pod]", "[node, pod]", "pod", "schema/list"},
    {NETWORK, "npus_count", "[8, 0x10, 0o10]", "[8, 16, 8]", "[2.0]", "schema/type"},
    {NETWORK, "bandwidth", "[50, 50GB/s, 400Gbps, .inf]",
     "[53687091200 B/s, 50000000000 B/s, 50000000000 B/s, inf B/s]", "[0]", "schema/range"},
    {NETWORK, "latency", "[500, 0, 1.5us, 33.3]", "[500 ns, 0 ns, 1500 ns, 33.3 ns]", "[-1]",
     "schema/range"},
    {MEMORY, "memory-type", "\"MEMORY_POOL\"", "MEMORY_POOL", "\"POOL\"", "schema/word"},
    {MEMORY, "remote-mem-latency", "100", "100 ns", "\"100 GB\"", "schema/unit"},
    {MEMORY, "remote-mem-bw", "\"50GB/s\"", "50000000000 B/s", "\"50\"", "schema/type"},
    {MEMORY, "num-nodes", "2", "2", "\"two\"", "schema/type"},
    {MEMORY, "num-npus-per-node", "4", "4", "-4", "schema/range"},
    {MANIFEST, "nadi-manifest", "1", "1", "2", "schema/range"},
    {MANIFEST, "ranks", "16", "16", "0", "schema/range"},
    {MANIFEST, "axes", "{tp: 8, pp: 2}", "{tp: 8, pp: 2}", "[8, 2]", "schema/map"},
    {MANIFEST, "groups", "{tp: [tp, pp]}", "{tp: [tp, pp]}", "tp", "schema/map"},
    {MANIFEST, "peers", "relative", "relative", "near", "schema/word"},
    {MANIFEST, "traces", "[{file: a.et}, {file: b.et}]", "[{file: a.et}, {file: b.et}]", "[a.et]",
     "schema/map"},
    {ENTRY, "file", "a.et", "a.et", "[a.et]", "schema/type"},
    {ENTRY, "where", "{pp: 1..2}", "{pp: 1..2}", "1..2", "schema/map"},
    {ENTRY, "first", "8", "8", "-1", "schema/range"},
    {ENTRY, "count", "2", "2", "0", "schema/range"},
    {ENTRY, "stride", "4", "4", "0", "schema/range"},
    {NETWORK, "graph", "topology.txt", "topology.txt", "[a]", "schema/type"},
    {NETWORK, "flow-startup", "1.5us", "1500 ns", "3 GB", "schema/unit"},
    {NETWORK, "flow-overhead", "1.5us", "1500 ns", "3 GB", "schema/unit"},
    {NETWORK, "flow-window", "2kB", "2000 B", "-1", "schema/range"},
    {NETWORK, "flow-packet", "2kB", "2000 B", "-1", "schema/range"},
    {NETWORK, "packet", "packet.yml", "packet.yml", "[a]", "schema/type"},
    {PACKET, "congestion-control", "hpcc", "hpcc", "HPCC", "schema/word"},
    {PACKET, "mode", "exact", "exact", "ns-3", "schema/word"},
    {PACKET, "seed", "7", "7", "-1", "schema/range"},
    {PACKET, "payload", "2kB", "2000 B", "-1", "schema/range"},
    {PACKET, "frame-gap", "20", "20 B", "65", "schema/range"},
    {PACKET, "window", "largest-bdp", "largest-bdp", "yes", "schema/word"},
    {PACKET, "window-size", "2kB", "2000 B", "-1", "schema/range"},
    {PACKET, "window-follows-rate", "true", "on", "yes", "schema/type"},
    {PACKET, "pacing", "true", "on", "yes", "schema/type"},
    {PACKET, "ack-first", "true", "on", "yes", "schema/type"},
    {PACKET, "ack-interval", "2kB", "2000 B", "-1", "schema/range"},
    {PACKET, "nack-interval", "1.5us", "1500 ns", "3 GB", "schema/unit"},
    {PACKET, "retransmission-timeout", "1.5us", "1500 ns", "3 GB", "schema/unit"},
    {PACKET, "pfc", "true", "on", "yes", "schema/type"},
    {PACKET, "buffer", "2kB", "2000 B", "-1", "schema/range"},
    {PACKET, "buffer-reserve", "2kB", "2000 B", "-1", "schema/range"},
    {PACKET, "threshold-shift", "7", "7", "-1", "schema/range"},
    {PACKET, "resume-offset", "2kB", "2000 B", "-1", "schema/range"},
    {PACKET, "headroom", "2", "2", "-1", "schema/range"},
    {PACKET, "ecn", "true", "on", "yes", "schema/type"},
    {PACKET, "min-rate", "8Gbps", "1000000000 B/s", "8 ns", "schema/unit"},
    {PACKET, "rate-ai", "8Gbps", "1000000000 B/s", "8 ns", "schema/unit"},
    {PACKET, "rate-hai", "8Gbps", "1000000000 B/s", "8 ns", "schema/unit"},
    {PACKET, "dctcp-rate-ai", "8Gbps", "1000000000 B/s", "8 ns", "schema/unit"},
    {PACKET, "gain", "0.5", "0.5", "-1", "schema/range"},
    {PACKET, "dcqcn-alpha-interval", "1.5us", "1500 ns", "3 GB", "schema/unit"},
    {PACKET, "dcqcn-decrease-interval", "1.5us", "1500 ns", "3 GB", "schema/unit"},
    {PACKET, "dcqcn-increase-interval", "1.5us", "1500 ns", "3 GB", "schema/unit"},
    {PACKET, "dcqcn-increase-bytes", "2kB", "2000 B", "-1", "schema/range"},
    {PACKET, "dcqcn-fast-recovery", "7", "7", "-1", "schema/range"},
    {PACKET, "dcqcn-clamp-target", "true", "on", "yes", "schema/type"},
    {PACKET, "hpcc-target", "2", "2", "-1", "schema/range"},
    {PACKET, "hpcc-mi-threshold", "7", "7", "-1", "schema/range"},
    {PACKET, "hpcc-fast-react", "true", "on", "yes", "schema/type"},
    {PACKET, "hpcc-multi-rate", "true", "on", "yes", "schema/type"},
    {PACKET, "hpcc-sample-feedback", "true", "on", "yes", "schema/type"},
    {PACKET, "int-multiple", "7", "7", "-1", "schema/range"},
    {PACKET, "pint-log-base", "2", "2", "-1", "schema/range"},
    {PACKET, "pint-probability", "0.5", "0.5", "-1", "schema/range"},
    {PACKET, "timely-low", "1.5us", "1500 ns", "3 GB", "schema/unit"},
    {PACKET, "timely-high", "1.5us", "1500 ns", "3 GB", "schema/unit"},
    {PACKET, "timely-min-rtt", "1.5us", "1500 ns", "3 GB", "schema/unit"},
    {PACKET, "timely-alpha", "0.5", "0.5", "-1", "schema/range"},
    {PACKET, "timely-beta", "0.5", "0.5", "-1", "schema/range"},
    {PACKET, "ecn-rate", "[25Gbps, 400]", "[3125000000 B/s, 50000000000 B/s]", "[0]",
     "schema/range"},
    {PACKET, "ecn-kmin", "[100kB, 7]", "[100000 B, 7 B]", "[-1]", "schema/range"},
    {PACKET, "ecn-kmax", "[400kB]", "[400000 B]", "400kB", "schema/list"},
    {PACKET, "ecn-pmax", "[0.2, 1]", "[0.2, 1]", "[1.5]", "schema/range"},
    {PACKET, "recovery", "selective", "selective", "sack", "schema/word"},
    {PACKET, "reorder-packets", "7", "7", "-1", "schema/range"},
    {PACKET, "back-to-chunk", "true", "on", "yes", "schema/type"},
    {PACKET, "chunk", "2kB", "2000 B", "0", "schema/range"},
    {PACKET, "retry-limit", "0", "0", "-1", "schema/range"},
    {PACKET, "nic-pauses", "7", "7", "-1", "schema/range"},
    {PACKET, "spreading", "packet", "packet", "spray", "schema/word"},
    {PACKET, "trimming", "true", "on", "yes", "schema/type"},
    {PACKET, "trim-queue", "2kB", "2000 B", "-1", "schema/range"},
    {PACKET, "loss", "0.01", "0.01", "1", "schema/range"},
    {PACKET, "fault-time", "[1us, 5]", "[1000 ns, 5 ns]", "[-1]", "schema/range"},
    {PACKET, "fault-from", "[3, 4]", "[3, 4]", "[-1]", "schema/range"},
    {PACKET, "fault-to", "[3, 4]", "[3, 4]", "4", "schema/list"},
    {PACKET, "fault-state", "[down, up]", "[down, up]", "[broken]", "schema/word"},
    {PACKET, "dcqcn-notify-interval", "1.5us", "1500 ns", "3 GB", "schema/unit"},
    {PACKET, "timely-hyper-after", "7", "7", "-1", "schema/range"},
    {PACKET, "swift-base-target", "1.5us", "1500 ns", "3 GB", "schema/unit"},
    {PACKET, "swift-per-hop", "1.5us", "1500 ns", "3 GB", "schema/unit"},
    {PACKET, "swift-additive", "0.5", "0.5", "-1", "schema/range"},
    {PACKET, "swift-beta", "0.5", "0.5", "2", "schema/range"},
    {PACKET, "swift-max-decrease", "0.25", "0.25", "2", "schema/range"},
    {PACKET, "swift-scale-range", "2", "2", "-1", "schema/range"},
    {PACKET, "swift-scale-min", "0.5", "0.5", "0", "schema/range"},
    {PACKET, "swift-scale-max", "50", "50", "0", "schema/range"},
    {V1, "topologies-per-dim", "[\"Ring\"]", "[Ring]", "[\"Torus\"]", "schema/word"},
    {V1, "units-count", "[8, 4]", "[8, 4]", "[0]", "schema/range"},
    {V1, "links-count", "[2]", "[2]", "2", "schema/list"},
    {V1, "link-bandwidth", "[50]", "[53687091200 B/s]", "[0]", "schema/range"},
    {V1, "link-latency", "[500]", "[500 ns]", "[-1]", "schema/range"},
    {V1, "dimensions-count", "2", "2", "17", "schema/range"},
    {V1, "nic-latency", "[10]", "[10 ns]", "[\"x\"]", "schema/type"},
    {V1, "router-latency", "[0, 5]", "[0 ns, 5 ns]", "7", "schema/list"},
    {GENERATOR, "k", "4", "4", "0", "schema/range"},
    {GENERATOR, "levels", "4", "4", "0", "schema/range"},
    {GENERATOR, "pods", "4", "4", "0", "schema/range"},
    {GENERATOR, "leaves", "4", "4", "0", "schema/range"},
    {GENERATOR, "spines", "4", "4", "0", "schema/range"},
    {GENERATOR, "hosts", "4", "4", "0", "schema/range"},
    {GENERATOR, "nodes", "4", "4", "0", "schema/range"},
    {GENERATOR, "npus", "4", "4", "0", "schema/range"},
    {GENERATOR, "pod", "4", "4", "0", "schema/range"},
    {GENERATOR, "pxn", "1", "1", "2", "schema/range"},
    {GENERATOR, "a", "4", "4", "0", "schema/range"},
    {GENERATOR, "p", "4", "4", "0", "schema/range"},
    {GENERATOR, "h", "4", "4", "0", "schema/range"},
    {GENERATOR, "g", "4", "4", "0", "schema/range"},
    {GENERATOR, "planes", "4", "4", "0", "schema/range"},
    {GENERATOR, "nics", "4", "4", "0", "schema/range"},
    {GENERATOR, "down", "[4, 2]", "[4, 2]", "[0]", "schema/range"},
    {GENERATOR, "up", "[4, 2]", "[4, 2]", "[0]", "schema/range"},
    {GENERATOR, "lanes", "[4, 2]", "[4, 2]", "[0]", "schema/range"},
    {GENERATOR, "shape", "[4, 2]", "[4, 2]", "[0]", "schema/range"},
    {GENERATOR, "bandwidth", "400Gbps", "50000000000 B/s", "0", "schema/range"},
    {GENERATOR, "uplink-bandwidth", "[400Gbps, 25]", "[50000000000 B/s, 25000000000 B/s]", "[0]",
     "schema/range"},
    {GENERATOR, "global-bandwidth", "400Gbps", "50000000000 B/s", "0", "schema/range"},
    {GENERATOR, "scale-up-bandwidth", "400Gbps", "50000000000 B/s", "0", "schema/range"},
    {GENERATOR, "pcie-bandwidth", "400Gbps", "50000000000 B/s", "0", "schema/range"},
    {GENERATOR, "latency", "1.5us", "1500 ns", "3 GB", "schema/unit"},
    {GENERATOR, "uplink-latency", "1.5us", "[1500 ns]", "3 GB", "schema/unit"},
    {GENERATOR, "global-latency", "1.5us", "1500 ns", "3 GB", "schema/unit"},
    {GENERATOR, "scale-up-latency", "1.5us", "1500 ns", "3 GB", "schema/unit"},
    {GENERATOR, "pcie-latency", "1.5us", "1500 ns", "3 GB", "schema/unit"},
    {GENERATOR, "type", "dragonfly+", "dragonfly+", "ring", "schema/word"},
    {GENERATOR, "oversubscription", "2.5", "2.5", "0.5", "schema/range"},
    {GENERATOR, "scale-out", "{type: torus}", "{type: torus}", "torus", "schema/map"},
    {GRAPH, "generator", "{type: torus}", "{type: torus}", "torus", "schema/map"},
    {GRAPH, "nodes", "[{name: a}]", "[{name: a}]", "[a]", "schema/map"},
    {GRAPH, "links", "[{from: a}]", "[{from: a}]", "a", "schema/list"},
    {GRAPH, "dimensions", "[8, 2]", "[8, 2]", "[0]", "schema/range"},
    {GRAPH, "routing", "valiant", "valiant", "random", "schema/word"},
    {GRAPH, "routing-seed", "7", "7", "-1", "schema/range"},
    {GRAPH, "stripe", "none", "none", "plane", "schema/word"},
    {GRAPH, "in-switch-bandwidth", "3.2Tbps", "400000000000 B/s", "1s", "schema/unit"},
    {GRAPH, "in-switch-latency", "0.3us", "300 ns", "-1", "schema/range"},
    {GRAPH, "prices", "{leaf: 1}", "{leaf: 1}", "[1]", "schema/map"},
    {GRAPH, "packet", "packet.yml", "packet.yml", "[a]", "schema/type"},
    {GRAPH, "flow-startup", "1.5us", "1500 ns", "3 GB", "schema/unit"},
    {GRAPH, "flow-overhead", "1.5us", "1500 ns", "3 GB", "schema/unit"},
    {GRAPH, "flow-window", "2kB", "2000 B", "-1", "schema/range"},
    {GRAPH, "flow-packet", "2kB", "2000 B", "-1", "schema/range"},
    {NODE, "name", "sw[0-3]", "sw[0-3]", "[a]", "schema/type"},
    {NODE, "kind", "pcie", "pcie", "gpu", "schema/word"},
    {NODE, "role", "leaf", "leaf", "[a]", "schema/type"},
    {NODE, "bandwidth", "64GB/s", "64000000000 B/s", "0", "schema/range"},
    {NODE, "in-switch-bandwidth", "0", "0 B/s", "-1", "schema/range"},
    {NODE, "in-switch-latency", "250", "250 ns", "[1]", "schema/type"},
    {NODE, "level", "2", "2", "16", "schema/range"},
    {NODE, "group", "2", "2", "-1", "schema/range"},
    {LINK, "from", "a", "a", "[a]", "schema/type"},
    {LINK, "to", "b", "b", "[b]", "schema/type"},
    {LINK, "join", "all", "all", "each", "schema/word"},
    {LINK, "bandwidth", "64GB/s", "64000000000 B/s", "0", "schema/range"},
    {LINK, "latency", "1us", "1000 ns", "-1", "schema/range"},
    {LINK, "loss", "0.01", "0.01", "1", "schema/range"},
    {LINK, "count", "4", "4", "0", "schema/range"},
    {LINK, "one-way", "true", "on", "yes", "schema/type"},
    {LINK, "on-board", "true", "on", "yes", "schema/type"},
    {LINK, "dimension", "2", "2", "16", "schema/range"},
    {GRAPH, "in-flight", "1", "1", "-1", "schema/range"},
    {NETWORK, "in-flight", "1", "1", "-1", "schema/range"},
    {GRAPH, "flow-in-flight", "1", "1", "-1", "schema/range"},
    {NETWORK, "flow-in-flight", "1", "1", "-1", "schema/range"},
    {SYSTEM, "custom-collectives", "[{\"file\": \"a\"}]", "[{file: a}]", "[1]", "schema/map"},
    {SYSTEM, "tuner", "\"t.yml\"", "t.yml", "[1]", "schema/type"},
    {TUNER, "platform", "a cluster", "a cluster", "[1]", "schema/type"},
    {TUNER, "rules", "[{kind: barrier}]", "[{kind: barrier}]", "[1]", "schema/map"},
    {RULE, "kind", "all-to-all", "all-to-all", "all", "schema/word"},
    {RULE, "members", "8", "8", "1", "schema/range"},
    {RULE, "min-size", "1MB", "1000000 B", "-1", "schema/range"},
    {RULE, "max-size", "1MB", "1000000 B", "1s", "schema/unit"},
    {RULE, "algorithm", "tree4", "tree4", "[1]", "schema/type"},
    {RULE, "channels", "4", "4", "0", "schema/range"},
    {RULE, "protocol", "LL", "LL", "ll", "schema/word"},
    {RULE, "message-overhead", "1us", "1000 ns", "1MB", "schema/unit"},
    {SPACE, "run", "{model: a}", "{model: a}", "a", "schema/map"},
    {SPACE, "vary", "{tp: [1, 2]}", "{tp: [1, 2]}", "1", "schema/map"},
    {SPACE, "variables", "{mp: 4}", "{mp: 4}", "[]", "schema/map"},
    {SPACE, "constraints", "tp < 4", "[tp < 4]", "{}", "schema/list"},
    {SPACE, "sampling", "sobol", "sobol", "grd", "schema/word"},
    {SPACE, "points", "9", "9", "0", "schema/range"},
    {SPACE, "seed", "3", "3", "x", "schema/type"},
    {SPACE, "file", "a.csv", "a.csv", "[1]", "schema/type"},
    {SPACE, "objectives", "[mfu, memory]", "[mfu, memory]", "{}", "schema/list"},
    {SPACE, "infeasible", "simulate", "simulate", "no", "schema/word"},
    {ATTACHED, "file", "\"a.xml\"", "a.xml", "[1]", "schema/type"},
    {ATTACHED, "kind", "\"all-to-all\"", "all-to-all", "\"all\"", "schema/word"},
    {ATTACHED, "trace-size", "\"1MB\"", "1000000 B", "0", "schema/range"},
    {ATTACHED, "group", "\"tp\"", "tp", "[1]", "schema/type"},
    {ATTACHED, "min-size", "\"1MB\"", "1000000 B", "-1", "schema/range"},
    {ATTACHED, "max-size", "\"1MB\"", "1000000 B", "\"1s\"", "schema/unit"},
    {TABLE, "collective", "all-gather", "all-gather", "allgather", "schema/word"},
    {TABLE, "name", "mine", "mine", "[1]", "schema/type"},
    {TABLE, "members", "8", "8", "0", "schema/range"},
    {TABLE, "blocks", "64", "64", "0", "schema/range"},
    {TABLE, "scratch", "64", "64", "-1", "schema/range"},
    {TABLE, "separate-results", "1", "on", "[1]", "schema/type"},
    {TABLE, "swapped-results", "1", "on", "[1]", "schema/type"},
    {TABLE, "root", "1", "1", "-1", "schema/range"},
    {TABLE, "steps", "[{member: 0}]", "[{member: 0}]", "[2]", "schema/map"},
    {STEP, "member", "1", "1", "-1", "schema/range"},
    {STEP, "lane", "1", "1", "65536", "schema/range"},
    {STEP, "to", "1", "1", "a", "schema/type"},
    {STEP, "to-lane", "1", "1", "-1", "schema/range"},
    {STEP, "from", "1", "1", "1048576", "schema/range"},
    {STEP, "send", "1", "1", "[1]", "schema/type"},
    {STEP, "local", "0-3,7", "0-3,7", "[1]", "schema/type"},
    {STEP, "into", "0-3,7", "0-3,7", "{a: 1}", "schema/type"},
    {STEP, "add", "1", "on", "[1]", "schema/type"},
    {STEP, "wait-steps", "3", "3", "-1", "schema/range"},
    {STEP, "wait-lane", "3", "3", "-1", "schema/range"},
    {EVENTS, "seed", "7", "7", "-1", "schema/range"},
    {EVENTS, "links", "[{from: a}]", "[{from: a}]", "a", "schema/list"},
    {EVENTS, "compute", "[{scale: 2}]", "[{scale: 2}]", "[2]", "schema/map"},
    {EVENTS, "start", "[{delay: 2}]", "[{delay: 2}]", "[2]", "schema/map"},
    {EVENTS, "traffic", "[{from: 2}]", "[{from: 2}]", "[2]", "schema/map"},
    {CHANGE, "at", "1.5us", "1500 ns", "-1", "schema/range"},
    {CHANGE, "until", "1.5us", "1500 ns", "3 GB", "schema/unit"},
    {COMPUTE, "at", "1.5us", "1500 ns", "-1", "schema/range"},
    {COMPUTE, "until", "1.5us", "1500 ns", "3 GB", "schema/unit"},
    {TRAFFIC, "at", "1.5us", "1500 ns", "-1", "schema/range"},
    {TRAFFIC, "until", "1.5us", "1500 ns", "3 GB", "schema/unit"},
    {CHANGE, "from", "leaf [0-3]", "leaf [0-3]", "[a]", "schema/type"},
    {CHANGE, "to", "3", "3", "[a]", "schema/type"},
    {CHANGE, "dimension", "2", "2", "16", "schema/range"},
    {CHANGE, "one-way", "true", "on", "yes", "schema/type"},
    {CHANGE, "down", "1", "on", "yes", "schema/type"},
    {CHANGE, "bandwidth", "64GB/s", "64000000000 B/s", "0", "schema/range"},
    {CHANGE, "bandwidth-scale", "0.5", "0.5", "0", "schema/range"},
    {CHANGE, "latency", "1us", "1000 ns", "-1", "schema/range"},
    {CHANGE, "latency-scale", "0", "0", "-1", "schema/range"},
    {COMPUTE, "ranks", "0-7,12", "0-7,12", "[1]", "schema/type"},
    {COMPUTE, "jitter", "0.1", "0.1", "-0.1", "schema/range"},
    {COMPUTE, "distribution", "lognormal", "lognormal", "gauss", "schema/word"},
    {START, "ranks", "0-7,12", "0-7,12", "[1]", "schema/type"},
    {START, "jitter", "0.1", "0.1", "-0.1", "schema/range"},
    {START, "distribution", "lognormal", "lognormal", "gauss", "schema/word"},
    {COMPUTE, "scale", "1.1", "1.1", "0", "schema/range"},
    {COMPUTE, "draw", "rank", "rank", "node", "schema/word"},
    {START, "delay", "1.5us", "1500 ns", "-1", "schema/range"},
    {TRAFFIC, "from", "0-3", "0-3", "[1]", "schema/type"},
    {TRAFFIC, "to", "4", "4", "[1]", "schema/type"},
    {TRAFFIC, "bytes", "1MB", "1000000 B", "0", "schema/range"},
    {TRAFFIC, "rate", "10GB/s", "10000000000 B/s", "0", "schema/range"},
    {TRAFFIC, "arrivals", "poisson", "poisson", "random", "schema/word"},
    {TRAFFIC, "weight", "4", "4", "0", "schema/range"},
};

enum { KEY_CASES = sizeof(key_cases) / sizeof(key_cases[0]) };

static void check_one(struct outcome *o, const struct key_case *c, const char *value)
{
    struct nadi_str text = NADI_STR_INIT;
    bool json = nadi_schema_of(c->kind)->syntax == NADI_DOC_JSON;
    nadi_str_printf(&text, json ? "{\"%s\": %s}" : "%s: %s", c->key, value);
    check(o, c->kind, nadi_str_get(&text), false);
    nadi_str_release(&text);
}

/* Their cases are in tests/unit/model, tests/unit/cost and tests/cli/optimize. */
static bool is_of_models(int kind)
{
    return kind == NADI_SCHEMA_MODEL || kind == NADI_SCHEMA_PLAN || kind == NADI_SCHEMA_DEVICE ||
           kind == NADI_SCHEMA_CLUSTER || kind == NADI_SCHEMA_PLATFORM ||
           kind == NADI_SCHEMA_CATALOGUE || kind == NADI_SCHEMA_CATALOGUE_PART ||
           kind == NADI_SCHEMA_DIVIDED || kind == NADI_SCHEMA_COMMUNICATORS;
}

static void every_key_has_a_case(void **state)
{
    struct nadi_str missing = NADI_STR_INIT;
    (void)state;
    for (int k = 0; k < NADI_SCHEMA_KINDS; k++) {
        if (is_of_models(k))
            continue;
        const struct nadi_schema *schema = nadi_schema_of((enum nadi_schema_kind)k);
        for (size_t i = 0; i < schema->count && !schema->open; i++) {
            bool found = schema->keys[i].effect != NADI_EFFECT_USED;
            for (size_t c = 0; c < KEY_CASES && !found; c++)
                found = (int)key_cases[c].kind == k &&
                        strcmp(key_cases[c].key, schema->keys[i].name) == 0;
            if (!found)
                nadi_str_printf(&missing, " '%s'", schema->keys[i].name);
        }
    }
    if (missing.length)
        fail_msg("no case for%s", nadi_str_get(&missing));
    nadi_str_release(&missing);
}

static void right_values(void **state)
{
    (void)state;
    for (size_t i = 0; i < KEY_CASES; i++) {
        struct outcome o;
        struct nadi_str echo = NADI_STR_INIT, origin = NADI_STR_INIT;
        check_one(&o, &key_cases[i], key_cases[i].good);
        const struct nadi_schema_value *v = nadi_schema_get(&o.values, key_cases[i].key);
        assert_non_null(v->node);
        assert_true(nadi_schema_is_set(&o.values, key_cases[i].key));
        char quoted[80];
        snprintf(quoted, sizeof(quoted), "'%s", v->key->name);
        if (strstr(nadi_str_get(&o.text), quoted) && !strstr(nadi_str_get(&o.text), "not set"))
            fail_msg("%s", nadi_str_get(&o.text));
        nadi_schema_value_text(v, &echo);
        assert_string_equal(nadi_str_get(&echo), key_cases[i].echo);
        nadi_schema_origin(&o.values, v, &origin);
        assert_string_equal(nadi_str_get(&origin), "f:1");
        nadi_str_release(&echo);
        nadi_str_release(&origin);
        release(&o);
    }
}

static void wrong_values(void **state)
{
    (void)state;
    for (size_t i = 0; i < KEY_CASES; i++) {
        struct outcome o;
        if (!key_cases[i].bad)
            continue; /* flags take everything */
        check_one(&o, &key_cases[i], key_cases[i].bad);
        assert_false(o.ok);
        if (!strstr(nadi_str_get(&o.text), key_cases[i].code) ||
            !strstr(nadi_str_get(&o.text), key_cases[i].key))
            fail_msg("%s: %s", key_cases[i].key, nadi_str_get(&o.text));
        assert_int_equal(o.diags.items[0].place.line, 1);
        assert_true(o.diags.items[0].place.column > 1);
        release(&o);
    }
}

static void defaults(void **state)
{
    (void)state;
    struct nadi_arena arena;
    struct nadi_diags diags;
    struct nadi_schema_values v;
    nadi_arena_init(&arena);
    nadi_diags_init(&diags);
    assert_true(nadi_schema_check(&v, nadi_schema_of(SYSTEM), NULL, true, &arena, &diags));
    assert_int_equal(diags.count, 0);
    assert_int_equal(nadi_schema_integer(&v, "endpoint-delay"), 10);
    assert_int_equal(nadi_schema_integer(&v, "local-reduction-delay"), 1);
    assert_int_equal(nadi_schema_integer(&v, "preferred-dataset-splits"), 1);
    assert_int_equal(nadi_schema_integer(&v, "active-chunks-per-dimension"), 1);
    assert_int_equal(nadi_schema_integer(&v, "roofline-enabled"), 0);
    assert_int_equal(nadi_schema_word(&v, "scheduling-policy"), 0);
    assert_int_equal(nadi_schema_word(&v, "collective-optimization"), 0);
    assert_true(nadi_schema_number(&v, "peak-perf") <= 0);
    assert_int_equal(nadi_schema_get(&v, "all-reduce-implementation")->count, 0);
    assert_string_equal(nadi_schema_get(&v, "local-mem-trace-filename")->items[0].text,
                        "local_mem_trace");
    struct nadi_str s = NADI_STR_INIT;
    nadi_schema_value_text(nadi_schema_get(&v, "all-reduce-implementation"), &s);
    nadi_schema_origin(&v, nadi_schema_get(&v, "L"), &s);
    assert_string_equal(nadi_str_get(&s), "nonedefault");
    nadi_str_release(&s);
    nadi_diags_release(&diags);
    nadi_arena_release(&arena);
}

/* The network's GB counts 2^30 bytes, and the product is rounded once. */
static void bandwidth_is_exact(void **state)
{
    (void)state;
    struct outcome o;
    check(&o, NETWORK, "bandwidth: [741.34, 12.5GiB/s]\n", false);
    const struct nadi_schema_value *v = nadi_schema_get(&o.values, "bandwidth");
    double expected = 741.34 * 1073741824.0;
    assert_memory_equal(&v->items[0].number, &expected, sizeof(expected));
    expected = 12.5 * 1073741824.0;
    assert_memory_equal(&v->items[1].number, &expected, sizeof(expected));
    release(&o);
}

struct message_case {
    enum nadi_schema_kind kind;
    bool strict;
    const char *text, *messages;
};

static const struct message_case message_cases[] = {
    {SYSTEM, false,
     "{\"collective-optimization\": \"baseline\",\n  \"prefered-dataset-splits\": 4}",
     "f:2:3: warning[schema/unknown-key]: unknown key 'prefered-dataset-splits', did you mean "
     "'preferred-dataset-splits'? Not set: using 1 chunk.\n"},
    {MEMORY, false, "{\"memory-type\": \"MEMORY_POOL\", \"remote-mem-bandwidth\": 3}",
     "f:1:32: warning[schema/unknown-key]: unknown key 'remote-mem-bandwidth'; it is ignored\n"
     "  help: `nadi explain` lists the keys of the memory file\n"},
    {MEMORY, true, "{\"memory-type\": \"MEMORY_POOL\", \"num-node\": 3}",
     "f:1:32: error[schema/unknown-key]: unknown key 'num-node', did you mean 'num-nodes'? Not "
     "set: using 0.\n"},
    {MEMORY, false, "{\"memory-type\": \"MEMORY_POOL\", \"num-nodes\": 1, \"num-node\": 3}",
     "f:1:48: warning[schema/unknown-key]: unknown key 'num-node', did you mean 'num-nodes'?\n"},
    {MEMORY, false, "{}", "f: note[schema/default]: 'memory-type' not set: no remote memory\n"},
    {MEMORY, false, "[]",
     "f:1:1: error[schema/map]: the memory file must be a map of keys and values, found a list of "
     "0\n  help: for example:\n{\n  \"memory-type\": \"MEMORY_POOL\",\n  \"remote-mem-latency\": "
     "\"1us\",\n  \"remote-mem-bw\": \"100GB/s\"\n}\n\n"},
    {SYSTEM, false,
     "{\"collective-optimization\": \"baseline\", \"preferred-dataset-splits\": 1,\n"
     " \"boost-mode\": 1}",
     "f:2:2: note[schema/no-effect]: 'boost-mode' is accepted for compatibility and has no effect. "
     "The reference does not read it either.\n"},
    {SYSTEM, false,
     "{\"collective-optimization\": \"baseline\", \"preferred-dataset-splits\": 1,\n"
     " \"replay-only\": false}",
     "f:2:17: warning[schema/flag]: 'replay-only' is 'false', which turns it ON: as in the "
     "reference, only the number 0 turns it off\n"
     "  help: write 0 to turn it off, 1 to turn it on\n"},
    {SYSTEM, false,
     "{\"collective-optimization\": \"baseline\", \"preferred-dataset-splits\": 2.9,\n"
     " \"endpoint-delay\": true, \"model-shared-bus\": 2}",
     "f:1:69: warning[schema/cut]: 'preferred-dataset-splits' is cut to 2: it takes whole numbers\n"
     "  help: write a whole number\n"
     "f:2:20: warning[schema/bool-as-number]: true counts as 1\n"
     "  help: write a number\n"
     "f:2:46: warning[schema/switch]: 'model-shared-bus' is the number 2, which turns it off: only "
     "1 turns it on\n  help: write 0 or 1\n"},
    {SYSTEM, false,
     "{\"collective-optimization\": \"baseline\", \"preferred-dataset-splits\": 1,\n"
     " \"all-reduce-implementation\": \"ring_doubleBinaryTree\"}",
     "f:2:31: error[schema/list]: 'all-reduce-implementation' must be a list, found the text "
     "\"ring_doubleBinaryTree\"\n  help: write [\"ring\", \"doubleBinaryTree\"]\n"},
    {SYSTEM, false,
     "{\"collective-optimization\": \"baseline\", \"preferred-dataset-splits\": 1,\n"
     " \"all-reduce-implementation\": [\"ring\", \"dircet4\", \"direct123456\"]}",
     "f:2:40: error[schema/word]: 'all-reduce-implementation[1]' must be one of ring, direct[N], "
     "halvingDoubling, doubleBinaryTree, oneRing, oneDirect[N], oneHalvingDoubling, multiRing[N], "
     "pairwise, bruck, recursiveDoubling, rabenseifner, tree[N], doubleTree[N], chain[N], pat, "
     "torus, "
     "hierarchical, inSwitch[N], inSwitchStore, oneMultiRing[N], onePairwise, oneBruck, "
     "oneRecursiveDoubling, oneRabenseifner, "
     "oneTree[N], oneDoubleTree[N], oneChain[N], onePat, oneTorus, oneHierarchical, "
     "oneInSwitch[N], oneInSwitchStore; found the text "
     "\"dircet4\"\n  help: did you mean 'direct'?\n"
     "f:2:51: error[schema/word]: 'all-reduce-implementation[2]': what follows 'direct' in "
     "'direct123456' is no number\n"
     "  help: a number behind the word has at most 5 digits and nothing after it\n"},
    {NETWORK, false, "topologies-per-dim: [Ring]\nunits-count: [8]\n",
     "f:1:1: warning[schema/legacy]: keys of the ASTRA-sim 1.x format, not read: "
     "'topologies-per-dim' (now topology), 'units-count' (now npus_count)\n"
     "  help: write 'topology', 'npus_count', 'bandwidth' and 'latency' instead, each a list with "
     "one entry a dimension\n"
     "f: error[schema/missing]: required key 'topology' is missing\n"
     "  help: add it; see `nadi explain topology`\n"
     "f: error[schema/missing]: required key 'npus_count' is missing\n"
     "  help: add it; see `nadi explain npus_count`\n"
     "f: error[schema/missing]: required key 'bandwidth' is missing\n"
     "  help: add it; see `nadi explain bandwidth`\n"
     "f: error[schema/missing]: required key 'latency' is missing\n"
     "  help: add it; see `nadi explain latency`\n"},
    {NETWORK, false,
     "topology: [ring]\nnpus_count: 8\nbandwidth: ['50', 40Gigs, .nan]\nlatency: [true]\n",
     "f:1:12: error[schema/word]: 'topology[0]' must be one of Ring, FullyConnected, Switch, "
     "Mesh[N], Torus[N], UnidirectionalRing; found "
     "the text \"ring\"\n  help: did you mean 'Ring'?\n"
     "f:2:13: error[schema/list]: 'npus_count' must be a list, found the number 8\n"
     "  help: write [8]\n"
     "f:3:19: error[schema/unit]: 'bandwidth[1]' must be a number (of GB/s of 2^30 bytes) or a "
     "text "
     "with a unit, found the text \"40Gigs\"\n"
     "  help: units are B/s, kB/s, MB/s, GB/s, TB/s, GiB/s, Mbps, Gbps, Tbps\n"
     "f:3:27: error[schema/range]: 'bandwidth[2]' is not a number\n"
     "f:4:11: error[schema/type]: 'latency[0]' must be a number (of ns) or a text with a unit, "
     "found "
     "'true'\n"},
};

static void messages(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(message_cases) / sizeof(message_cases[0]); i++) {
        struct outcome o;
        check(&o, message_cases[i].kind, message_cases[i].text, message_cases[i].strict);
        assert_string_equal(nadi_str_get(&o.text), message_cases[i].messages);
        release(&o);
    }
}

/* What the reference's JSON reader takes for "not equal to 0". */
static void flags(void **state)
{
    (void)state;
    static const struct {
        const char *value;
        bool on, warned;
    } cases[] = {
        {"0", false, false},   {"0.0", false, false}, {"1", true, false},   {"-3", true, false},
        {"true", true, false}, {"false", true, true}, {"null", true, true}, {"\"0\"", true, true},
        {"[]", true, true},    {"{}", true, true},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct outcome o;
        struct key_case c = {.kind = SYSTEM, .key = "roofline-enabled"};
        check_one(&o, &c, cases[i].value);
        assert_true(o.ok);
        assert_int_equal(nadi_schema_integer(&o.values, c.key), cases[i].on);
        assert_int_equal(o.diags.warnings, cases[i].warned);
        release(&o);
    }
}

static void windows(void **state)
{
    (void)state;
    static const struct {
        const char *word;
        uint32_t index;
        int64_t number;
    } cases[] = {
        {"ring", 0, 0},      {"direct", 1, 0},       {"direct8", 1, 8}, {"direct99999", 1, 99999},
        {"oneDirect", 5, 0}, {"oneDirect12", 5, 12}, {"oneRing", 4, 0},
    };
    static const char *const wrong[] = {"direct-1", "direct+1", "direct8x",     "direct 8",
                                        "direct0",  "direct1.", "direct100000", "direct0x8"};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct outcome o;
        struct nadi_str text = NADI_STR_INIT;
        nadi_str_printf(&text, "{\"all-reduce-implementation\": [\"%s\"]}", cases[i].word);
        check(&o, SYSTEM, nadi_str_get(&text), false);
        const struct nadi_schema_scalar *s =
            nadi_schema_get(&o.values, "all-reduce-implementation")->items;
        assert_true(o.ok);
        assert_int_equal(s->word, cases[i].index);
        assert_int_equal(s->integer, cases[i].number);
        nadi_str_release(&text);
        release(&o);
    }
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct outcome o;
        struct nadi_str text = NADI_STR_INIT;
        nadi_str_printf(&text, "{\"all-reduce-implementation\": [\"%s\"]}", wrong[i]);
        check(&o, SYSTEM, nadi_str_get(&text), false);
        assert_false(o.ok);
        assert_int_equal(o.diags.errors, 1);
        nadi_str_release(&text);
        release(&o);
    }
}

static void explain_one(void **state)
{
    (void)state;
    struct nadi_str s = NADI_STR_INIT;
    assert_true(nadi_explain(NULL, "bandwidth", &s));
    assert_true(nadi_str_starts(
        nadi_str_get(&s),
        "bandwidth   [network file, --network]\n"
        "  Bandwidth of one link of each dimension. A bare number counts GB of 2^30 bytes, as in "
        "the "
        "reference; with a unit it is what the unit says (50GB/s is 5*10^10 B/s).\n"
        "  type      list of numbers\n"
        "  unit      a bare number counts GB/s of 2^30 bytes\n"
        "            with a unit: B/s, kB/s, MB/s, GB/s, TB/s, GiB/s, Mbps, Gbps, Tbps\n"
        "  range     more than 0, at most 1000000000000, or .inf\n"
        "  default   required\n"));
    assert_non_null(strstr(nadi_str_get(&s), "\nbandwidth   [cluster, --cluster]\n"));
    nadi_str_clear(&s);
    assert_false(nadi_explain(NULL, "bandwith", &s));
    assert_string_equal(nadi_str_get(&s),
                        "no input file has a key 'bandwith'; did you mean 'bandwidth'?\n");
    nadi_str_clear(&s);
    assert_true(nadi_explain(NULL, "units-count", &s));
    assert_non_null(
        strstr(nadi_str_get(&s), "ASTRA-sim 1.x format and not read; write 'npus_count'"));
    nadi_str_clear(&s);
    assert_true(nadi_explain(NULL, "boost-mode", &s));
    assert_non_null(strstr(nadi_str_get(&s), "has no effect"));
    nadi_str_release(&s);
}

/* Every key can be explained, is in the list of all, and is on its page. */
static void every_key_is_documented(void **state)
{
    (void)state;
    struct nadi_str all = NADI_STR_INIT, one = NADI_STR_INIT, page = NADI_STR_INIT;
    assert_true(nadi_explain(NULL, NULL, &all));
    for (int k = 0; k < NADI_SCHEMA_KINDS; k++) {
        const struct nadi_schema *schema = nadi_schema_of((enum nadi_schema_kind)k);
        nadi_str_clear(&page);
        nadi_schema_markdown((enum nadi_schema_kind)k, &page);
        assert_non_null(strstr(nadi_str_get(&page), schema->option));
        assert_non_null(strstr(nadi_str_get(&page), schema->example));
        for (size_t i = 0; i < schema->count; i++) {
            const struct nadi_setting *key = &schema->keys[i];
            char row[80], line[80];
            nadi_str_clear(&one);
            assert_true(nadi_explain(NULL, key->name, &one));
            assert_non_null(strstr(nadi_str_get(&one), key->doc));
            snprintf(row, sizeof(row), "\n| `%s` | ", key->name);
            assert_non_null(strstr(nadi_str_get(&page), row));
            snprintf(line, sizeof(line), "\n  %s ", key->name);
            assert_true(key->effect == NADI_EFFECT_LEGACY || strstr(nadi_str_get(&all), line));
        }
    }
    nadi_str_release(&all);
    nadi_str_release(&one);
    nadi_str_release(&page);
}

/* The examples that the pages and messages show are right. */
static void examples_are_accepted(void **state)
{
    (void)state;
    for (int k = 0; k < NADI_SCHEMA_KINDS; k++) {
        const struct nadi_schema *schema = nadi_schema_of((enum nadi_schema_kind)k);
        struct outcome o;
        if (schema->open)
            continue;
        check(&o, (enum nadi_schema_kind)k, schema->example, true);
        assert_true(o.ok);
        assert_int_equal(o.diags.warnings, 0);
        release(&o);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_key_has_a_case),
        cmocka_unit_test(right_values),
        cmocka_unit_test(wrong_values),
        cmocka_unit_test(defaults),
        cmocka_unit_test(bandwidth_is_exact),
        cmocka_unit_test(messages),
        cmocka_unit_test(flags),
        cmocka_unit_test(windows),
        cmocka_unit_test(explain_one),
        cmocka_unit_test(every_key_is_documented),
        cmocka_unit_test(examples_are_accepted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
