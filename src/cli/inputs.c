#include "cli/inputs.h"
#include "cli/terminal.h"

#define AT(member) NADI_AT(struct nadi_cli_inputs, member)

const struct nadi_setting nadi_cli_input_files[] = {
    {.name = "workload",
     .argument = "PREFIX",
     .type = NADI_TYPE_TEXT,
     AT(workload),
     .required = true,
     .doc = "Chakra traces: rank r reads PREFIX.<r>.et (.gz, .zst); or a manifest, FILE.yml"},
    {.name = "system",
     .argument = "FILE",
     .type = NADI_TYPE_TEXT,
     AT(system),
     .required = true,
     .doc = "System: collective algorithms, chunks, compute and memory of an NPU"},
    {.name = "network",
     .argument = "NETWORK",
     .type = NADI_TYPE_TEXT,
     AT(network),
     .required = true,
     .doc = "A network file; or a platform's name (`nadi model list`); or a generator and its "
            "parameters, in quotes: \"fat-tree k=8\""},
    {.name = "memory",
     .argument = "FILE",
     .type = NADI_TYPE_TEXT,
     AT(memory),
     .doc = "Remote memory (default: there is none)"},
    {.name = "groups",
     .argument = "FILE",
     .type = NADI_TYPE_TEXT,
     AT(groups),
     .doc = "Communicator groups (default: those of the traces, and all ranks)"},
    {.name = "events",
     .argument = "FILE",
     .type = NADI_TYPE_TEXT,
     AT(events),
     .doc = "Disturbances: links that change or fail, slow and late ranks, background traffic"},
    {.name = "lenient",
     .type = NADI_TYPE_FLAG,
     AT(lenient),
     .doc =
         "Unknown keys of system, network and memory files, and traces of ranks that the network "
         "does not have, are warnings, as for the reference"},
    {.name = NULL},
};

const struct nadi_setting nadi_cli_input_model[] = {
    NADI_CLI_MODELS_OPTION,
    {.name = "compat",
     .argument = "ns3",
     .type = NADI_TYPE_TEXT,
     AT(compat),
     .doc = "ns3: packets in whole nanoseconds and with the HPCC simulator's headers"},
    NADI_CLI_EXECUTOR_OPTION,
    NADI_CLI_MISMATCH_OPTION,
    {.name = "queues-per-dim",
     .argument = "N",
     NADI_A_COUNT,
     .preset = "1",
     AT(queues_per_dim),
     .doc = "Logical queues of every network dimension"},
    {.name = "injection-scale",
     .argument = "X",
     NADI_A_FACTOR,
     .preset = "1",
     AT(injection_scale),
     .doc = "Multiplies the system file's endpoint-delay"},
    {.name = "compute-scale",
     .argument = "X",
     NADI_A_FACTOR,
     .preset = "1",
     AT(compute_scale),
     .doc = "Multiplies the time of compute nodes"},
    {.name = "comm-scale",
     .argument = "X",
     NADI_A_FACTOR,
     .preset = "1",
     AT(comm_scale),
     .doc = "Multiplies the bytes of communication nodes"},
    {.name = "rendezvous",
     .type = NADI_TYPE_FLAG,
     AT(rendezvous),
     .doc = "Every message asks the receiver first"},
    {.name = NULL},
};

void nadi_cli_inputs_apply(const struct nadi_cli_inputs *inputs, struct nadi_setup *setup)
{
    nadi_setup_init(setup);
    setup->workload = inputs->workload;
    setup->system = inputs->system;
    setup->network = inputs->network;
    setup->memory = inputs->memory;
    setup->groups = inputs->groups;
    setup->events = inputs->events;
    setup->network_model = inputs->network_model;
    setup->executor = inputs->executor;
    setup->mismatch = inputs->mismatch;
    setup->queues_per_dim = inputs->queues_per_dim;
    setup->injection_scale = inputs->injection_scale;
    setup->compute_scale = inputs->compute_scale;
    setup->comm_scale = inputs->comm_scale;
    setup->packet_compat = inputs->compat;
    setup->rendezvous = inputs->rendezvous;
    setup->lenient = inputs->lenient;
}

bool nadi_cli_claim(const char *folder, struct nadi_claim **claim)
{
    *claim = NULL;
    if (!folder)
        return true;
    struct nadi_diags *messages = nadi_terminal_must(nadi_messages_create());
    *claim = nadi_claim_create(folder, messages);
    nadi_terminal_messages(messages, 0, true);
    const bool is_input = nadi_terminal_why(messages) == (int)NADI_STATUS_INPUT;
    nadi_messages_destroy(messages);
    if (!*claim && !is_input)
        nadi_terminal_must(NULL);
    return *claim != NULL;
}

void nadi_cli_print_files(const char *folder, const struct nadi_job *job)
{
    static const struct {
        const char *name, *remark;
    } apart[] = {
        {"timeline.pftrace", "open it in https://ui.perfetto.dev"},
        {"run.db", "for `nadi report` and `nadi query`"},
    };
    enum { APART = sizeof(apart) / sizeof(*apart) };
    bool there[APART] = {false}, of_ranks = false;
    const size_t length = strlen(folder);
    if (!nadi_job_file(job, 0).name)
        return; /* not all could be written: that was said */
    printf("\nfiles in %s%s\n ", folder, length && folder[length - 1] == '/' ? "" : "/");
    for (size_t i = 0; nadi_job_file(job, i).name; i++) {
        const struct nadi_file_view file = nadi_job_file(job, i);
        size_t at = 0;
        while (at < APART && strcmp(file.name, apart[at].name) != 0)
            at++;
        if (at < APART)
            there[at] = true;
        else if (file.is_of_one_rank)
            of_ranks = true;
        else
            printf(" %s", file.name);
    }
    putchar('\n');
    if (of_ranks)
        printf("  a Chrome trace of each rank's memory\n");
    for (size_t at = 0; at < APART; at++)
        if (there[at])
            printf("  %s: %s\n", apart[at].name, apart[at].remark);
}
