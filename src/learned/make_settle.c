/* make_settle: stages that are drawn each by itself, brought to an order in which all of them come
 * to their end.
 *
 * Every stage runs its nodes in their order, and draws an item when there are no more: a receive
 * waits for its send, a collective across stages for all of its group. Where all wait, the first of
 * those whose partner has ended, else the first receive, else the first, is left out; at the end
 * also what was sent to nobody. What is left has an order in which it runs: that one. */
#include "base/mem.h"
#include "learned/make.h"

struct settling {
    struct nadi_made_job *job;
    struct nadi_drawing *drawing;
    struct settled_stage {
        uint32_t at;    /* the node that it is at */
        uint32_t inbox; /* messages to it that it did not take yet */
        bool ended;
        struct {
            uint32_t *items; /* nodes that are left out */
            size_t count, capacity;
        } out;
    } * stages;
    uint32_t *place;        /* by stage and axis: where it is along a staged axis */
    struct nadi_map64 sent; /* pair -> sends that nobody took yet */
    uint32_t staged;        /* axes, as bits */
    uint64_t count;
};

static const struct nadi_made_node *node_at(const struct settling *s, uint32_t stage)
{
    const struct nadi_made_stage *x = &s->job->stages[stage];
    return s->stages[stage].at < x->nodes.count ? &x->nodes.items[s->stages[stage].at] : NULL;
}

static const struct nadi_learned_symbol *symbol_at(const struct settling *s, uint32_t stage)
{
    const struct nadi_made_node *n = node_at(s, stage);
    return n ? &s->job->family->symbols.items[n->symbol] : NULL;
}

static bool waits_for_stages(const struct settling *s, const struct nadi_learned_symbol *x)
{
    return x->type == NADI_NODE_COLL && (x->role & s->staged);
}

/* Do two stages belong to one group of this role: the same place along all other axes? */
static bool are_together(const struct settling *s, uint32_t role, uint32_t a, uint32_t b)
{
    const uint32_t axes = s->job->family->axis_count;
    for (uint32_t i = 0; i < axes; i++)
        if (s->staged >> i & 1 && !(role >> i & 1) &&
            s->place[(size_t)a * axes + i] != s->place[(size_t)b * axes + i])
            return false;
    return true;
}

/* All stages of the group are at the same collective: they go on. */
static bool pass_collective(struct settling *s, uint32_t stage)
{
    const struct nadi_learned_symbol *x = symbol_at(s, stage);
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t t = 0; t < s->job->stage_count; t++) {
            if (!are_together(s, x->role, stage, t))
                continue;
            const struct nadi_learned_symbol *y = symbol_at(s, t);
            if (pass)
                s->stages[t].at++;
            else if (!y || y->type != x->type || y->role != x->role || y->kind != x->kind)
                return false;
        }
    return true;
}

static uint32_t partner_of(const struct settling *s, uint32_t stage)
{
    const int64_t stages = s->job->stage_count;
    const int64_t step = s->job->family->steps.items[node_at(s, stage)->step].stages % stages;
    return (uint32_t)((stage + step + stages) % stages);
}

/* The node that the stage is at; false: it waits. */
static bool pass_node(struct settling *s, uint32_t stage)
{
    const struct nadi_learned_symbol *x = symbol_at(s, stage);
    const bool message =
        (x->type == NADI_NODE_SEND || x->type == NADI_NODE_RECV) && node_at(s, stage)->step >= 0;
    if (waits_for_stages(s, x))
        return pass_collective(s, stage);
    if (message) {
        const uint64_t key = nadi_make_pair_key(s->job, stage, s->stages[stage].at);
        uint32_t *sent = nadi_map64_put(&s->sent, key, 0, NULL);
        if (x->type == NADI_NODE_RECV && *sent == 0)
            return false;
        *sent += x->type == NADI_NODE_SEND ? 1 : UINT32_MAX;
        if (x->type == NADI_NODE_SEND)
            s->stages[partner_of(s, stage)].inbox++;
        else
            s->stages[stage].inbox--;
    }
    s->stages[stage].at++;
    return true;
}

