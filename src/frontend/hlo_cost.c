/* hlo_cost: operations and memory traffic of instructions of XLA. */
#include "base/mem.h"
#include "base/time.h"
#include "frontend/hlo_module.h"

/* Names of what is there already, or is made without reading anything. */
static bool is_free(const struct nadi_hlo_instruction *i)
{
    static const char *const words[] = {
        "parameter",       "constant",     "tuple",      "get-tuple-element", "bitcast",
        "opt-barrier",     "partition-id", "replica-id", "after-all",         "add-dependency",
        "bitcast-convert", "iota",         "domain",     "create-token",      NULL};
    return nadi_hlo_is_any(i, words);
}

/* Moves data and computes nothing. */
static bool is_move(const struct nadi_hlo_instruction *i)
{
    static const char *const words[] = {
        "broadcast",       "transpose",   "copy",          "copy-start",
        "slice",           "concatenate", "pad",           "reverse",
        "reshape",         "gather",      "dynamic-slice", "dynamic-update-slice",
        "dynamic-reshape", NULL};
    return nadi_hlo_is_any(i, words);
}

/* ---- operations ---------------------------------------------------------------------------- */

/* Product of the dims that a list names, "{1}" or ["1","2"]. */
static uint64_t dims_named(const struct nadi_hlo_shape *shape, const char *list)
{
    uint64_t product = 1, dim;
    if (!list)
        return 1;
    for (list += strspn(list, "{[:"); *list && *list != '}' && *list != ']';) {
        list += strspn(list, "\"\\, ");
        const char *rest = nadi_str_take_u64(list, &dim);
        if (!rest)
            break;
        if (dim < shape->rank)
            product = nadi_count_mul(product, shape->dims[dim]);
        list = rest + strspn(rest, "\"\\");
    }
    return product;
}

/* The contracted dims of the left operand: an attribute of dot, in a custom call's configuration
 * "lhs_contracting_dimensions":["1"]. */
static const char *contracted(const struct nadi_hlo_instruction *i)
{
    static const char word[] = "lhs_contracting_dimensions";
    const char *at = nadi_hlo_attribute(i, "lhs_contracting_dims");
    if (at)
        return at;
    at = memmem(i->attributes, (size_t)(i->end - i->attributes), word, strlen(word));
    return at ? at + strlen(word) + strspn(at + strlen(word), "\"\\: ") : NULL;
}

/* "dim_labels=b01f_01io->b01f": products for an element of the result, the kernel's size without
 * its outputs. */
static uint64_t window(const struct nadi_hlo_instruction *i, const struct nadi_hlo_shape *kernel)
{
    const char *labels = nadi_hlo_attribute(i, "dim_labels");
    const char *at = labels ? memchr(labels, '_', (size_t)(i->end - labels)) : NULL;
    uint64_t product = kernel->elements;
    for (uint32_t dim = 0; at && dim < kernel->rank && at[1 + dim] != '-'; dim++)
        if (at[1 + dim] == 'o' && kernel->dims[dim])
            product /= kernel->dims[dim];
    return product ? product : 1;
}

bool nadi_hlo_is_product_call(const struct nadi_hlo_instruction *i)
{
    const char *target = nadi_hlo_attribute(i, "custom_call_target");
    static const char *const targets[] = {"\"__cublas$gemm", "\"__cublas$lt$matmul",
                                          "\"__cudnn$conv", "\"__triton_gemm", "\"__onednn$matmul"};
    for (size_t k = 0; target && k < sizeof(targets) / sizeof(*targets); k++)
        if (nadi_str_starts(target, targets[k]))
            return i->operand_count >= 2 && (contracted(i) || nadi_hlo_attribute(i, "dim_labels"));
    return false;
}

/* The first array of the result: what a custom call leaves beside it is its workspace. */
static uint64_t first_elements(const struct nadi_hlo_shape *shape)
{
    uint64_t elements = 1;
    for (uint32_t d = 0; d < shape->rank; d++)
        elements = nadi_count_mul(elements, shape->dims[d]);
    return elements;
}

static uint64_t product_work(const struct nadi_hlo_module *m, const struct nadi_hlo_computation *c,
                             const struct nadi_hlo_instruction *i)
{
    const uint64_t out = nadi_count_mul(2, first_elements(&i->shape));
    const bool window_of = nadi_hlo_attribute(i, "dim_labels") != NULL;
    if (i->operand_count < 2)
        return 0;
    return nadi_count_mul(
        out, window_of ? window(i, &nadi_hlo_operand(m, c, i, 1)->shape)
                       : dims_named(&nadi_hlo_operand(m, c, i, 0)->shape, contracted(i)));
}

