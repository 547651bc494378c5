#include "base/collective.h"

static const struct nadi_collective collectives[NADI_COLLECTIVE_KINDS] = {
    [NADI_ALL_REDUCE] = {"ALL_REDUCE", "all-reduce", NULL, true, NADI_ROOT_NONE, -2},
    [NADI_REDUCE] = {"REDUCE", "reduce", NULL, true, NADI_ROOT_TO, 1},
    [NADI_ALL_GATHER] = {"ALL_GATHER", "all-gather", NULL, false, NADI_ROOT_NONE, -1},
    [NADI_GATHER] = {"GATHER", "gather", NULL, false, NADI_ROOT_TO, -1},
    [NADI_SCATTER] = {"SCATTER", "scatter", NULL, false, NADI_ROOT_FROM, -1},
    [NADI_BROADCAST] = {"BROADCAST", "broadcast", "bcast", false, NADI_ROOT_FROM, 1},
    [NADI_ALL_TO_ALL] = {"ALL_TO_ALL", "all-to-all", NULL, false, NADI_ROOT_NONE, -1},
    [NADI_REDUCE_SCATTER] = {"REDUCE_SCATTER", "reduce-scatter", NULL, true, NADI_ROOT_NONE, -1},
    [NADI_REDUCE_SCATTER_BLOCK] = {"REDUCE_SCATTER_BLOCK", "reduce-scatter-block", NULL, true,
                                   NADI_ROOT_NONE, -1},
    [NADI_BARRIER] = {"BARRIER", "barrier", NULL, true, NADI_ROOT_NONE, 0},
};

const struct nadi_collective *nadi_collective_of(enum nadi_collective_kind kind)
{
    static const struct nadi_collective unknown = {.name = "unknown", .label = "unknown"};
    return (unsigned)kind < NADI_COLLECTIVE_KINDS ? &collectives[kind] : &unknown;
}

const char *nadi_collective_name(enum nadi_collective_kind kind)
{
    return nadi_collective_of(kind)->name;
}

const char *nadi_collective_label(enum nadi_collective_kind kind)
{
    return nadi_collective_of(kind)->label;
}

/* The next letter of a word, in upper case; '\0' at its end. */
static char next_letter(const char **word)
{
    while (**word == '-' || **word == '_' || **word == ' ')
        ++*word;
    const char c = **word;
    *word += c != '\0';
    return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

bool nadi_collective_find(const char *word, enum nadi_collective_kind *kind)
{
    for (int k = 0; k < NADI_COLLECTIVE_KINDS; k++) {
        const char *a = word, *b = collectives[k].name;
        char x, y;
        do {
            x = next_letter(&a);
            y = next_letter(&b);
        } while (x == y && x);
        if (x == y) {
            *kind = (enum nadi_collective_kind)k;
            return true;
        }
    }
    return false;
}

double nadi_collective_bus_factor(enum nadi_collective_kind kind, double n)
{
    const double bus = nadi_collective_of(kind)->bus;
    return bus < 0 ? -bus * (n - 1) / n : bus;
}
