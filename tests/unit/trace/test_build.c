/* build: a trace made in memory, and the same after writing and reading. */
#include "trace/build.h"

#include <setjmp.h>
#include <unistd.h>

#include <cmocka.h>

static struct nadi_trace *small(void)
{
    struct nadi_trace_build b;
    nadi_trace_build_init(&b, "small");
    const uint64_t load = nadi_trace_build_memory(&b, "load", NADI_NODE_MEM_LOAD, 4096, NULL, 0);
    const uint64_t none[] = {0, load, load};
    const uint64_t work = nadi_trace_build_compute(&b, "work", 1234567, 99, 7, none, 3);
    const uint64_t sum =
        nadi_trace_build_collective(&b, "sum", NADI_ALL_REDUCE, 1 << 20, "tp", &work, 1);
    nadi_trace_build_collective(&b, "all", NADI_ALL_GATHER, 1 << 10, "", &sum, 1);
    nadi_trace_build_message(&b, "up", NADI_NODE_SEND, 8, 3, 512, &work, 1);
    nadi_trace_build_message(&b, "down", NADI_NODE_RECV, (uint32_t)-8, 5, 512, &sum, 1);
    return nadi_trace_build_finish(&b);
}

static const struct nadi_trace_comm *comm_of(const struct nadi_trace *t, uint32_t node)
{
    assert_int_not_equal(t->comm[node], NADI_NONE);
    return &t->comms[t->comm[node]];
}

static void in_memory(void **state)
{
    (void)state;
    struct nadi_trace *t = small();
    assert_int_equal(t->node_count, 6);
    assert_int_equal(t->dep_start[1], 0);
    assert_int_equal(t->dep_start[2], 1); /* 0 is left out, the double counts once */
    assert_int_equal(t->child_start[2] - t->child_start[1], 2);
    assert_int_equal(t->duration_ns[1], 1234567);
    assert_string_equal(nadi_trace_name(t, 2), "sum");
    assert_string_equal(nadi_trace_string(t, comm_of(t, 2)->group), "tp");
    assert_int_equal(comm_of(t, 3)->group, NADI_NONE);
    nadi_trace_destroy(t);
}

static void same(const struct nadi_trace *a, const struct nadi_trace *b)
{
    assert_int_equal(a->node_count, b->node_count);
    for (uint32_t i = 0; i < a->node_count; i++) {
        assert_int_equal(a->id[i], b->id[i]);
        assert_int_equal(a->type[i], b->type[i]);
        assert_int_equal(a->duration_ns[i], b->duration_ns[i]);
        assert_int_equal(a->ops[i], b->ops[i]);
        assert_int_equal(a->bytes[i], b->bytes[i]);
        assert_int_equal(a->flags[i], b->flags[i]);
        assert_int_equal(a->collective[i], b->collective[i]);
        assert_int_equal(a->dep_start[i + 1], b->dep_start[i + 1]);
        assert_string_equal(nadi_trace_name(a, i), nadi_trace_name(b, i));
        if (a->comm[i] == NADI_NONE)
            continue;
        assert_int_equal(comm_of(a, i)->src, comm_of(b, i)->src);
        assert_int_equal(comm_of(a, i)->dst, comm_of(b, i)->dst);
        assert_int_equal(comm_of(a, i)->tag, comm_of(b, i)->tag);
    }
    assert_memory_equal(a->deps, b->deps, a->dep_start[a->node_count] * sizeof(*a->deps));
}

static void name_with_rank(void *context, const char *group, uint32_t rank, char name[64])
{
    (void)context;
    snprintf(name, 64, "%s of %u", group, rank);
}

static void written_and_read(void **state)
{
    char path[] = "/tmp/nadi-build-XXXXXX";
    const int file = mkstemp(path);
    struct nadi_diags diags;
    (void)state;
    assert_true(file >= 0);
    close(file);
    nadi_diags_init(&diags);
    struct nadi_trace *t = small();
    assert_true(nadi_trace_save(t, path, NADI_CODING_ZSTD, NULL, &diags));
    struct nadi_trace *back = nadi_trace_read(path, 0, &diags);
    assert_non_null(back);
    same(t, back);
    nadi_trace_destroy(back);
    const struct nadi_trace_place place = {.rank = 16, .rank_count = 32, .name_of = name_with_rank};
    assert_true(nadi_trace_save(t, path, NADI_CODING_PLAIN, &place, &diags));
    back = nadi_trace_read(path, 0, &diags);
    assert_non_null(back);
    assert_int_equal(comm_of(back, 4)->dst, 24);
    assert_int_equal(comm_of(back, 5)->src, 8);
    assert_string_equal(nadi_trace_string(back, comm_of(back, 2)->group), "tp of 16");
    nadi_trace_destroy(back);
    assert_false(nadi_trace_save(t, "/no/such/folder/x.et", NADI_CODING_PLAIN, NULL, &diags));
    nadi_trace_destroy(t);
    nadi_diags_release(&diags);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_memory),
        cmocka_unit_test(written_and_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
