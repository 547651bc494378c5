#include "support/pftrace_read.h"

#include "base/mem.h"

#include <setjmp.h>

#include <cmocka.h>

struct bytes {
    const uint8_t *at, *end;
};

struct entry { /* one interned string */
    uint64_t id;
    const char *text;
};

enum { KINDS = 3, CATEGORY = 0, NAME = 1, ARGUMENT = 2 };

struct decoder {
    struct pf_trace *t;
    struct {
        struct entry *items;
        size_t count, capacity;
    } interned[KINDS];
    struct {
        struct pf_track *items;
        size_t count, capacity;
    } tracks;
    struct {
        struct pf_slice *items;
        size_t count, capacity;
    } slices;
    struct {
        struct pf_count *items;
        size_t count, capacity;
    } counts;
    bool cleared; /* the first packet said so */
};

static uint64_t varint(struct bytes *b)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        assert_true(b->at < b->end);
        uint8_t c = *b->at++;
        value |= (uint64_t)(c & 0x7f) << shift;
        if (!(c & 0x80))
            return value;
    }
    fail_msg("a varint of more than 10 bytes");
    return 0;
}

struct field {
    uint32_t number;
    uint64_t value;     /* varint and fixed64 */
    struct bytes inner; /* length-delimited */
};

static bool next(struct bytes *b, struct field *f)
{
    if (b->at == b->end)
        return false;
    uint64_t tag = varint(b);
    *f = (struct field){.number = (uint32_t)(tag >> 3)};
    switch (tag & 7) {
    case 0:
        f->value = varint(b);
        return true;
    case 1:
        assert_true(b->end - b->at >= 8);
        for (int i = 0; i < 8; i++)
            f->value |= (uint64_t)*b->at++ << (8 * i);
        return true;
    case 2: {
        uint64_t length = varint(b);
        assert_true(length <= (uint64_t)(b->end - b->at));
        f->inner = (struct bytes){b->at, b->at + length};
        b->at += length;
        return true;
    }
    default:
        fail_msg("wire type %d", (int)(tag & 7));
        return false;
    }
}

static const char *text(struct decoder *d, struct bytes b)
{
    return nadi_arena_strndup(&d->t->arena, (const char *)b.at, (size_t)(b.end - b.at));
}

static const char *interned(const struct decoder *d, int kind, uint64_t id)
{
    for (size_t i = 0; i < d->interned[kind].count; i++)
        if (d->interned[kind].items[i].id == id)
            return d->interned[kind].items[i].text;
    fail_msg("string %d of kind %d was never defined", (int)id, kind);
    return "";
}

static void read_interned(struct decoder *d, struct bytes b)
{
    struct field f, g;
    while (next(&b, &f)) {
        struct entry e = {0};
        assert_in_range(f.number, 1, KINDS);
        while (next(&f.inner, &g)) {
            assert_in_range(g.number, 1, 2);
            if (g.number == 1)
                e.id = g.value;
            else
                e.text = text(d, g.inner);
        }
        assert_true(e.id != 0 && e.text);
        for (size_t i = 0; i < d->interned[f.number - 1].count; i++)
            assert_true(d->interned[f.number - 1].items[i].id != e.id);
        NADI_PUSH(&d->interned[f.number - 1], e);
    }
}

static void read_process(struct decoder *d, struct bytes b, struct pf_track *track)
{
    struct field f;
    track->is_process = true;
    while (next(&b, &f)) {
        if (f.number == 1)
            track->pid = (uint32_t)f.value;
        else if (f.number == 6)
            track->name = text(d, f.inner);
        else
            fail_msg("field %u of a process", f.number);
    }
}

static void read_counter(struct decoder *d, struct bytes b, struct pf_track *track)
{
    struct field f;
    track->is_counter = true;
    while (next(&b, &f)) {
        if (f.number == 3)
            assert_in_range(f.value, 2, 3); /* a count, bytes */
        else if (f.number == 6)
            assert_string_equal(text(d, f.inner), "%");
        else
            fail_msg("field %u of a counter", f.number);
    }
}

static void read_track(struct decoder *d, struct bytes b)
{
    struct pf_track track = {0};
    struct field f;
    while (next(&b, &f)) {
        if (f.number == 1)
            track.uuid = f.value;
        else if (f.number == 2)
            track.name = text(d, f.inner);
        else if (f.number == 3)
            read_process(d, f.inner, &track);
        else if (f.number == 5)
            track.parent = f.value;
        else if (f.number == 8)
            read_counter(d, f.inner, &track);
        else if (f.number == 11)
            assert_int_equal(f.value, 3);
        else if (f.number == 12)
            track.order = (uint32_t)f.value;
        else
            fail_msg("field %u of a track", f.number);
    }
    assert_true(track.uuid != 0 && track.name);
    for (size_t i = 0; i < d->tracks.count; i++)
        assert_true(d->tracks.items[i].uuid != track.uuid);
    NADI_PUSH(&d->tracks, track);
}

