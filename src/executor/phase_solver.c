#include "executor/phase_solver.h"

#include "collective/tree.h"
#include "executor/internal.h"
#include "network/unaware.h"

uint32_t nadi_phase_solver_route(const struct nadi_phase_solver *m, uint32_t from, uint32_t to)
{
    if (m->routes)
        return m->routes[to >= from ? to - from : to + m->n - from];
    return nadi_network_route(m->network, m->ranks[from], m->ranks[to]);
}

int64_t nadi_phase_solver_delay(const struct nadi_phase_solver *m, uint32_t from, uint32_t to,
                                uint64_t bytes)
{
    if (m->rendezvous && bytes != CONTROL_BYTES)
        bytes = (uint64_t)(int64_t)(int32_t)(uint32_t)bytes; /* as the message executor does */
    return nadi_ns_signed(
        nadi_unaware_delay_ns(m->network, nadi_phase_solver_route(m, from, to), bytes));
}

int64_t nadi_phase_solver_reduce(const struct nadi_phase_solver *m, uint32_t packet)
{
    if (!nadi_phase_reduces(m->phase, packet))
        return 0;
    if (m->phase->algorithm != NADI_ALGORITHM_HALVING_DOUBLING)
        return m->reduce_ns;
    return nadi_ns_signed(nadi_phase_reduction_ns(m->phase, m->local_mem_bw, packet));
}

int64_t nadi_phase_solver_received(const struct nadi_phase_solver *m, uint32_t from, int64_t sent,
                                   uint32_t to, int64_t posted, uint64_t bytes)
{
    const int64_t there = nadi_phase_solver_delay(m, from, to, bytes);
    const int64_t back = m->rendezvous ? nadi_phase_solver_delay(m, to, from, CONTROL_BYTES) : 0;
    return nadi_phase_solver_joined(m, sent, there, posted, back);
}

static int64_t all_stages(const struct nadi_phase_solver *m)
{
    return nadi_ns_signed(
        nadi_phase_stages_ns(m->phase, (uint64_t)m->endpoint_ns, m->local_mem_bw));
}

/* Working space of the ring form, by place on the way round (place q is local index q, or n-1-q
 * when the ring turns the other way), doubled so that windows need no wrapping. */
struct lap {
    int64_t *sum;   /* delays of the links from place 0 to place q, 2 n entries */
    int64_t *value; /* start minus sum: what a source offers to later places */
    int64_t *queue; /* places whose values decrease: a monotone queue */
};

/* end(q) = max(end(q), extra + sum(q) + largest value among the places low .. high links before q).
 */
static void window(struct nadi_phase_solver *m, const struct lap *lap, uint32_t low, uint32_t high,
                   int64_t extra)
{
    uint32_t n = m->n;
    size_t head = 0, tail = 0;
    for (uint32_t q = n - high; q < 2 * n - low; q++) {
        while (tail > head && lap->value[lap->queue[tail - 1]] <= lap->value[q])
            tail--;
        lap->queue[tail++] = q;
        uint32_t place = q + low;
        if (place < n)
            continue;
        while (lap->queue[head] + (int64_t)high < (int64_t)place)
            head++;
        uint32_t local = m->clockwise ? place - n : 2 * n - 1 - place;
        int64_t end = lap->value[lap->queue[head]] + lap->sum[place];
        m->end[local] = nadi_max_i64(m->end[local], nadi_time_add(end, extra));
    }
}

/* The recurrence step by step: O(n) a step. */
static bool steps(struct nadi_phase_solver *m)
{
    const struct nadi_phase *p = m->phase;
    int64_t *now = m->scratch, *next = m->scratch + m->n;
    for (uint32_t i = 0; i < m->n; i++)
        now[i] = nadi_time_add(m->start[i], m->endpoint_ns);
    for (uint32_t k = 0; k < p->sends; k++) {
        const int64_t stage = nadi_time_add(m->endpoint_ns, nadi_phase_solver_reduce(m, k + 1));
        uint64_t bytes = nadi_phase_bytes(p, k);
        for (uint32_t i = 0; i < m->n; i++) {
            bool towards = p->algorithm == NADI_ALGORITHM_HALVING_DOUBLING || !m->clockwise;
            uint32_t from = nadi_phase_destination(p, i, k, towards);
            next[i] = nadi_time_add(
                nadi_phase_solver_received(m, from, now[from], i, now[i], bytes), stage);
        }
        int64_t *t = now;
        now = next;
        next = t;
    }
    memcpy(m->end, now, m->n * sizeof(*now));
    return true;
}

