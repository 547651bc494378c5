/* machine_state: what a machine holds, for its own files. */
#ifndef NADI_NETWORK_FLIT_MACHINE_STATE_H
#define NADI_NETWORK_FLIT_MACHINE_STATE_H

#include "base/mem.h"
#include "network/flit/machine.h"
#include "network/flit/paths.h"

enum {
    NADI_FLIT_TAIL = 1, /* a flit is its packet << 2 and these */
    NADI_FLIT_HEAD = 2,
    NADI_FLIT_PACKETS = 256,  /* whose steps are allocated at once */
    NADI_FLIT_FIRST_ROOM = 8, /* flits that each buffer has room for at first, a power of two */
};

/* Instead of a flit: a credit arrives. */
#define NADI_FLIT_CREDIT      UINT32_MAX
#define NADI_FLIT_CREDIT_TAIL (UINT32_MAX - 1)
#define NADI_FLIT_MOST_PACKET ((UINT32_MAX >> 2) - 1)

struct nadi_flit_packet {
    uint64_t user;
    uint32_t dst; /* NPU */
    uint32_t flits;
    uint32_t hop, hops; /* the step that is taken next */
    uint32_t choices;   /* adaptive: steps that it may take where it is, from steps[1] on; 0: not
                           looked up yet */
    uint32_t next_free;
    uint32_t where; /* its head waited most there */
    uint64_t waited;
    uint64_t earliest; /* cycle in which the head could leave the router where it is */
};

struct nadi_flit_arrival {
    uint32_t at; /* input VC of a flit, output VC of a credit: port * vcs + vc */
    uint32_t flit;
};

struct nadi_flit_slot {
    struct nadi_flit_arrival *items;
    size_t count, capacity;
};

/* Of an input VC: a ring that grows up to the depth, so that deep buffers take memory where they
 * are used. */
struct nadi_flit_buffer {
    uint32_t *flits;
    uint16_t first, count;
    uint16_t mask; /* room - 1, a power of two less one */
};

struct nadi_flit_instant { /* in cycles; whole ones fill 64 bits, a fraction more would not fit */
    uint64_t cycle;
    uint64_t part; /* NADI_FLIT_CYCLE_BITS bits */
};

struct nadi_flit_source { /* a host's port */
    uint32_t packet;      /* NADI_NONE: none at present */
    uint32_t sent;        /* flits of it */
    uint32_t vc;
    bool has_vc, awake;
};

struct nadi_flit_request {  /* of an input for an output, in this cycle */
    uint32_t input;         /* in its router: VC (port * vcs + vc), or crossbar input */
    uint32_t output;        /* in its router: port */
    uint32_t vc;            /* switch allocation: input VC, of the machine */
    uint32_t next;          /* of the same output */
    uint64_t free, granted; /* VC allocation: VCs of the output */
};

struct nadi_flit_machine {
    const struct nadi_flit_wiring *wiring;
    const struct nadi_flit_config *config;
    struct nadi_flit_paths *paths;
    struct nadi_flit_users users;
    uint32_t vcs, depth, speedup;
    uint64_t vcs_inverse; /* 2^32 / vcs, rounded up: division by it; 0: of too many VCs */
    uint64_t class_vcs[NADI_FLIT_ANY_CLASS + 1]; /* by class of a step */
    uint32_t empty_class; /* whose VCs are taken only when their buffer is empty; NADI_NONE: none */
    uint64_t now;
    uint64_t next_ready;   /* of this cycle: the earliest later cycle for which something waits */
    uint64_t asleep_until; /* nothing can move before, unless a host wakes */
    uint64_t pause_after, ran; /* cycles between two pauses; since the last */
    bool moved, has_done, adaptive;
    uint64_t inside; /* flits */

    /* Input VCs, port * vcs + vc. */
    struct nadi_flit_buffer *buffers;
    uint32_t *first_room; /* of all buffers */
    uint64_t *ready_at;   /* VC allocation, or switch allocation, from this cycle on */
    uint32_t *out_vc;     /* of an active one: output VC of the machine */
    uint32_t *vc_accept;
    /* Output VCs. */
    uint16_t *credits;
    uint32_t *owner; /* input VC of the packet that has it; host port's VC at a host */
    uint32_t *vc_grant;
    /* Ports. Bits are VCs. */
    uint64_t *waiting, *active, *occupied; /* inputs: for VC allocation; with a VC; with flits */
    uint64_t *busy;                        /* outputs: VCs that a packet has */
    struct nadi_flit_instant *free_at;     /* outputs: may send from then on */
    uint32_t *switch_grant;
    uint32_t *switch_accept, *switch_vc; /* port * speedup + crossbar input */
    struct nadi_flit_port_figures *figures;
    struct nadi_flit_source *sources;
    /* Nodes. */
    uint32_t *held;    /* flits in a router */
    uint64_t *routers; /* bits: routers that hold flits */
    uint32_t *awake;   /* host ports with packets */
    uint32_t awake_count;

