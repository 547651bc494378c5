#include "api/inside.h"
#include "api/words.h"

#include "base/arena.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/originals.h"
#include "design/step_moves.h"
#include "design/step_simulated.h"
#include "report/optimize_bandwidth.h"

#include <math.h>

enum { MOST_ROWS = 1000, PARETO_ROWS = 16 };

struct study {
    const struct nadi_bandwidth_options *o;
    struct nadi_diags *diags;
    struct nadi_arena arena;
    struct nadi_bandwidth_network network;
    struct nadi_split steps[NADI_BANDWIDTH_WORKLOADS];
    const char *workloads[NADI_BANDWIDTH_WORKLOADS];
    double weights[NADI_BANDWIDTH_WORKLOADS];
    uint32_t step_count;
    enum nadi_bandwidth_goal goal;
    enum nadi_loop loop;
    bool has_start; /* loop simulate: steps[0] is the step without overlap */
    struct nadi_linear conditions;
    double budgets[MOST_ROWS];
    struct nadi_bandwidth_answer *answers;
    size_t count;
};

void nadi_bandwidth_options_init(struct nadi_bandwidth_options *options)
{
    *options = (struct nadi_bandwidth_options){
        .size = sizeof(*options), .goal = "time", .loop = "auto", .form = "text"};
}

/* Parts between commas; returns how many, 0 with an error. */
static uint32_t parts(struct study *s, const char *text, const char *what, const char **items)
{
    uint32_t count = 0;
    while (*text) {
        const size_t length = strcspn(text, ",");
        if (count == NADI_BANDWIDTH_WORKLOADS || length == 0) {
            (void)nadi_error(s->diags, "optimize/list", NADI_NOWHERE, NULL,
                             "1 to %d %s with commas between are wanted", NADI_BANDWIDTH_WORKLOADS,
                             what);
            return 0;
        }
        items[count++] = nadi_arena_printf(&s->arena, "%.*s", (int)length, text);
        text += length + (text[length] == ',');
    }
    return count;
}

static struct nadi_study_setup setup_of(const struct study *s)
{
    return (struct nadi_study_setup){
        .model = s->o->model, .settings = s->o->settings, .cluster = s->o->cluster};
}

/* What the simulations begin with: the answer without overlap, where there is one. */
static bool read_simulated(struct study *s)
{
    const struct nadi_study_setup setup = setup_of(s);
    struct nadi_diags ignored;
    if (s->goal != NADI_GOAL_TIME || s->o->pareto || s->o->step_gbps > 0 || s->o->weights)
        return nadi_error(s->diags, "optimize/simulate", NADI_NOWHERE,
                          "leave them out, or take another loop",
                          "the loop 'simulate' looks for the shortest step of one model: without "
                          "prices in the goal, --pareto, --step and --weights");
    nadi_diags_init(&ignored);
    s->has_start = nadi_split_of_model(&s->steps[0], &s->network, &setup, &ignored);
    nadi_diags_release(&ignored);
    return true;
}

static bool read_model(struct study *s)
{
    const struct nadi_study_setup setup = setup_of(s);
    if (s->o->workload || s->o->communicators)
        return nadi_error(s->diags, "optimize/workload", NADI_NOWHERE, NULL,
                          "a model or tables of layers, not both");
    s->workloads[0] = s->o->model;
    s->weights[0] = 1;
    s->step_count = 1; /* released in both cases */
    if (s->loop == NADI_LOOP_SIMULATE)
        return read_simulated(s);
    if (s->loop != NADI_LOOP_AUTO && s->loop != NADI_LOOP_NO_OVERLAP)
        return nadi_error(s->diags, "optimize/loop", NADI_NOWHERE,
                          "--loop no-overlap, or --loop simulate",
                          "the step of a model has no other loop");
    return nadi_split_of_model(&s->steps[0], &s->network, &setup, s->diags);
}

