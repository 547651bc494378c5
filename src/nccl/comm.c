#include "nccl/comm.h"

#include <ctype.h>

#include "base/str.h"

const char *nadi_comm_kind_name(enum nadi_comm_kind kind)
{
    static const char *const names[NADI_COMM_KINDS] = {
        "none",      "all-reduce", "all-gather", "reduce-scatter", "all-to-all",
        "broadcast", "reduce",     "gather",     "scatter",        "send-receive",
    };
    return names[kind];
}

const char *nadi_comm_algorithm_name(enum nadi_comm_algorithm a)
{
    static const char *const names[NADI_COMM_ALGORITHMS] = {
        "auto", "ring", "tree", "NVLS", "NVLSTree", "CollNet", "PAT", "direct",
    };
    return names[a];
}

const char *nadi_comm_protocol_name(enum nadi_comm_protocol p)
{
    static const char *const names[NADI_COMM_PROTOCOLS] = {"LL", "LL128", "Simple"};
    return names[p];
}

/* Letters of `text` in lower case, without what separates them, up to `capacity` - 1. */
static void squeeze(const char *text, char *out, size_t capacity)
{
    size_t length = 0;
    for (; *text && length + 1 < capacity; text++)
        if (isalnum((unsigned char)*text))
            out[length++] = (char)tolower((unsigned char)*text);
    out[length] = '\0';
}

enum nadi_comm_kind nadi_comm_kind_of(const char *text)
{
    /* Longer words before those that they contain. */
    static const struct {
        const char *word;
        enum nadi_comm_kind kind;
    } words[] = {
        {"reducescatter", NADI_COMM_REDUCE_SCATTER},
        {"allreduce", NADI_COMM_ALL_REDUCE},
        {"allgather", NADI_COMM_ALL_GATHER},
        {"alltoall", NADI_COMM_ALL_TO_ALL},
        {"collectivepermute", NADI_COMM_SEND_RECV},
        {"sendrecv", NADI_COMM_SEND_RECV},
        {"sendreceive", NADI_COMM_SEND_RECV},
        {"broadcast", NADI_COMM_BROADCAST},
        {"bcast", NADI_COMM_BROADCAST},
        {"gather", NADI_COMM_GATHER},
        {"scatter", NADI_COMM_SCATTER},
        {"reduce", NADI_COMM_REDUCE},
    };
    char letters[512];
    squeeze(text, letters, sizeof(letters));
    const char *first = NULL;
    enum nadi_comm_kind kind = NADI_COMM_NONE;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        const char *at = strstr(letters, words[i].word);
        const bool inside = first && at && at >= first && at < first + 13;
        if (at && (!first || at < first) && !inside) {
            first = at;
            kind = words[i].kind;
        }
    }
    return kind;
}

enum nadi_comm_algorithm nadi_comm_algorithm_of(const char *text)
{
    char letters[64];
    squeeze(text, letters, sizeof(letters));
    if (nadi_str_starts(letters, "collnet"))
        return NADI_COMM_COLLNET;
    for (int a = NADI_COMM_RING; a < NADI_COMM_ALGORITHMS; a++) {
        char name[64];
        squeeze(nadi_comm_algorithm_name((enum nadi_comm_algorithm)a), name, sizeof(name));
        if (nadi_str_equal(letters, name))
            return (enum nadi_comm_algorithm)a;
    }
    return NADI_COMM_AUTO;
}

double nadi_comm_bus_factor(enum nadi_comm_kind kind, uint32_t ranks)
{
    const double n = ranks;
    switch (kind) {
    case NADI_COMM_ALL_REDUCE:
        return 2 * (n - 1) / n;
    case NADI_COMM_ALL_GATHER:
    case NADI_COMM_REDUCE_SCATTER:
    case NADI_COMM_ALL_TO_ALL:
    case NADI_COMM_GATHER:
    case NADI_COMM_SCATTER:
        return (n - 1) / n;
    case NADI_COMM_BROADCAST:
    case NADI_COMM_REDUCE:
    case NADI_COMM_SEND_RECV:
    case NADI_COMM_NONE:
    case NADI_COMM_KINDS:
        break;
    }
    return 1;
}
