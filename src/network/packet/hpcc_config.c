#include "network/packet/hpcc_config.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/scan.h"
#include "base/signature.h"
#include "base/str.h"
#include "base/time.h"
#include "network/packet/cc.h"

enum kind {
    KIND_NONE, /* no effect here: the line is skipped */
    KIND_FLAG,
    KIND_U32,
    KIND_BYTES32, /* whole bytes */
    KIND_MIB,     /* whole or broken MiB to bytes */
    KIND_REAL,
    KIND_TIME, /* a bare number is us */
    KIND_STOP, /* a bare number is s; beyond the clock: no limit */
    KIND_RATE, /* a bare number is bit/s */
    KIND_FILE,
    KIND_MODE,
    KIND_LINK_DOWN,
    KIND_MAP, /* of ECN thresholds */
};

struct key {
    const char *name;
    enum kind kind;
    size_t offset; /* in the config; FILE: in the files; MAP: in a row */
    double least, most;
};

#define CLOCK_NS 9e15 /* how far the clock goes, at least */

#define AT(member)    offsetof(struct nadi_packet_config, member)
#define FILE_AT(name) offsetof(struct nadi_hpcc_files, name)
#define ROW_AT(name)  offsetof(struct nadi_ecn_row, name)

static const struct key keys[] = {
    {"ENABLE_QCN", KIND_FLAG, AT(ecn), 0, 0},
    {"USE_DYNAMIC_PFC_THRESHOLD", KIND_NONE, 0, 0, 0},
    {"PACKET_PAYLOAD_SIZE", KIND_BYTES32, AT(payload_bytes), 1, 9000},
    {"TOPOLOGY_FILE", KIND_FILE, FILE_AT(topology), 0, 0},
    {"FLOW_FILE", KIND_FILE, FILE_AT(flows), 0, 0},
    {"TRACE_FILE", KIND_NONE, 0, 0, 0},
    {"TRACE_OUTPUT_FILE", KIND_NONE, 0, 0, 0},
    {"FCT_OUTPUT_FILE", KIND_FILE, FILE_AT(fct), 0, 0},
    {"PFC_OUTPUT_FILE", KIND_FILE, FILE_AT(pfc), 0, 0},
    {"SIMULATOR_STOP_TIME", KIND_STOP, AT(stop), 0, 1e300},
    {"CC_MODE", KIND_MODE, AT(cc), 0, 1000},
    {"ALPHA_RESUME_INTERVAL", KIND_TIME, AT(dcqcn.alpha_interval), 1, 1e12},
    {"RATE_DECREASE_INTERVAL", KIND_TIME, AT(dcqcn.decrease_interval), 1, 1e12},
    {"CLAMP_TARGET_RATE", KIND_FLAG, AT(dcqcn.clamp_target), 0, 0},
    {"RP_TIMER", KIND_TIME, AT(dcqcn.increase_interval), 1, 1e12},
    {"EWMA_GAIN", KIND_REAL, AT(gain), 0, 1},
    {"FAST_RECOVERY_TIMES", KIND_U32, AT(dcqcn.fast_recovery), 0, 1e6},
    {"RATE_AI", KIND_RATE, AT(rate_ai), 0, 1e15},
    {"RATE_HAI", KIND_RATE, AT(rate_hai), 0, 1e15},
    {"MIN_RATE", KIND_RATE, AT(min_rate), 1, 1e15},
    {"DCTCP_RATE_AI", KIND_RATE, AT(dctcp_rate_ai), 0, 1e15},
    {"ERROR_RATE_PER_LINK", KIND_REAL, AT(loss), 0, 0.999999},
    {"L2_CHUNK_SIZE", KIND_BYTES32, AT(chunk_bytes), 0, 1e9},
    {"L2_ACK_INTERVAL", KIND_BYTES32, AT(ack_interval_bytes), 1, 1e9},
    {"L2_BACK_TO_ZERO", KIND_FLAG, AT(back_to_chunk), 0, 0},
    {"HAS_WIN", KIND_FLAG, AT(window), 0, 0},
    {"GLOBAL_T", KIND_FLAG, AT(window_global), 0, 0},
    {"VAR_WIN", KIND_FLAG, AT(window_variable), 0, 0},
    {"FAST_REACT", KIND_FLAG, AT(hpcc.fast_react), 0, 0},
    {"U_TARGET", KIND_REAL, AT(hpcc.target), 1e-3, 10},
    {"MI_THRESH", KIND_U32, AT(hpcc.mi_threshold), 0, 1e6},
    {"INT_MULTI", KIND_U32, AT(hpcc.int_multiple), 1, 1024},
    {"MULTI_RATE", KIND_FLAG, AT(hpcc.multi_rate), 0, 0},
    {"SAMPLE_FEEDBACK", KIND_FLAG, AT(hpcc.sample_feedback), 0, 0},
    {"PINT_LOG_BASE", KIND_REAL, AT(hpcc.pint_log_base), 1.001, 10},
    {"PINT_PROB", KIND_REAL, AT(hpcc.pint_probability), 0, 1},
    {"NIC_TOTAL_PAUSE_TIME", KIND_U32, AT(nic_pauses), 0, 1e9},
    {"RATE_BOUND", KIND_FLAG, AT(rate_bound), 0, 0},
    {"ACK_HIGH_PRIO", KIND_FLAG, AT(ack_first), 0, 0},
    {"LINK_DOWN", KIND_LINK_DOWN, 0, 0, 0},
    {"ENABLE_TRACE", KIND_NONE, 0, 0, 0},
    {"KMAX_MAP", KIND_MAP, ROW_AT(kmax_bytes), 0, 1e9},
    {"KMIN_MAP", KIND_MAP, ROW_AT(kmin_bytes), 0, 1e9},
    {"PMAX_MAP", KIND_MAP, ROW_AT(pmax), 0, 1},
    {"BUFFER_SIZE", KIND_MIB, AT(buffer_bytes), 0, 4095},
    {"QLEN_MON_FILE", KIND_NONE, 0, 0, 0}, /* files that are not written; also of SimAI */
    {"QLEN_MON_START", KIND_NONE, 0, 0, 0},
    {"QLEN_MON_END", KIND_NONE, 0, 0, 0},
    {"QLEN_MON_INTERVAL", KIND_NONE, 0, 0, 0},
    {"BW_MON_FILE", KIND_NONE, 0, 0, 0},
    {"BW_MON_INTERVAL", KIND_NONE, 0, 0, 0},
    {"RATE_MON_FILE", KIND_NONE, 0, 0, 0},
    {"CNP_MON_FILE", KIND_NONE, 0, 0, 0},
    {"QP_MON_INTERVAL", KIND_NONE, 0, 0, 0},
    {"MON_START", KIND_NONE, 0, 0, 0},
    {"MON_END", KIND_NONE, 0, 0, 0},
    {"PAUSE_TIME", KIND_NONE, 0, 0, 0},
    {"DATA_RATE", KIND_NONE, 0, 0, 0},
    {"LINK_DELAY", KIND_NONE, 0, 0, 0},
};

