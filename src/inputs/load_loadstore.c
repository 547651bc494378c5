/* load_loadstore: the loadstore model's file. */
#include "base/diag.h"
#include "format/doc_change.h"
#include "inputs/load.h"
#include "inputs/loadstore_config.h"

#define AT(member) offsetof(struct nadi_loadstore_config, member)

struct knob {
    const char *key;
    size_t offset;
};
static const struct knob wholes[] = {
    {"sms", AT(sms)},
    {"copy-sms", AT(copy_sms)},
    {"request", AT(request_bytes)},
    {"header", AT(header_bytes)},
    {"control", AT(control_bytes)},
    {"outstanding", AT(outstanding)},
    {"exact-lines", AT(exact_lines)},
    {"hop-credits", AT(hop_credits)},
    {"engines", AT(engines)},
    {"engine-outstanding", AT(engine_requests)},
};
static const struct knob durations[] = {
    {"engine-setup", AT(setup_ns)},  {"memory", AT(memory_ns)}, {"fence", AT(fence_ns)},
    {"ll128-latency", AT(ll128_ns)}, {"poll", AT(poll_ns)},
};
static const struct knob rates[] = {
    {"sm-rate", AT(sm_bytes_per_ns)},
    {"engine-rate", AT(engine_bytes_per_ns)},
};

enum { H100, A100, V100, B200 };

/* SMs of the whole device as sold, what NCCL takes of them, a direction of all its links. */
static const struct {
    uint32_t sms, copy_sms;
    double engine_bytes_per_ns;
} devices[] = {
    [H100] = {132, 24, 450},
    [A100] = {108, 24, 300},
    [V100] = {80, 24, 150},
    [B200] = {148, 32, 900},
};

static bool fits_protocol(const struct nadi_loadstore_config *c, const char *file,
                          struct nadi_diags *diags)
{
    const bool flags = c->protocol == NADI_PROTOCOL_LL || c->protocol == NADI_PROTOCOL_LL128;
    const bool lines = c->protocol == NADI_PROTOCOL_LL128 || c->protocol == NADI_PROTOCOL_AUTO;
    if (flags && c->direction == NADI_GET)
        return nadi_error(diags, "loadstore/protocol", NADI_IN_FILE(file),
                          "write protocol simple, or direction put",
                          "a get has no flags in its data: the one who loads knows when they are "
                          "there");
    if (flags && c->copy == NADI_COPY_ENGINE)
        return nadi_error(diags, "loadstore/protocol", NADI_IN_FILE(file),
                          "write protocol simple, or copy sm",
                          "copy engines copy bytes as they are, without flags among them");
    if (c->request_bytes % 8 || (lines && c->request_bytes % 128))
        return nadi_error(diags, "loadstore/request", NADI_IN_FILE(file),
                          lines ? "write a multiple of 128, or protocol simple or ll"
                                : "write a multiple of 8",
                          "request is %u B", c->request_bytes);
    return true;
}

static bool check(const struct nadi_loadstore_config *c, const struct nadi_schema_values *values,
                  struct nadi_diags *diags)
{
    const char *file = values->doc ? values->doc->path : NULL;
    if (c->copy_sms >= c->sms && c->copy == NADI_COPY_SM)
        return nadi_error(
            diags, "loadstore/copy-sms", NADI_IN_FILE(file), "lower copy-sms, or raise sms",
            "copy-sms is %u, of %u SMs in all: none is left to compute", c->copy_sms, c->sms);
    return fits_protocol(c, file, diags);
}

bool nadi_loadstore_config_fill(struct nadi_loadstore_config *c,
                                const struct nadi_schema_values *values, struct nadi_diags *diags)
{
    const uint32_t device = nadi_schema_word(values, "preset");
    *c = (struct nadi_loadstore_config){.sms = devices[device].sms,
                                        .copy_sms = devices[device].copy_sms,
                                        .engine_bytes_per_ns = devices[device].engine_bytes_per_ns,
                                        .sm_bytes_per_ns = 64};
    for (size_t i = 0; i < sizeof(wholes) / sizeof(wholes[0]); i++) {
        const struct nadi_schema_value *v = nadi_schema_get(values, wholes[i].key);
        if (v->count)
            *(uint32_t *)((char *)c + wholes[i].offset) = (uint32_t)v->items->number;
    }
    for (size_t i = 0; i < sizeof(durations) / sizeof(durations[0]); i++)
        *(double *)((char *)c + durations[i].offset) = nadi_schema_number(values, durations[i].key);
    for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++)
        if (nadi_schema_get(values, rates[i].key)->count)
            *(double *)((char *)c + rates[i].offset) =
                nadi_schema_number(values, rates[i].key) / 1e9;
    c->copy = (enum nadi_copy)nadi_schema_word(values, "copy");
    c->direction = (enum nadi_direction)nadi_schema_word(values, "direction");
    c->protocol = (enum nadi_protocol)nadi_schema_word(values, "protocol");
    c->arbitration = (enum nadi_arbitration)nadi_schema_word(values, "arbitration");
    return check(c, values, diags);
}

bool nadi_load_loadstore(struct nadi_load *l)
{
    const struct nadi_schema *schema = nadi_schema_of(NADI_SCHEMA_LOADSTORE);
    struct nadi_inputs *in = l->in;
    struct nadi_schema_values values;
    if (!in->options.loadstore && !nadi_doc_changes_any(in->options.changes, schema->name)) {
        const bool ok = nadi_schema_check(&values, schema, NULL, false, &in->arena, l->diags);
        nadi_settings_add_values(in, &values);
        return ok && nadi_loadstore_config_fill(&in->loadstore, &values, l->diags);
    }
    struct nadi_doc doc;
    if (!nadi_load_document(l, NADI_SCHEMA_LOADSTORE, in->options.loadstore, &doc))
        return false;
    const bool ok =
        nadi_schema_check(&values, schema, &doc, in->options.strict, &doc.arena, l->diags) &&
        nadi_loadstore_config_fill(&in->loadstore, &values, l->diags);
    if (ok)
        nadi_settings_add_values(in, &values);
    nadi_doc_release(&doc);
    return ok;
}
