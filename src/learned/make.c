#include "learned/make.h"

#include "base/mem.h"
#include "base/rng.h"
#include "base/time.h"

#include <math.h>

enum { MOST_NODES = 1 << 24, MOST_STAGES = 1 << 20, FEW_STAGES = 64 };

static const double near_total = 0.05;   /* figures are off by as much */
static const double exact_spread = 2e-5; /* of durations, which are whole nanoseconds */
static const double most_spread = 0.05;
static const double untold = 0.02; /* the spread of a law that no sample left out tells */

/* --- cells -------------------------------------------------------------------------------------
 */

/* What stands in for a place in a loop that was never seen there: the lower the better. */
static const uint8_t unlike[NADI_WHERES][NADI_WHERES] = {
    /* wanted; of: only first second within last-but-one last */
    [NADI_WHERE_ONLY] = {0, 2, 4, 3, 4, 2},         [NADI_WHERE_FIRST] = {3, 0, 1, 2, 4, 5},
    [NADI_WHERE_SECOND] = {6, 3, 0, 1, 2, 4},       [NADI_WHERE_WITHIN] = {6, 4, 1, 0, 1, 4},
    [NADI_WHERE_LAST_BUT_ONE] = {6, 5, 2, 1, 0, 3}, [NADI_WHERE_LAST] = {3, 5, 4, 2, 1, 0},
};

static uint32_t unlikeness(uint32_t wanted, uint32_t have)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < NADI_LEARNED_LEVELS; i++) {
        const uint32_t a = wanted >> 3 * i & 7, b = have >> 3 * i & 7;
        sum += a < NADI_WHERES && b < NADI_WHERES ? unlike[a][b] : 8;
    }
    return sum;
}

static const struct nadi_learned_cell *exact_cell(const struct nadi_learned_slot *slot,
                                                  uint32_t where)
{
    for (uint32_t c = 0; c < slot->cell_count; c++)
        if (slot->cells[c].where == where)
            return &slot->cells[c];
    return NULL;
}

static const struct nadi_learned_cell *cell_of(const struct nadi_learned_slot *slot, uint32_t where)
{
    const struct nadi_learned_cell *exact = exact_cell(slot, where), *best = &slot->cells[0];
    uint32_t least = NADI_NONE;
    for (uint32_t c = 0; c < slot->cell_count && !exact; c++) {
        const uint32_t off = unlikeness(where, slot->cells[c].where);
        if (off < least) {
            least = off;
            best = &slot->cells[c];
        }
    }
    return exact ? exact : best;
}

/* --- figures -----------------------------------------------------------------------------------
 */

/* Normal, mean 0, deviation 1. */
static double normal(struct nadi_rng *rng)
{
    const double u = 1 - nadi_rng_unit(rng), v = nadi_rng_unit(rng);
    return sqrt(-2 * log(u)) * cos(2 * 3.14159265358979323846 * v);
}

/* A law is exact where it was learned, and off by its spread elsewhere: which of the two it is
 * would tell who was learned from. What is drawn is off by as much everywhere, one law by one
 * factor. */
static double law_factor(const struct nadi_making *k, const struct nadi_law *law)
{
    const double spread = isnan(law->spread) ? untold : fmin(law->spread, most_spread);
    if (k->wish->noise >= 0 || k->wish->point || k->job->epsilon > 0 || spread < exact_spread)
        return 1;
    struct nadi_rng rng;
    nadi_rng_init(&rng, k->wish->seed ^ nadi_hash_bytes(law->coef, sizeof(law->coef)), "laws");
    return exp(spread * normal(&rng) - spread * spread / 2);
}

static uint64_t draw_ns(struct nadi_making *k, const struct nadi_learned_cell *cell)
{
    double noise = k->wish->noise;
    if (noise < 0)
        noise = cell->duration_ns.noise;
    double ns = nadi_law_value(&cell->duration_ns, k->features) *
                law_factor(k, &cell->duration_ns) * k->wish->compute_scale * k->job->family->pace;
    if (noise > 0)
        ns *= exp(noise * normal(&k->rng) - noise * noise / 2);
    return ns >= 0.5 ? nadi_count_round(fmin(ns, 9e18)) : 0;
}

static uint32_t count_of(const struct nadi_law *law, const double *features, uint32_t most)
{
    const double value = round(nadi_law_value(law, features));
    return value >= most ? most : value >= 1 ? (uint32_t)value : 0;
}

/* --- nodes -------------------------------------------------------------------------------------
 */

