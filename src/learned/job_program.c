/* job_program: a trace of a rank as a program. */
#include "base/heap.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "base/str.h"
#include "learned/job.h"

/* --- order -------------------------------------------------------------------------------------
 */

static bool is_left_out(const struct nadi_trace *t, uint32_t n)
{
    return t->type[n] == NADI_NODE_METADATA || t->type[n] == NADI_NODE_INVALID;
}

/* Nodes so that dependencies go back, the least id first; returns how many are kept. */
static uint32_t put_in_order(const struct nadi_trace *t, uint32_t *order)
{
    uint32_t *open = NADI_NEW(uint32_t, t->node_count), count = 0;
    struct nadi_heap32 ready = {0};
    for (uint32_t n = 0; n < t->node_count; n++) {
        open[n] = t->dep_start[n + 1] - t->dep_start[n];
        if (open[n] == 0)
            nadi_heap32_push(&ready, n);
    }
    while (ready.count) {
        const uint32_t n = nadi_heap32_pop(&ready);
        if (!is_left_out(t, n))
            order[count++] = n;
        for (uint32_t c = t->child_start[n]; c < t->child_start[n + 1]; c++)
            if (--open[t->children[c]] == 0)
                nadi_heap32_push(&ready, t->children[c]);
    }
    nadi_mem_free(open);
    nadi_mem_free(ready.items);
    return count;
}

/* --- symbols -----------------------------------------------------------------------------------
 */

/* Axes along which the group's members differ, as bits of the vocabulary; false: they are no block
 * of axes. */
static bool role_of(struct nadi_job_reader *r, const struct nadi_group *g, uint32_t *role)
{
    const struct nadi_learned_job *job = r->job;
    uint64_t product = 1;
    const uint32_t first = nadi_group_member(g, 0);
    *role = 0;
    for (uint32_t a = 0; a < job->axis_count; a++) {
        const struct nadi_learned_axis *axis = &job->axes[a];
        bool differs = g->is_world;
        for (uint32_t k = 1; k < g->size && !differs; k++)
            differs = nadi_group_member(g, k) / axis->stride % axis->size !=
                      first / axis->stride % axis->size;
        if (differs) {
            *role |= UINT32_C(1) << axis->vocabulary;
            product *= axis->size;
        }
    }
    return product == g->size;
}

static bool find_role(struct nadi_job_reader *r, const struct nadi_trace *t, uint32_t node,
                      uint32_t rank, uint32_t *role)
{
    const struct nadi_group *g = nadi_inputs_group(r->in, t, node, rank);
    NADI_ASSERT(g); /* the job was checked */
    const uint64_t key = (uint64_t)(g - r->in->groups.items);
    bool added;
    uint32_t *kept = nadi_map64_put(&r->roles, key, 0, &added);
    if (added && !role_of(r, g, kept))
        return nadi_error(
            r->diags, "learn/group", nadi_trace_place(t, rank, node, &r->diags->arena),
            "give a manifest whose groups lie along its axes",
            "group \"%s\" of %u ranks lies along no axes of the job", g->name, g->size);
    *role = *kept;
    return true;
}

/* "forward 12 layer 3 qkv" and "forward 1 layer 0 qkv" are one operator. */
static void add_name(struct nadi_str *key, const char *name)
{
    bool digits = false;
    for (; *name; name++) {
        const bool is_digit = *name >= '0' && *name <= '9';
        if (!is_digit)
            nadi_str_add_char(key, *name);
        else if (!digits)
            nadi_str_add_char(key, '#');
        digits = is_digit;
    }
}

static uint32_t keep_symbol(struct nadi_vocabulary *v, const struct nadi_job_symbol *s,
                            const char *name)
{
    struct nadi_str key = NADI_STR_INIT;
    const uint32_t next = (uint32_t)v->symbols.count;
    nadi_str_printf(&key, "%u %u %u %x", s->type, s->kind, s->flags, s->role);
    const size_t plain = key.length;
    nadi_str_add_char(&key, ' ');
    add_name(&key, name);
    const uint32_t at = nadi_strmap_put(&v->index, key.text, key.length, next, NULL);
    if (at == next) {
        struct nadi_job_symbol fresh = *s;
        fresh.channel = next;
        fresh.kind_of = nadi_strmap_put(&v->index, key.text, plain, next, NULL);
        NADI_PUSH(&v->symbols, fresh);
    }
    nadi_str_release(&key);
    return at;
}

static bool refuse(struct nadi_job_reader *r, const struct nadi_trace *t, uint32_t node,
                   uint32_t rank, const char *what)
{
    return nadi_error(r->diags, "learn/unsupported",
                      nadi_trace_place(t, rank, node, &r->diags->arena),
                      "leave such nodes out with `nadi trace filter`, or learn from other traces",
                      "%s cannot be learned", what);
}

