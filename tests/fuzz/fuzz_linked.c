/* Any text as a linked trace: an error, or Chakra traces. That of the corrected graph is one that
 * the reader accepts; that of the published converter may have its faults, but is made of whole
 * messages. */
#include "capture/capture.h"
#include "capture/compat_convert.h"
#include "capture/compat_read.h"
#include "trace/trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void convert_compat(const uint8_t *data, size_t size, size_t window, struct nadi_str *file)
{
    struct nadi_diags diags;
    struct nadi_text text;
    struct nadi_compat_trace t = {0};
    nadi_diags_init(&diags);
    bool good = nadi_text_memory(&text, "fuzz.json", data, size, window, &diags) &&
                nadi_compat_read(&t, &text, &diags) && nadi_compat_order(&t, &diags);
    NADI_ASSERT(good == (diags.errors == 0));
    if (good) {
        uint64_t written;
        struct nadi_out *out = nadi_out_memory(file, NADI_CODING_PLAIN);
        good = nadi_compat_write(&t, out, &written, &diags);
        NADI_ASSERT(written <= t.nodes.count);
        NADI_ASSERT(nadi_out_close(out, &diags));
        NADI_ASSERT(good == (diags.errors == 0));
    }
    nadi_compat_release(&t);
    nadi_text_release(&text);
    nadi_diags_release(&diags);
}

static void convert(const uint8_t *data, size_t size)
{
    struct nadi_diags diags;
    struct nadi_text text;
    struct nadi_capture c;
    struct nadi_capture_options options = {
        .linked = "fuzz.json", .rank = NADI_NONE, .force = true, .resolution_ns = 1000};
    struct nadi_capture_texts given = {NULL, NULL, &text};
    nadi_diags_init(&diags);
    if (nadi_text_memory(&text, "fuzz.json", data, size, 0, &diags)) {
        bool good = nadi_capture_parse(&c, &options, &given, &diags);
        NADI_ASSERT(good == (diags.errors == 0));
        if (good) {
            struct nadi_str file = NADI_STR_INIT;
            struct nadi_group_book *book = &c.book;
            nadi_groups_number(&book, 1, 0);
            nadi_capture_build(&c, &diags);
            struct nadi_out *out = nadi_out_memory(&file, NADI_CODING_PLAIN);
            nadi_capture_write(&c, out);
            NADI_ASSERT(nadi_out_close(out, &diags));
            struct nadi_trace *t = nadi_trace_parse("fuzz.et", file.text, file.length, 0, &diags);
            NADI_ASSERT(t);
            nadi_trace_destroy(t);
            nadi_str_release(&file);
        }
        nadi_capture_release(&c);
    }
    nadi_text_release(&text);
    nadi_diags_release(&diags);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct nadi_str whole = NADI_STR_INIT, window = NADI_STR_INIT;
    convert_compat(data, size, 0, &whole);
    convert_compat(data, size, 64, &window);
    NADI_ASSERT(whole.length == window.length &&
                (!whole.length || memcmp(whole.text, window.text, whole.length) == 0));
    nadi_str_release(&whole);
    nadi_str_release(&window);
    convert(data, size);
    return 0;
}
