#include "trace/chakra.h"

static const struct nadi_chakra_field node_fields[] = {
    [NADI_CHAKRA_ID] = {"id", "id", NADI_CHAKRA_FORM_NUMBER},
    [NADI_CHAKRA_NAME] = {"name", "name", NADI_CHAKRA_FORM_TEXT},
    [NADI_CHAKRA_TYPE] = {"type", "type", NADI_CHAKRA_FORM_KIND},
    [NADI_CHAKRA_CTRL_DEPS] = {"ctrl_deps", "ctrlDeps", NADI_CHAKRA_FORM_IDS},
    [NADI_CHAKRA_DATA_DEPS] = {"data_deps", "dataDeps", NADI_CHAKRA_FORM_IDS},
    [NADI_CHAKRA_START] = {"start_time_micros", "startTimeMicros", NADI_CHAKRA_FORM_NUMBER},
    [NADI_CHAKRA_DURATION] = {"duration_micros", "durationMicros", NADI_CHAKRA_FORM_NUMBER},
    [NADI_CHAKRA_INPUTS] = {"inputs", "inputs", NADI_CHAKRA_FORM_IO},
    [NADI_CHAKRA_OUTPUTS] = {"outputs", "outputs", NADI_CHAKRA_FORM_IO},
    [NADI_CHAKRA_ATTR] = {"attr", "attr", NADI_CHAKRA_FORM_ATTR},
};
static const struct nadi_chakra_field metadata_fields[] = {
    [NADI_CHAKRA_VERSION] = {"version", "version", NADI_CHAKRA_FORM_TEXT},
    [NADI_CHAKRA_METADATA_ATTR] = {"attr", "attr", NADI_CHAKRA_FORM_ATTR},
};
static const struct nadi_chakra_field io_fields[] = {
    [NADI_CHAKRA_VALUES] = {"values", "values", NADI_CHAKRA_FORM_TEXT},
    [NADI_CHAKRA_SHAPES] = {"shapes", "shapes", NADI_CHAKRA_FORM_TEXT},
    [NADI_CHAKRA_TYPES] = {"types", "types", NADI_CHAKRA_FORM_TEXT},
};

const struct nadi_chakra_message nadi_chakra_node = {node_fields, NADI_CHAKRA_ATTR};
const struct nadi_chakra_message nadi_chakra_metadata = {metadata_fields,
                                                         NADI_CHAKRA_METADATA_ATTR};
const struct nadi_chakra_message nadi_chakra_io = {io_fields, NADI_CHAKRA_TYPES};

#define PAIR(word, class, width, wire_type, zig)                                                   \
    {#word "_val", #word "Val", class, width, wire_type, zig, false},                              \
    {                                                                                              \
#word "_list", #word "List", class, width, wire_type, zig, true                            \
    }

const struct nadi_member nadi_members[NADI_MEMBER_LAST + 1] = {
    [NADI_MEMBER_FIRST] = PAIR(double, NADI_VALUE_DOUBLE, 64, NADI_WIRE_64, false),
    PAIR(float, NADI_VALUE_FLOAT, 32, NADI_WIRE_32, false),
    PAIR(int32, NADI_VALUE_SIGNED, 32, NADI_WIRE_VARINT, false),
    PAIR(int64, NADI_VALUE_SIGNED, 64, NADI_WIRE_VARINT, false),
    PAIR(uint32, NADI_VALUE_UNSIGNED, 32, NADI_WIRE_VARINT, false),
    PAIR(uint64, NADI_VALUE_UNSIGNED, 64, NADI_WIRE_VARINT, false),
    PAIR(sint32, NADI_VALUE_SIGNED, 32, NADI_WIRE_VARINT, true),
    PAIR(sint64, NADI_VALUE_SIGNED, 64, NADI_WIRE_VARINT, true),
    PAIR(fixed32, NADI_VALUE_UNSIGNED, 32, NADI_WIRE_32, false),
    PAIR(fixed64, NADI_VALUE_UNSIGNED, 64, NADI_WIRE_64, false),
    PAIR(sfixed32, NADI_VALUE_SIGNED, 32, NADI_WIRE_32, false),
    PAIR(sfixed64, NADI_VALUE_SIGNED, 64, NADI_WIRE_64, false),
    PAIR(bool, NADI_VALUE_BOOL, 32, NADI_WIRE_VARINT, false),
    PAIR(string, NADI_VALUE_TEXT, 0, NADI_WIRE_BYTES, false),
    PAIR(bytes, NADI_VALUE_BYTES, 0, NADI_WIRE_BYTES, false),
};

uint32_t nadi_member_find(const char *name, size_t bytes)
{
    for (uint32_t number = NADI_MEMBER_FIRST; number <= NADI_MEMBER_LAST; number++) {
        const char *own = nadi_member_of(number)->name;
        if (strlen(own) == bytes && memcmp(own, name, bytes) == 0)
            return number;
    }
    return 0;
}

uint64_t nadi_member_narrow(const struct nadi_member *member, uint64_t value)
{
    switch ((enum nadi_value_class)member->value_class) {
    case NADI_VALUE_BOOL:
        return value != 0;
    case NADI_VALUE_SIGNED:
        if (member->bits == 32) /* a negative number has ten bytes in a varint */
            value = (uint64_t)(int64_t)(int32_t)(uint32_t)value;
        return member->zigzag ? nadi_wire_to_zigzag(value) : value;
    case NADI_VALUE_UNSIGNED:
        return member->bits == 32 ? (uint32_t)value : value;
    case NADI_VALUE_DOUBLE:
    case NADI_VALUE_FLOAT:
    case NADI_VALUE_NONE:
    case NADI_VALUE_TEXT:
    case NADI_VALUE_BYTES:
        break;
    }
    return value;
}

void nadi_member_put(struct nadi_str *out, const struct nadi_member *member, uint64_t bits)
{
    if (member->wire == NADI_WIRE_VARINT)
        nadi_wire_add_varint(out, bits);
    else
        nadi_wire_add_fixed(out, bits, member->wire == NADI_WIRE_64 ? 8 : 4);
}
