#include "learned/learn.h"

#include "base/mem.h"
#include "base/str.h"

#include <math.h>

struct corpus {
    struct nadi_vocabulary vocabulary;
    struct nadi_learned_job *jobs;
    uint32_t opened;
    struct nadi_strmap families;
    struct nadi_map64 refined; /* symbols of a sequence model */
    uint32_t *family_of;       /* by job */
    uint32_t family_count;
};

/* --- families ----------------------------------------------------------------------------------
 */

static void add_kinds(const struct nadi_learned_job *job, const struct nadi_vocabulary *v,
                      struct nadi_str *key)
{
    bool *used = NADI_ZNEW(bool, v->symbols.count);
    for (uint32_t c = 0; c < job->class_count; c++)
        for (uint32_t n = 0; n < job->programs[c]->node_count; n++)
            used[v->symbols.items[job->programs[c]->symbol[n]].kind_of] = true;
    for (size_t i = 0; i < v->symbols.count; i++)
        if (used[i])
            nadi_str_printf(key, " %zu", i);
    nadi_mem_free(used);
}

static bool same_labels(const struct nadi_learned_job *a, const struct nadi_learned_job *b)
{
    bool same = a->label_count == b->label_count;
    for (uint32_t i = 0; i < a->label_count && same; i++)
        same = strcmp(a->labels[i].name, b->labels[i].name) == 0 &&
               strcmp(a->labels[i].text, b->labels[i].text) == 0;
    return same;
}

static bool same_sizes(const struct nadi_learned_job *a, const struct nadi_learned_job *b)
{
    bool same = a->rank_count == b->rank_count && a->stage_count == b->stage_count &&
                a->axis_count == b->axis_count && same_labels(a, b);
    for (uint32_t i = 0; i < a->axis_count && same; i++)
        same = a->axes[i].vocabulary == b->axes[i].vocabulary && a->axes[i].size == b->axes[i].size;
    return same;
}

static bool same_symbols(const struct nadi_learned_job *a, const struct nadi_learned_job *b)
{
    bool same = true;
    for (uint32_t s = 0; s < a->stage_count && same; s++) {
        const struct nadi_job_program *p = a->programs[a->class_of_stage[s]];
        const struct nadi_job_program *q = b->programs[b->class_of_stage[s]];
        same = p->node_count == q->node_count &&
               memcmp(p->symbol, q->symbol, p->node_count * sizeof(*p->symbol)) == 0;
    }
    return same;
}

/* Two jobs of the same sizes with other programs: no law tells which of them is meant. */
static bool contradicts(const struct corpus *c, uint32_t family, const struct nadi_learned_job *job)
{
    for (const struct nadi_learned_job *other = c->jobs; other < job; other++)
        if (c->family_of[other - c->jobs] == family && same_sizes(other, job) &&
            !same_symbols(other, job))
            return true;
    return false;
}

/* What jobs of one family have in common. */
static uint32_t family_of(struct corpus *c, const struct nadi_learned_job *job,
                          enum nadi_learned_kind kind)
{
    struct nadi_str key = NADI_STR_INIT;
    const char *model = nadi_learned_label_text(job, "model");
    nadi_str_add(&key, model ? model : "");
    for (uint32_t a = 0; a < job->axis_count; a++)
        nadi_str_printf(&key, "\n%u%s", job->axes[a].vocabulary, job->axes[a].staged ? "s" : "");
    for (uint32_t i = 0; i < job->label_count; i++)
        if (!isnan(job->labels[i].value))
            nadi_str_printf(&key, "\n%s", job->labels[i].name);
    nadi_str_printf(&key, "\n%d", job->concurrent);
    add_kinds(job, &c->vocabulary, &key);
    uint32_t at = NADI_NONE;
    while (at == NADI_NONE) {
        at = nadi_strmap_put(&c->families, key.text, key.length, c->family_count, NULL);
        if (at < c->family_count && kind == NADI_LEARNED_STRUCTURAL && contradicts(c, at, job)) {
            nadi_str_add(&key, "\n+");
            at = NADI_NONE;
        }
    }
    c->family_count += at == c->family_count;
    nadi_str_release(&key);
    return at;
}

