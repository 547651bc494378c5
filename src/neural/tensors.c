#include "neural/tensors.h"

#include <math.h>

#include "base/file.h"
#include "base/mem.h"
#include "format/wire.h"
#include "neural/tensors_inside.h"

void nadi_tensors_init(struct nadi_tensors *set)
{
    *set = (struct nadi_tensors){.count = 0};
    nadi_arena_init(&set->arena);
}

void nadi_tensors_release(struct nadi_tensors *set)
{
    nadi_mem_free(set->items);
    nadi_arena_release(&set->arena);
}

struct nadi_nn_tensor *nadi_tensors_find(const struct nadi_tensors *set, const char *name)
{
    for (size_t i = 0; i < set->count; i++)
        if (strcmp(set->items[i].name, name) == 0)
            return &set->items[i];
    return NULL;
}

struct nadi_nn_tensor *nadi_tensors_add(struct nadi_tensors *set, const char *name, uint32_t rank,
                                        const uint64_t *dims, struct nadi_place place,
                                        struct nadi_diags *diags)
{
    struct nadi_nn_tensor t = {.rank = rank, .count = 1};
    NADI_ASSERT(rank <= NADI_TENSOR_MOST_DIMS);
    for (uint32_t i = 0; i < rank; i++) {
        t.dims[i] = dims[i];
        if (__builtin_mul_overflow(t.count, dims[i], &t.count) ||
            t.count > NADI_TENSORS_MOST_BYTES / sizeof(float)) {
            (void)nadi_error(diags, "tensors/large", place, NULL,
                             "array '%s' has more than %llu values", name,
                             NADI_TENSORS_MOST_BYTES / sizeof(float));
            return NULL;
        }
    }
    if (nadi_tensors_find(set, name)) {
        (void)nadi_error(diags, "tensors/twice", place, "give each array a name of its own",
                         "there are two arrays '%s'", name);
        return NULL;
    }
    t.name = nadi_arena_strdup(&set->arena, name);
    t.values = nadi_arena_zalloc(&set->arena, t.count ? t.count : 1, sizeof(float));
    NADI_PUSH(set, t);
    return &set->items[set->count - 1];
}

const char *nadi_tensor_shape(const struct nadi_nn_tensor *t, char buffer[128])
{
    size_t at = 0;
    buffer[at++] = '[';
    for (uint32_t i = 0; i < t->rank && at < 100; i++)
        at += (size_t)snprintf(buffer + at, 128 - at, "%s%" PRIu64, i ? ", " : "", t->dims[i]);
    snprintf(buffer + at, 128 - at, "]");
    return buffer;
}

/* ---- numbers --------------------------------------------------------------------------------- */

static const struct {
    uint32_t bytes;
    bool is_real, is_signed;
} elements[NADI_ELEMENTS] = {
    [NADI_ELEMENT_F16] = {2, true, true},   [NADI_ELEMENT_BF16] = {2, true, true},
    [NADI_ELEMENT_F32] = {4, true, true},   [NADI_ELEMENT_F64] = {8, true, true},
    [NADI_ELEMENT_I8] = {1, false, true},   [NADI_ELEMENT_I16] = {2, false, true},
    [NADI_ELEMENT_I32] = {4, false, true},  [NADI_ELEMENT_I64] = {8, false, true},
    [NADI_ELEMENT_U8] = {1, false, false},  [NADI_ELEMENT_U16] = {2, false, false},
    [NADI_ELEMENT_U32] = {4, false, false}, [NADI_ELEMENT_U64] = {8, false, false},
};

uint32_t nadi_element_bytes(enum nadi_element element)
{
    return elements[element].bytes;
}

bool nadi_tensor_fits(uint32_t rank, const uint64_t *dims, enum nadi_element element,
                      uint64_t bytes)
{
    uint64_t need = elements[element].bytes;
    bool is_beyond = false, is_empty = false;
    for (uint32_t i = 0; i < rank; i++) {
        is_empty |= dims[i] == 0;
        is_beyond |= __builtin_mul_overflow(need, dims[i], &need);
    }
    return is_empty || (!is_beyond && need <= bytes);
}

