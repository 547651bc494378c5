#include "settings/schema_packet.h"

#include "base/congestion.h"

static const char *const schemes[] = {NADI_CONGESTION_WORDS NULL};
static const char *const modes[] = {"real", "exact", NULL};
static const char *const recoveries[] = {"auto", "none", "go-back-n", "selective", NULL};
static const char *const spreadings[] = {"auto", "first", "flow", "packet", NULL};
static const char *const switchings[] = {"auto", "cut-through", "store-and-forward", NULL};
static const char *const states[] = {"down", "up", NULL};
static const char *const windows[] = {"none", "bdp", "largest-bdp", NULL};

#define TIME(called, value, text)                                                                  \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_NUMBER, .dimension = NADI_DIMENSION_TIME, .unit = "ns",  \
        .unit_factor = 1, .preset = value, .max = 1e15, .doc = text                                \
    }
#define BYTES(called, value, low, high, text)                                                      \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_NUMBER, .dimension = NADI_DIMENSION_BYTES, .unit = "B",  \
        .unit_factor = 1, .preset = value, .min = low, .max = high, .doc = text                    \
    }
#define RATE(called, value, text)                                                                  \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_NUMBER, .dimension = NADI_DIMENSION_RATE,                \
        .unit = "Gb/s", .unit_factor = 125e6, .preset = value, .max = 1e9, .doc = text             \
    }
#define REAL(called, value, low, high, text)                                                       \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_NUMBER, .preset = value, .min = low, .max = high,        \
        .doc = text                                                                                \
    }
#define WHOLE(called, value, low, high, text)                                                      \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_INTEGER, .preset = value, .min = low, .max = high,       \
        .doc = text                                                                                \
    }
#define ON_OFF(called, value, text)                                                                \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_SWITCH, .preset = value, .doc = text                     \
    }
#define WORD(called, list, value, text)                                                            \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_WORD, .words = list, .preset = value, .doc = text        \
    }