enum { KEYS = sizeof(keys) / sizeof(keys[0]) };

struct reader {
    struct nadi_scan scan;
    struct nadi_packet_config *config;
    struct nadi_hpcc_files *files;
    struct nadi_arena *arena;
    bool has_map; /* the file's first threshold replaces the whole built-in map */
    bool seen[KEYS];
};

static bool read_flag(struct reader *r, const struct key *k, bool *out)
{
    uint32_t value;
    if (!nadi_scan_u32(&r->scan, k->name, 1, &value))
        return false;
    *out = value != 0;
    return true;
}

static bool read_file_name(struct reader *r, const struct key *k, const char **out)
{
    if (!nadi_scan_same_line(&r->scan))
        return nadi_scan_error(&r->scan, NULL, "%s has no value", k->name);
    *out = nadi_arena_strdup(r->arena, r->scan.word);
    return true;
}

static bool read_quantity(struct reader *r, const struct key *k, void *out)
{
    double value;
    const bool rate = k->kind == KIND_RATE;
    const double bare = rate ? 0.125 : k->kind == KIND_STOP ? 1e9 : 1e3;
    if (!nadi_scan_quantity(&r->scan, k->name, rate ? NADI_DIMENSION_RATE : NADI_DIMENSION_TIME,
                            bare, k->least, k->most, &value))
        return false;
    if (rate)
        *(uint64_t *)out = nadi_count_round(value * 8);
    else if (k->kind == KIND_STOP && value > CLOCK_NS)
        *(nadi_time *)out = 0; /* never */
    else
        *(nadi_time *)out = nadi_time_of_ns(value);
    return true;
}

static bool read_link_down(struct reader *r)
{
    double us;
    uint32_t a, b;
    if (!nadi_scan_double(&r->scan, "time of LINK_DOWN", 0, 1e12, &us) ||
        !nadi_scan_u32(&r->scan, "node of LINK_DOWN", INT32_MAX, &a) ||
        !nadi_scan_u32(&r->scan, "node of LINK_DOWN", INT32_MAX, &b))
        return false;
    if (a == b || us <= 0) /* "0 0 0" stands for none */
        return true;
    struct nadi_fault *fault = NADI_ARENA_NEW(r->arena, struct nadi_fault, 1);
    *fault = (struct nadi_fault){.at = nadi_time_round((2e6 + us) * 1e6), .a = a, .b = b};
    r->config->faults = fault;
    r->config->fault_count = 1;
    return true;
}

/* The row of a rate, added in rising order; NULL when the map is full. */
static struct nadi_ecn_row *row_of(struct reader *r, uint64_t bits_per_s)
{
    struct nadi_packet_config *c = r->config;
    if (!r->has_map)
        c->ecn_rows = 0;
    r->has_map = true;
    uint32_t i = 0;
    while (i < c->ecn_rows && c->ecn_map[i].bits_per_s < bits_per_s)
        i++;
    if (i < c->ecn_rows && c->ecn_map[i].bits_per_s == bits_per_s)
        return &c->ecn_map[i];
    if (c->ecn_rows == NADI_MAX_ECN_ROWS)
        return NULL;
    memmove(&c->ecn_map[i + 1], &c->ecn_map[i], (c->ecn_rows - i) * sizeof(c->ecn_map[0]));
    c->ecn_rows++;
    c->ecn_map[i] = (struct nadi_ecn_row){.bits_per_s = bits_per_s};
    return &c->ecn_map[i];
}

