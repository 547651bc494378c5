#include "learned/job.h"

#include "base/mem.h"
#include "base/str.h"
#include "platform/families.h"
#include "sim/fleet.h"

#include <math.h>

/* --- the vocabulary ----------------------------------------------------------------------------
 */

void nadi_vocabulary_init(struct nadi_vocabulary *v)
{
    *v = (struct nadi_vocabulary){.axis_count = 0};
    nadi_strmap_init(&v->index);
}

void nadi_vocabulary_release(struct nadi_vocabulary *v)
{
    nadi_strmap_release(&v->index);
    nadi_mem_free(v->symbols.items);
}

/* Index of an axis's name; NADI_NONE: there are too many. */
static uint32_t axis_named(struct nadi_vocabulary *v, const char *name)
{
    for (uint32_t i = 0; i < v->axis_count; i++)
        if (strncmp(v->axes[i], name, NADI_LEARNED_NAME - 1) == 0)
            return i;
    if (v->axis_count == sizeof(v->axes) / sizeof(v->axes[0]))
        return NADI_NONE;
    snprintf(v->axes[v->axis_count], NADI_LEARNED_NAME, "%.*s", NADI_LEARNED_NAME - 1, name);
    return v->axis_count++;
}

/* --- axes --------------------------------------------------------------------------------------
 */

static bool add_axis(struct nadi_job_reader *r, const char *name, uint32_t size, uint32_t stride)
{
    struct nadi_learned_job *job = r->job;
    if (size == 1)
        return true;
    const uint32_t word = axis_named(r->vocabulary, name);
    if (word == NADI_NONE || job->axis_count == NADI_LEARNED_AXES)
        return nadi_error(r->diags, "learn/axes", NADI_IN_FILE(job->path),
                          "learn from jobs whose axes have the same names",
                          "more axes than can be told apart");
    job->axes[job->axis_count++] =
        (struct nadi_learned_axis){.vocabulary = word, .size = size, .stride = stride};
    return true;
}

/* Names of the groups that each trace's collectives use. */
struct used {
    const char **names;
    uint32_t count;
};

static struct used groups_used(const struct nadi_trace *t, struct nadi_arena *arena)
{
    struct nadi_map64 seen;
    struct used u = {.count = 0};
    nadi_map64_init(&seen, 16);
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t n = 0; n < t->node_count; n++) {
            const struct nadi_trace_comm *comm = nadi_trace_comm(t, n);
            bool added;
            if (t->type[n] != NADI_NODE_COLL || comm->group == NADI_NONE)
                continue;
            const uint32_t at = *nadi_map64_put(&seen, comm->group, (uint32_t)seen.count, &added);
            if (pass)
                u.names[at] = nadi_trace_string(t, comm->group);
        }
        if (pass == 0)
            u.names = NADI_ARENA_ZNEW(arena, const char *, seen.count + 1);
    }
    u.count = (uint32_t)seen.count;
    nadi_map64_release(&seen);
    return u;
}

static bool find_axes(struct nadi_job_reader *r)
{
    const struct nadi_inputs *in = r->in;
    const uint32_t ranks = in->rank_count;
    bool ok = true;
    if (in->axis_count) {
        for (uint32_t a = 0; a < in->axis_count && ok; a++)
            ok = add_axis(r, in->axes[a].name, in->axes[a].size, in->axes[a].stride);
        return ok;
    }
    struct nadi_families f;
    uint32_t *number = NADI_NEW(uint32_t, ranks), *counts = NADI_NEW(uint32_t, ranks);
    const char *const **names = NADI_NEW(const char *const *, ranks);
    struct used *used = NADI_ZNEW(struct used, in->owned_count);
    nadi_trace_numbers(in, number);
    for (uint32_t i = 0; i < in->owned_count; i++)
        used[i] = groups_used(in->owned[i], &r->job->arena);
    for (uint32_t rank = 0; rank < ranks; rank++) {
        names[rank] = used[number[rank]].names;
        counts[rank] = used[number[rank]].count;
    }
    nadi_families_find(&f, &in->groups, ranks, names, counts);
    for (uint32_t a = 0; a < f.axis_count && ok; a++)
        ok = add_axis(r, f.axis_names[a], f.axes[a].size, f.axes[a].stride);
    nadi_families_release(&f);
    nadi_mem_free(number);
    nadi_mem_free(counts);
    nadi_mem_free(names);
    nadi_mem_free(used);
    return ok;
}

