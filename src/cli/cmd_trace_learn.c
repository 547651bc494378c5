/* cmd_trace_learn: `nadi trace learn`, `nadi trace synth`. */
#include <nadi/learned.h>

#include "api/words.h"
#include "cli/command.h"
#include "cli/rows.h"
#include "cli/terminal.h"

#define AT(type, member) NADI_AT(struct type, member)

/* --- learn -------------------------------------------------------------------------------------
 */

static const struct nadi_setting learn_model[] = {
    {.name = "model",
     .type = NADI_TYPE_WORD,
     .words = NADI_WORDS_LEARNED_MODEL,
     .preset = "structural",
     AT(nadi_trace_learn, model),
     .doc =
         "structural: what is in a job follows from its sizes by laws; sequence: a small network "
         "draws it, for jobs that the grammar does not explain"},
    {.name = "epsilon",
     .argument = "X",
     .type = NADI_TYPE_NUMBER,
     .max = 1e6,
     .preset = "0",
     AT(nadi_trace_learn, epsilon),
     .doc =
         "Differential privacy: counts of the jobs with noise in a public model; smaller is more "
         "private, 0 is none"},
    {.name = "public",
     .argument = "MODEL",
     .type = NADI_TYPE_TEXT,
     AT(nadi_trace_learn, public_model),
     .doc =
         "With --epsilon: a model learned from jobs that may be seen, whose rules and laws stay"},
    {.name = "seed",
     .argument = "N",
     NADI_A_WHOLE,
     .preset = "0",
     AT(nadi_trace_learn, seed),
     .doc = "Of the network's weights before it is trained; of the noise, where it must be secret, "
            "and 0 takes the system's random numbers"},
    {.name = NULL},
};

static const struct nadi_setting learn_output[] = {
    {.name = "out",
     .letter = 'o',
     .argument = "MODEL",
     .type = NADI_TYPE_TEXT,
     .required = true,
     AT(nadi_trace_learn, output),
     .doc = "Write the model there"},
    NADI_FORM_OPTION_AT(AT(nadi_trace_learn, form), NADI_WORDS_FORM_NO_CSV),
    {.name = NULL},
};

static const struct nadi_option_group learn_groups[] = {
    {"Model", learn_model, 0},
    {"Output", learn_output, 0},
    {.heading = NULL},
};

static int cmd_trace_learn(const struct nadi_command *self, int count, char **arguments)
{
    struct nadi_trace_learn o;
    struct nadi_words words;
    nadi_trace_learn_init(&o);
    if (!nadi_options_parse(self->name, self->options, self->max_words, count, arguments, &o,
                            &words) ||
        !nadi_words_wanted(self->name, &words, 1, "jobs: manifests, or prefixes of traces"))
        return NADI_EXIT_USAGE;
    o.jobs = words.items;
    o.job_count = (size_t)words.count;
    struct nadi_diags *messages = nadi_terminal_must(nadi_messages_create());
    struct nadi_progress_line line;
    char *text;
    nadi_progress_line_start(&line, false);
    o.watch = &(struct nadi_training_watch){.progress = nadi_progress_line_train, .context = &line};
    const enum nadi_status status = nadi_trace_learn(&o, &text, messages);
    nadi_progress_line_end(&line);
    return nadi_terminal_end(status, text, messages, false);
}

const struct nadi_command nadi_command_trace_learn = {
    .name = "trace learn",
    .group = "Traces",
    .summary = "Learn a model from the traces of jobs, to draw others from it",
    .doing = "learning from the traces",
    .words = "JOB...",
    .about =
        "A job is a workload manifest or a prefix of traces. What repeats (layers, "
        "micro-batches) is\nfound as a grammar; how often, how long and how large follows from "
        "the axes of parallelism and\nthe manifest's labels by fitted laws. No name, and no "
        "size that one job alone has, is given away.\n",
    .examples = "nadi trace learn out/a/workload.yml out/b/workload.yml -o out/jobs.model\n",
    .options = learn_groups,
    .max_words = NADI_ANY_WORDS,
    .run = cmd_trace_learn,
};

/* --- synth -------------------------------------------------------------------------------------
 */

