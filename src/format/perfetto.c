#include "format/perfetto.h"

#include "base/guard.h"
#include "format/utf8.h"
#include "format/wire.h"

/* Field numbers of Perfetto's public trace format, by message. */
enum {
    TRACE_PACKET = 1,

    PACKET_TIMESTAMP = 8,
    PACKET_SEQUENCE_ID = 10,
    PACKET_TRACK_EVENT = 11,
    PACKET_INTERNED_DATA = 12,
    PACKET_SEQUENCE_FLAGS = 13,
    PACKET_TRACK_DESCRIPTOR = 60,

    TRACK_UUID = 1,
    TRACK_NAME = 2,
    TRACK_PROCESS = 3,
    TRACK_PARENT_UUID = 5,
    TRACK_COUNTER = 8,
    TRACK_CHILD_ORDERING = 11,
    TRACK_SIBLING_ORDER = 12,

    COUNTER_UNIT = 3,
    COUNTER_UNIT_NAME = 6,

    PROCESS_PID = 1,
    PROCESS_NAME = 6,

    EVENT_CATEGORY_ID = 3,
    EVENT_ARGUMENT = 4,
    EVENT_TYPE = 9,
    EVENT_NAME_ID = 10,
    EVENT_TRACK_UUID = 11,
    EVENT_DOUBLE_COUNTER = 44,
    EVENT_FLOW_ID = 47,
    EVENT_TERMINATING_FLOW_ID = 48,

    ARGUMENT_NAME_ID = 1,
    ARGUMENT_UINT = 3,
    ARGUMENT_STRING = 6,

    INTERNED_CATEGORIES = 1,
    INTERNED_NAMES = 2,
    INTERNED_ARGUMENTS = 3,
    INTERNED_ENTRY_ID = 1,
    INTERNED_ENTRY_NAME = 2,
};

enum {
    SEQUENCE = 1, /* this file has one sequence of packets */
    INCREMENTAL_STATE_CLEARED = 1,
    NEEDS_INCREMENTAL_STATE = 2,
    SLICE_BEGIN = 1,
    SLICE_END = 2,
    COUNTER = 4,
    UNIT_COUNT = 2,
    UNIT_SIZE_BYTES = 3,
    ORDER_EXPLICIT = 3,
};

/* Text of unknown origin, made valid UTF-8 as protobuf strings must be. */
static void put_text(struct nadi_str *s, uint32_t field, const char *text)
{
    struct nadi_str valid = NADI_STR_INIT;
    while (*text) {
        size_t length = nadi_utf8_length(text);
        if (length)
            nadi_str_add_bytes(&valid, text, length);
        else
            nadi_str_add(&valid, NADI_UTF8_REPLACEMENT);
        text += length ? length : 1;
    }
    nadi_wire_add_message(s, field, &valid);
    nadi_str_release(&valid);
}

void nadi_pftrace_begin(struct nadi_pftrace *t, struct nadi_str *out)
{
    *t = (struct nadi_pftrace){.out = out};
    nadi_strmap_init(&t->names);
    nadi_strmap_init(&t->categories);
    nadi_strmap_init(&t->arguments);
}

/* Writes the packet being made, if any. */
static void flush(struct nadi_pftrace *t)
{
    if (!t->has_packet)
        return;
    (void)nadi_guard_look();
    if (t->event.length)
        nadi_wire_add_message(&t->packet, PACKET_TRACK_EVENT, &t->event);
    if (t->interned.length)
        nadi_wire_add_message(&t->packet, PACKET_INTERNED_DATA, &t->interned);
    nadi_wire_add_number(&t->packet, PACKET_SEQUENCE_ID, SEQUENCE);
    nadi_wire_add_number(&t->packet, PACKET_SEQUENCE_FLAGS,
                         t->started ? NEEDS_INCREMENTAL_STATE
                                    : NEEDS_INCREMENTAL_STATE | INCREMENTAL_STATE_CLEARED);
    nadi_wire_add_message(t->out, TRACE_PACKET, &t->packet);
    t->started = true;
    t->has_packet = false;
    nadi_str_clear(&t->packet);
    nadi_str_clear(&t->event);
    nadi_str_clear(&t->interned);
}

void nadi_pftrace_finish(struct nadi_pftrace *t)
{
    flush(t);
    nadi_str_release(&t->packet);
    nadi_str_release(&t->event);
    nadi_str_release(&t->interned);
    nadi_str_release(&t->scratch);
    nadi_strmap_release(&t->names);
    nadi_strmap_release(&t->categories);
    nadi_strmap_release(&t->arguments);
}

/* Number of the string, from 1; a new one is defined in the packet being made. */
static uint64_t intern(struct nadi_pftrace *t, struct nadi_strmap *map, uint32_t field,
                       const char *text)
{
    uint32_t next = (uint32_t)map->count;
    uint32_t found = nadi_strmap_put(map, text, strlen(text), next, NULL);
    if (found == next) {
        nadi_str_clear(&t->scratch);
        nadi_wire_add_number(&t->scratch, INTERNED_ENTRY_ID, (uint64_t)next + 1);
        put_text(&t->scratch, INTERNED_ENTRY_NAME, text);
        nadi_wire_add_message(&t->interned, field, &t->scratch);
    }
    return (uint64_t)found + 1;
}

