/* Text workloads of ASTRA-sim 1.0: the loop of each parallelism, node by node, whom its collectives
 * are for, and what the topology makes of that. */
#include "base/str.h"
#include "generate/v1/program.h"
#include "generate/v1/shape.h"
#include "generate/v1/workload.h"

#include <setjmp.h>

#include <cmocka.h>

static const struct nadi_v1_reading plain = {0};

static void read_text(struct nadi_v1_workload *w, const char *text)
{
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    if (!nadi_v1_parse(w, "w.txt", text, strlen(text), &plain, &diags))
        fail_msg("%s: %s", text, diags.items[0].message);
    nadi_diags_release(&diags);
}

/* "name<dep,dep name ..." with positions for dependencies; I and O mark scopes. */
static void write_program(const struct nadi_v1_program *p, struct nadi_str *out)
{
    static const char *const marks[] = {"", "", " [I]", " [O]", " [E]", " [D]"};
    for (size_t i = 0; i < p->count; i++) {
        const struct nadi_v1_node *n = &p->nodes[i];
        nadi_str_printf(out, "%zu %s%s", i, n->name, marks[n->scope]);
        for (uint32_t k = 0; k < n->dep_count; k++)
            nadi_str_printf(out, "%s%u", k ? "," : " < ", n->deps[k]);
        nadi_str_add(out, "\n");
    }
}

static void expect_loop(const char *text, uint32_t passes, const char *expected)
{
    static const uint32_t two[NADI_V1_SCOPES] = {2, 2, 2, 2, 2, 2};
    struct nadi_v1_workload w;
    struct nadi_v1_program p;
    struct nadi_str found = NADI_STR_INIT;
    read_text(&w, text);
    nadi_v1_loop(&p, &w, two, passes);
    write_program(&p, &found);
    assert_string_equal(nadi_str_get(&found), expected);
    nadi_str_release(&found);
    nadi_v1_program_release(&p);
    nadi_v1_release(&w);
}

#define LAYER(name, f, i, w) name " -1 3 " f " 1024 4 " i " 2048 5 " w " 4096 0\n"
#define ALL(name)            LAYER(name, "ALLGATHER", "ALLREDUCE", "REDUCESCATTER")

static void micro_and_updates(void **state)
{
    (void)state;
    expect_loop("MICRO\n2\na -1 1 NONE 0 1 NONE 0 1 ALLTOALL 64 7\nb -1 1 NONE 0 1 NONE 0 1 "
                "ALLREDUCEALLTOALL 64 0\n",
                1,
                "0 a weight gradient ALL_TO_ALL\n"
                "1 a weight gradient update < 0\n"
                "2 b weight gradient ALL_REDUCE\n"
                "3 b weight gradient ALL_TO_ALL < 2\n");
}

static void data(void **state)
{
    (void)state;
    expect_loop("DATA\n2\n" ALL("a") ALL("b"), 2,
                "0 a forward, pass 1\n"
                "1 b forward, pass 1 < 0\n"
                "2 b weight gradient, pass 1 < 1\n"
                "3 b weight gradient, pass 1 REDUCE_SCATTER < 2\n"
                "4 b input gradient, pass 1 < 2\n"
                "5 a weight gradient, pass 1 < 4\n"
                "6 a weight gradient, pass 1 REDUCE_SCATTER < 5\n"
                "7 a forward, pass 2 < 5,6\n"
                "8 b forward, pass 2 < 7,3\n"
                "9 b weight gradient, pass 2 < 8\n"
                "10 b weight gradient, pass 2 REDUCE_SCATTER < 9\n"
                "11 b input gradient, pass 2 < 9\n"
                "12 a weight gradient, pass 2 < 11\n"
                "13 a weight gradient, pass 2 REDUCE_SCATTER < 12\n");
}

