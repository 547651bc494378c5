/* learn_hide: what one job alone says is moved, so that the model does not give it away.
 *
 * That is a size that occurs in one job only, and a duration where no other job has one within a
 * tenth of it, unless their law says it without that job. Sizes become the nearest of 7 bits that
 * none has alone; durations move by 0.4 % at most, and stay if they are short. Sizes that follow
 * from laws without knots are moved when a job is made: nadi_learned_public_size(). */
#include "base/mem.h"
#include "base/time.h"
#include "learned/law_inside.h"
#include "learned/learn.h"

#include <math.h>

static const double told = 2e-5;         /* of durations, which are whole nanoseconds */
static const double about = 0.1;         /* of the logarithm of durations that are alike */
static const double step = 1.0 / 128;    /* of that of a duration that is not */
static const double lone_noise = 0.05;   /* of the logarithm */
enum { MANY = 0x7fffffff, SHORT = 128 }; /* ns that say less than 7 bits */

/* --- what one job alone has --------------------------------------------------------------------
 */

struct owners {
    struct nadi_map64 of; /* value -> the job that has it; or MANY */
    struct {
        uint64_t *items;
        size_t count, capacity;
    } seen;
};

static void see(struct owners *o, uint64_t value, uint32_t job)
{
    bool added;
    if (value == 0)
        return;
    uint32_t *owner = nadi_map64_put(&o->of, value, job, &added);
    if (added)
        NADI_PUSH(&o->seen, value);
    else if (*owner != job)
        *owner = MANY;
}

/* A number that durations of about a length have. */
static uint64_t about_as_long(double ns)
{
    return 1 + nadi_count_round(log(ns) / about);
}

static void see_program(struct owners *sizes, struct owners *times,
                        const struct nadi_job_program *p, uint32_t job)
{
    for (uint32_t n = 0; n < p->node_count; n++) {
        see(sizes, p->bytes[n], job);
        see(sizes, p->ops[n], job);
        if (p->duration_ns[n])
            see(times, about_as_long((double)p->duration_ns[n]), job);
    }
}

static bool is_lone(const struct owners *o, uint64_t value)
{
    const uint32_t owner = nadi_map64_find(&o->of, value);
    return owner != NADI_NONE && owner != MANY;
}

/* Has no other job a duration that is about as long? */
static bool is_lone_time(const struct owners *o, double ns)
{
    const uint64_t at = about_as_long(ns);
    const uint32_t owner = nadi_map64_find(&o->of, at);
    bool lone = owner != NADI_NONE && owner != MANY;
    for (uint64_t near = at - 1; near <= at + 1 && lone; near++) {
        const uint32_t other = nadi_map64_find(&o->of, near);
        lone = other == NADI_NONE || other == owner;
    }
    return lone;
}

static int by_number(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static void avoid(struct nadi_learned_model *m, const struct owners *sizes)
{
    m->avoid = NADI_ARENA_NEW(&m->arena, uint32_t, sizes->seen.count);
    for (size_t i = 0; i < sizes->seen.count; i++)
        if (is_lone(sizes, sizes->seen.items[i]))
            m->avoid[m->avoid_count++] = nadi_learned_size_hash(sizes->seen.items[i]);
    qsort(m->avoid, m->avoid_count, sizeof(*m->avoid), by_number);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < m->avoid_count; i++)
        if (kept == 0 || m->avoid[kept - 1] != m->avoid[i])
            m->avoid[kept++] = m->avoid[i];
    m->avoid_count = kept;
}

/* --- laws --------------------------------------------------------------------------------------
 */

struct hiding {
    struct nadi_learned_model *m;
    const struct nadi_learned_family *family;
    const struct owners *sizes, *times;
};

/* What stands in for a value of a law: itself if several jobs have it. */
static double stand_in(const struct hiding *h, double value, bool time)
{
    const uint64_t whole = value >= 0.5 ? nadi_count_round(fmin(value, 9e18)) : 0;
    if (!time)
        return is_lone(h->sizes, whole) ? (double)nadi_learned_public_size(h->m, value) : value;
    if (whole < SHORT || !is_lone_time(h->times, (double)whole))
        return value;
    return exp(round(log((double)whole) / step) * step);
}

static void hide_knots(const struct hiding *h, struct nadi_law *law, bool time)
{
    for (uint32_t k = 0; k < law->knot_count; k++) {
        struct nadi_law_knot *knot = &law->knots[k];
        if (law->form == NADI_LAW_NEAREST) {
            knot->value = stand_in(h, knot->value, time);
            continue;
        }
        const double value = nadi_law_base(law, knot->at) * exp(knot->value);
        const double other = stand_in(h, value, time);
        if (other > value || other < value)
            knot->value += log(other / value);
    }
}

static void scale(struct nadi_law *law, double factor)
{
    for (uint32_t t = 0; t < law->terms; t++)
        law->coef[t] *= factor;
    if (law->form == NADI_LAW_POWER)
        law->coef[law->used] += log(factor);
}

