#include "calibrate/training_spec.h"

#include <math.h>

#include "base/str.h"
#include "calibrate/training_names.h"
#include "calibrate/training_recipes.h"
#include "model/model.h"

const char *nadi_spec_precision_in(const char *text)
{
    static const struct {
        const char *word, *precision;
    } known[] = {{"FP4", "fp4"},   {"FP8", "fp8"},     {"FLOAT8", "fp8"}, {"F8E", "fp8"},
                 {"BF16", "bf16"}, {"BFLOAT", "bf16"}, {"FP16", "fp16"},  {"FLOAT16", "fp16"},
                 {"HALF", "fp16"}, {"TF32", "tf32"},   {"FP32", "fp32"},  {"FLOAT32", "fp32"}};
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (nadi_text_has(text, known[i].word))
            return known[i].precision;
    return NULL;
}

const char *nadi_spec_precision(const char *text)
{
    const char *precision = nadi_spec_precision_in(text);
    return precision ? precision : "bf16";
}

void nadi_spec_take(const struct nadi_training_reader *r, struct nadi_training_spec *s,
                    enum nadi_spec_number number, const char *column)
{
    const char *text = nadi_row_text(r, column);
    s->numbers[number] = nadi_row_number(r, column);
    if (number == NADI_SPEC_BATCH)
        s->no_batch = !*text;
    const double value = s->numbers[number];
    const bool has_multiple = nadi_row_has_multiple(r, column);
    if (number < NADI_SPEC_STEP_S && (has_multiple || value > floor(value)))
        s->no_count = nadi_arena_printf(
            &r->rows->arena, "'%.20s' in column '%.40s' is no number of things", text, column);
    if (number < NADI_SPEC_STEP_S || !text[strcspn(text, "0123456789")])
        return;
    if (nadi_row_has_two_numbers(r, column)) {
        s->numbers[number] = 0;
        s->no_time = "the time or the rate is two numbers";
    } else if (has_multiple) {
        s->numbers[number] = 0;
        s->no_time = "the time or the rate is a number of thousands or millions";
    } else if (!(s->numbers[number] > 0)) {
        s->no_time = s->numbers[number] < 0 ? "the time or the rate is negative"
                                            : "the time or the rate is zero";
    }
}

/* ---- what a recipe adds --------------------------------------------------------------------- */

static const struct {
    const char *key; /* of a plan, and of a recipe */
    enum nadi_spec_number number;
} degrees[] = {
    {"tp", NADI_SPEC_TP}, {"pp", NADI_SPEC_PP}, {"cp", NADI_SPEC_CP},   {"vp", NADI_SPEC_VP},
    {"ep", NADI_SPEC_EP}, {"dp", NADI_SPEC_DP}, {"etp", NADI_SPEC_ETP},
};

static void complete(struct nadi_training_spec *s, enum nadi_spec_number number, const char *text)
{
    double value;
    if (!(s->numbers[number] > 0) && nadi_str_take_double(text, &value))
        s->numbers[number] = value;
}

static bool has_degrees(const struct nadi_training_spec *s)
{
    return s->sharded || s->numbers[NADI_SPEC_TP] > 0 || s->numbers[NADI_SPEC_PP] > 0 ||
           s->numbers[NADI_SPEC_DP] > 0;
}

/* A row that gives degrees gives all of them: what it leaves out is 1. The kernels and habits of a
 * release are the recipe's in any case. */
static void take_recipe(struct nadi_training_reader *r, struct nadi_training_spec *s,
                        const char *model, const char *cluster)
{
    const struct nadi_csv_table *t =
        s->recipes ? nadi_recipes_open(s->recipes, &r->rows->arena) : NULL;
    if (!t || !model)
        return;
    const struct nadi_recipe_query query = {.release = s->release,
                                            .model = model,
                                            .precision = s->precision,
                                            .cluster = cluster,
                                            .framework = s->framework,
                                            .ranks = s->numbers[NADI_SPEC_RANKS],
                                            .batch = s->numbers[NADI_SPEC_BATCH]};
    const uint32_t line = nadi_recipe_find(t, &query);
    if (line == NADI_NONE)
        return;
    if (*nadi_recipe_text(t, line, "settings"))
        s->settings = nadi_row_printf(r, "%s %s", s->settings ? s->settings : "",
                                      nadi_recipe_text(t, line, "settings"));
    complete(s, NADI_SPEC_LAYERS, nadi_recipe_text(t, line, "layers"));
    complete(s, NADI_SPEC_SEQUENCE, nadi_recipe_text(t, line, "sequence"));
    double share; /* sequences of a step, of a rank */
    if (!(s->numbers[NADI_SPEC_BATCH] > 0) &&
        nadi_str_take_double(nadi_recipe_text(t, line, "batch-a-rank"), &share))
        s->numbers[NADI_SPEC_BATCH] = floor(share * s->numbers[NADI_SPEC_RANKS] + 0.5);
    const bool shortened = *nadi_recipe_text(t, line, "layers");
    if (has_degrees(s) && !shortened) /* those of a shortened model are its own */
        return;
    for (size_t i = 0; i < sizeof(degrees) / sizeof(degrees[0]); i++)
        s->numbers[degrees[i].number] = 0;
    for (size_t i = 0; i < sizeof(degrees) / sizeof(degrees[0]); i++)
        complete(s, degrees[i].number, nadi_recipe_text(t, line, degrees[i].key));
    complete(s, NADI_SPEC_MICRO_BATCH, nadi_recipe_text(t, line, "micro-batch"));
}

