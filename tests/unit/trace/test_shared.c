/* Public traces beside the checkout, when they are there: all transformer traces are read, and each
 * damaged file is refused for its own reason. */
#include "support/trace_expect.h"

#include <dirent.h>
#include <setjmp.h>

#include <cmocka.h>

#include "support/skip.h"

static struct nadi_trace *read_file(const char *path, unsigned flags, struct nadi_diags *diags)
{
    struct nadi_trace *t = nadi_trace_read(path, flags, diags);
    for (size_t i = 0; !t && i < diags->count; i++)
        print_message("  %s: %s\n", path, diags->items[i].message);
    return t;
}

/* The number of .et files directly inside a folder; each must be readable. */
static size_t read_folder(const char *folder)
{
    size_t count = 0;
    DIR *d = opendir(folder);
    if (!d)
        return 0;
    for (const struct dirent *e = readdir(d); e; e = readdir(d)) {
        char path[2048];
        struct nadi_diags diags;
        if (!nadi_str_ends(e->d_name, ".et"))
            continue;
        nadi_diags_init(&diags);
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        struct nadi_trace *t = read_file(path, NADI_TRACE_KEEP_IO, &diags);
        assert_non_null(t);
        assert_int_equal(diags.count, 0);
        assert_true(t->node_count > 100);
        assert_true(t->comm_count > 0);
        assert_true(t->io_count > t->comm_count);
        nadi_trace_destroy(t);
        nadi_diags_release(&diags);
        count++;
    }
    closedir(d);
    return count;
}

static void transformer_traces(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t ranks;
    } families[] = {{"gpt8_dp8", 8}, {"gpt8_dp8_fsdp", 8},  {"gpt8_tp8", 8},
                    {"gpt8_pp8", 8}, {"gpt8_dp2tp2pp2", 8}, {"gpt64_dp4tp4pp4", 64}};
    for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++) {
        char folder[1024];
        snprintf(folder, sizeof folder, "%s/traces/transformer/%s", NADI_SHARED_DIR,
                 families[i].name);
        size_t count = read_folder(folder);
        if (count == 0) {
            skip_because("no traces at %s", folder);
        }
        assert_int_equal(count, families[i].ranks);
    }
}

static void damaged_traces(void **state)
{
    (void)state;
    static const struct {
        const char *name, *code; /* NULL: is read */
    } files[] = {
        {"cyc.et", "trace/dangling-dependency"},
        {"dupdep.et", NULL},
        {"dupid.et", "trace/duplicate-id"},
        {"empty.et", "trace/empty-file"},
        {"gz.et", NULL},
        {"missing.et", "trace/dangling-dependency"},
        {"rnd.et", "trace/not-chakra"},
        {"sync.et", "trace/dangling-dependency"},
        {"trunc.et", "trace/truncated"},
        {"zero.et", NULL},
        {"zeronode.et", "trace/empty-message"},
    };
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        char path[1024];
        struct nadi_diags diags;
        nadi_diags_init(&diags);
        snprintf(path, sizeof path, "%s/chakra/broken/%s", NADI_SHARED_DIR, files[i].name);
        struct nadi_trace *t = nadi_trace_read(path, 0, &diags);
        if (!t && strcmp(diags.items[0].code, "file/missing") == 0) {
            nadi_diags_release(&diags);
            skip_because("no file %s", path);
        }
        assert_int_equal(t != NULL, files[i].code == NULL);
        if (files[i].code)
            assert_string_equal(diags.items[0].code, files[i].code);
        nadi_trace_destroy(t);
        nadi_diags_release(&diags);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transformer_traces),
        cmocka_unit_test(damaged_traces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
