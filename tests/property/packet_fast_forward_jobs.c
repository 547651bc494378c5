/* A whole job whose packets are fast-forwarded and recalled has the result of one whose packets are
 * not, to the byte.
 *
 *   packet_fast_forward_jobs [JOBS [FIRST_SEED]]
 *
 * Of two seeds in three the job's rounds are the same. */
#include "inputs/model_presets.h"
#include "report/columns.h"
#include "report/report.h"
#include "sim/run.h"
#include "support/job.h"
#include "support/job_draw.h"
#include "support/pins.h"
#include "support/seeds.h"
#include "support/texts.h"

#ifdef __SANITIZE_ADDRESS__
static struct seeds asked = {60, 0};
#else
static struct seeds asked = {300, 0};
#endif
static const char *const runs_of[2] = {"with fast-forward", "without"};

struct tally {
    uint64_t skipped, events, skipping, done, recalled, recalling;
};

static struct pins pins = PINS("packet_fast_forward_jobs", "jobs", 10);

/* All that a result says, as files say it, and what they do not. */
static void describe(const struct nadi_inputs *in, const struct nadi_result *r,
                     struct nadi_str *text)
{
    const struct nadi_packet_figures *p = &r->packets;
    nadi_report_json(in, r, NULL, text);
    const struct nadi_result_data of = {.in = in, .r = r};
    nadi_view_csv(&nadi_view_ranks_csv, &of, text);
    nadi_view_csv(&nadi_view_collectives_csv, &of, text);
    nadi_view_csv(&nadi_view_links_csv, &of, text);
    if (in->options.record_usage)
        nadi_view_csv(&nadi_view_link_usage_csv, &of, text);
    if (in->options.record_ops)
        nadi_view_csv(&nadi_view_ops_csv, &of, text);
    nadi_str_printf(text, "resumes %" PRIu64 ", blocked %" PRIu32 "\n", p->resumes,
                    p->blocked_ports);
    for (uint32_t b = 0; b < NADI_USAGE_BUCKETS; b++)
        nadi_str_printf(text, "%a %a\n", p->paused_over_time[b], p->pauses_over_time[b]);
    for (size_t i = 0; i < r->logged_count; i++) {
        const struct nadi_message_entry *e = &r->logged[i];
        nadi_str_printf(text,
                        "message of %" PRIu32 ": %" PRId64 " to %" PRId64 ", waited %" PRIu32
                        " at %" PRIu32 ", %" PRIu32 " behind its own\n",
                        e->src, e->sent, e->arrived, e->longest_ns, e->link, e->queued_ns);
    }
    for (size_t i = 0; i < r->diags.count; i++)
        nadi_str_printf(text, "%s\n", r->diags.items[i].message);
}

/* Those of what is recalled are not counted; nor does the workload look at the same instants. */
static void leave_out_events(struct nadi_result *r)
{
    const char *why_none = r->forwarded.why_none;
    r->forwarded = (struct nadi_fast_forward_result){.why_none = why_none};
    r->events = 0;
    for (uint32_t i = 0; i < r->part_count; i++)
        r->parts[i].events = 0;
}

static void try_pair(struct job *j, uint64_t seed, struct tally *tally)
{
    struct nadi_result with, without;
    struct nadi_str texts[2] = {NADI_STR_INIT, NADI_STR_INIT};
    nadi_simulate(&j->in, NULL, &with);
    tally->events += with.events;
    leave_out_events(&with);
    describe(&j->in, &with, &texts[0]);
    j->in.packet.fast_forward_wait = UINT64_MAX;
    nadi_simulate(&j->in, NULL, &without);
    leave_out_events(&without);
    describe(&j->in, &without, &texts[1]);
    assert_int_equal(without.packets.skipped_events, 0);
    assert_int_equal(without.packets.recalled, 0);
    assert_same_texts(seed, runs_of, nadi_str_get(&texts[0]), nadi_str_get(&texts[1]));
    digest_u64(&pins.digest, with.end_ns);
    for (size_t i = 0; i < with.link_count; i++) {
        digest_u64(&pins.digest, with.links[i].busy_ns);
        digest_u64(&pins.digest, with.links[i].peak_queue_bytes);
    }
    digest_u64(&pins.digest, with.packets.skipped_events);
    digest_u64(&pins.digest, with.packets.recalled);
    tally->skipped += with.packets.skipped_events;
    tally->skipping += with.packets.skipped_events > 0;
    tally->recalled += with.packets.recalled;
    tally->recalling += with.packets.recalled > 0;
    tally->done += with.outcome == NADI_OUTCOME_DONE;
    nadi_result_release(&with);
    nadi_result_release(&without);
    nadi_str_release(&texts[0]);
    nadi_str_release(&texts[1]);
}