/* T(i,k+1) = max(T(i,k), T(i-1,k) + d) + stage(k) unrolled over R steps: a source j links before i
 * counts start + the j delays, for every j <= R. Delays are not negative, so the longest way
 * counts: floor(R/n) whole turns for sources at most R mod n links away, one turn less for the
 * others. Beyond the clock's range, where the sum of all delays tells too little, step by step. */
static bool ring(struct nadi_phase_solver *m)
{
    if (m->rendezvous)
        return steps(m);
    uint32_t n = m->n, rounds = m->phase->sends, rest = rounds % n;
    int64_t stages = all_stages(m), total = 0;
    const uint64_t turns = rounds / n;
    struct lap lap = {m->scratch, m->scratch + 2 * n, m->scratch + 4 * n};
    for (uint32_t q = 0; q < 2 * n; q++) {
        uint32_t place = q % n, next = place + 1 == n ? 0 : place + 1;
        uint32_t from = m->clockwise ? place : n - 1 - place;
        uint32_t to = m->clockwise ? next : n - 1 - next;
        lap.sum[q] = total;
        lap.value[q] = m->start[from] - total;
        total = nadi_time_add(total, nadi_phase_solver_delay(m, from, to, m->phase->message_bytes));
        m->end[from] = INT64_MIN;
    }
    if (NADI_UNLIKELY(total > NADI_TIME_NEVER / 4)) {
        return steps(m);
    }
    int64_t turn = lap.sum[n];
    window(m, &lap, 0, rest, nadi_time_add(nadi_time_mul(turn, turns), stages));
    if (turns > 0 && rest + 1 < n)
        window(m, &lap, rest + 1, n - 1, nadi_time_add(nadi_time_mul(turn, turns - 1), stages));
    return true;
}

static bool direct(struct nadi_phase_solver *m)
{
    const struct nadi_phase *p = m->phase;
    if (p->first == p->n - 1 && p->op != NADI_PHASE_ALL_REDUCE) {
        nadi_phase_solver_once(m);
        return true;
    }
    enum nadi_phase_solver_outcome outcome =
        p->first == p->n - 1 ? nadi_phase_solver_halves(m) : NADI_PHASE_SOLVER_OTHER;
    if (outcome == NADI_PHASE_SOLVER_OTHER)
        return nadi_phase_solver_direct(m, p->n, m->start, m->end);
    return outcome == NADI_PHASE_SOLVER_DONE;
}

/* ---- double binary tree -------------------------------------------------------------------- */

uint32_t nadi_phase_solver_tree_parent(const struct nadi_phase_solver *m, uint32_t local)
{
    return nadi_tree_node(m->phase->log2_n, local, m->max_tree).parent;
}

/* When local has everything from below and sends up (the root: down). Depth log n. */
static int64_t tree_up(struct nadi_phase_solver *m, uint32_t local)
{
    struct nadi_tree_node node = nadi_tree_node(m->phase->log2_n, local, m->max_tree);
    int64_t start = m->start[local], *up = m->scratch;
    const uint32_t children[] = {node.left, node.right};
    const int64_t stage = nadi_time_add(m->endpoint_ns, m->reduce_ns);
    up[local] = nadi_time_add(start, m->endpoint_ns);
    for (size_t c = 0; c < 2; c++) {
        if (children[c] == NADI_NONE)
            continue;
        int64_t came = nadi_phase_solver_received(m, children[c], tree_up(m, children[c]), local,
                                                  start, m->phase->message_bytes);
        up[local] = nadi_max_i64(up[local], nadi_time_add(came, stage));
    }
    return up[local];
}

static void tree_down(struct nadi_phase_solver *m, uint32_t local, int64_t result)
{
    struct nadi_tree_node node = nadi_tree_node(m->phase->log2_n, local, m->max_tree);
    const uint32_t children[] = {node.left, node.right};
    m->end[local] = result;
    for (size_t c = 0; c < 2; c++) {
        uint32_t child = children[c];
        if (child == NADI_NONE)
            continue;
        struct nadi_tree_node below = nadi_tree_node(m->phase->log2_n, child, m->max_tree);
        bool leaf = below.left == NADI_NONE && below.right == NADI_NONE;
        int64_t came = nadi_phase_solver_received(m, local, result, child, m->scratch[child],
                                                  m->phase->message_bytes);
        const int64_t stage = nadi_time_add(m->endpoint_ns, leaf ? 0 : m->reduce_ns);
        tree_down(m, child, nadi_time_add(came, stage));
    }
}

