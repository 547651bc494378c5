/* What the checks say must be what the run does.
 *
 *   - a collective that loading accepts ends, whatever algorithm, size, chunks and dimensions;
 *   - sends and receives without dependencies end exactly when nadi_inputs_check finds no error;
 *   - collectives that every rank issues in the same order end when it finds none.
 *
 *   inputs_agree [CASES [FIRST_SEED]]; a failing seed is printed with its files */
#include "base/rng.h"
#include "sim/run.h"
#include "support/between.h"
#include "support/input_case.h"
#include "support/pins.h"
#include "support/seeds.h"

#include <setjmp.h>

#include <cmocka.h>

static struct seeds asked = {150, 1};

static enum nadi_outcome run(struct input_case *c)
{
    struct nadi_result result;
    nadi_simulate(&c->in, NULL, &result);
    enum nadi_outcome outcome = result.outcome;
    nadi_result_release(&result);
    return outcome;
}

static uint32_t pick(struct nadi_rng *r, const uint32_t *from, uint32_t count)
{
    return from[nadi_rng_below(r, count)];
}

struct drawn { /* a network and a system file */
    struct nadi_str network, system;
    uint32_t dims, ranks;
};

static void draw_network(struct nadi_rng *r, struct drawn *d)
{
    static const char *const shapes[] = {"Ring", "FullyConnected", "Switch"};
    static const uint32_t sizes[] = {1, 2, 2, 3, 4, 4, 5, 6, 8};
    struct nadi_str lists[4] = {NADI_STR_INIT};
    d->dims = (uint32_t)rng_between(r, 1, 3);
    d->ranks = 1;
    for (uint32_t i = 0; i < d->dims; i++) {
        const char *comma = i ? ", " : "";
        uint32_t npus = pick(r, sizes, 9);
        npus = d->ranks * npus > 24 ? 2 : npus;
        d->ranks *= npus;
        nadi_str_printf(&lists[0], "%s%s", comma, shapes[nadi_rng_below(r, 3)]);
        nadi_str_printf(&lists[1], "%s%u", comma, npus);
        nadi_str_printf(&lists[2], "%s%u", comma, (unsigned)rng_between(r, 1, 200));
        nadi_str_printf(&lists[3], "%s%u", comma, (unsigned)rng_between(r, 0, 500));
    }
    nadi_str_printf(&d->network,
                    "topology: [%s]\nnpus_count: [%s]\nbandwidth: [%s]\nlatency: [%s]\n",
                    lists[0].text, lists[1].text, lists[2].text, lists[3].text);
    for (int i = 0; i < 4; i++)
        nadi_str_release(&lists[i]);
}

static void draw_system(struct nadi_rng *r, struct drawn *d)
{
    static const char *const keys[] = {"all-reduce", "all-gather", "reduce-scatter", "all-to-all"};
    static const char *const words[] = {"ring",
                                        "direct",
                                        "direct2",
                                        "halvingDoubling",
                                        "oneRing",
                                        "oneDirect",
                                        "oneHalvingDoubling",
                                        "doubleBinaryTree"};
    nadi_str_add(&d->system, "{");
    for (int k = 0; k < 4; k++) {
        nadi_str_printf(&d->system, "\"%s-implementation\": [", keys[k]);
        uint32_t count = (uint32_t)rng_between(r, 1, d->dims);
        for (uint32_t i = 0; i < count; i++)
            nadi_str_printf(&d->system, "%s\"%s\"", i ? ", " : "", words[nadi_rng_below(r, 8)]);
        nadi_str_add(&d->system, "],\n");
    }
    nadi_str_printf(&d->system,
                    "\"collective-optimization\": \"%s\", \"preferred-dataset-splits\": %u,\n"
                    "\"active-chunks-per-dimension\": %u, \"endpoint-delay\": %u,\n"
                    "\"local-mem-bw\": %u}",
                    nadi_rng_below(r, 2) ? "baseline" : "localBWAware",
                    (unsigned)rng_between(r, 1, 5), (unsigned)rng_between(r, 1, 4),
                    (unsigned)nadi_rng_below(r, 20), (unsigned)nadi_rng_below(r, 2000));
}

