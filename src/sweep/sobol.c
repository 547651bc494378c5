/* sobol: points that fill a cube evenly, whatever their number. Direction numbers: Joe and Kuo,
 * "Constructing Sobol sequences with better two-dimensional projections", 2008. */
#include "sweep/space.h"

enum { BITS = 32 };

static const struct {
    uint8_t degree, polynomial;
    uint8_t first[7];
} directions[NADI_SOBOL_DIMS - 1] = {
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
};

/* The direction numbers of a dimension, as binary fractions. */
static void fill(uint32_t dim, uint32_t v[BITS])
{
    for (uint32_t i = 0; dim == 0 && i < BITS; i++)
        v[i] = 1u << (BITS - 1 - i);
    if (dim == 0)
        return;
    const uint32_t degree = directions[dim - 1].degree, a = directions[dim - 1].polynomial;
    for (uint32_t i = 0; i < degree; i++)
        v[i] = (uint32_t)directions[dim - 1].first[i] << (BITS - 1 - i);
    for (uint32_t i = degree; i < BITS; i++) {
        v[i] = v[i - degree] ^ (v[i - degree] >> degree);
        for (uint32_t k = 1; k < degree; k++)
            if (a >> (degree - 1 - k) & 1)
                v[i] ^= v[i - k];
    }
}

void nadi_sobol(uint64_t u, uint32_t count, double *at)
{
    const uint64_t gray = u ^ (u >> 1);
    for (uint32_t d = 0; d < count; d++) {
        uint32_t v[BITS], x = 0;
        fill(d, v);
        for (uint32_t i = 0; i < BITS; i++)
            if (gray >> i & 1)
                x ^= v[i];
        at[d] = x / 4294967296.0;
    }
}
