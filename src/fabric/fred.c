#include "fabric/fred.h"

#include "base/mem.h"
#include "base/time.h"

const char *nadi_fred_kind_name(enum nadi_fred_kind kind)
{
    static const char *const names[NADI_FRED_KINDS] = {
        [NADI_FRED_NO_KIND] = "none", [NADI_FRED_R] = "R",         [NADI_FRED_D] = "D",
        [NADI_FRED_RD] = "RD",        [NADI_FRED_DEMUX] = "demux", [NADI_FRED_MUX] = "mux",
    };
    return names[kind];
}

/* ---- counts -----------------------------------------------------------------------------------
 */

/* Bits of one of `choices` inputs, or none. */
static uint64_t bits_of_choice(uint32_t choices)
{
    uint64_t bits = 0;
    while ((UINT64_C(1) << bits) < (uint64_t)choices + 1)
        bits++;
    return bits;
}

void nadi_fred_count(uint32_t ports, uint32_t middle, struct nadi_fred_counts *counts)
{
    uint64_t nets = 1;
    *counts = (struct nadi_fred_counts){.depth = 1};
    for (; ports > 3; ports = ports / 2 + ports % 2, nets = nadi_count_mul(nets, middle)) {
        const uint64_t pairs = nadi_count_mul(nets, ports / 2);
        const uint64_t odd = ports % 2 ? nets : 0;
        counts->kinds[NADI_FRED_R] = nadi_count_add(counts->kinds[NADI_FRED_R], pairs);
        counts->kinds[NADI_FRED_D] = nadi_count_add(counts->kinds[NADI_FRED_D], pairs);
        counts->kinds[NADI_FRED_DEMUX] = nadi_count_add(counts->kinds[NADI_FRED_DEMUX], odd);
        counts->kinds[NADI_FRED_MUX] = nadi_count_add(counts->kinds[NADI_FRED_MUX], odd);
        counts->depth += 2;
    }
    counts->kinds[NADI_FRED_RD] = nets;
    counts->switches = nadi_count_add(nets, nadi_count_mul(2, counts->kinds[NADI_FRED_R]));
    /* R: a bit for each of two inputs and m outputs; D: two choices of m; RD: a bit a crossing */
    const uint64_t choice = bits_of_choice(middle);
    counts->config_bits = nadi_count_add(
        nadi_count_add(nadi_count_mul(counts->kinds[NADI_FRED_R], 2 * (middle + choice)),
                       nadi_count_mul(counts->kinds[NADI_FRED_MUX], 2 * choice)),
        nadi_count_mul(nets, (uint64_t)ports * ports));
}

bool nadi_fred_fits(uint32_t ports, uint32_t middle)
{
    struct nadi_fred_counts c;
    if (ports > NADI_FRED_PORTS)
        return false;
    nadi_fred_count(ports, middle, &c);
    return nadi_count_add(c.switches, nadi_count_mul(2, c.kinds[NADI_FRED_MUX])) <=
           NADI_FRED_ELEMENTS;
}

/* ---- building ---------------------------------------------------------------------------------
 */

/* One element; its outputs are new wires where `out` is NULL. */
static uint32_t add_element(struct nadi_fred *f, struct nadi_fred_element e, const uint32_t *in,
                            const uint32_t *out)
{
    e.in = NADI_ARENA_NEW(&f->arena, uint32_t, e.in_count);
    e.out = NADI_ARENA_NEW(&f->arena, uint32_t, e.out_count);
    e.takes = NADI_ARENA_ZNEW(&f->arena, uint32_t, e.out_count);
    memcpy(e.in, in, e.in_count * sizeof(*in));
    for (uint32_t o = 0; o < e.out_count; o++)
        e.out[o] = out ? out[o] : f->wire_count++;
    if (f->element_count == f->element_capacity)
        f->elements = nadi_mem_grow(f->elements, &f->element_capacity, f->element_count + 1,
                                    sizeof(*f->elements));
    f->elements[f->element_count] = e;
    return (uint32_t)f->element_count++;
}

static uint32_t add_net(struct nadi_fred *f, uint32_t ports, uint32_t parent, uint32_t number)
{
    if (f->net_count == f->net_capacity)
        f->nets = nadi_mem_grow(f->nets, &f->net_capacity, f->net_count + 1, sizeof(*f->nets));
    f->nets[f->net_count] = (struct nadi_fred_net){
        .ports = ports,
        .level = parent == NADI_NONE ? 0 : f->nets[parent].level + 1,
        .parent = parent,
        .number = number,
        .first_in = (uint32_t)f->element_count,
    };
    return (uint32_t)f->net_count++;
}

