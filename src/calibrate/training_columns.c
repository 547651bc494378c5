/* training_columns: a table that no reader knows, by the names of its columns.
 *
 * A name is compared without case and without all but letters and digits: "# GPUs", "gpus" and
 * "Num GPUs" are the same. What the table's comments say of the machine ("# hardware: DGX A100")
 * holds for all rows that say nothing themselves. */
#include "calibrate/training_spec.h"

#include <ctype.h>

#include "base/file.h"
#include "base/str.h"
#include "calibrate/training_names.h"

enum { MOST_LETTERS = 48 };

static const struct {
    const char *columns; /* separated by blanks */
    enum nadi_spec_number number;
} known[] = {
    {"gpus ngpus numgpus gpucount worldsize chips devices numdevices ranks accelerators gpu_s",
     NADI_SPEC_RANKS},
    {"gbs globalbatch globalbatchsize batch batchsize batchsequences", NADI_SPEC_BATCH},
    {"mbs microbatch microbatchsize lbs localbatch localbatchsize perdevicebatchsize bsz",
     NADI_SPEC_MICRO_BATCH},
    {"ga gradaccum gradaccumulation gradientaccumulation gradientaccumulationsteps",
     NADI_SPEC_ACCUMULATION},
    {"seqlen seqlength sequencelength sequence contextlength maxseqlen seqlent tokens",
     NADI_SPEC_SEQUENCE},
    {"tp tensorparallel tensorparallelism tensorparallelsize tensormodelparallelsize tpsize",
     NADI_SPEC_TP},
    {"pp pipelineparallel pipelineparallelism pipelineparallelsize pipelinemodelparallelsize",
     NADI_SPEC_PP},
    {"cp contextparallel contextparallelism contextparallelsize", NADI_SPEC_CP},
    {"vp vpp virtualstages virtualpipeline virtualpipelinemodelparallelsize vpinterleave",
     NADI_SPEC_VP},
    {"ep expertparallel expertparallelism expertparallelsize expertmodelparallelsize",
     NADI_SPEC_EP},
    {"etp experttensorparallelsize", NADI_SPEC_ETP},
    {"dp dataparallel dataparallelism dataparallelsize", NADI_SPEC_DP},
    {"layers numlayers nlayers", NADI_SPEC_LAYERS},
    {"hidden hiddensize dmodel", NADI_SPEC_HIDDEN},
    {"heads attentionheads nheads numattentionheads", NADI_SPEC_HEADS},
    {"kvheads numquerygroups nkvheads", NADI_SPEC_KV_HEADS},
    {"ffn ffnhiddensize intermediatesize", NADI_SPEC_FFN},
    {"vocab vocabsize paddedvocabsize", NADI_SPEC_VOCAB},
    {"steps steptimes iterationtimes trainsteptimes timeperstep secondsperstep stepseconds "
     "derivediterationtimes timestep iterationtime steptime",
     NADI_SPEC_STEP_S},
    {"stepms steptimems iterationtimems mediantiterms medianiterms iterms mspersteps msperstep",
     NADI_SPEC_STEP_MS},
    {"tokenss tokenspers tokenspersec tokenspersecond throughputtokenspers throughputts "
     "tokenspersmedian throughputtokenssec",
     NADI_SPEC_TOKENS_PER_S},
    {"tokenspersgpu tokenssecgpu tokenspersecpergpu tokenspersperdevice tokenspergpupersecond "
     "tokenspersecondpergpu throughputtsgpu wps tps tpsgpu tokensgpusec tokenspersecgpu tgs "
     "tokenspergpupers lasttokensperspergpu tokenspergpus tokensspergpu tokenssgpu tokensgpus",
     NADI_SPEC_RANK_TOKENS_PER_S},
    {"sampless samplespers samplespersec throughputss sequencespers", NADI_SPEC_SAMPLES_PER_S},
    {"tflopspergpu tflopsgpu modeltflopsgpu modeltflopspergpu modeltflopsecgpu "
     "achievedtflopspergpu tflopsperchip tflopsperdevice tflops modeltflop",
     NADI_SPEC_TFLOPS},
    {"mfu mfupct modelflopsutilization", NADI_SPEC_MFU},
};

enum word_column {
    COLUMN_MODEL,
    COLUMN_SYSTEM,
    COLUMN_PRECISION,
    COLUMN_FRAMEWORK,
    COLUMN_RELEASE,
    COLUMN_SETTINGS,
    COLUMN_LABEL,
    WORD_COLUMNS
};

static const char *const word_columns[WORD_COLUMNS] = {
    "model modelname modelorsystem network",
    "cluster system gpu gputype hardware device accelerator machine instance tpu platform",
    "precision dtype datatype",
    "framework library software",
    "release version tag container since",
    "settings plan",
    "label run",
};

/* Letters and digits, in lower case. */
static void normal(char out[MOST_LETTERS], const char *name)
{
    size_t n = 0;
    for (; *name && n + 1 < MOST_LETTERS; name++)
        if (isalnum((unsigned char)*name))
            out[n++] = (char)tolower((unsigned char)*name);
    out[n] = '\0';
}

static bool names_column(const char *list, const char *name)
{
    const size_t n = strlen(name);
    for (const char *at = list; *at;) {
        const size_t length = strcspn(at, " ");
        if (n > 0 && length == n && strncmp(at, name, n) == 0)
            return true;
        at += length + strspn(at + length, " ");
    }
    return false;
}

