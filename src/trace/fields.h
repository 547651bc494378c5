/* fields: the fields of one message in the order of their numbers, and whether they are written as
 * protobuf's own writers do: ascending, each number and length as short as possible. */
#ifndef NADI_TRACE_FIELDS_H
#define NADI_TRACE_FIELDS_H

#include "trace/chakra.h"

struct nadi_fields {
    struct nadi_wire_field *items; /* ascending by number, otherwise as in the message */
    size_t count, capacity;
    bool canonical;
};

/* False when the message is damaged. Reuses the memory of `f`, which begins as {0}. */
bool nadi_fields_read(struct nadi_fields *f, const uint8_t *data, size_t bytes);
void nadi_fields_release(struct nadi_fields *f);

/* What a message holds of one field: once, or as often as it was repeated. */
struct nadi_field_run {
    const struct nadi_chakra_field *field;
    uint32_t number;
    const struct nadi_wire_field
        *items; /* count of them; of a field that comes once the last counts */
    size_t count;
    bool sound; /* all have a wire type that the field may have */
};

/* The run at *at, which then is behind it; false when what is left is unknown to the schema. */
bool nadi_fields_run(const struct nadi_fields *f, const struct nadi_chakra_message *m, size_t *at,
                     struct nadi_field_run *run);

/* Was the varint that ends at `end` written as short as possible? */
static inline bool nadi_varint_is_short(const uint8_t *start, const uint8_t *end)
{
    return end - start == 1 || (end[-1] != 0 && (end - start < 10 || end[-1] == 1));
}

#endif