    struct nadi_flit_packet *packets;
    size_t packet_count, packet_capacity;
    uint32_t free_packet;
    struct {
        uint32_t **items;
        size_t count, capacity;
    } steps; /* of NADI_FLIT_PACKETS packets each */
    uint32_t longest;

    struct nadi_flit_slot *wheel;
    uint64_t *filled; /* bits: slots with arrivals */
    uint32_t wheel_mask;
    uint64_t pending;  /* arrivals */
    uint64_t arrivals; /* all that were */

    struct nadi_flit_fast_forward *fast_forward; /* NULL: none is made */
    uint32_t watched;                            /* host port; NADI_NONE: none */
    bool started;                                /* it started a packet */
    uint64_t skipped;                            /* cycles */

    /* Of the router at hand: */
    struct nadi_flit_request *requests; /* most_ports * vcs */
    uint32_t *first_request;            /* by output port, NADI_NONE between routers */
    uint32_t *wanted;                   /* outputs with requests */
    uint64_t *accepts;
};

static inline uint32_t nadi_flit_bit(uint64_t mask)
{
    return (uint32_t)__builtin_ctzll(mask);
}

static inline uint32_t *nadi_flit_steps_of(const struct nadi_flit_machine *m, uint32_t packet)
{
    return m->steps.items[packet / NADI_FLIT_PACKETS] +
           (size_t)(packet % NADI_FLIT_PACKETS) * m->longest;
}

/* The next cycle at which something must look again is `cycle` at the latest. */
static inline void nadi_flit_look_at(struct nadi_flit_machine *m, uint64_t cycle)
{
    if (cycle < m->next_ready)
        m->next_ready = cycle;
}

/* Flits in the buffers of an input port. */
static inline uint64_t nadi_flit_inside_port(const struct nadi_flit_machine *m, uint32_t port)
{
    uint64_t inside = 0;
    for (uint32_t vc = port * m->vcs; vc < (port + 1) * m->vcs; vc++)
        inside += m->buffers[vc].count;
    return inside;
}

/* The first flit of an input VC, which has one. */
static inline uint32_t nadi_flit_at_head(const struct nadi_flit_machine *m, uint32_t vc)
{
    return m->buffers[vc].flits[m->buffers[vc].first];
}

/* From which cycle on an output may send. */
static inline uint64_t nadi_flit_free_cycle(const struct nadi_flit_machine *m, uint32_t port)
{
    return m->free_at[port].cycle + (m->free_at[port].part > 0);
}

/* An output sends in this cycle. What it waited for the end of a cycle is not lost. */
static inline void nadi_flit_occupy(struct nadi_flit_machine *m, uint32_t port)
{
    const bool lags = nadi_flit_free_cycle(m, port) >= m->now;
    struct nadi_flit_instant *free_at = &m->free_at[port];
    const uint64_t part = (lags ? free_at->part : 0) + m->wiring->ports[port].period;
    free_at->cycle = (lags ? free_at->cycle : m->now) + (part >> NADI_FLIT_CYCLE_BITS);
    free_at->part = part & ((1 << NADI_FLIT_CYCLE_BITS) - 1);
    m->figures[port].flits++;
}

/* The port of a VC of the machine. With d = vcs and an inverse of (2^32 + e) / d, e < d, the
 * product is the quotient while vc * e < 2^32. */
static inline uint32_t nadi_flit_port_of(const struct nadi_flit_machine *m, uint32_t vc)
{
    return NADI_LIKELY(m->vcs_inverse != 0) ? (uint32_t)(vc * m->vcs_inverse >> 32) : vc / m->vcs;
}

static inline void nadi_flit_arrive(struct nadi_flit_machine *m, uint64_t cycle, uint32_t at,
                                    uint32_t flit)
{
    const uint32_t slot = (uint32_t)cycle & m->wheel_mask;
    const struct nadi_flit_arrival arrival = {.at = at, .flit = flit};
    NADI_PUSH(&m->wheel[slot], arrival);
    m->filled[slot / 64] |= UINT64_C(1) << (slot % 64);
    m->pending++;
}

/* machine.c: */
/* The head of a packet is the first flit of input VC `vc`, from cycle `cycle` on. */
void nadi_flit_begin_packet(struct nadi_flit_machine *m, uint32_t vc, uint64_t cycle);

/* allocate.c: one cycle of one router. */
void nadi_flit_allocate_vcs(struct nadi_flit_machine *m, uint32_t node);
void nadi_flit_allocate_switch(struct nadi_flit_machine *m, uint32_t node);

#endif
