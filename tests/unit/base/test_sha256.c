/* sha256: the published vectors of FIPS 180-4. */
#include "base/sha256.h"

#include <setjmp.h>

#include <cmocka.h>

static void assert_hash(const char *text, const char *expected)
{
    uint8_t hash[32];
    char hex[65];
    nadi_sha256(text, strlen(text), hash);
    nadi_sha256_hex(hash, hex);
    assert_string_equal(hex, expected);
}

static void published_vectors(void **state)
{
    (void)state;
    assert_hash("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_hash("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(published_vectors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
