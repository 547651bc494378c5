/* Messages that are timed are within the error that is stated of their packets.
 *
 *   packet_error [JOBS [FIRST_SEED]]   default: 60 jobs (20 when instrumented)
 *
 * Rings of one collective over switches, rails and dimensions: the run ends within the error, with
 * the same packets and bytes on every link. Where connections share cables most goes as packets,
 * and what is delivered is the same. A message that another one joins ends as it would. */
#include "base/mem.h"
#include "base/str.h"
#include "inputs/model_presets.h"
#include "network/network.h"
#include "network/packet/cc.h"
#include "network/packet/config.h"
#include "sim/run.h"
#include "support/job.h"
#include "support/job_draw.h"
#include "support/seeds.h"

#include <math.h>
#include <setjmp.h>

#include <cmocka.h>

#ifdef __SANITIZE_ADDRESS__
static struct seeds asked = {20, 0};
#else
static struct seeds asked = {60, 0};
#endif

enum {
    LONG_SHARE = 6, /* of the jobs: as many have long messages */
    MOST_ROUND = 3,
    MOST_ROUNDS = 8
};

static void draw_network(struct job *j, struct nadi_rng *rng)
{
    static const char *const words[] = {"rail nodes=4 npus=2", "rail nodes=2 npus=4",
                                        "leaf-spine leaves=1 spines=1 hosts=5"};
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    if (chance(rng, 3)) {
        job_graph(j, words[nadi_rng_below(rng, 3)]);
        j->in.options.network_model = &nadi_network_packet;
        j->in.options.network = "job";
        return;
    }
    struct nadi_dim dims[2];
    const uint32_t count = (uint32_t)pick(rng, 1, 2);
    for (uint32_t d = 0; d < count; d++)
        dims[d] = (struct nadi_dim){.kind = chance(rng, 2) ? NADI_DIM_SWITCH : NADI_DIM_RING,
                                    .npus = (uint32_t)pick(rng, 2, 4),
                                    .bytes_per_ns = (double)pick(rng, 10, 400),
                                    .latency_ns = (double)pick(rng, 0, 2000),
                                    .oversubscription = 1,
                                    .axes = 1};
    job_init(j, dims, count);
    j->in.options.network_model = &nadi_network_packet;
    j->in.options.network = "job";
    nadi_packet_config_init(&j->in.packet);
    assert_true(nadi_inputs_take_topology(&j->in, NULL, NULL, &diags));
    j->in.has_graph = true;
}

/* One after the other, some of them of all to all, which share cables. */
static uint32_t draw_nodes(struct job *j, struct nadi_rng *rng, bool shared, struct job_node *nodes,
                           uint32_t most)
{
    static const enum nadi_collective_kind kinds[] = {NADI_ALL_REDUCE, NADI_ALL_GATHER,
                                                      NADI_REDUCE_SCATTER, NADI_ALL_TO_ALL};
    const uint32_t count = (uint32_t)pick(rng, 1, most);
    for (uint32_t i = 0; i < count; i++) {
        nodes[i] = (struct job_node){.type = NADI_NODE_COLL, .dep_count = i > 0};
        nodes[i].kind = kinds[nadi_rng_below(rng, shared ? 4 : 3)];
        nodes[i].bytes = j->in.rank_count * (1000 + pick_size(rng, 20));
        nodes[i].deps[0] = i - 1;
    }
    return count;
}

static void draw(struct job *j, uint64_t seed, bool shared)
{
    struct job_node nodes[4];
    struct nadi_rng rng;
    nadi_rng_init(&rng, seed, "timed");
    draw_network(j, &rng);
    j->in.options.record_ops = false;
    nadi_packet_config_init(&j->in.packet);
    j->in.packet.cc = nadi_cc_find(chance(&rng, 2) ? "dcqcn" : "none");
    j->in.packet.payload_bytes = 4096;
    j->in.system.exact = true;
    j->in.system.splits = 1;
    const uint32_t count = draw_nodes(j, &rng, shared, nodes, 4);
    job_give(j, job_trace(j, nodes, count), 0, j->in.rank_count - 1);
}

