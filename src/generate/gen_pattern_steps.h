/* gen_pattern_steps: the nodes of one rank of a pattern. Private to the generators. */
#ifndef NADI_GENERATE_GEN_PATTERN_STEPS_H
#define NADI_GENERATE_GEN_PATTERN_STEPS_H

#include "generate/gen_pattern.h"
#include "trace/write.h"

struct nadi_gen_steps {
    const struct nadi_gen_pattern *g;
    struct nadi_trace_writer *writer;
    uint32_t rank;
    bool relative;           /* peers as distances */
    const uint32_t *partner; /* pairs: by round, then rank; NADI_NONE: none */
    uint64_t next_id;
};

/* Dependencies are ids; 0 stands for none. Each returns its id. */
uint64_t nadi_gen_put_compute(struct nadi_gen_steps *s, const char *name, const uint64_t *deps,
                              size_t count, uint64_t ns);
uint64_t nadi_gen_put_message(struct nadi_gen_steps *s, bool send, uint32_t peer, uint32_t tag,
                              uint64_t bytes, uint64_t after);

void nadi_gen_steps_collectives(struct nadi_gen_steps *s);
void nadi_gen_steps_overlap(struct nadi_gen_steps *s);
void nadi_gen_steps_memory(struct nadi_gen_steps *s);
void nadi_gen_steps_ring(struct nadi_gen_steps *s);
void nadi_gen_steps_pairs(struct nadi_gen_steps *s);
void nadi_gen_steps_incast(struct nadi_gen_steps *s);
void nadi_gen_steps_all_to_all(struct nadi_gen_steps *s);
void nadi_gen_steps_pipeline(struct nadi_gen_steps *s);

/* By round, then rank: whom each exchanges with. The caller frees it. */
uint32_t *nadi_gen_draw_pairs(const struct nadi_gen_pattern *g) NADI_MUST_USE;

#endif
