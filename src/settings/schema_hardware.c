/* schema_hardware: the keys of devices and clusters. Read in src/platform/device.c and cluster.c.
 */
#include "base/algorithm.h"
#include "base/compute_models.h"
#include "settings/schema_more.h"

static const char *const shapes[] = {
    "Ring", "FullyConnected", "Switch", "Mesh[N]", "Torus[N]", "UnidirectionalRing", NULL,
};
static const char *const algorithms[] = {NADI_WORDS_OF_DIMS NULL};
static const char *const inter_schedulers[] = {NADI_WORDS_OF_INTER NULL};
static const char *const intra_schedulers[] = {NADI_WORDS_OF_INTRA NULL};
static const char *const group_collectives[] = {"levels", "chunks", NULL};

static const char *const accesses[] = {"sequential", "concurrent", NULL};
static const char *const places[] = {"auto", "uniform", NULL};

/* in the order of enum nadi_precision */
static const char *const precisions[] = {"bf16", "fp16", "fp8", "fp4", "tf32", "fp32", NULL};

static const char *const kernel_models[] = {NADI_COMPUTE_MODEL_WORDS NULL};
static const char *const dataflows[] = {"weight", "output", "input", NULL};

#define TFLOPS(called, text)                                                                       \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_NUMBER, .dimension = NADI_DIMENSION_FLOPS,               \
        .unit = "TFLOP/s", .unit_factor = 1e12, .preset = "0", .max = 1e9, .doc = text             \
    }
#define RATE(called, default_value, text)                                                          \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_NUMBER, .dimension = NADI_DIMENSION_RATE,                \
        .unit = "GB/s", .unit_factor = 1e9, .preset = default_value, .max = 1e9, .doc = text       \
    }
#define TIME(called, default_value, text)                                                          \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_NUMBER, .dimension = NADI_DIMENSION_TIME, .unit = "ns",  \
        .unit_factor = 1, .preset = default_value, .max = 1e12, .doc = text                        \
    }
#define SWITCH(called, default_value, text)                                                        \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_SWITCH, .preset = default_value, .doc = text             \
    }
#define TEXT(called, text)                                                                         \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_TEXT, .absent = "not said", .doc = text                  \
    }

#define SHARE(called, default_value, most, otherwise, text)                                        \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_NUMBER, .preset = default_value, .max = most,            \
        .absent = otherwise, .doc = text                                                           \
    }

#define NUMBER(called, default_value, most, otherwise, text)                                       \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_NUMBER, .preset = default_value, .max = most,            \
        .absent = otherwise, .doc = text                                                           \
    }

