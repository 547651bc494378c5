/* Any bytes through repair: an error, or a trace that the audit finds sound in framing, ids and
 * dependencies, and that repair leaves as it is the second time. */
#include "base/diag.h"
#include "trace/edit/repair.h"
#include "trace/links.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool repair(const void *data, size_t size, struct nadi_str *out)
{
    struct nadi_diags diags;
    struct nadi_edit_report report;
    nadi_diags_init(&diags);
    nadi_edit_report_init(&report);
    struct nadi_full *f = nadi_repair_parse("fuzz.et", data, size, &report, &diags);
    NADI_ASSERT((f == NULL) == (diags.errors > 0));
    if (f) {
        struct nadi_out *sink = nadi_out_memory(out, NADI_CODING_PLAIN);
        nadi_repair_write(f, NADI_NONE, sink, &report, &diags);
        NADI_ASSERT(nadi_out_close(sink, &diags));
    }
    const bool ok = f != NULL;
    nadi_full_destroy(f);
    nadi_edit_report_release(&report);
    nadi_diags_release(&diags);
    return ok;
}

static void check_sound(const struct nadi_str *file)
{
    struct nadi_diags diags;
    struct nadi_links links;
    nadi_diags_init(&diags);
    struct nadi_full *f = nadi_full_parse("repaired.et", file->text, file->length, &diags);
    NADI_ASSERT(f && diags.errors == 0);
    nadi_links_build(&links, f);
    NADI_ASSERT(links.faults.count == 0 && nadi_links_order(&links));
    nadi_links_release(&links);
    nadi_full_destroy(f);
    nadi_diags_release(&diags);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct nadi_str once = NADI_STR_INIT, twice = NADI_STR_INIT;
    if (repair(data, size, &once)) {
        check_sound(&once);
        NADI_ASSERT(repair(once.text, once.length, &twice));
        NADI_ASSERT(once.length == twice.length && memcmp(once.text, twice.text, once.length) == 0);
    }
    nadi_str_release(&once);
    nadi_str_release(&twice);
    return 0;
}