/* Will it never come? */
static bool waits_in_vain(const struct settling *s, uint32_t stage)
{
    const struct nadi_learned_symbol *x = symbol_at(s, stage);
    if (x->type != NADI_NODE_COLL)
        return s->stages[partner_of(s, stage)].ended;
    for (uint32_t t = 0; t < s->job->stage_count; t++)
        if (are_together(s, x->role, stage, t) && s->stages[t].ended)
            return true;
    return false;
}

static void leave_out(struct settling *s, uint32_t stage, uint32_t node)
{
    NADI_PUSH(&s->stages[stage].out, node);
    s->count++;
    s->job->comm_bytes -= (double)s->job->stages[stage].nodes.items[node].bytes;
}

static struct nadi_draw_need need_of(const struct settling *s, uint32_t stage)
{
    struct nadi_draw_need need = {.role = NADI_NONE, .inbox = s->stages[stage].inbox};
    for (uint32_t t = 0; t < s->job->stage_count; t++) {
        const struct nadi_learned_symbol *x = symbol_at(s, t);
        need.alone |= s->stages[t].ended;
        if (need.role == NADI_NONE && x && waits_for_stages(s, x) &&
            are_together(s, x->role, stage, t)) {
            need.role = x->role;
            need.kind = x->kind;
            need.by = t;
        }
    }
    return need;
}

/* As far as the stage comes; true: it came on. */
static bool go_on(struct settling *s, uint32_t stage)
{
    bool went = false;
    while (!s->stages[stage].ended) {
        if (!node_at(s, stage)) {
            const struct nadi_draw_need need = need_of(s, stage);
            s->stages[stage].ended = !nadi_draw_item(s->drawing, stage, &need);
        } else if (!pass_node(s, stage)) {
            return went;
        }
        went = true;
    }
    return went;
}

static void give_up_one(struct settling *s)
{
    uint32_t chosen = NADI_NONE, least = NADI_NONE;
    for (uint32_t t = 0; t < s->job->stage_count; t++) {
        if (s->stages[t].ended)
            continue;
        const bool receives = symbol_at(s, t)->type == NADI_NODE_RECV;
        const uint32_t rank = waits_in_vain(s, t) ? 0 : receives ? 1 : 2;
        if (chosen == NADI_NONE || rank < least) {
            chosen = t;
            least = rank;
        }
    }
    leave_out(s, chosen, s->stages[chosen].at++);
}

static void run(struct settling *s)
{
    for (bool open = true; open;) {
        bool went = false;
        open = false;
        for (uint32_t t = 0; t < s->job->stage_count; t++) {
            went |= go_on(s, t);
            open |= !s->stages[t].ended;
        }
        if (open && !went)
            give_up_one(s);
    }
}

static void leave_sends(struct settling *s)
{
    const struct nadi_made_job *job = s->job;
    for (uint32_t t = 0; t < job->stage_count; t++)
        for (size_t n = job->stages[t].nodes.count; n-- > 0;) {
            const struct nadi_made_node *node = &job->stages[t].nodes.items[n];
            if (job->family->symbols.items[node->symbol].type != NADI_NODE_SEND || node->step < 0)
                continue;
            uint32_t *sent =
                nadi_map64_put(&s->sent, nadi_make_pair_key(job, t, (uint32_t)n), 0, NULL);
            if (*sent == 0)
                continue;
            --*sent;
            leave_out(s, t, (uint32_t)n);
        }
}

/* --- without them ------------------------------------------------------------------------------
 */

static void add_once(struct nadi_made_stage *s, size_t from, uint64_t id)
{
    for (size_t i = from; i < s->deps.count; i++)
        if (s->deps.items[i] == id)
            return;
    NADI_PUSH(&s->deps, id);
}