uint64_t nadi_pftrace_process(struct nadi_pftrace *t, uint32_t pid, const char *name)
{
    struct nadi_str process = NADI_STR_INIT, track = NADI_STR_INIT;
    flush(t);
    nadi_wire_add_number(&process, PROCESS_PID, pid);
    put_text(&process, PROCESS_NAME, name);
    nadi_wire_add_number(&track, TRACK_UUID, ++t->last_uuid);
    nadi_wire_add_message(&track, TRACK_PROCESS, &process);
    nadi_wire_add_number(&track, TRACK_CHILD_ORDERING, ORDER_EXPLICIT);
    nadi_wire_add_message(&t->packet, PACKET_TRACK_DESCRIPTOR, &track);
    t->has_packet = true;
    nadi_str_release(&process);
    nadi_str_release(&track);
    return t->last_uuid;
}

/* counter: its description, or NULL. */
static uint64_t child_track(struct nadi_pftrace *t, uint64_t parent, const char *name,
                            uint32_t order, const struct nadi_str *counter)
{
    struct nadi_str track = NADI_STR_INIT;
    flush(t);
    nadi_wire_add_number(&track, TRACK_UUID, ++t->last_uuid);
    nadi_wire_add_number(&track, TRACK_PARENT_UUID, parent);
    put_text(&track, TRACK_NAME, name);
    if (counter)
        nadi_wire_add_message(&track, TRACK_COUNTER, counter);
    nadi_wire_add_number(&track, TRACK_SIBLING_ORDER, order);
    nadi_wire_add_message(&t->packet, PACKET_TRACK_DESCRIPTOR, &track);
    t->has_packet = true;
    nadi_str_release(&track);
    return t->last_uuid;
}

uint64_t nadi_pftrace_track(struct nadi_pftrace *t, uint64_t parent, const char *name,
                            uint32_t order)
{
    return child_track(t, parent, name, order, NULL);
}

uint64_t nadi_pftrace_counter(struct nadi_pftrace *t, uint64_t parent, const char *name,
                              enum nadi_pftrace_unit unit, uint32_t order)
{
    struct nadi_str counter = NADI_STR_INIT;
    if (unit == NADI_PFTRACE_PERCENT)
        put_text(&counter, COUNTER_UNIT_NAME, "%");
    else
        nadi_wire_add_number(&counter, COUNTER_UNIT,
                             unit == NADI_PFTRACE_BYTES ? UNIT_SIZE_BYTES : UNIT_COUNT);
    const uint64_t track = child_track(t, parent, name, order, &counter);
    nadi_str_release(&counter);
    return track;
}

static void open_event(struct nadi_pftrace *t, uint64_t track, uint64_t at_ns, uint64_t type)
{
    flush(t);
    t->has_packet = true;
    nadi_wire_add_number(&t->packet, PACKET_TIMESTAMP, at_ns);
    nadi_wire_add_number(&t->event, EVENT_TYPE, type);
    nadi_wire_add_number(&t->event, EVENT_TRACK_UUID, track);
}

void nadi_pftrace_slice(struct nadi_pftrace *t, uint64_t track, uint64_t at_ns,
                        const char *category, const char *name)
{
    open_event(t, track, at_ns, SLICE_BEGIN);
    nadi_wire_add_number(&t->event, EVENT_CATEGORY_ID,
                         intern(t, &t->categories, INTERNED_CATEGORIES, category));
    nadi_wire_add_number(&t->event, EVENT_NAME_ID, intern(t, &t->names, INTERNED_NAMES, name));
}

void nadi_pftrace_slice_end(struct nadi_pftrace *t, uint64_t track, uint64_t at_ns)
{
    open_event(t, track, at_ns, SLICE_END);
}

void nadi_pftrace_count(struct nadi_pftrace *t, uint64_t counter, uint64_t at_ns, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    open_event(t, counter, at_ns, COUNTER);
    nadi_wire_add_tag(&t->event, EVENT_DOUBLE_COUNTER, NADI_WIRE_64);
    nadi_wire_add_fixed(&t->event, bits, 8);
}

void nadi_pftrace_arg_u64(struct nadi_pftrace *t, const char *name, uint64_t value)
{
    uint64_t id = intern(t, &t->arguments, INTERNED_ARGUMENTS, name);
    nadi_str_clear(&t->scratch);
    nadi_wire_add_number(&t->scratch, ARGUMENT_NAME_ID, id);
    nadi_wire_add_number(&t->scratch, ARGUMENT_UINT, value);
    nadi_wire_add_message(&t->event, EVENT_ARGUMENT, &t->scratch);
}

void nadi_pftrace_arg_text(struct nadi_pftrace *t, const char *name, const char *value)
{
    uint64_t id = intern(t, &t->arguments, INTERNED_ARGUMENTS, name);
    nadi_str_clear(&t->scratch);
    nadi_wire_add_number(&t->scratch, ARGUMENT_NAME_ID, id);
    put_text(&t->scratch, ARGUMENT_STRING, value);
    nadi_wire_add_message(&t->event, EVENT_ARGUMENT, &t->scratch);
}

static void put_flow(struct nadi_pftrace *t, uint32_t field, uint64_t id)
{
    nadi_wire_add_tag(&t->event, field, NADI_WIRE_64);
    nadi_wire_add_fixed(&t->event, id, 8);
}

void nadi_pftrace_flow_begin(struct nadi_pftrace *t, uint64_t id)
{
    put_flow(t, EVENT_FLOW_ID, id);
}

void nadi_pftrace_flow_end(struct nadi_pftrace *t, uint64_t id)
{
    put_flow(t, EVENT_TERMINATING_FLOW_ID, id);
}