static bool read_workloads(struct study *s)
{
    const char *groups[NADI_BANDWIDTH_WORKLOADS] = {NULL}, *weights[NADI_BANDWIDTH_WORKLOADS];
    uint32_t group_count = 0;
    if (s->o->model)
        return read_model(s);
    if (s->loop == NADI_LOOP_SIMULATE)
        return nadi_error(s->diags, "optimize/simulate", NADI_NOWHERE,
                          "--model NAME --set \"tp=8 dp=64\" --cluster NAME",
                          "the loop 'simulate' is of a model, not of tables of layers");
    if (!s->o->workload)
        return nadi_error(s->diags, "optimize/workload", NADI_NOWHERE,
                          "--workload FILE, or --model NAME --set \"tp=8 dp=64\" --cluster NAME",
                          "neither a table of layers nor a model is named");
    const uint32_t count = parts(s, s->o->workload, "workloads", s->workloads);
    if (!count)
        return s->diags->errors || nadi_error(s->diags, "optimize/workload", NADI_NOWHERE, NULL,
                                              "no workload is named");
    if (s->o->communicators) {
        group_count = parts(s, s->o->communicators, "files of communicators", groups);
        if (group_count != 1 && group_count != count)
            return nadi_error(
                s->diags, "optimize/communicators", NADI_NOWHERE, NULL,
                "one file of communicators is wanted, or one for each of %u workloads", count);
    }
    for (; s->step_count < count; s->step_count++) {
        const uint32_t w = s->step_count;
        const struct nadi_text_workload_files files = {
            s->workloads[w], group_count ? groups[group_count == 1 ? 0 : w] : NULL};
        s->weights[w] = 1;
        if (!nadi_bandwidth_read_workload(&s->steps[w], &s->network, &files, s->loop, s->diags)) {
            nadi_split_release(&s->steps[w]);
            return false;
        }
    }
    if (!s->o->weights)
        return true;
    if (parts(s, s->o->weights, "weights", weights) != count)
        return nadi_error(s->diags, "optimize/weights", NADI_NOWHERE, NULL,
                          "a weight for each of %u workloads is wanted", count);
    for (uint32_t w = 0; w < count; w++) {
        char *end;
        s->weights[w] = strtod(weights[w], &end);
        if (*end || !(s->weights[w] > 0) || !(s->weights[w] < HUGE_VAL))
            return nadi_error(s->diags, "optimize/weights", NADI_NOWHERE, NULL,
                              "'%s' is no weight above 0", weights[w]);
    }
    return true;
}

/* The budgets of the rows. */
static bool read_budgets(struct study *s)
{
    double first, last = 0, step = 0;
    if (!s->o->sweep) {
        s->budgets[0] = s->o->budget_gbps > 0 ? s->o->budget_gbps : s->network.budget;
        s->count = 1;
        if (!(s->budgets[0] > 0) && s->goal != NADI_GOAL_COST)
            return nadi_error(s->diags, "optimize/budget", NADI_NOWHERE, "--budget 500GB/s",
                              "the bandwidth to divide is not said");
        return true;
    }
    const char *at = strstr(s->o->sweep, "..");
    char *end;
    first = strtod(s->o->sweep, &end);
    if (at && (end == at || end == at + 1)) { /* "100." is a number too */
        last = strtod(at + 2, &end);
        step = *end == ':' ? strtod(end + 1, &end) : 0;
    }
    if (!at || *end || !(first > 0) || !(last >= first) || !(step > 0) ||
        !((last - first) / step < MOST_ROWS))
        return nadi_error(s->diags, "optimize/sweep", NADI_NOWHERE, "like 100..1000:100, in GB/s",
                          "'%s' is no range of at most %d budgets", s->o->sweep, MOST_ROWS);
    for (uint32_t i = 0; s->count < MOST_ROWS && first + i * step <= last * (1 + 1e-12); i++)
        s->budgets[s->count++] = first + i * step;
    return true;
}

