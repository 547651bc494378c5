#include "nccl/comm.h"

#include <ctype.h>

#include "base/str.h"

/* The kind of collective that each is; others have none. */
static const enum nadi_collective_kind collectives[NADI_COMM_KINDS] = {
    [NADI_COMM_NONE] = NADI_COLLECTIVE_KINDS, [NADI_COMM_ALL_REDUCE] = NADI_ALL_REDUCE,
    [NADI_COMM_ALL_GATHER] = NADI_ALL_GATHER, [NADI_COMM_REDUCE_SCATTER] = NADI_REDUCE_SCATTER,
    [NADI_COMM_ALL_TO_ALL] = NADI_ALL_TO_ALL, [NADI_COMM_BROADCAST] = NADI_BROADCAST,
    [NADI_COMM_REDUCE] = NADI_REDUCE,         [NADI_COMM_GATHER] = NADI_GATHER,
    [NADI_COMM_SCATTER] = NADI_SCATTER,       [NADI_COMM_SEND_RECV] = NADI_COLLECTIVE_KINDS,
};

const char *nadi_comm_kind_name(enum nadi_comm_kind kind)
{
    return kind == NADI_COMM_NONE        ? "none"
           : kind == NADI_COMM_SEND_RECV ? "send-receive"
                                         : nadi_collective_label(collectives[kind]);
}

enum nadi_comm_kind nadi_comm_kind_of_collective(enum nadi_collective_kind kind)
{
    if (kind == NADI_REDUCE_SCATTER_BLOCK)
        kind = NADI_REDUCE_SCATTER;
    if (kind == NADI_BARRIER) /* of nothing */
        kind = NADI_ALL_REDUCE;
    for (int k = 0; k < NADI_COMM_KINDS && kind < NADI_COLLECTIVE_KINDS; k++)
        if (collectives[k] == kind)
            return (enum nadi_comm_kind)k;
    return NADI_COMM_NONE;
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

struct mention { /* of a kind, in a text */
    const char *at;
    size_t length;
    enum nadi_comm_kind kind;
};

/* Letters of `text` in lower case, without what separates them, up to `capacity` - 1. */
static void squeeze(const char *text, char *out, size_t capacity)
{
    size_t length = 0;
    for (; *text && length + 1 < capacity; text++)
        if (isalnum((unsigned char)*text))
            out[length++] = (char)tolower((unsigned char)*text);
    out[length] = '\0';
}

/* Takes the word if it stands before what was found, or in the same place and is longer. */
static void look_for(const char *letters, const char *word, enum nadi_comm_kind kind,
                     struct mention *found)
{
    char squeezed[64];
    squeeze(word, squeezed, sizeof(squeezed));
    const char *at = strstr(letters, squeezed);
    const size_t length = strlen(squeezed);
    if (!at || (found->at && (at > found->at || (at == found->at && length < found->length))))
        return;
    *found = (struct mention){.at = at, .length = length, .kind = kind};
}

enum nadi_comm_kind nadi_comm_kind_of(const char *text)
{
    static const char *const pairs[] = {"collectivepermute", "sendrecv", "sendreceive"};
    char letters[512];
    struct mention found = {.kind = NADI_COMM_NONE};
    squeeze(text, letters, sizeof(letters));
    for (int k = 0; k < NADI_COMM_KINDS; k++) {
        if (collectives[k] == NADI_COLLECTIVE_KINDS)
            continue;
        const struct nadi_collective *c = nadi_collective_of(collectives[k]);
        look_for(letters, c->label, (enum nadi_comm_kind)k, &found);
        if (c->other)
            look_for(letters, c->other, (enum nadi_comm_kind)k, &found);
    }
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
        look_for(letters, pairs[i], NADI_COMM_SEND_RECV, &found);
    return found.kind;
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
    return collectives[kind] < NADI_COLLECTIVE_KINDS
               ? nadi_collective_bus_factor(collectives[kind], ranks)
               : 1;
}
