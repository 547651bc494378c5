#include "calibrate/fit.h"

#include <math.h>

#include "base/mem.h"
#include "base/search.h"
#include "base/time.h"
#include "nccl/nccl_tables.h"

#define IMPOSSIBLE  10.0 /* times as fast as the links: no other machine of the kind is */
#define LEAST_ERROR 0.04
#define LOSS_KNEE   2.0
#define POOR        0.5 /* usual residual from where the platform is doubted */

double nadi_fit_loss(double z)
{
    return 2 * LOSS_KNEE * LOSS_KNEE * (sqrt(1 + z * z / (LOSS_KNEE * LOSS_KNEE)) - 1);
}

static const char *const hold_words[] = {
    [NADI_FIT_ALL] = "none",
    [NADI_FIT_HALF] = "half",
    [NADI_FIT_OTHER_HALF] = "other-half",
    [NADI_FIT_THIRD] = "third",
    [NADI_FIT_RANDOM] = "random",
    [NADI_FIT_SMALL] = "small",
    [NADI_FIT_LARGE] = "large",
    [NADI_FIT_ALL_REDUCE] = "all-reduce",
};

enum nadi_fit_hold nadi_fit_hold_of(const char *word)
{
    for (size_t i = 0; word && i < sizeof(hold_words) / sizeof(hold_words[0]); i++)
        if (nadi_str_equal(word, hold_words[i]))
            return (enum nadi_fit_hold)i;
    return NADI_FIT_ALL;
}

bool nadi_fit_hold_by_table(enum nadi_fit_hold hold)
{
    return hold != NADI_FIT_ALL && hold != NADI_FIT_ALL_REDUCE;
}

/* ---- points -------------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

struct sizes { /* the distinct sizes of a table, ascending */
    double *items;
    uint32_t count;
};

static struct sizes sizes_of(const struct nadi_bench_table *t)
{
    struct sizes s = {.items = NADI_NEW(double, t->count)};
    for (size_t i = 0; i < t->count; i++)
        s.items[i] = t->rows[i].bytes;
    if (t->count)
        qsort(s.items, t->count, sizeof(*s.items), by_value);
    for (size_t i = 0; i < t->count; i++)
        if (s.count == 0 || s.items[i] - s.items[s.count - 1] > 0.5)
            s.items[s.count++] = s.items[i];
    return s;
}

static uint32_t index_of(const struct sizes *s, double bytes)
{
    NADI_BISECT(uint32_t, after, 1, s->count, i, s->items[i] <= bytes + 0.5);
    return after - 1;
}

/* Of sizes 2 k and 2 k + 1 one, by a hash of the table's ranks and k. */
static bool by_chance(const struct nadi_bench_table *t, uint32_t index)
{
    uint64_t hash = (index / 2 + 1) * 0x9e3779b97f4a7c15U + t->ranks + t->line;
    hash = (hash ^ (hash >> 31)) * 0xbf58476d1ce4e5b9U;
    return ((hash >> 40) & 1) == index % 2;
}

static uint32_t most_ranks(const struct nadi_bench_log *log)
{
    uint32_t most = 0;
    for (size_t t = 0; t < log->count; t++)
        if (log->tables[t].kind == NADI_COMM_ALL_REDUCE && log->tables[t].ranks > most)
            most = log->tables[t].ranks;
    return most;
}

static bool is_used(const struct nadi_bench_log *log, const struct nadi_bench_table *t,
                    const struct sizes *sizes, const struct nadi_bench_row *row,
                    enum nadi_fit_hold hold)
{
    const uint32_t index = index_of(sizes, row->bytes);
    switch (hold) {
    case NADI_FIT_ALL:
        return true;
    case NADI_FIT_HALF:
        return index % 2 == 0;
    case NADI_FIT_OTHER_HALF:
        return index % 2 == 1;
    case NADI_FIT_THIRD:
        return index % 3 == 0;
    case NADI_FIT_RANDOM:
        return by_chance(t, index);
    case NADI_FIT_SMALL:
        return 2 * index >= sizes->count;
    case NADI_FIT_LARGE:
        return 2 * index < sizes->count;
    case NADI_FIT_ALL_REDUCE:
        return t->kind == NADI_COMM_ALL_REDUCE && t->ranks == most_ranks(log);
    }
    NADI_BUG("unknown hold-out");
}

double nadi_fit_least_us(const struct nadi_comm_platform *p, const struct nadi_bench_table *t,
                         double bytes, uint32_t nodes)
{
    const double n = t->ranks, g = n / nodes;
    const bool all = t->kind == NADI_COMM_ALL_GATHER || t->kind == NADI_COMM_REDUCE_SCATTER;
    const bool parts = all || t->kind == NADI_COMM_ALL_TO_ALL || t->kind == NADI_COMM_GATHER ||
                       t->kind == NADI_COMM_SCATTER;
    const double link = nadi_comm_link_rate(p, (uint32_t)g);
    if (nodes == 1)
        return (parts ? (n - 1) / n : 1) * bytes / link * 1e6;
    if (!*t->nic)
        return 0;
    const double out = t->kind == NADI_COMM_ALL_TO_ALL ? (n - g) / n * g : parts ? (n - g) / n : 1;
    return out * bytes / nadi_comm_nic_rate(p, (uint32_t)g) * 1e6;
}

