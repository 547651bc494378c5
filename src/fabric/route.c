#include "fabric/route.h"

#include "base/map.h"
#include "base/mem.h"

/* What one network has to carry: by port, the flow that enters and the one that leaves there. */
struct task {
    uint32_t net;
    const uint32_t *in, *out;
};

/* The graph of flows that share a switch, and its colouring. */
struct colouring {
    uint32_t count;      /* flows in this network */
    uint32_t *flow;      /* by vertex */
    uint64_t *near;      /* by vertex: set of its neighbours */
    size_t words;        /* of a set of vertices */
    uint32_t *colour;    /* by vertex; NADI_NONE: none yet */
    uint32_t *taken;     /* by vertex and colour: neighbours that have it */
    uint32_t *different; /* by vertex: colours among its neighbours */
    uint32_t *degree;
};

struct search {
    struct nadi_fred *f;
    uint32_t *colours; /* by flow and level */
    uint32_t *vertex;  /* by flow: scratch */
    uint64_t steps, limit;
    struct nadi_map64 failed; /* hash of a task -> its place in keys */
    struct {
        uint32_t **items; /* ports, then in and out with flows numbered as they come */
        size_t count, capacity;
    } keys;
};

static enum nadi_fred_verdict route_net(struct search *s, const struct task *t);

/* ---- tasks that failed ------------------------------------------------------------------------
 */

/* The task with flows numbered in the order of their first ports: equal ones route alike. */
static uint32_t *key_of(struct search *s, const struct task *t)
{
    const uint32_t ports = s->f->nets[t->net].ports;
    uint32_t *key = NADI_NEW(uint32_t, 2 * (size_t)ports + 1), next = 0;
    key[0] = ports;
    for (uint32_t pass = 0; pass < 2; pass++)
        for (uint32_t p = 0; p < ports; p++) {
            const uint32_t flow = pass ? t->out[p] : t->in[p];
            if (flow != NADI_NONE)
                s->vertex[flow] = NADI_NONE;
        }
    for (uint32_t pass = 0; pass < 2; pass++)
        for (uint32_t p = 0; p < ports; p++) {
            const uint32_t flow = pass ? t->out[p] : t->in[p];
            if (flow != NADI_NONE && s->vertex[flow] == NADI_NONE)
                s->vertex[flow] = next++;
            key[1 + pass * ports + p] = flow == NADI_NONE ? NADI_NONE : s->vertex[flow];
        }
    return key;
}

/* Has it failed before? With `add`, it has now. */
static bool known_failure(struct search *s, const struct task *t, bool add)
{
    const size_t bytes = (2 * (size_t)s->f->nets[t->net].ports + 1) * sizeof(uint32_t);
    uint32_t *key = key_of(s, t);
    const uint64_t hash = nadi_hash_bytes(key, bytes);
    const uint32_t at = nadi_map64_find(&s->failed, hash);
    const bool found = at != NADI_NONE && s->keys.items[at][0] == key[0] &&
                       memcmp(s->keys.items[at], key, bytes) == 0;
    if (add && at == NADI_NONE) {
        (void)nadi_map64_put(&s->failed, hash, (uint32_t)s->keys.count, NULL);
        NADI_PUSH(&s->keys, key);
    } else
        nadi_mem_free(key);
    return found;
}

/* ---- colouring --------------------------------------------------------------------------------
 */

static bool is_near(const struct colouring *c, uint32_t a, uint32_t b)
{
    return c->near[a * c->words + b / 64] >> b % 64 & 1;
}

static void join(struct colouring *c, uint32_t a, uint32_t b)
{
    if (a == b || is_near(c, a, b))
        return;
    c->near[a * c->words + b / 64] |= UINT64_C(1) << b % 64;
    c->near[b * c->words + a / 64] |= UINT64_C(1) << a % 64;
    c->degree[a]++;
    c->degree[b]++;
}

static void number_flows(struct search *s, const struct task *t, struct colouring *c)
{
    const uint32_t ports = s->f->nets[t->net].ports;
    c->flow = NADI_NEW(uint32_t, 2 * (size_t)ports);
    for (uint32_t p = 0; p < 2 * ports; p++) {
        const uint32_t flow = p < ports ? t->in[p] : t->out[p - ports];
        if (flow != NADI_NONE)
            s->vertex[flow] = NADI_NONE;
    }
    for (uint32_t p = 0; p < 2 * ports; p++) {
        const uint32_t flow = p < ports ? t->in[p] : t->out[p - ports];
        if (flow == NADI_NONE || s->vertex[flow] != NADI_NONE)
            continue;
        s->vertex[flow] = c->count;
        c->flow[c->count++] = flow;
    }
}

