/* words: what options that choose one of several can be, from the registries of what they choose.
 */
#ifndef NADI_API_WORDS_H
#define NADI_API_WORDS_H

#include "executor/executors.h"
#include "network/models.h"
#include "settings/setting.h"

#define NADI_WORDS_EXECUTOR      NADI_WORD_TABLE("auto", NADI_EXECUTOR_ITEMS NULL)
#define NADI_WORDS_CHOSEN_MODEL  NADI_WORD_TABLE("auto", NADI_NETWORK_ITEMS NULL)
#define NADI_WORDS_NETWORK_MODEL NADI_WORD_TABLE(NADI_NETWORK_ITEMS NULL)
/* Those that see links, and those that know packets. */
#define NADI_WORDS_LINK_MODEL   NADI_WORD_TABLE(NADI_NETWORK_LINK_ITEMS NULL)
#define NADI_WORDS_PACKET_MODEL NADI_WORD_TABLE(NADI_NETWORK_PACKET_ITEMS NULL)

/* nadi_optimize_bandwidth, in the order of enum nadi_bandwidth_goal and of enum nadi_loop. */
#define NADI_WORDS_BANDWIDTH_GOAL NADI_WORD_TABLE("time", "time-cost", "cost", NULL)
#define NADI_WORDS_BANDWIDTH_LOOP                                                                  \
    NADI_WORD_TABLE("auto", "no-overlap", "recompute", "overlap", "overlap-recompute", NULL)

/* nadi_memory_trusted_bench, in the order of enum nadi_oblivious and of enum nadi_pattern_kind. */
#define NADI_WORDS_OBLIVIOUS       NADI_WORD_TABLE("none", "shuffle", "path-oram", NULL)
#define NADI_WORDS_TRUSTED_PATTERN NADI_WORD_TABLE("seq", "random", "zipf", "hot", NULL)

#endif
