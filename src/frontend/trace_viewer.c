/* trace_viewer: JSON of the trace viewer (traceEvents) as the profilers of JAX and TensorFlow write
 * it, plain or compressed. Read: metadata events process_name ("/device:TPU:0") and thread_name
 * ("XLA Ops", "Stream #1"), complete events (ph X) with ts, dur and of args long_name or hlo_op,
 * model_flops or flops, bytes_accessed. A device process is a rank, by pid. */
#include "base/mem.h"
#include "format/json_file.h"
#include "frontend/frontend.h"
#include "frontend/profile.h"

struct thread {
    int64_t pid, tid;
    bool work;
};

struct event {
    int64_t pid, tid, ts_ns, dur_ns, ops, bytes;
    const char *name, *text, *arg_name;
    bool complete, process, thread, timed;
};

struct reader {
    struct nadi_front_job *job;
    struct nadi_profile profile;
    struct {
        struct event *items;
        size_t count, capacity;
    } events;
    struct {
        int64_t *items;
        size_t count, capacity;
    } devices; /* pids */
    struct {
        struct thread *items;
        size_t count, capacity;
    } threads;
    bool kineto;
};

static const char *keep(struct reader *r, struct nadi_view v)
{
    char *to = nadi_arena_alloc(&r->job->arena, (size_t)v.bytes + 1, 1);
    to[nadi_view_unescape(v, to)] = '\0';
    return to;
}

static bool skip(struct nadi_pull *s)
{
    struct nadi_view text;
    return nadi_pull_skip(s, &text);
}

static bool read_args(struct reader *r, struct nadi_pull *s, struct event *e)
{
    struct nadi_view key;
    struct nadi_value v;
    if (nadi_pull_peek(s) != '{')
        return skip(s);
    nadi_pull_open(s, '{');
    while (nadi_pull_key(s, &key)) {
        if (!nadi_pull_value(s, &v))
            return false;
        if (NADI_VIEW_IS(key, "name"))
            e->arg_name = keep(r, v.text);
        else if (NADI_VIEW_IS(key, "long_name") || (NADI_VIEW_IS(key, "hlo_op") && !e->text))
            e->text = keep(r, v.text);
        else if (NADI_VIEW_IS(key, "model_flops") || NADI_VIEW_IS(key, "flops"))
            nadi_value_integer(&v, &e->ops);
        else if (NADI_VIEW_IS(key, "bytes_accessed"))
            nadi_value_integer(&v, &e->bytes);
    }
    return !s->fault;
}

static bool read_event(void *context, struct nadi_pull *s)
{
    struct reader *r = context;
    struct event e = {.name = ""};
    struct nadi_view key;
    struct nadi_value v;
    bool metadata = false;
    if (nadi_pull_peek(s) != '{')
        return skip(s);
    nadi_pull_open(s, '{');
    while (nadi_pull_key(s, &key)) {
        if (NADI_VIEW_IS(key, "args")) {
            if (!read_args(r, s, &e))
                return false;
            continue;
        }
        if (!nadi_pull_value(s, &v))
            return false;
        if (NADI_VIEW_IS(key, "ph")) {
            e.complete = NADI_VIEW_IS(v.text, "X");
            metadata = NADI_VIEW_IS(v.text, "M");
        } else if (NADI_VIEW_IS(key, "pid")) {
            nadi_value_integer(&v, &e.pid);
        } else if (NADI_VIEW_IS(key, "tid")) {
            nadi_value_integer(&v, &e.tid);
        } else if (NADI_VIEW_IS(key, "ts")) {
            e.timed = nadi_value_micros(&v, &e.ts_ns);
        } else if (NADI_VIEW_IS(key, "dur")) {
            nadi_value_micros(&v, &e.dur_ns);
        } else if (NADI_VIEW_IS(key, "name")) {
            e.name = keep(r, v.text);
        }
    }
    if (s->fault)
        return false;
    e.process = metadata && nadi_str_equal(e.name, "process_name") && e.arg_name;
    e.thread = metadata && nadi_str_equal(e.name, "thread_name") && e.arg_name;
    if (e.process && nadi_str_starts(e.arg_name, "/device:"))
        NADI_PUSH(&r->devices, e.pid);
    const struct thread thread = {e.pid, e.tid,
                                  e.thread && (nadi_str_equal(e.arg_name, "XLA Ops") ||
                                               nadi_str_equal(e.arg_name, "Async XLA Ops") ||
                                               nadi_str_starts(e.arg_name, "Stream"))};
    if (thread.work)
        NADI_PUSH(&r->threads, thread);
    if (e.complete && e.timed && e.dur_ns >= 0)
        NADI_PUSH(&r->events, e);
    else if (!metadata)
        r->job->left_out++;
    return true;
}

