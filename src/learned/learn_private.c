/* learn_private: counts of jobs with noise, so that nobody can tell whether one job was there.
 *
 * What a structural model says of single jobs are counts: how many there are of each family, and
 * how many have each size of an axis and each label. Here two-sided geometric noise (Laplace's, of
 * whole numbers) is added to them, and jobs are drawn from what is left:
 *
 *   half of epsilon: jobs by family; a job is in one. Families whose noisy count is not above a
 *   threshold are left out, so that one that a single job makes shows with a chance below delta
 *   half of epsilon, in equal parts: each axis and label of a family, counted on a grid that does
 *   not depend on the jobs (whole numbers to 64, then 8 an octave); values whose noisy count could
 * be noise are left out
 *
 * By composition, sequential over the parts and parallel over families, the counts are (epsilon,
 * delta)-private for adding or taking away one job. Rules and laws are not covered: they are what
 * the jobs of a family have in common, fitted to all of them. */
#include "base/mem.h"
#include "base/rng.h"
#include "learned/learn.h"

#include <math.h>
#include <sys/random.h>

enum {
    WHOLE = 64,
    OCTAVE = 8,
    OCTAVES = 34,
    GRID = WHOLE + OCTAVE * OCTAVES, /* 1 to 64, then 72, 80, ... */
};

static const double delta = 1e-6;
static const double false_value = 0.05; /* chance that a value shows that no job has, by setting */

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
    double by_family, by_setting; /* epsilon of each */
};

/* Values of a setting in place of those of the jobs, as many as there are said to be; false: none
 * has enough jobs. */
static bool private_setting(struct private *p, struct nadi_learned_family *f, uint32_t jobs,
                            uint32_t setting, double *points)
{
    const uint32_t width = f->axis_count + f->label_count;
    const double least = log(GRID / false_value) / p->by_setting;
    int64_t counts[GRID] = {0}, sum = 0;
    for (uint32_t k = 0; k < f->jobs; k++)
        counts[grid_place(f->points[(size_t)k * width + setting])]++;
    for (uint32_t i = 0; i < GRID; i++) {
        counts[i] += nadi_private_noise(&p->rng, p->by_setting);
        counts[i] = (double)counts[i] > least ? counts[i] : 0;
        sum += counts[i];
    }
    if (sum == 0)
        return false;
    int64_t before = 0;
    uint32_t at = 0;
    for (uint32_t k = 0; k < jobs; k++) {
        while ((double)(before + counts[at]) * jobs <= (double)k * (double)sum && at + 1 < GRID)
            before += counts[at++];
        points[(size_t)k * width + setting] = nadi_private_grid(at);
    }
    return true;
}

static void forget_counts(struct nadi_learned_family *f)
{
    for (uint32_t s = 0; s < f->slot_count; s++)
        for (uint32_t c = 0; c < f->slots[s].cell_count; c++)
            f->slots[s].cells[c].jobs = 0;
}

static bool private_family(struct private *p, struct nadi_learned_family *f)
{
    enum { MOST_JOBS = 1 << 20 };
    const double least = 1 + log(1 / delta) / p->by_family;
    const uint32_t width = f->axis_count + f->label_count;
    const int64_t jobs = (int64_t)f->jobs + nadi_private_noise(&p->rng, p->by_family);
    if ((double)jobs <= least)
        return false;
    const uint32_t said = jobs < MOST_JOBS ? (uint32_t)jobs : MOST_JOBS;
    double *points = NADI_ARENA_NEW(&p->m->arena, double, (size_t)width *said);
    bool ok = true;
    for (uint32_t i = 0; i < width; i++)
        ok = private_setting(p, f, said, i, points) && ok;
    f->jobs = said;
    f->points = points;
    forget_counts(f);
    return ok;
}

static bool find_seed(uint64_t *seed, struct nadi_diags *diags)
{
    if (*seed == 0 && getrandom(seed, sizeof(*seed), 0) != (ssize_t)sizeof(*seed))
        return nadi_error(diags, "learn/random", NADI_NOWHERE, "give a secret --seed",
                          "the system gives no random numbers");
    return true;
}

bool nadi_learn_private(struct nadi_learned_model *m, double epsilon, uint64_t seed,
                        struct nadi_diags *diags)
{
    struct private p = {.m = m};
    uint32_t kept = 0, settings = 1;
    if (!find_seed(&seed, diags))
        return false;
    nadi_rng_init(&p.rng, seed, "privacy");
    for (uint32_t i = 0; i < m->family_count; i++) {
        const uint32_t width = m->families[i].axis_count + m->families[i].label_count;
        settings = width > settings ? width : settings;
    }
    m->private = (struct nadi_learned_private){
        .epsilon = epsilon, .delta = delta, .settings = settings, .left_out = m->family_count};
    p.by_family = epsilon / 2;
    p.by_setting = epsilon / 2 / settings;
    m->job_count = 0;
    for (uint32_t i = 0; i < m->family_count; i++) {
        struct nadi_learned_family family = m->families[i];
        if (private_family(&p, &family)) {
            m->families[i] = m->families[kept];
            m->families[kept++] = family;
            m->job_count += family.jobs;
        } else {
            m->families[i] = family;
        }
    }
    for (uint32_t i = kept; i < m->family_count; i++) {
        nadi_mem_free(m->families[i].symbols.items);
        nadi_mem_free(m->families[i].steps.items);
    }
    m->family_count = kept;
    m->private.left_out -= kept;
    if (kept == 0)
        return nadi_error(
            diags, "learn/epsilon", NADI_NOWHERE,
            "learn from more jobs, or allow a larger --epsilon",
            "no family has enough jobs for an epsilon of %g: about %.0f of each, and "
            "as many of a size as say anything about it",
            epsilon,
            fmax(1 + log(1 / delta) / p.by_family, log(GRID / false_value) / p.by_setting));
    return true;
}
