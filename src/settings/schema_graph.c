/* schema_graph: the keys of a network that is written as a graph or made by a generator. */
#include "settings/schema_models.h"
#include "settings/schema_more.h"

static const char *const generators[] = {
    "fat-tree", "clos", "leaf-spine", "rail", "dragonfly",  "dragonfly+", "hyperx",
    "torus",    "mesh", "hgx",        "fred", "wafer-mesh", NULL,
};
static const char *const schemes[] = {"shortest", "dimension-order", "ecmp",
                                      "valiant",  "adaptive",        NULL};
static const char *const kinds[] = {"npu", "switch", "nic", "pcie", "router", NULL};
static const char *const stripes[] = {"planes", "none", NULL};
static const char *const variants[] = {"A", "B", "C", "D", NULL};
static const char *const joins[] = {"pairs", "all", NULL};

#define COUNT(called, most, text)                                                                  \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_INTEGER, .min = 1, .max = most,                          \
        .absent = "see the generator", .doc = text                                                 \
    }
#define COUNTS(called, most, text)                                                                 \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_INTEGER, .list = true, .or_one = true, .list_max = 16,   \
        .min = 1, .max = most, .absent = "see the generator", .doc = text                          \
    }
#define RATE(called, default_value, otherwise, text)                                               \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_NUMBER, .dimension = NADI_DIMENSION_RATE,                \
        .unit = "GB/s", .unit_factor = 1e9, .preset = default_value, .absent = otherwise,          \
        .max = 1e6, .above_min = true, .doc = text                                                 \
    }
#define TIME(called, default_value, otherwise, text)                                               \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_NUMBER, .dimension = NADI_DIMENSION_TIME, .unit = "ns",  \
        .unit_factor = 1, .preset = default_value, .absent = otherwise, .max = 1e12, .doc = text   \
    }

#define RATES(called, otherwise, text)                                                             \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_NUMBER, .dimension = NADI_DIMENSION_RATE,                \
        .unit = "GB/s", .unit_factor = 1e9, .absent = otherwise, .max = 1e6, .above_min = true,    \
        .list = true, .or_one = true, .list_max = 16, .doc = text                                  \
    }
#define TIMES(called, otherwise, text)                                                             \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_NUMBER, .dimension = NADI_DIMENSION_TIME, .unit = "ns",  \
        .unit_factor = 1, .absent = otherwise, .max = 1e12, .list = true, .or_one = true,          \
        .list_max = 16, .doc = text                                                                \
    }

