/* cut_search: rows of few inputs, searched further. */
#include <math.h>

#include "partition/cut_inside.h"
#include "partition/matrix.h"

struct search {
    const struct nadi_cut_block *b;
    const double *row, *price;
    double w[NADI_CUT_SMALL_COLUMNS]; /* of the last support that was tried */
};

/* The weights of least squares on the columns of a support, and what it costs. With S the support
 * and D what goes, w_S = W_S + G_SS^-1 G_SD W_D. */
static double cost_of(struct search *s, uint32_t support)
{
    const struct nadi_cut_block *b = s->b;
    uint32_t in[NADI_CUT_SMALL_COLUMNS], count = 0;
    double u[NADI_CUT_SMALL_COLUMNS * NADI_CUT_SMALL_COLUMNS], x[NADI_CUT_SMALL_COLUMNS];
    double error[NADI_CUT_SMALL_COLUMNS], cost = 0, trace = 0;
    for (uint32_t g = 0; g < b->groups; g++)
        for (uint32_t i = b->start[g]; i < b->start[g + 1]; i++) {
            const bool is_in = support >> g & 1;
            if (is_in)
                in[count++] = i;
            s->w[i] = 0;
            error[i] = is_in ? 0 : -s->row[i];
            trace += b->gram[(size_t)i * b->columns + i];
        }
    for (uint32_t g = 0; g < b->groups; g++)
        cost += support >> g & 1 ? s->price[g] : 0;
    for (uint32_t i = 0; i < count; i++) {
        x[i] = 0;
        for (uint32_t m = 0; m < b->columns; m++)
            x[i] -= b->gram[(size_t)in[i] * b->columns + m] * error[m];
        for (uint32_t m = i; m < count; m++)
            u[i * count + m] = b->gram[(size_t)in[i] * b->columns + in[m]];
    }
    nadi_matrix_factor(u, count, 1e-12 * trace / b->columns);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t m = 0; m < i; m++)
            x[i] -= u[m * count + i] * x[m];
        x[i] /= u[i * count + i];
    }
    for (uint32_t i = count; i-- > 0;) {
        for (uint32_t m = i + 1; m < count; m++)
            x[i] -= u[i * count + m] * x[m];
        x[i] /= u[i * count + i];
        error[in[i]] = x[i];
        s->w[in[i]] = s->row[in[i]] + x[i];
    }
    for (uint32_t i = 0; i < b->columns; i++)
        for (uint32_t m = 0; m < b->columns; m++)
            cost += error[i] * b->gram[(size_t)i * b->columns + m] * error[m];
    return cost;
}

/* The best of all supports that differ in one group, or in one of each kind; the same if none is
 * better. */
static uint32_t best_move(struct search *s, uint32_t support, uint32_t open, double *cost)
{
    uint32_t best = support;
    for (uint32_t g = 0; g < s->b->groups; g++)
        for (uint32_t h = g; h < s->b->groups; h++) {
            const uint32_t flip = 1U << g | 1U << h;
            if ((flip & open) != flip || (g != h && (support >> g & 1) == (support >> h & 1)))
                continue;
            const double other = cost_of(s, support ^ flip);
            if (other < *cost - 1e-12 * fabs(*cost)) {
                *cost = other;
                best = support ^ flip;
            }
        }
    return best;
}

static uint32_t descend(struct search *s, uint32_t support, uint32_t open, double *cost)
{
    *cost = cost_of(s, support);
    while (true) {
        const uint32_t next = best_move(s, support, open, cost);
        if (next == support)
            return support;
        support = next;
    }
}

double nadi_cut_search_row(const struct nadi_cut_block *b, uint32_t row, const double *price,
                           double *weights)
{
    struct search s = {.b = b, .row = b->weights + (size_t)row * b->columns, .price = price};
    const uint32_t stays = ((1U << b->constant) - 1) << (b->groups - b->constant);
    const uint32_t all = (1U << b->groups) - 1;
    uint32_t starts[4] = {stays, stays, stays, all}, best = 0;
    double least = INFINITY;
    for (uint32_t g = 0; g < b->groups; g++) {
        double energy = 0;
        for (uint32_t i = b->start[g]; i < b->start[g + 1]; i++) {
            energy += s.row[i] * s.row[i] * b->diagonal[i];
            if (weights[i] > 0 || weights[i] < 0)
                starts[0] |= 1U << g;
        }
        if (energy > price[g])
            starts[1] |= 1U << g;
    }
    for (int i = 0; i < 4; i++) {
        double cost;
        const uint32_t found = descend(&s, starts[i], all & ~stays, &cost);
        if (cost < least) {
            least = cost;
            best = found;
        }
    }
    least = cost_of(&s, best);
    memcpy(weights, s.w, b->columns * sizeof(*weights));
    return least;
}
