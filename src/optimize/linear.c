#include "optimize/linear.h"

#include "base/mem.h"

#include <math.h>

/* ---- simplex ------------------------------------------------------------------------------- */

enum { COLUMNS = NADI_LINEAR_UNKNOWNS + 2 * NADI_LINEAR_ROWS };

#define TINY 1e-11

struct tableau {
    uint32_t unknowns, columns, lines; /* columns without the right side */
    uint32_t basis[NADI_LINEAR_ROWS];
    bool banned[COLUMNS];
    double v[]; /* by line, the last is the objective; the last column is the right side */
};

static double *line_of(struct tableau *t, uint32_t line)
{
    return t->v + (size_t)line * (t->columns + 1);
}

static void pivot(struct tableau *t, uint32_t line, uint32_t column)
{
    double *own = line_of(t, line);
    const double by = own[column];
    for (uint32_t c = 0; c <= t->columns; c++)
        own[c] /= by;
    for (uint32_t l = 0; l <= t->lines; l++) {
        double *other = line_of(t, l);
        const double times = other[column];
        if (l == line || fabs(times) < 1e-300)
            continue;
        for (uint32_t c = 0; c <= t->columns; c++)
            other[c] -= times * own[c];
        other[column] = 0;
    }
    t->basis[line] = column;
}

/* The line that limits the column first, by Bland; NADI_NONE: none does. */
static uint32_t leaving(struct tableau *t, uint32_t column)
{
    uint32_t best = NADI_NONE;
    double least = 0;
    for (uint32_t l = 0; l < t->lines; l++) {
        const double *line = line_of(t, l);
        if (line[column] < TINY)
            continue;
        const double ratio = line[t->columns] / line[column];
        if (best == NADI_NONE || ratio < least - TINY ||
            (ratio < least + TINY && t->basis[l] < t->basis[best])) {
            best = l;
            least = ratio;
        }
    }
    return best;
}

/* Makes the objective's line least; false: it has no least value. */
static bool descend(struct tableau *t)
{
    const double *objective = line_of(t, t->lines);
    for (;;) {
        uint32_t column = 0;
        while (column < t->columns && (t->banned[column] || objective[column] > -TINY))
            column++;
        if (column == t->columns)
            return true;
        const uint32_t line = leaving(t, column);
        if (line == NADI_NONE)
            return false;
        pivot(t, line, column);
    }
}

/* The objective's line for costs c of all columns, in terms of what is not in the basis. */
static void price(struct tableau *t, const double *c)
{
    double *objective = line_of(t, t->lines);
    memcpy(objective, c, t->columns * sizeof(*c));
    objective[t->columns] = 0;
    for (uint32_t l = 0; l < t->lines; l++) {
        const double times = c[t->basis[l]], *line = line_of(t, l);
        for (uint32_t k = 0; k <= t->columns; k++)
            objective[k] -= times * line[k];
    }
}

static double largest(const struct nadi_linear_row *row, uint32_t unknowns)
{
    double most = 0;
    for (uint32_t i = 0; i < unknowns; i++)
        most = fmax(most, fabs(row->a[i]));
    return most;
}

/* Lines with a slack each where they are inequalities, and an artificial unknown each. Returns the
 * largest right side. */
static double set_up(struct tableau *t, const struct nadi_linear *l)
{
    double size = 1;
    for (uint32_t r = 0; r < l->count; r++) {
        const struct nadi_linear_row *row = &l->rows[r];
        double *line = line_of(t, r);
        const double most = largest(row, l->unknowns), scale = most > 0 ? most : 1;
        const double sign = row->limit < 0 ? -1 : 1;
        for (uint32_t i = 0; i < l->unknowns; i++)
            line[i] = sign * row->a[i] / scale;
        if (!row->equal)
            line[l->unknowns + r] = sign;
        line[l->unknowns + l->count + r] = 1;
        line[t->columns] = sign * row->limit / scale;
        size = fmax(size, line[t->columns]);
        t->basis[r] = l->unknowns + l->count + r;
    }
    return size;
}

