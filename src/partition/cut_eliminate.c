/* cut_eliminate: inputs taken away one by one.
 *
 * With the groups in an order, G = U'U and e = w' - w, the error |e|^2 in the metric G is the sum
 * of z_i^2, z = U e, and z_i depends on e_i and later ones only. From the last group to the first,
 * a group that stays makes its z zero, which costs nothing; one that goes has e = -w and leaves its
 * z^2. The earlier groups are still open and make up for it as well as they can: z^2 is exactly
 * what is lost then. So groups that certainly stay come first, the others by falling energy. */
#include "partition/cut_inside.h"

#include <math.h>

#include "base/mem.h"
#include "partition/matrix.h"

enum { BLOCK = 64 };

struct pass {
    const struct nadi_cut_view *v;
    uint32_t *order;  /* groups */
    uint32_t *column; /* of each place in the order */
    uint32_t *from;   /* groups + 1: first place of each group of the order */
    double *factor;   /* columns x columns */
    double *e;        /* columns x rows: w until the place is settled */
    double *z;        /* columns of a block x rows */
    double *drop;     /* of each row: what is lost if the group goes */
};

struct ranked {
    double key;
    uint32_t group;
};

static int by_key(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->key < y->key || x->key > y->key)
        return x->key < y->key ? -1 : 1;
    return x->group < y->group ? -1 : x->group > y->group;
}

static void set_order(struct pass *p)
{
    const struct nadi_cut_view *v = p->v;
    const struct nadi_cut_block *b = v->block;
    struct ranked *ranked = NADI_NEW(struct ranked, b->groups + 1);
    for (uint32_t g = 0; g < b->groups; g++) {
        double energy = 0;
        for (uint32_t i = b->start[g]; i < b->start[g + 1]; i++) {
            double sum = 0;
            for (uint32_t r = 0; r < v->row_count; r++) {
                const double w = b->weights[(size_t)v->rows[r] * b->columns + i];
                sum += w * w;
            }
            energy += sum * b->diagonal[i];
        }
        const bool stays = v->fate[g] == NADI_CUT_STAYS, goes = v->fate[g] == NADI_CUT_GOES;
        ranked[g] = (struct ranked){stays  ? -(double)INFINITY
                                    : goes ? (double)INFINITY
                                           : -energy,
                                    g};
    }
    qsort(ranked, b->groups, sizeof(*ranked), by_key);
    uint32_t place = 0;
    for (uint32_t g = 0; g < b->groups; g++) {
        p->order[g] = ranked[g].group;
        p->from[g] = place;
        for (uint32_t i = b->start[ranked[g].group]; i < b->start[ranked[g].group + 1]; i++)
            p->column[place++] = i;
    }
    p->from[b->groups] = place;
    nadi_mem_free(ranked);
}

static void set_factor(struct pass *p)
{
    const struct nadi_cut_block *b = p->v->block;
    double trace = 0;
    for (uint32_t i = 0; i < b->columns; i++) {
        const double *row = b->gram + (size_t)p->column[i] * b->columns;
        double *to = p->factor + (size_t)i * b->columns;
        for (uint32_t m = i; m < b->columns; m++)
            to[m] = row[p->column[m]];
        trace += to[i];
    }
    nadi_matrix_factor(p->factor, b->columns, 1e-12 * trace / b->columns);
}

/* z of the places at..end, as far as those of from..to decide it. */
static void add_later(struct pass *p, uint32_t at, uint32_t end, uint32_t from, uint32_t to)
{
    const size_t columns = p->v->block->columns, rows = p->v->row_count;
    nadi_matrix_add_product(&(struct nadi_product){.c = p->z,
                                                   .a = p->factor + at * columns + from,
                                                   .b = p->e + from * rows,
                                                   .c_step = rows,
                                                   .b_step = rows,
                                                   .row_step = columns,
                                                   .inner_step = 1,
                                                   .rows = end - at,
                                                   .inner = to - from,
                                                   .columns = rows,
                                                   .sign = 1});
}

static void begin_block(struct pass *p, uint32_t from, uint32_t to)
{
    memset(p->z, 0, (to - from) * (size_t)p->v->row_count * sizeof(*p->z));
    add_later(p, from, to, to, (uint32_t)p->v->block->columns);
}

static void set_weights(struct pass *p)
{
    const struct nadi_cut_view *v = p->v;
    for (uint32_t r = 0; r < v->row_count; r++) {
        const double *row = v->block->weights + (size_t)v->rows[r] * v->block->columns;
        for (size_t i = 0; i < v->block->columns; i++)
            p->e[i * v->row_count + r] = row[p->column[i]];
    }
}