static const char *const public_axes[] = {"tp",  "cp",  "dp", "ep",   "pp", "sp",
                                          "edp", "etp", "mp", "fsdp", NULL};

/* Names that everybody uses stay, others are numbered: they could say whose job it was. */
static void name_axis(struct nadi_learned_family *f, uint32_t a, const char *name)
{
    size_t letters = strcspn(name, "0123456789");
    for (uint32_t i = 0; public_axes[i]; i++)
        if (strlen(public_axes[i]) == letters && strncmp(name, public_axes[i], letters) == 0 &&
            strspn(name + letters, "0123456789") == strlen(name + letters)) {
            snprintf(f->axes[a], NADI_LEARNED_NAME, "%s", name);
            return;
        }
    snprintf(f->axes[a], NADI_LEARNED_NAME, f->staged[a] ? "stage%u" : "axis%u", a);
}

static void find_axes(struct nadi_learning *l)
{
    const struct nadi_learned_job *job = l->jobs[0];
    for (uint32_t i = 0; i < 32; i++)
        l->bit_of[i] = NADI_NONE;
    l->family->axis_count = job->axis_count;
    for (uint32_t a = 0; a < job->axis_count; a++) {
        l->bit_of[job->axes[a].vocabulary] = a;
        l->family->staged[a] = job->axes[a].staged;
        name_axis(l->family, a, l->vocabulary->axes[job->axes[a].vocabulary]);
    }
}

static const char *const label_order[] = {"micro-batch", "sequence", "layers", "batch",
                                          "micro-batches"};
enum { KNOWN_LABELS = sizeof(label_order) / sizeof(label_order[0]) };

/* The known ones, those of work first; what else the jobs are labelled with stays with them. */
static void find_labels(struct nadi_learning *l)
{
    struct nadi_learned_family *f = l->family;
    for (uint32_t i = 0; i < KNOWN_LABELS; i++) {
        bool all = true;
        for (uint32_t k = 0; k < l->job_count; k++)
            all &= nadi_learned_label(l->jobs[k], label_order[i]) > 0;
        if (all)
            snprintf(f->labels[f->label_count++], NADI_LEARNED_NAME, "%s", label_order[i]);
    }
}

static void find_points(struct nadi_learning *l)
{
    struct nadi_learned_family *f = l->family;
    const uint32_t width = f->axis_count + f->label_count;
    f->jobs = l->job_count;
    f->pace = 1;
    f->points = NADI_ARENA_NEW(&l->model->arena, double, (size_t)width * l->job_count);
    f->hull = NADI_ARENA_NEW(&l->model->arena, double, 2 * (size_t)width);
    for (uint32_t k = 0; k < l->job_count; k++) {
        double *point = f->points + (size_t)k * width;
        for (uint32_t a = 0; a < f->axis_count; a++)
            point[a] = l->jobs[k]->axes[a].size;
        for (uint32_t i = 0; i < f->label_count; i++)
            point[f->axis_count + i] = nadi_learned_label(l->jobs[k], f->labels[i]);
        for (uint32_t i = 0; i < width; i++) {
            f->hull[2 * i] = k ? fmin(f->hull[2 * i], point[i]) : point[i];
            f->hull[2 * i + 1] = k ? fmax(f->hull[2 * i + 1], point[i]) : point[i];
        }
    }
}

/* How unlikely a set of axes is to be the replicas: tensor, context and pipeline ranks work on one
 * batch; of others the fewest. */
static uint32_t doubt(const struct nadi_learned_family *f, uint32_t set)
{
    uint32_t sum = 0;
    for (uint32_t a = 0; a < f->axis_count; a++) {
        const bool splits = f->staged[a] || nadi_learned_axis_shares(f->axes[a]);
        sum += set >> a & 1 ? (splits ? 100 : 1) : 0;
    }
    return sum;
}

