/* words: what options that choose one of several can be, from the registries of what they choose.
 */
#ifndef NADI_API_WORDS_H
#define NADI_API_WORDS_H

#include "cost/bill.h"
#include "executor/executors.h"
#include "network/models.h"
#include "noc/traffic.h"
#include "settings/setting.h"

/* Of what functions write to `report`. */
#define NADI_WORDS_FORM        NADI_WORD_TABLE("text", "json", "csv", NULL)
#define NADI_WORDS_FORM_SVG    NADI_WORD_TABLE("text", "json", "csv", "svg", NULL)
#define NADI_WORDS_FORM_NO_CSV NADI_WORD_TABLE("text", "json", NULL)
/* The row of the option --format. */
#define NADI_FORM_OPTION_AT(at, ...)                                                               \
    {                                                                                              \
        .name = "format", .type = NADI_TYPE_WORD, .words = (__VA_ARGS__), .preset = "text", at,    \
        .doc = "Form of the result on standard output"                                             \
    }
#define NADI_FORM_OPTION_OF(of, member, list) NADI_FORM_OPTION_AT(NADI_AT(of, member), list)
#define NADI_FORM_OPTION(of, member)          NADI_FORM_OPTION_OF(of, member, NADI_WORDS_FORM)

/* The rows of struct nadi_economy. */
#define NADI_ECONOMY_OPTIONS(years_at, electricity_at, pue_at)                                     \
    {.name = "years",                                                                              \
     .argument = "N",                                                                              \
     .type = NADI_TYPE_NUMBER,                                                                     \
     .preset = NADI_TEXT_OF(NADI_ECONOMY_YEARS),                                                   \
     .above_min = true,                                                                            \
     .max = 100,                                                                                   \
     years_at,                                                                                     \
     .doc = "Years over which the parts are paid"},                                                \
        {.name = "electricity",                                                                    \
         .argument = "$",                                                                          \
         .type = NADI_TYPE_NUMBER,                                                                 \
         .preset = NADI_TEXT_OF(NADI_ECONOMY_ELECTRICITY),                                         \
         .max = 1000,                                                                              \
         electricity_at,                                                                           \
         .doc = "$ per kWh"},                                                                      \
    {                                                                                              \
        .name = "pue", .argument = "X", .type = NADI_TYPE_NUMBER,                                  \
        .preset = NADI_TEXT_OF(NADI_ECONOMY_PUE), .min = 1, .max = 100, pue_at,                    \
        .doc = "Power of the facility by that of the parts (PUE)"                                  \
    }

#define NADI_WORDS_EXECUTOR      NADI_WORD_TABLE("auto", NADI_EXECUTOR_ITEMS NULL)
#define NADI_WORDS_CHOSEN_MODEL  NADI_WORD_TABLE("auto", NADI_NETWORK_ITEMS NULL)
#define NADI_WORDS_NETWORK_MODEL NADI_WORD_TABLE(NADI_NETWORK_ITEMS NULL)
/* Those that see links, and those that know packets. */
#define NADI_WORDS_LINK_MODEL   NADI_WORD_TABLE(NADI_NETWORK_LINK_ITEMS NULL)
#define NADI_WORDS_PACKET_MODEL NADI_WORD_TABLE(NADI_NETWORK_PACKET_ITEMS NULL)

/* nadi_optimize_bandwidth, in the order of enum nadi_bandwidth_goal and of enum nadi_loop. */
#define NADI_WORDS_BANDWIDTH_GOAL NADI_WORD_TABLE("time", "time-cost", "cost", NULL)
#define NADI_WORDS_BANDWIDTH_LOOP                                                                  \
    NADI_WORD_TABLE("auto", "no-overlap", "recompute", "overlap", "overlap-recompute", "simulate", \
                    NULL)

/* nadi_memory_trusted_bench, in the order of enum nadi_oblivious and of enum nadi_pattern_kind. */
#define NADI_WORDS_OBLIVIOUS       NADI_WORD_TABLE("none", "shuffle", "path-oram", NULL)
#define NADI_WORDS_TRUSTED_PATTERN NADI_WORD_TABLE("seq", "random", "zipf", "hot", NULL)

/* nadi_trace_learn, in the order of enum nadi_learned_kind. */
#define NADI_WORDS_LEARNED_MODEL NADI_WORD_TABLE("structural", "sequence", NULL)

#define NADI_WORDS_NOC_TRAFFIC nadi_noc_patterns

/* nadi_systolic_layers: auto, then in the order of enum nadi_dataflow; and in that of enum
 * nadi_array_parallelism. */
#define NADI_WORDS_DATAFLOW    NADI_WORD_TABLE("auto", "weight", "output", "input", NULL)
#define NADI_WORDS_PARALLELISM NADI_WORD_TABLE("data", "model", "hybrid", NULL)

/* nadi_memory_bench. */
#define NADI_WORDS_DIRECTION NADI_WORD_TABLE("load", "store", NULL)

/* nadi_partition, in the order of enum nadi_input_place and of enum nadi_partition_cost. */
#define NADI_WORDS_PARTITION_INPUTS NADI_WORD_TABLE("blocks", "everywhere", NULL)
#define NADI_WORDS_PARTITION_COST   NADI_WORD_TABLE("transfers", "weights", NULL)
#define NADI_WORDS_PARTITION_GRAPH  NADI_WORD_TABLE("own", "metis", NULL)
#define NADI_WORDS_PARTITION_NETS   NADI_WORD_TABLE("mlp", "lenet", "block", NULL)

/* Names of the files that a run may write into its folder; NULL behind the last one. */
const char *nadi_run_file_name(size_t index);

/* The place of a word that the check of arguments has let through (NADI_WORD); the last of `words`
 * where it is none of them. */
static inline uint32_t nadi_word_index(const char *const *words, const char *given)
{
    uint32_t i = 0;
    while (words[i + 1] && strcmp(words[i], given) != 0)
        i++;
    return i;
}

#endif
