/* causes: their names, and which one a communication is by its group's name. */
#include "why/why.h"

static const struct {
    const char *name, *label;
} causes[NADI_CAUSES] = {
    [NADI_CAUSE_COMPUTE] = {"compute", "compute"},
    [NADI_CAUSE_TENSOR] = {"tensor_communication", "tensor communication"},
    [NADI_CAUSE_DATA] = {"data_communication", "data communication"},
    [NADI_CAUSE_PIPELINE] = {"pipeline_communication", "pipeline communication"},
    [NADI_CAUSE_EXPERT] = {"expert_communication", "expert communication"},
    [NADI_CAUSE_MESSAGE] = {"point_to_point", "messages between ranks"},
    [NADI_CAUSE_OTHER_COMM] = {"other_communication", "other communication"},
    [NADI_CAUSE_LINK_QUEUE] = {"link_queueing", "queueing at links"},
    [NADI_CAUSE_PAIR_QUEUE] = {"pair_queueing", "behind own earlier messages"},
    [NADI_CAUSE_MEMORY] = {"memory", "remote memory"},
    [NADI_CAUSE_MEMORY_QUEUE] = {"memory_queueing", "queueing at memory"},
    [NADI_CAUSE_PROCESSOR] = {"processor", "processor"},
    [NADI_CAUSE_STRAGGLER] = {"straggler_wait", "waiting for a straggler"},
    [NADI_CAUSE_BUBBLE] = {"pipeline_bubble", "waiting for a message"},
    [NADI_CAUSE_IDLE] = {"idle", "idle"},
};

const char *nadi_cause_name(enum nadi_cause cause)
{
    return causes[cause].name;
}

const char *nadi_cause_label(enum nadi_cause cause)
{
    return causes[cause].label;
}

const char *nadi_binding_name(enum nadi_binding binding)
{
    switch (binding) {
    case NADI_BOUND_BEGIN:
        return "begin";
    case NADI_BOUND_DEPENDENCY:
        return "dependency";
    case NADI_BOUND_SLOT:
        return "slot";
    case NADI_BOUND_PASS:
        return "pass";
    case NADI_BOUND_MEMBER:
        return "member";
    case NADI_BOUND_MESSAGE:
        return "message";
    case NADI_BOUND_INSIDE:
        return "inside";
    }
    return "";
}

static const struct {
    const char *word;
    enum nadi_cause cause;
} words[] = {
    {"tp", NADI_CAUSE_TENSOR},     {"tensor", NADI_CAUSE_TENSOR},
    {"mp", NADI_CAUSE_TENSOR},     {"model", NADI_CAUSE_TENSOR},
    {"sp", NADI_CAUSE_TENSOR},     {"sequence", NADI_CAUSE_TENSOR},
    {"dp", NADI_CAUSE_DATA},       {"data", NADI_CAUSE_DATA},
    {"fsdp", NADI_CAUSE_DATA},     {"zero", NADI_CAUSE_DATA},
    {"pp", NADI_CAUSE_PIPELINE},   {"pipeline", NADI_CAUSE_PIPELINE},
    {"pipe", NADI_CAUSE_PIPELINE}, {"ep", NADI_CAUSE_EXPERT},
    {"expert", NADI_CAUSE_EXPERT}, {"moe", NADI_CAUSE_EXPERT},
    {"edp", NADI_CAUSE_DATA},      {"embedding", NADI_CAUSE_PIPELINE},
};

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* The first word of letters in the name that tells. */
static enum nadi_cause by_name(const char *name)
{
    for (const char *at = name; *at;) {
        size_t length = 0;
        while (is_letter(at[length]))
            length++;
        for (size_t i = 0; length && i < sizeof(words) / sizeof(*words); i++)
            if (strlen(words[i].word) == length && strncasecmp(words[i].word, at, length) == 0)
                return words[i].cause;
        at += length ? length : 1;
    }
    return NADI_CAUSES;
}

/* Does a stage of a pipeline send what the node is called after? */
static bool is_of_stage(const char *node)
{
    static const char *const sent[] = {"activation", "gradient", "microbatch", "micro-batch"};
    for (size_t i = 0; node && i < sizeof(sent) / sizeof(*sent); i++)
        if (strstr(node, sent[i]))
            return true;
    return false;
}

enum nadi_cause nadi_cause_of_name(const char *name, const char *node, bool message,
                                   bool all_to_all)
{
    enum nadi_cause cause = name ? by_name(name) : NADI_CAUSES;
    if (cause != NADI_CAUSES)
        return cause;
    if (message)
        return is_of_stage(node) ? NADI_CAUSE_PIPELINE : NADI_CAUSE_MESSAGE;
    return all_to_all ? NADI_CAUSE_EXPERT : NADI_CAUSE_OTHER_COMM;
}

enum nadi_cause nadi_cause_of_group(const char *name, const struct nadi_trace *t, uint32_t node)
{
    bool message = t->type[node] == NADI_NODE_SEND || t->type[node] == NADI_NODE_RECV;
    const char *own = message && t->name ? nadi_trace_string(t, t->name[node]) : NULL;
    return nadi_cause_of_name(name, own, message, t->collective[node] == NADI_ALL_TO_ALL);
}