/* ---- settings ------------------------------------------------------------------------------- */

/* Sequences of a step that follow from time and rate, or from micro-batches. */
static void complete_batch(struct nadi_training_spec *s)
{
    double *n = s->numbers;
    const double sequence = n[NADI_SPEC_SEQUENCE];
    const double step = n[NADI_SPEC_STEP_S] > 0 ? n[NADI_SPEC_STEP_S] : n[NADI_SPEC_STEP_MS] / 1e3;
    const double rate = n[NADI_SPEC_TOKENS_PER_S] > 0
                            ? n[NADI_SPEC_TOKENS_PER_S]
                            : n[NADI_SPEC_RANK_TOKENS_PER_S] * n[NADI_SPEC_RANKS];
    if (n[NADI_SPEC_BATCH] > 0)
        return;
    if (step > 0 && rate > 0 && sequence > 0)
        n[NADI_SPEC_BATCH] = floor(step * rate / sequence + 0.5);
    else if (n[NADI_SPEC_MICRO_BATCH] > 0 && n[NADI_SPEC_RANKS] > 0 && has_degrees(s) &&
             !(s->no_batch && n[NADI_SPEC_ACCUMULATION] < 1))
        n[NADI_SPEC_BATCH] = n[NADI_SPEC_MICRO_BATCH] * fmax(n[NADI_SPEC_ACCUMULATION], 1) *
                             n[NADI_SPEC_RANKS] / fmax(n[NADI_SPEC_TP], 1) /
                             fmax(n[NADI_SPEC_PP], 1) / fmax(n[NADI_SPEC_CP], 1);
}

static uint32_t layers_of(const char *model)
{
    struct nadi_model m;
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    const uint32_t layers = nadi_model_open(&m, model, &diags) ? m.layers : 0;
    nadi_model_release(&m);
    nadi_diags_release(&diags);
    return layers;
}

/* Whether settings of a recipe give this key, which then holds before the row's. */
static bool gives(const char *settings, const char *key)
{
    const size_t length = strlen(key);
    for (const char *at = settings; at && *at; at += strcspn(at, " ")) {
        at += strspn(at, " ");
        if (strncmp(at, key, length) == 0 && at[length] == '=')
            return true;
    }
    return false;
}

static char *settings_of(struct nadi_training_reader *r, const struct nadi_training_spec *s,
                         const char *model)
{
    struct nadi_str text = NADI_STR_INIT;
    const double *n = s->numbers;
    for (size_t i = 0; i < sizeof(degrees) / sizeof(degrees[0]) && !s->sharded; i++)
        if (n[degrees[i].number] > 0 && !gives(s->settings, degrees[i].key))
            nadi_str_printf(&text, "%s=%.0f ", degrees[i].key, n[degrees[i].number]);
    nadi_str_printf(&text, "ranks=%.0f batch=%.0f sequence=%.0f precision=%s", n[NADI_SPEC_RANKS],
                    n[NADI_SPEC_BATCH], n[NADI_SPEC_SEQUENCE], s->precision);
    if (n[NADI_SPEC_MICRO_BATCH] > 0)
        nadi_str_printf(&text, " micro-batch=%.0f", n[NADI_SPEC_MICRO_BATCH]);
    if (s->sharded)
        nadi_str_add(&text, " zero=3");
    if (s->half_recomputed && model)
        nadi_str_printf(&text, " recompute=full recompute-layers=%" PRIu32, layers_of(model) / 2);
    const char *framework = s->framework ? nadi_training_framework(s->framework) : NULL;
    if (framework)
        nadi_str_printf(&text, " framework=%s", framework);
    if (s->settings && *s->settings)
        nadi_str_printf(&text, " %s", s->settings + strspn(s->settings, " "));
    char *settings = nadi_row_printf(r, "%s", nadi_str_get(&text));
    nadi_str_release(&text);
    return settings;
}

/* ---- what is measured, and what is missing --------------------------------------------------- */

