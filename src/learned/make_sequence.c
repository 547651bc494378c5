/* make_sequence: the items of all stages, drawn one after the other by the family's network.
 *
 * What a stage draws must go with what the others have drawn: while one waits for a collective, the
 * others come to that one and no other, and none ends while there are messages for it. All stages
 * take the same random numbers, so that those of like programs choose alike. */
#include "base/mem.h"
#include "learned/make.h"

#include <math.h>

enum { MOST_ITEMS = 1 << 20, SPARE_ITEMS = 8 };

/* Programs of so many items end where the law says: to know the end of a long one by its items is
 * too much for a small network. */
enum { LONG = 128 };

static const double most_share = 1.25; /* of the items that the law says: then it ends */

struct drawn_stage {
    struct nadi_making making;
    struct nadi_rng rng;
    float state[NADI_GRU_MOST_HIDDEN], inputs[NADI_GRU_MOST_INPUTS];
    uint32_t last, drawn, spare;
    double law, most;
    float *wanted;  /* by token: how often it stands in such a program */
    uint32_t *used; /* how often it was drawn */
};

struct nadi_drawing {
    const struct nadi_learned_family *family;
    struct drawn_stage *stages;
    float *likely;
    uint32_t staged; /* axes, as bits */
    double temperature;
};

/* tokens + 1 shares, sharpened by the temperature; a token by a number in [0, 1). */
static uint32_t draw(float *likely, uint32_t count, double temperature, double unit)
{
    double sum = 0;
    uint32_t most = 0;
    for (uint32_t i = 1; i < count; i++)
        most = likely[i] > likely[most] ? i : most;
    if (!(temperature > 0))
        return most;
    for (uint32_t i = 0; i < count; i++) {
        if (temperature < 1 || temperature > 1)
            likely[i] = powf(likely[i] / likely[most], (float)(1 / temperature));
        sum += (double)likely[i];
    }
    double left = unit * sum;
    for (uint32_t i = 0; i < count; i++) {
        left -= (double)likely[i];
        if (left < 0)
            return i;
    }
    return most;
}

static bool is_leaf(const struct nadi_learned_family *f, uint32_t token)
{
    return f->slots[token].symbol != NADI_NONE;
}

static const struct nadi_learned_symbol *symbol_of(const struct nadi_learned_family *f,
                                                   uint32_t token)
{
    return &f->symbols.items[f->slots[token].symbol];
}

static bool is_across(const struct nadi_drawing *d, uint32_t token)
{
    const struct nadi_learned_family *f = d->family;
    return is_leaf(f, token) && symbol_of(f, token)->type == NADI_NODE_COLL &&
           (symbol_of(f, token)->role & d->staged);
}

static bool is_needed(const struct nadi_drawing *d, uint32_t token,
                      const struct nadi_draw_need *need)
{
    const struct nadi_learned_family *f = d->family;
    if (!is_leaf(f, token))
        return false;
    if (need->role != NADI_NONE)
        return is_across(d, token) && symbol_of(f, token)->role == need->role &&
               symbol_of(f, token)->kind == need->kind;
    return need->inbox && symbol_of(f, token)->type == NADI_NODE_RECV;
}

/* Takes away what cannot be: all but what others wait for where that is due; else collectives that
 * would not be those that others wait for. */
static void mask(const struct nadi_drawing *d, const struct nadi_draw_need *need, bool due,
                 bool is_long, float *likely)
{
    const bool bound = need->alone || need->role != NADI_NONE;
    for (uint32_t t = 0; t < d->family->outer_count; t++) {
        const bool needed = is_needed(d, t, need);
        if (due ? !needed : bound && is_across(d, t) && (is_long || !needed))
            likely[t] = 0;
    }
}

/* Is the stage where the one that waits for a collective was when it came to it? */
static bool is_due(const struct nadi_drawing *d, const struct drawn_stage *s,
                   const struct nadi_draw_need *need)
{
    if (need->role == NADI_NONE)
        return false;
    const struct drawn_stage *by = &d->stages[need->by];
    return (s->drawn + 1) / s->law >= by->drawn / by->law;
}

/* What is overdue becomes likelier, what was drawn more often than programs have it less likely: a
 * kernel that comes once, and takes half of the step, comes once. */
static void balance(const struct nadi_drawing *d, const struct drawn_stage *s, float *likely)
{
    static const float slack = 0.2f;
    const float left = (float)fmax(1 - s->drawn / s->law, 0);
    for (uint32_t t = 0; t < d->family->outer_count; t++) {
        const float rest = s->wanted[t] - (float)s->used[t];
        likely[t] *= ((rest > 0 ? rest : 0) + slack) / (s->wanted[t] * left + slack);
    }
}

