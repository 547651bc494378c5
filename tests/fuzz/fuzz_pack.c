/* Any text as JSON lines: at least one error, or a trace that shows and packs to the same bytes. */
#include "base/mem.h"
#include "trace/pack.h"
#include "trace/show.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool pack(const void *data, size_t size, struct nadi_str *file, struct nadi_diags *diags)
{
    struct nadi_out *sink = nadi_out_memory(file, NADI_CODING_PLAIN);
    const bool ok = nadi_pack_memory("fuzz.jsonl", data, size, sink, diags);
    NADI_ASSERT(nadi_out_close(sink, diags));
    return ok;
}

/* What was packed may be no trace at all, by way of "raw": then it cannot be shown. */
static void check_round_trip(const struct nadi_str *file)
{
    struct nadi_diags diags;
    struct nadi_str text = NADI_STR_INIT, again = NADI_STR_INIT;
    nadi_diags_init(&diags);
    struct nadi_out *sink = nadi_out_memory(&text, NADI_CODING_PLAIN);
    const bool shown = nadi_show_memory("fuzz.et", nadi_str_get(file), file->length,
                                        NADI_SHOW_LINES, sink, &diags);
    NADI_ASSERT(nadi_out_close(sink, &diags));
    NADI_ASSERT(shown == (diags.errors == 0));
    if (shown) {
        NADI_ASSERT(pack(text.text, text.length, &again, &diags));
        NADI_ASSERT(again.length == file->length &&
                    memcmp(again.text, file->text, again.length) == 0);
    }
    nadi_str_release(&text);
    nadi_str_release(&again);
    nadi_diags_release(&diags);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct nadi_diags diags;
    struct nadi_str file = NADI_STR_INIT;
    nadi_diags_init(&diags);
    const bool ok = pack(data, size, &file, &diags);
    NADI_ASSERT(ok == (diags.errors == 0));
    if (ok)
        check_round_trip(&file);
    nadi_str_release(&file);
    nadi_diags_release(&diags);
    return 0;
}
