/* cmd_memory_trusted: `nadi memory trusted bench|attack|leak`. */
#include <nadi/memory.h>

#include "api/words.h"
#include "base/str.h"
#include "cli/command.h"
#include "cli/terminal.h"

enum { EXIT_NOT_HELD = 1 };

#define SEED(of, member_)                                                                          \
    {                                                                                              \
        .name = "seed", NADI_A_WHOLE, .argument = "N", .preset = "1", NADI_AT(of, member_),        \
        .doc = "Of all random numbers, keys too"                                                   \
    }
#define END                                                                                        \
    {                                                                                              \
        .name = NULL                                                                               \
    }

/* ---- bench ---------------------------------------------------------------------------------- */

#define AT(member) NADI_AT(struct nadi_trusted_bench_options, member)
#define COUNT(key, member_, least, most, preset_, text)                                            \
    {                                                                                              \
        .name = key, .type = NADI_TYPE_INTEGER, .min = least, .max = most, .argument = "N",        \
        .preset = preset_, AT(member_), .doc = text                                                \
    }
#define TIME(key, member_, preset_, text)                                                          \
    {                                                                                              \
        .name = key, .type = NADI_TYPE_NUMBER, .dimension = NADI_DIMENSION_TIME, .unit = "ns",     \
        .max = 1e12, .argument = "TIME", .preset = preset_, AT(member_), .doc = text               \
    }
/* Kept in bytes/s here. */
#define RATE(key, member_, preset_, text)                                                          \
    {                                                                                              \
        .name = key, .type = NADI_TYPE_NUMBER, .dimension = NADI_DIMENSION_RATE, .unit = "GB/s",   \
        .unit_factor = 1e9, .min = 1e-9, .max = 1e9, .argument = "RATE", .preset = preset_,        \
        AT(member_), .doc = text                                                                   \
    }

static const struct nadi_setting accesses[] = {
    COUNT("pages", pages, 1, 1 << 25, "2^18", "Pages of the pool"),
    {.name = "page",
     NADI_A_SIZE,
     .min = 64,
     .max = 2 << 20,
     .argument = "SIZE",
     .preset = "4KiB",
     AT(page_bytes),
     .doc = "Of a page: a power of 2"},
    {.name = "oblivious",
     .type = NADI_TYPE_WORD,
     .words = NADI_WORDS_OBLIVIOUS,
     .preset = "none",
     AT(oblivious),
     .doc = "What hides which pages are used"},
    {.name = "pattern",
     .type = NADI_TYPE_WORD,
     .words = NADI_WORDS_TRUSTED_PATTERN,
     .preset = "random",
     AT(pattern),
     .doc = "Which pages are used: zipf with weight 1 / place, hot the first alone"},
    COUNT("threads", threads, 1, 65536, "1", "With an access in flight each"),
    COUNT("accesses", accesses, 1, 100000000, "10000", "That are measured"),
    COUNT("warm-up", warm_up, 0, 100000000, "1000", "Accesses before"),
    {.name = "writes",
     .type = NADI_TYPE_NUMBER,
     .max = 1,
     .argument = "SHARE",
     .preset = "0",
     AT(write_share),
     .doc = "Of the accesses"},
    SEED(struct nadi_trusted_bench_options, seed),
    END,
};

static const struct nadi_setting engine[] = {
    COUNT("owner-entries", owner_entries, 1, 1 << 25, "4096", "Of the validation cache"),
    COUNT("owner-associativity", owner_associativity, 1, 1 << 16, "8", "Of the validation cache"),
    COUNT("tree-arity", tree_arity, 8, 64, "64",
          "Of the counter tree: 8, or 64 with split counters"),
    COUNT("tree-cache", tree_cache, 1, 1 << 24, "1024", "Nodes of the counter tree on chip"),
    {.name = "dummies",
     .type = NADI_TYPE_NUMBER,
     .max = 16,
     .argument = "N",
     .preset = "0",
     AT(dummies),
     .doc = "shuffle: reads of other frames, for each access"},
    COUNT("bucket", bucket, 1, 16, "4", "path-oram: blocks of a bucket"),
    COUNT("top-levels", top_levels, 0, 16, "0", "path-oram: levels of buckets on chip"),
    COUNT("labels", labels, 0, 1 << 19, "0",
          "path-oram: labels of a block of the position map; 0: the map is on chip"),
    END,
};

