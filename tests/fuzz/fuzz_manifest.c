/* Any bytes as a workload manifest: every rank has a trace and the families' groups are of distinct
 * ranks, or there is at least one error. The manifest finds one trace, by the name "99". */
#include "support/fuzz_load.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { TRACE_FD = 99 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A trace of one METADATA node, in the folder in which the manifest seems to lie. */
static void make_trace(void)
{
    static const uint8_t bytes[] = {7, 10, 5, '0', '.', '0', '.', '4', 4, 8, 1, 24, 1};
    if (lseek(TRACE_FD, 0, SEEK_CUR) >= 0)
        return;
    int fd = memfd_create("trace", 0);
    NADI_ASSERT(fd >= 0 && write(fd, bytes, sizeof(bytes)) == (ssize_t)sizeof(bytes));
    NADI_ASSERT(dup2(fd, TRACE_FD) == TRACE_FD);
    close(fd);
}

static void check_inputs(const struct nadi_inputs *in)
{
    for (uint32_t r = 0; r < in->rank_count; r++)
        NADI_ASSERT(in->traces[r] && in->traces[r]->node_count == 1);
    for (size_t i = 1; i < in->groups.count; i++) {
        const struct nadi_group *g = &in->groups.items[i];
        NADI_ASSERT(g->size >= 1 && g->size <= in->rank_count);
        for (uint32_t k = 0; k < g->size; k++) {
            NADI_ASSERT(nadi_group_member(g, k) < in->rank_count);
            NADI_ASSERT(nadi_group_sorted_position(g, nadi_group_member(g, k)) != NADI_NONE);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct nadi_inputs in;
    if (size > 1 << 16 || memmem(data, size, "dev", 3) || memmem(data, size, "..", 2) == data)
        return 0; /* not /dev/zero and the like, which never end */
    make_trace();
    if (fuzz_load(&in, NADI_SCHEMA_MANIFEST, data, size))
        check_inputs(&in);
    nadi_inputs_release(&in);
    return 0;
}
