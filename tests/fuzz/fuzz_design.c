/* Any bytes as a space of `nadi optimize`: errors, or a problem whose designs can be assigned. */
#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

#include "api/run_settings.h"
#include "base/mem.h"
#include "design/design.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_small(const struct nadi_space *s)
{
    double all = s->sampling == NADI_SAMPLING_GRID ? 1 : (double)s->wanted;
    for (uint32_t i = 0; s->sampling == NADI_SAMPLING_GRID && i < s->variable_count; i++)
        if (s->variables[i].form == NADI_VARIABLE_LIST)
            all *= s->variables[i].count;
    return all <= 1000;
}

static void check(struct nadi_design_problem *p)
{
    struct nadi_design_changes c;
    double shares = 0;
    for (uint32_t w = 0; w < p->workload_count; w++)
        shares += p->workloads[w].share;
    NADI_ASSERT(p->workload_count > 0 && fabs(shares - 1) < 1e-9);
    NADI_ASSERT(p->ranks > 0 && p->space.point_count > 0);
    nadi_design_changes_init(&c, p);
    for (uint64_t i = 0; i < p->space.point_count && i < 16; i++) {
        nadi_design_changes_take(&c, p, i);
        NADI_ASSERT(c.cluster && c.changes.count <= p->space.variable_count);
    }
    nadi_design_changes_release(&c);
}

/* All points; of ranges their lower ends. */
static bool make_points(struct nadi_space *s, struct nadi_diags *diags)
{
    struct nadi_assignment a;
    uint64_t count;
    if (!s->is_divided)
        return nadi_space_enumerate(s, diags);
    double *rows = nadi_space_choices(s, &count, diags);
    nadi_assignment_init(&a, s);
    for (uint64_t i = 0; i < count; i++)
        if (nadi_space_assign_choice(s, rows + i * s->axis_count, &a))
            (void)nadi_space_add_point(s, rows + i * s->axis_count);
    nadi_assignment_release(&a);
    nadi_mem_free(rows);
    return s->point_count > 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct nadi_run_host host = {.preset = nadi_run_preset, .set = nadi_run_set};
    struct nadi_diags diags;
    const char *names[NADI_RUN_NAMES];
    char path[40];
    const int fd = memfd_create("space", 0);
    NADI_ASSERT(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    struct nadi_design_problem *p = NADI_ZNEW(struct nadi_design_problem, 1);
    const struct nadi_design_source source = {.path = path,
                                              .host = &host,
                                              .run_setting = nadi_run_setting,
                                              .run_names = names,
                                              .run_name_count = nadi_run_names(names)};
    nadi_diags_init(&diags);
    if (!nadi_design_read(p, &source, &diags))
        NADI_ASSERT(diags.errors > 0);
    else if (is_small(&p->space) && make_points(&p->space, &diags))
        check(p);
    nadi_design_release(p);
    nadi_mem_free(p);
    close(fd);
    nadi_diags_release(&diags);
    return 0;
}
