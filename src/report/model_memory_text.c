#include "base/units.h"
#include "format/json_write.h"
#include "report/model_text.h"

enum { SHOWN_RANKS = 64 };

static void add_part(const struct nadi_rank_memory *r, enum nadi_memory_part part,
                     struct nadi_str *out)
{
    char bytes[32];
    if (!(r->parts[part] > 0))
        return;
    nadi_str_printf(out, "  %-18s %10s", nadi_memory_part_name(part),
                    nadi_units_bytes(bytes, r->parts[part]));
    if (part == NADI_MEMORY_ACTIVATIONS)
        nadi_str_printf(out, "   %u passes of a stage in flight", r->in_flight);
    if (part == NADI_MEMORY_BUFFERS && r->update > 0)
        nadi_str_printf(out, "   with %s of the update's buckets beyond those of passes",
                        nadi_units_bytes(bytes, r->update));
    nadi_str_add_char(out, '\n');
}

static void add_verdict(const struct nadi_study *s, const struct nadi_rank_memory *r,
                        struct nadi_str *out)
{
    const double capacity = nadi_study_capacity(s);
    char a[32], b[32];
    if (!(capacity > 0))
        return;
    const bool fits = r->total <= capacity;
    nadi_str_printf(out, "%s: %s has %s, %s %s\n", fits ? "fits" : "DOES NOT FIT",
                    s->cluster.device.name, nadi_units_bytes(a, capacity),
                    nadi_units_bytes(b, fits ? capacity - r->total : r->total - capacity),
                    fits ? "are left" : "are missing");
}

static void add_ranks(const struct nadi_memory *memory, struct nadi_str *out)
{
    char a[32], b[32], c[32];
    nadi_str_add(out, "\nrank of the pipeline      states  activations        total  in flight\n");
    for (uint32_t i = 0; i < memory->count && i < SHOWN_RANKS; i++) {
        const struct nadi_rank_memory *r = &memory->ranks[i];
        nadi_str_printf(out, "%20u  %10s   %10s   %10s  %9u\n", i,
                        nadi_units_bytes(a, r->parts[NADI_MEMORY_PARAMETERS] +
                                                r->parts[NADI_MEMORY_GRADIENTS] +
                                                r->parts[NADI_MEMORY_OPTIMIZER]),
                        nadi_units_bytes(b, r->parts[NADI_MEMORY_ACTIVATIONS]),
                        nadi_units_bytes(c, r->total), r->in_flight);
    }
    if (memory->count > SHOWN_RANKS)
        nadi_str_printf(out, "  ... and %u more\n", memory->count - SHOWN_RANKS);
}

/* ---- over time ----------------------------------------------------------------------------- */

enum { COLUMNS = 60 };

/* A line of blocks: in each column the highest of its part of the rank's passes. */
static void add_curve(const struct nadi_study *s, uint32_t rank, struct nadi_arena *arena,
                      struct nadi_str *out)
{
    static const char *const blocks[] = {"\u2581", "\u2582", "\u2583", "\u2584",
                                         "\u2585", "\u2586", "\u2587", "\u2588"};
    const uint32_t count = s->schedule.lists[rank].count;
    const double *bytes =
        nadi_memory_activations(&s->plan, &s->model, &s->net, &s->schedule, rank, arena);
    const uint32_t columns = count < COLUMNS ? count : COLUMNS;
    double most = 0;
    for (uint32_t i = 0; i < count; i++)
        most = bytes[i] > most ? bytes[i] : most;
    if (!(most > 0) || count < 4)
        return;
    nadi_str_printf(out, "\nits activations, pass after pass\n  ");
    for (uint32_t c = 0; c < columns; c++) {
        double highest = 0;
        const uint32_t end = (uint32_t)((uint64_t)(c + 1) * count / columns);
        for (uint32_t i = (uint32_t)((uint64_t)c * count / columns); i < end; i++)
            highest = bytes[i] > highest ? bytes[i] : highest;
        nadi_str_add(out, blocks[(int)(highest / most * 7)]);
    }
    nadi_str_add_char(out, '\n');
}

void nadi_model_memory_csv(const struct nadi_study *s, struct nadi_str *out)
{
    static const char *const passes[] = {"forward", "backward", "inputs", "weights"};
    struct nadi_arena arena;
    struct nadi_memory memory;
    nadi_arena_init(&arena);
    nadi_memory_estimate(&memory, &s->plan, &s->model, &s->net, &s->schedule, &arena);
    nadi_str_add(out, "pipeline_rank,pass_number,pass,stage,micro_batch,parameters_bytes,"
                      "gradients_bytes,optimizer_bytes,activations_bytes,rest_bytes,total_bytes\n");
    for (uint32_t r = 0; r < memory.count; r++) {
        const struct nadi_rank_memory *m = &memory.ranks[r];
        const struct nadi_actions *list = &s->schedule.lists[r];
        const double *kept =
            nadi_memory_activations(&s->plan, &s->model, &s->net, &s->schedule, r, &arena);
        const double peak = m->parts[NADI_MEMORY_ACTIVATIONS];
        for (uint32_t i = 0; i < list->count; i++) {
            const struct nadi_action *a = &list->items[i];
            /* those of inference are not kept, offloaded ones lie elsewhere */
            const double here = kept[i] < peak ? kept[i] : peak;
            const double states = m->parts[NADI_MEMORY_PARAMETERS] +
                                  m->parts[NADI_MEMORY_GRADIENTS] + m->parts[NADI_MEMORY_OPTIMIZER];
            const double rest = m->total - states - peak;
            nadi_str_printf(out, "%u,%u,%s,%u,%u,%.0f,%.0f,%.0f,%.0f,%.0f,%.0f\n", r, i,
                            passes[a->pass], nadi_schedule_stage(&s->schedule, r, a->chunk),
                            a->micro, m->parts[NADI_MEMORY_PARAMETERS],
                            m->parts[NADI_MEMORY_GRADIENTS], m->parts[NADI_MEMORY_OPTIMIZER], here,
                            rest, states + here + rest);
        }
    }
    nadi_arena_release(&arena);
}

