/* wire_put: protobuf bytes made by hand, for files that no writer would make. */
#ifndef NADI_TESTS_WIRE_PUT_H
#define NADI_TESTS_WIRE_PUT_H

#include "base/str.h"

void wire_put_varint(struct nadi_str *s, uint64_t value);
void wire_put_tag(struct nadi_str *s, uint32_t number, uint32_t type);
void wire_put_number(struct nadi_str *s, uint32_t number, uint64_t value); /* as a varint */
void wire_put_fixed(struct nadi_str *s, uint32_t number, uint64_t bits, unsigned bytes);
void wire_put_bytes(struct nadi_str *s, uint32_t number, const void *data, size_t bytes);
void wire_put_text(struct nadi_str *s, uint32_t number, const char *text);
/* `message` as a field of `s`, or as a frame of a trace; the message is cleared. */
void wire_put_message(struct nadi_str *s, uint32_t number, struct nadi_str *message);
void wire_put_frame(struct nadi_str *s, struct nadi_str *message);
/* Hexadecimal digits; blanks are skipped. */
void wire_put_hex(struct nadi_str *s, const char *hex);

#endif