static const struct nadi_setting times[] = {
    TIME("request-time", request_ns, "50ns", "Requester's engine, each request"),
    TIME("link-latency", link_ns, "1us", "Between the engines, one direction"),
    RATE("link-bandwidth", link_gbps, "12.5", "Between the engines, each direction"),
    TIME("hit-time", hit_ns, "50ns", "Validation of a request"),
    TIME("miss-time", miss_ns, "150ns", "Of each entry that is not in the validation cache"),
    TIME("dram-latency", dram_ns, "100ns", "Provider's memory"),
    RATE("dram-bandwidth", dram_gbps, "25.6", "Provider's memory"),
    TIME("cipher-latency", cipher_ns, "200ns", "AES-GCM"),
    RATE("cipher-bandwidth", cipher_gbps, "12.8", "AES-GCM"),
    TIME("node-time", node_ns, "100ns", "A node of the counter tree, from the requester's memory"),
    TIME("oram-time", oram_ns, "100ns", "The stash, each path"),
    TIME("rdma-time", rdma_ns, "4us", "Of a page fetched by RDMA, besides its bytes"),
    RATE("cpu-cipher-bandwidth", cpu_cipher_gbps, "2", "AES-GCM on a core"),
    {.name = "region",
     NADI_A_SIZE,
     .min = 1,
     .max = 1e18,
     .argument = "SIZE",
     .preset = "1GiB",
     AT(region_bytes),
     .doc = "Of memory that RDMA registers at a time"},
    END,
};

static const struct nadi_setting bench_output[] = {
    NADI_FORM_OPTION(struct nadi_trusted_bench_options, form),
    END,
};

static const struct nadi_option_group bench_groups[] = {
    {"Accesses", accesses, 0},   {"Engines", engine, 0}, {"Times (illustrative)", times, 0},
    {"Output", bench_output, 0}, {.heading = NULL},
};

static int cmd_bench(const struct nadi_command *self, int count, char **arguments)
{
    struct nadi_trusted_bench_options o;
    struct nadi_words words;
    nadi_trusted_bench_options_init(&o);
    if (!nadi_options_parse(self->name, self->options, self->max_words, count, arguments, &o,
                            &words))
        return NADI_EXIT_USAGE;
    double *const rates[] = {&o.link_gbps, &o.dram_gbps, &o.cipher_gbps, &o.cpu_cipher_gbps};
    for (size_t i = 0; i < sizeof(rates) / sizeof(*rates); i++)
        *rates[i] /= 1e9;
    struct nadi_diags *messages = nadi_terminal_must(nadi_messages_create());
    char *text;
    if (nadi_str_equal(o.form, "text")) {
        const enum nadi_status planned = nadi_memory_trusted_plan(&o, &text, messages);
        if (planned != NADI_STATUS_DONE)
            return nadi_terminal_end(planned, NULL, messages, false);
        nadi_terminal_print_text(text);
        fflush(stdout); /* before a run that may take long */
    }
    const enum nadi_status status = nadi_memory_trusted_bench(&o, &text, messages);
    return nadi_terminal_end(status, text, messages, false);
}

const struct nadi_command nadi_command_memory_trusted_bench = {
    .name = "memory trusted bench",
    .group = "Memory",
    .summary = "Time accesses to a trusted pool: latency, bandwidth, where the time goes",
    .doing = "timing the accesses",
    .about = "Pages of another node's memory, validated, encrypted, fresh, and hidden as asked. "
             "What an access\nmoves is printed first: Path ORAM moves a hundred pages. All times "
             "are illustrative;\ndocs/models/trusted-memory.md explains the model.\n",
    .examples = "nadi memory trusted bench --pages 2^18 --pattern zipf --threads 16\n"
                "nadi memory trusted bench --pages 2^18 --oblivious path-oram --top-levels 5\n",
    .options = bench_groups,
    .run = cmd_bench,
};

/* ---- attack, leak --------------------------------------------------------------------------- */

struct tests {
    struct nadi_trusted_test_options o;
    bool all;
};

