/* loadstore_alone: the closed form of a message alone, against sums worked out by hand: no bytes,
 * one line, a window that runs out, each protocol, gets, engines, and which protocol is chosen. */
#include "inputs/model_presets.h"
#include "network/loadstore/alone.h"

#include <setjmp.h>

#include <cmocka.h>

static const struct nadi_loadstore_route there = {
    .latency_ns = 100, .slowest = 50, .ns_a_byte_sum = 0.04};
static const struct nadi_loadstore_route back = {
    .latency_ns = 200, .slowest = 25, .ns_a_byte_sum = 0.08};

static struct nadi_loadstore_config config(void)
{
    struct nadi_loadstore_config c;
    nadi_loadstore_config_init(&c);
    c.sms = 8;
    c.copy_sms = 2;
    c.request_bytes = 128;
    c.header_bytes = c.control_bytes = 16;
    c.outstanding = 4;
    c.engine_requests = 8;
    c.sm_bytes_per_ns = 64;
    c.engine_bytes_per_ns = 100;
    c.memory_ns = 50;
    c.fence_ns = 1700;
    c.ll128_ns = 1300;
    c.poll_ns = 7;
    c.setup_ns = 2000;
    return c;
}

static void assert_alone(const struct nadi_loadstore_config *c, enum nadi_protocol protocol,
                         uint64_t bytes, double wanted)
{
    const double ns = nadi_loadstore_alone(c, protocol, &there, &back, bytes);
    if (!(ns > wanted - 1e-6 && ns < wanted + 1e-6))
        fail_msg("%g ns instead of %g", ns, wanted);
}

/* A line of 144 B is under way for 2 x 50 + 100 + 144 x 0.04 = 205.76 ns, its answer of 16 B for
 * 201.28: a round trip of 407.04. The flag of 24 B takes 200.96, and 7 until it is seen. Lines
 * follow each other in 144 / 50 = 2.88 ns. */
static void sums(void **state)
{
    struct nadi_loadstore_config c = config();
    (void)state;
    assert_alone(&c, NADI_PROTOCOL_SIMPLE, 0, 207.96);
    assert_alone(&c, NADI_PROTOCOL_LL, 64, 212.76);
    assert_alone(&c, NADI_PROTOCOL_LL128, 120, 1512.76);
    /* a short line takes what it has, 56 B for 40 and 24 for 4; of two each is whole */
    assert_alone(&c, NADI_PROTOCOL_SIMPLE, 40, 202.24 + 201.28 + 1700 + 207.96);
    assert_alone(&c, NADI_PROTOCOL_LL, 4, 200.96 + 7);
    assert_alone(&c, NADI_PROTOCOL_SIMPLE, 129, 2.88 + 407.04 + 1700 + 207.96);
    /* the ninth line waits for the first answer */
    assert_alone(&c, NADI_PROTOCOL_SIMPLE, 1024, 7 * 2.88 + 407.04 + 1700 + 207.96);
    assert_alone(&c, NADI_PROTOCOL_SIMPLE, 1152, 407.04 + 407.04 + 1700 + 207.96);
    /* ten lines, of which eight go before the first answer: a round trip and one more line */
    assert_true(nadi_loadstore_runs_out(&c, NADI_PROTOCOL_SIMPLE, &there, &back, 1280));
    assert_alone(&c, NADI_PROTOCOL_SIMPLE, 1280, 409.92 + 407.04 + 1700 + 207.96);
    c.direction = NADI_GET;
    assert_alone(&c, NADI_PROTOCOL_SIMPLE, 0, 207.96);
    assert_alone(&c, NADI_PROTOCOL_SIMPLE, 1280, 207.96 + 409.92 + 407.04);
    c.direction = NADI_PUT;
    c.copy = NADI_COPY_ENGINE;
    assert_alone(&c, NADI_PROTOCOL_SIMPLE, 1280, 2000 + 409.92 + 407.04 + 1700 + 207.96);
    c.engine_bytes_per_ns = 32; /* slower than the link: 4 ns a line */
    assert_alone(&c, NADI_PROTOCOL_SIMPLE, 1280, 2000 + 411.04 + 407.04 + 1700 + 207.96);
    c.copy = NADI_COPY_SM;
    c.outstanding = 256; /* answers are back in time */
    assert_false(nadi_loadstore_runs_out(&c, NADI_PROTOCOL_SIMPLE, &there, &back, 1280));
    assert_alone(&c, NADI_PROTOCOL_SIMPLE, 1280, 25.92 + 407.04 + 1700 + 207.96);
    c.sm_bytes_per_ns = 16; /* 128 B on two SMs: 4 ns a line */
    assert_alone(&c, NADI_PROTOCOL_SIMPLE, 1280, 36 + 407.04 + 1700 + 207.96);
}

/* 64 KiB: 1,024 lines of LL, 547 of LL128, 512 of simple; 1 MiB: 16,384, 8,739 and 8,192. */
static void choice(void **state)
{
    struct nadi_loadstore_config c = config();
    (void)state;
    c.outstanding = 256;
    assert_alone(&c, NADI_PROTOCOL_LL, 65536, 1023 * 2.88 + 212.76);
    assert_alone(&c, NADI_PROTOCOL_LL128, 65536, 546 * 2.88 + 1512.76);
    assert_alone(&c, NADI_PROTOCOL_SIMPLE, 65536, 511 * 2.88 + 407.04 + 1700 + 207.96);
    c.protocol = NADI_PROTOCOL_AUTO;
    assert_int_equal(nadi_loadstore_choose(&c, &there, &back, 64), NADI_PROTOCOL_LL);
    assert_int_equal(nadi_loadstore_choose(&c, &there, &back, 65536), NADI_PROTOCOL_LL128);
    assert_int_equal(nadi_loadstore_choose(&c, &there, &back, 1 << 20), NADI_PROTOCOL_SIMPLE);
    c.direction = NADI_GET;
    assert_int_equal(nadi_loadstore_choose(&c, &there, &back, 64), NADI_PROTOCOL_SIMPLE);
    c.direction = NADI_PUT;
    c.copy = NADI_COPY_ENGINE;
    assert_int_equal(nadi_loadstore_choose(&c, &there, &back, 64), NADI_PROTOCOL_SIMPLE);
    c.copy = NADI_COPY_SM;
    c.protocol = NADI_PROTOCOL_LL128;
    assert_int_equal(nadi_loadstore_choose(&c, &there, &back, 64), NADI_PROTOCOL_LL128);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sums), cmocka_unit_test(choice)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