static void take_time(const struct nadi_training_spec *s, struct nadi_training_row *row)
{
    const double *n = s->numbers;
    const double tokens = n[NADI_SPEC_BATCH] * n[NADI_SPEC_SEQUENCE];
    if (n[NADI_SPEC_STEP_S] > 0)
        row->step_s = n[NADI_SPEC_STEP_S];
    else if (n[NADI_SPEC_STEP_MS] > 0)
        row->step_s = n[NADI_SPEC_STEP_MS] / 1e3;
    else if (n[NADI_SPEC_TOKENS_PER_S] > 0)
        row->step_s = tokens / n[NADI_SPEC_TOKENS_PER_S];
    else if (n[NADI_SPEC_RANK_TOKENS_PER_S] > 0)
        row->step_s = tokens / (n[NADI_SPEC_RANK_TOKENS_PER_S] * n[NADI_SPEC_RANKS]);
    else if (n[NADI_SPEC_SAMPLES_PER_S] > 0)
        row->step_s = n[NADI_SPEC_BATCH] / n[NADI_SPEC_SAMPLES_PER_S];
    else if (n[NADI_SPEC_TFLOPS] > 0)
        row->rank_flops_per_s = n[NADI_SPEC_TFLOPS] * 1e12;
    else if (n[NADI_SPEC_MFU] > 0)
        row->mfu = n[NADI_SPEC_MFU] > 1 ? n[NADI_SPEC_MFU] / 100 : n[NADI_SPEC_MFU];
}

static const char *missing_key(const struct nadi_training_spec *s)
{
    static const struct {
        enum nadi_spec_number number;
        const char *key;
    } wanted[] = {
        {NADI_SPEC_RANKS, "the number of devices"},
        {NADI_SPEC_SEQUENCE, "the sequence length"},
        {NADI_SPEC_BATCH, "the batch"},
    };
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
        if (!(s->numbers[wanted[i].number] >= 1))
            return wanted[i].key;
    return s->needs_degrees && !has_degrees(s) ? "the degrees (tp, pp, ...)" : NULL;
}

static void leave_out(struct nadi_training_row *row, enum nadi_row_fate fate, const char *why)
{
    if (row->left_out)
        return;
    row->fate = fate;
    row->left_out = why;
}

static const char *short_name(const char *text)
{
    return nadi_text_has(text, "Model: ") ? strcasestr(text, "Model: ") + 7 : text;
}

static char *label_of(struct nadi_training_reader *r, const struct nadi_training_spec *s,
                      const char *model)
{
    const char *name = model ? model : s->model && *s->model ? short_name(s->model) : "model";
    return nadi_row_printf(r, "%.24s, %.0f x %.16s, %s", name, s->numbers[NADI_SPEC_RANKS],
                           s->system && *s->system ? s->system : "?", s->precision);
}

void nadi_spec_add(struct nadi_training_reader *r, struct nadi_training_spec *s)
{
    struct nadi_arena *arena = &r->rows->arena;
    const struct nadi_training_names *names = nadi_training_rows_names(r->rows);
    const char *several = NULL, *model = NULL;
    const char *cluster = s->system ? nadi_training_cluster(names, s->system) : NULL;
    if (!s->model_text && s->model && *s->model)
        model = nadi_training_model(names, short_name(s->model), arena, &several);
    if (!s->precision)
        s->precision = "bf16";
    take_recipe(r, s, model, cluster);
    if (!(s->numbers[NADI_SPEC_SEQUENCE] > 0))
        s->numbers[NADI_SPEC_SEQUENCE] = s->usual_sequence;
    complete_batch(s);
    struct nadi_training_row row = {
        .source = s->source,
        .label = s->label ? s->label : label_of(r, s, s->model_text ? "GPT" : model),
        .model = model,
        .model_text = s->model_text,
        .cluster = cluster,
        .layers = s->model_text ? 0 : (uint32_t)s->numbers[NADI_SPEC_LAYERS],
        .framework = s->framework,
    };
    if (s->unsupported)
        leave_out(&row, NADI_ROW_UNSUPPORTED, s->unsupported);
    if (!s->model_text && !(s->model && *s->model))
        leave_out(&row, NADI_ROW_UNDER_SPECIFIED, "the model");
    if (several)
        leave_out(
            &row, NADI_ROW_UNDER_SPECIFIED,
            nadi_row_printf(r, "the model: '%.60s' may be %s", short_name(s->model), several));
    if (!s->model_text && !model)
        leave_out(&row, NADI_ROW_UNSUPPORTED,
                  nadi_row_printf(r, "no model of the catalogue is '%.60s'",
                                  s->model ? short_name(s->model) : ""));
    if (!s->system || !*s->system)
        leave_out(&row, NADI_ROW_UNDER_SPECIFIED, "the machine");
    if (!cluster)
        leave_out(&row, NADI_ROW_UNSUPPORTED,
                  nadi_row_printf(r, "no cluster of the catalogue is '%.60s'",
                                  s->system ? s->system : ""));
    if (s->no_count)
        leave_out(&row, NADI_ROW_UNDER_SPECIFIED, s->no_count);
    const char *missing = missing_key(s);
    if (missing)
        leave_out(&row, NADI_ROW_UNDER_SPECIFIED, missing);
    take_time(s, &row);
    if (!nadi_row_is_timed(&row))
        leave_out(&row, s->no_time ? NADI_ROW_IMPLAUSIBLE : NADI_ROW_UNDER_SPECIFIED,
                  s->no_time ? s->no_time : "the time or the rate");
    row.settings = settings_of(r, s, model);
    nadi_row_add(r, row);
}
