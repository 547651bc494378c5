#include "cli/rows.h"
#include "cli/terminal.h"
#include "cli/trace_end.h"

#include <nadi/import.h>

struct values {
    const char *host, *device, *output, *groups, *report, *compress, *compat;
    struct nadi_range ranks;
    uint64_t resolution_ns;
    uint32_t threads;
    bool force, quiet;
};

#define AT(member) NADI_AT(struct values, member)

static const struct nadi_setting files[] = {
    {.name = "host",
     .argument = "FILE",
     .type = NADI_TYPE_TEXT,
     AT(host),
     .doc = "Execution trace of the ExecutionTraceObserver (none: the profile alone)"},
    {.name = "device",
     .argument = "FILE",
     .type = NADI_TYPE_TEXT,
     .required = true,
     AT(device),
     .doc = "Kineto profile of the same process"},
    {.name = "ranks",
     .argument = "A-B",
     NADI_RANKS,
     AT(ranks),
     .doc = "Only these ranks (default: those whose files are there)"},
    {.name = NULL},
};

static const struct nadi_setting output[] = {
    {.name = "output",
     .letter = 'o',
     .argument = "PREFIX",
     .type = NADI_TYPE_TEXT,
     .required = true,
     AT(output),
     .doc = "Rank r is written to PREFIX.<r>.et; a single one may go to FILE.et or -"},
    {.name = "compress",
     .type = NADI_TYPE_WORD,
     .words = NADI_ONE_OF("gz", "zst"),
     AT(compress),
     .doc = "Compress the traces, PREFIX.<r>.et.gz"},
    {.name = "groups",
     .argument = "FILE",
     .type = NADI_TYPE_TEXT,
     AT(groups),
     .doc = "Process groups, for `nadi run --groups` (default: PREFIX.groups.json)"},
    {.name = "report",
     .argument = "FILE",
     .type = NADI_TYPE_TEXT,
     AT(report),
     .doc = "Also write the coverage report there, as JSON"},
    NADI_ROW_QUIET(AT(quiet), ", no report"),
    {.name = NULL},
};

static const struct nadi_setting how[] = {
    {.name = "force",
     .type = NADI_TYPE_FLAG,
     AT(force),
     .doc = "Import files that do not seem to be of one run and one rank"},
    {.name = "compat",
     .type = NADI_TYPE_WORD,
     .words = NADI_ONE_OF("1.0.0"),
     AT(compat),
     .doc = "Make the graphs of this version of the Chakra tools, including their defects"},
    {.name = "resolution",
     .argument = "TIME",
     NADI_A_TIME,
     .preset = "1us",
     AT(resolution_ns),
     .doc = "Shorter slices of processor time are added to the following operator"},
    {.name = "threads",
     .argument = "N",
     NADI_A_COUNT,
     AT(threads),
     .doc = "Ranks to process concurrently (default: one per core)"},
    {.name = NULL},
};

static const struct nadi_option_group trace_import_groups[] = {
    {"Capture", files, 0},
    {"Output", output, 0},
    {"Import", how, 0},
    {.heading = NULL},
};

static int cmd_trace_import(const struct nadi_command *self, int count, char **arguments)
{
    struct values values = {0};
    struct nadi_words words;
    char suffix[8] = "";
    if (!nadi_options_parse(self->name, self->options, 0, count, arguments, &values, &words))
        return NADI_EXIT_USAGE;
    if (values.compress)
        snprintf(suffix, sizeof(suffix), ".%s", values.compress);
    struct nadi_trace_import options;
    nadi_trace_import_init(&options);
    options.host = values.host;
    options.device = values.device;
    options.output = values.output;
    options.suffix = suffix;
    options.groups = values.groups;
    options.report_json = values.report;
    if (values.ranks.given) {
        options.first_rank = (uint32_t)nadi_min_u64(values.ranks.first, UINT32_MAX - 1);
        options.last_rank = (uint32_t)nadi_min_u64(values.ranks.last, UINT32_MAX - 1);
    }
    options.threads = values.threads;
    options.force = values.force;
    options.compat = values.compat != NULL;
    options.resolution_ns = values.resolution_ns;
    struct nadi_diags *messages = nadi_terminal_must(nadi_messages_create());
    char *report;
    const enum nadi_status status = nadi_trace_import(&options, &report, messages);
    return nadi_trace_end_beside(status, report, messages, values.quiet, values.output);
}

const struct nadi_command nadi_command_trace_import = {
    .name = "trace import",
    .group = "Traces",
    .summary = "Convert a PyTorch capture, of one or all ranks, to Chakra traces",
    .doing = "converting the captures",
    .about = "Reads the execution trace and the Kineto profile of each rank and writes a graph "
             "with the\ndependencies of its work: program, launches, streams, synchronisation, "
             "process groups. Reports how\nmuch of the capture is used. {rank} in a name stands "
             "for 0, 1, ... as far as there are files.\n",
    .examples = "nadi trace import --host et.{rank}.json --device kineto.{rank}.json -o step\n"
                "nadi trace import --device profile.json.gz -o step\n",
    .options = trace_import_groups,
    .run = cmd_trace_import,
};
