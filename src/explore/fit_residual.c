/* fit_residual: what the figures leave of a kind on so many ranks, in place or not, by size.
 *
 * At each size the mean of ln(measured / figures); between sizes comm/platform.h interpolates. */
#include <math.h>

#include "base/mem.h"
#include "explore/fit.h"

#define MOST_FACTOR 20.0 /* more than that is no efficiency but a broken measurement */

struct knot {
    double bytes, sum;
    uint32_t count;
};

struct knots {
    struct knot *items;
    size_t count, capacity;
};

static void add(struct knots *k, double bytes, double left)
{
    size_t at = k->count;
    for (size_t i = 0; i < k->count; i++)
        if (fabs(k->items[i].bytes / bytes - 1) < 1e-6) {
            k->items[i].sum += left;
            k->items[i].count++;
            return;
        }
    NADI_PUSH(k, (struct knot){.bytes = bytes});
    for (; at > 0 && k->items[at - 1].bytes > bytes; at--)
        k->items[at] = k->items[at - 1];
    k->items[at] = (struct knot){.bytes = bytes, .sum = left, .count = 1};
}

static void add_residual(struct nadi_fit *f, const struct nadi_comm_case *c, struct knots *k)
{
    struct nadi_comm_residual *r = &f->platform.residuals[f->platform.residual_count++];
    *r = (struct nadi_comm_residual){
        .kind = c->kind,
        .ranks = c->ranks,
        .in_place = c->in_place,
        .count = (uint32_t)k->count,
        .bytes = NADI_ARENA_NEW(&f->arena, double, k->count),
        .factor = NADI_ARENA_NEW(&f->arena, double, k->count),
    };
    for (size_t i = 0; i < k->count; i++) {
        r->bytes[i] = k->items[i].bytes;
        r->factor[i] =
            fmin(fmax(exp(k->items[i].sum / k->items[i].count), 1 / MOST_FACTOR), MOST_FACTOR);
    }
}

static bool same_case(const struct nadi_fit_point *a, const struct nadi_fit_point *b)
{
    return a->used && b->used && a->call.kind == b->call.kind && a->call.ranks == b->call.ranks &&
           a->call.in_place == b->call.in_place && a->call.algorithm == NADI_COMM_AUTO &&
           b->call.algorithm == NADI_COMM_AUTO;
}

void nadi_fit_residuals(struct nadi_fit *f)
{
    f->platform.residuals = NADI_ARENA_NEW(&f->arena, struct nadi_comm_residual, f->count);
    f->platform.residual_count = 0;
    for (size_t first = 0; first < f->count; first++) {
        struct knots k = {NULL, 0, 0};
        bool seen = !same_case(&f->points[first], &f->points[first]);
        for (size_t i = 0; i < first && !seen; i++)
            seen = same_case(&f->points[i], &f->points[first]);
        for (size_t i = first; i < f->count && !seen; i++)
            if (same_case(&f->points[i], &f->points[first]))
                add(&k, f->points[i].call.bytes, log(f->points[i].us / f->points[i].plain_us));
        if (k.count > 2)
            add_residual(f, &f->points[first].call, &k);
        nadi_mem_free(k.items);
    }
}