static void try_seed(uint64_t seed, bool shared, uint64_t *timed, uint64_t *messages)
{
    struct nadi_result r[2];
    for (uint32_t i = 0; i < 2; i++) {
        struct job j;
        draw(&j, seed, shared);
        j.in.options.packet_error = i ? 1 : 0;
        nadi_simulate(&j.in, NULL, &r[i]);
        assert_int_equal(r[i].outcome, NADI_OUTCOME_DONE);
        job_release(&j);
    }
    const double all = (double)r[0].end_ns, some = (double)r[1].end_ns;
    if (!shared && fabs(some - all) > 0.01 * all + 1)
        fail_msg("seed %" PRIu64 ": %.0f ns, %.0f of all packets", seed, some, all);
    assert_int_equal(r[0].packets.timed, 0);
    assert_int_equal(r[0].messages, r[1].messages);
    assert_int_equal(r[0].message_bytes, r[1].message_bytes);
    if (!shared)
        assert_int_equal(r[0].packets.data_packets, r[1].packets.data_packets);
    *timed += r[1].packets.timed;
    *messages += r[1].messages;
    nadi_result_release(&r[0]);
    nadi_result_release(&r[1]);
}

static void rings_are_within_the_error(void **state)
{
    uint64_t timed = 0, messages = 0;
    (void)state;
    for (uint64_t seed = asked.first; seed < asked.first + asked.cases; seed++)
        try_seed(seed, false, &timed, &messages);
    print_message("%" PRIu64 " of %" PRIu64 " messages were timed\n", timed, messages);
    assert_true(timed * 2 > messages);
}

static void what_meets_is_delivered(void **state)
{
    uint64_t timed = 0, messages = 0;
    (void)state;
    for (uint64_t seed = asked.first; seed < asked.first + asked.cases; seed++)
        try_seed(seed, true, &timed, &messages);
    assert_true(timed > 0);
}

/* HPCC and HPCC-PINT, whose reports and random numbers begin anew where a part of the network does:
 * rounds that are the same are recalled, as no two computations between them are. */
static void draw_rounds(struct job *j, uint64_t seed)
{
    static const char *const words[] = {"rail nodes=4 npus=2", "hgx npus=4 planes=2",
                                        "leaf-spine leaves=2 spines=2 hosts=3"};
    struct job_node nodes[MOST_ROUNDS * (MOST_ROUND + 1)];
    struct nadi_rng rng;
    nadi_rng_init(&rng, seed, "anew");
    job_graph(j, words[nadi_rng_below(&rng, 3)]);
    j->in.options.network_model = &nadi_network_packet;
    j->in.options.network = "job";
    j->in.options.record_ops = false;
    nadi_packet_config_init(&j->in.packet);
    j->in.packet.cc = nadi_cc_find(chance(&rng, 2) ? "hpcc" : "hpcc-pint");
    j->in.packet.payload_bytes = chance(&rng, 2) ? 4096 : 1000;
    j->in.packet.seed = pick(&rng, 1, 9);
    j->in.system.exact = true;
    j->in.system.splits = (uint32_t)pick(&rng, 1, 2);
    const uint32_t each = draw_nodes(j, &rng, true, nodes, MOST_ROUND) + 1;
    const uint32_t count = each * (uint32_t)pick(&rng, 4, MOST_ROUNDS);
    for (uint32_t i = each - 1; i < count; i++) {
        nodes[i] = i % each == each - 1
                       ? (struct job_node){.type = NADI_NODE_COMP,
                                           .duration_ns = 20000 + pick_size(&rng, 16)}
                       : nodes[i - each];
        nodes[i].dep_count = 1;
        nodes[i].deps[0] = i - 1;
    }
    job_give(j, job_trace(j, nodes, count), 0, j->in.rank_count - 1);
}

