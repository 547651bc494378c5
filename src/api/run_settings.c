#include "api/run_settings.h"

#include "api/words.h"
#include "base/str.h"
#include "inputs/inputs.h"

enum { NS_IN_MS = 1000000 };

#define AT(member) NADI_AT(struct nadi_run_options, member)
#define A_SCALE    .argument = "X", .type = NADI_TYPE_NUMBER, .max = NADI_MOST_SCALE, .preset = "1"
#define END                                                                                        \
    {                                                                                              \
        .name = NULL                                                                               \
    }

/* --- values that are kept in another form -------------------------------------------------------
 */

static void put_lenient(const union nadi_any *value, void *options)
{
    struct nadi_run_options *o = options;
    if (value->flag)
        o->strict = false;
}

static void put_model(const union nadi_any *value, void *options)
{
    struct nadi_run_options *o = options;
    o->choose_model = nadi_str_equal(value->text, "auto");
    o->even_chunks = o->choose_model;
    o->network_model = o->choose_model ? nadi_network_default : nadi_network_find(value->text);
}

static void put_executor(const union nadi_any *value, void *options)
{
    struct nadi_run_options *o = options;
    o->executor = nadi_executor_find(value->text); /* NULL: auto */
}

static void put_mismatch(const union nadi_any *value, void *options)
{
    struct nadi_run_options *o = options;
    o->match_mismatched = nadi_str_equal(value->text, "warn");
}

static void put_fabric_conflict(const union nadi_any *value, void *options)
{
    struct nadi_run_options *o = options;
    o->fabric_stops = nadi_str_equal(value->text, "stop");
}

static void put_compat(const union nadi_any *value, void *options)
{
    struct nadi_run_options *o = options;
    o->exact_packets = nadi_str_equal(value->text, "ns3");
}

static void put_max_wall(const union nadi_any *value, void *options)
{
    struct nadi_run_options *o = options;
    o->max_wall_ms = value->whole / NS_IN_MS + (value->whole % NS_IN_MS > 0);
}

/* --- the rows -----------------------------------------------------------------------------------
 */

const struct nadi_setting nadi_run_files[] = {
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
    {.name = "lenient",
     .type = NADI_TYPE_FLAG,
     .put = put_lenient,
     .doc =
         "Unknown keys of system, network and memory files, and traces of ranks that the network "
         "does not have, are warnings, as for the reference"},
    END,
};

const struct nadi_setting nadi_run_disturbances[] = {
    {.name = "events",
     .argument = "FILE",
     .type = NADI_TYPE_TEXT,
     AT(events),
     .doc = "Disturbances: links that change or fail, slow and late ranks, background traffic"},
    END,
};

const struct nadi_setting nadi_run_model[] = {
    {.name = "flit",
     .argument = "FILE",
     .type = NADI_TYPE_TEXT,
     AT(flit),
     .doc = "Network model flit: routers, virtual channels, flits (default: a router of four "
            "stages, 8 channels)"},
    {.name = "loadstore",
     .argument = "FILE",
     .type = NADI_TYPE_TEXT,
     AT(loadstore),
     .doc = "Network model loadstore: SMs and copy engines, requests, protocol (default: an H100 "
            "and NCCL's simple protocol)"},
    {.name = "network-model",
     .type = NADI_TYPE_WORD,
     .words = NADI_WORDS_CHOSEN_MODEL,
     .several = true,
     .preset = "auto",
     .put = put_model,
     .doc = "Messages " NADI_NETWORK_HELP "; auto: " NADI_NETWORK_AUTO
            "; several, separated by commas: side by side"},
    {.name = "executor",
     .type = NADI_TYPE_WORD,
     .words = NADI_WORDS_EXECUTOR,
     .preset = "auto",
     .put = put_executor,
     .doc = "How collectives are simulated; auto takes the fastest that is exact"},
    {.name = "threads",
     .argument = "N",
     NADI_A_COUNT,
     AT(threads),
     .doc = "Threads of a simulation, at most; results are the same with any number (default: one "
            "for each core, where it is worth it)"},
    {.name = "fabric-conflict",
     .type = NADI_TYPE_WORD,
     .words = NADI_ONE_OF("serialise", "stop"),
     .put = put_fabric_conflict,
     .doc = "Network model fabric, if a switch cannot route a message beside the others: it waits, "
            "which the result says, or the run ends (default: serialise)"},
    {.name = "packet-error",
     .argument = "PERCENT",
     .type = NADI_TYPE_NUMBER,
     .max = 10,
     AT(packet_error),
     .doc =
         "Network model packet: time messages that share no cable instead of simulating their "
         "packets, where each is off by no more than this; with hpcc and hpcc-pint, from 1 on, "
         "pass over what keeps its pace, and recall what repeats but for its reports' units and "
         "random numbers; where others meet, the run may be off by more (default: 0, all packets)"},
    {.name = "mismatch",
     .type = NADI_TYPE_WORD,
     .words = NADI_ONE_OF("error", "warn"),
     .put = put_mismatch,
     .doc =
         "If members of a group issue different collectives: end the run, or match their messages "
         "as the reference does (default: error)"},
    END,
};

