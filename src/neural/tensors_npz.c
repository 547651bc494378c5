/* tensors_npz: NumPy's archives: .npy arrays in a zip file. */
#include <zlib.h>

#include "base/mem.h"
#include "format/wire.h"
#include "neural/tensors_inside.h"

/* ---- one array ------------------------------------------------------------------------------- */

struct head { /* of an .npy: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), } */
    enum nadi_element element;
    uint32_t rank;
    uint64_t dims[NADI_TENSOR_MOST_DIMS];
};

static const struct {
    const char *word;
    enum nadi_element element;
} words[] = {
    {"<f2", NADI_ELEMENT_F16}, {"<f4", NADI_ELEMENT_F32}, {"<f8", NADI_ELEMENT_F64},
    {"|i1", NADI_ELEMENT_I8},  {"<i2", NADI_ELEMENT_I16}, {"<i4", NADI_ELEMENT_I32},
    {"<i8", NADI_ELEMENT_I64}, {"|u1", NADI_ELEMENT_U8},  {"|b1", NADI_ELEMENT_U8},
    {"<u2", NADI_ELEMENT_U16}, {"<u4", NADI_ELEMENT_U32}, {"<u8", NADI_ELEMENT_U64},
};

/* What follows `'key':`, without blanks; NULL: there is no such key. */
static const char *value_of(const char *text, const char *key)
{
    const char *at = strstr(text, key);
    if (!at)
        return NULL;
    at += strlen(key);
    at += strspn(at, " ");
    return *at == ':' ? at + 1 + strspn(at + 1, " ") : NULL;
}

static bool read_shape(struct head *h, const char *at)
{
    if (!at || *at++ != '(')
        return false;
    for (at += strspn(at, " "); *at != ')'; at += strspn(at, ", ")) {
        if (h->rank == NADI_TENSOR_MOST_DIMS ||
            !(at = nadi_str_take_u64(at, &h->dims[h->rank++])) || !strchr(", )", *at))
            return false;
    }
    return true;
}

static bool read_head(struct head *h, const char *text, const char *name, struct nadi_place place,
                      struct nadi_diags *diags)
{
    const char *descr = value_of(text, "'descr'"), *order = value_of(text, "'fortran_order'");
    *h = (struct head){.rank = 0};
    for (size_t i = 0; descr && i < sizeof(words) / sizeof(words[0]); i++)
        if (strncmp(descr + 1, words[i].word, 3) == 0 && descr[4] == descr[0])
            h->element = words[i].element;
    if (!h->element)
        return nadi_error(
            diags, "tensors/type", place, "floats, whole numbers or bools, little-endian",
            "array '%s' has elements of another type: %.40s", name, descr ? descr : text);
    if (!order || strncmp(order, "False", 5) != 0)
        return nadi_error(diags, "tensors/order", place, "save numpy.ascontiguousarray(array)",
                          "array '%s' is not in C order", name);
    if (!read_shape(h, value_of(text, "'shape'")))
        return nadi_error(diags, "tensors/shape", place, NULL,
                          "array '%s' has no shape of at most %d dimensions", name,
                          NADI_TENSOR_MOST_DIMS);
    return true;
}

bool nadi_tensors_parse_npy(struct nadi_tensors *set, const char *name, const char *path,
                            const uint8_t *data, size_t bytes, struct nadi_diags *diags)
{
    const struct nadi_place place = NADI_IN_FILE(path);
    const unsigned wide = bytes > 6 && data[6] >= 2 ? 4 : 2;
    struct head h;
    if (bytes < 8 + wide || memcmp(data, "\x93NUMPY", 6) != 0 ||
        nadi_wire_little_endian(data + 8, wide) > bytes - 8 - wide)
        return nadi_error(diags, "tensors/npy", place, "write it with numpy.savez",
                          "array '%s' does not begin as an .npy file does", name);
    const size_t length = (size_t)nadi_wire_little_endian(data + 8, wide);
    char *text = NADI_NEW(char, length + 1);
    memcpy(text, data + 8 + wide, length);
    text[length] = '\0';
    bool ok = read_head(&h, text, name, place, diags);
    nadi_mem_free(text);
    data += 8 + wide + length;
    bytes -= 8 + wide + length;
    if (ok && !nadi_tensor_fits(h.rank, h.dims, h.element, bytes))
        ok = nadi_error(diags, "tensors/cut", place, "is the file complete?",
                        "array '%s' ends after %zu bytes; its shape needs more", name, bytes);
    struct nadi_nn_tensor *t =
        ok ? nadi_tensors_add(set, name, h.rank, h.dims, place, diags) : NULL;
    return t && nadi_tensor_take(t, h.element, data, place, diags);
}

