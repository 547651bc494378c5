#include "api/inside.h"
#include "synthesize/synth_report.h"

void nadi_collective_synth_options_init(struct nadi_collective_synth_options *options)
{
    *options = (struct nadi_collective_synth_options){
        .size = sizeof(*options), .kind = "all-reduce", .bytes = UINT64_C(64) << 20, .seed = 1};
}

enum nadi_status nadi_do_collective_synth(const struct nadi_collective_synth_options *o,
                                          char **report, struct nadi_diags *messages)
{
    struct nadi_str text = NADI_STR_INIT;
    const struct nadi_synth_order order = {
        .topology = o->topology,
        .kind = o->kind,
        .bytes = o->bytes,
        .chunks = o->chunks,
        .tries = o->tries,
        .seed = o->seed,
        .against = o->against,
        .out = o->out,
        .form = o->form ? nadi_table_form_find(o->form) : NADI_TABLE_NO_FORM,
        .csv = o->csv,
    };
    if (o->form && order.form == NADI_TABLE_NO_FORM) {
        nadi_error(messages, "option/word", NADI_NOWHERE, "own, msccl or chakra",
                   "'%s' is no form of an algorithm", o->form);
        return NADI_STATUS_INPUT;
    }
    if (o->bytes == 0) {
        nadi_error(messages, "option/range", NADI_NOWHERE, NULL,
                   "--bytes is 0; at least a byte is wanted");
        return NADI_STATUS_INPUT;
    }
    const bool ok = nadi_synth_make(&order, &text, messages);
    if (ok)
        *report = text.text;
    else
        nadi_str_release(&text);
    return ok ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}