static bool load(struct study *s)
{
    const struct nadi_bandwidth_options *o = s->o;
    s->goal = (enum nadi_bandwidth_goal)nadi_word_index(NADI_WORDS_BANDWIDTH_GOAL, o->goal);
    s->loop = (enum nadi_loop)nadi_word_index(NADI_WORDS_BANDWIDTH_LOOP, o->loop);
    if (!nadi_bandwidth_read_network(&s->network, o->network, &s->arena, s->diags))
        return false;
    if (o->prices && !nadi_bandwidth_read_prices(&s->network, o->prices, o->half_links, s->diags))
        return false;
    if ((s->goal != NADI_GOAL_TIME || o->pareto) && !o->prices)
        return nadi_error(s->diags, "optimize/prices", NADI_NOWHERE, "--prices FILE",
                          "this goal needs prices");
    if (s->goal == NADI_GOAL_COST && !(o->most_time_ns > 0))
        return nadi_error(s->diags, "optimize/time", NADI_NOWHERE, "--most-time 20ms",
                          "the goal 'cost' needs the longest step that is allowed");
    s->conditions.unknowns = s->network.count;
    if (o->conditions &&
        !nadi_bandwidth_conditions(&s->conditions, &s->network, o->conditions, &s->arena, s->diags))
        return false;
    for (uint32_t d = 0; o->least_gbps > 0 && d < s->network.count; d++) {
        struct nadi_linear_row *row = &s->conditions.rows[s->conditions.count];
        if (s->conditions.count >= NADI_LINEAR_ROWS - 4)
            return nadi_error(s->diags, "optimize/condition", NADI_NOWHERE, NULL,
                              "there are too many conditions");
        *row = (struct nadi_linear_row){
            .limit = -o->least_gbps,
            .text = nadi_arena_printf(&s->arena, "b%u >= %g GB/s, the minimum", d, o->least_gbps)};
        row->a[d] = -1;
        s->conditions.count++;
    }
    return read_workloads(s) && read_budgets(s);
}

static bool simulate(struct study *s, const struct nadi_bandwidth_question *q,
                     struct nadi_bandwidth_answer *a)
{
    const struct nadi_study_setup setup = setup_of(s);
    struct nadi_linear conditions = q->conditions;
    if (s->has_start && !nadi_bandwidth_solve(q, a, s->diags))
        return false;
    const struct nadi_split_answer start = a->best;
    nadi_bandwidth_add_budget(&conditions, &s->network, q->budget, true, "the budget");
    const struct nadi_simulated_setup simulated = {
        .network = &s->network,
        .study = &setup,
        .conditions = &conditions,
        .budget = q->budget,
        .start = s->has_start ? start.b : NULL,
    };
    return nadi_split_simulated(a, &simulated, s->diags);
}

static bool solve(struct study *s, struct nadi_bandwidth_question *q, size_t at)
{
    q->budget = s->budgets[at];
    if (s->loop == NADI_LOOP_SIMULATE)
        return simulate(s, q, &s->answers[at]);
    return nadi_bandwidth_solve(q, &s->answers[at], s->diags);
}

/* From the cheapest that can be to the fastest: equal ratios of cost. */
static bool pareto(struct study *s, struct nadi_bandwidth_question *q)
{
    struct nadi_linear l = q->conditions;
    double cost[NADI_BANDWIDTH_DIMS], x[NADI_BANDWIDTH_DIMS], low = 0;
    s->answers = NADI_ZNEW(struct nadi_bandwidth_answer, PARETO_ROWS);
    q->goal = NADI_GOAL_TIME;
    if (!solve(s, q, 0))
        return false;
    const double high = s->answers[0].cost;
    nadi_bandwidth_add_budget(&l, &s->network, q->budget, true, "the budget");
    for (uint32_t d = 0; d < s->network.count; d++)
        cost[d] = s->network.dims[d].cost;
    if (nadi_linear_least(&l, cost, x) == NADI_LINEAR_FOUND)
        for (uint32_t d = 0; d < s->network.count; d++)
            low += cost[d] * x[d];
    struct nadi_linear_row *row = &q->conditions.rows[q->conditions.count++];
    *row = (struct nadi_linear_row){.text = "the cost"};
    memcpy(row->a, cost, sizeof(cost));
    for (s->count = 0; s->count < PARETO_ROWS; s->count++) {
        const double part = (double)(s->count + 1) / PARETO_ROWS;
        s->budgets[s->count] = s->budgets[0];
        row->limit = low * pow(high / low, part);
        if (!solve(s, q, s->count))
            return false;
    }
    return true;
}

