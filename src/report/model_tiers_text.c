/* model_tiers_text: what a plan puts into the tiers of the memory file, and what is missing where.
 */
#include "base/mem.h"
#include "base/units.h"
#include "format/json_write.h"
#include "model/memory.h"
#include "report/model_text.h"

struct filled { /* the fullest instance of a tier */
    double bytes;
    uint32_t instance;
};

/* What is offloaded, but placed nowhere, goes to the default tier. */
static uint32_t tier_of_part(const struct nadi_study *s, const struct nadi_tiers *t, uint32_t part)
{
    const struct nadi_model_plan *p = &s->plan;
    bool several;
    if (p->place[part])
        return nadi_tiers_find(t, p->place[part], &several);
    return nadi_plan_away(p) >> part & 1 ? t->preset : NADI_NONE;
}

/* Ranks one after another: an instance's NPUs are neighbours. */
static struct filled fill(const struct nadi_study *s, const struct nadi_memory *memory,
                          const struct nadi_tiers *t, uint32_t tier)
{
    const uint32_t span = nadi_tiers_span(t, t->tiers[tier].scope);
    struct filled most = {0};
    bool here[NADI_PLACED_PARTS];
    double bytes = 0;
    for (uint32_t i = 0; i < NADI_PLACED_PARTS; i++)
        here[i] = tier_of_part(s, t, i) == tier;
    for (uint32_t rank = 0; rank < s->plan.ranks; rank++) {
        const struct nadi_rank_memory *r =
            &memory->ranks[nadi_grid_coordinate(&s->grid, rank, NADI_DEGREE_PP)];
        if (rank % span == 0)
            bytes = 0;
        for (uint32_t i = 0; i < NADI_PLACED_PARTS; i++)
            bytes += here[i] ? r->placed[i] : 0;
        if (bytes > most.bytes)
            most = (struct filled){bytes, rank / span};
    }
    return most;
}

static double missing_of(const struct nadi_mem_tier *t, double bytes)
{
    const bool any = t->capacity_bytes == UINT64_MAX;
    return any || bytes <= (double)t->capacity_bytes ? 0 : bytes - (double)t->capacity_bytes;
}

void nadi_model_tiers_text(const struct nadi_study *s, const struct nadi_memory *memory,
                           const struct nadi_tiers *tiers, struct nadi_str *out)
{
    static const char *const whose[NADI_SCOPES] = {"of an NPU", "of a node", "of a rack",
                                                   "of the system"};
    char a[32], b[32];
    bool any = false;
    for (uint32_t i = 0; tiers && i < tiers->tier_count; i++) {
        const struct nadi_mem_tier *t = &tiers->tiers[i];
        const struct filled f = fill(s, memory, tiers, i);
        if (!(f.bytes > 0))
            continue;
        if (!any)
            nadi_str_printf(out, "\ntiers, each where it is fullest\n");
        any = true;
        nadi_str_printf(out, "  %-18s %10s   %s", t->name, nadi_units_bytes(a, f.bytes),
                        whose[t->scope]);
        if (t->capacity_bytes == UINT64_MAX)
            nadi_str_add(out, ", which has no limit\n");
        else if (missing_of(t, f.bytes) > 0)
            nadi_str_printf(out, " with %s: DOES NOT FIT, %s are missing\n",
                            nadi_units_bytes(a, (double)t->capacity_bytes),
                            nadi_units_bytes(b, missing_of(t, f.bytes)));
        else
            nadi_str_printf(out, " with %s\n", nadi_units_bytes(a, (double)t->capacity_bytes));
    }
}

void nadi_model_tiers_json(const struct nadi_study *s, const struct nadi_memory *memory,
                           const struct nadi_tiers *tiers, struct nadi_json *j)
{
    if (!tiers)
        return;
    nadi_json_array(j, "tiers");
    for (uint32_t i = 0; i < tiers->tier_count; i++) {
        const struct nadi_mem_tier *t = &tiers->tiers[i];
        const struct filled f = fill(s, memory, tiers, i);
        nadi_json_row(j, NULL);
        nadi_json_string(j, "name", t->name);
        nadi_json_string(j, "scope", nadi_tier_scope_words[t->scope]);
        nadi_json_double(j, "peak_bytes", f.bytes);
        nadi_json_u64(j, "peak_instance", f.instance);
        if (t->capacity_bytes != UINT64_MAX)
            nadi_json_u64(j, "capacity_bytes", t->capacity_bytes);
        nadi_json_double(j, "missing_bytes", missing_of(t, f.bytes));
        nadi_json_close(j);
    }
    nadi_json_close(j);
}
