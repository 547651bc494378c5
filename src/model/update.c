#include "model/update.h"

#include "base/mem.h"
#include "base/time.h"

#include <math.h>

enum { MOST_BUCKETS = 64, USUAL_BUCKETS = 8, BUCKETS_HERE = 2 };

static uint32_t buckets_of(const struct nadi_model_plan *p, double bytes)
{
    if (!(p->bucket_bytes > 0))
        return USUAL_BUCKETS;
    const double count = ceil(bytes / p->bucket_bytes);
    return count < MOST_BUCKETS ? (uint32_t)fmax(count, 1) : MOST_BUCKETS;
}

struct nadi_update nadi_update_of(const struct nadi_model_plan *p, double dense, double expert)
{
    const bool apart = p->offload & NADI_OFFLOAD_EXPERTS;
    const double d = dense / (p->zero ? nadi_plan_replicas(p, false) : 1);
    const double x = expert / (p->zero ? nadi_plan_replicas(p, true) : 1);
    struct nadi_update u = {
        .own = {d, x},
        .moves = {
            {NADI_OFFLOAD_OPTIMIZER, true, true, (d + x) * p->optimizer_bytes},
            {NADI_OFFLOAD_GRADIENTS, true, false, (d + x) * p->gradient_bytes},
            {NADI_OFFLOAD_PARAMETERS, false, true, (d + (apart ? 0 : x)) * p->parameter_bytes},
            {NADI_OFFLOAD_EXPERTS, false, true, x * p->parameter_bytes},
        }};
    double loads = 0, stores = 0;
    for (int i = 0; i < NADI_UPDATE_MOVES; i++) {
        struct nadi_update_move *m = &u.moves[i];
        if (p->updated_there || !(nadi_plan_away(p) & m->flag))
            m->bytes = 0;
        loads += m->load ? m->bytes : 0;
        stores += m->store ? m->bytes : 0;
    }
    if (loads + stores > 0)
        u.buckets = buckets_of(p, loads > 0 ? loads : stores);
    return u;
}

double nadi_update_here(const struct nadi_model_plan *p, const struct nadi_update *u)
{
    double bytes = 0;
    for (int i = 0; i < NADI_UPDATE_MOVES; i++)
        bytes += u->moves[i].bytes * nadi_plan_away_share(p, u->moves[i].flag);
    return u->buckets > BUCKETS_HERE ? bytes * BUCKETS_HERE / u->buckets : bytes;
}
