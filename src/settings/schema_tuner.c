/* schema_tuner: the keys of a tuner table: which algorithm runs a collective, by kind, members and
 * size. */
#include "base/algorithm.h"
#include "base/collective.h"
#include "settings/schema_more.h"

static const char *const kinds[] = {NADI_COLLECTIVE_WORDS(NADI_COMMA), NULL};
static const char *const by_dimension[] = {NADI_WORDS_OF_DIMS NULL};
static const char *const protocols[] = {"simple", "LL", "LL128", NULL};

#define SIZE(called, otherwise, text)                                                              \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_INTEGER, .dimension = NADI_DIMENSION_BYTES, .unit = "B", \
        .unit_factor = 1, .max = 9e15, .absent = otherwise, .doc = text                            \
    }

static const struct nadi_setting tuner_keys[] = {
    {.name = "platform",
     .type = NADI_TYPE_TEXT,
     .absent = "any",
     .doc = "The network that it is for, or was made on; shown in reports."},
    {.name = "rules",
     .type = NADI_TYPE_MAP,
     .list = true,
     .list_max = 250,
     .required = true,
     .doc = "Each entry is a map: see [rules](input-tuner-rules.md). The first matching rule "
            "applies; if none matches, the system file's algorithm lists do."},
};

const struct nadi_schema nadi_tuner_schema = {
    .name = "tuner",
    .title = "tuner table",
    .option = "tuner",
    .syntax = NADI_DOC_YAML,
    .doc = "Algorithm of a collective by kind, number of members and size, like a communication "
           "library's tuner. `tuner` of a system file names it; `nadi collective bench --tuner "
           "FILE` writes one from simulations.",
    .example = "platform: two rings of eight\n"
               "rules:\n"
               "  - {kind: all-reduce, members: 8, max-size: 256KiB, algorithm: recursiveDoubling, "
               "protocol: LL}\n"
               "  - {kind: all-reduce, algorithm: multiRing, channels: 4}\n",
    KEYS(tuner_keys),
};

static const struct nadi_setting rule_keys[] = {
    {.name = "kind",
     .type = NADI_TYPE_WORD,
     .words = kinds,
     .required = true,
     .doc = "The collective."},
    {.name = "members",
     .type = NADI_TYPE_INTEGER,
     .min = 2,
     .max = 2147483647,
     .absent = "any number",
     .doc = "Of the group."},
    SIZE("min-size", "any", "Smallest collective (comm_size of the node) that it is for."),
    SIZE("max-size", "any", "Largest one."),
    {.name = "algorithm",
     .type = NADI_TYPE_TEXT,
     .absent = "what by-dimension says",
     .doc = "For all members at once: a step generator with its number (`ring`, `tree4`, "
            "`doubleTree8`: docs/models/collectives.md), or a word of the system file's lists "
            "that begins with `one` (`oneRing`, `oneDirect4`), which runs as it does there."},
    {.name = "by-dimension",
     .type = NADI_TYPE_WORD,
     .list = true,
     .words = by_dimension,
     .absent = "what algorithm says",
     .doc = "Instead: a word for each dimension, as the system file's lists have them: `[ring, "
            "halvingDoubling]`."},
    {.name = "channels",
     .type = NADI_TYPE_INTEGER,
     .min = 1,
     .max = 1024,
     .absent = "the algorithm's own",
     .doc = "Concurrent rings of `ring` and `multiRing`."},
    {.name = "protocol",
     .type = NADI_TYPE_WORD,
     .words = protocols,
     .preset = "simple",
     .doc = "Size of a message on the wire: `simple`: its bytes; `LL` twice as many (a flag with "
            "every 4 bytes), `LL128` 128 for every 120."},
    {.name = "message-overhead",
     NADI_A_LATENCY,
     .preset = "0",
     .max = 1e12,
     .doc = "Before each message, besides `endpoint-delay`: the protocol's synchronisation."},
};

const struct nadi_schema nadi_tuner_rule_schema = {
    .name = "tuner-rules",
    .title = "entry of 'rules' in a tuner table",
    .option = "tuner",
    .syntax = NADI_DOC_YAML,
    .doc = "An algorithm for some collectives.",
    .example = "kind: all-gather\n"
               "members: 8\n"
               "min-size: 64KiB\n"
               "algorithm: ring\n"
               "channels: 2\n"
               "protocol: LL128\n"
               "message-overhead: 400ns\n",
    KEYS(rule_keys),
};