static float from_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static double half(uint32_t bits)
{
    const uint32_t exponent = bits >> 10 & 31, fraction = bits & 1023;
    const double sign = bits >> 15 ? -1 : 1;
    if (exponent == 31)
        return fraction ? (double)NAN : sign * (double)INFINITY;
    return sign * (exponent ? ldexp(1024 + fraction, (int)exponent - 25) : ldexp(fraction, -24));
}

static double real_of(enum nadi_element element, uint64_t bits)
{
    double value;
    if (element == NADI_ELEMENT_F16)
        return half((uint32_t)bits);
    if (element == NADI_ELEMENT_BF16)
        return (double)from_bits((uint32_t)bits << 16);
    if (element == NADI_ELEMENT_F32)
        return (double)from_bits((uint32_t)bits);
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static bool take_one(enum nadi_element element, uint64_t bits, float *value)
{
    if (elements[element].is_real) {
        const double real = real_of(element, bits);
        *value = (float)real;
        return isfinite(real) && isfinite(*value);
    }
    const unsigned unused = 64 - 8 * elements[element].bytes;
    const int64_t whole = (int64_t)(bits << unused) >> unused;
    const bool is_signed = elements[element].is_signed;
    const uint64_t size = !is_signed || whole >= 0 ? bits : 0 - (uint64_t)whole;
    *value = is_signed ? (float)whole : (float)bits;
    return size <= 1U << 24;
}

bool nadi_tensor_take(struct nadi_nn_tensor *t, enum nadi_element element, const uint8_t *data,
                      struct nadi_place place, struct nadi_diags *diags)
{
    const uint32_t bytes = elements[element].bytes;
    for (uint64_t i = 0; i < t->count; i++)
        if (!take_one(element, nadi_wire_little_endian(data + i * bytes, bytes), &t->values[i]) &&
            !(t->infinite && isinf(t->values[i])))
            return nadi_error(
                diags, "tensors/value", place, "numbers are finite, and whole ones at most 2^24",
                "value %" PRIu64 " of array '%s' is no number that a float holds", i, t->name);
    return true;
}

/* ---- files ----------------------------------------------------------------------------------- */

bool nadi_tensors_parse(struct nadi_tensors *set, const char *path, const void *data, size_t bytes,
                        struct nadi_diags *diags)
{
    const uint8_t *at = data;
    if (bytes >= 4 && memcmp(at, "PK", 2) == 0)
        return nadi_tensors_parse_npz(set, path, at, bytes, diags);
    if (bytes >= 6 && memcmp(at, "\x93NUMPY", 6) == 0)
        return nadi_tensors_parse_npy(set, "x", path, at, bytes, diags);
    if (bytes >= 9 && at[8] == '{')
        return nadi_tensors_parse_safetensors(set, path, at, bytes, diags);
    return nadi_error(diags, "tensors/form", NADI_IN_FILE(path),
                      "write it with numpy.savez or safetensors",
                      "not a file of arrays: neither .npz, .npy nor .safetensors");
}

bool nadi_tensors_read(struct nadi_tensors *set, const char *path, struct nadi_diags *diags)
{
    char *data;
    size_t bytes;
    if (!nadi_file_read(path, "file of arrays", &data, &bytes, diags))
        return false;
    bool ok = bytes <= NADI_TENSORS_MOST_BYTES;
    if (!ok)
        (void)nadi_error(diags, "tensors/large", NADI_IN_FILE(path), NULL,
                         "%zu bytes; at most %llu are read", bytes, NADI_TENSORS_MOST_BYTES);
    ok = ok && nadi_tensors_parse(set, path, data, bytes, diags);
    nadi_mem_free(data);
    return ok;
}

bool nadi_tensors_write(const struct nadi_tensors *set, const char *path, struct nadi_diags *diags)
{
    struct nadi_str out = NADI_STR_INIT;
    if (nadi_str_ends(path, ".safetensors"))
        nadi_tensors_put_safetensors(set, &out);
    else
        nadi_tensors_put_npz(set, &out);
    const bool ok = nadi_file_write(path, nadi_str_get(&out), out.length, diags);
    nadi_str_release(&out);
    return ok;
}