static const struct nadi_setting keys[] = {
    WORD("congestion-control", schemes, "none",
         "How senders react to congestion; `none` leaves it to PFC."),
    WORD("mode", modes, "real",
         "`real`: RoCE headers, picoseconds. `exact`: whole nanoseconds, the headers and the tie "
         "order of the HPCC simulator, for results that are equal to its own."),
    WHOLE("seed", "1", 0, 9007199254740992.0, "Of random marks, losses and spraying."),
    BYTES("payload", "4096", 1, 9000, "Data bytes of a full packet."),
    BYTES("frame-gap", "0", 0, 64,
          "Bytes of time on the cable that each frame costs in addition to its own; 20 for the "
          "preamble and gap of Ethernet if a link's bandwidth includes them."),
    WORD("window", windows, "bdp",
         "Bytes in flight of a flow: unbounded, the bandwidth-delay product of its pair, or the "
         "largest of all pairs."),
    BYTES("window-size", "0", 0, 1e15, "A fixed window instead; 0: as `window` says."),
    ON_OFF("window-follows-rate", "1", "The window shrinks with the flow's rate."),
    ON_OFF("pacing", "1", "Packets leave at the flow's rate; off: at line rate."),
    ON_OFF(
        "ack-first", "0",
        "ACKs travel in the control class, before data. Where the key is missing, `real` mode does "
        "so if a link is one-way: there ACKs would wait behind the data of all others."),
    BYTES("ack-interval", "1", 1, 1e9,
          "Data bytes per ACK; 1: every packet. No window is smaller."),
    WORD("recovery", recoveries, "auto",
         "What a sender retransmits after a NACK: nothing (only after a timeout), everything from "
         "the missing packet on, or the missing packets; `auto`: `selective` where packets are "
         "sprayed or trimmed, else `go-back-n`."),
    WHOLE("reorder-packets", "0", 0, 4294967294.0,
          "Selective recovery: a packet is missing when one that was sent by more than this later "
          "has arrived; 0: 128 where packets are sprayed, never where they are trimmed, else at "
          "once."),
    ON_OFF("back-to-chunk", "0", "Go back to the beginning of the chunk of the missing packet."),
    BYTES("chunk", "4000", 1, 1e9, "Size of such a chunk."),
    TIME("nack-interval", "500000", "Between two NACKs for the same packet."),
    TIME("retransmission-timeout", "4000000",
         "Time without progress after which a sender retransmits, doubled each time in a row; 0: "
         "never."),
    WHOLE("retry-limit", "7", 0, 1e6,
          "Timeouts in a row after which a flow is given up; 0: never."),
    WHOLE("nic-pauses", "0", 0, 1e9,
          "Pauses of 10 us, a millisecond apart, that each NIC asks for as data arrive."),
    WORD("spreading", spreadings, "auto",
         "Choice among several shortest paths: the first, one per flow (ECMP by a hash), or one "
         "per packet (spraying); `auto`: as the scheme requires, else `flow`."),
    ON_OFF("trimming", "0",
           "Full queues cut the payload off packets instead of dropping them; NDP and EQDS always "
           "do."),
    BYTES("trim-queue", "65536", 0, 1e9, "Queue of a port beyond which packets are trimmed."),
    REAL("loss", "0", 0, 0.999999, "Probability that a cable loses a packet, besides its own."),
    WORD("switching", switchings, "auto",
         "A switch sends a packet on once it has its header, or once it has all of it; `auto`: "
         "`cut-through`, in `exact` mode `store-and-forward`."),
    ON_OFF("pfc", "1", "Switches pause their neighbours before buffers run over."),
    BYTES(
        "buffer", "33554432", 0, 4e9,
        "Shared buffer of each switch. Where the key is missing, `real` mode gives a switch twice "
        "the headroom and reserve of its ports if that is more."),
    BYTES("buffer-reserve", "4096", 0, 1e9, "Part of it reserved for each port."),
    WHOLE("threshold-shift", "3", 0, 16,
          "A port may hold the free pool / 2^this before it is paused; ports faster than the NICs "
          "have one less for each doubling."),
    BYTES("resume-offset", "3072", 0, 1e9, "Distance below the threshold at which a port resumes."),
    REAL("headroom", "3", 0, 100,
         "Buffer reserved for data that arrives after a pause, in multiples of a port's rate times "
         "its delay; `real` mode adds three full packets."),
    ON_OFF("ecn", "1", "Switches mark packets by the length of their queue."),
    {.name = "ecn-rate",
     .type = NADI_TYPE_NUMBER,
     .dimension = NADI_DIMENSION_RATE,
     .unit = "Gb/s",
     .unit_factor = 125e6,
     .list = true,
     .list_max = 16,
     .absent = "thresholds for 25 Gb/s to 2.4 Tb/s",
     .above_min = true,
     .max = 1e9,
     .doc = "Port rates, rising, for which the three lists below hold thresholds; a port takes "
            "the nearest rate that is not above its own."},
    {.name = "ecn-kmin",
     .type = NADI_TYPE_NUMBER,
     .dimension = NADI_DIMENSION_BYTES,
     .unit = "B",
     .unit_factor = 1,
     .list = true,
     .list_max = 16,
     .max = 1e12,
     .doc = "Queue up to which nothing is marked."},
    {.name = "ecn-kmax",
     .type = NADI_TYPE_NUMBER,
     .dimension = NADI_DIMENSION_BYTES,
     .unit = "B",
     .unit_factor = 1,
     .list = true,
     .list_max = 16,
     .max = 1e12,
     .doc = "Queue beyond which every packet is marked."},
    {.name = "ecn-pmax",
     .type = NADI_TYPE_NUMBER,
     .list = true,
     .list_max = 16,
     .max = 1,
     .doc = "Share of packets marked at kmax; it grows linearly from kmin."},
    {.name = "fault-time",
     NADI_A_LATENCY,
     .list = true,
     .max = 1e15,
     .doc = "When cables fail or come back, rising; the three lists below say which and how."},
    {.name = "fault-from",
     .type = NADI_TYPE_INTEGER,
     .list = true,
     .max = 4294967294.0,
     .doc = "Node at one end, by its number in the graph."},
    {.name = "fault-to",
     .type = NADI_TYPE_INTEGER,
     .list = true,
     .max = 4294967294.0,
     .doc = "Node at the other end: all cables between the two."},
    {.name = "fault-state",
     .type = NADI_TYPE_WORD,
     .words = states,
     .list = true,
     .doc = "Their new state."},
    RATE("min-rate", "0.1", "Least rate of a flow."),
    RATE("rate-ai", "0.05", "Additive increase of DCQCN, HPCC and TIMELY."),
    RATE("rate-hai", "0.1", "Hyper increase of DCQCN and TIMELY."),
    RATE("dctcp-rate-ai", "1", "Additive increase of DCTCP."),
    REAL("gain", "0.00390625", 0, 1, "g of DCQCN and DCTCP."),
    TIME("dcqcn-alpha-interval", "55000", "DCQCN: between two updates of alpha."),
    TIME("dcqcn-decrease-interval", "50000", "DCQCN: least time between two decreases."),
    TIME("dcqcn-increase-interval", "55000", "DCQCN: between two increases."),
    TIME("dcqcn-notify-interval", "50000",
         "DCQCN: least time between two CNPs of a flow; 0: a mark in every ACK instead."),
    BYTES("dcqcn-increase-bytes", "10485760", 0, 1e15,
          "DCQCN: bytes acknowledged for an increase besides the timer's; 0: none."),
    WHOLE("dcqcn-fast-recovery", "5", 0, 1e6, "DCQCN: increases towards the old rate, F."),
    ON_OFF("dcqcn-clamp-target", "0", "DCQCN: every decrease moves the target rate."),
    REAL("hpcc-target", "0.95", 0.001, 10, "HPCC: utilisation aimed at."),
    WHOLE("hpcc-mi-threshold", "5", 0, 1e6, "HPCC: additive steps before a multiplicative one."),
    ON_OFF("hpcc-fast-react", "1", "HPCC: react to every ACK, not once a round trip."),
    ON_OFF("hpcc-multi-rate", "0", "HPCC: a rate for each hop, the least counts."),
    ON_OFF("hpcc-sample-feedback", "0", "HPCC: between round trips ignore empty queues."),
    WHOLE("int-multiple", "1", 1, 1024, "HPCC: coarser units of bytes and queues in telemetry."),
    REAL("pint-log-base", "1.05", 1.001, 10, "HPCC-PINT: step of the encoded utilisation."),
    REAL("pint-probability", "1", 0, 1, "HPCC-PINT: share of ACKs that are looked at."),
    TIME("timely-low", "50000", "TIMELY: round trip below which the rate always rises."),
    TIME("timely-high", "500000", "TIMELY: round trip above which it always falls."),
    TIME("timely-min-rtt", "20000", "TIMELY: unit of the gradient."),
    REAL("timely-alpha", "0.875", 0, 1, "TIMELY: weight of the newest round trip."),
    REAL("timely-beta", "0.8", 0, 1, "TIMELY: strength of a decrease."),
    WHOLE("timely-hyper-after", "5", 0, 1e6, "TIMELY: increases in a row before larger ones."),
    TIME("swift-base-target", "20000",
         "Swift: delay aimed at without hops; at least 1.25 empty round trips."),
    TIME("swift-per-hop", "3053", "Swift: more of it for each switch."),
    REAL("swift-additive", "1", 0, 1e6, "Swift: packets that a round trip below target adds."),
    REAL("swift-beta", "0.8", 0, 1, "Swift: strength of a decrease."),
    REAL("swift-max-decrease", "0.5", 0, 1, "Swift: most that one decrease takes."),
    REAL("swift-scale-range", "5", 0, 1000, "Swift: most that small windows add, in base targets."),
    REAL("swift-scale-min", "0.1", 0.0001, 1e6, "Swift: window for which that is added."),
    REAL("swift-scale-max", "100", 0.001, 1e6, "Swift: window from which nothing is added."),
};

const struct nadi_schema nadi_schema_packet = {
    .name = "packet",
    .title = "packet file",
    .option = "--packet",
    .syntax = NADI_DOC_YAML,
    .doc = "The packet model: frames, hosts, switches and congestion control. The HPCC simulator's "
           "config.txt may be used instead.",
    .example = "congestion-control: dcqcn\n"
               "payload: 4096\n"
               "buffer: 32MiB\n"
               "ecn-rate: [200Gbps, 400Gbps]\n"
               "ecn-kmin: [600kB, 800kB]\n"
               "ecn-kmax: [2400kB, 3200kB]\n"
               "ecn-pmax: [0.2, 0.2]\n",
    .keys = keys,
    .count = sizeof(keys) / sizeof(keys[0]),
};
