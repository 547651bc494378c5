/* anonymize_text: names, numbers and texts as they leave. */
#include "base/mem.h"
#include "base/sha256.h"
#include "base/time.h"
#include "trace/edit/anonymize.h"

/* Between 1/2 and 2, not 1, from 32 bits of the key's own. */
static double factor(const char *key, const char *purpose)
{
    uint8_t hash[32];
    uint32_t bits;
    nadi_hmac_sha256(key, strlen(key), purpose, strlen(purpose), hash);
    memcpy(&bits, hash, sizeof bits);
    const double unit = ((double)bits + 0.5) / 4294967296.0;
    return unit < 0.5 ? 0.5 + 0.8 * unit : 1.1 + 1.8 * (unit - 0.5);
}

void nadi_anonymizer_init(struct nadi_anonymizer *a, const char *key, enum nadi_shapes shapes)
{
    *a = (struct nadi_anonymizer){.key = key, .shapes = shapes};
    a->time_factor = factor(key, "nadi times");
    a->size_factor = factor(key, "nadi sizes");
    nadi_strmap_init(&a->names);
}

void nadi_anonymizer_release(struct nadi_anonymizer *a)
{
    nadi_strmap_release(&a->names);
    nadi_str_release(&a->pseudonyms);
}

const char *nadi_pseudonym(struct nadi_anonymizer *a, char kind, const void *text, size_t bytes)
{
    enum { DIGITS = 16 };
    struct nadi_str word = NADI_STR_INIT;
    nadi_str_add_char(&word, kind);
    nadi_str_add_bytes(&word, text, bytes);
    const uint32_t next = (uint32_t)a->pseudonyms.length;
    const uint32_t at = nadi_strmap_put(&a->names, word.text, word.length, next, NULL);
    if (at == next) {
        uint8_t hash[32];
        char hex[65];
        nadi_hmac_sha256(a->key, strlen(a->key), word.text, word.length, hash);
        nadi_sha256_hex(hash, hex);
        nadi_str_printf(&a->pseudonyms, "%c_%.*s", kind, DIGITS, hex);
        nadi_str_add_char(&a->pseudonyms, '\0');
    }
    nadi_str_release(&word);
    return a->pseudonyms.text + at;
}

/* To three significant bits: at most an eighth away. */
static uint64_t bucket(uint64_t value)
{
    unsigned bits = 0;
    while (value >> bits > 7)
        bits++;
    if (bits == 0)
        return value;
    const uint64_t half = UINT64_C(1) << (bits - 1);
    const uint64_t rounded = value > UINT64_MAX - half ? value : value + half;
    return rounded >> bits << bits;
}

static uint64_t scaled(uint64_t value, double by)
{
    if (value == 0)
        return 0;
    const double product = (double)value * by + 0.5;
    if (product >= 9.2e18)
        return INT64_MAX;
    return product < 1 ? 1 : nadi_count_trunc(product);
}

static uint64_t changed(enum nadi_shapes shapes, uint64_t value, double by)
{
    return shapes == NADI_SHAPES_KEEP     ? value
           : shapes == NADI_SHAPES_BUCKET ? bucket(value)
                                          : scaled(value, by);
}

uint64_t nadi_anonymous_time(const struct nadi_anonymizer *a, uint64_t ns)
{
    return changed(a->shapes, ns, a->time_factor);
}

uint64_t nadi_anonymous_size(const struct nadi_anonymizer *a, uint64_t size)
{
    return changed(a->shapes, size, a->size_factor);
}

bool nadi_anonymous_shapes(const struct nadi_anonymizer *a, const uint8_t *text, size_t bytes,
                           struct nadi_str *out)
{
    nadi_str_clear(out);
    for (size_t i = 0; i < bytes;) {
        uint64_t number = 0;
        const size_t first = i;
        for (; i < bytes && text[i] >= '0' && text[i] <= '9'; i++) {
            if (__builtin_mul_overflow(number, 10u, &number) ||
                __builtin_add_overflow(number, text[i] - (uint8_t)'0', &number))
                return false;
        }
        if (i > first) {
            nadi_str_printf(out, "%" PRIu64, nadi_anonymous_size(a, number));
            continue;
        }
        if (!memchr("[](), ", text[i], 6))
            return false;
        nadi_str_add_char(out, (char)text[i++]);
    }
    return true;
}

bool nadi_is_known_type(const char *word, size_t bytes)
{
    static const char *const known[] = {"Tensor",
                                        "GenericList",
                                        "Tuple",
                                        "None",
                                        "Int",
                                        "Double",
                                        "Bool",
                                        "String",
                                        "Device",
                                        "Scalar",
                                        "Generator",
                                        "Stream",
                                        "Object",
                                        "Enum",
                                        "nullptr",
                                        "uninitialized",
                                        "float",
                                        "double",
                                        "half",
                                        "long",
                                        "int",
                                        "short",
                                        "char",
                                        "signed",
                                        "unsigned",
                                        "bool",
                                        "byte",
                                        "int8",
                                        "int16",
                                        "int32",
                                        "int64",
                                        "uint8",
                                        "uint16",
                                        "uint32",
                                        "uint64",
                                        "bfloat16",
                                        "float16",
                                        "float32",
                                        "float64",
                                        "c10::Half",
                                        "c10::BFloat16",
                                        "c10::complex",
                                        "c10::Float8_e4m3fn",
                                        "c10::Float8_e5m2",
                                        "BFloat16",
                                        "Half",
                                        "Float",
                                        "Long",
                                        "Char",
                                        "Byte",
                                        "Short",
                                        "x"};
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (strlen(known[i]) == bytes && memcmp(known[i], word, bytes) == 0)
            return true;
    }
    return false;
}

static bool is_word(uint8_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == ':';
}

bool nadi_anonymous_types(const uint8_t *text, size_t bytes, struct nadi_str *out)
{
    nadi_str_clear(out);
    for (size_t i = 0; i < bytes;) {
        const size_t first = i;
        while (i < bytes && is_word(text[i]))
            i++;
        if (i > first) {
            if (nadi_is_known_type((const char *)text + first, i - first))
                nadi_str_add_bytes(out, text + first, i - first);
            else
                nadi_str_add_char(out, 'x');
            continue;
        }
        if (!memchr("[](),'\"<> ", text[i], 10))
            return false;
        nadi_str_add_char(out, (char)text[i++]);
    }
    return true;
}