/* --- classes -----------------------------------------------------------------------------------
 */

static bool has_messages(const struct nadi_trace *t)
{
    for (uint32_t n = 0; n < t->node_count; n++)
        if (t->type[n] == NADI_NODE_SEND || t->type[n] == NADI_NODE_RECV)
            return true;
    return false;
}

struct classes {
    struct nadi_job_reader *r;
    struct nadi_map64 index; /* the first bytes of a program's hash -> its class */
    uint32_t *of_rank, *of_trace, *number;
    struct {
        struct nadi_job_program **items;
        size_t count, capacity;
    } programs;
};

static bool classify(struct classes *c, uint32_t rank)
{
    const struct nadi_inputs *in = c->r->in;
    const uint32_t trace = c->number[rank];
    if (c->of_trace[trace] < NADI_NONE - 1) {
        c->of_rank[rank] = c->of_trace[trace];
        return true;
    }
    struct nadi_job_program *p = nadi_job_program_make(c->r, in->traces[rank], rank);
    if (!p)
        return false;
    const uint32_t next = (uint32_t)c->programs.count;
    uint64_t key;
    memcpy(&key, p->hash, sizeof(key));
    const uint32_t at = *nadi_map64_put(&c->index, key, next, NULL);
    if (at == next)
        NADI_PUSH(&c->programs, p);
    c->of_rank[rank] = at;
    /* Peers that are numbers are other steps on other ranks. */
    if (c->of_trace[trace] == NADI_NONE)
        c->of_trace[trace] = at;
    return true;
}

/* Classes of ranks, of whatever axes are staged so far. */
static bool find_classes(struct nadi_job_reader *r, struct classes *c)
{
    const struct nadi_inputs *in = r->in;
    bool ok = true;
    nadi_map64_init(&c->index, 64);
    for (uint32_t i = 0; i < in->owned_count; i++)
        c->of_trace[i] =
            !in->relative_peers && has_messages(in->owned[i]) ? NADI_NONE - 1 : NADI_NONE;
    for (uint32_t rank = 0; rank < in->rank_count && ok; rank++)
        ok = classify(c, rank);
    nadi_map64_release(&c->index);
    return ok;
}

static bool changes_along(const struct nadi_learned_job *job, const uint32_t *of_rank,
                          const struct nadi_learned_axis *axis)
{
    for (uint32_t rank = 0; rank < job->rank_count; rank++) {
        const uint32_t at = rank / axis->stride % axis->size;
        if (of_rank[rank] != of_rank[rank - at * axis->stride])
            return true;
    }
    return false;
}

static void find_stages(struct nadi_learned_job *job, const uint32_t *of_rank)
{
    job->stage_count = 1;
    for (uint32_t a = 0; a < job->axis_count; a++) {
        job->axes[a].staged = changes_along(job, of_rank, &job->axes[a]);
        job->stage_count *= job->axes[a].staged ? job->axes[a].size : 1;
    }
    job->class_of_stage = NADI_ARENA_NEW(&job->arena, uint32_t, job->stage_count);
    for (uint32_t stage = 0; stage < job->stage_count; stage++) {
        uint32_t rank = 0, rest = stage;
        for (uint32_t a = 0; a < job->axis_count; a++)
            if (job->axes[a].staged) {
                rank += rest % job->axes[a].size * job->axes[a].stride;
                rest /= job->axes[a].size;
            }
        job->class_of_stage[stage] = of_rank[rank];
    }
}

/* Stages along neighbouring axes, as where a pipeline spans dimensions of a network, are one axis.
 */
static bool are_one(const struct nadi_vocabulary *v, const struct nadi_learned_axis *a,
                    const struct nadi_learned_axis *b)
{
    bool one = a->staged && b->staged;
    for (size_t i = 0; i < v->symbols.count && one; i++) {
        const uint32_t role = v->symbols.items[i].role;
        one = (role >> a->vocabulary & 1) == (role >> b->vocabulary & 1);
    }
    return one;
}

static void merge_stages(struct nadi_learned_job *job, const struct nadi_vocabulary *v)
{
    uint32_t kept = 0;
    for (uint32_t a = 0; a < job->axis_count; a++) {
        struct nadi_learned_axis *last = kept ? &job->axes[kept - 1] : NULL;
        if (last && are_one(v, last, &job->axes[a]))
            last->size *= job->axes[a].size;
        else
            job->axes[kept++] = job->axes[a];
    }
    job->axis_count = kept;
}