static const struct nadi_setting generator_keys[] = {
    {.name = "type",
     .type = NADI_TYPE_WORD,
     .words = generators,
     .required = true,
     .doc = "Type of network. Each type takes the keys below that name it, and all take "
            "`bandwidth` and `latency`."},
    COUNT("k", 4096,
          "fat-tree (required): ports of every switch, even. Levels L give 2 (k/2)^L NPUs."),
    COUNT("levels", 8, "fat-tree: levels of switches; 3."),
    COUNT("pods", 4096, "fat-tree: subtrees below the top, at most k; k."),
    {.name = "oversubscription",
     .type = NADI_TYPE_NUMBER,
     .min = 1,
     .max = 1000,
     .absent = "1",
     .doc = "fat-tree: ports down to ports up of a leaf switch; both must come out whole."},
    COUNTS("down", 65536,
           "clos (required): for each level of switches, from the leaves up, how many children a "
           "switch has: NPUs first. Their product is the number of NPUs."),
    COUNTS("up", 65536,
           "clos (required with more than one level): for each level but the highest, how many "
           "switches above a switch has."),
    COUNT("leaves", 1 << 20,
          "leaf-spine, dragonfly+ (required): leaf switches, in dragonfly+ of a group."),
    COUNT("spines", 1 << 20,
          "leaf-spine, dragonfly+ (required), rail: spine switches, in dragonfly+ of a group. In "
          "rail 0 of them, when the key is absent: rails meet in the servers only, whose NPUs "
          "forward from one rail to another."),
    COUNT("hosts", 65536,
          "leaf-spine, dragonfly+ (required): NPUs of a leaf. hyperx, torus, mesh: NPUs of a "
          "switch, 1."),
    COUNTS("lanes", 4096,
           "Parallel cables between two neighbouring switches: leaf-spine, rail one number; "
           "fat-tree, clos, hyperx, torus, mesh one, or a list: from the leaves up, by dimension; "
           "1."),
    COUNT("nodes", 1 << 24, "rail (required): servers."),
    COUNT("npus", 65536, "rail, hgx: NPUs of a server; 8. fred: NPUs of the wafer; 20."),
    COUNT("pod", 1 << 24,
          "rail: servers of a pod, which has one leaf switch for each rail; all servers. Several "
          "pods need spines."),
    COUNT("pxn", 1,
          "rail with spines: 1: NPUs forward, as without spines, and a message to another rail of "
          "its pod goes over NVLink to the NPU of its server on that rail first (NCCL's PXN); else "
          "over the spines."),
    COUNT("a", 65536, "dragonfly (required): routers of a group."),
    COUNT("p", 65536, "dragonfly (required): NPUs of a router."),
    COUNT("h", 65536, "dragonfly, dragonfly+ (required): global cables of a router, of a spine."),
    COUNT("g", 1 << 20,
          "dragonfly, dragonfly+: groups; as many as give one cable between each two groups: "
          "a h + 1, spines h + 1."),
    COUNTS(
        "shape", 65536,
        "hyperx, torus, mesh (required): switches of each dimension, innermost first. wafer-mesh: "
        "NPUs of a row, and of a column; 5x4."),
    RATE("bandwidth", "50", NULL,
         "Of an NPU's cable, in each direction; torus, mesh and wafer-mesh: of every cable. fred "
         "3000, wafer-mesh 750 when absent."),
    TIME("latency", "500", NULL,
         "Of an NPU's cable; torus, mesh and wafer-mesh: of every cable. fred and wafer-mesh 20 "
         "when absent."),
    COUNT("m", 16, "fred: middle networks of each switch's micro-switches (`nadi fabric`); 3."),
    COUNT("per-leaf", 1024, "fred: NPUs of a switch of the first level; 4."),
    {.name = "variant",
     .type = NADI_TYPE_WORD,
     .words = variants,
     .absent = "D",
     .doc =
         "fred: A and B have an eighth of an NPU's bandwidth between the two levels of switches, "
         "C and D all of it; B and D reduce and copy in the switches."},
    {.name = "io",
     .type = NADI_TYPE_INTEGER,
     .max = 65536,
     .absent = "fred 18, wafer-mesh one at each end of each row and column",
     .doc = "fred, wafer-mesh: I/O controllers, through which weights come and gradients leave."},
    RATE("io-bandwidth", NULL, "128", "fred, wafer-mesh: of an I/O controller's cable."),
    RATES("uplink-bandwidth", "as bandwidth",
          "Of a cable between two switches; fat-tree, clos, hyperx, torus, mesh: one, or a list: "
          "from the leaves up, by dimension."),
    TIMES("uplink-latency", "as latency",
          "Of a cable between two switches; one or a list, as uplink-bandwidth."),
    RATE("global-bandwidth", NULL, "as uplink-bandwidth",
         "dragonfly, dragonfly+: of a cable between groups."),
    TIME("global-latency", NULL, "as uplink-latency",
         "dragonfly, dragonfly+: of a cable between groups."),
    RATE("scale-up-bandwidth", NULL, "450, the NVLink of an H100",
         "rail, hgx: total bandwidth of an NPU to all switches within its server."),
    TIME("scale-up-latency", NULL, "250", "rail, hgx: of a cable within the server."),
    COUNT("planes", 64,
          "rail, hgx: switches within a server over which an NPU's scale-up bandwidth is divided; "
          "1."),
    COUNT("nics", 65536,
          "hgx: NICs of a server, a divisor of npus; as many as NPUs. With fewer, NPUs share "
          "them by PCIe."),
    RATE("pcie-bandwidth", NULL, "64, PCIe 5.0 x16",
         "hgx with fewer NICs than NPUs: between an NPU and its NIC."),
    TIME("pcie-latency", NULL, "150", "hgx with fewer NICs than NPUs: between an NPU and its NIC."),
    {.name = "scale-out",
     .type = NADI_TYPE_MAP,
     .absent = "one server",
     .doc = "hgx: generator of the network between servers; NIC i of server s is its NPU "
            "s nics + i."},
};

const struct nadi_schema nadi_generator_schema = {
    .name = "generator",
    .title = "generator of networks",
    .option = "generator",
    .syntax = NADI_DOC_YAML,
    .doc = "Makes a network from a few parameters: under the key `generator` of a network file, or "
           "on the command line of `nadi topo`: `nadi topo fat-tree k=8`. A bare bandwidth is GB/s "
           "of 10^9 bytes.",
    .example = "type: fat-tree\n"
               "k: 16\n"
               "oversubscription: 3\n"
               "bandwidth: 400Gbps\n"
               "latency: 600ns\n",
    KEYS(generator_keys),
};

