/* Captures drawn in all the forms that PyTorch's tools write: schemas, ids that are shifted or
 * missing, CUDA and ROCm, operators with shapes and types, collectives under all their names,
 * groups, messages, uneven all-to-alls. What becomes of them is pinned, as are the messages about
 * those that are refused: a digest that moves is a change that users see. */
#include "base/str.h"
#include "support/digest.h"
#include "support/imported.h"

#include <nadi/import.h>

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { CASES = 160, ROWS = 16, T0 = 1000000 };

static uint64_t draw_state; /* of Knuth's linear congruential generator */

static uint32_t below(uint32_t n)
{
    draw_state = draw_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((draw_state >> 33) % n);
}

#define PICK(list) (list)[below(sizeof(list) / sizeof((list)[0]))]

static const char *const operators[] = {"aten::mm",
                                        "aten::addmm",
                                        "aten::bmm",
                                        "aten::add",
                                        "aten::copy_",
                                        "aten::sum",
                                        "aten::native_layer_norm",
                                        "aten::_softmax",
                                        "aten::embedding",
                                        "aten::fill_",
                                        "aten::relu",
                                        "aten::_scaled_dot_product_flash_attention",
                                        "aten::cudnn_convolution",
                                        "aten::index_put_",
                                        "triton_tem_fused_mm_1",
                                        "aten::_flash_attention_forward",
                                        "aten::convolution_backward"};
static const char *const types[] = {"float",  "c10::Half",          "c10::BFloat16",
                                    "double", "long int",           "int",
                                    "bool",   "c10::Float8_e4m3fn", "signed char"};
static const char *const collectives[] = {"allreduce",      "all_reduce",
                                          "broadcast",      "reduce",
                                          "allgather",      "_allgather_base",
                                          "reduce_scatter", "_reduce_scatter_base",
                                          "all_to_all",     "all_to_allv",
                                          "gather",         "scatter",
                                          "barrier",        "send",
                                          "recv",           "coalesced",
                                          "wiggle"};
static const char *const kernels[] = {
    "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
    "ncclKernel_AllGather_RING_LL_Sum_int8_t(ncclDevComm*)",
    "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)",
    "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL()",
    "ncclDevKernel_Broadcast_RING_LL()",
    "ncclDevKernel_Generic_4(ncclDevKernelArgsStorage<4096ul>)"};

struct drawn {
    struct capture *c;
    int64_t now, free_at[3]; /* of the thread; of streams 7, 8 and 20 */
};

static void work(struct drawn *d, const char *name, unsigned stream, const char *category,
                 const char *args)
{
    static const char *const launches[] = {"cudaLaunchKernel", "cudaLaunchKernelExC",
                                           "cuLaunchKernel"};
    static const int64_t streams[] = {7, 8, 20};
    const int64_t from = d->now, to = from + 2000 + below(5000);
    const uint64_t call =
        capture_call(d->c, 0, category ? "cudaMemcpyAsync" : PICK(launches), from, to);
    const int64_t begin = (to > d->free_at[stream] ? to : d->free_at[stream]) + below(3000);
    const int64_t end = begin + 500 + below(40000);
    capture_work(d->c, &(struct capture_work){.name = name,
                                              .category = category,
                                              .stream = streams[stream],
                                              .from = begin,
                                              .to = end,
                                              .correlation = below(30) ? call : 0,
                                              .external = below(20) ? d->c->external : 0,
                                              .args = args});
    d->free_at[stream] = end;
    d->now = to + below(1500);
}

