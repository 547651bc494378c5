#include "fabric/phases.h"

const char *nadi_fred_dim_name(enum nadi_fred_dim dim)
{
    static const char *const names[NADI_FRED_DIMS] = {
        [NADI_FRED_MP] = "mp", [NADI_FRED_PP] = "pp", [NADI_FRED_DP] = "dp"};
    return names[dim];
}

bool nadi_fred_order(const char *text, enum nadi_fred_dim order[NADI_FRED_DIMS])
{
    bool seen[NADI_FRED_DIMS] = {false};
    if (strlen(text) != 8 || text[2] != ',' || text[5] != ',')
        return false;
    for (uint32_t i = 0; i < NADI_FRED_DIMS; i++) {
        uint32_t dim = 0;
        while (dim < NADI_FRED_DIMS &&
               memcmp(text + (size_t)3 * i, nadi_fred_dim_name((enum nadi_fred_dim)dim), 2) != 0)
            dim++;
        if (dim == NADI_FRED_DIMS || seen[dim])
            return false;
        seen[dim] = true;
        order[i] = (enum nadi_fred_dim)dim;
    }
    return true;
}

uint32_t nadi_fred_port(const struct nadi_fred_strategy *s, const uint32_t at[NADI_FRED_DIMS])
{
    uint32_t port = 0, stride = 1;
    for (uint32_t i = 0; i < NADI_FRED_DIMS; i++) {
        port += at[s->order[i]] * stride;
        stride *= s->size[s->order[i]];
    }
    return port;
}

/* The ports of all members of `dim` that share the other coordinates. */
static uint32_t *group(const struct nadi_fred_strategy *s, enum nadi_fred_dim dim,
                       const uint32_t at[NADI_FRED_DIMS], struct nadi_arena *arena)
{
    uint32_t *ports = NADI_ARENA_NEW(arena, uint32_t, s->size[dim]);
    uint32_t member[NADI_FRED_DIMS] = {at[0], at[1], at[2]};
    for (member[dim] = 0; member[dim] < s->size[dim]; member[dim]++)
        ports[member[dim]] = nadi_fred_port(s, member);
    return ports;
}

static struct nadi_fred_set stages(const struct nadi_fred_strategy *s, struct nadi_arena *arena)
{
    const uint32_t count = (s->size[NADI_FRED_PP] - 1) * s->size[NADI_FRED_DP];
    struct nadi_fred_flow *flows = NADI_ARENA_NEW(arena, struct nadi_fred_flow, count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at[NADI_FRED_DIMS] = {0};
        at[NADI_FRED_PP] = i % (s->size[NADI_FRED_PP] - 1);
        at[NADI_FRED_DP] = i / (s->size[NADI_FRED_PP] - 1);
        uint32_t *from = NADI_ARENA_NEW(arena, uint32_t, 1);
        *from = nadi_fred_port(s, at);
        at[NADI_FRED_PP]++;
        flows[i] = (struct nadi_fred_flow){from, group(s, NADI_FRED_MP, at, arena), 1,
                                           s->size[NADI_FRED_MP]};
    }
    return (struct nadi_fred_set){flows, count};
}

struct nadi_fred_set nadi_fred_phase(const struct nadi_fred_strategy *s, enum nadi_fred_dim dim,
                                     struct nadi_arena *arena)
{
    if (dim == NADI_FRED_PP)
        return stages(s, arena);
    const enum nadi_fred_dim other = dim == NADI_FRED_MP ? NADI_FRED_DP : NADI_FRED_MP;
    const uint32_t count = s->size[other] * s->size[NADI_FRED_PP];
    struct nadi_fred_flow *flows = NADI_ARENA_NEW(arena, struct nadi_fred_flow, count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at[NADI_FRED_DIMS] = {0};
        at[other] = i % s->size[other];
        at[NADI_FRED_PP] = i / s->size[other];
        const uint32_t *ports = group(s, dim, at, arena);
        flows[i] = (struct nadi_fred_flow){ports, ports, s->size[dim], s->size[dim]};
    }
    return (struct nadi_fred_set){flows, count};
}

void nadi_fred_visit(uint32_t ports, const enum nadi_fred_dim order[NADI_FRED_DIMS],
                     nadi_fred_visit_fn *visit, void *context)
{
    struct nadi_fred_strategy s = {.order = {order[0], order[1], order[2]}};
    for (uint32_t n = 2; n <= ports; n++)
        for (uint32_t mp = 1; mp <= n; mp++)
            for (uint32_t dp = 1; n % mp == 0 && dp <= n / mp; dp++) {
                if (n / mp % dp != 0)
                    continue;
                s.size[NADI_FRED_MP] = mp;
                s.size[NADI_FRED_PP] = n / mp / dp;
                s.size[NADI_FRED_DP] = dp;
                for (uint32_t dim = 0; dim < NADI_FRED_DIMS; dim++)
                    if (s.size[dim] > 1 && !visit(context, &s, (enum nadi_fred_dim)dim))
                        return;
            }
}
