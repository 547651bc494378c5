/* hlo: what texts of XLA say: types, instructions, groups of replicas. */
#ifndef NADI_FRONTEND_HLO_H
#define NADI_FRONTEND_HLO_H

#include "base/collective.h"
#include "frontend/job.h"

/* A text that is read, for messages. */
struct nadi_hlo_source {
    const char *path, *text;
    struct nadi_diags *diags;
};

/* An error at `at`, a place in the text: "<word>: <what>". False. */
bool nadi_hlo_fail(const struct nadi_hlo_source *source, const char *at, const char *code,
                   const char *hint, const char *what, const char *word, size_t length);

/* May stand in a name of MLIR or XLA; how long the name at a place is. */
bool nadi_hlo_is_name(char c);
size_t nadi_hlo_name_length(const char *at);

/* Bits of an element: "f32", "bf16", "i1", "pred", "f8E4M3FN". 0: no such type. */
uint32_t nadi_hlo_bits(const char *word, size_t length);

/* "all-reduce", "all_gather" and so on, with or without "-start". */
bool nadi_hlo_collective(const char *word, size_t length, enum nadi_collective_kind *kind);

/* Behind the bracket that closes the one at `text`; `end` where there is none. */
const char *nadi_hlo_past_tuple(const char *text, const char *end);
/* Bytes of the first shape of a text, "(bf16[8,128]{1,0}, f32[])": of all that a tuple has. */
uint64_t nadi_hlo_shape_bytes(const char *text, const char *end);

/* "{{0,1},{2,3}}", "[[0, 1], [2, 3]]", "[2,4]<=[8]", "[2,4]<=[4,2]T(1,0)": as lists, the members of
 * all of them in *members. False: it is none of these. Empty: "{}". The caller frees both. */
struct nadi_hlo_groups {
    struct {
        uint32_t *items;
        size_t count, capacity;
    } members, starts; /* starts: of each group, in members */
};
bool nadi_hlo_groups_read(struct nadi_hlo_groups *g, const char *text);
/* Is each member in one group, once? Pairs of sources and destinations need not be so. */
bool nadi_hlo_groups_disjoint(const struct nadi_hlo_groups *g);
void nadi_hlo_groups_release(struct nadi_hlo_groups *g);
/* The group that has the rank, as one of the job; NADI_NONE: it is in none. No groups: all. */
uint32_t nadi_hlo_group_of(struct nadi_front_job *job, const struct nadi_hlo_groups *g,
                           uint32_t rank);

/* A front end of one module as text, which all ranks run: reads the file, `what` in messages, and
 * parses it. False with an error. */
typedef bool nadi_hlo_parse_fn(struct nadi_front_job *job, const char *path, const char *text,
                               uint32_t ranks, struct nadi_diags *diags);
struct nadi_front_source;
bool nadi_hlo_read_module(struct nadi_front_job *job, const struct nadi_front_source *source,
                          const char *what, nadi_hlo_parse_fn *parse, struct nadi_diags *diags);

#endif