static void begin_colouring(struct search *s, const struct task *t, struct colouring *c)
{
    const uint32_t pairs = s->f->nets[t->net].ports / 2, m = s->f->middle;
    *c = (struct colouring){.count = 0};
    number_flows(s, t, c);
    c->words = (c->count + 63) / 64;
    c->near = NADI_ZNEW(uint64_t, c->words * c->count);
    c->colour = NADI_NEW(uint32_t, c->count);
    c->taken = NADI_ZNEW(uint32_t, (size_t)c->count * m);
    c->different = NADI_ZNEW(uint32_t, c->count);
    c->degree = NADI_ZNEW(uint32_t, c->count);
    memset(c->colour, 0xff, c->count * sizeof(*c->colour));
    for (uint32_t i = 0; i < pairs; i++) {
        const uint32_t a = t->in[2 * i], b = t->in[2 * i + 1];
        const uint32_t x = t->out[2 * i], y = t->out[2 * i + 1];
        if (a != NADI_NONE && b != NADI_NONE)
            join(c, s->vertex[a], s->vertex[b]);
        if (x != NADI_NONE && y != NADI_NONE)
            join(c, s->vertex[x], s->vertex[y]);
    }
}

static void end_colouring(struct colouring *c)
{
    nadi_mem_free(c->flow);
    nadi_mem_free(c->near);
    nadi_mem_free(c->colour);
    nadi_mem_free(c->taken);
    nadi_mem_free(c->different);
    nadi_mem_free(c->degree);
}

/* Gives a colour, or (NADI_NONE) takes it back. */
static void paint(struct colouring *c, uint32_t m, uint32_t vertex, uint32_t colour)
{
    const bool give = colour != NADI_NONE;
    if (!give)
        colour = c->colour[vertex];
    c->colour[vertex] = give ? colour : NADI_NONE;
    for (uint32_t v = 0; v < c->count; v++) {
        uint32_t *taken = &c->taken[(size_t)v * m + colour];
        if (!is_near(c, vertex, v))
            continue;
        if (give)
            c->different[v] += (*taken)++ == 0;
        else
            c->different[v] -= --*taken == 0;
    }
}

/* DSATUR's next vertex. */
static uint32_t next_vertex(const struct colouring *c)
{
    uint32_t best = NADI_NONE;
    for (uint32_t v = 0; v < c->count; v++)
        if (c->colour[v] == NADI_NONE &&
            (best == NADI_NONE || c->different[v] > c->different[best] ||
             (c->different[v] == c->different[best] && c->degree[v] > c->degree[best])))
            best = v;
    return best;
}

/* ---- routing ----------------------------------------------------------------------------------
 */

/* The flows of middle network k, by its ports. */
static void take_part(const struct search *s, const struct task *t, uint32_t k, uint32_t *in,
                      uint32_t *out)
{
    const struct nadi_fred_net *n = &s->f->nets[t->net];
    for (uint32_t i = 0; i < n->ports / 2 + n->ports % 2; i++) {
        in[i] = out[i] = NADI_NONE;
        for (uint32_t p = 2 * i; p < n->ports && p < 2 * i + 2; p++) {
            if (t->in[p] != NADI_NONE && s->colours[t->in[p] * s->f->levels + n->level] == k)
                in[i] = t->in[p];
            if (t->out[p] != NADI_NONE && s->colours[t->out[p] * s->f->levels + n->level] == k)
                out[i] = t->out[p];
        }
    }
}

/* Input and output switches, for the colours that were found. */
static void set_switches(struct search *s, const struct task *t)
{
    const struct nadi_fred_net n = s->f->nets[t->net];
    const uint32_t m = s->f->middle, levels = s->f->levels;
    for (uint32_t i = 0; i < n.ports / 2 + n.ports % 2; i++) {
        struct nadi_fred_element *in = &s->f->elements[n.first_in + i];
        struct nadi_fred_element *out = &s->f->elements[n.first_out + i];
        memset(in->takes, 0, m * sizeof(*in->takes));
        memset(out->takes, 0, out->out_count * sizeof(*out->takes));
        for (uint32_t p = 2 * i; p < n.ports && p < 2 * i + 2; p++) {
            if (t->in[p] != NADI_NONE)
                in->takes[s->colours[t->in[p] * levels + n.level]] |= UINT32_C(1) << (p - 2 * i);
            if (t->out[p] != NADI_NONE)
                out->takes[p - 2 * i] = UINT32_C(1) << s->colours[t->out[p] * levels + n.level];
        }
    }
}