/* A time that no link of the platform comes near: a wrong unit, or another machine. */
static bool is_impossible(const struct nadi_fit *f, const struct nadi_bench_table *t,
                          const struct nadi_bench_row *row, struct nadi_diags *diags)
{
    const struct nadi_comm_case c = {.ranks = t->ranks, .nodes = t->nodes};
    const double least =
        nadi_fit_least_us(&f->prior, t, row->bytes, nadi_comm_nodes(&f->prior, &c));
    if (row->time_us * IMPOSSIBLE >= least)
        return false;
    struct nadi_place place = NADI_IN_FILE(t->path);
    place.line = row->line;
    nadi_warning(diags, "fit/impossible", place, "is its unit right?",
                 "%.3g us for %.0f B is more than %.0f times as fast as the links of '%s'; the row "
                 "is left out",
                 row->time_us, row->bytes, IMPOSSIBLE, f->prior.name);
    return true;
}

static void add_points(struct nadi_fit *f, enum nadi_fit_hold hold, struct nadi_diags *diags)
{
    size_t most = 0;
    for (size_t t = 0; t < f->log->count; t++)
        most += f->log->tables[t].count;
    f->points = NADI_ARENA_ZNEW(&f->arena, struct nadi_fit_point, most);
    for (size_t i = 0; i < f->log->count; i++) {
        const struct nadi_bench_table *t = &f->log->tables[i];
        const struct sizes sizes = sizes_of(t);
        for (size_t k = 0; k < t->count; k++) {
            const struct nadi_bench_row *row = &t->rows[k];
            if (is_impossible(f, t, row, diags))
                continue;
            struct nadi_fit_point *p = &f->points[f->count++];
            *p = (struct nadi_fit_point){
                .call = {.kind = t->kind,
                         .ranks = t->ranks,
                         .nodes = t->nodes,
                         .bytes = row->bytes,
                         .partners = t->partners,
                         .algorithm = nadi_bench_algorithm(t),
                         .calls = nadi_bench_calls(t),
                         .launches = t->launches,
                         .version = nadi_nccl_version_of(t->library),
                         .in_place = row->in_place},
                .us = row->time_us,
                .error = hypot(LEAST_ERROR, row->rounding),
                .table = (uint32_t)i,
                .line = row->line,
                .used = is_used(f->log, t, &sizes, row, hold),
            };
            p->call.unaligned = nadi_comm_unaligned(&p->call);
            const struct nadi_comm_time time = nadi_comm_predict(&f->prior, &p->call);
            p->algorithm = time.algorithm;
            p->protocol = time.protocol;
            f->used += p->used;
        }
        nadi_mem_free(sizes.items);
    }
}

/* plain_us of every point */
static void fit_predict(struct nadi_fit *f)
{
    for (size_t i = 0; i < f->count; i++) {
        struct nadi_comm_time time;
        struct nadi_fit_point *p = &f->points[i];
        const bool runs =
            nadi_comm_time_of(&f->platform, &p->call, p->algorithm, p->protocol, &time);
        NADI_ASSERT(runs);
        p->plain_us = time.ns / 1e3;
    }
}

/* ---- what is left -------------------------------------------------------------------------- */

/* 1.48 times the median of the absolute residuals: a deviation that outliers do not move. */
static void find_scale(struct nadi_fit *f)
{
    double *left = NADI_NEW(double, f->used);
    size_t n = 0;
    for (size_t i = 0; i < f->count; i++)
        if (f->points[i].used)
            left[n++] = fabs(log(f->points[i].plain_us / f->points[i].us));
    qsort(left, n, sizeof(*left), by_value);
    f->scale = fmax(1.4826 * left[nadi_quantile_index(n, 0.5)], 0.01);
    nadi_mem_free(left);
    for (size_t i = 0; i < f->count; i++) {
        struct nadi_fit_point *p = &f->points[i];
        p->outlier = p->used && fabs(log(p->plain_us / p->us)) > 4 * hypot(f->scale, p->error);
    }
}

double nadi_fit_low(const struct nadi_fit *f, int figure)
{
    return fmax(f->platform.value[figure] * exp(-1.96 * f->deviation[figure]),
                nadi_comm_figure_about((enum nadi_comm_figure)figure)->low);
}

double nadi_fit_high(const struct nadi_fit *f, int figure)
{
    return fmin(f->platform.value[figure] * exp(1.96 * f->deviation[figure]),
                nadi_comm_figure_about((enum nadi_comm_figure)figure)->high);
}

static void add_intervals(struct nadi_fit *f)
{
    f->platform.intervals = NADI_ARENA_NEW(&f->arena, struct nadi_comm_interval, NADI_FIGURES);
    f->platform.interval_count = 0;
    for (int k = 0; k < NADI_FIGURES; k++) {
        if (!(f->platform.value[k] > 0))
            continue;
        f->platform.intervals[f->platform.interval_count++] = (struct nadi_comm_interval){
            .figure = (enum nadi_comm_figure)k,
            .low = nadi_fit_low(f, k),
            .high = nadi_fit_high(f, k),
        };
    }
}