static bool has_point(const struct nadi_law *law, const struct nadi_law_points *p, const double *at)
{
    for (uint32_t k = 0; k < p->count; k++)
        if (nadi_law_distance(law, p->at[k], at) < 1e-18)
            return true;
    return false;
}

/* Where the law is asked at the sizes of the family's jobs, and what it is to say there; false:
 * what it says. *factor: of the first that is another. */
static bool find_points(const struct hiding *h, const struct nadi_law *law,
                        struct nadi_law_points *p, double *factor)
{
    const struct nadi_learned_family *f = h->family;
    const uint32_t width = f->axis_count + f->label_count;
    bool any = false;
    p->count = 0;
    for (uint32_t j = 0; j < f->jobs; j++) {
        const double *point = f->points + (size_t)j * width;
        const uint32_t stages = nadi_learned_stages(f, point);
        for (uint32_t s = 0; s < stages && p->count < NADI_LAW_POINTS; s++) {
            double features[NADI_LAW_FEATURES], at[NADI_LAW_USED] = {0};
            nadi_learned_features(f, point, s, stages, features);
            for (uint32_t v = 0; v < law->used; v++)
                at[v] = features[law->var[v]];
            if (has_point(law, p, at))
                continue;
            const double value = nadi_law_base(law, at);
            const double other = stand_in(h, value, true);
            if (!any && (other > value || other < value)) {
                *factor = other / value;
                any = true;
            }
            memcpy(p->at[p->count], at, sizeof(at));
            p->value[p->count++] = other;
        }
    }
    return any;
}

/* The law without knots moves by what its first lone value does; knots keep the others. */
static void hide_bare(const struct hiding *h, struct nadi_law *law, struct nadi_law_points *p)
{
    double factor;
    if (!find_points(h, law, p, &factor))
        return;
    scale(law, factor);
    law->knots = NADI_ARENA_NEW(&h->m->arena, struct nadi_law_knot, p->count);
    for (uint32_t k = 0; k < p->count; k++) {
        const double base = nadi_law_base(law, p->at[k]);
        if (!(base > 0) || !(p->value[k] > 0))
            continue;
        struct nadi_law_knot *knot = &law->knots[law->knot_count++];
        *knot = (struct nadi_law_knot){.value = log(p->value[k] / base)};
        memcpy(knot->at, p->at[k], sizeof(knot->at));
    }
}

static void hide_law(const struct hiding *h, const struct nadi_learned_cell *cell,
                     struct nadi_law *law, bool time, struct nadi_law_points *p)
{
    const bool others = cell->jobs > 1 || law->shared;
    if (law->form == NADI_LAW_CONSTANT)
        law->coef[0] = stand_in(h, law->coef[0], time);
    else if (others && law->spread < told)
        return;
    else if (law->knot_count)
        hide_knots(h, law, time);
    else if (time && (law->form == NADI_LAW_SUM || law->form == NADI_LAW_POWER))
        hide_bare(h, law, p);
}

/* Durations of a family of one job are drawn with noise, too. */
static void hide_cell(const struct hiding *h, struct nadi_learned_cell *cell,
                      struct nadi_law_points *p)
{
    hide_law(h, cell, &cell->duration_ns, true, p);
    hide_law(h, cell, &cell->ops, false, p);
    hide_law(h, cell, &cell->bytes, false, p);
    if (h->family->jobs == 1 && !cell->duration_ns.shared)
        cell->duration_ns.noise = fmax(cell->duration_ns.noise, lone_noise);
}

static void hide_all(struct nadi_learned_model *m, const struct owners *sizes,
                     const struct owners *times)
{
    struct nadi_law_points *p = NADI_NEW(struct nadi_law_points, 1);
    for (uint32_t i = 0; i < m->family_count; i++) {
        const struct nadi_learned_family *f = &m->families[i];
        const struct hiding h = {.m = m, .family = f, .sizes = sizes, .times = times};
        for (uint32_t s = 0; s < f->slot_count; s++)
            for (uint32_t c = 0; c < f->slots[s].cell_count && f->slots[s].symbol != NADI_NONE; c++)
                hide_cell(&h, &f->slots[s].cells[c], p);
    }
    nadi_mem_free(p);
}

void nadi_learn_hide(struct nadi_learned_model *m, const struct nadi_learned_job *jobs,
                     uint32_t count)
{
    struct owners sizes = {.seen = {NULL, 0, 0}}, times = {.seen = {NULL, 0, 0}};
    nadi_map64_init(&sizes.of, 1024);
    nadi_map64_init(&times.of, 1024);
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t c = 0; c < jobs[k].class_count; c++)
            see_program(&sizes, &times, jobs[k].programs[c], k);
    avoid(m, &sizes);
    hide_all(m, &sizes, &times);
    nadi_map64_release(&sizes.of);
    nadi_map64_release(&times.of);
    nadi_mem_free(sizes.seen.items);
    nadi_mem_free(times.seen.items);
}