static enum nadi_fred_verdict route_middles(struct search *s, const struct task *t,
                                            const struct colouring *c)
{
    const struct nadi_fred_net n = s->f->nets[t->net];
    const uint32_t inner = n.ports / 2 + n.ports % 2;
    uint32_t *in = NADI_NEW(uint32_t, 2 * (size_t)inner), *out = in + inner;
    enum nadi_fred_verdict verdict = NADI_FRED_ROUTED;
    for (uint32_t v = 0; v < c->count; v++)
        s->colours[c->flow[v] * s->f->levels + n.level] = c->colour[v];
    for (uint32_t k = 0; k < s->f->middle && verdict == NADI_FRED_ROUTED; k++) {
        const struct task part = {n.middle[k], in, out};
        take_part(s, t, k, in, out);
        verdict = route_net(s, &part);
    }
    nadi_mem_free(in);
    return verdict;
}

/* Colours what is left; `used` colours are in use. */
static enum nadi_fred_verdict colour_rest(struct search *s, const struct task *t,
                                          struct colouring *c, uint32_t used)
{
    const uint32_t m = s->f->middle, vertex = next_vertex(c);
    if (vertex == NADI_NONE)
        return route_middles(s, t, c);
    if (++s->steps > s->limit)
        return NADI_FRED_UNDECIDED;
    for (uint32_t k = 0; k < m && k <= used; k++) {
        if (c->taken[(size_t)vertex * m + k])
            continue;
        paint(c, m, vertex, k);
        const enum nadi_fred_verdict verdict = colour_rest(s, t, c, k == used ? used + 1 : used);
        if (verdict != NADI_FRED_CONFLICT)
            return verdict;
        paint(c, m, vertex, NADI_NONE);
    }
    return NADI_FRED_CONFLICT;
}

static void set_base(struct search *s, const struct task *t)
{
    struct nadi_fred_element *e = &s->f->elements[s->f->nets[t->net].first_in];
    for (uint32_t o = 0; o < e->out_count; o++) {
        e->takes[o] = 0;
        for (uint32_t i = 0; i < e->in_count; i++)
            if (t->out[o] != NADI_NONE && t->in[i] == t->out[o])
                e->takes[o] |= UINT32_C(1) << i;
    }
}

static enum nadi_fred_verdict route_net(struct search *s, const struct task *t)
{
    if (nadi_fred_is_base(&s->f->nets[t->net])) {
        set_base(s, t);
        return NADI_FRED_ROUTED;
    }
    if (known_failure(s, t, false))
        return NADI_FRED_CONFLICT;
    struct colouring c;
    begin_colouring(s, t, &c);
    const enum nadi_fred_verdict verdict = colour_rest(s, t, &c, 0);
    end_colouring(&c);
    if (verdict == NADI_FRED_ROUTED)
        set_switches(s, t);
    else if (verdict == NADI_FRED_CONFLICT)
        (void)known_failure(s, t, true);
    return verdict;
}

enum nadi_fred_verdict nadi_fred_route(struct nadi_fred *f, const struct nadi_fred_set *set,
                                       uint64_t step_limit, struct nadi_fred_routing *routing)
{
    struct search s = {.f = f, .limit = step_limit};
    uint32_t *in = NADI_NEW(uint32_t, 2 * (size_t)f->ports), *out = in + f->ports;
    const size_t all = (size_t)set->count * f->levels;
    memset(in, 0xff, 2 * (size_t)f->ports * sizeof(*in));
    for (uint32_t i = 0; i < set->count; i++) {
        for (uint32_t k = 0; k < set->items[i].in_count; k++)
            in[set->items[i].in[k]] = i;
        for (uint32_t k = 0; k < set->items[i].out_count; k++)
            out[set->items[i].out[k]] = i;
    }
    s.colours = routing ? NADI_ARENA_NEW(&f->arena, uint32_t, all) : NADI_NEW(uint32_t, all);
    memset(s.colours, 0xff, all * sizeof(*s.colours));
    s.vertex = NADI_NEW(uint32_t, set->count);
    nadi_map64_init(&s.failed, 64);
    const struct task whole = {0, in, out};
    const enum nadi_fred_verdict verdict = route_net(&s, &whole);
    if (routing)
        *routing = (struct nadi_fred_routing){s.colours, s.steps};
    else
        nadi_mem_free(s.colours);
    for (size_t i = 0; i < s.keys.count; i++)
        nadi_mem_free(s.keys.items[i]);
    nadi_mem_free(s.keys.items);
    nadi_map64_release(&s.failed);
    nadi_mem_free(s.vertex);
    nadi_mem_free(in);
    return verdict;
}