static void predict_all(struct nadi_fit *f)
{
    for (size_t i = 0; i < f->count; i++)
        f->points[i].fitted_us = nadi_comm_predict(&f->platform, &f->points[i].call).ns / 1e3;
}

/* Whether the platform has the algorithm for the table's collective, by any protocol. */
static bool can_run(const struct nadi_comm_platform *p, const struct nadi_bench_table *t,
                    enum nadi_comm_algorithm algorithm)
{
    struct nadi_comm_time time;
    for (size_t i = 0; i < t->count; i++) {
        const struct nadi_comm_case c = {.kind = t->kind,
                                         .ranks = t->ranks,
                                         .nodes = t->nodes,
                                         .bytes = t->rows[i].bytes,
                                         .partners = t->partners,
                                         .algorithm = algorithm};
        for (int k = 0; k < NADI_COMM_PROTOCOLS; k++)
            if (nadi_comm_time_of(p, &c, algorithm, (enum nadi_comm_protocol)k, &time))
                return true;
    }
    return t->count == 0;
}

static bool check_tables(const struct nadi_fit *f, struct nadi_diags *diags)
{
    for (size_t i = 0; i < f->log->count; i++) {
        const struct nadi_bench_table *t = &f->log->tables[i];
        struct nadi_place place = NADI_IN_FILE(t->path);
        place.line = t->line;
        const struct nadi_comm_case c = {.ranks = t->ranks, .nodes = t->nodes};
        const uint32_t nodes = nadi_comm_nodes(&f->prior, &c);
        if (t->nodes && t->nodes < nodes)
            return nadi_error(diags, "fit/nodes", place,
                              "is it this platform, and so many nodes? --platform, --nodes; nodes "
                              "of more need a platform file of their own, with 'gpus-per-node'",
                              "%u ranks on %u node%s, but a node of '%s' has %u accelerators",
                              t->ranks, t->nodes, t->nodes == 1 ? "" : "s", f->prior.name,
                              f->prior.gpus_per_node);
        if (nodes > 1 && f->prior.nics == 0)
            return nadi_error(diags, "fit/nics", place, "give a platform with NICs",
                              "%u ranks need several nodes of '%s', which has no NICs", t->ranks,
                              f->prior.name);
        const enum nadi_comm_algorithm told = nadi_bench_algorithm(t);
        if (told != NADI_COMM_AUTO && !can_run(&f->prior, t, told))
            return nadi_error(diags, "fit/algorithm", place,
                              "is it this platform, and so many ranks? --platform, --ranks",
                              "'%s' cannot run %s of %u ranks with %s", f->prior.name,
                              nadi_comm_kind_name(t->kind), t->ranks,
                              nadi_comm_algorithm_name(told));
    }
    return true;
}

bool nadi_fit_run(struct nadi_fit *f, const struct nadi_comm_platform *prior,
                  const struct nadi_bench_log *log, enum nadi_fit_hold hold,
                  struct nadi_diags *diags)
{
    *f = (struct nadi_fit){.log = log, .prior = *prior};
    nadi_arena_init(&f->arena);
    f->prior.residual_count = f->prior.crossover_count = 0;
    f->platform = f->prior;
    if (!check_tables(f, diags))
        return false;
    add_points(f, hold, diags);
    if (f->used < 3)
        return nadi_error(diags, "fit/points",
                          NADI_IN_FILE(log->count ? log->tables[0].path : "logs"), NULL,
                          "%zu size%s too few to fit", f->used, f->used == 1 ? " is" : "s are");
    nadi_fit_solve(f);
    for (int round = 0; round < 2 && nadi_fit_crossovers(f); round++)
        nadi_fit_solve(f);
    fit_predict(f);
    find_scale(f);
    if (f->scale > POOR)
        nadi_warning(
            diags, "fit/poor", NADI_IN_FILE(log->tables[0].path),
            "is it this platform, and so many ranks? --platform, --ranks, --nodes",
            "no figures near those of '%s' explain the times: they are usually %.0f %% off",
            f->prior.name, f->scale * 100);
    nadi_fit_residuals(f);
    add_intervals(f);
    predict_all(f);
    return true;
}

void nadi_fit_release(struct nadi_fit *f)
{
    nadi_arena_release(&f->arena);
}

struct nadi_fit_errors nadi_fit_errors(const struct nadi_fit *f, uint32_t table, bool used,
                                       double least, double most)
{
    struct nadi_fit_errors e = {.count = 0};
    for (size_t i = 0; i < f->count; i++) {
        const struct nadi_fit_point *p = &f->points[i];
        if (p->used != used || (table != NADI_NONE && p->table != table) || p->call.bytes < least ||
            p->call.bytes >= most)
            continue;
        const double error = p->fitted_us / p->us - 1;
        e.count++;
        e.mean += fabs(error);
        e.bias += error;
        e.worst = fmax(e.worst, fabs(error));
    }
    if (e.count) {
        e.mean /= (double)e.count;
        e.bias /= (double)e.count;
    }
    return e;
}