static int run_test(const struct nadi_trusted_test_options *o,
                    enum nadi_status (*function)(const struct nadi_trusted_test_options *, char **,
                                                 int *, struct nadi_diags *))
{
    struct nadi_diags *messages = nadi_terminal_must(nadi_messages_create());
    char *text;
    int failed;
    const enum nadi_status status = function(o, &text, &failed, messages);
    const int code = nadi_terminal_end(status, text, messages, false);
    return status == NADI_STATUS_DONE && failed ? EXIT_NOT_HELD : code;
}

static const struct nadi_setting attacks[] = {
    {.name = "all",
     .type = NADI_TYPE_FLAG,
     NADI_AT(struct tests, all),
     .doc = "Every attack; so it is without names as well"},
    SEED(struct tests, o.seed),
    END,
};

static const struct nadi_setting test_output[] = {NADI_FORM_OPTION(struct tests, o.form), END};

static const struct nadi_option_group attack_groups[] = {
    {"Attacks", attacks, 0}, {"Output", test_output, 0}, {.heading = NULL}};

static int cmd_attack(const struct nadi_command *self, int count, char **arguments)
{
    struct tests v = {.all = false};
    struct nadi_words words;
    struct nadi_str names = NADI_STR_INIT;
    nadi_trusted_test_options_init(&v.o);
    if (!nadi_options_parse(self->name, self->options, self->max_words, count, arguments, &v,
                            &words))
        return NADI_EXIT_USAGE;
    for (int i = 0; i < words.count; i++)
        nadi_str_printf(&names, "%s%s", i ? "," : "", words.items[i]);
    if (words.count && !v.all)
        v.o.attacks = nadi_str_get(&names);
    const int code = run_test(&v.o, nadi_memory_trusted_attack);
    nadi_str_release(&names);
    return code;
}

const struct nadi_command nadi_command_memory_trusted_attack = {
    .name = "memory trusted attack",
    .group = "Memory",
    .summary = "Attack a trusted pool, with and without its defences",
    .doing = "attacking the engines",
    .words = "[ATTACK...]",
    .about = "The engines store, encrypt and check real bytes; an attacker has both hosts' memory "
             "and the\nnetwork. The exit code is 1 when an attack is not refused for the expected "
             "reason, or does not\nsucceed without the defence.\n",
    .examples = "nadi memory trusted attack --all\n"
                "nadi memory trusted attack replay-page replay-nodes\n",
    .options = attack_groups,
    .max_words = NADI_ANY_WORDS,
    .run = cmd_attack,
};

static const struct nadi_setting leaks[] = {
    {.name = "oblivious",
     .type = NADI_TYPE_WORD,
     .words = NADI_WORDS_OBLIVIOUS,
     .preset = "none",
     NADI_AT(struct tests, o.oblivious),
     .doc = "What hides which pages are used"},
    {.name = "trials",
     .type = NADI_TYPE_INTEGER,
     .min = 100,
     .max = 1000000,
     .argument = "N",
     .preset = "1000",
     NADI_AT(struct tests, o.trials),
     .doc = "Of each sequence, each on engines of its own"},
    {.name = "accesses",
     .type = NADI_TYPE_INTEGER,
     .min = 2,
     .max = 1000,
     .argument = "N",
     .preset = "32",
     NADI_AT(struct tests, o.accesses),
     .doc = "Of a trial"},
    SEED(struct tests, o.seed),
    END,
};

static const struct nadi_option_group leak_groups[] = {
    {"Trials", leaks, 0}, {"Output", test_output, 0}, {.heading = NULL}};

static int cmd_leak(const struct nadi_command *self, int count, char **arguments)
{
    struct tests v = {.all = false};
    struct nadi_words words;
    nadi_trusted_test_options_init(&v.o);
    if (!nadi_options_parse(self->name, self->options, self->max_words, count, arguments, &v,
                            &words))
        return NADI_EXIT_USAGE;
    return run_test(&v.o, nadi_memory_trusted_leak);
}

const struct nadi_command nadi_command_memory_trusted_leak = {
    .name = "memory trusted leak",
    .group = "Memory",
    .summary = "Test whether a trusted pool's link shows which pages are used",
    .doing = "testing the link",
    .about =
        "Three sequences of accesses, and tests whether what the link shows of them differs. "
        "The exit code\nis 1 unless it is as documented: none differs, shuffle in reuse alone, "
        "path-oram in nothing.\n",
    .examples = "nadi memory trusted leak --oblivious path-oram --trials 1000\n",
    .options = leak_groups,
    .run = cmd_leak,
};