static const struct nadi_setting wishes[] = {
    {.name = "like",
     .argument = "JOB",
     .type = NADI_TYPE_TEXT,
     AT(nadi_trace_synth, like),
     .doc = "Take family, axes and labels from this job, nothing else of it"},
    {.name = "family",
     .argument = "N",
     .type = NADI_TYPE_INTEGER,
     .max = 1 << 24,
     .preset = "0",
     AT(nadi_trace_synth, family),
     .doc = "Family of jobs, as `nadi trace learn` lists them; 0: drawn"},
    {.name = "ranks",
     .argument = "N",
     .type = NADI_TYPE_INTEGER,
     .max = 1 << 26,
     .preset = "0",
     AT(nadi_trace_synth, ranks),
     .doc = "Ranks: replicas, or the outermost axis that --axes does not name, follow; 0: as the "
            "axes say"},
    {.name = "axes",
     .argument = "SIZES",
     .type = NADI_TYPE_TEXT,
     AT(nadi_trace_synth, axes),
     .doc = "Sizes of the axes of parallelism, as in \"tp=8 dp=16\" (default: drawn)"},
    {.name = "layers",
     .argument = "N",
     .type = NADI_TYPE_NUMBER,
     .max = 1e6,
     .preset = "0",
     AT(nadi_trace_synth, layers),
     .doc = "Layers; 0: drawn"},
    {.name = "batch",
     .argument = "N",
     .type = NADI_TYPE_NUMBER,
     .max = 1e12,
     .preset = "0",
     AT(nadi_trace_synth, batch),
     .doc = "Sequences of a step over all replicas; 0: drawn micro-batches"},
    {.name = "micro-batch",
     .argument = "N",
     .type = NADI_TYPE_NUMBER,
     .max = 1e9,
     .preset = "0",
     AT(nadi_trace_synth, micro_batch),
     .doc = "Sequences at once; 0: drawn"},
    {.name = "sequence",
     .argument = "N",
     .type = NADI_TYPE_NUMBER,
     .max = 1e9,
     .preset = "0",
     AT(nadi_trace_synth, sequence),
     .doc = "Tokens of a sequence; 0: drawn"},
    {.name = "compute-scale",
     .argument = "X",
     .type = NADI_TYPE_NUMBER,
     .max = 1e6,
     .above_min = true,
     .preset = "1",
     AT(nadi_trace_synth, compute_scale),
     .doc = "Multiplies durations: compute against communication"},
    {.name = "comm-scale",
     .argument = "X",
     .type = NADI_TYPE_NUMBER,
     .max = 1e6,
     .preset = "1",
     AT(nadi_trace_synth, comm_scale),
     .doc = "Multiplies the bytes of communication"},
    {.name = "noise",
     .argument = "X",
     .type = NADI_TYPE_NUMBER,
     .min = -1,
     .max = 2,
     .preset = "-1",
     AT(nadi_trace_synth, noise),
     .doc =
         "Deviation of the logarithm of durations; -1: as learned, and at least 0.05 in a family "
         "of one job"},
    {.name = "temperature",
     .argument = "X",
     .type = NADI_TYPE_NUMBER,
     .max = 100,
     .preset = "1",
     AT(nadi_trace_synth, temperature),
     .doc = "Of a sequence model: below 1 likelier items are drawn, 0: the likeliest always"},
    {.name = "seed",
     .argument = "N",
     NADI_A_WHOLE,
     .preset = "1",
     AT(nadi_trace_synth, seed),
     .doc = "Of all that is drawn"},
    {.name = NULL},
};

static const struct nadi_setting synth_output[] = {
    {.name = "out",
     .letter = 'o',
     .argument = "PREFIX",
     .type = NADI_TYPE_TEXT,
     .required = true,
     AT(nadi_trace_synth, output),
     .doc = "Write PREFIX.yml and PREFIX.stage<k>.et"},
    NADI_FORM_OPTION_AT(AT(nadi_trace_synth, form), NADI_WORDS_FORM_NO_CSV),
    {.name = NULL},
};

static const struct nadi_option_group synth_groups[] = {
    {"Job", wishes, 0},
    {"Output", synth_output, 0},
    {.heading = NULL},
};

static int cmd_trace_synth(const struct nadi_command *self, int count, char **arguments)
{
    struct nadi_trace_synth o;
    struct nadi_words words;
    nadi_trace_synth_init(&o);
    if (!nadi_options_parse(self->name, self->options, self->max_words, count, arguments, &o,
                            &words) ||
        !nadi_words_wanted(self->name, &words, 1, "a model that `nadi trace learn` wrote"))
        return NADI_EXIT_USAGE;
    o.model = words.items[0];
    struct nadi_diags *messages = nadi_terminal_must(nadi_messages_create());
    char *text;
    const enum nadi_status status = nadi_trace_synth(&o, &text, messages);
    return nadi_terminal_end(status, text, messages, false);
}

const struct nadi_command nadi_command_trace_synth = {
    .name = "trace synth",
    .group = "Traces",
    .summary = "Draw a job from a learned model: traces that can be given away",
    .doing = "drawing a job",
    .words = "MODEL",
    .about = "Writes a manifest with one trace a stage, for any number of ranks. What is not asked "
             "for is drawn\nfrom the sizes and labels of the family's jobs. Ranks agree by "
             "construction and are checked\nbefore anything is written.\n",
    .examples = "nadi trace synth out/jobs.model -o out/made/job --seed 7\n"
                "nadi trace synth out/jobs.model -o out/large/job --ranks 1024 --layers 48\n",
    .options = synth_groups,
    .max_words = 1,
    .run = cmd_trace_synth,
};