/* ---- the archive ----------------------------------------------------------------------------- */

enum {
    END_BYTES = 22,
    ENTRY_BYTES = 46,
    LOCAL_BYTES = 30,
    END_COMMENT_MOST = 65535,
    STORED = 0,
    DEFLATED = 8,
};

struct entry { /* of the archive's list */
    char name[256];
    uint32_t method, crc;
    uint64_t stored, bytes, at;
};

static uint64_t number(const uint8_t *at, unsigned bytes)
{
    return nadi_wire_little_endian(at, bytes);
}

/* Sizes beyond 32 bits stand in an extra field of their own. */
static void read_wide(struct entry *e, const uint8_t *at, const uint8_t *end)
{
    while (end - at >= 4) {
        const uint64_t kind = number(at, 2), length = number(at + 2, 2);
        at += 4;
        if (length > (uint64_t)(end - at))
            return;
        if (kind == 1) {
            uint64_t *const members[] = {&e->bytes, &e->stored, &e->at};
            const uint8_t *value = at;
            for (int i = 0; i < 3; i++)
                if (*members[i] == UINT32_MAX && at + length - value >= 8) {
                    *members[i] = number(value, 8);
                    value += 8;
                }
        }
        at += length;
    }
}

static bool read_entry(struct entry *e, const uint8_t **at, const uint8_t *end)
{
    const uint8_t *p = *at;
    if (end - p < ENTRY_BYTES || memcmp(p, "PK\1\2", 4) != 0)
        return false;
    const size_t name = number(p + 28, 2), extra = number(p + 30, 2), comment = number(p + 32, 2);
    if ((size_t)(end - p) < ENTRY_BYTES + name + extra + comment || name >= sizeof(e->name))
        return false;
    *e = (struct entry){.method = (uint32_t)number(p + 10, 2),
                        .crc = (uint32_t)number(p + 16, 4),
                        .stored = number(p + 20, 4),
                        .bytes = number(p + 24, 4),
                        .at = number(p + 42, 4)};
    memcpy(e->name, p + ENTRY_BYTES, name);
    read_wide(e, p + ENTRY_BYTES + name, p + ENTRY_BYTES + name + extra);
    *at = p + ENTRY_BYTES + name + extra + comment;
    return true;
}

/* The bytes of a file in the archive, from the heap; NULL: they are damaged. */
static uint8_t *inflate_entry(const struct entry *e, const uint8_t *from)
{
    z_stream z = {.next_in = (Bytef *)(uintptr_t)from, .avail_in = (uInt)e->stored};
    uint8_t *to = NADI_NEW(uint8_t, e->bytes + 1);
    z.next_out = to;
    z.avail_out = (uInt)e->bytes;
    if (inflateInit2(&z, -MAX_WBITS) != Z_OK)
        nadi_mem_lacking("zlib");
    const int result = inflate(&z, Z_FINISH);
    const bool whole = (result == Z_STREAM_END) && z.avail_out == 0;
    inflateEnd(&z);
    if (whole)
        return to;
    nadi_mem_free(to);
    return NULL;
}

static bool damaged(const struct entry *e, const char *path, struct nadi_diags *diags)
{
    return nadi_error(diags, "tensors/zip", NADI_IN_FILE(path), "write it anew with numpy.savez",
                      "'%s' in the archive is damaged, or stored in a way that NumPy does not use",
                      e->name);
}

static bool read_array(struct nadi_tensors *set, struct entry *e, const char *path,
                       const uint8_t *data, size_t bytes, struct nadi_diags *diags)
{
    if (e->at > bytes || bytes - e->at < LOCAL_BYTES || memcmp(data + e->at, "PK\3\4", 4) != 0)
        return damaged(e, path, diags);
    const uint64_t from =
        e->at + LOCAL_BYTES + number(data + e->at + 26, 2) + number(data + e->at + 28, 2);
    if (from > bytes || e->stored > bytes - from || e->stored > UINT32_MAX ||
        e->bytes > UINT32_MAX || (e->method != STORED && e->method != DEFLATED) ||
        (e->method == STORED && e->stored != e->bytes) || e->bytes / 1100 > e->stored)
        return damaged(e, path, diags);
    uint8_t *own = e->method == DEFLATED ? inflate_entry(e, data + from) : NULL;
    const uint8_t *content = e->method == DEFLATED ? own : data + from;
    bool ok = content && crc32(0, content, (uInt)e->bytes) == e->crc;
    if (!ok)
        (void)damaged(e, path, diags);
    if (nadi_str_ends(e->name, ".npy"))
        e->name[strlen(e->name) - 4] = '\0';
    ok = ok && nadi_tensors_parse_npy(set, e->name, path, content, e->bytes, diags);
    nadi_mem_free(own);
    return ok;
}

