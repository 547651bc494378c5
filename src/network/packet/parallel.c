#include "network/packet/parallel.h"

#include "base/guard.h"
#include "base/mem.h"
#include "base/threads.h"
#include "network/packet/fast_forward.h"
#include "network/packet/parts.h"

#include <pthread.h>

struct word {           /* what a part says when the threads meet */
    nadi_time next;     /* its next event, what it sent included */
    nadi_time moved_at; /* as in struct nadi_pkt */
    bool stood_still, stop;
    bool failed; /* the part did, in the last window */
};

struct run {
    struct nadi_pkt_parallel *parallel;
    const struct nadi_pkt_parallel_orders *orders;
    pthread_barrier_t barrier;
    nadi_time pause_at; /* written by part 0 between two barriers */
    bool pause_failed;  /* likewise */
};

/* Boxes and words of two windows in turn: those of the last one are read while the next ones are
 * filled. */
struct nadi_pkt_member {
    struct run *run;
    uint32_t part;
    struct nadi_pkt_outbox *boxes[2]; /* by part */
    struct word words[2];
    bool still; /* the end: a part stood still */
    uint32_t turn;
    bool pausing; /* between the two barriers of a pause */
};

static struct nadi_pkt *copy_of(const struct nadi_pkt *net)
{
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    struct nadi_pkt *copy = nadi_pkt_create(net->graph, &net->config, &diags);
    NADI_ASSERT(copy); /* as the first one was */
    nadi_diags_release(&diags);
    nadi_pkt_share_flows(copy, net);
    return copy;
}

/* Marks the cables between parts; the shortest one is how far they can run by themselves. */
static void mark_borders(struct nadi_pkt_parallel *parallel)
{
    const struct nadi_pkt *net = parallel->nets[0];
    parallel->reach = NADI_TIME_MAX;
    for (uint32_t p = 0; p < net->port_count; p++) {
        const struct nadi_pkt_port *port = &net->ports[p];
        if (parallel->part_of[port->node] == parallel->part_of[net->ports[port->peer].node])
            continue;
        parallel->reach = port->latency < parallel->reach ? port->latency : parallel->reach;
        for (uint32_t i = 0; i < parallel->count; i++)
            parallel->nets[i]->ports[p].special |= NADI_PKT_ABROAD;
    }
}

struct nadi_pkt_parallel *nadi_pkt_parallel_create(struct nadi_pkt *net, uint32_t most)
{
    struct nadi_pkt_parallel *parallel = NADI_ZNEW(struct nadi_pkt_parallel, 1);
    parallel->part_of = NADI_NEW(uint32_t, net->graph->node_count);
    parallel->count = nadi_pkt_cut(net, nadi_min_u32(most, NADI_PKT_MAX_PARTS), parallel->part_of);
    parallel->nets = NADI_NEW(struct nadi_pkt *, parallel->count);
    parallel->members = NADI_ZNEW(struct nadi_pkt_member, parallel->count);
    parallel->nets[0] = net;
    nadi_pkt_share_flows(net, net);
    for (uint32_t i = 0; i < parallel->count; i++) {
        struct nadi_pkt_member *m = &parallel->members[i];
        if (i > 0)
            parallel->nets[i] = copy_of(net);
        parallel->nets[i]->part_of = parallel->part_of;
        nadi_pkt_fast_forward_destroy(
            parallel->nets[i]->fast_forward); /* it would have to look at all parts */
        parallel->nets[i]->fast_forward = NULL;
        m->part = i;
        for (int k = 0; k < 2; k++) {
            m->boxes[k] = NADI_ZNEW(struct nadi_pkt_outbox, parallel->count);
            for (uint32_t to = 0; to < parallel->count; to++)
                nadi_pkt_outbox_clear(&m->boxes[k][to]);
        }
    }
    mark_borders(parallel);
    return parallel;
}

void nadi_pkt_parallel_destroy(struct nadi_pkt_parallel *parallel)
{
    if (!parallel)
        return;
    for (uint32_t i = parallel->count; i-- > 0;) {
        for (int k = 0; k < 2; k++) {
            for (uint32_t to = 0; to < parallel->count; to++)
                nadi_pkt_outbox_release(&parallel->members[i].boxes[k][to]);
            nadi_mem_free(parallel->members[i].boxes[k]);
        }
        if (i > 0)
            nadi_pkt_forget_flows(parallel->nets[i]);
        nadi_pkt_destroy(parallel->nets[i]);
    }
    nadi_mem_free(parallel->nets);
    nadi_mem_free(parallel->members);
    nadi_mem_free(parallel->part_of);
    nadi_mem_free(parallel);
}

