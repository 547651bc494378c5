#include "inputs/packet_config.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/time.h"
#include "network/packet/cc.h"

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
    {"frame-gap", TARGET_U32, AT(gap_bytes)},
    {"window-size", TARGET_U64, AT(window_bytes)},
    {"window-follows-rate", TARGET_BOOL, AT(window_variable)},
    {"pacing", TARGET_BOOL, AT(rate_bound)},
    {"ack-first", TARGET_BOOL, AT(ack_first)},
    {"reorder-packets", TARGET_U32, AT(reorder_packets)},
    {"back-to-chunk", TARGET_BOOL, AT(back_to_chunk)},
    {"chunk", TARGET_U32, AT(chunk_bytes)},
    {"retry-limit", TARGET_U32, AT(retry_limit)},
    {"nic-pauses", TARGET_U32, AT(nic_pauses)},
    {"trimming", TARGET_BOOL, AT(trimming)},
    {"trim-queue", TARGET_U64, AT(trim_queue_bytes)},
    {"loss", TARGET_REAL, AT(loss)},
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
    {"dcqcn-notify-interval", TARGET_TIME, AT(dcqcn.notify_interval)},
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
    {"timely-hyper-after", TARGET_U32, AT(timely.hyper_after)},
    {"swift-base-target", TARGET_TIME, AT(swift.base_target)},
    {"swift-per-hop", TARGET_TIME, AT(swift.per_hop)},
    {"swift-additive", TARGET_REAL, AT(swift.additive)},
    {"swift-beta", TARGET_REAL, AT(swift.beta)},
    {"swift-max-decrease", TARGET_REAL, AT(swift.max_decrease)},
    {"swift-scale-range", TARGET_REAL, AT(swift.scale_range)},
    {"swift-scale-min", TARGET_REAL, AT(swift.scale_min_cwnd)},
    {"swift-scale-max", TARGET_REAL, AT(swift.scale_max_cwnd)},
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
        *(uint64_t *)at = nadi_count_trunc(v->number);
        return;
    case TARGET_REAL:
        *(double *)at = v->number;
        return;
    case TARGET_RATE:
        *(uint64_t *)at = nadi_count_round(v->number * 8);
        return;
    case TARGET_TIME:
        *(nadi_time *)at = nadi_time_of_ns(v->number);
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
            .bits_per_s = nadi_count_round(rate->items[i].number * 8),
            .kmin_bytes = nadi_count_trunc(kmin->items[i].number),
            .kmax_bytes = nadi_count_trunc(kmax->items[i].number),
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

static bool set_faults(struct nadi_packet_config *c, const struct nadi_schema_values *values,
                       struct nadi_arena *arena, struct nadi_diags *diags)
{
    const struct nadi_schema_value *at = nadi_schema_get(values, "fault-time");
    const struct nadi_schema_value *from = nadi_schema_get(values, "fault-from");
    const struct nadi_schema_value *to = nadi_schema_get(values, "fault-to");
    const struct nadi_schema_value *state = nadi_schema_get(values, "fault-state");
    if (from->count != at->count || to->count != at->count || state->count != at->count)
        return nadi_error(
            diags, "packet/fault", NADI_IN_FILE(values->doc->path),
            "write one entry a fault in every list",
            "'fault-time' has %u entries, 'fault-from' %u, 'fault-to' %u, 'fault-state' %u",
            at->count, from->count, to->count, state->count);
    c->faults = NADI_ARENA_ZNEW(arena, struct nadi_fault, at->count);
    c->fault_count = at->count;
    for (uint32_t i = 0; i < at->count; i++) {
        c->faults[i] = (struct nadi_fault){
            .at = nadi_time_of_ns(at->items[i].number),
            .a = (uint32_t)from->items[i].integer,
            .b = (uint32_t)to->items[i].integer,
            .up = state->items[i].word == 1,
        };
        if (i && c->faults[i].at < c->faults[i - 1].at)
            return nadi_error(diags, "packet/fault", nadi_doc_place(values->doc, at->node),
                              "sort the four lists by time", "'fault-time' does not rise");
    }
    return true;
}

bool nadi_packet_config_fill(struct nadi_packet_config *c, const struct nadi_schema_values *values,
                             struct nadi_arena *arena, struct nadi_diags *diags)
{
    static const enum nadi_recovery recoveries[] = {NADI_RECOVERY_GO_BACK_N, NADI_RECOVERY_NONE,
                                                    NADI_RECOVERY_GO_BACK_N,
                                                    NADI_RECOVERY_SELECTIVE};
    static const enum nadi_spreading spreadings[] = {NADI_SPREADING_FLOW, NADI_SPREADING_NONE,
                                                     NADI_SPREADING_FLOW, NADI_SPREADING_PACKET};
    static const enum nadi_switching switchings[] = {
        NADI_SWITCHING_AUTO, NADI_SWITCHING_CUT_THROUGH, NADI_SWITCHING_STORE};
    enum { WINDOW_NONE, WINDOW_BDP, WINDOW_LARGEST };
    *c = (struct nadi_packet_config){.exact = false};
    nadi_packet_config_paper_ecn(c);
    for (size_t i = 0; i < sizeof(knobs) / sizeof(knobs[0]); i++)
        set(c, values, &knobs[i]);
    c->exact = nadi_schema_word(values, "mode") == 1;
    c->buffer_grows = !nadi_schema_get(values, "buffer")->node;
    c->ack_first_one_way = !nadi_schema_get(values, "ack-first")->node;
    c->window = nadi_schema_word(values, "window") != WINDOW_NONE;
    c->window_global = nadi_schema_word(values, "window") == WINDOW_LARGEST;
    c->recovery = recoveries[nadi_schema_word(values, "recovery")];
    c->switching = switchings[nadi_schema_word(values, "switching")];
    c->spreading = spreadings[nadi_schema_word(values, "spreading")];
    c->cc = nadi_cc_find(nadi_schema_get(values, "congestion-control")->items->text);
    NADI_ASSERT(c->cc);
    return !values->doc || (set_ecn_map(c, values, diags) && set_faults(c, values, arena, diags));
}

bool nadi_packet_is_hpcc(const char *path)
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
