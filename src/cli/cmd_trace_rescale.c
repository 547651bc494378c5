#include "cli/trace_edit.h"

struct values {
    struct nadi_cli_edit edit; /* first: for nadi_cli_edit_end */
    struct nadi_trace_rescale o;
};

#define AT(member) NADI_AT(struct values, o.member)

static const struct nadi_setting what[] = {
    {.name = "from",
     .argument = "KEYS",
     .type = NADI_TYPE_TEXT,
     AT(from),
     .doc =
         "What the job was made with: layers, batch, micro-batch (1), sequence, virtual (stages "
         "of a rank, 1), where labels of the manifest do not say it, as in \"layers=32 batch=64\""},
    {.name = "to",
     .argument = "KEYS",
     .type = NADI_TYPE_TEXT,
     .required = true,
     AT(to),
     .doc = "What it should be: the same keys and sizes of axes of the manifest, as in \"tp=8 "
            "dp=16 batch=256\""},
    {.name = "roles",
     .argument = "PAIRS",
     .type = NADI_TYPE_TEXT,
     AT(roles),
     .absent = "their names say it",
     .doc = "What the axes are: \"group0=tp group1=dp\"; tp, cp, dp, ep, edp or pp"},
    {.name = "attention",
     .argument = "PATTERN",
     .type = NADI_TYPE_TEXT,
     AT(attention),
     .absent = "names that end in \" attention\" or contain flash, sdpa, fmha, softmax",
     .doc = "Names of compute nodes, in lower case, whose work grows with the square of the "
            "sequence"},
    {.name = "attention-share",
     .type = NADI_TYPE_NUMBER,
     .max = 1,
     NADI_LIBRARY_DEFAULT,
     AT(attention_share),
     .doc = "Share of their work that does"},
    {.name = NULL},
};

static const struct nadi_option_group trace_rescale_groups[] = {
    {"Scale", what, 0},
    {"Output", nadi_cli_edit_options, offsetof(struct values, edit)},
    {.heading = NULL},
};

NADI_EDIT_CALL(nadi_trace_rescale)

const struct nadi_command nadi_command_trace_rescale = {
    .name = "trace rescale",
    .group = "Traces",
    .summary = "Change a job to other ranks, stages, batch, sequence or layers",
    .doing = "rescaling traces",
    .words = "MANIFEST",
    .about = "Writes PREFIX.yml and its traces: the job as it would be at another scale, by the "
             "laws of\ndocs/guide/rescale.md. Layers and micro-batches are found as repeated parts "
             "of the traces, a\npipeline's passes by its messages. `nadi trace dedup` makes a "
             "manifest of files of all ranks.\n",
    .examples = "nadi trace rescale step/workload.yml --from \"layers=8 batch=16\" \\\n"
                "                   --to \"tp=4 dp=4 layers=12 batch=64\" -o out/large\n",
    .options = trace_rescale_groups,
    .max_words = 1,
    .call = {.size = sizeof(struct values),
             .init = init,
             .wanted = "a workload manifest",
             .least = 1,
             .make = make,
             .end = nadi_cli_edit_end},
};
