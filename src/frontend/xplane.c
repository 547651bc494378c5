/* xplane: XSpace protobuf, as the profilers of JAX and TensorFlow write it (xplane.proto of 2020
 * and later). Read: planes "/device:...", their lines "XLA Ops" and "Async XLA Ops" (TPU) or
 * "Stream ..." (GPU), events with offset and duration, and of their metadata the name, with the
 * instruction, and the statistics flops and bytes_accessed. A plane is a rank, in the order of the
 * files. */
#include "base/file.h"
#include "base/mem.h"
#include "format/wire.h"
#include "frontend/frontend.h"
#include "frontend/profile.h"

struct meta { /* of an event or statistic */
    const char *name, *display;
    uint64_t ops, bytes;
};

struct plane {
    struct nadi_front_job *job;
    struct nadi_profile *profile;
    struct nadi_map64 stats; /* id: 1 flops, 2 bytes_accessed */
    struct nadi_map64 events;
    struct {
        struct meta *items;
        size_t count, capacity;
    } metas;
    uint32_t rank, line;
    bool bad;
};

static const char *text_of(struct plane *p, const struct nadi_wire_field *f)
{
    return nadi_arena_strndup(&p->job->arena, (const char *)f->data, f->bytes);
}

static bool next(struct plane *p, struct nadi_wire_cursor *w, struct nadi_wire_field *f)
{
    const enum nadi_wire_result result = nadi_wire_next(w, f);
    p->bad |= result != NADI_WIRE_FIELD && result != NADI_WIRE_END;
    return result == NADI_WIRE_FIELD;
}

/* An entry of a map: its key and its message. */
static struct nadi_wire_cursor entry(struct plane *p, const struct nadi_wire_field *field,
                                     uint64_t *key)
{
    struct nadi_wire_cursor w = nadi_wire_of(field->data, field->bytes);
    struct nadi_wire_cursor value = {0};
    struct nadi_wire_field f = {0};
    *key = 0;
    while (next(p, &w, &f)) {
        if (f.number == 1 && f.type == NADI_WIRE_VARINT)
            *key = f.bits;
        if (f.number == 2 && f.type == NADI_WIRE_BYTES)
            value = nadi_wire_of(f.data, f.bytes);
    }
    return value;
}

static void read_stat_metadata(struct plane *p, const struct nadi_wire_field *field)
{
    uint64_t key;
    struct nadi_wire_cursor w = entry(p, field, &key);
    struct nadi_wire_field f = {0};
    while (w.at && next(p, &w, &f)) {
        if (f.number != 2 || f.type != NADI_WIRE_BYTES)
            continue;
        const char *name = text_of(p, &f);
        if (nadi_str_equal(name, "flops"))
            nadi_map64_put(&p->stats, key, 1, NULL);
        else if (nadi_str_equal(name, "bytes_accessed"))
            nadi_map64_put(&p->stats, key, 2, NULL);
    }
}

static void read_stat(struct plane *p, const struct nadi_wire_field *field, uint64_t *ops,
                      uint64_t *bytes)
{
    struct nadi_wire_cursor w = nadi_wire_of(field->data, field->bytes);
    struct nadi_wire_field f = {0};
    uint64_t value = 0;
    uint32_t what = NADI_NONE;
    while (next(p, &w, &f)) {
        if (f.number == 1 && f.type == NADI_WIRE_VARINT)
            what = nadi_map64_find(&p->stats, f.bits);
        else if ((f.number == 3 || f.number == 4) && f.type == NADI_WIRE_VARINT)
            value = f.bits <= INT64_MAX ? f.bits : 0;
    }
    if (what == 1)
        *ops = value;
    else if (what == 2)
        *bytes = value;
}

static void read_event_metadata(struct plane *p, const struct nadi_wire_field *field)
{
    uint64_t key;
    struct meta m = {.name = ""};
    struct nadi_wire_cursor w = entry(p, field, &key);
    struct nadi_wire_field f = {0};
    while (w.at && next(p, &w, &f)) {
        if (f.type != NADI_WIRE_BYTES)
            continue;
        if (f.number == 2)
            m.name = text_of(p, &f);
        else if (f.number == 4)
            m.display = text_of(p, &f);
        else if (f.number == 5)
            read_stat(p, &f, &m.ops, &m.bytes);
    }
    nadi_map64_put(&p->events, key, (uint32_t)p->metas.count, NULL);
    NADI_PUSH(&p->metas, m);
}

