/* make_like: the family of a model, and the point in it, that are nearest to a job.
 *
 * Families differ in the kinds of operators that their jobs have. One that communicates as the job
 * does stands before all others, whether or not it can be made at the job's sizes; then those that
 * can be made; then those that compute as the job does, as far as kinds of nodes say. */
#include "base/mem.h"
#include "learned/make.h"

#include <math.h>

static bool has_axes(const struct nadi_learned_family *f, const struct nadi_learned_job *job,
                     const struct nadi_vocabulary *v)
{
    bool same = f->axis_count == job->axis_count;
    for (uint32_t a = 0; a < job->axis_count && same; a++) {
        const char *name = v->axes[job->axes[a].vocabulary];
        same = f->staged[a] == job->axes[a].staged &&
               (strcmp(f->axes[a], name) == 0 || strncmp(f->axes[a], "axis", 4) == 0 ||
                strncmp(f->axes[a], "stage", 5) == 0);
    }
    return same;
}

struct sort_of_node { /* an operator's kind, in axes of the family */
    uint32_t type, kind, host, role;
};

static bool has_sort(const struct sort_of_node *sorts, uint32_t count, struct sort_of_node x)
{
    for (uint32_t i = 0; i < count; i++)
        if (sorts[i].type == x.type && sorts[i].kind == x.kind && sorts[i].host == x.host &&
            sorts[i].role == x.role)
            return true;
    return false;
}

static uint32_t add_sort(struct sort_of_node *sorts, uint32_t count, struct sort_of_node x)
{
    if (has_sort(sorts, count, x))
        return count;
    sorts[count] = x;
    return count + 1;
}

static int on_host(uint8_t flags)
{
    return (flags & NADI_NODE_IS_CPU) != 0;
}

static uint32_t sorts_of_job(const struct nadi_learned_job *job, const struct nadi_vocabulary *v,
                             struct sort_of_node *sorts)
{
    bool *seen = NADI_ZNEW(bool, v->symbols.count);
    uint32_t count = 0;
    for (uint32_t c = 0; c < job->class_count; c++)
        for (uint32_t n = 0; n < job->programs[c]->node_count; n++) {
            const uint32_t number = job->programs[c]->symbol[n];
            const struct nadi_job_symbol *x = &v->symbols.items[number];
            struct sort_of_node s = {x->type, x->kind, (uint32_t)on_host(x->flags), 0};
            for (uint32_t a = 0; a < job->axis_count; a++)
                s.role |= (x->role >> job->axes[a].vocabulary & 1) << a;
            if (!seen[number])
                count = add_sort(sorts, count, s);
            seen[number] = true;
        }
    nadi_mem_free(seen);
    return count;
}

struct strange {            /* kinds of operators that one of the two has and the other has not */
    uint32_t messages, all; /* of them those that communicate */
};

static void compare_sorts(struct strange *strange, const struct sort_of_node *a, uint32_t count,
                          const struct sort_of_node *b, uint32_t others)
{
    for (uint32_t i = 0; i < count; i++) {
        const bool only = !has_sort(b, others, a[i]);
        strange->all += only;
        strange->messages += only && (a[i].type == NADI_NODE_COLL || a[i].type == NADI_NODE_SEND ||
                                      a[i].type == NADI_NODE_RECV);
    }
}

static struct strange strange_to(const struct nadi_learned_family *f,
                                 const struct sort_of_node *other, uint32_t other_count)
{
    struct sort_of_node *own = NADI_NEW(struct sort_of_node, f->symbols.count);
    struct strange strange = {0, 0};
    uint32_t own_count = 0;
    for (size_t i = 0; i < f->symbols.count; i++) {
        const struct nadi_learned_symbol *x = &f->symbols.items[i];
        const struct sort_of_node s = {x->type, x->kind, (uint32_t)on_host(x->flags), x->role};
        own_count = add_sort(own, own_count, s);
    }
    compare_sorts(&strange, own, own_count, other, other_count);
    compare_sorts(&strange, other, other_count, own, own_count);
    nadi_mem_free(own);
    return strange;
}

/* How far the kinds of operators and their numbers are from those that the family makes there.
 * *pace: the job's durations by the family's. */