static const struct nadi_setting graph_keys[] = {
    {.name = "generator",
     .type = NADI_TYPE_MAP,
     .absent = "nodes and links are listed",
     .doc = "Makes the network: see [generators](input-generator.md)."},
    {.name = "nodes",
     .type = NADI_TYPE_MAP,
     .list = true,
     .absent = "a generator makes them",
     .doc = "Nodes, each a map: see [nodes](input-network-nodes.md). NPUs are ranks in this "
            "order."},
    {.name = "links",
     .type = NADI_TYPE_MAP,
     .list = true,
     .absent = "a generator makes them",
     .doc = "Links, each a map: see [links](input-network-links.md)."},
    {.name = "dimensions",
     .type = NADI_TYPE_INTEGER,
     .list = true,
     .list_max = 16,
     .min = 1,
     .max = INT32_MAX,
     .absent = "one dimension of all NPUs, or what the generator says",
     .doc = "Logical dimensions of the ranks for collectives, innermost first; their product is "
            "the number of NPUs. A system file has one algorithm for each."},
    {.name = "routing",
     .type = NADI_TYPE_WORD,
     .words = schemes,
     .preset = "ecmp",
     .doc = "Routing of messages: `shortest`: the first of the shortest paths; `dimension-order`; "
            "`ecmp`: one of the shortest by a hash; `valiant`: through a random switch; "
            "`adaptive`: by load."},
    {.name = "routing-seed",
     .type = NADI_TYPE_INTEGER,
     .preset = "1",
     .max = 9007199254740992.0,
     .doc = "Seed of `ecmp`, `valiant` and `adaptive`."},
    {.name = "stripe",
     .type = NADI_TYPE_WORD,
     .words = stripes,
     .preset = "planes",
     .doc = "`planes`: an NPU with cables to several equal switches, or several to one, stripes "
            "each message over all of them, as NVLink does; `none`: a message takes one."},
    {.name = "in-switch-bandwidth",
     NADI_A_RATE,
     .max = 1e6,
     .may_be_infinite = true,
     .absent = "switches only forward, and `inSwitch` is refused",
     .doc = "Rate at which switches reduce the data of one port (NVLS, SHARP), all ports "
            "concurrently. For every node but NPUs, nics, pcie and the routers on NPUs' boards. A "
            "node's own key takes precedence."},
    {.name = "in-switch-latency",
     NADI_A_LATENCY,
     .max = 1e12,
     .preset = "0",
     .doc = "Time of such a switch for each piece that it reduces or copies in a collective, in "
            "addition to its links' latencies and the reduction."},
    {.name = "prices",
     .type = NADI_TYPE_MAP,
     .absent = "no cost is given",
     .doc = "Price of a node by its role, and of a `cable`, for `nadi topo`: "
            "`{leaf: 18000, spine: 25000, cable: 300}`. Any unit of money."},
    NADI_NETWORK_MODEL_KEYS,
};

const struct nadi_schema nadi_graph_schema = {
    .name = "network-graph",
    .title = "network file of nodes and links",
    .option = "--network",
    .syntax = NADI_DOC_YAML,
    .doc = "A network that is not a list of dimensions: nodes and the links between them, or a "
           "generator. For the models with links; `unaware` refuses it. The same option takes the "
           "link list of the HPCC simulator and the .topo files of htsim.",
    .example = "nodes:\n"
               "  - {name: \"gpu[0-3]\", kind: npu}\n"
               "  - {name: pcie, kind: pcie, bandwidth: 64GB/s}\n"
               "  - {name: leaf, kind: switch}\n"
               "links:\n"
               "  - {from: \"gpu[0-3]\", to: pcie, bandwidth: 32GB/s, latency: 150ns}\n"
               "  - {from: pcie, to: leaf, bandwidth: 400Gbps, latency: 1us}\n"
               "dimensions: [4]\n"
               "routing: shortest\n",
    KEYS(graph_keys),
};

