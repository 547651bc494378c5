/* The loadstore model: one stream of stores to the picosecond against its recurrence, closed forms
 * of all protocols, flow on long messages, several senders, gets and their arbitration, engines. */
#include "inputs/model_presets.h"
#include "network/loadstore/alone.h"
#include "network/loadstore/loadstore.h"
#include "support/flow_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

static struct nadi_loadstore_config bare(void)
{
    struct nadi_loadstore_config c;
    nadi_loadstore_config_init(&c);
    c.header_bytes = c.control_bytes = 0;
    c.exact_lines = 1 << 30;
    c.memory_ns = c.fence_ns = c.poll_ns = c.setup_ns = c.ll128_ns = 0;
    return c;
}

static void open_dim(struct flow_case *c, const struct nadi_loadstore_config *config,
                     enum nadi_dim_kind kind, uint32_t npus, double bytes_per_ns, double latency_ns)
{
    flow_case_init(c);
    c->loadstore = config;
    flow_case_dim(c, kind, npus, bytes_per_ns, latency_ns);
    flow_case_open(c, &nadi_network_loadstore);
}

static double time_of(const struct nadi_loadstore_config *config, enum nadi_dim_kind kind,
                      double bytes_per_ns, double latency_ns, uint64_t bytes)
{
    struct flow_case c;
    open_dim(&c, config, kind, 4, bytes_per_ns, latency_ns);
    flow_case_send(&c, 7, 0, 3, bytes);
    flow_case_run(&c);
    const double ns = flow_case_ns(&c, 0);
    flow_case_release(&c);
    return ns;
}

/* ---- one SM, one link: the recurrence ------------------------------------------------------ */

enum { MOST_LINES = 600 };

/* Line j is issued an interval after the one before, and when line j - window is acknowledged. The
 * link takes it when it is free; the acknowledgement comes back over an idle link. All ns are whole
 * here. */
static double recurrence(uint32_t lines, uint32_t window, double interval, double taken,
                         double ack_taken, double latency, double memory)
{
    static double acked[MOST_LINES];
    double issued = 0, link_free = 0, landed = 0;
    for (uint32_t j = 0; j < lines; j++) {
        issued = j ? issued + interval : 0;
        if (j >= window)
            issued = fmax(issued, acked[j - window]);
        link_free = fmax(issued, link_free) + taken;
        landed = link_free + latency + 2 * memory;
        acked[j] = link_free + latency + memory + ack_taken + latency + memory;
    }
    return landed;
}

static void test_one_stream(void **state)
{
    static const uint32_t windows[] = {1, 2, 7, 64, 1000};
    static const struct {
        double sm, link, latency, memory;
    } rows[] = {{64, 32, 250, 0}, {16, 64, 100, 30}, {128, 128, 10, 0}, {32, 32, 777, 5}};
    struct nadi_loadstore_config config = bare();
    (void)state;
    config.copy_sms = 1;
    config.protocol = NADI_PROTOCOL_LL; /* ends when the last line is there */
    config.header_bytes = 128;
    config.control_bytes = 64;
    for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++)
        for (size_t v = 0; v < sizeof(windows) / sizeof(windows[0]); v++)
            for (uint32_t lines = 1; lines <= MOST_LINES; lines += 119) {
                config.outstanding = windows[v];
                config.sm_bytes_per_ns = rows[r].sm;
                config.memory_ns = rows[r].memory;
                const double ns = time_of(&config, NADI_DIM_FULLY_CONNECTED, rows[r].link,
                                          rows[r].latency, (uint64_t)lines * 64);
                const double twin =
                    recurrence(lines, windows[v], 128 / rows[r].sm, 256 / rows[r].link,
                               64 / rows[r].link, rows[r].latency, rows[r].memory);
                if (fabs(ns - twin) > 1e-6)
                    fail_msg("row %zu, %u lines, window %u: %.3f ns, by hand %.3f", r, lines,
                             windows[v], ns, twin);
            }
}

/* ---- closed forms -------------------------------------------------------------------------- */

