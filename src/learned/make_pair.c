/* make_pair: sends and receives, and collectives across stages, brought together. */
#include "base/mem.h"
#include "learned/make.h"

static bool is_message(const struct nadi_made_job *job, const struct nadi_made_node *n,
                       enum nadi_node_type type)
{
    return job->family->symbols.items[n->symbol].type == type && n->step >= 0;
}

static uint32_t other_stage(const struct nadi_made_job *job, uint32_t stage,
                            const struct nadi_learned_step *step)
{
    const int64_t stages = job->stage_count;
    const int64_t at = ((int64_t)stage + step->stages % stages + stages) % stages;
    return (uint32_t)at;
}

/* What tells the messages between two ranks apart: stages, channel, steps along the other axes as
 * the sender sees them. */
static uint64_t pair_key(const struct nadi_made_job *job, uint32_t from, uint32_t to,
                         uint32_t channel, const struct nadi_learned_step *step, int sign)
{
    uint64_t words[2 + NADI_LEARNED_AXES] = {(uint64_t)from << 32 | to, channel};
    for (uint32_t a = 0; a < job->family->axis_count; a++) {
        const int64_t size = (int64_t)job->point[a];
        words[2 + a] = (uint64_t)(((int64_t)sign * step->axes[a] % size + size) % size);
    }
    return nadi_hash_words(words, 2 + job->family->axis_count);
}

/* Of a send or a receive: the same for both that go together. */
uint64_t nadi_make_pair_key(const struct nadi_made_job *job, uint32_t stage, uint32_t node)
{
    const struct nadi_learned_family *f = job->family;
    const struct nadi_made_node *n = &job->stages[stage].nodes.items[node];
    const struct nadi_learned_symbol *x = &f->symbols.items[n->symbol];
    const struct nadi_learned_step *step = &f->steps.items[n->step];
    const uint32_t other = other_stage(job, stage, step);
    return x->type == NADI_NODE_SEND ? pair_key(job, stage, other, x->channel, step, 1)
                                     : pair_key(job, other, stage, x->channel, step, -1);
}

struct queue { /* sends of a pair, in their order */
    struct nadi_made_node **items;
    size_t count, capacity, taken;
};

struct pairs {
    struct nadi_map64 index;
    struct {
        struct queue *items;
        size_t count, capacity;
    } queues;
};

static struct queue *queue_of(struct pairs *p, uint64_t key)
{
    bool added;
    const uint32_t at = *nadi_map64_put(&p->index, key, (uint32_t)p->queues.count, &added);
    if (added) {
        const struct queue fresh = {.items = NULL};
        NADI_PUSH(&p->queues, fresh);
    }
    return &p->queues.items[at];
}

static void collect_sends(struct nadi_made_job *job, struct pairs *p)
{
    const struct nadi_learned_family *f = job->family;
    for (uint32_t s = 0; s < job->stage_count; s++)
        for (size_t i = 0; i < job->stages[s].nodes.count; i++) {
            struct nadi_made_node *n = &job->stages[s].nodes.items[i];
            if (!is_message(job, n, NADI_NODE_SEND))
                continue;
            const uint32_t channel = f->symbols.items[n->symbol].channel;
            struct queue *q = queue_of(p, nadi_make_pair_key(job, s, (uint32_t)i));
            n->tag = (uint32_t)(q->count * f->symbols.count + channel);
            NADI_PUSH(q, n);
        }
}

static bool unpaired(const struct nadi_made_job *job, uint32_t stage, const char *what,
                     struct nadi_diags *diags)
{
    return nadi_error(diags, "synth/unpaired", NADI_NOWHERE,
                      "ask for sizes nearer to those that were learned, or learn from more jobs",
                      "family %u cannot be made at this size: a %s of stage %u finds no partner",
                      job->number + 1, what, stage);
}

static bool take_receives(struct nadi_made_job *job, struct pairs *p, struct nadi_diags *diags)
{
    for (uint32_t s = 0; s < job->stage_count; s++)
        for (size_t i = 0; i < job->stages[s].nodes.count; i++) {
            struct nadi_made_node *n = &job->stages[s].nodes.items[i];
            if (!is_message(job, n, NADI_NODE_RECV))
                continue;
            struct queue *q = queue_of(p, nadi_make_pair_key(job, s, (uint32_t)i));
            if (q->taken == q->count)
                return unpaired(job, s, "receive", diags);
            n->tag = q->items[q->taken]->tag;
            n->bytes = q->items[q->taken++]->bytes;
        }
    for (size_t i = 0; i < p->queues.count; i++)
        if (p->queues.items[i].taken < p->queues.items[i].count)
            return unpaired(job, 0, "send", diags);
    return true;
}

static bool is_used(const struct nadi_learned_family *f, uint32_t role)
{
    for (size_t i = 0; i < f->symbols.count; i++)
        if (f->symbols.items[i].type == NADI_NODE_COLL && f->symbols.items[i].role == role)
            return true;
    return false;
}

/* Collectives of groups that span stages: the k-th of each group is the same on all of them. */
static void level_collectives(struct nadi_made_job *job)
{
    const struct nadi_learned_family *f = job->family;
    uint32_t staged = 0;
    for (uint32_t a = 0; a < f->axis_count; a++)
        staged |= f->staged[a] ? UINT32_C(1) << a : 0;
    for (uint32_t role = 1; staged && role < UINT32_C(1) << f->axis_count; role++) {
        struct queue first = {.items = NULL};
        if (!(role & staged) || !is_used(f, role))
            continue;
        for (uint32_t s = 0; s < job->stage_count; s++) {
            size_t k = 0;
            for (size_t i = 0; i < job->stages[s].nodes.count; i++) {
                struct nadi_made_node *n = &job->stages[s].nodes.items[i];
                const struct nadi_learned_symbol *x = &f->symbols.items[n->symbol];
                if (x->type != NADI_NODE_COLL || x->role != role)
                    continue;
                if (s == 0)
                    NADI_PUSH(&first, n);
                else if (k < first.count)
                    n->bytes = first.items[k++]->bytes;
            }
        }
        nadi_mem_free(first.items);
    }
}

bool nadi_make_pairs(struct nadi_made_job *job, struct nadi_diags *diags)
{
    struct pairs p = {.queues = {NULL, 0, 0}};
    nadi_map64_init(&p.index, 64);
    collect_sends(job, &p);
    const bool ok = take_receives(job, &p, diags);
    if (ok)
        level_collectives(job);
    for (size_t i = 0; i < p.queues.count; i++)
        nadi_mem_free(p.queues.items[i].items);
    nadi_mem_free(p.queues.items);
    nadi_map64_release(&p.index);
    return ok;
}
