#include "fabric/flows_text.h"

#include "base/mem.h"

struct reading {
    const char *text, *at;
    uint32_t ports;
    uint32_t *owner[2]; /* by side and port: 1 + the flow that has it */
    struct {
        uint32_t *items;
        size_t count, capacity;
    } list; /* of the side that is read */
    struct {
        struct nadi_fred_flow *items;
        size_t count, capacity;
    } flows;
    struct nadi_arena *arena;
    struct nadi_diags *diags;
};

static bool wrong(const struct reading *r, const char *at, const char *format, ...)
    NADI_PRINTF(3, 4);

static bool wrong(const struct reading *r, const char *at, const char *format, ...)
{
    struct nadi_str text = NADI_STR_INIT;
    struct nadi_place place = NADI_IN_FILE("flows");
    va_list args;
    va_start(args, format);
    nadi_str_vprintf(&text, format, args);
    va_end(args);
    place.line = 1;
    place.column = (uint32_t)(at - r->text) + 1;
    nadi_error(r->diags, "fabric/flows", place,
               "a flow is inputs, '>', outputs: \"0,1>0,1; 3-5>3-5\"", "%s", nadi_str_get(&text));
    nadi_str_release(&text);
    return false;
}

static void skip_blanks(struct reading *r)
{
    r->at += strspn(r->at, " \t\r\n");
}

static bool read_port(struct reading *r, uint32_t *port)
{
    uint64_t value;
    skip_blanks(r);
    const char *from = r->at, *end = nadi_str_take_u64(r->at, &value);
    if (!end)
        return wrong(r, from,
                     *from ? "here a port's number is wanted"
                           : "a port's number is missing at the end");
    if (value >= r->ports)
        return wrong(r, from, "there is no port %.*s: ports are 0 to %u",
                     (int)(end - from > 20 ? 20 : end - from), from, r->ports - 1);
    *port = (uint32_t)value;
    r->at = end;
    skip_blanks(r);
    return true;
}

/* A port or a range of them. */
static bool read_range(struct reading *r, uint32_t side)
{
    uint32_t first, last;
    skip_blanks(r);
    const char *from = r->at;
    if (!read_port(r, &first))
        return false;
    last = first;
    if (*r->at == '-') {
        r->at++;
        if (!read_port(r, &last))
            return false;
        if (last < first)
            return wrong(r, from, "the range %u-%u goes down", first, last);
    }
    for (uint32_t p = first; p <= last; p++) {
        uint32_t *owner = &r->owner[side][p];
        if (*owner == r->flows.count + 1)
            return wrong(r, from, "port %u stands twice among the %s of flow %zu", p,
                         side ? "outputs" : "inputs", r->flows.count);
        if (*owner)
            return wrong(r, from, "port %u is an %s of flow %u already", p,
                         side ? "output" : "input", *owner - 1);
        *owner = (uint32_t)r->flows.count + 1;
        NADI_PUSH(&r->list, p);
    }
    return true;
}

static bool read_side(struct reading *r, uint32_t side, const uint32_t **ports, uint32_t *count)
{
    r->list.count = 0;
    do {
        if (!read_range(r, side))
            return false;
    } while (*r->at == ',' && r->at++);
    uint32_t *kept = NADI_ARENA_NEW(r->arena, uint32_t, r->list.count);
    memcpy(kept, r->list.items, r->list.count * sizeof(*kept));
    *ports = kept;
    *count = (uint32_t)r->list.count;
    return true;
}

static bool read_flows(struct reading *r)
{
    for (;;) {
        struct nadi_fred_flow flow;
        if (!read_side(r, 0, &flow.in, &flow.in_count))
            return false;
        if (*r->at != '>')
            return wrong(r, r->at, "here '>' and the outputs of flow %zu are wanted",
                         r->flows.count);
        r->at++;
        if (!read_side(r, 1, &flow.out, &flow.out_count))
            return false;
        NADI_PUSH(&r->flows, flow);
        if (*r->at == ';')
            r->at++;
        else if (*r->at)
            return wrong(r, r->at, "here ',', ';' or the end is wanted");
        skip_blanks(r);
        if (!*r->at)
            return true;
    }
}

bool nadi_fred_read_flows(const char *text, uint32_t ports, struct nadi_fred_set *set,
                          struct nadi_arena *arena, struct nadi_diags *diags)
{
    struct reading r = {.text = text, .at = text, .ports = ports, .arena = arena, .diags = diags};
    for (uint32_t side = 0; side < 2; side++)
        r.owner[side] = NADI_ARENA_ZNEW(arena, uint32_t, ports);
    const bool ok = read_flows(&r);
    if (ok) {
        struct nadi_fred_flow *kept = NADI_ARENA_NEW(arena, struct nadi_fred_flow, r.flows.count);
        memcpy(kept, r.flows.items, r.flows.count * sizeof(*kept));
        *set = (struct nadi_fred_set){kept, (uint32_t)r.flows.count};
    }
    nadi_mem_free(r.flows.items);
    nadi_mem_free(r.list.items);
    return ok;
}

static void write_ports(const uint32_t *ports, uint32_t count, struct nadi_str *out)
{
    for (uint32_t i = 0; i < count; i++)
        nadi_str_printf(out, "%s%u", i ? "," : "", ports[i]);
}

void nadi_fred_write_flow(const struct nadi_fred_flow *flow, struct nadi_str *out)
{
    write_ports(flow->in, flow->in_count, out);
    nadi_str_add_char(out, '>');
    write_ports(flow->out, flow->out_count, out);
}