static void try_job(uint64_t seed, struct tally *tally)
{
    struct nadi_rng rng;
    struct job j;
    nadi_rng_init(&rng, seed, "leaping jobs");
    job_packets(&j, &rng);
    try_pair(&j, seed, tally);
    job_release(&j);
}

/* ---- jobs that do the same several times --------------------------------------------------- */

enum { MOST_ROUND = 5, MOST_TIMES = 6 };

static void draw_equal_parts(struct job *j, struct nadi_rng *rng)
{
    static const char *const words[] = {
        "rail nodes=4 npus=2",
        "rail nodes=3 npus=4",
        "rail nodes=2 npus=3 planes=2",
        "hgx npus=4 scale-out=fat-tree scale-out.k=4 scale-out.levels=2",
        "hgx npus=2 scale-out=fat-tree scale-out.k=4 scale-out.levels=2",
        "leaf-spine leaves=1 spines=1 hosts=5",
        "leaf-spine leaves=2 spines=1 hosts=3 lanes=2",
        "torus shape=3x3",
    };
    job_graph(j, words[nadi_rng_below(rng, 8)]);
    if (chance(rng, 2))
        j->in.routing.scheme = NADI_ROUTE_ECMP;
}

static uint32_t draw_round(struct job *j, struct nadi_rng *rng, struct job_node *nodes)
{
    static const enum nadi_collective_kind kinds[] = {NADI_ALL_REDUCE, NADI_ALL_GATHER,
                                                      NADI_REDUCE_SCATTER, NADI_ALL_TO_ALL};
    const uint32_t count = (uint32_t)pick(rng, 1, MOST_ROUND), n = j->in.rank_count;
    for (uint32_t i = 0; i < count; i++) {
        nodes[i] = (struct job_node){.type = NADI_NODE_COLL};
        if (chance(rng, 4))
            nodes[i] =
                (struct job_node){.type = NADI_NODE_COMP, .duration_ns = pick_size(rng, 14) - 1};
        else if (chance(rng, 3))
            nodes[i].type = NADI_NODE_SEND; /* and the receive of it */
        else
            nodes[i].kind = kinds[nadi_rng_below(rng, 4)];
        nodes[i].group = chance(rng, 3) ? NULL : "*";
        nodes[i].bytes = n * pick_size(rng, 15) + chance(rng, 2) * nadi_rng_below(rng, 999);
        nodes[i].peer = (uint32_t)pick(rng, 1, n - 1);
    }
    return count;
}

struct repeated {
    struct job_node items[2 * MOST_ROUND * MOST_TIMES];
    uint32_t count;
};

static void repeat(struct repeated *r, struct job_node node, uint32_t rank, uint32_t ranks)
{
    const uint32_t count = r->count, peer = node.peer;
    node.tag = count;
    node.dep_count = count > 0;
    node.deps[0] = count - 1;
    if (node.type == NADI_NODE_SEND)
        node.peer = (rank + peer) % ranks;
    r->items[r->count++] = node;
    if (node.type != NADI_NODE_SEND)
        return;
    node.type = NADI_NODE_RECV;
    node.peer = (rank + ranks - peer) % ranks;
    r->items[r->count++] = node;
}

/* As often as not one round differs, and one rank comes later once. */
static void give_repeated(struct job *j, struct nadi_rng *rng, const struct job_node *round,
                          uint32_t count, uint32_t group_size)
{
    const uint32_t n = j->in.rank_count, times = (uint32_t)pick(rng, 2, MOST_TIMES);
    const uint32_t other = (uint32_t)pick(rng, 0, 2 * times), node = (uint32_t)pick(rng, 0, 9);
    const uint32_t late = (uint32_t)pick(rng, 0, 2 * n), when = (uint32_t)pick(rng, 0, 30);
    for (uint32_t rank = 0; rank < n; rank++) {
        struct repeated r = {.count = 0};
        char name[16];
        snprintf(name, sizeof(name), "g%u", rank / group_size);
        for (uint32_t t = 0; t < times; t++)
            for (uint32_t i = 0; i < count; i++) {
                struct job_node next = round[i];
                next.bytes += t == other && i == node && next.bytes ? n : 0;
                next.duration_ns += rank == late && t * count + i == when ? 777 : 0;
                next.group = next.group && next.type == NADI_NODE_COLL ? name : NULL;
                repeat(&r, next, rank, n);
            }
        job_give(j, job_trace(j, r.items, r.count), rank, rank);
    }
}