bool nadi_tensors_parse_npz(struct nadi_tensors *set, const char *path, const uint8_t *data,
                            size_t bytes, struct nadi_diags *diags)
{
    const uint8_t *end = data + bytes, *list = NULL;
    for (size_t back = END_BYTES; !list && back <= bytes && back <= END_BYTES + END_COMMENT_MOST;
         back++)
        if (memcmp(end - back, "PK\5\6", 4) == 0)
            list = end - back;
    if (!list || number(list + 16, 4) > bytes)
        return nadi_error(diags, "tensors/zip", NADI_IN_FILE(path), "is the file complete?",
                          "the archive has no list of its files");
    const uint64_t count = number(list + 10, 2);
    const uint8_t *at = data + number(list + 16, 4);
    for (uint64_t i = 0; i < count; i++) {
        struct entry e = {.name = "an entry"};
        if (!read_entry(&e, &at, end))
            return damaged(&e, path, diags);
        if (!read_array(set, &e, path, data, bytes, diags))
            return false;
    }
    return true;
}

/* ---- writing: stored, without times ---------------------------------------------------------- */

static void put_array(const struct nadi_nn_tensor *t, struct nadi_str *out)
{
    struct nadi_str head = NADI_STR_INIT;
    nadi_str_add(&head, "{'descr': '<f4', 'fortran_order': False, 'shape': (");
    for (uint32_t i = 0; i < t->rank; i++)
        nadi_str_printf(&head, "%" PRIu64 "%s", t->dims[i],
                        i + 1 < t->rank ? ", "
                        : t->rank == 1  ? ","
                                        : "");
    nadi_str_add(&head, "), }");
    while ((10 + head.length + 1) % 64)
        nadi_str_add_char(&head, ' ');
    nadi_str_add_char(&head, '\n');
    nadi_str_add_bytes(out, "\x93NUMPY\1\0", 8);
    nadi_wire_add_fixed(out, head.length, 2);
    nadi_str_add_bytes(out, head.text, head.length);
    nadi_str_add_bytes(out, t->values, t->count * sizeof(float));
    nadi_str_release(&head);
}

/* What a file's own head and its entry in the list share. */
static void put_common(struct nadi_str *out, uint32_t crc, uint64_t bytes, size_t name)
{
    nadi_wire_add_fixed(out, 20, 2);
    nadi_wire_add_fixed(out, 0, 2);
    nadi_wire_add_fixed(out, STORED, 2);
    nadi_wire_add_fixed(out, 0x00210000, 4); /* the first day that the format knows */
    nadi_wire_add_fixed(out, crc, 4);
    nadi_wire_add_fixed(out, bytes, 4);
    nadi_wire_add_fixed(out, bytes, 4);
    nadi_wire_add_fixed(out, name, 2);
    nadi_wire_add_fixed(out, 0, 2);
}

void nadi_tensors_put_npz(const struct nadi_tensors *set, struct nadi_str *out)
{
    struct nadi_str list = NADI_STR_INIT, one = NADI_STR_INIT, name = NADI_STR_INIT;
    for (size_t i = 0; i < set->count; i++) {
        const size_t at = out->length;
        nadi_str_clear(&one);
        nadi_str_clear(&name);
        put_array(&set->items[i], &one);
        nadi_str_printf(&name, "%s.npy", set->items[i].name);
        const uint32_t crc = (uint32_t)crc32(0, (const Bytef *)one.text, (uInt)one.length);
        nadi_str_add_bytes(out, "PK\3\4", 4);
        put_common(out, crc, one.length, name.length);
        nadi_str_add(out, name.text);
        nadi_str_add_bytes(out, one.text, one.length);
        nadi_str_add_bytes(&list, "PK\1\2", 4);
        nadi_wire_add_fixed(&list, 20, 2);
        put_common(&list, crc, one.length, name.length);
        nadi_wire_add_fixed(&list, 0, 2);
        nadi_wire_add_fixed(&list, 0, 8);
        nadi_wire_add_fixed(&list, at, 4);
        nadi_str_add(&list, name.text);
    }
    const size_t at = out->length;
    if (list.length)
        nadi_str_add_bytes(out, list.text, list.length);
    nadi_str_add_bytes(out, "PK\5\6\0\0\0\0", 8);
    nadi_wire_add_fixed(out, set->count, 2);
    nadi_wire_add_fixed(out, set->count, 2);
    nadi_wire_add_fixed(out, list.length, 4);
    nadi_wire_add_fixed(out, at, 4);
    nadi_wire_add_fixed(out, 0, 2);
    nadi_str_release(&list);
    nadi_str_release(&one);
    nadi_str_release(&name);
}
