#include "base/file.h"
#include "base/str.h"
#include "cli/command.h"
#include "cli/terminal.h"

#include <nadi/nadi.h>

struct values {
    const char *out, *compress, *kinds, *sizes, *groups, *overlap, *schedule, *tier, *role;
    uint32_t ranks, rounds, stride, ahead;
    uint64_t bytes, compute_ns, seed, root;
    double skew;
    bool both_ways, manifest;
};

#define ROW(option, kind, member, ...)                                                             \
    {                                                                                              \
        .name = option, kind, NADI_AT(struct values, member), __VA_ARGS__                          \
    }

#define RANKS                                                                                      \
    ROW("ranks", NADI_A_COUNT, ranks, .argument = "N", .required = true, .doc = "Ranks, and files")
#define ROUNDS(what)                                                                               \
    ROW("rounds", NADI_A_COUNT, rounds, .argument = "N", .preset = "4", .doc = what)
#define BYTES(what)                                                                                \
    ROW("bytes", NADI_A_SIZE, bytes, .argument = "SIZE", .preset = "1MiB", .doc = what)
#define COMPUTE(time, what)                                                                        \
    ROW("compute", NADI_A_TIME, compute_ns, .argument = "TIME", .preset = time, .doc = what)
#define SEED                                                                                       \
    ROW("seed", NADI_A_WHOLE, seed, .argument = "N", .preset = "1", .doc = "Seed of the random job")
#define AHEAD(what) ROW("ahead", NADI_A_COUNT, ahead, .argument = "N", .preset = "1", .doc = what)
#define END                                                                                        \
    {                                                                                              \
        .name = NULL                                                                               \
    }

static const struct nadi_setting output[] = {
    ROW("out", .type = NADI_TYPE_TEXT, out, .letter = 'o', .argument = "DIR", .required = true,
        .doc = "Write workload.<rank>.et, system.json, network.yml and memory.json there"),
    ROW("compress", .type = NADI_TYPE_WORD, compress, .words = NADI_ONE_OF("none", "gzip", "zstd"),
        .preset = "none", .doc = "Compression of the traces"),
    END,
};

static const struct nadi_setting alike[] = {
    ROW("manifest", .type = NADI_TYPE_FLAG, manifest,
        .doc = "One trace for all ranks, in workload.yml"),
    END,
};

static const struct nadi_setting collectives[] = {
    RANKS,
    ROW("kinds", .type = NADI_TYPE_TEXT, kinds, .argument = "LIST",
        .preset = "all-reduce,all-gather,reduce-scatter,all-to-all", .doc = "Kinds"),
    ROW("sizes", .type = NADI_TYPE_TEXT, sizes, .argument = "LIST", .preset = "1MiB",
        .doc = "Sizes"),
    ROW("groups", .type = NADI_TYPE_TEXT, groups, .argument = "LIST",
        .doc = "Ranks of a group (default: all); other sizes are written to groups.json"),
    COMPUTE("0", "Computation between two collectives"),
    END,
};

static const struct nadi_setting ring[] = {
    RANKS,
    BYTES("Size of a message"),
    ROUNDS("Rounds, one after the other"),
    ROW("stride", NADI_A_COUNT, stride, .argument = "N", .preset = "1",
        .doc = "Ranks to the receiver"),
    ROW("both-ways", .type = NADI_TYPE_FLAG, both_ways,
        .doc = "Also in the other direction at the same time"),
    COMPUTE("0", "Computation after each round"),
    END,
};

static const struct nadi_setting pairs[] = {
    RANKS,
    BYTES("Size of a message, in each direction"),
    ROUNDS("Rounds, one after the other"),
    COMPUTE("0", "Computation after each round"),
    SEED,
    END,
};

static const struct nadi_setting incast[] = {
    RANKS,
    BYTES("Size of a message"),
    ROUNDS("Rounds, one after the other"),
    ROW("root", NADI_A_WHOLE, root, .argument = "RANK", .preset = "0", .doc = "Rank that receives"),
    COMPUTE("0", "Computation after each round"),
    END,
};

static const struct nadi_setting all_to_all[] = {
    RANKS,
    BYTES("Total size that a rank sends in a round"),
    ROUNDS("Rounds, one after the other"),
    ROW("skew", NADI_A_FACTOR, skew, .argument = "X", .preset = "0",
        .doc = "Exponent of the Zipf law that gives the ranks their popularity"),
    COMPUTE("0", "Computation after each round"),
    SEED,
    END,
};

