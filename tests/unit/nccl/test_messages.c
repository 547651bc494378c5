/* Messages between two ranks of a node: channels, protocol by release, what is copied last. */
#include "nccl/nccl.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "support/platform_case.h"

#define MIB 1048576.0
#define GIB 1073741824.0

static struct nadi_comm_time predict(const struct nadi_comm_platform *p, enum nadi_comm_kind kind,
                                     uint32_t ranks, uint32_t nodes, double bytes)
{
    return nadi_comm_predict(
        p, &(struct nadi_comm_case){.kind = kind, .ranks = ranks, .nodes = nodes, .bytes = bytes});
}

/* A message has 4 channels up to 64 MiB, then one for each 16 MiB, so that its time stays. */
static void message_takes_channels_by_size(void **state)
{
    (void)state;
    struct opened o;
    struct nadi_comm_time at[4];
    static const double sizes[] = {32 * MIB, 64 * MIB, 128 * MIB, GIB};
    open_platform(&o, "b200-node");
    for (int i = 0; i < 4; i++)
        at[i] = predict(&o.p, NADI_COMM_SEND_RECV, 8, 1, sizes[i]);
    assert_true(fabs(at[0].bandwidth_ns * 83.2 / (32 * MIB) - 1) < 0.01); /* 4 of 20.8 GB/s */
    assert_true(fabs(at[1].bandwidth_ns / at[0].bandwidth_ns - 2) < 1e-6);
    assert_true(fabs(at[2].bandwidth_ns / at[1].bandwidth_ns - 1) < 0.02);
    assert_true(GIB / at[3].ns < 900 * o.p.value[NADI_FIGURE_DIRECT]); /* never more than many */
    struct nadi_comm_case c = {.kind = NADI_COMM_SEND_RECV, .ranks = 8, .bytes = 32 * MIB};
    c.partners = NADI_PARTNERS_ONE_WAY;
    assert_true(nadi_comm_predict(&o.p, &c).bandwidth_ns < at[0].bandwidth_ns * 0.7);
    release(&o);
}

/* LL up to 16 KiB for each channel, counted otherwise by every release, at a quarter of a channel's
 * rate: half a MiB then takes longer than one. Between nodes, and on AMD's mesh, Simple. */
static void message_goes_in_ll_by_version(void **state)
{
    static const struct {
        uint32_t version;
        double most; /* of LL */
    } releases[] = {{219, 16384}, {222, 524288}, {226, 524288}, {227, 16384}, {228, 16384}};
    (void)state;
    struct opened o;
    open_platform(&o, "h100-node");
    struct nadi_comm_case c = {.kind = NADI_COMM_SEND_RECV, .ranks = 8, .nodes = 1};
    for (size_t i = 0; i < sizeof(releases) / sizeof(releases[0]); i++) {
        c.version = releases[i].version;
        c.bytes = releases[i].most;
        assert_int_equal(nadi_comm_predict(&o.p, &c).protocol, NADI_COMM_LL);
        c.bytes = releases[i].most + 1;
        assert_int_equal(nadi_comm_predict(&o.p, &c).protocol, NADI_COMM_SIMPLE);
    }
    c.version = 225;
    c.bytes = 524288;
    const struct nadi_comm_time half = nadi_comm_predict(&o.p, &c);
    assert_true(fabs(half.bandwidth_ns * 19 / 524288 - 1) < 0.01); /* 4 x 19 / 4 GB/s */
    c.bytes = MIB;
    assert_true(nadi_comm_predict(&o.p, &c).ns < half.ns);
    c.bytes = 65536;
    c.nodes = 2;
    assert_int_equal(nadi_comm_predict(&o.p, &c).protocol, NADI_COMM_SIMPLE);
    release(&o);
    open_platform(&o, "mi300x-node");
    c.nodes = 1;
    assert_int_equal(nadi_comm_predict(&o.p, &c).protocol, NADI_COMM_SIMPLE);
    release(&o);
}

/* In Simple what comes last is still copied out of the channel's buffer, a step of half a MiB. */
static void message_is_copied_out(void **state)
{
    (void)state;
    struct opened o;
    struct nadi_comm_time at[3];
    open_platform(&o, "h100-node");
    static const double sizes[] = {MIB, 2 * MIB, 4 * MIB};
    for (int i = 0; i < 3; i++)
        at[i] = predict(&o.p, NADI_COMM_SEND_RECV, 8, 1, sizes[i]);
    const double quarter = at[1].latency_ns - at[0].latency_ns; /* of a MiB, by one channel */
    assert_true(quarter > 1000 && quarter < 20000);
    assert_true(fabs(at[2].latency_ns - at[1].latency_ns) < 1);
    o.p.value[NADI_FIGURE_LOCAL] *= 2;
    const struct nadi_comm_time faster = predict(&o.p, NADI_COMM_SEND_RECV, 8, 1, 2 * MIB);
    assert_true(fabs(at[1].latency_ns - faster.latency_ns - quarter) < 1);
    release(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(message_takes_channels_by_size),
        cmocka_unit_test(message_goes_in_ll_by_version),
        cmocka_unit_test(message_is_copied_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
