#include "nccl/platform.h"

#include "nccl/nccl_tables.h"

#include "platform/catalogue.h"

static const struct nadi_comm_figure_about abouts[NADI_FIGURES] = {
    [NADI_FIGURE_LAUNCH] = {"launch", "ns", 1, 200, 1e+06, 1.3, "launch"},
    [NADI_FIGURE_HOST_LAUNCH] = {"host-launch", "ns", 1, 200, 1e+06, 1.3, "launch, host's time"},
    [NADI_FIGURE_ALONE] = {"alone", "ns", 1, 50, 1e+06, 1.6, "call that is not queued"},
    [NADI_FIGURE_HOP_LL] = {"hop-ll", "ns", 1, 50, 20000, 2, "hop, LL"},
    [NADI_FIGURE_HOP_LL128] = {"hop-ll128", "ns", 1, 50, 40000, 2, "hop, LL128"},
    [NADI_FIGURE_HOP_SIMPLE] = {"hop-simple", "ns", 1, 50, 80000, 2, "hop, Simple"},
    [NADI_FIGURE_HOP_SWITCH] = {"hop-switch", "ns", 1, 50, 200000, 1.6, "reduction in the switch"},
    [NADI_FIGURE_NET_LL] = {"net-hop-ll", "ns", 1, 200, 500000, 1.6, "hop between nodes, LL"},
    [NADI_FIGURE_NET_LL128] = {"net-hop-ll128", "ns", 1, 200, 500000, 1.6,
                               "hop between nodes, LL128"},
    [NADI_FIGURE_NET_SIMPLE] = {"net-hop-simple", "ns", 1, 200, 1e+06, 1.6,
                                "hop between nodes, Simple"},
    [NADI_FIGURE_RING] = {"ring-efficiency", "", 1, 0.02, 1, 1.15, "ring, share of the link"},
    [NADI_FIGURE_TREE] = {"tree-efficiency", "", 1, 0.02, 1, 1.15, "tree, share of the link"},
    [NADI_FIGURE_NVLS] = {"nvls-efficiency", "", 1, 0.02, 1, 1.15, "NVLS, share of the link"},
    [NADI_FIGURE_DIRECT] = {"direct-efficiency", "", 1, 0.02, 1, 1.15, "direct, share of the link"},
    [NADI_FIGURE_LL] = {"ll-efficiency", "", 1, 0.01, 1, 1.3, "LL, share of the rate"},
    [NADI_FIGURE_LL128] = {"ll128-efficiency", "", 1, 0.02, 1, 1.2, "LL128, share of the rate"},
    [NADI_FIGURE_NET_LL_SHARE] = {"net-ll-efficiency", "", 1, 0.02, 2, 1.6,
                                  "LL between nodes, share of the tables'"},
    [NADI_FIGURE_NIC] = {"nic-efficiency", "", 1, 0.02, 1, 1.15, "NIC, share of its rate"},
    [NADI_FIGURE_LOCAL] = {"local-bandwidth", "GB/s", 1e+09, 1e+09, 1e+14, 1.5, "own part, rate"},
    [NADI_FIGURE_CHANNEL] = {"channel-bandwidth", "GB/s", 1e+09, 1e+08, 1e+12, 1.3,
                             "channel of a message, rate"},
    [NADI_FIGURE_RAMP_RING] = {"ring-ramp", "B", 1, 1, 1e+09, 2, "ring, half-rate size"},
    [NADI_FIGURE_RAMP_SWITCH] = {"nvls-ramp", "B", 1, 1, 1e+09, 2, "NVLS, half-rate size"},
    [NADI_FIGURE_RAMP_DIRECT] = {"direct-ramp", "B", 1, 1, 1e+09, 2, "direct, half-rate size"},
};

const struct nadi_comm_figure_about *nadi_comm_figure_about(enum nadi_comm_figure figure)
{
    return &abouts[figure];
}

double nadi_comm_link_rate(const struct nadi_comm_platform *p, uint32_t per_node)
{
    if (!p->mesh || p->gpus_per_node < 2 || per_node >= p->gpus_per_node)
        return p->link_rate;
    return p->link_rate * (per_node > 1 ? per_node - 1 : 1) / (p->gpus_per_node - 1);
}