static bool is_learnable(struct nadi_job_reader *r, const struct nadi_trace *t, uint32_t node,
                         uint32_t rank)
{
    const struct nadi_trace_comm *comm = nadi_trace_comm(t, node);
    if (comm && comm->size_count)
        return refuse(r, t, node, rank, "an all-to-all of unequal sizes");
    if (comm && comm->involved_count && t->type[node] == NADI_NODE_COLL)
        return refuse(r, t, node, rank, "a collective in some dimensions (involved_dim)");
    if (t->mem_count)
        return refuse(r, t, node, rank, "a job with memory tiers (chakra.mem)");
    return true;
}

/* --- peers -------------------------------------------------------------------------------------
 */

static int32_t shorter(uint32_t from, uint32_t to, uint32_t size)
{
    const int64_t d = ((int64_t)to - from + size) % size;
    return (int32_t)(2 * d > size ? d - size : d);
}

static uint32_t stage_of(const struct nadi_learned_job *job, uint32_t rank)
{
    uint32_t stage = 0, scale = 1;
    for (uint32_t a = 0; a < job->axis_count; a++)
        if (job->axes[a].staged) {
            stage += rank / job->axes[a].stride % job->axes[a].size * scale;
            scale *= job->axes[a].size;
        }
    return stage;
}

static int32_t step_to(struct nadi_job_reader *r, uint32_t rank, uint32_t peer)
{
    struct nadi_learned_job *job = r->job;
    struct nadi_job_step step = {
        .stages = shorter(stage_of(job, rank), stage_of(job, peer), job->stage_count)};
    for (uint32_t a = 0; a < job->axis_count; a++)
        if (!job->axes[a].staged)
            step.axes[a] =
                shorter(rank / job->axes[a].stride % job->axes[a].size,
                        peer / job->axes[a].stride % job->axes[a].size, job->axes[a].size);
    bool added;
    const uint32_t next = (uint32_t)job->steps.count;
    const uint32_t at =
        *nadi_map64_put(&r->steps, nadi_hash_bytes(&step, sizeof(step)), next, &added);
    if (added)
        NADI_PUSH(&job->steps, step);
    return (int32_t)at;
}

static uint32_t peer_of(const struct nadi_job_reader *r, const struct nadi_trace *t, uint32_t node,
                        uint32_t rank)
{
    const struct nadi_trace_comm *comm = nadi_trace_comm(t, node);
    const uint32_t peer = t->type[node] == NADI_NODE_SEND ? comm->dst : comm->src;
    return r->in->relative_peers ? (uint32_t)((rank + (uint64_t)peer) % r->in->rank_count) : peer;
}

/* --- the program -------------------------------------------------------------------------------
 */

struct making {
    struct nadi_job_program *p;
    const struct nadi_trace *t;
    uint32_t *order, *place; /* by node: its place */
    uint32_t *nth;           /* by place: how many of its class came before */
    struct {
        struct nadi_job_refs *items;
        size_t count, capacity;
    } refs;
};

static int by_class(const void *a, const void *b)
{
    const struct nadi_job_refs *x = a, *y = b;
    if (x->kind_of != y->kind_of)
        return x->kind_of < y->kind_of ? -1 : 1;
    return x->k < y->k ? -1 : x->k > y->k;
}

/* Runs of neighbours become one. */
static void add_refs(struct making *m, const struct nadi_vocabulary *v, const uint32_t *seen,
                     uint32_t at)
{
    const uint32_t n = m->order[at];
    const size_t first = m->refs.count;
    for (uint32_t d = m->t->dep_start[n]; d < m->t->dep_start[n + 1]; d++) {
        const uint32_t on = m->t->deps[d];
        if (is_left_out(m->t, on))
            continue;
        const uint32_t class = v->symbols.items[m->p->symbol[m->place[on]]].kind_of;
        const struct nadi_job_refs ref = {class, seen[class] - 1 - m->nth[m->place[on]], 1};
        NADI_PUSH(&m->refs, ref);
    }
    if (m->refs.count == first)
        return;
    struct nadi_job_refs *items = m->refs.items + first;
    const size_t count = m->refs.count - first;
    qsort(items, count, sizeof(*items), by_class);
    size_t kept = 0;
    for (size_t i = 1; i < count; i++) {
        if (items[i].kind_of == items[kept].kind_of &&
            items[i].k == items[kept].k + items[kept].count)
            items[kept].count++;
        else
            items[++kept] = items[i];
    }
    m->refs.count = first + kept + 1;
}

