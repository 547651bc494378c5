/* pool_sim: every round over every group and link, by events.
 *
 * Servers of three stages work on rounds in order, one at a time. A junction (a switch) between two
 * stages hears from its feeders and lets the servers behind it begin a round when all of it has
 * come. A load feeds from groups to NPUs, a store the other way. What a switch has not yet passed
 * on it holds: it has room. O(rounds * servers) events. */
#include "pool/pool.h"

#include "base/mem.h"
#include "engine/engine.h"

struct server {
    uint32_t in, out; /* junctions; NADI_NONE: the transfer's begin and end */
    uint64_t ended;   /* rounds that it has sent, */
    uint64_t come;    /* that have come where they go */
    bool busy;
    uint64_t bytes;
    nadi_time worked;
};

struct junction {
    uint32_t feeders, first_feeder, feeder_step; /* of the stage before: first, first + step, ... */
    uint32_t fed, first_fed, fed_step;           /* of the stage behind */
    uint32_t ahead;                              /* feeders of which more than `rounds` have come */
    uint64_t rounds;                             /* that have come from all */
};

struct simulation {
    const struct nadi_pool *pool;
    const struct nadi_pool_transfer *x;
    struct nadi_engine *engine;
    enum nadi_pool_stage order[NADI_POOL_STAGES];
    uint32_t counts[NADI_POOL_STAGES]; /* by place in the order, as below */
    struct server *servers[NADI_POOL_STAGES];
    struct junction *junctions[NADI_POOL_STAGES - 1];
    nadi_time stage[NADI_POOL_STAGES], latency[NADI_POOL_STAGES];
    uint64_t rounds, all_bytes, round_bytes;
    nadi_time end;
    uint32_t kind_sent, kind_come;
};

static uint64_t part(uint64_t bytes, uint64_t parts, uint64_t i)
{
    const nadi_u128 b = bytes;
    return (uint64_t)(b * (i + 1) / parts - b * i / parts);
}

/* Bytes that server i of a stage moves of a round. */
static uint64_t share_of(const struct simulation *s, enum nadi_pool_stage stage, uint32_t i,
                         uint64_t round)
{
    const struct nadi_pool *p = s->pool;
    const uint64_t before = nadi_count_mul(s->round_bytes, round);
    const uint64_t bytes = nadi_min_u64(s->round_bytes, s->all_bytes - before);
    if (stage == NADI_POOL_GROUP)
        return part(bytes, p->groups, i);
    if (stage == NADI_POOL_NPU)
        return s->x->shared ? bytes : part(bytes, (uint64_t)p->nodes * p->npus, i);
    const uint64_t of_switch = part(bytes, p->switches, i / p->nodes);
    return s->x->shared ? of_switch : part(of_switch, p->nodes, i % p->nodes);
}

static void begin(struct simulation *s, uint32_t at, uint32_t i)
{
    struct server *v = &s->servers[at][i];
    const uint64_t ready = v->in == NADI_NONE ? s->rounds : s->junctions[at - 1][v->in].rounds;
    if (v->busy || v->ended >= ready)
        return;
    v->busy = true;
    nadi_engine_schedule(s->engine, nadi_engine_after(s->engine, s->stage[at]), NADI_NONE,
                         s->kind_sent, at, i, 0);
}

static void on_sent(void *context, const struct nadi_event *event)
{
    struct simulation *s = context;
    const uint32_t at = event->a;
    struct server *v = &s->servers[at][event->b];
    v->busy = false;
    v->worked = nadi_time_add(v->worked, s->stage[at]);
    v->bytes += share_of(s, s->order[at], event->b, v->ended);
    v->ended++;
    nadi_engine_schedule(s->engine, nadi_engine_after(s->engine, s->latency[at]), NADI_NONE,
                         s->kind_come, at, event->b, 0);
    begin(s, at, event->b);
}

/* All of a round has come: what is behind may begin it. */
static void pass_on(struct simulation *s, uint32_t at, struct junction *j)
{
    j->rounds++;
    j->ahead = 0;
    for (uint32_t f = 0; f < j->feeders; f++)
        j->ahead += s->servers[at][j->first_feeder + f * j->feeder_step].come > j->rounds;
    for (uint32_t f = 0; f < j->fed; f++)
        begin(s, at + 1, j->first_fed + f * j->fed_step);
}

static void on_come(void *context, const struct nadi_event *event)
{
    struct simulation *s = context;
    const uint32_t at = event->a;
    struct server *v = &s->servers[at][event->b];
    v->come++;
    if (v->out == NADI_NONE) {
        s->end = nadi_engine_now(s->engine);
        return;
    }
    struct junction *j = &s->junctions[at][v->out];
    if (v->come == j->rounds + 1 && ++j->ahead == j->feeders)
        pass_on(s, at, j);
}

/* ---- what is joined to what ---------------------------------------------------------------- */

