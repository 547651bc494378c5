/* learn_borrow: what one family never varied, another one may have.
 *
 * A pipeline of a job that spans servers has other groups than one that does not, and a job whose
 * kernels are long has no nodes of the host: they are other families; their kernels are the same.
 * Laws of one operator, by its name, of one model in all families are laid together as long as one
 * law says the samples of all of them, and all have that law then. */
#include "base/mem.h"
#include "learned/learn.h"

#include <math.h>

static const double near_enough = 0.1; /* of samples left out: a law that misses no more is one */
static const double exactly = 1e-4;
static const double clearly = 0.02; /* FLOPs and bytes of one operator are not that far apart */
static const double unlike = 0.3;   /* missed by more than that on the mean, a law is another one */

struct nadi_learned_record { /* a law and what it was fitted to */
    uint64_t key;            /* operator, figure, model, names of the labels */
    uint32_t family, place, figure;
    double same; /* of values */
    struct nadi_law law;
    struct {
        struct nadi_law **items;
        size_t count, capacity;
    } members; /* laws of cells that are this one */
    uint32_t count;
    double *values;                    /* by sample */
    double *works[NADI_LEARNED_WORKS]; /* of durations; else NULL */
    const double **features; /* by sample, `width` of them: of its program, in the records' arena */
    uint32_t width;
    const double **rows; /* the features as all families with the key have them */
    bool done;
};

static uint64_t key_of(const struct nadi_learned_seen *seen)
{
    uint64_t words[3 + NADI_LEARNED_LABELS] = {seen->symbol, seen->figure,
                                               nadi_hash_bytes(seen->model, strlen(seen->model))};
    for (uint32_t i = 0; i < seen->family->label_count; i++)
        words[3 + i] = nadi_hash_bytes(seen->family->labels[i], strlen(seen->family->labels[i]));
    return nadi_hash_words(words, sizeof(words) / sizeof(words[0]));
}

static uint64_t hash_of(const struct nadi_learned_record *x)
{
    const uint64_t words[] = {x->key, x->family, x->count,
                              nadi_hash_bytes(x->values, x->count * sizeof(double))};
    uint64_t hash = nadi_hash_words(words, sizeof(words) / sizeof(words[0]));
    for (uint32_t i = 0; i < x->count; i++) {
        const uint64_t both[] = {hash, nadi_hash_bytes(x->features[i], x->width * sizeof(double))};
        hash = nadi_hash_words(both, 2);
    }
    for (uint32_t w = 0; w < NADI_LEARNED_WORKS && x->works[w]; w++) {
        const uint64_t both[] = {hash, nadi_hash_bytes(x->works[w], x->count * sizeof(double))};
        hash = nadi_hash_words(both, 2);
    }
    return hash;
}

