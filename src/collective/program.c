#include "collective/program.h"

#include "base/str.h"
#include "collective/algorithms/algorithms.h"
#include "collective/native.h"

enum { LEAST_RADIX = 2, MOST_RADIX = 1024 };

#define ROW(id, ...) &nadi_algorithm_##id,
const struct nadi_program_ops *const nadi_program_algorithms[] = {NADI_GENERATORS(ROW) NULL};

const struct nadi_program_ops *nadi_program_find(const char *name)
{
    for (size_t i = 0; nadi_program_algorithms[i]; i++)
        if (strcmp(nadi_program_algorithms[i]->name, name) == 0)
            return nadi_program_algorithms[i];
    return NULL;
}

const struct nadi_program_ops *nadi_program_read(const char *text, uint32_t *number)
{
    char name[64];
    const struct nadi_program_ops *ops =
        nadi_str_split_number(text, name, sizeof(name), number) ? nadi_program_find(name) : NULL;
    return ops && (*number == 0 || ops->number != NADI_NUMBER_NONE) ? ops : NULL;
}

static uint64_t total_of_sizes(const struct nadi_program_request *q)
{
    uint64_t total = 0;
    for (uint64_t i = 0; i < (uint64_t)q->n * q->n; i++)
        total += q->sizes[i];
    return total;
}

static uint64_t buffer_bytes(const struct nadi_program_request *q)
{
    switch (q->kind) {
    case NADI_ALL_GATHER:
    case NADI_GATHER:
        return q->bytes * q->n;
    case NADI_ALL_TO_ALL:
        return q->sizes ? total_of_sizes(q) : q->bytes * q->n;
    case NADI_BARRIER:
        return 0;
    case NADI_ALL_REDUCE:
    case NADI_REDUCE:
    case NADI_SCATTER:
    case NADI_BROADCAST:
    case NADI_REDUCE_SCATTER:
    case NADI_REDUCE_SCATTER_BLOCK:
    case NADI_COLLECTIVE_KINDS:
        break;
    }
    return q->bytes;
}

const char *nadi_program_make(const struct nadi_program_ops *ops,
                              const struct nadi_program_request *request, struct nadi_program *p)
{
    *p = (struct nadi_program){.ops = ops, .request = *request};
    struct nadi_program_request *q = &p->request;
    NADI_ASSERT(q->n > 0 && q->root < q->n);
    if (!nadi_program_runs(ops, q->kind))
        return "the algorithm does not do this collective";
    if (q->kind == NADI_REDUCE_SCATTER_BLOCK)
        q->kind = NADI_REDUCE_SCATTER;
    if (q->radix == 0)
        q->radix = 2;
    if (q->radix < LEAST_RADIX || q->radix > MOST_RADIX)
        return "the radix of a tree is from 2 to 1024";
    if (q->segments == 0 && !ops->own_segments)
        q->segments = 1;
    p->sends_ahead = ops->sends_ahead;
    p->bytes = buffer_bytes(q);
    p->blocks = p->queues = 1;
    const char *refused = ops->prepare(p);
    if (refused)
        return refused;
    if (q->n == 1)
        p->queues = p->switches = 0;
    return NULL;
}

struct nadi_step nadi_program_step(const struct nadi_program *p, uint32_t member, uint32_t queue,
                                   uint32_t k)
{
    struct nadi_step step = {
        .to = NADI_NONE, .from = NADI_NONE, .to_queue = queue, .but = NADI_NONE};
    p->ops->step(p, member, queue, k, &step);
    step.ahead = p->sends_ahead && step.to < NADI_FAN && step.from < NADI_FAN;
    return step;
}

/* Where part i of `parts` begins. */
static uint64_t part_start(uint64_t bytes, uint32_t parts, uint32_t i)
{
    return bytes / parts * i + bytes % parts * i / parts;
}

static uint64_t block_start(const struct nadi_program *p, uint32_t block)
{
    return part_start(p->bytes, p->blocks, block);
}

/* Blocks of an all-to-all that a member has for another one. */
static uint32_t blocks_of_pair(const struct nadi_program *p)
{
    return p->blocks / p->request.n / p->request.n;
}

