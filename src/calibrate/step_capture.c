#include "calibrate/step_capture.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "format/inflate.h"
#include "format/json_pull.h"

struct range {
    int64_t begin, ns;
};

struct marks {
    struct range *items;
    size_t count, capacity;
    int64_t kernels_end;
};

struct event {
    struct nadi_view category, name;
    struct range range;
    bool timed[2]; /* has ts, has dur */
};

static void read_event(struct nadi_pull *s, struct event *e)
{
    struct nadi_view key;
    struct nadi_value value;
    *e = (struct event){.range = {0, 0}};
    (void)nadi_pull_open(s, '{');
    while (nadi_pull_key(s, &key) && nadi_pull_value(s, &value)) {
        if (NADI_VIEW_IS(key, "cat"))
            e->category = value.text;
        else if (NADI_VIEW_IS(key, "name"))
            e->name = value.text;
        else if (NADI_VIEW_IS(key, "ts"))
            e->timed[0] = nadi_value_micros(&value, &e->range.begin);
        else if (NADI_VIEW_IS(key, "dur"))
            e->timed[1] = nadi_value_micros(&value, &e->range.ns);
    }
}

static void take_event(struct marks *m, const struct event *e)
{
    static const char word[] = "ProfilerStep#";
    const size_t length = sizeof(word) - 1;
    const int64_t most = INT64_MAX / 4;
    const struct range r = e->range;
    if (!e->timed[0] || !e->timed[1] || r.ns < 0 || r.ns > most || r.begin < -most ||
        r.begin > most)
        return;
    if (NADI_VIEW_IS(e->category, "kernel") && r.begin + r.ns > m->kernels_end)
        m->kernels_end = r.begin + r.ns;
    /* the device's copy of the mark begins when the device does */
    if (e->name.bytes > length && memcmp(e->name.at, word, length) == 0 &&
        !NADI_VIEW_IS(e->category, "gpu_user_annotation"))
        NADI_PUSH(m, r);
}

static void read_events(struct nadi_pull *s, struct marks *m)
{
    struct event e;
    (void)nadi_pull_open(s, '[');
    while (nadi_pull_item(s)) {
        read_event(s, &e);
        if (!s->fault)
            take_event(m, &e);
    }
}

static void read_capture(struct nadi_pull *s, struct marks *m)
{
    struct nadi_view key;
    struct nadi_value value;
    if (nadi_pull_peek(s) == '[') {
        read_events(s, m);
        return;
    }
    (void)nadi_pull_open(s, '{');
    while (nadi_pull_key(s, &key)) {
        if (NADI_VIEW_IS(key, "traceEvents"))
            read_events(s, m);
        else
            (void)nadi_pull_value(s, &value);
    }
}

static int by_begin(const void *x, const void *y)
{
    const struct range *a = x, *b = y;
    return (a->begin > b->begin) - (a->begin < b->begin);
}

static int by_length(const void *x, const void *y)
{
    const struct range *a = x, *b = y;
    return (a->ns > b->ns) - (a->ns < b->ns);
}

static double median_seconds(struct marks *m)
{
    const size_t first = m->count > 2 ? 1 : 0, count = m->count - first;
    struct range *r = m->items + first;
    qsort(m->items, m->count, sizeof(*m->items), by_begin);
    for (size_t i = 0; i + 1 < count; i++)
        r[i].ns = r[i + 1].begin - r[i].begin;
    if (m->count == 1 && m->kernels_end > r->begin + r->ns)
        r->ns = m->kernels_end - r->begin;
    qsort(r, count, sizeof(*r), by_length);
    const struct range *low = &r[(count - 1) / 2], *high = &r[count / 2];
    return (double)(low->ns + high->ns) / 2 / 1e9;
}

static bool step_of(const char *path, const struct nadi_str *text, double *seconds,
                    struct nadi_diags *diags)
{
    struct marks m = {.items = NULL, .kernels_end = INT64_MIN};
    struct nadi_pull s = nadi_pull_of(nadi_str_get(text), text->length - NADI_PULL_PAD);
    bool ok = true;
    read_capture(&s, &m);
    if (s.fault)
        ok = nadi_error(diags, "profile/json", NADI_IN_FILE(path), NULL,
                        "no capture of PyTorch's profiler: byte %zu: %s",
                        (size_t)(s.at - nadi_str_get(text)), s.fault);
    else if (m.count == 0)
        ok = nadi_error(diags, "profile/steps", NADI_IN_FILE(path),
                        "call step() of torch.profiler.profile after each step, or give 'step_s'",
                        "no range 'ProfilerStep#...' says how long a step took");
    else
        *seconds = median_seconds(&m);
    nadi_mem_free(m.items);
    return ok;
}

bool nadi_step_of_capture(const char *path, double *seconds, struct nadi_diags *diags)
{
    struct nadi_str text = NADI_STR_INIT;
    static const char pad[NADI_PULL_PAD];
    char *stored;
    size_t bytes;
    if (!nadi_file_read(path, "capture", &stored, &bytes, diags))
        return false;
    bool ok = nadi_inflate_all(path, stored, bytes, &text, diags);
    nadi_mem_free(stored);
    if (ok) {
        nadi_str_add_bytes(&text, pad, sizeof(pad));
        ok = step_of(path, &text, seconds, diags);
    }
    nadi_str_release(&text);
    return ok;
}