/* "%fusion.3 = ..." is called fusion.3 */
static const char *short_name(struct plane *p, const struct meta *m)
{
    const char *name = m->display && m->display[0] ? m->display : m->name;
    name += *name == '%';
    return nadi_arena_strndup(&p->job->arena, name, strcspn(name, " "));
}

static void read_event(struct plane *p, const struct nadi_wire_field *field, int64_t begin_ns)
{
    struct nadi_wire_cursor w = nadi_wire_of(field->data, field->bytes);
    struct nadi_wire_field f = {0};
    struct nadi_front_work work = {.rank = p->rank, .stream = p->line};
    uint64_t id = 0, offset_ps = 0, duration_ps = 0, ops = 0, bytes = 0;
    while (next(p, &w, &f)) {
        if (f.type == NADI_WIRE_VARINT && f.number == 1)
            id = f.bits;
        else if (f.type == NADI_WIRE_VARINT && f.number == 2)
            offset_ps = f.bits;
        else if (f.type == NADI_WIRE_VARINT && f.number == 3)
            duration_ps = f.bits;
        else if (f.type == NADI_WIRE_BYTES && f.number == 4)
            read_stat(p, &f, &ops, &bytes);
    }
    const uint32_t at = nadi_map64_find(&p->events, id);
    if (at == NADI_NONE || offset_ps > INT64_MAX || duration_ps > INT64_MAX) {
        p->bad = true;
        return;
    }
    const struct meta *m = &p->metas.items[at];
    work.node = (struct nadi_front_node){.name = short_name(p, m),
                                         .ns = (duration_ps + 500) / 1000,
                                         .ops = ops ? ops : m->ops,
                                         .bytes = bytes ? bytes : m->bytes};
    work.start_ns = begin_ns + (int64_t)((offset_ps + 500) / 1000);
    nadi_profile_hlo(p->job, &work, m->name);
    NADI_PUSH(&p->profile->works, work);
}

static bool is_work(const char *line)
{
    return nadi_str_equal(line, "XLA Ops") || nadi_str_equal(line, "Async XLA Ops") ||
           nadi_str_starts(line, "Stream");
}

static void read_line(struct plane *p, const struct nadi_wire_field *field)
{
    struct nadi_wire_cursor w = nadi_wire_of(field->data, field->bytes), again = w;
    struct nadi_wire_field f = {0};
    const char *name = "";
    uint64_t begin_ns = 0;
    while (next(p, &w, &f)) {
        if (f.number == 2 && f.type == NADI_WIRE_BYTES)
            name = text_of(p, &f);
        else if (f.number == 3 && f.type == NADI_WIRE_VARINT)
            begin_ns = f.bits;
    }
    p->line++;
    if (begin_ns > INT64_MAX / 4)
        p->bad = true;
    while (!p->bad && next(p, &again, &f)) {
        if (f.number != 4 || f.type != NADI_WIRE_BYTES)
            continue;
        if (is_work(name))
            read_event(p, &f, (int64_t)begin_ns);
        else
            p->job->left_out++;
    }
}

static const char *name_of(struct plane *p, struct nadi_wire_cursor w)
{
    struct nadi_wire_field f = {0};
    while (next(p, &w, &f))
        if (f.number == 2 && f.type == NADI_WIRE_BYTES)
            return text_of(p, &f);
    return "";
}

static void read_part(struct plane *p, struct nadi_wire_cursor w, uint32_t number,
                      void (*read)(struct plane *, const struct nadi_wire_field *))
{
    struct nadi_wire_field f = {0};
    while (!p->bad && next(p, &w, &f))
        if (f.number == number && f.type == NADI_WIRE_BYTES)
            read(p, &f);
}

