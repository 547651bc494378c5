/* What is read of benchmarks' output in many forms, pinned: tables, rows, and the messages about
 * what is refused. The messages of this test are the rows as they are now. */
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "calibrate/bench_log.h"
#include "support/digest.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

struct row {
    const char *file; /* of tests/fuzz/corpus/bench_log */
    bool ok;
    size_t tables, rows;
    uint64_t digest;
};

static const struct row rows[] = {
    {"cut.log", true, 1, 1, UINT64_C(0x2476b675d056f097)},
    {"grouped.csv", true, 2, 2, UINT64_C(0xd55863836dff5ae5)},
    {"new.log", true, 1, 4, UINT64_C(0xdd942dbeadecd1af)},
    {"osu.log", true, 1, 2, UINT64_C(0xdbb463f0c59dc70b)},
    {"payload.csv", true, 3, 3, UINT64_C(0x24ea9a935f763831)},
    {"short-row.log", false, 1, 0, UINT64_C(0xc1eefc8fc16af9e4)},
    {"size-last.log", false, 1, 0, UINT64_C(0x4abe6c1820b6f4a0)},
    {"v-a_nccl_213-log", true, 1, 8, UINT64_C(0x1183e388aa67e971)},
    {"v-b_ag-log", true, 1, 6, UINT64_C(0xb17c4e5108df307c)},
    {"v-c3-csv", true, 1, 3, UINT64_C(0x9165d0f0c0feee46)},
    {"v-c6-csv", true, 1, 3, UINT64_C(0xfd41f45f326d6d4a)},
    {"v-cB-csv", true, 1, 3, UINT64_C(0x38643f752c012c02)},
    {"v-c_old-log", true, 1, 6, UINT64_C(0xb1541f42dc975fac)},
    {"v-d_srun-log", true, 1, 5, UINT64_C(0x3ce3d9110048eabf)},
    {"v-f_rccl_new-log", true, 1, 6, UINT64_C(0x17431373bdb432d)},
    {"v-h_ms-log", true, 1, 3, UINT64_C(0xb2836dad12251bd9)},
    {"v-m_osu_xccl-txt", true, 1, 3, UINT64_C(0x8f07509243cbf5bd)},
    {"v-n_osu_bibw-txt", true, 1, 2, UINT64_C(0xde8aa2e70c084607)},
};

static void digest_log(uint64_t *digest, const struct nadi_bench_log *log)
{
    for (size_t i = 0; i < log->count; i++) {
        const struct nadi_bench_table *t = &log->tables[i];
        const char *const texts[] = {t->device, t->library, t->nic, t->algorithm, t->note};
        digest_u64(digest, (uint64_t)t->line << 32 | (uint64_t)t->kind << 8 | (uint8_t)t->quality);
        digest_u64(digest, (uint64_t)t->ranks << 32 | t->nodes);
        digest_u64(digest, (uint64_t)t->partners << 32 | t->groups);
        for (size_t k = 0; k < sizeof(texts) / sizeof(texts[0]); k++)
            digest_text(digest, texts[k]);
        for (size_t k = 0; k < t->count; k++) {
            digest_double(digest, t->rows[k].bytes);
            digest_double(digest, t->rows[k].time_us);
            digest_double(digest, t->rows[k].rounding);
            digest_u64(digest, (uint64_t)t->rows[k].line << 1 | t->rows[k].in_place);
        }
    }
}

static void digest_messages(uint64_t *digest, const struct nadi_diags *diags)
{
    for (size_t i = 0; i < diags->count; i++) {
        digest_text(digest, diags->items[i].code);
        digest_text(digest, diags->items[i].message);
        digest_u64(digest, diags->items[i].place.line);
    }
}

static void pinned(void **state)
{
    bool all = true;
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct nadi_str path = NADI_STR_INIT;
        struct nadi_diags diags;
        char *text = NULL;
        size_t bytes = 0;
        struct row r = {.file = rows[i].file, .digest = DIGEST_INIT};
        nadi_diags_init(&diags);
        nadi_str_printf(&path, "%s/fuzz/corpus/bench_log/%s", NADI_TEST_DIR, r.file);
        assert_true(nadi_file_read(nadi_str_get(&path), "log", &text, &bytes, &diags));
        /* as it is, and where the caller knows what the text does not say */
        for (int told = 0; told < 3; told++) {
            const struct nadi_bench_known known = {.kind =
                                                       told ? NADI_COMM_ALL_GATHER : NADI_COMM_NONE,
                                                   .ranks = told ? 16 : 0,
                                                   .nodes = told == 2 ? 2 : 0,
                                                   .device = told == 2 ? "NVIDIA H100" : NULL};
            struct nadi_bench_log log;
            nadi_bench_log_init(&log);
            r.ok = nadi_bench_log_parse(&log, r.file, text, bytes, told ? &known : NULL, &diags);
            digest_u64(&r.digest, r.ok);
            digest_log(&r.digest, &log);
            if (told == 0) {
                r.tables = log.count;
                for (size_t k = 0; k < log.count; k++)
                    r.rows += log.tables[k].count;
            }
            nadi_bench_log_release(&log);
        }
        digest_messages(&r.digest, &diags);
        if (r.ok != rows[i].ok || r.tables != rows[i].tables || r.rows != rows[i].rows ||
            r.digest != rows[i].digest) {
            print_error("{\"%s\", %s, %zu, %zu, UINT64_C(0x%" PRIx64 ")},\n", r.file,
                        r.ok ? "true" : "false", r.tables, r.rows, r.digest);
            all = false;
        }
        nadi_mem_free(text);
        nadi_str_release(&path);
        nadi_diags_release(&diags);
    }
    assert_true(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pinned)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