double nadi_comm_nic_rate(const struct nadi_comm_platform *p, uint32_t per_node)
{
    const double part = per_node >= p->gpus_per_node ? 1 : (double)per_node / p->gpus_per_node;
    const double all = p->nics * p->nic_rate;
    return all * part > p->nic_rate || all < p->nic_rate ? all * part : p->nic_rate;
}

bool nadi_comm_transport_ordered(enum nadi_comm_transport transport)
{
    return transport == NADI_TRANSPORT_VERBS;
}

/* ---- reading ------------------------------------------------------------------------------- */

static bool refuse(const struct nadi_schema_values *v, const struct nadi_schema_scalar *item,
                   const char *form, struct nadi_diags *diags)
{
    return nadi_error(diags, "platform/list", nadi_doc_place(v->doc, item->node), form,
                      "'%s' is not understood", item->text);
}

/* The next word of an entry, up to a blank or one of `ends`; false: none, or it has no room. */
static bool take_word(const char **at, const char *ends, char *word, size_t room)
{
    const char *from = *at + strspn(*at, " ");
    const size_t length =
        strcspn(from, " ") < strcspn(from, ends) ? strcspn(from, " ") : strcspn(from, ends);
    if (length == 0 || length >= room)
        return false;
    memcpy(word, from, length);
    word[length] = '\0';
    *at = from + length;
    return true;
}

static bool take_number(const char **at, const char *ends, double *value)
{
    char word[64];
    return take_word(at, ends, word, sizeof(word)) && nadi_str_to_double(word, value);
}

/* The comma behind an item of a list, or the end of the text. */
static bool take_comma(const char **at)
{
    *at += strspn(*at, " ");
    if (**at == '\0')
        return true;
    return *(*at)++ == ',' && **at;
}

static bool read_interval(const char *text, struct nadi_comm_interval *interval)
{
    char key[64];
    double low, high;
    if (!take_word(&text, "", key, sizeof(key)) || !take_number(&text, "", &low) ||
        !take_number(&text, "", &high) || text[strspn(text, " ")] || !(low <= high))
        return false;
    for (int f = 0; f < NADI_FIGURES; f++)
        if (strcmp(abouts[f].key, key) == 0) {
            *interval = (struct nadi_comm_interval){.figure = (enum nadi_comm_figure)f,
                                                    .low = low * abouts[f].scale,
                                                    .high = high * abouts[f].scale};
            return true;
        }
    return false;
}

/* "all-reduce 8:" or "all-reduce 8 ring in-place:" and what follows; NULL when it is none. */
static const char *read_case(const char *text, struct nadi_comm_residual *r)
{
    char word[32], number[16];
    if (!take_word(&text, "", word, sizeof(word)) ||
        !take_word(&text, ":", number, sizeof(number)) ||
        !nadi_str_to_u32(number, UINT32_MAX - 1, &r->ranks) || r->ranks < 2)
        return NULL;
    r->kind = nadi_comm_kind_of(word);
    while (r->kind && *text != ':') {
        if (!take_word(&text, ":", word, sizeof(word)) || r->in_place)
            return NULL;
        r->in_place = strcmp(word, "in-place") == 0;
        if (!r->in_place && r->algorithm)
            return NULL;
        if (!r->in_place && (r->algorithm = nadi_comm_algorithm_of(word)) == NADI_COMM_AUTO)
            return NULL;
    }
    return r->kind ? text + 1 : NULL;
}

static uint32_t count_of(const char *text)
{
    uint32_t count = 1;
    for (; *text; text++)
        count += *text == ',';
    return count;
}

static bool read_residual(const char *text, struct nadi_arena *arena, struct nadi_comm_residual *r)
{
    *r = (struct nadi_comm_residual){.count = 0};
    const char *at = read_case(text, r);
    if (!at)
        return false;
    const uint32_t most = count_of(at);
    r->bytes = NADI_ARENA_NEW(arena, double, most);
    r->factor = NADI_ARENA_NEW(arena, double, most);
    while (r->count < most) {
        double bytes, factor;
        if (!take_number(&at, ",", &bytes) || !take_number(&at, ",", &factor) || !take_comma(&at) ||
            !(factor >= 1e-6 && factor <= 1e6) || !(bytes > 0) ||
            (r->count && bytes <= r->bytes[r->count - 1]))
            return false;
        r->bytes[r->count] = bytes;
        r->factor[r->count++] = factor;
    }
    return true;
}

