#include "cli/trace_end.h"

struct values {
    struct nadi_trace_info o;
    bool all;
};

static const struct nadi_setting options[] = {
    {.name = "format",
     .type = NADI_TYPE_WORD,
     .words = NADI_ONE_OF("text", "csv", "json"),
     NADI_LIBRARY_DEFAULT,
     NADI_AT(struct values, o.format),
     .doc = "Form of the report on standard output"},
    {.name = "table",
     .type = NADI_TYPE_WORD,
     .words = NADI_ONE_OF("types", "operators", "groups", "lanes", "path", "ranks", "time"),
     NADI_LIBRARY_DEFAULT,
     NADI_AT(struct values, o.table),
     .doc = "The table that --format csv prints"},
    {.name = "rows",
     .argument = "N",
     NADI_A_COUNT,
     NADI_LIBRARY_DEFAULT,
     NADI_AT(struct values, o.rows),
     .doc = "Rows of a table in the text"},
    {.name = "all",
     .type = NADI_TYPE_FLAG,
     NADI_AT(struct values, all),
     .doc = "All rows of all tables in the text"},
    {.name = NULL},
};

static const struct nadi_option_group trace_info_groups[] = {
    {"Output", options, 0},
    {.heading = NULL},
};

static void init(void *values)
{
    nadi_trace_info_init(&((struct values *)values)->o);
}

static enum nadi_status make(void *values, const struct nadi_words *words, char **text,
                             struct nadi_diags *messages)
{
    struct values *v = values;
    v->o.inputs = (struct nadi_trace_inputs){words->items, (size_t)words->count};
    v->o.rows = v->all ? 0 : v->o.rows;
    return nadi_trace_info(&v->o, text, messages);
}

const struct nadi_command nadi_command_trace_info = {
    .name = "trace info",
    .group = "Traces",
    .summary = "Summarise a trace, or all traces of a job",
    .doing = "summarising the traces",
    .words = "FILE... | PREFIX",
    .about = "Nodes, time and bytes by type, operator, process group and lane; where the time "
             "goes; the\ncritical path; parallelism over time. Times are those recorded in the "
             "trace or, where\nthere are none, replayed from durations and dependencies; "
             "nothing is simulated.\n",
    .examples = "nadi trace info traces/step.0.et\n"
                "nadi trace info traces/step --format csv --table operators\n",
    .options = trace_info_groups,
    .max_words = NADI_ANY_WORDS,
    .call = {.size = sizeof(struct values),
             .init = init,
             .wanted = "a trace file or a prefix",
             .least = 1,
             .make = make},
};