/* What depended on a node that is left out depends on what that one depended on. */
static void close_stage(struct nadi_made_stage *stage, const bool *out)
{
    const size_t count = stage->nodes.count;
    struct nadi_made_stage kept = {.nodes = {NULL, 0, 0}};
    struct nadi_made_node *moved = NADI_NEW(struct nadi_made_node, count);
    uint32_t *place = NADI_NEW(uint32_t, count), next = 0;
    for (size_t n = 0; n < count; n++) {
        const struct nadi_made_node *old = &stage->nodes.items[n];
        moved[n] = *old;
        moved[n].dep_start = (uint32_t)kept.deps.count;
        for (uint32_t d = 0; d < old->dep_count; d++) {
            const size_t on = (size_t)stage->deps.items[old->dep_start + d] - 1;
            if (!out[on])
                add_once(&kept, moved[n].dep_start, place[on] + UINT64_C(1));
            for (uint32_t i = 0; out[on] && i < moved[on].dep_count; i++) {
                const uint64_t id = kept.deps.items[moved[on].dep_start + i];
                add_once(&kept, moved[n].dep_start, id);
            }
        }
        moved[n].dep_count = (uint32_t)kept.deps.count - moved[n].dep_start;
        place[n] = next;
        next += !out[n];
        if (!out[n])
            NADI_PUSH(&kept.nodes, moved[n]);
    }
    nadi_mem_free(stage->nodes.items);
    nadi_mem_free(stage->deps.items);
    *stage = kept;
    nadi_mem_free(moved);
    nadi_mem_free(place);
}

static void find_places(struct settling *s)
{
    const struct nadi_learned_family *f = s->job->family;
    s->place = NADI_ZNEW(uint32_t, (size_t)s->job->stage_count * f->axis_count);
    for (uint32_t t = 0; t < s->job->stage_count; t++) {
        uint32_t rest = t;
        for (uint32_t a = 0; a < f->axis_count; a++) {
            if (!f->staged[a])
                continue;
            s->staged |= UINT32_C(1) << a;
            s->place[(size_t)t * f->axis_count + a] = rest % (uint32_t)s->job->point[a];
            rest /= (uint32_t)s->job->point[a];
        }
    }
}

static void close_all(struct settling *s)
{
    for (uint32_t t = 0; t < s->job->stage_count; t++) {
        struct nadi_made_stage *stage = &s->job->stages[t];
        bool *out = NADI_ZNEW(bool, stage->nodes.count);
        for (size_t i = 0; i < s->stages[t].out.count; i++)
            out[s->stages[t].out.items[i]] = true;
        if (s->stages[t].out.count)
            close_stage(stage, out);
        nadi_mem_free(out);
        nadi_mem_free(s->stages[t].out.items);
    }
}

uint64_t nadi_make_settle(struct nadi_made_job *job, struct nadi_drawing *d)
{
    struct settling s = {.job = job, .drawing = d};
    s.stages = NADI_ZNEW(struct settled_stage, job->stage_count);
    nadi_map64_init(&s.sent, 64);
    find_places(&s);
    run(&s);
    leave_sends(&s);
    close_all(&s);
    nadi_mem_free(s.stages);
    nadi_mem_free(s.place);
    nadi_map64_release(&s.sent);
    return s.count;
}

/* Messages, and collectives across stages, of one rank a stage. */
static uint64_t count_waits(const struct nadi_made_job *job)
{
    const struct nadi_learned_family *f = job->family;
    uint32_t staged = 0;
    uint64_t count = 0;
    for (uint32_t a = 0; a < f->axis_count; a++)
        staged |= f->staged[a] ? UINT32_C(1) << a : 0;
    for (uint32_t t = 0; t < job->stage_count; t++)
        for (size_t n = 0; n < job->stages[t].nodes.count; n++) {
            const struct nadi_made_node *node = &job->stages[t].nodes.items[n];
            const struct nadi_learned_symbol *x = &f->symbols.items[node->symbol];
            count += x->type == NADI_NODE_COLL ? (x->role & staged) != 0 : node->step >= 0;
        }
    return count;
}

bool nadi_make_is_settled(const struct nadi_made_job *job, struct nadi_diags *diags)
{
    static const double few = 0.02;
    const uint64_t all = job->unpaired + count_waits(job);
    if ((double)job->unpaired <= few * (double)all)
        return true;
    return nadi_error(diags, "synth/order", NADI_NOWHERE,
                      "ask for sizes nearer to those that were learned, or learn without `--model "
                      "sequence`, which is more exact where layers and micro-batches repeat",
                      "family %u cannot be drawn at this size: of %" PRIu64
                      " messages and collectives across stages, %" PRIu64
                      " find no partner in the order that the network draws; without them the job "
                      "would not take as long as those that it was learned from",
                      job->number + 1, all, job->unpaired);
}
