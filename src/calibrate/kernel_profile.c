#include "calibrate/kernel_profile.h"

#include <ctype.h>

#include "base/mem.h"
#include "format/json_pull.h"

enum { SHAPES = 3, DIMS = 3 };

struct product {
    int64_t id;        /* of the operator that launched it */
    char precision[8]; /* "": not said */
    uint64_t b, m, n, k;
    double us;
};

struct products {
    struct product *items;
    size_t count, capacity;
};

/* ---- shapes ---------------------------------------------------------------------------------- */

struct shapes {
    uint64_t dims[SHAPES][DIMS];
    uint32_t ranks[SHAPES], count;
};

/* "[[8192, 4096], [4096, 4096], []]"; what is no list of numbers has rank 0. */
static void read_shapes(const char *text, const char *end, struct shapes *s)
{
    *s = (struct shapes){.count = 0};
    uint32_t depth = 0;
    for (const char *at = text; at < end; at++) {
        if (*at == '[') {
            depth++;
        } else if (*at == ']' && depth > 0) {
            if (depth == 2)
                s->count++;
            if (--depth == 0 || s->count == SHAPES)
                return;
        } else if (depth == 2 && isdigit((unsigned char)*at)) {
            uint64_t value = 0;
            for (; at < end && isdigit((unsigned char)*at); at++)
                value = value < UINT32_MAX ? value * 10 + (uint64_t)(*at - '0') : value;
            at--;
            uint32_t *rank = &s->ranks[s->count];
            if (*rank < DIMS)
                s->dims[s->count][*rank] = value;
            (*rank)++;
        }
    }
}

/* Operators and which of their inputs are multiplied. */
static const struct {
    const char *name;
    uint32_t first;
} known[] = {{"mm", 0}, {"addmm", 1}, {"bmm", 0}, {"baddbmm", 1}, {"_scaled_mm", 0}};

static bool find_operator(const char *name, size_t bytes, uint32_t *first)
{
    if (bytes > 6 && memcmp(name, "aten::", 6) == 0) {
        name += 6;
        bytes -= 6;
    }
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (strlen(known[i].name) == bytes && memcmp(known[i].name, name, bytes) == 0) {
            *first = known[i].first;
            return true;
        }
    return false;
}

static bool fill(struct product *p, const struct shapes *s, uint32_t first)
{
    const uint64_t *a = s->dims[first], *c = s->dims[first + 1];
    const uint32_t rank = s->ranks[first];
    if (first + 1 >= s->count || s->ranks[first + 1] != rank || (rank != 2 && rank != 3))
        return false;
    p->b = rank == 3 ? a[0] : 1;
    p->m = a[rank - 2];
    p->k = a[rank - 1];
    p->n = c[rank - 1];
    return c[rank - 2] == p->k && p->b * p->m * p->n * p->k > 0;
}

/* ---- equal products -------------------------------------------------------------------------- */

static int compare(const void *x, const void *y)
{
    const struct product *a = x, *c = y;
    const int type = strcmp(a->precision, c->precision);
    return type           ? type
           : a->b != c->b ? (a->b < c->b ? -1 : 1)
           : a->m != c->m ? (a->m < c->m ? -1 : 1)
           : a->n != c->n ? (a->n < c->n ? -1 : 1)
           : a->k != c->k ? (a->k < c->k ? -1 : 1)
                          : (a->us > c->us) - (a->us < c->us);
}

static bool is_like(const struct product *a, const struct product *c)
{
    return strcmp(a->precision, c->precision) == 0 && a->b == c->b && a->m == c->m &&
           a->n == c->n && a->k == c->k;
}

static void write_table(struct products *all, const char *device, struct nadi_str *out)
{
    nadi_str_add(out, "device,precision,b,m,n,k,time_us,state\n");
    if (all->count)
        qsort(all->items, all->count, sizeof(*all->items), compare);
    for (size_t i = 0, next; i < all->count; i = next) {
        for (next = i + 1; next < all->count && is_like(&all->items[i], &all->items[next]);)
            next++;
        const struct product *p = &all->items[i + (next - i) / 2];
        nadi_str_printf(out, "%s,%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%.4f,run\n",
                        device, p->precision, p->b, p->m, p->n, p->k, p->us);
    }
}

/* ---- PyTorch --------------------------------------------------------------------------------- */

struct event {
    struct nadi_view category, name, dims, types;
    int64_t id;
    double us;
    bool has_id;
};

struct capture {
    struct products operators;
    struct { /* of kernels, by the operator */
        struct product *items;
        size_t count, capacity;
    } kernels;
    char device[64];
};

static void read_arguments(struct nadi_pull *s, struct event *e)
{
    struct nadi_view key;
    struct nadi_value value;
    if (nadi_pull_peek(s) != '{') {
        (void)nadi_pull_value(s, &value);
        return;
    }
    (void)nadi_pull_open(s, '{');
    while (nadi_pull_key(s, &key) && nadi_pull_value(s, &value)) {
        if (NADI_VIEW_IS(key, "External id"))
            e->has_id = nadi_value_integer(&value, &e->id);
        else if (NADI_VIEW_IS(key, "Input Dims"))
            e->dims = value.text;
        else if (NADI_VIEW_IS(key, "Input type"))
            e->types = value.text;
    }
}

