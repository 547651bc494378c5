/* learn_cells: what the programs say of each cell, and the laws of it. */
#include "learned/learn_cells.h"
#include "base/mem.h"

#include <math.h>

static struct sample *sample_of(struct cells *c, uint32_t slot, uint32_t where, uint32_t program)
{
    const uint32_t next = (uint32_t)c->list.count;
    bool added;
    const uint32_t at =
        *nadi_map64_put(&c->index, (uint64_t)slot << 24 | (where & 0xffffff), next, &added);
    if (added) {
        const struct cell fresh = {.slot = slot, .where = where & 0xffffff};
        NADI_PUSH(&c->list, fresh);
    }
    struct cell *cell = &c->list.items[at];
    if (cell->samples.count == 0 ||
        cell->samples.items[cell->samples.count - 1].program != program) {
        const struct sample fresh = {.program = program, .node = NADI_NONE};
        NADI_PUSH(&cell->samples, fresh);
    }
    return &cell->samples.items[cell->samples.count - 1];
}

/* Of an outermost node: does the program have one of its sort before it? What follows a loop that
 * came round no times is the first there. */
static uint32_t outermost(struct cells *c, uint32_t slot, uint32_t program)
{
    const struct nadi_learned_family *f = c->l->family;
    const uint32_t symbol = f->slots[slot].symbol;
    if (symbol == NADI_NONE)
        return 0;
    return nadi_learned_outermost(c->met[f->symbols.items[symbol].kind_of] != program);
}

static void look(struct cells *c, uint32_t slot, uint32_t where, uint32_t program,
                 const struct nadi_grammar_item *item)
{
    const struct nadi_learned_slot *s = &c->l->family->slots[slot];
    struct sample *sample = sample_of(c, slot, where, program);
    sample->count++;
    if (s->symbol != NADI_NONE)
        c->met[c->l->family->symbols.items[s->symbol].kind_of] = program;
    if (s->symbol == NADI_NONE) {
        sample->times += item->count;
        for (uint32_t i = 0; i < item->count; i++)
            for (uint32_t k = 0; k < s->count; k++)
                look(c, s->first + k, where << 3 | (uint32_t)nadi_learned_where(i, item->count),
                     program, &item->in[i * s->count + k]);
        return;
    }
    const struct nadi_job_program *p = c->l->programs[program].program;
    const uint32_t n = item->node;
    const double log_ns = log((double)p->duration_ns[n] + 1e-3);
    sample->ns += (double)p->duration_ns[n];
    sample->ops += (double)p->ops[n];
    sample->bytes += (double)p->bytes[n];
    sample->logs += log_ns;
    sample->log_squares += log_ns * log_ns;
    if (sample->node == NADI_NONE)
        sample->node = n;
}

static void look_at_program(struct cells *c, uint32_t program, const bool *uneven)
{
    const uint32_t count = c->l->grammar.parses[program].count;
    const uint32_t *slot_of = c->l->programs[program].slot_of;
    uint32_t *where = NADI_ZNEW(uint32_t, count);
    if (uneven)
        nadi_learn_places(c->l, uneven, program, where);
    for (uint32_t i = 0; i < count; i++)
        look(c, slot_of[i], uneven ? where[i] : outermost(c, slot_of[i], program), program,
             &c->l->grammar.parses[program].items[i]);
    nadi_mem_free(where);
}

/* --- laws --------------------------------------------------------------------------------------
 */

void nadi_cells_fit(const struct cells *c, struct nadi_law *law, const struct table *t,
                    enum nadi_law_target target)
{
    const bool figure = target == NADI_TARGET_POSITIVE;
    const struct nadi_law_samples s = {
        .kinds = c->trust.kinds,
        .order = figure ? c->trust.figures : c->trust.counts,
        .order_count = figure ? c->trust.figure_count : c->trust.count_count,
        .trusted_count = figure ? c->trust.trusted_count : c->trust.trusted_counts,
        .count = t->count,
        .features = t->features,
        .values = t->values,
        .noises = figure ? t->noises : NULL,
        .same = figure ? t->same : 0};
    nadi_law_fit(law, &s, target, &c->l->model->arena);
}