static void draw_repeating(struct job *j, struct nadi_rng *rng)
{
    struct job_node round[MOST_ROUND];
    uint32_t members[64], size = 1;
    bool existed;
    size_t schemes = 0;
    draw_equal_parts(j, rng);
    for (uint32_t i = 2; i < 6; i++)
        size = j->in.rank_count % i == 0 && chance(rng, 2) ? i : size;
    for (uint32_t first = 0; first < j->in.rank_count; first += size) {
        char name[16];
        for (uint32_t i = 0; i < size; i++)
            members[i] = first + i;
        snprintf(name, sizeof(name), "g%u", first / size);
        nadi_groups_add(&j->in.groups, name, members, size, &existed);
    }
    j->in.options.network_model = &nadi_network_packet;
    j->in.options.network = "job";
    j->in.options.record_ops = false;
    draw_packets(&j->in.packet, rng);
    if (j->in.packet.exact)
        nadi_packet_config_init(&j->in.packet);
    while (nadi_cc_all[schemes])
        schemes++;
    if (chance(rng, 2))
        j->in.packet.cc = nadi_cc_all[nadi_rng_below(rng, schemes)];
    j->in.system.exact = true;
    j->in.system.splits = (uint32_t)pick(rng, 1, 3);
    j->in.system.endpoint_delay_ns = pick(rng, 0, 20);
    const uint32_t count = draw_round(j, rng, round);
    give_repeated(j, rng, round, count, size);
}

static void try_repeating(uint64_t seed, struct tally *tally)
{
    struct nadi_rng rng;
    struct job j;
    nadi_rng_init(&rng, seed, "repeating jobs");
    draw_repeating(&j, &rng);
    try_pair(&j, seed, tally);
    job_release(&j);
}

/* Of a scheme whose senders or packets remember times. */
static void try_times(uint64_t seed, struct tally *tally)
{
    static const char *const schemes[] = {"hpcc", "timely", "dctcp", "swift"};
    struct nadi_rng rng;
    struct job j;
    nadi_rng_init(&rng, seed, "jobs of times");
    if (chance(&rng, 3))
        draw_repeating(&j, &rng);
    else
        job_packets(&j, &rng);
    struct nadi_packet_config *c = &j.in.packet;
    c->cc = nadi_cc_find(schemes[pick(&rng, 0, c->exact ? 2 : 3)]);
    c->hpcc.target = chance(&rng, 2) ? 0.95 : 1.5;
    c->hpcc.multi_rate = chance(&rng, 4);
    c->rate_bound = pick(&rng, 0, 7) > 0;
    try_pair(&j, seed, tally);
    job_release(&j);
}

static void try_seed(uint64_t seed, struct tally *tally)
{
    if (seed % 3)
        try_repeating(seed, tally);
    else
        try_job(seed, tally);
}

static void fast_forwarding_changes_nothing(void **state)
{
    static const uint64_t rounds_failed_once[] = {9693, 18477};
    struct tally once = {0}, tally = {0};
    (void)state;
    for (size_t i = 0; i < sizeof(rounds_failed_once) / sizeof(*rounds_failed_once); i++)
        try_repeating(rounds_failed_once[i], &once);
    pins_section(&pins, "jobs");
    for (uint64_t seed = asked.first; seed < asked.first + asked.cases; seed++) {
        try_seed(seed, &tally);
        pins_case(&pins, seed);
    }
    print_message("of %" PRIu64 " jobs %" PRIu64
                  " fast-forwarded, over %.0f %% of all events, %" PRIu64 " recalled, %" PRIu64
                  " came to their end\n",
                  asked.cases, tally.skipping, 100.0 * (double)tally.skipped / (double)tally.events,
                  tally.recalling, tally.done);
    if (asked.cases >= 60) { /* not where one seed is looked at */
        assert_true(tally.skipping * 12 > asked.cases);
        assert_true(tally.recalling * 15 > asked.cases);
        assert_true(tally.done * 2 > asked.cases);
    }
}

static void schemes_that_remember_times(void **state)
{
    struct tally tally = {0};
    (void)state;
    pins_section(&pins, "times");
    for (uint64_t seed = asked.first; seed < asked.first + asked.cases; seed++) {
        try_times(seed, &tally);
        pins_case(&pins, seed);
    }
    print_message("of %" PRIu64 " jobs whose senders remember times %" PRIu64
                  " fast-forwarded, over %.0f %% of all events, %" PRIu64 " recalled\n",
                  asked.cases, tally.skipping, 100.0 * (double)tally.skipped / (double)tally.events,
                  tally.recalling);
    if (asked.cases >= 60)
        assert_true(tally.skipping * 15 > asked.cases);
    assert_true(pins_end(&pins));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fast_forwarding_changes_nothing),
                                       cmocka_unit_test(schemes_that_remember_times)};
    if (!seeds_asked(argc, argv, &asked))
        return 2;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
