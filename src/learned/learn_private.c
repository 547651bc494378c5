/* learn_private: a public model with counts of jobs that nobody may see, with noise.
 *
 * Rules and laws are those of a model that was learned from public jobs: nothing of them comes from
 * the private ones. What does are counts, and one job changes each by one. Two-sided geometric
 * noise (Laplace's, of whole numbers) is added to them:
 *
 *   a quarter of epsilon: jobs by family of the public model; a job is in one, or in none
 *   half of epsilon, in equal parts: each axis and label of a family, counted on a grid that does
 *   not depend on the jobs (whole numbers to 64, then 8 an octave)
 *   a quarter of epsilon: how fast the jobs of a family compute, relative to its laws, counted in
 *   quarters of an octave; the one that most jobs have is the family's pace
 *
 * Families, values and paces whose noisy count could be noise are left out: sizes and paces of the
 * public model stand there then. By composition, sequential over the parts and parallel over
 * families, the model is epsilon-private (delta 0) for adding or taking away one job. */
#include "base/mem.h"
#include "base/rng.h"
#include "learned/learn.h"
#include "learned/make.h"
#include "learned/model_file.h"

#include <math.h>
#include <sys/random.h>

enum {
    WHOLE = 64,
    OCTAVE = 8,
    OCTAVES = 34,
    GRID = WHOLE + OCTAVE * OCTAVES, /* 1 to 64, then 72, 80, ... */
    PACES = 65,                      /* 2^-8 to 2^8, four an octave */
};

static const double false_value = 0.05; /* chance that something shows that no job has, by count */

double nadi_private_grid(uint32_t at)
{
    if (at < WHOLE)
        return at + 1.0;
    const uint32_t step = (at - WHOLE) % OCTAVE + 1, octave = (at - WHOLE) / OCTAVE;
    return ldexp(WHOLE + step * (double)WHOLE / OCTAVE, (int)octave);
}

static uint32_t grid_place(double value)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < GRID; i++)
        if (fabs(nadi_private_grid(i) - value) < fabs(nadi_private_grid(best) - value))
            best = i;
    return best;
}

/* Of a variable that is k with a share of exp(-epsilon |k|). */
int64_t nadi_private_noise(struct nadi_rng *rng, double epsilon)
{
    double part[2];
    for (int i = 0; i < 2; i++)
        part[i] = fmin(floor(-log(1 - nadi_rng_unit(rng)) / epsilon), 1e15);
    return (int64_t)(part[0] - part[1]);
}

struct private
{
    struct nadi_learned_model *m;
    struct nadi_rng rng;
    double by_family, by_setting, by_pace; /* epsilon of each */
    const struct nadi_learned_near *jobs;
    uint32_t job_count;
};

/* Noise on the counts, those that could be noise become 0; the sum of the others. */
static int64_t blur(struct private *p, int64_t *counts, uint32_t count, double epsilon)
{
    const double least = log(count / false_value) / epsilon;
    int64_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        counts[i] += nadi_private_noise(&p->rng, epsilon);
        counts[i] = (double)counts[i] > least ? counts[i] : 0;
        sum += counts[i];
    }
    return sum;
}

/* The size of a place; where the reach of the public model begins or ends at it, that of the reach.
 */
static double in_reach(uint32_t at, const double hull[2])
{
    const double size = nadi_private_grid(at);
    if (at == grid_place(hull[0]) && size < hull[0])
        return hull[0];
    return at == grid_place(hull[1]) && size > hull[1] ? hull[1] : size;
}

/* Values of a setting for as many jobs as there are said to be; false: those of the public model,
 * as where none is within the reach of its laws. */
static bool private_setting(struct private *p, uint32_t family, uint32_t jobs, uint32_t setting,
                            double *points)
{
    const struct nadi_learned_family *f = &p->m->families[family];
    const uint32_t width = f->axis_count + f->label_count;
    int64_t counts[GRID] = {0}, before = 0;
    for (uint32_t k = 0; k < p->job_count; k++)
        if (p->jobs[k].family == family)
            counts[grid_place(p->jobs[k].point[setting])]++;
    const int64_t sum = blur(p, counts, GRID, p->by_setting);
    const double *hull = &f->hull[2 * (size_t)setting];
    bool within = false;
    uint32_t at = 0;
    for (uint32_t k = 0; k < jobs && sum; k++) {
        while ((double)(before + counts[at]) * jobs <= (double)k * (double)sum && at + 1 < GRID)
            before += counts[at++];
        const double size = in_reach(at, hull);
        points[(size_t)k * width + setting] = size;
        within |= size >= hull[0] && size <= hull[1];
    }
    for (uint32_t k = 0; k < jobs && !within; k++)
        points[(size_t)k * width + setting] =
            f->points[(size_t)((uint64_t)k * f->jobs / jobs) * width + setting];
    return within;
}

static bool private_pace(struct private *p, uint32_t family, double *pace)
{
    const int middle = PACES / 2;
    int64_t counts[PACES] = {0};
    uint32_t most = 0;
    for (uint32_t k = 0; k < p->job_count; k++)
        if (p->jobs[k].family == family) {
            const double at = round(log2(p->jobs[k].pace) * 4) + middle;
            counts[(uint32_t)fmin(fmax(at, 0), PACES - 1)]++;
        }
    const int64_t sum = blur(p, counts, PACES, p->by_pace);
    for (uint32_t i = 1; i < PACES; i++)
        most = counts[i] > counts[most] ? i : most;
    if (sum)
        *pace *= exp2((most - PACES / 2.0 + 0.5) / 4);
    return sum > 0;
}

