/* --compat 1.0.0 against what the Chakra text converter 1.0.0 wrote, byte for byte, when its files
 * are beside the checkout; and the workloads that it refused are made into traces. */
#include "base/arena.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"

#include <nadi/trace.h>

#include <setjmp.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/skip.h"

static const char data[] = NADI_SHARED_DIR "/chakra/text";

static void needs_data(void)
{
    if (!nadi_file_exists(data))
        skip_because("no %s", data);
}

static void same_bytes(const char *ours, const char *theirs)
{
    struct nadi_diags diags;
    char *a = NULL, *b = NULL;
    size_t a_bytes = 0, b_bytes = 0;
    nadi_diags_init(&diags);
    assert_true(nadi_file_read(ours, "trace", &a, &a_bytes, &diags));
    assert_true(nadi_file_read(theirs, "trace", &b, &b_bytes, &diags));
    if (a_bytes != b_bytes || memcmp(a, b, a_bytes) != 0)
        fail_msg("%s is not what the converter wrote", theirs);
    nadi_mem_free(a);
    nadi_mem_free(b);
    nadi_diags_release(&diags);
}

static void convert(const char *name, const char *prefix, bool compat, uint32_t ranks)
{
    struct nadi_str text = NADI_STR_INIT;
    struct nadi_diags *messages = nadi_messages_create();
    struct nadi_trace_from_text from;
    char *report = NULL;
    nadi_str_printf(&text, "%s/%s.txt", data, name);
    nadi_trace_from_text_init(&from);
    from.input = nadi_str_get(&text);
    from.output = prefix;
    from.compat = compat ? "1.0.0" : NULL;
    from.unit = compat ? NULL : "ns";
    from.ranks = compat ? ranks : 0;
    from.topology = compat ? NULL : "16x2";
    from.passes = 2;
    if (nadi_trace_from_text(&from, &report, messages) != NADI_STATUS_DONE)
        fail_msg("%s: %s", name, nadi_messages_get(messages, 0).text);
    assert_non_null(report);
    nadi_free(report);
    nadi_messages_destroy(messages);
    nadi_str_release(&text);
}

static void remove_ranks(const char *prefix, uint32_t ranks)
{
    struct nadi_str path = NADI_STR_INIT;
    for (uint32_t rank = 0; rank < ranks; rank++) {
        nadi_str_clear(&path);
        nadi_str_printf(&path, "%s.%u.et", prefix, rank);
        unlink(nadi_str_get(&path));
    }
    nadi_str_release(&path);
}

static void what_the_converter_can(void **state)
{
    (void)state;
    needs_data();
    static const char *const names[] = {
        "DLRM_HybridParallel",
        "MLP_HybridParallel_Data_Model",
        "MLP_HybridParallel_Model_Data",
        "MLP_ModelParallel",
        "Resnet50_DataParallel",
        "microAllReduce",
        "microAllToAll",
        "vgg16",
    };
    char folder[] = "/tmp/nadi-text-XXXXXX", prefix[64], ours[80];
    assert_non_null(mkdtemp(folder));
    snprintf(prefix, sizeof prefix, "%s/w", folder);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        convert(names[i], prefix, true, 2);
        for (uint32_t rank = 0; rank < 2; rank++) {
            struct nadi_str theirs = NADI_STR_INIT;
            nadi_str_printf(&theirs, "%s/%s.%u.et", data, names[i], rank);
            snprintf(ours, sizeof ours, "%s.%u.et", prefix, rank);
            same_bytes(ours, nadi_str_get(&theirs));
            nadi_str_release(&theirs);
        }
        remove_ranks(prefix, 2);
    }
    rmdir(folder);
}

static void what_it_refuses(void **state)
{
    (void)state;
    needs_data();
    static const char *const names[] = {
        "Transformer_HybridParallel",
        "Transformer_HybridParallel_Fwd_In_Bckwd",
        "gpt3",
        "sample_per_layer_parallel_HybridCustomized",
    };
    char folder[] = "/tmp/nadi-text-XXXXXX", prefix[64], groups[80];
    assert_non_null(mkdtemp(folder));
    snprintf(prefix, sizeof prefix, "%s/w", folder);
    snprintf(groups, sizeof groups, "%s.groups.json", prefix);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        convert(names[i], prefix, false, 32);
        remove_ranks(prefix, 32);
        unlink(groups);
    }
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_the_converter_can),
        cmocka_unit_test(what_it_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