/* What a member has for another one. */
static uint64_t size_of_pair(const struct nadi_program_request *q, uint32_t pair)
{
    const uint64_t bytes = q->sizes[pair];
    const uint32_t part = q->sizes_part;
    if (q->sizes_parts < 2)
        return bytes;
    return part_start(bytes, q->sizes_parts, part + 1) - part_start(bytes, q->sizes_parts, part);
}

static uint64_t block_bytes(const struct nadi_program *p, uint32_t first, uint32_t count)
{
    if (!p->request.sizes)
        return block_start(p, first + count) - block_start(p, first);
    const uint32_t parts = blocks_of_pair(p);
    uint64_t bytes = 0;
    for (uint32_t b = first; b < first + count; b++) {
        const uint64_t pair = size_of_pair(&p->request, b / parts);
        bytes += part_start(pair, parts, b % parts + 1) - part_start(pair, parts, b % parts);
    }
    return bytes;
}

struct summing {
    const struct nadi_program *p;
    uint64_t bytes;
};

static void add_bytes(void *context, uint32_t first, uint32_t count)
{
    struct summing *s = context;
    s->bytes += block_bytes(s->p, first, count);
}

uint64_t nadi_program_sent_bytes(const struct nadi_program *p, uint32_t member, uint32_t queue,
                                 uint32_t k)
{
    struct summing s = {.p = p};
    p->ops->sent(p, member, queue, k, add_bytes, &s);
    return s.bytes;
}

uint64_t nadi_program_sent_bytes_to(const struct nadi_program *p, uint32_t member, uint32_t queue,
                                    uint32_t k, const struct nadi_step *step, uint32_t to)
{
    struct summing s = {.p = p};
    if (!step->each)
        return nadi_program_sent_bytes(p, member, queue, k);
    p->ops->sent_to(p, member, queue, k, to, add_bytes, &s);
    return s.bytes;
}

/* Who owns block b: all-gather, gather: who has it first; reduce-scatter, scatter: who needs it. */
static uint32_t owner(const struct nadi_program *p, uint32_t block)
{
    return block / (p->blocks / p->request.n);
}

bool nadi_program_adds(enum nadi_collective_kind kind)
{
    return nadi_collective_of(kind)->reduces;
}

bool nadi_program_has(const struct nadi_program *p, uint32_t member, uint32_t block)
{
    if (member >= p->request.n)
        return false;
    switch (p->request.kind) {
    case NADI_ALL_GATHER:
    case NADI_GATHER:
        return owner(p, block) == member;
    case NADI_BROADCAST:
    case NADI_SCATTER:
        return member == p->request.root;
    case NADI_ALL_TO_ALL:
        return block / blocks_of_pair(p) / p->request.n == member;
    case NADI_ALL_REDUCE:
    case NADI_REDUCE:
    case NADI_REDUCE_SCATTER:
    case NADI_REDUCE_SCATTER_BLOCK:
    case NADI_BARRIER:
    case NADI_COLLECTIVE_KINDS:
        break;
    }
    return true;
}

bool nadi_program_wants(const struct nadi_program *p, uint32_t member, uint32_t block)
{
    if (member >= p->request.n)
        return false;
    switch (p->request.kind) {
    case NADI_REDUCE:
    case NADI_GATHER:
        return member == p->request.root;
    case NADI_REDUCE_SCATTER:
    case NADI_REDUCE_SCATTER_BLOCK:
    case NADI_SCATTER:
        return owner(p, block) == member;
    case NADI_ALL_TO_ALL:
        return block / blocks_of_pair(p) % p->request.n == member;
    case NADI_ALL_REDUCE:
    case NADI_ALL_GATHER:
    case NADI_BROADCAST:
    case NADI_BARRIER:
    case NADI_COLLECTIVE_KINDS:
        break;
    }
    return true;
}

static enum nadi_collective_kind kind_of_phase(const struct nadi_phase *phase)
{
    switch (phase->op) {
    case NADI_PHASE_REDUCE_SCATTER:
        return NADI_REDUCE_SCATTER;
    case NADI_PHASE_ALL_GATHER:
        return NADI_ALL_GATHER;
    case NADI_PHASE_ALL_TO_ALL:
        return NADI_ALL_TO_ALL;
    case NADI_PHASE_OTHER:
        return phase->kind;
    case NADI_PHASE_ALL_REDUCE:
    case NADI_PHASE_NONE:
        break;
    }
    return NADI_ALL_REDUCE;
}