/* A network between the wires `in` and new wires, which `out` gets. */
static uint32_t build(struct nadi_fred *f, uint32_t ports, uint32_t parent, uint32_t number,
                      const uint32_t *in, uint32_t *out)
{
    const uint32_t m = f->middle, net = add_net(f, ports, parent, number);
    const uint32_t inner = ports / 2 + ports % 2;
    struct nadi_fred_element e = {.net = net};
    if (f->nets[net].level + 1 > f->levels)
        f->levels = f->nets[net].level + 1;
    if (ports <= 3) {
        e.kind = NADI_FRED_RD;
        e.in_count = e.out_count = ports;
        f->nets[net].first_out = add_element(f, e, in, NULL);
        memcpy(out, f->elements[f->nets[net].first_out].out, ports * sizeof(*out));
        return net;
    }
    uint32_t *to = NADI_NEW(uint32_t, (size_t)m * inner),
             *from = NADI_NEW(uint32_t, (size_t)m * inner);
    for (uint32_t i = 0; i < inner; i++) {
        e.place = i;
        e.in_count = 2 * i + 1 < ports ? 2 : 1;
        e.out_count = m;
        e.kind = e.in_count == 2 ? NADI_FRED_R : NADI_FRED_DEMUX;
        const uint32_t made = add_element(f, e, in + (size_t)2 * i, NULL);
        for (uint32_t k = 0; k < m; k++)
            to[k * inner + i] = f->elements[made].out[k];
    }
    for (uint32_t k = 0; k < m; k++) {
        const uint32_t middle =
            build(f, inner, net, k, to + (size_t)k * inner, from + (size_t)k * inner);
        f->nets[net].middle[k] = middle;
    }
    f->nets[net].first_out = (uint32_t)f->element_count;
    for (uint32_t i = 0; i < inner; i++) {
        uint32_t middles[NADI_FRED_MIDDLE];
        for (uint32_t k = 0; k < m; k++)
            middles[k] = from[k * inner + i];
        e.place = i;
        e.in_count = m;
        e.out_count = 2 * i + 1 < ports ? 2 : 1;
        e.kind = e.out_count == 2 ? NADI_FRED_D : NADI_FRED_MUX;
        const uint32_t made = add_element(f, e, middles, NULL);
        memcpy(out + (size_t)2 * i, f->elements[made].out, e.out_count * sizeof(*out));
    }
    nadi_mem_free(to);
    nadi_mem_free(from);
    return net;
}

void nadi_fred_init(struct nadi_fred *f, uint32_t ports, uint32_t middle)
{
    NADI_ASSERT(ports >= 2 && middle >= 1 && middle <= NADI_FRED_MIDDLE);
    *f = (struct nadi_fred){.ports = ports, .middle = middle, .wire_count = ports};
    nadi_arena_init(&f->arena);
    f->out_wire = NADI_ARENA_NEW(&f->arena, uint32_t, ports);
    uint32_t *in = NADI_NEW(uint32_t, ports);
    for (uint32_t p = 0; p < ports; p++)
        in[p] = p;
    (void)build(f, ports, NADI_NONE, 0, in, f->out_wire);
    nadi_mem_free(in);
}

void nadi_fred_release(struct nadi_fred *f)
{
    nadi_mem_free(f->elements);
    nadi_mem_free(f->nets);
    nadi_arena_release(&f->arena);
}

/* ---- simulation -------------------------------------------------------------------------------
 */

static uint32_t ones(uint32_t mask)
{
    return (uint32_t)__builtin_popcount(mask);
}

/* Is what the element is set to within its kind? */
static bool able(const struct nadi_fred_element *e)
{
    uint32_t used = 0;
    const bool adds = e->kind == NADI_FRED_R || e->kind == NADI_FRED_RD;
    const bool copies = e->kind == NADI_FRED_D || e->kind == NADI_FRED_RD;
    for (uint32_t o = 0; o < e->out_count; o++) {
        const uint32_t takes = e->takes[o];
        if (takes >> e->in_count || (!adds && ones(takes) > 1) || (!copies && (used & takes)))
            return false;
        used |= takes;
    }
    return true;
}

/* Adds the set of inputs at `from` to that at `to`; false where one is in both. */
static bool add_sets(uint64_t *to, const uint64_t *from, size_t words)
{
    bool apart = true;
    for (size_t w = 0; w < words; w++) {
        apart = apart && !(to[w] & from[w]);
        to[w] |= from[w];
    }
    return apart;
}

/* Does every output have what its flow says? */
static bool outputs_right(const struct nadi_fred *f, const struct nadi_fred_set *set,
                          const uint64_t *values, size_t words, uint32_t *where)
{
    uint64_t *wanted = NADI_ZNEW(uint64_t, words * f->ports);
    bool right = true;
    for (uint32_t i = 0; i < set->count; i++)
        for (uint32_t o = 0; o < set->items[i].out_count; o++)
            for (uint32_t k = 0; k < set->items[i].in_count; k++) {
                const uint32_t port = set->items[i].in[k];
                wanted[set->items[i].out[o] * words + port / 64] |= UINT64_C(1) << port % 64;
            }
    for (uint32_t p = 0; right && p < f->ports; p++) {
        right = memcmp(&wanted[p * words], &values[f->out_wire[p] * words],
                       words * sizeof(*wanted)) == 0;
        *where = p;
    }
    nadi_mem_free(wanted);
    return right;
}

enum nadi_fred_fault nadi_fred_simulate(const struct nadi_fred *f, const struct nadi_fred_set *set,
                                        uint32_t *where)
{
    const size_t words = (f->ports + 63) / 64;
    enum nadi_fred_fault fault = NADI_FRED_FAULTLESS;
    uint64_t *values = NADI_ZNEW(uint64_t, words * f->wire_count);
    for (uint32_t i = 0; i < set->count; i++)
        for (uint32_t k = 0; k < set->items[i].in_count; k++) {
            const uint32_t port = set->items[i].in[k];
            values[port * words + port / 64] = UINT64_C(1) << port % 64;
        }
    for (uint32_t i = 0; !fault && i < f->element_count; i++) {
        const struct nadi_fred_element *e = &f->elements[i];
        *where = i;
        if (!able(e))
            fault = NADI_FRED_CANNOT;
        for (uint32_t o = 0; !fault && o < e->out_count; o++)
            for (uint32_t k = 0; k < e->in_count; k++)
                if (e->takes[o] >> k & 1 &&
                    !add_sets(&values[e->out[o] * words], &values[e->in[k] * words], words))
                    fault = NADI_FRED_TWICE;
    }
    if (!fault && !outputs_right(f, set, values, words, where))
        fault = NADI_FRED_WRONG;
    nadi_mem_free(values);
    return fault;
}
