/* Any packet file or config.txt, topology and flows, with a '|' between: what all three readers
 * accept is simulated for a while, and nothing is received that was not sent. The first byte: 1 the
 * file is a config.txt, 2 exact mode; the rest of it a scheme instead of the file's. */
#include "base/mem.h"
#include "inputs/model_presets.h"
#include "inputs/packet_config.h"
#include "network/flow_list.h"
#include "network/packet/cc.h"
#include "network/packet/hpcc_config.h"
#include "network/packet/packet.h"
#include "platform/graph_hpcc.h"
#include "settings/schema.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_NODES = 64, MOST_LINKS = 256, MOST_FLOWS = 32, EVENTS = 20000 };

static bool read_config(struct nadi_packet_config *c, char *text, bool hpcc,
                        struct nadi_arena *arena, struct nadi_diags *diags)
{
    const struct nadi_schema *schema = nadi_schema_of(NADI_SCHEMA_PACKET);
    struct nadi_hpcc_files files = {0};
    struct nadi_schema_values values;
    struct nadi_doc doc;
    nadi_packet_config_init_hpcc(c);
    if (hpcc)
        return nadi_hpcc_config_parse(c, &files, "fuzz.txt", text, strlen(text), arena, diags);
    if (!nadi_doc_parse(&doc, "fuzz.yml", text, strlen(text), NADI_DOC_YAML, diags))
        return false;
    const bool good = nadi_schema_check(&values, schema, &doc, true, &doc.arena, diags) &&
                      nadi_packet_config_fill(c, &values, arena, diags);
    nadi_doc_release(&doc);
    return good;
}

static void simulate(const struct nadi_graph *g, const struct nadi_packet_config *c,
                     const struct nadi_flow_list *flows, struct nadi_diags *diags)
{
    const nadi_time until = NADI_TIME_MAX - 1;
    struct nadi_pkt *net = nadi_pkt_create(g, c, diags);
    if (!net)
        return;
    for (size_t i = 0; i < flows->count; i++) {
        const struct nadi_flow_spec *f = &flows->items[i];
        const struct nadi_pkt_flow_spec spec = {
            .src = f->src,
            .dst = f->dst,
            .class = (uint8_t)f->priority,
            .dport = (uint16_t)f->port,
            .bytes = f->bytes % (1 << 20),
        };
        (void)nadi_pkt_flow_start(net, &spec);
    }
    (void)nadi_pkt_run(net, &until, EVENTS);
    const struct nadi_pkt_totals *t = &net->totals;
    NADI_ASSERT(t->data_received <= t->data_sent);
    NADI_ASSERT(t->acks_received <= t->acks_sent);
    for (uint32_t i = 0; i < net->switch_count; i++)
        NADI_ASSERT(net->switches[i].shared_bytes >= 0);
    nadi_pkt_destroy(net);
}

/* The text up to the next bar; what follows in *rest. */
static char *part(char *text, char **rest)
{
    char *bar = strchr(text, '|');
    *rest = bar ? bar + 1 : text + strlen(text);
    if (bar)
        *bar = '\0';
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    struct nadi_diags diags;
    struct nadi_arena arena;
    struct nadi_graph graph;
    struct nadi_flow_list flows = {0};
    struct nadi_packet_config c;
    char *text = NADI_NEW(char, size), *topology, *list, *end;
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    nadi_diags_init(&diags);
    nadi_arena_init(&arena);
    nadi_graph_init(&graph);
    const char *config = part(text, &topology);
    (void)part(topology, &list);
    (void)part(list, &end);
    uint32_t schemes = 0;
    while (nadi_cc_all[schemes])
        schemes++;
    if (read_config(&c, (char *)(uintptr_t)config, data[0] & 1, &arena, &diags) &&
        nadi_graph_parse_hpcc(&graph, "fuzz.txt", topology, strlen(topology), &diags) &&
        graph.node_count <= MOST_NODES && graph.link_count <= MOST_LINKS &&
        nadi_flow_list_parse(&flows, "fuzz.txt", list, strlen(list), &diags) &&
        flows.count <= MOST_FLOWS && nadi_flow_list_check(&flows, &graph, "fuzz.txt", &diags)) {
        c.exact |= (data[0] & 2) > 0;
        if (data[0] >> 2)
            c.cc = nadi_cc_all[(data[0] >> 2) % schemes];
        simulate(&graph, &c, &flows, &diags);
    }
    nadi_flow_list_release(&flows);
    nadi_graph_release(&graph);
    nadi_arena_release(&arena);
    nadi_diags_release(&diags);
    nadi_mem_free(text);
    return 0;
}
