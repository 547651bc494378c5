/* step_emit: a graph being written. Private to step*.c.
 *
 * The next node of the compute chain depends on `front`. Work without a transfer between is
 * collected until it is flushed to one node. */
#ifndef NADI_MODEL_STEP_EMIT_H
#define NADI_MODEL_STEP_EMIT_H

#include "model/cost.h"
#include "model/step.h"
#include "trace/build.h"
#include "trace/mem.h"

enum { NADI_FRONT = 24 };

struct nadi_front {
    uint64_t ids[NADI_FRONT];
    uint32_t count;
};

struct nadi_fetch { /* parameters on their way: gathered from the replicas or loaded */
    uint32_t layer;
    uint64_t ids[2];
    bool issued;
    bool first; /* use in the step: what the optimizer has changed is gathered */
};

struct nadi_cache_use { /* keys and values that a pass of a layer reads */
    uint64_t bytes, id; /* id: of the load */
    uint32_t micro, layer;
    uint32_t pass; /* step, or part of a prompt; those before it store some of them */
    bool issued;
};

struct nadi_layer_range { /* of the pending work */
    uint32_t first, last; /* in the order of work */
    char *at;             /* behind the first's number, in its name */
    const char *name;     /* of the first operation */
    uint32_t whole;       /* layers of the body that it has all work of */
};

struct nadi_by_layer { /* nodes: of what is dense, and of experts; 0: none */
    uint64_t *items;
    size_t count, capacity;
};

struct nadi_emit {
    const struct nadi_model_step *s;
    const struct nadi_model_plan *p;
    struct nadi_trace_build build;
    uint32_t rank; /* of the pipeline */
    uint32_t pair; /* 1: in a pass that another is paired with, which has the groups 0 */
    struct nadi_front front;
    uint64_t hidden;        /* transfer beside the work up to the next flush; 0: none */
    struct nadi_front host; /* what the host's next launch waits for */
    struct nadi_work pending;
    double lead_ns;      /* of its launches, before it may start and then never waits */
    double launching_ns; /* what the host still launches of work that has started */
    char pending_name[64];
    struct nadi_layer_range pending_layers;
    uint64_t cuts;       /* nodes of work so far */
    uint64_t layer_cuts; /* when the layer's work began */
    bool layer_begun;
    /* where the work stands, for names and tags */
    const char *pass;
    uint32_t step, micro, layer;
    const struct nadi_step_variant *variant;
    /* parameters, in the order of use within the step */
    struct {
        struct nadi_fetch *items;
        size_t count, capacity;
        size_t used;
    } fetches;
    struct { /* stores of activations, or of keys and values, by micro-batch and layer; 0: none */
        uint64_t *items;
        size_t count, capacity;
    } kept;
    uint64_t stored[2]; /* activations: the last store, and the one before; 0: none */
    struct {            /* of keys and values, in order */
        struct nadi_cache_use *items;
        size_t count, capacity;
        size_t used;
    } cache;
    struct { /* loads of rows of tables, by micro-batch of all steps; 0: none yet */
        uint64_t *items;
        size_t count, capacity;
        uint32_t stored; /* 1 + the last whose changed rows are stored */
    } rows;
    /* gradients */
    bool last_micro; /* the chunk's last backward pass of the step: gradients are complete */
    struct {
        uint64_t *items;
        size_t count, capacity;
    } reduced;                    /* what the optimizer waits for */
    uint64_t bucket[2];           /* parameters collected: dense, expert */
    uint32_t bucket_from;         /* the first layer of these */
    uint64_t recall;              /* the last sum so far that came back; 0: none */
    bool is_recalled;             /* for the bucket being collected */
    struct nadi_by_layer given;   /* where a layer's gradients of this step were stored last */
    struct nadi_by_layer written; /* and its parameters that others have updated */
    uint64_t left[2][2];          /* stores of the last bucket, and of the one before */
    uint64_t replicas; /* last transfer among replicas: they follow one another; 0: none */
};

/* ---- step_emit.c: nodes and transfers ---- */
void nadi_emit_work(struct nadi_emit *e, const char *name, const struct nadi_work *work);
/* The pending work becomes a node. What is hidden goes on beside what follows, up to a flush:
 * how many nodes there are (`detail`) changes no time. */
