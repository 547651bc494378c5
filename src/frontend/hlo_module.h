/* hlo_module: the text of a compiled XLA program: computations and their instructions.
 *
 *   HloModule jit_step, is_scheduled=true, num_partitions=4
 *   %add (x: f32[], y: f32[]) -> f32[] { ... }
 *   ENTRY %main_spmd (p: f32[8,128]) -> f32[8,128] {
 *     %p = f32[8,128]{1,0} parameter(0)
 *     ROOT %r = f32[8,128]{1,0} all-reduce(%p), replica_groups={{0,1,2,3}}, to_apply=%add
 *   }
 *
 * Nothing is copied: names and attributes point into the text. Operands are indices of earlier
 * instructions of the same computation. O(characters). */
#ifndef NADI_FRONTEND_HLO_MODULE_H
#define NADI_FRONTEND_HLO_MODULE_H

#include "base/map.h"
#include "frontend/hlo.h"

enum { NADI_HLO_DIMS = 16 };

struct nadi_hlo_shape { /* of an array; of a tuple its sums, and dims and bytes of its first array
                         */
    uint64_t dims[NADI_HLO_DIMS], elements, bytes, first_bytes;
    uint32_t rank;
};

struct nadi_hlo_instruction {
    const char *text, *end; /* of it */
    const char *name, *op;  /* "all-reduce.1", "all-reduce" */
    uint32_t name_length, op_length;
    const char *arguments;  /* what stands in the brackets */
    const char *attributes; /* what follows them */
    struct nadi_hlo_shape shape;
    size_t first_operand; /* in the module's operands, before its control-predecessors */
    uint32_t operand_count, wait_count;
};

struct nadi_hlo_computation {
    const char *text, *name;
    uint32_t name_length;
    size_t first;         /* in the module's instructions */
    uint32_t count, root; /* root: of them */
    uint64_t work;        /* sum of its instructions' */
    uint64_t traffic;     /* were it one fusion */
};

struct nadi_hlo_module {
    struct nadi_hlo_source source;
    uint64_t replicas, partitions;
    bool scheduled; /* compiled: every sharding has been applied */
    uint32_t entry; /* computation; NADI_NONE: none */
    struct {
        struct nadi_hlo_computation *items;
        size_t count, capacity;
    } computations;
    struct {
        struct nadi_hlo_instruction *items;
        size_t count, capacity;
    } instructions;
    struct {
        uint32_t *items;
        size_t count, capacity;
    } operands;
    struct nadi_strmap names; /* of computations */
};

/* False with an error. The caller releases it in both cases; the text must outlive it. */
bool nadi_hlo_module_read(struct nadi_hlo_module *m,
                          const struct nadi_hlo_source *source) NADI_MUST_USE;
void nadi_hlo_module_release(struct nadi_hlo_module *m);

bool nadi_hlo_is(const struct nadi_hlo_instruction *i, const char *op);
/* Is it one of these? They end with NULL. */
bool nadi_hlo_is_any(const struct nadi_hlo_instruction *i, const char *const *ops);
/* The value of an attribute, "dimensions={0}" at its "{"; NULL: it has none. */
const char *nadi_hlo_attribute(const struct nadi_hlo_instruction *i, const char *name);
/* The computation that an attribute names; NADI_NONE: none. */
uint32_t nadi_hlo_called(const struct nadi_hlo_module *m, const struct nadi_hlo_instruction *i,
                         const char *attribute);
/* Operand k, an instruction of the same computation. */
const struct nadi_hlo_instruction *nadi_hlo_operand(const struct nadi_hlo_module *m,
                                                    const struct nadi_hlo_computation *c,
                                                    const struct nadi_hlo_instruction *i,
                                                    uint32_t k);

/* Operations of an instruction, with those of what it calls: two for each multiplication of
 * products and convolutions, one for each element of others that compute. */
uint64_t nadi_hlo_work(const struct nadi_hlo_module *m, const struct nadi_hlo_computation *c,
                       const struct nadi_hlo_instruction *i);
/* Bytes that it reads and writes in memory; what a fusion keeps to itself is none, and of a slice,
 * also within a fusion, only that part. */
uint64_t nadi_hlo_traffic(const struct nadi_hlo_module *m, const struct nadi_hlo_computation *c,
                          const struct nadi_hlo_instruction *i);
/* The same of a computation that is a fusion's. O(its instructions). */
uint64_t nadi_hlo_fused_traffic(const struct nadi_hlo_module *m,
                                const struct nadi_hlo_computation *f);
/* A custom call of a matrix product or convolution, whose work its attributes say. */
bool nadi_hlo_is_product_call(const struct nadi_hlo_instruction *i);

#endif
