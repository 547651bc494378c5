#include "capture/attribute.h"

/* As PyTorch writes them, and as the published linker writes them again. */
enum layout { COMPACT, INDENTED, LAYOUTS };

#define BREAK            "\n                    "
#define TEXT(name, type) "{\"name\": \"" name "\", \"type\": \"" type "\", \"value\": "
#define LINES(name, type)                                                                          \
    "{" BREAK "\"name\": \"" name "\"," BREAK "\"type\": \"" type "\"," BREAK "\"value\": "

static const struct {
    const char *name;
    struct {
        const char *text;
        size_t bytes;
    } begin[LAYOUTS];
} known[NADI_KNOWN_ATTRS] = {
#define ROW(index, name, type)                                                                     \
    [index] = {name,                                                                               \
               {{TEXT(name, type), sizeof(TEXT(name, type)) - 1},                                  \
                {LINES(name, type), sizeof(LINES(name, type)) - 1}}}
    ROW(NADI_KNOWN_RF_ID, "rf_id", "uint64"),
    ROW(NADI_KNOWN_FW_PARENT, "fw_parent", "uint64"),
    ROW(NADI_KNOWN_SEQ_ID, "seq_id", "int64"),
    ROW(NADI_KNOWN_SCOPE, "scope", "uint64"),
    ROW(NADI_KNOWN_TID, "tid", "uint64"),
    ROW(NADI_KNOWN_FW_TID, "fw_tid", "uint64"),
    ROW(NADI_KNOWN_OP_SCHEMA, "op_schema", "string"),
#undef ROW
};

static const struct {
    const char *text;
    size_t bytes;
} end[LAYOUTS] = {{"}", 1}, {"\n                }", 18}};

const char *nadi_known_attr_name(enum nadi_known_attr attr)
{
    return known[attr].name;
}

/* Digits; leaves the place alone if there is anything else. */
static bool plain_number(struct nadi_pull *s, int64_t *number)
{
    enum { SAFE_DIGITS = 18 };
    const char *at = s->at;
    bool negative = *at == '-';
    const char *digits = at += negative;
    uint64_t n = 0;
    while (*at >= '0' && *at <= '9' && at - digits < SAFE_DIGITS)
        n = n * 10 + (uint64_t)(*at++ - '0');
    if (at == digits)
        return false;
    *number = negative ? -(int64_t)n : (int64_t)n;
    s->at = at;
    return true;
}

static bool comes(const struct nadi_pull *s, const char *text, size_t bytes)
{
    return (size_t)(s->end - s->at) >= bytes && memcmp(s->at, text, bytes) == 0;
}

static bool as_expected(struct nadi_pull *s, enum nadi_known_attr expected,
                        struct nadi_attr_item *item)
{
    const char *begin = s->at;
    enum layout layout = s->at[1] == '\n' ? INDENTED : COMPACT;
    if (!comes(s, known[expected].begin[layout].text, known[expected].begin[layout].bytes))
        return false;
    s->at += known[expected].begin[layout].bytes;
    item->known = expected;
    item->given = true;
    item->value.kind = NADI_VALUE_STRING;
    bool good = expected < NADI_KNOWN_NUMBERS
                    ? plain_number(s, &item->number)
                    : *s->at == '"' && nadi_pull_string(s, &item->value.text);
    if (good && comes(s, end[layout].text, end[layout].bytes)) {
        s->at += end[layout].bytes;
        s->first = false;
        return true;
    }
    if (!s->fault)
        s->at = begin;
    return false;
}

static enum nadi_known_attr find_known(struct nadi_view name)
{
    unsigned i = 0;
    while (i < NADI_KNOWN_ATTRS && !nadi_view_is(name, known[i].name, strlen(known[i].name)))
        i++;
    return (enum nadi_known_attr)i;
}

bool nadi_attr_item(struct nadi_pull *s, enum nadi_known_attr expected, struct nadi_attr_item *item)
{
    struct nadi_view key;
    nadi_pull_peek(s);
    if (expected < NADI_KNOWN_ATTRS && as_expected(s, expected, item))
        return true;
    *item = (struct nadi_attr_item){.known = NADI_KNOWN_NOT};
    nadi_pull_open(s, '{');
    while (nadi_pull_key(s, &key)) {
        struct nadi_value other;
        if (NADI_VIEW_IS(key, "name"))
            nadi_pull_string(s, &item->name);
        else
            nadi_pull_value(s, NADI_VIEW_IS(key, "value") ? &item->value : &other);
    }
    if (s->fault)
        return false;
    item->known = find_known(item->name);
    item->given = item->name.at && item->value.kind;
    if (item->known < NADI_KNOWN_NUMBERS)
        item->given = item->given && nadi_value_integer(&item->value, &item->number);
    return true;
}