static void read_event(struct nadi_pull *s, struct event *e)
{
    struct nadi_view key;
    struct nadi_value value;
    *e = (struct event){.id = 0};
    (void)nadi_pull_open(s, '{');
    while (nadi_pull_key(s, &key)) {
        if (NADI_VIEW_IS(key, "args")) {
            read_arguments(s, e);
        } else if (!nadi_pull_value(s, &value)) {
            return;
        } else if (NADI_VIEW_IS(key, "cat")) {
            e->category = value.text;
        } else if (NADI_VIEW_IS(key, "name")) {
            e->name = value.text;
        } else if (NADI_VIEW_IS(key, "dur") && !nadi_value_real(&value, &e->us)) {
            e->us = 0;
        }
    }
}

/* Types of the first operand: the list begins with it. */
static void name_precision(const struct event *e, uint32_t first, char out[8])
{
    struct nadi_view type = e->types;
    for (uint32_t i = 0; i < first && type.bytes; i++) { /* behind a comma */
        const char *comma = memchr(type.at, ',', type.bytes);
        type.bytes = comma ? type.bytes - (uint32_t)(comma + 1 - type.at) : 0;
        type.at = comma ? comma + 1 : type.at;
    }
    const char *comma = type.bytes ? memchr(type.at, ',', type.bytes) : NULL;
    if (comma)
        type.bytes = (uint32_t)(comma - type.at);
    const char *word = nadi_view_has(type, "BFloat16") ? "bf16"
                       : nadi_view_has(type, "Half")   ? "fp16"
                       : nadi_view_has(type, "Float8") ? "fp8"
                       : nadi_view_has(type, "float")  ? "float"
                                                       : "";
    snprintf(out, 8, "%s", word);
}

static void take_event(struct capture *c, const struct event *e)
{
    struct product p = {.id = e->id, .us = e->us};
    struct shapes shapes;
    uint32_t first;
    if (!e->has_id)
        return;
    if (NADI_VIEW_IS(e->category, "kernel")) {
        NADI_PUSH(&c->kernels, p);
        return;
    }
    if (!NADI_VIEW_IS(e->category, "cpu_op") || !find_operator(e->name.at, e->name.bytes, &first) ||
        !e->dims.bytes)
        return;
    read_shapes(e->dims.at, e->dims.at + e->dims.bytes, &shapes);
    name_precision(e, first, p.precision);
    p.us = 0;
    if (fill(&p, &shapes, first))
        NADI_PUSH(&c->operators, p);
}

static void read_devices(struct nadi_pull *s, struct capture *c)
{
    struct nadi_view key;
    struct nadi_value value;
    (void)nadi_pull_open(s, '[');
    while (nadi_pull_item(s) && nadi_pull_open(s, '{'))
        while (nadi_pull_key(s, &key) && nadi_pull_value(s, &value))
            if (NADI_VIEW_IS(key, "name") && !c->device[0] && value.text.bytes < 60 &&
                !memchr(value.text.at, ',', value.text.bytes) && !value.text.escaped)
                snprintf(c->device, sizeof(c->device), "%.*s", (int)value.text.bytes,
                         value.text.at);
}

static void read_events(struct nadi_pull *s, struct capture *c)
{
    struct event e;
    (void)nadi_pull_open(s, '[');
    while (nadi_pull_item(s)) {
        read_event(s, &e);
        if (!s->fault)
            take_event(c, &e);
    }
}

static int by_id(const void *x, const void *y)
{
    const struct product *a = x, *c = y;
    return (a->id > c->id) - (a->id < c->id);
}

/* Each operator's kernels; those without are dropped. */
static void join(struct capture *c)
{
    struct products *o = &c->operators;
    size_t at = 0, kept = 0;
    if (o->count)
        qsort(o->items, o->count, sizeof(*o->items), by_id);
    if (c->kernels.count)
        qsort(c->kernels.items, c->kernels.count, sizeof(*c->kernels.items), by_id);
    for (size_t i = 0; i < o->count; i++) {
        struct product p = o->items[i];
        while (at < c->kernels.count && c->kernels.items[at].id < p.id)
            at++;
        for (; at < c->kernels.count && c->kernels.items[at].id == p.id; at++)
            p.us += c->kernels.items[at].us;
        if (p.us > 0)
            o->items[kept++] = p;
    }
    o->count = kept;
}

bool nadi_profile_is_capture(const char *text)
{
    text += strspn(text, " \t\r\n");
    return *text == '{' || *text == '[';
}

