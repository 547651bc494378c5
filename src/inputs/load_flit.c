/* load_flit: the flit model's file. */
#include "base/diag.h"
#include "format/doc_change.h"
#include "inputs/flit_config.h"
#include "inputs/load.h"

#define AT(member) offsetof(struct nadi_flit_config, member)

static const struct knob {
    const char *key;
    size_t offset;
} knobs[] = {
    {"flit", AT(flit_bytes)},
    {"packet", AT(packet_flits)},
    {"header", AT(header_bytes)},
    {"vcs", AT(vcs)},
    {"buffer", AT(buffer_flits)},
    {"routing-delay", AT(routing_delay)},
    {"vc-delay", AT(vc_delay)},
    {"switch-delay", AT(switch_delay)},
    {"traversal-delay", AT(traversal_delay)},
    {"channel-delay", AT(channel_delay)},
    {"credit-delay", AT(credit_delay)},
    {"speedup", AT(speedup)},
};

/* One stage in all, as Garnet 2.0's router. */
static void set_garnet(struct nadi_flit_config *c)
{
    c->flit_bytes = 16;
    c->vcs = 4;
    c->least_buffer = 4;
    c->routing_delay = c->vc_delay = c->traversal_delay = 0;
}

static bool check(const struct nadi_flit_config *c, const struct nadi_schema_values *values,
                  struct nadi_diags *diags)
{
    const char *file = values->doc ? values->doc->path : NULL;
    if (c->header_bytes >= (uint64_t)c->flit_bytes * c->packet_flits)
        return nadi_error(diags, "flit/header", NADI_IN_FILE(file), "lower header, or raise packet",
                          "a full packet has %u x %u B, no more than its header of %u B",
                          c->packet_flits, c->flit_bytes, c->header_bytes);
    const uint32_t room = c->buffer_flits ? c->buffer_flits : NADI_FLIT_MOST_BUFFER;
    if (c->cut_through && c->packet_flits > room)
        return nadi_error(diags, "flit/buffer", NADI_IN_FILE(file), "raise buffer, or lower packet",
                          "with flow-control vct a buffer holds a whole packet: buffer is%s %u "
                          "flits and packet %u",
                          c->buffer_flits ? "" : " at most", room, c->packet_flits);
    return true;
}

bool nadi_flit_config_fill(struct nadi_flit_config *c, const struct nadi_schema_values *values,
                           struct nadi_diags *diags)
{
    *c = (struct nadi_flit_config){.flit_bytes = 32,
                                   .packet_flits = 16,
                                   .vcs = 8,
                                   .least_buffer = 8,
                                   .routing_delay = 1,
                                   .vc_delay = 1,
                                   .switch_delay = 1,
                                   .traversal_delay = 1,
                                   .speedup = 1};
    if (nadi_schema_get(values, "preset")->items->word)
        set_garnet(c);
    for (size_t i = 0; i < sizeof(knobs) / sizeof(knobs[0]); i++) {
        const struct nadi_schema_value *v = nadi_schema_get(values, knobs[i].key);
        if (v->count)
            *(uint32_t *)((char *)c + knobs[i].offset) = (uint32_t)v->items->number;
    }
    if (nadi_schema_get(values, "clock")->count)
        c->clock_ghz = nadi_schema_number(values, "clock");
    c->seed = (uint64_t)nadi_schema_get(values, "seed")->items->integer;
    c->routing = (enum nadi_flit_routing)nadi_schema_get(values, "routing")->items->word;
    c->cut_through = nadi_schema_get(values, "flow-control")->items->word == 1;
    c->dateline = nadi_schema_get(values, "dateline")->items->integer != 0;
    c->wait_for_tail_credit = nadi_schema_get(values, "wait-for-tail-credit")->items->integer != 0;
    return check(c, values, diags);
}

bool nadi_load_flit(struct nadi_load *l)
{
    const struct nadi_schema *schema = nadi_schema_of(NADI_SCHEMA_FLIT);
    struct nadi_inputs *in = l->in;
    struct nadi_schema_values values;
    if (!in->options.flit && !nadi_doc_changes_any(in->options.changes, schema->name)) {
        const bool ok = nadi_schema_check(&values, schema, NULL, false, &in->arena, l->diags);
        nadi_settings_add_values(in, &values);
        return ok && nadi_flit_config_fill(&in->flit, &values, l->diags);
    }
    struct nadi_doc doc;
    if (!nadi_load_document(l, NADI_SCHEMA_FLIT, in->options.flit, &doc))
        return false;
    const bool ok =
        nadi_schema_check(&values, schema, &doc, in->options.strict, &doc.arena, l->diags) &&
        nadi_flit_config_fill(&in->flit, &values, l->diags);
    if (ok)
        nadi_settings_add_values(in, &values);
    nadi_doc_release(&doc);
    return ok;
}

bool nadi_flit_file_read(struct nadi_flit_config *c, const char *path, struct nadi_diags *diags)
{
    struct nadi_inputs in = {.options = {.flit = path, .strict = true}};
    struct nadi_load l = {.in = &in, .diags = diags, .look_only = true};
    nadi_arena_init(&in.arena);
    nadi_graph_init(&in.graph);
    const bool ok = nadi_load_flit(&l);
    *c = in.flit;
    nadi_inputs_release(&in);
    return ok;
}
