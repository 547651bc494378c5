/* Loads and stores under drawn messages, devices and networks: every message arrives, none sooner
 * than it would alone over a link without others; links carried the data of all, each once a link,
 * and no more than their rate allows; what devices say that they moved is that; the same draw gives
 * the same times. Messages in one connection arrive in order.
 *
 *   loadstore [CASES [FIRST_SEED]]    default 400 cases from seed 1 (60 when instrumented)
 */
#include "network/loadstore/loadstore.h"
#include "network/loadstore/alone.h"

#include "base/mem.h"
#include "base/rng.h"
#include "inputs/model_presets.h"
#include "support/flow_case.h"
#include "support/pins.h"
#include "support/seeds.h"

#include <inttypes.h>
#include <math.h>

#ifdef __SANITIZE_ADDRESS__
enum { CASES = 60 };
#else
enum { CASES = 400 };
#endif

struct draw {
    uint64_t seed;
    struct nadi_loadstore_config config;
    enum nadi_dim_kind kind;
    uint32_t npus, count;
    double rate, latency;
};

static void fail(const struct draw *d, const char *what)
{
    fprintf(stderr, "seed %" PRIu64 ": %s\n", d->seed, what);
    exit(1);
}

static uint32_t between(struct nadi_rng *r, uint32_t low, uint32_t high)
{
    return low + (uint32_t)nadi_rng_below(r, high - low + 1);
}

static void draw_device(struct nadi_loadstore_config *c, struct nadi_rng *r)
{
    nadi_loadstore_config_init(c);
    c->copy = nadi_rng_below(r, 4) ? NADI_COPY_SM : NADI_COPY_ENGINE;
    c->direction = nadi_rng_below(r, 3) ? NADI_PUT : NADI_GET;
    const bool plain = c->copy == NADI_COPY_ENGINE || c->direction == NADI_GET;
    c->protocol = plain ? NADI_PROTOCOL_SIMPLE : (enum nadi_protocol)nadi_rng_below(r, 4);
    c->arbitration = (enum nadi_arbitration)nadi_rng_below(r, 3);
    c->copy_sms = between(r, 1, 9);
    c->request_bytes = 128 * between(r, 1, 4);
    c->header_bytes = between(r, 0, 40);
    c->control_bytes = between(r, 0, 40);
    c->outstanding = between(r, 1, 80);
    c->exact_lines = between(r, 1, 60);
    c->engines = between(r, 1, 3);
    c->engine_requests = between(r, 1, 200);
    c->sm_bytes_per_ns = between(r, 1, 200);
    c->engine_bytes_per_ns = between(r, 1, 500);
    c->memory_ns = between(r, 0, 100);
    c->fence_ns = between(r, 0, 500);
    c->poll_ns = between(r, 0, 20);
    c->ll128_ns = between(r, 0, 300);
    c->setup_ns = between(r, 0, 1000);
    c->hop_credits = nadi_rng_below(r, 2) ? between(r, 1, 40) : 0;
}

static void send_all(const struct draw *d, struct flow_case *c, struct nadi_rng *r)
{
    for (uint32_t i = 0; i < d->count; i++) {
        const uint32_t src = between(r, 0, d->npus - 1);
        const uint32_t step = d->kind == NADI_DIM_RING ? 1 : between(r, 0, d->npus - 1);
        const uint64_t most = UINT64_C(1) << between(r, 0, 16);
        flow_case_send(c, between(r, 0, 5000), src, (src + step) % d->npus,
                       nadi_rng_below(r, most));
        c->messages[i].connection = between(r, 0, 2);
    }
}

struct sums {
    uint64_t data, messages, busy_ns, sum;
    const struct draw *draw;
};

static void add_link(void *context, const struct nadi_network_counter *counter)
{
    struct sums *s = context;
    s->data += counter->bytes;
    s->messages += counter->messages;
    s->busy_ns += counter->busy_ns;
    s->sum = (s->sum * 31 + counter->busy_ns) * 31 + counter->bytes;
    const double least = (double)counter->bytes / s->draw->rate;
    if ((double)counter->busy_ns + 1 < least)
        fail(s->draw, "a link carried more than it can");
}