static void model_and_inference(void **state)
{
    (void)state;
    expect_loop("MODEL\n2\n" ALL("a") ALL("b"), 1,
                "0 a forward\n"
                "1 a forward ALL_GATHER < 0\n"
                "2 b forward < 1\n"
                "3 b forward ALL_GATHER < 2\n"
                "4 b input gradient < 3\n"
                "5 b input gradient ALL_REDUCE < 4\n"
                "6 b weight gradient < 4\n"
                "7 a input gradient < 6,5\n"
                "8 a weight gradient < 7\n");
    expect_loop("DISTRIBUTED_INFERENCE\n1\n" ALL("a"), 2,
                "0 a forward, pass 1\n"
                "1 a forward, pass 1 ALL_GATHER < 0\n"
                "2 a forward, pass 2 < 1\n"
                "3 a forward, pass 2 ALL_GATHER < 2\n");
}

static void hybrids_part_the_dimensions(void **state)
{
    (void)state;
    expect_loop("HYBRID_DATA_MODEL\n1\n" ALL("a"), 1,
                "0 a forward\n"
                "1 a forward ALL_GATHER [I] < 0\n"
                "2 a input gradient < 1\n"
                "3 a weight gradient < 2\n"
                "4 a weight gradient REDUCE_SCATTER [O] < 3\n");
    expect_loop("HYBRID_CUSTOMIZED\n2\na -1 3 ALLGATHER 8 0 NONE 0 5 ALLREDUCE 8 0 DATA\n"
                "b -1 3 ALLGATHER 8 0 NONE 0 5 ALLREDUCE 8 0 HYBRID_MODEL_DATA\n",
                1,
                "0 a forward\n"
                "1 b forward < 0\n"
                "2 b forward ALL_GATHER [O] < 1\n"
                "3 b weight gradient < 2\n"
                "4 b weight gradient ALL_REDUCE [I] < 3\n"
                "5 a weight gradient < 3\n"
                "6 a weight gradient ALL_REDUCE < 5\n");
}

static void transformer_recomputes(void **state)
{
    (void)state;
    expect_loop("HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 checkpoints: 1 0 "
                "checkpoint_initiates: 1 2\n3\n" ALL("a") ALL("b") ALL("c"),
                1,
                "0 a forward\n"
                "1 a forward ALL_GATHER [I] < 0\n"
                "2 b forward < 1\n"
                "3 b forward ALL_GATHER [I] < 2\n"
                "4 c forward < 3\n"
                "5 c forward ALL_GATHER [I] < 4\n"
                "6 a forward again < 5\n"
                "7 a forward again ALL_GATHER [I] < 6\n"
                "8 b forward again < 7\n"
                "9 b forward again ALL_GATHER [I] < 8\n"
                "10 c input gradient < 9\n"
                "11 c input gradient ALL_REDUCE [I] < 10\n"
                "12 c weight gradient < 11\n"
                "13 c weight gradient REDUCE_SCATTER [O] < 12\n"
                "14 b input gradient < 12\n"
                "15 b input gradient ALL_REDUCE [I] < 14\n"
                "16 b weight gradient < 15\n"
                "17 b weight gradient REDUCE_SCATTER [O] < 16\n"
                "18 a input gradient < 16\n"
                "19 a input gradient ALL_REDUCE [I] < 18\n"
                "20 a weight gradient < 19\n"
                "21 a weight gradient REDUCE_SCATTER [O] < 20\n");
}

static void dlrm_waits_for_the_embedding(void **state)
{
    (void)state;
    expect_loop("HYBRID_DLRM 1\n3\n" LAYER("e", "ALLTOALL", "ALLTOALL", "NONE")
                    LAYER("bottom", "NONE", "NONE", "ALLREDUCE")
                        LAYER("top", "NONE", "NONE", "ALLREDUCE"),
                1,
                "0 e forward\n"
                "1 e forward ALL_TO_ALL < 0\n"
                "2 bottom forward < 0,1\n"
                "3 top forward < 2\n"
                "4 top weight gradient < 3\n"
                "5 top weight gradient ALL_REDUCE < 4\n"
                "6 top input gradient < 4\n"
                "7 e input gradient ALL_TO_ALL < 6\n"
                "8 bottom weight gradient < 6\n"
                "9 bottom weight gradient ALL_REDUCE < 8\n"
                "10 bottom input gradient < 8\n"
                "11 e weight gradient < 10,7\n");
}

