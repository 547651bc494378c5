#include "partition/cut.h"

#include <float.h>
#include <math.h>

#include "base/mem.h"
#include "base/threads.h"
#include "partition/assign.h"
#include "partition/cut_inside.h"
#include "partition/matrix.h"

#define MOST_COST 1e300

enum { ELIMINATIONS = 2, MEASURED_ROWS = 128 };

struct work { /* that threads share: each takes the next worker */
    const struct nadi_layer_cut *c;
    uint32_t *worker; /* of each unit, as placed now */
    uint8_t **fate;   /* of each block: workers x groups */
    double *cost;     /* units x workers */
    double *own;      /* of each worker: errors and prices of its rows, and its transfers */
    double **weights; /* of each block; NULL: not wanted */
    void (*one)(struct work *w, uint32_t worker);
    uint32_t next;
};

static void share(void *context, unsigned number)
{
    struct work *w = context;
    uint32_t k;
    (void)number;
    while (k = __atomic_fetch_add(&w->next, 1, __ATOMIC_RELAXED), k < w->c->workers)
        w->one(w, k);
}

static void for_each_worker(struct work *w, void (*one)(struct work *, uint32_t))
{
    w->one = one;
    w->next = 0;
    nadi_threads_run(w->c->threads, share, w);
}

/* ---- what a worker's rows can read ----------------------------------------------------------- */

/* With transfers decided, a row reads all that is there, at the price of its weights alone. */
static uint8_t fate_in_row(const struct nadi_layer_cut *c, const struct nadi_cut_block *b,
                           uint32_t group, uint32_t worker, uint8_t decided)
{
    if (c->by_transfer && nadi_cut_is_remote(b, group, worker) && decided != NADI_CUT_STAYS)
        return NADI_CUT_GOES;
    return nadi_cut_price(c, b, group, worker) > 0 ? NADI_CUT_OPEN : NADI_CUT_STAYS;
}

static bool is_small(const struct nadi_layer_cut *c, const struct nadi_cut_block *b)
{
    return !c->by_transfer && b->gram && b->groups <= NADI_CUT_SMALL_GROUPS &&
           b->columns <= NADI_CUT_SMALL_COLUMNS;
}

/* Costs, and weights where wanted, of rows with transfers as decided. */
static void solve_rows(struct nadi_cut_view *v, const uint8_t *decided)
{
    const struct nadi_cut_block *b = v->block;
    double *own = NULL;
    uint8_t *fate = NADI_NEW(uint8_t, b->groups + 1);
    for (uint32_t g = 0; g < b->groups; g++)
        fate[g] = fate_in_row(v->cut, b, g, v->worker, decided[g]);
    v->fate = fate;
    v->by_row = true;
    const bool small = is_small(v->cut, b);
    if (small && !v->weights)
        v->weights = own = NADI_NEW(double, (size_t)v->row_count * b->columns + 1);
    if (b->gram)
        nadi_cut_eliminate(v);
    else
        nadi_cut_threshold(v);
    if (small) {
        double price[NADI_CUT_SMALL_GROUPS];
        for (uint32_t g = 0; g < b->groups; g++)
            price[g] = nadi_cut_price(v->cut, b, g, v->worker);
        for (uint32_t r = 0; r < v->row_count; r++)
            v->cost[r] =
                nadi_cut_search_row(b, v->rows[r], price, v->weights + (size_t)r * b->columns);
    } else if (b->gram && v->weights && (v->cut->lambda > 0 || !v->cut->by_transfer))
        nadi_cut_refit(v);
    nadi_mem_free(fate);
    nadi_mem_free(own);
}

static uint32_t rows_of(const struct work *w, uint32_t block, uint32_t worker, uint32_t *rows)
{
    const struct nadi_cut_block *b = &w->c->blocks[block];
    uint32_t count = 0;
    for (uint32_t r = 0; r < b->rows; r++)
        if (worker == NADI_NONE || w->worker[b->unit[r]] == worker)
            rows[count++] = r;
    return count;
}

/* ---- steps, for one worker ------------------------------------------------------------------- */