static void test_alone(void **state)
{
    static const uint64_t sizes[] = {1, 64, 128, 4000, 100000, 3000001};
    struct nadi_loadstore_config config;
    (void)state;
    nadi_loadstore_config_init(&config);
    config.poll_ns = 11;
    config.exact_lines = 1 << 30;
    for (uint32_t k = 0; k < 5; k++)
        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
            for (uint32_t sms = 1; sms <= 25; sms += 12) {
                const double rate = sms == 13 ? 450 : 50, latency = 250;
                const struct nadi_loadstore_route route = {
                    .latency_ns = 2 * latency, .slowest = rate, .ns_a_byte_sum = 2 / rate};
                config.copy = k == 4 ? NADI_COPY_ENGINE : NADI_COPY_SM;
                config.direction = k == 3 ? NADI_GET : NADI_PUT;
                config.protocol = k < 3 ? (enum nadi_protocol)k : NADI_PROTOCOL_SIMPLE;
                config.copy_sms = sms;
                const double ns = time_of(&config, NADI_DIM_SWITCH, rate, latency, sizes[i]);
                const double form =
                    nadi_loadstore_alone(&config, config.protocol, &route, &route, sizes[i]);
                const double line = 144 / rate + 2;
                if (fabs(ns - form) > line * sms + 0.01 * form)
                    fail_msg("kind %u, %u SMs, %llu B: %.1f ns, form %.1f", k, sms,
                             (unsigned long long)sizes[i], ns, form);
            }
}

/* Simple waits for acknowledgements and flags; LL carries twice the bytes, LL128 a fifteenth more.
 */
static void test_protocols(void **state)
{
    const uint32_t bytes = 8 << 20;
    struct nadi_loadstore_config config = bare();
    (void)state;
    const double simple = time_of(&config, NADI_DIM_SWITCH, 100, 250, bytes);
    config.protocol = NADI_PROTOCOL_LL;
    const double ll = time_of(&config, NADI_DIM_SWITCH, 100, 250, bytes);
    config.protocol = NADI_PROTOCOL_LL128;
    const double ll128 = time_of(&config, NADI_DIM_SWITCH, 100, 250, bytes);
    assert_true(fabs(simple - (bytes / 100.0 + 3 * 500)) < 20);
    assert_true(fabs(ll - (2 * bytes / 100.0 + 500)) < 20);
    assert_true(fabs(ll128 - (bytes * 128.0 / 120 / 100 + 500)) < 20);
    for (uint64_t size = 8; size <= 1 << 22; size *= 2) {
        double best = (double)INFINITY;
        for (int p = 0; p < 3; p++) {
            config.protocol = (enum nadi_protocol)p;
            best = fmin(best, time_of(&config, NADI_DIM_SWITCH, 100, 250, size));
        }
        config.protocol = NADI_PROTOCOL_AUTO;
        assert_true(time_of(&config, NADI_DIM_SWITCH, 100, 250, size) <= best * 1.01 + 3);
    }
}

/* ---- beside flow --------------------------------------------------------------------------- */

static double all_of(const struct nadi_network_ops *model,
                     const struct nadi_loadstore_config *config, enum nadi_dim_kind kind,
                     int pattern)
{
    struct flow_case c;
    double last = 0;
    flow_case_init(&c);
    c.loadstore = config;
    flow_case_dim(&c, kind, 8, 50, 100);
    flow_case_open(&c, model);
    for (uint32_t r = 0; r < 8; r++)
        for (uint32_t s = 0; s < 8; s++)
            if (r != s && (pattern == 0 ? s == (r + 1) % 8 : pattern == 1 ? s == 0 : true))
                flow_case_send(&c, 0, r, s, 1 << 20);
    flow_case_run(&c);
    for (uint32_t i = 0; i < c.count; i++)
        last = fmax(last, flow_case_ns(&c, i));
    flow_case_release(&c);
    return last;
}

/* A ring's step, seven to one, all to all: by SMs and by engines, put and got. */
static void test_as_flow(void **state)
{
    (void)state;
    for (int pattern = 0; pattern < 3; pattern++)
        for (int variant = 0; variant < 4; variant++) {
            struct nadi_loadstore_config config = bare();
            config.copy = variant & 1 ? NADI_COPY_ENGINE : NADI_COPY_SM;
            config.direction = variant & 2 ? NADI_GET : NADI_PUT;
            const enum nadi_dim_kind kind =
                pattern == 2 ? NADI_DIM_FULLY_CONNECTED : NADI_DIM_SWITCH;
            const double flow = all_of(&nadi_network_flow, &config, kind, pattern);
            const double lines = all_of(&nadi_network_loadstore, &config, kind, pattern);
            if (lines < flow * 0.999 || lines > flow * 1.03)
                fail_msg("pattern %d, variant %d: flow %g ns, loadstore %g ns", pattern, variant,
                         flow, lines);
        }
}

