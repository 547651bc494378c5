/* load_packet: the packet model's file and graph. A file whose first word is in capitals is a
 * config.txt of the HPCC simulator. */
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "network/packet/cc.h"
#include "network/packet/hpcc_config.h"
#include "network/packet/packet.h"
#include "sim/load.h"

enum target {
    TARGET_BOOL,
    TARGET_U32,
    TARGET_U64,
    TARGET_REAL,
    TARGET_RATE, /* B/s to bit/s */
    TARGET_TIME, /* ns to ps */
};

struct knob {
    const char *key;
    enum target target;
    size_t offset;
};

#define AT(member) offsetof(struct nadi_packet_config, member)

static const struct knob knobs[] = {
    {"seed", TARGET_U64, AT(seed)},
    {"payload", TARGET_U32, AT(payload_bytes)},
    {"window-size", TARGET_U64, AT(window_bytes)},
    {"window-follows-rate", TARGET_BOOL, AT(window_variable)},
    {"pacing", TARGET_BOOL, AT(rate_bound)},
    {"ack-first", TARGET_BOOL, AT(ack_first)},
    {"ack-interval", TARGET_U32, AT(ack_interval_bytes)},
    {"nack-interval", TARGET_TIME, AT(nack_interval)},
    {"retransmission-timeout", TARGET_TIME, AT(rto)},
    {"pfc", TARGET_BOOL, AT(pfc)},
    {"buffer", TARGET_U64, AT(buffer_bytes)},
    {"buffer-reserve", TARGET_U64, AT(reserve_bytes)},
    {"threshold-shift", TARGET_U32, AT(threshold_shift)},
    {"resume-offset", TARGET_U64, AT(resume_bytes)},
    {"headroom", TARGET_REAL, AT(headroom_factor)},
    {"ecn", TARGET_BOOL, AT(ecn)},
    {"min-rate", TARGET_RATE, AT(min_rate)},
    {"rate-ai", TARGET_RATE, AT(rate_ai)},
    {"rate-hai", TARGET_RATE, AT(rate_hai)},
    {"dctcp-rate-ai", TARGET_RATE, AT(dctcp_rate_ai)},
    {"gain", TARGET_REAL, AT(gain)},
    {"dcqcn-alpha-interval", TARGET_TIME, AT(dcqcn.alpha_interval)},
    {"dcqcn-decrease-interval", TARGET_TIME, AT(dcqcn.decrease_interval)},
    {"dcqcn-increase-interval", TARGET_TIME, AT(dcqcn.increase_interval)},
    {"dcqcn-increase-bytes", TARGET_U64, AT(dcqcn.increase_bytes)},
    {"dcqcn-fast-recovery", TARGET_U32, AT(dcqcn.fast_recovery)},
    {"dcqcn-clamp-target", TARGET_BOOL, AT(dcqcn.clamp_target)},
    {"hpcc-target", TARGET_REAL, AT(hpcc.target)},
    {"hpcc-mi-threshold", TARGET_U32, AT(hpcc.mi_threshold)},
    {"hpcc-fast-react", TARGET_BOOL, AT(hpcc.fast_react)},
    {"hpcc-multi-rate", TARGET_BOOL, AT(hpcc.multi_rate)},
    {"hpcc-sample-feedback", TARGET_BOOL, AT(hpcc.sample_feedback)},
    {"int-multiple", TARGET_U32, AT(hpcc.int_multiple)},
    {"pint-log-base", TARGET_REAL, AT(hpcc.pint_log_base)},
    {"pint-probability", TARGET_REAL, AT(hpcc.pint_probability)},
    {"timely-low", TARGET_TIME, AT(timely.low)},
    {"timely-high", TARGET_TIME, AT(timely.high)},
    {"timely-min-rtt", TARGET_TIME, AT(timely.least_rtt)},
    {"timely-alpha", TARGET_REAL, AT(timely.alpha)},
    {"timely-beta", TARGET_REAL, AT(timely.beta)},
};

static void set(struct nadi_packet_config *c, const struct nadi_schema_values *values,
                const struct knob *k)
{
    const struct nadi_schema_scalar *v = nadi_schema_get(values, k->key)->items;
    void *at = (char *)c + k->offset;
    switch (k->target) {
    case TARGET_BOOL:
        *(bool *)at = v->integer != 0;
        return;
    case TARGET_U32:
        *(uint32_t *)at = (uint32_t)v->number;
        return;
    case TARGET_U64:
        *(uint64_t *)at = (uint64_t)v->number;
        return;
    case TARGET_REAL:
        *(double *)at = v->number;
        return;
    case TARGET_RATE:
        *(uint64_t *)at = (uint64_t)(v->number * 8 + 0.5);
        return;
    case TARGET_TIME:
        *(nadi_time *)at = (nadi_time)(v->number * (double)NADI_PS_PER_NS + 0.5);
        return;
    }
    NADI_BUG("knob without a target");
}