static struct pf_arg read_argument(struct decoder *d, struct bytes b)
{
    struct pf_arg arg = {0};
    struct field f;
    while (next(&b, &f)) {
        if (f.number == 1)
            arg.name = interned(d, ARGUMENT, f.value);
        else if (f.number == 3)
            arg.number = f.value;
        else if (f.number == 6)
            arg.text = text(d, f.inner);
        else
            fail_msg("field %u of an argument", f.number);
    }
    assert_non_null(arg.name);
    return arg;
}

struct event {
    struct pf_slice slice;
    uint64_t type, uuid;
    double value; /* of a counter */
};

static struct event read_event(struct decoder *d, struct bytes b)
{
    struct event e = {0};
    struct field f;
    while (next(&b, &f)) {
        if (f.number == 3)
            e.slice.category = interned(d, CATEGORY, f.value);
        else if (f.number == 4) {
            assert_true(e.slice.arg_count < PF_ARGS);
            e.slice.args[e.slice.arg_count++] = read_argument(d, f.inner);
        } else if (f.number == 9)
            e.type = f.value;
        else if (f.number == 10)
            e.slice.name = interned(d, NAME, f.value);
        else if (f.number == 11)
            e.uuid = f.value;
        else if (f.number == 44)
            memcpy(&e.value, &f.value, sizeof(e.value));
        else if (f.number == 47)
            e.slice.flow_begin = f.value;
        else if (f.number == 48)
            e.slice.flow_end = f.value;
        else
            fail_msg("field %u of an event", f.number);
    }
    return e;
}

/* Newest slice of the track, open or not; NULL if none. */
static struct pf_slice *newest(struct decoder *d, uint32_t track, bool open_only)
{
    for (size_t i = d->slices.count; i-- > 0;) {
        struct pf_slice *s = &d->slices.items[i];
        if (s->track == track && (!open_only || s->end_ns == UINT64_MAX))
            return s;
    }
    return NULL;
}

static void apply(struct decoder *d, struct event e, uint64_t at_ns)
{
    uint32_t track = 0;
    while (track < d->tracks.count && d->tracks.items[track].uuid != e.uuid)
        track++;
    assert_true(track < d->tracks.count);
    assert_int_equal(d->tracks.items[track].is_counter, e.type == 4);
    if (e.type == 4) {
        const struct pf_count count = {track, at_ns, e.value};
        NADI_PUSH(&d->counts, count);
        return;
    }
    struct pf_slice *last = newest(d, track, false);
    struct pf_slice *open = newest(d, track, true);
    if (e.type == 1) {
        assert_true(!last || at_ns >= last->start_ns);
        assert_true(open || !last || at_ns >= last->end_ns);
        assert_true(e.slice.name && e.slice.category);
        e.slice.track = track;
        e.slice.start_ns = at_ns;
        e.slice.end_ns = UINT64_MAX;
        NADI_PUSH(&d->slices, e.slice);
    } else {
        assert_int_equal(e.type, 2);
        assert_non_null(open);
        assert_true(at_ns >= open->start_ns);
        open->end_ns = at_ns;
        open->flow_end = e.slice.flow_end;
    }
}

static void read_packet(struct decoder *d, struct bytes b)
{
    struct field f;
    struct bytes event = {0}, track = {0};
    uint64_t at_ns = 0, sequence = 0, flags = 0;
    while (next(&b, &f)) {
        if (f.number == 8)
            at_ns = f.value;
        else if (f.number == 10)
            sequence = f.value;
        else if (f.number == 11)
            event = f.inner;
        else if (f.number == 12)
            read_interned(d, f.inner);
        else if (f.number == 13)
            flags = f.value;
        else if (f.number == 60)
            track = f.inner;
        else
            fail_msg("field %u of a packet", f.number);
    }
    assert_int_equal(sequence, 1);
    assert_int_equal(flags, d->cleared ? 2 : 3);
    d->cleared = true;
    d->t->packet_count++;
    if (track.at)
        read_track(d, track);
    if (event.at)
        apply(d, read_event(d, event), at_ns);
}

void pftrace_read(struct pf_trace *t, const void *data, size_t bytes)
{
    struct decoder d = {.t = t};
    const uint8_t *start = data;
    struct bytes b = {start, start + bytes};
    struct field f;
    *t = (struct pf_trace){0};
    nadi_arena_init(&t->arena);
    while (next(&b, &f)) {
        assert_int_equal(f.number, 1);
        read_packet(&d, f.inner);
    }
    t->tracks = d.tracks.items;
    t->track_count = (uint32_t)d.tracks.count;
    t->counts = d.counts.items;
    t->count_count = d.counts.count;
    t->slices = d.slices.items;
    t->slice_count = (uint32_t)d.slices.count;
    for (uint32_t i = 0; i < t->slice_count; i++)
        assert_true(t->slices[i].end_ns != UINT64_MAX);
    for (int k = 0; k < KINDS; k++)
        nadi_mem_free(d.interned[k].items);
}

void pftrace_release(struct pf_trace *t)
{
    nadi_mem_free(t->tracks);
    nadi_mem_free(t->slices);
    nadi_mem_free(t->counts);
    nadi_arena_release(&t->arena);
}

const struct pf_arg *pf_arg(const struct pf_slice *s, const char *name)
{
    for (uint32_t i = 0; i < s->arg_count; i++)
        if (strcmp(s->args[i].name, name) == 0)
            return &s->args[i];
    return NULL;
}