static const struct nadi_setting device_keys[] = {
    {.name = "name", .type = NADI_TYPE_TEXT, .preset = "device", .doc = "Name in results."},
    TEXT("source", "Where the figures were published."),
    TFLOPS("bf16", "Peak of dense matrix products with bfloat16. 0: as fp16."),
    TFLOPS("fp16", "Peak with 16-bit floats. 0: as bf16."),
    TFLOPS("fp8", "Peak with 8-bit floats. 0: not supported."),
    TFLOPS("fp4", "Peak with 4-bit floats. 0: not supported."),
    TFLOPS("tf32", "Peak with 32-bit floats of reduced precision. 0: as fp32."),
    TFLOPS("fp32", "Peak with 32-bit floats."),
    SHARE("sustained", "0.8", 1, NULL,
          "Share of the peak that the best large matrix products sustain within a long run in 16 "
          "bits: limited by power and clock, not by shape."),
    SHARE("sustained-narrow", "0", 1, "as sustained", "The same in 8 bits (and 4)."),
    SHARE("sustained-4bit", "0", 1, "as sustained-narrow",
          "The same in 4 bits, with the scaling of their blocks."),
    SHARE("sustained-tf32", "0", 1, "as sustained",
          "The same with 32-bit floats of reduced precision."),
    SHARE("burst", "0", 1.25, "as sustained",
          "Share of the peak that a product reaches when timed by itself, before power and heat "
          "limit the clock, in 16 and 32 bits. More than 1 where the boost clock is above the one "
          "the peak is stated for."),
    SHARE("burst-narrow", "0", 1.25, "as burst", "The same in 8 and 4 bits."),
    SHARE("burst-4bit", "0", 1.25, "as burst-narrow", "The same in 4 bits."),
    SHARE("burst-tf32", "0", 1.25, "as burst", "The same with 32-bit floats of reduced precision."),
    SHARE("steady", "0", 1.25, "as burst",
          "Share of the peak that one large product reaches when it is repeated until power and "
          "heat have settled, in 16 and 32 bits."),
    SHARE("steady-narrow", "0", 1.25, "as steady, or burst-narrow", "The same in 8 and 4 bits."),
    SHARE("steady-4bit", "0", 1.25, "as steady-narrow", "The same in 4 bits."),
    SHARE("steady-tf32", "0", 1.25, "as steady",
          "The same with 32-bit floats of reduced precision."),
    {.name = "depth-first",
     .type = NADI_TYPE_WORD,
     .words = precisions,
     .list = true,
     .absent = "none",
     .doc = "Precisions whose matrix instructions read both operands along the depth of the "
            "product only; an operand that lies otherwise passes through memory twice more."},
    RATE("operand-bandwidth", "0",
         "From caches into the matrix units, of all processors: what a tile's operands come "
         "with. 0: enough for tiles of 128 x 128 at the peak of 16 bits."),
    RATE("operand-bandwidth-tf32", "0",
         "The same where 32-bit floats of reduced precision use older instructions. 0: the same."),
    TIME("depth-time", "0",
         "Least time of a tile for one element of the depth, however small the tile."),
    TIME("depth-time-tf32", "0", "The same with 32-bit floats of reduced precision. 0: the same."),
    {.name = "memory",
     .type = NADI_TYPE_NUMBER,
     .dimension = NADI_DIMENSION_BYTES,
     .unit = "GiB",
     .unit_factor = 1073741824.0,
     .required = true,
     .above_min = true,
     .max = 1e6,
     .doc = "Capacity of the local memory."},
    {.name = "memory-bandwidth",
     NADI_A_RATE,
     .required = true,
     .above_min = true,
     .max = 1e9,
     .doc = "Peak bandwidth of the local memory."},
    {.name = "memory-efficiency",
     .type = NADI_TYPE_NUMBER,
     .preset = "0.85",
     .max = 1,
     .above_min = true,
     .doc = "Share of memory-bandwidth that a copy reaches (STREAM)."},
    {.name = "cache",
     .type = NADI_TYPE_NUMBER,
     .dimension = NADI_DIMENSION_BYTES,
     .unit = "MiB",
     .unit_factor = 1048576.0,
     .preset = "0",
     .max = 1e6,
     .absent = "none",
     .doc = "Capacity of the cache that all processors share."},
    RATE("cache-bandwidth", "0",
         "Bandwidth of that cache: of a product timed by itself whose operands and result fit in. "
         "0: memory's."),
    NUMBER("power", "0", 1e5, "not said",
           "Watts at which `sustained` and `steady` hold: the device's TDP. A cluster's "
           "`power-limit` starts from it (docs/models/kernels.md)."),
    NUMBER("idle-power", "0", 1e5, "a sixth of `power`",
           "Watts that do not depend on what runs: leakage, memory, links."),
    NUMBER("least-voltage", "0.7", 1, NULL,
           "Lowest voltage, as a share of that at the boost clock."),
    NUMBER("voltage-knee", "0.55", 1, NULL,
           "Clock up to which the voltage is the lowest, as a share of the boost clock."),
    {.name = "processors",
     .type = NADI_TYPE_INTEGER,
     .preset = "1",
     .min = 1,
     .max = 1e6,
     .doc = "Units that work on one tile of a product each: SMs, CUs, or a TPU's matrix units."},
    TIME("launch", "3000", "Time of an empty kernel in a stream of kernels."),
    SWITCH("aligned-rows", "0",
           "Rows of matrices are padded by the compiler, as on TPUs; else products with rows that "
           "are no multiple of 16 bytes are slower (docs/models/frameworks.md)."),
    TIME("tile", "600", "Time to fill and drain the pipeline of one tile."),
    TIME("tile-narrow", "0", "The same in 8 and 4 bits. 0: the same."),
    TIME("tile-tf32", "0", "The same with 32-bit floats of reduced precision. 0: the same."),
    SHARE("store-overlap", NULL, 1, "not waited for",
          "Share of storing a wave's results that the next wave hides; the last wave's hold up "
          "the product."),
    SHARE("store-overlap-narrow", NULL, 1, "not waited for", "The same in 8 and 4 bits."),
    SHARE("store-overlap-tf32", NULL, 1, "not waited for",
          "The same with 32-bit floats of reduced precision."),
    TFLOPS("attention", "Rate of fused attention with heads of 128 on long sequences without a "
                        "mask, forward. 0: 0.6 x sustained."),
    TFLOPS("attention-backward", "The same backward. 0: 0.8 x attention."),
    {.name = "attention-wide",
     .type = NADI_TYPE_NUMBER,
     .preset = "1",
     .max = 1,
     .above_min = true,
     .doc = "Share of attention's rate that its products reach with heads of 256, whose results "
            "fill the registers; from heads of 128 on it falls in proportion to their size."},
    {.name = "attention-wide-backward",
     .type = NADI_TYPE_NUMBER,
     .preset = "1",
     .max = 1,
     .above_min = true,
     .doc = "The same backward."},
    TFLOPS("exponentials", "Exponentials a second, of all special function units: with small "
                           "heads they take much of attention's time. 0: no time."),
    SHARE("attention-overlap", "0", 1, "0",
          "Share of the exponentials that runs beside attention's products."),
    {.name = "attention-portable",
     .type = NADI_TYPE_NUMBER,
     .preset = "1",
     .max = 1,
     .above_min = true,
     .doc = "Share of those rates that a fused attention reaches if it was not written for this "
            "device's own instructions (attention-kernel: flash-portable)."},
    {.name = "attention-ramp",
     .type = NADI_TYPE_NUMBER,
     .preset = "170",
     .max = 1e6,
     .doc = "Time that a block of queries loses on starting and ending, as a number of keys."},
    RATE("host-bandwidth", "0", "To the host's memory, one direction. 0: no offload."),
    {.name = "memory-expanded",
     .type = NADI_TYPE_NUMBER,
     .dimension = NADI_DIMENSION_BYTES,
     .unit = "GiB",
     .unit_factor = 1073741824.0,
     .preset = "0",
     .max = 1e6,
     .absent = "none",
     .doc = "Capacity of a second memory that kernels read and write directly (CXL, host). It "
            "takes what the local memory cannot."},
    RATE("expanded-bandwidth", "0", "Peak bandwidth of the second memory."),
    {.name = "expanded-access",
     .type = NADI_TYPE_WORD,
     .words = accesses,
     .preset = "sequential",
     .doc = "sequential: a kernel reads one memory after the other. concurrent: both at once."},
    {.name = "expanded-place",
     .type = NADI_TYPE_WORD,
     .words = places,
     .preset = "auto",
     .doc = "auto: what is touched most for each byte stays local: activations and buffers, then "
            "parameters, gradients, optimizer states. uniform: everything is spread alike."},
    {.name = "measured",
     .type = NADI_TYPE_TEXT,
     .absent = "none",
     .doc = "CSV of measured matrix products (precision, m, n, k, time_us), beside this file. Its "
            "shapes take the measured times, shapes between them are interpolated, all others use "
            "the model."},
    {.name = "array",
     .type = NADI_TYPE_INTEGER,
     .list = true,
     .list_max = 2,
     .min = 1,
     .max = 1 << 16,
     .absent = "tiles and waves",
     .doc = "Rows and columns of a systolic array; products are then timed by its cycles."},
    {.name = "dataflow",
     .type = NADI_TYPE_WORD,
     .words = dataflows,
     .preset = "weight",
     .doc = "Systolic array: which operand stays in place."},
    {.name = "clock",
     .type = NADI_TYPE_NUMBER,
     .preset = "0",
     .unit = "MHz",
     .max = 1e6,
     .doc = "Systolic array: its clock."},
    {.name = "array-buffer",
     .type = NADI_TYPE_NUMBER,
     .dimension = NADI_DIMENSION_BYTES,
     .unit = "B",
     .unit_factor = 1,
     .list = true,
     .or_one = true,
     .list_max = 3,
     .max = 1e15,
     .absent = "everything fits",
     .doc = "Systolic array: its on-chip memory, of which inputs, weights and results take a third "
            "each; or three sizes, theirs in this order. For `nadi systolic`."},
    {.name = "kernels",
     .type = NADI_TYPE_WORD,
     .words = kernel_models,
     .absent = "systolic",
     .doc = "Systolic array: how a plan with `kernels: auto` times kernels all the same."},
};