static void rounds_are_within_the_error(void **state)
{
    uint64_t recalled = 0, events[2] = {0};
    double worst = 0, sum = 0;
    (void)state;
    for (uint64_t seed = asked.first; seed < asked.first + asked.cases; seed++) {
        struct nadi_result r[2];
        for (uint32_t i = 0; i < 2; i++) {
            struct job j;
            draw_rounds(&j, seed);
            j.in.options.packet_error = i ? 1 : 0;
            nadi_simulate(&j.in, NULL, &r[i]);
            assert_int_equal(r[i].outcome, NADI_OUTCOME_DONE);
            job_release(&j);
        }
        const double all = (double)r[0].end_ns, some = (double)r[1].end_ns;
        const double off = fabs(some - all) / all;
        if (off > 0.01)
            fail_msg("seed %" PRIu64 ": %.0f ns, %.0f of all packets", seed, some, all);
        worst = off > worst ? off : worst;
        sum += off;
        assert_int_equal(r[0].messages, r[1].messages);
        assert_int_equal(r[0].packets.data_packets, r[1].packets.data_packets);
        recalled += r[1].packets.recalled;
        for (uint32_t i = 0; i < 2; i++)
            events[i] += r[i].events;
        nadi_result_release(&r[0]);
        nadi_result_release(&r[1]);
    }
    print_message("%" PRIu64 " events of %" PRIu64 ", %" PRIu64 " messages recalled; ends are off "
                  "by %.3f %% on average, %.3f %% at most\n",
                  events[1], events[0], recalled, 100 * sum / (double)asked.cases, 100 * worst);
    assert_true(recalled > 0 && events[1] < events[0]);
}

/* The same schemes, of messages that keep their pace for long. */
static void draw_long(struct job *j, uint64_t seed)
{
    struct job_node nodes[2];
    struct nadi_rng rng;
    nadi_rng_init(&rng, seed, "nearly steady");
    draw_network(j, &rng);
    j->in.options.record_ops = false;
    nadi_packet_config_init(&j->in.packet);
    j->in.packet.cc = nadi_cc_find(chance(&rng, 3) ? "hpcc-pint" : "hpcc");
    j->in.packet.payload_bytes = 4096;
    j->in.packet.ack_interval_bytes = chance(&rng, 4) ? 16384 : 1;
    j->in.packet.hpcc.multi_rate = chance(&rng, 4);
    j->in.system.exact = true;
    j->in.system.splits = (uint32_t)pick(&rng, 1, 2);
    const uint32_t count = draw_nodes(j, &rng, true, nodes, 2);
    for (uint32_t i = 0; i < count; i++)
        nodes[i].bytes = j->in.rank_count * (pick(&rng, 4, 16) << 20);
    job_give(j, job_trace(j, nodes, count), 0, j->in.rank_count - 1);
}

static void same_links(const struct nadi_result *x, const struct nadi_result *y, uint64_t seed)
{
    assert_int_equal(x->link_count, y->link_count);
    for (size_t i = 0; i < x->link_count; i++)
        if (x->links[i].bytes != y->links[i].bytes || x->links[i].messages != y->links[i].messages)
            fail_msg("seed %" PRIu64 ": link %zu carried other packets", seed, i);
}

static void long_messages_are_within_the_error(void **state)
{
    uint64_t skipped = 0, events = 0;
    double worst = 0, sum = 0;
    const uint64_t cases = (asked.cases + LONG_SHARE - 1) / LONG_SHARE;
    (void)state;
    for (uint64_t seed = asked.first; seed < asked.first + cases; seed++) {
        struct nadi_result r[2];
        for (uint32_t i = 0; i < 2; i++) {
            struct job j;
            draw_long(&j, seed);
            j.in.options.packet_error = i ? 1 : 0;
            nadi_simulate(&j.in, NULL, &r[i]);
            assert_int_equal(r[i].outcome, NADI_OUTCOME_DONE);
            job_release(&j);
        }
        const double all = (double)r[0].end_ns, off = fabs((double)r[1].end_ns - all) / all;
        if (off > 0.01)
            fail_msg("seed %" PRIu64 ": %.0f ns, %.0f of all packets", seed, (double)r[1].end_ns,
                     all);
        worst = off > worst ? off : worst;
        sum += off;
        assert_int_equal(r[0].packets.data_packets, r[1].packets.data_packets);
        same_links(&r[0], &r[1], seed);
        skipped += r[1].packets.skipped_events;
        events += r[0].events;
        nadi_result_release(&r[0]);
        nadi_result_release(&r[1]);
    }
    print_message("%.0f %% of all events skipped; ends are off by %.3f %% on average, %.3f %% at "
                  "most\n",
                  100 * (double)skipped / (double)events, 100 * sum / (double)cases, 100 * worst);
    assert_true(skipped > 0 || cases < 10);
}