static bool read_map(struct reader *r, const struct key *k)
{
    uint32_t count;
    if (!nadi_scan_u32(&r->scan, k->name, NADI_MAX_ECN_ROWS, &count))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t rate;
        double value;
        if (!nadi_scan_u64(&r->scan, "rate of a threshold", UINT64_C(1) << 53, &rate) ||
            !nadi_scan_double(&r->scan, k->name, k->least, k->most, &value))
            return false;
        struct nadi_ecn_row *row = row_of(r, rate);
        if (!row)
            return nadi_scan_error(&r->scan, NULL, "more than %d rates with thresholds",
                                   NADI_MAX_ECN_ROWS);
        void *at = (char *)row + k->offset;
        if (k->offset == ROW_AT(pmax))
            row->pmax = value;
        else
            *(uint64_t *)at = nadi_count_round(value * 1000);
    }
    return true;
}

/* A plain number, to where the key's kind says. */
static bool read_number(struct reader *r, const struct key *k, void *at)
{
    double value;
    if (!nadi_scan_double(&r->scan, k->name, k->least, k->most, &value))
        return false;
    if (k->kind == KIND_REAL)
        *(double *)at = value;
    else if (k->kind == KIND_MIB)
        *(uint64_t *)at = nadi_count_trunc(value * 1048576);
    else
        *(uint32_t *)at = (uint32_t)value;
    return true;
}

static bool read_value(struct reader *r, const struct key *k)
{
    void *at = (char *)(k->kind == KIND_FILE ? (void *)r->files : r->config) + k->offset;
    double value;
    switch (k->kind) {
    case KIND_NONE:
        while (nadi_scan_same_line(&r->scan))
            ;
        return true;
    case KIND_FLAG:
        return read_flag(r, k, at);
    case KIND_U32:
    case KIND_BYTES32:
    case KIND_MIB:
    case KIND_REAL:
        return read_number(r, k, at);
    case KIND_TIME:
    case KIND_STOP:
    case KIND_RATE:
        return read_quantity(r, k, at);
    case KIND_FILE:
        return read_file_name(r, k, at);
    case KIND_MODE:
        if (!nadi_scan_double(&r->scan, k->name, k->least, k->most, &value))
            return false;
        r->config->cc = nadi_cc_of_mode(nadi_count_trunc(value));
        return true;
    case KIND_LINK_DOWN:
        return read_link_down(r);
    case KIND_MAP:
        return read_map(r, k);
    }
    NADI_BUG("key without a kind");
}

static void warn_unknown(struct reader *r)
{
    const char *names[KEYS];
    for (size_t i = 0; i < KEYS; i++)
        names[i] = keys[i].name;
    const char *near = nadi_str_nearest(r->scan.word, names, KEYS);
    char hint[80];
    snprintf(hint, sizeof(hint), "did you mean %s?", near ? near : "");
    nadi_warning(r->scan.diags, "hpcc/unknown-key", r->scan.place, near ? hint : NULL,
                 "unknown key '%.60s'; it has no effect", r->scan.word);
}

bool nadi_hpcc_config_parse(struct nadi_packet_config *c, struct nadi_hpcc_files *files,
                            const char *path, char *text, size_t bytes, struct nadi_arena *arena,
                            struct nadi_diags *diags)
{
    struct reader r = {.config = c, .files = files, .arena = arena};
    nadi_scan_init(&r.scan, path, "hpcc/config", text, bytes, diags);
    while (nadi_scan_next(&r.scan)) {
        const struct key *k = NULL;
        for (size_t i = 0; i < KEYS && !k; i++)
            if (nadi_str_equal(keys[i].name, r.scan.word))
                k = &keys[i];
        if (!k) {
            warn_unknown(&r);
            while (nadi_scan_same_line(&r.scan))
                ;
            continue;
        }
        if (r.seen[k - keys])
            nadi_warning(diags, "hpcc/key-again", r.scan.place, "remove one of them",
                         "%s is given again; the last value counts", k->name);
        r.seen[k - keys] = true;
        if (!read_value(&r, k))
            return false;
    }
    return true;
}

bool nadi_hpcc_config_read(struct nadi_packet_config *c, struct nadi_hpcc_files *files,
                           const char *path, struct nadi_arena *arena, struct nadi_diags *diags)
{
    char *text;
    size_t bytes;
    if (!nadi_file_read(path, "packet configuration", &text, &bytes, diags))
        return false;
    const bool good = nadi_signature_check(path, "packet configuration", text, bytes, diags) &&
                      nadi_hpcc_config_parse(c, files, path, text, bytes, arena, diags);
    nadi_mem_free(text);
    return good;
}
