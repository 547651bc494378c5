/* One small program in all the forms in which PyTorch's tools write it: the trace that comes of it
 * is the same. What cannot be used is refused by name. */
#include "support/imported.h"

#include "base/str.h"
#include "capture/linked.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define T0 INT64_C(1714557600123456789) /* ns, as today's profiles have them */

struct program {
    const char *launch, *wait; /* names of runtime calls */
    bool no_step, graph;       /* graph: both kernels by one launch */
};

/* linear(addmm) and relu, a kernel each, then a wait for them, 100 us in all. */
static void small_program(struct capture *c, const struct program *p)
{
    uint64_t step = 0, call[2], external[2];
    if (!p->no_step)
        step = capture_op(c, &(struct capture_op){.name = "ProfilerStep#7",
                                                  .from = T0,
                                                  .to = T0 + 100000,
                                                  .category = "user_annotation"});
    struct capture_op linear = {
        .name = "aten::linear",
        .parent = step,
        .from = T0 + 1000,
        .to = T0 + 30001,
        .inputs = {"[[4, 5, 0, 8192, 4, \"cuda:0\"], [6, 7, 0, 65536, 4, \"cuda:0\"]]",
                   "[[32, 256], [256, 256]]", "[\"Tensor(float)\", \"Tensor(float)\"]"},
        .outputs = {"[[8, 9, 0, 8192, 4, \"cuda:0\"]]", "[[32, 256]]", "[\"Tensor(float)\"]"},
        .args = ", \"Input Dims\": [[32, 256], [256, 256]], \"Input type\": [\"float\", \"float\"]",
    };
    struct capture_op addmm = linear;
    addmm.parent = capture_op(c, &linear);
    addmm.name = "aten::mm";
    addmm.from += 2000;
    addmm.to -= 2000;
    capture_op(c, &addmm);
    external[0] = c->external;
    call[0] = capture_call(c, 0, p->launch, T0 + 8000, T0 + 12000);
    capture_op(c, &(struct capture_op){
                      .name = "aten::relu", .parent = step, .from = T0 + 35000, .to = T0 + 50000});
    external[1] = c->external;
    call[1] = p->graph ? call[0] : capture_call(c, 0, p->launch, T0 + 40000, T0 + 42000);
    capture_op(c, &(struct capture_op){
                      .name = "aten::item", .parent = step, .from = T0 + 60000, .to = T0 + 99000});
    capture_call(c, 0, p->wait, T0 + 61000, T0 + 98125);
    capture_work(c, &(struct capture_work){.name = "gemm",
                                           .stream = 7,
                                           .from = T0 + 20000,
                                           .to = T0 + 70000,
                                           .correlation = call[0],
                                           .external = external[0]});
    capture_work(c, &(struct capture_work){.name = "relu",
                                           .stream = 7,
                                           .from = T0 + 70500,
                                           .to = T0 + 97000,
                                           .correlation = call[1],
                                           .external = external[1]});
}

static const struct program cuda = {"cudaLaunchKernel", "cudaStreamSynchronize", false, false};

static void make(struct imported *x, const struct capture_form *form, const struct program *p,
                 const struct import_how *how)
{
    struct recording r;
    small_program(recording_begin(&r, form), p);
    recording_end(&r);
    imported_make(x, &r, how);
    recording_release(&r);
}

/* The kernels in their order, the wait for the last of them, all of the time in it. */
static void expect_program(const struct imported *x)
{
    assert_non_null(x->trace);
    const uint32_t gemm = imported_find(x, "gemm", 0), relu = imported_find(x, "relu", 0);
    const uint32_t item = imported_find(x, "aten::item", 0);
    assert_true(gemm != NADI_NONE && relu != NADI_NONE && item != NADI_NONE);
    assert_true(imported_waits_for(x, gemm, imported_find(x, "aten::mm", 0)));
    assert_true(imported_waits_for(x, relu, gemm));
    assert_int_equal(x->trace->duration_ns[gemm], 50000);
    assert_int_equal(x->trace->duration_ns[relu], 26500);
    assert_false(x->trace->flags[gemm] & NADI_NODE_IS_CPU);
    assert_int_equal(x->coverage.works[NADI_ORPHAN_NOT], 2);
    const uint32_t wait =
        imported_find(x, x->capture.device.work_count ? "cudaStreamSynchronize" : "aten::item", 0);
    if (wait != NADI_NONE) {
        assert_true(imported_waits_for(x, wait, relu));
        assert_int_equal(x->trace->duration_ns[wait], 1125); /* what it takes after the kernel */
    }
}

