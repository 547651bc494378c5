/* Any bytes as the inputs of a division of bandwidth: network, communicators, table of layers and
 * conditions, with lines "---" between them. Errors, or an answer that keeps its budget. */
#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "optimize/bandwidth.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { PARTS = 4, MOST = 1 << 14 };

struct input {
    int fd[PARTS];
    char path[PARTS][40];
    char conditions[MOST + 1];
};

static void take_part(struct input *in, int part, const uint8_t *bytes, size_t size)
{
    in->fd[part] = memfd_create("part", 0);
    NADI_ASSERT(in->fd[part] >= 0 && write(in->fd[part], bytes, size) == (ssize_t)size);
    snprintf(in->path[part], sizeof(in->path[part]), "/proc/self/fd/%d", in->fd[part]);
    if (part == PARTS - 1) {
        memcpy(in->conditions, bytes, size);
        in->conditions[strnlen(in->conditions, size)] = '\0';
    }
}

static void split(struct input *in, const uint8_t *data, size_t size)
{
    for (int part = 0; part < PARTS; part++) {
        const uint8_t *end = part + 1 < PARTS ? memmem(data, size, "---\n", 4) : NULL;
        const size_t length = end ? (size_t)(end - data) : size;
        take_part(in, part, data, length);
        data += length + (end ? 4 : 0);
        size -= length + (end ? 4 : 0);
    }
}

static void solve(const struct nadi_bandwidth_network *n, const struct nadi_split *step,
                  const char *conditions, struct nadi_arena *arena, struct nadi_diags *diags)
{
    const double weight = 1;
    struct nadi_bandwidth_answer a;
    struct nadi_bandwidth_question q = {.network = n,
                                        .steps = step,
                                        .weights = &weight,
                                        .step_count = 1,
                                        .conditions = {.unknowns = n->count},
                                        .budget = n->budget,
                                        .goal = NADI_GOAL_TIME};
    if (*conditions && !nadi_bandwidth_conditions(&q.conditions, n, conditions, arena, diags)) {
        NADI_ASSERT(diags->errors > 0);
        return;
    }
    if (!(q.budget > 0) || q.budget > 1e6)
        return;
    if (!nadi_bandwidth_solve(&q, &a, diags)) {
        NADI_ASSERT(diags->errors > 0);
        return;
    }
    double sum = 0;
    for (uint32_t d = 0; d < n->count; d++) {
        NADI_ASSERT(a.best.b[d] >= -1e-6 * q.budget);
        sum += a.best.b[d];
    }
    NADI_ASSERT(fabs(sum - q.budget) <= 1e-4 * q.budget);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct input in; /* the bytes of this call only */
    struct nadi_diags diags;
    struct nadi_arena arena;
    struct nadi_bandwidth_network n;
    if (size > MOST)
        return 0;
    split(&in, data, size);
    nadi_diags_init(&diags);
    nadi_arena_init(&arena);
    if (nadi_bandwidth_read_network(&n, in.path[0], &arena, &diags)) {
        const struct nadi_text_workload_files files = {in.path[2], in.path[1]};
        struct nadi_split step;
        if (nadi_bandwidth_read_workload(&step, &n, &files, NADI_LOOP_NO_OVERLAP, &diags))
            solve(&n, &step, in.conditions, &arena, &diags);
        else
            NADI_ASSERT(diags.errors > 0);
        nadi_split_release(&step);
    } else
        NADI_ASSERT(diags.errors > 0);
    for (int part = 0; part < PARTS; part++)
        close(in.fd[part]);
    nadi_arena_release(&arena);
    nadi_diags_release(&diags);
    return 0;
}