static void say(struct nadi_pkt_member *m, uint32_t turn)
{
    const struct run *r = m->run;
    const struct nadi_pkt *net = r->parallel->nets[m->part];
    struct word word = {
        .next = nadi_pkt_wheel_next_time(&net->wheel),
        .moved_at = net->moved_at,
        .stood_still = net->stood_still,
        .stop = m->part == 0 && r->orders->stop && *r->orders->stop,
    };
    for (uint32_t to = 0; to < r->parallel->count; to++) {
        const nadi_time first = m->boxes[turn][to].first;
        word.next = first < word.next ? first : word.next;
    }
    m->words[turn] = word;
}

/* What all of them said together: all threads come to the same. */
static struct word listen(const struct nadi_pkt_parallel *parallel, uint32_t turn)
{
    struct word all = parallel->members[0].words[turn];
    for (uint32_t i = 1; i < parallel->count; i++) {
        const struct word *w = &parallel->members[i].words[turn];
        all.next = w->next < all.next ? w->next : all.next;
        all.moved_at = w->moved_at > all.moved_at ? w->moved_at : all.moved_at;
        all.stood_still |= w->stood_still;
        all.failed |= w->failed;
    }
    return all;
}

/* All that lies before the next event has happened. */
static void pause(struct nadi_pkt_member *m, nadi_time next)
{
    struct run *r = m->run;
    const nadi_time until = r->orders->until;
    m->pausing = true;
    if (m->part == 0)
        while (r->pause_at < next && r->pause_at <= until)
            r->pause_at = r->orders->pause(r->orders->context, next != NADI_TIME_MAX);
    m->pausing = false;
    pthread_barrier_wait(&r->barrier);
}

static void run_window(struct nadi_pkt_member *m, uint32_t turn, nadi_time from, nadi_time to)
{
    const struct nadi_pkt_parallel *parallel = m->run->parallel;
    struct nadi_pkt *net = parallel->nets[m->part];
    for (uint32_t i = 0; i < parallel->count; i++) {
        nadi_pkt_deliver(net, &parallel->members[i].boxes[!turn][m->part]);
        nadi_pkt_outbox_clear(&m->boxes[turn][i]);
    }
    net->out = m->boxes[turn];
    const nadi_time reach = parallel->reach > to - from ? to : from + parallel->reach - 1;
    (void)nadi_pkt_run(net, &reach, UINT64_MAX);
}

static void work(void *argument)
{
    struct nadi_pkt_member *m = argument;
    struct run *r = m->run;
    struct nadi_pkt *net = r->parallel->nets[m->part];
    nadi_time pause_at = r->orders->pause_at;
    for (m->turn = 0;; m->turn = !m->turn) {
        say(m, m->turn);
        pthread_barrier_wait(&r->barrier);
        const struct word all = listen(r->parallel, m->turn);
        m->still = all.stood_still;
        if (all.failed)
            return;
        if (pause_at < all.next && pause_at <= r->orders->until && !all.stood_still && !all.stop) {
            pause(m, all.next);
            pause_at = r->pause_at;
            if (r->pause_failed)
                return;
        }
        if (all.next > r->orders->until || all.next == NADI_TIME_MAX || all.stood_still || all.stop)
            return;
        net->moved_at = all.moved_at;
        run_window(m, !m->turn, all.next,
                   pause_at < r->orders->until ? pause_at : r->orders->until);
    }
}

/* The others wait for this part at the next barrier: it comes once more, to say that it failed. */
static void work_or_tell(void *argument, unsigned part)
{
    struct run *r = argument;
    struct nadi_pkt_member *m = &r->parallel->members[part];
    struct nadi_failure failure;
    if (!nadi_guard_is_open())
        work(m);
    else if (!nadi_guard_try(work, m, &failure)) {
        if (m->pausing)
            r->pause_failed = true;
        else
            m->words[!m->turn] = (struct word){.failed = true};
        pthread_barrier_wait(&r->barrier);
        nadi_guard_raise(&failure);
    }
}

bool nadi_pkt_parallel_run(struct nadi_pkt_parallel *parallel,
                           const struct nadi_pkt_parallel_orders *orders)
{
    struct run r = {.parallel = parallel, .orders = orders, .pause_at = orders->pause_at};
    pthread_barrier_init(&r.barrier, NULL, parallel->count);
    for (uint32_t i = 0; i < parallel->count; i++)
        parallel->members[i].run = &r;
    const bool all_there = nadi_threads_together(parallel->count, work_or_tell, &r);
    pthread_barrier_destroy(&r.barrier);
    return all_there && !parallel->members[0].still;
}
