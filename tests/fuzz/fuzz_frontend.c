/* Any bytes as a file of another tool, by the first byte: at least one error, or nodes that wait
 * for earlier ones of their rank only. */
#include "base/diag.h"
#include "base/mem.h"
#include "base/time.h"
#include "format/doc.h"
#include "frontend/frontend.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct nadi_front_job *job)
{
    for (uint32_t r = 0; r < job->rank_count; r++) {
        const struct nadi_front_rank *rank = &job->ranks[r];
        for (size_t i = 0; i < rank->nodes.count; i++) {
            const size_t end =
                i + 1 < rank->nodes.count ? rank->starts.items[i + 1] : rank->deps.count;
            for (size_t k = rank->starts.items[i]; k < end; k++)
                NADI_ASSERT(rank->deps.items[k] >= 1 && rank->deps.items[k] <= i);
            NADI_ASSERT(rank->nodes.items[i].group < job->groups.count);
        }
    }
}

static bool parse_param(struct nadi_front_job *job, const void *data, size_t size,
                        struct nadi_diags *diags)
{
    struct nadi_doc doc;
    nadi_front_grow(job, 2);
    if (!nadi_doc_parse(&doc, "fuzz.param.json", data, size, NADI_DOC_JSON_PYTHON, diags))
        return false;
    const bool ok = nadi_param_parse(job, 0, &doc, diags);
    nadi_doc_release(&doc);
    return ok;
}

/* Rows of 12 bytes, some with numbers that no profiler writes. */
static bool take_rows(struct nadi_front_job *job, const uint8_t *data, size_t size,
                      struct nadi_diags *diags)
{
    enum { ROW = 12, ROWS = 256 };
    static const char *const names[] = {"gemm", "ncclDevKernel_AllReduce_Sum_f32_RING_LL", "memcpy",
                                        ""};
    struct nadi_nsight_row rows[ROWS];
    size_t count = 0;
    for (; count < ROWS && (count + 1) * ROW <= size; count++) {
        const uint8_t *b = data + count * ROW;
        const int64_t start = (int64_t)((uint64_t)b[0] << (b[1] % 60) & INT64_MAX);
        const int64_t length = (int64_t)b[2] << (b[3] % 56);
        rows[count] = (struct nadi_nsight_row){
            .start_ns = b[4] % 64 == 63 ? -start : start,
            .end_ns = nadi_time_add(start, b[5] % 64 == 63 ? -length : length),
            .device = b[6] % 16 == 15 ? UINT64_MAX : b[6] % 4,
            .bytes = (uint64_t)b[7] << (b[8] % 57),
            .stream = b[9] == 255 ? UINT32_MAX : b[9] % 8,
            .name = names[b[10] % 4],
        };
    }
    return nadi_nsight_rows(job, "fuzz.sqlite", rows, count, diags);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct nadi_diags diags;
    struct nadi_front_job job;
    bool ok = false;
    if (size == 0)
        return 0;
    char *text = nadi_mem_zalloc(size, 1);
    memcpy(text, data + 1, size - 1);
    nadi_diags_init(&diags);
    nadi_front_init(&job, 0);
    switch (data[0] % 8) {
    case 0:
        ok = nadi_stablehlo_parse(&job, "fuzz.mlir", text, 0, &diags);
        break;
    case 1:
        nadi_front_grow(&job, 2);
        ok = nadi_dumpi_parse(&job, 0, "fuzz.txt", text, &diags);
        break;
    case 2:
        ok = nadi_xplane_parse(&job, "fuzz.pb", data + 1, size - 1, &diags);
        break;
    case 3:
        ok = nadi_trace_viewer_parse(&job, "fuzz.json", data + 1, size - 1, &diags);
        break;
    case 5:
        ok = nadi_hlo_parse(&job, "fuzz.hlo", text, 0, &diags);
        break;
    case 7:
        ok = take_rows(&job, data + 1, size - 1, &diags);
        break;
    case 6:
        ok = parse_param(&job, data + 1, size - 1, &diags);
        break;
    default:
        ok = nadi_flexflow_parse(&job, "fuzz.dot", text, &diags);
        break;
    }
    NADI_ASSERT(ok == (diags.errors == 0));
    if (ok)
        check(&job);
    nadi_front_release(&job);
    nadi_diags_release(&diags);
    nadi_mem_free(text);
    return 0;
}