/* Axes whose product is batch / (micro-batch x micro-batches) in all jobs. */
static void find_replicas(struct nadi_learning *l)
{
    struct nadi_learned_family *f = l->family;
    uint32_t least = NADI_NONE;
    for (uint32_t set = 0; set < UINT32_C(1) << f->axis_count; set++) {
        bool all = true;
        for (uint32_t k = 0; k < l->job_count && all; k++) {
            double product = nadi_learned_label(l->jobs[k], "micro-batch") *
                             nadi_learned_label(l->jobs[k], "micro-batches");
            for (uint32_t a = 0; a < f->axis_count; a++)
                product *= set >> a & 1 ? l->jobs[k]->axes[a].size : 1;
            all = fabs(product - nadi_learned_label(l->jobs[k], "batch")) < 0.5;
        }
        const uint32_t bits = doubt(f, set);
        if (all && bits < least) {
            least = bits;
            f->replicas = set | UINT32_C(1) << 31;
        }
    }
}

static void find_programs(struct nadi_learning *l)
{
    struct nadi_learned_family *f = l->family;
    const uint32_t width = f->axis_count + f->label_count;
    for (uint32_t k = 0; k < l->job_count; k++)
        l->program_count += l->jobs[k]->stage_count;
    l->programs = NADI_ZNEW(struct nadi_learned_program, l->program_count);
    uint32_t at = 0;
    for (uint32_t k = 0; k < l->job_count; k++)
        for (uint32_t s = 0; s < l->jobs[k]->stage_count; s++) {
            struct nadi_learned_program *p = &l->programs[at++];
            p->job = k;
            p->stage = s;
            p->stages = l->jobs[k]->stage_count;
            p->program = l->jobs[k]->programs[l->jobs[k]->class_of_stage[s]];
            p->features = NADI_ARENA_ZNEW(&l->records->arena, double, NADI_LAW_FEATURES);
            nadi_learned_features(f, f->points + (size_t)k * width, s, p->stages, p->features);
        }
}

static bool learn_family(struct nadi_learned_model *m, struct corpus *c, uint32_t number,
                         const struct nadi_learn_wish *wish, struct nadi_learned_records *records,
                         struct nadi_diags *diags)
{
    struct nadi_learned_job **jobs = NADI_NEW(struct nadi_learned_job *, c->opened);
    struct nadi_learning l = {.diags = diags,
                              .model = m,
                              .records = records,
                              .family = &m->families[number],
                              .vocabulary = &c->vocabulary,
                              .jobs = jobs,
                              .watch = wish->watch};
    l.watch.from = (double)number / c->family_count;
    l.watch.to = (number + 1.0) / c->family_count;
    for (uint32_t k = 0; k < c->opened; k++)
        if (c->family_of[k] == number)
            jobs[l.job_count++] = &c->jobs[k];
    l.family->concurrent = jobs[0]->concurrent;
    find_axes(&l);
    find_labels(&l);
    find_points(&l);
    find_replicas(&l);
    find_programs(&l);
    if (m->kind == NADI_LEARNED_SEQUENCE)
        nadi_learn_refine(&l, &c->vocabulary, &c->refined);
    const struct nadi_job_program **programs =
        NADI_NEW(const struct nadi_job_program *, l.program_count);
    for (uint32_t p = 0; p < l.program_count; p++)
        programs[p] = l.programs[p].program;
    const uint32_t symbols = (uint32_t)c->vocabulary.symbols.count;
    l.symbol_of = NADI_NEW(uint32_t, symbols);
    memset(l.symbol_of, 0xff, symbols * sizeof(*l.symbol_of));
    l.named = NADI_NEW(uint32_t, symbols);
    nadi_grammar_make(&l.grammar, programs, l.program_count, symbols);
    nadi_learn_order(&l);
    if (m->kind == NADI_LEARNED_STRUCTURAL)
        nadi_learn_unroll(&l);
    bool ok = true;
    if (m->kind == NADI_LEARNED_SEQUENCE)
        nadi_learn_alphabet(&l);
    else
        ok = nadi_learn_skeleton(&l);
    if (ok) {
        nadi_learn_slots(&l);
        nadi_learn_cells(&l);
        nadi_learn_totals(&l);
    }
    if (ok && m->kind == NADI_LEARNED_SEQUENCE)
        nadi_learn_network(&l, wish->seed + number);
    nadi_grammar_release(&l.grammar);
    for (uint32_t p = 0; p < l.program_count; p++)
        nadi_mem_free(l.programs[p].slot_of);
    nadi_mem_free(l.skeleton.items);
    nadi_mem_free(l.symbol_of);
    nadi_mem_free(l.named);
    nadi_mem_free(l.programs);
    nadi_mem_free(programs);
    nadi_mem_free(jobs);
    return ok;
}