static bool answer(struct study *s)
{
    struct nadi_bandwidth_question q = {
        .network = &s->network,
        .steps = s->steps,
        .weights = s->weights,
        .step_count = s->step_count,
        .conditions = s->conditions,
        .goal = s->goal,
        .sum_times = s->o->sum_times != 0,
        .most_ns = s->o->most_time_ns,
        .quantum = s->o->step_gbps,
    };
    if (s->o->pareto)
        return pareto(s, &q);
    s->answers = NADI_ZNEW(struct nadi_bandwidth_answer, s->count);
    for (size_t i = 0; i < s->count; i++)
        if (!solve(s, &q, i))
            return false;
    return true;
}

static bool write(const struct study *s, const char *name, const struct nadi_str *text)
{
    struct nadi_str path = NADI_STR_INIT;
    nadi_str_printf(&path, "%s/%s", s->o->out, name);
    const bool ok =
        nadi_file_write(nadi_str_get(&path), nadi_str_get(text), text->length, s->diags);
    nadi_str_release(&path);
    return ok;
}

static bool write_files(const struct study *s, const struct nadi_bandwidth_rows *rows)
{
    static const struct {
        const char *name;
        void (*put)(const struct nadi_bandwidth_rows *r, struct nadi_str *out);
    } files[] = {
        {"network.yml", nadi_bandwidth_network_file},
        {"bandwidth.csv", nadi_bandwidth_csv},
        {"summary.json", nadi_bandwidth_json},
    };
    bool ok = nadi_file_make_folder(s->o->out, s->diags);
    for (size_t i = rows->count > 1; ok && i < sizeof(files) / sizeof(*files); i++)
        ok = nadi_originals_spare_in(s->o->out, files[i].name, s->diags);
    for (size_t i = 0; ok && i < sizeof(files) / sizeof(*files); i++) {
        struct nadi_str text = NADI_STR_INIT;
        if (rows->count > 1 && i == 0)
            continue; /* a sweep has no one network */
        files[i].put(rows, &text);
        ok = write(s, files[i].name, &text);
        nadi_str_release(&text);
    }
    return ok;
}

enum nadi_status nadi_do_optimize_bandwidth(const struct nadi_bandwidth_options *options,
                                            char **report, struct nadi_diags *messages)
{
    struct study *s = NADI_ZNEW(struct study, 1);
    struct nadi_str text = NADI_STR_INIT;
    s->o = options;
    s->diags = messages;
    nadi_arena_init(&s->arena);
    bool ok = load(s) && answer(s);
    if (ok) {
        const struct nadi_bandwidth_rows rows = {
            .network = &s->network,
            .goal = options->goal,
            .loop = options->loop,
            .workloads = s->workloads,
            .step_count = s->step_count,
            .has_prices = options->prices != NULL,
            .items = s->answers,
            .count = s->count,
        };
        ok = !options->out || write_files(s, &rows);
        if (strcmp(options->form, "json") == 0)
            nadi_bandwidth_json(&rows, &text);
        else if (strcmp(options->form, "csv") == 0)
            nadi_bandwidth_csv(&rows, &text);
        else
            nadi_bandwidth_text(&rows, &text);
    }
    if (ok)
        *report = text.text;
    else
        nadi_str_release(&text);
    for (uint32_t w = 0; w < s->step_count; w++)
        nadi_split_release(&s->steps[w]);
    nadi_mem_free(s->answers);
    nadi_arena_release(&s->arena);
    nadi_mem_free(s);
    return ok ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}