/* Bundles of lines beside lines, on long messages: within 0.7 %. */
static void test_bundles(void **state)
{
    (void)state;
    for (int variant = 0; variant < 5; variant++) {
        struct nadi_loadstore_config config;
        double ns[2];
        nadi_loadstore_config_init(&config);
        config.copy = variant == 4 ? NADI_COPY_ENGINE : NADI_COPY_SM;
        config.direction = variant == 3 ? NADI_GET : NADI_PUT;
        config.protocol = variant < 3 ? (enum nadi_protocol)variant : NADI_PROTOCOL_SIMPLE;
        config.copy_sms = variant == 1 ? 2 : 24; /* requests run out */
        for (int exact = 0; exact < 2; exact++) {
            config.exact_lines = exact ? 1 << 30 : 1024;
            ns[exact] = time_of(&config, NADI_DIM_SWITCH, 300, 250, (4 << 20) + 77);
        }
        if (fabs(ns[0] - ns[1]) > 0.007 * ns[1] || (ns[0] <= ns[1] && ns[0] >= ns[1]))
            fail_msg("variant %d: %g ns in bundles, %g ns by line", variant, ns[0], ns[1]);
    }
}

/* As wide as keys allow: bytes of a bundle stay countable. */
static void test_widest(void **state)
{
    struct nadi_loadstore_config config = bare();
    (void)state;
    config.copy = NADI_COPY_ENGINE;
    config.request_bytes = NADI_LOADSTORE_MOST_REQUEST;
    config.header_bytes = config.control_bytes = 65536;
    config.engine_requests = 1000000;
    config.engine_bytes_per_ns = 1e6;
    config.exact_lines = 1;
    const double bytes = 64e9,
                 ns = time_of(&config, NADI_DIM_FULLY_CONNECTED, 100, 10, 64000000000);
    if (ns < 2 * bytes / 100 || ns > 1.05 * 2 * bytes / 100 + 1e8)
        fail_msg("%g ns", ns);
}

/* ---- the rest ------------------------------------------------------------------------------ */

/* Both ways over one cable: with one queue acknowledgements wait behind the other's data, and the
 * requests run out; in turn they do not. */
static void test_arbitration(void **state)
{
    double ns[3];
    struct nadi_loadstore_config config = bare();
    (void)state;
    config.copy_sms = 4;
    config.outstanding = 128;
    for (int a = 0; a < 3; a++) {
        struct flow_case c;
        config.arbitration = (enum nadi_arbitration)a;
        open_dim(&c, &config, NADI_DIM_FULLY_CONNECTED, 2, 100, 250);
        flow_case_send(&c, 0, 0, 1, 4 << 20);
        flow_case_send(&c, 0, 1, 0, 4 << 20);
        flow_case_run(&c);
        ns[a] = fmax(flow_case_ns(&c, 0), flow_case_ns(&c, 1));
        flow_case_release(&c);
    }
    assert_true(ns[NADI_ARBITRATE_FAIR] < 1.02 * (4 << 20) / 100 + 1000);
    assert_true(fabs(ns[NADI_ARBITRATE_CONTROL_FIRST] - ns[NADI_ARBITRATE_FAIR]) < 50);
    assert_true(ns[NADI_ARBITRATE_FIFO] > 1.2 * ns[NADI_ARBITRATE_FAIR]);
}

/* Three messages, one engine: one after the other, each with its set-up. */
static void test_engines_queue(void **state)
{
    struct flow_case c;
    struct nadi_loadstore_config config = bare();
    (void)state;
    config.copy = NADI_COPY_ENGINE;
    config.engines = 1;
    config.setup_ns = 5000;
    open_dim(&c, &config, NADI_DIM_FULLY_CONNECTED, 4, 100, 10);
    for (uint32_t i = 0; i < 3; i++)
        flow_case_send(&c, 0, 0, i + 1, 100000);
    flow_case_run(&c);
    for (uint32_t i = 0; i < 3; i++) /* set-up, data, acknowledgement; the last one's flag */
        assert_true(fabs(flow_case_ns(&c, i) - ((i + 1) * (5000 + 1000 + 20) + 10)) < 8);
    flow_case_release(&c);
}