static bool add_node(struct nadi_job_reader *r, struct making *m, uint32_t at, uint32_t rank)
{
    const struct nadi_trace *t = m->t;
    const uint32_t n = m->order[at];
    struct nadi_job_symbol s = {.type = t->type[n],
                                .kind = t->collective[n],
                                .flags = t->flags[n] & (NADI_NODE_IS_CPU | NADI_NODE_HAS_KIND)};
    const bool message = s.type == NADI_NODE_SEND || s.type == NADI_NODE_RECV;
    if (!is_learnable(r, t, n, rank) ||
        (s.type == NADI_NODE_COLL && !find_role(r, t, n, rank, &s.role)))
        return false;
    m->p->symbol[at] = keep_symbol(r->vocabulary, &s, nadi_trace_name(t, n));
    m->p->duration_ns[at] = t->duration_ns[n];
    m->p->ops[at] = t->ops[n];
    m->p->bytes[at] = t->bytes[n];
    m->p->peer[at] = message ? step_to(r, rank, peer_of(r, t, n, rank)) : -1;
    m->p->tag[at] = message && t->flags[n] & NADI_NODE_HAS_TAG ? nadi_trace_comm(t, n)->tag : 0;
    m->place[n] = at;
    return true;
}

static void hash_program(struct nadi_job_program *p)
{
    struct {
        uint8_t part[7][32];
    } all;
    const size_t n = p->node_count;
    nadi_sha256(p->symbol, n * sizeof(*p->symbol), all.part[0]);
    nadi_sha256(p->duration_ns, n * sizeof(*p->duration_ns), all.part[1]);
    nadi_sha256(p->bytes, n * sizeof(*p->bytes), all.part[2]);
    nadi_sha256(p->ops, n * sizeof(*p->ops), all.part[3]);
    nadi_sha256(p->peer, n * sizeof(*p->peer), all.part[4]);
    nadi_sha256(p->ref_start, (n + 1) * sizeof(*p->ref_start), all.part[5]);
    nadi_sha256(p->refs, p->ref_start[n] * sizeof(*p->refs), all.part[6]);
    nadi_sha256(&all, sizeof(all), p->hash);
}

static bool add_nodes(struct nadi_job_reader *r, struct making *m, uint32_t rank)
{
    uint32_t *seen = NULL;
    size_t seen_count = 0;
    bool ok = true;
    for (uint32_t at = 0; at < m->p->node_count && ok; at++)
        ok = add_node(r, m, at, rank);
    seen_count = r->vocabulary->symbols.count;
    seen = NADI_ZNEW(uint32_t, seen_count);
    for (uint32_t at = 0; at < m->p->node_count && ok; at++) {
        m->p->ref_start[at] = (uint32_t)m->refs.count;
        add_refs(m, r->vocabulary, seen, at);
        m->nth[at] = seen[r->vocabulary->symbols.items[m->p->symbol[at]].kind_of]++;
    }
    nadi_mem_free(seen);
    return ok;
}

struct nadi_job_program *nadi_job_program_make(struct nadi_job_reader *r,
                                               const struct nadi_trace *t, uint32_t rank)
{
    struct nadi_arena *arena = &r->job->arena;
    struct nadi_job_program *p = NADI_ARENA_ZNEW(arena, struct nadi_job_program, 1);
    struct making m = {.p = p,
                       .t = t,
                       .order = NADI_NEW(uint32_t, t->node_count),
                       .place = NADI_ZNEW(uint32_t, t->node_count),
                       .nth = NADI_NEW(uint32_t, t->node_count)};
    p->node_count = put_in_order(t, m.order);
    const size_t n = p->node_count;
    p->symbol = NADI_ARENA_NEW(arena, uint32_t, n);
    p->duration_ns = NADI_ARENA_NEW(arena, uint64_t, n);
    p->ops = NADI_ARENA_NEW(arena, uint64_t, n);
    p->bytes = NADI_ARENA_NEW(arena, uint64_t, n);
    p->peer = NADI_ARENA_NEW(arena, int32_t, n);
    p->tag = NADI_ARENA_NEW(arena, uint32_t, n);
    p->ref_start = NADI_ARENA_ZNEW(arena, uint32_t, n + 1);
    const bool ok = add_nodes(r, &m, rank);
    p->ref_start[n] = (uint32_t)m.refs.count;
    p->refs = NADI_ARENA_NEW(arena, struct nadi_job_refs, m.refs.count);
    if (m.refs.count)
        memcpy(p->refs, m.refs.items, m.refs.count * sizeof(*p->refs));
    if (ok)
        hash_program(p);
    nadi_mem_free(m.order);
    nadi_mem_free(m.place);
    nadi_mem_free(m.nth);
    nadi_mem_free(m.refs.items);
    return ok ? p : NULL;
}