uint64_t nadi_hlo_work(const struct nadi_hlo_module *m, const struct nadi_hlo_computation *c,
                       const struct nadi_hlo_instruction *i)
{
    enum nadi_collective_kind kind;
    const uint32_t called = nadi_hlo_called(m, i, "calls");
    if (is_free(i) || is_move(i) || nadi_hlo_collective(i->op, i->op_length, &kind))
        return 0;
    if (called != NADI_NONE)
        return m->computations.items[called].work;
    if (nadi_hlo_is(i, "dot") || nadi_hlo_is(i, "ragged-dot") || nadi_hlo_is(i, "convolution") ||
        nadi_hlo_is_product_call(i))
        return product_work(m, c, i);
    if (nadi_hlo_is(i, "scatter") && i->operand_count == 3)
        return nadi_hlo_operand(m, c, i, 2)->shape.elements;
    if (nadi_hlo_is(i, "reduce") && i->operand_count)
        return nadi_hlo_operand(m, c, i, 0)->shape.elements;
    return i->shape.elements;
}

/* ---- traffic ------------------------------------------------------------------------------- */

/* What an instruction reads of its operand k, and writes. */
static uint64_t bytes_read(const struct nadi_hlo_module *m, const struct nadi_hlo_computation *c,
                           const struct nadi_hlo_instruction *i, uint32_t k)
{
    static const char *const parts[] = {"slice", "dynamic-slice", "gather", NULL};
    if (k == 0 && nadi_hlo_is_any(i, parts))
        return i->shape.bytes;
    if (k == 0 && (nadi_hlo_is(i, "dynamic-update-slice") || nadi_hlo_is(i, "scatter")))
        return 0; /* the rest stays where it is */
    return nadi_hlo_operand(m, c, i, k)->shape.bytes;
}

static uint64_t bytes_written(const struct nadi_hlo_module *m, const struct nadi_hlo_computation *c,
                              const struct nadi_hlo_instruction *i)
{
    if (nadi_hlo_is(i, "dynamic-update-slice") && i->operand_count > 1)
        return nadi_hlo_operand(m, c, i, 1)->shape.bytes;
    if (nadi_hlo_is(i, "scatter") && i->operand_count == 3)
        return nadi_count_mul(2, nadi_hlo_operand(m, c, i, 2)->shape.bytes);
    return nadi_hlo_is_product_call(i) ? i->shape.first_bytes : i->shape.bytes;
}

/* What a fusion writes: of a tuple each part. */
static uint64_t root_bytes(const struct nadi_hlo_module *m, const struct nadi_hlo_computation *f)
{
    const struct nadi_hlo_instruction *root = &m->instructions.items[f->first + f->root];
    uint64_t sum = 0;
    while (nadi_hlo_is(root, "bitcast") && root->operand_count)
        root = nadi_hlo_operand(m, f, root, 0);
    if (!nadi_hlo_is(root, "tuple"))
        return bytes_written(m, f, root);
    for (uint32_t k = 0; k < root->operand_count; k++)
        sum = nadi_count_add(sum, bytes_written(m, f, nadi_hlo_operand(m, f, root, k)));
    return sum;
}

/* Of a parameter it reads parts where all that read it take parts; a bitcast is its operand. */
uint64_t nadi_hlo_fused_traffic(const struct nadi_hlo_module *m,
                                const struct nadi_hlo_computation *f)
{
    const struct nadi_hlo_instruction *all = &m->instructions.items[f->first];
    uint64_t *read = NADI_ZNEW(uint64_t, f->count), sum = root_bytes(m, f);
    uint32_t *origin = NADI_NEW(uint32_t, f->count);
    for (uint32_t i = 0; i < f->count; i++) {
        const bool renames = nadi_hlo_is(&all[i], "bitcast") && all[i].operand_count;
        origin[i] = renames ? origin[m->operands.items[all[i].first_operand]] : i;
        for (uint32_t k = 0; k < all[i].operand_count && !renames; k++) {
            uint64_t *of = &read[origin[m->operands.items[all[i].first_operand + k]]];
            *of = nadi_count_add(*of, bytes_read(m, f, &all[i], k));
        }
    }
    for (uint32_t i = 0; i < f->count; i++)
        if (nadi_hlo_is(&all[i], "parameter"))
            sum = nadi_count_add(sum, nadi_min_u64(read[i], all[i].shape.bytes));
    nadi_mem_free(read);
    nadi_mem_free(origin);
    return sum;
}

uint64_t nadi_hlo_traffic(const struct nadi_hlo_module *m, const struct nadi_hlo_computation *c,
                          const struct nadi_hlo_instruction *i)
{
    const uint32_t called = nadi_hlo_called(m, i, "calls");
    if (is_free(i))
        return 0;
    if (called != NADI_NONE)
        return m->computations.items[called].traffic;
    uint64_t sum = nadi_hlo_is(i, "copy-start") && i->operand_count
                       ? nadi_hlo_operand(m, c, i, 0)->shape.bytes
                       : bytes_written(m, c, i);
    for (uint32_t k = 0; k < i->operand_count; k++)
        sum = nadi_count_add(sum, bytes_read(m, c, i, k));
    return sum;
}
