/* schema_space: the keys of a space of `nadi sweep`. Read in src/sweep/space.c. */
#include "settings/schema_more.h"

static const char *const samplings[] = {"grid", "latin-hypercube", "sobol",
                                        "file", "one-at-a-time",   NULL};
static const char *const infeasibles[] = {"skip", "simulate", NULL};

static const char *const goals[] = {
    "time", "tokens-per-dollar", "tokens-per-joule", "capital", "power", NULL};

static const struct nadi_setting space_keys[] = {
    {.name = "run",
     .type = NADI_TYPE_MAP,
     .required = true,
     .doc = "What every point runs: `model`, `cluster`, and perhaps `plan` and `set`, as `nadi "
            "model run` takes them; or `workload`, `system`, `network` and the other inputs of "
            "`nadi run`. Also any setting of a run: `network-model: flow`. Relative paths start "
            "beside this file."},
    {.name = "vary",
     .type = NADI_TYPE_MAP,
     .absent = "a single point, or those of --vary",
     .doc =
         "Keys of inputs and their values: a list, a range (`1..8:1`, `100..800GB/s:*2`, for "
         "sampling `0..1` and `1..1000:log`), or an expression of other variables (`1024 / tp`). "
         "A key is named as in its file, with the file before it where it is not one of the "
         "plan or the run: `tp`, `device.memory`, `cluster.bandwidth[1]`."},
    {.name = "variables",
     .type = NADI_TYPE_MAP,
     .absent = "none",
     .doc = "The same for names of your own, which expressions use and no input has."},
    {.name = "constraints",
     .type = NADI_TYPE_TEXT,
     .list = true,
     .or_one = true,
     .absent = "none",
     .doc = "Conditions that every point keeps: `tp * pp <= 64`, `1024 % tp == 0`."},
    {.name = "sampling",
     .type = NADI_TYPE_WORD,
     .words = samplings,
     .preset = "grid",
     .doc =
         "Every combination; `points` of them, spread evenly over each variable by itself "
         "(latin-hypercube) or over all together (sobol); the rows of `file`; or the first value "
         "of each variable, and each other value with the first of all others (one-at-a-time)."},
    {.name = "points",
     .type = NADI_TYPE_INTEGER,
     .min = 1,
     .max = 1e7,
     .preset = "1000",
     .doc = "How many points latin-hypercube and sobol draw; those that break a constraint and "
            "those drawn before are left out."},
    {.name = "seed",
     .type = NADI_TYPE_INTEGER,
     .preset = "1",
     .doc = "Of the draws: the same seed gives the same points."},
    {.name = "file",
     .type = NADI_TYPE_TEXT,
     .absent = "none",
     .doc = "CSV of points: the header names variables, each row is a point; sampling is then "
            "`file`. Relative ones start beside this file."},
    {.name = "objectives",
     .type = NADI_TYPE_TEXT,
     .list = true,
     .or_one = true,
     .absent = "step-time",
     .doc = "What is compared: step-time, tokens-per-second, mfu, memory, ...: any figure of "
            "docs/guide/sweep.md; or `min NAME`, `max NAME` of `derived`. The page's Pareto front "
            "is of the first two or three."},
    {.name = "derived",
     .type = NADI_TYPE_MAP,
     .absent = "none",
     .doc = "Figures of your own: names and expressions of figures, variables and those before: "
            "`{price-of-speed: capital / tokens_per_second}`. Each is a column of the results."},
    {.name = "infeasible",
     .type = NADI_TYPE_WORD,
     .words = infeasibles,
     .preset = "skip",
     .doc = "A point that does not fit the devices' memory is a row with the bytes that are "
            "missing; `simulate` gives it a time as well, as if it did fit."},
    {.name = "ranks",
     .type = NADI_TYPE_INTEGER,
     .min = 1,
     .max = INT32_MAX,
     .absent = "required for `nadi optimize`",
     .doc = "`nadi optimize`: devices of the cluster."},
    {.name = "workloads",
     .type = NADI_TYPE_MAP,
     .list = true,
     .absent = "the model of `run`",
     .doc = "`nadi optimize`: what the cluster is for, each a map: see "
            "[workloads](input-space-workloads.md). Keys of a plan under `vary` are chosen for "
            "each by itself."},
    {.name = "goal",
     .type = NADI_TYPE_WORD,
     .words = goals,
     .preset = "time",
     .doc = "`nadi optimize`: most tokens a second, per $ or per J, of several workloads their "
            "geometric mean by weights; or least capital or power."},
    {.name = "limits",
     .type = NADI_TYPE_TEXT,
     .list = true,
     .or_one = true,
     .absent = "none",
     .doc = "`nadi optimize`: conditions of a design: `capital <= 25M$`, `power <= 0.7MW`, "
            "`facility_power`, `usd_per_hour`, variables, and of each workload `NAME.step <= 10s` "
            "and `NAME.tokens >= 1e6` a second, where - is written as _."},
};

const struct nadi_schema nadi_space_schema = {
    .name = "space",
    .title = "space of a sweep",
    .option = "nadi sweep",
    .syntax = NADI_DOC_YAML,
    .doc = "What `nadi sweep` runs and what it varies.",
    .example = "run:\n"
               "  model: llama3-8b\n"
               "  cluster: dgx-h100\n"
               "  set: batch=64 sequence=8192\n"
               "vary:\n"
               "  tp: [1, 2, 4, 8]\n"
               "  pp: 1..4:*2\n"
               "  dp: 32 / (tp * pp)\n"
               "  cluster.bandwidth[1]: 25..100GB/s:*2\n"
               "constraints:\n"
               "  - tp * pp <= 16\n"
               "objectives: [step-time, memory]\n",
    KEYS(space_keys),
};

static const struct nadi_setting workload_keys[] = {
    {.name = "model",
     .type = NADI_TYPE_TEXT,
     .required = true,
     .doc = "A model by name, or the path of its description."},
    {.name = "name",
     .type = NADI_TYPE_TEXT,
     .absent = "the model's",
     .doc = "Name in limits, results and files."},
    {.name = "plan",
     .type = NADI_TYPE_TEXT,
     .absent = "all defaults",
     .doc = "Path of a plan. Its keys are fixed, the others are searched."},
    {.name = "set",
     .type = NADI_TYPE_TEXT,
     .absent = "nothing",
     .doc = "Keys of the plan: `batch=512 sequence=8192`."},
    {.name = "search",
     .type = NADI_TYPE_TEXT,
     .absent = "every strategy",
     .doc = "Values to try of single keys, as `nadi model search --try` takes them: "
            "`tp=1,2,4,8 zero=0,1`."},
    {.name = "weight",
     .type = NADI_TYPE_NUMBER,
     .preset = "1",
     .above_min = true,
     .max = 1e9,
     .doc = "Its share of the goal: with 1 and 1 each counts by half."},
};

const struct nadi_schema nadi_space_workload_schema = {
    .name = "space-workloads",
    .title = "entry of 'workloads' in a space",
    .option = "nadi optimize",
    .syntax = NADI_DOC_YAML,
    .doc = "One of the things that a cluster is designed for.",
    .example = "model: llama3-405b\nset: batch=512 sequence=8192\nweight: 1\n",
    KEYS(workload_keys),
};