void nadi_learn_record(struct nadi_learned_records *r, const struct nadi_learned_seen *seen)
{
    const uint32_t width = nadi_learned_feature_count(seen->family);
    struct nadi_learned_record *fresh = NADI_ARENA_ZNEW(&r->arena, struct nadi_learned_record, 1);
    *fresh = (struct nadi_learned_record){.key = key_of(seen),
                                          .family = (uint32_t)(seen->family - r->model->families),
                                          .figure = seen->figure,
                                          .same = seen->same,
                                          .law = *seen->members[0],
                                          .count = seen->count,
                                          .width = width};
    fresh->features = NADI_ARENA_NEW(&r->arena, const double *, seen->count);
    fresh->values = NADI_ARENA_NEW(&r->arena, double, seen->count);
    memcpy(fresh->values, seen->values, seen->count * sizeof(double));
    memcpy(fresh->features, seen->features, seen->count * sizeof(*fresh->features));
    for (uint32_t w = 0; w < NADI_LEARNED_WORKS && seen->works[w]; w++) {
        fresh->works[w] = NADI_ARENA_NEW(&r->arena, double, seen->count);
        memcpy(fresh->works[w], seen->works[w], seen->count * sizeof(double));
    }
    const uint32_t next = (uint32_t)r->list.count;
    const uint32_t at = *nadi_map64_put(&r->seen, hash_of(fresh), next, NULL);
    fresh->place = next;
    if (at == next)
        NADI_PUSH(&r->list, fresh);
    for (uint32_t i = 0; i < seen->member_count; i++)
        NADI_PUSH(&r->list.items[at]->members, seen->members[i]);
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

/* --- samples of several families ---------------------------------------------------------------
 */

struct common { /* of the records of a key */
    struct nadi_learned_model *m;
    struct nadi_learned_family all; /* with the axes of all their families */
    struct nadi_learned_trust trust;
    struct nadi_learned_record **records;
    uint32_t count;
    uint64_t samples;
    const uint8_t *order; /* features that laws may follow from */
    uint32_t order_count;
    struct nadi_arena arena;
};

struct works { /* laws of FLOPs and bytes */
    struct nadi_law laws[NADI_LEARNED_WORKS];
    bool lawful[NADI_LEARNED_WORKS]; /* it says all samples exactly, or they are too few to tell */
};

struct pool { /* records that one law says */
    const struct common *c;
    const double **features; /* by sample */
    double *values, *works[NADI_LEARNED_WORKS];
    uint32_t count;
    struct nadi_law law;
    struct works works_of;
    struct {
        struct nadi_learned_record **items;
        size_t count, capacity;
    } in;
    struct nadi_arena arena;
};

static bool has_axis(const struct nadi_learned_family *f, const char *name)
{
    for (uint32_t a = 0; a < f->axis_count; a++)
        if (!f->staged[a] && strcmp(f->axes[a], name) == 0)
            return true;
    return false;
}

/* Axes of all families; the stages are one. Labels are the same. */
static void gather_axes(struct nadi_learned_family *all, const struct nadi_learned_family *f)
{
    for (uint32_t a = 0; a < f->axis_count && all->axis_count + 1 < NADI_LEARNED_AXES; a++)
        if (!f->staged[a] && !has_axis(all, f->axes[a]))
            memcpy(all->axes[all->axis_count++], f->axes[a], NADI_LEARNED_NAME);
    memcpy(all->labels, f->labels, sizeof(all->labels));
    all->label_count = f->label_count;
}

/* The features of a record's samples; an axis that its family does not have is of size 1. */
static void make_rows(struct common *c, struct nadi_learned_record *x)
{
    const uint32_t width = nadi_learned_feature_count(&c->all);
    uint32_t from[NADI_LAW_FEATURES];
    x->rows = NADI_ARENA_NEW(&c->arena, const double *, x->count);
    for (uint32_t f = 0; f < width; f++)
        from[f] = same_feature(&c->all, f, &c->m->families[x->family]);
    for (uint32_t i = 0; i < x->count; i++) {
        double *row = NADI_ARENA_NEW(&c->arena, double, width);
        for (uint32_t f = 0; f < width; f++)
            row[f] = from[f] == NADI_NONE ? 1 : x->features[i][from[f]];
        x->rows[i] = row;
    }
}

static void make_common(struct common *c)
{
    nadi_arena_init(&c->arena);
    for (uint32_t i = 0; i < c->count; i++) {
        gather_axes(&c->all, &c->m->families[c->records[i]->family]);
        c->samples += c->records[i]->count;
    }
    snprintf(c->all.axes[c->all.axis_count], NADI_LEARNED_NAME, "stages");
    c->all.staged[c->all.axis_count++] = true;
    nadi_learned_trust_of(&c->trust, &c->all);
    const bool totals = c->records[0]->figure == NADI_LEARNED_TOTALS;
    c->order = totals ? c->trust.counts : c->trust.figures;
    c->order_count = totals ? c->trust.trusted_counts : c->trust.trusted_count;
    for (uint32_t i = 0; i < c->count; i++)
        make_rows(c, c->records[i]);
}

/* Of samples from `from` on. */
static bool fit_values(struct pool *p, uint32_t from, const double *values, double same,
                       struct nadi_law *law)
{
    const struct nadi_law_samples s = {.kinds = p->c->trust.kinds,
                                       .order = p->c->order,
                                       .order_count = p->c->order_count,
                                       .trusted_count = p->c->order_count,
                                       .count = p->count - from,
                                       .features = p->features + from,
                                       .values = values + from,
                                       .same = same};
    return nadi_law_fit_function(law, &s, &p->arena);
}

static bool fit(struct pool *p, struct nadi_law *law)
{
    return fit_values(p, 0, p->values, p->c->records[0]->same, law);
}

/* How far the pool's law is from the samples from `first` on. */
static double apart(const struct pool *p, uint32_t first)
{
    double sum = 0;
    for (uint32_t i = first; i < p->count; i++)
        sum += fmin(fabs(log(nadi_law_value(&p->law, p->features[i]) / p->values[i])), 1);
    return sum / (p->count - first);
}

/* Has the record a size or label where the pool never had another than one? What its law says there
 * means nothing. works: of FLOPs and bytes, which no place in the pipeline changes. */
static bool is_elsewhere(const struct pool *p, uint32_t before, bool works)
{
    bool elsewhere = false;
    for (uint32_t k = 0; k < p->c->order_count && !elsewhere; k++) {
        const uint32_t f = p->c->order[k];
        bool varies = works && p->c->trust.kinds[f] == NADI_FEATURE_PLACE;
        for (uint32_t i = 1; i < before && !varies; i++)
            varies = fabs(p->features[i][f] - p->features[0][f]) > 0;
        elsewhere = !varies && fabs(p->features[before][f] - p->features[0][f]) > 0;
    }
    return elsewhere;
}

/* What the law misses most of what it was fitted to, without residuals. */
static double misses(const struct nadi_law *law)
{
    double most = 0;
    for (uint32_t k = 0; k < law->knot_count; k++)
        most = fmax(most, fabs(law->knots[k].value));
    return most;
}

/* Too few values to tell an exact law? */
static bool are_few(const struct pool *p, uint32_t w, uint32_t from)
{
    double seen[NADI_LAW_TERMS];
    uint32_t count = 0;
    for (uint32_t i = from; i < p->count; i++) {
        uint32_t k = 0;
        while (k < count && fabs(seen[k] - p->works[w][i]) > 0.5)
            k++;
        if (k < count)
            continue;
        if (count == NADI_LAW_TERMS)
            return false;
        seen[count++] = p->works[w][i];
    }
    return true;
}

/* Says a law all from `from` on exactly, or are they too few to tell? */
static bool is_lawful(struct pool *p, uint32_t w, uint32_t from, struct nadi_law *law)
{
    return fit_values(p, from, p->works[w], 0, law) &&
           (misses(law) < exactly || are_few(p, w, from));
}

/* How far the law is from the samples from `from` on, at most. */
static double work_apart(const struct pool *p, uint32_t w, uint32_t from,
                         const struct nadi_law *law)
{
    double most = 0;
    for (uint32_t i = from; i < p->count; i++)
        most = fmax(most, fabs(log(nadi_law_value(law, p->features[i]) / p->works[w][i])));
    return most;
}

/* Are FLOPs, or bytes, of the samples from `before` on of the pool's operator? A law that is sure
 * says them, or one law says all of them, where one says either alone. */
static bool same_work(struct pool *p, uint32_t w, uint32_t before, struct works *of)
{
    struct nadi_law alone;
    const bool none = !(p->works[w][0] > 0), none_either = !(p->works[w][before] > 0);
    if (none || none_either)
        return none == none_either;
    const double off = of->lawful[w] ? work_apart(p, w, before, &of->laws[w]) : 0;
    if (off < exactly)
        return true;
    if (of->laws[w].spread < exactly && off > clearly && !is_elsewhere(p, before, true))
        return false;
    of->lawful[w] = is_lawful(p, w, 0, &of->laws[w]);
    return of->lawful[w] || misses(&of->laws[w]) < clearly || !is_lawful(p, w, before, &alone);
}

enum sameness { OTHER_WORK, ANY_WORK, SAME_WORK };

/* Have the samples from `before` on FLOPs and bytes as the pool's operator has them? Kernels of one
 * name, as gradients of inputs and of weights, differ in them where durations could be of either.
 */
static enum sameness compare_works(struct pool *p, const struct nadi_learned_record *x,
                                   uint32_t before, struct works *of)
{
    *of = p->works_of;
    for (uint32_t w = 0; w < NADI_LEARNED_WORKS && x->works[w]; w++)
        if (!before)
            of->lawful[w] = is_lawful(p, w, 0, &of->laws[w]);
        else if (!same_work(p, w, before, of))
            return OTHER_WORK;
    const struct nadi_law *bytes = &of->laws[NADI_LEARNED_WORKS - 1];
    return bytes->form == NADI_LAW_SUM && of->lawful[NADI_LEARNED_WORKS - 1] &&
                   bytes->spread < exactly
               ? SAME_WORK
               : ANY_WORK;
}

/* Do the pool and what came after `before` meet at a place of the law, with the same value? */
static bool meet(const struct pool *p, const struct nadi_law *law, uint32_t before)
{
    for (uint32_t i = before; i < p->count && law->used; i++)
        for (uint32_t k = 0; k < before; k++) {
            bool same = fabs(p->values[i] - p->values[k]) <=
                        fmax(1e-6 * p->values[i], p->c->records[0]->same);
            for (uint32_t v = 0; v < law->used && same; v++)
                same = fabs(p->features[i][law->var[v]] - p->features[k][law->var[v]]) < 1e-9;
            if (same)
                return true;
        }
    return false;
}

/* Says the record too little to tell which of several operators of a name it is? */
static bool is_small(const struct nadi_learned_record *x)
{
    enum { FEW = 4 };
    return x->count < FEW || isnan(x->law.spread) || x->law.form == NADI_LAW_CONSTANT;
}

/* Takes the record where one law says it and all that is in the pool. Where they meet, and nothing
 * contradicts, how well samples are said that are left out does not matter; nor for a small record,
 * which belongs somewhere. */
static void take(struct pool *p, struct nadi_learned_record *x)
{
    const uint32_t before = p->count;
    struct nadi_law law = p->law;
    struct works works;
    memcpy(p->features + before, x->rows, x->count * sizeof(*x->rows));
    memcpy(p->values + before, x->values, x->count * sizeof(*x->values));
    for (uint32_t w = 0; w < NADI_LEARNED_WORKS && x->works[w]; w++)
        memcpy(p->works[w] + before, x->works[w], x->count * sizeof(double));
    p->count += x->count;
    const double off = before ? apart(p, before) : 0;
    const enum sameness same = compare_works(p, x, before, &works);
    bool one =
        same == SAME_WORK || (same == ANY_WORK && (off < unlike || is_elsewhere(p, before, false)));
    const double wanted = fmax(fmax(p->law.spread, x->law.spread), /* NAN gives way */
                               is_small(x) ? unlike : near_enough);
    if (one && (!before || off > exactly || p->law.spread > exactly))
        one = fit(p, &law) &&
              (!before || same == SAME_WORK || law.spread <= wanted || meet(p, &law, before));
    if (one && before && same != SAME_WORK && p->law.spread < exactly && x->law.spread < exactly)
        one = law.spread < exactly;
    if (!one) {
        p->count = before;
        return;
    }
    x->done = true;
    p->law = law;
    p->works_of = works;
    NADI_PUSH(&p->in, x);
}

/* The pool's law in the features of a family: what it does not have is 1. */
static struct nadi_law law_in(const struct pool *p, const struct nadi_learned_family *f,
                              struct nadi_arena *arena)
{
    struct nadi_law out = p->law;
    bool kept[NADI_LAW_USED] = {false};
    out.used = 0;
    for (uint32_t v = 0; v < p->law.used; v++) {
        const uint32_t at = same_feature(&p->c->all, p->law.var[v], f);
        kept[v] = at != NADI_NONE;
        if (!kept[v])
            continue;
        for (uint32_t t = 0; t < p->law.terms; t++)
            out.power[t][out.used] = p->law.power[t][v];
        if (p->law.form == NADI_LAW_POWER)
            out.coef[out.used] = p->law.coef[v];
        out.var[out.used++] = (uint8_t)at;
    }
    if (p->law.form == NADI_LAW_POWER)
        out.coef[out.used] = p->law.coef[p->law.used];
    out.knot_count = 0;
    out.knots = NADI_ARENA_NEW(arena, struct nadi_law_knot, p->law.knot_count + 1);
    for (uint32_t k = 0; k < p->law.knot_count; k++) {
        struct nadi_law_knot *to = &out.knots[out.knot_count];
        bool here = true;
        uint32_t at = 0;
        *to = (struct nadi_law_knot){.value = p->law.knots[k].value};
        for (uint32_t v = 0; v < p->law.used; v++)
            if (kept[v])
                to->at[at++] = p->law.knots[k].at[v];
            else
                here = here && fabs(p->law.knots[k].at[v] - 1) < 1e-9;
        out.knot_count += here;
    }
    return out;
}

static void give(const struct pool *p)
{
    struct nadi_learned_model *m = p->c->m;
    bool shared = false;
    for (size_t i = 1; i < p->in.count; i++)
        shared |= p->in.items[i]->family != p->in.items[0]->family;
    for (size_t i = 0; i < p->in.count && p->in.count > 1; i++) {
        const struct nadi_learned_record *x = p->in.items[i];
        const struct nadi_law law = law_in(p, &m->families[x->family], &m->arena);
        for (size_t n = 0; n < x->members.count; n++) {
            const double noise = x->members.items[n]->noise;
            *x->members.items[n] = law;
            x->members.items[n]->noise = noise;
            x->members.items[n]->shared = shared;
        }
    }
}

/* --- pools -------------------------------------------------------------------------------------
 */

/* A pool that begins with a record, of those from it on that are small or not. */
static bool pool_from(struct pool *p, const struct common *c, uint32_t begin, bool small)
{
    *p = (struct pool){.c = c,
                       .features = NADI_NEW(const double *, c->samples),
                       .values = NADI_NEW(double, c->samples)};
    for (uint32_t w = 0; w < NADI_LEARNED_WORKS; w++)
        p->works[w] = NADI_NEW(double, c->samples);
    nadi_arena_init(&p->arena);
    take(p, c->records[begin]);
    for (uint32_t i = begin + 1; i < c->count && p->count; i++)
        if (!c->records[i]->done && (small || !is_small(c->records[i])))
            take(p, c->records[i]);
    return p->count > 0;
}

static void release_pool(struct pool *p)
{
    nadi_arena_release(&p->arena);
    nadi_mem_free(p->in.items);
    nadi_mem_free(p->features);
    nadi_mem_free(p->values);
    for (uint32_t w = 0; w < NADI_LEARNED_WORKS; w++)
        nadi_mem_free(p->works[w]);
}

/* Into the pool that is nearest to it, of those that take it. */
static void join_nearest(struct pool *pools, uint32_t count, struct nadi_learned_record *x)
{
    double last = -1;
    for (uint32_t tries = 0; tries < count && !x->done; tries++) {
        uint32_t best = NADI_NONE;
        double least = HUGE_VAL;
        for (uint32_t i = 0; i < count; i++) {
            struct pool *p = &pools[i];
            if (p->count == 0)
                continue;
            memcpy(p->features + p->count, x->rows, x->count * sizeof(*x->rows));
            memcpy(p->values + p->count, x->values, x->count * sizeof(*x->values));
            p->count += x->count;
            const double off = apart(p, p->count - x->count);
            p->count -= x->count;
            if (off > last && off < least) {
                least = off;
                best = i;
            }
        }
        if (best == NADI_NONE)
            return;
        last = least;
        take(&pools[best], x);
    }
}

/* A pool that began before another one was sure of its law is of it where that law says it. */
static void merge_into(struct pool *p, struct pool *other)
{
    const uint32_t before = p->count;
    struct works works;
    memcpy(p->features + before, other->features, other->count * sizeof(*other->features));
    memcpy(p->values + before, other->values, other->count * sizeof(*other->values));
    for (uint32_t w = 0; w < NADI_LEARNED_WORKS && p->c->records[0]->works[w]; w++)
        memcpy(p->works[w] + before, other->works[w], other->count * sizeof(double));
    p->count += other->count;
    if (!(apart(p, before) < exactly) ||
        compare_works(p, other->in.items[0], before, &works) == OTHER_WORK) {
        p->count = before;
        return;
    }
    p->works_of = works;
    for (size_t i = 0; i < other->in.count; i++)
        NADI_PUSH(&p->in, other->in.items[i]);
    other->count = 0;
    other->in.count = 0;
}

static void merge(struct pool *pools, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < count; k++)
            if (k != i && pools[i].count && pools[k].count && pools[i].law.spread < exactly)
                merge_into(&pools[i], &pools[k]);
}