/* An operator with two tensors, a number and one result. */
static void compute(struct drawn *d, uint64_t parent)
{
    struct nadi_str values = NADI_STR_INIT, shapes = NADI_STR_INIT, kinds = NADI_STR_INIT,
                    args = NADI_STR_INIT;
    const uint32_t m = 1 + below(300), k = 1 + below(300), n = 1 + below(300), b = below(5);
    const char *type = PICK(types);
    nadi_str_printf(&values, "[[%u, 5, 0, %u, 4, \"cuda:0\"], [6, 7, 0, %u, 4, \"cuda:0\"], %s]", m,
                    m * k, k * n, below(2) ? "true" : "0.5");
    nadi_str_printf(&shapes,
                    b ? "[[%u, %u], [%u, %u], []]" : "[[2, 3, %u, %u], [2, 3, %u, %u], []]", m, k,
                    k, n);
    nadi_str_printf(&kinds, "[\"Tensor(%s)\", \"Tensor(%s)\", \"Int\"]", type, type);
    nadi_str_printf(&args,
                    ", \"Input Dims\": %s, \"Input type\": [\"%s\", \"%s\", \"Scalar\"], "
                    "\"Concrete Inputs\": [\"\", \"\", \"True\"]",
                    shapes.text, type, type);
    const char *name = PICK(operators);
    const int64_t from = d->now;
    struct capture_op op = {
        .name = name,
        .parent = parent,
        .from = from,
        .to = from + 30000,
        .inputs = {values.text, shapes.text, kinds.text},
        .outputs = {"[[8, 9, 0, 64, 4, \"cuda:0\"]]", "[[8, 8]]", "[\"Tensor(float)\"]"},
        .args = below(5) ? args.text : NULL,
        .host_only = below(25) == 0};
    capture_op(d->c, &op);
    d->now += 2000;
    if (below(6))
        work(d, below(2) ? "gemm" : "elementwise_kernel", below(4) ? 0 : 1, NULL, NULL);
    else
        work(d, below(2) ? "Memcpy HtoD (Pageable -> Device)" : "Memset (Device)", 0,
             below(2) ? "gpu_memcpy" : "gpu_memset", ", \"bytes\": 4096");
    d->now = from + 31000 > d->now ? from + 31000 : d->now;
    nadi_str_release(&values);
    nadi_str_release(&shapes);
    nadi_str_release(&kinds);
    nadi_str_release(&args);
}

static void communicate(struct drawn *d, uint64_t parent)
{
    static const char *const groups[][2] = {
        {"0", "[0, 1, 2, 3]"}, {"7", "[2, 3]"}, {"9", "[0, 2]"}, {"mesh", "[2, 1]"}};
    static const char *const splits[] = {"[10, 0, 70, 20]", "[]", "[10, 20, ...]"};
    struct nadi_str args = NADI_STR_INIT, values = NADI_STR_INIT;
    const char *const *group = PICK(groups);
    const char *operation = PICK(collectives);
    nadi_str_printf(&args,
                    ", \"Collective name\": \"%s\", \"dtype\": \"%s\", \"In msg nelems\": %u, "
                    "\"Out msg nelems\": %u, \"Group size\": %u",
                    operation, below(2) ? "Half" : "Float", 1 + below(5000), 1 + below(5000),
                    below(3) ? 4 : 2);
    if (below(5))
        nadi_str_printf(&args, ", \"Process Group Name\": \"%s\"", group[0]);
    if (below(3))
        nadi_str_printf(&args, ", \"Process Group Ranks\": \"%s\"", group[1]);
    if (below(3))
        nadi_str_printf(&args, ", \"Src Rank\": %u, \"Dst Rank\": %u", below(4), below(4));
    if (below(3) == 0)
        nadi_str_printf(&args, ", \"In split size\": \"%s\"", PICK(splits));
    nadi_str_printf(
        &values, "[[[4, 5, 0, %u, 4, \"cuda:0\"]], 1, [\"%s\", \"\"], %u, \"%s\", [], [], 0, 1, 2]",
        1 + below(900), group[0], below(2), operation);
    const int64_t from = d->now;
    capture_op(d->c,
               &(struct capture_op){
                   .name = "record_param_comms",
                   .parent = parent,
                   .from = from,
                   .to = from + 20000,
                   .inputs = {values.text, "[[[64]], [], [[], []], [], [], [], [], [], [], []]",
                              "[\"GenericList[Tensor(float)]\", \"Int\", \"Tuple[String,String]\", "
                              "\"Int\", \"String\", \"GenericList[]\", \"GenericList[]\", \"Int\", "
                              "\"Int\", \"Int\"]"},
                   .args = below(4) ? args.text : NULL});
    d->now += 1000;
    if (below(5))
        work(d, PICK(kernels), 2, NULL, below(3) ? args.text : NULL);
    d->now = from + 21000 > d->now ? from + 21000 : d->now;
    nadi_str_release(&args);
    nadi_str_release(&values);
}