/* A message begins some time into the run; before it is over another one comes to its last cable.
 * What it has not sent by then goes as packets: both end as they would. */
static void give_two(struct job *j, uint64_t seed)
{
    struct nadi_rng rng;
    nadi_rng_init(&rng, seed, "joined");
    job_graph(j, "leaf-spine leaves=1 spines=1 hosts=4");
    j->in.options.network_model = &nadi_network_packet;
    j->in.options.record_ops = false;
    nadi_packet_config_init(&j->in.packet);
    j->in.packet.cc = nadi_cc_find("none");
    j->in.packet.payload_bytes = 4096;
    j->in.system.exact = true;
    const uint64_t bytes = 1000000 * pick(&rng, 1, 4), begin = 1000 * pick(&rng, 20, 400);
    const double own = (double)bytes / ((double)j->in.graph.links[0].bits_per_s / 8e9);
    const uint64_t joins = begin + (uint64_t)(own * (double)pick(&rng, 1, 9) / 10);
    for (uint32_t rank = 0; rank < 4; rank++) {
        const struct job_node send[] = {
            {.type = NADI_NODE_COMP, .duration_ns = rank ? joins : begin},
            {.type = NADI_NODE_SEND, .peer = 3, .bytes = bytes, .dep_count = 1, .deps = {0}}};
        const struct job_node receive[] = {{.type = NADI_NODE_RECV, .peer = 0, .bytes = bytes},
                                           {.type = NADI_NODE_RECV, .peer = 1, .bytes = bytes}};
        const struct job_node rest = {.type = NADI_NODE_COMP, .duration_ns = 1};
        job_give(j,
                 rank == 3   ? job_trace(j, receive, 2)
                 : rank == 2 ? job_trace(j, &rest, 1)
                             : job_trace(j, send, 2),
                 rank, rank);
    }
}

static void a_message_is_joined(void **state)
{
    (void)state;
    for (uint64_t seed = asked.first; seed < asked.first + asked.cases; seed++) {
        uint64_t ends[2][3], packets[2];
        for (uint32_t i = 0; i < 2; i++) {
            struct nadi_result r;
            struct job j;
            give_two(&j, seed);
            j.in.options.packet_error = i ? 1 : 0;
            nadi_simulate(&j.in, NULL, &r);
            assert_int_equal(r.outcome, NADI_OUTCOME_DONE);
            packets[i] = r.packets.data_packets;
            for (uint32_t k = 0; k < 3; k++)
                ends[i][k] = nadi_result_rank(&r, k == 2 ? 3 : k)->finish_ns;
            nadi_result_release(&r);
            job_release(&j);
        }
        assert_int_equal(packets[0], packets[1]);
        for (uint32_t k = 0; k < 3; k++) {
            const double all = (double)ends[0][k], some = (double)ends[1][k];
            if (fabs(some - all) > 0.01 * all)
                fail_msg("seed %" PRIu64 ": %.0f ns, %.0f of all packets", seed, some, all);
        }
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rings_are_within_the_error), cmocka_unit_test(rounds_are_within_the_error),
        cmocka_unit_test(long_messages_are_within_the_error),
        cmocka_unit_test(what_meets_is_delivered), cmocka_unit_test(a_message_is_joined)};
    if (!seeds_asked(argc, argv, &asked))
        return 2;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