static uint32_t how_far(struct nadi_making *k, const struct nadi_learned_run *run)
{
    const int64_t back = count_of(&run->k, k->features, NADI_NONE / 2);
    if (run->off_count == 0)
        return (uint32_t)back;
    const int64_t drawn = back + run->off[nadi_rng_below(&k->rng, run->off_count)];
    return drawn < 0 ? 0 : drawn > NADI_NONE / 2 ? NADI_NONE / 2 : (uint32_t)drawn;
}

static void add_deps(struct nadi_making *k, const struct nadi_learned_cell *cell,
                     struct nadi_made_node *node)
{
    struct nadi_made_stage *stage = k->stage;
    const uint32_t number = count_of(&cell->shape, k->features, cell->shape_count - 1);
    const struct nadi_learned_shape *shape = &cell->shapes[number];
    node->dep_start = (uint32_t)stage->deps.count;
    for (uint32_t r = 0; r < shape->run_count; r++) {
        const struct nadi_learned_run *run = &shape->runs[r];
        const struct placed *seen = &k->seen[run->kind_of];
        const uint32_t back = how_far(k, run);
        const uint32_t count = count_of(&run->count, k->features, NADI_NONE / 2);
        for (uint32_t i = back; i < back + count && i < seen->count; i++) {
            const uint64_t id = seen->items[seen->count - 1 - i] + UINT64_C(1);
            NADI_PUSH(&stage->deps, id);
        }
    }
    node->dep_count = (uint32_t)stage->deps.count - node->dep_start;
}

static double square(double x)
{
    return isnan(x) ? 0 : x * x;
}

/* A message exists, however little it carries: one byte at least, which the receive has too; and so
 * does a collective that is not learned to be of nothing. */
static uint64_t bytes_of(const struct nadi_making *k, const struct nadi_learned_cell *cell,
                         uint8_t type)
{
    const bool message = type == NADI_NODE_SEND || type == NADI_NODE_RECV;
    const bool comm = message || type == NADI_NODE_COLL;
    const double learned = nadi_law_value(&cell->bytes, k->features);
    const double scaled = learned * (comm ? k->wish->comm_scale : 1);
    const uint64_t bytes = nadi_learned_public_size(k->m, scaled);
    return bytes == 0 && (message || (comm && learned >= 0.5)) ? 1 : bytes;
}

static void add_node(struct nadi_making *k, const struct nadi_learned_slot *slot,
                     const struct nadi_learned_cell *cell)
{
    const struct nadi_learned_family *f = k->job->family;
    const struct nadi_learned_symbol *symbol = &f->symbols.items[slot->symbol];
    const bool message = symbol->type == NADI_NODE_SEND || symbol->type == NADI_NODE_RECV;
    const bool comm = message || symbol->type == NADI_NODE_COLL;
    struct nadi_made_node node = {
        .symbol = slot->symbol,
        .step = -1,
        .duration_ns = draw_ns(k, cell),
        .ops = nadi_learned_public_size(k->m, nadi_law_value(&cell->ops, k->features)),
        .bytes = bytes_of(k, cell, symbol->type)};
    if (message && f->steps.count)
        node.step = (int32_t)count_of(&cell->peer, k->features, (uint32_t)f->steps.count - 1);
    if (k->stage->nodes.count >= k->most_nodes) {
        k->full = true;
        return;
    }
    add_deps(k, cell, &node);
    struct placed *seen = &k->seen[symbol->kind_of];
    const uint32_t at = (uint32_t)k->stage->nodes.count;
    NADI_PUSH(seen, at);
    NADI_PUSH(&k->stage->nodes, node);
    if (comm) {
        k->job->comm_bytes += (double)node.bytes;
        const double spread = nadi_law_spread(&cell->bytes, k->features);
        k->comm_variance += (double)node.bytes * square(spread);
        k->comm_unknown += isnan(spread) ? (double)node.bytes : 0;
    } else {
        k->job->compute_ns += (double)node.duration_ns;
        const double spread = nadi_law_spread(&cell->duration_ns, k->features);
        k->compute_variance += (double)node.duration_ns * square(spread);
        k->compute_unknown += isnan(spread) ? (double)node.duration_ns : 0;
    }
}

/* How often a rule's body stands here. In a loop that comes round once only, which was never seen,
 * it is what stands in the first and in the last round together: the more of the two. */
