#include "support/wire_put.h"

void wire_put_varint(struct nadi_str *s, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        nadi_str_add_char(s, (char)(value | 0x80));
    nadi_str_add_char(s, (char)value);
}

void wire_put_tag(struct nadi_str *s, uint32_t number, uint32_t type)
{
    wire_put_varint(s, (uint64_t)number << 3 | type);
}

void wire_put_number(struct nadi_str *s, uint32_t number, uint64_t value)
{
    wire_put_tag(s, number, 0);
    wire_put_varint(s, value);
}

void wire_put_fixed(struct nadi_str *s, uint32_t number, uint64_t bits, unsigned bytes)
{
    wire_put_tag(s, number, bytes == 8 ? 1 : 5);
    for (unsigned i = 0; i < bytes; i++)
        nadi_str_add_char(s, (char)(bits >> 8 * i));
}

void wire_put_bytes(struct nadi_str *s, uint32_t number, const void *data, size_t bytes)
{
    wire_put_tag(s, number, 2);
    wire_put_varint(s, bytes);
    nadi_str_add_bytes(s, data, bytes);
}

void wire_put_text(struct nadi_str *s, uint32_t number, const char *text)
{
    wire_put_bytes(s, number, text, strlen(text));
}

void wire_put_message(struct nadi_str *s, uint32_t number, struct nadi_str *message)
{
    wire_put_bytes(s, number, nadi_str_get(message), message->length);
    nadi_str_clear(message);
}

void wire_put_frame(struct nadi_str *s, struct nadi_str *message)
{
    wire_put_varint(s, message->length);
    nadi_str_add_bytes(s, nadi_str_get(message), message->length);
    nadi_str_clear(message);
}

void wire_put_hex(struct nadi_str *s, const char *hex)
{
    static const char digits[] = "0123456789abcdef";
    unsigned value = 0, count = 0;
    for (; *hex; hex++) {
        if (*hex == ' ')
            continue;
        const char *found = strchr(digits, *hex);
        NADI_ASSERT(found);
        value = value << 4 | (unsigned)(found - digits);
        if (++count % 2 == 0) {
            nadi_str_add_char(s, (char)value);
            value = 0;
        }
    }
    NADI_ASSERT(count % 2 == 0);
}