static double distance(const struct nadi_learned_model *m, uint32_t number, const double *point,
                       const struct nadi_learned_job *job, const struct nadi_vocabulary *v,
                       double *pace)
{
    double counts[2][NADI_NODE_TYPES][NADI_COLLECTIVE_KINDS + 1][2] = {{{{0}}}}, sum = 0;
    double bytes[2] = {0}, ns[2] = {0};
    struct nadi_diags ignored;
    struct nadi_made_job made;
    const struct nadi_learned_wish wish = {
        .family = number, .point = point, .compute_scale = 1, .comm_scale = 1};
    nadi_diags_init(&ignored);
    const bool ok = nadi_learned_make(&made, m, &wish, &ignored);
    for (uint32_t s = 0; ok && s < made.stage_count; s++)
        for (size_t n = 0; n < made.stages[s].nodes.count; n++) {
            const struct nadi_made_node *node = &made.stages[s].nodes.items[n];
            const struct nadi_learned_symbol *x = &made.family->symbols.items[node->symbol];
            counts[on_host(x->flags)][x->type][x->kind][0]++;
            bytes[0] += (double)node->bytes;
            ns[0] += (double)node->duration_ns;
        }
    nadi_made_job_release(&made);
    nadi_diags_release(&ignored);
    for (uint32_t s = 0; s < job->stage_count; s++) {
        const struct nadi_job_program *p = job->programs[job->class_of_stage[s]];
        for (uint32_t n = 0; n < p->node_count; n++) {
            const struct nadi_job_symbol *x = &v->symbols.items[p->symbol[n]];
            counts[on_host(x->flags)][x->type][x->kind][1]++;
            bytes[1] += (double)p->bytes[n];
            ns[1] += (double)p->duration_ns[n];
        }
    }
    for (int h = 0; h < 2; h++)
        for (int t = 0; t < NADI_NODE_TYPES; t++)
            for (int k = 0; k <= NADI_COLLECTIVE_KINDS; k++)
                sum += fabs(log1p(counts[h][t][k][0]) - log1p(counts[h][t][k][1]));
    sum += fabs(log1p(bytes[0]) - log1p(bytes[1])) + fabs(log1p(ns[0]) - log1p(ns[1]));
    *pace = ns[0] > 0 && ns[1] > 0 ? ns[1] / ns[0] : 1;
    return ok ? sum : HUGE_VAL;
}

static void point_of(const struct nadi_learned_family *f, const struct nadi_learned_job *job,
                     double *point)
{
    for (uint32_t a = 0; a < f->axis_count; a++)
        point[a] = job->axes[a].size;
    for (uint32_t i = 0; i < f->label_count; i++) {
        const double value = nadi_learned_label(job, f->labels[i]);
        point[f->axis_count + i] = value > 0 ? value : f->points[f->axis_count + i];
    }
}

static bool is_nearer(struct strange a, double far_a, struct strange b, double far_b)
{
    if (a.messages != b.messages)
        return a.messages < b.messages;
    if (isinf(far_a) != isinf(far_b))
        return isinf(far_b);
    return a.all != b.all ? a.all < b.all : far_a < far_b;
}

bool nadi_learned_nearest(const struct nadi_learned_model *m, const struct nadi_learned_job *job,
                          const struct nadi_vocabulary *v, struct nadi_learned_near *near)
{
    struct sort_of_node *sorts = NADI_NEW(struct sort_of_node, v->symbols.count);
    const uint32_t sort_count = sorts_of_job(job, v, sorts);
    struct strange least = {0, 0};
    near->family = NADI_NONE;
    near->far = HUGE_VAL;
    for (uint32_t f = 0; f < m->family_count; f++) {
        double tried[NADI_LEARNED_AXES + NADI_LEARNED_LABELS], pace;
        if (!has_axes(&m->families[f], job, v))
            continue;
        const struct strange strange = strange_to(&m->families[f], sorts, sort_count);
        if (near->family != NADI_NONE && strange.messages > least.messages)
            continue; /* however near: not made to see */
        point_of(&m->families[f], job, tried);
        const double far = distance(m, f, tried, job, v, &pace);
        if (near->family == NADI_NONE || is_nearer(strange, far, least, near->far)) {
            least = strange;
            near->strange = strange.all;
            near->far = far;
            near->family = f;
            near->pace = pace;
            memcpy(near->point, tried, sizeof(tried));
        }
    }
    nadi_mem_free(sorts);
    return near->family != NADI_NONE;
}

bool nadi_learned_like(const struct nadi_learned_model *m, const char *workload, uint32_t *family,
                       double *point, struct nadi_diags *diags)
{
    struct nadi_vocabulary v;
    struct nadi_learned_job job;
    struct nadi_learned_near near;
    nadi_vocabulary_init(&v);
    bool ok = nadi_learned_job_open(&job, workload, NULL, &v, diags);
    if (ok && !nadi_learned_nearest(m, &job, &v, &near))
        ok = nadi_error(diags, "synth/like", NADI_IN_FILE(workload),
                        "learn from a job with the same axes of parallelism",
                        "no family of the model has the axes of this job");
    if (ok) {
        if (near.strange)
            nadi_note(
                diags, "synth/kinds", NADI_IN_FILE(workload),
                "learn from jobs nearer to its sizes, which have the same kinds",
                "of the families that can be made family %u is the nearest; kinds of operators "
                "that are in the job alone, or in the family alone: %u",
                near.family + 1, near.strange);
        *family = near.family;
        memcpy(point, near.point, sizeof(near.point));
    }
    nadi_learned_job_release(&job);
    nadi_vocabulary_release(&v);
    return ok;
}
