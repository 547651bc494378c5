#include "capture/comm_names.h"

static const struct {
    const char *part; /* of the name without '_' and '-', in lower case; the first one counts */
    enum nadi_comm_operation operation;
} operations[] = {
    {"allreduce", NADI_OPERATION_ALL_REDUCE},
    {"crossdevicereduce", NADI_OPERATION_ALL_REDUCE}, /* vLLM and SGLang, within a node */
    {"alltoall", NADI_OPERATION_ALL_TO_ALL},
    {"reducescatter", NADI_OPERATION_REDUCE_SCATTER},
    {"allgather", NADI_OPERATION_ALL_GATHER},
    {"broadcast", NADI_OPERATION_BROADCAST},
    {"barrier", NADI_OPERATION_BARRIER},
    {"coalesced", NADI_OPERATION_COALESCED},
    {"gather", NADI_OPERATION_GATHER},
    {"scatter", NADI_OPERATION_SCATTER},
    {"sendrecv", NADI_OPERATION_COALESCED},
    {"send", NADI_OPERATION_SEND},
    {"recv", NADI_OPERATION_RECV},
    {"reduce", NADI_OPERATION_REDUCE},
    {"wait", NADI_OPERATION_NOT_ANY},
    {"init", NADI_OPERATION_NOT_ANY},
};

enum { PLAIN_BYTES = 160 };

/* Lower case, without '_' and '-', up to the arguments; anonymous namespaces say nothing. */
static void plain_name(const char *name, char plain[PLAIN_BYTES])
{
    static const char anonymous[] = "(anonymous namespace)::";
    size_t length = 0;
    for (const char *p = name; *p && length + 1 < PLAIN_BYTES; p++) {
        if (strncmp(p, anonymous, sizeof(anonymous) - 1) == 0) {
            p += sizeof(anonymous) - 2;
            continue;
        }
        if (*p == '(' || *p == '<')
            break;
        if (*p != '_' && *p != '-')
            plain[length++] = *p >= 'A' && *p <= 'Z' ? (char)(*p - 'A' + 'a') : *p;
    }
    plain[length] = '\0';
}

static enum nadi_comm_operation operation_in(const char *plain)
{
    for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++)
        if (strstr(plain, operations[i].part))
            return operations[i].operation;
    return NADI_OPERATION_UNKNOWN;
}

enum nadi_comm_operation nadi_comm_operation_of(const char *name)
{
    char plain[PLAIN_BYTES];
    plain_name(name, plain);
    return operation_in(plain);
}

/* Words that mean one operation and nothing else, wherever they stand. */
static bool is_sure(enum nadi_comm_operation operation)
{
    return operation == NADI_OPERATION_ALL_REDUCE || operation == NADI_OPERATION_ALL_TO_ALL ||
           operation == NADI_OPERATION_REDUCE_SCATTER || operation == NADI_OPERATION_ALL_GATHER;
}

static bool begins_with_one(const char *name, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strncmp(name, list[i], strlen(list[i])) == 0)
            return true;
    return false;
}

enum nadi_comm_operation nadi_comm_enclosing(const char *name)
{
    static const char *const libraries[] = {
        "nccl:",
        "c10d::",
        "_c10d_functional::",
        "c10d_functional::",
        "symm_mem::",
        "gloo:",
        "ucc:",
        "xccl:",
        "mpi:",
        "hccl:",
        "rccl:",
        "oneccl:",
        "mscclpp",
        "nvshmem:",
    };
    static const char *const engines[] = {
        "vllm::",  "_C_custom_ar::", "sglang::",    "sgl_kernel::",
        "aiter::", "trtllm::",       "flashinfer::"};
    const enum nadi_comm_operation operation = nadi_comm_operation_of(name);
    if (begins_with_one(name, libraries, sizeof(libraries) / sizeof(libraries[0])))
        return operation;
    if (begins_with_one(name, engines, sizeof(engines) / sizeof(engines[0])) && is_sure(operation))
        return operation;
    return NADI_OPERATION_UNKNOWN;
}

enum nadi_comm_kernel nadi_comm_kernel_of(const char *name)
{
    static const char *const compute[] = {
        "at::native::", "at::cuda::", "cub::", "thrust::", "cutlass::", "triton_", "Mem"};
    static const char *const libraries[] = {"ncclkernel", "nccldevkernel", "rccl", "oneccl",
                                            "mscclkernel"};
    static const char *const like[] = {
        "nccl",   "hccl",    "msccl",       "shmem",  "symmmem", "multimem",  "sendrecv",
        "deepep", "barrier", "userbuffers", "signal", "p2p",     "intranode", "internode"};
    const char *bare = strncmp(name, "void ", 5) == 0 ? name + 5 : name;
    char plain[PLAIN_BYTES];
    if (begins_with_one(bare, compute, sizeof(compute) / sizeof(compute[0])))
        return NADI_KERNEL_COMPUTE;
    plain_name(name, plain);
    for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++)
        if (strstr(plain, libraries[i]))
            return NADI_KERNEL_COMM;
    if (is_sure(operation_in(plain)))
        return NADI_KERNEL_COMM;
    for (size_t i = 0; i < sizeof(like) / sizeof(like[0]); i++)
        if (strstr(plain, like[i]))
            return NADI_KERNEL_LIKE;
    return NADI_KERNEL_OTHER;
}
