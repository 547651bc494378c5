/* Any sound trace, anonymised: the verifier finds nothing, the result is a trace, and with shapes
 * kept it is the same graph for a simulation. */
#include "base/diag.h"
#include "sim/comparison.h"
#include "trace/edit/anonymize.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void anonymize(const struct nadi_full *f, const struct nadi_links *links,
                      enum nadi_shapes shapes, struct nadi_str *out)
{
    struct nadi_anonymizer a;
    struct nadi_edit_report report;
    struct nadi_str why = NADI_STR_INIT;
    nadi_anonymizer_init(&a, "key", shapes);
    nadi_edit_report_init(&report);
    nadi_anonymize(&a, f, links, out, &report);
    if (!nadi_anonymize_verify(out->text, out->length, &why))
        NADI_BUG("%s", nadi_str_get(&why));
    nadi_edit_report_release(&report);
    nadi_anonymizer_release(&a);
}

static void check_same(const uint8_t *data, size_t size, const struct nadi_str *out)
{
    struct nadi_diags diags;
    struct nadi_str why = NADI_STR_INIT;
    nadi_diags_init(&diags);
    struct nadi_trace *before = nadi_trace_parse("before.et", data, size, 0, &diags);
    if (before) {
        struct nadi_trace *after = nadi_trace_parse("after.et", out->text, out->length, 0, &diags);
        NADI_ASSERT(after);
        if (!nadi_comparison_same_graph(before, after, &why))
            NADI_BUG("%s", nadi_str_get(&why));
        nadi_trace_destroy(after);
    }
    nadi_trace_destroy(before);
    nadi_diags_release(&diags);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct nadi_diags diags;
    struct nadi_links links;
    nadi_diags_init(&diags);
    struct nadi_full *f = nadi_full_parse("fuzz.et", data, size, &diags);
    if (f) {
        nadi_links_build(&links, f);
        for (int shapes = NADI_SHAPES_KEEP; shapes <= NADI_SHAPES_SCALE; shapes++) {
            struct nadi_str out = NADI_STR_INIT;
            anonymize(f, &links, (enum nadi_shapes)shapes, &out);
            if (shapes == NADI_SHAPES_KEEP)
                check_same(data, size, &out);
            nadi_str_release(&out);
        }
        nadi_links_release(&links);
    }
    nadi_full_destroy(f);
    nadi_diags_release(&diags);
    return 0;
}
