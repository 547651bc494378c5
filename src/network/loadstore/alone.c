#include "network/loadstore/alone.h"

#include <math.h>

/* Data and flags of a protocol come in atoms: so much data in so many bytes. */
static const struct {
    uint32_t data, bytes;
} atoms[] = {
    [NADI_PROTOCOL_SIMPLE] = {1, 1},
    [NADI_PROTOCOL_LL] = {4, 8},
    [NADI_PROTOCOL_LL128] = {120, 128},
};

uint32_t nadi_loadstore_data(const struct nadi_loadstore_config *c, enum nadi_protocol protocol)
{
    return c->request_bytes / atoms[protocol].bytes * atoms[protocol].data;
}

uint32_t nadi_loadstore_stored(enum nadi_protocol protocol, uint32_t data)
{
    const uint32_t atom = atoms[protocol].data;
    return (data + atom - 1) / atom * atoms[protocol].bytes;
}

uint64_t nadi_loadstore_lines(const struct nadi_loadstore_config *c, enum nadi_protocol protocol,
                              uint64_t bytes)
{
    const uint32_t data = nadi_loadstore_data(c, protocol);
    return bytes / data + (bytes % data > 0);
}

static double flight(const struct nadi_loadstore_route *w, double bytes)
{
    return w->latency_ns + bytes * w->ns_a_byte_sum;
}

/* From the first line to the last, `more` behind it. */
static double stream(double more, double window, double period, double trip)
{
    if (more <= 0)
        return 0;
    const double turns = trip > window * period ? floor(more / window) : 0;
    return turns * trip + (more - turns * window) * period;
}

struct pace {             /* of a message alone, ns */
    double lines, window; /* lines; of them, unanswered at most */
    double one_way, trip, signal, period;
};

static struct pace pace_of(const struct nadi_loadstore_config *c, enum nadi_protocol protocol,
                           const struct nadi_loadstore_route *there,
                           const struct nadi_loadstore_route *back, uint64_t bytes)
{
    const bool engine = c->copy == NADI_COPY_ENGINE;
    const double lines = (double)nadi_loadstore_lines(c, protocol, bytes);
    const double units = engine ? 1 : fmin(fmax(lines, 1), c->copy_sms);
    const double rate = engine ? c->engine_bytes_per_ns : c->sm_bytes_per_ns;
    const double all =
        lines > 1 ? c->request_bytes : nadi_loadstore_stored(protocol, (uint32_t)bytes);
    const double line = c->header_bytes + all, flag = c->header_bytes + NADI_LOADSTORE_FLAG;
    const double one_way = 2 * c->memory_ns + flight(there, line);
    return (struct pace){
        .lines = lines,
        .window = units * (engine ? c->engine_requests : c->outstanding),
        .one_way = one_way,
        .trip = one_way + flight(back, c->control_bytes),
        .signal = 2 * c->memory_ns + flight(there, flag) + c->poll_ns,
        .period = fmax(fmax(line / there->slowest, c->control_bytes / back->slowest),
                       c->request_bytes / (units * rate)),
    };
}

bool nadi_loadstore_runs_out(const struct nadi_loadstore_config *c, enum nadi_protocol protocol,
                             const struct nadi_loadstore_route *there,
                             const struct nadi_loadstore_route *back, uint64_t bytes)
{
    const struct pace p = pace_of(c, protocol, there, back, bytes);
    return p.trip > p.window * p.period;
}

double nadi_loadstore_alone(const struct nadi_loadstore_config *c, enum nadi_protocol protocol,
                            const struct nadi_loadstore_route *there,
                            const struct nadi_loadstore_route *back, uint64_t bytes)
{
    const struct pace p = pace_of(c, protocol, there, back, bytes);
    const double setup = c->copy == NADI_COPY_ENGINE ? c->setup_ns : 0;
    const double data = setup + stream(p.lines - 1, p.window, p.period, p.trip);
    if (c->direction == NADI_GET)
        return p.signal + data + (p.lines > 0 ? p.trip : 0);
    if (p.lines < 1)
        return data + p.signal;
    if (protocol == NADI_PROTOCOL_SIMPLE)
        return data + p.trip + c->fence_ns + p.signal;
    return data + p.one_way + c->poll_ns + (protocol == NADI_PROTOCOL_LL128 ? c->ll128_ns : 0);
}

enum nadi_protocol nadi_loadstore_choose(const struct nadi_loadstore_config *c,
                                         const struct nadi_loadstore_route *there,
                                         const struct nadi_loadstore_route *back, uint64_t bytes)
{
    enum nadi_protocol best = NADI_PROTOCOL_SIMPLE;
    if (c->protocol != NADI_PROTOCOL_AUTO)
        return c->protocol;
    if (c->direction == NADI_GET || c->copy == NADI_COPY_ENGINE)
        return best;
    double least = nadi_loadstore_alone(c, best, there, back, bytes);
    for (enum nadi_protocol p = NADI_PROTOCOL_LL; p <= NADI_PROTOCOL_LL128; p++) {
        const double ns = nadi_loadstore_alone(c, p, there, back, bytes);
        if (ns < least) {
            least = ns;
            best = p;
        }
    }
    return best;
}