void nadi_emit_cut(struct nadi_emit *e);
/* Likewise, and what follows waits for what is hidden, too. */
void nadi_emit_flush(struct nadi_emit *e);
void nadi_emit_add_to(struct nadi_front *front, uint64_t id); /* 0: nothing */
/* The front becomes this node (and nothing else). */
void nadi_emit_follow(struct nadi_emit *e, uint64_t id);
void nadi_emit_join(struct nadi_emit *e, uint64_t id); /* 0: nothing */
/* A transfer after the given front, level by level; the last node, or 0 on a group of one. */
/* Among replicas the transfer also follows the one before. */
uint64_t nadi_emit_transfer(struct nadi_emit *e, const char *name, enum nadi_axis axis,
                            const struct nadi_transfer *t, const struct nadi_front *after);
/* Between the two ends of the pipeline; the node of what comes. */
uint64_t nadi_emit_exchange_tied(struct nadi_emit *e, const char *name, uint64_t bytes,
                                 const uint64_t *after, size_t count);

/* ---- step_layer.c: passes of one layer ---- */
void nadi_emit_forward(struct nadi_emit *e, uint32_t kind, bool recompute);
/* parts: with the gradients of inputs, of weights, or both. */
void nadi_emit_backward(struct nadi_emit *e, uint32_t kind, bool inputs, bool weights,
                        bool core_again);

/* ---- step_memory.c: what lies elsewhere ---- */
struct nadi_emit_move { /* between the device and where a part lies */
    uint8_t op;         /* enum nadi_mem_op */
    enum nadi_offload_flag flag;
    uint64_t bytes;
    const char *block; /* name of the bytes; NULL: none */
};
uint64_t nadi_emit_memory(struct nadi_emit *e, const char *name, const struct nadi_emit_move *move,
                          const uint64_t *after, size_t count);
/* The tier that `place` names for the part, or that of the host for `offload`; NULL: none. */
const char *nadi_emit_tier(const struct nadi_emit *e, enum nadi_offload_flag flag);

/* Where the store of a layer of this micro-batch is noted: what loads it waits. */
uint64_t *nadi_emit_kept_by(struct nadi_emit *e, uint32_t micro, uint32_t layer);

/* Rows of tables that lie in a tier, around the passes of e->layer; else nothing. */
void nadi_emit_look_up(struct nadi_emit *e);
void nadi_emit_put_rows(struct nadi_emit *e);

/* ---- step_cache.c: keys and values in tiers; without, nothing ---- */
/* Before all passes: what each will read. */
void nadi_emit_plan_cache(struct nadi_emit *e);
/* At the beginning of a step: space for what it adds. */
void nadi_emit_cache_room(struct nadi_emit *e);
/* Around the pass of a layer, e->layer; part: of a prompt. */
void nadi_emit_cache_load(struct nadi_emit *e, uint32_t part);
void nadi_emit_cache_store(struct nadi_emit *e, uint32_t part);

/* ---- step_state.c: parameters, gradients ---- */
void nadi_emit_plan_fetches(struct nadi_emit *e);
void nadi_emit_fetch(struct nadi_emit *e); /* before the layer's pass: e->layer */
/* Around the part of e->layer's backward pass that makes its weights' gradients: what lies
 * elsewhere of them comes back to be added to; they are reduced, and leave. */
void nadi_emit_recall(struct nadi_emit *e);
void nadi_emit_reduce(struct nadi_emit *e, uint32_t layer);
void nadi_emit_send_bucket(struct nadi_emit *e); /* what is collected */
/* After a pass with gradients of weights: with ZeRO 2 and 3 what no full bucket took leaves now,
 * and the next pass waits for it unless gradients overlap. */
void nadi_emit_end_gradients(struct nadi_emit *e);
/* Parameters that replicas have split; the last node, or 0 on a group of one. */
uint64_t nadi_emit_gather(struct nadi_emit *e, double parameters, enum nadi_axis axis,
                          const struct nadi_front *after);
/* Of gathered ones those of the others, where they lie elsewhere; 0: they do not. */
uint64_t nadi_emit_store_rest(struct nadi_emit *e, enum nadi_offload_flag flag, double parameters,
                              enum nadi_axis axis, uint64_t gathered);
/* Has every replica all of a part elsewhere, though ZeRO would split it? Without tiers, and on
 * request. */
bool nadi_emit_lies_whole(const struct nadi_emit *e, enum nadi_offload_flag flag);

/* ---- step_update.c: the optimizer ---- */
/* Before all else: space for what `place` puts into tiers. */
void nadi_emit_lie_down(struct nadi_emit *e);
void nadi_emit_update(struct nadi_emit *e);

#endif
