/* repro_libra: splits of bandwidth over dimensions: those that a published artifact ships, and the
 * answers for the public repository's inputs, of which none are published: those stand beside ours
 * as another solver (multi-start over the same model) found them. */
#include "api/repro.h"

#include "optimize/bandwidth.h"

#include <math.h>

static const char *const letters[] = {"17B", "175B", "1T"};

struct ask {
    const char *network, *communicators, *prices, *conditions;
    const char *tables[3];
    uint32_t table_count;
    bool half, sum_times;
    enum nadi_loop loop;
    enum nadi_bandwidth_goal goal;
    double budget;
};

struct solved {
    struct nadi_bandwidth_network network;
    struct nadi_split steps[3];
    struct nadi_bandwidth_answer answer;
};

static void release(struct solved *s)
{
    for (uint32_t w = 0; w < 3; w++)
        nadi_split_release(&s->steps[w]);
}

static bool solve(struct nadi_repro *r, const struct ask *ask, struct solved *s)
{
    static const double weights[] = {1, 1, 1};
    struct nadi_bandwidth_question q = {.network = &s->network,
                                        .steps = s->steps,
                                        .weights = weights,
                                        .step_count = ask->table_count,
                                        .budget = ask->budget,
                                        .goal = ask->goal,
                                        .sum_times = ask->sum_times};
    memset(s, 0, sizeof(*s));
    bool ok =
        nadi_bandwidth_read_network(&s->network, ask->network, &r->arena, r->diags) &&
        (!ask->prices || nadi_bandwidth_read_prices(&s->network, ask->prices, ask->half, r->diags));
    q.conditions.unknowns = s->network.count;
    ok =
        ok && (!ask->conditions || nadi_bandwidth_conditions(&q.conditions, &s->network,
                                                             ask->conditions, &r->arena, r->diags));
    for (uint32_t w = 0; ok && w < ask->table_count; w++) {
        const struct nadi_text_workload_files files = {ask->tables[w], ask->communicators};
        ok = nadi_bandwidth_read_workload(&s->steps[w], &s->network, &files, ask->loop, r->diags);
    }
    return ok && nadi_bandwidth_solve(&q, &s->answer, r->diags);
}

static const char *in(struct nadi_repro *r, const char *path, const char *name, const char *end)
{
    return nadi_arena_printf(&r->arena, "%s/%s%s%s", r->inputs, path, name, end);
}

static const char *label(struct nadi_repro *r, const char *what, const char *network,
                         const char *model, uint32_t dim)
{
    return nadi_arena_printf(&r->arena, "%s, %s, %s, b%u", what, network, model, dim);
}

/* Every bandwidth within so many GB/s; of a study that fails no row is shown. time_ns: of the first
 * table at the answer, or NULL. */
static bool bandwidths(struct nadi_repro *r, const struct ask *ask, const double *published,
                       const char *what, const char *network, const char *model, double within,
                       double *time_ns)
{
    struct solved s;
    const bool ok = solve(r, ask, &s);
    for (uint32_t d = 0; d < s.network.count; d++)
        nadi_repro_number(r, label(r, what, network, model, d), published[d],
                          round(s.answer.best.b[d] * 100) / 100, "GB/s", within / published[d]);
    if (time_ns)
        *time_ns = s.answer.time_ns[0];
    release(&s);
    return ok;
}

/* ---- the artifact: 1,024 NPUs, 100 GB/s ------------------------------------------------------ */

static struct ask artifact(struct nadi_repro *r, const char *network, const char *model)
{
    return (struct ask){
        .network = in(r, "sc22/optimizer_input/network/", network, ".json"),
        .prices = in(r, "sc22/optimizer_input/cost/", "cost", ".json"),
        .half = true,
        .tables = {in(r, "sc22/optimizer_input/workload/transformer_", model, ".txt")},
        .table_count = 1,
        .loop = NADI_LOOP_RECOMPUTE,
        .budget = 100,
    };
}

static const char *const artifact_networks[] = {"2d", "3d", "4d"};