static uint64_t check_links(const struct draw *d, const struct flow_case *c)
{
    struct sums s = {.draw = d};
    uint64_t data = 0, messages = 0, moved = 0, wire = 0;
    const uint64_t hops = d->kind == NADI_DIM_SWITCH ? 2 : 1;
    c->net->ops->counters(c->net, true, add_link, &s);
    for (uint32_t i = 0; i < c->count; i++) {
        const bool away = c->messages[i].src != c->messages[i].dst;
        data += away ? c->messages[i].bytes : 0;
        messages += away;
    }
    for (uint32_t n = 0; n < d->npus; n++) {
        const struct nadi_loadstore_figures *f = nadi_loadstore_figures(c->net, n);
        moved += f->data_bytes;
        wire += f->wire_bytes;
        s.sum = (s.sum * 31 + f->wire_bytes) * 31 + f->data_bytes;
    }
    if (s.data != hops * data || s.messages != hops * messages || moved != data)
        fail(d, "links did not carry what was sent");
    if (wire < data || (double)s.busy_ns + 40 < (double)(hops * wire) / d->rate * 0.999 ||
        (double)s.busy_ns - 1000 > (double)(hops * wire) / d->rate * 1.001)
        fail(d, "links were not busy with what devices sent");
    return s.sum;
}

static void check_message(const struct draw *d, const struct flow_case *c, uint32_t i)
{
    const struct flow_case_message *m = &c->messages[i];
    const double hops = d->kind == NADI_DIM_SWITCH ? 2 : 1;
    const double ns = flow_case_ns(c, i);
    if (m->arrived < 0)
        fail(d, "a message did not arrive");
    const double least = m->src == m->dst ? 0
                                          : hops * d->latency + 2 * d->config.memory_ns +
                                                hops * (double)nadi_min_u64(m->bytes, 1) / d->rate +
                                                (double)m->bytes / d->rate;
    if (ns + 0.01 < least)
        fail(d, "a message was faster than its bytes");
    for (uint32_t k = 0; m->connection && k < c->count; k++) {
        const struct flow_case_message *n = &c->messages[k];
        const bool before = n->at < m->at || (n->at == m->at && k < i);
        if (n->connection == m->connection && n->src == m->src && n->dst == m->dst && before &&
            m->src != m->dst && n->arrived > m->arrived)
            fail(d, "a message overtook one of its connection");
    }
}

static uint64_t run(const struct draw *d, struct nadi_rng r)
{
    struct flow_case c;
    uint64_t sum = 0;
    flow_case_init(&c);
    c.loadstore = &d->config;
    flow_case_dim(&c, d->kind, d->npus, d->rate, d->latency);
    flow_case_open(&c, &nadi_network_loadstore);
    send_all(d, &c, &r);
    flow_case_run(&c);
    for (uint32_t i = 0; i < c.count; i++) {
        check_message(d, &c, i);
        sum = sum * 31 + (uint64_t)c.messages[i].arrived;
    }
    sum = sum * 31 + check_links(d, &c);
    flow_case_release(&c);
    return sum;
}

int main(int argc, char **argv)
{
    struct seeds s = {CASES, 1};
    static const enum nadi_dim_kind kinds[] = {NADI_DIM_RING, NADI_DIM_FULLY_CONNECTED,
                                               NADI_DIM_SWITCH};
    struct pins drawn = PINS("loadstore", "devices", 10);
    if (!seeds_asked(argc, argv, &s))
        return 2;
    for (uint64_t seed = s.first; seed < s.first + s.cases; seed++) {
        struct nadi_rng r;
        nadi_rng_init(&r, seed, "loadstore");
        struct draw d = {.seed = seed,
                         .kind = kinds[nadi_rng_below(&r, 3)],
                         .npus = between(&r, 2, 16),
                         .count = between(&r, 1, 30),
                         .rate = between(&r, 1, 200),
                         .latency = between(&r, 0, 600)};
        draw_device(&d.config, &r);
        const uint64_t sum = run(&d, r);
        if (run(&d, r) != sum)
            fail(&d, "the same draw took other times");
        digest_u64(&drawn.digest, sum);
        pins_case(&drawn, seed);
    }
    printf("%" PRIu64 " cases\n", s.cases);
    return pins_end(&drawn) ? 0 : 1;
}