const struct nadi_setting nadi_run_system[] = {
    {.name = "compat",
     .type = NADI_TYPE_WORD,
     .words = NADI_ONE_OF("ns3"),
     .put = put_compat,
     .doc = "ns3: packets in whole nanoseconds and with the HPCC simulator's headers"},
    {.name = "queues-per-dim",
     .argument = "N",
     .type = NADI_TYPE_INTEGER,
     .min = 1,
     .max = NADI_MOST_QUEUES,
     .preset = "1",
     AT(queues_per_dim),
     .doc = "Logical queues of every network dimension"},
    {.name = "injection-scale",
     A_SCALE,
     AT(injection_scale),
     .doc = "Multiplies the system file's endpoint-delay"},
    {.name = "compute-scale",
     A_SCALE,
     AT(compute_scale),
     .doc = "Multiplies the time of compute nodes"},
    {.name = "comm-scale",
     A_SCALE,
     AT(comm_scale),
     .doc = "Multiplies the bytes of communication nodes"},
    {.name = "rendezvous",
     .type = NADI_TYPE_FLAG,
     AT(rendezvous),
     .doc = "Every message asks the receiver first"},
    END,
};

const struct nadi_setting nadi_run_intervals[] = {
    {.name = "samples",
     .argument = "N",
     NADI_A_COUNT,
     AT(samples),
     .doc = "Also an interval of the end: simulate N times with parameters drawn from the "
            "intervals of a fitted platform (of --network or of the cluster)"},
    {.name = "seed", .argument = "N", NADI_A_WHOLE, AT(seed), .doc = "Seed of the samples"},
    END,
};

const struct nadi_setting nadi_run_cost[] = {
    {.name = "catalogue",
     .argument = "NAME|FILE",
     .type = NADI_TYPE_TEXT,
     AT(catalogue),
     .doc = "Prices and powers (`nadi model list`): also capital, energy, tokens per $ and per J"},
    NADI_ECONOMY_OPTIONS(AT(years), AT(electricity), AT(pue)),
    END,
};

const struct nadi_setting nadi_run_energy[] = {
    {.name = "energy",
     .argument = "NAME|FILE",
     .type = NADI_TYPE_TEXT,
     AT(energy),
     .doc =
         "Energies of routers and links, of a catalogue (`nadi model list`): also joules of what "
         "the network carries; not unaware"},
    END,
};

const struct nadi_setting nadi_run_limits[] = {
    {.name = "max-sim",
     .argument = "TIME",
     NADI_A_TIME,
     AT(max_sim_ns),
     .max = 1e16, /* beyond the clock's range */
     .above_min = true,
     .doc = "Stop when the simulated clock reaches it, like 10ms (a bare number is ns)"},
    END,
};

/* Any command has it, for the whole of its work. */
static const struct nadi_setting others[] = {
    {.name = "max-wall",
     .argument = "TIME",
     NADI_SECONDS,
     .put = put_max_wall,
     .doc = "Stop after so much real time, like 2min (a bare number is seconds)"},
    END,
};