static double mean_of(const struct sample *s, enum figure f)
{
    const double sum = f == NS ? s->ns : f == OPS ? s->ops : f == BYTES ? s->bytes : s->times;
    return sum / s->count;
}

static double noise_of(const struct sample *s)
{
    const double mean = s->logs / s->count;
    const double variance = s->log_squares / s->count - mean * mean;
    return s->count > 1 && variance > 1e-9 ? sqrt(variance) : 0;
}

static void fit_figure(const struct cells *c, const struct group *g, enum figure f,
                       struct nadi_law *law, struct table *t)
{
    t->count = 0;
    t->same = f == NS ? one_tick : 0;
    for (uint32_t i = 0; i < g->count; i++) {
        const struct sample *s = g->samples[i];
        t->features[t->count] = c->l->programs[s->program].features;
        t->noises[t->count] = f == NS ? noise_of(s) : 0;
        t->works[0][t->count] = mean_of(s, OPS);
        t->works[1][t->count] = mean_of(s, BYTES);
        t->values[t->count++] = mean_of(s, f);
    }
    nadi_cells_fit(c, law, t, f == TIMES ? NADI_TARGET_COUNT : NADI_TARGET_POSITIVE);
}

/* --- dependencies ------------------------------------------------------------------------------
 */

static bool same_shape(const struct nadi_job_program *a, uint32_t i,
                       const struct nadi_job_program *b, uint32_t k)
{
    const uint32_t count = a->ref_start[i + 1] - a->ref_start[i];
    if (b->ref_start[k + 1] - b->ref_start[k] != count)
        return false;
    for (uint32_t r = 0; r < count; r++)
        if (a->refs[a->ref_start[i] + r].kind_of != b->refs[b->ref_start[k] + r].kind_of)
            return false;
    return true;
}

static void fit_runs(const struct cells *c, const struct group *g, const uint32_t *shape_of,
                     uint32_t shape, struct nadi_learned_shape *out, struct table *t)
{
    for (uint32_t r = 0; r < out->run_count; r++) {
        struct nadi_learned_run *run = &out->runs[r];
        for (int which = 0; which < 2; which++) {
            t->count = 0;
            for (uint32_t i = 0; i < g->count; i++) {
                const struct sample *s = g->samples[i];
                if (shape_of[i] != shape)
                    continue;
                const struct nadi_job_program *p = program_of(c, s);
                const struct nadi_job_refs *ref = &p->refs[p->ref_start[s->node] + r];
                run->kind_of = c->l->symbol_of[ref->kind_of];
                t->features[t->count] = c->l->programs[s->program].features;
                t->values[t->count++] = which ? ref->count : ref->k;
            }
            nadi_cells_fit(c, which ? &run->count : &run->k, t, NADI_TARGET_COUNT);
        }
    }
}

static void fit_shapes(const struct cells *c, const struct group *g, struct nadi_learned_cell *out,
                       struct table *t)
{
    const uint32_t samples = g->count;
    uint32_t *shape_of = NADI_NEW(uint32_t, samples), *first = NADI_NEW(uint32_t, samples);
    for (uint32_t i = 0; i < samples; i++) {
        const struct sample *s = g->samples[i];
        uint32_t k = 0;
        for (; k < out->shape_count; k++) {
            const struct sample *other = g->samples[first[k]];
            if (same_shape(program_of(c, s), s->node, program_of(c, other), other->node))
                break;
        }
        if (k == out->shape_count)
            first[out->shape_count++] = i;
        shape_of[i] = k;
        t->features[i] = c->l->programs[s->program].features;
        t->values[i] = k;
    }
    t->count = samples;
    nadi_cells_fit(c, &out->shape, t, NADI_TARGET_CHOICE);
    out->shapes = NADI_ARENA_ZNEW(&c->l->model->arena, struct nadi_learned_shape, out->shape_count);
    for (uint32_t k = 0; k < out->shape_count; k++) {
        const struct sample *s = g->samples[first[k]];
        const struct nadi_job_program *p = program_of(c, s);
        out->shapes[k].run_count = p->ref_start[s->node + 1] - p->ref_start[s->node];
        out->shapes[k].runs =
            NADI_ARENA_ZNEW(&c->l->model->arena, struct nadi_learned_run, out->shapes[k].run_count);
        fit_runs(c, g, shape_of, k, &out->shapes[k], t);
    }
    nadi_mem_free(shape_of);
    nadi_mem_free(first);
}