static bool least_times(struct nadi_repro *r)
{
    static const double published[3][3][4] = {
        {{87.58, 12.42}, {81.92, 18.08}, {87.18, 12.82}},
        {{87.55, 10.96, 1.49}, {81.92, 13.77, 4.31}, {78.06, 9.76, 12.18}},
        {{50.03, 43.77, 5.49, .71}, {43.96, 38.47, 15.62, 1.95}, {44.28, 38.74, 4.85, 12.14}},
    };
    bool ok = true;
    for (uint32_t n = 0; n < 3; n++)
        for (uint32_t w = 0; ok && w < 3; w++) {
            const struct ask ask = artifact(r, artifact_networks[n], letters[w]);
            ok = bandwidths(r, &ask, published[n][w], "least time", artifact_networks[n],
                            letters[w], 0.05, NULL);
        }
    return ok;
}

/* Ours against the published point: time multiplied by cost. The point's bandwidths are rounded to
 * 0.01 GB/s, and made to sum up to the budget. */
static void compare_value(struct nadi_repro *r, const struct solved *s, const double *published,
                          const char *network, const char *model)
{
    double sum = 0, cost = 0, b[NADI_BANDWIDTH_DIMS] = {0};
    for (uint32_t d = 0; d < s->network.count; d++)
        sum += published[d];
    for (uint32_t d = 0; d < s->network.count; d++) {
        b[d] = published[d] * 100 / sum;
        cost += b[d] * s->network.dims[d].cost;
    }
    const double theirs = nadi_split_time(&s->steps[0], b) * cost;
    const double ours = s->answer.time_ns[0] * s->answer.cost;
    nadi_repro_word(r,
                    nadi_arena_printf(&r->arena, "time x cost, %s, %s: ours is %.4f %% of theirs",
                                      network, model, 100 * ours / theirs),
                    "at most 100.02 %", ours <= theirs * 1.0002 ? "at most 100.02 %" : "more");
}

static bool best_values(struct nadi_repro *r)
{
    static const double published[3][3][4] = {
        {{98.46, 1.54}, {96.59, 3.41}, {92.22, 7.78}},
        {{0}, {92.46, 6.61, .93}, {87.18, 10.91, 1.91}},
        {{87.44, 11.02, 1.39, .16}, {58.91, 36.65, 3.96, .48}, {49.57, 43.36, 5.42, 1.65}},
    };
    bool ok = true;
    for (uint32_t n = 0; n < 3; n++)
        for (uint32_t w = 0; ok && w < 3; w++) {
            struct ask ask = artifact(r, artifact_networks[n], letters[w]);
            struct solved s;
            if (!(published[n][w][0] > 0))
                continue; /* flat: the published point is not told */
            ask.goal = NADI_GOAL_TIME_COST;
            ok = solve(r, &ask, &s);
            if (ok)
                compare_value(r, &s, published[n][w], artifact_networks[n], letters[w]);
            release(&s);
        }
    return ok;
}

static bool group(struct nadi_repro *r)
{
    static const double published[3][4] = {
        {84.48, 15.52}, {80.95, 10.80, 8.25}, {43.09, 37.71, 11.25, 7.95}};
    bool ok = true;
    for (uint32_t n = 0; ok && n < 3; n++) {
        struct ask ask = artifact(r, artifact_networks[n], letters[0]);
        for (uint32_t w = 0; w < 3; w++)
            ask.tables[w] = in(r, "sc22/optimizer_input/workload/transformer_", letters[w], ".txt");
        ask.table_count = 3;
        ask.sum_times = true;
        ok = bandwidths(r, &ask, published[n], "least sum of times", artifact_networks[n],
                        "all three", 1, NULL);
    }
    return ok;
}

/* ---- the artifact's 4D system at 325 GB/s -----------------------------------------------------
 */

static bool loops(struct nadi_repro *r)
{
    static const struct {
        const char *model, *word;
        enum nadi_loop loop;
        double b[4];
    } rows[] = {
        {"175B", "recompute", NADI_LOOP_RECOMPUTE, {142.88, 125.02, 50.76, 6.34}},
        {"175B", "overlap-recompute", NADI_LOOP_OVERLAP_RECOMPUTE, {136.30, 119.26, 61.72, 7.72}},
        {"175B", "no-overlap", NADI_LOOP_NO_OVERLAP, {137.99, 120.74, 58.91, 7.36}},
        {"175B", "overlap", NADI_LOOP_OVERLAP, {125.22, 109.57, 80.19, 10.02}},
        {"1T", "recompute", NADI_LOOP_RECOMPUTE, {143.90, 125.91, 15.74, 39.44}},
        {"1T", "overlap-recompute", NADI_LOOP_OVERLAP_RECOMPUTE, {144.04, 126.03, 15.75, 39.18}},
        {"1T", "no-overlap", NADI_LOOP_NO_OVERLAP, {140.46, 122.90, 15.36, 46.27}},
        {"1T", "overlap", NADI_LOOP_OVERLAP, {139.76, 122.29, 15.29, 47.66}},
    };
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof(rows) / sizeof(*rows); i++) {
        struct ask ask = artifact(r, "4d", rows[i].model);
        ask.loop = rows[i].loop;
        ask.budget = 325;
        ok = bandwidths(r, &ask, rows[i].b, rows[i].word, "4d at 325 GB/s", rows[i].model, 0.05,
                        NULL);
    }
    return ok;
}