void nadi_model_memory_text(const struct nadi_study *s, const struct nadi_tiers *tiers,
                            struct nadi_str *out)
{
    struct nadi_arena arena;
    struct nadi_memory memory;
    char a[32], b[32];
    nadi_arena_init(&arena);
    nadi_memory_estimate(&memory, &s->plan, &s->model, &s->net, &s->schedule, &arena);
    const struct nadi_rank_memory *worst = &memory.ranks[memory.worst];
    nadi_str_printf(out, "%s on %u rank%s: ", s->model.name, s->plan.ranks,
                    s->plan.ranks == 1 ? "" : "s");
    nadi_plan_summary(&s->plan, out);
    nadi_str_printf(out, "\n\nmemory of a rank at its peak");
    if (memory.count > 1)
        nadi_str_printf(out, " (rank %u of the pipeline is the fullest)", memory.worst);
    nadi_str_printf(out, "\n");
    for (int i = 0; i < NADI_MEMORY_PARTS; i++)
        add_part(worst, (enum nadi_memory_part)i, out);
    nadi_str_printf(out, "  %-18s %10s   %s parameters before sharding\n", "total",
                    nadi_units_bytes(a, worst->total), nadi_units_count(b, (double)worst->weights));
    if (worst->remote > 0)
        nadi_str_printf(out, "  %-18s %10s\n", "in remote memory",
                        nadi_units_bytes(a, worst->remote));
    for (uint32_t i = 0; i < NADI_PLACED_PARTS; i++)
        if (s->plan.place[i] && worst->placed[i] > 0)
            nadi_str_printf(out, "    %-16s %10s   in tier %s\n", nadi_placed_part_words[i],
                            nadi_units_bytes(a, worst->placed[i]), s->plan.place[i]);
    add_verdict(s, worst, out);
    nadi_model_tiers_text(s, &memory, tiers, out);
    if (s->plan.mode == NADI_MODE_TRAIN)
        add_curve(s, memory.worst, &arena, out);
    if (memory.count > 1)
        add_ranks(&memory, out);
    nadi_arena_release(&arena);
}

static void rank_json(const struct nadi_rank_memory *r, struct nadi_json *j)
{
    static const char *const keys[] = {
        "parameters_bytes", "gradients_bytes", "optimizer_bytes", "activations_bytes",
        "cache_bytes",      "buffers_bytes",   "reserve_bytes",   "fragmentation_bytes",
    };
    nadi_json_row(j, NULL);
    for (int i = 0; i < NADI_MEMORY_PARTS; i++)
        nadi_json_double(j, keys[i], r->parts[i]);
    nadi_json_double(j, "total_bytes", r->total);
    nadi_json_double(j, "remote_bytes", r->remote);
    nadi_json_u64(j, "weights", r->weights);
    nadi_json_u64(j, "in_flight", r->in_flight);
    nadi_json_close(j);
}

void nadi_model_memory_json(const struct nadi_study *s, const struct nadi_tiers *tiers,
                            struct nadi_str *out)
{
    struct nadi_arena arena;
    struct nadi_memory memory;
    struct nadi_json j;
    const double capacity = nadi_study_capacity(s);
    nadi_arena_init(&arena);
    nadi_memory_estimate(&memory, &s->plan, &s->model, &s->net, &s->schedule, &arena);
    const double total = memory.ranks[memory.worst].total;
    nadi_json_begin(&j, out);
    nadi_json_object(&j, NULL);
    nadi_json_string(&j, "model", s->model.name);
    nadi_json_u64(&j, "ranks", s->plan.ranks);
    nadi_json_u64(&j, "fullest", memory.worst);
    nadi_json_double(&j, "peak_bytes", total);
    if (capacity > 0) {
        nadi_json_double(&j, "capacity_bytes", capacity);
        nadi_json_bool(&j, "fits", total <= capacity);
        nadi_json_double(&j, "missing_bytes", total > capacity ? total - capacity : 0);
    }
    nadi_json_array(&j, "pipeline_ranks");
    for (uint32_t i = 0; i < memory.count; i++)
        rank_json(&memory.ranks[i], &j);
    nadi_json_close(&j);
    nadi_model_tiers_json(s, &memory, tiers, &j);
    nadi_json_close(&j);
    nadi_json_finish(&j);
    nadi_arena_release(&arena);
}