static bool read_crossovers(const char *text, struct nadi_arena *arena,
                            struct nadi_comm_platform *p)
{
    struct nadi_comm_residual of = {.count = 0};
    const char *at = read_case(text, &of);
    if (!at || of.in_place || of.algorithm)
        return false;
    const uint32_t count = count_of(at), before = p->crossover_count;
    struct nadi_comm_crossover *all =
        NADI_ARENA_NEW(arena, struct nadi_comm_crossover, before + count);
    if (before)
        memcpy(all, p->crossovers, before * sizeof(*all));
    for (uint32_t i = 0; i < count; i++) {
        char algorithm[32], protocol[32];
        struct nadi_comm_crossover *x = &all[before + i];
        *x = (struct nadi_comm_crossover){.kind = of.kind, .ranks = of.ranks, .protocol = 3};
        if (!take_number(&at, ",", &x->bytes) || !(x->bytes >= 0) ||
            !take_word(&at, ",", algorithm, sizeof(algorithm)) ||
            !take_word(&at, ",", protocol, sizeof(protocol)) || !take_comma(&at))
            return false;
        x->algorithm = nadi_comm_algorithm_of(algorithm);
        for (int k = 0; k < NADI_COMM_PROTOCOLS; k++)
            if (nadi_str_equal(protocol, nadi_comm_protocol_name((enum nadi_comm_protocol)k)))
                x->protocol = (enum nadi_comm_protocol)k;
        if (x->algorithm == NADI_COMM_AUTO || x->protocol == NADI_COMM_PROTOCOLS)
            return false;
    }
    p->crossovers = all;
    p->crossover_count += count;
    return true;
}

static bool read_lists(struct nadi_comm_platform *p, const struct nadi_schema_values *v,
                       struct nadi_arena *arena, struct nadi_diags *diags)
{
    const struct nadi_schema_value *intervals = nadi_schema_get(v, "intervals");
    const struct nadi_schema_value *residuals = nadi_schema_get(v, "residuals");
    const struct nadi_schema_value *crossovers = nadi_schema_get(v, "crossovers");
    p->intervals = NADI_ARENA_NEW(arena, struct nadi_comm_interval, intervals->count);
    p->residuals = NADI_ARENA_NEW(arena, struct nadi_comm_residual, residuals->count);
    for (uint32_t i = 0; i < intervals->count; i++)
        if (!read_interval(intervals->items[i].text, &p->intervals[p->interval_count++]))
            return refuse(v, &intervals->items[i], "for example: ring-efficiency 0.80 0.82", diags);
    for (uint32_t i = 0; i < residuals->count; i++)
        if (!read_residual(residuals->items[i].text, arena, &p->residuals[p->residual_count++]))
            return refuse(v, &residuals->items[i],
                          "for example: \"all-reduce 8: 1024 1.1, 4096 1\"", diags);
    for (uint32_t i = 0; i < crossovers->count; i++)
        if (!read_crossovers(crossovers->items[i].text, arena, p))
            return refuse(v, &crossovers->items[i],
                          "for example: \"all-reduce 8: 0 ring LL, 1048576 NVLS Simple\"", diags);
    return true;
}

static void read_algorithms(struct nadi_comm_platform *p, const struct nadi_schema_value *v)
{
    for (int a = 1; a < NADI_COMM_ALGORITHMS; a++)
        p->algorithm_allowed[a] = v->count == 0 || a == NADI_COMM_DIRECT;
    for (uint32_t i = 0; i < v->count; i++)
        p->algorithm_allowed[v->items[i].word + 1] = true;
    p->algorithm_allowed[NADI_COMM_RING] |= v->count > 0; /* what others cannot run */
}

