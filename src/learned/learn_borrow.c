/* learn_borrow: what one family never varied, another one may have.
 *
 * A pipeline of a job that spans servers has other groups than one that does not, and is of another
 * family; its kernels are the same. Where a law of another family for the same operator, by its
 * name, says all that was seen here, and knows more features, it is taken. */
#include "base/mem.h"
#include "learned/learn.h"

#include <math.h>

struct nadi_learned_record { /* a law and what it was fitted to */
    uint32_t symbol, figure; /* of the vocabulary */
    uint32_t family;
    struct nadi_law law;
    struct nadi_law **members; /* laws of cells that are this one */
    uint32_t member_count, count;
    double *features, *values; /* by sample, `width` features each */
    uint32_t width;
    struct nadi_learned_record *next; /* of the same symbol and figure */
};

void nadi_learn_record(struct nadi_learned_records *r, const struct nadi_learned_seen *seen)
{
    const uint32_t width = nadi_learned_feature_count(seen->family);
    struct nadi_learned_record *fresh = NADI_ARENA_ZNEW(&r->arena, struct nadi_learned_record, 1);
    *fresh = (struct nadi_learned_record){.symbol = seen->symbol,
                                          .figure = seen->figure,
                                          .family = (uint32_t)(seen->family - r->model->families),
                                          .law = *seen->members[0],
                                          .member_count = seen->member_count,
                                          .count = seen->count,
                                          .width = width};
    fresh->members = NADI_ARENA_NEW(&r->arena, struct nadi_law *, seen->member_count);
    memcpy(fresh->members, seen->members, seen->member_count * sizeof(struct nadi_law *));
    fresh->features = NADI_ARENA_NEW(&r->arena, double, (size_t)seen->count *width);
    fresh->values = NADI_ARENA_NEW(&r->arena, double, seen->count);
    memcpy(fresh->values, seen->values, seen->count * sizeof(double));
    for (uint32_t i = 0; i < seen->count; i++)
        memcpy(fresh->features + (size_t)i * width, seen->features[i], width * sizeof(double));
    NADI_PUSH(&r->list, fresh);
}

/* Name of a feature, the same in all families; stages, layers of a stage and places have none. */
static void feature_name(const struct nadi_learned_family *f, uint32_t feature, char name[48])
{
    uint32_t at = 0;
    for (uint32_t a = 0; a < f->axis_count; a++)
        if (!f->staged[a] && at++ == feature) {
            snprintf(name, 48, "axis %s", f->axes[a]);
            return;
        }
    if (feature > at && feature <= at + f->label_count)
        snprintf(name, 48, "label %s", f->labels[feature - at - 1]);
    else
        snprintf(name, 48, "%d", (int)feature - (int)at - (feature > at ? (int)f->label_count : 0));
}

/* The same feature in another family; NADI_NONE: it has none. */
static uint32_t same_feature(const struct nadi_learned_family *from, uint32_t feature,
                             const struct nadi_learned_family *to)
{
    char wanted[48], name[48];
    feature_name(from, feature, wanted);
    for (uint32_t i = 0; i < nadi_learned_feature_count(to); i++) {
        feature_name(to, i, name);
        if (strcmp(name, wanted) == 0)
            return i;
    }
    return NADI_NONE;
}

static bool uses(const struct nadi_law *law, uint32_t feature)
{
    for (uint32_t v = 0; v < law->used; v++)
        if (law->var[v] == feature)
            return true;
    return false;
}

/* `law` of `a` in terms of b's features, if it says what was seen there and knows more. */
static bool fits(const struct nadi_learned_model *m, const struct nadi_learned_record *a,
                 const struct nadi_learned_record *b, struct nadi_law *law)
{
    *law = a->law;
    for (uint32_t v = 0; v < law->used; v++) {
        const uint32_t at =
            same_feature(&m->families[a->family], law->var[v], &m->families[b->family]);
        if (at == NADI_NONE)
            return false;
        law->var[v] = (uint8_t)at;
    }
    for (uint32_t v = 0; v < b->law.used; v++)
        if (!uses(law, b->law.var[v]))
            return false;
    for (uint32_t i = 0; i < b->count; i++) {
        const double there = nadi_law_value(law, b->features + (size_t)i * b->width);
        if (!(fabs(there - b->values[i]) <= 1e-6 * fabs(b->values[i])))
            return false;
    }
    return true;
}

/* Chains of the records of one symbol and figure; returns them by record. */
static struct nadi_learned_record **chain(struct nadi_learned_records *r)
{
    struct nadi_learned_record **first = NADI_ZNEW(struct nadi_learned_record *, r->list.count);
    struct nadi_map64 index;
    nadi_map64_init(&index, r->list.count);
    for (size_t i = 0; i < r->list.count; i++) {
        struct nadi_learned_record *x = r->list.items[i];
        const uint64_t key = (uint64_t)x->symbol << 32 | x->figure;
        const uint32_t at = *nadi_map64_put(&index, key, (uint32_t)i, NULL);
        x->next = first[at];
        first[at] = x;
    }
    for (size_t i = 0; i < r->list.count; i++) {
        const struct nadi_learned_record *x = r->list.items[i];
        const uint64_t key = (uint64_t)x->symbol << 32 | x->figure;
        first[i] = first[nadi_map64_find(&index, key)];
    }
    nadi_map64_release(&index);
    return first;
}

void nadi_learn_borrow(struct nadi_learned_records *r)
{
    struct nadi_learned_record **first = chain(r);
    for (size_t i = 0; i < r->list.count; i++) {
        const struct nadi_learned_record *b = r->list.items[i];
        const struct nadi_learned_record *best = NULL;
        struct nadi_law taken = b->law;
        for (const struct nadi_learned_record *a = first[i]; a; a = a->next) {
            struct nadi_law law;
            if (a->law.used <= (best ? best->law.used : b->law.used) || !fits(r->model, a, b, &law))
                continue;
            best = a;
            taken = law;
        }
        for (uint32_t n = 0; best && n < b->member_count; n++)
            *b->members[n] = taken;
    }
    nadi_mem_free(first);
}

void nadi_learned_records_release(struct nadi_learned_records *r)
{
    nadi_mem_free(r->list.items);
    nadi_arena_release(&r->arena);
}