static void host_schemas(void **state)
{
    (void)state;
    static const char *const schemas[] = {
        "1.0.1",
        "1.0.2-chakra.0.0.4",
        "1.0.3-chakra.0.0.4",
        "1.0.4-chakra.0.0.4",
        "1.1.0-chakra.0.0.4",
        "1.1.1-chakra.0.0.4",
        "1.1.1-chakra.1.0.0",
    };
    for (size_t i = 0; i < sizeof(schemas) / sizeof(schemas[0]); i++) {
        for (int method = 0; method < 4; method++) {
            const struct capture_form form = {.schema = schemas[i], .id_list = method == 3};
            const struct import_how how = {.by_link = method == 1};
            struct imported x;
            make(&x, &form, &cuda, &how);
            expect_program(&x);
            assert_int_equal(x.diags.warnings, 0);
            assert_int_equal(x.capture.match.method,
                             method == 1 ? NADI_MATCH_LINKED : NADI_MATCH_IDS);
            assert_int_equal(x.coverage.linked_ops, 5);
            assert_int_equal(x.trace->ops[imported_find(&x, "gemm", 0)], 2 * 32 * 256 * 256);
            imported_release(&x);
        }
    }
    const struct capture_form young = {.schema = "1.4.0-chakra.2.0.0"}, old = {.schema = "0.9"};
    struct imported x;
    make(&x, &young, &cuda, NULL);
    expect_program(&x);
    assert_true(imported_said(&x, "capture/schema"));
    imported_release(&x);
    make(&x, &old, &cuda, NULL);
    assert_null(x.trace);
    assert_true(imported_said(&x, "capture/schema"));
    imported_release(&x);
}

static void methods_to_link(void **state)
{
    (void)state;
    static const struct {
        struct capture_form form;
        enum nadi_match_method method;
    } cases[] = {
        {{0}, NADI_MATCH_IDS},
        {{.rf_shift = 1}, NADI_MATCH_SHIFTED_IDS},
        {{.rf_shift = 70000}, NADI_MATCH_SHIFTED_IDS},
        {{.rf_shift = -1}, NADI_MATCH_SHIFTED_IDS},
        {{.no_rf = true}, NADI_MATCH_EXTERNAL},
        {{.zero_rf = true}, NADI_MATCH_EXTERNAL},
        {{.no_rf = true, .no_external = true}, NADI_MATCH_ORDER},
        {{.zero_rf = true, .no_external = true}, NADI_MATCH_ORDER},
        {{.no_correlation = true}, NADI_MATCH_IDS},
        {{.no_external = true}, NADI_MATCH_IDS},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct imported x;
        make(&x, &cases[i].form, &cuda, NULL);
        expect_program(&x);
        assert_int_equal(x.capture.match.method, cases[i].method);
        assert_int_equal(x.coverage.linked_ops, 5);
        imported_release(&x);
    }
}