/* Out-node switches: groups r, r + M, ... and links m n ... m n + n - 1. */
static void lay_switches(const struct simulation *s, uint32_t junctions_at, bool store)
{
    const struct nadi_pool *p = s->pool;
    for (uint32_t m = 0; m < p->switches; m++) {
        struct junction *j = &s->junctions[junctions_at][m];
        *j = (struct junction){.feeders = p->groups / p->switches,
                               .first_feeder = m,
                               .feeder_step = p->switches,
                               .fed = p->nodes,
                               .first_fed = m * p->nodes,
                               .fed_step = 1};
        if (store)
            *j = (struct junction){j->fed,          j->first_fed,   j->fed_step, j->feeders,
                                   j->first_feeder, j->feeder_step, 0,           0};
    }
}

/* In-node switches: links j, n + j, ... and NPUs j g ... j g + g - 1. */
static void lay_nodes(const struct simulation *s, uint32_t junctions_at, bool store)
{
    const struct nadi_pool *p = s->pool;
    for (uint32_t n = 0; n < p->nodes; n++) {
        struct junction *j = &s->junctions[junctions_at][n];
        *j = (struct junction){.feeders = p->switches,
                               .first_feeder = n,
                               .feeder_step = p->nodes,
                               .fed = p->npus,
                               .first_fed = n * p->npus,
                               .fed_step = 1};
        if (store)
            *j = (struct junction){j->fed,          j->first_fed,   j->fed_step, j->feeders,
                                   j->first_feeder, j->feeder_step, 0,           0};
    }
}

static void join(const struct simulation *s)
{
    for (uint32_t at = 0; at < NADI_POOL_STAGES; at++)
        for (uint32_t i = 0; i < s->counts[at]; i++)
            s->servers[at][i].in = s->servers[at][i].out = NADI_NONE;
    for (uint32_t at = 0; at + 1 < NADI_POOL_STAGES; at++) {
        const bool outer = (at == 0) != s->x->store;
        const uint32_t count = outer ? s->pool->switches : s->pool->nodes;
        if (outer)
            lay_switches(s, at, s->x->store);
        else
            lay_nodes(s, at, s->x->store);
        for (uint32_t k = 0; k < count; k++) {
            const struct junction *j = &s->junctions[at][k];
            for (uint32_t f = 0; f < j->feeders; f++)
                s->servers[at][j->first_feeder + f * j->feeder_step].out = k;
            for (uint32_t f = 0; f < j->fed; f++)
                s->servers[at + 1][j->first_fed + f * j->fed_step].in = k;
        }
    }
}

static void open_simulation(struct simulation *s, const struct nadi_pool_time *form)
{
    const struct nadi_pool *p = s->pool;
    const uint32_t counts[] = {p->groups, p->switches * p->nodes, p->nodes * p->npus};
    s->rounds = form->rounds;
    s->all_bytes = form->bytes[NADI_POOL_GROUP];
    s->round_bytes = nadi_count_mul(p->groups, p->chunk_bytes);
    for (uint32_t at = 0; at < NADI_POOL_STAGES; at++) {
        const uint32_t stage = s->x->store ? NADI_POOL_STAGES - 1 - at : at;
        s->order[at] = (enum nadi_pool_stage)stage;
        s->counts[at] = counts[stage];
        s->stage[at] = form->stage[stage];
        s->latency[at] = nadi_time_of_ns(p->latency_ns[stage]);
        s->servers[at] = NADI_ZNEW(struct server, counts[stage]);
    }
    s->junctions[0] = NADI_ZNEW(struct junction, s->x->store ? p->nodes : p->switches);
    s->junctions[1] = NADI_ZNEW(struct junction, s->x->store ? p->switches : p->nodes);
    join(s);
    s->engine = nadi_engine_create(0);
    s->kind_sent = nadi_engine_add_kind(s->engine, on_sent, s);
    s->kind_come = nadi_engine_add_kind(s->engine, on_come, s);
}

static void close_simulation(struct simulation *s)
{
    nadi_engine_destroy(s->engine);
    for (uint32_t at = 0; at < NADI_POOL_STAGES; at++)
        nadi_mem_free(s->servers[at]);
    nadi_mem_free(s->junctions[0]);
    nadi_mem_free(s->junctions[1]);
}

struct nadi_pool_time nadi_pool_simulate(const struct nadi_pool *pool,
                                         const struct nadi_pool_transfer *x)
{
    struct nadi_pool_time t = nadi_pool_form(pool, x);
    struct simulation s = {.pool = pool, .x = x};
    open_simulation(&s, &t);
    for (uint32_t i = 0; i < s.counts[0]; i++)
        begin(&s, 0, i);
    nadi_engine_run(s.engine, UINT64_MAX, NADI_TIME_NEVER);
    t.total = nadi_engine_pending(s.engine) ? NADI_TIME_NEVER : s.end;
    t.events = nadi_engine_events(s.engine);
    for (uint32_t at = 0; at < NADI_POOL_STAGES; at++) {
        nadi_time most = 0;
        uint64_t bytes = 0;
        for (uint32_t i = 0; i < s.counts[at]; i++) {
            bytes = nadi_count_add(bytes, s.servers[at][i].bytes);
            most = s.servers[at][i].worked > most ? s.servers[at][i].worked : most;
        }
        t.bytes[s.order[at]] = bytes;
        t.busy[s.order[at]] = t.total > 0 ? (double)most / (double)t.total : 0;
    }
    close_simulation(&s);
    return t;
}
