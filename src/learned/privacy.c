/* privacy: what of the training jobs is in synthetic ones, as somebody could look for it. */
#include "base/mem.h"
#include "base/search.h"
#include "base/time.h"
#include "learned/job.h"
#include "learned/measure.h"
#include "sim/fleet.h"

#include <math.h>

enum { LONE = 1 << 30 }; /* values of a map of owners: the job; from here on several */

struct looking {
    struct nadi_vocabulary vocabulary;
    struct nadi_learned_job *jobs; /* training, held out, synthetic */
    uint32_t trained, held, made, opened;
    struct nadi_map64 exact, near; /* operators of the synthetic jobs */
};

static uint64_t operator_key(const struct looking *l, const struct nadi_job_program *p, uint32_t n,
                             bool exact)
{
    const struct nadi_job_symbol *s = &l->vocabulary.symbols.items[p->symbol[n]];
    uint64_t words[5] = {s->type, s->kind, p->duration_ns[n], p->ops[n], p->bytes[n]};
    for (int i = 2; i < 5 && !exact; i++)
        words[i] = words[i] ? nadi_count_round(log((double)words[i]) / 0.02) + 1 : 0;
    return nadi_hash_words(words, 5);
}

/* Says nothing about a job: no time, no size. */
static bool is_empty(const struct nadi_job_program *p, uint32_t n)
{
    return p->duration_ns[n] == 0 && p->ops[n] == 0 && p->bytes[n] == 0;
}

static void collect_made(struct looking *l)
{
    for (uint32_t j = l->trained + l->held; j < l->opened; j++)
        for (uint32_t c = 0; c < l->jobs[j].class_count; c++) {
            const struct nadi_job_program *p = l->jobs[j].programs[c];
            for (uint32_t n = 0; n < p->node_count; n++) {
                (void)nadi_map64_put(&l->exact, operator_key(l, p, n, true), 0, NULL);
                (void)nadi_map64_put(&l->near, operator_key(l, p, n, false), 0, NULL);
            }
        }
}

/* Each different operator counts once, however often a loop repeats it. */
static void look_at(const struct looking *l, const struct nadi_learned_job *job,
                    struct nadi_privacy_job *out)
{
    struct nadi_map64 seen;
    double all = 0, exact = 0, near = 0;
    nadi_map64_init(&seen, 256);
    for (uint32_t c = 0; c < job->class_count; c++) {
        const struct nadi_job_program *p = job->programs[c];
        for (uint32_t n = 0; n < p->node_count; n++) {
            const uint64_t key = operator_key(l, p, n, true);
            bool added;
            (void)nadi_map64_put(&seen, key, 0, &added);
            if (!added || is_empty(p, n))
                continue;
            all++;
            exact += nadi_map64_find(&l->exact, key) != NADI_NONE;
            near += nadi_map64_find(&l->near, operator_key(l, p, n, false)) != NADI_NONE;
        }
    }
    nadi_map64_release(&seen);
    out->share[NADI_ATTACK_EXACT] = all > 0 ? exact / all : 0;
    out->share[NADI_ATTACK_NEAR] = all > 0 ? near / all : 0;
}

/* --- runs --------------------------------------------------------------------------------------
 */

/* How many ranks the group of a collective has. */
static uint64_t group_size(const struct nadi_learned_job *job, uint32_t role)
{
    uint64_t size = 1;
    for (uint32_t a = 0; a < job->axis_count; a++)
        if (role >> job->axes[a].vocabulary & 1)
            size *= job->axes[a].size;
    return size;
}

struct part { /* of a job: programs from `first` on */
    const struct nadi_learned_job *job;
    uint32_t first, count;
};

static struct part whole(const struct nadi_learned_job *job)
{
    return (struct part){job, 0, job->class_count};
}

static uint32_t most_nodes(const struct part *x)
{
    uint32_t most = 0;
    for (uint32_t c = x->first; c < x->first + x->count; c++)
        most = most > x->job->programs[c]->node_count ? most : x->job->programs[c]->node_count;
    return most;
}

/* In a run an operator is one in a group of the same size. */
static uint64_t *keys_of(const struct looking *l, const struct nadi_learned_job *job, uint32_t c)
{
    const struct nadi_job_program *p = job->programs[c];
    uint64_t *keys = NADI_NEW(uint64_t, p->node_count);
    for (uint32_t n = 0; n < p->node_count; n++) {
        const uint32_t role = l->vocabulary.symbols.items[p->symbol[n]].role;
        const uint64_t words[2] = {operator_key(l, p, n, true), group_size(job, role)};
        keys[n] = nadi_hash_words(words, 2);
    }
    return keys;
}

