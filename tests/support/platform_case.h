/* platform_case: a platform of the catalogue, opened for a test. */
#ifndef NADI_TESTS_PLATFORM_CASE_H
#define NADI_TESTS_PLATFORM_CASE_H

#include "nccl/platform.h"

#include <setjmp.h>

#include <cmocka.h>

struct opened {
    struct nadi_arena arena;
    struct nadi_diags diags;
    struct nadi_comm_platform p;
};

static inline void open_platform(struct opened *o, const char *name)
{
    nadi_arena_init(&o->arena);
    nadi_diags_init(&o->diags);
    if (!nadi_comm_platform_open(&o->p, name, &o->arena, &o->diags))
        fail_msg("%s: %s", name, o->diags.items[0].message);
}

static inline void release(struct opened *o)
{
    nadi_arena_release(&o->arena);
    nadi_diags_release(&o->diags);
}

#endif