const struct nadi_schema nadi_device_schema = {
    .name = "device",
    .title = "device",
    .option = "device",
    .syntax = NADI_DOC_YAML,
    .doc = "An accelerator: its peak rates, its memory, and the shares of them that dense layers "
           "reach. `nadi model list` names those that come with the program.",
    .example = "name: H100 SXM\n"
               "bf16: 989.4TFLOPS\n"
               "memory: 80\n"
               "memory-bandwidth: 3352GB/s\n"
               "processors: 132\n"
               "sustained: 0.75\n",
    .keys = device_keys,
    .count = sizeof(device_keys) / sizeof(device_keys[0]),
};

static const struct nadi_setting cluster_keys[] = {
    {.name = "name", .type = NADI_TYPE_TEXT, .preset = "cluster", .doc = "Name in results."},
    TEXT("source", "Where the figures come from."),
    {.name = "also",
     .type = NADI_TYPE_TEXT,
     .list = true,
     .absent = "its name alone",
     .doc = "Names by which tables of runs call the machine (`nadi validate training`)."},
    {.name = "device",
     .type = NADI_TYPE_TEXT,
     .required = true,
     .doc = "A device by name, or the path of its file; relative ones start beside this file."},
    {.name = "host-speed",
     .type = NADI_TYPE_NUMBER,
     .preset = "1",
     .max = 100,
     .doc = "Speed of one thread of the hosts' CPUs, relative to a Xeon 8480C (Sapphire Rapids): "
            "what a plan's `host-launch` is divided by. 0: programs are compiled and launched as a "
            "whole, as on TPUs."},
    NUMBER("power-limit", "0", 1e5, "the device's `power`",
           "Watts that each device is limited to: its clock follows from its voltages "
           "(docs/models/kernels.md)."),
    {.name = "platform",
     .type = NADI_TYPE_TEXT,
     .absent = "`graph` or the next four keys say what the network is",
     .doc =
         "A platform of a communication library, by name or path (`nadi fit` writes them): it is "
         "the network, and collectives take the library's times. The next four keys and "
         "`algorithm` are then left out."},
    {.name = "topology",
     .type = NADI_TYPE_WORD,
     .words = shapes,
     .list = true,
     .absent = "the platform's",
     .doc = "Shape of each dimension, innermost first, as in a network file."},
    {.name = "npus_count",
     .type = NADI_TYPE_INTEGER,
     .list = true,
     .absent = "the platform's",
     .max = INT32_MAX,
     .doc = "Devices in each dimension; the last one may be 0: as many as the plan needs, or, with "
            "`graph`, as the graph has."},
    {.name = "bandwidth",
     .type = NADI_TYPE_NUMBER,
     .dimension = NADI_DIMENSION_RATE,
     .unit = "GB/s of 2^30 bytes",
     .unit_factor = 1073741824.0,
     .list = true,
     .absent = "the platform's",
     .above_min = true,
     .max = 1e12,
     .doc = "Bandwidth of one device in each dimension, one direction: what the communication "
            "library reaches, not the nominal bandwidth of the cable."},
    {.name = "latency",
     NADI_A_LATENCY,
     .list = true,
     .absent = "the platform's",
     .max = 1e15,
     .doc = "Time to traverse one link of each dimension; a Switch is two links. A generated graph "
            "takes them where its words give none: of an NPU's cable within its server, and of its "
            "cable to what is behind."},
    {.name = "oversubscription",
     .type = NADI_TYPE_NUMBER,
     .list = true,
     .min = 1,
     .max = 1e6,
     .absent = "1 everywhere",
     .doc = "Ratio for each dimension; values other than 1 on a Switch only. The switch forwards "
            "the sum of its links' bandwidths divided by this."},
    {.name = "graph",
     .type = NADI_TYPE_TEXT,
     .absent = "what the dimensions say",
     .doc = "The nodes and links between the devices: path of a network file, or a generator with "
            "its parameters: `rail nodes=64 npus=8 spines=16`. Without `topology` it also defines "
            "the dimensions of collectives. For the models that see links: auto then is flow."},
    {.name = "algorithm",
     .type = NADI_TYPE_WORD,
     .list = true,
     .words = algorithms,
     .absent = "ring on a Ring, direct on FullyConnected, ring on a Switch",
     .doc = "Algorithm of all collectives, one entry per dimension; the one... forms run over all "
            "members at once. Not of all-to-alls."},
    {.name = "all-reduce-algorithm",
     .type = NADI_TYPE_WORD,
     .list = true,
     .words = algorithms,
     .absent = "as algorithm",
     .doc = "Algorithm of all-reduces, one entry per dimension."},
    {.name = "all-to-all-algorithm",
     .type = NADI_TYPE_WORD,
     .list = true,
     .words = algorithms,
     .absent = "every rank sends to 8 others at a time where messages share links, else to one",
     .doc = "Algorithm of all-to-alls, one entry per dimension; each dimension carries all bytes."},
    {.name = "inter-dimension-scheduling",
     .type = NADI_TYPE_WORD,
     .words = inter_schedulers,
     .preset = NADI_INTER_DEFAULT,
     .doc =
         "Order in which chunks of collectives of all ranks visit the dimensions, as in a system "
         "file."},
    {.name = "intra-dimension-scheduling",
     .type = NADI_TYPE_WORD,
     .words = intra_schedulers,
     .preset = NADI_INTRA_DEFAULT,
     .doc = "Order of the chunks that wait for a dimension, as in a system file."},
    {.name = "group-collectives",
     .type = NADI_TYPE_WORD,
     .words = group_collectives,
     .preset = "levels",
     .doc = "How a group that fills several dimensions, but is not all ranks, does a collective. "
            "levels: one dimension after the other. chunks: as collectives of all ranks, in chunks "
            "that the keys of scheduling order; for plans with pp 1 that use the whole network."},
    {.name = "chunks",
     .type = NADI_TYPE_INTEGER,
     .preset = "4",
     .min = 1,
     .max = 1e6,
     .doc = "Chunks of a collective of all NPUs; they are pipelined through the dimensions. Where "
            "it is not given, at most so many: each collective has 4, 2 or 1, with which it ends "
            "soonest by a closed form (`dataset-splits: soonest` of a system file), unless "
            "inter-dimension-scheduling or group-collectives is given."},
    {.name = "active-chunks",
     .type = NADI_TYPE_INTEGER,
     .preset = "1",
     .min = 1,
     .max = 1e6,
     .doc = "Chunks of a collective that are in one dimension at a time."},
    {.name = "packet",
     .type = NADI_TYPE_TEXT,
     .absent = "all its keys at their defaults",
     .doc = "Network model `packet`: path of its file (buffers, PFC, congestion control); relative "
            "ones start beside this file."},
};

const struct nadi_schema nadi_cluster_schema = {
    .name = "cluster",
    .title = "cluster",
    .option = "--cluster",
    .syntax = NADI_DOC_YAML,
    .doc = "Devices and the network between them, for `nadi model`. `nadi model list` names those "
           "that come with the program.",
    .example = "name: DGX H100\n"
               "device: h100-sxm\n"
               "topology: [Switch, Switch]\n"
               "npus_count: [8, 0]\n"
               "bandwidth: [365GB/s, 46GB/s]\n"
               "latency: [1us, 2.5us]\n",
    .keys = cluster_keys,
    .count = sizeof(cluster_keys) / sizeof(cluster_keys[0]),
};