/* Calls back with the hash of every run of `length` keys; true: it wanted no more. */
static bool each_run(const uint64_t *keys, uint32_t count, uint32_t length, struct nadi_map64 *map,
                     bool add)
{
    const uint64_t base = UINT64_C(0x9e3779b97f4a7c15) | 1;
    uint64_t hash = 0, power = 1;
    for (uint32_t i = 0; i + 1 < length; i++)
        power *= base;
    for (uint32_t n = 0; n < count; n++) {
        if (n >= length)
            hash -= keys[n - length] * power;
        hash = hash * base + keys[n];
        if (n + 1 < length)
            continue;
        if (add)
            (void)nadi_map64_put(map, hash, 0, NULL);
        else if (nadi_map64_find(map, hash) != NADI_NONE)
            return true;
    }
    return false;
}

static bool shares_run(const struct looking *l, const struct part *a, const struct part *b,
                       uint32_t length)
{
    struct nadi_map64 map;
    bool found = false;
    nadi_map64_init(&map, 1024);
    for (uint32_t c = a->first; c < a->first + a->count; c++) {
        uint64_t *keys = keys_of(l, a->job, c);
        (void)each_run(keys, a->job->programs[c]->node_count, length, &map, true);
        nadi_mem_free(keys);
    }
    for (uint32_t c = b->first; c < b->first + b->count && !found; c++) {
        uint64_t *keys = keys_of(l, b->job, c);
        found = each_run(keys, b->job->programs[c]->node_count, length, &map, false);
        nadi_mem_free(keys);
    }
    nadi_map64_release(&map);
    return found;
}

/* `least` if none is longer. By bisection: a part of a run in common is in common. */
static uint32_t longest_run(const struct looking *l, struct part a, struct part b, uint32_t least)
{
    const uint32_t of_a = most_nodes(&a), of_b = most_nodes(&b), most = of_a < of_b ? of_a : of_b;
    if (least >= most || (least > 0 && !shares_run(l, &a, &b, least + 1)))
        return least;
    NADI_BISECT(uint32_t, longer, least + 1, most + 1, length, shares_run(l, &a, &b, length));
    return longer - 1;
}

/* Longest run that program c has in common with one of a synthetic job, as a share of the longer of
 * the two: 1 is a copy, and a program that merely begins like a longer one is none. */
static double run_share(const struct looking *l, const struct nadi_learned_job *job, uint32_t c)
{
    double best = 0;
    for (uint32_t s = l->trained + l->held; s < l->opened; s++)
        for (uint32_t k = 0; k < l->jobs[s].class_count; k++) {
            const struct part own = {job, c, 1}, other = {&l->jobs[s], k, 1};
            const uint32_t a = most_nodes(&own), b = most_nodes(&other), most = a > b ? a : b;
            const uint32_t least = (uint32_t)(best * most);
            const uint32_t run = longest_run(l, own, other, least);
            if (run > least)
                best = (double)run / most;
        }
    return best;
}

static void look_at_runs(const struct looking *l, struct nadi_privacy *p)
{
    p->shared_run = NADI_NONE;
    for (uint32_t j = 0; j < l->trained + l->held; j++) {
        const struct nadi_learned_job *job = &l->jobs[j];
        double sum = 0;
        for (uint32_t s = l->trained + l->held; s < l->opened; s++)
            p->jobs[j].run = longest_run(l, whole(job), whole(&l->jobs[s]), p->jobs[j].run);
        for (uint32_t c = 0; c < job->class_count; c++)
            sum += run_share(l, job, c);
        p->jobs[j].share[NADI_ATTACK_RUNS] = job->class_count ? sum / job->class_count : 0;
        if (j >= l->trained)
            continue;
        p->run = p->run > p->jobs[j].run ? p->run : p->jobs[j].run;
        for (uint32_t k = 0; k < j; k++) {
            const uint32_t run = longest_run(l, whole(job), whole(&l->jobs[k]), 0);
            p->shared_run = p->shared_run < run ? p->shared_run : run;
        }
    }
    p->shared_run = p->shared_run == NADI_NONE ? 0 : p->shared_run;
}