static const struct nadi_setting overlap[] = {
    RANKS,
    ROW("pattern", .type = NADI_TYPE_WORD, overlap,
        .words = NADI_ONE_OF("none", "gradients", "prefetch"), .preset = "gradients",
        .doc = "What overlaps"),
    ROW("kind", .type = NADI_TYPE_TEXT, kinds, .argument = "KIND",
        .doc = "Collective (default: all-reduce, with prefetch all-gather)"),
    BYTES("Size of a collective"),
    ROW("layers", NADI_A_COUNT, rounds, .argument = "N", .preset = "4", .doc = "Layers"),
    COMPUTE("100us", "Computation of a layer"),
    AHEAD("With prefetch: layers that are gathered in advance"),
    END,
};

static const struct nadi_setting memory[] = {
    RANKS,
    BYTES("Size that a layer loads, and stores"),
    ROW("layers", NADI_A_COUNT, rounds, .argument = "N", .preset = "4", .doc = "Layers"),
    COMPUTE("100us", "Computation of a layer"),
    AHEAD("Layers that are loaded in advance"),
    ROW("tier", .type = NADI_TYPE_TEXT, tier, .argument = "TIER",
        .doc = "Tier that layers lie in (default: none is named); memory.yml has hbm, host, cxl, "
               "nvme and pool"),
    ROW("role", .type = NADI_TYPE_TEXT, role, .argument = "ROLE",
        .doc = "With --tier: what layers are, like WEIGHT_PREFETCH (default: OTHER)"),
    END,
};

static const struct nadi_setting pipeline[] = {
    ROW("ranks", NADI_A_COUNT, ranks, .argument = "N", .required = true, .doc = "Stages"),
    ROW("rounds", NADI_A_COUNT, rounds, .argument = "N", .preset = "8", .doc = "Micro-batches"),
    BYTES("Activations, and gradients, between two stages"),
    COMPUTE("100us", "Forward computation of a stage"),
    ROW("schedule", .type = NADI_TYPE_WORD, schedule, .words = NADI_ONE_OF("1f1b", "gpipe"),
        .preset = "1f1b", .doc = "One forward, one backward; or all forward first"),
    END,
};

static const struct nadi_option_group gen_collectives_groups[] = {
    {"What", collectives, 0},
    {"Output", output, 0},
    {"Equal ranks", alike, 0},
    {.heading = NULL},
};

static const struct nadi_option_group gen_ring_groups[] = {
    {"What", ring, 0},
    {"Output", output, 0},
    {"Equal ranks", alike, 0},
    {.heading = NULL},
};

static const struct nadi_option_group gen_pairs_groups[] = {
    {"What", pairs, 0},
    {"Output", output, 0},
    {.heading = NULL},
};

static const struct nadi_option_group gen_incast_groups[] = {
    {"What", incast, 0},
    {"Output", output, 0},
    {.heading = NULL},
};

static const struct nadi_option_group gen_all_to_all_groups[] = {
    {"What", all_to_all, 0},
    {"Output", output, 0},
    {.heading = NULL},
};

static const struct nadi_option_group gen_overlap_groups[] = {
    {"What", overlap, 0},
    {"Output", output, 0},
    {"Equal ranks", alike, 0},
    {.heading = NULL},
};

static const struct nadi_option_group gen_memory_groups[] = {
    {"What", memory, 0},
    {"Output", output, 0},
    {"Equal ranks", alike, 0},
    {.heading = NULL},
};

static const struct nadi_option_group gen_pipeline_groups[] = {
    {"What", pipeline, 0},
    {"Output", output, 0},
    {.heading = NULL},
};

/* Says how what was written runs. */
static void say(const struct values *v, const char *family)
{
    struct nadi_str groups = NADI_STR_INIT;
    nadi_str_printf(&groups, "%s/groups.json", v->out);
    printf("nadi run --workload %s/workload%s --system %s/system.json --network %s/network.yml",
           v->out, v->manifest ? ".yml" : "", v->out, v->out);
    if (nadi_file_exists(nadi_str_get(&groups)))
        printf(" --groups %s", nadi_str_get(&groups));
    if (nadi_str_equal(family, "memory"))
        printf(" --memory %s/memory.%s", v->out, v->tier ? "yml" : "json");
    putchar('\n');
    nadi_str_release(&groups);
}

static int cmd_gen_pattern(const struct nadi_command *self, int count, char **arguments)
{
    const char *family = strchr(self->name, ' ') + 1;
    struct values v = {.overlap = "gradients", .schedule = "1f1b", .rounds = 1, .bytes = 1};
    struct nadi_words words;
    struct nadi_pattern pattern;
    if (!nadi_options_parse(self->name, self->options, 0, count, arguments, &v, &words))
        return NADI_EXIT_USAGE;
    struct nadi_diags *messages = nadi_terminal_must(nadi_messages_create());
    (void)nadi_pattern_init(&pattern, family, messages);
    pattern.ranks = v.ranks;
    pattern.rounds = v.rounds;
    pattern.bytes = v.bytes;
    pattern.compute_ns = v.compute_ns;
    pattern.seed = v.seed;
    pattern.stride = v.stride;
    pattern.both_ways = v.both_ways;
    pattern.root = v.root < UINT32_MAX ? (uint32_t)v.root : UINT32_MAX;
    pattern.skew = v.skew;
    pattern.overlap = v.overlap;
    pattern.ahead = v.ahead;
    pattern.schedule = v.schedule;
    pattern.tier = v.tier;
    pattern.role = v.role;
    pattern.kinds = v.kinds;
    pattern.sizes = v.sizes;
    pattern.groups = v.groups;
    pattern.manifest = v.manifest;
    pattern.compression = v.compress;
    const enum nadi_status status = nadi_generate_pattern(&pattern, v.out, messages);
    if (status == NADI_STATUS_DONE)
        say(&v, family);
    return nadi_gen_end(status, messages);
}