static const struct nadi_setting node_keys[] = {
    {.name = "name",
     .type = NADI_TYPE_TEXT,
     .required = true,
     .doc = "Name, or many: `gpu[0-7]` is gpu0 to gpu7, `n[0-1]g[0-3]` is n0g0, n0g1, ... n1g3."},
    {.name = "kind",
     .type = NADI_TYPE_WORD,
     .words = kinds,
     .required = true,
     .doc = "`npu` is an end point: a rank. All others forward."},
    {.name = "role",
     .type = NADI_TYPE_TEXT,
     .absent = "the kind",
     .doc = "A word for tables, pictures and prices: leaf, spine, nvswitch."},
    RATE("bandwidth", NULL, "as much as its links carry",
         "Total forwarding rate of the node: a shared resource."),
    {.name = "in-switch-bandwidth",
     NADI_A_RATE,
     .max = 1e6,
     .may_be_infinite = true,
     .absent = "as the network's key says",
     .doc = "Rate at which this switch reduces the data of one port; 0: it only forwards."},
    {.name = "in-switch-latency",
     NADI_A_LATENCY,
     .max = 1e12,
     .absent = "as the network's key says",
     .doc = "Time of this switch for each piece that it reduces or copies."},
    {.name = "middle",
     .type = NADI_TYPE_INTEGER,
     .min = 1,
     .max = 16,
     .absent = "a crossbar",
     .doc =
         "Switch of micro-switches, Fred: its middle networks, m. For the network model fabric."},
    {.name = "level",
     .type = NADI_TYPE_INTEGER,
     .max = 15,
     .absent = "0 for NPUs, else how many links it is away from the nearest one",
     .doc = "Row in the picture, from below."},
    {.name = "group",
     .type = NADI_TYPE_INTEGER,
     .max = 1000000,
     .absent = "none",
     .doc = "Pod, group or server that the node is drawn in."},
};

const struct nadi_schema nadi_graph_node_schema = {
    .name = "network-nodes",
    .title = "entry of 'nodes' in a network file",
    .option = "--network",
    .syntax = NADI_DOC_YAML,
    .doc = "One node of a network, or several with the same properties.",
    .example = "name: leaf[0-3]\n"
               "kind: switch\n"
               "role: leaf\n"
               "bandwidth: 12.8Tbps\n"
               "level: 1\n",
    KEYS(node_keys),
};

static const struct nadi_setting link_keys[] = {
    {.name = "from",
     .type = NADI_TYPE_TEXT,
     .required = true,
     .doc = "Node at one end, or several as in `name` of a node."},
    {.name = "to", .type = NADI_TYPE_TEXT, .required = true, .doc = "Node at the other end."},
    {.name = "join",
     .type = NADI_TYPE_WORD,
     .words = joins,
     .preset = "pairs",
     .doc =
         "With several nodes: `pairs` joins the first to the first and so on, or all to a single "
         "one; `all` joins each to each, and with the same nodes on both sides each pair once."},
    {.name = "bandwidth",
     NADI_A_RATE,
     .required = true,
     .above_min = true,
     .max = 1e6,
     .doc = "Each way."},
    {.name = "latency",
     NADI_A_LATENCY,
     .required = true,
     .max = 1e12,
     .doc = "Propagation delay, and the time that the far end needs to forward."},
    {.name = "loss",
     .type = NADI_TYPE_NUMBER,
     .preset = "0",
     .max = 0.999999,
     .doc = "Probability that a packet is lost (packet model)."},
    {.name = "count",
     .type = NADI_TYPE_INTEGER,
     .preset = "1",
     .min = 1,
     .max = 4096,
     .doc = "Parallel cables."},
    {.name = "one-way",
     .type = NADI_TYPE_SWITCH,
     .preset = "0",
     .doc = "1: only from `from` to `to`."},
    {.name = "on-board",
     .type = NADI_TYPE_SWITCH,
     .preset = "0",
     .doc = "1: within an NPU, to its own router: takes no time and is not counted."},
    {.name = "dimension",
     .type = NADI_TYPE_INTEGER,
     .preset = "0",
     .max = 15,
     .doc = "Dimension of the link in results and for dimension-order routing."},
};

const struct nadi_schema nadi_graph_link_schema = {
    .name = "network-links",
    .title = "entry of 'links' in a network file",
    .option = "--network",
    .syntax = NADI_DOC_YAML,
    .doc = "One cable of a network, or several with the same properties.",
    .example = "from: leaf[0-3]\n"
               "to: spine[0-1]\n"
               "join: all\n"
               "bandwidth: 400Gbps\n"
               "latency: 500ns\n",
    KEYS(link_keys),
};