static void test_small(void **state)
{
    struct flow_case c;
    struct nadi_loadstore_config config = bare();
    (void)state;
    config.memory_ns = 40;
    config.poll_ns = 5;
    open_dim(&c, &config, NADI_DIM_SWITCH, 4, 100, 100);
    flow_case_send(&c, 5, 0, 2, 0);    /* a flag is all */
    flow_case_send(&c, 9, 3, 3, 1000); /* to itself */
    flow_case_send(&c, 1e6, 2, 1, 1 << 20);
    flow_case_send(&c, 1e6, 2, 1, 1 << 20);
    c.messages[2].connection = c.messages[3].connection = 1;
    flow_case_run(&c);
    assert_true(fabs(flow_case_ns(&c, 0) - (200 + 80 + 5 + 2 * 0.08)) < 1e-6);
    assert_true(fabs(flow_case_ns(&c, 1)) < 1e-6);
    assert_true(fabs(2 * flow_case_ns(&c, 2) - flow_case_ns(&c, 3)) < 20);
    const struct nadi_loadstore_figures *f = nadi_loadstore_figures(c.net, 2);
    assert_int_equal(f->lines, 2 << 13);
    assert_int_equal(f->data_bytes, 2 << 20);
    assert_int_equal(f->flags, 2 * 24);
    assert_int_equal(f->by_protocol[NADI_PROTOCOL_SIMPLE], 2);
    flow_case_release(&c);
}

/* ---- credits of switches ------------------------------------------------------------------- */

/* With C credits the first link carries C lines a round: a line's way to the switch, out of it, and
 * the credit's way back. 1 MiB by many SMs. */
static void test_credits(void **state)
{
    static const uint32_t credits[] = {1, 4, 16, 64};
    struct nadi_loadstore_config config = bare();
    (void)state;
    config.outstanding = 1 << 20;
    config.sm_bytes_per_ns = 1e6;
    const double rate = 128, latency = 200, line = 128 / rate, lines = 8192;
    const double without = time_of(&config, NADI_DIM_SWITCH, rate, latency, 1 << 20);
    for (size_t i = 0; i < 4; i++) {
        config.hop_credits = credits[i];
        const double round = line + latency + line + latency;
        const double bare_ns = lines / credits[i] * round;
        const double ns = time_of(&config, NADI_DIM_SWITCH, rate, latency, 1 << 20);
        if (fabs(ns - bare_ns) > 4 * round + 0.001 * bare_ns)
            fail_msg("%u credits: %.1f ns, by hand %.1f", credits[i], ns, bare_ns);
    }
    config.hop_credits = 4096; /* more than are under way */
    const double enough = time_of(&config, NADI_DIM_SWITCH, rate, latency, 1 << 20);
    assert_true(fabs(enough - without) < 1e-6);
    config.hop_credits = 4; /* a link without a switch behind it needs none */
    const double direct = time_of(&config, NADI_DIM_FULLY_CONNECTED, rate, latency, 1 << 20);
    config.hop_credits = 0;
    assert_true(fabs(direct - time_of(&config, NADI_DIM_FULLY_CONNECTED, rate, latency, 1 << 20)) <
                1e-6);
}

/* ---- switches that add up ------------------------------------------------------------------ */

/* One message over the link to a switch, and one from there; of an all-reduce an n-th goes the
 * other way as well, and both messages' acknowledgements. */
static void test_in_switch(void **state)
{
    struct nadi_loadstore_config config = bare();
    struct flow_case c;
    (void)state;
    config.header_bytes = config.control_bytes = 16;
    config.memory_ns = 50;
    for (uint32_t n = 0; n <= 4; n += 4) {
        open_dim(&c, &config, NADI_DIM_SWITCH, 4, 100, 250);
        for (uint32_t down = 0; down < 2; down++) {
            flow_case_send(&c, down * 1e6, down ? 4 : 1, down ? 1 : 4, 1 << 20);
            c.messages[down].over = 1 + nadi_network_switch_link(&c.topology, 0, 1, down);
            c.messages[down].shared_by = n;
        }
        flow_case_run(&c);
        const double data = 8192 * 144 / 100.0;
        assert_true(fabs(flow_case_ns(&c, 0) - (data + 300)) < 3);
        assert_true(fabs(flow_case_ns(&c, 1) - (data + 300)) < 3);
        const struct nadi_loadstore_figures *f = nadi_loadstore_figures(c.net, 1);
        /* its data, what it acknowledges, and its share of what it stores */
        assert_int_equal(f->wire_bytes, 8192 * 144 + 8192 * 16 + (n ? 8192 / n * 144 : 0));
        assert_int_equal(f->flags, 0);
        flow_case_release(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_stream),  cmocka_unit_test(test_alone),
        cmocka_unit_test(test_protocols),   cmocka_unit_test(test_as_flow),
        cmocka_unit_test(test_arbitration), cmocka_unit_test(test_engines_queue),
        cmocka_unit_test(test_bundles),     cmocka_unit_test(test_widest),
        cmocka_unit_test(test_small),       cmocka_unit_test(test_credits),
        cmocka_unit_test(test_in_switch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
