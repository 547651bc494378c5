#include "cli/compat.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/str.h"
#include "cli/command.h"
#include "cli/compat_log.h"
#include "cli/stop.h"
#include "cli/terminal.h"

#include <errno.h>

struct values {
    const char *workload, *system, *network, *memory, *groups;
    const char *logging, *folder;
    uint32_t queues_per_dim;
    double injection_scale, compute_scale, comm_scale;
    bool rendezvous;
};

static const struct nadi_compat programs[] = {
    {"AstraSim_Analytical_Congestion_Unaware", "unaware"},
    {"AstraSim_Analytical_Congestion_Aware", "aware"},
};

#define AT(member) NADI_AT(struct values, member)

static const struct nadi_setting flags[] = {
    {.name = "workload-configuration",
     .argument = "PREFIX",
     .type = NADI_TYPE_TEXT,
     AT(workload),
     .required = true,
     .doc = "Chakra traces: rank r reads PREFIX.<r>.et"},
    {.name = "system-configuration",
     .argument = "FILE",
     .type = NADI_TYPE_TEXT,
     AT(system),
     .required = true,
     .doc = "System JSON"},
    {.name = "network-configuration",
     .argument = "FILE",
     .type = NADI_TYPE_TEXT,
     AT(network),
     .required = true,
     .doc = "Network YAML"},
    {.name = "remote-memory-configuration",
     .argument = "FILE",
     .type = NADI_TYPE_TEXT,
     AT(memory),
     .required = true,
     .doc = "Remote-memory JSON"},
    {.name = "comm-group-configuration",
     .argument = "FILE",
     .type = NADI_TYPE_TEXT,
     AT(groups),
     .preset = "empty",
     .doc = "Communicator groups"},
    {.name = "logging-configuration",
     .argument = "FILE",
     .type = NADI_TYPE_TEXT,
     AT(logging),
     .preset = "empty",
     .doc = "Accepted, has no effect"},
    {.name = "logging-folder",
     .argument = "DIR",
     .type = NADI_TYPE_TEXT,
     AT(folder),
     .preset = "log",
     .doc = "log.log and err.log are written there"},
    {.name = "num-queues-per-dim",
     .argument = "N",
     NADI_A_COUNT,
     AT(queues_per_dim),
     .preset = "1",
     .doc = "Logical queues of every network dimension"},
    {.name = "compute-scale",
     .argument = "X",
     NADI_A_FACTOR,
     AT(compute_scale),
     .preset = "1",
     .doc = "Accepted, has no effect"},
    {.name = "comm-scale",
     .argument = "X",
     NADI_A_FACTOR,
     AT(comm_scale),
     .preset = "1",
     .doc = "Accepted, has no effect"},
    {.name = "injection-scale",
     .argument = "X",
     NADI_A_FACTOR,
     AT(injection_scale),
     .preset = "1",
     .doc = "Multiplies endpoint-delay where the system file has it"},
    {.name = "rendezvous-protocol",
     .type = NADI_TYPE_FLAG,
     AT(rendezvous),
     .doc = "Every message asks the receiver first"},
};

enum { FLAG_COUNT = sizeof(flags) / sizeof(flags[0]) };

const struct nadi_compat *nadi_compat_find(const char *path)
{
    const char *name = nadi_file_name(path);
    for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
        if (nadi_str_equal(programs[i].program, name))
            return &programs[i];
    }
    return NULL;
}

/* --- the command line --------------------------------------------------------------------------
 */

static bool parse_flag(const char *text, bool *value)
{
    static const char *const yes[] = {"t", "T", "true", "True", "1"};
    static const char *const no[] = {"f", "F", "false", "False", "0"};
    for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++) {
        if (nadi_str_equal(text, yes[i]) || nadi_str_equal(text, no[i])) {
            *value = nadi_str_equal(text, yes[i]);
            return true;
        }
    }
    return false;
}

static bool parse_count(const char *text, uint32_t *value)
{
    if (!nadi_str_starts(text, "0x"))
        return nadi_str_to_u32(text, INT32_MAX, value) && *value > 0;
    const char *digits = text + 2;
    const size_t count = strspn(digits, "0123456789abcdefABCDEF");
    if (count == 0 || digits[count])
        return false;
    errno = 0;
    const unsigned long long wide = strtoull(digits, NULL, 16);
    if (errno || wide < 1 || wide > INT32_MAX)
        return false;
    *value = (uint32_t)wide;
    return true;
}

/* By the reference's own rules where they differ. */
static bool parse_value(const struct nadi_setting *o, const char *text, void *at)
{
    if (o->type == NADI_TYPE_FLAG)
        return parse_flag(text, at);
    if (o->type == NADI_TYPE_INTEGER)
        return parse_count(text, at);
    if (o->type == NADI_TYPE_TEXT) {
        *(const char **)at = text; /* an empty one too */
        return true;
    }
    return nadi_setting_read(o, text, at);
}

static const struct nadi_setting *find_flag(const char *name, size_t length)
{
    for (size_t i = 0; i < FLAG_COUNT; i++) {
        if (strlen(flags[i].name) == length && memcmp(flags[i].name, name, length) == 0)
            return &flags[i];
    }
    return NULL;
}

static void warn_unknown(const char *program, const char *word, size_t length)
{
    const char *names[FLAG_COUNT];
    for (size_t i = 0; i < FLAG_COUNT; i++)
        names[i] = flags[i].name;
    struct nadi_str name = NADI_STR_INIT;
    nadi_str_add_bytes(&name, word, length);
    const char *nearest = nadi_str_nearest(nadi_str_get(&name) + 2, names, FLAG_COUNT);
    fprintf(stderr, "%s: warning: unknown option '%s' ignored%s%s%s\n", program,
            nadi_str_get(&name), nearest ? ", did you mean '--" : "", nearest ? nearest : "",
            nearest ? "'?" : "");
    nadi_str_release(&name);
}