#define TABLE(rows, what)                                                                          \
    &(const struct nadi_schema)                                                                    \
    {                                                                                              \
        .name = "run", .title = what, .option = "nadi run --NAME", .keys = (rows),                 \
        .count = sizeof(rows) / sizeof((rows)[0]) - 1                                              \
    }

const struct nadi_schema *const nadi_run_tables[] = {
    TABLE(nadi_run_files, "inputs of a run"),
    TABLE(nadi_run_disturbances, "disturbances of a run"),
    TABLE(nadi_run_model, "model of a run"),
    TABLE(nadi_run_system, "system of a run"),
    TABLE(nadi_run_intervals, "uncertainty of a run"),
    TABLE(nadi_run_cost, "cost of a run"),
    TABLE(nadi_run_energy, "energy of a run"),
    TABLE(nadi_run_limits, "limits of a run"),
    TABLE(others, "limits of a run"),
    NULL,
};

/* --- by name ------------------------------------------------------------------------------------
 */

static bool is_called(const struct nadi_setting *s, const char *name)
{
    size_t i = 0;
    for (; s->name[i] && name[i]; i++)
        if (s->name[i] != (name[i] == '_' ? '-' : name[i]))
            return false;
    return s->name[i] == name[i];
}

const struct nadi_setting *nadi_run_setting(const char *name)
{
    for (size_t t = 0; nadi_run_tables[t]; t++)
        for (const struct nadi_setting *s = nadi_run_tables[t]->keys; s->name; s++)
            if (is_called(s, name))
                return s;
    return NULL;
}

void nadi_run_preset(struct nadi_run_options *options)
{
    for (size_t t = 0; nadi_run_tables[t]; t++)
        nadi_settings_preset(nadi_run_tables[t]->keys, options);
}

size_t nadi_run_names(const char **names)
{
    size_t count = 0;
    for (size_t t = 0; nadi_run_tables[t]; t++)
        for (const struct nadi_setting *s = nadi_run_tables[t]->keys; s->name; s++)
            if (count < NADI_RUN_NAMES)
                names[count++] = s->name;
    return count;
}

static bool refuse_name(const char *name, struct nadi_arena *arena, struct nadi_diags *diags)
{
    const char *names[NADI_RUN_NAMES];
    const char *near = nadi_str_nearest(name, names, nadi_run_names(names));
    return nadi_error(diags, "setup/unknown", NADI_NOWHERE,
                      near ? nadi_arena_printf(arena, "did you mean '%s'?", near)
                           : "`nadi help run` shows the settings of a run",
                      "a run has no setting '%s'", name);
}

static bool refuse_value(const struct nadi_setting *s, const char *text, struct nadi_arena *arena,
                         struct nadi_diags *diags)
{
    struct nadi_str allowed = NADI_STR_INIT;
    const char *near = s->words && text ? nadi_setting_nearest_word(s, text) : NULL;
    nadi_setting_allowed(s, &allowed);
    nadi_error(diags, nadi_arena_printf(arena, "setup/%s", s->name), NADI_NOWHERE,
               near ? nadi_arena_printf(arena, "did you mean '%s'?", near) : NULL,
               "%s must be %s, found %s%s%s", s->name, nadi_str_get(&allowed),
               text ? "'" : "nothing", text ? text : "", text ? "'" : "");
    nadi_str_release(&allowed);
    return false;
}

bool nadi_run_set(struct nadi_run_options *options, const char *name, const char *text,
                  struct nadi_arena *arena, struct nadi_diags *diags)
{
    const struct nadi_setting *s = nadi_run_setting(name);
    if (!s)
        return refuse_name(name, arena, diags);
    const char *kept = text ? nadi_arena_strdup(arena, text) : NULL;
    if ((!kept && s->type != NADI_TYPE_FLAG) || !nadi_setting_set(s, kept, options))
        return refuse_value(s, text, arena, diags);
    return true;
}