static bool read_plane(struct nadi_front_job *job, struct nadi_profile *profile,
                       const struct nadi_wire_field *field, uint32_t *rank)
{
    struct plane p = {.job = job, .profile = profile, .rank = *rank};
    const struct nadi_wire_cursor w = nadi_wire_of(field->data, field->bytes);
    const char *name = name_of(&p, w);
    if (!nadi_str_starts(name, "/device:") || nadi_str_starts(name, "/device:CUSTOM"))
        return !p.bad;
    nadi_map64_init(&p.stats, 16);
    nadi_map64_init(&p.events, 256);
    if (*rank < job->rank_count) {
        read_part(&p, w, 5, read_stat_metadata);
        read_part(&p, w, 4, read_event_metadata);
        read_part(&p, w, 3, read_line);
    }
    ++*rank;
    nadi_map64_release(&p.stats);
    nadi_map64_release(&p.events);
    nadi_mem_free(p.metas.items);
    return !p.bad;
}

/* The planes of a file as ranks from *rank on; those beyond the job's are only counted. */
static bool read_space(struct nadi_front_job *job, struct nadi_profile *profile, const char *path,
                       const void *data, size_t bytes, uint32_t *rank, struct nadi_diags *diags)
{
    struct nadi_wire_cursor w = nadi_wire_of(data, bytes);
    struct nadi_wire_field f = {0};
    enum nadi_wire_result result;
    bool ok = true;
    while ((result = nadi_wire_next(&w, &f)) == NADI_WIRE_FIELD && ok && *rank < NADI_FRONT_RANKS)
        if (f.number == 1 && f.type == NADI_WIRE_BYTES)
            ok = read_plane(job, profile, &f, rank);
    if (ok && result == NADI_WIRE_END)
        return true;
    struct nadi_place place = NADI_IN_FILE(path);
    place.offset = (uint64_t)(f.at - (const uint8_t *)data);
    return nadi_error(diags, "xplane/damaged", place,
                      "an .xplane.pb as the profiler wrote it, not converted as text",
                      "this is no whole XSpace message");
}

static bool no_work(const char *path, struct nadi_diags *diags)
{
    return nadi_error(diags, "profile/no-work", NADI_IN_FILE(path),
                      "a profile of accelerators: TPU planes with \"XLA Ops\", GPU planes with "
                      "streams",
                      "there is no work of a device in the profile");
}

bool nadi_xplane_parse(struct nadi_front_job *job, const char *path, const void *data, size_t bytes,
                       struct nadi_diags *diags)
{
    struct nadi_profile profile = {0};
    uint32_t count = 0, rank = 0;
    bool ok = read_space(job, &profile, path, data, bytes, &count, diags);
    nadi_front_grow(job, count);
    ok = ok && read_space(job, &profile, path, data, bytes, &rank, diags);
    if (ok && profile.works.count == 0)
        ok = no_work(path, diags);
    if (ok)
        nadi_profile_finish(&profile, job);
    nadi_profile_release(&profile);
    return ok;
}

struct bytes {
    char *data;
    size_t count;
};

bool nadi_front_read_xplane(struct nadi_front_job *job, const struct nadi_front_source *source,
                            struct nadi_diags *diags)
{
    struct nadi_profile profile = {0};
    struct bytes *files = NADI_ZNEW(struct bytes, source->count);
    uint32_t rank = 0;
    bool ok = true;
    for (size_t i = 0; i < source->count && ok; i++)
        ok = nadi_file_read(source->paths[i], "XPlane profile", &files[i].data, &files[i].count,
                            diags) &&
             read_space(job, &profile, source->paths[i], files[i].data, files[i].count, &rank,
                        diags);
    nadi_front_grow(job, rank);
    rank = 0;
    for (size_t i = 0; i < source->count && ok; i++)
        ok = read_space(job, &profile, source->paths[i], files[i].data, files[i].count, &rank,
                        diags);
    if (ok && profile.works.count == 0)
        ok = no_work(source->paths[0], diags);
    if (ok)
        nadi_profile_finish(&profile, job);
    for (size_t i = 0; i < source->count; i++)
        nadi_mem_free(files[i].data);
    nadi_mem_free(files);
    nadi_profile_release(&profile);
    return ok;
}