/* A collective of all ranks or of a group of some, small sizes included. */
static void draw_collective(struct nadi_rng *r, const struct drawn *d, struct input_case *c)
{
    static const uint32_t kinds[] = {0, 2, 6, 7};
    static const uint32_t scales[] = {4, 40, 400, 100000};
    struct nadi_str line = NADI_STR_INIT, group = NADI_STR_INIT;
    uint32_t bytes = (uint32_t)nadi_rng_below(r, pick(r, scales, 4));
    uint64_t members = nadi_rng_below(r, 3) ? UINT64_MAX : nadi_rng_u64(r) | 1;
    nadi_str_printf(&line, "COLL 1 x comm_type=%u comm_size=%u", pick(r, kinds, 4), bytes);
    if (members != UINT64_MAX)
        nadi_str_add(&line, " pg_name=g");
    else if (nadi_rng_below(r, 3) == 0)
        for (uint32_t i = 0; i <= d->dims; i++)
            nadi_str_printf(&line, "%s%s",
                            i ? "," : " involved_dim=", nadi_rng_below(r, 2) ? "true" : "false");
    nadi_str_add_char(&line, '\n');
    for (uint32_t rank = 0; rank < d->ranks; rank++) {
        bool in = members >> rank & 1;
        if (in)
            nadi_str_printf(&group, "%s%u", group.length ? ", " : "{\"g\": [", rank);
        input_case_trace(c, "w", rank, in ? nadi_str_get(&line) : "COMP 1 c us=1\n");
    }
    nadi_str_add(&group, "]}");
    input_case_groups(c, nadi_str_get(&group));
    nadi_str_release(&line);
    nadi_str_release(&group);
}

static struct pins pins = PINS("inputs_agree", "collectives", 20);

static void accepted_collectives_end(void **state)
{
    (void)state;
    uint32_t accepted = 0;
    for (uint64_t seed = asked.first; seed < asked.first + asked.cases; seed++) {
        struct input_case c;
        struct nadi_rng r;
        struct drawn d = {.network = NADI_STR_INIT};
        nadi_rng_init(&r, seed, "collective");
        input_case_init(&c);
        draw_network(&r, &d);
        draw_system(&r, &d);
        input_case_network(&c, nadi_str_get(&d.network));
        input_case_system(&c, nadi_str_get(&d.system));
        draw_collective(&r, &d, &c);
        c.options.queues_per_dim = (uint32_t)rng_between(&r, 1, 3);
        c.options.rendezvous = nadi_rng_below(&r, 4) == 0;
        c.options.network_model =
            nadi_rng_below(&r, 2) ? &nadi_network_aware : &nadi_network_unaware;
        if (input_case_load(&c, true)) {
            accepted++;
            if (run(&c) != NADI_OUTCOME_DONE)
                fail_msg("seed %" PRIu64 " was accepted and does not end:\n%s%s\n%s", seed,
                         d.network.text, d.system.text, nadi_str_get(&c.messages));
        }
        digest_text(&pins.digest, nadi_str_get(&c.messages));
        pins_case(&pins, seed);
        nadi_str_release(&d.network);
        nadi_str_release(&d.system);
        input_case_release(&c);
    }
    /* Half of the draws cannot run; if nearly none could, this test would show nothing. */
    assert_true(accepted * 4 > asked.cases);
}

static void draw_messages(struct nadi_rng *r, struct input_case *c)
{
    for (uint32_t rank = 0; rank < 4; rank++) {
        struct nadi_str lines = NADI_STR_INIT;
        uint32_t count = (uint32_t)nadi_rng_below(r, 4);
        nadi_str_add(&lines, "COMP 1 c us=1\n");
        for (uint32_t i = 0; i < count; i++) {
            bool send = nadi_rng_below(r, 2);
            uint32_t peer = (rank + (uint32_t)rng_between(r, 1, 2)) % 4;
            nadi_str_printf(&lines, "%s %u m comm_%s=%u comm_tag=%u comm_size=%u\n",
                            send ? "SEND" : "RECV", i + 2, send ? "dst" : "src", peer,
                            (unsigned)nadi_rng_below(r, 2), (unsigned)rng_between(r, 1, 2));
        }
        input_case_trace(c, "w", rank, nadi_str_get(&lines));
        nadi_str_release(&lines);
    }
}