/* Kineto, PyTorch's profiler, writes these beside the events. */
static bool read_member(void *context, struct nadi_pull *s, struct nadi_view key)
{
    struct reader *r = context;
    r->kineto |= NADI_VIEW_IS(key, "schemaVersion") || NADI_VIEW_IS(key, "deviceProperties") ||
                 NADI_VIEW_IS(key, "distributedInfo");
    return skip(s);
}

static int compare_pids(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static uint32_t find_rank(const struct reader *r, int64_t pid)
{
    for (size_t i = 0; i < r->devices.count; i++)
        if (r->devices.items[i] == pid)
            return (uint32_t)i;
    return NADI_NONE;
}

static uint32_t find_stream(const struct reader *r, const struct event *e)
{
    for (size_t i = 0; i < r->threads.count; i++)
        if (r->threads.items[i].pid == e->pid && r->threads.items[i].tid == e->tid)
            return (uint32_t)i;
    return NADI_NONE;
}

static void take_events(struct reader *r)
{
    if (r->devices.count)
        qsort(r->devices.items, r->devices.count, sizeof(int64_t), compare_pids);
    size_t distinct = 0;
    for (size_t i = 0; i < r->devices.count; i++)
        if (i == 0 || r->devices.items[i] != r->devices.items[i - 1])
            r->devices.items[distinct++] = r->devices.items[i];
    r->devices.count = distinct;
    nadi_front_grow(r->job, (uint32_t)distinct);
    for (size_t i = 0; i < r->events.count; i++) {
        const struct event *e = &r->events.items[i];
        struct nadi_front_work w = {
            .start_ns = e->ts_ns, .rank = find_rank(r, e->pid), .stream = find_stream(r, e)};
        if (w.rank == NADI_NONE || w.stream == NADI_NONE) {
            r->job->left_out++;
            continue;
        }
        w.node = (struct nadi_front_node){.name = e->name,
                                          .ns = (uint64_t)e->dur_ns,
                                          .ops = e->ops > 0 ? (uint64_t)e->ops : 0,
                                          .bytes = e->bytes > 0 ? (uint64_t)e->bytes : 0};
        nadi_profile_hlo(r->job, &w, e->text ? e->text : e->name);
        NADI_PUSH(&r->profile.works, w);
    }
}

static bool read_text(struct nadi_front_job *job, struct nadi_text *text, const char *path,
                      struct nadi_diags *diags)
{
    struct reader r = {.job = job};
    const struct nadi_text_reader reader = {"traceEvents", read_member, read_event, &r};
    unsigned lists = 0;
    bool ok = nadi_text_read(text, &reader, &lists);
    if (ok) {
        take_events(&r);
        if (r.profile.works.count == 0 || r.devices.count > NADI_FRONT_RANKS)
            ok = r.kineto
                     ? nadi_error(diags, "profile/no-work", NADI_IN_FILE(path),
                                  "nadi trace import --device FILE -o PREFIX",
                                  "this is a profile of PyTorch (Kineto), which another command "
                                  "reads")
                     : nadi_error(
                           diags, "profile/no-work", NADI_IN_FILE(path),
                           "processes \"/device:...\" with threads \"XLA Ops\" or \"Stream ...\"; "
                           "PyTorch's profiles: nadi trace import",
                           "there is no work of a device in the profile");
        else
            nadi_profile_finish(&r.profile, job);
    }
    nadi_mem_free(r.events.items);
    nadi_mem_free(r.devices.items);
    nadi_mem_free(r.threads.items);
    nadi_profile_release(&r.profile);
    return ok;
}

bool nadi_trace_viewer_parse(struct nadi_front_job *job, const char *path, const void *data,
                             size_t bytes, struct nadi_diags *diags)
{
    struct nadi_text text;
    const bool ok =
        nadi_text_memory(&text, path, data, bytes, 0, diags) && read_text(job, &text, path, diags);
    nadi_text_release(&text);
    return ok;
}

bool nadi_front_read_trace_viewer(struct nadi_front_job *job,
                                  const struct nadi_front_source *source, struct nadi_diags *diags)
{
    struct nadi_text text;
    if (source->count != 1)
        return nadi_error(diags, "usage/files", NADI_NOWHERE, "one file has all devices of a host",
                          "%zu files of the trace viewer", source->count);
    const bool ok = nadi_text_open(&text, source->paths[0], true, diags) &&
                    read_text(job, &text, source->paths[0], diags);
    nadi_text_release(&text);
    return ok;
}
