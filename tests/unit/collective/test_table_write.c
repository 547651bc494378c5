/* What is written is read again as the same algorithm: every step generator as MSCCL XML, which is
 * proved, moves as many bytes and takes about as long; what MSCCL has no form for is refused. */
#include "collective/table_file.h"
#include "collective/verify.h"

#include <setjmp.h>

#include <cmocka.h>

static struct nadi_verify_outcome run(const struct nadi_table *t, double alpha)
{
    const struct nadi_verify_machine machine = {.alpha = alpha, .beta = 0.01};
    const struct nadi_program_request q = {.kind = t->shape.kind,
                                           .n = t->shape.n,
                                           .root = t->shape.root,
                                           .bytes = 5040UL * t->shape.n * t->shape.n,
                                           .table = t};
    struct nadi_program p;
    assert_null(nadi_program_make(&nadi_program_table, &q, &p));
    return nadi_verify(&p, &machine);
}

static void compare(const struct nadi_program *p)
{
    struct nadi_table t;
    struct nadi_table_file f;
    struct nadi_diags diags;
    struct nadi_str text = NADI_STR_INIT;
    char what[80];
    nadi_diags_init(&diags);
    nadi_table_of_program(&t, p);
    snprintf(what, sizeof(what), "%s %s of %u", p->ops->name, nadi_collective_name(t.shape.kind),
             t.shape.n);
    assert_null(nadi_table_write_msccl(&t, what, &text));
    if (!nadi_table_parse(&f, "f.xml", text.text, text.length, &diags) ||
        !nadi_table_prove(&f, &diags))
        fail_msg("%s: %s\n%s", what, diags.items[0].message, text.text);
    assert_string_equal(f.name, what);
    assert_int_equal(f.form, NADI_TABLE_MSCCL);
    /* without latency, a message in parts takes as long as one */
    const struct nadi_verify_outcome was = run(&t, 0), is = run(&f.table, 0);
    assert_int_equal(is.result, NADI_VERIFY_OK);
    assert_int_equal(is.bytes, was.bytes);
    assert_int_equal(is.largest_bytes, was.largest_bytes);
    if (is.seconds > was.seconds * 1.000001 || is.seconds < was.seconds * 0.999999)
        fail_msg("%s: %.9g s, as MSCCL XML %.9g s", what, was.seconds, is.seconds);
    nadi_table_file_release(&f);
    nadi_table_release(&t);
    nadi_str_release(&text);
    nadi_diags_release(&diags);
}

static void every_algorithm_as_msccl(void **state)
{
    uint32_t cases = 0;
    (void)state;
    for (size_t a = 0; nadi_program_algorithms[a]; a++)
        for (int kind = 0; kind < NADI_COLLECTIVE_KINDS; kind++)
            for (uint32_t n = 2; n <= 9; n++) {
                const struct nadi_program_ops *ops = nadi_program_algorithms[a];
                const struct nadi_program_request q = {.kind = (enum nadi_collective_kind)kind,
                                                       .n = n,
                                                       .root = kind == NADI_BROADCAST ? n / 2 : 0,
                                                       .bytes = n,
                                                       .segments = 3};
                struct nadi_program p;
                if (!nadi_program_runs(ops, q.kind) || ops->in_switches || kind == NADI_BARRIER)
                    continue;
                assert_null(nadi_program_make(ops, &q, &p));
                compare(&p);
                cases++;
            }
    assert_true(cases > 250);
}

static void no_barrier(void **state)
{
    (void)state;
    const struct nadi_program_request q = {.kind = NADI_BARRIER, .n = 4};
    struct nadi_program p;
    struct nadi_table t;
    struct nadi_str text = NADI_STR_INIT;
    assert_null(nadi_program_make(nadi_program_find("bruck"), &q, &p));
    nadi_table_of_program(&t, &p);
    assert_string_equal(nadi_table_write_msccl(&t, "b", &text), "MSCCL has no barrier");
    nadi_table_release(&t);
    nadi_str_release(&text);
}

