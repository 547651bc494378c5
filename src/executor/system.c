#include "executor/participants.h"

struct nadi_system *nadi_system_create(const struct nadi_system_setup *setup)
{
    struct nadi_system *s = NADI_ZNEW(struct nadi_system, 1);
    s->setup = *setup;
    s->config = setup->config;
    s->engine = setup->engine;
    s->network = setup->network;
    s->sequence = nadi_engine_sequence(setup->engine);
    s->rank_count = setup->topology->npu_count;
    s->actor_count = setup->fold ? setup->fold->actor_count : s->rank_count;
    nadi_arena_init(&s->arena);
    nadi_streams_init(s);
    nadi_phase_messages_init(s);
    nadi_phases_init(s);
    nadi_p2p_init(s);
    nadi_storage_init(s);
    if (s->config->shared_bus)
        s->bus = nadi_bus_create(s);
    s->customs = nadi_customs_create(s);
    s->programs = nadi_programs_create(s);
    s->ahead = nadi_programs_ahead_create(s);
    s->alone = nadi_alone_create(s);
    s->schedules = nadi_schedules_create(s);
    nadi_library_init(s);
    return s;
}

void nadi_system_destroy(struct nadi_system *s)
{
    if (!s)
        return;
    nadi_customs_destroy(s->customs);
    nadi_participants_release(s);
    nadi_programs_destroy(s->programs);
    nadi_programs_ahead_destroy(s->ahead);
    nadi_alone_destroy(s->alone);
    nadi_schedules_destroy(s->schedules);
    nadi_bus_destroy(s->bus);
    nadi_storage_release(s);
    nadi_p2p_release(s);
    nadi_phase_messages_release(s);
    nadi_phases_release(s);
    nadi_streams_release(s);
    nadi_mem_free(s->plans.items);
    nadi_mem_free(s->flows.items);
    nadi_mem_free(s->departures.items);
    nadi_arena_release(&s->arena);
    nadi_mem_free(s);
}

const struct nadi_mismatch *nadi_system_mismatch(const struct nadi_system *s)
{
    return &s->mismatch;
}

uint64_t nadi_system_mismatches(const struct nadi_system *s, const struct nadi_mismatch **latest)
{
    *latest = &s->last_mismatch;
    return s->mismatches;
}

const char *nadi_system_undecided(const struct nadi_system *s)
{
    return s->undecided ? s->undecided : s->sequence ? nadi_sequence_undecided(s->sequence) : NULL;
}

uint64_t nadi_system_ties(const struct nadi_system *s)
{
    return s->ties_settled;
}

int64_t nadi_system_last_lag(const struct nadi_system *s)
{
    return s->last_lag;
}

uint64_t nadi_system_events_spared(const struct nadi_system *s)
{
    return s->events_spared;
}

nadi_time nadi_system_alone_set(const struct nadi_system *s)
{
    return s->alone_set;
}

size_t nadi_system_operation_count(const struct nadi_system *s)
{
    return s->operations.count;
}

struct nadi_operation_view nadi_system_operation(const struct nadi_system *s, size_t index)
{
    return s->operations.items[index].view;
}

const struct nadi_flow_record *nadi_system_flows(const struct nadi_system *s, size_t *count)
{
    *count = s->flows.count;
    return s->flows.items;
}