/* --- the whole ---------------------------------------------------------------------------------
 */

static uint32_t jobs_of(const struct cells *c, const struct cell *cell)
{
    uint32_t count = 0, last = NADI_NONE;
    for (size_t i = 0; i < cell->samples.count; i++) {
        const uint32_t job = c->l->programs[cell->samples.items[i].program].job;
        count += job != last;
        last = job;
    }
    return count;
}

static bool same_refs(const struct cells *c, const struct sample *a, const struct sample *b)
{
    const struct nadi_job_program *p = program_of(c, a);
    const struct nadi_job_refs *x = &p->refs[p->ref_start[a->node]];
    const struct nadi_job_refs *y = &p->refs[p->ref_start[b->node]];
    const uint32_t count = p->ref_start[a->node + 1] - p->ref_start[a->node];
    return p->ref_start[b->node + 1] - p->ref_start[b->node] == count &&
           memcmp(x, y, count * sizeof(*x)) == 0;
}

static bool same_figure(const struct cells *c, enum figure f, const struct sample *a,
                        const struct sample *b)
{
    if (f == DEPENDENCIES)
        return same_refs(c, a, b);
    if (f == PEER)
        return program_of(c, a)->peer[a->node] == program_of(c, b)->peer[b->node];
    const double x = mean_of(a, f), y = mean_of(b, f);
    return fabs(x - y) <= fmax(1e-6 * fmax(x, y), f == NS ? one_tick : 0);
}

/* Adds the cell's samples; false: it says something else somewhere, or they never meet. */
static bool join(const struct cells *c, struct group *g, const struct cell *cell, enum figure f)
{
    const size_t most = cell->samples.count;
    uint32_t meet = 0, fresh = 0;
    for (size_t i = 0, k = 0; i < most; i++) {
        const struct sample *s = &cell->samples.items[i];
        while (k < g->count && g->samples[k]->program < s->program)
            k++;
        if (k == g->count || g->samples[k]->program > s->program)
            fresh++;
        else if (same_figure(c, f, g->samples[k], s))
            meet++;
        else
            return false;
    }
    if (g->count && !meet)
        return false;
    uint32_t at = g->count + fresh, old = g->count;
    g->count = at;
    for (size_t i = most; i > 0;) {
        const struct sample *s = &cell->samples.items[i - 1];
        if (old && g->samples[old - 1]->program > s->program) {
            g->samples[--at] = g->samples[--old];
            continue;
        }
        i--;
        if (!old || g->samples[old - 1]->program < s->program)
            g->samples[--at] = s;
    }
    return true;
}

static void fit_one(struct cells *c, const struct group *g, enum figure f,
                    struct nadi_learned_cell *out, struct table *t)
{
    struct nadi_law *const laws[] = {
        [NS] = &out->duration_ns, [OPS] = &out->ops, [BYTES] = &out->bytes, [TIMES] = &out->count};
    if (f == DEPENDENCIES)
        fit_shapes(c, g, out, t);
    else if (f == PEER)
        nadi_cells_fit_peer(c, g, out, t);
    else
        fit_figure(c, g, f, laws[f], t);
}