/* A slot of its own for the results, waits for several queues: nops. */
static void waits_become_nops(void **state)
{
    (void)state;
    struct nadi_table t;
    struct nadi_table_file f;
    struct nadi_diags diags;
    struct nadi_str text = NADI_STR_INIT;
    nadi_diags_init(&diags);
    nadi_table_init(&t, &(struct nadi_table_shape){
                            .kind = NADI_ALL_GATHER, .n = 3, .blocks = 3, .separate = true});
    for (uint32_t m = 0; m < 3; m++) {
        for (uint32_t d = 1; d < 3; d++) {
            struct nadi_step *s = nadi_table_add(&t, m, d);
            s->to = (m + d) % 3;
            s->from = (m + 3 - d) % 3;
            nadi_table_send(&t, m, 1);
            nadi_table_into(&t, (m + 3 - d) % 3, 1);
        }
        struct nadi_step *s = nadi_table_add(&t, m, 0); /* only waits */
        s->wait_queue = 2;
        s->wait_steps = 1;
        s = nadi_table_add(&t, m, 0);
        s->local = true;
        s->wait_queue = 1;
        s->wait_steps = 1;
        nadi_table_send(&t, 0, 3);
        nadi_table_into(&t, 3, 3);
    }
    nadi_table_finish(&t);
    assert_int_equal(run(&t, 1).result, NADI_VERIFY_OK);
    assert_null(nadi_table_write_msccl(&t, "<\"&>", &text));
    assert_true(nadi_table_parse(&f, "f.xml", text.text, text.length, &diags));
    assert_true(nadi_table_prove(&f, &diags));
    assert_string_equal(f.name, "<\"&>");
    const double was = run(&t, 1).seconds, is = run(&f.table, 1).seconds;
    assert_true(is > was * 0.999999 && is < was * 1.000001);
    nadi_table_file_release(&f);
    nadi_table_release(&t);
    nadi_str_release(&text);
    nadi_diags_release(&diags);
}

/* Two queues that a wait should order: the one that reads first is right by luck alone. */
static void missing_waits(void **state)
{
    (void)state;
    static const char text[] =
        "collective: all-reduce\nmembers: 2\nblocks: 1\nscratch: 1\nsteps:\n"
        "  - {member: 0, lane: 0, local: 0, into: 1}\n"
        "  - {member: 0, lane: 1, from: 1, add: 1}\n"
        "  - {member: 0, lane: 2, to: 1, send: 1, wait-lane: 0, wait-steps: 1}\n"
        "  - {member: 1, lane: 2, from: 0, into: 1, wait-lane: 1, wait-steps: 1}\n"
        "  - {member: 1, lane: 1, to: 0, send: 0}\n"
        "  - {member: 1, lane: 0, local: 1, into: 0, add: 1, wait-lane: 2, wait-steps: 1}\n";
    static const char *const waits[] = {"", ", wait-lane: 0, wait-steps: 1"};
    for (int right = 0; right < 2; right++) {
        struct nadi_table_file f;
        struct nadi_diags diags;
        struct nadi_str with = NADI_STR_INIT;
        const char *at = strstr(text, "add: 1}") + 6;
        nadi_diags_init(&diags);
        nadi_str_add_bytes(&with, text, (size_t)(at - text));
        nadi_str_add(&with, waits[right]);
        nadi_str_add(&with, at);
        assert_true(nadi_table_parse(&f, "f.yml", with.text, with.length, &diags));
        assert_int_equal(run(&f.table, 1).result, NADI_VERIFY_OK);
        assert_true(nadi_table_prove(&f, &diags) == right);
        nadi_table_file_release(&f);
        nadi_str_release(&with);
        nadi_diags_release(&diags);
    }
}

static void examples_are_right(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum nadi_table_form form;
    } examples[] = {
        {"allpairs.xml", NADI_TABLE_MSCCL},
        {"packets.json", NADI_TABLE_MSCCLPP},
        {"ring.csv", NADI_TABLE_TACOS},
        {"ring.yml", NADI_TABLE_OWN},
    };
    for (size_t i = 0; i < sizeof(examples) / sizeof(examples[0]); i++) {
        struct nadi_table_file f;
        struct nadi_diags diags;
        char path[400];
        nadi_diags_init(&diags);
        snprintf(path, sizeof(path), "%s/../examples/collectives/%s", NADI_TEST_DIR,
                 examples[i].name);
        assert_true(nadi_table_read(&f, path, &diags));
        assert_int_equal(f.form, examples[i].form);
        assert_true(nadi_table_prove(&f, &diags));
        nadi_table_file_release(&f);
        nadi_diags_release(&diags);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_algorithm_as_msccl), cmocka_unit_test(no_barrier),
        cmocka_unit_test(waits_become_nops),        cmocka_unit_test(missing_waits),
        cmocka_unit_test(examples_are_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
