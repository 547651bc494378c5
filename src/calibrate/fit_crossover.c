/* fit_crossover: where the measured times say that the library chose otherwise than its tables.
 *
 * The sizes of one kind on so many ranks are cut into runs of one algorithm and protocol each, by
 * dynamic programming: the cost is the loss of the times, plus a price for each size that departs
 * from the tables' choice and for each change that they do not make, so that only clear cases move.
 */
#include <math.h>

#include "base/mem.h"
#include "calibrate/fit.h"

#define DEPARTURE 0.5
#define CHANGE    12.0
#define MOST_LOSS 10.0 /* of a point: an outlier alone makes no run of its own */

enum { CHOICES = NADI_COMM_ALGORITHMS * NADI_COMM_PROTOCOLS };

struct series { /* points of one case, by size */
    struct nadi_fit *f;
    uint32_t *points;
    size_t count;
};

static bool same_series(const struct nadi_fit_point *a, const struct nadi_fit_point *b)
{
    return a->call.kind == b->call.kind && a->call.ranks == b->call.ranks &&
           a->call.nodes == b->call.nodes && a->call.algorithm == b->call.algorithm;
}

static struct series series_of(struct nadi_fit *f, size_t first)
{
    struct series s = {.f = f, .points = NADI_NEW(uint32_t, f->count)};
    for (size_t i = first; i < f->count; i++) {
        if (!same_series(&f->points[first], &f->points[i]))
            continue;
        size_t at = s.count++;
        for (; at > 0 && f->points[s.points[at - 1]].call.bytes > f->points[i].call.bytes; at--)
            s.points[at] = s.points[at - 1];
        s.points[at] = (uint32_t)i;
    }
    return s;
}

static enum nadi_comm_algorithm algorithm_of(int choice)
{
    return (enum nadi_comm_algorithm)(choice / NADI_COMM_PROTOCOLS);
}

static enum nadi_comm_protocol protocol_of(int choice)
{
    return (enum nadi_comm_protocol)(choice % NADI_COMM_PROTOCOLS);
}

static int default_choice(const struct nadi_fit *f, const struct nadi_fit_point *p)
{
    const struct nadi_comm_time t = nadi_comm_predict(&f->prior, &p->call);
    return (int)t.algorithm * NADI_COMM_PROTOCOLS + (int)t.protocol;
}

/* Loss of a point under a choice; HUGE_VAL where the library would never run it. */
static double loss_of(const struct nadi_fit *f, const struct nadi_fit_point *p, int choice,
                      int preset)
{
    struct nadi_comm_time time;
    if (!isfinite(nadi_comm_estimate_us(&f->platform, &p->call, algorithm_of(choice),
                                        protocol_of(choice))) ||
        !nadi_comm_time_of(&f->platform, &p->call, algorithm_of(choice), protocol_of(choice),
                           &time))
        return HUGE_VAL;
    const double departure = choice == preset ? 0 : DEPARTURE;
    if (!p->used) /* between two runs the faster one goes on */
        return 2 * log(time.ns);
    return departure + fmin(nadi_fit_loss(log(time.ns / 1e3 / p->us) / p->error), MOST_LOSS);
}

/* Fills best[i * CHOICES + c]: least cost of the points up to i with choice c at i; from: the
 * choice before. */
static void walk(const struct series *s, double *best, int *from)
{
    const struct nadi_fit *f = s->f;
    int before = 0;
    for (size_t i = 0; i < s->count; i++) {
        const struct nadi_fit_point *p = &f->points[s->points[i]];
        const int preset = default_choice(f, p);
        for (int c = 0; c < CHOICES; c++) {
            double least = i ? HUGE_VAL : 0;
            from[i * CHOICES + (size_t)c] = c;
            for (int b = 0; i && b < CHOICES; b++) {
                const bool natural = b == c || (b == before && c == preset);
                const double sum = best[(i - 1) * CHOICES + (size_t)b] + (natural ? 0 : CHANGE);
                if (sum < least) {
                    least = sum;
                    from[i * CHOICES + (size_t)c] = b;
                }
            }
            best[i * CHOICES + (size_t)c] = least + loss_of(f, p, c, preset);
        }
        before = preset;
    }
}

static void add_crossover(struct nadi_fit *f, const struct nadi_fit_point *p, int choice)
{
    struct nadi_comm_platform *out = &f->platform;
    struct nadi_comm_crossover *all =
        NADI_ARENA_NEW(&f->arena, struct nadi_comm_crossover, out->crossover_count + 1);
    if (out->crossover_count)
        memcpy(all, out->crossovers, out->crossover_count * sizeof(*all));
    all[out->crossover_count++] = (struct nadi_comm_crossover){
        .kind = p->call.kind,
        .ranks = p->call.ranks,
        .bytes = p->call.bytes,
        .algorithm = algorithm_of(choice),
        .protocol = protocol_of(choice),
    };
    out->crossovers = all;
}

/* Walks back over the cheapest way; true when a point's choice changed. */
static bool take(const struct series *s, const double *best, const int *from)
{
    struct nadi_fit *f = s->f;
    int *choices = NADI_NEW(int, s->count);
    int choice = 0;
    bool changed = false, departs = false;
    for (int c = 0; c < CHOICES; c++)
        if (best[(s->count - 1) * CHOICES + (size_t)c] <
            best[(s->count - 1) * CHOICES + (size_t)choice])
            choice = c;
    for (size_t i = s->count; i-- > 0;) {
        struct nadi_fit_point *p = &f->points[s->points[i]];
        choices[i] = choice;
        departs |= choice != default_choice(f, p);
        changed |= p->algorithm != algorithm_of(choice) || p->protocol != protocol_of(choice);
        p->algorithm = algorithm_of(choice);
        p->protocol = protocol_of(choice);
        choice = from[i * CHOICES + (size_t)choice];
    }
    for (size_t i = 0; departs && i < s->count; i++)
        if (i == 0 || choices[i] != choices[i - 1])
            add_crossover(f, &f->points[s->points[i]], choices[i]);
    nadi_mem_free(choices);
    return changed;
}

bool nadi_fit_crossovers(struct nadi_fit *f)
{
    bool changed = false;
    f->platform.crossover_count = 0;
    for (size_t first = 0; first < f->count; first++) {
        bool seen = f->points[first].call.algorithm != NADI_COMM_AUTO;
        for (size_t i = 0; i < first && !seen; i++)
            seen = same_series(&f->points[i], &f->points[first]);
        if (seen)
            continue;
        struct series s = series_of(f, first);
        bool any = false; /* nothing is known of a case that is held out */
        for (size_t i = 0; i < s.count; i++)
            any |= f->points[s.points[i]].used;
        double *best = NADI_NEW(double, s.count *CHOICES);
        int *from = NADI_NEW(int, s.count *CHOICES);
        if (any) {
            walk(&s, best, from);
            changed |= take(&s, best, from);
        }
        nadi_mem_free(best);
        nadi_mem_free(from);
        nadi_mem_free(s.points);
    }
    return changed;
}