static bool set_ecn_map(struct nadi_packet_config *c, const struct nadi_schema_values *values,
                        struct nadi_diags *diags)
{
    const struct nadi_schema_value *rate = nadi_schema_get(values, "ecn-rate");
    const struct nadi_schema_value *kmin = nadi_schema_get(values, "ecn-kmin");
    const struct nadi_schema_value *kmax = nadi_schema_get(values, "ecn-kmax");
    const struct nadi_schema_value *pmax = nadi_schema_get(values, "ecn-pmax");
    if (kmin->count != rate->count || kmax->count != rate->count || pmax->count != rate->count)
        return nadi_error(diags, "packet/ecn", NADI_IN_FILE(values->doc->path),
                          "write one entry a rate in every list",
                          "'ecn-rate' has %u entries, 'ecn-kmin' %u, 'ecn-kmax' %u, 'ecn-pmax' %u",
                          rate->count, kmin->count, kmax->count, pmax->count);
    for (uint32_t i = 0; i < rate->count; i++) {
        c->ecn_map[i] = (struct nadi_ecn_row){
            .bits_per_s = (uint64_t)(rate->items[i].number * 8 + 0.5),
            .kmin_bytes = (uint64_t)kmin->items[i].number,
            .kmax_bytes = (uint64_t)kmax->items[i].number,
            .pmax = pmax->items[i].number,
        };
        if (c->ecn_map[i].kmin_bytes > c->ecn_map[i].kmax_bytes)
            return nadi_error(diags, "packet/ecn", nadi_doc_place(values->doc, kmin->node), NULL,
                              "kmin of rate %u is larger than its kmax", i + 1);
        if (i && c->ecn_map[i].bits_per_s <= c->ecn_map[i - 1].bits_per_s)
            return nadi_error(diags, "packet/ecn", nadi_doc_place(values->doc, rate->node),
                              "sort the four lists by rate", "'ecn-rate' does not rise");
    }
    if (rate->count)
        c->ecn_rows = rate->count;
    return true;
}

static bool fill(struct nadi_packet_config *c, const struct nadi_schema_values *values,
                 struct nadi_diags *diags)
{
    enum { WINDOW_NONE, WINDOW_BDP, WINDOW_LARGEST };
    nadi_packet_config_init(c);
    for (size_t i = 0; i < sizeof(knobs) / sizeof(knobs[0]); i++)
        set(c, values, &knobs[i]);
    c->exact = nadi_schema_word(values, "mode") == 1;
    c->window = nadi_schema_word(values, "window") != WINDOW_NONE;
    c->window_global = nadi_schema_word(values, "window") == WINDOW_LARGEST;
    c->cc = nadi_cc_find(nadi_schema_get(values, "congestion-control")->items->text);
    NADI_ASSERT(c->cc);
    return !values->doc || set_ecn_map(c, values, diags);
}

/* Is the file a config.txt of the HPCC simulator? */
static bool is_hpcc_config(const char *path)
{
    struct nadi_diags ignored;
    char *text;
    size_t bytes, n = 0;
    nadi_diags_init(&ignored);
    const bool read = nadi_file_read(path, "file", &text, &bytes, &ignored);
    nadi_diags_release(&ignored);
    if (!read)
        return false;
    const char *word = text + strspn(text, " \t\r\n");
    while ((word[n] >= 'A' && word[n] <= 'Z') || (word[n] >= '0' && word[n] <= '9') ||
           word[n] == '_')
        n++;
    const bool capitals = n >= 3 && (word[n] == ' ' || word[n] == '\t');
    nadi_mem_free(text);
    return capitals;
}

static bool load_config(struct nadi_load *l, struct nadi_hpcc_files *files)
{
    const struct nadi_schema *schema = nadi_schema_of(NADI_SCHEMA_PACKET);
    struct nadi_inputs *in = l->in;
    struct nadi_schema_values values;
    if (l->packet_path && is_hpcc_config(l->packet_path)) {
        nadi_packet_config_init_hpcc(&in->packet);
        return nadi_hpcc_config_read(&in->packet, files, l->packet_path, &in->arena, l->diags);
    }
    if (!l->packet_path) {
        const bool ok = nadi_schema_check(&values, schema, NULL, false, &in->arena, l->diags);
        nadi_settings_add_values(in, &values);
        return ok && fill(&in->packet, &values, l->diags);
    }
    struct nadi_doc doc;
    if (!nadi_load_document(l, NADI_SCHEMA_PACKET, l->packet_path, &doc))
        return false;
    const bool ok =
        nadi_schema_check(&values, schema, &doc, in->options.strict, &doc.arena, l->diags) &&
        fill(&in->packet, &values, l->diags);
    if (ok)
        nadi_settings_add_values(in, &values);
    nadi_doc_release(&doc);
    return ok;
}

/* The buffers hold what they promise. */
static bool check(struct nadi_load *l)
{
    struct nadi_pkt *net = nadi_pkt_create(&l->in->graph, &l->in->packet, l->diags);
    nadi_pkt_destroy(net);
    return net != NULL;
}

bool nadi_load_packet(struct nadi_load *l)
{
    struct nadi_hpcc_files files = {0};
    l->exact = l->in->options.network_model == NADI_NETWORK_FLOW;
    if (l->in->options.network_model != NADI_NETWORK_PACKET)
        return nadi_load_graph(l);
    if (!load_config(l, &files))
        return false;
    if (l->in->options.exact_packets)
        l->in->packet.exact = true;
    l->exact = !l->in->packet.exact;
    if (!l->graph_path)
        l->graph_path = files.topology;
    return nadi_load_graph(l) && check(l);
}