static void devices_and_steps(void **state)
{
    (void)state;
    static const struct program programs[] = {
        {"cudaLaunchKernelExC", "cudaDeviceSynchronize", false, false},
        {"cuLaunchKernel", "cuCtxSynchronize", true, false},
        {"hipLaunchKernel", "hipDeviceSynchronize", false, false},
        {"hipExtModuleLaunchKernel", "hipStreamSynchronize", true, false},
        {"cudaGraphLaunch", "cudaEventSynchronize", false, true},
        {"hipGraphLaunch", "hipEventSynchronize", true, true},
        {"cudaLaunchKernel", "cudaStreamSynchronize", true, false},
    };
    for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
        for (int alone = 0; alone < 2; alone++) {
            const struct import_how how = {.device_alone = alone};
            struct imported x;
            make(&x, NULL, &programs[i], &how);
            expect_program(&x);
            const uint32_t wait = imported_find(&x, programs[i].wait, 0);
            assert_true(imported_waits_for(&x, wait, imported_find(&x, "relu", 0)));
            assert_int_equal(x.trace->duration_ns[wait], 1125);
            assert_int_equal(x.coverage.host_ops, alone ? 0 : programs[i].no_step ? 4 : 5);
            imported_release(&x);
        }
    }
}

static void exact_times(void **state)
{
    (void)state;
    struct imported x;
    make(&x, NULL, &cuda, NULL);
    const struct nadi_built_graph *g = &x.capture.graph;
    const uint32_t gemm = imported_find(&x, "gemm", 0);
    assert_true(g->nodes.items[gemm].from == T0 + 20000);
    assert_true(g->begin == T0 && g->end == T0 + 100000);
    assert_int_equal(imported_replay(&x), 100000);
    imported_release(&x);
}

/* The device's clock 30 us behind: its work would begin before it was launched. */
static void device_clock(void **state)
{
    (void)state;
    const struct capture_form form = {.device_clock_ns = -30000};
    struct imported x;
    make(&x, &form, &cuda, NULL);
    assert_non_null(x.trace);
    assert_true(x.coverage.skew_ns > 0);
    const uint32_t gemm = imported_find(&x, "gemm", 0);
    assert_true(imported_waits_for(&x, gemm, imported_find(&x, "aten::mm", 0)));
    imported_release(&x);
}

static void processor_only(void **state)
{
    (void)state;
    for (int alone = 0; alone < 2; alone++) {
        struct recording r;
        struct imported x;
        struct capture *c = recording_begin(&r, NULL);
        const uint64_t outer = capture_op(
            c, &(struct capture_op){.name = "aten::linear", .from = T0, .to = T0 + 50000});
        capture_op(
            c, &(struct capture_op){
                   .name = "aten::addmm", .parent = outer, .from = T0 + 5000, .to = T0 + 45000});
        capture_op(
            c, &(struct capture_op){.name = "aten::relu", .from = T0 + 60000, .to = T0 + 70250});
        recording_end(&r);
        imported_make(&x, &r, &(struct import_how){.device_alone = alone});
        recording_release(&r);
        assert_non_null(x.trace);
        assert_int_equal(imported_replay(&x), 70250);
        const uint32_t gap = imported_find(&x, "between operators", 0);
        assert_int_equal(x.trace->duration_ns[gap], 10000);
        assert_true(imported_waits_for(&x, imported_find(&x, "aten::relu", 0), gap));
        imported_release(&x);
    }
}

/* Two kernels of one stream at one time, and work that ends after the wait for it: what is not
 * ordered is named, the trace is sound. */
static void contradictions(void **state)
{
    (void)state;
    struct recording r;
    struct imported x;
    struct capture *c = recording_begin(&r, NULL);
    capture_op(c, &(struct capture_op){.name = "aten::mm", .from = T0, .to = T0 + 90000});
    uint64_t call[3];
    for (int i = 0; i < 3; i++)
        call[i] =
            capture_call(c, 0, "cudaLaunchKernel", T0 + 5000 + i * 5000, T0 + 8000 + i * 5000);
    capture_call(c, 0, "cudaDeviceSynchronize", T0 + 30000, T0 + 60000);
    static const char *const names[] = {"first", "second", "third"};
    static const int64_t from[] = {20000, 30000, 50000}, to[] = {40000, 45000, 80000};
    for (int i = 0; i < 3; i++)
        capture_work(c, &(struct capture_work){.name = names[i],
                                               .stream = 7,
                                               .from = T0 + from[i],
                                               .to = T0 + to[i],
                                               .correlation = call[i],
                                               .external = c->external});
    recording_end(&r);
    imported_make(&x, &r, NULL);
    recording_release(&r);
    assert_non_null(x.trace);
    assert_true(imported_said(&x, "capture/stream-order"));
    assert_int_equal(x.coverage.dropped[NADI_EDGE_STREAM], 1);
    const uint32_t first = imported_find(&x, "first", 0), second = imported_find(&x, "second", 0);
    const uint32_t third = imported_find(&x, "third", 0);
    assert_false(imported_waits_for(&x, second, first));
    assert_true(imported_waits_for(&x, third, second) && imported_waits_for(&x, third, first));
    const uint32_t wait = imported_find(&x, "cudaDeviceSynchronize", 0);
    assert_false(imported_waits_for(&x, wait, third));
    bool named = false;
    for (size_t i = 0; i < x.diags.count; i++)
        named |= x.diags.items[i].place.node && strstr(x.diags.items[i].place.node, "second");
    assert_true(named);
    imported_release(&x);
}