static void forget_counts(struct nadi_learned_family *f)
{
    for (uint32_t s = 0; s < f->slot_count; s++)
        for (uint32_t c = 0; c < f->slots[s].cell_count; c++)
            f->slots[s].cells[c].jobs = 0;
}

static void private_family(struct private *p, uint32_t family, uint32_t jobs)
{
    struct nadi_learned_family *f = &p->m->families[family];
    const uint32_t width = f->axis_count + f->label_count;
    double *points = NADI_ARENA_NEW(&p->m->arena, double, (size_t)width *jobs);
    for (uint32_t i = 0; i < width; i++)
        p->m->private.kept += !private_setting(p, family, jobs, i, points);
    p->m->private.kept += !private_pace(p, family, &f->pace);
    f->jobs = jobs;
    f->points = points;
    forget_counts(f);
}

static bool find_seed(uint64_t *seed, struct nadi_diags *diags)
{
    if (*seed == 0 && getrandom(seed, sizeof(*seed), 0) != (ssize_t)sizeof(*seed))
        return nadi_error(diags, "learn/random", NADI_NOWHERE, "give a secret --seed",
                          "the system gives no random numbers");
    return true;
}

/* Families with their noisy numbers of jobs, those without are left out. */
static void private_families(struct private *p)
{
    enum { MOST_JOBS = 1 << 20 };
    struct nadi_learned_model *m = p->m;
    int64_t *counts = NADI_ZNEW(int64_t, m->family_count);
    uint32_t kept = 0;
    for (uint32_t k = 0; k < p->job_count; k++)
        if (p->jobs[k].family != NADI_NONE)
            counts[p->jobs[k].family]++;
    (void)blur(p, counts, m->family_count, p->by_family);
    m->job_count = 0;
    for (uint32_t i = 0; i < m->family_count; i++)
        if (counts[i] > 0) {
            private_family(p, i, (uint32_t)nadi_min_u64((uint64_t)counts[i], MOST_JOBS));
            m->job_count += m->families[i].jobs;
        }
    for (uint32_t i = 0; i < m->family_count; i++) {
        const struct nadi_learned_family family = m->families[i];
        if (counts[i] == 0)
            continue;
        m->families[i] = m->families[kept];
        m->families[kept++] = family;
    }
    for (uint32_t i = kept; i < m->family_count; i++) {
        nadi_mem_free(m->families[i].symbols.items);
        nadi_mem_free(m->families[i].steps.items);
    }
    m->private.left_out = m->family_count - kept;
    m->family_count = kept;
    nadi_mem_free(counts);
}

static bool read_public(struct nadi_learned_model *m, const char *path, struct nadi_diags *diags)
{
    if (!nadi_learned_model_read(m, path, diags))
        return false;
    if (m->kind != NADI_LEARNED_STRUCTURAL || m->private.epsilon > 0)
        return nadi_error(diags, "learn/public", NADI_IN_FILE(path),
                          "learn a structural model from jobs that may be seen, without --epsilon",
                          m->private.epsilon > 0 ? "the public model is a private one"
                                                 : "the public model is a sequence model");
    return true;
}

bool nadi_learn_private(struct nadi_learned_model *m, const struct nadi_learned_job *jobs,
                        uint32_t count, const struct nadi_vocabulary *v,
                        const struct nadi_learn_wish *wish, struct nadi_diags *diags)
{
    uint64_t seed = wish->seed;
    uint32_t settings = 1;
    nadi_arena_release(&m->arena);
    if (!read_public(m, wish->public_model, diags) || !find_seed(&seed, diags))
        return false;
    struct nadi_learned_near *near = NADI_NEW(struct nadi_learned_near, count);
    struct private p = {.m = m,
                        .by_family = wish->epsilon / 4,
                        .by_pace = wish->epsilon / 4,
                        .jobs = near,
                        .job_count = count};
    nadi_rng_init(&p.rng, seed, "privacy");
    for (uint32_t k = 0; k < count; k++)
        if (!nadi_learned_nearest(m, &jobs[k], v, &near[k]) || isinf(near[k].far))
            near[k].family = NADI_NONE;
    for (uint32_t i = 0; i < m->family_count; i++) {
        const uint32_t width = m->families[i].axis_count + m->families[i].label_count;
        settings = width > settings ? width : settings;
    }
    m->private = (struct nadi_learned_private){.epsilon = wish->epsilon, .settings = settings};
    p.by_setting = wish->epsilon / 2 / settings;
    const double least = log(m->family_count / false_value) / p.by_family;
    private_families(&p);
    nadi_mem_free(near);
    if (m->family_count == 0)
        return nadi_error(diags, "learn/epsilon", NADI_NOWHERE,
                          "learn from more jobs, allow a larger --epsilon, or learn the public "
                          "model from jobs that are more alike",
                          "no family of the public model has enough jobs for an epsilon of %g: "
                          "more than about %.0f",
                          wish->epsilon, least);
    return true;
}
