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

double nadi_loadstore_alone(const struct nadi_loadstore_config *c, enum nadi_protocol protocol,
                            const struct nadi_loadstore_route *there,
                            const struct nadi_loadstore_route *back, uint64_t bytes)
{
    const bool engine = c->copy == NADI_COPY_ENGINE, get = c->direction == NADI_GET;
    const double lines = (double)nadi_loadstore_lines(c, protocol, bytes);
    const double units = engine ? 1 : fmin(fmax(lines, 1), c->copy_sms);
    const double window = engine ? c->engine_requests : c->outstanding;
    const double rate = engine ? c->engine_bytes_per_ns : c->sm_bytes_per_ns;
    const double all =
        lines > 1 ? c->request_bytes : nadi_loadstore_stored(protocol, (uint32_t)bytes);
    const double line = c->header_bytes + all, flag = c->header_bytes + NADI_LOADSTORE_FLAG;
    const double out = c->memory_ns, one_way = 2 * out + flight(there, line);
    const double trip = one_way + flight(back, c->control_bytes);
    const double signal = 2 * out + flight(there, flag) + c->poll_ns;
    const double period = fmax(fmax(line / there->slowest, c->control_bytes / back->slowest),
                               c->request_bytes / (units * rate));
    const double setup = engine ? c->setup_ns : 0;
    const double data = setup + stream(lines - 1, units * window, period, trip);
    if (get)
        return signal + data + (lines > 0 ? trip : 0);
    if (lines < 1)
        return data + signal;
    if (protocol == NADI_PROTOCOL_SIMPLE)
        return data + trip + c->fence_ns + signal;
    return data + one_way + c->poll_ns + (protocol == NADI_PROTOCOL_LL128 ? c->ll128_ns : 0);
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
