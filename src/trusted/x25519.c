#include "trusted/x25519.h"

#include "base/time.h"

/* A number modulo 2^255 - 19 as five limbs of 51 bits, each below 2^52 between operations. */
struct number {
    uint64_t limb[5];
};

#define LIMB_MASK ((UINT64_C(1) << 51) - 1)

static struct number add(struct number a, struct number b)
{
    for (int i = 0; i < 5; i++)
        a.limb[i] += b.limb[i];
    return a;
}

/* Two times the prime first, so that nothing is below 0. */
static struct number sub(struct number a, struct number b)
{
    static const uint64_t low = 2 * (LIMB_MASK - 18), high = 2 * LIMB_MASK;
    for (int i = 0; i < 5; i++)
        a.limb[i] += 2 * (i ? high : low) - b.limb[i];
    return a;
}

static struct number carry(const nadi_u128 wide[5])
{
    struct number out;
    nadi_u128 over = 0;
    for (int i = 0; i < 5; i++) {
        const nadi_u128 sum = wide[i] + over;
        out.limb[i] = (uint64_t)sum & LIMB_MASK;
        over = sum >> 51;
    }
    over = over * 19 + out.limb[0];
    out.limb[0] = (uint64_t)over & LIMB_MASK;
    out.limb[1] += (uint64_t)(over >> 51);
    return out;
}

static struct number mul(struct number a, struct number b)
{
    nadi_u128 wide[5];
    for (int i = 0; i < 5; i++) {
        nadi_u128 sum = 0;
        for (int j = 0; j < 5; j++) /* 2^255 is 19 */
            sum += (nadi_u128)a.limb[j] * (j > i ? 19 * b.limb[i + 5 - j] : b.limb[i - j]);
        wide[i] = sum;
    }
    return carry(wide);
}

static struct number scale(struct number a, uint64_t by)
{
    nadi_u128 wide[5];
    for (int i = 0; i < 5; i++)
        wide[i] = (nadi_u128)a.limb[i] * by;
    return carry(wide);
}

/* Exchanges them where `bit` is 1. */
static void swap(struct number *a, struct number *b, uint64_t bit)
{
    const uint64_t mask = 0 - bit;
    for (int i = 0; i < 5; i++) {
        const uint64_t differ = mask & (a->limb[i] ^ b->limb[i]);
        a->limb[i] ^= differ;
        b->limb[i] ^= differ;
    }
}

/* a^(p - 2), p - 2 = 2^255 - 21: all bits from 254 but 2 and 4. */
static struct number inverse(struct number a)
{
    struct number out = a;
    for (int bit = 253; bit >= 0; bit--) {
        out = mul(out, out);
        if (bit != 2 && bit != 4)
            out = mul(out, a);
    }
    return out;
}

static struct number unpack(const uint8_t bytes[32])
{
    struct number out = {{0}};
    for (int bit = 0; bit < 255; bit++)
        out.limb[bit / 51] |= (uint64_t)((bytes[bit / 8] >> (bit % 8)) & 1) << (bit % 51);
    return out;
}

static void pack(uint8_t bytes[32], struct number a)
{
    nadi_u128 wide[5];
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 5; i++)
            wide[i] = a.limb[i];
        a = carry(wide);
    }
    /* Below 2^255 now; the prime is taken off where it fits: where a + 19 reaches 2^255. */
    uint64_t over = 19;
    for (int i = 0; i < 5; i++)
        over = (a.limb[i] + over) >> 51;
    over *= 19;
    for (int i = 0; i < 5; i++) {
        a.limb[i] += over;
        over = a.limb[i] >> 51;
        a.limb[i] &= LIMB_MASK;
    }
    memset(bytes, 0, 32);
    for (int bit = 0; bit < 255; bit++)
        bytes[bit / 8] |= (uint8_t)(((a.limb[bit / 51] >> (bit % 51)) & 1) << (bit % 8));
}

void nadi_x25519(uint8_t out[32], const uint8_t scalar[32], const uint8_t point[32])
{
    const struct number x1 = unpack(point);
    struct number x2 = {{1}}, z2 = {{0}}, x3 = x1, z3 = {{1}};
    uint64_t swapped = 0;
    uint8_t k[32];
    memcpy(k, scalar, 32);
    k[0] &= 248;
    k[31] = (uint8_t)((k[31] & 127) | 64);
    for (int bit = 254; bit >= 0; bit--) { /* the ladder of RFC 7748, section 5 */
        const uint64_t one = (uint64_t)(k[bit / 8] >> (bit % 8)) & 1;
        swap(&x2, &x3, swapped ^ one);
        swap(&z2, &z3, swapped ^ one);
        swapped = one;
        const struct number a = add(x2, z2), b = sub(x2, z2);
        const struct number aa = mul(a, a), bb = mul(b, b), e = sub(aa, bb);
        const struct number da = mul(sub(x3, z3), a), cb = mul(add(x3, z3), b);
        const struct number sum = add(da, cb), rest = sub(da, cb);
        x3 = mul(sum, sum);
        z3 = mul(x1, mul(rest, rest));
        x2 = mul(aa, bb);
        z2 = mul(e, add(aa, scale(e, 121665)));
    }
    swap(&x2, &x3, swapped);
    swap(&z2, &z3, swapped);
    pack(out, mul(x2, inverse(z2)));
}

void nadi_x25519_public(uint8_t out[32], const uint8_t scalar[32])
{
    static const uint8_t base[32] = {9};
    nadi_x25519(out, scalar, base);
}
