#include "base/str.h"
#include "cli/command.h"
#include "cli/inputs.h"
#include "cli/stop.h"
#include "cli/terminal.h"

struct values {
    const char *flows, *topology, *config, *cc, *network_model, *compat, *fct, *pfc, *out;
    uint64_t seed, sample_ns, max_rows;
    uint32_t threads;
    bool quiet;
};

#define AT(member) NADI_AT(struct values, member)

enum { SAMPLE_NS = 10000, MAX_ROWS = 200000 };

static const struct nadi_setting inputs[] = {
    {.name = "flows",
     .argument = "FILE",
     .type = NADI_TYPE_TEXT,
     AT(flows),
     .doc = "Flows: a count, then SRC DST PRIORITY PORT BYTES START_S per line; default: the "
            "configuration's FLOW_FILE"},
    {.name = "topology",
     .argument = "FILE",
     .type = NADI_TYPE_TEXT,
     AT(topology),
     .doc = "Network file, or nodes, switches and links in the HPCC simulator's form; default: "
            "the configuration's TOPOLOGY_FILE"},
    {.name = "config",
     .argument = "FILE",
     .type = NADI_TYPE_TEXT,
     AT(config),
     .doc = "Packet file, or configuration in the HPCC simulator's form"},
    {.name = NULL},
};

static const struct nadi_setting model[] = {
    {.name = "cc",
     .argument = "NAME",
     .type = NADI_TYPE_TEXT,
     AT(cc),
     .doc = "Congestion control: none, dcqcn, ...; default: the configuration's"},
    {.name = "network-model",
     .type = NADI_TYPE_WORD,
     .words = NADI_WORDS_LINK_MODEL,
     .preset = NADI_NETWORK_FOR_FLOWS,
     AT(network_model),
     .doc = "How the flows are simulated: as packets, with fair sharing, or as messages that queue "
            "at links"},
    {.name = "compat",
     .argument = "ns3",
     .type = NADI_TYPE_TEXT,
     AT(compat),
     .doc = "ns3: whole nanoseconds and the HPCC simulator's headers, for equal results"},
    {.name = "seed",
     .argument = "N",
     NADI_A_WHOLE,
     .preset = "0",
     AT(seed),
     .doc = "Seed of random marks, losses and spraying; 0: the configuration's, or 1"},
    {.name = "threads",
     .argument = "N",
     NADI_A_COUNT,
     AT(threads),
     .doc = "Parts of the network to simulate concurrently, with the same results (default: 1)"},
    {.name = NULL},
};

static const struct nadi_setting output[] = {
    {.name = "fct",
     .argument = "FILE",
     .type = NADI_TYPE_TEXT,
     AT(fct),
     .doc = "Write completion times: SRC DST SPORT BYTES START_NS FCT_NS per line"},
    {.name = "pfc",
     .argument = "FILE",
     .type = NADI_TYPE_TEXT,
     AT(pfc),
     .doc = "Write received pause frames: TIME_NS NODE TYPE PORT PAUSE per line"},
    {.name = "out",
     .letter = 'o',
     .argument = "DIR",
     .type = NADI_TYPE_TEXT,
     AT(out),
     .doc = "Write tables: flows.csv, and of packets pfc.csv, ports.csv, and over time "
            "queues.csv, links.csv, rates.csv"},
    {.name = "sample-ns",
     .argument = "N",
     NADI_A_WHOLE,
     .preset = "10000",
     AT(sample_ns),
     .doc = "Interval of rows over time; doubled whenever a table would pass --max-rows"},
    {.name = "max-rows",
     .argument = "N",
     NADI_A_WHOLE,
     .preset = "200000",
     AT(max_rows),
     .doc = "Rows of a table over time"},
    {.name = "quiet",
     .type = NADI_TYPE_FLAG,
     AT(quiet),
     .doc = "No warnings and notes on standard error"},
    {.name = NULL},
};

static const struct nadi_option_group flows_groups[] = {
    {"Inputs", inputs, 0},
    {"Model", model, 0},
    {"Output", output, 0},
    {.heading = NULL},
};

/* An option that only packets give a meaning, with another network model; NULL: there is none. */
static const char *of_packets(const struct values *v)
{
    if (nadi_options_any_word(NADI_WORDS_PACKET_MODEL, v->network_model))
        return NULL;
    return v->pfc                      ? "pfc"
           : v->sample_ns != SAMPLE_NS ? "sample-ns"
           : v->max_rows != MAX_ROWS   ? "max-rows"
                                       : NULL;
}

static enum nadi_status simulate(const struct values *v, struct nadi_flows *flows)
{
    nadi_stop_doing("simulating");
    enum nadi_status status = nadi_flows_run(flows, nadi_stop_flag());
    nadi_stop_flag_done();
    nadi_stop_doing("writing the results");
    if (status == NADI_STATUS_INPUT || !nadi_flows_have_results(flows))
        return status;
    char *text = nadi_flows_text(flows);
    nadi_terminal_print(text);
    enum nadi_status written = NADI_STATUS_DONE;
    if (v->fct)
        written = nadi_flows_write_fct(flows, v->fct);
    if (v->pfc && written == NADI_STATUS_DONE)
        written = nadi_flows_write_pfc(flows, v->pfc);
    if (v->out && written == NADI_STATUS_DONE)
        written = nadi_flows_write_folder(flows, v->out);
    return status == NADI_STATUS_DONE ? written : status;
}

static int cmd_flows(const struct nadi_command *self, int count, char **arguments)
{
    struct values v = {0};
    struct nadi_words words;
    if (!nadi_options_parse(self->name, self->options, 0, count, arguments, &v, &words))
        return NADI_EXIT_USAGE;
    const char *vain = of_packets(&v);
    if (vain) {
        fprintf(stderr,
                "nadi flows: error: '--%s' is about packets, which the network model %s does not "
                "know\n",
                vain, v.network_model);
        return NADI_EXIT_USAGE;
    }
    struct nadi_claim *claim;
    if (!nadi_cli_claim(v.out, &claim))
        return NADI_EXIT_INPUT;
    struct nadi_flows_setup setup;
    nadi_flows_setup_init(&setup);
    setup.flows = v.flows;
    setup.topology = v.topology;
    setup.config = v.config;
    setup.cc = v.cc;
    setup.network_model = v.network_model;
    setup.compat = v.compat;
    setup.seed = v.seed;
    setup.sampled = v.out && v.sample_ns > 0;
    setup.sample_ns = v.sample_ns;
    setup.max_rows = v.max_rows;
    setup.threads = v.threads;
    struct nadi_flows *flows = nadi_terminal_must(nadi_flows_create(&setup));
    nadi_stop_doing("reading and checking the inputs");
    enum nadi_status status = nadi_flows_read(flows);
    if (status == NADI_STATUS_DONE)
        status = simulate(&v, flows);
    nadi_terminal_messages(nadi_flows_messages(flows), 0, v.quiet);
    nadi_flows_destroy(flows);
    nadi_claim_destroy(claim);
    return (int)status;
}

const struct nadi_command nadi_command_flows = {
    .name = "flows",
    .group = "Simulate",
    .summary = "Simulate a list of flows over a network of switches",
    .doing = "reading and checking the inputs",
    .about = "Simulates plain flows through hosts, links and switches packet by packet: queues, "
             "PFC, ECN\nand congestion control. Reads the files of the HPCC simulator; --compat "
             "ns3 gives its completion\ntimes to the nanosecond.\n",
    .examples = "nadi flows --flows flow.txt --topology topology.txt --config config.txt "
                "--fct fct.txt\n",
    .options = flows_groups,
    .run = cmd_flows,
};