/* What takes no time and what is NONE leaves nothing behind; who waited for it waits for what it
 * waited for. */
static void nothing_leaves_nothing(void **state)
{
    (void)state;
    expect_loop("DATA\n3\na -1 3 NONE 0 0 NONE 0 5 ALLREDUCE 64 0\nz -1 0 NONE 0 0 NONE 0 0 NONE 0 "
                "9\nb -1 1 NONE 0 0 NONE 0 0 ALLREDUCE 64 0\n",
                2,
                "0 a forward, pass 1\n"
                "1 b forward, pass 1 < 0\n"
                "2 b weight gradient, pass 1 ALL_REDUCE < 1\n"
                "3 a weight gradient, pass 1 < 1\n"
                "4 a weight gradient, pass 1 ALL_REDUCE < 3\n"
                "5 a forward, pass 2 < 3,4\n"
                "6 b forward, pass 2 < 5,2\n"
                "7 b weight gradient, pass 2 ALL_REDUCE < 6\n"
                "8 a weight gradient, pass 2 < 6\n"
                "9 a weight gradient, pass 2 ALL_REDUCE < 8\n");
}

static void shapes(void **state)
{
    (void)state;
    static const struct {
        const char *header;
        uint32_t dims[3], dim_count, block, inner_dims;
        bool fits;
    } cases[] = {
        {"HYBRID_TRANSFORMER model_parallel_NPU_group: 8", {8, 4}, 2, 8, 1, true},
        {"HYBRID_TRANSFORMER model_parallel_NPU_group: 32", {8, 4, 2}, 3, 32, 2, true},
        {"HYBRID_TRANSFORMER model_parallel_NPU_group: 4", {8, 4}, 2, 4, NADI_NONE, true},
        {"HYBRID_TRANSFORMER model_parallel_NPU_group: 1", {8, 4}, 2, 1, 0, true},
        {"HYBRID_TRANSFORMER model_parallel_NPU_group: 5", {8, 4}, 2, 0, 0, false},
        {"HYBRID_MODEL_DATA", {8, 4}, 2, 8, 1, true},
        {"DATA", {8, 4}, 2, 32, 2, true},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct nadi_str text = NADI_STR_INIT;
        struct nadi_v1_workload w;
        struct nadi_v1_shape shape = {.dim_count = cases[i].dim_count};
        struct nadi_diags diags;
        nadi_diags_init(&diags);
        nadi_str_printf(&text, "%s\n1\n%s", cases[i].header, ALL("a"));
        read_text(&w, nadi_str_get(&text));
        memcpy(shape.dims, cases[i].dims, sizeof(cases[i].dims));
        assert_int_equal(nadi_v1_shape_find(&shape, &w, false, &diags), cases[i].fits);
        assert_int_equal(diags.errors, !cases[i].fits);
        if (cases[i].fits) {
            assert_int_equal(shape.block, cases[i].block);
            assert_int_equal(shape.inner_dims, cases[i].inner_dims);
        }
        nadi_v1_release(&w);
        nadi_diags_release(&diags);
        nadi_str_release(&text);
    }
}

/* A block that ends inside a dimension: groups of neighbours, and of one rank of each block. */
static void groups_of_a_cut_dimension(void **state)
{
    (void)state;
    struct nadi_v1_workload w;
    struct nadi_v1_program p;
    struct nadi_v1_shape shape = {.dims = {4, 2}, .dim_count = 2};
    struct nadi_str json = NADI_STR_INIT;
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    read_text(&w, "HYBRID_TRANSFORMER model_parallel_NPU_group: 2\n1\n" ALL("a"));
    assert_true(nadi_v1_shape_find(&shape, &w, false, &diags));
    nadi_v1_loop(&p, &w, shape.members, 1);
    nadi_v1_groups_json(&shape, &p, &json);
    assert_string_equal(json.text, "{\n"
                                   "  \"inner.0\": [0, 1],\n"
                                   "  \"inner.1\": [2, 3],\n"
                                   "  \"inner.2\": [4, 5],\n"
                                   "  \"inner.3\": [6, 7],\n"
                                   "  \"outer.0\": [0, 2, 4, 6],\n"
                                   "  \"outer.1\": [1, 3, 5, 7]\n"
                                   "}\n");
    nadi_str_release(&json);
    nadi_v1_program_release(&p);
    nadi_v1_release(&w);
    nadi_diags_release(&diags);
}