/* --- messages ----------------------------------------------------------------------------------
 */

static uint32_t channel_of(struct nadi_vocabulary *v, uint32_t symbol)
{
    while (v->symbols.items[symbol].channel != symbol)
        symbol = v->symbols.items[symbol].channel;
    return symbol;
}

/* Sends and receives of one pair of stages with one tag, in their order, go together: their symbols
 * become one channel. */
static void join_stage(struct corpus *c, const struct nadi_learned_job *job, uint32_t stage)
{
    struct nadi_vocabulary *v = &c->vocabulary;
    const struct nadi_job_program *p = job->programs[job->class_of_stage[stage]];
    struct nadi_map64 sends;
    nadi_map64_init(&sends, 64);
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t s = 0; s < job->stage_count; s++) {
            const struct nadi_job_program *q = job->programs[job->class_of_stage[s]];
            if (pass == 0 && s != stage)
                continue;
            for (uint32_t n = 0; n < (pass ? q : p)->node_count; n++) {
                const struct nadi_job_program *at = pass ? q : p;
                const uint8_t type = v->symbols.items[at->symbol[n]].type;
                if (type != (pass ? NADI_NODE_RECV : NADI_NODE_SEND))
                    continue;
                const int32_t step = job->steps.items[at->peer[n]].stages;
                const uint32_t stages = job->stage_count;
                const uint32_t peer = (uint32_t)(((int32_t)s + step + (int32_t)stages)) % stages;
                if (pass && peer != stage)
                    continue;
                const uint64_t key = (uint64_t)at->tag[n] << 32 | (pass ? s : peer);
                bool added;
                const uint32_t other = *nadi_map64_put(&sends, key, at->symbol[n], &added);
                const uint32_t a = channel_of(v, other), b = channel_of(v, at->symbol[n]);
                v->symbols.items[a > b ? a : b].channel = a > b ? b : a;
            }
        }
    }
    nadi_map64_release(&sends);
}

static void join_channels(struct corpus *c, uint32_t job)
{
    for (uint32_t s = 0; s < c->jobs[job].stage_count; s++)
        join_stage(c, &c->jobs[job], s);
}

/* --- the whole ---------------------------------------------------------------------------------
 */

/* The same job twice would count as two that share its sizes, and so give them away. */
static bool all_once(const char *const *jobs, uint32_t count, struct nadi_diags *diags)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < i; j++)
            if (nadi_str_equal(jobs[i], jobs[j]))
                return nadi_error(diags, "learn/twice", NADI_IN_FILE(jobs[i]), "name each job once",
                                  "the job is named twice");
    return true;
}

bool nadi_learned_job_same(const struct nadi_learned_job *a, const struct nadi_learned_job *b)
{
    bool same = a->node_count == b->node_count && same_sizes(a, b);
    for (uint32_t s = 0; s < a->stage_count && same; s++)
        same = memcmp(a->programs[a->class_of_stage[s]]->hash,
                      b->programs[b->class_of_stage[s]]->hash, 32) == 0;
    return same;
}

static bool all_others(const struct corpus *c, struct nadi_diags *diags)
{
    for (uint32_t i = 0; i < c->opened; i++)
        for (uint32_t k = 0; k < i; k++)
            if (nadi_learned_job_same(&c->jobs[i], &c->jobs[k]))
                return nadi_error(diags, "learn/twice", NADI_IN_FILE(c->jobs[i].path),
                                  "name each job once",
                                  "the job is the same as %s: operators, figures, axes and labels",
                                  c->jobs[k].path);
    return true;
}

