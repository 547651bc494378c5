#include "trace/fields.h"

#include "base/mem.h"

/* Tag, length and payload of the field that ends at `end`. */
static bool is_short(const struct nadi_wire_field *f, const uint8_t *end)
{
    const uint8_t *p = f->at;
    while (*p & 0x80)
        p++;
    p++;
    if (!nadi_varint_is_short(f->at, p))
        return false;
    if (f->type == NADI_WIRE_VARINT)
        return nadi_varint_is_short(p, end);
    return f->type != NADI_WIRE_BYTES || nadi_varint_is_short(p, f->data);
}

/* Stable; messages out of order are rare and short. */
static void sort(struct nadi_fields *f)
{
    for (size_t i = 1; i < f->count; i++) {
        const struct nadi_wire_field item = f->items[i];
        size_t at = i;
        for (; at && f->items[at - 1].number > item.number; at--)
            f->items[at] = f->items[at - 1];
        f->items[at] = item;
    }
}

bool nadi_fields_read(struct nadi_fields *f, const uint8_t *data, size_t bytes)
{
    struct nadi_wire_cursor w = nadi_wire_of(data, bytes);
    struct nadi_wire_field field = {0};
    enum nadi_wire_result result;
    uint32_t last = 0;
    bool ascending = true;
    f->count = 0;
    f->canonical = true;
    while ((result = nadi_wire_next(&w, &field)) == NADI_WIRE_FIELD) {
        ascending &= field.number >= last;
        last = field.number;
        f->canonical &= is_short(&field, w.at);
        NADI_PUSH(f, field);
    }
    if (!ascending) {
        f->canonical = false;
        sort(f);
    }
    return result == NADI_WIRE_END;
}

bool nadi_fields_run(const struct nadi_fields *f, const struct nadi_chakra_message *m, size_t *at,
                     struct nadi_field_run *run)
{
    if (*at == f->count || f->items[*at].number > m->last)
        return false;
    const uint32_t number = f->items[*at].number;
    const struct nadi_chakra_field *field = &m->fields[number];
    *run = (struct nadi_field_run){field, number, &f->items[*at], 0, true};
    for (; *at < f->count && f->items[*at].number == number; ++*at) {
        const uint32_t type = f->items[*at].type;
        run->sound &= type == nadi_chakra_wire(field) ||
                      (field->form == NADI_CHAKRA_FORM_IDS && type == NADI_WIRE_VARINT);
        run->count++;
    }
    return true;
}

void nadi_fields_release(struct nadi_fields *f)
{
    nadi_mem_free(f->items);
    *f = (struct nadi_fields){0};
}
