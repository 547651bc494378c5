/* cut_threshold: with a diagonal G a weight stays if its energy exceeds its price. */
#include <math.h>

#include "base/mem.h"
#include "partition/cut_inside.h"

static double energy_of(const struct nadi_cut_block *b, uint32_t row, uint32_t group)
{
    const double *w = b->weights + (size_t)row * b->columns;
    double sum = 0;
    for (uint32_t i = b->start[group]; i < b->start[group + 1]; i++)
        sum += w[i] * w[i] * b->diagonal[i];
    return sum;
}

/* Is the group worth its transfer to the rows of the view? */
static uint8_t decide(const struct nadi_cut_view *v, uint32_t group, double price)
{
    double lost = 0;
    for (uint32_t r = 0; r < v->row_count; r++)
        lost += fmax(0, energy_of(v->block, v->rows[r], group) - price);
    return lost > v->cut->mu * v->block->bytes[group] ? NADI_CUT_STAYS : NADI_CUT_GOES;
}

void nadi_cut_threshold(const struct nadi_cut_view *v)
{
    const struct nadi_cut_block *b = v->block;
    double *price = NADI_NEW(double, b->groups + 1);
    for (uint32_t g = 0; g < b->groups; g++) {
        price[g] = nadi_cut_price(v->cut, b, g, v->worker);
        if (v->fate[g] == NADI_CUT_OPEN && !v->by_row)
            v->fate[g] = decide(v, g, price[g]);
    }
    for (uint32_t r = 0; r < v->row_count; r++) {
        const double *w = b->weights + (size_t)v->rows[r] * b->columns;
        double cost = 0;
        for (uint32_t g = 0; g < b->groups; g++) {
            const double energy = v->fate[g] == NADI_CUT_STAYS ? 0 : energy_of(b, v->rows[r], g);
            const bool goes = v->fate[g] == NADI_CUT_GOES ||
                              (v->fate[g] == NADI_CUT_OPEN && !(energy > price[g]));
            cost += goes ? energy : price[g];
            for (uint32_t i = b->start[g]; v->weights && i < b->start[g + 1]; i++)
                v->weights[(size_t)r * b->columns + i] = goes ? 0 : w[i];
        }
        v->cost[r] = cost;
    }
    nadi_mem_free(price);
}