static const char *text_of(const struct nadi_training_reader *r, enum word_column column)
{
    char name[MOST_LETTERS];
    for (uint32_t c = 0; c < r->csv->column_count; c++) {
        normal(name, r->csv->header[c]);
        if (names_column(word_columns[column], name))
            return nadi_csv_field(r->csv, r->row, c);
    }
    return "";
}

/* "(ms)" behind a time. */
static enum nadi_spec_number in_unit(enum nadi_spec_number number, const char *name)
{
    return number == NADI_SPEC_STEP_S && nadi_str_ends(name, "ms") ? NADI_SPEC_STEP_MS : number;
}

static bool take_columns(struct nadi_training_reader *r, struct nadi_training_spec *s)
{
    char name[MOST_LETTERS];
    bool any = false;
    for (uint32_t c = 0; c < r->csv->column_count; c++) {
        normal(name, r->csv->header[c]);
        for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
            const enum nadi_spec_number number = in_unit(known[i].number, name);
            if (!names_column(known[i].columns, name))
                continue;
            any = any || number >= NADI_SPEC_STEP_S;
            if (!(s->numbers[number] > 0))
                nadi_spec_take(r, s, number, r->csv->header[c]);
        }
    }
    return any;
}

/* A GPT of the row's own shape. */
static char *described(struct nadi_training_reader *r, const struct nadi_training_spec *s)
{
    const double *n = s->numbers;
    const double vocab = n[NADI_SPEC_VOCAB] > 0 ? n[NADI_SPEC_VOCAB] : 51200; /* GPT-2, padded */
    const bool llama = n[NADI_SPEC_FFN] > 0; /* three matrices of a width of their own */
    return nadi_row_printf(
        r,
        "family: decoder\nname: width %.0f, %.0f layers\nlayers: %.0f\nhidden: %.0f\n"
        "heads: %.0f\nkv-heads: %.0f\nvocab: %.0f\n%s",
        n[NADI_SPEC_HIDDEN], n[NADI_SPEC_LAYERS], n[NADI_SPEC_LAYERS], n[NADI_SPEC_HIDDEN],
        n[NADI_SPEC_HEADS], n[NADI_SPEC_KV_HEADS], vocab,
        llama ? nadi_row_printf(r, "gated: true\nffn: %.0f\n", n[NADI_SPEC_FFN])
              : nadi_row_printf(r,
                                "positions: learned\nmax-positions: %.0f\ntied: true\n"
                                "norm: layernorm\nbiases: [qkv, output, mlp, norm]\n"
                                "dropout: true\n",
                                n[NADI_SPEC_SEQUENCE] > 1 ? n[NADI_SPEC_SEQUENCE] : 2048));
}

/* "-", "?" and "n/a" say nothing. */
static bool says_something(const char *text)
{
    const char *at = text + strspn(text, " -?");
    return *at && strcasecmp(at, "n/a") != 0;
}

static bool has_shape(const struct nadi_training_spec *s)
{
    return s->numbers[NADI_SPEC_LAYERS] > 0 && s->numbers[NADI_SPEC_HIDDEN] > 0 &&
           s->numbers[NADI_SPEC_HEADS] > 0;
}

/* Where no column names the machine, what the comments above the table say of it. */
static const char *machine_in_comments(struct nadi_training_reader *r)
{
    const char *at = r->comments ? strcasestr(r->comments, "hardware:") : NULL;
    if (!at)
        return "";
    at += strlen("hardware:");
    at += strspn(at, " ");
    return nadi_row_printf(r, "%.*s", (int)strcspn(at, "\n;("), at);
}

void nadi_spec_columns(struct nadi_training_reader *r, struct nadi_training_spec *s)
{
    const bool timed = take_columns(r, s);
    const char *framework = text_of(r, COLUMN_FRAMEWORK), *precision = text_of(r, COLUMN_PRECISION);
    s->model = text_of(r, COLUMN_MODEL);
    if (!s->system)
        s->system = text_of(r, COLUMN_SYSTEM);
    if (!*s->system)
        s->system = machine_in_comments(r);
    if (says_something(framework)) {
        s->framework = nadi_training_framework(framework);
        if (!s->framework)
            s->unsupported =
                nadi_row_printf(r, "no framework of the catalogue is '%.60s'", framework);
    }
    if (says_something(precision) && !nadi_spec_precision_in(precision))
        s->unsupported = nadi_row_printf(r, "no precision of a plan is '%.60s'", precision);
    if (*precision || !s->precision)
        s->precision = nadi_spec_precision(precision);
    s->release = text_of(r, COLUMN_RELEASE);
    s->settings = text_of(r, COLUMN_SETTINGS);
    if (*text_of(r, COLUMN_LABEL))
        s->label = nadi_row_printf(r, "%s", text_of(r, COLUMN_LABEL));
    s->needs_degrees = !nadi_text_has(s->settings, "=");
    if (!timed)
        s->unsupported = "no column says how long a step takes";
    if (has_shape(s))
        s->model_text = described(r, s);
    nadi_spec_add(r, s);
}

void nadi_read_columns(struct nadi_training_reader *r)
{
    struct nadi_training_spec s = {.source =
                                       nadi_row_printf(r, "%s", nadi_file_name(r->csv->path))};
    nadi_spec_columns(r, &s);
}