static uint32_t times(const struct nadi_making *k, const struct nadi_learned_slot *slot,
                      uint32_t where, uint32_t depth)
{
    const uint32_t around = where & ~UINT32_C(7) & 0xffffff;
    const struct nadi_learned_cell *cell = cell_of(slot, where & 0xffffff);
    uint32_t count = count_of(&cell->count, k->features, MOST_NODES);
    if (cell->where == (where & 0xffffff) || (where & 7) != NADI_WHERE_ONLY || depth == 0)
        return count;
    for (uint32_t end = NADI_WHERE_FIRST; end <= NADI_WHERE_LAST; end += 4) {
        const struct nadi_learned_cell *other = cell_of(slot, around | end);
        const uint32_t there = count_of(&other->count, k->features, MOST_NODES);
        count = there > count ? there : count;
    }
    return count;
}

/* depth: loops around it. */
static void walk(struct nadi_making *k, uint32_t at, uint32_t where, uint32_t depth)
{
    const struct nadi_learned_slot *slot = &k->job->family->slots[at];
    if (slot->symbol != NADI_NONE) {
        add_node(k, slot, cell_of(slot, where & 0xffffff));
        return;
    }
    const uint32_t count = times(k, slot, where, depth);
    for (uint32_t i = 0; i < count && !k->full; i++)
        for (uint32_t b = 0; b < slot->count; b++)
            walk(k, slot->first + b, where << 3 | (uint32_t)nadi_learned_where(i, count),
                 depth + 1);
}

void nadi_make_item(struct nadi_making *k, uint32_t slot, uint32_t where)
{
    walk(k, slot, where, 0);
}

void nadi_make_begin(struct nadi_making *k, uint32_t stage)
{
    const struct nadi_learned_family *f = k->job->family;
    k->stage = &k->job->stages[stage];
    k->seen = NADI_ZNEW(struct placed, f->symbols.count + 1);
    nadi_learned_features(f, k->job->point, stage, k->job->stage_count, k->features);
    nadi_rng_init(&k->rng, k->wish->seed + stage, "durations");
}

void nadi_make_end(struct nadi_making *k)
{
    for (size_t i = 0; i < k->job->family->symbols.count; i++)
        nadi_mem_free(k->seen[i].items);
    nadi_mem_free(k->seen);
}

/* Where an outermost item of a structural model is. */
static uint32_t place_of(const struct nadi_making *k, uint32_t slot)
{
    const struct nadi_learned_family *f = k->job->family;
    const uint32_t symbol = f->slots[slot].symbol;
    return symbol == NADI_NONE
               ? 0
               : nadi_learned_outermost(k->seen[f->symbols.items[symbol].kind_of].count == 0);
}

static void make_stage(struct nadi_making *k, uint32_t stage)
{
    const struct nadi_learned_family *f = k->job->family;
    nadi_make_begin(k, stage);
    for (uint32_t s = 0; s < f->outer_count && !k->full; s++)
        if (nadi_law_value(&f->slots[s].present, k->features) >= 0.5)
            nadi_make_item(k, s, place_of(k, s));
    nadi_make_end(k);
}

/* By how many operators of a sort a stage may be off: what a network draws, by one where it was
 * drawn often enough. */
static double slack(const struct nadi_making *k)
{
    const bool tried = k->m->kind == NADI_LEARNED_SEQUENCE && k->attempt >= NADI_LEARNED_DRAWS / 2;
    return tried ? 1.5 : 0.5;
}

/* Has the stage as many operators of each sort as was learned of all jobs, where that is known? */
static bool has_totals(struct nadi_making *k, uint32_t stage, struct nadi_diags *diags)
{
    const struct nadi_learned_family *f = k->job->family;
    const struct nadi_made_stage *made = &k->job->stages[stage];
    uint32_t *counts = NADI_ZNEW(uint32_t, f->symbols.count + 1);
    bool ok = true;
    nadi_learned_features(f, k->job->point, stage, k->job->stage_count, k->features);
    for (size_t n = 0; n < made->nodes.count; n++)
        counts[made->nodes.items[n].symbol]++;
    for (size_t x = 0; x < f->symbols.count && ok; x++) {
        const struct nadi_law *total = &f->symbols.items[x].total;
        const double wanted = total->form == NADI_LAW_SUM && counts[x]
                                  ? nadi_law_value(total, k->features)
                                  : counts[x];
        if (!(fabs(wanted - counts[x]) < slack(k) + near_total * wanted))
            ok = nadi_error(diags, "synth/unsure", NADI_NOWHERE,
                            "learn from jobs nearer to it, above all with as many micro-batches "
                            "and layers of a stage",
                            "family %u cannot be made at this size: its loops come to %u operators "
                            "of a sort in stage %u, all jobs together say %.0f",
                            k->job->number + 1, counts[x], stage, wanted);
    }
    nadi_mem_free(counts);
    return ok;
}