/* The loss of each row if places from..to go; `base` is the first place of the block. */
static void find_drop(struct pass *p, uint32_t from, uint32_t to, uint32_t base)
{
    const size_t columns = p->v->block->columns, rows = p->v->row_count;
    for (uint32_t r = 0; r < rows; r++) {
        double sum = 0;
        for (uint32_t i = from; i < to; i++) {
            double z = p->z[(i - base) * rows + r];
            for (uint32_t m = i; m < to; m++)
                z -= p->factor[i * columns + m] * p->e[m * rows + r];
            sum += z * z;
        }
        p->drop[r] = sum;
    }
}

/* A group's e, which the earlier places of the block then know. */
static void settle(struct pass *p, uint32_t row, uint32_t from, uint32_t to, uint32_t base,
                   bool goes)
{
    const size_t columns = p->v->block->columns, rows = p->v->row_count;
    for (uint32_t i = to; i-- > from;) {
        double z = p->z[(i - base) * rows + row];
        for (uint32_t m = i + 1; m < to; m++)
            z += p->factor[i * columns + m] * p->e[m * rows + row];
        double *e = &p->e[i * rows + row];
        *e = goes ? -*e : -z / p->factor[i * columns + i];
    }
}

static void decide(struct pass *p, uint32_t place, uint32_t base)
{
    const struct nadi_cut_view *v = p->v;
    const uint32_t group = p->order[place], from = p->from[place], to = p->from[place + 1];
    const double price = nadi_cut_price(v->cut, v->block, group, v->worker);
    uint8_t fate = v->fate[group];
    if (fate != NADI_CUT_STAYS)
        find_drop(p, from, to, base);
    if (fate == NADI_CUT_OPEN && !v->by_row) {
        double lost = 0;
        for (uint32_t r = 0; r < v->row_count; r++)
            lost += fmax(0, p->drop[r] - price);
        fate = lost > v->cut->mu * v->block->bytes[group] ? NADI_CUT_STAYS : NADI_CUT_GOES;
        v->fate[group] = fate;
    }
    for (uint32_t r = 0; r < v->row_count; r++) {
        const bool goes = fate == NADI_CUT_GOES || (fate == NADI_CUT_OPEN && p->drop[r] <= price);
        settle(p, r, from, to, base, goes);
        v->cost[r] += goes ? p->drop[r] : price;
    }
    add_later(p, base, from, from, to);
}

static void hand_over(const struct pass *p)
{
    const struct nadi_cut_view *v = p->v;
    const size_t columns = v->block->columns;
    for (uint32_t r = 0; r < v->row_count; r++) {
        const double *row = v->block->weights + v->rows[r] * columns;
        for (size_t i = 0; i < columns; i++)
            v->weights[r * columns + p->column[i]] = row[p->column[i]] + p->e[i * v->row_count + r];
    }
}

void nadi_cut_eliminate(const struct nadi_cut_view *v)
{
    const struct nadi_cut_block *b = v->block;
    const size_t columns = b->columns, rows = v->row_count;
    uint32_t widest = 1;
    for (uint32_t g = 0; g < b->groups; g++)
        if (b->start[g + 1] - b->start[g] > widest)
            widest = b->start[g + 1] - b->start[g];
    struct pass p = {.v = v,
                     .order = NADI_NEW(uint32_t, b->groups + 1),
                     .column = NADI_NEW(uint32_t, columns + 1),
                     .from = NADI_NEW(uint32_t, b->groups + 1),
                     .factor = NADI_NEW(double, columns *columns + 1),
                     .e = NADI_NEW(double, columns *rows + 1),
                     .z = NADI_NEW(double, (BLOCK + widest) * rows + 1),
                     .drop = NADI_NEW(double, rows + 1)};
    set_order(&p);
    set_factor(&p);
    set_weights(&p);
    for (uint32_t r = 0; r < rows; r++)
        v->cost[r] = 0;
    for (uint32_t end = b->groups; end > 0;) {
        uint32_t first = end - 1;
        while (first > 0 && p.from[end] - p.from[first - 1] <= BLOCK)
            first--;
        begin_block(&p, p.from[first], p.from[end]);
        for (uint32_t place = end; place-- > first;)
            decide(&p, place, p.from[first]);
        end = first;
    }
    if (v->weights)
        hand_over(&p);
    nadi_mem_free(p.order);
    nadi_mem_free(p.column);
    nadi_mem_free(p.from);
    nadi_mem_free(p.factor);
    nadi_mem_free(p.e);
    nadi_mem_free(p.z);
    nadi_mem_free(p.drop);
}
