/* cmd_memory_pool: `nadi memory pool`. */
#include <nadi/memory.h>

#include "api/words.h"
#include "cli/command.h"
#include "cli/terminal.h"

struct values {
    struct nadi_pool_options o;
    bool form_only;
};

#define LIST(key, member_, preset_, argument_, text)                                               \
    {                                                                                              \
        .name = key, .type = NADI_TYPE_TEXT, .argument = argument_ ",...", .preset = preset_,      \
        NADI_AT(struct values, o.member_), .doc = text                                             \
    }

static const struct nadi_setting shape[] = {
    LIST("nodes", nodes, "16", "N", "Nodes"),
    LIST("npus", npus, "16", "N", "NPUs of a node, at its in-node switch"),
    LIST("switches", switches, "16", "N", "Out-node switches, each with a link to every node"),
    LIST("groups", groups, "256", "N", "Memory groups: a multiple of the switches"),
    LIST("chunk", chunk, "1MiB", "SIZE", "What a group moves at a time"),
    {.name = NULL},
};

static const struct nadi_setting speed[] = {
    LIST("group-bandwidth", group_bandwidth, "100", "RATE", "Of a group; GB/s of 10^9 bytes"),
    LIST("out-bandwidth", out_bandwidth, "256", "RATE", "Of a link from a switch to a node"),
    LIST("npu-bandwidth", npu_bandwidth, "256", "RATE", "Of a link from a node's switch to an NPU"),
    LIST("group-latency", group_latency, "0", "TIME", "Of a group"),
    LIST("out-latency", out_latency, "0", "TIME", "Of a link from a switch to a node"),
    LIST("npu-latency", npu_latency, "0", "TIME", "Of a link from a node's switch to an NPU"),
    {.name = NULL},
};

static const struct nadi_setting transfer[] = {
    LIST("bytes", bytes, "1GiB", "SIZE", "What each NPU loads or stores"),
    LIST("data", data, "private,shared", "WORD",
         "private: each NPU its own; shared: the same for all, which switches copy or add up"),
    LIST("direction", direction, "load", "WORD", "load, store"),
    {.name = NULL},
};

static const struct nadi_setting output[] = {
    {.name = "form-only",
     .type = NADI_TYPE_FLAG,
     NADI_AT(struct values, form_only),
     .doc = "The closed form alone, without a simulation beside it"},
    NADI_FORM_OPTION(struct values, o.form),
    {.name = NULL},
};

static const struct nadi_option_group groups[] = {
    {"Pool", shape, 0},    {"Speed", speed, 0}, {"Transfer", transfer, 0},
    {"Output", output, 0}, {.heading = NULL},
};

static int cmd_memory_pool(const struct nadi_command *self, int count, char **arguments)
{
    struct values v = {.form_only = false};
    struct nadi_words words;
    nadi_pool_options_init(&v.o);
    if (!nadi_options_parse(self->name, self->options, self->max_words, count, arguments, &v,
                            &words))
        return NADI_EXIT_USAGE;
    v.o.form_only = v.form_only;
    struct nadi_diags *messages = nadi_terminal_must(nadi_messages_create());
    char *text;
    const enum nadi_status status = nadi_memory_pool(&v.o, &text, messages);
    return nadi_terminal_end(status, text, messages, false);
}

const struct nadi_command nadi_command_memory_pool = {
    .name = "memory pool",
    .group = "Memory",
    .summary = "Time transfers between NPUs and a hierarchical memory pool",
    .doing = "timing the transfers",
    .about =
        "Groups, out-node switches, in-node switches, NPUs: a pipeline of chunks, by its closed "
        "form and\nby simulation. Options take lists; every combination is a row. "
        "docs/guide/memory-pool.md\nexplains the model.\n",
    .examples = "nadi memory pool --nodes 16 --npus 16 --groups 256\n"
                "nadi memory pool --group-bandwidth 100,500 --out-bandwidth 256,512 "
                "--npu-bandwidth 512 \\\n          --format csv\n",
    .options = groups,
    .run = cmd_memory_pool,
};
