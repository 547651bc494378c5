/* Any bytes as a platform: errors, or a platform whose collectives have times and which, written,
 * is read again. */
#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

#include "nccl/nccl.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool open_bytes(struct nadi_comm_platform *p, const void *data, size_t size,
                       struct nadi_arena *arena, struct nadi_diags *diags)
{
    char path[40];
    const int fd = memfd_create("platform", 0);
    NADI_ASSERT(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    const bool ok = nadi_comm_platform_open(p, path, arena, diags);
    close(fd);
    return ok;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct nadi_diags diags;
    struct nadi_arena arena;
    struct nadi_comm_platform p, again;
    struct nadi_str text = NADI_STR_INIT;
    nadi_diags_init(&diags);
    nadi_arena_init(&arena);
    if (open_bytes(&p, data, size, &arena, &diags)) {
        for (int kind = 1; kind < NADI_COMM_KINDS; kind++) {
            const struct nadi_comm_case c = {
                .kind = (enum nadi_comm_kind)kind, .ranks = 12, .bytes = 1e6};
            NADI_ASSERT(p.nics == 0 || isfinite(nadi_comm_predict(&p, &c).ns));
        }
        nadi_comm_platform_write(&p, &text);
        NADI_ASSERT(open_bytes(&again, nadi_str_get(&text), text.length, &arena, &diags) ||
                    diags.errors);
    } else
        NADI_ASSERT(diags.errors > 0);
    nadi_str_release(&text);
    nadi_arena_release(&arena);
    nadi_diags_release(&diags);
    return 0;
}