static void program(struct drawn *d)
{
    const unsigned steps = 1 + below(3);
    for (unsigned s = 0; s < steps; s++) {
        char name[32];
        snprintf(name, sizeof(name), "ProfilerStep#%u", s + 4);
        uint64_t parent = 0;
        if (below(3))
            parent = capture_op(d->c, &(struct capture_op){.name = name,
                                                           .from = d->now,
                                                           .to = d->now + 900000,
                                                           .category = "user_annotation"});
        for (unsigned i = 2 + below(8); i > 0; i--)
            if (below(3))
                compute(d, parent);
            else
                communicate(d, parent);
        if (below(2)) {
            int64_t until = d->now + 1000;
            for (int i = 0; i < 3; i++)
                until = d->free_at[i] > until ? d->free_at[i] + 1125 : until;
            capture_call(d->c, 0, below(2) ? "cudaDeviceSynchronize" : "cudaStreamSynchronize",
                         d->now, until);
            d->now = until;
        }
        d->now += below(2) ? 1500000 : 20000;
    }
}

static void draw(struct recording *r)
{
    static const char *const schemas[] = {"1.0.1",
                                          "1.0.2-chakra.0.0.4",
                                          "1.0.3-chakra.0.0.4",
                                          "1.0.4-chakra.0.0.4",
                                          "1.1.0-chakra.0.0.4",
                                          "1.1.1-chakra.0.0.4",
                                          "1.1.1-chakra.1.0.0"};
    static const char *const documents[] = {
        NULL,
        "\"distributedInfo\": {\"backend\": \"nccl\", \"rank\": 2, \"world_size\": 4, "
        "\"pg_config\": "
        "[{\"pg_name\": \"0\", \"pg_desc\": \"default_pg\", \"pg_size\": 4, \"ranks\": [0, 1, 2, "
        "3]}, "
        "{\"pg_name\": \"7\", \"pg_desc\": \"mesh_tp\", \"group_size\": 2, \"ranks\": [2, 3]}]}, ",
        "\"distributedInfo\": {\"rank\": 2, \"world_size\": 4}, "};
    const struct capture_form form = {
        .schema = PICK(schemas),
        .document = PICK(documents),
        .rf_shift = below(4) ? 0 : (int64_t)below(40),
        .device_clock_ns = below(5) ? 0 : -(int64_t)below(20000),
        .no_rf = below(6) == 0,
        .zero_rf = below(8) == 0,
        .no_external = below(6) == 0,
        .no_correlation = below(12) == 0,
        .rocm = below(5) == 0,
        .id_list = below(5) == 0,
    };
    struct drawn d = {.now = T0};
    d.c = recording_begin(r, &form);
    program(&d);
    recording_end(r);
}

static void mix_diags(uint64_t *digest, const struct nadi_diags *diags)
{
    for (size_t i = 0; i < diags->count; i++) {
        digest_text(digest, diags->items[i].code);
        digest_text(digest, diags->items[i].message);
        digest_u64(digest, diags->items[i].place.line);
        digest_u64(digest, diags->items[i].place.offset);
    }
}

static void mix_import(uint64_t *digest, const struct recording *r, const struct import_how *how)
{
    struct imported x;
    struct nadi_str text = NADI_STR_INIT;
    imported_make(&x, r, how);
    mix_diags(digest, &x.diags);
    if (x.trace) {
        struct nadi_group_book *book = &x.capture.book;
        digest_trace(digest, x.trace);
        x.coverage.linked_by[0] = '\0'; /* has the program's version */
        nadi_coverage_json(&x.coverage, 1, &text);
        (void)nadi_groups_json(&book, 1, &text);
        digest_text(digest, nadi_str_get(&text));
        for (size_t i = 0; i < x.capture.comm.parts.count; i++)
            digest_u64(digest, x.capture.comm.parts.items[i].peer);
    }
    nadi_str_release(&text);
    imported_release(&x);
}

/* ---- through files, with the graphs of Chakra 1.0.0 ------------------------------------------ */

static void put_file(const char *path, const char *text, size_t bytes)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, bytes, f), bytes);
    fclose(f);
}