static void copy_one(enum figure f, struct nadi_learned_cell *to,
                     const struct nadi_learned_cell *from)
{
    switch (f) {
    case NS:
        to->duration_ns = from->duration_ns;
        break;
    case OPS:
        to->ops = from->ops;
        break;
    case BYTES:
        to->bytes = from->bytes;
        break;
    case TIMES:
        to->count = from->count;
        break;
    case PEER:
        to->peer = from->peer;
        break;
    case DEPENDENCIES:
        to->shape = from->shape;
        to->shape_count = from->shape_count;
        to->shapes = from->shapes;
        break;
    case FIGURES:
        break;
    }
}

static int by_samples(const void *a, const void *b)
{
    const struct cell *x = *(const struct cell *const *)a, *y = *(const struct cell *const *)b;
    if (x->samples.count != y->samples.count)
        return x->samples.count > y->samples.count ? -1 : 1;
    return x->where < y->where ? -1 : x->where > y->where;
}

/* For families that never varied what this one did. The table has the samples of the law. */
static void record(const struct cells *c, const struct cell *cells, uint32_t count, enum figure f,
                   const struct group *g, struct nadi_learned_cell *out, const struct table *t)
{
    const struct nadi_learned_slot *slot = &c->l->family->slots[cells->slot];
    struct nadi_law **members = NADI_NEW(struct nadi_law *, count);
    const char *model = nadi_learned_label_text(c->l->jobs[0], "model");
    struct nadi_learned_seen seen = {.family = c->l->family,
                                     .model = model ? model : "",
                                     .figure = f,
                                     .same = t->same,
                                     .members = members,
                                     .count = t->count,
                                     .features = t->features,
                                     .values = t->values};
    for (uint32_t w = 0; w < NADI_LEARNED_WORKS && f == NS; w++)
        seen.works[w] = t->works[w];
    if (f <= BYTES && slot->symbol != NADI_NONE) {
        seen.symbol = c->l->named[slot->symbol];
        for (uint32_t k = 0; k < count; k++)
            if (out[k].group == g->first)
                members[seen.member_count++] = f == NS    ? &out[k].duration_ns
                                               : f == OPS ? &out[k].ops
                                                          : &out[k].bytes;
        nadi_learn_record(c->l->records, &seen);
    }
    nadi_mem_free(members);
}

/* Cells of a slot that agree share a law: one that few jobs visit knows what all of them do. */
static void fit_groups(struct cells *c, const struct cell *cells, uint32_t count, enum figure f,
                       struct nadi_learned_cell *out, struct table *t)
{
    const struct cell **order = NADI_NEW(const struct cell *, count);
    bool *done = NADI_ZNEW(bool, count);
    struct group g = {.samples = NADI_NEW(const struct sample *, c->l->program_count)};
    for (uint32_t i = 0; i < count; i++) {
        order[i] = &cells[i];
        out[i].group = NADI_NONE;
    }
    qsort(order, count, sizeof(*order), by_samples);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t first = NADI_NONE;
        g.count = 0;
        for (uint32_t k = i; k < count; k++) {
            const uint32_t at = (uint32_t)(order[k] - cells);
            if (done[at] || (g.count && k > i && !join(c, &g, order[k], f)))
                continue;
            if (first == NADI_NONE) {
                (void)join(c, &g, order[k], f);
                first = at;
            }
            done[at] = true;
            order[k] = &cells[at];
            out[at].group = first;
        }
        if (first == NADI_NONE)
            continue;
        fit_one(c, &g, f, &out[first], t);
        g.first = first;
        for (uint32_t k = 0; k < count; k++)
            if (k != first && done[k] && out[k].group == first)
                copy_one(f, &out[k], &out[first]);
        record(c, cells, count, f, &g, out, t);
    }
    nadi_mem_free(order);
    nadi_mem_free(done);
    nadi_mem_free(g.samples);
}

static const struct nadi_learned_cell *cell_at(const struct nadi_learned_slot *slot, uint32_t where)
{
    for (uint32_t i = 0; i < slot->cell_count; i++)
        if (slot->cells[i].where == where)
            return &slot->cells[i];
    return NULL;
}

/* Does a loop that comes round once have what its first and last round have, the more of the two,
 * wherever it was seen? */
