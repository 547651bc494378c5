#include "support/imported.h"

#include "base/mem.h"
#include "base/str.h"
#include "capture/compat_link.h"

struct capture *recording_begin(struct recording *r, const struct capture_form *form)
{
    *r = (struct recording){0};
    FILE *host = open_memstream(&r->texts[0], &r->bytes[0]);
    FILE *device = open_memstream(&r->texts[1], &r->bytes[1]);
    NADI_ASSERT(host && device);
    capture_begin(&r->capture, form ? form : &(struct capture_form){0}, host, device);
    return &r->capture;
}

void recording_end(struct recording *r)
{
    capture_end(&r->capture);
    fclose(r->capture.host);
    fclose(r->capture.device);
}

void recording_release(struct recording *r)
{
    free(r->texts[0]);
    free(r->texts[1]);
}

static bool parse(struct imported *x, const char *host, size_t host_bytes, const char *device,
                  size_t device_bytes, const struct import_how *how)
{
    struct nadi_text texts[2] = {{.fd = -1}, {.fd = -1}};
    const struct nadi_capture_options options = {
        .device = "profile.json",
        .rank = NADI_NONE,
        .force = how->force,
        .resolution_ns = how->resolution_ns,
    };
    const struct nadi_capture_texts given = {host ? &texts[0] : NULL, &texts[1], NULL};
    bool good =
        (!host || nadi_text_memory(&texts[0], "trace.json", host, host_bytes, 0, &x->diags)) &&
        nadi_text_memory(&texts[1], "profile.json", device, device_bytes, 0, &x->diags) &&
        nadi_capture_parse(&x->capture, &options, &given, &x->diags);
    nadi_text_release(&texts[0]);
    nadi_text_release(&texts[1]);
    return good;
}

/* Links what was parsed and parses that instead. */
static bool go_by_link(struct imported *x, struct nadi_str *linked, const struct import_how *how)
{
    struct nadi_out *out = nadi_out_memory(linked, NADI_CODING_PLAIN);
    struct nadi_text text;
    const struct nadi_capture_options options = {
        .linked = "linked.json", .rank = NADI_NONE, .resolution_ns = how->resolution_ns};
    const struct nadi_capture_texts given = {NULL, NULL, &text};
    nadi_capture_link(&x->capture, out);
    NADI_ASSERT(nadi_out_close(out, &x->diags));
    nadi_capture_release(&x->capture);
    bool good =
        nadi_text_memory(&text, "linked.json", linked->text, linked->length, 0, &x->diags) &&
        nadi_capture_parse(&x->capture, &options, &given, &x->diags);
    nadi_text_release(&text);
    return good;
}

void imported_of_texts(struct imported *x, const char *host, size_t host_bytes, const char *device,
                       size_t device_bytes, const struct import_how *how)
{
    static const struct import_how usual;
    how = how ? how : &usual;
    *x = (struct imported){0};
    nadi_diags_init(&x->diags);
    x->capture.host.text.fd = -1;
    struct nadi_str file = NADI_STR_INIT, linked = NADI_STR_INIT;
    bool good = parse(x, how->device_alone ? NULL : host, host_bytes, device, device_bytes, how);
    if (good && how->by_link)
        good = go_by_link(x, &linked, how);
    NADI_ASSERT(good == (x->diags.errors == 0));
    if (good) {
        struct nadi_group_book *book = &x->capture.book;
        nadi_groups_number(&book, 1, 0);
        nadi_capture_build(&x->capture, &x->diags);
        struct nadi_out *out = nadi_out_memory(&file, NADI_CODING_PLAIN);
        nadi_capture_write(&x->capture, out);
        NADI_ASSERT(nadi_out_close(out, &x->diags));
        nadi_coverage_of(&x->coverage, &x->capture);
        x->trace = nadi_trace_parse("trace.et", file.text, file.length, 0, &x->diags);
        NADI_ASSERT(x->trace);
    }
    nadi_str_release(&file);
    nadi_str_release(&linked);
}

void imported_make(struct imported *x, const struct recording *r, const struct import_how *how)
{
    imported_of_texts(x, r->texts[0], r->bytes[0], r->texts[1], r->bytes[1], how);
}

void imported_release(struct imported *x)
{
    nadi_trace_destroy(x->trace);
    nadi_capture_release(&x->capture);
    nadi_diags_release(&x->diags);
}

uint32_t imported_find(const struct imported *x, const char *name, uint32_t from)
{
    for (uint32_t i = from; i < x->trace->node_count; i++)
        if (strcmp(nadi_trace_name(x->trace, i), name) == 0)
            return i;
    return NADI_NONE;
}

bool imported_waits_for(const struct imported *x, uint32_t node, uint32_t before)
{
    const struct nadi_trace *t = x->trace;
    bool *reached = NADI_ZNEW(bool, t->node_count);
    NADI_ASSERT(node < t->node_count && before < t->node_count);
    reached[node] = true; /* dependencies have lower numbers, so one walk down does */
    for (uint32_t i = node + 1; i-- > 0;)
        for (uint32_t d = t->dep_start[i]; reached[i] && d < t->dep_start[i + 1]; d++)
            reached[t->deps[d]] = true;
    bool found = node != before && reached[before];
    nadi_mem_free(reached);
    return found;
}

bool imported_said(const struct imported *x, const char *code)
{
    for (size_t i = 0; i < x->diags.count; i++)
        if (strcmp(x->diags.items[i].code, code) == 0)
            return true;
    return false;
}

/* Stream 0 is the processor. Nodes of a stream go in order of number when they are ready. */
int64_t imported_replay(const struct imported *x)
{
    const struct nadi_trace *t = x->trace;
    const struct nadi_built_graph *g = &x->capture.graph;
    const uint32_t streams = x->capture.device.stream_count + 1;
    int64_t *end = NADI_NEW(int64_t, t->node_count), *ready = NADI_NEW(int64_t, t->node_count);
    int64_t *free_at = NADI_ZNEW(int64_t, streams), last = 0;
    bool *done = NADI_ZNEW(bool, t->node_count);
    for (uint32_t left = t->node_count; left; left--) { /* list scheduling, O(n^2): small traces */
        uint32_t best = NADI_NONE, best_stream = 0;
        int64_t best_at = INT64_MAX;
        for (uint32_t i = 0; i < t->node_count; i++) {
            bool open = done[i];
            ready[i] = 0;
            for (uint32_t d = t->dep_start[i]; !open && d < t->dep_start[i + 1]; d++) {
                open = !done[t->deps[d]];
                ready[i] = end[t->deps[d]] > ready[i] ? end[t->deps[d]] : ready[i];
            }
            if (open)
                continue;
            const struct nadi_built_node *n = &g->nodes.items[i];
            const uint32_t stream =
                n->work == NADI_NONE ? 0 : 1 + x->capture.device.works[n->work].stream;
            const int64_t at = ready[i] > free_at[stream] ? ready[i] : free_at[stream];
            if (at < best_at) {
                best = i;
                best_stream = stream;
                best_at = at;
            }
        }
        NADI_ASSERT(best != NADI_NONE);
        done[best] = true;
        end[best] = best_at + (int64_t)t->duration_ns[best];
        free_at[best_stream] = end[best];
        last = end[best] > last ? end[best] : last;
    }
    nadi_mem_free(end);
    nadi_mem_free(ready);
    nadi_mem_free(free_at);
    nadi_mem_free(done);
    return last;
}