/* Artificial unknowns leave the basis where another column can take their place. */
static void retire(struct tableau *t, uint32_t first)
{
    for (uint32_t k = first; k < t->columns; k++)
        t->banned[k] = true;
    for (uint32_t l = 0; l < t->lines; l++) {
        if (t->basis[l] < first)
            continue;
        for (uint32_t k = 0; k < first; k++)
            if (fabs(line_of(t, l)[k]) > 1e-9) {
                pivot(t, l, k);
                break;
            }
    }
}

static enum nadi_linear_end least(struct tableau *t, const struct nadi_linear *l, const double *c,
                                  double *x)
{
    double costs[COLUMNS] = {0}, most = 0;
    const double size = set_up(t, l);
    const uint32_t artificial = l->unknowns + l->count;
    for (uint32_t k = artificial; k < t->columns; k++)
        costs[k] = 1;
    price(t, costs);
    if (!descend(t) || -line_of(t, t->lines)[t->columns] > 1e-9 * size)
        return NADI_LINEAR_IMPOSSIBLE;
    retire(t, artificial);
    memset(costs, 0, sizeof(costs));
    for (uint32_t i = 0; i < l->unknowns; i++)
        most = fmax(most, fabs(c[i]));
    for (uint32_t i = 0; i < l->unknowns; i++)
        costs[i] = most > 0 ? c[i] / most : 0;
    price(t, costs);
    const bool ends = descend(t);
    memset(x, 0, l->unknowns * sizeof(*x));
    for (uint32_t k = 0; k < t->lines; k++)
        if (t->basis[k] < l->unknowns)
            x[t->basis[k]] = fmax(0, line_of(t, k)[t->columns]);
    return ends ? NADI_LINEAR_FOUND : NADI_LINEAR_UNBOUNDED;
}

enum nadi_linear_end nadi_linear_least(const struct nadi_linear *l, const double *c, double *x)
{
    const uint32_t columns = l->unknowns + 2 * l->count;
    struct tableau *t =
        nadi_mem_zalloc(1, sizeof(*t) + (size_t)(l->count + 1) * (columns + 1) * sizeof(*t->v));
    t->unknowns = l->unknowns;
    t->lines = l->count;
    t->columns = columns;
    const enum nadi_linear_end end = least(t, l, c, x);
    nadi_mem_free(t);
    return end;
}

/* ---- a point inside ------------------------------------------------------------------------ */

/* The condition's slack at x, in units of its largest coefficient. */
static double slack_of(const struct nadi_linear_row *row, uint32_t unknowns, const double *x)
{
    double left = row->limit;
    for (uint32_t i = 0; i < unknowns; i++)
        left -= row->a[i] * x[i];
    const double most = largest(row, unknowns);
    return most > 0 ? left / most : left;
}

/* The mean of points that leave the most room, each to one condition or one unknown: it leaves room
 * to all that can have any. */
static bool most_room(const struct nadi_linear *l, struct nadi_linear_inside *in)
{
    double mean[NADI_LINEAR_UNKNOWNS] = {0}, x[NADI_LINEAR_UNKNOWNS], c[NADI_LINEAR_UNKNOWNS];
    uint32_t points = 0;
    double size = 0;
    struct nadi_linear bounded = *l; /* for what has no bound */
    for (uint32_t r = 0; r < l->count; r++)
        size = fmax(size, fabs(l->rows[r].limit) / fmax(largest(&l->rows[r], l->unknowns), 1e-300));
    if (bounded.count < NADI_LINEAR_ROWS) {
        struct nadi_linear_row *far = &bounded.rows[bounded.count++];
        *far = (struct nadi_linear_row){.limit = 10 * l->unknowns * fmax(size, 1)};
        for (uint32_t i = 0; i < l->unknowns; i++)
            far->a[i] = 1;
    }
    for (uint32_t k = 0; k < l->count + l->unknowns; k++) {
        memset(c, 0, sizeof(c));
        if (k < l->count)
            memcpy(c, l->rows[k].a, sizeof(c));
        else
            c[k - l->count] = -1;
        enum nadi_linear_end end = nadi_linear_least(l, c, x);
        if (end == NADI_LINEAR_UNBOUNDED)
            end = nadi_linear_least(&bounded, c, x);
        if (end == NADI_LINEAR_IMPOSSIBLE)
            return false;
        const double room = k < l->count ? slack_of(&l->rows[k], l->unknowns, x) : x[k - l->count];
        const bool none = room <= 1e-9 * fmax(size, 1e-300);
        if (k < l->count)
            in->fixed[k] = l->rows[k].equal || none;
        else
            in->zero[k - l->count] = none;
        for (uint32_t i = 0; i < l->unknowns; i++)
            mean[i] += x[i];
        points++;
    }
    for (uint32_t i = 0; i < l->unknowns; i++)
        in->origin[i] = in->zero[i] ? 0 : mean[i] / points;
    return true;
}