static const char *text_of(const struct nadi_schema_values *v, const char *key,
                           struct nadi_arena *arena)
{
    const struct nadi_schema_value *value = nadi_schema_get(v, key);
    return value->count ? nadi_arena_strdup(arena, value->items[0].text) : "";
}

static struct nadi_comm_words words_of(const struct nadi_schema_values *v, const char *key,
                                       struct nadi_arena *arena)
{
    const struct nadi_schema_value *value = nadi_schema_get(v, key);
    struct nadi_comm_words w = {.items = NADI_ARENA_NEW(arena, const char *, value->count)};
    for (; w.count < value->count; w.count++)
        w.items[w.count] = nadi_arena_strdup(arena, value->items[w.count].text);
    return w;
}

bool nadi_comm_platform_read(struct nadi_comm_platform *p, const struct nadi_schema_values *v,
                             struct nadi_arena *arena, struct nadi_diags *diags)
{
    *p = (struct nadi_comm_platform){
        .name = text_of(v, "platform", arena),
        .source = text_of(v, "source", arena),
        .device = text_of(v, "device", arena),
        .known_as = words_of(v, "known-as", arena),
        .instances = words_of(v, "instances", arena),
        .gpus_per_node = (uint32_t)nadi_schema_integer(v, "gpus-per-node"),
        .nodes = (uint32_t)nadi_schema_integer(v, "nodes"),
        .nics = (uint32_t)nadi_schema_integer(v, "nics"),
        .tree_nics = (uint32_t)nadi_schema_integer(v, "tree-nics"),
        .transport = (enum nadi_comm_transport)nadi_schema_word(v, "transport"),
        .link_rate = nadi_schema_number(v, "link-bandwidth"),
        .nic_rate = nadi_schema_number(v, "nic-bandwidth"),
        .mesh = nadi_schema_word(v, "fabric") == 1,
        .pcie = nadi_schema_word(v, "fabric") == 2,
        .rack = nadi_schema_integer(v, "rack") != 0,
        .nvls = nadi_schema_integer(v, "nvls") != 0,
        .sharp = nadi_schema_integer(v, "sharp") != 0,
        .generation = (enum nadi_comm_generation)nadi_schema_word(v, "generation"),
    };
    p->amd_host = nadi_schema_word(v, "host") == 1;
    p->arm_host = nadi_schema_word(v, "host") == 2;
    p->pairs_bytes = nadi_schema_number(v, "pairs-most");
    p->net_latency_ns = nadi_schema_number(v, "net-latency");
    const char *library = text_of(v, "library", arena);
    p->version = nadi_nccl_version_of(library);
    if (*library && !p->version)
        return nadi_error(diags, "platform/library", NADI_IN_FILE(v->doc->path),
                          "for example: library: NCCL 2.27",
                          "'%s' names no version of NCCL or RCCL", library);
    for (int f = 0; f < NADI_FIGURES; f++)
        p->value[f] = nadi_schema_number(v, abouts[f].key);
    read_algorithms(p, nadi_schema_get(v, "algorithms"));
    if (p->nics == 0 && p->nodes > 1)
        return nadi_error(diags, "platform/nics", NADI_IN_FILE(v->doc->path),
                          "write nics: and nic-bandwidth:", "several nodes need NICs between them");
    return read_lists(p, v, arena, diags);
}

bool nadi_comm_platform_open(struct nadi_comm_platform *p, const char *name,
                             struct nadi_arena *arena, struct nadi_diags *diags)
{
    return nadi_comm_platform_open_changed(p, name, NULL, arena, diags);
}

bool nadi_comm_platform_open_changed(struct nadi_comm_platform *p, const char *name,
                                     const struct nadi_doc_changes *changes,
                                     struct nadi_arena *arena, struct nadi_diags *diags)
{
    struct nadi_doc doc;
    struct nadi_schema_values v;
    if (!nadi_catalogue_doc_changed(&doc, "platforms", name, changes, diags))
        return false;
    const bool ok = nadi_schema_check(&v, nadi_schema_of(NADI_SCHEMA_PLATFORM), &doc, true,
                                      &doc.arena, diags) &&
                    nadi_comm_platform_read(p, &v, arena, diags);
    nadi_doc_release(&doc);
    return ok;
}