/* --- what one job alone has --------------------------------------------------------------------
 */

static void own(struct nadi_map64 *owners, uint64_t key, uint32_t job)
{
    bool added;
    uint32_t *owner = nadi_map64_put(owners, key, job, &added);
    if (!added && *owner != job)
        *owner = LONE;
}

static void count_sizes(const struct looking *l, struct nadi_privacy *p)
{
    struct nadi_map64 owners, made;
    nadi_map64_init(&owners, 1024);
    nadi_map64_init(&made, 1024);
    for (uint32_t j = 0; j < l->opened; j++) {
        const bool training = j < l->trained, synthetic = j >= l->trained + l->held;
        for (uint32_t c = 0; c < l->jobs[j].class_count && (training || synthetic); c++) {
            const struct nadi_job_program *x = l->jobs[j].programs[c];
            for (uint32_t n = 0; n < x->node_count; n++) {
                own(training ? &owners : &made, x->bytes[n], j);
                own(training ? &owners : &made, x->ops[n], j);
            }
        }
    }
    for (uint32_t j = 0; j < l->trained; j++)
        for (uint32_t c = 0; c < l->jobs[j].class_count; c++) {
            const struct nadi_job_program *x = l->jobs[j].programs[c];
            for (uint32_t n = 0; n < 2 * x->node_count; n++) {
                const uint64_t size = n & 1 ? x->ops[n / 2] : x->bytes[n / 2];
                uint32_t *owner = nadi_map64_put(&owners, size, j, NULL);
                if (size == 0 || *owner >= LONE)
                    continue;
                *owner = LONE + 1; /* counted */
                p->lone_sizes++;
                p->lone_sizes_out += nadi_map64_find(&made, size) != NADI_NONE;
            }
        }
    nadi_map64_release(&owners);
    nadi_map64_release(&made);
}

/* Names of nodes, which the programs do not keep. `job` LONE: of a synthetic job, looked up. */
static bool see_names(struct nadi_strmap *owners, const char *path, uint32_t job,
                      struct nadi_diags *diags)
{
    struct nadi_fleet fleet;
    const bool ok = nadi_fleet_open(&fleet, path, NULL, diags);
    for (uint32_t i = 0; ok && i < fleet.in.owned_count; i++) {
        const struct nadi_trace *t = fleet.in.owned[i];
        for (uint32_t n = 0; n < t->node_count; n++) {
            const char *name = nadi_trace_name(t, n);
            const uint32_t at = nadi_strmap_find(owners, name, strlen(name));
            if (at == NADI_NONE)
                (void)nadi_strmap_put(owners, name, strlen(name), job, NULL);
        }
    }
    nadi_fleet_close(&fleet);
    return ok;
}

/* A name of the output that any training job has is one too many: none is needed. */
static bool count_names(struct nadi_privacy *p, const char *const *training, uint32_t trained,
                        const char *const *synthetic, uint32_t made, struct nadi_diags *diags)
{
    struct nadi_strmap owners, out;
    bool ok = true;
    nadi_strmap_init(&owners);
    nadi_strmap_init(&out);
    for (uint32_t j = 0; j < trained && ok; j++)
        ok = see_names(&owners, training[j], j, diags);
    for (uint32_t j = 0; j < made && ok; j++)
        ok = see_names(&out, synthetic[j], LONE, diags);
    p->names = owners.count;
    for (size_t i = 0; i < out.slots; i++)
        if (out.keys[i] && nadi_strmap_find(&owners, out.keys[i], strlen(out.keys[i])) != NADI_NONE)
            p->names_out++;
    nadi_strmap_release(&owners);
    nadi_strmap_release(&out);
    return ok;
}

/* --- the attackers -----------------------------------------------------------------------------
 */

/* How often jobs of one side, `count` from `first` on, have more than those of the other; ties
 * count half. *variance: of that over the side. */
static double side_wins(const struct nadi_privacy *p, enum nadi_attacker by, bool trained,
                        double *variance)
{
    const uint32_t count = trained ? p->trained : p->held, others = trained ? p->held : p->trained;
    const uint32_t first = trained ? 0 : p->trained, other = trained ? p->trained : 0;
    double sum = 0, squares = 0;
    for (uint32_t i = 0; i < count; i++) {
        double wins = 0;
        for (uint32_t k = 0; k < others; k++) {
            const double x = p->jobs[first + i].share[by], y = p->jobs[other + k].share[by];
            wins += x > y ? 1 : x < y ? 0 : 0.5;
        }
        sum += wins / others;
        squares += wins / others * wins / others;
    }
    *variance = count > 1 ? fmax(squares - sum * sum / count, 0) / (count - 1) : (double)NAN;
    return sum / count;
}