bool nadi_profile_of_capture(const char *path, const char *text, size_t bytes, struct nadi_str *out,
                             struct nadi_diags *diags)
{
    struct capture c = {.operators = {.items = NULL}};
    char *padded = nadi_mem_alloc(bytes + NADI_PULL_PAD, 1);
    memcpy(padded, text, bytes);
    memset(padded + bytes, 0, NADI_PULL_PAD);
    struct nadi_pull s = nadi_pull_of(padded, bytes);
    struct nadi_view key;
    struct nadi_value value;
    if (nadi_pull_peek(&s) == '[') {
        read_events(&s, &c);
    } else if (nadi_pull_open(&s, '{')) {
        while (nadi_pull_key(&s, &key)) {
            if (NADI_VIEW_IS(key, "traceEvents"))
                read_events(&s, &c);
            else if (NADI_VIEW_IS(key, "deviceProperties"))
                read_devices(&s, &c);
            else
                (void)nadi_pull_value(&s, &value);
        }
    }
    join(&c);
    bool ok = true;
    if (s.fault)
        ok = nadi_error(diags, "profile/json", NADI_IN_FILE(path), NULL,
                        "no capture of PyTorch's profiler: byte %zu: %s", (size_t)(s.at - padded),
                        s.fault);
    else if (c.operators.count == 0)
        ok = nadi_error(diags, "profile/products", NADI_IN_FILE(path),
                        "profile with torch.profiler.profile(record_shapes=True)",
                        "no matrix product of the capture has shapes and kernels");
    else
        write_table(&c.operators, c.device, out);
    nadi_mem_free(c.operators.items);
    nadi_mem_free(c.kernels.items);
    nadi_mem_free(padded);
    return ok;
}

/* ---- Nsight Systems -------------------------------------------------------------------------- */

/* The first of these columns, and what a microsecond is in its unit. */
static uint32_t time_column(const struct nadi_csv_table *t, double *us)
{
    static const char *const names[] = {"Projected Duration", "Proj Duration", "Duration"};
    static const struct {
        const char *unit;
        double us;
    } units[] = {{"ns", 1e-3}, {"us", 1}, {"\xce\xbcs", 1}, {"ms", 1e3}, {"s", 1e6}};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        for (size_t u = 0; u < sizeof(units) / sizeof(units[0]); u++) {
            char name[48];
            snprintf(name, sizeof(name), "%s (%s)", names[i], units[u].unit);
            *us = units[u].us;
            if (nadi_csv_column(t, name) != NADI_NONE)
                return nadi_csv_column(t, name);
        }
    return NADI_NONE;
}

bool nadi_profile_is_nsys(const struct nadi_csv_table *t)
{
    double us;
    return nadi_csv_column(t, "Name") != NADI_NONE && time_column(t, &us) != NADI_NONE;
}

/* "# precision: bf16" before the header. */
static void precision_above(const char *text, char out[8])
{
    static const char key[] = "precision:";
    out[0] = '\0';
    for (; *text == '#'; text += strcspn(text, "\n"), text += *text == '\n') {
        const char *at = strstr(text, key), *end = text + strcspn(text, "\n");
        if (!at || at >= end)
            continue;
        at += sizeof(key) - 1;
        at += strspn(at, " ");
        size_t length = 0;
        while (length < 7 && isalnum((unsigned char)at[length]))
            length++;
        snprintf(out, 8, "%.*s", (int)length, at);
    }
}

bool nadi_profile_of_nsys(const struct nadi_csv_table *t, const char *text, struct nadi_str *out,
                          struct nadi_diags *diags)
{
    struct products all = {.items = NULL};
    double us, value;
    const uint32_t name = nadi_csv_column(t, "Name"), time = time_column(t, &us);
    char precision[8];
    precision_above(text, precision);
    for (uint32_t i = 0; i < t->row_count; i++) {
        const char *range = nadi_csv_field(t, i, name), *sizes = strstr(range, "sizes = [");
        struct product p = {.id = i};
        struct shapes shapes;
        uint32_t first;
        if (!sizes || !find_operator(range, strcspn(range, ", "), &first) ||
            !nadi_str_to_double(nadi_csv_field(t, i, time), &value) || !(value > 0))
            continue;
        sizes += strlen("sizes = ");
        read_shapes(sizes, sizes + strlen(sizes), &shapes);
        memcpy(p.precision, precision, sizeof(precision));
        p.us = value * us;
        if (fill(&p, &shapes, first))
            NADI_PUSH(&all, p);
    }
    bool ok = true;
    if (all.count == 0)
        ok = nadi_error(diags, "profile/products", NADI_IN_FILE(t->path),
                        "run under torch.autograd.profiler.emit_nvtx(record_shapes=True) and use "
                        "`nsys stats --report nvtx_gpu_proj_trace --format csv`",
                        "no range is a matrix product with its shapes");
    else if (!precision[0])
        ok = nadi_error(diags, "profile/precision", NADI_IN_FILE(t->path),
                        "write above the header: # precision: bf16",
                        "ranges of Nsight Systems do not say the precision of products");
    else
        write_table(&all, "", out);
    nadi_mem_free(all.items);
    return ok;
}