/* The events of the profile, a line each, the last first: in no order of time. */
static void turn_round(struct recording *r)
{
    const char *text = r->texts[1], *begin = strstr(text, "\"traceEvents\"");
    const char *line = begin ? strchr(begin, '\n') : NULL;
    const char *lines[4096], *ends[4096];
    size_t count = 0;
    while (line && count < 4096 && strncmp(line + 1, "{\"ph\"", 5) == 0) {
        lines[count] = line + 1;
        line = strchr(line + 1, '\n');
        const char *end = line ? line : text + r->bytes[1];
        ends[count++] = end[-1] == ',' ? end - 1 : end;
    }
    if (count < 2 || !line)
        return;
    struct nadi_str out = NADI_STR_INIT;
    nadi_str_add_bytes(&out, text, (size_t)(lines[0] - text));
    for (size_t i = count; i-- > 0;) {
        nadi_str_add_bytes(&out, lines[i], (size_t)(ends[i] - lines[i]));
        nadi_str_add(&out, i ? ",\n" : "\n");
    }
    nadi_str_add(&out, line + 1);
    assert_int_equal(out.length, r->bytes[1]);
    memcpy(r->texts[1], out.text, out.length);
    nadi_str_release(&out);
}

static void mix_files(uint64_t *digest, const struct recording *r, bool compat)
{
    static const char host[] = "captures_forms.host.json", device[] = "captures_forms.device.json";
    static const char linked[] = "captures_forms.linked.json", trace[] = "captures_forms.et";
    struct nadi_trace_link link;
    struct nadi_trace_convert convert;
    struct nadi_diags diags;
    char *report = NULL;
    put_file(host, r->texts[0], r->bytes[0]);
    put_file(device, r->texts[1], r->bytes[1]);
    nadi_diags_init(&diags);
    nadi_trace_link_init(&link);
    link.host = host, link.device = device, link.output = linked, link.compat = compat;
    link.rank = NADI_UNKNOWN_RANK;
    const bool ok = nadi_trace_link(&link, &report, &diags) == NADI_STATUS_DONE;
    digest_u64(digest, ok);
    digest_text(digest, report);
    nadi_free(report);
    report = NULL;
    if (ok) {
        nadi_trace_convert_init(&convert);
        convert.input = linked, convert.output = trace, convert.compat = compat;
        if (nadi_trace_convert(&convert, &report, &diags) == NADI_STATUS_DONE) {
            struct nadi_trace *t = nadi_trace_read(trace, 0, &diags);
            if (t)
                digest_trace(digest, t);
            nadi_trace_destroy(t);
        }
        nadi_free(report);
    }
    mix_diags(digest, &diags);
    nadi_diags_release(&diags);
    remove(host);
    remove(device);
    remove(linked);
    remove(trace);
}

/* By row: ten captures each. */
static const uint64_t pinned[ROWS] = {
    UINT64_C(0x315f28402224c171), UINT64_C(0x723e738fda093ef3), UINT64_C(0x930e8e505084e3cf),
    UINT64_C(0xf33fd507d8f2de4f), UINT64_C(0x45f3f8dcef02034b), UINT64_C(0x8fac0ed62256597c),
    UINT64_C(0x74d9a68b8cb8d096), UINT64_C(0x73a7ad2e86f59cd3), UINT64_C(0x2e28ee249d42dee4),
    UINT64_C(0xebe67d7a822ff629), UINT64_C(0xd6384fc0fd54df01), UINT64_C(0xac0502778b93f258),
    UINT64_C(0xf86d68a74821cee9), UINT64_C(0x33cc7e3f101daf1),  UINT64_C(0x5e7b9fdd84eec5a),
    UINT64_C(0x21c2e5d06cf726c3),
};

static void what_becomes_of_captures(void **state)
{
    bool same = true;
    (void)state;
    for (int row = 0; row < ROWS; row++) {
        uint64_t digest = DIGEST_INIT;
        for (int i = 0; i < CASES / ROWS; i++) {
            struct recording r;
            draw_state = (uint64_t)(row * CASES + i);
            draw(&r);
            mix_import(&digest, &r, NULL);
            mix_import(&digest, &r, &(struct import_how){.device_alone = true});
            mix_import(&digest, &r, &(struct import_how){.by_link = true});
            mix_import(&digest, &r, &(struct import_how){.force = true, .resolution_ns = 20000});
            if (i % 2) {
                mix_files(&digest, &r, true);
                mix_files(&digest, &r, false);
                turn_round(&r);
                mix_files(&digest, &r, true);
                mix_import(&digest, &r, NULL);
            }
            recording_release(&r);
        }
        if (digest != pinned[row])
            print_error("UINT64_C(0x%" PRIx64 "),\n", digest);
        same &= digest == pinned[row];
    }
    assert_true(same);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_becomes_of_captures)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
