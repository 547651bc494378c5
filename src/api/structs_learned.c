/* structs_learned: the structs of nadi/learned.h. */
#include "api/structs.h"
#include "api/words.h"

#include <nadi/learned.h>

static const struct nadi_field nadi_trace_learn_members[] = {
    NADI_LIST(struct nadi_trace_learn, jobs, job_count, NADI_FIELD_PATHS, 1),
    NADI_PATH(struct nadi_trace_learn, output, 1),
    NADI_WORD(struct nadi_trace_learn, model, NADI_WORDS_LEARNED_MODEL),
    NADI_REAL(struct nadi_trace_learn, epsilon, 0, 1e6),
    NADI_PATH(struct nadi_trace_learn, public_model, 0),
    NADI_U64(struct nadi_trace_learn, seed, 0, UINT64_MAX),
    NADI_WORD(struct nadi_trace_learn, form, NADI_WORDS_FORM_NO_CSV),
    {NADI_FIELD(struct nadi_trace_learn, watch, NADI_FIELD_HANDLE, 0)},
    NADI_FIELDS_END,
};
TABLE(nadi_trace_learn, nadi_trace_learn_init);

static const struct nadi_field nadi_trace_synth_members[] = {
    NADI_PATH(struct nadi_trace_synth, model, 1),
    NADI_PATH(struct nadi_trace_synth, output, 1),
    NADI_PATH(struct nadi_trace_synth, like, 0),
    NADI_U32(struct nadi_trace_synth, family, 0, 1 << 24),
    NADI_U32(struct nadi_trace_synth, ranks, 0, 1 << 26),
    NADI_TEXT(struct nadi_trace_synth, axes, 0),
    NADI_REAL(struct nadi_trace_synth, layers, 0, 1e6),
    NADI_REAL(struct nadi_trace_synth, batch, 0, 1e12),
    NADI_REAL(struct nadi_trace_synth, micro_batch, 0, 1e9),
    NADI_REAL(struct nadi_trace_synth, sequence, 0, 1e9),
    NADI_REAL(struct nadi_trace_synth, compute_scale, 0, 1e6),
    NADI_REAL(struct nadi_trace_synth, comm_scale, 0, 1e6),
    NADI_REAL(struct nadi_trace_synth, noise, -1, 2),
    NADI_REAL(struct nadi_trace_synth, temperature, 0, 100),
    NADI_U64(struct nadi_trace_synth, seed, 0, UINT64_MAX),
    NADI_WORD(struct nadi_trace_synth, form, NADI_WORDS_FORM_NO_CSV),
    NADI_FIELDS_END,
};
TABLE(nadi_trace_synth, nadi_trace_synth_init);

static const struct nadi_field nadi_trace_fidelity_members[] = {
    NADI_PATH(struct nadi_trace_fidelity, real, 1),
    NADI_PATH(struct nadi_trace_fidelity, synthetic, 1),
    NADI_PATH(struct nadi_trace_fidelity, page, 0),
    NADI_PATH(struct nadi_trace_fidelity, database, 0),
    NADI_WORD(struct nadi_trace_fidelity, form, NADI_WORDS_FORM_NO_CSV),
    NADI_FIELDS_END,
};
TABLE(nadi_trace_fidelity, nadi_trace_fidelity_init);

static const struct nadi_field nadi_trace_privacy_members[] = {
    NADI_LIST(struct nadi_trace_privacy, jobs, job_count, NADI_FIELD_PATHS, 1),
    NADI_LIST(struct nadi_trace_privacy, synthetic, synthetic_count, NADI_FIELD_PATHS, 1),
    NADI_LIST(struct nadi_trace_privacy, held_out, held_out_count, NADI_FIELD_PATHS, 0),
    NADI_PATH(struct nadi_trace_privacy, page, 0),
    NADI_PATH(struct nadi_trace_privacy, database, 0),
    NADI_WORD(struct nadi_trace_privacy, form, NADI_WORDS_FORM_NO_CSV),
    NADI_FIELDS_END,
};
TABLE(nadi_trace_privacy, nadi_trace_privacy_init);
