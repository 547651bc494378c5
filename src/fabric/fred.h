/* fred: the switch Fred_m(P), which adds up and copies on its way (arXiv 2406.19580).
 *
 * A Clos network of micro-switches, made recursively: P = 2 r or 2 r + 1 ports, r input switches of
 * 2 ports each, m middle networks Fred_m(r), r output switches. Input switches add (R), output
 * switches copy (D). An odd last port reaches every middle network, then Fred_m(r + 1), through a
 * demultiplexer, and is reached through a multiplexer. Networks of 2 and of 3 ports are one switch
 * that does both (RD); it carries any set of flows.
 *
 * Here each of them is an element: `takes[o]` says which inputs output o adds up. An R switch gives
 * an input to at most one output, a D switch takes at most one input for each, a (de)multiplexer
 * both. Elements stand in the order in which data passes them. */
#ifndef NADI_FABRIC_FRED_H
#define NADI_FABRIC_FRED_H

#include "base/arena.h"
#include "base/base.h"

enum {
    NADI_FRED_PORTS = 1024, /* most that is built */
    NADI_FRED_MIDDLE = 16,  /* most middle networks */
    NADI_FRED_ELEMENTS = 1 << 20,
};

enum nadi_fred_kind {
    NADI_FRED_NO_KIND,
    NADI_FRED_R,
    NADI_FRED_D,
    NADI_FRED_RD,
    NADI_FRED_DEMUX,
    NADI_FRED_MUX,
    NADI_FRED_KINDS
};

struct nadi_fred_element {
    enum nadi_fred_kind kind;
    uint32_t in_count, out_count;
    uint32_t *in, *out; /* wires */
    uint32_t *takes;    /* by output: mask of the inputs that it adds up */
    uint32_t net;       /* that it belongs to */
    uint32_t place;     /* among the inputs, or outputs, of that network */
};

struct nadi_fred_net { /* Fred_m(ports), the whole or a middle network */
    uint32_t ports, level;
    uint32_t parent, number;      /* of which network it is middle network `number`; NADI_NONE */
    uint32_t first_in, first_out; /* elements; one element, and no middle: a base */
    uint32_t middle[NADI_FRED_MIDDLE]; /* networks */
};

struct nadi_fred {
    struct nadi_arena arena;
    uint32_t ports, middle;
    uint32_t levels; /* of networks; the middle ones of the last are bases */
    uint32_t wire_count;
    uint32_t *out_wire; /* by port; port p's input is wire p */
    struct nadi_fred_element *elements;
    size_t element_count, element_capacity;
    struct nadi_fred_net *nets; /* the first one is the whole */
    size_t net_count, net_capacity;
};

struct nadi_fred_counts {
    uint64_t kinds[NADI_FRED_KINDS]; /* micro-switches of each kind, and (de)multiplexers */
    uint64_t switches;               /* R, D and RD */
    uint64_t config_bits; /* an output says for each input, or which input, or that it is off */
    uint32_t depth;       /* elements on the way from an input to an output */
};

/* Of any 2 <= ports <= 2^20, 1 <= middle <= NADI_FRED_MIDDLE; counts saturate. */
void nadi_fred_count(uint32_t ports, uint32_t middle, struct nadi_fred_counts *counts);

/* May it be built: at most NADI_FRED_PORTS ports and NADI_FRED_ELEMENTS elements? */
bool nadi_fred_fits(uint32_t ports, uint32_t middle);
void nadi_fred_init(struct nadi_fred *f, uint32_t ports, uint32_t middle);
void nadi_fred_release(struct nadi_fred *f);

const char *nadi_fred_kind_name(enum nadi_fred_kind kind); /* "R", ..., "mux" */

static inline bool nadi_fred_is_base(const struct nadi_fred_net *n)
{
    return n->ports <= 3;
}

/* ---- flows ----------------------------------------------------------------------------------- */

struct nadi_fred_flow {       /* the sum of its inputs goes to all its outputs */
    const uint32_t *in, *out; /* ports */
    uint32_t in_count, out_count;
};

struct nadi_fred_set { /* at once; each port is an input of one flow at most, and an output */
    const struct nadi_fred_flow *items;
    uint32_t count;
};

/* ---- what the settings do ---------------------------------------------------------------------
 */

enum nadi_fred_fault {
    NADI_FRED_FAULTLESS,
    NADI_FRED_CANNOT, /* a switch is set to what its kind cannot do */
    NADI_FRED_TWICE,  /* an input was added twice */
    NADI_FRED_WRONG,  /* an output has not the sum of its flow's inputs */
};

/* Pushes each input's own number through the elements as they are set: every output must have the
 * sum of exactly its flow's inputs, and others nothing. *where: the element or port at fault. */
enum nadi_fred_fault nadi_fred_simulate(const struct nadi_fred *f, const struct nadi_fred_set *set,
                                        uint32_t *where);

#endif