/* Whether the runtime call returns only when its work is done. */
static void calls_that_wait(void **state)
{
    static const struct {
        const char *call, *work, *category;
        bool waits;
    } cases[] = {
        {"cudaMemcpy", "Memcpy DtoH (Device -> Pinned)", "gpu_memcpy", true},
        {"cudaMemcpy", "Memcpy HtoD (Pageable -> Device)", "gpu_memcpy", true},
        {"cudaMemcpy", "Memcpy DtoD (Device -> Device)", "gpu_memcpy", false},
        {"cudaMemcpyAsync", "Memcpy DtoH (Device -> Pageable)", "gpu_memcpy", true},
        {"cudaMemcpyAsync", "Memcpy DtoH (Device -> Pinned)", "gpu_memcpy", false},
        {"cudaMemcpyAsync", "Memcpy HtoD (Pageable -> Device)", "gpu_memcpy", false},
        {"hipMemcpyWithStream", "CopyDeviceToHost", "gpu_memcpy", true},
        {"hipMemcpyWithStream", "CopyHostToDevice", "gpu_memcpy", true},
        {"cudaGraphLaunch", "Memcpy DtoH (Device -> Pinned)", "gpu_memcpy", false},
        {"cudaGraphLaunch", "Memcpy HtoD (Pageable -> Device)", "gpu_memcpy", false},
        {"cudaLaunchKernel", "gemm", "kernel", false},
        {"cudaMemcpy", "gemm DtoH", "kernel", false},
        {"cudaStreamSynchronize", "gemm", "kernel", true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct recording r;
        struct imported x;
        struct capture *c = recording_begin(&r, NULL);
        capture_op(c, &(struct capture_op){.name = "aten::mm", .from = T0, .to = T0 + 100000});
        const uint64_t call = capture_call(c, 0, cases[i].call, T0 + 1000, T0 + 60000);
        capture_work(c, &(struct capture_work){.name = cases[i].work,
                                               .category = cases[i].category,
                                               .stream = 7,
                                               .from = T0 + 20000,
                                               .to = T0 + 50000,
                                               .correlation = call,
                                               .external = c->external});
        recording_end(&r);
        imported_make(&x, &r, NULL);
        assert_non_null(x.trace);
        const struct nadi_kineto *k = x.capture.device.kineto;
        uint32_t calls = 0;
        for (uint32_t e = 0; e < k->events.count; e++) {
            if (!nadi_event_is_runtime(&k->events.items[e]))
                continue;
            calls++;
            if (x.capture.device.waits[e] != cases[i].waits)
                fail_msg("%s of %s waits, or not", cases[i].call, cases[i].work);
        }
        assert_int_equal(calls, 1);
        imported_release(&x);
        recording_release(&r);
    }
}

/* A kernel whose call is not known begins to wait when its operator begins; one whose call is
 * known, with the call, also where another's is not. */
static void launches_by_call_or_operator(void **state)
{
    struct recording r;
    struct imported x;
    struct capture *c = recording_begin(&r, NULL);
    (void)state;
    capture_op(c, &(struct capture_op){.name = "aten::mm", .from = T0, .to = T0 + 90000});
    const uint64_t call = capture_call(c, 0, "cudaLaunchKernel", T0 + 7000, T0 + 9000);
    for (uint64_t k = 0; k < 2; k++)
        capture_work(c, &(struct capture_work){.name = k ? "unknown" : "known",
                                               .stream = 7,
                                               .from = T0 + 20000 + (int64_t)k * 10000,
                                               .to = T0 + 25000 + (int64_t)k * 10000,
                                               .correlation = k ? 0 : call,
                                               .external = c->external});
    recording_end(&r);
    imported_make(&x, &r, NULL);
    assert_int_equal(x.capture.device.work_count, 2);
    for (uint32_t w = 0; w < 2; w++) {
        const struct nadi_device_work *work = &x.capture.device.works[w];
        const int64_t waits = work->from - work->launched;
        assert_int_equal(waits, work->call == NADI_NONE ? 30000 : 13000);
    }
    imported_release(&x);
    recording_release(&r);
}

static void refuse(const char *host, const char *device, const char *code)
{
    struct imported x;
    imported_of_texts(&x, host, host ? strlen(host) : 0, device, strlen(device), NULL);
    if (x.trace || !imported_said(&x, code))
        print_error("not refused with %s: %s and %s\n", code, host ? host : "-", device);
    assert_null(x.trace);
    assert_true(imported_said(&x, code));
    for (size_t i = 0; i < x.diags.count; i++)
        assert_non_null(x.diags.items[i].hint ? x.diags.items[i].hint : x.diags.items[i].message);
    imported_release(&x);
}

#define NODE(id, name) "{\"id\": " id ", \"name\": \"" name "\", \"ctrl_deps\": 1, \"attrs\": []}"
#define HOST(nodes)    "{\"schema\": \"1.1.0-chakra.0.0.4\", \"nodes\": [" nodes "]}"
#define EVENT(name)                                                                                \
    "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"" name                                       \
    "\", \"tid\": 1, \"ts\": 1, \"dur\": 2, \"args\": {}}"
#define DEVICE(events) "{\"traceEvents\": [" events "]}"

static void named_errors(void **state)
{
    (void)state;
    refuse("", DEVICE(EVENT("a")), "capture/json");
    refuse("[1, 2]", DEVICE(EVENT("a")), "capture/form");
    refuse(HOST(NODE("1", "a") ", {\"id\": 2"), DEVICE(EVENT("a")), "capture/json");
    refuse(HOST(NODE("1", "a")), "{\"traceEvents\": [{\"ph\": \"X\", \"ts\": 1", "capture/json");
    refuse(HOST(NODE("1", "a")), "{\"schemaVersion\": 1}", "capture/no-events");
    refuse(DEVICE(EVENT("a")), DEVICE(EVENT("a")), "capture/schema");
    refuse(HOST(""), DEVICE(EVENT("a")), "capture/nodes");
    refuse("{\"schema\": \"1.1.0-chakra.0.0.4\"}", DEVICE(EVENT("a")), "capture/nodes");
    refuse(HOST("{\"name\": \"a\"}"), DEVICE(EVENT("a")), "capture/node");
    refuse(HOST("{\"id\": 4}"), DEVICE(EVENT("a")), "capture/node");
    refuse(HOST(NODE("1", "a")), HOST(NODE("1", "a")), "capture/no-events");
    refuse(NULL, DEVICE(""), "capture/empty");
    refuse(HOST(NODE("1", "a")), DEVICE(""), "capture/mismatch");
    refuse(HOST(NODE("1", "a")), DEVICE(EVENT("b")), "capture/mismatch");
    refuse(HOST(NODE("1", "a") "," NODE("2", "b") "," NODE("2", "c")), DEVICE(EVENT("a")),
           "capture/duplicate-id");
}

/* A profile of another program, of another rank, of the same program with other sizes. */
static void not_of_one_run(void **state)
{
    (void)state;
    struct recording a, b;
    struct imported x;
    struct capture *c = recording_begin(&a, NULL);
    char name[32];
    for (int i = 0; i < 100; i++) {
        snprintf(name, sizeof(name), "aten::one%d", i % 7);
        capture_op(c, &(struct capture_op){
                          .name = name, .from = T0 + i * 1000, .to = T0 + i * 1000 + 900});
    }
    recording_end(&a);
    c = recording_begin(&b, NULL);
    for (int i = 0; i < 100; i++) { /* the same until the 40th, then it goes other ways */
        snprintf(name, sizeof(name), "aten::one%d", i < 40 ? i % 7 : (i * i + 3) % 7);
        capture_op(c, &(struct capture_op){
                          .name = name, .from = T0 + i * 1000, .to = T0 + i * 1000 + 900});
    }
    recording_end(&b);
    imported_of_texts(&x, a.texts[0], a.bytes[0], b.texts[1], b.bytes[1], NULL);
    assert_null(x.trace);
    assert_true(imported_said(&x, "capture/mismatch"));
    imported_release(&x);
    imported_of_texts(&x, a.texts[0], a.bytes[0], b.texts[1], b.bytes[1],
                      &(struct import_how){.force = true});
    assert_non_null(x.trace);
    assert_true(imported_said(&x, "capture/mismatch"));
    imported_release(&x);
    recording_release(&a);
    recording_release(&b);
}

/* The rank that a linked trace says it is of; what is no rank is refused. */
static void rank_of_linked(void **state)
{
    static const struct {
        const char *said;
        uint32_t rank;
        bool refused;
    } cases[] = {
        {"\"rank\": 3, ", 3, false},
        {"\"rank\": 0, ", 0, false},
        {"\"rank\": 4294967294, ", NADI_NONE - 1, false},
        {"\"rank\": 4294967295, ", NADI_NONE, true},
        {"\"rank\": 4294967299, ", NADI_NONE, true},
        {"\"rank\": -1, ", NADI_NONE, true},
        {"\"rank\": 1.5, ", NADI_NONE, true},
        {"\"rank\": 1.0, ", NADI_NONE, true},
        {"\"rank\": \"three\", ", NADI_NONE, true},
        {"\"rank\": null, ", NADI_NONE, false},
        {"", NADI_NONE, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char json[640];
        struct nadi_diags diags;
        struct nadi_text text;
        struct nadi_host host = {.text = {.fd = -1}};
        struct nadi_kineto kineto = {0};
        struct nadi_match match;
        uint32_t rank = 7;
        int length = snprintf(
            json, sizeof(json),
            "{\"schema\": \"1.0.2-chakra.0.0.4\", %s\"nodes\": [{\"id\": 2, "
            "\"name\": \"aten::mm\", \"ctrl_deps\": 1, \"ts\": 10, \"inclusive_dur\": 5}]}",
            cases[i].said);
        nadi_diags_init(&diags);
        assert_true(nadi_text_memory(&text, "linked.json", json, (size_t)length, 0, &diags));
        assert_int_equal(nadi_linked_read(&text, &host, &kineto, &match, &rank, &diags),
                         !cases[i].refused);
        assert_int_equal(rank, cases[i].rank);
        assert_int_equal(match.agreed, !cases[i].refused);
        nadi_match_release(&match);
        nadi_kineto_release(&kineto);
        nadi_host_release(&host);
        nadi_text_release(&text);
        nadi_diags_release(&diags);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(host_schemas),
        cmocka_unit_test(methods_to_link),
        cmocka_unit_test(devices_and_steps),
        cmocka_unit_test(exact_times),
        cmocka_unit_test(device_clock),
        cmocka_unit_test(processor_only),
        cmocka_unit_test(contradictions),
        cmocka_unit_test(calls_that_wait),
        cmocka_unit_test(launches_by_call_or_operator),
        cmocka_unit_test(named_errors),
        cmocka_unit_test(not_of_one_run),
        cmocka_unit_test(rank_of_linked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