/* What says most begins; records that say little find their place afterwards. */
static void pool_all(const struct common *c)
{
    struct pool *pools = NADI_NEW(struct pool, c->count);
    uint32_t count = 0;
    for (int small = 0; small < 2; small++) {
        for (uint32_t k = 0; k < c->count; k++)
            if (!c->records[k]->done && (small || !is_small(c->records[k]))) {
                if (pool_from(&pools[count], c, k, small))
                    count++;
                else
                    release_pool(&pools[count]);
            }
        if (!small)
            merge(pools, count);
        for (uint32_t k = 0; k < c->count && !small; k++)
            if (!c->records[k]->done)
                join_nearest(pools, count, c->records[k]);
    }
    for (uint32_t i = 0; i < count; i++) {
        give(&pools[i]);
        release_pool(&pools[i]);
    }
    nadi_mem_free(pools);
}

static int by_key(const void *a, const void *b)
{
    const struct nadi_learned_record *x = *(struct nadi_learned_record *const *)a;
    const struct nadi_learned_record *y = *(struct nadi_learned_record *const *)b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return x->family != y->family ? (x->family < y->family ? -1 : 1) : x->place < y->place ? -1 : 1;
}

void nadi_learn_borrow(struct nadi_learned_records *r)
{
    qsort(r->list.items, r->list.count, sizeof(struct nadi_learned_record *), by_key);
    for (size_t i = 0; i < r->list.count;) {
        struct common c = {.m = r->model, .records = &r->list.items[i], .count = 1};
        while (i + c.count < r->list.count && c.records[c.count]->key == c.records[0]->key)
            c.count++;
        i += c.count;
        if (c.count == 1)
            continue;
        make_common(&c);
        pool_all(&c);
        nadi_arena_release(&c.arena);
    }
}

void nadi_learned_records_init(struct nadi_learned_records *r, struct nadi_learned_model *m)
{
    *r = (struct nadi_learned_records){.model = m};
    nadi_arena_init(&r->arena);
    nadi_map64_init(&r->seen, 64);
}

void nadi_learned_records_release(struct nadi_learned_records *r)
{
    for (size_t i = 0; i < r->list.count; i++)
        nadi_mem_free(r->list.items[i]->members.items);
    nadi_mem_free(r->list.items);
    nadi_map64_release(&r->seen);
    nadi_arena_release(&r->arena);
}
