/* AES-256-GCM, X25519 and HKDF through the engines' own functions, against published vectors. */
#include "trusted/crypto.h"
#include "trusted/key_exchange.h"
#include "trusted/x25519.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static size_t hex(uint8_t *out, const char *text)
{
    size_t count = 0;
    for (; text[2 * count]; count++) {
        unsigned byte;
        assert_int_equal(sscanf(text + 2 * count, "%2x", &byte), 1);
        out[count] = (uint8_t)byte;
    }
    return count;
}

/* Test cases 13 to 16 of GCM's submission to NIST: keys of 256 bits. */
static const struct {
    const char *key, *nonce, *header, *plain, *cipher, *tag;
} vectors[] = {
    {"0000000000000000000000000000000000000000000000000000000000000000", "000000000000000000000000",
     "", "", "", "530f8afbc74536b9a963b4f1c4cb738b"},
    {"0000000000000000000000000000000000000000000000000000000000000000", "000000000000000000000000",
     "", "00000000000000000000000000000000", "cea7403d4d606b6e074ec5d3baf39d18",
     "d0d1c8a799996bf0265b98b5d48ab919"},
    {"feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308", "cafebabefacedbaddecaf888",
     "",
     "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
     "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255",
     "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
     "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662898015ad",
     "b094dac5d93471bdec1a502270e3cc6c"},
    {"feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308", "cafebabefacedbaddecaf888",
     "feedfacedeadbeeffeedfacedeadbeefabaddad2",
     "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
     "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39",
     "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
     "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662",
     "76fc6ece0f4e1768cddf8853bb2d551b"},
};

static void test_gcm(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(vectors) / sizeof(*vectors); i++) {
        uint8_t key[32], header[64], body[128], cipher[128], tag[16], found[16], plain[128];
        struct nadi_gcm g;
        struct nadi_gcm_nonce nonce;
        assert_int_equal(hex(key, vectors[i].key), 32);
        assert_int_equal(hex(nonce.bytes, vectors[i].nonce), 12);
        assert_int_equal(hex(tag, vectors[i].tag), 16);
        const struct nadi_gcm_text text = {header, hex(header, vectors[i].header), body,
                                           hex(body, vectors[i].plain)};
        memcpy(plain, body, text.body_bytes);
        assert_int_equal(hex(cipher, vectors[i].cipher), text.body_bytes);
        nadi_gcm_init(&g, key);
        nadi_gcm_seal(&g, &nonce, &text, found, sizeof(found));
        assert_memory_equal(body, cipher, text.body_bytes);
        assert_memory_equal(found, tag, 16);
        assert_true(nadi_gcm_open(&g, &nonce, &text, tag, sizeof(tag)));
        assert_memory_equal(body, plain, text.body_bytes);
        tag[i] ^= 1;
        assert_false(nadi_gcm_open(&g, &nonce, &text, tag, sizeof(tag)));
    }
    const struct nadi_gcm_nonce n = nadi_gcm_nonce(0x01020304, UINT64_C(0x05060708090a0b0c));
    for (uint8_t i = 0; i < 12; i++)
        assert_int_equal(n.bytes[i], i + 1);
}

/* RFC 7748, sections 5.2 and 6.1. */
static void test_x25519(void **state)
{
    (void)state;
    uint8_t k[32] = {9}, u[32] = {9}, r[32], a[32], b[32], wanted[32];
    for (int i = 0; i < 1000; i++) {
        nadi_x25519(r, k, u);
        memcpy(u, k, 32);
        memcpy(k, r, 32);
        if (i == 0) {
            hex(wanted, "422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079");
            assert_memory_equal(k, wanted, 32);
        }
    }
    hex(wanted, "684cf59ba83309552800ef566f2f4d3c1c3887c49360e3875f2eb94d99532c51");
    assert_memory_equal(k, wanted, 32);
    hex(k, "a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4");
    hex(u, "e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c");
    hex(wanted, "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552");
    nadi_x25519(r, k, u);
    assert_memory_equal(r, wanted, 32);
    hex(a, "77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a");
    hex(b, "5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb");
    nadi_x25519_public(k, a);
    nadi_x25519_public(u, b);
    nadi_x25519(r, a, u);
    nadi_x25519(wanted, b, k);
    assert_memory_equal(r, wanted, 32);
    hex(wanted, "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742");
    assert_memory_equal(r, wanted, 32);
}

/* Both ends get one secret; a key without a device's proof, or of small order, is refused. */
static void test_agreement(void **state)
{
    (void)state;
    const uint64_t seed = 1;
    struct nadi_trusted_random r;
    struct nadi_key_pair a, b;
    uint8_t one[32], two[32];
    nadi_trusted_random_init(&r, &seed, "pairs");
    nadi_key_pair_draw(&a, &r);
    nadi_key_pair_draw(&b, &r);
    assert_int_equal(nadi_key_agree(&a, &b.hello, 0, one), NADI_TRUST_OK);
    assert_int_equal(nadi_key_agree(&b, &a.hello, 0, two), NADI_TRUST_OK);
    assert_memory_equal(one, two, 32);
    b.hello.key[3] ^= 1;
    assert_int_equal(nadi_key_agree(&a, &b.hello, 0, two), NADI_TRUST_ATTESTATION);
    assert_int_equal(nadi_key_agree(&a, &b.hello, NADI_ABLATE_ATTESTATION, two), NADI_TRUST_OK);
    assert_memory_not_equal(one, two, 32);
    memset(b.hello.key, 0, 32);
    assert_int_equal(nadi_key_agree(&a, &b.hello, NADI_ABLATE_ATTESTATION, two),
                     NADI_TRUST_ATTESTATION);
}

/* The same seed and stream give the same bytes, others others; below() keeps its bound. */
static void test_random(void **state)
{
    (void)state;
    const uint64_t seed = 7;
    struct nadi_trusted_random a, b, c, d;
    uint8_t x[100], y[100];
    nadi_trusted_random_init(&a, &seed, "a");
    nadi_trusted_random_init(&b, &seed, "a");
    nadi_trusted_random_init(&c, &seed, "c");
    nadi_trusted_random_init(&d, NULL, "a");
    nadi_trusted_random_bytes(&a, x, 100);
    for (size_t i = 0; i < 100; i += 5)
        nadi_trusted_random_bytes(&b, y + i, 5);
    assert_memory_equal(x, y, 100);
    nadi_trusted_random_bytes(&c, y, 100);
    assert_memory_not_equal(x, y, 100);
    nadi_trusted_random_bytes(&d, y, 100);
    assert_memory_not_equal(x, y, 100);
    uint32_t seen = 0;
    for (int i = 0; i < 200; i++) {
        const uint64_t v = nadi_trusted_random_below(&a, 7);
        assert_true(v < 7);
        seen |= 1u << v;
    }
    assert_int_equal(seen, 127);
}

/* RFC 5869, test case 3: no salt, no info. */
static void test_hkdf(void **state)
{
    (void)state;
    uint8_t secret[22], out[42], wanted[42];
    memset(secret, 0x0b, sizeof(secret));
    hex(wanted, "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d"
                "9d201395faa4b61a96c8");
    nadi_hkdf(secret, sizeof(secret), "", "", out, sizeof(out));
    assert_memory_equal(out, wanted, sizeof(out));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gcm),       cmocka_unit_test(test_x25519),
        cmocka_unit_test(test_agreement), cmocka_unit_test(test_random),
        cmocka_unit_test(test_hkdf),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