/* SimAI: 16 ranks in 2 stages; of a stage 4 blocks of 2, every two of which share the experts. */
static void simai_groups(void **state)
{
    (void)state;
    struct nadi_v1_workload w;
    struct nadi_v1_program p;
    struct nadi_v1_shape shape = {.dim_count = 0};
    struct nadi_str json = NADI_STR_INIT;
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    read_text(
        &w, "HYBRID_TRANSFORMER_FWD_IN_BCKWD ep: 2 model_parallel_NPU_group: 2 pp: 2 vpp: 3 ga: 4 "
            "all_gpus: 16 checkpoints: 0 checkpoint_initiates: 0 pp_comm 8388608.0\n2\n"
            "a -1 3 ALLGATHER 1001 4 ALLTOALL_EP 2048 5 REDUCESCATTER 4096 0\n"
            "b -1 3 BROADCAST 64 4 NONE 0 5 ALLGATHER_DP_EP 4096 0\n");
    assert_true(w.simai && !w.headless && !w.job.inference);
    assert_int_equal(w.job.virtual_parts, 3);
    assert_int_equal(w.job.micro_batches, 4);
    assert_int_equal(w.job.stage_bytes, 8388608);
    assert_true(nadi_v1_shape_find(&shape, &w, false, &diags));
    assert_int_equal(diags.warnings, 1); /* one stage of two */
    assert_int_equal(shape.ranks, 8);
    nadi_v1_loop(&p, &w, shape.members, 1);
    nadi_v1_groups_json(&shape, &p, &json);
    assert_string_equal(json.text, "{\n"
                                   "  \"inner.0\": [0, 1],\n"
                                   "  \"inner.1\": [2, 3],\n"
                                   "  \"inner.2\": [4, 5],\n"
                                   "  \"inner.3\": [6, 7],\n"
                                   "  \"outer.0\": [0, 2, 4, 6],\n"
                                   "  \"outer.1\": [1, 3, 5, 7],\n"
                                   "  \"expert.0\": [0, 2],\n"
                                   "  \"expert.1\": [1, 3],\n"
                                   "  \"expert.2\": [4, 6],\n"
                                   "  \"expert.3\": [5, 7],\n"
                                   "  \"expert-data.0\": [0, 4],\n"
                                   "  \"expert-data.1\": [1, 5],\n"
                                   "  \"expert-data.2\": [2, 6],\n"
                                   "  \"expert-data.3\": [3, 7]\n"
                                   "}\n");
    static const struct {
        const char *name;
        enum nadi_v1_scope scope;
        uint64_t bytes;
    } sent[] = {
        {"a forward ALL_GATHER", NADI_V1_SCOPE_INNER, 501}, /* a rank's part */
        {"b forward BROADCAST", NADI_V1_SCOPE_INNER, 64},
        {"b weight gradient ALL_GATHER", NADI_V1_SCOPE_EXPERT_DATA, 2048},
        {"a input gradient ALL_TO_ALL", NADI_V1_SCOPE_EXPERT, 2048},
        {"a weight gradient REDUCE_SCATTER", NADI_V1_SCOPE_OUTER, 4096},
    };
    size_t next = 0;
    for (size_t i = 0; i < p.count; i++) {
        if (p.nodes[i].scope == NADI_V1_SCOPE_NONE)
            continue;
        assert_true(next < sizeof(sent) / sizeof(sent[0]));
        assert_string_equal(p.nodes[i].name, sent[next].name);
        assert_int_equal(p.nodes[i].scope, sent[next].scope);
        assert_int_equal(p.nodes[i].bytes, sent[next++].bytes);
    }
    assert_int_equal(next, sizeof(sent) / sizeof(sent[0]));
    nadi_str_release(&json);
    nadi_v1_program_release(&p);
    nadi_v1_release(&w);
    nadi_diags_release(&diags);
}