/* What all units would cost there. */
static void find_costs(struct work *w, uint32_t k)
{
    for (uint32_t u = 0; u < w->c->units; u++)
        w->cost[(size_t)u * w->c->workers + k] = 0;
    for (uint32_t i = 0; i < w->c->block_count; i++) {
        const struct nadi_cut_block *b = &w->c->blocks[i];
        uint32_t *rows = NADI_NEW(uint32_t, b->rows + 1);
        double *cost = NADI_NEW(double, b->rows + 1);
        struct nadi_cut_view v = {.cut = w->c,
                                  .block = b,
                                  .worker = k,
                                  .rows = rows,
                                  .row_count = rows_of(w, i, NADI_NONE, rows),
                                  .cost = cost};
        solve_rows(&v, w->fate[i] + (size_t)k * b->groups);
        for (uint32_t r = 0; r < b->rows; r++)
            w->cost[(size_t)b->unit[r] * w->c->workers + k] += cost[r];
        nadi_mem_free(rows);
        nadi_mem_free(cost);
    }
}

/* Which transfers its rows are worth. */
static void find_transfers(struct work *w, uint32_t k)
{
    w->own[k] = 0;
    for (uint32_t i = 0; i < w->c->block_count; i++) {
        const struct nadi_cut_block *b = &w->c->blocks[i];
        uint32_t *rows = NADI_NEW(uint32_t, b->rows + 1);
        double *cost = NADI_ZNEW(double, b->rows + 1);
        uint8_t *fate = w->fate[i] + (size_t)k * b->groups;
        const struct nadi_cut_view v = {.cut = w->c,
                                        .block = b,
                                        .worker = k,
                                        .rows = rows,
                                        .row_count = rows_of(w, i, k, rows),
                                        .fate = fate,
                                        .cost = cost};
        for (uint32_t g = 0; g < b->groups; g++)
            fate[g] = nadi_cut_is_remote(b, g, k) ? NADI_CUT_OPEN : NADI_CUT_STAYS;
        if (!b->gram)
            nadi_cut_threshold(&v);
        for (int pass = 0; b->gram && v.row_count && pass < ELIMINATIONS; pass++) {
            for (uint32_t g = 0; g < b->groups; g++) /* once more, now that the others are gone */
                if (nadi_cut_is_remote(b, g, k) && fate[g] == NADI_CUT_STAYS)
                    fate[g] = NADI_CUT_OPEN;
            nadi_cut_eliminate(&v);
        }
        for (uint32_t g = 0; g < b->groups; g++) {
            if (!v.row_count && nadi_cut_is_remote(b, g, k))
                fate[g] = NADI_CUT_GOES;
            if (nadi_cut_is_remote(b, g, k) && fate[g] == NADI_CUT_STAYS)
                w->own[k] += w->c->mu * b->bytes[g];
        }
        for (uint32_t r = 0; r < v.row_count; r++)
            w->own[k] += cost[r];
        nadi_mem_free(rows);
        nadi_mem_free(cost);
    }
}

/* Its rows' weights. */
static void find_weights(struct work *w, uint32_t k)
{
    for (uint32_t i = 0; i < w->c->block_count; i++) {
        const struct nadi_cut_block *b = &w->c->blocks[i];
        uint32_t *rows = NADI_NEW(uint32_t, b->rows + 1);
        double *cost = NADI_NEW(double, b->rows + 1);
        struct nadi_cut_view v = {.cut = w->c,
                                  .block = b,
                                  .worker = k,
                                  .rows = rows,
                                  .row_count = rows_of(w, i, k, rows),
                                  .cost = cost};
        v.weights = NADI_NEW(double, (size_t)v.row_count * b->columns + 1);
        if (v.row_count)
            solve_rows(&v, w->fate[i] + (size_t)k * b->groups);
        for (uint32_t r = 0; r < v.row_count; r++)
            memcpy(w->weights[i] + (size_t)rows[r] * b->columns, v.weights + (size_t)r * b->columns,
                   b->columns * sizeof(double));
        nadi_mem_free(v.weights);
        nadi_mem_free(rows);
        nadi_mem_free(cost);
    }
}

/* ---- placement ------------------------------------------------------------------------------- */

