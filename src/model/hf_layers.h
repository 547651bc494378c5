/* hf_layers: layers with sizes of their own, and recurrent ones: what the architectures' special
 * readers build them with. Private to hf. */
#ifndef NADI_MODEL_HF_LAYERS_H
#define NADI_MODEL_HF_LAYERS_H

#include "model/hf_config.h"

/* Gives a layer the sizes of `wanted`, a copy of the model with changes; equal ones share a view.
 */
void nadi_hf_place(struct nadi_model *m, uint32_t layer, const struct nadi_model *wanted);
/* The flags of the model's layers, which may be changed. */
uint8_t *nadi_hf_flags(struct nadi_model *m);

/* Copies of the model for layers of one half only. */
struct nadi_model nadi_hf_mlp_only(const struct nadi_model *m);
struct nadi_model nadi_hf_with_state(const struct nadi_model *m, const struct nadi_recurrent *r);

struct nadi_recurrent *nadi_hf_recurrent(struct nadi_model *m, const char *name,
                                         enum nadi_state_kind kind);
void nadi_hf_project(struct nadi_recurrent *r, const char *name, uint64_t from, uint64_t to,
                     unsigned flags);
/* A side product of every block of a view, or of `m` itself: lists are the model's, a copy of it
 * must own nothing. One before the patches. */
void nadi_hf_side(struct nadi_model *m, struct nadi_model *view, const char *name, uint64_t from,
                  uint64_t to, unsigned flags);
void nadi_hf_front(struct nadi_model *m, const struct nadi_projection *p);

struct nadi_mamba2 { /* arXiv 2405.21060 */
    uint32_t heads, head_dim, groups, state, conv, chunk;
    bool bias, conv_bias, norm;
};
const struct nadi_recurrent *nadi_hf_mamba2(struct nadi_model *m, const struct nadi_mamba2 *s);

struct nadi_mamba { /* arXiv 2312.00752 */
    uint32_t inner, state, conv, rank;
    bool bias, conv_bias;
    bool norms; /* of steps, inputs and outputs, as Jamba has them */
};
const struct nadi_recurrent *nadi_hf_mamba(struct nadi_model *m, const struct nadi_mamba *s);

/* "auto" stands for `automatic`. */
uint32_t nadi_hf_auto(struct nadi_hf_config *c, const char *names, uint32_t automatic);

#endif
