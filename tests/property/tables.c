/* An algorithm written down, to a file and back, takes the same time as the algorithm itself, on
 * every network model, whatever the kind, the members and the bytes. */
#include "base/file.h"
#include "collective/table_file.h"
#include "sim/run.h"
#include "support/pins.h"

#include <setjmp.h>
#include <unistd.h>

#include <cmocka.h>

enum { SHAPES = 4, MODELS = 3, CASES_AT_LEAST = 300 };

static const char *const shapes[SHAPES] = {
    "topology: [Ring]\nnpus_count: [5]\nbandwidth: [50]\nlatency: [300]\n",
    "topology: [Switch]\nnpus_count: [8]\nbandwidth: [25]\nlatency: [700]\n",
    "topology: [Ring, Switch]\nnpus_count: [4, 3]\nbandwidth: [100, 20]\nlatency: [100, 900]\n",
    "topology: [FullyConnected]\nnpus_count: [6]\nbandwidth: [10]\nlatency: [50]\n",
};
static const uint32_t dims[SHAPES][3] = {{5}, {8}, {4, 3}, {6}};

static void write_text(const char *path, const char *text)
{
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    assert_true(nadi_file_write(path, text, strlen(text), &diags));
    nadi_diags_release(&diags);
}

static void make_path(char path[200], const char *what)
{
    snprintf(path, 200, "%s/tables-%ld-%s", NADI_BUILD_DIR, (long)getpid(), what);
}

/* End of the run; UINT64_MAX where the inputs are refused. */
static uint64_t end_of(const struct nadi_lone_collective *lone, int shape,
                       const struct nadi_network_ops *model)
{
    char network[200], system[200];
    make_path(network, "net.yml");
    make_path(system, "sys.json");
    write_text(network, shapes[shape]);
    write_text(system, "{\"local-mem-bw\": \"80GB/s\", \"preferred-dataset-splits\": 3,"
                       " \"active-chunks-per-dimension\": 2}");
    const struct nadi_run_options options = {
        .lone = lone,
        .network = network,
        .system = system,
        .network_model = model,
        .injection_scale = 1,
        .compute_scale = 1,
        .comm_scale = 1,
    };
    struct nadi_inputs in;
    struct nadi_result r;
    struct nadi_diags diags;
    uint64_t end = UINT64_MAX;
    nadi_diags_init(&diags);
    if (nadi_inputs_load(&in, &options, &diags)) {
        nadi_simulate(&in, NULL, &r);
        assert_int_equal(r.outcome, NADI_OUTCOME_DONE);
        end = r.end_ns;
        nadi_result_release(&r);
    }
    nadi_inputs_release(&in);
    nadi_diags_release(&diags);
    unlink(network);
    unlink(system);
    return end;
}

/* Written and read again. */
static void write_down(const struct nadi_program *p, struct nadi_table_file *f)
{
    struct nadi_table t;
    struct nadi_diags diags;
    struct nadi_str text = NADI_STR_INIT;
    nadi_diags_init(&diags);
    nadi_table_of_program(&t, p);
    nadi_table_write_own(&t, p->ops->name, &text);
    assert_true(nadi_table_parse(f, "f.yml", text.text, text.length, &diags));
    assert_true(nadi_table_prove(f, &diags));
    assert_int_equal(f->table.steps.count, t.steps.count);
    nadi_table_release(&t);
    nadi_str_release(&text);
    nadi_diags_release(&diags);
}

static struct pins pins = PINS("tables", "", 1);

static uint32_t compare(const struct nadi_program_ops *ops, enum nadi_collective_kind kind,
                        int shape, const char *word)
{
    static const struct nadi_network_ops *const models[MODELS] = {
        &nadi_network_unaware, &nadi_network_aware, &nadi_network_flow};
    struct nadi_lone_collective lone = {.kind = kind, .bytes = 123457, .algorithm = word};
    struct nadi_program_request q = {.kind = kind, .n = 1, .bytes = 123457};
    struct nadi_program p;
    struct nadi_table_file f;
    for (; dims[shape][q.dim_count]; q.dim_count++)
        q.n *= q.dims[q.dim_count] = dims[shape][q.dim_count];
    if (nadi_program_make(ops, &q, &p) || p.switches > 0) /* tables have no switches */
        return 0;
    write_down(&p, &f);
    uint32_t compared = 0;
    for (int m = 0; m < MODELS; m++) {
        lone.table = NULL;
        const uint64_t plain = end_of(&lone, shape, models[m]);
        lone.table = &f.table;
        const uint64_t written = end_of(&lone, shape, models[m]);
        if (plain == UINT64_MAX) /* no such word for this kind */
            continue;
        if (plain != written)
            fail_msg("%s %s, shape %d, model %s: %" PRIu64 " ns, written down %" PRIu64 " ns", word,
                     nadi_collective_name(kind), shape, models[m]->name, plain, written);
        digest_u64(&pins.digest, plain);
        compared++;
    }
    nadi_table_file_release(&f);
    return compared;
}

static void the_same_times(void **state)
{
    uint32_t cases = 0;
    (void)state;
    for (size_t a = 0; nadi_program_algorithms[a]; a++)
        for (int kind = 0; kind < NADI_COLLECTIVE_KINDS; kind++)
            for (int shape = 0; shape < SHAPES; shape++) {
                const struct nadi_program_ops *ops = nadi_program_algorithms[a];
                const bool native = kind == NADI_ALL_REDUCE || kind == NADI_ALL_GATHER ||
                                    kind == NADI_REDUCE_SCATTER ||
                                    kind == NADI_REDUCE_SCATTER_BLOCK || kind == NADI_ALL_TO_ALL;
                char word[40];
                if (!nadi_program_runs(ops, (enum nadi_collective_kind)kind) || ops->in_switches ||
                    (native && (strcmp(ops->name, "ring") == 0 ||
                                strcmp(ops->name, "direct") == 0))) /* the reference's */
                    continue;
                snprintf(word, sizeof(word), "%s%s", native ? "one" : "", ops->name);
                if (native && word[3] >= 'a')
                    word[3] = (char)(word[3] - 'a' + 'A');
                pins_section(&pins, ops->name);
                cases += compare(ops, (enum nadi_collective_kind)kind, shape, word);
                pins_case(&pins, (uint64_t)(kind * SHAPES + shape));
            }
    assert_true(pins_end(&pins));
    assert_true(cases >= CASES_AT_LEAST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_same_times)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