static bool is_first_and_last(const struct cells *c, const struct nadi_learned_slot *slot,
                              const struct cell *cell)
{
    const uint32_t around = cell->where & ~UINT32_C(7);
    const struct nadi_learned_cell *first = cell_at(slot, around | NADI_WHERE_FIRST);
    const struct nadi_learned_cell *last = cell_at(slot, around | NADI_WHERE_LAST);
    bool same = (cell->where & 7) == NADI_WHERE_ONLY && first && last;
    for (size_t i = 0; same && i < cell->samples.count; i++) {
        const double *at = c->l->programs[cell->samples.items[i].program].features;
        const double more =
            fmax(nadi_law_value(&first->count, at), nadi_law_value(&last->count, at));
        same = fabs(round(more) - mean_of(&cell->samples.items[i], TIMES)) < 1e-9;
    }
    return same;
}

/* Those rounds were seen more often, and their laws know more: what says no more is left out. */
static void drop_only_rounds(struct cells *c, const struct cell *cells,
                             struct nadi_learned_slot *slot)
{
    uint32_t kept = 0;
    bool *drop = NADI_NEW(bool, slot->cell_count);
    for (uint32_t i = 0; i < slot->cell_count; i++)
        drop[i] = is_first_and_last(c, slot, &cells[i]);
    for (uint32_t i = 0; i < slot->cell_count; i++)
        if (!drop[i])
            slot->cells[kept++] = slot->cells[i];
    slot->cell_count = kept;
    nadi_mem_free(drop);
}

/* Of an outermost rule that some programs do not have: how often they have it, 0 there, where one
 * linear law says that; it says then where the rule is, too. */
static void count_absent(struct cells *c, const struct cell *cell, struct nadi_learned_slot *slot,
                         struct table *t)
{
    struct nadi_law law = slot->cells[0].count;
    bool says = law.form == NADI_LAW_LINEAR;
    size_t at = 0;
    t->count = c->l->program_count;
    for (uint32_t p = 0; p < t->count; p++) {
        const bool here = at < cell->samples.count && cell->samples.items[at].program == p;
        t->features[p] = c->l->programs[p].features;
        t->values[p] = here ? mean_of(&cell->samples.items[at++], TIMES) : 0;
        says = says && (here || nadi_law_value(&law, t->features[p]) < 0.5);
    }
    if (!says)
        nadi_cells_fit(c, &law, t, NADI_TARGET_COUNT);
    if (law.form == NADI_LAW_LINEAR && cell->samples.count < t->count)
        slot->present = slot->cells[0].count = law;
}

static void fit_slot(struct cells *c, const struct cell *cells, struct nadi_learned_slot *slot,
                     struct table *t)
{
    for (uint32_t i = 0; i < slot->cell_count; i++)
        slot->cells[i] =
            (struct nadi_learned_cell){.where = cells[i].where, .jobs = jobs_of(c, &cells[i])};
    if (slot->symbol == NADI_NONE) {
        const bool outer = slot < c->l->family->slots + c->l->family->outer_count;
        fit_groups(c, cells, slot->cell_count, TIMES, slot->cells, t);
        if (!outer)
            drop_only_rounds(c, cells, slot);
        else if (slot->cell_count == 1 && c->l->model->kind == NADI_LEARNED_STRUCTURAL)
            count_absent(c, &cells[0], slot, t);
        return;
    }
    const uint8_t type = c->l->family->symbols.items[slot->symbol].type;
    fit_groups(c, cells, slot->cell_count, NS, slot->cells, t);
    fit_groups(c, cells, slot->cell_count, OPS, slot->cells, t);
    fit_groups(c, cells, slot->cell_count, BYTES, slot->cells, t);
    fit_groups(c, cells, slot->cell_count, DEPENDENCIES, slot->cells, t);
    if (type == NADI_NODE_SEND || type == NADI_NODE_RECV)
        fit_groups(c, cells, slot->cell_count, PEER, slot->cells, t);
}

