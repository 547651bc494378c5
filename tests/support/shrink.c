#include "support/shrink.h"

#include "base/mem.h"

struct work {
    uint8_t *bytes, *other;
    size_t count;
    uint32_t tries;
    bool (*fails)(void *context, const uint8_t *bytes, size_t count);
    void *context;
};

/* Keeps other[0 .. count-1] if it fails too. */
static bool keep(struct work *w, size_t count)
{
    if (w->tries == 0)
        return false;
    w->tries--;
    if (!w->fails(w->context, w->other, count))
        return false;
    memcpy(w->bytes, w->other, count);
    w->count = count;
    return true;
}

static bool take_out(struct work *w, size_t at, size_t size)
{
    memcpy(w->other, w->bytes, at);
    memcpy(w->other + at, w->bytes + at + size, w->count - at - size);
    return keep(w, w->count - size);
}

static bool set_zero(struct work *w, size_t at, size_t size)
{
    bool zero = true;
    for (size_t i = at; i < at + size; i++)
        zero &= w->bytes[i] == 0;
    if (zero)
        return false;
    memcpy(w->other, w->bytes, w->count);
    memset(w->other + at, 0, size);
    return keep(w, w->count);
}

/* From the end: what comes late hangs on what came before. */
static bool pass(struct work *w, size_t size, bool (*change)(struct work *, size_t, size_t))
{
    bool any = false;
    for (size_t end = w->count; end > 0 && w->tries > 0;) {
        const size_t piece = end < size ? end : size;
        any |= change(w, end - piece, piece);
        end -= piece;
        end = end > w->count ? w->count : end;
    }
    return any;
}

size_t shrink(uint8_t *bytes, size_t count, uint32_t tries,
              bool (*fails)(void *context, const uint8_t *bytes, size_t count), void *context)
{
    struct work w = {bytes, NADI_NEW(uint8_t, count), count, tries, fails, context};
    bool any = true;
    while (any && w.tries > 0) {
        any = false;
        for (size_t size = (w.count + 1) / 2; size > 0; size = size > 1 ? (size + 1) / 2 : 0) {
            any |= pass(&w, size, take_out);
            any |= pass(&w, size, set_zero);
        }
    }
    nadi_mem_free(w.other);
    return w.count;
}
