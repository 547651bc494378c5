#include "inputs/model_presets.h"

#include "base/time.h"
#include "inputs/flit_config.h"
#include "inputs/loadstore_config.h"
#include "inputs/packet_config.h"

#define US(n) nadi_time_from_ns((n)*1000)

typedef bool fill_fn(void *config, const struct nadi_schema_values *values,
                     struct nadi_arena *arena, struct nadi_diags *diags);

static void fill_by_presets(enum nadi_schema_kind kind, fill_fn *fill, void *config)
{
    struct nadi_schema_values values;
    struct nadi_arena arena;
    struct nadi_diags diags;
    nadi_arena_init(&arena);
    nadi_diags_init(&diags);
    const bool ok = nadi_schema_check(&values, nadi_schema_of(kind), NULL, false, &arena, &diags) &&
                    fill(config, &values, &arena, &diags);
    NADI_ASSERT(ok); /* defaults go together */
    nadi_diags_release(&diags);
    nadi_arena_release(&arena);
}

static bool fill_packet(void *config, const struct nadi_schema_values *values,
                        struct nadi_arena *arena, struct nadi_diags *diags)
{
    return nadi_packet_config_fill(config, values, arena, diags);
}

static bool fill_flit(void *config, const struct nadi_schema_values *values,
                      struct nadi_arena *arena, struct nadi_diags *diags)
{
    (void)arena;
    return nadi_flit_config_fill(config, values, diags);
}

static bool fill_loadstore(void *config, const struct nadi_schema_values *values,
                           struct nadi_arena *arena, struct nadi_diags *diags)
{
    (void)arena;
    return nadi_loadstore_config_fill(config, values, diags);
}

void nadi_packet_config_init(struct nadi_packet_config *c)
{
    fill_by_presets(NADI_SCHEMA_PACKET, fill_packet, c);
    c->buffer_grows = c->ack_first_one_way = false;
}

void nadi_packet_config_init_hpcc(struct nadi_packet_config *c)
{
    nadi_packet_config_init(c);
    c->payload_bytes = 1000;
    c->rto = 0;
    c->retry_limit = 0;
    c->dcqcn.alpha_interval = US(1);
    c->dcqcn.decrease_interval = US(4);
    c->dcqcn.increase_interval = US(900);
    c->dcqcn.notify_interval = 0;
    c->dcqcn.increase_bytes = 0;
    c->dcqcn.fast_recovery = 1;
    c->hpcc.mi_threshold = 0;
}

void nadi_flit_config_init(struct nadi_flit_config *c)
{
    fill_by_presets(NADI_SCHEMA_FLIT, fill_flit, c);
}

void nadi_loadstore_config_init(struct nadi_loadstore_config *c)
{
    fill_by_presets(NADI_SCHEMA_LOADSTORE, fill_loadstore, c);
}