/* A grid for algorithms that want one: the network's dimensions where the members are all of it,
 * nodes of the innermost dimension where they divide the group. */
static void grid_of(const struct nadi_phase *phase, const struct nadi_topology *t,
                    struct nadi_program_request *q)
{
    if (phase->spans_all) {
        for (uint32_t d = 0; d < t->dim_count; d++)
            if (t->dims[d].npus > 1)
                q->dims[q->dim_count++] = t->dims[d].npus;
        return;
    }
    uint32_t node = t->dims[0].npus;
    if (!phase->local || node < 2 || node >= phase->n || phase->n % node)
        return;
    q->dim_count = 2;
    q->dims[0] = node;
    q->dims[1] = phase->n / node;
}

/* The dimension whose switch all members are at, of a list of dimensions; NADI_NONE with a reason.
 */
static uint32_t switched_dim(const struct nadi_program_place *place, uint32_t n, bool stores,
                             const char **why)
{
    const struct nadi_topology *t = place->topology;
    uint32_t dim = NADI_NONE;
    for (uint32_t i = 1; i < n; i++)
        for (uint32_t d = 0; d < t->dim_count; d++) {
            if (nadi_topology_coordinate(t, place->ranks[i], d) ==
                    nadi_topology_coordinate(t, place->ranks[0], d) ||
                d == dim)
                continue;
            if (dim != NADI_NONE) {
                *why = nadi_arena_printf(
                    place->arena, "no switch is common to all: they differ in dimensions %u and %u",
                    dim < d ? dim : d, dim < d ? d : dim);
                return NADI_NONE;
            }
            dim = d;
        }
    if (dim == NADI_NONE)
        *why = "one member alone needs no switch";
    else if (t->dims[dim].kind != NADI_DIM_SWITCH)
        *why = nadi_arena_printf(place->arena, "dimension %u is a %s, not a Switch", dim,
                                 nadi_dim_kind_name(t->dims[dim].kind));
    else if (t->dims[dim].in_switch_bytes_per_ns <= 0 && !stores)
        *why = nadi_arena_printf(place->arena,
                                 "the switches of dimension %u only forward: the network file "
                                 "gives them no in-switch-bandwidth",
                                 dim);
    else
        return dim;
    return NADI_NONE;
}

static const char *find_switches(const struct nadi_program_place *place,
                                 struct nadi_program_request *q, bool stores, uint32_t *dim)
{
    const char *why = NULL;
    *dim = NADI_NONE;
    if (place->graph)
        q->trees = nadi_switch_trees_find(place->graph, place->ranks, q->n, place->arena, &why);
    else
        *dim = switched_dim(place, q->n, stores, &why);
    return why;
}

const char *nadi_program_of_phase(const struct nadi_phase *phase,
                                  const struct nadi_program_place *place, struct nadi_program *p)
{
    if (!phase->program)
        return nadi_native_program(phase, false, p);
    struct nadi_program_request q = {
        .kind = kind_of_phase(phase),
        .n = phase->n,
        .root = phase->root,
        .bytes = phase->bytes,
        .table = phase->table,
    };
    uint32_t dim = NADI_NONE;
    uint32_t *const numbers[] = {
        [NADI_NUMBER_NONE] = NULL,
        [NADI_NUMBER_RADIX] = &q.radix,
        [NADI_NUMBER_CHANNELS] = &q.channels,
        [NADI_NUMBER_SEGMENTS] = &q.segments,
    };
    if (phase->program->number)
        *numbers[phase->program->number] = phase->parameter;
    grid_of(phase, place->topology, &q);
    if (phase->program == &nadi_algorithm_by_node)
        q.nodes = nadi_nodes_find(place->topology, place->ranks, q.n, place->arena);
    const char *refused = phase->program->in_switches && q.n > 1
                              ? find_switches(place, &q, phase->program->stores, &dim)
                              : NULL;
    if (!refused)
        refused = nadi_program_make(phase->program, &q, p);
    if (!refused)
        p->dim = dim;
    return refused;
}