/* Peers are steps along stages, which are known only when classes are: once more where they are not
 * what the first look took them for. */
static bool find_programs(struct nadi_job_reader *r)
{
    struct nadi_learned_job *job = r->job;
    struct classes c = {.r = r};
    c.of_rank = NADI_NEW(uint32_t, job->rank_count);
    c.number = NADI_NEW(uint32_t, job->rank_count);
    c.of_trace = NADI_NEW(uint32_t, r->in->owned_count);
    nadi_trace_numbers(r->in, c.number);
    job->stage_count = 1;
    bool ok = find_classes(r, &c);
    if (ok)
        find_stages(job, c.of_rank);
    if (ok && job->stage_count > 1 && job->steps.count) {
        job->steps.count = 0;
        c.programs.count = 0;
        nadi_map64_release(&r->steps);
        nadi_map64_init(&r->steps, 16);
        ok = find_classes(r, &c);
    }
    job->class_count = (uint32_t)c.programs.count;
    job->programs = NADI_ARENA_NEW(&job->arena, struct nadi_job_program *, job->class_count);
    if (job->class_count)
        memcpy(job->programs, c.programs.items,
               job->class_count * sizeof(struct nadi_job_program *));
    if (ok) {
        find_stages(job, c.of_rank);
        merge_stages(job, r->vocabulary);
    }
    nadi_mem_free(c.of_rank);
    nadi_mem_free(c.number);
    nadi_mem_free(c.of_trace);
    nadi_mem_free(c.programs.items);
    return ok;
}

/* --- the whole ---------------------------------------------------------------------------------
 */

static void copy_labels(struct nadi_learned_job *job, const struct nadi_inputs *in)
{
    job->label_count = in->label_count;
    for (uint32_t i = 0; i < in->label_count; i++)
        job->labels[i] = (struct nadi_job_label){
            .name = nadi_arena_strdup(&job->arena, in->labels[i].name),
            .text = nadi_arena_strdup(&job->arena, in->labels[i].text),
            .value = in->labels[i].value,
        };
}

double nadi_learned_label(const struct nadi_learned_job *job, const char *name)
{
    for (uint32_t i = 0; i < job->label_count; i++)
        if (strcmp(job->labels[i].name, name) == 0)
            return job->labels[i].value;
    return (double)NAN;
}

const char *nadi_learned_label_text(const struct nadi_learned_job *job, const char *name)
{
    for (uint32_t i = 0; i < job->label_count; i++)
        if (strcmp(job->labels[i].name, name) == 0)
            return job->labels[i].text;
    return NULL;
}

static bool read_job(struct nadi_learned_job *job, struct nadi_fleet *fleet,
                     struct nadi_vocabulary *v, struct nadi_diags *diags)
{
    struct nadi_job_reader r = {.job = job, .in = &fleet->in, .vocabulary = v, .diags = diags};
    job->rank_count = fleet->in.rank_count;
    for (uint32_t i = 0; i < fleet->in.owned_count; i++)
        job->concurrent |= fleet->in.owned[i]->concurrent;
    for (uint32_t rank = 0; rank < job->rank_count; rank++)
        job->node_count += fleet->in.traces[rank]->node_count;
    copy_labels(job, &fleet->in);
    nadi_map64_init(&r.roles, 16);
    nadi_map64_init(&r.steps, 16);
    const bool ok = find_axes(&r) && find_programs(&r);
    nadi_map64_release(&r.roles);
    nadi_map64_release(&r.steps);
    return ok;
}

bool nadi_learned_job_open(struct nadi_learned_job *job, const char *workload, const char *groups,
                           struct nadi_vocabulary *v, struct nadi_diags *diags)
{
    struct nadi_fleet fleet;
    *job = (struct nadi_learned_job){.path = workload};
    nadi_arena_init(&job->arena);
    const bool ok = nadi_fleet_open(&fleet, workload, groups, diags) &&
                    nadi_fleet_compare(&fleet, diags) && read_job(job, &fleet, v, diags);
    nadi_fleet_close(&fleet);
    return ok;
}

void nadi_learned_job_release(struct nadi_learned_job *job)
{
    nadi_mem_free(job->steps.items);
    nadi_arena_release(&job->arena);
}