/* Which of the skeleton's outermost items a program has; of a sequence model, how often each, and
 * how many in all. */
static void fit_presence(struct cells *c, struct table *t)
{
    const struct nadi_learning *l = c->l;
    const bool drawn = l->model->kind == NADI_LEARNED_SEQUENCE;
    const uint32_t slots = l->family->outer_count;
    uint32_t *times = NADI_ZNEW(uint32_t, (size_t)slots * l->program_count);
    for (uint32_t p = 0; p < l->program_count; p++) {
        const uint32_t count = l->grammar.parses[p].count;
        t->features[p] = l->programs[p].features;
        t->values[p] = count;
        for (uint32_t i = 0; i < count; i++)
            times[(size_t)l->programs[p].slot_of[i] * l->program_count + p]++;
    }
    t->count = l->program_count;
    if (drawn)
        nadi_cells_fit(c, &l->family->items, t, NADI_TARGET_COUNT);
    for (uint32_t slot = 0; slot < slots; slot++) {
        for (uint32_t p = 0; p < l->program_count; p++) {
            const uint32_t here = times[(size_t)slot * l->program_count + p];
            t->values[p] = drawn ? here : here > 0;
        }
        nadi_cells_fit(c, &l->family->slots[slot].present, t, NADI_TARGET_COUNT);
    }
    nadi_mem_free(times);
}

static int by_slot(const void *a, const void *b)
{
    const struct cell *x = a, *y = b;
    if (x->slot != y->slot)
        return x->slot < y->slot ? -1 : 1;
    return x->where < y->where ? -1 : x->where > y->where;
}

static void fit_cells(struct cells *c, struct table *t)
{
    struct nadi_learned_family *f = c->l->family;
    qsort(c->list.items, c->list.count, sizeof(*c->list.items), by_slot);
    for (size_t i = 0; i < c->list.count;) {
        struct nadi_learned_slot *slot = &f->slots[c->list.items[i].slot];
        size_t end = i;
        while (end < c->list.count && c->list.items[end].slot == c->list.items[i].slot)
            end++;
        slot->cell_count = (uint32_t)(end - i);
        slot->cells = NADI_ARENA_NEW(&c->l->model->arena, struct nadi_learned_cell, end - i);
        fit_slot(c, &c->list.items[i], slot, t);
        i = end;
    }
}

void nadi_learn_cells(struct nadi_learning *l)
{
    struct cells c = {.l = l};
    struct table t = {.features = NADI_NEW(const double *, l->program_count),
                      .values = NADI_NEW(double, l->program_count),
                      .noises = NADI_ZNEW(double, l->program_count)};
    for (uint32_t w = 0; w < NADI_LEARNED_WORKS; w++)
        t.works[w] = NADI_ZNEW(double, l->program_count);
    c.met = NADI_NEW(uint32_t, l->family->symbols.count + 1);
    memset(c.met, 0xff, (l->family->symbols.count + 1) * sizeof(*c.met));
    nadi_map64_init(&c.index, 1024);
    nadi_map64_init(&c.steps, 16);
    bool *uneven = l->model->kind == NADI_LEARNED_SEQUENCE ? nadi_learn_uneven(l) : NULL;
    for (uint32_t p = 0; p < l->program_count; p++)
        look_at_program(&c, p, uneven);
    nadi_mem_free(uneven);
    nadi_learned_trust_of(&c.trust, l->family);
    fit_presence(&c, &t);
    fit_cells(&c, &t);
    for (size_t i = 0; i < c.list.count; i++)
        nadi_mem_free(c.list.items[i].samples.items);
    nadi_mem_free(c.list.items);
    nadi_map64_release(&c.index);
    nadi_map64_release(&c.steps);
    nadi_mem_free(c.met);
    nadi_mem_free(t.features);
    nadi_mem_free(t.values);
    nadi_mem_free(t.noises);
    for (uint32_t w = 0; w < NADI_LEARNED_WORKS; w++)
        nadi_mem_free(t.works[w]);
}