/* NADI_NONE: it ends here. */
static uint32_t choose(struct nadi_drawing *d, struct drawn_stage *s,
                       const struct nadi_draw_need *need)
{
    const uint32_t end = d->family->outer_count;
    const bool is_long = s->law >= LONG, over = s->drawn >= (is_long ? s->law : s->most);
    const bool owes = is_long && (need->role != NADI_NONE || need->inbox) && s->spare;
    const double unit = nadi_rng_unit(&s->rng);
    float *likely = d->likely;
    nadi_gru_progress(s->drawn / s->law, s->inputs + d->family->net.inputs - NADI_GRU_PROGRESS);
    nadi_gru_step(&d->family->net, s->state, s->last, s->inputs, likely);
    if (over && !owes)
        return NADI_NONE;
    s->spare -= over;
    if (is_long)
        likely[end] = 0;
    if (d->temperature > 0)
        balance(d, s, likely);
    mask(d, need, over || (is_long && is_due(d, s, need)), is_long, likely);
    const uint32_t token = draw(likely, end + 1, d->temperature, unit);
    return likely[token] > 0 && token != end ? token : NADI_NONE;
}

/* Which of the program's a rule is, where laws tell them apart; else 0. */
static uint32_t place_of(const struct nadi_drawing *d, const struct drawn_stage *s, uint32_t token)
{
    const struct nadi_learned_slot *slot = &d->family->slots[token];
    const uint32_t wanted = (uint32_t)(s->wanted[token] + 0.5F), used = s->used[token];
    bool uneven = false;
    for (uint32_t c = 0; c < slot->cell_count; c++)
        uneven |= slot->cells[c].where != NADI_WHERE_ONLY;
    return uneven ? (uint32_t)nadi_learned_where(used, wanted > used ? wanted : used + 1) : 0;
}

bool nadi_draw_item(struct nadi_drawing *d, uint32_t stage, const struct nadi_draw_need *need)
{
    struct drawn_stage *s = &d->stages[stage];
    const uint32_t token = s->making.full ? NADI_NONE : choose(d, s, need);
    if (token == NADI_NONE)
        return false;
    const uint32_t where = place_of(d, s, token);
    s->last = token;
    s->used[token]++;
    s->drawn++;
    nadi_make_item(&s->making, token, where);
    return true;
}

static void begin_stage(struct nadi_drawing *d, const struct nadi_making *k, uint32_t stage)
{
    struct drawn_stage *s = &d->stages[stage];
    s->making = *k;
    nadi_make_begin(&s->making, stage);
    s->law =
        round(fmin(fmax(nadi_law_value(&d->family->items, s->making.features), 1), MOST_ITEMS));
    s->most = fmin(s->law * most_share + SPARE_ITEMS, k->most_nodes);
    s->law = fmin(s->law, k->most_nodes);
    s->spare = SPARE_ITEMS + (uint32_t)(s->law / 8);
    s->last = d->family->outer_count;
    s->wanted = NADI_NEW(float, d->family->outer_count);
    s->used = NADI_ZNEW(uint32_t, d->family->outer_count);
    for (uint32_t t = 0; t < d->family->outer_count; t++)
        s->wanted[t] = (float)fmin(
            fmax(nadi_law_value(&d->family->slots[t].present, s->making.features), 0), MOST_ITEMS);
    char stream[24] = "items";
    if (k->attempt)
        snprintf(stream, sizeof(stream), "items %u", k->attempt);
    nadi_rng_init(&s->rng, k->wish->seed, stream);
    nadi_learned_net_inputs(d->family, s->making.features, s->inputs);
}

void nadi_make_sequence(struct nadi_making *k)
{
    struct nadi_made_job *job = k->job;
    struct nadi_drawing d = {.family = job->family, .temperature = k->wish->temperature};
    for (uint32_t a = 0; a < job->family->axis_count; a++)
        d.staged |= job->family->staged[a] ? UINT32_C(1) << a : 0;
    d.likely = NADI_NEW(float, job->family->outer_count + (size_t)1);
    d.stages = NADI_ZNEW(struct drawn_stage, job->stage_count);
    for (uint32_t s = 0; s < job->stage_count; s++)
        begin_stage(&d, k, s);
    job->unpaired = nadi_make_settle(job, &d);
    for (uint32_t s = 0; s < job->stage_count; s++) {
        const struct nadi_making *made = &d.stages[s].making;
        k->full |= made->full;
        k->compute_variance += made->compute_variance;
        k->comm_variance += made->comm_variance;
        job->drawn += d.stages[s].drawn;
        nadi_make_end(&d.stages[s].making);
        nadi_mem_free(d.stages[s].wanted);
        nadi_mem_free(d.stages[s].used);
    }
    nadi_mem_free(d.stages);
    nadi_mem_free(d.likely);
}
