/* words: what options that choose one of several can be, from the registries of what they choose.
 */
#ifndef NADI_API_WORDS_H
#define NADI_API_WORDS_H

#include "executor/executors.h"
#include "network/models.h"

#define NADI_WORDS_EXECUTOR NADI_EXECUTOR_WORDS

#define NADI_WORDS_NETWORK_MODEL NADI_NETWORK_WORDS
/* Those that see links, and those that know packets. */
#define NADI_WORDS_LINK_MODEL   NADI_NETWORK_LINK_WORDS
#define NADI_WORDS_PACKET_MODEL NADI_NETWORK_PACKET_WORDS

#endif