/* Is there a job of these sizes and labels among those that were learned? */
static bool is_learned(const struct nadi_made_job *job)
{
    const struct nadi_learned_family *f = job->family;
    const uint32_t width = f->axis_count + f->label_count;
    for (uint32_t k = 0; k < f->jobs; k++) {
        bool same = true;
        for (uint32_t i = 0; i < width && same; i++)
            same = fabs(job->point[i] - f->points[(size_t)k * width + i]) < 1e-9;
        if (same)
            return true;
    }
    return false;
}

static bool make_once(struct nadi_made_job *job, const struct nadi_learned_model *m,
                      const struct nadi_learned_wish *wish, uint32_t attempt,
                      struct nadi_diags *diags)
{
    struct nadi_making k = {.job = job,
                            .m = m,
                            .wish = wish,
                            .attempt = attempt,
                            .most_nodes = wish->most_nodes ? wish->most_nodes : MOST_NODES};
    *job = (struct nadi_made_job){.epsilon = m->private.epsilon};
    if (!nadi_make_point(job, m, wish, attempt, diags))
        return false;
    if (job->stage_count > (wish->most_nodes ? FEW_STAGES : MOST_STAGES))
        return nadi_error(diags, "synth/stages", NADI_NOWHERE, "ask for smaller axes",
                          "%u stages would have traces of their own", job->stage_count);
    job->stages = NADI_ZNEW(struct nadi_made_stage, job->stage_count);
    if (m->kind == NADI_LEARNED_SEQUENCE)
        nadi_make_sequence(&k);
    for (uint32_t s = 0; s < job->stage_count && m->kind == NADI_LEARNED_STRUCTURAL; s++)
        make_stage(&k, s);
    for (uint32_t s = 0; s < job->stage_count && !k.full; s++)
        if (job->stages[s].nodes.count == 0)
            return nadi_error(diags, "synth/empty", NADI_NOWHERE,
                              "ask for sizes nearer to those that were learned",
                              "stage %u would have no nodes", s);
    job->full = k.full;
    if (k.full)
        return nadi_error(diags, "synth/nodes", NADI_NOWHERE, "ask for a smaller job",
                          "a stage would have more than %u nodes", k.most_nodes);
    for (uint32_t s = 0; s < job->stage_count; s++)
        if (!has_totals(&k, s, diags))
            return false;
    if (!nadi_make_is_settled(job, diags))
        return false;
    job->compute_spread = job->compute_ns > 0 ? sqrt(k.compute_variance / job->compute_ns) : 0;
    job->comm_spread = job->comm_bytes > 0 ? sqrt(k.comm_variance / job->comm_bytes) : 0;
    if (!is_learned(job)) {
        job->compute_unconfirmed = k.compute_unknown / fmax(job->compute_ns, 1);
        job->comm_unconfirmed = k.comm_unknown / fmax(job->comm_bytes, 1);
    }
    nadi_make_order(job);
    return nadi_make_pairs(job, diags);
}

/* Not every combination of sizes and labels has been seen: what is drawn is drawn again where it
 * does not come out, and the last draw is that of one job. A network draws the same sizes anew. */
bool nadi_learned_make(struct nadi_made_job *job, const struct nadi_learned_model *m,
                       const struct nadi_learned_wish *wish, struct nadi_diags *diags)
{
    enum {
        FULL = 2
    }; /* draws with too many nodes: what was asked for is too much for others, too */
    const bool sizes_only = m->kind == NADI_LEARNED_STRUCTURAL;
    uint32_t full = 0;
    const uint32_t last = wish->point && sizes_only ? 0 : NADI_LEARNED_DRAWS - 1;
    for (uint32_t attempt = 0; attempt < last && full < FULL; attempt++) {
        struct nadi_diags tried;
        nadi_diags_init(&tried);
        const bool ok = make_once(job, m, wish, attempt, &tried);
        if (ok)
            nadi_diags_append(diags, &tried);
        nadi_diags_release(&tried);
        if (ok)
            return true;
        full += job->full;
        nadi_made_job_release(job);
    }
    return make_once(job, m, wish, last, diags);
}

void nadi_made_job_release(struct nadi_made_job *job)
{
    for (uint32_t s = 0; job->stages && s < job->stage_count; s++) {
        nadi_mem_free(job->stages[s].nodes.items);
        nadi_mem_free(job->stages[s].deps.items);
    }
    nadi_mem_free(job->stages);
    *job = (struct nadi_made_job){.number = 0};
}
