/* Any two texts as an execution trace and a profile: an error, or a trace that the reader accepts.
 * The two are separated by a line "==="; an empty first one is no execution trace. Read whole and
 * through a window, a profile is the same. */
#include "capture/capture.h"
#include "capture/compat_link.h"
#include "capture/coverage.h"
#include "capture/link_write.h"
#include "trace/trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct text {
    const void *data;
    size_t bytes;
};

static bool read_profile(struct text t, size_t window, struct nadi_kineto *k)
{
    struct nadi_diags diags;
    struct nadi_text text;
    nadi_diags_init(&diags);
    bool good = nadi_text_memory(&text, "fuzz.json", t.data, t.bytes, window, &diags) &&
                nadi_kineto_read(k, &text, &diags);
    NADI_ASSERT(good == (diags.errors == 0));
    nadi_text_release(&text);
    nadi_diags_release(&diags);
    return good;
}

static void compare_windows(struct text device)
{
    struct nadi_kineto whole = {0}, window = {0};
    bool good = read_profile(device, 0, &whole);
    NADI_ASSERT(good == read_profile(device, 64, &window));
    if (good) {
        NADI_ASSERT(whole.events.count == window.events.count && whole.total == window.total);
        for (size_t i = 0; i < whole.events.count; i++) {
            const struct nadi_kineto_event *a = &whole.events.items[i],
                                           *b = &window.events.items[i];
            NADI_ASSERT(a->ts_ns == b->ts_ns && a->dur_ns == b->dur_ns && a->name == b->name &&
                        a->external_id == b->external_id && a->rf_id == b->rf_id &&
                        a->correlation == b->correlation && a->thread == b->thread &&
                        a->stream == b->stream && a->kind == b->kind && a->detail == b->detail);
        }
    }
    nadi_kineto_release(&whole);
    nadi_kineto_release(&window);
}

/* The trace of a capture: the reader takes it, so it has no cycle and nothing dangles. */
static void build(struct nadi_capture *c, struct nadi_diags *diags)
{
    struct nadi_group_book *book = &c->book;
    struct nadi_str file = NADI_STR_INIT, linked = NADI_STR_INIT, report = NADI_STR_INIT;
    struct nadi_coverage coverage;
    nadi_groups_number(&book, 1, 0);
    nadi_capture_build(c, diags);
    struct nadi_out *out = nadi_out_memory(&file, NADI_CODING_PLAIN);
    nadi_capture_write(c, out);
    NADI_ASSERT(nadi_out_close(out, diags));
    struct nadi_trace *t = nadi_trace_parse("fuzz.et", file.text, file.length, 0, diags);
    NADI_ASSERT(t && t->node_count == c->graph.nodes.count);
    nadi_trace_destroy(t);
    if (c->has_host) {
        out = nadi_out_memory(&linked, NADI_CODING_PLAIN);
        nadi_capture_link(c, out);
        NADI_ASSERT(nadi_out_close(out, diags));
    }
    nadi_coverage_of(&coverage, c);
    nadi_coverage_text(&coverage, 1, &report);
    nadi_str_release(&file);
    nadi_str_release(&linked);
    nadi_str_release(&report);
}

static void import(struct text host, struct text device, bool force)
{
    struct nadi_diags diags;
    struct nadi_text texts[2] = {{.fd = -1}, {.fd = -1}};
    struct nadi_capture c;
    struct nadi_capture_options options = {
        .device = "fuzz.json", .rank = NADI_NONE, .force = force, .resolution_ns = 1000};
    struct nadi_capture_texts given = {host.bytes ? &texts[0] : NULL, &texts[1], NULL};
    nadi_diags_init(&diags);
    NADI_ASSERT(nadi_text_memory(&texts[0], "host.json", host.data, host.bytes, 0, &diags) ||
                diags.errors);
    bool good = nadi_text_memory(&texts[1], "fuzz.json", device.data, device.bytes, 0, &diags) &&
                diags.errors == 0;
    if (good) {
        good = nadi_capture_parse(&c, &options, &given, &diags);
        NADI_ASSERT(good == (diags.errors == 0));
        if (good)
            build(&c, &diags);
        nadi_capture_release(&c);
    }
    nadi_text_release(&texts[0]);
    nadi_text_release(&texts[1]);
    nadi_diags_release(&diags);
}

/* The published linker's way over the same two. */
static void link_compat(struct text host, struct text device)
{
    struct nadi_diags diags;
    struct nadi_text text;
    struct nadi_host h = {.text.fd = -1};
    struct nadi_kineto k = {0};
    struct nadi_compat_link link = {0};
    nadi_diags_init(&diags);
    bool good = nadi_text_memory(&text, "host.json", host.data, host.bytes, 0, &diags) &&
                nadi_host_read(&h, &text, &diags);
    nadi_text_release(&text);
    if (good && read_profile(device, 0, &k) && nadi_compat_link(&link, &k, "fuzz.json", &diags)) {
        struct nadi_str json = NADI_STR_INIT;
        struct nadi_out *out = nadi_out_memory(&json, NADI_CODING_PLAIN);
        struct nadi_link_count count = nadi_link_write(out, &h, &link);
        NADI_ASSERT(count.host_nodes == h.nodes.count);
        NADI_ASSERT(nadi_out_close(out, &diags));
        nadi_str_release(&json);
    }
    nadi_compat_link_release(&link);
    nadi_kineto_release(&k);
    nadi_host_release(&h);
    nadi_diags_release(&diags);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char line[] = "\n===\n";
    const uint8_t *cut = size ? memmem(data, size, line, sizeof(line) - 1) : NULL;
    struct text host = {data, cut ? (size_t)(cut - data) : 0};
    struct text device = {data, size};
    if (cut)
        device = (struct text){cut + sizeof(line) - 1, size - host.bytes - (sizeof(line) - 1)};
    compare_windows(device);
    import(host, device, false);
    import(host, device, true);
    link_compat(host, device);
    return 0;
}
