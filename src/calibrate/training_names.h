/* training_names: what tables of runs call models and machines, to names of the catalogue.
 *
 * A model's name is read as words, version and size ("Llama 3.1 70B": llama, 3.1, 70e9): words must
 * be the same, the catalogue's version must be the row's or begin it (3 and 3.1), sizes must agree.
 * What a row leaves out may be missing if one model alone fits, never contradicted: DeepSeek-V4 is
 * not DeepSeek-V3. A machine's name holds all words of one of the names in the cluster's file; the
 * one with most words is taken. */
#ifndef NADI_CALIBRATE_TRAINING_NAMES_H
#define NADI_CALIBRATE_TRAINING_NAMES_H

#include "base/arena.h"

struct nadi_training_names;

/* The catalogue's names, read once. In the arena. */
const struct nadi_training_names *nadi_training_names_read(struct nadi_arena *arena);

/* NULL when none fits, or several do: then *several names them (in the arena), else it is NULL. */
const char *nadi_training_model(const struct nadi_training_names *names, const char *text,
                                struct nadi_arena *arena, const char **several);
/* The cluster that a text names; NULL: none. */
const char *nadi_training_cluster(const struct nadi_training_names *names, const char *text);
/* The framework of the catalogue whose name's parts the text holds ("NVIDIA NeMo AutoModel"), or
 * whose layers or sharding it runs ("NeMo 24.07": megatron-core, "FSDP2": torchtitan); NULL: none.
 */
const char *nadi_training_framework(const char *text);

#endif