const struct nadi_command nadi_command_gen_collectives = {
    .name = "gen collectives",
    .group = "Make traces",
    .summary = "Write traces of every collective kind, size and group size, one after the other",
    .doing = "writing the traces",
    .about = "Consecutive ranks form a group. The simulator communicates the first four kinds "
             "of\n`nadi gen collective`; the others take no time, with a warning.\n",
    .examples =
        "nadi gen collectives --ranks 16 --sizes 64KiB,1MiB,64MiB --groups 4,16 -o out/sweep\n",
    .options = gen_collectives_groups,
    .run = cmd_gen_pattern,
};

const struct nadi_command nadi_command_gen_ring = {
    .name = "gen ring",
    .group = "Make traces",
    .summary = "Write sends and receives around a ring",
    .doing = "writing the traces",
    .about = "In each round every rank sends to the rank --stride positions ahead, and computes.\n",
    .examples = "nadi gen ring --ranks 64 --bytes 1MiB --both-ways -o out/ring\n",
    .options = gen_ring_groups,
    .run = cmd_gen_pattern,
};

const struct nadi_command nadi_command_gen_pairs = {
    .name = "gen pairs",
    .group = "Make traces",
    .summary = "Write exchanges between pairs of ranks, drawn anew in each round",
    .doing = "writing the traces",
    .examples = "nadi gen pairs --ranks 64 --bytes 1MiB --rounds 10 --seed 7 -o out/pairs\n",
    .options = gen_pairs_groups,
    .run = cmd_gen_pattern,
};

const struct nadi_command nadi_command_gen_incast = {
    .name = "gen incast",
    .group = "Make traces",
    .summary = "Write sends of all ranks to one",
    .doing = "writing the traces",
    .examples = "nadi gen incast --ranks 33 --bytes 64KiB -o out/incast\n",
    .options = gen_incast_groups,
    .run = cmd_gen_pattern,
};

const struct nadi_command nadi_command_gen_all_to_all = {
    .name = "gen all-to-all",
    .group = "Make traces",
    .summary = "Write an all-to-all of messages of unequal sizes",
    .doing = "writing the traces",
    .about = "As in a mixture of experts: the popularity of the ranks follows a Zipf law, drawn "
             "anew in each\nround; with --skew 0 all are equal.\n",
    .examples = "nadi gen all-to-all --ranks 32 --bytes 16MiB --skew 0.8 --seed 3 -o out/experts\n",
    .options = gen_all_to_all_groups,
    .run = cmd_gen_pattern,
};

const struct nadi_command nadi_command_gen_overlap = {
    .name = "gen overlap",
    .group = "Make traces",
    .summary = "Write computation that overlaps collectives",
    .doing = "writing the traces",
    .about = "none: one after the other. gradients: a collective follows each layer while the "
             "next one computes.\n"
             "prefetch: a collective before each layer, --ahead layers in advance.\n",
    .examples =
        "nadi gen overlap --pattern prefetch --ahead 2 --ranks 8 --bytes 64MiB -o out/fsdp\n",
    .options = gen_overlap_groups,
    .run = cmd_gen_pattern,
};

const struct nadi_command nadi_command_gen_memory = {
    .name = "gen memory",
    .group = "Make traces",
    .summary = "Write layers that load from and store to remote memory",
    .doing = "writing the traces",
    .examples = "nadi gen memory --ranks 4 --bytes 256MiB --ahead 2 -o out/offload\n",
    .options = gen_memory_groups,
    .run = cmd_gen_pattern,
};

const struct nadi_command nadi_command_gen_pipeline = {
    .name = "gen pipeline",
    .group = "Make traces",
    .summary = "Write micro-batches through pipeline stages",
    .doing = "writing the traces",
    .about = "A rank is a stage; backward takes twice the time of forward.\n",
    .examples =
        "nadi gen pipeline --ranks 8 --rounds 32 --bytes 16MiB --schedule gpipe -o out/pipe\n",
    .options = gen_pipeline_groups,
    .run = cmd_gen_pattern,
};