/* With the standard deviation of the AUC of these jobs (DeLong, DeLong and Clarke-Pearson, 1988).
 */
static struct nadi_auc auc(const struct nadi_privacy *p, enum nadi_attacker by)
{
    double trained, held;
    if (p->held == 0)
        return (struct nadi_auc){(double)NAN, (double)NAN};
    const double value = side_wins(p, by, true, &trained);
    (void)side_wins(p, by, false, &held);
    return (struct nadi_auc){value, sqrt(trained / p->trained + held / p->held)};
}

static void attack(struct nadi_privacy *p)
{
    for (int by = 0; by < NADI_ATTACKS; by++) {
        p->auc[by] = auc(p, (enum nadi_attacker)by);
        if (p->auc[by].value > p->auc[p->strongest].value)
            p->strongest = (enum nadi_attacker)by;
    }
}

/* Of the rank sum of that many jobs in any order (Mann and Whitney, 1947). */
static double deviation(const struct nadi_privacy *p)
{
    return p->held ? sqrt((p->trained + p->held + 1.0) / (12.0 * p->trained * p->held))
                   : (double)NAN;
}

static bool open_all(struct looking *l, const char *const *paths, uint32_t count,
                     struct nadi_diags *diags)
{
    bool ok = true;
    for (uint32_t i = 0; i < count && ok; i++)
        ok = nadi_learned_job_open(&l->jobs[l->opened++], paths[i], NULL, &l->vocabulary, diags);
    return ok;
}

/* A job on both sides would make attackers look weak. */
static bool none_on_both_sides(const struct looking *l, struct nadi_diags *diags)
{
    for (uint32_t j = 0; j < l->trained; j++)
        for (uint32_t h = l->trained; h < l->trained + l->held; h++)
            if (nadi_learned_job_same(&l->jobs[j], &l->jobs[h]))
                return nadi_error(diags, "privacy/held-out", NADI_IN_FILE(l->jobs[h].path),
                                  "hold out jobs that were not learned from",
                                  "the job held out is the same as the training job %s",
                                  l->jobs[j].path);
    return true;
}

bool nadi_privacy_measure(struct nadi_privacy *p, const char *const *training, uint32_t trained,
                          const char *const *held, uint32_t held_count,
                          const char *const *synthetic, uint32_t synthetic_count,
                          struct nadi_arena *arena, struct nadi_diags *diags)
{
    struct looking l = {.trained = trained, .held = held_count, .made = synthetic_count};
    *p = (struct nadi_privacy){.trained = trained, .held = held_count};
    p->jobs = NADI_ARENA_ZNEW(arena, struct nadi_privacy_job, trained + held_count);
    l.jobs = NADI_ZNEW(struct nadi_learned_job, trained + held_count + synthetic_count);
    nadi_vocabulary_init(&l.vocabulary);
    nadi_map64_init(&l.exact, 1024);
    nadi_map64_init(&l.near, 1024);
    const bool ok =
        open_all(&l, training, trained, diags) && open_all(&l, held, held_count, diags) &&
        open_all(&l, synthetic, synthetic_count, diags) && none_on_both_sides(&l, diags) &&
        count_names(p, training, trained, synthetic, synthetic_count, diags);
    if (ok) {
        collect_made(&l);
        for (uint32_t j = 0; j < trained + held_count; j++) {
            p->jobs[j].path = l.jobs[j].path;
            look_at(&l, &l.jobs[j], &p->jobs[j]);
            if (j < trained &&
                p->jobs[j].share[NADI_ATTACK_EXACT] > p->jobs[p->nearest].share[NADI_ATTACK_EXACT])
                p->nearest = j;
        }
        look_at_runs(&l, p);
        count_sizes(&l, p);
        attack(p);
        p->guessing_deviation = deviation(p);
    }
    for (uint32_t j = 0; j < l.opened; j++)
        nadi_learned_job_release(&l.jobs[j]);
    nadi_mem_free(l.jobs);
    nadi_vocabulary_release(&l.vocabulary);
    nadi_map64_release(&l.exact);
    nadi_map64_release(&l.near);
    return ok;
}