/* Whose all-gathers count what every rank ends with: by the header, a kind, a name, or the caller.
 */
static void dialects(void **state)
{
    (void)state;
#define LAYER_OF(name) "1\n" name " -1 1 NONE 0 1 NONE 0 1 ALLGATHER 64 0\n"
    static const struct {
        const char *text;
        enum nadi_v1_dialect dialect;
        bool simai;
        uint32_t notes;
    } cases[] = {
        {"MICRO\n" LAYER_OF("a"), NADI_V1_DIALECT_AUTO, false, 1},
        {"MICRO\n" LAYER_OF("a"), NADI_V1_DIALECT_ASTRA_SIM, false, 0},
        {"MICRO\n" LAYER_OF("a"), NADI_V1_DIALECT_SIMAI, true, 0},
        {"MICRO\n" LAYER_OF("micro_test"), NADI_V1_DIALECT_AUTO, true, 0},
        {"MICRO\n" LAYER_OF("micro_test"), NADI_V1_DIALECT_ASTRA_SIM, false, 0},
        {"DATA\n" LAYER_OF("a"), NADI_V1_DIALECT_AUTO, false, 0},
        {"HYBRID_TRANSFORMER model_parallel_NPU_group: 1 ga: 1\n" LAYER_OF("a"),
         NADI_V1_DIALECT_AUTO, true, 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct nadi_v1_workload w;
        struct nadi_diags diags;
        nadi_diags_init(&diags);
        const struct nadi_v1_reading reading = {.dialect = cases[i].dialect};
        assert_true(
            nadi_v1_parse(&w, "w.txt", cases[i].text, strlen(cases[i].text), &reading, &diags));
        assert_int_equal(w.simai, cases[i].simai);
        assert_int_equal(diags.count, cases[i].notes);
        nadi_v1_release(&w);
        nadi_diags_release(&diags);
    }
}

/* A file that begins with its layers: the caller's header, or DATA where nothing else is meant. */
static void headless(void **state)
{
    (void)state;
    static const char text[] = "a -1 3 NONE 0 4 NONE 0 5 ALLREDUCE 4096 0\n"
                               "b -1 3 NONE 0 4 NONE 0 5 ALLREDUCE 4096 0\n";
    struct nadi_v1_workload w;
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    struct nadi_v1_reading reading = {0};
    assert_true(nadi_v1_parse(&w, "w.txt", text, strlen(text), &reading, &diags));
    assert_true(w.headless && w.policy == NADI_V1_DATA && w.layer_count == 2);
    assert_int_equal(w.layers[1].policy, NADI_V1_DATA);
    nadi_v1_release(&w);
    reading.header = "HYBRID_TRANSFORMER model_parallel_NPU_group: 4";
    assert_true(nadi_v1_parse(&w, "w.txt", text, strlen(text), &reading, &diags));
    assert_true(w.headless && w.policy == NADI_V1_HYBRID_TRANSFORMER && w.model_group == 4);
    assert_int_equal(w.layers[0].policy, NADI_V1_HYBRID_TRANSFORMER);
    nadi_v1_release(&w);
    assert_int_equal(diags.count, 0);
    nadi_diags_release(&diags);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(micro_and_updates),
        cmocka_unit_test(data),
        cmocka_unit_test(model_and_inference),
        cmocka_unit_test(hybrids_part_the_dimensions),
        cmocka_unit_test(transformer_recomputes),
        cmocka_unit_test(dlrm_waits_for_the_embedding),
        cmocka_unit_test(nothing_leaves_nothing),
        cmocka_unit_test(shapes),
        cmocka_unit_test(groups_of_a_cut_dimension),
        cmocka_unit_test(simai_groups),
        cmocka_unit_test(dialects),
        cmocka_unit_test(headless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
