#include "partition/assign.h"

#include <math.h>

#include "base/mem.h"

struct column { /* a worker and the rows that it has */
    uint32_t *rows;
    uint32_t count, capacity;
    double price, distance;
    uint32_t by; /* the row that moves here on the shortest path */
    bool scanned;
};

struct state {
    const double *cost;
    uint32_t workers;
    struct column *columns;
    uint32_t *worker, *slot; /* of each row: NADI_NONE while it has none; its index in `rows` */
};

/* The nearest column that was not scanned yet; the first of equals. */
static uint32_t nearest(const struct state *s)
{
    uint32_t best = NADI_NONE;
    for (uint32_t k = 0; k < s->workers; k++)
        if (!s->columns[k].scanned &&
            (best == NADI_NONE || s->columns[k].distance < s->columns[best].distance))
            best = k;
    return best;
}

/* Every row of column k may move on to another column. */
static void scan(struct state *s, uint32_t k)
{
    const struct column *from = &s->columns[k];
    for (uint32_t i = 0; i < from->count; i++) {
        const uint32_t row = from->rows[i];
        const double *cost = s->cost + (size_t)row * s->workers;
        const double base = from->distance - (cost[k] - from->price);
        for (uint32_t m = 0; m < s->workers; m++) {
            struct column *to = &s->columns[m];
            const double distance = base + (cost[m] - to->price);
            if (!to->scanned && distance < to->distance) {
                to->distance = distance;
                to->by = row;
            }
        }
    }
}

static void put(struct state *s, uint32_t row, uint32_t k)
{
    struct column *c = &s->columns[k];
    s->worker[row] = k;
    s->slot[row] = c->count;
    c->rows[c->count++] = row;
}

static void take(struct state *s, uint32_t row)
{
    struct column *c = &s->columns[s->worker[row]];
    const uint32_t last = c->rows[--c->count];
    c->rows[s->slot[row]] = last;
    s->slot[last] = s->slot[row];
}

static void place_row(struct state *s, uint32_t row)
{
    const double *cost = s->cost + (size_t)row * s->workers;
    for (uint32_t k = 0; k < s->workers; k++) {
        struct column *c = &s->columns[k];
        c->distance = cost[k] - c->price;
        c->by = row;
        c->scanned = false;
    }
    uint32_t end;
    while (end = nearest(s), s->columns[end].count == s->columns[end].capacity) {
        s->columns[end].scanned = true;
        scan(s, end);
    }
    const double shortest = s->columns[end].distance;
    for (uint32_t k = 0; k < s->workers; k++)
        if (s->columns[k].scanned)
            s->columns[k].price += s->columns[k].distance - shortest;
    for (uint32_t moved = NADI_NONE; moved != row;) {
        moved = s->columns[end].by;
        const uint32_t from = s->worker[moved];
        if (moved != row)
            take(s, moved);
        put(s, moved, end);
        end = from;
    }
}

static double solve_block(const struct nadi_assign *a, uint32_t *worker, double *price)
{
    struct state s = {.cost = a->cost,
                      .workers = a->workers,
                      .columns = NADI_ZNEW(struct column, a->workers),
                      .worker = worker,
                      .slot = NADI_NEW(uint32_t, a->rows)};
    uint64_t room = 0;
    double sum = 0;
    for (uint32_t k = 0; k < a->workers; k++) {
        s.columns[k].capacity = a->capacity[k] < a->rows ? a->capacity[k] : a->rows;
        s.columns[k].rows = NADI_NEW(uint32_t, (size_t)s.columns[k].capacity + 1);
        room += a->capacity[k];
    }
    NADI_ASSERT(room >= a->rows);
    for (uint32_t row = 0; row < a->rows; row++)
        worker[row] = NADI_NONE;
    for (uint32_t row = 0; row < a->rows; row++)
        place_row(&s, row);
    for (uint32_t row = 0; row < a->rows; row++)
        sum += a->cost[(size_t)row * a->workers + worker[row]];
    for (uint32_t k = 0; k < a->workers; k++) {
        if (price)
            price[k] = s.columns[k].price;
        nadi_mem_free(s.columns[k].rows);
    }
    nadi_mem_free(s.columns);
    nadi_mem_free(s.slot);
    return sum;
}

double nadi_assign_solve(const struct nadi_assign *a, uint32_t *worker, double *price)
{
    if (a->rows <= NADI_ASSIGN_MOST)
        return solve_block(a, worker, price);
    uint32_t *left = nadi_mem_copy(a->capacity, a->workers, sizeof(*left));
    uint32_t *share = NADI_NEW(uint32_t, a->workers);
    double sum = 0;
    for (uint32_t row = 0; row < a->rows;) {
        const uint32_t rest = a->rows - row;
        const uint32_t count = rest < NADI_ASSIGN_MOST ? rest : NADI_ASSIGN_MOST;
        struct nadi_assign part = {a->cost + (size_t)row * a->workers, share, count, a->workers};
        for (uint32_t k = 0; k < a->workers; k++) /* of what is left, rounded up */
            share[k] = (uint32_t)(((uint64_t)left[k] * count + rest - 1) / rest);
        sum += solve_block(&part, worker + row, price);
        for (uint32_t i = 0; i < count; i++)
            left[worker[row + i]]--;
        row += count;
    }
    nadi_mem_free(left);
    nadi_mem_free(share);
    return sum;
}