/* ---- the repository: 4,096 NPUs, 500 GB/s ------------------------------------------------------
 */

static struct ask repository(struct nadi_repro *r, const char *dims, const char *model)
{
    const bool capitals = strcmp(model, "Turing_NLG") == 0; /* Turing_NLG_3D.yml */
    const char *end =
        dims[0] == '3' ? (capitals ? "_3D.yml" : "_3d.yml") : (capitals ? "_4D.yml" : "_4d.yml");
    return (struct ask){
        .network = in(r, "network/", dims, "_network.yml"),
        .communicators = in(r, "communicator/", model, end),
        .prices = in(r, "cost_model/", dims, "_cost_model.yml"),
        .tables = {in(r, "workload/", model, ".txt")},
        .table_count = 1,
        .loop = NADI_LOOP_NO_OVERLAP,
        .budget = 500,
    };
}

static bool repositories(struct nadi_repro *r)
{
    static const struct {
        const char *dims, *model;
        double time_us, cost, value_us, value_cost; /* of the fastest; of the best value */
    } rows[] = {
        {"3d", "ResNet_50", 1299.3, 9019902, 1299.3, 9019902},
        {"3d", "Turing_NLG", 330625.6, 9019902, 337870.4, 8460479},
        {"3d", "GPT_3", 727440.0, 10916095, 759035.1, 8710209},
        {"3d", "MSFT_1T", 209686.3, 24454488, 247944.9, 10164661},
        {"4d", "ResNet_50", 1299.3, 5947152, 1413.1, 5284279},
        {"4d", "Turing_NLG", 330625.6, 5947152, 349821.9, 4379875},
        {"4d", "GPT_3", 722411.8, 9527128, 813451.8, 4868006},
        {"4d", "MSFT_1T", 209686.3, 21818709, 268830.0, 6477408},
    };
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof(rows) / sizeof(*rows); i++) {
        struct ask ask = repository(r, rows[i].dims, rows[i].model);
        struct solved s;
        ok = solve(r, &ask, &s);
        if (ok)
            nadi_repro_number(
                r, nadi_arena_printf(&r->arena, "least time, %s, %s", rows[i].dims, rows[i].model),
                rows[i].time_us, s.answer.time_ns[0] / 1e3, "us", 5e-5);
        release(&s);
        ask.goal = NADI_GOAL_TIME_COST;
        ok = ok && solve(r, &ask, &s);
        if (ok)
            nadi_repro_number(
                r, nadi_arena_printf(&r->arena, "time x cost, %s, %s", rows[i].dims, rows[i].model),
                rows[i].value_us * rows[i].value_cost / 1e6,
                s.answer.time_ns[0] / 1e3 * s.answer.cost / 1e6, "$ s", 2e-4);
        release(&s);
    }
    return ok;
}

static bool conditions(struct nadi_repro *r)
{
    static const double b[] = {500, 300, 151.18, 48.82};
    struct ask ask = repository(r, "4d", "GPT_3");
    double time_ns;
    ask.budget = 1000;
    ask.conditions = "b0 == 500, b0 >= b1 >= b2, b2 + b3 == 200";
    const bool ok = bandwidths(r, &ask, b, "with conditions", "4d", "GPT_3", 0.05, &time_ns);
    nadi_repro_number(r, "with conditions, 4d, GPT_3", 708438.7, time_ns / 1e3, "us", 1e-6);
    return ok;
}

bool nadi_repro_libra(struct nadi_repro *r)
{
    return least_times(r) && best_values(r) && group(r) && loops(r) && repositories(r) &&
           conditions(r);
}