/* The option at arguments[i]; returns the last word used, or -1 after an error. */
static int read_flag(const char *program, int i, int count, char **arguments, struct values *values)
{
    const char *word = arguments[i];
    const char *equals = strchr(word, '=');
    const size_t length = equals ? (size_t)(equals - word) : strlen(word);
    const struct nadi_setting *o = find_flag(word + 2, length - 2);
    if (!o) {
        warn_unknown(program, word, length);
        return i;
    }
    const char *value = equals ? equals + 1 : NULL;
    if (!value && o->type == NADI_TYPE_FLAG)
        value = "true";
    if (!value && i + 1 >= count) {
        fprintf(stderr, "%s: error: option '%s' needs a value\n", program, word);
        return -1;
    }
    if (!value)
        value = arguments[++i];
    if (!parse_value(o, value, (char *)values + o->offset)) {
        fprintf(stderr, "%s: error: option '--%s' cannot be '%s'\n", program, o->name, value);
        return -1;
    }
    return i;
}

static bool read_flags(const char *program, int count, char **arguments, struct values *values)
{
    for (size_t i = 0; i < FLAG_COUNT; i++) {
        if (flags[i].preset &&
            !parse_value(&flags[i], flags[i].preset, (char *)values + flags[i].offset))
            NADI_BUG("default of --%s", flags[i].name);
    }
    for (int i = 0; i < count; i++) {
        if (nadi_str_starts(arguments[i], "--") && arguments[i][2]) {
            i = read_flag(program, i, count, arguments, values);
            if (i < 0)
                return false;
        } else {
            fprintf(stderr, "%s: warning: stray word '%s' ignored\n", program, arguments[i]);
        }
    }
    bool complete = true;
    for (size_t i = 0; i < FLAG_COUNT; i++) {
        const void *value = (const char *)values + flags[i].offset;
        if (flags[i].required && !*(const char *const *)value) {
            fprintf(stderr, "%s: error: option '--%s %s' is missing\n", program, flags[i].name,
                    flags[i].argument);
            complete = false;
        }
    }
    return complete;
}

static int print_help(const char *program)
{
    printf("usage: %s [OPTIONS]\n\nnadi under the name of the reference's program.\n\n", program);
    for (size_t i = 0; i < FLAG_COUNT; i++)
        printf("  --%-28s %-8s %s%s\n", flags[i].name, flags[i].argument ? flags[i].argument : "",
               flags[i].doc, flags[i].required ? " (required)" : "");
    return NADI_EXIT_DONE;
}

/* --- the run -----------------------------------------------------------------------------------
 */

static void apply(const struct nadi_compat *compat, const struct values *values,
                  struct nadi_setup *setup)
{
    nadi_setup_init(setup);
    setup->compat = 1;
    setup->network_model = compat->network_model;
    setup->workload = values->workload;
    setup->system = values->system;
    setup->network = values->network;
    setup->memory = values->memory;
    setup->groups = values->groups;
    setup->queues_per_dim = values->queues_per_dim;
    setup->injection_scale = values->injection_scale;
    setup->compute_scale = values->compute_scale;
    setup->comm_scale = values->comm_scale;
    setup->rendezvous = values->rendezvous;
    /* There, any path with "empty" in it means no groups; here, only where no such file exists. */
    if (strstr(values->groups, "empty") && !nadi_file_exists(values->groups))
        setup->groups = NULL;
    if (!nadi_str_equal(values->logging, "empty"))
        fprintf(stderr, "%s: warning: --logging-configuration has no effect\n", compat->program);
}

static enum nadi_status simulate(struct nadi_job *job, struct nadi_compat_log *log)
{
    nadi_job_keep_ops(job);
    struct nadi_watch watch;
    nadi_watch_init(&watch);
    watch.stop = nadi_stop_flag();
    nadi_stop_doing("simulating");
    const enum nadi_status status = nadi_job_run(job, &watch);
    nadi_stop_flag_done();
    nadi_stop_doing("writing the results");
    if (!nadi_job_has_results(job))
        return status;
    char *lines = nadi_terminal_must(nadi_job_reference_lines(job));
    nadi_compat_log_lines(log, lines);
    nadi_free(lines);
    const enum nadi_status written = nadi_job_write_memory(job, NULL);
    return status == NADI_STATUS_DONE ? written : status;
}

int nadi_compat_run(const struct nadi_compat *compat, int count, char **arguments)
{
    for (int i = 0; i < count; i++) {
        if (nadi_str_equal(arguments[i], "--help"))
            return print_help(compat->program);
    }
    struct values values = {0};
    if (!read_flags(compat->program, count, arguments, &values))
        return NADI_EXIT_USAGE;
    struct nadi_compat_log log;
    if (!nadi_compat_log_open(&log, values.folder))
        return NADI_EXIT_INPUT;
    struct nadi_setup setup;
    apply(compat, &values, &setup);
    struct nadi_job *job = nadi_terminal_must(nadi_job_create(&setup));
    nadi_stop_doing("reading and checking the inputs");
    enum nadi_status status = nadi_job_load(job);
    const size_t shown = nadi_terminal_messages(nadi_job_messages(job), 0, false);
    if (status == NADI_STATUS_DONE) {
        status = simulate(job, &log);
        nadi_terminal_messages(nadi_job_messages(job), shown, false);
    }
    nadi_compat_log_errors(&log, nadi_job_messages(job));
    nadi_job_destroy(job);
    return nadi_compat_log_close(&log) || status != NADI_STATUS_DONE ? (int)status
                                                                     : NADI_EXIT_INPUT;
}
