/* Any bytes as a trace: shown in both forms, or refused; what is shown packs to the same bytes, and
 * the check and the reader of whole files agree that it can be read. */
#include "base/mem.h"
#include "trace/audit.h"
#include "trace/full.h"
#include "trace/links.h"
#include "trace/pack.h"
#include "trace/show.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool show(const void *data, size_t size, enum nadi_show_form form, struct nadi_str *text)
{
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    struct nadi_out *sink = nadi_out_memory(text, NADI_CODING_PLAIN);
    const bool ok = nadi_show_memory("fuzz.et", data, size, form, sink, &diags);
    NADI_ASSERT(nadi_out_close(sink, &diags));
    NADI_ASSERT(ok == (diags.errors == 0));
    nadi_diags_release(&diags);
    return ok;
}

static void pack_again(const struct nadi_str *text, const uint8_t *data, size_t size)
{
    struct nadi_diags diags;
    struct nadi_str file = NADI_STR_INIT;
    nadi_diags_init(&diags);
    struct nadi_out *sink = nadi_out_memory(&file, NADI_CODING_PLAIN);
    NADI_ASSERT(nadi_pack_memory("fuzz.jsonl", text->text, text->length, sink, &diags));
    NADI_ASSERT(nadi_out_close(sink, &diags));
    const bool is_coded =
        size >= 4 &&
        ((data[0] == 0x1f && data[1] == 0x8b) || memcmp(data, "\x28\xb5\x2f\xfd", 4) == 0 ||
         (data[0] >> 4 == 5 && memcmp(data + 1, "\x2a\x4d\x18", 3) == 0));
    NADI_ASSERT(is_coded || (file.length == size && memcmp(file.text, data, size) == 0));
    nadi_str_release(&file);
    nadi_diags_release(&diags);
}

static void read_whole(const uint8_t *data, size_t size)
{
    struct nadi_diags diags;
    struct nadi_audit audit;
    nadi_diags_init(&diags);
    nadi_audit_memory(&audit, "fuzz.et", data, size, &diags);
    NADI_ASSERT(audit.sound == (diags.errors == 0));
    nadi_diags_release(&diags);
    nadi_diags_init(&diags);
    struct nadi_full *full = nadi_full_parse("fuzz.et", data, size, &diags);
    NADI_ASSERT((full == NULL) == (diags.errors > 0));
    NADI_ASSERT(!audit.sound || full);
    if (full) {
        struct nadi_links links;
        nadi_links_build(&links, full);
        (void)!nadi_links_order(&links);
        nadi_links_release(&links);
    }
    nadi_full_destroy(full);
    nadi_diags_release(&diags);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct nadi_str text = NADI_STR_INIT, old = NADI_STR_INIT;
    if (show(data, size, NADI_SHOW_LINES, &text))
        pack_again(&text, data, size);
    (void)show(data, size, NADI_SHOW_JSONIZER, &old);
    read_whole(data, size);
    nadi_str_release(&text);
    nadi_str_release(&old);
    return 0;
}