/* Adds what is missing, so that about half of the cases are whole. */
static void mirror_messages(struct nadi_rng *r, struct input_case *c)
{
    struct nadi_str lines[4] = {NADI_STR_INIT};
    uint32_t count = (uint32_t)rng_between(r, 1, 6), lost = (uint32_t)nadi_rng_below(r, 12);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t src = (uint32_t)nadi_rng_below(r, 4);
        uint32_t dst = (src + (uint32_t)rng_between(r, 1, 3)) % 4;
        uint32_t tag = (uint32_t)nadi_rng_below(r, 2), bytes = (uint32_t)rng_between(r, 1, 9);
        nadi_str_printf(&lines[src], "SEND %u s comm_dst=%u comm_tag=%u comm_size=%u\n", i + 2, dst,
                        tag, bytes);
        if (i != lost)
            nadi_str_printf(&lines[dst], "RECV %u r comm_src=%u comm_tag=%u comm_size=%u\n", i + 2,
                            src, tag, bytes);
    }
    for (uint32_t rank = 0; rank < 4; rank++) {
        nadi_str_add(&lines[rank], "COMP 1 c us=1\n");
        input_case_trace(c, "w", rank, nadi_str_get(&lines[rank]));
        nadi_str_release(&lines[rank]);
    }
}

static void messages_end_when_paired(void **state)
{
    (void)state;
    pins_section(&pins, "messages");
    uint32_t whole = 0;
    for (uint64_t seed = asked.first; seed < asked.first + asked.cases; seed++) {
        struct input_case c;
        struct nadi_rng r;
        nadi_rng_init(&r, seed, "messages");
        input_case_init(&c);
        if (nadi_rng_below(&r, 3) == 0)
            draw_messages(&r, &c);
        else
            mirror_messages(&r, &c);
        c.options.rendezvous = nadi_rng_below(&r, 3) == 0;
        bool good = input_case_load(&c, true);
        enum nadi_outcome outcome = run(&c);
        if (outcome != (good ? NADI_OUTCOME_DONE : NADI_OUTCOME_DEADLOCK))
            fail_msg("seed %" PRIu64 ": outcome %d, but the check said:\n%s", seed, (int)outcome,
                     nadi_str_get(&c.messages));
        digest_text(&pins.digest, nadi_str_get(&c.messages));
        pins_case(&pins, seed);
        whole += good;
        input_case_release(&c);
    }
    assert_true(whole * 5 > asked.cases && whole * 5 < asked.cases * 4);
}

static void same_order_ends(void **state)
{
    (void)state;
    for (uint64_t seed = asked.first; seed < asked.first + asked.cases / 3; seed++) {
        static const uint32_t kinds[] = {0, 2, 6, 7};
        struct input_case c;
        struct nadi_rng r;
        struct nadi_str lines[2] = {NADI_STR_INIT};
        nadi_rng_init(&r, seed, "order");
        input_case_init(&c);
        input_case_groups(&c, "{\"a\": [2, 0], \"b\": [1, 3]}");
        for (uint32_t i = 0; i < 5; i++) {
            uint32_t kind = pick(&r, kinds, 4), bytes = (uint32_t)rng_between(&r, 1, 5000);
            const char *deps = i && nadi_rng_below(&r, 2) ? " deps=1" : "";
            bool world = nadi_rng_below(&r, 2);
            for (uint32_t side = 0; side < 2; side++)
                nadi_str_printf(&lines[side], "COLL %u x comm_type=%u comm_size=%u%s%s\n", i + 1,
                                kind, bytes, deps,
                                world  ? ""
                                : side ? " pg_name=b"
                                       : " pg_name=a");
        }
        for (uint32_t rank = 0; rank < 4; rank++)
            input_case_trace(&c, "w", rank, nadi_str_get(&lines[rank % 2]));
        assert_true(input_case_load(&c, true));
        if (run(&c) != NADI_OUTCOME_DONE)
            fail_msg("seed %" PRIu64 " does not end:\n%s", seed, lines[0].text);
        nadi_str_release(&lines[0]);
        nadi_str_release(&lines[1]);
        input_case_release(&c);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accepted_collectives_end),
        cmocka_unit_test(messages_end_when_paired),
        cmocka_unit_test(same_order_ends),
    };
    if (!seeds_asked(argc, argv, &asked))
        return 2;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return pins_end(&pins) ? failed : 1;
}
