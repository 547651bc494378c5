/* check_p2p: every receive needs a send of the same source, destination, tag and size, and the
 * other way round. Tags count modulo 500,000,000, as in the reference. O(n log n) in the number of
 * sends and receives, sorted by source in threads; with distances for peers, of the distinct traces
 * (check_pairs). */
#include "base/mem.h"
#include "base/str.h"
#include "base/threads.h"
#include "inputs/check_pairs.h"
#include "inputs/check_ranks.h"

#include <stdatomic.h>

struct end { /* one side of a message */
    uint64_t bytes;
    uint32_t src, dst, tag;
    uint32_t node;
    bool is_recv;
};

struct ends {
    struct end *items;
    size_t count, capacity;
};

static int order32(uint32_t x, uint32_t y)
{
    return x < y ? -1 : x > y;
}

static int order64(uint64_t x, uint64_t y)
{
    return x < y ? -1 : x > y;
}

static int compare_keys(const struct end *x, const struct end *y)
{
    int order = order32(x->src, y->src);
    order = order ? order : order32(x->dst, y->dst);
    order = order ? order : order32(x->tag, y->tag);
    return order ? order : order64(x->bytes, y->bytes);
}

static int by_key(const void *a, const void *b)
{
    const struct end *x = a, *y = b;
    int order = compare_keys(x, y);
    order = order ? order : (int)x->is_recv - (int)y->is_recv;
    return order ? order : order32(x->node, y->node);
}

static struct end end_of(const struct nadi_inputs *in, uint32_t rank, uint32_t node)
{
    const struct nadi_trace *t = in->traces[rank];
    const struct nadi_trace_comm *comm = nadi_comm_of(t, node);
    bool is_recv = t->type[node] == NADI_NODE_RECV;
    uint32_t peer = is_recv ? comm->src : comm->dst;
    if (in->relative_peers)
        peer = nadi_relative_peer(rank, peer, in->rank_count);
    return (struct end){
        .bytes = t->bytes[node],
        .src = is_recv ? peer : rank,
        .dst = is_recv ? rank : peer,
        .tag = comm->tag % NADI_TAG_MODULUS,
        .node = node,
        .is_recv = is_recv,
    };
}

/* Those of a rank; with one other rank, or with all (NADI_NONE). */
static void collect(const struct nadi_inputs *in, uint32_t rank, uint32_t with, struct ends *ends)
{
    const struct nadi_trace *t = in->traces[rank];
    for (uint32_t n = 0; n < t->node_count; n++) {
        if (t->type[n] != NADI_NODE_SEND && t->type[n] != NADI_NODE_RECV)
            continue;
        struct end e = end_of(in, rank, n);
        if (with == NADI_NONE || (e.is_recv ? e.src : e.dst) == with)
            NADI_PUSH(ends, e);
    }
}

/* *beyond: unpaired ends that are not among them. */
static void collect_all(const struct nadi_inputs *in, struct ends *ends, uint64_t *beyond,
                        uint64_t *beyond_fatal)
{
    if (!in->relative_peers) {
        for (uint32_t r = 0; r < in->rank_count; r++)
            collect(in, r, NADI_NONE, ends);
        return;
    }
    struct nadi_odd_pairs odd;
    nadi_find_odd_pairs(in, &odd);
    for (uint32_t i = 0; i < odd.count; i++) {
        collect(in, odd.items[i].a, odd.items[i].b, ends);
        collect(in, odd.items[i].b, odd.items[i].a, ends);
    }
    *beyond_fatal = odd.more_recvs + (in->options.rendezvous ? odd.more_sends : 0);
    *beyond = odd.more_recvs + odd.more_sends;
}

/* ---- order ---------------------------------------------------------------------------------- */

enum { MOST_THREADS = 64, FEWEST_ENDS = 100000 /* that are worth threads */ };

/* The ends of one source after the other's; sources beyond the ranks together. */
struct sorting {
    struct end *items;
    const size_t *start; /* by source, and the end */
    uint32_t sources;
    atomic_uint next;
};

static uint32_t place_of_source(const struct end *e, uint32_t ranks)
{
    return e->src < ranks ? e->src : ranks;
}

static void sort_some(void *context, unsigned thread)
{
    enum { SHARE = 4 };
    struct sorting *s = context;
    (void)thread;
    for (uint32_t first; (first = atomic_fetch_add(&s->next, SHARE)) < s->sources;)
        for (uint32_t i = first; i < first + SHARE && i < s->sources; i++)
            if (s->start[i + 1] - s->start[i] > 1)
                qsort(s->items + s->start[i], s->start[i + 1] - s->start[i], sizeof(*s->items),
                      by_key);
}

static void sort(struct ends *ends, uint32_t ranks)
{
    size_t *start = NADI_ZNEW(size_t, (size_t)ranks + 3);
    struct end *items = NADI_NEW(struct end, ends->count);
    for (size_t i = 0; i < ends->count; i++)
        start[place_of_source(&ends->items[i], ranks) + 2]++;
    for (size_t i = 2; i < (size_t)ranks + 3; i++)
        start[i] += start[i - 1];
    for (size_t i = 0; i < ends->count; i++) /* start: of the source before */
        items[start[place_of_source(&ends->items[i], ranks) + 1]++] = ends->items[i];
    struct sorting s = {.items = items, .start = start, .sources = ranks + 1};
    const unsigned cores = ends->count < FEWEST_ENDS ? 1 : nadi_threads_cores(MOST_THREADS);
    if (cores > 1)
        nadi_threads_run(cores, sort_some, &s);
    else
        sort_some(&s, 0);
    nadi_mem_free(ends->items);
    nadi_mem_free(start);
    *ends = (struct ends){items, ends->count, ends->count};
}