/* Solves what is fixed for as many unknowns as it has independent lines; the others are free. */
static void span(const struct nadi_linear *l, struct nadi_linear_inside *in)
{
    double m[NADI_LINEAR_ROWS + NADI_LINEAR_UNKNOWNS][NADI_LINEAR_UNKNOWNS];
    uint32_t lines = 0, rank = 0, of_line[NADI_LINEAR_UNKNOWNS];
    bool bound[NADI_LINEAR_UNKNOWNS] = {false};
    for (uint32_t r = 0; r < l->count; r++) {
        const double most = largest(&l->rows[r], l->unknowns);
        if (in->fixed[r] && most > 0) {
            for (uint32_t i = 0; i < l->unknowns; i++)
                m[lines][i] = l->rows[r].a[i] / most;
            lines++;
        }
    }
    for (uint32_t i = 0; i < l->unknowns; i++)
        if (in->zero[i]) {
            memset(m[lines], 0, sizeof(m[lines]));
            m[lines++][i] = 1;
        }
    while (rank < lines && rank < l->unknowns) {
        uint32_t line = rank, column = 0;
        for (uint32_t k = rank; k < lines; k++)
            for (uint32_t i = 0; i < l->unknowns; i++)
                if (fabs(m[k][i]) > fabs(m[line][column])) {
                    line = k;
                    column = i;
                }
        if (fabs(m[line][column]) < 1e-9)
            break;
        for (uint32_t i = 0; i < l->unknowns; i++) {
            const double swap = m[line][i];
            m[line][i] = m[rank][i];
            m[rank][i] = swap;
        }
        const double by = m[rank][column];
        for (uint32_t i = 0; i < l->unknowns; i++)
            m[rank][i] /= by;
        for (uint32_t k = 0; k < lines; k++) {
            const double times = m[k][column];
            for (uint32_t i = 0; k != rank && i < l->unknowns; i++)
                m[k][i] -= times * m[rank][i];
        }
        bound[column] = true;
        of_line[rank++] = column;
    }
    in->free = 0;
    memset(in->basis, 0, sizeof(in->basis));
    for (uint32_t i = 0; i < l->unknowns; i++) {
        if (bound[i])
            continue;
        in->basis[i][in->free] = 1;
        for (uint32_t k = 0; k < rank; k++)
            in->basis[of_line[k]][in->free] = -m[k][i];
        in->free++;
    }
}

bool nadi_linear_inside(const struct nadi_linear *l, struct nadi_linear_inside *in)
{
    memset(in, 0, sizeof(*in));
    in->unknowns = l->unknowns;
    if (!most_room(l, in))
        return false;
    span(l, in);
    return true;
}

uint32_t nadi_linear_conflict(const struct nadi_linear *l, uint32_t *rows)
{
    const double nothing[NADI_LINEAR_UNKNOWNS] = {0};
    double x[NADI_LINEAR_UNKNOWNS];
    struct nadi_linear left = *l;
    if (nadi_linear_least(l, nothing, x) != NADI_LINEAR_IMPOSSIBLE)
        return 0;
    for (uint32_t r = 0; r < l->count; r++)
        rows[r] = r;
    for (uint32_t r = left.count; r-- > 0;) {
        struct nadi_linear without = left;
        memmove(without.rows + r, without.rows + r + 1,
                (left.count - r - 1) * sizeof(*without.rows));
        without.count--;
        if (nadi_linear_least(&without, nothing, x) != NADI_LINEAR_IMPOSSIBLE)
            continue;
        memmove(rows + r, rows + r + 1, (left.count - r - 1) * sizeof(*rows));
        left = without;
    }
    return left.count;
}