static bool tree(struct nadi_phase_solver *m)
{
    uint32_t root = m->max_tree ? m->n - 1 : 0;
    int64_t result = tree_up(m, root);
    tree_down(m, root, result);
    return true;
}

/* ---- lockstep ------------------------------------------------------------------------------ */

static uint64_t exchange_ns(const void *context, uint32_t k)
{
    const struct nadi_phase_solver *m = context;
    const uint32_t to = nadi_phase_destination(m->phase, 0, k, m->clockwise);
    int64_t delay = nadi_phase_solver_delay(m, 0, to, nadi_phase_bytes(m->phase, k));
    if (m->rendezvous) /* the control message comes first, the other way */
        delay = nadi_time_add(delay, nadi_phase_solver_delay(m, to, 0, CONTROL_BYTES));
    return (uint64_t)delay;
}

static bool chain_lockstep(const struct nadi_phase_solver *m, int64_t *duration_ns)
{
    const uint64_t stages = (uint64_t)all_stages(m);
    *duration_ns = nadi_ns_signed(nadi_phase_chain_ns(m->phase, stages, exchange_ns, m));
    return true;
}

static bool halving_lockstep(const struct nadi_phase_solver *m, int64_t *duration_ns)
{
    for (uint32_t k = 0; k < m->phase->sends; k++) {
        const uint32_t to = nadi_phase_destination(m->phase, 0, k, true);
        if (nadi_phase_solver_route(m, 0, to) != nadi_phase_solver_route(m, to, 0))
            return false; /* half of the ranks send the other, longer way */
    }
    return chain_lockstep(m, duration_ns);
}

static bool direct_lockstep(const struct nadi_phase_solver *m, int64_t *duration_ns)
{
    const int64_t zero = 0;
    return nadi_phase_solver_direct(m, 1, &zero, duration_ns);
}

/* ---- the table ----------------------------------------------------------------------------- */

/* The reduction of the last packet. */
static bool last_reduces(const struct nadi_phase_solver *m, uint32_t local)
{
    const struct nadi_phase *p = m->phase;
    (void)local;
    return nadi_phase_reduces(p, p->sends + p->first - 1);
}

static bool tree_last_reduces(const struct nadi_phase_solver *m, uint32_t local)
{
    const struct nadi_tree_node node = nadi_tree_node(m->phase->log2_n, local, m->max_tree);
    return node.left != NADI_NONE || node.right != NADI_NONE;
}

static const struct solver {
    bool (*evaluate)(struct nadi_phase_solver *m);
    bool (*lockstep)(const struct nadi_phase_solver *m, int64_t *duration_ns); /* NULL: none */
    bool (*last_reduces)(const struct nadi_phase_solver *m, uint32_t local);
} solvers[NADI_ALGORITHM_COUNT] = {
    [NADI_ALGORITHM_RING] = {ring, chain_lockstep, last_reduces},
    [NADI_ALGORITHM_HALVING_DOUBLING] = {steps, halving_lockstep, last_reduces},
    [NADI_ALGORITHM_DIRECT] = {direct, direct_lockstep, last_reduces},
    [NADI_ALGORITHM_DOUBLE_BINARY_TREE] = {tree, NULL, tree_last_reduces},
};

bool nadi_phase_solver_evaluate(struct nadi_phase_solver *m)
{
    return solvers[m->phase->algorithm].evaluate(m);
}

bool nadi_phase_solver_lockstep(const struct nadi_phase_solver *m, int64_t *duration_ns)
{
    const struct solver *solver = &solvers[m->phase->algorithm];
    return solver->lockstep && solver->lockstep(m, duration_ns);
}

bool nadi_phase_solver_ends_alike(const struct nadi_phase *p)
{
    return solvers[p->algorithm].last_reduces == last_reduces;
}

int64_t nadi_phase_solver_last_reduction(const struct nadi_phase_solver *m, uint32_t local)
{
    const struct nadi_phase *p = m->phase;
    if (!solvers[p->algorithm].last_reduces(m, local))
        return -1;
    return p->algorithm == NADI_ALGORITHM_HALVING_DOUBLING ? nadi_phase_solver_reduce(m, p->sends)
                                                           : m->reduce_ns;
}