/* Is there something to learn, which can be made again? kept: messages before the job was opened.
 */
static bool is_whole(const struct nadi_learned_job *job, size_t kept, enum nadi_learned_kind kind,
                     struct nadi_diags *diags)
{
    uint64_t nodes = 0;
    for (uint32_t c = 0; c < job->class_count; c++)
        nodes += job->programs[c]->node_count;
    if (nodes == 0)
        return nadi_error(diags, "learn/empty", NADI_IN_FILE(job->path), NULL,
                          "no rank of the job computes, communicates or uses memory");
    for (size_t i = kept; i < diags->count && kind == NADI_LEARNED_STRUCTURAL; i++)
        if (strcmp(diags->items[i].code, "check/send-unmatched") == 0)
            return nadi_error(diags, "learn/unmatched", NADI_IN_FILE(job->path),
                              "give the traces of both sides, or learn with --model sequence, "
                              "which leaves such messages out",
                              "a message is sent that nobody receives: no job could be made of it");
    return true;
}

static bool open_all(struct corpus *c, const char *const *jobs, uint32_t count,
                     enum nadi_learned_kind kind, struct nadi_diags *diags)
{
    bool ok = all_once(jobs, count, diags);
    for (uint32_t i = 0; i < count && ok; i++) {
        const size_t kept = diags->count;
        ok = nadi_learned_job_open(&c->jobs[i], jobs[i], NULL, &c->vocabulary, diags) &&
             is_whole(&c->jobs[i], kept, kind, diags);
        c->opened++;
    }
    ok = ok && all_others(c, diags);
    for (uint32_t i = 0; i < count && ok; i++) {
        join_channels(c, i);
        c->family_of[i] = family_of(c, &c->jobs[i], kind);
    }
    for (size_t i = 0; i < c->vocabulary.symbols.count; i++)
        c->vocabulary.symbols.items[i].channel = channel_of(&c->vocabulary, (uint32_t)i);
    return ok;
}

static bool learn_families(struct nadi_learned_model *m, struct corpus *c,
                           const struct nadi_learn_wish *wish, struct nadi_diags *diags)
{
    struct nadi_learned_records records;
    m->family_count = c->family_count;
    m->families = NADI_ARENA_ZNEW(&m->arena, struct nadi_learned_family, c->family_count);
    nadi_learned_records_init(&records, m);
    bool ok = true;
    for (uint32_t f = 0; f < c->family_count && ok; f++)
        ok = learn_family(m, c, f, wish, &records, diags);
    if (ok) {
        nadi_learn_borrow(&records);
        nadi_learn_keep_totals(m);
        nadi_learn_hide(m, c->jobs, c->opened);
    }
    nadi_learned_records_release(&records);
    return ok;
}

bool nadi_learn_model(struct nadi_learned_model *m, const char *const *jobs, uint32_t count,
                      const struct nadi_learn_wish *wish, struct nadi_diags *diags)
{
    struct corpus c = {.jobs = NADI_ZNEW(struct nadi_learned_job, count),
                       .family_of = NADI_ZNEW(uint32_t, count)};
    *m = (struct nadi_learned_model){.kind = wish->kind, .job_count = count};
    nadi_arena_init(&m->arena);
    nadi_vocabulary_init(&c.vocabulary);
    nadi_strmap_init(&c.families);
    nadi_map64_init(&c.refined, 64);
    bool ok = open_all(&c, jobs, count, wish->kind, diags);
    if (ok && wish->epsilon > 0)
        ok = nadi_learn_private(m, c.jobs, c.opened, &c.vocabulary, wish, diags);
    else if (ok)
        ok = learn_families(m, &c, wish, diags);
    for (uint32_t i = 0; i < c.opened; i++)
        nadi_learned_job_release(&c.jobs[i]);
    nadi_mem_free(c.jobs);
    nadi_mem_free(c.family_of);
    nadi_strmap_release(&c.families);
    nadi_map64_release(&c.refined);
    nadi_vocabulary_release(&c.vocabulary);
    return ok;
}