static void assign(struct work *w)
{
    for (size_t i = 0; i < (size_t)w->c->units * w->c->workers; i++)
        if (!(fabs(w->cost[i]) <= MOST_COST)) /* of inputs that overflowed */
            w->cost[i] = MOST_COST;
    (void)nadi_assign_solve(&(struct nadi_assign){.cost = w->cost,
                                                  .capacity = w->c->capacity,
                                                  .rows = w->c->units,
                                                  .workers = w->c->workers},
                            w->worker, NULL);
}

/* By transfers nothing is known of other rows yet: each pays its share of a transfer. */
static void place_first(struct work *w)
{
    const struct nadi_layer_cut *given = w->c;
    struct nadi_layer_cut first = *given;
    struct nadi_cut_block *blocks =
        nadi_mem_copy(given->blocks, given->block_count, sizeof(*blocks));
    const struct nadi_cut_block *b = &blocks[0];
    const double size = b->groups ? b->start[1] - b->start[0] : 1;
    for (uint32_t i = 0; i < given->block_count; i++)
        blocks[i].gram = NULL;
    first.blocks = blocks;
    first.by_transfer = false;
    first.mu = given->mu * (b->groups ? b->bytes[0] : 1) * given->workers / (given->units * size);
    w->c = &first;
    for_each_worker(w, find_costs);
    assign(w);
    w->c = given;
    nadi_mem_free(blocks);
}

static void copy_fates(const struct nadi_layer_cut *c, uint8_t **to, uint8_t *const *from)
{
    for (uint32_t i = 0; i < c->block_count; i++)
        memcpy(to[i], from[i], (size_t)c->workers * c->blocks[i].groups);
}

static uint8_t **new_fates(const struct nadi_layer_cut *c)
{
    uint8_t **fate = NADI_NEW(uint8_t *, c->block_count + 1);
    for (uint32_t i = 0; i < c->block_count; i++)
        fate[i] = NADI_ZNEW(uint8_t, (size_t)c->workers * c->blocks[i].groups + 1);
    return fate;
}

static void free_fates(const struct nadi_layer_cut *c, uint8_t **fate)
{
    for (uint32_t i = 0; i < c->block_count; i++)
        nadi_mem_free(fate[i]);
    nadi_mem_free(fate);
}

/* Transfers and placement in turns; the best of all is kept. */
static void alternate(struct work *w)
{
    const struct nadi_layer_cut *c = w->c;
    uint32_t *best = NADI_NEW(uint32_t, c->units + 1);
    uint8_t **fate = new_fates(c);
    double least = DBL_MAX;
    memcpy(best, w->worker, c->units * sizeof(*best)); /* where costs are no numbers */
    copy_fates(c, fate, w->fate);
    for (uint32_t round = 0; round < c->rounds; round++) {
        double objective = 0;
        for_each_worker(w, find_transfers);
        for (uint32_t k = 0; k < c->workers; k++)
            objective += w->own[k];
        if (!(objective < least - 1e-9 * fabs(least)))
            break;
        least = objective;
        memcpy(best, w->worker, c->units * sizeof(*best));
        copy_fates(c, fate, w->fate);
        if (c->fixed || round + 1 == c->rounds)
            break;
        for_each_worker(w, find_costs);
        assign(w);
    }
    memcpy(w->worker, best, c->units * sizeof(*best));
    copy_fates(c, w->fate, fate);
    free_fates(c, fate);
    nadi_mem_free(best);
}

void nadi_cut_solve(const struct nadi_layer_cut *given, struct nadi_cut_answer *answer)
{
    struct nadi_layer_cut c = *given;
    c.threads = given->threads ? given->threads : nadi_threads_cores(given->workers);
    c.rounds = given->rounds ? given->rounds : 1;
    *answer = (struct nadi_cut_answer){.worker = NADI_ZNEW(uint32_t, c.units + 1),
                                       .weights = NADI_ZNEW(double *, c.block_count + 1)};
    struct work w = {.c = &c,
                     .worker = answer->worker,
                     .fate = new_fates(&c),
                     .cost = NADI_ZNEW(double, (size_t)c.units *c.workers + 1),
                     .own = NADI_ZNEW(double, c.workers),
                     .weights = answer->weights};
    for (uint32_t i = 0; i < c.block_count; i++)
        answer->weights[i] = NADI_ZNEW(double, (size_t)c.blocks[i].rows *c.blocks[i].columns + 1);
    if (c.fixed)
        memcpy(w.worker, c.fixed, c.units * sizeof(*w.worker));
    else if (c.by_transfer)
        place_first(&w);
    else {
        for_each_worker(&w, find_costs);
        assign(&w);
    }
    if (c.by_transfer)
        alternate(&w);
    for_each_worker(&w, find_weights);
    nadi_cut_measure(&c, answer);
    free_fates(&c, w.fate);
    nadi_mem_free(w.cost);
    nadi_mem_free(w.own);
}