/* Keeps the ends that have no counterpart, in order; of equal ones the later are the odd ones. */
static void keep_unpaired(struct ends *ends)
{
    size_t kept = 0;
    for (size_t i = 0; i < ends->count;) {
        size_t end = i, sends = 0;
        for (; end < ends->count && compare_keys(&ends->items[i], &ends->items[end]) == 0; end++)
            sends += !ends->items[end].is_recv;
        size_t recvs = end - i - sends, pairs = sends < recvs ? sends : recvs;
        for (size_t k = i + pairs; k < i + sends; k++)
            ends->items[kept++] = ends->items[k];
        for (size_t k = i + sends + pairs; k < end; k++)
            ends->items[kept++] = ends->items[k];
        i = end;
    }
    ends->count = kept;
}

/* How near a send is to what a receive wants; 0: unrelated. */
static unsigned nearness(const struct end *a, const struct end *b)
{
    if (a->is_recv == b->is_recv || a->src != b->src || a->dst != b->dst)
        return 0;
    return a->tag == b->tag ? 3 : a->bytes == b->bytes ? 2 : 1;
}

static const struct end *nearest(const struct ends *ends, size_t at)
{
    enum { WINDOW = 1000 };
    const struct end *best = NULL;
    unsigned best_near = 0;
    size_t from = at > WINDOW ? at - WINDOW : 0;
    for (size_t i = from; i < ends->count && i < at + WINDOW; i++) {
        unsigned near = nearness(&ends->items[at], &ends->items[i]);
        if (near > best_near) {
            best_near = near;
            best = &ends->items[i];
        }
    }
    return best;
}

static struct nadi_place place_of(const struct nadi_inputs *in, const struct end *e,
                                  struct nadi_diags *diags)
{
    uint32_t rank = e->is_recv ? e->dst : e->src;
    return nadi_trace_place(in->traces[rank], rank, e->node, &diags->arena);
}

static void add_nearest(const struct nadi_inputs *in, const struct end *e, const struct end *near,
                        struct nadi_diags *diags, struct nadi_str *out)
{
    uint32_t other = e->is_recv ? e->src : e->dst;
    const char *verb = e->is_recv ? "sends" : "receives";
    if (!near) {
        nadi_str_printf(out, "; rank %u %s nothing more %s this rank", other, verb,
                        e->is_recv ? "to" : "from");
        return;
    }
    nadi_str_printf(out, "; rank %u %s %" PRIu64 " B with ", other, verb, near->bytes);
    if (near->tag == e->tag)
        nadi_str_add(out, "the same tag");
    else
        nadi_str_printf(out, "tag %u", near->tag);
    nadi_str_printf(out, " (node %s)", place_of(in, near, diags).node);
}

/* A receive without a send waits for ever; a send without a receive only under rendezvous. */
static bool is_fatal(const struct nadi_inputs *in, const struct end *e)
{
    return e->is_recv || in->options.rendezvous;
}

static void report(const struct nadi_inputs *in, const struct ends *ends, size_t at,
                   struct nadi_diags *diags)
{
    const struct end *e = &ends->items[at];
    struct nadi_str s = NADI_STR_INIT;
    if (e->is_recv)
        nadi_str_printf(&s, "waits for %" PRIu64 " B from rank %u, tag %u, which nobody sends",
                        e->bytes, e->src, e->tag);
    else
        nadi_str_printf(&s, "sends %" PRIu64 " B to rank %u, tag %u, which nobody receives",
                        e->bytes, e->dst, e->tag);
    add_nearest(in, e, nearest(ends, at), diags, &s);
    nadi_diags_add(
        diags, is_fatal(in, e) ? NADI_ERROR : NADI_WARNING,
        e->is_recv ? "check/recv-unmatched" : "check/send-unmatched", place_of(in, e, diags),
        "both sides must agree on source, destination, tag and size", "%s", nadi_str_get(&s));
    nadi_str_release(&s);
}

/* First the ends without which the run cannot finish, then the rest. */
bool nadi_check_p2p(const struct nadi_inputs *in, struct nadi_diags *diags)
{
    enum { REPORTED = 20 };
    struct ends ends = {0};
    uint64_t beyond = 0, beyond_fatal = 0;
    collect_all(in, &ends, &beyond, &beyond_fatal);
    if (ends.count)
        sort(&ends, in->rank_count);
    keep_unpaired(&ends);
    size_t fatal = 0, reported = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < ends.count; i++) {
            if (is_fatal(in, &ends.items[i]) != (pass == 0))
                continue;
            fatal += pass == 0;
            if (reported++ < REPORTED)
                report(in, &ends, i, diags);
        }
    }
    beyond += reported > REPORTED ? reported - REPORTED : 0;
    if (beyond)
        nadi_note(diags, "check/more", NADI_NOWHERE, NULL,
                  "%" PRIu64 " more sends and receives have no counterpart", beyond);
    nadi_mem_free(ends.items);
    return fatal == 0 && beyond_fatal == 0;
}