void nadi_cut_release(const struct nadi_layer_cut *c, struct nadi_cut_answer *answer)
{
    for (uint32_t i = 0; i < c->block_count; i++)
        nadi_mem_free(answer->weights[i]);
    nadi_mem_free(answer->weights);
    nadi_mem_free(answer->worker);
}

/* ---- the objective --------------------------------------------------------------------------- */

static double row_error(const struct nadi_cut_block *b, const double *e, const double *ge)
{
    double sum = 0;
    for (uint32_t i = 0; i < b->columns; i++)
        sum += e[i] * (b->gram ? ge[i] : e[i] * b->diagonal[i]);
    return sum;
}

static double block_error(const struct nadi_cut_block *b, const double *weights)
{
    const size_t columns = b->columns;
    double *e = NADI_NEW(double, MEASURED_ROWS *columns + 1);
    double *ge = NADI_NEW(double, MEASURED_ROWS *columns + 1);
    double sum = 0;
    for (size_t from = 0; from < b->rows; from += MEASURED_ROWS) {
        const size_t count = nadi_min_u64(MEASURED_ROWS, b->rows - from);
        for (size_t i = 0; i < count * columns; i++)
            e[i] = weights[from * columns + i] - b->weights[from * columns + i];
        memset(ge, 0, count * columns * sizeof(*ge));
        if (b->gram)
            nadi_matrix_add_plain(ge, e, b->gram, count, columns, columns);
        for (size_t r = 0; r < count; r++)
            sum += row_error(b, e + r * columns, ge + r * columns);
    }
    nadi_mem_free(e);
    nadi_mem_free(ge);
    return sum;
}

static bool is_used(const struct nadi_cut_block *b, const double *row, uint32_t group)
{
    for (uint32_t i = b->start[group]; i < b->start[group + 1]; i++)
        if (row[i] > 0 || row[i] < 0)
            return true;
    return false;
}

static void count_group(const struct nadi_layer_cut *c, uint32_t block, uint32_t group,
                        struct nadi_cut_answer *a, bool *sent)
{
    const struct nadi_cut_block *b = &c->blocks[block];
    const uint32_t size = b->start[group + 1] - b->start[group];
    memset(sent, 0, c->workers);
    for (uint32_t r = 0; r < b->rows; r++) {
        if (!is_used(b, a->weights[block] + (size_t)r * b->columns, group))
            continue;
        const uint32_t k = a->worker[b->unit[r]];
        a->kept += size;
        if (!c->by_transfer && b->owner[group] != NADI_NONE && b->owner[group] != k)
            a->crosses += size;
        if (c->by_transfer && nadi_cut_is_remote(b, group, k) && !sent[k]) {
            sent[k] = true;
            a->crosses += b->bytes[group];
        }
    }
}

void nadi_cut_measure(const struct nadi_layer_cut *c, struct nadi_cut_answer *answer)
{
    bool *sent = NADI_NEW(bool, c->workers);
    answer->error = answer->crosses = 0;
    answer->kept = 0;
    for (uint32_t i = 0; i < c->block_count; i++) {
        const struct nadi_cut_block *b = &c->blocks[i];
        answer->error += block_error(b, answer->weights[i]);
        for (uint32_t g = 0; g < b->groups - b->constant; g++)
            count_group(c, i, g, answer, sent);
    }
    answer->objective = answer->error + c->lambda * (double)answer->kept + c->mu * answer->crosses;
    nadi_mem_free(sent);
}
